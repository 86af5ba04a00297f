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
import metrics
import profiles
import starts

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
    done = starts.run([program, path, "-e", out, "--quiet", *options], capture_output=True, text=True, check=False)
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
    wrong = wrong or metrics.compare(db) or check_points(path, db)
    states = dict(db.execute("SELECT name, state FROM profile_attachment"))
    if states != {name: "imported" if form else "metrics" if name == "metrics.json" else "unknown" for name, (_, form) in files.items()}:
        wrong = wrong or "states %r" % states
    return wrong


def check_points(path, db):
    """Of the upload itself: no database is kept."""
    for option in ([], ["--lp-derived"]):
        before = sorted(os.listdir(os.path.dirname(path)))
        done = starts.run([program, path, "--to=line-protocol", "-o", "-", "--quiet", *option], capture_output=True, text=True, check=True)
        if done.stdout != metrics.points(db, bool(option)):
            return "points %s instead of %s" % (done.stdout, metrics.points(db, bool(option)))
        if sorted(os.listdir(os.path.dirname(path))) != before:
            return "files are left behind"
    return None


def metrics_of_recordings(folder):
    """JFR recordings of each kind, those of Go, and one of Python that is made here."""
    out = os.path.join(folder, "out.db")
    for like in ("jdk", "async", "datadog", "mixed"):
        path = os.path.join(folder, like)
        subprocess.run([os.path.join(os.path.dirname(mkprofile), "mkjfr"), "-o", path, "--like", like, "--chunks", "2"], check=True)
        convert(path, out)
        wrong = metrics.compare(sqlite3.connect(out))
        if wrong:
            sys.exit("%s: %s" % (like, wrong))
    for name in ("go-cpu.pprof", "go-heap.pprof", "go-mutex.pprof", "work.jfr.gz"):
        convert(os.path.join(testdir, "data", name), out)
        db = sqlite3.connect(out)
        wrong = metrics.compare(db)
        if wrong or not db.execute("SELECT count(*) FROM profile_metric").fetchone()[0]:
            sys.exit("%s: %s" % (name, wrong or "no metrics"))


# Every field of the seed's Profile and of its point: names, order, micro- and nanoseconds, and the tags of the user behind them.
EVENT = {"attachments": ["main.folded"], "tags_profiler": "service:shop,env:testing,version:1.2,host:host-1,runtime-id:x,language:java,runtime:jvm,runtime_version:17.0.3,"
         "runtime_os:linux,runtime_arch:amd64,profiler_version:0.103.0,process_id:4711,zone:a b,profile.kind:cpu", "start": "2022-06-17T09:20:07.002305123+08:00",
         "end": "2022-06-17T09:21:07.002304999+08:00", "family": "java", "format": "collapse", "endpoint": "/profiling/v1/input", "profile_id": "56355bd1-6eb1-4f7d-8d33-5f9ed4a2a8a0"}
POINT = ('profile,endpoint=/profiling/v1/input,env=testing,host=host-1,language=java,profile_kind=cpu,runtime=jvm,runtime_arch=amd64,runtime_os=linux,service=shop,version=1.2,'
         'zone=a\\ b profile_id="56355bd1-6eb1-4f7d-8d33-5f9ed4a2a8a0",agent_ver="0.103.0",start=1655428807002305i,end=1655428867002304i,duration=59999999i,pid="4711",'
         'format="collapse"%s 1655428867002304999\n')
EXTENDED = ',language_ver="17.0.3",oss_path="[\\"main.folded\\"]",metrics="{}",samples="{\\"cpu-samples\\":{\\"count\\":1,\\"total\\":7}}"'
PROFILE = {
    "profile_id": "56355bd1-6eb1-4f7d-8d33-5f9ed4a2a8a0", "agent_ver": "0.103.0", "endpoint": "/profiling/v1/input", "service": "shop", "env": "testing", "version": "1.2",
    "start": 1655428807002305123, "end": 1655428867002304999, "duration": 59999999876, "host": "host-1", "pid": "4711", "language": "java", "language_ver": "17.0.3",
    "runtime": "jvm", "runtime_os": "linux", "runtime_arch": "amd64", "format": "collapse", "tags": {"zone": "a b", "profile.kind": "cpu"}, "oss_path": ["main.folded"],
    "metrics": {}, "samples": {"cpu-samples": [{"values": [{"type": "samples", "value": 7, "unit": "count"}], "span_id": "", "root_span_id": "", "trace_endpoint": "",
                                                "labels": {}, "stack_trace": [{"name": "f", "file": "", "line": 0}, {"name": "main", "file": "", "line": 0}]}]}}


def seed_point(folder):
    os.mkdir(os.path.join(folder, "seed"))
    with open(os.path.join(folder, "seed", "event.json"), "w", encoding="utf-8") as f:
        json.dump(EVENT, f)
    with open(os.path.join(folder, "seed", "main.folded"), "w", encoding="utf-8") as f:
        f.write("main;f 7\n")

    def export(form, *options):
        return starts.run([program, os.path.join(folder, "seed"), "--to=" + form, "-o", "-", "--quiet", *options], capture_output=True, text=True, check=True).stdout

    for options, more in (((), ""), (("--lp-extended",), EXTENDED), (("--source=main.folded",), "")):
        if export("line-protocol", *options) != POINT % more:
            sys.exit("point %s instead of %s" % (export("line-protocol", *options), POINT % more))
    if json.loads(export("profile-json")) != PROFILE or list(json.loads(export("profile-json"))) != list(PROFILE):
        sys.exit("profile %s instead of %s" % (export("profile-json"), json.dumps(PROFILE)))


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
    with tempfile.TemporaryDirectory() as folder:
        metrics_of_recordings(folder)
        seed_point(folder)
    for seed in range(1, 13) if SLOW else (6,):
        with tempfile.TemporaryDirectory() as folder:
            one(folder, seed)


main()
