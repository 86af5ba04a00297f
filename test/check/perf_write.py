"""Writes perf.data as hiperf and Linux do, and the sections of an .htrace around it."""

import struct
import subprocess

from ftrace_write import number as proto_number
from ftrace_write import text as proto_text

M64 = (1 << 64) - 1
MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, LOST_SAMPLES, FINISHED_ROUND, AUXTRACE, COMPRESSED, COMPRESSED2 = 1, 2, 3, 4, 7, 9, 10, 13, 68, 71, 81, 83
IDENTIFIER, IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH, REGS, STACK, WEIGHT, DATA_SRC, SERVER_PID = (
    1 << n for n in (16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 31))


def u64(*values):
    return struct.pack("<%dQ" % len(values), *(v & M64 for v in values))


def u32(*values):
    return struct.pack("<%dI" % len(values), *(v & 0xFFFFFFFF for v in values))


def padded(name, to=8):
    data = name.encode() + b"\0"
    return data.ljust(-(-len(data) // to) * to, b"\0")


def text(value, linux=False):
    data = padded(value, 64) if linux else value.encode() + b"\0"
    return u32(len(data)) + data


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def mmap(misc, pid, start, length, offset, path, trailer=b""):
    return record(MMAP, misc, u32(pid, pid) + u64(start, length, offset) + padded(path) + trailer)


def mmap2(misc, pid, start, length, offset, path, trailer=b"", build_id=None):
    if build_id is None:
        middle = u32(0, 0) + u64(77, 0) if not trailer else u32(8, 1) + u64(77, 5)
    else:
        middle, misc = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0"), misc | 1 << 14
    return record(MMAP2, misc, u32(pid, pid) + u64(start, length, offset) + middle + u32(5, 2) + padded(path) + trailer)


def comm(pid, tid, name, trailer=b"", misc=0):
    return record(COMM, misc, u32(pid, tid) + padded(name) + trailer)


def fork(pid, parent, tid, parent_tid, time, trailer=b""):
    return record(FORK, 0, u32(pid, parent, tid, parent_tid) + u64(time) + trailer)


def attribute(config, sample_type, *, kind=0, size=136, flags=1 << 18, clockid=0, period=4000, read_format=0, branch=0, regs=0):
    out = struct.pack("<IIQQQQQIIQQQQIi", kind, size, config, period, sample_type, read_format, flags, 0, 0, 0, 0, branch, regs, 0, clockid)
    return out.ljust(136, b"\0")[:size]


class Event:
    """An event: its attribute and ids."""

    def __init__(self, name, ids, sample_type, **how):
        self.name, self.ids, self.sample_type, self.how = name, ids, sample_type, how

    def attribute(self):
        return attribute(self.how.get("config", 0), self.sample_type, **{k: v for k, v in self.how.items() if k != "config"})


def sample(event, misc, s):
    """s: ip, pid, tid, time, id, cpu, period and, when there is a place for it, ips, servers, stack_id, stack ..."""
    kind, out = event.sample_type, b""
    number = s.get("id", event.ids[0] if event.ids else 0)
    for bit, data in ((IDENTIFIER, u64(number)), (IP, u64(s["ip"])), (TID, u32(s["pid"], s["tid"])), (TIME, u64(s["time"])), (ADDR, u64(s.get("addr", 0))),
                      (ID, u64(number)), (STREAM_ID, u64(number + 100)), (CPU, u32(s["cpu"], 0)), (PERIOD, u64(s["period"])), (READ, s.get("read", b""))):
        out += data if kind & bit else b""
    if kind & CALLCHAIN:
        out += u64(s.get("count", len(s["ips"])), *s["ips"])  # count: of a sample that is damaged
    out += u32(len(s["raw"])) + s["raw"] if kind & RAW else b""
    out += s["branch"] if kind & BRANCH else b""
    out += s["regs"] if kind & REGS else b""
    if kind & SERVER_PID:
        out += u64(len(s["servers"]), *s["servers"])
    if kind & STACK:
        out += u64(len(s["stack"])) + (s["stack"] + u64(len(s["stack"])) if s["stack"] else b"")
    out += u64(7) if kind & WEIGHT else b""
    out += u64(9) if kind & DATA_SRC else b""
    if s.get("stack_id") is not None:
        out += u64(s["stack_id"])
    return record(SAMPLE, misc, out)


def event_desc(events, linux=False):
    size = events[0].how.get("size", 136)
    return u32(len(events), size) + b"".join(e.attribute() + u32(len(e.ids)) + text(e.name, linux) + u64(*e.ids) for e in events)


def symbols(files):
    """Feature 192 of (path, type, text vaddr, text offset, [(vaddr, length, name)])."""
    out = u32(len(files))
    for path, kind, vaddr, offset, of in files:
        out += text(path) + u32(kind) + u64(vaddr, offset) + text("b1d") + u32(len(of))
        out += b"".join(u64(v) + u32(length) + text(name) for v, length, name in of)
    return out


FILE, META_INFO, FILE2 = 128, 129, 132  # features of simpleperf


def simple_files(files):
    """FILE of (path, type, least address, [(address, length, name)], where that is in the file or None)."""
    out = b""
    for path, kind, vaddr, of, offset in files:
        body = path.encode() + b"\0" + u32(kind) + u64(vaddr) + u32(len(of))
        body += b"".join(u64(v) + u32(length) + name.encode() + b"\0" for v, length, name in of)
        body += u32(2) + u64(0x28, 0x100) if kind == 3 else b""
        body += u64(offset) if offset is not None and kind in (1, 2) else b""
        out += u32(len(body)) + body
    return out


def simple_files2(files):
    """The same as messages (FILE2)."""
    out = b""
    for path, kind, vaddr, of, offset in files:
        body = proto_text(1, path.encode()) + proto_number(2, kind) + proto_number(3, vaddr)
        body += b"".join(proto_text(4, proto_number(1, v) + proto_number(2, length) + proto_text(3, name.encode())) for v, length, name in of)
        body += proto_text(5, proto_text(1, b"\x28\x80\x02")) if kind == 3 else b""
        body += proto_text({1: 7, 2: 6}[kind], proto_number(1, offset)) if offset is not None and kind in (1, 2) else b""
        out += u32(len(body)) + body
    return out


def meta_info(pairs):
    return b"".join(k.encode() + b"\0" + v.encode() + b"\0" for k, v in pairs)


def stack_table(tables):
    """Feature 197 of {pid: {index: value}}."""
    out = u32(len(tables))
    for pid, nodes in tables.items():
        out += u32(pid, 0x1000, len(nodes)) + b"".join(u32(i) + u64(v) for i, v in nodes.items())
    return out


def node(ip, caller, width=23):
    """A node of a stack table."""
    kernel = ip >> 40 == 0xFFFFFF
    return (ip & (1 << 40) - 1) | caller << 40 | kernel << 40 + width


def compressed(records, step=60000):
    """Records in zstd, in as many records as needed."""
    data = subprocess.run(["zstd", "-cq"], input=records, stdout=subprocess.PIPE, check=True).stdout
    return b"".join(record(COMPRESSED, 0, data[i:i + step]) for i in range(0, len(data), step))


def perf_data(events, records, features, description=True):
    """The whole file. features: {number: bytes}; EVENT_DESC is added."""
    features = dict(features)
    if description:
        features[12] = event_desc(events, 192 not in features and 193 not in features)
    size = events[0].how.get("size", 136)
    ids = b"".join(u64(*e.ids) for e in events)
    attrs_at = 104 + len(ids)
    attrs, at = b"", 104
    for e in events:
        attrs += e.attribute() + u64(at, 8 * len(e.ids))
        at += 8 * len(e.ids)
    data_at = attrs_at + len(attrs)
    bits = bytearray(32)
    for n in features:
        bits[n // 8] |= 1 << n % 8
    head = b"PERFILE2" + u64(104, size + 16, attrs_at, len(attrs), data_at, len(records), 0, 0) + bytes(bits)
    table, bodies, at = b"", b"", data_at + len(records) + 16 * len(features)
    for n in sorted(features):
        table += u64(at + len(bodies), len(features[n]))
        bodies += features[n]
    return head + ids + attrs + records + table + bodies


def pipe(events, records, features, description=True):
    """The form that is written to a pipe: attributes and features are records."""
    features = dict(features)
    if description:
        features[12] = event_desc(events, True)
    head = b"PERFILE2" + u64(16)
    head += b"".join(record(64, 0, e.attribute() + u64(*e.ids)) for e in events)
    return head + b"".join(record(80, 0, u64(n) + features[n]) for n in sorted(features)) + records


def section(kind, payload, plugin="", clocks=(0,) * 6):
    """A section of an .htrace. clocks: boot, real, real coarse, mono, mono coarse, raw."""
    head = struct.pack("<8sQII32sI6Q128s", b"OHOSPROF", 1024 + len(payload), 0x10000, 0, bytes(32), kind, *clocks, plugin.encode())
    return head.ljust(1024, b"\0") + payload
