#!/usr/bin/env python3
"""What threads did (-q threads): equal to an independent reader of the tables, and to known numbers.

usage: spent.py TRACE_STREAMER SOURCE_DIR
"""

import glob
import os
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts
import spent_reader

SCHEDULED, SAMPLED, ESTIMATED = "scheduling", "samples", "samples, estimated"

# recording, tid (None: what has no thread) -> cpu, from, waiting, paused, unknown, length
KNOWN = {
    ("kernel.ftrace", 20): (971000, SCHEDULED, {"runnable": 103000, "sleep": 174000, "blocked": 177000}, 0, 75000, 1500000),
    ("kernel.htrace.gz", 1000): (927440, SCHEDULED, {"runnable": 531246, "sleep": 1279972, "blocked": 201798}, 0, 30374, 2970830),
    ("work.jfr.gz", 7834): (50000000, ESTIMATED, {"park": 76243749, "sleep": 63176047, "lock": 31802056}, 221984816, 559596043, 1002802711),
    ("work.jfr.gz", 7766): (20000000, ESTIMATED, {"wait": 560749314, "io": 66285393}, 69597701, 286170303, 1002802711),
    ("recording-cpuprofile.htrace.gz", None): (268363000, SAMPLED, {"idle": 1233070000}, 0, 6585000, 1508018000),
    ("Trace-page.json.gz", 31895): (34458000, "recorded, samples", {"idle": 247419000, "other": 4731000}, 0, 535481000, 822089000),
    ("Trace-page.json.gz", 31889): (10092000, "recorded", {"other": 46542000}, 0, 765455000, 822089000),
    ("recording-cloud.tar.gz", 22): (201000000, "recorded", {"lock": 870000000, "other": 312000000}, 276000000, 57399000000, 59058000000),
}
CPU = {  # of all threads, by tid
    "kernel.ftrace": {20: 971000, 21: 647000, 30: 1101000, 31: 740000},
    "kernel.sys": {20: 971000, 21: 647000, 30: 1101000, 31: 740000},
    "kernel.htrace.gz": {1000: 927440, 1001: 825221, 1002: 697057, 1003: 850675, 1004: 878419, 1005: 594677},
}


