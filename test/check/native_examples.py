#!/usr/bin/env python3
"""Recordings of hiperf, native_hook and hiebpf from the description of their formats, byte by byte, with the rows that it gives for them; run alone,
it checks the models against them, and that a wrong cell is noticed.

usage: native_examples.py [--write FOLDER]
"""

import os
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
import ebpf
import ebpf_write
import native_hook
import perf_data
import perf_write as write
from ftrace_write import container, number, text
from perf_write import Event

KALLSYMS, LIBA, ABC, NOSYM, OTHER = "[kernel.kallsyms]", "/system/lib/liba.so", "/data/x.abc", "/system/lib/nosym.so", "/data/other.so"
PERF_RECORDS = """
010000000100400000000000000000000000000000000000ffffffffffffffff00000000000000005b6b65726e656c2e6b616c6c73796d735d00000000000000
030000000000180014000000140000006170700000000000 03000000000018001400000015000000776f726b65720000
0a00000002006000140000001400000000000100000000000010000000000000001000000000000008000000010000004d00000000000000000000000000000005000000020000002f73797374656d2f6c69622f6c6962612e736f0000000000
0900000001007000010000000000000010100010c0ffffff1400000015000000009435770000000001000000000000000300000000000000f401000000000000050000000000000080ffffffffffffff10100010c0ffffff00feffffffffffff04010100000000001000010000000000
09000000020078000200000000000000040101000000000014000000150000000a94357700000000020000000000000003000000000000000700000000000000060000000000000000feffffffffffff04010100000000001090000000000000080003000000000008000400000000000800050000000000
030000000000180014000000150000007265 6e616d656400""".replace(" ", "").split()


def events(more=0):
    how = {"flags": 1 << 18 | 1 << 25, "clockid": 1}
    return [Event("hw-cpu-cycles", [1], 0x101E7 | more, **how), Event("sched:sched_switch", [2], 0x101E7 | more, **how)]


def device_map(start, path, offset=0):
    middle = write.u32(8, 1) + write.u64(77, 0)
    return write.record(10, 2, write.u32(20, 20) + write.u64(start, 0x1000, offset) + middle + write.u32(5, 2) + write.padded(path))


def perf_a():
    cpu, switch = events()
    kernel, user = write.M64 - 127, write.M64 - 511
    first = {"ip": 0xFFFFFFC010001010, "pid": 20, "tid": 21, "time": 2000000000, "cpu": 3, "period": 500, "ips": [kernel, 0xFFFFFFC010001010, user, 0x10104, 0x10010]}
    second = dict(first, ip=0x10104, time=2000000010, period=7, ips=[user, 0x10104, 0x9010, 0x30008, 0x40008, 0x50008])
    records = [write.mmap(1, 0, 0, write.M64, 0, KALLSYMS), write.comm(20, 20, "app") + write.comm(20, 21, "worker"), device_map(0x10000, LIBA, 0x1000),
               device_map(0x9000, ABC), device_map(0x30000, NOSYM), device_map(0x40000, OTHER), write.sample(cpu, 1, first), write.sample(switch, 2, second),
               write.sample(cpu, 1, dict(first, time=2000000020, cpu=2, period=600)), write.comm(20, 21, "renamed")]
    for said in PERF_RECORDS:
        assert bytes.fromhex(said) in b"".join(records), said
    return write.perf_data([cpu, switch], b"".join(records), {11: write.text("hiperf record -a --offcpu"), 192: perf_symbols()})


def perf_symbols():
    return write.symbols([
        (KALLSYMS, 0, 0, 0, [(0xFFFFFFC010001000, 0x100, "schedule")]),
        (LIBA, 3, 0x2000, 0x1000, [(0x2100, 0x40, "ns::leaf(int)"), (0x2000, 0x100, "main"), (0x2100, 8, "alias")]),
        (ABC, 6, 0, 0, [(0x9010, 0, "onClick: a.ets:3")]), (NOSYM, 3, 0, 0, [])])


