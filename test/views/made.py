"""A heap and a CPU profile made to have one of everything that views and questions tell apart."""

import json

NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
              "concatenated string", "sliced string", "symbol", "bigint", "object shape"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]


def heap():
    """Two nodes share the id 9, one of them without edges, as runtimes that reuse ids write them. Strings of equal text
    have numbers of their own or one number; nodes of each type and edges of each type; all states of detachedness."""
    strings, nodes, edges = [], [], []

    def text(s, new=False):
        if s not in strings or new:
            strings.append(s)
        return len(strings) - 1 if new else strings.index(s)

    count = 40
    for i in range(count):
        ends = i in (1, count - 1)  # what a neighbour in the tables would be counted with
        kind = 9 if i == 0 else 2 if i % 5 == 0 or ends else 10 if i % 5 == 1 and i > 20 else i % len(NODE_TYPES)
        name = "same" if kind in (2, 10) and i % 2 else "text %d" % (i % 3)
        ids = 9 if i in (4, 5) else 2 * i + 1
        out = 0 if i == 4 else 70 if i == 7 else i % 4
        nodes += [kind, text(name), ids, 8 * (i + 1) + (i % 5 == 0) * (3 << 31), out, 0, 2 if ends else i % 3, i * i]
        for k in range(out):
            edge = (i + k) % len(EDGE_TYPES)
            named = EDGE_TYPES[edge] not in ("element", "hidden")
            edges += [edge, text("edge %d" % k) if named else k, 8 * ((i * 7 + k * 11) % count)]
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness", "native_size"],
            "node_types": [NODE_TYPES, "string", "number", "number", "number", "number", "number"],
            "edge_fields": ["type", "name_or_index", "to_node"],
            "edge_types": [EDGE_TYPES, "string_or_number", "node"]}
    return json.dumps({"snapshot": {"meta": meta, "node_count": count, "edge_count": len(edges) // 3,
                                    "trace_function_count": 0}, "nodes": nodes, "edges": edges, "strings": strings})


def profile():
    """Samples of several seconds, so that sums pass 32 bits; methods that call themselves, with and without others between;
    time in (idle) and (program); a name with the characters that divide frames; no name."""
    frames = [(1, 0, "(root)"), (2, 1, "(idle)"), (3, 1, "(program)"), (4, 1, "main"), (5, 4, "walk"), (6, 5, "walk"),
              (7, 6, "visit;all\nof it"), (8, 7, "walk"), (9, 4, ""), (10, 9, "walk"), (11, 1, "walk")]
    ids = [1 + (i * 7 + i // 5) % len(frames) for i in range(60)]
    deltas = [2500000 + 1500000 * (i % 5) + i for i in range(60)]
    nodes = []
    for number, _, name in frames:
        own = not name.startswith("(")
        nodes.append({"id": number, "hitCount": ids.count(number), "children": [n for n, p, _ in frames if p == number],
                      "callFrame": {"functionName": name, "scriptId": "7" if own else "0", "url": "app.js" if own else "",
                                    "lineNumber": 0 if own else -1, "columnNumber": 3 if own else -1}})
    return json.dumps({"nodes": nodes, "startTime": 1000000, "endTime": 1000000 + sum(deltas) + 5000000, "samples": ids,
                       "timeDeltas": deltas})
