# shellcheck shell=bash
# What the cases of test/cli may call; run.sh sets the variables.
ts() { "$PROGRAM" "$@"; }
mkhtrace() { "$MKHTRACE" "$@"; }
mkflare() { "${MKHTRACE%mkhtrace}mkflare" "$@"; }
# A tiny recording with one snapshot, small.htrace.
small() { mkhtrace -o small.htrace --snapshot "$DATA/tiny/snapshot.heapsnapshot"; }
# Runs a command and prints its exit code behind its output.
code() {
    "$@"
    printf 'exit %d\n' "$?"
}
# Numbers that differ from run to run become N.
timeless() { sed -E 's/^(  (time|memory) +).*/\1N/'; }
fail() {
    printf 'FAILED: %s\n' "$*"
    exit 99
}
