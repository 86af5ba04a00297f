#!/usr/bin/env python3
"""perf_napi_async: recordings in which works of native modules are submitted (native_hook), run (marks of the kernel's trace) and are sampled
(hiperf), against an example whose rows are written down and against a plain computation from the other tables.

usage: napi_async.py TRACE_STREAMER [--count N] [--seed S]
"""

import argparse
import os
import random
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import ftrace_write
import perf_write as write
from ftrace_model import Event
from ftrace_write import container, number, text
import starts

SECOND = 10**9
CLOCKS = {"boot": SECOND, "real": 11 * SECOND, "mono": SECOND}
LIBRARY, CALLBACK = "/system/lib/libace_napi.z.so", "panda::NativeAsyncWork::AsyncWorkCallback(uv_work_s*)"
CALLBACK_AT, OTHER_AT, START = 0x10100, 0x10200, 2 * SECOND


def marks(rows):
    """(time, pid, tid, cpu, text) as marks of the kernel's trace."""
    events = [Event("print", START + at, cpu, tid, pid, "t%d" % tid, buf=buf) for at, pid, tid, cpu, buf in rows]
    return b"".join(ftrace_write.details(run) for run in ftrace_write.cut(events))


def mapping(at, pid, tid, address, kind, frame):
    frames = text(6, number(1, frame) + text(3, "submit%d" % frame) + text(4, "/data/app.so")) if frame else b""
    body = number(1, pid) + number(2, tid) + number(3, address) + text(4, kind) + number(5, 4096) + frames
    return text(1, number(1, 12) + number(2, at) + text(5, body))


def perf(samples, threads):
    """(time, pid, tid, cpu, period, addresses from the leaf on) as a section of hiperf."""
    event = write.Event("hw-cpu-cycles", [1], 0x101E7, flags=1 << 18 | 1 << 25, clockid=1)
    records = [write.comm(pid, tid, "t%d" % tid) for pid, tid in threads]
    for pid in sorted({pid for pid, _ in threads}):
        records.append(write.record(10, 2, write.u32(pid, pid) + write.u64(0x10000, 0x1000, 0) + write.u32(8, 1) + write.u64(77, 0) + write.u32(5, 2) + write.padded(LIBRARY)))
    for at, pid, tid, cpu, period, ips in samples:
        records.append(write.sample(event, 2, {"ip": ips[0], "pid": pid, "tid": tid, "time": START + at, "cpu": cpu, "period": period, "ips": [write.M64 - 511, *ips]}))
    symbols = write.symbols([(LIBRARY, 3, 0, 0, [(0x100, 0x80, CALLBACK), (0x200, 0x80, "other")])])
    return write.section(1, write.perf_data([event], b"".join(records), {11: write.text("hiperf record"), 192: symbols}))


def recording(calls, hooks, samples, threads):
    trace = [("ftrace-plugin", 12, marks(calls))] if calls else []
    hook = [("nativehook_config", 12, b""), ("nativehook", 12, b"".join(mapping(*h) for h in hooks))]
    return container(trace + hook, **CLOCKS) + perf(samples, threads)


def work(trace):
    return "H:Native async work execute callback, name:x, traceid:%s|more" % trace


def example():
    """Two works of thread 21, one of which nobody submitted, and one that has no end; a sample in each, before, between, and in another stack."""
    calls = [(100, 20, 21, 0, "B|20|" + work("0xa1")), (200, 20, 21, 0, "E|20"), (300, 20, 21, 0, "B|20|" + work("0xb2")), (320, 20, 21, 0, "B|20|" + work("0xdead")),
             (380, 20, 21, 0, "E|20"), (400, 20, 21, 0, "E|20"), (450, 20, 21, 0, "B|20|" + work("0xa1"))]
    hooks = [(10, 20, 20, 0x9000, "napi:0xa1:7", 0x77), (20, 20, 20, 0xB000, "napi:0xb2:8", 0), (30, 20, 20, 0xD000, "napi:0xa1:9", 0x88), (40, 20, 20, 0xF000, "heap", 0x99)]
    leaf, callback = 0x10210, CALLBACK_AT + 8
    samples = [(50, 20, 21, 1, 5, [callback]), (150, 20, 21, 300, 6, [leaf, callback]), (200, 20, 21, 1, 7, [callback]), (250, 20, 21, 1, 8, [callback]),
               (350, 20, 21, 2, 9, [leaf, callback]), (360, 20, 21, 2, 10, [leaf]), (390, 20, 22, 2, 11, [callback]), (500, 20, 21, 2, 12, [callback])]
    return recording(calls, hooks, samples, [(20, 20), (20, 21), (20, 22)])


# ts from the start, traceid, cpu, tid, pid, submitting stack, sample's stack, sample, count, event
EXAMPLE = [(150, "0xa1", 300, 21, 20, 1, 2, 1, 6, 0), (200, "0xa1", 1, 21, 20, 1, 1, 2, 7, 0), (350, "0xb2", 2, 21, 20, -1, 2, 4, 9, 0)]
COLUMNS = "ts, traceid, cpu_id, thread_id, process_id, caller_callchainid, callee_callchainid, perf_sample_id, event_count, event_type_id"


