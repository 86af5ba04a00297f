"""Sample directories of Flare: all their tables, views and questions, from what test/check/flare.py reads."""

import math
import os

import flare
import quality
import stacks

MS = 1000000
THREAD = ("itid source_id sample_count cpu_time sample_ts in_summary series_id series_ts series_end_ts slot_count "
          "series_cpu_us")


def method(source, number, names):
    text = names.get(number)
    if text is None:
        return stacks.Method(source, number, str(number), None, None, None, None, None, None)
    text = text[:-2] if text.endswith("()") else text
    cls, dot, name = text.rpartition(".")
    return stacks.Method(source, number, name, cls if dot else None, None, None, None, None, None)


class Model:
    """All directories of a database, in the order of their sources."""

    def __init__(self, j, directories):
        self.j = j
        self.dirs = directories  # {source: flare.Directory}
        self.s = stacks.Stacks()
        self.itid = {}
        for itid, source, tid in j.rows("SELECT t.itid, d.source_id, t.tid FROM thread AS t JOIN thread_detail AS d "
                                        "ON d.itid = t.itid WHERE t.itid > 0"):
            self.itid[source, tid] = itid
        self.raw = []  # rows of flare_stack
        self.series_id = {}
        for source, d in directories.items():
            self.read(source, d)

    def family(self, d):
        key = (d.info.get("agent_addr"), d.info.get("sample_start_time"))
        names = {}
        for other in self.dirs.values():
            if None not in key and (other.info.get("agent_addr"), other.info.get("sample_start_time")) == key:
                names.update(other.methods)
        names.update(d.methods)
        return names

    def read(self, source, d):
        names = self.family(d)
        self.s.methods.update(method(source, i, d.methods) for i in d.methods)
        process = d.info.get("agent_addr")
        if any(r["cpu"] is not None for t in d.threads.values() for r in t.records):
            self.s.types.append((source, "cpu", "ns"))
        for tid in sorted(d.threads):
            t = d.threads[tid]
            self.s.threads.add(stacks.Thread(source, tid, t.last and t.last["name"], "java", None, process))
            if t.series:
                self.series_id[source, tid] = len(self.series_id) + 1
            readings = [r["cpu"] for r in t.records]
            used = flare.shares(readings) if readings and readings[0] is not None else []
            for i, r in enumerate(t.records):
                path = tuple(method(source, m, names) for m in reversed(r["stack"]))
                until = t.records[i + 1]["time"] if i + 1 < len(t.records) else r["time"]
                values = {("cpu", "ns"): used[i]} if used else {}
                self.s.samples.append(stacks.Sample(source, self.itid[source, tid], r["time"] * MS, (until - r["time"]) * MS,
                                                    self.s.path(path) or None, "wall", values, r["state"]))
                self.raw.append((len(self.s.samples), r["step"], r["cpu"], r["delta"], r["count"], r["state"]))

    def resolved(self, d):
        """Whether all methods of its stacks have names."""
        return {i for t in d.threads.values() for r in t.records for i in r["stack"]} <= self.family(d).keys()

    def threads(self):
        for source, d in self.dirs.items():
            for tid in sorted(d.threads):
                yield source, d, d.threads[tid], self.itid[source, tid]

    def thread_rows(self):
        for source, d, t, itid in self.threads():
            last = t.last or {}
            a, z = (t.series[0], t.series[-1]) if t.series else (None, None)
            yield (itid, source, last.get("sample_count"), last.get("cpu_time"),
                   last["sample_time"] * MS if last else None, int(t.in_summary), self.series_id.get((source, t.tid)),
                   a and a.begin * MS, z and (z.begin + (len(z.values) - 1) * z.unit) * MS,
                   sum(len(x.values) for x in t.series) if a else None, sum(map(sum, (x.values for x in t.series))) if a else None)

    def points(self):
        """(source, directory, thread, itid, ms, µs) of each value that is not 0."""
        for source, d, t, itid in self.threads():
            for x in t.series:
                for k, value in enumerate(x.values):
                    if value:
                        yield source, d, t, itid, x.begin + k * x.unit, value


def check_tables(j, m):
    j.some("flare_thread", THREAD, m.thread_rows())
    j.some("flare_stack", "sample_id step cpu_time cpu_time_delta sample_count state", m.raw)
    j.some("timeseries", "id source_id itid name unit interval",
           ((m.series_id[source, t.tid], source, itid, "cpu_time", "µs", t.series[0].unit * MS)
            for source, _, t, itid in m.threads() if t.series))
    j.some("timeseries_value", "series_id ts value",
           ((m.series_id[source, t.tid], ms * MS, float(us)) for source, _, t, _, ms, us in m.points()))
    j.some("thread_detail", "itid group_name priority daemon state",
           ((itid, None, p if (p := (t.last or {}).get("priority", 0)) > 0 else None,
             int(t.last["daemon"]) if p > 0 else None, (t.last or {}).get("state") or None)
            for _, _, t, itid in m.threads()),
           got=j.rows("SELECT itid, group_name, priority, daemon, state FROM thread_detail WHERE itid > 0"))


def recordings(m):
    """Rows of v_flare_recording."""
    runs = {}
    for source, d in m.dirs.items():
        key = (d.info.get("agent_addr"), d.info.get("sample_start_time"))
        runs.setdefault(key if None not in key else source, []).append((d.start, source, d))
    for run in runs.values():
        before = None
        for part, (_, source, d) in enumerate(sorted(run, key=lambda x: (x[0], x[1])), 1):
            yield (d.info.get("agent_addr"), d.info.get("sample_start_time"), part, source, d.name, d.start * MS,
                   d.end * MS, None if before is None else d.start * MS - before)
            before = d.end * MS


