"""The chain that a slice or frame waited for, step by step from the rows of thread_state and instant; share/sql/critical_path.sql says what it is."""

import collections

WAITS = ("Running", "R", "R+", "R-B")


class Chain:
    def __init__(self, database):
        self.db = database

    def window(self, t0, t1):
        """States of each thread that take some of the time, as [id, began, begin, end, state, cpu]."""
        self.t0, self.t1 = t0, t1
        self.of = {}
        for number, itid, ts, dur, state, cpu in self.db.execute("SELECT id, itid, ts, dur, state, cpu FROM thread_state ORDER BY id"):
            begin, end = max(ts, t0), t1 if dur is None else min(ts + dur, t1)
            if begin < end:
                self.of.setdefault(itid, []).append((number, ts, begin, end, state, cpu))
        self.wakes = {}
        for ref, ts, waker in self.db.execute("SELECT ref, ts, wakeup_from FROM instant WHERE name = 'sched_wakeup' ORDER BY rowid"):
            if t0 < ts < t1:
                self.wakes.setdefault((ref, ts), waker)

    def parts(self, itid, t0, t1, limit=1000):
        """(begin, us, itid, state, cpu, waker) in the order of time."""
        self.window(t0, t1)
        out = []
        rows = self.of.get(itid, [])
        at, until = len(rows) - 1, rows[-1][3] if rows else 0
        while at >= 0 and len(out) < limit:
            number, began, begin, end, state, cpu = self.of[itid][at]
            before = self.of[itid][at - 1] if at else None
            waker = None
            if state in ("Running", "R") and (before is None or before[4] not in WAITS):
                waker = self.wakes.get((itid, began))
            out.append((begin, (until - begin) / 1000.0, itid, state, cpu, waker))
            theirs = [i for i, row in enumerate(self.of.get(waker, ())) if row[2] < began]
            if waker is not None and theirs:
                itid, at = waker, theirs[-1]
                until = min(began, self.of[itid][at][3])
            else:
                until = min(begin, before[3]) if before else 0
                at -= 1
        return out[::-1]

    def with_others(self, itid, t0, t1):
        """Each of parts(), and of the 20 longest waits for a CPU (the last of equal ones first) who had it for most of the time: (itid, us)."""
        parts = self.parts(itid, t0, t1)
        waits = sorted((i for i, p in enumerate(parts) if p[3] in WAITS[1:]), key=lambda i: (-parts[i][1], -i))[:20]
        slices = self.db.execute("SELECT itid, ts, dur, cpu FROM sched_slice").fetchall()
        out = []
        for i, p in enumerate(parts):
            begin, until, ran = p[0], p[0] + round(p[1] * 1000), collections.Counter()
            ends = [row[3] for row in self.of[p[2]] if row[2] == begin]
            for cpu in {s[3] for s in slices if i in waits and s[0] == p[2] and s[1] in ends}:
                for other, ts, dur, of in slices:
                    if of == cpu and other and dur is not None and ts < until and ts + dur > begin:
                        ran[other] += min(ts + dur, until) - max(ts, begin)
            most = min(ran, key=lambda o: (-ran[o], o)) if ran else None
            out.append((p, (most, ran[most] / 1000.0) if ran else None))
        return out
