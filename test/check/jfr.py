#!/usr/bin/env python3
"""Compares what a JFR recording gives with what this reader of its own, or the JDK's `jfr print --json`, finds in it.

usage: jfr.py DATABASE FILE [JFR]      JFR: the program of a JDK, which prints the recording
"""

import datetime
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

from cells import cells

NO_TIME = None


# --- the reader ---------------------------------------------------------------------------------

class Bad(Exception):
    pass


class Bytes:
    def __init__(self, data, at, end, compressed):
        self.d, self.at, self.end, self.c = data, at, end, compressed

    def raw(self, n):
        if self.at + n > self.end:
            raise Bad("ends early")
        self.at += n
        return self.d[self.at - n:self.at]

    def u(self, width):
        if not self.c:
            return int.from_bytes(self.raw(width), "big")
        v = 0
        for i in range(9):
            b = self.raw(1)[0]
            if i == 8:
                return v | b << 56
            v |= (b & 127) << 7 * i
            if b < 128:
                return v
        raise Bad("varint")

    def s(self, width):
        v = self.u(width) & ((1 << 8 * width) - 1)
        return v - (1 << 8 * width) if v >> (8 * width - 1) else v

    def string(self):
        """A text, None, or ("ref", key)."""
        e = self.raw(1)[0]
        if e == 0:
            return None
        if e == 1:
            return ""
        if e == 2:
            return ("ref", self.u(8))
        if e == 3:
            return self.raw(self.u(4)).decode("utf-8", "replace")
        if e == 4:
            return b"".join(struct.pack("<H", self.u(2) & 0xFFFF) for _ in range(self.u(4))).decode("utf-16-le", "replace")
        if e == 5:
            return self.raw(self.u(4)).decode("latin-1")
        raise Bad("string %d" % e)


class Class:
    def __init__(self, attributes):
        self.id, self.name, self.super = int(attributes["id"]), attributes["name"], attributes.get("superType")
        self.fields = []


