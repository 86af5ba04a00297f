"""Inputs made to take more memory than is promised: memory.py SHAPE N, to standard output."""

import struct
import sys
import zipfile

sys.dont_write_bytecode = True
import plugin_shapes
from htrace_bytes import chunk, message, recording, segment

shape, n = sys.argv[1], int(sys.argv[2])
w = sys.stdout.write

META = '"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],"node_types":[["object"]],' \
       '"edge_fields":["type","name_or_index","to_node"],"edge_types":[["property"]],"location_fields":["object_index","script_id",' \
       '"line","column"],"sample_fields":["timestamp_us","last_assigned_id"],"trace_function_info_fields":["function_id","name",' \
       '"script_name","script_id","line","column"],"trace_node_fields":["id","function_info_index","count","size","children"]}'


def heap(nodes="0,0,1,8,0,0,0", edges="", strings='"s"', rest="", meta=META):
    w('{"snapshot":{%s,"node_count":1,"edge_count":0},"nodes":[' % meta)
    parts(nodes)
    w('],"edges":[')
    parts(edges)
    w("]" + rest + ',"strings":[')
    parts(strings)
    w("]}")


def parts(p):
    if isinstance(p, str):
        w(p)
    else:
        for i, part in enumerate(p):
            w(("," if i else "") + part)


def profile(nodes, samples="1", deltas="1", rest=""):
    w('{"nodes":[')
    parts(nodes)
    w('],"startTime":0,"endTime":1000000000000,"samples":[')
    parts(samples)
    w('],"timeDeltas":[')
    parts(deltas)
    w("]" + rest + "}")


def node(i, name="f", more=""):
    return '{"id":%d,"callFrame":{"functionName":"%s"}%s}' % (i, name, more)


small = '{"snapshot":{%s},"nodes":[0,0,1,8,0,0,0],"edges":[],"strings":[]}' % META.replace(" ", "")
done = message('{"id":1,"result":{}}')
long = "x" * n
tall = range(n)

if shape == "string":  # one of n bytes
    heap(strings='"' + long + '"')
elif shape == "cpu_samples":  # the last one first
    recording(b"".join(segment(b"cpu-plugin", b"\x0a\x00\x18\x01", n - i) for i in range(n)))
elif shape in plugin_shapes.SHAPES:
    recording(plugin_shapes.SHAPES[shape](n))
