"""Traces of Perfetto whose cost should grow with their size and no faster, in time and in memory; see measure.py. And one that is damaged."""

import os
import sys
import zlib

import measure

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
sys.path.insert(0, os.path.join(HERE, "..", "check"))
import perfetto_rows
import perfetto_write as w

MB = 1 << 20


class Out:
    def __init__(self, path):
        self.f = open(path, "wb")
        self.bytes = 0
        self.put(w.packet(w.number(10, 9), w.clocks({6: (10**9, 0, 0), 3: (9 * 10**8, 0, 0)}, 6)))

    def put(self, data):
        self.f.write(data)
        self.bytes += len(data)

    def close(self):
        self.f.close()


def event(kind, time, sequence=1, flags=0, more=b"", uuid=5):
    return w.packet(w.number(8, time), w.number(10, sequence), w.number(13, flags), w.text(11, w.number(9, kind) + w.number(11, uuid) + more))


def s_perfetto(o, n):
    for i in range(n):
        o.put(event(1 + i % 2, 10**9 + i, more=w.text(23, "f%d" % (i % 50))))


def s_perfetto_open(o, n):  # none ends
    for i in range(n):
        o.put(event(1, 10**9 + i, more=w.text(23, "f")))


def s_perfetto_backwards(o, n):  # each begins before those that were read
    for i in range(n):
        o.put(event(1, 10**10 - i, more=w.text(23, "f")))


def s_perfetto_tracks(o, n):  # each in the one before
    for i in range(1, n):
        o.put(w.packet(w.number(10, 1), w.plain_track(i + 1, i, "t")))


def s_perfetto_sequences(o, n):
    for i in range(n):
        o.put(event(3, 10**9, sequence=i + 1))


def s_perfetto_cleared(o, n):  # the same entries again and again
    for i in range(n):
        o.put(w.packet(w.number(8, 10**9 + i), w.number(10, 1), w.number(13, 1), w.text(12, w.text(2, w.number(1, 1) + w.text(2, "name"))), w.text(11, w.number(9, 3) + w.number(10, 1))))


def s_perfetto_interned(o, n):  # all with numbers of their own
    for i in range(n):
        o.put(w.packet(w.number(10, 1), w.number(13, 0), w.text(12, w.text(2, w.number(1, i + 1) + w.text(2, "n%d" % i)))))


def s_perfetto_clocks(o, n):  # a snapshot for each event
    for i in range(n):
        o.put(w.packet(w.number(10, 1), w.clocks({6: (10**9 + i * 10, 0, 0), 3: (10**8 + i * 10, 0, 0), 64: (i, 1, 1)})))
        o.put(w.packet(w.number(8, 10**8 + i * 10 + 5), w.number(58, 3), w.number(10, 1), w.text(11, w.number(9, 3))))


def s_perfetto_incremental(o, n):  # a state, and so a sum, for each value
    o.put(w.packet(w.number(10, 1), w.counter_track(5, 0, "c", incremental=True)))
    for i in range(n):
        o.put(event(4, 10**9 + i, flags=1, more=w.number(30, i)))


