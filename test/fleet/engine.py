#!/usr/bin/env python3
"""A server of ClickHouse 18.16, as Debian 12 has it, started here on loopback with a configuration of its own: what is loaded is what
SQLite has, column by column; workers that are killed and two at once leave nothing half; forget, sweep and check.

library: values and a part of manage with today's engine, libchdb, of the package chdb of npm.

Skipped, with a line that says so, where the package clickhouse-server is not installed; TS_CLICKHOUSE=install installs it. library:
where TS_CHDB does not name a folder node_modules with chdb; TS_CHDB=install gets it (550 MB).

usage: engine.py values|workers|manage|asks|library|library_asks TRACE_STREAMER SOURCE"""

import gzip, hashlib, http.server, json, os, re, shutil, signal, socket, sqlite3, struct, subprocess, sys, tempfile, threading, time, urllib.error, urllib.parse, urllib.request

GROUP, PROGRAM, SOURCE = sys.argv[1:4]
DATA = SOURCE + "/test/data/"
CHDB = "3.4.0"
bad = 0


def complain(*words):
    global bad
    bad += 1
    print(*words, flush=True)


CONFIG = """<yandex>
<logger><level>warning</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>{1}</http_port><tcp_port>{2}</tcp_port><interserver_http_port>{3}</interserver_http_port>
<path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path><format_schema_path>{0}/schemas/</format_schema_path>
<users_config>{0}/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size>
</yandex>
"""
USERS = """<yandex><profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
<users><loader><password>s3cret</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></loader></users>
<quotas><default></default></quotas></yandex>
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def zipped(body, headers):
    return gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body


class Library:
    """Today's engine, libchdb of npm, by a server of HTTP that hands statements on to it. PACKAGES: the folder node_modules."""

    def __init__(self, folder, packages):
        self.folder, self.lock, self.files = folder, threading.Lock(), 0
        self.process = subprocess.Popen(["node", os.path.dirname(os.path.abspath(__file__)) + "/library.cjs", packages, folder + "/library"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        library = self

        class Bridge(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
                body = zipped(self.rfile.read(int(self.headers["Content-Length"])), self.headers)
                status = 200
                try:
                    if self.headers.get("X-ClickHouse-Key") != "s3cret":
                        raise RuntimeError("Code: 516. DB::Exception: wrong password")
                    answer = library.post(query.get("query"), body, query.get("database"))
                except RuntimeError as e:
                    status, answer = 500, str(e)
                answer = answer.encode("utf-8", "surrogateescape")
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bridge)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.at = "http://127.0.0.1:%d/prof" % self.server.server_address[1]

    def statement(self, sql):
        self.process.stdin.write(json.dumps({"sql": sql}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"].removeprefix("Query failed: "))
        return answer["text"]

    def post(self, insert, body, database):
        with self.lock:
            if database is not None:
                self.statement("USE " + database)
            if insert is None or insert.endswith("VALUES"):
                return self.statement((insert or "") + body.decode())
            self.files += 1
            path = "%s/%d.native" % (self.folder, self.files)
            with open(path, "wb") as f:
                f.write(body)
            self.statement(insert[: -len(" FORMAT Native")] + " SELECT * FROM file('%s', 'Native')" % path)
            os.remove(path)
            return ""

    def ask(self, sql, database="prof"):
        return self.post(None, sql.encode(), database)

    def number(self, sql):
        return int(self.ask(sql))

    def stop(self):
        self.server.shutdown()
        self.process.kill()
        self.process.wait()


class Engine:
    def __init__(self, folder):
        self.folder, self.process = folder, None
        for name in ("data", "tmp", "schemas"):
            os.mkdir(folder + "/" + name)
        ports = free_ports(3)
        self.port = ports[0]
        with open(folder + "/config.xml", "w") as f:
            f.write(CONFIG.format(folder, *ports))
        with open(folder + "/users.xml", "w") as f:
            f.write(USERS)
        self.at = "http://127.0.0.1:%d/prof" % self.port
        self.start()

    def start(self):
        self.process = subprocess.Popen(["clickhouse-server", "--config-file=%s/config.xml" % self.folder],
                                        stdout=subprocess.DEVNULL, stderr=open(self.folder + "/output", "wb"), start_new_session=True)
        for _ in range(600):
            try:
                if self.ask("SELECT 1", "default") == "1\n":
                    return
            except OSError:
                time.sleep(0.1)
        sys.exit("the server does not start: " + open(self.folder + "/output").read()[-500:])

    def ask(self, sql, database="prof"):
        request = urllib.request.Request("http://127.0.0.1:%d/?database=%s" % (self.port, database), sql.encode(),
                                         {"X-ClickHouse-User": "loader", "X-ClickHouse-Key": "s3cret"})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
                return answer.read().decode("utf-8", "surrogateescape")
        except urllib.error.HTTPError as e:
            raise RuntimeError(e.read().decode()[:400] + " in " + sql[:300]) from None

    def number(self, sql):
        return int(self.ask(sql))

    def stop(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def command(engine, *args):
    return subprocess.Popen([PROGRAM, *args, "--at=" + engine.at], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(engine, *args, code=0, says=None):
    worker = command(engine, *args)
    out, err = (b.decode() for b in worker.communicate(timeout=250))
    if worker.returncode != code or (says is not None and says not in err + out):
        complain(args, "gives", worker.returncode, err, out[:300], "and not", code, says)
    return out, err


def load(engine, path, *more, **how):
    return run(engine, path, "--to=clickhouse", *more, **how)


def sqlite_tables(db):
    """Tables with rows, but for those that views of the same file replace, and names of the run."""
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
        name = name.decode()
        if name not in ("stack_sample_row", "stack_sample_block", "meta") and not name.startswith("sqlite_"):
            if db.execute("SELECT count(*) FROM " + name).fetchone()[0]:
                yield name


def column_sums(rows, n):
    """Of each column: NULLs, the sum of integers modulo 2^64, reals as bits, and a hash of texts in their order."""
    sums = []
    for i in range(n):
        nulls = total = 0
        texts = hashlib.sha256()
        for row in rows:
            v = row[i]
            if v is None:
                nulls += 1
            elif isinstance(v, int):
                total += v
            elif isinstance(v, float):
                total += struct.unpack("<q", struct.pack("<d", v))[0]
            else:
                texts.update(struct.pack("<q", len(v)) + v)
        sums.append((nulls, total % 2**64, texts.hexdigest()))
    return sums


def there(column):
    return column + "_" if column in ("load", "row", "day", "interval") else column


def engine_sums(engine, table, columns, id_):
    """The same of what the view shows of a recording, by the engine's own functions; texts are read."""
    types = dict(l.split("\t") for l in engine.ask("SELECT name, type FROM system.columns WHERE database = 'prof' AND table = 'v_%s'"
                                                   % table).splitlines())
    where = "FROM v_%s WHERE load = (SELECT load FROM v_recording WHERE lower(hex(id)) = '%s')" % (table, id_)
    wanted, texts = [], []
    for i, c in enumerate(columns):
        name = "`%s`" % there(c)
        null = "Nullable" in types[name[1:-1]]
        some = "assumeNotNull(%s)" % name if null else name
        nulls = "toInt64(countIf(isNull(%s)))" % name if null else "toInt64(0)"
        if "String" in types[name[1:-1]]:
            wanted += [nulls, "toInt64(0)"]
            texts.append((i, name, some, null))
        else:
            number = "reinterpretAsInt64(reinterpretAsString(%s))" % some if "Float" in types[name[1:-1]] else "toInt64(%s)" % some
            wanted += [nulls, "sumIf(%s, NOT isNull(%s))" % (number, name)]
    row = engine.ask("SELECT %s %s" % (", ".join(wanted), where)).split()
    sums = [(int(row[2 * i]), int(row[2 * i + 1]) % 2**64, hashlib.sha256().hexdigest()) for i in range(len(columns))]
    for i, name, some, null in texts:
        digest = hashlib.sha256()
        for line in engine.ask("SELECT hex(%s) %s%s ORDER BY row" % (some, where, " AND NOT isNull(%s)" % name if null else "")).split("\n")[:-1]:
            digest.update(struct.pack("<q", len(line) // 2) + bytes.fromhex(line))
        sums[i] = (*sums[i][:2], digest.hexdigest())
    return sums


def compare(engine, path, id_, database):
    db = sqlite3.connect(database)
    db.text_factory = bytes
    tables = cells = 0
    for table in sqlite_tables(db):
        cursor = db.execute("SELECT * FROM %s ORDER BY rowid" % table)
        columns = [d[0] for d in cursor.description]
        rows = cursor.fetchall()
        sums = engine_sums(engine, table, columns, id_)
        wanted = column_sums(rows, len(columns))
        tables += 1
        cells += len(rows) * len(columns)
        for c, w, t in zip(columns, wanted, sums):
            if w != t:
                complain(path, table, c, "is", t, "and should be", w)
    print(os.path.basename(path), tables, "tables", cells, "cells")
    if tables < 5:
        complain(path, "has only", tables, "tables")


def id_of(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def values(engine, scratch):
    run(engine, "fleet", "check", code=4, says="fleet init")
    run(engine, "fleet", "init", says="was made")
    run(engine, "fleet", "init", says="is there")
    run(engine, "fleet", "check", says="as it should be")
    names = ["recording-snapshots.htrace.gz", "recording-cpuprofile.htrace.gz", "recording-system.htrace.gz", "recording-timeline.htrace.gz",
             "work.jfr.gz", "go-heap.pprof", "kernel.htrace.gz", "hiperf.data", "sessions.heapprofile", "recording-cloud.tar.gz"]
    if os.environ.get("TS_SLOW") != "1":
        names = names[:6]
    load(engine, DATA + names[0], "--label", "build=1")
    if engine.number("SELECT count() FROM v_js_heap_nodes"):
        complain("facts have nodes")
    for name in names:
        load(engine, DATA + name, "--rows=all", "--label", "build=4711", says=" rows of ")
        load(engine, DATA + name, "--rows=all", says="already loaded")
        database = scratch + "/out.db"
        subprocess.run([PROGRAM, DATA + name, "-e", database, "--quiet"], check=True)
        compare(engine, name, id_of(DATA + name), database)
    # A finished database gives the same rows, by an id of its own.
    load(engine, database, "--rows=all", says=" rows of ")
    compare(engine, "a database", id_of(database), database)
    listed, _ = run(engine, "fleet", "list", "--output=tsv")
    if len(listed.splitlines()) != len(names) + 2 or listed.count("build=4711") != len(names):
        complain("the list:", listed)
    run(engine, "fleet", "check", says="as it should be")
    # A question of docs/fleet.md.
    with open(SOURCE + "/docs/fleet.md") as f:
        question = re.search(r'clickhouse-client -d prof -q "(.*?)"', f.read(), re.DOTALL).group(1)
    if "4711\t" not in engine.ask(question):
        complain("the question of docs/fleet.md:", engine.ask(question))


# --- questions -------------------------------------------------------------------------------------------------------------------


def asked(engine, *args, code=0, says=None):
    out, _ = run(engine, "fleet", "ask", *args, "--output=json", code=code, says=says)
    return json.loads(out) if code == 0 else None


RECORDINGS = (  # name, build, device, more options
    ("recording-snapshots.htrace.gz", "1", "P60", ()),
    ("recording-timeline.htrace.gz", "2", "P60", ()),
    ("work.jfr.gz", "1", "server", ("--analyze=stack_totals,profile_metrics",)),
    ("work21.jfr.gz", "2", "server", ("--analyze=stack_totals,profile_metrics",)),
    ("recording-cloud.tar.gz", "2", "server", ()),
    ("recording-system.htrace.gz", "1", "Mate", ()),
    ("kernel.htrace.gz", "2", "Mate", ()),
    ("cut.htrace.gz", "2", "P60", ()),
)


def close(a, b, step):
    return a is not None and b is not None and abs(float(a) - float(b)) <= step


def expect(what, rows, key, wanted, step=0.011):
    """rows: objects; wanted: key -> {column: number}."""
    found = {tuple(r[k] for k in key): r for r in rows}
    for k, values in wanted.items():
        for column, value in values.items():
            if k not in found or not close(found[k][column], value, step + abs(value) * 1e-9):
                complain(what, k, column, "is", found.get(k, {}).get(column), "and should be", value)
    if set(found) != set(wanted):
        complain(what, "has", sorted(set(found) ^ set(wanted))[:5], "too much or too little")
    if not wanted:
        complain(what, "expects nothing")


def per_build(databases, sql):
    for (name, build, *_), db in zip(RECORDINGS, databases):
        for row in db.execute(sql):
            yield build, name, [v.decode("utf-8", "surrogateescape") if isinstance(v, bytes) else v for v in row]


def sums(databases, sql, keys):
    """(build, key...) -> [recordings, lists of the other columns]."""
    found = {}
    for build, name, row in per_build(databases, sql):
        entry = found.setdefault((build, *row[:keys]), [set(), []])
        entry[0].add(name)
        entry[1].append(row[keys:])
    return found


def p95(values):
    """As quantileExact of the engine: the value at the place floor(0.95 n)."""
    values = sorted(values)
    return values[min(len(values) - 1, int(0.95 * len(values)))]


def check_heaps(engine, databases):
    snapshots = {}
    for build, _, (n,) in per_build(databases, "SELECT count(*) FROM js_heap_file_detail"):
        snapshots[build] = snapshots.get(build, 0) + n
    classes = sums(databases, "SELECT class, count, self_size FROM v_js_class_histogram WHERE class IS NOT NULL", 1)
    means = {k: {"recordings": len(names), "count": sum(c for c, _ in rows) / snapshots[k[0]], "self_size": round(sum(s for _, s in rows) / snapshots[k[0]])}
             for k, (names, rows) in classes.items()}
    expect("classes", asked(engine, "classes", "--by=build", "--param", "limit=100000"), ("build", "class"), means, 0.6)
    few = asked(engine, "classes", "--by=build", "--param", "class=A*", "--param", "limit=2")
    largest = sorted((k for k in means if k[0] == "1" and k[1].startswith("A")), key=lambda k: -means[k]["self_size"])[:2]
    if [r["class"] for r in few if r["build"] == "1"] != [k[1] for k in largest]:
        complain("the largest classes:", few, largest)
    sizes = sums(databases, "SELECT self_size FROM js_heap_files WHERE self_size IS NOT NULL", 0)
    expect("heaps", asked(engine, "heaps", "--by=build"), ("build",),
           {k: {"snapshots": len(rows), "mean_size": sum(v for v, in rows) / len(rows), "smallest": min(rows)[0], "largest": max(rows)[0]}
            for k, (_, rows) in sizes.items()}, 0.6)
    # The same by diff, and a gate.
    out, _ = run(engine, "diff", "build=1", "build=2", "--by=class", "--limit=0", "--output=json")
    for row in json.loads(out)["rows"]:
        for side, build in (("before", "1"), ("after", "2")):
            wanted = means.get((build, row["class"]), {"self_size": 0})["self_size"]
            if not close(row["self_size_" + side], wanted, 0.6):
                complain("diff", row["class"], side, row["self_size_" + side], "and not", wanted)
    run(engine, "diff", "build=2", "build=1", "--fail-if=self_size[(array)]>+1kB", "--quiet")
    run(engine, "diff", "build=1", "build=2", "--fail-if=self_size[(array)]>+1kB", "--quiet", code=9, says="failed: self_size[(array)]")
    run(engine, "diff", "build=1", "build=1", "--fail-if=self_size>+0", "--quiet")
    run(engine, "diff", "build=1", "build=3", code=2, says="no recording has build=3; labels are: build, device")


def check_times(engine, databases):
    def times(what, sql, keys, columns, *more):
        wanted = {}
        for k, (names, rows) in sums(databases, sql, len(keys)).items():
            ns = [v for v, *_ in rows]
            every = {"recordings": len(names), "count": len(ns), "calls": len(ns), "frames": len(ns), "total_ms": sum(ns) / 1e6, "mean_ms": sum(ns) / len(ns) / 1e6,
                     "p95_ms": p95(ns) / 1e6, "longest_ms": max(ns) / 1e6, "longer": sum(v > 10e6 for v in ns)}
            wanted[k] = {c: every[c] for c in columns}
        expect(what, asked(engine, what, "--by=build", *more), ("build", *keys), wanted, 0.001)

    times("pauses", "SELECT kind, dur FROM runtime_pause WHERE dur IS NOT NULL", ("kind",), ("recordings", "count", "total_ms", "mean_ms", "p95_ms", "longest_ms"))
    times("waits", "SELECT kind, ifnull(class, ''), dur FROM lock_wait WHERE dur IS NOT NULL", ("kind", "class"),
          ("recordings", "count", "total_ms", "mean_ms", "longest_ms"), "--param", "limit=1000")
    times("frames", "SELECT ifnull(p.name, ''), f.dur FROM frame_slice AS f LEFT JOIN process AS p ON p.ipid = f.ipid WHERE f.type = 0 AND f.dur IS NOT NULL",
          ("process",), ("recordings", "frames", "longer", "mean_ms", "p95_ms", "longest_ms"), "--param", "ms=10")
    times("calls", "SELECT ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, ''), c.dur FROM cloud_call AS c LEFT JOIN stack_method AS m ON m.id = c.method_id",
          ("method",), ("recordings", "calls", "mean_ms", "p95_ms", "longest_ms"), "--param", "limit=1000")


def check_samples(engine, databases):
    every, recordings, methods = {}, {}, {}
    for build, name, (event, method, own, total) in per_build(databases, "SELECT ifnull(t.event, ''), ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, ''),"
                                                                         " t.self_count, t.total_count FROM stack_total AS t LEFT JOIN stack_method AS m ON m.id = t.method_id"):
        every[build, event] = every.get((build, event), 0) + own
        recordings.setdefault((build, event), set()).add(name)
        entry = methods.setdefault((build, event, method), [set(), 0, 0])
        entry[0].add(name)
        entry[1] += own
        entry[2] += total
    expect("methods", asked(engine, "methods", "--by=build", "--param", "limit=100000"), ("build", "event", "method"),
           {k: {"recordings": len(names), "self_share": 100 * own / every[k[:2]], "total_share": 100 * total / every[k[:2]],
                "self_samples": own / len(recordings[k[:2]])} for k, (names, own, total) in methods.items()})
    metrics = sums(databases, "SELECT name, num FROM profile_metric", 1)
    expect("metrics", asked(engine, "metrics", "--by=build"), ("build", "name"),
           {k: {"profiles": len(rows), "lowest": min(rows)[0], "highest": max(rows)[0], "mean": sum(v for v, in rows) / len(rows)} for k, (_, rows) in metrics.items()})


def asks(engine, scratch):
    """Shipped questions and comparisons of a fleet, against the recordings' own databases."""
    with gzip.open(DATA + "recording-cpuprofile.htrace.gz") as f, open(scratch + "/cut.htrace.gz", "wb") as out:
        whole = f.read()
        out.write(whole[: len(whole) * 2 // 3])
    run(engine, "fleet", "init")
    asked(engine, "recordings", code=2, says="no recording")
    databases = []
    for name, build, device, more in RECORDINGS:
        path = (scratch if name == "cut.htrace.gz" else DATA) + "/" + name
        load(engine, path, "--label", "build=" + build, "--label", "device=" + device, *more)
        database = scratch + "/" + name + ".db"
        subprocess.run([PROGRAM, path, "-e", database, "--quiet", *more], check=True)
        databases.append(sqlite3.connect(database))
    strings = engine.number("SELECT count() FROM v_js_heap_string")
    names = sum(db.execute("SELECT count(DISTINCT file_id || ' ' || name) FROM js_heap_class").fetchone()[0] for db in databases)
    if strings != names:
        complain("facts have", strings, "strings of heaps and", names, "names of classes")
    check_heaps(engine, databases)
    check_times(engine, databases)
    check_samples(engine, databases)
    defects = sums(databases, "SELECT severity, code, count FROM import_issue", 2)
    expect("losses", asked(engine, "losses", "--by=build"), ("build", "severity", "code"),
           {k: {"recordings": len(names), "defects": sum(c for c, in rows)} for k, (names, rows) in defects.items()})
    rows = asked(engine, "recordings", "--by=build,device", "--label", "device=P*")
    if [(r["build,device"], r["recordings"], r["complete"]) for r in rows] != [("1, P60", 1, 1), ("2, P60", 2, 1)]:
        complain("groups:", rows)
    if [r["recordings"] for r in asked(engine, "recordings", "--by=host", "--label", "recording=work*")] != [2]:
        complain("chosen by path")
    asked(engine, "recordings", "--by=biuld", code=2, says='the label "biuld"; labels are: build, device')
    asked(engine, "classs", code=2, says="did you mean classes?")
    asked(engine, "classes", "--param", "limit=x", code=2, says="is no number")
    asked(engine, "classes", "--param", "klass=x", code=2, says="has no parameter")
    asked(engine, "waits", "--param", "kind=sleep", code=2, says="is not one of")
    asked(engine, "classes", "--param", "class='; DROP TABLE recording; --")
    run(engine, "fleet", "ask", says="Which classes of heap objects are the largest?")
    report, _ = run(engine, "fleet", "report", "--by=build")
    for words in ("Recordings\n", "Largest classes of heap objects", "Hottest methods", "Slowest calls", "Frames"):
        if words not in report:
            complain("the report lacks", words, report)
    for by in ("method", "pause", "wait", "metric", "issue", "class"):
        out, _ = run(engine, "diff", "build=1", "build=2", "--by=" + by, "--output=json", "--limit=0")
        rows = json.loads(out)["rows"]
        if not rows:
            complain("diff by", by, "has no rows")
    run(engine, "diff", "device=Mate,build=1", "device=Mate,build=2", "--by=frame", "--limit=1")
    with open(SOURCE + "/docs/fleet-dashboard.json") as f:
        for panel in json.load(f)["panels"]:
            if "\t" not in engine.ask(panel["targets"][0]["rawSql"]):
                complain("the dashboard shows nothing in", panel["title"])
    run(engine, "fleet", "check", says="as it should be")


def shown_rows(engine):
    return engine.number("SELECT sum(rows) FROM v_recording") if engine.number("SELECT count() FROM v_recording") else 0


def workers(engine, _scratch):
    """Killed at many places, by hand or by the server's end; two at once."""
    run(engine, "fleet", "init")
    path = DATA + "recording-snapshots.htrace.gz"
    began = time.time()
    load(engine, path, "--rows=all")
    whole, took = shown_rows(engine), time.time() - began
    run(engine, "fleet", "forget", id_of(path)[:12], says="1 recording")
    if shown_rows(engine) or engine.number("SELECT count() FROM js_heap_nodes"):
        complain("forgotten rows are there")
    kills = 50 if os.environ.get("TS_SLOW") == "1" else 8
    for i in range(kills):
        worker = command(engine, path, "--to=clickhouse", "--rows=all")
        time.sleep(took * (i + 0.5) / kills)
        worker.kill()
        worker.communicate()
        time.sleep(0.3)
        nodes = engine.number("SELECT count() FROM v_js_heap_nodes")
        if engine.number("SELECT count() FROM v_recording") != (nodes > 0) or shown_rows(engine) not in (0, whole):
            complain("a killed worker leaves", nodes)
        run(engine, "fleet", "check", says="as it should be")
    pair = [command(engine, path, "--to=clickhouse", "--rows=all") for _ in range(2)]
    for worker in pair:
        _, err = worker.communicate(timeout=250)
        if worker.returncode:
            complain("one of two:", err)
    run(engine, "fleet", "check", says="as it should be")
    nodes = engine.number("SELECT count() FROM v_js_heap_nodes")
    if engine.number("SELECT count() FROM v_recording") != 1 or nodes != 138008:
        complain("two workers:", engine.ask("SELECT load, loaded_at FROM recording"), nodes)
    # What failed is cleared, what was committed stays, seen or not.
    commits = engine.number("SELECT count() FROM recording")
    run(engine, "fleet", "sweep", says="0 rows")
    run(engine, "fleet", "sweep", "--older-than=0s", says="rows of attempts that failed")
    if engine.number("SELECT count() FROM js_heap_nodes") != commits * 138008:
        complain("after the sweep:", engine.number("SELECT count() FROM js_heap_nodes"), "rows of", commits, "commits")
    # A server that is killed in the middle.
    run(engine, "fleet", "forget", "--older-than=0s", says="1 recording")
    worker = command(engine, path, "--to=clickhouse", "--rows=all", "--retries=0")
    time.sleep(took / 2)
    engine.stop()
    worker.communicate(timeout=250)
    engine.start()
    if worker.returncode != 4 and engine.number("SELECT count() FROM v_recording") == 0:
        complain("a killed server gives", worker.returncode)
    load(engine, path, "--rows=all")
    run(engine, "fleet", "check", says="as it should be")


def manage(engine, scratch):
    """What is refused, and older tables."""
    path = DATA + "go-cpu.pprof"
    load(engine, path, code=4, says="fleet init")
    run(engine, "fleet", "init")
    run(engine, "fleet", "init", "--keep=90", code=2, says="does not delete rows by itself")
    engine.ask("DROP TABLE v_runtime_pause")
    engine.ask("ALTER TABLE runtime_pause DROP COLUMN cause")
    run(engine, "fleet", "check", code=9)
    run(engine, "fleet", "init", says="1 columns were added")
    run(engine, "fleet", "check")
    if "cause" not in engine.ask("SELECT name FROM system.columns WHERE database = 'prof' AND table = 'v_runtime_pause'"):
        complain("the view lacks the column that was added")
    load(engine, path, "--label", "device=P'60\\")
    load(engine, DATA + "go-heap.pprof")
    listed, _ = run(engine, "fleet", "list", "--output=json")
    if "device=P'60\\\\" not in listed:
        complain("the label:", listed)
    run(engine, "fleet", "forget", code=2)
    run(engine, "fleet", "forget", "abc", code=2, says="is no id")
    run(engine, "fleet", "forget", "0123456789abcdef", code=2, says="no recording")
    run(engine, "fleet", "forget", "--older-than=1d", says="0 recordings")
    run(engine, "fleet", "forget", id_of(path)[:8], says="1 recording was")
    left, _ = run(engine, "fleet", "list")
    if "go-heap.pprof" not in left or "go-cpu.pprof" in left:
        complain("what is left:", left)
    load(engine, path, says=" rows of ")
    # Rows that are gone are found.
    engine.ask("ALTER TABLE stack_method DELETE WHERE row < 10")
    time.sleep(1)
    run(engine, "fleet", "check", code=9, says="was committed with")
    # A newer program's.
    engine.ask("INSERT INTO recording (id, load, schema_version) VALUES ('x', 1, 99)")
    run(engine, "fleet", "init", code=4, says="newer")
    engine.ask("DROP TABLE thread")
    engine.ask("CREATE TABLE thread (id String) ENGINE = MergeTree ORDER BY id")
    run(engine, "fleet", "init", code=4, says="thread.id is String and should be Int64")


def library(engine, scratch):
    values(engine, scratch)
    run(engine, "fleet", "init", "--keep=36500", says="is there")
    run(engine, "fleet", "forget", id_of(DATA + "recording-cpuprofile.htrace.gz")[:16], says="1 recording was")
    run(engine, "fleet", "check", says="as it should be")
    types = engine.ask("SELECT type, compression_codec FROM system.columns WHERE database = 'prof' AND table = 'stack_method' AND name = 'class'")
    if types != "LowCardinality(Nullable(String))\tCODEC(ZSTD(1))\n":
        complain("the dialect:", types)
    print(engine.ask("SELECT table, sum(rows), round(sum(bytes_on_disk) / sum(rows), 2) FROM system.parts WHERE database = 'prof' AND active"
                     " AND table IN ('js_heap_edges', 'js_heap_nodes', 'js_heap_string') GROUP BY table ORDER BY table"))


def test_library(scratch):
    packages = os.environ.get("TS_CHDB", "")
    if packages == "install":
        packages = scratch + "/node_modules"
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", scratch, "chdb@" + CHDB], check=True)
    if not os.path.isdir(packages + "/chdb"):
        print("SKIP: no libchdb (TS_CHDB=install gets it from npm)")
        sys.exit(77)
    engine = Library(scratch, packages)
    try:
        (asks if GROUP == "library_asks" else library)(engine, scratch)
    finally:
        engine.stop()


def main():
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        os.environ.pop(name, None)
    os.environ.update(TRACE_STREAMER_FLEET_USER="loader", TRACE_STREAMER_FLEET_PASSWORD="s3cret")
    if GROUP.startswith("library"):
        with tempfile.TemporaryDirectory() as scratch:
            test_library(scratch)
        sys.exit(bad > 0)
    if shutil.which("clickhouse-server") is None and os.environ.get("TS_CLICKHOUSE") == "install":
        subprocess.run("apt-get install -y --no-install-recommends clickhouse-server clickhouse-client", shell=True, check=True,
                       stdout=subprocess.DEVNULL)
    if shutil.which("clickhouse-server") is None:
        print("SKIP: no clickhouse-server; Debian 12 has it (TS_CLICKHOUSE=install installs it)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        engine = Engine(scratch)
        try:
            {"values": values, "workers": workers, "manage": manage, "asks": asks}[GROUP](engine, scratch)
            os.environ["TRACE_STREAMER_FLEET_PASSWORD"] = "wrong"
            run(engine, "fleet", "list", code=4, says="refuses")
        finally:
            engine.stop()
    sys.exit(bad > 0)


main()
