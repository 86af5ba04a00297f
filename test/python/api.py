"""The Python package, against what the program prints and what sqlite3 reads of the database that the program writes."""

import contextlib
import datetime
import gc
import io
import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import arrow_reader
import common
from common import BACKEND, DATA, PROFILE, PROGRAM, SNAPSHOTS, TINY, Case, bytes_of, converted, run, sql, ts

RECORDINGS = [
    os.path.join(DATA, name)
    for name in (
        "recording-cpuprofile.htrace.gz",
        "recording-system.htrace.gz",
        "recording-cloud.tar.gz",
        "work.jfr.gz",
        "go-heap.pprof",
        "hiperf.data",
        "kernel.ftrace",
        "counters.trace.json",
        "perf-stacks.txt",
        "tiny/strings.heapsnapshot",
    )
]


def short(value):
    """A real with the 15 digits that the program prints."""
    return float(f"{value:.15g}") if isinstance(value, float) else value


def quoted(name):
    return '"' + name + '"'


class Rows(Case):
    def test_every_cell(self):
        """All rows of all tables and views are what sqlite3 reads."""
        for path in RECORDINGS:
            database = converted(self.folder, path)
            cells = 0
            with ts.open(path) as t:
                names = [r[0] for r in sql(database, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY 1")]
                for name in names:
                    statement = f"SELECT * FROM {quoted(name)} LIMIT 3000"
                    want = sql(database, statement)
                    got = t.query(statement).rows()
                    self.assertEqual([list(map(type, r)) for r in got], [list(map(type, r)) for r in want], (path, name))
                    self.assertEqual(got, want, (path, name))
                    cells += sum(map(len, got))
            self.assertGreater(cells, 5000, path)

    def test_known_numbers(self):
        """What test/data/README.md says of the heaps."""
        with ts.open(SNAPSHOTS) as t:
            rows = t.query("SELECT node_count, edge_count FROM js_heap_file_detail ORDER BY file_id").rows()
            self.assertEqual(rows, [(42389, 190246), (46007, 202876), (49612, 215458)])
            sizes = t.query("SELECT sum(self_size) FROM js_heap_nodes GROUP BY file_id ORDER BY file_id").rows()
            self.assertEqual(sizes, [(3277201,), (3444425,), (3617489,)])

    def test_values(self):
        with ts.open(PROFILE) as t:
            (row,) = t.query("SELECT 9223372036854775807, -9223372036854775807 - 1, 0.1, 1e300, NULL, '', x'', x'00ff', 'a' || char(0) || 'ü', 9e999")
            want = (9223372036854775807, -9223372036854775808, 0.1, 1e300, None, "", b"", b"\0\xff", "a\0ü", float("inf"))
            self.assertEqual(row, want)
            self.assertEqual(list(map(type, row)), list(map(type, want)))
            self.assertEqual(t.query("SELECT CAST(x'61ff62' AS TEXT)").value(), "a\ufffdb")

    def test_columns(self):
        with ts.open(PROFILE) as t:
            r = t.query("SELECT 1 AS a, 2 AS a, 3 AS b, 4 AS a")
            self.assertEqual(r.columns, ("a", "a", "b", "a"))
            self.assertEqual(r.dicts(), [{"a": 1, "a:1": 2, "b": 3, "a:2": 4}])
            empty = t.query("SELECT id, name FROM source WHERE 0")
            self.assertEqual((empty.columns, empty.rows(), empty.dicts(), empty.value()), (("id", "name"), [], [], None))

    def test_again(self):
        """Every use gives all rows; an iterator is good for one pass."""
        with ts.open(SNAPSHOTS) as t:
            r = t.query("SELECT rowid FROM js_heap_nodes LIMIT 3000")
            first = iter(r)
            self.assertEqual(next(first), (1,))
            second = iter(r)
            self.assertEqual(next(second), (1,))
            self.assertEqual([r[0] for r in first], list(range(2, 3001)))
            self.assertEqual(list(first), [])
            self.assertEqual(len(list(second)), 2999)
            self.assertEqual(len(r.rows()), 3000)
            self.assertEqual(len(r.dicts()), 3000)

    def test_statements(self):
        with ts.open(PROFILE) as t:
            r = t.query("CREATE TEMP TABLE x(a); INSERT INTO x VALUES (';'), ('b');\n-- c;\nSELECT * FROM x /* ; */;\n")
            self.assertEqual(r.rows(), [(";",), ("b",)])
            self.assertEqual(t.query("SELECT a FROM x").rows(), [(";",), ("b",)])
            self.assertEqual(t.query("-- nothing").rows(), [])
            self.assertEqual(t.query("SELECT 1; SELECT 2").rows(), [(2,)])

    def test_statements_are_read_only(self):
        database = converted(self.folder, PROFILE)
        before = bytes_of(database)
        with ts.open(database) as t:
            for statement in (
                "CREATE TABLE x(a)",
                "DELETE FROM source",
                "INSERT INTO source(id) VALUES (99)",
                "UPDATE source SET id = 5",
                "DROP TABLE source",
                f"ATTACH '{self.path('other.db')}' AS other",
                f"VACUUM INTO '{self.path('other.db')}'",
                "PRAGMA user_version = 7",
                "PRAGMA writable_schema = 1",
            ):
                e = self.fails(ts.UsageError, "SQL error: line=1: ", t.query, statement)
                self.assertRegex(str(e), "queries cannot change the database|not authorized")
            self.assertEqual(t.query("PRAGMA table_info(meta)").columns[1], "name")
        self.assertFalse(os.path.exists(self.path("other.db")))
        self.assertEqual(bytes_of(database), before)
        self.assertEqual(sorted(os.listdir(self.folder)), [os.path.basename(database)])

    def test_params(self):
        with ts.open(PROFILE) as t:
            q = "SELECT :a, typeof(:a)"
            for value, want in (
                (5, (5, "integer")),
                (True, (1, "integer")),
                (2.5, (2.5, "real")),
                (-(1 << 63), (-(1 << 63), "integer")),
                ("5", (5, "integer")),
                ("+07", (7, "integer")),
                ("-1.50e1", (-15.0, "real")),
                (".5", (0.5, "real")),
                ("1.", (1.0, "real")),
                ("9223372036854775808", (9223372036854775808.0, "real")),
                ("0x10", ("0x10", "text")),
                ("1e", ("1e", "text")),
                (" 5", (" 5", "text")),
                ("٣", ("٣", "text")),
                ("nan", ("nan", "text")),
                ("ü", ("ü", "text")),
                ("", ("", "text")),
                (None, (None, "null")),
                ([1, "b"], ("1,b", "text")),
                (datetime.datetime(2025, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc), ("2025-01-02T03:04:05.000000Z", "text")),
            ):
                self.assertEqual(t.query(q, a=value).rows(), [want], repr(value))
                self.assertEqual(t.query(q, {"a": value}).rows(), [want], repr(value))
            self.assertEqual(t.query("SELECT :from, @b, $c", from_=1, b=2, c=3).rows(), [(1, 2, 3)])
            self.assertEqual(t.query("SELECT :x_", {"x_": 1}).rows(), [(1,)])
            self.assertEqual(t.query("SELECT :a; SELECT :b", a=1, b=2).rows(), [(2,)])
            self.fails(ts.UsageError, 'no statement has a parameter named "z"', t.query, "SELECT 1", z=1)
            for bad in (float("nan"), float("inf"), 1 << 63, b"x", object(), "a\0b", "\ud800", datetime.datetime(2025, 1, 1)):
                self.fails(ts.UsageError, "", t.query, q, a=bad)

    def test_wrong_sql(self):
        with ts.open(PROFILE) as t:
            e = self.fails(ts.UsageError, "SQL error: line=3: no such column: frob", t.query, "SELECT 1;\n-- x\nSELECT\nfrob")
            self.assertEqual((e.code, e.causes), (2, [str(e)]))
            self.assertIsInstance(e, ValueError)
            self.fails(ts.UsageError, "line=1: no such table: frob", t.query, "SELECT * FROM frob")
            self.fails(ts.UsageError, "NUL byte", t.query, "SELECT 1\0")
            self.fails(ts.UsageError, "integer overflow", lambda: t.query("SELECT abs(-9223372036854775807 - 1)").rows())
            # what fails only later
            late = t.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT CASE i WHEN 900 THEN abs(-9223372036854775807 - 1) ELSE i END FROM n")
            rows = iter(late)
            self.assertEqual(next(rows), (1,))
            self.fails(ts.UsageError, "integer overflow", list, rows)
            self.assertEqual(t.query("SELECT 1").value(), 1)


class Inputs(Case):
    def same(self, trace, *arguments, **options):
        """The saved database is that of the program, byte for byte."""
        path = self.path(f"saved{len(os.listdir(self.folder))}.db")
        with trace:
            trace.save(path)
        self.assertEqual(bytes_of(path), bytes_of(converted(self.folder, *arguments)), (arguments, options))

    def test_saved_bytes(self):
        for path in [*RECORDINGS, SNAPSHOTS]:
            self.same(ts.open(path), path)

    def test_options(self):
        for options, arguments in (
            ({"index": True}, ["--index"]),
            ({"no_meta": True}, ["-nm"]),
            ({"analyze": "heap"}, ["--analyze=heap"]),
            ({"analyze": ["heap", "stack_totals"]}, ["--analyze=heap,stack_totals"]),
            ({"analyze": "none", "threads": 1}, ["--analyze=none", "--threads=1"]),
            ({"compat": True}, ["--compat"]),
            ({"max_memory": "200M", "max_inflate": 1 << 30}, ["--max-memory=200M", "--max-inflate=1G"]),
            ({"viewer": "edge-names"}, ["--viewer=edge-names"]),
        ):
            self.same(ts.open(SNAPSHOTS, **options), SNAPSHOTS, *arguments)
        system = os.path.join(DATA, "recording-system.htrace.gz")
        for options, arguments in (
            ({"time_range": "+0,+1"}, ["--time-range=+0,+1"]),
            ({"time_range": ("+0.5", "+1")}, ["--time-range=+0.5,+1"]),
            ({"syscalls": "none"}, ["--syscalls=none"]),
            ({"syscalls": [1, 63]}, ["--syscalls=1,63"]),
        ):
            self.same(ts.open(system, **options), system, *arguments)
        jfr = os.path.join(DATA, "work.jfr.gz")
        self.same(ts.open(jfr, jfr_events=["jdk.CPULoad"]), jfr, "--jfr-events=jdk.CPULoad")

    def test_bytes_and_files(self):
        data = bytes_of(PROFILE)
        name = os.path.basename(PROFILE)
        for given in (data, bytearray(data), memoryview(data), io.BytesIO(data)):
            self.same(ts.open(given, name=name), PROFILE)
        with open(PROFILE, "rb") as f:
            self.same(ts.open(f), PROFILE)
        dash = os.path.join(self.folder, "dash", "-")
        os.mkdir(os.path.dirname(dash))
        with open(dash, "wb") as f:
            f.write(data)
        self.same(ts.open(data), dash)

        class Short:  # gives a few bytes at a time
            def __init__(self):
                self.left = io.BytesIO(data)

            def read(self, n):
                return self.left.read(min(n, 97))

        self.same(ts.open(Short(), name=name), PROFILE)
        archive = os.path.join(DATA, "recording-cloud.tar.gz")
        self.same(ts.open(bytes_of(archive), name=os.path.basename(archive)), archive)
        snapshot = os.path.join(TINY, "snapshot.heapsnapshot")
        self.same(ts.open(memoryview(bytes_of(snapshot)), name="snapshot.heapsnapshot"), snapshot)
        self.fails(TypeError, "binary mode", ts.open, io.StringIO("{}"))
        self.fails(TypeError, "a recording is a path", ts.open, 5)

    def test_lists(self):
        a, b = os.path.join(DATA, "go-cpu.pprof"), os.path.join(DATA, "go-heap.pprof")
        self.same(ts.open([a, b]), a, b)
        self.same(ts.open([b, a]), b, a)
        with open(b, "rb") as f:
            self.same(ts.open([a, f]), b, a)  # bytes first
        self.fails(ts.UsageError, "there is no recording", ts.open, [])

    def test_odd_paths(self):
        data = bytes_of(os.path.join(TINY, "snapshot.heapsnapshot"))
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            for name in ("-", "diff", "--quiet", "a b?#%.heapsnapshot", "ü.heapsnapshot", "x\udcff"):
                with open(name, "wb") as f:
                    f.write(data)
                with ts.open(name) as t:
                    self.assertEqual(t.query("SELECT count(*) FROM js_heap_nodes").value(), 3, name)
                    saved = name + ".db"
                    t.save(saved)
                    with contextlib.closing(t.sqlite()) as c:
                        self.assertEqual(c.execute("SELECT count(*) FROM js_heap_nodes").fetchone(), (3,))
                with ts.open(saved) as t:
                    self.assertEqual(t.query("SELECT count(*) FROM js_heap_nodes").value(), 3, name)
        finally:
            os.chdir(before)

    def test_folders(self):
        folder = os.path.join(self.folder, "folder")
        os.mkdir(folder)
        for name in ("snapshot.heapsnapshot", "profile.cpuprofile"):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(bytes_of(os.path.join(TINY, name)))
        self.same(ts.open(folder), folder)

    def test_database(self):
        """A finished database is opened as it is; with analyses it gets their rows."""
        small = converted(self.folder, PROFILE)
        with ts.open(small) as t:
            self.assertEqual(t.query("SELECT count(*) FROM stack_sample").value(), 1270)
            t.save(self.path("copy.db"))
        one, two = (sqlite3.connect(path) for path in (small, self.path("copy.db")))
        self.assertEqual(list(one.iterdump()), list(two.iterdump()))
        one.close()
        two.close()
        database = converted(self.folder, SNAPSHOTS)
        before = bytes_of(database)
        self.fails(ts.UsageError, "--analyze=heap adds others", ts.open, database, analyze="heap")
        run(database, "--analyze=heap", "--quiet")
        self.assertNotEqual(bytes_of(database), before)
        with ts.open(database) as t:
            self.assertEqual(len(t.ask("js_leak_suspects").rows()), 16)
        foreign = self.path("foreign.db")
        connection = sqlite3.connect(foreign)
        connection.execute("CREATE TABLE a(b)")
        connection.commit()
        connection.close()
        self.fails(ts.InputError, "not a database of trace_streamer", ts.open, foreign)

    def test_losses(self):
        import gzip

        cut = self.path("cut.htrace")
        with gzip.open(PROFILE) as f, open(cut, "wb") as to:
            to.write(f.read()[:20000])
        with ts.open(cut) as t:
            want = sql(converted(self.folder, cut), 'SELECT source_id, severity, code, stream, "offset", count, message FROM import_issue')
            self.assertEqual(t.issues.rows(), want)
            self.assertEqual(t.losses, 3)
        with ts.open(PROFILE) as t:
            self.assertEqual((t.issues.rows(), t.losses), ([], 0))
        e = self.fails(ts.LossError, "3 defects that lost data", ts.open, cut, strict=True)
        self.assertEqual(e.code, 3)
        self.same(ts.open(PROFILE, strict=True), PROFILE, "--strict")

    def test_failures(self):
        other = self.path("other.txt")
        with open(other, "w", encoding="utf-8") as f:
            f.write("nothing that is known\n")
        self.assertEqual(self.fails(ts.FormatError, "the format of other.txt is unknown", ts.open, other).code, 5)
        e = self.fails(ts.InputError, "No such file or directory", ts.open, self.path("none"))
        self.assertEqual(e.code, 1)
        self.fails(ts.InputError, "No such file or directory", ts.open, [PROFILE, self.path("none")])
        with ts.open([PROFILE, other]) as t:
            self.assertEqual(len(t.failures), 1, t.failures)
            self.assertIn("the format of other.txt is unknown", t.failures[0])
        with ts.open([PROFILE, other, self.path("none")], keep_going=True) as t:
            self.assertEqual(len(t.failures), 2, t.failures)
            self.assertEqual(t.query("SELECT count(*) FROM stack_sample").value(), 1270)
        with ts.open(PROFILE) as t:
            self.assertEqual(t.failures, [])
        self.fails(ts.FormatError, "is unknown", ts.open, b"nothing that is known\n")
        with ts.open([PROFILE, b"nothing that is known\n"]) as t:
            self.assertEqual(len(t.failures), 1, t.failures)
        self.fails(ts.Error, "", ts.open, b"")
        self.fails(ts.LimitError, "", ts.open, SNAPSHOTS, max_memory="100K")
        self.fails(ts.LimitError, "", ts.open, SNAPSHOTS, max_inflate="1M")
        self.fails(ts.UsageError, "", ts.open, PROFILE, format="frob")
        self.fails(ts.UsageError, "", ts.open, PROFILE, analyze="frob")
        self.fails(ts.Error, "", ts.open, PROFILE, temp_dir=self.path("none"))
        notdb = self.path("not.db")
        with open(notdb, "wb") as f:
            f.write(b"SQLite format 3\0" + b"x" * 5000)
        self.fails(ts.Error, "", ts.open, notdb)

    def test_unknown_options(self):
        self.fails(TypeError, "open() has no option 'formt'; did you mean 'format'?", ts.open, PROFILE, formt="jfr")
        self.fails(TypeError, "did you mean 'max_memory'?", ts.open, PROFILE, max_memry=5)
        self.fails(TypeError, "there are analyze, compat", ts.open, PROFILE, zzz=5)
        self.fails(TypeError, "did you mean 'index'", ts.open_many, [PROFILE], indx=True)
        for bad in ({"max_memory": "64Q"}, {"max_memory": -1}, {"time_range": ("+1",)}, {"threads": "x"}, {"symbols": 5}, {"format": ""}, {"analyze": 1.5}):
            self.fails(ts.UsageError, next(iter(bad)), ts.open, PROFILE, **bad)

    def test_nothing_is_left(self):
        """Neither files nor folders, after a close, an error and what was only forgotten."""
        with ts.open(PROFILE, temp_dir=self.folder) as t:
            self.assertEqual(t.query("SELECT 1").value(), 1)
            self.assertTrue(os.path.exists(t._session.path))
        self.assertEqual(os.listdir(self.folder), [])
        self.fails(ts.FormatError, "", ts.open, b"nothing that is known", temp_dir=self.folder)
        self.assertEqual(os.listdir(self.folder), [])
        t = ts.open(PROFILE, temp_dir=self.folder)
        for _ in range(5):
            t.query("SELECT * FROM stack_sample")  # nothing reads it
        rows = iter(t.query("SELECT * FROM stack_sample"))
        if BACKEND == "library":
            self.assertEqual(t._session.handle.forgotten, [])
        next(rows)
        del t
        next(rows)  # the rows hold it
        del rows
        gc.collect()
        self.assertEqual(os.listdir(self.folder), [])


    def test_nothing_is_left_at_the_end(self):
        """Of a program that closes nothing."""
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); import trace_streamer as ts\n"
            "t = ts.open(sys.argv[2], temp_dir=sys.argv[3])\n"
            "capsule = t.query('SELECT 1').__arrow_c_stream__()\n"
            "rows = iter(t.query('SELECT * FROM stack_sample'))\n"
            "print(next(rows)[0])\n"
        )
        done = subprocess.run([sys.executable, "-c", program, os.path.join(common.SOURCE, "python"), PROFILE, self.folder], capture_output=True, check=True)
        self.assertEqual((done.stdout, done.stderr), (b"1\n", b""))
        self.assertEqual(os.listdir(self.folder), [])