class Chunk:
    """One chunk: classes, pools and events, each event a (type name, {field: value}) with references resolved and times in ns."""

    def __init__(self, data, at):
        (self.size, self.cp, self.meta, self.start, self.dur, self.ticks, self.tps) = struct.unpack(">7q", data[at + 8:at + 64])
        self.state, self.compressed = data[at + 64], data[at + 67] & 1
        self.d, self.at, self.end = data, at, at + self.size
        self.read_metadata()
        self.read_pools()

    def bytes_at(self, offset):
        return Bytes(self.d, self.at + offset, self.end, self.compressed)

    def read_metadata(self):
        r = self.bytes_at(self.meta)
        r.u(4), r.u(8), r.u(8), r.u(8), r.u(8)
        strings = [r.string() for _ in range(r.u(4))]
        self.classes, annotations = {}, []

        def element(parents):
            name = strings[r.u(4)]
            attributes = {}
            for _ in range(r.u(4)):
                key = strings[r.u(4)]
                attributes[key] = strings[r.u(4)]
            own = None
            if name == "class":
                own = Class(attributes)
                self.classes.setdefault(own.id, own)
            elif name == "field" and isinstance(parents[-1], Class):
                own = {"name": attributes["name"], "type": int(attributes["class"]), "pool": attributes.get("constantPool") == "true",
                       "array": "dimension" in attributes, "unit": None}
                parents[-1].fields.append(own)
            elif name == "annotation" and isinstance(parents[-1], dict):
                annotations.append((parents[-1], int(attributes["class"]), attributes.get("value", attributes.get("value-0"))))
            for _ in range(r.u(4)):
                element(parents + [own])

        element([None])
        for field, cls, value in annotations:
            name = self.classes[cls].name
            if name in ("jdk.jfr.Timestamp", "jdk.jfr.Timespan"):
                field["unit"] = (name[8:], value)

    def value_of(self, r, field):
        cls = self.classes[field["type"]]
        if field["array"]:
            return [self.single(r, field, cls) for _ in range(r.u(4))]
        return self.single(r, field, cls)

    def single(self, r, field, cls):
        if field["pool"]:
            return ("ref", cls.id, r.u(8))
        return self.plain(r, cls)

    def plain(self, r, cls):
        widths = {"char": 2, "short": 2, "int": 4, "long": 8}
        if cls.name in widths:
            return r.u(2) & 0xFFFF if cls.name == "char" else r.s(widths[cls.name])
        if cls.name == "boolean":
            return r.raw(1)[0] != 0
        if cls.name == "byte":
            return struct.unpack("b", r.raw(1))[0]
        if cls.name in ("float", "double"):
            return struct.unpack(">f", r.raw(4))[0] if cls.name == "float" else struct.unpack(">d", r.raw(8))[0]
        if cls.name == "java.lang.String":
            v = r.string()
            return ("ref", cls.id, v[1]) if isinstance(v, tuple) else v
        return {f["name"]: self.value_of(r, f) for f in cls.fields}

    def read_pools(self):
        self.pools = {}
        at = self.cp
        while True:
            r = self.bytes_at(at)
            r.u(4), r.u(8), r.u(8), r.u(8)
            delta = r.s(8)
            r.raw(1)
            for _ in range(r.u(4)):
                cls = r.u(8)
                pool = self.pools.setdefault(cls, {})
                for _ in range(r.u(4)):
                    key = r.u(8)
                    pool.setdefault(key, self.plain(r, self.classes[cls]))
            if delta == 0:
                return
            at += delta

    def resolved(self, v, depth=0):
        if isinstance(v, tuple):
            entry = self.pools.get(v[1], {}).get(v[2])
            return None if depth > 12 else self.resolved(entry, depth + 1)
        if isinstance(v, dict):
            return {k: self.resolved(x, depth + 1) for k, x in v.items()}
        if isinstance(v, list):
            return [self.resolved(x, depth + 1) for x in v]
        return v

    def time(self, v, unit):
        kind, what = unit
        if kind == "Timespan" and (v == -1 << 63 or v == (1 << 63) - 1):
            return None
        if what == "TICKS":
            v = v - (self.ticks if kind == "Timestamp" else 0)
            ns = abs(v) * 1000000000 // self.tps * (1 if v >= 0 else -1)
            return ns + (self.start if kind == "Timestamp" else 0)
        return v * {"NANOSECONDS": 1, "NANOSECONDS_SINCE_EPOCH": 1, "MICROSECONDS": 1000, "MILLISECONDS": 1000000,
                    "MILLISECONDS_SINCE_EPOCH": 1000000, "SECONDS": 1000000000}[what]

    def events(self, wanted=None):
        at = self.at + 68
        while at < self.end:
            r = Bytes(self.d, at, self.end, self.compressed)
            size = r.u(4)
            type_id = r.u(8)
            if size == 0:
                raise Bad("an event of size 0")
            if type_id > 1:
                cls = self.classes[type_id]
                values = None
                if wanted is None or cls.name in wanted:
                    raw = self.plain(r, cls)
                    if r.at != at + size:
                        raise Bad("%s does not fit" % cls.name)
                    values = {f["name"]: self.time(raw[f["name"]], f["unit"]) if f["unit"] and not f["array"] else self.resolved(raw[f["name"]])
                              for f in cls.fields}
                yield cls.name, values
            at += size


def chunks(data):
    at = 0
    while at < len(data):
        chunk = Chunk(data, at)
        yield chunk
        at += chunk.size


# --- what `jfr print --json` says ---------------------------------------------------------------

TIMES = {"startTime", "allocationTime"}
SPANS = {"duration", "objectAge", "timeout", "time", "samplingPeriod", "sumOfPauses", "longestPause"}


def iso_time(text):
    whole, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return int(moment.timestamp()) * 1000000000 + int((fraction + "000000000")[:9])


