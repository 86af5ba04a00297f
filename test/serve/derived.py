#!/usr/bin/env python3
"""derived.py PROGRAM DATA: heaps are analysed by the server, into its cache; databases stay as they are."""
import hashlib
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from client import Server  # noqa: E402

program, data = sys.argv[1:3]
sanitized = sys.argv[3:] == ["sanitized"]
failures = []
COLUMNS = "SELECT count(*), sum(retained_size), sum(distance), sum(dominator) FROM js_heap_retained"


def check(condition, text):
    if not condition:
        failures.append(text)


def convert(name, db, *more):
    subprocess.run([program, os.path.join(data, name), "-e", db, "--quiet", "--force", *more], check=True)


def rows(db, sql):
    with sqlite3.connect(f"file:{db}?mode=ro", uri=True) as c:
        return [list(r) for r in c.execute(sql)]


def folder_of(path):
    """Names and contents of a folder: nothing of it may change."""
    return {n: hashlib.sha256(open(os.path.join(path, n), "rb").read()).hexdigest() for n in sorted(os.listdir(path))}


def derived(server, number=0):
    return server.ask("/api/info").json()["databases"][number]["derived"]


def ready(server, number=0):
    """What became of it, once it is not worked on any more."""
    until = time.monotonic() + 60
    while (now := derived(server, number))["state"] == "runs":
        if time.monotonic() > until:
            sys.exit("the analysis does not end")
        time.sleep(0.05)
    return now


def copies(cache):
    return sorted(os.listdir(cache)) if os.path.isdir(cache) else []


def made_once(folder, cache):
    """The rows are those of --analyze=heap; the database and its folder stay; the next server takes the same copy."""
    db, other = os.path.join(folder, "heap.db"), os.path.join(folder, "cpu.db")
    convert("recording-snapshots.htrace.gz", db)
    convert("recording-cpuprofile.htrace.gz", other)
    analysed = cache + "-analysed.db"
    convert("recording-snapshots.htrace.gz", analysed, "--analyze=heap")
    before = folder_of(folder)
    server = Server(program, db, other, "--cache", cache)
    first = server.ask("/api/info").json()["databases"]
    check(first[0]["derived"]["state"] in ("runs", "done"), f"said from the beginning: {first[0]['derived']}")
    check(ready(server) == {"state": "done"}, f"made: {derived(server)}")
    check(derived(server, 1) == {"state": "none"}, f"a profile needs none: {derived(server, 1)}")
    info = server.ask("/api/info").json()["databases"][0]
    check(info["etag"] == first[0]["etag"] and info["bytes"] == os.path.getsize(db), "it is the same database")
    check(info["tables"].get("js_heap_retained") == rows(analysed, COLUMNS)[0][0], f"tables: {info['tables']}")
    check(server.query(COLUMNS).json()["rows"] == rows(analysed, COLUMNS), "rows of the analysis")
    reply = server.ask("/api/heap/node?file=2&node=50").json()
    expected = rows(analysed, "SELECT retained_size, distance FROM v_js_retained WHERE file_id = 2 AND node_index = 50")[0]
    check([reply["analysis"]["retained_size"], reply["analysis"]["distance"]] == expected, f"a view has them: {reply}")
    check(server.stop()[0] == 0, "the end")
    check(folder_of(folder) == before, "the databases and their folder stay as they are")
    (name,) = copies(cache)
    check(stat.S_IMODE(os.stat(cache).st_mode) == 0o700, "the cache is for this user alone")
    made = os.stat(os.path.join(cache, name))
    server = Server(program, db, "--cache", cache)
    check(ready(server) == {"state": "done"}, "found")
    again = os.stat(os.path.join(cache, name))
    check(copies(cache) == [name] and (made.st_ino, made.st_mtime_ns) == (again.st_ino, again.st_mtime_ns), "made once")
    server.stop()
    return db, name


def replaced(db, cache, name):
    """Another database at the same path: its own copy, and that of the one before goes."""
    server = Server(program, db, "--cache", cache)
    ready(server)
    etag = server.ask("/api/info").json()["databases"][0]["etag"]
    convert("recording-timeline.htrace.gz", db)
    check(server.query("SELECT count(*) FROM js_heap_nodes").json()["rows"] == rows(db, "SELECT count(*) FROM js_heap_nodes"), "the new one is read at once")
    until = time.monotonic() + 30
    while server.query("SELECT count(*) FROM js_heap_retained").json()["rows"] != rows(db, "SELECT count(*) FROM js_heap_nodes"):
        if time.monotonic() > until:
            sys.exit("no copy of the new database")
        time.sleep(0.1)
    check(server.ask("/api/info").json()["databases"][0]["etag"] != etag, "it is another database")
    server.stop()
    check(len(copies(cache)) == 1 and copies(cache) != [name] and copies(cache)[0][:16] == name[:16], f"{copies(cache)} in the place of {name}")


