#!/usr/bin/env python3
"""consistent_heap.py says yes to undamaged heaps and no to each contradiction.

test_consistent_heap.py DATA
"""

import copy
import gzip
import json
import os
import sys
import tempfile
import unittest

import consistent_heap as ch

DATA = sys.argv[1]
OBJECT = ch.NODE_TYPES.index("object")
INTERNAL = ch.EDGE_TYPES.index("internal")
PAIR = "0 / part of key (k @3) -> value (v @5) pair in WeakMap (table @7)"


def heap():
    """A root with an element each of a key, a value and their table; the key and the table refer to the value."""
    return {
        "snapshot": {"meta": ch.META, "node_count": 4, "edge_count": 5, "trace_function_count": 1},
        "nodes": [9, 1, 1, 0, 3, 0, 0, OBJECT, 2, 3, 16, 1, 1, 0, OBJECT, 3, 5, 24, 0, 0, 0, OBJECT, 4, 7, 16, 1, 0, 0],
        "edges": [1, 1, 7, 1, 2, 14, 1, 3, 21, INTERNAL, 5, 14, INTERNAL, 5, 14],
        "trace_function_infos": [9, 6, 1, 0, 0, 0],
        "trace_tree": [1, 0, 1, 16, []],
        "samples": [0, 1, 500, 7],
        "locations": [7, 1, 2, 3],
        "strings": ["<dummy>", "", "k", "v", "table", PAIR, "f"],
    }


class Bare(unittest.TestCase):
    def check(self, expected, change=None, text=None):
        h = copy.deepcopy(heap())
        if change is not None:
            change(h)
        with tempfile.NamedTemporaryFile("w", suffix=".heapsnapshot") as f:
            f.write(json.dumps(h) if text is None else text)
            f.flush()
            said = ch.contradiction(f.name)
            self.assertEqual(ch.consistent(f.name), said is None)
        if expected is None:
            self.assertIsNone(said)
        else:
            self.assertIn(expected, said or "consistent")

    def number(self, expected, name, at, value):
        self.check(expected, lambda h: h[name].__setitem__(at, value))

    def test_undamaged(self):
        self.check(None)

    def test_what_nobody_can_notice(self):
        self.number(None, "nodes", 10, 20)  # a size
        self.number(None, "strings", 6, "g")

    def test_json(self):
        good = json.dumps(heap())
        self.check("no JSON", text=good[:-1])
        self.check("occurs twice", text='{"nodes": 1, ' + good[1:])
        self.check("other members", lambda h: h.pop("locations"))
        self.check("other members", lambda h: h["snapshot"].update(more=1))
        self.check("not that of V8", lambda h: h["snapshot"]["meta"]["node_fields"].pop())

    def test_counts(self):
        for name in ("node_count", "edge_count", "trace_function_count"):
            self.check("is not the number of", lambda h, name=name: h["snapshot"].update({name: h["snapshot"][name] + 1}))
        self.check("inside a row", lambda h: h["nodes"].pop())
        self.check("inside a row", lambda h: h["edges"].pop())
        self.number("the sum of edge_count", "nodes", 11, 2)

    def test_nodes(self):
        self.number("no list of integers", "nodes", 7, "3")
        self.number("negative", "nodes", 10, -1)
        self.number("no type", "nodes", 7, 16)
        self.number("no name", "nodes", 8, 7)
        self.number("an id occurs twice", "nodes", 16, 3)
        self.number("an id is not", "nodes", 16, 6)
        self.number("a size is not", "nodes", 10, 15)
        self.number("allocated nowhere", "nodes", 12, 2)
        self.number("detachedness", "nodes", 13, 3)
        self.number("the root", "nodes", 2, 9)

    def test_edges(self):
        self.number("an edge has no type", "edges", 0, 7)
        self.number("leads to no node", "edges", 2, 8)
        self.number("leads to no node", "edges", 2, 28)
        self.number("an edge has no name", "edges", 10, 9)
        self.number("an element occurs twice", "edges", 4, 1)
        self.number("name is that of another edge", "edges", 11, 7)

    def test_strings(self):
        self.number("a string occurs twice", "strings", 6, "k")
        self.number("do not begin", "strings", 1, "x")
        self.number("before its turn", "nodes", 8, 4)
        self.check("not used", lambda h: h["strings"].append("more"))

    def test_the_rest(self):
        self.number("has no function", "trace_tree", 1, 1)
        self.number("not 1 to n", "trace_tree", 0, 2)
        self.number("function has no name", "trace_function_infos", 1, 0)
        self.number("order of time", "samples", 0, 600)
        self.number("of no node", "locations", 0, 8)
        self.number("of no function or object", "locations", 0, 0)
        self.check("two locations", lambda h: h["locations"].extend(h["locations"]))


class Recordings(unittest.TestCase):
    def check(self, good, text):
        with tempfile.NamedTemporaryFile(suffix=".htrace") as f:
            f.write(text)
            f.flush()
            said = ch.contradiction(f.name)
        self.assertEqual(said is None, good, said)

    def test_recorded(self):
        with gzip.open(os.path.join(DATA, "recording-timeline.htrace.gz")) as f:
            text = f.read()
        self.check(True, text)
        self.check(False, text[:-1])
        self.check(False, text.replace(b'"chunk"', b'"chunc"', 1))
        at = text.index(b"edge_fields")
        self.check(False, text[:at] + b"f" + text[at + 1 :])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
