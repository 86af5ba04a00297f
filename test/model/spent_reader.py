"""What each thread did, from the tables of a database: moment by moment, slowly.

Each moment between two borders is looked at on its own: recorded CPU time counts first, then the scheduler, then CPU
samples; a wait belongs to what began first.
"""

import json
from collections import defaultdict

STATES = {"Running": "cpu", "R": "runnable", "R+": "runnable", "R-B": "runnable", "S": "sleep", "I": "idle", "D": "blocked", "D-NIO": "blocked",
          "DK": "blocked", "DK-NIO": "blocked", "D-IO": "io", "DK-IO": "io"}
WAITS = {"wait": "wait", "park": "park", "contended": "lock"}
FROM = ("recorded", "scheduling", "samples")


class Thread:
    def __init__(self, source):
        self.source = source
        self.recorded, self.states, self.samples, self.waits, self.nominal = [], [], [], [], []
        self.scheduled = False


def sources_with(db, source):
    """The source and what was found in it."""
    rows = db.execute("WITH RECURSIVE s(id) AS (SELECT ? UNION SELECT o.id FROM source AS o JOIN s ON o.parent_id = s.id) SELECT id FROM s", (source,))
    return {i for i, in rows}


def range_of(db, source):
    """Of the rows of a source, with the recorded one where both overlap; of none: of all."""
    lows, highs = [], []
    mine = ",".join(map(str, sources_with(db, source))) or "0"
    for table in "stack_sample", "stack_slice":
        low, high = db.execute("SELECT min(ts), max(ts + max(ifnull(dur, 0), 0)) FROM %s WHERE ts IS NOT NULL AND source_id IN (%s)" % (table, mine)).fetchone()
        lows, highs = lows + [low] * (low is not None), highs + [high] * (high is not None)
    seen = (min(lows), max(highs)) if lows else None
    for a, b in db.execute("SELECT start_ts, end_ts FROM source WHERE id IN (%s) AND start_ts <= end_ts" % mine):
        if seen is None or (a <= seen[1] and b >= seen[0]):
            lows, highs = lows + [a], highs + [b]
    return (min(lows), max(highs)) if lows else whole(db)


def whole(db):
    pair = db.execute("SELECT start_ts, end_ts FROM trace_range").fetchone()
    return None if pair == (0, 1) else pair


def read(db, chosen=None):
    """{(itid, source of what has no thread): Thread}; chosen: what calls and samples of which sources count."""
    own = dict(db.execute("SELECT itid, source_id FROM thread_detail"))
    threads = {}

    def thread(itid, source):
        key = (itid, None if itid is not None else source)
        return threads.setdefault(key, Thread(own.get(itid, source) if itid is not None else source))

    spans = {i for i, in db.execute("SELECT slice_id FROM chrome_slice WHERE async")}
    for i, source, itid, ts, dur, cpu in db.execute("SELECT id, source_id, itid, ts, dur, cpu_dur FROM stack_slice WHERE parent_id IS NULL AND itid IS NOT NULL"):
        if i not in spans:
            one = thread(itid, source)
            if None not in (ts, dur, cpu) and dur > 0:
                one.recorded.append((ts, ts + dur, cpu, 0, "other"))
    for source, itid, ts, dur, cpu, lock in db.execute("SELECT source_id, itid, ts, dur, cpu_dur, wait_dur FROM cloud_call WHERE itid IS NOT NULL"):
        if None not in (ts, dur, cpu) and dur > 0:
            thread(itid, source).recorded.append((ts, ts + dur, cpu, lock or 0, "other"))
    by = defaultdict(list)
    for itid, ts, dur, state in db.execute("SELECT itid, ts, dur, state FROM thread_state"):
        by[itid].append((ts, dur, STATES.get(state)))
    for itid, ts, dur in db.execute("SELECT itid, ts, dur FROM sched_slice WHERE itid > 0 AND itid NOT IN (SELECT itid FROM thread_state)"):
        by[itid].append((ts, dur, "cpu"))
    for itid, rows in by.items():
        one = thread(itid, own.get(itid))
        one.scheduled = True
        last = max(ts for ts, _, _ in rows)
        for ts, dur, what in rows:
            if dur is not None or ts == last:
                one.states.append((ts, None if dur is None else ts + dur, what))
    for itid, source, ts, dur, kind in db.execute("SELECT itid, source_id, ts, dur, kind FROM lock_wait WHERE dur > 0 AND ts IS NOT NULL AND itid IS NOT NULL"):
        thread(itid, source).waits.append((ts, ts + dur, WAITS[kind]))
    read_samples(db, thread)
    return threads


def read_samples(db, thread):
    ns = {i for i, in db.execute("SELECT t.id FROM stack_value_type AS t JOIN source AS o ON o.id = t.source_id JOIN event_class AS e ON e.format = o.format "
                                 "AND e.event = t.name AND e.state = '*' WHERE t.unit IN ('ns', 'nanoseconds') AND e.class = 'cpu'")}
    sources = {s for i, s in db.execute("SELECT id, source_id FROM stack_value_type") if i in ns}
    values = defaultdict(int)
    having = set()
    for sample, kind, value in db.execute("SELECT sample_id, value_type_id, value FROM stack_sample_value"):
        if kind in ns:
            values[sample] += value
            having.add(sample)
    for i, source, itid, ts, dur, kind, reason in db.execute(
            "SELECT id, source_id, itid, ts, dur, class, reason FROM v_sample WHERE class IN ('cpu', 'wall', 'waiting')"):
        one = thread(itid, source)
        reason = reason if reason in (*STATES.values(), *WAITS.values()) else "other"
        if kind == "cpu" and (source in sources or ts is None):
            if i in having or source not in sources:
                one.nominal.append((ts, values[i] if i in having else dur or 0))
        elif ts is None or not dur or dur < 0:
            continue
        elif kind != "cpu" and i in having:
            one.recorded.append((ts, ts + dur, values[i], 0, reason if kind == "waiting" else "other"))
        elif kind == "cpu" or reason == "idle":
            one.samples.append((ts, ts + dur, "cpu" if kind == "cpu" else reason))
        elif kind == "waiting":
            one.waits.append((ts, ts + dur, reason))


