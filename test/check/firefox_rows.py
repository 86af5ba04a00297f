#!/usr/bin/env python3
"""Compares every sample, marker, span, counter, thread and library of a profile of the Firefox Profiler with what an independent reader finds in it.

usage: firefox_rows.py DATABASE FILE
"""

import collections
import gzip
import json
import re
import sqlite3
import sys
from decimal import Decimal
from fractions import Fraction

PHASES = INSTANT, INTERVAL, START, END = range(4)


def load(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data, parse_float=Decimal)


def ns(v):
    """Milliseconds in ns, half away from zero."""
    v = Fraction(v) * 10**6
    whole = int(abs(v) + Fraction(1, 2))
    return -whole if v < 0 else whole


def nearest(v):
    whole = int(abs(Fraction(v)) + Fraction(1, 2))
    return -whole if v < 0 else whole


def number(v):
    return isinstance(v, (int, Decimal)) and not isinstance(v, bool)


class Table:
    """Rows as dicts, of columns or of Gecko's rows."""

    def __init__(self, table):
        self.names = set()
        self.rows = []
        if table is None:
            return
        if "schema" in table:
            places = table["schema"]
            self.names = set(places)
            self.rows = [{name: row[at] if at < len(row) else None for name, at in places.items()} for row in table.get("data", [])]
        else:
            columns = {k: v for k, v in table.items() if isinstance(v, list)}
            self.names = set(columns)
            self.rows = [{k: v[i] for k, v in columns.items()} for i in range(table["length"])]

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


# --- texts of Gecko ------------------------------------------------------------------------------


def location(text, libs):
    """(name, file, line, library, line of the frame, is it JavaScript) of a frame."""
    if re.fullmatch("0x[0-9a-fA-F]{1,16}", text):
        address = int(text, 16)
        inside = [lib for lib in libs if lib["start"] < address <= lib["end"]] or [lib for lib in libs if lib["start"] == address]
        return text, None, None, inside[0]["debugName"] if inside else None, None, False
    m = re.fullmatch(r"(.*) \(in ([^)]+)\)(?: \+ .*| \((.*)\)|)", text, re.S)
    if m:
        at = re.fullmatch(r"(.*):([0-9]+)", m[3] or "", re.S)
        return m[1], at and at[1], None, m[2], at and int(at[2]), False
    bare = re.sub(r"\[[0-9]+\]$", "", text)
    m = re.fullmatch(r"(.*?) \((.+?):([0-9]+)(?::([0-9]+))?\)", bare, re.S)
    if m is None and not bare.endswith(")"):
        m = re.fullmatch(r"()(.+?):([0-9]+)(?::([0-9]+))?", bare, re.S)
    if m:
        return m[1] if bare.endswith(")") else "(top level)", m[2].split(" -> ")[-1], int(m[3]), None, None, True
    return text, None, None, None, None, False


# --- profiles ------------------------------------------------------------------------------------


