#!/usr/bin/env python3
"""Random recordings of the kernel's events, as messages, text and raw pages: every cell is compared with what the model says.

usage: ftrace.py TRACE_STREAMER TESTDIR [--seed N] [--keep FOLDER]
"""

import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import ftrace_write as write
import ftrace_write_raw as write_raw
from ftrace_compare import differences
from ftrace_examples import EXAMPLES, compare
from ftrace_loss import Loss
from ftrace_made import Made
from ftrace_model import Event, Model
from ftrace_range import limited

READERS = ("protobuf", "text", "raw")
BOOT, MONO, REAL = 5 * 10**12, 4 * 10**12, 17 * 10**17


def as_messages(rng, made):
    """(bytes of a recording, the model for it, lists that were overwritten)"""
    clock = rng.choice(["boot", "boot", "mono", None])
    symbols = [(0x1000, "do_work"), (0x2000, "flush"), (0x1000, "again"), (0, "zero")] if rng.random() < 0.7 else []
    comms = {tid: "comm%d" % tid for tid in made.of if rng.random() < 0.5 and tid} if rng.random() < 0.5 else {}
    wire = write.Wire(rng.random() < 0.5, rng if rng.random() < 0.3 else None)
    first = b"".join(write.symbol(*s) for s in symbols) + b"".join(write.comm(*c) for c in comms.items())
    first += write.clock_stats(clock) if clock else b""
    messages, lost = [first], 0
    if any(e.kind.startswith("ffrt") for e in made.events):
        messages.append(("ffrt-profiler_config", write.number(4, 4 if clock == "mono" else 1)))
    model = Model("protobuf", BOOT - MONO if clock == "mono" else 0, BOOT - MONO, symbols, comms, BOOT - REAL)
    latest, items, ended = {}, [], False
    twice = len({(e.ts, e.kind, e.pid, repr(e.fields)) for e in made.events}) < len(made.events)  # where parts are damaged they count once
    for run in (part for run in write.cut(made.events) for part in at_missed(run)):
        if run[0].kind.startswith("ffrt"):
            messages.append(("ffrt-profiler", write.ffrt(run)))
            items += run
            continue
        overwritten = run[0].missed or rng.choice([0] * 60 + [3])
        lost += overwritten != 0
        bad = rng.randrange(len(run)) if rng.random() < 0.02 and not twice else None
        data = (write.no_details(0) if rng.random() < 0.05 else b"") + write.details(run, wire, overwritten, bad)
        items += run if bad is None else run[: bad + 1] + [Loss("before", run[0].cpu)] + run[bad + 1 :]
        used = [e.ts for e in run if model.is_read(e)]
        if overwritten:
            model.missing[run[0].cpu] = model.missing.get(run[0].cpu, 0) + overwritten
            after = latest.get(run[0].cpu, -(1 << 63))
            items.append(Loss("between", run[0].cpu, after, used[0] - (used[0] > after)) if used else Loss("before", run[0].cpu))
        if bad is not None:
            model.items.setdefault("ftrace_events:(none that is known)", [0, 0, 0])[1] += 1
        if used:
            latest[run[0].cpu] = max(used + [latest.get(run[0].cpu, used[0])])
        damaged = bad is not None
        if not twice and rng.random() < 0.01:
            damaged = True
            data += write.number(2, 5)
        if damaged:
            items.append(Loss("part"))
        if rng.random() < 0.7 and isinstance(messages[-1], bytes) and not ended:
            messages[-1] += data
        else:
            messages.append(data)
        ended = damaged
    if clock and rng.random() < 0.5:
        messages.append(write.clock_stats(clock, 1))
    messages = [("ftrace-plugin", 12, m) if isinstance(m, bytes) else (m[0], 12, m[1]) for m in messages]
    cuts = sorted(rng.randrange(len(messages) + 1) for _ in range(rng.choice([0, 0, 0, 1, 3])))
    data = [write.container(messages[a:b], BOOT, REAL, MONO) for a, b in zip([0] + cuts, cuts + [len(messages)])]
    for n in model.missing.values():
        model.dropped(n)
    made.events = items
    return data, model, lost


def at_missed(events):
    """Cut before each event before which others are missing."""
    begins = [0] + [i for i, e in enumerate(events) if e.missed and i] + [len(events)]
    return [events[a:b] for a, b in zip(begins, begins[1:])]


JUNK = ["no event", "app-20 (20) [000] d..3 12: print: x", "", "# a comment", "app-x (20) [000] d..3 1.5: print: B|20|x"]
NOTES = ["CPU:%d [LOST %d EVENTS]", "CPU:%d [%d EVENTS DROPPED]", "CPU:%d [LOST EVENTS]", "CPU:%d [EVENTS DROPPED]"]


