#!/usr/bin/env python3
"""Databases that were merged have the rows of one conversion of all inputs, up to the numbers of rows.

    merge.py --program TS --data DIR [--only NAME]

An independent reader: each row of a table becomes its values, with what refers to another row (the units of schema_doc) in the place of
the number, so that equal rows are equal texts; the texts of both databases are compared as multisets, table by table.
"""

import argparse
import collections
import hashlib
import os
import re
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

PAIRS = [
    ("work.jfr.gz", "work21.jfr.gz"), ("work.jfr.gz", "work.jfr.gz"), ("kernel.htrace.gz", "recording-system.htrace.gz"), ("recording-system.htrace.gz", "kernel.htrace.gz"),
    ("recording-system.htrace.gz", "recording-system.htrace.gz"), ("recording-cpuprofile.htrace.gz", "work.jfr.gz"), ("recording-cpuprofile.htrace.gz", "recording-cpuprofile.htrace.gz"),
    ("go-cpu.pprof", "go-heap.pprof"), ("Trace-page.json.gz", "firefox.json"), ("hiperf.data", "kernel.ftrace"), ("hiperf.data", "hiperf.data"),
    ("recording-cloud.tar.gz", "trace.perfetto"), ("sessions.heapprofile", "tiny/snapshot.heapsnapshot"), ("tiny/snapshot.heapsnapshot", "tiny/snapshot.heapsnapshot"),
    ("perf-stacks.txt", "work.jfr.gz"), ("node-time.pprof", "kernel.sys"), ("counters.trace.json", "samples.perfetto"),
    ("tiny/profile.cpuprofile", "kernel.htrace.gz"), ("tiny/profile.cpuprofile", "tiny/profile.cpuprofile"), ("tiny/snapshot.heapsnapshot", "tiny/timeline.heaptimeline"),
    ("tiny/timeline.heaptimeline", "kernel.htrace.gz", "tiny/snapshot.heapsnapshot"),
]
if os.environ.get("TS_SLOW") == "1":
    PAIRS += [("recording-snapshots.htrace.gz", "recording-timeline.htrace.gz")]
# Numbers that rows of a table have, and that nothing else says: they are not compared.
OWN = {"args": ["argset", "value"], "ebpf_callstack": ["callchain_id"], "native_hook_frame": ["callchain_id"], "perf_callchain": ["callchain_id"], "js_cpu_profiler_node": ["function_id", "children"],
       "js_cpu_profile": ["id_offset"], "process": ["ipid", "pid"], "thread": ["itid"], "perf_files": ["file_id"], "measure_filter": ["source_arg_set_id"],
       "measure": ["filter_id"]}
# Texts are compared where they are referred to.
SKIPPED = ["data_dict", "schema_doc"]
# Numbers of rows that go round.
CYCLES = [("frame_slice", "dst"), ("frame_slice", "src"), ("js_cpu_profile", "first_sample_id")]
IN_FILE = ("js_heap_nodes", "js_heap_string", "js_heap_trace_node", "js_heap_trace_function_info")


def run(*args, **more):
    return starts.run([str(a) for a in args], capture_output=True, check=False, timeout=250, **more)


def fail(*what):
    print("FAILED:", *what)
    sys.exit(1)


def is_of_run(table, row):
    """What a conversion of several inputs says of how it put them together."""
    return (table == "import_issue" and row["code"] in (b"config_merged", b"profile_ids_shifted")) or (table == "source_property" and row["key"] == b"js_config")


