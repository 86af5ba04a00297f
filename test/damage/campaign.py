#!/usr/bin/env python3
"""Damages recordings of every format and asks whether the database presents anything wrong as certain.

    campaign.py --program TS --tools DIR --data DIR [--runs N] [--seed N] [--only NAME] [--verbose]

Each run deletes, doubles, swaps, overwrites or cuts a block of one file of a recording and converts the result with --strict. Its rows
are compared with those of the undamaged recording:

* a row counts as wrong when its cells that are not NULL are those of no row of the undamaged recording. A number or a name that was
  changed in place cannot be recognised by anybody; a block that is taken out or put in touches two rows at each of its seams. So
  SEAM wrong cells are allowed for a run, whatever the size of the block: values that moved to other rows are far more;
* rows that are missing, or wrong, beyond those seams need an issue of severity data_loss or error: exit code 3;
* the exit code is one that is documented, integrity_check passes, nothing takes longer than a few seconds.

Equal seeds give equal runs; a failure prints what makes it again.
"""

import argparse
import collections
import concurrent.futures
import gzip
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SEAM = 12
SILENT = 3  # rows that may be missing without a word: one on each side of a seam, and one between
SECONDS = 20

# What is compared: name, kind, SQL. `set`: rows of cells; ids of rows, which are places, stand in none of them. `map`: a key and a
# text that many rows may refer to, so that each pair of texts counts once.
TABLES = [
    ("nodes", "set", "SELECT file_id, node_id, type, self_size, edge_count, trace_node_id, detachedness FROM v_js_node"),
    ("node names", "map", "SELECT file_id || ':' || node_id, name FROM v_js_node WHERE node_id IS NOT NULL"),
    ("edges", "set", "SELECT file_id, from_node_id, to_node_id, type FROM v_js_edge"),
    ("edge names", "map", "SELECT file_id || ':' || from_node_id || ':' || to_node_id || ':' || type, name FROM v_js_edge "
     "WHERE from_node_id IS NOT NULL AND to_node_id IS NOT NULL"),
    ("edge owners", "map", "SELECT file_id || ':' || from_node_id, from_type FROM v_js_edge WHERE from_node_id IS NOT NULL"),
    ("heap samples", "set", "SELECT file_id, timestamp_us, last_assigned_id FROM js_heap_sample"),
    ("trace nodes", "set", "SELECT file_id, id, count, size, parent_id FROM js_heap_trace_node"),
    ("trace functions", "set", "SELECT file_id, function_id, line, column FROM js_heap_trace_function_info"),
    ("threads", "set", "SELECT tid, name FROM thread"),
    ("methods", "map", "SELECT raw_id, CASE name WHEN CAST(raw_id AS TEXT) THEN NULL ELSE name END || '|' || ifnull(class, '') FROM stack_method WHERE raw_id IS NOT NULL"),
    # A path says nothing of itself but where a row refers to it: the table holds each once, whatever became of the rows.
    ("call paths", "set", "WITH RECURSIVE used(id) AS (SELECT node_id FROM stack_sample UNION SELECT node_id FROM stack_slice "
     "UNION SELECT p.parent_id FROM used u JOIN stack_node p ON p.id = u.id) "
     "SELECT coalesce(n.raw_id, m.raw_id), coalesce(p.raw_id, pm.raw_id) FROM used u JOIN stack_node n ON n.id = u.id "
     "LEFT JOIN stack_method m ON m.id = n.method_id LEFT JOIN stack_node p ON p.id = n.parent_id "
     "LEFT JOIN stack_method pm ON pm.id = p.method_id"),
    ("samples", "set", "SELECT t.tid, s.ts, s.dur, coalesce(n.raw_id, m.raw_id), s.event FROM stack_sample s LEFT JOIN thread t ON "
     "t.itid = s.itid LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id"),
    ("sample values", "set", "SELECT t.tid, s.ts, v.value FROM stack_sample_value v JOIN stack_sample s ON s.id = v.sample_id "
     "LEFT JOIN thread t ON t.itid = s.itid"),
    ("series", "set", "SELECT t.tid, v.ts, v.value FROM timeseries_value v JOIN timeseries x ON x.id = v.series_id "
     "LEFT JOIN thread t ON t.itid = x.itid"),
    ("flare stacks", "set", "SELECT s.ts, f.cpu_time, f.cpu_time_delta, f.sample_count FROM flare_stack f JOIN stack_sample s "
     "ON s.id = f.sample_id"),
    ("slices", "set", "SELECT t.tid, s.ts, s.dur, s.depth, m.raw_id FROM stack_slice s LEFT JOIN thread t ON t.itid = s.itid "
     "LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id WHERE s.state = 0"),
    ("calls", "set", "SELECT c.ts, c.dur, c.calls, c.cpu_dur, c.wait_dur, c.memory, c.file_read, c.net_read, m.raw_id FROM cloud_call c "
     "LEFT JOIN stack_method m ON m.id = c.method_id"),
    ("pauses", "set", "SELECT ts, dur FROM cloud_suspend"),
    ("tags", "set", "SELECT s.ts, t.word_id, t.type FROM cloud_tag t LEFT JOIN stack_slice s ON s.id = t.slice_id"),
    ("words", "map", "SELECT word_id, word FROM cloud_dictionary"),
    ("parameters", "set", "SELECT c.ts, p.word_id, p.value FROM cloud_call_param p JOIN cloud_call c ON c.id = p.call_id"),
]


