"""Whether a heap snapshot or timeline of V8 or ArkTS, bare or inside a recording, contradicts nothing that it says.

consistent(path) is true only when nobody could find out from the file that it was damaged: it is strict JSON with the members that V8
writes and no others, counts and sums agree, every number refers to something that is there, and in heaps of V8 strings are numbered in the
order in which nodes, edges and functions use them for the first time. More functions than announced, in which none is twice, contradict
nothing. It shares nothing with trace_streamer: the campaign asks it about runs
whose rows are wrong although the program presents them as certain, and compares rows(path) with the database.

All rules hold for the four heaps of test/data, from 42 389 to 50 317 nodes. What they do not hold is a description of V8's own
objects, so that two rows that are exchanged whole, and two texts, may contradict nothing.
"""

import gzip
import os
import re
import sys

import consistent_profile as cp
from consistent_profile import Contradiction, ints, need

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import htrace  # noqa: E402

MEMBERS = ["snapshot", "nodes", "edges", "trace_function_infos", "trace_tree", "samples", "locations", "strings"]
COUNTS = ["meta", "node_count", "edge_count", "trace_function_count"]
NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic", "concatenated string",
              "sliced string", "symbol", "bigint", "object shape", "wasm object"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]
META = {
    "node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
    "node_types": [NODE_TYPES, "string", "number", "number", "number", "number", "number"],
    "edge_fields": ["type", "name_or_index", "to_node"],
    "edge_types": [EDGE_TYPES, "string_or_number", "node"],
    "trace_function_info_fields": ["function_id", "name", "script_name", "script_id", "line", "column"],
    "trace_node_fields": ["id", "function_info_index", "count", "size", "children"],
    "sample_fields": ["timestamp_us", "last_assigned_id"],
    "location_fields": ["object_index", "script_id", "line", "column"],
}
ARKTS_NODE_TYPES = NODE_TYPES[:14] + ["class", "framework", "handle"]
ARKTS_EDGE_TYPES = EDGE_TYPES + ["native", "native_string", "xref"]
ARKTS_META = dict(META, node_fields=META["node_fields"] + ["native_size"], node_types=[ARKTS_NODE_TYPES] + META["node_types"][1:],
                  edge_types=[ARKTS_EDGE_TYPES] + META["edge_types"][1:])
EDGE, FUNCTION, TREE, SAMPLE, LOCATION = 3, 6, 5, 2, 4  # numbers of a row
FOREIGN = (NODE_TYPES.index("native"), NODE_TYPES.index("synthetic"))  # with ids and sizes that V8 did not give
UNALIGNED = FOREIGN + (NODE_TYPES.index("string"),)
LOCATED = (NODE_TYPES.index("object"), NODE_TYPES.index("closure"))
ROOTS = 5  # of ArkTS: the first nodes, of which all but the very first have the id 0
NUMBERED = (EDGE_TYPES.index("element"), EDGE_TYPES.index("hidden"))  # edges with a number instead of a name
ROOT = [9, 1, 1, 0]
# Names that V8 makes of other rows: of the edges from the key and from the table to the value.
PAIR = re.compile(r"\d+ / part of key \(.* @(\d+)\) -> value \((.*) @(\d+)\) pair in WeakMap \(table @(\d+)\)", re.DOTALL)


# --- parts of a heap -----------------------------------------------------------------------------


def table(heap, name, stride):
    numbers = ints(heap[name], name)
    need(len(numbers) % stride == 0, "%s ends inside a row" % name)
    rows = [numbers[i : i + stride] for i in range(0, len(numbers), stride)]
    # The line and the column of a function are -1 where they are not known.
    need(all(v >= 0 for row in rows for v in row[: 4 if stride == FUNCTION else stride]), "%s has a negative number" % name)
    return rows


def check_meta(snapshot):
    need(isinstance(snapshot, dict) and list(snapshot) == COUNTS, "snapshot has other members")
    need(snapshot["meta"] in (META, ARKTS_META), "meta is not that of V8 or ArkTS")
    for key in COUNTS[1:]:
        need(cp.is_int(snapshot[key]) and snapshot[key] >= 0, "%s is not a number" % key)


def check_strings(strings, arkts):
    need(isinstance(strings, list) and all(isinstance(s, str) for s in strings), "strings is no list of texts")
    need(strings[:2] == ["<dummy>", ""], "strings do not begin as those of V8")
    if arkts:
        return
    need(len(set(strings)) == len(strings), "a string occurs twice")


