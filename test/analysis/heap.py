"""heap.py GROUP PROGRAM MKHTRACE TEST-DIRECTORY: the analysis heap. GROUP is one of
heap.worked: the worked examples, cell by cell, with numbers that were found by hand; heap.cases: what snapshots can have wrong, and cut ones;
heap.random: made-up snapshots against test/check/heap_analysis.py; heap.recorded: bundled and fresh ones against it; heap.growth: shapes, time."""
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import heap_made as made
import random_heaps

GROUP, PROGRAM, MKHTRACE, TESTS = sys.argv[1:5]
SLOW = bool(os.environ.get("TS_SLOW"))
sys.path.insert(0, os.path.join(TESTS, "check"))
import heap_analysis  # noqa: E402
import starts  # noqa: E402


def fail(text):
    sys.exit(f"WRONG: {text}")


def run(*arguments, codes=(0, 3)):
    r = starts.run([PROGRAM, *arguments, "--quiet", "--force"], capture_output=True, text=True, check=False)
    if r.returncode not in codes:
        fail(f"exit {r.returncode}: {arguments}: {r.stderr}")
    return r


def recording(snapshots):
    """One input with these snapshots."""
    arguments = []
    for i, s in enumerate(snapshots):
        made.write(f"{i}.heapsnapshot", s)
        arguments += ["--snapshot", f"{i}.heapsnapshot"]
    subprocess.run([MKHTRACE, "-o", "r.htrace", "--config", "pid=1,type=snapshot", *arguments], check=True)
    return "r.htrace"


def analysed(*paths, db="out.db"):
    run(*paths, "-e", db, "--analyze=heap")
    return db


def ask(db, sql):
    with sqlite3.connect(db) as c:
        return c.execute(sql).fetchall()


def same(what, got, want):
    if got != want:
        fail(f"{what}: {got}, not {want}")


def check(db, what):
    plain = heap_analysis.Check(db)
    files = plain.run()
    if plain.wrong or not files:
        fail(f"{what}: {plain.wrong} tables of {files} heap files differ")
    return files


# --- worked examples ------------------------------------------------------------------------------------------------------

SIXTEEN = """0 416 100000000 - - (synthetic) 0 16|0 0 100000001 0 0 (synthetic) 1 1|40 364 1 0 0 Window 2 11|12 32 2 2 2 Key 3 2|
24 24 3 9 9 Foo 8 1|0 0 3 9 9 (array) 9 1|16 16 3 9 9 Bar 10 1|72 72 2 2 2 WeakMap 5 2|0 0 3 7 7 (array) 6 1|124 164 2 2 2 Foo 7 4|
20 20 4 3 8 Value 4 1|48 56 2 2 2 Detached_<div> 11 2|8 8 3 11 11 Detached_Text 12 1|32 32 - 0 - Lost 13 1|10 10 - 0 - Ring 14 1|
10 10 - 0 - Ring 15 1"""
CLASSES = [
    ("Window", 1, 1, 40, 364),
    ("Key", 1, 2, 12, 32),
    ("Foo", 2, 2, 148, 164),
    ("Bar", 1, 3, 16, 16),
    ("WeakMap", 1, 2, 72, 72),
    ("Value", 1, 4, 20, 20),
    ("Detached <div>", 1, 2, 48, 56),
    ("Detached Text", 1, 3, 8, 8),
    ("Lost", 1, None, 32, 32),
    ("Ring", 2, None, 20, 20),
]


