"""JFR recordings whose cost should grow with their size and no faster, in time and in memory; see measure.py."""

import os
import struct
import sys

import measure

MB = 1 << 20
CLASSES = ["boolean", "int", "long", "java.lang.String", "jdk.types.Symbol string=java.lang.String", "java.lang.Class name=jdk.types.Symbol!",
           "jdk.types.Method type=java.lang.Class! name=jdk.types.Symbol!", "jdk.types.StackFrame method=jdk.types.Method! lineNumber=int",
           "jdk.types.StackTrace truncated=boolean frames=jdk.types.StackFrame[]", "java.lang.Thread osName=java.lang.String osThreadId=long javaName=java.lang.String",
           "+jdk.ExecutionSample startTime=long sampledThread=java.lang.Thread! stackTrace=jdk.types.StackTrace!",
           "+jdk.GCPhasePause startTime=long gcId=int", "+jdk.GCHeapSummary startTime=long gcId=int heapUsed=long",
           "+jdk.ThreadCPULoad startTime=long eventThread=java.lang.Thread! user=long", "+jdk.ActiveSetting startTime=long id=long name=java.lang.String",
           "+jdk.InitialSystemProperty startTime=long key=java.lang.String value=java.lang.String", "+app.Counted startTime=long",
           "+jdk.JavaExceptionThrow startTime=long eventThread=java.lang.Thread! stackTrace=jdk.types.StackTrace! message=java.lang.String"]
IDS = {c.lstrip("+").split()[0]: i + 10 for i, c in enumerate(CLASSES)}


class Output:
    def __init__(self, path):
        self.file = open(path, "wb")
        self.bytes = 0

    def write(self, data):
        self.file.write(data)
        self.bytes += len(data)


def v(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 128 and len(out) < 8:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def text(s):
    return b"\3" + v(len(s.encode())) + s.encode()


def event(number, *parts):
    body = v(number) + b"".join(parts)
    n = len(body) + 4
    return bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14 & 127 | 128, n >> 21 & 127]) + body


def of(name, *parts):
    return event(IDS[name], *parts)


def metadata(classes):
    names = {}
    index = lambda s: v(names.setdefault(s, len(names)))
    element = lambda name, attributes, children: index(name) + v(len(attributes)) + b"".join(index(k) + index(x) for k, x in attributes) + v(children)
    tree = element("root", [], 1) + element("metadata", [], len(classes))
    ids = {c.lstrip("+").split()[0]: i + 10 for i, c in enumerate(classes)}
    parts = [tree]
    for c in classes:
        name, *fields = c.lstrip("+").split()
        parts.append(element("class", [("id", str(ids[name])), ("name", name)] + ([("superType", "jdk.jfr.Event")] if c[0] == "+" else []), len(fields)))
        for f in fields:
            key, kind = f.split("=")
            attributes = [("name", key), ("class", str(ids[kind.rstrip("![]")]))]
            parts.append(element("field", attributes + ([("constantPool", "true")] if "!" in kind else []) + ([("dimension", "1")] if "[" in kind else []), 0))
    return event(0, v(0), v(0), v(1), v(len(names)), b"".join(text(n) for n in names), *parts)


def pool(name, entries):
    return v(IDS[name]) + v(len(entries)) + b"".join(v(k) + e for k, e in entries)


def checkpoint(delta, *pools):
    return event(1, v(0), v(0), v(delta), b"\0", v(len(pools)), *pools)


def chunk(o, events=b"", pools=(), classes=CLASSES, checkpoints=1):
    events = b"".join(events)
    meta = metadata(classes)
    body = events + meta
    at = last = 68 + len(body)
    found = []
    for i in range(checkpoints):
        one = checkpoint(last - at if i else 0, *pools)
        last = at
        at += len(one)
        found.append(one)
    body += b"".join(found)
    o.write(struct.pack(">4sHH7QB2xB", b"FLR\0", 2, 0, 68 + len(body), last, 68 + len(events), 10**18, 10**9, 0, 10**9, 0, 1) + body)


ONE = [pool("jdk.types.Symbol", [(1, text("m"))]), pool("jdk.types.Method", [(1, v(0) + v(1))]),
       pool("jdk.types.StackTrace", [(1, b"\0" + v(1) + v(1) + v(7))]), pool("java.lang.Thread", [(1, text("t") + v(9) + text("t"))])]


def s_empty(o, n):
    chunk(o)


def s_samples(o, n):
    chunk(o, [of("jdk.ExecutionSample", v(i), v(1), v(1)) for i in range(n)], ONE)


def s_counted(o, n):
    chunk(o, [of("app.Counted", v(i)) for i in range(n * 4)], ONE)


