// Writes small profiles of itself: cpu.pprof heap.pprof block.pprof mutex.pprof goroutine.pprof
package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
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
	for _, name := range []string{"heap", "allocs", "block", "mutex", "goroutine"} {
		dump(name)
	}
	_ = gzip.NewWriter
}
