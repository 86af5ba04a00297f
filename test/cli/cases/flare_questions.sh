# shellcheck shell=bash
# The questions of a profiler's user interface, on the worked example: 200500 us of CPU in 455 ms.
mkflare --fixture=mini mini
ts mini -e out.db --quiet
ask() {
    printf '== %s\n' "$*"
    ts out.db -q "$@"
}
begin=1567669466207
ask history_samples.sql
ask dashboard.sql
ask dashboard.sql --param session_id=mini
ask dashboard.sql --param session_id=other
ask cpu_ts.sql --param graph_width=4
ask cpu_ts.sql --param graph_width=11 --param thread_ids=132
ask cpu_ts.sql --param start_time=$((begin + 60)) --param 'thread_ids=[131, 132]'
ask cpu_ts.sql --param thread_ids=13
ask cpu_ts.sql --param start_time=$begin --param end_time=$begin
ask hot_methods.sql
ask hot_methods.sql --param from=$((begin + 20))000000 --param to=$((begin + 193))000000
ask thread_flame_graph.sql --param thread=1
ask thread_flame_graph.sql --param thread=1 --param weight=cpu
ask thread_flame_graph.sql --param weight=samples
ask thread_flame_graph.sql --param thread=2
