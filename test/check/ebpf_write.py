"""Writes sections of hiebpf: the header and items (docs/formats.md)."""

import struct

from perf_write import section


def item(kind, body):
    return struct.pack("<II", kind, len(body)) + body


def word(text):
    return text.encode() + b"\0"


def maps(start, end, offset, pid, name):
    return item(0, struct.pack("<QQIII", start, end, offset, pid, len(word(name))) + word(name))


def elf(vaddr, offset, entry_size, table, strings, name):
    return item(1, struct.pack("<QIIIII", vaddr, offset, len(strings), len(table), len(word(name)), entry_size) + strings + table + word(name))


def file_system(pid, tid, start, end, ret, call, args, process, ips):
    return item(2, struct.pack("<II8sQQ16siHH4Q16s", pid, tid, b"fs", start, end, b"x", ret, len(ips), call, *args, process.encode()) + struct.pack("<%dQ" % len(ips), *ips))


def paged_memory(pid, tid, start, end, addr, size, kind, process, ips):
    return item(3, struct.pack("<II8sQQ16sQIHH16s", pid, tid, b"pf", start, end, b"x", addr, size, len(ips), kind, process.encode()) + struct.pack("<%dQ" % len(ips), *ips))


def block(pid, tid, process, start, end, prio, size, number, kind, ips):
    return item(4, struct.pack("<II16sQQIIQII16s", pid, tid, process.encode(), start, end, prio, size, number, len(ips), kind, b"bio") + struct.pack("<%dQ" % len(ips), *ips))


def path(pid, tid, start, what, call, name):
    return item(5, struct.pack("<IIQIIII", pid, tid, start, what, call, len(word(name)), 0) + word(name))


def kernel_symbols(first, last, symbols):
    """symbols: [(address, size, name)]"""
    table, strings = b"", b"\0"
    for address, size, name in symbols:
        table += struct.pack("<QII", address, size, len(strings))
        strings += word(name)
    return item(0x10001, struct.pack("<QQII", first, last, len(table), len(strings)) + table + strings)


def recording(clock, items, clocks):
    """An .htrace with the section. clocks: boot, real, real coarse, mono, mono coarse, raw."""
    head = struct.pack("<QIIII", 0x454C494646504245, 1024, 1, clock, 6) + b"hiebpf"
    return section(1000, head.ljust(1024, b"\0") + items, "hiebpf-plugin", clocks)
