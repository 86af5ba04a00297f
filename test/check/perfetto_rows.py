#!/usr/bin/env python3
"""Compares every cell that a trace of Perfetto gives with what this reader of its own finds in the file.

usage: perfetto_rows.py DATABASE FILE

It reads the wire format itself, keeps the state of each sequence as the format has it, and makes the rows of tracks, events, slices, counters,
processes and threads of that. Traces whose packets are whole only; those of sequences that lost packets, too.
"""

import collections
import json
import sqlite3
import struct
import sys
import zlib

from cells import cells

NONE = object()


def fields(data):
    """(number, type, value) of a message; fixed numbers as bits."""
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            b = data[at]
            at += 1
            v |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return v & (1 << 64) - 1

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, 0, varint()
        elif tag & 7 in (1, 5):
            n = 8 if tag & 7 == 1 else 4
            yield tag >> 3, tag & 7, int.from_bytes(data[at:at + n], "little")
            at += n
        elif tag & 7 == 2:
            n = varint()
            if at + n > len(data):
                raise ValueError("a field is cut")
            yield tag >> 3, 2, data[at:at + n]
            at += n
        else:
            raise ValueError("wire type %d" % (tag & 7))


def message(data):
    """{number: [values]}"""
    found = collections.defaultdict(list)
    for n, _, v in fields(data):
        found[n].append(v)
    return found


def signed(v, bits=64):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> bits - 1 else v


