#!/usr/bin/env bash
# npm.sh PROGRAM SOURCE MODULE: the package for npm, made twice with the same bytes, installed without a network in an empty folder, and used: what it
# makes of the bundled recordings is compared with what the program makes. Without the modules (preset wasm) or npm it is skipped.
set -euo pipefail
program=$(realpath "$1") source=$2 module=$3
if [ ! -f "$module/trace_streamer_program.wasm" ] || ! command -v npm >/dev/null; then
    echo "skipped: the modules of the preset wasm, or npm, are missing"
    exit 77
fi
# shellcheck source=scripts/scratch.sh
. "$source/scripts/scratch.sh"
trap 'rm -rf "$TMPDIR"' EXIT
export npm_config_cache=$TMPDIR/cache npm_config_update_notifier=false
bad=0
wrong() {
    echo "WRONG: $*"
    bad=1
}

"$source/scripts/package-npm.sh" -m "$module" -o "$TMPDIR/one" >/dev/null
"$source/scripts/package-npm.sh" -m "$module" -o "$TMPDIR/two" >/dev/null
cmp "$TMPDIR"/one/*.tgz "$TMPDIR"/two/*.tgz || wrong "the package is not the same the second time"
mkdir "$TMPDIR/empty"
cd "$TMPDIR/empty"
echo '{}' >package.json
npm install --offline --no-audit --no-fund "$TMPDIR"/one/*.tgz >/dev/null
node "$source/test/npm/api.mjs" "$program" "$source/test/data" "$source/npm/README.md" || bad=1

# --- the command -------------------------------------------------------------------------------------------------------
mine=$PWD/node_modules/.bin/trace-streamer
data=$source/test/data
"$program" --version >program.version
"$mine" --version >mine.version || wrong "--version: $?"
compared=0
same() { # arguments; OUT in them is a file that is written
    local want=0 got=0
    rm -f out.db out.txt
    "$program" "${@//OUT/out}" >program.out 2>program.err </dev/null || want=$?
    for file in out.db out.txt; do [ ! -f $file ] || mv $file program.$file; done
    "$mine" "${@//OUT/out}" >mine.out 2>mine.err </dev/null || got=$?
    [ $got = $want ] || wrong "$*: $got instead of $want: $(head -3 mine.err)"
    cmp -s program.out mine.out || wrong "$*: other output: $(diff program.out mine.out | head -5)"
    [ "$want" = 0 ] || diff program.err mine.err >/dev/null || wrong "$*: other messages: $(diff program.err mine.err | head -5)"
    for file in out.db out.txt; do
        [ ! -f program.$file ] || cmp program.$file $file || wrong "$*: another $file"
        rm -f program.$file
    done
    compared=$((compared + 1))
}
if cmp -s <(cut -d+ -f1 program.version) <(cut -d+ -f1 mine.version) && ! cmp -s program.version mine.version; then
    echo "the module is of another commit: its databases have another version in meta; -nm leaves it out"
fi
for file in "$data"/*.gz "$data"/*.pprof "$data"/kernel.* "$data"/*.txt "$data"/*.json; do
    same "$file" -e OUT.db -nm --quiet
done
same "$data/recording-snapshots.htrace.gz" -e OUT.db -nm --quiet --index --analyze=default,heap
same "$data/go-cpu.pprof" "$data/work.jfr.gz" -e OUT.db -nm --quiet
same "$data/tiny" -e OUT.db -nm --quiet
same "$data/work.jfr.gz" -q hot_methods --param limit=5 --output csv
same "$data/work.jfr.gz" -q 'SELECT id, kind, name FROM source' --output jsonl
same "$data/go-cpu.pprof" --to=folded -o OUT.txt --quiet
same "$data/recording-snapshots.htrace.gz" --report
same diff "$data/go-cpu.pprof" "$data/go-cpu.pprof"
same nothing.htrace -e OUT.db
same "$source/README.md" -e OUT.db
same --nothing
same "$data/go-cpu.pprof" -q 'SELEC 1'
same --questions
mkdir theirs mine
"$program" "$data/recording-snapshots.htrace.gz" -s -o theirs --quiet
"$mine" "$data/recording-snapshots.htrace.gz" -s -o mine --quiet || wrong "-s: $?"
diff -r theirs mine || wrong "other files of -s"
[ $compared -ge 30 ] || wrong "only $compared compared"

# --- more than 2 GiB ---------------------------------------------------------------------------------------------------
# An archive whose second member begins there; the first one takes no room on the disk.
python3 - "$data/go-heap.pprof" <<'PY'
import sys, tarfile
with open("large.tar", "wb") as f:
    first = tarfile.TarInfo("zeros.bin")
    first.size = 2200 << 20
    f.write(first.tobuf())
    f.seek(f.tell() + first.size)
    with tarfile.open(fileobj=f, mode="w") as rest:
        rest.add(sys.argv[1], "late.pprof")
PY
same large.tar -e OUT.db -nm --quiet
same large.tar -q "SELECT path, bytes FROM source" --output csv
rm -f large.tar
ls "$TMPDIR"/trace_streamer-* 2>/dev/null && wrong "temporary files are left"
"$mine" sample 1 -e x.db >/dev/null 2>&1 && wrong "sample does nothing here"
[ $bad = 0 ] && echo "$compared commands are as those of the program"
exit $bad
