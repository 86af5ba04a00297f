#!/usr/bin/env python3
"""Answers of the model that a question's own statement gives, too: the same rows from both, of all bundled recordings.

usage: statements.py stacks|times TRACE_STREAMER SOURCE_DIR

The statement is asked from a file of its own, without the line that names the model's answer. TS_SLOW=1: more values of each parameter.
"""

import collections
import glob
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

ALL = 1000000
SLOW = bool(os.environ.get("TS_SLOW"))
STACKS = ("source", "thread", "event", "weight", "label", "time")
WITH_ROWS = {"sched_latency": "instant", "cpu_busy": "sched_slice", "cpu_waits": "thread_state", "process_usage": "live_process"}  # asked where this table has rows
# Of each group: question, its column that rows are ordered by (None: rows come in one order), parameters of which every one is tried.
GROUPS = {
    "stacks": (("hot_methods", "self", ("source", "thread", "by")), ("alloc_hot_methods", "self_bytes", ("source",)), ("flame_graph", None, STACKS),
               ("folded_stacks", None, STACKS if SLOW else ("source",)), ("thread_flame_graph", None, STACKS if SLOW else ("weight",))),
    "times": (("cpu_hot_methods", "self_ns", ("source", "time", "event", "by")), ("cpu_timeline_buckets", None, ("thread", "time", "buckets")),
              ("sched_latency", None, ("pid", "limit")), ("cpu_busy", None, ("limit",)), ("cpu_waits", None, ("pid", "limit")), ("waiting", None, ("source", "limit")),
              ("process_usage", None, ("measured", "limit"))),
}
UNLIMITED = ("folded_stacks", "thread_flame_graph", "cpu_timeline_buckets")
OF_STACKS = (*(q for q, _, _ in GROUPS["stacks"]), "cpu_hot_methods", "cpu_timeline_buckets")
SETS = (("two", ("work.jfr.gz", "work21.jfr.gz")), ("kinds", ("go-heap.pprof", "sessions.heapprofile", "perf-stacks.txt", "tiny/profile.cpuprofile")))


def hostile_profile(path):
    """Names with what divides frames and lines, of methods that call each other and themselves; nameless ones."""
    names = ["(root)", "a;b", "c\nd", "", "a;b", "(idle)", "e f"]
    callees = [[2, 6], [3, 4], [5], [], [7], [], []]
    nodes = [{"id": i + 1, "callFrame": {"functionName": name, "scriptId": "1", "url": "x;y.js" if i % 2 else "", "lineNumber": i, "columnNumber": 0}, "children": callees[i]}
             for i, name in enumerate(names)]
    samples = [7, 3, 4, 5, 6, 2, 1, 3, 7]
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"nodes": nodes, "startTime": 0, "endTime": 9000, "samples": samples, "timeDeltas": [1000 * i for i in range(1, 10)]}, f)


