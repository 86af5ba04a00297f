#!/usr/bin/env python3
"""consistent_cloud.py believes whole recordings, and none with one of the kinds of damage that a reader can notice.

What it does not believe is a loss to the program as well, but for one: two exchanged words of a dictionary are not
noticed when calls use neither of them.

usage: test_consistent_cloud.py MKCLOUD PROGRAM
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from consistent_cloud import why_not

MAKES = {
    "agent": ["--container", "agent", "--plain"],
    "flat": ["--container", "flat"],
    "tcp": ["--container", "tcp"],
    "gz": ["--trailers"],
}


def find(folder, stream):
    return sorted(os.path.join(d, f) for d, _, names in os.walk(folder) for f in names if ("/%s/" % stream) in os.path.join(d, f))[0]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        for name, options in MAKES.items():
            path = os.path.join(work, name)
            subprocess.run([sys.argv[1], "-o", path, "--calls", "15", "--rotate-trace", "2000", *options], check=True, stdout=subprocess.DEVNULL)
            why = why_not(path)
            if why is not None:
                failures += 1
                print("%s: %s" % (name, why))
        agent = os.path.join(work, "agent")

        def try_one(what, stream, change, lost=True):
            nonlocal failures
            copy = os.path.join(work, "copy")
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(agent, copy)
            victim = find(copy, stream)
            with open(victim, "rb") as f:
                text = f.read()
            with open(victim, "wb") as f:
                f.write(change(text))
            if why_not(copy) is None:
                failures += 1
                print("%s: believed" % what)
            out = os.path.join(work, "out.db")
            code = subprocess.run([sys.argv[2], copy, "-e", out, "--force", "--strict", "--quiet"], stderr=subprocess.DEVNULL, check=False).returncode
            if code != (3 if lost else 0):
                failures += 1
                print("%s: exit code %d" % (what, code))
            return sqlite3.connect(out)

        for stream in ("dictionary", "params", "trace", "calls", "sql"):
            try_one("a record of %s is cut" % stream, stream, lambda text: text[:-1])
        words = lambda text: 1 + 2 * text[0]  # the first word: shorter than 128
        try_one("words in another order", "dictionary",
                lambda text: text[words(text):words(text) + words(text[words(text):])] + text[:words(text)] + text[words(text) + words(text[words(text):]):],
                lost=False)
        # The last block ends with the end of a call (a byte of time may follow) and its own end.
        try_one("a stack that is not balanced", "trace", lambda text: text[:-2] + text[-1:])
        overlap = try_one("pauses that overlap", "suspend", lambda text: text[:8] + b"\x05\x05\x01\x05" + text[8:])
        if overlap.execute("SELECT count(ts), count(dur) FROM cloud_suspend").fetchone() != (1, 1):
            failures += 1
            print("pauses behind a contradiction have times")
        # The header has 16 bytes; each first byte of a record is an end of its delta, or more of it follows.
        moved = try_one("a difference of times of calls", "calls", lambda text: text[:16] + bytes([text[16] ^ 2]) + text[17:])
        wrong = moved.execute("SELECT count(*) FROM cloud_call c JOIN stack_slice s ON s.id = c.root_slice_id WHERE c.ts <> s.ts").fetchone()[0]
        known = moved.execute("SELECT count(*), count(ts) FROM cloud_call").fetchone()
        if wrong != 0 or known[1] != known[0] - 1:
            failures += 1
            print("calls behind a wrong difference: %d wrong times, %s" % (wrong, known))
        try_one("a thread without number", "trace", lambda text: text[:8] + bytes(8) + text[16:])
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
