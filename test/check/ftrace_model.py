"""What events of the kernel become, written from the description of the format (docs/formats.md, "ftrace-plugin") and not from the program.

`Model(reader).run(events)` gives the rows of every table; `reader` is "protobuf", "text" or "raw".
"""


from ftrace_frames import Frames
from ftrace_loss import Loss, Losses, Mark, marked
from ftrace_markers import Marked
from ftrace_slices import Args, Binder, Markers, Slices, hexadecimal
from ftrace_threads import Threads

STATES = {0: "R", 1: "S", 2: "D", 4: "T", 8: "t", 16: "X", 32: "Z", 64: "P", 128: "I", 130: "DK", 136: "TK", 256: "R+", 2048: "R+", 2049: "R-B",
          4096: "S", 32768: "U"}
SOFTIRQS = "HI TIMER NET_TX NET_RX BLOCK BLOCK_IOPOLL TASKLET SCHED HRTIMER RCU".split()
NO_ROW = 4294967295  # what the reference writes in place of NULL
THREAD_GROUP = 0x10000  # clone's flag: the new thread is one of the same process
COUNTED_AS = {"sched_wakeup_new": "sched_wakeup", "wakeup": "sched_wakeup", "binder_lock": "binder_transaction_lock",
              "binder_locked": "binder_transaction_locked", "binder_unlock": "binder_transaction_unlock"}
BINDER = ("binder_transaction", "binder_transaction_received", "binder_transaction_alloc_buf", "binder_lock", "binder_locked", "binder_unlock")
UNCOUNTED = ("signal_deliver", "signal_generate")
ONLY_COUNTED = ("suspend_resume", "softirq_raise", "regulator_set_voltage", "regulator_set_voltage_complete", "regulator_disable",
                "regulator_disable_complete")
# Their numbers in messages are not known: such messages are of other kinds.
NOT_IN_MESSAGES = ONLY_COUNTED[1:] + ("ipi_entry", "ipi_exit", "timerfd_wakeup", "binder_alloc_lru_end")


class Event:
    def __init__(self, kind, ts, cpu, pid, tgid=0, comm="", /, **fields):
        self.kind, self.ts, self.cpu, self.pid, self.tgid, self.comm, self.fields = kind, ts, cpu, pid, tgid, comm, fields
        self.missed = 0  # so many of its CPU before it, as the recording says

    def get(self, name, default=0):
        return self.fields.get(name, default)

    def __repr__(self):
        return "%d [%d] %s-%d (%d) %s %r" % (self.ts, self.cpu, self.comm, self.pid, self.tgid, self.kind, self.fields)


class Counters:
    """Filters and their values."""

    NAMES = {"process": "process_measure_filter", "cpu": "cpu_measure_filter"}

    def __init__(self, losses):
        self.losses = losses
        self.filters = {}  # (type, owner, name) -> id
        self.values = []  # [kind, ts, dur, value, filter]
        self.open = {}  # filter -> (value, its place)

    def value(self, kind, owner, name, ts, value):
        number = self.filters.setdefault((self.NAMES.get(kind, kind), owner, name), len(self.filters))
        if number in self.open:
            before, place = self.open[number]
            before[2] = None if self.losses.of_any(place) else ts - before[1]
        self.open[number] = [kind, ts, None, value, number], self.losses.now
        self.values.append(self.open[number][0])

    def rows(self, process):
        return [("measure",) + tuple(v[1:]) for v in self.values if (v[0] == "process") == process]

    def of(self, *kinds):
        return [(number,) + key for key, number in self.filters.items() if key[0] in kinds]


class State:
    """A row of thread_state."""

    def __init__(self, ts, cpu, itid, text, place):
        self.ts, self.cpu, self.itid, self.text, self.place = ts, cpu, itid, text, place
        self.dur = self.argset = None

    def close(self, ts, known=True):
        if self.dur is None and known:
            self.dur = ts - self.ts


