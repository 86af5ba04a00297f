"""open_many: rows, order, failures, bounded memory, and processes that end on their own."""

import ctypes
import gc
import os
import resource
import signal
import sqlite3
import threading
import time
import warnings

import arrow_reader
import common
from common import BACKEND, DATA, TINY, Case, bytes_of, converted, ts

# A process a recording takes its time.
THOUSANDS = (5000 if os.environ.get("TS_SLOW") == "1" else 400) if BACKEND == "library" else 60
QUERY = "SELECT (SELECT count(*) FROM js_heap_nodes) AS nodes, (SELECT count(*) FROM stack_sample) AS samples, path FROM source WHERE parent_id IS NULL"


class MallInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


LIBC = ctypes.CDLL(None)
if hasattr(LIBC, "mallinfo2"):
    LIBC.mallinfo2.restype = MallInfo


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.FailureWarning)
        return call()


def resident():
    """KiB of this process that are in memory."""
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * resource.getpagesize() // 1024


def allocated():
    """KiB that malloc has given out; 0 where it does not say."""
    if not hasattr(LIBC, "mallinfo2"):
        return 0
    info = LIBC.mallinfo2()
    return (info.uordblks + info.hblkhd) // 1024


class Many(Case):
    def make(self, count, bad=()):
        """Copies of two recordings by turns, some of them broken. The rows that QUERY has to give, and the paths."""
        data = {0: ("heapsnapshot", bytes_of(os.path.join(TINY, "snapshot.heapsnapshot"))), 1: ("cpuprofile", bytes_of(os.path.join(TINY, "profile.cpuprofile")))}
        rows, paths = [], []
        for n in range(count):
            kind, content = data[n % 2]
            name = f"run{n:05}.{kind}"
            paths.append(self.path(name))
            with open(paths[-1], "wb") as f:
                f.write(b"nothing that is known\n" if n in bad else content)
            if n not in bad:
                rows.append((paths[-1], 3, 0, name) if n % 2 == 0 else (paths[-1], 0, 5, name))
        return rows, paths

    def test_rows(self):
        want, paths = self.make(10)
        many = ts.open_many(self.path("*"))
        self.assertEqual((len(many), many.recordings), (10, paths))
        r = many.query(QUERY)
        self.assertEqual(r.columns, ("recording", "nodes", "samples", "path"))
        self.assertEqual(r.rows(), want)
        self.assertEqual(r.rows(), want)
        self.assertEqual(r.failures, [])
        self.assertEqual(list(ts.open_many(reversed(paths)).query(QUERY)), want[::-1])
        schema, rows = arrow_reader.read(r.__arrow_c_stream__())
        self.assertEqual((schema, rows), ([("recording", "u"), ("nodes", "l"), ("samples", "l"), ("path", "u")], want))
        self.assertEqual(many.query("SELECT :a AS a", a=7).rows(), [(p, 7) for p in paths])
        self.assertIn("run00000", r._repr_html_())
        for workers in (2, 3, 20):
            self.assertEqual(ts.open_many(paths, workers=workers).query(QUERY).rows(), want)

    def test_large(self):
        """More rows than a pipe holds."""
        paths = [os.path.join(DATA, n) for n in ("recording-snapshots.htrace.gz", "recording-timeline.htrace.gz", "recording-snapshots.htrace.gz")]
        one = ts.open_many(paths).query("SELECT rowid, id, self_size FROM js_heap_nodes LIMIT 60000").rows()
        self.assertEqual(len(one), 60000 * 2 + 50317)
        self.assertEqual(ts.open_many(paths, workers=2).query("SELECT rowid, id, self_size FROM js_heap_nodes LIMIT 60000").rows(), one)
        rows = iter(ts.open_many(paths, workers=2).query("SELECT rowid FROM js_heap_nodes"))
        next(rows)
        rows.close()
        self.assertEqual(self.children(), [])

    def test_failures(self):
        want, paths = self.make(8, bad=(0, 3))
        paths.insert(5, self.path("none"))
        for workers in (1, 2):
            r = ts.open_many(paths, workers=workers).query(QUERY)
            with self.assertWarnsRegex(ts.FailureWarning, r"3 of 9 recordings could not be read or asked, such as .*run00000.* \(failures has all"):
                self.assertEqual(r.rows(), want)
            self.assertEqual([f.recording for f in r.failures], [paths[0], paths[3], paths[5]])
            self.assertEqual([type(f.error) for f in r.failures], [ts.FormatError, ts.FormatError, ts.InputError])
            self.assertIn("the format of run00003.cpuprofile is unknown", str(r.failures[1].error))
            quiet(r.rows)
            self.assertEqual(len(r.failures), 3)

    def test_none(self):
        _, paths = self.make(3, bad=(0, 1, 2))
        for workers in (1, 2):
            e = self.fails(ts.FormatError, "none of 3 recordings could be read and asked", ts.open_many(paths, workers=workers).query, QUERY)
            self.assertIn("run00000", str(e))
        self.fails(ts.InputError, "no file matches", ts.open_many, self.path("*.none"))
        self.fails(ts.InputError, "there is no recording", ts.open_many, [])
        self.fails(TypeError, "many recordings are paths", ts.open_many, [b"x", 5])
        for bad in (0, "2", True):
            self.fails(ts.UsageError, "workers", ts.open_many, paths, workers=bad)

    def test_wrong_sql(self):
        """At once, not once a recording."""
        _, paths = self.make(4, bad=(0,))
        for workers in (1, 2):
            many = ts.open_many(paths, workers=workers)
            self.fails(ts.UsageError, "no such column: frob", many.query, "SELECT frob")
            self.fails(ts.UsageError, "no parameter", many.ask, "js_class_histogram", frob=1)
            self.fails(ts.UsageError, "thread", many.ask, "thread")

    def test_ask(self):
        _, paths = self.make(4)
        for workers in (1, 2):
            r = ts.open_many(paths, workers=workers).ask("js_class_histogram", limit=1)
            rows = quiet(r.rows)
            self.assertEqual([row[0] for row in rows], paths[::2])
            self.assertEqual(r.columns[0], "recording")
            self.assertEqual([f.recording for f in r.failures], paths[1::2])
            self.assertIn("cannot answer", str(r.failures[0].error))
            # Also of the first one.
            r = ts.open_many(paths[1:3], workers=workers).ask("js_class_histogram", limit=1)
            self.assertEqual([row[0] for row in quiet(r.rows)], paths[2:3])
            self.assertEqual([f.recording for f in r.failures], paths[1:2])

    def test_other_columns(self):
        """A database of another version is a failure where its columns are others."""
        _, paths = self.make(6)
        older = converted(self.folder, paths[0])
        connection = sqlite3.connect(older)
        connection.execute("ALTER TABLE source ADD COLUMN extra")
        connection.commit()
        connection.close()
        paths.insert(2, older)
        for workers in (1, 2, 3):
            r = ts.open_many(paths, workers=workers).query("SELECT * FROM source")
            rows = quiet(r.rows)
            self.assertEqual(sorted({row[0] for row in rows}), sorted(p for p in paths if p != older))
            self.assertEqual([f.recording for f in r.failures], [older])
            self.assertIn("extra", str(r.failures[0].error))

    def test_options(self):
        _, paths = self.make(2)
        meta = "SELECT count(*) FROM meta"
        self.assertEqual([r[1] for r in ts.open_many(paths, no_meta=True).query(meta)], [0, 0])
        self.assertNotEqual([r[1] for r in ts.open_many(paths).query(meta)], [0, 0])

    def children(self):
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                        fields = f.read().rsplit(")", 1)[1].split()
                    if int(fields[1]) == os.getpid() and fields[0] != "Z":
                        found.append(int(name))
                except OSError:
                    pass
        return found

    def test_a_process_ends(self):
        """A recording whose reader is killed is a failure; those after it are read."""
        want, paths = self.make(9)
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        paths.insert(4, fifo)

        def end():
            with open(fifo, "wb") as f:  # it is being read now
                f.write(b'{"snapshot":{')
                f.flush()
                for child in self.children():
                    with open(f"/proc/{child}/cmdline", "rb") as line:
                        worker = b"trace_streamer._worker" in line.read()
                    if worker and self.reads(child, fifo):
                        os.kill(child, signal.SIGKILL)
                        time.sleep(0.2)
                        return

        thread = threading.Thread(target=end)
        thread.start()
        result = ts.open_many(paths, workers=3).query(QUERY)
        rows = quiet(result.rows)
        thread.join()
        self.assertEqual(rows, want)
        self.assertEqual([f.recording for f in result.failures], [fifo])
        self.assertIn("ended with signal 9", str(result.failures[0].error))

    def reads(self, process, path):
        """Whether the process, or one that it started, has the file open."""
        family = [process]
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                        if int(f.read().rsplit(")", 1)[1].split()[1]) == process:
                            family.append(int(name))
                except OSError:
                    pass
        for one in family:
            try:
                if any(os.readlink(f"/proc/{one}/fd/{fd}") == path for fd in os.listdir(f"/proc/{one}/fd")):
                    return True
            except OSError:
                pass
        return False

    def read_all(self, result, want):
        """Memory (KiB) in the first quarter and at the end, the most of it, and open files then and now."""
        got, files, sizes = 0, 0, []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for row, expected in zip(result, want):
                self.assertEqual(row, expected)
                got += 1
                sizes.append((resident(), allocated()))
                if got == THOUSANDS // 4:
                    files = len(os.listdir("/proc/self/fd"))
        self.assertEqual(got, len(want))
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), files)
        # The least of a part, since the threads of an import have memory of their own for a while.
        parts = (sizes[THOUSANDS // 8 : THOUSANDS // 4], sizes[-THOUSANDS // 8 :])
        early, late = (tuple(map(min, zip(*part))) for part in parts)
        print(f"{THOUSANDS} recordings: {early[0]} KiB in the first quarter of them, {late[0] - early[0]} KiB more at the end, at most {max(s[0] for s in sizes)} KiB")
        return early, late

    def test_thousands(self):
        """Memory does not grow with the number of recordings, nor do open files."""
        want, paths = self.make(THOUSANDS, bad=range(5, THOUSANDS, 97))
        result = ts.open_many(paths).query(QUERY)
        gc.collect()  # of the tests before
        early, late = self.read_all(result, want)
        self.assertLess(late[1] - early[1], 256)
        if late[0] - early[0] >= 3 << 10:
            # What malloc keeps of a thread that ended is a step; a leak is as much again.
            _, again = self.read_all(result, want)
            self.assertLess(again[0] - late[0], 3 << 10)


if __name__ == "__main__":
    common.main()
