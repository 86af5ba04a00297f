#!/bin/bash
# Recordings that mkcloud makes, in every container and with every kind of damage: the figures in the database are
# those that mkcloud says a reader must find.
# usage: figures.sh TRACE_STREAMER MKCLOUD TEST_DIR
set -euo pipefail
program=$1
mkcloud=$2
tests=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
count=0

# What is in no table: groups of parameters without a value, and where a root's last event stands.
wanted() { grep -v -e '^calls\.params ' -e '^trace\.spanning_roots ' "$1" | sort; }

# check CONTAINER OPTION...
check() {
    rm -rf "$work/in" "$work/out.db"
    local name="$*"
    local container=$1
    local input=$work/in
    shift
    [ "$container" != tcp ] || input=$work/in.protocol
    rm -f "$input"
    "$mkcloud" -o "$input" --container "$container" --expect "$work/expect" "$@"
    count=$((count + 1))
    if ! "$program" "$input" -e "$work/out.db" --quiet 2>"$work/stderr"; then
        echo "$name: not imported"
        cat "$work/stderr"
        failed=$((failed + 1))
        return
    fi
    "$program" -q "$tests/cloud/figures.sql" "$work/out.db" | tail -n +2 | tr ',\t' '  ' | sort >"$work/found"
    if ! diff <(wanted "$work/expect") "$work/found" >"$work/diff"; then
        echo "$name:"
        cat "$work/diff"
        failed=$((failed + 1))
    fi
}

while read -r line; do
    case $line in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086 # words of the line are options
    check $line
done <"$tests/cloud/recordings.txt"
echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
