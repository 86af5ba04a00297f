#!/usr/bin/env bash
# demo.sh: from a fresh clone to answers. Installs what is missing to build, builds, converts the recordings in
# test/data and asks them some questions. Writes to build/ only.
set -euo pipefail
cd "$(dirname "$0")/.."

bold=$'\033[1m' plain=$'\033[0m'
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || bold='' plain=''
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

scripts/install-deps.sh --build-only

build=build/demo-release
title "Building ($build)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTS_TESTS=OFF &&
    cmake --build $build; } >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
program=$build/bin/trace_streamer
"$program" --version

out=build/demo
mkdir -p $out
for kind in snapshots timeline cpuprofile; do
    title "trace_streamer test/data/recording-$kind.htrace.gz -e $out/$kind.db"
    "$program" "test/data/recording-$kind.htrace.gz" -e "$out/$kind.db" --quiet
    sqlite3 "$out/$kind.db" "SELECT printf('%d bytes, %d issues', sum(bytes),
        (SELECT count(*) FROM import_issue WHERE severity IN ('data_loss', 'error')))
        FROM source WHERE parent_id IS NULL"
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
    "SELECT f.name, count(*) AS places, sum(n.count) AS allocated, sum(n.size) AS bytes
       FROM js_heap_trace_node n JOIN js_heap_trace_function_info f
       ON f.file_id = n.file_id AND f.function_index = n.function_info_index
       GROUP BY f.name ORDER BY bytes DESC LIMIT 8"
ask "Which functions burned the CPU?" cpuprofile \
    "SELECT * FROM v_stack_hot_method ORDER BY self DESC LIMIT 8"

title "Now you"
cat <<END
  sqlite3 $out/snapshots.db                          ask anything
  $program --tables                tables and views, --tables=NAME for columns
  $program FILE -e out.db          your own recording
  $program FILE -s -o DIR          the snapshots, for Chrome DevTools
  man ./docs/man/trace_streamer.1                    everything else
END
