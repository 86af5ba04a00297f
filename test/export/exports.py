"""exports.py GROUP PROGRAM TOOLS SOURCE DIFFERENCE: what --to writes, read back and compared with the rows of the database.

GROUP is one of recorded: each kind of input that has stacks, each weight; back: read again by this program; random: databases of random rows with random filters;
hostile: names that a careless writer lets out; programs: the programs that read them, where they are installed; messages: what is refused, and with which words; files: where the output goes;
difference: two profiles at once; memory, growth: many samples, many call paths.
"""
import collections
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import sys
import tempfile

import made
import readers
from profiles import Database

GROUP, PROGRAM, TOOLS, SOURCE, DIFFERENCE = sys.argv[1:6]
SLOW = bool(os.environ.get("TS_SLOW"))


def check(condition, text):
    if not condition:
        raise SystemExit(f"WRONG: {text}")


def export(database, form, *arguments, codes=(0,)):
    r = made.run(PROGRAM, database, f"--to={form}", "-o", "-", "--quiet", *arguments, codes=codes)
    return r.stdout if r.returncode == 0 else r.stderr.decode()


def same(got, expected, what):
    if got != expected:
        for key in sorted(set(got) | set(expected), key=str):
            if got.get(key) != expected.get(key):
                raise SystemExit(f"WRONG: {what}: {key}: {got.get(key)} instead of {expected.get(key)}")


def check_folded(database, path, weight, filters, arguments):
    same(readers.folded(export(path, "folded", *arguments)), readers.as_folded(database.by_path(weight, **filters)), f"folded {path} {arguments}")


def clean_text(text):
    """As JSON and protobuf have texts: bytes that are no UTF-8 are replaced; one for each is enough to compare."""
    return re.sub("[\ufffd\udc80-\udcff]+", "\ufffd", text)


def clean(sums):
    result = {}
    for path, value in sums.items():
        key = tuple(clean_text(label) for label in path)
        result[key] = result.get(key, 0) + value
    return result


def check_speedscope(database, path, weight, filters, arguments):
    same(clean(readers.speedscope(export(path, "speedscope", *arguments))), clean(database.by_path(weight, **filters)), f"speedscope {path} {arguments}")


def check_pprof(database, path, weight, filters, arguments):
    sums, functions, default, stacks = readers.pprof(export(path, "pprof", *arguments))
    weight = database.name(weight, **filters)
    check(default == weight, f"pprof: {default} is the default instead of {weight}")
    check(set(sums) == ({weight} if arguments else set(database.weights())), f"pprof {path} {arguments}: {sums.keys()}")
    for name, values in sums.items():
        same(clean({stack: value for stack, value in values.items() if value}), clean(database.by_path(name, **filters)), f"pprof {path} {name} {arguments}")
    if not database.is_heap():
        nodes = {node for name in sums for node in database.by_node(name, **filters)}
        equal_sets({tuple((clean_text(label), line) for label, line in database.lines(node)) for node in nodes},
                   {tuple((clean_text(label), line) for label, line in stack) for stack in stacks}, f"pprof {path} {arguments}: lines")
        check_frames(database, nodes, functions, f"pprof {path} {arguments}")


def equal_sets(expected, got, what):
    check(expected == got, f"{what}: {sorted(expected - got)[:3]} are missing, {sorted(got - expected)[:3]} are too many")


def check_frames(database, nodes, got, what):
    """Names, files and lines of all frames on the way to some call paths."""
    frames = set()
    for node in nodes:
        while node is not None:
            label, file, line = database.frame(node)
            frames.add((clean_text(label), clean_text(file), line))
            node = database.nodes[node][0]
    equal_sets(frames, {(clean_text(label), clean_text(file), line) for label, file, line in got}, f"{what}: frames")


def check_flame(database, path, weight, filters, arguments):
    page = export(path, "flame", *arguments)
    readers.hashes(page)
    sums, before = readers.flame(page)
    check(before is None, "flame: an older profile")
    same(clean(sums), clean(database.by_path(weight, **filters)), f"flame {path} {arguments}")


def without_root(path):
    return path[1:] if path[:1] == ("(root)",) else path


