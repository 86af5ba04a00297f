"""What the tables have to hold, computed with Python's own JSON reader from the recorded texts.

Every function yields the rows of one table for one heap or profile, in order. Nothing here knows
how trace_streamer works; the rules are those of docs/tables.md and docs/differences.md.
"""

import json
import re

HEAP_ARRAYS = ("nodes", "edges", "samples", "locations", "strings", "trace_function_infos",
               "trace_tree")
SURROGATE = re.compile("[\ud800-\udfff]")


class Mismatch(Exception):
    """The input itself is not what the checker can judge."""


def text_value(s):
    """A JSON string as it stands in the database: unpaired surrogates become U+FFFD."""
    return SURROGATE.sub("\ufffd", s)


def parse(raw):
    return json.loads(raw.decode("utf-8", "replace"))


class Heap:
    """One heap snapshot or timeline."""

    def __init__(self, raw):
        self.json = parse(raw)
        self.meta = self.json["snapshot"].get("meta", {})
        for name in HEAP_ARRAYS:
            self.json.setdefault(name, [])
        self.node_fields = self.meta["node_fields"]
        self.stride = len(self.node_fields)
        self.nodes = self.json["nodes"]
        self.node_count = len(self.nodes) // self.stride
        self.edge_stride = len(self.meta["edge_fields"])
        self.edge_count = len(self.json["edges"]) // self.edge_stride
        self.is_timeline = len(self.json["samples"]) > 0

    def node_column(self, name):
        """All values of a node field, or None for each node when the file lacks it."""
        if name not in self.node_fields:
            return [None] * self.node_count
        at = self.node_fields.index(name)
        return self.nodes[at : self.node_count * self.stride : self.stride]

    def table(self, array, fields, names):
        """Rows of a flat array: the named fields, None for those that the file lacks."""
        stride = len(fields)
        places = [fields.index(n) if n in fields else None for n in names]
        for row in range(len(array) // stride if stride else 0):
            yield tuple(None if p is None else array[row * stride + p] for p in places)

    def self_size(self):
        return sum(v for v in self.node_column("self_size") if v is not None)

    def info_rows(self):
        for key in ("node_types", "edge_types"):
            types = self.meta[key]
            lists = [i for i, t in enumerate(types) if isinstance(t, list)]
            named = lists[0] if lists else 0
            for i, t in enumerate(types):
                if i == named:
                    for name in t if isinstance(t, list) else [t]:
                        yield key, 0, -1, text_value(name)
                else:
                    yield key, 1, -1, text_value(t[0] if isinstance(t, list) else t)
        for key in ("node_count", "edge_count", "trace_function_count"):
            yield key, 0, self.json["snapshot"].get(key), ""

    def node_rows(self):
        names = ("type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness", "native_size")
        columns = [self.node_column(n) for n in names]
        for index, row in enumerate(zip(*columns)):
            yield (index,) + row

    def owners(self):
        """The id of the owner of every edge; None from where the counts do not fit any more."""
        ids = self.node_column("id")
        counts = self.node_column("edge_count")
        out = []
        for node_id, count in zip(ids, counts):
            if len(out) + (count or 0) > self.edge_count:
                break
            out.extend([node_id] * (count or 0))
        return out + [None] * (self.edge_count - len(out))

    def counts_fit(self):
        return sum(c or 0 for c in self.node_column("edge_count")) == self.edge_count

    def edge_rows(self):
        ids = self.node_column("id")
        owners = self.owners()
        fields = self.meta["edge_fields"]
        names = ("type", "name_or_index", "to_node")
        for index, row in enumerate(self.table(self.json["edges"], fields, names)):
            to = row[2]
            known = to is not None and to >= 0 and to % self.stride == 0
            known = known and to // self.stride < self.node_count
            yield (index,) + row + (owners[index], ids[to // self.stride] if known else None)

    def sample_rows(self):
        fields = self.meta.get("sample_fields", ["timestamp_us", "last_assigned_id"])
        return self.table(self.json["samples"], fields, ("timestamp_us", "last_assigned_id"))

    def location_rows(self):
        names = ("object_index", "script_id", "line", "column")
        fields = self.meta.get("location_fields", list(names))
        return self.table(self.json["locations"], fields, names)

    def string_rows(self):
        for index, s in enumerate(self.json["strings"]):
            yield index, text_value(s)

    def function_rows(self):
        names = ("function_id", "name", "script_name", "script_id", "line", "column")
        fields = self.meta.get("trace_function_info_fields", list(names))
        rows = self.table(self.json["trace_function_infos"], fields, names)
        for index, row in enumerate(rows):
            yield (index,) + row

    def trace_rows(self):
        """Pre-order, with an own stack: the tree may be deeper than Python's."""
        names = ["id", "function_info_index", "count", "size"]
        fields = self.meta.get("trace_node_fields", names + ["children"])
        places = [fields.index(n) for n in names]
        children = fields.index("children")
        stack = [(self.json["trace_tree"], 0, -1)]
        while stack:
            array, at, parent = stack.pop()
            if at + len(fields) > len(array):
                continue
            node = array[at : at + len(fields)]
            stack.append((array, at + len(fields), parent))
            stack.append((node[children], 0, node[places[0]]))
            yield tuple(node[p] for p in places) + (parent,)


class Profile:
    """One CPU profile."""

    FIGURES = ("gcTime", "cInterpreterTime", "asmInterpreterTime", "aotTime", "builtinTime",
               "napiTime", "arkuiEngineTime", "runtimeTime", "otherTime")

    def __init__(self, raw):
        self.json = parse(raw)
        self.nodes = self.json["nodes"]
        self.by_id = {n["id"]: n for n in self.nodes}
        if len(self.by_id) != len(self.nodes):
            raise Mismatch("the profile has duplicate node ids")
        self.parent = {}
        for n in self.nodes:
            for child in n.get("children", []):
                self.parent.setdefault(child, n["id"])
        self.start = self.json.get("startTime")
        self.end = self.json.get("endTime")
        self.samples = self._samples()
        self.paths = {}

    def _samples(self):
        """(time in µs, duration in µs, node id) in the order of time."""
        deltas = self.json.get("timeDeltas", self.json.get("timestampDeltas", []))
        ids = self.json.get("samples", [])
        if len(deltas) != len(ids):
            raise Mismatch("samples and timeDeltas differ in length")
        t = self.start
        taken = []
        for node, delta in zip(ids, deltas):
            t += delta
            taken.append((t, node))
        taken.sort(key=lambda s: s[0])
        out = []
        for i, (t, node) in enumerate(taken):
            last = i + 1 == len(taken)
            until = max(t, self.end if self.end is not None else t) if last else taken[i + 1][0]
            out.append((t, until - t, node))
        return out

    def parents_first(self):
        seen = set()
        for n in self.nodes:
            if n["id"] in self.parent and self.parent[n["id"]] not in seen:
                return False
            seen.add(n["id"])
        return True

    def root(self):
        return next(n["id"] for n in self.nodes if n["id"] not in self.parent)

    def callees(self, offset):
        """Ids of what the root calls."""
        return [c + offset for c in self.by_id[self.root()].get("children", [])]

    def number(self, node, offset, merged):
        """The id of a node in js_cpu_profiler_node. merged: 1, the root of another profile, stands for this one's root."""
        return 1 if merged and node == self.root() else node + offset

    def node_rows(self, offset, merged=False, more=()):
        """As in the file: id, name, script id, url, line, column, hits, children, parent. more: callees of merged roots."""
        for n in self.nodes:
            frame = n["callFrame"]
            parent = self.parent.get(n["id"])
            if merged and n["id"] == self.root():
                continue
            yield (
                n["id"] + offset,
                text_value(frame.get("functionName", "")),
                str(frame.get("scriptId", "0")),
                text_value(frame.get("url", "")),
                frame.get("lineNumber"),
                frame.get("columnNumber"),
                n.get("hitCount", 0),
                ",".join(map(str, [c + offset for c in n.get("children", [])] + (list(more) if parent is None else []))),
                0 if parent is None else self.number(parent, offset, merged),
            )

    def runs(self):
        """(node id, start, end) in µs for every run of equal consecutive samples."""
        out = []
        for t, dur, node in self.samples:
            if out and out[-1][0] == node:
                out[-1][2] = t + dur
            else:
                out.append([node, t, t + dur])
        return [tuple(r) for r in out]

    def path(self, node):
        """(function name, url) from the root down to a node."""
        if node in self.paths:
            return self.paths[node]
        out = []
        at = node
        while at is not None:
            frame = self.by_id[at]["callFrame"]
            out.append((text_value(frame.get("functionName", "")),
                        text_value(frame.get("url", ""))))
            at = self.parent.get(at)
        self.paths[node] = tuple(reversed(out))
        return self.paths[node]
