#!/usr/bin/env python3
"""Random sections of hiebpf: every cell is compared with what the model reads from the same bytes.

usage: ebpf.py [TRACE_STREAMER] [--count N] [--seed S] [--keep FOLDER] [--make FILE] [--big FILE]
"""

import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import ebpf
import ebpf_write as w
import native_examples
import native_runs
from elf_made import symbol_table

KERNEL = 0xFFFFFFC010000000
CLOCKS = (5 * 10**12, 17 * 10**17, 17 * 10**17, 3 * 10**12, 3 * 10**12, 4 * 10**12)  # boot, real, …, mono, …, raw
NOW = {0: 17 * 10**17, 1: 5 * 10**12, 2: 3 * 10**12, 3: 4 * 10**12}
FILES = ("/data/liba.so", "/system/lib64/libb.so", "/data/nosym.so", "[anon:x]", "/data/noelf.so")
M64 = (1 << 64) - 1
PARTS = native_runs.Parts("ebpf", [
    ("file_system_sample", "start_ts", "type, ipid%, itid#, start_ts, end_ts, dur, return_value, error_code, fd, file_id$, size, first_argument"),
    ("paged_memory_sample", "start_ts", "type, ipid%, itid#, start_ts, end_ts, dur, size, addr"),
    ("bio_latency_sample", "start_ts", "type, ipid%, itid#, start_ts, end_ts, latency_dur, tier, size, block_number, dur_per_4k")],
    ("ebpf_callstack", "depth, ip, symbols_id$, file_path_id$"))
TABLES = ("file_system_sample", "paged_memory_sample", "bio_latency_sample", "ebpf_callstack")


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.clock = rng.randrange(4)
        self.now = NOW[self.clock] + rng.randrange(10**9)
        self.threads = [(p, t) for p in rng.sample([20, 300, 4000, 70000], rng.randrange(1, 4)) for t in {p, p + 1, p + 2000} if rng.random() < 0.7 or t == p]
        self.names = {p: rng.choice(["app%d" % p, "", "x" * 15]) for p, _ in self.threads}
        self.odd = rng.random() < 0.5
        self.chains = {p: [()] + [tuple(self.address() for _ in range(rng.choice([1, 2, 5, 20]))) for _ in range(rng.randrange(1, 8))] for p, _ in self.threads}

    def address(self):
        rng, what = self.rng, self.rng.random()
        if what < 0.3:
            return KERNEL + 8 * rng.randrange(0x60)
        if what < 0.9:
            return 0x7000000000 + 0x10000 * rng.randrange(6) + 8 * rng.randrange(0x80)
        return rng.choice([0x1000, 0x8000, 0, M64, 0x123456789, KERNEL + 0x100000])

    def tables(self):
        rng, out = self.rng, []
        for pid in {p for p, _ in self.threads}:
            for i in range(6):
                if rng.random() < 0.9:
                    start = 0x7000000000 + 0x10000 * i
                    out.append(w.maps(start, start + rng.choice([0x10000, 0x300]), rng.choice([0, 0x1000]), pid, rng.choice(FILES)))
        out.append(w.maps(0x8000, 0x9000, 0, self.threads[0][0], FILES[0]))
        for name in FILES[:2] + FILES[:1] + FILES[2:3]:
            if rng.random() < 0.8:
                vaddr = rng.choice([0x1000, 0x2000])
                size, table, strings = symbol_table(rng, vaddr) if name != FILES[2] else (24, b"", b"\0")
                out.append(w.elf(vaddr, rng.choice([0, 0x1000]), size, table, strings, name))
        if rng.random() < 0.9:
            at, symbols = KERNEL + 16, []
            for i in range(rng.randrange(12)):
                size = rng.choice([8, 0x20, 0x40])
                symbols += [(at, size, rng.choice(["k%d" % i, "k" * 300]))] + [(at, 8, "alias")] * (rng.random() < 0.1)
                at += size + rng.choice([0, 0, 16])
            order = list(range(len(symbols)))
            if rng.random() < 0.3:
                symbols = sorted(symbols, key=lambda s: s[0], reverse=True) if len({s[0] for s in symbols}) == len(symbols) else symbols
            out.append(w.kernel_symbols(KERNEL, KERNEL + rng.choice([0x1000, 0x200]), [symbols[i] for i in order]))
        return out

    def span(self):
        self.now += self.rng.choice([1, 50, 10**6])
        start = self.now - self.rng.choice([0, 0, 1000])
        return start, start + self.rng.choice([0, 1, 50, 2000, 10**7])

    def file_system(self, pid, tid):
        rng, (start, end) = self.rng, self.span()
        call = rng.randrange(1, 11)
        if self.odd and rng.random() < 0.1:
            call, end = rng.choice([(0, end), (11, end), (call, start - 1)])
            return [w.file_system(pid, tid, start, end, 0, call, (1, 2, 3, 4), self.names[pid], ())]
        fd = rng.choice([3, 7, 0xFFFFFFFF, M64, 5 | 1 << 40])
        args = [fd, 0x1000, rng.choice([0, M64, 0xFFFFFFFFFFFFFF9C]), 3] if call != 10 else [9, fd, 0, M64]
        out = [w.file_system(pid, tid, start, end, rng.choice([0, 5, 100, -2, -1, 1 << 30, -(1 << 31)]), call, args, self.names[pid], rng.choice(self.chains[pid]))]
        if rng.random() < 0.5 and (2, call, tid, start) not in self.used:
            self.used.add((2, call, tid, start))
            out.insert(rng.randrange(2), w.path(pid, tid, start, 2, call, rng.choice(["/data/f", "/proc/self/maps", "/data/ä"])))
        return out

    def paged_memory(self, pid, tid):
        rng, (start, end) = self.rng, self.span()
        bad = self.odd and rng.random() < 0.1
        return [w.paged_memory(pid, tid, start, start - 5 if bad else end, rng.choice([0x7000, M64, 0]), rng.choice([4096, 8192, 0]), rng.randrange(1, 12),
                               self.names[pid], () if bad else rng.choice(self.chains[pid]))]

    def block(self, pid, tid):
        rng, (start, end) = self.rng, self.span()
        bad, kind = self.odd and rng.random() < 0.1, rng.randrange(1, 5)
        out = [w.block(pid, tid, self.names[pid], start, start - 5 if bad else end, rng.randrange(8), rng.choice([0, 100, 4096, 6000, 8192, 1 << 31]), rng.choice([0x30, M64, 0]), kind,
                       () if bad else rng.choice(self.chains[pid]))]
        if rng.random() < 0.5 and not bad and (4, kind, tid, start) not in self.used:
            self.used.add((4, kind, tid, start))
            out.insert(rng.randrange(2), w.path(pid, tid, start, 4, kind, "/dev/block/sda"))
        return out

    def make(self):
        rng, self.used, items = self.rng, set(), []
        if self.odd:  # so that it says nothing whether bad events make threads
            items += [w.path(p, t, 1, 2, 2, "/none") for p, t in self.threads]
        for _ in range(rng.randrange(1, 120)):
            items += rng.choice([self.file_system, self.paged_memory, self.block])(*rng.choice(self.threads))
            if rng.random() < 0.03:
                items.append(w.item(rng.choice([77, 0x20000]), b"12345"))
        for table in self.tables():
            items.insert(rng.randrange(len(items) + 1) if rng.random() < 0.3 else 0, table)
        return b"".join(items)


