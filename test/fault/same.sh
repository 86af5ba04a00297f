#!/usr/bin/env bash
# same.sh PROGRAM SHIM INPUTS: the same bytes out whatever the locale, time zone, umask, name of the output,
# current folder, size of reads, environment, and number of the process.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

inputs=(snapshot.htrace timeline.htrace profile.htrace viewer.htrace snapshot.htrace.gz all.zip all.tar.gz
    sorted.heapsnapshot profile.cpuprofile large.htrace)
tried=0
same() { # what differs, file
    cmp "$2" "$scratch/right.db" || fail "$input: $1: another database"
    rm -f "$2"
    tried=$((tried + 1))
}

for input in "${inputs[@]}"; do
    in=${INPUTS:?}/$input
    rm -f out.db
    LC_ALL=C TZ=UTC0 "$PROGRAM" "$in" -e "$scratch/right.db" --force --quiet --index
    "$PROGRAM" "$in" -e out.db --quiet --index
    same "a second run" out.db
    LC_ALL=tr_TR.UTF-8 TZ=Asia/Kathmandu "$PROGRAM" "$in" -e other.db --quiet --index
    same "another place" other.db
    # The rest needs no more than one input of each kind.
    case $input in
    snapshot.htrace | all.zip | profile.cpuprofile) ;;
    *) slow || continue ;;
    esac
    for locale in C.UTF-8 POSIX tr_TR.UTF-8 de_DE.UTF-8 ar_SA.UTF-8 ja_JP.EUC-JP nonsense; do
        LC_ALL=$locale LANG=$locale "$PROGRAM" "$in" -e out.db --quiet --index
        same "LC_ALL=$locale" out.db
    done
    for zone in Asia/Kathmandu America/St_Johns XYZ-25 :nonsense; do
        TZ=$zone "$PROGRAM" "$in" -e out.db --quiet --index
        same "TZ=$zone" out.db
    done
    for mask in 000 027 077 022; do
        (umask $mask && "$PROGRAM" "$in" -e out.db --quiet --index)
        [ "$(stat -c %a out.db)" = "$(printf %o $((0666 & ~0$mask)))" ] || fail "umask $mask: mode"
        same "umask $mask" out.db
    done
    for name in b a-much-longer-name-of-the-output.sqlite 'na me.db' -- ./--odd.db; do
        [ "$name" != -- ] || continue
        "$PROGRAM" "$in" -e "$name" --quiet --index
        same "output $name" "$name"
    done
    (cd / && "$PROGRAM" "$in" -e "$scratch/out/out.db" --quiet --index)
    same "current folder" out.db
    (cd "$INPUTS" && "$PROGRAM" "$input" -e "$scratch/out/out.db" --quiet --index)
    same "relative name of the input" out.db
    env -i "$PROGRAM" "$in" -e out.db --quiet --index
    same "empty environment" out.db
    MALLOC_PERTURB_=165 "$PROGRAM" "$in" -e out.db --quiet --index
    same "memory that is not clean" out.db
    for most in 3 4096 10000; do
        [ "$input$most" != large.htrace3 ] || continue
        TS_FAULT_MOST=$most LD_PRELOAD=$SHIM "$PROGRAM" "$in" -e out.db --quiet --index
        same "$most bytes a read" out.db
    done
done
echo "$tried databases were the same"
