# shellcheck shell=bash
# What SQLite left beside an earlier database of the name is no part of the new one.
small
ts small.htrace -e right.db --quiet
die_in() { # statements: run by a process that dies
    python3 - "$1" <<'PY'
import os, sqlite3, sys
c = sqlite3.connect("out.db", isolation_level=None)
for sql in sys.argv[1].split(";"):
    c.execute(sql)
os._exit(0)
PY
    find . -name 'out.db?*' | sort
}
again() {
    ts small.htrace -e out.db --quiet || fail "exit $?"
    cmp out.db right.db
    find . -name 'out.db?*'
}
cp right.db out.db
die_in "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE js_heap_nodes SET self_size = 7"
again
die_in "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE js_heap_nodes SET self_size = 7; UPDATE stat SET count = 7; CREATE TABLE x AS SELECT * FROM schema_doc"
again
die_in "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE js_heap_nodes SET self_size = 7"
rm out.db
again
echo '-- not SQLite'
echo notes >out.db-journal
code ts small.htrace -e out.db --quiet
cat out.db-journal
ts small.htrace -e out.db --quiet --force
find . -name 'out.db?*'
mkfifo out.db-wal
code timeout 20 "$PROGRAM" small.htrace -e out.db --quiet --force
rm out.db-wal
echo '-- another program writes'
python3 - "$PROGRAM" <<'PY'
import re, sqlite3, subprocess, sys
for sql in ("BEGIN IMMEDIATE", "PRAGMA journal_mode = WAL"):
    # Reading it later would give the locks up: they are those of the process.
    before = open("out.db", "rb").read()
    c = sqlite3.connect("out.db", isolation_level=None)
    c.execute(sql)
    c.execute("SELECT count(*) FROM meta").fetchall()
    p = subprocess.run([sys.argv[1], "small.htrace", "-e", "out.db", "--quiet"], stderr=subprocess.PIPE, text=True)
    print("exit", p.returncode, re.sub(r"process \d+", "process N", p.stderr), end="")
    c.close()
    print(open("out.db", "rb").read()[100:] == before[100:])
PY
again
cmp out.db right.db