# --- recordings ----------------------------------------------------------------------------------


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def recordings(program, tools, data, folder):
    """name, path of the input, files of it that are damaged."""
    tool = lambda name: os.path.join(tools, name)
    path = lambda name: os.path.join(folder, name)
    profile = "synth:nodes=60,samples=400,depth=8"
    made = {
        "cpuprofile": ["--emit", "cpuprofile", "--synthetic-profile", profile[6:]],
        "htrace": ["--config", "pid=7,type=none,cpu=1", "--profile", profile, "--plugin", "hilog-plugin:300", "--profile", profile],
    }
    for name, options in made.items():
        run(tool("mkhtrace"), "-o", path(name), *options)
        yield name, path(name), [path(name)]
    # Heaps as V8 writes them: what made ones lack (strings in the order of their first use, large numbers) is what shows damage.
    for name in ("cpuprofile", "timeline"):
        with gzip.open(os.path.join(data, "recording-%s.htrace.gz" % name)) as f, open(path("real-" + name), "wb") as g:
            g.write(f.read())
        yield "real-" + name, path("real-" + name), [path("real-" + name)]
    run(program, path("real-timeline"), "-s", "-o", folder, "--quiet")
    os.rename(path("real-timeline.Timeline.heaptimeline"), path("timeline"))
    yield "timeline", path("timeline"), [path("timeline")]
    run(tool("mkflare"), "--threads=2", "--seconds=2", path("flare"))
    sets = [("flare", path("flare"))]
    for kind in ("agent", "flat", "tcp"):
        name = "cloud-" + kind
        extra = ["--plain"] if kind == "agent" else []
        run(tool("mkcloud"), "-o", path(name), "--container", kind, "--calls", "15", "--rotate-trace", "2000", *extra)
        sets.append((name, path(name)))
    run(tool("mkcloud"), "-o", path("cloud-gz"), "--calls", "15", "--rotate-trace", "2000", "--trailers")
    sets.append(("cloud-gz", path("cloud-gz")))
    for name, source in sets:
        files = [os.path.join(d, f) for d, _, names in os.walk(source) for f in names] if os.path.isdir(source) else [source]
        yield name, source, sorted(f for f in files if "filelist" not in f and "callsDictionary" not in f and "/gc/" not in f)
    for name, source in (("tar", "flare"), ("zip", "cloud-agent"), ("gz", "cpuprofile")):
        target = path("in-" + name)
        if name == "gz":
            with open(path(source), "rb") as f, gzip.GzipFile(target, "wb", mtime=0) as g:
                g.write(f.read())
        else:
            base = shutil.make_archive(path("archive"), name, path(source))
            os.rename(base, target)
        yield "in-" + name, target, [target]


# --- damage --------------------------------------------------------------------------------------


def size_of(rng, n):
    return min(n, int(2 ** rng.uniform(0, 12)))


def place(rng, text, at):
    """A seam at a comma half of the time, so that rows are taken out whole."""
    if rng.random() < 0.5:
        comma = text.find(b",", at)
        if comma >= 0:
            return comma
    return at


def damage(rng, text):
    """The kind of damage and the damaged bytes."""
    n = len(text)
    kind = rng.choice(["delete", "delete", "double", "double", "swap", "swap", "zero", "cut", "flip", "insert"])
    if n == 0:
        return kind, text
    a = place(rng, text, rng.randrange(n))
    b = min(n, place(rng, text, min(n, a + size_of(rng, n))))
    b = max(a, b)
    if kind == "delete":
        return kind, text[:a] + text[b:]
    if kind == "double":
        return kind, text[:b] + text[a:b] + text[b:]
    if kind == "swap":
        c = min(n, b + (b - a))
        return kind, text[:a] + text[b:c] + text[a:b] + text[c:]
    if kind == "zero":
        return kind, text[:a] + bytes(b - a) + text[b:]
    if kind == "cut":
        return kind, text[:a]
    if kind == "insert":
        return kind, text[:a] + bytes(rng.randrange(256) for _ in range(min(b - a, 64))) + text[a:]
    i = rng.randrange(n)
    return kind, text[:i] + bytes([text[i] ^ 1 << rng.randrange(8)]) + text[i + 1:]


# --- comparison ----------------------------------------------------------------------------------


def read(database):
    con = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    con.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
    rows = {name: con.execute(sql).fetchall() for name, _, sql in TABLES}
    ok = con.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    losses = con.execute("SELECT count(*) FROM import_issue WHERE severity IN ('data_loss', 'error')").fetchone()[0]
    con.close()
    return rows, ok, losses


