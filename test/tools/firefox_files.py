#!/usr/bin/env python3
"""Random profiles of the Firefox Profiler of many versions: every cell is compared with what an independent reader finds.

usage: firefox_files.py TRACE_STREAMER TESTDIR
"""

import gzip
import json
import os
import random
import sqlite3
import sys
import tempfile

program, testdir = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import firefox_rows
import firefox_write
import starts

ROUNDS = 60 if os.environ.get("TS_SLOW") == "1" else 2


def convert(path, out, codes, *options):
    done = starts.run([program, path, "-e", out, "--strict", "--quiet", *options], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        issues = sqlite3.connect(out).execute("SELECT code, message FROM import_issue").fetchall() if done.returncode == 3 else ""
        sys.exit("%s: exit code %d: %s%s" % (path, done.returncode, done.stderr, issues))


def one_round(rng, folder, version, gecko):
    path, out = os.path.join(folder, "x.json"), os.path.join(folder, "x.db")
    profile = firefox_write.profile(rng, version, gecko)
    text = json.dumps(profile, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 1))).encode()
    with open(path, "wb") as f:
        f.write(gzip.compress(text) if rng.random() < 0.3 else text)
    if os.path.exists(out):
        os.remove(out)
    convert(path, out, (0,), "--format", "firefox")
    wrong = firefox_rows.compare(out, path)
    if wrong:
        if os.environ.get("KEEP"):
            os.system("cp %s %s" % (path, os.environ["KEEP"]))
        sys.exit("%s %d: %s" % ("gecko" if gecko else "processed", version, wrong))


def main():
    seed = int(os.environ.get("SEED", "1"))
    with tempfile.TemporaryDirectory() as folder:
        for k in range(ROUNDS):
            for gecko, versions in ((False, firefox_write.PROCESSED), (True, firefox_write.GECKO)):
                for version in versions:
                    one_round(random.Random("%d %d %d %d" % (seed, k, gecko, version)), folder, version, gecko)


main()