def first_at(pieces, a):
    """The piece that has the moment and began first."""
    return min((p for p in pieces if p[0] <= a < p[1]), default=None)


def pauses_for(db, source):
    up = {source}
    at = source
    while at is not None and (at := (db.execute("SELECT parent_id FROM source WHERE id = ?", (at,)).fetchone() or (None,))[0]) is not None:
        up.add(at)
    mine = ",".join(map(str, (up | sources_with(db, source)) - {None}))
    return [(ts, ts + dur) for table in ("runtime_pause", "cloud_suspend")
            for ts, dur in db.execute("SELECT ts, dur FROM %s WHERE dur > 0 AND ts IS NOT NULL AND source_id IN (%s)" % (table, mine))]


class Near:
    """The pieces that may have a moment, when moments are asked for in order."""

    def __init__(self, pieces):
        self.left = sorted(pieces, key=lambda p: p[:2])
        self.left.reverse()
        self.now = []

    def at(self, a):
        while self.left and self.left[-1][0] <= a:
            self.now.append(self.left.pop())
        self.now = [p for p in self.now if p[1] > a]
        return min(self.now, key=lambda p: p[:2], default=None)


def spent(db, one, low=None, high=None):
    """(cpu, cpu_from, waiting by reason, paused, unknown, length) of a Thread."""
    span = whole(db) if one.scheduled else range_of(db, one.source)
    asked = low is not None
    if span is None:
        span, length = (-1 << 63, (1 << 63) - 1), None
    else:
        span = (max(span[0], low), max(min(span[1], high), max(span[0], low))) if asked else span
        length = span[1] - span[0]
    states = [(a, span[1] if b is None else b, what) for a, b, what in one.states]
    pauses = pauses_for(db, one.source)
    recorded = sorted(one.recorded)
    borders = {b for pieces in (recorded, states, one.samples, one.waits, pauses) for p in pieces for b in p[:2] if span[0] < b < span[1]}
    borders = sorted(borders | set(span))
    near = [Near(p) for p in (recorded, states, one.samples, one.waits, pauses)]
    cpu, paused, origin, waiting, inside = 0, 0, set(), defaultdict(int), {}
    for a, b in zip(borders, borders[1:]):
        call, state, sample, wait, pause = (n.at(a) for n in near)
        if call is not None:
            mine = inside.setdefault(call, [0, defaultdict(int), 0])
            mine[0] += b - a
            if wait is not None:
                mine[1][wait[2]] += b - a
            elif pause is not None:
                mine[2] += b - a
            continue
        origin |= {"scheduling"} if state is not None else {"samples"} if sample is not None else set()
        ran = state or sample
        if state is not None and state[2] not in (None, "cpu"):
            waited = wait if wait is not None and wait[0] < state[0] else state
        else:
            waited = wait if wait is not None or state is not None else sample
        if ran is not None and ran[2] == "cpu":
            cpu += b - a
        elif waited is not None:
            waiting[waited[2]] += b - a
        elif pause is not None:
            paused += b - a
    for (begin, end, of, lock, reason), (own, waits, stopped) in inside.items():
        share = of * own // (end - begin)
        cpu += share
        origin.add("recorded")
        waits["lock"] = max(waits["lock"], lock * own // (end - begin))
        rest = own - share
        for name in "runnable sleep blocked io lock wait park idle other".split():
            part = max(0, min(rest, waits[name]))
            waiting[name] += part
            rest -= part
        part = max(0, min(rest, stopped))
        paused += part
        waiting[reason if rest > part else "other"] += rest - part
    estimated = False
    for ts, ns in one.nominal:
        placed = ts is not None and (first_at(recorded, ts) or first_at(states, ts))
        if not placed and (not asked or (ts is not None and low <= ts < high)):
            cpu, estimated = cpu + ns, True
            origin.add("samples")
    waiting = {k: v for k, v in waiting.items() if v > 0}
    known = cpu + sum(waiting.values()) + paused
    origin = ", ".join([w for w in FROM if w in origin] + ["estimated"] * estimated)
    return (cpu if origin else None, origin or None, waiting, paused, None if length is None else max(0, length - known), length)


def answer(text):
    """The same of the program's rows: {(itid, source): ...}."""
    out = {}
    for row in json.loads(text):
        waiting = {name: int(ns) for name, ns in (part.split() for part in (row["reasons"] or "").split(", ") if part)}
        key = (row["itid"], None if row["itid"] is not None else row["source_id"])
        if key in out or sum(waiting.values()) != row["wait_dur"]:
            raise SystemExit("impossible row %r" % row)
        out[key] = (row["cpu_dur"], row["cpu_from"], waiting, row["paused"], row["unknown"], row["length"])
    return out
