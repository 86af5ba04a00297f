#!/usr/bin/env python3
"""JFR recordings: those of mkjfr in every form, a recorded one and, where a JDK is installed, one that is recorded now, against test/check/jfr.py and the
JDK's own tool; and damaged ones, which must end, lose nothing silently and show nothing else than the whole one has.

usage: jfr.py TRACE_STREAMER MKJFR TESTDIR
"""

import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

program, mkjfr, testdir = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import jfr
import starts

SLOW = os.environ.get("TS_SLOW") == "1"


def make(path, *options):
    subprocess.run([mkjfr, "-o", path, *options], check=True)


def convert(path, out, *options):
    done = starts.run([program, path, "-e", out, *options], capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stderr


def whole(path, out, what):
    code, said = convert(path, out, "--strict")
    wrong = jfr.compare(out, jfr.read(path)) if code == 0 else "exit code %d: %s" % (code, said)
    if wrong:
        sys.exit("%s: %s" % (what, wrong))


def forms(folder):
    path, out = os.path.join(folder, "m.jfr"), os.path.join(folder, "m.db")
    for like in ("jdk", "async", "datadog", "mixed"):
        for encoding in ("compressed", "fixed"):
            for seed in range(1, 40 if SLOW else 2 + (like == "mixed")):
                options = ["--like", like, "--encoding", encoding, "--seed", str(seed), "--chunks", str(1 + seed * 2), "--events", str(100 * seed),
                           "--checkpoints", str(seed), "--depth", "80" if seed == 2 else "9", "--threads", str(3 + seed)]
                make(path, *options)
                whole(path, out, " ".join(options))


def printed(recording, out):
    """Samples and the rest as `jfr print` has them, numbers of events as `jfr summary`."""
    events = jfr.printed_events("jfr", recording)
    wrong = jfr.compare(out, events, all_types=False)
    if wrong:
        sys.exit("%s: jfr print: %s" % (recording, wrong))
    hot_methods(out, events, recording + ": jfr print")
    summary(recording, out)


def summary(recording, out):
    said = subprocess.run(["jfr", "summary", recording], capture_output=True, text=True, check=True).stdout
    counts(recording, out, said.partition("=====\n")[2])


def counts(recording, out, lines):
    """Numbers of events by type, as the lines of a summary have them."""
    want = {}
    for line in lines.splitlines():
        m = re.fullmatch(r"\s*(\S+)\s+([0-9]+)(?:\s+[0-9]+)?", line)
        if m and m.group(1).lower() not in ("jdk.metadata", "jdk.checkpoint"):
            want[m.group(1)] = want.get(m.group(1), 0) + int(m.group(2))
    want = {n: c for n, c in want.items() if c > 0}
    have = dict(sqlite3.connect(out).execute("SELECT name, sum(count) FROM jfr_event_type GROUP BY 1 HAVING sum(count) > 0"))
    if not want or want != have:
        sys.exit("%s: jfr summary: %r instead of %r" % (recording, set(have.items()) - set(want.items()), set(want.items()) - set(have.items())))


def stored(folder, name):
    """A recording of test/data, unpacked."""
    path = os.path.join(folder, name)
    with gzip.open(os.path.join(testdir, "data", name + ".gz")) as f, open(path, "wb") as to:
        shutil.copyfileobj(f, to)
    return path


def second_jdk(folder):
    """Another JDK's: by the independent reader, and what that JDK's own tool said when it was recorded."""
    path, out = stored(folder, "work21.jfr"), os.path.join(folder, "work21.db")
    whole(path, out, "work21.jfr")
    hot_methods(out, jfr.read(path), "work21.jfr")
    with open(os.path.join(testdir, "data", "work21.summary"), encoding="ascii") as f:
        counts(path, out, f.read())
    version = sqlite3.connect(out).execute("SELECT language_ver FROM profile").fetchall()
    if version != [("21.0.12.1+1-1-deb13u1-Debian",)]:
        sys.exit("work21.jfr: version %r" % version)


def recorded(folder):
    path, out = stored(folder, "work.jfr"), os.path.join(folder, "work.db")
    whole(path, out, "work.jfr")
    questions(out)
    hot_methods(out, jfr.read(path), "work.jfr")
    profile(out)
    twice = os.path.join(folder, "twice.jfr")
    join(twice, (path, os.path.join(folder, "work21.jfr"), path))
    whole(twice, out, "three recordings in a file")
    if not SLOW or shutil.which("jfr") is None or shutil.which("javac") is None:  # each start of a Java VM takes seconds
        print("no new recording, not compared with jfr print (TS_SLOW=1 and a JDK do)")
        return
    convert(path, out)
    printed(path, out)
    fresh = os.path.join(folder, "fresh.jfr")
    subprocess.run([os.path.join(testdir, "..", "tools", "record-jfr.sh"), fresh], check=True, capture_output=True)
    whole(fresh, out, "a new recording")
    printed(fresh, out)
    hot_methods(out, jfr.read(fresh), "a new recording")
    join(twice, (path, fresh, path))
    whole(twice, out, "three recordings in a file, one of them new")
    summary(twice, out)


def join(path, parts):
    with open(path, "wb") as to:
        for part in parts:
            with open(part, "rb") as f:
                shutil.copyfileobj(f, to)


PROFILE = ("java", "17.0.15+6-Debian-1deb12u1", "OpenJDK 64-Bit Server VM", "linux", "amd64", "jfr")


def profile(out):
    """What the recorded one says of itself."""
    db = sqlite3.connect(out)
    have = db.execute("SELECT language, language_ver, runtime, runtime_os, runtime_arch, format FROM profile").fetchall()
    times = db.execute("SELECT p.start_ts = s.start_ts, p.end_ts = s.end_ts, p.pid = s.pid FROM profile p JOIN source s ON s.id = p.source_id").fetchall()
    kinds = dict(db.execute("SELECT event_type, kind FROM profile_value_type"))
    if have != [PROFILE] or times != [(1, 1, 1)] or kinds["cpu-time"] != "duration" or kinds["alloc-space"] != "memory":
        sys.exit("profile: %r, %r, %r" % (have, times, kinds))


def ask(out, question, *params):
    options = [o for p in params for o in ("--param", p)]
    done = starts.run([program, out, "-q", question, "--output=json", *options], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def hot(samples, wanted):
    """{method: (samples, ns, bytes)} of the innermost frames, as a plain count of the events gives them."""
    found = {}
    for name, _, _, dur, _, stack, values, _ in samples:
        if name in wanted and stack:
            package, cls, method = stack[-1][:3]
            c = found.setdefault(".".join(x for x in (package, cls, method) if x), [0, 0, 0])
            c[0] += 1
            c[1] += dur or 0
            c[2] += dict(values).get("alloc_space", 0)
    return found


def hot_methods(out, want, what):
    """CPU time is that of execution samples and of nothing else; other events by their names."""
    cpu = ("jdk.ExecutionSample", "jdk.CPUTimeSample")
    samples = jfr.names_of(want.samples)
    for question, options, self, wanted, at, unit in (
            ("cpu_hot_methods", (), "self_ns", cpu, 1, 1), ("hot_methods", (), "self_samples", cpu, 0, 1), ("hot_methods", (), "self", cpu, 1, 1),
            ("cpu_hot_methods", ("event=sleep",), "self_ns", ("jdk.ThreadSleep",), 1, 1),
            ("hot_methods", ("event=exception",), "self_samples", ("jdk.JavaExceptionThrow", "jdk.JavaErrorThrow"), 0, 1),
            ("hot_methods", ("event=alloc", "weight=alloc_space"), "self", ALLOCATIONS, 2, 1), ("alloc_hot_methods", (), "self_bytes", ALLOCATIONS, 2, 1)):
        rows = ask(out, question, "limit=1000000", *options)
        have, expected = {}, {}
        for r in rows:
            have[r["method"]] = have.get(r["method"], 0) + (r[self] or 0)
        for m, c in hot(samples, wanted).items():
            expected[m] = c[at] // unit
        have, expected = ({m: v for m, v in x.items() if v} for x in (have, expected))
        counted = {r.get("counted", r.get("weight")) for r in rows}
        if have != expected or (rows and question != "alloc_hot_methods" and (len(counted) != 1 or None in counted)):
            sys.exit("%s: %s %s: %r instead of %r, counted %r" % (what, question, options, have, expected, counted))


ALLOCATIONS = ("jdk.ObjectAllocationSample", "jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB")


def questions(out):
    """The questions that every format answers."""
    if ask(out, "hot_methods")[0]["method"] != "RecordJfr.fib":
        sys.exit("hot_methods: %r comes first" % ask(out, "hot_methods")[0])
    if ask(out, "alloc_hot_methods")[0]["method"] != "RecordJfr.allocate":
        sys.exit("alloc_hot_methods: %r comes first" % ask(out, "alloc_hot_methods")[0])
    rows = ask(out, "alloc_hot_methods", "order=total", "limit=1000")
    if len(rows) < 10 or [r["bytes"] for r in rows] != sorted((r["bytes"] for r in rows), reverse=True):
        sys.exit("alloc_hot_methods: not in the order of bytes: %r" % [r["bytes"] for r in rows])
    waits = ask(out, "lock_waits")
    if (waits[0]["class"], waits[0]["kind"]) != ("java.lang.Object", "contended"):
        sys.exit("lock_waits: waits for RecordJfr.LOCK are not first: %r" % waits[:1])
    pauses = ask(out, "longest_pauses")
    if not pauses or pauses[0]["bytes_before"] is None:
        sys.exit("longest_pauses: %r" % pauses[:1])
    for question in ("folded_stacks", "flame_graph"):
        if not ask(out, question):
            sys.exit("%s: no rows" % question)


def kept(folder):
    """Every event as JSON: fields in their order, and the values of those that are plain."""
    path, out = os.path.join(folder, "k.jfr"), os.path.join(folder, "k.db")
    make(path, "--like", "mixed", "--chunks", "3", "--events", "120")
    code, said = convert(path, out, "--strict", "--jfr-events=all")
    have, want = {}, {}
    for name, fields, ts in sqlite3.connect(out).execute("SELECT t.name, e.fields, e.ts FROM jfr_event e JOIN jfr_event_type t ON t.id = e.type_id ORDER BY e.id"):
        have.setdefault(name, []).append((ts, json.loads(fields)))
    columns = ("startTime", "duration", "eventThread", "sampledThread", "stackTrace")
    with open(path, "rb") as f:
        for chunk in jfr.chunks(f.read()):
            for name, values in chunk.events():
                want.setdefault(name, []).append((values["startTime"], {k: v for k, v in values.items() if k not in columns}))
    if code != 0 or {n: len(e) for n, e in have.items()} != {n: len(e) for n, e in want.items()}:
        sys.exit("--jfr-events=all: exit code %d, %s" % (code, said))
    for name, events in want.items():
        for (ts, values), (have_ts, fields) in zip(events, have[name]):
            same = [k for k, v in values.items() if isinstance(v, (int, float, str, list, type(None))) and fields[k] != v]
            if ts != have_ts or list(values) != list(fields) or same:
                sys.exit("%s: %r, %r instead of %r" % (name, same, fields, values))
    convert(path, out, "--jfr-events=jdk.CPULoad,app.Custom")
    names = {r[0] for r in sqlite3.connect(out).execute("SELECT DISTINCT t.name FROM jfr_event e JOIN jfr_event_type t ON t.id = e.type_id")}
    if names != {"jdk.CPULoad", "app.Custom"}:
        sys.exit("--jfr-events of two types: %r" % names)


DAMAGES = {"none": None, "size-zero": "jfr_bad_event_size", "size-huge": "jfr_bad_event_size", "metadata-offset": "jfr_bad_metadata",
           "pool-offset": "jfr_bad_checkpoint", "pool-loop": "jfr_bad_checkpoint", "pool-cycle": None, "pool-missing": None,
           "huge-count": "jfr_bad_checkpoint", "recursive": "jfr_bad_event", "nested": "jfr_bad_event", "arrays": "jfr_bad_event", "ticks": "jfr_bad_chunk",
           "chunk-size": None, "stray": "jfr_stray_bytes", "odd-text": None}
BESIDE = {"chunk-size": "jfr_chunk_open", "pool-cycle": "jfr_unresolved", "pool-missing": "jfr_unresolved", "odd-text": "jfr_bad_text"}


def damaged(folder):
    path, out, good = (os.path.join(folder, n) for n in ("d.jfr", "d.db", "good.db"))
    listed = subprocess.run([mkjfr, "--help"], capture_output=True, text=True, check=True).stdout.partition("--damage NAME")[2].split(":", 1)[1].split()
    if sorted(listed) != sorted(DAMAGES):
        sys.exit("not all damages are tested: %r" % set(listed).symmetric_difference(DAMAGES))
    make(path)
    convert(path, good)
    first = samples(good)
    for name, issue in DAMAGES.items():
        for encoding in ("compressed", "fixed"):
            make(path, "--damage", name, "--encoding", encoding, "--like", "datadog" if name == "odd-text" else "jdk")
            code, said = convert(path, out, "--strict")
            issues = set(sqlite3.connect(out).execute("SELECT code, severity FROM import_issue"))
            found = {c for c, _ in issues}
            if code != (3 if issue else 0) or (issue and issue not in found) or (name in BESIDE and BESIDE[name] not in found):
                sys.exit("%s, %s: exit code %d, %r: %s" % (name, encoding, code, found, said))
            if name == "pool-missing" and issues != {("jfr_unresolved", "info")}:
                sys.exit("%s: %r" % (name, issues))
            if name != "odd-text" and samples(out)[:200] != first[:200]:
                sys.exit("%s, %s: the chunk before the damaged one is not as it was" % (name, encoding))


def gaps(folder):
    """Where a chunk is lost or cut, there are no rates; where others may have followed, no end."""
    path, out = os.path.join(folder, "g.jfr"), os.path.join(folder, "g.db")
    make(path, "--chunks", "3", "--damage", "size-zero")
    with open(path, "rb") as f:
        broken = f.read()
    make(path, "--chunks", "3")
    with open(path, "rb") as f:
        data = f.read()
    size = int.from_bytes(data[8:16], "big")
    for what, bytes_, ends in (("whole", data, True), ("an event of size 0", broken, True), ("second chunk cut off", data[:size + 5000], False),
                               ("cut in a header", data[:size + 60], False), ("a chunk without its magic", data[:size] + b"F" + data[size:], True)):
        with open(path, "wb") as f:
            f.write(bytes_)
        code, said = convert(path, out)
        db = sqlite3.connect(out)
        rates = db.execute("SELECT count(*) FROM profile_metric WHERE name LIKE '%_per_sec' AND name NOT LIKE '%switches%' OR name LIKE '%_cores'").fetchone()[0]
        ended = db.execute("SELECT end_ts IS NOT NULL, (SELECT end_ts IS NOT NULL FROM source WHERE kind = 'recording') FROM profile").fetchone()
        complete = db.execute("SELECT complete FROM source WHERE kind = 'recording'").fetchone()[0]
        if code != 0 or (rates > 0) != (complete == 1) or ended != (ends, ends):
            sys.exit("%s: exit code %d, complete %d, %d rates, ends %r: %s" % (what, code, complete, rates, ended, said))


def samples(out):
    return sqlite3.connect(out).execute("SELECT ts, dur, event, itid, node_id FROM stack_sample ORDER BY id").fetchall()


def main():
    with tempfile.TemporaryDirectory() as folder:
        forms(folder)
        kept(folder)
        second_jdk(folder)
        recorded(folder)
        damaged(folder)
        gaps(folder)


if __name__ == "__main__":
    main()
