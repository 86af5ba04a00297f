#!/usr/bin/env python3
"""Compares every cell that a trace of Perfetto gives with what this reader of its own finds in the file.

usage: perfetto_rows.py DATABASE FILE

It reads the wire format itself, keeps the state of each sequence as the format has it, and makes the rows of tracks, events, slices, counters,
processes and threads of that. Traces whose packets are whole only; those of sequences that lost packets, too.
"""

import collections
import json
import sqlite3
import struct
import sys
import zlib

from cells import cells

NONE = object()


def fields(data):
    """(number, type, value) of a message; fixed numbers as bits."""
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            b = data[at]
            at += 1
            v |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return v & (1 << 64) - 1

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, 0, varint()
        elif tag & 7 in (1, 5):
            n = 8 if tag & 7 == 1 else 4
            yield tag >> 3, tag & 7, int.from_bytes(data[at:at + n], "little")
            at += n
        elif tag & 7 == 2:
            n = varint()
            if at + n > len(data):
                raise ValueError("a field is cut")
            yield tag >> 3, 2, data[at:at + n]
            at += n
        else:
            raise ValueError("wire type %d" % (tag & 7))


def message(data):
    """{number: [values]}"""
    found = collections.defaultdict(list)
    for n, _, v in fields(data):
        found[n].append(v)
    return found


def signed(v, bits=64):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> bits - 1 else v


