#!/usr/bin/env python3
"""attackers.py PROGRAM DATA: statements whose functions run for minutes, a database whose tables are views of such functions, floods of
pings: each ends in its time, others are answered within a second meanwhile, and the server stays below 300 MB."""
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(__file__))
from client import Server  # noqa: E402
from websocket import WebSocket  # noqa: E402

program, data = sys.argv[1:3]
sanitized = len(sys.argv) > 3 and sys.argv[3] == "sanitized"
slow = 20 if sanitized else 1  # how much longer things may take
verbose = "-v" in sys.argv
failures = []

# Two texts for which a search compares half of the second at each place of the first.
TEXT, PATTERN = "hex(zeroblob(8000000))", "hex(zeroblob(4000000))||'1'"
ENDLESS = f"instr({TEXT}, {PATTERN})"


def check(what, good):
    if not good:
        failures.append(what)


def tree(s):
    """The server and all that it started."""
    pids = [s.process.pid]
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            try:
                with open(f"/proc/{pid}/task/{task}/children") as f:
                    pids += map(int, f.read().split())
            except OSError:
                pass
    return pids


def memory(s):
    """Bytes of all of them, of pages that they share each one's part."""
    total = 0
    for pid in tree(s):
        try:
            with open(f"/proc/{pid}/smaps_rollup") as f:
                total += int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M)[1]) * 1024
        except OSError:
            pass
    return total


def timed(s, sql, ms, **more):
    begun = time.monotonic()
    reply = s.ask(f"/api/query?timeout_ms={ms}&sql={urllib.parse.quote(sql)}", **more)
    return reply, time.monotonic() - begun


# Each builtin function that works longer than its arguments are long, or on the longest ones, and what no function is.
STATEMENTS = {
    "instr": f"SELECT {ENDLESS}",
    "replace": f"SELECT length(replace({TEXT}, {PATTERN}, ''))",
    "like": f"SELECT {TEXT} LIKE '%' || substr({TEXT}, 1, 9000) || '1'",
    "glob": f"SELECT {TEXT} GLOB '*' || substr({TEXT}, 1, 9000) || '1'",
    "trim": f"SELECT length(trim({TEXT}, hex(zeroblob(3000000))||'0'))",
    "printf": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT max(length(printf('%*s%.*f', 8000000, n, 7000000, n))) FROM c",
    "group_concat": f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<30000000) SELECT length(group_concat(n, '')) FROM c",
    "window": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<1000000) SELECT length(group_concat(n) OVER "
              "(ORDER BY n ROWS BETWEEN 400000 PRECEDING AND CURRENT ROW)) FROM c ORDER BY 1 LIMIT 1",
    "json": "SELECT json_array_length(json_group_array(json(v))) FROM (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) "
            "SELECT '[' || replace(hex(zeroblob(5000000)), '00', '[],') || '1]' AS v FROM c)",
    "random": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT max(length(hex(randomblob(8000000)))) FROM c",
    "quote": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT max(length(quote(zeroblob(8000000+n%9)))) FROM c",
    # No jump in it, where SQLite would look at the time.
    "straight": f"SELECT {'+'.join(['length(upper(t))'] * 900)} FROM (SELECT {TEXT} || random() AS t)",
    "recursion": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c",
    "wide": f"SELECT {','.join(['zeroblob(16000000)'] * 1000)}",
}
# Those that must not end otherwise: that they would is what the test is about.
LONG = ["instr", "replace", "like", "straight", "recursion"]


def functions(s):
    def some(names):
        for name in names:
            reply, seconds = timed(s, STATEMENTS[name], 300)
            if verbose:
                print(name, reply.status, f"{seconds:.2f}", reply.body[:100])
            check(f"{name}: {reply.status} after {seconds:.2f} s", seconds < 0.3 + 0.5 + 1 * slow)
            check(f"{name}: {reply.status}", reply.status == 408 if name in LONG else reply.status in (200, 400, 408, 503))

    together([threading.Thread(target=some, args=[list(STATEMENTS)[n::4]]) for n in range(4)])
    check("afterwards", s.query("SELECT 1").status == 200)


def busy_machine():
    """How much longer things may take where others compute as well: on a free machine 1."""
    return max(1, os.getloadavg()[0] / os.cpu_count() / 2)


def together(threads):
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def running(s):
    """Processes of the server that compute now."""
    n = 0
    for pid in tree(s)[1:]:
        try:
            with open(f"/proc/{pid}/stat") as f:
                n += f.read().rpartition(")")[2].split()[0] == "R"
        except OSError:
            pass
    return n