def check_nodes(heap, nodes, strings, tree_ids, types, arkts):
    need(nodes and [nodes[0][0], *nodes[0][2:4]] == [ROOT[0], *ROOT[2:]] and (arkts or nodes[0][1] == ROOT[1]), "the root is not the first node")
    need(len(nodes) == heap["snapshot"]["node_count"], "node_count is not the number of nodes")
    ids = [n[2] for i, n in enumerate(nodes) if not (arkts and 0 < i < ROOTS)]
    need(len(set(ids)) == len(ids), "an id occurs twice")
    for i, (kind, name, number, size, _, trace, detached, *_) in enumerate(nodes):
        need(kind < len(types), "a node has no type")
        need(0 < name < len(strings), "a node has no name")
        need(number == 0 if arkts and 0 < i < ROOTS else number > 0 and (kind in FOREIGN or number % 2 == 1), "an id is not one of V8")
        need(arkts or kind in UNALIGNED or size % 4 == 0, "a size is not one of V8")
        need(trace == 0 or trace in tree_ids, "a node was allocated nowhere")
        need(detached <= 2, "detachedness is unknown")
    need(sum(n[4] for n in nodes) == heap["snapshot"]["edge_count"], "the sum of edge_count is not the number of edges")


def check_pair(name, owner, target, strings):
    pair = PAIR.fullmatch(name)
    need(pair is None or (str(owner[2]) in (pair[1], pair[4]) and str(target[2]) == pair[3] and strings[target[1]] == pair[2]),
         "a name is that of another edge")


