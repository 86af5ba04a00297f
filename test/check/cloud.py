#!/usr/bin/env python3
"""Reads a Cloud Profiler recording and prints figures about it, as lines "name value".

usage: cloud.py [--notes] PATH...

PATH is an agent's dump directory, a directory of stream files, or a TCP conversation. This reader
is written from the format's description alone and shares nothing with the importer. It keeps
everything in memory and is meant for tests. With --notes what was found damaged follows, as lines
"! pod stream index offset reason".
"""

import bisect
import os
import re
import sys
import zlib

STREAMS = ("dictionary", "posDictionary", "params", "suspend", "calls", "trace", "sql", "xml")
META = ("dictionary", "posDictionary", "params", "suspend")
METHOD = re.compile(r"^(?:(\S+) )?(\S+)\.([^.\s(]+)\(([^)\s]*)\) \(([^():]*)(?::(\d+))?\)"
                    r"(?: \[(.*)\])?$", re.S)


class Damage(Exception):
    def __init__(self, offset, reason):
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


class Bytes:
    """A position in bytes; every read checks what is left."""

    def __init__(self, data, at=0, end=None):
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end

    def more(self):
        return self.at < self.end

    def take(self, n):
        if n > self.end - self.at:
            raise Damage(self.at, "cut")
        self.at += n
        return self.data[self.at - n:self.at]

    def byte(self):
        if self.at >= self.end:
            raise Damage(self.at, "cut")
        self.at += 1
        return self.data[self.at - 1]

    def fixed(self, n):
        return int.from_bytes(self.take(n), "big")

    def unsigned(self):
        """A var int as its 32 bits."""
        value = 0
        for i in range(5):
            b = self.byte()
            value |= (b & 0x7F) << (7 * i)
            if b < 0x80:
                break
        return value & 0xFFFFFFFF

    def signed(self):
        return as_int32(self.unsigned())

    def zigzag(self):
        n = self.unsigned()
        return (n >> 1) ^ -(n & 1)

    def long(self):
        value = 0
        for i in range(10):
            b = self.byte()
            value |= (b & 0x7F) << (7 * i)
            if b < 0x80:
                break
        return value & 0xFFFFFFFFFFFFFFFF

    def string(self):
        start = self.at
        n = self.signed()
        if n < 0 or n > (self.end - self.at) // 2:
            reason = "bad string length %d" % n
            self.at = start
            raise Damage(start, reason)
        return self.take(2 * n).decode("utf-16-be", "surrogatepass")


def as_int32(v):
    v &= 0xFFFFFFFF
    return v - (1 << 32) if v >= 1 << 31 else v


def cut_int32(v):
    """cpu and wait were cut to 32 bits before they were written as long numbers."""
    return v - (1 << 32) if 1 << 31 <= v < 1 << 32 else v


# --------------------------------------------------------------------------- containers


class Pod:
    def __init__(self, name, framed, path=None):
        self.name = name
        self.path = path  # of the agent's directory
        self.inside = ""  # the same, in the input
        self.framed = framed
        self.files = {}  # stream -> {index: bytes}
        self.notes = []
        self.others = {}

    def add(self, stream, index, data):
        if stream == "traces":
            stream = "trace"
        where = self.files if stream in STREAMS else self.others
        files = where.setdefault(stream, {})
        files[index] = files.get(index, b"") + data

    def note(self, stream, index, offset, reason):
        self.notes.append((stream, index, offset, reason))

    def ordered(self, stream):
        return sorted(self.files.get(stream, {}).items())


def gunzip(data, note):
    """All members; what stands before damage or a missing end is kept."""
    out = b""
    while data[:2] == b"\x1f\x8b":
        d = zlib.decompressobj(31)
        parts = []
        try:
            for i in range(0, len(data), 256):
                before = d.copy()
                parts.append(d.decompress(data[i:i + 256]))
                if d.eof:
                    rest = i + 256
                    break
        except zlib.error as e:
            try:
                for k in range(i, i + 256):
                    parts.append(before.decompress(data[k:k + 1]))
            except zlib.error:
                pass
            note("gzip: %s" % str(e).split(":")[-1].strip())
            return out + b"".join(parts)
        out += b"".join(parts)
        if not d.eof:
            note("gzip without trailer")
            return out
        data = d.unused_data + data[rest:]
    return out


