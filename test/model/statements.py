#!/usr/bin/env python3
"""Answers of the model that a question's own statement gives, too: the same rows from both, of all bundled recordings.

usage: statements.py TRACE_STREAMER SOURCE_DIR

The program takes the statement where a parameter is named that the model does not know, such as `order`; "order=self" is what both do.
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
# Question, its column that rows are ordered by, parameters of which every other one is tried.
QUESTIONS = (("hot_methods", "self", ("source", "thread", "by")), ("alloc_hot_methods", "self_bytes", ("source",)))
SETS = (("two", ("work.jfr.gz", "work21.jfr.gz")), ("kinds", ("go-heap.pprof", "sessions.heapprofile", "perf-stacks.txt", "tiny/profile.cpuprofile")))


def rows_of(program, db, question, values):
    command = [program, db, "-q", question, "--output=json", "--quiet"]
    for name, value in values.items():
        command += ["--param", "%s=%s" % (name, value)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout or "[]"), done.stderr


def same(a, b):
    """Numbers that are sums of doubles may differ in their last digits."""
    return a == b or (isinstance(a, float) or isinstance(b, float)) and abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def key(row):
    return tuple((k, v) for k, v in row.items() if not isinstance(v, float))


def compare(where, column, model, statement):
    """Rows in any order where `column` is equal; by that in the same order."""
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


def variants(db, names):
    """Parameters, each by itself and then all."""
    sql = sqlite3.connect(db)
    found = {
        "source": [r[0] for r in sql.execute("SELECT DISTINCT source_id FROM stack_sample WHERE source_id IS NOT NULL ORDER BY 1 LIMIT 3")],
        "thread": [r[0] for r in sql.execute("SELECT itid FROM stack_sample WHERE itid IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 2")],
        "by": ["source"],
    }
    sql.close()
    yield {}
    for name in names:
        for value in found[name]:
            yield {name: value}
    if all(found[name] for name in names) and len(names) > 1:
        yield {name: found[name][0] for name in names}


def main():
    program, data = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "test", "data")
    sets = [(os.path.basename(p), [p]) for p in sorted(glob.glob(data + "/*.*")) if not p.endswith((".md", ".summary"))]
    sets += [(name, [os.path.join(data, p) for p in paths]) for name, paths in SETS]
    compared = collections.Counter()
    bad = []
    with tempfile.TemporaryDirectory() as work:
        db = os.path.join(work, "a.db")
        for name, paths in sets:
            subprocess.run([program, *paths, "-e", db, "--quiet", "--force"], check=True)
            for question, column, names in QUESTIONS:
                for values in variants(db, names):
                    where = "%s of %s with %r" % (question, name, values)
                    code, model, said = rows_of(program, db, question, {**values, "limit": ALL})
                    other, statement, _ = rows_of(program, db, question, {**values, "limit": ALL, "order": "self"})
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
