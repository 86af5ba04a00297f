#!/usr/bin/env python3
"""Tests the checker itself: a right database passes, and one wrong cell anywhere does not.

usage: selftest.py MKHTRACE DATA

The database is filled here from the checker's own rows, so this says nothing about the values; it
says that the checker looks at every cell of every table.
"""

import contextlib
import io
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import check
import htrace
from expected import Heap, Profile

TABLES = {
    "js_config": "pid, type, interval, capture_numeric_value, trace_allocation, "
                 "enable_cpu_profiler, cpu_profiler_interval",
    "js_heap_files": "id, file_name, start_time, end_time, self_size",
    "js_heap_info": "file_id, key, type, int_value, str_value",
    "js_heap_nodes": "file_id, node_index, type, name, id, self_size, edge_count, trace_node_id, "
                     "detachedness, native_size",
    "js_heap_edges": "file_id, edge_index, type, name_or_index, to_node, from_node_id, to_node_id",
    "js_heap_sample": "file_id, timestamp_us, last_assigned_id",
    "js_heap_location": 'file_id, object_index, script_id, line, "column"',
    "js_heap_string": "file_id, file_index, string",
    "js_heap_trace_function_info": 'file_id, function_index, function_id, name, script_name, '
                                   'script_id, line, "column"',
    "js_heap_trace_node": "file_id, id, function_info_index, count, size, parent_id",
    "js_heap_file_detail": "file_id, node_stride, node_count, edge_count, string_count, complete, "
                           "first_info_rowid, first_node_rowid, first_edge_rowid, "
                           "first_string_rowid, first_sample_rowid, first_location_rowid, "
                           "first_trace_function_rowid, first_trace_node_rowid",
    "js_cpu_profile": "id, source_id, id_offset, tid, start_time, end_time, node_count, "
                      "sample_count, started_ts, reported_ts, " + ", ".join(check.FIGURE_COLUMNS),
    "js_cpu_profiler_node": "function_id, function_index, script_id, url_index, line_number, "
                            "column_number, hit_count, children, parent_id",
    "js_cpu_profiler_sample": "id, function_id, start_time, end_time, dur",
    "data_dict": "id, data",
    "stack_method": "id, source_id, name, file",
    "stack_node": "id, source_id, parent_id, method_id",
    "stack_sample": "id, source_id, ts, dur, node_id",
}

# Cells that a right database may hold in several ways, so the checker cannot look at them.
FREE = {
    "js_cpu_profile": {"id", "source_id", "id_offset"},
    "stack_method": {"source_id"},
    "stack_node": {"source_id"},
    "stack_sample": {"id"},
    "js_heap_files": {"id"},
}