class Reader:
    def __init__(self, doc):
        self.doc, self.meta = doc, doc["meta"]
        self.samples, self.markers, self.spans, self.series = [], [], [], []
        self.libraries = collections.Counter()
        self.own = self.meta.get("importedFrom") == "trace_streamer"
        self.categories = self.meta.get("categories", [])
        self.schemas = {s["name"]: s for s in self.meta.get("markerSchema", [])}
        self.dated = self.meta.get("startTime", 0) > 0
        self.shared = doc.get("shared", {})
        self.threads_of = {}
        self.all_threads = []
        self.process(doc)

    def libs_seen(self, libs):
        for lib in libs:
            self.libraries[" ".join(x for x in (lib.get("debugName") or lib.get("name"), lib.get("breakpadId"), lib.get("path")) if x)] += 1

    def process(self, doc):
        """Threads come in the order of the text: those of processes where their list is."""
        base = doc["meta"].get("startTime", 0)
        mine = []
        self.counters_late = getattr(self, "counters_late", [])
        for key, value in doc.items():
            if key == "threads":
                for t in value:
                    self.thread(doc, t, base)
                    mine.append(self.all_threads[-1])
            elif key == "processes":
                for p in value:
                    self.process(p)
            elif key == "libs":
                self.libs_seen(value)
            elif key == "counters":
                self.counters_late += [(c, base, mine, doc) for c in value]
        if doc is self.doc:
            for c, start, list_, of in self.counters_late:
                self.counter(c, start, list_)

    def pid(self, value):
        m = re.fullmatch(r"(-?[0-9]+)(\..*)?", str(value), re.S)
        return int(m[1]) if m else None

    def category(self, category, sub):
        if category is None:
            return None
        c = self.categories[category]
        name = c["subcategories"][sub] if sub is not None and sub < len(c["subcategories"]) else "Other"
        return c["name"] if name == "Other" else "%s/%s" % (c["name"], name)

    # --- stacks -----------------------------------------------------------------------------------

    def paths(self, t, libs):
        """{stack: its frames from the root}: (name, file, line of the method, library, category, line)."""
        shared = self.shared if "stackTable" in self.shared else t
        strings = self.strings_of(t)
        frames = Table(shared.get("frameTable"))
        funcs = Table(shared.get("funcTable"))
        resources = Table(shared.get("resourceTable"))
        sources = Table(self.shared.get("sources"))
        text = lambda i: None if i is None else strings[i]

        def of_func(frame):
            func = funcs[frame["func"]]
            flags = func.get("flags", -1)
            has = lambda bit, key: func.get(key) if flags & bit else None
            resource = has(4, "resource")
            resource = None if resource in (None, -1) else resources[resource]
            lib = frame.get("lib") if frame.get("flags", -1) & 2 else None
            lib = None if lib == -1 else lib
            if lib is None and resource is not None:
                lib = resource.get("lib")
            library = None if lib in (None, -1) else libs[lib]["debugName"]
            if library is None and resource is not None:
                library = strings[resource["name"]]
            if "source" in func:
                source = has(8, "source")
                file = None if source is None else strings[sources[source]["filename"]]
            else:
                file = text(func.get("fileName"))
            js = flags & 1 if "flags" in func else func.get("isJS")
            return strings[func["name"]], file, has(16, "lineNumber"), library, js

        def of_frame(stack):
            frame = frames[stack["frame"]]
            flags = frame.get("flags", -1)
            line = frame.get("line") if flags & 16 else None
            if "location" in frames.names:
                name, file, method_line, library, located, js = location(strings[frame["location"]], libs)
                line = line or located
            else:
                name, file, method_line, library, js = of_func(frame)
            of = stack if "category" in stack else frame
            category = of.get("category") if of is stack or flags & 4 else None
            modifiers = self.category(category, of.get("subcategory"))
            return name, file, method_line or None, library, modifiers or ("JavaScript" if js else None), line or None

        paths = []
        for i, stack in enumerate(Table(shared.get("stackTable"))):
            offset = stack.get("prefixOffset")
            parent = stack.get("prefix") if offset is None else i - offset if offset else None
            paths.append((paths[parent] if parent is not None else ()) + (of_frame(stack),))
        return paths

    def strings_of(self, t):
        return t.get("stringArray", t.get("stringTable", self.shared.get("stringArray", [])))

    # --- threads ----------------------------------------------------------------------------------

    def thread(self, doc, t, base):
        libs = t.get("libs") or doc.get("libs") or self.doc.get("libs") or []
        self.libs_seen(t.get("libs", []))
        paths = self.paths(t, libs)
        path = lambda i: None if i is None else paths[i]
        strings = self.strings_of(t)
        pid, tid = self.pid(t["pid"]), t["tid"]
        tid = int(tid) if re.fullmatch("[0-9]+", str(tid)) else None
        who = pid, tid, t["name"]
        self.all_threads.append((pid, t))
        at = lambda time: None if time is None else ns(Fraction(base) + Fraction(time))
        self.sample_rows(doc, t, who, at, path)
        self.allocation_rows(t, who, at, path)
        self.marker_rows(t, who, at, path, strings)

    def timed(self, table):
        total = Fraction(0)
        for row in table:
            if "time" in table.names:
                yield row, row["time"]
            else:
                total += Fraction(row["timeDeltas"])
                yield row, total

    def sample_rows(self, doc, t, who, at, path):
        table = Table(t.get("samples"))
        kind = t["samples"].get("weightType", "samples")
        unit = self.meta.get("sampleUnits", {}).get("threadCPUDelta")
        pauses = [at(p["startTime"]) for p in t.get("pausedRanges") or doc.get("pausedRanges") or []]
        rows = [(row, at(time)) for row, time in self.timed(table)]
        for i, (row, ts) in enumerate(rows):
            weight = row.get("weight")
            values = {}
            if kind == "tracing-ms":
                dur = 10**6 if weight is None else ns(weight)
            elif kind == "bytes":
                dur = None
            else:
                end = rows[i + 1][1] if i + 1 < len(rows) else ts + ns(self.meta["interval"])
                dur = min([end] + [p for p in pauses if p >= ts]) - ts if end >= ts else None
            if kind != "tracing-ms":
                values["bytes" if kind == "bytes" else "wall-samples"] = 1 if weight is None else nearest(weight)
            delta = row.get("threadCPUDelta")
            if i and delta is not None:
                values["cpu-time" if unit in ("ns", "µs") else "cpu-cycles"] = nearest(delta * 1000 if unit == "µs" else delta)
            self.samples.append((who, ts, dur, "alloc" if kind == "bytes" else "wall", path(row["stack"]), tuple(sorted(values.items())), ()))

    def allocation_rows(self, t, who, at, path):
        for key in ("jsAllocations", "nativeAllocations"):
            for row in Table(t.get(key)):
                labels = [(k, row[k]) for k in ("className", "typeName") if k in row]
                if "memoryAddress" in row:
                    labels.append(("memoryAddress", "0x%x" % row["memoryAddress"]))
                freed = row["weight"] < 0
                self.samples.append((who, at(row["time"]), None, "free" if freed else "alloc", path(row["stack"]), (("free_space" if freed else "alloc_space", abs(row["weight"])),), tuple(labels)))

    # --- markers ----------------------------------------------------------------------------------

    def shown(self, data, strings):
        """Data with texts, without the stack of Gecko."""
        if data is None:
            return None
        schema = self.schemas.get(data.get("type"), {})
        texts = {f.get("key") for f in schema.get("fields", []) + schema.get("data", []) if f.get("format") in ("unique-string", "flow-id", "terminating-flow-id")}
        out = {}
        for key, value in data.items():
            if key == "stack" and isinstance(value, dict):
                value = None
            elif key in texts and isinstance(value, int) and data["type"] != "CompositorScreenshot":
                value = strings[value]
            out[key] = value
        return json.loads(json.dumps(out, default=float))

    def cause(self, data):
        if data is None:
            return None
        if isinstance(data.get("cause"), dict):
            return data["cause"].get("stack")
        if isinstance(data.get("stack"), dict):
            samples = data["stack"]["samples"]
            return samples["data"][0][samples["schema"]["stack"]]
        return None

    def marker_rows(self, t, who, at, path, strings):
        open_, spans = collections.defaultdict(list), []
        table = Table(t.get("markers"))
        for row in table:
            data = row["data"]
            if "startTime" in table.names:
                phase, start, end = row["phase"], row["startTime"], row["endTime"]
            else:
                d = data or {}
                phase, start, end = INSTANT, row["time"], None
                if number(d.get("startTime")) and number(d.get("endTime")):
                    phase, start, end = INTERVAL, d["startTime"], d["endTime"]
                elif d.get("interval") in ("start", "end"):
                    phase = START if d["interval"] == "start" else END
                    start, end = (start, None) if phase == START else (None, start)
            start, end = at(start), at(end)
            name, type_ = strings[row["name"]], (data or {}).get("type")
            place = len(self.markers)
            self.markers.append((who, name, self.category(row["category"], None), phase, start, end, type_, self.shown(data, strings), path(self.cause(data))))
            nested = bool(self.schemas.get(type_, {}).get("isStackBased"))
            if phase == INTERVAL and end >= start:
                spans.append((start, end, place, None, name, nested))
            elif phase == START:
                open_[row["name"]].append((start, place, name, nested))
            elif phase == END and open_[row["name"]]:
                begin, first, label, nests = open_[row["name"]].pop()
                if end >= begin:
                    spans.append((begin, end, first, place, label, nests))
        for list_ in open_.values():
            spans += [(begin, None, first, None, label, nests) for begin, first, label, nests in list_]
        self.span_rows(who, spans)

    def span_rows(self, who, spans):
        """Spans that nest, by who contains whom; what overlaps is not certain."""
        never = 1 << 70
        spans.sort(key=lambda s: (s[0], -(never if s[1] is None else s[1] - s[0]), s[2]))
        around, doubt, rows = [], -never, {}
        for i, (begin, end, first, last, name, nested) in enumerate(spans):
            row = rows[i] = {"parent": None, "path": (name,), "depth": 0 if nested else None, "self": None, "sure": True, "inner": 0}
            if not nested:
                continue
            until = never if end is None else end
            around = [k for k in around if (never if spans[k][1] is None else spans[k][1]) > begin]
            inside = around[-1] if around else None
            crosses = inside is not None and until > (never if spans[inside][1] is None else spans[inside][1])
            if begin < doubt or crosses:
                row.update(path=None, depth=None, sure=False)
                for k in around:
                    rows[k]["sure"] = False
                doubt = max(doubt, end if end is not None else doubt)
                continue
            if inside is not None:
                row.update(parent=inside, path=rows[inside]["path"] + (name,), depth=rows[inside]["depth"] + 1)
                rows[inside]["inner"] += 0 if end is None else end - begin
            around.append(i)
        for i, (begin, end, first, last, name, nested) in enumerate(spans):
            row = rows[i]
            own = end - begin - row["inner"] if end is not None and nested and row["sure"] else None
            parent = None if row["parent"] is None else spans[row["parent"]][2]
            self.spans.append((who if nested else None, first, last, parent, begin, None if end is None else end - begin, own, row["depth"], 1 if end is None else 0, row["path"], 0 if nested else 1))

    # --- counters ---------------------------------------------------------------------------------

    def counter(self, c, base, threads):
        groups = c.get("samples") or c.get("sampleGroups") or c.get("sample_groups") or []
        groups = groups if isinstance(groups, list) else [groups]
        index = c.get("mainThreadIndex")
        if index is not None and index < len(self.all_threads) and self.all_threads[index][0] is not None:
            pid = self.all_threads[index][0]
        elif index is not None and index < len(self.all_threads):
            pid = "text"
        else:
            pid = threads[0][0] if threads else None
        graph = c.get("display", {}).get("graphType")
        level = graph == "line-accumulated" if graph is not None else c["category"] == "Memory"
        unit = c.get("display", {}).get("unit") or {"Memory": "bytes", "power": "pWh"}.get(c["category"])
        name = "%s.%s" % (c["category"], c["name"])
        if self.own:
            name, unit = c["name"], c["description"] or None
        for group in groups:
            table = Table(group.get("samples", group))
            for column, suffix in (("count", ""), ("number", ".number")):
                if column not in table.names:
                    continue
                points, total = [], 0.0
                for i, (row, time) in enumerate(self.timed(table)):
                    value = float(row[column])
                    total += value if i or self.own else 0
                    points.append((ns(Fraction(base) + Fraction(time)), total if level and not suffix else value))
                self.series.append((name + suffix, "count" if suffix else unit, pid, c["category"], c["name"], c["description"], tuple(points)))


