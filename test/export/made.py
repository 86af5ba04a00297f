"""Databases for the tests of exports: the bundled recordings, made-up ones, and random rows of stacks."""
import os
import random
import shutil
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

# Names that a careless writer lets out of a string, a line or a script.
HOSTILE = [
    "</script><script>alert(1)</script>", "<!--<script>", "]]>", "a;b", "a\nb", "a\r\nb", "tab\there", "quote\"quote'", "back\\slash", "&amp;&lt;",
    "line\u2028separator\u2029", "nul\0byte", "\u202eright to left", "größe.日本語.🔥", "$&{{x}}`${y}", "", " ", "1 2", "\x1b[31m", "x" * 300, "(root)", "after root",
    "\x9b2Jcontrol sequence\x85", "\u2067isolated\u2069\u061c mark\u200f",
]


def run(program, *arguments, codes=(0,)):
    r = starts.run([program, *arguments], capture_output=True, check=False)
    if r.returncode not in codes:
        raise SystemExit(f"WRONG: exit {r.returncode}: {arguments}: {r.stderr.decode(errors='replace')}")
    return r


def recordings(program, tools, source, heaps=False):
    """{name: database} of one input of each kind that has stacks; heaps: also of analysed heaps."""
    data = os.path.join(source, "test", "data")
    tiny = os.path.join(data, "tiny")
    inputs = {name: os.path.join(data, file) for name, file in {
        "cpu": "recording-cpuprofile.htrace.gz", "cloud": "recording-cloud.tar.gz", "timeline": "recording-timeline.htrace.gz",
        "heapprofile": "sessions.heapprofile", "go": "go-cpu.pprof", "goheap": "go-heap.pprof"}.items()}
    assert os.path.isdir(tiny)
    run(os.path.join(tools, "mkflare"), "--threads=3", "--seconds=1", "flare")
    run(os.path.join(tools, "mktptp"), "-o", "tptp.trcxml", "--worked")
    inputs.update(flare="flare", tptp="tptp.trcxml")
    if heaps:
        inputs.update(heaps=os.path.join(data, "recording-snapshots.htrace.gz"), dump="dump.hprof")
        sys.path.insert(0, os.path.join(source, "test", "check"))
        import java_dump
        with open("dump.hprof", "wb") as f:
            f.write(java_dump.random_dump(7))
    for name, path in inputs.items():
        analyses = ["--analyze=default,heap"] if name in ("heaps", "dump") else []
        run(program, path, "-e", f"{name}.db", "--quiet", "--force", *analyses, codes=(0, 3))
    return {name: f"{name}.db" for name in inputs}


def empty(program, source):
    """A database without stacks: that of a recording, its rows removed."""
    path = os.path.join(source, "test", "data", "sessions.heapprofile")
    run(program, path, "-e", "empty.db", "--quiet", "--force")
    with sqlite3.connect("empty.db") as sql:
        for table in ("stack_method", "stack_node", "stack_sample", "stack_value_type", "stack_sample_value", "stack_slice", "source", "thread"):
            sql.execute(f"DELETE FROM {table}")
    sql.close()
    return "empty.db"


