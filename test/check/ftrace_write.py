"""Events of the kernel as recordings: messages of .htrace, lines of text, raw pages (docs/formats.md)."""

import struct

# kind: number in FtraceEvent, {field: number}
MESSAGES = {
    "binder_alloc_lru_end": (100, {}),
    "binder_lock": (109, {}), "binder_locked": (110, {}), "binder_unlock": (122, {}),
    "binder_transaction": (113, {"debug_id": 1, "target_node": 2, "to_proc": 3, "to_thread": 4, "reply": 5, "code": 6, "flags": 7}),
    "binder_transaction_alloc_buf": (114, {"data_size": 2, "offsets_size": 3}),
    "binder_transaction_received": (119, {"debug_id": 1}),
    "clk_disable": (400, {"name": 1}), "clk_enable": (402, {"name": 1}), "clk_set_rate": (410, {"name": 1, "rate": 2}),
    "print": (1109, {"buf": 2}),
    "wakeup": (1111, {"pid": 2, "target_cpu": 5}),
    "irq_handler_entry": (1500, {"irq": 1, "name": 2}), "irq_handler_exit": (1501, {"irq": 1, "ret": 2}),
    "softirq_entry": (1502, {"vec": 1}), "softirq_exit": (1503, {"vec": 1}),
    "oom_score_adj_update": (1800, {"pid": 1, "oom_score_adj": 3}),
    "clock_disable": (2000, {"name": 1, "state": 2, "cpu_id": 3}), "clock_enable": (2001, {"name": 1, "state": 2, "cpu_id": 3}),
    "clock_set_rate": (2002, {"name": 1, "state": 2, "cpu_id": 3}),
    "cpu_frequency": (2003, {"state": 1, "cpu_id": 2}), "cpu_frequency_limits": (2004, {"min_freq": 1, "max_freq": 2, "cpu_id": 3}),
    "cpu_idle": (2005, {"state": 1, "cpu_id": 2}),
    "suspend_resume": (2019, {}),
    "sys_enter": (2200, {"id": 1}), "sys_exit": (2201, {"id": 1, "ret": 2}),
    "sched_process_exit": (2406, {"comm": 1, "pid": 2}), "sched_process_free": (2408, {"comm": 1, "pid": 2}),
    "sched_switch": (2417, {"prev_comm": 1, "prev_pid": 2, "prev_prio": 3, "prev_state": 4, "next_comm": 5, "next_pid": 6, "next_prio": 7}),
    "sched_wakeup": (2420, {"pid": 2, "target_cpu": 5}), "sched_wakeup_new": (2421, {"pid": 2, "target_cpu": 5}),
    "sched_waking": (2422, {"pid": 2, "target_cpu": 5}),
    "signal_deliver": (2500, {}), "signal_generate": (2501, {}),
    "task_newtask": (2700, {"pid": 1, "comm": 2, "clone_flags": 3}), "task_rename": (2701, {"pid": 1, "newcomm": 3}),
    "workqueue_execute_end": (3101, {}), "workqueue_execute_start": (3102, {"function": 2}),
    "sched_blocked_reason": (4002, {"pid": 1, "caller": 2, "iowait": 3, "caller_str": 4}),
    "unknown": (199, {}), "softirq_raise": (198, {}), "ipi_entry": (197, {}), "ipi_exit": (196, {}),  # stand for any that are not handled
}
for number, fence in ((700, "dma_fence_destroy"), (702, "dma_fence_enable_signal"), (703, "dma_fence_init"), (704, "dma_fence_signaled")):
    MESSAGES[fence] = (number, {"driver": 1, "timeline": 2, "context": 3, "seqno": 4})


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, data):
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    return varint(field << 3 | 2) + varint(len(data)) + data


class Wire:
    """How messages are encoded: `zeros` writes numbers that are 0 and empty texts; with `rng` fields stand in any order, some twice of which
    the last counts, beside some that nobody knows, and numbers are longer than they must be."""

    def __init__(self, zeros=True, rng=None):
        self.zeros, self.rng = zeros, rng

    def number(self, field, value):
        rng = self.rng
        if value == 0 and not self.zeros:
            return b""
        out = number(field, value)
        if rng and rng.random() < 0.05 and len(varint(value)) < 9:
            out = out[:-1] + bytes([out[-1] | 0x80, 0x80, 0])
        if rng and rng.random() < 0.02:
            out = number(field, rng.randrange(1 << 20)) + out
        return out

    def text(self, field, value):
        if not value and not self.zeros:
            return b""
        out = text(field, value)
        if self.rng and self.rng.random() < 0.02:
            out = text(field, "another") + out
        return out

    def join(self, *parts):
        parts = list(parts)
        if self.rng:
            if self.rng.random() < 0.05:
                parts.append(self.rng.choice([number(77, 5), text(78, "later"), varint(79 << 3 | 1) + bytes(8), varint(80 << 3 | 5) + bytes(4)]))
            self.rng.shuffle(parts)
        return b"".join(parts)

    def fields(self, fields, numbers):
        return self.join(*(self.number(numbers[k], v) if isinstance(v, int) else self.text(numbers[k], v) for k, v in fields.items() if k in numbers))

    def event(self, e):
        """An FtraceEvent."""
        kind, numbers = MESSAGES[e.kind]
        common = text(50, self.join(self.number(4, e.pid))) if self.zeros or e.pid else b""
        return self.join(number(1, e.ts), self.number(2, e.tgid), self.text(3, e.comm), common, text(kind, self.fields(e.fields, numbers)))


