"""Inputs that are very deep, or very many: deep.py KIND N, to standard output."""

import sys

kind, n = sys.argv[1], int(sys.argv[2])
out = sys.stdout.buffer

FIELDS = b'"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],' \
         b'"node_types":[["hidden"]],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context"]],' \
         b'"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],' \
         b'"trace_node_fields":["id","function_info_index","count","size","children"],"sample_fields":["timestamp_us","last_assigned_id"],' \
         b'"location_fields":["object_index","script_id","line","column"]},"node_count":2,"edge_count":0,"trace_function_count":1}'
INFO = b'"trace_function_infos":[0,0,0,0,0,0]'


def repeat(text, times, join=b""):
    """In pieces, so that the text is never in memory as a whole."""
    piece = 100000
    while times > 0:
        k = min(piece, times)
        out.write((text + join) * k if times > k or not join else (text + join) * (k - 1) + text)
        times -= k


def snapshot(nodes, rest=None, node_count=2):
    out.write(b"{" + FIELDS.replace(b'"node_count":2', b'"node_count":%d' % node_count) + b',"nodes":[')
    nodes()
    out.write(b'],"edges":[],' + INFO)
    if rest:
        rest()
    out.write(b',"samples":[],"locations":[],"strings":["s"]}')


def two_nodes():
    out.write(b"0,0,1,0,0,0,0,0,0,3,8,0,0,0")


def many_nodes():
    for begin in range(0, n, 10000):
        end = min(begin + 10000, n)
        out.write(b",".join(b"0,0,%d,1,0,0,0" % (2 * i + 1) for i in range(begin, end)) + (b"," if end < n else b""))


def nested(opening, inner, closing):
    def size():
        out.write(b"0,0,1,0,0,0,0,0,0,3,")
        repeat(opening, n)
        out.write(inner)
        repeat(closing, n)
        out.write(b",0,0,0")
    return size


def tree_deep():
    out.write(b',"trace_tree":')
    repeat(b"[1,0,1,1,", n)
    out.write(b"[]")
    repeat(b"]", n)


def tree_wide():
    out.write(b',"trace_tree":[1,0,1,1,[')
    repeat(b"1,0,1,1,[]", n, b",")
    out.write(b"]]")


def profile(node):
    out.write(b'{"nodes":[')
    for begin in range(1, n + 1, 10000):
        end = min(begin + 10000, n + 1)
        out.write(b",".join(node(i) for i in range(begin, end)) + (b"," if end <= n else b""))
    out.write(b'],"startTime":0,"endTime":10,"samples":[%d],"timeDeltas":[1]}' % n)


def with_children(i):
    return b'{"id":%d,"callFrame":{"functionName":"f"},"children":[%s]}' % (i, b"%d" % (i + 1) if i < n else b"")


def with_children_reversed(i):
    # Every node before its parent: the root comes last.
    return b'{"id":%d,"callFrame":{"functionName":"f"},"children":[%s]}' % (i, b"%d" % (i - 1) if i > 1 else b"")


def with_parent(i):
    return b'{"id":%d,"callFrame":{"functionName":"f"}%s}' % (i, b',"parent":%d' % (i - 1) if i > 1 else b"")


if kind == "arrays":
    snapshot(nested(b"[", b"", b"]"))
elif kind == "objects":
    snapshot(nested(b'{"a":', b"0", b"}"))
elif kind == "mixed":
    snapshot(nested(b'[{"a":', b"0", b"}]"))
elif kind == "no_end":
    out.write(b"{" + FIELDS + b',"nodes":')
    repeat(b"[", n)
elif kind == "nodes":
    snapshot(many_nodes, node_count=n)
elif kind == "tree":
    snapshot(two_nodes, tree_deep)
elif kind == "wide":
    snapshot(two_nodes, tree_wide)
elif kind == "children":
    profile(with_children)
elif kind == "parents":
    profile(with_parent)
elif kind == "reversed":
    profile(with_children_reversed)
else:
    sys.exit("unknown kind " + kind)
