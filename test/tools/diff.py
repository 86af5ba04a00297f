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
import starts

# Names that a text of keys, a condition or a terminal could trip over.
NAMES = ["", "(root)", "a", "b", "A.b", "x] > 5", "[*]", "*", "count", "naïve \U0001f600", "a\nb", "a\tb", "a\0b", 'say "x"', "\x1b[31m", "1", "001", "(anonymous)", "x" * 300]
URLS = ["", "a.js", "b.js", "file:///x y.js"]


def run(*args, code=0):
    done = starts.run([program, *args], capture_output=True, check=False)
    if done.returncode != code:
        sys.exit("%s: exit code %d, not %d: %s" % (" ".join(args), done.returncode, code, done.stderr.decode(errors="replace")))
    return done.stdout


def compared(a, b, by, *options, code=0):
    return json.loads(run("diff", a, *([b] if b else []), "--by=" + by, "--limit=0", "--output=json", "--quiet", *options, code=code) or b"null")


def agree(what, wrong):
    if wrong:
        sys.exit("%s:\n%s" % (what, "\n".join(wrong[:20])))


# --- one comparison ------------------------------------------------------------------------------


def heaps(a, b, file_a, file_b, analysed, *options):
    """By class and by node; the same database twice: b is None."""
    old, new = diff.Heap(diff.Db(a), file_a, analysed), diff.Heap(diff.Db(b or a), file_b, analysed)
    once = diff.heap_changes(old, new)
    before, after = old.classes(analysed), new.classes(analysed)
    once = {k: once[k] for k in set(before) | set(after)}
    related = b is None or a == b or diff.comparable(old, new)
    got = compared(a, b, "class", *options)
    agree("classes of %s, %s" % (a, b), diff.check("class", before, after, got, once if related else None))
    if not related:  # by ids all the same, because they are named
        if any("new_count" in row for row in got["rows"]):
            sys.exit("%s, %s: ids do not mean the same objects, and are compared" % (a, b))
        agree("ids of %s, %s" % (a, b), diff.check("class", before, after, compared(a, b, "class", "--weight=new_count", *options), once))
    nodes = diff.heap_nodes(old, new, analysed)
    sides = [{k: pair[i] for k, pair in nodes.items() if k[1] != ("new", "deleted")[i]} for i in (0, 1)]
    agree("nodes of %s, %s" % (a, b), diff.check("node", *sides, compared(a, b, "node", *options)))


def rows(a, b, by, function, *options, **wanted):
    agree("%s of %s, %s" % (by, a, b), diff.check(by, function(diff.Db(a), **wanted), function(diff.Db(b), **wanted), compared(a, b, by, *options)))


def methods(a, b, weight, *options, **wanted):
    """By what the program is asked for, and by that alone when it is what it takes by itself."""
    for named in (["--weight=" + weight], [])[: 2 if weight == "cpu" else 1]:
        sides = [diff.methods(diff.Db(path), weight, **wanted) for path in (a, b)]
        if not all(any(entry.get(weight) for entry in side.values()) for side in sides):
            compared(a, b, "method", *named, *options, code=2)
            continue
        agree("methods of %s, %s by %s" % (a, b, weight), diff.check("method", *sides, compared(a, b, "method", *named, *options), weight=weight))


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
    for weight in ("wall", "samples"):
        methods("c.db", "d.db", weight)
    # Sources of one database are as two databases.
    one = compared("c.db", None, "method", "--weight=samples", "--before=a.cpuprofile", "--after=b.cpuprofile")
    agree("sources", diff.check("method", *(diff.methods(diff.Db("c.db"), "samples", source=s) for s in (1, 3)), one, weight="samples"))
    for path in os.listdir("."):
        os.remove(path)


# --- conditions ------------------------------------------------------------------------------------


