#!/usr/bin/env python3
"""Random recordings of native_hook in all its modes: every cell is compared with what the model reads from the same bytes.

usage: native_hook.py [TRACE_STREAMER] [--count N] [--seed S] [--keep FOLDER] [--make FILE] [--big FILE]
"""

import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import native_examples
import native_hook
import native_runs
from elf_made import symbol_table
from ftrace_write import container, number, text

BOOT, REAL = 5 * 10**12, 17 * 10**17
FILES = ("/data/liba.so", "/system/lib64/libc++.so", "/system/lib/ld-musl-arm.so.1", "/data/libs/libc++_shared.so", "/system/bin/app", "/data/x.ets", "libä.so")
SYMBOLS = ("main", "f", "malloc", "ns::make()+0x20", "a+b", "end+", "", "i", "operator new(unsigned long)", "render")
SIZES = (0, 1, 16, 100, 4096, 70000, 1 << 33)
PARTS = native_runs.Parts("native_hook", [
    ("native_hook", "start_ts", "ipid%, itid#, event_type, sub_type_id$, start_ts, end_ts, dur, addr, heap_size, all_heap_size, last_lib_id$, last_symbol_id$"),
    ("native_hook_statistic", "ts", "ipid%, ts, type, sub_type_id$, apply_count, release_count, apply_size, release_size, last_lib_id$, last_symbol_id$")],
    ("native_hook_frame", "depth, ip, symbol_id$, file_id$, offset, symbol_offset, vaddr"))
