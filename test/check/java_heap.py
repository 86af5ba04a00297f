"""java_heap.py DATABASE...: rows of the analysis heap for heap dumps of Java, and answers of the questions on them, against a
plain computation from the rows of the import, written from the description of what Eclipse MAT computes. Prints what differs.
"""
import collections
import sqlite3
import sys

MAX = 2**63 - 1
SMALL = 60  # nodes up to which dominators are found by leaving each node out
LARGE = 1000  # from here on by walking up to a common one, again and again
KINDS = {"soft": 1, "weak": 2, "phantom": 3, "final": 4, "finalizer": 5}
NO_STEP = {1, 2, 3, 5}  # soft, weak, phantom, unfinalized
REFERENCE = ["<class>", "<super>", "<classloader>"]


class Heap:
    """One heap dump: its rows, then what is found out."""

    def __init__(self, db, file_id):
        db.row_factory = sqlite3.Row
        self.file_id = file_id
        self.detail = d = db.execute("SELECT * FROM java_heap_file WHERE id = ?", (file_id,)).fetchone()

        def rows(table, first, count):
            return db.execute(f"SELECT * FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid", (first, first + count - 1)).fetchall()

        self.objects = rows("java_heap_object", d["first_object_rowid"], d["object_count"])
        references = rows("java_heap_reference", d["first_reference_rowid"], d["reference_count"])
        self.classes = {c["id"]: c for c in rows("java_heap_class", d["first_class_id"], d["class_count"])}
        self.strings = rows("java_heap_string", d["first_string_rowid"], d["string_count"])
        self.fields = {f["id"]: f for f in db.execute("SELECT * FROM java_heap_field")}
        self.roots = dict(db.execute("SELECT rowid, kind FROM java_heap_root").fetchall())
        self.threads = {t["node_index"]: t["name"] for t in db.execute("SELECT * FROM java_heap_thread WHERE file_id = ?", (file_id,))}
        self.n = n = len(self.objects)
        self.sizes = [o["shallow_size"] for o in self.objects]
        self.edges = [[] for _ in range(n)]  # (target, strength, number of the reference)
        self.references = references
        for number, r in enumerate(references):
            self.edges[r["owner"]].append((r["target"], r["strength"], number))
        self.reached = self.walk(None)
        self.dominators()
        self.tree()
        self.step = self.paths()

    def walk(self, without):
        met, stack = {0} if self.n and without != 0 else set(), [0]
        while stack and met:
            for w, _, _ in self.edges[stack.pop()]:
                if w not in met and w != without:
                    met.add(w)
                    stack.append(w)
        return met

    def dominators(self):
        """All dominators of each node, then the one that has most of them itself."""
        order = sorted(self.reached)
        if self.n <= SMALL:
            self.above = {v: set() for v in order}
            for d in order:
                for v in self.reached - self.walk(d) - {d}:
                    self.above[v].add(d)
        elif self.n > LARGE:
            self.meet()
        else:
            into = collections.defaultdict(set)
            for v in order:
                for w, _, _ in self.edges[v]:
                    into[w].add(v)
            every = frozenset(order)
            self.above = {v: every - {v} for v in order}
            self.above[0] = frozenset()
            changed = True
            while changed:
                changed = False
                for v in order[1:]:
                    new = frozenset.intersection(*[self.above[p] | {p} for p in into[v] if p != v] or [frozenset()]) - {v}
                    changed, self.above[v] = changed or new != self.above[v], new
        if self.n <= LARGE:
            self.dominator = {v: max(self.above[v], key=lambda d: len(self.above[d])) if self.above[v] else None for v in order}
        self.retained = [0] * self.n
        self.count = [1] * self.n
        for v in order:
            for d in (v, *self.up(v)):
                self.retained[d] = min(self.retained[d] + self.sizes[v], MAX)
                self.count[d] += d != v

    def up(self, v):
        """All dominators."""
        if self.n <= LARGE:
            yield from self.above[v]
            return
        while self.dominator[v] is not None:
            v = self.dominator[v]
            yield v

    def meet(self):
        number, post, stack = {}, [], [(0, iter(self.edges[0]))]
        number[0] = 0
        while stack:  # depth first, without recursion
            v, rest = stack[-1]
            w = next((w for w, _, _ in rest if w not in number), None)
            if w is None:
                number[v] = len(post)
                post.append(v)
                stack.pop()
            else:
                number[w] = 0
                stack.append((w, iter(self.edges[w])))
        into = collections.defaultdict(set)
        for v in post:
            for w, _, _ in self.edges[v]:
                into[w].add(v)
        found, changed = {0: 0}, True
        while changed:
            changed = False
            for v in reversed(post[:-1]):
                new = None
                for p in into[v]:
                    if p in found:
                        a, b = p, p if new is None else new
                        while a != b:
                            a, b = (found[a], b) if number[a] < number[b] else (a, found[b])
                        new = a
                if found.get(v) != new:
                    found[v], changed = new, True
        self.dominator = {**found, 0: None}

    def tree(self):
        self.children = collections.defaultdict(list)
        for v in sorted(self.reached - {0}):
            self.children[self.dominator[v]].append(v)
        stack, self.order = [0] if self.n else [], []
        while stack:
            v = stack.pop()
            self.order.append(v)
            stack += reversed(self.children[v])
        self.order += [v for v in range(self.n) if v not in self.reached]
        self.position = {v: p for p, v in enumerate(self.order)}

    def paths(self, without=frozenset(NO_STEP)):
        """Of each node that has a path its retainer, the reference, and its distance."""
        step = {0: (None, None, 0)} if self.n else {}
        queue = collections.deque(step)
        while queue:
            v = queue.popleft()
            for w, strength, number in self.edges[v]:
                if strength not in without and w not in step:
                    step[w] = (v, number, step[v][2] + 1)
                    queue.append(w)
        return step

    # --- tables -------------------------------------------------------------------------------------------------------

    def node_rows(self):
        for v in range(self.n):
            retainer, reference, distance = self.step.get(v, (None, None, None))
            yield (self.file_id, self.dominator.get(v), retainer, reference, distance, self.sizes[v], self.retained[v], self.position[v], self.count[v])

    def class_rows(self):
        of_class = collections.defaultdict(list)
        for v in sorted(self.reached):
            of_class[self.objects[v]["class_id"]].append(v)
        for c in self.classes:
            mine = of_class[c]
            top = [v for v in mine if not any(self.objects[d]["class_id"] == c for d in self.up(v))]
            yield (self.file_id, c, len(mine), sum(self.sizes[v] for v in mine), min(MAX, sum(self.retained[v] for v in top)))

    def total_row(self):
        apart = [v for v in range(self.n) if v not in self.reached]
        return (self.file_id, len(self.reached), self.retained[0] if self.n else 0, len(apart), min(MAX, sum(self.sizes[v] for v in apart)),
                len(self.reached) - len(self.step))

    # --- questions ----------------------------------------------------------------------------------------------------

    def class_of(self, v):
        c = self.objects[v]["class_id"] if v is not None else None
        return self.classes[c]["name"] if c in self.classes else None

    def reference(self, number):
        r = self.references[number]
        if r["type"] < 3:
            return REFERENCE[r["type"]]
        if r["type"] == 5:
            return f"[{r['name']}]"
        if r["type"] in (6, 7):
            return f"<{'root ' if r['type'] == 6 else ''}{self.roots[r['name']]}>"
        return self.fields[r["name"]]["name"]

    def path(self, v, step=None):
        """(node, reference, distance, retained size) up to the root."""
        out = []
        while v:
            retainer, number, distance = (self.step if step is None else step).get(v, (None, None, None))
            out.append((v, None if number is None else self.reference(number), distance, self.retained[v]))
            v = retainer
        return out

    def suspects(self, share=20):
        total = self.retained[0]
        large = [v for v in self.children[0] if self.retained[v] > total * (share / 100)]
        out = []
        for v in sorted(large, key=lambda v: (-self.retained[v], v)):
            at = v
            while self.children[at]:
                child = max(self.children[at], key=lambda c: self.retained[c])
                if self.retained[child] < 0.7 * self.retained[at]:
                    break
                at = child
            names = [r for _, r, _, _ in self.path(at)[:12]]
            text = ".".join(reversed([n for n in names if n is not None])).replace(".[", "[")
            out.append(("object", self.class_of(v), 1, self.retained[v], v, at, self.class_of(at), self.retained[at], text or None))
        groups = collections.defaultdict(list)
        for v in self.children[0]:
            groups[self.objects[v]["class_id"]].append(v)
        found = []
        for c, members in groups.items():
            size = sum(self.retained[v] for v in members)
            if size > total * (share / 100) and not set(members) & set(large):
                most = max(members, key=lambda v: (self.retained[v], -v))
                found.append(("class", self.class_of(most), len(members), size, most, None, None, None, None))
        return out + sorted(found, key=lambda r: (-r[3], r[4]))

    def instance_of(self, v, name):
        c = self.objects[v]["class_id"]
        while c in self.classes and self.classes[c]["name"] != name:
            c = self.classes[c]["super_id"]
        return c in self.classes

    def field(self, v, declaring, name):
        """Targets of a field of an object."""
        for w, _, number in self.edges[v]:
            r = self.references[number]
            if r["type"] == 4 and self.fields[r["name"]]["name"] == name and self.classes[self.fields[r["name"]]["class_id"]]["name"] == declaring:
                return w
        return None

    def thread_locals(self):
        out = []
        local = "java.lang.ThreadLocal$ThreadLocalMap"
        for v in range(self.n):
            if self.objects[v]["kind"] != 2 or not self.instance_of(v, "java.lang.Thread"):
                continue
            for inherited, name in enumerate(("threadLocals", "inheritableThreadLocals")):
                table = self.field(v, "java.lang.Thread", name)
                table = self.field(table, local, "table") if table is not None else None
                for entry, _, number in self.edges[table] if table is not None else []:
                    if self.references[number]["type"] != 5:
                        continue
                    variable = self.field(entry, "java.lang.ref.Reference", "referent")
                    value = self.field(entry, local + "$Entry", "value")
                    if variable is not None or value is not None:
                        out.append((self.threads.get(v), v, inherited, self.class_of(variable), variable, self.class_of(value), value,
                                    self.retained[value] if value is not None else None))
        return out

    def duplicates(self):
        groups = collections.defaultdict(list)
        for s in self.strings:
            groups[s["text"], s["length"], s["hash"]].append(s["node_index"])
        return [(key[0][:200], key[1], len(v), sum(self.sizes[i] for i in v), sum(self.retained[i] for i in v), min(v)) for key, v in groups.items() if len(v) > 1]

    def histogram(self):
        of_class = collections.defaultdict(list)
        for v, o in enumerate(self.objects):
            of_class[o["class_id"]].append(v)
        return [(self.classes[row[1]]["name"], len(mine), sum(self.sizes[v] for v in mine), row[4], sum(self.sizes[v] for v in mine if v not in self.reached))
                for row in self.class_rows() for mine in [of_class[row[1]]] if mine]


