#!/usr/bin/env python3
"""formats.py PROGRAM INPUT...: every format on every input, as cases/format.sh shows it: the formats that became sources and the kinds of
losses, or the first line that the program says. Standard input (-) is small.htrace."""

import os
import sqlite3
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

FOUND = ("SELECT group_concat(DISTINCT format) FROM source WHERE parent_id IS NULL",
         "SELECT group_concat(DISTINCT severity) FROM import_issue WHERE severity IN ('data_loss', 'error')")


def main():
    program, *inputs = sys.argv[1:]
    listed = starts.run([program, "--format=list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for name in " ".join(line.split(" ")[0] for line in listed.splitlines()).split():
        for path in inputs:
            with open("small.htrace", "rb") as given:
                done = starts.run([program, path, "--format=" + name, "-e", "x.db", "--quiet", "--force"], stdin=given, stderr=subprocess.PIPE, text=True)
            if done.returncode == 0:
                db = sqlite3.connect("x.db")
                found = "".join("%s " % (db.execute(sql).fetchone()[0] or "") for sql in FOUND)
                db.close()
            else:
                found = done.stderr.partition("\n")[0]
            print("%s %s: %d %s" % (name, path, done.returncode, found))
            if done.returncode not in (0, 5):
                sys.exit("%s %s: exit %d" % (name, path, done.returncode))


main()