def read(path):
    with open(path, "rb") as f:
        return f.read()


AGENT_FILE = re.compile(r"^(\d{6,})(?:\.gz)?$")
FLAT_FILE = re.compile(r"^(.+?)\.([A-Za-z]+)(?:\.(\d+))?\.(?:protocol|bin)$")


def load_directory(path):
    pods = {}
    for folder, names, files in os.walk(path):
        names.sort()
        for name in sorted(files):
            full = os.path.join(folder, name)
            agent = AGENT_FILE.match(name)
            flat = FLAT_FILE.match(name)
            if agent:
                root, stream = os.path.split(folder)
                pod = pods.setdefault(root, Pod(os.path.basename(root), False, root))
                pod.inside = os.path.relpath(root, path)
                index = int(agent.group(1))
                data = read(full)
                if data[:2] == b"\x1f\x8b":
                    data = gunzip(data, lambda r: pod.note(stream, index, 0, r))
                pod.add(stream, index, data)
            elif flat:
                key = (folder, flat.group(1))
                pod = pods.setdefault(key, Pod(flat.group(1), True))
                pod.add(flat.group(2), int(flat.group(3) or 0) + 1, read(full))
    lend_params([p for p in pods.values() if p.path is not None])
    return list(pods.values())


def lend_params(pods):
    """A start of the agent without params takes those of another start of its server."""
    def server(pod):
        return os.path.normpath(os.path.join(pod.path, "../../../.."))

    having = [p for p in pods if "params" in p.files]
    for pod in pods:
        if pod not in having:
            same = [p for p in having if server(p) == server(pod)]
            before = [p for p in same if p.path < pod.path]
            lender = max(before, key=lambda p: p.path, default=None) or min(
                same, key=lambda p: p.path, default=None)
            if lender:
                pod.files["params"] = lender.files["params"]


def load_conversation(data):
    pods = []
    r = Bytes(data)
    handles = {}

    def field():
        n = r.fixed(4)
        if n > 1024:
            raise Damage(r.at - 4, "field of %d bytes" % n)
        return r.take(n)

    try:
        while r.more():
            at = r.at
            command = r.byte()
            if command == 0x14:
                r.take(8)
                pods.append(Pod(field().decode(), True))
                field()
                field()
                if r.fixed(8) == 88888888:
                    raise Damage(r.at - 8, "the collector refuses")
                handles = {}
            elif command == 0x15:
                stream = field().decode()
                r.take(8)
                handle = r.take(16)
                r.take(16)
                index = r.fixed(4) + 1
                handles[handle] = (pods[-1], stream, index)
                pods[-1].add(stream, index, b"")
            elif command == 0x02:
                handle = r.take(16)
                data_at = r.at
                payload = field()
                if handle in handles:
                    pod, stream, index = handles[handle]
                    pod.add(stream, index, payload)
                else:
                    pods[-1].note("tcp", 0, data_at - 17, "unknown handle")
            elif command == 0x13:
                r.take(17)
            elif command == 0x08:
                r.take(8)
            elif command == 0x01:
                field(), field(), field()
            elif command == 0xFF:
                raise Damage(at, "the collector refuses")
            # 0x00 acknowledges data (0x02) or a flush (0x11), at once or later.
            elif command not in (0x00, 0x04, 0x11):
                raise Damage(at, "unknown command 0x%02x" % command)
    except Damage as d:
        if not pods:
            raise
        pods[-1].note("tcp", 0, d.offset, d.reason)
    return pods


