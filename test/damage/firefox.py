"""Profiles of the Firefox Profiler whose cost should grow with their size and no faster, in time and in memory; see measure.py. And one that is damaged."""

import json
import os
import sys
from decimal import Decimal

import measure

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import firefox_rows

MB = 1 << 20
META = ('{"meta":{"interval":1,"startTime":1700000000000,"preprocessedProfileVersion":60,"categories":[{"name":"Other","subcategories":["Other"]}],'
        '"markerSchema":[{"name":"call","isStackBased":true,"fields":[{"key":"n","format":"unique-string"}]}]}')


class Out:
    def __init__(self, path):
        self.path = path
        self.bytes = 0

    def put(self, text):
        data = text.encode()
        with open(self.path, "wb") as f:
            f.write(data)
        self.bytes = len(data)


def numbers(values):
    return "[%s]" % ",".join("null" if v is None else str(v) for v in values)


def columns(n, **lists):
    return "{%s,\"length\":%d}" % (",".join('"%s":%s' % (k, v if isinstance(v, str) else numbers(v)) for k, v in lists.items()), n)


def shared(strings, stacks, frames, funcs):
    """stacks: (frame, prefix); frames: functions; funcs: names."""
    return '"shared":{"stringArray":%s,"stackTable":%s,"frameTable":%s,"funcTable":%s,"resourceTable":{"length":0}}' % (
        json.dumps(strings), columns(len(stacks), frame=[s[0] for s in stacks], prefix=[s[1] for s in stacks]), columns(len(frames), func=frames, line=range(1, len(frames) + 1)),
        columns(len(funcs), name=funcs, isJS="[%s]" % ",".join(["false"] * len(funcs)), resource=[-1] * len(funcs)))


def samples(n, stack, time=lambda i: i, weight=None):
    lists = {"stack": [stack(i) for i in range(n)], "time": [time(i) for i in range(n)]}
    if weight:
        lists["weight"] = [weight(i) for i in range(n)]
    return '"samples":' + columns(n, **lists)


def markers(rows, data):
    """Rows: name, start, end, phase."""
    return '"markers":' + columns(len(rows), name=[r[0] for r in rows], startTime=[r[1] for r in rows], endTime=[r[2] for r in rows], phase=[r[3] for r in rows],
                                  category=[0] * len(rows), data="[%s]" % ",".join(data(i) for i in range(len(rows))))


def thread(tables, tid=1):
    return '{"name":"t%d","pid":"1","tid":%d,"pausedRanges":[],%s}' % (tid, tid, tables)


def profile(threads, tables=None, more=""):
    tables = tables or shared(["f", "g"], [(0, None), (1, 0)], [0, 1], [0, 1])
    return "%s,\"libs\":[],%s,\"threads\":[%s]%s}" % (META, tables, ",".join(threads), more)


def call(_):
    return '{"type":"call","n":1}'


def s_firefox(o, n):
    o.put(profile([thread(samples(n, lambda i: i % 2, weight=lambda i: i))]))


