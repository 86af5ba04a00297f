#!/usr/bin/env python3
"""A part of a recording has the rows of its time and threads as they were, all that they refer to, and nothing else.

    cut.py --program TS --data DIR [--only NAME]

An independent reader: which columns of a table are its time and its thread is a list below, what refers to what comes from the
units of schema_doc. For parts of every bundled recording:

* rows: each row is one of the whole, under the same number; each row of the time and the threads is there;
* references: what a row refers to is there when the whole has it; what nothing refers to is not;
* questions and exports that take a span and a thread give the same of the part as of the whole;
* sqlite: integrity, version, all views can be read;
* errors: a thread that matches nothing, damaged and cut databases, no file is left, the whole does not change.
"""

import argparse
import json
import os
import re
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

# table: begin, end (column, +column for a length, ? when it may be open), thread
TIMES = {
    "bio_latency_sample": "start_ts end_ts itid", "file_system_sample": "start_ts end_ts itid", "paged_memory_sample": "start_ts end_ts itid",
    "native_hook": "start_ts - itid", "native_hook_statistic": "ts - -", "js_heap_files": "start_time end_time -", "java_heap_file": "ts - -",
    "perf_sample": "timestamp_trace - @thread_id", "perf_napi_async": "ts - @thread_id",
    "measure": "ts +dur? -", "sys_mem_measure": "ts +dur? -", "process_measure": "ts +dur? -", "xpower_measure": "ts +dur? -",
    "app_startup": "start_time end_time? call_id", "static_initalize": "start_time end_time? call_id", "animation": "input_time end_point -",
    "dynamic_frame": "end_time - -", "frame_slice": "ts +dur? itid", "smaps": "timeStamp - -", "memory_ashmem": "ts - -", "memory_dma": "ts - -",
    "memory_window_gpu": "ts - -", "memory_cpu": "ts - -", "memory_profile": "ts - -", "memory_rs_image": "ts - -", "memory_process_gpu": "ts - itid",
    "hisys_event_measure": "ts - -", "hisys_all_event": "ts - @tid", "xpower_app_detail_display": "start_time - -", "xpower_app_detail_cpu": "start_time - -",
    "xpower_app_detail_gpu": "start_time - -", "xpower_app_detail_wifi": "start_time - -", "xpower_component_top": "start_time - -",
    "raw": "ts - itid", "instant": "ts - ref", "sched_slice": "ts +dur? itid", "thread_state": "ts +dur? itid", "callstack": "ts +dur? callid",
    "irq": "ts +dur? -", "syscall": "ts +dur? itid", "hidump": "ts - -", "log": "ts - @tid", "network": "ts - -", "diskio": "ts - -", "cpu_usage": "ts - -",
    "live_process": "ts - -", "dma_fence": "ts +dur? -", "timerfd_wakeup": "ts - @tid", "stack_sample": "ts +dur itid", "stack_slice": "ts +dur? itid",
    "runtime_pause": "ts +dur? itid", "lock_wait": "ts +dur? itid", "cloud_suspend": "ts +dur -", "cloud_call": "ts +dur itid", "tptp_allocation": "ts - itid",
    "tptp_free": "ts - itid", "tptp_heap_dump": "ts - -", "tptp_event": "ts - itid", "chrome_event": "ts +dur itid", "jfr_event": "ts +dur itid",
    "perfetto_event": "ts +dur itid", "firefox_marker": "ts end_ts itid",
}
# What is there only because something refers to it.
REFERRED = "data_dict stack_node stack_method thread process args ebpf_callstack native_hook_frame perf_callchain process_measure_filter".split()
# What refers to a table without a unit that says so: (table, column, to, key).
MORE = [("thread", "itid", "thread", "itid"), ("measure_filter", "source_arg_set_id", "process", "id"), ("args", "value", "data_dict", "id"), ("args", "value", "callstack", "id"),
        ("perf_sample", "thread_id", "thread", "tid")]
# All rows, also when what they refer to is not there: numbers of the recording, and places of ranges.
PLACES = re.compile(r"^first_|_rowid$")
EXPORTS = ["folded", "speedscope", "chrome-json"]
SLOW = os.environ.get("TS_SLOW") == "1"
# Of these three parts are cut and questions are asked, and of those one part; with TS_SLOW=1 three parts of all recordings.
ASKED = "kernel.htrace.gz recording-system.htrace.gz work.jfr.gz recording-cloud.tar.gz Trace-page.json.gz".split()
ONE_PART = "hiperf.data recording-cpuprofile.htrace.gz recording-snapshots.htrace.gz sessions.heapprofile trace.perfetto".split()


def run(*args, **more):
    return starts.run([str(a) for a in args], capture_output=True, check=False, timeout=250, **more)


def fail(*what):
    print("FAILED:", *what)
    sys.exit(1)


