#!/usr/bin/env python3
"""The report and its questions about a system, against a reader of the tables in plain Python, and the texts of the report against its JSON.

usage: report.py TRACE_STREAMER SOURCE_DIR
"""

import collections
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import unicodedata

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

NS = 10**9
WORLD = 10**18
SYSTEM = ("recording-system.htrace.gz", "kernel.htrace.gz", "kernel.ftrace", "kernel.sys")
# What tools/make-system-recording.py says happens.
KNOWN = {
    "cpu_waits": {"thread": "uploader", "dur": 179995000, "ran_instead": "indexer", "ran_dur": 179995000, "cpu": 1},
    "slow_frames": {"thread": "example.gallery", "ms": 46.1, "late_ms": 29.6, "cause": "blocked", "within": "H:DecodePhoto /data/photos/0042.jpg"},
    "longest_slices": {"name": "H:IndexFolder /data/photos", "dur": 189800000, "self_dur": 189800000},
    "app_starts": {"application": "com.example.gallery", "phases": 7, "longest_phase": "launch of the ability", "phase_dur": 60000000, "libraries": 1, "libraries_dur": 18000000},
    "disk_requests": {"file": "/data/photos/0042.jpg", "bytes": 12582912, "dur": 38998000, "thread": "example.gallery"},
    "io_files": {"file": "/data/photos/0042.jpg", "count": 2, "dur": 40500000},
    "log_errors": {"level": "F", "tag": "Uploader", "lines": 1, "text": "server closed the connection"},
    "system_events": {"domain": "GRAPHIC", "name": "JANK_FRAME", "type": "fault", "events": 1},
    "native_leaks": {"function": "ImageDecoder::decode", "bytes": 78 * 65536, "objects": 78},
    "process_usage": {"process": "com.example.gallery", "first_bytes": 80 << 20, "last_bytes": 90 << 20, "most_cpu_percent": 40.0},
    "disk_traffic": {"direction": "read", "bytes": 13280 * 1024, "most_bytes_per_s": 12288 * 4 * 1024.0},
    "network_traffic": {"direction": "received", "bytes": 17400},
    "cpu_load": {"points": 8, "most_percent": 61.0, "processes": 3},
    "page_fault_sites": {"symbol": "PhotoCache::load", "count": 104},
    "recording": {"input": "recording-system.htrace.gz", "program": "example.gallery, media_service, render_service", "began": "2026-09-21 14:13:20 UTC", "length": 2 * NS, "complete": "yes"},
}


# --- texts -----------------------------------------------------------------------------------------


def short(value):
    text = "%.2f" % value
    text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def scaled(value, scales):
    for least, unit in scales:
        if abs(value) >= least:
            break
    return "%s %s" % (short(value / least), unit)


