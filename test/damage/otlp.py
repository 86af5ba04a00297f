"""OTLP profiles whose cost should grow with their size and no faster, in time and in memory; see measure.py. And one that is damaged."""

import json
import os
import struct
import sys

import measure

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import otlp_rows
import otlp_write
import profiles
from otlp_write import field, scalar, varint

MB = 1 << 20


class Out:
    def __init__(self, path):
        self.path = path
        self.bytes = 0

    def put(self, data):
        with open(self.path, "wb") as f:
            f.write(data)
        self.bytes = len(data)


def packed(numbers):
    return b"".join(map(varint, numbers))


def texts(list_):
    return b"".join(field(5, t.encode()) for t in list_)


def top(samples, dictionary=b"", names=("",), resource=b"", fields=b""):
    """A message of release 1.10 with one profile."""
    profile = field(1, scalar(1, "u", 1) + scalar(2, "u", 2)) + samples + scalar(3, "x", 1_700_000_000_000_000_000) + fields
    group = field(1, resource) + field(2, field(2, profile))
    return field(1, group) + field(2, dictionary + texts(("", "cpu", "nanoseconds") + tuple(names)))


def sample(stack=0, attributes=(), values=(1,), times=()):
    return field(2, scalar(1, "u", stack) + field(2, packed(attributes)) + scalar(3, "u", 0) + field(4, packed(values)) +
                 field(5, b"".join(struct.pack("<Q", t) for t in times)))


def functions(n):
    return b"".join(field(3, scalar(1, "u", i + 3)) for i in range(n))


def locations(n):
    return b"".join(field(2, field(3, scalar(1, "u", i))) for i in range(n))


def s_otlp(o, n):
    o.put(top(b"".join(sample(1 + i % 50, (), (i,), (10**18 + i,)) for i in range(n)),
              functions(50) + locations(50) + b"".join(field(7, field(1, packed([1 + i % 49, 1 + i % 7]))) for i in range(51)), ["f%d" % i for i in range(50)]))