def load(path):
    if os.path.isdir(path):
        return load_directory(path)
    data = read(path)
    if data[:2] == b"\x1f\x8b":
        data = gunzip(data, lambda r: None)
    return load_conversation(data)


# --------------------------------------------------------------------------- meta streams


def phrases(pod, stream, index, data):
    """(number, Bytes) of each phrase; the whole file where there are none."""
    if not pod.framed:
        if data:
            yield 0, Bytes(data)
        return
    at = number = 0
    while at < len(data):
        if len(data) - at < 4:
            pod.note(stream, index, at, "cut")
            return
        n = int.from_bytes(data[at:at + 4], "big")
        if n == 0 or n > 1 << 20:
            pod.note(stream, index, at, "phrase of %d bytes" % n)
            return
        if n > len(data) - at - 4:
            pod.note(stream, index, at, "phrase past the end")
        end = min(at + 4 + n, len(data))
        yield number, Bytes(data, at + 4, end)
        at = end
        number += 1


def parse_dictionary(pod):
    words = {}
    pod.word_rows = []  # (id, word), also those that are replaced later
    for index, data in pod.ordered("dictionary"):
        for _, r in phrases(pod, "dictionary", index, data):
            start = r.at
            try:
                while r.more():
                    start = r.at
                    words[len(words)] = r.string()
                    pod.word_rows.append((len(words) - 1, words[len(words) - 1]))
            except Damage as d:
                pod.note("dictionary", index, start, d.reason)
                return words
    for index, data in pod.ordered("posDictionary"):
        for _, r in phrases(pod, "posDictionary", index, data):
            start = r.at
            try:
                while r.more():
                    start = r.at
                    word = r.unsigned()
                    words[word] = r.string()
                    pod.word_rows.append((word, words[word]))
            except Damage as d:
                pod.note("posDictionary", index, start, d.reason)
    return words


def parse_params(pod):
    rows = []
    for index, data in pod.ordered("params"):
        for number, r in phrases(pod, "params", index, data):
            start = r.at
            try:
                if number == 0:
                    pod.params_version = r.byte()
                while r.more():
                    start = r.at
                    name = r.string()
                    is_index = r.byte() == 1
                    is_list = r.byte() == 1
                    rows.append((name, is_index, is_list, r.signed(), r.string()))
            except Damage as d:
                pod.note("params", index, start, d.reason)
    return rows


def parse_suspend(pod):
    rows = []  # end, delta, delay
    pod.suspend_phrases = 0
    for index, data in pod.ordered("suspend"):
        end = None
        for number, r in phrases(pod, "suspend", index, data):
            pod.suspend_phrases += 1
            start = r.at
            try:
                if number == 0:
                    end = r.fixed(8)
                while r.more():
                    start = r.at
                    delta = r.signed()
                    delay = r.signed()
                    end += delta
                    rows.append((end, delta, delay))
            except Damage as d:
                pod.note("suspend", index, start, d.reason)
                if end is None:
                    break
    return rows


def parse_texts(pod, stream):
    texts = {}
    for index, data in pod.ordered(stream):
        r = Bytes(data)
        try:
            while r.more():
                at = r.at
                texts[(index, at)] = r.string()
        except Damage as d:
            pod.note(stream, index, at, d.reason)
    return texts


# --------------------------------------------------------------------------- calls


class Call:
    root = None
    thread_index = None

    def __init__(self):
        self.logs_written = self.logs_more = self.cpu = self.wait = self.memory = 0
        self.file_read = self.file_written = self.net_read = self.net_written = 0
        self.transactions = self.queue_wait = 0
        self.thread = None