def check_views(j, m):
    j.view("v_flare_recording", "agent_addr sample_start_time part source_id path start_ts end_ts gap", recordings(m))
    j.view("v_flare_cpu", "agent_addr sample_start_time source_id itid tid thread ts cpu_us",
           ((d.info.get("agent_addr"), d.info.get("sample_start_time"), source, itid, t.tid, t.last and t.last["name"],
             ms * MS, us) for source, d, t, itid, ms, us in m.points()))


# --- questions


def half_up(x):
    return math.floor(x + 0.5)


def ask_dashboard(j, m, **params):
    rows = []
    used = {}
    for x in m.s.samples:
        if x.values:
            used[x.itid] = used.get(x.itid, 0) + x.values["cpu", "ns"]
    for source, d, t, itid in m.threads():
        last = t.last or {}
        if params.get("session_id") not in (None, d.name) or last.get("sample_count", 1) < 1:
            continue
        share = None
        ns = used.get(itid, sum(map(sum, (x.values for x in t.series))) * 1000 if t.series else None)
        if d.end > d.start:
            share = "%.1f" % ((ns or 0) * 100.0 / ((d.end - d.start) * MS))
        seconds = last["cpu_time"] // 10**9 if last else None
        p = last.get("priority") or None
        rows.append((d.name, source, t.tid, last.get("name"), None, p, last.get("state") or None, share,
                     None if seconds is None else "%d:%02d" % (seconds // 60, seconds % 60),
                     int(last["daemon"]) if p else None))
    rows.sort(key=lambda r: r[:3])
    j.ask("dashboard", "id name group priority state %cpu cpu_time daemon", [r[2:] for r in rows], **params)


def ask_cpu_ts(j, m, **params):
    rows = []
    for source, d, t, itid in m.threads():
        wanted = [int(x) for x in str(params.get("thread_ids", "")).strip("[] ").split(",") if x]
        if not t.series or params.get("session_id") not in (None, d.name) or wanted and t.tid not in wanted:
            continue
        start, end = params.get("start_time", -1), params.get("end_time", -1)
        start = d.start if start < 0 else max(start, d.start)
        end = d.end if end < 0 else min(end, d.end)
        if end <= start:
            continue
        slot = t.series[0].unit
        r = (end - start) // params.get("graph_width", 900) // d.interval
        r = r // 10 * 10 if r > 10 else max(r, 1)
        each = max(1, r * d.interval // slot)
        begin = t.series[0].begin
        last = t.series[-1].begin + (len(t.series[-1].values) - 1) * slot
        a, b = min(max(start, begin), last), max(min(end, last), begin)
        s1, s2 = (a - begin) // slot, (b - begin) // slot
        points = [0] * ((s2 - s1) // each + 1)
        for x in t.series:
            for k, value in enumerate(x.values):
                at = (x.begin + k * slot - begin) // slot
                if s1 <= at <= s2:
                    points[(at - s1) // each] += value
        rows.append((d.name, source, t.tid, t.last["name"], a, b, each * slot, half_up(sum(points) / 1000.0),
                     "[%s]" % ",".join("%d" % half_up(p / 1000.0) for p in points)))
    rows.sort(key=lambda r: r[:3])
    j.ask("cpu_ts", "id name start_time end_time unit_time_ms cpu_time_ms ts_data", [r[2:] for r in rows], **params)


def check_questions(j, m):
    first, last = list(m.dirs.values())[0], list(m.dirs.values())[-1]
    j.ask("history_samples", "path type", sorted((d.name, "file") for d in m.dirs.values()))
    ask_dashboard(j, m)
    ask_dashboard(j, m, session_id=last.name)
    if any(d.interval is None for d in m.dirs.values()):
        return
    tids = sorted(last.threads)
    ask_cpu_ts(j, m)
    ask_cpu_ts(j, m, session_id=last.name, thread_ids="[%d, %d]" % (tids[0], tids[-1]), graph_width=10)
    ask_cpu_ts(j, m, thread_ids=str(tids[0]), start_time=first.start + 333, end_time=first.end - 777, graph_width=50)
    ask_cpu_ts(j, m, start_time=last.start + 1000, graph_width=5)


def check(j, top):
    """`top`: a sample directory, or a directory of some."""
    names = [top] if "method_info.fidx" in os.listdir(top) else [os.path.join(top, n) for n in sorted(os.listdir(top))]
    directories = {}
    for source, path in j.rows("SELECT id, path FROM source WHERE kind = 'sample_directory' ORDER BY id"):
        full = next((n for n in names if os.path.basename(n) == path), None)
        if full is None:
            j.fail("source %d is %r" % (source, path))
            return
        directories[source] = flare.Directory(full)
        directories[source].name = path
    j.same("sample directories", len(directories), len(names))
    for d in directories.values():
        times = [r["time"] for t in d.threads.values() for r in t.records]
        d.start = min(times) if d.start is None else d.start
        d.end = max(times) if d.end is None else max(d.end, max(times))
    m = Model(j, directories)
    quality.check_quality(j)
    quality.source_rows(j, [(i, None, "sample_directory", d.name, d.info.get("agent_addr"), "flare", "realtime", d.start * MS,
                             (d.end - d.start) * MS, sum(os.path.getsize(os.path.join(d.path, n)) for n in d.names), int(m.resolved(d)))
                            for i, d in directories.items()])
    r = stacks.Reader(j)
    check_tables(j, m)
    stacks.check_tables(j, m.s, r)
    check_views(j, m)
    stacks.check_views(j, m.s, r)
    check_questions(j, m)
    stacks.check_questions(j, m.s, r)
