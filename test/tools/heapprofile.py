#!/usr/bin/env python3
"""Sampling heap profiles, the recorded one and random ones: every cell is compared with what Python reads; and damaged ones are told from whole ones.

usage: heapprofile.py TRACE_STREAMER TESTDIR
"""

import json
import os
import random
import sys
import tempfile

program, testdir = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import heapprofile
import starts

NAMES = ["", "(root)", "leak", "grow", "(anonymous)", "naïve", "\U0001f600", "a\nb", 'say "x"', "get [Symbol.iterator]"]
URLS = ["", "node:fs", "file:///app/a.js", "https://example.org/ä?b=c&d"]


def scaled(rng, counts):
    """Sizes as V8 estimates them from samples of objects of equal size: of a node as a whole, of each sample alone."""
    total, sizes = 0, []
    for size, n in counts:
        factor = rng.uniform(1, 40)
        total += size * int(n * factor + 0.5)
        sizes += [size * int(factor + 0.5)] * n
    return total, sizes


def profile(rng, nodes):
    all_nodes, samples = [], []
    for i in range(nodes):
        total, sizes = scaled(rng, [(rng.randrange(8, 5000, 8), rng.randrange(1, 4)) for _ in range(rng.choice((0, 0, 1, 3)))])
        node = {"callFrame": {"functionName": rng.choice(NAMES), "scriptId": str(rng.randrange(300)), "url": rng.choice(URLS),
                              "lineNumber": rng.randrange(-1, 900), "columnNumber": rng.randrange(-1, 90)}, "selfSize": total, "id": 3 * i + 1, "children": []}
        samples += [{"size": s, "nodeId": node["id"], "ordinal": 0} for s in sizes]
        if all_nodes:
            rng.choice(all_nodes[-rng.choice((1, 5, len(all_nodes))):])["children"].append(node)
        all_nodes.append(node)
    samples += [{"size": 64, "nodeId": 3 * nodes + 9, "ordinal": 0} for _ in range(rng.choice((0, 0, 3)))]
    for ordinal, s in zip(sorted(rng.sample(range(1, 1 << 40), len(samples))), samples):
        s["ordinal"] = ordinal
    rng.shuffle(samples)
    result = {"head": all_nodes[0], "samples": samples}
    if rng.random() < 0.2:
        del result["samples"]
    return result


def convert(path, out, *options):
    done = starts.run([program, path, "-e", out, "--strict", *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def whole(path, out):
    code, said = convert(path, out)
    wrong = heapprofile.compare(out, path) if code == 0 else "exit code %d: %s" % (code, said)
    if wrong:
        sys.exit("%s: %s" % (path, wrong))


def hot_methods(profile):
    """{(name, file, line): (self, total)} of the samples whose node is there: what alloc_hot_methods.sql answers."""
    _, samples = heapprofile.expected(profile)
    found = {}
    for path, size, _ in samples:
        for frame in set(path or ()):
            own, total = found.get(frame, (0, 0))
            found[frame] = (own + (size if frame == path[-1] else 0), total + size)
    return {f: v for f, v in found.items() if f[0] not in ("(root)", "(idle)")}


def question(path, out):
    """The shipped question, and that the function that keeps what it allocates comes first in the recorded profile."""
    with open(path, encoding="utf-8") as f:
        want = hot_methods(json.load(f))
    done = starts.run([program, out, "-q", os.path.join(testdir, "..", "share", "sql", "alloc_hot_methods.sql"), "--param", "limit=1000", "--output=json"],
                          capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)
    have = {(r["method"] if r["method"] != "(anonymous)" else "", r["file"], r["line"]): (r["self_bytes"], r["bytes"]) for r in rows}
    if have != {f if f[0] != "(anonymous)" else ("", *f[1:]): v for f, v in want.items()}:
        sys.exit("alloc_hot_methods: %r instead of %r" % (have, want))
    if rows[0]["method"] != "leak" or rows[1]["method"] != "Session":
        sys.exit("alloc_hot_methods: %r comes first" % rows[0])


def main():
    rng = random.Random(16)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.db")
        recorded = os.path.join(testdir, "data", "sessions.heapprofile")
        whole(recorded, out)
        question(recorded, out)
        path = os.path.join(folder, "random.heapprofile")
        for i in range(3000 if os.environ.get("TS_SLOW") == "1" else 60):
            made = profile(rng, rng.choice((1, 2, 10, 200)))
            with open(path, "w", encoding="utf-8") as f:
                json.dump(made, f, ensure_ascii=rng.random() < 0.5, sort_keys=rng.random() < 0.3, indent=rng.choice((None, None, 1)))
            whole(path, out)
        with open(recorded, "rb") as f:
            data = f.read()
        for cut in (len(data) // 3, len(data) - 3):  # in the tree, and in the samples
            with open(path, "wb") as f:
                f.write(data[:cut])
            code, said = convert(path, out)
            if code != 3:
                sys.exit("cut at %d: exit code %d: %s" % (cut, code, said))


if __name__ == "__main__":
    main()