def iso_span(text):
    if text is None or not text.startswith("PT"):
        return None
    ns = 0
    for amount, unit in re.findall(r"(-?[0-9.]+)([HMS])", text):
        whole, _, fraction = amount.partition(".")
        part = int(whole) * 1000000000 + (-1 if amount.startswith("-") else 1) * int((fraction + "000000000")[:9])
        ns += part * {"H": 3600, "M": 60, "S": 1}[unit]
    return ns


def printed(path):
    """The same events as those of a Chunk."""
    with open(path, encoding="utf-8") as f:
        for e in json.load(f)["recording"]["events"]:
            yield e["type"], {k: iso_time(v) if k in TIMES and v is not None else iso_span(v) if k in SPANS and isinstance(v, str) else v
                              for k, v in e["values"].items()}


# --- what must be in the database ---------------------------------------------------------------

PRIMITIVES = {"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short", "Z": "boolean"}


def class_name(raw):
    m = re.search(r"\+0x|/[0-9]", raw)
    raw = raw[:m.start()] if m else raw
    dimensions = len(raw) - len(raw.lstrip("["))
    raw = raw[dimensions:]
    if dimensions and raw in PRIMITIVES:
        raw = PRIMITIVES[raw]
    elif dimensions and raw[:1] == "L" and raw[-1:] == ";":
        raw = raw[1:-1]
    return raw.replace("/", ".") + "[]" * dimensions


def symbol(v):
    """The text of a value that is one, or leads to one by its first field."""
    while isinstance(v, dict):
        v = next(iter(v.values()), None)
    return v


def class_of(v):
    name = symbol(v.get("name")) if v else None
    return None if name is None else class_name(name)


def thread_of(v):
    """(os id, java id, name)."""
    if not v:
        return None
    os_id, java_id = v.get("osThreadId") or 0, v.get("javaThreadId") or 0
    name = v.get("javaName") or v.get("osName") or "tid-%d" % (os_id if os_id > 0 else java_id)
    return (os_id if os_id > 0 else None, java_id if java_id > 0 else None, name)


MODIFIERS = [(1, "public"), (4, "protected"), (2, "private"), (0x400, "abstract"), (8, "static"), (0x10, "final"), (0x20, "synchronized"),
             (0x100, "native"), (0x800, "strictfp")]


def frame_of(f):
    """(package, class, method, descriptor, library, modifiers, line)."""
    method = f.get("method") or {}
    line = f.get("lineNumber", 0)
    line = line if line > 0 else None
    cls = method.get("type") or {}
    raw = symbol(cls.get("name")) or ""
    descriptor, name = symbol(method.get("descriptor")), symbol(method.get("name"))
    if descriptor == "()L;" or not raw:
        kernel = symbol(f.get("type")) == "Kernel"
        return (None, None, name or None, None, "Kernel" if kernel else raw or None, None, line)
    full = class_name(raw)
    package = cls.get("package") or {}
    dotted = (symbol(package.get("name")) or "").replace("/", ".") or full.rpartition(".")[0]
    module = symbol((package.get("module") or {}).get("name"))
    standard = (module or "").startswith(("java.", "jdk.")) or dotted.startswith(
        ("java.", "javax.", "jdk.", "sun.", "com.sun.", "org.w3c.dom", "org.xml.sax", "org.ietf.jgss", "org.omg."))
    short = full[len(dotted) + 1:] if dotted and full.startswith(dotted + ".") else full
    return (dotted or None, short, name or None, descriptor or None, "Standard Library" if standard else module or None,
            " ".join(n for bit, n in MODIFIERS if method.get("modifiers", 0) & bit) or None, line)


def stack_of(v):
    return tuple(frame_of(f) for f in reversed(v["frames"])) if v and v.get("frames") else ()


LETTERS = {"Interpreted": "I", "JIT compiled": "J", "Inlined": "L", "Native": "N", "C++": "C", "Kernel": "K", "C1 compiled": "1", None: "-"}


