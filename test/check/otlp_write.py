"""Messages of OTLP profiles in every layout, as protobuf and as JSON, from the same tree of members; and random ones.

The tables are those of the public definition, a line for each message and layout. A tree has the names of JSON's members.
"""

import base64
import random
import struct

LAYOUTS = ["1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10"]
ORDER = {name: i for i, name in enumerate(LAYOUTS)}

# kinds: u varint, i signed varint, x fixed64, d double, s text, y bytes, h bytes that are hex in JSON, [..] a list of it, else a message
KEY_VALUE = {1: ("key", "s"), 2: ("value", "any")}
ANY = {1: ("stringValue", "s"), 2: ("boolValue", "b"), 3: ("intValue", "i"), 4: ("doubleValue", "d"), 5: ("arrayValue", "any_list"), 6: ("kvlistValue", "any_map"),
       7: ("bytesValue", "y")}
TYPE = {1: ("typeStrindex", "u"), 2: ("unitStrindex", "u"), 3: ("aggregationTemporality", "u")}
LINE = {1: ("functionIndex", "u"), 2: ("line", "i"), 3: ("column", "i")}
LINK = {1: ("traceId", "h"), 2: ("spanId", "h")}


def tables(numbers, key_value):
    """Which field each table is in."""
    kinds = {"mappingTable": "mapping", "locationTable": "location", "functionTable": "function", "linkTable": "link", "stringTable": "s",
             "attributeTable": key_value, "attributeUnits": "unit", "stackTable": "stack"}
    return {n: (name, [kinds[name]]) for name, n in numbers.items()}


