#!/usr/bin/env python3
"""Random perf.data of hiperf and of Linux: every cell is compared with what the model reads from the same bytes.

usage: perf_data.py [TRACE_STREAMER] [--count N] [--seed S] [--keep FOLDER] [--make FILE] [--big FILE]
"""

import gzip
import os
import random
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import native_examples
import native_runs
import perf_data
import perf_write as w
from perf_write import M64, Event

ZSTD = shutil.which("zstd") is not None
SLOT, KERNEL = 0x100000, 0xFFFFFFC010000000
MARK = {"kernel": M64 - 127, "user": M64 - 511, "hypervisor": M64 - 31, "guest": M64 - 2047, "guest user": M64 - 2559, "other": M64 - 4000}
CLOCKS = (5 * 10**12, 17 * 10**17, 17 * 10**17, 3 * 10**12, 3 * 10**12, 4 * 10**12)  # boot, real, …, mono, …, raw
HEAD = w.IDENTIFIER | w.IP | w.TID | w.TIME | w.CALLCHAIN | w.CPU | w.PERIOD
READS = {0: 1, 1: 2, 3: 3, 4: 2, 7: 4, 16: 2, 23: 5}  # read_format: numbers of a single value
PARTS = native_runs.Parts("perf", [("perf_sample", "timestamp_trace", "timeStamp, thread_id, event_count, event_type_id, timestamp_trace, cpu_id, thread_state")],
                          ("perf_callchain", "depth, ip, vaddr_in_file, offset_to_vaddr, symbol_id, name$"))
TABLES = ("perf_report", "perf_files", "perf_thread", "perf_sample", "perf_callchain")


def functions(rng, vaddr, names, count):
    """Functions that do not overlap, some without a name, the last one maybe without a length, some addresses twice."""
    out, at = [], vaddr + rng.choice([0, 0x40])
    for i in range(count):
        length = rng.choice([0x20, 0x40, 0x100] + [0] * (i + 1 == count))
        out.append((at, length, "" if rng.random() < 0.05 else "%s::f%d(int)" % (names, i) if rng.random() < 0.7 else "_Z%s%d" % (names, i)))
        if rng.random() < 0.1:
            out.append((at, rng.choice([length, 0x10]), "%s alias %d" % (names, i)))
        at += (length or 0x80) + rng.choice([0, 0, 0x40])
    rng.shuffle(out)
    return out


