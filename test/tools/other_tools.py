#!/usr/bin/env python3
"""What other tools export in forms that are read: a small file of each in the form that the tool writes, and the rows that it has to give.

usage: other_tools.py PROGRAM
"""

import json
import os
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

program = sys.argv[1]

STACKS = """
WITH RECURSIVE up(sample, parent, height, frame) AS (
  SELECT s.id, n.parent_id, 0, ifnull(m.package || '.', '') || ifnull(m.class || '.', '') || m.name || ifnull('@' || n.line, '')
    FROM stack_sample s LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id
  UNION ALL
  SELECT sample, n.parent_id, height + 1, ifnull(m.package || '.', '') || ifnull(m.class || '.', '') || m.name || ifnull('@' || n.line, '')
    FROM up JOIN stack_node n ON n.id = up.parent JOIN stack_method m ON m.id = n.method_id)
SELECT (SELECT group_concat(frame, ';') FROM (SELECT frame FROM up WHERE sample = s.id ORDER BY height DESC)), s.ts, s.dur,
  (SELECT value FROM stack_sample_value WHERE sample_id = s.id), (SELECT name FROM thread WHERE id = s.itid) FROM stack_sample s ORDER BY s.id"""

SLICES = """SELECT m.name, s.ts, s.dur, s.depth FROM stack_slice s JOIN stack_node n ON n.id = s.node_id JOIN stack_method m ON m.id = n.method_id ORDER BY s.id"""


def scope(profiles, frames, **more):
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": profiles, "shared": {"frames": frames}, **more})


def frame(name, file=None, line=None):
    return {key: value for key, value in (("name", name), ("file", file), ("line", line)) if value is not None}


# name: text, options, SQL, rows
CASES = {
    # py-spy record -f raw: frames from the outermost on, with file and line; a thread as a frame with --threads, processes with --subprocesses.
    "py-spy raw": ("<module> (app.py:9);main (app.py:7);fib (app.py:3) 12\nprocess 7:\"python app.py\";thread (0x7F): worker;run (threading.py:910) 3\n", STACKS, [
        ("app.<module>@9;app.main@7;app.fib@3", None, None, 12, None), ("threading.run@910", None, None, 3, "worker")]),
    # py-spy record -f speedscope: a sampled profile for each thread, weights in seconds.
    "py-spy speedscope": (scope([{"type": "sampled", "name": "Thread 7 \"MainThread\"", "unit": "seconds", "startValue": 0.0, "endValue": 0.03, "samples": [[0], [0, 1]],
                                  "weights": [0.01, 0.02]}], [frame("<module>", "/a/app.py", 9), frame("main", "/a/app.py", 7)], activeProfileIndex=None,
                                name="py-spy profile", exporter="py-spy@0.3.14"), STACKS, [
        ("app.<module>", 0, 10000000, None, 'Thread 7 "MainThread"'), ("app.<module>;app.main", 10000000, 20000000, None, 'Thread 7 "MainThread"')]),
    # austin2speedscope: microseconds, no end of the frames' list before the profiles.
    "austin2speedscope": (scope([{"type": "sampled", "name": "Thread 1:2", "unit": "microseconds", "startValue": 0, "endValue": 300, "samples": [[0, 1], [0]], "weights": [100, 200]}],
                                [frame("main", "a.py", 3), frame("f", "a.py", 7)], name="x", exporter="Austin2Speedscope Converter 0.2.1"), STACKS, [
        ("a.main;a.f", 0, 100000, None, "Thread 1:2"), ("a.main", 100000, 200000, None, "Thread 1:2")]),
    # rbspy report -f speedscope: no unit of time but "none" where times are not recorded, else seconds.
    "rbspy speedscope": (scope([{"type": "sampled", "name": "Process 7", "unit": "none", "startValue": 0, "endValue": 2, "samples": [[0, 1], [0, 1]], "weights": [1, 1]}],
                               [frame("<main>", "a.rb", 1), frame("work", "a.rb", 5)], version="0.0.1", activeProfileIndex=0, exporter="rbspy"), STACKS, [
        ("<main>;work", None, None, 1, "Process 7")] * 2),
    # dotnet-trace convert --format Speedscope: evented, milliseconds with fractions, frames Module!Method(args), a profile for each thread.
    "dotnet-trace Speedscope": (scope([{"type": "evented", "name": "Thread (7)", "unit": "milliseconds", "startValue": 1.5, "endValue": 4.5, "events": [
        {"type": "O", "frame": 0, "at": 1.5}, {"type": "O", "frame": 1, "at": 2.25}, {"type": "C", "frame": 1, "at": 3.5}, {"type": "C", "frame": 0, "at": 4.5}]}],
                                      [frame("App!Program.Main(class System.String[])"), frame("System.Private.CoreLib.il!System.String.Concat(class System.String)")],
                                      activeProfileIndex=0, exporter="Microsoft.Diagnostics.Tracing.StackSources"), SLICES, [
        ("App!Program.Main(class System.String[])", 1500000, 3000000, 0),
        ("System.Private.CoreLib.il!System.String.Concat(class System.String)", 2250000, 1250000, 1)]),
    # dotnet-trace convert --format Chromium: an array of complete events and the frames beside it.
    "dotnet-trace Chromium": (json.dumps({"traceEvents": [{"name": "App!Program.Main()", "cat": "sampleEvent", "ph": "X", "ts": 1.5, "dur": 3, "pid": 7, "tid": 8, "sf": 0},
                                                          {"name": "App!Work()", "cat": "sampleEvent", "ph": "X", "ts": 2, "dur": 1, "pid": 7, "tid": 8, "sf": 1}],
                                          "displayTimeUnit": "ms", "stackFrames": {"0": {"name": "App!Program.Main()", "category": "0"}, "1": {"name": "App!Work()", "category": "0", "parent": 0}}}),
                              "SELECT e.name, e.ts, e.dur FROM chrome_event e ORDER BY e.ts", [("App!Program.Main()", 1500, 3000), ("App!Work()", 2000, 1000)]),
    # perf script with the fields of stackcollapse-perf's first lines.
    "perf script": ("swapper     0/0     [003]  2.000001: cycles: \n\tffffffff81001234 native_safe_halt ([kernel.kallsyms])\n\tffffffff81001300 cpu_idle ([kernel.kallsyms])\n\n",
                    STACKS, [("cpu_idle;native_safe_halt", 2000001000, None, 1, "swapper")]),
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, sql, want) in CASES.items():
            path = os.path.join(folder, "file")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            done = starts.run([program, path, "-e", path + ".db", "--force", "--quiet", "--strict"], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit("%s: exit code %d: %s" % (name, done.returncode, done.stderr))
            have = sqlite3.connect(path + ".db").execute(sql).fetchall()
            if have != want:
                sys.exit("%s: %r instead of %r" % (name, have, want))


if __name__ == "__main__":
    main()
