#!/usr/bin/env python3
"""Compares every sample of a profile, its stack, values, labels and thread, with what an independent reader finds in the file.

usage: profiles.py DATABASE FILE [GO]

GO: a `go` program; `go tool pprof -raw` reads the file as well.
"""

import gzip
import json
import re
import sqlite3
import subprocess
import sys

import perf_text
from cells import cells

UNITS = {"nanoseconds": ("ns", 1), "microseconds": ("ns", 1000), "milliseconds": ("ns", 10**6), "seconds": ("ns", 10**9), "bytes": ("bytes", 1),
         "kilobytes": ("bytes", 1024)}


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


# --- protobuf ---------------------------------------------------------------------------------------


class Damaged(Exception):
    pass


def varint(data, at):
    v = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Damaged("varint")
        byte = data[at]
        at += 1
        v |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            if v >= 1 << 64:
                raise Damaged("varint")
            return v, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if number == 0 or number >= 1 << 29:
            raise Damaged("field")
        if kind == 0:
            v, at = varint(data, at)
        elif kind in (1, 5):
            n = 8 if kind == 1 else 4
            if at + n > len(data):
                raise Damaged("fixed")
            v, at = int.from_bytes(data[at:at + n], "little"), at + n
        elif kind == 2:
            n, at = varint(data, at)
            if at + n > len(data):
                raise Damaged("length")
            v, at = data[at:at + n], at + n
        else:
            raise Damaged("wire type")
        yield number, kind, v


def signed(v):
    return v - (1 << 64) if v >= 1 << 63 else v


def numbers(data, known):
    out = {}
    for number, kind, v in fields(data):
        if number <= known:
            if kind != 0:
                raise Damaged("type")
            out[number] = v
    return out


def listed(kind, v):
    if kind == 0:
        return [v]
    if kind != 2:
        raise Damaged("type")
    out, at = [], 0
    while at < len(v):
        x, at = varint(v, at)
        out.append(x)
    return out


class Pprof:
    def __init__(self, data):
        self.types, self.samples, self.strings, self.number = [], [], [], {}
        self.mappings, self.locations, self.functions = {}, {}, {}
        self.period_type = None
        for number, kind, v in fields(data):
            if number <= 6 or number == 11:
                if kind != 2:
                    raise Damaged("type")
            if number == 1:
                m = numbers(v, 2)
                self.types.append((m.get(1, 0), m.get(2, 0)))
            elif number == 2:
                self.samples.append(self.sample(v))
            elif number == 3:
                m = numbers(v, 10)
                self.define(self.mappings, m.get(1, 0), m.get(5, 0))
            elif number == 4:
                self.location(v)
            elif number == 5:
                m = numbers(v, 5)
                self.define(self.functions, m.get(1, 0), (m.get(2, 0) or m.get(3, 0), m.get(4, 0), signed(m.get(5, 0))))
            elif number == 6:
                self.strings.append(v.decode("utf-8", "replace"))
            elif number == 11:
                m = numbers(v, 2)
                self.period_type = (m.get(1, 0), m.get(2, 0))
            elif number != 13 and number <= 15:
                if kind != 0:
                    raise Damaged("type")
                self.number[number] = signed(v)
        if self.strings and self.strings[0] != "":
            raise Damaged("first string")

    def define(self, where, key, what):
        if key == 0 or key in where:
            raise Damaged("id")
        where[key] = what

    def location(self, data):
        got, lines = {}, []
        for number, kind, v in fields(data):
            if number == 4:
                if kind != 2:
                    raise Damaged("type")
                m = numbers(v, 3)
                lines.append((m.get(1, 0), signed(m.get(2, 0))))
            elif number <= 5:
                if kind != 0:
                    raise Damaged("type")
                got[number] = v
        self.define(self.locations, got.get(1, 0), (got.get(2, 0), got.get(3, 0), lines))

    @staticmethod
    def sample(data):
        locations, values, labels = [], [], []
        for number, kind, v in fields(data):
            if number == 1:
                locations += listed(kind, v)
            elif number == 2:
                values += [signed(x) for x in listed(kind, v)]
            elif number == 3:
                if kind != 2:
                    raise Damaged("type")
                m = numbers(v, 4)
                labels.append((m.get(1, 0), m.get(2, 0), signed(m.get(3, 0)), m.get(4, 0)))
        return locations, values, labels

    def text(self, i):
        i = signed(i)
        if not 0 <= i < len(self.strings):
            raise Damaged("string")
        return self.strings[i]

    def frames(self, location):
        """Root first."""
        if location not in self.locations:
            raise Damaged("location")
        _, address, lines = self.locations[location]
        if not lines:
            return [("0x%x" % address, None, None, None)]
        out = []
        for function, line in reversed(lines):
            if function not in self.functions:
                raise Damaged("function")
            name, file, start = self.functions[function]
            out.append((self.text(name), self.text(file) or None, start if start > 0 else None, line if line > 0 else None))
        return out

    def rows(self):
        """Of each sample: stack from the root on, values by name and unit, labels."""
        types = [(self.text(t), self.text(u)) for t, u in self.types]
        known = {location: self.frames(location) for location in self.locations}
        for locations, values, labels in self.samples:
            if len(values) != len(types):
                raise Damaged("values")
            stack = []
            for location in reversed(locations):
                if location not in known:
                    raise Damaged("location")
                stack += known[location]
            got = []
            for (name, unit), v in zip(types, values):
                base, scale = UNITS.get(unit, (unit or "count", 1))
                got.append(("cpu-samples" if name == "samples" else name, base, v * scale))
            texts = []
            for key, text, number, _ in labels:
                key = self.text(key)
                unsigned = key in ("span id", "local root span id")
                texts.append((key, self.text(text) if text else str(number & (1 << 64) - 1 if unsigned else number)))
            yield tuple(stack), tuple(got), tuple(texts)


