#!/usr/bin/env python3
"""Changes the program in one place at a time and asks whether a test notices.

    mutate.py map --build DIR --out MAP         which lines of src/ each test of a coverage build runs, and how much processor time it takes
    mutate.py run --map MAP [--count N] [--seed S] [--jobs J] [--seconds T] [--only PATTERN] [--again FILE] [--work DIR] [--report FILE]

`run` draws N mutants of src/ (mutants.py says what a mutant is), builds each in a copy of the tree with sanitizers and runs the tests that reach the changed
line, short ones first, until one fails. Seconds are those of the processor, so that a busy machine changes nothing. A mutant is
    caught      a test failed, crashed or hung, or it does not compile;
    equivalent  its optimised object code is that of the program;
    survived    all tests passed, or no test reaches the line, or the tests passed that fit into T seconds.
Equivalent mutants are no part of the score. A survivor that test/mutate/explained.txt names is counted on its own.
"""

import argparse
import collections
import concurrent.futures
import filecmp
import fnmatch
import glob
import gzip
import json
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import mutants

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
# Tests that look at the text of the sources, not at what the program does; those that only repeat others; and the installed program, which finds no
# shared libraries.
LEFT_OUT = ("build.*", "layers", "damage.enrolment", "bench.*", "cli.same_bytes", "cli.install")


def tests_of(build):
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    for test in json.loads(said)["tests"]:
        if "command" not in test or any(fnmatch.fnmatch(test["name"], p) for p in LEFT_OUT):
            continue
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        yield test["name"], test["command"], properties


def wait_for(process, seconds):
    """The exit code, or -1 after these seconds of the clock, and the processor time of it and of what it waited for."""
    end = time.monotonic() + seconds
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        if time.monotonic() > end:
            return -1, 0.0
        time.sleep(0.02)