TABLES = ("native_hook", "native_hook_frame", "native_hook_statistic")


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.mode = rng.choice(["plain", "strings", "stacks", "statistic", "offline", "offline", "offline statistic"])
        self.offline, self.statistic = "offline" in self.mode, "statistic" in self.mode
        self.several = rng.random() < 0.4
        self.pids = rng.sample([20, 21, 300, 4000, 70000], rng.randrange(2, 4) if self.several else 1)
        if not self.several and rng.random() < 0.15:
            self.pids.append(5)  # not said by the configuration, so that ids are those of all
        self.threads = [(p, t) for p in self.pids for t in [p] * (rng.random() < 0.8) + [p + 1000 + i for i in range(rng.randrange(1, 3))]]
        self.now = rng.randrange(10**9)
        self.items = []  # [ts or None, bytes]: in order of time
        self.live, self.maps, self.gpu, self.names, self.chains, self.stack_ids, self.sums = {}, {}, {}, {}, [], {}, {}

    def config(self):
        rng = self.rng
        out = b"".join(number(n, rng.randrange(2, 9)) for n in (4, 6, 15, 16, 24) if rng.random() < 0.3)
        if self.several:
            out += b"".join(number(26, p) for p in self.pids) if rng.random() < 0.5 else number(1, self.pids[0]) + text(7, "app")
        else:
            out += rng.choice([b"", number(1, self.pids[0]), text(7, "app")])
        out += number(22, rng.choice([1, 1, 10])) if self.statistic else b""
        out += number(rng.choice([20, 25]), 1) if self.offline else b""
        out += number(21, 1) if self.mode == "stacks" or rng.random() < 0.5 and (self.statistic or self.offline) else b""
        return out + (number(14, 1) if self.mode == "strings" or rng.random() < 0.5 and self.mode != "plain" else b"")

    def event(self, kind, body, timed=True):
        parts = [number(1, (REAL + self.now) // 10**9), number(2, (REAL + self.now) % 10**9)] if timed else []
        return text(1, self.mixed(parts + [text(kind, body)]))

    def mixed(self, parts):
        """Fields in any order, and some that nobody knows."""
        parts = parts + [number(99, 7), text(98, "later")] * (self.rng.random() < 0.05)
        if self.rng.random() < 0.3:
            self.rng.shuffle(parts)
        return b"".join(parts)

    def put(self, kind, body, *more):
        """An event at its time; more: what must follow it at once."""
        self.items.append([self.now, self.event(kind, body) + b"".join(more)])
        self.now += self.rng.choice([0, 1, 10, 10**6, 10**9])

    def table(self, kind, body, at=None):
        self.items.insert(len(self.items) if at is None else at, [None, text(1, text(kind, body))])

    # --- tables ----------------------------------------------------------------------------------

    def id(self, pid, n):
        """Ids are those of a process; without processes of all. The bytes of frames never mean two things."""
        return n + 1000 * self.pids.index(pid) if self.mode == "strings" else n

    def strings(self):
        rng = self.rng
        for pid in self.pids if self.several else self.pids[:1]:
            for kind, names in ((8, FILES), (9, [s for s in SYMBOLS if s])):
                order = list(enumerate(names))
                rng.shuffle(order)
                for i, name in order:
                    if rng.random() < 0.95 or self.offline:
                        if rng.random() < 0.1 and self.mode != "strings":
                            self.table(kind, number(1, self.id(pid, i)) + text(2, "before" + name) + number(3, pid))
                        self.table(kind, number(1, self.id(pid, i)) + text(2, name) + number(3, pid))

    def thread_names(self):
        for i, (pid, tid) in enumerate(self.threads):
            if self.rng.random() < 0.7:
                self.names[pid, tid] = i + 1
                for name in ["thread%d" % i] + ["again"] * (self.rng.random() < 0.2):
                    self.table(10, number(1, i + 1) + text(2, name) + number(3, pid))

    def frame(self, pid, ids):
        rng = self.rng
        out = number(1, rng.choice([0x7000, 0x8000, 0x9000, 0xFFFF000000000001])) if rng.random() < 0.97 else b""
        if ids:
            lacks = 0.05 if self.mode != "strings" else 0
            parts = [number(7, self.id(pid, rng.randrange(len(SYMBOLS) + (rng.random() < 0.1) * 50))), number(8, self.id(pid, rng.randrange(len(FILES))))]
            parts = [p for p in parts if rng.random() >= lacks]
        else:
            parts = [text(3, rng.choice([s for s in SYMBOLS if s])), text(4, rng.choice(FILES))]
            parts = [p for p in parts if rng.random() < 0.95]
        out += parts[0] if parts and not ids else b""
        out += parts[1] if len(parts) > 1 and not ids else b""
        out += number(5, rng.choice([0, 0x100, 0x7000])) if rng.random() < 0.9 else b""
        out += number(6, rng.choice([0, 8, 0x20])) if rng.random() < 0.9 else b""
        return out + (b"".join(parts) if ids else b"")

    def tables(self):
        rng = self.rng
        if self.mode != "plain":
            self.strings()
        self.thread_names()
        owners = self.pids if self.several else self.pids[:1]
        if self.mode in ("plain", "strings"):
            self.chains = [(p, [self.frame(p, self.mode == "strings") for _ in range(rng.choice([1, 2, 3, 8]))]) for p in owners for _ in range(rng.randrange(1, 7))]
            return
        for p in owners:
            self.stack_ids[p] = rng.sample(range(1, 60), rng.randrange(1, 12))
            if self.offline:
                self.offline_tables(p)
                continue
            for i in rng.sample(range(1, 30), 20):
                for _ in range(2 if rng.random() < 0.1 else 1):
                    self.table(13, number(1, i) + text(2, self.frame(p, True)) + number(3, p))
            for i in self.stack_ids[p]:
                for _ in range(2 if rng.random() < 0.1 else 1):
                    self.table(14, number(1, i) + self.numbers(2, [rng.randrange(1, 32) for _ in range(rng.choice([1, 2, 5, 25]))]) + number(4, p))

    def numbers(self, field, values):
        if self.rng.random() < 0.8:
            data = b"".join(number(0, v)[1:] for v in values)
            return text(field, data)
        return b"".join(number(field, v) for v in values)

    def map(self, p, base=None):
        rng = self.rng
        start = 0x10000 * rng.randrange(1, 8) + (rng.choice([0, 0, 0x80, 0x100]) if base is None else base)
        return number(1, p) + number(2, start) + number(3, start + rng.choice([0x10000, 0x8000, 0x200])) + number(4, rng.choice([0, 0x1000])) + number(5, rng.randrange(5))

    def symbols(self, p, file=None):
        vaddr = self.rng.choice([0x1000, 0x2000])
        size, table, strings = symbol_table(self.rng, vaddr)
        return (number(1, self.rng.randrange(5) if file is None else file) + number(2, vaddr) + number(3, self.rng.choice([0, 0x1000])) + number(4, size) + text(5, table) +
                text(6, strings) + number(7, p))

    def offline_tables(self, p):
        rng = self.rng
        for i in range(3):
            self.table(13, number(1, i) + text(2, number(1, 5) + number(5, 70 + i) + number(7, i) + number(8, 5)) + number(3, p))
        early = [(11, self.map(p, 0)) for _ in range(rng.randrange(1, 8))] + [(12, self.symbols(p, f)) for f in range(5) if rng.random() < 0.8]
        rng.shuffle(early)
        late = [early.pop() for _ in range(rng.randrange(3)) if early]
        for kind, body in early:
            self.table(kind, body)
        for i in self.stack_ids[p]:
            self.table(14, number(1, i) + self.numbers(3, [self.address() for _ in range(rng.choice([1, 2, 5, 25]))]) + number(4, p))
        for kind, body in late:
            self.table(kind, body)

    def address(self):
        rng, what = self.rng, self.rng.random()
        if what < 0.85:
            return 0x10000 * rng.randrange(1, 9) + 0x10 * rng.randrange(0x50)
        if what < 0.9:
            return 0xFFFFFE << 40 | rng.randrange(4 if rng.random() < 0.2 else 3)
        return rng.choice([0xFFFFFF << 40 | 100, 0x99999999, 0 if rng.random() < 0.3 else 7])

    # --- events ------------------------------------------------------------------------------------

    def stack(self, kind, pid, chain=True):
        """Frames or the id of a stack."""
        rng = self.rng
        owner = pid if self.several else self.pids[0]
        if self.mode in ("plain", "strings"):
            mine = [c for p, c in self.chains if p == owner]
            if kind not in native_hook.FRAMES or not chain or rng.random() < 0.1:
                return b""
            return b"".join(text(native_hook.FRAMES[kind], f) for f in rng.choice(mine))
        if not chain or rng.random() < 0.1:
            return rng.choice([b"", number(native_hook.STACK[kind], 0)])
        unknown = rng.random() < 0.03 and (self.offline or not self.several)
        return number(native_hook.STACK[kind], 777 if unknown else rng.choice(self.stack_ids[owner]))

    def name(self, kind, pid, tid):
        return number(native_hook.THREAD_NAME[kind], self.names[pid, tid]) if (pid, tid) in self.names else b""

    def body(self, kind, who, rest, chain=True):
        return self.mixed([number(1, who[0]), number(2, who[1]), rest, self.stack(kind, who[0], chain), self.name(kind, *who)])

    def alloc(self, who):
        addr = 0x5000 + 16 * self.rng.randrange(30) if self.rng.random() < 0.9 else (1 << 64) - 4096
        self.live[who[0], addr] = True
        self.put(3, self.body(3, who, number(3, addr) + number(4, self.rng.choice(SIZES))))

    def free(self, who):
        mine = [a for p, a in self.live if p == who[0]]
        if mine:
            addr = self.rng.choice(mine)
            del self.live[who[0], addr]
            self.put(4, self.body(4, who, number(3, addr), self.mode != "plain" and self.mode != "strings"))

    def mmap(self, who):
        rng, pid = self.rng, who[0]
        mine = self.maps.setdefault(pid, {})
        start = 0x8000 * rng.randrange(1, 60)
        size = 4096 * rng.randrange(1, 9)
        if start in mine:
            if mine[start] is None or rng.random() < 0.9:
                return
            size = mine[start]  # the same again: its munmap was lost
        mine[start] = size
        typed = rng.random() < 0.3
        sub = text(4, rng.choice(["FilePage:/x.so", "Ark"])) if typed else rng.choice([b"", text(4, "")])
        tag = b""
        if not typed and rng.random() < 0.4:
            tag = self.event(7, number(1, start) + number(2, size) + text(3, rng.choice(["heap", "gpu"])) + number(4, pid), rng.random() < 0.5)
        self.put(5, self.body(5, who, number(3, start) + sub + number(5, size)), tag)

    def munmap(self, who):
        rng, pid = self.rng, who[0]
        mine = {a: s for a, s in self.maps.get(pid, {}).items() if s}
        if not mine:
            return
        start, size = rng.choice(list(mine.items()))
        what = rng.random()
        if what < 0.6:
            self.put(6, self.body(6, who, number(3, start) + number(4, size), self.mode not in ("plain", "strings")))
            del self.maps[pid][start]
            return
        # A part, or more than it, also of its neighbours; from now on these places are used by munmaps only.
        low = start + 4096 * rng.randrange(-1, size // 4096)
        for _ in range(rng.randrange(1, 4)):
            length = 4096 * rng.randrange(1, 20)
            for a in self.maps[pid]:
                if a < low + length and low < a + 0x8000:
                    self.maps[pid][a] = None
            self.put(6, self.body(6, who, number(3, low) + number(4, length), False))
            low += rng.choice([0, length, 4096])

    def trace(self, who):
        rng, kind = self.rng, self.rng.choice([2, 3, 4])
        addr = 0x70 + rng.randrange(6)
        tag = text(5, "tex%d" % addr) if addr % 2 else b""
        opened = (who[0], kind, addr) in self.gpu
        chain = self.mode not in ("plain", "strings")
        if not opened:
            self.gpu[who[0], kind, addr] = True
            self.put(16, self.body(16, who, number(3, addr) + number(4, kind) + tag + number(6, rng.choice(SIZES)), chain))
        else:
            del self.gpu[who[0], kind, addr]
            self.put(17, self.body(17, who, number(3, addr) + number(4, kind) + tag, chain))

    def odd(self, who):
        """What gives no row."""
        rng, what = self.rng, self.rng.randrange(5)
        if what == 0:
            self.put(rng.choice([16, 17]), self.body(16, who, number(3, 5) + number(4, rng.choice([0, 1, 5])), False))
        elif what == 1:
            self.put(4, self.body(4, who, number(3, 0x600000), False))
        elif what == 2:
            self.put(6, self.body(6, who, number(3, 0x90000000) + number(4, 4096), False))
        elif what == 3:
            self.put(17, self.body(17, who, number(3, 0x9999) + number(4, 2), False))
        else:
            self.put(7, number(1, 0xDEAD000) + number(2, 4096) + text(3, "lost") + number(4, who[0]))

    def statistics(self, who):
        rng, pid = self.rng, who[0]
        stack, kind = rng.choice(self.stack_ids[pid if self.several else self.pids[0]]), rng.choice([0, 0, 1, 6])
        sums = self.sums.setdefault((pid, stack, kind), [0, 0, 0, 0])
        for n in (0, 2):
            sums[n] += rng.randrange(1, 100)
            sums[n + 1] = rng.choice([sums[n + 1], sums[n], rng.randrange(sums[n + 1], sums[n] + 1)])
        self.put(15, number(1, pid) + number(2, stack) + number(3, kind) + b"".join(number(4 + i, sums[j]) for i, j in enumerate((0, 1, 2, 3))) +
                 (text(8, "tag") if stack % 3 == 0 else b""))

    def make(self):
        rng = self.rng
        self.tables()
        if self.statistic:
            for _ in range(rng.randrange(2, 80)):
                self.statistics(rng.choice(self.threads))
        else:
            for who in self.threads:
                self.alloc(who)
            rng.shuffle(self.threads)
            for _ in range(rng.randrange(5, 200)):
                rng.choices([self.alloc, self.free, self.mmap, self.munmap, self.trace, self.odd], [35, 30, 10, 9, 9, 6])[0](rng.choice(self.threads))
        first = next(i for i, item in enumerate(self.items) if item[0] is not None)
        if self.offline:
            for _ in range(rng.choice([0, 0, 1, 3, 6])):
                p = rng.choice(self.pids if self.several else self.pids[:1])
                self.table(*rng.choice([(11, self.map(p)), (12, self.symbols(p))]), at=rng.randrange(first, len(self.items) + 1))
        for _ in range(rng.choice([0, 0, 10, 100])):
            i = rng.randrange(first, len(self.items))
            a, b = self.items[i - 1], self.items[i]
            if i > first and a[0] is not None and b[0] is not None and a[0] != b[0]:
                self.items[i - 1], self.items[i] = b, a
        return self.recording()

    def recording(self):
        rng, messages = self.rng, []
        config = self.config()
        if rng.random() < 0.2:
            messages += [("nativehook_config", 1, number(4, 1)), ("nativehook_config", 1, config)]
        else:
            messages.append(("nativehook_config", 1, config))
        at = 0
        while at < len(self.items):
            size = rng.choice([1, 3, 20, 100])
            messages.append((rng.choice(["nativehook", "nativehook", "hookdaemon"]), REAL // 10**9, b"".join(i[1] for i in self.items[at:at + size])))
            at += size
        return container(messages, BOOT, REAL, BOOT)


def make(seed):
    return Maker(random.Random(seed)).make()


def big(seed):
    """500 000 events in stacks mode, 20 000 stacks of 25 frames."""
    rng = random.Random(seed)
    tables = [text(1, text(8, number(1, i) + text(2, "/data/lib%d.so" % i) + number(3, 20))) for i in range(200)]
    tables += [text(1, text(9, number(1, i) + text(2, "ns::function%d(int)" % i) + number(3, 20))) for i in range(20000)]
    tables += [text(1, text(13, number(1, i) + text(2, number(1, 0x7000000 + i * 16) + number(5, i * 16) + number(6, 4) + number(7, i) + number(8, i % 200)) + number(3, 20)))
               for i in range(1, 20000)]
    tables += [text(1, text(14, number(1, i) + text(2, b"".join(number(0, rng.randrange(1, 20000))[1:] for _ in range(25))) + number(4, 20))) for i in range(1, 20001)]
    events, live = [], []
    for i in range(500000):
        time = number(1, REAL // 10**9 + i // 10**6) + number(2, i % 10**6 * 1000)
        if live and rng.random() < 0.48:
            at = rng.randrange(len(live))
            live[at], live[-1] = live[-1], live[at]
            events.append(text(1, time + text(4, number(1, 20) + number(2, 21) + number(3, live.pop()))))
        else:
            live.append(0x500000000 + 16 * i)
            events.append(text(1, time + text(3, number(1, 20) + number(2, 21) + number(3, live[-1]) + number(4, rng.randrange(1, 5000)) + number(7, rng.randrange(1, 20001)))))
    parts = tables + events
    messages = [("nativehook_config", 1, number(21, 1))]
    messages += [("nativehook", REAL // 10**9, b"".join(parts[i:i + 1000])) for i in range(0, len(parts), 1000)]
    return container(messages, BOOT, REAL, BOOT)


if __name__ == "__main__":
    sys.exit(native_runs.run(__doc__, make, native_hook.compare, native_examples.check_hook, big, TABLES, PARTS, suffix=".htrace"))
