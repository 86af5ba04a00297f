# shellcheck shell=bash
# merge: the rows of one conversion, sources by their names, parts, what is refused.
ts "$DATA/work.jfr.gz" -e a.db --quiet
ts "$DATA/kernel.htrace.gz" -e b.db --quiet
sum=$(cat a.db b.db | sha256sum)
code ts merge a.db b.db -e both.db
ts "$DATA/work.jfr.gz" "$DATA/kernel.htrace.gz" -e right.db --quiet
for table in trace_range stack_sample thread process callstack thread_state import_count; do
    [ "$(sqlite3 right.db "SELECT * FROM $table")" = "$(sqlite3 both.db "SELECT * FROM $table")" ] || fail "$table"
done
sqlite3 both.db "PRAGMA integrity_check" "SELECT id, path FROM source WHERE parent_id IS NULL"
echo "--- the same input twice"
ts merge a.db a.db b.db -e three.db --quiet --index
sqlite3 three.db "SELECT id, path FROM source WHERE parent_id IS NULL" "SELECT count(*) FROM sqlite_schema WHERE name = 'ix_thread_tid'"
echo "--- parts"
ts cut a.db --from=+100ms --until=+200ms -e part_a.db --quiet
ts cut b.db --from=+1ms --until=+2ms -e part_b.db --quiet
code ts merge part_a.db part_b.db -e parts.db --quiet
sqlite3 parts.db "SELECT count(*) FROM import_issue WHERE code = 'conservation'" "SELECT count(*) > 5 FROM import_issue WHERE code = 'left_out'"
[ "$(sqlite3 part_a.db "SELECT count(*), sum(dur) FROM stack_sample")" = "$(sqlite3 parts.db "SELECT count(*), sum(dur) FROM stack_sample")" ] || fail "samples"
ts parts.db --to=folded -o - --quiet | sort >folded
ts part_a.db --to=folded -o - --quiet | sort | cmp - folded
echo "--- usage"
code ts merge a.db -e bad.db
code ts merge a.db b.db
code ts merge a.db b.db -e a.db
code ts merge a.db b.db -e both.db
code ts merge a.db none.db -e bad.db
code ts merge a.db "$DATA/work.jfr.gz" -e bad.db 2>&1 | sed 's/path=".*"/path="..."/'
code ts merge a.db b.db -e bad.db --thread=main
cp b.db old.db
sqlite3 old.db "PRAGMA user_version = 1"
code ts merge a.db old.db -e bad.db 2>&1 | sed 's/schema, not [0-9]*/schema, not N/'
head -c 20000 b.db >cut.db
code ts merge a.db cut.db -e bad.db 2>&1 | head -1
cp b.db changed.db
sqlite3 changed.db "UPDATE callstack SET id = 1 WHERE id = 3"
code ts merge a.db changed.db -e bad.db
[ ! -e bad.db ] || fail "bad.db was made"
[ "$sum" = "$(cat a.db b.db | sha256sum)" ] || fail "an input has changed"
