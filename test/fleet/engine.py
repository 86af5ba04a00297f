#!/usr/bin/env python3
"""A server of ClickHouse 18.16, as Debian 12 has it, started here on loopback with a configuration of its own: what is loaded is what
SQLite has, column by column; workers that are killed and two at once leave nothing half; forget, sweep and check.

cluster: the same on two such servers, then three, each a shard; a missing one is an error and never half an answer.

library: values and a part of manage with today's engine, libchdb, of the package chdb of npm.

Skipped, with a line that says so, where the package clickhouse-server is not installed; TS_CLICKHOUSE=install installs it. library:
where TS_CHDB does not name a folder node_modules with chdb; TS_CHDB=install gets it (550 MB).

usage: engine.py values|workers|manage|asks|cluster|library|library_asks TRACE_STREAMER SOURCE"""

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
<listen_host>{5}</listen_host><http_port>{1}</http_port><tcp_port>{2}</tcp_port><interserver_http_port>{3}</interserver_http_port>
<path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path><format_schema_path>{0}/schemas/</format_schema_path>
<users_config>{0}/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size>
<remote_servers>{4}</remote_servers>
</yandex>
"""
USERS = """<yandex><profiles><default><max_memory_usage>1000000000</max_memory_usage></default>
<half><skip_unavailable_shards>1</skip_unavailable_shards></half></profiles>
<users><loader><password>s3cret</password><networks><ip>127.0.0.0/8</ip></networks><profile>default</profile><quota>default</quota></loader>
<half><password>s3cret</password><networks><ip>127.0.0.0/8</ip></networks><profile>half</profile><quota>default</quota></half></users>
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
    def __init__(self, folder, host="127.0.0.1", ports=None, clusters=""):
        self.folder, self.process, self.host = folder, None, host
        for name in ("data", "tmp", "schemas"):
            os.makedirs(folder + "/" + name)
        self.ports = ports or free_ports(3)
        with open(folder + "/users.xml", "w") as f:
            f.write(USERS)
        self.configure(clusters)
        self.base = "http://%s:%d/" % (host, self.ports[0])
        self.at = self.base + "prof"
        self.start()

    def configure(self, clusters):
        with open(self.folder + "/config.xml", "w") as f:
            f.write(CONFIG.format(self.folder, *self.ports, clusters, self.host))

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

    def ask(self, sql, database="prof", user="loader"):
        request = urllib.request.Request("%s?database=%s" % (self.base, database), sql.encode(),
                                         {"X-ClickHouse-User": user, "X-ClickHouse-Key": "s3cret"})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
                return answer.read().decode("utf-8", "surrogateescape")
        except urllib.error.HTTPError as e:
            raise RuntimeError(e.read().decode()[:400] + " in " + sql[:300]) from None

    def number(self, sql):
        return int(self.ask(sql))

    def words(self, sql):
        return self.ask(sql).split()

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
    words = sums(databases, "SELECT DISTINCT s.string, s.file_id FROM js_heap_class AS c JOIN js_heap_file_detail AS d ON d.file_id = c.file_id"
                            " JOIN js_heap_string AS s ON s.rowid = d.first_string_rowid + c.name AND s.string GLOB 'Arr*'", 1)
    expect("strings", asked(engine, "strings", "--by=build", "--param", "text=Arr*", "--param", "limit=100000"), ("build", "string"),
           {k: {"recordings": len(names), "snapshots": len(rows)} for k, (names, rows) in words.items()})
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
    times("calls", "SELECT ifnull(nullif(m.class, '') || '.', '') || ifnull(m.name, ''), c.dur FROM cloud_call AS c LEFT JOIN stack_method AS m ON m.id = c.method_id WHERE c.dur >= 100000000",
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


def check_readme(engine, scratch):
    """The commands of README.md, where two builds have the same heaps."""
    folder = scratch + "/readme"
    os.mkdir(folder)
    os.symlink(PROGRAM, folder + "/trace_streamer")
    with gzip.open(DATA + "recording-timeline.htrace.gz") as f, open(folder + "/app.htrace", "wb") as out:
        out.write(f.read())
    with gzip.open(folder + "/before.gz", "wb") as out, open(folder + "/app.htrace", "rb") as f:
        out.write(f.read())
    load(engine, folder + "/before.gz", "--label", "build=4710")
    with open(SOURCE + "/README.md") as f:
        lines = f.read().split("## Many recordings")[1].split("\n## ")[0].splitlines()
    script = "\n".join(line for line in lines if line.startswith("    ")).replace("http://127.0.0.1:8123/prof", engine.at)
    done = subprocess.run(["bash", "-ec", script], cwd=folder, env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]}, capture_output=True, text=True)
    if done.returncode or "4711\t(array)" not in done.stdout or script.count("\n") < 3:
        complain("README.md:", done.returncode, done.stdout[-500:], done.stderr[-500:])


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
    asked(engine, "classes", "--param", "limit=x", code=2, says="is not a number")
    asked(engine, "classes", "--param", "klass=x", code=2, says="has no parameter")
    asked(engine, "waits", "--param", "kind=sleep", code=2, says="it is one of wait, contended or park")
    asked(engine, "classes", "--param", "class='; DROP TABLE recording; --")
    run(engine, "fleet", "ask", says="Which classes of heap objects are the largest?")
    for by in ("", ",", "build,", ",build"):
        asked(engine, "recordings", "--by=" + by, code=2)
    # What lost data is said wherever it is in what is asked, and not where it is not.
    for words, lost in ((("fleet", "ask", "recordings", "--label", "build=2"), True), (("fleet", "report", "--quiet"), True), (("diff", "build=1", "build=2"), True),
                        (("fleet", "ask", "recordings", "--label", "build=1"), False), (("diff", "build=1", "device=server"), False)):
        out, err = run(engine, *words, *(("--limit=1",) if words[0] == "diff" else ()))
        if ("1 of them lost data" in err or "build=2: 1 recording lost data" in err) != lost:
            complain(words, "says of losses", err)
        if "report" in words and out.count("\nall ") < 10:
            complain("the report of all:", out)
    verdict = json.loads(run(engine, "diff", "build=1", "build=2", "--output=json", "--limit=1")[0])
    if (verdict["before"]["losses"], verdict["after"]["losses"]) != (0, 1):
        complain("losses of sides:", verdict["before"], verdict["after"])
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
    check_readme(engine, scratch)
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


