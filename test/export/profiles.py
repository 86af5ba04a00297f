"""What the stacks of a database weigh, computed from its rows alone: the oracle of the tests of exports.

Nothing here knows how an export works: rows are read with SQLite and added up in dictionaries. What events are of which class is read from the declarations of the formats.
"""

import glob
import os
import re
import sqlite3

CLASSES = ("cpu", "wall", "waiting", "allocation", "live")


def event_lines():
    """{(format, event): {state: (class, reason)}} of the lines TS_EVENT of all formats."""
    formats = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/tables/formats")
    names = {"TS_FLARE_FORMAT": re.search(r'define TS_FLARE_FORMAT "(.*)"', open(f"{formats}/flare/flare_constants.h", encoding="utf-8").read()).group(1)}
    lines = {}
    for path in glob.glob(f"{formats}/*/*.def"):
        for form, event, state, what, reason in re.findall(r'^TS_EVENT\(("?\w[^,]*), "(.*?)", "(.*?)", (\w+), "(.*?)"\)', open(path, encoding="utf-8").read(), re.M):
            lines.setdefault((names.get(form, form.strip('"')), event), {})[state] = (what, reason)
    return lines


LINES = event_lines()
HEAP = {"inuse_space", "inuse_objects", "alloc_space", "alloc_objects"}


