"""Heap snapshots by hand: the worked examples, edge cases, and shapes that cost too much when they are treated carelessly."""
import json
import sys

NODE_TYPES = "hidden array string object code closure regexp number native synthetic".split() + [
    "concatenated string",
    "sliced string",
]
EDGE_TYPES = "context element property internal hidden shortcut weak".split()
PAIR = " / part of key (Key @7) -> value (Value @21) pair in WeakMap (table @17)"


def snapshot(nodes, detached=True, types=NODE_TYPES, locations=(), **more):
    """nodes: (type, name, id, size, edges[, detachedness]); an edge: (type, name or index, target)."""
    strings, number = ["<dummy>"], {}

    def s(text):
        if text not in number:
            number[text] = len(strings)
            strings.append(text)
        return number[text]

    fields = ["type", "name", "id", "self_size", "edge_count"] + (["detachedness"] if detached else [])
    flat, edges = [], []
    for node in nodes:
        flat += [types.index(node[0]), s(node[1]), node[2], node[3], len(node[4])]
        flat += [node[5] if len(node) > 5 else 0] if detached else []
        for t, name, to in node[4]:
            edges += [EDGE_TYPES.index(t), name if t in ("element", "hidden") else s(name), to * len(fields)]
    meta = {
        "node_fields": fields,
        "node_types": [types] + ["number"] * (len(fields) - 1),
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [EDGE_TYPES, "string_or_number", "node"],
        "location_fields": ["object_index", "script_id", "line", "column"],
    }
    head = {"meta": meta, "node_count": len(nodes), "edge_count": len(edges) // 3, **more}
    return {"snapshot": head, "nodes": flat, "edges": edges, "locations": list(locations), "strings": strings}


def sixteen(newer=False, ids=None):
    """Sixteen nodes that use every rule; the newer one has neither ring, a larger Bar and one more Foo. ids: others than usual."""
    nodes = [
        ("synthetic", "", 1, 0, [("element", 1, 1), ("shortcut", "window", 2)]),
        ("synthetic", "(GC roots)", 3, 0, [("element", 0, 2), ("element", 1, 7)]),
        ("object", "Window", 5, 40, [("property", "a", 9), ("property", "m", 7), ("property", "k", 3), ("weak", "w", 13), ("property", "d", 11)]),
        ("object", "Key", 7, 12, [("internal", "2" + PAIR, 10)]),
        ("object", "Foo", 9, 24, [("property", "bar", 6), ("shortcut", "s", 2)]),
        ("array", "(object elements)", 11, 100, [("hidden", 0, 6)]),
        ("object", "Bar", 13, 32 if newer else 16, []),
        ("object", "WeakMap", 15, 8, [("internal", "table", 8)]),
        ("array", "", 17, 64, [("internal", "1" + PAIR, 10), ("weak", "3", 3)]),
        ("object", "Foo", 19, 24, [("internal", "elements", 5), ("property", "child", 4), ("property", "bar", 6)]),
        ("object", "Value", 21, 20, [("property", "self", 10)]),
        ("native", '<div id="x">', 23, 48, [("internal", "first", 12)], 2),
        ("native", "Text", 25, 8, []),
        ("object", "Lost", 27, 32, [("property", "bar", 6)]),
    ]
    if newer:
        nodes[2][4].append(("property", "n", 14))
        nodes.append(("object", "Foo", 33, 24, []))
    else:
        nodes += [("object", "Ring", 29, 10, [("property", "r", 15)]), ("object", "Ring", 31, 10, [("property", "r", 14)])]
    if ids:
        nodes = [node[:2] + (i,) + node[3:] for node, i in zip(nodes, ids)]
    return snapshot(nodes)


def plain_objects():
    lists = ["a b", "b a", "a b c", "b a", "a b", "b a", "c", "", "a b c", "c x a b"]
    nodes = [("synthetic", "", 1, 0, [("element", i, i + 1) for i in range(len(lists))])]
    for i, names in enumerate(lists):
        edges = [("property", n, 0) for n in names.split() + ["__proto__"]]
        nodes.append(("object", "Object", 2 * i + 3, 16, edges))
    return snapshot(nodes)


# --- edge cases: name, snapshot (or text) -------------------------------------------------------------------------------


def cases():
    root = ("synthetic", "", 1, 0, [("element", 0, 1)])
    plain = [root, ("object", "A", 3, 8, [("property", "b", 2)]), ("object", "B", 5, 8, [("property", "a", 1)])]
    yield "no_nodes", snapshot([])
    yield "no_edges", snapshot([("synthetic", "", 1, 0, []), ("object", "A", 3, 8, []), ("object", "B", 5, 8, [])])
    yield "bad_root", snapshot(plain, root_index=7)
    yield "far_root", snapshot(plain, root_index=600)
    yield "middle_root", snapshot(plain, root_index=12)
    yield "extra", snapshot(plain, extra_native_bytes=1000)
    yield "huge", snapshot([root, ("object", "A", 3, 2**32 + 1, [("property", "b", 2)]), ("object", "B", 5, 2**40, [])])
    yield "overflow", snapshot([root, ("object", "A", 3, 2**63 - 1, [("property", "b", 2)]), ("object", "B", 5, 5, [])])
    yield "negative", snapshot([root, ("object", "A", 3, -8, [("property", "b", 2)]), ("object", "B", 5, 8, [])])
    yield "ids", snapshot([root, ("object", "A", 2**40, 8, [("property", "b", 2)]), ("object", "B", 2**40, 8, [])])
    yield "weak", snapshot([("synthetic", "", 1, 0, [("weak", "w", 1)]), ("synthetic", "A", 3, 8, [("weak", "b", 2)]), ("object", "B", 5, 8, [])])
    yield "weak_user_root", snapshot([("synthetic", "", 1, 0, [("weak", "w", 1)]), ("object", "A", 3, 8, [("property", "b", 2)]), ("object", "B", 5, 8, [])])
    lost = ("object", "Lost", 7, 8, [("property", "b", 2)])
    yield "orphan", snapshot([("synthetic", "", 1, 0, [("element", 0, 1)]), ("synthetic", "A", 3, 8, [("element", 0, 2)]), ("object", "B", 5, 8, []), lost])
    ring = [("object", "R", 9, 8, [("property", "r", 4), ("property", "b", 2)]), ("object", "R", 11, 8, [("property", "r", 3)])]
    yield "ring", snapshot([root, ("object", "A", 3, 8, [("property", "b", 2)]), ("object", "B", 5, 8, []), *ring])
    yield "old_detached", snapshot([root, ("native", "Detached <p a>", 3, 8, [("property", "b", 2)]), ("native", "<p>", 5, 8, [])], detached=False)
    bad = snapshot(plain)
    bad["edges"][2], bad["edges"][5] = 7, 10**12
    yield "bad_targets", bad
    bad = snapshot(plain)
    bad["nodes"][6 + 4] = 9
    yield "bad_counts", bad
    bad = snapshot(plain)
    bad["nodes"][6 + 3] = bad["nodes"][12 + 2] = bad["edges"][0] = "x"
    yield "no_numbers", bad
    bad = snapshot(plain)
    bad["nodes"][6], bad["nodes"][12 + 1], bad["edges"][3], bad["edges"][7] = 99, 99, 7, 99
    yield "unknown_types", bad
    bad = snapshot(plain)
    bad["strings"] += ["A", "B"]
    bad["nodes"][6 + 1] = len(bad["strings"]) - 2
    yield "equal_texts", bad
    arkts = NODE_TYPES[:-1] + ["slicedstring"]
    group = [("shortcut", "-subroot-", 1), ("shortcut", "-subroot-", 2), ("shortcut", "-subroot-", 1)]
    nodes = [("synthetic", "SyntheticRoot", 1, 0, group), ("native", "JSArray[10]", 3, 8, [("hidden", 2, 3)])]
    nodes += [("object", "Page", 5, 8, [("property", "x", 3), ("property", "s", 4)]), ("array", "Elements", 7, 80, []), ("slicedstring", "s", 9, 8, [])]
    yield "arkts", snapshot(nodes, types=arkts)
    group = [("element", 0, 1), ("element", 1, 2)]
    nodes = [("synthetic", "SyntheticRoot", 1, 0, group), ("synthetic", "VMRoot", 3, 0, [("element", 0, 3)]), ("synthetic", "FrameRoot", 5, 0, [])]
    yield "arkts_groups", snapshot(nodes + [("object", "Page", 7, 8, [])], types=arkts)


# --- shapes ---------------------------------------------------------------------------------------------------------------


def shape(name, n):
    """n nodes, more or less."""
    p = "property"
    out = [[] for _ in range(n)]
    kinds = [("object", "o")] * n
    if name == "chain":
        out = [[(p, "x", i + 1)] for i in range(n - 1)] + [[]]
    elif name == "chain_back":  # a list whose members also hold the one before
        out = [[(p, "x", i + 1), (p, "y", i - 1)] for i in range(1, n - 1)]
        out = [[(p, "x", 1)]] + out + [[(p, "y", n - 2)]]
    elif name == "reverse":  # the root holds the last member
        out = [[(p, "x", n - 1)], []] + [[(p, "x", i - 1)] for i in range(2, n)]
    elif name == "star":
        out[0] = [("element", i, i) for i in range(1, n)]
    elif name == "ladder":  # two chains with links across
        half = n // 2
        for i in range(1, half - 1):
            out[i] = [(p, "x", i + 1), (p, "y", half + i)]
            out[half + i] = [(p, "x", half + i + 1), (p, "y", i)]
        out[0] = [(p, "x", 1), (p, "y", half + 1)]
    elif name == "ring":
        out = [[(p, "x", (i + 1) % n)] for i in range(n)]
        out[0] = [(p, "x", 1)]
    elif name == "rings":  # that nothing holds
        out = [[(p, "x", i ^ 1)] for i in range(n)]
        out[0] = out[1] = []
    elif name == "fan":  # first and last member of a chain hold the same nodes
        half = n // 2
        out = [[(p, "x", i + 1)] for i in range(half - 1)] + [[] for _ in range(n - half + 1)]
        for end in (1, half - 1):
            out[end] = out[end] + [("element", i, i) for i in range(half, n)]
    elif name in ("rope_left", "rope_right"):
        kinds = [("concatenated string", "(concatenated string)")] * n
        kinds[0], kinds[1] = ("synthetic", ""), ("string", "a")
        out = [[("element", i, i) for i in range(1, n)], []]
        words = ("first", "second") if name == "rope_left" else ("second", "first")
        out += [[("internal", words[0], i - 1), ("internal", words[1], 1)] for i in range(2, n)]
    elif name == "helpers":  # a chain of arrays that the first and the last object hold
        kinds = [("object", "o"), ("object", "o")] + [("array", "")] * (n - 2)
        out = [[(p, "x", 1), (p, "y", n - 1)]] + [[(p, "x", i + 1)] for i in range(1, n - 1)] + [[(p, "x", 2)]]
    elif name == "shapes":  # plain objects all of which differ
        kinds = [("object", "Object")] * n
        out = [[(p, str(i % 1000), i % n), (p, "k%d" % (i // 7), 1), (p, "z", i + 1)] for i in range(n - 1)] + [[]]
    return snapshot([(kinds[i][0], kinds[i][1], 2 * i + 1, 8, out[i]) for i in range(n)], detached=False)


SHAPES = "chain chain_back reverse star ladder ring rings fan rope_left rope_right helpers shapes".split()


def wide(n, newer):
    """Objects below one array, each with a string; in the newer one every second object is another, and one more holds all."""
    nodes = [("synthetic", "", 1, 0, [("element", 0, 1)]), ("object", "All", 3, 8, [("element", i, i) for i in range(2, n, 2)])]
    for i in range(2, n, 2):
        shift = 4 * n if newer and i % 4 else 0
        nodes.append(("object", "Item", 2 * i + 1 + shift, 16, [("property", "text", i + 1)]))
        nodes.append(("string", f"text {i // 14}", 2 * i + 3, 24, []))
    return snapshot(nodes)


def write(path, made):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(made, f, separators=(",", ":"))


if __name__ == "__main__":  # SHAPE N FILE; "wide" writes FILE.0 and FILE.1
    if sys.argv[1] == "wide":
        for k in range(2):
            write(f"{sys.argv[3]}.{k}", wide(int(sys.argv[2]) // 2 * 2, k == 1))
    else:
        write(sys.argv[3], shape(sys.argv[1], int(sys.argv[2])))