# QUESTION PARAMETERS: COLUMNS: rows of these, divided by bars.
QUESTIONS = """
js_path_to_root node=21: node_id edge_type edge_name: 21 internal 1PAIR|17 internal table|15 property m|5 shortcut window|1 - -
js_largest_retained limit=3: node_id retained_size percent: 1 416 100.0|5 364 87.5|19 164 39.42
js_largest_retained type=native: node_id constructor: 23 Detached_<div>|25 Detached_Text
js_largest_retained constructor=Foo limit=1: node_id distance: 19 2
js_constructors limit=2: name count retained_size: Window 1 364|Foo 2 164
js_dominators_of node=21: step node_id: 0 21|1 7|2 5|3 1
js_dominated node=5: node_id nodes retained_size: 19 4 164|15 2 72|23 2 56|7 2 32
js_dominated limit=2: node_id: 5|27
js_freed_by_node node=19: constructor count size: Foo 2 148|Bar 1 16|(array) 1 0
js_freed_by_class constructor=Foo: constructor count size: Foo 2 148|Bar 1 16|(array) 1 0
js_comparison file=1: name new_count deleted_count size_delta: Foo 1 0 24|Ring 0 2 -20
js_comparison file=1 base=0: name new_count deleted_count size_delta: Foo 1 0 24|Ring 0 2 -20
js_comparison file=0 base=1: name new_count deleted_count size_delta: Ring 2 0 20|Foo 0 1 -24
js_comparison file=0: name:
js_comparison: name new_count deleted_count size_delta: Foo 1 0 24|Ring 0 2 -20
js_new_nodes file=1: node_id constructor retained_size: 33 Foo 24
js_new_nodes file=1 constructor=Bar: node_id:
js_new_nodes file=0: node_id:
js_new_nodes: node_id constructor retained_size: 33 Foo 24
js_new_nodes constructor=Bar: node_id:
js_deleted_nodes: node_id constructor: 29 Ring|31 Ring
js_grown_nodes limit=1: node_id retained_size previous_size growth: 5 404 364 40
js_deleted_nodes file=1: node_id constructor: 29 Ring|31 Ring
js_deleted_nodes file=1 constructor=Foo: node_id:
js_grown_nodes file=1: node_id retained_size previous_size growth: 5 404 364 40|1 436 416 20|13 32 16 16|19 180 164 16
js_heap_statistics: kind size: total 416|V8_heap 360|code 0|strings 0|JS_arrays 0|system 0|native 56|typed_arrays 0|beside_the_nodes 0
js_held_by_detached: constructor count size: Detached_<div> 1 48|Detached_Text 1 8
js_leak_suspects: constructor path count retained_size node_id file_id: Foo window.n 1 24 33 1
"""


def questions(db):
    for line in QUESTIONS.strip().splitlines():
        asked, columns, rows = (part.split() for part in line.split(":"))
        parameters = [a for p in asked[1:] for a in ("--param", p)]
        said = run(db, "-q", os.path.join(TESTS, "..", "share", "sql", asked[0] + ".sql"), *parameters).stdout.splitlines()
        at = [said[0].split("\t").index(c) for c in columns]
        got = [[row.split("\t")[i].replace(" ", "_").replace(made.PAIR.replace(" ", "_"), "PAIR") or "-" for i in at] for row in said[1:]]
        same(line, got, [row.split() for row in " ".join(rows).split("|") if row])