class Servers:
    """Three servers with the same ports on hosts of their own, two of them a cluster. None is on 127.0.0.1, which engines take for
    themselves when the port is theirs."""

    def __init__(self, folder):
        self.folder, self.ports, self.all = folder, free_ports(3), []

    def clusters(self, shards):
        one = "<replica><host>%s</host><port>%d</port><user>loader</user><password>s3cret</password></replica>"
        hosts = ["127.0.0.%d" % (i + 2) for i in range(shards)]
        named = {"ours": [[h] for h in hosts], "replicas": [hosts], "twice": [hosts[:1]] * 2, "other": [hosts[1:2]]}
        return "".join("<%s>%s</%s>" % (name, "".join("<shard>%s</shard>" % "".join(one % (h, self.ports[1]) for h in hs) for hs in shards), name)
                       for name, shards in named.items())

    def __enter__(self):
        try:
            for i in range(3):
                self.all.append(Engine("%s/%d" % (self.folder, i + 2), "127.0.0.%d" % (i + 2), self.ports, self.clusters(2)))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for engine in self.all:
            engine.stop()

    def grow(self, *which):
        for engine in which:
            engine.stop()
            engine.configure(self.clusters(3))
            engine.start()


def refused_clusters(servers):
    """Clusters and fleets that do not fit, and what is missing on one server."""
    first, second, third = servers.all
    run(first, "fleet", "init", "--cluster=none", code=2, says="ours, replicas, twice")
    run(first, "fleet", "init", "--cluster=a'b", code=2, says="not a name of a cluster")
    run(first, "fleet", "init", "--cluster=replicas", code=2, says="several replicas")
    run(first, "fleet", "init", "--cluster=twice", code=2, says="on one host")
    run(first, "fleet", "list", "--cluster=ours", code=2, says="option of fleet init")
    run(third, "fleet", "init", "--cluster=ours", code=2, says="none of them")
    for engine in (first, second):
        engine.ask("DROP DATABASE prof", "default")
    # Fleets of one server.
    run(second, "fleet", "init", says="was made")
    run(second, "fleet", "init", "--cluster=ours", code=2, says="single server")
    run(first, "fleet", "init", "--cluster=ours", code=2, says="127.0.0.3: the fleet that is there is one of a single server")
    if "prof" in first.ask("SHOW DATABASES", "default").split():
        complain("something was made before all servers were looked at")
    second.ask("DROP DATABASE prof", "default")
    # The fleet.
    run(first, "fleet", "init", "--cluster=ours", says="on each of 2 servers")
    run(second, "fleet", "init", "--cluster=ours", says="is there")
    run(second, "fleet", "init", says="is there")
    run(first, "fleet", "init", "--cluster=other", code=2, says="is on the cluster ours")
    run(first, "fleet", "check", says="as it should be")
    # What is missing is found, and made.
    second.ask("DROP TABLE v_source")
    run(first, "fleet", "check", code=9, says="127.0.0.3: the table v_source is missing")
    run(first, "fleet", "init")
    first.ask("DROP TABLE shard_source")
    run(second, "fleet", "check", code=9, says="127.0.0.2: the view shard_source is missing")
    run(second, "fleet", "init")
    for engine in (first, second):
        engine.ask("DROP TABLE shard_runtime_pause")
        engine.ask("ALTER TABLE runtime_pause DROP COLUMN cause")
        engine.ask("CREATE VIEW shard_runtime_pause AS SELECT * FROM runtime_pause")
    run(first, "fleet", "check", code=9, says="v_runtime_pause has other columns")
    first.ask("DROP TABLE v_runtime_pause")
    first.ask("CREATE TABLE v_runtime_pause AS shard_runtime_pause ENGINE = Distributed(ours, prof, shard_runtime_pause)")
    run(first, "fleet", "init", says="2 columns were added")
    for engine in (first, second):
        if "cause" not in engine.words("SELECT name FROM system.columns WHERE database = 'prof' AND table = 'v_runtime_pause'"):
            complain("the table over the servers lacks the column that was added")
    run(first, "fleet", "check", says="as it should be")
    # A fleet that is half made is no fleet of one server.
    first.ask("DROP TABLE v_recording")
    run(first, "fleet", "list", code=4, says="not finished")
    run(first, "fleet", "init", code=4, says="not finished")
    load(first, DATA + "go-cpu.pprof", code=4, says="not finished")
    run(first, "fleet", "init", "--cluster=ours", says="is there")
    run(first, "fleet", "check", says="as it should be")


