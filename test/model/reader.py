"""An independent reader of databases: sources, threads, classes of events, weights, sums and methods, as their definitions say.

It reads tables only, no views and not event_class: what an event stands for is written here once more.
"""

import fnmatch
import sqlite3
from collections import defaultdict

# (format, event or kind of value) -> (class, reason). What is not here is of the class other.
EVENTS = {}
for form in ("cpuprofile", "chrome-trace"):
    EVENTS[form, "cpu"] = ("cpu", None)
for event, reason in (("lock", "lock"), ("wait", "wait"), ("park", "park"), ("sleep", "sleep"), ("socket_read", "io"), ("socket_write", "io"), ("file_read", "io"), ("file_write", "io")):
    EVENTS["jfr", event] = ("waiting", reason)
for event in ("cpu", "cpu_samples"):
    EVENTS["jfr", event] = ("cpu", None)
for event in ("alloc", "malloc", "direct_alloc", "alloc_space", "alloc_samples"):
    EVENTS["jfr", event] = ("allocation", None)
for event in ("live", "leak", "heap_space", "leak_samples"):
    EVENTS["jfr", event] = ("live", None)
for event in ("alloc", "alloc_space"):
    EVENTS["heapprofile", event] = ("live", None)
for event in ("cpu", "cpu-samples"):
    EVENTS["pprof", event] = ("cpu", None)
for event in ("alloc", "alloc_objects", "alloc_space"):
    EVENTS["pprof", event] = ("allocation", None)
for event in ("heap", "inuse_objects", "inuse_space"):
    EVENTS["pprof", event] = ("live", None)
for event in ("lock", "contentions", "delay"):
    EVENTS["pprof", event] = ("waiting", "lock")
for event in ("wall", "wall-samples"):
    EVENTS["pprof", event] = ("wall", None)
EVENTS["perf-text", "cpu-clock"] = ("cpu", None)
LEAVES = {"(idle)": ("waiting", "idle"), "(garbage collector)": ("cpu", "gc"), "(root)": ("other", None)}  # of V8's profiles
COUNTS = ("samples", "sample", "cpu-samples", "wall-samples")  # of the class of the profile's ns
EVER = (-1 << 63, (1 << 63) - 1)
DEFAULTS = (("cpu", "ns"), ("cpu", "cycles"), ("cpu", "count"), ("wall", "ns"), "meant", ("allocation", "bytes"), ("allocation", "count"), ("live", "bytes"), ("live", "count"),
            ("waiting", "ns"), ("waiting", "count"), "other")


class Row:
    """A sample, a traced call, a span or the leaf of another tree, with what it weighs."""
    __slots__ = ("kind", "id", "source", "itid", "ts", "dur", "node", "event", "what", "own", "values", "begins", "part")

    def __init__(self, kind, id_, source, itid, ts, dur, node, event, what, own, values=()):
        self.kind, self.id, self.source, self.itid, self.ts, self.dur, self.node, self.event, self.what, self.own, self.values = kind, id_, source, itid, ts, dur, node, event, what, own, values
        self.begins, self.part = True, own


