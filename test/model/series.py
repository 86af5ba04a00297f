#!/usr/bin/env python3
"""The question series, against what the tables of values say and known numbers.

usage: series.py TRACE_STREAMER SOURCE_DIR
"""

import json
import os
import sqlite3
import sys
import tempfile
from collections import defaultdict

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

RECORDINGS = ("counters.trace.json", "kernel.htrace.gz", "node_trace.1.log.gz", "recording-cloud.tar.gz", "work.jfr.gz")
FILTERED = ("measure", "sys_mem_measure", "process_measure", "xpower_measure")
WIDE = {"cpu_usage": ("total_load", "user_load", "system_load", "process_num"),
        "diskio": ("rd", "wr", "rd_speed", "wr_speed", "rd_count", "wr_count", "rd_count_speed", "wr_count_speed"),
        "network": ("tx", "rx", "tx_speed", "rx_speed", "packet_in", "packet_in_sec", "packet_out", "packet_out_sec"),
        "live_process": ("cpu_time", "cpu_usage", "pss_info", "thread_num", "disk_writes", "disk_reads")}
UNITS = {"total_load": "%", "user_load": "%", "system_load": "%", "cpu_usage": "%", "rd": "KiB", "wr": "KiB", "rd_count": "KiB", "wr_count": "KiB", "pss_info": "KiB", "rd_speed": "KiB/s", "wr_speed": "KiB/s",
         "rd_count_speed": "1/s", "wr_count_speed": "1/s", "packet_in_sec": "1/s", "packet_out_sec": "1/s", "tx": "bytes", "rx": "bytes", "tx_speed": "bytes/s", "rx_speed": "bytes/s",
         "disk_writes": "bytes", "disk_reads": "bytes", "cpu_time": "ms"}
KNOWN = {  # (recording, name, owner) -> points, least, greatest, mean
    ("counters.trace.json", "memory.used", None): (2, 1024, 2048, 1536),
    ("counters.trace.json", "memory.free", None): (2, 0.25, 0.5, 0.375),
    ("kernel.htrace.gz", "cpu_frequency", "CPU 0"): (21, 300000, 2200000, None),
    ("odd", "cpu_time", "shop"): (2, 3, 9, 6),
    ("odd", "cpu_time", "process 6"): (1, 4, 4, 4),
    ("odd", "rd_speed", None): (2, 0.5, 2.5, 1.5),
    ("odd", "MemFree", None): (3, 5, 9, 7),
}
# Values of all tables, some of them out of order, at one time, or not there.
ODD = """
INSERT INTO measure_filter(id, type, name, source_arg_set_id) VALUES (0, 'sys_mem_filter', 'MemFree', -1), (1, 'process_measure_filter', 'mem', 77), (2, 'cpu_measure_filter', NULL, 3);
INSERT INTO sys_mem_measure(ts, value, filter_id) VALUES (30, 9, 0), (10, 5, 0), (30, 7, 0), (40, NULL, 0);
INSERT INTO process_measure(ts, value, filter_id) VALUES (1, 2, 1), (2, 3, 8);
INSERT INTO measure(ts, value, filter_id) VALUES (NULL, 2, 2), (7, -3, 2);
INSERT INTO cpu_usage(ts, total_load, user_load, system_load, process_num) VALUES (1, 0.5, NULL, 2, 10), (2, 1.5, NULL, 1e300, 11);
INSERT INTO diskio(ts, rd, rd_speed) VALUES (1, 7, 0.5), (2, 8, 2.5), (3, NULL, NULL);
INSERT INTO network(ts, tx, packet_out_sec) VALUES (5, 1, 0.1), (6, 2, 0.2), (7, 3, 0.3);
INSERT INTO live_process(ts, process_id, process_name, cpu_time, disk_reads) VALUES (1, 5, 'shop', 3, 1), (2, 5, 'shop', 9, NULL), (2, 6, NULL, 4, 4);
"""