BASES = ("recording-snapshots.htrace.gz", "recording-cpuprofile.htrace.gz", "recording-system.htrace.gz", "recording-timeline.htrace.gz",
         "work.jfr.gz", "go-heap.pprof", "go-cpu.pprof", "kernel.htrace.gz", "hiperf.data", "sessions.heapprofile")


def copies(scratch):
    """Fifty recordings: of each of ten five copies of other bytes, whose names have the same length. [(path, base)]"""
    made = []
    for base in BASES:
        with open(DATA + base, "rb") as f:
            content = f.read()
        plain = gzip.decompress(content) if base.endswith(".gz") else content
        for i in range(5):
            path = "%s/copy%d-%s%s" % (scratch, i, base, "" if base.endswith(".gz") else ".gz")
            with open(path, "wb") as f:
                f.write(gzip.compress(plain, 1, mtime=i + 1))
            made.append((path, base))
    return made


def total(rows, columns):
    """Rows, and of each column NULLs and a sum: of integers, of reals as bits, of lengths of texts."""
    sums = []
    for i in range(columns):
        values = [r[i] for r in rows if r[i] is not None]
        number = sum(v if isinstance(v, int) else struct.unpack("<q", struct.pack("<d", v))[0] if isinstance(v, float) else len(v) for v in values)
        sums += [len(rows) - len(values), number % 2**64]
    return [len(rows), *sums]