def harm(rng, items):
    """Items of which the last one is cut, or of which one says that it has more addresses than there are."""
    if rng.random() < 0.5:
        return items[:rng.randrange(len(items) // 2, len(items))]
    items, at, places = bytearray(items), 0, []
    while at < len(items):
        kind, length = struct.unpack_from("<II", items, at)
        place, form = {2: (52, "<H"), 3: (60, "<H"), 4: (56, "<I")}.get(kind, (0, ""))
        places.append((form, at + 8 + place) if place and struct.unpack_from(form, items, at + 8 + place)[0] else kind < 6)
        at += 8 + length
    # Between two that are known: what follows an unknown one says whether that one is what it seems to be.
    places = [b for a, b, c in zip(places, places[1:], places[2:]) if a and c and isinstance(b, tuple)]
    if places:
        form, at = rng.choice(places)
        struct.pack_into(form, items, at, rng.choice([1000, 65535]))
    return bytes(items)


def make(seed):
    rng = random.Random(seed)
    parts = [Maker(rng)] + [Maker(rng)] * (rng.random() < 0.1)
    items = [m.make() for m in parts]
    if rng.random() < 0.1:
        items[-1] = harm(rng, items[-1])
    return b"".join(w.recording(m.clock, part, CLOCKS if i == 0 else (0,) * 6) for i, (m, part) in enumerate(zip(parts, items)))


def big(seed):
    """500 000 events, 20 000 chains of 20 addresses."""
    rng = random.Random(seed)
    m = Maker(rng)
    m.odd, m.used, m.threads = False, set(), [(20, 20), (20, 21)]
    m.names, m.chains = {20: "app"}, {20: [tuple(m.address() for _ in range(20)) for _ in range(20000)]}
    items = m.tables()
    for _ in range(500000):
        items += rng.choice([m.file_system, m.paged_memory, m.block])(*rng.choice(m.threads))
    return w.recording(m.clock, b"".join(items), CLOCKS)


if __name__ == "__main__":
    sys.exit(native_runs.run(__doc__, make, ebpf.compare, native_examples.check_ebpf, big, TABLES, PARTS, suffix=".htrace"))
