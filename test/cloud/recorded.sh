#!/bin/bash
# Recordings of the profiler itself: their figures are known. Exit code 77 (skipped) without TS_FIXTURES.
# usage: recorded.sh TRACE_STREAMER TEST_DIR
set -euo pipefail
program=$1
tests=$2
[ -n "${TS_FIXTURES:-}" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# compare INPUT RECORDING: every figure of recorded.txt is in the database.
compare() {
    local input=$TS_FIXTURES/cloud/$1
    "$program" "$input" -e "$work/out.db" --quiet
    for sql in figures recorded; do
        "$program" -q "$tests/cloud/$sql.sql" "$work/out.db" | tail -n +2 | tr '\t' ' ' | sed "s/^\([^ ]*\),/\1 /"
    done | sort >"$work/found"
    sed -n "s/^$2 //p" "$tests/cloud/recorded.txt" | sort >"$work/wanted"
    [ -s "$work/wanted" ]
    comm -23 "$work/wanted" "$work/found" >"$work/missing"
    [ -s "$work/missing" ] || return 0
    echo "$1: not so:"
    cat "$work/missing"
    failed=$((failed + 1))
}

compare small-pod.protocol small
compare small-pod-streams small
compare agent-dump agent
[ "$failed" -eq 0 ]
