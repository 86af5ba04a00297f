#!/usr/bin/env python3
"""The stored recordings are what test/data/README.md says, and consistent in themselves.

usage: recordings.py TESTDIR
"""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], "check"))
import htrace
from expected import Heap, Profile


def number(text):
    return int(re.sub(r"\D", "", text))


def readme_rows(path):
    """name -> numbers, of the table of heaps."""
    rows = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if re.match(r"(Snapshot\d|Timeline)$", cells[0]):
                rows[cells[0]] = tuple(number(c) for c in cells[1:])
    return rows


def heap_numbers(text):
    h = Heap(text)
    snapshot = h.json["snapshot"]
    assert (h.node_count, h.edge_count) == (snapshot["node_count"], snapshot["edge_count"])
    assert h.counts_fit()
    assert all(r[5] is not None and r[4] is not None for r in h.edge_rows())
    return (len(text), h.node_count, h.edge_count, len(h.json["strings"]),
            len(list(h.location_rows())), len(list(h.sample_rows())),
            len(list(h.function_rows())), len(list(h.trace_rows())), h.self_size())


def main(testdir):
    data = os.path.join(testdir, "data")
    said = readme_rows(os.path.join(data, "README.md"))
    with open(os.path.join(data, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    total = 0
    heaps = {}
    for kind in ("snapshots", "timeline", "cpuprofile"):
        path = os.path.join(data, "recording-%s.htrace.gz" % kind)
        total += os.path.getsize(path)
        recording = htrace.load(path)
        for h in recording.heaps:
            heaps[h["name"]] = heap_numbers(h["text"])
        for p in recording.profiles:
            profile = Profile(p["text"])
            line = "%d nodes and %d samples" % (len(profile.nodes), len(profile.samples))
            assert line in readme, line
            # The profile lies between its marks, once its clock is converted.
            shift = recording.header["real"] - recording.header["mono"]
            assert p["started"] < profile.start * 1000 + shift
            assert profile.end * 1000 + shift < p["reported"]
    assert heaps == said, (heaps, said)
    assert total <= 4 << 20, total


if __name__ == "__main__":
    main(sys.argv[1])
