"""Heap dumps of Java and Android (HPROF), read on their own and compared with the tables java_heap_*, cell by cell; and a maker of them."""

import gzip
import math
import random
import re
import struct

SIZES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
TYPES = {2: "object", 4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
CODES = dict(Z="boolean", C="char", F="float", D="double", B="byte", S="short", I="int", J="long")
ROOTS = {0xFF: "unknown", 1: "jni_global", 2: "jni_local", 3: "java_frame", 4: "native_stack", 5: "sticky_class", 6: "thread_block", 7: "monitor",
         8: "thread", 0x89: "interned_string", 0x8A: "finalizing", 0x8B: "debugger", 0x8C: "reference_cleanup", 0x8D: "vm_internal",
         0x8E: "jni_monitor", 0x90: "unreachable"}
LOCAL = (2, 3, 4, 6, 0x8E)
STRENGTHS = {"java.lang.ref.SoftReference": 1, "java.lang.ref.WeakReference": 2, "java.lang.ref.PhantomReference": 3, "java.lang.ref.FinalReference": 4}
ROOT, CLASS, INSTANCE, OBJECTS, PRIMITIVES, BOOT = range(6)


def up(n, to):
    return -(-n // to) * to


# --- reading -------------------------------------------------------------------------------------


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        if n > len(self.data) - self.at:
            raise EOFError
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, n):
        return int.from_bytes(self.take(n), "big")


class Thing:
    def __init__(self, **values):
        self.__dict__.update(values)


def java_name(symbol):
    depth = len(symbol) - len(symbol.lstrip("["))
    rest = symbol[depth:]
    if depth and rest in CODES:
        symbol = CODES[rest] + "[]" * depth
    elif depth and rest.startswith("L") and rest.endswith(";"):
        symbol = rest[1:-1] + "[]" * depth
    return symbol.replace("/", ".")


def modified(data):
    data = data.replace(b"\xc0\x80", b"\0")
    return data.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Reader:
    def __init__(self, data):
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        self.data = data
        b = Bytes(data)
        self.version = data[13:18].decode()
        b.at = data.index(b"\0") + 1
        self.i = b.number(4)
        self.time = b.number(8)
        self.strings, self.names, self.serials, self.frames, self.traces = {}, {}, {}, {}, {}
        self.dumps = []
        ended = True
        while b.at < len(data):
            tag, _, n = b.number(1), b.take(4), b.number(4)
            if tag in (0x0C, 0x1C):
                if ended:
                    self.dumps.append([])
                if tag == 0x0C and len(data) - b.at >= 1 << 32 and (len(data) - b.at - n) % (1 << 32) == 0:
                    n = len(data) - b.at
                ended = tag == 0x0C
                segment = []
                self.dumps[-1].append(segment)
                if n == 0 and b.at < len(data) and data[b.at] not in (0x2C, 0x1C, 0x0C):
                    b.at = self.segment(segment, b.at, len(data))
                else:
                    assert self.segment(segment, b.at, b.at + n) == b.at + n
                    b.at += n
                continue
            ended = ended or tag == 0x2C
            r = Bytes(b.take(n))
            if tag == 1:
                self.strings.setdefault(self.id(r), r.data[r.at:])
            elif tag == 2:
                serial, cls, _, name = r.number(4), self.id(r), r.take(4), self.id(r)
                self.names.setdefault(cls, name)
                self.serials[serial] = cls
            elif tag == 4:
                self.frames.setdefault(self.id(r), (self.id(r), self.id(r), self.id(r), r.number(4), struct.unpack(">i", r.take(4))[0]))
            elif tag == 5:
                serial, _, count = r.number(4), r.take(4), r.number(4)
                self.traces.setdefault(serial, [self.id(r) for _ in range(count)])

    def id(self, b):
        return b.number(self.i)

    def size(self, kind):
        return self.i if kind == 2 else SIZES[kind]

    def name(self, key):
        return modified(self.strings[key]) if key in self.strings else "<string 0x%x>" % key

    def segment(self, out, at, end):
        b = Bytes(self.data[:end] if end < len(self.data) else self.data, at)
        while b.at < end:
            start = b.at
            try:
                out.append(self.sub(b))
            except (EOFError, KeyError):
                return start
        return b.at

    def sub(self, b):
        tag = b.number(1)
        if tag == 0xFE:
            return Thing(tag=tag, heap=b.number(4), name=self.id(b))
        s = Thing(tag=tag, id=None, serial=None, frame=None, trace=0)
        if tag in ROOTS:
            s.id = self.id(b)
            if tag == 1:
                self.id(b)
            if tag in LOCAL or tag == 8:
                s.serial = b.number(4)
            if tag in (2, 3, 8, 0x8E):
                s.frame = b.number(4)
            return s
        if tag not in (0x20, 0x21, 0x22, 0x23, 0xC3):
            raise KeyError
        s.id, s.trace = self.id(b), b.number(4)
        if tag == 0x20:
            s.super, s.loader = self.id(b), self.id(b)
            b.take(4 * self.i)
            s.size = b.number(4)
            for _ in range(b.number(2)):
                b.take(2)
                b.take(self.size(b.number(1)))
            s.statics = []
            for _ in range(b.number(2)):
                name, kind = self.id(b), b.number(1)
                s.statics.append((name, kind, b.take(self.size(kind))))
            s.fields = [(self.id(b), b.number(1)) for _ in range(b.number(2))]
        elif tag == 0x21:
            s.cls = self.id(b)
            s.values = b.take(b.number(4))
        elif tag == 0x22:
            n, s.cls = b.number(4), self.id(b)
            s.elements = struct.unpack(">%d%s" % (n, "I" if self.i == 4 else "Q"), b.take(n * self.i))
        else:
            s.n, s.type = b.number(4), b.number(1)
            s.values = None if tag == 0xC3 else b.take(s.n * SIZES[s.type])
        return s


# --- a dump as rows ---------------------------------------------------------------------------------


class Dump:
    """Nodes, classes, edges and sizes by the rules of MAT, and those that are measured."""

    def __init__(self, reader, segments):
        self.r = r = reader
        self.android = r.version == "1.0.3"
        self.roots, self.threads, self.objects, self.bodies = [], {}, [], {}
        classes = {s.id: s for part in segments for s in reversed(part) if s.tag == 0x20}
        for part in reversed(segments):
            for s in reversed(part):
                if s.tag == 0x20:
                    classes[s.id] = s
        taken, named = set(), []
        self.all_ids = []
        for part in segments:
            heap = None
            for s in part:
                if s.tag == 0xFE:
                    heap = r.name(s.name)
                elif s.tag in ROOTS:
                    self.roots.append(s)
                    if s.tag == 8:
                        self.threads.setdefault(s.serial, s)
                else:
                    s.heap = heap
                    self.all_ids.append(s.id)
                    if s.tag in (0x21, 0x22) and s.cls not in classes and s.cls not in named:
                        named.append(s.cls)
                    if s.tag == 0x21 and s.id in classes:
                        self.bodies.setdefault(s.id, s)
                    elif s.id not in taken and (s.id not in classes or s is classes[s.id]):
                        taken.add(s.id)
                        self.objects.append(s)
        self.make_classes(named)
        self.node = {s.id: i + 1 for i, s in enumerate(self.objects)}
        at = len(self.objects) + 1
        for c in self.classes:
            if not c.known:
                c.node = at
                if c.id is not None:
                    self.node[c.id] = at
                at += 1
            else:
                c.node = self.node[c.id]
        self.boot = at
        self.nodes = at + 1
        self.sizes()
        self.edges()

    def make_classes(self, named):
        r = self.r
        self.classes = [Thing(id=s.id, dump=s, known=True, trace=s.trace) for s in self.objects if s.tag == 0x20]
        unknown = 0
        for i in named:
            unknown += i not in r.names
            self.classes.append(Thing(id=i, dump=None, known=False, name=None if i in r.names else "unknown-class-%d" % unknown))
        for c in self.classes:
            if c.id in r.names:
                c.name = java_name(r.name(r.names[c.id]))
            elif c.known:
                c.name = "unknown-name@0x%x" % c.id
        self.by_id = {c.id: c for c in self.classes}

        def need(name):
            c = self.find(name)
            if c is None:
                c = Thing(id=None, dump=None, known=False, name=name)
                self.classes.append(c)
            return c

        self.class_class, self.loader_class = need("java.lang.Class"), need("java.lang.ClassLoader")
        kinds = {s.type for s in self.objects if s.tag in (0x23, 0xC3)}
        self.arrays = {kind: need(TYPES[kind] + "[]") for kind in sorted(kinds)}
        top = self.find("java.lang.Object")
        for row, c in enumerate(self.classes):
            c.row = row
            c.loader = c.dump.loader if c.known else 0
            c.statics, c.fields = (c.dump.statics, c.dump.fields) if c.known else ([], [])
            c.super = self.by_id.get(c.dump.super) if c.known else top if c is not top else None
            if c.known and c.dump.super == 0:
                c.super = None
        for c in self.classes:
            chain, above = [], c
            while above is not None:
                chain.append(above)
                above = above.super
            c.chain = chain
            c.strength = next((STRENGTHS[a.name] for a in chain if a.name in STRENGTHS), 0)

    def find(self, name):
        found = [c for c in self.classes if c.name == name]
        boot = [c for c in found if not c.known or c.dump.loader == 0]
        return (boot or found or [None])[0]

    def class_of(self, s):
        if s.tag == 0x20:
            return self.class_class
        return self.by_id[s.cls] if s.tag in (0x21, 0x22) else self.arrays[s.type]

    # sizes

    def fields_size(self, classes, reference):
        return sum(reference if kind == 2 else SIZES[kind] for c in classes for _, kind in c.fields)

    def sizes(self):
        i = self.r.i
        ids = sorted(set(self.all_ids))
        distances = [b - a for a, b in zip(ids, ids[1:])]
        self.align = min(max(math.gcd(*distances) if distances else 0, 8), 256)
        reference, before = i, None
        for s in (s for s in self.objects if s.tag == 0x22):
            if i == 8 and before and before.id <= s.id < before.id + 16 + 8 * len(before.elements):
                reference = 4
            before = s
        self.mat_r = reference
        self.header = self.ref = None
        self.distance = dict(zip(ids, distances))
        if self.android:
            self.align = 8
        else:
            self.vote()
        counts = {}
        for s in self.objects:
            counts.setdefault(id(self.class_of(s)), []).append(s)
        for c in sorted(self.classes, key=lambda c: len(c.chain)):
            c.mat_raw = i + reference if c.super is None else up(self.fields_size([c], reference) + c.super.mat_raw, reference)
            c.mat = up(c.mat_raw, self.align)
            c.size = c.mat
            c.extra = 0
            if self.android:
                c.mat = c.dump.size if c.known else 0
                c.size = up(c.mat, 8)
            elif self.header:
                h = {12: 8, 16: 12, 20: 16, 24: 16}[self.header]
                extra = c.super.extra if c.super else 0
                least = up(h + self.fields_size(c.chain, self.ref or reference) + extra, self.align)
                instances = [s for s in counts.get(id(c), []) if s.tag == 0x21]
                seen = [self.distance[s.id] for s in instances if s.id in self.distance]
                c.size = least
                count = len(counts.get(id(c), []))
                if seen and (min(seen) - least <= 16 or (count >= 3 and 2 * seen.count(min(seen)) >= count)):
                    c.size = min(seen)
                c.extra = max(0, extra + c.size - least)

    def array_size(self, header, kind, n):
        size = SIZES[kind]
        return up((up(header, 8) if size == 8 else header) + n * size, self.align)

    def objects_size(self, header, reference, n):
        return up(up(header, reference) + n * reference, self.align)

    def vote(self):
        votes, references = {}, {}
        for s in self.objects:
            g = self.distance.get(s.id)
            if s.tag in (0x23, 0xC3):
                for h in (12, 16, 20, 24):
                    if self.array_size(h, s.type, s.n) == g:
                        votes[h] = votes.get(h, 0) + 1
        if not votes:
            return
        self.header = max(votes, key=lambda h: (votes[h], h))
        for s in self.objects:
            if s.tag == 0x22 and len(s.elements) > 4:
                for r in (4, 8):
                    if self.objects_size(self.header, r, len(s.elements)) == self.distance.get(s.id):
                        references[r] = references.get(r, 0) + 1
        self.ref = max(references, key=lambda r: (references[r], r)) if references else None

    def size_of(self, s):
        """Measured and MAT's."""
        i, r = self.r.i, self.mat_r
        if isinstance(s, Thing) and hasattr(s, "chain") or s.tag == 0x20:
            c = s if hasattr(s, "chain") else self.by_id[s.id]
            n = sum((i if self.android else r) if kind == 2 else SIZES[kind] for _, kind, _ in c.statics)
            if self.android:
                n += self.class_class.dump.size if self.class_class.known else 0
                return n, n
            return up(n, self.align), up(n, self.align)
        if s.tag == 0x21:
            c = self.class_of(s)
            return c.size, c.mat
        if s.tag == 0x22:
            return self.array_sizes(None, len(s.elements))
        return self.array_sizes(s.type, s.n)

    def array_sizes(self, kind, n):
        i, r = self.r.i, self.mat_r
        size = (i if self.android else r) if kind is None else SIZES[kind]
        if self.android:
            return up(12 + n * size, 8), n * size
        mat = up(i + r + 4 + n * r, self.align) if kind is None else up(up(i + r + 4, r) + n * size, self.align)
        if not self.header:
            return mat, mat
        return (self.objects_size(self.header, self.ref or r, n) if kind is None else self.array_size(self.header, kind, n)), mat

    # edges

    def refer(self, edges, owner, target, kind, name=None, strength=0):
        if target is not None:
            edges.append((owner, target, kind, name, strength))

    def fields_of(self, s, cls):
        """(class, number of the field, offset in s.values, type)"""
        at = 0
        for c in cls.chain:
            for k, (name, kind) in enumerate(c.fields):
                size = self.r.size(kind)
                if at + size <= len(s.values):
                    yield c, k, name, at, kind
                at += size

    def value(self, s, name):
        """The first field of that name in an instance, or None."""
        for _, _, key, at, kind in self.fields_of(s, self.class_of(s)):
            if self.r.name(key) == name:
                return int.from_bytes(s.values[at:at + self.r.size(kind)], "big")
        return None

    def instance_edges(self, edges, owner, s, cls):
        for c, k, name, at, kind in self.fields_of(s, cls):
            if kind == 2:
                referent = c.name == "java.lang.ref.Reference" and self.r.name(name) == "referent"
                target = int.from_bytes(s.values[at:at + self.r.i], "big")
                self.refer(edges, owner, self.node.get(target), 4, ("field", c, len(c.statics) + k), cls.strength if referent else 0)

    def class_edges(self, edges, c):
        body = self.bodies.get(c.id) if c.id is not None else None
        cls = self.by_id[body.cls] if body else self.class_class
        self.refer(edges, c.node, cls.node, 0)
        self.refer(edges, c.node, c.super.node if c.super else None, 1)
        self.refer(edges, c.node, self.node.get(c.loader, self.boot) if c.loader else self.boot, 2)
        for k, (name, kind, value) in enumerate(c.statics):
            if kind == 2:
                unfinalized = c.name == "java.lang.ref.Finalizer" and self.r.name(name) == "unfinalized"
                self.refer(edges, c.node, self.node.get(int.from_bytes(value, "big")), 3, ("field", c, k), 5 if unfinalized else 0)
        if body:
            self.instance_edges(edges, c.node, body, cls)

    def edges(self):
        edges = []
        locals_of = {}
        if not any(s.tag == 5 for s in self.roots):
            rooted = {s.id for s in self.roots}
            for c in self.classes:
                if c.known and c.dump.loader == 0 and not c.name.endswith("[]") and c.id not in rooted:
                    self.roots.append(Thing(tag=None, id=c.id, serial=None, frame=None))
        for k, s in enumerate(self.roots):
            thread = self.thread_node(s.serial) if s.tag in LOCAL else None
            if thread is not None:
                locals_of.setdefault(thread, []).append((k, s))
            else:
                self.refer(edges, 0, self.node.get(s.id), 6, k)
        for s in self.objects:
            n = self.node[s.id]
            if s.tag == 0x20:
                self.class_edges(edges, self.by_id[s.id])
            else:
                self.refer(edges, n, self.class_of(s).node, 0)
                if s.tag == 0x21:
                    self.instance_edges(edges, n, s, self.class_of(s))
                elif s.tag == 0x22:
                    for k, e in enumerate(s.elements):
                        self.refer(edges, n, self.node.get(e), 5, k)
            for k, root in locals_of.get(n, []):
                self.refer(edges, n, self.node.get(root.id), 7, k)
        for c in self.classes:
            if not c.known:
                self.class_edges(edges, c)
        self.refer(edges, self.boot, self.loader_class.node, 0)
        self.references = edges

    def thread_node(self, serial):
        """Of an object of the file."""
        node = self.node.get(self.threads[serial].id) if serial in self.threads else None
        return node if node is not None and node <= len(self.objects) else None

    # texts

    def array_text(self, s, wide, big, offset=None, count=None):
        if s is None or s.tag != 0x23 or s.type not in (5, 8):
            return None
        data = s.values
        if s.type == 8 and not wide:
            units = data
        else:
            units = struct.unpack((">" if s.type == 5 or big else "<") + "%dH" % (len(data) // 2), data[:len(data) // 2 * 2])
        if offset is not None and count is not None and 0 <= offset and offset + count <= len(units):
            units = units[offset:offset + count]
        return units

    def strings(self):
        """{node: units}"""
        by_id = {s.id: s for s in self.objects}
        cls = self.find("java.lang.String")
        found, wide = [], []
        for s in self.objects:
            if s.tag == 0x21 and self.class_of(s) is cls:
                array = by_id.get(self.value(s, "value"))
                coder = self.value(s, "coder") == 1
                found.append((s, array, coder))
                if coder and array is not None and array.tag == 0x23 and array.type == 8 and len(array.values) > 1:
                    wide.append(array.values[:4096 // 2 * 2])
        weights = []
        for order in "<>":
            unpaired = low = 0
            for data in wide[:1000]:
                high = False
                for unit in struct.unpack("%s%dH" % (order, len(data) // 2), data[:len(data) // 2 * 2]):
                    unpaired += high != (0xDC00 <= unit < 0xE000)
                    high = 0xD800 <= unit < 0xDC00
                    low += unit < 0x100
                unpaired += high
            weights.append((unpaired, low))
        self.big = weights[1][0] < weights[0][0] and weights[1][1] > weights[0][1]
        texts = {}
        for s, array, coder in found:
            units = self.array_text(array, coder, self.big, self.value(s, "offset"), self.value(s, "count"))
            if units is not None:
                texts[self.node[s.id]] = units
        return texts


def text_of(units):
    raw = struct.pack("<%dH" % len(units), *units)
    text = raw.decode("utf-16-le", "surrogatepass")
    return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text)


def hash_of(units):
    h = 0
    for u in units:
        h = (h * 31 + u) & 0xFFFFFFFF
    return h - (1 << 32) if h >> 31 else h


# --- comparing --------------------------------------------------------------------------------------


def real(kind, value):
    n = struct.unpack(">f" if kind == 6 else ">d", value)[0]
    return None if n != n else n


def static(d, kind, value):
    """value, real_value, target"""
    n = int.from_bytes(value, "big", signed=kind in (8, 9, 10, 11))
    if kind == 2:
        return None, None, d.node.get(n) if n else None
    return (None, real(kind, value), None) if kind in (6, 7) else (n, None, None)


def signed(n):
    return None if n is None else n - (1 << 64) if n >> 63 else n


def rows_of(d, first, node_of_trace):
    """{table: rows as tuples}, ids from `first` on ({table: rows there are before})."""
    r = d.r
    classes, fields, field_row = [], [], {}
    cid = lambda c: first["java_heap_class"] + 1 + c.row
    totals = {}
    for s in d.objects:
        t = totals.setdefault(id(d.class_of(s)), [0, 0, 0])
        t[0], t[1], t[2] = t[0] + 1, t[1] + d.size_of(s)[0], t[2] + d.size_of(s)[1]
    for c in d.classes:
        if not c.known:
            t = totals.setdefault(id(d.class_class), [0, 0, 0])
            t[0], t[1], t[2] = t[0] + 1, t[1] + d.size_of(c)[0], t[2] + d.size_of(c)[1]
    t = totals.setdefault(id(d.loader_class), [0, 0, 0])
    t[0], t[1], t[2] = t[0] + 1, t[1] + d.loader_class.size, t[2] + d.loader_class.mat
    elements = {id(c): kind for kind, c in d.arrays.items()}
    for c in d.classes:
        size = d.array_sizes(elements.get(id(c)), 0) if c.name.endswith("[]") and len(c.name) > 2 else (c.size, c.mat)
        loader = d.node.get(c.loader) if c.loader else d.boot
        classes.append((cid(c), d.file_id, c.node, signed(c.id), c.name, cid(c.super) if c.super else None, loader, int(c.known),
                        c.dump.size if c.known else None, *size, *totals.get(id(c), [0, 0, 0]), node_of_trace(c.trace) if c.known else None))
        for k, entry in enumerate(c.statics + c.fields):
            field_row[id(c), k] = first["java_heap_field"] + 1 + len(fields)
            values = static(d, entry[1], entry[2]) if k < len(c.statics) else (None, None, None)
            fields.append((field_row[id(c), k], cid(c), r.name(entry[0]), TYPES[entry[1]], int(k < len(c.statics)), *values))
    references, count, at = [], {}, {}
    for owner, target, kind, name, strength in d.references:
        at.setdefault(owner, first["java_heap_reference"] + 1 + len(references))
        count[owner] = count.get(owner, 0) + 1
        if isinstance(name, tuple):
            name = field_row[id(name[1]), name[2]]
        elif kind in (6, 7):
            name += first["java_heap_root"] + 1
        references.append((d.file_id, owner, target, kind, name, strength))
    objects = [(d.file_id, 0, ROOT, None, None, None, 0, 0, None)]
    kinds = {0x20: CLASS, 0x21: INSTANCE, 0x22: OBJECTS, 0x23: PRIMITIVES, 0xC3: PRIMITIVES}
    for s in d.objects:
        length = len(s.elements) if s.tag == 0x22 else s.n if s.tag in (0x23, 0xC3) else None
        objects.append((d.file_id, d.node[s.id], kinds[s.tag], signed(s.id), cid(d.class_of(s)), length, *d.size_of(s), s.heap))
    for c in d.classes:
        if not c.known:
            objects.append((d.file_id, c.node, CLASS, signed(c.id), cid(d.class_class), None, *d.size_of(c), None))
    objects.append((d.file_id, d.boot, BOOT, None, cid(d.loader_class), None, d.loader_class.size, d.loader_class.mat, None))
    traces = [None] + [node_of_trace(s.trace) for s in d.objects] + [None] * (len(objects) - 1 - len(d.objects))
    objects = [(*o, at.get(o[1]), count.get(o[1], 0), t) for o, t in zip(objects, traces)]
    threads = list(d.threads)
    roots = []
    for s in d.roots:
        thread = threads.index(s.serial) + 1 + first["java_heap_thread"] if s.serial in d.threads and s.tag in (*LOCAL, 8) else None
        frame = s.frame if s.tag in (2, 3, 0x8E) and s.frame != 0xFFFFFFFF else None
        roots.append((d.file_id, d.node.get(s.id), signed(s.id), ROOTS.get(s.tag, "system_class"), thread, frame))
    strings = []
    for node, units in d.strings().items():
        text = text_of(units)
        data = text.encode()
        cut = len(data) > 65536
        strings.append((d.file_id, node, data[:65536].decode("utf-8", "ignore") if cut else text, len(units), hash_of(units) if cut else None))
    return {"java_heap_class": classes, "java_heap_field": fields, "java_heap_object": objects, "java_heap_reference": references,
            "java_heap_root": roots, "java_heap_string": strings, "java_heap_thread": thread_rows(d, first)}


def thread_rows(d, first):
    by_id = {s.id: s for s in d.objects}
    rows = []
    for serial, s in d.threads.items():
        t = by_id.get(s.id)
        name = tid = daemon = status = None
        if t is not None and t.tag == 0x21:
            string = by_id.get(d.value(t, "name"))
            holder = by_id.get(d.value(t, "holder"))
            holder = holder if holder is not None and holder.tag == 0x21 else None
            units = d.strings().get(d.node[string.id]) if string is not None and string.tag == 0x21 else \
                d.array_text(string, False, False) if string is not None else None
            name = text_of(units) if units is not None else None
            tid = signed(d.value(t, "tid"))
            daemon, status = (d.value(t, n) if d.value(t, n) is not None or holder is None else d.value(holder, n) for n in ("daemon", "threadStatus"))
            daemon = None if daemon is None else int(daemon != 0)
            status = None if status is None else status - (1 << 32) if status >> 31 else status
        rows.append((first["java_heap_thread"] + 1 + len(rows), d.file_id, serial, d.thread_node(serial), name, tid, daemon, status))
    return rows


def stack(reader, serial):
    """Frames from the outermost one: (class, method, signature, file, line)."""
    out = []
    for i in reversed(reader.traces.get(serial, [])):
        if i in reader.frames:
            method, signature, source, cls, line = reader.frames[i]
            symbol = reader.names.get(reader.serials.get(cls))
            out.append((re.sub(r"[+/]0x[0-9a-f]+$", "", java_name(reader.name(symbol))) if symbol is not None else None, reader.name(method),
                        reader.name(signature) if signature else None, reader.name(source) if source else None, line if line > 0 else None))
    return out


TABLES = ["java_heap_class", "java_heap_field", "java_heap_object", "java_heap_reference", "java_heap_root", "java_heap_string"]


def stacks_of(db):
    nodes = {}
    for node, parent, line, package, cls, name, signature, source in db.execute(
            "SELECT n.id, n.parent_id, n.line, m.package, m.class, m.name, m.signature, m.file FROM stack_node n JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"):
        full = ".".join(x for x in (package, cls) if x) or None
        nodes[node] = nodes.get(parent, []) + [(full, name, signature, source, line)]
    return nodes


def compare(db, path):
    """What is wrong with the tables of a database (a connection) that a file was converted into, or None."""
    with open(path, "rb") as f:
        reader = Reader(f.read())
    stacks = stacks_of(db)
    by_stack = {}
    for node, frames in stacks.items():
        by_stack.setdefault(tuple(frames), node)
    node_of_trace = lambda serial: by_stack.get(tuple(stack(reader, serial)))
    first = {t: 0 for t in TABLES + ["java_heap_thread"]}
    files = db.execute("SELECT id, version, id_size, ts, array_header, reference_size, alignment, object_count, reference_count, class_count, string_count FROM java_heap_file ORDER BY id").fetchall()
    if len(files) != len(reader.dumps):
        return "%d dumps, not %d" % (len(files), len(reader.dumps))
    wanted = {t: [] for t in first}
    for k, segments in enumerate(reader.dumps):
        d = Dump(reader, segments)
        d.file_id = k + 1
        rows = rows_of(d, first, node_of_trace)
        for t, more in rows.items():
            wanted[t] += more
            first[t] += len(more)
        head = (k + 1, reader.version, reader.i, reader.time * 1000000 if reader.time < 9223372036854 else None, d.header, d.ref, d.align, len(rows["java_heap_object"]),
                len(rows["java_heap_reference"]), len(d.classes), len(rows["java_heap_string"]))
        if files[k] != head:
            return "java_heap_file: %s, not %s" % (files[k], head)
    for t in TABLES:
        got = db.execute("SELECT * FROM %s ORDER BY rowid" % t).fetchall()
        if got != wanted[t]:
            k = next((k for k, (a, b) in enumerate(zip(got, wanted[t])) if a != b), min(len(got), len(wanted[t])))
            return "%s, row %d of %d (wanted %d): %s, not %s" % (t, k + 1, len(got), len(wanted[t]), got[k:k + 1], wanted[t][k:k + 1])
    got = db.execute("SELECT * FROM java_heap_thread ORDER BY id").fetchall()
    if [t[:8] for t in got] != wanted["java_heap_thread"]:
        return "java_heap_thread: %s, not %s" % (got, wanted["java_heap_thread"])
    serials = [d.threads[t[2]].frame for t in got]
    for row, serial in zip(got, serials):
        node = db.execute("SELECT node_id FROM stack_sample WHERE id = ?", (row[8],)).fetchone()
        if (stacks.get(node[0]) if node else []) != stack(reader, serial):
            return "the stack of thread %s" % (row,)
    return None


# --- making -----------------------------------------------------------------------------------------


class Maker:
    """Records of a dump. form: segments, one (0C), zero (lengths of 0), mixed (what is after what needs it)."""

    def __init__(self, i=8, version=b"1.0.2", time=1700000000000):
        self.i = i
        self.head = b"JAVA PROFILE " + version + b"\0" + struct.pack(">IQ", i, time)
        self.texts = {}
        self.before, self.subs = [], []
        self.serial = 0

    def id(self, value):
        return value.to_bytes(self.i, "big")

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = 0x400000 + len(self.texts)
        return self.texts[value]

    @staticmethod
    def record(tag, body):
        return struct.pack(">BII", tag, 0, len(body)) + body

    def strings(self):
        return [self.record(1, self.id(n) + t.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass").encode("utf-8", "surrogatepass")
                            .replace(b"\0", b"\xc0\x80")) for t, n in self.texts.items()]

    def load(self, cls, name):
        self.serial += 1
        self.before.append(self.record(2, struct.pack(">I", self.serial) + self.id(cls) + struct.pack(">I", 0) + self.id(self.text(name))))

    def cls(self, cls, name, above=0, loader=0, size=16, statics=(), fields=(), trace=0, constants=0):
        if name is not None:
            self.load(cls, name)
        body = b"\x20" + self.id(cls) + struct.pack(">I", trace) + self.id(above) + self.id(loader) + bytes(4 * self.i) + struct.pack(">I", size)
        body += struct.pack(">H", constants) + b"".join(struct.pack(">HBI", k, 10, k) for k in range(constants))
        body += struct.pack(">H", len(statics)) + b"".join(self.id(self.text(n)) + bytes([k]) + v for n, k, v in statics)
        body += struct.pack(">H", len(fields)) + b"".join(self.id(self.text(n)) + bytes([k]) for n, k in fields)
        self.subs.append(body)

    def instance(self, obj, cls, values, trace=0):
        self.subs.append(b"\x21" + self.id(obj) + struct.pack(">I", trace) + self.id(cls) + struct.pack(">I", len(values)) + values)

    def objects(self, obj, cls, elements, trace=0):
        self.subs.append(b"\x22" + self.id(obj) + struct.pack(">II", trace, len(elements)) + self.id(cls) + b"".join(map(self.id, elements)))

    def primitives(self, obj, kind, data, trace=0):
        self.subs.append(b"\x23" + self.id(obj) + struct.pack(">IIB", trace, len(data) // SIZES[kind], kind) + data)

    def no_data(self, obj, kind, n):
        self.subs.append(b"\xc3" + self.id(obj) + struct.pack(">IIB", 0, n, kind))

    def root(self, tag, obj, serial=0, frame=0xFFFFFFFF):
        body = bytes([tag]) + self.id(obj)
        body += self.id(0) if tag == 1 else b""
        body += struct.pack(">I", serial) if tag in LOCAL or tag == 8 else b""
        self.subs.append(body + (struct.pack(">I", frame) if tag in (2, 3, 8, 0x8E) else b""))

    def heap(self, number, name):
        self.subs.append(b"\xfe" + struct.pack(">I", number) + self.id(self.text(name)))

    def frame(self, frame, method, signature, source, serial, line):
        self.before.append(self.record(4, self.id(frame) + self.id(self.text(method)) + self.id(self.text(signature)) +
                                       (self.id(self.text(source)) if source else self.id(0)) + struct.pack(">Ii", serial, line)))

    def trace(self, serial, frames):
        self.before.append(self.record(5, struct.pack(">III", serial, 0, len(frames)) + b"".join(map(self.id, frames))))

    def bytes(self, form="segments", strings_last=False, end=True, part=50):
        out = self.strings() + self.before
        if form == "one":
            segments = [self.record(0x0C, b"".join(self.subs))]
        else:
            segments = [self.record(0x1C, b"".join(self.subs[k:k + part])) for k in range(0, len(self.subs), part)]
            if form == "zero":
                segments = [s[:5] + bytes(4) + s[9:] for s in segments]
        last = [self.record(0x2C, b"")] if end and form != "one" else []
        return self.head + b"".join(segments + last + out if strings_last else out + segments + last)


def number(kind, rng):
    return rng.randrange(1 << 8 * SIZES[kind]).to_bytes(SIZES[kind], "big")


def random_dump(seed, n=60):
    """A dump of a random form, and its bytes."""
    rng = random.Random(seed)
    i = rng.choice((4, 8))
    android = rng.random() < 0.3
    m = Maker(i, b"1.0.3" if android else rng.choice((b"1.0.1", b"1.0.2")))
    step = rng.choice((8, 8, 16, 1 << 30 if i == 8 else 8))
    places = rng.sample(range(1, 40 * n), 12 * n // 10 + 40)
    ids = [0x1000 + step * p for p in (sorted(places) if rng.random() < 0.6 else places)]
    take = lambda: ids.pop(0)
    names = ["java.lang.Object", "java.lang.Class", "java/lang/String", "[B", "[Ljava/lang/String;", "java.lang.ref.Reference", "java.lang.ref.WeakReference",
             "java.lang.Thread", "java.lang.ref.Finalizer", "[[I", "char[]"] + ["p/C%d" % k for k in range(rng.randrange(12))]
    classes = {}
    for name in names:
        if rng.random() < 0.85 or name == "java.lang.Object":
            classes[name] = take()
    objects = [take() for _ in range(n)]
    every = objects + list(classes.values()) + [0, 0, take(), take()]
    any_id = lambda: rng.choice(every)
    shapes = {}
    order = list(classes.items())
    own = {"java/lang/String": rng.choice(([("hash", 10), ("coder", 8), ("value", 2)], [("value", 2), ("offset", 10), ("count", 10)], [("value", 2)])),
           "java.lang.ref.Reference": [("referent", 2), ("next", 2)], "java.lang.Thread": [("name", 2), ("tid", 11), ("daemon", 4), ("threadStatus", 10)]}
    above = {}
    for k, (name, c) in enumerate(order):
        fields = own.get(name, [] if name == "java.lang.Object" or name.startswith("[") else
                         [("f%d" % rng.randrange(9), rng.choice(list(TYPES))) for _ in range(rng.randrange(5))])
        parent = 0 if name == "java.lang.Object" else classes["java.lang.Object"] if rng.random() < 0.6 or k == 0 or name == "java/lang/String" else order[rng.randrange(k)][1]
        parent = classes.get("java.lang.ref.Reference", parent) if name == "java.lang.ref.WeakReference" else parent
        above[c] = parent
        shapes[c] = (name, fields)
        statics = [(rng.choice(("s", "unfinalized", "t")), kind, m.id(any_id()) if kind == 2 else number(kind, rng))
                   for kind in (rng.choice(list(TYPES)) for _ in range(rng.randrange(4)))]
        m.cls(c, name if rng.random() < 0.95 else None, parent, any_id() if rng.random() < 0.2 else 0, rng.randrange(8, 60), statics, fields,
              rng.choice((0, 1, 7)), rng.randrange(3) if rng.random() < 0.1 else 0)

    def values(c):
        out = b""
        while c in shapes:
            for name, kind in shapes[c][1]:
                out += m.id(any_id()) if kind == 2 else (rng.randrange(4)).to_bytes(SIZES[kind], "big") if name in ("offset", "count", "coder") else number(kind, rng)
            c = above[c]
        return out

    for o in objects:
        form = rng.random()
        trace = rng.choice((0, 0, 1, 7, 99))
        if form < 0.6:
            c = classes["java/lang/String"] if "java/lang/String" in classes and rng.random() < 0.4 else rng.choice(list(classes.values()))
            m.instance(o, c, values(c), trace)
        elif form < 0.65:
            m.instance(o, every[-1], bytes(rng.randrange(20)), trace)
        elif form < 0.8:
            m.objects(o, rng.choice(list(classes.values())), [any_id() for _ in range(rng.choice((0, 1, 7, 40)))], trace)
        elif form < 0.85 and android:
            m.no_data(o, rng.choice(list(SIZES)), rng.randrange(1000))
        else:
            kind = rng.choice((8, 5, 8, *SIZES))
            count = rng.choice((0, 1, 5, 40, 3000 if rng.random() < 0.1 else 9))
            m.primitives(o, kind, bytes(rng.choice((0x41, 0x20, 0xD8, 0xDC, 0, 0xE9, 4)) for _ in range(count * SIZES[kind])), trace)
    if rng.random() < 0.2 and "java.lang.Class" in classes:
        c = classes["java.lang.Class"]
        m.instance(classes["java.lang.Object"], c, values(c))
    tags = list(ROOTS) if android else [t for t in ROOTS if t < 9 or t == 0xFF]
    if rng.random() < 0.3:
        tags = [t for t in tags if t != 5]
    for _ in range(rng.randrange(30)):
        tag = rng.choice(tags)
        m.root(tag, any_id(), rng.randrange(4), rng.choice((0, 3, 0xFFFFFFFF)) if tag != 8 else rng.choice((0, 1, 7)))
    for k in range(5):
        m.frame(0x900 + k, "m%d" % k, "()V", "S.java" if k % 2 else None, 1 + k % 3, rng.choice((-3, -1, 0, 7, 9)))
    m.trace(1, [])
    m.trace(7, [0x900 + k for k in range(rng.randrange(5))])
    if android or rng.random() < 0.4:
        rng.shuffle(m.subs)
    if android:
        for _ in range(4):
            m.subs.insert(rng.randrange(len(m.subs)), b"\xfe" + struct.pack(">I", 65) + m.id(m.text(rng.choice(("app", "zygote")))))
    return m.bytes(rng.choice(("segments", "segments", "one", "zero")), rng.random() < 0.2)