def engine_total(engine, view, columns):
    types = dict(l.split("\t") for l in engine.ask("SELECT name, type FROM system.columns WHERE database = 'prof' AND table = '%s'"
                                                   % view).splitlines())
    wanted = ["count()"]
    for c in columns:
        name = there(c)
        null = "Nullable" in types[name]
        some = "assumeNotNull(`%s`)" % name if null else "`%s`" % name
        number = "length(%s)" if "String" in types[name] else "reinterpretAsInt64(reinterpretAsString(%s))" if "Float" in types[name] else "toInt64(%s)"
        wanted += ["countIf(isNull(`%s`))" % name, "sumIf(toUInt64(%s), NOT isNull(`%s`))" % (number % some, name)]
    return [int(v) % 2**64 for v in engine.words("SELECT %s FROM %s" % (", ".join(wanted), "`%s`" % view))]


def add(a, b):
    return [(x + y) % 2**64 for x, y in zip(a, b)] if a else b


def compare_totals(shards, databases):
    """Of each table: what is seen through each server is what the servers have, and what SQLite has."""
    tables = {}
    for database, times in databases:
        db = sqlite3.connect(database)
        db.text_factory = bytes
        packed = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = 'stack_sample'").fetchall()
        for table in [*sqlite_tables(db), *(["stack_sample"] if packed else [])]:
            cursor = db.execute("SELECT * FROM " + table)
            columns = tuple(d[0] for d in cursor.description)
            one = total(cursor.fetchall(), len(columns))
            old, _ = tables.get(table, (None, None))
            tables[table] = (add(old, [v * times % 2**64 for v in one]), columns)
        db.close()
    for table, (wanted, columns) in tables.items():
        own = None
        for engine in shards:
            own = add(own, engine_total(engine, "shard_" + table, columns))
        if own != wanted:
            complain(table, "has", own, "and should have", wanted)
        for engine in shards:
            if engine_total(engine, "v_" + table, columns) != wanted:
                complain(table, "shows", engine_total(engine, "v_" + table, columns), "and should show", wanted, engine.host)
    print(len(tables), "tables", sum(w[0] for w, _ in tables.values()), "rows")


def homes(shards):
    """{id: number of the shard}; all rows of a load are where its commit is."""
    found, loads = {}, []
    for i, engine in enumerate(shards):
        for id_ in engine.words("SELECT DISTINCT lower(hex(id)) FROM recording"):
            if id_ in found:
                complain(id_, "is on two shards")
            found[id_] = i
        tables = engine.words("SELECT name FROM system.tables WHERE database = 'prof' AND engine = 'MergeTree'")
        loads.append(set(engine.words(" UNION ALL ".join("SELECT DISTINCT load FROM `%s`" % t for t in tables))))
        if loads[i] != set(engine.words("SELECT DISTINCT load FROM recording")):
            complain("rows without a commit on", engine.host)
    for i, one in enumerate(loads):
        for other in loads[:i]:
            if one & other:
                complain("loads on two shards:", one & other)
    return found


def load_fifty(shards, scratch):
    """Two programs load fifty recordings at once, by different servers, some by both."""
    recordings = copies(scratch)
    halves = [[p for p, _ in recordings[:27]], [p for p, _ in recordings[23:]]]
    pair = [command(shards[i], *halves[i], "--to=clickhouse", "--rows=all", "--label", "half=%d" % i) for i in range(2)]
    for worker in pair:
        _, err = worker.communicate(timeout=400)
        if worker.returncode:
            complain("one of two:", err.decode())
    run(shards[0], "fleet", "sweep", "--older-than=0s")
    listed, _ = run(shards[1], "fleet", "list", "--output=tsv")
    if len(listed.splitlines()) != 51 or not 23 <= listed.count("half=0") <= 27:
        complain("the list has", len(listed.splitlines()) - 1, "recordings")
    return recordings


