"""parquet.py GROUP PROGRAM COLUMNS SOURCE: tables as columns.

GROUP is one of readers: every cell of every bundled recording and of a made-up database, as hyparquet and DuckDB read it, is that of SQLite (both come from npm;
TS_DEVTOOLS=install or TS_SLOW=1 asks for it, or TS_DEVTOOLS names the folder that has them; else skipped); native: the same of blocks of ClickHouse, which also says
that all values have the width of their declarations; sizes: bytes a row of a heap; files: where files go, what is refused, and what a failure leaves; memory: its bound;
growth: time with rows.
"""
import glob
import hashlib
import os
import random
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

import made

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import npm_packages  # noqa: E402

GROUP, PROGRAM, COLUMNS, SOURCE = sys.argv[1:5]
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(SOURCE, "test", "data")
SNAPSHOTS = os.path.join(DATA, "recording-snapshots.htrace.gz")
PACKAGES = ["hyparquet@1.33.0", "hyparquet-compressors@1.1.2", "@duckdb/node-api@1.5.6-r.1"]
ANALYSES = "--analyze=profile_metrics,stack_totals,heap,markers,napi_async"
READERS = ("hyparquet", "duckdb")


def check(condition, text):
    if not condition:
        raise SystemExit(f"WRONG: {text}")


def recordings():
    """(name, database) of each bundled recording, with all that analyses find in it."""
    found = []
    for path in sorted(glob.glob(os.path.join(DATA, "*")) + [os.path.join(DATA, "tiny", name) for name in os.listdir(os.path.join(DATA, "tiny"))]):
        name = os.path.basename(path)
        database = f"{name}.db"
        r = made.run(PROGRAM, path, ANALYSES, "-e", database, "--quiet", "--force", codes=(0, 1, 2, 5))
        if r.returncode == 0 and os.path.exists(database):
            found.append((name, database))
    check(len(found) > 20, f"only {len(found)} recordings: {found}")
    return found


# --- what SQLite reads ----------------------------------------------------------------------------

def cell(value):
    if value is None:
        return "N"
    if isinstance(value, int):
        return str(value)
    return struct.pack("<d", value).hex() if isinstance(value, float) else "t" + value.hex()


