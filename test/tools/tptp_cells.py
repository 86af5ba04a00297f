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
import zipfile

PROGRAM = os.path.abspath(sys.argv[1])
MKTPTP = os.path.abspath(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[3]), "check"))
import starts
import tptp
import tptp_made
import tptp_rows

FAILED = []


def wrong(what, lines):
    FAILED.append(what)
    print("%s\n  %s" % (what, "\n  ".join(lines[:12])))


def convert(path, database, *options):
    """The rows of the tables, or None."""
    if os.path.exists(database):
        os.remove(database)
    run = starts.run([PROGRAM, path, "-e", database, "--quiet", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
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


def forced():
    """What --format says of a binary trace is what is found without it; other options are refused."""
    for number in range(8):
        words = [("inclusive", "exclusive")[number >> 2], ("sized", "unsized")[number >> 1 & 1], ("plain", "counted")[number & 1]]
        tptp_made.make(MKTPTP, "b", "--calls", "50", "--size", words[0], "--system", words[1], "--arrays", words[2])
        found = convert("b", "found.db")
        options = ["size=" + words[0], "system=" + words[1].replace("unsized", "bare"), "arrays=" + words[2]]
        for given in options + [",".join(options)]:
            if convert("b", "given.db", "--format", "trcbin:" + given) != found:
                wrong("trcbin:%s of %s" % (given, " ".join(words)), [])
    for given in ("size", "size=other", "size=inclusive,", "sizes=inclusive", "=", ""):
        run = starts.run([PROGRAM, "b", "-e", "out.db", "--format", "trcbin:" + given], capture_output=True)
        if run.returncode != 2:
            wrong("trcbin:%s gives exit code %d" % (given, run.returncode), [run.stderr.decode()])
    # The wrong layout: nothing is made up, and it is said.
    tptp_made.make(MKTPTP, "b", "--calls", "50")
    run = starts.run([PROGRAM, "b", "-e", "out.db", "--strict", "--format", "trcbin:size=exclusive"], capture_output=True)
    if run.returncode != 3:
        wrong("a wrong layout gives exit code %d" % run.returncode, [run.stderr.decode()])


def slices(database, session):
    con = sqlite3.connect(database)
    rows = con.execute("SELECT ts, dur, depth, state FROM stack_slice WHERE source_id = (SELECT id FROM source WHERE kind = 'session' "
                       "ORDER BY id LIMIT 1 OFFSET ?) ORDER BY id", (session,)).fetchall()
    lost = con.execute("SELECT count(*) FROM import_issue WHERE severity = 'data_loss'").fetchone()[0]
    con.close()
    return rows, lost


def archives():
    """Several documents in one archive, as the workbench saves them, also of both forms; a damaged one costs itself only."""
    texts = []
    for seed in ("1", "2", "3"):
        tptp_made.make(MKTPTP, "x", "--form", "binary" if seed == "2" else "xml", "--calls", "80", "--seed", seed)
        with open("x", "rb") as f:
            texts.append(f.read())
        convert("x", "out.db")
        texts[-1] = (texts[-1], slices("out.db", 0)[0])
    whole = [text for text, _ in texts]
    for what, middle, same in (("whole", whole[1], 3), ("cut", whole[1][:5000], 2), ("of another kind", b"nothing", 2)):
        with zipfile.ZipFile("x", "w", zipfile.ZIP_DEFLATED) as z:
            for number, text in enumerate((whole[0], middle, whole[2])):
                z.writestr("TraceContents-%d.xml" % number, text)
        convert("x", "out.db")
        members = [0, 2] if what != "of another kind" else [0, 1]
        got = [slices("out.db", i)[0] for i in members]
        lost = slices("out.db", 0)[1]
        if got != [texts[0][1], texts[2][1]] or same == 3 and slices("out.db", 1)[0] != texts[1][1] or (lost > 0) != (what == "cut"):
            wrong("an archive whose second member is " + what, [str(lost)])


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        shapes()
        forced()
        archives()
        for seed in tptp_made.seeds(6):
            both_forms(seed, False)
            both_forms(seed, True)
        os.chdir("/")
    sys.exit(1 if FAILED else 0)


main()
