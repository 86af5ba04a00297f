#!/usr/bin/env bash
# bench-ftrace.sh PROGRAM TOOLS BENCH DIR RUNS: events of the kernel, as messages and as text, with one thread and as it is by
# default: medians, rows of each table in a second of wall time, and the share of sorting (where perf is there). Called by bench.sh.
set -euo pipefail
[ $# -eq 5 ] || {
    sed -n '2,3s/^# //p' "$0" >&2
    exit 2
}
program=$1 tools=$2 bench=$3 dir=$4 runs=$5
events=3000000
work=$(mktemp -d "$dir/ftrace.XXXXXX")
trap 'rm -rf "$work"' EXIT

make() { # file, options
    local recipe
    recipe="$events $(cksum <"$tools/mkhtrace")"
    if [ ! -f "$dir/$1" ] || [ "$(cat "$dir/$1.recipe" 2>/dev/null)" != "$recipe" ]; then
        "$tools/mkhtrace" -o "$dir/$1" "${@:2}"
        printf '%s\n' "$recipe" >"$dir/$1.recipe"
    fi
}
make ftrace.htrace --ftrace "events=$events"
make ftrace.txt --emit ftrace --synthetic-ftrace "events=$events"

median() { # measurements, column
    sort -n -k "$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

printf '%-16s %8s %8s %8s %8s %10s %10s\n' '' threads wall CPU MB/s 'Mevents/s' 'by CPU'
for input in txt htrace; do
    for threads in 1 auto; do
        option=()
        [ "$threads" = auto ] || option=(--threads="$threads")
        for ((i = 0; i <= runs; i++)); do
            rm -f "$work/out.db"
            "$bench/bench_measure" "$work/$input.$threads.$((i > 0))" "$program" "$dir/ftrace.$input" -e "$work/out.db" --quiet ${option[@]+"${option[@]}"}
        done
        awk '{ print $1, $2 + $3 }' "$work/$input.$threads.1" >"$work/sums"
        awk -v input="$input" -v threads="$threads" -v wall="$(median "$work/sums" 1)" -v cpu="$(median "$work/sums" 2)" -v n="$events" \
            -v bytes="$(wc -c <"$dir/ftrace.$input")" 'BEGIN {
            printf "%-16s %8s %8.2f %8.2f %8.0f %10.2f %10.2f\n", input, threads, wall, cpu, bytes / 1e6 / wall, n / 1e6 / wall, n / 1e6 / cpu }'
    done
done

printf '\nrows in a second of wall time (messages, by default, %s s)\n' "$(median "$work/sums" 1)"
for table in thread_state sched_slice raw callstack instant measure process_measure irq; do
    rows=$("$program" "$work/out.db" -q "SELECT count(*) FROM $table" --quiet | tail -n 1)
    awk -v table="$table" -v rows="$rows" -v wall="$(median "$work/sums" 1)" 'BEGIN { printf "%-16s %8d rows %10.0f rows/s\n", table, rows, rows / wall }'
done

if command -v perf >/dev/null && perf record -o "$work/perf" "$program" "$dir/ftrace.htrace" -e "$work/perf.db" --quiet --threads=1 >/dev/null 2>&1; then
    printf '\nshare of CPU time with one thread (messages)\n'
    perf report -i "$work/perf" --no-children --sort symbol --stdio 2>/dev/null | awk '
        /^ *[0-9.]+%/ {
            share = $1 + 0; name = $3
            part = name ~ /sort|^spill|queue_drain|step_la|rowlog/ ? "sorting" : name ~ /protobuf|result|wire|detail/ ? "messages" : \
                name ~ /^(ftrace_dense|ftrace_queue_add|copy_record)/ ? "waiting events" : \
                name ~ /encode|page|put_record|database/ ? "pages of the database" : $2 == "[k]" ? "system" : "rows, and the rest"
            sum[part] += share
        }
        END { for (part in sum) printf "%-24s %5.1f %%\n", part, sum[part] }' | sort
fi
