#!/usr/bin/env python3
"""Views and questions on events of the kernel, against numbers that stand in the comments of the events.

usage: kernel.py TRACE_STREAMER SOURCE_DIR
"""

import os
import random
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
from critical_path import Chain
from ftrace_made import Made
from ftrace_write import Style
from judge import Judge
from kernel_events import check_event_example, check_events
import starts

S, MS = 10**9, 10**6


def line(ts, comm, pid, tgid, cpu, event):
    return "%16s-%-5d (%s) [%03d] d..2 %d.%09d: %s\n" % (comm, pid, "%5d" % tgid if tgid else "-----", cpu, ts // S, ts % S, event)


def switch(ts, cpu, out, state, into):
    tgids = {"swapper": 0, "app": 20, "worker": 20, "svc": 30, "ui": 50}
    pids = {"swapper": 0, "app": 20, "worker": 21, "svc": 30, "ui": 50}
    return line(ts, out, pids[out], tgids[out], cpu, "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s "
                "next_pid=%d next_prio=120" % (out, pids[out], state, into, pids[into]))


def wake(ts, cpu, by, tgid, pid, comm, woken):
    return line(ts, by, pid, tgid, cpu, "sched_wakeup: comm=%s pid=%d prio=120 target_cpu=000" % (comm, woken))


def mark(ts, text):
    return line(ts, "ui", 50, 50, 2, "tracing_mark_write: " + text)


def trace():
    """Two CPUs for 260 ns, then a frame of `ui` on a third one that takes 18 ms and had 16."""
    at, ui = 2 * S, 3 * S
    return "# tracer: nop\n" + "".join((
        switch(at, 0, "swapper", "R", "app"), wake(at + 20, 0, "app", 20, 20, "worker", 21), switch(at + 30, 1, "svc", "R", "worker"),
        switch(at + 100, 0, "app", "D", "swapper"), wake(at + 150, 1, "worker", 20, 21, "app", 20), switch(at + 160, 0, "swapper", "R", "app"),
        switch(at + 200, 1, "worker", "R+", "svc"), switch(at + 260, 0, "app", "S", "svc"), wake(at + 300, 1, "svc", 30, 30, "app", 20),
        switch(ui, 2, "swapper", "R", "ui"),
        mark(ui, "B|50|H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:5" % (ui, ui + 16 * MS)),
        mark(ui + MS, "B|50|H:OnVsyncEvent now:1"), mark(ui + 2 * MS, "B|50|H:MarshRSTransactionData transactionFlag:[50,9]"),
        mark(ui + 3 * MS, "E|50"), switch(ui + 4 * MS, 2, "ui", "S", "swapper"), wake(ui + 10 * MS, 1, "svc", 30, 30, "ui", 50),
        switch(ui + 12 * MS, 2, "swapper", "R", "ui"), mark(ui + 18 * MS, "E|50"), mark(ui + 20 * MS, "E|50"),
        switch(ui + 21 * MS, 2, "ui", "S", "swapper")))


def check(j):
    at, ui = 2 * S, 3 * S
    itid = {name: i for i, name in j.rows("SELECT itid, name FROM thread")}
    end = ui + 21 * MS - at
    j.some("v_thread_state_summary", "tid thread pid states running runnable sleeping blocked other", [
        (20, "app", 20, 6, 200, 10 + end - 300, 40, 50, 0),  # 0-100 and 160-260; 150-160 and from 300 to the end; 260-300; 100-150
        (21, "worker", 20, 3, 170, 10 + end - 200, 0, 0, 0),  # 30-200; 20-30 and from 200 to the end
        (30, "svc", 30, 3, 60 + end - 260, 170, 0, 0, 0),  # 200-260 on CPU 1 until it came to CPU 0, where it stays; 30-200
        (50, "ui", 50, 5, 13 * MS, 2 * MS, 6 * MS, 0, 0)])  # 0-4, 12-21; 10-12; 4-10 ms, asleep from 21 ms on
    j.view("v_cpu_utilization", "cpu begin_ts slices threads busy idle share", [
        (0, at, 4, 2, 200, 60, 200 / 260), (1, at + 30, 2, 2, 170, 0, 1.0), (2, ui, 4, 1, 13 * MS, 8 * MS, 13 / 21)])
    j.view("v_sched_latency", "ts latency itid tid thread pid process waker_itid waker_tid waker cpu", [
        (at + 20, 10, itid["worker"], 21, "worker", 20, "app", itid["app"], 20, "app", 1),
        (at + 150, 10, itid["app"], 20, "app", 20, "app", itid["worker"], 21, "worker", 0),
        (at + 300, None, itid["app"], 20, "app", 20, "app", itid["svc"], 30, "svc", None),
        (ui + 10 * MS, 2 * MS, itid["ui"], 50, "ui", 50, "ui", itid["svc"], 30, "svc", 2)])
    receive = "H:ReceiveVsync dataCount:24bytes now:3000000000 expectedEnd:3016000000 vsyncId:5"
    jank = (0, ui, 18 * MS, 2 * MS, 1, 5, 50, "ui", itid["ui"], "ui", 10 * MS, 2 * MS, 6 * MS, 0, 1, "H:OnVsyncEvent now:1", 17 * MS)
    j.view("v_frame_jank", "frame_id ts dur late_by flag vsync pid process itid thread running runnable sleeping blocked slice_id slice slice_dur", [jank])
    marsh = "H:MarshRSTransactionData transactionFlag:[50,9]"
    j.some("v_slice_self", "id ts dur self_dur calls depth parent_id name tid pid", [
        (0, ui, 20 * MS, 3 * MS, 1, 0, None, receive, 50, 50), (1, ui + MS, 17 * MS, 16 * MS, 1, 1, 0, "H:OnVsyncEvent now:1", 50, 50),
        (2, ui + 2 * MS, MS, MS, 0, 2, 1, marsh, 50, 50)])
    for pid in None, 50:
        j.ask("slow_frames", "frame_id process thread ts ms late_ms running_ms runnable_ms sleeping_ms blocked_ms slice slice_ms cause within",
              [(0, "ui", "ui", ui, 18.0, 2.0, 10.0, 2.0, 6.0, 0.0, "H:OnVsyncEvent now:1", 17.0, "ran", "H:OnVsyncEvent now:1")], pid=pid)
        j.ask("hot_slices", "name count self_ms total_ms max_ms", [
            ("H:OnVsyncEvent now:1", 1, 16.0, 17.0, 17.0), (receive, 1, 3.0, 20.0, 20.0), (marsh, 1, 1.0, 1.0, 1.0)], pid=pid)
    j.ask("sched_latency", "process thread tid wakes mean_us max_us total_ms waker max_ts", [
        ("ui", "ui", 50, 1, 2000.0, 2000.0, 2.0, "svc", ui + 10 * MS),
        ("app", "app", 20, 1, 0.01, 0.01, 10 / MS, "worker", at + 150), ("app", "worker", 21, 1, 0.01, 0.01, 10 / MS, "app", at + 20)], limit=3)
    j.ask("slow_frames", "frame_id process thread ts ms late_ms running_ms runnable_ms sleeping_ms blocked_ms slice slice_ms cause within", [], pid=20)


PATH = "ts us process thread tid state cpu woken_by ran_instead ran_us"


def nobody(*parts):
    """Parts of a chain while which no other thread had the CPU that was waited for."""
    return [part + (None, None) for part in parts]


def check_paths(j):
    """Of the frame: woken 2 ms before it ran again, by a thread that ran all the time before."""
    ui = 3 * S
    tail = nobody((ui + 10 * MS, 2000.0, "ui", "ui", 50, "R", None, "svc"), (ui + 12 * MS, 6000.0, "ui", "ui", 50, "Running", 2, None))
    j.ask("critical_path", PATH, nobody((ui, 10000.0, "svc", "svc", 30, "Running", 0, None)) + tail, frame=0)
    j.ask("critical_path", PATH, nobody((ui + MS, 9000.0, "svc", "svc", 30, "Running", 0, None)) + tail, slice=1)
    j.ask("critical_path", PATH, nobody((ui + 2 * MS, 1000.0, "ui", "ui", 50, "Running", 2, None)), slice=2)
    j.ask("critical_path", PATH, tail[1:], slice=1, limit=1)
    j.ask("critical_path", PATH, [], slice=77)
    j.ask("critical_path", PATH, [])


def check_call(j, work):
    """app calls svc, which is preempted and calls back; a timer wakes it once; worker waits for a disk that nobody's thread answers."""
    at = 2 * S
    mark_of = lambda ts, text: line(at + ts, "app", 20, 20, 0, "tracing_mark_write: " + text)
    path = os.path.join(work, "call.ftrace")
    with open(path, "w", encoding="utf-8") as f:
        f.write("# tracer: nop\n" + "".join((
            switch(at, 0, "swapper", "R", "app"), mark_of(5, "B|20|work"), wake(at + 10, 0, "app", 20, 20, "svc", 30), switch(at + 14, 1, "swapper", "R", "svc"),
            switch(at + 20, 0, "app", "S", "swapper"), switch(at + 24, 1, "svc", "R+", "worker"), switch(at + 30, 1, "worker", "S", "svc"),
            switch(at + 34, 1, "svc", "D", "swapper"), wake(at + 40, 1, "swapper", 0, 0, "svc", 30), switch(at + 41, 1, "swapper", "R", "svc"),
            wake(at + 50, 1, "svc", 30, 30, "app", 20), switch(at + 55, 1, "svc", "S", "swapper"), switch(at + 60, 0, "swapper", "R", "app"), mark_of(80, "E|20"))))
    j.convert("call", path)
    svc, app = ("svc", "svc", 30), ("app", "app", 20)
    j.ask("critical_path", PATH, nobody(
        (at + 5, 0.005, *app, "Running", 0, None), (at + 10, 0.004, *svc, "R", None, "app"), (at + 14, 0.01, *svc, "Running", 1, None)
    ) + [(at + 24, 0.006, *svc, "R+", None, None, "worker", 0.006)] + nobody((at + 30, 0.004, *svc, "Running", 1, None), (at + 34, 0.006, *svc, "D", None, None),
        (at + 40, 0.001, *svc, "R", None, "swapper"), (at + 41, 0.009, *svc, "Running", 1, None), (at + 50, 0.01, *app, "R", None, "svc"),
        (at + 60, 0.02, *app, "Running", 0, None)), slice=0)


def folded(j, *options):
    """--to=folded of the database: {path: weight}."""
    run = starts.run([j.program, j.path, "--to=folded", "-o", "-", "--quiet", *options], capture_output=True, text=True, check=True)
    return {path: int(n) for path, _, n in (line.rpartition(" ") for line in run.stdout.splitlines())}


def check_export(j):
    """Slices as stacks: each path has the time that v_slice_self says of its slices, or their number."""
    rows = {r[0]: r for r in j.rows("SELECT id, parent_id, name, self_dur, ts, itid FROM v_slice_self")}

    def path(number):
        names = []
        while number in rows:
            names.append(rows[number][2] or "(anonymous)")
            number = rows[number][1]
        return ";".join(reversed(names))

    timed = [(path(r[0]), *r) for r in rows.values() if r[3] is not None]
    middle = sorted(r[5] for r in timed)[len(timed) // 2]
    thread, = j.rows("SELECT name FROM thread WHERE itid = ?", (timed[-1][6],))[0]
    same_name = {i for i, in j.rows("SELECT itid FROM thread WHERE name = ?", (thread,))}
    for options, weigh, wanted in (((), 4, lambda r: True), (("--weight=samples",), None, lambda r: True), (("--thread=" + thread,), 4, lambda r: r[6] in same_name),
                                   (("--until=%d" % middle, "--weight=samples"), None, lambda r: r[5] < middle)):
        want = {}
        for r in filter(wanted, timed):
            want[r[0]] = want.get(r[0], 0) + (1 if weigh is None else r[weigh])
        want = {p: n for p, n in want.items() if n > 0}
        if want:
            j.same("folded slices %s" % (options,), folded(j, *options), want)


def check_random(j, work):
    """Chains of random recordings, which are full of states that do not fit, against another program."""
    with open(os.path.join(j.questions, "critical_path.sql"), encoding="utf-8") as f:
        sql = f.read()
    parts = instead = 0
    for seed in range(200 if os.environ.get("TS_SLOW") == "1" else 4):
        path = os.path.join(work, "random%d.ftrace" % seed)
        made = Made(random.Random(seed), "text", 1200, ["switch", "wakeup", "marker", "binder"])
        with open(path, "w", encoding="utf-8") as f:
            f.write(Style().recording(sorted(made.events, key=lambda e: e.ts)))
        j.convert("random%d" % seed, path)
        check_export(j)
        check_events(j)
        check_off_cpu(j, work, seed)
        under = check_samples(j, work, seed)
        if under < 20:
            j.fail("%d samples only are under slices" % under)
        name = dict(j.rows("SELECT itid, name FROM thread"))
        chain = Chain(j.db)
        for number, itid, ts, dur in j.rows("SELECT id, callid, ts, dur FROM callstack WHERE dur > 0 ORDER BY dur DESC LIMIT 20"):
            want = [(p[0], p[1], name[p[2]], p[3], p[4], name.get(p[5]), *((name[ran[0]], ran[1]) if ran else (None, None)))
                    for p, ran in chain.with_others(itid, ts, ts + dur)]
            instead += sum(w[6] is not None for w in want)
            got = j.rows(sql, {"slice": number, "frame": None, "limit": None})
            j.same_rows("critical path of %d" % number, "ts us thread state cpu woken_by ran_instead ran_us".split(), [(r[0], r[1], r[3], *r[5:]) for r in got], want, False)
            parts += len(want)
    if parts < 200:
        j.fail("random recordings have chains of %d parts only" % parts)
    if instead < 5:
        j.fail("random recordings have %d waits only while others ran" % instead)


def check_samples(j, work, seed):
    """Samples that are put into a recording of slices are under the innermost slice that is open then."""
    rng = random.Random(seed)
    path = os.path.join(work, "samples%d.db" % seed)
    with sqlite3.connect(path) as db:
        j.db.backup(db)
        slices = db.execute("SELECT id, callid, ts, dur, depth, name FROM callstack WHERE cookie IS NULL").fetchall()
        times = sorted({t for _, _, ts, dur, _, _ in slices for t in (ts, ts + (dur or 0), ts + (dur or 0) // 2)})
        threads = sorted({s[1] for s in slices}) + [None]
        samples = [(i, rng.choice(threads), rng.choice(times + [None]) , rng.choice([None, 7]), rng.randrange(1, 9)) for i in range(1, 400)]
        samples = [(i, itid, None if ts is None else ts + rng.choice((-1, 0, 0, 1)), dur, node) for i, itid, ts, dur, node in samples]
        db.executemany("INSERT INTO stack_sample(id, source_id, itid, ts, dur, node_id, event) VALUES (?, 1, ?, ?, ?, ?, 'cpu')", samples)
    want = []
    for i, itid, ts, dur, node in samples:
        around = [s for s in slices if ts is not None and s[1] == itid and s[2] <= ts and (s[3] is None or s[2] + s[3] > ts)]
        if around:
            number, _, _, _, depth, name = max(around, key=lambda s: (s[4], s[2], s[0]))
            want.append((i, number, name, depth, itid, ts, dur, node, "cpu"))
    j.db, kept = sqlite3.connect(path), j.db
    j.view("v_slice_samples", "sample_id slice_id name depth itid ts dur node_id event", want, key=lambda row: row[0])
    j.db = kept
    return len(want)


def check_off_cpu(j, work, seed):
    """Stacks at which threads left the CPU, with the time until their next time on one, or, without scheduling, their next sample."""
    rng = random.Random(seed)
    path = os.path.join(work, "off%d.db" % seed)
    with sqlite3.connect(path) as db:
        j.db.backup(db)
        ran = {}
        for itid, ts in db.execute("SELECT itid, ts FROM sched_slice" if seed % 2 == 0 else "SELECT 0, 0 LIMIT 0"):
            ran.setdefault(itid, []).append(ts)
        if seed % 2 == 1:
            db.execute("DELETE FROM sched_slice")
        names = dict(db.execute("SELECT itid, name FROM thread WHERE itid > 0"))
        times = [t for t, in db.execute("SELECT ts FROM thread_state")]
        methods = {i: "m%d" % (i % 3) for i in range(1, 7)}
        parents = {1: None, 2: 1, 3: 2, 4: 1, 5: None, 6: 5}
        db.executemany("INSERT INTO stack_method(id, source_id, name) VALUES (?, 1, ?)", methods.items())
        db.executemany("INSERT INTO stack_node(id, source_id, parent_id, method_id) VALUES (?, 1, ?, ?)", [(i, p, i) for i, p in parents.items()])
        samples = [(i, rng.choice(list(names) + [None]), rng.choice(times + [None]), rng.choice(list(methods) + [None]), rng.choice(["cpu-clock", "sched:sched_switch"])) for i in range(1, 300)]
        db.executemany("INSERT INTO stack_sample(id, source_id, itid, ts, node_id, event) VALUES (?, 1, ?, ?, ?, ?)", samples)

    def stack(node):
        return (stack(parents[node]) if parents[node] is not None else []) + [methods[node]]

    by = {}
    for s in sorted((s for s in samples if s[1] is not None and s[2] is not None), key=lambda s: (s[2], s[0])):
        by.setdefault(s[1], []).append(s)
    places = {}
    for itid, own in by.items():
        for k, (_, _, ts, node, event) in enumerate(own):
            again = min((t for t in ran[itid] if t >= ts), default=None) if itid in ran else own[k + 1][2] if k + 1 < len(own) else None
            if event == "sched:sched_switch":
                places.setdefault(node, []).append((itid, None if again is None else again - ts))
    want = []
    for node, off in places.items():
        known = [ns for _, ns in off if ns is not None]
        threads = {itid for itid, _ in off}
        want.append((sum(known) if known else None, max(known, default=None), len(off), len(off) - len(known), len(threads), names[min(threads)] if len(threads) == 1 else None,
                     None if node is None else methods[node], None if node is None else " > ".join(stack(node)), node))
    want.sort(key=lambda r: (r[0] is None, -(r[0] or 0), -r[2], r[8] is not None, r[8] or 0))
    j.db, kept = sqlite3.connect(path), j.db
    j.ask("off_cpu", "off_ns longest_ns times open threads thread method stack", [r[:8] for r in want])
    j.ask("off_cpu", "off_ns longest_ns times open threads thread method stack", [r[:8] for r in want][:2], limit=2)
    j.db = kept


def main():
    program, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        j = Judge(program, work, os.path.join(os.path.dirname(program), "../share/trace_streamer/sql"))
        path = os.path.join(work, "kernel.ftrace")
        with open(path, "w", encoding="utf-8") as f:
            f.write(trace())
        j.convert("kernel", path)
        check(j)
        check_paths(j)
        check_export(j)
        check_events(j)
        check_event_example(j, work, line)
        check_call(j, work)
        check_random(j, work)
        print("%d cells, %d differences" % (j.cells, j.bad))
        sys.exit(1 if j.bad else 0)


main()
