#!/usr/bin/env bash
# bench-serve.sh [DIR]: how long `trace_streamer serve` takes on large databases, beside the limits that it is to keep; exit code 1 when
# one is not kept. Needs the preset release-tests, chromium, node, npm, python3 and sqlite3, and 5 GB in DIR (${TMPDIR:-/var/tmp}/trace_streamer-serve), where the
# databases stay for the next run. TS_RUNS: runs of each figure, of which medians are printed (5). The numbers are those of docs/serve.md.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-${TMPDIR:-/var/tmp}/trace_streamer-serve}
build=build/release
ts=$build/bin/trace_streamer
mkdir -p "$dir"

make_database() { # name, program of build/tools, its arguments...
    local name=$1 tool=$2
    shift 2
    [ -f "$dir/$name.db" ] && return
    rm -rf "$dir/made"
    "$build/tools/$tool" -o "$dir/made" "$@" >/dev/null
    "$ts" "$dir/made" -e "$dir/$name.db" --quiet
    rm -rf "$dir/made"
}
make_database prof1m mkhtrace --emit cpuprofile --synthetic-profile nodes=20000,samples=1000000,depth=40
make_database prof10m mkhtrace --emit cpuprofile --synthetic-profile nodes=100000,samples=10000000,depth=40
make_database snap200 mkhtrace --emit heapsnapshot --synthetic nodes=1862000,edges=7468000,strings=558000
make_database snap2 mkhtrace --config pid=7,type=snapshot --snapshot synth:nodes=931000,edges=3734000,strings=279000 --snapshot synth:nodes=931000,edges=3734000,strings=279000,seed=2
make_database calls mkcloud --container agent --calls 300000
make_database tree mkcloud --container agent --calls 300 --frames 3000
if [ ! -f "$dir/node.db" ]; then
    node -e 'require("v8").writeHeapSnapshot(process.argv[1])' "$dir/made.heapsnapshot" >/dev/null
    "$ts" "$dir/made.heapsnapshot" -e "$dir/node.db" --quiet
    rm -f "$dir/made.heapsnapshot"
fi

if [ ! -f "$dir/system.db" ]; then # 10 M rows of the scheduler, and as many slices of them again that there are 5 M
    "$build/tools/mkhtrace" -o "$dir/made.htrace" --ftrace events=9300000,cpus=8,processes=100,threads=20,depth=8,names=200 >/dev/null
    "$ts" "$dir/made.htrace" -e "$dir/made.db" --quiet
    sqlite3 "$dir/made.db" >/dev/null <<'SQL'
PRAGMA journal_mode = OFF;
CREATE TEMP TABLE made AS SELECT count(*) AS n FROM callstack;
CREATE TEMP TABLE copy AS SELECT 1 AS k UNION ALL SELECT 2 UNION ALL SELECT 3;
INSERT INTO callstack(id, ts, dur, callid, name, depth, cookie, parent_id) SELECT c.id + k * n, ts, dur, (callid + 650 * k) % 2000 + 1, name, depth, cookie, parent_id + k * n
FROM copy CROSS JOIN made CROSS JOIN callstack AS c WHERE c.rowid <= n AND c.id + k * n < 5000000;
SQL
    rm -f "$dir/made.htrace"
    mv "$dir/made.db" "$dir/system.db"
fi

packages=$(node web/packages.mjs)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -R web "$scratch/web"
rm -rf "$scratch/web/node_modules"
ln -s "$packages" "$scratch/web/node_modules"
failed=0
node "$scratch/web/test/browser/limits.mjs" "$ts" "$build/web/page" "$dir" || failed=1
python3 test/serve/flare_server.py --program "$ts" --mkflare "$build/tools/mkflare" --limits || failed=1
exit "$failed"
