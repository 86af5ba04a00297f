"""Made heap dumps of Java, as rows: what the analysis reads, without a reader of files."""
import random
import sqlite3

ROOT, CLASS, INSTANCE, OBJECTS, PRIMITIVES, BOOT = range(6)
THREAD = "java.lang.Thread"
LOCAL = "java.lang.ThreadLocal$ThreadLocalMap"
REFERENCES = {"java.lang.ref.SoftReference": 1, "java.lang.ref.WeakReference": 2, "java.lang.ref.PhantomReference": 3, "java.lang.ref.FinalReference": 4}


class Dump:
    """A graph that grows by calls; node 0 is the root."""

    def __init__(self):
        self.nodes = [[ROOT, None, 0, None]]  # kind, class, shallow size, length
        self.edges = [[]]  # of each node: (target, type, name, strength); name of a field: (class, text)
        self.classes = []  # name, super, node
        self.by_name = {}
        self.roots, self.threads, self.strings = [], [], []
        self.cls("java.lang.Object", None)
        self.cls("java.lang.Class")
        self.cls("java.lang.ref.Reference")
        for name in REFERENCES:
            self.cls(name, "java.lang.ref.Reference")
        for name in ("java.lang.String", "java.lang.ClassLoader", THREAD, "java.lang.ThreadLocal", LOCAL):
            self.cls(name)
        self.cls(LOCAL + "$Entry", "java.lang.ref.WeakReference")

    def node(self, kind, cls, size, length=None):
        self.nodes.append([kind, cls, size, length])
        self.edges.append([])
        return len(self.nodes) - 1

    def cls(self, name, above="java.lang.Object", size=0):
        node = self.node(CLASS, "java.lang.Class", size)
        self.by_name[name] = len(self.classes)
        self.classes.append((name, above, node))
        if above is not None:
            self.edges[node].append((self.classes[self.by_name[above]][2], 1, None, 0))
        return name

    def new(self, cls, size=16, kind=INSTANCE, length=None):
        v = self.node(kind, cls, size, length)
        self.edges[v].append((self.classes[self.by_name[cls]][2], 0, None, 0))
        return v

    def refer(self, v, field, target, declared=None, strength=None):
        """A field of an object; the referent of a reference object has the strength of its class."""
        cls = self.nodes[v][1]
        if field == "referent":
            declared = "java.lang.ref.Reference"
            while strength is None:
                strength = REFERENCES.get(cls)
                cls = self.classes[self.by_name[cls]][1] or "java.lang.ref.FinalReference"
        self.edges[v].append((target, 4, (declared or self.nodes[v][1], field), strength or 0))

    def element(self, v, index, target):
        self.edges[v].append((target, 5, index, 0))

    def root(self, node, kind="jni_global"):
        self.roots.append((node, kind, None))
        self.edges[0].append((node, 6, len(self.roots) - 1, 0))

    def thread(self, node, name):
        self.threads.append((node, name))
        self.root(node, "thread")

    def local(self, thread, node, kind="java_frame"):
        self.roots.append((node, kind, None))
        self.edges[thread].append((node, 7, len(self.roots) - 1, 0))

    def text(self, text, size=24):
        v = self.new("java.lang.String", size)
        self.strings.append((v, text))
        return v

    def thread_local(self, thread, key, value, name="threadLocals"):
        """A map with a table with an entry."""
        held, table, entry = self.new(LOCAL, 24), self.new("java.lang.Object", 32, OBJECTS, 4), self.new(LOCAL + "$Entry", 32)
        self.refer(thread, name, held, THREAD)
        self.refer(held, "table", table, LOCAL)
        self.element(table, 2, entry)
        if key is not None:
            self.refer(entry, "referent", key)
        self.refer(entry, "value", value, LOCAL + "$Entry")
        return entry

    def end(self):
        boot = self.node(BOOT, "java.lang.ClassLoader", 40)
        for _, _, node in self.classes:
            self.edges[node].append((boot, 2, None, 0))
            self.edges[node].insert(0, (self.classes[1][2], 0, None, 0))
        return self


