"""exports.py GROUP PROGRAM TOOLS SOURCE DIFFERENCE: what --to writes, read back and compared with the rows of the database.

GROUP is one of recorded: each kind of input that has stacks, each weight; random: databases of random rows with random filters;
hostile: names that a careless writer lets out; programs: the programs that read them, where they are installed; messages: what is refused, and with which words; files: where the output goes;
difference: two profiles at once; memory, growth: many samples, many call paths.
"""
import collections
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


def clean(sums):
    """As JSON and protobuf have texts: bytes that are no UTF-8 are replaced; one for each is enough to compare."""
    result = {}
    for path, value in sums.items():
        key = tuple(re.sub("[\ufffd\udc80-\udcff]+", "\ufffd", label) for label in path)
        result[key] = result.get(key, 0) + value
    return result


def check_speedscope(database, path, weight, filters, arguments):
    same(clean(readers.speedscope(export(path, "speedscope", *arguments))), clean(database.by_path(weight, **filters)), f"speedscope {path} {arguments}")


def check_pprof(database, path, weight, filters, arguments):
    sums, functions, default = readers.pprof(export(path, "pprof", *arguments))
    check(default == weight, f"pprof: {default} is the default instead of {weight}")
    check(set(sums) == ({weight} if arguments else set(database.weights())), f"pprof {path} {arguments}: {sums.keys()}")
    for name, stacks in sums.items():
        same(clean({stack: value for stack, value in stacks.items() if value}), clean(database.by_path(name, **filters)), f"pprof {path} {name} {arguments}")
    files = {method[3] or "" for method in database.methods.values()} if database.methods else {f[1] for f in functions}
    check(clean({(f[1],): 1 for f in functions}).keys() <= clean({(f,): 1 for f in files | {""}}).keys(), f"pprof {path}: files {functions}")


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
    expected = collections.Counter((database.path(node), ts) for node, _, ts, _, _, call in items if not call)
    if database.is_heap() or not items:
        return
    samples, calls, _, _ = readers.chrome(export(path, "chrome-json", *arguments))
    plain = collections.Counter((tuple(re.sub("[\ufffd\udc80-\udcff]+", "\ufffd", label) for label in stack), ts) for stack, ts, _ in samples)
    wanted = collections.Counter()
    for (stack, ts), n in expected.items():
        wanted[next(iter(clean({without_root(stack): 1}))), ts] += n
    same(plain, wanted, f"chrome-json {path} {arguments}")
    got = collections.Counter((name, ts, dur) for cat, name, ts, dur, _ in calls if cat == "call")
    same(got, collections.Counter(database.calls(**filters)), f"calls of chrome-json {path} {arguments}")


CHECKS = [check_folded, check_flame, check_speedscope, check_pprof, check_chrome]


def check_all(database, path, weight, filters, arguments):
    for one in CHECKS:
        one(database, path, weight, filters, arguments)


def recorded():
    for path in made.recordings(PROGRAM, TOOLS, SOURCE).values():
        database = Database(path)
        check_all(database, path, database.default(), {}, [])
        for weight in database.weights():
            check_folded(database, path, weight, {}, [f"--weight={weight}"])
        database.close()


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
    for _ in range(3):
        filters, arguments = random_filters(rng)
        weight = rng.choice(("wall", "samples", "cpu", "alloc_space", "odd"))
        arguments.append(f"--weight={weight}")
        if database.by_path(weight, **filters):
            check_all(database, path, weight, filters, arguments)
        else:
            export(path, "folded", *arguments, codes=(2,))
    database.close()


def randomly():
    base = made.empty(PROGRAM, SOURCE)
    for seed in range(200 if SLOW else 6):
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
    check_all(database, base, "wall", {}, [])
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


FORMATS = {"flame": 8, "folded": 8, "speedscope": 28, "pprof": 8, "chrome-json": 28}


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


def messages():
    databases = made.recordings(PROGRAM, TOOLS, SOURCE)
    to = ["--to=folded", "-o", "-"]
    cpu = databases["cpu"]
    refuses(['no thread is "nobody"', "source 2 (Profile0)", "event cpu"], cpu, *to, "--thread=nobody")
    refuses(['no source is "9"', "Profile0"], cpu, *to, "--source=9")
    refuses(['no value is called "bytes"', "wall, samples"], cpu, *to, "--weight=bytes")
    refuses(["no stack is wanted", "event call", "http-nio"], databases["cloud"], *to, "--event=cpu")
    refuses(["no stack is wanted", "times from"], cpu, *to, "--from=1", "--until=2")
    refuses(["--from is not before --until"], cpu, *to, "--from=2", "--until=2")
    refuses(["bad value for --from", "is no time"], cpu, *to, "--from=soon")
    refuses(["have no threads"], databases["timeline"], *to, "--thread=1")
    refuses(["does not fit", "no sampled stacks", "ask js_class"], os.path.join(SOURCE, "test/data/recording-snapshots.htrace.gz"), *to)
    refuses(['unknown format for --to: "svg"', "folded"], cpu, "--to=svg", "-o", "-")
    refuses(["--to needs -o"], cpu, "--to=folded")
    refuses(["--event requires --to"], cpu, "--event=cpu", "-e", "x.db")
    refuses(["-s and --to"], cpu, *to, "-s")
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
    sql.execute("UPDATE stack_sample SET dur = dur + 1000")
    sql.commit()
    database = Database("cpu.db")
    check_folded(database, "cpu.db", "wall", {}, [])
    database.close()
    sql.close()


def main():
    groups = {"recorded": recorded, "random": randomly, "hostile": hostile, "messages": messages, "programs": programs, "difference": difference, "memory": memory, "growth": growth, "files": files}
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        groups[GROUP]()
        os.chdir("/")


main()
