#!/usr/bin/env python3
"""Compares what plugins of an .htrace other than ArkTS left in a database with what Python reads from the recording.

usage: plugins.py DATABASE RECORDING

Undamaged recordings only. Each plugin has a function that makes, from its messages as (ts, data) in the order of the file, the rows of
its tables and its counters in stat. Exit code 0: all equal; 1: differences; 2: the input is not one that can be judged.
"""

import struct
import sys

sys.dont_write_bytecode = True
import htrace
from check import Checker


def signed64(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def decode(data):
    """Values by field number, of repeated fields all."""
    got = {}
    for number, value in htrace.fields(data):
        got.setdefault(number, []).append(value)
    return got


def last(got, number, default=0):
    return got[number][-1] if number in got else default


def text(got, number):
    return last(got, number, b"").decode("utf-8", "replace")


def low32(got, number):
    return last(got, number) & 0xFFFFFFFF


def intervals(samples):
    """(ts, dur, record before, record) for all samples but the first, by time."""
    ordered = sorted(samples, key=lambda s: s[0])  # stable
    return [(b[0], b[0] - a[0], a[1], b[1]) for a, b in zip(ordered, ordered[1:])]


def real(got, number):
    return struct.unpack("<d", got[number][-1])[0] if number in got else 0.0


def cpu(messages, _):
    samples = []
    for ts, data in messages:
        got = decode(data)
        if 1 in got:
            samples.append((ts, (real(got, 6), real(got, 4), real(got, 5), signed64(last(got, 3)))))
    rows = [(ts, dur) + record for ts, dur, _, record in intervals(samples)]
    return {"cpu_usage: ts, dur, total_load, user_load, system_load, process_num": rows}, {"trace_cpu_usage received": len(samples)}


def rate(growth, dur):
    return None if dur == 0 else growth / (dur / 1e9)


def network(messages, _):
    samples = []
    for ts, data in messages:
        got = decode(data)
        if 2 in got:
            part = decode(got[2][-1])
            samples.append((ts, [last(part, n) for n in (3, 4, 5, 6)]))
    rows = []
    for ts, dur, before, at in intervals(samples):
        rx, packets_in, tx, packets_out = (rate(a - b, dur) for a, b in zip(at, before))
        rows.append((ts, dur, at[2], at[0], tx, rx, at[1], packets_in, at[3], packets_out, "undefined"))
    columns = "ts, dur, tx, rx, tx_speed, rx_speed, packet_in, packet_in_sec, packet_out, packet_out_sec, net_type"
    return {"network: " + columns: rows}, {"trace_network received": len(samples)}


def diskio(messages, _):
    samples = []
    for ts, data in messages:
        got = decode(data)
        number = lambda n, got=got: signed64(last(got, n))
        devices = [decode(d) for d in decode(last(got, 7, b"")).get(2, [])]
        reads = writes = 0.0
        for device in devices:
            reads += real(device, 3)
            writes += real(device, 4)
        samples.append((ts, (number(4), number(5), number(4) - number(1), number(5) - number(2), sum(last(d, 6) for d in devices),
                             sum(last(d, 7) for d in devices), reads, writes)))
    rows = [(ts, dur, at[0], at[1], rate(at[2], dur), rate(at[3], dur)) + at[4:] for ts, dur, _, at in intervals(samples)]
    columns = "ts, dur, rd, wr, rd_speed, wr_speed, rd_count, wr_count, rd_count_speed, wr_count_speed"
    return {"diskio: " + columns: rows}, {"trace_diskio received": len(samples)}


def process(messages, _):
    rows = []
    received = 0
    before = None
    for ts, data in sorted(messages, key=lambda m: m[0]):
        entries = [decode(e) for e in decode(data).get(1, [])]
        received += len(entries)
        dur = 0 if before is None else ts - before
        before = ts
        for e in entries:
            cpu, pss, disk = (decode(last(e, n, b"")) for n in (5, 6, 7))
            number = lambda n, e=e: htrace.signed32(last(e, n))
            if number(1) != 0:
                rows.append((ts, dur, last(cpu, 3), number(1), text(e, 2), number(3), number(4), str(number(4)), real(cpu, 1),
                             htrace.signed32(last(pss, 1)), htrace.signed32(last(cpu, 2)), last(disk, 6), last(disk, 5)))
    columns = "ts, dur, cpu_time, process_id, process_name, parent_process_id, uid, user_name, cpu_usage, pss_info, thread_num, " \
              "disk_writes, disk_reads"
    return {"live_process: " + columns: rows}, {"trace_process received": received}


def hidump(messages, clocks):
    rows = []
    for _, data in messages:
        for event in decode(data).get(1, []):
            event = decode(event)
            time = decode(last(event, 2, b""))
            ts = low32(time, 1) * 10**9 + low32(time, 2)
            clock = {1: "boot", 2: "real", 4: "mono"}.get(last(event, 1))
            rows.append((len(rows), ts + clocks["boot"] - clocks[clock] if clock else ts, low32(event, 3)))
    return {"hidump: id, ts, fps": rows}, {"hidump_fps received": len(rows)}


def stream(messages, _):
    return {}, {}


def hilog(messages, clocks):
    rows = []
    stat = dict.fromkeys(("hilog received", "hilog not_match", "hilog data_lost", "hilog invalid_data"), 0)
    before = 0
    for _, data in messages:
        for line in decode(data).get(1, []):
            line = decode(line)
            detail = decode(last(line, 1, b""))
            number = last(line, 3)
            stat["hilog received"] += 1
            stat["hilog not_match"] += number < before + 1
            stat["hilog data_lost"] += number > before + 1
            before = number
            level = chr(low32(detail, 5))
            stat["hilog invalid_data"] += level not in "DEIVWF"
            time = last(detail, 1) * 10**9 + last(detail, 2)
            rows.append((number, time + shift_of(clocks), low32(detail, 3), low32(detail, 4), level, text(detail, 6), text(line, 2), time))
    return {"log: seq, ts, pid, tid, level, tag, context, origints": rows}, stat


# name of the segments, function
PLUGINS = (
    ("cpu-plugin", cpu),
    ("hilog-plugin", hilog),
    ("process-plugin", process),
    ("diskio-plugin", diskio),
    ("network-plugin", network),
    ("hidump-plugin", hidump),
    ("stream-plugin", stream),
)


def shift_of(header):
    return header["boot"] - header["real"] if header and header["real"] else 0


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    c = Checker(argv[1])
    messages = {}
    clocks = None
    try:
        for header, payload in htrace.sections(htrace.read_bytes(argv[2])):
            if clocks is None and header["boot"]:
                clocks = header
            for segment in htrace.segments(payload):
                d = htrace.plugin_data(segment)
                messages.setdefault(d["name"], []).append((d["ts"], d["data"]))
    except htrace.FormatError as e:
        print("cannot judge the input: %s" % e, file=sys.stderr)
        return 2
    shift = shift_of(clocks)
    for name, model in PLUGINS:
        tables, stat = model([(ts + shift, data) for ts, data in messages.get(name, [])], clocks)
        for what, rows in tables.items():
            table, columns = what.split(": ", 1)
            c.compare(table, "SELECT %s FROM %s ORDER BY rowid" % (columns, table), rows)
        for what, count in stat.items():
            c.same(what, c.rows("SELECT count FROM stat WHERE event_name = ? AND stat_type = ?", *what.split()).fetchone()[0], count)
    c.same("losses", c.rows("SELECT count(*) FROM import_issue WHERE severity IN ('data_loss', 'error')").fetchone()[0], 0)
    print("%d cells compared, %d differences" % (c.cells, c.bad))
    return 1 if c.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
