#!/usr/bin/env python3
"""Loading into a server that fails in all ways: what is seen afterwards is nothing or the whole recording, and a second run makes it
exactly once.

usage: faults.py cuts|answers|ends|refusals|cells|shards|growth TRACE_STREAMER SOURCE"""

import gzip, hashlib, os, random, resource, signal, socket, sqlite3, subprocess, sys, tempfile, time
from small_clickhouse import Fault, Small

GROUP, PROGRAM, SOURCE = sys.argv[1:4]
SCRATCH = tempfile.TemporaryDirectory()
os.environ["XDG_CONFIG_HOME"] = SCRATCH.name
for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY", "TRACE_STREAMER_FLEET_USER", "TRACE_STREAMER_FLEET_PASSWORD"):
    os.environ.pop(name, None)
INPUT = SOURCE + "/test/data/recording-cpuprofile.htrace.gz"
FEW = ("--tables=source,source_property,process,thread,import_count",)  # for what is tried at each request
bad = 0


def complain(*words):
    global bad
    bad += 1
    print(*words, flush=True)


def start(server, *more, inputs=(INPUT,), env=None):
    command = [PROGRAM, *inputs, "--to=clickhouse", "--at=" + (server if isinstance(server, str) else server.at), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(env or {})})


def run(server, *more, inputs=(INPUT,), env=None, code=None, says=None, seconds=60):
    began = time.time()
    worker = start(server, *more, inputs=inputs, env=env)
    out, err = worker.communicate(timeout=120)
    err = err.decode()
    if code is not None and worker.returncode != code:
        complain("exit code", worker.returncode, "and not", code, more, err)
    if says is not None and says not in err:
        complain("no", repr(says), "in", err)
    if time.time() - began > seconds:
        complain("took", time.time() - began, "s", more)
    return worker.returncode, out.decode(), err


def without_load(shown):
    return {t: [{k: v for k, v in r.items() if k not in ("load",)} for r in rows] for t, rows in shown.items()}


def whole(server, *more):
    """What one undisturbed load shows."""
    server.clear()
    run(server, *more, code=0)
    shown = without_load(server.shown())
    if len(server.commits) != 1 or sum(map(len, shown.values())) != server.commits[0]["rows"] or len(shown) < (5 if more else 10):
        complain("an undisturbed load:", server.commits, {t: len(r) for t, r in shown.items()})
    return shown, server.inserts, server.body_bytes


def none_or_all(server, wanted, what, expected=None):
    """Whether something is seen; it is all then."""
    shown = without_load(server.shown())
    if shown and shown != wanted:
        complain(what, "shows a part:", {t: len(r) for t, r in shown.items()})
    if expected is not None and bool(shown) != expected:
        complain(what, "shows", "nothing" if expected else "rows")
    return bool(shown)


def again(server, wanted, what, *more):
    """A second run makes it whole, or says that it is."""
    seen = bool(server.shown())
    server.fault = None
    _, _, err = run(server, "--retries=0", *more, code=0)
    if ("already loaded" in err) != seen:
        complain(what, "then:", err)
    none_or_all(server, wanted, what + ", again", True)


