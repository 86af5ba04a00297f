# shellcheck shell=bash
# QD-5: an output that cannot be written is exit code 4 and a message with path and reason.
small
code ts small.htrace -e no/such/dir/out.db
code ts small.htrace -e .
mkdir sub
code ts small.htrace -e sub
code ts small.htrace -e /dev/full
[ -c /dev/full ] || fail "/dev/full is gone"
[ -z "$(ls -A sub)" ] || fail "left in sub"
(
    ulimit -f 100
    code ts small.htrace -e big.db --quiet 2>err
    sed -E 's/big\.db\.tmp-[0-9a-f-]+/big.db.tmp-N/' err >&2
)
ls -A