class Database:
    def __init__(self, path):
        self.path = path
        self.sql = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.sql.text_factory = bytes
        self.tables = {}

    def rows(self, table):
        """(number, {column: value}) of a table, or of a view in its place."""
        if table not in self.tables:
            kind = self.sql.execute("SELECT type FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
            if kind is None:
                return []
            number = "rowid" if kind[0] == b"table" else "id" if table == "stack_sample" else "id + 1"
            found = self.sql.execute(f'SELECT {number}, * FROM "{table}"')
            names = [d[0] for d in found.description][1:]
            self.tables[table] = [(row[0], dict(zip(names, row[1:]))) for row in found]
        return self.tables[table]

    def stored(self):
        return {n.decode() for n, in self.sql.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}

    def references(self):
        found = self.sql.execute("SELECT table_name, column_name, unit FROM schema_doc WHERE unit LIKE '% of %'").fetchall()
        for table, column, unit in found:
            table, column, unit = (t.decode() for t in (table, column, unit))
            key, to = unit.split(" of ", 1)
            if re.fullmatch(r"\w+", to) and not table.startswith("v_") and not PLACES.search(column) and not PLACES.search(key):
                yield table, column, to, key


def wanted(row, rule, begin_at, end_at, tids, threads):
    begin, end, thread = rule.split()
    at = row.get(begin)
    if at is None and (begin_at is not None or end_at is not None):
        return False
    last = at
    if end != "-":
        column = end.strip("+?")
        value = row.get(column)
        last = (at + value if end[0] == "+" else value) if value is not None else float("inf") if end[-1] == "?" else at
    if begin_at is not None and not (at >= begin_at or last > begin_at):
        return False
    if end_at is not None and at >= end_at:
        return False
    if threads is None:
        return True
    if thread == "-":
        return False
    return row.get(thread[1:]) in tids if thread[0] == "@" else row.get(thread) in threads


def keys(db, table, key):
    if key.endswith("ids"):
        key = key[:-1]
    return {row.get(key) for _, row in db.rows(table)} if key != "rowid" else {number for number, _ in db.rows(table)}


def values(row, column, key):
    value = row.get(column)
    if value is None:
        return []
    return [int(v) for v in re.findall(rb"-?\d+", value)] if key.endswith("ids") else [value]


def check_rows(where, whole, part, begin, end, threads):
    tids = {row["tid"] for _, row in whole.rows("thread") if threads is not None and row["itid"] in threads}
    tables = [n.decode() for n, in part.sql.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    count = 0
    for table in tables:
        was = dict(whole.rows(table))
        now = part.rows(table)
        count += len(now)
        if table in ("meta", "import_issue"):
            if [r for _, r in now][:len(was)] != list(was.values()):
                fail(where, table, "does not have what the whole has")
            continue
        for number, row in now:
            if was.get(number) != row:
                fail(where, table, number, row, "was", was.get(number))
        there = {number for number, _ in now}
        for number, row in was.items():
            if table in TIMES and wanted(row, TIMES[table], begin, end, tids, threads) and number not in there:
                fail(where, table, "lacks", number, row)
        lost = [r for _, r in part.rows("import_issue") if r["code"] == b"left_out" and r["stream"] == table.encode()]
        if sum(r["count"] for r in lost) != len(was) - len(now):
            fail(where, table, "lacks", len(was) - len(now), "rows, and the issue says", lost)
    return count


def check_references(where, whole, part):
    referred = {}
    for table, column, to, key in list(whole.references()) + MORE:
        if to not in part.tables and not part.rows(to) and not whole.rows(to):
            continue
        there, was = keys(part, to, key), keys(whole, to, key)
        found = referred.setdefault(to, {}).setdefault(key.rstrip("s") if key.endswith("ids") else key, set())
        may_lack = to.startswith(("js_heap", "java_heap")) or (table, column) in [m[:2] for m in MORE]
        for number, row in part.rows(table):
            if (table, column) == ("callstack", "parent_id") and row["cookie"] is not None:
                continue  # a thread
            for value in values(row, column, key):
                found.add(value)
                if value in was and value not in there and not may_lack:
                    fail(where, f"{table} {number}: {column} {value} is not in {to}")
    # The view of frames counts names of methods from the end of the dictionary.
    methods = {row["id"] for _, row in part.rows("stack_method")}
    shown = set()
    if "perf_callchain" not in part.stored() and methods:
        shown = {max(keys(part, "data_dict", "id")) - max(methods) + m for m in methods}
    for table in REFERRED:
        if table not in part.stored():
            continue
        for number, row in part.rows(table):
            # A frame of a chain, an argument of a set: by their number.
            by = referred.get(table, {})
            if table == "data_dict" and (row["id"] == 0 or row["id"] in shown):
                continue
            if table == "stack_method" and shown and row["id"] == max(methods):
                continue
            if not any(row.get(key) in found for key, found in by.items()):
                fail(where, table, number, row, "is there, and nothing refers to it")


def questions(options):
    listed = run(options.program, "--questions").stdout.decode()
    return re.findall(r"^  (\w+) .*\n(?: +parameters: (.*)\n)?", listed, re.M)


def answer(name, text):
    rows = json.loads(text or "[]")
    for row in rows:
        row.pop("line", None)  # that of the first of methods that are one, which may be left out
    # Of some threads there is nothing in the time.
    return [r for r in rows if name != "threads" or r["cpu_dur"] is not None or r["wait_dur"] or r.get("paused")]


def check_questions(options, where, whole, part, begin, end, thread):
    asked = 0
    for name, parameters in questions(options):
        takes = re.split(r", *", parameters)
        since, until = ("from", next((p for p in ("to", "until") if p in takes), None))
        if since not in takes or until is None or (thread is not None and "thread" not in takes):
            continue
        # The end of a question is included.
        more = ["--param", f"{since}={begin}", "--param", f"{until}={end - 1}"]
        more += ["--param", "limit=1000000"] if "limit" in takes else []
        more += ["--param", f"thread={thread}"] if thread is not None else []
        one, two = (run(options.program, db.path, "-q", name, "--output=json", "--quiet", *more) for db in (whole, part))
        if one.returncode != 0:
            continue
        if two.returncode == 2 and b"cannot answer" in two.stderr:  # the part has no rows of the kind
            continue
        a, b = answer(name, one.stdout), answer(name, two.stdout)
        if two.returncode != 0 or a != b:
            fail(where, "question", name, more, len(a), len(b), [x for x in a if x not in b][:3], two.returncode, [x for x in b if x not in a][:3], two.stderr[:300])
        asked += len(one.stdout) > 5
    return asked


def check_exports(options, where, whole, part, begin, end, thread):
    made = 0
    more = ["--from", begin, "--until", end] + (["--thread", thread] if thread is not None else [])
    for to in EXPORTS:
        one, two = (run(options.program, db.path, "--to=" + to, "-o", "-", "--quiet", *more) for db in (whole, part))
        # Slices of the system have their own time by what is below them, some of which begins after the part.
        own = whole.rows("stack_sample") or whole.rows("stack_slice")
        if one.returncode == 0 and to == "folded" and own:
            if sorted(one.stdout.splitlines()) != sorted(two.stdout.splitlines()):
                fail(where, to, one.stdout[:300], two.returncode, two.stdout[:300], two.stderr[:300])
            made += 1
        if one.returncode == 0 and two.returncode != 0:
            fail(where, to, two.stderr.decode())
    return made


def cut(options, where, db, out, *more):
    before = open(db, "rb").read()
    done = run(options.program, "cut", db, "-e", out, "--force", *more)
    if done.returncode != 0:
        fail(where, more, done.returncode, done.stderr.decode())
    if open(db, "rb").read() != before:
        fail(where, "the whole has changed")
    return Database(out)


def check_sound(where, part):
    if part.sql.execute("PRAGMA integrity_check").fetchone() != (b"ok",):
        fail(where, "integrity_check")
    for name, in part.sql.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
        part.sql.execute(f'SELECT * FROM "{name.decode()}" LIMIT 3').fetchall()


def check_recording(options, scratch, name):
    db = os.path.join(scratch, "whole.db")
    done = run(options.program, os.path.join(options.data, name), "-e", db, "--quiet", "--force")
    if done.returncode not in (0, 3):
        fail(name, done.stderr.decode())
    whole = Database(db)
    ranges = [row for row in whole.sql.execute("SELECT start_ts, end_ts FROM trace_range")]
    start, end = ranges[0]
    third = max(1, (end - start) // 3)
    spans = [(start + third, start + 2 * third), (start, start + third), (start + 2 * third, end + 1)]
    spans = [span for span in spans if span[0] < span[1]]
    if not SLOW and name not in ASKED:
        spans = spans[:1]
    told = []
    for begin, until in spans:
        where = f"{name} {begin} to {until}"
        part = cut(options, where, db, os.path.join(scratch, "part.db"), f"--from={begin}", f"--until={until}")
        rows = check_rows(where, whole, part, begin, until, None)
        check_references(where, whole, part)
        check_sound(where, part)
        asked = check_questions(options, where, whole, part, begin, until, None) if begin != start and SLOW else 0
        told.append((rows, asked, check_exports(options, where, whole, part, begin, until, None)))
    busy = whole.sql.execute("SELECT itid, count(*) FROM (SELECT itid FROM stack_sample UNION ALL SELECT itid FROM stack_slice UNION ALL SELECT itid FROM thread_state) "
                             "WHERE itid IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 1").fetchone()
    if busy is not None and spans:
        thread = f"id={busy[0]}"
        where = f"{name} {thread}"
        part = cut(options, where, db, os.path.join(scratch, "part.db"), "--thread=" + thread)
        check_rows(where, whole, part, None, None, {busy[0]})
        check_references(where, whole, part)
        begin, until = spans[0]
        where += f" {begin} to {until}"
        part = cut(options, where, db, os.path.join(scratch, "part.db"), "--thread=" + thread, f"--from={begin}", f"--until={until}")
        rows = check_rows(where, whole, part, begin, until, {busy[0]})
        check_references(where, whole, part)
        check_sound(where, part)
        asked = check_questions(options, where, whole, part, begin, until, thread) if SLOW or name in ASKED else 0
        told.append((rows, asked, check_exports(options, where, whole, part, begin, until, thread)))
        # A part of the part, and the recording itself.
        if busy[0] not in keys(part, "thread", "itid"):
            print(name, "rows, questions, exports:", *told)
            return
        again = cut(options, where, part.path, os.path.join(scratch, "again.db"), "--thread=" + thread, f"--from={begin}", f"--until={until}")
        straight = run(options.program, "cut", os.path.join(options.data, name), "-e", os.path.join(scratch, "straight.db"), "--force", "--quiet",
                       "--thread=" + thread, f"--from={begin}", f"--until={until}")
        for other in (again, Database(os.path.join(scratch, "straight.db"))):
            for table in ("stack_sample", "thread_state", "data_dict", "stack_node"):
                if other.rows(table) != part.rows(table):
                    fail(where, other.path, table, straight.stderr.decode())
    print(name, "rows, questions, exports:", *told)


def check_errors(options, scratch):
    db, out = os.path.join(scratch, "whole.db"), os.path.join(scratch, "none.db")
    if run(options.program, os.path.join(options.data, "work.jfr.gz"), "-e", db, "--quiet", "--force").returncode != 0:
        fail("work.jfr.gz")
    whole = open(db, "rb").read()
    for more, text in ((["--thread=mian"], "main"), (["--from=noon"], "--from"), (["--source=nothing"], "source"), (["--from=+2s", "--until=+1s"], "--until"), ([], "--from")):
        done = run(options.program, "cut", db, "-e", out, *more)
        if done.returncode != 2 or text not in done.stderr.decode():
            fail(more, done.returncode, done.stderr.decode())
    bad = os.path.join(scratch, "bad.db")
    ok = 0
    for at in list(range(0, len(whole), len(whole) // (24 if SLOW else 6))) + [len(whole) - 1]:
        with open(bad, "wb") as f:
            f.write(whole[:at])
        done = run(options.program, "cut", bad, "-e", out, "--from=0", "--format=jfr")
        if done.returncode not in (0, 1):
            fail("cut off at", at, done.returncode, done.stderr.decode())
        if done.returncode != 0 and os.path.exists(out):
            fail("cut off at", at, "and a file is left")
        if done.returncode == 0:
            ok += 1
            os.remove(out)
    for at in range(100, len(whole), len(whole) // (40 if SLOW else 10)):
        with open(bad, "wb") as f:
            f.write(whole[:at] + b"\xff" * 64 + whole[at + 64:])
        done = run(options.program, "cut", bad, "-e", out, "--from=0")
        if done.returncode not in (0, 1, 2):
            fail("damaged at", at, done.returncode, done.stderr.decode())
        if os.path.exists(out):
            ok += 1
            os.remove(out)
    left = [n for n in os.listdir(scratch) if "none.db" in n]
    if left:
        fail("left:", left)
    old = os.path.join(scratch, "old.db")
    with open(old, "wb") as f:
        f.write(whole)
    connection = sqlite3.connect(old)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    done = run(options.program, "cut", old, "-e", out, "--from=0")
    if done.returncode != 1 or "upgrade" not in done.stderr.decode():
        fail("an older version:", done.returncode, done.stderr.decode())
    with open(old, "wb") as f:
        f.write(whole)
    connection = sqlite3.connect(old)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ', dur ', ', dxr ') WHERE name = 'runtime_pause'")
    connection.commit()
    connection.close()
    done = run(options.program, "cut", old, "-e", out, "--from=0")
    if done.returncode != 1 or "no such column" not in done.stderr.decode():
        fail("another schema:", done.returncode, done.stderr.decode())
    print(ok, "damaged databases could be cut")


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "data"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted(os.listdir(options.data)):
            if os.path.isfile(os.path.join(options.data, name)) and name not in ("README.md", "work21.summary") and options.only in name and (SLOW or options.only or name in ASKED + ONE_PART):
                check_recording(options, scratch, name)
        if not options.only:
            check_errors(options, scratch)
    print("parts are as they should be")


main()
