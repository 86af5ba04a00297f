#!/usr/bin/env python3
"""Questions on native memory, against sums that are computed here from the allocations that the recordings were made of.

usage: native.py TRACE_STREAMER SOURCE_DIR
"""

import os
import random
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
from ftrace_write import container, number, text
from judge import Judge, Listed
import starts

S = 10**9
FILES = {1: "/data/liba.so", 2: "/data/libb.so", 3: "/system/lib64/libc++.so", 4: "/system/bin/app"}
SYMBOLS = {1: "make", 2: "load", 3: "operator new", 4: "main"}
# The leaf first: what counts as the caller is the first frame that is not of the allocator.
STACKS = {1: (3, 1, 4), 2: (3, 2, 4), 3: (1, 2, 4), 4: (2, 4)}
CALLER = {1: 1, 2: 2, 3: 1, 4: 2}
LEAKS = "library function bytes objects percent callchain_id path"
GROWTH = "library function bytes objects bytes_from bytes_to callchain_id path"
CLOCKS = {"boot": S, "real": 11 * S, "mono": S}


def tables(pid=20):
    out = b"".join(text(1, text(8, number(1, i) + text(2, name) + number(3, pid))) for i, name in FILES.items())
    out += b"".join(text(1, text(9, number(1, i) + text(2, name) + number(3, pid))) for i, name in SYMBOLS.items())
    for i in FILES:
        frame = number(1, 0x1000 * i) + number(7, i) + number(8, i)
        out += text(1, text(13, number(1, i) + text(2, frame) + number(3, pid)))
    return out + b"".join(text(1, text(14, number(1, i) + b"".join(number(2, f) for f in frames) + number(4, pid))) for i, frames in STACKS.items())


def recording(config, events):
    """events: (ns after 12 s, field, body)"""
    data = b"".join(text(1, number(1, 12) + number(2, at) + text(field, body)) for at, field, body in events)
    return container([("nativehook_config", 12, config), ("nativehook", 12, tables() + data)], **CLOCKS)


class Memory:
    """Blocks by address: [begin, end or None, bytes, stack, pid, whether it is mapped, bytes that are left, {when: bytes that were left}]."""

    def __init__(self, rng):
        self.blocks, self.events = [], []
        alive = {}
        for at in range(10, 2000, 10):
            if alive and rng.random() < 0.2:
                addr = rng.choice(sorted(alive))
                block = alive.pop(addr)
                block[1] = at
                who = number(1, block[4]) + number(2, block[4]) + number(3, addr)
                self.events.append((at, 6, who + number(4, block[2])) if block[5] else (at, 4, who))
                continue
            whole = [a for a, b in sorted(alive.items()) if b[5] and b[6] > 1]
            if whole and rng.random() < 0.3:  # a part is released
                block = alive[addr := rng.choice(whole)]
                part = rng.randrange(1, block[6])
                self.events.append((at, 6, number(1, block[4]) + number(2, block[4]) + number(3, addr + block[2] - block[6]) + number(4, part)))
                block[6] -= part
                block[7][at] = block[6]
                continue
            addr, stack, size, pid = 0x10000 * rng.randrange(1, 200), rng.randrange(1, 5), rng.randrange(1, 5000), rng.choice([20, 20, 30])
            if (mapped := rng.random() < 0.5) and pid == 30:
                pid = 20
            if addr in alive:
                continue
            block = [at, None, size, stack, pid, mapped, size, {}]
            self.blocks.append(block)
            alive[addr] = block
            who = number(1, pid) + number(2, pid) + number(3, addr)
            self.events.append((at, 5, who + number(5, size) + number(8, stack)) if mapped else (at, 3, who + number(4, size) + number(7, stack)))

    def alive(self, at, pid):
        """What is in use at a time of the trace; None: at the end."""
        return [b for b in self.blocks if (at is None and b[1] is None or at is not None and 2 * S + b[0] <= at and (b[1] is None or 2 * S + b[1] > at))
                and pid in (None, b[4])]


def key_of(stack, by):
    caller = CALLER[stack]
    path = " > ".join(SYMBOLS[f] for f in reversed(STACKS[stack]))
    return (FILES[caller], SYMBOLS[caller] if by != "library" else None, stack if by == "path" else None, path if by == "path" else None)


def sums(blocks, by):
    out = {}
    for stack, size, count in blocks:
        got = out.setdefault(key_of(stack, by), [0, 0])
        got[0] += size
        got[1] += count
    return out


def place(row):
    return (-row[2], -row[3])


def leaks(j, blocks, by, limit=30, **params):
    of = sums(blocks, by)
    total = sum(v[0] for v in of.values())
    rows = sorted(((k[0], k[1], v[0], v[1], round(100.0 * v[0] / total, 1), k[2], k[3]) for k, v in of.items() if any(v)), key=place)
    j.ask("native_leaks", LEAKS, rows[:limit], close=("percent",), by=by if by != "path" else None, limit=None if limit == 30 else limit, **params)


