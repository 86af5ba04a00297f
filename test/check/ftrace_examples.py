#!/usr/bin/env python3
"""Examples of events of the kernel (docs/formats.md, "ftrace-plugin" and "Raw traces of the kernel") with their rows; run alone, it checks
the model against them, and that a wrong cell anywhere is noticed.

Columns that an example does not mention are not in its rows.
"""

import random
import sqlite3
import sys

sys.dont_write_bytecode = True
from ftrace_compare import differences, fill
from ftrace_made import Made
from ftrace_model import Event, Model

BASE = 2 * 10**9
MONO = 0  # the examples' monotonic clock shows what boottime shows
IDLE = (0, 0, "swapper")
APP, WORKER, SVC = (20, 20, "app"), (21, 20, "worker"), (30, 30, "svc")


def at(offset, cpu, thread, kind, /, **fields):
    pid, tgid, comm = thread
    return Event(kind, BASE + offset, cpu, pid, tgid, comm, **fields)


def switch(offset, cpu, before, state, after):
    return at(offset, cpu, before, "sched_switch", prev_comm=before[2], prev_pid=before[0], prev_prio=120, prev_state=state, next_comm=after[2],
              next_pid=after[0], next_prio=120)


def sched():
    return [
        switch(0, 0, IDLE, 0, APP),
        at(10, 1, SVC, "sched_waking", pid=21, target_cpu=1),
        at(20, 1, SVC, "sched_wakeup", pid=21, target_cpu=1),
        switch(30, 1, SVC, 0, WORKER),
        switch(100, 0, APP, 2, IDLE),
        at(110, 0, IDLE, "sched_blocked_reason", pid=20, caller=0x1000, iowait=1),
        at(150, 1, WORKER, "sched_wakeup", pid=20, target_cpu=0),
        switch(160, 0, IDLE, 0, APP),
        switch(200, 1, WORKER, 2048, SVC),
        switch(260, 0, APP, 1, SVC),
        at(300, 1, SVC, "sched_wakeup", pid=20, target_cpu=0),
        at(310, 1, SVC, "sched_process_exit", comm="worker", pid=21),
        at(320, 1, SVC, "task_rename", pid=20, newcomm="com.app"),
    ]


SCHED = {
    "thread": ("itid, tid, name", [(0, 0, "swapper"), (1, 20, "com.app"), (2, 30, "svc"), (3, 21, "worker")]),
    "sched_slice": ("ts, dur, cpu, itid, end_state", [
        (0, 100, 0, 1, "D"), (30, 170, 1, 3, "R+"), (100, 60, 0, 0, "R"), (160, 100, 0, 1, "S"), (200, None, 1, 2, None), (260, None, 0, 2, None)]),
    "thread_state": ("ts, dur, cpu, itid, state, arg_setid", [
        (0, 100, 0, 1, "Running", None), (20, 10, None, 3, "R", None), (30, 170, 1, 3, "Running", None), (30, 170, None, 2, "R", None),
        (100, 50, None, 1, "D-IO", 0), (150, 10, None, 1, "R", None), (160, 100, 0, 1, "Running", None), (200, 60, 1, 2, "Running", None),
        (200, None, None, 3, "R+", None), (260, None, 0, 2, "Running", None), (260, 40, None, 1, "S", None), (300, None, None, 1, "R", None)]),
    "args": ("(SELECT data FROM data_dict d WHERE d.id = t.key), CASE datatype WHEN 1 THEN (SELECT data FROM data_dict d WHERE d.id = t.value) "
             "ELSE value END, argset", [("iowait", 1, 0), ("caller", "0x1000", 0)]),
}


def mark(offset, thread, text):
    return at(offset, 0, thread, "print", buf=text)


