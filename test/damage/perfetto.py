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


# For campaign.py: tables that are compared, and the recording.
DAMAGED = [("slices of Perfetto", "set", "SELECT m.name, s.ts, s.dur FROM stack_slice s JOIN perfetto_slice x ON x.slice_id = s.id LEFT JOIN stack_node n ON n.id = s.node_id "
            "LEFT JOIN stack_method m ON m.id = n.method_id")]


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
    return [(s[5], s[6], s[4][-1].encode()) for s in found(path)[1]["slice"]]


SQL = ["SELECT s.ts, s.dur, m.name FROM stack_slice s LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY s.id"]


def damaged(path):
    with open(path, "wb") as f:
        f.write(w.chain(["main", "run", "draw", "flush"], 60))


if __name__ == "__main__":
    measure.main({name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}, Out, "perfetto", 60 * MB, 24)
