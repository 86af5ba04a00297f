#!/usr/bin/env python3
"""The same events of the kernel as raw pages, as text and as packets of Perfetto, one by one and as lists: the rows are the same.

usage: perfetto_kernel.py TRACE_STREAMER TESTDIR
"""

import os
import sqlite3
import sys
import tempfile

program, testdir = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "tools"))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts
import ftrace_files
import perfetto_write as w

TABLES = {
    "sched_slice": "SELECT s.ts, s.dur, s.ts_end, s.cpu, t.tid, p.pid, s.end_state FROM sched_slice s LEFT JOIN thread t ON t.itid = s.itid LEFT JOIN process p ON p.ipid = t.ipid "
                   "ORDER BY s.ts, s.cpu",
    "thread_state": "SELECT s.ts, s.dur, s.cpu, t.tid, s.state FROM thread_state s LEFT JOIN thread t ON t.itid = s.itid ORDER BY s.ts, t.tid, s.state",
    "callstack": "SELECT c.ts, c.dur, t.tid, c.name, c.depth FROM callstack c LEFT JOIN thread t ON t.itid = c.callid WHERE c.cat IS NOT 'irq' ORDER BY c.ts, t.tid, c.depth",
    "irq": "SELECT ts, dur, cat, name, flag FROM irq ORDER BY ts, name",
    "thread": "SELECT t.tid, t.name, p.pid, p.name FROM thread t LEFT JOIN process p ON p.ipid = t.ipid WHERE t.itid IN (SELECT itid FROM thread_state) "
              "OR t.itid IN (SELECT callid FROM callstack) ORDER BY t.tid",
}


def event(ns, pid, kind, values):
    """FtraceEvent of an event; numbers that are 0 are left out, as recorders do."""
    number = lambda field, v: w.number(field, v) if v else b""
    if kind == "sched_switch":
        names = ftrace_files.THREADS
        body = w.text(4, w.text(1, names[values[0]]) + number(2, values[0]) + w.number(3, 120) + number(4, values[1]) + w.text(5, names[values[2]]) + number(6, values[2]) + w.number(7, 98))
    elif kind == "print":
        body = w.text(3, w.text(2, values[0] + "\n"))
    else:
        body = w.text(36, number(1, values[0]) + w.text(2, values[1]))
    return w.number(1, ns) + number(2, pid) + body


def compact(switches):
    """The lists of switches of a CPU: time differences, states, who comes next."""
    names = [ftrace_files.THREADS[p] for p in sorted(ftrace_files.THREADS)]
    packed = lambda field, values: w.text(field, b"".join(w.varint(v) for v in values))
    times = [e[0] for e in switches]
    return w.text(4, b"".join(w.text(5, n) for n in names) + packed(1, [times[0]] + [b - a for a, b in zip(times, times[1:])]) + packed(2, [e[4][1] for e in switches])
                  + packed(3, [e[4][2] for e in switches]) + packed(4, [98] * len(switches)) + packed(6, [names.index(ftrace_files.THREADS[e[4][2]]) for e in switches]))


def packets(events, lists):
    """Bundles of 40 events of a CPU; first the processes."""
    tree = b"".join(w.text(1, w.number(1, p) + w.text(3, ftrace_files.THREADS[p])) for p in (20, 30))
    tree += b"".join(w.text(2, w.number(1, t) + w.text(2, ftrace_files.THREADS[t]) + w.number(3, g)) for t, g in ftrace_files.TGIDS.items())
    out = w.packet(w.number(8, 1), w.number(10, 1), w.text(2, tree))
    for cpu in range(ftrace_files.CPUS):
        own = [e for e in events if e[1] == cpu]
        for at in range(0, len(own), 40):
            part = own[at:at + 40]
            switches = [e for e in part if e[3] == "sched_switch"] if lists else []
            body = (w.number(1, cpu) if cpu else b"") + b"".join(w.text(2, event(e[0], e[2], e[3], e[4])) for e in part if e not in switches)
            out += w.packet(w.number(10, 2), w.text(1, body + (compact(switches) if switches else b"")))
    return out


def rows(path, out):
    done = starts.run([program, path, "-e", out, "--strict", "--force", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (path, done.returncode, done.stderr))
    con = sqlite3.connect(out)
    return {name: con.execute(sql).fetchall() for name, sql in TABLES.items()}


def main():
    with tempfile.TemporaryDirectory() as folder:
        compared = 0
        for count in (1, 50, 400, 3000):
            events = list(ftrace_files.events(count))
            forms = {"kernel.sys": ftrace_files.raw(count), "kernel.ftrace": ftrace_files.text(count), "one.pftrace": packets(events, False), "lists.pftrace": packets(events, True)}
            found = {}
            for name, data in forms.items():
                path = os.path.join(folder, name)
                with open(path, "wb") as f:
                    f.write(data)
                found[name] = rows(path, path + ".db")
            for name in ("one.pftrace", "lists.pftrace"):
                for table, want in found["kernel.sys"].items():
                    have = found[name][table]
                    for a, b in zip(want, have):
                        if a != b:
                            sys.exit("%d events, %s, %s: %r instead of %r" % (count, name, table, b, a))
                    if len(want) != len(have):
                        sys.exit("%d events, %s, %s: %d rows instead of %d" % (count, name, table, len(have), len(want)))
                    compared += sum(len(r) for r in want)
    print("%d cells compared" % compared)


if __name__ == "__main__":
    main()