class Questions(Case):
    def test_all(self):
        """Every question to every recording: the program's answer, or its refusal."""
        asked = fit = 0
        for path in (SNAPSHOTS, *RECORDINGS[:4]):
            database = converted(self.folder, path, "--analyze=heap,stack_totals")
            with ts.open(path, analyze=["heap", "stack_totals"]) as t:
                for name in t.questions:
                    asked += 1
                    done = subprocess.run([PROGRAM, database, "-q", name, "--output=jsonl", "--quiet"], capture_output=True, check=False)
                    err = done.stderr.decode().splitlines()
                    if done.returncode != 0:
                        e = self.fails(ts.UsageError, "", t.ask, name)
                        self.assertEqual(str(e), err[0].replace("trace_streamer: ", "", 1), (path, name))
                        continue
                    fit += 1
                    want = [json.loads(line) for line in done.stdout.splitlines()]
                    got = t.ask(name)
                    rows = [{key: short(value) for key, value in row.items()} for row in got.dicts()]
                    self.assertEqual(rows, want, (path, name))
                    if want:
                        self.assertEqual(got.columns, tuple(want[0]), (path, name))
                        continue
                    header = run(database, "-q", name, "--output=tsv", "--quiet")[0].split("\n")[0].split("\t")
                    self.assertEqual(list(got.columns), header, (path, name))
        self.assertGreater(asked, 350)
        self.assertGreater(fit, 80)

    def test_list(self):
        with ts.open(PROFILE) as t:
            listed = run("--questions")[0]
            self.assertGreater(len(t.questions), 60)
            for name, first in t.questions.items():
                self.assertIn(f"{name} ", listed)
                self.assertIn(first, listed)
            self.assertEqual(t.questions["js_leak_suspects"], "What is new since the heap snapshot before, and by which path is it held?")

    def test_params(self):
        with ts.open(SNAPSHOTS, analyze="heap") as t:
            five = t.ask("js_leak_suspects", file=2, limit=5).rows()
            self.assertEqual(five, t.ask("js_leak_suspects").rows()[:5])
            self.assertEqual(five[0][2:4], (324, 103640))
            self.assertNotEqual(five, t.ask("js_leak_suspects", {"file": 1, "limit": 5}).rows())
            self.fails(ts.UsageError, 'js_leak_suspects has no parameter "fil"; it has file, limit', t.ask, "js_leak_suspects", fil=0)
            self.fails(ts.UsageError, "did you mean js_leak_suspects?", t.ask, "js_leak_suspect")
            self.fails(ts.UsageError, "needs --param node", t.ask, "js_dominators_of")
            self.fails(ts.UsageError, "cannot answer", t.ask, "slow_calls")
        with ts.open(os.path.join(DATA, "recording-cloud.tar.gz")) as t:
            whole = t.ask("slow_calls").dicts()
            late = t.ask("slow_calls", from_="+20s", limit=3).dicts()
            self.assertEqual(late, t.ask("slow_calls", **{"from": "+20s", "limit": "3"}).dicts())
            self.assertEqual(len(late), 3)
            self.assertTrue(all(r["ts"] >= whole[0]["ts"] - 20 * 10**9 for r in late))

    def test_sql_is_no_question(self):
        with ts.open(PROFILE) as t:
            self.fails(ts.UsageError, "", t.ask, "SELECT 1")
            file = self.path("own.sql")
            with open(file, "w", encoding="utf-8") as f:
                f.write("SELECT 1")
            self.fails(ts.UsageError, "", t.ask, file)


