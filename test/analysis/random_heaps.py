"""random_heaps.py DIRECTORY SEED COUNT [NODES]: snapshots of one made-up program, each a change of the one before, that use every rule of
the analysis heap: helpers, WeakMaps, shortcuts, detached nodes, plain objects, locations, rings, orphans, ropes, damage that JSON can hold."""
import json
import random
import sys

NODE_TYPES = "hidden array string object code closure regexp number native synthetic".split() + [
    "concatenated string",
    "sliced string",
    "symbol",
    "bigint",
    "object shape",
]
EDGE_TYPES = "context element property internal hidden shortcut weak".split()
NAMES = {
    "hidden": ["system / NativeContext", "system / Context", "system / Map", "system / Context / f", "Array"],
    "array": ["", "(map descriptors)", "(object elements)", "Array"],
    "string": ["", "a", "b", "ab", "x" * 600, "true", "\u00e9\u20ac\U0001f600" * 200, "Detached b"],
    "object": ["Object", "Object", "Object", "Array", "Foo", "Bar", "RegExp", "<a b>", "Window", "system / Context", "{a, b}", "x,y"],
    "code": ["", "Foo"],
    "closure": ["f", "g", ""],
    "regexp": ["/a/"],
    "number": ["bool", "int", "smi number", "12"],
    "native": ["<div id=1>", "<p>", "Text", "Detached Foo", "system / ExternalStringData", "system / JSArrayBufferData", "Foo", "Detached <a x>"],
    "synthetic": ["(Document DOM trees)", "(GC roots)", "global / DevTools console", "(x)"],
    "concatenated string": ["(concatenated string)"],
    "sliced string": ["a"],
}
PROPERTIES = ["a", "b", "c", "x,y", "__proto__", "", "d" * 70, "e'f", "\u20ac" * 30, 'q"\n\x01', "g", "2", " 4x", "+7", "-4", "1"]
INTERNAL = ["table", "elements", "first", "second", "truncated", "length", "hash", "value", "sloppy_function_map", "4", "10 x", "3"]


def pair(rnd, number, ids):
    x = rnd.choice(["Key", "", "a @3) -> value (b", "x / part of key ("])
    text = f" / part of key ({x} @{rnd.choice(ids)}) -> value (V @{rnd.choice(ids)}) pair in WeakMap (table @{rnd.choice(ids)})"
    bad = rnd.random()
    return str(number) + (text if bad > 0.1 else text + " " if bad > 0.06 else text.replace("@", "") if bad > 0.03 else text.replace("Key", "\u2028"))