def real(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def text(data):
    return data.decode("utf-8", "replace")


# --- arguments: pairs of a dictionary stay in their order ------------------------------------------


class Pairs(list):
    pass


def nested(data):
    """A value of the older form."""
    m = message(data)
    if m.get(1, [0])[-1] == 1:
        return Pairs(zip(map(text, m.get(2, [])), map(nested, m.get(3, []))))
    if m.get(1, [0])[-1] == 2:
        return [nested(v) for v in m.get(4, [])]
    return signed(m[5][-1]) if 5 in m else real(m[6][-1]) if 6 in m else m[7][-1] != 0 if 7 in m else text(m[8][-1]) if 8 in m else None


def value(state, data):
    """The value of an annotation."""
    simple, entries, items = NONE, [], []
    for n, _, v in fields(data):
        if n == 2:
            simple = v != 0
        elif n == 3:
            simple = v
        elif n in (4,):
            simple = signed(v)
        elif n == 5:
            simple = real(v) if real(v) - real(v) == 0 else None
        elif n == 6:
            simple = text(v)
        elif n == 7:
            simple = "0x%x" % v
        elif n == 8:
            simple = nested(v)
        elif n == 9:
            simple = text(v)
        elif n == 17:
            simple = state.interned.get((29, v))
        elif n == 11:
            entries.append(annotation(state, v))
        elif n == 12:
            items.append(value(state, v))
    return Pairs(entries) if entries else items if items else None if simple is NONE else simple


def annotation(state, data):
    name = "NULL"
    for n, _, v in fields(data):
        if n == 1:
            name = state.interned.get((3, v), "NULL")
        elif n == 10:
            name = text(v)
    return name, value(state, data)


def location(data):
    m = message(data)
    out = Pairs()
    for n, key in ((2, "file"), (3, "function")):
        if n in m:
            out.append((key, text(m[n][-1])))
    if m.get(4, [0])[-1]:
        out.append(("line", m[4][-1]))
    return out


# --- samples and measurements --------------------------------------------------------------------

MEMORY = dict(enumerate(("MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "SwapCached", "Active", "Inactive", "Active(anon)", "Inactive(anon)", "Active(file)",
                         "Inactive(file)", "Unevictable", "Mlocked", "SwapTotal", "SwapFree", "Dirty", "Writeback", "AnonPages", "Mapped", "Shmem", "Slab", "SReclaimable",
                         "SUnreclaim", "KernelStack", "PageTables"), 1))
MEMORY.update({32: "CmaTotal", 33: "CmaFree"})
COUNTERS = {1: "cpu", 2: "page-faults", 3: "cpu", 4: "context-switches", 5: "cpu-migrations", 6: "minor-faults", 7: "major-faults", 10: "cpu", 11: "instructions",
            12: "cache-references", 13: "cache-misses", 14: "branch-instructions", 15: "branch-misses"}


def sampled(timebase):
    """What samples of perf are taken of."""
    counter = COUNTERS.get(timebase[4][-1]) if 4 in timebase else None
    if counter == "cpu":
        return "cpu"
    if 10 in timebase:
        return text(timebase[10][-1])
    return text(message(timebase[3][-1])[1][-1]) if 3 in timebase else counter or "cpu"


def numbers(values):
    """Of a list, packed or not."""
    for v in values:
        if isinstance(v, int):
            yield v
            continue
        n = shift = 0
        for b in v:
            n |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                yield n
                n = shift = 0


# --- the trace -----------------------------------------------------------------------------------


class State:
    def __init__(self):
        self.interned, self.clock, self.track, self.counters = {}, None, None, []
        self.sampled, self.heap, self.index, self.thread, self.us = "cpu", {}, None, None, 0
        self.names = {}
        self.seen = self.valid = False
        self.losses = 0
        self.last = {}
        self.sums = collections.Counter()


class Track:
    def __init__(self, uuid):
        self.uuid, self.parent, self.name = uuid, None, None
        self.thread = self.process = self.counter = None
        self.thread_name = self.process_name = None
        self.described = uuid == 0


class Trace:
    def __init__(self, data):
        self.packets, self.states, self.tracks = collections.Counter(), collections.defaultdict(State), {}
        self.snapshots, self.primary, self.units = [], None, {}
        self.records, self.processes, self.threads = [], {}, {}
        self.issues = collections.Counter()
        self.now = None
        self.samples, self.addresses, self.sums = [], {}, collections.defaultdict(collections.Counter)
        self.measured, self.of_process, self.lines, self.cpus = {}, {}, [], {}
        self.read(data)

    def read(self, data):
        for n, _, v in fields(data):
            assert n == 1
            self.packet(v)

    def track(self, uuid):
        return self.tracks.setdefault(uuid, Track(uuid))

    def packet(self, data):
        m = message(data)
        payload = [n for n, kind, _ in fields(data) if kind == 2 and n not in (12, 59)]
        kind = payload[-1] if payload else 0
        self.packets[kind] += 1
        sid = m.get(10, [0])[-1]
        s = self.states[sid]
        cleared = m.get(13, [0])[-1] & 1
        if m.get(42, [0])[-1] and s.seen:
            s.losses += 1
            s.valid = False
            self.issues["perfetto_dropped"] += 1
        if cleared:
            s.interned, s.clock, s.track, s.counters, s.sampled, s.valid = {}, None, None, [], "cpu", True
            s.sums = collections.Counter()
        s.seen = True
        if m.get(13, [0])[-1] & 2 and not s.valid:
            self.issues["perfetto_state_lost"] += 1
            s.losses += 1
            return
        for part in m.get(12, []):
            for n, _, entry in fields(part):
                if n not in (1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 29, 43):
                    continue
                e = message(entry)
                s.interned[n, e[1][-1]] = location(entry) if n == 4 else e if n in (6, 7, 19) else e[2][-1] if n in (5, 16, 17, 18) else text(e[2][-1])
        for part in m.get(59, []):
            d = message(part)
            s.clock = d[58][-1] if 58 in d else None
            e = message(d[11][-1]) if 11 in d else {}
            s.track, s.counters = (e[11][-1] if 11 in e else None), e.get(31, [])
            s.sampled = sampled(message(message(d[12][-1])[1][-1])) if 12 in d else "cpu"
        self.take_time(m, sid, s)
        if kind == 50:
            self.read(zlib.decompress(m[50][-1]))
        else:
            read = {2: self.process_tree, 6: self.snapshot, 7: self.system, 9: self.process_stats, 11: self.event, 34: self.kernel, 35: self.stats, 37: self.heap, 38: self.battery, 39: self.log,
                    40: self.rails, 44: self.thread, 52: self.gpu, 54: self.streaming, 60: self.descriptor, 61: self.symbols, 66: self.sample, 71: self.gpu_memory}.get(kind)
            if read:
                read(message(m[kind][-1]), m[kind][-1], sid, s)

    # --- clocks ---

    def key(self, clock, sid):
        return (sid, clock) if 64 <= clock <= 127 else clock

    def take_time(self, m, sid, s):
        if 8 not in m:
            return
        clock = self.key(m[58][-1] if 58 in m else s.clock if s.clock is not None else 6, sid)
        unit, incremental = self.units.get(clock, (1, False))
        at = m[8][-1] * unit
        if incremental:
            at = s.last[clock] = s.last[clock] + at
        self.now = clock, at

    def snapshot(self, m, _data, sid, s):
        found = {}
        for part in m.get(1, []):
            c = message(part)
            clock, unit = self.key(c[1][-1], sid), c.get(4, [1])[-1]
            found[clock] = c[2][-1] * unit
            self.units[clock] = unit, bool(c.get(3, [0])[-1])
            s.last[clock] = found[clock]
        self.snapshots.append(found)
        self.primary = self.primary or m.get(2, [None])[-1]

    def time(self, where):
        """On the trace's clock."""
        if where is None:
            return None
        target = self.primary or 6
        clock, at = where
        if clock == target:
            return at
        both = sorted((s[clock], i, s[target]) for i, s in enumerate(self.snapshots) if clock in s and target in s)
        if not both:
            return None
        best = [b for b in both if b[0] <= at][-1:] or both[:1]
        return at - best[0][0] + best[0][2]

    # --- processes and tracks ---

    def process_tree(self, m, _data, _sid, _s):
        for part in m.get(1, []):
            p = message(part)
            self.processes[p[1][-1]] = text(p[3][0])
        for part in m.get(2, []):
            t = message(part)
            self.processes.setdefault(t[3][-1], None)
            self.threads[t[3][-1], t[1][-1]] = text(t[2][-1])

    def descriptor(self, m, _data, _sid, _s):
        t = self.track(m[1][-1])
        t.described = True
        t.parent = m[5][-1] if 5 in m else t.parent
        names = [text(v) for n, _, v in fields(_data) if n in (2, 10, 13) and v]
        t.name = names[-1] if names else t.name
        if 3 in m:
            p = message(m[3][-1])
            t.process = p[1][-1] if 1 in p else t.process or 0
            t.process_name = text(p[6][-1]) if p.get(6, [b""])[-1] else text(p[2][0]) if 2 in p else t.process_name
        if 4 in m:
            p = message(m[4][-1])
            t.thread, t.thread_name = (p[1][-1], p[2][-1]), text(p[5][-1]) if p.get(5, [b""])[-1] else t.thread_name
        if 8 in m:
            t.counter = message(m[8][-1])

    def owner(self, t):
        """(pid, tid), (pid, None) or (None, None)."""
        for _ in range(64):
            if t is None:
                break
            if t.thread:
                return t.thread
            if t.process is not None:
                return t.process, None
            t = self.tracks.get(t.parent) if t.parent is not None else None
        return None, None

    # --- events ---

    def event(self, m, data, sid, s):
        uuid = m[11][-1] if 11 in m else s.track if s.track is not None else 0
        r = {"kind": m.get(9, [0])[-1], "track": uuid, "where": self.now, "sid": sid, "state": s, "losses": s.losses, "order": len(self.records)}
        self.track(uuid)
        if 6 in m and 9 not in m:
            phase = chr(message(m[6][-1])[2][-1])
            r["kind"] = 3 if phase in "IiR" else phase
            self.issues["perfetto_legacy_phase"] += phase not in "IiR"
        r["name"] = text(m[23][-1]) if 23 in m else s.interned.get((2, m[10][-1]), "NULL") if 10 in m else None
        categories = [s.interned[1, v] if n == 3 else text(v) for n, _, v in fields(data) if n in (3, 22)]
        r["category"] = ",".join(categories) or None
        args = Pairs()
        for n, kind, v in fields(data):
            if n == 4:
                args.append(annotation(s, v))
            elif n in (33, 34):
                args.append(("source_location", location(v) if n == 33 else s.interned[4, v]))
            elif n in (5, 21) and kind == 2:
                args += [("posted_from" if n == 5 else "log_location", s.interned[4, x]) if k == 1 else ("log_message", s.interned[20, x])
                         for k, _, x in fields(v) if k == 1 or k == 2 and n == 21]
        r["args"] = args or None
        flows, ends = [str(v) for v in m.get(47, [])], [str(v) for v in m.get(48, [])]
        r["flows"] = ",".join(flows) + ("|" + ",".join(ends) if ends else "") or None
        r["correlation"] = str(m[52][-1]) if 52 in m else text(m[53][-1]) if 53 in m else None
        r["stack"] = self.stack(s, m[56][-1]) if 56 in m else [(text(f[1][-1]), text(f[2][-1]), None, f.get(3, [None])[-1]) for f in map(message, message(m[55][-1])[1])] if 55 in m else []
        r["values"] = [(u, signed(v)) for u, v in zip(s.counters, m.get(12, []))]
        for u, _ in r["values"]:
            self.track(u)
        if 30 in m or 44 in m:
            r["values"].append((uuid, signed(m[30][-1]) if 30 in m else real(m[44][-1])))
        r["sums"] = s.sums
        self.records.append(r)

    # --- samples ---

    def stack(self, s, iid):
        """Frames, outermost first, as (name or address, file, library, line); addresses are named at the end."""
        def look(kind, key, of_heap):
            if s.heap and (of_heap, key) in s.heap:
                return s.heap[of_heap, key]
            return s.interned.get((kind, key))

        out = []
        for f in numbers(look(7, iid, 3).get(2, [])):
            f = look(6, f, 2)
            where = look(19, f[3][-1], 4) if f.get(3, [0])[-1] else {}
            parts = [look(17, n, 1) for n in numbers(where.get(7, []))]
            path = text(b"/" + b"/".join(parts)).replace("//", "/", 1) if parts else None
            build = look(16, where[2][-1], 1) if where.get(2, [0])[-1] else None
            name = look(5, f[2][-1], 1) if f.get(2, [0])[-1] else None
            source = look(18, f[5][-1], 1) if f.get(5, [0])[-1] else None
            address = f.get(4, [None])[-1]
            out.append((text(name) if name else (path, build, address), text(source) if source else None, path, f.get(6, [0])[-1] or None, address))
        return out

    def named(self, stack):
        out = []
        for name, source, path, line, *_ in stack:
            if not isinstance(name, tuple):
                out.append((name, source, path, line))
                continue
            address = name[2]
            if name in self.addresses:
                out += [(text(l[1][-1]), text(l[2][-1]) if 2 in l else None, path, l.get(3, [0])[-1] or None) for l in reversed(self.addresses[name])]
            else:
                out.append((None if address is None and path is None else (path.split("/")[-1] + "+" if path else "") + "0x%x" % (address or 0), source, path, line))
        return tuple(out)

    def symbols(self, m, _data, _sid, _s):
        for part in m.get(3, []):
            a = message(part)
            self.addresses[text(m[1][-1]), m[2][-1], a[1][-1]] = [message(l) for l in a[2]]

    def take_sample(self, where, thread, stack, event, values=(), labels=()):
        if thread:
            self.processes.setdefault(thread[0], None)
            self.threads.setdefault(thread, None)
        self.samples.append((where, thread, stack, event, list(values), [(k, str(v)) for k, v in labels]))

    def sample(self, m, _data, _sid, s):
        if m.get(17, [0])[-1] or 19 in m:
            self.issues["perf_lost"] += m.get(17, [0])[-1] or 1
            return
        if 18 in m:
            self.issues["perfetto_skipped_samples"] += m[18][-1] != 4
        modes = {1: "kernel", 2: "user", 3: "hypervisor", 4: "guest_kernel", 5: "guest_user"}
        labels = [("cpu", m[1][-1])] if 1 in m else []
        labels += [("cpu_mode", modes[m[5][-1]])] if m.get(5, [0])[-1] in modes else []
        labels += [("unwind_error", m[16][-1])] if m.get(16, [0])[-1] else []
        self.take_sample(self.now, (m[2][-1], m[3][-1]), self.stack(s, m[4][-1]) if 4 in m and 18 not in m else [], s.sampled, (), labels)

    def thread(self, m, _data, _sid, s):
        s.thread, s.us = (m[1][-1], m[2][-1]), m.get(6, [0])[-1]
        t = self.tracks.setdefault(s.thread, Track(None))
        t.thread, t.described, t.thread_name = s.thread, True, text(m[5][-1]) if 5 in m else t.thread_name

    def streaming(self, m, _data, _sid, s):
        for iid, delta in zip(numbers(m.get(1, [])), numbers(m.get(2, []))):
            s.us += signed(delta)
            self.take_sample((3, s.us * 1000), s.thread, self.stack(s, iid), "cpu")

    def heap(self, m, _data, sid, s):
        if 7 in m:
            self.issues["perfetto_lost"] += s.index is not None and m[7][-1] != s.index + 1
            s.index = m[7][-1]
        for n in (1, 2, 3, 4):
            for part in m.get(n, []):
                e = message(part)
                s.heap[n, e[1][-1]] = e[2][-1] if n == 1 else e
        for part in m.get(5, []):
            self.dump(message(part), s)
        if not m.get(6, [0])[-1]:
            s.heap = {}

    def dump(self, d, s):
        self.issues["heapprofd_incomplete"] += any(d.get(n, [0])[-1] for n in (4, 6, 7, 8, 10, 14))
        pid, where = d[1][-1], (4, d[9][-1]) if d.get(9, [0])[-1] else self.now
        self.processes.setdefault(pid, None)
        for part in d.get(2, []):
            v = message(part)
            stack = self.stack(s, v[1][-1])
            get = lambda n, v=v: v.get(n, [0])[-1]
            now = {"alloc_space": get(2), "alloc_objects": get(5), "inuse_space": get(2) - get(3), "inuse_objects": get(5) - get(6)}
            if 8 in v:
                now["max_space"] = get(8)
            before = self.sums[pid, d[11][-1], tuple(stack)]
            values = [(k, n - before[k]) for k, n in now.items()]
            before.update({k: n - before[k] for k, n in now.items()})
            if any(n for _, n in values):
                self.take_sample(where, None, stack, "alloc", values, [("pid", pid), ("heap", text(d[11][-1]))])

    # --- measurements ---

    def measure(self, name, unit, v, where=NONE):
        self.measured.setdefault(name, (unit, []))[1].append((self.now if where is NONE else where, float(v)))

    def system(self, _m, data, _sid, _s):
        rates = collections.Counter()
        for n, kind, v in fields(data):
            m = message(v) if kind == 2 and n in (1, 2, 3, 10, 13) else None
            if n == 1:
                self.measure("meminfo:%s" % MEMORY.get(m[1][-1], m[1][-1]), "bytes", m[2][-1] * 1024)
            elif n == 2:
                self.measure("vmstat:%d" % m[1][-1], "count", m[2][-1])
            elif n == 3:
                for i, name in enumerate(("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"), 2):
                    if i in m:
                        self.measure("cpu%d:%s" % (m[1][-1], name), "ns", m[i][-1])
            elif n in (4, 5, 7):
                self.measure({4: "forks", 5: "irqs", 7: "softirqs"}[n], "count", v)
            elif n == 10:
                self.measure("devfreq:" + text(m[1][-1]), None, m[2][-1])
            elif n in (11, 17):
                for rate in numbers([v]):
                    self.measure("%s:%d" % ("cpufreq" if n == 11 else "gpufreq", rates[n]), "kHz" if n == 11 else "MHz", rate)
                    rates[n] += 1
            elif n == 13:
                for i, name in enumerate(("read_sectors", "read_time", "write_sectors", "write_time"), 2):
                    if i in m:
                        self.measure("disk:%s:%s" % (text(m[1][-1]), name), "ms" if name.endswith("time") else "count", m[i][-1])

    def process_stats(self, m, _data, _sid, _s):
        names = {2: "mem.vm.size", 3: "mem.rss", 4: "mem.rss.anon", 5: "mem.rss.file", 6: "mem.rss.schem", 7: "mem.swap", 8: "mem.locked", 9: "mem.rss.watermark", 10: "oom_score_adj",
                 11: "threads"}
        for part in m.get(1, []):
            v = message(part)
            self.processes.setdefault(v[1][-1], None)
            for n, name in names.items():
                if n in v:
                    self.of_process.setdefault((v[1][-1], name), []).append((self.now, signed(v[n][-1])))

    def battery(self, m, _data, _sid, _s):
        prefix = "battery:" + (text(m[5][-1]) + ":" if 5 in m else "")
        for n, name, unit in ((1, "charge", "uAh"), (2, "capacity", "%"), (3, "current", "uA"), (4, "current.avg", "uA"), (6, "energy", "uWh"), (7, "voltage", "uV")):
            if n in m:
                self.measure(prefix + name, unit, struct.unpack("<f", struct.pack("<I", m[n][-1]))[0] if n == 2 else signed(m[n][-1]))

    def rails(self, m, _data, _sid, s):
        for part in m.get(1, []):
            d = message(part)
            s.names["rail", d[1][-1]] = text(d[2][-1])
        for part in m.get(2, []):
            d = message(part)
            self.measure("power:%s" % s.names.get(("rail", d[1][-1]), d[1][-1]), "uWs", d[3][-1], (6, d[2][-1] * 10**6) if 2 in d else self.now)

    def gpu(self, m, _data, _sid, s):
        for part in m.get(1, []):
            for spec in message(part).get(1, []):
                d = message(spec)
                s.names["gpu", d[1][-1]] = text(d[2][-1])
        for part in m.get(2, []):
            d = message(part)
            self.measure("gpu%d:%s" % (m.get(3, [0])[-1], s.names.get(("gpu", d[1][-1]), d[1][-1])), None, real(d[3][-1]) if 3 in d else signed(d[2][-1]))

    def gpu_memory(self, m, _data, _sid, _s):
        pid = m.get(2, [0])[-1]
        self.measure("gpu_mem:%d" % m.get(1, [0])[-1] + (":%d" % pid if pid else ""), "bytes", m[3][-1])

    def log(self, m, _data, _sid, _s):
        for part in m.get(1, []):
            v = message(part)
            where = (1, v[5][-1]) if 5 in v else self.now
            self.lines.append((where, v.get(2, [0])[-1], v.get(3, [0])[-1], "??VDIWEF"[v[7][-1]], text(v[6][-1]), text(v[8][-1]), where[1]))

    def stats(self, m, _data, _sid, _s):
        self.issues["perfetto_flush_failed"] = m.get(14, [0])[-1] + (m.get(15, [0])[-1] == 2)

    def kernel(self, m, _data, _sid, _s):
        for part in m.get(2, []):
            c = message(part)
            n = c.get(3, [0])[-1] + c.get(8, [0])[-1]
            if m[1][-1] == 2:
                self.issues["ftrace_overrun"] += n > self.cpus.get(c[1][-1], 0)
            self.cpus[c[1][-1]] = n

    def counters(self):
        """{uuid: [(time, value)]} in the order of the file; the thread's time of each event."""
        series = {}
        for r in self.records:
            r["thread_ts"] = None
            for uuid, v in r["values"]:
                c = self.tracks[uuid].counter or {}
                v *= c.get(4, [1])[-1]
                if c.get(5, [0])[-1]:
                    r["sums"][uuid] += v
                    v = r["sums"][uuid]
                series.setdefault(uuid, []).append((self.time(r["where"]), float(v)))
                if c.get(1, [0])[-1] == 1:
                    r["thread_ts"] = int(v)
        return series

    def slices(self):
        """Begin record, end record, depth, dur, self, cpu, state; callers first."""
        out, tracks = [], collections.defaultdict(list)
        for r in self.records:
            if r["kind"] in (1, 2):
                tracks[r["track"]].append(r)
        for events in tracks.values():
            stack, last = [], None

            def close(end, state):
                begin, inner, depth = stack.pop()
                dur = end["ts"] - begin["ts"] if end else None
                own = dur - inner if end and inner is not None else None
                cpu = None
                if end and begin["thread_ts"] is not None and end["thread_ts"] is not None and end["thread_ts"] >= begin["thread_ts"]:
                    cpu = end["thread_ts"] - begin["thread_ts"]
                if stack:
                    stack[-1][1] = None if dur is None or stack[-1][1] is None else stack[-1][1] + dur
                out.append((begin, end, depth, dur, own, cpu, state))

            for r in sorted(events, key=lambda r: (r["ts"], r["order"])):
                if last and last["sid"] == r["sid"] and last["losses"] != r["losses"]:
                    while stack:
                        close(None, 2)
                last = r
                if r["kind"] == 1:
                    stack.append([r, 0, len(stack)])
                elif stack:
                    close(r, 0)
                else:
                    self.issues["perfetto_end_unmatched"] += 1
            while stack:
                close(None, 2 if last["losses"] != last["state"].losses else 1)
        self.issues["perfetto_frames_open"] = sum(s[6] == 1 for s in out)
        self.issues["perfetto_frames_lost"] = sum(s[6] == 2 for s in out)
        return sorted(out, key=lambda s: (s[0]["ts"], s[0]["order"]))


# --- comparing -----------------------------------------------------------------------------------


def who(t, trace):
    return trace.owner(trace.tracks[t])


def expected(trace):
    """{what: rows}"""
    series = trace.counters()
    for r in trace.records:
        r["ts"] = trace.time(r["where"])
    kinds = {0: "unknown", 1: "begin", 2: "end", 3: "instant", 5: "state"}
    rows = {"track": [], "event": [], "slice": [], "series": [], "point": []}
    uuid_of = lambda key: None if isinstance(key, tuple) else str(key)
    for uuid, t in trace.tracks.items():
        kind = "counter" if t.counter is not None else "thread" if t.thread else "process" if t.process is not None else "track"
        rows["track"].append((uuid_of(uuid), str(t.parent) if t.parent in trace.tracks else None, t.name, kind, *who(uuid, trace)))
    for r in trace.records:
        if r["kind"] != 4:
            rows["event"].append((kinds.get(r["kind"], r["kind"]), r["name"], r["category"], str(r["track"]), *who(r["track"], trace), r["ts"], None, r["thread_ts"], r["flows"],
                                  r["correlation"], r["args"], r["sid"], trace.named(r["stack"])))
    numbers = {id(r): i for i, r in enumerate(r for r in trace.records if r["kind"] != 4)}
    paths = {}
    for begin, end, depth, dur, own, cpu, state in trace.slices():
        path = (*paths.get((begin["track"], depth - 1), ()), begin["name"])
        paths[begin["track"], depth] = path
        rows["slice"].append((numbers[id(begin)] + 1, numbers[id(end)] + 1 if end else None, str(begin["track"]), who(begin["track"], trace)[1], path, begin["ts"], dur, own, cpu,
                              depth, state))
    units = {1: "ns", 2: "count", 3: "bytes"}
    for uuid, points in series.items():
        t = trace.tracks[uuid]
        c = t.counter or {}
        unit = text(c[6][-1]) if 6 in c else units.get(c.get(1, [0])[-1] or c.get(3, [0])[-1])
        rows["series"].append((str(uuid), t.name or "NULL", unit, who(uuid, trace)[1]))
        rows["point"] += [(str(uuid), *p) for p in points]
    rows["point"].sort(key=lambda p: p[0])
    rows["sample"] = [(trace.time(where), thread, trace.named(stack), event, values, labels) for where, thread, stack, event, values, labels in trace.samples]
    rows["measured"] = [(name, unit, [(trace.time(w), v) for w, v in points]) for name, (unit, points) in trace.measured.items()]
    rows["line"] = [(trace.time(line[0]), *line[1:]) for line in trace.lines]
    rows["of_process"] = []
    for (pid, name), points in trace.of_process.items():
        points = [(trace.time(w), v) for w, v in points]
        ends = [p[0] for p in points[1:]] + [None]
        rows["of_process"] += [(pid, name, ts, None if end is None or end < ts else end - ts, v) for (ts, v), end in zip(points, ends)]
    rows["of_process"].sort(key=str)
    names = dict(trace.processes)
    threads = dict(trace.threads)
    for t in trace.tracks.values():
        if t.process is not None:
            names[t.process] = t.process_name
        if t.thread:
            threads[t.thread] = t.thread_name
            names.setdefault(t.thread[0], None)
    rows["process"] = sorted(names.items())
    rows["thread"] = sorted((*k, v) for k, v in threads.items())
    trace.issues["perfetto_no_track"] = sum(not t.described for t in trace.tracks.values())
    rows["issue"] = sorted((k, n) for k, n in trace.issues.items() if n > 0)
    rows["packets"] = sorted(trace.packets.values())
    return rows


def actual(db):
    tracks = "(SELECT uuid FROM perfetto_track k WHERE k.id = %s)"
    pid, tid = "(SELECT pid FROM process p WHERE p.ipid = %s)", "(SELECT tid FROM thread t WHERE t.itid = %s)"
    rows = {"track": db.execute("SELECT uuid, %s, name, kind, %s, %s FROM perfetto_track x ORDER BY id" % (tracks % "x.parent_id", pid % "x.ipid", tid % "x.itid")).fetchall()}
    full = {None: ()}
    for node, parent, *frame in db.execute("SELECT n.id, n.parent_id, m.name, m.file, m.library, n.line FROM stack_node n LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"):
        full[node] = (*full[parent], tuple(frame))
    rows["event"] = [r[:11] + (json.loads(r[11], object_pairs_hook=Pairs) if r[11] else None, r[12], full[r[13]]) for r in db.execute(
        "SELECT type, name, category, %s, %s, %s, ts, dur, thread_ts, flow_ids, correlation, args, sequence, node_id FROM perfetto_event x ORDER BY id"
        % (tracks % "x.track_id", pid % "x.ipid", tid % "x.itid"))]
    values, labels = collections.defaultdict(list), collections.defaultdict(list)
    for sample, name, v in db.execute("SELECT v.sample_id, t.name, v.value FROM stack_sample_value v JOIN stack_value_type t ON t.id = v.value_type_id ORDER BY v.rowid"):
        values[sample].append((name, v))
    for sample, key, v in db.execute("SELECT sample_id, key, value FROM stack_sample_label ORDER BY rowid"):
        labels[sample].append((key, v))
    rows["sample"] = [(ts, (pid, tid) if tid is not None else None, full[node], event, values[i], labels[i]) for i, ts, pid, tid, node, event in db.execute(
        "SELECT s.id, s.ts, p.pid, t.tid, s.node_id, s.event FROM stack_sample s LEFT JOIN thread t ON t.itid = s.itid LEFT JOIN process p ON p.ipid = t.ipid ORDER BY s.id")]
    rows["measured"] = [(name, unit, db.execute("SELECT ts, value FROM timeseries_value WHERE series_id = ? ORDER BY rowid", (i,)).fetchall()) for i, name, unit in db.execute(
        "SELECT id, name, unit FROM timeseries WHERE id NOT IN (SELECT series_id FROM perfetto_counter) ORDER BY id").fetchall()]
    rows["line"] = db.execute("SELECT ts, pid, tid, level, tag, context, origints FROM log ORDER BY rowid").fetchall()
    rows["of_process"] = sorted(db.execute("SELECT p.pid, f.name, m.ts, m.dur, m.value FROM process_measure m JOIN process_measure_filter f ON f.id = m.filter_id "
                                           "JOIN process p ON p.ipid = f.ipid"), key=str)
    paths = {}
    for node, parent, name in db.execute("SELECT n.id, n.parent_id, m.name FROM stack_node n LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"):
        paths[node] = (paths[parent] if parent else ()) + (name,)
    rows["slice"], path_of = [], {}
    for r in db.execute("SELECT s.id, s.parent_id, s.node_id, x.event_id, x.end_event_id, %s, %s, s.ts, s.dur, s.self_dur, s.cpu_dur, s.depth, s.state FROM stack_slice s "
                        "JOIN perfetto_slice x ON x.slice_id = s.id ORDER BY s.id" % (tracks % "x.track_id", tid % "s.itid")):
        path_of[r[0]] = paths[r[2]]
        assert path_of.get(r[1], ()) == paths[r[2]][:-1]
        rows["slice"].append((*r[3:7], paths[r[2]], *r[7:]))
    rows["series"] = db.execute("SELECT %s, x.name, unit, %s FROM timeseries x JOIN perfetto_counter c ON c.series_id = x.id ORDER BY x.id"
                                % (tracks % "c.track_id", tid % "x.itid")).fetchall()
    rows["point"] = db.execute("SELECT %s AS u, v.ts, v.value FROM timeseries_value v JOIN perfetto_counter c ON c.series_id = v.series_id ORDER BY u, v.rowid"
                               % (tracks % "c.track_id")).fetchall()
    rows["process"] = db.execute("SELECT pid, name FROM process WHERE ipid > 0 ORDER BY pid").fetchall()
    rows["thread"] = db.execute("SELECT p.pid, t.tid, t.name FROM thread t LEFT JOIN process p ON p.ipid = t.ipid WHERE t.itid > 0 ORDER BY 1, 2").fetchall()
    rows["issue"] = db.execute("SELECT code, sum(count) FROM import_issue WHERE code <> 'perfetto_unread' GROUP BY 1 ORDER BY 1").fetchall()
    event = {r[0]: r for r in db.execute("SELECT id, name, category, flow_ids, args FROM perfetto_event")}
    view = db.execute("SELECT slice_id, itid, parent_id, ts, dur, self_dur, cpu_dur, depth, state, name, category, flow_ids, args, end_args, source_id, track, pid, process, thread "
                      "FROM v_perfetto_slice ORDER BY slice_id").fetchall()
    plain = db.execute("SELECT s.id, s.itid, s.parent_id, s.ts, s.dur, s.self_dur, s.cpu_dur, s.depth, s.state, x.event_id, x.end_event_id, s.source_id, k.name, k.ipid FROM "
                       "perfetto_slice x JOIN stack_slice s ON s.id = x.slice_id JOIN perfetto_track k ON k.id = x.track_id ORDER BY s.id").fetchall()
    processes, threads = {r[0]: r[1:] for r in db.execute("SELECT ipid, pid, name FROM process")}, dict(db.execute("SELECT itid, name FROM thread"))
    rows["view"] = [b == a[:9] + event[a[9]][1:] + (event[a[10]][4] if a[10] else None, *a[11:13], *processes.get(a[13], (None, None)), threads.get(a[1]))
                    for a, b in zip(plain, view)]
    rows["packets"] = [n for (n,) in db.execute("SELECT seen FROM import_count WHERE item LIKE 'perfetto\\_packets:%' ESCAPE '\\' AND item <> 'perfetto_packets:lost' ORDER BY 1")]
    return rows


def compare(database, path):
    with open(path, "rb") as f:
        want = expected(Trace(f.read()))
    have = actual(sqlite3.connect(database))
    want["view"] = [True] * len(want["slice"])
    for what, rows in want.items():
        cells.add([r[:11] if what == "event" else r for r in rows])
        if len(rows) != len(have[what]):
            return "%d rows of %s instead of %d: %r / %r" % (len(have[what]), what, len(rows), have[what][:20], rows[:20])
        for i, (a, b) in enumerate(zip(rows, have[what])):
            if a != b:
                return "%s %d is %r instead of %r" % (what, i, b, a)
    return None


def main():
    cells.end(compare(sys.argv[1], sys.argv[2]), sys.argv[2])


if __name__ == "__main__":
    main()
