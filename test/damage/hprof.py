"""Heap dumps of Java whose cost should grow with their size and no faster, in time and in memory; see measure.py. And one that is damaged."""

import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import java_dump
import measure

MB = 1 << 20
OBJECT, STRING, ARRAY, BYTES = 0x1000, 0x2000, 0x3000, 0x4000


class Out:
    def __init__(self, path):
        self.path = path
        self.bytes = 0

    def put(self, data):
        with open(self.path, "wb") as f:
            f.write(data)
        self.bytes = len(data)


def begin(i=8):
    m = java_dump.Maker(i)
    m.cls(OBJECT, "java.lang.Object")
    m.cls(STRING, "java.lang.String", OBJECT, 0, 14, (), [("hash", 10), ("coder", 8), ("value", 2)])
    m.cls(ARRAY, "[Ljava.lang.Object;", OBJECT)
    m.cls(BYTES, "[B", OBJECT)
    return m


def string(m, at, array):
    m.instance(at, STRING, bytes(5) + m.id(array))


def heap(n, first=1 << 20):
    m = begin()
    for k in range(n):
        at = first + 64 * k
        string(m, at, at + 24)
        m.primitives(at + 24, 8, b"text %d" % k)
        if k % 50 == 0:
            m.objects(first - 8 * (k + 1), ARRAY, [at, at + 24, 0, OBJECT])
            m.root(0x01, first - 8 * (k + 1))
    return m


def s_hprof(o, n):
    o.put(heap(n).bytes())


def s_hprof_shared(o, n):  # all strings have one array
    m = begin()
    m.primitives(1 << 19, 8, b"x" * n)
    for k in range(n):
        string(m, (1 << 20) + 24 * k, 1 << 19)
    o.put(m.bytes())


def s_hprof_between(o, n):  # roots between strings and their array
    m = begin()
    string(m, 1 << 19, 1 << 18)
    for _ in range(n):
        m.root(0x05, OBJECT)
    m.primitives(1 << 18, 8, b"text")
    for k in range(n):
        string(m, (1 << 20) + 24 * k, 1 << 18)
    o.put(m.bytes())


def s_hprof_chain(o, n):  # each class is above the next one
    m = begin()
    for k in range(n):
        m.cls((1 << 20) + 16 * k, None, (1 << 20) + 16 * (k - 1) if k else OBJECT, 0, 8, (), [("f", 10)] if k % 100 == 0 else ())
    for k in range(n):
        m.instance((1 << 24) + 16 * k, (1 << 20) + 16 * (n - 1), bytes(4))
    o.put(m.bytes())


def s_hprof_sparse(o, n):  # ids that no bit map holds, in no order
    rng = random.Random(1)
    m = begin()
    for _ in range(n):
        m.objects(rng.randrange(1 << 62), ARRAY, [OBJECT])
    o.put(m.bytes())


def s_hprof_same(o, n):  # one id
    m = begin()
    for _ in range(n):
        m.primitives(1 << 20, 8, b"")
    o.put(m.bytes())


def s_hprof_empty(o, n):  # segments without a length, with what may be records or roots
    m = begin()
    root = b"\x05" + struct.pack(">Q", OBJECT)
    o.put(m.bytes(end=False) + (java_dump.Maker.record(0x1C, b"") + root * 2) * n)


def s_hprof_bad(o, n):  # each byte may begin a record
    o.put(begin().bytes() + b"\x03" + b"\xff" * 8 + b"\x1c\x2c\x01" * n)


def s_hprof_deep(o, n):  # a deep stack, of many threads
    m = begin()
    for k in range(100):
        m.frame(0x900 + k, "m%d" % k, "()V", None, 1, k)
    m.trace(7, [0x900 + k % 100 for k in range(n)])
    for k in range(n // 10):
        m.root(0x08, OBJECT, k, 7)
    o.put(m.bytes())


def s_hprof_kept(o, n):  # a list, each object of it also a local of one thread, with one of 500 texts
    m = begin()
    thread, local, entry, table, node = 0x5000, 0x6000, 0x7000, 0x8000, 0x9000
    m.cls(local, "java.lang.ThreadLocal", OBJECT)
    m.cls(entry, "java.lang.ThreadLocal$ThreadLocalMap$Entry", OBJECT, 0, 16, (), [("referent", 2), ("value", 2)])
    m.cls(table, "java.lang.ThreadLocal$ThreadLocalMap", OBJECT, 0, 8, (), [("table", 2)])
    m.cls(thread, "java.lang.Thread", OBJECT, 0, 8, (), [("threadLocals", 2)])
    m.cls(node, "Node", OBJECT, 0, 16, (), [("next", 2), ("text", 2)])
    first = 1 << 20
    for k in range(n):
        at = first + 128 * k
        m.instance(at, node, m.id(at + 128 if k + 1 < n else 0) + m.id(at + 24))
        string(m, at + 24, at + 48)
        m.primitives(at + 48, 8, b"text %d" % (k % 500))
        m.instance(at + 80, entry, m.id(0x6100) + m.id(at))
    m.instance(0x6100, local, b"")
    m.objects(0x6200, ARRAY, [first + 128 * k + 80 for k in range(n)])
    m.instance(0x6300, table, m.id(0x6200))
    m.instance(0x6400, thread, m.id(0x6300))
    m.root(0x08, 0x6400, 1, 0)
    m.root(0x01, first)
    o.put(m.bytes())


def s_hprof_classes(o, n):  # objects of classes that are not there
    m = begin()
    for k in range(n):
        m.instance((1 << 20) + 16 * k, (1 << 30) + 16 * k, b"")
    o.put(m.bytes())


# For campaign.py: tables that are compared, and the recording.
DAMAGED = [("objects of a heap dump", "set", "SELECT address, kind, length FROM java_heap_object WHERE address IS NOT NULL"),
           ("texts of a heap dump", "set", "SELECT text FROM java_heap_string")]


def damaged(path):
    Out(path).put(heap(300).bytes())


if __name__ == "__main__":
    measure.main({name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}, Out, "hprof", 60 * MB, 8)