def compare_sets(truth, got):
    """Rows that are wrong, and rows of the truth that are not there."""
    have = collections.Counter(truth)
    left = have.copy()
    masks = {}
    wrong = []
    for row, count in collections.Counter(got).items():
        if row in have:
            left[row] -= count
            continue
        mask = tuple(i for i, cell in enumerate(row) if cell is not None)
        if mask not in masks:
            masks[mask] = {tuple(t[i] for i in mask) for t in have}
        if tuple(row[i] for i in mask) not in masks[mask]:
            wrong.append(row)
    return wrong, sum(n for n in left.values() if n > 0)


def compare_maps(truth, got):
    texts = collections.defaultdict(set)
    for key, text in truth:
        texts[key].add(text)
    pairs = {(tuple(sorted(map(str, texts[key]))), text) for key, text in got if text is not None and key in texts and text not in texts[key]}
    return sorted(pairs, key=str), 0


def compare(truth, got):
    wrong = {}
    missing = 0
    for name, kind, _ in TABLES:
        w, m = (compare_sets if kind == "set" else compare_maps)(truth[name], got[name])
        missing += m
        if w:
            wrong[name] = w
    return wrong, missing


# --- runs ----------------------------------------------------------------------------------------


class Campaign:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.items = list(recordings(options.program, options.tools, options.data, os.path.join(folder, "made")))
        self.items = [i for i in self.items if options.only is None or i[0] == options.only]
        self.truth = {}
        for name, path, _ in self.items:
            code, said, rows = self.convert(path, os.path.join(folder, "truth.db"))
            if code != 0:
                sys.exit("%s: exit code %d of the undamaged recording: %s" % (name, code, said))
            self.truth[name] = rows[0]

    def convert(self, path, database):
        done = subprocess.run([self.options.program, path, "-e", database, "--strict", "--quiet"], capture_output=True, text=True,
                              errors="replace", timeout=SECONDS, check=False)
        rows = None
        if done.returncode in (0, 3):
            rows = read(database)
            os.unlink(database)
        return done.returncode, done.stderr, rows

    def one(self, number):
        """None, or what is wrong with this run; and its kind and exit code."""
        name, path, files = self.items[number % len(self.items)]
        rng = random.Random("%d %s %d" % (self.options.seed, name, number // len(self.items)))
        victim = rng.choice(files)
        with open(victim, "rb") as f:
            text = f.read()
        kind, changed = damage(rng, text)
        work = tempfile.mkdtemp(dir=self.folder)
        try:
            target = os.path.join(work, os.path.basename(path))
            if os.path.isdir(path):
                shutil.copytree(path, target)
                victim = os.path.join(target, os.path.relpath(victim, path))
            else:
                victim = target
            with open(victim, "wb") as f:
                f.write(changed)
            try:
                code, said, rows = self.convert(target, os.path.join(work, "out.db"))
            except subprocess.TimeoutExpired:
                return name, kind, -1, "takes longer than %d s" % SECONDS
        finally:
            shutil.rmtree(work)
        return name, kind, code, self.judge(name, code, said, rows, changed == text)

    def judge(self, name, code, said, rows, unchanged):
        if code not in (0, 1, 3, 5, 6):
            return "exit code %d: %s" % (code, said[-300:])
        if rows is None:
            return None if said.strip() else "exit code %d without a word" % code
        got, ok, losses = rows
        if not ok:
            return "integrity_check fails"
        if (losses > 0) != (code == 3):
            return "exit code %d with %d losses" % (code, losses)
        wrong, missing = compare(self.truth[name], got)
        if unchanged and (wrong or missing):
            return "the undamaged recording differs"
        count = sum(map(len, wrong.values()))
        if count > SEAM:
            shown = [name + ": " + ", ".join(map(str, rows[: None if self.options.verbose else 2])) for name, rows in wrong.items()]
            return "%d wrong beyond the seams (exit code %d): %s" % (count, code, {name: len(rows) for name, rows in wrong.items()}) + \
                "".join("\n  " + line for line in shown)
        if code == 0 and missing > SILENT + count:
            return "%d rows are missing without a word" % missing
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only")
    parser.add_argument("--allow", type=int, default=0, help="failures in a hundred runs that are known and described in docs/trust.md")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    failures = 0
    seen = collections.Counter()
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        os.mkdir(os.path.join(folder, "made"))
        campaign = Campaign(options, folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            numbers = range(options.first, options.first + options.runs)
            for number, (name, kind, code, why) in zip(numbers, pool.map(campaign.one, numbers)):
                seen[name, kind, code] += 1
                if why is not None:
                    failures += 1
                    print("%s, %s: %s\n  again: --only %s --seed %d --first %d --runs 1" %
                          (name, kind, why, name, options.seed, number // (1 if options.only else len(campaign.items))))
        if options.verbose:
            for (name, kind, code), n in sorted(seen.items()):
                print("%-16s %-8s exit %d: %d" % (name, kind, code, n))
    finally:
        shutil.rmtree(folder)
    print("%d damaged inputs, %d failures" % (options.runs, failures))
    return failures * 100 > options.allow * options.runs


if __name__ == "__main__":
    sys.exit(main())
