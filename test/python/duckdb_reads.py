"""DuckDB reads the Arrow streams: its library comes from npm (TS_DEVTOOLS=install or TS_SLOW=1 asks for it; else skipped), and is called by ctypes."""

import ctypes
import os
import re
import sys
import tempfile

import common
from common import DATA, SNAPSHOTS, Case, ts

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))

import npm_packages  # noqa: E402

PACKAGE = "@duckdb/node-bindings-linux-x64@1.5.6-r.1"
NAME = b"arrow_array_stream"
P = ctypes.c_void_p
_pointer = ctypes.PYFUNCTYPE(P, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


class Answer(ctypes.Structure):
    _fields_ = [("deprecated", ctypes.c_uint64 * 3), ("columns", P), ("error", ctypes.c_char_p), ("data", P)]


def library():
    """The path of libduckdb.so in a folder that is kept between runs."""
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "trace_streamer", PACKAGE.replace("/", "-"))
    found = os.path.join(folder, "node_modules", "@duckdb", "node-bindings-linux-x64", "libduckdb.so")
    if os.path.exists(found):
        return found
    npm_packages.wanted("70 MB")
    os.makedirs(folder, exist_ok=True)
    if not npm_packages.installed(folder, [PACKAGE]) or not os.path.exists(found):
        common.skip(f"npm cannot install {PACKAGE}")
    return found


class Duck:
    """A database in memory."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name, arguments in (
            ("duckdb_open", [ctypes.c_char_p, P]),
            ("duckdb_connect", [P, P]),
            ("duckdb_query", [P, ctypes.c_char_p, P]),
            ("duckdb_arrow_scan", [P, ctypes.c_char_p, P]),
            ("duckdb_destroy_result", [P]),
        ):
            getattr(self.lib, name).argtypes = arguments
        for name, result, more in (
            ("duckdb_value_varchar", P, [P, ctypes.c_uint64, ctypes.c_uint64]),
            ("duckdb_row_count", ctypes.c_uint64, [P]),
            ("duckdb_column_count", ctypes.c_uint64, [P]),
            ("duckdb_result_error", ctypes.c_char_p, [P]),
            ("duckdb_free", None, [P]),
        ):
            getattr(self.lib, name).argtypes, getattr(self.lib, name).restype = more, result
        database, self.connection = P(), P()
        assert self.lib.duckdb_open(None, ctypes.addressof(database)) == 0
        assert self.lib.duckdb_connect(database, ctypes.addressof(self.connection)) == 0

    def text(self, answer, column, row):
        value = self.lib.duckdb_value_varchar(answer, column, row)
        if not value:
            return None
        text = ctypes.string_at(value).decode()
        self.lib.duckdb_free(value)
        return text

    def query(self, statement):
        """Rows of texts."""
        answer = Answer()
        at = ctypes.addressof(answer)
        failed = self.lib.duckdb_query(self.connection, statement.encode(), at)
        assert not failed, self.lib.duckdb_result_error(at)
        columns = self.lib.duckdb_column_count(at)
        rows = [tuple(self.text(at, c, r) for c in range(columns)) for r in range(self.lib.duckdb_row_count(at))]
        self.lib.duckdb_destroy_result(at)
        return rows

    def load(self, table, result):
        """A table of all rows. Its scan takes the stream over and releases it; the C interface gives all columns or wrong ones."""
        capsule = result.__arrow_c_stream__()
        at = _pointer(capsule, NAME)
        assert self.lib.duckdb_arrow_scan(self.connection, b"stream", at) == 0
        self.query(f"CREATE TABLE {table} AS SELECT * FROM stream")
        ctypes.memset(at + 3 * ctypes.sizeof(P), 0, ctypes.sizeof(P))  # `release`: it was called on DuckDB's copy
        self.query("DROP VIEW stream")


class DuckReads(Case):
    @classmethod
    def setUpClass(cls):
        cls.duck = Duck(library())

    def test_heap(self):
        with ts.open(SNAPSHOTS) as t:
            self.duck.load("nodes", t.query("SELECT rowid AS row, id, self_size, NULL AS none_of_it, row_number() OVER () * 0.5 AS half FROM js_heap_nodes"))
            self.assertEqual([r[1] for r in self.duck.query("DESCRIBE nodes")], ["BIGINT", "BIGINT", "BIGINT", "VARCHAR", "DOUBLE"])
            self.assertEqual(
                self.duck.query("SELECT count(*), sum(self_size), sum(row), count(none_of_it), sum(half) FROM nodes"),
                [("138008", "10339115", str(138008 * 138009 // 2), "0", str(138008 * 138009 / 4))],
            )
            self.duck.load("strings", t.query("SELECT rowid AS row, string, length(CAST(string AS BLOB)) AS n, CAST(string AS BLOB) AS b FROM js_heap_string WHERE instr(string, char(0)) = 0"))
            self.assertEqual(
                self.duck.query("SELECT count(*), sum(strlen(string)) = sum(n), sum(octet_length(b)) = sum(n) FROM strings"),
                [(str(t.query("SELECT count(*) FROM js_heap_string WHERE instr(string, char(0)) = 0").value()), "true", "true")],
            )

    def test_tables(self):
        """Tables of recordings, value by value as texts."""
        for name in ("recording-system.htrace.gz", "recording-cloud.tar.gz"):
            with ts.open(os.path.join(DATA, name)) as t:
                for table in t.filled_tables:
                    r = t.query(f'SELECT rowid AS "row number", * FROM "{table}" LIMIT 2000')
                    kinds = [{type(v) for v in column} - {type(None)} for column in zip(*r.rows())]
                    if any(len(k) > 1 or k & {float, bytes} for k in kinds):
                        continue
                    self.duck.load("loaded", r)
                    got = self.duck.query('SELECT * FROM loaded ORDER BY "row number"')
                    self.assertEqual(got, [tuple(None if v is None else str(v) for v in row) for row in r], table)
                    self.duck.query("DROP TABLE loaded")

    def test_many(self):
        paths = [os.path.join(DATA, "go-cpu.pprof"), os.path.join(DATA, "go-heap.pprof")]
        r = ts.open_many(paths).query("SELECT count(*) AS n FROM stack_sample")
        self.duck.load("many", r)
        self.assertEqual(self.duck.query("SELECT recording, n FROM many"), [(p, str(n)) for p, n in r])

    def test_howto(self):
        """The query of docs/howto.md on files of Parquet, against the same in SQLite."""
        with open(os.path.join(common.SOURCE, "docs", "howto.md"), encoding="utf-8") as f:
            query = re.search(r"^```sql\n(SELECT .*?;)$", f.read(), re.M | re.S).group(1)
        with tempfile.TemporaryDirectory() as folder:
            database = common.converted(folder, os.path.join(DATA, "work.jfr.gz"))
            common.run(database, "--to=parquet", "-o", os.path.join(folder, "tables"), "--quiet")
            got = self.duck.query(query.replace("'tables/", f"'{folder}/tables/"))
            want = common.sql(database, "SELECT t.name, count(*) FROM stack_sample s JOIN thread t USING (itid) GROUP BY 1")
        self.assertEqual(sorted(got), sorted((name, str(n)) for name, n in want))


if __name__ == "__main__":
    common.main()
