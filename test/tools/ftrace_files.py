#!/usr/bin/env python3
"""Events of the kernel as files: text traces and raw pages of the same events.

ftrace_files.py text|raw EVENTS >FILE      EVENTS: their number; the same number gives the same bytes
"""
import random
import struct
import sys

COMMON = """format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""
FORMATS = f"""name: sched_switch
ID: 316
{COMMON}\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;
\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;
\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;
\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;
\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;
\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;

print fmt: "prev_comm=%s prev_pid=%d", REC->prev_comm, REC->prev_pid

name: print
ID: 5
{COMMON}\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;
\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;

print fmt: "%ps: %s", (void *)REC->ip, REC->buf

name: irq_handler_entry
ID: 100
{COMMON}\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;
\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:1;

print fmt: "irq=%d name=%s", REC->irq, __get_str(name)

"""
PAGE = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
CPUS = 3
THREADS = {0: "swapper", 20: "app", 21: "my worker", 30: "render_service", 31: "RSUniRenderThre"}
TGIDS = {20: 20, 21: 20, 30: 30, 31: 30}


def events(count):
    """(ns, cpu, pid, kind, values) in order of time; ns are whole microseconds, as text has them."""
    r = random.Random(count)
    now = 2_000_000_000
    running = [0] * CPUS
    depth = dict.fromkeys(THREADS, 0)
    for i in range(count):
        now += r.randrange(1, 50) * 1000
        cpu = r.randrange(CPUS)
        pid = running[cpu]
        if pid == 0 or r.random() < 0.4:
            free = [p for p in THREADS if p == 0 or p not in running]
            after = r.choice(free)
            yield now, cpu, pid, "sched_switch", (pid, r.choice((0, 1, 2)) if pid else 0, after)
            running[cpu] = after
        elif r.random() < 0.2:
            yield now, cpu, pid, "irq_handler_entry", (r.randrange(9), "uart")
        elif depth[pid] > 0 and r.random() < 0.5:
            depth[pid] -= 1
            yield now, cpu, pid, "print", ("E|%d" % TGIDS[pid],)
        else:
            depth[pid] += 1
            yield now, cpu, pid, "print", ("B|%d|H:step %d" % (TGIDS[pid], i % 9),)


def text_line(ns, cpu, pid, kind, values):
    if kind == "sched_switch":
        args = "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=98" % (
            THREADS[values[0]], values[0], "RSD"[values[1]], THREADS[values[2]], values[2])
    elif kind == "print":
        args = values[0]
    else:
        args = "irq=%d name=%s" % values
    return "%16s-%-5d (%5s) [%03d] d..2 %d.%06d: %s: %s\n" % (
        THREADS[pid] if pid else "<idle>", pid, TGIDS.get(pid, "-----"), cpu, ns // 10**9, ns // 1000 % 10**6,
        kind, args)


def text(count):
    return ("# tracer: nop\n#\n" + "".join(text_line(*e) for e in events(count))).encode()


def record(pid, kind, values):
    if kind == "sched_switch":
        data = struct.pack("<HHi16siiq16sii", 316, 0, pid, THREADS[values[0]].encode(), values[0], 120, values[1],
                           THREADS[values[2]].encode(), values[2], 98)
    elif kind == "print":
        data = struct.pack("<HHiq", 5, 0, pid, 0) + values[0].encode() + b"\n\0"
    else:
        name = values[1].encode() + b"\0"
        data = struct.pack("<HHiiI", 100, 0, pid, values[0], 16 | len(name) << 16) + name
    return data + bytes(-len(data) % 4)


def pages(of_cpu):
    """The pages of one CPU's events."""
    out = b""
    data = b""
    begin = last = 0
    for ns, _, pid, kind, values in of_cpu:
        entry = record(pid, kind, values)
        if not data or len(data) + len(entry) + 12 > 4080:
            if data:
                out += struct.pack("<QQ", begin, len(data)) + data.ljust(4080, b"\0")
            data, begin, last = b"", ns, ns
        delta = ns - last
        if delta >> 27:
            data += struct.pack("<II", 30 | (delta & 0x7FFFFFF) << 5, delta >> 27)
            delta = 0
        data += struct.pack("<I", len(entry) // 4 | delta << 5) + entry
        last = ns
    return out + (struct.pack("<QQ", begin, len(data)) + data.ljust(4080, b"\0") if data else b"")


def raw(count):
    def section(kind, data):
        return struct.pack("<II", kind, len(data)) + data

    all_events = list(events(count))
    out = struct.pack("<HBBHHI", 0xDF49, 0, 1, 0, 0, 0)
    out += section(2, "".join("%d %s\n" % t for t in THREADS.items() if t[0]).encode())
    out += section(3, "".join("%d %d\n" % t for t in TGIDS.items()).encode())
    out += section(30, PAGE.encode()) + section(31, b'0xffffff8008 : "Rescheduling interrupts"\n')
    out += section(32, b"ffffffc000 T start_kernel\nffffffc010 D data\n") + section(1, FORMATS.encode())
    for cpu in range(CPUS):
        out += section(4 + cpu, pages([e for e in all_events if e[1] == cpu]))
    return out


if __name__ == "__main__":
    sys.stdout.buffer.write({"text": text, "raw": raw}[sys.argv[1]](int(sys.argv[2])))
