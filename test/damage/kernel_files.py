#!/usr/bin/env python3
"""Text and raw traces of the kernel, and logs as text, that invite too much time or memory. measure.py says how they are run."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import ftrace_files
import measure

MB = 1 << 20
LINE = "app-%d ( 20) [000] d..2 %d.%06d: %s\n"


class Out:
    def __init__(self, path):
        self.file = open(path, "wb")
        self.bytes = 0

    def put(self, data):
        data = data if isinstance(data, bytes) else data.encode()
        self.file.write(data)
        self.file.flush()
        self.bytes += len(data)


def lines(n, event):
    return "# tracer: nop\n" + "".join(LINE % (20, 2 + i // 10**6, i % 10**6, event(i)) for i in range(n))


def s_ftrace_text(o, n):
    o.put(ftrace_files.text(n))


def s_ftrace_raw(o, n):
    o.put(ftrace_files.raw(n))


def s_ftrace_text_equal_times(o, n):
    o.put("# tracer: nop\n" + (LINE % (20, 2, 0, "print: E|20")) * n)


def s_ftrace_text_reversed(o, n):
    o.put("# tracer: nop\n" + "".join(LINE % (20, 2, n - i, "print: E|20") for i in range(min(n, 999999))))


def s_ftrace_text_bad(o, n):
    o.put(lines(1, lambda i: "print: E|20") + "garbage\n" * n)


def s_ftrace_text_dashes(o, n):  # in one line, each of which may begin an event
    o.put(lines(1, lambda i: "print: E|20") + "-1 ( " * min(n * 10, 200000) + "\n" + "-" * min(n * 50, MB - 1) + "\n")


def s_ftrace_text_long(o, n):  # one line
    o.put(lines(1, lambda i: "print: E|20") + "x" * (n * 1000) + "\n")


def s_ftrace_text_words(o, n):  # arguments of one event
    o.put(lines(1, lambda i: "sched_switch: " + "prev_comm=a " * min(n * 10, 80000)))


def s_ftrace_text_comm(o, n):  # a name that does not end
    o.put(lines(1, lambda i: "sched_switch: " + "prev_comm=a" + " b" * min(n * 40, 500000)))


def s_page(o, n):  # of many traces, of which the last has an event
    script = '<script class="trace-data" type="application/text">'
    event = lines(1, lambda i: "print: E|20")
    o.put("<!DOCTYPE html>\n<html>\n" + (script + "</script>") * n + "\n" + script + "\n" + event + "</script>\n")


def s_hilog_text(o, n):  # in reverse order
    o.put("".join("%d.5 20 21 I tag: text %d\n" % (n - i, i) for i in range(n)))


def s_hisysevent_text(o, n):
    o.put("".join('{"domain_":"P","name_":"POWER_IDE_CPU","time_":%d,"tag_":"PowerStats","LOAD":[3,4.5]}\n' % i for i in range(n)))


ALWAYS = "hilog_text hisysevent_text ftrace_text ftrace_raw ftrace_text_equal_times ftrace_text_dashes ftrace_text_comm page".split()

if __name__ == "__main__":
    every = {name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}
    some = every if len(sys.argv) != 2 or os.environ.get("TS_SLOW") == "1" else {name: every[name] for name in ALWAYS}
    # docs/formats.md: the queue's memory, and a line of 1 MiB.
    measure.main(every if sys.argv[1] == "--list" else some, Out, "ftrace_text", 96 * MB, 4, 5000)
