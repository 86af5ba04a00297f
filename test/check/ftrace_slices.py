"""Markers, slices, their arguments and binder calls (docs/formats.md, "ftrace-plugin")."""

import re


def number_of(text):
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else None


class Args:
    """Rows in the order of arrival; sets are numbered from 0."""

    INT, TEXT, BOOLEAN = 0, 1, 3

    def __init__(self):
        self.rows = []
        self.sets = 0

    def new(self):
        self.sets += 1
        return self.sets - 1

    def add(self, argset, *items):
        """items: (key, type, value); gives the set, a new one when it is None."""
        if argset is None:
            argset = self.new()
        self.rows += [item + (argset,) for item in items]
        return argset


class Slice:
    """A row of callstack."""

    def __init__(self, ts, dur, callid, cat, name):
        self.ts, self.dur, self.callid, self.cat, self.name = ts, dur, callid, cat, name
        self.depth = 0
        self.cookie = self.parent = self.argset = self.child = None
        self.chain = self.span = self.parent_span = self.flag = None
        self.level = self.tag = self.category = self.custom = None

    def end(self):
        return self.ts + self.dur

    def split(self, parts):
        """Level and tag, category, arguments of a name or a cookie that are split at |."""
        parts = parts + [None] * 3
        if parts[0]:
            self.level, self.tag = parts[0][:1], parts[0][1:] or None
        self.category, self.custom = parts[1], parts[2]

    def row(self, no_row=None):
        """no_row: what stands for no parent and no child (QF-14)."""
        grouped = self.cookie is not None and self.child is None
        if self.child is None:
            self.child = no_row
        if self.parent is None and not grouped:
            self.parent = no_row
        return (self.ts, self.dur, self.callid, self.cat, self.name, self.depth, self.cookie, self.parent, self.argset, self.chain, self.span,
                self.parent_span, self.flag, self.level, self.tag, self.category, self.custom, self.child)


class Slices:
    """The table, and a stack of its rows for each thread."""

    def __init__(self, threads, losses):
        self.threads, self.losses = threads, losses
        self.rows = []
        self.stacks = {}
        self.forgets = lambda itid, rows: None

    def append(self, row):
        row.place = self.losses.now
        self.rows.append(row)
        return len(self.rows) - 1

    def check(self, itid):
        """What began before events of the thread were lost is not open any more."""
        stack = self.stacks.setdefault(itid, [])
        lost = [number for number in stack if self.losses.of_thread(self.rows[number].place, itid)]
        stack[:] = [number for number in stack if number not in lost]
        self.forgets(itid, [number for number in lost if self.rows[number].dur is None])

    def tidy(self, ts, itid):
        self.check(itid)
        stack = self.stacks[itid]
        while True:
            closed = next((i for i in reversed(range(len(stack))) if self.rows[stack[i]].dur is not None), None)
            if closed is None:
                return stack
            end = self.rows[stack[closed]].end()
            if end > ts or (end == ts and closed < len(stack) - 1):
                return stack
            for number in stack[closed + 1 :]:
                self.rows[number].dur = end - self.rows[number].ts
            del stack[closed:]

    def push(self, ts, itid, cat, name, dur=None):
        stack = self.tidy(ts, itid)
        row = Slice(ts, dur, itid, cat, name)
        row.depth = len(stack)
        row.parent = stack[-1] if stack else None
        stack.append(self.append(row))
        return stack[-1]

    def pop(self, ts, itid, cat=None, name=None):
        stack = self.tidy(ts, itid)
        for at in reversed(range(len(stack))):
            row = self.rows[stack[at]]
            if row.dur is None and (cat is None or row.cat in (None, cat)) and name in (None, row.name):
                row.dur = ts - row.ts
                self.threads.threads[itid].sliced = True
                number = stack[at]
                if at == len(stack) - 1:
                    stack.pop()
                return number
        return None

    def open_named(self, itid, name):
        self.check(itid)
        for number in reversed(self.stacks.get(itid, [])):
            if self.rows[number].dur is None and self.rows[number].name == name:
                return number
        return None


DISTRIBUTED = re.compile(r"H:\[([a-z0-9]+),([a-z0-9]+),([a-z0-9]+)\]#([CS]?)##.*", re.DOTALL)
CHAINED = re.compile(r"H:\[[a-z0-9]+,[a-z0-9]+,[a-z0-9]+\]#(.*)", re.DOTALL)


def category(name):
    """What stands before the last $$ that has something on both sides."""
    at = len(name)
    while True:
        at = name.rfind("$$", 0, at)
        if at < 0:
            return None
        if at > 0 and at + 2 < len(name):
            return name[:at].strip(" ")
        at += 1


