#!/bin/bash
# Recordings that mkcloud makes, in every container and with every kind of damage: the figures in the database are
# those that mkcloud says a reader must find. Where damage ends a stream, mkcloud cannot say; then they are those that the
# independent reader test/check/cloud.py finds. With TS_FIXTURES the same on recordings of the profiler itself.
# usage: figures.sh TRACE_STREAMER MKCLOUD PYTHON TEST_DIR
set -euo pipefail
set -f # a line of recordings.txt may begin with ?
program=$1
mkcloud=$2
python=$3
tests=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
count=0

# What is in no table: groups of parameters without a value, and where a root's last event stands.
wanted() { grep -v -e '^calls\.params ' -e '^trace\.spanning_roots ' "$1" | sort; }

# What cannot be certain is not there: no more of these than mkcloud says, and all of the others but those of what is left out.
fewer() {
    if ! join "$work/found" <(wanted "$work/expect") | awk '
        /^(calls.joined|dictionary|slices.|trace.(enters|exits|roots|tags_))/ { if ($2 > $3) bad = bad $0 "\n"; next }
        /^(calls|call_params|params|sql|xml|suspend)/ && $2 != $3 { bad = bad $0 "\n" }
        END { printf "%s", bad; exit bad != "" }' >"$work/diff"; then
        echo "$1:"
        cat "$work/diff"
        failed=$((failed + 1))
    fi
}

# compare NAME INPUT: with $work/expect.
compare() {
    count=$((count + 1))
    rm -f "$work/out.db"
    if ! "$program" "$2" -e "$work/out.db" --quiet 2>"$work/stderr"; then
        echo "$1: not imported"
        cat "$work/stderr"
        failed=$((failed + 1))
        return
    fi
    "$program" -q "$tests/cloud/figures.sql" "$work/out.db" | tail -n +2 | tr ',\t' '  ' | sort >"$work/found"
    if [ "${by-}" = '~' ]; then
        fewer "$1"
        return
    fi
    if ! diff <(wanted "$work/expect") "$work/found" >"$work/diff"; then
        echo "$1:"
        cat "$work/diff"
        failed=$((failed + 1))
    fi
}

# check BY CONTAINER OPTION...: BY is + for mkcloud's word, ? for the reader's, ~ for at most mkcloud's.
check() {
    local name="$*"
    local by=$1
    local container=$2
    local input=$work/in
    shift 2
    [ "$container" != tcp ] || input=$work/in.protocol
    rm -rf "$input"
    "$mkcloud" -o "$input" --container "$container" --expect "$work/expect" "$@"
    [ "$by" != '?' ] || "$python" "$tests/check/cloud.py" "$input" >"$work/expect"
    compare "$name" "$input"
}

lines=0
while read -r line; do
    case $line in '' | '#'*) continue ;; esac
    lines=$((lines + 1))
    # The reader takes its time: a part of its lines is enough, all are read with TS_SLOW.
    [ -n "${TS_SLOW:-}" ] || [ "${line%% *}" != '?' ] || [ $((lines % 4)) -eq 0 ] || continue
    # shellcheck disable=SC2086 # words of the line are options
    check $line
done <"$tests/cloud/recordings.txt"
if [ -n "${TS_FIXTURES:-}" ]; then
    for input in small-pod-streams small-pod.protocol agent-dump; do
        "$python" "$tests/check/cloud.py" "$TS_FIXTURES/cloud/$input" >"$work/expect"
        compare "$input" "$TS_FIXTURES/cloud/$input"
    done
fi
echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
