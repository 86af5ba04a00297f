#!/usr/bin/env bash
# bench-native.sh PROGRAM BENCH DIR RUNS: samples of perf, native memory and hiebpf: medians with one thread and as it is by
# default, rows in a second, memory, and the share of each stage (where perf is there). Called by bench.sh.
set -euo pipefail
[ $# -eq 4 ] || {
    sed -n '2,3s/^# //p' "$0" >&2
    exit 2
}
program=$(realpath "$1") bench=$(realpath "$2") dir=$3 runs=$4
makers=$(cd "$(dirname "$0")/../test/tools" && pwd)
work=$(mktemp -d "$dir/native.XXXXXX")
trap 'rm -rf "$work"' EXIT

median() { # measurements, column
    sort -n -k "$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# Rows that events of the input become.
rows_of() {
    case $1 in
    perf_data | perf_stack_ids) echo perf_sample ;;
    native_hook) echo native_hook ;;
    ebpf) echo "file_system_sample UNION ALL SELECT 1 FROM paged_memory_sample UNION ALL SELECT 1 FROM bio_latency_sample" ;;
    esac
}

printf '%-14s %8s %8s %8s %8s %8s %10s %10s\n' '' threads wall CPU MB/s MiB 'events' 'by CPU/s'
for input in perf_data perf_stack_ids native_hook ebpf; do # perf_stack_ids: 1 GB
    file=$dir/native-$input
    recipe=$(cksum <"$makers/$input.py")
    if [ ! -f "$file" ] || [ "$(cat "$file.recipe" 2>/dev/null)" != "$recipe" ]; then
        (cd "$makers" && python3 "$input.py" --big "$file")
        printf '%s\n' "$recipe" >"$file.recipe"
    fi
    for threads in 1 auto; do
        option=()
        [ "$threads" = auto ] || option=(--threads="$threads")
        for ((i = 0; i <= runs; i++)); do
            rm -f "$work/out.db"
            "$bench/bench_measure" "$work/$input.$threads.$((i > 0))" "$program" "$file" -e "$work/out.db" --quiet ${option[@]+"${option[@]}"}
        done
        events=$("$program" "$work/out.db" -q "SELECT count(*) FROM (SELECT 1 FROM $(rows_of "$input"))" --quiet | tail -n 1)
        awk '{ print $1, $2 + $3, $4 }' "$work/$input.$threads.1" >"$work/sums"
        awk -v input="$input" -v threads="$threads" -v wall="$(median "$work/sums" 1)" -v cpu="$(median "$work/sums" 2)" \
            -v kib="$(median "$work/sums" 3)" -v n="$events" -v bytes="$(wc -c <"$file")" 'BEGIN {
            printf "%-14s %8s %8.2f %8.2f %8.0f %8.0f %10d %10.0f\n", input, threads, wall, cpu, bytes / 1e6 / wall, kib / 1024, n, n / cpu }'
    done
    if command -v perf >/dev/null && perf record -o "$work/perf" "$program" "$file" -e "$work/perf.db" --force --quiet --threads=1 >/dev/null 2>&1; then
        perf report -i "$work/perf" --no-children --sort symbol --stdio 2>/dev/null | awk '
            /^ *[0-9.]+%/ {
                share = $1 + 0; name = $3
                part = $2 == "[k]" ? "system" : name ~ /sort|spill|merge/ ? "sorting" : name ~ /encode|page|put_|database|record_write/ ? "pages of the database" : \
                    name ~ /^perfd?_|unpack/ ? "records and frames" : name ~ /^hook_|wire|message|field/ ? "messages and chains" : name ~ /^ebpf/ ? "items" : "texts, stacks, the rest"
                sum[part] += share
            }
            END { for (part in sum) printf "    %-28s %5.1f %%\n", part, sum[part] }' | sort
    fi
done
