"""firefox.py GROUP PROGRAM TOOLS SOURCE: what --to=firefox writes of recordings that exports.py does not have, and what the page makes of it.

GROUP is one of rows: slices of a trace of the system, pauses, waiting for locks and series, by the rows; categories of frames; page: the Firefox Profiler's own code
reads the files, and shows the functions, markers and counters that are in them (profiler-cli comes from npm with TS_DEVTOOLS=install or TS_SLOW=1, or TS_DEVTOOLS names the folder
that has it; else skipped); back: read again by this program, the same samples, weights, frames, threads, markers and series; read: random profiles, as the
page and this program read them.
"""
import collections
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import made
import readers
from profiles import Database

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import npm_packages  # noqa: E402

GROUP, PROGRAM, TOOLS, SOURCE = sys.argv[1:5]
PACKAGE = "@firefox-devtools/profiler-cli"
DATA = os.path.join(SOURCE, "test", "data")
sys.path.insert(0, os.path.join(SOURCE, "test", "check"))
import firefox_rows
import firefox_write
OTHERS = {"kernel": "kernel.htrace.gz", "jfr": "work.jfr.gz", "page": "Trace-page.json.gz", "counters": "counters.trace.json", "hiperf": "hiperf.data"}


def check(condition, text):
    if not condition:
        raise SystemExit(f"WRONG: {text}")


def export(database, *arguments):
    return made.run(PROGRAM, database, "--to=firefox", "-o", "-", "--quiet", *arguments).stdout


def others():
    for name, file in OTHERS.items():
        made.run(PROGRAM, os.path.join(DATA, file), "-e", f"{name}.db", "--quiet", "--force")
        yield name, f"{name}.db"


# --- rows ---------------------------------------------------------------------------------------------------------------

# Type, name (NULL: that of the method), time, length, detail, row.
MARKERS = {
    "call": "SELECT 'call', NULL, ts, dur, NULL, id FROM stack_slice WHERE depth IS NOT NULL AND id NOT IN (SELECT slice_id FROM chrome_slice WHERE async)",
    "span": "SELECT 'span', NULL, ts, dur, NULL, id FROM stack_slice WHERE depth IS NULL OR id IN (SELECT slice_id FROM chrome_slice WHERE async)",
    "slice": "SELECT iif(cookie IS NULL, 'slice', 'async_slice'), coalesce(name, '(anonymous)'), ts, dur, cat, rowid FROM callstack",
    "pause": "SELECT 'runtime_pause', kind, ts, dur, cause, id FROM runtime_pause",
    "wait": "SELECT 'lock_wait', kind, ts, dur, class, id FROM lock_wait",
}


def marker_rows(database):
    calls = database.count("stack_slice") > 0
    for kind, query in MARKERS.items():
        if kind != "slice" or not calls:
            yield from database.sql.execute(query).fetchall()


def rows():
    kinds = collections.Counter()
    for name, path in others():
        database = Database(path)
        got = readers.firefox(export(path))
        wanted = collections.Counter((kind, ts, dur, detail, row) for kind, _, ts, dur, detail, row in marker_rows(database) if ts is not None)
        labels = {(row[0], row[5]): row[1] for row in marker_rows(database) if row[1] is not None}
        first = min(ts for _, ts, *_ in wanted) - min(m[2] for m in got.markers) if wanted else 0
        shown = collections.Counter((kind, at + first, None if end is None else end - at, detail, row) for kind, _, at, end, _, detail, row, _ in got.markers)
        check(shown == wanted, f"{name}: {list(wanted - shown)[:2]} are missing, {list(shown - wanted)[:2]} are too many")
        check(all(m[1] == labels.get((m[0], m[6]), m[1]) for m in got.markers), f"{name}: names of markers")
        check(sum(len(points) for _, points, _ in got.counters) == database.count("timeseries_value WHERE ts IS NOT NULL AND value IS NOT NULL"), f"{name}: points of series")
        kinds.update(m[0] for m in got.markers)
        database.close()
    check(set(kinds) >= {"slice", "async_slice", "runtime_pause", "lock_wait", "call", "span"}, f"not all kinds were seen: {kinds}")
    filters()
    categories()