# --- databases -----------------------------------------------------------------------------------


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        query = self.db.execute
        nodes = {}
        for id_, parent, line, *method in query("SELECT n.id, n.parent_id, n.line, m.name, m.file, m.line, m.library, m.modifiers FROM stack_node n LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"):
            nodes[id_] = nodes.get(parent, ()) + (tuple(method) + (line,),)
        self.nodes = nodes
        self.threads = {itid: (pid, tid, name) for itid, pid, tid, name in query(
            "SELECT t.itid, CASE d.pid_known WHEN 1 THEN p.pid END, t.tid, t.name FROM thread t LEFT JOIN process p ON p.ipid = t.ipid LEFT JOIN process_detail d ON d.ipid = t.ipid")}
        values, labels = collections.defaultdict(list), collections.defaultdict(list)
        for sample, name, value in query("SELECT v.sample_id, t.name, v.value FROM stack_sample_value v JOIN stack_value_type t ON t.id = v.value_type_id"):
            values[sample].append((name, value))
        for sample, key, value in query("SELECT sample_id, key, value FROM stack_sample_label"):
            labels[sample].append((key, value))
        self.samples = [(self.threads[itid], ts, dur, event, nodes.get(node), tuple(sorted(values[id_])), tuple(labels[id_]))
                        for id_, itid, ts, dur, event, node in query("SELECT id, itid, ts, dur, event, node_id FROM stack_sample ORDER BY id")]
        self.markers = [(self.threads[itid], name, category, phase, ts, end, type_, None if data is None else json.loads(data), nodes.get(node))
                        for itid, name, category, phase, ts, end, type_, data, node in query("SELECT itid, name, category, phase, ts, end_ts, type, data, node_id FROM firefox_marker ORDER BY id")]
        self.spans = [(self.threads.get(itid), first - 1, last and last - 1, parent and parent - 1, ts, dur, own, depth, state, None if node is None else tuple(f[0] for f in nodes[node]), async_)
                      for itid, first, last, parent, ts, dur, own, depth, state, node, async_ in query(
                          "SELECT s.itid, f.marker_id, f.end_marker_id, (SELECT p.marker_id FROM firefox_slice p WHERE p.slice_id = s.parent_id), s.ts, s.dur, s.self_dur, s.depth, s.state, s.node_id, f.async "
                          "FROM stack_slice s JOIN firefox_slice f ON f.slice_id = s.id ORDER BY s.id")]
        self.series = [(name, unit, "text" if ipid is not None and pid is None else pid, category, own, description, tuple(query("SELECT ts, value FROM timeseries_value WHERE series_id = ? ORDER BY rowid", (id_,))))
                       for id_, name, unit, ipid, pid, category, own, description in query(
                           "SELECT t.id, t.name, t.unit, f.ipid, CASE d.pid_known WHEN 1 THEN p.pid END, f.category, f.name, f.description FROM timeseries t JOIN firefox_counter f ON f.series_id = t.id LEFT JOIN process p ON p.ipid = f.ipid LEFT JOIN process_detail d ON d.ipid = f.ipid ORDER BY t.id")]
        self.libraries = collections.Counter(v for (v,) in query("SELECT value FROM source_property WHERE key = 'library'"))


def compare(path, file):
    """What differs, or None."""
    want, have = Reader(load(file)), Database(path)
    for what in ("samples", "markers", "spans", "series"):
        a, b = getattr(want, what), getattr(have, what)
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return "%s %d: %s instead of %s" % (what, i, y, x)
        if len(a) != len(b):
            return "%d %s instead of %d" % (len(b), what, len(a))
    if want.libraries != have.libraries:
        return "libraries: %s instead of %s" % (have.libraries, want.libraries)
    expected = {(w[0], w[2]) for w in (m[0] for m in want.samples + want.markers)}
    if not expected <= {(pid, name) for pid, _, name in have.threads.values()}:
        return "threads"
    (clock, form, period) = have.db.execute("SELECT s.clock, p.format, p.period FROM profile p JOIN source s ON s.id = p.source_id").fetchone()
    processed = "preprocessedProfileVersion" in want.meta
    if (clock, form, period) != ("realtime" if want.dated else "relative", "firefox-processed" if processed else "firefox-gecko", ns(want.meta["interval"])):
        return "profile: %s %s %s" % (clock, form, period)
    return None


if __name__ == "__main__":
    wrong = compare(*sys.argv[1:3])
    if wrong:
        sys.exit(wrong)