PERF_STACKS = "0100000014000000001000000500000005000000100001000000000006000000040101000005000007000000" \
              "00feffffff0600800800000010100010c007008009000000" "80ffffffff080080"


def perf_stacks():
    cpu, switch = events()
    base = {"ip": 0xFFFFFFC010001010, "pid": 20, "tid": 21, "time": 2000000000, "cpu": 3, "period": 500, "ips": []}
    table = write.stack_table({20: {5: write.node(0x10010, 0), 6: write.node(0x10104, 5), 7: write.node(write.M64 - 511, 6),
                                    8: write.node(0xFFFFFFC010001010, 7), 9: write.node(write.M64 - 127, 8)}})
    assert table.hex() == PERF_STACKS
    records = [write.mmap(1, 0, 0, write.M64, 0, KALLSYMS), write.comm(20, 21, "worker"), device_map(0x10000, LIBA, 0x1000),
               write.sample(cpu, 1, dict(base, stack_id=9 | 5 << 23)),
               write.sample(cpu, 2, dict(base, ip=0x10104, time=3000000000, ips=[write.M64 - 511, 0x10104, 0x10010]))]
    assert records[3].hex().endswith("0900800200000000")
    return write.perf_data([cpu, switch], b"".join(records), {192: perf_symbols(), 197: table})


SCHEDULE = (0xFFFFFFC010001010 - (1 << 64), 0xFFFFFFC010001000 - (1 << 64), 16, KALLSYMS, 0, "schedule", None, None)
MAIN, LEAF = (0x10010, 0x2000, 16, LIBA, 0, "main", None, None), (0x10104, 0x2100, 4, LIBA, 1, "ns::leaf(int)", None, None)


def check_perf(folder):
    with open(os.path.join(folder, "perf_a.data"), "wb") as f:
        f.write(perf_a())
    m = perf_data.load(f.name)
    assert m.report == [("config_name", "hw-cpu-cycles"), ("config_name", "sched:sched_switch"), ("cmdline", "hiperf record -a --offcpu")]
    assert m.files_rows == [(0, 0, "schedule", KALLSYMS), (1, 0, "main", LIBA), (1, 1, "ns::leaf(int)", LIBA), (2, 0, "onClick: a.ets:3", ABC),
                            (3, -1, None, NOSYM), (4, -1, None, OTHER)], m.files_rows
    assert m.thread_rows == [(20, 20, "app"), (21, 20, "renamed")], m.thread_rows
    assert m.samples == [(1, 2000000000, 21, 500, 0, 2000000000, 3, "-"), (2, 2000000010, 21, 7, 1, 2000000010, 3, "Suspend"),
                         (1, 2000000020, 21, 600, 0, 2000000020, 2, "-")], m.samples
    none = lambda ip, path, name: (ip, 0, 0, path, -1, name, None, None)
    chains = [(1, 0, *MAIN), (1, 1, *LEAF), (1, 2, *SCHEDULE), (2, 0, *none(0x50008, None, "@0x50008")), (2, 1, *none(0x40008, OTHER, "other.so+0x8")),
              (2, 2, *none(0x30008, NOSYM, "nosym.so+0x8")), (2, 3, 0x9010, 0x9010, 0, ABC, 0, "onClick: a.ets:3", None, None), (2, 4, *LEAF)]
    assert m.chain_rows == chains, m.chain_rows
    assert m.symbols == 4
    with open(os.path.join(folder, "perf_boot.htrace"), "wb") as f:
        f.write(write.section(0, b"", clocks=(10**9, 11 * 10**9, 11 * 10**9, 3 * 10**9, 3 * 10**9, 3 * 10**9)) + write.section(1, perf_a()))
    assert [s[5] for s in perf_data.load(f.name).samples] == [0, 10, 20]
    with open(os.path.join(folder, "perf_stacks.data"), "wb") as f:
        f.write(perf_stacks())
    m = perf_data.load(f.name)
    assert m.chain_rows == [(1, 0, *MAIN), (1, 1, *LEAF), (1, 2, *SCHEDULE), (2, 0, *MAIN), (2, 1, *LEAF)], m.chain_rows


