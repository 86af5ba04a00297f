"""heap_analysis.py DATABASE...: the tables of the analysis heap against a plain computation from the rows of the import.

Written from the description of what Chrome DevTools computes, not from the program: quadratic or worse where that is simpler.
Prints what differs; exit code 1 then.
"""
import collections
import json
import re
import sqlite3
import sys

MAX = 2**63 - 1
SYSTEM = 100000000
SMALL = 60  # nodes up to which dominators are found by leaving each node out
PAIR = re.compile(r"^[0-9]+( / part of key \(.*? @[0-9]+\) -> value \(.*? @[0-9]+\) pair in WeakMap \(table @([0-9]+)\))$")


def sat(value):
    return min(value, MAX)


def parse_int(text):
    m = re.match("[\\s\ufeff]*([+-]?[0-9]+)", text)
    return int(m.group(1)) if m else None


def units(text):
    return len(text.encode("utf-16-le", "replace")) // 2


class Heap:
    """One heap file: its rows, then what is found out."""

    def __init__(self, db, file_id):
        self.db, self.file_id = db, file_id
        d = dict(db.execute("SELECT * FROM js_heap_file_detail WHERE file_id = ?", (file_id,)).fetchone())
        self.detail = d
        self.source = d["source_id"]
        self.read(d)
        self.spread()
        self.user_roots()
        self.shallow_sizes()
        self.distances()
        self.dominators()
        self.definitions = self.find_definitions()
        self.keys = self.find_keys(self.definitions)
        self.held()

    # --- rows ---------------------------------------------------------------------------------------------------------

    def read(self, d):
        db = self.db

        def rows(sql, first, count):
            return db.execute(sql, (first, first + count - 1)).fetchall() if count and first else []

        types = [r[0] for r in rows("SELECT str_value FROM js_heap_info WHERE rowid BETWEEN ? AND ?", d["first_info_rowid"], d["node_type_count"])]
        edge_types = [r[0] for r in rows("SELECT str_value FROM js_heap_info WHERE rowid BETWEEN ? AND ?", d["first_edge_type_rowid"], d["edge_type_count"])]
        strings = rows("SELECT file_index, string FROM js_heap_string WHERE rowid BETWEEN ? AND ?", d["first_string_rowid"], d["string_count"])
        self.strings = [s[1] if d["complete"] or s[0] is not None else None for s in strings]

        def text(i):
            return self.strings[i] if i is not None and 0 <= i < len(self.strings) else None

        nodes = rows("SELECT * FROM js_heap_nodes WHERE rowid BETWEEN ? AND ?", d["first_node_rowid"], d["node_count"])
        self.n = n = len(nodes)
        self.type = [types[r["type"]] if r["type"] is not None and 0 <= r["type"] < len(types) else None for r in nodes]
        self.raw_name = [text(r["name"]) for r in nodes]
        self.name = [t or "" for t in self.raw_name]
        self.id = [r["id"] for r in nodes]
        self.size = [max(r["self_size"] or 0, 0) for r in nodes]
        self.unknown = sum(r["self_size"] is None for r in nodes)
        self.detached = [(r["detachedness"] or 0) & 3 for r in nodes]
        self.has_detachedness = any(r["detachedness"] is not None for r in nodes)
        self.native = [max(r["native_size"] or 0, 0) for r in nodes] if nodes and nodes[0]["native_size"] is not None else None
        prop = dict(db.execute("SELECT key, value FROM source_property WHERE source_id = ?", (self.source,)).fetchall())
        stride = d["node_stride"] or 0
        self.root, self.bad_root = (0 if n else None), False
        if prop.get("root_index", "0") != "0":
            try:
                at = int(prop["root_index"])
            except ValueError:
                at = -1
            if stride and at >= 0 and at % stride == 0 and at // stride < n:
                self.root = at // stride
            else:
                self.bad_root = True
        try:
            self.extra = max(int(prop.get("extra_native_bytes", 0)), 0)
        except ValueError:
            self.extra = 0
        owners = []
        for v, r in enumerate(nodes):
            if r["edge_count"] is None or r["edge_count"] < 0:
                break
            owners += [v] * min(r["edge_count"], d["edge_count"] - len(owners))
        self.edges = [[] for _ in range(n)]  # (number, type, name, target)
        self.missing = d["edge_count"] - len(owners)
        found = rows("SELECT * FROM js_heap_edges WHERE rowid BETWEEN ? AND ?", d["first_edge_rowid"], d["edge_count"])
        for e, (v, r) in enumerate(zip(owners, found)):
            to = r["to_node"]
            ok = stride > 0 and to is not None and to >= 0 and to % stride == 0 and to // stride < n
            if ok and not d["complete"]:
                ok = r["edge_index"] is not None
                ok = ok and (r["from_node_id"] is not None or self.id[v] is None)
                ok = ok and (r["to_node_id"] is not None or self.id[to // stride] is None)
            if not ok:
                self.missing += 1
                continue
            t = r["type"]
            kind = "invisible" if t == len(edge_types) else edge_types[t] if t is not None and 0 <= t < len(edge_types) else "other"
            name = r["name_or_index"] if kind in ("element", "hidden") else text(r["name_or_index"])
            self.edges[v].append((e, kind, name, to // stride))
        places = {}
        sql = "SELECT * FROM js_heap_location WHERE file_id = ? ORDER BY rowid"
        for r in db.execute(sql, (self.file_id,)):
            o = r["object_index"]
            if o is not None and stride and o >= 0 and o % stride == 0 and o // stride < n:
                places[o // stride] = (r["script_id"], r["line"], r["column"])
        self.places = places

    def pair(self, kind, name):
        if kind != "internal" or name is None or re.search("[\n\r\u2028\u2029]", name):
            return None
        return PAIR.match(name)

    # --- detachedness, roots ------------------------------------------------------------------------------------------

    def spread(self):
        native = [t == "native" for t in self.type]
        if not self.has_detachedness:
            for v in range(self.n):
                self.detached[v] = 2 if native[v] and self.name[v].startswith("Detached ") else 0
            return
        settled = [x != 0 for x in self.detached]
        for value in (1, 2):
            work = [v for v in range(self.n) if native[v] and self.detached[v] == value]
            while work:
                for _, kind, _, w in self.edges[work.pop()]:
                    if kind in ("hidden", "weak", "invisible") or settled[w]:
                        continue
                    settled[w] = True
                    if native[w]:
                        self.detached[w] = value
                        work.append(w)
        for v in range(self.n):
            if native[v] and self.detached[v] == 2 and self.raw_name[v] is not None:
                self.name[v] = "Detached " + self.name[v]

    def reach(self, starts, allowed):
        met, work = set(starts), list(starts)
        while work:
            v = work.pop()
            for edge in self.edges[v]:
                if edge[3] not in met and allowed(v, edge):
                    met.add(edge[3])
                    work.append(edge[3])
        return met

    def is_dom_root(self, v):
        return self.type[v] == "synthetic" and self.name[v] == "(Document DOM trees)"

    def user_roots(self):
        self.users, self.page = set(), set()
        if self.root is None:
            return
        entries = set()
        for _, kind, _, w in self.edges[self.root]:
            if self.type[w] != "synthetic" or self.is_dom_root(w):
                self.users.add(w)
            if kind == "shortcut" or (kind == "element" and self.is_dom_root(w)):
                entries.add(w)
        self.page = self.reach(entries, lambda v, e: e[1] != "weak")

    # --- shallow sizes ------------------------------------------------------------------------------------------------

    def is_helper(self, v):
        return self.type[v] in ("hidden", "array") or (self.type[v] == "native" and self.name[v] == "system / ExternalStringData")

    def shallow_sizes(self):
        self.shallow = list(self.size)
        if not self.users:
            return
        owners = collections.defaultdict(set)
        for v in range(self.n):
            if not self.is_helper(v):
                first = {w for _, kind, _, w in self.edges[v] if kind != "weak" and self.is_helper(w)}
                for w in self.reach(first, lambda v, e: e[1] != "weak" and self.is_helper(e[3])):
                    owners[w].add(v)
        for w, of in owners.items():
            o = next(iter(of))
            if len(of) == 1 and o != self.root and self.type[o] != "synthetic":
                self.shallow[o] = sat(self.shallow[o] + self.size[w])
                self.shallow[w] = 0

    # --- distances ----------------------------------------------------------------------------------------------------

    def distances(self):
        n = self.n
        self.distance, self.retainer, self.by = [None] * n, [None] * n, [None] * n
        if self.root is None:
            return
        pending = set()

        def walk(queue):
            while queue:
                v = queue.popleft()
                for number, kind, name, w in self.edges[v]:
                    if kind == "weak" or self.distance[w] is not None:
                        continue
                    if self.type[v] == "hidden" and self.name[v] == "system / NativeContext" and name == "sloppy_function_map":
                        continue
                    if self.type[v] == "array" and self.name[v] == "(map descriptors)":
                        k = name if isinstance(name, int) or name is None else parse_int(name)
                        if k is not None and k >= 2 and k % 3 == 1:
                            continue
                    else:
                        m = self.pair(kind, name)
                        if m:
                            if m.group(1) not in pending:
                                pending.add(m.group(1))
                                continue
                            pending.remove(m.group(1))
                    self.distance[w] = self.distance[v] + 1
                    self.retainer[w], self.by[w] = v, number
                    queue.append(w)

        queue = collections.deque()
        for number, _, _, w in self.edges[self.root]:
            if w in self.users:
                queue.append(w)
                if self.distance[w] is None:
                    self.distance[w], self.retainer[w], self.by[w] = 1, self.root, number
        walk(queue)
        self.distance[self.root] = SYSTEM if self.users else 0
        self.retainer[self.root] = self.by[self.root] = None
        walk(collections.deque([self.root]))

    # --- dominators ---------------------------------------------------------------------------------------------------

    def essential(self, v, edge):
        _, kind, name, w = edge
        if kind == "weak" or w == v:
            return False
        if v != self.root and (kind == "shortcut" or (w in self.page and v not in self.page)):
            return False
        m = self.pair(kind, name)
        return not (m and self.id[v] is not None and int(m.group(2)) == self.id[v])

    def dominators(self):
        n, root = self.n, self.root
        self.dominator, self.orphans = [None] * n, set()
        if root is not None:
            next_ = [[e[3] for e in self.edges[v] if self.essential(v, e)] for v in range(n)]
            led = {w for out in next_ for w in out}
            self.orphans = {v for v in range(n) if v != root and v not in led}
            next_[root] = next_[root] + sorted(self.orphans)
            found = self.by_iteration(next_)
            if n <= SMALL:
                assert found == self.by_leaving_out(next_), "the two computations of dominators differ"
            for v in range(n):
                self.dominator[v] = None if v == root else found.get(v, root)
        children = collections.defaultdict(list)
        for v in range(n):
            if v != root:
                children[self.dominator[v]].append(v)
        order, work = [], [] if root is None else [root]
        while work:
            v = work.pop()
            order.append(v)
            work += reversed(children[v])
        self.order, self.position = order, {v: p for p, v in enumerate(order)}
        self.retained, self.count = list(self.shallow), [1] * n
        for v in reversed(order):
            if v != root:
                self.retained[self.dominator[v]] = sat(self.retained[self.dominator[v]] + self.retained[v])
                self.count[self.dominator[v]] += self.count[v]
        self.retained_native = [None] * n
        if self.native is not None and sum(self.native) <= MAX:
            self.retained_native = list(self.native)
            for v in reversed(order[1:]):
                self.retained_native[self.dominator[v]] += self.retained_native[v]

    def by_leaving_out(self, next_):
        def reached(without):
            met, work = {self.root}, [self.root]
            while work:
                for w in next_[work.pop()]:
                    if w != without and w not in met:
                        met.add(w)
                        work.append(w)
            return met

        all_ = reached(None)
        above = {v: set() for v in all_}  # strict dominators
        for v in all_ - {self.root}:
            for w in all_ - reached(v) - {v}:
                above[w].add(v)
        return {v: max(above[v], key=lambda d: len(above[d]), default=self.root) for v in all_ if v != self.root}

    def by_iteration(self, next_):
        """Until nothing changes, over nodes in reverse postorder (Cooper, Harvey, Kennedy)."""
        post, met, work = [], {self.root}, [(self.root, iter(next_[self.root]))]
        while work:
            v, rest = work[-1]
            for w in rest:
                if w not in met:
                    met.add(w)
                    work.append((w, iter(next_[w])))
                    break
            else:
                post.append(v)
                work.pop()
        number = {v: i for i, v in enumerate(post)}
        before = collections.defaultdict(list)
        for v in post:
            for w in next_[v]:
                before[w].append(v)
        dom, changed = {self.root: self.root}, True
        while changed:
            changed = False
            for v in reversed(post[:-1]):
                new = None
                for p in before[v]:
                    if p not in dom:
                        continue
                    if new is None:
                        new = p
                        continue
                    a, b = p, new
                    while a != b:
                        while number[a] < number[b]:
                            a = dom[a]
                        while number[b] < number[a]:
                            b = dom[b]
                    new = a
                if dom.get(v) != new:
                    dom[v], changed = new, True
        del dom[self.root]
        return dom

    # --- classes ------------------------------------------------------------------------------------------------------

    def is_plain(self, v):
        return self.type[v] == "object" and self.name[v] == "Object"

    def names_of(self, v):
        return [name or "" for _, kind, name, _ in self.edges[v] if kind == "property" and name != "__proto__"]

    @staticmethod
    def formatted(name):
        return json.dumps(name, ensure_ascii=False) if re.search("[,'\"{}]", name) else name

    def find_definitions(self):
        found, plain = {}, [v for v in range(self.n) if self.is_plain(v)]
        for v in plain:
            length, chosen = 1, []
            for name in self.names_of(v):
                more = units(self.formatted(name))
                if length > 1 and length + more > 120:
                    break
                length += (0 if length == 1 else 2) + more
                chosen.append(name)
            if chosen:
                inside = ""
                for name in chosen:
                    inside += (", " if inside else "") + self.formatted(name)
                entry = found.setdefault("{" + inside + "}", [0, chosen])
                entry[0] += 1
        best = sorted(found.items(), key=lambda f: -f[1][0])
        return [(text, names) for text, (count, names) in best if count >= max(2, len(plain) / 1000)]

    def class_of(self, v, definitions):
        t, name = self.type[v], self.name[v]
        if self.is_plain(v):
            has = collections.Counter(self.names_of(v))
            best = None
            for text, names in definitions:
                if not collections.Counter(names) - has and (best is None or len(names) > len(best[1])):
                    best = (text, names)
            return best[0] if best else "Object"
        if t in ("object", "native"):
            at = 0 if name.startswith("<") else 10 if name.startswith("Detached <") else None
            space = -1 if at is None else name.find(" ", at)
            return name if space < 0 else name[:space] + ">"
        special = {"hidden": "(system)", "code": "(compiled code)", "closure": "Function", "regexp": "RegExp", None: "(undefined)"}
        return special.get(t, f"({t})")

    def find_keys(self, definitions):
        return [
            (self.class_of(v, definitions), self.type[v] == "object" and v in self.places)
            + (self.places[v] if self.type[v] == "object" and v in self.places else (None, None, None))
            for v in range(self.n)
        ]

    def class_rows(self):
        rows, end = {}, {}
        for v in range(self.n):
            row = rows.setdefault(self.keys[v], [0, None, 0, 0])
            if self.shallow[v] > 0:
                d = -5 if self.distance[v] is None else self.distance[v]
                row[1] = d if row[0] == 0 else min(row[1], d)
                row[0] += 1
                row[2] = sat(row[2] + self.shallow[v])
        for p, v in enumerate(self.order):
            if self.shallow[v] > 0 and p >= end.get(self.keys[v], 0):
                rows[self.keys[v]][3] = sat(rows[self.keys[v]][3] + self.retained[v])
                end[self.keys[v]] = p + self.count[v]
        return [(k[0],) + k[2:] + (r[0], None if r[1] == -5 else r[1], r[2], r[3]) for k, r in rows.items()]

    # --- texts, duplicates --------------------------------------------------------------------------------------------

    def internal(self, v, wanted):
        return next((w for _, kind, name, w in self.edges[v] if kind == "internal" and name == wanted), None)

    def long_text(self, v):
        if self.type[v] != "concatenated string":
            return self.name[v]
        out, length, work, visits = [], 0, [v], 0
        while work and length < 1024:
            v = work.pop()
            visits += 1
            if visits > 65536:
                break
            if self.type[v] == "concatenated string":
                first, second = self.internal(v, "first"), self.internal(v, "second")
                work += [second or 0, first or 0]
            else:
                out.append(self.name[v])
                length += units(self.name[v])
        return "".join(out)

    def truncated(self, v):
        def value(wanted, kind):
            w = self.internal(v, wanted)
            if w is None or self.type[w] != "number" or self.name[w] != kind:
                return None
            w = self.internal(w, "value")
            return None if w is None else self.name[w]

        if value("truncated", "bool") != "true":
            return (0, None, None)

        def number(text):
            return int(text) if text is not None and re.fullmatch("-?[0-9]+", text) and -MAX <= int(text) <= MAX else None

        return (1, number(value("length", "int")), number(value("hash", "int")))

    def duplicates(self):
        groups = {}
        for v in range(self.n):
            if self.type[v] not in ("string", "concatenated string") or self.shallow[v] == 0:
                continue
            if self.type[v] == "string" and self.raw_name[v] is None:
                continue
            if self.type[v] == "concatenated string" and any(
                kind == "internal" and name in ("first", "second") and not self.long_text(w) for _, kind, name, w in self.edges[v]
            ):
                continue
            groups.setdefault((self.long_text(v), self.truncated(v)), []).append(v)
        return [
            (g[0], text, len(g), sat(sum(self.shallow[v] for v in g)), sat(sum(self.retained[v] for v in g))) + t
            for (text, t), g in groups.items()
            if len(g) > 1
        ]

    def held(self):
        self.held_by = [0] * self.n
        if self.root is None:
            return
        tests = (
            lambda w: self.detached[w] == 2,
            lambda w: self.name[w] == "system / Context" or self.name[w].startswith("system / Context / "),
            lambda w: self.type[w] == "synthetic" and self.name[w].endswith(" / DevTools console"),
        )
        for bit, test in enumerate(tests):
            met = self.reach({self.root}, lambda v, e, test=test: e[1] != "weak" and not test(e[3]))
            for v in range(self.n):
                if v not in met and self.distance[v] is not None:
                    self.held_by[v] |= 1 << bit

    def totals(self):
        t = collections.Counter()
        into = collections.Counter(e[3] for out in self.edges for e in out)
        for v in range(self.n):
            kind, size = self.type[v], self.shallow[v]
            if kind == "hidden":
                t["system"] += size
            elif kind == "native":
                t["native"] += size
                t["typed"] += size if self.name[v] == "system / JSArrayBufferData" else 0
            elif kind == "code":
                t["code"] += size
            elif kind in ("string", "concatenated string", "sliced string"):
                t["string"] += size
            elif self.name[v] == "Array":
                w = self.internal(v, "elements")
                t["array"] += size + (self.shallow[w] if w is not None and into[w] == 1 else 0)
        total = sum(self.shallow)
        values = (total + self.extra, t["native"] + self.extra, t["typed"], t["code"], t["string"], t["array"], t["system"], self.extra)
        return tuple(map(sat, values))


# --- comparison -----------------------------------------------------------------------------------------------------------


def comparison(new, old):
    old_keys = old.find_keys(new.definitions)

    def ids(heap, keys):
        out = collections.defaultdict(lambda: collections.defaultdict(list))
        for v in range(heap.n):
            if heap.shallow[v] > 0:
                out[keys[v]][heap.id[v]].append(heap.shallow[v])
        return out

    a, b = ids(new, new.keys), ids(old, old_keys)

    def left(x, y, key):  # of each id, the n-th meets the n-th
        rest = [s for i, sizes in x[key].items() for s in (sizes if i is None else sizes[len(y[key].get(i, ())) :])] if key in x else []
        return len(rest), sat(sum(rest))

    rows = []
    for key in list(dict.fromkeys(new.keys)) + [k for k in dict.fromkeys(old_keys) if k not in set(new.keys)]:
        n, d = left(a, b, key), left(b, a, key)
        if n[0] or d[0]:
            rows.append((key[0],) + key[2:] + (n[0], d[0], n[1], d[1]))
    return rows


def one_run(new, old):
    """Whether the ids of files of different inputs show that both are of one run of a program, in this order."""
    keys = old.find_keys(new.definitions)
    nodes = {}
    for v in reversed(range(old.n)):
        nodes[old.id[v]] = v
    last = max((i for i in old.id if i is not None and i % 2), default=0)
    odd = [v for v in range(new.n) if new.id[v] is not None and new.id[v] % 2]
    shared = [v for v in odd if new.id[v] in nodes]
    below = [v for v in odd if new.id[v] <= last]
    alike = [v for v in shared if (new.keys[v], new.shallow[v]) == (keys[nodes[new.id[v]]], old.shallow[nodes[new.id[v]]])]
    ends_later = bool(odd) and max(new.id[v] for v in odd) >= last
    return bool(shared) and ends_later and len(alike) >= len(shared) - len(shared) // 8 and len(shared) >= len(below) - len(below) // 8


# --- the tables -----------------------------------------------------------------------------------------------------------


class Check:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.db.row_factory = sqlite3.Row
        self.wrong = 0

    def same(self, what, got, want):
        got, want = list(map(tuple, got)), list(map(tuple, want))
        if got == want:
            return
        self.wrong += 1
        bad = [(i, g, w) for i, (g, w) in enumerate(zip(got, want)) if g != w][:3]
        print(f"WRONG: {what}: {len(got)} rows, {len(want)} are right; first differences (row, got, right): {bad}")

    def input_of(self, source):
        while True:
            up = self.db.execute("SELECT parent_id FROM source WHERE id = ?", (source,)).fetchone()[0]
            if up is None:
                return source
            source = up

    def file(self, h, base, firsts):
        db = self.db
        a = db.execute("SELECT * FROM js_heap_analysis WHERE file_id = ?", (h.file_id,)).fetchall()
        if len(a) != 1:
            self.wrong += 1
            print(f"WRONG: file {h.file_id}: {len(a)} rows in js_heap_analysis")
            return
        a = a[0]
        rows, name = h.class_rows(), f"file {h.file_id}"
        changes = comparison(h, base) if base else []
        where = (a["first_retained_rowid"], a["first_dominated_rowid"], a["first_constructor_id"], a["first_comparison_rowid"])
        self.same(f"{name}: places", [where], [firsts])
        self.same(
            f"{name}: js_heap_analysis",
            [tuple(a)[:2] + (a["constructor_count"], a["base_file_id"], a["comparison_count"]) + tuple(a)[9:]],
            [
                (h.file_id, h.root, len(rows), base.file_id if base else None, len(changes), int(bool(h.users)))
                + (h.distance.count(None), len(h.orphans))
                + h.totals()
            ],
        )
        classes = dict.fromkeys(h.keys)
        number = {k: firsts[2] + i for i, k in enumerate(classes)}
        first_of = {}
        for v in range(base.n if base else 0):
            first_of.setdefault(base.id[v], v)

        def same_place(v):
            return v if base and v < base.n and base.id[v] == 0 else None

        want = [
            (h.file_id, h.id[v], h.dominator[v], h.retainer[v], h.by[v], h.distance[v], h.shallow[v], h.retained[v])
            + (h.detached[v], number[h.keys[v]], h.held_by[v], h.position[v], h.count[v])
            + (None if h.id[v] is None else same_place(v) if h.id[v] == 0 else first_of.get(h.id[v]), h.retained_native[v])
            for v in range(h.n)
        ]
        between = "SELECT * FROM {} WHERE rowid BETWEEN ? AND ?"
        self.same(f"{name}: js_heap_retained", db.execute(between.format("js_heap_retained"), (firsts[0], firsts[0] + h.n - 1)), want)
        want = [(h.file_id, v) for v in h.order]
        self.same(f"{name}: js_heap_dominated", db.execute(between.format("js_heap_dominated"), (firsts[1], firsts[1] + h.n - 1)), want)
        want = [(firsts[2] + i, h.file_id) + r for i, r in enumerate(rows)]
        self.same(f"{name}: js_heap_constructor", db.execute("SELECT * FROM js_heap_constructor WHERE file_id = ?", (h.file_id,)), want)
        want = [(h.file_id, base.file_id) + r for r in changes]
        self.same(f"{name}: js_heap_comparison", db.execute("SELECT * FROM js_heap_comparison WHERE file_id = ?", (h.file_id,)), want)
        want = [(h.file_id,) + r for r in h.duplicates()]
        rows_ = db.execute("SELECT * FROM js_heap_duplicate_string WHERE file_id = ?", (h.file_id,))
        self.same(f"{name}: js_heap_duplicate_string", rows_, want)
        issues = {r[0] for r in db.execute("SELECT code FROM import_issue WHERE source_id = ?", (h.source,))}
        lossy = not h.detail["complete"] or h.missing > 0 or h.unknown > 0 or h.retained and h.retained[h.root] == MAX
        self.same(f"{name}: issues", [("heap_analysis_incomplete" in issues, "heap_analysis_root" in issues)], [(bool(lossy), h.bad_root)])
        return (firsts[0] + h.n, firsts[1] + h.n, firsts[2] + len(rows), firsts[3] + len(changes))

    def run(self):
        firsts, base, files = (1, 1, 1, 1), None, 0
        for (file_id,) in self.db.execute("SELECT file_id FROM js_heap_file_detail ORDER BY rowid").fetchall():
            h = Heap(self.db, file_id)
            if base and self.input_of(base.source) != self.input_of(h.source) and not one_run(h, base):
                base = None
            firsts = self.file(h, base, firsts) or firsts
            base = h
            files += 1
        return files


def main():
    wrong = 0
    for path in sys.argv[1:]:
        check = Check(path)
        files = check.run()
        wrong += check.wrong
        if len(sys.argv) == 2:
            print(f"{files} heap files compared, {check.wrong} tables differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