def loaded(shards, recordings, scratch):
    found = homes(shards)
    where = [list(found.values()).count(i) for i in range(2)]
    if len(found) != 50 or min(where) < 10:
        complain("recordings on the shards:", where)
    for id_, i in found.items():
        if int(id_[:16], 16) % 2 != i:
            complain(id_, "is on", i)
    run(shards[1], *(p for p, _ in recordings), "--to=clickhouse", "--rows=all", says="0 loaded, 50 already loaded, 0 failed")
    databases = []
    for path, base in recordings[::5]:
        databases.append((scratch + "/%s.db" % base, 5))
        subprocess.run([PROGRAM, path, "-e", databases[-1][0], "--quiet"], check=True)
    compare_totals(shards, databases)
    for i in range(1, 3):
        compare(shards[1], BASES[i], id_of(recordings[5 * i][0]), databases[i][0])
    run(shards[0], "fleet", "check", says="as it should be")


def seen_otherwise(first, second):
    """A server whose view is over other servers is found, and is no part of the fleet until somebody takes that away."""
    second.ask("DROP TABLE v_recording")
    second.ask("CREATE TABLE v_recording AS shard_recording ENGINE = Distributed(other, prof, shard_recording)")
    run(first, "fleet", "check", code=9, says="127.0.0.3: v_recording shows ")
    run(first, "fleet", "init", code=2, says="127.0.0.3: the fleet that is there is on the cluster other, not on ours")
    second.ask("DROP TABLE v_recording")
    run(first, "fleet", "init", says="is there")
    run(second, "fleet", "check", says="as it should be")


def ends_of_cluster(shards, path):
    """Workers and servers that are killed."""
    home = shards[int(id_of(path)[:16], 16) % 2]
    other = shards[home is shards[0]]
    run(other, "fleet", "forget", id_of(path)[:12], says="1 recording")
    began = time.time()
    load(other, path, "--rows=all")
    took = time.time() - began
    nodes = other.number("SELECT count() FROM v_js_heap_nodes")
    for i in range(4):
        run(other, "fleet", "forget", id_of(path)[:12])
        worker = command(other, path, "--to=clickhouse", "--rows=all")
        time.sleep(took * (i + 0.5) / 4)
        worker.kill()
        worker.communicate()
        time.sleep(0.3)
        count = other.number("SELECT count() FROM v_js_heap_nodes")
        seen = other.number("SELECT count() FROM v_recording WHERE lower(hex(id)) = '%s'" % id_of(path))
        if count != nodes - (138008 if seen == 0 else 0) or seen > 1:
            complain("a killed worker leaves", count, "of", nodes)
        run(other, "fleet", "check", says="as it should be")
        if not seen:
            load(other, path, "--rows=all")
    # A server in the middle of a load; the other one has nothing of it.
    run(other, "fleet", "forget", id_of(path)[:12])
    worker = command(other, path, "--to=clickhouse", "--rows=all", "--retries=0")
    time.sleep(took / 2)
    home.stop()
    _, err = worker.communicate(timeout=250)
    if worker.returncode not in (0, 4) or (worker.returncode and home.host not in err.decode()):
        complain("a killed server gives", worker.returncode, err)
    home.start()
    load(other, path, "--rows=all")
    run(other, "fleet", "check", says="as it should be")


def missing(shards):
    """One does not answer: nothing is answered."""
    for gone, there in (shards, shards[::-1]):
        count = there.number("SELECT count() FROM v_source")
        gone.stop()
        try:
            complain("a question gives", there.number("SELECT count() FROM v_source"))
        except RuntimeError as e:
            if "Code: 279" not in str(e):
                complain("a question fails with", e)
        for user in ("half", "loader"):  # the profile of the first would give half
            os.environ["TRACE_STREAMER_FLEET_USER"] = user
            for words in (("list",), ("sweep",), ("forget", "--older-than=0s"), ("check",), ("init",)):
                run(there, "fleet", *words, "--retries=0", code=4, says=gone.host)
            load(there, DATA + "go-cpu.pprof", "--retries=0", code=4, says=gone.host)
        if int(there.ask("SELECT count() FROM v_source", user="half")) >= count:
            complain("the profile half gives all")
        began = time.time()
        run(there, "fleet", "list", "--retries=1", code=4, says="trying again")
        if time.time() - began < 1:
            complain("nothing was tried again")
        gone.start()
        if there.number("SELECT count() FROM v_source") != count:
            complain("after it came again:", there.number("SELECT count() FROM v_source"))


