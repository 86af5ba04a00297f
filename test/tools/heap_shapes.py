#!/usr/bin/env python3
"""heap_shapes.py PROGRAM MKHTRACE TEST-DIRECTORY: intact heaps in the shapes that real recorders give them are not called damaged: --strict gives
0, no issue is above info, and every cell is that of the independent readers. Then the same with one true contradiction each, which has to be found."""
import copy
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

PROGRAM, MKHTRACE, TESTS = sys.argv[1:4]
NODE_TYPES = "hidden array string object code closure regexp number native synthetic".split()
EDGE_TYPES = "context element property internal hidden shortcut weak".split()
FIELDS = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"]
failed = False


def wrong(text):
    global failed
    failed = True
    print("WRONG:", text)


def v8(fields=FIELDS, sizes=lambda i: 8 * i, announced=5, functions=5, spare=0):
    """600 nodes with strings in the order of their first use. sizes: of strings. announced: functions of `functions`, all of which the tree
    names. spare: strings that nothing uses."""
    strings, nodes, edges = ["<dummy>"], [], []

    def use(text):
        strings.append(text)
        return len(strings) - 1

    for i in range(600):
        kind = 9 if i == 0 else 2 if i % 3 == 0 else 3
        row = {"type": kind, "name": use("text %d" % i), "id": 2 * i + 1, "self_size": sizes(i) if kind == 2 else 16, "edge_count": 1,
               "trace_node_id": 1 + i % functions if announced else 0, "detachedness": 0}
        nodes += [row[f] for f in fields]
    for i in range(600):
        edges += [2, use("edge %d" % i), len(fields) * ((i * 7 + 1) % 600)]
    infos = []
    for i in range(functions if announced else 0):
        infos += [max(2 * i - 1, 0), use("function %d" % i), use("script %d" % i), 1, i, 0]  # V8's first two have the id 0
    tree = []
    for i in reversed(range(functions if announced else 0)):
        tree = [i + 1, i, 1, 16, tree]
    meta = {"node_fields": fields, "node_types": [NODE_TYPES] + ["number"] * (len(fields) - 1),
            "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [EDGE_TYPES, "string_or_number", "node"],
            "trace_function_info_fields": ["function_id", "name", "script_name", "script_id", "line", "column"],
            "trace_node_fields": ["id", "function_info_index", "count", "size", "children"],
            "sample_fields": ["timestamp_us", "last_assigned_id"],
            "location_fields": ["object_index", "script_id", "line", "column"]}
    return {"snapshot": {"meta": meta, "node_count": 600, "edge_count": 600, "trace_function_count": announced}, "nodes": nodes, "edges": edges,
            "trace_function_infos": infos, "trace_tree": tree, "samples": [], "locations": [],
            "strings": strings + ["spare %d" % i for i in range(spare)]}


def made_order():
    """Strings in the order in which nodes and edges were made, node by node: that of V8 for a while, and then another."""
    heap = v8()
    used = heap["strings"]
    order = list(range(len(used)))
    order[301:1101] = reversed(order[301:1101])
    place = {old: new for new, old in enumerate(order)}
    heap["strings"] = [used[i] for i in order]
    for array, at, stride in (("nodes", 1, 7), ("edges", 1, 3), ("trace_function_infos", 1, 6), ("trace_function_infos", 2, 6)):
        heap[array][at::stride] = [place[i] for i in heap[array][at::stride]]
    return heap


def even_ids():
    heap = v8()
    heap["nodes"][2 + 7 * 100 :: 7] = range(202, 202 + 2 * 500, 2)
    return heap


def gap_in_tree():
    """An allocation stack whose number nothing names is not there."""
    heap = v8()
    heap["nodes"][5::7] = [t if t != 5 else 6 for t in heap["nodes"][5::7]]
    node = heap["trace_tree"]
    while node[4]:
        node = node[4]
    node[0] = 6
    return heap