class Program:
    def __init__(self, rnd, n):
        self.rnd, self.next_id = rnd, 1
        self.has_detachedness = rnd.random() < 0.8
        self.has_locations = rnd.random() < 0.7
        self.root = 0 if rnd.random() < 0.7 else rnd.randrange(n)
        self.pairs, self.nodes = [], []
        for i in range(n):
            self.nodes.append(self.node(i))
        self.chance = rnd.choice([0.5, 1.5, 3])
        self.targets_of = rnd.choice(["any", "near", "forward"])
        for v in range(n):
            self.nodes[v]["edges"] = self.edges(v)
        self.set_root()

    def node(self, i):
        rnd = self.rnd
        kind = rnd.choice(NODE_TYPES[:12] + ["object"] * 8 + ["array", "hidden", "native", "string"] * 2 + NODE_TYPES)
        self.next_id += rnd.choice([1, 2, 2, 2])
        return {
            "type": kind,
            "name": rnd.choice(NAMES.get(kind, ["n", "m"])),
            "id": self.next_id if rnd.random() < 0.99 else 5,
            "size": rnd.choice([0, 8, 16, 16, 24, rnd.randrange(1000), 2**32 + 5 if rnd.random() < 0.05 else 4]),
            "detached": rnd.choice([0, 0, 0, 1, 2, 3]) if kind == "native" or rnd.random() < 0.1 else 0,
            "place": rnd.choice([None, None, (1, 2, 3), (1, 2, 4), (7, 0, 0)]),
            "edges": [],
        }

    def target(self, v):
        n = len(self.nodes)
        if self.targets_of == "near":
            return min(max(v + self.rnd.randrange(-4, 6), 0), n - 1)
        if self.targets_of == "forward" and v + 1 < n and self.rnd.random() < 0.9:
            return self.rnd.randrange(v + 1, n)
        return self.rnd.randrange(n)

    def edge(self, v):
        rnd, kind = self.rnd, self.nodes[v]["type"]
        t = rnd.choice(EDGE_TYPES + ["property", "property", "internal"] * 2)
        if kind in ("concatenated string", "number", "string") or rnd.random() < 0.05:
            t = "internal" if rnd.random() < 0.9 else t
        if self.nodes[v]["name"] == "Object" and rnd.random() < 0.8:
            t = "property"
        to = self.target(v)
        if t in ("element", "hidden"):
            return [t, rnd.randrange(12), to]
        if t == "internal":
            if rnd.random() < 0.25:
                ids = [n["id"] for n in self.nodes[v : v + 2]] + [self.nodes[v]["id"], 3]
                if not self.pairs or rnd.random() < 0.5:
                    self.pairs.append(pair(rnd, len(self.pairs), ids)[1:] if rnd.random() < 0.1 else pair(rnd, len(self.pairs), ids))
                name = rnd.choice(self.pairs)
                return [t, str(rnd.randrange(9)) + name[name.find(" ") :] if " " in name else name, to]
            return [t, rnd.choice(INTERNAL[2:] if kind in ("concatenated string", "number") else INTERNAL), to]
        return [t, rnd.choice(PROPERTIES[:4] if rnd.random() < 0.7 else PROPERTIES), to]

    def edges(self, v):
        out = []
        while self.rnd.random() < self.chance / (1 + self.chance):
            out.append(self.edge(v))
        return out

    def set_root(self):
        rnd, root = self.rnd, self.nodes[self.root]
        root["type"], root["name"] = rnd.choice(["synthetic", "synthetic", "synthetic", "object"]), ""
        style, out = rnd.random(), []
        for i in range(rnd.randrange(1, 5)):
            v = self.rnd.randrange(len(self.nodes))
            if style < 0.3:  # no user roots
                self.nodes[v]["type"], self.nodes[v]["name"] = "synthetic", rnd.choice(["(GC roots)", "(x)"])
            out.append([rnd.choice(["element", "element", "shortcut", "weak", "property"]), None, v])
            out[-1][1] = i if out[-1][0] == "element" else rnd.choice("ab")
        root["edges"] = out + out[: rnd.randrange(2)]

    def change(self):
        rnd = self.rnd
        for v, node in enumerate(self.nodes):
            if rnd.random() < 0.15 and v != self.root:
                node["size"] += 8
            if rnd.random() < 0.1 and v != self.root:
                node["edges"] = self.edges(v)
            if rnd.random() < 0.08 and v != self.root:
                keep = node["edges"] if rnd.random() < 0.5 else []
                self.nodes[v] = self.node(v)
                self.nodes[v]["edges"] = keep
            if rnd.random() < 0.05:
                node["place"] = rnd.choice([None, (1, 2, 3)])

    def snapshot(self):
        rnd = self.rnd
        strings, number = ["<dummy>"], {}

        def s(text):
            if text not in number or rnd.random() < 0.003:
                number[text] = len(strings)
                strings.append(text)
            return number[text]

        fields = ["type", "name", "id", "self_size", "edge_count"] + (["detachedness"] if self.has_detachedness else [])
        stride, flat, edges, locations = len(fields), [], [], []
        for v, node in enumerate(self.nodes):
            row = [NODE_TYPES.index(node["type"]), s(node["name"]), node["id"], node["size"], len(node["edges"])]
            flat += row + ([node["detached"]] if self.has_detachedness else [])
            for t, name, to in node["edges"]:
                edges += [EDGE_TYPES.index(t), name if t in ("element", "hidden") else s(name), to * stride]
            if self.has_locations and node["place"]:
                locations += [v * stride, *node["place"]]
                if rnd.random() < 0.1:
                    locations = [v * stride, 9, 9, 9] + locations
        meta = {
            "node_fields": fields,
            "node_types": [NODE_TYPES] + ["number"] * (stride - 1),
            "edge_fields": ["type", "name_or_index", "to_node"],
            "edge_types": [EDGE_TYPES, "string_or_number", "node"],
            "location_fields": ["object_index", "script_id", "line", "column"],
        }
        out = {"meta": meta, "node_count": len(self.nodes), "edge_count": len(edges) // 3}
        if self.root or rnd.random() < 0.1:
            out["root_index"] = self.root * stride
        if rnd.random() < 0.3:
            out["extra_native_bytes"] = rnd.randrange(5000)
        defect = rnd.random()  # what the format allows to be wrong
        if defect < 0.05:
            out["root_index"] = rnd.choice([1, stride * len(self.nodes), -stride])
        elif defect < 0.12 and edges:
            edges[rnd.randrange(len(edges) // 3) * 3 + 2] = rnd.choice([1, 10**9, -stride, 2**40 * stride])
        elif defect < 0.17 and edges:
            edges[rnd.randrange(len(edges) // 3) * 3] = rnd.choice([7, 8, 99])
        elif defect < 0.22:
            flat[rnd.randrange(len(self.nodes)) * stride] = rnd.choice([15, 99])
        elif defect < 0.26:
            flat[rnd.randrange(len(self.nodes)) * stride + 4] += rnd.choice([1, -1, -100])
        return {"snapshot": out, "nodes": flat, "edges": edges, "locations": locations, "strings": strings}


def write(out, seed, count, nodes=None):
    rnd = random.Random(seed)
    program = Program(rnd, nodes or rnd.choice([1, 2, 5, 12, 30, 50, 50, 120]))
    for i in range(count):
        with open(f"{out}/{i}.heapsnapshot", "w", encoding="utf-8") as f:
            json.dump(program.snapshot(), f, ensure_ascii=rnd.random() < 0.5)
        program.change()


if __name__ == "__main__":
    write(sys.argv[1], *map(int, sys.argv[2:]))
