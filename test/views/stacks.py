"""Samples and traced invocations as a reader of the input gives them, and what views and questions make of them.

Call paths and methods are compared as what they are, not by the numbers that they have in the database.
"""

from collections import Counter, namedtuple
from decimal import ROUND_HALF_UP, Decimal

Method = namedtuple("Method", "source raw_id name cls package signature file line library")
Sample = namedtuple("Sample", "source itid ts dur path event values state", defaults=(None,))  # values: {(name, unit): value}
Slice = namedtuple("Slice", "source itid parent path ts dur own depth state")  # parent: its index in the list
LARGEST_PID = 4194304  # of Linux: above are numbers of processes whose pid is not known
Thread = namedtuple("Thread", "source tid name kind pid process")
FIRST, LAST = -(1 << 63), (1 << 63) - 1


def label(m):
    if m is None:
        return "(unknown)"
    return "".join(p + "." for p in (m.package, m.cls) if p) + (m.name or "(anonymous)")


def short(m):
    """The name that views of invocations show."""
    return (m.cls + "." if m.cls else "") + (m.name if m.name is not None else "#%d" % m.raw_id)


def folded(path):
    return ";".join(label(m).replace(";", ":").replace("\n", " ") for m in path)


def total(values):
    values = [v for v in values if v is not None]
    return sum(values) if values else None


class Stacks:
    def __init__(self):
        self.methods = set()
        self.nodes = {}  # path -> the recording's own number of it
        self.samples = []
        self.slices = []
        self.threads = set()
        self.types = []  # (source, name, unit) of values

    def path(self, path, raw_id=None):
        """Notes a path and those above it."""
        for n in range(len(path), 0, -1):
            if path[:n] in self.nodes and n < len(path):
                break
            self.nodes.setdefault(path[:n], None)
        if path and self.nodes[path] is None:
            self.nodes[path] = raw_id
        self.methods.update(path)
        return path

    def weights(self):
        """(source, event, unit, value) -> {path: weight}"""
        out = {}
        for s in self.samples:
            if s.path is None:
                continue
            kinds = dict(s.values)
            if s.dur is not None:
                kinds[("dur", "ns")] = s.dur
            for (name, unit), value in kinds.items():
                event = "cpu" if (name, unit) == ("cpu", "ns") else s.event
                of = out.setdefault((s.source, event, unit, name), {})
                of[s.path] = of.get(s.path, 0) + value
        for s in self.slices:
            if s.path is not None and s.own is not None:
                of = out.setdefault((s.source, "call", "ns", "self_dur"), {})
                of[s.path] = of.get(s.path, 0) + s.own
        return out


def shares(weights):
    """method -> [weight of its own, weight of all paths that have it]"""
    out = {}
    for path, weight in weights:
        for m in set(path):
            out.setdefault(m, [0, 0])[1] += weight
        out[path[-1]][0] += weight
    return out


class Reader:
    """Numbers of methods, paths and threads in the database."""

    def __init__(self, j):
        self.method = {r[0]: Method(*r[1:]) for r in j.rows(
            "SELECT id, source_id, raw_id, name, class, package, signature, file, line, library FROM stack_method")}
        self.method_id = {m: i for i, m in self.method.items()}
        self.path = {None: None}
        self.node_id = {}
        self.raw = {}
        for node, source, parent, method, line, depth, raw in j.rows(
                "SELECT id, source_id, parent_id, method_id, line, depth, raw_id FROM stack_node ORDER BY id"):
            self.path[node] = (self.path[parent] or ()) + (self.method[method],)
            self.raw[node] = raw
            self.node_id[self.path[node]] = node
            j.same("depth, source, line of node %d" % node, (depth, source, line),
                   (len(self.path[node]) - 1, self.path[node][0].source, None))
        j.same("paths that stand twice", len(self.path) - 1 - len(self.node_id), 0)
        j.same("methods that stand twice", len(self.method) - len(self.method_id), 0)
        self.itid = {}
        for itid, source, tid in j.rows("SELECT t.itid, d.source_id, t.tid FROM thread AS t "
                                        "JOIN thread_detail AS d ON d.itid = t.itid WHERE t.itid > 0"):
            self.itid[source, tid] = itid