def typed_stack(v):
    """(stack, truncated, letters of its types, indexes of bytecodes), the innermost frame first in the two texts."""
    frames = v["frames"] or []
    letters = "".join(LETTERS.get(symbol(f.get("type")), "?") for f in frames)
    codes = [f.get("bytecodeIndex", -1) for f in frames]
    return (stack_of(v), int(v["truncated"]), letters if letters.strip("-") else None,
            ",".join("" if c < 0 else str(c) for c in codes) if max(codes, default=-1) >= 0 else None)


def number(v):
    return int(v) if isinstance(v, bool) else v


def label(key, v):
    if key in ("objectClass", "monitorClass", "parkedClass", "thrownClass", "allocatingClass"):
        return class_of(v) if isinstance(v, dict) else v
    if key in ("previousOwner", "notifier"):
        return thread_of(v)[2] if v else None
    v = number(symbol(v))
    if key in ("spanId", "localRootSpanId"):
        return str(v % (1 << 64)) if v else None
    return None if v is None else str(v)


def rounded(v):
    return round(v)


# event: (kind, dur, CPU time too, [(value, unit, how)], labels); how: 1, a field, or (field, weight)
W = "weight"
SAMPLES = {
    "jdk.ExecutionSample": ("cpu", "cpu", True, [], ["state"]),
    "jdk.NativeMethodSample": ("native_code", None, False, [("native_samples", 1)], ["state"]),
    "jdk.CPUTimeSample": ("cpu", "samplingPeriod", True, [], ["failed", "biased"]),
    "datadog.ExecutionSample": ("cpu", "cpu", True, [("cpu_samples", W)], ["state", "mode", "spanId", "localRootSpanId"]),
    "datadog.MethodSample": ("wall", "wall", False, [("wall_samples", W)], ["state", "mode", "spanId", "localRootSpanId"]),
    "profiler.WallClockSample": ("wall", "wall", False, [("wall_samples", W)], ["state"]),
    "jdk.ObjectAllocationInNewTLAB": ("alloc", None, False, [("alloc_space", "tlabSize"), ("alloc_object_size", "allocationSize")], ["objectClass"]),
    "jdk.ObjectAllocationOutsideTLAB": ("alloc", None, False, [("alloc_space", "allocationSize")], ["objectClass"]),
    "jdk.ObjectAllocationSample": ("alloc", None, False, [("alloc_space", W)], ["objectClass"]),
    "datadog.ObjectSample": ("alloc", None, False, [("alloc_samples", W), ("alloc_space", ("size", W))], ["objectClass", "spanId", "localRootSpanId"]),
    "datadog.HeapLiveObject": ("live", None, False, [("heap_live_objects", W), ("heap_space", ("size", W))], ["objectClass", "age"]),
    "profiler.LiveObject": ("live", None, False, [("heap_live_objects", 1), ("heap_space", "allocationSize")], ["objectClass"]),
    "jdk.OldObjectSample": ("leak", None, False, [("leak_samples", 1)], ["allocationTime", "objectAge"]),
    "profiler.Malloc": ("malloc", None, False, [("malloc_space", "size")], ["address"]),
    "profiler.Free": ("free", None, False, [("free_samples", 1)], ["address"]),
    "datadog.DirectAllocationSample": ("direct_alloc", None, False, [("direct_alloc_space", "allocated")], ["source", "allocatingClass"]),
    "jdk.JavaMonitorEnter": ("lock", "duration", False, [], ["monitorClass", "previousOwner"]),
    "jdk.JavaMonitorWait": ("wait", "duration", False, [], ["monitorClass", "notifier"]),
    "jdk.ThreadPark": ("park", "duration", False, [], ["parkedClass"]),
    "jdk.ThreadSleep": ("sleep", "duration", False, [], []),
    "jdk.SocketRead": ("socket_read", "duration", False, [("socket_read_bytes", "bytesRead")], ["host", "address", "port"]),
    "jdk.SocketWrite": ("socket_write", "duration", False, [("socket_write_bytes", "bytesWritten")], ["host", "address", "port"]),
    "jdk.FileRead": ("file_read", "duration", False, [("file_read_bytes", "bytesRead")], ["path"]),
    "jdk.FileWrite": ("file_write", "duration", False, [("file_write_bytes", "bytesWritten")], ["path"]),
    "jdk.JavaExceptionThrow": ("exception", None, False, [("exception_samples", 1)], ["thrownClass", "message"]),
    "jdk.JavaErrorThrow": ("exception", None, False, [("exception_samples", 1)], ["thrownClass", "message"]),
    "datadog.ExceptionSample": ("exception", None, False, [("exception_samples", 1)], ["type", "message", "spanId", "localRootSpanId"]),
}
# What samples stand for: class and reason by what stack_sample.event says, of wall by the state of the thread.
CLASSES = {"cpu": ("cpu", None), "native_code": ("other", "native_code"), "alloc": ("allocation", None), "malloc": ("allocation", None),
           "direct_alloc": ("allocation", None), "live": ("live", None), "leak": ("live", None), "free": ("other", None), "exception": ("other", None),
           "lock": ("waiting", "lock"), "wait": ("waiting", "wait"), "park": ("waiting", "park"), "sleep": ("waiting", "sleep"),
           "socket_read": ("waiting", "io"), "socket_write": ("waiting", "io"), "file_read": ("waiting", "io"), "file_write": ("waiting", "io")}
