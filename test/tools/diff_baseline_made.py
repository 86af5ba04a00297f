#!/usr/bin/env python3
"""`trace_streamer diff --baseline=DIR` of 1, 2, 5 and more runs, random ones and parts of bundled recordings, against test/check/diff_baseline.py.

usage: diff_baseline_made.py TRACE_STREAMER TESTDIR     TS_SLOW=1: more of both
"""

import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile

program, testdir = sys.argv[1:3]
slow = os.environ.get("TS_SLOW") == "1"
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import diff
import diff_baseline
import starts

NAMES = ["a", "b", "A.b", "x] > 5", "[*]", "", "naïve \U0001f600", "a\nb"]


def run(*args, code=0):
    done = starts.run([program, *args], capture_output=True, check=False)
    if done.returncode != code:
        sys.exit("%s: exit code %d, not %d: %s" % (" ".join(args), done.returncode, code, done.stderr.decode(errors="replace")))
    return done


def compared(folder, after, by, *options, code=0):
    return json.loads(run("diff", "--baseline=" + folder, after, "--by=" + by, "--limit=0", "--output=json", "--quiet", *options, code=code).stdout or b"null")


def agree(what, wrong):
    if wrong:
        sys.exit("%s:\n%s" % (what, "\n".join(wrong[:20])))


def is_inside(row, v):
    return row[v + "_noise"] > 0 and abs(row[v + "_change"]) <= row[v + "_noise"]


def named(v, rows):
    """Of rows that have a name of their own."""
    rows = [row for row in rows if row[v + "_change"] is not None and next(iter(row.values())) and "\0" not in next(iter(row.values()))]
    return [("%s[%s]%s0" % (v, next(iter(row.values())), ">+" if row[v + "_change"] > 0 else "<-"), row[v + "_change"] != 0 and not is_inside(row, v)) for row in rows]


def conditions(what, folder, after, by, got, *options):
    """A condition of a change holds when the change is more than the noise; a limit holds whatever the noise is."""
    wanted = []
    for v, total in got["totals"].items():
        change = total["change"]
        outside = change != 0 and not (total["noise"] > 0 and abs(change) <= total["noise"])
        wanted.append(("%s%s%s0" % (v, ">" if change > 0 else "<", "+" if change > 0 else "-"), outside))
        wanted.append(("%s>=%d" % (v, int(total["after"])), True))
        rows = [r for r in got["rows"] if (r[v + "_change"] or 0) > 0 and not is_inside(r, v)]
        wanted.append((v + "[*]>+0", bool(rows)))
        if by not in ("method", "series"):
            wanted += named(v, got["rows"][:5])
    for v, kind in diff.shape(by)[1] if by == "series" else []:  # several rows of a name: any that is outside counts
        for name in sorted({row["series"] for row in got["rows"]})[:5] if kind == diff.EACH else []:
            rows = [row for row in got["rows"] if row["series"] == name and row[v + "_change"] is not None]
            wanted.append(("%s[%s]>+0" % (v, name), any(row[v + "_change"] > 0 and not is_inside(row, v) for row in rows)))
    failed = any(holds for _, holds in wanted)
    verdict = compared(folder, after, by, *options, *["--fail-if=" + text for text, _ in wanted], code=9 if failed else 0)
    for condition, (text, holds) in zip(verdict["conditions"], wanted):
        if (condition["condition"], condition["holds"]) != (text, holds) or (condition["holds"] and condition["inside_noise"]):
            sys.exit("%s: %r, not %r" % (what, condition, holds))
    return sum(condition["inside_noise"] for condition in verdict["conditions"])