def s_firefox_stacks(o, n):  # none like another
    o.put(profile([thread(samples(n, lambda i: i))], shared(["f%d" % i for i in range(50)], [(i % 50, i // 2 if i else None) for i in range(n)], range(50), range(50))))


def s_firefox_deep(o, n):  # one stack below another, all of them sampled
    o.put(profile([thread(samples(n, lambda i: i))], shared(["f"], [(0, i - 1 if i else None) for i in range(n)], [0], [0])))


def s_firefox_functions(o, n):
    o.put(profile([thread(samples(n, lambda i: i))], shared(["f%d" % i for i in range(n)], [(i, None) for i in range(n)], range(n), range(n))))


def s_firefox_threads(o, n):
    o.put(profile([thread(samples(1, lambda i: 0), i) for i in range(n)]))


def s_firefox_tables(o, n):  # each thread has its own
    own = '"stringArray":["f"],"stackTable":{"frame":[0],"prefix":[null],"length":1},"frameTable":{"func":[0],"length":1},"funcTable":{"name":[0],"length":1},'
    o.put(META + ',"threads":[%s]}' % ",".join(thread(own + samples(1, lambda i: 0), i) for i in range(n // 4)))


def s_firefox_markers(o, n):
    o.put(profile([thread(markers([(0, i, i + 0.5, 1) for i in range(n)], call))]))


def s_firefox_nested(o, n):  # all in one another, and all open
    o.put(profile([thread(markers([(0, i, 3 * n - i, 1) for i in range(n)], call))]))


def s_firefox_open(o, n):
    o.put(profile([thread(markers([(i % 2, i, None, 2) for i in range(n)] + [(i % 2, None, n + i, 3) for i in range(n)], lambda _: "null"))]))


def s_firefox_crossing(o, n):
    o.put(profile([thread(markers([(0, i, i + 10, 1) for i in range(n)], call))]))


def s_firefox_data(o, n):  # one marker with much to say
    o.put(profile([thread(markers([(0, 1, 2, 1)], lambda _: '{"type":"call","x":[%s]}' % ",".join(["{}"] * n)))]))


def s_firefox_data_deep(o, n):
    o.put(profile([thread(markers([(0, 1, 2, 1)], lambda _: '{"type":"call","x":%s%s}' % ("[" * n, "]" * n)))]))


def s_firefox_pauses(o, n):
    pauses = ",".join('{"startTime":%d.25,"endTime":%d.5}' % (i, i) for i in range(n))
    o.put(profile(['{"name":"t","pid":1,"tid":2,"pausedRanges":[%s],%s}' % (pauses, samples(n, lambda i: 0))]))


def s_firefox_counters(o, n):
    o.put(profile([thread(samples(1, lambda i: 0))], more=',"counters":[%s]' % ",".join(
        '{"name":"c%d","category":"Memory","mainThreadIndex":0,"samples":{"time":[1],"count":[2],"length":1}}' % i for i in range(n))))


def s_firefox_points(o, n):
    o.put(profile([thread(samples(1, lambda i: 0))], more=',"counters":[{"name":"c","category":"Memory","mainThreadIndex":0,"samples":%s}]' % columns(n, time=range(n), count=range(n))))


def s_firefox_length(o, n):  # a few bytes that promise much
    o.put(profile([thread('"samples":{"stack":[0],"time":[1],"length":%d}' % (10**12))] * n))


def s_firefox_schemas(o, n):
    fields = ",".join('{"key":"k%d","format":"unique-string"}' % i for i in range(n))
    meta = META[:-2] + ',{"name":"big","fields":[%s]}]}' % fields
    o.put(meta + ',"libs":[],%s,"threads":[%s]}' % (shared(["f", "g"], [(0, None)], [0], [0]), thread(markers([(0, i, i + 1, 1) for i in range(n)], lambda i: '{"type":"big","k%d":1}' % i))))


def s_firefox_processes(o, n):  # in one another
    o.put('{"meta":{"version":31,"startTime":1,"interval":1},"threads":[],"processes":[' * n + "]}" * n)


def s_firefox_addresses(o, n):  # each frame looks for its library
    libs = ",".join('{"name":"l%d","start":%d,"end":%d}' % (i, 4096 * i, 4096 * i + 4000) for i in range(n))
    table = lambda names, rows: '{"schema":{%s},"data":[%s]}' % (",".join('"%s":%d' % (name, i) for i, name in enumerate(names)), ",".join(rows))
    t = '{"name":"t","pid":1,"tid":2,"stringTable":[%s],"frameTable":%s,"stackTable":%s,"samples":%s}' % (
        ",".join('"0x%x"' % (4096 * i + 7) for i in range(n)), table(["location"], ("[%d]" % i for i in range(n))), table(["prefix", "frame"], ("[null,%d]" % i for i in range(n))),
        table(["stack", "time"], ("[%d,%d]" % (i, i) for i in range(n))))
    o.put('{"meta":{"version":31,"startTime":1,"interval":1},"libs":[%s],"threads":[%s]}' % (libs, t))


def s_firefox_rows(o, n):  # rows of Gecko without cells
    o.put('{"meta":{"version":31,"startTime":1,"interval":1},"threads":[{"name":"t","samples":{"schema":{"stack":0,"time":1},"data":[%s]}}]}' % ",".join(["[]"] * n))


# For campaign.py: tables that are compared, and the recording.
DAMAGED = [
    ("stacks of the Firefox Profiler", "set", "SELECT s.ts, n.depth FROM source p JOIN stack_sample s ON s.source_id = p.id AND p.format = 'firefox' "
     "LEFT JOIN stack_node n ON n.id = s.node_id"),
    ("markers of the Firefox Profiler", "set", "SELECT ts, end_ts, phase, category FROM firefox_marker"),
]


def damaged(path):
    """Few rows share an entry of a table, so that one number which was changed in place touches few; a thread is longer than what damage takes."""
    n = 140
    threads = []
    for k in range(4):
        own = '"stringArray":%s,"stackTable":%s,"frameTable":%s,"funcTable":%s,' % (
            json.dumps(["function%d_%d" % (k, i) for i in range(n)]), columns(n, frame=range(n), prefix=[None if i % 3 == 0 else i - 1 for i in range(n)]),
            columns(n, func=range(n), line=[1000 * k + i + 1 for i in range(n)]), columns(n, name=range(n)))
        times = lambda i, k=k: 1000 * k + i * i % 7 + 10 * i
        rows = [(i % n, 1000 * k + i * 3, 1000 * k + i * 3 + 2, 1) for i in range(40)]
        threads.append(thread(own + samples(n, lambda i: i, times, lambda i, k=k: 100 * k + i + 1) + "," + markers(rows, lambda _: "null"), 100 + k))
    Out(path).put(META + ',"libs":[],"threads":[%s]}' % ",".join(threads))


# What a reader that shares nothing with the program finds in a profile that contradicts nothing.
SQL = ["SELECT s.ts, s.dur, n.line, n.depth, t.tid FROM stack_sample s LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN thread t ON t.itid = s.itid ORDER BY s.id",
       "SELECT ts, end_ts, phase, NULL, NULL FROM firefox_marker ORDER BY id"]


def once(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a member twice")
    return dict(pairs)


def read(path):
    with open(path, "rb") as f:
        doc = json.loads(f.read().decode("utf-8"), parse_float=Decimal, object_pairs_hook=once)
    for t in doc["threads"]:
        sizes = {name: t[name]["length"] for name in ("samples", "markers", "stackTable", "frameTable", "funcTable")}
        sizes["strings"] = len(t["stringArray"])
        for name in ("samples", "markers", "stackTable", "frameTable", "funcTable"):
            if {len(v) for v in t[name].values() if isinstance(v, list)} != {sizes[name]}:
                raise ValueError("columns of " + name)
        for name, column, of in (("samples", "stack", "stackTable"), ("stackTable", "frame", "frameTable"), ("frameTable", "func", "funcTable"), ("funcTable", "name", "strings"), ("markers", "name", "strings")):
            if any(i is not None and not 0 <= i < sizes[of] for i in t[name][column]):
                raise ValueError("%s of %s" % (column, name))
        if any(p is not None and not 0 <= p < i for i, p in enumerate(t["stackTable"]["prefix"])):
            raise ValueError("prefix")
    return firefox_rows.Reader(doc)


def consistent(path):
    try:
        return bool(read(path).samples)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, ArithmeticError, RecursionError):
        return False


def rows(path):
    found = read(path)
    return [(ts, dur, path_[-1][5] if path_ else None, len(path_) - 1 if path_ else None, who[1]) for who, ts, dur, _, path_, _, _ in found.samples] + [
        (ts, end, phase, None, None) for _, _, _, phase, ts, end, *_ in found.markers]


ALWAYS = ("firefox firefox_stacks firefox_deep firefox_threads firefox_tables firefox_markers firefox_nested firefox_open firefox_data firefox_pauses firefox_length "
          "firefox_schemas firefox_addresses").split()

if __name__ == "__main__":
    every = {name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}
    some = every if len(sys.argv) != 2 or os.environ.get("TS_SLOW") == "1" else {name: every[name] for name in ALWAYS}
    measure.main(every if sys.argv[1] == "--list" else some, Out, "firefox", 60 * MB, 24)
