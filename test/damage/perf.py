"""perf.data of hiperf and Linux whose cost should grow with their size and no faster, in time and in memory; see measure.py."""

import os
import struct
import sys

import measure

MB = 1 << 20
M64 = (1 << 64) - 1
KERNEL, USER = M64 - 127, M64 - 511


class Out:
    def __init__(self, path):
        self.file = open(path, "wb")
        self.bytes = 0

    def put(self, data):
        self.file.write(data)
        self.file.flush()
        self.bytes += len(data)


def u64(*values):
    return struct.pack("<%dQ" % len(values), *values)


def u32(*values):
    return struct.pack("<%dI" % len(values), *values)


def text(value):
    value = value.encode() + b"\0"
    return u32(len(value)) + value


def padded(name):
    data = name.encode() + b"\0"
    return data + bytes(-len(data) % 8)


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def mmap(pid, start, length, path, misc=2):
    return record(1, misc, u32(pid, pid) + u64(start, length, 0) + padded(path))


def comm(pid, tid, name):
    return record(3, 0, u32(pid, tid) + padded(name))


def fork(pid, parent):
    return record(7, 0, u32(pid, parent, pid, parent) + u64(0))


# IP, TID, TIME, CALLCHAIN
def sample(pid, tid, time, ips, stack_id=None):
    return record(9, 2, u64(ips[0] if ips else 1) + u32(pid, tid) + u64(time, len(ips), *ips) + (u64(stack_id) if stack_id is not None else b""))


ROUND = record(68, 0, b"")


