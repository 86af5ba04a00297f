"""datakit.py GROUP PROGRAM TOOLS SOURCE POINTS: the exports for Datakit, compared with the rows of the database.

GROUP is one of flame, lines, points, profiles. Trees, sums and texts are computed here from rows alone; readers are written from the formats' descriptions.
"""
import json
import os
import random
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

import made
from profiles import Database

GROUP, PROGRAM, TOOLS, SOURCE, POINTS = sys.argv[1:6]
SLOW = bool(os.environ.get("TS_SLOW"))


def check(condition, text):
    if not condition:
        raise SystemExit(f"WRONG: {text}")


def export(database, form, *arguments, codes=(0,)):
    r = made.run(PROGRAM, database, f"--to={form}", "-o", "-", "--quiet", *arguments, codes=codes)
    return r.stdout if r.returncode == 0 else r.stderr.decode()


def clean(text):
    """Bytes that are no UTF-8 become U+FFFD; one for each run is enough to compare."""
    return re.sub("[\ufffd\udc80-\udcff]+", "\ufffd", text)


# --- methods --------------------------------------------------------------------------------------------------------------

STANDARD = re.compile(r"(java|javax|jdk|sun|com\.sun|org\.w3c\.dom|org\.xml\.sax|org\.ietf\.jgss|org\.omg)(\.|$)")
TYPES = dict(B="byte", C="char", D="double", F="float", I="int", J="long", S="short", Z="boolean")
LANGUAGES = {"flare": "java", "cloud": "java", "cloud-stream": "java", "trcbin": "java", "trcxml": "java", "heapprofile": "nodejs", "cpuprofile": "arkts"}


def descriptor(text):
    """(result or "", "(Arg, Arg)") of a signature; None: it is none."""
    m = re.fullmatch(r"\(((?:\[*(?:[BCDFIJSZ]|L[^;]+;))*)\)(V|\[*(?:[BCDFIJSZ]|L[^;]+;))", text)
    if m:
        def name(one):
            base = one.lstrip("[")
            return (TYPES[base] if len(base) == 1 else base[1:-1].rsplit("/", 1)[-1]) + "[]" * (len(one) - len(base))
        result = m[2]
        return (name(result) if result[0] in "L[" else ""), "(" + ", ".join(name(one) for one in re.findall(r"\[*(?:[BCDFIJSZ]|L[^;]+;)", m[1])) + ")"
    m = re.fullmatch(r"([^(]+) (\(.*\))", text, re.S)
    if m:
        return ("" if m[1] in (*TYPES.values(), "void") else m[1]), re.sub(",(?=[^ ])", ", ", m[2])
    return None


class Methods:
    """(package, class, method, library, file) and (modifiers, line) of each method."""

    def __init__(self, database):
        formats = {}
        for ident, parent, form in database.sql.execute("SELECT id, parent_id, format FROM source ORDER BY id"):
            formats[ident] = form or formats.get(parent, "")
        spoken = dict(database.sql.execute("SELECT source_id, language FROM profile WHERE language IS NOT NULL"))
        self.rows = {None: (("", "", "(unknown)", "", ""), ("", 0))}
        rows = database.sql.execute("SELECT id, source_id, name, class, package, signature, file, line, library, modifiers FROM stack_method")
        for ident, source, name, cls, package, signature, file, line, library, modifiers in rows:
            name, cls, package, library = name or "(anonymous)", cls or "", package or "", library or ""
            language = spoken.get(source) or LANGUAGES.get(formats.get(source))
            if language == "golang":
                name = (cls + "." if cls else "") + name
                cls = re.sub(r"\[.*", "", cls[2:-1], flags=re.S) if cls.startswith("(*") and cls.endswith(")") else cls
            elif language == "java":
                cls = re.split(r"/(?=\d)|\+(?=\dx)", cls)[0]
                if not package and "." in cls:
                    package, cls = cls.rsplit(".", 1)
                library = "Standard Library" if STANDARD.match(package) else library
                result, arguments = descriptor(signature or "") or ("", "")
                name = (result + " " if result else "") + (cls + "." if cls else "") + name + arguments
            self.rows[ident] = ((package, cls, name, library, file or ""), (modifiers or "", max(line or 0, 0)))


# --- the flame graph --------------------------------------------------------------------------------------------------------

KEYS = ["value", "method", "line", "source_file", "sub_frame", "thread", "modifier", "library", "package", "class"]


class Node:
    def __init__(self):
        self.value, self.children, self.lines = 0, {}, {}
        self.modifiers = self.library = None


def expected_tree(database, methods, items, dimension):
    """The tree by its description: {key: Node}, built a sample at a time."""
    root = Node()
    names = {i: name or (f"tid-{tid}" if tid is not None else "") for i, tid, name in database.sql.execute("SELECT id, tid, name FROM thread")}
    for node, itid, value in items:
        root.value += value
        at, frames, parent = root, [], node
        while parent is not None:
            above, method, line = database.nodes[parent]
            key, (modifiers, start) = methods.rows[method]
            frames.append((key, modifiers, line if line and line > 0 else start))
            parent = above
        if dimension == "thread" and node is not None:
            at = at.children.setdefault(("thread", (names.get(itid) if itid is not None else None) or "<unknown>"), Node())
            at.value += value
        before = None
        for key, modifiers, line in reversed(frames):
            step = key
            if dimension == "line":
                step = (*key, line)
            elif dimension == "package":
                step = ("package", key[0] or key[3] or "<unknown>")
                if step == before:
                    continue
                before = step
            at = at.children.setdefault(step, Node())
            if at.modifiers is None:
                at.modifiers, at.library = modifiers, key[3]
            at.value += value
            at.lines[line] = at.lines.get(line, 0) + value
    return root


