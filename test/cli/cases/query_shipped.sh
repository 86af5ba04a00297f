# shellcheck shell=bash
# A name without a slash is looked up here first, then among the shipped questions.
small
ts small.htrace -e out.db --quiet
for file in "$(dirname "$PROGRAM")"/../share/trace_streamer/sql/*.sql; do
    [ -e "$file" ] || continue
    name=${file##*/}
    ts out.db -q "$name" >here 2>err
    ts out.db -q "$file" >there 2>/dev/null
    cmp here there || fail "$name"
    grep -vE 'SQL error|cannot answer|needs --param' err || true
done
echo 'SELECT 42 AS mine' >sources.sql
ts out.db -q sources.sql | grep -q 42 || fail "the file here comes first"
code ts out.db -q no_such_question.sql
