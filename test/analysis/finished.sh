#!/usr/bin/env bash
# --analyze on finished databases: the rows are those of a conversion, the rest stays; what is refused, and that it changes nothing.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
input=$tests/data/recording-cpuprofile.htrace.gz
ts "$input" -e plain.db --quiet
ts "$input" -e right.db --analyze=stack_totals --quiet
dump right.db >right

# In place, into another file, and again.
cp plain.db a.db
ts a.db --analyze=stack_totals --quiet
dump a.db | cmp - right || wrong "not the rows of a conversion"
[ "$(sql a.db 'PRAGMA integrity_check')" = ok ] || wrong "integrity_check"
ts plain.db --analyze=stack_totals -e b.db --quiet
cmp a.db b.db || wrong "-e gives other bytes"
expect 2 'has rows of the analysis stack_totals already (table stack_total); --force replaces them' a.db --analyze=stack_totals
cmp a.db b.db || wrong "a refusal changes the database"
sql a.db "UPDATE stack_total SET self_count = 0"
ts a.db --analyze=stack_totals --force --quiet
dump a.db | cmp - right || wrong "--force does not replace the rows"
ts a.db --analyze=stack_totals --force --json >summary
grep -q '"stack_total":19' <(tr -d ' \n' <summary) || wrong "the summary has no rows: $(cat summary)"

# Edges whose rows stand below a view.
timeline=$tests/data/recording-timeline.htrace.gz
ts "$timeline" -e view.db --viewer=edge-names --quiet
ts view.db --analyze=heap --quiet
ts "$timeline" -e no_view.db --analyze=heap --quiet
for table in js_heap_analysis js_heap_retained js_heap_constructor js_heap_duplicate_string; do
    cmp <(sql view.db "SELECT * FROM $table") <(sql no_view.db "SELECT * FROM $table") || wrong "--viewer=edge-names: $table"
done
[ "$(sql view.db 'PRAGMA integrity_check' "SELECT type FROM sqlite_schema WHERE name = 'js_heap_edges'")" = $'ok\nview' ] ||
    wrong "--viewer=edge-names: integrity_check, or the view is lost"

# Other layouts: indexes, statistics, page sizes, a write-ahead log, VACUUM.
ts "$input" -e indexed.db --index --quiet
sql indexed.db 'CREATE INDEX mine ON stack_total(method_id)'
ts indexed.db --analyze=stack_totals --quiet
[ "$(sql indexed.db 'PRAGMA integrity_check')" = ok ] || wrong "indexes"
[ "$(sql indexed.db 'SELECT count(*) FROM stack_total INDEXED BY mine WHERE method_id > 0')" = 19 ] || wrong "index of the user"
cp b.db trigger.db
sql trigger.db "CREATE TRIGGER foreign_words AFTER DELETE ON stack_total BEGIN UPDATE stack_method SET name = 'trigger'; END"
ts trigger.db --analyze=stack_totals --force --quiet
sql trigger.db 'DROP TRIGGER foreign_words'
dump trigger.db | cmp - right || wrong "the trigger of a database was run"
for size in 512 65536; do
    cp plain.db size.db
    sql size.db "PRAGMA page_size = $size" VACUUM
    ts size.db --analyze=stack_totals --quiet
    dump size.db | cmp - right || wrong "pages of $size bytes"
    [ "$(sql size.db 'PRAGMA integrity_check')" = ok ] || wrong "integrity_check, pages of $size bytes"
done
cp plain.db wal.db
"$python" - <<'PY'
import os, sqlite3
db = sqlite3.connect("wal.db", isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute("UPDATE stack_method SET name = 'from the log' WHERE id = 1")
os._exit(0)  # leaves wal.db-wal
PY
[ -s wal.db-wal ] || wrong "no write-ahead log was made"
ts wal.db --analyze=stack_totals --quiet --sync
[ "$(sql wal.db "SELECT count(*) FROM stack_method WHERE name = 'from the log'" 'SELECT count(*) FROM stack_total')" = $'1\n19' ] ||
    wrong "what stood in the write-ahead log is lost"

# Refused, with a sentence, and unchanged.
refused() { # CODE WORDS, of bad.db
    cp bad.db before.db
    expect "$1" "$2" bad.db --analyze=stack_totals
    cmp bad.db before.db || wrong "changed although refused: $2"
    left
}
cp plain.db bad.db && sql bad.db 'PRAGMA application_id = 7'
refused 1 'not a database of trace_streamer'
cp plain.db bad.db && sql bad.db 'PRAGMA user_version = 9'
refused 1 'version 9 of the schema'
cp plain.db bad.db && sql bad.db 'PRAGMA auto_vacuum = FULL' VACUUM
refused 1 'auto_vacuum'
cp plain.db bad.db && sql bad.db 'DROP TABLE stack_total'
refused 1 'no table stack_total'
cp plain.db bad.db && sql bad.db 'ALTER TABLE stack_node ADD COLUMN mine'
refused 1 'stack_node is not as this program makes it'
cp plain.db bad.db && sql bad.db 'DELETE FROM stack_node WHERE id = 5'
refused 1 'the rows of table stack_node were changed'
cp plain.db bad.db && sql bad.db "UPDATE stack_sample_row SET node_id = 'x' WHERE id = 5"
refused 1 'column node_id of row 5 holds no integer'
head -c 300000 plain.db >bad.db
refused 1 'bad.db'
cp plain.db bad.db
"$python" - "$program" <<'PY' || wrong "a locked database"
import sqlite3, subprocess, sys
db = sqlite3.connect("bad.db", isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
r = subprocess.run([sys.argv[1], "bad.db", "--analyze=stack_totals"], capture_output=True, text=True)
print(r.stderr)
sys.exit(0 if r.returncode == 4 and "locks it" in r.stderr else 1)
PY
cmp bad.db plain.db || wrong "changed although locked"
expect 2 'known are: call_views, sample_views, profile_metrics, stack_totals, heap, markers, napi_async, default, none' plain.db --analyze=nothing
expect 2 'selects no analysis' plain.db --analyze=none
expect 2 'the analysis heap has nothing to do: js_heap_file_detail has no rows' plain.db --analyze=heap
expect 2 'cannot be given with it' plain.db --analyze=stack_totals --index
expect 2 'finished database of this program' "$input" --analyze=stack_totals
expect 2 'unknown analysis' "$input" -e new.db --analyze=x
[ ! -e new.db ] || wrong "written although refused"
chmod a-w . && { [ "$(id -u)" = 0 ] || expect 4 'cannot write the output' plain.db --analyze=stack_totals; }
chmod u+w .

# Damage: each 997th byte. Rows, or an error; never a crash.
size=$(stat -c %s plain.db)
"$python" - "$program" "$size" <<'PY' || wrong "damaged databases"
import subprocess, sys
whole = open("plain.db", "rb").read()
codes = {}
for at in list(range(0, 110, 9)) + list(range(4096, int(sys.argv[2]), 9973)):
    bad = bytearray(whole)
    bad[at] ^= 0xFF
    open("bad.db", "wb").write(bad)
    r = subprocess.run([sys.argv[1], "bad.db", "--analyze=stack_totals", "--quiet"], capture_output=True, timeout=60)
    codes[r.returncode] = codes.get(r.returncode, 0) + 1
    if r.returncode not in (0, 1, 2, 4):
        print(at, r)
        sys.exit(1)
    if r.returncode != 0 and open("bad.db", "rb").read() != bytes(bad):
        print("changed:", at)
        sys.exit(1)
print(codes)
PY
left
echo "finished databases: all as it should be"
