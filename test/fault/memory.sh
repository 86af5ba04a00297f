#!/usr/bin/env bash
# memory.sh PROGRAM SHIM INPUTS: the whole program without memory: every allocation of every library, and a
# limit of the system. Exit code 7, and a library that ends the program leaves nothing either.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# --- any allocation ---
input=$INPUTS/snapshot.htrace
prepare "$input"
all=$(count malloc "$input" -e out.db --quiet)
[ "$all" -gt 1000 ] || fail "only $all allocations"
tried=0
for on in "" :on; do
    for ((k = 1; k <= all; k += $(step "$all" 40))); do
        run "malloc:$k:ENOMEM$on" "$input" -e out.db --quiet
        tried=$((tried + 1))
        [ "$status" = 0 ] || [ "$status" = 7 ] || fail "malloc:$k$on: exit $status"
        [ "$status" = 0 ] || grep -qiE 'memory|cannot allocate' "$scratch/err" || fail "malloc:$k$on: no message"
    done
done
echo "$tried of $all allocations failed"

# --- those of libarchive, which ends the program itself: code 7, or its own 1 ---
ended=0
wrong=0
tried=0
for input in "$INPUTS/all.tar" "$INPUTS/all.tar.gz"; do # zip files are read without it
    prepare "$input"
    all=$(TS_FAULT_CALLER=libarchive count malloc "$input" -e out.db --quiet)
    [ "$all" -gt 5 ] || fail "only $all allocations in libarchive"
    for on in "" :on; do
        for ((k = 1; k <= all; k += $(step "$all" 25))); do
            TS_FAULT_CALLER=libarchive run "malloc:$k:ENOMEM$on" "$input" -e out.db --quiet
            tried=$((tried + 1))
            case $status in
            0 | 7) ;;
            1) # its own words, not ours
                grep -qi '^Fatal Internal Error in libarchive.*memory' "$scratch/err" ||
                    fail "libarchive malloc:$k$on: exit 1"
                ended=$((ended + 1))
                ;;
            5) # some versions take what they have no memory for for damage
                wrong=$((wrong + 1))
                ;;
            139) # some versions do not look at what malloc gave them
                wrong=$((wrong + 1))
                ;;
            *) fail "libarchive malloc:$k$on: exit $status" ;;
            esac
        done
    done
done
echo "$tried allocations of libarchive failed; it ended the program $ended times"
echo "it crashed or called it damage $wrong times"
[ $ended -gt 0 ] || fail "libarchive never ended the program"
[ $((wrong * 4)) -le $tried ] || fail "libarchive is not to blame so often"

# --- a library that calls exit() in the middle: the temporary goes all the same ---
prepare "$INPUTS/snapshot.htrace"
all=$(count pwrite "$INPUTS/snapshot.htrace" -e out.db --quiet)
for ((k = 1; k <= all; k += $(step "$all" 8))); do
    run "pwrite:$k:EXIT" "$INPUTS/snapshot.htrace" -e out.db --quiet
    [ "$status" = 1 ] || fail "exit() inside pwrite $k: exit $status"
done
echo 'SELECT 1' >"$scratch/q.sql"
all=$(count pwrite "$INPUTS/snapshot.htrace" -q "$scratch/q.sql" --quiet)
for ((k = 1; k <= all; k += $(step "$all" 8))); do
    run "pwrite:$k:EXIT" "$INPUTS/snapshot.htrace" -q "$scratch/q.sql" --quiet
    [ "$status" = 1 ] || fail "exit() inside pwrite $k of a question: exit $status"
done

# --- a limit of the system, and our own ---
prepare "$INPUTS/large.htrace"
seven=0
# What the libraries need to be loaded at all is the least.
base=10000
while ! (ulimit -v $base && exec "$PROGRAM" --version >/dev/null 2>&1); do
    base=$((base + 500))
    [ $base -lt 1000000 ] || fail "--version needs more than 1 GB"
done 2>/dev/null
for more in 0 500 1000 1500 2000 2500 3000 4000 5000 6000 8000 20000; do
    kb=$((base + more))
    status=0
    (
        ulimit -v $kb
        exec "$PROGRAM" "$INPUTS/large.htrace" -e out.db --quiet
    ) 2>"$scratch/err" || status=$?
    case $status in
    0) cmp out.db "$scratch/right.db" && cp "$scratch/old.db" out.db ;;
    7)
        grep -qE 'out of memory|cannot allocate' "$scratch/err" || fail "ulimit -v $kb: no message"
        seven=$((seven + 1))
        ;;
    *) fail "ulimit -v $kb: exit $status" ;;
    esac
    cmp out.db "$scratch/old.db" || fail "ulimit -v $kb: the target has changed"
    nothing_left "ulimit -v $kb"
done
[ $seven -gt 0 ] || fail "no limit gave exit code 7"
echo "$seven limits of the system gave exit code 7"

status=0
"$PROGRAM" "$INPUTS/large.htrace" -e out.db --quiet --max-memory 1M 2>"$scratch/err" || status=$?
[ "$status" = 6 ] || fail "--max-memory: exit $status"
grep -q 1048576 "$scratch/err" || fail "--max-memory: no number"
cmp out.db "$scratch/old.db"
nothing_left --max-memory
