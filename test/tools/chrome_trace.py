#!/usr/bin/env python3
"""Traces of Chrome and Node.js, recorded and made ones: every cell is compared with what Python reads; whole ones lose nothing, damaged ones say so.

usage: chrome_trace.py TRACE_STREAMER MKCHROMETRACE TESTDIR [TRACE...]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

program, maker, testdir = sys.argv[1:4]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import chrome_trace
import starts

WHOLE = ["", "--form list --pairs 1000", "--form node --disorder 300", "--form open --fractions 400 --late-names 1000", "--threads 1 --depth 30 --pairs 500",
         "--names 2000 --async 900 --disorder 100"]
DAMAGED = ["--lost-ends 30 --double-ends 30 --pairs 600", "--crossing 20", "--negative 20",
           "--crossing 10 --negative 10 --lost-ends 20 --double-ends 20 --pairs 500 --disorder 100 --fractions 300"]


def convert(path, out, *options):
    done = starts.run([program, path, "-e", out, "--strict", *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def check(path, out, codes):
    code, said = convert(path, out)
    wrong = chrome_trace.compare(out, path) if code in codes else "exit code %d: %s" % (code, said)
    if wrong:
        sys.exit("%s: %s" % (path, wrong))


def question(path, out):
    """chrome_long_tasks: outermost spans of main threads, longest first."""
    events = [chrome_trace.Event(i + 1, e) for i, e in enumerate(chrome_trace.load(path)[0])]
    processes, threads = chrome_trace.names_of(events)
    spans = chrome_trace.nest(list(chrome_trace.spans_of(events)))
    want = sorted((-s.dur, i, s) for i, s in enumerate(spans) if s.depth == 0 and not s.group and (s.dur or 0) >= 2000000 and
                  (s.begin.pid == s.begin.tid or (threads.get(s.begin.thread, "").startswith("Cr") and threads[s.begin.thread].endswith("Main"))))
    inner = {}
    for s in spans:
        if s.parent is not None and s.dur is not None:
            inner[s.parent] = max(inner.get(s.parent, 0), s.dur)
    want = [(i + 1, processes.get(s.begin.pid), s.begin.pid, threads.get(s.begin.thread), s.begin.name, s.ts, s.dur / 1e6, s.cpu / 1e6 if s.cpu is not None else None,
             inner[s] / 1e6 if s in inner else None) for _, i, s in want[:10]]
    done = starts.run([program, out, "-q", os.path.join(testdir, "..", "share", "sql", "chrome_long_tasks.sql"), "--param", "limit=10", "--param", "min_ms=2",
                           "--output=json"], capture_output=True, text=True, check=True)
    have = [tuple(v for k, v in r.items() if k != "inner") for r in json.loads(done.stdout)]
    if not have or have != want:
        sys.exit("chrome_long_tasks: %r instead of %r" % (have, want))


def made(path, options, seed, size):
    subprocess.run([maker, "-o", path, "--seed", str(seed), "--bytes", str(size), *options.split()], check=True)


# --- events without any order --------------------------------------------------------------------------------------------------------------------------------

NAMES = ["", "a", "b", "RunTask", "naïve", "\U0001f600", 'say "x"\n', "x" * 300]


def stamp(rng, most=60):
    return rng.choice((rng.randrange(most), rng.randrange(most), Decimal(rng.randrange(most * 1000)) / 1000))


def event(rng):
    """Anything that the format allows, on few threads and ids, at few moments."""
    ph = rng.choice("XXXXXBBEEbbeenSFTpiIRstfPNODvVcCM")
    e = {"ph": ph, "ts": stamp(rng), "pid": rng.choice((1, 2)), "tid": rng.choice((1, 1, 7))}
    if rng.random() < (0.6 if ph == "E" else 0.95):
        e["name"] = rng.choice(NAMES[:5] if ph in "BEbeSF" else NAMES)
    if ph == "X" and rng.random() < 0.97:
        e["dur"] = stamp(rng, 20)
    if ph in "benSFTpNODstf" or rng.random() < 0.1:
        where = rng.choice(("id", "id", "local", "global"))
        ident = rng.choice(("0x1", 7, "7"))
        e.update({"id": ident} if where == "id" else {"id2": {where: str(ident)}})
    for key, value, odds in (("cat", rng.choice(("v8", "node,node.async_hooks", "")), 0.8), ("tts", stamp(rng), 0.4), ("tdur", stamp(rng, 20), 0.2), ("scope", "w", 0.1),
                             ("bp", "e", 0.1), ("stack", ["a", {"b": None}], 0.05), ("args", {"x": [1, {"y": "z\u2028"}], "name": "N"}, 0.7)):
        if rng.random() < odds:
            e[key] = value
    if ph == "C":
        e["args"] = {k: rng.choice((1, Decimal("2.5"), -3, 10**20)) for k in rng.sample(["p", "q", "ä"], rng.randrange(3))}
    items = list(e.items())
    rng.shuffle(items)
    return dict(items)


def profile(rng, events):
    """A CPU profile in parts, which stand anywhere."""
    pid, ident, t, known = 3, "0x%x" % rng.randrange(3), rng.randrange(1000), 0
    events.append({"ph": "P", "name": "Profile", "pid": pid, "tid": 9, "ts": t, "id": ident, "args": {"data": {"startTime": t}}})
    for _ in range(rng.randrange(1, 5)):
        t += 1 + rng.randrange(50)
        nodes = []
        for _ in range(rng.randrange(0 if known else 1, 5)):
            known += 1
            frame = {"functionName": rng.choice(NAMES), "scriptId": rng.randrange(4), "url": rng.choice(("", "file:///a.js")), "lineNumber": rng.randrange(3)}
            nodes.append({"id": known, "callFrame": frame, **({"parent": rng.randrange(1, known)} if known > 1 else {})})
        n = rng.randrange(6)
        data = {"cpuProfile": {"nodes": nodes, "samples": [rng.randrange(1, known + 1) for _ in range(n)]},
                "timeDeltas": [rng.randrange(-2 if rng.random() < 0.2 else 0, 30) for _ in range(n)]}
        if rng.random() < 0.5:
            data["lines"] = [rng.randrange(9) for _ in range(n)]
        events.append({"ph": "P", "name": "ProfileChunk", "pid": pid, "tid": 10, "ts": t, "id": ident, "args": {"data": data}})
    if rng.random() < 0.5:
        events.append({"ph": "P", "name": "ProfileChunk", "pid": pid, "tid": 10, "ts": t + 1, "id": ident, "args": {"data": {"endTime": t + 900}}})


def dump(value):
    """JSON with decimal numbers, which json cannot write."""
    if isinstance(value, dict):
        return "{%s}" % ",".join("%s: %s" % (json.dumps(k), dump(v)) for k, v in value.items())
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(dump, value))
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def random_trace(rng, path):
    events = [event(rng) for _ in range(rng.choice((1, 5, 40, 300)))]
    if rng.random() < 0.4:
        profile(rng, events)
    if rng.random() < 0.3:
        rng.shuffle(events)
    text = dump(events) if rng.random() < 0.4 else '{"otherData": {"a": 1}, "traceEvents": %s, "x": [1]}' % dump(events)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    rng = random.Random(16)
    slow = os.environ.get("TS_SLOW") == "1"
    with tempfile.TemporaryDirectory() as folder:
        out, path = os.path.join(folder, "out.db"), os.path.join(folder, "trace.json")
        for recorded in [os.path.join(testdir, "data", n) for n in ("node_trace.1.log.gz", "Trace-page.json.gz", "counters.trace.json")] + sys.argv[4:]:
            check(recorded, out, (0,))
            question(recorded, out)
        for seed in range(20 if slow else 1):
            for options in WHOLE:
                made(path, options, seed, 2000000 if slow else 30000)
                check(path, out, (0,))
            for options in DAMAGED:
                made(path, options, seed, 30000)
                check(path, out, (0, 3))
        for _ in range(5000 if slow else 20):
            random_trace(rng, path)
            check(path, out, (0, 3))
        made(path, "--odd 300", 3, 60000)
        if convert(path, out)[0] != 3:
            sys.exit("events that are wrong are not a loss")
        with open(path, "rb") as f:
            data = f.read()
        with open(path, "wb") as f:
            f.write(data[:len(data) // 2])
        if convert(path, out)[0] != 3:
            sys.exit("a trace that is cut is not a loss")


if __name__ == "__main__":
    main()
