"""exports.py GROUP PROGRAM TOOLS SOURCE: what --to writes, read back and compared with the rows of the database.

GROUP is one of recorded: each kind of input that has stacks, each weight; random: databases of random rows with random filters;
hostile: names that a careless writer lets out; messages: what is refused, and with which words; files: where the output goes.
"""
import os
import random
import sqlite3
import sys
import tempfile

import made
import readers
from profiles import Database

GROUP, PROGRAM, TOOLS, SOURCE = sys.argv[1:5]
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


CHECKS = [check_folded]


def check_all(database, path, weight, filters, arguments):
    for one in CHECKS:
        one(database, path, weight, filters, arguments)


def recorded():
    for path in made.recordings(PROGRAM, TOOLS, SOURCE).values():
        database = Database(path)
        check_all(database, path, database.default(), {}, [])
        for weight in database.weights():
            check_all(database, path, weight, {}, [f"--weight={weight}"])
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
    for seed in range(200 if SLOW else 25):
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
    groups = {"recorded": recorded, "random": randomly, "hostile": hostile, "messages": messages, "files": files}
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        groups[GROUP]()
        os.chdir("/")


main()
