# shellcheck shell=bash
# Nothing on standard output; the summary on standard error; nothing is left beside the database.
small
ts small.htrace -e out.db >stdout 2>stderr || fail "exit code $?"
[ ! -s stdout ] || fail "standard output is not empty"
timeless <stderr | grep -vE '^    [^j]|^  rows ' >&2
grep -qE '^    schema_doc +[0-9]+$' stderr || fail "rows of schema_doc"
rm stdout stderr
ls -A
sqlite3 out.db 'PRAGMA integrity_check; SELECT count(*) FROM js_heap_nodes'
ts small.htrace -e out.db --quiet || fail "a database of ours is replaced"
cp out.db first.db
ts small.htrace -e second.db --quiet
cmp first.db second.db || fail "two runs differ"
