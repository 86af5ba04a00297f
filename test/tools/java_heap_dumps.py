#!/usr/bin/env python3
"""Heap dumps of Java: random ones, and those that the JDKs of this machine write of a small program: every cell is compared with what Python
reads, and sizes of all classes with the histogram of the JVM.

usage: java_heap_dumps.py TRACE_STREAMER TESTDIR [SEEDS]
"""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

program, testdir = sys.argv[1:3]
seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 150
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(testdir, "check"), os.path.join(testdir, "recorders")]
import java_dump
import jdk
import starts

SOURCE = """
import java.lang.ref.*;
import java.util.*;
public class Dumped {
    static class Base { int x = 0x01020304; Object name = "base"; }
    static class Sub extends Base { Object ia = this, o; double d = -0.0; float f = 1.5f; long l = 1L << 40; short s = -2; char c = '\\u03a9'; byte b = -1; boolean z = true; int x = 7; }
    static Object[] keep = new Object[16];
    static int counter = 42;
    static double pi = 3.25;
    static String text = "Gr\\u00fc\\u00dfe \\u03a9 \\ud83d\\ude00 end";
    static SoftReference<Object> soft = new SoftReference<>(new byte[100]);
    static WeakReference<Object> weak = new WeakReference<>(keep);
    public static void main(String[] args) throws Exception {
        char[] chars = new char[70000];
        Arrays.fill(chars, '\\u0416');
        keep[0] = new Sub(); keep[1] = new int[1000]; keep[2] = new String[] {"a", "b", text}; keep[3] = new String(chars);
        keep[4] = new long[][] {{1, 2}, {3}};
        keep[5] = (Runnable) () -> System.out.println(keep);
        Thread worker = new Thread(() -> { Sub local = new Sub(); try { Thread.sleep(1000000); } catch (Exception e) { } System.out.println(local); }, "worker-\\u00e9");
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(300);
        System.out.println("ready");
        Thread.sleep(1000000);
    }
}
"""
RUNS = [["-XX:+UseSerialGC", "-Xshare:off"], ["-XX:+UseG1GC"], ["-XX:+UseSerialGC", "-XX:-UseCompressedOops"],
        ["-XX:+UseParallelGC", "-XX:ObjectAlignmentInBytes=16", "-Xshare:off"]]
# What the JVM makes and drops between the dump and the histogram.
LOOSE = r"^jdk\.internal\.(ref|misc|vm)\.|^java\.lang\.(ref|Class$)|^(int|byte)\[\]$"


def convert(path, out, *options):
    return starts.run([program, path, "-e", out, "--quiet", *options], capture_output=True, text=True, check=False)


def whole(path, out, what):
    done = convert(path, out, "--strict")
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (what, done.returncode, done.stderr))
    db = sqlite3.connect(out)
    wrong = java_dump.compare(db, path)
    if wrong:
        sys.exit("%s: %s" % (what, wrong))
    return db


def randomly(folder):
    path, out = os.path.join(folder, "random.hprof"), os.path.join(folder, "random.db")
    for seed in range(seeds):
        with open(path, "wb") as f:
            f.write(java_dump.random_dump(seed))
        done = convert(path, out)
        wrong = "exit code %d: %s" % (done.returncode, done.stderr) if done.returncode else java_dump.compare(sqlite3.connect(out), path)
        if wrong:
            sys.exit("seed %d: %s" % (seed, wrong))
    print("%d random dumps" % seeds)


def histogram(text):
    found = {}
    for count, size, name in re.findall(r"^ *\d+: +(\d+) +(\d+) +(\S+)", text, re.M):
        found[java_dump.java_name(re.sub(r"/(0x[0-9a-f]+)$", r"+\1", name))] = int(count), int(size)
    return found


def sizes(db, text, what):
    """Counts and bytes of classes as the JVM counts them."""
    wanted = histogram(text)
    got = {name: (count, size) for name, count, size in db.execute("SELECT name, sum(count), sum(shallow_size) FROM java_heap_class GROUP BY name")}
    wrong = [(n, wanted[n], got.get(n)) for n in wanted if not re.search(LOOSE, n) and wanted[n] != got.get(n)]
    if wrong or len(wanted) < 100:
        sys.exit("%s: of %d classes (name, histogram, dump): %s" % (what, len(wanted), wrong[:10]))
    return len(wanted)