def schema(layout):
    at = ORDER[layout]
    new, old = at >= ORDER["1.8"], at <= ORDER["1.5"]
    samples, lines = ("samples", "lines") if at >= ORDER["1.9"] else ("sample", "line")
    key_value = "key_value_unit" if new else "key_value"
    first = {"mappingTable": 1, "locationTable": 2, "functionTable": 3, "linkTable": 4, "stringTable": 5, "attributeTable": 6}
    found = {
        "top": {1: ("resourceProfiles", ["group"])}, "key_value": KEY_VALUE, "any": ANY, "any_list": {1: ("values", ["any"])}, "any_map": {1: ("values", ["key_value"])},
        "group": {1: ("resource", "resource"), 2: ("scopeProfiles", ["scoped"]), 3: ("schemaUrl", "s")},
        "resource": {1: ("attributes", ["key_value"]), 2: ("droppedAttributesCount", "u")},
        "scoped": {1: ("scope", "scope"), 2: ("profiles", ["profile"]), 3: ("schemaUrl", "s")},
        "scope": {1: ("name", "s"), 2: ("version", "s"), 3: ("attributes", ["key_value"]), 4: ("droppedAttributesCount", "u")},
        "type": TYPE, "line": LINE, "link": LINK, "unit": {1: ("attributeKeyStrindex", "u"), 2: ("unitStrindex", "u")}, "stack": {1: ("locationIndices", ["u"])},
        "key_value_unit": {1: ("keyStrindex", "u"), 2: ("value", "any"), 3: ("unitStrindex", "u")},
        "function": {1: ("nameStrindex", "u"), 2: ("systemNameStrindex", "u"), 3: ("filenameStrindex", "u"), 4: ("startLine", "i")},
        "mapping": {1: ("memoryStart", "u"), 2: ("memoryLimit", "u"), 3: ("fileOffset", "u"), 4: ("filenameStrindex", "u"), 5: ("attributeIndices", ["u"])},
        "location": {1: ("mappingIndex", "u"), 2: ("address", "u"), 3: (lines, ["line"]), 4 if new else 5: ("attributeIndices", ["u"])},
    }
    if layout == "1.3":
        found["scoped"][2] = ("profiles", ["container"])
        found["container"] = {1: ("profileId", "h"), 2: ("start", "x"), 3: ("end", "x"), 4: ("attributes", ["key_value"]), 5: ("droppedAttributesCount", "u"),
                              6: ("originalPayloadFormat", "s"), 7: ("originalPayload", "y"), 8: ("profile", "profile")}
        found["profile"] = {1: ("sampleType", ["type"]), 2: ("sample", ["sample"]), 9: ("timeNanos", "i"), 10: ("durationNanos", "i"), 11: ("periodType", "type"),
                            12: ("period", "i"), 13: ("commentStrindices", ["u"]), 14: ("defaultSampleTypeStrindex", "u"), 15: ("locationIndices", ["u"]),
                            **tables({"mappingTable": 3, "locationTable": 4, "functionTable": 5, "stringTable": 6, "attributeTable": 16, "attributeUnits": 17,
                                      "linkTable": 18}, key_value)}
        found["sample"] = {7: ("locationsStartIndex", "u"), 8: ("locationsLength", "u"), 2: ("value", ["i"]), 10: ("attributeIndices", ["u"]), 12: ("linkIndex", "u"),
                           13: ("timestampsUnixNano", ["u"])}
        found["mapping"] = {1: ("id", "u"), 2: ("memoryStart", "u"), 3: ("memoryLimit", "u"), 4: ("fileOffset", "u"), 5: ("filenameStrindex", "u"),
                            12: ("attributeIndices", ["u"])}
        found["location"] = {1: ("id", "u"), 2: ("mappingIndex", "u"), 3: ("address", "u"), 4: ("line", ["line"]), 7: ("attributeIndices", ["u"])}
        found["function"] = {1: ("id", "u"), **{n + 1: f for n, f in found["function"].items()}}
    elif old:
        found["profile"] = {1: ("sampleType", ["type"]), 2: ("sample", ["sample"]), 5: ("locationIndices", ["u"]), 11: ("timeNanos", "i"), 12: ("durationNanos", "i"),
                            13: ("periodType", "type"), 14: ("period", "i"), 15: ("commentStrindices", ["u"]), 16: ("defaultSampleTypeStrindex", "u"),
                            17: ("profileId", "h"), 19: ("droppedAttributesCount", "u"), 20: ("originalPayloadFormat", "s"), 21: ("originalPayload", "y"),
                            **tables({"mappingTable": 3, "locationTable": 4, "functionTable": 6, "attributeTable": 7, "attributeUnits": 8, "linkTable": 9,
                                      "stringTable": 10}, key_value)}
        found["profile"].update({18: ("attributes", ["key_value"])} if layout == "1.4" else {22: ("attributeIndices", ["u"])})
    elif not new:
        found["profile"] = {1: ("sampleType", ["type"]), 2: ("sample", ["sample"]), 3: ("locationIndices", ["u"]), 4: ("timeNanos", "i"), 5: ("durationNanos", "i"),
                            6: ("periodType", "type"), 7: ("period", "i"), 8: ("commentStrindices", ["u"]), 9: ("defaultSampleTypeIndex", "u"), 10: ("profileId", "h"),
                            11: ("droppedAttributesCount", "u"), 12: ("originalPayloadFormat", "s"), 13: ("originalPayload", "y"), 14: ("attributeIndices", ["u"])}
        if layout == "1.6":
            found["top"].update(tables({"mappingTable": 2, "locationTable": 3, "functionTable": 4, "linkTable": 5, "stringTable": 6, "attributeTable": 7,
                                        "attributeUnits": 8}, key_value))
        else:
            found["top"][2] = ("dictionary", "dictionary")
            found["dictionary"] = tables({**first, "attributeUnits": 7}, key_value)
    else:
        found["top"][2] = ("dictionary", "dictionary")
        found["dictionary"] = tables({**first, "stackTable": 7}, key_value)
        rest = {7: ("profileId", "h"), 8: ("droppedAttributesCount", "u"), 9: ("originalPayloadFormat", "s"), 10: ("originalPayload", "y"), 11: ("attributeIndices", ["u"])}
        if layout == "1.8":
            rest = {7: ("commentStrindices", ["u"]), **{n + 1: f for n, f in rest.items()}}
        found["profile"] = {1: ("sampleType", "type"), 2: (samples, ["sample"]), 3: ("timeUnixNano", "x"), 4: ("durationNano", "u"), 5: ("periodType", "type"),
                            6: ("period", "i"), **rest}
    if layout != "1.3" and not new:
        found["sample"] = {1: ("locationsStartIndex", "u"), 2: ("locationsLength", "u"), 3: ("value", ["i"]), 4: ("attributeIndices", ["u"]), 5: ("linkIndex", "u"),
                           6: ("timestampsUnixNano", ["u"])}
    elif new and at < ORDER["1.10"]:
        found["sample"] = {1: ("stackIndex", "u"), 2: ("values", ["i"]), 3: ("attributeIndices", ["u"]), 4: ("linkIndex", "u"), 5: ("timestampsUnixNano", ["x"])}
    elif new:
        found["sample"] = {1: ("stackIndex", "u"), 2: ("attributeIndices", ["u"]), 3: ("linkIndex", "u"), 4: ("values", ["i"]), 5: ("timestampsUnixNano", ["x"])}
        found["key_value"] = {**KEY_VALUE, 3: ("keyStrindex", "u")}
        found["any"] = {**ANY, 8: ("stringValueStrindex", "u")}
    return found


