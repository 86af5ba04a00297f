"""Makes binary heap dumps of ArkTS (.rawheap) in versions 1 and 2: from lists of objects, and random ones.

An object is a dict: address, id, type (name of its type), size, slots (values of its slots of 8 bytes, the first is its class), hash, native, row (False: it has no row in a
table of objects), keep (bytes of its memory that are written; None: all).
"""

import json
import random
import struct

ENUM = {"INVALID": 8, "LINE_STRING": 2, "TREE_STRING": 2, "JS_OBJECT": 3, "TAGGED_ARRAY": 1, "HCLASS": 0, "TAGGED_DICTIONARY": 1, "JS_NATIVE_POINTER": 8}
LIST = [
    {"name": "TAGGED_OBJECT", "node_name": "", "offsets": [], "end_offset": 8, "parents": [], "visit_type": ""},
    {"name": "HCLASS", "node_name": "HiddenClass", "offsets": [{"name": "BitField", "offset": 0, "size": 4}, {"name": "BitField1", "offset": 4, "size": 4}, {"name": "Layout", "offset": 8, "size": 8}],
     "end_offset": 16, "parents": ["TAGGED_OBJECT"], "visit_type": ""},
    {"name": "JS_OBJECT", "node_name": "JSObject", "offsets": [{"name": "Properties", "offset": 0, "size": 8}, {"name": "Elements", "offset": 8, "size": 8}], "end_offset": 16,
     "parents": ["TAGGED_OBJECT"], "visit_type": ""},
    {"name": "TAGGED_ARRAY", "node_name": "ArkInternalArray", "offsets": [{"name": "Length", "offset": 0, "size": 4}, {"name": "Data", "offset": 8, "size": 8}], "end_offset": 0,
     "parents": ["TAGGED_OBJECT"], "visit_type": "Array"},
]
LAYOUT = {"Dictionary_layout": {"key_index": 0, "value_index": 1, "detail_index": 2, "entry_size": 3, "header_size": 4},
          "Type_range": {"string_first": "LINE_STRING", "string_last": "TREE_STRING", "js_object_first": "JS_OBJECT", "js_object_last": "JS_OBJECT"}}


def types(enum=None, listed=None, layout=None):
    return {"version": "1.0.0", "type_enum": enum or ENUM, "type_list": listed or LIST, "type_layout": layout or LAYOUT}


# The same and what has rules of its own.
WIDE_ENUM = {"INVALID": 8, "LINE_STRING": 2, "SLICED_STRING": 11, "TREE_STRING": 10, "JS_OBJECT": 3, "JS_FUNCTION": 5, "JS_WRAPPED_NAPI_OBJECT": 3, "TAGGED_ARRAY": 1, "HCLASS": 0,
             "TAGGED_DICTIONARY": 1, "JS_NATIVE_POINTER": 8, "GLOBAL_ENV": 14, "BIGINT": 13, "ODD_TYPE": 8}
WIDE_LIST = LIST + [
    {"name": "TAGGED_DICTIONARY", "node_name": "", "offsets": [], "end_offset": 0, "parents": ["TAGGED_ARRAY"], "visit_type": ""},
    {"name": "JS_NATIVE_POINTER", "node_name": "NativePointer", "offsets": [{"name": "ExternalPointer", "offset": 0, "size": 8}, {"name": "BindingSize", "offset": 8, "size": 4},
     {"name": "Data", "offset": 16, "size": 8}], "end_offset": 24, "parents": ["TAGGED_OBJECT"], "visit_type": ""},
    {"name": "JS_FUNCTION", "offsets": [{"name": "Method", "offset": 0, "size": 8}, {"name": "Code", "offset": 8, "size": 4}, {"name": "Line", "offset": 12, "size": 4}], "end_offset": 16,
     "parents": ["JS_OBJECT", "HCLASS"]},
    {"name": "JS_WRAPPED_NAPI_OBJECT", "node_name": "Wrapped", "offsets": [{"name": "NativePointers", "offset": 0, "size": 8}], "end_offset": 8, "parents": ["JS_OBJECT"], "more": [1, {"a": 2}]},
    {"name": "GLOBAL_ENV", "node_name": "X_GLOBAL_ENV", "offsets": [], "end_offset": 0, "parents": ["TAGGED_OBJECT"]},
    {"name": "BIGINT", "node_name": "BigInt", "parents": ["TAGGED_OBJECT"]},
]
WIDE_LAYOUT = {"Dictionary_layout": LAYOUT["Dictionary_layout"],
               "Type_range": {"string_first": "LINE_STRING", "string_last": "TREE_STRING", "js_object_first": "JS_OBJECT", "js_object_last": "JS_WRAPPED_NAPI_OBJECT"}}


