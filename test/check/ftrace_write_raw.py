"""Events of the kernel as a raw trace: formats, tables of names and ring buffer pages (docs/formats.md, "Raw traces of the kernel"; Linux)."""

import struct

MAGIC = 57161
PAGE = 4096
HEADER_PAGE = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;
"""
COMMON = (("unsigned short common_type", 2, 0), ("unsigned char common_flags", 1, 0), ("unsigned char common_preempt_count", 1, 0), ("int common_pid", 4, 1))
COMM, PID, INT, U32, LONG, U64, SHORT, WORD, BOOL, REST = "comm", "pid", "int", "u32", "long", "u64", "short", "word", "bool", "rest"
# name of the type in C, size, signed
TYPES = {COMM: ("char %s[16]", 16, 0), PID: ("pid_t %s", 4, 1), INT: ("int %s", 4, 1), U32: ("unsigned int %s", 4, 0), LONG: ("long %s", 8, 1),
         U64: ("unsigned long %s", 8, 0), SHORT: ("short %s", 2, 1), WORD: ("__data_loc char[] %s", 4, 0), BOOL: ("bool %s", 1, 0), REST: ("char %s[]", 0, 0)}
CLOCK = (("name", WORD), ("state", U64), ("cpu_id", U64))
FENCE = (("driver", WORD), ("timeline", WORD), ("context", U32), ("seqno", U32))
WOKEN = (("comm", COMM), ("pid", PID), ("prio", INT), ("target_cpu", INT))
ENDED = (("comm", COMM), ("pid", PID), ("prio", INT))
FORMATS = {
    "print": (5, (("ip", U64), ("buf", REST))),
    "sched_switch": (316, (("prev_comm", COMM), ("prev_pid", PID), ("prev_prio", INT), ("prev_state", LONG), ("next_comm", COMM), ("next_pid", PID),
                           ("next_prio", INT))),
    "sched_wakeup": (317, WOKEN), "sched_wakeup_new": (318, WOKEN), "sched_waking": (319, WOKEN),
    "sched_blocked_reason": (320, (("pid", PID), ("caller", U64), ("io_wait", BOOL))),
    "sched_process_exit": (321, ENDED), "sched_process_free": (322, ENDED),
    "task_rename": (323, (("pid", PID), ("oldcomm", COMM), ("newcomm", COMM), ("oom_score_adj", SHORT))),
    "task_newtask": (324, (("pid", PID), ("comm", COMM), ("clone_flags", U64), ("oom_score_adj", SHORT))),
    "cpu_idle": (325, (("state", U32), ("cpu_id", U32))), "cpu_frequency": (326, (("state", U32), ("cpu_id", U32))),
    "cpu_frequency_limits": (327, (("min_freq", U32), ("max_freq", U32), ("cpu_id", U32))),
    "clock_set_rate": (328, CLOCK), "clock_enable": (329, CLOCK), "clock_disable": (330, CLOCK),
    "clk_set_rate": (331, (("name", WORD), ("rate", U64))), "clk_enable": (332, (("name", WORD),)), "clk_disable": (333, (("name", WORD),)),
    "irq_handler_entry": (334, (("irq", INT), ("name", WORD))), "irq_handler_exit": (335, (("irq", INT), ("ret", INT))),
    "softirq_entry": (336, (("vec", U32),)), "softirq_exit": (337, (("vec", U32),)), "softirq_raise": (338, (("vec", U32),)),
    "binder_transaction": (339, (("debug_id", INT), ("target_node", INT), ("to_proc", INT), ("to_thread", INT), ("reply", INT), ("code", U32), ("flags", U32))),
    "binder_transaction_received": (340, (("debug_id", INT),)),
    "binder_transaction_alloc_buf": (341, (("debug_id", INT), ("data_size", U64), ("offsets_size", U64))),
    "binder_lock": (342, (("tag", U64),)), "binder_locked": (343, (("tag", U64),)), "binder_unlock": (344, (("tag", U64),)),
    "workqueue_execute_start": (345, (("work", U64), ("function", U64))), "workqueue_execute_end": (346, (("work", U64),)),
    "dma_fence_init": (347, FENCE), "dma_fence_destroy": (348, FENCE), "dma_fence_enable_signal": (349, FENCE), "dma_fence_signaled": (350, FENCE),
    "sys_enter": (351, (("id", LONG),)), "sys_exit": (352, (("id", LONG), ("ret", LONG))),
    "oom_score_adj_update": (353, (("pid", PID), ("comm", COMM), ("oom_score_adj", SHORT))),
    "suspend_resume": (354, (("action", U64), ("val", INT), ("start", BOOL))),
    "signal_deliver": (355, (("sig", INT),)), "signal_generate": (356, (("sig", INT),)),
    "unknown": (357, (("what", INT),)),
}


def layout(fields):
    """(name, type, offset) of the fields behind the common ones, and where they end."""
    at, out = 8, []
    for name, kind in fields:
        size = TYPES[kind][1]
        align = 1 if kind == COMM else max(1, min(size, 8))
        at = (at + align - 1) // align * align
        out.append((name, kind, at))
        at += size
    return out, at


def format_text(name, number, fields):
    lines = ["name: %s" % name, "ID: %d" % number, "format:"]
    at = 0
    for declared, size, signed in COMMON:
        lines.append("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;" % (declared, at, size, signed))
        at += size
    lines.append("")
    for field, kind, offset in layout(fields)[0]:
        declared, size, signed = TYPES[kind]
        lines.append("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;" % (declared % field, offset, size, signed))
    return "\n".join(lines + ["", 'print fmt: "%s"' % name, "", ""])


def payload(e):
    if e.kind == "unread":  # a record that is shorter than its format says, or of none that is known
        return struct.pack("<HBBi", e.fields["number"], 0, 0, e.pid)
    number, fields = FORMATS[e.kind]
    places, end = layout(fields)
    out = bytearray(struct.pack("<HBBi", number, 0, 0, e.pid).ljust(end, b"\0"))
    for name, kind, at in places:
        value = e.fields.get({"io_wait": "iowait"}.get(name, name), "" if kind in (COMM, WORD, REST) else 0)
        if kind == COMM:
            data = value.encode()[:15]
            out[at : at + len(data)] = data
        elif kind == WORD:
            data = value.encode() + b"\0"
            struct.pack_into("<HH", out, at, len(out), len(data))
            out += data
        elif kind == REST:
            out += value.encode() + b"\0"
        else:
            size = TYPES[kind][1]
            out[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    return bytes(out).ljust((len(out) + 3) // 4 * 4, b"\0")


def entry(delta, data):
    """An entry of a page, behind a time extension when the difference is large."""
    out = b""
    if delta >= 1 << 27:
        out = struct.pack("<II", 30 | (delta & (1 << 27) - 1) << 5, delta >> 27)
        delta = 0
    if len(data) <= 112:
        return out + struct.pack("<I", len(data) // 4 | delta << 5) + data
    return out + struct.pack("<II", delta << 5, len(data) + 4) + data


def pages(events):
    """Those of one CPU: its events by time. Before one that is `missed` a page begins that says so; with a number where there is room for it."""
    out, data, start, now, first = [], b"", None, None, None

    def close():
        first.numbered = first.missed and len(data) + 8 <= PAGE - 16
        flags = (first.missed != 0) << 31 | (first.numbered != 0) << 30
        page = struct.pack("<QQ", start, len(data) | flags) + data + (struct.pack("<Q", first.missed) if first.numbered else b"")
        out.append(page.ljust(PAGE, b"\0"))

    for e in events:
        body = payload(e)
        part = entry(0 if now is None else e.ts - now, body)
        if start is not None and (e.missed or len(data) + len(part) > PAGE - 16):
            close()
            start, data = None, b""
        if start is None:
            first = e
            start, part = e.ts, entry(0, body)
        data += part
        now = e.ts
    if start is not None:
        close()
    return b"".join(out)


def section(kind, data):
    return struct.pack("<II", kind, len(data)) + data


def raw(events, names, tgids, symbols=()):
    """A recording; events of one CPU must be in order of time."""
    out = struct.pack("<HBBHHI", MAGIC, 0, 0, 1, 0, 0)
    out += section(2, "".join("%d %s\n" % item for item in names.items()).encode())
    out += section(3, "".join("%d %d\n" % item for item in tgids.items()).encode())
    out += section(30, HEADER_PAGE.encode())
    out += section(31, b'0xffffffc0081e2a80 : "Function call interrupts"\n')
    out += section(32, "".join("%016x T %s\n" % item for item in symbols).encode())
    out += section(1, "".join(format_text(name, *FORMATS[name]) for name in FORMATS).encode())
    for cpu in sorted({e.cpu for e in events}):
        out += section(4 + cpu, pages([e for e in events if e.cpu == cpu]))
    return out