PLAIN = Wire()


def details(events, wire=PLAIN, overwritten=0, bad=None):
    """ftrace_cpu_detail of events of one CPU; behind the one with the number `bad` stands one that cannot be read."""
    data = b"".join(text(2, wire.event(e)) + (text(2, text(1, "no time") + text(1109, b"")) if i == bad else b"") for i, e in enumerate(events))
    return text(2, wire.number(1, events[0].cpu) + data + (number(3, overwritten) if overwritten else b""))


def no_details(cpu):
    return text(2, number(1, cpu))


def clock_stats(name, status=0):
    return text(1, number(1, status) + text(3, name))


def symbol(address, name):
    return text(5, number(1, address) + text(2, name))


def comm(tid, name):
    return text(8, number(1, tid) + text(2, name))


def container(messages, boot=0, real=0, mono=0):
    """A recording of (plugin, seconds, message), and what the clocks showed at its beginning."""
    payload = b""
    for name, seconds, data in messages:
        segment = text(1, name) + text(3, data) + number(4, 7) + number(5, seconds) + number(6, 0)
        payload += struct.pack("<I", len(segment)) + segment
    head = struct.pack("<8sQII32sI6Q", b"OHOSPROF", 1024 + len(payload), 0x10000, 2 * len(messages), bytes(32), 0, boot, real, real, mono, mono, mono)
    return head.ljust(1024, b"\0") + payload


def htrace(messages, boot=0, real=0, mono=0):
    return container([("ftrace-plugin", 12, data) for data in messages], boot, real, mono)


