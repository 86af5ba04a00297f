#!/usr/bin/env python3
"""Compares a database of trace_streamer, cell by cell, with what Python reads from its input.

usage: check.py DATABASE --htrace RECORDING
       check.py DATABASE [--heap FILE]... [--profile FILE]...

With --htrace the times are checked too. With bare files, give heaps and profiles in the order in
which trace_streamer got them. Exit code 0: all equal; 1: differences (the first of each table are
printed); 2: the input is not one that can be judged.
"""

import argparse
import sqlite3
import sys
import threading

sys.dont_write_bytecode = True
import htrace
from expected import Heap, Mismatch, Profile

SHOWN = 5


class Checker:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.bad = 0
        self.doubtful = False  # the input contradicts itself: cells that are NULL are right
        self.cells = 0

    def rows(self, sql, *args):
        return self.db.execute(sql, args)

    def fail(self, what):
        self.bad += 1
        print(what)

    def compare(self, what, sql, expected, args=()):
        """Row by row; a type counts as much as a value."""
        shown = 0
        actual = iter(self.rows(sql, *args))
        number = -1
        for number, want in enumerate(expected):
            got = next(actual, None)
            if got is None:
                self.fail("%s: row %d is missing: %r" % (what, number, want))
                return
            self.cells += len(want)
            if self.doubtful:
                got = self.with_doubts(got, want)
            if got != want or list(map(type, got)) != list(map(type, want)):
                self.bad += 1
                shown += 1
                if shown <= SHOWN:
                    print("%s: row %d\n  want %r\n  got  %r" % (what, number, want, got))
        if next(actual, None) is not None:
            self.fail("%s: more than %d rows" % (what, number + 1))

    @staticmethod
    def with_doubts(got, want):
        """`got`, with what may be left open in it as in `want`: cells, the name and `complete`."""
        return tuple(w if g is None or g == "%s (incomplete)" % w or (len(want) == 6 and i == 5 and (g, w) == (0, 1)) else g
                     for i, (g, w) in enumerate(zip(got, want)))

    def same(self, what, got, want):
        self.cells += 1
        if got != want:
            self.fail("%s: want %r, got %r" % (what, want, got))


HEAP_TABLES = (
    ("js_heap_info", "key, type, int_value, str_value", Heap.info_rows),
    ("js_heap_nodes", "node_index, type, name, id, self_size, edge_count, trace_node_id, "
                      "detachedness, native_size", Heap.node_rows),
    ("js_heap_sample", "timestamp_us, last_assigned_id", Heap.sample_rows),
    ("js_heap_location", 'object_index, script_id, line, "column"', Heap.location_rows),
    ("js_heap_string", "file_index, string", Heap.string_rows),
    ("js_heap_trace_function_info", 'function_index, function_id, name, script_name, script_id, '
                                    'line, "column"', Heap.function_rows),
    ("js_heap_trace_node", "id, function_info_index, count, size, parent_id", Heap.trace_rows),
)


def check_heap(c, file_id, heap):
    for table, columns, rows in HEAP_TABLES:
        c.compare(
            "%s of file %d" % (table, file_id),
            "SELECT %s FROM %s WHERE file_id = ? ORDER BY rowid" % (columns, table),
            rows(heap),
            (file_id,),
        )
    if heap.counts_fit():
        owner = "from_node_id"
        rows = heap.edge_rows()
    else:
        owner = "NULL"  # other tests check which owners are known then
        rows = (r[:4] + (None,) + r[5:] for r in heap.edge_rows())
    c.compare(
        "js_heap_edges of file %d" % file_id,
        "SELECT edge_index, type, name_or_index, to_node, %s, to_node_id FROM js_heap_edges "
        "WHERE file_id = ? ORDER BY rowid" % owner,
        rows,
        (file_id,),
    )


DETAIL = (
    ("js_heap_nodes", "first_node_rowid"),
    ("js_heap_edges", "first_edge_rowid"),
    ("js_heap_string", "first_string_rowid"),
    ("js_heap_sample", "first_sample_rowid"),
    ("js_heap_location", "first_location_rowid"),
    ("js_heap_trace_function_info", "first_trace_function_rowid"),
    ("js_heap_trace_node", "first_trace_node_rowid"),
)


def check_details(c, heaps):
    c.compare(
        "js_heap_file_detail",
        "SELECT file_id, node_stride, node_count, edge_count, string_count, complete "
        "FROM js_heap_file_detail ORDER BY file_id",
        ((i, h.stride, h.node_count, h.edge_count, len(h.json["strings"]), 1)
         for i, h in enumerate(heaps)),
    )
    c.compare(
        "first_info_rowid",
        "SELECT file_id, first_info_rowid FROM js_heap_file_detail ORDER BY file_id",
        list(c.rows(
            "SELECT f.id, (SELECT min(t.rowid) FROM js_heap_info t WHERE t.file_id = f.id "
            "AND t.key = 'node_types' AND t.type = 0) FROM js_heap_files f ORDER BY f.id")),
    )
    for table, column in DETAIL:
        c.compare(
            column,
            "SELECT file_id, %s FROM js_heap_file_detail ORDER BY file_id" % column,
            list(c.rows(
                "SELECT f.id, (SELECT min(t.rowid) FROM %s t WHERE t.file_id = f.id) "
                "FROM js_heap_files f ORDER BY f.id" % table)),
        )
    for table in [t[0] for t in HEAP_TABLES] + ["js_heap_edges"]:
        (strays,) = c.rows(
            "SELECT count(*) FROM %s WHERE file_id NOT BETWEEN 0 AND ?" % table, len(heaps) - 1
        ).fetchone()
        c.same("rows of %s without a file" % table, strays, 0)


