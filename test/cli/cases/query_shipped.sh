# shellcheck shell=bash
# A name without a slash is looked up here first, then among the shipped questions.
small
ts small.htrace -e out.db --quiet
for file in "$SOURCE"/share/sql/*.sql; do
    [ -e "$file" ] || continue
    name=${file##*/}
    ts out.db -q "$name" >here 2>err
    ts out.db -q "${name%.sql}" >short 2>/dev/null
    ts out.db -q "$file" >there 2>/dev/null
    cmp here there && cmp here short || fail "$name"
    grep -v 'SQL error' err || true
    echo 'SELECT 42 AS mine' >"$name"
    ts out.db -q "$name" | grep -q 42 || fail "the file here comes first"
    rm "$name"
done
code ts out.db -q no_such_question.sql
