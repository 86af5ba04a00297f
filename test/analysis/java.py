"""java.py GROUP PROGRAM TEST-DIRECTORY: the analysis heap for heap dumps of Java, on rows that are made here. GROUP is one of
java.worked: an example with numbers that were found by hand, and what rows can have wrong; java.random: made dumps and the questions on them against
test/check/java_heap.py; java.recorded: a dump of the installed Java against it; java.growth: shapes, time, memory."""
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import java_made as made

GROUP, PROGRAM, TESTS = sys.argv[1:4]
SLOW = bool(os.environ.get("TS_SLOW"))
sys.path.insert(0, os.path.join(TESTS, "check"))
import diff  # noqa: E402
import java_heap  # noqa: E402
import starts  # noqa: E402


def fail(text):
    sys.exit(f"WRONG: {text}")


def same(what, got, want):
    if got != want:
        fail(f"{what}: {got}, not {want}")


def run(*arguments, codes=(0, 3)):
    r = starts.run([PROGRAM, *arguments, "--quiet", *([] if arguments[0] == "diff" else ["--force"])], capture_output=True, text=True, check=False)
    if r.returncode not in codes:
        fail(f"exit {r.returncode}: {arguments}: {r.stderr}")
    return r.stdout


def ask(db, sql):
    with sqlite3.connect(db) as c:
        return c.execute(sql).fetchall()


def database(dumps, db="made.db", complete=1):
    if not os.path.exists("empty.db"):
        with open("one.folded", "w", encoding="utf-8") as f:
            f.write("main 1\n")
        run("one.folded", "-e", "empty.db", "--analyze=none")
    shutil.copy("empty.db", db)
    made.write(db, dumps, complete)
    return db


def analysed(dumps, **how):
    db = database(dumps, **how)
    run(db, "--analyze=heap")
    return db


def check(db, what):
    plain = java_heap.Check(db)
    heaps = plain.run()
    if plain.wrong:
        fail(f"{what}: {plain.wrong} tables differ")
    plain.db.close()
    return heaps


def question(db, name, columns, **parameters):
    """Columns of its answer."""
    given = [a for k, v in parameters.items() for a in ("--param", f"{k}={v}")]
    lines = run(db, "-q", name, "--output=jsonl", *given).splitlines()
    return [tuple(row[c] for c in columns.split()) for row in map(json.loads, lines)]


# --- the worked example -----------------------------------------------------------------------------------------------------

NODES = """cache 0 1 4160|map cache 2 4136|table map 3 3136|entry0 table 4 1024|entry2 table 4 1024|main 0 1 404|soft 0 1 548|softly soft - 500|
final 0 1 80|finally final 2 32|key main 2 16|value ENTRY 5 200|ring0 - - 0|ring1 - - 0"""


