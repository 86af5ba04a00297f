#!/usr/bin/env bash
# same_diff.sh PROGRAM DIFF SOURCE: what tst_diff finds is what `diff --output=csv` of the program prints, columns and
# values of all rows, for each pair of recordings and databases by each comparison; where one fails the other does, too.
set -euo pipefail
# shellcheck source=scripts/scratch.sh
. "$3/scripts/scratch.sh"
program=$1 library=$2 source=$3 data=$3/test/data
cd "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
mapfile -t all < <(find "$source/share/sql/diff" -name '*.sql' -exec basename {} .sql \;)
[ ${#all[@]} -ge 7 ] || { echo "only ${#all[@]} comparisons" && exit 1; }
found=0 failed=0 rows=0
one() { # BEFORE ("same" as AFTER, or "none"), AFTER, BY ("": what fits), NAME=VALUE...
    local before=$1 after=$2 by=$3 want=0 got=0 options=() param
    shift 3
    for param; do
        options+=("--$param")
    done
    [[ $* == *limit=* ]] || options+=(--limit=0)
    [ -z "$by" ] || options+=("--by=$by")
    case $before in
    same) options=("$after" "${options[@]}") ;;
    none) options=("$after" --before=none "${options[@]}") ;;
    *) options=("$before" "$after" "${options[@]}") ;;
    esac
    "$program" diff "${options[@]}" --output=csv --quiet >program.csv 2>program.err || want=$?
    "$library" "$before" "$after" "$by" "$@" >library.csv 2>library.err || got=$?
    if [ $want != $got ] || ! cmp program.csv library.csv; then
        echo "$before $after --by=$by $*: code $got of the library, $want of the program: $(cat library.err program.err)"
        exit 1
    fi
    if [ $want = 0 ]; then
        found=$((found + 1)) rows=$((rows + $(wc -l <program.csv)))
    else
        failed=$((failed + 1))
    fi
}
each() { # the same by all comparisons, and by what fits
    local by before=$1 after=$2
    shift 2
    for by in "${all[@]}" ""; do
        one "$before" "$after" "$by" "$@"
    done
}
"$program" "$data/work.jfr.gz" -e work.db --quiet
"$program" "$data/work21.jfr.gz" -e work21.db --quiet
"$program" "$data/recording-snapshots.htrace.gz" -e snapshots.db --quiet
"$program" "$data/recording-snapshots.htrace.gz" -e analysed.db --analyze=heap --quiet
"$program" "$data/recording-cloud.tar.gz" -e cloud.db --quiet
"$program" "$data/recording-system.htrace.gz" -e system.db --quiet
gzip -dc "$data/go-cpu.pprof" >variant.pprof
printf '\022\010\012\001\001\022\003\001\300\055' >>variant.pprof # one more sample, of 5824 ns
one same "$data/recording-snapshots.htrace.gz" ""
one same "$data/recording-snapshots.htrace.gz" node before=Snapshot0 after=Snapshot1
each same snapshots.db before=Snapshot0 after=Snapshot1
each snapshots.db analysed.db before=Snapshot2
one analysed.db analysed.db ""
one analysed.db analysed.db method
one none analysed.db node
one "$data/recording-timeline.htrace.gz" snapshots.db ""
each "$data/go-cpu.pprof" variant.pprof
each "$data/go-heap.pprof" "$data/node-heap.pprof"
each work.db work21.db
one work.db "$data/work21.jfr.gz" "" thread='main*'
each work21.db work.db from=+100ms until=+2s
each cloud.db work.db
each none cloud.db
each "$data/counters.trace.json" system.db
each none system.db
one work.db work21.db method weight=samples
one work.db work21.db method event=wall
one work.db work21.db pause event=wall
one "$data/go-heap.pprof" "$data/node-heap.pprof" method weight=alloc_space
one same snapshots.db class weight=deleted_count limit=3
one same snapshots.db class limit=-1
one work.db work21.db none
echo "$found comparisons with $rows rows are the same, $failed fail alike"
[ $found -ge 30 ] && [ $failed -ge 40 ] && [ $rows -ge 10000 ]
