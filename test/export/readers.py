"""Readers of what the program exports, written from the descriptions of the formats: {stack: weight}."""

import base64
import codecs
import decimal
import gzip
import hashlib
import json
import re
import types


# C0, DEL and C1; marks, embeddings and isolates of direction, separators of lines and paragraphs; the byte order mark.
STEERING = [*range(32), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF]


def question(error):
    """One for each maximal ill-formed part; a surrogate in three bytes is one."""
    surrogate = re.match(rb"\xed[\xa0-\xbf][\x80-\xbf]", error.object[error.start:error.start + 3])
    return "?", error.start + 3 if surrogate else error.end


codecs.register_error("question", question)


def folded_label(label):
    label = label.encode("utf-8", "surrogateescape").decode("utf-8", "question")  # one for each ill-formed part
    return label.translate({ord(";"): ":"} | {c: " " for c in STEERING})


def folded(data):
    """Brendan Gregg's collapsed stacks: frames divided by semicolons, a blank, a number."""
    sums = {}
    for line in data.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        stack, weight = line.rsplit(" ", 1)
        key = tuple(stack.split(";"))
        assert key not in sums, f"a stack stands there twice: {stack}"
        sums[key] = int(weight)
    return sums


def as_folded(sums):
    """What folded stacks can say of a profile."""
    result = {}
    for path, value in sums.items():
        key = tuple(folded_label(label) for label in path)
        result[key] = result.get(key, 0) + value
    return result