def check_chrome(database, path, weight, filters, arguments):
    """Times of all samples and calls, each for itself."""
    arguments = [a for a in arguments if not a.startswith("--weight")]
    items = [item for item in database.items("samples", **filters) if item[2] is not None]
    if database.is_heap() or not items:
        return
    got = readers.chrome(export(path, "chrome-json", *arguments))
    plain = collections.Counter((tuple(clean_text(label) for label in stack), ts, who) for stack, ts, who in got.samples)
    wanted, ends = collections.Counter(), {}
    for node, (source, itid), ts, dur, _, call in items:
        if not call:
            wanted[tuple(clean_text(label) for label in without_root(database.path(node))), ts, database.who(source, itid)] += 1
            ends[source, itid] = max(ends.get((source, itid), ts), ts + (dur or 0))
    same(plain, wanted, f"chrome-json {path} {arguments}")
    by_who = {}
    for (source, itid), end in ends.items():
        by_who.setdefault(database.who(source, itid), []).append(end)
    same({who: sorted(end) for who, end in got.ends.items()}, {who: sorted(end) for who, end in by_who.items()}, f"ends of chrome-json {path}")
    nodes = {node for node, _, ts, _, _, call in items if not call}
    check_frames(database, nodes, {frame for frame in got.frames if frame[0] != "(root)"} | {f for f in frames_of(database, nodes) if f[0] == "(root)"}, f"chrome-json {path}")
    same(collections.Counter(call for call in got.calls if call[0] == "call"), collections.Counter(database.calls(**filters)), f"calls of chrome-json {path} {arguments}")
    if "event" not in filters:
        same(collections.Counter(got.counters), collections.Counter(database.counters(**filters)), f"counters of chrome-json {path} {arguments}")
        same(collections.Counter(call for call in got.calls if call[0] == "pause"), collections.Counter(database.pauses(**filters)), f"pauses of chrome-json {path}")
    check_names(database, got.names, filters)


def frames_of(database, nodes):
    for node in nodes:
        while node is not None:
            yield tuple(clean_text(part) if isinstance(part, str) else part for part in database.frame(node))
            node = database.nodes[node][0]


def check_names(database, names, filters):
    threads = database.threads(filters.get("thread"))
    for itid, name in database.sql.execute("SELECT id, name FROM thread WHERE name <> ''"):
        if threads is None or itid in threads:
            _, tid = database.who(1, itid)
            check(any(what == "thread_name" and who[1] == tid and text == clean_text(name) for what, who, text in names), f"no name of thread {itid}: {names}")


def firefox_stack(database, node):
    """As readers.firefox has it, without the category."""
    frames = []
    while node is not None:
        parent, method, line = database.nodes[node]
        label, file, begins = database.frame(node)
        library = database.sql.execute("SELECT library FROM stack_method WHERE id = ?", (method,)).fetchone()
        frames.append((clean_text(label), line if line and line > 0 else 0, clean_text(file), begins, clean_text(library[0] or "" if library else "")))
        node = parent
    return tuple(reversed(frames))


def firefox_markers(database, event=None, **filters):
    spans = {row[0] for row in database.sql.execute("SELECT slice_id FROM chrome_slice WHERE async")}
    for who, ts, dur, node, depth, row in database.timed("stack_slice", "dur, node_id, depth, id", **filters) if event in (None, "call") else ():
        name = database.label(None if node is None else database.nodes[node][1])
        yield "span" if depth is None or row in spans else "call", clean_text(name), ts, dur, 2 if dur is None else 1, None, row, who
    for table, kind, detail in (("runtime_pause", "runtime_pause", "cause"), ("lock_wait", "lock_wait", "class")) if event is None else ():
        for who, ts, dur, name, more, row in database.timed(table, f"dur, kind, {detail}, id", **filters):
            yield kind, clean_text(name), ts, dur, 0 if dur is None else 1, more, row, who
    if event is None and not database.count("stack_slice") and not filters.get("source"):
        threads = database.threads(filters.get("thread"))
        for ts, dur, itid, cat, name, cookie, row in database.sql.execute("SELECT ts, dur, callid, cat, name, cookie, rowid FROM callstack").fetchall():
            if (threads is None or itid in threads) and filters.get("begin", ts) <= ts < filters.get("end", ts + 1):
                kind = "slice" if cookie is None else "async_slice"
                yield kind, clean_text(name or "(anonymous)"), ts, dur, 2 if dur is None else 1, cat, row, database.who(0, itid)


