#!/usr/bin/env python3
"""Recordings with sections of native_hook, hiperf and hiebpf in one file: each has the rows that it has alone.

usage: native_all.py [TRACE_STREAMER] [--count N] [--seed S] [--keep FOLDER] [--make FILE]
"""

import importlib.util
import os
import random
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "check"))
import ebpf
import native_hook
import native_runs
import native_shared
import perf_data
from perf_write import section


def maker(name):
    """A module of this folder, whose model has the same name."""
    spec = importlib.util.spec_from_file_location("made_" + name, os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOK, PERF, EBPF = map(maker, ("native_hook", "perf_data", "ebpf"))


def make(seed):
    """The parts in any order; the clocks of the first are those of all."""
    rng = random.Random(seed)
    perf = rng.choice([PERF.Hiperf, PERF.Hiperf, PERF.Linux])(rng, 100).make()
    parts = [HOOK.make(rng.random()), EBPF.make(rng.random()), section(1, perf, clocks=PERF.CLOCKS)]
    if rng.random() < 0.3:
        parts.pop(rng.randrange(3))
    rng.shuffle(parts)
    return b"".join(parts)


def compare(database, path):
    wrong = [w for model in (native_hook, ebpf, perf_data) for w in model.compare(database, path, alone=False)]
    hook, events, perf = native_hook.load(path), ebpf.load(path), perf_data.load(path)
    db, c = native_shared.Database(database), native_shared.Comparison()
    times = events.times + list(hook.range or ()) + [s[5] for s in perf.samples]
    c.same("trace_range", (min(times), max(times)), db.range()) if len(set(times)) > 1 else None
    for pid, tid in perf.order:
        perf.processes.thread(tid, pid)
    threads = {tuple(t[:2]) for p in (hook.processes, events.processes, perf.processes) for t in p.rows_of_threads()}
    c.sets("thread (tid, pid)", threads, db.tids.values())
    first = len({tuple(t[:2]) for p in (hook.processes, events.processes) for t in p.rows_of_threads()})
    mine = {t for t in threads if t not in {tuple(t[:2]) for p in (hook.processes, events.processes) for t in p.rows_of_threads()}}
    c.sets("threads that only perf has, after the others", mine, [db.tids[i] for i in sorted(db.tids)][first:])
    return wrong + c.wrong


if __name__ == "__main__":
    sys.exit(native_runs.run(__doc__, make, compare, lambda folder: None, None, (), slow=500, count=40, suffix=".htrace"))
