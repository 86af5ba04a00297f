#!/usr/bin/env python3
"""A made-up format, added to a copy of the sources as CONTRIBUTING.md says: it touches at most 12 files beside its tests' data, and works.

usage: new_format.py SOURCE WORK [CMAKE...]

src and test beside this script are what the format adds, LINES what it adds to files that are there. The copy is made in WORK and stays, so
that only what has changed is compiled next time. Each time: the program is built without optimisation and without what no format touches
(the server), reads a list and a damaged one, and says that the format is there; what others make of declarations is written anew and counted.

TS_SLOW=1: with everything, optimised, with the tests that ask what a format needs (SLOW_TESTS) and the campaign on its recording.
"""

import filecmp
import os
import re
import shutil
import sqlite3
import subprocess
import sys

MOST = 12
HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = ["CMakeLists.txt", "CMakePresets.json", "VERSION", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "LICENSE", "cmake", "docs", "proto",
         "scripts", "share", "src", "test", "tools", "web"]
DATA = r"^test/(data/|fleet/codecs\.sql|fuzz/(corpus|dict)/)"
SLOW = os.environ.get("TS_SLOW", "0") != "0"
SLOW_TESTS = r"^(layers|declarations|docs\..*|damage\.(enrolment|foo|readme)|unit\.test_(parsers_foo|tables_.*)|fuzz\.(foo|sniff)|" \
             r"views\.listed|cli\.(format|info|help|list.*)|tools\..*known.*)$"

# file, the line before (the last one that matches), lines
LINES = [
    ("src/parsers/format_list.def", r"^TS_FORMAT\(", "TS_FORMAT(foo)\n"),
    ("src/tables/formats/each.h", r"^#include TS_DECLARED\(", "#include TS_DECLARED(foo)\n"),
    ("docs/formats.md", r"", "\n## foo\n\nThe line `foo 1`, a line `NUMBER NAME VALUE` for each value, counted from 1, and the line `end`.\n"),
    ("CHANGELOG.md", r"^# Changelog$", "\n- Lists of foo are read.\n"),
]

# Expected outputs with the names of all formats; they are counted, and written anew with TS_SLOW=1.
EXPECTED = ["test/cli/cases/format.stdout", "test/cli/cases/info.stdout"]

wrong = []


def check(good, what):
    if not good:
        wrong.append(what)
        print("WRONG: " + what, flush=True)


def files(root):
    """Names of all files of a folder, from there."""
    if os.path.isfile(root):
        return [""]
    return [os.path.relpath(os.path.join(d, f), root) for d, _, names in os.walk(root) if not re.search("__pycache__|node_modules", d) for f in names]


def write(path, data):
    """Only what differs, so that the build sees no change where there is none."""
    if os.path.isfile(path) and not os.path.islink(path):
        with open(path, "rb") as f:
            if f.read() == data:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def wanted(source):
    """{name: bytes} of the copy with the format, but for what is made from it."""
    tree = {}
    for part in PARTS:
        for name in files(os.path.join(source, part)):
            path = os.path.normpath(os.path.join(part, name))
            if not os.path.islink(os.path.join(source, path)):
                tree[path] = read(os.path.join(source, path))
    for part in ("src", "test"):
        for name in files(os.path.join(HERE, part)):
            path = os.path.join(part, name)
            check(path not in tree, "the template's %s is in the sources" % path)
            tree[path] = read(os.path.join(HERE, path))
    for path, before, lines in LINES:
        old = tree[path].decode().splitlines(keepends=True)
        at = max(i for i, line in enumerate(old) if re.search(before, line)) + 1
        tree[path] = "".join(old[:at] + [lines] + old[at:]).encode()
    return tree


def copy(source, target):
    tree = wanted(source)
    for name in files(target) if os.path.isdir(target) else []:
        if name not in tree:
            os.remove(os.path.join(target, name))
    for name, data in tree.items():
        write(os.path.join(target, name), data)
        shutil.copymode(os.path.join(source if os.path.exists(os.path.join(source, name)) else HERE, name), os.path.join(target, name))


