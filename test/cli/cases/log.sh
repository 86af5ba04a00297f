# shellcheck shell=bash
# -l and --log-file.
small
ts small.htrace -e out.db --quiet -l OFF 2>err && [ ! -s err ] || fail OFF
for level in D I W E F O debug Info WARN Error FATAL OFF; do
    ts small.htrace -e out.db --quiet --level=$level 2>err || fail "$level"
done
ts small.htrace -e out.db --quiet --log-file log.txt -l DEBUG || fail --log-file
[ -e log.txt ] || fail "no log.txt"
echo kept >log.txt
ts small.htrace -e out.db --quiet --log-file=log.txt
head -1 log.txt
cp small.htrace keep
code ts small.htrace -e out.db --log-file small.htrace
cmp small.htrace keep
code ts small.htrace -e out.db --log-file no/such/file