def parse_call(r, version, names, base):
    c = Call()
    c.delta = r.zigzag()
    c.start = base + c.delta
    c.method = r.unsigned()
    c.duration = r.signed()
    c.enters = r.signed()
    if version >= 1:
        n = c.thread_index = r.unsigned()
        if n == len(names):
            names.append(r.string())
        c.thread = names[n] if n < len(names) else "unknown # %d" % n
        c.logs_written = r.signed()
        c.logs_more = r.signed()
    c.key = (r.unsigned(), r.unsigned(), r.unsigned())
    if version >= 2:
        c.cpu = cut_int32(r.long())
        c.wait = cut_int32(r.long())
        c.memory = r.long()
    if version >= 3:
        c.file_read, c.file_written, c.net_read, c.net_written = (r.long() for _ in range(4))
    if version >= 4:
        c.transactions = r.signed()
        c.queue_wait = r.signed()
    at = r.at
    groups = r.unsigned()
    if groups > 4096:
        raise Damage(at, "%d parameter groups" % groups)
    c.params = []
    for _ in range(groups):
        word = r.unsigned()
        at = r.at
        n = r.unsigned()
        if n > 1 << 20:
            raise Damage(at, "%d values" % n)
        c.params.append((word, [r.string() for _ in range(n)]))
    return c


def parse_calls(pod):
    calls = []
    pod.calls_base = None
    for index, data in pod.ordered("calls"):
        r = Bytes(data)
        names = []
        start = 0
        try:
            base = r.fixed(8)
            version = 0
            if base >> 32 == 0xFFFEFDFC:
                version = base & 0xFFFFFFFF
                if version > 4:
                    raise Damage(4, "calls format %d" % version)
                base = r.fixed(8)
            if pod.calls_base is None:
                pod.calls_base = base
            while r.more():
                start = r.at
                c = parse_call(r, version, names, base)
                c.file, c.offset, c.format = index, start, version
                base = c.start
                calls.append(c)
        except Damage as d:
            pod.note("calls", index, start, d.reason)
    return calls


# --------------------------------------------------------------------------- traces


class Frame:
    __slots__ = ("method", "start", "end", "level", "parent", "inner", "state", "path", "key",
                 "thread", "children", "spans")

    @property
    def duration(self):
        return max(self.end - self.start, 0)


