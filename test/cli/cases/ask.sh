# shellcheck shell=bash
# Parameters that are unknown, left out or times; questions that do not fit what the database holds.
small
ts small.htrace -e heap.db --quiet
"${MKHTRACE%mkhtrace}mkcloud" -o cloud --calls 30 >/dev/null
ts cloud -e cloud.db --quiet
ts "$DATA/recording-cpuprofile.htrace.gz" -e cpu.db --quiet
ts "$DATA/tiny/profile.cpuprofile" -e bare.db --quiet
echo '-- does it fit'
code ts heap.db -q cloud_slow_calls
code ts cloud.db -q cpu_hot_methods
code ts cpu.db -q lock_waits
code ts cloud.db -q js_largest_nodes
code ts heap.db -q js_allocation_stacks
sqlite3 other.db 'CREATE TABLE t(x)'
code ts other.db -q js_largest_nodes
code ts small.htrace -e no.db --quiet -q cpu_hot_methods
[ ! -e no.db ] || fail "published in spite of a question that does not fit"
echo '-- unknown and left out'
code ts missing.htrace -q cloud_slow_calls --param limi=3
code ts missing.htrace -q js_retainers_of_node
code ts missing.htrace -q history_samples --param limit=3
ts heap.db -q 'SELECT :a AS a, @b AS b, :a AS again, ? AS c; SELECT $b AS d' --param b=1
ts heap.db -q 'SELECT :a AS a' --quiet
echo '-- times'
# The calls of a second of the recording, which begins at 1700000000.017 s, in four ways.
begin=$(sqlite3 cloud.db 'SELECT start_ts FROM trace_range')
echo "$begin"
sqlite3 -separator $'\t' cloud.db "SELECT id, ts, dur FROM cloud_call WHERE ts >= $begin + 2500000000 AND ts < $begin + 9000000000
    ORDER BY dur DESC, id LIMIT 20" >want
[ -s want ] || fail "no calls"
calls() { ts cloud.db -q cloud_slow_calls --param from="$1" --param to="$2" | tail -n +2 | cut -f 1-3 | cmp - want || fail "$1 $2"; }
calls $((begin + 2500000000)) $((begin + 9000000000))
calls +2.5s +9s
calls +2500ms +0.15m
calls 2023-11-14T22:13:22.517Z +9
calls 2023-11-14T23:13:22.517+01:00 '2023-11-14 22:13:29.017'
# The bundled recording counts from the boot of its machine; its clocks are known together.
sqlite3 cpu.db "SELECT 1577836800000000000 + b.ts - r.ts FROM clock_snapshot AS b, clock_snapshot AS r
    WHERE b.clock_name = 'boottime' AND r.clock_name = 'realtime'" >want
ts cpu.db -q 'SELECT :at AS at, typeof(:at)' --param at=2020-01-01 | tail -1 | cut -f 1 | cmp - want || fail "clock"
ts cpu.db -q 'SELECT :x AS x, :from AS a, :to AS b, typeof(:to) AS c' --param x=+1s --param from=+1us --param to=later
sqlite3 cpu.db 'SELECT start_ts + 1000 FROM trace_range'
code ts bare.db -q cpu_hot_methods --param from=2020-01-01
code ts bare.db -q cpu_hot_methods --param from=soon
code ts bare.db -q cpu_hot_methods --param from=+1d
code ts bare.db -q cpu_hot_methods --param from=2020-02-30
code ts bare.db -q cpu_hot_methods --param from=+9223372036s --param to=9223372036854775807
code ts bare.db -q cpu_hot_methods --param from=+99999999999s
ts bare.db -q cpu_hot_methods --param to=+300us --param limit=2
