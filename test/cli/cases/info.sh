# shellcheck shell=bash
# QD-2: -i prints and exits with 0, also as the last argument; QD-9: so does --list.
ts -i >info || fail -i
ts small.htrace -i | cmp - info || fail "-i as the last argument"
ts --info | cmp - info || fail --info
for word in formats: htrace arkts-plugin import_count js_heap_nodes v_js_class_histogram; do
    grep -q -- "$word" info || fail "-i lacks $word"
done
ts --list >list || fail --list
for word in formats: htrace heapsnapshot cpuprofile gzip zip tar; do
    grep -q -- "$word" list || fail "--list lacks $word"
done
ts --format=list >formats || fail --format=list
sed -n '/^[^ ]/s/ .*//p' formats
grep -q '^    perf.data (Linux perf' formats || fail "--format=list names no files that are not read"
ts --tables >tables || fail --tables
grep -q '^js_heap_nodes ' tables || fail "--tables lacks js_heap_nodes"
ts --tables=js_heap_nodes >columns || fail --tables=js_heap_nodes
for word in file_id node_index self_size detachedness; do
    grep -q "$word" columns || fail "js_heap_nodes lacks $word"
done
ts --tables=v_js_node >columns || fail --tables=v_js_node
grep -q '^  self_size  *INTEGER \[bytes\] ' columns || fail "v_js_node lacks self_size"
code ts --tables=no_such_table