def s_otlp_stacks(o, n):  # none like another
    o.put(top(b"".join(sample(i) for i in range(n)), functions(n) + locations(n) + b"".join(field(7, field(1, packed([i, i // 2]))) for i in range(n)),
              ["f%d" % i for i in range(n)]))


def s_otlp_one_deep(o, n):  # many samples of one deep stack
    o.put(top(sample(1) * n, functions(3) + locations(3) + field(7, b"") + field(7, field(1, packed([1, 2] * n))), ["f", "g", "h"]))


def s_otlp_slices(o, n):  # of release 1.7: each sample has all that follows
    samples = b"".join(field(2, scalar(1, "u", i) + scalar(2, "u", n - i) + field(3, varint(1))) for i in range(n))
    profile = field(1, scalar(1, "u", 1) + scalar(2, "u", 2)) + samples + field(3, packed([i % 3 for i in range(n)])) + scalar(4, "i", 1000) + scalar(5, "i", 1)
    o.put(field(1, field(2, field(2, profile))) + field(2, functions(3) + locations(3) + field(6, field(1, b"k")) + texts(["", "cpu", "nanoseconds", "f", "g", "h"])))


def s_otlp_inlined(o, n):  # all lines in one location, which a stack has many times
    lines = b"".join(field(3, scalar(1, "u", 1 + i % 3)) for i in range(n))
    o.put(top(sample(1), functions(4) + field(2, b"") + field(2, lines) + field(7, b"") + field(7, field(1, packed([1] * n))), ["f", "g", "h", "i"]))


def s_otlp_labels(o, n):  # a sample of many times and many attributes
    attributes = b"".join(field(6, scalar(1, "u", 3) + field(2, scalar(3, "i", i))) for i in range(n))
    o.put(top(sample(0, range(1, n), [1] * n, range(1, n + 1)), attributes, ["k"]))


def s_otlp_attributes(o, n):
    attributes = b"".join(field(6, scalar(1, "u", 3) + field(2, field(6, field(1, field(1, b"k") + field(2, scalar(3, "i", i)))))) for i in range(n))
    o.put(top(b"".join(sample(0, [i]) for i in range(n)), attributes, ["k"]))


def s_otlp_lists(o, n):  # in one another
    value = field(1, b"x")
    for _ in range(min(n, 2000)):
        value = field(5, field(1, value))
    o.put(top(sample(), resource=(field(1, field(1, b"k") + field(2, value)) * max(1, n // 2000))))


def s_otlp_messages(o, n):
    o.put(otlp_write.framed([top(sample(), resource=field(1, field(1, b"k") + field(2, field(1, b"v"))))] * n))


def s_otlp_empty(o, n):
    o.put(otlp_write.framed([top(sample())]) + bytes(4 * n))


def s_otlp_sources(o, n):
    group = lambda i: field(1, field(1, field(1, field(1, b"k" * 60) + field(2, scalar(3, "i", i)))) + field(2, field(2, field(1, scalar(1, "u", 1)) + sample())))
    o.put(b"".join(map(group, range(n // 4))) + field(2, texts(["", "cpu"])))


def s_otlp_spans(o, n):  # a span for every two samples
    links = b"".join(field(4, field(1, struct.pack(">QQ", 1, i // 8)) + field(2, struct.pack(">Q", i))) for i in range(n // 2 + 1))
    samples = b"".join(field(2, scalar(1, "u", 1 + i % 50) + scalar(3, "u", 1 + i // 2) + field(4, varint(i))) for i in range(n))
    o.put(top(samples, functions(50) + locations(50) + links + b"".join(field(7, field(1, packed([1 + i % 49]))) for i in range(51)), ["f%d" % i for i in range(50)],
              field(1, field(1, b"k") + field(2, field(1, b"v")))))


def s_otlp_threads(o, n):
    attributes = b"".join(field(6, scalar(1, "u", 3) + field(2, field(1, b"thread %d" % i))) for i in range(n))
    o.put(top(b"".join(sample(0, [i]) for i in range(n)), attributes, ["thread.name"]))


def s_otlp_bad(o, n):  # samples that are none
    o.put(top(field(2, b"\x0c") * n))


def s_otlp_json(o, n):
    profile = {"sampleType": {"typeStrindex": 1, "unitStrindex": 2}, "timeUnixNano": "1000", "samples": [{"stackIndex": 1, "values": [str(i)]} for i in range(50)]}
    line = {"resourceProfiles": [{"scopeProfiles": [{"profiles": [profile]}]}],
            "dictionary": {"stringTable": ["", "cpu", "nanoseconds"], "locationTable": [{}, {"address": "4096"}], "stackTable": [{}, {"locationIndices": [1]}]}}
    o.put((json.dumps(line) + "\n").encode() * (n // 50 + 1))


def s_otlp_json_bad(o, n):
    o.put(b'{"resourceProfiles":[{}]}\n' + b'{"resourceProfiles":[}\n' * n)


def s_otlp_json_open(o, n):
    o.put(b'{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":' + b"[" * n)


# For campaign.py: tables that are compared, and the recording.
DAMAGED = [
    ("samples of OTLP", "set", "SELECT s.ts, n.line, v.value FROM source p JOIN stack_sample s ON s.source_id = p.id AND p.format = 'otlp-profiles' "
     "LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_sample_value v ON v.sample_id = s.id"),
    ("labels of OTLP", "set", "SELECT s.ts, l.key, l.value FROM source p JOIN stack_sample s ON s.source_id = p.id AND p.format = 'otlp-profiles' "
     "JOIN stack_sample_label l ON l.sample_id = s.id"),
]


def damaged(path):
    """Few rows share an entry of a table, so that one number which was changed in place touches few."""
    def message(k, n):
        names = ["function%d_%d" % (k, i) for i in range(n)]
        tables = b"".join(field(3, scalar(1, "u", i + 2) + scalar(4, "i", 10 + i)) for i in range(n + 1)) + field(2, b"")
        tables += b"".join(field(2, scalar(2, "u", 4096 + i) + field(3, scalar(1, "u", i) + scalar(2, "i", 100 * k + i))) for i in range(1, n + 1))
        tables += b"".join(field(7, field(1, packed([i, 1 + i // 2])) if i else b"") for i in range(n + 1)) + field(6, b"")
        tables += b"".join(field(6, scalar(1, "u", n + 3) + field(2, scalar(3, "i", 1000 * k + i))) for i in range(1, n + 1))
        time = 1_700_000_000_000_000_000 + k * 10**9
        return top(b"".join(sample(i, [i], [100 * k + i], [time + i * 10**6]) for i in range(1, n + 1)), tables, names + ["size"],
                   field(1, field(1, b"service.name") + field(2, field(1, b"shop"))))

    Out(path).put(otlp_write.framed([message(k, 30 + k * k % 17) for k in range(12)]))  # no two of one length follow each other


class Strict(otlp_rows.Message):
    """A message in which every index has an entry."""

    def entry(self, table, i):
        if not 0 <= i < len(self.t[table]) and (i != 0 or not self.new):
            raise ValueError(f"{table} {i}")
        return super().entry(table, i)

    def text(self, i):
        found = super().text(i)
        if found is None:
            raise ValueError(f"text {i}")
        return found


def found(path):
    """(time, kind of value, value, name, file and line of the innermost frame, name of its caller) and labels of all samples, or None: it contradicts itself."""
    try:
        with open(path, "rb") as f:
            plain, otlp_rows.Message = otlp_rows.Message, Strict
            try:
                _, samples = otlp_rows.expected(f.read(), "1.10")
            finally:
                otlp_rows.Message = plain
        rows = []
        for _, time, stack, values, labels in samples:
            leaf, caller = (tuple(reversed(stack)) + ((None,) * 6,) * 2)[:2]
            rows += [(time, name, value, leaf[0], leaf[1], leaf[3], caller[0], ",".join(key + "=" + value for key, value, _ in labels) or None) for name, _, value in values]
            if not values:
                return None
        return rows
    except (profiles.Damaged, struct.error, OverflowError, UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None


def consistent(path):
    return found(path) is not None


def rows(path):
    """As the campaign's connections give them."""
    return [tuple(cell.encode() if isinstance(cell, str) else cell for cell in row) for row in found(path)]


NAME = "ifnull(%s.package || '.', '') || ifnull(%s.class || '.', '') || %s.name"
SQL = ["SELECT s.ts, t.name, v.value, " + NAME % ("m", "m", "m") + ", m.file, n.line, " + NAME % ("pm", "pm", "pm") + ", (SELECT group_concat(l.key || '=' || l.value, ',') FROM "
       "stack_sample_label l WHERE l.sample_id = s.id ORDER BY l.rowid) FROM stack_sample_value v JOIN stack_value_type t ON t.id = v.value_type_id JOIN stack_sample s "
       "ON s.id = v.sample_id LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id LEFT JOIN stack_node pn ON pn.id = n.parent_id "
       "LEFT JOIN stack_method pm ON pm.id = pn.method_id ORDER BY v.rowid"]


ALWAYS = "otlp otlp_stacks otlp_one_deep otlp_slices otlp_inlined otlp_labels otlp_attributes otlp_messages otlp_sources otlp_threads otlp_json otlp_json_bad".split()

if __name__ == "__main__":
    every = {name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}
    some = every if len(sys.argv) != 2 or os.environ.get("TS_SLOW") == "1" else {name: every[name] for name in ALWAYS}
    measure.main(every if sys.argv[1] == "--list" else some, Out, "otlp", 40 * MB, 24)
