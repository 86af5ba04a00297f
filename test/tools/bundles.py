#!/usr/bin/env python3
"""Uploads to Datakit in every form, with profiles of every format in them: every row is compared with what independent readers find.

usage: bundles.py TRACE_STREAMER MKPROFILE TESTDIR
"""

import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

program, mkprofile, testdir = sys.argv[1:4]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import bundle
import jfr
import profiles

SLOW = os.environ.get("TS_SLOW") == "1"
NUMBERS = [["go_cpu_cores", 0.25], ["go_alloc_bytes_per_sec", 388], ["go_num_goroutine", 12], ["other", -1.5e300], ["none", None]]


def make(path, *options):
    subprocess.run([mkprofile, "-o", path, *options], check=True)


def members(folder, seed):
    """name in the upload: (path, format)"""
    path = lambda name: os.path.join(folder, name)
    make(path("cpu.pprof"), "--seed", str(seed), "--labels", "3", "--order", "samples-first")
    make(path("heap"), "--seed", str(seed + 1), "--types", "4", "--inlined", "2")
    make(path("auto"), "--form", "folded", "--seed", str(seed))
    subprocess.run([os.path.join(os.path.dirname(mkprofile), "mkjfr"), "-o", path("jfr"), "--seed", str(seed), "--chunks", "3"], check=True)
    for name in ("heap", "jfr"):
        with open(path(name), "rb") as f, open(path(name + ".gz"), "wb") as g:
            g.write(gzip.compress(f.read(), mtime=0))
    with open(path("numbers"), "w", encoding="utf-8") as f:
        json.dump(NUMBERS, f)
    with open(path("readme"), "w", encoding="utf-8") as f:
        f.write("no profile\n")
    return {"cpu.pprof": (path("cpu.pprof"), "pprof"), "delta-heap.pprof": (path("heap.gz"), "pprof"), "auto.folded": (path("auto"), "collapse"),
            "main.jfr": (path("jfr.gz"), "jfr"), "metrics.json": (path("numbers"), None), "readme": (path("readme"), None)}


def convert(path, out, *options):
    done = subprocess.run([program, path, "-e", out, "--quiet", *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (path, done.returncode, done.stderr))


def check(path, out, files, whole):
    db = sqlite3.connect(out)
    wrong = bundle.compare(db, path)
    for name, (file, form) in files.items() if whole else ():
        if wrong is None and form == "jfr":
            plain = file + ".plain"
            with gzip.open(file) as f, open(plain, "wb") as g:
                g.write(f.read())
            wrong = jfr.compare(out, jfr.read(plain))
        elif wrong is None and form is not None:
            wrong = profiles.COMPARE[form](db, file, name)
    states = dict(db.execute("SELECT name, state FROM profile_attachment"))
    if states != {name: "imported" if form else "metrics" if name == "metrics.json" else "unknown" for name, (_, form) in files.items()}:
        wrong = wrong or "states %r" % states
    return wrong


# Tables whose rows do not depend on how the upload came, but for the endpoint of a request.
SAME = ("stack_sample", "stack_sample_value", "stack_sample_label", "stack_node", "stack_method", "profile_tag", "profile_number", "jfr_sample", "thread")


def rows(out):
    db = sqlite3.connect(out)
    return {t: db.execute("SELECT * FROM %s ORDER BY 1, 2, 3" % t).fetchall() for t in SAME} | {
        "ids": db.execute("SELECT profile_id, start_ts, end_ts, service FROM profile").fetchall()}


def one(folder, seed):
    files = members(folder, seed)
    given = [x for name, (path, _) in files.items() for x in ("--file", "%s=%s" % (name, path))]
    first = None
    for shape, style in (("form", "event"), ("request", "event"), ("directory", "event"), ("form", "tags"), ("request", "tags")):
        path, out = os.path.join(folder, "upload"), os.path.join(folder, "out.db")
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)
        make(path, "--form", "bundle", "--shape", shape, "--style", style, "--seed", str(seed), *given)
        convert(path, out)
        wrong = check(path, out, files, first is None)
        have = rows(out)
        if wrong is None and first is not None and any(have[t] != first[t] for t in have if style == "event" or t != "profile_tag"):
            wrong = "other rows than as a form"
        if wrong:
            sys.exit("seed %d, %s, %s: %s" % (seed, shape, style, wrong))
        first = first or have
    archives(folder, path, out)


def archives(folder, path, out):
    """A directory in a tar, twice: two uploads."""
    os.mkdir(os.path.join(folder, "two"))
    for name, seed in (("a", "3"), ("b", "4")):
        make(os.path.join(folder, "two", name), "--form", "bundle", "--shape", "directory", "--seed", seed, "--file", "x=" + os.path.join(folder, "cpu.pprof"))
    packed = shutil.make_archive(os.path.join(folder, "packed"), "tar", os.path.join(folder, "two"))
    for given in (packed, os.path.join(folder, "two")):
        convert(given, out)
        found = sqlite3.connect(out).execute("SELECT p.service, s.path, count(a.id) FROM profile p JOIN source s ON s.id = p.source_id "
                                             "JOIN profile_attachment a ON a.profile_id = p.id GROUP BY p.id ORDER BY 1").fetchall()
        if found != [("shop-3", "a", 1), ("shop-4", "b", 1)]:
            sys.exit("%s: %r" % (given, found))


def main():
    for seed in range(1, 13) if SLOW else (6,):
        with tempfile.TemporaryDirectory() as folder:
            one(folder, seed)


main()