class Scheduler:
    def __init__(self, m):
        self.m = m
        self.slices = []
        self.states = []
        self.open = {}  # cpu -> row of sched_slice
        self.running = {}  # cpu -> row of thread_state
        self.last = {}  # itid -> row
        self.wake = {}
        self.blocked = {}  # itid -> (row, suffix of its state)
        self.called = {}  # itid -> the synchronous transaction that it sent and was not switched out since, and the place of that
        self.handed = {}  # transaction -> (row of the sender that waits for it, the next thread)

    def add(self, itid, ts, cpu, text, place=None):
        self.last[itid] = State(ts, cpu, itid, text, self.m.losses.now if place is None else place)
        self.states.append(self.last[itid])
        return self.last[itid]

    def knows(self, itid):
        """Is the last state that was seen of the thread still its state?"""
        return not self.m.losses.of_thread(self.last[itid].place if itid in self.last else 0, itid)

    def apply_wake(self, itid, begins=False):
        """begins: the thread runs now."""
        ts, place, known = self.wake.pop(itid, (None, None, None))
        if ts is None:
            return
        last = self.last.get(itid)
        if known:
            if last is not None and last.text == "Running":
                return
            if last is not None:
                last.close(ts)
        elif not begins or self.m.losses.of_thread(place, itid):
            return
        self.add(itid, ts, None, "R", place)

    def switch(self, event):
        threads = self.m.threads
        ts, cpu = event.ts, event.cpu
        n = threads.any(event.get("next_pid"), event.get("next_comm", ""))
        v = threads.any(event.get("prev_pid"), event.get("prev_comm", ""))
        state = event.get("prev_state")
        text = STATES.get(state, "U")
        before, place = self.open.get(cpu, (None, 0))
        if before is not None and not self.m.losses.of_cpu(place, cpu):
            before[1] = ts - before[0]
            before[4] = text
        self.open[cpu] = [ts, None, cpu, n, None, event.get("next_prio")], self.m.losses.now
        self.slices.append(self.open[cpu][0])
        if n:
            self.apply_wake(n, True)
            if n in self.last:
                self.last[n].close(ts, self.knows(n))
            row = self.add(n, ts, cpu, "Running")
            self.m.losses.runs_on(n, cpu)
            old = self.running.get(cpu)
            if old is not None and old.itid not in (v, n) and self.m.losses.runs_now(old.itid) == cpu:
                self.m.losses.runs_on(old.itid, None)
            if old is not None and old.itid != v and old.dur is None and self.last.get(old.itid) is old:
                self.last.pop(old.itid, None)
            self.running[cpu] = row
            if event.get("next_info", ""):
                row.argset = self.m.args.add(None, ("next_info", Args.TEXT, event.get("next_info")))
        if v:
            self.switch_out(ts, cpu, v, state, text, n)

    def received(self, transaction, itid):
        """2.9, R-B; the reference has it with a switch of its configuration only."""
        row, following = self.handed.pop(transaction, (None, None))
        if row is not None and following == itid and not self.m.compat:
            row.text = "R-B"

    def switch_out(self, ts, cpu, v, state, text, n):
        last = self.last.get(v)
        if last is not None and last.text == "Running" and last.cpu != cpu and last.ts == ts:
            return
        self.apply_wake(v)
        before = last if self.m.compat else self.last.get(v)  # QF-11
        if before is not None:
            before.close(ts, not self.m.losses.of_thread(before.place, v))
        self.m.threads.threads[v].switched = True
        row = self.add(v, ts, None, text)
        transaction, place = self.called.pop(v, (None, 0))
        if transaction is not None and state == 2048 and n and not self.m.losses.of_thread(place, v):
            self.handed[transaction] = (row, n)
        self.blocked.pop(v, None)
        if state in (2, 130):
            self.blocked[v] = row
        self.m.losses.runs_on(v, None)

    def woken(self, event, itid):
        if not itid:
            return
        if itid in self.wake and self.m.losses.of_thread(self.wake[itid][1], itid):
            self.apply_wake(itid)
        self.wake.setdefault(itid, (event.ts, self.m.losses.now, self.knows(itid)))

    def blocked_reason(self, event):
        itid = self.m.threads.any(event.get("pid"))
        row = self.blocked.pop(itid, None)
        if row is None or self.m.losses.of_thread(row.place, itid):
            self.m.count("sched_blocked_reason", "not_match")
            return
        if self.m.compat and self.m.reader != "text":  # QF-13
            self.m.count("sched_blocked_reason", "received")
        items = [("iowait", Args.INT, event.get("iowait")),
                 ("caller", Args.TEXT, event.get("caller_str", "") or hexadecimal(event.get("caller")))]
        if "delay" in event.fields:
            items.append(("delay", Args.INT, event.get("delay")))
        row.argset = self.m.args.add(None, *items)
        row.text += "-IO" if event.get("iowait") else "-NIO"

    def finish(self):
        for itid in [] if self.m.compat else list(self.wake):  # QF-10; in the order of the wakes
            self.apply_wake(itid)

    def slice_rows(self):
        threads = self.m.threads.threads
        if self.m.compat:  # QF-7, QF-8
            return [(i, ts, dur, 0, cpu, itid, threads[itid].ipid, state or "R", priority) for i, (ts, dur, cpu, itid, state, priority) in enumerate(self.slices)]
        return [(i, ts, dur, None if dur is None else ts + dur, cpu, itid, threads[itid].ipid, state, priority)
                for i, (ts, dur, cpu, itid, state, priority) in enumerate(self.slices)]

    def state_rows(self):
        threads, processes = self.m.threads.threads, self.m.threads.processes
        return [(i, r.ts, r.dur, r.cpu, r.itid, threads[r.itid].tid, processes[threads[r.itid].ipid].pid, r.text, r.argset)
                for i, r in enumerate(sorted(self.states, key=lambda r: r.ts))]


