"""DataFrames of pandas: every value is what sqlite3 reads, integers keep all digits, and types do not depend on the backend."""

import importlib.util
import os
import subprocess
import sys

import common
from common import DATA, PROFILE, SNAPSHOTS, SOURCE, Case, converted, sql, ts

if importlib.util.find_spec("pandas") is None:
    common.skip(f"{sys.executable} has no pandas")
import pandas  # noqa: E402


def kind_of(values):
    """The type that a column has to have."""
    kinds = {type(v) for v in values} - {type(None)}
    if kinds == {int}:
        return "Int64" if None in values else "int64"
    return "float64" if kinds and kinds <= {int, float} else "object"


def plain(frame, column):
    return [None if pandas.isna(v) else v for v in frame[column].tolist()]


class Frames(Case):
    def same(self, frame, names, rows):
        self.assertEqual((list(frame.columns), len(frame)), (names, len(rows)))
        for i, name in enumerate(names):
            want = [row[i] for row in rows]
            self.assertEqual(str(frame[name].dtype), kind_of(want), name)
            got = plain(frame, name)
            self.assertEqual(got, want, name)
            if kind_of(want) == "object":
                self.assertEqual(list(map(type, got)), list(map(type, want)), name)

    def test_tables(self):
        for name in ("recording-system.htrace.gz", "recording-cloud.tar.gz", "work.jfr.gz", "counters.trace.json", "tiny/strings.heapsnapshot"):
            path = os.path.join(DATA, name)
            database = converted(self.folder, path)
            with ts.open(path) as t:
                for table in t.filled_tables:
                    statement = f'SELECT * FROM "{table}" LIMIT 3000'
                    r = t.query(statement)
                    self.same(r.df(), list(r.columns), sql(database, statement))

    def test_values(self):
        with ts.open(PROFILE) as t:
            big = (1 << 63) - 1
            r = t.query(f"SELECT {big} AS a, 1 AS a, NULL AS n, 0.5 AS f, 'ü' AS u, x'00ff' AS b UNION ALL SELECT NULL, {big - 1}, NULL, NULL, NULL, NULL")
            self.same(r.df(), ["a", "a:1", "n", "f", "u", "b"], [(big, 1, None, 0.5, "ü", b"\0\xff"), (None, big - 1, None, None, None, None)])
            self.assertEqual(r.df().equals(r.df()), True)
            empty = t.query("SELECT id, name FROM source WHERE 0").df()
            self.assertEqual((list(empty.columns), len(empty)), (["id", "name"], 0))
            self.assertEqual(len(t.query("-- nothing").df()), 0)
            self.assertEqual(t.query("SELECT 1 AS a UNION ALL SELECT 'x'").df().a.tolist(), ["1", "x"])
            self.assertEqual(t.query("SELECT 1 AS a UNION ALL SELECT 2.5").df().a.tolist(), [1.0, 2.5])

    def test_late_texts(self):
        """A text after the rows that decide the types of a stream: pandas gets it as well."""
        with ts.open(PROFILE) as t:
            frame = t.query(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT CASE WHEN i < 90000 THEN i ELSE 'late' END AS a FROM n"
            ).df()
            self.assertEqual((frame.a[0], frame.a[89998], frame.a[89999], len(frame)), ("1", "89999", "late", 100000))

    def test_large(self):
        with ts.open(SNAPSHOTS) as t:
            r = t.query("SELECT n.rowid AS row, n.*, s.string FROM js_heap_nodes AS n JOIN js_heap_string AS s ON s.rowid = n.name + 1")
            frame = r.df()
            self.assertEqual(len(frame), 138008)
            self.assertEqual(frame.self_size.sum(), 10339115)
            self.assertEqual(list(zip(*(plain(frame, c) for c in frame.columns)))[:1000], r.rows()[:1000])

    def test_many_and_answers(self):
        paths = [os.path.join(DATA, "go-cpu.pprof"), PROFILE]
        frame = ts.open_many(paths).query("SELECT count(*) AS n FROM stack_sample").df()
        self.assertEqual(frame.recording.tolist(), paths)
        self.assertEqual(frame.n.tolist()[1], 1270)
        with ts.open(PROFILE) as t:
            r = t.ask("hot_methods", limit=3)
            self.same(r.df(), list(r.columns), r.rows())

    def test_not_imported(self):
        """The package itself needs none of them."""
        program = "import sys; sys.path.insert(0, sys.argv[1]); import trace_streamer; print({'pandas', 'numpy', 'pyarrow', 'polars'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", program, os.path.join(SOURCE, "python")], capture_output=True, check=True)
        self.assertEqual(done.stdout, b"set()\n")


if __name__ == "__main__":
    common.main()
