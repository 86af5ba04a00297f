#!/usr/bin/env bash
# run.sh CASE PROGRAM MKHTRACE SOURCE: runs one case in a scratch directory and compares what it prints and
# its exit code with the golden files. TS_REBASELINE=1 writes those instead.
#
# Cases may use: ts (the program), mkhtrace, $DATA (test/data), $SOURCE, and the helpers below.
set -u
CASE=$1
PROGRAM=$2
MKHTRACE=$3
SOURCE=$4
DATA=$SOURCE/test/data
export PROGRAM MKHTRACE SOURCE DATA

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/work" "$scratch/tmp" || exit 1
export TMPDIR=$scratch/tmp
# A conversion is a short life: what is still allocated at its end is a leak.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=${TS_LEAKS:-1}

here=$(dirname "$0")

golden=${CASE%.sh}
# shellcheck source=/dev/null
(here=$(cd "$here" && pwd) && . "$here/helpers.sh" && cd "$scratch/work" && . "$CASE") >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
echo $? >"$scratch/exit"
[ -z "$(ls -A "$scratch/tmp")" ] || {
    echo "left in TMPDIR: $(ls -A "$scratch/tmp")" >>"$scratch/stderr"
    echo 98 >"$scratch/exit"
}
bad=0
for part in stdout stderr exit; do
    expected=$golden.$part
    if [ "${TS_REBASELINE:-0}" = 1 ]; then
        default=$([ $part = exit ] && echo 0)
        if [ "$(cat "$scratch/$part")" = "$default" ]; then
            rm -f "$expected"
        else
            cp "$scratch/$part" "$expected"
        fi
    fi
    if [ ! -e "$expected" ]; then
        expected=$scratch/default
        if [ $part = exit ]; then echo 0 >"$expected"; else : >"$expected"; fi
    fi
    if ! diff -u "$expected" "$scratch/$part"; then
        echo "$(basename "$CASE"): $part differs"
        bad=1
    fi
done
exit $bad
