# shellcheck shell=bash
# Nothing on standard output; the summary on standard error; nothing is left beside the database.
small
ts small.htrace -e out.db >stdout 2>stderr || fail "exit code $?"
[ ! -s stdout ] || fail "standard output is not empty"
timeless <stderr | grep -vE '^    [a-ik-z]|^  rows ' >&2
grep -qE '^    internal \(--verbose\) +[0-9]+$' stderr || fail "rows of internal tables"
rm out.db
ts small.htrace -e out.db --verbose 2>stderr
timeless <stderr | grep -E '^    j' >&2
grep -qE '^    schema_doc +[0-9]+$' stderr || fail "rows of schema_doc"
# The numbers of all tables are those of the database.
total=$(sed -nE 's/^  rows +//p' stderr)
[ "$(sed -nE 's/^    [a-z_]+ +([0-9]+)$/\1/p' stderr | awk '{ n += $1 } END { print n }')" = "$total" ] || fail "rows"
sed -nE 's/^    ([a-z_]+) +([0-9]+)$/\1 \2/p' stderr | while read -r table rows; do
    [ "$(sqlite3 out.db "SELECT count(*) FROM $table")" = "$rows" ] || fail "$table"
done
# What is said to be asked next can be asked, whatever the path.
ts small.htrace -e "it's a \$db.db" 2>stderr
mkdir bin && ln -s "$PROGRAM" bin/trace_streamer
sed -nE 's/^  (ask  |     ) +trace_streamer/trace_streamer/p' stderr >next
[ "$(wc -l <next)" = 4 ] || fail "next"
PATH=$PWD/bin:$PATH bash -e next >answers || fail "$(cat next)"
grep -q '^Largest classes' answers && grep -q '^class	count' answers || fail answers
rm -r bin next answers "it's a \$db.db"
rm stdout stderr
ls -A
sqlite3 out.db 'PRAGMA integrity_check; SELECT count(*) FROM js_heap_nodes'
ts small.htrace -e out.db --quiet || fail "a database of ours is replaced"
cp out.db first.db
ts small.htrace -e second.db --quiet
cmp first.db second.db || fail "two runs differ"