def wide():
    return types(WIDE_ENUM, WIDE_LIST, WIDE_LAYOUT)


def pad(b, to):
    return b + bytes(-len(b) % to)


def dump(version, objects, strings=(), roots=(), groups=((), (), (), ()), references=None, texts=None, json_types=None, tables=1, row=24, time=1700000000000000,
         old_version=False, list_words=6, indent=None, compact=True):
    """The bytes of a dump. strings: (text, addresses); references: None (not tracked: FFFFFFFF), "absent" or a list of (reference, object); groups: up to four; tables: how many of objects."""
    word = "<I" if version == 2 else "<Q"
    one = lambda a: struct.pack(word, a & (0xFFFFFFFF if version == 2 else 0xFFFFFFFFFFFFFFFF))  # noqa: E731
    width = struct.calcsize(word)
    out = bytearray((b"\0" * 8 if old_version else b"2.0.0\0\0\0" if version == 2 else b"1.0.0\0\0\0") + struct.pack("<Q", time))
    if texts is not None:
        for text, n in zip(texts, (32, 16, 8)):
            out += text.encode().ljust(n, b"\0")[:n]
    sections = []
    begin = len(out)
    out += struct.pack("<II", len(roots), width) + b"".join(one(a) for a in roots)
    sections.append((begin, len(out) - begin))
    for g in groups:
        out += struct.pack("<I", len(g)) + b"".join(one(a) for a in g)
    if references is None:
        out += b"\xff" * 4
    elif references != "absent":
        out += struct.pack("<I", len(references)) + b"".join(struct.pack("<Q", r) + one(o) for r, o in references)
    begin = len(out)
    body = struct.pack("<II", len(strings), 0)
    for text, addresses in strings:
        raw = text if isinstance(text, bytes) else text.encode()
        body += struct.pack("<II", len(raw), len(addresses)) + b"".join(one(a) for a in addresses) + raw + b"\0"
    out += pad(body, 8)
    sections.append((begin, len(out) - begin))
    rows = [o for o in objects if o.get("row", True)]
    per = -(-len(rows) // tables) if rows else 0
    for t in range(tables):
        mine = rows[t * per:(t + 1) * per] if t < tables - 1 else rows[t * per:]
        begin = len(out)
        out += table(version, mine, row, json_types or types())
        sections.append((begin, len(out) - begin))
    while len(sections) * 2 < list_words:
        sections.append((0, 0))
    out += b"".join(struct.pack("<II", *s) for s in sections)
    out += struct.pack("<II", len(sections) * 2, 4)
    end = len(out)
    text = json.dumps(json_types or types(), separators=(",", ":") if compact else None, indent=indent).encode()
    return bytes(out + text + struct.pack("<II", end, len(text)))


def is_string(kind, json_types):
    names = list(json_types["type_enum"])
    r = json_types["type_layout"]["Type_range"]
    return kind in names and names.index(r["string_first"]) <= names.index(kind) <= names.index(r["string_last"])


def table(version, objects, row, json_types):
    head, memory = bytearray(struct.pack("<II", len(objects), row)), bytearray()
    names = list(json_types["type_enum"])
    for o in objects:
        string = is_string(o["type"], json_types)
        number = names.index(o["type"]) if o["type"] in names else 0xFE
        ident = o["id"] | o.get("hash", 0) << 32
        if version == 1:
            at = row * len(objects) + len(memory)
            head += struct.pack("<QQII", o["address"], ident, o["size"], at) + bytes(row - 24)
            n = 1 if string else -(-o["size"] // 8)
            slots = (list(o["slots"]) + [0] * n)[:n]
            memory += b"".join(struct.pack("<Q", s) for s in slots)
        else:
            head += struct.pack("<IIQII", o["address"] & 0xFFFFFFFF, o["size"], ident, o.get("native", 0), number | o.get("high", 0) << 8) + bytes(row - 24)
            n = 1 if string else max(1, -(-o["size"] // 8))
            for s in (list(o["slots"]) + [None] * n)[:n]:
                memory += b"\x02" if s is None else b"\x04abcd" if s == "reserved" else struct.pack("<I", s)
    return bytes(head + memory)


# --- the worked example ---------------------------------------------------------------------------------------------------------

META = ("", "", "dynamic")


def example_first():
    def o(address, ident, size, kind, slots, **more):
        return dict(address=address, id=ident, size=size, type=kind, slots=slots, **more)
    objects = [
        o(0x1000, 3, 24, "HCLASS", [0x1000, 5]), o(0x1100, 5, 24, "HCLASS", [0x1000, 3 | 0x00020C02 << 32, 0x1400]), o(0x1200, 7, 24, "HCLASS", [0x1000, 4]),
        o(0x1300, 9, 24, "HCLASS", [0x1000, 1]), o(0x1400, 11, 48, "TAGGED_ARRAY", [0x1200, 4, 0x1500, 0x10, 0x1500, 0]), o(0x1500, 13, 3, "LINE_STRING", [0x1300]),
        o(0x1600, 15, 32, "JS_OBJECT", [0x1100, 0x1700, 5, 0xFFFF000000000009], hash=0x4D), o(0x1700, 17, 24, "TAGGED_ARRAY", [0x1200, 1, 0x1800]),
        o(0x1800, 19, 40, "TAGGED_ARRAY", [0x1200, 3, 0x1601, 2, 5])]
    return dump(1, objects, [("key", [0x1500]), ("Foo", [0x1600])], [0x1600], ((), (0x1800,), (), ()), None, META, time=0x00060A2418 << 24 | 0x1E4000)


def example_second():
    def o(n, size, ident, kind, slots):
        return dict(address=n << 16, id=ident, size=size, type=kind, slots=slots)
    objects = [o(1, 24, 3, "HCLASS", [0x10000]), o(2, 24, 5, "HCLASS", [0x10000]), o(3, 24, 7, "HCLASS", [0x10000]), o(4, 24, 9, "HCLASS", [0x10000]),
               o(5, 3, 11, "LINE_STRING", [0x40000]), o(6, 32, 13, "JS_OBJECT", [0x20000, 0x70000, None, 0x50000]), o(7, 32, 15, "TAGGED_ARRAY", [0x30000, None, None, 0x60000])]
    return dump(2, objects, [("Foo", [0x60000])], [0x60000], ((), (), (), ()), None, META)


# --- random dumps ---------------------------------------------------------------------------------------------------------------

TEXTS = ["a", "Foo", "", "x" * 127, "y" * 128, "z" * 129, "long " * 200, "A_GLOBAL_B", 'say "hi"\n', "tab\tand \x01", "nul\0after", "\u00e4\u20ac\U0001f600", b"bad \xff\xfe utf8",
         "GC roots", "<dummy>", "Int", "hclass", "length", "constructor", "Properties"]


def value(rnd):
    return rnd.choice([5, 5, 2, 3, 6, 7, 0xA, 0, 0, 0xFFFF000000000000 | rnd.randrange(8), 0x3FF0000000000000 | rnd.randrange(4) << 40, 0x12, 0x0E, 1])


def random_dump(seed, version, objects=None):
    """(bytes, words of what is in it)."""
    rnd = random.Random("%d of %d" % (seed, version))
    kinds = wide() if rnd.random() < 0.8 else types()
    names = list(kinds["type_enum"])
    count = objects or rnd.choice([0, 1, 2, 5, 20, 60, 150])
    step = 0x100 if version == 1 else 8 << rnd.randrange(8)
    base = 0x100000 if version == 1 else step * (1 + rnd.randrange(100))
    all_addresses = [base + i * step for i in range(count)]
    made, first = [], {}
    numbers = {n: i for i, n in enumerate(names)}
    classes = {}
    hclass = all_addresses[0] if count else 0
    for i, address in enumerate(all_addresses):
        # the first ones are classes, one for each type, the first of classes themselves
        if i == 0:
            kind = "HCLASS"
        elif i <= len(names):
            kind = "HCLASS"
            classes[names[i - 1]] = address
        else:
            kind = rnd.choice(names)
        first[address] = kind
    classes["HCLASS"] = classes.get("HCLASS", hclass)

    def pick(weight=0.8):
        return rnd.choice(all_addresses) if all_addresses and rnd.random() < weight else rnd.choice([0x7770000, 0x7770008])

    def slot():
        x = rnd.random()
        return pick(0.95) if x < 0.5 else pick() | 1 if x < 0.6 else value(rnd)

    for i, address in enumerate(all_addresses):
        kind = first[address]
        described = kind in classes
        o = dict(address=address, id=3 + 2 * i, type=kind, hash=rnd.choice([0, 0, 0, rnd.randrange(1 << 32)]), native=rnd.choice([0, 0, 77, 1 << 31]))
        cls = classes.get(kind, hclass)
        if rnd.random() < 0.02:
            cls = 0x7770000
        if version == 2:
            o["high"] = rnd.choice([0, 0, 7])
            o["size"] = rnd.choice([0, 3, 8, 16, 24, 33, 64, 200])
            o["slots"] = [cls] + [None if rnd.random() < 0.4 else "reserved" if rnd.random() < 0.03 else pick() & 0xFFFFFFF8 for _ in range(26)]
            if rnd.random() < 0.02:
                o["type"] = "no such type"
        elif is_string(kind, kinds):
            o["size"], o["slots"] = rnd.choice([0, 1, 3, 100, 1 << 20]), [cls]
        elif kind == "HCLASS":
            of = numbers[names[i - 1]] if 0 < i <= len(names) else numbers["HCLASS"]
            inlined = rnd.randrange(4)
            start = rnd.randrange(2)
            bits1 = rnd.choice([0, 1, 3, 6, 1023]) | start << 10 | (start + inlined) << 15
            o["size"] = rnd.choice([24, 24, 24, 32, 16])
            o["slots"] = [hclass, of | rnd.randrange(4) << 8 | bits1 << 32, pick(0.9), 5]
        elif kind in ("TAGGED_ARRAY", "TAGGED_DICTIONARY"):
            n = rnd.randrange(14)
            o["size"] = 16 + 8 * n
            said = rnd.choice([n, n, n, n + 3, max(0, n - 1), 0xFFFFFFFF])
            cells = [slot() for _ in range(n)]
            if kind == "TAGGED_DICTIONARY" and n > 4:
                cells[2] = rnd.randrange(6)
            if rnd.random() < 0.6:  # a layout: keys and attributes
                cells[1::2] = [rnd.choice([0x10, 0, 0x30]) for _ in cells[1::2]]
            o["slots"] = [cls, said] + cells
        elif kind == "JS_NATIVE_POINTER":
            o["size"] = rnd.choice([32, 40, 16, 8])
            o["slots"] = [cls, rnd.choice([0, 0x7FAA0000, 0x7FAA0001]), rnd.randrange(1 << 32), slot(), slot()]
        else:
            o["size"] = 8 * rnd.choice([1, 2, 3, 4, 5, 8]) + rnd.choice([0, 0, 0, 4])
            o["slots"] = [cls] + [slot() for _ in range(8)]
        o["row"] = rnd.random() > 0.03 or i <= len(names)
        del described
        made.append(o)
    strings = []
    for _ in range(rnd.choice([0, 1, 5, 20]) if count else rnd.randrange(3)):
        strings.append((rnd.choice(TEXTS), [pick(0.97) & ~7 for _ in range(rnd.choice([0, 1, 1, 1, 2, 5]))]))
    some = lambda: [pick(0.9) & ~7 for _ in range(rnd.choice([0, 0, 1, 3]))]  # noqa: E731
    groups = tuple(some() for _ in range(rnd.choice([4, 4, 4, 4, 3, 2, 0])))
    references = rnd.choice([None, "absent", [], [(0x7000 + rnd.randrange(5), pick() & ~7) for _ in range(6)], [(0x7000 + i, pick() & ~7) for i in range(40)]]) if len(groups) == 4 else "absent"
    if version == 1 and rnd.random() < 0.2 and made:
        again = dict(rnd.choice(made))
        again.update(id=again["id"] + 1000, hash=9, row=True)
        made.append(again)
    texts = rnd.choice([None, ("", "", "dynamic"), ("main", "shared", "dynamic"), ("only space", "", "")])
    return dump(version, made, strings, some(), groups, references, texts, kinds, tables=rnd.choice([1, 1, 2, 3]) if version == 1 else 1, row=rnd.choice([24, 24, 32]),
                old_version=version == 1 and rnd.random() < 0.2 and count > 0, list_words=rnd.choice([6, 8]), compact=rnd.random() < 0.5,
                indent=rnd.choice([None, 2]))