def speedscope(data):
    """The file format of speedscope, checked as its schema asks; {profile name: {stack: weight}} added up over the profiles."""
    top = json.loads(data)
    assert top["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = top["shared"]["frames"]
    for frame in frames:
        assert set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str), frame
        assert isinstance(frame.get("file", ""), str) and isinstance(frame.get("line", 1), int)
    sums, totals = {}, []
    for profile in top["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}, profile.keys()
        assert profile["type"] == "sampled" and profile["unit"] in ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")
        assert len(profile["samples"]) == len(profile["weights"]) and min(profile["weights"]) > 0
        assert profile["startValue"] == 0 and profile["endValue"] == sum(profile["weights"])
        totals.append(profile["endValue"])
        for stack, weight in zip(profile["samples"], profile["weights"]):
            key = tuple(frames[i]["name"] for i in stack)
            sums[key] = sums.get(key, 0) + weight
    assert totals[top["activeProfileIndex"]] == max(totals)
    return sums


# --- pprof -------------------------------------------------------------------------------------------------------------


def fields(data):
    """(number, value) of the fields of a protobuf message; value is an int or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            assert tag & 7 == 2, f"wire type {tag & 7}"
            size = varint()
            assert at + size <= len(data), "a length goes past the end"
            yield tag >> 3, data[at:at + size]
            at += size


def packed(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    assert shift == 0
    return values


def pprof(data):
    """profile.proto: ({name of a sample type: {stack: sum}}, {(name, file, start line)}, the default type, [stack of (name, line that runs)])."""
    assert data[:4] == b"\x1f\x8b\x08\x00" and data[4:8] == b"\0\0\0\0", "gzip without a time"
    top = list(fields(gzip.decompress(data)))
    strings = [value.decode("utf-8") for number, value in top if number == 6]
    assert strings[0] == "" and len(set(strings)) == len(strings)
    kinds = [dict(fields(value)) for number, value in top if number == 1]
    lines, stacks = {}, []
    functions, locations, sums = {}, {}, {strings[t[1]]: {} for t in kinds}
    assert len(sums) == len(kinds)
    for number, value in top:
        if number == 5:
            f = dict(fields(value))
            assert f[1] not in functions and f[1] > 0
            functions[f[1]] = (strings[f[2]], strings[f[4]], f[5])
    for number, value in top:
        if number == 4:
            loc = dict(fields(value))
            assert loc[1] not in locations and loc[1] > 0
            line = dict(fields(loc[4]))
            locations[loc[1]] = functions[line[1]][0]
            lines[loc[1]] = line[2]
    for number, value in top:
        if number == 2:
            sample = dict(fields(value))
            stack = tuple(locations[i] for i in reversed(packed(sample[1])))
            stacks.append(tuple((locations[i], lines[i]) for i in reversed(packed(sample[1]))))
            values = packed(sample[2])
            assert len(values) == len(kinds)
            for kind, one in zip(kinds, values):
                into = sums[strings[kind[1]]]
                into[stack] = into.get(stack, 0) + one
    default = [strings[value] for number, value in top if number == 14]
    assert len(default) == 1 and all(strings[kind[2]] for kind in kinds)
    return sums, set(functions.values()), default[0], stacks


# --- trace events -------------------------------------------------------------------------------------------------------


def chrome(data):
    """Trace events: samples (stack, ns, (pid, tid)), calls (category, name, ns, dur, who), counters (name, ns, value, who), names (what, who, name), frames (label, file, line), and when the profile of each thread ends."""
    top = json.loads(data, parse_float=decimal.Decimal)
    samples, calls, counters, names, profiles, frames = [], [], [], set(), {}, set()

    def ns(value):
        value = decimal.Decimal(value) * 1000
        assert value == int(value)
        return int(value)

    for event in top["traceEvents"]:
        kind, who = event["ph"], (event["pid"], event["tid"])
        if kind == "M":
            names.add((event["name"], who, event["args"]["name"]))
        elif kind in "XB":
            calls.append((event["cat"], event["name"], ns(event["ts"]), ns(event["dur"]) if kind == "X" else None, who))
        elif kind == "C":
            counters.append((event["name"], ns(event["ts"]), float(event["args"]["value"]), who))
        elif event["name"] == "Profile":
            assert event["id"] not in profiles
            profiles[event["id"]] = {"time": ns(event["args"]["data"]["startTime"]), "nodes": {}, "who": who, "end": None}
        else:
            assert event["name"] == "ProfileChunk", event
            profile, chunk = profiles[event["id"]], event["args"]["data"]
            assert profile["who"] == who and profile["end"] is None
            for node in chunk["cpuProfile"]["nodes"]:
                assert node["id"] not in profile["nodes"] and ("parent" in node) == bool(profile["nodes"])
                frame = node["callFrame"]
                frames.add((frame["functionName"], frame["url"], frame["lineNumber"] + 1))
                above = profile["nodes"][node["parent"]] if "parent" in node else ()
                profile["nodes"][node["id"]] = above + ((node["callFrame"]["functionName"],) if "parent" in node else ())
            assert len(chunk["cpuProfile"]["samples"]) == len(chunk["timeDeltas"])
            for node, delta in zip(chunk["cpuProfile"]["samples"], chunk["timeDeltas"]):
                profile["time"] += ns(delta)
                samples.append((profile["nodes"][node], profile["time"], who))
            profile["end"] = ns(chunk["endTime"]) if "endTime" in chunk else None
    assert all(profile["end"] is not None for profile in profiles.values())
    ends = {}
    for profile in profiles.values():
        ends.setdefault(profile["who"], []).append(profile["end"])
    return types.SimpleNamespace(samples=samples, calls=calls, counters=counters, names=names, frames=frames, ends=ends)


# --- the Firefox Profiler ------------------------------------------------------------------------------------------------


def firefox_tables(shared):
    """Stacks as tuples of (label, line that runs, file, line where it begins, library, category), the outermost first: every index is there, every column has `length` cells, parents come first."""
    for name, table in shared.items():
        if name != "stringArray":
            assert {len(column) for key, column in table.items() if key != "length"} <= {table["length"]}, name
    strings, funcs, frames = shared["stringArray"], shared["funcTable"], shared["frameTable"]
    assert len(set(strings)) == len(strings) or "\ufffd" in "".join(strings)

    def at(table, key, i, none=None):
        assert i is none or 0 <= i < len(table[key]), (key, i)
        return None if i is none else table[key][i]

    def function(i):
        library = at(shared["resourceTable"], "name", funcs["resource"][i], -1)
        file = at(shared["sources"], "filename", funcs["source"][i])
        return strings[funcs["name"][i]], "" if file is None else strings[file], funcs["lineNumber"][i] or 0, "" if library is None else strings[library]

    stacks = []
    for i, (frame, prefix) in enumerate(zip(shared["stackTable"]["frame"], shared["stackTable"]["prefix"])):
        assert 0 <= frame < frames["length"] and (prefix is None or 0 <= prefix < i)
        label, file, line, library = function(frames["func"][frame])
        js = funcs["isJS"][frames["func"][frame]]
        assert js == (frames["category"][frame] == 1)
        stacks.append((stacks[prefix] if prefix is not None else ()) + ((label, frames["line"][frame] or 0, file, line, library, frames["category"][frame]),))
    assert shared["nativeSymbols"]["length"] == 0 and set(shared["resourceTable"]["type"]) <= {1}
    return stacks


def firefox(data):
    """A processed profile of version 60: samples (stack of (label, line, file, line of the function, library, category), ns or None, weight, (pid, tid)), markers (type, name, ns, ns or None, phase, detail, row, who), counters (name, [(ns, value)], pid); times are those since 1970 or since the beginning."""
    assert data[:4] == b"\x1f\x8b\x08\x00" and data[4:8] == b"\0\0\0\0", "gzip without a time"
    top = json.loads(gzip.decompress(data), parse_float=decimal.Decimal)
    meta, stacks, strings = top["meta"], firefox_tables(top["shared"]), top["shared"]["stringArray"]
    assert meta["preprocessedProfileVersion"] == 60 and meta["symbolicated"] is True and top["libs"] == [] and top["threads"]
    assert any(c["color"] == "grey" for c in meta["categories"]) and all(c["subcategories"] == ["Other"] for c in meta["categories"])
    schemas = {schema["name"]: {field["key"]: field["format"] for field in schema["fields"]} for schema in meta["markerSchema"]}
    samples, markers, counters, units = [], [], [], set()

    def ns(value):
        value = decimal.Decimal(value) * 1000000
        assert value == int(value)
        return int(value)

    def rows(table, *names):
        columns = [table[name] for name in names]
        assert {len(column) for column in columns} == {table["length"]}, {name: len(table[name]) for name in names}
        return zip(*columns)

    for thread in top["threads"]:
        who, last = (int(thread["pid"]), thread["tid"]), None
        units.add(thread["samples"]["weightType"])
        for stack, time, weight in rows(thread["samples"], "stack", "time", "weight"):
            assert 0 <= stack < len(stacks) and (last is None or ns(time) >= last) and weight > 0
            last = ns(time)
            samples.append((stacks[stack], last, ns(weight) if thread["samples"]["weightType"] == "tracing-ms" else int(weight), who))
        last = None
        for data, name, start, end, phase, category in rows(thread["markers"], "data", "name", "startTime", "endTime", "phase", "category"):
            assert (phase == 1) == (end is not None) and 0 <= category < len(meta["categories"]) and (last is None or ns(start) >= last)
            last = ns(start)
            kept = {key: strings[value] if schemas[data["type"]][key] == "unique-string" else value for key, value in data.items() if key != "type"}
            row = kept.pop("row")
            markers.append((data["type"], strings[name], last, None if end is None else ns(end), phase, next(iter(kept.values()), None), row, who))
    for counter in top["counters"]:
        assert top["threads"][counter["mainThreadIndex"]]["pid"] == counter["pid"]
        points, value, last = [], decimal.Decimal(0), None
        for time, count in rows(counter["samples"], "time", "count"):
            value += count
            assert last is None or ns(time) >= last
            last = ns(time)
            points.append((last, value))
        counters.append((counter["name"], points, int(counter["pid"])))
    return types.SimpleNamespace(samples=samples, markers=markers, counters=counters, units=units, start=ns(meta["startTime"]), interval=ns(meta["interval"]), extra="extra" in meta)


# --- the page of the flame graph ------------------------------------------------------------------------------------------


def page_data(page):
    """The JSON object of a page; nothing of it may end its script, and no other script or request may be there."""
    text = page.decode("utf-8")
    begin = '<script type="application/json" id="data">'
    assert text.count(begin) == 1 and text.count("<script") == 2 and text.count("</script>") == 2
    assert "src=" not in text and "href=" not in text and "url(" not in text and "@import" not in text
    data = text.split(begin)[1].split("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(data)
    return json.loads(data)


def hashes(page):
    """The Content-Security-Policy lets the script and the style of the page in, by their hashes, and nothing else."""
    text = page.decode("utf-8")
    policy = text.split('Content-Security-Policy" content="')[1].split('"')[0]
    parts = {"style-src": text.split("<style>")[1].split("</style>")[0], "script-src": text.rsplit("<script>", 1)[1].split("</script>")[0]}
    assert policy.startswith("default-src 'none'; ")
    for name, content in parts.items():
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy, name


def flame(page):
    """({stack: weight}, the same of the older profile or None)."""
    data = page_data(page)
    labels, nodes = data["frames"]["label"], data["nodes"]
    assert len({len(data["frames"][key]) for key in ("label", "file", "line")}) == 1 and max(data["frames"]["file"]) < len(data["files"])
    paths, sums, before = [()], {}, {}
    for i, (up, frame) in enumerate(zip(nodes["parent"], nodes["frame"]), 1):
        assert 0 < up <= i
        paths.append(paths[i - up] + (labels[frame],))
        for key, into in (("self", sums), ("before", before)):
            value = nodes[key][i - 1] if key in nodes else 0
            if value:
                into[paths[i]] = into.get(paths[i], 0) + value
    return sums, before if data["before"] else None
