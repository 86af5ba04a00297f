#!/usr/bin/env python3
"""What a perf.data of hiperf or of Linux holds, read by a reader of its own, against what a database has of it: every cell.

usage: perf_data.py DATABASE FILE

Undamaged files only: bare, gzip, or in sections of an .htrace. The rules are those of docs/formats.md and of docs/differences.md.
"""

import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
import native_shared as shared
from cells import cells
from native_shared import AnyOf, M64, s64

HIPERF = range(192, 256)
KERNEL, USER, UNKNOWN, NOWHERE = "kernel", "user", "unknown", "nowhere"
MARKS = {-128: KERNEL, -512: USER, -32: NOWHERE, -2048: NOWHERE, -2176: NOWHERE, -2560: NOWHERE}
MODES = {1: KERNEL, 2: USER, 3: NOWHERE, 4: NOWHERE, 5: NOWHERE}
CLOCKS = {0: "real", 1: "mono", 4: "mono_raw", 7: "boot"}
FOLLOWED = ("[kernel.kallsyms]",)
ANONYMOUS = ("//anon", "/dev/zero", "/anon_hugepage", "/SYSV", "[heap]", "[stack")


# --- bytes ---------------------------------------------------------------------------------------

class Bytes:
    def __init__(self, data, at=0):
        self.d, self.at = data, at

    def raw(self, n):
        if n < 0 or self.at + n > len(self.d):
            raise ValueError("ends early")
        self.at += n
        return self.d[self.at - n:self.at]

    def u(self, size):
        return int.from_bytes(self.raw(size), "little")

    def text(self):
        return shared.text_at(self.raw(self.u(4)), 0)

    def left(self):
        return len(self.d) - self.at


class Attribute:
    def __init__(self, data):
        data = data.ljust(136, b"\0")
        self.type, self.size, self.config, self.period, self.sample_type, self.read_format, self.flags = struct.unpack_from("<IIQQQQQ", data)
        self.branch, self.regs, self.clockid = *struct.unpack_from("<QQ", data, 72), struct.unpack_from("<i", data, 92)[0]
        self.ids = []

    def has(self, bit):
        return self.sample_type & bit != 0


def map_kind(path):
    if path == "[kernel.kallsyms]" or path.startswith("[kernel.kallsyms]"):
        return "kernel"
    if path == "sysmgr.elf" or path.startswith(("/lib/libdh-linux.so", "/liblinux/")):
        return "service"
    if path.endswith(".ko"):
        return "module"
    if path.endswith((".hap", ".hsp", ".abc", ".hqf")) or path.startswith("[anon:ArkTS Code"):
        return "ark"
    if path.startswith(("[anon:JSVM_JIT", "[anon:ARKWEB_JIT", "[anon:v8")):
        return "v8"
    return "elf"


def kept(path):
    if map_kind(path) in ("ark", "v8") or path.endswith(("[vdso]", "[shmm]")):
        return True
    return path != "" and ":" not in path and not path.startswith("[") and not path.endswith(("]", ".ttf", ".ai"))


class File:
    """A file of feature 192, or one in which a frame was found."""

    def __init__(self, number, path, kind=None, vaddr=0, offset=0, symbols=()):
        self.number, self.path, self.type, self.vaddr, self.offset = number, path, kind, vaddr, offset
        self.recorded = kind is not None
        self.symbols, seen = [], set()
        for v, length, name in sorted(symbols, key=lambda s: s[0]):
            if v not in seen:
                seen.add(v)
                self.symbols.append((v, length, name or "%s+0x%x" % (path, v)))

    def rows(self):
        if not self.symbols:
            return [(self.number, -1, None, self.path)]
        return [(self.number, i, s[2], self.path) for i, s in enumerate(self.symbols)]

    def address(self, ip, m):
        kind = map_kind(self.path)
        if kind in ("kernel", "service") or (not self.recorded and self.path.startswith(ANONYMOUS)):
            return ip
        if kind == "module":
            return (ip - m[0]) & M64
        return (ip - m[0] + m[2] - self.offset + self.vaddr) & M64

    def frame(self, ip, m):
        """(vaddr, offset, file, symbol, name)."""
        v = self.address(ip, m)
        kind = map_kind(self.path)
        by_ip = not isinstance(self, SimpleFile) and (kind == "v8" or (kind == "ark" and self.type in (6, 8)))
        for i, (vaddr, length, name) in enumerate(self.symbols):
            last = i + 1 == len(self.symbols) or self.symbols[i + 1][0] > v
            if by_ip and vaddr == ip:
                return (vaddr, 0, self.path, i, name)
            if not by_ip and vaddr <= v and last and (length == 0 or v < vaddr + length):
                return (vaddr, v - vaddr, self.path, i, name)
        return (0, 0, self.path, -1, ("%s+0x%x" % (self.path, v)).rpartition("/")[2])