def duplicates():
    """A string, a copy, a concatenation of the same text, one that V8 has made flat, and two of which V8 wrote the beginning only."""
    p = "property"
    nodes = [
        ("synthetic", "", 1, 0, [(p, str(i), i) for i in range(1, 10)]),
        ("string", "ab", 3, 16, []),
        ("string", "ab", 5, 24, []),
        ("string", "a", 7, 8, []),
        ("string", "b", 9, 8, []),
        ("concatenated string", "(concatenated string)", 11, 32, [("internal", "first", 3), ("internal", "second", 4)]),
        ("concatenated string", "(concatenated string)", 13, 32, [("internal", "first", 1), ("internal", "second", 7)]),
        ("string", "", 15, 8, []),
        ("string", "ab", 17, 8, [("internal", "truncated", 10), ("internal", "length", 12), ("internal", "hash", 14)]),
        ("string", "ab", 19, 8, [("internal", "truncated", 10), ("internal", "length", 12), ("internal", "hash", 14)]),
        ("number", "bool", 21, 0, [("internal", "value", 11)]),
        ("string", "true", 23, 0, []),
        ("number", "int", 25, 0, [("internal", "value", 13)]),
        ("string", "2000", 27, 0, []),
        ("number", "int", 29, 0, [("internal", "value", 15)]),
        ("string", "-7", 31, 0, []),
    ]
    made.write("strings.heapsnapshot", made.snapshot(nodes))
    db = analysed("strings.heapsnapshot", db="strings.db")
    check(db, "strings")
    rows = ask(db, "SELECT node_id, string, count, shallow_size, truncated, length, hash FROM v_js_duplicate_string")
    same("strings", rows, [(3, "ab", 3, 72, 0, None, None), (17, "ab", 2, 16, 1, 2000, -7)])
    said = run(db, "-q", os.path.join(TESTS, "..", "share", "sql", "js_duplicate_strings.sql"), "--param", "limit=1").stdout
    same("js_duplicate_strings", said.splitlines()[1].split("\t"), ["ab", "3", "72", "72", "3"])


def worked():
    def cell(text):
        return None if text == "-" else int(text) if text.isdigit() else text.replace("_", " ")

    db = analysed(recording([made.sixteen(), made.sixteen(newer=True)]))
    columns = "shallow_size, retained_size, distance, dominator, retainer, constructor, tree_position, tree_count"
    rows = ask(db, f"SELECT {columns} FROM v_js_retained WHERE file_id = 0 ORDER BY node_index")
    same("nodes", rows, [tuple(map(cell, line.split())) for line in SIXTEEN.replace("\n", "").split("|")])
    order = [0, 1, 2, 3, 10, 7, 8, 9, 4, 5, 6, 11, 12, 13, 14, 15]
    same("tree", ask(db, "SELECT node_index FROM js_heap_dominated WHERE file_id = 0"), [(v,) for v in order])
    columns = "name, count, distance, shallow_size, retained_size"
    same("classes", ask(db, f"SELECT {columns} FROM v_js_constructor WHERE file_id = 0 ORDER BY constructor_id"), CLASSES)
    columns = "name, count FROM js_heap_constructor WHERE file_id = 0 AND count = 0"
    same("empty classes", ask(db, f"SELECT {columns}"), [("(synthetic)", 0), ("(array)", 0)])
    same("totals", ask(db, "SELECT root, base_file_id, user_roots, total_size, native_size FROM js_heap_analysis"), [(0, None, 1, 416, 56), (0, 0, 1, 436, 56)])
    columns = "base_file_id, name, new_count, deleted_count, count_delta, new_size, deleted_size, size_delta"
    same("comparison", ask(db, f"SELECT {columns} FROM v_js_comparison WHERE file_id = 1"), [(0, "Foo", 1, 0, 1, 24, 0, 24), (0, "Ring", 0, 2, -2, 0, 20, -20)])
    same("newer", ask(db, "SELECT node_index, retained_size FROM v_js_retained WHERE file_id = 1 AND node_index IN (0, 2, 9)"), [(0, 436), (2, 404), (9, 180)])
    same("previous", ask(db, "SELECT previous FROM js_heap_retained WHERE file_id = 1"), [(v,) for v in range(14)] + [(None,)])
    same("path", ask(db, "SELECT retainer_id, edge_type, edge_name FROM v_js_path_step WHERE file_id = 0 AND node_id IN (21, 11)"), [(19, "internal", "elements"), (17, "internal", "1" + made.PAIR)])
    questions(db)
    duplicates()
    made.write("plain.heapsnapshot", made.plain_objects())
    db = analysed("plain.heapsnapshot")
    want = ["{b, a}", "{b, a}", "{a, b, c}", "{b, a}", "{b, a}", "{b, a}", "Object", "Object", "{a, b, c}", "{a, b, c}"]
    same("plain objects", ask(db, "SELECT constructor FROM v_js_retained WHERE node_index > 0 ORDER BY node_index"), [(w,) for w in want])
    inputs()


