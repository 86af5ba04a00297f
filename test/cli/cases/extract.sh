# shellcheck shell=bash
# QD-1: -s works and ends. Files are byte-exact; existing ones are kept without --force; -o may stand anywhere (QD-6).
mkhtrace -o t.htrace --snapshot "$DATA/tiny/snapshot.heapsnapshot" --snapshot "$DATA/tiny/strings.heapsnapshot" \
    --profile "$DATA/tiny/profile.cpuprofile"
mkdir out
ts t.htrace -s -o out 2>err || fail "exit $?"
grep files err
ls -A out
cmp out/t.htrace.Snapshot0.heapsnapshot "$DATA/tiny/snapshot.heapsnapshot" || fail Snapshot0
cmp out/t.htrace.Profile0.cpuprofile "$DATA/tiny/profile.cpuprofile" || fail Profile0
python3 - "$DATA/tiny/strings.heapsnapshot" out/t.htrace.Snapshot1.heapsnapshot <<'PY' || fail Snapshot1
import json, sys
a, b = (json.load(open(n, encoding="utf-8", errors="surrogatepass")) for n in sys.argv[1:])
sys.exit(a != b)
PY
code ts t.htrace -s -o out --quiet
echo old >out/t.htrace.Snapshot0.heapsnapshot
code ts -o out -s t.htrace --quiet
cat out/t.htrace.Snapshot0.heapsnapshot
code ts -o out -s t.htrace --quiet --force
cmp out/t.htrace.Snapshot0.heapsnapshot "$DATA/tiny/snapshot.heapsnapshot" || fail "--force"
find out -type f | wc -l
echo '-- two inputs of one name, an input of standard input'
mkdir a b out2
cp "$DATA/tiny/snapshot.heapsnapshot" a/x.heapsnapshot
cp "$DATA/tiny/strings.heapsnapshot" b/x.heapsnapshot
ts a/x.heapsnapshot b/x.heapsnapshot - -s -o out2 --quiet <"$DATA/tiny/profile.cpuprofile" || fail two
ls -A out2
cmp out2/x.heapsnapshot.Snapshot0.heapsnapshot a/x.heapsnapshot || fail "first of two"
echo '-- with a database'
ts t.htrace -s -o out2 -e t.db --quiet --json | grep -A5 extracted
echo '-- errors'
code ts t.htrace -s -o nowhere
: >file
code ts t.htrace -s -o file
ln -s /nowhere/x out/link
mkdir out3
ln -s ../file out3/t.htrace.Snapshot0.heapsnapshot
code ts t.htrace -s -o out3 --quiet
[ ! -s file ] || fail "wrote through a link"
code ts t.htrace -s -o out3 --quiet --force
[ ! -s file ] && [ ! -L out3/t.htrace.Snapshot0.heapsnapshot ] || fail "wrote through a link with --force"
# A recording never replaces an input, even with --force.
mkdir out4
cp t.htrace out4/t.htrace
cp "$DATA/tiny/snapshot.heapsnapshot" out4/t.htrace.Snapshot0.heapsnapshot
code ts out4/t.htrace out4/t.htrace.Snapshot0.heapsnapshot -s -o out4 --force --quiet
# Nor a folder.
mkdir -p out5/t.htrace.Snapshot0.heapsnapshot
code ts t.htrace -s -o out5 --force --quiet
rmdir out5/t.htrace.Snapshot0.heapsnapshot
