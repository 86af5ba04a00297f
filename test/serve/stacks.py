#!/usr/bin/env python3
"""stacks.py PROGRAM DATA [sanitized]: /api/export?view=flame with the filters of /api/flame, against stacks that are folded here from the rows;
and what /api/info says of databases that are replaced or removed."""
import collections
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

from client import Server

LABEL = "ifnull(nullif(package, '') || '.', '') || ifnull(nullif(class, '') || '.', '') || ifnull(nullif(name, ''), '(anonymous)')"


def check(condition, text):
    if not condition:
        sys.exit(f"WRONG: {text}")


class Rows:
    """Samples of a database as (path of names, ns, whether it is idle)."""

    def __init__(self, path):
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        names = dict(db.execute(f"SELECT id, {LABEL} FROM stack_method"))
        self.where = {m: f"{file}:{line}" if line else file for m, file, line in db.execute("SELECT id, file, line FROM stack_method WHERE file <> ''")}
        self.paths = {}
        for node, parent, method in db.execute("SELECT id, parent_id, method_id FROM stack_node ORDER BY id"):
            self.paths[node] = self.paths.get(parent, ()) + ((names.get(method, "(unknown)"), self.where.get(method, "")),)
        self.samples = db.execute("SELECT node_id, dur, class = 'waiting' AND reason IS 'idle' FROM v_sample WHERE node_id IS NOT NULL AND dur >= 0").fetchall()
        db.close()

    def folded(self, only=None, ignore=None, hide=None, idle=None):
        fits = {what: re.compile(text, re.I) for what, text in (("only", only), ("ignore", ignore), ("hide", hide)) if text}
        hit = lambda what, frame: fits[what].search(frame[0]) or (frame[1] and fits[what].search(frame[1]))
        sums = collections.Counter()
        for node, dur, is_idle in self.samples:
            path = self.paths[node]
            if idle == "without" and is_idle or only and not any(hit("only", f) for f in path) or ignore and any(hit("ignore", f) for f in path):
                continue
            path = [f for f in path if not (hide and hit("hide", f))]
            if path and dur:
                sums[";".join(f[0] for f in path)] += dur
        return sums


def exported(server, db, **asked):
    reply = server.ask(f"/api/export?db={db}&view=flame&format=folded&weight=dur&" + urllib.parse.urlencode(asked))
    check(reply.status == 200, f"{db} {asked}: {reply.status} {reply.body[:300]}")
    sums = collections.Counter()
    for line in reply.body.decode().splitlines():
        path, _, ns = line.rpartition(" ")
        sums[path] += int(ns)
    return sums


def stacks(server, scratch):
    filters = [{}, {"idle": "without"}, {"only": "/^fib/"}, {"only": "job"}, {"ignore": "/tick|park/"}, {"hide": "/^(tick|listOnTimeout|RecordJfr.fib)$/"}, {"hide": "/./"},
               {"only": "/fib|Thread/", "ignore": "/sort|wait/", "hide": "/processTimers|run/", "idle": "without"}, {"only": "/:1[0-9]+$/"}, {"only": "nothing is called so"}]
    for db in ("profile.db", "jfr.db"):
        rows = Rows(os.path.join(scratch, db))
        for asked in filters:
            plain = {k: v[1:-1] if v.startswith("/") else re.escape(v) if k != "idle" else v for k, v in asked.items()}
            expected = rows.folded(**plain)
            if not expected:
                reply = server.ask(f"/api/export?db={db}&view=flame&format=folded&weight=dur&" + urllib.parse.urlencode(asked))
                check(reply.status == 400, f"{db} {asked}: nothing is left: {reply.status}")
                continue
            got = exported(server, db, **asked)
            check(got == expected, f"{db} {asked}: {sorted((got - expected).items())[:3]} more, {sorted((expected - got).items())[:3]} less")
        check(exported(server, db, kind="sample") == rows.folded(), f"{db}: samples are all that there is")
    check(server.ask("/api/export?db=jfr.db&view=flame&format=folded&only=%2F%5B%2F").code() == "bad_request", "a pattern that is none")


def files(server, scratch):
    brief = lambda: {one["name"]: one["etag"] for one in server.ask("/api/info?brief=1").json()["databases"]}
    full = {one["name"]: one["etag"] for one in server.ask("/api/info").json()["databases"]}
    check(brief() == full and "" not in full.values(), f"{brief()} is not {full}")
    path = os.path.join(scratch, "jfr.db")
    os.rename(path, path + ".kept")
    check(brief() == full | {"jfr.db": ""}, f"one is gone: {brief()}")
    check(server.ask("/api/weights?db=jfr.db").status == 410, "a view of one that is gone")
    shutil.copy(path + ".kept", path)
    now = brief()
    check(now["jfr.db"] not in ("", full["jfr.db"]) and now["profile.db"] == full["profile.db"], f"one was replaced: {now}")
    reply = server.ask("/api/weights?db=nothing.db")
    check(reply.status == 404 and reply.code() == "not_found", f"one that is not open: {reply.status}")


def main():
    program, data = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as scratch:
        for name, recording in (("profile.db", "recording-cpuprofile.htrace.gz"), ("jfr.db", "work.jfr.gz")):
            subprocess.run([program, os.path.join(data, recording), "-e", os.path.join(scratch, name), "--quiet"], check=True)
        server = Server(program, os.path.join(scratch, "profile.db"), os.path.join(scratch, "jfr.db"))
        stacks(server, scratch)
        files(server, scratch)
        server.stop()
    print("exports are what is shown")


main()