def conditions(a, b, by, *options):
    """Each kind of condition against the numbers of the rows; a failed one is exit code 9."""
    rng = random.Random(1)
    plain = compared(a, b, by, *options)
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
        got = compared(a, b, by, *options, *["--fail-if=" + text for text, _ in part], code=9 if any(h for _, h in part) else 0)
        if [(c["condition"], c["holds"]) for c in got["conditions"]] != part:
            sys.exit("conditions of %s, %s: %r, not %r" % (a, b, got["conditions"], part))
        if got["failed"] != any(h for _, h in part) or got["rows"] != plain["rows"]:
            sys.exit("conditions of %s, %s: rows or verdict differ" % (a, b))


# --- answers -----------------------------------------------------------------------------------------

# What the recordings of test/data say, of what has a stack: recording, options, value, its total, and a row with its number.
ANSWERS = [
    ("work.jfr.gz", "method", [], "self_cpu", 130_000_000, None),
    ("work.jfr.gz", "method", ["--weight=waiting"], "self_waiting", 1_464_028_604, None),
    ("work.jfr.gz", "method", ["--weight=waiting:park"], "self_waiting", 225_487_240, None),
    ("work.jfr.gz", "method", ["--weight=waiting:sleep"], "self_waiting", 221_897_639, None),
    ("work.jfr.gz", "method", ["--weight=waiting:wait"], "self_waiting", 904_494_519, None),
    ("work.jfr.gz", "method", ["--weight=waiting:lock"], "self_waiting", 38_163_220, None),
    ("work.jfr.gz", "method", ["--weight=waiting:io"], "self_waiting", 73_985_986, None),
    ("work.jfr.gz", "method", ["--weight=cpu", "--thread=worker-*"], "self_cpu", 110_000_000, None),
    ("work.jfr.gz", "method", ["--weight=cpu", "--thread=tid=7834"], "self_cpu", 50_000_000, None),
    ("work.jfr.gz", "method", ["--weight=cpu", "--thread=id=3"], "self_cpu", 50_000_000, None),
    ("work.jfr.gz", "method", ["--weight=allocation"], "self_allocation", 449_934_064, ("RecordJfr.allocate", 429_964_888)),
    ("work.jfr.gz", "method", ["--weight=alloc_space_tlab"], "self_value", 416_169_328, None),
    ("work.jfr.gz", "pause", [], "count", 26, None),
    ("work.jfr.gz", "pause", [], "total", 225_133_341, None),
    ("work21.jfr.gz", "method", [], "self_cpu", 70_000_000, None),
    ("work21.jfr.gz", "method", ["--weight=allocation"], "self_allocation", 450_872_968, None),
    ("work21.jfr.gz", "pause", [], "total", 267_033_256, None),
    ("recording-cpuprofile.htrace.gz", "method", [], "self_cpu", 268_363_000, ("sortPrices", 54_098_000)),
    ("recording-cpuprofile.htrace.gz", "method", ["--weight=cpu:gc"], "self_cpu", 53_817_000, ("(garbage collector)", 53_817_000)),
    ("recording-cpuprofile.htrace.gz", "method", ["--weight=waiting:idle"], "self_waiting", 1_233_070_000, ("(idle)", 1_233_070_000)),
    ("recording-cpuprofile.htrace.gz", "method", ["--weight=wall", "--from=+0s", "--until=+0.5s"], "self_wall", 493_415_000, ("(idle)", 402_666_000)),
    ("recording-cpuprofile.htrace.gz", "method", ["--weight=cpu", "--from=+0s", "--until=+0.5s"], "self_cpu", 90_749_000, None),
    ("recording-cpuprofile.htrace.gz", "method", ["--weight=samples", "--from=+0s", "--until=+0.5s"], "self_samples", 426, None),
    ("Trace-page.json.gz", "method", [], "self_cpu", 137_919_000, None),
    ("Trace-page.json.gz", "method", ["--after=TraceProfile0"], "self_cpu", 31_671_000, None),
    ("Trace-page.json.gz", "method", ["--after=TraceProfile1"], "self_cpu", 106_248_000, None),
    ("Trace-page.json.gz", "method", ["--weight=wall"], "self_wall", 237_536_000, None),
    ("Trace-page.json.gz", "method", ["--weight=calls_async"], "self_value", 54_106_000, None),
    ("node_trace.1.log.gz", "method", [], "self_wall", 24_552_000, None),
    ("node_trace.1.log.gz", "method", ["--weight=calls_async"], "self_value", 168_747_000, None),
    ("go-cpu.pprof", "method", [], "self_cpu", 180_000_000, ("main.fib", 130_000_000)),
    ("go-heap.pprof", "method", [], "self_live", 4_179_596, None),
    ("go-heap.pprof", "method", ["--weight=alloc_space"], "self_allocation", 11_829_292, None),
    ("go-heap.pprof", "method", ["--weight=alloc_objects"], "self_allocation", 537, None),
    ("go-heap.pprof", "method", ["--weight=inuse_objects"], "self_live", 128, None),
    ("go-mutex.pprof", "method", [], "self_waiting", 14_698_107, None),
    ("go-mutex.pprof", "method", ["--weight=contentions"], "self_waiting", 103, None),
    ("node-time.pprof", "method", [], "self_wall", 12_000_000, None),
    ("node-heap.pprof", "method", [], "self_live", 2_914_678, None),
    ("sessions.heapprofile", "method", [], "self_live", 10_002_416, ("leak", 5_352_488)),
    ("recording-cloud.tar.gz", "method", [], "self_wall", 7_119_000_000, ("executeQuery", 5_267_000_000)),
    ("recording-cloud.tar.gz", "call", [], "cpu", 1_374_000_000, None),
    ("recording-cloud.tar.gz", "pause", [], "count", 5, None),
    ("recording-cloud.tar.gz", "pause", [], "total", 276_000_000, None),
    ("kernel.htrace.gz", "method", [], "self_wall", 14_682_856, ("H:call 0", 2_061_395)),
    ("recording-timeline.htrace.gz", "method", ["--weight=alloc_space"], "self_allocation", 29_217_376, None),
    ("recording-timeline.htrace.gz", "method", ["--weight=inuse_space"], "self_live", 1_768, None),
    ("recording-snapshots.htrace.gz", "class", ["--after=Snapshot0"], "self_size", 3_277_201, None),
    ("recording-snapshots.htrace.gz", "class", ["--after=Snapshot1"], "self_size", 3_444_425, None),
    ("recording-snapshots.htrace.gz", "class", [], "self_size", 3_617_489, ("(compiled code)", 920_336)),
    ("recording-snapshots.htrace.gz", "class", [], "count", 49_612, ("(compiled code)", 12_741)),
    ("recording-snapshots.htrace.gz", "node", [], "self_size", 3_617_489, None),
]