def run_test(command, properties, seconds, extra=None):
    """Whether the test passes within the time, and the processor time that it took."""
    env = dict(os.environ, **(extra or {}))
    for pair in properties.get("ENVIRONMENT", []):
        name, _, value = pair.partition("=")
        env[name] = value
    with tempfile.TemporaryDirectory() as scratch:
        env["TMPDIR"] = scratch
        process = subprocess.Popen(command, cwd=properties.get("WORKING_DIRECTORY"), env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        code, spent = wait_for(process, seconds)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    return code == 0 or code == properties.get("SKIP_RETURN_CODE", 0), spent


# --- which test runs which line ------------------------------------------------------------------


def lines_of(gcda_root, build):
    """{path below the project: set of lines} that ran, from the counters below a folder that mirrors the build's."""
    covered = {}
    for data in glob.glob(gcda_root + build + "/**/*.gcda", recursive=True):
        notes = data[len(gcda_root):-len("gcda")] + "gcno"
        if "/src/" not in data or not os.path.exists(notes):
            continue
        shutil.copy(notes, data[:-len("gcda")] + "gcno")
        said = subprocess.run(["gcov", "--json-format", "--stdout", data], capture_output=True, text=True, check=False).stdout
        for document in said.splitlines():
            for item in json.loads(document)["files"]:
                path = os.path.relpath(os.path.join(build, item["file"]), ROOT)
                if path.startswith("src/"):
                    covered.setdefault(path, set()).update(line["line_number"] for line in item["lines"] if line["count"] > 0)
    return covered


def map_one(build, limit, test):
    name, command, properties = test
    with tempfile.TemporaryDirectory() as counters:
        passed, seconds = run_test(command, properties, limit, {"GCOV_PREFIX": counters})
        covered = lines_of(counters, build)
    return name, passed, seconds, {path: sorted(lines) for path, lines in covered.items() if lines}


def make_map(options):
    build = os.path.abspath(options.build)
    tests = list(tests_of(build))
    result = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, passed, seconds, covered in pool.map(lambda t: map_one(build, options.seconds, t), tests):
            print("%-40s %6.1f s  %d files%s" % (name, seconds, len(covered), "" if passed else "  not used: fails, or takes too long"), flush=True)
            if passed:
                result[name] = {"seconds": seconds, "lines": covered}
    with gzip.open(options.out, "wt") as f:
        json.dump(result, f)
    return 0


# --- runs ----------------------------------------------------------------------------------------


def patience(usual):
    """Seconds of the clock after which a test hangs. Sanitizers make it slower than the coverage build, and others use the machine."""
    return 20 * usual + 60


class Tree:
    """A copy of the project with a build of its own."""

    def __init__(self, folder):
        self.source = os.path.join(folder, "tree")
        self.build = os.path.join(folder, "build")
        self.passing = set()
        self.copy()
        # No warnings: a mutant that leaves a variable unused must be seen by a test.
        flags = "-O1 -w"
        subprocess.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=" + flags, "-DTS_SANITIZE=ON",
                        "-DTS_TESTS=ON", "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"], check=True, stdout=subprocess.DEVNULL)
        if not self.make():
            sys.exit("the program does not build in " + self.build)
        self.tests = {name: (command, properties) for name, command, properties in tests_of(self.build)}

    def copy(self):
        """Equal files are left alone, so that a build from before is used again. Others are new to the build: what an interrupted run left is a mutant
        whose object is younger than the file that it was made of."""
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
        wanted = {os.path.join(self.source, name): os.path.join(ROOT, name) for name in names if os.path.isfile(os.path.join(ROOT, name))}
        for folder, _, there in os.walk(self.source):
            for name in there:
                if os.path.join(folder, name) not in wanted:
                    os.unlink(os.path.join(folder, name))
        for target, source in wanted.items():
            if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(source, target)
            shutil.copymode(source, target)

    def make(self):
        done = subprocess.run(["cmake", "--build", self.build], capture_output=True, text=True, check=False)
        return done.returncode == 0

    def passes(self, name, usual, files, mutant):
        """False for a test that fails without a mutant as well: it is not asked again. The mutant is put in again."""
        if name not in self.passing:
            self.write(mutant[0], files[mutant[0]])
            if not self.make() or not run_test(*self.tests[name], patience(usual))[0]:
                print("not used, because it fails without a mutant: " + name, flush=True)
                del self.tests[name]
            else:
                self.passing.add(name)
            self.write(mutant[0], mutants.apply(files[mutant[0]], mutant))
            self.make()
        return name in self.passing

    def object_code(self, path):
        """The optimised object code of a source, or None for texts that are not compiled."""
        if not path.endswith(".c"):
            return None
        with open(os.path.join(self.build, "compile_commands.json")) as f:
            entry = next(e for e in json.load(f) if os.path.samefile(e["file"], os.path.join(self.source, path)))
        words = [w for w in shlex.split(entry["command"]) if not w.startswith("-fsanitize") and w not in ("-g", "-O1", "-Werror")]
        words[words.index("-o") + 1] = out = os.path.join(self.build, "equivalent.o")
        subprocess.run(words + ["-O2"], cwd=entry["directory"], check=True, capture_output=True)
        with open(out, "rb") as f:
            return f.read()

    def write(self, path, text):
        with open(os.path.join(self.source, path), "w") as f:
            f.write(text)


def reaching(chart, mutant):
    """Names of the tests that reach a mutant, short ones first; those that make views for a mutant of a view. Constants and tables are no code that
    could be counted: all tests that use the file are asked, and for a file without any code those that use its folder."""
    path, line = mutant[0], mutant[1]
    if path.endswith(".sql"):
        names = [n for n, test in chart.items() if "src/tables/schema_sql.c" in test["lines"]]
    else:
        # A statement or condition of several lines may be counted at another line of it.
        near = {line - 1, line, line + 1}
        names = [n for n, test in chart.items() if not near.isdisjoint(test["lines"].get(path, ()))]
        names = names or [n for n, test in chart.items() if path in test["lines"]]
        folder = os.path.dirname(path)
        names = names or [n for n, test in chart.items() if any(os.path.dirname(p) == folder for p in test["lines"])]
    return sorted(names, key=lambda n: chart[n]["seconds"])


def judge(tree, chart, files, mutant, limit):
    """What became of a mutant, and the test that saw it."""
    path = mutant[0]
    names = reaching(chart, mutant)
    tree.write(path, mutants.apply(files[path], mutant))
    try:
        if not tree.make():
            return "caught", "the compiler"
        spent = 0.0
        skipped = 0
        for name in names:
            usual = chart[name]["seconds"]
            if name not in tree.tests or spent + usual > limit:
                skipped += 1
                continue
            spent += usual
            if not run_test(*tree.tests[name], patience(usual))[0] and tree.passes(name, usual, files, mutant):
                return "caught", name
        changed = tree.object_code(path)
        tree.write(path, files[path])
        if changed is not None and changed == tree.object_code(path):
            return "equivalent", ""
        if not names:
            return "survived", "no test reaches the line"
        return "survived", "%d tests passed" % (len(names) - skipped) + (", %d are too long" % skipped if skipped else "")
    finally:
        tree.write(path, files[path])


