#!/usr/bin/env python3
"""Questions on what eBPF recorded, against sums over the events that the recording was made of.

usage: ebpf.py TRACE_STREAMER SOURCE_DIR
"""

import os
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "damage"))
import plugin_shapes
from judge import Judge


def events():
    """Page faults as (type, duration, size, addresses), calls as (type, duration, result, path)."""
    faults, calls, paths = [], [], {}
    for kind, body in plugin_shapes.ebpf_mixture(200):
        if kind == 3:
            start, end = struct.unpack_from("<QQ", body, 16)
            size, count, what = struct.unpack_from("<IHH", body, 56)
            faults.append((what, end - start, size, struct.unpack_from("<%dQ" % count, body, 80)))
        elif kind == 2:
            start, end, ret, call = struct.unpack_from("<QQ16xi2xH", body, 16)
            calls.append(({1: 0, 2: 2}[call], end - start, ret, paths[start]))
        elif kind == 5:
            paths[struct.unpack_from("<Q", body, 8)[0]] = body[32:-1].decode()
    return faults, calls


def sites(faults):
    """The innermost address outside the kernel is in a::b() (0x2100 to 0x213f), at 0x104 and more of the map."""
    groups = {}
    for what, dur, size, ips in faults:
        user = [ip for ip in ips if ip < 1 << 40][0]
        assert 0x2100 <= user - 0x7000000000 + 0x1000 + 0x1000 < 0x2140
        groups.setdefault(what, []).append((dur, size))
    rows = [("app", what, "a::b()", "/data/liba.so", len(of), sum(d for d, _ in of), max(d for d, _ in of), sum(s for _, s in of))
            for what, of in groups.items()]
    return sorted(rows, key=lambda r: (-r[5], -r[4], r[1]))


def files(calls, by):
    groups = {}
    for what, dur, ret, path in calls:
        groups.setdefault(path, []).append((what, dur, ret))
    rows = [(path, len(of), 0, sum(d for _, d, _ in of), max(d for _, d, _ in of), sum(r for w, _, r in of if w == 2), 0) for path, of in groups.items()]
    column = {"dur": 3, "count": 1, "size": 5}[by]
    return sorted(rows, key=lambda r: (-r[column], r[0]))


def main():
    program, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        j = Judge(program, work, os.path.join(source, "share", "sql"))
        path = os.path.join(work, "ebpf.htrace")
        with open(path, "wb") as f:
            f.write(plugin_shapes.ebpf_section(plugin_shapes.ebpf_mixture(200)))
        j.convert("ebpf", path)
        faults, calls = events()
        columns = "process type symbol file count dur max_dur size"
        found = sites(faults)
        j.ask("page_fault_sites", columns, found)
        j.ask("page_fault_sites", columns, found[:3], limit=3)
        j.ask("page_fault_sites", columns, [r for r in found if r[1] == 7], type=7)
        j.ask("page_fault_sites", columns, [], pid=77)
        columns = "file count failed dur max_dur read_bytes written_bytes"
        j.ask("io_files", columns, files(calls, "dur"))
        for by in ("dur", "size", "count"):
            j.ask("io_files", columns, files(calls, by)[:4], by=by, pid=20, limit=4)
        print("%d cells compared" % j.cells)
        return 1 if j.bad or j.cells < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
