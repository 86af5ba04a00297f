#!/usr/bin/env python3
"""Recordings with segments of plugins, made by mkhtrace: every cell is compared with what Python reads from them.

usage: plugins.py TRACE_STREAMER MKHTRACE TESTDIR
"""

import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import plugin_messages

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

program, mkhtrace, testdir = sys.argv[1:]
checker = os.path.join(testdir, "check", "plugins.py")


def recording(path, seed):
    rng = random.Random(seed)
    args = ["-o", path, "--clocks", "boot=1000000000,real=1700000000000000000,mono=900000000"]
    args += ["--padded-varints"] * (seed % 2) + ["--explicit-zeros"] * (seed % 3 == 0)
    ts = late = 1700000001000000000
    makers = {name: maker() for name, maker in plugin_messages.PLUGINS.items()}
    for _ in range(25 * len(makers)):
        what = rng.random()
        if what < 0.05:
            args += ["--plugin", "foo-plugin:%d" % rng.randrange(1, 5000)]
        elif what < 0.07:
            args += ["--config", "pid=7,type=none,cpu=1", "--time", "%d,1" % ts, "--profile", "synth:nodes=20,samples=30,depth=4"]
        else:
            ts += rng.choice([1, 999999999, 1000000000, 1000000000, -2500000000, 60 * 10**9])
            name = rng.choice(list(makers))
            late = max(late, ts)  # values of counters that go back in time have no certain end
            args += ["--time", "%d" % (late if name == "memory-plugin" else ts), "--plugin", name + ":=" + makers[name].message(rng, ts).hex()]
    subprocess.run([mkhtrace, *args], check=True, stdout=subprocess.DEVNULL)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.htrace")
        database = os.path.join(folder, "r.db")
        for seed in range(6):
            recording(path, seed)
            for source in (["-"], [path]):  # a pipe, and a file
                with open(path, "rb") as f:
                    starts.run([program, *source, "-e", database, "--quiet", "--strict"], check=True, stdin=f)
                failed += subprocess.run([sys.executable, checker, database, path], check=False).returncode != 0
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
