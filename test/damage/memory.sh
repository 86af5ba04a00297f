#!/usr/bin/env bash
# Memory as docs/performance.md and SECURITY.md promise it, for inputs that are made to break that: the largest resident size
# of one conversion, and of questions. MiB allowed: 33, and what the second column says.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
# The resident size in KiB of a command, in $kib; its exit code in $code.
peak() {
    code=0
    python3 -c 'import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
open("rss", "w").write("%d\n" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)' "$@" >out 2>err </dev/null || code=$?
    kib=$(tail -n 1 rss)
}
# bound SHAPE N BYTES: what an input with N of SHAPE takes is at most 33 MiB and BYTES.
bound() {
    local most
    most=$((33 * 1024 + $3 / 1024))
    python3 "$HERE/memory.py" "$1" "$2" >input
    peak "$PROGRAM" input -e out.db --quiet
    [ $code = 0 ] || wrong "$1: exit code $code: $(cat err)"
    [ "$kib" -le $most ] || wrong "$1 $2: $kib KiB, allowed $most"
    printf '%-20s %9d  KiB %7d of %7d\n' "$1" "$2" "$kib" "$most"
    rm -f out.db input
}
m=400000
[ "${TS_SLOW:-0}" = 0 ] || m=1000000
bound string 60000000 0
bound string_escaped 60000000 0
bound string_object 60000000 0
bound string_chunks 60000000 0
bound strings $m 0
bound strings_first $m 0
bound nodes $m $((16 * m))
bound nodes_spread $m $((16 * m))
bound nodes_one_pass $m $((16 * m))
bound nodes_large_counts $m $((16 * m))
bound classes $m $((16 * m))
bound edges_first $m 0
bound locations $m 0
bound tree_wide $m 0
bound members 50000 0
bound trailing 60000000 0
bound cpu_samples $m $((80 * m))
bound hilog_lines $m 0
bound ftrace_back $m $((70 << 20)) # the queue
bound ftrace_names $m $(((70 << 20) + 120 * m))
bound ftrace_symbols $m $((200 * m))
bound ftrace_threads $((m / 4)) $((m * 425)) # each a process, two threads and an open slice
bound process_samples $m 8388608
bound diskio_samples $m $((112 * m))
bound network_samples $m $((80 * m))
bound hidump_events $m $((48 * m))
bound stream_messages $m 0
bound memory_counters $((m / 4)) $((m * 175))
bound memory_maps $((m / 4)) $((m * 175))
bound native_hook_blocks $m $((150 * m)) # half of them in use at one time, each with a stack
bound native_hook_maps $m $((30 * m))
bound native_hook_stacks $m $((140 * m))
bound native_hook_addresses $m $((240 * m))
bound native_hook_sums $m $((70 * m))
bound xpower_lists $((m / 4)) 0
bound hisysevent_members 160000 $((40 << 20))
bound hisysevent_keys $((m / 4)) $((m * 60))
bound xpower_reports $((m / 4)) $((m * 8))
bound ebpf_events $m 0
bound ebpf_stacks $((m / 4)) $((m * 60)) # each a stack, a map and three nodes
bound ebpf_paths $m 0
bound samples $m $((16 * m))
bound samples_back $m $((16 * m))
bound names_long 600 0
bound name_longest 60000000 0
bound title 60000000 0
bound profile_nodes 200000 $((200000 * 128))
bound children $m $((16 * m))
bound properties 100000 0
bound heap_profile $((m / 4)) $((m * 44))
bound heap_profile_open $((m / 8)) $((m * 32))
bound chrome_spans $m $((28 << 20)) # two sorters
bound chrome_pairs $((m / 2)) $((28 << 20))
bound chrome_open $((m / 4)) $((m * 48))
bound chrome_args 80000000 0
bound snapshots 20000 $((20000 * 2048))
bound profiles 20000 $((20000 * 2048))
bound plugins 100000 0
bound segment 60000000 0
bound issues 100000 0
bound marks 100000 0
bound archive_names 90000 $((90000 * (3 * 600 + 256)))
bound configurations 100000 $((100000 * 128))

# Questions: --max-memory is for SQLite as well.
small input
"$PROGRAM" input -e small.db --quiet
rows="WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 200000)"
# question SQL EXIT: within 40 MiB and the program itself.
question() {
    echo "$1" >question.sql
    peak "$PROGRAM" small.db -q question.sql --max-memory=40M
    [ $code = "$2" ] || wrong "$1: exit code $code instead of $2: $(cat err)"
    [ "$kib" -le $((60 * 1024)) ] || wrong "$1: $kib KiB"
    [ "$2" = 0 ] || grep -q -e '--max-memory' err || wrong "$1: $(cat err)"
}
question "SELECT length(hex(zeroblob(100000000)))" 6
question "SELECT printf('%0400000000d', 1) = ''" 6
question "$rows SELECT length(group_concat(printf('%0500d', i))) FROM c" 6
question "$rows SELECT max(x) FROM (SELECT printf('%0500d', i) AS x FROM c ORDER BY random())" 0
question "$rows SELECT count(*) FROM (SELECT DISTINCT printf('%0500d', i) FROM c)" 0
question "$rows SELECT printf('%0500d', i) FROM c" 0
verdict
