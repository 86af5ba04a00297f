"""views.py GROUP PROGRAM TOOL SOURCE: the views of the server, compared with what SQL gives for the same question.

GROUP is one of stacks: flame, methods and threads; weights: what is known of the bundled recordings; time: timeline, slices, counters and chart; heap; calls; hostile: databases with rows that make no sense.
Each is asked of databases of the bundled recordings and of random rows, by the file's pages and by SQL (--sql).
"""
import collections
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

GROUP, PROGRAM, TOOL, SOURCE = sys.argv[1:5]
SLOW = bool(os.environ.get("TS_SLOW"))
EVER = 9_000_000_000_000_000_000
KEPT = {}
RECORDINGS = {
    "stacks": ["recording-cpuprofile.htrace.gz", "recording-cloud.tar.gz", "go-cpu.pprof", "go-heap.pprof", "go-mutex.pprof", "work.jfr.gz", "sessions.heapprofile", "kernel.htrace.gz", "Trace-page.json.gz"],
    "weights": ["work.jfr.gz", "work21.jfr.gz", "recording-cpuprofile.htrace.gz", "tiny/profile.cpuprofile", "Trace-page.json.gz", "node_trace.1.log.gz", "go-cpu.pprof",
                "go-heap.pprof", "go-mutex.pprof", "node-time.pprof", "node-heap.pprof", "sessions.heapprofile", "recording-cloud.tar.gz"],
    "time": ["kernel.htrace.gz", "kernel.ftrace", "kernel.sys", "recording-cpuprofile.htrace.gz", "recording-cloud.tar.gz", "work.jfr.gz", "counters.trace.json", "node_trace.1.log.gz", "Trace-page.json.gz"],
    "heap": ["recording-snapshots.htrace.gz", "recording-timeline.htrace.gz"],
    "calls": ["recording-cloud.tar.gz"],
    "hostile": [],
}


def check(condition, text):
    if not condition:
        raise SystemExit(f"WRONG: {text}")


def same(got, expected, what):
    if got != expected:
        if isinstance(got, dict) and isinstance(expected, dict):
            for key in sorted(set(got) | set(expected), key=str):
                if got.get(key) != expected.get(key):
                    raise SystemExit(f"WRONG: {what}: {key}: {got.get(key)} instead of {expected.get(key)}")
        if isinstance(got, list) and isinstance(expected, list):
            for i, (a, b) in enumerate(zip(got, expected)):
                if a != b:
                    raise SystemExit(f"WRONG: {what}: row {i} of {len(got)}: {a} instead of {b}")
            raise SystemExit(f"WRONG: {what}: {len(got)} rows instead of {len(expected)}")
        raise SystemExit(f"WRONG: {what}: {got} instead of {expected}")


