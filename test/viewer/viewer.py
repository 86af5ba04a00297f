#!/usr/bin/env python3
"""What the web viewer needs of databases of every source: its statements run and return rows, and checks.sql finds nothing wrong.

usage: viewer.py GROUP TRACE_STREAMER TOOLS SOURCE_DIR
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../check")]
import points
import starts


def sections(name, kind):
    """The statements of a file: name, what must have rows, SQL."""
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        parts = re.split(r"^-- %s: " % kind, f.read(), flags=re.M)[1:]
    for part in parts:
        head, _, rest = part.partition("\n")
        name, _, rows = head.partition(" rows: ")
        yield name.rstrip("."), set(rows.split(",")) if rows else set(), rest.rstrip().rstrip(";")


STATEMENTS = list(sections("statements.sql", "statement"))
CHECKS = list(sections("checks.sql", "check"))


class Run:
    """One group: its recordings, its databases, what was wrong with them."""

    statements = STATEMENTS

    def __init__(self, program, tools, source, work):
        self.program = program
        self.tools = tools
        self.data = os.path.join(source, "test/data")
        self.work = work
        self.bad = 0
        self.compared = 0

    def fail(self, text):
        self.bad += 1
        print("%s: %s" % (self.what, text))

    def make(self, tool, name, *args, output=True):
        path = os.path.join(self.work, name)
        words = [os.path.join(self.tools, tool)] + (["-o", path] if output else []) + list(args) + ([] if output else [path])
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return path

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def recording(self, kind):
        return os.path.join(self.data, "recording-%s.htrace.gz" % kind)

    def tiny(self, name):
        return os.path.join(self.data, "tiny", name)

    def convert(self, name, *inputs, code=0):
        self.what = name
        path = os.path.join(self.work, name + ".db")
        run = starts.run([self.program, *inputs, "-e", path, "--quiet"], capture_output=True, text=True)
        if run.returncode != code:
            raise SystemExit("%s %s: exit code %d\n%s" % (self.program, inputs, run.returncode, run.stderr))
        self.path = path
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)

    def run(self, *args):
        return starts.run([self.program, *args, "--quiet"], stdout=subprocess.DEVNULL).returncode

    def question(self, name):
        return os.path.join(self.data, "../../share/sql/%s.sql" % name)

    def rows(self, sql, args=()):
        return self.db.execute(sql, args).fetchall()

    def one(self, sql, args=()):
        return self.rows(sql, args)[0][0]

    def same(self, what, got, want):
        self.compared += 1
        if got != want:
            self.fail("%s: %r instead of %r" % (what, got, want))

    def holds(self, what, truth):
        self.same(what, bool(truth), True)

    def view(self, *has, but=()):
        """The statements and checks on the database. has: what the recording has; but: checks that it may break."""
        has = set(has) | {"all"}
        values = {"file": self.rows("SELECT min(id) FROM js_heap_files")[0][0],
                  "argset": self.rows("SELECT min(argsetid) FROM callstack")[0][0]}
        for name, needs, sql in STATEMENTS:
            rows = self.rows(sql, {n: values[n] for n in re.findall(r":(file|argset)\b", sql)})
            self.compared += 1
            if needs & has and not rows:
                self.fail("statement %s: no rows" % name)
        for name, _, sql in CHECKS:
            try:
                rows = self.rows(sql)
            except sqlite3.Error as error:
                rows = [str(error)]
            self.compared += 1
            if rows and name not in but:
                self.fail("%s: %r%s" % (name, rows[0], "" if len(rows) == 1 else " and %d more" % (len(rows) - 1)))


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in points.GROUPS:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        run = Run(*map(os.path.abspath, sys.argv[2:]), work)
        points.GROUPS[sys.argv[1]](run)
        print("%d compared, %d wrong" % (run.compared, run.bad))
        sys.exit(run.bad > 0)


if __name__ == "__main__":
    main()
