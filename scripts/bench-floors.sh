#!/usr/bin/env bash
# bench-floors.sh PROGRAM BUILD DIR RUNS [NAME...]: for each format that has a goal for its speed (or those that are named) what a
# conversion cannot be without: its input read and taken apart, its rows written again from another database. Seconds of user time
# with one thread, the least of RUNS runs in turn; docs/performance.md says what they mean. Called by bench.sh floors.
set -euo pipefail
program=$1 build=$2 dir=$3/floors runs=$4
shift 4
wanted=("$@")
bench=$build/test/bench
# shellcheck source=scripts/bench-inputs.sh
. scripts/bench-inputs.sh

# The bundled recording of JDK 21, many times: a recording may have any number of chunks.
repeat_jfr() { # times
    local i recipe
    recipe="$1 $(cksum <test/data/work21.jfr.gz)"
    if [ "$(cat "$dir/jfr.recipe" 2>/dev/null)" != "$recipe" ]; then
        gzip -dc test/data/work21.jfr.gz >"$work/one"
        for ((i = 0; i < $1; i++)); do cat "$work/one"; done >"$dir/jfr"
        printf '%s\n' "$recipe" >"$dir/jfr.recipe"
    fi
}

names=(pprof pprof-same chrome kernel kernel-text tptp cloud jfr jfr-dense)
# Makes the input, and sets the form that bench_floors reads it in, the goal (MB/s, or seconds: what is not a goal is empty) and what
# is read apart: the file itself, or the stream of events among several files.
input() {
    local name=$1
    speed='' seconds='' apart=("$dir/$1")
    case $name in
    pprof)
        form=pprof speed=250
        make_input "$name" mkprofile -o OUT --samples 1000000 --functions 5000 --stacks 1000000 --depth 60
        ;;
    pprof-same) # as many bytes and samples, a fiftieth of the stacks
        form=pprof speed=250
        make_input "$name" mkprofile -o OUT --samples 1000000 --functions 5000 --stacks 20000 --depth 60
        ;;
    chrome)
        form=json speed=400
        make_input "$name" mkchrometrace -o OUT --bytes 100000000
        ;;
    kernel)
        form=htrace seconds=0.25
        make_input "$name" mkhtrace -o OUT --ftrace events=1000000
        ;;
    kernel-text)
        form=lines seconds=0.35
        make_input "$name" mkhtrace -o OUT --emit ftrace --synthetic-ftrace events=1000000
        ;;
    tptp)
        form=tptp speed=350
        make_input "$name" mktptp -o OUT --form binary --calls 500000 --objects 0 --names ascii
        ;;
    cloud) # 2.0 s for a million calls
        form=cloud seconds=0.40
        make_input "$name" mkcloud -o OUT --container agent --plain --callees 3 --calls 200000
        readarray -t apart < <(find "$dir/cloud" -path '*/trace/*' -type f | sort)
        ;;
    jfr)
        form=jfr speed=350
        repeat_jfr 400
        ;;
    jfr-dense)
        form=jfr speed=150
        make_input "$name" mkjfr -o OUT --chunks 8 --events 200000
        ;;
    *) echo "no input is called $name" >&2 && exit 2 ;;
    esac
}

# A line of `wall user system KiB` is added to $work/NAME; what the command prints is in $work/NAME.out.
measure() { # name, command...
    local name=$1
    shift
    "$bench/bench_measure" "$work/$name" "$@" >"$work/$name.out" 2>"$work/log"
}

# user seconds, the least of all runs
least() { sort -g -k 2,2 "$work/$1" | awk 'NR == 1 { print $2 }'; }