def growth(j, before, after, by, limit=None, **params):
    old, new = sums(before, by), sums(after, by)
    rows = []
    for k in {**old, **new}:
        a, b = old.get(k, [0, 0]), new.get(k, [0, 0])
        if a != b:
            rows.append((k[0], k[1], b[0] - a[0], b[1] - a[1], a[0], b[0], k[2], k[3]))
    j.ask("native_growth", GROWTH, sorted(rows, key=place)[:limit], by=by, limit=limit, **params)


def left(blocks, at=None):
    """At a time of the trace, or at the end."""
    return [(b[3], min([b[2], *(n for when, n in b[7].items() if at is None or 2 * S + when <= at)]), 1) for b in blocks]


def check_events(j, memory):
    parts = [b for b in memory.blocks if any(500 < when <= 1500 for when in b[7]) and b[0] <= 500]
    j.same("some mappings lose a part between the times that are asked for", len(parts) > 0, True)
    for by in "path", "function", "library":
        for pid in None, 20, 30:
            leaks(j, left(memory.alive(None, pid)), by, **({} if pid is None else {"pid": pid}))
            for a, b in ((None, None), (2 * S + 500, 2 * S + 1500), (2 * S + 500, None), (None, 2 * S + 700), (2 * S + 1500, 2 * S + 500)):
                growth(j, left(memory.alive(a, pid), a) if a else [], left(memory.alive(b, pid), b), by, pid=pid, **{"from": a, "to": b})
    leaks(j, left(memory.alive(None, None)), "path", limit=2)
    growth(j, [], left(memory.alive(None, None)), "path", limit=2)
    # Nothing is asked of a folded stack's weight: what is in use is meant.
    run = starts.run([j.program, j.path, "--to=folded", "-o", "-", "--quiet"], capture_output=True, text=True, check=True)
    want = {}
    for b in memory.alive(None, None):
        path = ";".join(SYMBOLS[f] for f in reversed(STACKS[b[3]]))
        want[path] = want.get(path, 0) + b[6]
    got = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in run.stdout.splitlines()}
    j.same("bytes in use by folded stack", got, want)


def statistics(rng):
    """Sums every second for ten seconds; returns events and (second, stack, type) → (bytes, count) in use."""
    events, known, live = [], {}, {}
    for second in range(10):
        for stack, kind in ((1, 0), (2, 0), (2, 1), (4, 0)):
            applied, released = known.setdefault((stack, kind), ([0, 0], [0, 0]))
            size = rng.randrange(1, 1000)
            applied[0] += size
            applied[1] += rng.randrange(1, 9)
            freed = rng.randrange(size)
            released[0] += freed
            released[1] += freed > 0
            events.append((second, 15, number(1, 20) + number(2, stack) + number(3, kind) + number(4, applied[1]) + number(5, released[1]) +
                           number(6, applied[0]) + number(7, released[0])))
            live[second, stack, kind] = (applied[0] - released[0], applied[1] - released[1])
    return events, live


def check_statistics(j, live):
    at = lambda second: [(stack, size, count) for (s, stack, _), (size, count) in live.items() if s == second]
    for by in "path", "function", "library":
        leaks(j, at(9), by)
        growth(j, [], at(9), by)
        growth(j, at(2), at(5), by, **{"from": 4 * S, "to": 7 * S})


def check_both(j):
    """Two recordings in one database: numbers of call chains are not given twice."""
    chains, frames = j.rows("SELECT count(DISTINCT callchain_id), count(*) FROM native_hook_frame")[0]
    j.same("chains", chains, 2 * len(STACKS) - 1)  # one has no statistics
    j.same("frames", frames, 2 * sum(map(len, STACKS.values())) - len(STACKS[3]))
    for chain, in j.rows("SELECT DISTINCT callchain_id FROM native_hook WHERE callchain_id > 0 UNION SELECT callchain_id FROM native_hook_statistic"):
        depths = [d for d, in j.rows("SELECT depth FROM native_hook_frame WHERE callchain_id = ? ORDER BY id", (chain,))]
        j.same("frames of chain %d" % chain, depths, list(range(len(depths))))


def main():
    program, source = sys.argv[1:]
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        j = Judge(program, folder, os.path.join(os.path.dirname(program), "../share/trace_streamer/sql"))
        path = os.path.join(folder, "statistics.htrace")
        events, live = statistics(rng)
        data = b"".join(text(1, number(1, 12 + second) + text(field, body)) for second, field, body in events)
        with open(path, "wb") as f:
            f.write(container([("nativehook_config", 12, number(22, 1)), ("nativehook", 12, tables() + data)], **CLOCKS))
        j.convert("statistics", path)
        check_statistics(j, live)
        path = os.path.join(folder, "events.htrace")
        memory = Memory(rng)
        with open(path, "wb") as f:
            f.write(recording(number(21, 1), memory.events))
        j.convert("events", path)
        check_events(j, memory)
        j.convert("both", path, os.path.join(folder, "statistics.htrace"))
        check_both(j)
        Listed(os.path.join(source, "test/views/list.txt")).check_group(j, "views.native")
    print("%d cells, %d wrong" % (j.cells, j.bad))
    return j.bad > 0 or j.cells < 1000


if __name__ == "__main__":
    sys.exit(main())
