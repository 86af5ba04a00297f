"""What the stacks of a database weigh, computed from its rows alone: the oracle of the tests of exports.

Nothing here knows how an export works: rows are read with SQLite and added up in dictionaries.
"""

import re
import sqlite3

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

    def items(self, weight, source=None, thread=None, event=None, begin=None, end=None, stackless=False):
        """(node, (source, thread), ts, dur, weight, is a call) of all samples and calls that are wanted."""
        sources, threads = self.inside(source), self.threads(thread)
        types = {row[0] for row in self.sql.execute("SELECT id FROM stack_value_type WHERE name = ?", (weight,))}
        if not types and weight not in ("wall", "samples"):
            return
        sliced = {row[0] for row in self.sql.execute("SELECT DISTINCT source_id FROM stack_slice")}

        def wanted(sid, itid, ts):
            return ((sources is None or sid in sources) and (threads is None or itid in threads)
                    and ((begin is None and end is None) or ts is not None and (begin is None or ts >= begin) and (end is None or ts < end)))

        values = {}
        if types:
            for sample, kind, value in self.sql.execute("SELECT sample_id, value_type_id, value FROM stack_sample_value"):
                if kind in types:
                    values[sample] = values.get(sample, 0) + value
        rows = self.sql.execute("SELECT id, source_id, itid, ts, dur, node_id, event FROM stack_sample")
        for ident, sid, itid, ts, dur, node, why in rows:
            if (node is None and not stackless) or not wanted(sid, itid, ts) or (why != event if event is not None else ts is None and sid in sliced):
                continue
            value = values.get(ident) if types else 1 if weight == "samples" else dur
            if value is not None:
                yield node, (sid, itid), ts, dur, value, False
        if types or event not in (None, "call"):
            return
        for sid, itid, ts, dur, own, node in self.sql.execute("SELECT source_id, itid, ts, dur, self_dur, node_id FROM stack_slice"):
            value = 1 if weight == "samples" else own
            if (node is not None or stackless) and value is not None and wanted(sid, itid, ts):
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
        return not self.nodes and self.count("js_heap_trace_node") > 0

    def count(self, table):
        return self.sql.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    def heap_paths(self, weight):
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
        """Names of weights that are not zero everywhere."""
        if self.is_heap():
            names = sorted(HEAP)
        else:
            names = [row[0] for row in self.sql.execute("SELECT DISTINCT name FROM stack_value_type")] + ["wall", "samples"]
        return [name for name in names if self.by_path(name)]

    def default(self):
        if self.is_heap():
            return "inuse_space"
        kinds = list(self.sql.execute("SELECT name, unit FROM stack_value_type ORDER BY id"))
        cpu = ["cpu"] if ("cpu", "ns") in kinds else []
        amounts = [name for name, unit in reversed(kinds) if unit in ("ns", "bytes")]
        return next(name for name in [*cpu, "wall", *amounts, *(name for name, _ in kinds), "samples"] if self.by_path(name))