one() { # name
    local name=$1 i bytes rows copied
    input "$name"
    bytes=$(find "$dir/$name" -type f -exec cat {} + | wc -c)
    for ((i = 0; i <= runs; i++)); do
        rm -f "$work"/*.db
        measure plain "$program" "$dir/$name" -e "$work/rows.db" --quiet --threads=1 --analyze=none
        rm -f "$work/rows.db"
        measure whole "$program" "$dir/$name" -e "$work/rows.db" --quiet --threads=1
        measure dropping "$program" "$dir/$name" --json --threads=1
        measure apart "$bench/bench_floors" read "$form" "${apart[@]}"
        measure scan "$bench/bench_floors" scan "$work/rows.db"
        measure copy "$bench/bench_floors" copy "$work/rows.db" "$work/copy.db"
        measure each "$bench/bench_floors" each "$work/rows.db" "$work/each.db"
        measure late "$bench/bench_floors" late "$work/rows.db" "$work/late.db"
        [ "$i" -gt 0 ] || rm -f "$work"/{whole,plain,dropping,apart,scan,copy,each,late} # the files are in memory now
    done
    rows=$(cat "$work/copy.out")
    copied=$(awk -v a="$(wc -c <"$work/copy.db")" -v l="$(wc -c <"$work/late.db")" -v b="$(wc -c <"$work/rows.db")" \
        'BEGIN { printf "%.2f %.2f", a / b, l / b }')
    awk -v name="$name" -v mb="$(awk -v b="$bytes" 'BEGIN { print b / 1e6 }')" -v rows="$rows" -v speed="$speed" -v seconds="$seconds" \
        -v whole="$(least whole)" -v dropping="$(least dropping)" -v apart="$(least apart)" -v scan="$(least scan)" \
        -v copy="$(least copy)" -v each="$(least each)" -v late="$(least late)" -v plain="$(least plain)" -v copied="$copied" 'BEGIN {
        goal = seconds != "" ? seconds + 0 : mb / speed
        written = (copy < each ? copy : each) - scan
        later = late > each ? late - each : 0
        written = written > 0 ? written : 0
        bottom = apart + written
        analyses = whole > plain ? whole - plain : 0
        verdict = whole <= goal ? "reached" : bottom > goal ? "cannot be reached" : \
            sprintf("not reached: %.2f s are left for what takes %.2f", goal - bottom, whole - bottom)
        printf "%-12s %5.0f %6.2f %6.2f %6.2f %6.2f %7.2f %7.2f %6.2f %6.2f %7.2f %7.2f %8.2f %6.2f  %s  %s\n", name, mb, rows / 1e6,
            goal, whole, apart, copy - scan, each - scan, later, bottom, dropping, dropping - apart, analyses,
            whole - dropping - written - analyses, copied, verdict }'
    rm -f "$work"/{whole,plain,dropping,apart,scan,copy,each,late} "$work"/*.db
}

# written, by one, late: rows in one call for many, in one for each, and what it costs when some of their integers come after the row;
# dropped: a conversion that keeps no rows; rest: the whole less dropped, written and analyses. Sizes are parts of the database's: written
# by many, and late.
printf '%s processors, least of %s runs, load %s; seconds of user time, one thread\n' "$(nproc)" "$runs" \
    "$(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null || echo '?')"
printf '%-12s %5s %6s %6s %6s %6s %7s %7s %6s %6s %7s %7s %8s %6s  %s\n' '' MB 'M rows' goal whole apart written 'by one' late floor \
    dropped parser analyses rest 'sizes of copies'
for name in "${wanted[@]:-${names[@]}}"; do
    one "$name"
done
printf 'load %s at the end\n' "$(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null || echo '?')"

# Bytes of samples of CPU profiles, in rows that have less and less in them: random call paths, and a recorded program.
if [ ${#wanted[@]} -eq 0 ]; then
    make_input cpuprofile mkhtrace -o OUT --config pid=1,type=none,cpu=1 --profile synth:nodes=20000,samples=2500000,depth=40
    for file in "$dir/cpuprofile" test/data/recording-cpuprofile.htrace.gz; do
        "$program" "$file" -e "$work/rows.db" --quiet --force
        samples=$("$program" "$work/rows.db" -q 'SELECT count(*) FROM stack_sample' --quiet | tail -n 1)
        # a library of SQLite need not have dbstat
        written=$("$program" "$work/rows.db" --quiet 2>"$work/log" -q "SELECT sum(pgsize) FROM dbstat
            WHERE name IN ('stack_sample_row', 'stack_sample_block')" | tail -n 1) || written=
        printf '\n%s: %s samples, %s bytes each in their tables\n' "$(basename "$file")" "$samples" \
            "$(awk -v b="$written" -v n="$samples" 'BEGIN { if (b > 0) printf "%.1f", b / n; else printf "?" }')"
        "$bench/bench_floors" samples "$work/rows.db" "$work"
    done
fi
