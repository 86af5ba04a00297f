#!/usr/bin/env python3
"""Reads a binary heap dump of ArkTS (.rawheap) by the description of the format, and compares every cell of the heap's tables with it.

usage: rawheap_dump.py DATABASE FILE
       rawheap_dump.py --snapshot FILE OUT     writes what it read as a .heapsnapshot
"""

import json
import sqlite3
import struct
import sys

from cells import cells

NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic", "concatenated string", "slicedstring", "symbol", "bigint", "framework",
              "handle", "class"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak", "xref"]
NODE_FIELDS = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness", "native_size"]
ELEMENT, PROPERTY, SHORTCUT, WEAK = 1, 2, 5, 6
REFERENCE = 0xFFFF000000000006
HOLE = 5


def u32(b, at):
    return struct.unpack_from("<I", b, at)[0]


def u64(b, at):
    return struct.unpack_from("<Q", b, at)[0]


class Strings:
    """Numbers of texts in the order of first use."""

    def __init__(self):
        self.all = [b"<dummy>", b"", b"GC roots"]
        self.of = {}

    def number(self, text):
        text = text.encode() if isinstance(text, str) else text
        if text not in self.of:
            self.of[text] = len(self.all)
            self.all.append(text)
        return self.of[text]


class Types:
    def __init__(self, text):
        read = json.loads(text, object_pairs_hook=lambda pairs: pairs)
        top = dict(read)
        self.enum = [name for name, _ in top["type_enum"]]
        self.node_type = [v for _, v in top["type_enum"]]
        listed = {}
        for t in (dict(t) for t in top["type_list"]):
            listed.setdefault(t["name"], []).append(t)
        layout = dict(top["type_layout"])
        self.dictionary = dict(layout["Dictionary_layout"])
        ranges = dict(layout["Type_range"])
        place = lambda key: self.enum.index(ranges[key]) if ranges.get(key) in self.enum else None  # noqa: E731
        span = lambda a, b: range(place(a), place(b) + 1) if None not in (place(a), place(b)) else range(0)  # noqa: E731
        self.strings, self.objects = span("string_first", "string_last"), span("js_object_first", "js_object_last")
        self.fields, self.end, self.array, self.label = {}, {}, {}, {}
        for name in self.enum:
            chain, at = [], name
            while at in listed and at not in chain:
                chain.append(at)
                parents = listed[at][0].get("parents") or []
                at = parents[0] if parents else None
            base, fields = 0, []
            for level in reversed(chain):
                for one in listed[level]:
                    for f in (dict(f) for f in one.get("offsets", [])):
                        fields.append((f.get("name", ""), base + f.get("offset", 0), f.get("size", 0)))
                base += listed[level][0].get("end_offset", 0)
            self.fields[name], self.end[name] = fields, base
            self.array[name] = any(one.get("visit_type") == "Array" for level in chain for one in listed[level][:1])
            self.label[name] = (listed[name][0].get("node_name") if name in listed else None) or name.lower()

    def constant(self, type_name, field):
        found = [f for f in self.fields.get(type_name, []) if f[0] == field]
        return found[-1] if found else None


class Node:
    def __init__(self, kind, name, ident=0, size=0, address=None):
        self.type, self.name, self.id, self.size, self.address = kind, name, ident, size, address
        self.edges, self.native, self.memory, self.number, self.listed, self.hash, self.cls, self.glob, self.head = [], 0, None, 0, False, 0, None, False, False


