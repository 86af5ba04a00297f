#!/usr/bin/env python3
"""All consumers of a database, asked the same questions: -q, --to, the page's views, --report and diff give the same numbers.

usage: ask.py known|equal TRACE_STREAMER SERVE_VIEW SOURCE_DIR [NUMBER...]

known, of all or these numbers: the lines of questions.def, whose numbers are known. equal: the same without expectation, of every bundled recording and of
pairs of them, against reader.py; a part of it that TS_SEED chooses, all of it with TS_SLOW=1.
"""

import collections
import concurrent.futures
import os
import random
import re
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts
import consumers
from consumers import ASK, Cannot, Database, Wrong

RECORDINGS = ("Trace-page.json.gz counters.trace.json go-cpu.pprof go-heap.pprof go-mutex.pprof kernel.ftrace kernel.htrace.gz kernel.sys node-heap.pprof node-time.pprof "
              "node_trace.1.log.gz perf-flat.txt perf-stacks.txt recording-cloud.tar.gz recording-cpuprofile.htrace.gz recording-snapshots.htrace.gz "
              "recording-timeline.htrace.gz sessions.heapprofile tiny/profile.cpuprofile work.jfr.gz work21.jfr.gz").split()
SLOW = bool(os.environ.get("TS_SLOW"))
SEED = int(os.environ.get("TS_SEED") or 1)
CELLS = "QTPRD"


class Test:
    def __init__(self, program, tool, source, work):
        self.program, self.tool, self.source, self.work = program, tool, source, work
        self.databases, self.bad, self.checked, self.excepted = {}, 0, 0, collections.Counter()

    def database(self, names):
        """The database of recordings of test/data, made once."""
        if names not in self.databases:
            path = os.path.join(self.work, "%d.db" % len(self.databases))
            inputs = [os.path.join(self.source, "test", "data", name) for name in names.split("+")]
            done = starts.run([self.program, *inputs, "-e", path, "--quiet"], capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit("%s: exit code %d: %s" % (names, done.returncode, done.stderr))
            self.databases[names] = Database(self.program, self.tool, path)
        return self.databases[names]

    def fail(self, text):
        self.bad += 1
        print(text)


def text(answer):
    if isinstance(answer, dict):
        return ", ".join("%s %s" % (key, answer[key]) for key in sorted(answer, key=str))
    if isinstance(answer, list):
        return ", ".join(text(one) for one in answer)
    return " ".join(map(str, answer)) if isinstance(answer, tuple) else str(answer)


class Line:
    """A question of questions.def."""

    def __init__(self, place, line):
        head, self.expected, cells = re.fullmatch(r"(.*?) = (.*?) \| (.*)", line).groups()
        number, self.recording, self.what, *params = head.split(" ")
        self.place, self.number, self.cells = place, int(number), cells.split()
        self.want = {}
        for param in params:
            key, _, value = param.partition("=")
            if not value:  # a blank in a value
                key, value = last, self.want[last] + " " + param
            self.want[key] = last = value
            last = key


def read_lines(path):
    """(lines, {number: cells}, {(number, cell): reason})"""
    lines, cells, exceptions = [], {}, {}
    with open(path, encoding="utf-8") as f:
        for place, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            if line.startswith("cells "):
                _, number, letters = line.split()
                assert all(a in ("-", b) for a, b in zip(letters, CELLS)) and len(letters) == 5, line
                cells[int(number)] = letters.replace("-", "")
            elif line.startswith("except "):
                number, cell, reason = re.fullmatch(r"except (\d+) (\w(?::[\w/]+)?): (.+)", line).groups()
                exceptions[int(number), cell] = reason
            else:
                lines.append(Line(place, line))
    return lines, cells, exceptions


def answer(db, what, cell, want):
    ask = ASK[what].get(cell)
    if ask is None:
        raise Cannot("there is no such answer")
    return ask(db, want)


def same(got, expected, cell):
    """The report shows the first rows of what others show all of."""
    if cell.startswith("R") and isinstance(got, dict) and isinstance(expected, dict):
        return all(expected.get(key) == row for key, row in got.items()) and len(got) == min(5, len(expected))
    return got == expected or text(got) == text(expected)


def ask_line(test, line, exceptions, done):
    db = test.database(line.recording)
    expected = line.expected
    want = dict(line.want, other=test.database(line.want["other"])) if "other" in line.want else line.want
    if "reader" in ASK[line.what]:
        read = ASK[line.what]["reader"](db, want)
        if expected != "reader" and text(read) != expected:
            test.fail("%d: %s %s %s: the reader says %s, known is %s" % (line.place, line.recording, line.what, line.want, text(read), expected))
        expected = read if expected == "reader" else expected
    for cell in line.cells:
        excepted = (line.number, cell) if (line.number, cell) in exceptions else (line.number, cell[0]) if (line.number, cell[0]) in exceptions else None
        try:
            got = answer(db, line.what, cell, want)
            right, said = same(got, expected, cell), text(got)
        except (Cannot, Wrong) as e:
            right, said = False, str(e)
        except (KeyError, StopIteration, TypeError, ValueError, AttributeError, IndexError):
            right, said = False, "; ".join(traceback.format_exc().split("\n")[-4:-1])
        test.checked += 1
        if right:
            done.add((line.number, cell[0]))
            if excepted is not None:
                test.excepted[excepted] += 0
        elif excepted is None:
            test.fail("%d: question %d, %s %s %s, %s: %s instead of %s" % (line.place, line.number, line.recording, line.what, line.want, cell, said, text(expected)))
        else:
            test.excepted[excepted] += 1


def known(test):
    lines, cells, exceptions = read_lines(os.path.join(os.path.dirname(os.path.abspath(__file__)), "questions.def"))
    only = {int(number) for number in sys.argv[5:]}
    lines = [line for line in lines if not only or line.number in only]
    done = set()
    by = collections.defaultdict(list)
    for line in lines:
        test.database(line.recording)
        test.database(line.want.get("other", line.recording))
        by[line.recording].append(line)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda some: [ask_line(test, line, exceptions, done) for line in some], by.values()):
            pass
    for number in only or range(1, 52):
        if number not in cells:
            test.fail("question %d is not asked" % number)
        for cell in cells.get(number, ""):
            if (number, cell) not in done and not any(n == number and c[0] == cell for n, c in exceptions):
                test.fail("question %d is not asked of %s" % (number, cell))
    asked = {(line.number, cell) for line in lines for cell in line.cells} | {(line.number, cell[0]) for line in lines for cell in line.cells}
    for (number, cell), reason in sorted(exceptions.items()):
        if (number, cell) in asked and test.excepted[number, cell] == 0:
            test.fail("question %d, %s: the exception (%s) is not needed any more" % (number, cell, reason))
    print("%d of %d cells have an exception" % (len({(n, c[0]) for n, c in exceptions}), sum(map(len, cells.values()))))


