#!/usr/bin/env python3
"""`trace_streamer diff` on the bundled recordings and on random ones, against plain dictionaries (test/check/diff.py).

usage: diff.py TRACE_STREAMER MKFLARE TESTDIR [ROUNDS]     TS_SLOW=1: more of both
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

program, mkflare, testdir = sys.argv[1:4]
slow = os.environ.get("TS_SLOW") == "1"
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 200 if slow else 4
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import diff

# Names that a text of keys, a condition or a terminal could trip over.
NAMES = ["", "(root)", "a", "b", "A.b", "x] > 5", "[*]", "*", "count", "naïve \U0001f600", "a\nb", "a\tb", "a\0b", 'say "x"', "\x1b[31m", "1", "001", "(anonymous)", "x" * 300]
URLS = ["", "a.js", "b.js", "file:///x y.js"]


def run(*args, code=0):
    done = subprocess.run([program, *args], capture_output=True, check=False)
    if done.returncode != code:
        sys.exit("%s: exit code %d, not %d: %s" % (" ".join(args), done.returncode, code, done.stderr.decode(errors="replace")))
    return done.stdout


def compared(a, b, by, *options, code=0):
    return json.loads(run("diff", a, *([b] if b else []), "--by=" + by, "--limit=0", "--output=json", "--quiet", *options, code=code))


def agree(what, wrong):
    if wrong:
        sys.exit("%s:\n%s" % (what, "\n".join(wrong[:20])))


# --- one comparison ------------------------------------------------------------------------------


def heaps(a, b, file_a, file_b, analysed, *options):
    """By class and by node; the same database twice: b is None."""
    old, new = diff.Heap(diff.Db(a), file_a, analysed), diff.Heap(diff.Db(b or a), file_b, analysed)
    once = diff.heap_changes(old, new)
    before, after = old.classes(analysed), new.classes(analysed)
    agree("classes of %s, %s" % (a, b), diff.check("class", before, after, compared(a, b, "class", *options), {k: once[k] for k in set(before) | set(after)}))
    nodes = diff.heap_nodes(old, new, analysed)
    sides = [{k: pair[i] for k, pair in nodes.items() if k[1] != ("new", "deleted")[i]} for i in (0, 1)]
    agree("nodes of %s, %s" % (a, b), diff.check("node", *sides, compared(a, b, "node", *options)))


def rows(a, b, by, function, *options, **wanted):
    agree("%s of %s, %s" % (by, a, b), diff.check(by, function(diff.Db(a), **wanted), function(diff.Db(b), **wanted), compared(a, b, by, *options)))


# --- random recordings -----------------------------------------------------------------------------


def snapshot(rng, old=None):
    """A heap snapshot; with `old` most of its nodes are those of that one."""
    types = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"]
    strings = NAMES + ["n%d" % i for i in range(20)]
    nodes = [] if old is None else [list(n) for n in old if rng.random() < 0.8]
    for n in nodes:
        if rng.random() < 0.1:
            n[3] = rng.randrange(0, 500)
    known = {n[2] for n in nodes}
    for _ in range(rng.randrange(1, 60)):
        node = rng.choice((rng.randrange(1, 4000), rng.randrange(1 << 40)))
        if node not in known:
            known.add(node)
            nodes.append([rng.randrange(len(types)), rng.randrange(len(strings)), node, rng.choice((0, 8, 16, rng.randrange(1 << 30)))])
    rng.shuffle(nodes)
    flat = [n for node in nodes for n in node + [0, 0, 0]]
    fields = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"]
    meta = {"node_fields": fields, "node_types": [types, "string"] + ["number"] * 5, "edge_fields": ["type", "name_or_index", "to_node"],
            "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"], "string_or_number", "node"],
            "trace_function_info_fields": [], "trace_node_fields": [], "sample_fields": [], "location_fields": []}
    return nodes, {"snapshot": {"meta": meta, "node_count": len(nodes), "edge_count": 0, "trace_function_count": 0}, "nodes": flat, "edges": [],
                   "trace_function_infos": [], "trace_tree": [], "samples": [], "locations": [], "strings": strings}


def profile(rng):
    """A CPU profile with recursion, equal names in several places, (idle) and (root)."""
    nodes = [{"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "children": []}]
    for i in range(2, rng.randrange(3, 50)):
        parent = rng.choice(nodes)
        parent["children"].append(i)
        name = rng.choice(NAMES + ["(idle)", "(program)"])
        nodes.append({"id": i, "callFrame": {"functionName": name, "scriptId": "1", "url": rng.choice(URLS), "lineNumber": rng.randrange(4), "columnNumber": 0}, "children": []})
    count = rng.randrange(1, 200)
    return {"nodes": nodes, "startTime": 1000, "endTime": 1000 + 100 * count, "samples": [rng.choice(nodes)["id"] for _ in range(count)],
            "timeDeltas": [rng.randrange(0, 3000) for _ in range(count)]}


def random_ones(seed):
    rng = random.Random(seed)
    old, first = snapshot(rng)
    _, second = snapshot(rng, old)
    for name, content in (("a.heapsnapshot", first), ("b.heapsnapshot", second), ("a.cpuprofile", profile(rng)), ("b.cpuprofile", profile(rng))):
        with open(name, "w", encoding="utf-8") as f:
            json.dump(content, f)
    analyse = ["--analyze=heap"] if seed % 2 else ["--analyze=none"]
    run("a.heapsnapshot", "-e", "a.db", "--quiet", *analyse)
    run("b.heapsnapshot", "-e", "b.db", "--quiet", *analyse)
    heaps("a.db", "b.db", 0, 0, bool(seed % 2))
    run("a.cpuprofile", "b.cpuprofile", "-e", "c.db", "--quiet")
    run("b.cpuprofile", "-e", "d.db", "--quiet")
    rows("c.db", "d.db", "method", diff.methods)
    # Sources of one database are as two databases.
    one = compared("c.db", None, "method", "--before=a.cpuprofile", "--after=b.cpuprofile")
    agree("sources", diff.check("method", diff.methods(diff.Db("c.db"), source=1), diff.methods(diff.Db("c.db"), source=3), one))
    for path in os.listdir("."):
        os.remove(path)


# --- conditions ------------------------------------------------------------------------------------


def conditions(a, b, by):
    """Each kind of condition against the numbers of the rows; a failed one is exit code 9."""
    rng = random.Random(1)
    plain = compared(a, b, by)
    wanted = []
    for row, value in itertools.product(plain["rows"][:4], plain["totals"]):
        if "before" not in plain["totals"][value] or row[value + "_after"] is None or row[value + "_change"] is None:
            continue
        key = row[list(row)[0]]
        same = [r for r in plain["rows"] if r[list(r)[0]] == key]
        if key is None or len(same) > 1:
            continue
        for form, number in (("", row[value + "_after"]), ("+", row[value + "_change"])):
            sign = "" if form == "" else "-" if number < 0 else "+"
            for op, holds in ((">", False), (">=", True), ("<", False), ("<=", True)):
                wanted.append(("%s[%s]%s%s%d" % (value, key, op, sign, abs(number)), holds))
        total = plain["totals"][value]
        wanted.append(("%s>%d" % (value, total["after"] - 1), True))
        wanted.append(("%s>%s%d" % (value, "-" if total["change"] < 0 else "+", abs(total["change"])), False))
        wanted.append(("%s[*]>=%d" % (value, max(r[value + "_after"] or 0 for r in plain["rows"])), True))
    wanted = [w for w in wanted if "\0" not in w[0]]
    rng.shuffle(wanted)
    for start in range(0, min(len(wanted), 240 if slow else 36), 12):
        part = wanted[start:start + 12]
        got = compared(a, b, by, *["--fail-if=" + text for text, _ in part], code=9 if any(h for _, h in part) else 0)
        if [(c["condition"], c["holds"]) for c in got["conditions"]] != part:
            sys.exit("conditions of %s, %s: %r, not %r" % (a, b, got["conditions"], part))
        if got["failed"] != any(h for _, h in part) or got["rows"] != plain["rows"]:
            sys.exit("conditions of %s, %s: rows or verdict differ" % (a, b))


# --- bundled recordings ----------------------------------------------------------------------------


def bundled(data):
    for name, out in (("recording-snapshots.htrace.gz", "heap.db"), ("recording-timeline.htrace.gz", "timeline.db"), ("recording-cpuprofile.htrace.gz", "cpu.db"),
                      ("recording-cloud.tar.gz", "cloud.db"), ("sessions.heapprofile", "alloc.db")):
        run(os.path.join(data, name), "-e", out, "--quiet", "--analyze=none")
    heaps("timeline.db", "heap.db", 0, 2, False)
    if slow:
        heaps("heap.db", None, 0, 2, False)
        heaps("heap.db", "heap.db", 1, 0, False, "--before=Snapshot1", "--after=Snapshot0")
    rows("cpu.db", "alloc.db", "method", diff.methods)
    rows("cloud.db", "cpu.db", "method", diff.methods)
    conditions("cpu.db", "cloud.db", "method")
    if slow:
        conditions("heap.db", None, "class")
    # One half of a recording against the whole of it.
    middle = diff.Db("cloud.db").con.execute("SELECT avg(ts) FROM cloud_call").fetchone()[0]
    for by, function in (("call", diff.calls), ("statement", diff.statements), ("pause", diff.pauses)):
        con = diff.sqlite3.connect("half.db")
        diff.Db("cloud.db").con.backup(con)
        for table in ("cloud_call", "cloud_suspend", "cloud_tag", "stack_slice"):
            con.execute("DELETE FROM %s WHERE ts > ?" % table, (middle,))
        con.commit()
        con.close()
        rows("half.db", "cloud.db", by, function)
    for name, options in (("one", ["--threads=3", "--seconds=4"]), ("two", ["--threads=4", "--seconds=3", "--seed=5", "--missing-every=3"])):
        subprocess.run([mkflare, *options, name], check=True, capture_output=True)
        run(name, "-e", name + ".db", "--quiet")
    rows("one.db", "two.db", "series", diff.series)
    rows("one.db", "two.db", "method", diff.methods)
    conditions("one.db", "two.db", "series")
    first, last = diff.Db("one.db").con.execute("SELECT min(ts), max(ts) FROM stack_sample").fetchone()
    middle = (first + last) // 2
    rows("one.db", "two.db", "method", diff.methods, "--from=%d" % first, "--until=%d" % middle, since=first, until=middle)
    (name, itid), = diff.Db("one.db").con.execute("SELECT t.name, s.itid FROM stack_sample AS s, thread AS t WHERE t.rowid = s.itid + 1 GROUP BY s.itid ORDER BY count(*) DESC LIMIT 1")
    again = diff.Db("two.db").con.execute("SELECT rowid - 1 FROM thread WHERE name = ?", (name,)).fetchone()
    got = compared("one.db", "two.db", "method", "--thread=" + name)
    agree("thread", diff.check("method", diff.methods(diff.Db("one.db"), thread=itid), diff.methods(diff.Db("two.db"), thread=again and again[0] or -1), got))
    # A database against the recording that it was made of: no row differs.
    for name, db, by in (("recording-cloud.tar.gz", "cloud.db", "call"), ("recording-timeline.htrace.gz", "timeline.db", "class")):
        got = compared(os.path.join(data, name), db, by)
        if got["changed_rows"] != 0 or got["rows"]:
            sys.exit("%s: %r" % (name, got["rows"][:3]))


def main():
    data = os.path.abspath(os.path.join(testdir, "data"))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        bundled(data)
        os.mkdir("random")
        os.chdir("random")
        for seed in range(rounds):
            random_ones(seed)
        os.chdir("/")


main()