def said_of(rng, model, style, e):
    """(lines before an event, what they say is lost)"""
    lines, losses = [], []
    if e.missed:
        note = rng.choice(NOTES)
        numbered = note.count("%") > 1
        lines.append(note % ((e.cpu, e.missed) if numbered else e.cpu))
        losses.append(Loss("before", e.cpu))
        model.notes += 1
        model.notes_numbered += e.missed if numbered else 0
        model.count("other", "invalid_data")
    what = rng.random()
    if what < 0.01:
        lines.append(rng.choice(JUNK))
        if lines[-1][:1] not in ("", "#"):
            losses.append(Loss("any"))
            model.other_lines += 1
            model.count("other", "invalid_data")
    elif what < 0.014:
        cpu = rng.randrange(4)
        lines.append(style.line(Event("unknown", e.ts, cpu, 20)).replace("ext4_da_write", "cpu_frequency"))
        losses.append(Loss("here", cpu, e.ts))
        model.unread += 1
        model.count("cpu_frequency", "invalid_data")
    elif what < 0.02:
        cpu = rng.randrange(4)
        lines.append("##### CPU %d buffer started ####" % cpu)
        losses.append(Loss("started", cpu))
    return lines, losses


def as_text(rng, made):
    style = write.Style(rng.random() < 0.8, rng.choice([9, 9, 6]), rng.choice(["d..3", "....", "d..2.", ""]), rng.random() < 0.2, rng.choice(["\n", "\n", "\r\n"]))
    for e in made.events:
        e.ts -= e.ts % 10 ** (9 - style.digits)
        e.tgid = e.tgid if style.process else 0
    model = Model("text")
    said = [said_of(rng, model, style, e) for e in made.events]
    if model.notes:
        model.dropped(max(model.notes, model.notes_numbered))
    data = style.recording(made.events, {i: lines for i, (lines, _) in enumerate(said)}).encode()
    made.events = [item for e, (_, losses) in zip(made.events, said) for item in losses + [e]]
    return data, model, 0


def as_raw(rng, made):
    made.events = sorted((e for e in made.events if e.kind in write_raw.FORMATS), key=lambda e: (e.cpu, e.ts))
    names = {tid: name for tid, name in made.names.items() if tid and rng.random() < 0.9}
    tgids = {tid: pid for tid, pid in made.of.items() if tid and rng.random() < 0.9}
    for e in made.events:
        e.tgid, e.comm = tgids.get(e.pid, 0), names.get(e.pid, "")
        e.fields.pop("next_info", None)
        e.fields.pop("caller_str", None)
    symbols = [(0x1000, "do_work"), (0x2000, "flush")]
    model = Model("raw", symbols=symbols)
    events, items = [], []
    for e in made.events:
        if rng.random() < 0.003:
            events.append(Event("unread", e.ts, e.cpu, 20, number=rng.choice((316, 999))))
            items.append(Loss("here", e.cpu, e.ts))
            model.unread += 1
            model.count("other", "invalid_data")
        if e.missed:
            items.append(Loss("before", e.cpu))
        events.append(e)
        items.append(e)
    made.events = items
    data, missed = write_raw.raw(events, names, tgids, symbols), [e for e in events if e.missed]
    if missed:
        model.dropped(max(len(missed), sum(e.missed for e in missed if e.numbered)))
    return data, model, 0


MAKERS = {"protobuf": (as_messages, ".htrace"), "text": (as_text, ".ftrace"), "raw": (as_raw, ".sys")}


class Conversion:
    """A recording that is being converted; data: of several files, bytes of each."""

    def __init__(self, program, folder, name, data, options=(), whole=True):
        """whole: with all threads, and in a build with sanitizers with what takes more time than so small a recording."""
        self.path = os.path.join(folder, name)
        self.database = self.path + ".db"
        self.paths = [self.path]
        source = [self.path]
        if not isinstance(data, list):
            data = [data]
        elif len(data) > 1:
            os.mkdir(self.path)
            source = ["-D", self.path]
            self.paths = [os.path.join(self.path, "hiprofiler_data_20240102_030405_%d.htrace" % (i + 1)) for i in range(len(data))]
        for path, part in zip(self.paths, data):
            if part is None:  # it is missing
                continue
            with open(path, "wb") as f:
                f.write(part)
        few = "detect_leaks=0:quarantine_size_mb=1:malloc_context_size=4"
        environment = os.environ if whole else {**os.environ, "ASAN_OPTIONS": ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), few)))}
        command = [program, *source, "-e", self.database, "--quiet", *options] + ["--threads=1"] * (not whole)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)

    def wait(self):
        """The database, None when there is none."""
        said, _ = self.process.communicate()
        if self.process.returncode:
            print("%s: exit code %d: %s" % (self.path, self.process.returncode, said))
            return None
        return sqlite3.connect("file:%s?mode=ro" % self.database, uri=True)


def some_range(rng, times):
    """[low, high) in the clock of the rows, None: no end: somewhere in the recording, often exactly at events; before it, behind it."""
    kind = rng.random()
    if kind < 0.08:
        return times[-1] + rng.choice([1, 10**9]), None
    if kind < 0.16:
        return None, times[0] + rng.choice([0, 1])
    low, high = sorted(rng.choice(times) + rng.choice([0, 0, 1, -1]) for _ in range(2))
    low = max(low, times[0])
    return (None if kind > 0.9 else low), (None if 0.8 < kind <= 0.9 else max(high, low + 1))


