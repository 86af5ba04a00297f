"""How each consumer of a database is asked: -q, --to, the page's views, --report, diff, and the independent reader."""

import collections
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from collections import defaultdict

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "export")]
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts
import paths
import reader
import readers
import spent_reader

MANY = 1000000
CLASSES = ("cpu", "wall", "waiting", "allocation", "live")


class Cannot(Exception):
    """A consumer has no answer to this question."""


class Wrong(Exception):
    pass


class Database:
    """A database and what has been asked of it."""

    def __init__(self, program, tool, path):
        self.program, self.tool, self.path = program, tool, path
        self.lock, self.said, self.view_process, self.read, self.spent_threads = threading.RLock(), {}, None, None, None

    def reader(self):
        with self.lock:
            self.read = self.read or reader.Reader(self.path)
            return self.read

    def run(self, *arguments, codes=(0,)):
        """(exit code, standard output, standard error), once."""
        with self.lock:
            if arguments not in self.said:
                done = starts.run([self.program, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
                self.said[arguments] = done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
        code, out, said = self.said[arguments]
        if code not in codes:
            raise Cannot(said.strip().replace("\n", " ")) if code == 2 else Wrong("%s: exit code %d: %s" % (" ".join(arguments), code, said))
        return code, out, said

    def rows(self, question, **params):
        options = [x for key, value in params.items() if value is not None for x in ("--param", "%s=%s" % (key.rstrip("_"), value))]
        return json.loads(self.run(self.path, "-q", question, "--output=json", "--quiet", *options)[1])

    def view(self, name, **params):
        """The page's answer, without HTTP."""
        request = name + "?" + "&".join("%s=%s" % (key.rstrip("_"), urllib.parse.quote(str(value), safe=",")) for key, value in params.items() if value is not None)
        with self.lock:
            if request not in self.said:
                if self.view_process is None:
                    self.view_process = subprocess.Popen([self.tool, self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                self.view_process.stdin.write(request.encode() + b"\n")
                self.view_process.stdin.flush()
                self.said[request] = json.loads(self.view_process.stdout.readline() or b'{"error": {"message": "the tool ended"}}')
        if "error" in self.said[request]:
            raise Cannot(self.said[request]["error"]["message"])
        return self.said[request]

    def report(self, question):
        sections = json.loads(self.run(self.path, "--report=json", "--quiet")[1])["sections"]
        found = [s for s in sections if s["question"] == question]
        if not found:
            raise Cannot("the report has no section of %s" % question)
        return found[0]

    def exported(self, form, *options):
        return self.run(self.path, "--to=" + form, "-o", "-", "--quiet", *options)[1]

    def diff(self, *options, inputs=None):
        """A comparison, by default with nothing."""
        return json.loads(self.run("diff", *(inputs or (self.path, "--before=none")), "--limit=0", "--output=json", *options)[1])

    def origin(self):
        return self.reader().db.execute("SELECT start_ts FROM trace_range").fetchone()[0] or 0

    def close(self):
        if self.view_process is not None:
            self.view_process.stdin.close()
            if self.view_process.wait() != 0:
                raise SystemExit("%s: the tool for views ended with %d" % (self.path, self.view_process.returncode))
        if self.read is not None:
            self.read.db.close()


# --- times as they are typed -------------------------------------------------------------------------------------------------


def at(db, typed, source=None):
    """ns of a time as it is typed: ns, +SECONDSs of the range, an ISO time, a time of the first day."""
    if typed is None or typed.lstrip("-").isdigit():
        return None if typed is None else int(typed)
    r = db.reader()
    low = r.range_of(r.with_below(r.find_sources(source) if source else set(r.sources)))
    if typed.startswith("+"):
        return low[0] + round(float(typed[1:-1]) * 1000000000)
    day = low[0] // 86400000000000
    clock = [int(part) for part in re.search(r"(\d\d):(\d\d):(\d\d)", typed).groups()]
    return (day * 86400 + clock[0] * 3600 + clock[1] * 60 + clock[2]) * 1000000000


def selected(db, want):
    return db.reader().select(source=want.get("source"), thread=want.get("thread"), event=want.get("event"), low=at(db, want.get("from"), want.get("source")),
                              high=at(db, want.get("until"), want.get("source")), label=want.get("label"))


# --- the parameters of each consumer -----------------------------------------------------------------------------------------


def for_question(want, *known):
    """Parameters of a question; Cannot, when it has none for what is wanted."""
    names = {"until": "to"}
    for key in want:
        if key not in known:
            raise Cannot("no parameter for %s" % key)
    return {names.get(key, key) + ("_" if key == "from" else ""): value for key, value in want.items()}


def for_options(want):
    return ["--%s=%s" % (key, value) for key, value in want.items() if key in ("source", "thread", "event", "label", "from", "until", "weight")]


def for_view(db, want):
    names = {"source": "src", "thread": "thr", "event": "event", "label": "label", "weight": "weight"}
    params = {names[key]: value for key, value in want.items() if key in names}
    for key, name in (("from", "from_"), ("until", "to")):
        if key in want:
            params[name] = at(db, want[key], want.get("source")) - db.origin()
    return params


def in_class(db, name):
    """What a weight is called, as the name of its class."""
    name = name.partition("/")[0]
    for _, kind, _, what in db.reader().kinds.values():
        if kind == name and what[0] != "other":
            return what[0]
    return name


# --- sums --------------------------------------------------------------------------------------------------------------------


def sum_read(db, want):
    r, rows = db.reader(), selected(db, want)
    if "weight" in want:
        return sum(v for _, v in r.weigh(rows, want["weight"]))
    default = r.default(rows)
    if default is None:
        raise Cannot("no stacks")
    return "%s %d" % (in_class(db, default[0]), sum(v for _, v in r.weigh(rows, "%s/%s" % default)))


def stackless(db, want):
    """What weighs something without a stack: questions and exports of stacks do not have it."""
    r, rows = db.reader(), selected(db, want)
    weight = want.get("weight") or "%s/%s" % (r.default(rows) or ("samples", "count"))
    return sum(v for one, v in r.weigh(rows, weight) if one.node is None)


def with_default(db, want, number, name=None):
    """A sum; without a weight that was asked for with the name of what was summed up."""
    if "weight" in want:
        return number
    return "%s %d" % (in_class(db, name) if name is not None else sum_read(db, want).split()[0], number)


def sum_flame_graph(db, want):
    rows = db.rows("flame_graph", limit=MANY, **for_question(want, "source", "thread", "event", "label", "from", "until", "weight"))
    return with_default(db, want, sum(row["self"] for row in rows) + stackless(db, want))


def sum_folded_stacks(db, want):
    rows = db.rows("folded_stacks", **for_question(want, "source", "thread", "event", "label", "from", "until", "weight"))
    return with_default(db, want, sum(int(row["folded"].rsplit(" ", 1)[1]) for row in rows) + stackless(db, want))


def sum_hot_methods(db, want):
    rows = db.rows("hot_methods", limit=MANY, **for_question(want, "source", "thread", "event", "label", "from", "until", "weight"))
    if not rows:
        raise Cannot("no rows")
    return with_default(db, want, rows[0]["all"], rows[0]["weight"])


def sum_alloc(db, want):
    for_question(want, "source", "weight")
    if in_class(db, want.get("weight", "")) not in ("allocation", "live", ""):
        raise Cannot("of allocations only")
    rows = db.rows("alloc_hot_methods", limit=MANY, source=want.get("source"))
    return with_default(db, want, sum(row["self_bytes"] for row in rows) + stackless(db, want))


def sum_cpu(db, want):
    for_question(want, "source", "from", "until", "weight")
    if want.get("weight", "cpu") != "cpu":
        raise Cannot("of CPU time only")
    rows = db.rows("cpu_hot_methods", limit=MANY, **for_question({k: v for k, v in want.items() if k != "weight"}, "source", "from", "until"))
    return with_default(db, want, sum(row["self_ns"] for row in rows) + stackless(db, want), "cpu")


def sum_slices(db, want):
    if want.get("weight") not in (None, "wall") or set(want) - {"weight", "source"}:
        raise Cannot("of calls only")
    return with_default(db, want, sum(row["self"] for row in db.rows("slice_hot_methods", limit=MANY, source=want.get("source"))), "wall")


def sum_folded(db, want):
    lines = readers.folded(db.exported("folded", *for_options(want)))
    return with_default(db, want, sum(lines.values()) + stackless(db, want))


def sum_pprof(db, want):
    sums, _, default, _ = readers.pprof(db.exported("pprof", *for_options(want)))
    return with_default(db, want, sum(sums[default].values()) + stackless(db, want))


def sum_flame(db, want):
    reply = db.view("flame", limit=1, **for_view(db, want))
    return with_default(db, want, reply["all"]["total"] + reply["no_stack"]["total"], reply["weight"])


def sum_weights(db, want):
    if "weight" in want:
        raise Cannot("of the weight that is chosen")
    reply = db.view("weights", **for_view(db, want))
    return with_default(db, want, reply["total"], reply["weight"])


def sum_method(db, want):
    reply = db.diff("--by=method", *for_options(want))
    value, number = reply["weight"], reply["totals"][reply["weight"]]["after"]
    if number != sum(row[value + "_after"] for row in reply["rows"]):
        raise Wrong("diff says that the sum is %d, its rows add up to %d" % (number, sum(row[value + "_after"] for row in reply["rows"])))
    return with_default(db, want, number + stackless(db, want), None if value == "self_value" else value[len("self_"):])


def sum_report(db, want):
    if set(want) - {"weight"}:
        raise Cannot("the report is of everything")
    row = db.report("hot_methods")["rows"][0]
    if "weight" in want and in_class(db, row["weight"]) != want["weight"]:
        raise Cannot("the report has the default")
    return with_default(db, want, row["all"], row["weight"])


# --- waiting, asked where it is listed by reason --------------------------------------------------------------------------


def reasons(db, want):
    reply = defaultdict(int)
    for row, value in db.reader().weigh(selected(db, want), "waiting"):
        reply[row.what[1]] += value
    return dict(reply)


def reasons_question(db, want):
    return {row["reason"]: row["dur"] for row in db.rows("waiting", limit=MANY, **for_question(want, "source"))}


def reasons_report(db, want):
    return {row["reason"]: row["dur"] for row in db.report("waiting")["rows"]}


def each_reason(ask):
    def of(db, want):
        found = {}
        for reason in ("park", "sleep", "wait", "lock", "io", "idle"):
            try:
                found[reason] = ask(db, dict(want, weight="waiting:" + reason))
            except Cannot as e:
                if "no stack" not in str(e) and "no value" not in str(e) and "is not in the database" not in str(e):
                    raise
        return {k: v for k, v in found.items() if v}
    return of


# --- methods -----------------------------------------------------------------------------------------------------------------


def methods_read(db, want, key=None):
    """[(label, self, total)] of methods with a weight, as the definitions say."""
    r, rows, by_source = db.reader(), selected(db, want), want.get("by") == "source"
    weight = want.get("weight") or "%s/%s" % (r.default(rows) or ("samples", "count"))
    sums = r.sums(rows, weight, key or (lambda m: r.key(m, by_source)))
    return sorted((k[0] if key == r.frame else label, own, total) for k, (own, total, label, _) in sums.items() if total)


def without_roots(rows):
    return [row for row in rows if row[0] not in ("(root)", "(idle)")]


def methods_hot(db, want):
    rows = db.rows("hot_methods", limit=MANY, **for_question(want, "source", "thread", "event", "label", "from", "until", "weight", "by"))
    return sorted((row["method"] or "(unknown)", row["self"], row["total"]) for row in rows if row["total"])


def methods_view(db, want):
    params = for_view(db, want)
    if "by" in want:
        params["by"] = want["by"]
    found, offset = [], 0
    while True:
        reply = db.view("methods", limit=10000, offset=offset, **params)
        names = reply["methods"]
        for place, own, total in zip(reply["method"], reply["self"], reply["total"]):
            found.append(("(unknown)" if place < 0 else label_of(names, place), own, total))
        offset += len(reply["method"])
        if offset >= reply["row_count"]:
            return sorted(row for row in found if row[2])


def label_of(names, place):
    return names["name"][place] or "(anonymous)"


def methods_diff(db, want):
    reply = db.diff("--by=method", *for_options(want))
    own, total = reply["weight"] + "_after", reply["weight"][len("self_"):] + "_after"
    return sorted((row["method"], row[own], row[total]) for row in reply["rows"] if row[total])


def methods_pprof(db, want):
    sums, _, default, _ = readers.pprof(db.exported("pprof", *for_options(want)))
    own, total = defaultdict(int), defaultdict(int)
    for stack, value in sums[default].items():
        own[stack[-1]] += value
        for label in set(stack):
            total[label] += value
    return sorted((label, own[label], total[label]) for label in total if total[label])


def methods_folded(db, want):
    own, total = defaultdict(int), defaultdict(int)
    for stack, value in readers.folded(db.exported("folded", *for_options(want))).items():
        own[stack[-1]] += value
        for label in set(stack):
            total[label] += value
    return sorted((label, own[label], total[label]) for label in total if total[label])


def first_of(rows, db=None):
    rows = without_roots(rows)
    if not rows:
        raise Cannot("no methods")
    most = max(own for _, own, _ in rows)
    return "%s %d" % (sorted(label for label, own, _ in rows if own == most)[0], most)


def of_method(rows, name):
    """What all methods of a name have by themselves, or `ROWS x SELF`, when there are several."""
    found = [own for label, own, _ in rows if label == name]
    return " ".join(map(str, sorted(found, reverse=True)))


def by_name(ask):
    """Asks for one method: want['method'], or for the first."""
    def of(db, want):
        rest = {k: v for k, v in want.items() if k != "method"}
        rows = ask(db, rest)
        return of_method(rows, want["method"]) if "method" in want else first_of(rows)
    return of


def report_method(db, want):
    if set(want) - {"method", "weight"}:
        raise Cannot("the report is of everything")
    rows = db.report("hot_methods")["rows"]
    if "weight" in want and rows and in_class(db, rows[0]["weight"]) != want["weight"]:
        raise Cannot("the report has the default")
    return of_method([(row["method"], row["self"], 0) for row in rows], want["method"]) if "method" in want else "%s %d" % (rows[0]["method"], rows[0]["self"])


def report_alloc(db, want):
    rows = db.report("alloc_hot_methods")["rows"]
    return of_method([(row["method"], row["self_bytes"], 0) for row in rows], want["method"]) if "method" in want else "%s %d" % (rows[0]["method"], rows[0]["self_bytes"])


def question_alloc(db, want):
    rows = db.rows("alloc_hot_methods", limit=MANY)
    return of_method([(row["method"], row["self_bytes"], 0) for row in rows], want["method"]) if "method" in want else "%s %d" % (rows[0]["method"], rows[0]["self_bytes"])


def question_slices(db, want):
    rows = db.rows("slice_hot_methods", limit=MANY)
    return of_method([(row["method"], row["self"], 0) for row in rows], want["method"]) if "method" in want else "%s %d" % (rows[0]["method"], rows[0]["self"])


def sources_of_method(db, want):
    """In how many recordings a method is."""
    return [row["sources"] for row in db.rows("hot_methods", limit=MANY) if row["method"] == want["method"]]


def read_method_sources(db, want):
    r = db.reader()
    rows = selected(db, {})
    sums = r.sums(rows, "%s/%s" % r.default(rows))
    return [len({r.method_source[m] for m in r.methods if r.key(m) == k}) for k, one in sums.items() if one[2] == want["method"]]


# --- threads -----------------------------------------------------------------------------------------------------------------


def spent_read(db, want):
    """{(tid, itid) or (-, source): cpu and all} by the independent reader."""
    with db.lock:
        if db.spent_threads is None:
            sql = sqlite3.connect("file:%s?mode=ro" % db.path, uri=True)
            db.spent_threads = {key: spent_reader.spent(sql, one) for key, one in spent_reader.read(sql).items()}
            sql.close()
    threads = None if "thread" not in want else db.reader().find_threads(want["thread"])
    return {key: row for key, row in busy(db.spent_threads).items() if threads is None or key[0] in threads}


def busy(rows):
    """Those that did something: what else is listed differs, as a thread without any event is not seen by all."""
    return {key: row for key, row in rows.items() if row[0] is not None or row[2] or row[3]}


def spent_question(db, want):
    options = [x for key in ("thread", "source") if key in want for x in ("--param", "%s=%s" % (key, want[key]))]
    return busy(spent_reader.answer(db.run(db.path, "-q", "threads", "--output=json", "--quiet", "--param", "limit=1000000", *options)[1]))


def spent_view(db, want):
    if "thread" in want and not want["thread"].startswith(("tid=", "pid=", "id=", "worker")):
        raise Cannot("no parameter for threads")
    threads = None if "thread" not in want else db.reader().find_threads(want["thread"])
    found = {}
    for row in db.view("threads", px=0, limit=10000)["threads"]:
        if threads is not None and row["itid"] not in threads:
            continue
        origin = row["cpu_from"] + (", estimated" if row["estimated"] else "") if row["cpu_from"] else None
        key = (row["itid"], None if row["itid"] is not None else row["source_id"])
        if row["busy_dur"] is None and not row["waiting"] and not row["paused"]:
            continue  # it has samples of other classes only
        value = (row["busy_dur"], origin, dict(row["waiting"]), row["paused"], row["unknown"], row["length"])
        if found.setdefault(key, value) != value:
            raise Wrong("two rows of thread %s differ: %s and %s" % (key, found[key], value))
    return found


def thread_column(ask, column):
    """A number of each thread that is wanted, largest first."""
    def of(db, want):
        rows = ask(db, want)
        values = [row[0] if column == "cpu" else sum(row[2].values()) for row in rows.values()]
        return " ".join(str(v) for v in sorted((v for v in values if v is not None), reverse=True))
    return of


def thread_sum(ask):
    return lambda db, want: sum(row[0] or 0 for row in ask(db, want).values())


def report_threads(db, want):
    """The rows that the report shows, which are those with most CPU time."""
    return busy(spent_reader.answer(json.dumps(db.report("threads")["rows"])))


# --- pauses, waits, calls, slices, CPUs ----------------------------------------------------------------------------------------


def numbers(rows):
    """How many, their sum, the longest."""
    rows = list(rows)
    return "%d %d %d" % (len(rows), sum(rows), max(rows, default=0))


def pauses_read(db, want):
    sql = db.reader().db
    return numbers(d for table in ("runtime_pause", "cloud_suspend") for d, in sql.execute("SELECT dur FROM %s" % table))


def pauses_question(db, want):
    return numbers(row["dur"] for row in db.rows("longest_pauses", limit=MANY))


def pauses_lanes(db, want):
    lanes = db.view("lanes", kind="pause")["lanes"] + db.view("lanes", kind="suspend")["lanes"]
    return "%d %d %d" % (sum(lane["rows"] for lane in lanes), sum(lane["all"]["paused"][0] for lane in lanes), max(lane["longest"] for lane in lanes))


def pauses_report(db, want):
    """The report has the five longest: the longest and, of no more than five, all."""
    rows = db.report("longest_pauses")["rows"]
    known = pauses_read(db, want).split()
    return numbers(row["dur"] for row in rows) if len(rows) < 5 or known[0] == "5" else "%s %s %d" % (known[0], known[1], rows[0]["dur"])


def pauses_diff(db, want):
    rows = db.diff("--by=pause")["rows"]
    return "%d %d %d" % (sum(row["count_after"] for row in rows), sum(row["total_after"] for row in rows), max(row["longest_after"] for row in rows))


def waits_read(db, want):
    return dict(db.reader().db.execute("SELECT kind, count(*) FROM lock_wait GROUP BY kind"))


def waits_of(rows):
    found = defaultdict(int)
    for row in rows:
        found[row["kind"]] += row["count"]
    return dict(found)


def waits_question(db, want):
    return waits_of(db.rows("lock_waits", limit=MANY))


def waits_lanes(db, want):
    found = defaultdict(int)
    for lane in db.view("lanes", kind="wait")["lanes"]:
        found[lane["name"]] += lane["rows"]
    return dict(found)


def waits_report(db, want):
    kinds = {"lock": "contended", "wait": "wait", "park": "park"}
    return {kinds[row["reason"]]: row["waits"] for row in db.report("waiting")["rows"] if row["reason"] in kinds}


def calls_read(db, want):
    """CPU time, waiting and paused of all calls of the Cloud Profiler; number and own time of calls in a span."""
    sql = db.reader().db
    cpu, lock, paused = sql.execute("SELECT sum(cpu_dur), sum(wait_dur), sum(suspend_dur) FROM cloud_call").fetchone()
    return "%d %d %d" % (cpu, lock, paused)


def calls_question(db, want):
    rows = [row for row in db.rows("slow_calls", limit=MANY) if row["call_id"] is not None]
    return "%d %d %d" % tuple(sum(row[c] or 0 for row in rows) for c in ("cpu_dur", "wait_dur", "suspend_dur"))


def calls_scatter(db, want):
    return "%d %d %d" % tuple(db.view("calls/scatter")["all"][c] for c in ("cpu_dur", "wait_dur", "suspend_dur"))


def calls_longest_read(db, want):
    sql, r = db.reader().db, db.reader()
    method, dur, cpu = sql.execute("SELECT method_id, dur, cpu_dur FROM cloud_call ORDER BY dur DESC LIMIT 1").fetchone()
    return "%d %d %s" % (dur, cpu, r.label(method).split(".", r.label(method).count(".") - 1)[-1])


def calls_longest(rows):
    return "%d %d %s" % (rows[0]["dur"], rows[0]["cpu_dur"], ".".join(rows[0]["method"].split(".")[-2:]))


def calls_diff(db, want):
    return sum(row["cpu_after"] for row in db.diff("--by=call")["rows"])


def calls_longest_diff(db, want):
    return max(row["longest_after"] for row in db.diff("--by=call")["rows"])


def calls_number_read(db, want):
    """How many calls of the recording, how many invocations that were traced."""
    sql = db.reader().db
    return "%d %d" % (sql.execute("SELECT count(*) FROM cloud_call").fetchone() + sql.execute("SELECT count(*) FROM stack_slice").fetchone())


def calls_number_question(db, want):
    return "%d %d" % (len(db.rows("slow_calls", limit=MANY)), sum(row["count"] for row in db.rows("slice_hot_methods", limit=MANY)))


def begun_read(db, want):
    low, high = at(db, want.get("from")), at(db, want.get("until"))
    sql = db.reader().db
    return "%d" % sql.execute("SELECT count(*) FROM cloud_call WHERE ts >= ? AND ts < ?", (low, high)).fetchone()


def begun_question(db, want):
    return "%d" % len(db.rows("slow_calls", limit=MANY, **for_question(want, "from", "until")))


def begun_scatter(db, want):
    low, high = (at(db, want[k]) - db.origin() for k in ("from", "until"))
    return "%d" % sum(db.view("calls/scatter", from_=low, to=high)["n"])


def slices_read(db, want):
    """{kind: (number, without an end, own time of threads' ones)}"""
    r = db.reader()
    found = defaultdict(lambda: [0, 0, 0])
    if r.marks:
        rows = r.db.execute("SELECT CASE WHEN cookie IS NULL THEN 'call' ELSE 'async' END, dur FROM callstack").fetchall()
        for kind, dur in rows:
            found[kind][0] += 1
            found[kind][1] += dur is None
            found[kind][2] += (dur or 0) if kind == "async" else 0
        found["call"][2] = sum(row.own or 0 for row in r.rows)
    else:
        for row in r.rows:
            if row.kind in ("call", "async"):
                found[row.kind][0] += 1
                found[row.kind][1] += row.dur is None
                found[row.kind][2] += row.own or 0
    return {k: " ".join(map(str, v)) for k, v in found.items()}


def slices_of(rows):
    return {row["kind"]: "%d %d %d" % (row["count"], row["open"], row["self_dur"] if row["self_dur"] is not None else row["dur"]) for row in rows}


def slices_question(db, want):
    return slices_of(db.rows("slices", limit=MANY))


def slices_report(db, want):
    return slices_of(db.report("slices")["rows"])


def slices_find(db, want):
    reply = db.view("find")
    return {kind: "%d %d %d" % (one["count"], one["open"], one["self"] if one["self"] is not None else one["dur"])
            for kind, one in (("call", reply), ("async", reply["async"])) if one["count"] > 0}


def found_read(db, want):
    """How many slices of threads have a text in their name, and their time."""
    return "%d %d" % db.reader().db.execute("SELECT count(*), sum(dur) FROM callstack WHERE cookie IS NULL AND instr(name, ?) > 0", (want["name"],)).fetchone()


def found_find(db, want):
    reply = db.view("find", what=want["name"])
    return "%d %d" % (reply["count"], reply["dur"])


def marks_first_read(db, want):
    """The name with most own time, that time, how many, and their time with what is below."""
    r, own, count, dur = db.reader(), defaultdict(int), defaultdict(int), defaultdict(int)
    names = dict(r.db.execute("SELECT id, name FROM callstack"))
    for row in r.rows:
        own[names[row.id]] += row.own or 0
        count[names[row.id]] += 1
        dur[names[row.id]] += row.dur or 0
    name = max(own, key=own.get)
    return "%s %d %d %d" % (name, own[name], count[name], dur[name])


def ns(ms):
    return round(ms * 1000000)


def marks_first_question(db, want):
    row = db.rows("hot_slices", limit=1)[0]
    return "%s %d %d %d" % (row["name"], ns(row["self_ms"]), row["count"], ns(row["total_ms"]))


def marks_sum_question(db, want):
    """What slices of threads have for themselves: of no span, which hot_slices lists, too."""
    kinds = {name for name, in db.reader().db.execute("SELECT DISTINCT name FROM callstack WHERE cookie IS NOT NULL")}
    return sum(ns(row["self_ms"]) for row in db.rows("hot_slices", limit=MANY) if row["name"] not in kinds)


def cpu_busy_read(db, want):
    return " ".join(str(v) for _, v in db.reader().db.execute("SELECT cpu, sum(CASE WHEN itid > 0 THEN ifnull(dur, 0) ELSE 0 END) FROM sched_slice GROUP BY cpu ORDER BY cpu"))


def cpu_busy_question(db, want):
    return " ".join(str(row["busy_dur"]) for row in sorted(db.rows("cpu_busy", limit=MANY), key=lambda row: row["cpu"]))


def cpu_busy_report(db, want):
    return " ".join(str(row["busy_dur"]) for row in sorted(db.report("cpu_busy")["rows"], key=lambda row: row["cpu"]))


def cpu_lanes(db):
    """ns that each CPU was busy, without what has no end."""
    return [lane["all"]["busy"][0] - lane["open_ns"]["busy"] for lane in sorted(db.view("lanes", kind="cpu")["lanes"], key=lambda lane: lane["cpu"])]


def scheduled_read(db, want):
    return db.reader().db.execute("SELECT sum(dur) FROM sched_slice WHERE itid > 0").fetchone()[0]


def scheduled_question(db, want):
    return sum(row["busy_dur"] for row in db.rows("cpu_busy", limit=MANY))


# --- series ------------------------------------------------------------------------------------------------------------------


def slices_cpu_read(db, want):
    return db.reader().db.execute("SELECT sum(cpu_dur) FROM stack_slice WHERE parent_id IS NULL AND id NOT IN (SELECT slice_id FROM chrome_slice WHERE async)").fetchone()[0]


def slices_cpu(rows):
    return next(row["cpu_dur"] for row in rows if row["kind"] == "call")


def measured_read(db, want):
    """Points, least and greatest of what was measured of a CPU."""
    return "%d %d %d" % db.reader().db.execute("SELECT count(*), min(m.value), max(m.value) FROM measure AS m JOIN cpu_measure_filter AS f ON f.id = m.filter_id "
                                               "WHERE f.name = ? AND f.cpu = ?", (want["name"], want["cpu"])).fetchone()


def series_read(db, want):
    values = [v for v, in db.reader().db.execute("SELECT v.value FROM timeseries_value AS v JOIN timeseries AS s ON s.id = v.series_id WHERE s.name = ?", (want["name"],))]
    return series_text(len(values), min(values), max(values), sum(values) / len(values))


def series_text(count, least, greatest, mean):
    return "%d %s %s %s" % (count, *(repr(float(v)).rstrip("0").rstrip(".") for v in (least, greatest, mean)))


def counter(db, want):
    """The lane of a counter."""
    for lane in db.view("lanes", kind="counter")["lanes"]:
        if lane["name"] == want["name"] and ("cpu" not in want or lane["owner"] == "CPU " + want["cpu"]):
            return lane["all"]["n"][0], lane["all"]["least"][0], lane["all"]["greatest"][0], lane["all"]["mean"][0]
    raise Cannot("no such counter")


def series_question(db, want):
    for row in db.rows("series", limit=MANY):
        if row["name"] == want["name"] and ("cpu" not in want or row["owner"] == "CPU " + want["cpu"]):
            return row["points"], row["least"], row["greatest"], row["mean"]
    raise Cannot("no such series")


def series_diff(db, want):
    row = next(row for row in db.diff("--by=series")["rows"] if row["series"] == want["name"])
    return series_text(row["count_after"], row["lowest_after"], row["highest_after"], row["mean_after"])


def measured_diff(db, want):
    for row in db.diff("--by=series")["rows"]:
        if row["series"] == want["name"] and row["thread"] == "CPU " + want["cpu"]:
            return "%d %d %d" % (row["count_after"], row["lowest_after"], row["highest_after"])
    raise Cannot("no such series")


def series_chrome(db, want):
    events = json.loads(db.exported("chrome-json"))
    values = [v for e in (events["traceEvents"] if isinstance(events, dict) else events) if e.get("ph") == "C" for key, v in e["args"].items()
              if key == want["name"] or "%s.%s" % (e["name"], key) == want["name"] or (e["name"] == want["name"])]
    if not values:
        raise Cannot("no counters")
    return series_text(len(values), min(values), max(values), sum(values) / len(values))


# --- heaps -------------------------------------------------------------------------------------------------------------------


def heap_files_read(db, want):
    """Nodes and bytes of each file."""
    return [tuple(row) for row in db.reader().db.execute("SELECT count(*), sum(self_size) FROM js_heap_nodes GROUP BY file_id ORDER BY file_id")]


def heap_files_question(db, want):
    files = [i for i, in db.reader().db.execute("SELECT id FROM js_heap_files ORDER BY id")]
    return [tuple(sum(row[c] for row in db.rows("js_class_histogram", limit=MANY, file=i)) for c in ("count", "self_size")) for i in files]


def heap_files_view(db, want):
    reply = [db.view("heap/classes", file=row[0], limit=1) for row in db.view("heap/files")["rows"]]
    return [(r["count"], r["self_size"]) for r in reply]


def heap_source(db, file):
    return db.reader().db.execute("SELECT source_id FROM js_heap_file_detail WHERE file_id = ?", (file,)).fetchone()[0]


def heap_files_diff(db, want):
    found = []
    for i, in db.reader().db.execute("SELECT id FROM js_heap_files ORDER BY id").fetchall():
        rows = db.diff("--by=class", inputs=(db.path, "--before=none", "--after=%d" % heap_source(db, i)))["rows"]
        found.append((sum(row["count_after"] for row in rows), sum(row["self_size_after"] for row in rows)))
    return found


def heap_class_text(name, count, size):
    return "%s %d %d" % (name, count, size)


def heap_class_question(db, want):
    row = db.rows("js_class_histogram", limit=1, file=want["file"])[0]
    return heap_class_text(row["class"], row["count"], row["self_size"])


def heap_class_view(db, want):
    return heap_class_text(*db.view("heap/classes", limit=1, file=want["file"])["rows"][0][:3])


def heap_class_report(db, want):
    """The report is of the first file."""
    row = db.report("js_class_histogram")["rows"][0]
    return heap_class_text(row["class"], row["count"], row["self_size"])


def heap_class_diff(db, want):
    rows = db.diff("--by=class", inputs=(db.path, "--before=none", "--after=%d" % heap_source(db, want["file"])))["rows"]
    row = max(rows, key=lambda row: row["self_size_after"])
    return heap_class_text(row["class"], row["count_after"], row["self_size_after"])


def heap_pair_read(db, want):
    """New, deleted and kept nodes of two files by id, and bytes of those that came and went."""
    old, new = (dict(db.reader().db.execute("SELECT id, self_size FROM js_heap_nodes WHERE file_id = ?", (want[k],))) for k in ("base", "file"))
    return "%d %d %d %d %d" % (len(set(new) - set(old)), len(set(old) - set(new)), len(set(old) & set(new)), sum(s for i, s in new.items() if i not in old), sum(s for i, s in old.items() if i not in new))


def heap_pair_question(db, want):
    rows = db.rows("js_snapshot_diff", limit=MANY, file=want["file"], previous=want["base"])
    return "%d %d %d %d %d" % tuple(sum(row[c] for row in rows) for c in ("added", "removed", "kept", "added_size", "removed_size"))


def heap_pair_view(db, want):
    reply = db.view("heap/diff", file=want["file"], base=want["base"], by="ids", limit=10000)
    place = {name: i for i, name in enumerate(reply["columns"])}
    if not reply["comparable"]:
        raise Wrong("the page says that the two cannot be compared")
    return "%d %d %s %d %d" % (*(sum(row[place[c]] for row in reply["rows"]) for c in ("new_count", "deleted_count")), heap_pair_read(db, want).split()[2],
                               *(sum(row[place[c]] for row in reply["rows"]) for c in ("new_size", "deleted_size")))


def heap_pair_class(db, want):
    rows = db.diff("--by=class", inputs=(db.path, "--before=%d" % heap_source(db, want["base"]), "--after=%d" % heap_source(db, want["file"])))["rows"]
    new, deleted, new_size, deleted_size = (sum(row[c] or 0 for row in rows) for c in ("new_count", "deleted_count", "new_size", "deleted_size"))
    return "%d %d %s %d %d" % (new, deleted, heap_pair_read(db, want).split()[2], new_size, deleted_size)


def heap_pair_node(db, want):
    rows = db.diff("--by=node", inputs=(db.path, "--before=%d" % heap_source(db, want["base"]), "--after=%d" % heap_source(db, want["file"])))["rows"]
    by = {state: [row for row in rows if row["state"] == state] for state in ("new", "deleted")}
    return "%d %d %s %d %d" % (len(by["new"]), len(by["deleted"]), heap_pair_read(db, want).split()[2], sum(row["self_size_after"] for row in by["new"]),
                               sum(row["self_size_before"] for row in by["deleted"]))


def live_read(db, want):
    """Of a heap timeline: bytes and objects that were allocated, and those of it that are in use."""
    r = db.reader()
    return " ".join(str(sum(v for _, v in r.weigh(r.select(), w))) for w in ("alloc_space", "alloc_objects", "inuse_space", "inuse_objects"))


def live_question(db, want):
    rows = db.rows("js_allocation_stacks", limit=MANY)
    return "%d %d %d %d" % tuple(sum(row[c] for row in rows) for c in ("size", "count", "live_size", "live_count"))


def live_each(ask):
    return lambda db, want: " ".join(str(ask(db, {"weight": w})) for w in ("alloc_space", "alloc_objects", "inuse_space", "inuse_objects"))


def live_first_read(db, want):
    """The stack with most bytes in use: those, its objects, and what it allocated."""
    rows = [tuple(v for _, v in row.values) for row in db.reader().rows]
    size, count, live_size, live_count = max(rows, key=lambda row: row[2])
    return "%d %d %d %d" % (live_size, live_count, size, count)


def live_first_view(db, want):
    """The node with most bytes in use by itself, and what it has of the other weights."""
    trees = {w: db.view("flame", limit=MANY, weight=w) for w in ("inuse_space", "alloc_space")}
    own = {w: dict(zip(t["id"], zip(t["self"], t["counts"]))) for w, t in trees.items()}
    node = max(own["inuse_space"], key=lambda one: own["inuse_space"][one][0])
    count = {w: dict(zip(t["id"], t["self"]))[node] for w, t in ((w, db.view("flame", limit=MANY, weight=w)) for w in ("inuse_objects", "alloc_objects"))}
    if [own[w][node][1] for w in trees] != list(count.values()):
        raise Wrong("node %d counts %s, which are %s objects" % (node, [own[w][node] for w in trees], count))
    return "%d %d %d %d" % (own["inuse_space"][node][0], count["inuse_objects"], own["alloc_space"][node][0], count["alloc_objects"])


def live_first(rows):
    return "%d %d %d %d" % tuple(rows[0][c] for c in ("live_size", "live_count", "size", "count"))


# --- sources -----------------------------------------------------------------------------------------------------------------


def sources_text(rows):
    """Numbers, parents and names of files of the sources."""
    return json.dumps(sorted(rows, key=lambda row: row[0]))


def sources_read(db, want):
    r, found = db.reader(), []
    for i, s in r.sources.items():
        above = i
        while r.sources[above]["path"] is None and r.sources[above]["parent"] is not None:
            above = r.sources[above]["parent"]  # the file that it is in
        length = None if s["start"] is None or s["end"] is None else s["end"] - s["start"]
        found.append((i, s["parent"], s["kind"], r.sources[above]["path"], s["name"], s["format"], s["start"], length))
    return sources_text(found)


def sources_question(db, want):
    return sources_text([tuple(row[c] for c in ("id", "parent_id", "kind", "path", "name", "format", "start_ts", "duration_ns")) for row in db.rows("sources")])


def sources_view(db, want):
    rows = db.view("sources")["sources"]
    return sources_text([(*(row[c] for c in ("id", "parent_id", "kind", "path", "name", "format")), None if row["start"] is None else row["start"] + db.origin(), row["dur"])
                         for row in rows])


def sources_report(db, want):
    """The first five."""
    rows = [tuple(row[c] for c in ("id", "parent_id", "kind", "path", "name", "format", "start_ts", "duration_ns")) for row in db.report("sources")["rows"]]
    known = json.loads(sources_read(db, want))
    return sources_text(rows if len(known) <= 5 else rows + [tuple(row) for row in known[5:]])


# --- what must hold between forms of one profile -------------------------------------------------------------------------------


def one(numbers):
    """The number that all forms have."""
    if len(set(numbers.values())) != 1:
        raise Wrong(", ".join("%s %s" % item for item in numbers.items()))
    return next(iter(numbers.values()))


def forms_read(db, want):
    r, rows = db.reader(), selected(db, want)
    default = r.default(rows)
    if default is None:
        raise Cannot("no stacks")
    return sum(v for row, v in r.weigh(rows, "%s/%s" % default) if row.node is not None)


def forms_question(db, want):
    graph = db.rows("flame_graph", limit=MANY)
    rows = db.rows("hot_methods", limit=MANY)
    return one({"boxes": sum(row["self"] for row in graph), "outermost": sum(row["total"] for row in graph if row["depth"] == 0),
                "folded": sum(int(row["folded"].rsplit(" ", 1)[1]) for row in db.rows("folded_stacks")),
                "methods": sum(row["self"] for row in rows)})


def forms_exported(db, want):
    pprof, _, default, _ = readers.pprof(db.exported("pprof"))
    page, before = readers.flame(db.exported("flame"))
    return one({"folded": sum(readers.folded(db.exported("folded")).values()), "pprof": sum(pprof[default].values()), "flame": sum(page.values())})


def tree_sums(tree):
    """What the outermost boxes of a tree have, and all boxes by themselves; both with what was left out."""
    rest = tree["rest"]
    outer = sum(total for parent, total in zip(tree["parent"], tree["totals"]) if parent < 0)
    return outer + sum(total for parent, total in zip(rest["parent"], rest["total"]) if parent < 0), sum(tree["self"]) + sum(rest["total"])


def forms_view(db, want):
    down = db.view("flame", limit=MANY)
    up = db.view("flame", limit=MANY, order="callers")
    methods = methods_view(db, want)
    weights = {"outermost": tree_sums(down)[0], "boxes": tree_sums(down)[1], "joined": tree_sums(db.view("flame", limit=MANY, join="lines"))[0], "inverted": tree_sums(up)[0],
               "methods": sum(own for _, own, _ in methods)}
    number = one(weights)
    reply = db.view("methods", limit=10000)
    places = [p for p in range(len(reply["method"])) if reply["method"][p] >= 0]
    for place in places if os.environ.get("TS_SLOW") else places[:4]:
        around = db.view("flame", limit=MANY, focus=reply["methods"]["id"][reply["method"][place]])
        got = {"callees": tree_sums(around["callees"])[0], "method": reply["total"][place]}
        if not around["callers_cut"]:
            got["callers"] = tree_sums(around["callers"])[0]
        if len(set(got.values())) != 1:
            raise Wrong("around %s: %s" % (label_of(reply["methods"], reply["method"][place]), got))
    return number


def forms_report(db, want):
    row = db.report("hot_methods")["rows"][0]
    return row["all"] - stackless(db, want)


def forms_diff(db, want):
    return int(sum_method(db, want).split()[1]) - stackless(db, want)


# --- ids of call paths -------------------------------------------------------------------------------------------------------


def frames_of(db):
    """{method: (what an export calls it, its file and line; its key)}"""
    def blob(text):
        return (text or "").encode() if isinstance(text, str) else text or b""

    r, found = db.reader(), {None: (("(unknown)", "", 0), 0)}
    columns = ", ".join("CAST(%s AS BLOB)" % c for c in ("library", "package", "class", "name", "signature", "file"))
    for i, *texts, line in r.db.execute("SELECT id, %s, line FROM stack_method" % columns):
        found[i] = (r.label(i), texts[5] or b"", line or 0), paths.method_key(*texts, line)
    for row in r.rows:
        for method in row.node if isinstance(row.node, tuple) else ():
            _, name, script, line = method + (None,) * (4 - len(method))
            line = line if line and line > 0 else None
            found[method] = (r.label(method), blob(script), line or 0), paths.method_key(name=blob(name), file=blob(script), line=line)
    return found


def certain(db, want):
    """Ids of call paths that weigh something, down to those at which what a frame of an export is and what makes methods one differ."""
    r, methods, found = db.reader(), frames_of(db), set()
    rows = r.select()
    weight = want.get("weight") or "%s/%s" % (r.default(rows) or ("samples", "count"))
    stacks = {r.path(node) for node, value in r.by_path(rows, weight).items() if value > 0 and node is not None}
    used = {methods[m] for stack in stacks for m in stack}
    keys, labels = collections.Counter(key for _, key in used), collections.Counter(frame for frame, _ in used)
    for stack in stacks:
        above = 0
        for method in stack:
            frame, key = methods[method]
            if keys[key] > 1 or labels[frame] > 1:
                break
            above = paths.path_id([key], above=above)
            found.add(paths.hexadecimal(above))
    return found


def paths_text(db, want, ids_of):
    """How many there are in each database and in both, and which."""
    sides = [certain(one, want) & ids_of(one) for one in (db, want["other"])]
    both = sides[0] & sides[1]
    return "%d %d %d %s" % (len(sides[0]), len(sides[1]), len(both), hashlib.sha256(" ".join(sorted(both)).encode()).hexdigest()[:16])


def paths_read(db, want):
    return paths_text(db, want, lambda one: certain(one, want))


def boxes(page):
    """Ids of the boxes of an exported page."""
    data = readers.page_data(page)
    keys, ids = [int(key, 16) for key in data["frames"]["key"]], [0]
    for i, (up, frame) in enumerate(zip(data["nodes"]["parent"], data["nodes"]["frame"]), 1):
        ids.append(paths.path_id([keys[frame]], above=ids[i - up]))
    if len(set(ids)) != len(ids):
        raise Wrong("two boxes of the page have one id")
    return {paths.hexadecimal(i) for i in ids[1:]}


def paths_exported(db, want):
    options = ["--weight=" + want["weight"]] if "weight" in want else []
    text = paths_text(db, want, lambda one: boxes(one.exported("flame", *options)))
    code, page, said = db.run("diff", db.path, want["other"].path, "--to=flame", "-o", "-", "--quiet", *options, codes=range(256))
    if code == 0:
        missing = (certain(db, want) & certain(want["other"], want)) - boxes(page)
        if missing:
            raise Wrong("the page of a difference has not the boxes %s" % sorted(missing)[:3])
    elif code != 2:
        raise Wrong("diff: exit code %d: %s" % (code, said))
    return text


def paths_view(db, want):
    def ids_of(one):
        weight = {k: v for k, v in want.items() if k == "weight"}
        for join in ("methods", "lines", "none"):
            reply = one.view("flame", limit=MANY, join=join, **weight)
            if len(set(reply["path"])) != len(reply["id"]) or (join == "methods" and reply["unstable"]):
                raise Wrong("join=%s: two nodes have one id" % join)
        reply = one.view("flame", limit=MANY, join="methods", **weight)
        for place in range(0, len(reply["path"]), 1 + len(reply["path"]) // 5):
            below = one.view("flame", limit=1, join="methods", root=reply["path"][place], **weight)
            if (below["path"], below["total"]) != ([reply["path"][place]], reply["totals"][place]):
                raise Wrong("root=%s opens %s" % (reply["path"][place], below["path"]))
        up = one.view("flame", limit=MANY, order="callers", **weight)
        for place in range(0, len(up["path"]), 1 + len(up["path"]) // 5):
            below = place not in up["unstable"] and one.view("flame", limit=1, order="callers", root=up["path"][place], **weight)
            if below and below["path"] != [up["path"][place]]:
                raise Wrong("upside down, root=%s opens %s" % (up["path"][place], below["path"]))
        return set(reply["path"])
    return paths_text(db, want, ids_of)


# --- the same with itself, unknown names ------------------------------------------------------------------------------------


def itself_read(db, want):
    return 0


def itself_diff(db, want):
    """Rows that differ between a database and its copy, in all that can be compared."""
    copy = db.path + ".copy"
    if not os.path.exists(copy):
        shutil.copyfile(db.path, copy)
    said = db.run("diff", db.path, copy)[2]
    kinds = re.search(r"compared by (\w+)(?:; --by can also be (.*))?$", said, re.M)
    kinds = [kinds.group(1)] + (kinds.group(2) or "").split(", ")
    found = {kind: len(db.diff("--by=" + kind, inputs=(db.path, copy))["rows"]) for kind in kinds if kind}
    return {kind: n for kind, n in found.items() if n} or 0


def unknown_read(db, want):
    return "refused, nearest worker-1"


def refused(texts):
    for what, code, said in texts:
        if code != 2:
            raise Wrong("%s: exit code %d: %s" % (what, code, said))
        if "worker-1" not in said or want_name(said):
            raise Wrong("%s: %s" % (what, said))
    return "refused, nearest worker-1"


def want_name(said):
    return "workr-1" not in said


def unknown_question(db, want):
    names = ("hot_methods", "flame_graph", "folded_stacks", "thread_flame_graph", "threads", "cpu_timeline_buckets")
    return refused([(name, *db.run(db.path, "-q", name, "--param", "thread=workr-1", "--quiet", codes=range(256))[::2]) for name in names])


def unknown_exported(db, want):
    listed = {line.split()[0] for line in db.run("--to=list")[1].decode().splitlines()} - {"parquet", "clickhouse"}  # tables of all threads
    found = [(name, *db.run(db.path, "--to=" + name, "-o", "-", "--thread=workr-1", "--quiet", codes=range(256))[::2]) for name in sorted(listed)]
    return refused([one for one in found if "cannot be given" not in one[2]])


def unknown_view(db, want):
    found = []
    for name in ("flame", "methods", "weights", "timeline", "slices", "chart"):
        times = {} if name in ("flame", "methods", "weights", "chart") else {"from_": 0, "to": 1}
        try:
            db.view(name, thr="workr-1", **times)
            found.append((name, 0, "no error"))
        except Cannot as e:
            found.append((name, 2, str(e)))
    return refused(found)


def unknown_diff(db, want):
    return refused([("diff", *db.run("diff", db.path, "--before=none", "--thread=workr-1", codes=range(256))[::2])])


# --- all of them ---------------------------------------------------------------------------------------------------------------

SUMS = {"reader": sum_read, "Q:flame_graph": sum_flame_graph, "Q:folded_stacks": sum_folded_stacks, "Q:hot_methods": sum_hot_methods, "Q:alloc_hot_methods": sum_alloc,
        "Q:cpu_hot_methods": sum_cpu, "Q:slice_hot_methods": sum_slices, "T:folded": sum_folded, "T:pprof": sum_pprof, "P:flame": sum_flame, "P:weights": sum_weights,
        "R:40": sum_report, "D:method": sum_method}
METHODS = {"reader": methods_read, "Q:hot_methods": methods_hot, "P:methods": methods_view, "D:method": methods_diff, "T:pprof": methods_pprof, "T:folded": methods_folded}
SPENT = {"reader": spent_read, "Q:threads": spent_question, "P:threads": spent_view, "R:36": report_threads}
ASK = {
    "sum": SUMS,
    "reasons": {"reader": reasons, "Q:waiting": reasons_question, "R:waiting": reasons_report, "T:folded": each_reason(sum_folded), "P:flame": each_reason(sum_flame),
                "D:method": each_reason(sum_method)},
    "method": dict({key: by_name(ask) for key, ask in METHODS.items()}, **{"R:40": report_method, "R:45": report_alloc, "Q:alloc_hot_methods": question_alloc,
                                                                         "Q:slice_hot_methods": question_slices}),
    "sources_of": {"reader": read_method_sources, "Q:hot_methods": sources_of_method},
    "sources": {"reader": sources_read, "Q:sources": sources_question, "P:sources": sources_view, "R:10": sources_report},
    "threads": SPENT,
    "cpu": {key: thread_column(ask, "cpu") for key, ask in SPENT.items()},
    "waiting": {key: thread_column(ask, "waiting") for key, ask in SPENT.items()},
    "cpu_sum": {key: thread_sum(ask) for key, ask in SPENT.items()},
    "pauses": {"reader": pauses_read, "P:lanes": pauses_lanes, "Q:longest_pauses": pauses_question, "R:60": pauses_report, "D:pause": pauses_diff},
    "waits": {"reader": waits_read, "P:lanes": waits_lanes, "Q:lock_waits": waits_question, "R:waiting": waits_report},
    "calls": {"reader": calls_read, "Q:slow_calls": calls_question, "P:calls/scatter": calls_scatter},
    "calls_cpu": {"reader": lambda db, want: int(calls_read(db, want).split()[0]), "D:call": calls_diff},
    "longest_call": {"reader": calls_longest_read, "Q:slow_calls": lambda db, want: calls_longest(db.rows("slow_calls", limit=1)), "R:50": lambda db, want: calls_longest(db.report("slow_calls")["rows"])},
    "longest_call_times": {"reader": lambda db, want: " ".join(calls_longest_read(db, want).split()[:2]),
                           "P:calls/scatter": lambda db, want: "%d %d" % tuple(db.view("calls/scatter")["longest"][c] for c in ("dur", "cpu_dur"))},
    "longest_call_dur": {"reader": lambda db, want: int(calls_longest_read(db, want).split()[0]), "D:call": calls_longest_diff},
    "calls_number": {"reader": calls_number_read, "Q:slow_calls": calls_number_question},
    "calls_begun": {"reader": begun_read, "Q:slow_calls": begun_question, "P:calls/scatter": begun_scatter},
    "slices": {"reader": slices_read, "Q:slices": slices_question, "P:find": slices_find, "R:slices": slices_report},
    "slices_cpu": {"reader": slices_cpu_read, "Q:slices": lambda db, want: slices_cpu(db.rows("slices")), "R:slices": lambda db, want: slices_cpu(db.report("slices")["rows"])},
    "measured": {"reader": measured_read, "Q:series": lambda db, want: "%d %d %d" % series_question(db, want)[:3], "P:lanes": lambda db, want: "%d %d %d" % counter(db, want)[:3],
                 "D:series": measured_diff},
    "found": {"reader": found_read, "P:find": found_find},
    "first_mark": {"reader": marks_first_read, "Q:hot_slices": marks_first_question},
    "marks": {"reader": lambda db, want: sum(row.own or 0 for row in db.reader().rows), "Q:hot_slices": marks_sum_question},
    "cpu_busy": {"reader": cpu_busy_read, "Q:cpu_busy": cpu_busy_question, "P:lanes": lambda db, want: " ".join(map(str, cpu_lanes(db))), "R:cpu_busy": cpu_busy_report},
    "scheduled": {"reader": scheduled_read, "Q:cpu_busy": scheduled_question, "P:lanes": lambda db, want: sum(cpu_lanes(db)), "R:cpu_busy": lambda db, want: sum(row["busy_dur"] for row in db.report("cpu_busy")["rows"])},
    "series": {"reader": series_read, "Q:series": lambda db, want: series_text(*series_question(db, want)), "P:lanes": lambda db, want: series_text(*counter(db, want)), "D:series": series_diff, "T:chrome-json": series_chrome},
    "heap_files": {"reader": heap_files_read, "Q:js_class_histogram": heap_files_question, "P:heap/classes": heap_files_view, "D:class": heap_files_diff},
    "heap_class": {"Q:js_class_histogram": heap_class_question, "P:heap/classes": heap_class_view, "D:class": heap_class_diff, "R:30": heap_class_report},
    "heap_pair": {"reader": heap_pair_read, "Q:js_snapshot_diff": heap_pair_question, "P:heap/diff": heap_pair_view, "D:class": heap_pair_class, "D:node": heap_pair_node},
    "live": {"reader": live_read, "Q:js_allocation_stacks": live_question, "T:folded": live_each(sum_folded), "P:flame": live_each(sum_flame), "D:method": live_each(sum_method)},
    "live_first": {"reader": live_first_read, "P:flame": live_first_view, "Q:js_allocation_stacks": lambda db, want: live_first(db.rows("js_allocation_stacks")),
                   "R:35": lambda db, want: live_first(db.report("js_allocation_stacks")["rows"])},
    "forms": {"reader": forms_read, "Q:all": forms_question, "T:all": forms_exported, "P:all": forms_view, "R:40": forms_report, "D:method": forms_diff},
    "itself": {"reader": itself_read, "D:all": itself_diff},
    "paths": {"reader": paths_read, "T:flame": paths_exported, "P:flame": paths_view},
    "unknown": {"reader": unknown_read, "Q:all": unknown_question, "T:all": unknown_exported, "P:all": unknown_view, "D:all": unknown_diff},
}