class Test:
    def __init__(self, program, work):
        self.program, self.work, self.bad, self.checked = program, work, 0, 0

    def fail(self, text):
        self.bad += 1
        print(text)

    def run(self, *arguments):
        done = starts.run([self.program, *arguments, "--quiet"], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def ask(self, path, *params):
        options = [x for p in ("limit=1000000", *params) for x in ("--param", p)]
        code, out, said = self.run(path, "-q", "threads", "--output=json", *options)
        if code != 0:
            raise SystemExit("%s %s: %s" % (path, params, said))
        return spent_reader.answer(out)

    def same(self, what, got, want):
        self.checked += len(want)
        for key in sorted(set(got) | set(want), key=str):
            if got.get(key) != want.get(key):
                self.fail("%s, thread %s:\n  %s instead of\n  %s" % (what, key, got.get(key), want.get(key)))

    def database(self, name, *inputs):
        path = os.path.join(self.work, name + ".db")
        code, _, said = self.run(*inputs, "-e", path)
        if code != 0:
            raise SystemExit("%s: %s" % (inputs, said))
        return path, sqlite3.connect("file:%s?mode=ro" % path, uri=True)

    def compare(self, name, path, db):
        """All threads, of all time and of its middle third; then each of three alone."""
        threads = spent_reader.read(db)
        if not threads:
            code, _, said = self.run(path, "-q", "threads")
            if code not in (0, 2):
                self.fail("%s: %s" % (name, said))
            return
        self.same(name, self.ask(path), {key: spent_reader.spent(db, one) for key, one in threads.items()})
        span = spent_reader.whole(db)
        if span is not None:
            third = (span[1] - span[0]) // 3
            low, high = span[0] + third, span[1] - third
            got = self.ask(path, "from=%d" % low, "to=%d" % high)
            self.same(name + " from %d to %d" % (low, high), got, {key: spent_reader.spent(db, one, low, high) for key, one in threads.items()})
        for key in sorted((k for k in threads if k[0] is not None))[:3]:
            self.same("%s thread %d" % (name, key[0]), self.ask(path, "thread=id=%d" % key[0]), {key: spent_reader.spent(db, threads[key])})

    def known(self, name, path, db):
        if name not in CPU and name not in {recording for recording, _ in KNOWN}:
            return
        tids = dict(db.execute("SELECT itid, tid FROM thread"))
        got = {tids.get(itid): row for (itid, _), row in self.ask(path).items()}
        for (recording, tid), row in KNOWN.items():
            if recording == name:
                self.same("%s as known" % name, {tid: got.get(tid)}, {tid: row})
        if name in CPU:
            self.same("%s CPU times" % name, {tid: row[0] for tid, row in got.items()}, CPU[name])
        if name == "kernel.htrace.gz":
            closed, = db.execute("SELECT sum(dur) FROM sched_slice WHERE itid > 0").fetchone()
            last = sum(high - ts for ts, high in db.execute("SELECT max(ts), (SELECT end_ts FROM trace_range) FROM thread_state GROUP BY itid "
                                                            "HAVING state = 'Running' AND dur IS NULL"))
            self.same("scheduling", {0: sum(row[0] for row in got.values()) - last}, {0: closed})
            process = [row[0] for row in self.ask(path, "thread=pid=1000").values()]
            self.same("process 1000", {0: (len(process), sum(process))}, {0: (3, 2449718)})

    def refused(self, path):
        for param, wanted in (("thread=workr-1", "worker-1"), ("source=nothing", "nothing"), ("limit=-1", "limit"), ("from=then", "from")):
            code, out, said = self.run(path, "-q", "threads", "--param", param)
            if code != 2 or out or wanted not in said:
                self.fail("--param %s: exit code %d, %r" % (param, code, said))


# A scheduler that says less than it should, calls that overlap, waits in calls and beside them, samples without a
# place, pauses over all of it: each table alone is in some recording, together they are in none.
MIXED = """
INSERT INTO runtime_pause(id, source_id, kind, ts, dur, state) VALUES (1, {s}, 'gc', {t} + 50, 100, 0), (2, {s}, 'gc', {t} + 120, 70, 0), (3, {s}, 'gc', {t} + 5000, 9, 0);
INSERT INTO lock_wait(id, source_id, kind, itid, ts, dur, state) VALUES (1, {s}, 'contended', 1, {t} + 10, 30, 0), (2, {s}, 'park', 1, {t} + 130, 200, 0),
  (3, {s}, 'wait', 2, {t} - 5, 90, 0), (4, {s}, 'wait', 2, {t} + 3000, 400, 0), (5, {s}, 'park', 2, {t} + 3100, 400, 0), (6, {s}, 'contended', 2, {t} + 3200, 100, 0);
INSERT INTO stack_slice(id, source_id, itid, parent_id, ts, dur, cpu_dur, depth, state) VALUES (1, {s}, 1, NULL, {t} + 5, 100, 40, 0, 0), (2, {s}, 1, NULL, {t} + 60, 100, 101, 0, 0),
  (3, {s}, 1, NULL, {t} + 200, 50, NULL, 0, 0), (4, {s}, 2, NULL, {t} + 3050, 1000, 333, 0, 0), (5, {s}, 1, 1, {t} + 6, 10, 10, 1, 0);
"""


def mixed(test, source):
    path, db = test.database("mixed", os.path.join(source, "test", "data", "kernel.ftrace"))
    db.close()
    db = sqlite3.connect(path)
    start, = db.execute("SELECT start_ts FROM trace_range").fetchone()
    db.executescript(MIXED.format(s=1, t=start + 70000))
    db.close()
    test.compare("mixed", path, sqlite3.connect("file:%s?mode=ro" % path, uri=True))


# Of a recording with nothing but states: some last into the next one, some come late, as of a file that was changed.
OVERLAPPING = ("UPDATE thread_state SET dur = dur + 5000 WHERE rowid % 3 = 0", "UPDATE thread_state SET ts = ts - 30000 WHERE rowid % 5 = 0", "UPDATE thread_state SET ts = 0 WHERE rowid = 2",
               "DELETE FROM thread_state WHERE itid = 1", "UPDATE thread_state SET dur = NULL WHERE rowid % 4 = 0")


def overlapping(test, source):
    for number, change in enumerate(OVERLAPPING):
        path, db = test.database("overlapping%d" % number, os.path.join(source, "test", "data", "kernel.ftrace"))
        db.close()
        db = sqlite3.connect(path)
        db.execute(change)
        db.commit()
        db.close()
        test.compare(change, path, sqlite3.connect("file:%s?mode=ro" % path, uri=True))


def main():
    program, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    data = os.path.join(source, "test", "data")
    with tempfile.TemporaryDirectory() as work:
        test = Test(program, work)
        for path in sorted(glob.glob(data + "/*.*")):
            name = os.path.basename(path)
            if name.endswith((".md", ".summary")):
                continue
            db_path, db = test.database(name, path)
            test.compare(name, db_path, db)
            test.known(name, db_path, db)
            if name == "work.jfr.gz":
                test.refused(db_path)
        test.compare("two", *test.database("two", data + "/work.jfr.gz", data + "/work21.jfr.gz"))
        mixed(test, source)
        overlapping(test, source)
        print("%d threads compared, %d wrong" % (test.checked, test.bad))
    return 1 if test.bad else 0


if __name__ == "__main__":
    sys.exit(main())
