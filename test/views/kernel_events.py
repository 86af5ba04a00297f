"""--to=chrome-json of slices: what the Trace Event Format says of them, from the rows of callstack and args.

An event here is a dictionary with its times in ns.
"""

import collections
import decimal
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

TEXTS = ("chainId", "spanId", "parentSpanId", "flag", "trace_level", "trace_tag", "custom_category", "custom_args")


def ns(value):
    value = decimal.Decimal(value) * 1000
    assert value == int(value)
    return int(value)


def exported(j, *options, code=0):
    """(events of slices in their order, {(pid, tid): name of the thread}, {pid: names of the process})"""
    run = starts.run([j.program, j.path, "--to=chrome-json", "-o", "-", "--quiet", *options], capture_output=True, check=False)
    if run.returncode != code:
        raise SystemExit("%s: %s: exit code %d: %s" % (j.path, options, run.returncode, run.stderr.decode()))
    if code:
        return None
    events, threads, processes = [], {}, collections.defaultdict(set)
    for event in json.loads(run.stdout, parse_float=decimal.Decimal)["traceEvents"]:
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                threads[event["pid"], event["tid"]] = event["args"]["name"]
            else:
                processes[event["pid"]].add(event["args"]["name"])
            continue
        for key in "ts", "dur":
            if key in event:
                event[key] = ns(event[key])
        events.append(event)
    return events, threads, processes


def expected(j, wanted=lambda row: True):
    """From the rows: X for what has ended, B for what has not; asynchronous ones are b and, when they have ended, e."""
    args = collections.defaultdict(dict)
    for argset, key, kind, value, text in j.rows(
            "SELECT a.argset, k.data, a.datatype, a.value, v.data FROM args a JOIN data_dict k ON k.id = a.key LEFT JOIN data_dict v ON v.id = a.value ORDER BY a.id"):
        args[argset].setdefault(key, text if kind == 1 else value != 0 if kind == 3 else value)
    columns = "c.id, c.ts, c.dur, c.cookie, c.argsetid, c.cat, c.name, t.tid, ifnull(p.pid, 0), c.callid, " + ", ".join("c." + name for name in TEXTS)
    for row in j.rows("SELECT %s FROM callstack c JOIN thread t ON t.id = c.callid LEFT JOIN process p ON p.id = t.ipid ORDER BY c.id" % columns):
        number, ts, dur, cookie, argset, cat, name, tid, pid = row[:9]
        if not wanted(row):
            continue
        said = {"id": number}
        if cookie is not None:
            said["cookie"] = cookie
        said.update((key, text) for key, text in zip(TEXTS, row[10:]) if text is not None)
        said.update(args.get(argset, {}))
        event = {"name": name or "(anonymous)", "pid": pid, "tid": tid, "cat": cat or "slice", "ts": ts}
        if cookie is None:
            yield {**event, "ph": "B" if dur is None else "X", **({} if dur is None else {"dur": dur}), "args": said}
            continue
        yield {**event, "ph": "b", "args": said}
        if dur is not None:
            yield {**event, "ph": "e", "ts": ts + dur}


def paired(j, events):
    """The id of what begins and ends is its own; events are given back without it."""
    begun, rest = {}, []
    for event in events:
        event = dict(event)
        number = event.pop("id", None)
        if (number is not None) != (event["ph"] in "be"):
            j.fail("an event %r with the id %r" % (event, number))
        if event["ph"] == "b":
            if number in begun:
                j.fail("two slices begin with the id %s" % number)
            begun[number] = event
        elif event["ph"] == "e":
            begin = begun.pop(number, {})
            if [begin.get(key) for key in ("name", "cat", "pid", "tid")] != [event[key] for key in ("name", "cat", "pid", "tid")]:
                j.fail("%r ends %r" % (event, begin))
        rest.append(event)
    return rest


def same_events(j, what, got, want):
    got = paired(j, got)
    for i in range(max(len(got), len(want))):
        one, other = got[i] if i < len(got) else None, want[i] if i < len(want) else None
        j.cells += len(other or ())
        if one != other:
            j.fail("%s: event %d:\n  want %r\n  got  %r" % (what, i, other, one))
            return


