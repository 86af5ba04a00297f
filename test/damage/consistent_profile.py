"""Whether a CPU profile, bare or inside a recording, contradicts nothing that it says.

consistent(path) is true only when nobody could find out from the file that it was damaged: it is strict JSON with the members that
V8's form has and no others, its parts agree, and its times end where they do in profiles that are not damaged. It shares nothing with
trace_streamer: the campaign asks it about runs whose rows are wrong although the program presents them as certain.

The form is that of the Profiler domain of the DevTools protocol (nodes, startTime, endTime, samples, timeDeltas), with the figures that
ArkTS adds. What V8 writes besides is measured: 600 profiles by Node.js 6 to 26 and Chromium, of which none breaks a rule here.
"""

import bz2
import collections
import gzip
import itertools
import json
import lzma
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import htrace  # noqa: E402

FIGURES = {"tid", "gcTime", "cInterpreterTime", "asmInterpreterTime", "aotTime", "asmInterpreterDeoptTime", "builtinTime", "napiTime",
           "arkuiEngineTime", "runtimeTime", "jitTime", "otherTime"}
REQUIRED = {"nodes", "startTime", "endTime", "samples", "timeDeltas"}
NODE_REQUIRED = {"id", "callFrame", "hitCount"}
NODE_KNOWN = NODE_REQUIRED | {"children", "positionTicks", "deoptReason", "parent"}
FRAME = {"functionName", "scriptId", "url", "lineNumber", "columnNumber"}  # and moduleName of ArkTS
MAX_NUMBER = 2**53  # integers of JSON that every reader reads alike

FREE_HITS = {"(root)", "(program)", "(idle)", "(garbage collector)"}  # V8 counts those in ways of its own


class Contradiction(Exception):
    """What the file says that cannot be."""


def need(condition, text):
    if not condition:
        raise Contradiction(text)


# --- JSON ----------------------------------------------------------------------------------------


def unique(pairs):
    out = dict(pairs)
    need(len(out) == len(pairs), "a member occurs twice")
    return out


def no_constant(text):
    raise Contradiction("%s is not a number of JSON" % text)


def strict_json(text):
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=unique, parse_constant=no_constant)
    except (ValueError, RecursionError) as e:
        raise Contradiction("no JSON: %s" % e) from e


def is_int(v):
    return isinstance(v, int) and not isinstance(v, bool) and -MAX_NUMBER <= v <= MAX_NUMBER


def ints(value, what):
    need(isinstance(value, list) and all(map(is_int, value)), "%s is no list of integers" % what)
    return value


# --- parts of a profile --------------------------------------------------------------------------


def check_frame(frame):
    need(isinstance(frame, dict) and set(frame) - {"moduleName"} == FRAME, "a callFrame has other members")
    need(isinstance(frame["functionName"], str) and isinstance(frame["url"], str), "a name is not text")
    script = frame["scriptId"]
    need(is_int(script) or (isinstance(script, str) and script.isascii() and script.isdigit()), "scriptId is not a number")
    for key in ("lineNumber", "columnNumber"):
        need(is_int(frame[key]) and -1 <= frame[key] < 2**31, "%s is no place" % key)


def check_ticks(node):
    ticks = node["positionTicks"]
    need(isinstance(ticks, list) and ticks, "positionTicks is no list")
    for t in ticks:
        need(isinstance(t, dict) and set(t) == {"line", "ticks"} and is_int(t["line"]) and t["line"] >= 0 and is_int(t["ticks"]) and
             t["ticks"] > 0, "a tick is none")
    need(sum(t["ticks"] for t in ticks) == node["hitCount"], "ticks are not the hits of their node")


def check_node(node):
    need(isinstance(node, dict), "a node is no object")
    need(NODE_REQUIRED <= set(node) <= NODE_KNOWN, "a node has other members")
    need(is_int(node["id"]) and node["id"] > 0, "an id is not a number")
    need(is_int(node["hitCount"]) and node["hitCount"] >= 0, "hitCount is not a number")
    need(isinstance(node.get("deoptReason", ""), str), "deoptReason is not text")
    check_frame(node["callFrame"])
    ints(node.get("children", []), "children")
    if "positionTicks" in node:
        check_ticks(node)


def check_tree(nodes):
    """The parent of each id: one tree, whose root has the id 1."""
    ids = {n["id"] for n in nodes}
    parents = {n["id"]: n["parent"] for n in nodes if "parent" in n}
    need(nodes and len(ids) == len(nodes), "an id occurs twice")
    for node in nodes:
        for child in node.get("children", []):
            need(child in ids, "a child is not a node")
            need(parents.get(child, node["id"]) == node["id"] and (child not in parents or "parent" in nodes[0]),
                 "a node has two parents")
            parents[child] = node["id"]
        need(len(set(node.get("children", []))) == len(node.get("children", [])), "a child occurs twice")
    need(ids - set(parents) == {1}, "the root is not one node, 1")
    need(set(parents.values()) <= ids, "a parent is not a node")
    for node in ids:
        seen = 0
        while node in parents and seen <= len(ids):
            node = parents[node]
            seen += 1
        need(node == 1, "nodes are in a circle")
    return parents


def check_times(p):
    deltas = p["timeDeltas"]
    length = p["endTime"] - p["startTime"]
    need(length >= 0 and p["startTime"] >= 0, "the end is before the start")
    last = t = 0
    for d in deltas:
        t += d
        need(t >= 0, "a sample is before the start")
        last = max(last, t)
    need(last <= length, "the end is before the last sample")