SUMS = "Q:flame_graph Q:folded_stacks Q:hot_methods Q:cpu_hot_methods T:folded T:pprof P:flame D:method".split()
OTHERS = {  # what is asked of each database, and of whom
    "forms": "Q:all T:all P:all D:method", "itself": "D:all", "sources": "Q:sources P:sources", "threads": "Q:threads P:threads", "reasons": "T:folded P:flame D:method",
    "pauses": "Q:longest_pauses D:pause", "waits": "Q:lock_waits", "calls": "Q:slow_calls", "calls_number": "Q:slow_calls", "slices": "Q:slices", "cpu_busy": "Q:cpu_busy",
    "scheduled": "Q:cpu_busy", "heap_files": "Q:js_class_histogram P:heap/classes D:class"}
NOTHING = "", "0", "0 0", "0 0 0", "None None None", "None", "[]"  # what the reader says when there is none of it


def wants(db, rng):
    """What sums and methods are asked for of a database: all, and of sources, threads and spans."""
    r = db.reader()
    weights = [None, "samples"] + [c for c in consumers.CLASSES if sum(v for _, v in r.weigh(r.select(), c)) > 0] + sorted({k[1] for k in r.kinds.values()})
    threads = sorted({row.itid for row in r.rows if row.itid is not None})
    times = sorted({row.ts for row in r.rows if row.ts is not None})
    selections = [{}] + [{"source": str(i)} for i in r.sources] + [{"thread": "id=%d" % i} for i in threads]
    for _ in range(4 if times and not any(row.kind in ("call", "async") for row in r.rows) else 0):  # calls count whole, where they begin
        low, high = sorted(rng.randint(times[0], times[-1] + 1) for _ in range(2))
        selections += [{"from": str(low), "until": str(high + 1)}]
        if threads:
            selections.append({"from": str(low), "until": str(high + 1), "thread": "id=%d" % rng.choice(threads)})
    for want in selections:
        for weight in weights:
            yield want if weight is None else dict(want, weight=weight)


def ask_equal(test, names, what, want, cells):
    """Whether all cells say what the reader says."""
    db = test.database(names)
    try:
        expected = ASK[what]["reader"](db, want)
    except (Cannot, TypeError):
        expected = 0
    for cell in cells:
        if db.reader().marks and what == "sum" and cell[0] == "Q":
            continue  # the questions of stacks are of samples and traced calls
        if cell == "Q:cpu_hot_methods" and "cpu" not in (want.get("weight"), text(expected).split(" ")[0]):
            continue
        try:
            got = answer(db, what, cell, want)
            right, said = same(got, expected, cell) or (text(got).endswith(" 0") and text(expected) == "0"), text(got)
        except Cannot as e:
            right, said = text(expected) in NOTHING or text(expected).endswith(" 0") or "parameter for" in str(e) or "only" in str(e), str(e)
        except Wrong as e:
            right, said = False, str(e)
        except Exception:
            right, said = False, "; ".join(traceback.format_exc().split("\n")[-4:-1])
        test.checked += 1
        if not right:
            test.fail("%s: %s %s, %s: %s instead of %s" % (names, what, want, cell, said, text(expected)))