def time_text(ts, reader, begin):
    """As --time-range takes it: recordings with clocks by the date, others from their first event."""
    if ts is None:
        return ""
    if reader != "protobuf":
        return "+%dns" % (ts - begin)
    seconds, ns = divmod(ts - BOOT + REAL, 10**9)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + ".%09dZ" % ns


def of_seed(program, folder, seed, readers, only):
    """(conversion, function that gives what differs in its database)"""
    rng = random.Random(seed)
    reader = readers[seed % len(readers)]
    maker, suffix = MAKERS[reader]
    made = Made(rng, reader, rng.choice((40, 100, 250, 700)), only)
    data, model, lost = maker(rng, made)
    options = []
    model.compat = rng.random() < 0.2
    if model.compat:
        options.append("--compat")
        model.syscalls = set()
        model.count("other", "invalid_data", model.other_lines + model.notes)  # once more
    if rng.random() < 0.25:
        model.syscalls = rng.choice([set(), {3}, {64, 1000}, {3, 64}])
        options += ["--syscalls=" + (",".join(map(str, sorted(model.syscalls))) or "none")]
    tables = {what: list(rows) for what, rows in model.run(made.events, lost).items()}
    if rng.random() < 0.4 and model.times:
        low, high = some_range(rng, sorted(model.times))
        options += ["--time-range", "%s,%s" % tuple(time_text(ts, reader, min(model.times)) for ts in (low, high))]
        tables = limited(tables, *(end if ts is None else ts for ts, end in ((low, -(1 << 62)), (high, 1 << 62))), model.times, model.marked)
    conversion = Conversion(program, folder, "seed%d%s" % (seed, suffix), data, options, seed % 10 == 0)
    return conversion, lambda database: differences(database, tables)


def of_example(program, folder, example):
    if example.reader == "raw":
        data = write_raw.raw(example.events(), {20: "app"}, {20: 20})
    else:
        first = write.clock_stats("boot") + b"".join(write.comm(*c) for c in example.comms.items())
        data = write.htrace([first] + [write.details(run) for run in write.cut(example.events())], 10**9, 11 * 10**9, 10**9)
    conversion = Conversion(program, folder, example.name + MAKERS[example.reader][1], data)
    return conversion, lambda database: (compare(database, example), sum(len(r[1]) for r in example.rows.values()))


def of_files(program, folder, missing):
    """What is open goes on from file to file of -D; where one is missing it does not end, and that is said."""
    mark = lambda ts, text: Event("print", 10**9 + ts, 0, 20, 20, "app", buf=text)
    parts = [[mark(0, "B|20|H:long"), mark(1, "C|20|n|1"), mark(2, "S|20|H:async|7")], [mark(3, "B|20|H:inner"), mark(4, "E|20")],
             [mark(10, "E|20"), mark(11, "C|20|n|2"), mark(12, "F|20|H:async|7")]]
    files = [write.htrace([write.details(part)], 10**9, 11 * 10**9, 10**9) for part in parts]
    if missing:
        files[1] = None
    conversion = Conversion(program, folder, "files%d" % missing, files)
    known = lambda dur: None if missing else dur
    rows = [("H:long", 0, known(10)), ("H:async", 2, known(10))] + [("H:inner", 3, 1)] * (not missing)
    asked = (("SELECT name, ts - 1000000000, dur FROM callstack ORDER BY id", rows),
             ("SELECT value, dur FROM process_measure ORDER BY ts", [(1, known(10)), (2, None)]),
             ("SELECT code, sum(count) FROM import_issue WHERE code IN ('sequence_gap', 'ftrace_gap') GROUP BY code", [("ftrace_gap", 1), ("sequence_gap", 1)] * missing))
    return conversion, lambda database: (["%s: %r" % (sql, got) for sql, want in asked for got in [database.execute(sql).fetchall()] if got != want], len(asked))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("testdir")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=2000 if os.environ.get("TS_SLOW") == "1" else 100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--readers", default=",".join(READERS))
    parser.add_argument("--keep")
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.count) if args.seed is None else [args.seed]
    readers = args.readers.split(",")
    cells = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or folder
        make = [lambda e=e: of_example(args.program, folder, e) for e in EXAMPLES if args.seed is None and e.reader in readers]
        make += [lambda s=s: of_seed(args.program, folder, s, readers, args.only) for s in seeds]
        if args.seed is None:
            make += [lambda m=m: of_files(args.program, folder, m) for m in (False, True)]
        running = []
        for start in make + [None, None]:  # two at a time
            if start is not None:
                running.append(start())
            if running and (start is None or len(running) > 2):
                conversion, differing = running.pop(0)
                database = conversion.wait()
                wrong, compared = (["no database"], 0) if database is None else differing(database)
                cells += compared
                failed += bool(wrong)
                for text in wrong:
                    print("%s: %s" % (os.path.basename(conversion.path), text))
                if database is not None:
                    database.close()
                if not args.keep:
                    for path in filter(os.path.exists, conversion.paths + [conversion.database]):
                        os.unlink(path)
                    if os.path.isdir(conversion.path):
                        os.rmdir(conversion.path)
    print("%d recordings, %d cells compared, %d recordings differ" % (len(make), cells, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