def worked():
    dump, at = made.worked()
    db = analysed([dump])
    heaps = check(db, "worked")
    at = {**at, "0": 0}
    for line in NODES.replace("\n", "").split("|"):
        name, dominator, distance, retained = line.split()
        row = ask(db, f"SELECT dominator, distance, retained_size FROM v_java_retained WHERE node_index = {at[name]}")[0]
        want = (row[0] if dominator == "ENTRY" else at.get(dominator), None if distance == "-" else int(distance), int(retained))
        same(name, row, want)
    # 2 threads of 100, maps of 24, tables and entries of 32, key, values; the cache; reference objects and theirs; the class Cache; the boot loader.
    total = 2 * (100 + 24 + 32 + 32) + 16 + 200 + 300 + 4160 + 548 + 80 + 40 + 40
    same("totals", ask(db, "SELECT reached_size, unreached_count, unreached_size, pathless_count FROM java_heap_analysis"), [(total, 2, 16, 1)])
    want = [("Entry", 5, 3 * 1024 + 500 + 32, 2), ("Map", 3, 4136 + 200 + 300, 0)]
    rows = ask(db, "SELECT name, count, retained_size, unreached_count FROM v_java_class_retained WHERE name IN ('Entry', 'Map') ORDER BY name")
    same("classes", rows, want)
    rows = question(db, "java_leak_suspects", "suspect class count retained_size node_index accumulation accumulation_class accumulation_size path")
    same("suspects", rows, [("object", "Cache", 1, 4160, at["cache"], at["table"], "java.lang.Object", 3136, "<root jni_global>.map.table")])
    rows = question(db, "java_leak_suspects", "suspect class count retained_size", share=9)
    same("suspects of 9 %", rows, [("object", "Cache", 1, 4160), ("object", "java.lang.ref.SoftReference", 1, 548), ("class", made.THREAD, 2, 892)])
    rows = question(db, "java_path_to_root", "step node_index class name reference distance", node=at["value"])
    entry, table, held = (heaps[0].path(at["value"])[i][0] for i in (1, 2, 3))
    want = [(0, at["value"], "Map", None, "value", 5), (1, entry, made.LOCAL + "$Entry", None, "[2]", 4), (2, table, "java.lang.Object", None, "table", 3),
            (3, held, made.LOCAL, None, "threadLocals", 2), (4, at["main"], made.THREAD, "main", "<root thread>", 1)]
    same("path", rows, want)
    refused = starts.run([PROGRAM, db, "-q", "java_path_to_root", "--param", "node=1000"], capture_output=True, text=True, check=False)
    if refused.returncode != 2 or f"objects are from 1 to {len(dump.nodes) - 1}" not in refused.stderr:
        fail(f"a node that is not there: {refused}")
    same("no path", question(db, "java_path_to_root", "step reference", node=at["softly"]), [(0, None)])
    rows = question(db, "java_path_to_root", "step node_index reference distance", node=at["softly"], without="weak,phantom")
    same("a soft path", rows, [(0, at["softly"], "referent", 2), (1, at["soft"], "<root jni_global>", 1)])
    same("a final path", question(db, "java_path_to_root", "reference distance", node=at["finally"])[0], ("referent", 2))
    same("no final path", question(db, "java_path_to_root", "step reference distance", node=at["finally"], without="all"), [(0, None, None)])
    same("garbage", question(db, "java_path_to_root", "step reference distance", node=at["ring0"], without="none"), [(0, None, None)])
    for wrong in ("hard", "", "soft,,weak", "none,soft", "soft "):
        refused = starts.run([PROGRAM, db, "-q", "java_path_to_root", "--param", "node=5", "--param", f"without={wrong}"], capture_output=True, text=True, check=False)
        if refused.returncode != 2 or "soft, weak, phantom, final, finalizer" not in refused.stderr:
            fail(f"references that do not exist: {refused}")
    rows = question(db, "java_thread_locals", "thread thread_node inherited variable variable_node value_class value_node retained_size")
    want = [(None, at["worker"], 1, None, None, "Map", at["inherited"], 300), ("main", at["main"], 0, "java.lang.ThreadLocal", at["key"], "Map", at["value"], 200)]
    same("thread locals", rows, want)
    same("texts", question(db, "java_duplicate_strings", "string length count shallow_size retained_size"), [("key", 3, 3, 72, 72)])
    same("histogram", question(db, "java_class_histogram", "class count shallow_size retained_size unreached_size")[:1], [("Entry", 7, 3548, 3604, 16)])
    ask(db, "UPDATE java_heap_file SET ts = 1700000000000000000")
    same("began", question(db, "recording", "began length"), [("2023-11-14 22:13:20 UTC", None)])
    wrong_rows()


def wrong_rows():
    """Databases that were changed, dumps without an end."""
    dump, _ = made.worked()
    db = analysed([dump], complete=0)
    check(db, "incomplete")
    issue = "SELECT count(*) FROM import_issue WHERE code = 'heap_analysis_incomplete'"
    same("incomplete", ask(db, issue), [(1,)])
    same("whole", ask(analysed([dump]), issue), [(0,)])
    for change in ("java_heap_reference SET target = 10000000 WHERE rowid % 3 = 0", "java_heap_reference SET target = -1 WHERE rowid % 5 = 0",
                   "java_heap_object SET class_id = class_id + 1000", "java_heap_object SET reference_count = 1000000", "java_heap_object SET reference_count = -5",
                   "java_heap_object SET shallow_size = -9223372036854775808", "java_heap_object SET shallow_size = 9223372036854775807",
                   "java_heap_file SET first_object_rowid = 0", "java_heap_file SET object_count = 1000000", "java_heap_file SET object_count = -1",
                   "java_heap_file SET reference_count = 1000000000000", "java_heap_file SET class_count = -1", "java_heap_file SET object_count = 0"):
        database([dump])
        ask("made.db", f"UPDATE {change}")
        run("made.db", "-e", "changed.db", "--analyze=heap", codes=(0, 1, 3))
    same("no rows", ask("changed.db", "SELECT reached_count, reached_size FROM java_heap_analysis"), [(0, 0)])


# --- against the plain computation ------------------------------------------------------------------------------------------


