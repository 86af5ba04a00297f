"""Random recordings against a model: what the drivers of perf.data, native_hook and hiebpf share."""

import argparse
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time

from cells import cells
from native_shared import Comparison, Database, Wrong, sections

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

HOW = ("", "-", "--threads=1", "--max-memory=64M")  # ways to convert that must give the same; -: from a pipe
ALTERED = 3  # recordings of which cells are altered, to see that it is noticed
SLOW = os.environ.get("TS_SLOW", "0") != "0"


def run(doc, make, compare, examples, big, tables, parts=None, count=100, slow=2000, suffix=".bin"):
    """make(seed) → bytes; compare(database, file) → what differs; examples(folder) checks the model first; tables: those of which every column
    is compared; parts: what --time-range must leave. Exit code of the test."""
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
            wrong = one(o.program, compare, file, os.path.join(folder, "out.db"), seed or 0)
            equal += not wrong and seed is not None
            if o.program and not wrong and seed is not None and equal <= ALTERED:
                unseen |= altered(compare, file, os.path.join(folder, "out.db"), tables, random.Random(equal))
            if o.program and not wrong and parts and seed is not None and seed % 5 == 0:
                wrong = ranged(o.program, file, os.path.join(folder, "out.db"), parts, random.Random(seed))
            if wrong:
                failed += 1
                name = os.path.basename(file) if seed is None else "seed-%d%s" % (seed, suffix)
                kept = os.path.join(o.keep, name)
                shutil.copyfile(file, kept)
                print("%s, %s (kept as %s):" % (name, HOW[(seed or 0) % 4], kept), *wrong[:12], sep="\n", flush=True)
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


class Parts:
    """Tables whose rows --time-range chooses. rows: [(table, column of the time, other columns)], frames: (table, columns), kind: of the source.
    Columns as of Database.table."""

    def __init__(self, kind, rows, frames):
        self.kind, self.rows, self.frames = kind, rows, frames


def ranged(program, file, database, parts, rng):
    """What --time-range gives, against the rows in it of the whole recording."""
    whole = Database(database)
    clocks = next((c for _, c, _, _ in sections(file) if c), None)
    times = sorted(t for table, column, _ in parts.rows for (t,) in whole.rows("SELECT %s FROM %s WHERE %s > 0" % (column, table, column)))
    if not clocks or not times or times[-1] - times[0] > 10**15:
        return []
    shift = clocks["real"] - clocks["boot"]
    low, high = sorted((rng.choice(times) + shift) // 10**6 for _ in range(2))
    high += 1
    part = database + ".part"
    done = starts.run([program, file, "-e", part, "--quiet", "--force", "--time-range", "%d,%d" % (low, high)], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode not in (0, 3):
        return ["--time-range=%d,%d: exit code %d: %s" % (low, high, done.returncode, done.stderr[-2000:])]
    db, c = Database(part), Comparison()
    inside = lambda t: low * 10**6 <= t + shift < high * 10**6
    frames = {whole: {}, db: {}}
    for of in frames:
        for chain, *row in of.table("callchain_id, " + parts.frames[1], parts.frames[0]):
            frames[of].setdefault(chain, []).append(tuple(row))
    used = set()
    for table, column, columns in parts.rows:
        read = lambda of: [(tuple(frames[of].get(chain, ())), *row) for time, chain, *row in of.table("%s, callchain_id, %s" % (column, columns), table) if inside(time)]
        c.rows("--time-range=%d,%d: %s" % (low, high, table), read(whole), read(db), "frames, " + columns)
        c.same("%s outside of --time-range" % table, 0, sum(not inside(t) for (t,) in db.rows("SELECT %s FROM %s" % (column, table))))
        used |= {chain for (chain,) in db.rows("SELECT callchain_id FROM %s" % table)}
    c.same("%s: chains that are not used" % parts.frames[0], set(), set(frames[db]) - used)
    if not whole.rows("SELECT count(*) FROM native_hook_statistic").fetchone()[0]:
        read = lambda of: [s for s in of.samples(parts.kind) if inside(s[2])]
        c.rows("--time-range: stack_sample", read(whole), read(db))
    return c.wrong


def one(program, compare, file, out, number=0):
    """Converts a recording as a file, or in another way that must give the same."""
    if program is None:
        return []
    how = [["-"] if option == "-" else [file, *option.split()] for option in HOW][number % 4]
    with open(file, "rb") as f:
        done = starts.run([program, *how, "-e", out, "--quiet", "--force"], capture_output=True, text=True, check=False, timeout=300, stdin=f)
    if done.returncode not in (0, 3):
        return ["exit code %d: %s" % (done.returncode, done.stderr[-2000:])]
    return judged(compare, out, file)


def judged(compare, database, file):
    try:
        return compare(database, file)
    except (Wrong, KeyError, ValueError, TypeError) as e:  # ids of nothing are a difference too
        return ["%s: %s" % (type(e).__name__, e)]