def cuts(server):
    wanted, inserts, size = whole(server)
    size -= 40  # times and numbers of a load are compressed to a few bytes more or less
    step = max(1, size // 30)
    for at in sorted({0, 1, size} | set(range(0, size, step))):
        server.clear()
        server.fault = Fault("cut", bytes=at)
        run(server, "--retries=0", code=4, says="lost")
        none_or_all(server, wanted, "cut at %d" % at, False)
        again(server, wanted, "cut at %d" % at)
    print(size, "bytes of", inserts, "requests cut at", size // step, "places")


def answers(server):
    wanted, inserts, _ = whole(server, *FEW)
    busy = {"Retry-After": "0"}
    code = b"Code: 252, e.displayText() = DB::Exception: Too many parts, e.what() = DB::Exception\n"
    for at in range(inserts):
        commit = at == inserts - 1
        for fault, seen in ((Fault("lost", at), commit), (Fault("dropped", at), False), (Fault("status", at, status=500), False),
                            (Fault("taken_status", at, status=502), commit), (Fault("status", at, status=503), False),
                            (Fault("status", at, status=500, body=code), False), (Fault("words", at), False)):
            what = "%s %d at %d" % (fault.kind, fault.status, at)
            server.clear()
            server.fault = fault
            run(server, "--retries=0", *FEW, code=0 if seen else 4)
            none_or_all(server, wanted, what, seen)
            again(server, wanted, what, *FEW)
            if len(server.commits) != 1:
                complain(what, "has", len(server.commits), "commits")
        # One run goes on by itself, at once where the server says so.
        for fault in (Fault("status", at, status=503, headers=busy), Fault("status", at, status=429, headers=busy, times=3),
                      Fault("taken_status", at, status=500, headers=busy), Fault("status", at, status=500, body=code, headers=busy)):
            what = "%d at %d" % (fault.status, at)
            server.clear()
            server.fault = fault
            _, _, err = run(server, "--retries=3", *FEW, code=0,
                            says=None if commit and fault.kind == "taken_status" else "trying again in 0 s")
            none_or_all(server, wanted, what, True)
            loads = {row[0] for rows in server.rows.values() for _, row in rows}
            if fault.status == 429 and len(loads) != 1:
                complain(what, "was sent", len(loads), "times")
    # A commit that arrives after all, later than the next attempt's.
    server.clear()
    server.fault = Fault("late", inserts - 1)
    run(server, *FEW, "--retries=1", code=0)
    if len(server.commits) != 2:
        complain("a late commit:", len(server.commits))
    none_or_all(server, wanted, "a late commit", True)
    # Waits without Retry-After: one second, then two.
    server.clear()
    server.fault = Fault("status", 3, status=429, times=2)
    began = time.time()
    run(server, *FEW, code=0)
    if time.time() - began < 3:
        complain("waited", time.time() - began, "s and not 3")
    none_or_all(server, wanted, "429 twice", True)
    # Answers that are too slow, too long, packed, or elsewhere.
    server.clear()
    server.fault = Fault("delay", 2, seconds=3)
    run(server, *FEW, "--retries=0", "--timeout=1", code=4)
    none_or_all(server, wanted, "a slow answer", False)
    server.clear()
    server.fault = Fault("endless", 2)
    run(server, *FEW, code=6, says="longer than", seconds=20)
    none_or_all(server, wanted, "an endless answer", False)
    server.clear()
    server.fault = Fault("bomb", 2)
    run(server, *FEW, code=4, seconds=20)
    none_or_all(server, wanted, "a packed answer", False)
    other = Small()
    server.clear()
    server.fault = Fault("status", 2, status=307, headers={"Location": other.at})
    run(server, *FEW, code=4, says="not followed")
    if other.headers or server.inserts != 3:
        complain("a redirect was followed")


def ends(server):
    """Signals, and workers that are killed."""
    wanted, inserts, _ = whole(server, *FEW)
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        for at in (0, inserts // 2, inserts - 1):
            server.clear()
            server.fault = Fault("delay", at, seconds=15)
            worker = start(server, *FEW)
            while server.inserts <= at:
                time.sleep(0.02)
            began = time.time()
            worker.send_signal(number)
            worker.communicate(timeout=30)
            if worker.returncode != code or time.time() - began > 5:
                complain("signal", number, "in request", at, "gives", worker.returncode, "after", time.time() - began)
            none_or_all(server, wanted, "signal in request %d" % at, at == inserts - 1)  # its commit was taken
            again(server, wanted, "signal in request %d" % at, *FEW)
    # While it waits for another try.
    server.clear()
    server.fault = Fault("status", 1, status=429, headers={"Retry-After": "100"}, times=9)
    worker = start(server, *FEW)
    while server.inserts < 2:
        time.sleep(0.02)
    time.sleep(0.3)
    worker.send_signal(signal.SIGINT)
    worker.communicate(timeout=10)
    if worker.returncode != 130:
        complain("a signal in a wait gives", worker.returncode)
    for at in range(inserts):
        server.clear()
        server.fault = Fault("delay", at, seconds=2)
        worker = start(server, *FEW)
        while server.inserts <= at:
            time.sleep(0.01)
        worker.kill()
        worker.communicate()
        time.sleep(0.1)
        none_or_all(server, wanted, "killed in request %d" % at, at == inserts - 1)
        again(server, wanted, "killed in request %d" % at, *FEW)
    # Two at once.
    server.clear()
    workers = [start(server, *FEW), start(server, *FEW)]
    for worker in workers:
        worker.communicate(timeout=60)
    none_or_all(server, wanted, "two workers", True)


def closed_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def refusals(server):
    """What is wrong from the beginning, credentials, labels, and several inputs."""
    at = "http://127.0.0.1:%d/prof" % closed_port()
    began = time.time()
    run(at, "--retries=1", code=4, says="cannot reach")
    if not 1 <= time.time() - began < 10:
        complain("one retry took", time.time() - began)
    # A server that comes while it is waited for.
    port = closed_port()
    worker = start("http://127.0.0.1:%d/prof" % port)
    time.sleep(0.5)
    late = Small(port)
    worker.communicate(timeout=60)
    if worker.returncode != 0 or len(late.commits) != 1:
        complain("a late server:", worker.returncode, late.commits)
    for args, code, says in (((), 4, "fleet"), (("--at=x",), 2, None), (("--rows=some",), 2, None), (("--label", "a"), 2, "KEY=VALUE"),
                             (("--tables=nothing",), 2, "nothing"), (("-e", "x.db"), 2, None), (("--labels-from=/nothing",), 2, "/nothing")):
        server.clear()
        server.fault = Fault("ask_status", 0, status=404, body=b"Code: 81, e.displayText() = DB::Exception: Database prof doesn't exist\n")
        run(server, *args, code=code, says=says)
        if server.asked > 1 or server.inserts:
            complain(args, "asked", server.asked, "times")
    _, _, err = run("http://me:secret@127.0.0.1:1/prof", code=2, says="FLEET_PASSWORD")
    if "secret" in err:
        complain("the password is in a message:", err)
    # Not a server of ClickHouse.
    server.fault = Fault("ask_status", 0, status=200, body=b"<html>")
    server.asked = 0
    run(server, code=4, says="not a server of ClickHouse")
    # Credentials.
    server.clear()
    run(server, code=0, env={"TRACE_STREAMER_FLEET_USER": "me", "TRACE_STREAMER_FLEET_PASSWORD": "s3cret"})
    if any(h.get("X-ClickHouse-User") != "me" or h.get("X-ClickHouse-Key") != "s3cret" for h in server.headers):
        complain("credentials:", server.headers[0])
    os.mkdir(SCRATCH.name + "/trace_streamer")
    path = SCRATCH.name + "/trace_streamer/fleet"
    with open(path, "w") as f:
        f.write("user = you\npassword = word\n")
    os.chmod(path, 0o644)
    run(server, code=2, says="chmod 600")
    os.chmod(path, 0o600)
    server.clear()
    run(server, code=0)
    if any(h.get("X-ClickHouse-User") != "you" or h.get("X-ClickHouse-Key") != "word" for h in server.headers):
        complain("credentials of the file:", server.headers[0])
    os.remove(path)
    # Labels of any bytes.
    labels = SCRATCH.name + "/labels.json"
    with open(labels, "w") as f:
        f.write('{"quote": "a\'b\\\\c\\n\\u00e4\\ud83d\\ude00", "n": 12.5, "yes": true}')
    server.clear()
    run(server, "--label", "build=47=11", "--labels-from", labels, code=0)
    commit = server.commits[0]
    pairs = dict(zip(commit["label.key"], commit["label.value"]))
    wanted = {b"build": b"47=11", b"quote": "a'b\\c\nä😀".encode(), b"n": b"12.5", b"yes": b"true"}
    if pairs != wanted or commit["path"] != b"recording-cpuprofile.htrace.gz" or commit["bytes"] != os.path.getsize(INPUT):
        complain("the commit:", commit)
    # Amounts: all is enough for facts, not the other way round.
    server.clear()
    run(server, code=0)
    run(server, "--rows=all", code=0, says="rows of")
    run(server, code=0, says="already loaded")
    run(server, "--analyze=none", code=0, says="rows of")
    run(server, "--tables=source", "--analyze=none", code=0, says="rows of 1 tables")
    # Nothing is opened by a dry run.
    server.clear()
    _, out, _ = run(server, "--dry-run", code=0)
    if server.headers or "CREATE TABLE IF NOT EXISTS recording" not in out or "rows" not in out.splitlines()[-1]:
        complain("a dry run:", server.headers, out[-300:])
    # Several inputs, one of them none.
    more = (INPUT, SCRATCH.name + "/none", SOURCE + "/test/data/go-cpu.pprof", INPUT)
    server.clear()
    run(server, inputs=more, code=1)
    if server.commits:
        complain("something was loaded before all inputs were looked at")
    _, _, err = run(server, "--keep-going", inputs=more, code=1, says="2 loaded, 1 already loaded, 1 failed")
    if len(server.commits) != 2 or "none" not in err:
        complain("several inputs:", len(server.commits), err)
    with open(SCRATCH.name + "/noise", "wb") as f:
        f.write(b"\1\2\3 no recording" * 100)
    run(server, "--keep-going", inputs=(SCRATCH.name + "/noise", SOURCE + "/test/data/go-heap.pprof"), code=1, says="1 loaded, 0 already loaded, 1 failed")
    run(server, inputs=(SCRATCH.name + "/noise",), code=5)
    run(server, inputs=("-",), code=1, says="read twice")
    for words, says in (((INPUT, "--to=clickhouse"), "--to=clickhouse needs --at=URL"), ((INPUT, "--to=folded", "--at=http://x/y"), "--at requires --to=clickhouse")):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
        if done.returncode != 2 or says not in done.stderr:
            complain(words, "ends with", done.returncode, done.stderr)
    subprocess.run(["cc", "-shared", "-x", "c", os.devnull, "-o", SCRATCH.name + "/libcurl.so.4"], check=True)
    run(server, env={"LD_LIBRARY_PATH": SCRATCH.name}, code=4, says="libcurl has no curl_")


def shards(server):
    """A cluster: each recording wholly on one server, and a server that does not answer is an error."""
    pair = [Small(host="127.0.0.2")]
    pair.append(Small(pair[0].server_address[1], "127.0.0.3"))
    first, second = pair
    first.shards = second.shards = pair
    inputs = [SOURCE + "/test/data/" + name for name in ("go-cpu.pprof", "go-heap.pprof", "recording-cpuprofile.htrace.gz", "work.jfr.gz")]
    for i in range(8):
        inputs.append("%s/copy%d.pprof.gz" % (SCRATCH.name, i))
        with open(SOURCE + "/test/data/go-cpu.pprof", "rb") as f:
            plain = f.read()
        with open(inputs[-1], "wb") as f:
            f.write(gzip.compress(gzip.decompress(plain) if plain[:2] == b"\x1f\x8b" else plain, mtime=i + 1))
    places = {hashlib.sha256(open(p, "rb").read()).digest(): p for p in inputs}
    run(first, inputs=inputs, code=0, says="%d loaded, 0 already" % len(inputs))
    for i, s in enumerate(pair):
        if {c["id"] for c in s.commits} != {d for d in places if int.from_bytes(d[:8], "big") % 2 == i} or len(s.commits) < 3:
            complain("on", s.host, "are", len(s.commits))
        if {row[0] for rows in s.rows.values() for _, row in rows} != {c["load"] for c in s.commits}:
            complain("rows on", s.host, "are not those of its recordings")
    run(second, inputs=inputs, code=0, says="0 loaded, %d already" % len(inputs))
    # One that is elsewhere stays there.
    loads = len(second.commits)
    first.commits, second.commits = second.commits, first.commits
    run(first, "--analyze=none", inputs=inputs, code=0, says="%d loaded" % len(inputs))
    if {c["id"] for c in second.commits} & {c["id"] for c in first.commits} or len(first.commits) != 2 * loads:
        complain("recordings have moved:", len(first.commits), len(second.commits))
    # Faults of the shard that gets it; the other one has nothing of it, and nothing is seen anywhere.
    mine = next(d for d in places if int.from_bytes(d[:8], "big") % 2)
    path, wanted = places[mine], None
    for fault in (None, Fault("cut", bytes=100), Fault("status", 0, status=503), Fault("dropped", 1), Fault("lost", 1)):
        for s in pair:
            s.clear()
        second.fault = fault
        run(first, *FEW, "--retries=0", inputs=(path,), code=4 if fault else 0, says="127.0.0.3: " if fault else None)
        shown = without_load(second.shown())
        wanted = shown if fault is None else wanted
        if first.rows or first.commits or shown != (wanted if fault is None else {}):
            complain("with a fault there is", shown, first.rows)
        second.fault = None
        run(first, *FEW, "--retries=0", inputs=(path,), code=0)
        if without_load(second.shown()) != wanted or first.commits:
            complain("then there is", without_load(second.shown()))
    # Missing ones: before and after what is there was asked.
    for s in pair:
        s.clear()
    first.shards = [first, "127.0.0.4"]
    run(first, "--retries=0", inputs=inputs, code=4, says="127.0.0.4")
    run(first, "--retries=1", inputs=inputs, code=4, says="trying again in 1 s")
    first.shards = [first, second]
    second.shutdown()
    second.server_close()
    run(first, "--retries=0", inputs=inputs, code=4, says="127.0.0.3: cannot reach the server")
    if any(int.from_bytes(c["id"][:8], "big") % 2 for c in first.commits):
        complain("a recording went elsewhere")
    # Lists of servers that cannot be.
    for hosts, says in ((["127.0.0.2", "127.0.0.2"], "on one host"), (["x/y"], "a host that is none"), ([], "knows no cluster")):
        first.shards = hosts
        run(first, "--retries=0", code=4, says=says)


def cells(server):
    """Every cell that is sent is that of SQLite, with rows in order."""
    database = SCRATCH.name + "/out.db"
    for name in ("recording-cpuprofile.htrace.gz", "go-cpu.pprof", "recording-system.htrace.gz", "work.jfr.gz", "tiny"):
        path = SOURCE + "/test/data/" + name
        subprocess.run([PROGRAM, path, "-e", database, "--quiet", "--force"], check=True)
        compare(server, name, path, database)
    for name, fill in (("hostile", hostile), ("random", randomly)):
        subprocess.run([PROGRAM, SOURCE + "/test/data/go-heap.pprof", "-e", database, "--quiet", "--force"], check=True)
        db = sqlite3.connect(database)
        fill(db)
        db.commit()
        db.close()
        compare(server, name, database, database)


def compare(server, name, path, database):
    server.clear()
    run(server, "--rows=all", inputs=(path,), code=0)
    shown = server.shown()
    db = sqlite3.connect(database)
    db.text_factory = bytes
    tables = [t.decode() for (t,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    seen = 0
    for table in tables:
        if table.startswith("sqlite_") or table in ("stack_sample_row", "stack_sample_block"):
            continue
        cursor = db.execute("SELECT rowid AS rowid_, * FROM %s ORDER BY rowid" % table)
        names = [d[0] for d in cursor.description][1:]
        wanted = [tuple(r) for r in cursor]
        there = [(r["row"], *(r.get(n + "_" if n in ("load", "row", "day", "interval") else n) for n in names)) for r in shown.get(table, [])]
        if table == "meta":  # names of the run
            continue
        if wanted != there:
            complain(name, table, "differs:", len(wanted), len(there), [p for p in zip(wanted, there) if p[0] != p[1]][:1])
        seen += len(there)
    db.close()
    print(name, seen, "rows")
    if len(server.commits) != 1 or server.commits[0]["rows"] < seen or seen < 10:
        complain(name, "has", seen, "rows and was committed with", server.commits)


TEXTS = ("", "\0", "a\0b", "'", "\\", "\t\n\r", "`;DROP TABLE recording;--", "\u202e\ufeff\U0001f525", "x" * 127, "x" * 128, "y" * 70000)


def hostile(db):
    """Texts that mean something to servers, and those that are no UTF-8; the least and greatest integers."""
    rows = [(i, t.encode()) for i, t in enumerate(TEXTS)] + [(100, b"\xff\xfe"), (101, b"\xed\xa0\x80")]
    db.executemany("INSERT INTO source_property(source_id, key, value) VALUES (1, 'k' || ?, CAST(? AS TEXT))", rows)
    db.executemany("INSERT INTO args(id, key, datatype, value, argset) VALUES (?, 0, 0, ?, 0)",
                   enumerate((0, -1, 1, 2**63 - 1, -(2**63), 2**32, -(2**31), 255, 256)))


def randomly(db):
    pick = random.Random(46)
    db.executemany("INSERT INTO js_heap_string(file_id, file_index, string) VALUES (1, ?, ?)",
                   ((i, "".join(pick.choices("ab\u00e9\u4e00\U0001f525", k=pick.randrange(40)))) for i in range(40000)))
    db.executemany("INSERT INTO timeseries_value(series_id, ts, value) VALUES (1, ?, ?)",
                   ((pick.randrange(-2**62, 2**62), pick.choice((None, pick.uniform(-1e300, 1e300), 0.0))) for i in range(20000)))


def growth():
    """Four times as many rows take four times as long, whatever is in them, within 96 MiB. --dry-run makes all blocks and sends none."""
    for name, values in (("different", "i, 'text ' || random()"), ("equal", "7, 'text'"), ("long", "i, hex(randomblob(500))")):
        times = []
        for rows in (50000, 200000):
            database = SCRATCH.name + "/grown.db"
            subprocess.run([PROGRAM, SOURCE + "/test/data/go-heap.pprof", "-e", database, "--quiet", "--force"], check=True)
            db = sqlite3.connect(database)
            db.execute(f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) INSERT INTO js_heap_string SELECT 1, {values} FROM n")
            db.commit()
            db.close()
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            run("http://127.0.0.1:1/none", "--dry-run", "--rows=all", "--max-memory=96M", inputs=(database,), code=0)
            times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        print(name, "%.2f s, and %.2f s for four times as many rows" % tuple(times))
        if times[1] > 8 * times[0] + 0.1:
            complain(name, "takes longer than its rows")


GROUPS = {"cuts": cuts, "answers": answers, "ends": ends, "refusals": refusals, "cells": cells, "shards": shards}
if GROUP == "growth":
    growth()
else:
    GROUPS[GROUP](Small())
sys.exit(bad > 0)