def firefox_start(database, first):
    """When the profile begins: that of realtime, or of a clock that was read together with it; else 0."""
    clocks = {row[0] for row in database.sql.execute("SELECT clock FROM source WHERE clock IS NOT NULL")}
    if len(clocks) != 1:
        return 0
    read = dict(reversed(database.sql.execute("SELECT clock_name, ts FROM clock_snapshot ORDER BY rowid").fetchall()))
    clock = clocks.pop()
    if clock != "realtime" and not {clock, "realtime"} <= set(read):
        return 0
    return max(0, first - (0 if clock == "realtime" else read[clock] - read["realtime"]))


def check_firefox(database, path, weight, filters, arguments):
    """Each sample and marker for itself, the points of series, and when all of it begins."""
    got = readers.firefox(export(path, "firefox", *arguments))
    what = f"firefox {path} {arguments}"
    sums = {}
    for stack, _, value, _ in got.samples:
        key = tuple(frame[0] for frame in stack)
        sums[key] = sums.get(key, 0) + value
    same(clean(sums), clean(database.by_path(weight, **filters)), what)
    if database.is_heap():
        check(got.extra, f"{what}: nothing is said of times")
        return
    items = [item for item in database.items(weight, **filters) if item[4] > 0]
    markers = list(firefox_markers(database, **filters))
    points = [] if "event" in filters else list(database.counters(**filters))
    start = min([item[2] for item in items if item[2] is not None] + [m[2] for m in markers] + [p[1] for p in points], default=0)
    spans = [item[3] for item in items if not item[5] and item[2] is not None and item[3] is not None and item[3] > 0]
    check(got.interval == (sum(spans) // len(spans) if spans else 1000000), f"{what}: interval {got.interval}")
    check(got.start == firefox_start(database, start), f"{what}: it begins at {got.start}, not {firefox_start(database, start)}")
    wanted, untimed = collections.Counter(), collections.Counter()
    for node, (source, itid), ts, _, value, _ in items:
        one = (firefox_stack(database, node), value, database.who(source, itid))
        (wanted if ts is not None else untimed)[one if ts is None else (*one, ts - start)] += 1
    plain = collections.Counter((tuple(tuple(clean_text(part) if isinstance(part, str) else part for part in frame[:5]) for frame in stack), value, who, at) for stack, at, value, who in got.samples)
    check(got.extra == bool(untimed), f"{what}: of samples without a time nothing, or too much is said")
    check(not wanted - plain, f"{what}: {list(wanted - plain)[:2]} are missing, {list(plain - wanted)[:2]} are too many")
    same(collections.Counter(one[:3] for one in (plain - wanted).elements()), untimed, f"{what}: samples without a time")
    same(collections.Counter((kind, clean_text(name), at, None if end is None else end - at, phase, detail, row, who) for kind, name, at, end, phase, detail, row, who in got.markers),
         collections.Counter((kind, name, ts - start, dur, *rest) for kind, name, ts, dur, *rest in markers), f"{what}: markers")
    series = {}
    for name, ts, value, who in points:
        series.setdefault((clean_text(name), who[0]), []).append((ts - start, value))
    shown = {}
    for name, all_points, pid in got.counters:
        shown.setdefault((clean_text(name), pid), []).extend(all_points)
    equal_sets(set(series), set(shown), f"{what}: counters")
    for key, values in series.items():
        for (ts, value), (at, number) in zip(sorted(values), sorted(shown[key]), strict=True):
            check(ts == at and abs(float(number) - value) <= 1e-9 * max(abs(value), 1), f"{what}: counter {key}: {(at, number)} instead of {(ts, value)}")


CHECKS = [check_folded, check_flame, check_speedscope, check_pprof, check_chrome, check_firefox]


def check_all(database, path, weight, filters, arguments):
    for one in CHECKS:
        one(database, path, weight, filters, arguments)


def recorded():
    for path in made.recordings(PROGRAM, TOOLS, SOURCE, heaps=True).values():
        database = Database(path)
        check_all(database, path, database.default(), {}, [])
        for weight in database.weights():
            check_folded(database, path, weight, {}, [f"--weight={weight}"])
        database.close()


def back():
    """What this program writes and reads again: the same stacks with the same times and values."""
    databases = made.recordings(PROGRAM, TOOLS, SOURCE)
    for name in ("cpu", "cloud"):
        made.run(PROGRAM, databases[name], "--to=chrome-json", "-o", "back.json", "--quiet")
        made.run(PROGRAM, "back.json", "-e", "back.db", "--quiet", "--force", "--strict")
        check(readers.folded(export("back.db", "folded")) == readers.folded(export(databases[name], "folded")), f"{name}: other stacks when read again")
        rows = []
        for path in (databases[name], "back.db"):
            database = Database(path)
            rows.append(sorted((ts, dur, value, call, database.path(node)) for node, _, ts, dur, value, call in database.items("wall")))
            database.close()
        check(rows[0] == rows[1], f"{name}: other times when read again")
    for name in ("cpu", "cloud", "timeline", "go", "goheap"):
        made.run(PROGRAM, databases[name], "--to=pprof", "-o", "back.pb.gz", "--quiet")
        made.run(PROGRAM, "back.pb.gz", "-e", "back.db", "--quiet", "--force", "--strict")
        database = Database(databases[name])
        weight = database.default()
        database.close()
        check(readers.folded(export("back.db", "folded", f"--weight={weight}")) == readers.folded(export(databases[name], "folded")), f"{name}: other values when read again")


def random_filters(rng):
    filters, arguments = {}, []
    if rng.random() < 0.4:
        filters["source"] = rng.choice(("1", "2", "3", "one", "two", "r.bin"))
        arguments.append(f"--source={filters['source']}")
    if rng.random() < 0.4:
        filters["thread"] = rng.choice(("worker 1", "101", "5"))
        arguments.append(f"--thread={filters['thread']}")
    if rng.random() < 0.4:
        filters["event"] = rng.choice(("wall", "cpu", "alloc", "call"))
        arguments.append(f"--event={filters['event']}")
    for key, option in (("begin", "--from"), ("end", "--until")):
        if rng.random() < 0.3:
            filters[key] = rng.randrange(500000) + (500000 if key == "end" else 0)
            arguments.append(f"{option}={filters[key]}")
    return filters, arguments


def one_random(base, seed):
    rng = random.Random(seed)
    path = made.random_database(base, "random.db", seed)
    database = Database(path)
    for _ in range(3 if SLOW else 2):
        filters, arguments = random_filters(rng)
        weight = rng.choice(("wall", "samples", "cpu", "alloc_space", "odd", "waiting", "waiting:idle", "waiting:lock", "allocation", "live", "dur", "calls_async", "delay"))
        arguments.append(f"--weight={weight}")
        if database.by_path(weight, **filters):
            check_all(database, path, weight, filters, arguments)
        else:
            export(path, "folded", *arguments, codes=(2,))
    database.close()


def randomly():
    base = made.empty(PROGRAM, SOURCE)
    for seed in range(200 if SLOW else 4):
        one_random(base, seed)


def hostile():
    base = made.empty(PROGRAM, SOURCE)
    sql = sqlite3.connect(base)
    sql.execute("INSERT INTO source(id, kind, path, bytes, complete) VALUES (1, 'input', '</script>', 1, 1)")
    for i, name in enumerate(made.HOSTILE, 1):
        sql.execute("INSERT INTO stack_method VALUES (?, 1, NULL, ?, NULL, NULL, NULL, ?, ?, NULL, NULL)", (i, name, name, i))
        sql.execute("INSERT INTO stack_node VALUES (?, 1, ?, ?, NULL, 0, NULL)", (i, i - 1 or None, i))
        sql.execute("INSERT INTO stack_sample VALUES (?, 1, 0, ?, ?, ?, ?)", (i, i * 1000, i, i, name))
    # Bytes that are no UTF-8: half a surrogate pair as three bytes, a lone continuation byte.
    sql.execute("UPDATE stack_method SET name = CAST(x'61eda080622f80ff' AS TEXT) WHERE id = 3")
    sql.commit()
    sql.close()
    database = Database(base)
    check_all(database, base, "dur", {}, [])
    database.close()


def go_samples(text):
    """The stacks of `go tool pprof -raw`: [values, labels from the outermost on]."""
    samples, rest = text.split("Samples:\n", 1)[1].split("\nLocations\n", 1)
    labels = dict(re.findall(r"^ +(\d+): 0x0 M=1 (\S+) ", rest, re.M))
    for line in samples.split("\n")[1:]:
        values, stack = line.split(":")
        yield [int(v) for v in values.split()], tuple(labels[i] for i in reversed(stack.split()))


def programs():
    """The programs that the formats are made for. Those that are missing are left out, and said so."""
    databases = made.recordings(PROGRAM, TOOLS, SOURCE)
    if shutil.which("go") is None:
        print("SKIPPED: go is not installed")
        return
    for path in databases.values():
        made.run(PROGRAM, path, "--to=pprof", "-o", "out.pb.gz", "--quiet")
        raw = made.run("go", "tool", "pprof", "-raw", "out.pb.gz").stdout.decode()
        types = [kind.split("/")[0] for kind in raw.split("Samples:\n")[1].split("\n")[0].split()]
        default = re.search(r"(\w+)/\w+\[dflt\]", raw).group(1)
        database = Database(path)
        check(default == database.default(), f"go tool pprof {path}: {default} is the default")
        for place, name in enumerate(types):
            got = {}
            for values, stack in go_samples(raw):
                got[stack] = got.get(stack, 0) + values[place]
            expected = {tuple(label.split(" ")[0] for label in stack): value for stack, value in database.by_path(name).items()}
            same({stack: value for stack, value in got.items() if value}, expected, f"go tool pprof {path} {name}")
        top = made.run("go", "tool", "pprof", "-top", f"-sample_index={default}", "out.pb.gz").stdout.decode()
        check("100% of" in top or "% of" in top, top)
        database.close()


def two_databases():
    """A recording of calls, and the same with calls that take longer, are shorter, came and went."""
    made.run(PROGRAM, os.path.join(SOURCE, "test/data/recording-cloud.tar.gz"), "-e", "old.db", "--quiet")
    shutil.copy("old.db", "new.db")
    sql = sqlite3.connect("new.db")
    sql.execute("UPDATE stack_slice SET self_dur = self_dur * 3 WHERE node_id % 5 = 1")
    sql.execute("UPDATE stack_slice SET self_dur = self_dur / 4 WHERE node_id % 5 = 2")
    sql.execute("DELETE FROM stack_slice WHERE node_id % 7 = 3")
    sql.execute("UPDATE stack_method SET name = 'added', line = line + 7 WHERE id = 4")
    sql.commit()
    sql.close()
    return Database("old.db"), Database("new.db")


def difference():
    """Both profiles of a difference, joined by the names of frames, whatever their lines."""
    old, new = two_databases()
    before, after = old.by_path("wall"), new.by_path("wall")
    page = made.run(DIFFERENCE, "flame", "new.db", "old.db").stdout
    sums, older = readers.flame(page)
    same(sums, after, "flame: after")
    same(older, before, "flame: before")
    got = {}
    for line in made.run(DIFFERENCE, "folded", "new.db", "old.db").stdout.decode().splitlines():
        stack, first, second = line.rsplit(" ", 2)
        got[tuple(stack.split(";"))] = (int(first), int(second))
    same(got, {key: (before.get(key, 0), after.get(key, 0)) for key in before.keys() | after.keys()}, "folded of a difference")
    text = made.run(DIFFERENCE, "pprof", "new.db", "old.db", codes=(2,)).stderr.decode()
    check("cannot show a difference" in text, text)
    old.close()
    new.close()


def stacks(base, path, nodes, samples):
    """A database with these call paths, (id, parent, method), and samples, (call path, thread)."""
    shutil.copy(base, path)
    sql = sqlite3.connect(path)
    sql.execute("INSERT INTO source(id, kind, path, bytes, complete) VALUES (1, 'input', 'r', 1, 1)")
    sql.executemany("INSERT INTO stack_method VALUES (?, 1, NULL, ?, NULL, NULL, NULL, 'f', ?, NULL, NULL)", ((i, f"m{i}", i) for i in range(1, 101)))
    sql.executemany("INSERT INTO stack_node VALUES (?, 1, ?, ?, NULL, 0, NULL)", nodes)
    sql.executemany("INSERT INTO stack_sample VALUES (?, 1, ?, ?, 1000, ?, 'cpu')", ((i, thread, i * 1000, node) for i, (node, thread) in enumerate(samples, 1)))
    sql.commit()
    sql.close()
    return path


FORMATS = {"flame": 8, "folded": 8, "speedscope": 28, "pprof": 8, "chrome-json": 28, "firefox": 28, "datakit-flamegraph": 8, "line-protocol": 8, "profile-json": 20}


def memory():
    """Memory does not grow with samples: the promised bounds in MiB hold for 200 000 of them on 50 call paths."""
    base = made.empty(PROGRAM, SOURCE)
    nodes = [(i, i - 1 or None, i) for i in range(1, 51)]
    for count in (20000, 200000):
        path = stacks(base, f"samples{count}.db", nodes, ((i % 50 + 1, i % 7) for i in range(count)))
        for form, most in FORMATS.items():
            made.run(PROGRAM, path, f"--to={form}", "-o", "out", "--quiet", f"--max-memory={most}M")


def growth():
    """Time and memory with call paths: one stack of all of them, and all of them side by side, twice as many, twice as long."""
    base = made.empty(PROGRAM, SOURCE)
    shapes = {
        "deep": lambda n: ([(i, i - 1 or None, i % 100 + 1) for i in range(1, n + 1)], [(n, 0)]),
        "wide": lambda n: ([(i, None, i % 100 + 1) for i in range(1, n + 1)], [(i, i % 9) for i in range(1, n + 1)]),
    }
    for name, shape in shapes.items():
        paths = [stacks(base, f"{name}{k}.db", *shape(k * 30000)) for k in (1, 4)]
        for form in FORMATS:
            times = []
            for path in paths:
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                made.run(PROGRAM, path, f"--to={form}", "-o", "out", "--quiet", "--max-memory=64M")
                times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
            check(times[1] < 8 * times[0] + 0.1, f"{name} {form}: {times[0]:.2f} s, and {times[1]:.2f} s for four times as many call paths")


def refuses(words, *arguments, code=2):
    r = made.run(PROGRAM, *arguments, codes=(code,))
    text = r.stderr.decode()
    check(not r.stdout, f"{arguments}: something was printed")
    check(all(word in text for word in words), f"{arguments}: {text}")


def deep_profile(path, depth):
    """A CPU profile of one chain of calls, each of which has a sample: stacks of depth * depth / 2 frames."""
    nodes = [{"id": i + 1, "callFrame": {"functionName": f"f{i}", "scriptId": "1", "url": "a.js", "lineNumber": i, "columnNumber": 0},
              "hitCount": 1, "children": [i + 2] if i + 1 < depth else []} for i in range(depth)]
    with open(path, "w") as f:
        json.dump({"nodes": nodes, "startTime": 1, "endTime": depth + 2, "samples": list(range(1, depth + 1)), "timeDeltas": [1] * depth}, f)


def max_output():
    """The limit is exact, and nothing is left of what was longer; formats that write stacks in full meet it."""
    with tempfile.TemporaryDirectory() as folder:
        profile, out = os.path.join(folder, "deep.cpuprofile"), os.path.join(folder, "out")
        deep_profile(profile, 1500)
        for name in ("folded", "speedscope", "profile-json", "pprof"):
            whole = made.run(PROGRAM, profile, f"--to={name}", "-o", "-").stdout
            check((len(whole) > 1 << 20) == (name != "pprof"), f"{name}: {len(whole)} bytes")
            made.run(PROGRAM, profile, f"--to={name}", "-o", out, f"--max-output={len(whole)}")
            check(open(out, "rb").read() == whole, f"{name}: another output with a limit that it keeps")
            os.remove(out)
            r = made.run(PROGRAM, profile, f"--to={name}", "-o", out, f"--max-output={len(whole) - 1}", codes=(6,))
            check(f"longer than {len(whole) - 1} bytes" in r.stderr.decode() and "--max-output" in r.stderr.decode(), f"{name}: {r.stderr}")
            check(sorted(os.listdir(folder)) == ["deep.cpuprofile"], f"{name}: {os.listdir(folder)}")
        refuses(["--max-output requires --to"], profile, "--max-output=1M", "-e", out)


def messages():
    max_output()
    databases = made.recordings(PROGRAM, TOOLS, SOURCE)
    to = ["--to=folded", "-o", "-"]
    cpu = databases["cpu"]
    refuses(['there is no thread "nobody"', "none was recorded"], cpu, *to, "--thread=nobody")
    refuses(['there is no source "9"', "Profile0"], cpu, *to, "--source=9")
    refuses(['no value is called "bytes"', "cpu, waiting, samples, dur"], cpu, *to, "--weight=bytes")
    refuses(["the options leave no stack", "event call", "http-nio"], databases["cloud"], *to, "--event=cpu")
    refuses(["the options leave no stack", "source 2 (Profile0)", "event cpu", "times from"], cpu, *to, "--from=1", "--until=2")
    refuses(["--from is not before --until"], cpu, *to, "--from=2", "--until=2")
    refuses(["bad value for --from", "is not a time"], cpu, *to, "--from=soon")
    refuses(["have no threads"], databases["timeline"], *to, "--thread=1")
    refuses(["cannot answer", "no sampled stacks", "ask js_class"], os.path.join(SOURCE, "test/data/recording-snapshots.htrace.gz"), *to, "--analyze=none")
    refuses(['unknown format for --to: "svg"', "folded"], cpu, "--to=svg", "-o", "-")
    refuses(["--to needs -o"], cpu, "--to=folded")
    refuses(["--event requires --to"], cpu, "--event=cpu", "-e", "x.db")
    refuses(["--to does not go together with -s", "both need -o"], cpu, *to, "-s")
    refuses(["standard output"], cpu, *to, "--report")
    refuses(["cannot be given"], cpu, *to, "--analyze=stack_totals")
    with open("foreign.db", "wb"):
        pass
    sqlite3.connect("foreign.db").execute("CREATE TABLE t(a)").connection.commit()
    refuses(["not a database of trace_streamer"], "foreign.db", *to, code=1)


def files():
    made.recordings(PROGRAM, TOOLS, SOURCE)
    with open("cpu.db", "rb") as f:
        before = f.read()
    expected = export("cpu.db", "folded")
    made.run(PROGRAM, "cpu.db", "--to=folded", "-o", "out.folded", "--quiet")
    recording = os.path.join(SOURCE, "test/data/recording-cpuprofile.htrace.gz")
    made.run(PROGRAM, recording, "--to=folded", "-o", "fresh.folded", "--quiet")
    made.run(PROGRAM, recording, "-e", "both.db", "--to=folded", "-o", "both.folded", "--quiet")
    for name in ("out", "fresh", "both"):
        with open(f"{name}.folded", "rb") as f:
            check(f.read() == expected, f"{name}.folded differs")
    with open("cpu.db", "rb") as f:
        check(f.read() == before, "the database was changed")
    with open("both.db", "rb") as f:
        check(f.read() == before, "with --to the database is another")
    refuses(["the output of -o is an input"], "cpu.db", "--to=folded", "-o", "cpu.db")
    refuses(["are the same file"], recording, "-e", "x.db", "--to=folded", "-o", "./x.db")
    # What fails leaves the file as it was, and nothing beside it.
    refuses(["no thread"], "cpu.db", "--to=folded", "-o", "out.folded", "--thread=nobody")
    refuses(["No such file or directory"], "cpu.db", "--to=folded", "-o", "missing/out.folded", code=4)
    refuses(["cannot write"], "cpu.db", "--to=folded", "-o", "/dev/full", code=4)
    with open("out.folded", "rb") as f:
        check(f.read() == expected, "a failure changed the file")
    check(not [name for name in os.listdir(".") if ".tmp-" in name], "a temporary file is left")
    check("folded" in made.run(PROGRAM, "--to=list").stdout.decode(), "--to=list")
    # A database with pages in a write-ahead log, and a copy that cannot be written to.
    sql = sqlite3.connect("cpu.db")
    sql.execute("PRAGMA journal_mode = WAL")
    sql.execute("UPDATE stack_sample_row SET dur_us = dur_us + 1")
    sql.commit()
    database = Database("cpu.db")
    check_folded(database, "cpu.db", "cpu", {}, [])
    database.close()
    sql.close()


def main():
    groups = {"recorded": recorded, "back": back, "random": randomly, "hostile": hostile, "messages": messages, "programs": programs, "difference": difference, "memory": memory, "growth": growth, "files": files}
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        groups[GROUP]()
        os.chdir("/")


main()
