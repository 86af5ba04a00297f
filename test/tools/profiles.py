#!/usr/bin/env python3
"""Profiles of servers, recorded and made: every sample is compared with what an independent reader finds; questions work on them.

usage: profiles.py TRACE_STREAMER MKPROFILE TESTDIR [FORM]
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

program, mkprofile, testdir = sys.argv[1:4]
only = sys.argv[4] if len(sys.argv) > 4 else None
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import profiles
import starts

GO = shutil.which("go")
SLOW = os.environ.get("TS_SLOW") == "1"

MADE = {
    "pprof": [
        [],
        ["--packed", "never", "--types", "4", "--labels", "5"],
        ["--packed", "always", "--order", "samples-first", "--labels", "3"],
        ["--packed", "mixed", "--order", "reversed", "--sparse", "--inlined", "3", "--types", "4"],
        ["--order", "strings-first", "--sparse", "--labels", "5", "--inlined", "1", "--depth", "90"],
        ["--samples", "3000", "--stacks", "9000", "--types", "1"],
    ],
    "speedscope": [[], ["--frames-last", "--profiles", "3"], ["--evented"], ["--evented", "--frames-last", "--profiles", "2"]],
    "folded": [[], ["--samples", "3000", "--stacks", "9000", "--depth", "60"]],
    "perf": [[], ["--samples", "3000", "--stacks", "9000", "--depth", "60"]],
}
RECORDED = {"perf": ["perf-stacks.txt", "perf-flat.txt"],
            "pprof": ["go-cpu.pprof", "go-heap.pprof", "go-mutex.pprof", "node-heap.pprof", "node-time.pprof"]}


def convert(path, out, *options):
    done = starts.run([program, path, "-e", out, "--strict", "--quiet", *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (path, done.returncode, done.stderr))


def question(out, name, *options):
    done = starts.run([program, out, "-q", name, *options], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()[1:]]


def check_questions(path, out, form):
    """Sums of the shipped questions are those of the samples, for each kind of value."""
    db = sqlite3.connect(out)
    kinds = db.execute("SELECT name FROM stack_value_type WHERE id IN (SELECT value_type_id FROM stack_sample_value)").fetchall()
    for (name,) in set(kinds):
        (total,) = db.execute("SELECT sum(v.value) FROM stack_sample_value v JOIN stack_sample s ON s.id = v.sample_id JOIN stack_value_type t "
                              "ON t.id = v.value_type_id WHERE t.name = ? AND s.node_id IS NOT NULL", (name,)).fetchone()
        folded = sum(int(row[0].rsplit(" ", 1)[1]) for row in question(out, "folded_stacks", "--param", "weight=" + name))
        flame = sum(int(row[3]) for row in question(out, "flame_graph", "--param", "weight=" + name))
        if (folded, flame) != (total, total):
            sys.exit("%s: %s sums up to %d folded, %d in the flame graph, %d in the samples" % (path, name, folded, flame, total))
    events = dict(db.execute("SELECT event, count(*) FROM stack_sample WHERE node_id IS NOT NULL GROUP BY 1"))
    slices = db.execute("SELECT count(*) FROM stack_slice WHERE node_id IS NOT NULL").fetchone()[0]
    events.update({"call": slices} if slices else {})
    for event, wanted in [(None, sum(events.values()))] + [(e, n) for e, n in events.items() if e is not None]:
        hot = question(out, "hot_methods", "--param", "limit=1000000", "--param", "weight=samples", *([] if event is None else ["--param", "event=" + event]))
        counted = sum(int(row[3]) for row in hot)
        if counted != wanted or any(row[1] != row[3] for row in hot):
            sys.exit("%s: hot_methods counts %d of %d samples of %s" % (path, counted, wanted, event or "all events"))


def check_allocations(path, out):
    """alloc_hot_methods of a profile of allocations: what functions allocated themselves is all that was."""
    db = sqlite3.connect(out)
    (total,) = db.execute("SELECT sum(v.value) FROM stack_sample_value v JOIN stack_sample s ON s.id = v.sample_id "
                          "JOIN stack_value_type t ON t.id = v.value_type_id WHERE t.name = 'alloc_space' AND s.node_id IS NOT NULL").fetchone()
    rows = question(out, "alloc_hot_methods", "--param", "limit=1000000")
    own = sum(int(row[3]) for row in rows)
    if own != total or any(int(row[3]) > int(row[4]) for row in rows):
        sys.exit("%s: alloc_hot_methods adds up to %d of %d bytes" % (path, own, total))


def beside_flare(folder, out):
    """Values of samples are counted by this format only: those of another one in the same run are no defect."""
    flare = os.path.join(folder, "flare")
    subprocess.run([os.path.join(os.path.dirname(mkprofile), "mkflare"), "--threads=1", "--seconds=1", flare], check=True, stdout=subprocess.DEVNULL)
    convert(os.path.join(testdir, "data", "go-cpu.pprof"), out, flare)


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.db")
        beside_flare(folder, out)
        for form in MADE:
            if only not in (None, form):
                continue
            paths = [os.path.join(testdir, "data", name) for name in RECORDED.get(form, [])]
            for i, options in enumerate(MADE[form]):
                paths.append(os.path.join(folder, "made-%s-%d" % (form, i)))
                subprocess.run([mkprofile, "--form", form, "-o", paths[-1], "--samples", "20000" if SLOW else "400", *options], check=True)
            for path in paths:
                convert(path, out)
                wrong = profiles.compare(out, path, GO)
                if wrong:
                    sys.exit("%s: %s" % (path, wrong))
                check_questions(path, out, form)
                if os.path.basename(path) == "go-heap.pprof":
                    check_allocations(path, out)


if __name__ == "__main__":
    main()