class Interrupts:
    """Rows of irq: [ts, dur, cpu, cat, name, argset, flag]."""

    def __init__(self, m):
        self.m = m
        self.rows = []
        self.open = {}  # (cat, cpu) -> row
        self.inside = {}  # cpu -> row of the ipi that ended since the irq began
        self.places = {}  # cpu -> of its last event

    def check(self, cpu):
        """What is open where events were lost does not end."""
        if self.m.losses.of_cpu(self.places.get(cpu, 0), cpu):
            self.open = {key: row for key, row in self.open.items() if key[1] != cpu}
            self.inside.pop(cpu, None)
        self.places[cpu] = self.m.losses.now

    def begin(self, event, cat, name, lost):
        if (cat, event.cpu) in self.open:
            self.m.count(lost, "data_lost")
        row = [event.ts, None, event.cpu, cat, name, None, ""]
        self.rows.append(row)
        self.open[cat, event.cpu] = row

    def end(self, event, cat, flag):
        row = self.open.pop((cat, event.cpu), None)
        if row is not None:
            row[1] = event.ts - row[0]
            row[6] = flag
        return row

    def irq_handler_entry(self, event):
        self.begin(event, "irq", event.get("name", ""), "irq_handler_entry")
        self.inside.pop(event.cpu, None)

    def irq_handler_exit(self, event):
        row = self.end(event, "irq", "1")
        if row is None:
            self.m.count("irq_handler_exit", "not_match")
            return
        ipi = self.inside.pop(event.cpu, None)
        row[5] = self.m.args.add(None, ("irq_ret", Args.TEXT, "handled" if event.get("ret") == 1 else "unhandled"),
                                 ("irq", Args.INT, event.get("irq")))
        if ipi is not None and self.m.compat:  # QF-28
            row[1] = ipi[1]
        if ipi is not None:
            ipi[5] = row[5]
            row[6] = ""

    def softirq_entry(self, event):
        if 0 <= event.get("vec") < len(SOFTIRQS):
            self.begin(event, "softirq", SOFTIRQS[event.get("vec")], "softirq_entry")

    def softirq_exit(self, event):
        vec = event.get("vec")
        if not 0 <= vec < len(SOFTIRQS):
            self.m.count("softirq_exit", "not_match")
            return
        row = self.end(event, "softirq", "")
        if row is None:
            self.m.count("softirq_exit", "data_lost")
            return
        row[5] = self.m.args.add(None, ("irq_ret", Args.TEXT, SOFTIRQS[vec]), ("vec", Args.INT, vec))

    def ipi_entry(self, event):
        self.begin(event, "ipi", event.get("reason", ""), "ipi_entry")

    def ipi_exit(self, event):
        row = self.end(event, "ipi", "1")
        if row is None:
            self.m.count("softirq_exit", "data_lost")
        elif ("irq", event.cpu) in self.open:
            self.inside[event.cpu] = row