def questions(db, heap):
    where = {"file": heap.file_id}
    where = {**where, "limit": 10**6}
    names = "suspect class count retained_size node_index accumulation accumulation_class accumulation_size path"
    for share in (20, 3):
        same("suspects", question(db, "java_leak_suspects", names, share=share, **where), heap.suspects(share))
    names = "thread thread_node inherited variable variable_node value_class value_node retained_size"
    same("thread locals", sorted(question(db, "java_thread_locals", names, **where), key=str), sorted(heap.thread_locals(), key=str))
    rows = question(db, "java_duplicate_strings", "string length count shallow_size retained_size node_index", **where)
    same("texts", sorted(rows), sorted(heap.duplicates()))
    rows = question(db, "java_class_histogram", "class count shallow_size retained_size unreached_size", **where)
    same("histogram", sorted(rows), sorted(heap.histogram()))
    names = "node_index reference distance retained_size"
    for v in {1, heap.n // 2, heap.n - 1}:
        same("path", question(db, "java_path_to_root", names, node=v, file=heap.file_id), heap.path(v))
    kinds = random.sample(sorted(java_heap.KINDS), random.randrange(6))
    for without, numbers in (("none", ()), ("all", range(1, 6)), ("finalizer,phantom,soft,weak", java_heap.NO_STEP),
                             (",".join(kinds) or "none", [java_heap.KINDS[k] for k in kinds])):
        step = heap.paths(set(numbers))
        for v in {1, heap.n // 2, heap.n - 1, *[r["target"] for r in heap.references if r["strength"] != 0][:3]} - {0}:
            got = question(db, "java_path_to_root", names, node=v, file=heap.file_id, without=without)
            same(f"path of {v} without {without}", got, heap.path(v, step))


def random_ones():
    """20 databases of 5 dumps; 400 with TS_SLOW=1."""
    for seed in range(400) if SLOW else random.sample(range(10**6), 20):
        db = analysed([made.made(seed * 5 + i) for i in range(5)])
        heaps = check(db, f"seed {seed}")
        questions(db, heaps[seed % 5])
        compare([database([made.made(seed * 5 + i)], db=f"{i}.db") for i in range(2)])


def compare(paths):
    """Classes of two dumps, without the analysis and with it."""
    for _ in range(2):
        sides = [diff.java_classes(diff.Db(path)) for path in paths]
        wrong = diff.check("java_class", *sides, json.loads(run("diff", *paths, "--by=java_class", "--limit=0", "--output=json")))
        if wrong:
            fail("\n".join(wrong[:5]))
        for path in paths:
            run(path, "--analyze=heap")


# --- a dump of a virtual machine ----------------------------------------------------------------------------------------------

LEAK = """import java.lang.management.ManagementFactory;
import java.util.*;
public class Leak {
    static final List<byte[]> kept = new ArrayList<>();
    static final ThreadLocal<int[]> mine = new ThreadLocal<>();
    public static void main(String[] a) throws Exception {
        for (int i = 0; i < 1000; i++) kept.add(new byte[4000]);
        mine.set(new int[25000]);
        var soft = new java.lang.ref.SoftReference<>(new long[1000]);
        ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class).dumpHeap("leak.hprof", true);
        if (soft.get() == null) System.exit(1);
    }
}
"""


def recorded():
    if not shutil.which("javac"):
        sys.exit(77)
    with open("Leak.java", "w", encoding="utf-8") as f:
        f.write(LEAK)
    subprocess.run(["javac", "Leak.java"], check=True)
    subprocess.run(["java", "-XX:+UseSerialGC", "-Xshare:off", "Leak"], check=True)
    run("leak.hprof", "-e", "leak.db", "--analyze=heap")
    heap = check("leak.db", "leak.hprof")[0]
    questions("leak.db", heap)
    row = question("leak.db", "java_leak_suspects", "class name accumulation_class path")[0]
    same("suspect", (*row[:3], row[3].split(".")[-2:]), ("java.lang.Class", "Leak", "java.lang.Object[]", ["kept", "elementData"]))
    rows = [r for r in question("leak.db", "java_thread_locals", "thread variable value_class retained_size", limit=10**6) if r[2] == "int[]"]
    same("thread local", rows, [("main", "java.lang.ThreadLocal", "int[]", 100016)])
    held = [v for v in range(heap.n) if heap.class_of(v) == "java.lang.ref.SoftReference" and heap.retained[v] > 8000]
    same("soft reference", [heap.retained[v] - heap.sizes[v] for v in held], [8016])


# --- growth -----------------------------------------------------------------------------------------------------------------


def cost(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def growth():
    """Four times the objects take at most some six times the time."""
    n = 400000 if SLOW else 40000
    for name in ("list", "back", "fan", "roots"):
        times = []
        for size in (n, 4 * n):
            database([made.shape(name, size)])
            times.append(min(cost("made.db", "-e", "grown.db", "--analyze=heap") for _ in range(2)))
        print(f"{name}: {times[0]:.2f} s, {times[1]:.2f} s")
        if times[1] > 6 * times[0] + 0.3:
            fail(f"{name} does not grow linearly")
    # The root, four classes, the boot loader.
    retained = ask("grown.db", "SELECT count(*), count(dominator), count(distance) FROM java_heap_retained")
    same("rows", retained, [(4 * n + 15, 4 * n + 3, 4 * n + 4)])
    ask("made.db", "DELETE FROM java_heap_analysis")
    run("made.db", "-e", "small.db", "--analyze=heap", "--max-memory=9M")
    same("memory", ask("small.db", "SELECT code FROM import_issue"), [("heap_analysis_skipped",)])
    same("memory: rows", ask("small.db", "SELECT (SELECT count(*) FROM java_heap_analysis), (SELECT count(*) FROM java_heap_retained)"), [(0, 0)])


def main():
    with tempfile.TemporaryDirectory() as where:
        os.chdir(where)
        {"java.worked": worked, "java.random": random_ones, "java.recorded": recorded, "java.growth": growth}[GROUP]()


main()
