# shellcheck shell=bash
# --json: one valid object, whatever the names are; on standard output or in a file; also when the run fails.
small
check() { # file, Python expression over o
    python3 -c 'import json, sys; o = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$1" "$2" ||
        fail "$1: $2: $(cat "$1")"
}
ts small.htrace -e out.db --json >a.json 2>stderr || fail "exit $?"
grep -q '^out.db$' stderr || fail "the summary for people is missing"
check a.json 'o["tool"] == "trace_streamer" and o["exit_code"] == 0 and o["output"] == "out.db"'
check a.json 'o["rows"]["js_heap_nodes"] == 3 and o["rows"]["js_heap_edges"] == 4'
check a.json 'o["inputs"] == ["small.htrace"] and "htrace" in o["formats"] and o["schema_version"] >= 1'
check a.json 'o["issues"].keys() >= {"info", "warning", "data_loss", "error"} and o["errors"] == []'
check a.json 'o["duration_seconds"] >= 0 and o["peak_memory_bytes"] > 0 and o["not_decoded"] == []'
check a.json 'all(c["seen"] == c["imported"] + c["lost"] + c["skipped"] for c in o["counts"])'
ts small.htrace --json --quiet >b.json 2>stderr || fail "--json alone"
[ ! -s stderr ] || fail "--quiet"
check b.json 'o["output"] is None and o["rows"]["js_heap_nodes"] == 3'
ts small.htrace -e out.db -q - --json=c.json --quiet <<<'SELECT 1 AS one' >rows || fail "--json=FILE"
printf 'one\n1\n' | cmp - rows
check c.json 'o["output"] == "out.db"'
# A longer summary is replaced as a whole.
head -c 100000 /dev/zero | tr '\0' x >c.json
ts small.htrace -e out.db --json=c.json --quiet
check c.json 'o["exit_code"] == 0'
# So it is in a file that is open already.
head -c 100000 /dev/zero | tr '\0' x >i.json
ts small.htrace --json=/dev/fd/3 --quiet 3<>i.json
check i.json 'o["exit_code"] == 0'
[ "$(tail -c 1 i.json | wc -l)" = 1 ] || fail "the last line has no end"
# Hostile names.
evil=$'ev"il\\\n\t\033\xff\xc0name'
cp small.htrace "$evil"
ts "$evil" -e "$evil.db" --json --quiet >d.json || fail evil
check d.json 'o["output"].endswith("name.db") and "\"" in o["sources"][0]["path"]'
mkhtrace -o plugins.htrace --plugin $'we"ird\\\n:10' --plugin bytrace-plugin:20
ts plugins.htrace --json --quiet >e.json || fail plugins
check e.json 'o["not_decoded"][0]["segments"] == 1 and o["not_decoded"][1]["plugin"] == "bytrace-plugin"'
for file in a b c d e; do python3 -m json.tool $file.json >/dev/null || fail "$file.json"; done
# Failures.
ts $'miss"ing' -e no.db --json >f.json 2>/dev/null
check f.json 'o["exit_code"] == 1 and o["output"] is None and "miss\"ing" in o["errors"][-1]'
echo text >text
ts text -e no.db --json=g.json 2>/dev/null
check g.json 'o["exit_code"] == 5'
ts small.htrace -e no/dir.db --json=h.json 2>/dev/null
check h.json 'o["exit_code"] == 4 and o["output"] is None'
# The file must not be an input or the database.
cp small.htrace keep
code ts small.htrace -e out.db --json=small.htrace
code ts small.htrace -e x.db --json=x.db
code ts small.htrace -e x.db --json=no/such.json
cmp small.htrace keep
[ ! -e x.db ] || fail "x.db was made"