# --- protobuf ----------------------------------------------------------------------------------------


def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v >= 128:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def scalar(number, kind, v):
    if kind in ("u", "i", "b"):
        return varint(number << 3) + varint(int(v))
    if kind == "x":
        return varint(number << 3 | 1) + struct.pack("<Q", v)
    if kind == "d":
        return varint(number << 3 | 1) + struct.pack("<d", v)
    return field(number, v.encode("utf-8", "surrogateescape") if kind == "s" else v)


def protobuf(found, message, tree, rng=None):
    """rng: fields in any order, lists packed or not, numbers that are 0 written or not."""
    parts = []
    for number, (name, kind) in found[message].items():
        if name not in tree:
            continue
        v = tree[name]
        if isinstance(kind, list) and kind[0] in ("u", "i", "x"):
            # 1.9 and 1.10 are told apart by lists of samples that are packed, as all encoders write them.
            if kind[0] != "x" and message != "sample" and rng and rng.random() < 0.2:
                parts.append(b"".join(scalar(number, kind[0], x) for x in v))
            elif v:
                parts.append(field(number, b"".join(struct.pack("<Q", x) if kind[0] == "x" else varint(x) for x in v)))
        elif isinstance(kind, list):
            parts.append(b"".join(scalar(number, kind[0], x) if kind[0] in "sy" else field(number, protobuf(found, kind[0], x, rng)) for x in v))
        elif kind in found:
            parts.append(field(number, protobuf(found, kind, v, rng)))
        elif v or kind not in "uixsyh" or name in ("mappingIndex", "linkIndex") or message == "any":
            parts.append(scalar(number, kind, v))
    if rng and rng.random() < 0.3 and message != "top":
        rng.shuffle(parts)
    return b"".join(parts)


# --- JSON --------------------------------------------------------------------------------------------


