#!/usr/bin/env python3
"""Records with every recorder that can be had, converts each recording and compares it with an independent reader, cell by cell.

usage: run.py TRACE_STREAMER [--quick] [--jobs N] [--only REGEX] [--keep DIR] [--list]

--quick  what CI runs: the recorders of this machine and one Node.js of npm, a part of the kinds
--only   kinds whose "recorder version kind" matches
--keep   copies of the recordings there

An intact recording that is called damaged (--strict is not 0, an issue above info) or has a cell that differs makes the exit code 1. A
recorder that is not here or cannot be fetched is named and left out; so is a kind that it does not manage to record in three attempts.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import chromium
import datadog
import fetch
import go
import jdk
import kernel
import node

CHECK = os.path.join(HERE, "..", "check")
# format: what compares a database and a file with each other
READERS = {
    "heap": lambda program: ["check.py", "{db}", "--heap", "{file}"],
    "cpuprofile": lambda program: ["check.py", "{db}", "--profile", "{file}"],
    "heapprofile": lambda program: ["heapprofile.py", "{db}", "{file}"],
    "chrome_trace": lambda program: ["chrome_trace.py", "{db}", "{file}"],
    "pprof": lambda program: ["profiles.py", "{db}", "{file}", *([program] if os.path.basename(program) == "go" else [])],
    "jfr": lambda program: ["jfr.py", "{db}", "{file}", jdk.tool(program, "jfr")],
    "perf": lambda program: ["perf.py", "{db}", "{file}"],
    "perf_text": lambda program: ["profiles.py", "{db}", "{file}"],
}
# name: (module, programs, those of --quick, kinds of --quick)
RECORDERS = {
    "Node.js": (node, fetch.nodes, fetch.quick_nodes, node.QUICK),
    "Chromium": (chromium, chromium.installed, chromium.installed, chromium.QUICK),
    "@datadog": (datadog, fetch.datadog, lambda: [], datadog.QUICK),
    "OpenJDK": (jdk, fetch.jdks, lambda: jdk.installed()[:1], jdk.QUICK),
    "Go": (go, fetch.gos, go.installed, go.QUICK),
    "Linux": (kernel, kernel.installed, kernel.installed, kernel.QUICK),
}


class Row:
    """One recording and what became of it."""

    def __init__(self, job, form, path):
        self.recorder, self.version, self.kind, self.form, self.path = job[0], job[1], job[2], form, path
        self.bytes, self.rows, self.cells, self.issues, self.verdict, self.said = 0, 0, 0, "", "", ""

    def fail(self, verdict, said):
        if not self.verdict:
            self.verdict, self.said = verdict, said.strip()

    @property
    def false(self):
        return self.verdict in ("false damage", "differs")


def convert(row, program, db):
    """What the program says of an intact recording."""
    done = subprocess.run([program, row.path, "-e", db, "--force", "--quiet", "--strict"], capture_output=True, text=True, check=False)
    if not os.path.exists(db):
        row.fail("false damage", "exit code %d: %s" % (done.returncode, done.stderr[-500:]))
        return False
    database = sqlite3.connect(db)
    issues = database.execute("SELECT severity, code, sum(count), min(message) FROM import_issue GROUP BY 1, 2 ORDER BY 1, 2").fetchall()
    row.issues = " ".join("%s %s %d" % i[:3] for i in issues)
    row.rows = sum(n for (n,) in database.execute("SELECT imported FROM import_count WHERE item <> 'bytes'"))
    above = [i for i in issues if i[0] != "info"]
    if done.returncode != 0 or above:
        row.fail("false damage", "exit code %d, %s" % (done.returncode, "; ".join("%s %s (%d): %s" % i for i in above)))
    return True


def compare(row, reader, db):
    command = [sys.executable, os.path.join(CHECK, reader[0]), *(a.format(db=db, file=row.path) for a in reader[1:])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.findall(r"(\d+) cells compared", done.stdout)
    row.cells = int(found[-1]) if found else 0
    if done.returncode != 0 or not row.cells:
        row.fail("differs", (done.stdout + done.stderr)[:2000])


def recorded(module, program, kind, folder):
    """(format, paths), or what is wrong; recorders crash now and then."""
    said = ""
    for attempt in range(3):
        own = os.path.join(folder, str(attempt))
        os.makedirs(own)
        try:
            form, paths = module.record(program, kind, own)
            if paths and all(map(os.path.getsize, paths)):
                return form, paths
            said = "nothing was written"
        except (OSError, RuntimeError, subprocess.SubprocessError, TimeoutError, EOFError) as e:
            said = "%s %s" % (e, getattr(e, "stderr", None) or "")
    raise RuntimeError(said)


def work(job, trace_streamer, keep):
    """The rows of one kind of one recorder."""
    name, version, kind, module, program = job
    with tempfile.TemporaryDirectory(prefix="recorders-") as folder:
        try:
            form, paths = recorded(module, program, kind, folder)
        except RuntimeError as e:
            row = Row(job, None, None)
            row.fail("not recorded", str(e))
            return [row]
        rows = []
        for i, path in enumerate(paths):
            row = Row(job, form, path)
            if len(paths) > 1:
                row.kind += ": " + os.path.splitext(os.path.basename(path))[0] if module is go else " (%d)" % (i + 1)
            row.bytes = os.path.getsize(path)
            db = os.path.join(folder, "out.db")
            if convert(row, trace_streamer, db):
                compare(row, READERS[form](program), db)
                os.remove(db)
            row.fail("ok", "")
            if keep:
                to = os.path.join(keep, "%s-%s" % (name, version))
                os.makedirs(to, exist_ok=True)
                shutil.copy(path, os.path.join(to, re.sub(r"[^\w.-]+", "-", row.kind) + "." + form + (".gz" if path.endswith(".gz") else "")))
            rows.append(row)
        return rows


def jobs(quick, only):
    """Of each recorder each kind; those that are not here are named."""
    for name, (module, programs, quick_programs, quick_kinds) in RECORDERS.items():
        found = (quick_programs if quick else programs)()
        if not found:
            print("%-9s skipped: not here" % name)
        for program in found:
            version = module.version(program)
            for kind in module.kinds(program):
                if (not quick or kind in quick_kinds) and re.search(only, "%s %s %s" % (name, version, kind)):
                    yield name, version, kind, module, program


LINE = "%-9s %-13s %-34s %9s %9s %10s  %-14s %s"


def table(found):
    """All rows; each is printed as soon as those before it are."""
    print(LINE % ("recorder", "version", "kind", "bytes", "rows", "cells", "verdict", "issues"))
    rows = []
    for r in (row for of_kind in found for row in of_kind):
        print(LINE % (r.recorder, r.version, r.kind, r.bytes, r.rows, r.cells, r.verdict, r.issues), flush=True)
        rows.append(r)
    for r in rows:
        if r.verdict != "ok":
            print("\n%s %s, %s: %s\n%s" % (r.recorder, r.version, r.kind, r.verdict, r.said))
    return rows


def summary(rows):
    """The lines of docs/trust.md."""
    done = [r for r in rows if r.path]
    sums = lambda of: (len({r.kind for r in of}), len(of), sum(r.cells for r in of), sum(r.verdict == "false damage" for r in of), sum(r.verdict == "differs" for r in of))
    print("\n| recorder | versions | kinds | recordings | cells compared | false damage | differing |\n|---|---|---:|---:|---:|---:|---:|")
    for name in dict.fromkeys(r.recorder for r in done):
        of = [r for r in done if r.recorder == name]
        print("| %s | %s | %d | %d | %d | %d | %d |" % (name, ", ".join(dict.fromkeys(r.version for r in of)), *sums(of)))
    print("\n| format | kinds | recordings | cells compared | false damage | differing |\n|---|---:|---:|---:|---:|---:|")
    for form in dict.fromkeys(r.form for r in done):
        print("| %s | %d | %d | %d | %d | %d |" % (form, *sums([r for r in done if r.form == form])))
    print("\n%d recordings of %d recorder versions, %d cells; false: %d of %d; not recorded: %d"
          % (len(done), len({(r.recorder, r.version) for r in done}), sum(r.cells for r in done), sum(r.false for r in done), len(done), len(rows) - len(done)))


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("trace_streamer", type=os.path.abspath)
    p.add_argument("--quick", action="store_true")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--only", default="")
    p.add_argument("--keep")
    p.add_argument("--list", action="store_true")
    args = p.parse_args()
    todo = list(jobs(args.quick, args.only))
    if args.list:
        print("\n".join("%s %s %s" % job[:3] for job in todo))
        return 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        rows = table(pool.map(lambda job: work(job, args.trace_streamer, args.keep), todo))
    summary(rows)
    return 1 if any(r.false for r in rows) or not any(r.path for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
