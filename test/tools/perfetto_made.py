#!/usr/bin/env python3
"""Random traces of Perfetto: every cell is compared with what another reader finds; those of sequences that lost packets, too; and cut ones are told
from whole ones.

usage: perfetto_made.py TRACE_STREAMER TESTDIR
"""

import os
import random
import sys
import tempfile

program, testdir = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "tools"))
import perfetto_write as w

sys.path.insert(0, os.path.join(testdir, "check"))
import perfetto_rows
import starts

RUNS = 400 if os.environ.get("TS_SLOW", "0") != "0" else 40


def convert(path, out, *options):
    done = starts.run([program, path, "-e", out, "--strict", "--force", "--quiet", *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "trace.pftrace"), os.path.join(folder, "out.db")
        for seed in range(RUNS):
            rng = random.Random(seed)
            lossy = seed % 4 == 3
            data = w.trace(rng, events=rng.choice((5, 60, 300)), threads=rng.randrange(1, 5), lossy=lossy, others=rng.choice((0, 10, 100)))
            with open(path, "wb") as f:
                f.write(data)
            code, said = convert(path, out)
            wrong = perfetto_rows.compare(out, path) if code in (0, 3) else said
            if wrong or (code == 3 and not lossy):
                sys.exit("seed %d, exit code %d: %s" % (seed, code, wrong or said))
            with open(path, "wb") as f:
                f.write(data[:-rng.randrange(1, 9)])
            code, said = convert(path, out)
            if code != 3:
                sys.exit("seed %d, cut: exit code %d: %s" % (seed, code, said))
    perfetto_rows.cells.end(None, path)


if __name__ == "__main__":
    main()