def damaged(db, cache):
    """A copy that is no database is made anew; one that is gone is no error."""
    (name,) = copies(cache)
    path = os.path.join(cache, name)
    with open(path, "wb") as f:
        f.write(b"nothing of a database" * 1000)
    server = Server(program, db, "--cache", cache)
    check(ready(server) == {"state": "done"}, f"a damaged copy: {derived(server)}")
    check(server.query("SELECT count(*) > 0 FROM js_heap_retained").json()["rows"] == [[1]], "made anew")
    os.unlink(path)
    check(server.query("SELECT count(*) FROM js_heap_retained").json()["rows"] == [[0]], "without the copy the database is read")
    server.stop()


def refused(db, folder):
    """A cache that cannot be used is said, and the database is served all the same."""
    open_to_all = os.path.join(folder, "open")
    os.mkdir(open_to_all)
    os.chmod(open_to_all, 0o777)
    plain = os.path.join(folder, "file")
    open(plain, "w").close()
    for cache, text in ((open_to_all, "is not a folder of this user alone"), (plain, "is not a folder"), (os.path.join(plain, "below"), "cannot make the cache")):
        server = Server(program, db, "--cache", cache)
        state = ready(server)
        check(state["state"] == "failed" and text in state["message"], f"{cache}: {state}")
        check(server.query("SELECT count(*) > 0 FROM js_heap_nodes").json()["rows"] == [[1]], "served all the same")
        server.process.send_signal(signal.SIGTERM)
        said = server.process.communicate()[1].decode()
        check("no analysis of heaps: " in said and text in said, f"said: {said}")
    server = Server(program, db, "--cache", os.path.join(folder, "unused"), "--analyze=none")
    check("derived" not in server.ask("/api/info").json()["databases"][0], "--analyze=none")
    server.stop()
    check(not os.path.exists(os.path.join(folder, "unused")), "nothing is made then")
    if sanitized:  # its processes are larger than the limit before they begin
        return
    server = Server(program, db, "--max-memory", "1M", "--cache", os.path.join(folder, "small"))
    state = ready(server)
    check(state["state"] == "failed" and "--max-memory" in state["message"], f"too little memory: {state}")
    server.stop()


def defaults(db, folder):
    """$XDG_CACHE_HOME, then ~/.cache."""
    home = os.path.join(folder, "home")
    for env, where in (({"XDG_CACHE_HOME": os.path.join(home, "xdg")}, "xdg"), ({"XDG_CACHE_HOME": "relative"}, ".cache"), ({}, ".cache")):
        shutil.rmtree(home, ignore_errors=True)
        os.mkdir(home)
        full = {k: v for k, v in os.environ.items() if k != "XDG_CACHE_HOME"}
        server = Server(program, db, env={**full, "HOME": home, **env})
        ready(server)
        server.stop()
        check(len(copies(os.path.join(home, where, "trace_streamer", "serve"))) == 1, f"{env}: {list(os.walk(home))}")


def is_ours(pid):
    """A process that runs the program, and is not only waited for."""
    try:
        return "trace_streamer" in os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False


def killed(db, folder):
    """Whatever happens to the server, no process and nothing that is not whole stays for long."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        cache = os.path.join(folder, f"killed-{number}")
        server = Server(program, db, "--cache", cache)
        with open(f"/proc/{server.process.pid}/task/{server.process.pid}/children") as f:
            children = f.read().split()
        server.process.send_signal(number)
        server.process.wait()
        until = time.monotonic() + 10
        while any(map(is_ours, children)):
            if time.monotonic() > until:
                sys.exit("a process outlives the server")
            time.sleep(0.05)
        for name in copies(cache):
            path = os.path.join(cache, name)
            check(name.endswith(".db") and not name.startswith(".") and rows(path, "SELECT count(*) > 0 FROM js_heap_retained") == [[1]], f"after {number}: {name}")


with tempfile.TemporaryDirectory() as scratch:
    databases = os.path.join(scratch, "databases")
    os.mkdir(databases)
    cache = os.path.join(scratch, "cache")
    db, name = made_once(databases, cache)
    replaced(db, cache, name)
    damaged(db, cache)
    refused(db, scratch)
    defaults(db, scratch)
    killed(db, scratch)

for text in failures:
    print(f"WRONG: {text}")
print("copies are made, found and left alone" if not failures else f"{len(failures)} wrong")
sys.exit(1 if failures else 0)
