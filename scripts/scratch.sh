# shellcheck shell=bash
# Sourced: sets and exports TMPDIR, a folder for what tests write, which the caller removes, and PATH, so that
# python3 is the interpreter itself: a script of a version manager before it takes longer than many a test. The folder is in
# memory where there is much of it, because a test waits for the disk each time that a database is published.
enough=$((6 << 20)) # KiB
if [ -w /dev/shm ] && [ "$(df --output=avail /dev/shm | tail -n 1)" -gt $enough ] &&
    [ "$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo)" -gt $((2 * enough)) ]; then
    export TMPDIR=/dev/shm
fi
TMPDIR=$(mktemp -d -t ts-test.XXXXXX)
export TMPDIR
if python=$(python3 -c 'import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))' 2>/dev/null); then
    export PATH=$python:$PATH
fi
