# shellcheck shell=bash
# A recording that was cut is marked in its name.
mkhtrace -o t.htrace --chunk-size 100 --snapshot "$DATA/tiny/snapshot.heapsnapshot"
head -c $(($(stat -c %s t.htrace) - 400)) t.htrace >cut.htrace
mkdir out
ts cut.htrace -s -o out 2>/dev/null || fail "exit $?"
ls -A out
head -c 20 out/*.incomplete.heapsnapshot | cmp - <(head -c 20 "$DATA/tiny/snapshot.heapsnapshot") || fail content