def check_edges(heap, nodes, edges, strings, types, stride):
    need(len(edges) == heap["snapshot"]["edge_count"], "edge_count is not the number of edges")
    k = 0
    for owner in nodes:
        indexes = set()
        for kind, name, to in edges[k : k + owner[4]]:
            need(kind < len(types), "an edge has no type")
            need(to % stride == 0 and to < stride * len(nodes), "an edge leads to no node")
            if kind in NUMBERED:
                need((kind, name) not in indexes, "an element occurs twice")
                indexes.add((kind, name))
            else:
                need(0 < name < len(strings), "an edge has no name")
                check_pair(strings[name], owner, nodes[to // stride], strings)
        k += owner[4]


def check_order(nodes, edges, functions, strings):
    """V8 gives a string the next number when it is used for the first time, and writes none that is not used."""
    top = 0
    uses = [n[1] for n in nodes] + [e[1] for e in edges if e[0] not in NUMBERED]
    for f in functions:
        uses += f[1:3]
    for name in uses:
        need(name <= top + 1, "a string is used before its turn")
        top = max(top, name)
    need(top + 1 == len(strings), "a string is not used")


def tree_rows(heap, functions):
    """Rows of (id, function, count, size, id of the parent or -1)."""
    rows = []
    todo = [(heap["trace_tree"], -1)]
    while todo:
        items, parent = todo.pop()
        need(isinstance(items, list) and len(items) % TREE == 0, "trace_tree ends inside a row")
        for i in range(0, len(items), TREE):
            ints(items[i : i + 4], "a row of trace_tree")
            number, function, count, size = items[i : i + 4]
            need(0 <= function < len(functions) and count >= 0 and size >= 0, "a row of trace_tree has no function")
            rows.append((number, function, count, size, parent))
            todo.append((items[i + 4], number))
    need({r[0] for r in rows} == set(range(1, len(rows) + 1)), "ids of trace_tree are not 1 to n")
    need(sum(r[4] < 0 for r in rows) <= 1, "trace_tree has two roots")
    return rows


def check_functions(heap, functions, strings):
    announced = heap["snapshot"]["trace_function_count"]
    ids = [f[0] for f in functions if f[0] != 0]
    need(len(functions) == announced or len(functions) > announced and len(set(ids)) == len(ids), "trace_function_count is not the number of functions")
    for f in functions:
        need(0 < f[1] < len(strings) and 0 < f[2] < len(strings), "a function has no name")


def check_samples(samples):
    for column in zip(*samples):
        need(list(column) == sorted(column), "samples are not in the order of time")
    need(not samples or samples[0][0] == 0, "the first sample is not at the begin")


def check_locations(locations, nodes, stride):
    for index, _, _, _ in locations:
        need(index % stride == 0 and index < stride * len(nodes), "a location is of no node")
        need(nodes[index // stride][0] in LOCATED, "a location is of no function or object")
    need(len({row[0] for row in locations}) == len(locations), "a node has two locations")


class Heap:
    """The rows of a heap that contradicts itself in nothing."""

    def __init__(self, heap):
        need(isinstance(heap, dict) and list(heap) == MEMBERS, "a heap has other members")
        check_meta(heap["snapshot"])
        meta = heap["snapshot"]["meta"]
        arkts = meta == ARKTS_META
        self.stride = len(meta["node_fields"])
        self.node_types, self.edge_types = meta["node_types"][0], meta["edge_types"][0]
        self.strings = heap["strings"]
        check_strings(self.strings, arkts)
        self.nodes = table(heap, "nodes", self.stride)
        self.edges = table(heap, "edges", EDGE)
        self.functions = table(heap, "trace_function_infos", FUNCTION)
        check_functions(heap, self.functions, self.strings)
        self.tree = tree_rows(heap, self.functions)
        check_nodes(heap, self.nodes, self.strings, {r[0] for r in self.tree}, self.node_types, arkts)
        check_edges(heap, self.nodes, self.edges, self.strings, self.edge_types, self.stride)
        if not arkts:
            check_order(self.nodes, self.edges, self.functions, self.strings)
        self.samples = table(heap, "samples", SAMPLE)
        check_samples(self.samples)
        self.locations = table(heap, "locations", LOCATION)
        check_locations(self.locations, self.nodes, self.stride)


# --- recordings ----------------------------------------------------------------------------------

METHODS = {
    "HeapProfiler.addHeapSnapshotChunk": [{"chunk"}],
    "HeapProfiler.heapStatsUpdate": [{"statsUpdate"}],
    "HeapProfiler.lastSeenObjectId": [{"lastSeenObjectId", "timestamp"}],
    "HeapProfiler.reportHeapSnapshotProgress": [{"done", "total"}, {"done", "total", "finished"}],
}


def check_message(raw):
    """The chunk of a message of the session, or None."""
    m = htrace.parse_message(raw)
    need(isinstance(m, dict), "a message is no object")
    if "method" in m:
        need(set(m) == {"method", "params"} and m["method"] in METHODS and isinstance(m["params"], dict) and
             set(m["params"]) in METHODS[m["method"]], "a message of an unknown kind")
        return m["params"].get("chunk")
    need(set(m) == {"id", "result"} and m["result"] == {}, "a message of an unknown kind")
    return None


def check_chunks(chunks):
    """V8 writes chunks of one size, of which the last one may be shorter. Then a message ends the heap."""
    need(len({len(c) for c in chunks[:-1]}) <= 1, "a chunk in the middle is shorter")
    need(len(chunks) < 2 or len(chunks[-1]) <= len(chunks[0]), "the last chunk is longer")


def check_recording(data):
    """The texts of its heaps."""
    for header, payload in htrace.sections(data):
        segments = list(htrace.segments(payload))
        need(header["segments"] == 2 * len(segments), "the header has another number of segments")
        before = None
        chunks = []
        for segment in segments:
            messages, before = cp.check_segment(segment, before)
            for raw in messages:
                chunk = check_message(raw)
                if chunk is not None:
                    chunks.append(chunk)
                elif chunks:
                    check_chunks(chunks)
                    chunks = []
        need(not chunks, "the last heap does not end")
    heaps = htrace.Recording(data).heaps
    need(heaps, "there is no heap")
    return [h["text"] for h in heaps]


# --- files ---------------------------------------------------------------------------------------


def read(path):
    """The heaps of a file that contradicts itself in nothing."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    texts = check_recording(data) if data[:8] == b"OHOSPROF" else [data]
    return [Heap(cp.strict_json(text)) for text in texts]


def contradiction(path):
    """What a file contradicts itself in, or None."""
    try:
        read(path)
    except Contradiction as e:
        return str(e)
    except (htrace.FormatError, EOFError, OSError, IndexError, ValueError) as e:
        return "no file of its kind: %s" % e
    return None


def consistent(path):
    """True when a heap, or a recording of heaps, contradicts nothing that it says."""
    return contradiction(path) is None


def text(s):
    return s.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def rows(path):
    """What the database has to say of a consistent file, in the order of SQL."""
    out = []
    for number, heap in enumerate(read(path)):
        names = list(map(text, heap.strings))
        out += [(number, n[2], heap.node_types[n[0]].encode(), names[n[1]], *n[3:], *[None] * (8 - heap.stride)) for n in heap.nodes]
    for number, heap in enumerate(read(path)):
        names = list(map(text, heap.strings))
        k = 0
        for owner in heap.nodes:
            for kind, name, to in heap.edges[k : k + owner[4]]:
                out.append((number, owner[2], heap.nodes[to // heap.stride][2], heap.edge_types[kind].encode(),
                            b"%d" % name if kind in NUMBERED else names[name]))
            k += owner[4]
    for number, heap in enumerate(read(path)):
        out += [(number, *row) for row in heap.samples]
        out += [(number, *row) for row in heap.locations]
        out += [(number, *row) for row in heap.functions]
        out += [(number, *row) for row in sorted(heap.tree)]
    return out


SQL = [
    "SELECT file_id, node_id, type, name, self_size, edge_count, trace_node_id, detachedness, native_size FROM v_js_node ORDER BY file_id, node_index",
    "SELECT file_id, from_node_id, to_node_id, type, name FROM v_js_edge ORDER BY file_id, edge_index",
    "SELECT file_id, timestamp_us, last_assigned_id FROM js_heap_sample ORDER BY rowid",
    "SELECT file_id, object_index, script_id, line, column FROM js_heap_location ORDER BY rowid",
    "SELECT file_id, function_id, name, script_name, script_id, line, column FROM js_heap_trace_function_info ORDER BY rowid",
    "SELECT file_id, id, function_info_index, count, size, parent_id FROM js_heap_trace_node ORDER BY file_id, id",
]

if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print("%s: %s" % (argument, contradiction(argument) or "consistent"))
