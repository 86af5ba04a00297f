#!/usr/bin/env python3
"""Runs the commands of a page of docs, one after the other, and compares what they print with what the page says.

usage: tutorial.py PAGE [--write]     in a directory with test/data; trace_streamer is in the PATH. --write: puts what they print into it

A comment before a block says what is special: "node" needs Node.js and "pandas" a python3 with pandas (without them the block is left out), "numbers
differ" from run to run.
"""

import re
import shutil
import subprocess
import sys

# What differs from run to run, or with the number of documented columns.
NUMBERS = re.compile(r"^(  (?:time|memory|rows) +|    internal \(--verbose\) +).*", re.M)


SPECIAL = re.compile(r"<!-- (.*) -->\n\Z")


def numberless(text):
    """With N for numbers and one blank or line for runs of them."""
    text = re.sub(r"[+-]?\b[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?\b", "N", text)
    return re.sub(r"-+", "-", re.sub(r" +", " ", text))


def parts(text):
    """Texts, and for each block the commands with what they print."""
    for n, part in enumerate(re.split(r"^```console\n(.*?)^```\n", text, flags=re.M | re.S)):
        if n % 2 == 0:
            yield part, None
            continue
        commands = []
        for line in part.splitlines(True):
            if line.startswith("$ "):
                commands.append([line[2:], line, ""])
            elif line.startswith("> ") and not commands[-1][2]:
                commands[-1][0] += line[2:]
                commands[-1][1] += line
            else:
                commands[-1][2] += line
        yield part, commands


def lacks(special):
    """Whether what the block needs is not here."""
    if "pandas" in special:
        return subprocess.run(["python3", "-c", "import pandas"], stderr=subprocess.DEVNULL, check=False).returncode != 0
    return "node" in special and not shutil.which("node")


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    out, bad, ran, special = "", 0, 0, []
    for part, commands in parts(text):
        if commands is None:
            out += part
            found = SPECIAL.search(part)
            special = found.group(1).split(", ") if found else []
            continue
        if lacks(special):
            out += "```console\n" + part + "```\n"
            continue
        out += "```console\n"
        for command, shown, want in commands:
            ran += 1
            got = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).stdout.decode()
            got = NUMBERS.sub(r"\1...", got)
            same = got == want or ("numbers differ" in special and numberless(got) == numberless(want))
            out += shown + (want if same else got)
            if not same:
                bad += 1
                print("%s prints:\n%sinstead of:\n%s" % (command, got, want))
        out += "```\n"
    if "--write" in sys.argv:
        with open(path, "w", encoding="utf-8") as f:
            f.write(out)
    elif bad or ran < 10:
        sys.exit("%d of %d commands of %s" % (bad, ran, path))


main()