class Marker:
    """The text of a print event: `letter`, `tgid`, `rest` (None: no second |); `letter` is None when it is invalid."""

    def __init__(self, text):
        self.letter = self.rest = None
        self.tgid = 0
        text = text[:-1] if text.endswith("\n") else text
        if text.startswith("trace_event_clock_sync") or text[:1] not in tuple("BECSFGH") or (len(text) == 1 and text != "E"):
            return
        if len(text) > 1 and text[1] not in "|\n":
            return
        self.letter = text[0]
        head, bar, rest = text[2:].partition("|")
        self.rest = rest if bar else None
        head = head.partition("\n")[0]
        if re.fullmatch("[0-9]+", head):
            self.tgid = int(head)

    def name_and_tail(self):
        """(name, what follows) of C, S and F."""
        name, found, tail = (self.rest or "").partition("|")
        if not found:
            name, found, tail = (self.rest or "").rpartition(" ")
        m = CHAINED.fullmatch(name)
        return "H:" + m.group(1) if m else name, tail


class Markers:
    """What markers do; `m` is the machine: threads, slices, counters, frames, stat."""

    def __init__(self, m):
        self.m = m
        self.open = {}  # (owner, cookie, name) or (owner, cookie, cat, name) -> rows

    def invalid(self, wrong=True):
        self.m.wrong = self.m.wrong or wrong
        self.m.handled = self.m.handled and not wrong
        self.m.count("tracing_mark_write", "invalid_data")

    def unmatched(self):
        if not self.m.compat:  # QF-20, QF-21
            self.m.count("tracing_mark_write", "not_match")

    def handle(self, event, text):
        marker = Marker(text)
        if marker.letter is None:  # any text
            self.invalid(text[:1] < " ")
            self.m.unused, self.m.handled = text[:1] >= " ", False
            return
        if marker.tgid:
            self.m.threads.process(marker.tgid, event.ts)
        getattr(self, marker.letter)(event, marker)

    def frame_tgid(self, event, marker):
        return marker.tgid or max(event.tgid, 0)

    def B(self, event, marker):
        if marker.rest is None:
            self.invalid()
            return
        threads = self.m.threads
        itid = threads.named(event.pid, marker.tgid, event.comm) if marker.tgid else threads.any(event.pid, event.comm)
        name = marker.rest.rstrip(" ")
        if not name:
            self.invalid(self.m.compat)  # it has a row
            if self.m.compat:  # QF-16
                return
        number = self.m.slices.push(event.ts, itid, None, name)
        row = self.m.slices.rows[number]
        m = DISTRIBUTED.fullmatch(name)
        if m:
            row.chain, row.span, row.parent_span, row.flag = m.groups()
        parts = name.split("|", 2)
        row.split(parts[1:2] + [None] + parts[2:])
        if not m:
            self.m.frames.begin(event, number, self.frame_tgid(event, marker), name)

    def E(self, event, marker):
        threads = self.m.threads
        itid = threads.of_process(event.pid, marker.tgid) if marker.tgid else threads.any(event.pid)
        number = self.m.slices.pop(event.ts, itid)
        if number is None:
            self.unmatched()
        else:
            self.m.frames.end(event, number)

    def C(self, event, marker):
        name, tail = marker.name_and_tail()
        value = number_of(tail.partition("|")[0])
        if not name or value is None:
            self.invalid()
            return
        ipid = self.m.threads.by_pid[marker.tgid]
        self.m.threads.processes[ipid].memory = 1
        self.m.counters.value("process", ipid, name, event.ts, value)

    def asynchronous(self, event, marker):
        """(owner, cookie, name, parts behind the cookie) of S and F, None when they are invalid."""
        name, tail = marker.name_and_tail()
        parts = tail.split("|", 3)
        cookie = number_of(parts[0])
        if not name or cookie is None:
            self.invalid()
            return None
        return self.m.threads.any(marker.tgid), cookie, name, parts[1:]

    def S(self, event, marker):
        found = self.asynchronous(event, marker)
        if found is None:
            return
        owner, cookie, name, parts = found
        if self.known(owner, cookie, name):
            self.unmatched()
            self.m.wrong = True
        else:
            row = Slice(event.ts, None, owner, category(name), name)
            row.cookie = cookie
            row.parent = row.child = self.m.threads.any(event.pid)
            row.split(parts)
            self.open[owner, cookie, name] = [self.m.slices.append(row)]
            self.m.frames.queued(event, marker.tgid, name)

    def known(self, *key):
        """Rows whose ends are not lost."""
        rows = self.open.get(key, [])
        rows[:] = [number for number in rows if not self.m.losses.of_any(self.m.slices.rows[number].place)]
        return rows

    def close(self, event, key):
        """False: it was not open."""
        rows = self.known(*key)
        if not rows:
            self.unmatched()
            return False
        row = self.m.slices.rows[rows.pop()]
        row.dur = event.ts - row.ts
        self.m.threads.threads[key[0]].sliced = True
        return True

    def F(self, event, marker):
        found = self.asynchronous(event, marker)
        if found is not None and self.close(event, found[:3]):
            self.m.frames.dequeued(event, marker.tgid, found[2])

    def grouped(self, marker):
        parts = (marker.rest or "").split("|")
        cookie = number_of(parts[2]) if len(parts) > 2 else None
        if cookie is None:
            self.invalid()
            return None
        return self.m.threads.any(marker.tgid), cookie, parts[0], parts[1]

    def G(self, event, marker):
        key = self.grouped(marker)
        if key is not None:
            row = Slice(event.ts, None, key[0], key[2], key[3])
            row.cookie = key[1]
            self.known(*key)
            self.open.setdefault(key, []).append(self.m.slices.append(row))

    def H(self, event, marker):
        key = self.grouped(marker)
        if key is not None:
            self.close(event, key)