class Schema(Case):
    def test_tables(self):
        database = converted(self.folder, PROFILE)
        with ts.open(PROFILE) as t:
            want = [r[0] for r in sql(database, "SELECT DISTINCT table_name FROM schema_doc ORDER BY 1")]
            self.assertEqual(t.tables, want)
            self.assertIn("js_heap_nodes", want)
            filled = t.filled_tables
            for name, kind in sql(database, "SELECT name, type FROM sqlite_master WHERE name IN (SELECT table_name FROM schema_doc)"):
                if kind == "table":
                    self.assertEqual(name in filled, bool(sql(database, f"SELECT 1 FROM {quoted(name)} LIMIT 1")), name)
            text = run("--tables=js_heap_nodes")[0]
            described = t.describe("js_heap_nodes")
            self.assertEqual(described.columns, ("name", "type", "unit", "description"))
            self.assertGreater(len(described.rows()), 5)
            for name, *_ in described:
                self.assertIn(name, text)
            self.fails(ts.UsageError, 'there is no table "js_heap_node"; is it "js_heap_nodes"?', t.describe, "js_heap_node")

    def test_sqlite(self):
        with ts.open(PROFILE) as t:
            c = t.sqlite()
            self.assertEqual(c.execute("SELECT count(*) FROM stack_sample").fetchone(), (1270,))
            with self.assertRaises(sqlite3.OperationalError):
                c.execute("DELETE FROM source")
            c.close()

    def test_save(self):
        with ts.open(PROFILE) as t:
            target = self.path("a.db")
            t.save(target)
            first = bytes_of(target)
            t.save(target)  # one of ours is replaced
            self.assertEqual(bytes_of(target), first)
            self.assertEqual(os.stat(target).st_mode & 0o777, 0o666 & ~_umask())
            text = self.path("text")
            with open(text, "w", encoding="utf-8") as f:
                f.write("mine")
            self.assertEqual(self.fails(ts.OutputError, "is not a database of trace_streamer", t.save, text).code, 4)
            self.assertEqual(bytes_of(text), b"mine")
            t.save(text, force=True)
            self.assertEqual(bytes_of(text), first)
            self.fails(ts.OutputError, "", t.save, self.path("none/a.db"))
            self.assertEqual(sorted(os.listdir(self.folder)), ["a.db", "text"])
        with ts.open(target) as t:
            self.fails(ts.UsageError, "the output is an input", t.save, target)
        self.assertEqual(bytes_of(target), first)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