class Dump:
    def __init__(self, data):
        self.b = data
        self.version = 2 if data[0:1] == b"2" else 1
        self.w = 4 if self.version == 2 else 8
        at, n = u32(data, len(data) - 8), u32(data, len(data) - 4)
        self.types = Types(data[at:at + n])
        pairs = u32(data, at - 8)
        self.s = [u32(data, at - 8 - 4 * pairs + 4 * i) for i in range(pairs)]
        self.texts = [""] * 3
        if self.s[0] > 16:
            self.texts = [data[a:a + k].split(b"\0")[0].decode() for a, k in ((16, 32), (48, 16), (64, 8))]
        self.strings = Strings()
        self.nodes, self.values, self.late = [], [], []
        self.by_address, self.value_of, self.native_of = {}, {}, {}
        self.read()

    def address(self, at):
        return u32(self.b, at) if self.w == 4 else u64(self.b, at)

    def word_list(self, at, n):
        return [self.address(at + self.w * i) for i in range(n)]

    # --- parts ---

    def read_roots(self):
        at = self.s[0]
        n = u32(self.b, at)
        self.roots = self.word_list(at + 8, n)
        at += 8 + n * self.w
        end = self.s[2]
        self.groups, self.refs = [[], [], [], []], None
        for g in range(4):
            rest = end - at
            if rest == 0 or (g < 2 and rest <= 4):
                return
            n = u32(self.b, at)
            self.groups[g] = self.word_list(at + 4, n)
            at += 4 + n * self.w
        if end - at >= 4:
            n = u32(self.b, at)
            if n != 0xFFFFFFFF and 4 + n * (8 + self.w) <= end - at:
                self.refs = [(u64(self.b, at + 4 + i * (8 + self.w)), self.address(at + 12 + i * (8 + self.w))) for i in range(n)]

    def read_strings(self):
        at = self.s[2] + 8
        out = []
        for _ in range(u32(self.b, self.s[2])):
            n, k = u32(self.b, at), u32(self.b, at + 4)
            text = self.b[at + 8 + k * self.w:][:n]
            out.append((text.split(b"\0")[0], self.word_list(at + 8, k)))
            at += 8 + k * self.w + n + 1
        return out

    def rows(self):
        """(row's place, memory's begin) of all tables."""
        for t in range(4, len(self.s), 2):
            if self.s[t + 1] == 0 or (t > 4 and self.version == 2):
                continue
            n, step = u32(self.b, self.s[t]), u32(self.b, self.s[t] + 4)
            for i in range(n):
                yield self.s[t] + 8 + i * step, self.s[t] + 8, self.s[t] + 8 + n * step, self.s[t] + self.s[t + 1]

    # --- nodes ---

    def add(self, *args, **kw):
        self.nodes.append(Node(*args, **kw))
        return self.nodes[-1]

    def meet(self, address):
        if address not in self.by_address:
            self.by_address[address] = self.add(8, b"", address=address)
        return self.by_address[address]

    def read(self):
        self.read_roots()
        table = self.read_strings()
        num = self.strings.number
        self.root = self.add(9, b"SyntheticRoot", 1, 0)
        num("SyntheticRoot")
        num("-subroot-")
        self.group_nodes = []
        for name, members in zip(("LocalHandleRoot", "GlobalHandleRoot", "VMRoot", "FrameRoot"), self.groups):
            self.group_nodes.append(self.add(15, b"%s[%d]" % (name.encode(), len(members)), 0, 1))
            num(self.group_nodes[-1].name)
        self.meta = None
        invalid = None
        if self.texts[0] or self.texts[1]:
            self.meta = self.add(8, b"HeapMetadata", 0, 1)
            num("HeapMetadata")
        elif self.version == 2:
            invalid = self.add(8, b"", 0, 0)
        self.gho, refs = None, []
        if self.refs is not None:
            distinct = {}
            for ref, obj in self.refs:
                distinct.setdefault(ref, obj)
            self.gho = self.add(15, b"GlobalHandleObject[%d]" % len(distinct), 0, 1)
            num(self.gho.name)
            for ref, obj in distinct.items():
                refs.append((Node(3, b"ReferenceAddress:0x%x" % ref, 0, 0), obj))
                num(refs[-1][0].name)
        if self.meta is not None:
            for text, name in zip(self.texts, ("spaceType", "heapType", "vmType")):
                self.late.append((num(text), 1, self.meta, num(name)))
        self.refs = refs
        (self.nodes_first if self.version == 1 else self.nodes_second)(table, refs)
        if invalid is not None:
            invalid.name = self.types.label[self.types.enum[0]].encode()
            num(invalid.name)
        for n in self.objects():
            self.name(n)
        if self.gho is not None:
            num("JSObject")
        self.make_edges()

    def objects(self):
        refs = {id(n) for n, _ in self.refs}
        return [n for n in self.nodes if n.address is not None and id(n) not in refs]

    def nodes_first(self, table, refs):
        for a in self.roots + [a for g in self.groups for a in g]:
            self.meet(a)
        self.nodes.extend(n for n, _ in refs)
        for text, addresses in table:
            self.strings.number(text)
            for a in addresses:
                node = self.meet(a)
                node.name, node.listed = text, True
        for row, begin, _, end in self.rows():
            node = self.meet(u64(self.b, row))
            node.id, node.hash, node.size = u32(self.b, row + 8), u32(self.b, row + 12), u32(self.b, row + 16)
            node.memory = begin + u32(self.b, row + 20)
            node.head = node.memory + node.size > end  # of a string; or of what has no class, which may be one
        field = self.types.constant("HCLASS", "BitField")
        for node in self.objects():
            if node.memory is not None:
                node.cls = self.by_address.get(u64(self.b, node.memory))
        for node in self.objects():
            c = node.cls
            if c is not None and c.memory is not None and not c.head and field[1] + 4 <= c.size:
                node.number = u32(self.b, c.memory + field[1]) & 255
            if node.number >= len(self.types.enum):
                node.number = 0

    def nodes_second(self, table, refs):
        self.row_nodes = []
        for row, _, memory, end in self.rows():
            node = self.add(8, b"", u32(self.b, row + 8), u32(self.b, row + 4), address=u32(self.b, row))
            node.hash, node.native, node.number = u32(self.b, row + 12), u32(self.b, row + 16), self.b[row + 20]
            self.by_address.setdefault(node.address, node)
            self.row_nodes.append(node)
            self.tokens_at, self.tokens_end = memory, end
        self.nodes.extend(n for n, _ in refs)
        for text, addresses in table:
            self.strings.number(text)
            for a in addresses:
                node = self.by_address.get(a)
                if node is not None:
                    node.name, node.listed, node.glob = text, True, node.glob or b"_GLOBAL" in text

    def kind(self, node):
        return self.types.enum[node.number] if node.number < len(self.types.enum) else None

    def is_string(self, node):
        return node.number in self.types.strings

    def name(self, node):
        first = self.version == 1
        if node.number < len(self.types.enum) and not (first and node.number == 0):
            node.type = self.types.node_type[node.number]
        else:
            node.type = 2 if first and node.listed else 8
        has = not first or node.memory is not None
        if has and not node.listed and not self.is_string(node):
            node.name = (self.types.label[self.kind(node)] if self.kind(node) else "unknown_type").encode()
            self.strings.number(node.name)
        if (first and has and b"_GLOBAL" in node.name) or (not first and node.glob):
            node.type = 14
        if first and has and self.kind(node) == "JS_NATIVE_POINTER":
            f = self.types.constant("JS_NATIVE_POINTER", "BindingSize")
            if f and f[1] + 4 <= node.size:
                node.native = u32(self.b, node.memory + f[1])

    # --- edges ---

    def make_edges(self):
        num = self.strings.number
        for n in self.group_nodes + [n for n in (self.meta, self.gho) if n is not None] + [self.by_address[a] for a in self.roots if a in self.by_address]:
            self.root.edges.append((SHORTCUT, num("-subroot-"), n))
        for n, members in zip(self.group_nodes, self.groups):
            n.edges = [(ELEMENT, i, m) for i, m in enumerate(self.by_address[a] for a in members if a in self.by_address)]
        for i, (_, _, owner, name) in enumerate(self.late):
            owner.edges.append((PROPERTY, name, ("late", i)))
        if self.gho is not None:
            self.gho.edges = [(ELEMENT, i, n) for i, (n, _) in enumerate(self.refs)]
        refs = {id(n): obj for n, obj in self.refs}
        for node in self.nodes:
            if id(node) in refs:
                target = self.by_address.get(refs[id(node)])
                if target is not None:
                    node.edges.append((PROPERTY, num("JSObject"), target))
            elif node.address is not None:
                (self.edges_first if self.version == 1 else self.edges_second)(node)

    def head(self, node):
        num = self.strings.number
        num("hclass")
        num("ArkInternalHash")
        if node.cls is not None and node.cls.id != node.id:
            node.edges.append((PROPERTY, num("hclass"), node.cls))
        if node.hash:
            node.edges.append((PROPERTY, num("ArkInternalHash"), ("late", len(self.late))))
            self.late.append((num("Int:%d" % node.hash), 0, None, None))

    def slot(self, node, at):
        """A slot of an object's memory; None beyond it."""
        room = 0 if node.memory is None else 8 if self.is_string(node) or node.head else node.size
        return u64(self.b, node.memory + at) if 0 <= at and at + 8 <= room else None

    def half(self, node, at):
        room = 0 if node.memory is None else 8 if self.is_string(node) or node.head else node.size
        return u32(self.b, node.memory + at) if at + 4 <= room else None

    def strong(self, slot):
        return self.by_address.get(slot) if slot and not slot & (REFERENCE | 1) else None

    def value(self, slot):
        if slot not in self.value_of:
            fixed = {2: "Undefined", 3: "Null", 6: "Boolean:false", 7: "Boolean:true", 0xA: "Exception"}
            name = fixed.get(slot) or ("Int" if slot >> 48 == 0xFFFF else "Double" if slot >> 48 else "Illegal_Primitive")
            self.value_of[slot] = ("value", len(self.values))
            self.values.append(self.strings.number(name))
        return self.value_of[slot]

    def native(self, node, name, address):
        if address:
            if address not in self.native_of:
                self.native_of[address] = ("value", len(self.values))
                self.values.append(self.strings.number("0x%x" % address))
            node.edges.append((PROPERTY, name, self.native_of[address]))

    def edge(self, node, kind, name, slot):
        if slot is None or slot == HOLE:
            return
        if slot & REFERENCE:
            node.edges.append((kind, name, self.value(slot)))
            return
        target = self.by_address.get(slot & ~1) if slot & ~1 else None
        if target is not None and target is not node:
            name = self.strings.number(str(name)) if kind == ELEMENT and slot & 1 else name  # where others have an index, a weak one has a string
            node.edges.append((WEAK if slot & 1 else kind, name, target))

    def edges_first(self, node):
        t = self.types
        if node.memory is None:
            return
        self.head(node)
        if self.is_string(node):
            return
        kind = self.kind(node)
        data, length = t.constant("TAGGED_ARRAY", "Data"), t.constant("TAGGED_ARRAY", "Length")
        if kind == "GLOBAL_ENV":
            for i in range(node.size // 8 - 1):
                self.edge(node, ELEMENT, i, self.slot(node, 8 + 8 * i))
            return
        if t.array[kind]:
            if data[2] == 8:
                for i in range(self.half(node, length[1]) or 0):
                    if self.slot(node, data[1] + 8 * i) is None:
                        break
                    self.edge(node, ELEMENT, i, self.slot(node, data[1] + 8 * i))
            return
        for name, offset, size in t.fields[kind]:
            if size != 8:
                continue
            number = self.strings.number(name)
            if kind == "JS_NATIVE_POINTER" and name == "ExternalPointer":
                self.native(node, number, self.slot(node, offset))
            else:
                self.edge(node, PROPERTY, number, self.slot(node, offset))
        if kind == "JS_NATIVE_POINTER":
            return
        if node.number in t.objects:
            self.properties(node, data)
        if kind == "JS_WRAPPED_NAPI_OBJECT":
            self.wrapped(node, data, length)

    def properties(self, node, data):
        t = self.types
        p = self.strong(self.slot(node, t.constant("JS_OBJECT", "Properties")[1]))
        if p is None or p.memory is None:
            return
        if self.kind(p) == "TAGGED_DICTIONARY":
            d = t.dictionary
            for e in range(self.half(p, data[1] + 16) or 0):
                at = data[1] + 8 * d["header_size"] + 8 * d["entry_size"] * e
                if at + 8 * d["entry_size"] > (8 if self.is_string(p) or p.head else p.size):
                    break
                key = self.strong(self.slot(p, at + 8 * d["key_index"]))
                slot = self.slot(p, at + 8 * d["value_index"])
                if key is not None and slot is not None and (slot & REFERENCE or not slot & 1):
                    self.edge(node, PROPERTY, self.name_number(key), slot)
            return
        c = node.cls
        layout = self.strong(self.slot(c, t.constant("HCLASS", "Layout")[1])) if c is not None else None
        if layout is None or layout.memory is None:
            return
        bits = self.half(c, t.constant("HCLASS", "BitField1")[1])
        if bits is None:
            return
        inline_name = self.strings.number("InlineProperty")
        inlined = (bits >> 15 & 32767) - (bits >> 10 & 31)
        for i in range(bits & 1023):
            at = data[1] + 16 * i
            if self.slot(layout, at + 8) is None:
                break
            key = self.strong(self.slot(layout, at))
            if key is None:
                continue
            name = self.name_number(key) if key.name else inline_name
            if self.slot(layout, at + 8) & 0x10:
                slot = self.slot(node, t.end[self.kind(node)] + 8 * i)
            else:
                slot = self.slot(p, data[1] + 8 * (i - inlined)) if i >= inlined else None
            self.edge(node, PROPERTY, name, slot)

    def wrapped(self, node, data, length):
        a = self.strong(self.slot(node, self.types.constant("JS_WRAPPED_NAPI_OBJECT", "NativePointers")[1]))
        if a is None or a.memory is None:
            return
        n = self.half(a, length[1])
        if n is None or data[1] + 8 * n > (8 if self.is_string(a) or a.head else a.size):
            return
        for i in range(n):
            e = self.strong(self.slot(a, data[1] + 8 * i))
            if e is not None and e.memory is not None:
                address = self.slot(e, self.types.constant("JS_NATIVE_POINTER", "ExternalPointer")[1])
                if address:
                    self.native(node, self.strings.number("NativeAddress%d" % i), address)

    def edges_second(self, node):
        def token():
            b = self.b[self.tokens_at]
            if b & 2:
                self.tokens_at += 1
                return None
            if b & 4:
                self.tokens_at += 5
                return None
            self.tokens_at += 4
            a = u32(self.b, self.tokens_at - 4)
            return self.by_address.get(a) if a else None
        t = self.types
        node.cls = token()
        self.head(node)
        if self.is_string(node):
            return
        tokens = [token() for _ in range(max(0, -(-node.size // 8) - 1))]
        kind = self.kind(node)
        if kind is not None and t.array[kind]:
            node.edges.extend((ELEMENT, i, n) for i, n in enumerate(n for n in tokens if n is not None))
            return
        for name, offset, _ in t.fields[kind] if kind else []:
            i = offset // 8 - 1
            if 0 <= i < len(tokens) and tokens[i] is not None:
                node.edges.append((PROPERTY, self.strings.number(name), tokens[i]))
        if node.number in t.objects:
            for n in tokens[max(0, t.end[kind] // 8 - 1):]:
                if n is not None:
                    node.edges.append((PROPERTY, self.strings.number("InlineProperty"), n))

    # --- as rows ---

    def name_number(self, node):
        return self.strings.of.get(node.name, 1) if node.name or node.listed else 1

    def rows_of_all(self):
        """(nodes, edges, strings): nodes as the fields, edges as (type, name, to_node, from_id, to_id)."""
        place = {id(n): i for i, n in enumerate(self.nodes)}
        values, late = len(self.nodes), len(self.nodes) + len(self.values)

        def to(target):
            if isinstance(target, tuple):
                return (values if target[0] == "value" else late) + target[1]
            return place[id(target)]
        nodes = [(n.type, self.name_number(n), n.id, n.size, len(n.edges), 0, 0, n.native) for n in self.nodes]
        nodes += [(7, v, 0, 0, 0, 0, 0, 0) for v in self.values] + [(7, v, 0, size, 0, 0, 0, 0) for v, size, _, _ in self.late]
        edges = [(kind, name, to(target) * 8, n.id, nodes[to(target)][2]) for n in self.nodes for kind, name, target in n.edges]
        return nodes, edges, [s.decode("utf-8", "replace") for s in self.strings.all]

    def snapshot(self):
        nodes, edges, strings = self.rows_of_all()
        meta = {"node_fields": NODE_FIELDS, "node_types": [NODE_TYPES] + ["string"] + ["number"] * 6, "edge_fields": ["type", "name_or_index", "to_node"],
                "edge_types": [EDGE_TYPES, "string_or_number", "node"]}
        return {"snapshot": {"meta": meta, "node_count": len(nodes), "edge_count": len(edges), "trace_function_count": 0}, "nodes": [v for n in nodes for v in n],
                "edges": [v for e in edges for v in e[:3]], "strings": strings}


def actual(db, file_id=0):
    nodes = db.execute("SELECT type, name, id, self_size, edge_count, trace_node_id, detachedness, native_size FROM js_heap_nodes WHERE file_id = ? ORDER BY node_index", (file_id,)).fetchall()
    edges = db.execute("SELECT type, name_or_index, to_node, from_node_id, to_node_id FROM js_heap_edges WHERE file_id = ? ORDER BY edge_index", (file_id,)).fetchall()
    strings = [s for s, in db.execute("SELECT string FROM js_heap_string WHERE file_id = ? ORDER BY file_index", (file_id,))]
    return nodes, edges, strings


def compare(database, path):
    with open(path, "rb") as f:
        want = Dump(f.read()).rows_of_all()
    have = actual(sqlite3.connect(database))
    cells.add(want)
    for what, a, b in zip(("node", "edge", "string"), want, have):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return "%s %d is %r instead of %r" % (what, i, y, x)
        if len(a) != len(b):
            return "%d %ss instead of %d" % (len(b), what, len(a))
    return None


def main():
    if sys.argv[1] == "--snapshot":
        with open(sys.argv[2], "rb") as f, open(sys.argv[3], "w", encoding="utf-8") as out:
            json.dump(Dump(f.read()).snapshot(), out)
        return
    cells.end(compare(sys.argv[1], sys.argv[2]), sys.argv[2])


if __name__ == "__main__":
    main()
