#!/usr/bin/env python3
"""mktptp against the independent reader of test/check/tptp.py: what mktptp says it wrote is what the reader finds, and both forms of a trace
give the same rows, whatever variant of the format they are, with and without damage.

usage: tptp.py MKTPTP TESTDIR
"""

import os
import sys
import tempfile

MKTPTP = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[2]), "check"))
import tptp
import tptp_made
import tptp_rows

FAILED = []


def same(what, got, want):
    if got != want:
        FAILED.append(what)
        print("%s: want %r, got %r" % (what, want, got))


def rows_of(path):
    with open(path, "rb") as f:
        found = tptp.sessions(f.read())
    return found, tptp_rows.tables(found)


def total(rows, column):
    return sum(r[column] for r in rows if r[column] is not None)


def figures(found, rows):
    """What mktptp --expect prints, from the rows."""
    rows = {name: rows.get(name, []) for name in tptp_rows.SQL}
    waits = [w for w in rows["waits"] if w[1] == "wait" and w[11] == 0]
    contended = [w for w in rows["waits"] if w[1] == "contended" and w[11] == 0]
    busy = [w for w in contended if w[3] == 77]
    hot = [s for s in rows["slices"] if s[3].endswith(".hotMethod")]
    leaked = [a for a in rows["allocations"] if a[4] == "com.example.app.LeakedSession"]
    freed = {f[1] for f in rows["frees"]}
    same("leaked objects are not freed", [i for i, a in enumerate(rows["allocations"], 1) if a in leaked and i in freed], [])
    return {
        "sessions": len(found), "events": sum(len(s.events) for s in found), "threads": len(rows["thread starts"]),
        "classes": sum(1 for c in rows["classes"] if c[16]), "methods": len(rows["method details"]), "entries": len(rows["slices"]),
        "exits": sum(1 for s in rows["slices"] if s[9] == 0), "max_depth": max([s[8] + 1 for s in rows["slices"]], default=0),
        "allocations": len(rows["allocations"]), "frees": sum(1 for f in rows["frees"] if f[1]), "gcs": len(rows["pauses"]),
        "gc_ns": total(rows["pauses"], 3), "waits": len(waits), "wait_ns": total(waits, 8), "contended": len(contended),
        "contended_ns": total(contended, 8), "aggregates": len(rows["aggregates"]), "dumps": len(rows["dumps"]),
        "roots": len(rows["roots"]), "references": len(rows["references"]), "filters": len(rows["filters"]),
        "options": len(rows["options"]), "custom": len(rows["custom"]), "hot_calls": len(hot), "hot_self_ns": total(hot, 6),
        "leaked_objects": len(leaked), "leaked_bytes": total(leaked, 5), "busy_monitor": 77, "busy_contended": len(busy),
        "busy_ns": total(busy, 8),
    }


def round_trip(*options):
    want = tptp_made.make(MKTPTP, "out", *options)
    found, rows = rows_of("out")
    got = figures(found, rows)
    for name, value in want.items():
        if name != "bytes":
            same("%s: %s" % (" ".join(options), name), got.get(name), value)
    return found, rows


def findings():
    """What was planted is there to be found."""
    found, rows = round_trip("--calls", "2000")
    own = {}
    for s in rows["slices"]:
        own[s[3]] = own.get(s[3], 0) + (s[6] or 0)
    blocked = {}
    for w in rows["waits"]:
        if w[1] == "contended":
            blocked[w[3]] = blocked.get(w[3], 0) + w[8]
    same("busiest monitor", max(blocked, key=blocked.get), 77)
    calls = {}
    for s in rows["slices"]:
        calls[s[3]] = calls.get(s[3], 0) + 1
    same("hottest method for each call", max((m for m in own if calls[m] > 5), key=lambda m: sorted(
        s[6] or 0 for s in rows["slices"] if s[3] == m)[calls[m] // 2]).endswith(".hotMethod"), True)
    alive = {}
    freed = {f[1] for f in rows["frees"]}
    for i, a in enumerate(rows["allocations"], 1):
        if i not in freed:
            alive[a[4]] = alive.get(a[4], 0) + a[5]
    same("largest class that is alive", max(alive, key=alive.get), "com.example.app.LeakedSession")


def both_forms(few):
    for seed in tptp_made.seeds(few):
        for damaged in (False, True):
            both, binary, xml = tptp_made.random_options(seed, damaged)
            tptp_made.make(MKTPTP, "b", *both, *binary)
            tptp_made.make(MKTPTP, "x", *both, *xml)
            try:
                rows = rows_of("b")[1]
                want = rows_of("x")[1]
            except Exception as e:
                rows, want = str(e), {}
            if rows != want:
                FAILED.append("both forms")
                print("the forms differ: mktptp %s / %s / %s" % (" ".join(both), " ".join(binary), " ".join(xml)))
                print("\n".join(tptp_rows.compare(rows, want, 1)) if want else rows)


def layouts():
    """The variants that a reader has to find out."""
    for size, at in (("inclusive", 1), ("exclusive", 0)):
        for system in ("sized", "unsized"):
            for arrays in ("plain", "counted"):
                for endian in ("little", "big"):
                    tptp_made.make(MKTPTP, "out", "--worked", "--size", size, "--system", system, "--arrays", arrays, "--endian", endian)
                    found = rows_of("out")[0][0]
                    got = [found.facts[k] for k in ("size_mode", "sys_length", "arrays", "endian")]
                    same("layout", got, [size, int(system == "sized"), arrays, endian])
                    same("layout: events", len(found.events), 7)


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        layouts()
        findings()
        for options in ([], ["--form", "xml"], ["--form", "xml", "--zip", "--sessions", "3"], ["--sessions", "2"], ["--depth", "200"],
                        ["--objects", "0"], ["--open", "3"], ["--ids", "relocatable", "--no-tickets"]):
            round_trip("--calls", "400", *options)
        both_forms(8)
        os.chdir("/")
    sys.exit(1 if FAILED else 0)


main()