FLAGS = ((1, " this is a one-way call: async, no return; "), (4, " contents are the components root object; "),
         (8, " contents are a 32-bit status code; "), (16, " allow replies with file descriptors; "))


def hexadecimal(value):
    return "0x%x" % (value & (1 << 64) - 1)


def signed32(value):
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


class Binder:
    CALL, ANSWER, ONE_WAY, RECEIVED = "binder transaction", "binder reply", "binder transaction async", "binder async rcv"
    WAITING, HELD = "binder lock waiting", "binder lock held"

    def __init__(self, m):
        self.m = m
        self.awaited = {}  # id -> tid of the sender
        self.replies = set()  # ids on their way
        self.one_way = {}  # id -> argument set
        self.answering = {}  # tid -> tid that its running reply is for
        self.locks = set()  # tids

    def push(self, event, name, dur=None):
        return self.m.slices.push(event.ts, self.m.this(event), "binder", name, dur)

    def give(self, number, *items):
        row = self.m.slices.rows[number]
        row.argset = self.m.args.add(row.argset, *items)

    def give_sent(self, number, event):
        twice = self.m.compat and event.get("reply") and self.m.slices.rows[number].argset is None  # QF-23
        for _ in range(1 + bool(twice)):
            self.give(number, *self.sent(event))

    def give_open(self, itid, name, *items):
        number = self.m.slices.open_named(itid, name)
        if number is not None and self.m.compat and self.m.slices.rows[number].argset is None:  # QF-24
            self.m.args.add(None, *items)
        elif number is not None:
            self.give(number, *items)
        return number

    def thread_items(self, tid):
        return (("destination thread", Args.INT, tid),
                ("destination name", Args.TEXT, self.m.threads.threads[self.m.threads.any(tid)].name))

    def sent(self, event):
        flags, code = signed32(event.get("flags")), signed32(event.get("code"))
        words = "".join(text for bit, text in FLAGS if flags & bit) if flags else " No Flags Set"
        return (("transaction id", Args.INT, event.get("debug_id")), ("destination node", Args.INT, event.get("target_node")),
                ("destination process", Args.INT, event.get("to_proc")), ("reply transaction?", Args.BOOLEAN, int(event.get("reply") != 0)),
                ("flags", Args.TEXT, hexadecimal(flags) + words),
                ("code", Args.TEXT, hexadecimal(code) + " Java Layer Dependent"), ("calling tid", Args.INT, event.pid))

    def binder_transaction(self, event):
        number = event.get("debug_id")
        if event.get("reply"):
            if self.answering.get(event.pid) == event.get("to_thread") and event.pid in self.answering:
                self.give_open(self.m.this(event), self.ANSWER, *self.thread_items(event.get("to_thread")))
                del self.answering[event.pid]
            row = self.m.slices.pop(event.ts, self.m.this(event))
            if row is not None:
                self.give_sent(row, event)
            self.replies.add(number)
        elif event.get("flags") & 1:
            row = self.push(event, self.ONE_WAY, 0)
            self.give_sent(row, event)
            self.one_way[number] = self.m.slices.rows[row].argset
        else:
            self.give_sent(self.push(event, self.CALL), event)
            self.awaited[number] = event.pid
            self.m.scheduler.called[self.m.this(event)] = number, self.m.losses.now

    def binder_transaction_received(self, event):
        number = event.get("debug_id")
        if number in self.replies:
            self.replies.remove(number)
            self.m.slices.pop(event.ts, self.m.this(event))
        elif number in self.awaited:
            sender = self.awaited.pop(number)
            self.m.scheduler.received(number, self.m.this(event))
            reply = self.push(event, self.ANSWER)
            call = self.give_open(self.m.threads.any(sender), self.CALL, *self.thread_items(event.pid),
                                  ("destination slice id", Args.INT, reply))
            if call is not None:
                self.give(reply, ("destination slice id", Args.INT, call))
            self.answering[event.pid] = sender
        elif number in self.one_way:
            row = self.push(event, self.RECEIVED, 0)
            self.m.slices.rows[row].argset = self.one_way.pop(number)

    def binder_transaction_alloc_buf(self, event):
        self.give_open(self.m.this(event), self.CALL, ("data size", Args.INT, event.get("data_size")),
                       ("offsets size", Args.INT, event.get("offsets_size")))

    def binder_lock(self, event):
        self.push(event, self.WAITING)
        self.locks.add(event.pid)

    def binder_locked(self, event):
        if event.pid not in self.locks:
            self.m.count("binder_transaction_locked", "not_match")
            return
        self.m.slices.pop(event.ts, self.m.this(event))
        self.push(event, self.HELD)

    def binder_unlock(self, event):
        if event.pid not in self.locks:
            self.m.count("binder_transaction_unlock", "not_match")
            return
        self.m.slices.pop(event.ts, self.m.this(event), None, self.HELD)
        self.locks.remove(event.pid)
