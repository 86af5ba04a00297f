#!/usr/bin/env python3
"""Binary heap dumps of ArkTS, the worked examples and random ones: every cell is compared with an independent reader, the rows are those of the
.heapsnapshot that it writes, from files, pipes, archives and compressed ones; damaged ones are told from whole ones.

usage: rawheap_files.py TRACE_STREAMER TESTDIR
"""

import gzip
import json
import os
import sqlite3
import struct
import sys
import tarfile
import tempfile

program, testdir = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import rawheap_dump
import rawheap_write
import starts

SLOW = os.environ.get("TS_SLOW") == "1"
SAME = {
    "js_heap_nodes": "SELECT * FROM js_heap_nodes ORDER BY node_index", "js_heap_edges": "SELECT * FROM js_heap_edges ORDER BY edge_index",
    "js_heap_string": "SELECT * FROM js_heap_string ORDER BY file_index", "js_heap_info": "SELECT * FROM js_heap_info ORDER BY rowid",
    "js_heap_class": "SELECT * FROM js_heap_class ORDER BY type, name", "js_heap_edge_block": "SELECT * FROM js_heap_edge_block ORDER BY id",
    "js_heap_files": "SELECT id, file_name, self_size FROM js_heap_files",
    "js_heap_file_detail": "SELECT * FROM js_heap_file_detail",
}


def convert(path, out, *options, stdin=None):
    done = starts.run([program, path, "-e", out, "--force", *options], input=stdin, capture_output=True, check=False)
    return done.returncode, done.stderr.decode(errors="replace")


def rows(database):
    db = sqlite3.connect(database)
    return {table: db.execute(sql).fetchall() for table, sql in SAME.items()}


def fail(*words):
    sys.exit(" ".join(str(w) for w in words))


def whole(name, data, folder):
    """Of a dump that is not damaged."""
    path, out, other = (os.path.join(folder, n) for n in ("a.rawheap", "a.db", "b.db"))
    with open(path, "wb") as f:
        f.write(data)
    code, said = convert(path, out, "--strict")
    wrong = rawheap_dump.compare(out, path) if code == 0 else "exit code %d: %s" % (code, said)
    if wrong:
        fail(name, wrong)
    dump = rawheap_dump.Dump(data)
    snapshot = os.path.join(folder, "b.heapsnapshot")
    with open(snapshot, "w", encoding="utf-8") as f:
        json.dump(dump.snapshot(), f)
    if convert(snapshot, other)[0] != 0:
        fail(name, "its .heapsnapshot is not read")
    ours, theirs = rows(out), rows(other)
    for table in SAME:
        if ours[table] != theirs[table]:
            fail(name, table, "differs from that of the .heapsnapshot")
    return ours


def elsewhere(data, want, folder):
    """The same from a pipe, compressed and in archives, as one file of several."""
    packed = os.path.join(folder, "c.rawheap.gz")
    with gzip.open(packed, "wb") as f:
        f.write(data)
    tar = os.path.join(folder, "c.tar")
    with tarfile.open(tar, "w") as t:
        t.add(os.path.join(folder, "a.rawheap"), "x/c.rawheap")
    out = os.path.join(folder, "c.db")
    for path, stdin in ((packed, None), (tar, None), ("-", data)):
        code, said = convert(path, out, "--strict", stdin=stdin)
        if code != 0 or rows(out) != want:
            fail(path, "exit code %d, or other rows" % code, said)


def damaged(version, folder):
    """Each case that the description has: the exit code of --strict, the issue, and whether there are rows."""
    data = rawheap_write.random_dump(3, version, 60)
    path, out = os.path.join(folder, "d.rawheap"), os.path.join(folder, "d.db")
    types_at, n = struct.unpack("<II", data[-8:])
    pairs = struct.unpack_from("<I", data, types_at - 8)[0]
    sections = types_at - 8 - 4 * pairs
    put = lambda at, v: data[:at] + struct.pack("<I", v) + data[at + 4:]  # noqa: E731
    cases = [
        ("cut in the end", data[:-3], "rawheap_no_types", False), ("cut in the types", data[:types_at + 100], "rawheap_no_types", False),
        ("cut in the objects", data[:sections - 50], "rawheap_no_types", False), ("cut in the header", data[:12], "rawheap_no_types", False),
        ("longer", data + b"x", "rawheap_no_types", False), ("no list", put(types_at - 4, 5), "rawheap_no_types", False),
        ("no JSON", data[:types_at] + b"?" * n + data[-8:], "rawheap_types_bad", False),
        ("roots beyond the file", put(sections, 0xFFFFFF00), "rawheap_section_bad", True), ("strings beyond the file", put(sections + 8, 0xFFFFFF00), "rawheap_section_bad", True),
        ("objects beyond the file", put(sections + 20, 0xFFFFFF00), "rawheap_section_bad", True), ("too few objects", put(sections + 20, 1000), "rawheap_section_bad", True),
        ("sections overlap", put(sections + 8, struct.unpack_from("<I", data, sections)[0]), "rawheap_section_bad", True),
        ("version", b"9" + data[1:], "rawheap_version", False), ("static", b"3" + data[1:], "rawheap_static", False)]
    for name, bad, issue, has_rows in cases:
        with open(path, "wb") as f:
            f.write(bad)
        code, said = convert(path, out, "--strict")
        db = sqlite3.connect(out)
        codes = [c for c, in db.execute("SELECT code FROM import_issue")]
        files = db.execute("SELECT file_name FROM js_heap_files").fetchall()
        if code != 3 or issue not in codes or bool(files) != has_rows or (files and "(incomplete)" not in files[0][0]):
            fail("version", version, name, "exit code", code, codes, files, said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, data, nodes, edges in (("first", rawheap_write.example_first(), 17, 24), ("second", rawheap_write.example_second(), 13, 14)):
            got = whole(name, data, folder)
            if (len(got["js_heap_nodes"]), len(got["js_heap_edges"])) != (nodes, edges):
                fail(name, len(got["js_heap_nodes"]), "nodes,", len(got["js_heap_edges"]), "edges")
            elsewhere(data, got, folder)
        for seed in range(2000 if SLOW else 20):
            for version in (1, 2):
                data = rawheap_write.random_dump(seed, version)
                got = whole("seed %d, version %d" % (seed, version), data, folder)
                if seed % 10 == 0:
                    elsewhere(data, got, folder)
        for version in (1, 2):
            damaged(version, folder)
    print("%d cells compared" % rawheap_dump.cells.compared)


if __name__ == "__main__":
    main()