def explained():
    """{(path, text of the line, old text, new text): reason}"""
    found = {}
    path = os.path.join(ROOT, "test", "mutate", "explained.txt")
    if os.path.exists(path):
        with open(path) as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    source, code, old, new, reason = (part.strip() for part in line.rstrip("\n").split("\t"))
                    found[source, code, old, new] = reason
    return found


def key_of(files, mutant):
    path, line, _, old, new, _ = mutant
    one = lambda text: re.sub(r"\s+", " ", text).strip()
    return path, one(files[path].split("\n")[line - 1]), one(old), one(new)


def run(options):
    with gzip.open(options.map, "rt") as f:
        chart = json.load(f)
    for test in chart.values():
        test["lines"] = {path: set(lines) for path, lines in test["lines"].items()}
    files = {}
    for pattern in ("src/**/*.c", "src/**/*.sql"):
        for name in glob.glob(os.path.join(ROOT, pattern), recursive=True):
            path = os.path.relpath(name, ROOT)
            if options.only is None or fnmatch.fnmatch(path, options.only):
                with open(name) as f:
                    files[path] = f.read()
    drawn = mutants.sample(files, options.count, options.seed)
    if options.again:
        with open(options.again) as f:
            wanted = {tuple(line.rstrip("\n").split("\t")[:4]) for line in f}
        drawn = [m for m in drawn if key_of(files, m) in wanted]
    reasons = explained()
    trees = queue.Queue()
    for k in range(options.jobs):
        trees.put(Tree(os.path.join(options.work, str(k))))
    print("%d mutants of %d files" % (len(drawn), len(files)), flush=True)

    def one(mutant):
        tree = trees.get()
        begin = time.monotonic()
        try:
            return (mutant, *judge(tree, chart, files, mutant, options.seconds), time.monotonic() - begin)
        finally:
            trees.put(tree)

    counts = collections.Counter()
    survivors = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, fate, how, seconds in pool.map(one, drawn):
            key = key_of(files, mutant)
            if fate == "survived" and key in reasons:
                fate, how = "explained", reasons[key]
            counts[fate] += 1
            line = "%-10s %s:%d %s: %r -> %r (%s, %.0f s)" % (fate, mutant[0], mutant[1], mutant[5], mutant[3], mutant[4], how, seconds)
            print(line, flush=True)
            if fate == "survived":
                survivors.append("\t".join((*key, "")))
    total = sum(counts.values()) - counts["equivalent"]
    print("%d mutants, %d equivalent; of %d others %d caught (%.1f %%), %d explained, %d survived" %
          (len(drawn), counts["equivalent"], total, counts["caught"], 100.0 * counts["caught"] / max(total, 1), counts["explained"], counts["survived"]))
    if options.report:
        with open(options.report, "w") as f:
            f.writelines(s + "\n" for s in survivors)
    return counts["caught"] * 100 < options.least * total


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    chart = commands.add_parser("map")
    chart.add_argument("--build", required=True)
    chart.add_argument("--out", required=True)
    chart.add_argument("--jobs", type=int, default=os.cpu_count())
    chart.add_argument("--seconds", type=float, default=300, help="of the clock, after which a test is left out")
    runs = commands.add_parser("run")
    runs.add_argument("--map", required=True)
    runs.add_argument("--count", type=int, default=300)
    runs.add_argument("--seed", type=int, default=1)
    runs.add_argument("--jobs", type=int, default=os.cpu_count())
    runs.add_argument("--seconds", type=float, default=120, help="of tests for one mutant, as long as they take undisturbed")
    runs.add_argument("--least", type=float, default=0, help="percentage of mutants that must be caught")
    runs.add_argument("--only", help="a pattern of paths")
    runs.add_argument("--again", help="only those mutants that this report has")
    runs.add_argument("--work", default=os.path.join(ROOT, "build", "mutate"))
    runs.add_argument("--report", help="a file for the survivors, as lines for explained.txt")
    options = parser.parse_args()
    return make_map(options) if options.command == "map" else run(options)


if __name__ == "__main__":
    sys.exit(main())
