"""Inputs whose cost should grow with their size and no faster: growth.py SHAPE N, to standard output."""

import struct
import sys

sys.dont_write_bytecode = True
import plugin_shapes
from htrace_bytes import chunk, message, recording, segment

shape, n = sys.argv[1], int(sys.argv[2])
out = sys.stdout.buffer

META = '"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],"node_types":[["object"]],' \
       '"edge_fields":["type","name_or_index","to_node"],"edge_types":[["property"]]}'


def heap(ids, edges_first=False, strings=("s",)):
    k = len(ids)
    nodes = '"nodes":[' + ",".join("0,0,%d,8,1,0,0" % i for i in ids) + "]"
    edges = '"edges":[' + ",".join("0,0,%d" % (7 * ((j * 7919) % k)) for j in range(k)) + "]"
    parts = [edges, nodes] if edges_first else [nodes, edges]
    return '{"snapshot":{%s,"node_count":%d,"edge_count":%d},' % (META, k, k) + ",".join(parts) + ',"strings":[' + \
        ",".join('"%s"' % s for s in strings) + "]}"


if shape == "chunks":  # of one byte
    recording(chunk('{"snapshot":{' + META + '},"nodes":[') + chunk(" ") * n + chunk("]}") + message('{"id":1,"result":{}}'))
elif shape == "segments":
    recording(segment(b"cpu-plugin_config", b"x") * n)
elif shape == "cpu_samples":  # none in its place
    recording(b"".join(segment(b"cpu-plugin", b"\x0a\x00\x18\x01" + struct.pack("<Bd", 0x21, i), sec=i * 7919 % n) for i in range(n)))
elif shape in plugin_shapes.SHAPES:
    recording(plugin_shapes.SHAPES[shape](n))
elif shape == "plugins":  # each of another name
    recording(b"".join(segment(b"plugin-%d" % i, b"x") for i in range(n)))
elif shape == "issues":
    recording(struct.pack("<I", 2) + b"\x1a\x00" + (struct.pack("<I", 2) + b"\x1a\x00") * n)
elif shape == "marks":
    recording(message('{"id":1,"result":{}}') * n)
elif shape == "resync":  # damage and a good segment in turn
    recording((b"\xff\xff\xff\xff" + segment(b"cpu-plugin_config", b"x")) * n)
elif shape == "magic":  # the container's magic all over lost bytes
    recording(segment(b"cpu-plugin_config", b"x") + b"\xff\xff\xff\xff" + b"OHOSPROF" * (4 * n))
elif shape == "strings":  # a few long ones
    out.write(heap([1], strings=["\\u00e4" * (4 * n)] * 3).encode())
elif shape == "ids":  # far apart and with equal low bits
    out.write(heap([1 + (i << 32) for i in range(n)]).encode())
elif shape == "same_ids":
    out.write(heap([1] * n).encode())
elif shape == "edges_first":
    out.write(heap(list(range(1, 2 * n, 2)), edges_first=True).encode())
elif shape == "profile":  # ids with equal low bits, all children of the first, deltas that go back
    nodes = ['{"id":1,"callFrame":{"functionName":"r"},"children":[%s]}' % ",".join("%d" % (i << 32) for i in range(1, n))]
    nodes += ['{"id":%d,"callFrame":{"functionName":"f%d"}}' % (i << 32, i) for i in range(1, n)]
    out.write(('{"nodes":[' + ",".join(nodes) + '],"startTime":0,"endTime":9,"samples":[' + ",".join("1" for _ in range(n)) +
               '],"timeDeltas":[' + ",".join("%d" % (-i % 1000 - 500) for i in range(n)) + "]}").encode())
elif shape == "profile_collide":  # ids whose products with the golden ratio have equal upper bits
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    ids = [(i * inverse) % (1 << 64) for i in range(1, n + 1)]
    ids = [i - (1 << 64) if i >= 1 << 63 else i for i in ids]
    nodes = ['{"id":%d,"callFrame":{"functionName":"f"}}' % i for i in ids]
    out.write(('{"nodes":[' + ",".join(nodes) + '],"startTime":0,"endTime":9,"samples":[1],"timeDeltas":[1]}').encode())
elif shape == "classes_collide":  # the same for names of classes
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    names = [v >> 6 for v in ((i * inverse) % (1 << 64) for i in range(64 * n)) if v % 64 == 0]
    out.write(('{"snapshot":{%s,"node_count":%d,"edge_count":0},"nodes":[' % (META, len(names)) +
               ",".join("0,%d,%d,8,0,0,0" % (v, 2 * i + 1) for i, v in enumerate(names)) + '],"edges":[],"strings":["s"]}').encode())
elif shape == "deep":  # one path, with samples at its end
    nodes = ['{"id":%d,"callFrame":{"functionName":"f%d"},"children":[%s]}' % (i, i % 100, i + 1 if i < n else "") for i in range(1, n + 1)]
    out.write(('{"nodes":[' + ",".join(nodes) + '],"startTime":0,"endTime":99999,"samples":[%d,%d],"timeDeltas":[9000,9000]}' % (n, n)).encode())
elif shape == "wide":  # paths of ten frames, each node with a sample
    nodes = ['{"id":%d,"callFrame":{"functionName":"f%d"},"children":[%s]}' % (
        i, i % 100, ",".join("%d" % c for c in (range(2, n + 1, 9) if i == 1 else [i + 1] if (i - 2) % 9 != 8 and i < n else [])))
        for i in range(1, n + 1)]
    out.write(('{"nodes":[' + ",".join(nodes) + '],"startTime":0,"endTime":%d,"samples":[' % (2000 * n) +
               ",".join("%d" % i for i in range(1, n + 1)) + '],"timeDeltas":[' + ",".join("1000" for _ in range(n)) + "]}").encode())