class Model:
    def __init__(self, reader="protobuf", shift=0, from_mono=0, symbols=(), comms=None, from_real=0):
        self.compat = False  # the values of the reference that --compat gives
        self.reader, self.shift, self.from_mono, self.from_real = reader, shift, from_mono, from_real
        self.symbols = symbols  # (address, name)
        self.names = {}
        for address, name in symbols:
            self.names[address] = name
        self.comms = comms or {}
        self.stat = {}
        self.range = None
        self.times = []  # of the events that have one
        self.items = {}  # what import_count counts -> [imported, lost, skipped]
        self.read = self.used = 0  # events, and those of kinds that are known
        self.other_lines = self.notes = 0  # of a text, that are no events and no comments; that say that events were lost
        self.notes_numbered = 0  # events that these number
        self.missing = {}  # CPU -> events that messages say were overwritten
        self.unread = 0  # events of a text or raw trace that cannot be read
        self.syscalls = None  # numbers of those that are wanted; None: all
        self.wrong = False  # the event makes no row because it is wrong
        self.unused = False  # or because nothing is made of its text
        self.handled = True  # it is one at all
        self.losses = Losses()
        self.threads = Threads()
        self.args = Args()
        self.slices = Slices(self.threads, self.losses)
        self.counters = Counters(self.losses)
        self.frames = Frames(self)
        self.markers = Markers(self)
        self.binder = Binder(self)
        self.scheduler = Scheduler(self)
        self.interrupts = Interrupts(self)
        self.instants, self.raws, self.fences, self.calls, self.timers = ([] for _ in range(5))
        self.timelines = {}
        self.entered = {}  # itid -> (number, ts, args)

    def count(self, name, kind, by=1):
        self.stat[name, kind] = self.stat.get((name, kind), 0) + by

    def this(self, event):
        """The thread of the event."""
        return self.threads.of_process(event.pid, event.tgid)

    def note(self, ts):
        if ts:
            self.times.append(ts)
            low, high = self.range or (ts, ts)
            self.range = min(low, ts), max(high, ts)

    def ffrt(self, event):
        """A marker of the ffrt profiler."""
        self.count("trace_ffrt", "received")
        self.count("tracing_mark_write", "received")  # without it the viewer draws no process
        text = "%s|%d" % (event.get("type"), event.tgid)
        label = event.get("label").rstrip("\0")
        text += "|H:" + label if label else ""
        text += "|%d" % event.get("cookie") if event.get("cookie") else ""
        self.markers.handle(event, text)

    def dropped(self, n):
        """A note that so many events were lost, 0: one does not know how many."""
        self.items.setdefault("ftrace_events:dropped", [0, 0, 0])[1] += n

    def is_wanted(self, event):
        """System calls that are not asked for are neither counted nor used (2.7)."""
        return event.kind not in ("sys_enter", "sys_exit") or self.syscalls is None or event.get("id") in self.syscalls

    def received(self, event):
        """How the event counts."""
        kind = event.kind
        if kind in UNCOUNTED:
            return ()
        if kind == "print":
            return ("print", "tracing_mark_write") if self.reader == "protobuf" else ("tracing_mark_write",)
        if self.reader == "text":
            if kind.startswith("dma_fence_"):
                return ("dma_fence",)
            if kind == "sys_exit":
                return ("sys_enter",)
        if self.reader == "raw" and kind == "sched_wakeup_new":
            return (kind,)
        return (COUNTED_AS.get(kind, kind),)

    def counted(self, event):
        """Each event once: by its kind, or as one of no kind that is known."""
        messages = self.reader == "protobuf"
        self.read += 1
        if messages and event.kind in NOT_IN_MESSAGES or event.kind in ("binder_alloc_lru_end", "unknown"):
            if messages:
                self.items.setdefault("ftrace_events:(none that is known)", [0, 0, 0])[2] += 1
            return
        name = "print" if event.kind == "ffrt" else "tracing_mark_write" if event.kind == "print" and self.reader == "text" else event.kind
        self.used += 1
        unused = self.unused or event.kind in ONLY_COUNTED or event.kind in UNCOUNTED or not self.is_wanted(event)
        self.items.setdefault("ftrace_events:" + name, [0, 0, 0])[1 if self.wrong else 2 if unused else 0] += 1

    def handle(self, event):
        self.wrong = self.unused = False
        self.handled = True
        self.use(event)
        self.counted(event)

    def use(self, event):
        if self.reader == "protobuf" and event.kind in NOT_IN_MESSAGES or event.kind in ("binder_alloc_lru_end", "unknown"):
            self.count("other", "not_supported")
            return
        event.ts += self.shift
        self.use_known(event)
        if self.handled or self.reader != "text":  # in text only events that were handled have a time (4.1)
            self.note(event.ts)

    def use_known(self, event):
        if event.kind == "ffrt":
            self.ffrt(event)
            return
        tgid = event.tgid = max(event.tgid, 0)
        if self.reader != "text":
            self.threads.of_process(tgid, tgid)
            self.threads.any(event.pid)
            self.threads.of_process(event.pid, tgid)
        elif tgid:
            self.threads.named(event.pid, tgid, event.comm)
        else:
            self.threads.of_process(event.pid, 0)
        if not self.is_wanted(event):
            return
        for name in self.received(event):
            self.count(name, "received")
        if event.kind in ONLY_COUNTED or event.kind == "task_newtask":
            self.count(event.kind, "not_supported")
        if event.kind in BINDER:
            getattr(self.binder, event.kind)(event)
        elif hasattr(self.interrupts, event.kind):
            self.interrupts.check(event.cpu)
            getattr(self.interrupts, event.kind)(event)
        elif hasattr(self, "on_" + event.kind):
            getattr(self, "on_" + event.kind)(event)
        elif event.kind.startswith("dma_fence_"):
            self.fence(event)
        elif event.kind.startswith("clk_") or event.kind in ("clock_set_rate", "clock_enable", "clock_disable"):
            self.clock(event)

    def on_sched_switch(self, event):
        self.scheduler.switch(event)

    def on_sched_blocked_reason(self, event):
        self.scheduler.blocked_reason(event)

    def target_cpu(self, event):
        """Not known when a text does not say a number."""
        return event.get("target_cpu", None if self.reader == "text" else 0)

    def on_sched_wakeup(self, event):
        itid = self.threads.any(event.get("pid"))
        waker = self.threads.any(event.pid)
        self.instants.append((event.ts, "sched_wakeup", itid, waker, "itid", 0.0))
        self.raws.append((event.ts, "sched_wakeup", self.target_cpu(event), waker if self.compat and self.reader == "text" else itid))  # QT-3
        self.scheduler.woken(event, itid)

    on_sched_wakeup_new = on_wakeup = on_sched_wakeup

    def on_sched_waking(self, event):
        itid = self.threads.any(event.get("pid"))
        waker = self.threads.any(event.pid, event.comm if self.reader == "text" else "")
        self.instants.append((event.ts, "sched_waking", itid, waker, "itid", 0.0))
        self.raws.append((event.ts, "sched_waking", self.target_cpu(event), waker))

    def on_sched_process_exit(self, event):
        self.threads.threads[self.threads.any(event.get("pid"), event.get("comm", ""))].end = event.ts

    on_sched_process_free = on_sched_process_exit

    def on_task_rename(self, event):
        self.threads.any(event.get("pid"), event.get("newcomm", ""))

    def on_task_newtask(self, event):
        pid = event.get("pid")
        if self.compat:
            return
        itid = self.threads.of_process(pid, event.tgid if event.get("clone_flags") & THREAD_GROUP else pid)
        self.threads.threads[itid].start = event.ts

    def on_print(self, event):
        text = event.get("buf", "")
        self.markers.handle(event, text.strip() if self.reader == "text" else text)

    def on_cpu_idle(self, event):
        state = event.get("state") & 0xFFFFFFFF
        self.counters.value("cpu", event.get("cpu_id"), "cpu_idle", event.ts, 0 if state > 10 else state + 1)
        if not self.compat or self.reader != "text":  # QT-4
            self.raws.append((event.ts, "cpu_idle", event.get("cpu_id"), 0))

    def on_cpu_frequency(self, event):
        self.counters.value("cpu", event.get("cpu_id"), "cpu_frequency", event.ts, event.get("state"))

    def on_cpu_frequency_limits(self, event):
        self.counters.value("cpu", event.get("cpu_id"), "cpu_frequency_limits_max", event.ts, event.get("max_freq"))
        self.counters.value("cpu", event.get("cpu_id"), "cpu_frequency_limits_min", event.ts, event.get("min_freq"))

    def clock(self, event):
        family, what = event.kind.split("_", 1)
        kind = "%s_%s_filter" % (family, "rate" if what == "set_rate" else what)
        if family == "clock":
            first = self.compat and self.reader == "text" and what == "set_rate"  # QT-5
            self.counters.value(kind, 0 if first else event.get("cpu_id"), event.get("name", ""), event.ts, event.get("state"))
        else:
            value = {"set_rate": event.get("rate"), "enable": 1, "disable": 0}[what]
            self.counters.value(kind, event.cpu, event.get("name", ""), event.ts, value)

    def on_oom_score_adj_update(self, event):
        unknown = self.compat and event.get("pid") not in self.threads.by_pid  # QF-27
        self.counters.value("process", NO_ROW if unknown else self.threads.process(event.get("pid")), "oom_score_adj", event.ts, event.get("oom_score_adj"))

    def fence(self, event):
        timeline = event.get("timeline", "")
        if timeline:
            before, lost = event.ts, False
            if timeline in self.timelines:
                before, place = self.timelines[timeline]
                lost = self.losses.of_any(place)
            self.timelines[timeline] = event.ts, self.losses.now
            self.fences.append((event.ts, None if lost else event.ts - before, event.kind, event.get("driver", ""), timeline, event.get("context"), event.get("seqno")))

    def on_workqueue_execute_start(self, event):
        itid = self.threads.named(event.pid, event.tgid, event.comm) if event.tgid else self.threads.any(event.pid, event.comm)
        name = event.get("function_name", "") or self.names.get(event.get("function")) or hexadecimal(event.get("function"))
        self.slices.push(event.ts, itid, "workqueue", name)

    def on_workqueue_execute_end(self, event):
        row = self.slices.pop(event.ts, self.this(event), "workqueue")
        if row if self.compat else row is None:  # QF-30
            self.count("workqueue_execute_end", "not_match")

    def on_sys_enter(self, event):
        self.entered[self.this(event)] = (event.get("id"), event.ts, event.get("args", None), self.losses.now)

    def on_sys_exit(self, event):
        itid = self.this(event)
        number, ts, args, place = self.entered.get(itid, (None, None, None, 0))
        if number is not None and number == event.get("id") and not self.losses.of_thread(place, itid):
            self.calls.append((number, ts, event.ts - ts, itid, args, event.get("ret")))
            del self.entered[itid]

    def on_timerfd_wakeup(self, event):
        get = event.get
        self.timers.append((event.ts, get("thread_pid"), get("thread_tid"), get("thread_name", ""), get("interval"), str(get("curr_mono")),
                            get("expire_mono")))

    def with_names(self, events):
        """The events without those that only name a thread of the ffrt profiler; those are used when they are read."""
        names = {}
        for event in events:
            if isinstance(event, Loss):
                yield event
                continue
            thread = event.pid, event.tgid
            if event.kind == "ffrt_name":
                names[thread] = event.get("process_name") or event.get("thread_name")
                self.threads.named(*thread, names[thread])
            else:
                if event.kind == "ffrt":
                    event.comm = names.get(thread, "")
                yield event

    def is_read(self, event):
        return event.kind not in ("binder_alloc_lru_end", "unknown") and (self.reader != "protobuf" or event.kind not in NOT_IN_MESSAGES)

    def run(self, events, lost=0):
        """`lost`: how many lists of events were overwritten."""
        if lost:
            self.count("other", "data_lost", lost)
        for event in sorted(marked(self.with_names(events), self.is_read), key=lambda e: e.ts):  # stable
            self.losses.now += 1
            if isinstance(event, Mark):
                self.losses.take(event)
            else:
                self.handle(event)
        self.losses.now += 1
        for itid in list(self.frames.lists):
            self.slices.check(itid)
        self.scheduler.finish()
        self.threads.finish(self.comms)
        self.frames.finish()
        return self.tables()

    def time_range(self):
        if self.range is None:
            return (0, 1)
        low, high = self.range
        return (low - 1, high + 1) if low == high else (low, high)

    def tables(self):
        numbered = lambda rows: [(i,) + tuple(row) for i, row in enumerate(rows)]
        word = lambda column: "(SELECT data FROM data_dict d WHERE d.id = t.%s)" % column
        c = self.counters
        clock_name = lambda kind: kind.replace("_filter", "").replace("clock_rate", "clock_set_rate").replace("clk_rate", "clk_set_rate")
        clocks = lambda family: [(i, clock_name(kind), name, cpu) for i, kind, cpu, name in c.of(*(family + w for w in ("_rate_filter", "_enable_filter", "_disable_filter")))]
        return {
            "process t: id, ipid, pid, name, start_ts, switch_count, thread_count, slice_count, mem_count": self.threads.process_rows(self.compat),
            "thread t: id, itid, tid, name, start_ts, end_ts, ipid, is_main_thread, switch_count": self.threads.thread_rows(),
            "trace_range t: start_ts, end_ts": [self.time_range()],
            "sched_slice t: id, ts, dur, ts_end, cpu, itid, ipid, end_state, priority": self.scheduler.slice_rows(),
            "thread_state t: id, ts, dur, cpu, itid, tid, pid, state, arg_setid": self.scheduler.state_rows(),
            "instant t: ts, name, ref, wakeup_from, ref_type, value": self.instants,
            "raw t: id, ts, name, cpu, itid": numbered(self.raws),
            "callstack t: id, ts, dur, callid, cat, name, depth, cookie, parent_id, argsetid, chainId, spanId, parentSpanId, flag, trace_level, "
            "trace_tag, custom_category, custom_args, child_callid": numbered(r.row(NO_ROW if self.compat else None) for r in self.slices.rows),
            "args t: id, " + word("key") + ", datatype, CASE datatype WHEN 1 THEN " + word("value") + " ELSE value END, argset":
                numbered(self.args.rows),
            "irq t: id, ts, dur, callid, cat, name, depth, cookie, parent_id, argsetid, flag":
                numbered((ts, 0 if dur is None and self.compat else dur, cpu, cat, name, 0, None, None, argset, flag) for ts, dur, cpu, cat, name, argset, flag in self.interrupts.rows),
            "measure t: type, ts, dur, value, filter_id": c.rows(False),
            "process_measure t: type, ts, dur, value, filter_id": c.rows(True),
            "measure_filter t: id, type, name, source_arg_set_id": [(i, kind, name, owner) for (kind, owner, name), i in c.filters.items()],
            "cpu_measure_filter t: id, name, cpu": [(i, name, cpu) for i, _, cpu, name in c.of("cpu_measure_filter")],
            "process_measure_filter t: id, name, ipid": [(i, name, ipid) for i, _, ipid, name in c.of("process_measure_filter")],
            "clock_event_filter t: id, type, name, cpu": clocks("clock"),
            "clk_event_filter t: id, type, name, cpu": clocks("clk"),
            "dma_fence t: id, ts, dur, cat, driver, timeline, context, seqno": numbered(self.fences),
            "symbols t: id, funcname, addr": [(i, name, address) for i, (address, name) in enumerate(self.symbols)],
            "frame_slice t: id, ts, vsync, ipid, itid, callstack_id, dur, src, dst, type, type_desc, flag, depth, frame_no": self.frames.slice_rows(),
            "frame_maps t: id, src_row, dst_row": numbered(self.frames.maps),
            "gpu_slice t: id, frame_row, dur": numbered(self.frames.gpu),
            "syscall t: syscall_number, ts, dur, itid, args, ret": self.calls,
            "timerfd_wakeup t: id, ts, pid, tid, " + word("thread_name") + ", interval, curr_mono, expire_mono": numbered(self.timers),
            "import_count t WHERE item LIKE 'ftrace_%' AND item <> 'ftrace_pages': item, seen, imported, lost, skipped": self.item_rows(),
            **self.marked(),
            "stat t WHERE count <> 0 AND event_name <> 'trace_event_clock_sync': event_name, stat_type, count":
                self.stat_rows(),
        }

    def marked(self, slices=None, frames=None):
        return Marked(self, self.from_real, slices, frames).tables()

    def item_rows(self):
        items = dict(self.items)
        if self.reader == "text" and self.read + self.other_lines + self.notes + self.unread:
            items["ftrace_lines"] = [self.used, self.other_lines + self.unread, self.read - self.used + self.notes]
        if self.reader == "raw" and self.read + self.unread:
            items["ftrace_records"] = [self.used, self.unread, self.read - self.used]
        return sorted((name, sum(n)) + tuple(n) for name, n in items.items())

    def stat_rows(self):
        return [(name, kind, n) for (name, kind), n in self.stat.items() if n]