def baseline(what, by, function, runs, after, *options, weight=None):
    """Puts the runs into a folder, compares, and tries that each run is within the noise of all of them."""
    shutil.rmtree("runs", ignore_errors=True)
    os.mkdir("runs")
    for i, path in enumerate(runs):
        shutil.copy(path, "runs/%02d.db" % i)
    for stray in ("notes.txt", ".hidden.db"):
        shutil.copy(__file__, os.path.join("runs", stray))
    os.mkdir("runs/folder.db")
    sides = [function(diff.Db(path)) for path in runs]
    if weight is not None and not all(any(entry.get(weight) for entry in side.values()) for side in [*sides, function(diff.Db(after))]):
        return 0
    got = compared("runs", after, by, *options)
    agree(what, diff_baseline.check(by, sides, function(diff.Db(after)), got, weight))
    if got["before"]["runs"] != len(runs):
        sys.exit("%s: %r" % (what, got["before"]))
    noise = conditions(what, "runs", after, by, got, *options)
    if len(runs) > 1:
        for path in runs[:2]:
            same = compared("runs", path, by, *options)
            if same["rows"]:
                sys.exit("%s: the run %s is not within the noise: %r" % (what, path, same["rows"][0]))
    else:  # of one run the noise is 0: the comparison with it
        plain = json.loads(run("diff", runs[0], after, "--by=" + by, "--limit=0", "--output=json", "--quiet", *options).stdout)
        once = [v for v, kind in diff.shape(by, weight)[1] if kind == diff.ONCE]  # by ids, which two runs do not share
        plain["rows"] = [{k: v for k, v in row.items() if k not in once} for row in plain["rows"]]
        plain["rows"] = [row for row in plain["rows"] if any(row[k] != 0 for k in row if k.endswith("_change"))]
        bare = [{k: v for k, v in row.items() if not k.endswith("_noise")} for row in got["rows"]]
        if sorted(bare, key=repr) != sorted(plain["rows"], key=repr) or any(row[k] for row in got["rows"] for k in row if k.endswith("_noise")):
            sys.exit("%s: one run is not as the comparison with it" % what)
    return noise


# --- random recordings -----------------------------------------------------------------------------


