"""A heap made to have one of everything that the views tell apart."""

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
        kind = 9 if i == 0 else 2 if i % 5 == 0 else 10 if i % 5 == 1 and i > 20 else i % len(NODE_TYPES)
        name = "same" if kind in (2, 10) and i % 2 else "text %d" % (i % 3)
        ids = 9 if i in (4, 5) else 2 * i + 1
        out = 0 if i == 4 else 70 if i == 7 else i % 4
        nodes += [kind, text(name), ids, 8 * (i + 1), out, 0, i % 3]
        for k in range(out):
            edge = (i + k) % len(EDGE_TYPES)
            named = EDGE_TYPES[edge] not in ("element", "hidden")
            edges += [edge, text("edge %d" % k) if named else k, 7 * ((i * 7 + k * 11) % count)]
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
            "node_types": [NODE_TYPES, "string", "number", "number", "number", "number", "number"],
            "edge_fields": ["type", "name_or_index", "to_node"],
            "edge_types": [EDGE_TYPES, "string_or_number", "node"]}
    return json.dumps({"snapshot": {"meta": meta, "node_count": count, "edge_count": len(edges) // 3,
                                    "trace_function_count": 0}, "nodes": nodes, "edges": edges, "strings": strings})