class Database:
    """A database, and the tool that answers for it."""

    def __init__(self, path, *options):
        self.path = path
        self.sql = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.sql.text_factory = lambda b: b.decode("utf-8", "replace")
        self.sql.create_function("tenths", 1, lambda dur: None if dur is None else len(str(dur ** 10)) - 1)
        self.tool = subprocess.Popen([TOOL, path, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.origin = (self.rows("SELECT start_ts FROM trace_range LIMIT 1") or [(0,)])[0][0] or 0
        self.name = os.path.basename(path) + "".join(options)

    def rows(self, sql, **values):
        return self.sql.execute(sql, values).fetchall()

    def once(self, sql):
        """The rows of a slow statement, for all that ask for them."""
        key = (self.path, sql)
        if key not in KEPT:
            KEPT[key] = self.rows(sql)
        return KEPT[key]

    def ask(self, view, **values):
        if "from_" in values:
            values["from"] = values.pop("from_")
        request = view + "?" + "&".join(f"{k}={urllib.parse.quote(str(v), safe=',')}" for k, v in values.items() if v is not None)
        self.tool.stdin.write(request.encode() + b"\n")
        self.tool.stdin.flush()
        line = self.tool.stdout.readline()
        check(line.endswith(b"\n"), f"{self.name}: {request}: the tool ended with {self.tool.poll()}")
        return json.loads(line)

    def view(self, view, **values):
        reply = self.ask(view, **values)
        check("error" not in reply, f"{self.name}: {view} {values}: {reply.get('error')}")
        return reply

    def close(self):
        self.tool.stdin.close()
        code = self.tool.wait()
        self.sql.close()
        check(code == 0, f"{self.name}: the tool ended with {code}")


# --- stacks ------------------------------------------------------------------------------------------------------------------

# A source means what was found in it, too.
BELOW = "(WITH RECURSIVE below(id) AS (SELECT :source UNION SELECT o.id FROM below JOIN source AS o ON o.parent_id = below.id) SELECT id FROM below)"
FILTER = """ AND (:source IS NULL OR source_id IN """ + BELOW + """) AND (:itid IS NULL OR itid = :itid) AND (:event IS NULL OR event = :event)"""
WALL = """SELECT node_id, sum(min(ts + dur, :to) - max(ts, :from)), count(*) FROM stack_sample
WHERE node_id IS NOT NULL AND dur >= 0 AND ts < :to AND (ts >= :from OR ts + dur > :from) AND :from < :to""" + FILTER + " GROUP BY node_id"
WALL_ALL = "SELECT node_id, sum(dur), count(*) FROM stack_sample WHERE node_id IS NOT NULL AND dur >= 0" + FILTER + " GROUP BY node_id"
COUNT = "SELECT node_id, count(*), count(*) FROM stack_sample WHERE node_id IS NOT NULL AND ts >= :from AND ts < :to" + FILTER + " GROUP BY node_id"
COUNT_ALL = "SELECT node_id, count(*), count(*) FROM stack_sample WHERE node_id IS NOT NULL" + FILTER + " GROUP BY node_id"
SELF = """SELECT node_id, ifnull(sum(self_dur), 0), count(*) FROM stack_slice WHERE node_id IS NOT NULL AND ts >= :from AND ts < :to
AND (:source IS NULL OR source_id IN """ + BELOW + """) AND (:itid IS NULL OR itid = :itid) AND :event IS NULL GROUP BY node_id"""
SELF_ALL = SELF.replace("ts >= :from AND ts < :to", "1")
# Values are of the moment when the sample was taken; those in ns are as much of them as of the sample's time is in the range.
VALUE = """SELECT s.node_id, sum(CASE WHEN t.unit IN ('ns', 'nanoseconds') AND s.dur > 0 THEN CAST(v.value * (min(s.ts + s.dur, :to) - max(s.ts, :from)) / s.dur AS INTEGER) ELSE v.value END), count(*)
FROM stack_sample_value AS v CROSS JOIN stack_sample AS s ON s.id = v.sample_id CROSS JOIN stack_value_type AS t ON t.id = v.value_type_id
WHERE t.name = :name AND s.node_id IS NOT NULL AND (s.ts >= :from AND s.ts < :to OR t.unit IN ('ns', 'nanoseconds') AND s.ts < :to AND s.ts + s.dur > :from AND :from < :to)
AND (:source IS NULL OR s.source_id IN """ + BELOW + """) AND (:itid IS NULL OR s.itid = :itid) AND (:event IS NULL OR s.event = :event) GROUP BY s.node_id"""
VALUE_ALL = """SELECT s.node_id, sum(v.value), count(*) FROM stack_sample_value AS v CROSS JOIN stack_sample AS s ON s.id = v.sample_id
WHERE v.value_type_id IN (SELECT id FROM stack_value_type WHERE name = :name) AND s.node_id IS NOT NULL
AND""" + VALUE.split("\nAND", 1)[1]


def below(db, source):
    return {i for i, in db.rows("SELECT id FROM " + BELOW, source=source)}


def weights(db, kind, weight, ranged, name=None, **values):
    if weight in ("cpu", "value"):
        rows = db.rows(VALUE if ranged else VALUE_ALL, name=name or "cpu", **values)
    elif kind == "slice":
        rows = db.rows(SELF if ranged else SELF_ALL, **values)
    else:
        rows = db.rows({"dur": (WALL_ALL, WALL), "samples": (COUNT_ALL, COUNT)}[weight][ranged], **values)
    return {node: (total, count) for node, total, count in rows}


def parents(db):
    return {node: (parent, method, line) for node, parent, method, line in db.rows("SELECT id, parent_id, method_id, line FROM stack_node ORDER BY id")}


def sum_up(expected, tree):
    """Totals of all nodes that have rows below them."""
    totals = collections.defaultdict(int)
    counts = collections.defaultdict(int)
    for node, (total, count) in expected.items():
        while node is not None:
            totals[node] += total
            counts[node] += count
            node = tree[node][0]
    return totals, counts


def check_flame(db, reply, expected, tree, limit, what):
    """Every row of the reply; what is left out is lighter than what is there and is in `rest`."""
    totals, counts = sum_up(expected, tree)
    ids = reply["id"]
    shown = {node: i for i, node in enumerate(ids)}
    check(len(shown) == len(ids) == min(limit, len(totals)), f"{what}: {len(ids)} nodes of {len(totals)}")
    methods = reply["methods"]["id"]
    for i, node in enumerate(ids):
        parent, method, line = tree[node]
        got = (reply["parent"][i], methods[reply["method"][i]] if reply["method"][i] >= 0 else None, reply["line"][i], reply["self"][i], reply["totals"][i], reply["counts"][i])
        same(got, (shown[parent] if parent is not None else -1, method, line, *((expected.get(node, (0, 0))[0], totals[node], expected.get(node, (0, 0))[1]))), f"{what}: node {node}")
    rest = collections.defaultdict(lambda: [0, 0])
    for node in totals:
        parent = tree[node][0]
        if node not in shown and (parent is None or parent in shown):
            rest[-1 if parent is None else shown[parent]][0] += 1
            rest[-1 if parent is None else shown[parent]][1] += totals[node]
    same(dict(zip(reply["rest"]["parent"], zip(reply["rest"]["n"], reply["rest"]["total"]))), {k: tuple(v) for k, v in rest.items()}, f"{what}: rest")
    check_order(reply, totals, shown, what)
    if len(shown) < len(totals) and min(total for total, _ in expected.values()) >= 0: # else a node may be lighter than one below it
        check(min(totals[n] for n in shown) >= max(totals[n] for n in totals if n not in shown), f"{what}: lighter nodes are shown")
    same(reply["total"], sum(t for node, t in totals.items() if tree[node][0] is None), f"{what}: total")


def check_order(reply, totals, shown, what):
    """Pre-order: a parent directly before its first child, siblings by falling weight, equal ones by id."""
    before = {}
    open_nodes = []
    for i, node in enumerate(reply["id"]):
        parent = reply["parent"][i]
        while open_nodes and open_nodes[-1] != parent:
            open_nodes.pop()
        check(bool(open_nodes) == (parent >= 0), f"{what}: node {node} does not stand below its parent")
        key = (-totals[node], node)
        check(parent not in before or before[parent] < key, f"{what}: node {node} is heavier than the one before")
        before[parent] = key
        open_nodes.append(i)


def check_names(db, reply, what):
    labels = dict(db.rows("SELECT id, ifnull(nullif(package, '') || '.', '') || ifnull(nullif(class, '') || '.', '') || ifnull(nullif(name, ''), '(anonymous)') FROM stack_method"))
    rest = {row[0]: row[1:] for row in db.rows("SELECT id, file, line, package, library FROM stack_method")}
    m = reply["methods"]
    same(len(m["texts"]), len(set(m["texts"])), f"{what}: shared texts")
    shared = {-1: None, **dict(enumerate(m["texts"]))}
    for i, method in enumerate(m["id"]):
        same((m["name"][i], shared[m["file"][i]], m["line"][i], shared[m["package"][i]], shared[m["library"][i]]), (labels[method], *rest[method]), f"{what}: method {method}")


def which_is_one(db):
    """{method: the least of those that are the same one, in whatever recording}"""
    return dict(db.once("SELECT id, key_id FROM v_method"))


def check_methods(db, kind, weight, name, event, what, **values):
    """v_stack_hot_method has it for all rows of a source and an event."""
    rows = collections.defaultdict(lambda: [0, 0])
    one = which_is_one(db)
    wanted = ("call" if kind == "slice" else "cpu" if name == "cpu" else event, {"self": "self_dur"}.get(weight, name or weight))
    sources = below(db, values["src"])
    for source, row_event, row_value, method, own, total in db.once("SELECT source_id, event, value, method_id, self, total FROM v_stack_hot_method"):
        if (values["src"] is None or source in sources) and (row_event, row_value) == wanted:
            rows[one.get(method)][0] += own
            rows[one.get(method)][1] += total
    reply = db.view("methods", kind=kind, weight=weight, value=name, event=event, limit=10000, **values)
    ids = reply["methods"]["id"]
    got = {(ids[m] if m >= 0 else None): (reply["self"][i], reply["total"][i]) for i, m in enumerate(reply["method"])}
    idle = {i for i, in db.rows("SELECT id FROM stack_method WHERE name = '(idle)'")}  # which the view leaves out whatever it stands for
    many = {m for m, n in collections.Counter(one.values()).items() if n > 1}  # one may call the other: totals are not added up
    part = lambda m, sums: sums[0] if m in many else tuple(sums)
    same({m: part(m, sums) for m, sums in got.items() if m not in idle}, {m: part(m, sums) for m, sums in rows.items() if sums[1]}, what)
    check(reply["self"] == sorted(reply["self"], reverse=True), f"{what}: not sorted")
    by_total = db.view("methods", kind=kind, weight=weight, value=name, event=event, limit=3, offset=1, sort="total", **values)
    same(by_total["total"], sorted((t for _, t in got.values()), reverse=True)[1:4], f"{what}: by total")


def joined(expected, tree, start=None):
    """The tree with the callees of a method joined, below `start` (a set of outermost nodes) or all: path of methods -> weight."""
    paths = {}
    result = collections.defaultdict(lambda: [0, 0])
    for node, (parent, method, _) in tree.items():
        above = paths.get(parent)
        if start is None:
            paths[node] = (above or ()) + (method,)
        elif above is not None or node in start:
            paths[node] = (above or ()) + (method,)
        if node in paths and node in expected:
            result[paths[node]][0] += expected[node][0]
            result[paths[node]][1] += expected[node][1]
    return {k: tuple(v) for k, v in result.items()}


def reply_paths(reply, methods):
    paths = []
    for i, parent in enumerate(reply["parent"]):
        method = methods[reply["method"][i]] if reply["method"][i] >= 0 else None
        paths.append((paths[parent] if parent >= 0 else ()) + (method,))
    return {paths[i]: (reply["self"][i], reply["counts"][i]) for i in range(len(paths)) if reply["counts"][i]}


def check_sandwich(db, tree, expected, kind, weight, name, what):
    counts = collections.Counter(tree[node][1] for node in expected)
    totals, own = sum_up(expected, tree)
    one = which_is_one(db)
    for focus in [m for m, _ in counts.most_common(3) if m is not None]:
        inside = set()
        outermost = set()
        for node, (parent, method, _) in tree.items():
            if parent in inside:
                inside.add(node)
            elif method is not None and one.get(method) == one.get(focus):
                inside.add(node)
                outermost.add(node)
        callers = collections.defaultdict(lambda: [0, 0])
        for node in outermost:
            path = ()
            at = node
            while at is not None:
                path += (tree[at][1],)
                at = tree[at][0]
            if own[node]:
                callers[path][0] += totals[node]
                callers[path][1] += own[node]
        reply = db.view("flame", kind=kind, weight=weight, value=name, focus=focus, limit=100000)
        methods = reply["methods"]["id"]
        same(reply_paths(reply["callees"], methods), joined(expected, tree, outermost), f"{what}: callees of {focus}")
        same(reply_paths(reply["callers"], methods), {k: tuple(v) for k, v in callers.items()}, f"{what}: callers of {focus}")


def filter_text(texts):
    """A pattern that fits some of the texts, and the same for Python."""
    name = random.choice(texts)
    low = random.randrange(len(name))
    part = name[low:low + random.randrange(1, 9)].strip() or name.strip() or "x"
    kind = random.randrange(4)
    if kind == 0 and not (part.startswith("/") and part.endswith("/") and len(part) > 2):
        return part, re.escape(part)
    if kind == 1:
        part = "^" + re.sub(r"[^A-Za-z0-9_]", ".", name) + "$"
    elif kind == 2:
        part = r"\b[%s]\w{0,3}|\((?:idle|root)\)" % random.choice(["a-m", "^a-m.", r"\d", "A-F"])
    else:
        part = "(" + re.sub(r"[^A-Za-z0-9_]", "[^x]", part) + ")+"
    return f"/{part}/", part


def check_filters(db, tree, expected, kind, weight, name, what):
    """Stacks with and without some frames, and frames that are taken out of them, of all call paths."""
    methods = {row[0]: row[1:] for row in db.rows("""SELECT id, ifnull(nullif(package, '') || '.', '') || ifnull(nullif(class, '') || '.', '') || ifnull(nullif(name, ''), '(anonymous)'),
        CASE WHEN ifnull(file, '') <> '' THEN file || CASE WHEN line > 0 THEN ':' || line ELSE '' END END, name FROM stack_method""")}
    texts = [t for row in methods.values() for t in row[:2] if t is not None and len(t) < 100 and t.isascii() and t.isprintable()]
    for i in range(6 if texts else 0):
        given = {}
        fits = {"only": set(methods), "ignore": set(), "hide": set()}
        for one in random.sample(sorted(fits), random.randrange(1, 4)):
            given[one], pattern = filter_text(texts)
            fits[one] = {m for m, row in methods.items() if any(t is not None and re.search(pattern, t, re.I | re.A) for t in row[:2])}
        no_idle = random.random() < 0.3
        idle = no_idle and db.rows("SELECT 1 FROM event_class WHERE reason = 'idle'") != []
        fits["ignore"] |= {m for m, row in methods.items() if idle and row[2] == "(idle)"}
        result = collections.defaultdict(lambda: [0, 0])
        lost = [0, 0]
        for node, values in expected.items():
            path = []
            while node is not None:
                node, method, _ = tree[node]
                path.insert(0, method)
            if ("only" in given and not set(path) & fits["only"]) or set(path) & fits["ignore"]:
                continue
            path = tuple(m for m in path if m not in fits["hide"])
            to = result[path] if path else lost
            to[0] += values[0]
            to[1] += values[1]
        reply = db.view("flame", kind=kind, weight=weight, value=name, limit=1000000, join="lines", idle="without" if no_idle else "with", **given)
        same(reply_paths(reply, reply["methods"]["id"]), {k: tuple(v) for k, v in result.items()}, f"{what}: {given} {no_idle}")
        turned = db.view("flame", kind=kind, weight=weight, value=name, limit=1000000, order="callers", idle="without" if no_idle else "with", **given)
        same(reply_paths(turned, turned["methods"]["id"]), {k[::-1]: tuple(v) for k, v in result.items()}, f"{what}: {given} {no_idle}, inverted")
        same((turned["all"], turned["no_stack"], turned["total"], turned["count"]), (reply["all"], reply["no_stack"], reply["total"], reply["count"]), f"{what}: {given}, inverted, sums")
        plain = db.view("flame", kind=kind, weight=weight, value=name, limit=1)
        same(reply["all"], {"total": min(sum(t for t, _ in expected.values()), 2**63 - 1), "count": sum(c for _, c in expected.values())}, f"{what}: {given}, all")
        same(reply["no_stack"]["count"] - plain["no_stack"]["count"], lost[1], f"{what}: {given}, of which nothing is left")


def check_inverted(db, tree, expected, kind, weight, name, what):
    """Paths upside down: the heaviest beginnings of all of them, what is left out below each, and what lies below one of them."""
    paths = collections.defaultdict(lambda: [0, 0])
    for node, values in expected.items():
        path = ()
        while node is not None:
            path += (tree[node][1],)
            node = tree[node][0]
        paths[path][0] += values[0]
        paths[path][1] += values[1]
    below = collections.defaultdict(lambda: [0, 0])
    for path, (total, count) in paths.items():
        for n in range(1, len(path) + 1):
            below[path[:n]][0] += total
            below[path[:n]][1] += count
    below = {path: total for path, (total, count) in below.items() if count}
    options = {"kind": kind, "weight": weight, "value": name, "order": "callers"}
    for limit in (1, 7, 1000000):
        reply = db.view("flame", limit=limit, **options)
        ids = reply["methods"]["id"]
        shown = []
        for parent, method in zip(reply["parent"], reply["method"]):
            shown.append((shown[parent] if parent >= 0 else ()) + (ids[method] if method >= 0 else None,))
        where = f"{what}: inverted, {limit}"
        places = {path: i for i, path in enumerate(shown)}
        same(len(places), min(limit, len(below)), where)
        capped = lambda v: max(min(v, 2**63 - 1), -2**63)
        same(dict(zip(shown, zip(reply["totals"], reply["self"], reply["counts"]))), {path: (capped(below[path]), capped(paths.get(path, (0, 0))[0]), paths.get(path, (0, 0))[1]) for path in shown}, where)
        rest = collections.defaultdict(lambda: [0, 0])
        for path, total in below.items():
            if path not in places and (len(path) == 1 or path[:-1] in places):
                at = places[path[:-1]] if len(path) > 1 else -1
                rest[at][0] += 1
                rest[at][1] += total
        same(dict(zip(reply["rest"]["parent"], zip(reply["rest"]["n"], reply["rest"]["total"]))), {k: (n, capped(total)) for k, (n, total) in rest.items()}, f"{where}: rest")
        if 0 < len(shown) < len(below) and min(total for total, _ in paths.values()) >= 0:
            check(min(below[path] for path in shown) >= max(total for path, total in below.items() if path not in places), f"{where}: lighter nodes are shown")
        for i in random.sample(range(len(shown)), min(3, len(shown))):
            path = shown[i]
            node = reply["leaf"][i]
            for method in path[:-1]:
                same(tree[node][1], method, f"{where}: the path of node {i}")
                node = tree[node][0]
            same((node, tree[node][1]), (reply["id"][i], path[-1]), f"{where}: node {i}")
            part = db.view("flame", limit=1000000, root=reply["id"][i], leaf=reply["leaf"][i], **options)
            same(reply_paths(part, part["methods"]["id"]), {p[len(path) - 1:]: tuple(v) for p, v in paths.items() if p[:len(path)] == path and v[1]}, f"{where}: below {path}")


def check_zoom(db, tree, expected, kind, weight, name, what):
    totals, _ = sum_up(expected, tree)
    for root in random.sample(sorted(totals), min(3, len(totals))):
        below = {root}
        for node, (parent, _, _) in tree.items():
            if parent in below:
                below.add(node)
        inside = {node: (None if node == root else parent, method, line) for node, (parent, method, line) in tree.items() if node in below}
        reply = db.view("flame", kind=kind, weight=weight, value=name, root=root, limit=20)
        check_flame(db, reply, {n: v for n, v in expected.items() if n in below}, inside, 20, f"{what}: below {root}")


def check_threads(db):
    names = ("source_id", "itid", "pid", "process", "tid", "thread", "tid_kind", "event", "count", "dur", "cpu_dur")
    key = lambda row: tuple((v is not None, v) for v in row)
    rows = db.view("threads", limit=10000)["threads"]
    done = starts.run([PROGRAM, db.path, "-q", "threads", "--param", "limit=100000", "--output=json", "--quiet"], capture_output=True, text=True)
    if done.returncode == 0: # a database has threads that nothing is known of
        spent = ("cpu_dur", "wait_dur", "paused", "unknown", "length")
        asked = {(r["itid"], None if r["itid"] is not None else r["source_id"]): tuple(r[n] for n in spent) for r in json.loads(done.stdout)}
        shown = {(t["itid"], None if t["itid"] is not None else t["source_id"]): tuple(t["busy_dur" if n == "cpu_dur" else n] for n in spent) for t in rows}
        same({k: v for k, v in shown.items() if k in asked}, asked, f"{db.name}: what threads did")
    else:
        same(done.returncode, 2, f"{db.name}: {done.stderr}")
    got = [tuple(t[n] for n in names) for t in rows if t["kind"] != "sched"]
    same(sorted(got, key=key), sorted(db.once(f"SELECT {', '.join(names)} FROM v_thread_cpu"), key=key), f"{db.name}: threads")


def stack_kinds(db):
    """(kind, weight, name of the value)"""
    kinds = []
    if db.rows("SELECT 1 FROM stack_sample WHERE node_id IS NOT NULL LIMIT 1"):
        kinds += [("sample", "dur", None), ("sample", "samples", None)]
    for name, unit in db.rows("SELECT DISTINCT name, unit FROM stack_value_type"):
        kinds.append(("sample", "value", name))
        if (name, unit) == ("cpu", "ns"):  # all that is CPU time there
            kinds.append(("sample", "cpu", None))
    if db.rows("SELECT 1 FROM stack_slice LIMIT 1"):
        kinds.append(("slice", "self", None))
    return kinds


def check_difference(db, tree, kind, weight, name, sources, span):
    """What is there now and what was before, joined by methods that are one: two sources, two ranges; whole and with nodes left out."""
    one = which_is_one(db)
    keyed = {node: (parent, one.get(method), line) for node, (parent, method, line) in tree.items()}
    begin, middle, end = span[0], (span[0] + span[1]) // 2, span[1] + 1
    sides = [({"source": a}, {"source": b}) for a, b in zip(sources, sources[1:])][:4]
    sides += [({"from": middle, "to": end}, {"from": begin, "to": middle})] if middle > begin else []
    for now, then in sides:
        both = []
        for side in (now, then):
            values = {"source": None, "itid": None, "event": None, "from": 0, "to": 0, **side}
            both.append(joined(weights(db, kind, weight, "from" in side, name, **values), keyed))
        asked = {"kind": kind, "weight": weight, "value": name}
        asked |= {"src": now["source"], "before_src": then["source"]} if "source" in now else {
            "from_": now["from"] - db.origin, "to": now["to"] - db.origin, "before_from": then["from"] - db.origin, "before_to": then["to"] - db.origin}
        what = f"{db.name}: difference {asked}"
        reply = db.view("flame", limit=1000000, **asked)
        older = {"parent": reply["parent"], "method": reply["method"], "self": reply["before"]["self"], "counts": reply["before"]["self"]}
        same(reply_paths(reply, reply["methods"]["id"]), both[0], what)
        same({k: own for k, (own, _) in reply_paths(older, reply["methods"]["id"]).items()}, {k: own for k, (own, _) in both[1].items() if own != 0}, what + ": before")
        same([reply["total"], reply["before"]["all"]], [sum(own for own, _ in side.values()) for side in both], what + ": sums")
        for limit in (1, 5):
            cut = db.view("flame", limit=limit, **asked)
            for own, totals, rest, all_of in ((cut["self"], cut["totals"], cut["rest"]["total"], reply["total"]), (cut["before"]["self"], cut["before"]["totals"], cut["before"]["rest"], reply["before"]["all"])):
                sums = collections.Counter()
                for parent, total in [*zip(cut["parent"], totals), *zip(cut["rest"]["parent"], rest)]:
                    sums[parent] += total
                same([t for t in totals], [own[i] + sums[i] for i in range(len(totals))], f"{what}: {limit} nodes and the rest")
                same(sums[-1], all_of, f"{what}: {limit} nodes, all")
    check("order=callers" in db.ask("flame", order="callers", before_from=0)["error"]["message"], f"{db.name}: a difference upside down")


def check_stacks(db, ranges):
    tree = parents(db)
    check_threads(db)
    begin, end = db.rows("SELECT min(a), max(b) FROM (SELECT min(ts) AS a, max(ts + ifnull(dur, 0)) AS b FROM stack_sample UNION ALL SELECT min(ts), max(ts + ifnull(dur, 0)) FROM stack_slice)")[0]
    sources = [None] + [s for s, in db.rows("SELECT DISTINCT source_id FROM stack_sample UNION SELECT DISTINCT source_id FROM stack_slice") if s is not None]
    threads = [None] + [t for t, in db.rows("SELECT DISTINCT itid FROM stack_sample UNION SELECT DISTINCT itid FROM stack_slice") if t is not None]
    events = [None] + [e for e, in db.rows("SELECT DISTINCT event FROM stack_sample") if e is not None]
    kinds = stack_kinds(db)
    for kind, weight, name in kinds:
        what = f"{db.name}: {kind} {weight} {name or ''}"
        expected = weights(db, kind, weight, False, name, source=None, itid=None, event=None)
        reply = db.view("flame", kind=kind, weight=weight, value=name, limit=1000000)
        check_flame(db, reply, expected, tree, 1000000, what)
        check_names(db, reply, what)
        check_flame(db, db.view("flame", kind=kind, weight=weight, value=name, limit=7), expected, tree, 7, what + ", 7 nodes")
        check_sandwich(db, tree, expected, kind, weight, name, what)
        check_zoom(db, tree, expected, kind, weight, name, what)
        check_inverted(db, tree, expected, kind, weight, name, what)
        check_filters(db, tree, expected, kind, weight, name, what)
        join = db.view("flame", kind=kind, weight=weight, value=name, join="lines", limit=1000000)
        same(reply_paths(join, join["methods"]["id"]), joined(expected, tree), what + ", joined")
        one = which_is_one(db)
        join = db.view("flame", kind=kind, weight=weight, value=name, join="methods", limit=1000000)
        same(reply_paths(join, join["methods"]["id"]), joined(expected, {n: (p, one.get(m), line) for n, (p, m, line) in tree.items()}), what + ", joined by method")
        if begin is not None:
            check_difference(db, tree, kind, weight, name, sources[1:], (begin, end))
        if weight not in ("samples", "cpu"):
            for source in sources if not db.name.startswith("random") else [None]: # whose samples are of another source than their call paths
                for event in events[1:] if kind == "sample" and name != "cpu" else [None]:
                    check_methods(db, kind, weight, name, event, f"{what} {source} {event}: methods", src=source)
    for i in range(ranges if kinds and begin is not None else 0):
        kind, weight, name = random.choice(kinds)
        span = end - begin + 2
        low = begin - 1 + random.randrange(span)
        high = low + random.choice([1, span // 100, span // 3, span]) * random.random()
        if random.random() < 0.4:
            low, high = begin, end + 1  # by thread the rows lie in several places
        values = {"source": random.choice(sources), "itid": random.choice(threads), "event": random.choice(events) if kind == "sample" else None, "from": low, "to": int(high)}
        ranged = random.random() < 0.9
        if not ranged:
            values.update({"from": 0, "to": 0})
        expected = weights(db, kind, weight, ranged, name, **values)
        reply = db.view("flame", kind=kind, weight=weight, value=name, src=values["source"], thr=values["itid"], event=values["event"], limit=1000000,
                        **({"from_": low - db.origin, "to": int(high) - db.origin} if ranged else {}))
        check_flame(db, reply, expected, tree, 1000000, f"{db.name}: {kind} {weight} {name} {values}")


# --- weights -----------------------------------------------------------------------------------------------------------------

# What each recording weighs: parameters -> (name, unit, sum of all call paths); none: what is chosen without a name.
WEIGHTS = {
    "work.jfr.gz": {"": ("cpu", "ns", 130_000_000), "weight=waiting:park": ("waiting:park", "ns", 225_487_240), "weight=waiting:sleep": ("waiting:sleep", "ns", 221_897_639),
                    "weight=waiting:wait": ("waiting:wait", "ns", 904_494_519), "weight=waiting:lock": ("waiting:lock", "ns", 38_163_220), "weight=waiting:io": ("waiting:io", "ns", 73_985_986),
                    "weight=waiting": ("waiting", "ns", 1_464_028_604), "thr=worker-1": ("cpu", "ns", 50_000_000), "thr=worker-1&weight=waiting": ("waiting", "ns", 171_221_852),
                    "thr=worker-*": ("cpu", "ns", 110_000_000), "thr=tid=7834": ("cpu", "ns", 50_000_000), "thr=id=3": ("cpu", "ns", 50_000_000), "weight=allocation": ("allocation", "bytes", 449_934_064),
                    # of all that has a length, whatever it stands for, as older addresses have it
                    "kind=sample&weight=wall": ("dur", "ns", 1_594_028_604), "weight=time": ("dur", "ns", 1_594_028_604), "weight=count": ("samples", "count", 1439)},
    "work21.jfr.gz": {"": ("cpu", "ns", 70_000_000), "weight=allocation": ("allocation", "bytes", 450_872_968)},
    "recording-cpuprofile.htrace.gz": {"": ("cpu", "ns", 268_363_000), "weight=cpu:gc": ("cpu:gc", "ns", 53_817_000), "weight=waiting:idle": ("waiting:idle", "ns", 1_233_070_000),
                                       "from=0&to=500000000&weight=dur": ("dur", "ns", 493_415_000), "from=0&to=500000000&weight=waiting:idle": ("waiting:idle", "ns", 402_666_000),
                                       "from=0&to=500000000": ("cpu", "ns", 90_749_000), "from=0&to=500000000&weight=samples": ("samples", "count", 426)},
    "tiny/profile.cpuprofile": {"": ("cpu", "ns", 400_000), "weight=waiting:idle": ("waiting:idle", "ns", 100_000)},
    "Trace-page.json.gz": {"": ("cpu", "ns", 137_919_000), "src=TraceProfile0": ("cpu", "ns", 31_671_000), "src=TraceProfile1": ("cpu", "ns", 106_248_000), "weight=wall": ("wall", "ns", 237_536_000),
                           "weight=calls_async": ("calls_async", "ns", 54_106_000), "kind=slice": ("wall", "ns", 237_536_000)},
    "node_trace.1.log.gz": {"": ("wall", "ns", 24_552_000), "weight=calls_async": ("calls_async", "ns", 168_747_000)},
    "go-cpu.pprof": {"": ("cpu", "ns", 180_000_000), "weight=samples": ("samples", "count", 18)},
    "go-heap.pprof": {"": ("inuse_space", "bytes", 4_179_596), "weight=alloc_objects": ("alloc_objects", "count", 537), "weight=alloc_space": ("alloc_space", "bytes", 11_829_292),
                      "weight=value&value=inuse_objects": ("inuse_objects", "count", 128), "weight=live": ("live", "bytes", 4_179_596)},
    "go-mutex.pprof": {"": ("delay", "ns", 14_698_107), "weight=waiting": ("waiting", "ns", 14_698_107), "weight=contentions": ("contentions", "count", 103)},
    "node-time.pprof": {"": ("wall", "ns", 12_000_000), "weight=sample": ("sample", "count", 6)},
    "node-heap.pprof": {"": ("inuse_space", "bytes", 2_914_678), "weight=inuse_objects": ("inuse_objects", "count", 3_915)},
    "sessions.heapprofile": {"": ("alloc_space", "bytes", 10_002_416), "weight=live": ("live", "bytes", 10_002_416)},
    "recording-cloud.tar.gz": {"": ("wall", "ns", 7_119_000_000), "weight=calls": ("samples", "count", 912)},
}
# Recording, parameters: the first method, what it weighs by itself.
FIRST = [("work.jfr.gz", "weight=allocation", "RecordJfr.allocate", 429_964_888), ("recording-cpuprofile.htrace.gz", "", "sortPrices", 54_098_000),
         ("recording-cpuprofile.htrace.gz", "weight=waiting", "(idle)", 1_233_070_000), ("tiny/profile.cpuprofile", "", "gr\u00f6\u00dfe", 380_000), ("go-cpu.pprof", "", "main.fib", 130_000_000),
         ("sessions.heapprofile", "", "leak", 5_352_488), ("recording-cloud.tar.gz", "", "org.postgresql.jdbc.PgStatement.executeQuery", 5_267_000_000)]


def check_weights(db, made):
    recording = next(name for name in WEIGHTS if db.path.endswith(name.replace("/", "_") + ".db"))
    begin = (db.rows("SELECT start_ts FROM source WHERE id = (SELECT source_id FROM stack_sample LIMIT 1)") or [(None,)])[0][0]
    for asked, (name, unit, total) in WEIGHTS[recording].items():
        options = {("from_" if k == "from" else k): v for k, v in (part.split("=", 1) for part in asked.split("&") if part)}
        for end in ("from_", "to"):
            if end in options:
                options[end] = begin - db.origin + int(options[end])
        for order in ({}, {"order": "callers"}, {"join": "lines"}):
            reply = db.view("flame", **options, **order)
            same((reply["weight"], reply["unit"], reply["all"]["total"], reply["total"], sum(reply["self"])), (name, unit, total, total, total), f"{db.name}: {asked} {order}")
        methods = db.view("methods", limit=10000, **options)
        idle = sum(own for own, m in zip(methods["self"], methods["method"]) if methods["methods"]["name"][m] == "(idle)")
        same(sum(methods["self"]), db.view("flame", idle="without", **options)["total"], f"{db.name}: {asked}: methods")
        same(methods["all"], db.view("flame", limit=1, **options)["all"], f"{db.name}: {asked}: what shares of methods are of")
        check(idle == (total if name == "waiting:idle" else 0), f"{db.name}: {asked}: (idle) of methods")
        listed = db.view("weights", **options)
        same((listed["weight"], listed["unit"]), (name, unit), f"{db.name}: {asked}: weights")
        if "weight" not in options:
            check({"name": name, "unit": unit} in listed["weights"] and listed["total"] == total, f"{db.name}: {asked}: {listed}")
        names = [(w["name"], w["unit"]) for w in listed["weights"]]
        same(len(names), len(set(names)), f"{db.name}: {asked}: weights that are listed")
    for name, asked, method, own in FIRST:
        if name == recording:
            reply = db.view("methods", limit=1, **dict(part.split("=", 1) for part in asked.split("&") if part))
            same((reply["methods"]["name"], reply["self"]), ([method], [own]), f"{db.name}: {asked}: the first method")
    check("is called \"wat\"; there are" in db.ask("flame", weight="wat")["error"]["message"], f"{db.name}: a weight that is none")
    check("needs the parameter 'value'" in db.ask("flame", weight="value")["error"]["message"], f"{db.name}: a value without a name")
    empty = db.view("flame", from_=0, to=0)
    same((empty["all"], empty["total"], empty["id"]), ({"total": 0, "count": 0}, 0, []), f"{db.name}: nothing")


# --- time --------------------------------------------------------------------------------------------------------------------

# What a thread did, and what it waited for but for work.
SPANS = {"sample": "SELECT source_id, itid, ts, CASE WHEN class <> 'waiting' THEN dur END, CASE WHEN class = 'waiting' AND reason IS NOT 'idle' THEN dur END FROM v_sample WHERE ts IS NOT NULL",
         "slice": "SELECT source_id, itid, ts, CASE WHEN parent_id IS NULL THEN dur END, NULL FROM stack_slice WHERE ts IS NOT NULL"}


def check_timeline(db, px, low=None, high=None, itid=None):
    what = f"{db.name}: timeline {px} {low} {high} {itid}"
    reply = db.view("timeline", px=px, thr=itid, from_=None if low is None else low - db.origin, to=None if high is None else high - db.origin)
    if reply["columns"] == 0:
        return
    begin, step, columns = reply["from"] + db.origin, reply["step"], reply["columns"]
    check(columns <= px + 1 and step & (step - 1) == 0 and begin % step == 0, f"{what}: {columns} columns of {step}")
    if low is not None:
        check(begin <= low < begin + step and begin + step * columns >= high > begin + step * (columns - 1), f"{what}: {begin} {step} {columns}")
    for kind in ("sample", "slice"):
        busy = {}
        for source, thread, ts, *durs in db.once(SPANS[kind]):
            if itid is not None and thread != itid:
                continue
            line = busy.setdefault((source, thread), [[0] * columns for _ in range(3)])
            if begin <= ts < begin + step * columns:
                line[2][(ts - begin) // step] += 1
            for part, dur in enumerate(durs):
                first, last = max(ts, begin), min(ts + max(dur or 0, 0), begin + step * columns)
                while first < last:
                    column = (first - begin) // step
                    end = min(last, begin + (column + 1) * step)
                    line[part][column] += end - first
                    first = end
        # threads of which no row has a time are there as well
        got = {(t["source_id"], t["itid"]): [t["busy"], t["waiting"], t["starts"]] for t in reply["threads"] if t["kind"] == kind}
        for key, line in got.items():
            busy.setdefault(key, [[0] * columns for _ in range(3)])
        # Of what was measured beside samples: it is busy, and the rest of the sampled time is not.
        cpu = {}
        for source, thread, ts, us in db.once("SELECT f.source_id, f.itid, v.ts, v.value FROM flare_thread AS f JOIN timeseries_value AS v ON v.series_id = f.series_id") if kind == "sample" else ():
            line = cpu.setdefault((source, thread), [0] * columns)
            if begin <= ts < begin + step * columns:
                line[(ts - begin) // step] += int(us * 1000)
        for key, line in cpu.items():
            if key in busy and key in got:
                wall, waiting, _ = busy[key]
                busy[key][:2] = line, [w + max(b - c, 0) for w, b, c in zip(waiting, wall, line)]
        same(got, busy, f"{what}: {kind}")


LONG = """SELECT id, ts - :origin, dur, depth, node_id FROM stack_slice WHERE itid = :itid AND ts < :to AND ts + dur > :from AND dur >= :px_ns ORDER BY depth, ts, id LIMIT 20000"""
SHORT = """SELECT CAST(floor(CAST(min(ts, :to) - :origin AS REAL) / :px_ns) AS INTEGER) AS x, depth, count(*) AS n, sum(dur) AS ns FROM stack_slice
WHERE itid = :itid AND ts < :to AND ts + dur > :from AND dur < :px_ns GROUP BY 1, 2 LIMIT 20000"""
SERIES = """SELECT s.id, s.itid, s.name, s.unit, (v.ts - :origin) / :px_ns AS x, min(v.value) AS lo, max(v.value) AS hi, avg(v.value) AS mid FROM timeseries AS s CROSS JOIN timeseries_value AS v ON v.series_id = s.id
WHERE (:itid IS NULL OR s.itid = :itid) AND v.ts >= :from AND v.ts < :to GROUP BY s.id, 5 LIMIT 20000"""


def check_slices(db, threads, low, high, px):
    what = f"{db.name}: slices {threads} {low} {high} {px}"
    reply = db.view("slices", thr=",".join(map(str, threads)), from_=low - db.origin, to=high - db.origin, px=px)
    px_ns = reply["px_ns"]
    same(px_ns, max(1, -((low - high) // px)), f"{what}: px_ns")
    nodes = dict(db.once("SELECT id, method_id FROM stack_node"))
    methods = reply["methods"]["id"]
    marks = {} if db.once("SELECT 1 FROM stack_slice LIMIT 1") else dict(db.once("SELECT id, name FROM callstack"))
    # what has no end lasts to that of the recording
    table_name = "(SELECT id, callid AS itid, ts, ifnull(dur, (SELECT max(end_ts) FROM trace_range) - ts) AS dur, depth, NULL AS node_id FROM callstack WHERE cookie IS NULL)" if marks else "stack_slice"
    for thread in reply["threads"]:
        values = {"itid": thread["itid"], "from": low, "to": high, "px_ns": px_ns, "origin": db.origin}
        same(list(zip(*(thread[c] for c in ("id", "ts", "dur", "depth", "node")))), db.rows(LONG.replace("stack_slice", table_name), **values), what)
        if marks:
            same([reply["names"][n] for n in thread["name"]], [marks[i] for i in thread["id"]], f"{what}: names")
        same([methods[m] if m >= 0 else None for m in thread["method"]], [nodes.get(n) for n in thread["node"]], f"{what}: methods")
        small = thread["small"]
        same(list(zip(*(small[c] for c in ("x", "depth", "n", "ns")))), db.rows(SHORT.replace("stack_slice", table_name), **values), f"{what}: small")


def check_series(db, low, high, px, itid):
    reply = db.view("series", from_=low - db.origin, to=high - db.origin, px=px, thr=itid)
    got = [(s["id"], s["itid"], s["name"], s["unit"], *row) for s in reply["series"] for row in s["rows"]]
    same(got, db.rows(SERIES, **{"itid": itid, "from": low, "to": high, "px_ns": reply["px_ns"], "origin": db.origin}), f"{db.name}: series {low} {high}")
    # A series without a value in the range has that of before it, if there is one.
    before = {}
    for series, ts, value in db.once("SELECT series_id, ts, value FROM timeseries_value WHERE ts IS NOT NULL AND value IS NOT NULL ORDER BY ts, rowid"):
        if ts < low:
            before[series] = value
    same({s["id"]: s["before"] for s in reply["series"]}, {s["id"]: before.get(s["id"]) for s in reply["series"]}, f"{db.name}: series before {low}")
    of = dict(db.once("SELECT id, itid FROM timeseries"))
    check({i for i in before if itid is None or of[i] == itid} <= {s["id"] for s in reply["series"]}, f"{db.name}: series with a value before {low} only")


STATES = ("running", "runnable", "sleeping", "blocked", "other")
STATE = """CASE WHEN state = 'Running' THEN 0 WHEN state IN ('R', 'R+', 'R-B') THEN 1 WHEN state = 'S' THEN 2 WHEN state IN ('D', 'DK', 'D-IO', 'DK-IO', 'D-NIO', 'DK-NIO') THEN 3 ELSE 4 END"""
# of each kind: the key of its lanes, their kinds of time, and (key, ts, dur, kind of time); what lasts to the end of the recording has no dur
LANES = {
    "cpu": ("cpu", ("busy", "idle"), "SELECT cpu, ts, dur, itid = 0 FROM sched_slice", True),
    "irq": ("cpu", ("busy",), "SELECT callid, ts, dur, 0 FROM irq", False),
    "state": ("itid", STATES, f"SELECT itid, ts, dur, {STATE} FROM thread_state", True),
    "slice": (("itid", "async"), ("busy",), "SELECT callid || (CASE WHEN cookie IS NULL THEN '' ELSE '~' END), ts, dur, CASE WHEN cookie IS NULL AND parent_id IS NOT NULL THEN 9 ELSE 0 END"
              " FROM callstack WHERE (SELECT type FROM sqlite_master WHERE name = 'callstack') = 'table'", True),
    "suspend": ("source_id", ("paused",), "SELECT source_id, ts, dur, 0 FROM cloud_suspend WHERE ts IS NOT NULL", False),
    "pause": (("source_id", "name"), ("paused",), "SELECT source_id || kind, ts, dur, 0 FROM runtime_pause WHERE ts IS NOT NULL", False),
    "wait": (("source_id", "itid", "name"), ("waiting",), "SELECT source_id || ' ' || ifnull(itid, '-') || ' ' || kind, ts, dur, 0 FROM lock_wait WHERE ts IS NOT NULL", False),
    "instant": ("name", (), "SELECT name, ts, 0, 9 FROM instant", False),
    "process": ("ipid", ("busy",), "SELECT (SELECT p.ipid FROM thread AS t JOIN process AS p ON p.ipid = t.ipid WHERE t.itid = s.itid), ts, dur, 0 FROM sched_slice AS s WHERE itid <> 0", True),
    "frame": (("ipid", "expected"), ("in_time", "late", "nothing", "late_shown", "not_known"), "SELECT ipid || (CASE WHEN type = 1 THEN '~' ELSE '' END), ts, dur, CASE WHEN flag IN (0, 1, 2, 3) THEN flag ELSE 4 END FROM frame_slice", False),
}


def lane_key(lane, key):
    if key == ("itid", "async"):
        return f"{lane['itid']}{'~' if lane['async'] else ''}"
    if key == ("ipid", "expected"):
        return f"{lane['ipid']}{'~' if lane['expected'] else ''}"
    if key == ("source_id", "itid", "name"):
        return f"{lane['source_id']} {'-' if lane['itid'] is None else lane['itid']} {lane['name']}"
    return f"{lane['source_id']}{lane['name']}" if isinstance(key, tuple) else lane[key]


def check_lanes(db, low, high, px):
    """Each lane and column by the rows themselves."""
    end = (db.rows("SELECT max(end_ts) FROM trace_range")[0])[0]
    for kind, (key, names, sql, lasts) in LANES.items():
        what = f"{db.name}: lanes {kind} {low} {high} {px}"
        reply = db.view("lanes", kind=kind, px=px, from_=low - db.origin, to=high - db.origin)
        begin, step, columns = reply["from"] + db.origin, reply["step"], reply["columns"]
        check(columns <= px + 1 and begin <= low < begin + step and begin + step * columns >= high and (begin - db.origin) % step == 0, f"{what}: {begin} {step} {columns}")
        expected = {}
        for lane, ts, dur, state in db.once(sql):
            line = expected.setdefault(lane, [[0] * columns for _ in range(1 + len(names))])
            if low <= ts < high:
                line[0][(ts - begin) // step] += 1
            last = ts + dur if dur is not None and dur > 0 else max(ts, end) if dur is None and lasts else ts
            first, last = max(ts, low), min(last, high)
            while first < last and state < len(names):
                column = (first - begin) // step
                stop = min(last, begin + (column + 1) * step)
                line[1 + state][column] += stop - first
                first = stop
        same({lane_key(lane, key): [lane["columns"][n] for n in ("n", *names)] for lane in reply["lanes"]}, expected, what)
    for kind, sql in (("pause", "SELECT count(*), sum(dur), max(dur) FROM runtime_pause"), ("suspend", "SELECT count(*), sum(dur), max(dur) FROM cloud_suspend"), ("wait", "SELECT count(*), sum(dur), max(dur) FROM lock_wait"),
                      ("cpu", "SELECT count(*), sum(dur), max(dur) FROM sched_slice")):
        lanes = db.view("lanes", kind=kind)["lanes"]
        got = (sum(lane["rows"] for lane in lanes), sum(ns for lane in lanes for k, v in lane["all"].items() if k != "n" for ns in v) - sum(ns for lane in lanes for ns in lane["open_ns"].values()) if lanes else None, max((lane["longest"] for lane in lanes), default=None))
        if not db.rows("SELECT 1 FROM runtime_pause WHERE ts IS NULL UNION ALL SELECT 1 FROM lock_wait WHERE ts IS NULL LIMIT 1"):
            same(got, db.once(sql)[0], f"{db.name}: all of {kind}")
    whole = {lane_key(lane, "itid"): lane for lane in db.view("lanes", kind="state")["lanes"]}
    sums = db.rows(f"SELECT itid, {STATE}, ifnull(sum(dur), 0) FROM thread_state GROUP BY 1, 2")
    same({(itid, state): ns for itid, state, ns in sums if ns}, {(itid, i): lane["all"][n][0] - lane["open_ns"][n] for itid, lane in whole.items() for i, n in enumerate(STATES) if lane["all"][n][0] > lane["open_ns"][n]},
         f"{db.name}: lanes of states")


# of each kind: its table, the columns after id, ts and dur, whether rows have a dur, and whether one without lasts to the end of the recording
ROWS = {
    "cpu": ("sched_slice", ("cpu", "itid", "priority", "end_state"), True, True), "irq": ("irq", ("callid", "cat", "name"), True, False), "state": ("thread_state", ("itid", "state", "cpu"), True, True),
    "log": ("log", ("level", "tag", "context", "pid", "tid"), False, False), "event": ("hisys_all_event", ("level", "domain_id", "event_name_id", "pid", "tid"), False, False),
    "instant": ("instant", ("name", "ref", "wakeup_from"), False, False),
    "sample": ("(SELECT id AS rowid, ts, dur, itid, event, node_id FROM stack_sample)", ("itid", "event", "node_id"), True, False),
    "async": ("(SELECT rowid, ts, dur, callid AS itid, name, cookie FROM callstack WHERE cookie IS NOT NULL AND (SELECT type FROM sqlite_master WHERE name = 'callstack') = 'table')", ("itid", "name", "cookie"), True, True),
    "frame": ("frame_slice", ("ipid", "type", "flag", "vsync", "itid", "callstack_id", "dst", "depth"), True, False),
}
OF_THREADS = ("state", "sample", "async")
# What is found out of a row, after its columns.
ROWS_MORE = {"state": STATE, "sample": "(SELECT method_id FROM stack_node AS n WHERE n.id = node_id)"}


def check_rows(db, low, high, limit, itids):
    end = (db.rows("SELECT max(end_ts) FROM trace_range")[0])[0]
    for kind, (table, more, dur, lasts) in ROWS.items():
        chosen = itids if kind in OF_THREADS else []
        found = f", {ROWS_MORE[kind]}" if kind in ROWS_MORE else ""
        last = f"ts + ifnull(dur, {max(end, 0)} - ts)" if lasts else "ts + ifnull(dur, 0)" if dur else "ts"
        expected = db.once(f"SELECT rowid, ts - {db.origin}, {'dur, ' if dur else ''}{', '.join(more)}{found} FROM {table} WHERE ts < {high} AND (ts >= {low} OR {last} > {low})"
                           f"{f' AND itid IN ({chr(44).join(map(str, chosen))})' if chosen else ''} ORDER BY rowid")
        reply = db.view("rows", kind=kind, from_=low - db.origin, to=high - db.origin, limit=limit, **({"thr": ",".join(map(str, chosen))} if chosen else {}))
        got = [tuple(row) for row in reply["rows"]]
        if kind == "state":
            got = [(*row[:-1], STATES.index(row[-1])) for row in got]
        elif kind == "sample":
            got = [(*row[:-1], None if row[-1] < 0 else reply["methods"]["id"][row[-1]]) for row in got]
        same(got, [tuple(row) for row in expected[:limit]], f"{db.name}: rows {kind} {low} {high} {limit}")
        check(reply["more"] == (len(expected) > limit) and len(reply["columns"]) == 2 + dur + len(more) + (found != "" and (kind != "sample" or "methods" in reply)), f"{db.name}: rows {kind}: more, or columns")


def check_slice_names(db, low, high, itids):
    """Slices that begin in a range by their names."""
    expected = {}
    below = {}
    rows = db.once("SELECT id, ts, dur, callid, name, cookie, parent_id FROM callstack WHERE (SELECT type FROM sqlite_master WHERE name = 'callstack') = 'table'")
    for id_, _, dur, _, _, cookie, parent in rows:
        if cookie is None and parent is not None and parent < id_ and dur is not None and dur > 0:
            below[parent] = below.get(parent, 0) + dur
    for id_, ts, dur, itid, name, cookie, parent in rows:
        if low <= ts < high and (not itids or itid in itids):
            line = expected.setdefault((name, cookie is not None), [0, 0, 0, 0])
            line[0] += 1
            line[1] += dur or 0
            line[2] += max(dur - below.get(id_, 0), 0) if dur is not None else 0
            line[3] = max(line[3], dur or 0)
    reply = db.view("slices/names", from_=low - db.origin, to=high - db.origin, **({"thr": ",".join(map(str, itids))} if itids else {}))
    what = f"{db.name}: names {low} {high} {itids}"
    same({(row[0], row[1]): row[2:] for row in reply["rows"]}, {(name, late): [n, dur, None if late else own, most] for (name, late), (n, dur, own, most) in expected.items()}, what)
    selfs = [row[4] for row in reply["rows"] if not row[1]]
    check(reply["row_count"] == len(expected) and selfs == sorted(selfs, reverse=True), f"{what}: order")


COUNTERS = {"timeseries": "SELECT series_id, ts, value FROM timeseries_value", **{t: f"SELECT filter_id, ts, value FROM {t}" for t in ("measure", "sys_mem_measure", "process_measure", "xpower_measure")},
            "cpu_usage": " UNION ALL ".join(f"SELECT {i}, ts, {c} FROM cpu_usage" for i, c in enumerate(("total_load", "user_load", "system_load", "process_num"), 1))}


def check_counters(db, low, high, px):
    reply = db.view("lanes", kind="counter", px=px, from_=low - db.origin, to=high - db.origin)
    begin, step, columns = reply["from"] + db.origin, reply["step"], reply["columns"]
    for table_name, sql in COUNTERS.items():
        expected = {}
        for series, ts, value in db.once(sql):
            line = expected.setdefault(series, [[] for _ in range(columns)])
            if ts is not None and low <= ts < high and value is not None:
                line[(ts - begin) // step].append((ts, value))
        got = {lane["id"]: lane["columns"] for lane in reply["lanes"] if lane["table"] == table_name}
        what = f"{db.name}: counters of {table_name} {low} {high} {px}"
        same({k: (c["n"], c["least"], c["greatest"], c["last"]) for k, c in got.items()},
             {k: ([len(v) for v in line], [min((x for _, x in v), default=None) for v in line], [max((x for _, x in v), default=None) for v in line], [sorted(v, key=lambda p: p[0])[-1][1] if v else None for v in line])
              for k, line in expected.items()}, what)
        for k, line in expected.items():
            for v, mean in zip(line, got[k]["mean"]):
                check(not v or abs(mean - sum(x for _, x in v) / len(v)) <= 1e-12 * max(abs(mean), 1), f"{what}: mean {mean}")


def check_find(db):
    """Hits and their time, and all of them by going on from each to the next, and back."""
    label = "SELECT n.id, ifnull(nullif(m.package, '') || '.', '') || ifnull(nullif(m.class, '') || '.', '') || ifnull(nullif(m.name, ''), '(anonymous)') FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id"
    names = dict(db.once(label))
    rows = [(ts, i, dur, own, names.get(node), bool(spans)) for i, ts, dur, own, node, spans in
            db.once("SELECT s.id, s.ts, s.dur, s.self_dur, s.node_id, c.async FROM stack_slice AS s LEFT JOIN chrome_slice AS c ON c.slice_id = s.id")]
    marks = [] if rows else db.once("SELECT id, ts, dur, parent_id, name, cookie FROM callstack")
    below = collections.Counter()
    for _, _, dur, parent, _, cookie in marks:
        if cookie is None and parent is not None:
            below[parent] += dur or 0
    rows += [(ts, i, dur, None if dur is None or cookie is not None else max(dur - below[i], 0), name, cookie is not None) for i, ts, dur, _, name, cookie in marks]
    for what in [None, "a", "call 0", "/^[hm]/"]:
        fits = lambda name: what is None or name is not None and (re.search(what[1:-1], name, re.I) is not None if what[0] == "/" else what in name.lower())
        hits = [r for r in rows if fits(r[4])]
        reply = db.view("find", what=what)
        sums = lambda some: {"count": len(some), "open": sum(r[2] is None for r in some), "dur": sum(r[2] or 0 for r in some), "self": sum(r[3] for r in some if r[3] is not None) if any(r[3] is not None for r in some) else None}
        same({k: reply[k] for k in ("count", "open", "dur", "self")}, sums([r for r in hits if not r[5]]), f"{db.name}: find {what}")
        same(reply["async"], sums([r for r in hits if r[5]]), f"{db.name}: find {what}: asynchronous")
        order = sorted(r[:2] for r in hits if r[0] is not None)
        places = random.sample(range(len(order)), min(4, len(order)))
        for i in places:
            reply = db.view("find", what=what, at=order[i][0] - db.origin, id=order[i][1])
            near = [None if one is None else (one["ts"] + db.origin, one["id"]) for one in (reply["before"], reply["next"])]
            same(near, [order[i - 1] if i > 0 else None, order[i + 1] if i + 1 < len(order) else None], f"{db.name}: find {what} near {order[i]}")
        check(all(one is None or what is None or fits(one["name"]) for one in (reply["next"], reply["before"])), f"{db.name}: find {what}: {reply}")


KNOWN_HITS = {"kernel.htrace.gz": {"call 0": (19, 3279114, 2061395), None: (211, 31282858, 14682856)}, "Trace-page.json.gz": {None: (312, None, 237536000)}}


def check_chart(db, tree, source, itid, event, low, high, px):
    """Bars by the definition: of each level, runs of samples without a gap, below equal callers, of one method."""
    sources = below(db, source)
    what = f"{db.name}: chart {source} {itid} {event} {low} {high} {px}"
    reply = db.view("chart", src=source, thr=itid, event=event, px=px, from_=None if low is None else low - db.origin, to=None if high is None else high - db.origin)
    low, high = reply["from"] + db.origin, reply["to"] + db.origin
    samples = sorted((max(ts, low), i, min(ts + dur, high), node) for i, (s, t, e, ts, dur, node) in enumerate(db.once("SELECT source_id, itid, event, ts, dur, node_id FROM stack_sample"))
                     if (source is None or s in sources) and (itid is None or t == itid) and (event is None or e == event) and ts is not None and dur is not None and dur > 0 and ts < high and ts + dur > low)
    bars = []
    level = []
    before = None
    for i, (ts, _, end, node) in enumerate(samples):
        if i + 1 < len(samples):
            end = min(end, samples[i + 1][0])
        path = []
        while node is not None:
            path.append(node)
            node = tree[node][0]
        path.reverse()
        if end <= ts or not path:
            continue
        same_frames = 0
        while before == ts and same_frames < min(len(level), len(path)):
            a, b = bars[level[same_frames]][3], path[same_frames]
            if a != b and (tree[bars[level[same_frames]][4]][1] is None or tree[bars[level[same_frames]][4]][1] != tree[b][1]):
                if bars[level[same_frames]][4] != b:
                    break
            same_frames += 1
        level = level[:same_frames]
        for depth, node in enumerate(path):
            if depth < same_frames:
                bars[level[depth]][2] = end
                bars[level[depth]][4] = node
            else:
                level.append(len(bars))
                bars.append([depth, ts, end, node, node])
        before = end
    px_ns = reply["px_ns"]
    small = collections.defaultdict(lambda: [0, 0])
    for depth, ts, end, _, _ in bars:
        if end - ts < px_ns:
            small[depth, (ts - low) // px_ns][0] += 1
            small[depth, (ts - low) // px_ns][1] += end - ts
    got = reply["bars"]
    same(sorted(zip(got["depth"], got["ts"], got["dur"], got["node"])), sorted((d, a - db.origin, b - a, n) for d, a, b, n, _ in bars if b - a >= px_ns), what)
    methods = reply["methods"]["id"]
    same([methods[m] if m >= 0 else None for m in got["method"]], [tree[n][1] for n in got["node"]], f"{what}: methods")
    got = reply["small"]
    same({(d, (ts + db.origin - low) // px_ns): (n, ns) for d, ts, n, ns in zip(got["depth"], got["ts"], got["n"], got["ns"])}, {k: tuple(v) for k, v in small.items()}, f"{what}: small")
    check(len(got["n"]) + len(reply["bars"]["ts"]) <= max(16 * px, 1 + max((b[0] for b in bars), default=0)), f"{what}: too many bars")
    check(px_ns == max(1, -((low - high) // px)) or 2 * (len(got["n"]) + len(reply["bars"]["ts"])) > 4 * px, f"{what}: wider than needed")


def check_time(db, made):
    begin, end = db.rows("SELECT min(a), max(b) FROM (SELECT min(ts) AS a, max(ts + ifnull(dur, 0)) AS b FROM stack_sample UNION ALL SELECT min(ts), max(ts + ifnull(dur, 0)) FROM stack_slice"
                         " UNION ALL SELECT min(ts), max(ts) FROM timeseries_value UNION ALL SELECT start_ts, end_ts FROM trace_range)")[0]
    tree = parents(db)
    threads = [t for t, in db.rows("SELECT DISTINCT itid FROM stack_slice WHERE itid IS NOT NULL")] or [t for t, in db.rows("SELECT DISTINCT callid FROM callstack")]
    lanes = db.rows("SELECT DISTINCT source_id, itid, event FROM stack_sample WHERE itid IS NOT NULL AND event IS NOT NULL AND ts IS NOT NULL") or \
        [(None, None, e) for e, in db.rows("SELECT DISTINCT event FROM stack_sample WHERE event IS NOT NULL AND ts IS NOT NULL")]
    # A chart is of one thread: not of a source that has it too in what was found in it.
    family = {source: below(db, source) for source, _, _ in lanes}
    lanes = [one for one in lanes if one[0] is None or sum(other[0] in family[one[0]] and other[1:] == one[1:] for other in lanes) == 1]
    for px in (1, 7, 1600):
        check_timeline(db, px)
    check_find(db)
    for recording, known in KNOWN_HITS.items():
        for what, (count, dur, own) in known.items() if recording in db.name else ():
            reply = db.view("find", what=what)
            same((reply["count"], dur and reply["dur"], reply["self"]), (count, dur, own), f"{db.name}: find {what}")
    # Where rows begin and end: what ends at the first moment is not in the range, nor what begins at the last.
    edges = [t for t, in db.rows("SELECT ts FROM sched_slice UNION SELECT ts + dur FROM sched_slice WHERE dur IS NOT NULL UNION SELECT ts FROM thread_state UNION SELECT ts FROM instant UNION SELECT ts FROM log WHERE ts IS NOT NULL")]
    for _ in range(8 if len(edges) > 1 else 0):
        check_rows(db, *sorted(random.sample(edges, 2)), 20000, [])
    for lane in random.sample(lanes, min(3, len(lanes))):
        check_chart(db, tree, *lane, None, None, random.choice([3, 50, 1600]))
    for _ in range((300 if SLOW else 25) if made else 12):
        span = end - begin + 2
        low = begin - 1 + random.randrange(span)
        high = low + 1 + int(random.choice([1, span // 100, span // 3, span]) * random.random())
        check_timeline(db, random.choice([1, 10, 300]), low, high, random.choice([None] + threads))
        check_lanes(db, low, high, random.choice([1, 10, 300]))
        check_counters(db, low, high, random.choice([1, 10, 300]))
        check_rows(db, low, high, random.choice([1, 100, 20000]), random.choice([[], threads[:1], threads[-2:]]))
        check_slice_names(db, low, high, random.choice([[], threads[:1], threads[-2:]]))
        if threads:
            check_slices(db, random.sample(threads, random.randrange(1, min(4, len(threads) + 1))), low, high, random.choice([1, 10, 1600]))
        if db.rows("SELECT 1 FROM timeseries LIMIT 1") and not db.rows("SELECT 1 FROM measure LIMIT 1"):
            check_series(db, max(low, db.origin), high + span, random.choice([1, 10, 1600]), random.choice([None] + threads))
        if lanes:
            check_chart(db, tree, *random.choice(lanes), low, high, random.choice([1, 4, 1600]))


# --- heaps and calls ---------------------------------------------------------------------------------------------------------

CLASSES = "SELECT class, count, self_size FROM v_js_class_histogram WHERE file_id = :file"
OBJECTS = """SELECT n.id, n.self_size, n.edge_count, n.node_index FROM js_heap_file_detail AS d CROSS JOIN js_heap_nodes AS n ON n.rowid BETWEEN d.first_node_rowid AND d.first_node_rowid + d.node_count - 1
WHERE d.file_id = :file AND n.type = :type AND (:name IS NULL OR n.name = :name) ORDER BY n.self_size DESC, n.node_index LIMIT 100"""
ALLOCATIONS = """WITH w AS (SELECT timestamp_us, last_assigned_id AS hi, lag(last_assigned_id, 1, 0) OVER (ORDER BY rowid) AS lo FROM js_heap_sample WHERE file_id = :file)
SELECT w.timestamp_us, count(n.id) AS live_count, ifnull(sum(n.self_size), 0) AS live_size FROM w LEFT JOIN js_heap_nodes AS n ON n.file_id = :file AND n.id > w.lo AND n.id <= w.hi GROUP BY w.timestamp_us ORDER BY 1"""
EDGES = """SELECT edge_index, type, name, to_node_id, to_type, to_name, to_self_size, to_node_index, from_node_id FROM v_js_edge WHERE file_id = {file} AND from_node_id IN ({ids}) ORDER BY edge_index"""
RETAINERS = """SELECT edge_index, edge_type, edge_name, retainer_id, retainer_type, retainer_name, retainer_self_size, node_id FROM v_js_retainer WHERE file_id = {file} AND node_id IN ({ids})
ORDER BY edge_index"""
GRAPH = """SELECT e.edge_index, e.from_node_id, e.to_node / d.node_stride, t.str_value = 'weak' FROM js_heap_file_detail AS d CROSS JOIN js_heap_edges AS e ON e.rowid BETWEEN d.first_edge_rowid AND d.first_edge_rowid + d.edge_count - 1
CROSS JOIN js_heap_info AS t ON t.rowid = d.first_edge_type_rowid + e.type WHERE d.file_id = {file}"""


def table(reply, names):
    places = [reply["columns"].index(n) for n in names.split(",")]
    return [tuple(row[i] for i in places) for row in reply["rows"]]


def check_classes(db, file):
    rows = db.rows(CLASSES, file=file)
    number = lambda v: (0, 0) if v is None else (1, v)
    text = lambda v: (0, b"") if v is None else (1, v.encode())
    for sort, key in (("self_size", lambda r: ([-x for x in number(r[2])], text(r[0]))), ("count", lambda r: ([-x for x in number(r[1])], text(r[0]))), ("class", lambda r: text(r[0]))):
        expected = sorted(rows, key=key)
        reply = db.view("heap/classes", file=file, sort=sort, limit=10000)
        same(table(reply, "class,count,self_size"), expected, f"{db.name}: classes by {sort}")
        same((reply["row_count"], reply["count"], reply["self_size"]), (len(rows), sum(r[1] for r in rows), sum(r[2] for r in rows)), f"{db.name}: classes")
        same(table(db.view("heap/classes", file=file, sort=sort, offset=5, limit=7), "class,count,self_size"), expected[5:12], f"{db.name}: page of classes")
        same(table(db.view("heap/classes", file=file, sort=sort, order="reverse", limit=3), "class"), [(r[0],) for r in expected[::-1][:3]], f"{db.name}: reversed")
    some = [r for r in rows if r[0] and "arr" in r[0].lower()]
    same(sorted(table(db.view("heap/classes", file=file, filter="aRR", limit=10000), "class,count,self_size")), sorted(some), f"{db.name}: filtered")
    return reply


def check_objects(db, file, classes):
    types = [t for t, in db.rows("SELECT t.str_value FROM js_heap_file_detail AS d JOIN js_heap_info AS t ON t.rowid BETWEEN d.first_info_rowid AND d.first_info_rowid + d.node_type_count - 1 WHERE d.file_id = :file ORDER BY t.rowid", file=file)]
    strings = dict(db.rows("SELECT string, file_index FROM js_heap_string WHERE file_id = :file", file=file))
    for name, count, _, number in random.sample(classes["rows"], min(8, len(classes["rows"]))):
        special = {"(compiled code)": "code", "(system)": "hidden"}.get(name) or (name[1:-1] if name[:1] == "(" and name[1:-1] in types else None)
        keys = [(types.index(special), None)] if special else [(types.index(t), strings[name]) for t in ("object", "native")]
        expected = sorted((r for t, n in keys for r in db.rows(OBJECTS, file=file, type=t, name=n)), key=lambda r: (-r[1], r[3]))[:100]
        reply = db.view("heap/objects", file=file, **{"class": number})
        same(table(reply, "id,self_size,edge_count,node_index"), expected, f"{db.name}: objects of {name}")
        same(reply["row_count"], count, f"{db.name}: number of objects of {name}")
    low, high = sorted(random.sample(range(1, 150000), 2))
    expected = db.rows("SELECT id FROM js_heap_nodes WHERE file_id = :file AND id > :low AND id <= :high ORDER BY self_size DESC, node_index LIMIT 20 OFFSET 3", file=file, low=low, high=high)
    same(table(db.view("heap/objects", file=file, id_from=low, id_to=high, offset=3, limit=20), "id"), expected, f"{db.name}: objects by id")


def check_references(db, file, nodes):
    """v_js_edge and v_js_retainer of some nodes, those with the most among them."""
    of_node = collections.defaultdict(list)
    into_node = collections.defaultdict(list)
    graph = db.once(GRAPH.format(file=file))
    places = {node_id: i for i, node_id in nodes.items()}
    most = [collections.Counter(places[owner] for _, owner, _, _ in graph).most_common(2), collections.Counter(target for _, _, target, _ in graph).most_common(2)]
    chosen = [node for part in most for node, _ in part] + random.sample(sorted(nodes), 40)
    ids = ",".join(str(nodes[i]) for i in chosen)
    for row in db.rows(EDGES.format(file=file, ids=ids)):
        of_node[row[-1]].append(row[:-1])
    for row in db.rows(RETAINERS.format(file=file, ids=ids)):
        into_node[row[-1]].append(row[:-1])
    for node in chosen:
        what = f"{db.name}: node {node} of file {file}"
        reply = db.view("heap/edges", file=file, node=node, limit=10000)
        same(table(reply, "edge_index,type,name,to_node_id,to_type,to_name,to_self_size,to_node_index"), of_node[nodes[node]], f"{what}: edges")
        reply = db.view("heap/retainers", file=file, node=node, limit=10000)
        same(table(reply, "edge_index,edge_type,edge_name,retainer_id,retainer_type,retainer_name,retainer_self_size"), into_node[nodes[node]][:10000], f"{what}: retainers")
        same([nodes[r[-1]] for r in reply["rows"]], [r[3] for r in into_node[nodes[node]][:10000]], f"{what}: places of retainers")
        same(reply["row_count"], len(into_node[nodes[node]]), f"{what}: number of retainers")
        same(table(db.view("heap/retainers", file=file, node=node, offset=1, limit=2), "edge_index"), [r[:1] for r in into_node[nodes[node]][1:3]], f"{what}: page of retainers")


def check_paths(db, file, nodes):
    graph = collections.defaultdict(set)
    edges = {}
    places = {node_id: i for i, node_id in nodes.items()}
    for edge, owner, target, weak in db.once(GRAPH.format(file=file)):
        edges[edge] = (places[owner], target, weak)
        if not weak:
            graph[places[owner]].add(target)

    def distance(to, without):
        met = {0}
        level = [0]
        steps = 0
        while level:
            if to in level:
                return steps
            level = [b for b in {b for a in level for b in graph[a]} if b not in met and (b == to or b not in without)]
            met.update(level)
            steps += 1
        return None

    weak = sorted({target for _, target, weak in edges.values() if weak and target in nodes})
    for node in random.sample(sorted(nodes), 2) + random.sample(weak, min(2, len(weak))):
        without = set()
        direct = False
        for k in range(3):
            what = f"{db.name}: path {k} to node {node} of file {file}"
            reply = db.view("heap/path", file=file, node=node, k=k)
            rows = reply["rows"]
            if k == 0:
                same(reply["distance"], distance(node, without), f"{what}: distance")
            expected = None if node == 0 or direct else distance(node, without)
            same(reply["found"], bool(expected), what)
            if not expected:
                check(rows == [], f"{what}: {rows}")
                break
            same(len(rows) - 1, expected, f"{what}: length")
            at = 0
            check(rows[0][:3] == [None, None, None] and rows[0][-1] == 0, what)
            for row in rows[1:]:
                owner, target, weak = edges[row[0]]
                check((owner, target, weak) == (at, row[-1], 0) and row[1] != "weak" and row[3] == nodes[target], f"{what}: {row}")
                at = target
            between = {row[-1] for row in rows[1:-1]}
            check(at == node and not between & without, f"{what}: ends at {at}, or has nodes of an earlier path")
            without |= between
            direct = not between


def check_changes(db, files):
    """What came and went by ids: what the shipped question says, of classes of which something changed; the same again by a program of its own."""
    with open(os.path.join(SOURCE, "share/sql/js_snapshot_diff.sql"), encoding="utf-8") as f:
        question = f.read()
    names = "class,new_count,deleted_count,count_delta,new_size,deleted_size,size_delta,kept_count"
    for file, base in [(a, b) for a in files for b in files if a != b] if SLOW else [(files[-1], files[0]), (files[0], files[1])]:
        rows = db.rows(question, file=file, previous=base, limit=-1)
        expected = [(c, new, gone, new - gone, new_size, gone_size, delta, kept) for c, new, gone, kept, new_size, gone_size, delta in rows if new or gone or delta]
        what = f"{db.name}: changes from {base} to {file}"
        same(table(db.view("heap/diff", file=file, base=base, by="ids", limit=10000), names), expected, what)
        same(table(db.view("heap/diff", file=file, base=base, by="ids", offset=1, limit=4, filter="S"), names), [r for r in expected if "s" in r[0].lower()][1:5], f"{what}: page")
        nodes = [dict(db.rows("SELECT id, self_size FROM js_heap_nodes WHERE file_id = :file", file=f)) for f in (file, base)]
        came, gone = (sum(size for node, size in nodes[i].items() if node not in nodes[1 - i]) for i in (0, 1))
        same((sum(r[4] for r in expected), sum(r[5] for r in expected)), (came, gone), f"{what}: sums")
        same(sum(r[6] for r in expected), sum(nodes[0].values()) - sum(nodes[1].values()), f"{what}: growth")
        same(db.view("heap/diff", file=file, base=base, by="ids")["comparable"], comparable(db, file, base), f"{what}: comparable")


def comparable(db, newer, older):
    """Whether ids mean the same objects, as docs/formats.md has it: found in one recording, or by odd ids."""
    source, parent = (dict(db.rows(sql)) for sql in ("SELECT file_id, source_id FROM js_heap_file_detail", "SELECT id, parent_id FROM source"))
    roots = []
    for file in (newer, older):
        at = source[file]
        while parent[at] is not None:
            at = parent[at]
        roots.append(at)
    if roots[0] == roots[1]:
        return True
    kind = "CASE WHEN t.str_value IN ('object', 'native') THEN s.string ELSE t.str_value END"
    new, old = ({node: (name, size) for node, name, size in db.rows(
        f"SELECT n.id, {kind}, n.self_size FROM js_heap_nodes AS n JOIN js_heap_file_detail AS d ON d.file_id = n.file_id "
        "LEFT JOIN js_heap_info AS t ON t.rowid = d.first_info_rowid + n.type LEFT JOIN js_heap_string AS s ON s.rowid = d.first_string_rowid + n.name "
        "WHERE n.file_id = :file AND n.id % 2 <> 0", file=file)} for file in (newer, older))
    last = max(old, default=0)
    both = [node for node in new if node in old]
    below = [node for node in new if node <= last]
    alike = sum(new[node] == old[node] for node in both)
    return bool(both) and max(new) >= last and alike >= len(both) - len(both) // 8 and len(both) >= len(below) - len(below) // 8


def check_diff(db, files):
    for file in files:
        previous = max((f for f in files if f < file), default=None)
        if previous is not None:
            names = "class,count,previous_count,count_delta,self_size,previous_self_size,self_size_delta"
            expected = db.once(f"SELECT {names} FROM v_js_snapshot_diff WHERE file_id = {file} ORDER BY self_size_delta DESC, class")
            same(table(db.view("heap/diff", file=file, base=previous, limit=10000), names), expected, f"{db.name}: diff of {file}")
            same(table(db.view("heap/diff", file=file, base=previous, offset=2, limit=3, filter="s"), names), [r for r in expected if "s" in r[0].lower()][2:5], f"{db.name}: page of diff of {file}")


def check_heap(db, made):
    files = [f for f, in db.rows("SELECT id FROM js_heap_files ORDER BY id")]
    same(table(db.view("heap/files"), "id,node_count,edge_count,complete"), db.rows("SELECT file_id, node_count, edge_count, complete FROM js_heap_file_detail ORDER BY file_id"), f"{db.name}: files")
    for file in files if SLOW else random.sample(files, 1):
        classes = check_classes(db, file)
        check_objects(db, file, classes)
        nodes = dict(db.rows("SELECT node_index, id FROM js_heap_nodes WHERE file_id = :file", file=file))
        if "snapshots" not in db.name or not db.name.endswith("--sql"):
            check_references(db, file, nodes)
        if db.name.endswith("--sql"):
            continue # what follows does not depend on how rows are read
        check_paths(db, file, nodes)
        for view, sql, names in (
                ("strings", "SELECT count, self_size, wasted_size, substr(string, 1, 200) AS string FROM v_js_string_duplicates WHERE file_id = :file ORDER BY wasted_size DESC LIMIT 200", "count,self_size,wasted_size,string"),
                ("detached", "SELECT node_id, name, self_size FROM v_js_detached WHERE file_id = :file ORDER BY self_size DESC LIMIT 200", "node_id,name,self_size")):
            rows = db.rows(sql, file=file)
            got = table(db.view(f"heap/{view}", file=file), names)
            same(collections.Counter(r[:-1] for r in got) if view == "strings" else sorted(got), collections.Counter(r[:-1] for r in rows) if view == "strings" else sorted(rows), f"{db.name}: {view}")
        same(table(db.view("heap/allocations", file=file), "timestamp_us,live_count,live_size"), db.rows(ALLOCATIONS, file=file), f"{db.name}: allocations")
        if db.rows("SELECT 1 FROM js_heap_analysis WHERE file_id = :file", file=file):
            check_analysis(db, file, nodes)
    if not db.name.endswith("--sql"):
        check_diff(db, files)
        if len(files) > 1:
            check_changes(db, files)


def check_analysis(db, file, nodes):
    with open(os.path.join(SOURCE, "share/sql/js_dominated.sql"), encoding="utf-8") as f:
        question = f.read()
    retained = {i: row for i, *row in db.rows("SELECT r.rowid - a.first_retained_rowid, r.dominator, r.distance, r.shallow_size, r.retained_size, r.node_id FROM js_heap_analysis AS a JOIN js_heap_retained AS r ON r.rowid BETWEEN a.first_retained_rowid AND a.first_retained_rowid + (SELECT node_count FROM js_heap_file_detail WHERE file_id = :file) - 1 WHERE a.file_id = :file", file=file)}
    for node in [0] + random.sample(sorted(nodes), 20):
        a = db.view("heap/node", file=file, node=node)["analysis"]
        same([a["dominator"], a["distance"], a["shallow_size"], a["retained_size"]], retained[node][:4], f"{db.name}: node {node}")
        reply = db.view("heap/dominated", file=file, node=node, limit=20)
        same(table(reply, "id,type,tree_count,shallow_size,retained_size"), [(r[0], r[1], r[4], r[5], r[6]) for r in db.rows(question, file=file, node=nodes[node], limit=20)], f"{db.name}: dominated by {node}")
        same(reply["row_count"], sum(1 for r in retained.values() if r[0] == node), f"{db.name}: number dominated by {node}")
    rows = table(db.view("heap/objects", file=file, limit=5), "node_index,distance,shallow_size,retained_size")
    same([list(r[1:]) for r in rows], [retained[r[0]][1:4] for r in rows], f"{db.name}: objects with retained sizes")
    names = "name,count,distance,shallow_size,retained_size"
    same(table(db.view("heap/constructors", file=file, limit=9), names), db.rows(f"SELECT {names} FROM v_js_constructor WHERE file_id = :file ORDER BY retained_size DESC, constructor_id LIMIT 9", file=file), f"{db.name}: constructors")
    names = "name,new_count,deleted_count,count_delta,new_size,deleted_size,size_delta"
    same(table(db.view("heap/comparison", file=file), names), db.rows(f'SELECT {names} FROM v_js_comparison WHERE file_id = :file ORDER BY new_size DESC, deleted_size DESC, name, script_id, line, "column" LIMIT 200', file=file), f"{db.name}: comparison")
    names = "string,count,shallow_size,retained_size,node_id"
    same(table(db.view("heap/duplicates", file=file, limit=9), names), db.rows(f"SELECT substr(string, 1, 200), count, shallow_size, retained_size, node_id FROM v_js_duplicate_string WHERE file_id = :file ORDER BY retained_size DESC, node_index LIMIT 9", file=file), f"{db.name}: duplicates")


# 10 * log10(dur), rounded down; SQLite's own log10(1000) is less than 3
SCATTER = """WITH m AS (SELECT min(ts) AS a, max(ts) - min(ts) + 1 AS w FROM cloud_call)
SELECT (c.ts - m.a) * 1000 / m.w AS x, CASE WHEN c.dur < 1 THEN 0 ELSE tenths(c.dur) END AS y, count(*) AS n, max(c.id) AS any_id
FROM cloud_call AS c, m WHERE c.ts >= :from AND c.ts < :to GROUP BY 1, 2"""


def check_calls(db, made):
    begin, end = db.rows("SELECT min(ts), max(ts) FROM cloud_call")[0]
    for i in range(20):
        low, high = sorted((random.randrange(begin - 5, end + 5), random.randrange(begin - 5, end + 5))) if i else (0, EVER)
        reply = db.view("calls/scatter", **({"from_": low - db.origin, "to": high - db.origin} if i else {}))
        same(list(zip(*(reply[c] for c in ("x", "y", "n", "any_id")))), db.rows(SCATTER, **{"from": low, "to": high}), f"{db.name}: scatter {low} {high}")
        same((reply["from"], reply["span"]), (begin - db.origin, end - begin + 1), f"{db.name}: scatter")
        calls = db.rows("SELECT id, dur, cpu_dur, wait_dur, suspend_dur FROM cloud_call WHERE ts >= :from AND ts < :to ORDER BY dur IS NULL, dur DESC, id", **{"from": low, "to": high})
        sums = [sum(v for v in values if v is not None) if any(v is not None for v in values) else None for values in zip(*(row[1:] for row in calls))] or [None] * 4
        same(tuple(reply["all"].values()), (len(calls), *(v if v is None else max(min(v, 2**63 - 1), -2**63) for v in sums)), f"{db.name}: scatter {low} {high}: sums")
        same(reply["longest"] and tuple(reply["longest"].values()), calls[0] if calls and calls[0][1] is not None else None, f"{db.name}: scatter {low} {high}: the longest")


def check_written(directory):
    """Names of C++ and Rust as they are stored and as they are written; patterns are compared with those that are shown."""
    names = {"main": "main", "_ZN1a1bEv": "a::b()", "_RNvC6_123foo3bar": "123foo::bar", "_Zbad": "_Zbad"}
    text, path = os.path.join(directory, "written.folded"), os.path.join(directory, "written.db")
    with open(text, "w", encoding="ascii") as f:
        f.write(";".join(names) + " 3\nmain 1\n")
    starts.run([PROGRAM, text, "-e", path, "--quiet"], check=True)
    for options in ((), ("--sql",)):
        db = Database(path, *options)
        for demangle, want in ((None, sorted(names)), (0, sorted(names)), (1, sorted(names.values()))):
            for view in ("flame", "methods"):
                same(sorted(db.view(view, demangle=demangle)["methods"]["name"]), want, f"{view} with demangle={demangle}")
            total = lambda pattern: db.view("flame", demangle=demangle, only=pattern)["total"]
            same((total("a::b"), total("_ZN1a"), total("main")), (3 if demangle else 0, 0 if demangle else 3, 4), f"patterns with demangle={demangle}")
        check("error" in db.ask("flame", demangle=2), "demangle=2")
        db.close()


# --- databases ---------------------------------------------------------------------------------------------------------------


def converted(directory, name):
    path = os.path.join(directory, name.replace("/", "_") + ".db")
    starts.run([PROGRAM, os.path.join(SOURCE, "test/data", name), "-e", path, "--quiet"], check=True)
    return path


def analysed(directory):
    """A snapshot and a timeline with the analysis."""
    path = os.path.join(directory, "analysed.db")
    starts.run([PROGRAM, os.path.join(SOURCE, "test/data", "recording-timeline.htrace.gz"), "-e", path, "--analyze=heap", "--quiet"], check=True)
    return path


def odd_calls(directory):
    """Durations around powers of ten, none, and long ones."""
    path = os.path.join(directory, "calls.db")
    shutil.copy(converted(directory, "recording-cloud.tar.gz"), path)
    db = sqlite3.connect(path)
    durations = [None, 0, -3] + [10 ** k + d for k in range(1, 19) for d in (-1, 0, 1)] + [1, 2, 5, 12, 13, 20, 9 * 10 ** 18]
    for dur in durations * 3:
        db.execute("INSERT INTO cloud_call(ts, dur) SELECT min(ts) + ?, ? FROM cloud_call", (random.choice([0, 1, 10 ** 9, 7 * 10 ** 9]), dur))
    db.execute("INSERT INTO cloud_call(ts, dur) VALUES (NULL, 5)")
    db.commit()
    db.close()
    return path


def random_stacks(directory, rows=13000):
    """Rows as no recording has them: several zones, times out of order, NULLs, all that the schema allows."""
    path = os.path.join(directory, "random.db")
    shutil.copy(converted(directory, "go-mutex.pprof"), path)
    db = sqlite3.connect(path)
    for table in ("stack_sample", "stack_slice", "stack_node", "stack_method", "stack_sample_value", "stack_value_type", "trace_range"):
        db.execute(f"DELETE FROM {table}")
    null = lambda p, v: None if random.random() < p else v
    middle = lambda i: 4096 <= i < 8500  # with threads of its own, so that zones between others are left out
    db.execute("INSERT INTO trace_range(start_ts, end_ts) VALUES (1000000, 900000000)")
    for i in range(1, 60):
        db.execute("INSERT INTO stack_method(id, source_id, name, class, package, file, line) VALUES (?, 1, ?, ?, ?, ?, ?)",
                   (i, null(0.1, random.choice(["run", "parse", "(idle)", "(root)", "", "\N{SNOWMAN}\"\\\n"])), null(0.5, f"C{i}"), null(0.7, "p.q"), null(0.5, "f.c"), null(0.5, i)))
    for i in range(1, 800):
        db.execute("INSERT INTO stack_node(id, source_id, parent_id, method_id, line, depth) VALUES (?, 1, ?, ?, ?, 0)", (i, null(0.05, random.randrange(max(1, i - 30), i)) if i > 1 else None, null(0.05, random.randrange(1, 60)), null(0.5, random.randrange(50))))
    at = 1_000_000
    for i in range(1, rows):
        at += random.randrange(60_000)
        ts = null(0.02, at if random.random() < 0.99 or i < 10000 else random.randrange(at + 1))
        db.execute("INSERT INTO stack_sample(id, source_id, itid, ts, dur, node_id, event) VALUES (?, ?, ?, ?, ?, ?, ?)",
                   (i, random.choice([1, 1, 1, 2]), null(0.05, random.randrange(40) if middle(i) else 40 + random.randrange(20)), ts, null(0.1, random.choice([0, 1, 20_000, 100_000, 3_000_000])), null(0.05, random.randrange(1, 800)), null(0.1, random.choice(["cpu", "wall"]))))
        if random.random() < 0.3:
            db.execute("INSERT INTO stack_sample_value(sample_id, value_type_id, value) VALUES (?, ?, ?)", (i if random.random() < 0.99 else random.randrange(rows + 5), random.choice([1, 2]), random.randrange(-5, 1000)))
    # kinds of value are those of a source, and so are the samples that have them
    db.execute("DELETE FROM stack_sample_value WHERE sample_id IN (SELECT id FROM stack_sample WHERE source_id <> 1)")
    db.executemany("INSERT INTO stack_value_type(id, source_id, name, unit) VALUES (?, 1, ?, ?)", [(1, "spent", "ns"), (2, "amount", "bytes")])
    for i in range(1, 4):
        db.execute("INSERT INTO timeseries(id, source_id, itid, name, unit, interval) VALUES (?, 1, ?, 'cpu_time', 'µs', 20000000)", (i, i))
        db.execute("INSERT INTO flare_thread(itid, source_id, series_id) VALUES (?, 1, ?)", (i, i))
        db.executemany("INSERT INTO timeseries_value(series_id, ts, value) VALUES (?, ?, ?)", [(i, 1_000_000 + k * 20_000 + random.randrange(1000), random.randrange(30)) for k in range(500 * i)])
    at = 1_000_000
    for i in range(1, rows):
        at += random.randrange(60_000)
        dur = null(0.05, random.choice([0, 10, 5_000, 200_000, 40_000_000]))
        db.execute("INSERT INTO stack_slice(id, source_id, itid, parent_id, node_id, ts, dur, self_dur, cpu_dur, depth) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
                   (i, null(0.02, random.randrange(1, 8) + (7 if middle(i) else 0)), null(0.3, max(1, i - 1)), null(0.05, random.randrange(1, 800)), null(0.02, at), dur, None if dur is None else null(0.1, random.randrange(dur + 1)), null(0.5, 5), null(0.02, random.randrange(6))))
    db.commit()
    db.close()
    return path


def main():
    seed = int(os.environ.get("TS_SEED", random.randrange(1 << 30)))
    print(f"TS_SEED={seed}")
    random.seed(seed)
    run = {"stacks": lambda db, made: check_stacks(db, (1000 if SLOW else 100) if made else 10), "weights": check_weights, "time": check_time, "heap": check_heap, "calls": check_calls}[GROUP]
    with tempfile.TemporaryDirectory() as directory:
        paths = [converted(directory, name) for name in RECORDINGS[GROUP]]
        if GROUP in ("stacks", "time"):
            paths.append(random_stacks(directory))
        if GROUP == "heap":
            paths.append(analysed(directory))
        if GROUP == "calls":
            paths.append(odd_calls(directory))
        if GROUP == "stacks":
            check_written(directory)
        for path in paths:
            for options in ((), ("--sql",)):
                db = Database(path, *options)
                run(db, path.endswith("random.db"))
                db.close()


main()