def count(db, table):
    return db.execute(f"SELECT ifnull(max(rowid), 0) FROM {table}").fetchone()[0]


def add(db, dump, complete=1):
    """Its rows after those that are there."""
    first = {t: count(db, "java_heap_" + t) + 1 for t in ("file", "class", "field", "object", "reference", "root", "string")}
    file_id = first["file"]
    of_class = [0] * len(dump.classes)
    sizes = [0] * len(dump.classes)
    for _, cls, size, _ in dump.nodes[1:]:
        of_class[dump.by_name[cls]] += 1
        sizes[dump.by_name[cls]] += size
    fields = {}
    for e in (e for edges in dump.edges for e in edges if e[1] == 4):
        fields.setdefault(e[2], first["field"] + len(fields))

    rows = {}  # of each statement

    def put(table, **columns):
        sql = f"INSERT INTO java_heap_{table} ({','.join(columns)}) VALUES ({','.join('?' * len(columns))})"
        rows.setdefault(sql, []).append(list(columns.values()))

    for i, (name, above, node) in enumerate(dump.classes):
        put("class", file_id=file_id, node_index=node, address=node * 8, name=name, super_id=first["class"] + dump.by_name[above] if above else None,
            loader=len(dump.nodes) - 1, known=1, instance_size=16, mat_instance_size=16, count=of_class[i], shallow_size=sizes[i], mat_size=sizes[i])
    for cls, name in fields:
        put("field", class_id=first["class"] + dump.by_name[cls], name=name, type="object", is_static=0)
    done = 0
    for v, (kind, cls, size, length) in enumerate(dump.nodes):
        edges = dump.edges[v]
        put("object", file_id=file_id, node_index=v, kind=kind, address=v * 8 if kind not in (ROOT, BOOT) else None,
            class_id=first["class"] + dump.by_name[cls] if cls else None, length=length, shallow_size=size, mat_size=size,
            first_reference_rowid=first["reference"] + done if edges else None, reference_count=len(edges))
        done += len(edges)
        for target, kind, name, strength in edges:
            name = fields[name] if kind == 4 else first["root"] + name if kind in (6, 7) else name
            put("reference", file_id=file_id, owner=v, target=target, type=kind, name=name, strength=strength)
    for node, kind, _ in dump.roots:
        put("root", file_id=file_id, node_index=node, address=node * 8, kind=kind)
    for node, name in dump.threads:
        put("thread", file_id=file_id, serial=1, node_index=node, name=name)
    for node, text in dump.strings:
        put("string", file_id=file_id, node_index=node, text=text, length=len(text))
    put("file", source_id=1, version="1.0.2", id_size=8, alignment=8, first_object_rowid=first["object"], object_count=len(dump.nodes),
        first_reference_rowid=first["reference"], reference_count=done, first_class_id=first["class"], class_count=len(dump.classes),
        first_string_rowid=first["string"], string_count=len(dump.strings), complete=complete)
    for sql, values in rows.items():
        db.executemany(sql, values)
    return file_id


def write(path, dumps, complete=1):
    """Into a database of the program without heaps."""
    with sqlite3.connect(path) as db:
        for d in dumps:
            add(db, d, complete)
    db.close()


