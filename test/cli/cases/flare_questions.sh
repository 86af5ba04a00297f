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
ask thread_flame_graph.sql --param thread=0
echo '-- methods that call themselves; a sample without a length; CPU time of one sample only'
sqlite3 out.db "DELETE FROM stack_sample; DELETE FROM stack_sample_value; DELETE FROM stack_node;
    DELETE FROM stack_method;
    INSERT INTO stack_method(id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c');
    INSERT INTO stack_node(id, parent_id, method_id, depth)
        VALUES (1, NULL, 1, 0), (2, 1, 2, 1), (3, 2, 1, 2), (4, 3, 3, 3), (5, NULL, 2, 0), (6, 5, 2, 1);
    INSERT INTO stack_sample(id, itid, ts, dur, node_id)
        VALUES (1, 1, 0, 10000000, 4), (2, 1, 0, 5000000, 3), (3, 1, 0, 3000000, 2), (4, 1, 0, 7000000, 6),
        (5, 1, 0, NULL, 5), (6, 1, 0, 9000000, NULL);
    INSERT INTO stack_sample_value VALUES (1, 1, 2000)"
ask hot_methods.sql
ask thread_flame_graph.sql
echo '-- a path of 3000 frames, and the paths above it'
sqlite3 out.db "WITH RECURSIVE n(i) AS (VALUES (6) UNION ALL SELECT i + 1 FROM n WHERE i < 3004)
    INSERT INTO stack_node(id, parent_id, method_id, depth) SELECT i + 1, i, 2 + i % 2, i - 4 FROM n;
    INSERT INTO thread(id, itid, tid, name) VALUES (2, 2, 2, 'deep');
    INSERT INTO stack_sample(id, itid, ts, dur, node_id) SELECT id, 2, 0, 1000000 * (4000 - id), id
        FROM stack_node WHERE id > 6"
ts out.db -q thread_flame_graph.sql --param thread=2 >deep
wc -l <deep
awk -F '[; ]' 'NR > 1 && (NF - 1 != NR + 1 || $NF != 3995 - NR) { print "line " NR " is wrong" }' deep
sed -n 2,4p deep
ask hot_methods.sql --param thread=2
