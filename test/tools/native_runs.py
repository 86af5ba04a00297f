"""Random recordings against a model: what the drivers of perf.data, native_hook and hiebpf share."""

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time

from cells import cells
from native_shared import Wrong

ALTERED = 3  # recordings of which cells are altered, to see that it is noticed
SLOW = os.environ.get("TS_SLOW", "0") != "0"


def run(doc, make, compare, examples, big, tables, count=100, slow=2000, suffix=".bin"):
    """make(seed) → bytes; compare(database, file) → what differs; examples(folder) checks the model first; tables: those of which every column
    is compared. Exit code of the test."""
    options = argparse.ArgumentParser(description=doc)
    options.add_argument("program", nargs="?", help="trace_streamer; without it recordings are only made and read")
    options.add_argument("--count", type=int, default=slow if SLOW else count)
    options.add_argument("--seed", type=int, default=1, help="of the first recording")
    options.add_argument("--keep", default=tempfile.gettempdir(), help="where recordings that fail are kept")
    options.add_argument("--make", metavar="FILE", help="only write the recording of --seed")
    options.add_argument("--big", metavar="FILE", help="only write a large recording, for measurements")
    options.add_argument("--stop", type=int, default=3, help="failures after which it ends")
    o = options.parse_args()
    if o.make or o.big:
        with open(o.make or o.big, "wb") as f:
            f.write(make(o.seed) if o.make else big(o.seed))
        return 0
    failed, equal, unseen, began = 0, 0, set(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        examples(folder)
        paths = [(None, os.path.join(folder, n)) for n in sorted(os.listdir(folder))]
        path = os.path.join(folder, "made" + suffix)
        for seed, file in paths + [(o.seed + i, path) for i in range(o.count)]:
            if seed is not None:
                with open(file, "wb") as f:
                    f.write(make(seed))
            wrong = one(o.program, compare, file, os.path.join(folder, "out.db"))
            equal += not wrong
            if o.program and not wrong and equal <= ALTERED:
                unseen |= altered(compare, file, os.path.join(folder, "out.db"), tables, random.Random(equal))
            if wrong:
                failed += 1
                name = os.path.basename(file) if seed is None else "seed-%d%s" % (seed, suffix)
                kept = os.path.join(o.keep, name)
                shutil.copyfile(file, kept)
                print("%s (kept as %s):" % (name, kept), *wrong[:12], sep="\n", flush=True)
                if failed >= o.stop:
                    break
    for what in sorted(unseen):
        print("a wrong cell is not noticed: %s" % what)
    said = "" if SLOW or o.count == slow else " (TS_SLOW=1: %d)" % slow
    print("%d recordings%s, %d failed, %.1f s, %d cells compared" % (len(paths) + o.count, said, failed, time.monotonic() - began, cells.compared))
    return failed > 0 or bool(unseen)


def other(value, column):
    """Another value for a cell; numbers of chains may be any that are small."""
    if isinstance(value, int):
        return value + (1000003 if column == "callchain_id" else 1)
    return "x" if value is None else value + "x"


def altered(compare, file, database, tables, rng):
    """Each column of which a wrong cell is not noticed."""
    out, copy = set(), database + ".altered"
    for table in tables:
        db = sqlite3.connect(database)
        names = [r[1] for r in db.execute("PRAGMA table_info(%s)" % table)]
        rows = db.execute("SELECT rowid, * FROM %s" % table).fetchall()
        db.close()
        for i, column in enumerate(names if rows else []):
            row = rng.choice(rows)
            shutil.copyfile(database, copy)
            changed = sqlite3.connect(copy)
            changed.execute("UPDATE %s SET %s = ? WHERE rowid = ?" % (table, column), (other(row[1 + i], column), row[0]))
            changed.commit()
            changed.close()
            if not judged(compare, copy, file):
                out.add("%s.%s, row %d of %s" % (table, column, row[0], os.path.basename(file)))
    return out


def one(program, compare, file, out):
    if program is None:
        return []
    done = subprocess.run([program, file, "-e", out, "--quiet", "--force"], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode not in (0, 3):
        return ["exit code %d: %s" % (done.returncode, done.stderr[-2000:])]
    return judged(compare, out, file)


def judged(compare, database, file):
    try:
        return compare(database, file)
    except (Wrong, KeyError, ValueError, TypeError) as e:  # ids of nothing are a difference too
        return ["%s: %s" % (type(e).__name__, e)]