def program_of_ours(db, what):
    """What the program says of itself."""
    one = lambda sql: db.execute(sql).fetchall()
    fields = one("SELECT f.name, f.type FROM java_heap_field f JOIN java_heap_class c ON c.id = f.class_id WHERE c.name = 'Dumped$Sub' AND NOT is_static")
    statics = dict(one("SELECT f.name, coalesce(f.value, f.real_value) FROM java_heap_field f JOIN java_heap_class c ON c.id = f.class_id WHERE c.name = 'Dumped' AND is_static"))
    frames = one("SELECT m.name FROM java_heap_thread t JOIN stack_sample s ON s.id = t.sample_id JOIN stack_node n ON n.id = s.node_id "
                 "JOIN stack_method m ON m.id = n.method_id WHERE t.name = 'worker-\u00e9'")
    local = one("SELECT c.name FROM java_heap_thread t JOIN java_heap_root r ON r.thread_id = t.id JOIN java_heap_object o ON o.node_index = r.node_index "
                "JOIN java_heap_class c ON c.id = o.class_id WHERE t.name = 'worker-\u00e9' AND r.kind = 'java_frame' AND c.name = 'Dumped$Sub'")
    good = sorted(fields) == sorted([("ia", "object"), ("o", "object"), ("d", "double"), ("f", "float"), ("l", "long"), ("s", "short"), ("c", "char"), ("b", "byte"),
                                     ("z", "boolean"), ("x", "int")])
    good = good and statics["counter"] == 42 and statics["pi"] == 3.25 and frames and frames[0][0].startswith("sleep") and local
    good = good and one("SELECT count(*) FROM java_heap_string WHERE text = 'Gr\u00fc\u00dfe \u03a9 \U0001f600 end'") == [(1,)]
    good = good and one("SELECT length, length(text) FROM java_heap_string WHERE text LIKE '\u0416\u0416%'") == [(70000, 32768)]
    good = good and dict(one("SELECT f.name, r.strength FROM java_heap_reference r JOIN java_heap_field f ON f.id = r.name AND r.type = 4 WHERE r.strength IN (1, 2) GROUP BY 1")) != {}
    if not good:
        sys.exit("%s: the program: %s, %s, %s, %s" % (what, fields, statics, frames, local))


def of_jvm(home, options, folder, compressed):
    what = "%s %s" % (jdk.version(home), " ".join(options))
    path, out = os.path.join(folder, "heap.hprof"), os.path.join(folder, "heap.db")
    with subprocess.Popen([jdk.tool(home, "java"), "-Xmx64m", *options, "-cp", folder, "Dumped"], stdout=subprocess.PIPE, text=True) as process:
        try:
            process.stdout.readline()
            jcmd = lambda *command: subprocess.run([jdk.tool(home, "jcmd"), str(process.pid), *command], check=True, capture_output=True, text=True).stdout
            jcmd("GC.class_histogram")
            jcmd("GC.heap_dump", *(["-gz=1"] if compressed else []), path)
            text = jcmd("GC.class_histogram")
        finally:
            process.kill()
    db = whole(path, out, what)
    program_of_ours(db, what)
    print("%s: %d classes" % (what, sizes(db, text, what)))
    os.remove(path)


def cut(folder):
    """A file that ends early is never called whole, and an issue names the place."""
    path, out = os.path.join(folder, "cut.hprof"), os.path.join(folder, "cut.db")
    data = java_dump.random_dump(5)
    for at in range(40, len(data), 97):
        with open(path, "wb") as f:
            f.write(data[:at])
        done = convert(path, out, "--strict")
        rows = sqlite3.connect(out).execute("SELECT count(*) FROM import_issue WHERE code IN ('hprof_incomplete', 'hprof_no_end')").fetchall()
        if done.returncode not in (0, 3) or rows != [(1,)]:
            sys.exit("cut at %d: exit code %d, %s" % (at, done.returncode, rows))