def check_tables(j, s, r, spans=()):
    """`spans`: times that the rows have beside those of samples and invocations."""
    j.some("stack_method", "source_id raw_id name class package signature file line library", s.methods)
    j.some("stack_node", "source_id depth method_id parent_id raw_id",
           ((p[0].source, len(p) - 1, repr(p[-1]), repr(p[:-1]), raw) for p, raw in s.nodes.items()),
           got=((r.path[i][0].source, len(r.path[i]) - 1, repr(r.path[i][-1]), repr(r.path[i][:-1]), raw)
                for i, raw in r.raw.items()))
    j.some("stack_sample", "id source_id itid ts dur node_id event",
           ((i, x.source, x.itid, x.ts, x.dur, x.path, x.event) for i, x in enumerate(s.samples, 1)), key=False,
           got=((i, a, b, c, d, r.path[n], e) for i, a, b, c, d, n, e in
                j.rows("SELECT id, source_id, itid, ts, dur, node_id, event FROM stack_sample ORDER BY id")))
    kinds = {i: (source, name, unit) for i, source, name, unit in
             j.rows("SELECT id, source_id, name, unit FROM stack_value_type")}
    j.some("stack_value_type", "source_id name unit", s.types)
    j.some("stack_sample_value", "sample_id value_type_id value",
           ((i, (x.source, *kind), v) for i, x in enumerate(s.samples, 1) for kind, v in x.values.items()),
           got=((a, kinds[b], c) for a, b, c in j.rows("SELECT sample_id, value_type_id, value FROM stack_sample_value")),
           key=lambda row: row[:2])
    j.some("stack_slice", "id source_id itid parent_id node_id ts dur self_dur depth state",
           ((i, x.source, x.itid, None if x.parent is None else x.parent + 1, x.path, x.ts, x.dur, x.own, x.depth, x.state)
            for i, x in enumerate(s.slices, 1)), key=False,
           got=(row[:4] + (r.path[row[4]],) + row[5:] for row in j.rows(
               "SELECT id, source_id, itid, parent_id, node_id, ts, dur, self_dur, depth, state FROM stack_slice "
               "ORDER BY id")))
    pid = "CASE WHEN e.pid_known OR p.pid <= %d THEN p.pid END" % LARGEST_PID
    got = j.rows("SELECT d.source_id, t.tid, t.name, d.tid_kind, %s, p.name FROM thread AS t JOIN thread_detail AS d "
                 "ON d.itid = t.itid LEFT JOIN process AS p ON p.ipid = t.ipid LEFT JOIN process_detail AS e ON e.ipid = p.ipid "
                 "WHERE t.itid > 0" % pid)
    j.some("thread", "source tid name tid_kind pid process", s.threads, got=got)
    processes = {}
    for t in s.threads:
        processes.setdefault((t.source, t.pid, t.process), []).append(t.tid)
    slices = [x.source for x in s.slices]
    got = j.rows("SELECT e.source_id, %s, p.name, p.thread_count, p.slice_count FROM process AS p "
                 "JOIN process_detail AS e ON e.ipid = p.ipid WHERE p.ipid > 0" % pid)
    j.some("process", "source pid name thread_count slice_count",
           ((*p, len(tids), slices.count(p[0])) for p, tids in processes.items()),
           got=[row for row in got if row[3]])
    rows = s.samples + s.slices
    many = Counter(x.source for x in rows)
    check_range(j, [(x.ts, x.ts + (x.dur or 0)) for x in rows] + list(spans), min((x.ts for x in rows if x.source == max(many, key=many.get)), default=0))


