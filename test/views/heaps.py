"""Views, derived tables and questions of heap snapshots, from the texts of the heaps."""

import itertools

from expected import text_value

NODE = "file_id node_index node_id type name self_size edge_count trace_node_id detachedness type_id native_size"
EDGE = ("file_id edge_index type name from_node_id from_type from_name to_node_id to_type to_name "
        "to_self_size to_node_index type_id name_or_index")
RETAINER = ("file_id node_id node_name edge_type edge_name retainer_id retainer_type retainer_name "
            "retainer_self_size edge_index")
STACK = "file_id id parent_id function script line column count size live_count live_size function_id"
DETAIL = ("file_id source_id node_stride first_info_rowid node_type_count first_edge_type_rowid edge_type_count "
          "first_node_rowid node_count first_edge_rowid edge_count first_edge_block_id edge_block_count "
          "first_string_rowid string_count first_sample_rowid first_location_rowid first_trace_function_rowid "
          "first_trace_node_rowid first_class_rowid class_count complete")
EDGES_OF_A_BLOCK = 64


class View:
    """The rows of the views of one heap (expected.Heap)."""

    def __init__(self, file_id, heap):
        self.file_id = file_id
        self.heap = heap
        self.strings = [text_value(s) for s in heap.json["strings"]]
        node_types, edge_types = heap.meta["node_types"], heap.meta["edge_types"]
        self.node_types = next(t for t in node_types if isinstance(t, list))
        self.edge_types = next(t for t in edge_types if isinstance(t, list))
        self.nodes = list(heap.node_rows())  # index, type, name, id, size, edges, trace, detached, native
        self.owners = []
        for row in self.nodes:
            self.owners += [row[0]] * row[5]
        fields, numbers = heap.meta["edge_fields"], heap.json["edges"]
        kind, value, to = (numbers[fields.index(n)::len(fields)] for n in ("type", "name_or_index", "to_node"))
        self.raw = list(zip(kind, value, self.owners, [t // heap.stride for t in to]))
        self.functions = list(heap.function_rows())
        self.index = {row[3]: row[0] for row in self.nodes}

    def type_of(self, n):
        return self.node_types[self.nodes[n][1]]

    def name_of(self, n):
        return self.string(self.nodes[n][2])

    def string(self, i):
        return self.strings[i] if 0 <= i < len(self.strings) else None

    def class_of(self, n):
        kind = self.type_of(n)
        if kind in ("object", "native"):
            return self.name_of(n)
        return {"code": "(compiled code)", "hidden": "(system)"}.get(kind, "(%s)" % kind)

    def node_rows(self):
        for i, kind, name, node_id, size, edges, trace, detached, native in self.nodes:
            yield (self.file_id, i, node_id, self.node_types[kind], self.string(name), size, edges, trace, detached, kind, native)

    def edge_name(self, kind, value):
        return str(value) if kind in ("element", "hidden") else self.string(value)

    def edges(self, every=1, owner=None, target=None):
        """(index, type number, type, name or index, name, owner, target): the last two as node indexes."""
        for i, (kind, value, a, b) in enumerate(self.raw):
            if i % every or owner not in (None, a) or target not in (None, b):
                continue
            text = self.edge_types[kind]
            yield i, kind, text, value, self.edge_name(text, value), a, b

    def edge_rows(self, every=1):
        for i, kind, text, value, name, a, b in self.edges(every):
            yield (self.file_id, i, text, name, self.nodes[a][3], self.type_of(a), self.name_of(a), self.nodes[b][3],
                   self.type_of(b), self.name_of(b), self.nodes[b][4], b, kind, value)

    def retainer_rows(self, every=1):
        for i, _, text, _, name, a, b in self.edges(every):
            yield (self.file_id, self.nodes[b][3], self.name_of(b), text, name, self.nodes[a][3], self.type_of(a),
                   self.name_of(a), self.nodes[a][4], i)

    def histogram(self):
        out = {}
        for n, row in enumerate(self.nodes):
            c = out.setdefault(self.class_of(n), [0, 0])
            c[0] += 1
            c[1] += row[4]
        return out

    def class_groups(self):
        """js_heap_class: (type, name where the class is a name) -> number, size."""
        out = {}
        for n, row in enumerate(self.nodes):
            named = self.type_of(n) in ("object", "native")
            c = out.setdefault((row[1], row[2] if named else None), [0, 0])
            c[0] += 1
            c[1] += row[4]
        return out

    def duplicates(self):
        groups = {}
        for n, row in enumerate(self.nodes):
            if self.type_of(n) == "string":
                groups.setdefault(row[2], []).append(row[4])
        for name, sizes in groups.items():
            if len(sizes) > 1:
                yield self.file_id, self.string(name), len(sizes), sum(sizes), sum(sizes) - max(sizes), name

    def live(self):
        out = {}
        for row in self.nodes:
            if row[6]:
                c = out.setdefault(row[6], [0, 0])
                c[0] += 1
                c[1] += row[4]
        return out

    def stack_rows(self):
        live = self.live()
        for node, function, count, size, parent in self.heap.trace_rows():
            f = self.functions[function]
            yield (self.file_id, node, None if parent == -1 else parent, self.string(f[2]), self.string(f[3]), f[5], f[6],
                   count, size, *live.get(node, (0, 0)), f[1])

    def blocks(self):
        """The owners of the first and the last edge of each block, as node indexes."""
        for at in range(0, len(self.owners), EDGES_OF_A_BLOCK):
            part = self.owners[at:at + EDGES_OF_A_BLOCK]
            yield part[0], part[-1]


def detail_rows(views, sources):
    """js_heap_file_detail: each table's rows stand one file after the other."""
    at = {}

    def first(table, count):
        place = at.get(table, 1)
        at[table] = place + count
        return place if count else None

    for v, source in zip(views, sources):
        heap = v.heap
        rows = [row[:2] for row in heap.info_rows()]
        info = first("info", len(rows))
        samples, locations = len(list(heap.sample_rows())), len(list(heap.location_rows()))
        blocks = -(-heap.edge_count // EDGES_OF_A_BLOCK)
        classes = len(v.class_groups())
        yield (v.file_id, source, heap.stride, info + rows.index(("node_types", 0)), len(v.node_types),
               info + rows.index(("edge_types", 0)), len(v.edge_types), first("nodes", heap.node_count), heap.node_count,
               first("edges", heap.edge_count), heap.edge_count, first("blocks", blocks), blocks,
               first("strings", len(v.strings)), len(v.strings), first("samples", samples),
               first("locations", locations), first("functions", len(v.functions)),
               first("tree", len(list(heap.trace_rows()))), first("classes", classes), classes, 1)


def check_tables(j, views, sources):
    j.some("js_heap_file_detail", DETAIL, detail_rows(views, sources))
    blocks, node = [], 1
    for v in views:
        for a, b in v.blocks():
            blocks.append((len(blocks) + 1, v.file_id, node + a, node + b))
        node += v.heap.node_count
    j.view("js_heap_edge_block", "id file_id first_node_rowid last_node_rowid", blocks)
    j.view("js_heap_class", "file_id type name count self_size",
           ((v.file_id, *key, *value) for v in views for key, value in v.class_groups().items()))


def diff_rows(views):
    for old, new in zip(views, views[1:]):
        a, b = old.histogram(), new.histogram()
        for name in set(a) | set(b):
            (n, size), (m, before) = b.get(name, (0, 0)), a.get(name, (0, 0))
            yield new.file_id, old.file_id, name, n, m, n - m, size, before, size - before


def check_views(j, views, every):
    """`every`: of the edges, one of so many; no divisor of a block, so that all places in a block come."""
    place = lambda r: r[:2]
    part = "WHERE edge_index %% %d = 0" % every
    j.view("v_js_node", NODE, itertools.chain(*(v.node_rows() for v in views)), place)
    j.view("v_js_detached", NODE, (r for v in views for r in v.node_rows() if r[8] == 2), place)
    j.view("v_js_edge", EDGE, itertools.chain(*(v.edge_rows(every) for v in views)), place, where=part)
    j.view("v_js_retainer", RETAINER, itertools.chain(*(v.retainer_rows(every) for v in views)),
           lambda r: (r[0], r[9]), where=part)
    j.view("v_js_class_histogram", "file_id class count self_size",
           ((v.file_id, name, *sums) for v in views for name, sums in v.histogram().items()))
    j.view("v_js_string_duplicates", "file_id string count self_size wasted_size file_index",
           itertools.chain(*(v.duplicates() for v in views)))
    j.view("v_js_snapshot_diff", "file_id previous_file_id class count previous_count count_delta self_size "
           "previous_self_size self_size_delta", diff_rows(views))
    j.view("v_js_allocation_stack", STACK, itertools.chain(*(v.stack_rows() for v in views)), place)


# --- questions


def ask_histogram(j, v, **params):
    total = sum(row[4] for row in v.nodes)
    rows = sorted(((c, n, s, round(100.0 * s / total, 2)) for c, (n, s) in v.histogram().items()),
                  key=lambda r: (-r[2], r[0].encode()))
    j.ask("js_class_histogram", "class count self_size percent", rows[:params.get("limit", 50)], close=("percent",), **params)


def ask_growth(j, old, new, **params):
    a, b = old.histogram(), new.histogram()
    zero = (0, 0)
    rows = [(c, b.get(c, zero)[0], b.get(c, zero)[0] - a.get(c, zero)[0], b.get(c, zero)[1], b.get(c, zero)[1] - a.get(c, zero)[1])
            for c in a.keys() | b.keys()] if old is not new else []
    rows.sort(key=lambda r: (-r[4], (r[0] or "").encode()))
    j.ask("js_class_growth", "class count count_delta self_size self_size_delta", rows[:params.get("limit", 20)], **params)


def ask_nodes(j, v, **params):
    rows = [(r[2], r[3], r[4], r[5], r[6]) for r in sorted(v.node_rows(), key=lambda r: (-r[5], r[1]))]
    j.ask("js_largest_nodes", "node_id type name self_size edge_count", rows[:params.get("limit", 20)], **params)


def ask_edges(j, v, node, **params):
    rows = [(i, text, name, v.nodes[b][3], v.type_of(b), v.name_of(b), v.nodes[b][4])
            for i, _, text, _, name, a, b in v.edges(owner=v.index[node])]
    if node != 1:
        params["node"] = node
    j.ask("js_node_edges", "edge_index type name to_node_id to_type to_name to_self_size",
          rows[:params.get("limit", 1000)], **params)


def ask_retainers(j, v, node, **params):
    j.ask("js_retainers_of_node", "retainer_id retainer_type retainer_name edge_type edge_name edge_index",
          [(v.nodes[a][3], v.type_of(a), v.name_of(a), text, name, i)
           for i, _, text, _, name, a, b in v.edges(target=v.index[node])], node=node, **params)


def ask_duplicates(j, v, **params):
    rows = sorted(v.duplicates(), key=lambda r: (-r[4], -r[2], r[5]))
    j.ask("js_string_duplicates", "count self_size wasted_size string",
          [(r[2], r[3], r[4], r[1][:200]) for r in rows][:params.get("limit", 50)], **params)


def lower(s):
    return "".join(c.lower() if c.isascii() else c for c in s)


def ask_strings(j, v, text, **params):
    rows = [(r[2], r[3], r[5], r[4][:200]) for r in v.node_rows() if lower(text) in lower(r[4].split("\0")[0])]
    j.ask("js_strings_like", "node_id type self_size string", rows[:params.get("limit", 50)],
          pattern="%" + text + "%", **params)


def ask_diff(j, old, new, **params):
    """By id, of ArkTS's roots with the id 0 by place: what is in only one of the two, and what is in both."""
    a = {row[3] or ("root", n): n for n, row in enumerate(old.nodes)}
    b = {row[3] or ("root", n): n for n, row in enumerate(new.nodes)}
    out = {}
    for i in a.keys() | b.keys():
        name = new.class_of(b[i]) if i in b else old.class_of(a[i])
        c = out.setdefault(name, [0] * 6)
        before, after = old.nodes[a[i]][4] if i in a else 0, new.nodes[b[i]][4] if i in b else 0
        c[0] += i not in a
        c[1] += i not in b
        c[2] += i in a and i in b
        c[3] += after if i not in a else 0
        c[4] += before if i not in b else 0
        c[5] += after - before
    rows = sorted(((name, *c) for name, c in out.items()), key=lambda r: (-r[6], r[0].encode()))
    j.ask("js_snapshot_diff", "class added removed kept added_size removed_size size_delta",
          rows[:params.get("limit", 50)], **params)


def ask_stacks(j, v, **params):
    rows = {r[1]: r for r in v.stack_rows()}
    out = []
    for r in rows.values():
        path, at = [], r
        while at is not None:
            path.append(at[3] or "(anonymous)")
            at = rows.get(at[2])
        out.append((r[9], r[10], r[7], r[8], ";".join(reversed(path)), r[1]))
    out.sort(key=lambda r: (-r[1], r[5]))
    j.ask("js_allocation_stacks", "live_count live_size count size stack",
          [r[:5] for r in out][:params.get("limit", 20)], **params)


def check_questions(j, views):
    first, last = views[0], views[-1]
    ask_histogram(j, first)
    ask_histogram(j, last, file=last.file_id, limit=7)
    ask_growth(j, first, last)
    if len(views) > 1:
        ask_growth(j, views[1], first, file=first.file_id, previous=views[1].file_id, limit=100000)
    ask_nodes(j, first)
    ask_nodes(j, last, file=last.file_id, limit=300)
    ask_edges(j, first, 1)
    for v in views:
        busy = max(v.nodes, key=lambda r: r[5])
        wanted = {}
        for _, _, _, b in v.raw:
            wanted[b] = wanted.get(b, 0) + 1
        popular = max(wanted, key=wanted.get)
        ask_edges(j, v, busy[3], file=v.file_id, limit=100000)
        ask_retainers(j, v, v.nodes[popular][3], file=v.file_id)
    ask_edges(j, last, busy[3], file=last.file_id, limit=3)
    ask_retainers(j, first, first.nodes[len(first.nodes) // 2][3])
    ask_duplicates(j, first)
    ask_duplicates(j, last, file=last.file_id, limit=100000)
    ask_strings(j, last, "order", file=last.file_id, limit=100000)
    ask_strings(j, first, "a")
    ask_strings(j, first, "order", limit=100000)
    if len(views) > 1:
        ask_diff(j, views[-2], last)
        ask_diff(j, first, last, file=last.file_id, previous=first.file_id, limit=100000)
        ask_diff(j, views[-2], last, file=last.file_id, limit=5)
    if first.functions:
        ask_stacks(j, first)
        ask_stacks(j, last, file=last.file_id, limit=3)
