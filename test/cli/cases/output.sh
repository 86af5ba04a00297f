# shellcheck shell=bash
# --output: every format says the same as SQLite, whatever the texts are; default; terminals; readers that go away.
small
ts small.htrace -e out.db --quiet
cat >hostile.sql <<'SQL'
SELECT 1 AS a, 'x"y,z' AS "b,c", NULL AS n, '' AS e, x'00ff' AS bytes, 1.5 AS r, 9e999 AS big, -9e999 AS small,
    '電車é' AS wide, char(9, 10, 13, 27, 127) || '[31m\' AS control, char(0x202e) || 'x' AS turned, 2 AS a, ' x ' AS blanks
UNION ALL SELECT -9223372036854775808, '=1+1', 'NULL', '''', x'', 0.1, 1e20, -0.5, 'e' || char(0x301), char(0), 'y', NULL, '-';
SELECT 1 AS none WHERE 0;
SELECT 7
SQL
for format in table csv tsv json jsonl; do
    echo "-- $format"
    ts out.db -q hostile.sql "--output=$format" >"$format" || fail "$format"
    tr '\0\033' '@^' <"$format"
done
echo '-- against SQLite'
cat >compare.py <<'PY'
import csv, json, sqlite3, sys
want = sqlite3.connect("out.db").execute(open("hostile.sql").read().split(";\nSELECT 1 AS none")[0]).fetchall()
shown = lambda v: "X'%s'" % v.hex().upper() if isinstance(v, bytes) else v
keys = "a b,c n e bytes r big small wide control turned a:1 blanks".split()
as_json = [dict(zip(keys, (v.hex().upper() if isinstance(v, bytes) else v for v in row))) for row in want]
lines = open("jsonl", encoding="utf-8").read().splitlines()
assert [json.loads(x) for x in lines] == as_json + [{"7": 7}], lines
decoder, text, results = json.JSONDecoder(), open("json", encoding="utf-8").read(), []
while text.strip():
    value, end = decoder.raw_decode(text)
    results.append(value)
    text = text[end:].lstrip()
assert results == [as_json, [], [{"7": 7}]], results
rows = list(csv.reader(open("csv", newline="", encoding="utf-8").read().replace("\0", "@").split("\n\n")[0].splitlines(True)))
inf = {float("inf"): "Inf", float("-inf"): "-Inf", 1e20: "1.0e+20"}
text = lambda v: "" if v is None else inf.get(v, str(shown(v))).replace("\0", "@")
assert rows[1:] == [[text(v) for v in row] for row in want], (rows[1:], want)
PY
python3 compare.py || fail compare
# NULL is nothing and an empty text is not.
ts out.db -q "SELECT NULL, ''" --output=csv | tail -1
echo '-- default'
ts out.db -q hostile.sql | cmp - tsv || fail "tsv is the default"
ts small.htrace --quiet -q hostile.sql --output=jsonl | cmp - jsonl || fail "of a recording"
echo '-- a terminal'
cat >terminal.py <<'PY'
import os, pty, sys
os.environ["COLUMNS"] = "1000" # nothing is cut
def run(*words):
    seen = b""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[1], [sys.argv[1], *words])
    try:
        while True:
            more = os.read(fd, 65536)
            if not more:
                break
            seen += more
    except OSError:
        pass
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.replace(b"\r\n", b"\n")
table = open("table", "rb").read()
assert run("out.db", "-q", "hostile.sql") == (0, table)
for format in ("table", "csv", "tsv", "json", "jsonl"):
    code, seen = run("out.db", "-q", "hostile.sql", "--output", format)
    assert code == 0 and b"\x1b" not in seen and "\u202e".encode() not in seen or format.startswith("json"), (format, seen)
    assert b"\x1b" not in seen, (format, seen)
# The whole run: no colours, NO_COLOR or not.
code, seen = run("small.htrace", "-e", "terminal.db", "--no-progress")
assert code == 0 and b"\x1b" not in seen, seen
PY
python3 terminal.py "$PROGRAM" || fail terminal
echo '-- many rows: widths are those of the first 200, and memory does not grow'
many="WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i, printf('%.*c', i / 199 % 9, 'x') AS x, i AS y FROM n"
for format in table csv json; do
    ts out.db -q "$many" --output=$format --max-memory=8M >many.$format || fail "$format: memory"
done
sed -n '1,3p;201,203p;1989,1991p' many.table
python3 -c 'import json; assert len(json.load(open("many.json"))) == 20000'
echo '-- the reader goes away'
gone() { # what it prints on standard error, and its exit code, when nobody reads more than a line
    "$PROGRAM" "$@" 2>err | head -1
    printf 'exit %d\n' "${PIPESTATUS[0]}"
    cat err
}
gone out.db -q "$many"
gone out.db -q "$many" --output=json
gone --tables
gone small.htrace -e gone.db -q "$many" --quiet
sqlite3 gone.db 'SELECT count(*) FROM js_heap_nodes'
gone out.db -q "$many; SELECT broken"
echo '-- errors'
code ts out.db -q 'SELECT 1' --output=xml
code ts out.db -q 'SELECT 1' --output=csv --output=csv
code ts small.htrace -e x.db --output=csv
code ts out.db -q 'SELECT 1 AS one; SELECT broken' --output=json
ts out.db -q "SELECT 1" --output=table >/dev/full
echo "exit $?"
