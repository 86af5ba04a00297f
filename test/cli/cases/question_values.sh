# shellcheck shell=bash
# Values of parameters: of another kind, of rows that are not there, and names where ids are documented.
ts "$DATA/work.jfr.gz" -e jfr.db --quiet
ts "$DATA/recording-snapshots.htrace.gz" -e heaps.db --quiet
ts "$DATA/recording-cloud.tar.gz" -e cloud.db --quiet
ts "$DATA/kernel.htrace.gz" -e kernel.db --quiet
wrong() {
    printf '%s\n' "$*" >&2
    code ts "$@" --quiet
}
wrong jfr.db -q longest_pauses --param source=wrk
wrong jfr.db -q longest_pauses --param limit=x
wrong jfr.db -q longest_pauses --param limit=-3
wrong jfr.db -q longest_pauses --param from=soon
wrong jfr.db -q lock_waits --param kind=parkk
wrong heaps.db -q js_node_edges --param node=99999999
wrong heaps.db -q js_node_edges --param file=7
wrong heaps.db -q js_class_growth --param previous=Snapshot9
wrong cloud.db -q cloud_call_tree --param call=9999
wrong cloud.db -q slow_calls --param weight=or
wrong kernel.db -q critical_path --param slice=999999
wrong kernel.db -q sched_latency --param pid=tread1000
ts heaps.db --analyze=heap -e analysed.db --quiet
ts "$DATA/go-cpu.pprof" -e go.db --quiet
wrong analysed.db -q js_largest_retained --param type=objct
wrong analysed.db -q js_largest_retained --param file=Snapshot1 --param constructor=Aritcle
wrong analysed.db -q js_new_nodes --param file=2 --param constructor=Articles
wrong analysed.db -q js_deleted_nodes --param file=2 --param constructor=articl
wrong analysed.db -q js_freed_by_class --param constructor=NoSuchClassAtAll
wrong jfr.db -q hot_methods --param weight=alloc_spac
wrong jfr.db -q hot_methods --param event=aloc
wrong jfr.db -q cpu_hot_methods --param event=call
wrong jfr.db -q flame_graph --param event=sleeping
wrong go.db -q folded_stacks --param weight=sample
wrong go.db -q flame_graph --param weight=nanoseconds
wrong jfr.db -q thread_flame_graph --param weight=ms
ts go.db -q hot_methods --param weight=cpu --param event=call --param limit=1 --quiet >/dev/null || fail "words that are always there"
ts analysed.db -q js_largest_retained --param type=object --param constructor=Article --param limit=1 --quiet | cut -f 2,4
ts analysed.db -q js_node_edges --param file=Snapshot1 --param node=1 --quiet | cmp - <(ts analysed.db -q js_node_edges --param file=1 --param node=1 --quiet) && echo the same
# A source means those in it: the file and the recording in it have the same rows.
for source in 1 2 work.jfr.gz 'work*'; do
    ts jfr.db -q longest_pauses --param source="$source" --quiet | cksum
done
ts heaps.db -q js_class_growth --param file=Snapshot2 --param previous=Snapshot1 --quiet | cmp - <(ts heaps.db -q js_class_growth --param file=2 --param previous=1 --quiet) &&
    echo the same
ts kernel.db -q sched_latency --param pid=thread1000 --quiet | cut -f 1-3