def check_profile_nodes(c, profile, first_row, offset, merged, more):
    """Rows in the file's order where parents come first there, else in any parents-first order."""
    sql = (
        "SELECT n.function_id, f.data, n.script_id, u.data, n.line_number, n.column_number, "
        "n.hit_count, n.children, n.parent_id FROM js_cpu_profiler_node n "
        "LEFT JOIN data_dict f ON f.id = n.function_index "
        "LEFT JOIN data_dict u ON u.id = n.url_index "
        "WHERE n.rowid > ? ORDER BY n.rowid LIMIT ?"
    )
    want = list(profile.node_rows(offset, merged, more))
    args = (first_row, len(want))
    if profile.parents_first():
        c.compare("js_cpu_profiler_node", sql, want, args)
        return len(want)
    got = list(c.rows(sql, *args))
    seen = {0, 1} if merged else {0}
    for row in got:
        if row[8] not in seen:
            c.fail("js_cpu_profiler_node: node %d stands before its parent" % row[0])
        seen.add(row[0])
    c.same("js_cpu_profiler_node, sorted", sorted(got), sorted(want))
    return len(want)


def check_runs(c, profile, first_row, offset, merged, to_ns):
    runs = profile.runs()
    c.compare(
        "js_cpu_profiler_sample",
        "SELECT id, function_id, start_time, end_time, dur FROM js_cpu_profiler_sample "
        "WHERE id >= ? ORDER BY id LIMIT ?",
        ((first_row + i, profile.number(node, offset, merged), to_ns(start), to_ns(end), (end - start) * 1000)
         for i, (node, start, end) in enumerate(runs)),
        (first_row, len(runs)),
    )
    return len(runs)


def stack_paths(c):
    """(function name, url) from the root down, per stack_node."""
    paths = {None: ()}
    for node, parent, name, file in c.rows(
        "SELECT n.id, n.parent_id, m.name, m.file FROM stack_node n "
        "LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"
    ):
        if parent not in paths:
            c.fail("stack_node: node %d stands before its parent" % node)
        paths[node] = paths.get(parent, ()) + ((name or "", file or ""),)
    return paths


def check_stack_samples(c, profile, source, to_ns, paths):
    rows = (
        (to_ns(t), dur * 1000, profile.path(node) if node in profile.by_id else ())
        for t, dur, node in profile.samples
    )
    got = c.rows(
        "SELECT ts, dur, node_id FROM stack_sample WHERE source_id = ? ORDER BY id", source
    )
    number = 0
    for number, want in enumerate(rows, 1):
        row = got.fetchone()
        if row is None:
            c.fail("stack_sample: row %d is missing" % number)
            return
        c.cells += 3
        have = (row[0], row[1], paths.get(row[2]))
        if have != want:
            c.fail("stack_sample %d\n  want %r\n  got  %r" % (number, want, have))
            return
    if got.fetchone() is not None:
        c.fail("stack_sample: more than %d rows" % number)


FIGURE_COLUMNS = ("gc_time_us", "c_interpreter_time_us", "asm_interpreter_time_us", "aot_time_us",
                  "builtin_time_us", "napi_time_us", "arkui_engine_time_us", "runtime_time_us",
                  "other_time_us")


def check_profiles(c, profiles, marks, to_ns_of):
    """`marks`: (started, reported) per profile in the trace clock, or None where not checked."""
    node_row = run_row = 0
    paths = stack_paths(c)
    used = set()
    details = c.rows(
        "SELECT source_id, id_offset, tid, start_time, end_time, node_count, sample_count, "
        "started_ts, reported_ts, %s FROM js_cpu_profile ORDER BY id" % ", ".join(FIGURE_COLUMNS)
    ).fetchall()
    c.same("rows of js_cpu_profile", len(details), len(profiles))
    for i, (profile, detail) in enumerate(zip(profiles, details)):
        to_ns = to_ns_of(profile)
        source, offset = detail[0], detail[1]
        what = "js_cpu_profile %d" % i
        c.same(what + " id_offset of the first is 0", i > 0 or offset == 0, True)
        ids = {n + offset for n in profile.by_id}
        c.same(what + " ids taken twice", len(ids & used), 0)
        used |= ids
        c.same(what, detail[2:7], (
            profile.json.get("tid"), to_ns(profile.start),
            None if profile.end is None else to_ns(profile.end),
            len(profile.nodes), len(profile.samples)))
        c.same(what + " figures", detail[9:], tuple(profile.json.get(f) for f in Profile.FIGURES))
        if marks is not None:
            c.same(what + " marks", detail[7:9], marks[i])
        merged = i > 0 and profiles[0].root() == 1
        more = [n for p, d in zip(profiles[1:], details[1:]) for n in p.callees(d[1])] if i == 0 and profile.root() == 1 else []
        node_row += check_profile_nodes(c, profile, node_row, offset, merged, more)
        run_row += check_runs(c, profile, run_row, offset, merged, to_ns)
        check_stack_samples(c, profile, source, to_ns, paths)
    (count,) = c.rows("SELECT count(*) FROM js_cpu_profiler_node").fetchone()
    c.same("rows of js_cpu_profiler_node", count, node_row)
    (count,) = c.rows("SELECT count(*) FROM js_cpu_profiler_sample").fetchone()
    c.same("rows of js_cpu_profiler_sample", count, run_row)