WAITING = {"SLEEPING": "sleep", "STATE_SLEEPING": "sleep", "WAITING": "wait", "PARKED": "park", "CONTENDED": "lock", "SYSCALL": "io"}


def class_of_sample(s):
    state = dict(s[7]).get("state")
    if s[1] != "wall":
        return (s[1], state, *CLASSES[s[1]])
    return ("wall", state, "waiting", WAITING[state]) if state in WAITING else ("wall", state, "wall", None)


LOCKS = {"jdk.JavaMonitorEnter": ("contended", "monitorClass", "previousOwner"), "jdk.JavaMonitorWait": ("wait", "monitorClass", "notifier"),
         "jdk.ThreadPark": ("park", "parkedClass", None)}
SERIES = {
    "jdk.CPULoad": ["jvmUser", "jvmSystem", "machineTotal"], "jdk.ThreadCPULoad": ["user", "system"], "jdk.ThreadContextSwitchRate": ["switchRate"],
    "jdk.ExceptionStatistics": ["throwables"], "jdk.CPUTimeSamplesLost": ["lostSamples"], "jdk.Compilation": ["duration"],
    "jdk.GarbageCollection": ["duration", "sumOfPauses", "longestPause"], "datadog.HeapUsage": ["size"],
    "jdk.GCHeapSummary": ["heapUsed", "heapSpace.committedSize"], "datadog.ExceptionCount": ["count"],
}