class Diff(Case):
    def compare(self, before, after, a, b, *arguments, **named):
        by = named.pop("by", None)
        text = run("diff", before, after, *(() if "limit" in named else ("--limit=0",)), "--output=jsonl", "--quiet", *arguments)[0]
        want = [json.loads(line) for line in text.splitlines()]
        got = ts.diff(a, b, by, **named)
        self.assertEqual(got.dicts(), want, arguments)
        return got

    def test_same_as_the_program(self):
        a, b = os.path.join(TINY, "snapshot.heapsnapshot"), SNAPSHOTS
        with ts.open(a) as before, ts.open(b) as after:
            one, two = converted(self.folder, a), converted(self.folder, b)
            rows = self.compare(one, two, before, after, "--by=class", by="class")
            self.assertEqual(rows.columns[:2], ("class", "self_size_before"))
            self.assertGreater(len(rows.rows()), 100)
            self.compare(one, two, before, after)
            self.compare(one, two, before, after, "--limit=3", by="class", limit=3)
            self.fails(ts.UsageError, "", ts.diff, before, after, by="frob")
            self.fails(ts.Error, "", ts.diff, before, after, frob=1)
        rows = ts.diff(a, b, by="class")
        self.assertEqual(len(rows.rows()), len(rows.rows()))
        with ts.open(os.path.join(DATA, "work.jfr.gz")) as before, ts.open(os.path.join(DATA, "work21.jfr.gz")) as after:
            one, two = converted(self.folder, os.path.join(DATA, "work.jfr.gz")), converted(self.folder, os.path.join(DATA, "work21.jfr.gz"))
            self.compare(one, two, before, after, "--by=method", by="method")
            self.compare(one, two, before, after, "--by=method", "--weight=allocation", "--thread=main", by="method", weight="allocation", thread="main")
            with ts.open(os.path.join(DATA, "work.jfr.gz")) as again:
                nothing = ts.diff(before, again, by="method")
                self.assertEqual(nothing.rows(), [])
                self.assertEqual(nothing.columns[0], "method")
            self.fails(ts.UsageError, "", ts.diff, before, before)