def ffrt(events):
    """FfrtProfilerResult of its markers and names."""
    out = b""
    for e in events:
        part = number(1, e.ts // 10**9) + number(2, e.ts % 10**9) + number(4, e.tgid) + number(5, e.pid)
        if e.kind == "ffrt":
            part += text(8, text(2, e.fields["type"]) + text(3, e.fields["label"]) + number(4, e.fields["cookie"]))
        else:
            part += text(6, e.fields["process_name"]) + text(7, e.fields["thread_name"])
        out += text(1, part)
    return out


def cut(events):
    """Runs of one CPU, as the recorder has them."""
    runs = []
    for e in events:
        if runs and runs[-1][0].cpu == e.cpu:
            runs[-1].append(e)
        else:
            runs.append([e])
    return runs


STATE_LETTERS = ((1, "S"), (2, "D"), (4, "T"), (8, "t"), (16, "X"), (32, "Z"), (64, "P"), (128, "I"), (2048, "+"))


def letters(state):
    return "|".join(c for bit, c in STATE_LETTERS[:-1] if state & bit) + ("+" if state & 2048 else "") or "R"


def pairs(*names):
    return lambda f: " ".join("%s=%s" % (n, f.get(n, 0)) for n in names)


def switch_text(f):
    state = letters(f["prev_state"])
    out = "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d" % (
        f["prev_comm"], f["prev_pid"], f["prev_prio"], "R+" if state == "+" else state, f["next_comm"], f["next_pid"], f["next_prio"])
    return out + (" next_info=%s" % f["next_info"] if f.get("next_info") else "")


def woken_text(f):
    return "comm=%s pid=%d prio=120 target_cpu=%03d" % (f.get("comm", "x y"), f["pid"], f["target_cpu"])


def blocked_text(f):
    caller = f.get("caller_str") or "0x%x" % f["caller"]
    return "pid=%d iowait=%d caller=%s%s" % (f["pid"], f["iowait"], caller, " delay=%d" % f["delay"] if "delay" in f else "")


def transaction_text(f):
    return "transaction=%d dest_node=%d dest_proc=%d dest_thread=%d reply=%d flags=0x%x code=0x%x" % (
        f["debug_id"], f["target_node"], f["to_proc"], f["to_thread"], f["reply"], f["flags"] & 0xFFFFFFFF, f["code"] & 0xFFFFFFFF)


SOFTIRQ = "HI TIMER NET_TX NET_RX BLOCK BLOCK_IOPOLL TASKLET SCHED HRTIMER RCU".split()
soft = lambda f: "vec=%d [action=%s]" % (f["vec"], SOFTIRQ[f["vec"]] if f["vec"] < len(SOFTIRQ) else "?")
clock = lambda f: "%s state=%d cpu_id=%d" % (f["name"], f["state"], f["cpu_id"])
fence = pairs("driver", "timeline", "context", "seqno")
ended = lambda f: "comm=%s pid=%d prio=120" % (f["comm"], f["pid"])
LINES = {
    "sched_switch": switch_text, "sched_wakeup": woken_text, "sched_wakeup_new": woken_text, "sched_waking": woken_text,
    "sched_blocked_reason": blocked_text,
    "sched_process_exit": ended, "sched_process_free": ended,
    "task_rename": lambda f: "pid=%d oldcomm=x newcomm=%s oom_score_adj=0" % (f["pid"], f["newcomm"]),
    "task_newtask": lambda f: "pid=%d comm=%s clone_flags=%x oom_score_adj=0" % (f["pid"], f["comm"], f["clone_flags"]),
    "print": lambda f: f["buf"].rstrip("\n"),
    "cpu_idle": pairs("state", "cpu_id"), "cpu_frequency": pairs("state", "cpu_id"),
    "cpu_frequency_limits": lambda f: "min=%d max=%d cpu_id=%d" % (f["min_freq"], f["max_freq"], f["cpu_id"]),
    "clock_set_rate": clock, "clock_enable": clock, "clock_disable": clock,
    "clk_set_rate": lambda f: "%s %d" % (f["name"], f["rate"]), "clk_enable": lambda f: f["name"], "clk_disable": lambda f: f["name"],
    "oom_score_adj_update": lambda f: "pid=%d comm=x oom_score_adj=%d" % (f["pid"], f["oom_score_adj"]),
    "irq_handler_entry": pairs("irq", "name"), "irq_handler_exit": lambda f: "irq=%d ret=%s" % (f["irq"], "handled" if f["ret"] else "unhandled"),
    "softirq_entry": soft, "softirq_exit": soft, "softirq_raise": soft,
    "ipi_entry": lambda f: f["reason"], "ipi_exit": lambda f: f["reason"],
    "binder_transaction": transaction_text, "binder_transaction_received": lambda f: "transaction=%d" % f["debug_id"],
    "binder_transaction_alloc_buf": pairs("transaction", "data_size", "offsets_size"),
    "binder_lock": lambda f: "tag=binder_ioctl", "binder_locked": lambda f: "tag=binder_ioctl", "binder_unlock": lambda f: "tag=binder_ioctl",
    "workqueue_execute_start": lambda f: "work struct 000000003f0a1c9c: function %s" % f["function_name"],
    "workqueue_execute_end": lambda f: "work struct 000000003f0a1c9c",
    "dma_fence_init": fence, "dma_fence_destroy": fence, "dma_fence_enable_signal": fence, "dma_fence_signaled": fence,
    "sys_enter": lambda f: "NR %d (%s)" % (f["id"], f["args"]), "sys_exit": lambda f: "NR %d = %d" % (f["id"], f["ret"]),
    "timerfd_wakeup": pairs("thread_pid", "thread_tid", "thread_name", "interval", "curr_mono", "expire_mono"),
    "suspend_resume": lambda f: "machine_suspend[1] begin", "signal_deliver": lambda f: "sig=9 errno=0", "signal_generate": lambda f: "sig=9 errno=0",
    "regulator_set_voltage": lambda f: "name=vdd (900000-900000)", "regulator_set_voltage_complete": lambda f: "name=vdd, val=900000",
    "regulator_disable": lambda f: "name=vdd", "regulator_disable_complete": lambda f: "name=vdd",
    "unknown": lambda f: "a=1 b=2",
}


class Style:
    """How lines look: with the process or not, with 9 digits of a second or 6, flags, in a page, what ends a line."""

    def __init__(self, process=True, digits=9, flags="d..3", html=False, end="\n"):
        self.process, self.digits, self.flags, self.html, self.end = process, digits, flags, html, end

    def line(self, e):
        name = "tracing_mark_write" if e.kind == "print" else "ext4_da_write" if e.kind == "unknown" else e.kind
        process = "(%5s) " % (e.tgid or "-----") if self.process else ""
        fraction = "%09d" % (e.ts % 10**9)
        return "%16s-%-5d %s[%03d] %s %d.%s: %s: %s" % (e.comm or "<...>", e.pid, process, e.cpu, self.flags, e.ts // 10**9, fraction[: self.digits], name,
                                                       LINES[e.kind](e.fields))

    def recording(self, events, junk=None):
        """`junk`: what stands before each event that has some."""
        out = ["# tracer: nop", "#", ""]
        for i, e in enumerate(events):
            out += (junk or {}).get(i, []) + [self.line(e)]
        if self.html:
            out = ["<!DOCTYPE html>", "<html><body>", "x-1 [000] d..3 1.5: print: B|1|no"] + ['<script class="trace-data" type="application/text">'] + out + [
                "</script>", "x-1 [000] d..3 1.5: print: B|1|no", "</html>"]
        return self.end.join(out + [""])