def hostile_scheduling(path, seed):
    """Threads that are woken, run and wait in no order that a kernel has, many at the same moment and for the same time; some without a name."""
    rng = random.Random(seed)
    names = {pid: "t%d" % (pid % 7) if pid % 5 else "" for pid in range(50, 90)}
    names[0] = "swapper"
    now = 0
    with open(path, "w", encoding="utf-8") as f:
        f.write("# tracer: nop\n")
        for _ in range(3000):
            now += rng.choice((0, 0, 0, 1, 1, 2, 50))
            cpu, old, new = rng.randrange(30), rng.choice(list(names)), rng.choice(list(names))
            line = "%s-%d (%5d) [%03d] d..2 1.%09d: " % (names[old] or "x", old, old // 4 * 4, cpu, now)
            if rng.random() < 0.4:
                line += "sched_wakeup: comm=%s pid=%d prio=9 target_cpu=%03d" % (names[new], new, cpu)
            else:
                line += "sched_switch: prev_comm=%s prev_pid=%d prev_prio=9 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=9" % (
                    names[old], old, rng.choice(("R", "R+", "S", "D")), names[new], new)
            f.write(line + "\n")


def hostile_measurements(sql):
    """Processes with one id or one name, in no order of time, some values not known, some equal, and few measurements of some."""
    rng = random.Random(2)
    for n, pid, name in ((300, 1, "a"), (70, 1, "b"), (25, 2, "a"), (24, 2, None), (23, None, "a"), (5, 3, "c"), (5, 4, "c"), (1, 5, "d"), (3, None, None), *((i, i, "p%d" % (i % 7)) for i in range(10, 50))):
        for _ in range(n):
            values = [rng.choice((None, 0, 1, 1, 2, rng.random() * 100 // 1, 12.5)), rng.choice((None, 100, 200, rng.randrange(5000))), rng.choice((None, 5, rng.randrange(99))), rng.randrange(99)]
            if pid in (3, 4):
                values = [7, 7, None, None]
            sql.execute("INSERT INTO live_process (ts, process_id, process_name, cpu_usage, pss_info, disk_reads, disk_writes) VALUES (?, ?, ?, ?, ?, ?, ?)",
                        [rng.choice((None, *range(200)))] + [pid, name] + values)


def rows_of(program, db, question, values):
    command = [program, db, "-q", question, "--output=json", "--quiet"]
    for name, value in values.items():
        command += ["--param", "%s=%s" % (name, value)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout or "[]"), done.stderr


def statement_file(program, question, work):
    """The question without its answer by the model."""
    path = os.path.join(work, question + ".sql")
    with open(os.path.join(os.path.dirname(program), "..", "share", "trace_streamer", "sql", question + ".sql"), encoding="utf-8") as f:
        lines = f.readlines()
    kept = [line for line in lines if not line.startswith("-- Model:")]
    if len(kept) == len(lines):
        sys.exit("%s has no answer by the model" % question)
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(kept)
    return path


def same(a, b):
    """Numbers that are sums of doubles may differ in their last digits."""
    return a == b or (isinstance(a, float) or isinstance(b, float)) and abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def same_row(a, b):
    return list(a) == list(b) and all(same(a[c], b[c]) for c in a)


def key(row):
    return tuple((k, v) for k, v in row.items() if not isinstance(v, float))


def compare(where, column, model, statement):
    """Rows in any order where `column` is equal; by that in the same order."""
    if column is None:
        pairs = ((a, b) for a, b in zip(model, statement) if not same_row(a, b))
        return None if all(map(same_row, model, statement)) and len(model) == len(statement) else "%s: %d and %d rows, %r" % (where, len(model), len(statement), next(pairs, None))
    if [r[column] for r in model] != [r[column] for r in statement]:
        return "%s: the order differs" % where
    left, right = (collections.defaultdict(list) for _ in range(2))
    for rows, to in ((model, left), (statement, right)):
        for row in rows:
            to[key(row)].append(row)
    for k, rows in left.items():
        others = right.pop(k, [])
        if len(rows) != len(others) or not all(same(a[c], b[c]) for a, b in zip(rows, others) for c in a):
            return "%s: %r and %r" % (where, rows[:2], others[:2])
    return "%s: only the statement has %r" % (where, list(right)[:2]) if right else None


def variants(db, names, turn):
    """Parameters, each by itself and then all. Without TS_SLOW each recording has its turn of two of them."""
    sql = sqlite3.connect(db)
    begin, end = sql.execute("SELECT min(ts), max(ts) FROM stack_sample").fetchone()
    measured = sql.execute("SELECT max(ts) FROM live_process").fetchone()[0]
    asked = {
        "source": "SELECT source_id FROM stack_sample WHERE source_id IS NOT NULL UNION SELECT source_id FROM thread_detail WHERE source_id IS NOT NULL ORDER BY 1",
        "thread": "SELECT itid FROM stack_sample WHERE itid IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC",
        "event": "SELECT event FROM stack_sample WHERE event IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC",
        "pid": "SELECT pid FROM thread_state WHERE pid IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC",
        "label": "SELECT key FROM stack_sample_label GROUP BY 1 ORDER BY count(*) DESC",
    }
    found = {name: [{name: value} for (value,) in sql.execute(query)][:3 if SLOW else 1] for name, query in asked.items()}
    sql.close()
    found["buckets"] = [{"buckets": n} for n in (7, 1, 1000)]
    found["limit"] = [{"limit": 3}]
    found["by"] = [{"by": "source"}]
    # No recording has all of these; then there are no rows.
    found["weight"] = [{"weight": w} for w in ("samples", "cpu", "dur", "waiting", "alloc_space")[:5 if SLOW else 3]]
    measured = None if measured is None else [{"from": measured // 2}, {"from": 10, "to": measured // 3}, {"to": measured // 2}, {"from": 9, "to": 3}]
    found["measured"] = measured or []
    middle = None if begin is None else (begin + end) // 2
    found["time"] = [] if begin is None else [{"from": middle}, {"from": begin, "to": middle}, {"to": middle}][:3 if SLOW else 2]
    single = [values for name in names for values in found[name]]
    yield {}
    yield from single if SLOW else [single[(2 * turn + k) % len(single)] for k in range(min(2, len(single)))]
    if all(found[name] for name in names) and len(names) > 1:
        yield {k: v for name in names for k, v in found[name][0].items()}


def main():
    questions, program, data = GROUPS[sys.argv[1]], os.path.abspath(sys.argv[2]), os.path.join(sys.argv[3], "test", "data")
    sets = [(os.path.basename(p), [p]) for p in sorted(glob.glob(data + "/*.*")) if not p.endswith((".md", ".summary"))]
    sets += [(name, [os.path.join(data, p) for p in paths]) for name, paths in SETS]
    compared = collections.Counter()
    bad = []
    with tempfile.TemporaryDirectory() as work:
        made = os.path.join(work, "made.cpuprofile")
        hostile_profile(made)
        sets.append(("made.cpuprofile", [made]))
        for seed in range(3):
            scheduling = os.path.join(work, "made%d.ftrace" % seed)
            hostile_scheduling(scheduling, seed)
            sets.append((os.path.basename(scheduling), [scheduling]))
        db = os.path.join(work, "a.db")
        statements = {question: statement_file(program, question, work) for question, _, _ in questions}
        for turn, (name, paths) in enumerate(sets):
            subprocess.run([program, *paths, "-e", db, "--quiet", "--force"], check=True)
            if paths == [made]:
                with sqlite3.connect(db) as sql:  # a call path whose method is not known
                    sql.execute("UPDATE stack_node SET method_id = NULL WHERE id = 4")
                    hostile_measurements(sql)
                sql.close()
            with sqlite3.connect(db) as sql:
                empty = {q for q, table in WITH_ROWS.items() if sql.execute("SELECT 1 FROM %s" % table).fetchone() is None}
                if not sql.execute("SELECT EXISTS (SELECT 1 FROM stack_sample) OR EXISTS (SELECT 1 FROM stack_slice)").fetchone()[0]:
                    empty.update(OF_STACKS)
            sql.close()
            for question, column, names in questions:
                if question in empty:
                    continue
                for values in variants(db, names, turn):
                    where = "%s of %s with %r" % (question, name, values)
                    more = {} if question in UNLIMITED else {"limit": ALL}
                    code, model, said = rows_of(program, db, question, {**more, **values})
                    other, statement, _ = rows_of(program, db, statements[question], {**more, **values})
                    if code != other:
                        bad.append("%s: exit codes %d and %d: %s" % (where, code, other, said))
                    bad += filter(None, [compare(where, column, model, statement)])
                    compared[question] += len(model)
    for text in bad:
        print(text)
    print(", ".join("%s: %d rows" % item for item in sorted(compared.items())))
    return 1 if bad or min(compared[question] for question, _, _ in questions) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
