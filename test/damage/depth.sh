#!/usr/bin/env bash
# Depth in every nested place, with a stack of 256 KiB: nothing may recurse over the input. (Sanitizers need more stack
# themselves; with them the depth is smaller and the stack as it is.) TS_SLOW=1: ten million levels everywhere, and more
# nodes than 24 bits count.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
deep=9000000 # below the limit of 10^7 levels, with those around it
chain=300000
wide=3000000
if [ "${TS_SLOW:-0}" = 1 ]; then
    chain=3000000
    wide=10000000
fi
many=100001
if [ "${TS_SLOW:-0}" = 1 ] && [ $sanitized = 0 ]; then
    many=16777217 # 2^24 + 1
fi
if [ $sanitized = 1 ]; then
    deep=300000 chain=30000 wide=300000
else
    ulimit -s 256
fi
# run CODE KIND N SQL WANTED
run() {
    local code=0
    rm -f out.db
    python3 "$HERE/deep.py" "$2" "$3" >input
    timeout 120 "$PROGRAM" input -e out.db --quiet --strict 2>err || code=$?
    [ "$code" = "$1" ] || wrong "$2 $3: exit code $code instead of $1: $(cat err)"
    [ $# -lt 5 ] || answer out.db "$4" "$5" "$2 $3"
}
lost="SELECT (SELECT count(*) FROM js_heap_nodes), (SELECT sum(count) FROM import_issue WHERE code = 'heap_bad_number')"
for kind in arrays objects mixed; do
    n=$deep
    [ $kind = arrays ] || n=$((deep / 3))
    run 3 $kind $n "$lost" $'2\t1'
done
run 3 no_end $deep "SELECT count(*) FROM import_issue WHERE code = 'snapshot_incomplete'" 1
run 0 tree $((deep / 3)) "SELECT count(*), max(parent_id) FROM js_heap_trace_node" $((deep / 3))$'\t1'
run 0 wide $wide "SELECT count(*) FROM js_heap_trace_node" $((wide + 1))
run 0 nodes $many "SELECT count(*), min(id), max(id), sum(self_size), (SELECT count(*) FROM import_issue
    WHERE severity <> 'info') FROM js_heap_nodes" "$many"$'\t1\t'$((2 * many - 1))$'\t'"$many"$'\t0'
nodes="SELECT count(*), max(depth) FROM stack_node"
for kind in children parents; do
    run 0 $kind $chain "$nodes" $chain$'\t'$((chain - 1))
done
run 0 reversed $chain "$nodes" $chain$'\t'$((chain - 1))
# One level too many is reported, with its place; what stands before it is kept.
if [ $sanitized = 0 ]; then
    run 3 no_end 10000001 "SELECT count(*) FROM import_issue WHERE message LIKE 'nested too deep at byte %'" 1
fi
verdict
