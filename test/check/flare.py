"""A reader of sample directories of Flare that shares nothing with trace_streamer.

For undamaged directories only; written from docs/formats.md. Everything is held in memory.
"""

import json
import os
import re
import struct

VALUES = {1: "h", 2: "H", 3: "i", 4: "I", 5: "q"}
FILE = re.compile(r"thread_(\d+)_(cpu_time|stack)\.(?:(\d+)\.)?(fts|fidx|fdata)$")


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Series:
    """One file of values: begin, unit in ms, values in µs."""

    def __init__(self, data, interval):
        assert data[:4] == b"TSHS", data[:4]
        (size,) = struct.unpack_from(">H", data, 4)
        kind = data[6]
        if size >= 26:
            self.unit, self.begin, self.end = struct.unpack_from(">iqq", data, 8)
            at = 10 + size
        else:
            assert size == 22
            self.unit = interval or 20
            self.begin, self.end = struct.unpack_from(">qq", data, 8)
            at = 32 if data[28:32] == b"TSDS" else 28
        width = struct.calcsize(VALUES[kind])
        n = (len(data) - at) // width
        self.values = struct.unpack_from(">%d%s" % (n, VALUES[kind]), data, at)


def entries(data, key):
    """(key, offset) of each entry of an index."""
    assert data[:4] == b"TIHS"
    (size,) = struct.unpack_from(">H", data, 4)
    at = 6 + size
    assert data[at:at + 4] == b"TIDS"
    step = struct.calcsize(key)
    return [struct.unpack_from(key, data, i) for i in range(at + 4, len(data) - step + 1, step)]


def records(data):
    """(offset, payload) of each record of a data file."""
    assert data[:4] == b"TEHS"
    (size,) = struct.unpack_from(">H", data, 4)
    at = 6 + size
    assert data[at:at + 4] == b"TEDS"
    at += 4
    while at < len(data):
        (n,) = struct.unpack_from(">H", data, at)
        yield at, data[at + 2:at + 2 + n]
        at += 2 + n


class Thread:
    def __init__(self, tid):
        self.tid = tid
        self.series = []
        self.records = []  # dicts: time, step, stack (leaf first), cpu, delta, count
        self.last = None  # the last state that was recorded
        self.in_summary = False


class Directory:
    def __init__(self, path):
        self.path = path
        self.names = sorted(os.listdir(path))
        self.summary = {}
        self.threads = {}
        self.info = {}
        if "summary_info.json" in self.names:
            self.summary = json.loads(read(os.path.join(path, "summary_info.json")))
            self.info = self.summary["sample_info"]
        self.interval = self.info.get("sample_interval")
        self.methods = {i: text.decode() for i, text in self.method_names()}
        self.read_series()
        for tid in sorted(self.threads):
            self.read_stacks(self.threads[tid])
        for state in self.summary.get("threads", []):
            t = self.thread(state["id"])
            t.in_summary = True
            t.last = state
        self.start = self.info.get("record_start_time")
        self.end = self.info.get("last_record_time")

    def thread(self, tid):
        return self.threads.setdefault(tid, Thread(tid))

    def method_names(self):
        index = entries(read(os.path.join(self.path, "method_info.fidx")), ">QI")
        data = dict(records(read(os.path.join(self.path, "method_info.fdata"))))
        return [(i, data[offset]) for i, offset in index]

    def read_series(self):
        found = {}
        for name in self.names:
            m = FILE.match(name)
            if m:
                t = self.thread(int(m.group(1)))
                if m.group(4) == "fts":
                    found[t.tid, int(m.group(3) or 0)] = Series(read(os.path.join(self.path, name)), self.interval)
        for (tid, _), series in sorted(found.items()):
            self.threads[tid].series.append(series)

    def read_stacks(self, t):
        base = os.path.join(self.path, "thread_%d_stack" % t.tid)
        if not os.path.exists(base + ".fdata"):
            return
        steps = {}
        if os.path.exists(base + ".fidx"):
            steps = {offset: step for step, offset in entries(read(base + ".fidx"), ">II")}
        for offset, payload in records(read(base + ".fdata")):
            step = steps.get(offset)
            if payload[:1] == b"*":
                stack = [int(line[1:]) for line in payload.split(b"\r\n")[1:] if line]
                time = t.series[0].begin + step * t.series[0].unit
                t.records.append({"time": time, "step": step, "stack": stack, "cpu": None, "delta": None, "count": None, "state": None})
                continue
            state = t.last = json.loads(payload)
            time = state["sample_time"]
            if step is None:
                step = (time - t.series[0].begin) // t.series[0].unit
            t.records.append({"time": time, "step": step, "stack": state["stacktrace"], "cpu": state["cpu_time"],
                              "delta": state["cpu_time_delta"], "count": state.get("sample_count"), "state": state.get("state") or None})


def shares(readings):
    """Of each record the CPU time that it used: each increase is spread evenly over the records from the last change
    on up to the one before the reading, what remains goes to the last of them."""
    out = [0] * len(readings)
    begin = 0
    for i in range(1, len(readings)):
        increase = readings[i] - readings[i - 1]
        if increase:
            for k in range(begin, i):
                out[k] = increase // (i - begin)
            out[i - 1] += increase % (i - begin)
            begin = i
    return out