class Arrow(Case):
    def same(self, trace, statement, **params):
        """An independent consumer reads what rows() gives; returns the formats."""
        result = trace.query(statement, **params)
        for move in (False, True):
            schema, rows = arrow_reader.read(result.__arrow_c_stream__(), move)
            self.assertEqual([name for name, _ in schema], list(result.columns))
            want = result.rows()
            self.assertEqual(rows, want)
            self.assertEqual([list(map(type, r)) for r in rows], [list(map(type, r)) for r in want], statement)
        return "".join(kind for _, kind in schema)

    def test_types(self):
        with ts.open(SNAPSHOTS) as t:
            self.assertEqual(self.same(t, "SELECT 1, 1.5, 'ü', x'00ff'"), "lguz")
            self.assertEqual(self.same(t, "SELECT id, path, name, end_ts, bytes FROM source"), "luull")
            self.assertEqual(self.same(t, "SELECT * FROM source WHERE 0")[:4], "lluu")
            self.assertEqual(self.same(t, "SELECT CASE WHEN i % 9 THEN i END, CASE WHEN i % 7 THEN i / 4.0 END, CASE WHEN i % 5 THEN 'a' || i END, CASE WHEN i % 3 THEN CAST(i AS BLOB) END FROM (SELECT rowid AS i FROM js_heap_nodes LIMIT :n)", n=10000), "lguz")
            self.assertEqual(self.same(t, "SELECT * FROM js_heap_nodes LIMIT 20000")[:2], "ll")
            self.same(t, "SELECT string FROM js_heap_string")

    def test_recordings(self):
        for path in RECORDINGS:
            with ts.open(path) as t:
                for name in t.filled_tables:
                    self.same(t, f"SELECT * FROM {quoted(name)} LIMIT 2000")

    def test_mixed(self):
        """Values of several types: the widest type takes them, if it is known from the first rows."""
        with ts.open(PROFILE) as t:
            for values, kind, want in (
                ((1, 2.5), "g", [1.0, 2.5]),
                ((1, "a"), "u", ["1", "a"]),
                ((2.5, "a", 1e300, 3.0), "u", ["2.5", "a", "1.0e+300", "3.0"]),
                ((1, 0.1, b"\0", "ü"), "z", [b"1", b"0.1", b"\0", "ü".encode()]),
            ):
                literals = [f"x'{v.hex()}'" if isinstance(v, bytes) else repr(v) for v in values]
                r = t.query(" UNION ALL ".join(f"SELECT {v} AS a" for v in [*literals, "NULL"]))
                schema, rows = arrow_reader.read(r.__arrow_c_stream__(), True)
                self.assertEqual((schema, rows), ([("a", kind)], [(v,) for v in [*want, None]]))
                self.assertEqual(r.rows(), [(v,) for v in [*values, None]])
            r = t.query(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT CASE WHEN i < 90000 THEN i ELSE 'late' END AS a FROM n"
            )
            with self.assertRaises(arrow_reader.ArrowError) as caught:
                arrow_reader.read(r.__arrow_c_stream__())
            self.assertIn('column "a" has', caught.exception.args[1])
            self.assertEqual(r.rows()[89998:90000], [(89999,), ("late",)])

    def test_late_error(self):
        with ts.open(PROFILE) as t:
            r = t.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) SELECT CASE i WHEN 150000 THEN abs(-9223372036854775807 - 1) ELSE i END FROM n")
            with self.assertRaises(arrow_reader.ArrowError) as caught:
                arrow_reader.read(r.__arrow_c_stream__())
            self.assertIn("integer overflow", caught.exception.args[1])

    def test_lifetimes(self):
        from trace_streamer import _arrow

        def held():
            gc.collect()
            return len(_arrow._kept), len(_arrow._watched), len(_arrow._capsules)

        t = ts.open(SNAPSHOTS, temp_dir=self.folder)
        before = held()
        r = t.query("SELECT * FROM js_heap_nodes LIMIT 10000")
        capsule = r.__arrow_c_stream__()
        self.assertNotEqual(held(), before)
        del capsule  # not taken: released with the capsule
        self.assertEqual(held(), before)
        stream = arrow_reader.take(r.__arrow_c_stream__())
        kinds = [k for _, k in arrow_reader.read_schema(stream)]
        batches = arrow_reader.read_batches(stream, kinds, True)
        first = next(batches)
        self.assertGreater(len(first[0]), 0)
        if BACKEND == "library":
            t.close()  # the consumer's stream goes on
            self.assertEqual(len(first[0]) + sum(len(b[0]) for b in batches), 10000)
        batches.close()
        arrow_reader.end(stream)
        t.close()
        del r, first, batches, t, stream
        self.assertEqual(held(), before)
        self.assertEqual(os.listdir(self.folder), [])

    def test_exception_on_its_way(self):
        """A capsule that goes while an exception does leaves it alone."""
        with ts.open(PROFILE) as t:

            def local():
                capsule = t.query("SELECT 1").__arrow_c_stream__()
                raise KeyError("mine", id(capsule))

            for _ in range(20):
                with self.assertRaises(KeyError):
                    local()
                with self.assertRaisesRegex(TypeError, "PyCapsule"):  # int drops it after it has failed
                    int(t.query("SELECT 1").__arrow_c_stream__())

    def test_other_threads(self):
        """A stream may be read by a thread that Python did not start the query in."""
        with ts.open(SNAPSHOTS) as t:
            r = t.query("SELECT id, self_size FROM js_heap_nodes LIMIT 20000")
            found = []
            capsule = r.__arrow_c_stream__()
            thread = threading.Thread(target=lambda: found.append(arrow_reader.read(capsule)[1]))
            thread.start()
            thread.join()
            self.assertEqual(found, [r.rows()])