class Reader:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True, check_same_thread=False)
        self.db.text_factory = lambda b: b.decode("utf-8", "replace")
        self.sources = {i: dict(zip(("parent", "kind", "path", "name", "format", "clock", "start", "end"), row)) for i, *row in self.db.execute(
            "SELECT id, parent_id, kind, path, name, format, clock, start_ts, end_ts FROM source")}
        self.threads = {i: dict(zip(("tid", "name", "pid", "process"), row)) for i, *row in self.db.execute(
            "SELECT t.itid, t.tid, t.name, p.pid, p.name FROM thread AS t LEFT JOIN process AS p ON p.ipid = t.ipid")}
        self.thread_source = dict(self.db.execute("SELECT itid, source_id FROM thread_detail"))
        self.methods = {i: row for i, *row in self.db.execute("SELECT id, library, package, class, name, signature, file, line FROM stack_method")}
        self.method_source = dict(self.db.execute("SELECT id, source_id FROM stack_method"))
        self.nodes = {i: (parent, method) for i, parent, method in self.db.execute("SELECT id, parent_id, method_id FROM stack_node")}
        self.read_kinds()
        self.rows = self.read_samples() + self.read_calls()
        self.marks = not self.rows
        if self.marks:
            self.rows = self.read_heap_trees() or self.read_marks()
        self.paths = {}

    # --- what there is ---------------------------------------------------------------------------------------------------

    def read_kinds(self):
        """{id: (source, name, unit, (class, reason))} of kinds of values."""
        self.kinds, of = {}, defaultdict(list)
        for i, source, name, unit in self.db.execute("SELECT id, source_id, name, unit FROM stack_value_type ORDER BY id"):
            self.kinds[i] = [source, name, "ns" if unit == "nanoseconds" else unit, EVENTS.get((self.sources[source]["format"], name), ("other", None))]
            of[source].append(i)
        self.meant = {}  # source -> what a profile of what was allocated and what is in use means to show
        for source, ids in of.items():
            timed = [self.kinds[i][3] for i in ids if self.kinds[i][2] == "ns" and self.kinds[i][3][0] in ("cpu", "wall")]
            for i in ids:
                if self.kinds[i][1] in COUNTS and self.kinds[i][2] == "count" and self.sources[source]["format"] == "pprof":
                    self.kinds[i][3] = timed[0] if timed else ("cpu", None)
            if {"allocation", "live"} <= {self.kinds[i][3][0] for i in ids}:
                named = self.db.execute("SELECT max(default_type_id) FROM profile WHERE source_id = ?", (source,)).fetchone()[0]
                if named is not None or self.sources[source]["format"] == "pprof":
                    self.meant[source] = named if named is not None else ids[-1]
        self.in_ns = {(s, what[0]) for s, _, unit, what in self.kinds.values() if unit == "ns"}

    def read_samples(self):
        values = defaultdict(list)
        for sample, kind, value in self.db.execute("SELECT sample_id, value_type_id, value FROM stack_sample_value"):
            values[sample].append((kind, value))
        rows = []
        for i, source, itid, ts, dur, node, event in self.db.execute("SELECT id, source_id, itid, ts, dur, node_id, event FROM stack_sample"):
            form = self.sources[source]["format"]
            what = EVENTS.get((form, event), ("other", None))
            if form in ("cpuprofile", "chrome-trace") and node is not None and self.nodes[node][1] is not None:
                what = LEAVES.get(self.methods[self.nodes[node][1]][3], what)
            rows.append(Row("sample", i, source, itid, ts, dur, node, event, what, dur, values.get(i, ())))
        return rows

    def read_calls(self):
        spans = {i for i, in self.db.execute("SELECT slice_id FROM chrome_slice WHERE async")}
        self.parents, rows = {}, []
        for i, source, itid, parent, node, ts, dur, own in self.db.execute("SELECT id, source_id, itid, parent_id, node_id, ts, dur, self_dur FROM stack_slice"):
            self.parents[i] = parent
            rows.append(Row("async" if i in spans else "call", i, source, itid, ts, dur, node, None, ("wall", None), own))
        return rows

    def read_marks(self):
        """Slices of a trace of the system, without those that belong to no thread."""
        below, rows, paths = defaultdict(int), [], {}
        found = self.db.execute("SELECT id, ts, dur, callid, name, parent_id FROM callstack WHERE cookie IS NULL").fetchall()
        for _, _, dur, _, _, parent in found:
            below[parent] += dur or 0
        for i, ts, dur, itid, name, parent in found:
            self.parents[i] = parent
            paths[i] = paths.get(parent, ()) + (("mark", name),)
            rows.append(Row("call", i, self.thread_source.get(itid), itid, ts, dur, paths[i], None, ("wall", None), None if dur is None else max(0, dur - below[i])))
        return rows

    def read_heap_trees(self):
        """What was allocated, by stack, and what of it is in use: bytes and objects."""
        live = defaultdict(lambda: [0, 0])
        for file, trace, size in self.db.execute("SELECT file_id, trace_node_id, self_size FROM js_heap_nodes WHERE trace_node_id > 0"):
            live[file, trace][0] += size
            live[file, trace][1] += 1
        source = dict(self.db.execute("SELECT file_id, source_id FROM js_heap_file_detail"))
        texts = {(file, i): text for file, i, text in self.db.execute("SELECT file_id, file_index, string FROM js_heap_string")}
        functions = {(file, i): (texts.get((file, name)), texts.get((file, script)), line) for file, i, name, script, line in self.db.execute(
            "SELECT file_id, function_index, name, script_name, line FROM js_heap_trace_function_info")}
        rows, paths = [], {}
        self.meant[None] = -3  # it is recorded to see what stays
        self.kinds.update({-1: [None, "alloc_space", "bytes", ("allocation", None)], -2: [None, "alloc_objects", "count", ("allocation", None)],
                           -3: [None, "inuse_space", "bytes", ("live", None)], -4: [None, "inuse_objects", "count", ("live", None)]})
        for file, i, function, count, size, parent in self.db.execute("SELECT file_id, id, function_info_index, count, size, parent_id FROM js_heap_trace_node ORDER BY file_id, rowid"):
            paths[file, i] = paths.get((file, parent), ()) + (("function", *functions.get((file, function), (None, None, None))),)
            used = live.get((file, i), (0, 0))
            rows.append(Row("heap", None, source.get(file), None, None, None, paths[file, i], None, ("other", None), None, ((-1, size), (-2, count), (-3, used[0]), (-4, used[1]))))
        return rows

    # --- what is wanted --------------------------------------------------------------------------------------------------

    def find_sources(self, typed):
        """The sources that a text means, with all below them; empty: none."""
        def full(s):
            return "%s/%s" % (s["path"], s["name"])
        for level in (lambda i, s: str(i) == typed, lambda i, s: s["path"] == typed, lambda i, s: s["name"] == typed, lambda i, s: full(s) == typed,
                      lambda i, s: s["path"] is not None and s["path"].rsplit("/", 1)[-1] == typed,
                      lambda i, s: any(t is not None and fnmatch.fnmatchcase(t, typed) for t in (s["path"], s["name"], full(s)))):
            found = {i for i, s in self.sources.items() if level(i, s)}
            if found:
                return self.with_below(found)
        return set()

    def with_below(self, found):
        found = set(found)
        while True:
            more = {i for i, s in self.sources.items() if s["parent"] in found} - found
            if not more:
                return found
            found |= more

    def find_threads(self, typed):
        found = set()
        for part in typed.split(","):
            key, _, value = part.rpartition("=")
            if key:
                test = {"tid": lambda i, t: str(t["tid"]) == value, "pid": lambda i, t: str(t["pid"]) == value, "id": lambda i, t: str(i) == value,
                        "process": lambda i, t: t["process"] is not None and fnmatch.fnmatchcase(t["process"], value), "name": lambda i, t: t["name"] == value}[key]
                found |= {i for i, t in self.threads.items() if test(i, t)}
            elif part == "-":
                found.add(None)
            else:
                for test in (lambda i, t: t["name"] is not None and fnmatch.fnmatchcase(t["name"], part), lambda i, t: str(t["tid"]) == part, lambda i, t: str(i) == part):
                    more = {i for i, t in self.threads.items() if test(i, t)}
                    if more:
                        found |= more
                        break
        return found

    def range_of(self, sources):
        """Least begin and greatest end of the facts of sources, and what was recorded of them when that overlaps."""
        marks = ",".join(map(str, sources))
        ends = []
        for table in ("stack_sample", "stack_slice", "runtime_pause", "lock_wait"):
            ends += [r for r in self.db.execute("SELECT min(ts), max(ts + max(ifnull(dur, 0), 0)) FROM %s WHERE source_id IN (%s)" % (table, marks)) if r[0] is not None]
        if not ends:
            return None
        low, high = min(a for a, _ in ends), max(b for _, b in ends)
        for i in sources:
            a, b = self.sources[i]["start"], self.sources[i]["end"]
            if a is not None and b is not None and a <= high and low <= b:
                low, high = min(low, a), max(high, b)
        return low, high

    def select(self, source=None, thread=None, event=None, low=None, high=None, label=None, kinds=None):
        """Rows that are wanted, each with `part` (ns of it in the span) and `begins`."""
        sources = None if source is None else self.find_sources(source)
        threads = None if thread is None else self.find_threads(thread)
        labels = () if label is None else self.db.execute("SELECT sample_id, key, coalesce(value, '') FROM stack_sample_label")
        labelled = None if label is None else {i for i, key, value in labels if label in (key, key + "=" + value) or fnmatch.fnmatchcase(key + "=" + value, label)}
        whole = low is None and high is None
        low, high = EVER[0] if low is None else low, EVER[1] if high is None else high
        sliced = {r.source for r in self.rows if r.kind in ("call", "async")}
        wanted, inside = [], {}
        for r in self.rows:
            if (sources is not None and r.source not in sources) or (threads is not None and r.itid not in threads) or (event is not None and (r.event or "call") != event):
                continue
            if (labelled is not None and (r.kind != "sample" or r.id not in labelled)) or (kinds is not None and r.kind not in kinds):
                continue
            if r.kind == "sample" and r.ts is None and r.source in sliced and event is None:
                continue  # a sum that the profiler made of the same calls
            r.begins, r.part = True, r.own
            if not whole:
                r.begins = r.ts is not None and low <= r.ts < high
                r.part = max(0, min(r.ts + r.dur, high) - max(r.ts, low)) if r.ts is not None and r.dur is not None and r.dur > 0 else r.own if r.begins else None
                if r.kind in ("call", "async"):
                    inside[r.id] = r.part or 0
            wanted.append(r)
        if not whole and inside:  # the part of a call in the span, without that of what it called
            by = {r.id: r for r in wanted if r.kind in ("call", "async")}
            own = dict(inside)
            for i in inside:
                above = self.parents.get(i)
                if above in own:
                    own[above] -= inside[i]
            for i, r in by.items():
                r.part = None if r.own is None else max(0, own[i])
        return [r for r in wanted if whole or r.begins or (r.part or 0) > 0]

    # --- weights -----------------------------------------------------------------------------------------------------------

    def weigh(self, rows, weight):
        """[(row, what it weighs)]: weight is CLASS, CLASS:REASON, CLASS/UNIT, samples, dur, calls_async, or NAME[/UNIT] of a kind of value."""
        if weight in ("samples", "samples/count"):
            return [(r, 1) for r in rows if r.begins and not (self.marks and r.own is None)]
        if weight == "calls_async":
            return [(r, r.part or 0) for r in rows if r.kind == "async"]
        name, _, unit = weight.partition("/")
        kind, _, reason = name.partition(":")
        if name in ("dur", "time"):
            return [(r, r.part) for r in rows if r.part is not None]
        if kind in ("cpu", "wall", "waiting", "allocation", "live"):
            for one in [unit] if unit else ("ns", "bytes", "cycles", "count"):
                found = [(r, v) for r in rows for v in [self.of_class(r, kind, reason, one)] if v is not None]
                if unit or any(v > 0 for _, v in found):
                    return found
            return self.weigh(rows, "dur") if weight == "wall" else []
        return [(r, self.scaled(r, k, value)) for r in rows for k, value in r.values if self.kinds[k][1] == name and (not unit or self.kinds[k][2] == unit)]

    def scaled(self, r, kind, value):
        """A value of ns is as much in the span as the row is."""
        if self.kinds[kind][2] != "ns" or r.ts is None or not r.dur or r.dur < 0 or r.part == r.dur:
            return value if r.begins or (self.kinds[kind][2] == "ns" and (r.part or 0) > 0) else 0
        return int(value * r.part / r.dur) if value != r.dur else r.part

    def of_class(self, r, kind, reason, unit):
        if r.kind == "async":
            return None
        of = [self.scaled(r, k, v) for k, v in r.values if self.kinds[k][3][0] == kind and self.kinds[k][2] == unit and (not reason or self.kinds[k][3][1] == reason)]
        if of:
            return sum(of)
        if unit == "ns" and r.what[0] == kind and (not reason or r.what[1] == reason) and (r.source, kind) not in self.in_ns and r.part is not None:
            return r.part
        return None

    def default(self, rows):
        """(name, unit) of the first weight with a sum above 0."""
        for one in DEFAULTS:
            if one == "meant":
                for kind in sorted(k for source, k in self.meant.items() if source is not None or any(r.kind == "heap" for r in rows)):
                    name, unit = self.kinds[kind][1:3]
                    if sum(v for _, v in self.weigh(rows, "%s/%s" % (name, unit))) > 0:
                        return name, unit
            elif one == "other":
                for _, name, unit, what in self.kinds.values():
                    if what[0] == "other" and sum(v for _, v in self.weigh(rows, "%s/%s" % (name, unit))) > 0:
                        return name, unit
            elif sum(v for _, v in self.weigh(rows, "%s/%s" % one)) > 0:
                return one
        return ("samples", "count") if rows else None

    # --- call paths and methods --------------------------------------------------------------------------------------------

    def path(self, node):
        """Methods from the outermost on, as numbers of `methods` or as themselves."""
        if node is None or isinstance(node, tuple):
            return node or ()
        if node not in self.paths:
            parent, method = self.nodes[node]
            self.paths[node] = (self.path(parent) if parent in self.paths or parent is None else self.climb(parent)) + (method,)
        return self.paths[node]

    def climb(self, node):
        todo = []
        while node is not None and node not in self.paths:
            todo.append(node)
            node = self.nodes[node][0]
        for one in reversed(todo):
            parent, method = self.nodes[one]
            self.paths[one] = (() if parent is None else self.paths[parent]) + (method,)
        return self.paths[todo[0]] if todo else self.paths[node]

    def label(self, method):
        if isinstance(method, tuple):
            return method[1] if method[1] else "(anonymous)"
        if method is None:
            return "(unknown)"
        _, package, klass, name, _, _, _ = self.methods[method]
        return (package + "." if package else "") + (klass + "." if klass else "") + (name or "(anonymous)")

    def key(self, method, by_source=False):
        """What makes methods of several recordings one."""
        if method is None or isinstance(method, tuple):
            return method and method[:2]
        library, package, klass, name, signature, file, line = self.methods[method]
        return (library or "", package or "", klass or "", name or "", signature or "", file or "", None if name else line, self.method_source[method] if by_source else None)

    def frame(self, method):
        """What a comparison of two recordings shows of a method: what it is called and its file."""
        if method is None or isinstance(method, tuple):
            return (self.label(method), None)
        name, file, line = self.methods[method][3], self.methods[method][5], self.methods[method][6]
        return (self.label(method) if name or line is None else "%s %d" % (self.label(method), line), file or None)

    def by_path(self, rows, weight):
        sums = defaultdict(int)
        for r, value in self.weigh(rows, weight):
            sums[r.node] += value
        return sums

    def sums(self, rows, weight, key=None):
        """{key of a method: [self, total, the labels of it]}; recursion counts once, what has no stack not at all."""
        key = key or self.key
        found = {}
        for node, value in self.by_path(rows, weight).items():
            if node is None:
                continue
            path = self.path(node)
            seen = set()
            for place, method in enumerate(path):
                k = key(method)
                one = found.setdefault(k, [0, 0, self.label(method), set()])
                one[3].add(method)
                if k not in seen:
                    one[1] += value
                    seen.add(k)
                if place == len(path) - 1:
                    one[0] += value
        return found
