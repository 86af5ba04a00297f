#!/usr/bin/env python3
"""Answers of the model that a question's own statement gives, too: the same rows from both, of all bundled recordings.

usage: statements.py TRACE_STREAMER SOURCE_DIR

The statement is asked from a file of its own, without the line that names the model's answer. TS_SLOW=1: more values of each parameter.
"""

import collections
import glob
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

ALL = 1000000
SLOW = bool(os.environ.get("TS_SLOW"))
STACKS = ("source", "thread", "event", "weight", "label", "time")
# Question, its column that rows are ordered by (None: rows come in one order), parameters of which every one is tried.
QUESTIONS = (("hot_methods", "self", ("source", "thread", "by")), ("alloc_hot_methods", "self_bytes", ("source",)), ("flame_graph", None, STACKS),
             ("folded_stacks", None, STACKS if SLOW else ("source",)), ("thread_flame_graph", None, STACKS if SLOW else ("weight",)),
             ("cpu_hot_methods", "self_ns", ("source", "time", "event", "by")), ("cpu_timeline_buckets", None, ("thread", "time", "buckets")))
LIMITED = ("hot_methods", "cpu_hot_methods", "alloc_hot_methods", "flame_graph")
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
    stacks = sql.execute("SELECT EXISTS (SELECT 1 FROM stack_sample) OR EXISTS (SELECT 1 FROM stack_slice)").fetchone()[0]
    asked = {
        "source": "SELECT DISTINCT source_id FROM stack_sample WHERE source_id IS NOT NULL ORDER BY 1",
        "thread": "SELECT itid FROM stack_sample WHERE itid IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC",
        "event": "SELECT event FROM stack_sample WHERE event IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC",
        "label": "SELECT key FROM stack_sample_label GROUP BY 1 ORDER BY count(*) DESC",
    }
    found = {name: [{name: value} for (value,) in sql.execute(query)][:3 if SLOW else 1] for name, query in asked.items()}
    sql.close()
    found["buckets"] = [{"buckets": n} for n in (7, 1, 1000)]
    found["by"] = [{"by": "source"}]
    # No recording has all of these; then there are no rows.
    found["weight"] = [{"weight": w} for w in ("samples", "cpu", "dur", "waiting", "alloc_space")[:5 if SLOW else 3]]
    middle = None if begin is None else (begin + end) // 2
    found["time"] = [] if begin is None else [{"from": middle}, {"from": begin, "to": middle}, {"to": middle}][:3 if SLOW else 2]
    single = [values for name in names for values in found[name]]
    yield {}
    if not stacks:
        return
    yield from single if SLOW else [single[(2 * turn + k) % len(single)] for k in range(min(2, len(single)))]
    if all(found[name] for name in names) and len(names) > 1:
        yield {k: v for name in names for k, v in found[name][0].items()}


def main():
    program, data = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "test", "data")
    sets = [(os.path.basename(p), [p]) for p in sorted(glob.glob(data + "/*.*")) if not p.endswith((".md", ".summary"))]
    sets += [(name, [os.path.join(data, p) for p in paths]) for name, paths in SETS]
    compared = collections.Counter()
    bad = []
    with tempfile.TemporaryDirectory() as work:
        made = os.path.join(work, "made.cpuprofile")
        hostile_profile(made)
        sets.append(("made.cpuprofile", [made]))
        db = os.path.join(work, "a.db")
        statements = {question: statement_file(program, question, work) for question, _, _ in QUESTIONS}
        for turn, (name, paths) in enumerate(sets):
            subprocess.run([program, *paths, "-e", db, "--quiet", "--force"], check=True)
            if paths == [made]:
                with sqlite3.connect(db) as sql:  # a call path whose method is not known
                    sql.execute("UPDATE stack_node SET method_id = NULL WHERE id = 4")
                sql.close()
            for question, column, names in QUESTIONS:
                for values in variants(db, names, turn):
                    where = "%s of %s with %r" % (question, name, values)
                    more = {"limit": ALL} if question in LIMITED else {}
                    code, model, said = rows_of(program, db, question, {**values, **more})
                    other, statement, _ = rows_of(program, db, statements[question], {**values, **more})
                    if code != other:
                        bad.append("%s: exit codes %d and %d: %s" % (where, code, other, said))
                    bad += filter(None, [compare(where, column, model, statement)])
                    compared[question] += len(model)
    for text in bad:
        print(text)
    print(", ".join("%s: %d rows" % item for item in sorted(compared.items())))
    return 1 if bad or min(compared.values(), default=0) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
