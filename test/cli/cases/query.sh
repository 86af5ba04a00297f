# shellcheck shell=bash
# -q: real statements (QD-10), tab-separated with a header, on a recording and on a finished database.
small
ts small.htrace -e out.db --quiet
cat >q.sql <<'SQL'
-- a comment; with a semicolon
SELECT count(*)
AS nodes
FROM js_heap_nodes;
SELECT 'semi;colon' AS "a b", NULL AS none_at_all, '' AS empty, 1.5 AS r, -7 AS i; /* no rows: */
SELECT 1 AS none WHERE 0;
SELECT 'tab	new
line' || char(13) || 'cr back\slash ü' AS text
SQL
ts out.db -q q.sql || fail finished
ts out.db -q q.sql >one
ts small.htrace -q q.sql --quiet >two || fail temporary
ts small.htrace -q - -e again.db --quiet <q.sql >three || fail "with -e"
cmp one two && cmp one three || fail "results differ"
cmp out.db again.db || fail "-q changes the database"
ts small.htrace --query-file=q.sql --quiet | cmp - one || fail long
echo '-- parameters'
ts out.db -q - --param n=1 --param :t=x=y --param r=2.5 <<<'SELECT :n + 1, @t, typeof($r), :missing'
echo '-- errors'
code ts out.db -q - <<<'SELECT 1 AS kept; SELEC 2'
code ts out.db -q - --param unused=1 <<<'SELECT 1'
code ts out.db -q missing.sql
code ts out.db -q /missing.sql
code ts out.db -q .
code ts out.db -q - <<<'DELETE FROM meta'
code ts out.db -q - <<<"ATTACH 'x.db' AS x"
code ts missing.db -q q.sql
code ts small.htrace -e no.db -q - <<<'SELECT broken'
[ ! -e no.db ] || fail "published in spite of a failed question"
# Any SQLite database can be asked.
sqlite3 other.db 'CREATE TABLE t(x); INSERT INTO t VALUES (5)'
ts other.db -q - <<<'SELECT * FROM t'
: >nothing.sql
code ts out.db -q nothing.sql
[ ! -e x.db ] || fail "x.db was made"
code ts out.db -q - <<<"VACUUM INTO 'y.db'"
[ ! -e y.db ] || fail "y.db was made"
# A zero byte in a text is shown as an escape; a file of questions has its limit.
ts out.db -q - <<<"SELECT 'a' || char(0) || 'b' || char(9, 13, 92) AS t"
{ head -c 16777217 /dev/zero | tr '\0' ' ' && echo 'SELECT 1'; } >long.sql
code ts out.db -q long.sql
