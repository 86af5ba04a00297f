#!/usr/bin/env python3
"""Databases of traces of the TPTP profiler against an independent reader (test/check), cell by cell, and against each other: the binary
and the XML form of one trace give the same rows. TS_SLOW=1: 200 traces without and 200 with damage.

usage: tptp_cells.py TRACE_STREAMER MKTPTP TESTDIR
"""

import os
import sqlite3
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
MKTPTP = os.path.abspath(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[3]), "check"))
import tptp
import tptp_made
import tptp_rows

FAILED = []


def wrong(what, lines):
    FAILED.append(what)
    print("%s\n  %s" % (what, "\n  ".join(lines[:12])))


def convert(path, database):
    """The rows of the tables, or None."""
    if os.path.exists(database):
        os.remove(database)
    run = subprocess.run([PROGRAM, path, "-e", database, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != 0:
        wrong("exit %d" % run.returncode, [run.stdout.decode()])
        return None
    con = sqlite3.connect(database)
    if con.execute("SELECT count(*) FROM import_issue WHERE code IN ('conservation', 'items_lost')").fetchone()[0]:
        wrong("what is counted and what is reported differ", [str(r) for r in con.execute("SELECT * FROM import_issue")])
    con.close()
    return tptp_rows.database(database)


def against_reader(what, path, database="out.db"):
    got = convert(path, database)
    if got is None:
        print("  " + what)
        return None
    with open(path, "rb") as f:
        found = tptp.sessions(f.read())
    rows = tptp_rows.tables(found)
    doubtful = tptp.has_gap(found)
    lines = tptp_rows.compare(got, rows, 1, doubtful)
    if lines:
        wrong(what, lines)
    return got, doubtful


def both_forms(seed, damaged):
    both, binary, xml = tptp_made.random_options(seed, damaged)
    tptp_made.make(MKTPTP, "b", *both, *binary)
    tptp_made.make(MKTPTP, "x", *both, *xml)
    one = against_reader("mktptp " + " ".join(both + binary), "b")
    two = against_reader("mktptp " + " ".join(both + xml), "x")
    if one is not None and two is not None:
        lines = tptp_rows.compare(one[0], two[0], 1, one[1] or two[1])
        if lines:
            wrong("the forms differ: mktptp %s / %s / %s" % (" ".join(both), " ".join(binary), " ".join(xml)), lines)


def shapes():
    """What random options have seldom or not at all."""
    for options in (["--worked"], ["--depth", "300", "--calls", "3000"], ["--cpu", "own", "--calls", "3000"], ["--cpu", "both"],
                    ["--cpu", "own", "--calls", "300", "--seed", "73", "--threads", "2", "--depth", "4", "--methods", "20", "--unit", "us"],
                    ["--sessions", "3"], ["--extras"], ["--extras", "--endian", "big", "--unit", "ms"], ["--endian-byte", "7"], ["--endian", "big", "--endian-byte", "1"], ["--frequency-double"],
                    ["--major", "9"], ["--data-offset", "0"], ["--encoding", "KOI8-R", "--names", "ascii"], ["--encoding", "nonsense"],
                    ["--break", "30:longer"], ["--break", "40:shorter"], ["--break", "40:no-end"], ["--break", "30:bad-bytes"],
                    ["--break", "600:size-small"], ["--break", "600:size-large"], ["--break", "600:size-less"],
                    ["--break", "600:size-more"]):
        tptp_made.make(MKTPTP, "b", *options)
        against_reader("mktptp " + " ".join(options), "b")
    for options in (["--worked", "--close", "yes"], ["--extras"], ["--all"], ["--sessions", "2"], ["--break", "40:number"],
                    ["--break", "40:overflow"], ["--break", "20:entity"], ["--xml-encoding", "UTF-16BE", "--bom", "--extras"]):
        tptp_made.make(MKTPTP, "x", "--form", "xml", *options)
        against_reader("mktptp --form xml " + " ".join(options), "x")


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        shapes()
        for seed in tptp_made.seeds(6):
            both_forms(seed, False)
            both_forms(seed, True)
        os.chdir("/")
    sys.exit(1 if FAILED else 0)


main()
