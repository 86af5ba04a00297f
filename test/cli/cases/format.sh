# shellcheck shell=bash
# --format overrides what the content says.
small
code ts small.htrace --format=htrace -e a.db --quiet
ts small.htrace --format heapsnapshot -e b.db 2>err
status=$?
[ $status -le 1 ] || [ $status = 5 ] || fail "exit $status"
cp "$DATA/tiny/profile.cpuprofile" noext
code ts noext -e c.db --quiet
ts c.db -q - <<<'SELECT format FROM source WHERE parent_id IS NULL'
