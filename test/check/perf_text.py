"""An independent reader of what `perf script` writes, and every cell of its rows."""

import re

from cells import cells

# comm, numbers, then what may be missing: processor, time, period; an event, or a time.
NUMBERS = r"(?:(?P<comm>\s*\S.*?)\s+|\s*)(?:(?P<pid>-1|\d+)/)?(?P<tid>-1|\d+)\s+(?:\[\d+\]\s+)?"
HEADER = re.compile(NUMBERS + r"(?:(?P<time>\d+\.\d{1,9}):\s+)?(?:(?P<period>\d+)\s+)?(?P<event>\S*[^\s:\d.-]\S*):(?=\s|$)\s*(?P<rest>.*)$")
TIMED = re.compile(NUMBERS + r"(?P<time>\d+\.\d{1,9}):\s*(?P<period>\d+)?\s*(?P<event>)(?P<rest>)$")
BARE = re.compile(r"(?P<comm>\S.*?)\s+(?:(?P<pid>\d+)/)?(?P<tid>\d+)\s*(?P<time>)(?P<period>)(?P<event>)(?P<rest>)$")  # after an empty line
FRAME = re.compile(r"\s*(?P<ip>[0-9a-f]+)(?:\s+(?P<symbol>\S.*?))??(?:\s+\((?P<image>(?:[^()]|\([^()]*\))*)\))?\s*$")
NAMED = re.compile(r"\s+(?P<symbol>\S.*?)??(?:\s+\((?P<image>(?:[^()]|\([^()]*\))*)\))?\s*$")
SOURCE = re.compile(r"  (\S.*|):(\d+)( \(inlined\))?$")


def header(line, first=False):
    if line[:1] in "\t#":
        return None
    return HEADER.match(line) or TIMED.match(line) or (BARE.match(line) if first else None)


def split_frame(line, named):
    m = (NAMED if named else FRAME).match(line)
    if not m:
        raise ValueError("frame %r" % line)
    symbol, image = m["symbol"] or "", m["image"]
    inlined = image == "inlined"
    image = None if inlined else image and re.sub(r"\+0x[0-9a-f]+$", "", image)
    symbol = re.sub(r"\+0x[0-9a-f]+$", "", symbol)
    if not symbol:
        symbol = "[unknown]" if named or image is not None else "0x" + m["ip"]
    return [symbol, image, None, None, inlined]


def kind(image, inlined):
    if inlined:
        return "inlined"
    if image and (image.startswith("[") or image.endswith("vmlinux")) and not re.match(r"\[(unknown|vdso|vsyscall|heap|stack)", image):
        return "kernel"
    return "jit" if image and image.startswith("/tmp/perf-") else None


def read(data):
    """Of each sample: comm, pid, tid, ts, event, value type, unit, value, stack from the outermost frame on."""
    out, sample, named = [], None, None
    for line in data.decode().split("\n"):
        line = line.rstrip("\r")
        if not line.strip():
            sample = None
            continue
        if line.startswith("#") or line.startswith("[ perf ") or "PERF_RECORD_" in line:
            continue
        m = header(line, sample is None)
        if m:
            seconds, _, part = (m["time"] or "").partition(".")
            ts = int(seconds) * 10**9 + int(part.ljust(9, "0")) if m["time"] else None
            number = lambda t: None if t in (None, "-1") else int(t)
            clock = (m["event"] or "").split(":")[0] in ("cpu-clock", "task-clock")
            kind_of = (m["event"] or ("period" if m["period"] else "cpu-samples"), ("ns" if clock else "count") if m["period"] else "samples")
            sample = (m["comm"] and m["comm"].strip(), number(m["pid"]), number(m["tid"]), ts, m["event"] or None, *kind_of, int(m["period"] or 1), [])
            out.append(sample)
            if re.match(r"[0-9a-f]+\s+\S", m["rest"]):
                sample[-1].append(split_frame(m["rest"], False))
            continue
        if sample is None:
            raise ValueError("line %r" % line)
        at = SOURCE.match(line)
        if at and sample[-1]:
            last = sample[-1][-1]
            last[2:] = [None if at[1] in ("", "??") else at[1], int(at[2]) or None, last[4] or bool(at[3])]
            continue
        if re.match(r"  \S+\[[0-9a-f]+\]( \(inlined\))?$", line) and sample[-1]:
            sample[-1][-1][4] |= line.endswith("(inlined)")
            continue
        if named is None:
            named = not re.match(r"\t? *[0-9a-f]+( |$)", line) or len(line.rstrip().split("(")[0].rstrip()) < 16
        sample[-1].append(split_frame(line, named))
    return [(*sample[:-1], tuple((s, image.rsplit("/", 1)[-1] if image and image != "[unknown]" else None, file, line, kind(image, inlined))
                                 for s, image, file, line, inlined in reversed(sample[-1]))) for sample in out]


def stored(db, source):
    methods = {row[0]: row[1:] for row in db.execute("SELECT id, name, library, file, modifiers FROM stack_method WHERE source_id = ?", (source,))}
    stacks = {None: ()}
    for node, parent, method, line, depth in db.execute("SELECT id, parent_id, method_id, line, depth FROM stack_node WHERE source_id = ? ORDER BY id", (source,)):
        name, library, file, modifiers = methods[method]
        stacks[node] = stacks[parent] + ((name, library, file, line, modifiers),)
        if depth != len(stacks[node]) - 1:
            raise AssertionError("node %d has depth %d" % (node, depth))
    for *cells, node in db.execute(
            "SELECT h.name, p.pid, h.tid, s.ts, s.event, t.name, t.unit, v.value, s.node_id FROM stack_sample s LEFT JOIN thread h ON h.id = s.itid "
            "LEFT JOIN process p ON p.id = h.ipid JOIN stack_sample_value v ON v.sample_id = s.id JOIN stack_value_type t ON t.id = v.value_type_id "
            "WHERE s.source_id = ? ORDER BY s.id", (source,)):
        yield (*cells, stacks[node])


def compare(db, data, source):
    want, have = read(data), list(stored(db, source))
    if len(want) != len(have):
        return "%d samples instead of %d" % (len(have), len(want))
    for i, (a, b) in enumerate(zip(want, have)):
        if cells.add(a) != b:
            return "sample %d is %r instead of %r" % (i, b, a)
    return None
