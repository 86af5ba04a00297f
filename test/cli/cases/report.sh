# shellcheck shell=bash
# --report: every section is the answer of the question that it names, as SQLite gives it, for a database and for a recording of each kind.
tool() { "${MKHTRACE%mkhtrace}$1" "${@:2}" >/dev/null; }
tool mkcloud -o cloud --calls 40 --pause 200
tool mkflare --threads=2 --seconds=4 flare
tool mktptp -o trace.trcbin --calls 300
cp "$DATA/recording-cpuprofile.htrace.gz" cpu.htrace.gz
cp "$DATA/sessions.heapprofile" .
mkhtrace -o heaps.htrace --snapshot synth:nodes=600,edges=3000,strings=300,seed=1 --snapshot synth:nodes=900,edges=3000,strings=300,seed=2
cat >compare.py <<'PY'
import collections, json, sqlite3, subprocess, sys
program, base, share = sys.argv[1:]
run = lambda *words: subprocess.run([program, *words], check=True, stdout=subprocess.PIPE).stdout.decode()
report = json.loads(run(base, "--report=json"))
assert report["tool"] == "trace_streamer"
text = run(base, "--report=text")
db = sqlite3.connect(base)
names = [s["question"] for s in report["sections"]]
for section in report["sections"]:
    with open("%s/%s.sql" % (share, section["question"])) as f:
        rows = db.execute(f.read(), collections.defaultdict(lambda: None, limit=5))
    want = [dict(zip([d[0] for d in rows.description], row)) for row in rows]
    if section["question"] == "threads":  # the model answers it: its columns are those of the statement
        assert not want or list(section["rows"][0]) == list(want[0])
        want = json.loads(run(base, "-q", "threads", "--param", "limit=5", "--output=json"))
    assert section["rows"] == want, (section, want)
    title = "%s (-q %s)\n" % (section["title"], section["question"])
    assert (title in text) == bool(want), title
    assert text.count(title) <= 1
# What a person would ask in SQL.
find = {s["question"]: s["rows"] for s in report["sections"]}
first = lambda sql: [r[0] for r in db.execute(sql)]
if "slow_calls" in find:
    assert [r["dur"] for r in find["slow_calls"]] == first(
        "SELECT dur FROM (SELECT dur FROM cloud_call UNION ALL SELECT dur FROM stack_slice WHERE parent_id IS NULL AND id NOT IN "
        "(SELECT root_slice_id FROM cloud_call WHERE root_slice_id IS NOT NULL)) ORDER BY dur DESC LIMIT 5")
if "longest_pauses" in find:
    assert [r["dur"] for r in find["longest_pauses"]] == first("SELECT dur FROM v_pause ORDER BY dur DESC LIMIT 5")
if "js_class_histogram" in find:
    assert [r["self_size"] for r in find["js_class_histogram"]] == first(
        "SELECT self_size FROM v_js_class_histogram WHERE file_id = 0 ORDER BY 1 DESC LIMIT 5")
if "js_class_growth" in find:
    assert [r["self_size_delta"] for r in find["js_class_growth"]] == first(
        "SELECT self_size_delta FROM v_js_snapshot_diff WHERE file_id = 1 ORDER BY 1 DESC LIMIT 5")
if "hot_methods" in find:
    kind = {"cpu": "dur", "wall": "self_dur", "live": "alloc_space"}[find["hot_methods"][0]["weight"]]
    if db.execute("SELECT count(*) FROM stack_value_type WHERE name = 'cpu' AND unit = 'ns'").fetchone()[0]:
        kind = "cpu"
    assert [r["self"] for r in find["hot_methods"]] == first(
        "SELECT self FROM v_stack_hot_method WHERE value = '%s' AND method NOT IN ('(idle)', '(root)') ORDER BY self DESC LIMIT 5" % kind), find["hot_methods"]
print(*("%s:%d" % (n, len(find[n])) for n in names))
PY
for input in heaps.htrace cpu.htrace.gz flare cloud trace.trcbin sessions.heapprofile; do
    echo "-- $input"
    ts "$input" -e out.db --quiet
    python3 compare.py "$PROGRAM" out.db "$(dirname "$PROGRAM")/../share/trace_streamer/sql" || fail "$input"
    ts out.db --report >from_database
    ts "$input" --report --quiet | cmp - from_database || fail "$input: of the recording"
    rm out.db
done
echo '-- lost data is said first'
head -c 60000 trace.trcbin >cut.trcbin
ts cut.trcbin --report --quiet | sed -n '/^What was lost/,/^$/p' | cut -c 1-90
ts cut.trcbin -e kept.db --report=json --quiet | grep -c '"question"'
sqlite3 kept.db 'SELECT count(*) > 0 FROM stack_slice'
echo '-- texts of a person'
small
ts small.htrace --report --quiet
ts small.htrace -e long.db --quiet
sqlite3 long.db "UPDATE js_heap_string SET string = printf('%.300c', 'x') || char(27) || 'é' WHERE rowid > 1"
ts long.db --report >long
awk 'length > 260' long
grep -c $'\033' long
[ "$(ts small.htrace --report --quiet 2>err | head -1 | wc -l)" = 1 ] || fail head
cat err
ts small.htrace --json=summary.json --report=json --quiet >report.json && python3 -m json.tool summary.json >/dev/null &&
    python3 -m json.tool report.json >/dev/null || fail "two kinds of JSON"
echo '-- errors'
code ts small.htrace --report=xml
code ts small.htrace --report --report
code ts small.htrace --report -q sources
code ts small.htrace --report --json
code ts small.htrace --report --param limit=3
code ts long.db --report --analyze=stack_totals
code ts missing.db --report
sqlite3 other.db 'CREATE TABLE t(x)'
code ts other.db --report
code ts other.db --report=json