elif shape == "string_escaped":
    heap(strings='"' + "\\u00e4" * (n // 6) + '"')
elif shape == "string_object":  # inside a message, as an object
    text = '{"params":{"chunk":{"snapshot":{%s},"nodes":[],"edges":[],"strings":["%s"]}}}' % (META, long)
    recording(message(text) + done)
elif shape == "string_chunks":
    text = '{"snapshot":{%s},"nodes":[],"edges":[],"strings":["' % META
    recording(chunk(text) + chunk("y" * 65536) * (n // 65536) + chunk('"]}') + done)
elif shape == "strings":  # all different
    heap(strings=('"text %d"' % i for i in tall))
elif shape == "strings_first":
    w('{"strings":[')
    parts('"%d"' % i for i in tall)
    w('],"snapshot":{%s},"nodes":[0,0,1,8,0,0,0],"edges":[]}' % META)
elif shape == "nodes":
    heap(nodes=("0,0,%d,8,0,0,0" % (2 * i + 1) for i in tall))
elif shape == "nodes_spread":  # ids of 64 bits
    heap(nodes=("0,0,%d,8,0,0,0" % ((i * 0x9E3779B97F4A7C15) % (1 << 62)) for i in tall))
elif shape == "nodes_one_pass":  # ids that one pass over spread ids would have to take alone
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    heap(nodes=("0,0,%d,8,0,0,0" % v for v in ((i * 2 * inverse) % (1 << 64) for i in tall) if v < 1 << 63))
elif shape == "nodes_large_counts":  # edge_count of 64 bits
    heap(nodes=("0,0,%d,8,%d,0,0" % (2 * i + 1, (1 << 62) + i) for i in tall))
elif shape == "classes":  # each node of another
    heap(nodes=("0,%d,%d,8,0,0,0" % (i, 2 * i + 1) for i in tall))
elif shape == "edges_first":
    w('{"edges":[')
    parts("0,0,0" for _ in tall)
    w('],"snapshot":{%s},"nodes":[0,0,1,8,%d,0,0],"strings":["s"]}' % (META, n))
elif shape == "locations":
    heap(rest=',"locations":[' + ",".join("0,1,2,3" for _ in tall) + "]")
elif shape == "tree_wide":
    heap(rest=',"trace_tree":[1,0,1,1,[' + ",".join("2,0,1,1,[]" for _ in tall) + "]]")
elif shape == "members":  # that nobody knows
    heap(rest="".join(',"m%d":0' % i for i in tall))
elif shape == "trailing":  # text behind the end
    heap()
    w("x" * n)
elif shape == "samples":
    profile(node(1), ("1" for _ in tall), ("1" for _ in tall))
elif shape == "samples_back":  # times that go back
    profile(node(1), ("1" for _ in tall), ("%d" % (-7 if i % 3 == 2 else 10) for i in tall))
elif shape == "names_long":  # n nodes, each with 100 KB of its own
    profile(node(i + 1, "%d" % i + "x" * 100000) for i in tall)
elif shape == "name_longest":  # one name of n bytes
    profile(node(1, long))
elif shape == "title":
    profile(node(1), rest=',"title":"' + long + '"')
elif shape == "profile_nodes":
    profile(node(i + 1) for i in tall)
elif shape == "children":  # of nodes that are not there
    profile(node(1, "r", ',"children":[%s]' % ",".join("%d" % (i + 2) for i in tall)))
elif shape == "properties":  # numbers beside those of the profile
    profile(node(1), rest="".join(',"p%d":%d' % (i, i) for i in tall))
elif shape in ("heap_profile", "heap_profile_open"):  # nodes and samples; nodes that are open at once
    frame = '{"callFrame":{"functionName":"f","scriptId":"1","url":"","lineNumber":1,"columnNumber":1},"selfSize":8,"id":%d,"children":['
    w('{"head":' + frame % 0)
    if shape == "heap_profile":
        parts(frame % (i + 1) + "]}" for i in tall)
    else:
        w("".join(frame % (i + 1) for i in tall) + "]}" * n)
    w(']},"samples":[')
    parts('{"size":8,"nodeId":%d,"ordinal":%d}' % (i + 1, n - i) for i in tall)
    w("]}")
elif shape == "chrome_spans":  # of few threads, names and call paths
    w("[")
    parts('{"ph":"X","name":"f%d","pid":1,"tid":%d,"ts":%d,"dur":1,"args":{"a":%d}}' % (i % 9, i % 5, 2 * (n - i), i) for i in tall)
    w("]")
elif shape == "chrome_pairs":  # asynchronous, each with an id of its own
    w("[")
    parts('{"ph":"b","id":%d,"name":"f","pid":1,"ts":%d},{"ph":"e","id":%d,"name":"f","pid":1,"ts":%d}' % (i, i, i, i + 5) for i in tall)
    w("]")
elif shape == "chrome_open":  # spans without an end
    w("[")
    parts('{"ph":"B","name":"f","pid":1,"tid":1,"ts":%d}' % i for i in tall)
    w("]")
elif shape == "chrome_args":  # of one event
    w('[{"ph":"X","ts":1,"dur":1,"args":{"a":"')
    w("x" * n)
    w('"}}]')
elif shape == "snapshots":  # of one node
    recording((chunk(small) + done) * n)
elif shape == "profiles":
    text = '{"nodes":[%s],"startTime":0,"endTime":1,"samples":[],"timeDeltas":[]}' % node(1)
    recording(message('{"id":3,"result":{"profile":%s}}' % text) * n)
elif shape == "plugins":  # each segment of another
    recording(b"".join(segment(b"plugin-%d" % i, b"x") for i in tall))
elif shape == "segment":  # one of n bytes
    recording(segment(b"cpu-plugin_config", b"x" * n))
elif shape == "issues":
    recording(struct.pack("<I", 2) + b"\x1a\x00" + (struct.pack("<I", 2) + b"\x1a\x00") * n)
elif shape == "marks":
    recording(done * n)
elif shape == "archive_names":  # members that are no recordings, with names of 600 bytes
    with zipfile.ZipFile(sys.stdout.buffer, "w") as z:
        for i in tall:
            z.writestr("%06d" % i + "n" * 594, b"x")
        z.writestr("a.heapsnapshot", small)
elif shape == "configurations":
    recording(segment(b"arkts-plugin_config", b"\x08\x01") * n)
else:
    sys.exit("unknown shape " + shape)