class Maker:
    """Processes with mappings, call chains and samples of them."""

    def __init__(self, rng, first_pid):
        self.rng, self.base, self.harmed = rng, first_pid, False
        self.pids = [first_pid + 10 * i for i in range(rng.randrange(1, 5))]
        self.tids = {p: [p + t for t in range(rng.randrange(1, 4))] for p in self.pids}
        self.clockid, self.use_clockid = rng.choice([0, 1, 1, 4, 7, 11]), 1 << 25 if rng.random() < 0.6 else 0
        self.time = CLOCKS[{0: 1, 1: 3, 4: 5}.get(self.clockid, 0) if self.use_clockid else 5] + rng.randrange(10**9, 4 * 10**13)
        self.period = rng.choice([1, 4000, 10**6])

    def places(self, first):
        """Where the libraries of each process are: the same for all, or not."""
        bases = {p: first + self.rng.randrange(200) * 0x1000000 for p in self.pids}
        shared = self.rng.random() < 0.6
        return {p: {n: bases[self.pids[0] if shared else p] + i * SLOT for i, n in enumerate(self.LIBRARIES)} for p in self.pids}

    def tick(self):
        self.time += self.rng.choice([0, 1, 999, 10**6, 10**9])
        return self.time

    def address(self, slots):
        """(context, ip): each place has one context."""
        rng, where = self.rng, self.rng.random()
        if where < 0.6:
            return "user", rng.choice(slots) + rng.choice(self.offsets)
        if where < 0.78:
            return "kernel", rng.choice(self.kernel_places) + 8 * rng.randrange(0x80)
        if where < 0.84:
            return "user", 0x7000000000 + 16 * rng.randrange(40)
        if where < 0.9:
            return "other", rng.choice([rng.choice(slots) + rng.choice(self.offsets), rng.choice(self.kernel_places) + 8 * rng.randrange(0x80)]) | 4
        return rng.choice(["hypervisor", "guest", "guest user"]), 0x6000000000 + 16 * rng.randrange(40)

    def chain(self, slots, omit=True):
        """(addresses and marks, ip, misc)."""
        rng = self.rng
        frames = [self.address(slots) for _ in range(rng.choice([1, 2, 3, 5, 8, 20]))]
        frames.sort(key=lambda f: f[0] != "kernel") if rng.random() < 0.7 else None
        misc = {"kernel": 1, "user": 2}.get(frames[0][0], 0)
        out, now = [], frames[0][0] if misc and omit and rng.random() < 0.2 else None
        for context, ip in frames:
            if context != now:
                out.append(MARK[context])
                now = context
            out.append(ip)
            if rng.random() < 0.02:
                out.append(rng.randrange(2))
        return tuple(out), frames[0][1], misc

    def pool(self, slots, count, omit=True):
        out, seen = [], set()
        while len(out) < count:
            chain = self.chain(slots, omit)
            key = tuple(ip for ip in chain[0] if 1 < ip < M64 - 4094)
            if key not in seen:
                seen.add(key)
                out.append(chain)
        return out

    def extras(self, event, s):
        """What else the sample type asks for."""
        rng, kind = self.rng, event.sample_type
        if kind & w.READ:
            f = event.how["read_format"]
            if f & 8:
                n = rng.randrange(1, 4)
                s["read"] = w.u64(n, *([5] * bin(f & 3).count("1")), *[rng.randrange(1000, 9999) for _ in range(n * (1 + bin(f & 20).count("1")))])
            else:
                s["read"] = w.u64(*[3] * READS[f])
        size = 8 * rng.randrange(5) + 4
        s["raw"] = bytes(rng.randrange(256) for _ in range(size))
        n = rng.randrange(4)
        s["branch"] = w.u64(n, *([rng.randrange(M64)] if event.how.get("branch", 0) & 1 << 17 else []), *[self.branch(i) for i in range(3 * n)])
        s["regs"] = w.u64(0) if rng.random() < 0.2 else w.u64(2, *[rng.randrange(M64) for _ in range(bin(event.how.get("regs", 0)).count("1"))])
        s["stack"] = rng.choice([b"", bytes(8 * rng.randrange(1, 9))])
        s.setdefault("servers", [])
        if self.harmed and s["ips"] and rng.random() < 0.1:
            s["count"] = rng.choice([65535, 1 << 20, 1 << 61, M64])
        return s

    def branch(self, i):
        """From, to and flags of entries, most of them where there is code."""
        rng = self.rng
        if i % 3 == 2 or rng.random() < 0.1:
            return rng.choice([rng.randrange(M64), 0, 1, MARK["kernel"]])
        return rng.choice(list(self.slots[rng.choice(self.pids)].values())) + rng.choice(self.offsets)

    def event(self, name, number, base, common, variety):
        rng, kind, how = self.rng, base, dict(common)
        for bit in variety:
            if rng.random() < 0.3:
                kind |= bit
        if kind & w.READ:
            how["read_format"] = rng.choice(list(READS) + [12, 13, 15, 28])
        if kind & w.BRANCH:
            how["branch"] = rng.choice([0, 1, 1 << 17 | 8, 1 << 11 | 1, 1 << 17 | 1 << 11 | 1])
        if kind & w.REGS:
            how["regs"] = rng.choice([1, 0xFF, 0xFF0FFF])
        return Event(name, number, kind, **how)