def s_chunks(o, n):
    for i in range(n // 100):
        chunk(o, [of("jdk.ExecutionSample", v(i), v(1), v(1))], ONE)


def s_checkpoints(o, n):
    chunk(o, [], ONE, checkpoints=n)


def s_symbols(o, n):
    chunk(o, [], [pool("jdk.types.Symbol", [(i * 7 << 40, text("s%d" % i)) for i in range(n)])])


def s_methods(o, n):
    """Of a stack each."""
    chunk(o, [of("jdk.ExecutionSample", v(i), v(0), v(i + 1)) for i in range(n)],
          [pool("jdk.types.Symbol", [(i + 1, text("s%d" % i)) for i in range(n)]), pool("jdk.types.Method", [(i + 1, v(0) + v(i + 1)) for i in range(n)]),
           pool("jdk.types.StackTrace", [(i + 1, b"\0" + v(1) + v(i + 1) + v(7)) for i in range(n)])])


def s_frames(o, n):
    """One stack."""
    chunk(o, [of("jdk.ExecutionSample", v(i), v(1), v(1)) for i in range(n)],
          ONE[:2] + [pool("jdk.types.StackTrace", [(1, b"\0" + v(4 * n) + (v(1) + v(7)) * 4 * n)])])


def s_stacks(o, n):
    """Of a hundred frames, alike in none."""
    chunk(o, [of("jdk.ExecutionSample", v(i), v(1), v(i + 1)) for i in range(n // 20)],
          ONE[:2] + [pool("jdk.types.StackTrace", [(i + 1, b"\0" + v(100) + b"".join(v(1) + v(f + i) for f in range(100))) for i in range(n // 20)])])


def s_missing(o, n):
    chunk(o, [of("jdk.ExecutionSample", v(i), v(i + 9), v(i + 9)) for i in range(n)])


def s_threads(o, n):
    chunk(o, [of("jdk.ThreadCPULoad", v(i), v(i + 1), v(3)) for i in range(n)],
          [pool("java.lang.Thread", [(i + 1, text("t%d" % i) + v(i + 1) + text("t%d" % i)) for i in range(n)])])


def s_classes(o, n):
    chunk(o, classes=CLASSES + ["+app.C%d startTime=long" % i for i in range(n // 4)])


def s_fields(o, n):
    """Of one class, which has too many."""
    chunk(o, classes=CLASSES + ["+jdk.ThreadPark " + " ".join("f%d=int" % i for i in range(n))])


def s_wide(o, n):
    """Classes whose plans are long, met by an event each."""
    chunk(o, classes=CLASSES + ["app.Wide " + " ".join("f%d=int" % i for i in range(1000)), "+jdk.ThreadPark w=app.Wide"] +
          ["+app.C%d w=app.Wide" % i for i in range(n // 10)])


def s_pauses(o, n):
    chunk(o, [of("jdk.GCPhasePause", v(i), v(i % 7)) for i in range(n)])


def s_heaps(o, n):
    chunk(o, [of("jdk.GCHeapSummary", v(i), v(i), v(i)) for i in range(n)])


def s_settings(o, n):
    chunk(o, [of("jdk.ActiveSetting", v(i), v(IDS["jdk.ExecutionSample"]), text("period")) for i in range(n)])


def s_properties(o, n):
    chunk(o, [of("jdk.InitialSystemProperty", v(i), text("k%d" % i), text("v")) for i in range(n)])


def s_messages(o, n):
    chunk(o, [of("jdk.JavaExceptionThrow", v(i), v(1), v(1), text("m" * 40)) for i in range(n)], ONE)


def s_magic(o, n):
    """Headers and nothing behind them."""
    o.write(b"FLR\0\0\2\0\0" * n * 4)


def s_stray(o, n):
    chunk(o)
    o.write(b"FLR\0" * n * 8)


def s_sizes(o, n):
    """Chunks that claim to go on to the end, each with another one in it."""
    chunk(o)
    for _ in range(n // 40):
        o.write(struct.pack(">4sHH7QB2xB", b"FLR\0", 2, 0, 1 << 40, 68, 68, 10**18, 10**9, 0, 10**9, 0, 1) + b"\xff" * 16)


# The others are tried with TS_SLOW=1.
ALWAYS = "samples checkpoints methods frames threads classes wide pauses magic sizes".split()

if __name__ == "__main__":
    every = {k[2:]: f for k, f in list(globals().items()) if k.startswith("s_")}
    some = every if len(sys.argv) != 2 or os.environ.get("TS_SLOW") == "1" else {"empty": s_empty, **{name: every[name] for name in ALWAYS}}
    # docs/formats.md: a part that every import has, and so much for what pools and threads hold, each of which takes some bytes of the file.
    measure.main(every if sys.argv[1] == "--list" else some, Output, "empty", 40 * MB, 40, 4000)