# --- native_hook ---------------------------------------------------------------------------------

PLAIN = """
080c100a1a8701081410151880a00120642a2f0880e0011a066d616c6c6f63221c2f73797374656d2f6c69622f6c642d6d75736c2d61726d2e736f2e3128800230082a28088080021a0f6e733a3a6d616b6528292b30783230220d2f646174612f6c6962612e736f280030002a200880a0021a046d61696e220f2f73797374656d2f62696e2f6170702880043004
080c10142a2d081410151880a00228804032200880a0021a046d61696e220f2f73797374656d2f62696e2f6170702880043004
080c10193a0f0880a0021080401a04686561702014
+30
080c10282208081410141880a001 080c102d2208081410141880c001
080c1032320b081410141880a002208020 080c103c82010f08141014187720022a037465783040 080c104182010a08141014180320003001 080c10468a01080814101418772002"""
OFFLINE = """
+strings
5a0f0814108080041880a0042080202801
624d080110804018802020102a30010000000020000000010000020001000300000000210000400000001200010001000000002200000400000001000100320d0066005f5a4e316131624576003814
721c08011a168482048180808080c0ffffff01908004c0820499b3262014 721308021a0d808604e480808080e0ffffff012014
080c100a1a0e081410151880a001206430043801 080c10141a0c081410151880c001200a3802"""
CLOCKS = {"boot": 10**9, "real": 11 * 10**9, "mono": 10**9}


def event(data):
    return text(1, data)


def alloc(seconds, nanoseconds, body):
    return event(number(1, seconds) + number(2, nanoseconds) + text(3, body))


def hook(config, *messages):
    return container([("nativehook_config", 12, config)] + [("nativehook", 12, m) for m in messages], **CLOCKS)


def plain():
    lines = PLAIN.split()
    first = bytes.fromhex(lines[0])
    frames = first[first.index(b"\x20\x64") + 2:]
    third = alloc(12, 30, number(1, 20) + number(2, 21) + number(3, 0x5000) + number(4, 50) + frames)
    return hook(b"", b"".join(event(third_or) if isinstance(third_or, bytes) else third for third_or in
                              (None if line == "+30" else bytes.fromhex(line) for line in lines)))


def offline():
    names = lambda kind, i, name: event(text(kind, number(1, i) + text(2, name) + number(3, 20)))
    frame = number(1, 5) + number(5, 77) + number(7, 1) + number(8, 2)
    strings = names(8, 1, "/data/liba.so") + names(8, 2, "/data/x.ets") + names(9, 1, "jsfun") + names(10, 4, "worker")
    strings += event(text(13, number(1, 1) + text(2, frame) + number(3, 20)))
    return hook(bytes.fromhex("a00101"), b"".join(strings if line == "+strings" else event(bytes.fromhex(line)) for line in OFFLINE.split()))


def statistic():
    names = lambda kind, i, name: event(text(kind, number(1, i) + text(2, name) + number(3, 20)))
    stack = lambda i, *frames: event(text(14, number(1, i) + b"".join(number(2, f) for f in frames) + number(4, 20)))
    tables = names(8, 1, "/data/liba.so") + names(9, 1, "f") + event(text(13, number(1, 1) + text(2, number(1, 9) + number(5, 3) + number(6, 4) + number(7, 1) + number(8, 1)) + number(3, 20)))
    events = ("080c7a0d081410012003280130ac023864", "080c7a0e0814100218012001280130323832", "080d7a0e0814100120042804309003389003")
    return hook(bytes.fromhex("b00101"), tables + stack(1, 1) + stack(2, 1, 1) + b"".join(event(bytes.fromhex(e)) for e in events))