# --- the database -----------------------------------------------------------------------------------


def full_name(package, cls, name, python):
    if name is None:
        return None
    return ".".join(([] if python or not package else [package]) + ([cls] if cls else []) + [name])


def stored(db, source):
    """The same of the rows. A file of an upload is below the source that has the row of the profile."""
    (language,) = db.execute("WITH RECURSIVE up(id) AS (SELECT ? UNION ALL SELECT parent_id FROM source JOIN up USING (id)) "
                             "SELECT language FROM profile JOIN up ON source_id = up.id", (source,)).fetchone()
    methods = {i: (full_name(package, cls, name, language == "python"), file, line) for i, package, cls, name, file, line in
               db.execute("SELECT id, package, class, name, file, line FROM stack_method WHERE source_id = ?", (source,))}
    stacks = {None: ()}
    for node, parent, method, line, depth in db.execute("SELECT id, parent_id, method_id, line, depth FROM stack_node WHERE source_id = ? ORDER BY id", (source,)):
        stacks[node] = stacks[parent] + (methods.get(method, (None, None, None)) + (line,),)
        if depth != len(stacks[node]) - 1:
            raise AssertionError("node %d has depth %d" % (node, depth))
    values, labels = {}, {}
    for sample, name, unit, value in db.execute("SELECT v.sample_id, t.name, t.unit, v.value FROM stack_sample_value v JOIN stack_value_type t ON t.id = v.value_type_id "
                                                "WHERE t.source_id = ? ORDER BY v.rowid", (source,)):
        values.setdefault(sample, []).append((name, unit, value))
    for sample, key, value in db.execute("SELECT sample_id, key, value FROM stack_sample_label ORDER BY rowid"):
        labels.setdefault(sample, []).append((key, value))
    for sample, node in db.execute("SELECT id, node_id FROM stack_sample WHERE source_id = ? ORDER BY id", (source,)):
        yield stacks[node], tuple(values.get(sample, ())), tuple(labels.get(sample, ()))


def expected_stack(stack):
    return tuple((re.sub("%2e", ".", name) if name else name, file, start, line) for name, file, start, line in stack)