class Check:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.wrong = 0

    def same(self, what, got, want):
        got, want = [tuple(r) for r in got], [tuple(r) for r in want]
        if got != want:
            self.wrong += 1
            places = [i for i, (a, b) in enumerate(zip(got, want)) if a != b]
            print(f"{what}: {len(got)} rows, not {len(want)}; row {places[:1]}: {[got[i] for i in places[:1]]}, not {[want[i] for i in places[:1]]}")

    def run(self):
        """The heaps, compared."""
        db = self.db
        db.row_factory = sqlite3.Row
        heaps = [Heap(db, r["id"]) for r in db.execute("SELECT id FROM java_heap_file ORDER BY id").fetchall()]
        analysed = db.execute("SELECT * FROM java_heap_analysis ORDER BY rowid").fetchall()
        self.same("files", [(a["file_id"],) for a in analysed], [(h.file_id,) for h in heaps])
        for a, h in zip(analysed, heaps):
            def rows(table, first, count, columns="*"):
                return db.execute(f"SELECT {columns} FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid", (first, first + count - 1)).fetchall()
            self.same("totals", [(a["file_id"], *tuple(a)[4:])], [h.total_row()])
            self.same("nodes", rows("java_heap_retained", a["first_retained_rowid"], h.n), h.node_rows())
            self.same("tree", rows("java_heap_dominated", a["first_dominated_rowid"], h.n), [(h.file_id, v) for v in h.order])
            self.same("classes", rows("java_heap_class_retained", a["first_class_rowid"], len(h.classes)), h.class_rows())
            classes = {c["node_index"]: c["name"] for c in h.classes.values()}
            want = [(v, h.objects[v]["kind"], h.class_of(v), classes.get(v) if h.objects[v]["kind"] == 1 else None, h.retained[v]) for v in range(h.n)]
            self.same("v_java_retained", db.execute("SELECT node_index, kind, class, name, retained_size FROM v_java_retained WHERE file_id = ? ORDER BY 1", (h.file_id,)), want)
            want = [(h.classes[r[1]]["name"], *r[2:], h.classes[r[1]]["count"] - r[2]) for r in h.class_rows()]
            self.same("v_java_class_retained", db.execute("SELECT name, count, shallow_size, retained_size, unreached_count FROM v_java_class_retained WHERE file_id = ? ORDER BY class_id", (h.file_id,)), want)
        return heaps


def main():
    checks = [Check(path) for path in sys.argv[1:]]
    heaps = sum(len(c.run()) for c in checks)
    print(f"{heaps} heap dumps")
    sys.exit(any(c.wrong for c in checks))


if __name__ == "__main__":
    main()