class Life(Case):
    def test_close(self):
        t = ts.open(PROFILE)
        r = t.query("SELECT * FROM stack_sample")
        rows = iter(r)
        next(rows)
        t.close()
        t.close()
        for call in (lambda: t.query("SELECT 1"), lambda: t.ask("threads"), lambda: t.tables, r.rows, lambda: t.save(self.path("x")), t.sqlite):
            self.fails(ts.UsageError, "the trace is closed", call)
        with contextlib.suppress(ts.Error):  # what was read ahead may still come
            self.assertLess(len(list(rows)), 1270)
        self.assertIn("closed", repr(t))
        t.cancel()

    def test_errors_are_picklable(self):
        e = self.fails(ts.FormatError, "", ts.open, b"nothing")
        again = pickle.loads(pickle.dumps(e))
        self.assertEqual((type(again), str(again), again.code, again.causes), (type(e), str(e), e.code, e.causes))

    def test_threads(self):
        """Threads that share a trace, and threads with one each."""
        shared = ts.open(SNAPSHOTS)
        failed = []

        def work(n):
            try:
                for _ in range(5):
                    assert len(shared.query("SELECT rowid FROM js_heap_nodes LIMIT 3000").rows()) == 3000
                    with ts.open(PROFILE) as own:
                        assert own.query("SELECT count(*) FROM stack_sample").value() == 1270
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        shared.close()
        self.assertEqual(failed, [])

    def test_cancel(self):
        with ts.open(PROFILE) as t:
            endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
            timer = threading.Timer(0.3, t.cancel)
            timer.start()
            e = self.fails(ts.CancelledError, "", lambda: t.query(endless).value())
            self.assertEqual(e.code, 130)
            timer.join()
            self.assertEqual(t.query("SELECT 1").value(), 1)
            t.cancel()
            self.fails(ts.CancelledError, "", lambda: t.query(endless).value())  # the next one
            self.assertEqual(t.query("SELECT count(*) FROM stack_sample").value(), 1270)

    def test_interrupt(self):
        """Control-C ends an import, and nothing is left."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); import trace_streamer as ts\n"
            "try:\n    ts.open(sys.argv[2], temp_dir=sys.argv[3], format='heapsnapshot')\n"
            "except KeyboardInterrupt:\n    print('interrupted')\n"
        )
        temp = self.path("temp")
        os.mkdir(temp)
        process = subprocess.Popen(
            [sys.executable, "-c", program, os.path.join(common.SOURCE, "python"), fifo, temp], stdout=subprocess.PIPE, start_new_session=True
        )
        with open(fifo, "wb") as f:
            f.write(b'{"snapshot":{"meta":{')
            f.flush()
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGINT)
            with self.assertRaises(BrokenPipeError):  # else there is more and more to read
                for _ in range(3000):
                    f.write(b" " * 65536)
                    f.flush()
                    time.sleep(0.002)
            with contextlib.suppress(BrokenPipeError):
                f.close()
        out = process.communicate(timeout=60)[0]
        self.assertEqual(out, b"interrupted\n")
        self.assertEqual(os.listdir(temp), [])

    def test_shown(self):
        with ts.open(PROFILE) as t:
            r = t.query("SELECT '<b>' AS \"a&b\", 5 AS n, NULL AS z UNION ALL SELECT 'x', 6, 1.5")
            self.assertEqual(str(r), "a&b  n    z\n---  -  ---\n<b>  5\nx    6  1.5")
            shown = r._repr_html_()
            self.assertIn("<th>a&amp;b</th>", shown)
            self.assertIn("<td>&lt;b&gt;</td>", shown)
            self.assertIn('<td style="text-align: right">5</td>', shown)
            many = t.query("SELECT rowid FROM stack_sample")
            self.assertIn("the first 20 rows", many._repr_html_())
            self.assertEqual(many._repr_html_().count("<tr>"), 21)
            self.assertEqual(str(many).count("\n"), 22)
            self.assertEqual(len(many.rows()), 1270)
            self.assertIn("recording-cpuprofile", repr(t))

    def test_backend(self):
        self.assertEqual(ts.backend()[0], BACKEND)
        self.assertEqual(f"trace_streamer {ts.version()}\n", run("--version")[0])

    def test_no_backend(self):
        environment = {"PATH": self.folder, "PYTHONDONTWRITEBYTECODE": "1", "TRACE_STREAMER_BACKEND": "program"}
        program = "import sys; sys.path.insert(0, sys.argv[1]); import trace_streamer as ts; ts.version()"
        done = subprocess.run([sys.executable, "-c", program, os.path.join(common.SOURCE, "python")], env=environment, capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"InputError: there is neither", done.stderr)


if __name__ == "__main__":
    common.main()