def answers(data):
    """Against nothing, the rows are the recording itself; against itself, none differs."""
    made = {}
    for name, by, options, value, total, row in ANSWERS:
        if name not in made:
            made[name] = "answer%d.db" % len(made)
            run(os.path.join(data, name), "-e", made[name], "--quiet", "--analyze=none")
            run(os.path.join(data, name), "-e", "copy.db", "--quiet", "--analyze=none")
            for other in sorted({a[1] for a in ANSWERS if a[0] == name}):
                same = compared(made[name], "copy.db", other)
                if same["changed_rows"] or any(t["change"] for t in same["totals"].values() if "change" in t):
                    sys.exit("%s by %s and its copy: %r" % (name, other, same))
        got = compared(made[name], None, by, "--before=none", *options)
        what = " ".join((name, by, *options, value))
        if got["totals"][value]["after"] != total:
            sys.exit("%s: %r, not %d" % (what, got["totals"][value], total))
        shown = [r[value + "_after"] for r in got["rows"] if row is not None and next(iter(r.values())).endswith(row[0])]
        if row is not None and (not shown or max(shown) != row[1] or max(shown) != max(r[value + "_after"] for r in got["rows"]) and row[0] != "(idle)"):
            sys.exit("%s: %s has %r, not %d" % (what, row[0], shown, row[1]))
        if any(r[value + "_before"] not in (0, None) for r in got["rows"]):
            sys.exit("%s: there is something before nothing" % what)
    got = compared(made["recording-snapshots.htrace.gz"], None, "class", "--before=Snapshot1", "--after=Snapshot2")
    new, gone, new_size, gone_size = (sum(r[v] for r in got["rows"]) for v in ("new_count", "deleted_count", "new_size", "deleted_size"))
    nodes = compared(made["recording-snapshots.htrace.gz"], None, "node", "--before=Snapshot1", "--after=Snapshot2")["rows"]
    sizes = [sum(r["self_size_change"] for r in nodes if r["state"] == state) for state in ("new", "deleted")]
    if (new, gone, new_size, gone_size) != (3_689, 84, 218_378, 45_314) or sizes != [218_378, -45_314] or any(r["state"] == "changed" for r in nodes):
        sys.exit("Snapshot1 to Snapshot2: %r" % ((new, gone, new_size, gone_size, *sizes),))


