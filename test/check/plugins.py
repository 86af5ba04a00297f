#!/usr/bin/env python3
"""Compares what plugins of an .htrace other than ArkTS left in a database with what Python reads from the recording.

usage: plugins.py DATABASE RECORDING

Undamaged recordings only. Each plugin has a function that yields, from its messages as (ts, data) in the order of the file, the
rows of its table. Exit code 0: all equal; 1: differences; 2: the input is not one that can be judged.
"""

import struct
import sys

sys.dont_write_bytecode = True
import htrace
from check import Checker


def signed64(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def intervals(samples):
    """(ts, dur, record before, record) for all samples but the first, by time."""
    ordered = sorted(samples, key=lambda s: s[0])  # stable
    return [(b[0], b[0] - a[0], a[1], b[1]) for a, b in zip(ordered, ordered[1:])]


def cpu(messages):
    samples = []
    for ts, data in messages:
        got = {}
        for number, value in htrace.fields(data):
            got[number] = value
        if 1 in got:
            load = lambda n: struct.unpack("<d", got[n])[0] if n in got else 0.0
            samples.append((ts, (load(6), load(4), load(5), signed64(got.get(3, 0)))))
    return [(ts, dur) + record for ts, dur, _, record in intervals(samples)], len(samples)


# name of the segments, table, columns, event in stat, function
PLUGINS = (
    ("cpu-plugin", "cpu_usage", "ts, dur, total_load, user_load, system_load, process_num", "trace_cpu_usage", cpu),
)


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
    shift = clocks["boot"] - clocks["real"] if clocks and clocks["real"] else 0
    for name, table, columns, event, rows in PLUGINS:
        expected, received = rows([(ts + shift, data) for ts, data in messages.get(name, [])])
        c.compare(table, "SELECT %s FROM %s ORDER BY rowid" % (columns, table), expected)
        c.same(event, c.rows("SELECT count FROM stat WHERE event_name = ? AND stat_type = 'received'", event).fetchone()[0], received)
    c.same("losses", c.rows("SELECT count(*) FROM import_issue WHERE severity IN ('data_loss', 'error')").fetchone()[0], 0)
    print("%d cells compared, %d differences" % (c.cells, c.bad))
    return 1 if c.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
