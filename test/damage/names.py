"""Inputs with hostile names in every string field: names.py DIRECTORY. `strings.txt` lists them, one JSON text a line."""

import json
import os
import struct
import sys

os.chdir(sys.argv[1])
HOSTILE = ["'); DROP TABLE js_heap_nodes; --", '"; DROP TABLE source; --', "a\0b", "\u202egnp.exe", "\x1b[31mred\x1b]0;title\x07", "\x9b31m",
           "new\r\nline\ttab", "%s%n%p", "../../../etc/passwd", "$(touch pwned)`touch pwned`", "\u2028\u2066\ufeff", "", "x" * (1 << 20)]
BAD = [b"\xff\xfe\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]  # no UTF-8: become U+FFFD


def write(name, text):
    with open(name, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


def quoted(s):
    return json.dumps(s)


fields = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"]
meta = {"node_fields": fields + HOSTILE, "node_types": [HOSTILE], "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [HOSTILE, HOSTILE[0], HOSTILE[1]]}
rows = []
for i in range(len(HOSTILE)):
    rows += [i, i, 2 * i + 1, 8, 1, 0, 0] + [7] * len(HOSTILE)
edges = []
for i in range(len(HOSTILE)):
    edges += [i, i, 0]
snapshot = {"snapshot": {"meta": meta, "node_count": len(HOSTILE), "edge_count": len(HOSTILE)}, "nodes": rows, "edges": edges}
text = json.dumps(snapshot)[:-1] + ', "strings": [' + ", ".join(quoted(s) for s in HOSTILE)
text = text.encode() + b"".join(b', "' + b + b'"' for b in BAD) + b"]"
for s in HOSTILE:
    text += b", " + quoted(s).encode() + b": 0"
write("names.heapsnapshot", text + b"}")
nodes = [{"id": i + 1, "callFrame": {"functionName": s, "scriptId": s, "url": s, "lineNumber": 1, "columnNumber": 1}, "hitCount": 1,
          "children": [i + 2] if i + 1 < len(HOSTILE) else [], s: s} for i, s in enumerate(HOSTILE)]
profile = {"nodes": nodes, "startTime": 0, "endTime": 100, "samples": [1], "timeDeltas": [1]}
for s in HOSTILE:
    profile[s] = s
write("names.cpuprofile", json.dumps(profile))


def field(number, data):
    out = bytes([number << 3 | 2])
    n = len(data)
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n]) + data


body = b""
for s in [h.encode() for h in HOSTILE] + BAD:
    segment = field(1, s) + field(3, s) + field(7, s)
    body += struct.pack("<I", len(segment)) + segment
for s in HOSTILE:
    segment = field(1, b"arkts-plugin") + field(3, field(1, quoted({"method": s, "params": {s: s}}).encode())) + b"\x28\x01\x30\x01"
    body += struct.pack("<I", len(segment)) + segment
standalone = b"\x1b[31m'); DROP TABLE source;--\xff"
header = bytearray(1024)
header[0:8] = b"OHOSPROF"
header[8:16] = struct.pack("<Q", 1024 + len(body))
header[16:20] = struct.pack("<I", 0x10000)
raw = bytearray(header)
raw[8:16] = struct.pack("<Q", 1024 + 4)
raw[56:60] = struct.pack("<I", 1000)
raw[108:108 + len(standalone)] = standalone
header[236:244] = b"\x1b[1m\xff\x9b\x07z"
write("names.htrace", bytes(header) + body + bytes(raw) + b"data")
write("strings.json", json.dumps(HOSTILE))