def bases(*paths):
    return [row[0] for row in ask(analysed(*paths), "SELECT base_file_id FROM js_heap_analysis ORDER BY file_id")]


def inputs():
    """A base in another input: ids have to show that both are of one run."""
    older, newer = made.sixteen(), made.sixteen(newer=True)
    want = ask(analysed(recording([older, newer])), "SELECT * FROM v_js_comparison")
    previous = ask("out.db", "SELECT previous FROM js_heap_retained")
    made.write("older.heapsnapshot", older)
    made.write("newer.heapsnapshot", newer)
    same("two inputs", bases("older.heapsnapshot", "newer.heapsnapshot"), [None, 0])
    check("out.db", "two inputs")
    same("two inputs: comparison", ask("out.db", "SELECT * FROM v_js_comparison"), want)
    same("two inputs: previous", ask("out.db", "SELECT previous FROM js_heap_retained"), previous)
    run("older.heapsnapshot", "newer.heapsnapshot", "-e", "plain.db", "--analyze=none")
    same("two inputs, later", bases("plain.db"), [None, 0])
    same("the same twice", bases("older.heapsnapshot", "older.heapsnapshot"), [None, 0])
    same("newer first", bases("newer.heapsnapshot", "older.heapsnapshot"), [None, None])
    made.write("plain.heapsnapshot", made.plain_objects())
    same("another program", bases("plain.heapsnapshot", "newer.heapsnapshot"), [None, None])
    check("out.db", "another program")
    # The same ids, of other nodes; ids in the gaps of the older one; even ids alone.
    ids = [1, 3, 5, 9, 7, 11, 15, 13, 17, 21, 19, 23, 25, 27, 33]
    made.write("other.heapsnapshot", made.sixteen(newer=True, ids=ids))
    same("other nodes", bases("older.heapsnapshot", "other.heapsnapshot"), [None, None])
    check("out.db", "other nodes")
    made.write("gaps.heapsnapshot", made.sixteen(ids=[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 43, 45, 47, 49, 51]))
    made.write("filled.heapsnapshot", made.sixteen(ids=[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 33, 35, 37, 39, 53]))
    same("ids of before", bases("gaps.heapsnapshot", "filled.heapsnapshot"), [None, None])
    made.write("even.heapsnapshot", made.sixteen(ids=range(2, 34, 2)))
    same("even ids", bases("even.heapsnapshot", "even.heapsnapshot"), [None, None])


# --- edge cases -----------------------------------------------------------------------------------------------------------

EXPECTED = {  # (shallow, retained, distance, dominator) of each node
    "no_edges": [(0, 16, 0, None), (8, 8, None, 0), (8, 8, None, 0)],
    "bad_root": [(0, 16, 100000000, None), (8, 16, 1, 0), (8, 8, 2, 1)],
    "far_root": [(0, 16, 100000000, None), (8, 16, 1, 0), (8, 8, 2, 1)],
    "middle_root": [(0, 0, None, 2), (8, 8, 1, 2), (8, 16, 100000000, None)],
    "huge": [(0, 2**32 + 1 + 2**40, 100000000, None), (2**32 + 1, 2**32 + 1 + 2**40, 1, 0), (2**40, 2**40, 2, 1)],
    "overflow": [(0, 2**63 - 1, 100000000, None), (2**63 - 1, 2**63 - 1, 1, 0), (5, 5, 2, 1)],
    "negative": [(0, 8, 100000000, None), (0, 8, 1, 0), (8, 8, 2, 1)],
    "weak": [(0, 16, 0, None), (8, 8, None, 0), (8, 8, None, 0)],
    "weak_user_root": [(0, 16, 100000000, None), (8, 16, 1, 0), (8, 8, 2, 1)],
    "orphan": [(0, 24, 0, None), (8, 8, 1, 0), (8, 8, 2, 0), (8, 8, None, 0)],
    "ring": [(0, 32, 100000000, None), (8, 16, 1, 0), (8, 8, 2, 1), (8, 8, None, 0), (8, 8, None, 0)],
    "bad_targets": [(0, 16, 0, None), (8, 8, None, 2), (8, 16, None, 0)],
    "arkts": [(0, 104, 100000000, None), (8, 8, 1, 0), (8, 16, 1, 0), (80, 80, 2, 0), (8, 8, 2, 2)],
    "arkts_groups": [(0, 8, 0, None), (0, 8, 1, 0), (0, 0, 1, 0), (8, 8, 2, 1)],
}
ISSUES = {
    "heap_analysis_root": {"bad_root", "far_root"},
    "heap_analysis_incomplete": {"overflow", "bad_targets", "bad_counts", "no_numbers", "unknown_types"},
}