def check_events(j):
    """All slices, those of a thread, those of a part of the time; names of all threads and processes."""
    all_rows = j.rows("SELECT ts, callid FROM callstack ORDER BY ts")
    middle, itid = all_rows[len(all_rows) // 2][0], all_rows[-1][1]
    thread, = j.rows("SELECT name FROM thread WHERE id = ?", (itid,))[0]
    named = {i for i, in j.rows("SELECT id FROM thread WHERE name = ?", (thread,))}
    events, threads, processes = exported(j)
    same_events(j, "events", events, list(expected(j)))
    for tid, name, pid, process in j.rows("SELECT t.tid, t.name, ifnull(p.pid, 0), p.name FROM thread t LEFT JOIN process p ON p.id = t.ipid"):
        if name and not any(who[1] == tid for who in threads):
            j.fail("no name of thread %d" % tid)
        if process and process not in processes[pid]:
            j.fail("no name of process %d" % pid)
    if thread:
        same_events(j, "events of a thread", exported(j, "--thread=" + thread)[0], list(expected(j, lambda r: r[9] in named)))
    same_events(j, "events from the middle on", exported(j, "--from=%d" % middle, "--event=call")[0], list(expected(j, lambda r: r[1] >= middle)))
    same_events(j, "events of the first half", exported(j, "--until=%d" % (middle + 1))[0], list(expected(j, lambda r: r[1] <= middle)))
    exported(j, "--event=cpu", code=2)
    exported(j, "--weight=wall", code=2)


def check_event_example(j, work, line):
    """The slices and the binder calls of the description, event by event."""
    at = 2 * 10**9
    app = lambda ts, what: line(at + ts, "app", 20, 20, 0, what)
    svc = lambda ts, what: line(at + ts, "svc", 30, 30, 1, what)
    mark = "tracing_mark_write: "
    path = os.path.join(work, "events.ftrace")
    with open(path, "w", encoding="utf-8") as f:
        f.write("# tracer: nop\n" + "".join((
            app(0, mark + "B|20|H:outer "), app(10, mark + "B|20|H:[8b0e,2,1]#C##call"), app(15, mark + "B|20|H:named|M62|k=v"), app(18, mark + "E|20"),
            app(20, mark + "E|20"), line(at + 25, "worker", 21, 20, 0, mark + "S|20|H:load|7|I62|cat|args"), app(26, mark + "S|20|net$$H:x|7"),
            app(31, mark + "E|20"), app(35, mark + "F|20|H:load|7"), app(70, mark + "B|20|open"),
            app(1000, "binder_transaction: transaction=100 dest_node=5 dest_proc=30 dest_thread=0 reply=0 flags=0x10 code=0x1"),
            app(1001, "binder_transaction_alloc_buf: transaction=100 data_size=64 offsets_size=8"), svc(1010, "binder_transaction_received: transaction=100"))))
    j.convert("events", path)
    events, threads, processes = exported(j)
    me, slice_ = {"pid": 20, "tid": 20}, {"cat": "slice"}
    called = {"transaction id": 100, "destination node": 5, "destination process": 30, "reply transaction?": False,
              "flags": "0x10 allow replies with file descriptors; ", "code": "0x1 Java Layer Dependent", "calling tid": 20, "data size": 64, "offsets size": 8,
              "destination thread": 30, "destination name": "svc", "destination slice id": 7}
    same_events(j, "example", events, [
        {"ph": "X", **me, **slice_, "name": "H:outer", "ts": at, "dur": 31, "args": {"id": 0}},
        {"ph": "X", **me, **slice_, "name": "H:[8b0e,2,1]#C##call", "ts": at + 10, "dur": 10, "args": {"id": 1, "chainId": "8b0e", "spanId": "2", "parentSpanId": "1", "flag": "C"}},
        {"ph": "X", **me, **slice_, "name": "H:named|M62|k=v", "ts": at + 15, "dur": 3, "args": {"id": 2, "trace_level": "M", "trace_tag": "62", "custom_args": "k=v"}},
        {"ph": "b", **me, **slice_, "name": "H:load", "ts": at + 25, "args": {"id": 3, "cookie": 7, "trace_level": "I", "trace_tag": "62", "custom_category": "cat", "custom_args": "args"}},
        {"ph": "e", **me, **slice_, "name": "H:load", "ts": at + 35},
        {"ph": "b", **me, "cat": "net", "name": "net$$H:x", "ts": at + 26, "args": {"id": 4, "cookie": 7}},
        {"ph": "B", **me, **slice_, "name": "open", "ts": at + 70, "args": {"id": 5}},
        {"ph": "B", **me, "cat": "binder", "name": "binder transaction", "ts": at + 1000, "args": {"id": 6, **called}},
        {"ph": "B", "pid": 30, "tid": 30, "cat": "binder", "name": "binder reply", "ts": at + 1010, "args": {"id": 7, "destination slice id": 6}}])
    j.same("names of threads", threads, {(20, 20): "app", (20, 21): "worker", (30, 30): "svc", (0, 0): "swapper"})
    j.same("names of processes", processes, {20: {"app"}, 30: {"svc"}, 0: {"swapper"}})