def large(folder, segments):
    """More than 4 GiB of arrays of bytes, which are holes in the file: one record, whose length has 32 bits, or segments."""
    hole, arrays, pair = 1000000000, 5, 0x3000
    m = java_dump.Maker(8)
    m.cls(0x1000, "java.lang.Object")
    m.cls(0x2000, "[B", 0x1000)
    m.cls(pair, "Pair", 0x1000, 0, 16, (), [("a", 2), ("b", 2)])
    parts, wanted = [b"".join(m.subs)], []
    for k in range(1, arrays + 1):
        at, before = k << 32, (k - 1) << 32
        m.subs = []
        m.instance(at, pair, m.id(at + 0x1000) + m.id(before))
        wanted += [(at, "a", at + 0x1000)] + ([(at, "b", before)] if before else [])
        parts.append(m.subs[0] + b"\x23" + m.id(at + 0x1000) + java_dump.struct.pack(">IIB", 0, hole, 8))
    m.subs = []
    m.root(1, arrays << 32)
    m.instance(1 << 40, pair, m.id(2 << 32) + m.id((4 << 32) + 0x1000))
    wanted += [(1 << 40, "a", 2 << 32), (1 << 40, "b", (4 << 32) + 0x1000)]
    after = b"".join(m.subs)
    sizes = [len(part) + hole * (i > 0) for i, part in enumerate(parts)] + [len(after)]
    path, out = os.path.join(folder, "large.hprof"), os.path.join(folder, "large.db")
    with open(path, "wb") as f:
        f.write(m.head + b"".join(m.strings() + m.before))
        f.write(b"" if segments else java_dump.struct.pack(">BII", 0x0C, 0, sum(sizes) & 0xFFFFFFFF))
        for i, part in enumerate([*parts, after]):
            f.write((java_dump.struct.pack(">BII", 0x1C, 0, sizes[i]) if segments else b"") + part)
            f.seek(hole if 0 < i < len(parts) else 0, os.SEEK_CUR)
        f.write(m.record(0x2C, b"") if segments else b"")
    if os.stat(path).st_blocks > 1 << 16:
        print("no holes in files here: no dump of more than 4 GiB")
        os.remove(path)
        return
    done = convert(path, out, "--strict")
    db = sqlite3.connect(out)
    objects = db.execute("SELECT address, kind, length FROM java_heap_object WHERE kind IN (2, 4) ORDER BY address").fetchall()
    fields = db.execute("SELECT o.address, f.name, t.address FROM java_heap_reference r JOIN java_heap_object o ON o.node_index = r.owner JOIN java_heap_object t ON t.node_index = r.target "
                        "JOIN java_heap_field f ON f.id = r.name WHERE r.type = 4 ORDER BY r.rowid").fetchall()
    issues = [code for code, in db.execute("SELECT code FROM import_issue")]
    pairs = [(k << 32, 2, None) for k in range(1, arrays + 1)] + [((k << 32) + 0x1000, 4, hole) for k in range(1, arrays + 1)] + [(1 << 40, 2, None)]
    if done.returncode != 0 or objects != sorted(pairs) or fields != wanted or issues != ([] if segments else ["hprof_length"]):
        sys.exit("more than 4 GiB, %s: exit code %d, %s: %s, %s, %s" % ("segments" if segments else "one record", done.returncode, done.stderr, objects, fields, issues))
    os.remove(path)


def limited(folder):
    """With less memory than the list of objects takes, which waits in a file then, the database has the same bytes."""
    path, out, other = (os.path.join(folder, name) for name in ("limited.hprof", "limited.db", "other.db"))
    m = java_dump.Maker(8)
    m.cls(0x1000, "java.lang.Object")
    m.cls(0x2000, "java.lang.String", 0x1000, 0, 14, (), [("hash", 10), ("coder", 8), ("value", 2)])
    m.cls(0x3000, "[B", 0x1000)
    for k in range(130000):
        at = (1 << 20) + 64 * (k * 7919 % 130000)
        m.instance(at, 0x2000, bytes(5) + m.id(at + 24))
        m.primitives(at + 24, 8, b"text %d" % k)
    m.root(1, 1 << 20)
    with open(path, "wb") as f:
        f.write(m.bytes())
    done = [convert(path, out, "--strict"), convert(path, other, "--strict", "--max-memory=8M")]
    if [one.returncode for one in done] != [0, 0]:
        sys.exit("with little memory: %s" % [one.stderr for one in done])
    with open(out, "rb") as a, open(other, "rb") as b:
        if a.read() != b.read():
            sys.exit("with little memory the database differs")


def main():
    with tempfile.TemporaryDirectory() as folder:
        randomly(folder)
        cut(folder)
        limited(folder)
        large(folder, False)
        large(folder, True)
        homes = jdk.installed()
        with open(os.path.join(folder, "Dumped.java"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for home in homes:
            subprocess.run([jdk.tool(home, "javac"), "-encoding", "utf-8", "-d", folder, os.path.join(folder, "Dumped.java")], check=True, capture_output=True)
            for k, options in enumerate(RUNS):
                begin = time.monotonic()
                of_jvm(home, options, folder, k == 1)
                if time.monotonic() - begin > 60:
                    break
        if not homes:
            print("no JDK is here: no dump of one was read")


if __name__ == "__main__":
    main()
