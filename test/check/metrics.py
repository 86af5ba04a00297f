#!/usr/bin/env python3
"""What Datakit calls metrics of a profile, computed from the other tables, and its points in line protocol; for bundle.py and bundles.py.

usage: metrics.py DATABASE
"""

import sqlite3
import sys

GO_INTEGERS = {"max_gc_pause_time", "num_goroutine", "blocked_time", "mutex_delay_time", "lifetime_heap_bytes", "lifetime_heap_objects"}
GO = GO_INTEGERS | {"alloc_bytes_per_sec", "allocs_per_sec", "frees_per_sec", "heap_growth_bytes_per_sec", "gcs_per_sec", "gc_pause_time", "cpu_cores",
                    "cpu_cores_gc_overhead", "alloc_bytes_total"}


class Source:
    """Rows of a profile and of the sources below it."""

    def __init__(self, db, profile):
        self.db = db
        self.id, root, self.language, self.start, self.end, self.dur = db.execute(
            "SELECT id, source_id, language, start_ts, end_ts, dur FROM profile WHERE id = ?", (profile,)).fetchone()
        if self.dur is None and None not in (self.start, self.end):
            self.dur = self.end - self.start
        self.below = "IN (WITH RECURSIVE d(id) AS (VALUES (%d) UNION ALL SELECT s.id FROM source s JOIN d ON s.parent_id = d.id) SELECT id FROM d)" % root

    def one(self, sql, *args):
        return self.db.execute(sql.replace("@", self.below), args).fetchone()

    def values(self, event):
        """(number, sum, greatest)"""
        return self.one("SELECT count(*), ifnull(sum(v.value), 0), ifnull(max(v.value), 0) FROM stack_sample_value v JOIN profile_value_type t "
                        "ON t.value_type_id = v.value_type_id WHERE t.profile_id = ? AND t.event_type = ?", self.id, event)

    def events(self, *names):
        return self.one("SELECT ifnull(sum(count - lost), 0) FROM jfr_event_type WHERE source_id @ AND name IN (%s)" % ",".join("?" * len(names)), *names)[0]

    def time(self, *names):
        return self.one("SELECT ifnull(sum(s.dur), 0), ifnull(max(s.dur), 0), count(s.dur) FROM stack_sample s JOIN jfr_sample j ON j.sample_id = s.id JOIN "
                        "jfr_event_type t ON t.id = j.type_id WHERE t.source_id @ AND t.name IN (%s)" % ",".join("?" * len(names)), *names)

    def series(self, name):
        return self.one("SELECT ifnull(sum(v.value), 0), count(*), avg(v.value) FROM timeseries_value v JOIN timeseries t ON t.id = v.series_id WHERE "
                        "t.source_id @ AND (t.name = ? OR t.name LIKE ? || '[%')", name, name)