def hook_model(folder, name, data):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)
    return native_hook.load(f.name)


def check_hook(folder):
    two = 2 * 10**9
    m = hook_model(folder, "hook_plain.htrace", plain())
    make, main = ("/data/liba.so", "ns::make()+0x20"), ("/system/bin/app", "main")
    row = lambda chain, tid, name, sub, at, end, addr, size, total, dur, caller: (
        chain, 20, (tid, 20), name, sub, two + at, None if end is None else two + end, None if end is None else end - at, addr, size, total, dur, *caller)
    none = (None, None)
    assert m.hook_rows() == [
        row(1, 21, "AllocEvent", None, 10, None, 0x5000, 100, 100, 20, make), row(2, 21, "MmapEvent", "heap", 20, None, 0x9000, 8192, 8192, 30, main),
        row(1, 21, "AllocEvent", None, 30, 40, 0x5000, 50, 150, 10, make), row(-1, 20, "FreeEvent", None, 40, None, 0x5000, 50, 100, 0, none),
        row(-1, 20, "MunmapEvent", "heap", 50, None, 0x9000, 4096, 4096, 0, none), row(-1, 20, "GPU_VK_Alloc_Event", "tex", 60, 70, 0x77, 64, 64, 10, none),
        row(-1, 20, "GPU_VK_Free_Event", "tex", 70, None, 0x77, 64, 0, 0, none)], m.hook_rows()
    last = (0x9000, "main", "/system/bin/app", 0x200, 4, "0x204")
    assert m.frame_rows == {1: [(0x7000, "malloc", "/system/lib/ld-musl-arm.so.1", 0x100, 8, "0x108"), (0x8000, "ns::make()+0x20", "/data/liba.so", 0, 0, "0x20"), last],
                            2: [last]}, m.frame_rows
    assert m.stat == {"malloc": 2, "free": 2, "mmap": 1, "munmap": 1, "memtag": 1, "record_statistics": 0} and m.invalid == {"free": 1}
    assert m.range == (2000000010, 2000000070)
    m = hook_model(folder, "hook_offline.htrace", offline())
    liba = "/data/liba.so"
    assert m.frame_rows == {
        1: [(0x10104, "a::b()", liba, 0x2100, 4, "0x2104"), (5, "jsfun", "/data/x.ets", 77, None, None), (0x10010, "f", liba, 0x2000, 16, "0x2010"),
            (0x10140, "/data/liba.so+0x2140", liba, 0x10140, 0, "0x2140"), (0x99999, "unknown 0x99999", None, None, None, None)],
        2: [(0x10300, "/data/liba.so+0x2300", liba, 0x10300, 0, "0x2300"),
            (-0xFFFFFFFF9C, "alloc size(100bytes)0xffffff0000000064", None, None, None, None)]}, m.frame_rows
    assert [r[0] for r in m.hook_rows()] == [1, 2] and (21, 20, "worker") in m.processes.rows_of_threads()
    m = hook_model(folder, "hook_statistic.htrace", statistic())
    assert [(r[0], r[2], r[3], r[5:9]) for r in m.statistic_rows()] == [(1, two, 0, (3, 1, 300, 100)), (1, 3 * 10**9, 0, (4, 4, 400, 400))], m.statistic_rows()
    assert m.frame_rows == {1: [(9, "f", "/data/liba.so", 3, 4, "0x7")]} and m.range == (10**9, 3 * 10**9)


# --- hiebpf --------------------------------------------------------------------------------------

