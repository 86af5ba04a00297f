#!/usr/bin/env python3
"""consistent_tptp.py believes whole traces and those that end early, and none with one of the kinds of damage that a reader can notice.

usage: test_consistent_tptp.py MKTPTP
"""
import os
import subprocess
import sys
import tempfile

from consistent_tptp import rows, why_not

WHOLE = [[], ["--no-tickets"], ["--stop", "200"], ["--open", "2"], ["--ids", "relocatable"]]
DAMAGED = [["--missing-exit", "5"], ["--extra-exit", "5"], ["--undefined-method", "3"], ["--undefined-class", "2"], ["--undefined-thread", "2"],
           ["--break", "40:half"], ["--break", "60:unknown"]]
BINARY = [["--break", "60:longer"], ["--break", "60:no-end"], ["--break", "60:size-less"], ["--break", "60:garbage"]]
XML = [["--break", "60:other"], ["--break", "60:attribute"], ["--break", "60:number"], ["--break", "60:text"]]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "trace")
        for form, more in (("binary", BINARY), ("xml", XML)):
            for good, cases in ((True, WHOLE), (False, DAMAGED + more)):
                for options in cases:
                    subprocess.run([sys.argv[1], "-o", path, "--form", form, "--calls", "150", *options], check=True, stdout=subprocess.DEVNULL)
                    why = why_not(path)
                    if (why is None) != good or good and len(rows(path)) < 100:
                        failures += 1
                        print("%s %s: %s" % (form, " ".join(options), why))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