def fill(sql, rng, size):
    """Random rows, with everything that may be NULL and names of all kinds."""
    def maybe(value):
        return None if rng.random() < 0.15 else value

    def name():
        return rng.choice([*HOSTILE, "(root)"]) if rng.random() < 0.2 else f"name{rng.randrange(8)}"

    sql.execute("INSERT INTO source(id, kind, path, bytes, complete) VALUES (1, 'input', 'r.bin', 1, 1)")
    for ident, parent, text in ((2, 1, "one"), (3, 1, "two"), (4, 3, "two")):
        sql.execute("INSERT INTO source(id, parent_id, kind, name, bytes, complete) VALUES (?, ?, 'session', ?, 1, 1)", (ident, parent, text))
    sql.execute("UPDATE source SET pid = 7 WHERE id IN (1, 4)")
    for ident in (2, 3):
        sql.execute("UPDATE source SET format = ? WHERE id = ?", (rng.choice((None, "pprof", "jfr", "cpuprofile", "flare")), ident))
    sql.execute("DELETE FROM process")
    for ipid in range(3):
        sql.execute("INSERT INTO process(id, ipid, pid, name, switch_count, thread_count) VALUES (?, ?, ?, ?, 0, 0)", (ipid, ipid, 70 + ipid, maybe("program")))
    for itid in range(6):
        sql.execute("INSERT INTO thread(id, itid, tid, name, ipid, switch_count) VALUES (?, ?, ?, ?, ?, 0)",
                    (itid, itid, maybe(100 + itid % 4), maybe(f"worker {itid % 3}"), maybe(rng.randrange(3))))
    for ident in range(1, 4):
        sql.execute("INSERT INTO timeseries VALUES (?, ?, ?, ?, NULL, NULL)", (ident, rng.choice((2, 3)), maybe(rng.randrange(6)), name()))
        sql.execute("INSERT INTO timeseries_value VALUES (?, ?, ?)", (ident, maybe(rng.randrange(10**6)), maybe(rng.choice((0.1, -2.5e30, 3.0)))))
        sql.execute("INSERT INTO runtime_pause(id, source_id, kind, itid, ts, dur, state) VALUES (?, ?, 'gc', ?, ?, ?, 0)",
                    (ident, rng.choice((2, 3)), maybe(rng.randrange(6)), maybe(rng.randrange(10**6)), maybe(rng.randrange(5000))))
    methods = rng.randrange(1, 30)
    for ident in range(1, methods + 1):
        sql.execute("INSERT INTO stack_method VALUES (?, ?, NULL, ?, ?, ?, NULL, ?, ?, NULL, NULL)",
                    (ident, rng.choice((2, 3, 4)), maybe(rng.choice((name(), "(idle)", "(root)", "sleep"))), maybe(rng.choice((name(), "Thread"))), maybe(name()), maybe(name()),
                     maybe(rng.randrange(-1, 99))))
    nodes = rng.randrange(1, size)
    for ident in range(1, nodes + 1):
        parent = None if ident == 1 or rng.random() < 0.1 else max(1, ident - rng.randrange(1, 6))
        sql.execute("INSERT INTO stack_node VALUES (?, ?, ?, ?, ?, 0, NULL)", (ident, rng.choice((2, 3, 4)), parent, maybe(rng.randrange(1, methods + 1)), maybe(rng.randrange(1, 99))))
    kinds = [("cpu", "ns"), ("alloc_space", "bytes"), ("odd", None), ("delay", "ns"), ("lock-time", "ns"), ("inuse_space", "bytes"), ("cpu_samples", "count")]
    types = {2: [], 3: []}
    for source in (2, 3):
        for kind, unit in kinds:
            if rng.random() < 0.5:
                ident = 1 + sum(map(len, types.values()))
                types[source].append(ident)
                sql.execute("INSERT INTO stack_value_type VALUES (?, ?, ?, ?)", (ident, source, kind, unit))
    for ident in range(1, rng.randrange(2, size * 3)):
        source = rng.choice((2, 3))
        sql.execute("INSERT INTO stack_sample VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (ident, source, maybe(rng.randrange(6)), maybe(rng.randrange(10**6)), maybe(rng.randrange(10**4)), maybe(rng.randrange(1, nodes + 1)),
                     maybe(rng.choice(("wall", "cpu", "alloc")))))
        if rng.random() < 0.5:
            sql.execute("INSERT INTO stack_sample_label VALUES (?, ?, ?)", (ident, rng.choice(("state", "other")), maybe(rng.choice(("SLEEPING", "BLOCKED", "TIMED_WAITING", "odd")))))
        for _ in range(rng.randrange(3) if types[source] else 0):
            sql.execute("INSERT INTO stack_sample_value VALUES (?, ?, ?)", (ident, rng.choice(types[source]), rng.randrange(0, 10**6)))
    if rng.random() < 0.5:
        for ident in range(1, rng.randrange(2, size)):
            dur = maybe(rng.randrange(10**4))
            sql.execute("INSERT INTO stack_slice VALUES (?, ?, ?, NULL, ?, ?, ?, ?, NULL, 0, 0)",
                        (ident, rng.choice((3, 4)), maybe(rng.randrange(6)), maybe(rng.randrange(1, nodes + 1)), maybe(rng.randrange(10**6)), dur,
                         None if dur is None else rng.randrange(dur + 1)))
            if rng.random() < 0.3:
                sql.execute("INSERT INTO chrome_slice VALUES (?, 1, NULL, ?)", (ident, rng.randrange(2)))


def random_database(base, path, seed, size=60):
    shutil.copy(base, path)
    sql = sqlite3.connect(path)
    fill(sql, random.Random(seed), size)
    sql.commit()
    sql.close()
    return path
