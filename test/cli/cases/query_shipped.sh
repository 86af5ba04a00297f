# shellcheck shell=bash
# A name without a slash is looked up here first, then among the shipped questions.
small
ts small.htrace -e out.db --quiet
for file in "$SOURCE"/share/sql/*.sql; do
    [ -e "$file" ] || continue
    ts out.db -q "${file##*/}" >here 2>err || { grep -q '' err && cat err; }
    ts out.db -q "$file" >there 2>/dev/null
    cmp here there || fail "${file##*/}"
    echo 'SELECT 42 AS mine' >"${file##*/}"
    ts out.db -q "${file##*/}" | grep -q 42 || fail "the file here comes first"
    rm "${file##*/}"
done
code ts out.db -q no_such_question.sql