def leaving(s):
    """A client that leaves: what computes for it ends, also inside of a function."""
    for _ in range(3):
        c = s.connect()
        c.sendall(f"GET /api/query?sql={urllib.parse.quote('SELECT ' + ENDLESS)} HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
        time.sleep(0.4)
        c.close()
    end = time.monotonic() + slow
    while running(s) > 0 and time.monotonic() < end:
        time.sleep(0.05)
    check("nothing computes for those who left", running(s) == 0)


def hostile(path, kind):
    """A database whose tables are views of a function that does not end, or have columns of it."""
    db = sqlite3.connect(path)
    tables = [t for (t,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'meta'")]
    db.execute("PRAGMA legacy_alter_table = 1")
    for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
        db.execute(f'DROP VIEW "{view}"')
    columns = {t: [c for (c,) in db.execute(f"SELECT name FROM pragma_table_info('{t}')")] for t in tables}
    for table in tables:
        db.execute(f'ALTER TABLE "{table}" RENAME TO "{table}_of"')
    for table in tables:
        if kind == "views":
            db.execute(f'CREATE VIEW "{table}" AS SELECT * FROM "{table}_of" WHERE {ENDLESS} = 0')
        else:
            db.execute(f'CREATE TABLE "{table}"(' + ", ".join(f'"{c}" AS (no_column)' for c in columns[table]) + ", no_column)")
            db.execute(f'INSERT INTO "{table}" VALUES (1), (2)')
    db.execute("PRAGMA writable_schema = 1")
    db.execute("UPDATE sqlite_master SET sql = replace(sql, '(no_column)', ?)", [f"({ENDLESS})"])
    db.commit()
    db.close()


def endpoints():
    """The paths of all views."""
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "src", "serve", "views", "views_list.c")) as f:
        return [f"/api/{name}" for name in re.findall(r'^    \{"([a-z/]+)"', f.read(), re.M)]


def until_made(s, path, seconds):
    """A view is asked for until it is there."""
    begun = time.monotonic()
    while True:
        reply = s.ask(path, timeout=30)
        missing = re.search(r"parameter '(\w+)' is missing", reply.body.decode()) if reply.status == 400 else None
        if missing:
            path += f"&{missing[1]}=1"
            continue
        if reply.status != 202 or time.monotonic() - begun > seconds:
            return reply, time.monotonic() - begun
        time.sleep(0.1)


def good_answers(s, what, seconds, paths):
    """Other clients of another database, for some seconds."""
    end = time.monotonic() + seconds
    worst = 0
    while time.monotonic() < end:
        for path in paths:
            begun = time.monotonic()
            reply = s.ask(path)
            took = time.monotonic() - begun
            worst = max(worst, took)
            check(f"{what}: {path}: {reply.status} after {took:.2f} s", reply.status in (200, 202) and took < slow)
    return worst


def views(s, hostiles):
    """Every endpoint answers about the hostile databases, others about the good one meanwhile."""
    paths = endpoints() + ["/api/schema", "/api/questions", "/api/query?sql=SELECT+*+FROM+thread", "/api/export?view=flame&format=folded"]
    check("endpoints", len(paths) > 25)
    results = {}

    def some(db, mine):
        for path in mine:
            name = path + ("&" if "?" in path else "?") + f"db={db}"
            results[name] = until_made(s, name, 20)
            if verbose:
                print(name, results[name][0].status, f"{results[name][1]:.2f}", results[name][0].body[:100])

    # The views of a database are made one after the other: each has some of the paths.
    threads = [threading.Thread(target=some, args=[db, paths[n::6] if n < 6 else ["/api/flame", "/api/schema", "/api/methods"]]) for n, db in enumerate(hostiles)]
    for t in threads:
        t.start()
    worst = 0
    while any(t.is_alive() for t in threads):
        worst = max(worst, good_answers(s, "beside hostile databases", 0.5, ["/api/query?sql=SELECT+count(*)+FROM+stack_sample", "/api/flame"]))
    for name, (reply, seconds) in results.items():
        check(f"{name}: {reply.status} after {seconds:.2f} s", reply.status != 202 and seconds < 1 + 0.5 + 3 * slow)
    print(f"{len(results)} answers about hostile databases, the longest after {max(t for _, t in results.values()):.2f} s; others within {worst:.2f} s")
    check("some were ended", sum(1 for reply, _ in results.values() if reply.status == 408) >= 10)


class Flood(threading.Thread):
    """Does something again and again until it is told to stop."""

    def __init__(self, what):
        super().__init__()
        self.what, self.stopped, self.times = what, False, 0

    def run(self):
        while not self.stopped:
            try:
                self.what()
                self.times += 1
            except (OSError, EOFError, AssertionError):
                time.sleep(0.05)


def four_at_once(s):
    """Functions, a hostile database, pings and lengths that are said twice, all at once."""
    socket = WebSocket(s.port, timeout=0.5)
    pings = (b"\x89\xfd" + b"\x01\x02\x03\x04" + b"x" * 125) * 500
    fragments = WebSocket(s.port, timeout=0.5)
    fragments.send(b"{", fin=False)
    pieces = (b"\x00\x81" + b"\x01\x02\x03\x04" + b"!") * 20000
    twice = (f"POST /api/query HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nContent-Type: application/json\r\nContent-Length: 18\r\n"
             "Transfer-Encoding: chunked\r\n\r\n").encode() + b'12\r\n{"sql":"SELECT 1"}\r\n0\r\n\r\n'
    floods = [Flood(lambda: timed(s, f"SELECT {ENDLESS}", 1500)) for _ in range(2)]
    floods += [Flood(lambda: s.ask("/api/flame?db=views0.db")), Flood(lambda: socket.socket.sendall(pings)),
               Flood(lambda: fragments.socket.sendall(pieces)), Flood(lambda: s.raw(twice, 2))]
    for flood in floods:
        flood.start()
    time.sleep(0.5)
    most, own, worst, end = 0, 0, 0, time.monotonic() + 3
    while time.monotonic() < end:
        worst = max(worst, good_answers(s, "beside four attackers", 0.2, ["/api/query?sql=SELECT+count(*)+FROM+stack_sample", "/api/flame", "/api/info", "/"]))
        most = max(most, memory(s))
        own = max(own, s.rss_kb())
    for flood in floods:
        flood.stopped = True
    for flood in floods:
        flood.join()
    if verbose:
        print([flood.times for flood in floods])
    print(f"beside four attackers: answers within {worst:.2f} s, {most / 1e6:.0f} MB, of which {own / 1000:.0f} MB the server itself")
    check(f"memory: {most / 1e6:.0f} MB", sanitized or most < 300e6)
    check("every attacker attacked", all(flood.times > 0 for flood in floods[:-2]) and floods[-1].times > 3)


def killed(s):
    """A server that is killed leaves no process."""
    c = s.connect()
    c.sendall(f"GET /api/query?sql={urllib.parse.quote('SELECT ' + ENDLESS)} HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
    time.sleep(0.3)
    pids = tree(s)
    check("processes", len(pids) >= 3)
    s.process.kill()
    s.process.wait()

    def lives(pid):
        try:
            with open(f"/proc/{pid}/stat") as f:
                return f.read().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False
    end = time.monotonic() + 2 * slow
    while any(lives(p) for p in pids[1:]) and time.monotonic() < end:
        time.sleep(0.05)
    check("no process is left", not any(lives(p) for p in pids[1:]))


def main():
    global slow
    with tempfile.TemporaryDirectory() as folder:
        good = os.path.join(folder, "good.db")
        subprocess.run([program, os.path.join(data, "recording-cpuprofile.htrace.gz"), "-e", good, "--quiet"], check=True)
        hostiles = [f"views{n}.db" for n in range(6)] + ["columns.db"]
        for name in hostiles:
            first = os.path.join(folder, name if name == "columns.db" else "views0.db")
            if os.path.exists(first):
                shutil.copy(first, os.path.join(folder, name))
            else:
                shutil.copy(good, first)
                hostile(first, "columns" if name == "columns.db" else "views")
        options = ["--quiet", "--any", "--no-token", "--query-timeout"]
        if sanitized:  # whose own memory counts, too
            options[:0] = ["--max-memory", "8G"]
        s = Server(program, good, *[os.path.join(folder, name) for name in hostiles], *options, "1")
        slow *= busy_machine()
        functions(s)
        leaving(s)
        views(s, hostiles)
        s.stop()
        s = Server(program, good, os.path.join(folder, "views0.db"), *options, "5")
        four_at_once(s)
        killed(s)
    for failure in dict.fromkeys(failures):
        print(failure)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
