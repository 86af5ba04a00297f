#!/usr/bin/env bash
# same_bytes.sh PROGRAM CONVERT SOURCE: the database of the library is that of the program, for each bundled
# recording, given as a path and fed in pieces of 1 (small ones), 97 and 4 Mi bytes; with indexes; for several inputs.
set -euo pipefail
# shellcheck source=scripts/scratch.sh
. "$3/scripts/scratch.sh"
program=$1 convert=$2 data=$3/test/data
cd "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
compared=0
compare() { # flags of the library, options of the program, inputs
    local flags=$1 options=$2 pieces=(0 97 4194304) piece want=0 got
    shift 2
    [ "$(cat "$@" | wc -c)" -gt 100000 ] || pieces+=(1)
    # shellcheck disable=SC2086
    "$program" "$@" -e program.db --quiet --force $options 2>/dev/null || want=$?
    for piece in "${pieces[@]}"; do
        got=0
        rm -f library.db
        "$convert" library.db "$piece" "$flags" "$@" 2>message || got=$?
        if [ $got != $want ] || { [ $want = 0 ] && ! cmp program.db library.db; }; then
            echo "$* in pieces of $piece: code $got of the library, $want of the program: $(cat message)"
            exit 1
        fi
        compared=$((compared + 1))
    done
}
for file in "$data"/*; do
    [ -d "$file" ] || compare 0 "" "$file"
done
compare 1 --index "$data/recording-snapshots.htrace.gz"
compare 8 --compat "$data/kernel.sys"
compare 64 --threads=1 "$data/recording-timeline.htrace.gz"
compare 0 "" "$data/go-cpu.pprof" "$data/kernel.ftrace" "$data/work.jfr.gz"
head -c 30000 "$data/work21.jfr.gz" >cut.jfr.gz
gzip -dc "$data/recording-snapshots.htrace.gz" >whole.htrace
head -c 100001 whole.htrace >cut.htrace
: >empty
printf 'no recording\n' >letter
tar -cf several.tar -C "$data" go-cpu.pprof sessions.heapprofile
for file in cut.jfr.gz cut.htrace whole.htrace several.tar empty letter; do
    compare 0 "" "$file"
done
[ $compared -ge 90 ] || { echo "only $compared compared" && exit 1; }
echo "$compared databases are the same"
