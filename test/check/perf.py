#!/usr/bin/env python3
"""Compares what the tracepoints of a text of `perf script` give, cell by cell, with what the model makes of its lines.

usage: perf.py DATABASE FILE
"""

import re
import sqlite3
import sys
from decimal import Decimal

from cells import cells
from ftrace_compare import differences
from ftrace_model import Event, Model
from ftrace_write import LINES, STATE_LETTERS

LINE = re.compile(r"\s*(.*?)\s+(?:(-?\d+)/)?(-?\d+)\s+\[(\d+)\]\s+(\d+\.\d+):\s+(?:[\w-]+:)?(\w+): ?(.*)")
SWITCH = re.compile(r"prev_comm=(.*) prev_pid=(\d+) prev_prio=(-?\d+) prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) next_prio=(-?\d+)")


def state(letters):
    bits = dict((c, bit) for bit, c in STATE_LETTERS)
    return sum(bits.get(c, 0) for c in letters)


def switch(text):
    v = SWITCH.match(text).groups()
    return {"prev_comm": v[0], "prev_pid": int(v[1]), "prev_prio": int(v[2]), "prev_state": state(v[3]), "next_comm": v[4], "next_pid": int(v[5]), "next_prio": int(v[6])}


def pairs(pattern, **how):
    def fields(text):
        found = re.search(pattern, text)
        return {k: how.get(k, str)(v) for k, v in found.groupdict().items()}

    return fields


task = pairs(r"comm=(?P<comm>.*) pid=(?P<pid>\d+)", pid=int)
woken = pairs(r"comm=(?P<comm>.*) pid=(?P<pid>\d+) prio=-?\d+ target_cpu=(?P<target_cpu>\d+)", pid=int, target_cpu=int)
soft = pairs(r"vec=(?P<vec>\d+)", vec=int)
number = lambda *names: pairs(" ".join(r"%s=(?P<%s>\d+)" % (n, n) for n in names), **{n: int for n in names})
FIELDS = {
    "sched_switch": switch, "sched_wakeup": woken, "sched_wakeup_new": woken, "sched_waking": woken, "sched_process_exit": task, "sched_process_free": task,
    "task_newtask": pairs(r"pid=(?P<pid>\d+) comm=(?P<comm>.*) clone_flags=(?P<clone_flags>\w+)", pid=int, clone_flags=lambda v: int(v, 16)),
    "task_rename": pairs(r"pid=(?P<pid>\d+) .*newcomm=(?P<newcomm>.*) oom_score_adj", pid=int),
    "irq_handler_entry": pairs(r"irq=(?P<irq>\d+) name=(?P<name>.*)", irq=int),
    "irq_handler_exit": pairs(r"irq=(?P<irq>\d+) ret=(?P<ret>\w+)", irq=int, ret=lambda v: int(v == "handled")),
    "softirq_entry": soft, "softirq_exit": soft, "softirq_raise": soft,
    "workqueue_execute_start": pairs(r"function (?P<function_name>\S+)"), "workqueue_execute_end": lambda text: {},
    "cpu_idle": number("state", "cpu_id"), "cpu_frequency": number("state", "cpu_id"), "signal_generate": lambda text: {}, "signal_deliver": lambda text: {},
}


def events(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            comm, pid, tid, cpu, ts, name, text = LINE.match(line.rstrip("\n")).groups()
            if name in LINES and name not in FIELDS:
                raise ValueError("no reader of %s here" % name)
            comm = "" if tid == "-1" else comm  # of a thread that has ended and has no number any more
            yield Event(name if name in FIELDS else "unknown", int(Decimal(ts) * 10**9), int(cpu), int(tid), int(pid or 0), comm, **FIELDS.get(name, lambda text: {})(text))


def compare(database, path):
    wrong, compared = differences(sqlite3.connect(database), Model("text").run(list(events(path))))
    cells.compared += compared
    return "\n".join(wrong)


def main():
    cells.end(compare(sys.argv[1], sys.argv[2]), sys.argv[2])


if __name__ == "__main__":
    main()