def cut_ones():
    """Sizes are lower bounds, and an issue says so."""
    made.write("whole.heapsnapshot", made.sixteen())
    with open("whole.heapsnapshot", encoding="utf-8") as f:
        whole = f.read()
    for at in range(len(whole) - 1, 400, -(7 if SLOW else 397)):
        with open("cut.heapsnapshot", "w", encoding="utf-8") as f:
            f.write(whole[:at])
        run("cut.heapsnapshot", "-e", "cut.db", "--analyze=heap", codes=(0, 1, 3, 5))
        if not os.path.exists("cut.db"):
            continue
        check("cut.db", f"cut at {at}")
        files = ask("cut.db", "SELECT count(*) FROM js_heap_analysis")[0][0]
        said = ask("cut.db", "SELECT count(*) FROM import_issue WHERE code = 'heap_analysis_incomplete'")[0][0]
        largest = ask("cut.db", "SELECT ifnull(max(total_size), 0) FROM js_heap_analysis")[0][0]
        if files > said or largest > 416:
            fail(f"cut at {at}: {files} files, {said} issues, total {largest}")
        os.unlink("cut.db")


def cases():
    for name, snapshot in made.cases():
        made.write("case.heapsnapshot", snapshot)
        db = analysed("case.heapsnapshot")
        check(db, name)
        if name in EXPECTED:
            rows = ask(db, "SELECT shallow_size, retained_size, distance, dominator FROM js_heap_retained ORDER BY rowid")
            same(name, rows, EXPECTED[name])
        for issue, names in ISSUES.items():
            got = ask(db, f"SELECT count(*) FROM import_issue WHERE code = '{issue}'")[0][0]
            same(f"{name}: {issue}", got, int(name in names))
    same("no nodes", len(ask(analysed(write_case(made.snapshot([]))), "SELECT * FROM js_heap_analysis WHERE root IS NULL")), 1)
    many_types()
    cut_ones()
    memory()


def many_types():
    """More types of nodes than their flags have room for, and ids that need more than 32 bits, of two snapshots."""
    types = [f"type {i}" for i in range(80)] + ["object"]
    numbers = [0, 61, 62, 63, 64, 79]
    nodes = [(f"type {i}", "x", 2**40 + i, 8, [("property", "p", k + 1)]) for k, i in enumerate(numbers)]
    made.write("old.heapsnapshot", made.snapshot(nodes + [("object", "Foo", 2**33, 16, [])], types=types))
    nodes[2] = ("type 70", "x", 2**40 + 62, 8, nodes[2][4])
    nodes[3] = (*nodes[3][:2], 2**50, *nodes[3][3:])
    made.write("new.heapsnapshot", made.snapshot(nodes + [("object", "Foo", 2**33, 16, [])], types=types))
    arguments = ["--snapshot", "old.heapsnapshot", "--snapshot", "new.heapsnapshot"]
    subprocess.run([MKHTRACE, "-o", "r.htrace", "--config", "pid=1,type=snapshot", *arguments], check=True)
    db = analysed("r.htrace")
    check(db, "many types")
    rows = ask(db, "SELECT constructor, node_id FROM v_js_retained WHERE file_id = 0 ORDER BY node_index")
    same("many types", rows, [(f"(type {i})", 2**40 + i) for i in numbers] + [("Foo", 2**33)])
    rows = ask(db, "SELECT name, new_count, deleted_count FROM v_js_comparison ORDER BY name")
    same("many types: changes", rows, [("(type 62)", 0, 1), ("(type 63)", 1, 1), ("(type 70)", 1, 0)])
    rows = ask(db, "SELECT previous FROM v_js_retained WHERE file_id = 1 ORDER BY node_index")
    same("many types: previous", rows, [(0,), (1,), (2,), (None,), (4,), (5,), (6,)])


