#!/usr/bin/env python3
"""refused.py PROGRAM LIST: what a verb does not take, it refuses by name, with exit code 2 and nothing on standard output. LIST is what
`option_table list` prints."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

VERBS = "convert diff serve upgrade cut merge redact unredact fleet help version".split()


def main():
    program, listed = sys.argv[1:3]
    options, owners = [], {}
    with open(listed, encoding="utf-8") as f:
        for line in f:
            short, long, _, _, _, *verbs = line.split()
            options.append((short if long == "." else long, {short, long}))
            for name in {short, long} - {"."}:  # an option that is another thing for another verb has a line for each
                owners.setdefault(name, []).extend(verbs)
    asked = wrong = 0
    for verb in VERBS:
        taken = {name for name, has in owners.items() if verb in has}
        for name, _ in options:
            if name in taken:
                continue
            done = starts.run([program, *([] if verb == "convert" else [verb]), name], capture_output=True, text=True, timeout=60)
            said = "(does not go together with %s|is an option of: trace_streamer (%s))" % (verb, "|".join(owners[name]))
            asked += 1
            if done.returncode != 2 or done.stdout or not re.search("^trace_streamer: %s %s$" % (re.escape(name), said), done.stderr, re.M):
                wrong += 1
                print("%s %s: exit %d, %s" % (verb, name, done.returncode, done.stderr.partition("\n")[0]))
    if asked < 500:
        print("only %d options are refused" % asked)
    sys.exit(wrong > 0 or asked < 500)


main()
