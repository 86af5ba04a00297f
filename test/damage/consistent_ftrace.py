"""Events of the kernel as text, read apart from the program: whether each line is one, and what the switches say."""

import re

LINE = re.compile(rb" *(.{1,16})-(\d+) +\( *(\d+|-+)\) \[(\d{3})\] [^ ]{4,5} (\d+)\.(\d{6,9}): (\w+): (.*)")
SWITCH = re.compile(rb"prev_comm=.* prev_pid=\d+ prev_prio=\d+ prev_state=[^ ]+ ==> next_comm=.* next_pid=\d+ next_prio=(\d+)")
SQL = ["SELECT ts, cpu, priority FROM sched_slice ORDER BY id"]


def lines(path):
    with open(path, "rb") as f:
        data = f.read()
    return [line for line in data.split(b"\n") if line and not line.startswith(b"#")]


def consistent(path):
    """A recording from which whole lines are gone, or in which they stand twice, contradicts nothing; nor does one whose last line has no end."""
    return all(LINE.fullmatch(line) for line in lines(path))


def rows(path):
    """Of each switch, by time."""
    out = []
    for line in lines(path):
        _, _, _, cpu, seconds, fraction, name, text = LINE.fullmatch(line).groups()
        switch = SWITCH.fullmatch(text) if name == b"sched_switch" else None
        if switch:
            out.append((int(seconds) * 10**9 + int(fraction.ljust(9, b"0")), int(cpu), int(switch[1])))
    return sorted(out, key=lambda row: row[0])
