#!/usr/bin/env python3
"""Compares every cell that a trace of Chrome or Node.js gives with what Python's json reads from the file.

usage: chrome_trace.py DATABASE FILE
"""

import gzip
import json
import re
import sqlite3
import sys
from decimal import ROUND_HALF_UP, Decimal

from cells import cells

COLUMNS = {"ph", "name", "cat", "pid", "tid", "ts", "dur", "tts", "tdur", "id", "id2", "scope", "s", "args"}
ENDS = {"E": "B", "e": "b", "F": "S"}
PHASES = set("XBEbeSFnTpIiRstfPNODvVcC()M")


def load(path):
    """The events of a file, and the object around them; a list may lack its end."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
        text = f.read()
    try:
        data = json.loads(text, parse_float=Decimal)
    except ValueError:
        data = json.loads(text.rstrip().rstrip(",") + "]", parse_float=Decimal)
    return (data, {}) if isinstance(data, list) else (data["traceEvents"], data)


def decimal(v):
    """A number, also one that is written as a text."""
    return Decimal(v) if isinstance(v, str) and re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", v) else v


def is_number(v):
    return isinstance(v, (int, Decimal)) and not isinstance(v, bool)


def ns(v):
    """A number of µs in ns; None for what is none or does not fit."""
    if not is_number(v):
        return None
    r = int((Decimal(v) * 1000).to_integral_value(ROUND_HALF_UP))
    return r if -2**63 < r < 2**63 else None


def dur(v):
    v = ns(v)
    return v if v is not None and v >= 0 else None


def text(v):
    return str(v) if is_number(v) else v if isinstance(v, str) else None


def whole(v):
    return not isinstance(v, Decimal) or v.as_tuple().exponent >= 0


class Event:
    def __init__(self, number, raw):
        self.id, self.raw = number, raw
        self.ph, self.name, self.cat = text(raw.get("ph")), text(raw.get("name")), text(raw.get("cat"))
        times = {k: decimal(raw.get(k)) for k in ("ts", "dur", "tts", "tdur")}
        self.ts, self.tts = ns(times["ts"]), ns(times["tts"])
        self.dur, self.tdur = dur(times["dur"]), dur(times["tdur"])
        self.bad_dur = raw.get("dur") is not None and self.dur is None
        self.fine = not all(map(whole, times.values()))
        self.pid, self.tid = raw.get("pid"), raw.get("tid")
        id2 = raw.get("id2") or {}
        self.kind = "local" if "local" in id2 else "global" if "global" in id2 else None
        self.ident = text(id2[self.kind] if self.kind else raw.get("id"))
        self.scope = raw.get("scope", raw.get("s"))
        self.thread = (self.pid, self.tid)

    def row(self):
        """What stands in chrome_event. args: as a value."""
        profile = self.ph == "P" and self.name in ("Profile", "ProfileChunk") or self.ph in ("I", "i") and self.name == "CpuProfile"
        args = None if profile else self.raw.get("args")
        extra = {k: v for k, v in self.raw.items() if k not in COLUMNS}
        return (self.ph, self.name, self.cat, self.pid, self.tid, self.ts, self.dur, self.tts, self.tdur, self.ident, self.kind, self.scope, args, extra or None)


# --- spans ---------------------------------------------------------------------------------------------------------------------------------------------------


class Span:
    def __init__(self, begin, end, length, state, group):
        self.begin, self.end, self.state, self.group = begin, end, state, group
        self.ts = begin.ts
        self.length = length  # None: open up to the end
        self.dur = length if state == 0 else None
        self.fine = begin.fine or (end is not None and end.fine)
        self.cpu = begin.tdur if begin.ph == "X" else None
        if end is not None and group is None and begin.tts is not None and end.tts is not None and end.tts >= begin.tts:
            self.cpu = end.tts - begin.tts
        self.parent, self.path, self.self_dur, self.depth = None, None, None, None
        self.inner, self.doubted, self.lost = 0, False, state == 2

    def stop(self):
        return 2**62 * 2 if self.length is None else self.ts + self.length


def track_of(e):
    if e.ph in "BE":
        return ("thread", e.thread)
    local = e.thread if "node.async_hooks" in (e.cat or "") else e.pid if e.kind == "local" else None
    return ("async", e.ph in "SF", local, e.cat, e.ident, e.scope, e.name if e.ph in "SF" else None)


def pair(events):
    """Spans of begins and ends, the innermost of its name for each end."""
    tracks = {}
    for e in sorted((e for e in events if e.ph is not None and e.ph in "BEbeSF" and len(e.ph) == 1 and e.ts is not None), key=lambda e: (e.ts, e.id)):
        tracks.setdefault(track_of(e), []).append(e)
    for track, members in tracks.items():
        group = None if track[0] == "thread" else (members[0].ts, members[0].id)
        open_, limits = [], {}
        for e in members:
            if e.ph not in ENDS:
                open_.append(e)
                continue
            if not open_ or (e.name is not None and e.name not in [b.name for b in open_]):
                continue
            at = max(i for i, b in enumerate(open_) if e.name is None or b.name == e.name)
            b = open_.pop(at)
            yield Span(b, e, e.ts - b.ts, 0, group)
            for inner in open_[at:]:  # they ended before, if their own ends do not come
                limits.setdefault(inner.id, e.ts)
        for b in open_:
            yield Span(b, None, limits[b.id] - b.ts, 2, group) if b.id in limits else Span(b, None, None, 1, group)


def spans_of(events):
    for e in events:
        if e.ph == "X" and e.ts is not None:
            if e.bad_dur:
                yield Span(e, None, 0, 2, None)
            else:
                yield Span(e, None, e.dur, 1 if e.dur is None else 0, None)
    yield from pair(events)


def between(f, s):
    return f.end is not None and f.begin.id < s.begin.id and (s.end or s.begin).id < f.end.id


class Track:
    def __init__(self):
        self.open, self.until = [], -2**63

    def close(self):
        f = self.open.pop()
        if f.dur is not None:
            f.self_dur = None if f.doubted else f.dur - f.inner

    def add(self, s):
        more = 1 if s.fine else 1000
        stop = s.stop()
        while self.open:
            f = self.open[-1]
            over = f.limit < s.ts or (f.limit == s.ts and not (stop == s.ts and between(f, s)))
            if not over and not (s.length is not None and stop > f.limit + more and s.ts + more >= f.limit):
                break
            self.close()
        crossing = s.ts < self.until
        parent = None
        if not crossing and self.open:
            f = self.open[-1]
            if s.length is None and f.limit < 2**63:
                s.state, s.lost, stop = 2, True, f.limit
            crossing = stop > f.limit + more
            stop = f.limit if stop > f.limit and not crossing else stop
            parent = f
            while parent is not None and stop == s.ts and s.end is not None and parent.ts == s.ts and parent.end is not None and parent.begin.id > s.begin.id:
                parent = parent.around
        s.limit, s.around, s.covered = stop, parent, s.ts
        if crossing:
            self.until = max(self.until, stop)
            for f in self.open:
                f.doubted = True
            return
        certain = parent is None or not parent.lost
        if certain:
            s.parent = parent
        if certain and (parent is None or parent.path is not None):
            s.path = (parent.path if parent is not None else ()) + (s.begin.name,)
            s.depth = len(s.path) - 1
        if parent is not None:
            parent.inner += max(0, stop - max(s.ts, parent.covered))
            parent.covered = max(stop, parent.covered)
        self.open.append(s)
        if s.lost:
            for f in self.open:
                f.doubted = True


def nest(spans):
    """Spans in the order of their rows, with what is around them."""
    def key(s):
        own = (s.ts, 0 if s.length is None else 1, -(s.length or 0), s.begin.id)
        return ((s.group[0], s.group[1]) if s.group else (s.ts, 0)) + own

    ordered = sorted(spans, key=key)
    tracks = {}
    for s in ordered:
        tracks.setdefault(("async", s.group) if s.group else s.begin.thread, Track()).add(s)
    for t in tracks.values():
        while t.open:
            t.close()
    return ordered


def slice_row(s):
    return (s.begin.id, s.end.id if s.end else None, 1 if s.group else 0, None if s.group else s.begin.thread, s.parent.begin.id if s.parent else None, s.path,
            s.ts, s.dur, s.self_dur, s.cpu, s.depth, s.state)


def view_row(s, processes, threads):
    """What v_chrome_slice shows beside what stack_slice has."""
    b, e = s.begin, s.end
    return (b.name, b.cat, b.ident, b.pid, processes.get(b.pid), None if s.group else threads.get(b.thread), b.row()[12], e.row()[12] if e else None)


# --- the rest ------------------------------------------------------------------------------------------------------------------------------------------------


def names_of(events):
    processes, threads = {}, {}
    for e in events:
        name = (e.raw.get("args") or {}).get("name") if e.ph == "M" else None
        if isinstance(name, str) and e.name == "process_name":
            processes[e.pid] = name
        if isinstance(name, str) and e.name == "thread_name":
            threads[e.thread] = name
    return processes, threads


def counters_of(events):
    """{(pid, id, name, key): points in the order of the file}"""
    series = {}
    for e in events:
        if e.ph == "C" and e.ts is not None:
            for key, v in (e.raw.get("args") or {}).items():
                series.setdefault((e.pid, e.ident, e.name, key), []).append((e.ts, float(v) if is_number(v) else None))
    return series


class Profile:
    def __init__(self):
        self.thread, self.start, self.end, self.chunks, self.nodes, self.marks = None, None, None, [], {}, []


def add_part(p, e, data):
    cpu = data.get("cpuProfile") or {}
    for where in (data, cpu):
        p.start = ns(where["startTime"]) if "startTime" in where else p.start
        p.end = ns(where["endTime"]) if "endTime" in where else p.end
    for node in cpu.get("nodes", ()):
        p.nodes.setdefault(node["id"], dict(node))
    for node in cpu.get("nodes", ()):
        for child in node.get("children", ()):
            p.nodes[child].setdefault("parent", node["id"]) if child in p.nodes else None
    p.marks += list((cpu.get("trace_ids") or {}).items())
    n = len(cpu.get("samples", ()))
    deltas = data.get("timeDeltas", cpu.get("timeDeltas", []))
    if "timeDeltas" in data and cpu.get("timeDeltas", deltas) != deltas:
        deltas = []
    if len(deltas) != n:
        deltas = [None] * n
    lines, columns = ((data.get(k, ()) + [None] * n)[:n] if k in data else [None] * n for k in ("lines", "columns"))
    p.chunks.append((e.ts, e.id, list(zip(cpu.get("samples", ()), deltas, lines, columns))))


def profiles_of(events):
    """In the order of first mention."""
    profiles = {}
    for e in events:
        data = ((e.raw.get("args") or {}).get("data") or {}) if isinstance(e.raw.get("args"), dict) else {}
        if e.ph == "P" and e.name in ("Profile", "ProfileChunk"):
            p = profiles.setdefault((e.pid, e.ident), Profile())
        elif e.ph in ("I", "i") and e.name == "CpuProfile":
            p = profiles.setdefault(e.id, Profile())
        else:
            continue
        if e.name != "ProfileChunk":
            p.thread = e.thread
        add_part(p, e, data)
    return list(profiles.values())


def node_path(p, ident):
    path = []
    while ident in p.nodes:
        f = p.nodes[ident].get("callFrame", {})
        line = f.get("lineNumber")
        path.append((f.get("functionName", ""), f.get("url") or None, line if line is not None and line >= 0 else None))
        ident = p.nodes[ident].get("parent")
    return tuple(reversed(path))


def samples_of(p):
    """(ts, dur, path, thread, event, line, column) in order of time."""
    t = p.start if p.thread is not None else None
    rows = []
    for _, event, samples in sorted(p.chunks, key=lambda c: (c[0], c[1])):
        for node, delta, line, column in samples:
            t = None if t is None or delta is None else t + ns(delta)
            rows.append((t, node, event, line, column))
    if any(ns(s[1]) is not None and ns(s[1]) < 0 for c in p.chunks for s in c[2]):
        rows.sort(key=lambda r: (r[0] is None, r[0]))
    ends = [r[0] for r in rows[1:]] + [p.end]
    return [(t, None if t is None or end is None or (i + 1 == len(rows) and end < t) else end - t, node_path(p, node) if node in p.nodes else None, p.thread,
             event, line, column) for i, ((t, node, event, line, column), end) in enumerate(zip(rows, ends))]


# --- the database --------------------------------------------------------------------------------------------------------------------------------------------


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.pids = dict(self.rows("SELECT ipid, pid FROM process"))
        self.threads = {i: (self.pids.get(p), t) for i, t, p in self.rows("SELECT itid, tid, ipid FROM thread")}
        self.paths = {}
        for node, parent, name, file, line in self.rows("SELECT n.id, n.parent_id, m.name, m.file, m.line FROM stack_node n LEFT JOIN stack_method m "
                                                        "ON m.id = n.method_id ORDER BY n.id"):
            self.paths[node] = (self.paths[parent] if parent is not None else ()) + ((name, file, line),)

    def rows(self, sql, *args):
        return self.db.execute(sql, args)

    def events(self):
        for r in self.rows("SELECT phase, name, category, ipid, itid, ts, dur, thread_ts, thread_dur, event_id, id_kind, scope, args, extra FROM chrome_event "
                           "ORDER BY id"):
            pid = self.pids[r[3]] if r[3] is not None else None
            tid = self.threads[r[4]][1] if r[4] is not None else None
            args, extra = (json.loads(t, parse_float=Decimal) if t is not None else None for t in r[12:])
            yield (*r[:3], pid, tid, *r[5:12], args, extra)

    def slices(self):
        event = dict(self.rows("SELECT slice_id, event_id FROM chrome_slice"))
        for r in self.rows("SELECT c.event_id, c.end_event_id, c.async, s.itid, s.parent_id, s.node_id, s.ts, s.dur, s.self_dur, s.cpu_dur, s.depth, s.state "
                           "FROM stack_slice s JOIN chrome_slice c ON c.slice_id = s.id ORDER BY s.id"):
            path = tuple(f[0] for f in self.paths[r[5]]) if r[5] is not None else None
            yield (*r[:3], self.threads[r[3]] if r[3] is not None else None, event[r[4]] if r[4] is not None else None, path, *r[6:])

    def view(self):
        for r in self.rows("SELECT name, category, event_id, pid, process, thread, args, end_args FROM v_chrome_slice ORDER BY slice_id"):
            yield (*r[:6], *(json.loads(t, parse_float=Decimal) if t is not None else None for t in r[6:]))

    def counters(self):
        found = {}
        for series, pid, ident, name, key, full in self.rows("SELECT c.series_id, p.pid, c.event_id, c.counter, c.key, t.name FROM chrome_counter c "
                                                             "LEFT JOIN process p ON p.ipid = c.ipid LEFT JOIN timeseries t ON t.id = c.series_id"):
            if full != "%s.%s" % (name or "", key):
                sys.exit("series %d is called %r" % (series, full))
            found[(pid, ident, name, key)] = list(self.rows("SELECT ts, value FROM timeseries_value WHERE series_id = ? ORDER BY rowid", series))
        return found

    def samples(self, source):
        for r in self.rows("SELECT s.ts, s.dur, s.node_id, s.itid, c.event_id, c.line, c.column FROM stack_sample s JOIN chrome_sample c ON c.sample_id = s.id "
                           "WHERE s.source_id = ? ORDER BY s.id", source):
            yield (*r[:2], self.paths[r[2]] if r[2] is not None else None, self.threads[r[3]] if r[3] is not None else None, *r[4:])


def differ(what, want, have):
    want, have = cells.add(list(want)), list(have)
    for i, (a, b) in enumerate(zip(want, have)):
        if a != b:
            return "%s %d is %r instead of %r" % (what, i, b, a)
    return None if len(want) == len(have) else "%d %ss instead of %d" % (len(have), what, len(want))


def compare(database, path):
    raw, _ = load(path)
    db = Database(database)
    events, number = [], 0
    for e in raw:
        if isinstance(e, dict):
            number += 1
            events.append(Event(number, e))
    profiles = profiles_of(events)
    processes, threads = names_of(events)
    sources = [r[0] for r in db.rows("SELECT id FROM source WHERE kind = 'cpu_profile' ORDER BY id")]
    wrong = differ("event", (e.row() for e in events), db.events()) or differ("span", map(slice_row, nest(list(spans_of(events)))), db.slices())
    wrong = wrong or differ("counter", sorted(counters_of(events).items(), key=repr), sorted(db.counters().items(), key=repr))
    wrong = wrong or differ("profile", range(len(profiles)), range(len(sources)))
    for p, source in zip(profiles, sources):
        wrong = wrong or differ("sample", samples_of(p), db.samples(source))
        nodes = sorted((i, node_path(p, i), n["callFrame"].get("scriptId"), n["callFrame"].get("lineNumber"), n["callFrame"].get("columnNumber"))
                       for i, n in p.nodes.items())
        have = ((r[0], db.paths[r[1]], *r[2:]) for r in db.rows("SELECT id, node_id, script_id, line_number, column_number FROM chrome_profile_node "
                                                                "WHERE source_id = ? ORDER BY id", source))
        wrong = wrong or differ("node", nodes, have)
        wrong = wrong or differ("mark", p.marks, db.rows("SELECT trace_id, id FROM chrome_trace_id WHERE source_id = ? ORDER BY rowid", source))
    wrong = wrong or differ("span of the view", (view_row(s, processes, threads) for s in nest(list(spans_of(events)))), db.view())
    have = {k: v for k, v in db.rows("SELECT pid, name FROM process WHERE name IS NOT NULL AND ipid > 0")}
    wrong = wrong or differ("process name", sorted((p, n) for p, n in processes.items() if p), sorted((p, n) for p, n in have.items() if p in processes))
    have = {db.threads[i]: n for i, n in db.rows("SELECT itid, name FROM thread WHERE name IS NOT NULL AND itid > 0")}
    return wrong or differ("thread name", sorted((t, n) for t, n in threads.items() if t != (0, 0)), sorted((t, n) for t, n in have.items() if t in threads))


def main():
    cells.end(compare(sys.argv[1], sys.argv[2]), sys.argv[2])


if __name__ == "__main__":
    main()