def profile_source(db, name):
    """The source of a profile; name: of the file in an upload."""
    return db.execute("SELECT s.id FROM source s JOIN source f ON f.id = s.parent_id WHERE s.kind = 'profile' AND ? IN ('', f.path)", (name,)).fetchone()[0]


def compare_pprof(db, path, name=""):
    want = cells.add(list(Pprof(read(path)).rows()))
    source = profile_source(db, name)
    have = list(stored(db, source))
    if len(want) != len(have):
        return "%d samples instead of %d" % (len(have), len(want))
    for i, (a, b) in enumerate(zip(want, have)):
        if (expected_stack(a[0]), a[1], a[2]) != b:
            return "sample %d is %r instead of %r" % (i, b, a)
    return None


# --- go tool pprof ----------------------------------------------------------------------------------


def go_raw(go, path):
    """Samples as `go tool pprof -raw` prints them: values, names and lines from the leaf on, labels."""
    text = subprocess.run([go, "tool", "pprof", "-raw", path], capture_output=True, text=True, check=True).stdout
    samples, locations, part = [], {}, ""
    for line in text.split("\n"):
        if line in ("Samples:", "Locations", "Mappings"):
            part = line
            continue
        if part == "Samples:":
            match = re.match(r"\s*([-\d ]+): ([\d ]*)$", line)
            if match:
                samples.append(([int(v) for v in match.group(1).split()], [int(v) for v in match.group(2).split()], []))
            else:
                samples and samples[-1][2].extend(re.findall(r"([^\s:]+):\[([^\]]*)\]", line))
        elif part == "Locations":
            match = re.match(r"\s*(\d+): 0x([0-9a-f]+) (?:M=\d+ )?(.*)$", line)
            if match:
                current = locations.setdefault(int(match.group(1)), [])
                line = match.group(3)
            match = re.match(r"\s*(\S.*|) (\S*?):(\d+)(?::\d+)? s=(-?\d+)", line)
            if match:
                current.append((match.group(1), match.group(2) or None, int(match.group(3)) or None))
    return [(values, [f for i in ids for f in locations[i]], labels) for values, ids, labels in samples]


def summed(rows):
    """go adds samples up that differ in nothing but their values, and leaves out those that are 0 everywhere or have no stack."""
    out = {}
    for values, frames, labels in rows:
        if not frames:
            continue
        key = (tuple(frames), tuple(sorted(labels)))
        out[key] = [a + b for a, b in zip(out[key], values)] if key in out else list(values)
    return {key: values for key, values in out.items() if any(values)}


def compare_go(db, path, go):
    (source,) = db.execute("SELECT id FROM source WHERE kind = 'profile'").fetchone()
    have = summed(([v for _, _, v in got], [(name, file, line) for name, file, _, line in reversed(stack)], texts) for stack, got, texts in stored(db, source))
    want = summed((values, [(re.sub("%2e", ".", n), f, l) for n, f, l in frames], labels) for values, frames, labels in go_raw(go, path))
    if have == want:
        return None
    return "%d samples for go, %d here; such as %r" % (len(want), len(have), [key for key in {**want, **have} if want.get(key) != have.get(key)][0])


def compare(database, path, go=None):
    db = sqlite3.connect(database)
    (form,) = db.execute("SELECT format FROM profile ORDER BY id LIMIT 1").fetchone()
    wrong = COMPARE[form](db, path)
    if wrong is None and go and form == "pprof" and b"span id" not in read(path):  # go writes names of labels without quotes
        wrong = compare_go(db, path, go)
    return wrong


# --- folded stacks ----------------------------------------------------------------------------------


def compare_folded(db, path, name=""):
    """Of lines without tokens, files and annotations."""
    want = []
    for line in read(path).decode().split("\n"):
        if line and not line.startswith("#"):
            stack, weight = line.rstrip("\r").rsplit(" ", 1)
            want.append((tuple(stack.split(";")), int(weight)))
    source = profile_source(db, name)
    cells.add(want)
    have = [(tuple(name for name, _, _, _ in stack), values[0][2]) for stack, values, _ in stored(db, source)]
    return None if want == have else "%d lines, %d samples; they differ" % (len(want), len(have))


