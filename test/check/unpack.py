#!/usr/bin/env python3
"""Writes the heap snapshots, timelines and CPU profiles of an .htrace to files, as recorded.

usage: unpack.py RECORDING DIR      writes DIR/Snapshot0.heapsnapshot, DIR/Timeline.heaptimeline,
                                    DIR/Profile0.cpuprofile ... and prints their names
       unpack.py --messages RECORDING   prints "<ts> <bytes>" for every ArkTS message
"""

import os
import sys

sys.dont_write_bytecode = True
import htrace


def main(argv):
    if len(argv) == 3 and argv[1] == "--messages":
        for ts, raw in htrace.load(argv[2]).messages:
            print(ts, len(raw))
        return 0
    if len(argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    recording = htrace.load(argv[1])
    files = []
    for heap in recording.heaps:
        kind = "heaptimeline" if heap["name"] == "Timeline" else "heapsnapshot"
        files.append(("%s.%s" % (heap["name"], kind), heap["text"]))
    for i, profile in enumerate(recording.profiles):
        files.append(("Profile%d.cpuprofile" % i, profile["text"]))
    for name, text in files:
        with open(os.path.join(argv[2], name), "wb") as f:
            f.write(text)
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
