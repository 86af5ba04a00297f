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
code ts work.db missing.db -q longest_pauses