def touched(source, target):
    """Files of the copy that are not those of the sources, without the data of tests."""
    found = []
    for name in files(target):
        path = os.path.join(source, name)
        if not re.search(DATA, name) and not (os.path.isfile(path) and filecmp.cmp(path, os.path.join(target, name), shallow=False)):
            found.append(name)
    return sorted(found)


def run(*command, code=0, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **more)
    check(done.returncode == code, "%s: exit code %d\n%s" % (" ".join(command), done.returncode, done.stdout[-4000:]))
    return done.stdout


def converts(program, work):
    """A list is rows of its table, and a damaged one is data loss."""
    path = os.path.join(work, "list.foo")
    database = os.path.join(work, "list.db")
    for text, code, rows in ((b"foo 1\n1 a 17\n2 bc 5\nend\n", 0, [(1, 1, "a", 17), (1, 2, "bc", 5)]), (b"foo 1\n1 a 17\n2 bc", 3, [(1, 1, "a", 17)])):
        write(path, text)
        run(program, path, "-e", database, "--force", "--index", "--quiet", "--strict", code=code)
        con = sqlite3.connect(database)
        got = con.execute("SELECT s.parent_id, v.number, v.name, v.value FROM foo_value v JOIN source s ON s.id = v.source_id ORDER BY number").fetchall()
        check(got == rows, "%r gives %s" % (text, got))
        issues = con.execute("SELECT code FROM import_issue").fetchall()
        check(issues == ([("foo_incomplete",)] if code else []), "%r has the issues %s" % (text, issues))
        counts = con.execute("SELECT seen, imported, lost FROM import_count WHERE item = 'foo_lines'").fetchall()
        check(counts == [(2, len(rows), 2 - len(rows))], "%r has the counts %s" % (text, counts))
        con.close()
    check("list of foo" in run(program, "--format=list"), "--format=list does not name it")
    check("foo_value" in run(program, "--tables"), "--tables does not name its table")


def main():
    source, work, cmake = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:] or ["cmake"]
    tree, build = os.path.join(work, "tree"), os.path.join(work, "slow" if SLOW else "build")
    copy(source, tree)
    options = ["-DCMAKE_BUILD_TYPE=Release"] if SLOW else ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS=-O0 -g0", "-DTS_SERVE=OFF", "-DTS_LIBRARY=OFF"]
    run(*cmake, "-G", "Ninja", "-S", tree, "-B", build, "-DTS_TESTS=ON", "-DTS_WERROR=ON", "-DTS_WEB=OFF", "-DTS_VERSION=0", *options)
    targets = [] if SLOW else ["--target", "trace_streamer", "docs", "test_parsers_foo"]
    run(cmake[0], "--build", build, *targets)
    if not wrong:
        run(cmake[0], "--build", build, "--target", "docs")
        converts(os.path.join(build, "bin/trace_streamer"), work)
        run(os.path.join(build, "test/unit/test_parsers_foo"))
        run(sys.executable, os.path.join(tree, "test/enrolment.py"), os.path.join(build, "bin/trace_streamer"), tree)
    if not wrong and SLOW:
        ctest = os.path.join(os.path.dirname(shutil.which(cmake[0])), "ctest")
        run(ctest, "--test-dir", build, "-R", r"^(cli\.(format|info)|unit\.test_fleet_parts)$", env={**os.environ, "TS_REBASELINE": "1"})
        print(run(ctest, "--test-dir", build, "-j", str(os.cpu_count()), "-R", SLOW_TESTS, "--output-on-failure", "--no-tests=error"))
        print(run(sys.executable, os.path.join(tree, "test/damage/campaign.py"), "--program", os.path.join(build, "bin/trace_streamer"), "--tools",
                  os.path.join(build, "tools"), "--data", os.path.join(tree, "test/data"), "--only", "foo", "--runs", "300"))
    names = touched(source, tree)
    names = sorted({*names, *EXPECTED})
    print("\n".join(names))
    check(len(names) <= MOST, "a format touches %d files" % len(names))
    check(set(names) >= {"docs/tables.md", *(path for path, _, _ in LINES)}, "what is touched is not what should be")
    print("%d files of %d" % (len(names), MOST))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