VIEWER = 100000 * 10**9  # ns that the viewer's ruler cannot show


def check_range(j, spans, main=0):
    """The time that the rows span; when that is too long, those of the input around `main`."""
    if max(b for _, b in spans) - min(a for a, _ in spans) >= VIEWER:
        spans = [(a, b) for a, b in spans if abs(a - main) < VIEWER // 2]
    j.some("trace_range", "start_ts end_ts", [(min(a for a, _ in spans), max(b for _, b in spans))])


def check_views(j, s, r):
    weights = s.weights()
    j.view("v_stack_folded", "source_id event unit value node_id stack weight",
           ((*kind, r.node_id[path], folded(path), w) for kind, of in weights.items() for path, w in of.items()))
    j.view("v_stack_hot_method", "source_id event unit value method_id method file line self total",
           ((*kind, r.method_id[m], label(m), m.file, m.line, own, all_) for kind, of in weights.items()
            for m, (own, all_) in shares(of.items()).items() if all_ and m.name not in ("(root)", "(idle)")))
    j.view("v_thread_cpu", "source_id itid pid process tid thread tid_kind event count dur busy_dur cpu_dur",
           thread_rows(s, r))
    one, _ = keys(s, r)
    j.view("v_method", "id key_id method", ((r.method_id[m], r.method_id[one[m]], label(m)) for m in s.methods))
    type_id = {row[1:]: row[0] for row in j.rows("SELECT id, source_id, name, unit FROM stack_value_type")}
    number = {id(x): i for i, x in enumerate(s.samples, 1)}
    j.view("v_stack_weight", "source_id sample_id itid ts dur node_id event name value_type_id unit class reason rank value",
           ((x.source, number.get(id(x)), x.itid, x.ts, x.dur, r.node_id.get(x.path), x.event if isinstance(x, Sample) else "call", name,
             type_id.get((x.source, name, unit)) if name not in ("dur", "self_dur") else None, unit, kind, reason, rank, value)
            for x, name, unit, kind, reason, rank, value in amounts(s)))
    thread = {r.itid[t.source, t.tid]: t for t in s.threads}
    j.view("v_stack_slice", "id source_id itid tid thread parent_id node_id method_id method signature file line library "
           "ts dur self_dur depth state", slice_rows(s, r, thread), key=lambda row: row[0])
    if s.slices:
        empty = (None,) * 9
        args = {a for a, in j.rows("SELECT slice_id FROM cloud_tag UNION SELECT root_slice_id FROM cloud_call")}
        j.view("callstack", "id ts dur callid cat name depth cookie parent_id argsetid chainId spanId "
               "parentSpanId flag trace_level trace_tag custom_category custom_args child_callid colorIndex",
               ((i, x.ts, x.dur, x.itid, "method", None if x.path is None else short(x.path[-1]), x.depth, None,
                 x.parent, i + 1 if i + 1 in args else None, *empty, 0 if x.path is None else colour(short(x.path[-1]))) for i, x in enumerate(s.slices)),
               key=lambda row: row[0])


def colour(name):
    """By the letters at five places."""
    at = lambda i: ord(name[i]) if -len(name) <= i < len(name) else ord(name[0]) if name and i < 0 else 0
    return (len(name) + 3 * at(0) + 7 * at(-1) + 9 * at(-3) + 5 * at(-6) + 2 * at(len(name) // 2)) % 20


def slice_rows(s, r, thread):
    for i, x in enumerate(s.slices, 1):
        t = thread.get(x.itid)
        m = x.path[-1] if x.path else None
        yield (i, x.source, x.itid, t and t.tid, t and t.name, None if x.parent is None else x.parent + 1,
               r.node_id.get(x.path), r.method_id.get(m), m and short(m), m and m.signature, m and m.file, m and m.line,
               m and m.library, x.ts, x.dur, x.own, x.depth, x.state)


def thread_rows(s, r):
    groups = {}
    valued = {x.source for x in s.samples if ("cpu", "ns") in dict(x.values)}
    for x in s.samples:
        leaf = x.path[-1].name if x.path else None
        cpu = dict(x.values).get(("cpu", "ns"), 0 if leaf == "(idle)" else x.dur if x.event == "cpu" and leaf != "(root)" and x.source not in valued else None)
        groups.setdefault((x.source, x.itid, x.event), []).append((x.dur, cpu))
    for x in s.slices:
        dur = x.dur if x.parent is None else None
        groups.setdefault((x.source, x.itid, "call"), []).append((dur, None))  # that is recorded of whole calls only
    thread = {r.itid[t.source, t.tid]: t for t in s.threads}
    for (source, itid, event), rows in groups.items():
        t = thread.get(itid)
        yield (source, itid, t and t.pid, t and t.process, t and t.tid, t and t.name, t and t.kind, event, len(rows),
               total(d for d, _ in rows), total(b for _, b in rows), None)


# --- questions


def in_span(s, a, b, source=None, thread=None):
    return [x for x in s.samples if x.path is not None and x.ts is not None and a <= x.ts < b
            and source in (None, x.source) and thread in (None, x.itid)]


def span(params):
    return params.get("from", FIRST), params.get("to", LAST)


def counts(s, x):
    """Sums that a profiler made itself, of stacks without a time, count where it recorded no calls beside them."""
    return x.ts is not None or x.source not in {y.source for y in s.slices}


def keys(s, r, by=None):
    """method -> the one of them that stands for all that are equal, the least number first; in how many sources they are."""
    least, many = {}, {}
    key = lambda m: (m.library or "", m.package or "", m.cls or "", m.name or "", m.signature or "", m.file or "",
                     None if m.name else m.line, m.source if by == "source" else None)
    for m in sorted(s.methods, key=lambda m: r.method_id[m]):
        many.setdefault(least.setdefault(key(m), m), set()).add(m.source)
    return {m: least[key(m)] for m in s.methods}, many


def ask_hot_methods(j, s, r, **params):
    """Each method once, by what it weighs itself; what has no stack is in the sum of all."""
    out, found = {}, {}
    one, _ = keys(s, r, params.get("by"))
    weight, unit, of = weigh(s, params) or (None, None, {})
    for path, (n, w) in of.items():
        for m in {one[m] for m in path or ()}:
            c = out.setdefault(m, [0, 0, 0, 0])
            found.setdefault(m, set()).add(path[-1].source)
            c[1] += w
            c[3] += n
            if m == one[path[-1]]:
                c[0] += w
                c[2] += n
    by = 1 if params.get("order") == "total" else 0
    rows = sorted(out.items(), key=lambda i: (-i[1][by], -i[1][0], -i[1][1], r.method_id[i[0]]))
    total = sum(w for _, w in of.values())
    hidden = ("(root)",) if (weight or "").startswith("waiting") else ("(root)", "(idle)")
    j.ask("hot_methods", "method self total self_samples samples weight unit all sources source_id",
          [(label(m), *c, weight, unit, total, len(found[m]), m.source if len(found[m]) == 1 else None)
           for m, c in rows if m.name not in hidden][:params.get("limit", 30)], **params)


def ask_libraries(j, s, r, **params):
    weight, unit, of = weigh(s, params) or (None, None, {})
    found, all_ = {}, 0
    for path, (n, w) in of.items():
        if path and w > 0:
            m = path[-1]
            all_ += w
            if m.name not in ("(root)", "(idle)"):
                c = found.setdefault(m.library or m.file or None, [0, 0, {}])
                c[0] += w
                c[1] += n
                one = c[2].setdefault(m, [0])
                one[0] += w
    rows = sorted(found.items(), key=lambda i: (-i[1][0], i[0] is not None, i[0] or ""))
    j.ask("hot_libraries", "library self percent samples methods hottest weight unit",
          [(library, w, rounded(100 * w, all_), n, len({label(m) for m in methods}), label(min(methods, key=lambda m: (-methods[m][0], r.method_id[m]))), weight, unit)
           for library, (w, n, methods) in rows][:params.get("limit", 30)], **params)


def rounded(a, b):
    """As round(a / b, 1) of SQLite: half away from zero, of the double."""
    return float(Decimal(repr(float(a) / b)).quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))


def ask_cpu_hot(j, s, r, **params):
    a, b = span(params)
    of, counted = {}, set()
    for x in s.samples:
        cpu = x.values.get(("cpu", "ns"))
        ran = x.event == "cpu" and x.path is not None and x.path[-1].name not in ("(idle)", "(root)")
        if "event" in params:
            ran, cpu = x.event == params["event"], None
        if x.path is None or not (ran or cpu is not None) or params.get("source") not in (None, x.source):
            continue
        part = min(x.ts + x.dur, b) - max(x.ts, a) if x.ts is not None and x.dur and x.dur > 0 else None
        begins = ("from" not in params and "to" not in params) or (x.ts is not None and a <= x.ts < b)
        if part is None and cpu is not None and begins and x.dur is None:
            part = x.dur
        elif part is None or part <= 0:
            continue
        counted.add(x.event if "event" in params else "cpu of " + x.event)
        ns = part if cpu is None else cpu if part == x.dur or part is None else int(1.0 * cpu * part / x.dur)
        of[x.path] = of.get(x.path, 0) + ns
    one, many = keys(s, r, params.get("by"))
    rows = [(m.source if len(many[m]) == 1 else None, label(m), m.file, m.line, ",".join(counted), *w, r.method_id[m])
            for m, w in shares([(tuple(one[m] for m in path), w) for path, w in of.items()]).items() if w[1] and m.name != "(root)"]
    rows.sort(key=lambda row: (-row[5], -row[6], row[7]))
    j.ask("cpu_hot_methods", "source_id method file line counted self_ns total_ns",
          [row[:7] for row in rows][:params.get("limit", 30)], **params)


def ask_buckets(j, s, whole, **params):
    start, end = params.get("from", whole[0]), params.get("to", whole[1])
    n = params.get("buckets", 50)
    width = max(-(-(end - start) // n), 1)
    out = [[k, start + k * width, start + (k + 1) * width, 0, 0, 0] for k in range(n)]
    for x in s.samples:
        if x.dur is None or params.get("thread") not in (None, x.itid):
            continue
        idle = x.path is not None and x.path[-1].name == "(idle)"
        for row in out:
            part = min(x.ts + x.dur, row[2], end) - max(x.ts, row[1])
            if part > 0:
                row[4 if idle else 3] += part
            if row[1] <= x.ts < min(row[2], end):
                row[5] += 1
    j.ask("cpu_timeline_buckets", "bucket start_ts end_ts busy_ns idle_ns samples", out, **params)


STATES = {"BLOCKED": "lock", "WAITING": "wait", "TIMED_WAITING": "wait"}


def class_of(x):
    """(class, reason) of a sample, by its event, its leaf and what its thread did."""
    name = x.path[-1].name if x.path else None
    if x.event == "cpu":
        return {"(idle)": ("waiting", "idle"), "(root)": ("other", None), "(garbage collector)": ("cpu", "gc")}.get(name, ("cpu", None))
    if x.event == "aggregate":
        return "wall", None
    assert x.event == "wall", x.event
    if x.state == "TIMED_WAITING" and x.path and (x.path[-1].cls, name) in (("Thread", "sleep"), ("Unsafe", "park")):
        return "waiting", name
    return ("waiting", STATES[x.state]) if x.state in STATES else ("wall", None)


RANK = {("cpu", "ns"): 1, ("wall", "ns"): 4, ("waiting", "ns"): 10}


def amounts(s):
    """What v_stack_weight has: (sample or call, name, unit, class, reason, rank, value)."""
    in_ns = {(source, name) for source, name, unit in s.types if unit == "ns"}  # of the only class that values have here
    assert all((name, unit) == ("cpu", "ns") or unit != "ns" for _, name, unit in s.types)
    for x in s.samples:
        kind, reason = class_of(x)
        if (x.source, kind) in in_ns:
            kind = reason = None
        yield x, "dur", "ns", kind, reason, RANK.get((kind, "ns")), x.dur
        for (name, unit), v in x.values.items():
            cpu = (name, unit) == ("cpu", "ns")
            yield x, name, unit, "cpu" if cpu else "other", None, 1 if cpu else 12, v
    for x in s.slices:
        yield x, "self_dur", "ns", "wall", None, 4, x.own


def wanted_part(x, unit, value, a, b, whole):
    """Whether it begins in [a, b), and what of its value lies there; None: nothing."""
    begins = whole or (x.ts is not None and a <= x.ts < b)
    length = min(x.ts + x.dur, b) - max(x.ts, a) if isinstance(x, Sample) and x.ts is not None and (x.dur or 0) > 0 else 0
    if not begins and not (unit == "ns" and length > 0):
        return None
    if whole or unit != "ns" or length <= 0 or length == x.dur or value is None:
        return begins, value
    return begins, length if value == x.dur else int(1.0 * value * length / x.dur)


def weigh(s, params):
    """(weight, unit, {path, None for what has no stack: [rows, weight]}) as questions of stacks choose it; None: nothing."""
    a, b = span(params)
    whole = "from" not in params and "to" not in params
    levels = {}
    for x, name, unit, kind, reason, rank, value in amounts(s):
        event = x.event if isinstance(x, Sample) else "call"
        part = wanted_part(x, unit, value, a, b, whole)
        if part is None or params.get("source") not in (None, x.source) or params.get("thread") not in (None, x.itid) \
                or params.get("event") not in (None, event) or not (params.get("event") or counts(s, x)):
            continue
        length = name in ("dur", "self_dur")
        asked = params.get("weight")
        places = []
        if asked is None and rank is not None:
            places.append((rank, name if rank == 12 else kind, unit, part[1]))
        if asked is not None and kind not in (None, "other") and asked in (kind, "%s/%s" % (kind, unit), "%s:%s" % (kind, reason)):
            places.append((1 if unit in ("ns", "bytes") else 3, asked, unit, part[1]))
        elif asked in (name, "%s/%s" % (name, unit)) and not length:
            places.append((2, asked, unit, part[1]))
        if length and asked in (None, "dur", "time", "self", "wall"):
            places.append((14, "dur", "ns", part[1]))
        if length and asked in (None, "samples", "count"):
            places.append((15, "samples", "count", int(part[0])))
        for level, what, unit, v in places:
            of = levels.setdefault((level, what, unit), {}).setdefault(x.path, [0, 0])
            of[0] += int(part[0])
            of[1] += v or 0
    for level, what, unit in sorted(levels):
        of = {path: w for path, w in levels[level, what, unit].items() if w[1] > 0}
        if of:
            return what, unit, of
    return None


def path_weights(s, params, kinds=None):
    """{path: weight} of folded_stacks and flame_graph; what was chosen goes into kinds."""
    # One class has values and length, but never what has no stack only.
    found = weigh(s, params)
    of = {} if found is None else {path: w for path, (_, w) in found[2].items() if path is not None}
    if of and kinds is not None:
        kinds.append(found[0])
    return of


def ask_folded(j, s, r, **params):
    rows = sorted((r.node_id[path], "%s %d" % (folded(path), w)) for path, w in path_weights(s, params).items())
    j.ask("folded_stacks", "folded", [row[1:] for row in rows], **params)
    ask_boxes(j, s, r, **params)


def ask_boxes(j, s, r, **params):
    weights = path_weights(s, params)
    total, above = {}, {}
    for path, w in weights.items():
        for n in range(1, len(path) + 1):
            total[path[:n]] = total.get(path[:n], 0) + w
    for path in total:
        above.setdefault(path[:-1], []).append(path)
    rows, todo = [], []
    at = sum(total[p] for p in above.get((), []))
    for p in sorted(above.get((), []), key=r.node_id.get, reverse=True):
        at -= total[p]
        todo.append((p, at))
    while todo:
        path, start = todo.pop()
        m = path[-1]
        rows.append((len(path) - 1, start, total[path], weights.get(path, 0), label(m), m.file, m.line, r.node_id[path]))
        end = start + total[path]
        for p in sorted(above.get(path, []), key=r.node_id.get, reverse=True):
            end -= total[p]
            todo.append((p, end))
    j.ask("flame_graph", "depth start total self method file line node_id", rows[:params.get("limit", 100000)], **params)


def ask_flame_graph(j, s, r, **params):
    kinds = []
    of = path_weights(s, params, kinds)
    unit = {"cpu": 1000, "samples": 1}.get(kinds[0], 1000000) if kinds else 1
    rows = sorted((-(w // unit), r.node_id[p], folded(p)) for p, w in of.items() if w // unit > 0)
    j.ask("thread_flame_graph", "folded", [("%s %d" % (stack, -w),) for w, _, stack in rows], **params)


def ask_slices(j, s, r, **params):
    out = {}
    for x in s.slices:
        if x.path is not None and params.get("source") in (None, x.source):
            c = out.setdefault(x.path[-1], [0, 0, 0])
            c[0] += 1
            c[1] += x.own or 0
            c[2] += x.dur or 0
    rows = sorted(((r.method_id[m], short(m), *c) for m, c in out.items()), key=lambda row: (-row[3], row[0]))
    j.ask("slice_hot_methods", "method_id method count self total", rows[:params.get("limit", 20)], **params)


# --- a single call


def calls_below(rows, root):
    """{slice: methods from the root on} by the parents that the rows (of v_stack_slice) name."""
    children = {}
    for row in rows:
        children.setdefault(row[1], []).append(row)
    out = {}
    todo = [(next(row for row in rows if row[0] == root), ())]
    while todo:
        row, above = todo.pop()
        out[row] = above + (row[4:],)
        todo += [(c, out[row]) for c in children.get(row[0], ())]
    return out


SLICES = "SELECT id, parent_id, dur, self_dur, node_id, method_id, method, file, line FROM v_stack_slice"


def down(v):
    """The key of a descending order with NULL at the end."""
    return (v is None, -(v or 0))


def ask_call_trees(j, rows, root, given, depth=None):
    """call_aggregated and call_bottom_up of one call. A path's last part is (node, method id, method, file, line)."""
    of = {}
    for row, path in calls_below(rows, root).items():
        c = of.setdefault(path, [0, None, None])
        c[0] += 1
        for at in (1, 2):
            if row[at + 1] is not None:
                c[at] = (c[at] or 0) + row[at + 1]
    above = {}
    for path in of:
        above.setdefault(path[:-1], []).append(path)
    want, todo = [], [path for path in of if len(path) == 1]
    while todo:
        path = todo.pop()
        want.append((len(path) - 1, *of[path], *path[-1][2:]))
        todo += sorted(above.get(path, ()), key=lambda p: (down(of[p][1]), p[-1][0]), reverse=True)
    columns = "level count dur self_dur method file line"
    j.ask("call_aggregated", columns, want, **given)
    j.ask("call_aggregated", columns, want[:2], limit=2, **given)
    added = {}
    for path, (count, _, own) in of.items():
        for n in range(1, min(len(path), (5 if depth is None else depth) + 1) + 1):
            key = "".join("/%d" % p[1] for p in path[:-n - 1:-1])
            c = added.setdefault(key, [n - 1, None, 0, path[-n][2:]])
            c[1] = c[1] if own is None else (c[1] or 0) + own
            c[2] += count
    above = {}
    for key in added:
        above.setdefault(key.rpartition("/")[0], []).append(key)
    want = []
    todo = sorted((k for k, c in added.items() if c[0] == 0 and c[1]), key=lambda k: (down(added[k][1]), k), reverse=True)
    while todo:
        key = todo.pop()
        level, own, count, names = added[key]
        want.append((level, own, count, *names))
        todo += sorted(above.get(key, ()), key=lambda k: (down(added[k][1]), k), reverse=True)
    more = {} if depth is None else {"depth": depth}
    j.ask("call_bottom_up", "level self_dur count method file line", want[:100000], limit=100000, **more, **given)
    j.ask("call_bottom_up", "level self_dur count method file line", want[:1000], **more, **given)


def check_questions(j, s, r):
    times = [x.ts for x in s.samples if x.ts is not None]
    a, b = sorted(times)[len(times) // 3], sorted(times)[len(times) * 3 // 4]
    source = max(x.source for x in s.samples)
    threads = [x.itid for x in s.samples if x.itid is not None]
    ask_hot_methods(j, s, r)
    ask_hot_methods(j, s, r, **{"from": a, "to": b, "source": source, "limit": 100000})
    ask_cpu_hot(j, s, r)
    ask_cpu_hot(j, s, r, **{"from": a + 12345, "to": b, "source": source, "limit": 5})
    ask_cpu_hot(j, s, r, **{"from": a, "limit": 100000})
    ask_cpu_hot(j, s, r, event=s.samples[-1].event, limit=100000)
    ask_hot_methods(j, s, r, event=s.samples[-1].event, limit=100000)
    ask_hot_methods(j, s, r, by="source", limit=100000)
    ask_hot_methods(j, s, r, order="total", limit=7)
    ask_hot_methods(j, s, r, order="self", limit=7)
    ask_libraries(j, s, r)
    ask_libraries(j, s, r, source=source, limit=2)
    ask_cpu_hot(j, s, r, by="source", limit=100000)
    whole = j.rows("SELECT start_ts, end_ts FROM trace_range")[0]
    ask_buckets(j, s, whole)
    ask_buckets(j, s, whole, **{"from": a + 12345, "to": b, "buckets": 7})
    ask_folded(j, s, r)
    ask_folded(j, s, r, source=source, event=s.samples[-1].event)
    ask_folded(j, s, r, weight="bytes")
    ask_folded(j, s, r, event="call")
    ask_folded(j, s, r, weight="cpu", **{"from": a, "to": b})
    ask_folded(j, s, r, weight="samples")
    ask_boxes(j, s, r, limit=3)
    for weight in ("wall", "cpu", "samples", "waiting", "waiting:idle", "dur", "bytes"):
        ask_hot_methods(j, s, r, weight=weight)
    ask_hot_methods(j, s, r, **{"weight": "cpu", "from": a + 12345, "to": b})
    for weight in ("waiting", "waiting:idle", "waiting:wait", "dur", "time", "count", "wall/ns", "live"):
        ask_folded(j, s, r, weight=weight)
    ask_folded(j, s, r, **{"from": a + 12345, "to": b})
    ask_flame_graph(j, s, r, source=source, event=s.samples[-1].event)
    for weight in ("wall", "samples", "cpu"):
        ask_flame_graph(j, s, r, weight=weight)
        ask_flame_graph(j, s, r, **{"weight": weight, "from": a, "to": b})
    if threads:
        thread = max(set(threads), key=threads.count)
        ask_libraries(j, s, r, thread=thread)
        ask_flame_graph(j, s, r, thread=thread)
        ask_flame_graph(j, s, r, thread=thread, weight="cpu")
        ask_hot_methods(j, s, r, thread=thread)
        ask_folded(j, s, r, thread=thread, weight="cpu")
        ask_buckets(j, s, whole, thread=thread, buckets=3)
