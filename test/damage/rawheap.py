"""Shapes of binary heap dumps of ArkTS whose cost should grow with their size and no faster, in time and in memory; see measure.py. And one that is damaged."""

import os
import sys

import measure

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import rawheap_dump
import rawheap_write as made

MB = 1 << 20
CLASSES = {"HCLASS": 0x1000, "JS_OBJECT": 0x1100, "TAGGED_ARRAY": 0x1200, "LINE_STRING": 0x1300, "TAGGED_DICTIONARY": 0x1500}


class Out:
    def __init__(self, path):
        self.path = path
        self.bytes = 0

    def put(self, data):
        with open(self.path, "wb") as f:
            f.write(data)
        self.bytes = len(data)


def of(kind, i, size, slots):
    return dict(address=0x10000 + 0x40 * i, id=101 + 2 * i, size=size, type=kind, slots=[CLASSES[kind]] + slots)


def dump(objects, strings=(), roots=(), groups=((), (), (), ()), references=None, properties=0, layout=0):
    """Version 1, with a class for each type. properties, layout: of the class of objects."""
    numbers = {name: i for i, name in enumerate(made.ENUM)}
    classes = [dict(address=a, id=3 + 2 * i, size=24, type="HCLASS", slots=[0x1000, numbers[k] | (properties if k == "JS_OBJECT" else 0) << 32, layout])
               for i, (k, a) in enumerate(CLASSES.items())]
    return made.dump(1, classes + objects, strings, roots, groups, references)


def s_rawheap_objects(o, n):
    o.put(dump([of("JS_OBJECT", i, 24, [0x10000 + 0x40 * (i * 7 % n), 5]) for i in range(n)]))


def s_rawheap_second(o, n):
    o.put(made.dump(2, [dict(address=8 * (i + 1), id=3 + 2 * i, size=32, type="JS_OBJECT", slots=[8, None, 8 * (i * 7 % n + 1), 8]) for i in range(n)]))


def s_rawheap_array(o, n):
    o.put(dump([of("TAGGED_ARRAY", 0, 24 + 8 * n, [n, 0x1000] + [0x1100] * n)]))


def s_rawheap_values(o, n):  # none like another
    o.put(dump([of("TAGGED_ARRAY", 0, 24 + 8 * n, [n, 5] + [0x3FF0000000000000 + i for i in range(n)])]))


def s_rawheap_strings(o, n):
    o.put(dump([of("LINE_STRING", i, 8, []) for i in range(n)], [("text %d" % i, [0x10000 + 0x40 * i]) for i in range(n)]))


def s_rawheap_named(o, n):  # one text of all
    o.put(dump([of("LINE_STRING", i, 8, []) for i in range(n)], [("one", [0x10000 + 0x40 * i for i in range(n)])]))


def s_rawheap_long(o, n):
    o.put(dump([], [("x" * n * 20, [])]))


def s_rawheap_roots(o, n):
    o.put(dump([], roots=[8 * i for i in range(n)], groups=([8] * n, (), (), ()), references=[(i, 8) for i in range(n)]))


def s_rawheap_layout(o, n):  # objects with all the properties of one layout, which has fewer than it says
    keys = of("TAGGED_ARRAY", 0, 24 + 16 * 40, [81, 5] + [0x1300, 0x10] * 40)
    o.put(dump([keys] + [of("JS_OBJECT", i + 1, 32, [0x10000, 5, 5]) for i in range(n)], properties=1023 | 1000 << 15, layout=0x10000))


def s_rawheap_dictionary(o, n):  # of one object, and one that says that it has more
    keys = of("TAGGED_DICTIONARY", 0, 16 + 8 * (4 + 3 * n), [n, 0, 0, 0xFFFFFFFF, 0] + [0x1300, 0x1100, 0] * n)
    o.put(dump([keys, dict(of("JS_OBJECT", 1 << 20, 24, [0x10000, 5]), address=0xFF0000000)]))


def s_rawheap_shared(o, n):  # one dictionary of all objects
    keys = of("TAGGED_DICTIONARY", 0, 16 + 8 * (4 + 3 * n), [n, 0, 0, 0xFFFFFFFF, 0] + [0x1300, 0x1100, 0] * n)
    o.put(dump([keys] + [dict(of("JS_OBJECT", i, 24, [0x10000, 5]), address=0xFF0000000 + 32 * i) for i in range(1, n + 1)]))


# For campaign.py: the tables of heaps are compared by it; and what a reader that shares nothing with the program finds.
DAMAGED = []
SQL = ["SELECT type, name, id, self_size, edge_count, native_size FROM js_heap_nodes ORDER BY rowid", "SELECT type, name_or_index, to_node FROM js_heap_edges ORDER BY rowid"]


def damaged(path):
    objects, strings = [], []
    for i in range(0, 1200, 3):
        at = [0x10000 + 0x40 * (i + k) for k in range(3)]
        objects += [of("JS_OBJECT", i, 24, [at[1], 0x10000 + 0x40 * (i * 7 % 1200 // 3 * 3)]), of("TAGGED_ARRAY", i + 1, 40, [3, at[0], at[2] | 1, i << 32 | 7]), of("LINE_STRING", i + 2, 9, [])]
        strings.append(("text %04d" % i, [at[2]]))
    Out(path).put(dump(objects, strings, roots=[0x10000 + 0x40 * i for i in range(0, 1200, 90)]))


def consistent(path):
    """Memory has no sums of what is in it: a dump whose parts are where its end says can be any other one."""
    with open(path, "rb") as f:
        data = f.read()
    try:
        rawheap_dump.Dump(data).rows_of_all()
    except Exception:  # whatever it is, a reader notices
        return False
    return True


def rows(path):
    with open(path, "rb") as f:
        nodes, edges, _ = rawheap_dump.Dump(f.read()).rows_of_all()
    return [(*node[:5], node[7]) for node in nodes] + [edge[:3] for edge in edges]


if __name__ == "__main__":
    measure.main({name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}, Out, "rawheap_roots", 48 * MB, 40)