def java(s):
    out, seconds = {}, (s.dur or 0) / 1e9
    agent = s.one("SELECT count(*) FROM jfr_event_type WHERE source_id @ AND name LIKE 'datadog.%'")[0] > 0

    def rate(name, value, source="datakit"):
        if seconds > 0:
            out[name] = (value / seconds, source)

    up = s.one("SELECT value FROM source_property WHERE source_id @ AND key = 'jvmStartTime' AND CAST(value AS INTEGER) > 1577836800000 LIMIT 1")
    if up and s.end is not None:
        out["uptime_nanoseconds"] = (s.end - int(up[0]) * 10**6, "datakit")
    allocated = s.values("alloc-space")
    weights = s.one("SELECT ifnull(sum(j.weight), 0) FROM jfr_sample j JOIN jfr_event_type t ON t.id = j.type_id WHERE t.source_id @ AND t.name = 'datadog.ObjectSample'")[0]
    total = float(allocated[1] if s.events("datadog.ObjectSample") else 0)
    rate("cpu_cores", s.time("datadog.ExecutionSample")[0] / 1e9)
    out["alloc_bytes_total"] = (total, "datakit")
    rate("alloc_bytes_per_sec", total)
    rate("allocs_per_sec", weights)
    rate("direct_alloc_bytes_per_sec", s.series("datadog.DirectAllocationTotal.allocated")[0])
    out["throws_total"] = (s.events("datadog.ExceptionSample"), "datakit")
    rate("throws_per_sec", s.events("datadog.ExceptionSample"))
    out["lifetime_heap_objects"] = (s.events("datadog.HeapLiveObject"), "datakit")
    first = s.one("SELECT v.value FROM timeseries_value v JOIN timeseries t ON t.id = v.series_id WHERE t.source_id @ AND t.name = 'datadog.HeapUsage.size' ORDER BY v.rowid LIMIT 1")
    out["lifetime_heap_bytes"] = (int(first[0]) if first else 0, "datakit")
    out["threads_deadlocked"] = (s.events("datadog.DeadlockedThread"), "datakit")
    rate("class_loads_per_sec", s.events("jdk.ClassLoaderStatistics"))
    out["compilation_time"] = (int(s.series("jdk.Compilation.duration")[0]), "datakit")
    out["context_switches_per_sec"] = (s.series("jdk.ThreadContextSwitchRate.switchRate")[2] or 0.0, "datakit")
    for kind, event in (("file", "File"), ("socket", "Socket")):
        for way in ("read", "write"):
            bytes_, time = s.values("%s-%s-bytes" % (kind, way)), s.time("jdk.%s%s" % (event, way.title()))
            out.update({"%s_io_max_%s_bytes" % (kind, way): (bytes_[2], "datakit"), "%s_io_%s_bytes" % (kind, way): (bytes_[1], "datakit"),
                        "%s_io_max_%s_time" % (kind, way): (time[1], "datakit"), "%s_io_%s_time" % (kind, way): (time[0], "datakit")})
    out["file_io_time"] = (out["file_io_read_time"][0] + out["file_io_write_time"][0], "datakit")
    gc = s.one("SELECT count(dur), ifnull(sum(dur), 0), ifnull(max(dur), 0) FROM runtime_pause WHERE kind = 'gc' AND source_id @")
    out["avg_gc_pause_time"] = (s.series("jdk.GarbageCollection.duration")[2] or 0.0, "datakit")
    out["max_gc_pause_time"], out["gc_pause_time"] = (gc[2], "datakit"), (gc[1], "datakit")
    rate("gc_pauses_per_sec", gc[0])
    locks = s.one("SELECT count(dur), ifnull(max(dur), 0) FROM lock_wait WHERE kind = 'contended' AND source_id @")
    out["locks_max_wait_time"] = (float(locks[1]), "datakit")
    rate("locks_per_sec", locks[0])
    rate("threads_created_per_sec", s.events("jdk.ThreadStart"))
    if not agent:
        cpu = s.time("jdk.ExecutionSample", "jdk.CPUTimeSample")
        if cpu[2]:
            rate("cpu_cores", cpu[0] / 1e9, "derived")
        if allocated[0]:
            out["alloc_bytes_total"] = (float(allocated[1]), "derived")
            rate("alloc_bytes_per_sec", allocated[1], "derived")
            rate("allocs_per_sec", allocated[0], "derived")
        throws = s.events("jdk.JavaExceptionThrow", "jdk.JavaErrorThrow")
        if throws:
            out["throws_total"] = (throws, "derived")
            rate("throws_per_sec", throws, "derived")
    return {"prof_jvm_" + name: value for name, value in out.items()}


def valued(s, prefix, wanted):
    out = {}
    for name, event, way in wanted:
        count, total, _ = s.values(event)
        if count and way == "sum":
            out[prefix + name] = (total, "datakit")
        elif count and s.dur:
            out[prefix + name] = (total / s.dur if way == "share" else total / (s.dur / 1e9), "datakit")
    return out