class SimpleFile(File):
    """A file of simpleperf, whose kind says how addresses are counted."""

    def __init__(self, number, path, kind, vaddr, offset, symbols):
        super().__init__(number, path, kind, vaddr, offset, symbols)

    def address(self, ip, m):
        if self.type == 1:
            return (ip - m[0] - (self.offset or 0) + self.vaddr) & M64
        if self.type == 2:
            return (ip - m[0] + self.vaddr + (0 if self.offset is None else m[2] - self.offset)) & M64
        return (ip - m[0] + m[2]) & M64 if self.type == 3 else ip


def fields(data):
    """Of a message: {number: [values]}."""
    out, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if data[at - 1] < 0x80:
                return value

    while at < len(data):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        out.setdefault(tag >> 3, []).append(value)
    return out


class Process:
    def __init__(self, maps=()):
        self.maps = shared.Maps(maps)


# --- one file ------------------------------------------------------------------------------------

class PerfFile:
    """Attributes, features and records of the bytes of one perf.data."""

    def __init__(self, data):
        self.data = data
        b = Bytes(data)
        if b.raw(8) != b"PERFILE2":
            raise ValueError("no perf.data")
        self.attributes, self.features, self.bad, self.bad_samples = [], {}, set(), 0
        self.meta, self.simpleperf = {}, False
        size = b.u(8)
        self.read_pipe(data[16:]) if size == 16 else self.read_file(b)
        self.read_features()

    def read_pipe(self, data):
        self.records = list(self.read_records(data))
        for kind, _, body in self.records:
            if kind == 64:
                size = struct.unpack_from("<I", body, 4)[0]
                self.attributes.append(Attribute(body[:size]))
                self.attributes[-1].ids = list(struct.unpack("<%dQ" % ((len(body) - size) // 8), body[size:]))
            elif kind == 80:
                self.features[struct.unpack_from("<Q", body)[0]] = body[8:]

    def read_file(self, b):
        data = self.data
        attr_size, attrs, attrs_size, at, size = (b.u(8) for _ in range(5))
        bits = data[72:104]
        for i in range(attrs, attrs + attrs_size, attr_size):
            a = Attribute(data[i:i + attr_size - 16])
            ids, length = struct.unpack_from("<QQ", data, i + attr_size - 16)
            a.ids = list(struct.unpack_from("<%dQ" % (length // 8), data, ids))
            self.attributes.append(a)
        table = at + size
        for n in range(256):
            if bits[n // 8] >> n % 8 & 1:
                offset, length = struct.unpack_from("<QQ", data, table) if table + 16 <= len(data) else (len(data), 1)
                table += 16
                if offset + length <= len(data):
                    self.features[n] = data[offset:offset + length]
                else:
                    self.bad.add("cut" if at + size > len(data) else "perf_feature_bad")
        self.read_meta()
        self.records = list(self.read_records(data[at:at + size]))

    def read_meta(self):
        """Pairs of texts of simpleperf."""
        parts = self.features.get(129, b"").split(b"\0")
        self.meta = {k.decode("utf-8", "replace"): v.decode("utf-8", "replace") for k, v in zip(parts[:-1:2], parts[1::2])}
        self.simpleperf = "simpleperf_version" in self.meta

    def text(self, n):
        return Bytes(self.features[n]).text() if n in self.features else None

    def read_features(self):
        self.cmdline = self.text(11) if 11 in self.features else ""
        self.hiperf = any(n in HIPERF for n in self.features) or self.cmdline.startswith("hiperf")
        if 11 in self.features:
            if not self.hiperf:
                b = Bytes(self.features[11])
                self.cmdline = " ".join(b.text() for _ in range(b.u(4)))
        self.events, self.by_id = [], {}
        if 12 in self.features:
            b = Bytes(self.features[12])
            count, size = b.u(4), b.u(4)
            for i in range(count):
                b.raw(size)
                ids = b.u(4)
                self.events.append(b.text())
                for _ in range(ids):
                    self.by_id.setdefault(b.u(8), i)
        else:
            known = dict((tuple(line.rsplit(",", 2)[1:]), line.rsplit(",", 2)[0]) for line in self.meta.get("event_type_info", "").split("\n") if line.count(",") > 1)
            known = known if self.simpleperf else {}
            self.events = [known.get((str(a.type), str(a.config)), "event-%d" % i) for i, a in enumerate(self.attributes)]
        self.attribute_of = {}
        for i, a in enumerate(self.attributes):
            for n in a.ids:
                self.attribute_of.setdefault(n, i)
                self.by_id.setdefault(n, i)
        self.stacks = self.read_stacks()

    def simple_files(self, first):
        """Files of simpleperf: of structures, then of messages."""
        out, b = [], Bytes(self.features.get(128, b""))
        while b.left():
            one = Bytes(b.raw(b.u(4)))
            path = shared.text_at(one.d, 0)
            one.raw(len(path.encode()) + 1)
            kind, vaddr, symbols = one.u(4), one.u(8), []
            for _ in range(one.u(4)):
                v, length = one.u(8), one.u(4)
                symbols.append((v, length, shared.text_at(one.d, one.at)))
                one.raw(len(symbols[-1][2].encode()) + 1)
            out.append((path, kind, vaddr, one.u(8) if kind in (1, 2) and one.left() else None, symbols))
        b = Bytes(self.features.get(132, b""))
        while b.left():
            m, symbols = fields(b.raw(b.u(4))), []
            for s in m.get(4, ()):
                s = fields(s)
                symbols.append((s.get(1, [0])[-1], s.get(2, [0])[-1], s.get(3, [b""])[-1].decode()))
            more = fields((m.get(6) or m.get(7) or [b""])[-1])
            out.append((m[1][-1].decode(), m.get(2, [0])[-1], m.get(3, [0])[-1], more.get(1, [0])[-1] if 6 in m or 7 in m else None, symbols))
        return [SimpleFile(first + i, *file) for i, file in enumerate(out)]

    def files(self, first):
        if self.simpleperf:
            return self.simple_files(first)
        if 192 not in self.features:
            return []
        b, out, symbols = Bytes(self.features[192]), [], []
        try:
            for i in range(b.u(4)):
                symbols, path, kind, vaddr, offset = [], b.text(), b.u(4), b.u(8), b.u(8)
                b.text()
                for _ in range(b.u(4)):
                    symbols.append((b.u(8), b.u(4), b.text()))
                out.append(File(first + i, path, kind, vaddr, offset, symbols))
        except ValueError:  # what is before the cut
            self.bad.add("perf_feature_bad")
            if symbols:
                out.append(File(first + i, path, kind, vaddr, offset, symbols))
        return out

    def read_stacks(self):
        """None, or (width, {pid: {index: value}}): of feature 197, of older files 196."""
        for n in (197, 196):
            if n not in self.features:
                continue
            try:
                b = Bytes(self.features[n])
                tables = {}
                for _ in range(b.u(4)):
                    pid, _, nodes = b.u(4), b.u(4), b.u(4)
                    tables[pid] = {b.u(4): b.u(8) for _ in range(nodes)}
                if b.left():
                    continue
            except ValueError:
                continue
            for w in (23, 20, 21, 22):
                if all((v >> 40) & (1 << w) - 1 in (0, *t) if (v >> 40) & (1 << w) - 1 == 0 else (v >> 40) & (1 << w) - 1 in t for t in tables.values() for v in t.values()):
                    return w, tables
            return 23, tables
        return None

    def stack(self, pid, number):
        """Its addresses from the leaf, or None."""
        w, tables = self.stacks
        index, left = number & (1 << w) - 1, number >> w
        out, table = [], tables.get(pid, {})
        while left and index:
            if index not in table:
                return out or None
            value = table[index]
            ip = value & (1 << 40) - 1
            out.append(ip | 0xFFFFFF << 40 if value >> (40 + w) & 1 else ip)
            index = value >> 40 & (1 << w) - 1
            left -= 1
        return out or None

    def read_records(self, data):
        for kind, misc, body in self.whole_records(data):
            if kind not in (81, 83):
                yield kind, misc, body
        if self.packed:
            raise ValueError("records in zstd end early")

    def whole_records(self, data):
        """All records, those in zstd where they are unpacked: their streams go on from record to record."""
        self.packed, packed, done, at = b"", b"", 0, 0
        while at + 8 <= len(data):
            kind, misc, size = struct.unpack_from("<IHH", data, at)
            if self.simpleperf and kind >= 32768:
                size += misc << 16
            if size < 8 or at + size > len(data):
                break
            body = data[at + 8:at + size]
            at += size
            if kind == 71:
                at += struct.unpack_from("<Q", body)[0]
            yield kind, misc, body
            if kind in (81, 83):
                packed += body if kind == 81 else body[8:8 + struct.unpack_from("<Q", body)[0]]
                if at >= len(data) or struct.unpack_from("<I", data, at)[0] not in (81, 83):
                    out = subprocess.run(["zstd", "-dcq"], input=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
                    self.packed += out[done:]
                    done = len(out)
                    yield from self.unpacked()
        if at < len(data):
            self.bad.add("perf_record_bad")

    def unpacked(self):
        at = 0
        while at + 8 <= len(self.packed) and at + struct.unpack_from("<H", self.packed, at + 6)[0] <= len(self.packed):
            kind, misc, size = struct.unpack_from("<IHH", self.packed, at)
            yield kind, misc, self.packed[at + 8:at + size]
            at += size
        self.packed = self.packed[at:]

    # --- samples -----------------------------------------------------------------------------

    def attribute_for(self, body):
        """(attribute, id or None): attributes of one file differ only where IDENTIFIER is first."""
        a = self.attributes[0]
        if a.has(1 << 16):
            number = struct.unpack_from("<Q", body)[0]
        elif a.has(64):
            number = struct.unpack_from("<Q", body, 8 * sum(a.has(1 << i) for i in range(4)))[0]
        else:
            return a, None
        return self.attributes[self.attribute_of.get(number, 0)], number

    def sample(self, misc, body):
        a, number = self.attribute_for(body)
        b = Bytes(body)
        s = {"misc": misc, "event": self.by_id.get(number, 0), "more": []}
        if a.has(1 << 16):
            b.u(8)
        for bit, names in ((1, ("ip",)), (2, ("pid", "tid")), (4, ("time",)), (8, ("addr",)), (64, ("id",)), (512, ("stream",)), (128, ("cpu", "res")), (256, ("period",))):
            if a.has(bit):
                for name in names:
                    s[name] = b.u(8 // len(names))
        s.setdefault("period", a.period)  # every so many events: a period that is not recorded with each sample
        if a.has(64) and s["id"] in self.by_id:
            s["event"] = self.by_id[s["id"]]
        if a.has(16):
            self.read_values(a, b, s)
        s["ips"] = [b.u(8) for _ in range(b.u(8))] if a.has(32) else []
        if a.has(1024):
            b.raw(b.u(4))
        entries = []
        if a.has(2048):
            n = b.u(8)
            b.raw(8 if a.branch & 1 << 17 else 0)
            entries = [(b.u(8), b.u(8), b.u(8)) for _ in range(n)]
            s["branches"] = n
        if a.has(4096) and b.u(8) != 0:
            b.raw(8 * bin(a.regs).count("1"))
        s["servers"] = [b.u(8) for _ in range(b.u(8))] if a.has(1 << 31) else []
        if a.has(8192):
            n = b.u(8)
            if n:
                b.raw(n + 8)
        self.open_calls(a, s, entries)
        s["stack"] = b.u(8) if a.has(32) and not s["ips"] and self.stacks and b.left() == 8 else None
        return s

    @staticmethod
    def open_calls(a, s, entries):
        """Of LBR in the mode of call stacks: the part from the first mark of a process on is where it was, then its calls."""
        s["calls"], mark = 0, M64 - 511
        if a.branch & 1 << 11 and entries and mark in s["ips"]:
            at = s["ips"].index(mark)
            was = [ip for ip in s["ips"][at + 1:at + 2] if ip < M64 - 4094] or [entries[0][1]]
            s["ips"] = s["ips"][:at + 1] + was + [e[0] for e in entries if e[0] < M64 - 4094]
            s["calls"] = len(entries)

    @staticmethod
    def read_values(a, b, s):
        f = a.read_format
        if f & 8:
            n = b.u(8)
            b.raw(8 * bin(f & 3).count("1"))
            values = []
            for _ in range(n):
                values.append(b.u(8))
                b.raw(8 * bin(f & 20).count("1"))
            s["more"] = values
        else:
            b.raw(8 * (1 + bin(f & 23).count("1")))

    def time_of(self, kind, body):
        """When a record is taken in files with rounds."""
        a = self.attributes[0]
        if kind == 9:
            a, _ = self.attribute_for(body)
            return struct.unpack_from("<Q", body, 8 * (a.has(1 << 16) + a.has(1) + a.has(2)))[0]
        if kind >= 64:
            return None
        after = 8 * sum(a.has(bit) for bit in (64, 512, 128, 1 << 16))
        return struct.unpack_from("<Q", body, len(body) - after - 8)[0]

    def ordered(self):
        if not any(kind == 68 for kind, _, _ in self.records):
            return self.records
        timed, now = [], 0
        for record in self.records:
            time = self.time_of(record[0], record[2])
            now = now if time is None else time
            timed.append((now, record))
        return [r for _, r in sorted(timed, key=lambda t: t[0])]


# --- rows ----------------------------------------------------------------------------------------

class Model:
    """Rows of all perf.data of a recording."""

    def __init__(self):
        self.report, self.files_rows, self.thread_rows, self.chains, self.chain_rows = [], [], [], {}, []
        self.samples, self.common, self.names, self.symbols, self.records = [], [], {}, 0, 0
        self.group, self.lost, self.stack_unknown, self.properties, self.host = set(), {}, 0, [], None
        self.order, self.forked, self.own, self.unordered = [], {}, set(), []
        self.processes, self.bad, self.bad_samples = shared.Processes(), set(), 0
        self.branches, self.calls = 0, 0

    def add(self, data, clocks=None):
        f = PerfFile(data)
        self.f, self.clocks = f, clocks
        self.base = len(self.report)
        self.report += [("config_name", e) for e in f.events]
        if f.text(193):
            self.report.append(("workload_cmd", f.text(193)))
        self.report.append(("cmdline", f.cmdline))
        self.by_path, first = {}, 1 + max((r[0] for r in self.files_rows), default=-1)
        for file in f.files(first):
            self.by_path.setdefault(file.path, file)
            self.files_rows += file.rows()
            self.symbols += len(file.symbols)
        for n in (3, 4, 5, 6, 8, 9, 194):
            if n in f.features:
                self.properties.append(f.text(n))
        self.properties += [v for k, v in f.meta.items() if f.simpleperf and k]
        self.host = self.host or f.text(3)
        hongmeng = f.hiperf and any(w in (f.text(4) or "") for w in ("HongMeng", "hmkernel"))
        self.services = {2, int(f.text(196))} if hongmeng and 196 in f.features else {2} if hongmeng else set()
        self.kernel, self.of, self.named, self.sampled = [], {}, {}, []
        self.rows, self.new = [], {}
        for kind, misc, body in f.ordered():
            self.records += 1
            self.record(kind, misc, body)
        self.bad |= f.bad
        for pid, tid in self.rows + [key for key in self.sampled if key not in self.rows]:
            self.unordered += [len(self.thread_rows)] * ((pid, tid) not in self.rows)
            self.thread_rows.append((tid, pid, self.name_of(pid, tid)))
            if (pid, tid) not in self.order:
                self.order.append((pid, tid))
            self.names[pid, tid] = self.name_of(pid, tid)

    def name_of(self, pid, tid):
        if tid == 0:
            return "swapper"
        return self.named.get((pid, tid)) or AnyOf(None, "", *self.forked.get((pid, tid), ()))

    def process(self, pid):
        return self.of.setdefault(pid, Process())

    def record(self, kind, misc, body):
        if kind in (1, 10):
            pid, _, start, length, offset = struct.unpack_from("<IIQQQ", body)
            path = shared.text_at(body, 32 if kind == 1 else 64)
            if kind == 1 and misc & 1 and pid not in self.services:
                at = next((i for i, m in enumerate(self.kernel) if m[3] == path), len(self.kernel))
                self.kernel[at:at + 1] = [(start, min(start + length, M64), offset, path)]
            elif pid in self.services or (kept(path) if self.f.hiperf else path):
                self.process(pid).maps.add(start, start + length, offset, path)
        elif kind == 3:
            pid, tid = struct.unpack_from("<II", body)
            name, old = shared.text_at(body, 8), self.named.get((pid, tid), "")
            if (pid, tid) not in self.rows:
                self.rows.append((pid, tid))
            if name and not old.endswith(name):
                self.named[pid, tid] = name
        elif kind == 7:
            pid, parent, tid, parent_tid = struct.unpack_from("<IIII", body)
            if pid != parent:
                self.of[pid] = Process(self.process(parent).maps.maps)
                if (parent, parent_tid) in self.named:
                    self.named[pid, tid] = self.named[parent, parent_tid]
            else:
                self.forked[pid, tid] = [n for n in (self.named.get((pid, parent_tid)), self.named.get((pid, pid))) if n]
        elif kind == 2:
            number, lost = struct.unpack_from("<QQ", body)
            self.lost[number] = self.lost.get(number, 0) + lost
        elif kind == 13:
            self.lost[None] = self.lost.get(None, 0) + struct.unpack_from("<Q", body)[0]
        elif kind == 9:
            try:
                s = self.f.sample(misc, body)
            except ValueError:
                self.bad_samples += 1
                return
            self.sample(s)

    # --- frames --------------------------------------------------------------------------------

    def frames(self, s):
        """[(ip, vaddr, offset, path, symbol, name)] from the leaf."""
        pid, ips, mode = s["pid"], s["ips"], MODES.get(s["misc"] & 7, UNKNOWN)
        if not ips and s["stack"] is not None:
            ips = self.f.stack(pid, s["stack"])
            self.stack_unknown += ips is None
        out, part, first = [], 0, True
        for ip in ips or [s["ip"]]:
            if ip >= M64 - 4094:
                mode = MARKS.get(s64(ip), UNKNOWN)
                part += not first
            elif ip > 1:
                owner = s["servers"][part] if part < len(s["servers"]) else pid
                out.append((ip, *self.frame(ip, owner, mode)))
            first = False
        return out

    def recorded(self, path):
        path = next((p for p in FOLLOWED if path.startswith(p)), path)
        return self.by_path.get(path)

    def in_map(self, ip, m):
        path = next((p for p in FOLLOWED if m[3].startswith(p)), m[3])
        file = self.by_path.get(path) or self.new.get(path)
        if file is None:
            number = 1 + max((r[0] for r in self.files_rows), default=-1)
            file = self.new[path] = File(number, path)
            self.own.add(len(self.files_rows))
            self.files_rows += file.rows()
        return file.frame(ip, m)

    def frame(self, ip, pid, mode):
        own = self.process(pid).maps.find(ip)
        if pid in self.services and own and self.recorded(own[3]):
            return self.in_map(ip, own)
        if mode in (USER, UNKNOWN) and own:
            return self.in_map(ip, own)
        if mode in (KERNEL, UNKNOWN):
            usual = not self.f.hiperf and not self.f.simpleperf
            within = [m for m in self.kernel if m[0] < ip + usual and ip < m[1]]
            within = sorted(within, key=lambda m: -m[0]) if usual else within
            for m in within[::-1] if self.f.simpleperf else [m for m in within if self.recorded(m[3])] + within:
                return self.in_map(ip, m)
        return (0, 0, None, -1, "@0x%x" % ip)

    def sample(self, s):
        frames = self.frames(s)[::-1]
        self.branches += s.get("branches", 0)
        self.calls += s["calls"]
        key = (s["pid"], tuple(frames))
        pid, tid = s["pid"], s["tid"]
        if (pid, tid) not in self.sampled:
            self.sampled.append((pid, tid))
        if key not in self.chains:
            self.chains[key] = len(self.chains) + 1
            self.chain_rows += [(self.chains[key], depth, s64(ip), s64(vaddr), s64(offset), path, symbol, name, None, None)
                                for depth, (ip, vaddr, offset, path, symbol, name) in enumerate(frames)]
        a = self.f.attributes[0]
        ts = s["time"]
        if a.flags >> 25 & 1 and a.clockid in CLOCKS:
            ts = shared.to_boot(self.clocks, CLOCKS[a.clockid], ts)
        event = self.f.events[s["event"]]
        state = {"sched:sched_waking": "Running", "sched:sched_switch": "Suspend"}.get(event, "-")
        self.samples.append((self.chains[key], s["time"], tid, s["period"], self.base + s["event"], ts, s.get("cpu"), state))
        labels = {"cpu": str(s["cpu"])} if "cpu" in s else {}
        if state != "-":
            labels["thread_state"] = state
        if len(s["more"]) > 1:
            self.group.add(len(self.common))
        unit = "cycles" if "cycles" in event else "ns" if event in ("cpu-clock", "task-clock") or event.startswith(("cpu-clock:", "task-clock:")) else "count"
        self.common.append((event, (tid, pid), ts, None, tuple(self.method(f) for f in frames), {event: (unit, s["period"])}, labels))

    @staticmethod
    def method(frame):
        _, _, _, path, symbol, name = frame
        found = re.fullmatch(r"(.*):\[url:(.*):(\d+):(\d+)\]", name) if path and symbol >= 0 and map_kind(path) == "ark" else None
        return (found.group(1), path, found.group(2), int(found.group(3))) if found else (name, path, None, None)


def load(path):
    model = Model()
    for kind, clocks, _, data in shared.sections(path):
        if kind == "perf":
            model.add(data, clocks)
    return model


# --- against a database --------------------------------------------------------------------------

def compare(database, path, alone=True):
    """What differs, as texts; alone: nothing else in the recording has processes or times."""
    want, db, c = load(path), shared.Database(database), shared.Comparison()
    c.rows("perf_report", want.report, db.table("report_type, report_value", "perf_report"))
    files = db.table("file_id, serial_id, symbol, path", "perf_files")
    numbers = {number: path for number, _, _, path in files}
    rows = lambda all, own: [r for i, r in enumerate(all) if (i in want.own) == own]
    c.rows("perf_files", rows(want.files_rows, False), rows(files, False), "file_id, serial_id, symbol, path")
    c.sets("perf_files that feature 192 lacks", [r[1:] for r in rows(want.files_rows, True)], [r[1:] for r in rows(files, True)])
    c.same("perf_files: file_id", sorted({r[0] for r in want.files_rows}), sorted(numbers))
    threads = db.table("thread_id, process_id, thread_name", "perf_thread")
    known = sorted((r for i, r in enumerate(threads) if i in want.unordered), key=lambda r: r[:2])  # those without a COMM have no order
    threads = [known[want.unordered.index(i)] if i in want.unordered and len(known) == len(want.unordered) else r for i, r in enumerate(threads)]
    wanted = iter(sorted((want.thread_rows[i] for i in want.unordered), key=lambda r: r[:2]))
    want.thread_rows = [next(wanted) if i in want.unordered else r for i, r in enumerate(want.thread_rows)]
    c.rows("perf_thread", want.thread_rows, threads, "thread_id, process_id, thread_name")
    chains = [(*row[:5], None if row[5] == -1 else numbers.get(row[5], "no such file"), *row[6:]) for row in db.table(
        "callchain_id, depth, ip, vaddr_in_file, offset_to_vaddr, file_id, symbol_id, name$, source_file_id, line_number", "perf_callchain")]
    c.rows("perf_callchain", want.chain_rows, chains, "callchain_id, depth, ip, vaddr, offset, path, symbol, name, source file, line")
    c.rows("perf_sample", want.samples, db.table("callchain_id, timeStamp, thread_id, event_count, event_type_id, timestamp_trace, cpu_id, thread_state", "perf_sample"),
           "callchain_id, timeStamp, thread_id, event_count, event_type_id, timestamp_trace, cpu_id, thread_state")
    for table in ("perf_report", "perf_files", "perf_thread", "perf_callchain", "perf_sample"):
        c.same("%s.id" % table, list(range(db.rows("SELECT count(*) FROM %s" % table).fetchone()[0])), [r[0] for r in db.rows("SELECT id FROM %s ORDER BY rowid" % table)])
    c.same("stat trace_perf", want.symbols, db.stat("trace_perf"))
    times = [s[5] for s in want.samples]
    if times and alone:
        c.same("trace_range", (min(times) - (len(set(times)) == 1), max(times) + (len(set(times)) == 1)), db.range())
    c.samples(db, "perf", want.common, more_labels=lambda i, k, v: i in want.group and k not in ("cpu", "thread_state"))
    for pid, tid in want.order:
        t = want.processes.thread(tid, pid)
        t[2] = t[2] or want.names[pid, tid]
    if alone:
        c.sets("thread (tid, pid)", [t[:2] for t in want.processes.rows_of_threads()], [db.tids[i] for i in sorted(db.tids)])
    names = dict(((tid, pid), name) for tid, pid, name in db.table("tid, ipid%, name", "thread"))
    for (pid, tid), name in want.names.items() if alone else ():
        c.same("name of thread %d of %d" % (tid, pid), name, names.get((tid, pid)))
    known = [v for (v,) in db.rows("SELECT value FROM source_property p JOIN source s ON s.id = p.source_id WHERE s.kind = 'perf'")]
    c.same("source_property", [], [p for p in want.properties if p not in known])
    c.same("source.host", want.host, db.rows("SELECT max(host) FROM source WHERE kind = 'perf'").fetchone()[0])
    c.counts(db, {"perf_samples": (len(want.samples) + want.bad_samples, len(want.samples), want.bad_samples, 0)} if want.report else {})
    c.counts(db, {"perf_branches": (want.branches, want.calls, 0, want.branches - want.calls)} if want.branches else {})
    cut = AnyOf(True, False) if "cut" in want.bad else None  # which of the two says it
    c.issues(db, alone, {"perf_lost": bool(want.lost), "perf_stack_unknown": want.stack_unknown > 0, "perf_record_bad": cut or "perf_record_bad" in want.bad,
                         "perf_sample_bad": want.bad_samples > 0, "perf_feature_bad": cut or "perf_feature_bad" in want.bad, "perf_compressed": False})
    c.same("data_loss of a cut file", True, cut is None or bool({"perf_record_bad", "perf_feature_bad"} & set(db.codes())))
    return c.wrong


def main():
    cells.end("\n".join(compare(sys.argv[1], sys.argv[2])), sys.argv[2])


if __name__ == "__main__":
    main()
