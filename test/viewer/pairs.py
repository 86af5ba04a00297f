#!/usr/bin/env python3
"""Every kind of source, alone and beside every other: what the web viewer needs holds, nothing of the one vanishes beside the other, and the
viewer's way through the answers to its statements (load.js) comes to an end in a browser.

usage: pairs.py TRACE_STREAMER TOOLS SOURCE_DIR [browser]

With `browser` each database is loaded in Chromium; without it the statements are asked and checks.sql is looked at.
"""

import itertools
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../check"), os.path.join(HERE, "../export")]
import browser
import ftrace_write as write
from ftrace_model import Event
from viewer import Run

SECOND = 10**9
DAY = 86400 * SECOND
# Rows of each kind are counted here; of a pair there must be as many as of both.
ROWS = ("callstack", "perf_sample", "js_heap_files", "js_cpu_profiler_sample", "sched_slice", "log", "cpu_usage")
AT_ONCE = "CPU samples lie inside the trace and do not overlap"
INSIDE = "heap files that are complete are shown"
FOLDED = "main;work 3\nmain;rest 4\n"
SPEEDSCOPE = {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "main"}, {"name": "work"}]}, "profiles": [
    {"type": "evented", "name": "main", "unit": "milliseconds", "startValue": 0, "endValue": 5, "events": [
        {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 1}, {"type": "C", "frame": 1, "at": 3}, {"type": "C", "frame": 0, "at": 5}]}]}
LATER = "".join("%d.5 10 11 I tag: text\n" % (1_900_000_000 + i) for i in range(3))


def ffrt(r):
    """Markers of the ffrt profiler alone."""
    marks = (("B", "task"), ("E", ""), ("S", "wait"), ("F", "wait"))
    events = [Event("ffrt", 2 * SECOND + i, 0, 21, 20, "", type=letter, label=label, cookie=7 * (letter in "SF")) for i, (letter, label) in enumerate(marks)]
    path = os.path.join(r.work, "ffrt.htrace")
    with open(path, "wb") as f:
        f.write(write.container([("ffrt-profiler", 2, write.ffrt(events))], SECOND, SECOND, SECOND))
    return path


def kinds(r):
    """Each kind: its input, and what the viewer must have rows of."""
    data = lambda name: os.path.join(r.data, name)
    yield "kernel as text", data("kernel.ftrace"), ("calls",)
    yield "kernel in pages", data("kernel.sys"), ("calls",)
    yield "plugins", data("kernel.htrace.gz"), ("calls",)
    yield "ffrt", ffrt(r), ("calls",)
    yield "cpu-plugin", r.make("mkhtrace", "cpu.htrace", *[w for at in (12, 13) for w in ("--plugin", "cpu-plugin:=0a001807210000%04x0000f83f" % at)]), ()
    yield "a log of another day", r.write("later.hilog", LATER), ()
    yield "ArkTS CPU profile", r.recording("cpuprofile"), ("profiles",)
    yield "snapshot", r.tiny("snapshot.heapsnapshot"), ("snapshots",)
    yield "timeline", r.tiny("timeline.heaptimeline"), ("timelines",)
    yield "bare CPU profile", r.tiny("profile.cpuprofile"), ("profiles",)
    yield "heap profile", data("sessions.heapprofile"), ()
    yield "pprof of CPU", data("go-cpu.pprof"), ()
    yield "pprof of a heap", data("node-heap.pprof"), ()
    yield "folded stacks", r.write("stacks.folded", FOLDED), ()
    yield "speedscope", r.write("calls.speedscope.json", json.dumps(SPEEDSCOPE)), ()  # its threads are of no process, so nothing is drawn
    yield "Chrome trace", data("node_trace.1.log.gz"), ("calls",)
    yield "JFR", data("work.jfr.gz"), ("samples",)
    yield "Cloud Profiler", r.make("mkcloud", "pods", "--container", "agent", "--pods", "1", "--calls", "20"), ("calls", "tags")
    yield "TPTP", r.make("mktptp", "t.trace", "--form", "binary", "--calls", "40"), ("calls",)
    yield "Flare", r.make("mkflare", "flare", "--threads=2", "--seconds=2", output=False), ("samples",)


def counts(r):
    return [r.one("SELECT count(*) FROM " + table) for table in ROWS]


