#!/usr/bin/env python3
"""Compares every cell that a sampling heap profile gives with what Python's json reads from the file.

usage: heapprofile.py DATABASE FILE
"""

import json
import sqlite3
import sys

from cells import cells


def number(v):
    return v if isinstance(v, int) and not isinstance(v, bool) else None


def expected(profile):
    """(nodes, samples): rows of heap_profile_node with their call path, and samples in the order of allocation with their path and size."""
    nodes, by_id = [], {}
    stack = [(profile["head"], ())]
    while stack:
        node, path = stack.pop()
        f = node["callFrame"]
        line = f["lineNumber"]
        path = path + ((f["functionName"], f["url"] or None, line if line >= 0 else None),)
        nodes.append((path, number(node.get("id")), int(f["scriptId"]), line, f["columnNumber"], node["selfSize"]))
        if "id" in node:
            by_id[node["id"]] = path
        stack.extend((child, path) for child in reversed(node["children"]))
    if "samples" not in profile:
        return nodes, [(path, size, None) for path, _, _, _, _, size in nodes if size > 0]
    order = sorted(profile["samples"], key=lambda s: s["ordinal"])
    return nodes, [(by_id.get(s["nodeId"]), s["size"], s["ordinal"]) for s in order]


def actual(db, source):
    paths = {}
    for node, parent, name, file, line in db.execute("SELECT n.id, n.parent_id, m.name, m.file, m.line FROM stack_node n JOIN stack_method m ON m.id = n.method_id "
                                                     "WHERE n.source_id = ? ORDER BY n.id", (source,)):
        paths[node] = (paths[parent] if parent is not None else ()) + ((name, file, line),)
    nodes = [(paths[r[0]], *r[1:]) for r in db.execute("SELECT node_id, id, script_id, line_number, column_number, self_size FROM heap_profile_node "
                                                       "WHERE source_id = ? ORDER BY rowid", (source,))]
    samples = db.execute("SELECT s.node_id, v.value, h.ordinal FROM stack_sample s LEFT JOIN stack_sample_value v ON v.sample_id = s.id "
                         "LEFT JOIN heap_profile_sample h ON h.sample_id = s.id WHERE s.source_id = ? AND s.event = 'alloc' ORDER BY s.id", (source,))
    return nodes, [(paths.get(node), value, ordinal) for node, value, ordinal in samples]


def compare(database, path):
    with open(path, encoding="utf-8") as f:
        nodes, samples = expected(json.load(f))
    db = sqlite3.connect(database)
    (source,) = db.execute("SELECT id FROM source WHERE kind = 'heap_profile'").fetchone()
    have_nodes, have_samples = actual(db, source)
    cells.add((nodes, samples))
    for what, want, have in (("node", nodes, have_nodes), ("sample", samples, have_samples)):
        if len(want) != len(have):
            return "%d %ss instead of %d" % (len(have), what, len(want))
        for i, (a, b) in enumerate(zip(want, have)):
            if tuple(a) != tuple(b):
                return "%s %d is %r instead of %r" % (what, i, b, a)
    return None


def main():
    cells.end(compare(sys.argv[1], sys.argv[2]), sys.argv[2])


if __name__ == "__main__":
    main()