EBPF = """
00000000 2a000000 0000000070000000 0000010070000000 00100000 14000000 0e000000 2f646174612f6c6962612e736f00
01000000 67000000 0020000000000000 00100000 0d000000 30000000 0e000000 18000000 0066005f5a4e3161316245760001000000020001000020000000000000000100000000000003000000120001000021000000000000 4000000000000000 2f646174612f6c6962612e736f00
01000100 32000000 00000010c0ffffff 00100010c0ffffff 10000000 0a000000 00000010c0ffffff 00010000 01000000 007666735f7265616400
05000000 28000000 14000000 15000000 007841cb02000000 02000000 02000000 08000000 00000000 2f646174612f6600
02000000 80000000 14000000 15000000 6673000000000000 007841cb02000000 327841cb02000000 78"""


def ebpf_items():
    start, call, vfs = 12 * 10**9, (0x7000000140,), (0xFFFFFFC010000008, 0x7000000104, 0x7000000010)
    strings = b"\0f\0_ZN1a1bEv\0"
    table = struct.pack("<IBBHQQ", 1, 2, 0, 1, 0x2000, 0x100) + struct.pack("<IBBHQQ", 3, 18, 0, 1, 0x2100, 0x40)
    items = ebpf_write.maps(0x7000000000, 0x7000010000, 0x1000, 20, "/data/liba.so")
    items += ebpf_write.elf(0x2000, 0x1000, 24, table, strings, "/data/liba.so")
    items += ebpf_write.kernel_symbols(0xFFFFFFC010000000, 0xFFFFFFC010001000, [(0xFFFFFFC010000000, 0x100, "vfs_read")])
    items += ebpf_write.path(20, 21, start, 2, 2, "/data/f")
    items += ebpf_write.file_system(20, 21, start, start + 50, 100, 2, (7, 0x1000, 0x1000, 0), "app", vfs)
    items += ebpf_write.file_system(20, 21, start + 60, start + 70, -2, 1, (7, 0x1000, 0x1000, 0), "app", ())
    items += ebpf_write.paged_memory(20, 21, start + 1, start + 3, 0x7000, 4096, 2, "app", call)
    return items + ebpf_write.block(20, 21, "app", start + 5, start + 2005, 4, 8192, 0x30, 2, call)


def check_ebpf(folder):
    items = ebpf_items()
    for line in EBPF.strip().split("\n"):
        assert bytes.fromhex(line) in items, line
    with open(os.path.join(folder, "ebpf.htrace"), "wb") as f:
        f.write(ebpf_write.recording(0, items, (10**9, 11 * 10**9, 11 * 10**9, 10**9, 10**9, 10**9)))
    m, two, app = ebpf.load(f.name), 2 * 10**9, (20, (21, 20))
    arguments = ("0x7", "0x1000", "0x1000", "0x0")
    assert m.fs == [(0, 2, *app, two, two + 50, 50, "0x64", None, 7, "/data/f", 100, *arguments),
                    (-1, 0, *app, two + 60, two + 70, 10, "0x0", "0x2", None, None, None, *arguments)], m.fs
    assert m.paged == [(1, 2, *app, two + 1, two + 3, 2, 4096, "0x7000")], m.paged
    assert m.bio == [(1, 2, *app, two + 5, two + 2005, 2000, 4, 8192, "0x30", None, 1000)], m.bio
    assert m.frames == [(0, 0, "0x7000000010", "f", "/data/liba.so"), (0, 1, "0x7000000104", "a::b()", "/data/liba.so"),
                        (0, 2, "0xffffffc010000008", "vfs_read", "/proc/kallsyms"), (1, 0, "0x7000000140", None, "/data/liba.so")], m.frames
    assert list(m.stat.values()) == [1, 2, 1, 1] and (min(m.times), max(m.times)) == (two, 2000002005)


def main(argv):
    with tempfile.TemporaryDirectory() as scratch:
        folder = argv[2] if argv[1:2] == ["--write"] else scratch
        os.makedirs(folder, exist_ok=True)
        check_perf(folder)
        check_hook(folder)
        check_ebpf(folder)


if __name__ == "__main__":
    main(sys.argv)
