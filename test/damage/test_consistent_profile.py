#!/usr/bin/env python3
"""consistent_profile.py says yes to undamaged profiles and no to each contradiction.

test_consistent_profile.py MKHTRACE DATA
"""

import copy
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

import consistent_profile as cp

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import htrace  # noqa: E402

MKHTRACE, DATA = sys.argv[1:3]
FRAME = {"functionName": "f", "scriptId": "7", "url": "a.js", "lineNumber": 3, "columnNumber": 1}


def node(number, hits, *children):
    out = {"id": number, "callFrame": dict(FRAME), "hitCount": hits}
    if children:
        out["children"] = list(children)
    if hits:
        out["positionTicks"] = [{"line": 3, "ticks": hits}]
    return out


def profile():
    """20 samples of 3 nodes, as V8 writes them: 2 is new first, then 3, which it calls."""
    return {"nodes": [node(1, 0, 2), node(2, 10, 3), node(3, 10)], "startTime": 1000, "endTime": 3050, "samples": [2] * 5 + [3] * 10 + [2] * 5,
            "timeDeltas": [100] * 20}


class Bare(unittest.TestCase):
    def check(self, expected, change=None, text=None):
        p = copy.deepcopy(profile())
        if change is not None:
            change(p)
        with tempfile.NamedTemporaryFile("w", suffix=".cpuprofile") as f:
            f.write(json.dumps(p) if text is None else text)
            f.flush()
            said = cp.contradiction(f.name)
            self.assertEqual(cp.consistent(f.name), said is None)
        if expected is None:
            self.assertIsNone(said)
        else:
            self.assertIn(expected, said or "consistent")

    def test_undamaged(self):
        self.check(None)
        self.check(None, lambda p: p.update(tid=5, gcTime=1))

    def test_changed_numbers_contradict_nothing(self):
        self.check(None, lambda p: p["timeDeltas"].__setitem__(3, 101))
        self.check(None, lambda p: p.update(timeDeltas=[90, 110] + [100] * 18))

    def test_json(self):
        good = json.dumps(profile())
        self.check("no JSON", text=good[:-1])
        self.check("no JSON", text=good + "x")
        self.check("no JSON", text=good.replace("[100,", "[0100,"))
        self.check("not a number of JSON", text=good.replace("3050", "NaN"))
        self.check("occurs twice", text='{"endTime": 1, ' + good[1:])

    def test_samples_of_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".cpuprofile") as f:
            json.dump(dict(profile(), timeDeltas=[50] + [100] * 19), f)
            f.flush()
            rows = cp.samples(f.name)
        self.assertEqual(len(rows), 20)
        self.assertEqual(rows[0], (1, 50000, 2))
        self.assertEqual(rows[5], (1, 550000, 3))

    def test_members(self):
        self.check("other members", lambda p: p.pop("endTime"))
        self.check("other members", lambda p: p.update(more=1))
        self.check("other members", lambda p: p["nodes"][1].update(hitcount=1))
        self.check("other members", lambda p: p["nodes"][1]["callFrame"].pop("url"))
        self.check("is not a number", lambda p: p["nodes"][1]["callFrame"].update(scriptId="7x"))
        self.check("no place", lambda p: p["nodes"][1]["callFrame"].update(lineNumber=-2))
        self.check("no list of integers", lambda p: p["samples"].__setitem__(0, "2"))
        self.check("no list of integers", lambda p: p["timeDeltas"].__setitem__(0, 1.5))
        self.check("no list of integers", lambda p: p["timeDeltas"].__setitem__(0, True))

    def test_tree(self):
        self.check("an id occurs twice", lambda p: p["nodes"][2].update(id=2))
        self.check("a child is not a node", lambda p: p["nodes"][2].update(children=[9]))
        self.check("two parents", lambda p: p["nodes"][0].update(children=[2, 3]))
        self.check("two parents", lambda p: p["nodes"][1].update(children=[3, 3]))
        self.check("root", lambda p: p["nodes"][1].pop("children"))
        self.check("root", lambda p: p["nodes"][2].update(children=[1]))

        def circle(p):
            p["nodes"][0].pop("children")
            p["nodes"][2]["children"] = [2]

        self.check("circle", circle)

    def test_samples(self):
        self.check("differ in number", lambda p: p["samples"].pop())
        self.check("differ in number", lambda p: p["timeDeltas"].pop())
        self.check("of no node", lambda p: p["samples"].__setitem__(0, 4))
        self.check("more hits than samples", lambda p: p["samples"].__setitem__(0, 3))
        self.check(None, lambda p: p.update(samples=p["samples"] + [3] * 9, timeDeltas=[70] * 29))  # taken without a hit
        self.check(None, lambda p: p.update(samples=p["samples"][:12], timeDeltas=[100] * 12))  # a full buffer
        self.check("ticks are not", lambda p: p["nodes"][1].update(hitCount=9))

    def test_first_uses(self):
        def siblings(p):
            p["nodes"][0]["children"] = [2, 3]
            p["nodes"][1].pop("children")

        def exchanged(p):
            siblings(p)
            p["samples"][:10] = p["samples"][5:10] + p["samples"][:5]

        self.check(None, siblings)
        self.check("before its turn", exchanged)
        self.check(None, lambda p: p["samples"].reverse())

    def test_numbers_of_nodes(self):
        def gap(p):
            p["nodes"][1]["children"] = [4]
            p["nodes"][2]["id"] = 4
            p["samples"] = [4 if s == 3 else s for s in p["samples"]]

        self.check("not 1 to n", gap)

    def test_times(self):
        self.check("before the last sample", lambda p: p.update(endTime=2999))
        self.check(None, lambda p: p.update(endTime=9201))
        self.check("before the start", lambda p: p.update(startTime=4000))
        self.check("before the start", lambda p: p["timeDeltas"].__setitem__(0, -1))

    def test_others_count_hits_in_their_way(self):
        def plain(p):
            for n in p["nodes"]:
                n.pop("positionTicks", None)
            p["nodes"][1]["hitCount"] = 77

        self.check(None, plain)


class Recordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "x")
        subprocess.run([MKHTRACE, "-o", cls.path, "--config", "pid=7,type=none,cpu=1", "--profile", "synth:nodes=60,samples=40,depth=8",
                        "--plugin", "bytrace-plugin:300"], check=True, stdout=subprocess.DEVNULL)
        with open(cls.path, "rb") as f:
            cls.text = f.read()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, good, text):
        with open(self.path, "wb") as f:
            f.write(text)
        self.assertEqual(cp.contradiction(self.path) is None, good, cp.contradiction(self.path))

    def test_undamaged(self):
        self.check(True, self.text)
        self.check(True, gzip.compress(self.text))
        with gzip.open(os.path.join(DATA, "recording-cpuprofile.htrace.gz")) as f:
            text = f.read()
        self.check(True, text)
        profiles = htrace.Recording(text).profiles
        self.assertEqual(len(profiles), 1)
        self.check(True, profiles[0]["text"])
        for name in ("tiny/profile.cpuprofile", "tiny/arkts.cpuprofile", "spec_g/profile.json"):
            self.assertIsNone(cp.contradiction(os.path.join(DATA, name)))

    def test_container(self):
        t = self.text
        self.check(False, t[:-1])
        self.check(False, t[:1023])
        self.check(False, t[:16] + b"\0\0\0\0\1\0\0\0" + t[24:])
        self.check(False, t.replace(b"bytrace-plugin", b"bytrace-plugim"))
        self.check(False, t.replace(b'{"id":3,"result":{}}', b'{"id":4,"result":{}}', 1))
        self.check(False, t.replace(b'"timeDeltas":[', b'"timeDeltas":{'))
        self.check(False, gzip.compress(t)[:-9])
        segments = t[htrace.HEADER :]
        size = int.from_bytes(segments[:4], "little") + 4
        self.check(False, t[: htrace.HEADER] + segments[size:] + segments[:size])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
