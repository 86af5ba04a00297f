#!/usr/bin/env bash
# calls.sh PROGRAM SHIM INPUTS: the whole program while one system call after the other fails, those of
# SQLite, libarchive and zlib included. Exit codes 4 and 1, a message with path and reason, the old target.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

declare -A text=([EIO]='Input/output error' [ENOSPC]='No space left on device')
tried=0
sweep() { # input, name, error, more arguments
    local input=$1 name=$2 error=$3 all k
    shift 3
    all=$(count "$name" "$input" -e out.db --quiet "$@")
    for ((k = 1; k <= all; k += $(step "$all" 8))); do
        run "$name:$k:$error" "$input" -e out.db --quiet "$@"
        tried=$((tried + 1))
        case $status in
        0) ;;
        1 | 4)
            # A message that could not be written is none.
            [ "$name" = write ] && [ ! -s "$scratch/err" ] && continue
            grep -q "${text[$error]}\|disk is full\|readonly database" "$scratch/err" ||
                fail "$name:$k:$error: no reason"
            grep -q "$scratch\|$INPUTS\|out.db" "$scratch/err" || fail "$name:$k:$error: no path"
            ;;
        *) fail "$name:$k:$error: exit $status" ;;
        esac
    done
}

for input in "$INPUTS/snapshot.htrace" "$INPUTS/all.zip"; do
    prepare "$input"
    for name in open close read pread write pwrite fstat fsync ftruncate rename fchmod; do
        sweep "$input" $name EIO --sync
    done
    for name in open write pwrite fsync ftruncate rename; do
        sweep "$input" $name ENOSPC --index
    done
done

# What may come in pieces, or be interrupted, gives the same bytes.
for input in snapshot.htrace all.zip snapshot.htrace.gz large.htrace; do
    prepare "$INPUTS/$input"
    for most in 1 7 1000; do
        [ "$input$most" != large.htrace1 ] || continue
        TS_FAULT_MOST=$most run "" "$INPUTS/$input" -e out.db --quiet
        [ "$status" = 0 ] || fail "$input: $most bytes a call: exit $status"
    done
    for name in open read pread write pwrite; do
        all=$(count $name "$INPUTS/$input" -e out.db --quiet)
        for ((k = 1; k <= all; k += $(step "$all" 8))); do
            run "$name:$k:EINTR" "$INPUTS/$input" -e out.db --quiet
            tried=$((tried + 1))
            [ "$status" = 0 ] || fail "$input: $name:$k is interrupted: exit $status"
        done
    done
done
[ $tried -gt 150 ] || fail "only $tried calls failed"
echo "$tried calls failed"
