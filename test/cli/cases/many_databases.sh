# shellcheck shell=bash
# One question to several databases: one result, whose first column is the database.
small
ts small.htrace -e heap.db --quiet
ts "$DATA/work.jfr.gz" -e work.db --quiet
ts "$DATA/work21.jfr.gz" -e work21.db --quiet
for form in tsv csv json jsonl table; do
    echo "-- $form"
    ts work.db heap.db work21.db -q longest_pauses --param limit=1 --output=$form
done
echo '-- the same rows'
ts work.db work21.db -q hot_methods --param limit=7 >many
for db in work.db work21.db; do ts $db -q hot_methods --param limit=7 | tail -n +2 | sed "s/^/$db\t/"; done >want
tail -n +2 many | cmp - want || fail "other rows"
head -1 many
ts heap.db work.db -q 'SELECT count(*) AS n FROM stack_sample; SELECT 1 AS one'
echo '-- what cannot be asked'
cp heap.db old.db && sqlite3 old.db 'DROP VIEW v_pause; DROP TABLE runtime_pause'
code ts work.db old.db -q 'SELECT count(*) AS n FROM runtime_pause'
code ts heap.db heap.db -q longest_pauses
code ts work.db old.db -q 'SELECT count(*) AS n FROM runtime_pause' --keep-going
code ts work.db missing.db -q longest_pauses
echo '-- reports'
cat >reports.py <<'PY'
import json, subprocess, sys
program, *paths = sys.argv[1:]
run = lambda *words: subprocess.run([program, *words], check=True, stdout=subprocess.PIPE).stdout.decode()
all_of = json.loads(run(*paths, "--report=json"))
assert [r.pop("recording") for r in all_of["recordings"]] == paths
for path, part in zip(paths, all_of["recordings"]):
    one = json.loads(run(path, "--report=json"))
    assert {k: one[k] for k in part} == part and set(part) == {"holds", "sections"}, path
for more in ((), ("--raw",)):
    want = "\n".join("=== %s\n\n%s" % (path, run(path, "--report", *more)) for path in paths)
    assert run(*paths, "--report", *more) == want
print(len(all_of["recordings"]), "reports")
PY
python3 reports.py "$PROGRAM" work.db heap.db work21.db || fail reports
cp work.db broken.db && sqlite3 broken.db 'DELETE FROM source'
ts work.db broken.db heap.db --report=json >report.json
echo "exit $?"
python3 -c 'import json; print([r["recording"] for r in json.load(open("report.json"))["recordings"]])'
ts work.db broken.db heap.db --report --keep-going >report.txt
echo "exit $?"
grep '^===' report.txt
echo '-- exports'
ts "$DATA/go-cpu.pprof" -e go.db --quiet
ts work.db go.db work21.db --to=folded -o all.folded
for db in work.db go.db work21.db; do ts $db --to=folded -o - | sed "s/^/$db;/"; done | sort >want
sort all.folded | cmp - want || fail "folded"
ts work.db heap.db go.db --to=folded --weight=samples -o - | cut -d';' -f1 | sort -u
ts work.db go.db work21.db --to=flame -o all.html
python3 - <<'PY' || fail "flame"
import json, re, collections
text = open("all.html", encoding="utf-8").read()
at = text.index('{"title":')
page = json.JSONDecoder().raw_decode(text[at:])[0]
frames, nodes, sums = page["frames"]["label"], page["nodes"], collections.Counter()
paths = []
for i, (back, frame, self) in enumerate(zip(nodes["parent"], nodes["frame"], nodes["self"]), 1):
    paths.append((paths[i - back - 1] if i > back else ()) + (frames[frame],))
    if self:
        sums[paths[-1]] += self
want = collections.Counter()
for line in open("all.folded", encoding="utf-8"):
    stack, weight = line.rstrip("\n").rsplit(" ", 1)
    want[tuple(stack.split(";"))] += int(weight)
assert sums == want, (len(sums), len(want))
assert page["title"] == "3 recordings" and len(set(page["frames"]["key"])) == len(frames)
print(len(want), "stacks", page["weight"], page["unit"])
PY
mkdir exports
code ts work.db heap.db go.db --to=pprof -o exports --quiet
(cd exports && find . -type f | sort)
for name in work go; do
    ts $name.db --to=pprof -o one.gz --quiet
    cmp one.gz exports/$name.pb.gz || fail "$name is another export"
done
code ts work.db go.db --to=folded -o exports
for name in work go; do ts $name.db --to=folded -o - | cmp - exports/$name.folded || fail "$name"; done
echo '-- exports that are refused'
code ts work.db go.db --to=pprof -o one.gz
code ts work.db go.db --to=parquet -o exports
mkdir other && cp go.db other/work.db
code ts work.db other/work.db --to=pprof -o exports
code ts heap.db old.db --to=folded -o nothing.folded
code ts heap.db old.db --to=folded -o exports
head -c 5000 go.db >cut.db
code ts work.db cut.db --to=folded -o cut.folded
ls cut.folded 2>/dev/null && fail "it was written"
code ts work.db cut.db --to=folded -o cut.folded --keep-going
cut -d';' -f1 cut.folded | sort -u
code ts work.db go.db --to=folded -o go.db
code ts work.db go.db --to=folded --max-output=100 -o small.folded
code ts work.db go.db --to=folded --thread=main -o - | cut -d';' -f1 | sort -u