def worked():
    """A cache that holds most of the heap, a thread with variables, reference objects, a ring that nothing holds. Sizes are 16 unless they are said."""
    d = Dump()
    cache, entry, map_ = d.cls("Cache", size=40), d.cls("Entry"), d.cls("Map")
    main = d.new(THREAD, 100)
    worker = d.new(THREAD, 100)
    d.thread(main, "main")
    d.thread(worker, None)
    names = {"main": main, "worker": worker}
    names["cache"] = top = d.new(cache, 24)
    d.root(top)
    names["map"] = held = d.new(map_, 1000)
    d.refer(top, "map", held)
    names["table"] = table = d.new("java.lang.Object", 64, OBJECTS, 8)
    d.refer(held, "table", table)
    for i in range(3):
        names[f"entry{i}"] = e = d.new(entry, 1000)
        d.element(table, i, e)
        d.refer(e, "key", d.text("key"))
    names["soft"] = soft = d.new("java.lang.ref.SoftReference", 48)
    names["softly"] = softly = d.new(entry, 500)
    d.root(soft)
    d.refer(soft, "referent", softly)
    names["final"] = final = d.new("java.lang.ref.FinalReference", 48)
    names["finally"] = kept = d.new(entry, 32)
    d.root(final, "java_frame")
    d.refer(final, "referent", kept)
    names["key"], names["value"] = d.new("java.lang.ThreadLocal", 16), d.new(map_, 200)
    names["inherited"] = d.new(map_, 300)
    d.local(main, names["key"])
    d.thread_local(main, names["key"], names["value"])
    d.thread_local(worker, None, names["inherited"], "inheritableThreadLocals")
    names["ring0"], names["ring1"] = d.new(entry, 7), d.new(entry, 9)
    d.refer(names["ring0"], "key", names["ring1"])
    d.refer(names["ring1"], "key", names["ring0"])
    for _, _, node in d.classes:
        d.root(node, "sticky_class")
    return d.end(), names


def shape(name, n):
    """Graphs that are deep or wide."""
    d = Dump()
    nodes = [d.new("java.lang.Object") for _ in range(n)]
    for i, v in enumerate(nodes):
        if name == "list" and i + 1 < n:
            d.refer(v, "next", nodes[i + 1])
        if name == "back" and i + 1 < n:
            d.refer(v, "next", nodes[i + 1])
            d.refer(nodes[i + 1], "back", v)
        if name == "fan" and i > 0:
            d.refer(nodes[0], f"f{i % 3}", v)
            d.refer(nodes[n // 2], f"f{i % 3}", v)
        if name == "roots" or i == 0:
            d.root(v)
    return d.end()


def made(seed):
    """A random dump."""
    r = random.Random(seed)
    d = Dump()
    for i in range(r.randrange(1, 5)):
        d.cls(f"C{i}", r.choice(["java.lang.Object", *list(REFERENCES)[:2], *(f"C{k}" for k in range(i))]), r.choice([0, 8, 40]))
    names = list(d.by_name)
    few = r.random() < 0.7
    for _ in range(r.randrange(1, 25 if few else 150)):
        kind = r.choice([INSTANCE, INSTANCE, OBJECTS, PRIMITIVES])
        d.new(r.choice(names), r.choice([0, 8, 16, 24, 400, r.randrange(5000)]), kind, None if kind == INSTANCE else 9)
    objects = [d.new("java.lang.Object"), *(v for v, node in enumerate(d.nodes) if node[0] in (INSTANCE, OBJECTS))]
    threads = [d.new(THREAD, 100) for _ in range(r.randrange(3))]
    for i, t in enumerate(threads):
        d.thread(t, r.choice([None, f"t{i}"]))
        for _ in range(r.randrange(3)):
            d.local(t, r.randrange(1, len(d.nodes)), r.choice(["java_frame", "jni_local", "monitor"]))
    for _ in range(r.randrange(3 * len(d.nodes))):
        v, w = r.choice(objects + threads), r.randrange(1, len(d.nodes))
        if d.nodes[v][0] == OBJECTS:
            d.element(v, r.randrange(9), w)
        elif r.random() < 0.3 and any(d.nodes[v][1].endswith(n) for n in REFERENCES):
            d.refer(v, "referent", w)
        else:
            d.refer(v, r.choice("abc"), w, strength=5 if r.random() < 0.02 else 0)
    for t in threads:
        for name in r.sample(["threadLocals", "inheritableThreadLocals"], r.randrange(3)):
            d.thread_local(t, r.choice([None, d.new("java.lang.ThreadLocal")]), r.choice(objects), name)
    for _ in range(r.randrange(6)):
        v = d.text(r.choice(["", "a", "a", "bc", "x" * 300]))
        d.refer(r.choice(objects), "s", v)
    for _ in range(r.randrange(6)):
        d.root(r.randrange(1, len(d.nodes)), r.choice(["jni_global", "sticky_class", "monitor"]))
    return d.end()