def expected(db, profile):
    """{name: (value, where it comes from)}"""
    s = Source(db, profile)
    out = {}
    if s.language == "java" and s.one("SELECT count(*) FROM jfr_event_type WHERE source_id @")[0]:
        out = java(s)
    elif s.language == "golang":
        out = valued(s, "prof_go_", (("blocked_time", "block", "sum"), ("cpu_cores", "cpu-time", "share"), ("lifetime_heap_bytes", "heap-space", "sum"),
                                     ("lifetime_heap_objects", "heap-live-objects", "sum"), ("mutex_delay_time", "mutex", "sum"), ("num_goroutine", "goroutines", "sum")))
    elif s.language == "python":
        out = valued(s, "prof_python_", (
            ("cpu_cores", "cpu-time", "share"), ("alloc_bytes_total", "alloc-space", "sum"), ("alloc_bytes_per_sec", "alloc-space", "rate"),
            ("allocs_per_sec", "alloc-samples", "rate"), ("lock_acquisitions_per_sec", "lock-acquire", "rate"), ("lock_acquisition_time", "lock-acquire-wait", "sum"),
            ("lock_hold_time", "lock-release-hold", "sum"), ("exceptions_total", "exception-samples", "sum"), ("exceptions_per_sec", "exception-samples", "rate"),
            ("wall_time", "wall-time", "sum"), ("lifetime_heap_bytes", "heap-space", "sum")))
    for name, value in db.execute("SELECT name, value FROM profile_number WHERE profile_id = ? AND value IS NOT NULL ORDER BY rowid", (profile,)):
        if name.startswith("go_") and name[3:] in GO:
            out["prof_" + name] = (int(value) if name[3:] in GO_INTEGERS else value, "recorded")
    if s.language == "golang" and s.dur:
        for name, of, f in (("alloc_bytes_total", "alloc_bytes_per_sec", lambda v: v * (s.dur / 1e9)), ("cpu_cores_gc_overhead", "gc_pause_time", lambda v: v / (s.dur / 1e9))):
            if out.get("prof_go_" + of, (0,))[0] > 0 and "prof_go_" + name not in out:
                out["prof_go_" + name] = (f(out["prof_go_" + of][0]), "datakit")
    return out


def compare(db):
    """None, or what is different."""
    for (profile,) in db.execute("SELECT id FROM profile").fetchall():
        want = expected(db, profile)
        have = {}
        for name, text, num, is_int, source in db.execute("SELECT name, value, num, is_int, source FROM profile_metric WHERE profile_id = ? ORDER BY rowid", (profile,)):
            if float(text) != num or "e" in text or bool(is_int) != isinstance(want.get(name, ("",))[0], int):
                return "%s is printed as %s" % (name, text)
            have[name] = (int(text) if is_int else num, source)
        if list(have) != sorted(have) or set(have) != set(want):
            return "metrics of profile %d: %r" % (profile, set(have) ^ set(want))
        for name, (value, source) in want.items():
            if have[name][1] != source or abs(have[name][0] - value) > 1e-9 * abs(value):
                return "%s is %r instead of %r" % (name, have[name], (value, source))
    return None


# --- points -------------------------------------------------------------------------------------------


def escaped(text):
    return text.replace(",", "\\,").replace("=", "\\=").replace(" ", "\\ ")


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def points(db, derived):
    """The lines of a database with one upload whose texts need no cleaning."""
    found = db.execute("SELECT * FROM profile")
    row = dict(zip([d[0] for d in found.description], found.fetchone()))
    row["service"] = row["service"] or "unnamed-service"
    tags = {k: row[k] for k in ("endpoint", "env", "host", "language", "runtime", "runtime_arch", "runtime_os", "service", "version") if row[k]}
    short = {k: tags[k] for k in ("env", "host", "language", "service", "version") if k in tags}
    tags.update((k, v) for k, v in db.execute("SELECT key, value FROM profile_tag") if v and k not in tags)
    fields = {"profile_id": quoted(row["profile_id"]), "agent_ver": quoted(row["agent_ver"])}
    start, end = row["start_ts"] // 1000, row["end_ts"] // 1000
    fields.update(start="%di" % start, end="%di" % end, duration="%di" % (end - start), pid=quoted(row["pid"]), format=quoted(row["format"]))
    numbers = {name: value + "i" * is_int for name, value, is_int, source in db.execute("SELECT name, value, is_int, source FROM profile_metric ORDER BY name")
               if derived or source != "derived"}
    lines = []
    for measurement, some, values in (("profile", tags, fields), ("profiling_metrics", short, numbers)):
        if values:
            lines.append("%s %s %d\n" % (",".join([measurement] + ["%s=%s" % (escaped(k), escaped(some[k])) for k in sorted(some)]),
                                         ",".join("%s=%s" % pair for pair in values.items()), row["end_ts"]))
    return "".join(lines)


def main():
    wrong = compare(sqlite3.connect(sys.argv[1]))
    if wrong:
        sys.exit(wrong)


if __name__ == "__main__":
    main()