# --- speedscope -------------------------------------------------------------------------------------


def speedscope_samples(profile, scale):
    """(frames, ts, dur) of each sample; only with whole numbers."""
    out, at = [], profile["startValue"]
    if len(profile["samples"]) != len(profile["weights"]):
        raise Damaged("weights")
    for stack, weight in zip(profile["samples"], profile["weights"]):
        out.append((tuple(stack), at * scale, weight * scale))
        at += weight
    return out


def speedscope_calls(profile, scale):
    """(frames, ts, dur, time without callees) of each call, in the order of beginnings."""
    out, open_calls, last = [], [], None
    for e in profile["events"]:
        at = e["at"] * scale
        if last is not None and at < last:
            raise Damaged("order")
        last = at
        if e["type"] == "O":
            path = (open_calls[-1][0] if open_calls else ()) + (e["frame"],)
            open_calls.append((path, len(out), at, [0]))
            out.append(None)
        else:
            if e["type"] != "C" or not open_calls or open_calls[-1][0][-1] != e["frame"]:
                raise Damaged("nesting")
            path, place, begin, callees = open_calls.pop()
            out[place] = (path, begin, at - begin, at - begin - callees[0])
            if open_calls:
                open_calls[-1][3][0] += at - begin
    if open_calls:
        raise Damaged("open")
    return out


def read_speedscope(data):
    """Of each profile its name and its samples or calls."""
    document = json.loads(data)
    frames = document["shared"]["frames"]
    out = []
    for p in document["profiles"]:
        scale = {"nanoseconds": 1, "microseconds": 1000, "milliseconds": 10**6, "seconds": 10**9}[p["unit"]]
        rows = speedscope_samples(p, scale) if p["type"] == "sampled" else speedscope_calls(p, scale)
        if any(not 0 <= f < len(frames) for row in rows for f in row[0]):
            raise Damaged("frame")
        out.append((p["name"], rows))
    return [f["name"] for f in frames], out


def compare_speedscope(db, path):
    names, want = cells.add(read_speedscope(read(path)))
    sources = db.execute("SELECT id, name FROM source WHERE kind = 'profile' ORDER BY id").fetchall()
    if [name for _, name in sources] != [name for name, _ in want]:
        return "the profiles are %r" % sources
    for (source, _), (_, rows) in zip(sources, want):
        methods = dict(db.execute("SELECT id, raw_id FROM stack_method WHERE source_id = ?", (source,)))
        texts = dict(db.execute("SELECT raw_id, coalesce(package || '.', '') || coalesce(class || '.', '') || name FROM stack_method WHERE source_id = ?", (source,)))
        nodes = {None: ()}
        for node, parent, method in db.execute("SELECT id, parent_id, method_id FROM stack_node WHERE source_id = ? ORDER BY id", (source,)):
            nodes[node] = nodes[parent] + (methods[method],)
        have = [(nodes[node], *rest) for node, *rest in db.execute("SELECT node_id, ts, dur FROM stack_sample WHERE source_id = ? ORDER BY id", (source,))]
        have += [(nodes[node], *rest) for node, *rest in db.execute("SELECT node_id, ts, dur, self_dur FROM stack_slice WHERE source_id = ? ORDER BY id", (source,))]
        if have != rows:
            return "profile %d has %d rows instead of %d, or others" % (source, len(have), len(rows))
        if any(texts[i] != names[i] for i in texts):
            return "names of profile %d differ" % source
    return None


def compare_perf(db, path):
    return perf_text.compare(db, read(path), profile_source(db, ""))


COMPARE = {"pprof": compare_pprof, "collapse": compare_folded, "speedscope": compare_speedscope, "perf": compare_perf}


def main():
    cells.end(compare(*sys.argv[1:]), sys.argv[2])


if __name__ == "__main__":
    main()