def slices():
    marks = [(0, APP, "B|20|H:outer "), (10, APP, "B|20|H:[8b0e,2,1]#C##call"), (15, APP, "B|20|H:named|M62|k=v"), (18, APP, "E|20"), (20, APP, "E|20\n"),
             (25, WORKER, "S|20|H:load|7|I62|cat|args"), (26, APP, "S|20|net$$H:x|7"), (27, APP, "S|20|H:load|7"), (30, APP, "E|20|"), (31, APP, "E|20"),
             (35, APP, "F|20|H:load|7"), (36, APP, "F|20|H:none|9"), (40, APP, "C|20|H:count|5"), (50, APP, "C|20|H:count|-6"), (60, APP, "G|20|cat|H:g|1"),
             (61, APP, "G|20|cat|H:g|1"), (65, WORKER, "H|20|cat|H:g|1"), (70, APP, "B|20|open"), (71, APP, "trace_event_clock_sync: parent_ts=1"),
             (72, APP, "X|20|no"), (73, APP, "C|20|H:bad|x"), (80, SVC, "B|33|H:other"), (90, SVC, "E|33")]
    return [mark(*m) for m in marks]


TID = "(SELECT tid FROM thread h WHERE h.itid = t.callid)"
CHILD = "(SELECT tid FROM thread h WHERE h.itid = t.child_callid)"
SLICES = {
    "callstack": ("ts, dur, %s, name, depth, cookie, parent_id, cat, chainId, spanId, parentSpanId, flag" % TID, [
        (0, 30, 20, "H:outer", 0, None, None, None, None, None, None, None),
        (10, 10, 20, "H:[8b0e,2,1]#C##call", 1, None, 0, None, "8b0e", "2", "1", "C"),
        (15, 3, 20, "H:named|M62|k=v", 2, None, 1, None, None, None, None, None),
        (25, 10, 20, "H:load", 0, 7, 2, None, None, None, None, None),
        (26, None, 20, "net$$H:x", 0, 7, 1, "net", None, None, None, None),
        (60, None, 20, "H:g", 0, 1, None, "cat", None, None, None, None),
        (61, 4, 20, "H:g", 0, 1, None, "cat", None, None, None, None),
        (70, None, 20, "open", 0, None, None, None, None, None, None, None),
        (80, 10, 30, "H:other", 0, None, None, None, None, None, None, None)]),
    "callstack ": ("trace_level, trace_tag, custom_category, custom_args, %s" % CHILD, [
        (None, None, None, None, None), (None, None, None, None, None), ("M", "62", None, "k=v", None), ("I", "62", "cat", "args", 21),
        (None, None, None, None, 20)] + [(None, None, None, None, None)] * 4),
    "process_measure": ("ts, dur, value", [(40, 10, 5), (50, None, -6)]),
    "process": ("pid, name", [(0, "swapper"), (20, "app"), (33, "named33")], "pid <> 30"),
    "stat": ("count", {("tracing_mark_write", "received"): 23, ("tracing_mark_write", "invalid_data"): 3}),
}


def call(offset, thread, number, to, reply=0, flags=0, code=0):
    return at(offset, 0, thread, "binder_transaction", debug_id=number, target_node=5, to_proc=to, to_thread=to, reply=reply, flags=flags, code=code)


def binder():
    received = lambda offset, thread, number: at(offset, 0, thread, "binder_transaction_received", debug_id=number)
    return [at(-2, 0, APP, "task_rename", pid=20, newcomm="app"), at(-1, 0, SVC, "task_rename", pid=30, newcomm="svc"),
            call(0, APP, 100, 30, flags=16, code=1), at(1, 0, APP, "binder_transaction_alloc_buf", data_size=64, offsets_size=8),
            received(10, SVC, 100), mark(12, SVC, "B|30|H:work"), mark(15, SVC, "E|30"), call(20, SVC, 101, 20, reply=1), received(30, APP, 101),
            call(40, APP, 102, 30, flags=17, code=2), received(50, SVC, 102), at(60, 0, APP, "binder_lock"), at(61, 0, APP, "binder_locked"),
            at(65, 0, APP, "binder_unlock")]


