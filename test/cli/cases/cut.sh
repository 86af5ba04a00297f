# shellcheck shell=bash
# cut: what stays, what is said, what is refused.
ts "$DATA/kernel.htrace.gz" -e plain.db --quiet
sum=$(sha256sum <plain.db)
code ts cut plain.db --from=+1ms --until=+2ms -e part.db
sqlite3 part.db "PRAGMA integrity_check" "SELECT name, value FROM meta WHERE name LIKE 'cut%'" \
    "SELECT severity, stream, count, message FROM import_issue WHERE code = 'left_out' ORDER BY stream LIMIT 3"
[ "$(sqlite3 plain.db "SELECT * FROM trace_range")" = "$(sqlite3 part.db "SELECT * FROM trace_range")" ] || fail "trace_range has changed"
[ "$(stat -c %s part.db)" -lt "$(stat -c %s plain.db)" ] || fail "the part is not smaller"
echo "--- of a recording, the same bytes"
ts cut "$DATA/kernel.htrace.gz" --from=+1ms --until=+2ms -e again.db --quiet
cmp part.db again.db
echo "--- a part of a part"
ts cut part.db --from=+1ms --until=+2ms -e third.db --quiet
for table in callstack thread_state data_dict thread; do
    [ "$(sqlite3 part.db "SELECT rowid, * FROM $table")" = "$(sqlite3 third.db "SELECT rowid, * FROM $table")" ] || fail "$table"
done
echo "--- tokens instead of its texts"
ts redact part.db -e shared.db --quiet
sqlite3 shared.db "SELECT name, value FROM meta WHERE name LIKE 'cut%'"
echo "--- what is not of this program"
cp plain.db mine.db
sqlite3 mine.db "CREATE TABLE secret(a); CREATE VIEW mine AS SELECT 1 AS a"
ts cut mine.db --from=+1ms -e mine_part.db 2>&1 | grep "not of this program"
echo "--- usage"
code ts cut plain.db --from=+1ms
code ts cut plain.db -e bad.db
code ts cut plain.db --from=+1ms -e plain.db
code ts cut plain.db --from=+1ms -e part.db
code ts cut plain.db --from=noon -e bad.db
code ts cut plain.db --from=+2ms --until=+1ms -e bad.db
code ts cut plain.db --from=+1s -e bad.db
code ts cut plain.db --source=none.htrace -e bad.db
code ts cut none.db --from=+1ms -e bad.db
code ts cut plain.db --from=+1ms --param limit=1 -e bad.db
sqlite3 mine.db "PRAGMA user_version = 1"
code ts cut mine.db --from=+1ms -e bad.db 2>&1 | sed 's/schema, not [0-9]*/schema, not N/'
[ ! -e bad.db ] || fail "bad.db was made"
[ "$sum" = "$(sha256sum <plain.db)" ] || fail "the whole has changed"
