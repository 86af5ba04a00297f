#!/usr/bin/env bash
# tasks.sh PROGRAM DATA: what engineers of Node.js, Java, Go, OpenHarmony and Linux come to do, each as they would type it after the README and
# --help, and what they must see. The program may be any installed one.
set -euo pipefail
program=$(realpath "$1") data=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0 done=0
trace_streamer() { "$program" "$@"; }
# task WHAT EXIT PATTERN COMMAND...: the command ends with EXIT, and its output, or its messages, has a line that fits PATTERN.
task() {
    local what=$1 exit=$2 pattern=$3 got=0
    shift 3
    "$@" >out 2>&1 </dev/null || got=$?
    done=$((done + 1))
    if [ "$got" != "$exit" ] || ! grep -qE -- "$pattern" out; then
        echo "WRONG: $what: exit $got instead of $exit, or no line with /$pattern/:"
        head -20 out
        bad=1
    fi
}
heap=$data/recording-snapshots.htrace.gz system=$data/recording-system.htrace.gz

# --- Node.js, Chrome
task "convert a heap and see what to ask next" 0 '  ask +trace_streamer heap.db --report$' trace_streamer "$heap" -e heap.db --analyze=default,heap
task "what fills the heap" 0 '^Array	' trace_streamer heap.db -q js_class_histogram --param limit=20
task "what leaks" 0 '^[a-z]' trace_streamer heap.db -q js_leak_suspects
task "what is new between two snapshots" 0 '^Article	6048	24416	18368' trace_streamer diff heap.db --before=Snapshot0 --after=Snapshot1 --by=class --output=tsv
task "fail when the heap grew" 9 'self_size' trace_streamer diff heap.db --before=Snapshot0 --after=Snapshot1 '--fail-if=self_size>+1%'
task "a flame graph of a CPU profile" 0 'read cpuprofile of 1 input' trace_streamer "$data/tiny/profile.cpuprofile" --to=flame -o app.html
task "the flame graph is a page" 0 '<svg|<html' head -c 4000 app.html
task "what takes long in Node.js, and is no call but a thing that lives long" 0 '	Environment	Environment \(asynchronous\)$' trace_streamer "$data/node_trace.1.log.gz" -q slow_calls
task "long tasks of a page" 0 '	ParseHTML	.*	EvaluateScript	' trace_streamer "$data/Trace-page.json.gz" -q chrome_long_tasks

# --- Java, Go, servers
task "convert a Flight Recording" 0 'format +jfr' trace_streamer "$data/work.jfr.gz" -e java.db
task "what burns the CPU" 0 '^RecordJfr.fib	' trace_streamer java.db -q hot_methods --param weight=cpu
task "of one thread" 0 'worker-1' trace_streamer java.db -q 'SELECT name, tid FROM thread ORDER BY tid'
task "the CPU time of one thread as folded stacks" 0 'RecordJfr.fib.* [0-9]+$' trace_streamer java.db --to=folded --thread=worker-1 -o -
task "who allocates" 0 '^RecordJfr.allocate	' trace_streamer java.db -q alloc_hot_methods
task "the longest pause" 0 '	37845428	' trace_streamer java.db -q longest_pauses --param limit=1
task "who waits for which lock" 0 '^contended	worker-1	.*	worker-0	3	31802056' trace_streamer java.db -q lock_waits
task "did the new build get slower" 0 'RecordJfr.fib' trace_streamer diff java.db "$data/work21.jfr.gz" --by=method
task "two recordings in one table" 0 '^java.db	' trace_streamer java.db heap.db -q threads
task "a profile for go tool pprof" 0 'read jfr of 1 input' trace_streamer "$data/work.jfr.gz" --to=pprof -o java.pprof
task "what holds the memory of a Go program" 0 '^main\.' trace_streamer "$data/go-heap.pprof" -q hot_methods --param weight=live

# --- OpenHarmony, Linux
task "a call as the reference has it" 0 'format +htrace' trace_streamer "$system" -e system.db -nt -tn 4
task "why was a frame late" 0 'H:OnVsyncEvent	46.05	blocked	H:DecodePhoto' trace_streamer system.db -q slow_frames
task "how long did the app start" 0 '^com.example.gallery	100005000000	218700000' trace_streamer system.db -q app_starts
task "what native memory leaks" 0 'ImageDecoder::decode	5111808	78' trace_streamer system.db -q native_leaks
task "what the log says went wrong" 0 'server closed the connection' trace_streamer system.db -q log_errors
task "which thread waits for a processor" 0 '^thread1003	thread1005	1005	9' trace_streamer "$data/kernel.htrace.gz" -q sched_latency --quiet

# --- anything
head -c 60000 "$data/work.jfr.gz" >cut.jfr.gz
task "what was lost of a file that is cut off" 3 'exit code 3 because of --strict' trace_streamer cut.jfr.gz -e cut.db --strict
task "where" 0 'data_loss' trace_streamer cut.db -q import_losses
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >pointer.jfr
task "a file that is no recording" 5 'git lfs pull' trace_streamer pointer.jfr -e no.db
task "what does a column mean" 0 '^stack_sample.ts: ' trace_streamer --explain stack_sample.ts
task "a name that was mistyped" 2 'did you mean hot_methods' trace_streamer java.db -q hot_method
task "all recordings of a folder" 0 '^trace_streamer: dbs: 2 converted' bash -c "mkdir -p dbs in && cp '$data/work.jfr.gz' '$data/go-heap.pprof' in && '$program' in --each -o dbs"

[ $bad = 0 ] || exit 1
echo "$done tasks"