BINDER = {
    "callstack": ("ts, dur, %s, name, depth, parent_id, argsetid" % TID, [
        (0, 30, 20, "binder transaction", 0, None, 0), (10, 10, 30, "binder reply", 0, None, 1), (12, 3, 30, "H:work", 1, 1, None),
        (40, 0, 20, "binder transaction async", 0, None, 2), (50, 0, 30, "binder async rcv", 0, None, 2),
        (60, 1, 20, "binder lock waiting", 0, None, None), (61, 4, 20, "binder lock held", 0, None, None)]),
    "args": ("(SELECT data FROM data_dict d WHERE d.id = t.key), datatype, CASE datatype WHEN 1 THEN (SELECT data FROM data_dict d WHERE "
             "d.id = t.value) ELSE value END, argset", {
                 0: [("transaction id", 0, 100), ("destination node", 0, 5), ("destination process", 0, 30), ("reply transaction?", 3, 0),
                     ("flags", 1, "0x10 allow replies with file descriptors; "), ("code", 1, "0x1 Java Layer Dependent"), ("calling tid", 0, 20),
                     ("data size", 0, 64), ("offsets size", 0, 8), ("destination thread", 0, 30), ("destination name", 1, "svc"),
                     ("destination slice id", 0, 1)],
                 1: [("destination slice id", 0, 0), ("destination thread", 0, 20), ("destination name", 1, "app"), ("transaction id", 0, 101),
                     ("destination node", 0, 5), ("destination process", 0, 20), ("reply transaction?", 3, 1), ("flags", 1, "0x0 No Flags Set"),
                     ("code", 1, "0x0 Java Layer Dependent"), ("calling tid", 0, 30)],
                 2: [("transaction id", 0, 102), ("destination node", 0, 5), ("destination process", 0, 30), ("reply transaction?", 3, 0),
                     ("flags", 1, "0x11 this is a one-way call: async, no return;  allow replies with file descriptors; "),
                     ("code", 1, "0x2 Java Layer Dependent"), ("calling tid", 0, 20)]}),
}


def counters():
    on = lambda offset, kind, cpu=0, **fields: at(offset, cpu, APP, kind, **fields)
    fence = {"driver": "gpu", "timeline": "ring", "context": 1, "seqno": 2}
    return [switch(0, 0, IDLE, 0, APP), on(0, "cpu_idle", state=1, cpu_id=0), on(10, "cpu_idle", state=4294967295, cpu_id=0),
            on(20, "cpu_frequency", state=1800000, cpu_id=0), on(30, "cpu_frequency", state=2000000, cpu_id=0),
            on(40, "cpu_frequency_limits", min_freq=500000, max_freq=2000000, cpu_id=0), on(50, "clock_set_rate", name="gpu", state=700, cpu_id=2),
            on(60, "clk_set_rate", name="ddr", rate=900), on(61, "clk_enable", name="ddr"), on(62, "clk_disable", name="ddr"),
            on(80, "irq_handler_entry", irq=4, name="uart"), on(85, "irq_handler_exit", irq=4, ret=1), on(86, "irq_handler_exit", irq=4, ret=1),
            on(90, "softirq_entry", vec=9), on(95, "softirq_exit", vec=9), on(96, "softirq_raise", vec=1), on(97, "softirq_entry", vec=1),
            on(98, "ipi_entry", reason="x"), on(100, "dma_fence_init", **fence), on(140, "dma_fence_signaled", **fence),
            on(150, "signal_generate")]