def ask_methods(test, names, want):
    """Lists of methods: by what makes them one, by what a comparison shows, by what they are called."""
    db = test.database(names)
    r = db.reader()
    weighed = want.get("weight") or "%s/%s" % (r.default(consumers.selected(db, want)) or ("samples", "count"))
    if r.marks and any(row.kind == "heap" for row in r.rows):
        return
    for cell, key in (("Q:hot_methods", r.key), ("P:methods", r.key), ("D:method", r.frame), ("T:pprof", r.label)):
        if (r.marks and cell[0] == "Q") or (weighed.startswith(("samples", "dur")) and cell[0] in "QP"):
            continue  # without what waits for nothing to do
        expected = consumers.without_roots(consumers.methods_read(db, want, key))
        try:
            got = consumers.without_roots(consumers.METHODS[cell](db, want))
        except Cannot as e:
            got = [] if not expected else str(e)
        test.checked += 1
        if got != expected:
            wrong = got if isinstance(got, str) else "%s instead of %s" % ([x for x in got if x not in expected][:3], [x for x in expected if x not in got][:3])
            test.fail("%s: methods %s, %s: %s" % (names, want, cell, wrong))


def ask_difference(test, before, after):
    """diff A B: both sides of each method, and their difference; refused when the weights are of two classes."""
    sides = [test.database(before), test.database(after)]
    defaults = [db.reader().default(db.reader().select()) for db in sides]
    test.checked += 1
    code, out, said = sides[0].run("diff", sides[0].path, sides[1].path, "--by=method", "--limit=0", "--output=json", codes=range(256))
    if None in defaults:
        return
    ask_paths(test, sides)
    classes = [(consumers.in_class(db, name), unit) for db, (name, unit) in zip(sides, defaults)]
    if classes[0] != classes[1]:
        if code != 2:
            test.fail("diff %s %s: exit code %d, but the weights are %s" % (before, after, code, classes))
        return
    if code != 0:
        test.fail("diff %s %s: %s" % (before, after, said))
        return
    expected = collections.defaultdict(lambda: [0, 0])
    for side, (db, default) in enumerate(zip(sides, defaults)):
        r = db.reader()
        for key, one in r.sums(r.select(), "%s/%s" % default, r.frame).items():
            expected[key][side] = one[0]
    reply = consumers.json.loads(out)
    value = reply["weight"]
    got = {(row["method"], row["file"]): (row[value + "_before"], row[value + "_after"], row[value + "_change"]) for row in reply["rows"]}
    for key, (old, new) in expected.items():
        if got.get(key, (old, old, 0)) != (old, new, new - old):
            test.fail("diff %s %s, %s: %s instead of %s" % (before, after, key, got.get(key), (old, new, new - old)))


def ask_paths(test, sides):
    """Ids of call paths of two databases: the page and the export say what the reader says."""
    want = {"other": sides[1]}
    expected = ASK["paths"]["reader"](sides[0], want)
    for cell in ("T:flame", "P:flame"):
        test.checked += 1
        try:
            got = ASK["paths"][cell](sides[0], want)
        except (Cannot, Wrong) as e:
            got = str(e)
        if got != expected:
            test.fail("paths %s %s, %s: %s instead of %s" % (sides[0].path, sides[1].path, cell, got, expected))


def equal(test):
    rng = random.Random(SEED)
    print("TS_SEED=%d%s" % (SEED, ", everything" if SLOW else ""))
    jobs = []
    pairs = [(a, b) for i, a in enumerate(RECORDINGS) for b in RECORDINGS[i:]]
    for names in list(RECORDINGS) + ["%s+%s" % pair for pair in (pairs if SLOW else rng.sample(pairs, 1))]:
        db = test.database(names)
        paired = "+" in names
        asked = [want for want in wants(db, rng) if not db.reader().marks or want.get("weight") != "samples"]
        for i, want in enumerate(asked if SLOW and not paired else rng.sample(asked, min(len(asked), 2))):
            jobs.append((names, ask_equal, "sum", want, SUMS))
            if SLOW or i == 0:
                jobs.append((names, ask_methods, want))
        for what in OTHERS if SLOW and not paired else rng.sample(list(OTHERS), 2):
            if (what.startswith("calls") and "cloud" not in names) or (what == "forms" and db.reader().marks):
                continue
            jobs.append((names, ask_equal, what, {}, OTHERS[what].split()))
    by = collections.defaultdict(list)
    for names, ask, *arguments in jobs:
        by[names].append((ask, arguments))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda item: [ask(test, item[0], *arguments) for ask, arguments in item[1]], by.items()):
            pass
    for pair in pairs if SLOW else rng.sample(pairs, 3):
        if pair[0] != pair[1]:
            ask_difference(test, *pair)


def main():
    group, program, tool, source = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as work:
        test = Test(os.path.abspath(program), os.path.abspath(tool), source, work)
        {"known": known, "equal": equal}[group](test)
        for db in test.databases.values():
            db.close()
    print("%d answers compared, %d wrong" % (test.checked, test.bad))
    return 1 if test.bad or not test.checked else 0


if __name__ == "__main__":
    sys.exit(main())