def rows_of(sql, table):
    kind = sql.execute("SELECT type FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    columns = [row[1].decode() for row in sql.execute(f'PRAGMA table_info("{table}")')]
    row = "rowid" if kind == b"table" else f'"{columns[0]}"'
    for values in sql.execute(f'SELECT {row}, * FROM "{table}" ORDER BY 1'):
        yield "\t".join(map(cell, values))


def connect(database):
    sql = sqlite3.connect(database)
    sql.text_factory = bytes
    return sql


def tables_with_rows(sql):
    """Those that are tables, and stack_sample, whose rows may be short."""
    declared = [line.split()[0] for line in made.run(PROGRAM, "--tables").stdout.decode().splitlines() if line[:1].isalpha()]
    names = {row[0].decode(): row[1] for row in sql.execute("SELECT name, type FROM sqlite_master")}
    return sorted(t for t in declared if (names.get(t) == b"table" or t == "stack_sample" and t in names) and
                  sql.execute(f'SELECT 1 FROM "{t}" LIMIT 1').fetchone())


def compare(what, sql, table, got):
    wrong = 0
    expected = 0
    for expected, (a, b) in enumerate(zip(got, rows_of(sql, table)), 1):
        if a != b:
            wrong += 1
            if wrong < 4:
                print(f"WRONG: {what} {table}: {a[:300]} instead of {b[:300]}")
    count = sql.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    check(wrong == 0 and expected == len(got) == count, f"{what} {table}: {wrong} rows differ, {len(got)} of {count}")
    return count


# --- made-up rows ---------------------------------------------------------------------------------

BIG = 1 << 63
INTEGERS = [None, 0, 1, -1, 127, 128, 255, 256, 65535, 65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, BIG - 1, -BIG]
# (No text begins with U+FEFF: both readers hand it to a TextDecoder of JavaScript, which takes it off.)
TEXTS = [None, b"", b"a", b"a\0b", "größe.日本語.🔥".encode(), b"x" * 300, b"y" * (1 << 20)]


def made_up(database):
    """Values at every limit, in tables that take them; texts that are no UTF-8; rows of all sizes around those of batches and pages; NULL everywhere."""
    made.run(PROGRAM, os.path.join(DATA, "sessions.heapprofile"), "-e", database, "--quiet", "--force")
    sql = connect(database)
    put = sql.executemany
    # Any integer: one column of it alone, and values that do not fit what is declared.
    put("INSERT INTO args(id, key, datatype, value, argset) VALUES (?, ?, ?, ?, ?)", ((v, v, INTEGERS[-i - 1], v, i) for i, v in enumerate(INTEGERS)))
    put("INSERT INTO js_heap_nodes(file_id, node_index, type, id, self_size) VALUES (?, ?, ?, ?, ?)",
        ((1 if i < 40000 else 70000, i, i % 256 if i < 50000 else 256, (1 << 32) - 1 - i, -i) for i in range(50001)))
    put("INSERT INTO js_heap_edges(file_id, edge_index, type, to_node) VALUES (1, ?, NULL, ?)", ((i, (i * 2654435761) % (1 << 32)) for i in range(200000)))
    put("INSERT INTO js_heap_location(file_id, line) VALUES (1, ?)", ((i % 3,) for i in range(16384)))
    put("INSERT INTO js_heap_sample(file_id, timestamp_us) VALUES (1, ?)", ((i * i,) for i in range(16385)))
    put("INSERT INTO js_heap_trace_node(file_id, id) VALUES (1, ?)", ((None if i % 2 else i,) for i in range(16383)))
    put("INSERT INTO import_issue(source_id, severity, code, count, message) VALUES (?, ?, '', 1, ?)", ((i, t, t) for i, t in enumerate(None if t is None else t.decode() for t in TEXTS)))
    put("INSERT INTO source_property(source_id, key, value) VALUES (1, ?, CAST(? AS TEXT))", (("k%d" % (i % 5), t) for i, t in enumerate([*TEXTS, b"\xff\xfe", b"\xed\xa0\x80"])))
    put("INSERT INTO stack_sample_label(sample_id, key, value) VALUES (?, ?, ?)", ((i, "key%d" % (i // 7 % 9), "value %d of many" % (i % 70000)) for i in range(140000)))
    put("INSERT INTO timeseries_value(series_id, ts, value) VALUES (1, ?, ?)",
        ((i, v) for i, v in enumerate([None, 0.0, -0.0, 1.5, float("inf"), float("-inf"), 5e-324, 1.7976931348623157e308] * 5)))
    put("INSERT INTO device_state(recording) VALUES (?)", ((i,) for i in range(3)))
    put("INSERT INTO symbols(id, funcname) VALUES (?, NULL)", ((i,) for i in range(129)))
    for i, v in enumerate(INTEGERS[1:]):  # rowids of all sizes
        sql.execute("INSERT OR IGNORE INTO measure(rowid, type, value) VALUES (?, '', ?)", (v, i))
    sql.commit()
    sql.close()


# --- groups ---------------------------------------------------------------------------------------

def readers():
    folder = os.path.dirname(npm_packages.modules(PACKAGES, "70 MB"))
    databases = recordings()
    made_up("made-up.db")
    databases.append(("made-up", "made-up.db"))
    shutil.copy(made.empty(PROGRAM, SOURCE), "random.db")
    with sqlite3.connect("random.db") as sql:
        made.fill(sql, random.Random(8), 300)
    sql.close()
    databases.append(("random", "random.db"))
    files = []
    for name, database in databases:
        made.run(PROGRAM, database, "--to=parquet", "-o", f"{name}.d", "--quiet")
        files += sorted(glob.glob(f"{glob.escape(name)}.d/*.parquet"))
    running = [subprocess.Popen(["node", os.path.join(HERE, "parquet_cells.mjs"), reader, folder, *files]) for reader in READERS]
    check([one.wait() for one in running] == [0, 0], "a reader failed")
    rows = 0
    for name, database in databases:
        sql = connect(database)
        tables = tables_with_rows(sql)
        check(tables == sorted(os.path.basename(f)[:-len(".parquet")] for f in glob.glob(f"{glob.escape(name)}.d/*.parquet")), f"{name}: other files than {tables}")
        for table in tables:
            for reader in READERS:
                with open(f"{name}.d/{table}.parquet.{reader}.cells", encoding="ascii") as f:
                    rows += compare(f"{name}, {reader}:", sql, table, f.read().split("\n")[:-1])
        sql.close()
    print(f"{len(databases)} databases, {rows} rows")
    hive(folder)


def hive(folder):
    """The dataset as DuckDB sees it: columns of the folders beside those of the tables."""
    for path in (SNAPSHOTS, os.path.join(DATA, "go-cpu.pprof"), "made-up.db"):
        made.run(PROGRAM, path, "--to=parquet", "--layout=hive", "-o", "hive", "--quiet")
    for table, days in (("source", 3), ("device_state", 1)):
        found = glob.glob(f"hive/{table}/day=*/recording=*/part.parquet")
        check(len(found) == days, f"{table}: {found}")
        subprocess.run(["node", os.path.join(HERE, "parquet_cells.mjs"), "duckdb", folder, f"hive/{table}/*/*/part.parquet"], check=True)
        with open(f"hive_{table}_____part.parquet.duckdb.cells", encoding="ascii") as f:
            rows = [line.rstrip("\n").split("\t") for line in f]
        named = {tuple(part.split("=")[1] for part in path.split("/")[2:4]) for path in found}
        check({(row[-2], bytes.fromhex(row[-1][1:]).decode()) for row in rows} == named, f"{table}: {rows}")


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


FIXED = {"UInt8": "B", "UInt16": "<H", "UInt32": "<I", "UInt64": "<Q", "Int64": "<q", "Float64": "<d"}


def native_column(data, at, rows):
    texts = []
    for _ in range(2):
        n, at = varint(data, at)
        texts.append(data[at:at + n].decode())
        at += n
    kind = texts[1]
    nulls = bytes(rows)
    if kind.startswith("Nullable("):
        kind = kind[len("Nullable("):-1]
        nulls = data[at:at + rows]
        at += rows
    values = []
    if kind == "String":
        for _ in range(rows):
            n, at = varint(data, at)
            values.append(data[at:at + n])
            at += n
    else:
        size = struct.calcsize(FIXED[kind])
        values = [v[0] for v in struct.iter_unpack(FIXED[kind], data[at:at + rows * size])]
        at += rows * size
    return [None if null else v for null, v in zip(nulls, values)], at


def native():
    total = 0
    for name, database in recordings():
        os.mkdir(f"{name}.d")
        made.run(COLUMNS, "native", database, f"{name}.d")
        sql = connect(database)
        for table in tables_with_rows(sql):
            with open(f"{name}.d/{table}.native", "rb") as f:
                data = f.read()
            got = []
            at = 0
            while at < len(data):
                columns, at = varint(data, at)
                rows, at = varint(data, at)
                values = []
                for _ in range(columns):
                    column, at = native_column(data, at, rows)
                    values.append(column)
                got += ["\t".join(map(cell, row)) for row in zip(*values)]
            total += compare(f"{name}, native:", sql, table, got)
        sql.close()
    print(f"{total} rows")


def sizes():
    made.run(PROGRAM, SNAPSHOTS, "-e", "s.db", "--quiet")
    made.run(PROGRAM, "s.db", "--to=parquet", "-o", "s", "--quiet")
    sql = connect("s.db")
    for table, most in (("js_heap_edges", 4.0), ("js_heap_nodes", 2.5), ("js_heap_string", 3.0)):
        count = sql.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        each = os.path.getsize(f"s/{table}.parquet") / count
        print(f"{table}: {each:.2f} bytes a row")
        check(each <= most, f"{table}: {each:.2f} bytes a row, at most {most}")
    sql.close()


def refuses(words, *arguments, code=2):
    r = made.run(PROGRAM, *arguments, codes=(code,))
    text = r.stderr.decode()
    check(all(word in text for word in words), f"{arguments}: {text}")


def contents(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as f:
                found[os.path.relpath(os.path.join(path, name), folder)] = f.read()
    return found


def files():
    made.run(PROGRAM, SNAPSHOTS, "-e", "s.db", "--quiet")
    made.run(PROGRAM, os.path.join(DATA, "go-cpu.pprof"), "-e", "g.db", "--quiet")
    to = ["--to=parquet", "-o"]
    # A recording and its database give the same, also twice; the folder is made, or is there and empty.
    made.run(PROGRAM, "s.db", *to, "one", "--quiet")
    os.mkdir("two")
    made.run(PROGRAM, SNAPSHOTS, *to, "two", "--quiet")
    expected = contents("one")
    check(contents("two") == expected and len(expected) > 15, "a recording gives other files than its database")
    check(all(name.endswith(".parquet") and data[:4] == data[-4:] == b"PAR1" for name, data in expected.items()), "no files of Parquet")
    check(b"the rowid: order and identity of the rows" in expected["source.parquet"], "no descriptions")
    # What is there stays, unless --force says so; then nothing of the recording before is left.
    refuses(["a file of this name exists", "--force", ".parquet"], "g.db", *to, "one", code=4)
    check(contents("one") == expected, "a refused export changed the folder")
    with open("one/notes.txt", "w", encoding="ascii") as f:
        f.write("mine")
    made.run(PROGRAM, "g.db", *to, "one", "--force", "--quiet")
    made.run(PROGRAM, "g.db", *to, "three", "--quiet")
    check(contents("one") == {**contents("three"), "notes.txt": b"mine"}, "--force leaves files of another recording, or takes files that are not ours")
    # One folder for many recordings.
    for database in ("s.db", "g.db"):
        made.run(PROGRAM, database, *to, "hive", "--layout=hive", "--quiet")
        refuses(["a file of this name exists"], database, *to, "hive", "--layout=hive", code=4)
        made.run(PROGRAM, database, *to, "hive", "--layout=hive", "--quiet", "--force")
    with open("s.db", "rb") as f:
        ident = hashlib.sha256(f.read()).hexdigest()[:32]
    refuses(["a file of this name exists", ident], SNAPSHOTS, *to, "hive", "--layout=hive", code=4)
    found = contents("hive")
    parts = sorted(data for name, data in found.items() if name.endswith("/part.parquet"))
    check(parts == sorted([*expected.values(), *contents("three").values()]), "the dataset has other files")
    check(all(found.get(os.path.join(os.path.dirname(name), "_SUCCESS")) == b"" for name in found) and len(found) == 2 * len(parts), f"marks: {list(found)}")
    check(any(name.startswith("source/day=2026-11-21/recording=") for name in found), f"the day: {list(found)}")
    # What is refused.
    refuses(["writes a folder", "-o DIR"], "s.db", *to, "-")
    refuses(["writes whole tables"], "s.db", *to, "four", "--source=1")
    refuses(["--layout is for --to=parquet"], "g.db", "--to=folded", "-o", "-", "--layout=hive")
    refuses(["--layout requires --to"], "g.db", "-e", "x.db", "--layout=hive")
    refuses(["bad value for --layout", "one hive"], "g.db", *to, "four", "--layout=heap")
    refuses(["cannot make the folder", "No such file"], "s.db", *to, "no/folder", code=4)
    refuses(["cannot open the folder", "Not a directory"], "g.db", *to, "one/notes.txt", code=4)
    refuses(["--max-output=SIZE"], "s.db", *to, "four", "--max-output=100000", code=6)
    check(not os.path.exists("four"), "a failed export leaves a folder")
    # A file that cannot grow further, as on a full disk: nothing is left.
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    r = subprocess.run([PROGRAM, "s.db", *to, "four", "--quiet"], capture_output=True, check=False, preexec_fn=small)
    check(r.returncode == 4 and b"File too large" in r.stderr and not os.path.exists("four"), f"{r.returncode} {r.stderr}")
    check("parquet" in made.run(PROGRAM, "--to=list").stdout.decode(), "--to=list")


def memory():
    """Half a million rows of texts that do not compress, and a table of many columns: below 96 MiB of the process, and of what is counted."""
    made.run(PROGRAM, os.path.join(DATA, "sessions.heapprofile"), "-e", "m.db", "--quiet")
    sql = connect("m.db")
    sql.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
                "INSERT INTO js_heap_string SELECT 1, i, hex(randomblob(100 + i % 100)) FROM n")
    sql.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
                "INSERT INTO jfr_event(id, source_id) SELECT i + 100, i FROM n")
    sql.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) INSERT INTO callstack(id, ts, dur, callid, name, depth, cookie) "
                "SELECT i, random(), random(), random(), hex(randomblob(8)), random(), random() FROM n")
    sql.commit()
    sql.close()
    made.run(PROGRAM, "m.db", "--to=parquet", "-o", "m", "--quiet", "--max-memory=96M")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{most:.0f} MiB")
    check(most < 96, f"{most:.0f} MiB")


def growth():
    """Four times as many rows take four times as long, whatever is in them."""
    for name, values in (("different", "i, 'text ' || random()"), ("equal", "7, 'text'"), ("few", "i % 70000, 'text ' || i % 70000"), ("none", "NULL, NULL")):
        times = []
        for rows in (100000, 400000):
            made.run(PROGRAM, os.path.join(DATA, "sessions.heapprofile"), "-e", "g.db", "--quiet", "--force")
            sql = connect("g.db")
            sql.execute(f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) INSERT INTO js_heap_string SELECT 1, {values} FROM n")
            sql.commit()
            sql.close()
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            made.run(PROGRAM, "g.db", "--to=parquet", "-o", "g", "--quiet", "--force", "--max-memory=96M")
            times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        check(times[1] < 8 * times[0] + 0.1, f"{name}: {times[0]:.2f} s, and {times[1]:.2f} s for four times as many rows")


def main():
    groups = {"readers": readers, "native": native, "sizes": sizes, "files": files, "memory": memory, "growth": growth}
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        groups[GROUP]()
        os.chdir("/")


main()
