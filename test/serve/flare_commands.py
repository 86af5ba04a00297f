"""Every command of the Flare protocol, over databases and over sample directories, against flare_oracle.py."""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

from flare_oracle import Sample


def differ(a, b, at=""):
    """Where two documents differ, or None. Numbers that are not integers may differ in the last digits."""
    pending = [(a, b, at)]
    while pending:
        a, b, at = pending.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return "%s: keys %s instead of %s" % (at, sorted(a), sorted(b))
            pending += [(a[k], b[k], "%s.%s" % (at, k)) for k in a]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return "%s: %d elements instead of %d" % (at, len(a), len(b))
            pending += [(x, y, "%s[%d]" % (at, i)) for i, (x, y) in enumerate(zip(a, b))]
        elif isinstance(a, float) or isinstance(b, float):
            if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9):
                return "%s: %r instead of %r" % (at, a, b)
        elif a != b or type(a) is not type(b):
            return "%s: %r instead of %r" % (at, a, b)
    return None


class Pipe:
    """Requests through flare_drive."""

    def __init__(self, drive, *args):
        self.process = subprocess.Popen([drive, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask_text(self, text):
        self.process.stdin.write(text.encode("utf-8", "surrogateescape") + b"\n")
        self.process.stdin.flush()
        replies = []
        while True:
            line = self.process.stdout.readline()
            assert line, "flare_drive ended"
            if line == b"\n":
                return replies
            replies.append(json.loads(line))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait() == 0


class Checker:
    """Asks over a transport (ask_text) and compares; counts what was compared."""

    def __init__(self, transport):
        self.transport = transport
        self.checks = 0

    def ask(self, cmd, **options):
        return self.transport.ask_text(json.dumps({"cmd": cmd, "options": options}))

    def replies(self, expected, cmd, **options):
        got = self.ask(cmd, **options)
        wanted = [{"result": "success", "cmd": cmd, "data": d} for d in expected]
        wrong = differ(got, wanted)
        assert wrong is None, "%s %s: %s" % (cmd, json.dumps(options)[:200], wrong)
        self.checks += 1

    def reply(self, expected, cmd, **options):
        self.replies([expected], cmd, **options)

    def failure_of(self, text, message, cmd):
        got = self.transport.ask_text(text)
        wanted = [{"result": "failure", "cmd": cmd, "message": message, "data": {"message": message}}]
        wrong = differ(got, wanted)
        assert wrong is None, "%s: %s" % (text[:200], wrong)
        self.checks += 1

    def failure(self, message, cmd, **options):
        self.failure_of(json.dumps({"cmd": cmd, "options": options}), message, cmd)


def check_sample(c, sample, session, seed):
    """All questions about one open sample."""
    rand = random.Random(seed)
    ids = [t.tid for t in sample.threads()]
    c.reply(sample.dashboard(session), "dashboard", session_id=session)
    c.reply(sample.dashboard(session), "dashboard", sample_instance=session)
    c.replies(sample.cpu_time(session, []), "cpu_time", session_id=session, thread_ids=[])
    c.reply(sample.cpu_ts(session, []), "cpu_ts", session_id=session, thread_ids=[])
    span = sample.last - sample.start
    for _ in range(6):
        some = rand.sample(ids, min(len(ids), rand.randint(1, 5)))
        a, b = sorted(rand.randrange(sample.start - 100, sample.last + 100) for _ in range(2))
        unit = rand.choice([10, 20, 40, 70, 100, 1000])
        width = rand.choice([1, 4, 33, 900])
        b = max(b, a + 1 if a < sample.last else b)
        for legacy in (False, True):
            c.replies(sample.cpu_time(session, some, a, b, unit, legacy=legacy), "cpu_time", session_id=session,
                      thread_ids=some, start_time=a, end_time=b, unit_time_ms=unit, legacy=legacy)
        if min(b, sample.last) > max(a, sample.start):
            c.replies(sample.cpu_time(session, some, a, b, width=width), "cpu_time", session_id=session,
                      thread_ids=some, start_time=a, end_time=b, graph_width=width)
            c.reply(sample.cpu_ts(session, some, start=a, end=b, width=width), "cpu_ts", session_id=session,
                    thread_ids=some, start_time=a, end_time=b, graph_width=width)
        tid = some[0]
        c.reply(sample.sequenced(session, tid, a, b), "sequenced_call_tree", session_id=session, thread_id=tid,
                start_time=a, end_time=b)
        c.reply(sample.sequenced(session, tid, a, b, "samples", "d3_flame_graph_stacks"), "d3_flame_graph",
                session_id=session, thread_id=tid, start_time=a, end_time=b, stats_type="samples")
        c.reply(sample.call_tree(session, some, a, b), "call_tree", session_id=session, thread_ids=some,
                start_time=a, end_time=b)
    tid = rand.choice(ids)
    c.reply(sample.sequenced(session, tid), "sequenced_call_tree", session_id=session, thread_id=tid)
    c.reply(sample.call_tree(session, [tid]), "call_tree", session_id=session, thread_ids=[tid])
    if len(ids) < 20:
        c.reply(sample.call_tree(session, []), "call_tree", session_id=session, thread_ids=[])
    check_flame_graph(c, sample, session, tid)
    check_methods(c, sample, session, rand, span)


def check_flame_graph(c, sample, session, tid):
    got = c.ask("flame_graph", session_id=session, thread_id=tid, image_width=700, stats_type="cpu_time")[0]
    wanted = sample.sequenced(session, tid, stats="cpu_time")
    svg = got["data"].pop("flame_graph_data")
    tree = wanted.pop("sequenced_call_tree_data")
    wanted["image_width"] = 700
    assert got == {"result": "success", "cmd": "flame_graph", "data": wanted}, got
    bars, pending = 0, [tree]
    while pending:
        n = pending.pop()
        bars += len(n["children"])
        pending += n["children"]
    assert svg.count("<rect") == bars and svg.startswith("<svg ") and svg.endswith("</svg>\n"), svg[:300]
    c.checks += 1


def check_methods(c, sample, session, rand, span):
    names = sorted(sample.dir.methods.values())
    for text in ("", "no such method", rand.choice(names)[:-2], rand.choice(names)[3:9]):
        c.reply(sample.list_methods(session, text), "list_methods_by_filter", session_id=session,
                method_name_filter=" " + text + "\t")
    seen = sorted({m for t in sample.threads() for r in t.records for m in r["stack"]})
    for least, most, size, count in ((100, -1, 2000, 5), (1, 2000, 0, 20), (20, -1, 3, 50)):
        ids = rand.sample(seen, min(count, len(seen)))
        for part in ("", sample.threads()[-1].last["name"][-2:]):
            check_search(c, sample, session, ids, least, most, size, part)


def check_search(c, sample, session, ids, least, most, size, part):
    got = c.ask("search_slow_method_calls", session_id=session, method_ids=ids, min_duration=least, max_duration=most,
                max_size=size, thread_name_filter=part)
    progress = -1
    for reply in got[:-1]:
        assert set(reply["data"]) == {"session_id", "search_progress", "search_finished", "search_message"}, reply
        assert reply["result"] == "success" and reply["data"]["search_finished"] is False
        assert reply["data"]["search_progress"] >= progress
        assert reply["data"]["search_message"].startswith("searching ")
        progress = reply["data"]["search_progress"]
    last = got[-1]
    assert last["data"].pop("search_progress") == max(progress, 0)
    message = last["data"].pop("search_message")
    wanted = sample.search(session, ids, least, most, size, part)
    assert message.startswith("too many slow method calls: " if wanted["search_error"] else "searching "), message
    wrong = differ(last, {"result": "success", "cmd": "search_slow_method_calls", "data": wanted})
    assert wrong is None, wrong
    c.checks += 1


def check_failures(c, session):
    """Every failure of the description, word for word."""
    for text in ("", "{", "nonsense", "{\"cmd\":\"dashboard\"} x"):
        if text:
            got = c.transport.ask_text(text)
            assert len(got) == 1 and got[0]["result"] == "failure" and got[0]["cmd"] == "", got
            assert got[0]["message"] == got[0]["data"]["message"] != "", got
    c.failure_of('{"options":{}}', "missing attribute 'cmd'", "")
    c.failure_of('{"cmd":5}', "missing attribute 'cmd'", "")
    c.failure_of('[]', "missing attribute 'cmd'", "")
    c.failure_of('{"cmd":"dashboard"}', "missing option 'session_id'", "dashboard")
    c.failure_of('{"cmd":"dashboard","options":[]}', "missing option 'session_id'", "dashboard")
    c.failure("unknown cmd: x", "x")
    c.failure("option value is not a string 'session_id'", "dashboard", session_id=5)
    c.failure("sample session not found", "dashboard", session_id="nobody")
    c.failure("sample session not found", "dashboard", session_id=" " + session)
    for cmd in ("cpu_time", "cpu_ts", "call_tree"):
        c.failure("missing option: thread_ids", cmd, session_id=session)
        c.failure("option 'thread_ids' is not int array ", cmd, session_id=session, thread_ids=5)
        c.failure("option 'thread_ids' contains none int value: \"x\" ", cmd, session_id=session, thread_ids=[1, "x"])
        c.failure("option 'thread_ids' contains none int value: 1.5 ", cmd, session_id=session, thread_ids=[1.5])
        c.failure("option 'thread_ids' contains none int value: null ", cmd, session_id=session, thread_ids=[None])
        c.failure("option 'thread_ids' contains none int value: [1] ", cmd, session_id=session, thread_ids=[[1]])
        c.failure("option 'thread_ids' contains none int value: {} ", cmd, session_id=session, thread_ids=[{}, [2]])
    c.failure("missing option: method_ids", "search_slow_method_calls", session_id=session)
    for cmd in ("sequenced_call_tree", "d3_flame_graph", "flame_graph"):
        c.failure("missing or invalid option 'thread_id'", cmd, session_id=session)
        c.failure("missing or invalid option 'thread_id'", cmd, session_id=session, thread_id=-1)
        c.failure("thread cpu time file not found", cmd, session_id=session, thread_id=999999)
    c.failure("time period error, end_time must be greater than start_time", "cpu_time", session_id=session,
              thread_ids=[], start_time=2**50)
    c.failure("missing option 'sample_data_dir'", "open_sample")
    c.failure("missing option 'sample_data_dir'", "open_sample", sample_data_dir="  ")
    c.failure("missing option 'sample_data_dir'", "open_sample", sample_data_dir=7)
    for path in ("nothing", "../" + session, "/etc", "x/" + session, ".", "..", "a\0b"):
        c.failure("sample data dir not found", "open_sample", sample_data_dir=path)
    c.failure("missing option 'target_pid'", "attach_jvm")
    c.failure("missing option 'session_id'", "close_session")
    c.failure("missing option 'session_id'", "stop_sample")


def check_life_cycle(c, names):
    """Sessions of all samples that are there, by the names that history_samples gives."""
    c.reply({"history_samples": [{"path": n, "type": "file"} for n in names]}, "history_samples")
    c.replies([{"sample_sessions": []}], "list_sessions")
    for name in names:
        for _ in range(2):
            c.reply({"session_id": name, "type": "file"}, "open_sample", sample_data_dir=name)
    c.reply({"sample_sessions": [{"session_id": n, "type": "file"} for n in sorted(names)]}, "list_sessions")
    assert c.transport.ask_text('{"cmd":"list_sessions"}')[0]["result"] == "success"


def check_closing(c, names):
    c.reply({"session_id": names[0]}, "close_session", session_id=names[0])
    c.failure("sample session not found", "dashboard", session_id=names[0])
    c.reply({"session_id": names[0]}, "close_session", session_id=names[0])
    c.reply({"session_id": "never there"}, "stop_sample", session_id="never there")
    c.reply({}, "close_all_session")
    c.reply({"sample_sessions": []}, "list_sessions")


def worked_examples(c):
    """The numbers of the description for `mini`."""
    t = 1567669466207
    s = {"session_id": "mini"}
    one = {"id": 132, "start_time": t, "end_time": t + 440, "unit_time_ms": 40, "total_cpu_time": 200500, "steps": 12,
           "ts_data": [0, 0, 0, 0, 0, 180000, 0, 0, 0, 0, 0, 20500]}
    c.reply({**s, "thread_cpu_times": [one]}, "cpu_time", **s, thread_ids=[132], start_time=t, end_time=t + 455,
            unit_time_ms=40)
    c.reply({**s, "thread_cpu_times": [{**one, "total_cpu_time": 180000, "steps": 11, "ts_data": one["ts_data"][:11]}]},
            "cpu_time", **s, thread_ids=[132.0], start_time=t, end_time=t + 455, unit_time_ms=40, legacy=True)
    c.reply({**s, "thread_cpu_times": [{**one, "unit_time_ms": 100, "steps": 5, "ts_data": [0, 0, 180000, 0, 20500]}]},
            "cpu_time", **s, thread_ids=[], graph_width=4)

    def node(ident, label, calls, duration, cpu, children):
        return {"parent": None, "id": ident, "label": label, "calls": calls, "duration": duration, "cpu": cpu,
                "start_time": 0, "depth": 0, "children": children}
    c.reply({**s, "call_tree_data": [node(0, "CallStack", 0, 0, 0, [
        node(1, "java.lang.Thread.run()", 6, 455, 140500, [node(2, "app.Main.loop()", 6, 455, 140500, [
            node(3, "app.Db.query()", 3, 230, 130250, []), node(4, "547216299", 1, 204, 0, [])])])])]},
        "call_tree", **s, thread_ids=[132], start_time=t, end_time=t + 455)
    c.reply({**s, "call_tree_data": [node(0, "CallStack", 0, 0, 0, [
        node(1, "java.lang.Thread.run()", 2, 191, 0, [node(2, "app.Main.loop()", 2, 191, 0, [
            node(3, "app.Db.query()", 2, 191, 0, [])])])])]},
        "call_tree", **s, thread_ids=[132], start_time=t + 20, end_time=t + 193)
    got = c.ask("sequenced_call_tree", **s, thread_id=132, start_time=t, end_time=t + 455)[0]["data"]
    root = got["sequenced_call_tree_data"]
    loop = root["children"][0]["children"][0]
    assert (got["start_time"], got["end_time"], root["calls"], root["duration"]) == (t, t + 251, 5, 455), got
    assert (loop["start_time"], loop["duration"], loop["calls"]) == (0, 455, 5), loop
    assert [(n["start_time"], n["duration"], n["calls"]) for n in loop["children"]] == [(21, 230, 3)], loop
    got = c.ask("search_slow_method_calls", **s, method_ids=[547216216])[-1]["data"]["method_call_groups"]
    call = got[0]["method_calls"][0]
    assert len(got) == 1 and [call[k] for k in ("start_time", "duration", "calls", "primary_stacks", "durations")] == \
        [21, 230, 3, [547216216], [230]], got
    got = c.ask("search_slow_method_calls", **s, method_ids=[547216216], min_duration=231)[-1]["data"]
    assert got["method_call_groups"] == [] and got["search_finished"] is True
    assert c.ask("list_methods_by_filter", **s, method_name_filter="app.")[0]["data"]["total_method_size"] == 2
    c.checks += 4


def make(args, folder):
    """Sample directories and their databases: {name: directory}."""
    shapes = {"mini": ["--fixture=mini"], "one": ["--threads=1", "--seconds=6", "--seed=7"],
              "many": ["--threads=60", "--seconds=2", "--methods=90", "--seed=8"],
              "nameless": ["--threads=3", "--seconds=3", "--missing-every=3", "--methods=40", "--busy=600"]}
    for name, options in shapes.items():
        subprocess.run([args.mkflare, *options, os.path.join(folder, name)], check=True)
    return {name: os.path.join(folder, name) for name in shapes}


def main():
    parser = argparse.ArgumentParser()
    for name in ("drive", "program", "mkflare"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "flare-samples")
        os.mkdir(folder)
        paths = make(args, folder)
        db = os.path.join(scratch, "samples.db")
        # Another input comes first, so that rows of samples do not begin with 1.
        subprocess.run([args.program, paths["one"], paths["mini"], paths["many"], "-e", db, "--quiet"], check=True)
        in_db = ["one", "mini", "many"]
        pipe = Pipe(args.drive, "--samples", folder, "--converter", args.program, db)
        c = Checker(pipe)
        check_life_cycle(c, in_db + sorted(set(paths) - set(in_db)))
        for i, name in enumerate(sorted(paths)):
            if name != "mini":
                check_sample(c, Sample(paths[name]), name, i)
        worked_examples(c)
        check_failures(c, "one")
        check_closing(c, in_db)
        with open(os.path.join(folder, "file"), "w") as f:
            f.write("x")
        os.mkdir(os.path.join(folder, "empty"))
        c.failure("sample data dir is not a directory", "open_sample", sample_data_dir="file")
        c.failure("load summary info json failed", "open_sample", sample_data_dir="empty")
        c.reply({"session_id": "flare-samples/nameless", "type": "file"}, "open_sample",
                sample_data_dir="flare-samples/nameless")
        pipe.close()
        print("%d replies compared" % c.checks)


if __name__ == "__main__":
    start = time.time()
    main()
    print("%.1f s" % (time.time() - start), file=sys.stderr)