def perf(o, records, features=None, ids=1, attrs=1):
    """features: {number: bytes}."""
    features = features or {}
    attr = struct.pack("<IIQQQQQ", 1, 136, 0, 4000, 0x27, 0, 0).ljust(136, b"\0")
    head = 104 + 152 * attrs
    data_at = head + 8 * ids
    bits = bytearray(32)
    for n in features:
        bits[n // 8] |= 1 << n % 8
    table, at = b"", data_at + len(records) + 16 * len(features)
    for n in sorted(features):
        table += u64(at, len(features[n]))
        at += len(features[n])
    o.put(b"PERFILE2" + u64(104, 152, 104, 152 * attrs, data_at, len(records), 0, 0) + bytes(bits))
    o.put((attr + u64(head, 8 * ids)) * attrs + u64(*range(1, ids + 1)))
    o.put(records + table)
    for n in sorted(features):
        o.put(features[n])


def files(all_files):
    """Feature 192 of (path, [(vaddr, length, name)])."""
    out = [u32(len(all_files))]
    for path, symbols in all_files:
        out.append(text(path) + u32(3) + u64(0, 0) + text("") + u32(len(symbols)))
        out.extend(u64(v) + u32(n) + text(name) for v, n, name in symbols)
    return b"".join(out)


def s_empty(o, _):
    perf(o, b"")


def s_same(o, n):
    perf(o, mmap(1, 0, 1 << 40, "/lib/a") + b"".join(sample(1, 1, i, [USER, 1000, 2000, 3000]) for i in range(n)))


def s_stacks(o, n):
    """Each another one, of addresses that come again."""
    perf(o, mmap(1, 0, 1 << 40, "/lib/a") + b"".join(sample(1, 1, i, [USER] + [100 + (i >> k) % 512 for k in range(18)]) for i in range(n)))


def s_addresses(o, n):
    """None of which comes again."""
    perf(o, mmap(1, 0, 1 << 40, "/lib/a") + b"".join(sample(1, 1, i, [USER, *range(100 + i * 20, 110 + i * 20)]) for i in range(n)))


def s_threads(o, n):
    perf(o, b"".join(comm(i % 7 + 1, i + 1, "t%d" % i) + sample(i % 7 + 1, i + 1, i, [USER, 1000]) for i in range(n)))


def s_maps_falling(o, n):
    perf(o, b"".join(mmap(1, (n - i) << 12, 4096, "/lib/%d" % (i % 100)) for i in range(n)) + sample(1, 1, 1, [USER, 5000]))


def s_maps_halves(o, n):
    """Each in the middle of the one before."""
    perf(o, b"".join(mmap(1, i << 4, (2 * n - 2 * i) << 4, "/lib/%d" % (i % 100)) for i in range(n)) + sample(1, 1, 1, [USER, 5000]))


def s_forks(o, n):
    """Of a process with many maps, each of which changes its own."""
    maps = b"".join(mmap(1, i << 12, 4096, "/lib/%d" % (i % 100)) for i in range(n))
    perf(o, maps + b"".join(fork(i + 2, 1) + mmap(i + 2, 8192, 4096, "/lib/own") for i in range(n // 4)))


def s_forks_chain(o, n):
    """Each of the one before, with a few hundred maps."""
    perf(o, b"".join(fork(i + 2, i + 1) + mmap(i + 2, i % 300 << 12, 4096, "/lib/own") for i in range(n)))


def s_kernel(o, n):
    perf(o, b"".join(mmap(M64 >> 32, (M64 >> 1) + (i << 12), 1 << 20, "[m%d]" % i, misc=1) for i in range(n)) +
         b"".join(sample(1, 1, i, [KERNEL, (M64 >> 1) + (i << 8)]) for i in range(n)))


def s_files(o, n):
    perf(o, b"".join(mmap(1, i << 12, 4096, "/lib/%d" % i) + sample(1, 1, i, [USER, (i << 12) + 8]) for i in range(n)))


def s_rounds(o, n):
    """In which times fall."""
    perf(o, b"".join(sample(1, 1, n - i, [USER, 1000]) + (ROUND if i % 10 == 9 else b"") for i in range(n)))


def s_symbols(o, n):
    """That begin after each other and all go on to the end; and addresses after most of them."""
    symbols = [(i * 16, (n - i) * 16 if i % 2 else 8, "f%d" % i) for i in range(n)]
    perf(o, mmap(1, 0, 1 << 40, "/lib/a") + b"".join(sample(1, 1, i, [USER, i * 16 + 12]) for i in range(n)), {192: files([("/lib/a", symbols)])})


def s_symbols_short(o, n):
    """None around the address, which is after all of them."""
    symbols = [(i, 1, "f") for i in range(n)]
    perf(o, mmap(1, 0, 1 << 40, "/lib/a") + b"".join(sample(1, 1, i, [USER, (1 << 30) + i]) for i in range(n)), {192: files([("/lib/a", symbols)])})


def s_symbols_falling(o, n):
    perf(o, sample(1, 1, 1, [USER, 8]), {192: files([("/lib/%d" % k, [((n - i) % 997, 4, "g") for i in range(100)]) for k in range(n // 100 + 1)])})


def node(ip, caller):
    return ip | caller << 40


def s_stack_ids(o, n):
    """One long stack, and samples that have each another part of it."""
    nodes = b"".join(u32(i + 1) + u64(node(1000 + i, i)) for i in range(n))
    perf(o, mmap(1, 0, 1 << 40, "/lib/a") + b"".join(sample(1, 1, i, [], i + 1 | 20 << 23) for i in range(n)), {197: u32(1, 1, 0, n) + nodes})


def s_stack_tables(o, n):
    """Of as many processes."""
    tables = b"".join(u32(i + 1, 0, 1) + u32(1) + u64(node(1000, 0)) for i in range(n))
    perf(o, b"".join(sample(i + 1, i + 1, i, [], 1 | 1 << 23) for i in range(n)), {197: u32(n) + tables})


def s_nodes_back(o, n):
    nodes = b"".join(u32(n - i) + u64(node(1000 + i, 0)) for i in range(n))
    perf(o, sample(1, 1, 1, [], 1 | 1 << 23), {197: u32(1, 1, 0, n) + nodes})


def s_ids(o, n):
    """Attributes that all have the same ids."""
    perf(o, sample(1, 1, 1, [USER, 8]), ids=n, attrs=n // 20 + 1)


def s_events(o, n):
    attr = struct.pack("<II", 1, 64).ljust(64, b"\0")
    perf(o, b"".join(record(2, 0, u64(i, 1)) for i in range(n)), {12: u32(n, 64) + b"".join(attr + u32(1) + text("e%d" % i) + u64(i) for i in range(n))})


def s_switches(o, n):
    """Threads that leave the CPU, at many places, and are seen again."""
    attr = struct.pack("<II", 1, 64).ljust(64, b"\0")
    perf(o, mmap(1, 0, 1 << 40, "/lib/a") + b"".join(sample(1, i % 50 + 1, i, [USER, 1000 + i % 3000, 99]) for i in range(n)),
         {12: u32(1, 64) + attr + u32(1) + text("sched:sched_switch") + u64(1)})


def s_bad(o, n):
    perf(o, b"".join(record(9, 0, u64(1)) + record(3, 0, b"") for _ in range(n)))


def s_section(o, n):
    """As a section of an .htrace."""
    inner = Held()
    s_stacks(inner, n)
    head = struct.pack("<8sQII32sI", b"OHOSPROF", 1024 + len(inner.data), 0x10000, 0, bytes(32), 1)
    o.put(head.ljust(1024, b"\0") + inner.data)


class Held:
    def __init__(self):
        self.data = b""

    def put(self, data):
        self.data += data


# The others are tried with TS_SLOW=1.
ALWAYS = "same stacks addresses maps_falling forks kernel rounds symbols symbols_short stack_ids section".split()

if __name__ == "__main__":
    every = {k[2:]: f for k, f in list(globals().items()) if k.startswith("s_")}
    some = every if len(sys.argv) != 2 or os.environ.get("TS_SLOW") == "1" else {"empty": s_empty, **{name: every[name] for name in ALWAYS}}
    # docs/formats.md: a part that every import has, the window of its bytes, and so much for threads, maps, symbols and what frames are called.
    measure.main(every if sys.argv[1] == "--list" else some, Out, "empty", 80 * MB, 24)
