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
# A source means those in it: the file and the recording in it have the same rows.
for source in 1 2 work.jfr.gz 'work*'; do
    ts jfr.db -q longest_pauses --param source="$source" --quiet | cksum
done
ts heaps.db -q js_class_growth --param file=Snapshot2 --param previous=Snapshot1 --quiet | cmp - <(ts heaps.db -q js_class_growth --param file=2 --param previous=1 --quiet) &&
    echo the same
ts kernel.db -q sched_latency --param pid=thread1000 --quiet | cut -f 1-3
