"""Sample directories of Flare whose cost should grow with their size and no faster, in time and in memory; see measure.py."""

import json
import os
import struct

import measure

START = 1567669466000
MB = 1 << 20


# --- the format -----------------------------------------------------------------------------------

def header(magic, key_type):
    body = b"\x02first_el_type\0%d\0unit_len\x004\0" % key_type
    body += bytes(192 - len(body))
    return magic + struct.pack(">H", len(body)) + body


class Pair:
    """A data file and its index."""

    def __init__(self, key_type):
        self.key = ">QI" if key_type == 5 else ">II"
        self.index = bytearray(header(b"TIHS", key_type) + b"TIDS")
        self.data = bytearray(header(b"TEHS", key_type) + b"TEDS")

    def put(self, key, payload, entry=True):
        if entry:
            self.index += struct.pack(self.key, key, len(self.data) & 0xFFFFFFFF)
        self.data += struct.pack(">H", len(payload) & 0xFFFF) + payload
        return self


def record(i, frames=(1, 2), name="main", cpu=0, delta=0, time=None, more=b""):
    """The i-th record of a thread, from 1 on."""
    return (b'{"id":1,"name":"%s","priority":0,"daemon":false,"state":"","cpu_time":%d,"cpu_time_delta":%d,"sample_time":%d,'
            b'"sample_count":%d,"stacktrace":[%s]%s}' % (name.encode(), cpu, delta, START + 20 * i if time is None else time, i,
                                                       b",".join(b"%d" % f for f in frames), more))


def series(values, unit=20):
    data = b"".join(struct.pack(">i", v) for v in values)
    end = START + 20 + unit * max(len(values) - 1, 0)
    return b"TSHS" + struct.pack(">HBBIqqI", 26, 3, 2, unit, START + 20, end, len(values)) + b"TSDS" + data


def summary(threads=(), address="h:1"):
    return json.dumps({"sample_info": {"sample_interval": 20, "sample_start_time": START, "record_start_time": START,
                                       "last_record_time": START, "agent_addr": address, "sample_data_dir": "x"},
                       "threads": list(threads)}).encode()


class Out:
    """Writes files of a directory, and counts their bytes."""

    def __init__(self, path):
        self.path = path
        self.bytes = 0

    def file(self, name, data):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        self.bytes += len(data)

    def pair(self, name, pair):
        self.file(name + ".fidx", bytes(pair.index))
        self.file(name + ".fdata", bytes(pair.data))

    def stacks(self, pair, values=(), thread=1, folder=""):
        self.pair("%sthread_%d_stack" % (folder, thread), pair)
        self.file("%sthread_%d_cpu_time.fts" % (folder, thread), series(list(values)))

    def methods(self, names, folder=""):
        pair = Pair(5)
        for key, name in names:
            pair.put(key, name)
        self.pair(folder + "method_info", pair)


def records(n, make):
    pair = Pair(4)
    for i in range(1, n + 1):
        pair.put(i - 1, make(i))
    return pair


# --- shapes: a function for each, of the size in records ------------------------------------------

def s_records(o, n):
    o.stacks(records(n, record))


def s_records_without_index(o, n):
    o.file("thread_1_stack.fdata", bytes(records(n, record).data))


def s_records_bad(o, n):
    o.stacks(records(n, lambda i: record(i) if i % 2 else b"x" * 30))


def s_records_repeated(o, n):
    o.stacks(records(n, lambda i: record(1)))


def s_records_of_gaps(o, n):
    o.stacks(records(n, lambda i: record(2 * i)))


def s_records_empty(o, n):
    o.stacks(records(n, lambda i: b""))