def check_hits(nodes, samples):
    """V8 takes samples without a hit, when the profile begins and where code is thrown away; hits without a sample, when its buffer is full."""
    count = collections.Counter(samples)
    extra = max(0, sum(node["hitCount"] for node in nodes) - len(samples))
    under = sum(max(0, node["hitCount"] - count[node["id"]]) for node in nodes if node["callFrame"]["functionName"] not in FREE_HITS)
    need(under <= extra, "a node has more hits than samples")


def check_order(parents, nodes, samples):
    """V8 gives a node the next id when a sample meets it for the first time, after those of its callers that are new too. Of its own nodes
    samples are not kept, and DevTools saves others in the place of those of (program)."""
    need({n["id"] for n in nodes} == set(range(1, len(nodes) + 1)), "ids are not 1 to n")
    met = {1}
    for at in set(samples):
        while at not in met:
            met.add(at)
            at = parents[at]
    met -= {n["id"] for n in nodes if n["callFrame"]["functionName"] in FREE_HITS}
    top = 1
    for sample in samples:
        new = set()
        at = sample
        while at > top:
            new.add(at)
            at = parents[at]
        need(new >= met & set(range(top + 1, max(top, sample) + 1)), "a sample has a new id before its turn")
        top = max(top, sample)


def check_profile(p):
    need(isinstance(p, dict), "a profile is no object")
    need(REQUIRED <= set(p) <= REQUIRED | FIGURES | {"title"}, "a profile has other members")
    need(all(is_int(p[key]) for key in (FIGURES | {"startTime", "endTime"}) & set(p)), "a figure is not a number")
    need(isinstance(p.get("title", ""), str), "title is not text")
    need(isinstance(p["nodes"], list), "nodes is no list")
    for node in p["nodes"]:
        check_node(node)
    parents = check_tree(p["nodes"])
    samples = ints(p["samples"], "samples")
    need(len(samples) == len(ints(p["timeDeltas"], "timeDeltas")), "samples and timeDeltas differ in number")
    need({n["id"] for n in p["nodes"]}.issuperset(samples), "a sample is of no node")
    v8 = any("positionTicks" in n for n in p["nodes"])
    check_times(p)
    if v8 and samples:
        check_hits(p["nodes"], samples)
        check_order(parents, p["nodes"], samples)


# --- recordings ----------------------------------------------------------------------------------

PLUGINS = {"arkts-plugin", "arkts-plugin_config", "bytrace-plugin", "js-memory", "js-memory_config"}
MAX_NSEC = 10**9


def check_segment(segment, before):
    """The raw messages of a segment, and its time."""
    numbers = [n for n, _ in htrace.fields(segment)]
    d = htrace.plugin_data(segment)
    need(set(numbers) <= set(range(1, 9)) and len(numbers) == len(set(numbers)), "a segment has other fields")
    need(d["name"] in PLUGINS, "the plugin %s is not known" % d["name"])
    need(d["nsec"] < MAX_NSEC, "a segment has no time")
    need(before is None or d["ts"] >= before, "segments are not in the order of time")
    messages = []
    if d["name"] in ("arkts-plugin", "js-memory"):
        for number, value in htrace.fields(d["data"]):
            need(number == 1 and isinstance(value, bytes), "a result has other fields")
            messages.append(value)
    elif d["name"].endswith("_config"):
        list(htrace.fields(d["data"]))
    return messages, d["ts"] or before


def profile_of(message):
    """The profile inside a message of the session, or None."""
    m = strict_json(message)
    need(isinstance(m, dict), "a message is no object")
    result = m.get("result")
    need(set(m) == {"id", "result"} and m["id"] == 3 and isinstance(result, dict) and set(result) <= {"profile"},
         "a message is no answer of the profiler")
    return result.get("profile")


def check_recording(data):
    """Its profiles."""
    profiles = []
    answers = 0
    for header, payload in htrace.sections(data):
        segments = list(htrace.segments(payload))
        need(header["segments"] == 2 * len(segments), "the header has another number of segments")
        before = None
        for segment in segments:
            messages, before = check_segment(segment, before)
            for message in messages:
                profile = profile_of(message)
                if profile is None:
                    answers += 1
                else:
                    need(answers == 2, "a profile is not the third answer")
                    answers = 0
                    check_profile(profile)
                    profiles.append(profile)
    need(profiles and answers == 0, "there is no profile behind its answers")
    return profiles


# --- files ---------------------------------------------------------------------------------------


def read(path):
    """The profiles of a file that contradicts itself in nothing."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    elif data[:3] == b"BZh":
        data = bz2.decompress(data)
    elif data[:6] == b"\xfd7zXZ\0":
        data = lzma.decompress(data)
    if data[:8] == b"OHOSPROF":
        return check_recording(data)
    profile = strict_json(data)
    check_profile(profile)
    return [profile]


def contradiction(path):
    """What a file contradicts itself in, or None."""
    try:
        read(path)
    except Contradiction as e:
        return str(e)
    except (htrace.FormatError, EOFError, OSError, IndexError, ValueError) as e:
        return "no file of its kind: %s" % e
    except Exception as e:  # zlib.error has no base of its own
        if type(e).__name__ != "error":
            raise
        return "no file of its kind: %s" % e
    return None


def consistent(path):
    """True when a profile, or a recording of profiles, contradicts nothing that it says."""
    return contradiction(path) is None


def samples(path):
    """(number of the profile from 1 on, ns since its start, node id) of each sample of a consistent file, in the order of time."""
    out = []
    for number, profile in enumerate(read(path), 1):
        times = itertools.accumulate(profile["timeDeltas"])
        out += sorted(((number, 1000 * t, node) for t, node in zip(times, profile["samples"])), key=lambda row: row[:2])
    return out


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print("%s: %s" % (name, contradiction(name) or "consistent"))
