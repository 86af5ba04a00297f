#!/usr/bin/env bash
# full.sh PROGRAM SHIM INPUTS: a disk that is really full: a file system of about 1 MiB where one can be
# mounted, and a limit on the size of files. Exit code 4 with path and reason, the old target, nothing left.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare "$INPUTS/large.htrace"

# With the old database on it, and so many of the KB that are left taken by others. The old database is
# little more than the schema, which grows with every format; what is left does not.
on_a_small_disk() {
    local taken disk=$scratch/disk status pages old left=440
    pages=$((($(wc -c <"$scratch/old.db") + 4095) / 4096))
    old=$((4 * pages))
    mkdir "$disk"
    mount -t tmpfs -o size=$((old + left))k none "$disk"
    for taken in 0 50 200 400 436; do
        rm -rf "${disk:?}"/*
        cp "$scratch/old.db" "$disk/out.db"
        dd if=/dev/zero of="$disk/other" bs=1024 count=$taken status=none
        status=0
        "$PROGRAM" "$INPUTS/large.htrace" -e "$disk/out.db" --quiet 2>"$scratch/err" || status=$?
        [ $status = 4 ] || fail "$taken KB taken: exit $status"
        grep -q 'No space left on device\|disk is full' "$scratch/err" || fail "$taken KB: no reason"
        grep -q "$disk" "$scratch/err" || fail "$taken KB: no path"
        cmp "$disk/out.db" "$scratch/old.db" || fail "$taken KB taken: the target has changed"
        [ "$(ls -A "$disk")" = "$(printf 'other\nout.db')" ] || fail "left: $(ls -A "$disk")"
    done
    # Without room for spools and anonymous databases.
    rm -f "$disk/out.db"
    dd if=/dev/zero of="$disk/other" bs=1024 count=$((old + left - 24)) status=none
    status=0
    TMPDIR=$disk "$PROGRAM" "$INPUTS/large.htrace" -q - --quiet <<<'SELECT 1' >/dev/null \
        2>"$scratch/err" || status=$?
    [ $status = 4 ] || fail "full TMPDIR: exit $status"
    grep -q 'No space left on device\|disk is full' "$scratch/err" || fail "full TMPDIR: no reason"
    [ "$(ls -A "$disk")" = other ] || fail "left: $(ls -A "$disk")"
    umount "$disk"
}
export -f on_a_small_disk fail
export scratch
if unshare -rm true 2>/dev/null && unshare -rm mount -t tmpfs none "$scratch/tmp" 2>/dev/null; then
    unshare -rm bash -euo pipefail -c on_a_small_disk
    echo "a small file system was full"
else
    echo "no file system can be mounted here"
fi

# Blocks of 1024 bytes; below the schema, within the rows.
for blocks in 4 100 500 600 1000 2000; do
    status=0
    (
        ulimit -f $blocks
        exec "$PROGRAM" "$INPUTS/large.htrace" -e out.db --quiet
    ) 2>"$scratch/err" || status=$?
    [ $status = 4 ] || fail "ulimit -f $blocks: exit $status"
    grep -q 'File too large\|disk is full' "$scratch/err" || fail "ulimit -f $blocks: no reason"
    cmp out.db "$scratch/old.db" || fail "ulimit -f $blocks: the target has changed"
    nothing_left "ulimit -f $blocks"
done
