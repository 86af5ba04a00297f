#!/usr/bin/env bash
# demo.sh: from a fresh clone to answers. Installs what is missing to build, builds, converts the recordings in
# test/data and asks them some questions, and says so before each step. Writes to build/ only.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/demo-program.sh
. scripts/demo-program.sh

out=build/demo
mkdir -p $out
for kind in snapshots timeline cpuprofile; do
    title "trace_streamer test/data/recording-$kind.htrace.gz -e $out/$kind.db"
    "$program" "test/data/recording-$kind.htrace.gz" -e "$out/$kind.db" --no-progress 2>&1 |
        grep -E '^ {0,2}[^ ]|^    (js|stack)_' # the other tables are small
done

ask() { # title, database, SQL
    title "$1"
    printf '  %s\n' "$3"
    sqlite3 -header -column "$out/$2.db" "$3"
}

ask "Which heap snapshots are in it?" snapshots \
    "SELECT id AS file_id, file_name, (end_time - start_time) / 1000000 AS ms,
       node_count, edge_count FROM js_heap_files f
       JOIN js_heap_file_detail d ON d.file_id = f.id"
ask "Which classes take the most memory in the first one?" snapshots \
    "SELECT class, count, self_size FROM v_js_class_histogram
       WHERE file_id = 0 ORDER BY self_size DESC LIMIT 10"
ask "What grew from the first snapshot to the last?" snapshots \
    "SELECT b.class, b.count - coalesce(a.count, 0) AS more,
       b.self_size - coalesce(a.self_size, 0) AS bytes
       FROM v_js_class_histogram b
       LEFT JOIN v_js_class_histogram a ON a.class = b.class AND a.file_id = 0
       WHERE b.file_id = 2 ORDER BY bytes DESC LIMIT 8"
ask "Where were the objects of the timeline allocated?" timeline \
    "SELECT function, line, sum(count) AS allocated, sum(size) AS bytes,
       sum(live_count) AS alive, sum(live_size) AS alive_bytes
       FROM v_js_allocation_stack WHERE file_id = 0
       GROUP BY function, script, line ORDER BY bytes DESC LIMIT 8"
ask "Which functions burned the CPU?" cpuprofile \
    "SELECT method, line, self / 1000000 AS self_ms, total / 1000000 AS total_ms
       FROM v_stack_hot_method ORDER BY self DESC LIMIT 8"

title "Which threads waited for a CPU after they were woken?"
echo "  trace_streamer test/data/kernel.htrace.gz -q sched_latency"
"$program" test/data/kernel.htrace.gz -q sched_latency --no-progress 2>/dev/null

title "Now you"
if [ -e "$build/share/trace_streamer/web/index.html" ] && "$program" serve --help >/dev/null 2>&1; then # not in a build without node
    printf '  look at it in a browser    %s\n' "$program serve $out/*.db --open"
fi
cat <<END
  what stands out            $program $out/snapshots.db --report
  ask anything               sqlite3 $out/snapshots.db, or $program --questions
  a slow Java call           docs/tutorial.md
  tables and views           $program --tables, --tables=NAME
  your own recording         $program FILE -e out.db
  files for Chrome DevTools  $program FILE -s -o DIR
  everything else            man ./docs/man/trace_streamer.1
END