def grown(servers, recordings):
    """A third shard: recordings stay where they are, also when they are loaded anew."""
    before = homes(servers.all[:2])
    first, second, third = servers.all
    servers.grow(first)
    run(first, "fleet", "init", code=4, says="127.0.0.3: the cluster ours has 2 shards there and 3 at 127.0.0.2")
    servers.grow(second, third)
    run(first, "fleet", "list", code=4, says="fleet init makes what is missing")
    run(first, "fleet", "check", code=4, says="fleet init")
    run(first, "fleet", "init", says="1 more server")
    run(third, "fleet", "check", says="as it should be")
    run(third, *(p for p, _ in recordings), "--to=clickhouse", says="0 loaded, 50 already loaded")
    small = [p for p, base in recordings if base == "go-heap.pprof"]
    run(third, *small, "--to=clickhouse", "--rows=all", "--analyze=none", says="5 loaded")
    if homes(servers.all) != before:
        complain("recordings have moved")
    run(first, "fleet", "forget", *(id_of(p)[:12] for p in small), says="5 recordings were forgotten")
    run(first, *small, "--to=clickhouse", says="5 loaded")
    after = homes(servers.all)
    if any(after[id_of(p)] != int(id_of(p)[:16], 16) % 3 for p in small) or set(after) != set(before):
        complain("new recordings are elsewhere")
    run(third, "fleet", "check", says="as it should be")


def cluster(servers, scratch):
    refused_clusters(servers)
    shards = servers.all[:2]
    recordings = load_fifty(shards, scratch)
    loaded(shards, recordings, scratch)
    seen_otherwise(*shards)
    ends_of_cluster(shards, recordings[0][0])
    run(shards[0], "fleet", "sweep", says="0 rows")
    run(shards[0], "fleet", "sweep", "--older-than=0s", says="rows of attempts that failed")
    homes(shards)
    missing(shards)
    grown(servers, recordings)
    # Some are forgotten on all servers by one command, and all by age.
    ids = [id_of(p)[:16] for p, _ in recordings[:6]]
    run(servers.all[1], "fleet", "forget", *ids, says="6 recordings were forgotten")
    if servers.all[2].number("SELECT count() FROM v_recording") != 44:
        complain("six were forgotten, and there are", servers.all[2].number("SELECT count() FROM v_recording"))
    homes(servers.all)
    run(servers.all[2], "fleet", "forget", "--older-than=0s", says="44 recordings were forgotten")
    for engine in servers.all:
        if engine.number("SELECT count() FROM js_heap_nodes") or engine.number("SELECT count() FROM v_recording"):
            complain("rows are left on", engine.host)
    # An id on two servers, as a program of another configuration would make it.
    for engine in servers.all[:2]:
        engine.ask("INSERT INTO recording (id, load, schema_version) VALUES ('x', 1, 1)")
    run(servers.all[0], "fleet", "check", code=9, says="on several servers")


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
        if GROUP == "cluster":
            with Servers(scratch) as servers:
                cluster(servers, scratch)
            sys.exit(bad > 0)
        engine = Engine(scratch)
        try:
            {"values": values, "workers": workers, "manage": manage, "asks": asks}[GROUP](engine, scratch)
            os.environ["TRACE_STREAMER_FLEET_PASSWORD"] = "wrong"
            run(engine, "fleet", "list", code=4, says="refuses")
        finally:
            engine.stop()
    sys.exit(bad > 0)


main()