def write_case(snapshot):
    made.write("case.heapsnapshot", snapshot)
    return "case.heapsnapshot"


def memory():
    """Without memory for the analysis everything else is there."""
    made.write("m.heapsnapshot", made.shape("star", 200000))
    run("m.heapsnapshot", "-e", "plain.db", "--analyze=none")
    run("plain.db", "--analyze=heap", "-e", "m.db", "--max-memory=9M")
    rows = ask("m.db", "SELECT (SELECT count(*) FROM js_heap_nodes), (SELECT count(*) FROM js_heap_retained), (SELECT count(*) FROM js_heap_analysis)")
    same("memory", rows, [(200000, 0, 0)])
    same("memory: issue", ask("m.db", "SELECT code, severity FROM import_issue WHERE code LIKE 'heap_analysis%'"), [("heap_analysis_skipped", "warning")])
    run("m.db", "--analyze=heap")  # and now there is
    same("memory: again", ask("m.db", "SELECT count(*) FROM js_heap_retained"), [(200000,)])


# --- against the plain computation ----------------------------------------------------------------------------------------


def random_ones():
    """300 graphs; 3000 with TS_SLOW=1."""
    graphs = 0
    # 842018 has few nodes and long texts: strings that share their parts. 995403: strings that are their own first part.
    for seed in [842018, 995403, *range(1, 299)] if SLOW else [842018, 995403, *random.sample(range(1, 10**6), 28)]:
        random_heaps.write(".", seed, 10)
        snapshots = [f"{i}.heapsnapshot" for i in range(10)]
        files = [a for name in snapshots for a in ("--snapshot", name)]
        subprocess.run([MKHTRACE, "-o", "r.htrace", "--config", "pid=1,type=snapshot", *files], check=True)
        graphs += check(analysed("r.htrace"), f"seed {seed}")
        check(analysed(*snapshots[:3]), f"seed {seed}, three inputs")
    same("graphs", graphs, 3000 if SLOW else 300)


def recorded():
    names = ["timeline", "snapshots"] if SLOW else ["timeline"]
    for name in names:
        check(analysed(os.path.join(TESTS, "data", f"recording-{name}.htrace.gz")), name)
    if shutil.which("node"):
        text = "const keep = new WeakMap(), list = []; for (let i = 0; i < 2000; i++) { const o = {i, s: 'x' + i}; keep.set(o, [o]); list.push(o); }"
        subprocess.run(["node", "-e", text + "require('v8').writeHeapSnapshot('fresh.heapsnapshot'); list.length"], check=True)
        check(analysed("fresh.heapsnapshot"), "a fresh snapshot of node")
        leak()


