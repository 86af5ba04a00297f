#!/usr/bin/env python3
"""page.py PROGRAM PAGE_ASK SOURCE SHARE: a page without a server gets the bytes that a server sends.

PAGE_ASK is a program, or the folder of the module: then page_ask.mjs asks that, by node. Requests like those of the page, wrong ones as well, are asked of `serve` and of serve/page over databases of the bundled recordings. Only what says which
server it was is left out of the comparison: etag, version and limits of /api/info, elapsed_ms of /api/query.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from client import Server

PROGRAM, PAGE_ASK, SOURCE, SHARE = sys.argv[1:5]
RECORDINGS = ["recording-snapshots.htrace.gz", "recording-timeline.htrace.gz", "recording-cpuprofile.htrace.gz", "recording-cloud.tar.gz", "kernel.htrace.gz", "kernel.ftrace",
              "work.jfr.gz", "go-heap.pprof", "Trace-page.json.gz", "counters.trace.json", "tiny/profile.cpuprofile"]
VIEWS = ["sources", "flame", "flame?kind=sample&order=callers", "flame?join=methods&weight=dur&from=0", "flame?only=main&demangle=1", "flame?root=12345", "methods?limit=20",
         "methods?by=source&sort=self", "weights", "threads?px=120&limit=10000", "timeline?px=200", "timeline?px=50&from=1000&to=900000000", "slices?px=300", "slices/names",
         "series?px=100", "lanes?kind=cpu&px=100", "lanes?kind=state", "rows?kind=sample", "rows?kind=cpu&from=0&to=1000000", "find?name=a", "find?q=a", "chart?thr=1", "heap/files",
         "heap/classes?file=0&limit=100", "heap/classes?file=0&filter=S%C3%A4%20%2B", "heap/diff?file=1&base=0&by=class", "heap/diff?file=1&base=0&by=ids&limit=1",
         "heap/objects?file=0&class=1", "heap/node?file=0&node=1", "heap/edges?file=0&node=1", "heap/retainers?file=0&node=1", "heap/path?file=0&node=5", "heap/strings?file=0",
         "heap/detached?file=0", "heap/constructors?file=0", "heap/comparison?file=1", "heap/duplicates?file=0", "heap/dominated?file=0&node=1", "heap/allocations?file=0",
         "calls/scatter", "flame?what=1", "flame?from=x", "nothing", "flame?weight=cpu&weight=wall", "heap/files?file=99999", "methods?limit=1&&=x", "threads?px=%zz", "flame?only=a+b"]
STATEMENTS = ["SELECT 1 AS a, 'x' AS b, NULL AS c, 1.5 AS d, x'0102' AS e", "SELECT 9007199254740993 AS big, 1e400 AS inf", "SELEC 1", "SELECT 1; SELECT 2", "DELETE FROM source",
              "SELECT * FROM nothing", "SELECT name FROM sqlite_master ORDER BY name", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT i FROM n",
              "SELECT :a + 1 AS b", "ATTACH 'x' AS y", "", "SELECT char(10) || char(1) || 'ü' AS t"]
if not os.path.isdir(PAGE_ASK):  # whose SQLite loads nothing, and does not know the function
    STATEMENTS.append("SELECT load_extension('x')")


def requests(name, seed, questions):
    """(method, target, body) for one database."""
    db = urllib.parse.quote(name)
    chance = random.Random(seed)
    for view in VIEWS:
        yield "GET", f"/api/{view}{'&' if '?' in view else '?'}db={db}", ""
    for what in "info", "info?brief=1", f"schema?db={db}", f"questions?db={db}", "questions?what=1", "schema?db=no.db", "query", "export", "query?sql=SELECT+1&question=x":
        yield "GET", f"/api/{what}", ""
    for sql in STATEMENTS:
        for ints in "", "&ints=text":
            yield "GET", f"/api/query?{urllib.parse.urlencode({'db': name, 'sql': sql})}{ints}", ""
        yield "POST", "/api/query", json.dumps({"db": name, "sql": sql, "params": {"a": 41} if ":a" in sql else {}, "limit": chance.choice([0, 1, 7, 1000]), "ints": "text"})
        for form in "csv", "tsv", "json", "ndjson", "md", "what":
            yield "GET", f"/api/export?format={form}&{urllib.parse.urlencode({'db': name, 'sql': sql})}", ""
    for question in questions:
        yield "GET", f"/api/query?db={db}&question={question}&ints=text&limit=50", ""
    for form in "folded", "speedscope", "flame", "pprof", "what":
        yield "GET", f"/api/export?view=flame&format={form}&db={db}", ""
    yield "POST", "/api/query", "{"
    yield "POST", "/api/flame", "{}"
    yield "PUT", "/api/query", "{}"


class Page:
    def __init__(self, paths):
        ask = ["node", os.path.join(SOURCE, "test/serve_page/page_ask.mjs"), PAGE_ASK] if os.path.isdir(PAGE_ASK) else [PAGE_ASK]
        self.process = subprocess.Popen([*ask, SHARE, *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, method, target, body):
        self.process.stdin.write(f"{method}\t{target}\t{body}\n".encode())
        self.process.stdin.flush()
        status, kind, name, length = self.process.stdout.readline().decode().rstrip("\n").split("\t")
        return int(status), kind, name, self.process.stdout.read(int(length))


def server_ask(server, method, target, body):
    for _ in range(1000):
        headers = {"Content-Type": "application/json"} if method != "GET" else {}
        reply = server.ask(target, method, headers, body.encode(), timeout=60)
        if reply.status != 202:
            kept = re.search(r'filename="([^"]*)"', str(reply.headers))
            return reply.status, reply.headers.get("content-type", reply.headers.get("Content-Type", "")), kept[1] if kept else "", reply.body
        time.sleep(0.02)
    raise SystemExit(f"{target}: no end")


def comparable(target, body):
    if target.startswith("/api/info"):
        body = re.sub(rb'"derived":\{[^}]*\},|"etag":"(\\.|[^"\\])*",?|"limits":\{[^}]*\}|"version":"[^"]*",', b"", body)
        body = re.sub(rb'"sampling":true', b'"sampling":false', body)
    return re.sub(rb'"elapsed_ms":[0-9.e+-]+', b'"elapsed_ms":0', body) if target.startswith("/api/query") else body


def main():
    if not os.path.exists(os.path.join(PAGE_ASK, "trace_streamer.js") if os.path.isdir(PAGE_ASK) else PAGE_ASK):
        print("skipped: the module of the preset wasm is missing")
        raise SystemExit(77)
    asked = wrong = good = 0
    with tempfile.TemporaryDirectory() as work:
        paths = []
        for name in RECORDINGS:
            paths.append(os.path.join(work, os.path.basename(name) + ".db"))
            subprocess.run([PROGRAM, os.path.join(SOURCE, "test/data", name), "-e", paths[-1], "--quiet", "--analyze=default,heap"], check=True)
        questions = sorted(name[:-4] for name in os.listdir(os.path.join(SHARE, "sql")) if name.endswith(".sql"))
        server = Server(PROGRAM, *paths, "--no-token", "--analyze=none")
        page = Page(paths)
        for seed, path in enumerate(paths):
            for method, target, body in requests(os.path.basename(path), seed, questions):
                theirs, ours = server_ask(server, method, target, body), page.ask(method, target, body)
                asked += 1
                good += theirs[0] == 200
                if theirs[:3] != ours[:3] or comparable(target, theirs[3]) != comparable(target, ours[3]):
                    wrong += 1
                    if wrong < 20:
                        print(f"{method} {target} {body[:200]}\n  server: {theirs[:3]} {theirs[3][:300]}\n  page:   {ours[:3]} {ours[3][:300]}")
        server.stop()
        page.process.stdin.close()
        if page.process.wait(60) != 0:
            raise SystemExit("page_ask failed")
    print(f"{asked} requests, {good} of them answered with 200, {wrong} with other bytes")
    if wrong > 0 or good < asked / 3:
        raise SystemExit(1)


main()
