// Writes small profiles of itself: cpu.pprof and one of each kind that the runtime keeps; with the argument "http" also those
// that its HTTP endpoints give, http-KIND.pprof (the execution trace, too, which is none).
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

type Store[K comparable] struct {
	mu   sync.Mutex
	data map[K][]byte
}

func (s *Store[K]) Put(k K, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[k] = make([]byte, n)
	time.Sleep(50 * time.Microsecond)
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func work(s *Store[string], name string, done chan bool) {
	pprof.Do(context.Background(), pprof.Labels("worker", name, "kind", "test"), func(context.Context) {
		for i := 0; i < 40; i++ {
			fib(27)
			words := strings.Fields(strings.Repeat("b a c ", 2000))
			sort.Strings(words)
			s.Put(fmt.Sprint(name, i), 40000)
		}
	})
	done <- true
}

func dump(name string) {
	f, _ := os.Create(name + ".pprof")
	defer f.Close()
	_ = pprof.Lookup(name).WriteTo(f, 0)
}

func fetch(server, name, query string) {
	answer, err := http.Get(server + "/debug/pprof/" + name + query)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	f, _ := os.Create("http-" + name + ".pprof")
	defer f.Close()
	_, _ = io.Copy(f, answer.Body)
}

// Waits for the network, and in calls of the system.
func wait(url string, done chan bool) {
	for i := 0; i < 20; i++ {
		if answer, err := http.Get(url); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		_ = syscall.Nanosleep(&syscall.Timespec{Nsec: 5000000}, nil)
	}
	done <- true
}

// What a client gets while the program works, and the difference of two allocation profiles.
func endpoints(kinds []string) {
	http.HandleFunc("/slow", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(5 * time.Millisecond)
		_, _ = w.Write([]byte("slow"))
	})
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	done := make(chan bool)
	go work(&Store[string]{data: map[string][]byte{}}, "served", done)
	fetch(server.URL, "profile", "?seconds=1")
	for _, name := range kinds {
		fetch(server.URL, name, "")
	}
	_ = os.Rename("http-allocs.pprof", "http-allocs-whole.pprof")
	go work(&Store[string]{data: map[string][]byte{}}, "served", done)
	fetch(server.URL, "allocs", "?seconds=1")
	<-done
	go work(&Store[string]{data: map[string][]byte{}}, "traced", done)
	go wait(server.URL+"/slow", done)
	fetch(server.URL, "trace", "?seconds=1")
	<-done
	<-done
	<-done
}

func main() {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	runtime.MemProfileRate = 4096
	f, _ := os.Create("cpu.pprof")
	_ = pprof.StartCPUProfile(f)
	s := &Store[string]{data: map[string][]byte{}}
	done := make(chan bool)
	for i := 0; i < 3; i++ {
		go work(s, fmt.Sprint("w", i), done)
	}
	for i := 0; i < 3; i++ {
		<-done
	}
	pprof.StopCPUProfile()
	f.Close()
	kinds := []string{"heap", "allocs", "block", "mutex", "goroutine", "threadcreate"}
	for _, name := range kinds {
		dump(name)
	}
	if len(os.Args) > 1 && os.Args[1] == "http" {
		endpoints(kinds)
	}
}