def made(seed):
    """Threads with nested works, names that are almost those of works, kinds of memory that are almost those of works."""
    rng = random.Random(seed)
    threads = [(20, 20), (20, 21), (20, 22), (30, 30), (30, 21)]
    traces = ["0x%x" % rng.randrange(1, 1 << rng.choice([4, 40])) for _ in range(6)] + ["0x0", "|", "", "a:b"]
    kinds = ["napi:%s:%d", "napi:%s", "napi:%s:", "NAPI:%s:%d", "xnapi:%s:%d"]
    hooks = []
    for i in range(rng.randrange(1, 12)):
        kind, trace = rng.choice(kinds[:3] if rng.random() < 0.8 else kinds), rng.choice(traces)
        hooks.append((10 + i, 20, 20, 0x100000 + 0x10000 * i, kind % ((trace, i) if kind.count("%") == 2 else (trace,)), rng.choice([0, 0x77, 0x88])))
    calls, open_ = [], {}
    for at in range(100, 1000, rng.randrange(5, 60)):
        pid, tid = rng.choice(threads)
        if open_.get(tid) and rng.random() < 0.5:
            calls.append((at, open_[tid].pop(), tid, 0, "E|%d" % pid))
            continue
        trace = rng.choice(traces)
        name = rng.choice([work(trace)] * 4 + ["H:Native async work execute callback,traceid:%s" % trace, "H:Native async work, traceid:%s|" % trace,
                                               "H:Native async work execute callback traceid:%s|x|traceid:0x1|" % trace, "H:other traceid:%s|" % trace])
        calls.append((at, pid, tid, 0, "B|%d|%s" % (pid, name)))
        open_.setdefault(tid, []).append(pid)
    samples = [(at, *rng.choice(threads + [(40, 40)]), rng.randrange(300), rng.randrange(1, 99),
                [rng.choice([CALLBACK_AT + 8, OTHER_AT, OTHER_AT + 4]) for _ in range(rng.randrange(1, 4))]) for at in sorted(rng.choices(range(90, 1100), k=60))]
    rng.shuffle(threads)
    return recording(calls, hooks, samples, threads)


def trace_of(kind):
    inner = kind[5:]
    return inner[: inner.rindex(":")] if ":" in inner else inner


def expected(db):
    """Step by step, as the description has it."""
    q = lambda sql: db.execute(sql).fetchall()
    callers = {}
    for kind, chain in q("SELECT d.data, n.callchain_id FROM native_hook n JOIN data_dict d ON d.id = n.sub_type_id ORDER BY n.id"):
        if kind.startswith("napi:"):
            callers.setdefault(trace_of(kind), chain)
    entries = {}
    for ts, dur, callid, name in q("SELECT ts, dur, callid, name FROM callstack WHERE dur IS NOT NULL ORDER BY id"):
        if not name.startswith("H:Native async work execute callback") or "traceid:" not in name:
            continue
        rest = name[name.index("traceid:") + 8:]
        bar = rest.find("|", 1)
        if bar > 0 and rest[:bar] != "0x0" and rest[:bar] in callers:
            entries.setdefault(callid, []).append((ts, ts + dur, rest[:bar]))
    thread = {tid: itid for itid, tid in q("SELECT itid, tid FROM thread ORDER BY itid") if itid in entries}  # the youngest
    chains = {c for (c,) in q("SELECT callchain_id FROM perf_callchain p JOIN data_dict d ON d.id = p.name WHERE instr(d.data, 'NativeAsyncWork::AsyncWorkCallback')")}
    pids = {}
    for tid, pid in q("SELECT thread_id, process_id FROM perf_thread ORDER BY id"):
        pids.setdefault(tid, pid)
    out = []
    for number_, chain, tid, count, event, ts, cpu in q("SELECT id, callchain_id, thread_id, event_count, event_type_id, timestamp_trace, cpu_id FROM perf_sample ORDER BY id"):
        entry = next((e for e in entries.get(thread.get(tid), ()) if e[1] >= ts), None) if chain in chains else None
        if entry and entry[0] <= ts and tid in pids:
            out.append((ts, entry[2], cpu, tid, pids[tid], callers[entry[2]], chain, number_, count, event))
    return out


def convert(program, data, folder, *options):
    path, out = os.path.join(folder, "made.htrace"), os.path.join(folder, "out.db")
    with open(path, "wb") as f:
        f.write(data)
    done = starts.run([program, path, "-e", out, "--quiet", "--force", *options], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode not in (0, 3):
        raise SystemExit("exit code %d: %s" % (done.returncode, done.stderr))
    return sqlite3.connect(out)


def rows(db):
    ids = [i for (i,) in db.execute("SELECT id FROM perf_napi_async ORDER BY rowid")]
    assert ids == list(range(len(ids))), ids
    return db.execute("SELECT %s FROM perf_napi_async ORDER BY id" % COLUMNS).fetchall()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program")
    options.add_argument("--count", type=int, default=2000 if os.environ.get("TS_SLOW", "0") != "0" else 60)
    options.add_argument("--seed", type=int, default=1)
    o = options.parse_args()
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        db = convert(o.program, example(), folder)
        assert rows(db) == [(START + r[0], *r[1:]) for r in EXAMPLE] == expected(db), (rows(db), expected(db))
        db.close()
        # a finished database gets the same rows
        assert not rows(convert(o.program, example(), folder, "--analyze=none"))
        later = os.path.join(folder, "later.db")
        starts.run([o.program, os.path.join(folder, "out.db"), "--analyze=napi_async", "-e", later, "--quiet"], check=True, timeout=300)
        assert rows(sqlite3.connect(later)) == [(START + r[0], *r[1:]) for r in EXAMPLE]
        for seed in range(o.seed, o.seed + o.count):
            db = convert(o.program, made(seed), folder)
            got, want = rows(db), expected(db)
            db.close()
            if got != want:
                print("seed %d: %d rows, expected %d" % (seed, len(got), len(want)), *[x for x in zip(got, want) if x[0] != x[1]][:4], sep="\n")
                return 1
            found += len(got)
    print("%d recordings, %d rows" % (o.count + 1, found + len(EXAMPLE)))
    return found < o.count  # random recordings have some


if __name__ == "__main__":
    sys.exit(main())
