#!/usr/bin/env bash
# coverage.sh [--no-run]: lines and branches of src/ that the tests reach (replays of fuzz corpora do not count). Ends
# with 1 below 95 % of lines or 90 % of branches, and when a line of the readers and state machines of events of the
# kernel, or of what their markers say, is not reached. --no-run: only the report, from the last run.
# The page for reading is build/coverage/report/index.html; docs/trust.md says what stays uncovered, and why.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh ci
build=build/coverage
if [ "${1:-}" != --no-run ]; then
    jobs=$(nproc)
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! { cmake --preset coverage && cmake --build --preset coverage -j "$jobs"; } >"$log" 2>&1; then
        cat "$log"
        exit 1
    fi
    find "$build" -name '*.gcda' -delete
    if ! ctest --test-dir "$build" -j "$jobs" -E '^fuzz\.' --output-on-failure >"$log" 2>&1; then
        cat "$log"
        exit 1
    fi
    # Every allocation, where the tests above take samples.
    TS_SLOW=1 "$build/test/fault/fault_convert" test_every_allocation_of_ours >"$log" 2>&1 || {
        cat "$log"
        exit 1
    }
fi
mkdir -p "$build/report"
gcovr --root . --object-directory "$build" --filter 'src/' --exclude-unreachable-branches \
    --html-details "$build/report/index.html" --csv "$build/report/files.csv" \
    --print-summary --fail-under-line 95 --fail-under-branch 90 "$build" |
    sed -n '/^[a-z]*:/p'
awk -F, '
    NR > 1 && $1 ~ /^src\/(parsers\/ftrace|analysis\/markers)\// {
        total += $2
        reached += $3
        if ($3 < $2) { print $1 ": " $2 - $3 " lines are not reached" }
    }
    END {
        printf "events of the kernel: %d of %d lines\n", reached, total
        exit total == 0 || reached < total
    }' "$build/report/files.csv"