# --- bundled recordings ----------------------------------------------------------------------------


def bundled(data):
    for name, out in (("recording-snapshots.htrace.gz", "heap.db"), ("recording-timeline.htrace.gz", "timeline.db"), ("recording-cpuprofile.htrace.gz", "cpu.db"),
                      ("recording-cloud.tar.gz", "cloud.db"), ("sessions.heapprofile", "alloc.db")):
        run(os.path.join(data, name), "-e", out, "--quiet", "--analyze=none")
    heaps("timeline.db", "heap.db", 0, 2, False)
    if slow:
        heaps("heap.db", None, 0, 2, False)
        heaps("heap.db", "heap.db", 1, 0, False, "--before=Snapshot1", "--after=Snapshot0")
    methods("cpu.db", "alloc.db", "samples")
    methods("cloud.db", "cpu.db", "wall")
    conditions("cpu.db", "cloud.db", "method", "--weight=wall")
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
    run(os.path.join(testdir, "data/kernel.htrace.gz"), "-e", "kernel.db", "--quiet")
    half = diff.sqlite3.connect("half_kernel.db")
    diff.Db("kernel.db").con.backup(half)
    half.execute("DELETE FROM measure WHERE ts > (SELECT avg(ts) FROM measure)")
    half.execute("UPDATE process SET name = NULL WHERE id % 2 = 1")
    half.commit()
    half.close()
    rows("half_kernel.db", "kernel.db", "series", diff.series)
    for weight in ("cpu", "wall"):
        methods("one.db", "two.db", weight)
    conditions("one.db", "two.db", "series")
    first, last = diff.Db("one.db").con.execute("SELECT min(ts), max(ts) FROM stack_sample").fetchone()
    middle = (first + last) // 2
    for weight in ("cpu", "wall"):
        methods("one.db", "two.db", weight, "--from=%d" % first, "--until=%d" % middle, since=first, until=middle)
    (name, itid), = diff.Db("one.db").con.execute("SELECT t.name, s.itid FROM stack_sample AS s, thread AS t WHERE t.rowid = s.itid + 1 GROUP BY s.itid ORDER BY count(*) DESC LIMIT 1")
    again = diff.Db("two.db").con.execute("SELECT rowid - 1 FROM thread WHERE name = ?", (name,)).fetchone()
    got = compared("one.db", "two.db", "method", "--thread=" + name)
    agree("thread", diff.check("method", diff.methods(diff.Db("one.db"), "cpu", thread=itid), diff.methods(diff.Db("two.db"), "cpu", thread=again and again[0] or -1), got, weight="cpu"))
    # A database against the recording that it was made of: no row differs.
    for name, db, by in (("recording-cloud.tar.gz", "cloud.db", "call"), ("recording-timeline.htrace.gz", "timeline.db", "class")):
        got = compared(os.path.join(data, name), db, by)
        if got["changed_rows"] != 0 or got["rows"]:
            sys.exit("%s: %r" % (name, got["rows"][:3]))


def main():
    data = os.path.abspath(os.path.join(testdir, "data"))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        answers(data)
        bundled(data)
        os.mkdir("random")
        os.chdir("random")
        for seed in range(rounds):
            random_ones(seed)
        os.chdir("/")


main()
