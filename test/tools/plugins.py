#!/usr/bin/env python3
"""Recordings with segments of plugins, made by mkhtrace: every cell is compared with what Python reads from them.

usage: plugins.py TRACE_STREAMER MKHTRACE TESTDIR
"""

import os
import random
import struct
import subprocess
import sys
import tempfile

program, mkhtrace, testdir = sys.argv[1:]
checker = os.path.join(testdir, "check", "plugins.py")


def varint(v):
    out = b""
    while v >= 0x80:
        out += bytes([v & 0x7F | 0x80])
        v >>= 7
    return out + bytes([v])


def number(field, v):
    return varint(field << 3) + varint(v & (1 << 64) - 1)


def real(field, v):
    return varint(field << 3 | 1) + struct.pack("<d", v)


def text(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def cpu_sample(rng):
    """CpuData with parts left out, zeros written, things that nobody knows, in any order, some fields twice."""
    core = text(7, number(1, rng.randrange(8)) + number(4, rng.randrange(1 << 40)))
    parts = [text(1, b"" if rng.random() < 0.3 else core * rng.randrange(9))] if rng.random() < 0.95 else []
    parts += [number(3, rng.choice([0, 1, 700, 1 << 40]))] * (rng.random() < 0.8)
    for field in (4, 5, 6):
        parts += [real(field, rng.choice([0.0, -0.0, 0.1, 33.3, 100.0, 1e-300, rng.random() * 100]))] * rng.choice([0, 1, 1, 1, 2])
    parts += [text(2, number(1, 42) + text(2, b"main"))] * rng.randrange(3)
    parts += [text(99, b"later")] * (rng.random() < 0.1)
    rng.shuffle(parts)
    return b"".join(parts)


def recording(path, seed):
    rng = random.Random(seed)
    args = ["-o", path, "--clocks", "boot=1000000000,real=1700000000000000000,mono=900000000"]
    args += ["--padded-varints"] * (seed % 2) + ["--explicit-zeros"] * (seed % 3 == 0)
    ts = 1700000001000000000
    for _ in range(200):
        what = rng.random()
        if what < 0.05:
            args += ["--plugin", "hilog-plugin:%d" % rng.randrange(1, 5000)]
        elif what < 0.07:
            args += ["--config", "pid=7,type=none,cpu=1", "--time", "%d,1" % ts, "--profile", "synth:nodes=20,samples=30,depth=4"]
        else:
            ts += rng.choice([1, 999999999, 1000000000, 1000000000, -2500000000, 60 * 10**9])
            args += ["--time", "%d" % ts, "--plugin", "cpu-plugin:=" + cpu_sample(rng).hex()]
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
                    subprocess.run([program, *source, "-e", database, "--quiet", "--strict"], check=True, stdin=f)
                failed += subprocess.run([sys.executable, checker, database, path], check=False).returncode != 0
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