def duration(ns):
    return "0 s" if ns == 0 else scaled(ns, ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")))


def size(n):
    return scaled(n, ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")))


def moment(ns, begin, end):
    if ns >= WORLD:
        days = len({t // (86400 * NS) for t in (ns, begin, end)}) > 1
        return time.strftime("%Y-%m-%d %H:%M:%S" if days else "%H:%M:%S", time.gmtime(ns // NS)) + ".%03d" % (ns % NS // 10**6)
    if begin <= ns <= end and begin < end:
        return "+%d.%06d s" % ((ns - begin) // NS, (ns - begin) % NS // 1000)
    return "%d.%06d s" % (ns // NS, ns % NS // 1000) if ns >= 0 else str(ns)


UNITS = {"ns": duration, "us": lambda v: duration(v * 1e3), "ms": lambda v: duration(v * 1e6), "bytes": size, "KiB": lambda v: size(v * 1024), "%": lambda v: short(v) + " %",
         "bytes/s": lambda v: size(v) + "/s", "KiB/s": lambda v: size(v * 1024) + "/s"}


def shown(name, value, row, span):
    """A value of a report for people."""
    word = name.split("_")[-1]
    if value is None:
        return "-"
    if isinstance(value, str):
        return re.sub(r"(?<= )\d+", lambda m: duration(float(m.group())), value) if word == "reasons" else value
    if word == "ts":
        return moment(value, *span)
    if word in ("dur", "ns") or name in ("length", "paused", "unknown", "longest"):
        return duration(value)
    if word in ("us", "ms"):
        return UNITS[word](value)
    if word in ("share", "percent"):
        return short(value * (100 if word == "share" else 1)) + " %"
    if name in ("self", "total", "all", "least", "greatest", "mean", "first", "last"):
        return UNITS.get(row.get("unit"), short)(value)
    if {"bytes", "size"} & set(name.split("_")):
        return size(value)
    return short(value) if isinstance(value, float) else str(value)


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def printable(text):
    """As a terminal may show it, cut at 100 characters."""
    return None if any(unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp") for c in text) or len(text.encode()) > 100 else text


# --- a reader of tables ------------------------------------------------------------------------------


class Reader:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.db.row_factory = sqlite3.Row
        self.thread = {r["itid"]: r for r in self.rows("thread")}
        self.process = {r["ipid"]: r for r in self.rows("process")}
        self.words = {r["id"]: r["data"] for r in self.rows("data_dict")}

    def rows(self, table):
        return self.db.execute("SELECT rowid AS row, * FROM " + table).fetchall()

    def name(self, itid):
        return self.thread[itid]["name"] if itid in self.thread else None

    def process_of(self, itid):
        ipid = self.thread[itid]["ipid"] if itid in self.thread else None
        return self.process[ipid]["name"] if ipid in self.process else None

    def cpu_waits(self):
        waits = [r for r in self.rows("thread_state") if r["state"] in ("R", "R+", "R-B") and (r["dur"] or 0) > 0]
        waits.sort(key=lambda r: (-r["dur"], r["ts"], r["id"]))
        slices = self.rows("sched_slice")
        for w in waits[:5]:
            until = w["ts"] + w["dur"]
            cpu = next((s["cpu"] for s in slices if s["itid"] == w["itid"] and s["ts"] == until), None)
            ran = collections.Counter()
            for s in slices:
                if s["cpu"] == cpu and s["itid"] and s["dur"] is not None and s["ts"] < until and s["ts"] + s["dur"] > w["ts"]:
                    ran[s["itid"]] += min(s["ts"] + s["dur"], until) - max(s["ts"], w["ts"])
            most = min(ran, key=lambda i: (-ran[i], i)) if ran else None
            yield {"ts": w["ts"], "dur": w["dur"], "process": self.process_of(w["itid"]), "thread": self.name(w["itid"]), "tid": self.thread[w["itid"]]["tid"], "state": w["state"], "cpu": cpu,
                   "ran_instead": None if most is None else self.name(most) or "thread %d" % self.thread[most]["tid"], "ran_dur": ran[most] if ran else None}

    def longest_slices(self):
        if self.db.execute("SELECT type FROM sqlite_master WHERE name = 'callstack'").fetchone()[0] == "view":
            return
        calls = self.rows("callstack")
        below = collections.Counter()
        for c in calls:
            if c["cookie"] is None and c["parent_id"] is not None:
                below[c["parent_id"]] += c["dur"] or 0
        for c in sorted((c for c in calls if c["dur"] is not None), key=lambda c: (-c["dur"], c["id"]))[:5]:
            yield {"slice_id": c["id"], "ts": c["ts"], "dur": c["dur"], "self_dur": None if c["cookie"] is not None else max(0, c["dur"] - below[c["id"]]),
                   "process": self.process_of(c["callid"]), "thread": self.name(c["callid"]), "depth": c["depth"], "name": c["name"]}

    def slow_frames(self):
        frames = self.rows("frame_slice")
        calls = self.rows("callstack")
        states = collections.defaultdict(list)
        for s in self.rows("thread_state"):
            states[s["itid"]].append(s)
        late = []
        for f, e in zip(frames, frames[1:] + [None]):
            if f["type"] == 0 and f["flag"] in (1, 3):
                expected = e is not None and e["type"] == 1 and e["callstack_id"] == f["callstack_id"]
                late.append((f["ts"] + f["dur"] - e["ts"] - e["dur"] if expected else None, f))
        late.sort(key=lambda p: (p[0] is None, -(p[0] or 0), p[1]["id"]))
        for by, f in late[:5]:
            until = f["ts"] + f["dur"]
            spent = collections.Counter()
            for s in states[f["itid"]]:
                part = min(until, s["ts"] + s["dur"] if s["dur"] is not None else until) - max(f["ts"], s["ts"])
                kind = {"Running": "running", "S": "sleeping"}.get(s["state"]) or ("runnable" if s["state"][0] == "R" else "blocked" if s["state"][0] == "D" else None)
                spent[kind] += max(0, part)
            inner = [c for c in calls if c["cookie"] is None and c["callid"] == f["itid"] and c["dur"] is not None and c["ts"] >= f["ts"] and c["ts"] + c["dur"] <= until and 2 * c["dur"] >= f["dur"]]
            inner.sort(key=lambda c: (-c["depth"], -c["dur"], c["id"]))
            most = max(spent[k] for k in ("blocked", "runnable", "running", "sleeping"))
            cause = next((text for k, text in (("blocked", "blocked"), ("runnable", "waited for a CPU"), ("running", "ran"), ("sleeping", "slept")) if spent[k] == most), None)
            if f["flag"] == 3 and by is not None and by <= 0:
                most, cause = 1, "shows a late frame"
            yield {"frame_id": f["id"], "thread": self.name(f["itid"]), "ts": f["ts"], "ms": f["dur"] / 1e6, "late_ms": None if by is None else by / 1e6,
                   **{k + "_ms": spent[k] / 1e6 for k in ("running", "runnable", "sleeping", "blocked")}, "cause": cause if most else None, "within": inner[0]["name"] if inner else None}

    def app_starts(self):
        phases = collections.defaultdict(list)
        for r in self.rows("app_startup"):
            phases[r["packed_name"]].append(r)
        for name, rows in sorted(phases.items(), key=lambda p: p[0]):
            begin, until = min(r["start_time"] for r in rows), max(r["end_time"] for r in rows)
            longest = min(rows, key=lambda r: (r["start_time"] - r["end_time"], r["start_name"]))
            loads = [l for l in self.rows("static_initalize") if begin <= l["start_time"] <= until and l["ipid"] in {r["ipid"] for r in rows}]
            yield {"application": name, "ts": begin, "dur": until - begin, "phases": len(rows), "phase_dur": longest["end_time"] - longest["start_time"], "libraries": len(loads),
                   "libraries_dur": sum(l["end_time"] - l["start_time"] for l in loads if l["depth"] == 0) if loads else None}

    def app_start_phases(self):
        names = ("touch", "start of the ability", "load of the application", "attach of the application", "launch of the ability", "transaction of the ability",
                 "first frame", "first frame shown")
        rows = self.rows("app_startup")
        first = {name: min(r["start_time"] for r in rows if r["packed_name"] == name) for name in {r["packed_name"] for r in rows}}
        for r in sorted(rows, key=lambda r: (first[r["packed_name"]], r["packed_name"], r["start_time"], r["start_name"])):
            yield {"application": r["packed_name"], "phase": names[r["start_name"]], "ts": r["start_time"], "since": r["start_time"] - first[r["packed_name"]],
                   "dur": r["end_time"] - r["start_time"], "pid": self.process[r["ipid"]]["pid"], "process": self.process[r["ipid"]]["name"]}

    def process_usage(self):
        of = collections.defaultdict(list)
        for r in sorted(self.rows("live_process"), key=lambda r: (r["ts"], r["row"])):
            of[r["process_id"], r["process_name"]].append(r)
        rows = [{"process": name, "pid": pid, "cpu_percent": sum(r["cpu_usage"] for r in rs) / len(rs), "most_cpu_percent": max(r["cpu_usage"] for r in rs),
                 "first_bytes": rs[0]["pss_info"] * 1024, "last_bytes": rs[-1]["pss_info"] * 1024, "most_bytes": max(r["pss_info"] for r in rs) * 1024,
                 "read_bytes": rs[-1]["disk_reads"] - rs[0]["disk_reads"], "written_bytes": rs[-1]["disk_writes"] - rs[0]["disk_writes"],
                 "cpu_trend": bars([r["cpu_usage"] for r in rs], 0), "memory_trend": bars([r["pss_info"] for r in rs], min(r["pss_info"] for r in rs))} for (pid, name), rs in of.items()]
        return sorted(rows, key=lambda r: (-r["cpu_percent"], -r["most_bytes"], r["pid"]))

    def cpu_load(self):
        rows = sorted(self.rows("cpu_usage"), key=lambda r: r["ts"])
        if not rows:
            return []
        mean = lambda k: sum(r[k] * r["dur"] for r in rows) / sum(r["dur"] for r in rows)
        most = max(r["total_load"] for r in rows)
        return [{"points": len(rows), "total_percent": mean("total_load"), "user_percent": mean("user_load"), "system_percent": mean("system_load"), "most_percent": most,
                 "most_ts": next(r["ts"] for r in rows if r["total_load"] == most), "processes": rows[-1]["process_num"], "trend": bars([r["total_load"] for r in rows], 0, 100)}]

    def traffic(self, table, columns, factor):
        rows = sorted(self.rows(table), key=lambda r: r["ts"])
        for direction, column in columns if rows else ():
            speeds = [r[column] * factor for r in rows]
            first = rows[speeds.index(max(speeds))]
            yield {"direction": direction, "bytes": round(sum(s * r["dur"] for s, r in zip(speeds, rows)) / 1e9), "most_bytes_per_s": max(speeds), "most_ts": first["ts"], "most_dur": first["dur"],
                   "mean_bytes_per_s": sum(s * r["dur"] for s, r in zip(speeds, rows)) / sum(r["dur"] for r in rows), "trend": bars(speeds, 0)}

    def disk_traffic(self):
        return self.traffic("diskio", (("read", "rd_speed"), ("written", "wr_speed")), 1024)

    def network_traffic(self):
        return self.traffic("network", (("received", "rx_speed"), ("sent", "tx_speed")), 1)

    def log_errors(self):
        of = collections.defaultdict(list)
        for r in sorted(self.rows("log"), key=lambda r: (r["ts"], r["seq"])):
            if r["level"] in "EF":
                of[r["level"], r["tag"]].append(r)
        names = {r["pid"]: r["name"] for r in self.process.values()}
        for (level, tag), rs in sorted(of.items(), key=lambda p: (-ord(p[0][0]), -len(p[1]), p[0][1])):
            yield {"level": level, "tag": tag, "lines": len(rs), "pid": rs[0]["pid"], "process": names.get(rs[0]["pid"]), "first_ts": rs[0]["ts"], "last_ts": rs[-1]["ts"], "text": rs[0]["context"]}

    def system_events(self):
        of = collections.defaultdict(list)
        for r in self.rows("hisys_all_event"):
            if r["level"] == "CRITICAL" or r["type"] == 1:
                of[self.words[r["domain_id"]], self.words[r["event_name_id"]], r["level"]].append(r)
        for (domain, name, level), rs in sorted(of.items(), key=lambda p: (-len(p[1]), p[0])):
            yield {"domain": domain, "name": name, "level": level, "events": len(rs), "first_ts": min(r["ts"] for r in rs), "contents": rs[0]["contents"]}

    def disk_requests(self):
        for r in sorted(self.rows("bio_latency_sample"), key=lambda r: (-r["latency_dur"], r["start_ts"]))[:5]:
            yield {"ts": r["start_ts"], "dur": r["latency_dur"], "thread": self.name(r["itid"]), "process": self.process[r["ipid"]]["name"], "type": r["type"], "bytes": r["size"],
                   "file": self.words[int(r["path_id"])]}


def bars(values, least, most=None):
    """Up to 24 values, as one line of bars from `least` to the greatest."""
    assert len(values) <= 24
    span = (max(values) if most is None else most) - least
    return "".join("▁▂▃▄▅▆▇█"[int(7 * ((v - least) / span if span else 0) + 0.5)] for v in values)


QUESTIONS = ("cpu_waits", "longest_slices", "slow_frames", "app_starts", "process_usage", "cpu_load", "disk_traffic", "network_traffic", "log_errors", "system_events", "disk_requests")


class Test:
    def __init__(self, program):
        self.program, self.compared, self.bad = program, 0, 0

    def same(self, what, got, want):
        self.compared += 1
        if got != want:
            self.bad += 1
            print("%s: %r instead of %r" % (what, got, want))

    def run(self, *words):
        return starts.run([self.program, *words], check=True, stdout=subprocess.PIPE).stdout.decode()

    def close(self, a, b):
        return a == b or isinstance(a, float) and isinstance(b, (int, float)) and abs(a - b) <= 1e-9 * max(abs(a), abs(b))

    def numbers(self, name, path, report):
        """What the report says of a system, and the tables."""
        sections = {s["question"]: s["rows"] for s in report["sections"]}
        reader = Reader(path)
        for question in QUESTIONS:
            want = list(getattr(reader, question)())
            got = sections.get(question, [])
            self.same("%s, %s: rows" % (name, question), len(got), min(len(want), 5))
            for i, (g, w) in enumerate(zip(got, want)):
                for key in w:
                    self.compared += 1
                    if not self.close(g[key], w[key]):
                        self.bad += 1
                        print("%s, %s, row %d: %s is %r instead of %r" % (name, question, i, key, g[key], w[key]))
        want = list(reader.app_start_phases())
        if want:
            for application in (None, want[0]["application"], "none"):
                given = ["--param", "application=" + application] if application else []
                got = json.loads(self.run(path, "-q", "app_start_phases", "--output=json", *given))
                self.same("%s: phases of starts of %s" % (name, application), got, [r for r in want if application in (None, r["application"])])
        if name == SYSTEM[0]:
            self.same("phases of the gallery", [(r["phase"], r["since"], r["dur"]) for r in want][3:5],
                      [("launch of the ability", 87_000_000, 60_000_000), ("transaction of the ability", 147_000_000, 48_100_000)])
            for question, values in KNOWN.items():
                self.same("%s, %s" % (name, question), {k: sections[question][0][k] for k in values}, values)

    def holds(self, name, path, report):
        db = sqlite3.connect(path)
        self.same(name + ": tables twice", len({k["table"] for k in report["holds"]}), len(report["holds"]))
        for kind in report["holds"]:
            self.same("%s: rows of %s" % (name, kind["table"]), kind["rows"], db.execute("SELECT count(*) FROM " + kind["table"]).fetchone()[0])

    def asks(self, name, summary, report):
        """The summary of an import names the questions that the report asks, and they fit."""
        said = re.search(r"^  ask .*?(?=^  look )", summary, re.M | re.S).group()
        names = re.findall(r" -q (\w+)$", said, re.M) + re.findall(r"\w+", " ".join(re.findall(r"^ +# (?:or )?(.*)$", said, re.M)))
        every = [s["question"] for s in report["sections"] if s["question"] not in ("recording", "sources", "import_losses")]
        self.same(name + ": questions of the summary", names, every)

    def texts(self, name, path, report):
        """Every row that the JSON has is a line of the text, with the numbers as people write them."""
        span = sqlite3.connect(path).execute("SELECT start_ts, end_ts FROM trace_range").fetchone() or (0, 0)
        text = self.run(path, "--report")
        raw = self.run(path, "--report", "--raw")
        parts = {}
        for part in re.split(r"\n\n", text.rstrip("\n")):
            title, _, rest = part.partition("\n")
            if title.endswith(")") and " (-q " in title:
                parts[title] = rest.split("\n")
        self.same(name + ": first", list(parts)[0], "The recording (-q recording)")
        for section in report["sections"]:
            title, rows = "%s (-q %s)" % (section["title"], section["question"]), section["rows"]
            self.same("%s: %s is there" % (name, title), title in parts and title in raw, bool(rows))
            if not rows or title not in parts:
                continue
            columns = [c for c in rows[0] if any(r[c] is not None for r in rows)]
            if section["question"] == "recording":
                lines = [line for line in parts[title] if not line.startswith("  holds")]
                want = ["  %-11s%s" % (c, shown(c, r[c], r, span)) for r in rows for c in columns if r[c] is not None]
                if all(printable(line) for line in want):
                    self.same("%s: %s" % (name, title), lines[:len(want)], want)
                continue
            self.same("%s: %s, columns" % (name, title), parts[title][0].split(), columns)
            for row, line in zip(rows, parts[title][2:]):
                cells = [shown(c, row[c], row, span) for c in columns]
                if all(printable(c) for c in cells):
                    self.same("%s: %s" % (name, title), line.split(), " ".join(cells).split())
            self.same("%s: %s, lines" % (name, title), len(parts[title]), len(rows) + 2)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, source = map(os.path.abspath, sys.argv[1:])
    test = Test(program)
    data = os.path.join(source, "test/data")
    names = sorted(n for n in os.listdir(data) if os.path.isfile(os.path.join(data, n)) and not n.endswith((".md", ".summary")))
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            path = os.path.join(work, name + ".db")
            summary = starts.run([program, os.path.join(data, name), "-e", path], check=True, stderr=subprocess.PIPE, text=True).stderr
            report = json.loads(test.run(path, "--report=json"))
            test.asks(name, summary, report)
            test.holds(name, path, report)
            test.texts(name, path, report)
            if name in SYSTEM:
                test.numbers(name, path, report)
    print("%d compared, %d wrong" % (test.compared, test.bad))
    sys.exit(test.bad > 0 or test.compared < 1000)


if __name__ == "__main__":
    main()