COUNTERS = {
    "measure": ("ts, dur, value", [(0, 10, 2), (10, None, 0), (20, 10, 1800000), (30, None, 2000000), (40, None, 2000000), (40, None, 500000),
                                   (50, None, 700), (60, None, 900), (61, None, 1), (62, None, 0)]),
    "cpu_measure_filter": ("name, cpu", [("cpu_idle", 0), ("cpu_frequency", 0), ("cpu_frequency_limits_max", 0), ("cpu_frequency_limits_min", 0)]),
    "clock_event_filter": ("type, name, cpu", [("clock_set_rate", "gpu", 2)]),
    "clk_event_filter": ("type, name, cpu", [("clk_set_rate", "ddr", 0), ("clk_enable", "ddr", 0), ("clk_disable", "ddr", 0)]),
    "irq": ("ts, dur, callid, cat, name, argsetid, flag", [  # the last one: 0 in the reference, NULL is wanted
        (80, 5, 0, "irq", "uart", 0, "1"), (90, 5, 0, "softirq", "RCU", 1, ""), (97, None, 0, "softirq", "TIMER", None, "")]),
    "args": ("(SELECT data FROM data_dict d WHERE d.id = t.key), CASE datatype WHEN 1 THEN (SELECT data FROM data_dict d WHERE d.id = t.value) "
             "ELSE value END, argset", [("irq_ret", "handled", 0), ("irq", 4, 0), ("irq_ret", "RCU", 1), ("vec", 9, 1)]),
    "dma_fence": ("ts, dur, cat", [(100, 0, "dma_fence_init"), (140, 40, "dma_fence_signaled")]),
    "stat": ("count", {("irq_handler_exit", "received"): 2, ("irq_handler_exit", "not_match"): 1, ("other", "not_supported"): 2,
                       ("signal_generate", "received"): 0}),
}
MS = 10**6


def frames():
    service = (40, 40, "render_service")
    vsync = lambda now, end, number: "H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d" % (BASE + now + MONO, BASE + end + MONO, number)
    marks = [(0, APP, "B|20|" + vsync(-100, 16 * MS, 7)), (1, APP, "B|20|H:OnVsyncEvent"),
             (2, APP, "B|20|H:MarshRSTransactionData cmdCount:20 transactionFlag:[20,8]"), (3, APP, "E|20"), (4, APP, "E|20"), (5, APP, "E|20"),
             (16, service, "B|40|" + vsync(16 * MS - 50, 32 * MS, 8)), (17, service, "B|40|H:RSMainThread::ProcessCommandUni [20,8]"),
             (18, service, "E|40"), (19, service, "B|40|H:RSMainThread::DoComposition"), (20, service, "S|40|H:M: Frame queued|3"),
             (21, service, "E|40"), (22, service, "E|40"), (40, service, "F|40|H:M: Frame queued|3"), (50, APP, "B|20|" + vsync(50 * MS, 60 * MS, 9)),
             (70, APP, "E|20")]
    return [mark(ms * MS, thread, text) for ms, thread, text in marks]


FRAMES = {
    "frame_slice": ("ts, dur, type, vsync, src, dst", [
        (0, 4 * MS, 0, 7, None, 2), (-100, 16000100, 1, 7, None, 3), (16 * MS, 24 * MS, 0, 8, "0", None), (16 * MS - 50, 16000050, 1, 8, "1", None),
        (50 * MS, 20 * MS, 0, 9, None, None), (50 * MS, 10 * MS, 1, 9, None, None)]),
    "frame_slice ": ("type, flag", [(0, 0), (0, 1), (0, 2), (1, 2)], "id IN (0, 2, 4, 5)"),
    "frame_maps": ("src_row, dst_row", [(0, 2), (1, 3)]),
    "gpu_slice": ("frame_row, dur", [(2, 20 * MS)]),
    "stat": ("count", {("trace_vsync", "received"): 3, ("trace_vsync", "not_match"): 1}),
}


def raw():
    """One page of CPU 0 that begins at 1000."""
    early = lambda ts, thread, kind, **fields: Event(kind, ts, 0, *thread, **fields)
    switch_to = lambda ts, before, state, after: early(ts, before, "sched_switch", prev_comm=before[2], prev_pid=before[0], prev_prio=120, prev_state=state,
                                                       next_comm=after[2], next_pid=after[0], next_prio=120)
    return [switch_to(1000, IDLE, 0, APP), early(1005, APP, "print", buf="B|20|H:x"), early(1015, APP, "print", buf="E|20"), switch_to(1022, APP, 1, IDLE)]