def answers(r):
    """What the page gets: of long answers the first rows."""
    out = {}
    file = r.one("SELECT min(id) FROM js_heap_files")
    for name, _, sql in r.statements:
        cursor = r.db.execute(sql, {n: file if n == "file" else None for n in re.findall(r":(file|argset)\b", sql)})
        names = [column[0] for column in cursor.description]
        limit = None if name in ("dictionary", "threads of samples") else 500
        out[name] = [dict(zip(names, row)) for row in (cursor.fetchmany(limit) if limit else cursor)]
    return out


def load(r, page):
    try:
        return page.run("load(JSON.parse(%s))" % json.dumps(json.dumps(answers(r))))
    except RuntimeError as error:
        r.fail("the viewer stops: %s" % str(error)[-600:])


def prove(page):
    """The page stops where the viewer does."""
    wrong = 0
    good = {"trace range": [{"start_ts": 0, "end_ts": 10**14 - 1}], "dictionary": []}
    empty = ("command of samples", "threads of samples", "list of samples", "stacks of samples", "processes with data", "events that were received", "calls of threads",
             "there is scheduling", "there are heaps", "there are CPU profiles", "heap files", "samples of CPU profiles")
    good.update({name: [] for name in empty})
    for change, fails in (({}, False), ({"trace range": [{"start_ts": 0, "end_ts": 10**14}]}, True), ({"command of samples": [{"report_value": None}]}, True),
                          ({"there is scheduling": [{"1": 1}], "name of an argument": []}, True)):
        try:
            page.run("load(JSON.parse(%s))" % json.dumps(json.dumps({**good, **change})))
            stopped = False
        except RuntimeError:
            stopped = True
        if stopped != fails:
            wrong += 1
            print("%s: %s" % (change, "no failure" if fails else "a failure"))
    return wrong


def look(r, has, page):
    if page is not None:
        return load(r, page)
    # Of two clocks that nothing relates one lies outside of the range.
    r.view(*has, but=(AT_ONCE, INSIDE))
    return None


SLOW = bool(os.environ.get("TS_SLOW"))  # each pair in both orders, else in one of them


def for_the_viewer(r, name, path):
    """With --viewer nothing is without a name, and the frames are where the view has them."""
    frames, unnamed = r.rows("SELECT * FROM perf_callchain"), r.one("SELECT count(*) FROM process WHERE name IS NULL")
    r.convert(name.replace(" ", "-") + "-viewer", path, "--viewer=stacks")
    r.same("frames", r.rows("SELECT * FROM perf_callchain"), frames)
    r.same("names that are made up", r.one("SELECT count(*) FROM process WHERE name = 'process ' || pid"), unnamed)
    r.same("processes without a name", r.rows("SELECT pid FROM process WHERE name IS NULL OR name = ''"), [])
    r.same("list of processes", [row for row in r.rows("SELECT p.pid, p.name FROM process AS p WHERE p.pid <> 0") if row[1] is None], [])


def run(r, page):
    alone = {}
    inputs = list(kinds(r))
    for name, path, has in inputs:
        r.convert(name.replace(" ", "-"), path)
        drawn = look(r, has, page)
        alone[name] = counts(r)
        if drawn is not None and "calls" in has:
            r.holds("boxes", drawn["boxes"] > 0)
        if page is None:
            for_the_viewer(r, name, path)
    for k, ((a, first, has_a), (b, second, has_b)) in enumerate(itertools.combinations(inputs, 2)):
        orders = ((first, second), (second, first))
        for one, other in orders if page is None and SLOW else (orders[k % 2],):
            r.convert("pair", one, other)
            r.what = "%s, %s" % (a, b)
            look(r, set(has_a + has_b) - {"samples"}, page)  # of another clock they may lie outside of the range
            r.same("rows", dict(zip(ROWS, counts(r))), dict(zip(ROWS, map(sum, zip(alone[a], alone[b])))))
            os.remove(r.path)


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[4:] not in ([], ["browser"]):
        sys.exit(__doc__)
    page = None
    wrong = 0
    if sys.argv[4:]:
        if browser.program() is None:
            sys.exit("skipped: there is no Chromium")
        page = browser.Browser()
        with open(os.path.join(HERE, "load.js"), encoding="utf-8") as f:
            page.run(f.read() + "; 1")
        wrong = prove(page)
    with tempfile.TemporaryDirectory() as work:
        r = Run(*map(os.path.abspath, sys.argv[1:4]), work)
        run(r, page)
        print("%d compared, %d wrong" % (r.compared, r.bad + wrong))
    if page is not None:
        page.close()
    sys.exit(r.bad + wrong > 0)


if __name__ == "__main__":
    main()