def s_records_long(o, n):  # longer than their length can say
    o.stacks(records(n // 2000, lambda i: record(i, more=b',"x":"%s"' % (b"y" * 70000))))


def s_zeros(o, n):
    pair = records(2, record)
    pair.data += bytes(20 * n)
    o.stacks(pair)


def s_times_back(o, n):
    o.stacks(records(n, lambda i: record(i, time=START - i)))


def s_cpu_never_read(o, n):  # all records wait for one reading
    o.stacks(records(n, lambda i: record(i, cpu=5 if i < n else 10**9)))


def s_cpu_every_time(o, n):
    o.stacks(records(n, lambda i: record(i, cpu=1000 * i, delta=1000)), [1] * n)


def s_deep(o, n):
    o.stacks(records(n // 2000, lambda i: record(i, frames=range(1 + i, 2001 + i))))


def s_paths(o, n):  # each of its own
    o.stacks(records(n, lambda i: record(i, frames=(i, n + i, 2 * n + i))))


def s_frames(o, n):  # of one record, in as many bytes as a length can say
    o.stacks(records(n // 500, lambda i: record(i, frames=[i] * 15000)))


def s_names_of_threads(o, n):
    o.stacks(records(n, lambda i: record(i, name="thread %d" % i)))


def s_resp(o, n):
    o.stacks(records(n, lambda i: b"*2\r\n:%d\r\n:1\r\n" % i))


def s_methods(o, n):
    o.stacks(records(2, record))
    o.methods((i, b"a.B.c%d()" % i) for i in range(n))


def s_methods_long(o, n):
    o.stacks(records(2, record))
    o.methods((i, b"a.B.%05d" % i + b"c" * 60000) for i in range(n // 1000))


def s_methods_renamed(o, n):
    o.stacks(records(2, record))
    o.methods((1, b"a.B.c%d()" % i) for i in range(n))


def s_methods_collide(o, n):  # far apart, with equal low bits
    o.stacks(records(n, lambda i: record(i, frames=(i << 40,))))
    o.methods((i << 40, b"a.B.c()") for i in range(n))


def s_methods_moved(o, n):
    o.stacks(records(2, record))
    pair = Pair(5)
    for i in range(n):
        pair.put(i, b"a.B.c%07d()" % i)
    del pair.data[300:318]
    o.pair("method_info", pair)


def s_index_backwards(o, n):
    pair = records(n, record)
    entries = bytes(pair.index[202:])
    pair.index[202:] = b"".join(entries[i:i + 8] for i in range(len(entries) - 8, -1, -8))
    o.stacks(pair)


def s_index_outside(o, n):
    pair = records(2, record)
    pair.index += b"\0\0\0\1\xff\xff\xff\xff" * n
    o.stacks(pair)


def s_index_of_one_place(o, n):
    pair = records(2, record)
    pair.index += pair.index[202:210] * n
    o.stacks(pair)


def s_series(o, n):
    o.stacks(records(2, record), range(8 * n))


def s_series_idle(o, n):
    o.stacks(records(2, record), [0] * (50 * n))


def s_series_moved(o, n):  # no slot is that of its record
    o.stacks(records(n, lambda i: record(i, cpu=1000 * i, delta=1000)), [2] * n)


def s_series_files(o, n):
    o.stacks(records(2, record))
    for i in range(n // 20):
        o.file("thread_1_cpu_time.%d.fts" % (i + 1), series([1, 2, 3]))


def s_threads(o, n):
    for t in range(n // 20):
        o.stacks(records(1, record), thread=t + 1)


def s_threads_of_the_summary(o, n):
    o.stacks(records(2, record))
    o.file("summary_info.json", summary({"id": t + 2, "name": "t%d" % t, "sample_time": 5, "sample_count": 0} for t in range(n)))


def s_summary_of_unknown_keys(o, n):
    o.stacks(records(2, record))
    o.file("summary_info.json", summary()[:-1] + b"".join(b',"k%d":[1]' % i for i in range(n)) + b"}")


def s_summary_trailing(o, n):
    o.stacks(records(2, record))
    o.file("summary_info.json", summary() + b"}" * (20 * n))


def s_other_files(o, n):
    o.stacks(records(2, record))
    for i in range(n // 10):
        o.file("other_%d.bin" % i, b"x")


def s_directories(o, n):  # of one run of a JVM: names may be in any of them
    for d in range(n // 100):
        o.stacks(records(3, lambda i: record(i, frames=(d * 3 + i,))), folder="d%d/" % d)
        o.methods([(d * 3 + 4, b"a.B.c%d()" % d)], folder="d%d/" % d)
        o.file("d%d/summary_info.json" % d, summary())


def s_directories_of_runs(o, n):  # each of another
    for d in range(n // 100):
        o.stacks(records(3, record), folder="d%d/" % d)
        o.methods([(1, b"a.B.c%d()" % d)], folder="d%d/" % d)
        o.file("d%d/summary_info.json" % d, summary(address="h:%d" % d))


if __name__ == "__main__":
    # docs/formats.md: a part that every import has, and so many bytes for each of the files.
    measure.main({name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}, Out, "records", 24 * MB, 24)