def filters():
    """Of a trace of the system: a thread, a time, and --source, which its slices do not have."""
    whole = readers.firefox(export("kernel.db"))
    tid = whole.markers[-1][7][1]
    one = readers.firefox(export("kernel.db", f"--thread=tid={tid}"))
    check({m[7][1] for m in one.markers} == {tid} and len(one.markers) == sum(m[7][1] == tid for m in whole.markers), "--thread")
    middle = sorted(m[2] for m in whole.markers)[len(whole.markers) // 2]
    begin = Database("kernel.db").sql.execute("SELECT min(ts) FROM callstack").fetchone()[0]
    late = readers.firefox(export("kernel.db", f"--from={begin + middle}"))
    check(len(late.markers) == sum(m[2] >= middle for m in whole.markers), "--from")
    text = made.run(PROGRAM, "kernel.db", "--to=firefox", "-o", "-", "--thread=nobody", codes=(2,)).stderr.decode()
    check('there is no thread "nobody"' in text, text)


def categories():
    """What frames are: the numbers are places in meta.categories."""
    databases = made.recordings(PROGRAM, TOOLS, SOURCE)
    expected = {"cpu": {0, 1, 5}, "cloud": {2}, "timeline": {0, 1}, "heapprofile": {1, 0}, "go": {3, 0}}
    for name, some in expected.items():
        got = {(frame[0], frame[5]) for stack, *_ in readers.firefox(export(databases[name])).samples for frame in stack}
        numbers = {number for _, number in got}
        check(numbers <= some and max(some) in numbers, f"{name}: categories {numbers}")
        check(all(number == 5 for label, number in got if label == "(garbage collector)"), f"{name}: GC")
        check(all(number == 0 for label, number in got if label in ("(root)", "(program)")), f"{name}: neither program nor root is code")
    idle = {(frame[0], frame[5]) for stack, *_ in readers.firefox(export(databases["cpu"], "--weight=samples")).samples for frame in stack}
    check(("(idle)", 6) in idle, f"{idle}")
    check(json.loads(gzip.decompress(export(databases["cpu"])))["meta"]["categories"][6]["name"] == "Idle", "the last category")


# --- read again -----------------------------------------------------------------------------------------------------------


def back():
    kinds = collections.Counter()
    databases = {**made.recordings(PROGRAM, TOOLS, SOURCE), **dict(others())}
    for name, path in databases.items():
        data = export(path)
        with open("back.json.gz", "wb") as f:
            f.write(data)
        made.run(PROGRAM, "back.json.gz", "-e", "back.db", "--quiet", "--force", "--strict")
        wanted, got = readers.firefox(data), firefox_rows.Database("back.db")
        in_ms = wanted.units == {"tracing-ms"}
        samples = collections.Counter((tuple((label, file or None, begin or None, library or None, line or None) for label, line, file, begin, library, _ in stack), at + wanted.start, weight, who)
                                      for stack, at, weight, who in wanted.samples)
        read = collections.Counter((tuple((label, file, begin, library, line) for label, file, begin, library, _, line in stack), ts, dur if in_ms else dict(values)["bytes" if wanted.units == {"bytes"} else "wall-samples"], who[:2])
                                   for who, ts, dur, _, stack, values, _ in got.samples)
        check(read == samples, f"{name}: samples {list((samples - read).items())[:1]} are missing, {list((read - samples).items())[:1]} are too many")
        markers = [(kind, label, at + wanted.start, None if end is None else end + wanted.start, phase, detail, row, who) for kind, label, at, end, phase, detail, row, who in wanted.markers]
        read = [(kind, label, ts, end, phase, next((v for k, v in data.items() if k not in ("type", "row")), None), data["row"], who[:2]) for who, label, _, phase, ts, end, kind, data, _ in got.markers]
        check(read == markers, f"{name}: markers")
        series = [(label, tuple((at + wanted.start, float(value)) for at, value in points), pid) for label, points, pid in wanted.counters]
        check(same_series([(label, points, pid) for label, _, pid, _, _, _, points in got.series], series), f"{name}: series")
        units = {label: unit for label, unit in Database(path).sql.execute("SELECT name, unit FROM timeseries")}
        check(all(units[label] == unit for label, unit, *_ in got.series), f"{name}: units of series")
        kinds.update(samples=len(samples), markers=len(markers), series=len(series))
    check(all(kinds[k] for k in ("samples", "markers", "series")), f"{kinds}")


def same_series(got, wanted):
    """Values are sums of differences: they may differ in the last digits."""
    return [(name, pid, [ts for ts, _ in points]) for name, points, pid in got] == [(name, pid, [ts for ts, _ in points]) for name, points, pid in wanted] and all(
        abs(a - b) <= 1e-9 * max(1, abs(b), *(abs(v) for _, v in points)) for (_, have, _), (_, points, _) in zip(got, wanted) for (_, a), (_, b) in zip(have, points))


# --- the page -------------------------------------------------------------------------------------------------------------

def tool():
    """The program of the page's code."""
    if not shutil.which("node") or int(subprocess.run(["node", "--version"], capture_output=True, check=True).stdout[1:].split(b".")[0]) < 20:
        npm_packages.skip("there is no node 20")
    return os.path.join(npm_packages.modules([f"{PACKAGE}@0.10.0"], "1 MB"), *PACKAGE.split("/"), "dist", "profiler-cli.js")


class Page:
    """A profile that profiler-cli has loaded. What `load` starts in the background is started here, since that waits for half a second only."""

    def __init__(self, program, data):
        self.program, self.home = program, tempfile.mkdtemp(dir=os.getcwd())
        path = os.path.join(self.home, "profile.json.gz")
        with open(path, "wb") as f:
            f.write(data)
        self.environment = {**os.environ, "HOME": self.home, "PROFILER_CLI_SESSION_DIR": self.home}
        # The process is ended below, by its group. It writes to a file: a pipe that is not read stops it when it is full.
        command = ["node", program, "--daemon", path, "--session", "one"]
        with open(os.path.join(self.home, "log"), "wb") as log:
            self.process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)  # pylint: disable=consider-using-with

    def __enter__(self):
        end = time.monotonic() + 60
        # Not asked before it listens: a client that finds no one.json removes the socket, and whoever made it is not reached again.
        while not self.listens() or self.run("status").returncode != 0:
            check(self.process.poll() is None and time.monotonic() < end, f"the page does not load it: {self.said()}")
            time.sleep(0.2)
        return self

    def listens(self):
        try:
            with open(os.path.join(self.home, "one.json"), encoding="utf-8") as f:
                return "socketPath" in json.load(f)
        except (FileNotFoundError, json.JSONDecodeError):
            return False

    def said(self):
        with open(os.path.join(self.home, "log"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended, and all that it started
        self.process.wait()

    def run(self, *arguments):
        return subprocess.run(["node", self.program, *arguments, "--session", "one"], capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=60, env=self.environment)

    def json(self, *arguments):
        r = self.run(*arguments, "--json")
        check(r.returncode == 0, f"profiler-cli {arguments}: {(r.stdout + r.stderr).decode()}")
        return json.loads(r.stdout)


def compare_functions(page, name, thread, samples):
    """Own time of each function: of what has a length it is in ms."""
    shown, wanted = collections.Counter(), collections.Counter()
    reply = page.json("thread", "functions", "--include-idle", "--limit", "100000", "--thread", thread["threadHandle"])
    for function in reply["functions"]:
        shown[function["name"]] += function["selfSamples"]
    for stack, _, weight, _ in samples:
        wanted[stack[-1][0]] += weight / 1e6 if reply["weightType"] == "tracing-ms" else weight
    for label in set(wanted) | {label for label, value in shown.items() if value}:
        check(abs(shown[label] - wanted[label]) <= 1e-6 * max(1, wanted[label]), f"{name}, {thread['name']}: {label} has {shown[label]} instead of {wanted[label]}")


def compare(page, name, data):
    mine = readers.firefox(data)
    top = json.loads(gzip.decompress(data))["threads"]
    threads = sorted(page.json("thread", "list", "--limit", "100000")["threads"], key=lambda t: t["threadIndex"])
    check([(t["pid"], t["tid"], t["name"]) for t in threads] == [(t["pid"], t["tid"], t["name"]) for t in top], f"{name}: threads {threads}")
    check([t["markerCount"] for t in threads] == [t["markers"]["length"] for t in top], f"{name}: markers {threads}")
    places = {}
    for thread in threads:
        who = int(thread["pid"]), thread["tid"]
        places.setdefault(who, []).append(thread)
    alone = [one[0] for one in places.values() if len(one) == 1]
    for thread in alone[:2]:
        compare_functions(page, name, thread, [s for s in mine.samples if s[3] == (int(thread["pid"]), thread["tid"])])
    counters = sorted(page.json("counter", "list")["counters"], key=lambda c: c["counterIndex"]) if mine.counters else []
    check([(c["name"], c["label"], c["graphType"], int(c["pid"])) for c in counters] == [(n, n, "line-accumulated", pid) for n, _, pid in mine.counters], f"{name}: counters {counters}")


def page_shows():
    program = tool()
    databases = {**made.recordings(PROGRAM, TOOLS, SOURCE), **dict(others())}
    for name, arguments in (("cpu", ()), ("cloud", ()), ("timeline", ()), ("kernel", ()), ("jfr", ()), ("go", ("--weight=samples",)), ("goheap", ())):
        data = export(databases[name], *arguments)
        with Page(program, data) as page:
            compare(page, name, data)


def page_reads():
    """Random profiles that the page and this program read: own time of each function of each thread."""
    program, compared = tool(), 0
    for version, gecko in ((41, False), (58, False), (60, False), (66, False), (36, True)):
        rng = random.Random(version)
        document = next(p for p in (firefox_write.profile(rng, version, gecko) for _ in iter(int, 1)) if many_samples(p))
        with open("read.json", "w", encoding="utf-8") as f:
            json.dump(document, f)
        made.run(PROGRAM, "read.json", "-e", "read.db", "--quiet", "--force", "--strict", "--format", "firefox")
        read = firefox_rows.Database("read.db")
        with open("read.json", "rb") as f, Page(program, gzip.compress(f.read())) as page:
            threads = page.json("thread", "list", "--limit", "1000")["threads"]
            names = collections.Counter(t["name"] for t in threads)
            for thread in threads:
                mine = [s for s in read.samples if s[0][2] == thread["name"] and s[3] == "wall" and s[4]]
                if names[thread["name"]] == 1 and mine:
                    compare_read(page, f"version {version}, {thread['name']}", thread, mine)
                    compared += 1
    check(compared >= 5, f"{compared} threads were compared")


def many_samples(document):
    """In threads without allocations, which the page shows in the place of few samples."""
    return len(document["threads"]) > 1 and all("jsAllocations" not in t and "nativeAllocations" not in t and t["samples"].get("weightType") != "bytes" and
                                                len(t["samples"].get("data", t["samples"].get("stack", []))) > 4 and not any(w is not None and w < 0 for w in t["samples"].get("weight") or [])
                                                for t in document["threads"])


def compare_read(page, name, thread, mine):
    reply = page.json("thread", "functions", "--include-idle", "--limit", "100000", "--thread", thread["threadHandle"])
    shown, wanted = collections.Counter(), collections.Counter()
    for function in reply["functions"]:
        label = function["name"]
        shown["(top level)" if label.startswith("(root scope) ") else label] += function["selfSamples"]
    for _, _, dur, _, stack, values, _ in mine:
        wanted[stack[-1][0]] += dur / 1e6 if reply["weightType"] == "tracing-ms" else dict(values)["wall-samples"]
    for label in set(wanted) | {label for label, value in shown.items() if value}:
        check(abs(shown[label] - wanted[label]) <= 1e-5 * max(1, wanted[label]), f"{name}: {label} has {wanted[label]} instead of {shown[label]}")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        {"rows": rows, "back": back, "page": page_shows, "read": page_reads}[GROUP]()
        os.chdir("/")


main()
