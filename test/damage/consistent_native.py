"""perf.data and native_hook for the campaign: recordings, and whether a damaged one is a legal one that contradicts nothing, and what it says then.

The readers are the models of test/check, which share nothing with the program.
"""

import importlib.util
import itertools
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "check"), os.path.join(HERE, "..", "tools")]
import native_hook
import perf_data


def maker(name):
    """A module of test/tools; that of test/check which reads the same has its name."""
    spec = importlib.util.spec_from_file_location("made_" + name, os.path.join(HERE, "..", "tools", name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PERF, HOOK = maker("perf_data"), maker("native_hook")


def write(path, make, good):
    """The first of random recordings that is one of those that are wanted: make(rng) gives its bytes or None, good(path) says it."""
    for seed in itertools.count(1):
        data = make(random.Random(seed))
        if data:
            with open(path, "wb") as f:
                f.write(data)
            if good(path):
                return


def perf(kind):
    """A file with many samples, of which the recorder lost nothing."""
    def good(path):
        m = perf_data.load(path)
        return len(m.samples) >= 80 and not (m.lost or m.stack_unknown or m.bad)

    return lambda path: write(path, lambda rng: kind(rng, 100).make(), good)


def hook(mode, least):
    """One process in a mode, with so many rows, whose stacks are all there."""
    def make(rng):
        m = HOOK.Maker(rng)
        return m.make() if m.mode == mode and len(m.pids) == 1 else None

    def good(path):
        m = native_hook.load(path)
        return len(m.rows) + len(m.statistics) >= least and not m.unknown_stacks and not m.cut

    return lambda path: write(path, make, good)


RECORDINGS = {
    "perf-hiperf": perf(PERF.Hiperf),
    "perf-linux": perf(PERF.Linux),
    "hook-offline": hook("offline", 80),
    "hook-sums": hook("statistic", 60),
}

# Stacks by their samples, and what an address is called: one number of a map or of a table of symbols decides on all names found by it.
TABLES = [
    # A single address is what is left of a stack by id whose table is lost, which an issue says.
    ("stacks of perf", "set", "SELECT s.timestamp_trace, s.thread_id, (SELECT CASE WHEN count(*) > 1 THEN group_concat(ip, ' ') END FROM (SELECT c.ip FROM "
     "perf_callchain c WHERE c.callchain_id = s.callchain_id ORDER BY c.depth)) FROM perf_sample s"),
    ("functions of perf", "map", "SELECT c.ip, d.data FROM perf_callchain c JOIN data_dict d ON d.id = c.name WHERE c.symbol_id >= 0"),
    ("files of perf", "map", "SELECT c.ip, f.path FROM perf_callchain c JOIN perf_files f ON f.file_id = c.file_id"),
    ("names of perf", "map", "SELECT thread_id, thread_name FROM perf_thread WHERE thread_name <> ''"),
    ("native memory in use", "set", "SELECT h.start_ts, h.all_heap_size FROM native_hook h"),
    ("statistics of native memory", "set", "SELECT ts, type, apply_count, release_count, apply_size, release_size FROM native_hook_statistic"),
    ("functions of native memory", "map", "SELECT f.ip, d.data FROM native_hook_frame f JOIN data_dict d ON d.id = f.symbol_id WHERE d.data NOT LIKE 'unknown 0x%'"),
    ("files of native memory", "map", "SELECT f.ip, d.data FROM native_hook_frame f JOIN data_dict d ON d.id = f.file_id"),
    ("stacks of native memory", "set", "SELECT h.start_ts, (SELECT group_concat(ip, ' ') FROM (SELECT f.ip FROM native_hook_frame f WHERE "
     "f.callchain_id = h.callchain_id ORDER BY f.depth)) FROM native_hook h WHERE h.callchain_id > 0"),
]


def read(load, path):
    """The model of a recording, or None where it cannot be one."""
    try:
        return load(path)
    except Exception:  # whatever is wrong with it, the model stumbles over it
        return None


def perf_consistent(path):
    m = read(perf_data.load, path)
    return m is not None and not m.bad and not m.bad_samples and m.report != []


def hook_consistent(path):
    return read(native_hook.load, path) is not None


def cell(value):
    """As the campaign's connections give them."""
    return value.encode() if isinstance(value, str) else value


def perf_rows(path):
    m = perf_data.load(path)
    s64 = perf_data.s64
    rows = [(chain, s64(time), tid, s64(period), s64(ts), cpu) for chain, time, tid, period, _, ts, cpu, _ in m.samples]
    rows += [(*row[:5], row[5], row[7]) for row in m.chain_rows]
    return [tuple(map(cell, row)) for row in rows]


PERF_SQL = ["SELECT callchain_id, timeStamp, thread_id, event_count, timestamp_trace, cpu_id FROM perf_sample ORDER BY id",
            "SELECT c.callchain_id, c.depth, c.ip, c.vaddr_in_file, c.offset_to_vaddr, (SELECT path FROM perf_files f WHERE f.file_id = c.file_id LIMIT 1), "
            "d.data FROM perf_callchain c JOIN data_dict d ON d.id = c.name ORDER BY c.id"]


def hook_rows(path):
    m = native_hook.load(path)
    rows = [(row[3], row[5], row[6], *row[8:12]) for row in m.hook_rows()]
    rows += [(row[2], row[3], *row[5:9]) for row in m.statistic_rows()]
    return [tuple(map(cell, row)) for row in rows]


HOOK_SQL = ["SELECT event_type, start_ts, end_ts, addr, heap_size, all_heap_size, current_size_dur FROM native_hook ORDER BY id",
            "SELECT ts, type, apply_count, release_count, apply_size, release_size FROM native_hook_statistic ORDER BY id"]

# Of sums the last ones before a loss are samples, too; the whole recording has those at its end.
SKIPPED = {"hook-sums": ("samples", "sample values")}

CONSISTENT = {name: perf_consistent if name.startswith("perf-") else hook_consistent for name in RECORDINGS}
SAYS = {name: perf_rows if name.startswith("perf-") else hook_rows for name in RECORDINGS}
SAYS_SQL = {name: PERF_SQL if name.startswith("perf-") else HOOK_SQL for name in RECORDINGS}