RAW = {
    "sched_slice": ("ts, dur, cpu, itid, end_state", [(1000, 22, 0, 1, "S"), (1022, None, 0, 0, None)]),
    "thread_state": ("ts, dur, state", [(1000, 22, "Running"), (1022, None, "S")]),
    "callstack": ("ts, dur, name", [(1005, 10, "H:x")]),
}


class Example:
    def __init__(self, name, events, rows, comms=None, reader="protobuf"):
        self.name, self.events, self.rows, self.comms, self.reader = name, events, rows, comms or {}, reader
        self.base = BASE if reader == "protobuf" else 0


EXAMPLES = (Example("sched", sched, SCHED), Example("slices", slices, SLICES, {33: "named33"}), Example("binder", binder, BINDER),
            Example("counters", counters, COUNTERS), Example("frames", frames, FRAMES), Example("raw", raw, RAW, None, "raw"))


def compare(database, example):
    """What differs, as text; `database` has tables with the names of trace_streamer's."""
    wrong = []
    for table, (columns, rows, *where) in example.rows.items():
        table = table.strip()
        if table == "stat":
            for (name, kind), count in rows.items():
                got = database.execute("SELECT total(count) FROM stat WHERE event_name = ? AND stat_type = ?", (name, kind)).fetchone()[0]
                if got != count:
                    wrong.append("stat %s/%s: %d instead of %d" % (name, kind, got, count))
            continue
        where = " WHERE " + where[0] if where else ""
        got = database.execute("SELECT %s FROM %s t%s ORDER BY t.rowid" % (columns, table, where)).fetchall()
        if isinstance(rows, dict):  # rows by argument set, in order within it
            have = {}
            for row in got:
                have.setdefault(row[-1], []).append(row[:-1])
            got = have
        elif columns.startswith("ts,"):
            rows = [(row[0] + example.base,) + row[1:] for row in rows]
        if got != rows:
            wrong.append("%s: %s\n  %s\n  instead of\n  %s" % (table, columns, got, rows))
    return wrong


def unnoticed(tables):
    """Columns whose cells may be wrong without a difference being reported: none."""
    database = sqlite3.connect(":memory:")
    tables = {what: list(rows) for what, rows in tables.items()}
    fill(database, tables)
    found = ["nothing is changed: " + text for text in differences(database, tables)[0]]
    for what, rows in tables.items():
        table = what.split()[0]
        for (column,) in database.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall() if rows else []:
            database.execute("SAVEPOINT s")
            database.execute('UPDATE %s SET "%s" = coalesce("%s" || 9, 9) WHERE rowid = (SELECT max(rowid) FROM %s)' % (table, column, column, table))
            if not differences(database, {what: rows})[0]:
                found.append("a wrong %s.%s is not noticed" % (table, column))
            database.execute("ROLLBACK TO s")
        database.execute("SAVEPOINT s")
        database.execute("DELETE FROM %s WHERE rowid = (SELECT max(rowid) FROM %s)" % (table, table))
        if rows and not differences(database, {what: rows})[0]:
            found.append("a missing row of %s is not noticed" % table)
        database.execute("ROLLBACK TO s")
    return found


def main():
    wrong = []
    for example in EXAMPLES:
        database = sqlite3.connect(":memory:")
        fill(database, Model(example.reader, comms=example.comms).run(example.events()))
        wrong += ["%s: %s" % (example.name, text) for text in compare(database, example)]
    for reader in ("protobuf", "text", "raw"):
        wrong += unnoticed(Model(reader, symbols=[(0x1000, "f")]).run(Made(random.Random(5), reader, 400).events))
    print("\n".join(wrong))
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
