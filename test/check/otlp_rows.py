#!/usr/bin/env python3
"""Compares every sample of a file of OTLP profiles, its source, stack, time, values, labels and thread, with what an independent reader finds in it.

usage: otlp_rows.py DATABASE FILE [LAYOUT]

FILE: one message (LAYOUT says of which release), messages with lengths, or lines of JSON.
"""

import base64
import json
import sqlite3
import struct
import sys

from cells import cells
import otlp_write
from profiles import fields, full_name, signed, varint

UNITS = {"nanoseconds": ("ns", 1), "microseconds": ("ns", 1000), "milliseconds": ("ns", 10**6), "bytes": ("bytes", 1)}
BYTES = {"traceId": "hex", "spanId": "hex", "originalPayload": "base64", "bytesValue": "base64", "profileId": "id"}
TABLES = ("mappingTable", "locationTable", "functionTable", "linkTable", "stringTable", "attributeTable", "attributeUnits", "stackTable")


# --- trees -------------------------------------------------------------------------------------------


def of_protobuf(found, message, data):
    tree = {}
    for number, wire, v in fields(data):
        if number not in found[message]:
            continue
        name, kind = found[message][number]
        one = kind[0] if isinstance(kind, list) else kind
        if one in found:
            v = [of_protobuf(found, one, v)]
        elif one in ("u", "i", "x") and wire == 2:
            v = list(struct.unpack("<%dQ" % (len(v) // 8), v)) if one == "x" else packed(v)
        else:
            v = [v]
        if one == "i":
            v = [signed(x) for x in v]
        elif one == "d":
            v = [struct.unpack("<d", struct.pack("<Q", x))[0] for x in v]
        elif one == "s":
            v = [x.decode("utf-8", "replace") for x in v]
        elif one == "b":
            v = [bool(x) for x in v]
        if isinstance(kind, list):
            tree.setdefault(name, []).extend(v)
        else:
            tree[name] = v[-1]
    return tree


def packed(data):
    out, at = [], 0
    while at < len(data):
        v, at = varint(data, at)
        out.append(v)
    return out


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(w.capitalize() for w in rest)


def of_json(v, name=""):
    if isinstance(v, dict):
        return {camel(k): of_json(x, camel(k)) for k, x in v.items()}
    if isinstance(v, list):
        return [of_json(x, name) for x in v]
    if name in BYTES:
        return bytes.fromhex(v) if BYTES[name] == "hex" or (BYTES[name] == "id" and len(v) == 32) else base64.b64decode(v)
    if name in otlp_write.LONG and isinstance(v, str):
        return int(v)
    if name == "doubleValue":
        return float(v.replace("Infinity", "inf")) if isinstance(v, str) else float(v)
    return v


# --- one message -------------------------------------------------------------------------------------


def value_text(v):
    """The text of AnyValue, None for none."""
    for key, x in v.items():
        if key == "stringValue":
            return x
        if key == "boolValue":
            return "true" if x else "false"
        if key == "intValue":
            return str(x)
        if key == "doubleValue":
            return "NaN" if x != x else "Infinity" if x == float("inf") else "-Infinity" if x == -float("inf") else ("double", x)
        if key == "bytesValue":
            return x.hex()
        return ("json", json.dumps(plain(v), sort_keys=True))
    return None


def plain(v):
    for key, x in v.items():
        if key == "arrayValue":
            return [plain(e) for e in x.get("values", [])]
        if key == "kvlistValue":
            return {e["key"]: plain(e.get("value", {})) for e in x.get("values", [])}
        return x.hex() if key == "bytesValue" else x
    return None


class Message:
    def __init__(self, top, new, always_mapped=False):
        self.top, self.new, self.always_mapped = top, new, always_mapped  # new: index 0 is none; in 1.3 no mapping is mapping 0
        self.use(top.get("dictionary", top))

    def use(self, tables):
        self.t = {name: tables.get(name, []) for name in TABLES}
        self.units = {self.text(u.get("attributeKeyStrindex", 0)): self.text(u.get("unitStrindex", 0)) for u in self.t["attributeUnits"]}

    def entry(self, table, i):
        return None if (i == 0 and self.new) or not 0 <= i < len(self.t[table]) else self.t[table][i]

    def text(self, i):
        return self.t["stringTable"][i] if 0 <= i < len(self.t["stringTable"]) else "" if i == 0 else None

    def attribute(self, i):
        a = self.entry("attributeTable", i)
        if a is None:
            return None
        key = a["key"] if "key" in a else self.text(a.get("keyStrindex", 0))
        unit = self.text(a.get("unitStrindex", 0)) if "unitStrindex" in a else self.units.get(key, "")
        return key, value_text(a.get("value", {})), unit

    def frames(self, i):
        """From the outermost on."""
        l = self.entry("locationTable", i)
        if l is None:
            return [] if i == 0 and self.new else [None]
        mapping = l.get("mappingIndex", 0 if self.always_mapped else -1)
        m = self.entry("mappingTable", mapping) if mapping >= 0 else None
        library = (self.text(m.get("filenameStrindex", 0)).rsplit("/", 1)[-1] or None) if m else None
        kind = next((a[1] for a in map(self.attribute, l.get("attributeIndices", [])) if a and a[0] == "profile.frame.type"), None)
        out = []
        for line in reversed(l.get("lines", l.get("line", []))):
            f = self.entry("functionTable", line.get("functionIndex", 0))
            number = line.get("line", 0)
            number = number if number > 0 else None
            if f is None:
                out.append((None, None, None, number, None, None))
                continue
            start = f.get("startLine", 0)
            out.append((self.text(f.get("nameStrindex", 0)), self.text(f.get("filenameStrindex", 0)) or None, start if start > 0 else None, number, library, kind))
        return out or [("0x%x" % l.get("address", 0), None, None, None, library, kind)]

    def stack(self, p, s):
        if "stackTable" in self.top.get("dictionary", {}) or self.new:
            found = self.entry("stackTable", s.get("stackIndex", 0))
            indices = found.get("locationIndices", []) if found else []
        else:
            at = s.get("locationsStartIndex", 0)
            indices = p.get("locationIndices", [])[at:at + s.get("locationsLength", 0)]
        return tuple(f for i in reversed(indices) for f in self.frames(i))

    def labels(self, s):
        out = []
        for a in map(self.attribute, s.get("attributeIndices", [])):
            if a:
                out.append(a)
        link = self.entry("linkTable", s["linkIndex"]) if "linkIndex" in s else None
        for key, name in (("trace id", "traceId"), ("span id", "spanId")):
            if link and any(link.get(name, b"")):
                out.append((key, link[name].hex(), ""))
        return tuple(out)

    def observations(self, s, kinds):
        """Times and lists of values."""
        values, times = s.get("values", s.get("value", [])), s.get("timestampsUnixNano", [])
        if self.new:
            if len(values) == len(times) and values:
                return [(t, [v]) for t, v in zip(times, values)]
            if not times and values:
                return [(None, [v]) for v in values]
            return [(t, [1]) for t in times] if times and not values else [(None, [])]
        if kinds <= 1 and values and len(values) == len(times):
            return [(t, [v]) for t, v in zip(times, values)]
        if kinds <= 1 and values == [1] and len(times) > 1:
            return [(t, [1]) for t in times]
        return [(times[0] if times else None, values if len(values) == kinds else [])]

    def rows(self):
        for group in self.top.get("resourceProfiles", []):
            for scoped in group.get("scopeProfiles", []):
                for p in scoped.get("profiles", []):
                    container = p
                    if "profile" in p:
                        p = p["profile"]
                    yield from self.profile_rows(group.get("resource", {}), scoped.get("scope", {}), container, p)

    def profile_rows(self, resource, scope, container, p):
        if "stringTable" in p:
            self.use(p)
        types = p.get("sampleType", [])
        types = [types] if isinstance(types, dict) else types
        types = [(self.text(t.get("typeStrindex", 0)), self.text(t.get("unitStrindex", 0))) for t in types]
        period = p.get("periodType", {})
        period = self.text(period.get("typeStrindex", 0)), self.text(period.get("unitStrindex", 0))
        texts = lambda m: tuple((a.get("key"), value_text(a.get("value", {}))) for a in m.get("attributes", []))
        key = texts(resource), scope.get("name", ""), scope.get("version", ""), texts(scope), tuple(types), period
        time = p.get("timeUnixNano", p.get("timeNanos", 0))
        yield "profile", key, time, time + p.get("durationNano", p.get("durationNanos", 0)), (container.get("profileId") or bytes(16)).hex()
        for s in p.get("samples", p.get("sample", [])):
            stack, labels = self.stack(p, s), self.labels(s)
            for time, values in self.observations(s, len(types)):
                got = []
                for (name, unit), v in zip(types, values):
                    base, scale = UNITS.get(unit, (unit or "count", 1))
                    got.append(("cpu-samples" if name == "samples" else name, base, v * scale))
                if got and types == [("samples", "count")] and period == ("cpu", "nanoseconds") and "period" in p:
                    got.append(("cpu", "ns", values[0] * p["period"]))
                yield "sample", key, time, stack, tuple(got), labels


# --- the file ----------------------------------------------------------------------------------------


def messages(data, layout):
    if data[:1] in (b"{", b"\xef"):
        for line in data.decode("utf-8-sig").splitlines():
            if line:
                tree = of_json(json.loads(line))
                new = any(x in line for x in ('"stackTable"', '"stackIndex"', '"stack_table"', '"stack_index"', '"timeUnixNano"', '"time_unix_nano"'))
                yield Message(tree, new)
        return
    found = otlp_write.schema(layout)
    new = otlp_write.ORDER[layout] >= otlp_write.ORDER["1.8"]
    if data[:1] != b"\n":
        at = 0
        while at < len(data):
            (n,) = struct.unpack_from(">I", data, at)
            yield Message(of_protobuf(found, "top", data[at + 4:at + 4 + n]), new, layout == "1.3")
            at += 4 + n
        return
    yield Message(of_protobuf(found, "top", data), new, layout == "1.3")


def expected(data, layout):
    """(sources in the order of their first profile, samples)."""
    sources, samples = {}, []
    for m in messages(data, layout):
        for what, key, *rest in m.rows():
            if what == "profile":
                start, end, ident = rest
                known = sources.setdefault(key, [start, end, []])
                known[0], known[1] = min(known[0], start), max(known[1], end)
                known[2].append(ident)
            else:
                samples.append((list(sources).index(key), *rest))
    return sources, samples


def actual(db):
    sources = [r[0] for r in db.execute("SELECT source_id FROM profile WHERE format = 'otlp' ORDER BY id")]
    paths = {}
    for node, parent, line, *method in db.execute("SELECT n.id, n.parent_id, n.line, m.package, m.class, m.name, m.file, m.line, m.library, m.modifiers "
                                                  "FROM stack_node n LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"):
        package, cls, name, file, start, library, kind = method
        frame = full_name(package, cls, name, kind == "cpython"), file, start, line, library, kind
        paths[node] = (paths[parent] if parent is not None else ()) + (frame,)
    values, labels = {}, {}
    for sample, name, unit, v in db.execute("SELECT v.sample_id, t.name, t.unit, v.value FROM stack_sample_value v JOIN stack_value_type t ON t.id = v.value_type_id "
                                            "ORDER BY v.rowid"):
        values.setdefault(sample, []).append((name, unit, v))
    units = {}
    for sample, key, unit in db.execute("SELECT sample_id, key, unit FROM profile_label_unit ORDER BY rowid"):
        units.setdefault(sample, []).append((key, unit))
    for sample, key, v in db.execute("SELECT sample_id, key, value FROM stack_sample_label ORDER BY rowid"):
        labels.setdefault(sample, []).append((key, v))
    samples = []
    for ident, source, ts, node, tid, name in db.execute("SELECT s.id, s.source_id, s.ts, s.node_id, t.tid, t.name FROM stack_sample s "
                                                         "LEFT JOIN thread t ON t.itid = s.itid ORDER BY s.id"):
        samples.append((sources.index(source), ts, paths.get(node, ()), tuple(values.get(ident, ())), tuple(labels.get(ident, ())), tid, name, units.get(ident, [])))
    return sources, samples


def same_label(want, have):
    key, v, _ = want
    if key != have[0]:
        return False
    if isinstance(v, tuple):
        return float(have[1]) == v[1] if v[0] == "double" else json.dumps(json.loads(have[1]), sort_keys=True) == v[1]
    return v == have[1]


def same_frame(want, have):
    if want is None:
        return have[0] is None
    library = want[4] == have[4] or want[4] is None or (want[5] != "native" and not want[0].startswith("0x"))  # languages have names of their own
    return want[0] == have[0] and want[1:4] == have[1:4] and want[5] == have[5] and library


def same(want, have):
    """None, or what differs."""
    if want[:2] != have[:2]:
        return "source or time"
    if len(want[2]) != len(have[2]) or not all(map(same_frame, want[2], have[2])):
        return "stack"
    if want[3] != have[3]:
        return "values"
    if len(want[4]) != len(have[4]) or not all(map(same_label, want[4], have[4])):
        return "labels"
    if [(k, u) for k, _, u in want[4] if u] != have[7]:
        return "units"
    tids = [int(v) for k, v, _ in want[4] if k == "thread.id" and v.isdigit() and int(v) > 0]
    return "thread" if (tids[-1] if tids else None) != have[5] else None


def compare(database, path, layout):
    with open(path, "rb") as f:
        sources, samples = expected(f.read(), layout)
    db = sqlite3.connect(database)
    have_sources, have = actual(db)
    if len(have_sources) != len(sources) or len(have) != len(samples):
        return "%d sources, %d samples instead of %d, %d" % (len(have_sources), len(have), len(sources), len(samples))
    for (key, (start, end, idents)), row in zip(sources.items(), db.execute(
            "SELECT start_ts, end_ts, service, host, pid, profiler, agent_ver, period_type, period_unit, profile_id, "
            "(SELECT value FROM source_property p WHERE p.source_id = profile.source_id AND key = 'otlp.profiles') FROM profile WHERE format = 'otlp' ORDER BY id")):
        resource = dict(key[0])
        ident = idents[0] if len(idents) == 1 and any(bytes.fromhex(idents[0])) else None
        want = (start, end, resource.get("service.name"), resource.get("host.name"), resource.get("process.pid"), key[1] or None, key[2] or None, key[5][0] or None,
                key[5][1] or None, ident, str(len(idents)))
        if cells.add(want) != row:
            return "profile %r instead of %r" % (row, want)
    for i, (a, b) in enumerate(zip(samples, have)):
        cells.add(a)
        wrong = same(a, b)
        if wrong:
            return "sample %d, %s: %r instead of %r" % (i, wrong, b, a)
    return None


def main():
    cells.end(compare(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None), sys.argv[2])


if __name__ == "__main__":
    main()