def leak():
    """A program that forgets sessions, among others that it lets go: the first row names them."""
    text = """const { writeHeapSnapshot: write } = require('v8');
    class UserSession { constructor(i) { this.id = i; this.data = new Array(20).fill(i); } }
    class Request { constructor(i) { this.id = i; } }
    global.bus = { handlers: [], last: null };
    const serve = (n) => { for (let i = 0; i < n; i++) { bus.last = new Request(i); bus.handlers.push(new UserSession(i)); } };
    serve(10); write('0.heapsnapshot'); serve(500); write('1.heapsnapshot');"""
    subprocess.run(["node", "-e", text], check=True)
    files = [a for i in range(2) for a in ("--snapshot", f"{i}.heapsnapshot")]
    subprocess.run([MKHTRACE, "-o", "leak.htrace", "--config", "pid=1,type=snapshot", *files], check=True)
    db = analysed("leak.htrace", db="leak.db")
    same_leak(db)
    # As two inputs, the later one of a third and of a fourth that another run of the program has written.
    for i in range(2):
        os.rename(f"{i}.heapsnapshot", f"first{i}.heapsnapshot")
    subprocess.run(["node", "-e", text], check=True)
    db = analysed("first0.heapsnapshot", "first1.heapsnapshot", "0.heapsnapshot", "1.heapsnapshot", db="runs.db")
    same("runs", ask(db, "SELECT base_file_id FROM js_heap_analysis ORDER BY file_id"), [(None,), (0,), (None,), (2,)])
    same_leak(db)
    same("the later one first", bases("first1.heapsnapshot", "first0.heapsnapshot"), [None, None])


def same_leak(db):
    said = run(db, "-q", os.path.join(TESTS, "..", "share", "sql", "js_leak_suspects.sql"), "--param", "limit=1").stdout
    row = said.splitlines()[1].split("\t")
    same("leak", (row[0], row[1].removeprefix("[]."), row[2]), ("UserSession", "bus.handlers[]", "500"))


# --- growth ---------------------------------------------------------------------------------------------------------------


def cost(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def scattered(n, m):
    """n nodes, m edges anywhere."""
    r = random.Random(18)
    edges = []
    for i in range(m):
        edges += [2, 1, 6 * (i + 1 if i < n - 1 else r.randrange(n))]
    counts = [m // n + (1 if i < m % n else 0) for i in range(n)]
    s = made.snapshot([("object", "Foo", 2 * i + 1, 24, []) for i in range(n)])
    s["nodes"][4::6] = counts
    s["edges"] = edges
    return s


def bound():
    """Resident memory, as docs/formats.md promises it."""
    n = 2000000 if SLOW else 300000
    m = n * 33 // 10
    maker = os.fork()  # whose memory would count for the program too
    if maker == 0:
        made.write("s.heapsnapshot", scattered(n, m))
        os._exit(0)
    os.waitpid(maker, 0)
    child = subprocess.Popen([PROGRAM, "s.heapsnapshot", "-e", "s.db", "--analyze=heap", "--quiet", "--force"])
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    same("memory", child.returncode, 0)
    most = (32 * 2**20 + 50 * n + 8 * m) // 1024
    print(f"{n} nodes, {m} edges: {used.ru_maxrss} KiB of {most}")
    if used.ru_maxrss > most:
        fail(f"{used.ru_maxrss} KiB, more than {most}")


def growth():
    bound()
    n = 1000000 if SLOW else 60000
    for name in made.SHAPES:
        # The text of a concatenated string is up to 1024 parts.
        made.write("s.heapsnapshot", made.shape(name, n // 20 if name == "rope_right" else n))
        plain = cost("s.heapsnapshot", "-e", "plain.db", "--analyze=none")
        whole = cost("plain.db", "--analyze=heap", "-e", "s.db")
        bad = ask("s.db", "SELECT (SELECT sum(shallow_size) FROM js_heap_retained) - (SELECT total_size FROM js_heap_analysis)")
        same(f"{name}: sum", bad, [(0,)])
        print(f"{name}: {n} nodes, conversion {plain:.2f} s, analysis {whole:.2f} s")
        if whole > 6 * plain + 1:
            fail(f"{name}: {whole:.2f} s for {n} nodes, whose conversion takes {plain:.2f} s")


with tempfile.TemporaryDirectory(prefix="ts-heap-") as scratch:
    os.chdir(scratch)
    {"heap.worked": worked, "heap.cases": cases, "heap.random": random_ones, "heap.recorded": recorded, "heap.growth": growth}[GROUP]()
    os.chdir("/")