class Trace:
    """The frames and tags of one pod. States of frames: 0 closed, 1 open at the end, 2 lost."""

    def __init__(self, pod, words):
        self.pod = pod
        self.words = words
        self.frames = []
        self.roots = {}
        self.blocks = []  # file, offset, thread, real time, events, bytes, complete
        self.tags = [0, 0, 0, 0]
        self.references = []  # stream, file, offset
        self.values = []  # frame or None, word, type, value
        self.places = []  # of each value: block, number of the event in it, time
        self.spans = []  # of each block: times of its first and last event, or None
        self.enters = self.exits = self.stray_exits = self.stray_tags = self.markers = 0
        self.stacks = {}
        self.latest = {}
        self.ending = {}  # thread -> time: the marker found more than one open frame
        self.paths = {}
        self.timer0 = None

    def read(self):
        before = None
        for index, data in self.pod.ordered("trace"):
            if before is not None and index != before + 1:
                self.pod.note("trace", index, 0, "file %d is missing" % (before + 1))
                for thread in self.stacks:
                    self.close_all(thread, self.latest[thread], 2)
            before = index
            r = Bytes(data)
            at = 0
            try:
                timer0 = r.fixed(8)
                if self.timer0 is None:
                    self.timer0 = timer0
                while r.more():
                    at = r.at
                    self.block(index, r, timer0)
            except Damage as d:
                self.pod.note("trace", index, d.offset, d.reason)
        for thread in self.stacks:
            self.close_all(thread, self.latest[thread], 1)

    def block(self, index, r, timer0):
        offset = r.at
        thread = r.fixed(8)
        real = r.fixed(8)
        events = total = 0
        self.spans.append(None)
        stack = self.stacks.setdefault(thread, [])
        self.latest.setdefault(thread, real)
        complete = 0
        try:
            while True:
                at = r.at
                h = r.byte()
                kind = h & 3
                if kind == 3:
                    complete = 1
                    break
                step = (h & 0x7F) >> 2
                if h & 0x80:
                    step |= r.unsigned() << 5
                total = (total + step) & 0xFFFFFFFF
                time = real + as_int32(total - ((real - timer0) & 0xFFFFFFFF))
                self.place = (len(self.blocks), events, time)
                if kind == 0:
                    self.enter(thread, stack, time, r.unsigned(), (index, offset, events))
                elif kind == 1:
                    self.exit(thread, stack, time, (index, offset))
                else:
                    self.tag(thread, stack, time, r)
                self.latest[thread] = time
                self.spans[-1] = ((self.spans[-1] or (time,))[0], time)
                events += 1
        except Damage as d:
            raise Damage(at, d.reason) from None
        finally:
            self.blocks.append((index, offset, thread, real, events, r.at - offset, complete))

    def enter(self, thread, stack, time, method, key):
        f = Frame()
        f.method, f.start, f.end, f.level = method, time, None, len(stack)
        f.parent = stack[-1] if stack else None
        f.inner, f.children, f.state, f.key, f.thread, f.spans = 0, 0, 0, key, thread, False
        path = (f.parent.path if f.parent else None, method)
        f.path = self.paths.setdefault(path, len(self.paths))
        if f.parent is None:
            self.roots[key] = f
        else:
            f.parent.children += 1
        stack.append(f)
        self.frames.append(f)
        self.enters += 1

    @staticmethod
    def close(f, time, state):
        f.end = time
        f.state = state
        if f.parent is not None:
            f.parent.inner += f.duration

    def close_all(self, thread, time, state):
        stack = self.stacks[thread]
        while stack:
            self.close(stack.pop(), time, state)
        self.ending.pop(thread, None)

    def exit(self, thread, stack, time, block):
        self.exits += 1
        if not stack:
            self.stray_exits += 1
            return
        root = stack[0]
        if thread in self.ending:
            self.close_all(thread, self.ending[thread], 2)
        else:
            self.close(stack.pop(), time, 0)
        if not stack:
            root.spans = root.key[:2] != block

    def tag(self, thread, stack, time, r):
        word = r.unsigned()
        at = r.at
        kind = r.byte()
        if kind in (0, 2):
            value = r.string()
        elif kind in (1, 3):
            value = (r.unsigned(), r.unsigned())
            self.references.append((("xml", None, "sql")[kind - 1],) + value)
        else:
            raise Damage(at, "parameter type %d" % kind)
        self.tags[kind] += 1
        if not stack:
            self.stray_tags += 1
        self.values.append((stack[-1] if stack else None, word, kind, value))
        self.places.append(self.place)
        if kind == 0 and value == "" and self.words.get(word) == "call.info":
            self.markers += 1
            if len(stack) > 1:
                self.ending[thread] = time


# --------------------------------------------------------------------------- figures