class Contents:
    """Rows of a database without their numbers."""

    def __init__(self, path):
        self.sql = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.sql.text_factory = bytes
        self.names = [n.decode() for n, in self.sql.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        shorts = {"stack_sample_row", "stack_sample_block"}
        if shorts & set(self.names):
            self.names = [n for n in self.names if n not in shorts] + ["stack_sample", "js_cpu_profiler_sample"]
        self.rows, self.by, self.known = {}, {}, {}
        self.references = collections.defaultdict(dict)
        for table, column, unit in self.sql.execute("SELECT table_name, column_name, unit FROM schema_doc WHERE unit LIKE '% of %'").fetchall():
            m = re.fullmatch(r"(\w+) of (\w+)", unit.decode())
            if m and m.group(2) not in IN_FILE:
                self.references[table.decode()][column.decode()] = m.group(2), m.group(1)
        self.references["measure"]["filter_id"] = "measure_filter", "id"
        self.references["process_measure"]["filter_id"] = self.references["sys_mem_measure"]["filter_id"] = "measure_filter", "id"

    def table(self, name):
        if name not in self.rows:
            if name in ("stack_sample", "js_cpu_profiler_sample"):
                found = self.sql.execute(f'SELECT id, * FROM "{name}"')
            elif name not in self.names:
                return self.rows.setdefault(name, [])
            else:
                found = self.sql.execute(f'SELECT rowid, * FROM "{name}"')
            names = [d[0] for d in found.description][1:]
            self.rows[name] = [(row[0], dict(zip(names, row[1:]))) for row in found]
        return self.rows[name]

    def find(self, table, key, value):
        if (table, key) not in self.by:
            index = collections.defaultdict(list)
            for number, row in self.table(table):
                index[number if key == "rowid" else row.get(key)].append((number, row))
            self.by[table, key] = index
        return self.by[table, key].get(value, [])

    def content(self, table, number, row):
        if (table, number) in self.known:
            return self.known[table, number]
        said = []
        for column, value in row.items():
            if (table, column) == ("source", "path") and row["parent_id"] is None:
                value = os.path.basename(value)  # of equal ones the whole path, or the database
            if (table, column) in (("source", "name"), ("js_heap_files", "file_name"), ("import_issue", "message"), ("import_issue", "stream")) and value is not None:
                value = re.sub(rb"\b([A-Z][a-z]+)\d+\b", rb"\1", value)  # counted in a run
            if column == "id" or column in OWN.get(table, []) or (table, column) in CYCLES:
                continue
            if column in self.references[table] and value is not None:
                to, key = self.references[table][column]
                if (table, column) == ("callstack", "parent_id") and row["cookie"] is not None:
                    to, key = "thread", "id"
                if isinstance(value, bytes) and not key.endswith("ids"):
                    value = int(value)
                found = [] if key.endswith("ids") else self.find(to, key, value)
                if key == "callchain_id" or key == "argset":
                    value = [self.content(to, n, r) for n, r in found]
                elif found:
                    value = self.content(to, *found[0])
            said.append((column, value))
        if table == "args":
            value = row["value"]
            found = self.find("data_dict", "id", value) if row["datatype"] == 1 else []
            key = self.find("data_dict", "id", row["key"])
            if key and key[0][1]["data"] == b"destination slice id":
                found = [(n, {k: v for k, v in r.items() if k != "argsetid"}) for n, r in self.find("callstack", "id", value)]
                said.append(("slice", [(r["ts"], r["name"]) for _, r in found]))
            else:
                said.append(("value", found[0][1]["data"] if found else value))
        if table == "measure_filter" and row["type"] == b"process_measure_filter":
            said.append(("owner", [self.content("process", n, r) for n, r in self.find("process", "id", row["source_arg_set_id"])]))
        made = hashlib.sha256(repr(said).encode()).hexdigest()
        self.known[table, number] = made
        return made

    def contents(self, table):
        return collections.Counter(self.content(table, number, row) for number, row in self.table(table) if not is_of_run(table, row))


def compare(where, right, merged):
    count = 0
    if sorted(right.names) != sorted(merged.names):
        a, b = set(right.names), set(merged.names)
        known = {"stack_sample", "js_cpu_profiler_sample"}
        if (a ^ b) - known:
            fail(where, "tables", a ^ b)
    for table in sorted(set(right.names) | set(merged.names)):
        if table in SKIPPED:
            continue
        a, b = right.contents(table), merged.contents(table)
        count += sum(b.values())
        if a != b:
            for mine, other, db, name in ((a, b, right, "lacks"), (b, a, merged, "has besides")):
                rows = [row for number, row in db.table(table) if (mine - other)[db.content(table, number, row)]]
                print("  merged", name, len(rows), "rows, such as", rows[:2])
            fail(where, table, sum(a.values()), "rows, merged", sum(b.values()))
    return count


def convert(options, path, *inputs):
    done = run(options.program, *inputs, "-e", path, "--quiet", "--force")
    if done.returncode not in (0, 3):
        fail(inputs, done.stderr.decode())
    return path


def check_pair(options, scratch, names):
    where = " ".join(names)
    inputs = [os.path.join(options.data, n) for n in names]
    right = convert(options, os.path.join(scratch, "right.db"), *inputs)
    parts = [convert(options, os.path.join(scratch, f"{i}.db"), p) for i, p in enumerate(inputs)]
    before = [open(p, "rb").read() for p in parts]
    out = os.path.join(scratch, "merged.db")
    done = run(options.program, "merge", *parts, "-e", out, "--force")
    if done.returncode != 0:
        fail(where, done.returncode, done.stderr.decode())
    if [open(p, "rb").read() for p in parts] != before:
        fail(where, "an input has changed")
    merged = Contents(out)
    if merged.sql.execute("PRAGMA integrity_check").fetchone() != (b"ok",):
        fail(where, "integrity_check")
    for name, in merged.sql.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
        merged.sql.execute(f'SELECT * FROM "{name.decode()}" LIMIT 3').fetchall()
    print(where, compare(where, Contents(right), merged), "rows")
    for to in ("folded", "chrome-json"):
        one, two = (run(options.program, db, "--to=" + to, "-o", "-", "--quiet") for db in (right, out))
        if one.returncode != two.returncode or (to == "folded" and sorted(one.stdout.splitlines()) != sorted(two.stdout.splitlines())):
            fail(where, to, one.stderr.decode(), two.stderr.decode())


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "data"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for names in PAIRS:
            if options.only in " ".join(names):
                check_pair(options, scratch, names)
    print("merged databases are as they should be")


main()
