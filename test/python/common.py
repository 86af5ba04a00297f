"""What the tests of the Python package share: paths from the command line, the backend, and rows that are read without the package.

Each test is run as: python3 TEST.py BACKEND PROGRAM LIBRARY SOURCE [names of unittest]. BACKEND is "library" or "program"; LIBRARY is "-"
when there is none.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

BACKEND, PROGRAM, LIBRARY, SOURCE = sys.argv[1:5]
DATA = os.path.join(SOURCE, "test", "data")
SNAPSHOTS = os.path.join(DATA, "recording-snapshots.htrace.gz")
PROFILE = os.path.join(DATA, "recording-cpuprofile.htrace.gz")
TINY = os.path.join(DATA, "tiny")

os.environ["TRACE_STREAMER_BACKEND"] = BACKEND
os.environ["TRACE_STREAMER_PROGRAM"] = PROGRAM
if LIBRARY != "-":
    os.environ["TRACE_STREAMER_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "python"))

import trace_streamer as ts  # noqa: E402


def skip(why):
    """Ends the test as one that was left out."""
    print(f"SKIP: {why}")
    sys.exit(77)


def run(*arguments, codes=(0,)):
    """Runs the program; its standard output and error."""
    done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in codes:
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def converted(folder, *arguments):
    """The database that the program itself writes."""
    path = os.path.join(folder, f"program{len(os.listdir(folder))}.db")
    run(*arguments, "-e", path, "--quiet")
    return path


def sql(path, statement, *values):
    """Rows, read by the sqlite3 module."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ts-python.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def fails(self, kind, text, call, *arguments, **named):
        """The call raises that error, whose text has `text` in it; returns the error."""
        with self.assertRaises(kind) as caught:
            call(*arguments, **named)
        self.assertIn(text, str(caught.exception))
        return caught.exception


def main():
    """Runs the tests of the module that is run."""
    print(f"{ts.version()} by the {BACKEND} with Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}")
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=1)