elif shape == "cycles":  # each node is a child of the next and of the one before
    nodes = ['{"id":%d,"callFrame":{"functionName":"f"},"children":[%d,%d]}' % (i + 1, (i + 1) % n + 1, (i - 1) % n + 1) for i in range(n)]
    out.write(('{"nodes":[' + ",".join(nodes) + '],"startTime":0,"endTime":9,"samples":[1],"timeDeltas":[1]}').encode())
elif shape in ("heap_profile_wide", "heap_profile_deep"):  # all callees of one function; one path
    frame = '{"callFrame":{"functionName":"f%d","scriptId":"1","url":"","lineNumber":1,"columnNumber":1},"selfSize":8,"id":%d,"children":['
    if shape.endswith("wide"):
        text = frame % (0, 0) + ",".join(frame % (i, i << 32) + "]}" for i in range(1, n)) + "]}"
    else:
        text = "".join(frame % (i % 100, i << 32) for i in range(n)) + "]}" * n
    samples = ('{"size":8,"nodeId":%d,"ordinal":%d}' % (i << 32, n - i) for i in range(n))
    out.write(('{"head":%s,"samples":[%s]}' % (text, ",".join(samples))).encode())
elif shape == "chrome_spans":  # open ones, and ends whose names none of them has
    spans = ['{"ph":"%s","name":"%s%d","pid":1,"tid":1,"ts":%d}' % (("B", "b", i % 9, i) if i < n // 2 else ("E", "e", i, i)) for i in range(n)]
    out.write(("[" + ",".join(spans) + "]").encode())
elif shape == "chrome_crossing":  # each ends behind the next one
    out.write(("[" + ",".join('{"ph":"X","name":"x","ts":%d,"dur":%d}' % (10 * i, 10 * n) for i in range(n)) + "]").encode())
elif shape == "chrome_profiles":  # in turns: each has a part with a function, and a second one
    part = '{"ph":"P","name":"%s","pid":1,"tid":1,"ts":%d,"id":%d,"args":{"data":{"startTime":1,"cpuProfile":{"nodes":[{"id":%d,"callFrame":{"functionName":"f%d"}}]}}}}'
    parts = [part % (name, i, i, k, i % 9) for k, name in ((1, "Profile"), (2, "ProfileChunk")) for i in range(n // 2)]
    out.write(("[" + ",".join(parts) + "]").encode())
elif shape == "chrome_tasks":  # of a main thread, each with spans in it
    spans = ['{"ph":"X","name":"t%d","pid":1,"tid":1,"ts":%d,"dur":%d}' % (i % 9, 20000 * i, 60000 if i % 3 == 0 else 9000) for i in range(n)]
    out.write(("[" + ",".join(spans) + "]").encode())
elif shape == "chrome_back":  # the last one is the first in time; each has a thread, an id and a name of its own
    spans = ['{"ph":"%s","name":"n%d","id":%d,"pid":1,"tid":%d,"ts":%d,"dur":1}' % ("Xb"[i % 2], i, i, i, n - i) for i in range(n)]
    out.write(("[" + ",".join(spans) + "]").encode())
elif shape == "late_frames":  # of one thread, which sleeps and is woken in each
    line = "ui-50 ( 50) [000] d..2 %d.%09d: %s\n"
    mark, switch = "tracing_mark_write: ", "sched_switch: prev_comm=%s prev_pid=%d prev_prio=9 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=9"
    events = ((0, switch % ("swapper", 0, "R", "ui", 50)), (1, mark + "B|50|H:ReceiveVsync now:%d expectedEnd:%d vsyncId:%d"),
              (2, mark + "B|50|H:MarshRSTransactionData transactionFlag:[50,%d]"), (3, mark + "E|50"), (4, switch % ("ui", 50, "S", "swapper", 0)),
              (9, "sched_wakeup: comm=ui pid=50 prio=9 target_cpu=000"), (10, switch % ("swapper", 0, "R", "ui", 50)), (18, mark + "E|50"),
              (19, switch % ("ui", 50, "S", "swapper", 0)))
    text = ["# tracer: nop\n"]
    for i in range(1, n // 4 + 1):
        for ms, event in events:
            ts = 20000000 * i + ms * 1000000
            if event.count("%d"):
                event %= (ts, ts + 9000000, i)[-event.count("%d"):]
            text.append(line % (ts // 10**9, ts % 10**9, event))
    out.write("".join(text).encode())
elif shape == "app_starts":  # each of an application of its own, which loads a library
    text = ["# tracer: nop\n"]
    attach = "H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)##com.app%d"
    launch = "H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)##com.app%d"
    for i in range(1, n // 8 + 1):
        marks = ("B|%d|" + attach % i, "E|%d", "B|%d|" + launch % i, "B|%d|H:dlopen: /lib/a.so", "E|%d", "E|%d")
        for k, mark in enumerate(marks):
            ts = 20000000 * i + k * 1000000
            text.append("ui-%d ( %d) [000] d..2 %d.%09d: tracing_mark_write: %s\n" % (i + 50, i + 50, ts // 10**9, ts % 10**9, mark % (i + 50)))
    out.write("".join(text).encode())
elif shape == "snapshots":
    recording((chunk(heap([1])) + message('{"id":1,"result":{}}')) * (n // 20))
else:
    sys.exit("unknown shape " + shape)