class Maker:
    """Fills a database with what the checker expects."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        for table, columns in TABLES.items():
            self.db.execute("CREATE TABLE %s (%s)" % (table, columns))
        self.texts = {"": 0}
        self.insert("data_dict", (0, ""))

    def insert(self, table, row):
        marks = ", ".join("?" * len(row))
        self.db.execute("INSERT INTO %s VALUES (%s)" % (table, marks), row)

    def text(self, s):
        if s not in self.texts:
            self.texts[s] = len(self.texts)
            self.insert("data_dict", (self.texts[s], s))
        return self.texts[s]

    def heap(self, file_id, heap):
        tables = [(t, rows) for t, _, rows in check.HEAP_TABLES]
        tables.append(("js_heap_edges", Heap.edge_rows))
        for table, rows in tables:
            for row in rows(heap):
                self.insert(table, (file_id,) + row)

    def detail(self, file_id, heap):
        first = [self.db.execute("SELECT min(rowid) FROM js_heap_info WHERE file_id = ? AND "
                                 "key = 'node_types' AND type = 0", (file_id,)).fetchone()[0]]
        first += [
            self.db.execute("SELECT min(rowid) FROM %s WHERE file_id = ?" % table,
                            (file_id,)).fetchone()[0]
            for table, _ in check.DETAIL
        ]
        self.insert("js_heap_file_detail",
                    (file_id, heap.stride, heap.node_count, heap.edge_count,
                     len(heap.json["strings"]), 1, *first))

    def profile(self, number, profile, offset, merged, more, marks, to_ns):
        for r in profile.node_rows(offset, merged, more):
            self.insert("js_cpu_profiler_node",
                        (r[0], self.text(r[1]), r[2], self.text(r[3]), *r[4:]))
        nodes = list(profile.node_rows(offset))
        (base,) = self.db.execute("SELECT count(*) FROM stack_node").fetchone()
        place = {r[0]: base + i + 1 for i, r in enumerate(nodes)}
        for r in nodes:
            at = place[r[0]]
            self.insert("stack_method", (at, number, r[1], r[3]))
            self.insert("stack_node", (at, number, place.get(r[8]), at))
        for t, dur, node in profile.samples:
            (n,) = self.db.execute("SELECT count(*) FROM stack_sample").fetchone()
            self.insert("stack_sample",
                        (n + 1, number, to_ns(t), dur * 1000, place[node + offset]))
        for node, start, end in profile.runs():
            (n,) = self.db.execute("SELECT count(*) FROM js_cpu_profiler_sample").fetchone()
            self.insert("js_cpu_profiler_sample",
                        (n, profile.number(node, offset, merged), to_ns(start), to_ns(end), (end - start) * 1000))
        self.insert("js_cpu_profile",
                    (number + 1, number, offset, profile.json.get("tid"), to_ns(profile.start),
                     to_ns(profile.end), len(profile.nodes), len(profile.samples), *marks,
                     *[profile.json.get(f) for f in Profile.FIGURES]))


def make(path, recording):
    m = Maker(path)
    head = recording.header
    real, mono = head["boot"] - head["real"], head["boot"] - head["mono"]
    for row in recording.configs:
        m.insert("js_config", row)
    for i, h in enumerate(recording.heaps):
        heap = Heap(h["text"])
        m.insert("js_heap_files",
                 (i, h["name"], h["start"] + real, h["end"] + real, heap.self_size()))
        m.heap(i, heap)
        m.detail(i, heap)
    profiles = [Profile(p["text"]) for p in recording.profiles]
    offsets = [sum(max(before.by_id) for before in profiles[:i]) for i in range(len(profiles))]
    one_tree = len(profiles) > 0 and profiles[0].root() == 1
    for i, p in enumerate(recording.profiles):
        merged = one_tree and i > 0
        more = [n for q, o in zip(profiles[1:], offsets[1:]) for n in q.callees(o)] if one_tree and i == 0 else []
        marks = [None if t is None else t + real for t in (p["started"], p["reported"])]
        m.profile(i, profiles[i], offsets[i], merged, more, marks, lambda us: us * 1000 + mono)
    m.db.commit()
    return m.db


def differs(path, recording_path):
    """Runs the checker; True when it complains."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        code = check.main(["check.py", path, "--htrace", recording_path])
    if code not in (0, 1):
        sys.exit("the checker itself failed:\n" + text.getvalue())
    return code == 1


def wrong(value):
    if value is None:
        return 1
    if isinstance(value, str):
        return value + "x"
    return value + 1


def spoil_cells(db, path, recording_path):
    """Changes one cell of each column that has rows; each must be seen."""
    missed = []
    (profiles,) = db.execute("SELECT count(*) FROM js_cpu_profile").fetchone()
    for table, columns in TABLES.items():
        if table == "data_dict" and profiles == 0:
            continue
        names = [n.strip() for n in columns.split(",")]
        (count,) = db.execute("SELECT count(*) FROM %s" % table).fetchone()
        row = (count + 1) // 2
        for name in names:
            if name.strip('"') in FREE.get(table, ()) or count == 0:
                continue
            (old,) = db.execute("SELECT %s FROM %s WHERE rowid = ?" % (name, table),
                                (row,)).fetchone()
            update = "UPDATE %s SET %s = ? WHERE rowid = ?" % (table, name)
            db.execute(update, (wrong(old), row))
            db.commit()
            if not differs(path, recording_path):
                missed.append("%s.%s" % (table, name))
            db.execute(update, (old, row))
            db.commit()
    return missed


def main(argv):
    mkhtrace, data = argv[1:]
    tiny = os.path.join(data, "tiny")
    with tempfile.TemporaryDirectory() as d:
        failed = 0
        for name, pieces in (
            ("snapshots", ["--config", "pid=1734,type=snapshot,interval=1,capture=1,cpu=1",
                           "--snapshot", tiny + "/snapshot.heapsnapshot",
                           "--snapshot", tiny + "/strings.heapsnapshot",
                           "--profile", tiny + "/arkts.cpuprofile",
                           "--profile", tiny + "/profile.cpuprofile"]),
            ("timeline", ["--config", "pid=1734,type=timeline,track=1",
                          "--timeline", tiny + "/timeline.heaptimeline"]),
        ):
            recording = os.path.join(d, name + ".htrace")
            path = os.path.join(d, name + ".db")
            subprocess.run([mkhtrace, "-o", recording, "--chunk-size", "50"] + pieces, check=True)
            db = make(path, htrace.load(recording))
            if differs(path, recording):
                print("%s: a right database does not pass" % name)
                failed = 1
            missed = spoil_cells(db, path, recording)
            db.close()
            if missed:
                print("%s: not looked at: %s" % (name, ", ".join(missed)))
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv))
