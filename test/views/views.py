#!/usr/bin/env python3
"""Every view, derived table and question against what is computed from the input itself.

usage: views.py GROUP TRACE_STREAMER TOOLS SOURCE_DIR
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../check")]
import cpu
import flare
import flares
import heaps
import htrace
import java_dump
import made
import pods
import quality
import stacks
import tptps
from expected import Heap, Profile
from judge import Judge, Listed

SLOW = os.environ.get("TS_SLOW", "0") != "0" or os.environ.get("TS_FULL", "0") != "0"


class Tools:
    def __init__(self, tools, source):
        self.tools = tools
        self.source = source
        self.data = os.path.join(source, "test/data")

    def run(self, tool, *args):
        subprocess.run([os.path.join(self.tools, tool), *args], check=True, stdout=subprocess.DEVNULL)

    def recording(self, kind):
        return os.path.join(self.data, "recording-%s.htrace.gz" % kind)


def heap_group(j, t, kind):
    path = t.recording(kind)
    recording = htrace.load(path)
    j.convert(kind, path)
    views = [heaps.View(i, Heap(h["text"])) for i, h in enumerate(recording.heaps)]
    shift = recording.header["boot"] - recording.header["real"]
    times = [(h["start"] + shift, h["end"] + shift) for h in recording.heaps]
    stacks.check_range(j, times)
    quality.check_quality(j)
    quality.heap_counts(j, recording, [v.heap for v in views])
    quality.htrace_sources(j, path, recording, [
        ("timeline" if v.heap.is_timeline else "snapshot", h["name"], "heapsnapshot", *span, len(h["text"]))
        for v, h, span in zip(views, recording.heaps, times)])
    heaps.check_tables(j, views, range(2, 2 + len(views)))
    heaps.check_views(j, views, 1 if SLOW else 37)
    heaps.check_questions(j, views)


def made_group(j, t):
    """Heaps that differ in what they hold, many in one recording: few rows, so all are compared."""
    synth = "synth:nodes=%d,edges=%d,strings=300,seed=%d"
    tiny = [os.path.join(t.data, "tiny", n) for n in ("snapshot.heapsnapshot", "strings.heapsnapshot", "sorted.heapsnapshot",
                                                      "fields.heapsnapshot", "timeline.heaptimeline")]
    texts = [synth % (600, 3000, 1) + ",trace=30,samples=20,locations=50", tiny[0], synth % (65, 64, 2), tiny[3], tiny[1],
             synth % (400, 1984, 3) + ",arkts=1,compact=1,stacks=300,trace=9", tiny[2], tiny[4],
             synth % (500, 2000, 4) + ",utf8=1,order=sorted"]
    texts[2:2] = [os.path.join(j.work, "made.heapsnapshot")] * 2
    with open(texts[2], "w", encoding="utf-8") as f:
        f.write(made.heap())
    path = os.path.join(j.work, "made.htrace")
    t.run("mkhtrace", "-o", path, "--config", "pid=3,type=snapshot", *(w for x in texts for w in ("--snapshot", x)))
    recording = htrace.load(path)
    j.convert("heaps", path)
    views = [heaps.View(i, Heap(h["text"])) for i, h in enumerate(recording.heaps)]
    j.same("heaps", len(views), len(texts))
    heaps.check_tables(j, views, range(2, 2 + len(views)))
    heaps.check_views(j, views, 1)
    for a in views:
        if a.functions:
            heaps.ask_stacks(j, a, file=a.file_id, limit=1000)
    for a, b in zip(views, views[1:]):
        if a.file_id not in (2, 3) and b.file_id not in (2, 3):  # ids that two nodes have cannot be distinguished
            heaps.ask_diff(j, a, b, file=b.file_id)
    quality.check_quality(j)


def profile_group(j, t):
    several, long = os.path.join(j.work, "several.htrace"), os.path.join(j.work, "long.cpuprofile")
    with open(long, "w", encoding="utf-8") as f:
        f.write(made.profile())
    t.run("mkhtrace", "-o", several, "--config", "pid=77,type=none,cpu=1",
          "--profile", "synth:nodes=300,samples=900,negative=1,depth=40",
          "--profile", long, "--profile", "synth:nodes=60,samples=400,reverse=1,arkts=1,seed=4",
          "--profile", os.path.join(t.data, "tiny/arkts.cpuprofile"),
          "--profile", os.path.join(t.data, "tiny/profile.cpuprofile"))
    for name, path in (("cpuprofile", t.recording("cpuprofile")), ("several", several)):
        recording = htrace.load(path)
        j.convert(name, path)
        head = recording.header
        shift, outer = ((head["boot"] - head[clock] if head["boot"] and head[clock] else 0) for clock in ("mono", "real"))
        profiles = [Profile(p["text"]) for p in recording.profiles]
        marks = [[None if t is None else t + outer for t in (p["started"], p["reported"])] for p in recording.profiles]
        cpu.check(j, profiles, lambda us: us * 1000 + shift, recording.configs[0][0], marks)
        quality.check_quality(j)


CLOUD = (
    ("agent", "--container agent --pods 2 --calls 40 --threads 3 --pause 150 --open 2 --rotate-trace 3000 --rotate-calls 1000 "
     "--rotate-texts 300"),
    ("flat", "--container flat --calls 60 --frames 40 --threads 4 --pause 200 --positions --format 3 --short-longs --depth 30"),
    ("flat0", "--container flat --calls 20 --format 0"),
    ("flat1", "--container flat --calls 20 --format 1"),
    ("words", "--container flat --calls 30 --threads 2 --cut dictionary@300"),
    ("tcp", "--container tcp --pods 3 --calls 30 --pause 100 --callees 3"),
)


def cloud_group(j, t):
    for name, options in CLOUD:
        path = os.path.join(j.work, name)
        t.run("mkcloud", "-o", path, *options.split())
        j.convert(name + "-cloud", path)
        pods.check(j, [path])
    stored = os.path.join(t.data, "recording-cloud.tar.gz")
    with tarfile.open(stored) as tar:
        tar.extractall(os.path.join(j.work, "stored"))
    j.convert("stored-cloud", stored)
    pods.check(j, [os.path.join(j.work, "stored")])


def fixtures_group(j, t):
    """Recordings of the profilers themselves."""
    base = os.environ.get("TS_FIXTURES")
    if not base:
        sys.exit(77)
    for name in ("small-pod.protocol", "small-pod-streams", "agent-dump"):
        path = os.path.join(base, "cloud", name)
        j.convert(name, path)
        pods.check(j, [path])


def quality_group(j, t):
    """Damaged inputs: what is said of them."""
    agent, flat, fl = (os.path.join(j.work, n) for n in ("agent", "flat", "fl"))
    t.run("mkcloud", "-o", agent, "--others", "--calls", "30", "--pods", "2", "--first-index", "3")
    t.run("mkcloud", "-o", flat, "--container", "flat", "--calls", "60", "--cut", "trace@5000", "--drop", "params")
    t.run("mkflare", fl, "--damage=cut-data", "--damage=flip-methods", "--damage=cut-series")
    cut = os.path.join(j.work, "cut.htrace")
    with open(cut, "wb") as f:
        f.write(htrace.read_bytes(t.recording("snapshots"))[:6000000])
    spec = os.path.join(t.data, "spec_g")
    for name, *inputs in (("agent", agent), ("flat", flat), ("damaged-flare", fl), ("cut", cut),
                          ("edges", os.path.join(spec, "edges.json")), ("nodes", os.path.join(spec, "nodes.json")),
                          ("all", agent, flat, fl, cut, os.path.join(spec, "nodes.json"))):
        j.convert(name, *inputs)
        quality.check_quality(j)
    source_rows = j.rows("SELECT id, parent_id, kind, path, name, format, clock, start_ts, end_ts - start_ts, bytes, complete "
                         "FROM source ORDER BY id")
    quality.source_rows(j, source_rows)
    j.convert("clocks", t.recording("timeline"))
    recording = htrace.load(t.recording("timeline"))
    quality.check_clocks(j, recording, len(htrace.read_bytes(t.recording("timeline"))))
    quality.check_made(j)


# Directories of one database each: several of one run (the second lacks names that the first has), one of another.
FLARE = (
    ("long", (("a", "--threads=4 --seconds=10"),
              ("b", "--threads=3 --seconds=10 --start=1567669486207 --volume=3 --missing-every=5"),
              ("c", "--threads=2 --seconds=7 --start=1567669476999 --seed=3 --busy=900 --index-every=500"),
              ("other", "--threads=5 --seconds=5 --seed=7 --interval=10 --busy=1000 --type=2 --address=far:9 --missing-every=3"))),
    ("unknown", (("p", "--no-summary --threads=1 --seconds=3"),
                 ("q", "--no-summary --threads=2 --seconds=3 --start=1567669476207"))),
    ("early", (("x", "--resp --plain --no-summary --threads=3 --seconds=6 --busy=300"),)),
    ("document", (("x", "--document --type=5 --no-index --threads=2 --seconds=6"),)),
    ("bare", (("x", "--no-summary --threads=2 --seconds=6"),)),
    ("mixed", (("x", "--no-summary --threads=2 --seconds=6"),)),
    ("mini", (("x", "--fixture=mini"),)),
)


def dress(path):
    """Agents of other makers say more of a thread: priority, daemon, state and a long time on the CPU."""
    for name in os.listdir(path):
        full = os.path.join(path, name)
        if name.endswith(".fts"):
            data = flare.read(full)
            values = struct.unpack(">%di" % ((len(data) - 36) // 4), data[36:])
            with open(full, "wb") as f:
                f.write(data[:36] + b"".join(struct.pack(">i", 1000 * v) for v in values))
        if name.endswith("_stack.fdata"):
            data = flare.read(full)
            records = list(flare.records(data))
            pair = [data[:records[0][0]], b""]
            index = {offset: key for key, offset in flare.entries(flare.read(full.replace("fdata", "fidx")), ">II")}
            for offset, payload in records:
                at = len(pair[0])
                pair[0] += more(payload, with_length=True)
                pair[1] += struct.pack(">II", index[offset], at) if offset in index else b""
            old = flare.read(full.replace("fdata", "fidx"))
            with open(full, "wb") as f:
                f.write(pair[0])
            with open(full.replace("fdata", "fidx"), "wb") as f:
                f.write(old[:len(old) - 8 * len(index)] + pair[1])
    full = os.path.join(path, "summary_info.json")
    text = flare.read(full)
    with open(full, "wb") as f:
        f.write(more(text))


def carry_over(path):
    """The summary lists a thread of an earlier directory, which has no files in this one."""
    full = os.path.join(path, "summary_info.json")
    text = flare.read(full)
    at = text.index(b"[", text.index(b'"threads"')) + 1
    thread = (b'{"id":5,"name":"earlier","priority":0,"daemon":false,"state":"","cpu_time":61000000000,"cpu_time_delta":0,'
              b'"sample_time":1567669466300,"sample_count":0,"stacktrace":[]},')
    with open(full, "wb") as f:
        f.write(text[:at] + thread + text[at:])


def more(text, with_length=False):
    text = text.replace(b'"priority":0,"daemon":false,"state":""', b'"priority":7,"daemon":true,"state":"RUNNABLE"')
    text = re.sub(b'"(cpu_time|cpu_time_delta)":(\\d+)', lambda m: b'"%s":%d' % (m.group(1), int(m.group(2)) * 1000), text)
    return struct.pack(">H", len(text)) + text if with_length else text


def flare_group(j, t):
    for name, parts in FLARE:
        top = os.path.join(j.work, name)
        os.mkdir(top)
        for part, options in parts:
            t.run("mkflare", *options.split(), os.path.join(top, part))
        if name == "long":
            carry_over(os.path.join(top, "b"))
            dress(os.path.join(top, "c"))
        if name == "mixed":  # two threads without, two with CPU times: two kinds of weights for the same methods
            for n in os.listdir(os.path.join(j.work, "early/x")):
                if n.startswith(("thread_10", "thread_11")):
                    shutil.copy(os.path.join(j.work, "early/x", n), os.path.join(top, "x", n.replace("_1", "_2", 1)))
        j.convert(name + "-flare", top if len(parts) > 1 else os.path.join(top, "x"))
        flares.check(j, top if len(parts) > 1 else os.path.join(top, "x"))


def tptp_group(j, t):
    """Both forms; several sessions in one file."""
    for name, options in (("binary", "--calls 600"), ("xml", "--form xml --calls 400 --zip --sessions 2 --all --open 1 --seed 7"),
                          ("exclusive", "--calls 500 --size exclusive --endian big --entry B --exit B --cpu both --seed 5 --monitor-end 3 --missing-exit 9")):
        path = os.path.join(j.work, name + ".trace")
        t.run("mktptp", "-o", path, *options.split())
        j.convert(name + "-tptp", path)
        tptps.check(j, path)


def is_test(t, name):
    """Whether ctest has it: unit tests by their file, others by their line."""
    part, _, rest = name.partition(".")
    path = os.path.join(t.source, "test", part)
    if part == "unit":
        return os.path.exists(os.path.join(path, "test_%s.c" % rest))
    text = flare.read(os.path.join(path, "CMakeLists.txt")).decode()
    lists = re.findall(r"foreach\((\w+) ([^)]*)\)", text)
    return "add_test(NAME %s\n" % name in text or any(
        "add_test(NAME %s.${%s}\n" % (part, each) in text and rest in groups.split() for each, groups in lists)


def listed_group(j, t):
    """Every view, every table that has rows and every question stands in list.txt, with groups and tests that are there."""
    listed = Listed(os.path.join(HERE, "list.txt"))
    t.run("mkcloud", "-o", os.path.join(j.work, "pods"), "--calls", "20", "--pause", "100")
    t.run("mkflare", os.path.join(j.work, "flare"), "--missing-every=3")
    t.run("mktptp", "-o", os.path.join(j.work, "tptp"), "--form", "xml", "--calls", "300", "--extras")
    t.run("mkprofile", "-o", os.path.join(j.work, "profile"), "--labels", "5")
    t.run("mkjfr", "-o", os.path.join(j.work, "jfr"))
    native = os.path.join(j.work, "native")
    subprocess.run([sys.executable, os.path.join(HERE, "../check/native_examples.py"), "--write", native], check=True)
    with open(os.path.join(j.work, "numbers"), "w", encoding="utf-8") as f:
        f.write('[["go_num_goroutine", 5]]')
    t.run("mkprofile", "-o", os.path.join(j.work, "upload"), "--form", "bundle", "--file", "cpu=" + os.path.join(j.work, "profile"), "--file",
          "metrics.json=" + os.path.join(j.work, "numbers"))
    with open(os.path.join(j.work, "heap"), "wb") as f:
        f.write(java_dump.random_dump(9))
    names = set()
    for name, path in [(k, t.recording(k)) for k in ("snapshots", "timeline", "cpuprofile")] + [
            (n, os.path.join(j.work, n)) for n in ("pods", "flare", "tptp", "jfr", "upload", "heap")] + [
            ("profile", os.path.join(j.work, "profile"))] + [
            (n.split(".")[0], os.path.join(native, n)) for n in ("perf_a.data", "hook_plain.htrace", "hook_statistic.htrace", "ebpf.htrace")] + [
            (n.split(".")[0], os.path.join(os.path.dirname(t.recording("snapshots")), n))
            for n in ("sessions.heapprofile", "Trace-page.json.gz", "counters.trace.json", "go-heap.pprof", "trace.perfetto", "firefox.json")]:
        j.convert("db-" + name, path)
        for kind, table in j.rows("SELECT type, name FROM sqlite_master WHERE type IN ('view', 'table') "
                                  "AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"):
            if kind == "view" or j.rows('SELECT 1 FROM "%s" LIMIT 1' % table):
                names.add((kind, table))
    names |= {("question", n[:-4]) for n in os.listdir(j.questions) if n.endswith(".sql")}
    j.what = "list.txt"
    for kind, name in sorted(names):
        listed.check_all(j, kind, name)
    for (kind, name), (groups, _) in listed.lines.items():
        if (kind, name) not in names:
            j.fail("there is no %s %s" % (kind, name))
        for group in groups:
            if group not in GROUPS and not is_test(t, group):
                j.fail("%s: there is no group or test %s" % (name, group))


GROUPS = {
    "listed": listed_group,
    "flare": flare_group,
    "quality": quality_group,
    "cloud": cloud_group,
    "fixtures": fixtures_group,
    "tptp": tptp_group,
    "heaps": made_group,
    "cpuprofile": profile_group,
    "snapshots": lambda j, t: heap_group(j, t, "snapshots"),
    "timeline": lambda j, t: heap_group(j, t, "timeline"),
}


def main(argv):
    group, program, tools, source = argv[1:]
    with tempfile.TemporaryDirectory() as work:
        j = Judge(program, work, os.path.join(os.path.dirname(program), "../share/trace_streamer/sql"))
        listed = Listed(os.path.join(HERE, "list.txt"))
        j.what = group
        GROUPS[group](j, Tools(tools, source))
        j.what = group
        listed.check_group(j, group)
    print("%d cells compared, %d differences" % (j.cells, j.bad))
    return 1 if j.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