SHAPES = {
    "V8": v8(),
    "sizes of Node.js 24": v8(sizes=lambda i: (22791, 6547, 1027)[i % 3 if i % 2 else i // 3 % 3] + i),
    "no trace_node_id, as Node.js 24": v8(fields=[f for f in FIELDS if f != "trace_node_id"], announced=0, sizes=lambda i: i),
    "no detachedness, as Node.js 14": v8(fields=FIELDS[:6]),
    "more functions than announced, as in process": v8(announced=3),
    "strings that nothing uses": v8(spare=7),
    "strings in another order": made_order(),
    "even ids": even_ids(),
    "a gap in the tree": gap_in_tree(),
}


def convert(path, *options):
    if os.path.exists("out.db"):
        os.unlink("out.db")
    return starts.run([PROGRAM, path, "-e", "out.db", "--strict", "--quiet", *options], capture_output=True, text=True, check=False)


def issues(least):
    with sqlite3.connect("out.db") as db:
        severe = ("info", "warning", "data_loss", "error")[least:]
        return db.execute("SELECT code, message FROM import_issue WHERE severity IN (%s)" % ",".join("'%s'" % s for s in severe)).fetchall()


def plain(script, *arguments):
    r = subprocess.run([sys.executable, os.path.join(TESTS, "check", script), *arguments], capture_output=True, text=True, check=False)
    return None if r.returncode == 0 else r.stdout[-600:] + r.stderr[-600:]


def intact(name, path, kind):
    done = convert(path, "--analyze=heap")
    if done.returncode != 0:
        wrong("%s: exit code %d: %s" % (name, done.returncode, done.stderr[-300:]))
        return
    if issues(1):
        wrong("%s: %s" % (name, issues(1)))
    for script, more in (("check.py", (kind, path)), ("heap_analysis.py", ())):
        said = plain(script, "out.db", *more)
        if said:
            wrong("%s: %s: %s" % (name, script, said))


def write(heap, path="heap.heapsnapshot"):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(heap, f, separators=(",", ":"))
    return path


def check_made():
    """Of ArkTS's recorder: bare, and in a recording with chunks of any size."""
    for seed in range(1, 5):
        heap = "nodes=700,edges=3000,strings=150,arkts=1,seed=%d" % seed
        subprocess.run([MKHTRACE, "--emit", "heapsnapshot", "--synthetic", heap, "-o", "a.heapsnapshot"], check=True)
        intact("ArkTS " + heap, "a.heapsnapshot", "--heap")
        subprocess.run([MKHTRACE, "-o", "a.htrace", "--config", "pid=1,type=snapshot", "--snapshot", "synth:" + heap, "--snapshot",
                        "synth:%s,seed=9" % heap], check=True)
        intact("ArkTS recording " + heap, "a.htrace", "--htrace")
        same_roots()
        timeline = "synth:%s,trace=20,samples=30" % heap
        subprocess.run([MKHTRACE, "-o", "t.htrace", "--chunk-size", "1000", "--config", "pid=1,type=timeline", "--timeline", timeline], check=True)
        intact("ArkTS timeline " + heap, "t.htrace", "--htrace")


def same_roots():
    """Roots that share the id 0 are not mixed: the edges of each have its name, which counts them, and the one before is that of its place."""
    with sqlite3.connect("out.db") as db:
        names = db.execute("SELECT from_name, count(*) FROM v_js_edge WHERE file_id = 0 AND from_node_id = 0 GROUP BY 1").fetchall()
        roots = db.execute("SELECT count(*) FROM v_js_node WHERE file_id = 0 AND node_id = 0 AND edge_count > 0").fetchone()[0]
        if len(names) != roots or any(not name.endswith("[%d]" % count) for name, count in names):
            wrong("edges of roots with the id 0: %s" % names)
        places = db.execute("SELECT node_index, previous FROM v_js_retained WHERE file_id = 1 AND node_id = 0").fetchall()
        if places != [(i, i) for i in range(1, 5)]:
            wrong("roots before: %s" % places)


# --- what contradicts itself ----------------------------------------------------------------------


def doubled(heap, array, at, n):
    heap[array][at + n : at + n] = heap[array][at : at + n]


def contradictions():
    """(name, heap): each is a loss."""
    heap = v8(announced=3)
    doubled(heap, "trace_function_infos", 12, 6)
    yield "more functions, one of them twice", heap
    heap = v8(announced=3)
    heap["trace_tree"][1] = 5
    yield "more functions, and the tree names another", heap
    heap = v8(announced=7)
    yield "fewer functions than announced", heap
    heap = v8()
    doubled(heap, "strings", 100, 3)
    yield "strings twice", heap
    heap = v8()
    del heap["strings"][50]
    yield "a string is missing", heap
    heap = v8()
    doubled(heap, "nodes", 70, 14)
    yield "nodes twice", heap
    heap = v8()
    doubled(heap, "edges", 30, 3)
    yield "an edge twice", heap
    heap = gap_in_tree()
    heap["nodes"][7 * 30 + 5] = 5
    yield "a node was allocated where the tree has no place", heap
    heap = copy.deepcopy(v8())
    heap["trace_tree"][0] = 2
    yield "two places of the tree have one id", heap


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, heap in SHAPES.items():
            intact(name, write(heap), "--heap")
        check_made()
        for name, heap in contradictions():
            done = convert(write(heap))
            if done.returncode != 3 or not issues(2):
                wrong("%s: exit code %d, issues %s" % (name, done.returncode, issues(0)))
        os.chdir("/")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