def original(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def json_of(found, message, tree, rng=None):
    out = {}
    snake = rng is not None and rng.random() < 0.1
    for name, kind in found[message].values():
        if name not in tree:
            continue
        v = tree[name]
        one = kind[0] if isinstance(kind, list) else kind
        if one in found:
            made = [json_of(found, one, x, rng) for x in v] if isinstance(kind, list) else json_of(found, one, v, rng)
        else:
            made = [json_scalar(name, one, x, rng) for x in v] if isinstance(kind, list) else json_scalar(name, one, v, rng)
            if isinstance(kind, list) and not v:
                continue
            if not isinstance(kind, list) and one in "ux" and not v and name not in ("mappingIndex", "linkIndex"):
                continue
        out[original(name) if snake else name] = made
    return out


LONG = ("value", "values", "timestampsUnixNano", "timeNanos", "timeUnixNano", "durationNano", "durationNanos", "period", "intValue", "address", "startLine")


def json_scalar(name, kind, v, rng):
    if kind in "uix":
        return str(v) if name in LONG and not (rng and rng.random() < 0.1 and abs(v) < 1 << 53) else v
    if kind == "h":
        if name == "profileId" and rng and rng.random() < 0.3:
            return base64.b64encode(v).decode()
        return v.hex().upper() if rng and rng.random() < 0.3 else v.hex()
    if kind == "y":
        return base64.b64encode(v).decode()
    if kind == "d" and v != v:
        return "NaN"
    if kind == "d" and abs(v) == float("inf"):
        return "Infinity" if v > 0 else "-Infinity"
    return v


# --- random messages ---------------------------------------------------------------------------------

NAMES = ["main", "main.run", "java.util.HashMap.get", "x", "naïve", "\U0001f600", "std::vector<int>::push_back", "a\nb", 'say "x"', "Foo.bar(int)"]
FILES = ["", "/src/main.go", "app.py", "a/b/c.cpp"]
KEYS = ["thread.id", "thread.name", "process.pid", "process.executable.name", "size", "url", "ratio", "list", "flag", "blob", "ü"]
TYPES = [("cpu", "nanoseconds"), ("samples", "count"), ("alloc_space", "bytes"), ("wall", "microseconds"), ("events", "")]


def any_value(rng, deep=0):
    kind = rng.randrange(9 if deep < 3 else 7)
    if kind == 7:
        return {"arrayValue": {"values": [any_value(rng, deep + 1) for _ in range(rng.randrange(3))]}}
    if kind == 8:
        return {"kvlistValue": {"values": [{"key": "k%d" % i, "value": any_value(rng, deep + 1)} for i in range(rng.randrange(3))]}}
    return [{"stringValue": rng.choice(NAMES + [""])}, {"intValue": rng.choice([0, 1, -1, 4711, -(1 << 63), (1 << 63) - 1])}, {"boolValue": rng.random() < 0.5},
            {"doubleValue": rng.choice([0.5, -2.25, 1e300, float("nan"), float("inf")]) if deep == 0 else 0.5}, {"bytesValue": rng.randbytes(rng.randrange(5))}, {},
            {"stringValue": "v%d" % rng.randrange(3)}][kind]


class Strings:
    def __init__(self):
        self.list, self.known = [""], {"": 0}

    def __call__(self, text):
        if text not in self.known:
            self.known[text] = len(self.list)
            self.list.append(text)
        return self.known[text]


def message(rng, layout, profiles=3, samples=20, bad=False):
    """A tree of members. bad: indices beyond the tables."""
    at = ORDER[layout]
    new, old = at >= ORDER["1.8"], at <= ORDER["1.5"]
    samples_name, lines_name = ("samples", "lines") if at >= ORDER["1.9"] else ("sample", "line")
    first = 1 if new else 0  # of what is used: since 1.8 number 0 is none

    def dictionary(s):
        d = {"mappingTable": [{} for _ in range(first)], "functionTable": [{} for _ in range(first)], "locationTable": [{} for _ in range(first)],
             "linkTable": [{} for _ in range(first)], "attributeTable": [{} for _ in range(first)]}
        for i in range(3):
            d["mappingTable"].append({"memoryStart": 4096 * i, "memoryLimit": 4096 * i + 100, "filenameStrindex": s("/usr/lib/lib%d.so" % i)})
        for i in range(12):
            d["functionTable"].append({"nameStrindex": s(rng.choice(NAMES) + (str(i) if i % 3 else "")), "filenameStrindex": s(rng.choice(FILES)),
                                       "startLine": rng.choice([0, 5, i])})
        for i in range(15):
            lines = [{"functionIndex": rng.randrange(first, 12 + first), "line": rng.choice([0, 1, 77]), "column": 2} for _ in range(rng.choice([0, 1, 1, 1, 3]))]
            l = {"address": 4096 + i, lines_name: lines}
            if rng.random() < 0.7:
                l["mappingIndex"] = rng.randrange(first, 3 + first)
            if rng.random() < 0.3:
                l["attributeIndices"] = [first]
            d["locationTable"].append(l)
        kinds = ["native", "go", "cpython"]
        attributes = [("profile.frame.type", {"stringValue": rng.choice(kinds)}, "")]
        attributes += [("thread.id", {"intValue": 7}, ""), ("thread.name", {"stringValue": "worker"}, ""), ("size", {"intValue": 64}, "bytes")]
        for _ in range(8):
            key = rng.choice(KEYS[4:])
            attributes.append((key, any_value(rng), "ms" if key == "ratio" else ""))
        for key, value, unit in attributes:
            if new:
                d["attributeTable"].append({"keyStrindex": s(key), "value": value, "unitStrindex": s(unit)})
            else:
                d["attributeTable"].append({"key": key, "value": value})
        if not new:
            d["attributeUnits"] = [{"attributeKeyStrindex": s("size"), "unitStrindex": s("bytes")}, {"attributeKeyStrindex": s("ratio"), "unitStrindex": s("ms")}]
        for i in range(4):
            d["linkTable"].append({"traceId": bytes(16) if i == 3 else rng.randbytes(16), "spanId": bytes(8) if i == 3 else rng.randbytes(8)})
        if new:
            d["stackTable"] = [{}] + [{"locationIndices": [rng.randrange(1, 16) for _ in range(rng.choice([1, 2, 5, 30]))]} for _ in range(10)]
        return d

    shared = Strings()
    tables_of_all = None if old else dictionary(shared)

    def profile():
        s = Strings() if old else shared
        d = dictionary(s) if old else tables_of_all
        types = rng.sample(TYPES, 1 if new or rng.random() < 0.5 else 2)
        made = [{"typeStrindex": s(t), "unitStrindex": s(u)} for t, u in types]
        time = 1_700_000_000_000_000_000 + rng.randrange(10**12)
        p = {"sampleType": made[0] if new else made, "timeUnixNano" if new else "timeNanos": time, "durationNano" if new else "durationNanos": rng.randrange(10**10)}
        if rng.random() < 0.5:
            p["periodType"] = {"typeStrindex": s("cpu"), "unitStrindex": s("nanoseconds")}
            p["period"] = 10_000_000
        if rng.random() < 0.5:
            p["profileId"] = rng.randbytes(16)
        if at <= ORDER["1.8"] and rng.random() < 0.5:
            p["commentStrindices"] = [s("a comment")]
        slices = [rng.randrange(0, 15) for _ in range(60)]
        if not new:
            p["locationIndices"] = slices
        p[samples_name] = [sample(s, d, len(types), time) for _ in range(rng.randrange(samples + 1))]
        if old:
            p.update(d)
            p["stringTable"] = s.list
        if layout == "1.3":
            return {"profileId": p.pop("profileId", bytes(16)), "start": time, "end": time, "profile": p}
        return p

    def sample(s, d, kinds, time):
        n = rng.choice([1, 1, 2, 3])
        times = [time + rng.randrange(10**9) for _ in range(n)]
        values = [rng.choice([1, 2, 10, 1 << 20, -5]) for _ in range(n)]
        out = {"attributeIndices": [rng.randrange(first, len(d["attributeTable"])) for _ in range(rng.choice([0, 1, 4]))]}
        if new:
            out["stackIndex"] = rng.randrange(11 if not bad else 14)
            shape = rng.randrange(4 if bad else 3)
            out["values"] = values if shape != 1 else []
            out["timestampsUnixNano"] = [times, times, [], times + [time]][shape]
        else:
            out["locationsStartIndex"], out["locationsLength"] = rng.randrange(30), rng.randrange(20 if not bad else 60)
            out["value"] = [rng.choice([1, 5, 1 << 30]) for _ in range(kinds)] if not bad or rng.random() < 0.7 else [1, 2, 3, 4]
            out["timestampsUnixNano"] = times if rng.random() < 0.5 else []
        if rng.random() < 0.5:
            out["linkIndex"] = rng.randrange(len(d["linkTable"]))
        return out

    def attribute(key, value):
        return {"key": key, "value": value}

    groups = []
    for i in range(rng.choice([1, 1, 2])):
        resource = {"attributes": [attribute("service.name", {"stringValue": "shop%d" % i}), attribute("host.name", {"stringValue": "h1"}),
                                   attribute("process.pid", {"intValue": 100 + i}), attribute("telemetry.sdk.language", {"stringValue": "go"})]}
        scope = {"name": "profiler", "version": "1.2", "attributes": [attribute("kind", {"boolValue": True})]}
        groups.append({"resource": resource, "scopeProfiles": [{"scope": scope, "profiles": [profile() for _ in range(rng.randrange(1, profiles + 1))], "schemaUrl": "http://x"}]})
    top = {"resourceProfiles": groups}
    if not old:
        tables_of_all["stringTable"] = shared.list
        top.update(tables_of_all if layout == "1.6" else {"dictionary": tables_of_all})
    return top


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def framed(messages):
    return b"".join(struct.pack(">I", len(m)) + m for m in messages)
