#!/usr/bin/env python3
"""mkcloud against the independent reader of test/check/cloud.py: what mkcloud says it wrote is what
the reader finds, in every container, format and shape; each kind of damage is found where it was
made. With TS_FIXTURES the reader is held against the figures known of real recordings.

usage: cloud.py MKCLOUD TESTDIR
"""

import os
import shutil
import subprocess
import sys
import tempfile

MKCLOUD = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[2]), "check"))
import cloud

FAILED = []


def same(what, got, want):
    if got != want:
        FAILED.append(what)
        print("%s: want %r, got %r" % (what, want, got))


def make(*options, path="out"):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)
    text = subprocess.run([MKCLOUD, "-o", path, "--expect", "-"] + list(options), check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    expected = {name: int(value) for name, value in map(str.split, text.splitlines())}
    recordings = [cloud.Recording(p) for p in cloud.load(path)]
    return expected, recordings


def figures(recordings):
    return cloud.combine(r.figures() for r in recordings)


def notes(recordings, gzip=False):
    return [n for r in recordings for n in r.pod.notes
            if gzip or n[3] != "gzip without trailer"]


def round_trip(*options, change=None):
    """Everything mkcloud says is found; `change` names figures that differ, and by how much."""
    what = " ".join(options)
    want, recordings = make(*options)
    got = figures(recordings)
    for name, by in (change or {}).items():
        want[name] += by
    for name in want:
        same("%s: %s" % (what, name), got.get(name), want[name])
    same("%s: names of the figures" % what, set(got), set(want))
    return got, recordings


# --------------------------------------------------------------------------- worked bytes


def worked_bytes():
    """Records whose bytes were taken from a real recording and decoded by hand."""
    r = cloud.Bytes(bytes.fromhex("CD0A 09 9F03 04 00 04 006D00610069006E 00 00 01 08 00"
                                  "00 00 00 00 00 00 00 00 00 00"))
    names = []
    c = cloud.parse_call(r, 4, names, 1691167328395)
    same("worked call", (c.start, c.method, c.duration, c.enters, c.thread, c.key),
         (1691167327716, 9, 415, 4, "main", (1, 8, 0)))
    pod = cloud.Pod("worked", True)
    pod.add("suspend", 1, bytes.fromhex("0000000D 00000189C16D8197 940108 6407"))
    same("worked suspend", cloud.parse_suspend(pod),
         [(0x189C16D8197 + 148, 148, 8), (0x189C16D8197 + 248, 100, 7)])
    pod.add("trace", 1, bytes.fromhex(
        "0000000000000000 0000000000000001 0000000000000000"
        "B42209 B40223 0021 0D 01 88039401 35 8207000000 01 03"))
    t = cloud.Trace(pod, {0: "call.info"})
    t.read()
    same("worked trace", [(f.method, f.level, f.start, f.end) for f in t.frames],
         [(9, 0, 1101, 1516), (35, 1, 1178, 1181), (33, 2, 1178, 1181), (148, 1, 1279, 1292)])
    same("worked notes", pod.notes, [])


# --------------------------------------------------------------------------- shapes


def shapes():
    containers = (["agent"], ["flat"], ["tcp"])
    for c in containers:
        base = ["--container"] + c
        got, rec = round_trip(*base, "--calls", "300", "--block", "40", "--pods", "2")
        same("notes of %s" % c, notes(rec), [])
        same("pods of %s" % c, len(rec), 2)
        same("all joined in %s" % c, got["calls.joined"], got["calls.rows"])
        same("clean in %s" % c, [got[n] for n in ("trace.open", "trace.lost", "clobs.unresolved")],
             [0, 0, 0])
        if got["trace.spanning_roots"] == 0 or got["calls.rows"] == 0:
            same("roots that span blocks in %s" % c, got["trace.spanning_roots"], "some")
        got, rec = round_trip(*base, "--calls", "400", "--rotate-trace", "20000", "--rotate-calls",
                              "4000", "--rotate-texts", "3000", "--block", "97")
        same("notes of rotated %s" % c, notes(rec), [])
        same("rotation in %s" % c, [len(rec[0].pod.files[s]) > 2
                                    for s in ("trace", "calls", "sql", "xml")], [True] * 4)
        # The 32-bit sums wrap in the middle, or have long wrapped.
        for uptime in ("2147480000", "4294960000", "40000000000"):
            got, _ = round_trip(*base, "--uptime", uptime)
            same("first call after %s" % uptime,
                 0 <= got["calls.min_start"] - 1700000000000 - int(uptime) < 1000, True)
        round_trip(*base, "--depth", "3000", "--calls", "5")
        round_trip(*base, "--open", "4", "--phrase", "300", "--seed", "9")
    for version in range(5):
        got, rec = round_trip("--format", str(version), "--seed", "3")
        names = {c.thread for c in rec[0].calls}
        same("threads in format %d" % version, len(names), 4 if version else 1)
        same("joined in format %d" % version, got["calls.joined"], got["calls.rows"])
    got, rec = round_trip("--threads", "700", "--calls", "3000", "--frames", "1")
    same("names", len({c.thread for c in rec[0].calls}) > 500, True)
    for extra in (["--positions", "--container", "flat"], ["--positions", "--container", "tcp"],
                  ["--copies"], ["--plain"], ["--trailers"], ["--members", "--calls", "2000"],
                  ["--no-params"], ["--field", "7", "--container", "tcp"], ["--calls", "0"],
                  ["--depth", "1"], ["--pause", "0"], ["--pause", "5"], ["--first-index", "3"],
                  ["--phrase", "1", "--container", "flat"], ["--small", "100"], ["--block", "1"],
                  ["--threads", "1", "--block", "4096"], ["--others", "--container", "flat"],
                  ["--commands", "--others", "--container", "tcp", "--pods", "3"],
                  ["--suffix", "bin", "--container", "flat"], ["--reactive"],
                  ["--short-longs", "--calls", "2000"]):
        _, rec = round_trip(*extra)
        same("notes of %s" % extra, notes(rec), [])
    _, rec = make("--copies")
    same("copies", rec[0].pod.others["calls[3s-60m]"], rec[0].pod.files["calls"])
    _, rec = make("--trailers")
    same("trailers", notes(rec, gzip=True), [])
    _, rec = make()
    same("no trailers", len(notes(rec, gzip=True)), 9)
    a, b = make("--seed", "5")[1], make("--seed", "6")[1]
    same("another seed", a[0].pod.files["trace"] == b[0].pod.files["trace"], False)
    make("--container", "tcp", path="x")
    make("--container", "tcp", path="y")
    same("the same bytes", cloud.read("x") == cloud.read("y"), True)
    # The streams of a conversation are the stream files.
    flat, tcp = (make("--container", c, path="out." + c)[1] for c in ("flat", "tcp"))
    same("streams", flat[0].pod.files, tcp[0].pod.files)


# --------------------------------------------------------------------------- damage


def damage_written():
    """Faults that leave the streams readable: the figures change, nothing else."""
    for fault, change in (
        ("stray-exit", "trace.stray_exits"), ("stray-tag", "trace.stray_tags"),
        ("lost-enter", "trace.stray_tags"), ("lost-exit", "trace.lost"),
        ("clob-offset", "clobs.unresolved"), ("clob-file", "clobs.unresolved"),
        ("call-method", "calls.mismatched"), ("call-start", "calls.mismatched"),
        ("call-no-method", "calls.mismatched"), ("clock-back", None), ("no-word", None),
        ("call-twice", None), ("call-key", None), ("call-file", None), ("call-duration", None),
        ("call-thread", None),
    ):
        for number in ("0", "17"):
            got, rec = round_trip("--" + fault, number, "--block", "60")
            same("notes of %s" % fault, notes(rec), [])
            if change:
                same("%s counts" % fault, got[change] > 0, True)
        if fault in ("call-key", "call-file", "lost-enter"):
            same("%s joins" % fault, got["calls.rows"] - got["calls.joined"], 1)
    _, rec = make("--call-thread", "17")
    same("thread beyond the table", sum(c.thread[:10] == "unknown # " for c in rec[0].calls), 1)
    got, rec = round_trip("--no-word", "17")
    same("id without a word", sum(f.method not in rec[0].words for f in rec[0].trace.frames), 1)
    got, rec = round_trip("--tag-word", "17")
    same("tag without a word", sum(v[1] not in rec[0].words for v in rec[0].trace.values), 1)
    got, rec = round_trip("--call-word", "17")
    same("parameter without a word",
         sum(w not in rec[0].words for c in rec[0].calls for w, _ in c.params), 1)
    clean = make()[0]["calls.rows"]
    same("call twice", make("--call-twice", "17")[0]["calls.rows"] - clean, 1)
    got, rec = round_trip("--clock-back", "17")
    same("ends before it starts", sum(f.end < f.start for f in rec[0].trace.frames), 1)


def stops(option, stream, rows, reason, *more):
    """Damage that ends a stream: the rows before it are there, one note says why."""
    _, rec = make(*option.split(), *more)
    found = notes(rec)
    what = "%s: " % option
    same(what + "notes", [(n[0], reason in n[3]) for n in found], [(stream, True)])
    same(what + "rows", rows(rec[0]), int(option.split()[1]))
    return rec[0], found[0]


def damage_stops():
    for c in ("agent", "flat", "tcp"):
        where = ["--container", c]
        for fault in ("params", "values", "string"):
            stops("--call-%s 17" % fault, "calls", lambda r: len(r.calls),
                  {"params": "5000", "values": "1048577", "string": "length -1"}[fault], *where)
        stops("--word-length 100", "dictionary", lambda r: len(r.words), "length 2147483647",
              *where)
        stops("--text-length 3", "sql", lambda r: len(r.sql), "length -1", *where)
        # The bad type or text ends the trace file in the block where it stands.
        for fault in ("type", "length"):
            _, rec = make("--tag-" + fault, "17", *where)
            (note,) = notes(rec)
            same("tag-" + fault, (note[0], rec[0].trace.blocks[-1][6]), ("trace", 0))
    _, rec = make("--param-length", "5")
    same("param-length", (len(rec[0].params), notes(rec)[0][0]), (5, "params"))
    # In a framed stream the next phrase can be read again, unless numbers count the records.
    framed = ["--container", "flat", "--phrase", "300"]
    for option, stream, rows in (
        (["--param-length", "5"], "params", lambda r: len(r.params)),
        (["--word-length", "30", "--positions"], "posDictionary", lambda r: len(r.words)),
        (["--word-length", "30"], "dictionary", lambda r: len(r.words)),
    ):
        whole = rows(make(*framed, *option[2:])[1][0])
        _, rec = make(*framed, *option)
        same("%s in phrases" % option, [n[0] for n in notes(rec)], [stream])
        same("%s: rows" % option, rows(rec[0]) > whole - 12, stream != "dictionary")
        same("%s: rows lost" % option, rows(rec[0]) < whole, True)
    _, rec = make("--format", "5")
    same("format 5", ([], [("calls", 1, 0, "calls format 5")]), (rec[0].calls, notes(rec)))


def damage_bytes():
    clean = make("--container", "flat")[1][0]
    for c in ("agent", "flat", "tcp"):
        for stream in ("calls", "trace", "sql", "xml"):
            data = clean.pod.files[stream][1]
            for cut in (0, 9, len(data) // 2, len(data) - 1):
                _, rec = make("--container", c, "--cut", "%s@%d" % (stream, cut))
                same("%s cut at %d of %s" % (c, cut, stream),
                     rec[0].pod.files[stream].get(1, b""), data[:cut])
    _, rec = make("--patch", "calls@4:00000007")
    same("patch", notes(rec), [("calls", 1, 0, "calls format 7")])
    _, rec = make("--insert", "xml@0:00", "--remove", "sql@0:10", "--container", "flat")
    same("insert", rec[0].pod.files["xml"][1], b"\0" + clean.pod.files["xml"][1])
    same("remove", rec[0].pod.files["sql"][1], clean.pod.files["sql"][1][10:])
    got, rec = round_trip("--rotate-trace", "5000", "--block", "30")
    _, rec = make("--rotate-trace", "5000", "--block", "30", "--drop", "trace.2")
    same("gap", notes(rec), [("trace", 3, 0, "file 2 is missing")])
    same("frames lost in the gap", figures(rec)["trace.lost"] > 0, True)
    same("calls of the gap", 0 < figures(rec)["calls.joined"] < got["calls.joined"], True)
    for n, reason in ((0, "phrase of 0"), (2 << 20, "phrase of 2097152"),
                      (1 << 19, "phrase past the end")):
        _, rec = make("--container", "flat", "--phrase", "1000", "--phrase-length",
                      "dictionary@2:%d" % n)
        same("phrase of %d" % n, reason in notes(rec)[0][3], True)
        same("words before it", len(rec[0].words) > 10, True)
    whole = clean.pod.files["trace"][1]
    for option in ("--gzip-cut trace@900", "--gzip-patch trace@900:ff00ff00", "--gzip-crc trace"):
        _, rec = make(*option.split())
        found = [n for n in notes(rec, gzip=True) if n[0] == "trace" and n[3][:4] == "gzip"]
        got = rec[0].pod.files["trace"][1]
        same(option + " notes", len(found), 1)
        # Bytes after the patch may be wrong before the damage shows.
        same(option + " bytes", got[:900] == whole[:900], True)
        same(option + " length", len(got) == len(whole), option == "--gzip-crc trace")


def damage_tcp():
    clean = figures(make("--container", "tcp")[1])
    for option, reason, all_there in (
        ("--tcp-command", "unknown command 0x7f", False), ("--tcp-handle", "unknown handle", True),
        ("--tcp-error", "the collector refuses", False), ("--tcp-field", "field of", False),
    ):
        _, rec = make("--container", "tcp", option, "40")
        same(option, [reason in n[3] for n in rec[0].pod.notes if n[0] == "tcp"], [True])
        same(option + " rest", figures(rec) == clean, all_there)
        same(option + " words", len(rec[0].words) > 0, True)


    _, rec = make("--container", "tcp", "--pods", "3", "--tcp-refused", "1")
    same("refused", ([len(r.calls) > 0 for r in rec], notes(rec)[0][3]),
         ([True, False], "the collector refuses"))


def mistakes():
    for bad in (["--nonsense"], ["--calls", "x"], ["--calls", "-1"], ["--cut", "nothing@0"],
                ["--cut", "trace"], ["--patch", "trace@0"], ["--container", "zip"], ["--depth"],
                ["--positions"], ["--drop", "trace.0"]):
        p = subprocess.run([MKCLOUD, "-o", "bad"] + bad, stderr=subprocess.PIPE)
        same("mistake %s" % bad, (p.returncode, p.stderr.count(b"\n"), p.stderr[:9]),
             (2, 1, b"mkcloud: "))


# --------------------------------------------------------------------------- real recordings


POD = {
    "dictionary.words": 942, "dictionary.methods": 806, "params.rows": 122, "suspend.rows": 504,
    "suspend.sum": 38546, "suspend.max": 215, "calls.rows": 45, "calls.params": 160,
    "calls.values": 160, "calls.duration": 115584, "calls.enters": 1416, "calls.cpu": 16835,
    "calls.file_read": 643899, "calls.file_written": 10907, "calls.net_read": 6576358,
    "calls.net_written": 3708579, "calls.min_start": 1690201583767,
    "calls.max_end": 1690201731201, "calls.suspended": 42981, "calls.joined": 45,
    "calls.mismatched": 0, "trace.blocks": 69, "trace.threads": 24, "trace.enters": 1456,
    "trace.exits": 1456, "trace.tags_inline": 368, "trace.tags_big": 36, "trace.tags_index": 160,
    "trace.tags_dedup": 45, "trace.max_level": 18, "trace.roots": 85, "trace.spanning_roots": 3,
    "trace.open": 0, "trace.lost": 0, "trace.stray_exits": 0, "trace.stray_tags": 0,
    "slices.self": 115655, "slices.root_duration": 115655, "clobs.unresolved": 0, "sql.texts": 9,
    "xml.texts": 36,
}
AGENT = {
    "dictionary.words": 180, "params.rows": 113, "suspend.rows": 0, "calls.rows": 2,
    "calls.values": 0, "calls.duration": 470, "calls.enters": 7, "calls.cpu": 1953,
    "calls.memory": 50549608, "calls.file_read": 0, "calls.net_read": 0,
    "calls.min_start": 1643822466061, "calls.max_end": 1643822466531, "calls.joined": 2,
    "calls.mismatched": 0, "trace.blocks": 1, "trace.threads": 1, "trace.enters": 7,
    "trace.exits": 7, "trace.tags_inline": 10, "trace.tags_big": 0, "trace.max_level": 2,
    "trace.roots": 2, "trace.open": 0, "trace.stray_exits": 0, "sql.texts": 0, "xml.texts": 0,
}


def real_pod(path):
    (r,) = [cloud.Recording(p) for p in cloud.load(path)]
    got = r.figures()
    same(path, {n: got[n] for n in POD}, POD)
    same("notes of %s" % path, r.pod.notes, [])
    same("suspend", (r.suspend[0], r.suspend[-1], r.pod.suspend_phrases),
         ((1690201577743, 86, 67), (1690201726143, 100, 88), 19))
    same("base", (r.pod.calls_base, len({c.thread for c in r.calls})), (1690201585956, 19))
    a, b = r.calls[0], r.calls[-1]
    same("first call", (a.start, a.method, a.duration, a.enters, a.thread, a.key, a.cpu),
         (1690201583767, 9, 1387, 4, "main", (1, 8, 0), 1459))
    same("last call", (b.start, b.method, b.duration, b.enters, b.thread, b.key, b.cpu,
                       b.net_read, b.net_written, b.params),
         (1690201731195, 568, 6, 2, "http-nio-8180-exec-8", (1, 43838, 0), 5, 121, 759,
          [(19, ["GET /actuator/health, client: 192.168.206.37"]), (119, ["GET"]),
           (41, ["http://10.131.130.171:8180/actuator/health"]), (84, ["192.168.206.37"])]))
    t = r.trace
    same("blocks", (t.blocks[0], t.blocks[-1]),
         ((1, 8, 1, 1690201583767, 48, 243, 1), (1, 43838, 65, 1690201708552, 16, 452, 1)))
    same("spanning roots", sorted((f.thread,) + f.key[1:] for f in t.roots.values() if f.spans),
         [(1, 8, 13), (59, 8182, 0), (66, 24066, 0)])
    slow = sorted(r.calls, key=lambda c: -c.duration)[:5]
    same("slowest", [(c.duration, r.suspended(c.start, c.start + c.duration)) for c in slow],
         [(93906, 31790), (3236, 1794), (2509, 1718), (2047, 931), (2043, 931)])
    methods = {}
    for f in t.frames:
        n, own, total = methods.get(f.method, (0, 0, 0))
        methods[f.method] = (n + 1, own + f.duration - f.inner, total + f.duration)
    top = sorted(methods.items(), key=lambda m: -m[1][1])[:5]
    same("methods", top, [(7, (1, 55391, 93906)), (212, (26, 19900, 22107)),
                          (163, (10, 8138, 8138)), (569, (31, 5362, 10891)),
                          (689, (3, 4732, 4732))])
    same("paths", len(t.paths), 198)
    tree = [f for f in t.frames if f is a.root or f.parent is a.root or
            (f.parent and f.parent.parent is a.root)]
    same("tree of call 0", [(f.method, f.level, f.start - a.start, f.duration, f.duration - f.inner)
                            for f in tree],
         [(9, 0, 0, 1387, 1291), (35, 1, 278, 3, 0), (33, 2, 278, 3, 3), (148, 1, 490, 93, 93)])


def real(fixtures):
    folder = os.path.join(fixtures, "cloud")
    if not os.path.isdir(folder):
        print("no cloud recordings in TS_FIXTURES")
        return
    real_pod(os.path.join(folder, "small-pod-streams"))
    real_pod(os.path.join(folder, "small-pod.protocol"))
    (r,) = [cloud.Recording(p) for p in cloud.load(os.path.join(folder, "agent-dump"))]
    got = r.figures()
    same("agent dump", {n: got[n] for n in AGENT}, AGENT)
    same("notes of the agent dump", r.pod.notes, [])


def main():
    worked_bytes()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        shapes()
        damage_written()
        damage_stops()
        damage_bytes()
        damage_tcp()
        mistakes()
        os.chdir("/")
    if os.environ.get("TS_FIXTURES"):
        real(os.environ["TS_FIXTURES"])
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