class Database:
    """The rows of stacks, methods, threads and sources."""

    def __init__(self, path):
        self.file = path
        self.sql = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.sql.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        self.methods = {row[0]: row[1:] for row in self.sql.execute("SELECT id, name, class, package, file, line FROM stack_method")}
        self.nodes = {row[0]: row[1:] for row in self.sql.execute("SELECT id, parent_id, method_id, line FROM stack_node")}
        self.parents = dict(self.sql.execute("SELECT id, parent_id FROM source"))
        self.formats = dict(self.sql.execute("SELECT id, format FROM source"))
        self.dominated = None

    def close(self):
        self.sql.close()

    def label(self, method):
        if method is None or method not in self.methods:
            return "(unknown)"
        name, cls, package = self.methods[method][:3]
        return "".join(part + "." for part in (package, cls) if part) + (name or "(anonymous)")

    def path(self, node):
        """The labels from the outermost frame on."""
        frames = []
        while node is not None:
            parent, method, _ = self.nodes[node]
            frames.append(self.label(method))
            node = parent
        return tuple(reversed(frames))

    def inside(self, source):
        """Ids of the source and of those in it."""
        if source is None:
            return None
        wanted = set()
        for ident, name, path in self.sql.execute("SELECT id, name, path FROM source ORDER BY id"):
            named = str(ident) == source if source.isdigit() else source in (name, path)
            if named or self.parents[ident] in wanted:
                wanted.add(ident)
        return wanted

    def threads(self, thread):
        if thread is None:
            return None
        for column in ("name", "tid", "id"):
            found = {row[0] for row in self.sql.execute(f"SELECT id FROM thread WHERE CAST({column} AS TEXT) = ?", (thread,))}
            if found:
                return found
        return set()

    def kinds(self, sources=None):
        """{id: (source, name, unit, class, reason)} of the kinds of values of the sources that are wanted."""
        found = {}
        for ident, source, name, unit in self.sql.execute("SELECT id, source_id, name, unit FROM stack_value_type"):
            if sources is None or source in sources:
                what = LINES.get((self.formats.get(source), name), {}).get("*", ("other", ""))
                found[ident] = (source, name, "ns" if unit == "nanoseconds" else unit or "", *what)
        return found

    def states(self):
        found = {}
        for table, where in (("stack_sample_label", "value AS state FROM stack_sample_label WHERE key = 'state'"), ("flare_stack", "state FROM flare_stack")):
            if any(state not in ("*", "") and not state.startswith("(") for (form, _), one in LINES.items() if form in self.formats.values() for state in one):
                found.update((sample, state) for sample, state in self.sql.execute(f"SELECT sample_id, {where}") if state is not None)
        return found

    def class_of(self, source, event, state, node):
        """Of a sample: the line of its state and leaf, of its state, of all states."""
        one = LINES.get((self.formats.get(source), event), {})
        method = self.methods.get(self.nodes[node][1]) if node is not None else None
        name, cls = (method[0] or "", method[1] or "") if method else ("", "")
        exact = name if state is None else f"{state} {cls}.{name}"
        return one.get(exact if exact != "*" else "", one.get(state, one.get("*", ("other", ""))))

    def items(self, weight, source=None, thread=None, event=None, begin=None, end=None, stackless=False):
        """(node, (source, thread), ts, dur, weight, is a call) of all samples and calls that are wanted: of the first weight of that name that is above zero."""
        filters = dict(source=source, thread=thread, event=event, begin=begin, end=end)
        found = self.chosen(weight, **filters)
        return self.weighed(found, stackless=stackless, **filters) if found else iter(())

    def chosen(self, weight, **filters):
        """The first weight of the name that is above zero, or the first."""
        found = None
        for one in self.meanings(weight, self.inside(filters.get("source"))):
            found = found or one
            if self.is_above(one, **filters):
                return one
        return found

    def unit(self, weight, **filters):
        return self.chosen(weight, **filters)[2]

    def name(self, weight, **filters):
        """What a weight that was asked for is called in what is written."""
        if self.is_heap():
            return weight
        how = self.chosen(weight, **filters)[0]
        return how if how in ("dur", "samples") else weight

    def is_above(self, one, **filters):
        sums = {}
        for node, _, _, _, value, _ in self.weighed(one, **filters):
            sums[node] = sums.get(node, 0) + value
        return any(value > 0 for value in sums.values())

    def meanings(self, name, sources):
        """What a name may mean, each (kind, what, unit): "class", "value", "dur", "samples", "async"."""
        kinds = self.kinds(sources)
        units = ["ns", *(kind[2] for _, kind in sorted(kinds.items()))]
        what, _, reason = name.partition(":")
        if what in CLASSES and (not reason or any((what, reason) in one.values() for one in LINES.values())):
            yield from (("class", (what, reason), unit) for unit in dict.fromkeys(units))
        yield from (("value", name, unit) for unit in dict.fromkeys(units) if any(kind[1:3] == (name, unit) for kind in kinds.values()))
        values = dict.fromkeys((*kind[1:3], kind[3]) for _, kind in sorted(kinds.items()))
        alone = [value for value in values if sum(value[:2] == other[:2] for other in values) == 1]
        for amount in (True, False):
            yield from (("value", value[0], value[1]) for value in alone if value[2] == name and (value[1] in ("ns", "bytes")) == amount)
        if {"count": "samples"}.get(name, name) == "samples":
            yield "samples", None, "count"
        if name in ("dur", "time", "self", "wall"):
            yield "dur", None, "ns"
        if name == "calls_async":
            yield "async", None, "ns"

    def weighed(self, one, source=None, thread=None, event=None, begin=None, end=None, stackless=False):
        sources, threads = self.inside(source), self.threads(thread)
        how, what, unit = one
        kinds = self.kinds(sources)
        sliced = {row[0] for row in self.sql.execute("SELECT DISTINCT source_id FROM stack_slice")}
        spans = {row[0] for row in self.sql.execute("SELECT slice_id FROM chrome_slice WHERE async")}
        whole = begin is None and end is None
        begin = -2**63 if begin is None else begin
        end = 2**63 - 1 if end is None else end

        def begins(ts):
            return whole or (ts is not None and begin <= ts < end)

        def part(ts, dur):
            return dur if whole or ts is None else max(0, min(ts + dur, end) - max(ts, begin))

        def of_class(found):
            return how != "class" or (found[0] == what[0] and what[1] in ("", found[1]))

        rows, states = {}, self.states()
        for ident, sid, itid, ts, dur, node, why in self.sql.execute("SELECT id, source_id, itid, ts, dur, node_id, event FROM stack_sample"):
            inside = begins(ts) or (ts is not None and dur is not None and dur > 0 and part(ts, dur) > 0)
            if ((node is not None or stackless) and (sources is None or sid in sources) and (threads is None or itid in threads) and inside
                    and (why == event if event is not None else ts is not None or sid not in sliced)):
                rows[ident] = (sid, itid, ts, dur, node, why)
        in_ns = {(kind[0], kind[3]) for kind in kinds.values() if kind[2] == "ns"}
        for ident, (sid, itid, ts, dur, node, why) in rows.items() if how in ("class", "dur", "samples") and unit in ("ns", "count") else ():
            found = self.class_of(sid, why, states.get(ident), node) if how == "class" else None
            if how == "samples":
                if begins(ts):
                    yield node, (sid, itid), ts, dur, 1, False
            elif dur is not None and (how == "dur" or (unit == "ns" and of_class(found) and (sid, found[0]) not in in_ns)):
                yield node, (sid, itid), ts, dur, part(ts, dur) if dur > 0 else dur, False
        if how in ("class", "value"):
            types = {ident for ident, kind in kinds.items() if kind[2] == unit and (of_class(kind[3:]) if how == "class" else kind[1] == what)}
            for sample, kind, value in self.sql.execute("SELECT sample_id, value_type_id, value FROM stack_sample_value"):
                if kind in types and sample in rows:
                    sid, itid, ts, dur, node, why = rows[sample]
                    if unit == "ns" and dur is not None and dur > 0 and ts is not None and part(ts, dur) > 0:
                        yield node, (sid, itid), ts, dur, value * part(ts, dur) // dur, False
                    elif begins(ts):
                        yield node, (sid, itid), ts, dur, value, False
        if how == "value" or (how == "class" and (what != ("wall", "") or unit != "ns")) or event not in (None, "call"):
            return
        for ident, sid, itid, ts, dur, own, node in self.sql.execute("SELECT id, source_id, itid, ts, dur, self_dur, node_id FROM stack_slice"):
            value = 1 if how == "samples" else own
            if ((node is not None or stackless) and value is not None and (sources is None or sid in sources) and (threads is None or itid in threads)
                    and begins(ts) and (how not in ("class", "async") or (ident in spans) == (how == "async"))):
                yield node, (sid, itid), ts, dur, value, True

    def timed(self, table, columns, source=None, thread=None, begin=None, end=None, **_):
        """Rows of a table with source, thread and time, that are wanted: (who, ts, other columns)."""
        sources, threads = self.inside(source), self.threads(thread)
        rows = self.sql.execute(f"SELECT source_id, itid, ts, {columns} FROM {table} WHERE ts IS NOT NULL")
        for sid, itid, ts, *others in rows.fetchall():
            if ((sources is None or sid in sources) and (threads is None or itid in threads) and (begin is None or ts >= begin) and (end is None or ts < end)):
                yield (self.who(sid, itid), ts, *others)

    def calls(self, event=None, **filters):
        """As readers.chrome has them."""
        if event in (None, "call"):
            for who, ts, dur, node in self.timed("stack_slice", "dur, node_id", **filters):
                yield "call", re.sub("[\ufffd\udc80-\udcff]+", "\ufffd", self.label(None if node is None else self.nodes[node][1])), ts, dur, who

    def pauses(self, **filters):
        for who, ts, dur, kind in self.timed("runtime_pause", "dur, kind", **filters):
            if dur is not None:
                yield "pause", kind, ts, dur, who

    def counters(self, **filters):
        table = "(SELECT s.source_id, s.itid, v.ts, s.name, v.value FROM timeseries_value v JOIN timeseries s ON s.id = v.series_id)"
        for who, ts, name, value in self.timed(table, "name, value", **filters):
            if value is not None:
                yield name, ts, value, who

    def who(self, source, itid):
        """pid and tid of a thread of a source, as trace events have them."""
        pid, above = None, source
        while pid is None and above is not None:
            pid = self.sql.execute("SELECT pid FROM source WHERE id = ?", (above,)).fetchone()[0]
            above = self.parents[above]
        tid = 1000000000 + 2 * source
        for number, process in self.sql.execute("SELECT t.tid, p.pid FROM thread t LEFT JOIN process p ON p.id = t.ipid WHERE t.id = ?", (itid,)):
            tid = 1000000000 + 2 * itid + 1 if number is None else number
            pid = pid if process is None else process
        return pid or 0, tid

    def frame(self, node):
        """(label, file, line where the method begins)"""
        method = self.nodes[node][1]
        file, line = self.methods[method][3:5] if method in self.methods else ("", 0)
        return self.label(method), file or "", line if line is not None and line > 0 else 0

    def lines(self, node):
        """The labels from the outermost frame on, each with the line that runs."""
        frames = []
        while node is not None:
            parent, method, line = self.nodes[node]
            frames.append((self.label(method), line or 0))
            node = parent
        return tuple(reversed(frames))

    def by_node(self, weight, **filters):
        sums = {}
        for node, _, _, _, value, _ in self.items(weight, **filters):
            sums[node] = sums.get(node, 0) + value
        return {node: value for node, value in sums.items() if value > 0}

    def by_path(self, weight, **filters):
        """Weight by the labels of a stack."""
        sums = {}
        paths = self.heap_paths(weight) if self.is_heap() else ((self.path(n), v) for n, v in self.by_node(weight, **filters).items())
        for path, value in paths:
            sums[path] = sums.get(path, 0) + value
        return sums

    def is_heap(self):
        return not self.nodes and self.count("js_heap_trace_node") > 0 or self.is_dominators()

    def is_dominators(self):
        """Stacks of threads in heap dumps are no samples beside the heaps themselves."""
        threads = self.sql.execute("SELECT count(sample_id) FROM java_heap_thread").fetchone()[0]
        rows = self.count("stack_slice") > 0 or self.count("stack_sample") != threads
        return not rows and self.count("js_heap_trace_node") == 0 and self.count("js_heap_dominated") + self.count("java_heap_dominated") > 0

    def count(self, table):
        return self.sql.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    def dominator_paths(self):
        """Of all nodes that are reached: classes from the root of the heap down (one that is on the path is the same again, and below 100 frames nothing is divided), size."""
        found = []
        own = dict(((f, n), text) for f, n, text in self.sql.execute("SELECT file_id, node_index, 'class ' || name FROM java_heap_class"))
        names = {"js": dict(self.sql.execute("SELECT id, name FROM js_heap_constructor")), "java": dict(self.sql.execute("SELECT id, name FROM java_heap_class"))}
        objects = {(f, n): own.get((f, n)) if kind == 1 else names["java"].get(c) for f, n, kind, c in self.sql.execute("SELECT file_id, node_index, kind, class_id FROM java_heap_object")}
        for kind in ("js", "java"):
            for file, first, tree in self.sql.execute(f"SELECT file_id, first_retained_rowid, first_dominated_rowid FROM {kind}_heap_analysis").fetchall():
                column = "constructor_id" if kind == "js" else "NULL"
                rows = self.sql.execute(f"SELECT dominator, shallow_size, {column} FROM {kind}_heap_retained WHERE file_id = ? ORDER BY rowid", (file,)).fetchall()
                paths = {}
                for (node,) in self.sql.execute(f"SELECT node_index FROM {kind}_heap_dominated WHERE file_id = ? ORDER BY rowid", (file,)):
                    dominator, size, cls = rows[node]
                    above = paths.get(dominator)
                    if not paths:
                        paths[node] = ()
                    elif above is not None:
                        label = (names["js"].get(cls) if kind == "js" else objects[file, node]) or "(anonymous)"
                        paths[node] = above[:above.index(label) + 1] if label in above else above if len(above) == 100 else (*above, label)
                        found.append((paths[node], size))
        return found

    def heap_paths(self, weight):
        if self.is_dominators():
            self.dominated = self.dominated or self.dominator_paths()
            for path, size in self.dominated if weight in ("inuse_space", "inuse_objects") else ():
                if size > 0 or weight == "inuse_objects":
                    yield path, 1 if weight == "inuse_objects" else size
            return
        column = {"inuse_space": "live_size", "inuse_objects": "live_count", "alloc_space": "size", "alloc_objects": "count"}[weight]
        rows = list(self.sql.execute(f"SELECT file_id, id, parent_id, function, {column} FROM v_js_allocation_stack"))
        tree = {(f, i): (p, name) for f, i, p, name, _ in rows}
        for f, i, _, _, value in rows:
            frames, at = [], i
            while at is not None:
                at, name = tree[(f, at)][0], tree[(f, at)][1]
                frames.append(name or "(anonymous)")
            if value:
                yield tuple(reversed(frames)), value

    def weights(self):
        """Names of the weights that are not zero everywhere and not in one another."""
        if self.is_heap():
            return [name for name in sorted(HEAP) if self.by_path(name)]
        names = [name for name in CLASSES if self.has_length(name)]
        for _, name, unit, _, _ in self.kinds().values():
            if not (name in names and unit == "ns") and self.is_above(("value", name, unit)):
                names.append(name)
        names += [name for name in ("calls_async", "samples") if name not in names]
        names += [self.default()]
        return [name for name in dict.fromkeys(names) if self.by_node(name)]

    def has_length(self, name):
        """Whether the class has samples and calls that weigh their length."""
        in_ns = {(kind[0], kind[3]) for kind in self.kinds().values() if kind[2] == "ns"}
        states = self.states()
        sliced = {row[0] for row in self.sql.execute("SELECT DISTINCT source_id FROM stack_slice")}
        for ident, source, ts, node, event in self.sql.execute("SELECT id, source_id, ts, node_id, event FROM stack_sample WHERE dur IS NOT NULL AND node_id IS NOT NULL"):
            if (ts is not None or source not in sliced) and self.class_of(source, event, states.get(ident), node)[0] == name and (source, name) not in in_ns:
                return True
        spans = "SELECT count(*) FROM stack_slice WHERE self_dur IS NOT NULL AND node_id IS NOT NULL AND id NOT IN (SELECT slice_id FROM chrome_slice WHERE async)"
        return name == "wall" and self.sql.execute(spans).fetchone()[0] > 0

    def default(self):
        """The name of the first that is above zero."""
        if self.is_heap():
            return "inuse_space"
        kinds = [kind for _, kind in sorted(self.kinds().items())]
        order = []
        for name, units in (("cpu", ("ns",)), ("cpu", None), ("wall", ("ns",)), ("usual", None), ("allocation", ("bytes",)), ("allocation", None), ("live", ("bytes",)), ("live", None),
                            ("waiting", ("ns",)), ("waiting", None)):
            if name == "usual":
                order += self.usual()
                continue
            for unit in units or [kind[2] for kind in kinds if kind[3] == name]:
                values = list(dict.fromkeys(kind[1] for kind in kinds if kind[3] == name and kind[2] == unit))
                mixed = any(kind[1:3] == (value, unit) and kind[3] != name for value in values for kind in kinds)
                alone = len(values) == 1 and not mixed and not (unit == "ns" and self.has_length(name))
                order.append((values[0] if alone else name, ("class", (name, ""), unit)))
        order += [(kind[1], ("value", kind[1], kind[2])) for kind in kinds if kind[3] == "other"]
        order += [("calls_async", ("async", None, "ns")), ("dur", ("dur", None, "ns")), ("samples", ("samples", None, "count"))]
        return next(name for name, one in order if self.is_above(one))

    def usual(self):
        """What a profile of allocations and of what is in use means: the kind that it names, or its last one when it is a pprof."""
        found = []
        named = {row[0] for row in self.sql.execute("SELECT default_type_id FROM profile WHERE default_type_id IS NOT NULL")}
        kinds = self.kinds()
        for source in dict.fromkeys(kind[0] for kind in kinds.values()):
            mine = {ident: kind for ident, kind in sorted(kinds.items()) if kind[0] == source}
            if {"allocation", "live"} <= {kind[3] for kind in mine.values()}:
                chosen = [ident for ident in mine if ident in named] or (list(mine)[-1:] if self.formats.get(source) == "pprof" else [])
                found += [(mine[ident][1], ("value", mine[ident][1], mine[ident][2])) for ident in chosen]
        return found
