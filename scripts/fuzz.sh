#!/usr/bin/env bash
# fuzz.sh TIME [target...]: builds the libFuzzer targets of test/fuzz (preset `fuzz`) and runs all of them, or those
# that are named, TIME each: seconds, or with a suffix s, m, h. As many at once as there are cores, at most two.
# Prints a table; exit code 1 when anything was found, and says where the find lies.
# fuzz.sh --merge [target...]: takes the inputs that reach something new from the working corpora into test/fuzz/corpus.
#
# What the runs learn (the working corpora) stays in build/fuzz/learnt, finds in build/fuzz/finds, logs in
# build/fuzz/logs. A find that is fixed is kept as test/fuzz/corpus/<target>/regress-<what>.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
}

seconds() { # 90, 90s, 10m, 1h
    local n=${1%[smh]}
    [[ $n =~ ^[0-9]{1,6}$ ]] || usage
    case $1 in
    *m) echo $((n * 60)) ;;
    *h) echo $((n * 3600)) ;;
    *) echo "$n" ;;
    esac
}

[ $# -gt 0 ] || usage
mode=run
time=0
case $1 in
--merge) mode=merge ;;
*) time=$(seconds "$1") ;;
esac
shift

source_dir=test/fuzz
build=build/fuzz
all=()
for file in "$source_dir"/fuzz_*.c; do
    name=${file##*/fuzz_}
    all+=("${name%.c}")
done
targets=("$@")
[ $# -gt 0 ] || targets=("${all[@]}")
for target in "${targets[@]}"; do
    [ -f "$source_dir/fuzz_$target.c" ] || {
        echo "fuzz.sh: no target \"$target\"; there are: ${all[*]}" >&2
        exit 2
    }
done

jobs=$(nproc)
log=$(mktemp)
# For targets that write files: in memory, if there is a place for it.
TS_FUZZ_DIR=$(mktemp -d -p /dev/shm ts-fuzz.XXXXXX 2>/dev/null || mktemp -d)
export TS_FUZZ_DIR
trap 'rm -rf "$log" "$TS_FUZZ_DIR"' EXIT
echo "building ($build)"
if ! { cmake --preset fuzz && cmake --build --preset fuzz -j "$jobs" --target fuzz_targets; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
[ "$jobs" -le 2 ] || jobs=2

# What the first comment of a target says under a word.
said_by() { # target, word
    sed -n "s/^ \* $2: //p; /\*\//q" "$source_dir/fuzz_$1.c" | tr ' ' '\n'
}

# The files in the tree that a target begins with.
seeds_of() { # target
    [ ! -d "$source_dir/corpus/$1" ] || echo "$source_dir/corpus/$1"
    said_by "$1" Seeds
}

options_of() { # target
    local options
    options=$(said_by "$1" Options)
    # Slow targets would not come to inputs of some length without -len_control=0.
    printf '%s\n' "${options:-$'-max_len=4096\n-len_control=0'}"
    [ ! -f "$source_dir/dict/$1.dict" ] || echo "-dict=$source_dir/dict/$1.dict"
}

# Short traces of allocations and a small quarantine make the allocator of the sanitizer faster.
export ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=4:quarantine_size_mb=32}

run() { # target
    local seeds options status=0
    mapfile -t seeds < <(seeds_of "$1")
    mapfile -t options < <(options_of "$1")
    mkdir -p "$build/learnt/$1" "$build/finds/$1" "$build/logs"
    touch "$build/logs/$1.began"
    "$build/test/fuzz/fuzz_$1" -max_total_time="$time" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$PWD/$build/finds/$1/" "${options[@]}" \
        "$build/learnt/$1" "${seeds[@]}" >"$build/logs/$1.log" 2>&1 || status=$?
    echo "exit code $status" >>"$build/logs/$1.log"
}

merge() { # target
    local seeds options
    mapfile -t seeds < <(seeds_of "$1")
    mapfile -t options < <(options_of "$1")
    mkdir -p "$build/learnt/$1" "$build/logs" "$source_dir/corpus/$1"
    # Edges only: inputs that merely go through a loop more often are left out.
    "$build/test/fuzz/fuzz_$1" -set_cover_merge=1 -use_counters=0 "${options[@]}" "$source_dir/corpus/$1" "${seeds[@]}" \
        "$build/learnt/$1" >"$build/logs/$1.merge.log" 2>&1
    printf '%-10s %4d files\n' "$1" "$(find "$source_dir/corpus/$1" -type f | wc -l)"
}

if [ $mode = merge ]; then
    for target in "${targets[@]}"; do
        merge "$target"
    done
    exit 0
fi

echo "running ${#targets[@]} targets, $time s each, $jobs at once"
for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n || true
    done
    run "$target" &
done
wait

stat_of() { # target, name
    sed -n "s/^stat::$2: *//p" "$build/logs/$1.log" | tail -n 1
}
failed=()
printf '%-10s %12s %8s %7s %9s %7s %6s\n' target executions exec/s edges features corpus finds
for target in "${targets[@]}"; do
    file=$build/logs/$target.log
    finds=$(find "$build/finds/$target" -type f -newer "$build/logs/$target.began" | wc -l)
    grep -qx 'exit code 0' "$file" || [ "$finds" -gt 0 ] || finds='?'
    read -r edges features corpus < <(sed -n 's/^#.* cov: \([0-9]*\) ft: \([0-9]*\) corp: \([0-9]*\).*/\1 \2 \3/p' \
        "$file" | tail -n 1) || true
    printf '%-10s %12s %8s %7s %9s %7s %6s\n' "$target" "$(stat_of "$target" number_of_executed_units)" \
        "$(stat_of "$target" average_exec_per_sec)" "${edges:-}" "${features:-}" "${corpus:-}" "$finds"
    [ "$finds" = 0 ] || failed+=("$target")
done
for target in "${failed[@]}"; do
    echo
    echo "found by $target ($build/logs/$target.log):"
    grep -E 'not true|ERROR: |runtime error|SUMMARY: |No such file' "$build/logs/$target.log" | head -n 5 || true
    find "$build/finds/$target" -type f -newer "$build/logs/$target.began" | sed 's/^/  /'
done
[ ${#failed[@]} -eq 0 ]
