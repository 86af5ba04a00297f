#!/usr/bin/env python3
"""The questions waiting, cpu_busy and slices, against what their tables say and known numbers.

usage: times.py TRACE_STREAMER SOURCE_DIR
"""

import json
import os
import sqlite3
import sys
import tempfile
from collections import defaultdict

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

RECORDINGS = ("work.jfr.gz", "go-mutex.pprof", "kernel.ftrace", "kernel.htrace.gz", "Trace-page.json.gz", "node_trace.1.log.gz", "recording-cloud.tar.gz")
WAITED = {"R": "runnable", "R+": "runnable", "R-B": "runnable", "S": "sleep", "I": "idle", "D-IO": "io", "DK-IO": "io", "D": "blocked", "D-NIO": "blocked", "DK": "blocked",
          "DK-NIO": "blocked"}
KNOWN = {  # (recording, question, column of the key) -> {key: value of the column}
    ("work.jfr.gz", "waiting", "dur"): {"park": 225487240, "sleep": 221897639, "wait": 904494519, "lock": 38163220, "io": 73985986},
    ("work.jfr.gz", "waiting", "waits"): {"park": 12, "sleep": 13, "wait": 6, "lock": 4, "io": 3},
    ("go-mutex.pprof", "waiting", "dur"): {"lock": 14698107},
    ("kernel.ftrace", "cpu_busy", "busy_dur"): {0: 1288000, 1: 949000, 2: 1118000},
    ("Trace-page.json.gz", "slices", "count"): {"call": 312, "async": 12},
    ("Trace-page.json.gz", "slices", "self_dur"): {"call": 237536000, "async": 54106000},
    ("node_trace.1.log.gz", "slices", "dur"): {"call": 24552000, "async": 168747000},
    ("node_trace.1.log.gz", "slices", "cpu_dur"): {"call": 21369000, "async": None},
    ("kernel.htrace.gz", "slices", "count"): {"call": 211, "async": 10},
    ("kernel.htrace.gz", "slices", "open"): {"call": 7, "async": 0},
    ("kernel.htrace.gz", "slices", "self_dur"): {"call": 14682856, "async": None},
    ("kernel.htrace.gz", "slices", "dur"): {"call": 12486648, "async": 1323598},
    ("recording-cloud.tar.gz", "slices", "dur"): {"call": 7119000000},
}


def waiting(db):
    """{reason: (waits, threads, dur, longest)} of everything but values."""
    rows = [(WAITED[state], itid, dur) for state, itid, dur in db.execute("SELECT state, itid, dur FROM thread_state") if state in WAITED]
    rows += db.execute("SELECT reason, itid, dur FROM v_sample WHERE class = 'waiting' AND dur IS NOT NULL").fetchall()
    found = defaultdict(list)
    for reason, itid, dur in rows:
        found[reason].append((itid, dur))
    return {reason: (len(all_), len({i for i, _ in all_ if i is not None}) or None, sum(d or 0 for _, d in all_), max(d or 0 for _, d in all_)) for reason, all_ in found.items()}


def cpus(db):
    found = defaultdict(lambda: defaultdict(int))
    slices = defaultdict(int)
    for cpu, itid, dur in db.execute("SELECT cpu, itid, dur FROM sched_slice"):
        found[cpu][itid] += dur or 0
        slices[cpu] += itid != 0
    return {cpu: (slices[cpu], len([i for i in by if i]), sum(ns for i, ns in by.items() if i), by.get(0, 0),
                  max(ns for i, ns in by.items() if i)) for cpu, by in found.items()}


def slices(db):
    """{kind: (count, open, self)}: of slices of the system from scratch, of calls what was recorded."""
    found = defaultdict(lambda: [0, 0, None])

    def add(kind, dur, own):
        one = found[kind]
        one[0] += 1
        one[1] += dur is None
        if own is not None:
            one[2] = (one[2] or 0) + max(own, 0)

    spans = {i for i, in db.execute("SELECT slice_id FROM chrome_slice WHERE async")}
    for i, dur, own in db.execute("SELECT id, dur, self_dur FROM stack_slice"):
        add("async" if i in spans else "call", dur, own)
    if not found:
        below = defaultdict(int)
        rows = db.execute("SELECT id, parent_id, dur, cookie FROM callstack").fetchall()
        for _, parent, dur, cookie in rows:
            if cookie is None and parent is not None:
                below[parent] += dur or 0
        for i, _, dur, cookie in rows:
            add("call" if cookie is None else "async", dur, None if cookie is not None or dur is None else dur - below[i])
    return {kind: tuple(one) for kind, one in found.items()}


def main():
    program, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    bad = checked = 0
    columns = {"waiting": ("reason", waiting, ("waits", "threads", "dur", "max_dur")), "slices": ("kind", slices, ("count", "open", "self_dur")),
               "cpu_busy": ("cpu", cpus, ("slices", "threads", "busy_dur", "idle_dur", "thread_dur"))}
    with tempfile.TemporaryDirectory() as work:
        for name in RECORDINGS:
            path = os.path.join(work, name + ".db")
            starts.run([program, os.path.join(source, "test", "data", name), "-e", path, "--quiet"], check=True)
            db = sqlite3.connect(path)
            for question, (key, reader, compared) in columns.items():
                want = reader(db)
                run = starts.run([program, path, "-q", question, "--output=json"], capture_output=True, text=True)
                if run.returncode == 2 and not want and "cannot answer" in run.stderr:
                    continue
                rows = {row[key]: row for row in json.loads(run.stdout)}
                got = {k: tuple(row[c] for c in compared) for k, row in rows.items()}
                if want or (name, question, "dur") not in KNOWN:
                    checked += len(want)
                    bad += got != want
                    if got != want:
                        print("%s %s: %s instead of %s" % (name, question, got, want))
                for (recording, asked, column), values in KNOWN.items():
                    if (recording, asked) == (name, question):
                        checked += len(values)
                        shown = {k: row[column] for k, row in rows.items()}
                        bad += shown != values
                        if shown != values:
                            print("%s %s %s: %s instead of %s" % (name, question, column, shown, values))
                for row in rows.values():
                    if question == "cpu_busy" and abs(row["busy_share"] * (row["busy_dur"] + row["idle_dur"]) - row["busy_dur"]) > 1e-6:
                        bad += 1
                        print("%s: the share of CPU %s is wrong" % (name, row["cpu"]))
            if starts.run([program, path, "-q", "waiting", "--param", "source=1", "--output=json"], capture_output=True).returncode not in (0, 2):
                bad += 1
                print("%s: waiting of a source fails" % name)
    print("%d rows compared, %d wrong" % (checked, bad))
    return 1 if bad or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