def config_rows(recording, heaps):
    """js_config as the viewer needs it: never empty, and CPU profiling is on where there are
    profiles."""
    cpu = 1 if recording.profiles else 0
    if recording.configs:
        rows = [row[:5] + (row[5] or cpu,) + row[6:] for row in recording.configs]
        return [tuple(next((v for v in column if v), 0) for column in zip(*rows))] if len(rows) > 1 else rows
    kind = (1 if heaps[0].is_timeline else 0) if heaps else -1
    return [(0, kind, 0, 0, 0, cpu, 0)]


def check_htrace(c, path):
    recording = htrace.load(path)
    clocks = recording.header
    # Without a snapshot of both clocks times stay as they are.
    from_real = clocks["boot"] - clocks["real"] if clocks["boot"] and clocks["real"] else 0
    from_mono = clocks["boot"] - clocks["mono"] if clocks["boot"] and clocks["mono"] else 0

    def outer(ts):
        return None if ts is None else ts + from_real

    heaps = [Heap(h["text"]) for h in recording.heaps]
    profiles = [Profile(p["text"]) for p in recording.profiles]
    c.compare("js_config",
              "SELECT pid, type, interval, capture_numeric_value, trace_allocation, "
              "enable_cpu_profiler, cpu_profiler_interval FROM js_config ORDER BY rowid",
              config_rows(recording, heaps))
    c.compare("js_heap_files",
              "SELECT id, file_name, start_time, end_time, self_size FROM js_heap_files "
              "ORDER BY id",
              ((i, r["name"], outer(r["start"]), outer(r["end"]), h.self_size())
               for i, (r, h) in enumerate(zip(recording.heaps, heaps))))
    marks = [(outer(p["started"]), outer(p["reported"])) for p in recording.profiles]
    return heaps, profiles, marks, lambda profile: lambda us: us * 1000 + from_mono


def check_bare(c, heap_paths, profile_paths):
    heaps = [Heap(htrace.read_bytes(p)) for p in heap_paths]
    profiles = [Profile(htrace.read_bytes(p)) for p in profile_paths]

    c.compare("js_heap_files",
              "SELECT id, file_name, self_size FROM js_heap_files ORDER BY id",
              ((i, "Timeline" if h.is_timeline else "Snapshot%d" % i, h.self_size())
               for i, h in enumerate(heaps)))
    # Times are relative to the profile's own start.
    return heaps, profiles, None, lambda profile: lambda us: (us - profile.start) * 1000


def parse_args(argv):
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("database")
    p.add_argument("--doubtful", action="store_true")
    p.add_argument("--htrace")
    p.add_argument("--heap", action="append", default=[])
    p.add_argument("--profile", action="append", default=[])
    return p.parse_args(argv)


def main(argv):
    args = parse_args(argv[1:])
    c = Checker(args.database)
    c.doubtful = args.doubtful
    try:
        if args.htrace:
            heaps, profiles, marks, to_ns_of = check_htrace(c, args.htrace)
        else:
            heaps, profiles, marks, to_ns_of = check_bare(c, args.heap, args.profile)
    except (Mismatch, htrace.FormatError) as e:
        print("cannot judge the input: %s" % e, file=sys.stderr)
        return 2
    for file_id, heap in enumerate(heaps):
        check_heap(c, file_id, heap)
    check_details(c, heaps)
    check_profiles(c, profiles, marks, to_ns_of)
    c.same("PRAGMA integrity_check", c.rows("PRAGMA integrity_check").fetchone()[0], "ok")
    print("%d cells compared, %d differences" % (c.cells, c.bad))
    return 1 if c.bad else 0


def run_deep(function, *args):
    """Runs it with a stack that holds deep JSON: Python's reader recurses."""
    result = []
    threading.stack_size(1 << 29)
    sys.setrecursionlimit(1 << 20)
    thread = threading.Thread(target=lambda: result.append(function(*args)))
    thread.start()
    thread.join()
    return result[0] if result else 3


if __name__ == "__main__":
    sys.exit(run_deep(main, sys.argv))
