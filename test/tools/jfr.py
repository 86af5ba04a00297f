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

SLOW = os.environ.get("TS_SLOW") == "1"


def make(path, *options):
    subprocess.run([mkjfr, "-o", path, *options], check=True)


def convert(path, out, *options):
    done = subprocess.run([program, path, "-e", out, *options], capture_output=True, text=True, check=False, timeout=300)
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


def printed(recording, out, folder):
    """Samples and the rest as `jfr print` has them, numbers of events as `jfr summary`."""
    text = os.path.join(folder, "printed.json")
    with open(text, "w", encoding="utf-8") as f:
        names = sorted(set(jfr.SAMPLES) | set(jfr.SERIES) | {"jdk.GCPhasePause"})
        subprocess.run(["jfr", "print", "--json", "--stack-depth", "2048", "--events", ",".join(names), recording], stdout=f, check=True)
    wrong = jfr.compare(out, jfr.printed_events(text, recording), all_types=False)
    if wrong:
        sys.exit("%s: jfr print: %s" % (recording, wrong))
    summary(recording, out)


def summary(recording, out):
    said = subprocess.run(["jfr", "summary", recording], capture_output=True, text=True, check=True).stdout
    want = {}
    for line in said.partition("=====\n")[2].splitlines():
        m = re.fullmatch(r"\s*(\S+)\s+([0-9]+)\s+[0-9]+", line)
        if m and m.group(1) not in ("jdk.Metadata", "jdk.CheckPoint"):
            want[m.group(1)] = want.get(m.group(1), 0) + int(m.group(2))
    want = {n: c for n, c in want.items() if c > 0}
    have = dict(sqlite3.connect(out).execute("SELECT name, sum(count) FROM jfr_event_type GROUP BY 1 HAVING sum(count) > 0"))
    if not want or want != have:
        sys.exit("%s: jfr summary: %r instead of %r" % (recording, set(have.items()) - set(want.items()), set(want.items()) - set(have.items())))


def recorded(folder):
    path, out = os.path.join(folder, "work.jfr"), os.path.join(folder, "work.db")
    with gzip.open(os.path.join(testdir, "data", "work.jfr.gz")) as f, open(path, "wb") as to:
        shutil.copyfileobj(f, to)
    whole(path, out, "work.jfr")
    questions(out)
    if shutil.which("jfr") is None:
        print("no JDK: not compared with jfr print, nothing recorded")
        return
    if SLOW:  # each start of a Java VM takes a second
        printed(path, out, folder)
    twice = os.path.join(folder, "twice.jfr")
    fresh = os.path.join(folder, "fresh.jfr")
    if shutil.which("javac") is None:
        print("no javac: nothing recorded")
        return
    subprocess.run([os.path.join(testdir, "..", "tools", "record-jfr.sh"), fresh], check=True, capture_output=True)
    whole(fresh, out, "a new recording")
    printed(fresh, out, folder)
    with open(twice, "wb") as to:
        for part in (path, fresh, path):
            with open(part, "rb") as f:
                shutil.copyfileobj(f, to)
    whole(twice, out, "three recordings in a file")
    summary(twice, out)


def ask(out, question):
    done = subprocess.run([program, out, "-q", question, "--output=json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def questions(out):
    """The questions that every format answers."""
    if ask(out, "hot_methods")[0]["method"] != "RecordJfr.fib":
        sys.exit("hot_methods: %r comes first" % ask(out, "hot_methods")[0])
    if ask(out, "alloc_hot_methods")[0]["method"] != "RecordJfr.allocate":
        sys.exit("alloc_hot_methods: %r comes first" % ask(out, "alloc_hot_methods")[0])
    if not any(r["class"] == "java.lang.Object" and r["kind"] == "contended" for r in ask(out, "lock_waits")):
        sys.exit("lock_waits: nobody waits for RecordJfr.LOCK")
    pauses = ask(out, "longest_pauses")
    if not pauses or pauses[0]["bytes_before"] is None:
        sys.exit("longest_pauses: %r" % pauses[:1])
    for question in ("folded_stacks", "flame_graph"):
        if not ask(out, question):
            sys.exit("%s: no rows" % question)


DAMAGES = {"none": None, "size-zero": "jfr_bad_event_size", "size-huge": "jfr_bad_event_size", "metadata-offset": "jfr_bad_metadata",
           "pool-offset": "jfr_bad_checkpoint", "pool-loop": "jfr_bad_checkpoint", "pool-cycle": None, "pool-missing": None,
           "huge-count": "jfr_bad_checkpoint", "recursive": "jfr_bad_event", "nested": "jfr_bad_event", "arrays": "jfr_bad_event", "ticks": "jfr_bad_chunk",
           "chunk-size": "jfr_chunk_cut", "stray": "jfr_stray_bytes", "odd-text": None}
WARNINGS = {"pool-cycle": "jfr_unresolved", "pool-missing": "jfr_unresolved", "odd-text": "jfr_bad_text"}


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
            found = {r[0] for r in sqlite3.connect(out).execute("SELECT code FROM import_issue")}
            if code != (3 if issue else 0) or (issue and issue not in found) or (name in WARNINGS and WARNINGS[name] not in found):
                sys.exit("%s, %s: exit code %d, %r: %s" % (name, encoding, code, found, said))
            if name != "odd-text" and samples(out)[:200] != first[:200]:
                sys.exit("%s, %s: the chunk before the damaged one is not as it was" % (name, encoding))


def samples(out):
    return sqlite3.connect(out).execute("SELECT ts, dur, event, itid, node_id FROM stack_sample ORDER BY id").fetchall()


def main():
    with tempfile.TemporaryDirectory() as folder:
        forms(folder)
        recorded(folder)
        damaged(folder)


if __name__ == "__main__":
    main()