def interval(text):
    m = re.fullmatch(r"([0-9]+) ?(|ns|us|ms|s)", text or "")
    return int(m.group(1)) * {"": 1, "ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}[m.group(2)] if m else 0


def settings(chunk):
    """{"cpu", "wall"}: interval in ns; "mode": wall when execution samples are of all threads."""
    found = {"cpu": 0, "wall": 0, "mode": ""}
    for name, v in chunk.events({"jdk.ActiveSetting", "datadog.DatadogProfilerConfig"}):
        if v is None:
            continue
        if name == "datadog.DatadogProfilerConfig":
            for k in ("cpu", "wall"):
                found[k] = v.get(k + "Interval") or found[k]
            continue
        about = chunk.classes[v["id"]].name if v["id"] in chunk.classes else None
        ns = interval(v["value"]) if v["name"] in ("period", "interval") else 0
        if about == "jdk.ExecutionSample":
            found["cpu"] = ns or found["cpu"]
        elif about == "profiler.WallClockSample":
            found["wall"] = ns or found["wall"]
        elif about == "jdk.ActiveRecording" and v["name"] in ("event", "engine"):
            found["mode"] = v["value"]
        elif about == "jdk.ActiveRecording" and v["name"] == "wall":
            found["wall"] = interval(v["value"]) or found["wall"]
    return found


def weight_of(name, v):
    if name == "profiler.WallClockSample":
        return v.get("samples", 1)
    return v.get("weight", 1) if name.startswith("datadog.") else 1


def sample_row(name, v, how):
    """(event type, kind, ts, dur, thread, stack, values, labels)."""
    kind, span, cpu, values, labels = SAMPLES[name]
    weight = weight_of(name, v)
    dur = None
    if span in ("cpu", "wall"):
        dur = rounded((how[span] or 10000000) * weight)
    elif span:
        dur = v.get(span)
    wall = cpu and how["mode"] == "wall"
    sleeping = wall and symbol(v.get("state")) == "STATE_SLEEPING"
    have = [("cpu", dur)] if cpu and dur is not None and not sleeping else []
    for value, amount in values:
        if isinstance(amount, tuple):
            amount = None if v.get(amount[0]) is None else v[amount[0]] * weight
        elif amount == W:
            amount = v["weight"] if name == "jdk.ObjectAllocationSample" else weight
        elif amount != 1:
            amount = v.get(amount)
        if amount is not None:
            have.append((value, rounded(amount)))
    texts = [(k, label(k, v.get(k))) for k in labels]
    return (name, "wall" if wall else kind, v.get("startTime"), dur, thread_of(v.get("sampledThread") or v.get("eventThread")),
            stack_of(v.get("stackTrace")), tuple(sorted(have)), tuple(sorted((k, t) for k, t in texts if t is not None)))


def lock_row(name, v):
    kind, cls, owner = LOCKS[name]
    timeout = v.get("timeout")
    return (kind, thread_of(v.get("eventThread")), v.get("address"), class_of(v[cls]) if v.get(cls) else None,
            thread_of(v.get(owner)) if owner else None, timeout if timeout and timeout > 0 else None, v.get("startTime"), v.get("duration"),
            stack_of(v.get("stackTrace")))


def points(name, v):
    """[(series, thread, ts, value)]."""
    found = []
    for path in SERIES[name]:
        value = v
        for part in path.split("."):
            value = (value or {}).get(part)
        if value is not None:
            behind = "[%s]" % v["type"] if name == "datadog.ExceptionCount" and v.get("type") is not None else ""
            found.append(("%s.%s%s" % (name, path, behind), thread_of(v.get("eventThread")) if name == "jdk.ThreadCPULoad" else None, v["startTime"], float(value)))
    return found


class Expected:
    def __init__(self):
        self.counts, self.samples, self.locks, self.points, self.gc = {}, [], [], [], {}
        self.stacks, self.endpoints, self.logs = set(), {}, set()

    def add(self, name, v, how):
        self.counts[name] = self.counts.get(name, 0) + 1
        if name in SAMPLES:
            self.samples.append(sample_row(name, v, how))
            if v.get("stackTrace"):
                self.stacks.add(typed_stack(v["stackTrace"]))
        if name == "datadog.Endpoint" and v["localRootSpanId"] and v["endpoint"]:
            self.endpoints.setdefault(str(v["localRootSpanId"] % (1 << 64)), v["endpoint"])
        if name == "profiler.Log" and v["message"] is not None:
            self.logs.add(v["message"])
        if name in LOCKS:
            self.locks.append(lock_row(name, v))
        if name in SERIES:
            self.points += points(name, v)
        if name == "jdk.GCPhasePause":
            self.gc.setdefault(v["gcId"], []).append(("pause", v["startTime"], v["duration"], v.get("name") or None))
        if name == "jdk.GarbageCollection":
            self.gc.setdefault(v["gcId"], []).append(("collection", symbol(v["name"]), symbol(v["cause"])))
        if name == "jdk.GCHeapSummary":
            self.gc.setdefault(v["gcId"], []).append((symbol(v["when"]), v["heapUsed"], v["heapSpace"]["committedSize"]))

    def pauses(self):
        rows = []
        for parts in self.gc.values():
            pauses = [p for p in parts if p[0] == "pause"]
            one = {w: [p for p in parts if p[0] == w] for w in ("Before GC", "After GC")}
            alone = len(pauses) == 1
            before = one["Before GC"][0][1] if alone and len(one["Before GC"]) == 1 else None
            after = one["After GC"][0] if alone and len(one["After GC"]) == 1 else (None, None, None)
            named = [p[1:] for p in parts if p[0] == "collection"]
            name, cause = named[0] if len(named) == 1 else (None, None)
            rows += [(ts, dur, before, after[1], after[2], name or own, cause) for _, ts, dur, own in pauses]
        return rows


def names_of(samples):
    """What the sums of allocations are called: those of the best kind of event keep the common name."""
    order = ["datadog.ObjectSample", "jdk.ObjectAllocationSample"]
    present = {s[0] for s in samples}
    best = next((e for e in order if e in present), None)
    other = {"jdk.ObjectAllocationSample": "alloc_space_sampled", "jdk.ObjectAllocationInNewTLAB": "alloc_space_tlab", "jdk.ObjectAllocationOutsideTLAB": "alloc_space_tlab"}
    return [s[:6] + (tuple(sorted((other[s[0]] if n == "alloc_space" and best and s[0] != best else n, x) for n, x in s[6])), s[7]) for s in samples]


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    want = Expected()
    for chunk in chunks(data):
        how = settings(chunk)
        for name, values in chunk.events(set(SAMPLES) | set(SERIES) | {"jdk.GCPhasePause", "jdk.GCHeapSummary", "datadog.Endpoint", "profiler.Log"}):
            want.add(name, values, how)
    want.samples = [s[:7] + (with_endpoint(s[7], want.endpoints),) for s in want.samples]
    return want


def with_endpoint(labels, endpoints):
    """Those of a sample, and the endpoint of its trace."""
    found = endpoints.get(dict(labels).get("localRootSpanId"))
    return labels if found is None else tuple(sorted(labels + (("trace endpoint", found),)))


# --- what is in it ------------------------------------------------------------------------------

class Actual:
    def __init__(self, db):
        self.db = db
        self.threads = {r[0]: r[1:] for r in db.execute("SELECT j.itid, j.os_tid, j.java_tid, t.name FROM jfr_thread j JOIN thread t ON t.itid = j.itid")}
        self.stacks = {None: ()}
        for node, parent, line, *method in db.execute(
                "SELECT n.id, n.parent_id, n.line, m.package, m.class, m.name, m.signature, m.library, m.modifiers FROM stack_node n "
                "JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"):
            self.stacks[node] = self.stacks[parent] + ((*method, line),)

    def grouped(self, sql):
        found = {}
        for sample, key, value in self.db.execute(sql):
            found.setdefault(sample, []).append((key, value))
        return found

    def samples(self):
        values = self.grouped("SELECT v.sample_id, t.name, v.value FROM stack_sample_value v JOIN stack_value_type t ON t.id = v.value_type_id")
        labels = self.grouped("SELECT sample_id, key, value FROM stack_sample_label")
        return [(name, kind, ts, dur, self.threads.get(itid), self.stacks[node], tuple(sorted(values.get(i, []))), tuple(sorted(labels.get(i, []))))
                for i, name, kind, ts, dur, itid, node in self.db.execute(
                    "SELECT s.id, e.name, s.event, s.ts, s.dur, s.itid, s.node_id FROM stack_sample s JOIN jfr_sample j ON j.sample_id = s.id "
                    "JOIN jfr_event_type e ON e.id = j.type_id")]

    def classes(self):
        return self.db.execute("SELECT event, state, class, reason FROM v_sample WHERE id IN (SELECT sample_id FROM jfr_sample)").fetchall()

    def typed_stacks(self):
        """Each row is another stack; those of samples."""
        rows = [(self.stacks[node], truncated, types, codes) for node, truncated, types, codes in self.db.execute(
            "SELECT node_id, truncated, frame_types, bytecode_indexes FROM jfr_stack WHERE id IN (SELECT stack_id FROM jfr_sample)")]
        wrong = self.db.execute("SELECT count(*) FROM jfr_sample j JOIN stack_sample s ON s.id = j.sample_id LEFT JOIN jfr_stack k ON k.id = j.stack_id "
                                "WHERE s.node_id IS NOT k.node_id").fetchone()[0]
        return rows + ["%d samples with the stack of another" % wrong] * (wrong > 0)

    def logs(self):
        return [r[0] for r in self.db.execute("SELECT value FROM source_property WHERE key = 'profiler.Log'")]

    def locks(self):
        return [(kind, self.threads.get(itid), address, cls, self.threads.get(owner), timeout, ts, dur, self.stacks[node])
                for kind, itid, address, cls, owner, timeout, ts, dur, node in self.db.execute(
                    "SELECT kind, itid, object_id, class, owner_itid, timeout, ts, dur, node_id FROM lock_wait")]

    def points(self):
        return [(name, self.threads.get(itid), ts, value) for name, itid, ts, value in self.db.execute(
            "SELECT t.name, t.itid, v.ts, v.value FROM timeseries_value v JOIN timeseries t ON t.id = v.series_id") if name.split("[")[0].rpartition(".")[0] in SERIES
                or name.startswith("jdk.GCHeapSummary")]


def different(what, want, have):
    want, have = sorted(cells.add(list(want)), key=repr), sorted(have, key=repr)
    if want == have:
        return None
    only_want = [w for w in want if w not in have][:2]
    only_have = [h for h in have if h not in want][:2]
    return "%s: %d instead of %d; missing %r, not expected %r" % (what, len(have), len(want), only_want, only_have)


def compare(database, want, all_types=True):
    """None, or what is different. all_types: `want` has the number of every type of event."""
    have = Actual(sqlite3.connect(database))
    counts = {n: c for n, c in have.db.execute("SELECT name, sum(count) FROM jfr_event_type GROUP BY 1") if c > 0 and (all_types or n in want.counts)}
    return (different("counts", counts.items(), want.counts.items()) or different("samples", names_of(want.samples), have.samples()) or
            (all_types and (different("stacks", want.stacks, have.typed_stacks()) or different("messages", want.logs, have.logs()))) or
            different("classes", [class_of_sample(s) for s in want.samples], have.classes()) or
            different("waits", want.locks, have.locks()) or different("points", want.points, have.points()) or
            different("pauses", want.pauses(), have.db.execute("SELECT ts, dur, bytes_before, bytes_after, bytes_total, name, cause FROM runtime_pause").fetchall()))


def printed_events(program, recording):
    """What the JDK prints of a recording; settings it prints by number, so that they are those of the reader."""
    names = sorted(set(SAMPLES) | set(SERIES) | {"jdk.GCPhasePause"})
    with open(recording, "rb") as f:
        how = settings(next(chunks(f.read())))
    want = Expected()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "printed.json")
        with open(path, "w", encoding="utf-8") as f:
            subprocess.run([program, "print", "--json", "--stack-depth", "2048", "--events", ",".join(names), recording], stdout=f, check=True)
        for name, values in printed(path):
            want.add(name, values, how)
    # Floats are printed as short as a float needs.
    want.points = [(n, t, ts, struct.unpack("f", struct.pack("f", v))[0] if v != int(v) else v) for n, t, ts, v in want.points]
    return want


def main():
    want = read(sys.argv[2])
    wrong = compare(sys.argv[1], want)
    with open(sys.argv[2], "rb") as f:
        finished = all(chunk.state == 0 for chunk in chunks(f.read()))  # newer JDKs print no others
    if not wrong and finished and len(sys.argv) > 3:
        wrong = compare(sys.argv[1], printed_events(sys.argv[3], sys.argv[2]), all_types=False)
        wrong = wrong and "jfr print: " + wrong
    cells.end(wrong, sys.argv[2])


if __name__ == "__main__":
    main()