def real(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def text(data):
    return data.decode("utf-8", "replace")


# --- arguments: pairs of a dictionary stay in their order ------------------------------------------


class Pairs(list):
    pass


def value(state, data):
    """The value of an annotation."""
    simple, entries, items = NONE, [], []
    for n, _, v in fields(data):
        if n == 2:
            simple = v != 0
        elif n == 3:
            simple = v
        elif n in (4,):
            simple = signed(v)
        elif n == 5:
            simple = real(v) if real(v) - real(v) == 0 else None
        elif n == 6:
            simple = text(v)
        elif n == 7:
            simple = "0x%x" % v
        elif n == 17:
            simple = state.interned.get((29, v))
        elif n == 11:
            entries.append(annotation(state, v))
        elif n == 12:
            items.append(value(state, v))
    return Pairs(entries) if entries else items if items else None if simple is NONE else simple


def annotation(state, data):
    name = "NULL"
    for n, _, v in fields(data):
        if n == 1:
            name = state.interned.get((3, v), "NULL")
        elif n == 10:
            name = text(v)
    return name, value(state, data)


def location(data):
    m = message(data)
    out = Pairs()
    for n, key in ((2, "file"), (3, "function")):
        if n in m:
            out.append((key, text(m[n][-1])))
    if m.get(4, [0])[-1]:
        out.append(("line", m[4][-1]))
    return out


# --- the trace -----------------------------------------------------------------------------------


class State:
    def __init__(self):
        self.interned, self.clock, self.track, self.counters = {}, None, None, []
        self.seen = self.valid = False
        self.losses = 0
        self.last = {}
        self.sums = collections.Counter()


class Track:
    def __init__(self, uuid):
        self.uuid, self.parent, self.name = uuid, None, None
        self.thread = self.process = self.counter = None
        self.thread_name = self.process_name = None
        self.described = uuid == 0


class Trace:
    def __init__(self, data):
        self.packets, self.states, self.tracks = collections.Counter(), collections.defaultdict(State), {}
        self.snapshots, self.primary, self.units = [], None, {}
        self.records, self.processes, self.threads = [], {}, {}
        self.issues = collections.Counter()
        self.now = None
        self.read(data)

    def read(self, data):
        for n, _, v in fields(data):
            assert n == 1
            self.packet(v)

    def track(self, uuid):
        return self.tracks.setdefault(uuid, Track(uuid))

    def packet(self, data):
        m = message(data)
        payload = [n for n, kind, _ in fields(data) if kind == 2 and n not in (12, 59)]
        kind = payload[-1] if payload else 0
        self.packets[kind] += 1
        sid = m.get(10, [0])[-1]
        s = self.states[sid]
        cleared = m.get(13, [0])[-1] & 1
        if m.get(42, [0])[-1] and s.seen:
            s.losses += 1
            s.valid = False
            self.issues["perfetto_dropped"] += 1
        if cleared:
            s.interned, s.clock, s.track, s.counters, s.valid = {}, None, None, [], True
            s.sums = collections.Counter()
        s.seen = True
        if m.get(13, [0])[-1] & 2 and not s.valid:
            self.issues["perfetto_state_lost"] += 1
            s.losses += 1
            return
        for part in m.get(12, []):
            for n, _, entry in fields(part):
                e = message(entry)
                s.interned[n, e[1][-1]] = location(entry) if n == 4 else text(e[2][-1])
        for part in m.get(59, []):
            d = message(part)
            s.clock = d[58][-1] if 58 in d else None
            e = message(d[11][-1]) if 11 in d else {}
            s.track, s.counters = (e[11][-1] if 11 in e else None), e.get(31, [])
        self.take_time(m, sid, s)
        if kind == 50:
            self.read(zlib.decompress(m[50][-1]))
        elif kind in (2, 6, 11, 60):
            {2: self.process_tree, 6: self.snapshot, 11: self.event, 60: self.descriptor}[kind](message(m[kind][-1]), m[kind][-1], sid, s)

    # --- clocks ---

    def key(self, clock, sid):
        return (sid, clock) if 64 <= clock <= 127 else clock

    def take_time(self, m, sid, s):
        if 8 not in m:
            return
        clock = self.key(m[58][-1] if 58 in m else s.clock if s.clock is not None else 6, sid)
        unit, incremental = self.units.get(clock, (1, False))
        at = m[8][-1] * unit
        if incremental:
            at = s.last[clock] = s.last[clock] + at
        self.now = clock, at

    def snapshot(self, m, _data, sid, s):
        found = {}
        for part in m.get(1, []):
            c = message(part)
            clock, unit = self.key(c[1][-1], sid), c.get(4, [1])[-1]
            found[clock] = c[2][-1] * unit
            self.units[clock] = unit, bool(c.get(3, [0])[-1])
            s.last[clock] = found[clock]
        self.snapshots.append(found)
        self.primary = self.primary or m.get(2, [None])[-1]

    def time(self, where):
        """On the trace's clock."""
        if where is None:
            return None
        target = self.primary or 6
        clock, at = where
        if clock == target:
            return at
        both = sorted((s[clock], i, s[target]) for i, s in enumerate(self.snapshots) if clock in s and target in s)
        if not both:
            return None
        best = [b for b in both if b[0] <= at][-1:] or both[:1]
        return at - best[0][0] + best[0][2]

    # --- processes and tracks ---

    def process_tree(self, m, _data, _sid, _s):
        for part in m.get(1, []):
            p = message(part)
            self.processes[p[1][-1]] = text(p[3][0])
        for part in m.get(2, []):
            t = message(part)
            self.processes.setdefault(t[3][-1], None)
            self.threads[t[3][-1], t[1][-1]] = text(t[2][-1])

    def descriptor(self, m, _data, _sid, _s):
        t = self.track(m[1][-1])
        t.described = True
        t.parent = m[5][-1] if 5 in m else t.parent
        t.name = text(m[2][-1]) if 2 in m else t.name
        if 3 in m:
            p = message(m[3][-1])
            t.process, t.process_name = p[1][-1], text(p[6][-1])
        if 4 in m:
            p = message(m[4][-1])
            t.thread, t.thread_name = (p[1][-1], p[2][-1]), text(p[5][-1])
        if 8 in m:
            t.counter = message(m[8][-1])

    def owner(self, t):
        """(pid, tid), (pid, None) or (None, None)."""
        for _ in range(64):
            if t is None:
                break
            if t.thread:
                return t.thread
            if t.process is not None:
                return t.process, None
            t = self.tracks.get(t.parent) if t.parent is not None else None
        return None, None

    # --- events ---

    def event(self, m, data, sid, s):
        uuid = m[11][-1] if 11 in m else s.track if s.track is not None else 0
        r = {"kind": m.get(9, [0])[-1], "track": uuid, "where": self.now, "sid": sid, "state": s, "losses": s.losses, "order": len(self.records)}
        self.track(uuid)
        r["name"] = text(m[23][-1]) if 23 in m else s.interned.get((2, m[10][-1]), "NULL") if 10 in m else None
        categories = [s.interned[1, v] if n == 3 else text(v) for n, _, v in fields(data) if n in (3, 22)]
        r["category"] = ",".join(categories) or None
        args = Pairs(annotation(s, v) if n == 4 else ("source_location", s.interned[4, v]) for n, _, v in fields(data) if n in (4, 34))
        r["args"] = args or None
        flows, ends = [str(v) for v in m.get(47, [])], [str(v) for v in m.get(48, [])]
        r["flows"] = ",".join(flows) + ("|" + ",".join(ends) if ends else "") or None
        r["correlation"] = str(m[52][-1]) if 52 in m else text(m[53][-1]) if 53 in m else None
        r["values"] = [(u, signed(v)) for u, v in zip(s.counters, m.get(12, []))]
        for u, _ in r["values"]:
            self.track(u)
        if 30 in m or 44 in m:
            r["values"].append((uuid, signed(m[30][-1]) if 30 in m else real(m[44][-1])))
        r["sums"] = s.sums
        self.records.append(r)

    def counters(self):
        """{uuid: [(time, value)]} in the order of the file; the thread's time of each event."""
        series = {}
        for r in self.records:
            r["thread_ts"] = None
            for uuid, v in r["values"]:
                c = self.tracks[uuid].counter or {}
                v *= c.get(4, [1])[-1]
                if c.get(5, [0])[-1]:
                    r["sums"][uuid] += v
                    v = r["sums"][uuid]
                series.setdefault(uuid, []).append((self.time(r["where"]), float(v)))
                if c.get(1, [0])[-1] == 1:
                    r["thread_ts"] = int(v)
        return series

    def slices(self):
        """Begin record, end record, depth, dur, self, cpu, state; callers first."""
        out, tracks = [], collections.defaultdict(list)
        for r in self.records:
            if r["kind"] in (1, 2):
                tracks[r["track"]].append(r)
        for events in tracks.values():
            stack, last = [], None

            def close(end, state):
                begin, inner, depth = stack.pop()
                dur = end["ts"] - begin["ts"] if end else None
                own = dur - inner if end and inner is not None else None
                cpu = None
                if end and begin["thread_ts"] is not None and end["thread_ts"] is not None and end["thread_ts"] >= begin["thread_ts"]:
                    cpu = end["thread_ts"] - begin["thread_ts"]
                if stack:
                    stack[-1][1] = None if dur is None or stack[-1][1] is None else stack[-1][1] + dur
                out.append((begin, end, depth, dur, own, cpu, state))

            for r in sorted(events, key=lambda r: (r["ts"], r["order"])):
                if last and last["sid"] == r["sid"] and last["losses"] != r["losses"]:
                    while stack:
                        close(None, 2)
                last = r
                if r["kind"] == 1:
                    stack.append([r, 0, len(stack)])
                elif stack:
                    close(r, 0)
                else:
                    self.issues["perfetto_end_unmatched"] += 1
            while stack:
                close(None, 2 if last["losses"] != last["state"].losses else 1)
        self.issues["perfetto_frames_open"] = sum(s[6] == 1 for s in out)
        self.issues["perfetto_frames_lost"] = sum(s[6] == 2 for s in out)
        return sorted(out, key=lambda s: (s[0]["ts"], s[0]["order"]))


# --- comparing -----------------------------------------------------------------------------------


def who(t, trace):
    return trace.owner(trace.tracks[t])


def expected(trace):
    """{what: rows}"""
    series = trace.counters()
    for r in trace.records:
        r["ts"] = trace.time(r["where"])
    kinds = {0: "unknown", 1: "begin", 2: "end", 3: "instant", 5: "state"}
    rows = {"track": [], "event": [], "slice": [], "series": [], "point": []}
    for uuid, t in trace.tracks.items():
        kind = "counter" if t.counter is not None else "thread" if t.thread else "process" if t.process is not None else "track"
        rows["track"].append((str(uuid), str(t.parent) if t.parent in trace.tracks else None, t.name, kind, *who(uuid, trace)))
    for r in trace.records:
        if r["kind"] != 4:
            rows["event"].append((kinds[r["kind"]], r["name"], r["category"], str(r["track"]), *who(r["track"], trace), r["ts"], None, r["thread_ts"], r["flows"],
                                  r["correlation"], r["args"], r["sid"]))
    numbers = {id(r): i for i, r in enumerate(r for r in trace.records if r["kind"] != 4)}
    paths = {}
    for begin, end, depth, dur, own, cpu, state in trace.slices():
        path = (*paths.get((begin["track"], depth - 1), ()), begin["name"])
        paths[begin["track"], depth] = path
        rows["slice"].append((numbers[id(begin)] + 1, numbers[id(end)] + 1 if end else None, str(begin["track"]), who(begin["track"], trace)[1], path, begin["ts"], dur, own, cpu,
                              depth, state))
    units = {1: "ns", 2: "count", 3: "bytes"}
    for uuid, points in series.items():
        t = trace.tracks[uuid]
        c = t.counter or {}
        unit = text(c[6][-1]) if 6 in c else units.get(c.get(1, [0])[-1] or c.get(3, [0])[-1])
        rows["series"].append((str(uuid), t.name or "NULL", unit, who(uuid, trace)[1]))
        rows["point"] += [(str(uuid), *p) for p in points]
    rows["point"].sort(key=lambda p: p[0])
    names = dict(trace.processes)
    threads = dict(trace.threads)
    for t in trace.tracks.values():
        if t.process is not None:
            names[t.process] = t.process_name
        if t.thread:
            threads[t.thread] = t.thread_name
            names.setdefault(t.thread[0], None)
    rows["process"] = sorted(names.items())
    rows["thread"] = sorted((*k, v) for k, v in threads.items())
    trace.issues["perfetto_no_track"] = sum(not t.described for t in trace.tracks.values())
    rows["issue"] = sorted((k, n) for k, n in trace.issues.items() if n > 0)
    rows["packets"] = sorted(trace.packets.values())
    return rows


def actual(db):
    tracks = "(SELECT uuid FROM perfetto_track k WHERE k.id = %s)"
    pid, tid = "(SELECT pid FROM process p WHERE p.ipid = %s)", "(SELECT tid FROM thread t WHERE t.itid = %s)"
    rows = {"track": db.execute("SELECT uuid, %s, name, kind, %s, %s FROM perfetto_track x ORDER BY id" % (tracks % "x.parent_id", pid % "x.ipid", tid % "x.itid")).fetchall()}
    rows["event"] = [r[:11] + (json.loads(r[11], object_pairs_hook=Pairs) if r[11] else None, r[12]) for r in db.execute(
        "SELECT type, name, category, %s, %s, %s, ts, dur, thread_ts, flow_ids, correlation, args, sequence FROM perfetto_event x ORDER BY id"
        % (tracks % "x.track_id", pid % "x.ipid", tid % "x.itid"))]
    rows["event"] = [r[:9] + (r[9], r[10], r[11], r[12]) for r in rows["event"]]
    paths = {}
    for node, parent, name in db.execute("SELECT n.id, n.parent_id, m.name FROM stack_node n LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"):
        paths[node] = (paths[parent] if parent else ()) + (name,)
    rows["slice"], path_of = [], {}
    for r in db.execute("SELECT s.id, s.parent_id, s.node_id, x.event_id, x.end_event_id, %s, %s, s.ts, s.dur, s.self_dur, s.cpu_dur, s.depth, s.state FROM stack_slice s "
                        "JOIN perfetto_slice x ON x.slice_id = s.id ORDER BY s.id" % (tracks % "x.track_id", tid % "s.itid")):
        path_of[r[0]] = paths[r[2]]
        assert path_of.get(r[1], ()) == paths[r[2]][:-1]
        rows["slice"].append((*r[3:7], paths[r[2]], *r[7:]))
    rows["series"] = db.execute("SELECT %s, x.name, unit, %s FROM timeseries x JOIN perfetto_counter c ON c.series_id = x.id ORDER BY x.id"
                                % (tracks % "c.track_id", tid % "x.itid")).fetchall()
    rows["point"] = db.execute("SELECT %s AS u, v.ts, v.value FROM timeseries_value v JOIN perfetto_counter c ON c.series_id = v.series_id ORDER BY u, v.rowid"
                               % (tracks % "c.track_id")).fetchall()
    rows["process"] = db.execute("SELECT pid, name FROM process WHERE ipid > 0 ORDER BY pid").fetchall()
    rows["thread"] = db.execute("SELECT p.pid, t.tid, t.name FROM thread t LEFT JOIN process p ON p.ipid = t.ipid WHERE t.itid > 0 ORDER BY 1, 2").fetchall()
    rows["issue"] = db.execute("SELECT code, sum(count) FROM import_issue WHERE code <> 'perfetto_unread' GROUP BY 1 ORDER BY 1").fetchall()
    event = {r[0]: r for r in db.execute("SELECT id, name, category, flow_ids, args FROM perfetto_event")}
    view = db.execute("SELECT slice_id, itid, parent_id, ts, dur, self_dur, cpu_dur, depth, state, name, category, flow_ids, args, end_args, source_id, track, pid, process, thread "
                      "FROM v_perfetto_slice ORDER BY slice_id").fetchall()
    plain = db.execute("SELECT s.id, s.itid, s.parent_id, s.ts, s.dur, s.self_dur, s.cpu_dur, s.depth, s.state, x.event_id, x.end_event_id, s.source_id, k.name, k.ipid FROM "
                       "perfetto_slice x JOIN stack_slice s ON s.id = x.slice_id JOIN perfetto_track k ON k.id = x.track_id ORDER BY s.id").fetchall()
    processes, threads = {r[0]: r[1:] for r in db.execute("SELECT ipid, pid, name FROM process")}, dict(db.execute("SELECT itid, name FROM thread"))
    rows["view"] = [b == a[:9] + event[a[9]][1:] + (event[a[10]][4] if a[10] else None, *a[11:13], *processes.get(a[13], (None, None)), threads.get(a[1]))
                    for a, b in zip(plain, view)]
    rows["packets"] = [n for (n,) in db.execute("SELECT seen FROM import_count WHERE item LIKE 'perfetto\\_packets:%' ESCAPE '\\' AND item <> 'perfetto_packets:lost' ORDER BY 1")]
    return rows


def compare(database, path):
    with open(path, "rb") as f:
        want = expected(Trace(f.read()))
    have = actual(sqlite3.connect(database))
    want["view"] = [True] * len(want["slice"])
    for what, rows in want.items():
        cells.add([r[:11] if what == "event" else r for r in rows])
        if len(rows) != len(have[what]):
            return "%d rows of %s instead of %d: %r / %r" % (len(have[what]), what, len(rows), have[what][:20], rows[:20])
        for i, (a, b) in enumerate(zip(rows, have[what])):
            if a != b:
                return "%s %d is %r instead of %r" % (what, i, b, a)
    return None


def main():
    cells.end(compare(sys.argv[1], sys.argv[2]), sys.argv[2])


if __name__ == "__main__":
    main()