def s_perfetto_args(o, n):  # nested to the limit and deeper
    deep = w.number(4, 1)
    for _ in range(40):
        deep = w.text(12, deep)
    for i in range(n // 30):
        o.put(event(3, 10**9 + i, more=w.text(4, w.text(10, "k") + deep)))


def s_perfetto_lost(o, n):  # bytes that are no packets, with marks that are in none
    for _ in range(n):
        o.put(b"\x0f" * 40 + w.MARK)


def s_perfetto_packed(o, n):
    packed = zlib.compress(b"".join(event(1 + i % 2, 10**9 + i) for i in range(40)))
    for _ in range(n // 40):
        o.put(w.packet(w.number(10, 1), w.text(50, packed)))


def s_perfetto_kernel(o, n):  # lists of switches of many CPUs
    for i in range(n // 20):
        lists = w.text(5, "app") + b"".join(w.text(field, b"".join(w.varint(v) for v in values)) for field, values in
                                            ((1, [10**9 + i * 100] + [5] * 19), (2, [1] * 20), (3, range(i, i + 20)), (4, [120] * 20), (6, [0] * 20)))
        o.put(w.packet(w.number(10, 2), w.text(1, w.number(1, i) + w.text(4, lists))))


def stack_of(i):
    return w.text(5, w.number(1, i + 1) + w.text(2, "f%d" % i)) + w.text(6, w.number(1, i + 1) + w.number(2, i + 1) + w.number(4, i)) + w.text(7, w.number(1, i + 1) + w.text(2, w.varint(i + 1)))


def s_perfetto_samples(o, n):  # each with a stack of its own
    for i in range(n // 2):
        o.put(w.packet(w.number(8, 10**9 + i), w.number(10, 1), w.number(13, 1 if i == 0 else 2), w.text(12, stack_of(i)), w.text(66, w.number(2, 10) + w.number(3, 11) + w.number(4, i + 1))))


def s_perfetto_deep(o, n):  # one stack, again and again one deeper
    frame = w.text(5, w.number(1, 1) + w.text(2, "f")) + w.text(6, w.number(1, 1) + w.number(2, 1))
    for i in range(int(n**0.5)):
        stack = w.text(12, frame + w.text(7, w.number(1, 1) + w.text(2, b"\x01" * (10 * i))))
        o.put(w.packet(w.number(8, 10**9 + i), w.number(10, 1), w.number(13, 1), stack, w.text(66, w.number(2, 10) + w.number(3, 11) + w.number(4, 1))))


def s_perfetto_heaps(o, n):  # dumps of many stacks that all grow
    entries = b"".join(stack_of(i) for i in range(n // 8))
    for k in range(4):
        sums = b"".join(w.text(2, w.number(1, i + 1) + w.number(2, (k + 1) * 100)) for i in range(n // 8))
        o.put(w.packet(w.number(8, 10**9 + k), w.number(10, 1), w.number(13, 2 if k else 1), w.text(12, b"" if k else entries), w.text(37, w.text(5, w.number(1, 10) + sums))))


def s_perfetto_paths(o, n):  # long paths of few bytes
    long = w.text(17, w.number(1, 1) + w.text(2, "x" * 60000))
    o.put(w.packet(w.number(10, 1), w.number(13, 1), w.text(12, long)))
    for i in range(n):
        o.put(w.packet(w.number(10, 1), w.text(12, w.text(17, w.number(1, 2) + w.text(2, "%d" % i)) + w.text(19, w.number(1, i + 1) + w.text(7, b"\x01\x02")))))


def s_perfetto_inlined(o, n):  # an address with many functions, at which many calls are
    o.put(w.packet(w.number(10, 1), w.text(61, w.text(1, "/a") + w.text(2, "b") + w.text(3, w.number(1, 1) + w.text(2, w.text(1, "f")) * n))))
    module = w.text(16, w.number(1, 1) + w.text(2, "b")) + w.text(17, w.number(1, 1) + w.text(2, "a")) + w.text(19, w.number(1, 1) + w.number(2, 1) + w.number(7, 1))
    frames = w.text(6, w.number(1, 1) + w.number(3, 1) + w.number(4, 1)) + w.text(7, w.number(1, 1) + w.text(2, b"\x01" * n))
    o.put(w.packet(w.number(8, 10**9), w.number(10, 1), w.number(13, 1), w.text(12, module + frames), w.text(66, w.number(2, 10) + w.number(3, 11) + w.number(4, 1))))


def s_perfetto_series(o, n):  # each of a CPU of its own
    for i in range(n):
        o.put(w.packet(w.number(8, 10**9 + i), w.number(10, 1), w.text(7, w.text(3, w.number(1, i) + w.number(2, 5)))))


def s_perfetto_log(o, n):
    for i in range(n):
        o.put(w.packet(w.number(10, 1), w.text(39, w.text(1, w.number(2, 10) + w.number(5, 10**18 + i) + w.text(6, "t") + w.text(8, "line")))))


def s_perfetto_described(o, n):  # events of the kernel, each of a kind of its own
    for i in range(n):
        kind = w.number(1, 65536 + i) + w.text(2, w.text(1, "cpu_frequency") + w.text(2, w.text(1, "state") + w.number(3, 1)) + w.text(2, w.text(1, "cpu_id") + w.number(3, 2)))
        o.put(w.packet(w.number(10, 2), w.text(1, w.text(2, w.number(1, 10**9 + i) + w.text(65536 + i, w.number(1, i))) + w.text(11, kind))))


# For campaign.py: tables that are compared, and the recording.
DAMAGED = [("slices of Perfetto", "set", "SELECT m.name, s.ts, s.dur FROM stack_slice s JOIN perfetto_slice x ON x.slice_id = s.id LEFT JOIN stack_node n ON n.id = s.node_id "
            "LEFT JOIN stack_method m ON m.id = n.method_id"),
           ("samples of Perfetto", "set", "SELECT s.ts, s.event, m.name, c.name, m.library FROM source p JOIN stack_sample s ON s.source_id = p.id AND p.format = 'perfetto' "
            "LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id LEFT JOIN stack_node u ON u.id = n.parent_id "
            "LEFT JOIN stack_method c ON c.id = u.method_id")]


def found(path):
    with open(path, "rb") as f:
        trace = perfetto_rows.Trace(f.read())
    return trace, perfetto_rows.expected(trace)


def consistent(path):
    """Nothing in the file says that it is damaged: there are no checksums, and a trace may begin and end anywhere."""
    try:
        trace, _ = found(path)
    except Exception:  # whatever is wrong with it, a reader of traces notices
        return False
    return not trace.issues["perfetto_state_lost"] and not trace.issues["perfetto_dropped"]


def rows(path):
    said = found(path)[1]
    return [(s[5], s[6], s[4][-1].encode()) for s in said["slice"]] + [(s[0], None, s[2][-1][0].encode() if s[2] else None) for s in said["sample"]] + \
        [(line[0], line[1], line[5].encode()) for line in said["line"]]


SQL = ["SELECT s.ts, s.dur, m.name FROM stack_slice s LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY s.id",
       "SELECT s.ts, NULL, m.name FROM stack_sample s LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY s.id",
       "SELECT ts, pid, context FROM log ORDER BY rowid"]


def damaged(path):
    with open(path, "wb") as f:
        f.write(w.chain(["main", "run", "draw", "flush"], 60, mixed=True))


if __name__ == "__main__":
    measure.main({name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}, Out, "perfetto", 60 * MB, 24)