def compare_frames(got, want, divisor, dimension, thread):
    """A frame with all that is below it, in its order."""
    stack = [(got, want, ("root",), thread)]
    while stack:
        frame, node, key, thread = stack.pop()
        check(list(frame) == KEYS, f"keys {list(frame)}")
        check(frame["value"] == node.value // divisor, f"{key}: {frame['value']} instead of {node.value} / {divisor}")
        texts = dict(method="", source_file="", modifier="", library="", package="", **{"class": ""})
        line = 0
        if key == ("root",):
            texts["method"] = "root"
        elif key[0] == "package" and len(key) == 2:
            texts.update(package=key[1])
        elif not (key[0] == "thread" and len(key) == 2):
            texts.update(package=key[0], **{"class": key[1]}, method=key[2], library=key[3], source_file=key[4])
            line = key[5] if dimension == "line" else min(node.lines, key=lambda one: (-node.lines[one], one))
        for name, text in texts.items():
            if name not in ("modifier",) and not (dimension == "package" and name == "library"):
                check(clean(frame[name]) == clean(text), f"{key}: {name} {frame[name]!r}")
        check(frame["line"] == line, f"{key}: line {frame['line']} instead of {line}")
        check(clean(frame["thread"]) == clean(thread), f"{key}: thread {frame['thread']}")

        def order(pair):
            one, child = pair
            texts = [t.encode("utf-8", "surrogateescape") for t in (one[:5] if len(one) > 2 else one[1:2])]
            return -child.value, texts, one[5] if len(one) > 5 else 0

        children = sorted(node.children.items(), key=order)
        check(len(children) == len(frame["sub_frame"]), f"{key}: {len(frame['sub_frame'])} frames instead of {len(children)}")
        for sub, (one, child) in zip(frame["sub_frame"], children):
            stack.append((sub, child, one, one[1] if one[0] == "thread" and len(one) == 2 else thread))


def flame_items(database, weight, **filters):
    """(node, itid, value) of all that is wanted, those without a stack too."""
    nodes = [(node, who[1], value) for node, who, _, _, value, _ in database.items(weight, stackless=True, **filters)]
    return [one for one in nodes if one[2] > 0]


def check_flame(database, path, weight, dimension, arguments, **filters):
    methods = Methods(database)
    unit = database.unit(weight, **filters)
    items = flame_items(database, weight, **filters)
    want = expected_tree(database, methods, items, dimension)
    some = {m for node, _, _ in items for m in path_methods(database, node)}
    available = ["method"]
    available += ["package"] if any(methods.rows[m][0][0] for m, _ in some) else []
    available += ["line"] if any((line or 0) > 0 or methods.rows[m][1][1] > 0 for m, line in some) else []
    available += ["thread"] if any(itid is not None for _, itid, _ in items) else []
    if dimension not in available:
        text = export(path, "datakit-flamegraph", *arguments, f"--dimension={dimension}", codes=(2,))
        check(f"has a {dimension}" in text, text)
        return
    data = export(path, "datakit-flamegraph", *arguments, f"--dimension={dimension}")
    check(data.endswith(b"}\n") and data.count(b"\n") == 1, "one line")
    got = json.loads(data.decode("utf-8"))
    check(list(got) == ["unit", "available_dimension", "dimension", "root_frame"], f"keys {list(got)}")
    check(got["unit"] == {"ns": "毫秒", "bytes": "字节"}.get(unit, "次"), f"unit {got['unit']}")
    check(got["available_dimension"] == available, f"{path} {arguments}: {got['available_dimension']} instead of {available}")
    check(got["dimension"] == dimension, got["dimension"])
    compare_frames(got["root_frame"], want, 10**6 if unit == "ns" else 1, dimension, "")


def path_methods(database, node):
    while node is not None:
        parent, method, line = database.nodes[node]
        yield method, line
        node = parent


def heap_flame(database, path):
    """Of the tree of heap timelines: its sums, as the view of allocation stacks has them."""
    got = json.loads(export(path, "datakit-flamegraph", "--weight=inuse_space"))
    sums, stack = {}, [((), got["root_frame"])]
    while stack:
        above, frame = stack.pop()
        own = frame["value"] - sum(sub["value"] for sub in frame["sub_frame"])
        if own:
            sums[above] = sums.get(above, 0) + own
        stack += [((*above, sub["method"]), sub) for sub in frame["sub_frame"]]
    check(sums == database.by_path("inuse_space"), "heap timeline")
    check(got["unit"] == "字节", got["unit"])


def seed_example():
    """The frames of the format's description: names, units, shape. Their own values are 10000, 3000 and 7000 ms."""
    base = made.empty(PROGRAM, SOURCE)
    sql = sqlite3.connect(base)
    sql.execute("INSERT INTO source(id, kind, format, path, bytes, complete) VALUES (1, 'input', 'flare', 'x', 1, 1)")
    rows = [("processTasks", "TaskProcessor", "(Ljava/util/List;ILjava/util/concurrent/TimeUnit;Lcom/sun/TaskMethod;)Ljava/util/List;", 239, "public"),
            ("park", "Unsafe", "(ZJ)V", 319, None), ("socketRead0", "SocketInputStream", "(Ljava/io/FileDescriptor;[BIII)I", 403, None)]
    for ident, (name, cls, signature, line, modifiers) in enumerate(rows, 1):
        sql.execute("INSERT INTO stack_method VALUES (?, 1, NULL, ?, ?, 'com.sun.management.internal', ?, NULL, NULL, NULL, ?)", (ident, name, cls, signature, modifiers))
        sql.execute("INSERT INTO stack_node VALUES (?, 1, ?, ?, ?, 0, NULL)", (ident, 1 if ident > 1 else None, ident, line))
    for ident, (node, ms) in enumerate(((2, 3000), (3, 7000)), 1):
        sql.execute("INSERT INTO stack_sample VALUES (?, 1, NULL, NULL, ?, ?, 'wall')", (ident, ms * 10**6 + 999999 * (ident - 1), node))
    sql.commit()
    sql.close()

    def frame(value, method, line, subs, modifier, cls):
        return (f'{{"value":{value},"method":"{method}","line":{line},"source_file":"","sub_frame":[{",".join(subs)}],"thread":"","modifier":"{modifier}",'
                f'"library":"Standard Library","package":"com.sun.management.internal","class":"{cls}"}}')

    top = frame(10000, "List TaskProcessor.processTasks(List, int, TimeUnit, TaskMethod)", 239, [
        frame(7000, "SocketInputStream.socketRead0(FileDescriptor, byte[], int, int, int)", 403, [], "", "SocketInputStream"),
        frame(3000, "Unsafe.park(boolean, long)", 319, [], "", "Unsafe")], "public", "TaskProcessor")
    want = ('{"unit":"毫秒","available_dimension":["method","package","line"],"dimension":"method","root_frame":{"value":10000,"method":"root","line":0,'
            f'"source_file":"","sub_frame":[{top}],"thread":"","modifier":"","library":"","package":"","class":""}}}}\n')
    got = export(base, "datakit-flamegraph").decode()
    check(got == want, f"the example of the description:\n{got}\ninstead of\n{want}")


def default_weight():
    """CPU time, CPU samples, time, memory that was allocated: the first that is there."""
    base = made.empty(PROGRAM, SOURCE)
    sql = sqlite3.connect(base)
    sql.execute("INSERT INTO source(id, kind, path, bytes, complete) VALUES (1, 'input', 'x', 1, 1)")
    sql.execute("INSERT INTO stack_method(id, source_id, name) VALUES (1, 1, 'm')")
    sql.execute("INSERT INTO stack_node VALUES (1, 1, NULL, 1, NULL, 0, NULL)")
    sql.execute("INSERT INTO stack_sample VALUES (1, 1, NULL, NULL, NULL, 1, 'alloc')")
    sql.execute("INSERT INTO stack_sample VALUES (2, 1, NULL, NULL, NULL, NULL, 'alloc')")
    for number, (name, unit, value, shown) in enumerate((("zebra", "count", 5, "次"), ("alpha", "count", 6, "次"), ("inuse_space", "bytes", 7, "字节"), ("alloc_space", "bytes", 8, "字节"),
                                                        ("samples", "count", 9, "次"), ("cpu", "ns", 10**7, "毫秒")), 1):
        sql.execute("INSERT INTO stack_value_type VALUES (?, 1, ?, ?)", (number, name, unit))
        sql.execute("INSERT INTO stack_sample_value VALUES (1, ?, ?)", (number, value))
        # Of a sample without a stack: the root has it alone. What is not above zero counts nothing.
        sql.execute("INSERT INTO stack_sample_value VALUES (2, ?, ?)", (number, value * 2))
        sql.execute("INSERT INTO stack_sample_value VALUES (2, ?, -1)", (number,))
        sql.commit()
        got = json.loads(export(base, "datakit-flamegraph"))
        divisor = 10**6 if unit == "ns" else 1
        check((got["unit"], got["root_frame"]["value"], got["root_frame"]["sub_frame"][0]["value"]) == (shown, value * 3 // divisor, value // divisor),
              f"with {name}: {got['unit']} {got['root_frame']['value']}")
    sql.close()


def hostile_names(dimension):
    base = made.empty(PROGRAM, SOURCE)
    sql = sqlite3.connect(base)
    sql.execute("INSERT INTO source(id, kind, path, bytes, complete) VALUES (1, 'input', 'x', 1, 1)")
    for i, name in enumerate(made.HOSTILE, 1):
        sql.execute("INSERT INTO thread(id, itid, tid, name, ipid, switch_count) VALUES (?, ?, ?, ?, 0, 0)", (i, i, i, name))
        sql.execute("INSERT INTO stack_method VALUES (?, 1, NULL, ?, ?, ?, NULL, ?, ?, ?, ?)", (i, name, name, name, name, i, name, name))
        sql.execute("INSERT INTO stack_node VALUES (?, 1, ?, ?, NULL, 0, NULL)", (i, i - 1 or None, i))
        sql.execute("INSERT INTO stack_sample VALUES (?, 1, ?, ?, ?, ?, ?)", (i, i, i * 1000, i * 10**6, i, name))
    sql.execute("UPDATE stack_method SET name = CAST(x'61eda080622f80ff' AS TEXT) WHERE id = 3")
    sql.commit()
    sql.close()
    database = Database(base)
    check_flame(database, base, "wall", dimension, [])
    database.close()


def flame():
    for dimension in ("method", "package", "line", "thread"):
        hostile_names(dimension)
    seed_example()
    default_weight()
    for name, path in made.recordings(PROGRAM, TOOLS, SOURCE, heaps=True).items():
        database = Database(path)
        if database.is_heap():
            heap_flame(database, path)
        else:
            for weight in database.weights():
                for dimension in ("method", "package", "line", "thread"):
                    check_flame(database, path, weight, dimension, [f"--weight={weight}"])
        database.close()
        twice = [export(path, "datakit-flamegraph") for _ in range(2)]
        check(twice[0] == twice[1], f"{name}: two exports differ")
    base = made.empty(PROGRAM, SOURCE)
    for seed in range(100 if SLOW else 8):
        path = made.random_database(base, "random.db", seed)
        database = Database(path)
        rng = random.Random(seed)
        for dimension in ("method", "package", "line", "thread"):
            weight = rng.choice([w for w in ("wall", "samples", "cpu", "odd") if database.by_path(w)])
            check_flame(database, path, weight, dimension, [f"--weight={weight}"])
            if database.by_path(weight, source="3", begin=100000):
                check_flame(database, path, weight, dimension, [f"--weight={weight}", "--source=3", "--from=100000"], source="3", begin=100000)
        database.close()
    check("unknown dimension" in export(path, "datakit-flamegraph", "--dimension=colour", codes=(2,)), "--dimension=colour")
    check("has no dimensions" in export(path, "folded", "--dimension=line", codes=(2,)), "--dimension of folded")
    made.run(PROGRAM, path, "-e", "x.db", "--dimension=line", codes=(2,))


# --- line protocol ----------------------------------------------------------------------------------------------------------


def read_token(text, at, ends):
    """A measurement, key or tag value: up to one of `ends` that no backslash stands before."""
    out = []
    while at < len(text) and text[at] not in ends:
        if text[at] == "\\" and at + 1 < len(text) and text[at + 1] in ",= ":
            at += 1
        elif text[at] == "=":
            raise SystemExit(f"WRONG: a bare = in {text[:200]!r}")
        out.append(text[at])
        at += 1
    return "".join(out), at


def read_value(text, at):
    """A field's value, and where it ends."""
    if text[at] == '"':
        out = []
        at += 1
        while text[at] != '"':
            if text[at] == "\\" and text[at + 1] in '"\\':
                at += 1
            out.append(text[at])
            at += 1
        return "".join(out), at + 1
    m = re.compile(r"(-?\d+)i(?=[, ]|$)|(-?\d+(?:\.\d+)?)(?=[, ]|$)").match(text, at)
    check(m, f"a number: {text[at:at + 60]!r}")
    if m[1]:
        check(-2**63 <= int(m[1]) < 2**63, m[1])
        return int(m[1]), m.end()
    return float(m[2]), m.end()


def read_point(line):
    """(measurement, {tag: value}, {field: value}, timestamp), by the rules of Influx line protocol."""
    text = line.decode("utf-8")
    measurement, at = read_token(text, 0, ", ")
    tags, fields = [], {}
    check(measurement and not measurement.startswith("#"), f"measurement: {text[:100]!r}")
    while text[at] == ",":
        key, at = read_token(text, at + 1, "=")
        value, at = read_token(text, at + 1, ", ")
        check(key and value, f"an empty tag: {text[:200]!r}")
        tags.append((key, value))
    check(text[at] == " ", text[:200])
    check([key for key, _ in tags] == sorted({key for key, _ in tags}, key=lambda key: key.encode()), f"order of tags: {text[:200]!r}")
    while True:
        key, at = read_token(text, at + 1, "=")
        check(key and key not in fields, f"field {key}: {text[:200]!r}")
        fields[key], at = read_value(text, at + 1)
        if at == len(text) or text[at] != ",":
            break
    stamp = None
    if at < len(text):
        check(re.fullmatch(r" -?\d+", text[at:]), f"timestamp: {text[at:]!r}")
        stamp = int(text[at:])
    return measurement, dict(tags), fields, stamp


def one_line(data):
    text = clean(data.decode("utf-8", "surrogateescape")) if isinstance(data, bytes) else clean(data or "")
    return re.sub("[\r\n]", " ", text).replace("\0", "")


def as_tag(data):
    """What can be said in a tag: no backslashes that could be taken for escapes."""
    return re.sub(r"\\+(?=[,= ]|$)", "", one_line(data))


def hostile_bytes(rng):
    alphabet = [b",", b" ", b"=", b"\\", b'"', b"\n", b"\r", b"\0", b"\t", b"\x01", b"\x7f", b".", b"#", b"a", b"b", "ü".encode(), "日".encode(), "🔥".encode(), b"\x80", b"\xff", b"\xed\xa0\x80", b"i", b"1"]
    return b"".join(rng.choice(alphabet) for _ in range(rng.randrange(12)))


def points():
    """10 000 hostile keys, values and texts, and numbers of all sizes, read back by the rules above."""
    rng = random.Random(17)
    rows = []
    for _ in range(10000):
        real = struct.unpack("<d", rng.randbytes(8))[0] if rng.random() < 0.5 else rng.choice((0.0, -0.0, 1.0, 0.1, 388.0, 1e22, 5e-324, 1.7976931348623157e308, float("inf"), float("nan"), -2.5e-7))
        rows.append((hostile_bytes(rng), hostile_bytes(rng), hostile_bytes(rng), rng.choice((0, -1, 2**63 - 1, -2**63 + 1, rng.randrange(-10**6, 10**6))), real))
    data = b"".join(struct.pack("<III", len(k), len(v), len(t)) + k + v + t + struct.pack("<qd", whole, real) for k, v, t, whole, real in rows)
    r = subprocess.run([POINTS], input=data, capture_output=True, check=True)
    lines = r.stdout.split(b"\n")
    check(len(lines) == len(rows) + 1 and lines[-1] == b"", f"{len(lines) - 1} lines")
    for line, (key, value, text, whole, real) in zip(lines, rows):
        measurement, tags, fields, stamp = read_point(line)
        key, value = as_tag(key).replace(".", "_"), as_tag(value)
        check(measurement == "made", measurement)
        check({clean(k): clean(v) for k, v in tags.items()} == ({clean(key): clean(value)} if key and value else {}), f"{tags} instead of {key!r}: {value!r}")
        check(clean(fields.pop("text", "")) == clean(one_line(text)), f"text {text!r}")
        check(isinstance(fields["whole"], int) and fields.pop("whole") == whole, f"whole {whole}")
        check("real" not in fields if real != real or abs(real) == float("inf") else isinstance(fields["real"], float) and fields["real"] == real, f"real {real}")
        check(stamp == (whole if whole % 2 == 0 else None), f"timestamp {stamp}")


TAGS = {"endpoint", "env", "host", "language", "runtime", "runtime_arch", "runtime_os", "service", "version"}
INTEGERS = re.compile(r"prof_(jvm_(gc_pause_time|max_gc_pause_time)|go_(blocked_time|lifetime_heap_\w+|mutex_delay_time|num_goroutine)|"
                      r"python_(alloc_bytes_total|exceptions_total|lifetime_heap_bytes|lock_acquisition_time|lock_hold_time|wall_time))")


def read_points(data):
    found = {"profile": [], "profiling_metrics": []}
    for line in data.split(b"\n")[:-1]:
        measurement, tags, fields, stamp = read_point(line)
        check(set(tags) <= TAGS, tags)
        if measurement == "profile":
            texts = {"profile_id", "agent_ver", "pid", "format"}
            check(list(fields) == [f for f in ("profile_id", "agent_ver", "start", "end", "duration", "pid", "format") if f in fields], list(fields))
            check(all(isinstance(value, str if name in texts else int) for name, value in fields.items()), fields)
            check(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", fields["profile_id"]), fields)
        else:
            check(set(tags) <= {"env", "host", "language", "service", "version"} and list(fields) == sorted(fields), (tags, list(fields)))
            check(all(isinstance(value, int if INTEGERS.fullmatch(name) else float) for name, value in fields.items()), fields)
        found[measurement].append((tags, fields, stamp))
    return found["profile"], found["profiling_metrics"]


def bundled_points():
    """Values from the recordings' own descriptions: clocks of their headers, what they are recordings of."""
    databases = made.recordings(PROGRAM, TOOLS, SOURCE)
    for name, path in databases.items():
        if name == "timeline":
            check("no sampled stacks" in export(path, "line-protocol", codes=(2,)), "a timeline has no samples")
            continue
        data = export(path, "line-protocol")
        profiles, metrics = read_points(data)
        sql = sqlite3.connect(path)
        sources = [row[0] for row in sql.execute("SELECT DISTINCT source_id FROM (SELECT source_id FROM stack_sample UNION SELECT source_id FROM stack_slice) ORDER BY 1")]
        check(len(profiles) == len(sources), f"{name}: {len(profiles)} points")
        for source, (tags, fields, stamp) in zip(sources, profiles):
            clock, start, end = sql.execute("SELECT clock, start_ts, end_ts FROM source WHERE id = ?", (source,)).fetchone()
            shift = 0
            if clock == "boottime":
                facts = dict(sql.execute("SELECT key, value FROM source_property"))
                shift = int(facts["start_realtime_ns"]) - int(facts["start_boottime_ns"])
            if sql.execute("SELECT count(*) FROM profile WHERE source_id = ?", (source,)).fetchone()[0]:
                continue  # go_profiles has them
            check(tags["service"] == "unnamed-service", tags)
            check(tags["language"] == {"cpu": "arkts", "heapprofile": "nodejs"}.get(name, "java"), tags)
            if clock is None:
                check(stamp is None and not {"start", "end", "duration"} & set(fields), f"{name}: times {fields}")
                continue
            check((fields["start"], fields["end"], stamp) == ((start + shift) // 1000, (end + shift) // 1000, end + shift), f"{name}: {fields} {stamp}")
            check(fields["duration"] == fields["end"] - fields["start"], f"{name}: {fields}")
        check(data == export(path, "line-protocol"), f"{name}: two exports differ")
        if sql.execute("SELECT count(*) FROM profile").fetchone()[0]:
            continue
        expected = {}
        if name == "flare":
            cpu, = sql.execute("SELECT sum(value) FROM stack_sample_value").fetchone()
            expected = {"prof_jvm_cpu_cores": cpu / (end - start)}
        gc = sql.execute("SELECT count(*), sum(dur), max(dur) FROM runtime_pause WHERE kind = 'gc' AND dur IS NOT NULL").fetchone()
        if gc[0]:
            expected.update(prof_jvm_avg_gc_pause_time=gc[1] / gc[0], prof_jvm_gc_pause_time=gc[1], prof_jvm_max_gc_pause_time=gc[2],
                            prof_jvm_gc_pauses_per_sec=gc[0] / ((end - start) / 1e9))
        got = metrics[0][1] if metrics else {}
        check({k: v for k, v in got.items() if "lock" not in k} == expected, f"{name}: {got} instead of {expected}")
        sql.close()
    recording = os.path.join(SOURCE, "test/data/recording-cpuprofile.htrace.gz")
    check(export(recording, "line-protocol") == export(databases["cpu"], "line-protocol"), "of the recording and of its database")
    check(b'pid="16439"' in export(recording, "line-protocol"), "pid")
    for option in ("--thread=1", "--event=cpu", "--weight=wall", "--from=1"):
        check("cannot be given" in export(databases["cpu"], "line-protocol", option, codes=(2,)), option)
    check("has no stacks" not in export(databases["cpu"], "line-protocol", "--source=1").decode(), "--source=1")


def lines():
    """Sources with hostile texts, of languages whose metrics have fixed types, of clocks that are and are not the world's."""
    bundled_points()
    base = made.empty(PROGRAM, SOURCE)
    sql = sqlite3.connect(base)
    rng = random.Random(9)
    hosts = [hostile_bytes(rng) for _ in range(300)]
    for ident, host in enumerate(hosts, 1):
        clock = rng.choice(("realtime", "relative"))
        start = rng.choice((None, -1500, 0, 1999, 10**18))
        sql.execute("INSERT INTO source(id, kind, format, host, clock, start_ts, end_ts, bytes, complete) VALUES (?, 'session', 'flare', CAST(? AS TEXT), ?, ?, ?, 1, 1)",
                    (ident, host, clock, start, None if start is None else start + 2001))
        sql.execute("INSERT INTO stack_sample VALUES (?, ?, NULL, NULL, NULL, NULL, NULL)", (ident, ident))
        sql.execute("INSERT INTO stack_value_type VALUES (?, ?, 'cpu', 'ns')", (ident, ident))
        sql.execute("INSERT INTO stack_sample_value VALUES (?, ?, 2001)", (ident, ident))
    sql.commit()
    profiles, metrics = read_points(export(base, "line-protocol"))
    timed = [row[0] for row in sql.execute("SELECT id FROM source WHERE start_ts IS NOT NULL ORDER BY id")]
    check(len(profiles) == len(hosts) and len(metrics) == len(timed), f"{len(profiles)} and {len(metrics)} points")
    for (tags, fields, stamp), (host, clock, start, end) in zip(profiles, sql.execute("SELECT CAST(host AS BLOB), clock, start_ts, end_ts FROM source ORDER BY id")):
        # SQLite's texts end at a zero byte for sqlite3_column_text only; ours do not.
        check(clean(tags.get("host", "")) == clean(as_tag(host)), f"{tags} instead of {host!r}")
        known = clock == "realtime" and start is not None
        check(stamp == (end if known else None) and fields.get("start") == (start // 1000 if known else None), f"{fields} of {start} {clock}")
        check(fields.get("duration") == (None if start is None else end // 1000 - start // 1000 if known else 2), f"{fields} of {start} {clock}")
    check(all(fields == {"prof_jvm_cpu_cores": 1.0} for _, fields, _ in metrics), metrics[:3])
    sql.close()


# --- profiles ---------------------------------------------------------------------------------------------------------------

PROFILE = ["profile_id", "agent_ver", "endpoint", "service", "env", "version", "start", "end", "duration", "host", "pid", "language", "language_ver", "runtime", "runtime_os",
           "runtime_arch", "format", "tags", "oss_path", "metrics", "samples"]
EVENTS = {"cpu": "cpu-samples", "wall": "wall-samples", "alloc": "alloc-samples", "heap": "heap-live-objects", "lock": "lock-acquire", "exception": "exception-samples",
          "goroutine": "goroutines", None: "samples", "": "samples"}


CAUSES = {"cpu-samples": "cpu", "cpu-time": "cpu", "alloc-samples": "alloc", "alloc-space": "alloc", "heap-live-objects": "heap", "heap-space": "heap",
          "mutex-contentions": "lock", "mutex": "lock", "block-contentions": "lock", "block": "lock"}


def stack_of(database, methods, node):
    frames = []
    while node is not None:
        parent, method, line = database.nodes[node]
        label, (key, (_, start)) = database.label(method), methods.rows[method]
        arguments = key[2][key[2].index("("):] if "(" in key[2] else ""
        label += arguments if not label.endswith(arguments) else ""
        frames.append((clean(label), clean((database.methods[method][3] if method else None) or ""), line if line and line > 0 else start))
        node = parent
    return tuple(frames)


def expected_samples(database, **filters):
    """{(source, event type): [(values, labels, stack)]}: all samples and calls that are wanted, in the order of their rows."""
    methods, sql = Methods(database), database.sql
    types = {row[0]: row[1:] for row in sql.execute("SELECT id, name, unit FROM stack_value_type")}
    own = {}
    for ident, source, raw, kind in sql.execute("SELECT value_type_id, t.source_id, type, event_type FROM profile_value_type p JOIN stack_value_type t ON t.id = value_type_id ORDER BY p.rowid"):
        types[ident] = (raw or types[ident][0], types[ident][1])
        own.setdefault((source, CAUSES.get(kind, kind)), kind)
    values, labels, result = {}, {}, {}
    for sample, kind, value in sql.execute("SELECT sample_id, value_type_id, value FROM stack_sample_value ORDER BY rowid"):
        values.setdefault(sample, []).append((types[kind][0], value, types[kind][1] or ""))
    for sample, key, value in sql.execute("SELECT sample_id, key, value FROM stack_sample_label ORDER BY rowid"):
        known = labels.setdefault(sample, {})
        known[clean(key)] = known.get(clean(key)) or clean(value or "")
    threads = {i: (name, tid) for i, tid, name in sql.execute("SELECT id, tid, name FROM thread")}
    sources, chosen = database.inside(filters.get("source")), database.threads(filters.get("thread"))
    event, begin, end = filters.get("event"), filters.get("begin"), filters.get("end")
    sliced = {row[0] for row in sql.execute("SELECT DISTINCT source_id FROM stack_slice")}

    def wanted(source, itid, ts):
        return ((sources is None or source in sources) and (chosen is None or itid in chosen)
                and ((begin is None and end is None) or ts is not None and (begin is None or ts >= begin) and (end is None or ts < end)))

    def put(source, kind, itid, numbers, named, node):
        named = dict(named)
        name, tid = threads.get(itid, (None, None))
        if itid is not None and name:
            named["thread name"] = named.get("thread name") or clean(name)
        if itid is not None and tid is not None:
            named["thread id"] = named.get("thread id") or str(tid)
        result.setdefault((source, clean(kind)), []).append((numbers, named, stack_of(database, methods, node)))

    for ident, source, itid, ts, dur, node, why in sql.execute("SELECT id, source_id, itid, ts, dur, node_id, event FROM stack_sample ORDER BY id"):
        if wanted(source, itid, ts) and (why == event if event is not None else ts is not None or source not in sliced):
            numbers = values.get(ident, []) or [("samples", 1, "count")]
            if dur is not None:
                numbers = numbers + [("cpu" if ident not in values and why == "cpu" else "wall", dur, "ns")]
            put(source, own.get((source, why)) or EVENTS.get(why, why), itid, numbers, labels.get(ident, {}), node)
    for ident, source, itid, ts, own, node in sql.execute("SELECT id, source_id, itid, ts, self_dur, node_id FROM stack_slice ORDER BY id"):
        if wanted(source, itid, ts) and event in (None, "call"):
            put(source, "calls", itid, [("samples", 1, "count")] + ([("wall", own, "ns")] if own is not None else []), {}, node)
    return result


def check_json(database, path, arguments, **filters):
    want = expected_samples(database, **filters)
    if not want:
        check("no sample is asked for" in export(path, "profile-json", *arguments, codes=(2,)), f"{path} {arguments}")
        return
    got = [json.loads(line) for line in export(path, "profile-json", *arguments).decode("utf-8").split("\n")[:-1]]
    sources = sorted({source for source, _ in want})
    check(len(got) == len(sources), f"{path} {arguments}: {len(got)} profiles instead of {len(sources)}")
    for source, profile in zip(sources, got):
        check(list(profile) == PROFILE, f"keys {list(profile)}")
        check(set(profile["samples"]) == {event for s, event in want if s == source}, f"{path}: events {list(profile['samples'])}")
        for event, samples in profile["samples"].items():
            rows = want[source, event]
            check(len(samples) == len(rows), f"{path} {event}: {len(samples)} samples instead of {len(rows)}")
            for sample, (values, labels, stack) in zip(samples, rows):
                check(list(sample) == ["values", "span_id", "root_span_id", "trace_endpoint", "labels", "stack_trace"], list(sample))
                check([(v["type"], v["value"], v["unit"]) for v in sample["values"]] == values, f"{path} {event}: {sample['values']} instead of {values}")
                check({clean(k): clean(v) for k, v in sample["labels"].items()} == labels, f"{path} {event}: {sample['labels']} instead of {labels}")
                check((sample["span_id"], sample["root_span_id"], sample["trace_endpoint"]) ==
                      tuple(labels.get(key, "") for key in ("span id", "local root span id", "trace endpoint")), f"spans {labels}")
                check(tuple((clean(f["name"]), clean(f["file"]), f["line"]) for f in sample["stack_trace"]) == stack, f"{path} {event}: {sample['stack_trace']} instead of {stack}")


def sums_equal(database, path):
    """Totals of each kind of value are those of the tables."""
    totals = {}
    for line in export(path, "profile-json").decode("utf-8").split("\n")[:-1]:
        for samples in json.loads(line)["samples"].values():
            for value in (v for sample in samples for v in sample["values"]):
                totals[value["type"]] = totals.get(value["type"], 0) + value["value"]
    raw = "coalesce((SELECT type FROM profile_value_type WHERE value_type_id = t.id AND type <> ''), name)"
    for name, total in database.sql.execute(f"SELECT {raw}, sum(value) FROM stack_sample_value JOIN stack_value_type t ON t.id = value_type_id GROUP BY 1"):
        check(totals.get(name) == total, f"{path}: {name} is {totals.get(name)} instead of {total}")
    spans, = database.sql.execute("SELECT coalesce((SELECT sum(dur) FROM stack_sample), 0) + coalesce((SELECT sum(self_dur) FROM stack_slice), 0)").fetchone()
    recorded = {row[0] for row in database.sql.execute(f"SELECT {raw} FROM stack_value_type t")}
    check(sum(totals.get(name, 0) for name in {"wall", "cpu"} - recorded) == spans, f"{path}: {totals} instead of {spans}")


def go_profiles():
    """What the profiles say of themselves: rows of profile, raw names of values, metrics of Go."""
    for name, events, metrics in (("go-cpu", {"cpu-samples"}, {"prof_go_cpu_cores": float}), ("go-mutex", {"mutex-contentions", "block-contentions"}, {"prof_go_mutex_delay_time": int, "prof_go_blocked_time": int}),
                                  ("go-heap", {"alloc-samples"}, {"prof_go_lifetime_heap_bytes": int, "prof_go_lifetime_heap_objects": int})):
        sql = sqlite3.connect(f"{name}.db")
        ident, start, end = sql.execute("SELECT profile_id, start_ts, end_ts FROM profile").fetchone()
        ((tags, fields, stamp),), ((_, numbers, _),) = read_points(export(f"{name}.db", "line-protocol"))
        check(tags["language"] == "golang" and tags["runtime"] == "go" and fields["format"] == "pprof", f"{name}: {tags} {fields}")
        check((fields["profile_id"], fields["start"], stamp) == (ident, start // 1000, end), f"{name}: {fields}")
        check(numbers and all(isinstance(value, metrics[key]) for key, value in numbers.items()), f"{name}: {numbers}")
        sums = dict(sql.execute("SELECT name, sum(value) FROM stack_sample_value JOIN stack_value_type ON id = value_type_id GROUP BY name"))
        for key, value in numbers.items():
            want = {"prof_go_cpu_cores": sums.get("cpu", 0) / max(end - start, 1), "prof_go_mutex_delay_time": sums.get("delay"), "prof_go_blocked_time": sums.get("delay"),
                    "prof_go_lifetime_heap_bytes": sums.get("inuse_space"), "prof_go_lifetime_heap_objects": sums.get("inuse_objects")}[key]
            check(value == want, f"{name}: {key} {value} instead of {want}")
        profile = json.loads(export(f"{name}.db", "profile-json"))
        check(profile["profile_id"] == ident and set(profile["samples"]) <= events, f"{name}: {list(profile['samples'])}")
        graph = json.loads(export(f"{name}.db", "datakit-flamegraph"))
        check(graph["unit"] == ("字节" if name == "go-heap" else "毫秒"), f"{name}: {graph['unit']}")
        check(graph["root_frame"]["value"] == {"go-cpu": sums.get("cpu", 0) // 10**6, "go-heap": sums.get("alloc_space"), "go-mutex": sums.get("delay", 0) // 10**6}[name], f"{name}: root")
        sql.close()


def profiles():
    databases = made.recordings(PROGRAM, TOOLS, SOURCE)
    for name in ("go-cpu", "go-heap", "go-mutex"):
        made.run(PROGRAM, os.path.join(SOURCE, f"test/data/{name}.pprof"), "-e", f"{name}.db", "--quiet", "--force")
        databases[name] = f"{name}.db"
    go_profiles()
    for name, path in databases.items():
        database = Database(path)
        if name != "timeline":
            check_json(database, path, [])
            sums_equal(database, path)
            point = read_points(export(path, "line-protocol"))[0]
            ids = [json.loads(line)["profile_id"] for line in export(path, "profile-json").decode().split("\n")[:-1]]
            check(ids == [fields["profile_id"] for _, fields, _ in point], f"{name}: ids differ")
        database.close()
    check("cannot be given" in export("cpu.db", "profile-json", "--weight=wall", codes=(2,)), "--weight")
    base = made.empty(PROGRAM, SOURCE)
    for seed in range(100 if SLOW else 12):
        path = made.random_database(base, "random.db", seed)
        rng = random.Random(seed)
        sql = sqlite3.connect(path)
        ids = [row[0] for row in sql.execute("SELECT id FROM stack_sample")]
        keys = [*made.HOSTILE, "span id", "local root span id", "trace endpoint", "thread id"]
        for _ in range(rng.randrange(60)):  # in any order, some of them twice
            sql.execute("INSERT INTO stack_sample_label VALUES (?, ?, ?)", (rng.choice(ids), rng.choice(keys), rng.choice((None, "", *made.HOSTILE, "17"))))
        if seed % 3 == 0:
            sql.execute("CREATE TABLE mixed AS SELECT * FROM stack_sample_value ORDER BY (value * 7919) % 1009")
            sql.execute("DELETE FROM stack_sample_value")
            sql.execute("INSERT INTO stack_sample_value SELECT * FROM mixed")
            sql.execute("DROP TABLE mixed")
        sql.commit()
        sql.close()
        database = Database(path)
        check_json(database, path, [])
        check_json(database, path, ["--source=3", "--thread=worker 1"], source="3", thread="worker 1")
        check_json(database, path, ["--event=wall", "--from=200000", "--until=700000"], event="wall", begin=200000, end=700000)
        check_json(database, path, ["--event=call"], event="call")
        database.close()


def listed(*names):
    lines = made.run(PROGRAM, "--to=list").stdout.decode().splitlines()
    golden = {"datakit-flamegraph": "flame graph of Datakit, JSON", "line-protocol": "points of Datakit's profiles, Influx line protocol",
              "profile-json": "profiles as Datakit has them: samples, values, labels, stacks; JSON, one a line"}
    for name in names:
        check([line.split(None, 1)[1] for line in lines if line.split()[0] == name] == [golden[name]], f"--to=list has no {name}: {lines}")


def main():
    groups = {"flame": flame, "lines": lines, "points": points, "profiles": profiles}
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        groups[GROUP]()
        listed("datakit-flamegraph", "line-protocol", "profile-json")
        os.chdir("/")


main()