class Hiperf(Maker):
    LIBRARIES = ("/system/lib64/liba.so", "/system/lib64/libb.so", "/system/lib64/nosym.so", "/data/app/entry.hap", "/data/x.abc", "[anon:ArkTS Code]",
                 "[anon:JSVM_JIT:1]", "/data/storage/el1/bundle/libs/libc.so", "[vdso]", "/dev/fd[shmm]", "/data/old.hap")
    IGNORED = ("[heap]", "[anon:x]", "/system/fonts/a.ttf", "/data/model.ai", "[stack]", "anon:b", "")

    def make(self):
        rng = self.rng
        self.offsets = [8 * rng.randrange(0x60) for _ in range(14)]
        self.hongmeng = rng.random() < 0.15
        self.slots = self.places(0x1000000)
        self.idle = rng.random() < 0.3
        self.services = [2, self.base + 5] if self.hongmeng else []
        whole = rng.random() < 0.5
        self.kernel_places = [KERNEL, KERNEL + 0x10000000]
        self.kernel = [(0, M64, "[kernel.kallsyms]")] if whole else [(KERNEL - 8, 0x4000, "[kernel.kallsyms]"), (KERNEL + 0x10000000 - 8, 0x4000, "/lib/modules/wifi.ko")]
        self.events = self.make_events()
        slots = sorted({s for p in self.pids for s in self.slots[p].values()})
        places = [KERNEL + 0x2000000, 0x5000000000]
        self.service_places = places
        stacks = rng.random() < 0.4
        self.chains = self.pool(slots + places * self.hongmeng, rng.randrange(2, 25))
        self.table = self.stack_ids() if stacks else None
        records = self.records()
        return w.perf_data(self.events, records, self.features(), description=True)

    def make_events(self):
        rng = self.rng
        common = {"flags": 1 << 18 | self.use_clockid, "clockid": self.clockid, "size": rng.choice([112, 120, 128, 136])}
        names = ["hw-cpu-cycles"] + rng.sample(["sched:sched_switch", "sched:sched_waking", "sw-page-faults", "hw-instructions", "task-clock"], rng.randrange(3))
        variety = [w.READ, w.RAW, w.BRANCH, w.REGS, w.STACK, w.STREAM_ID, w.ADDR]
        number, out = 1, []
        for name in names:
            ids = list(range(number, number + rng.randrange(1, 4)))
            number += len(ids)
            out.append(self.event(name, ids, HEAD | w.ID | (w.SERVER_PID if self.hongmeng else rng.choice([0, w.SERVER_PID])), common, variety))
        return out

    def stack_ids(self):
        """Nodes of all chains for each process; ids by (pid, chain)."""
        rng = self.rng
        self.old = not self.hongmeng and rng.random() < 0.3 and any(ip >> 40 for chain, _, _ in self.chains for ip in chain)
        width = 20 if self.old else 23
        tables, self.ids = {}, {}
        for pid in self.pids:
            nodes, known, index = {}, {}, rng.randrange(1, 5)
            for number, (chain, _, _) in enumerate(self.chains):
                caller = 0
                for ip in reversed(chain):
                    if (caller, ip) not in known:
                        index += rng.choice([1, 1, 3])
                        known[caller, ip] = index
                        nodes[index] = w.node(ip, caller, width)
                    caller = known[caller, ip]
                self.ids[pid, number] = caller | len(chain) << width
            tables[pid] = nodes
        self.unknown = 900000 | 3 << width
        return w.stack_table(tables)

    def features(self):
        rng = self.rng
        out = {3: w.text("device"), 4: w.text("HongMeng Kernel 1.9" if self.hongmeng else "5.10.97"), 6: w.text("aarch64"), 11: w.text("hiperf record -a -s dwarf")}
        out.update({n: w.text(t) for n, t in ((5, "1.0"), (8, "cpu of some kind"), (9, "0x41"), (193, "sleep 1"), (194, "Sat Aug  5 17:05:47 2017")) if rng.random() < 0.6})
        if rng.random() < 0.3:
            out[195] = b""
        out[192] = self.files()
        if self.hongmeng:
            out[196] = w.text(str(self.services[1]))
        if self.table:
            out[196 if self.old else 197] = self.table
        return out

    def files(self):
        rng = self.rng
        of = [("[kernel.kallsyms]", 0, 0, 0, functions(rng, KERNEL, "kernel", rng.randrange(12)))]
        recorded = [n for n in self.LIBRARIES if rng.random() < 0.75]
        for name in recorded:
            vaddr, offset = rng.choice([(0, 0), (0x2000, 0x1000), (0x1000, 0x1000)])
            if name == "/system/lib64/nosym.so":
                of.append((name, 3, vaddr, offset, []))
            elif name in ("/data/app/entry.hap", "/data/x.abc", "[anon:ArkTS Code]", "[anon:JSVM_JIT:1]"):
                kind = 8 if name.startswith("[anon:JSVM") else rng.choice([6, 6, 8])
                ips = sorted({self.slots[p][name] + o for p in self.pids for o in self.offsets if rng.random() < 0.7})
                names = [rng.choice(["fn%d: a.ets:%d" % (i, i), "fn%d:[url:entry|entry|1.0|src/main/ets/P%d.ts:%d:%d]" % (i, i, i, i + 1), "f%d" % i]) for i in range(len(ips))]
                of.append((name, kind, 0, 0, [(ip, 0, n) for ip, n in zip(ips, names)]))
            else:
                of.append((name, 3, vaddr, offset, functions(rng, vaddr, os.path.basename(name)[:4], rng.randrange(12))))
        if len(self.kernel) > 1 and rng.random() < 0.8:
            of.append(("/lib/modules/wifi.ko", 1, 0, 0, functions(rng, 0, "wifi", 5)))
        if self.hongmeng:
            of.append(("sysmgr.elf", 3, 0, 0, functions(rng, self.service_places[0], "sysmgr", 6)))
            of.append(("/liblinux/devhost.so", 3, 0, 0, functions(rng, self.service_places[1], "devhost", 6)))
        head, rest = of[:1], of[1:]
        rng.shuffle(rest)
        return w.symbols(head + rest)

    def trailer(self, pid):
        return w.u32(pid, pid) + w.u64(self.time, 1, 1) + w.u32(0, 0) + w.u64(1)

    def map(self, pid, name, start, offset=0, length=SLOT, late=False):
        trailer = self.trailer(pid) if late else b""
        if self.rng.random() < 0.2:
            return w.mmap(2, pid, start, length, offset, name, trailer)
        return w.mmap2(2, pid, start, length, offset, name, trailer, self.rng.choice([None, None, b"\1" * 20]))

    def first_records(self):
        rng, out = self.rng, []
        out += [w.mmap(1, 0, start, length, 0, name) for start, length, name in self.kernel]
        if self.hongmeng:
            out += [w.mmap(rng.choice([1, 2]), 2, self.service_places[0] - 8, 0x4000, 0, "sysmgr.elf"),
                    w.mmap(rng.choice([1, 2]), self.services[1], self.service_places[1] - 8, 0x4000, 0, "/liblinux/devhost.so")]
        out += [w.comm(0, 0, "swapper")] * (self.idle and rng.random() < 0.5)
        for p in self.pids:
            if rng.random() < 0.9:
                out.append(w.comm(p, p, "com.example.app%d" % p))
            out += [w.comm(p, t, rng.choice(["worker", "OS_x", ""])) for t in self.tids[p][1:] if rng.random() < 0.7]
            for name, start in self.slots[p].items():
                if rng.random() < 0.9:
                    out.append(self.map(p, name, start, rng.choice([0, 0x1000]) if name.endswith("so") else 0))
            out += [self.map(p, name, 0x300000000 + i * SLOT) for i, name in enumerate(self.IGNORED) if rng.random() < 0.3]
        return out

    def records(self):
        rng, out = self.rng, self.first_records()
        for _ in range(rng.randrange(5, 120)):
            self.tick()
            what, p = rng.random(), rng.choice(self.pids)
            if what < 0.8:
                out.append(self.sample(rng.choice(self.pids + self.services + [0] * self.idle)))
            elif what < 0.84:
                out.append(w.comm(p, rng.choice(self.tids[p]), rng.choice(["renamed", "app%d" % p, "", "worker"]), self.trailer(p)))
            elif what < 0.9:
                start = rng.choice(list(self.slots[p].values())) + rng.choice([0, 0, 0x100, 0x10000])
                out.append(self.map(p, rng.choice(self.LIBRARIES[:4]), start, 0x1000 * rng.randrange(3), rng.choice([SLOT // 2, 0x180, SLOT // 4]), True))
            elif what < 0.93:
                out.append(w.record(rng.choice([70, 74, 79, 200]), 0, w.u64(1, 2)))
            elif what < 0.95:
                out.append(w.record(w.AUXTRACE, 0, w.u64(24, 0, 0, 0, 0)) + bytes(range(24)))
            elif what < 0.97:
                out.append(w.record(w.LOST, 0, w.u64(1, rng.randrange(1, 9)) + self.trailer(p)))
            else:
                out.append(w.record(w.EXIT, 0, w.u32(p, p, p, p) + w.u64(self.time) + self.trailer(p)))
        return b"".join(out)

    def sample(self, pid):
        rng, event = self.rng, self.rng.choice(self.events)
        number = rng.randrange(len(self.chains))
        chain, ip, misc = self.chains[number]
        s = {"pid": pid, "tid": rng.choice(self.tids.get(pid, [pid])), "time": self.time - rng.choice([0, 0, 0, 5]), "cpu": rng.randrange(8), "ip": ip,
             "period": self.period * rng.randrange(1, 4), "id": rng.choice(event.ids), "ips": list(chain)}
        if self.hongmeng and rng.random() < 0.5:
            s["servers"] = [rng.choice([pid, *self.services, *self.pids]) for _ in range(rng.randrange(4))]
        if rng.random() < 0.06:
            s["ips"], s["ip"], misc = [], *self.single(pid)
        elif self.table and rng.random() < 0.6 and (pid, number) in self.ids:
            s["ips"], s["stack_id"] = [], self.ids[pid, number]
            if rng.random() < 0.03:
                s["stack_id"], (s["ip"], misc) = self.unknown, self.single(pid)
        return w.sample(event, misc, self.extras(event, s))

    def single(self, pid):
        """(ip, misc) of a sample without a stack."""
        if self.rng.random() < 0.5 or pid not in self.slots:
            return KERNEL + 8 * self.rng.randrange(0x80) | 2, 1
        return self.slots[pid][self.LIBRARIES[0]] + self.rng.choice(self.offsets) | 2, 2


class Linux(Maker):
    LIBRARIES = ("/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/app", "//anon", "[vdso]", "/usr/lib/jvm/lib/libjvm.so", "/SYSV00000000", "/usr/bin/other")

    def make(self):
        rng = self.rng
        self.offsets = [8 * rng.randrange(0x60) for _ in range(14)]
        self.slots = self.places(0x550000000000)
        self.idle = rng.random() < 0.3
        self.kernel_places = [0xFFFFFFFF81000008, 0xFFFFFFFFC0000008, 0xFFFFFFFFC0100008]
        self.events, described = self.make_events()
        self.chains = self.pool(sorted({s for p in self.pids for s in self.slots[p].values()}), rng.randrange(2, 25))
        self.first, self.timed = [], []
        self.timeline()
        return (w.pipe if rng.random() < 0.15 else w.perf_data)(self.events, self.data(), self.features(), description=described)

    def make_events(self):
        rng = self.rng
        flags = 1 << 18 | rng.choice([0, 1 << 10]) | self.use_clockid
        common = {"flags": flags, "clockid": self.clockid if self.use_clockid else 0, "size": rng.choice([64 + 32, 104, 112, 128, 136])}
        variety = [w.READ, w.RAW, w.BRANCH, w.REGS, w.STACK, w.ADDR, w.WEIGHT, w.DATA_SRC]
        names = rng.sample(["cycles", "cycles:u", "cpu-clock", "task-clock", "sched:sched_switch", "branch-misses"], rng.choice([1, 1, 2, 3]))
        if len(names) == 1 and rng.random() < 0.6:
            return [self.event(names[0], [], HEAD & ~w.IDENTIFIER, common, variety)], rng.random() < 0.8
        first = rng.randrange(1, 1000)
        events = []
        for i, name in enumerate(names):
            # A group reads all its counters; without IDENTIFIER all attributes have the same layout.
            events.append(self.event(name, [first + i * 4 + k for k in range(rng.randrange(1, 4))], HEAD, common, variety))
        if rng.random() < 0.3:
            kind, how = events[0].sample_type & ~w.IDENTIFIER | w.ID, events[0].how
            for e in events:
                e.sample_type, e.how = kind, how
        return events, rng.random() < 0.8

    def trailer(self, pid, time):
        kind = self.events[0].sample_type
        number = w.u64((self.events[0].ids or [0])[0]) if time else w.u64(0)
        out = (w.u32(pid, pid) if time else w.u64(0)) + w.u64(time)
        return out + (number if kind & w.ID else b"") + w.u64(0) + (number if kind & w.IDENTIFIER else b"")

    def at(self, make):
        time = self.tick()
        self.timed.append((time, self.rng.randrange(4), make(time)))

    def map(self, pid, name, start, time, offset=None, length=SLOT):
        offset = self.rng.choice([0, 0x1000, 0x26000]) if offset is None else offset
        return w.mmap2(2, pid, start, length, offset, name, self.trailer(pid, time), self.rng.choice([None, b"\5" * 20]))

    def timeline(self):
        rng, pids = self.rng, self.pids
        for i, name in enumerate(("[kernel.kallsyms]_text", "/lib/modules/6.1/kernel/ext4.ko", "[nf_tables]")):
            self.first.append(w.mmap(1, -1, self.kernel_places[i] - 8, 0x8000, 0, name, self.trailer(0, 0)))
        self.first += [w.record(k, 0, w.u64(0)) for k in (69, 73, 74, 79, 82) if rng.random() < 0.7]
        self.first += [w.record(w.AUXTRACE, 0, w.u64(48, 0, 0, 0, 0)) + bytes(range(48))] * (rng.random() < 0.1)
        for p in pids[:1 + len(pids) // 2]:
            self.begin(p, 0)
        living = pids[:1 + len(pids) // 2]
        for _ in range(rng.randrange(5, 120)):
            what, p = rng.random(), rng.choice(living)
            waiting = [q for q in pids if q not in living]
            if what < 0.85:
                self.at(lambda time: self.sample(time, 0 if self.idle and what < 0.08 else p))
            elif what < 0.92 and waiting:
                child = waiting[0]
                living.append(child)
                self.slots[child] = dict(self.slots[p]) if rng.random() < 0.5 else self.slots[child]
                self.at(lambda time: w.fork(child, p, child, p, time, self.trailer(p, time)))
                if rng.random() < 0.6:
                    self.at(lambda time: w.comm(child, child, "child%d" % child, self.trailer(child, time), 1 << 13))
                    for name, start in self.slots[child].items():
                        self.at(lambda time: self.map(child, name, start, time))
            elif what < 0.94:
                start = rng.choice(list(self.slots[p].values())) + rng.choice([0, 0x100])
                self.at(lambda time: self.map(p, rng.choice(self.LIBRARIES), start, time, length=rng.choice([SLOT // 2, 0x180])))
            elif what < 0.96:
                self.at(lambda time: w.record(w.LOST_SAMPLES, 0, w.u64(rng.randrange(1, 9)) + self.trailer(p, time)))
            elif what < 0.98:
                self.at(lambda time: w.record(200, 0, w.u64(1) + self.trailer(p, time)) if rng.random() < 0.5 else w.record(12, 0, w.u32(p, p) + self.trailer(p, time)))
            else:
                self.at(lambda time: w.comm(p, p, rng.choice(["renamed", ""]), self.trailer(p, time)))

    def begin(self, p, time):
        self.first.append(w.comm(p, p, "app%d" % p, self.trailer(p, time)))
        self.first += [w.comm(p, t, "thread%d" % t, self.trailer(p, time)) for t in self.tids[p][1:] if self.rng.random() < 0.7]
        self.first += [self.map(p, name, start, time) for name, start in self.slots[p].items() if self.rng.random() < 0.9]

    def data(self):
        """Buffers of four CPUs, read in rounds: each may keep the end of its part for the next round."""
        rng, out = self.rng, b"".join(self.first)
        rounds = rng.random() < 0.8
        if not rounds:
            return out + b"".join(data for _, _, data in self.timed)
        size, waiting, i = rng.choice([3, 10, 40]), [], 0
        packed = ZSTD and rng.random() < 0.3
        while i < len(self.timed) or waiting:
            now = waiting + self.timed[i:i + size]
            i += size
            waiting = []
            part = b""
            for cpu in range(4):
                mine = [r for r in now if r[1] == cpu]
                keep = rng.randrange(len(mine) + 1) if mine and i < len(self.timed) and rng.random() < 0.5 else len(mine)
                # Only what came in this window waits, and only until the next one.
                old = [r for r in mine[keep:] if r not in self.timed[max(0, i - size):i]]
                part += b"".join(r[2] for r in mine[:keep] + old)
                waiting += [r for r in mine[keep:] if r not in old]
            out += (w.compressed(part, rng.choice([200, 60000])) if packed and part else part) + w.record(w.FINISHED_ROUND, 0, b"")
        return out

    def sample(self, time, pid):
        rng, event = self.rng, self.rng.choice(self.events)
        chain, ip, misc = rng.choice(self.chains)
        s = {"pid": pid, "tid": rng.choice(self.tids.get(pid, [pid])), "time": time, "cpu": rng.randrange(8), "ip": ip, "period": self.period * rng.randrange(1, 4),
             "ips": list(chain)}
        if event.ids:
            s["id"] = rng.choice(event.ids)
        if rng.random() < 0.05:
            user = [(self.slots[pid][self.LIBRARIES[1]] | 2, 2)] if pid in self.slots else []
            s["ips"], s["ip"], misc = [], *rng.choice([(self.kernel_places[0] | 2, 1)] + user)
        return w.sample(event, misc, self.extras(event, s))

    def features(self):
        rng = self.rng
        out = {11: w.u32(3) + b"".join(w.text(t, True) for t in ("/usr/bin/perf", "record", "-ag"))}
        out.update({n: w.text(t, True) for n, t in ((3, "host"), (4, "6.1.0"), (5, "6.1.1"), (6, "x86_64"), (8, "AMD EPYC"), (9, "AuthenticAMD,25"))})
        if rng.random() < 0.5:
            out.update({2: w.record(67, 2, w.u32(-1) + b"\1" * 20 + w.padded("[kernel.kallsyms]")), 7: w.u32(4, 4), 10: w.u64(1 << 24), 13: w.u32(0), 21: w.u64(1, 2)})
        if self.events[0].how["flags"] >> 25 & 1:
            out[29] = w.u32(1, self.events[0].how["clockid"]) + w.u64(17 * 10**17, 10**12)
        return out


class Simpleperf(Linux):
    """Recordings of Android: files with symbols as structures or messages, names of events in META_INFO, records longer than 64 KiB."""
    LIBRARIES = ("/system/lib64/liba.so", "/data/app/base.apk!/lib/libb.so", "/data/app/base.vdex", "/data/app/jit_app_cache:12-34", "//anon", "/apex/libnosym.so", "[vdso]")
    TYPES = {"cpu-cycles": (0, 0), "cpu-clock:u": (1, 0), "sched:sched_switch": (2, 47)}

    def make_events(self):
        common = {"flags": 1 << 18 | 1 << 10 | self.use_clockid, "clockid": self.clockid if self.use_clockid else 0, "size": 112}
        names, out = self.rng.sample(sorted(self.TYPES), self.rng.randrange(1, 4)), []
        for i, name in enumerate(names):
            kind, config = self.TYPES[name]
            out.append(Event(name, [100 + 3 * i, 101 + 3 * i], HEAD, kind=kind, config=config, **common))
        return out, False

    def features(self):
        rng, out = self.rng, super().features()
        lines = ["%s,%d,%d" % (name, *self.TYPES[name]) for name in sorted(self.TYPES) if rng.random() < 0.8]
        pairs = [("system_wide_collection", "false"), ("event_type_info", "\n".join(lines)), ("product_props", "Google:Pixel:sdk"), ("", "x"), ("trace_offcpu", "é" * 300)]
        rng.shuffle(pairs)
        pairs.insert(rng.randrange(len(pairs) + 1), ("simpleperf_version", "1.build.1"))
        out[w.META_INFO] = w.meta_info(pairs)
        files = self.files()
        half = rng.choice([0, len(files), len(files) // 2])
        if half:
            out[w.FILE] = w.simple_files(files[:half])
        if half < len(files):
            out[w.FILE2] = w.simple_files2(files[half:])
        return {k: v for k, v in out.items() if k != 29}

    def files(self):
        rng = self.rng
        first = min(self.slots[p][n] for p in self.pids for n in self.LIBRARIES)
        out = [("[kernel.kallsyms]", 0, 0, functions(rng, self.kernel_places[0], "kernel", 8), None),
               ("/vendor/lib/modules/wifi.ko", 1, 0x40, functions(rng, 0x40, "wifi", 6), rng.choice([None, 0, 8])),
               (self.LIBRARIES[0], 2, 0x2000, functions(rng, 0x2000, "liba", 8), rng.choice([None, 0, 0x1000])),
               (self.LIBRARIES[1], 2, 0, functions(rng, 0x26000, "libb", 8), 0),
               (self.LIBRARIES[2], 3, 0, functions(rng, 0x1000, "dex", 8), None),
               (self.LIBRARIES[3], 4, 0, functions(rng, first + 3 * SLOT, "jit", 8), None),
               ("/not/hit", 5, 0, [], None), (self.LIBRARIES[5], 2, 0, [], 0)]
        rng.shuffle(out)
        return [f for f in out if rng.random() < 0.85]

    def timeline(self):
        super().timeline()
        rng = self.rng
        self.first[:3] = [w.mmap(1, -1, 0, M64, 0, "[kernel.kallsyms]", self.trailer(0, 0)),
                          w.mmap(1, -1, self.kernel_places[1] - 8, 0x8000, 0, "/vendor/lib/modules/wifi.ko", self.trailer(0, 0))]
        for size in rng.choice([[], [8], [70000, 24]]):  # a type of simpleperf's own, of which the length has 32 bits
            self.first.append(struct.pack("<IHH", 32769, size >> 16, size & 0xFFFF) + bytes(size - 8))

    def make(self):
        rng = self.rng
        self.offsets = [8 * rng.randrange(0x60) for _ in range(14)]
        self.slots = self.places(0x550000000000)
        self.idle = rng.random() < 0.3
        self.kernel_places = [0xFFFFFFFF81000008, 0xFFFFFFFFC0000008, 0xFFFFFFFFC0100008]
        self.events, described = self.make_events()
        self.chains = self.pool(sorted({s for p in self.pids for s in self.slots[p].values()}), rng.randrange(2, 25))
        self.first, self.timed = [], []
        self.timeline()
        return w.perf_data(self.events, self.data(), self.features(), description=described)


def starts(data, at, size):
    """Where records begin."""
    out, end = [], at + size
    while at < end:
        out.append(at)
        kind, _, length = struct.unpack_from("<IHH", data, at)
        at += length + (struct.unpack_from("<Q", data, at + 8)[0] if kind == w.AUXTRACE else 0)
    return out


def table_entry(data, feature):
    """Where offset and size of a feature are, or None."""
    bits = int.from_bytes(data[72:104], "little")
    at, size = struct.unpack_from("<QQ", data, 40)
    return at + size + 16 * bin(bits & (1 << feature) - 1).count("1") if bits >> feature & 1 else None


def ends_of_symbols(section):
    """Where a symbol ends after which its file has another one."""
    b, out = perf_data.Bytes(section), []
    for _ in range(b.u(4)):
        b.text(), b.raw(20), b.text()
        count = b.u(4)
        for i in range(count):
            b.raw(12), b.text()
            out += [b.at] * (i + 1 < count)
    return out


def harm(rng, data, linux):
    """A file with one defect, of which it is said what is lost."""
    data = bytearray(data)
    at, size = struct.unpack_from("<QQ", data, 40)
    records, what = starts(data, at, size), rng.randrange(5)
    if what == 0 and len(records) > 1:  # a record that is shorter than its header
        struct.pack_into("<H", data, rng.choice(records[1:]) + 6, rng.randrange(8))
    elif what == 1:  # one that does not fit
        last = records[-1]
        struct.pack_into("<H", data, last + 6, min(65535, at + size - last + 8))
    elif what == 2 and linux:  # a file that ends early
        del data[rng.randrange(records[len(records) // 2], at + size):]
    elif what == 3:  # a feature elsewhere
        entry = table_entry(data, rng.choice([3, 11, 193, 194]))
        if entry is not None:
            struct.pack_into("<Q", data, entry, len(data) + 100)
    elif table_entry(data, 192) is not None:  # symbols that end early
        entry = table_entry(data, 192)
        offset, length = struct.unpack_from("<QQ", data, entry)
        ends = ends_of_symbols(bytes(data[offset:offset + length]))
        if ends:
            struct.pack_into("<Q", data, entry + 8, rng.choice(ends) + rng.randrange(1, 8))
    return bytes(data)


def make(seed):
    rng = random.Random(seed)
    kind = rng.choice([Linux, Linux, Simpleperf, Hiperf, Hiperf, Hiperf])
    maker = kind(rng, 100)
    maker.harmed = rng.random() < 0.05
    data = maker.make()
    form = rng.random()
    if form < 0.15 and kind is not Simpleperf and struct.unpack_from("<Q", data, 8)[0] == 104 and 81 not in {data[i] for i in starts(data, *struct.unpack_from("<QQ", data, 40))}:
        return harm(rng, data, kind is Linux)
    if form < 0.6:
        return data
    if form < 0.75:
        return gzip.compress(data, 1, mtime=0)
    parts = [data] if form < 0.9 else [data, kind(rng, 500).make()]
    if rng.random() < 0.2:
        parts[0] = gzip.compress(parts[0], 1, mtime=0)
    return b"".join(w.section(1, part, clocks=CLOCKS if i == 0 else (0,) * 6) for i, part in enumerate(parts))


def big(seed):
    """300 000 samples of 25 frames."""
    rng = random.Random(seed)
    m = Hiperf(rng, 100)
    m.hongmeng, m.old = False, False
    m.make()
    event = Event("hw-cpu-cycles", [1], HEAD | w.ID, flags=1 << 18 | 1 << 25, clockid=1)
    stacks = [[MARK["user"]] + [rng.choice(list(m.slots[100].values())) + rng.randrange(0x10000) for _ in range(25)] for _ in range(155000)]
    out = b"".join(m.first_records())
    parts = [out]
    for i in range(300000):
        ips = stacks[i] if i < len(stacks) else rng.choice(stacks)
        parts.append(w.sample(event, 2, {"ip": ips[1], "pid": 100, "tid": 100 + i % 7, "time": 10**12 + i * 1000, "cpu": i % 8, "period": 1000, "ips": ips}))
    return w.perf_data([event], b"".join(parts), {192: m.files()})


RECORDED = {"graph": ["-e", "cpu-clock", "-g"], "dwarf": ["-e", "cpu-clock,task-clock", "--call-graph", "dwarf"], "zstd": ["-e", "cpu-clock", "-g", "-z"],
            "group": ["-e", "{cpu-clock,task-clock}:S", "-g"], "period": ["-e", "page-faults", "-c", "7", "-d"], "clock": ["-e", "cpu-clock", "-k", "monotonic", "-g"],
            "pipe": ["-e", "cpu-clock", "-g"]}


def recorded(folder):
    """The examples, and recordings that perf makes now, where it can."""
    native_examples.check_perf(folder)
    perf = shutil.which("perf")
    for name, options in RECORDED.items() if perf else ():
        path = os.path.join(folder, "recorded_%s.data" % name)
        command = [perf, "record", *options, "-o", "-" if name == "pipe" else path, "--", "sh", "-c", "find /usr/share/doc | sort | cat >&2"]
        with open(path, "wb") as f:
            done = subprocess.run(command, stdout=f, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            print("not recorded with %s: %s" % (" ".join(options), done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]))
            os.unlink(path)
    if not perf:
        print("nothing recorded: there is no perf")


if __name__ == "__main__":
    sys.exit(native_runs.run(__doc__, make, perf_data.compare, recorded, big, TABLES, PARTS, suffix=".data"))