class Recording:
    """Everything of one pod."""

    def __init__(self, pod):
        self.pod = pod
        self.words = parse_dictionary(pod)
        self.params = parse_params(pod)
        self.suspend = parse_suspend(pod)
        self.sql = parse_texts(pod, "sql")
        self.xml = parse_texts(pod, "xml")
        self.trace = Trace(pod, self.words)
        self.trace.read()
        self.calls = parse_calls(pod)
        for c in self.calls:
            c.root = self.trace.roots.get(c.key)
        self.repair_amounts()
        self.pauses = sorted((end - delay, end) for end, _, delay in self.suspend)
        self.pause_ends = [p[1] for p in self.pauses]

    def repair_amounts(self):
        """Long numbers may have lost what is above 28 bits; tags of the root have them as text."""
        fields = {"memory.allocated": "memory", "io.disk.read": "file_read",
                  "io.disk.written": "file_written", "io.net.read": "net_read",
                  "io.net.written": "net_written"}
        calls = {}
        for c in self.calls:
            if c.root:
                calls.setdefault(c.root, []).append(c)
        for frame, word, kind, value in self.trace.values:
            field = fields.get(self.words.get(word))
            if field and kind == 0 and frame in calls and value.isdecimal():
                for c in calls[frame]:
                    stored = getattr(c, field)
                    if int(value) > stored and (int(value) - stored) % (1 << 28) == 0 and \
                            c.format >= (2 if field == "memory" else 3):
                        setattr(c, field, int(value))

    def suspended(self, start, end):
        total = 0
        for a, b in self.pauses[bisect.bisect_right(self.pause_ends, start):]:
            if a >= end:
                break
            total += max(0, min(b, end) - max(a, start))
        return total

    def figures(self):
        t, calls = self.trace, self.calls
        delays = [d for _, _, d in self.suspend]
        texts = {"sql": self.sql, "xml": self.xml}
        f = {
            "pods": 1,
            "dictionary.words": len(self.words),
            "dictionary.methods": sum(1 for w in self.words.values() if METHOD.match(w)),
            "params.rows": len(self.params),
            "suspend.rows": len(self.suspend),
            "suspend.sum": sum(delays),
            "suspend.max": max(delays, default=0),
            "calls.rows": len(calls),
            "calls.params": sum(len(c.params) for c in calls),
            "calls.values": sum(len(v) for c in calls for _, v in c.params),
        }
        for name in ("duration", "enters", "logs_written"):
            f["calls." + name] = sum(getattr(c, name) for c in calls)
        f["calls.logs_generated"] = sum(c.logs_written + c.logs_more for c in calls)
        for name in ("cpu", "wait", "memory", "file_read", "file_written", "net_read",
                     "net_written", "transactions", "queue_wait"):
            f["calls." + name] = sum(getattr(c, name) for c in calls)
        f.update({
            "calls.min_start": min((c.start for c in calls), default=0),
            "calls.max_end": max((c.start + c.duration for c in calls), default=0),
            "calls.suspended": sum(self.suspended(c.start, c.start + c.duration) for c in calls),
            "calls.joined": sum(1 for c in calls if c.root),
            "calls.mismatched": sum(1 for c in calls if c.root and
                                    (c.root.method, c.root.start) != (c.method, c.start)),
            "trace.blocks": len(t.blocks),
            "trace.threads": len(t.stacks),
            "trace.enters": t.enters,
            "trace.exits": t.exits,
            "trace.tags_inline": t.tags[0],
            "trace.tags_big": t.tags[1],
            "trace.tags_index": t.tags[2],
            "trace.tags_dedup": t.tags[3],
            "trace.max_level": max((x.level for x in t.frames), default=0),
            "trace.roots": len(t.roots),
            "trace.spanning_roots": sum(1 for x in t.roots.values() if x.spans),
            "trace.open": sum(1 for x in t.frames if x.state == 1),
            "trace.lost": sum(1 for x in t.frames if x.state == 2),
            "trace.stray_exits": t.stray_exits,
            "trace.stray_tags": t.stray_tags,
            "slices.duration": sum(x.duration for x in t.frames),
            "slices.self": sum(x.duration - x.inner for x in t.frames),
            "slices.root_duration": sum(x.duration for x in t.roots.values()),
            "clobs.unresolved": sum(1 for s, i, o in t.references if (i, o) not in texts[s]),
            "sql.texts": len(self.sql),
            "xml.texts": len(self.xml),
        })
        return f


def combine(all_figures):
    total = {}
    for f in all_figures:
        for name, value in f.items():
            if name == "calls.min_start" and value and total.get(name):
                total[name] = min(total[name], value)
            elif name in ("calls.max_end", "suspend.max", "trace.max_level"):
                total[name] = max(total.get(name, 0), value)
            else:
                total[name] = total.get(name, 0) + value
    return total


def main(argv):
    notes = "--notes" in argv
    recordings = [Recording(p) for path in argv[1:] if path != "--notes" for p in load(path)]
    for name, value in combine(r.figures() for r in recordings).items():
        print(name, value)
    for r in recordings if notes else ():
        for note in r.pod.notes:
            print("!", r.pod.name, *note)
    return 0 if recordings else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