def profile(rng, names, path):
    nodes = [{"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "children": []}]
    for i in range(2, rng.randrange(3, 30)):
        parent = rng.choice(nodes)
        parent["children"].append(i)
        nodes.append({"id": i, "callFrame": {"functionName": rng.choice(names), "scriptId": "1", "url": rng.choice(("", "a.js")), "lineNumber": rng.randrange(4), "columnNumber": 0},
                      "children": []})
    count = rng.randrange(1, 200)
    with open("made.cpuprofile", "w", encoding="utf-8") as f:
        json.dump({"nodes": nodes, "startTime": 1000, "endTime": 1000 + 100 * count, "samples": [rng.choice(nodes)["id"] for _ in range(count)],
                   "timeDeltas": [rng.randrange(0, 3000) for _ in range(count)]}, f)
    run("made.cpuprofile", "-e", path, "--quiet")


def heap(rng, path):
    types = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"]
    strings = NAMES + ["n%d" % i for i in range(8)]
    flat = []
    for i in range(rng.randrange(1, 60)):
        flat += [rng.randrange(len(types)), rng.randrange(len(strings)), 2 * i + 1, rng.choice((0, 8, 16, rng.randrange(1000))), 0, 0, 0]
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"], "node_types": [types, "string"] + ["number"] * 5,
            "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"], "string_or_number", "node"],
            "trace_function_info_fields": [], "trace_node_fields": [], "sample_fields": [], "location_fields": []}
    with open("made.heapsnapshot", "w", encoding="utf-8") as f:
        json.dump({"snapshot": {"meta": meta, "node_count": len(flat) // 7, "edge_count": 0, "trace_function_count": 0}, "nodes": flat, "edges": [],
                   "trace_function_infos": [], "trace_tree": [], "samples": [], "locations": [], "strings": strings}, f)
    run("made.heapsnapshot", "-e", path, "--quiet", "--analyze=none")


def random_ones(seed, count):
    rng = random.Random(seed)
    noise = 0
    for i in range(count + 1):
        profile(rng, NAMES if i % 3 else NAMES[:3], "p%d.db" % i)
        heap(rng, "h%d.db" % i)
    runs = ["p%d.db" % i for i in range(count)]
    for weight in ("wall", "samples"):
        noise += baseline("profiles %d, %d runs, %s" % (seed, count, weight), "method", lambda db, w=weight: diff.methods(db, w), runs, "p%d.db" % count, "--weight=" + weight, weight=weight)
    runs = ["h%d.db" % i for i in range(count)]
    noise += baseline("heaps %d, %d runs" % (seed, count), "class", lambda db: diff.Heap(db, 0, False).classes(False), runs, "h%d.db" % count)
    return noise


# --- bundled recordings ----------------------------------------------------------------------------


def parts(source, count, tables):
    """Copies of a database of which the last rows are missing, of each another part."""
    made = []
    for i in range(count):
        made.append("part%d.db" % i)
        shutil.copy(source, made[-1])
        con = sqlite3.connect(made[-1])
        for table in tables:
            con.execute("DELETE FROM %s WHERE ts > (SELECT min(ts) + (max(ts) - min(ts)) * ? FROM %s)" % (table, table), (0.5 + 0.5 * (i + 1) / count,))
        con.commit()
        con.close()
    return made


def bundled(data):
    noise = 0
    run(os.path.join(data, "recording-cloud.tar.gz"), "-e", "cloud.db", "--quiet")
    for count in (1, 2, 5):
        runs = parts("cloud.db", count, ("cloud_call", "cloud_suspend", "cloud_tag", "stack_slice"))
        for by, function in (("call", diff.calls), ("pause", diff.pauses), ("statement", diff.statements)):
            noise += baseline("%s of %d parts" % (by, count), by, function, runs[::-1], "cloud.db")
    run(os.path.join(data, "kernel.htrace.gz"), "-e", "kernel.db", "--quiet")
    for count in (1, 2, 5):
        noise += baseline("series of %d parts" % count, "series", diff.series, parts("kernel.db", count + 1, ("measure",))[:count], "kernel.db")
    return noise


# --- what is said, and what is refused --------------------------------------------------------------


def said(data):
    shutil.rmtree("runs", ignore_errors=True)
    os.mkdir("runs")
    run(os.path.join(data, "work.jfr.gz"), "-e", "runs/a.db", "--quiet")
    run(os.path.join(data, "work21.jfr.gz"), "-e", "runs/b.db", "--quiet")
    con = sqlite3.connect("runs/b.db")  # as if a chunk had been cut off
    con.execute("INSERT INTO import_issue(source_id, severity, code, count) VALUES (1, 'data_loss', 'jfr_chunk_cut', 3)")
    con.commit()
    con.close()
    text = run("diff", "--baseline=runs", "runs/a.db", "--output=json", "--limit=1", "--fail-if=self_cpu>+1%")
    if b"runs/b.db lost data (3 defects" not in text.stderr or json.loads(text.stdout)["before"]["losses"] != 3:
        sys.exit("a run that lost data is not named: %r" % text.stderr)
    if b"runs, median of 2 runs" not in text.stderr:
        sys.exit("the baseline is not named: %r" % text.stderr)
    markdown = run("diff", "--baseline=runs/", "runs/a.db", "--output=markdown").stdout.decode()
    if "`runs/b.db lost data (3 defects" not in markdown or "**incomplete** (3 lost)" not in markdown:
        sys.exit("a run that lost data is not named in the tables: %s" % markdown)
    page = run("diff", "--baseline=runs", "runs/b.db", "--flame-diff=flame.html", "--quiet")
    with open("flame.html", encoding="utf-8") as f:
        if '"before":{"title":"a.db"}' not in f.read() or not page.stdout:
            sys.exit("the picture beside the rows is not that of a run")
    os.mkdir("nothing")
    before = {name: os.path.getsize("runs/" + name) for name in os.listdir("runs")}
    for options, words in ((["--baseline=nothing", "runs/a.db"], b"no database"), (["--baseline=missing", "runs/a.db"], b"cannot read the baseline"),
                           (["--baseline=runs", "runs/a.db", "runs/b.db"], b"one input"), (["--baseline=runs", "runs/a.db", "--by=class"], b"cannot compare by class"),
                           (["--baseline=runs", "runs/a.db", "--flame-diff=runs/b.db"], b"is an input"), (["--baseline=runs", "cloud.db", "--by=method"], b"name what both have"),
                           (["--baseline=runs", "runs/a.db", "--to=flame", "-o", "x.html"], b"does not go together"), (["--baseline=runs", "h0.db", "--by=node"], b"node")):
        done = run("diff", *options, code=1 if b"cannot read" in words else 2)
        if words not in done.stderr:
            sys.exit("%r: %r" % (options, done.stderr))
    if before != {name: os.path.getsize("runs/" + name) for name in os.listdir("runs")} or os.path.exists("x.html"):
        sys.exit("a refused comparison has written something")


def main():
    data = os.path.abspath(os.path.join(testdir, "data"))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        noise = bundled(data)
        for seed in range(20 if slow else 2):
            for count in (1, 2, 5, 9):
                noise += random_ones(seed, count)
        said(data)
        os.chdir("/")
    if noise < 10:
        sys.exit("only %d conditions were noise" % noise)


main()