def points(db):
    """{(table, id, process id, name, unit, owner, source): [(ts, row, value)]}"""
    found = defaultdict(list)
    roots = [i for i, in db.execute("SELECT id FROM source WHERE parent_id IS NULL")]
    root = roots[0] if len(roots) == 1 else None
    threads = {i: name if name is not None else None if tid is None else "thread %d" % tid for i, tid, name in db.execute("SELECT itid, tid, name FROM thread")}
    processes = {i: name if name is not None else None if pid is None else "process %d" % pid for i, pid, name in db.execute("SELECT ipid, pid, name FROM process")}
    named = {i: (name, unit, threads.get(itid), source) for i, source, itid, name, unit in db.execute("SELECT id, source_id, itid, name, unit FROM timeseries")}
    filters = {}
    for i, kind, name, of in db.execute("SELECT id, type, name, source_arg_set_id FROM measure_filter"):
        filters[i] = (name, None, "CPU %d" % of if kind == "cpu_measure_filter" else processes.get(of) if kind == "process_measure_filter" else None, root)
    for series, ts, row, value in db.execute("SELECT series_id, ts, rowid, value FROM timeseries_value"):
        found["timeseries", series, 0, *named.get(series, (None,) * 4)].append((ts, row, value))
    for table in FILTERED:
        for series, ts, row, value in db.execute("SELECT filter_id, ts, rowid, value FROM " + table):
            found[table, series, 0, *filters.get(series, (None, None, None, root))].append((ts, row, value))
    for table, columns in WIDE.items():
        live = table == "live_process"
        for ts, row, pid, name, *values in db.execute("SELECT ts, rowid, %s, %s FROM %s" % ("process_id, process_name" if live else "0, NULL", ", ".join(columns), table)):
            for i, (column, value) in enumerate(zip(columns, values), 3 if live else 1):
                found[table, i, pid, column, UNITS.get(column), (name or "process %d" % pid) if live else None, root].append((ts, row, value))
    return found


def summed(found, low, high):
    rows = {}
    for key, all_ in found.items():
        values = sorted((p for p in all_ if p[0] is not None and p[2] is not None and low <= p[0] < high), key=lambda p: p[:2])
        if values:
            only = [v for _, _, v in values]
            rows[key] = (len(only), min(only), max(only), sum(only) / len(only), only[0], only[-1])
    return rows


def ask(program, path, *params):
    command = [program, path, "-q", "series", "--output=json", "--quiet", "--param", "limit=100000"]
    for one in params:
        command += ["--param", one]
    run = starts.run(command, capture_output=True, text=True)
    if run.returncode == 2 and "cannot answer" in run.stderr:
        return []
    if run.returncode != 0:
        sys.exit("%s: %s" % (" ".join(command), run.stderr))
    return json.loads(run.stdout)


def same(got, want):
    return len(got) == len(want) and all(abs(a - b) <= 1e-12 * max(abs(a), abs(b)) for a, b in zip(got, want))


def main():
    program, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    compared = bad = 0
    with tempfile.TemporaryDirectory() as work:
        for name in (*RECORDINGS, "odd"):
            path = os.path.join(work, name + ".db")
            starts.run([program, os.path.join(source, "test", "data", "go-cpu.pprof" if name == "odd" else name), "-e", path, "--quiet"], check=True)
            db = sqlite3.connect(path)
            if name == "odd":
                db.executescript(ODD)
            found = points(db)
            times = sorted({p[0] for all_ in found.values() for p in all_ if p[0] is not None})
            spans = [(-2 ** 63, 2 ** 63 - 1, ())]
            if times:
                low, high = times[len(times) // 3], times[2 * len(times) // 3] + 1
                spans.append((low, high, ("from=%d" % low, "to=%d" % high)))
            for low, high, params in spans:
                want = summed(found, low, high)
                rows = ask(program, path, *params)
                got = [(tuple(r[k] for k in ("series", "id", "name", "unit", "owner", "source_id")), tuple(r[k] for k in ("points", "least", "greatest", "mean", "first", "last"))) for r in rows]
                expected = [((t, i, n, u, o, s), v) for (t, i, _, n, u, o, s), v in want.items()]
                compared += len(expected)
                left = dict(got)
                for key, values in expected:
                    if key not in left or not same(left.pop(key), values):
                        bad += 1
                        print("%s %s: %s is not %s" % (name, params, key, values))
                if left or len(got) != len(expected):
                    bad += 1
                    print("%s %s: too many: %s" % (name, params, left))
            for (recording, series, owner), values in KNOWN.items():
                for row in ask(program, path) if recording == name else ():
                    if (row["name"], row["owner"]) == (series, owner):
                        compared += 1
                        shown = (row["points"], row["least"], row["greatest"], None if values[3] is None else row["mean"])
                        bad += shown != values
                        if shown != values:
                            print("%s %s: %s instead of %s" % (name, series, shown, values))
                        break
                else:
                    if recording == name:
                        bad += 1
                        print("%s: no series %s of %s" % (name, series, owner))
            if found:
                some = next(iter(found))[-1]
                rows = ask(program, path, "source=%d" % some)
                if {r["source_id"] for r in rows} != {some}:
                    bad += 1
                    print("%s: source %s gave %s" % (name, some, {r["source_id"] for r in rows}))
    print("%d series compared, %d wrong" % (compared, bad))
    return 1 if bad or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
