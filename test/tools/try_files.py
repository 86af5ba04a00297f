#!/usr/bin/env python3
"""scripts/try-files.sh: a line for each file, whatever its name is, and nothing left behind.

usage: try_files.py PROGRAM SOURCE
"""

import os
import subprocess
import sys
import tempfile

program, source = sys.argv[1:3]
script = os.path.join(source, "scripts", "try-files.sh")

FILES = {"a.folded": b"main;f 1\n", "sub/b c.folded": b"main;f 1\nmain;g\n", "new\nline": b"main;f 2\n", "-dash": b"", "$(touch x)": b"PERFFILE" + bytes(90), "bell\x07": b"hello\n"}


def run(folder, *arguments, **variables):
    return subprocess.run(["bash", script, *arguments], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "TRACE_STREAMER": program, "TMPDIR": os.path.join(folder, "tmp"), **variables})


def check(condition, text):
    if not condition:
        sys.exit(text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "tmp"))
        for name, content in FILES.items():
            path = os.path.join(folder, "-in", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(content)
        done = run(folder, "-in")
        lines = [line.split(None, 8) for line in done.stdout.splitlines()]
        check(done.returncode == 0 and not done.stderr, "%d %r" % (done.returncode, done.stderr))
        check(lines[0] == "format rows info warn loss error exit seconds file".split(), "%r" % lines[0])
        have = {line[8]: (line[0], line[1], line[4], line[6]) for line in lines[1:]}
        check(have["a.folded"] == ("folded", "2", "0", "0"), "%r" % have)
        check(have["sub/b\\ c.folded"] == ("folded", "2", "1", "0"), "%r" % have)
        check(have["$'new\\nline'"] == ("folded", "2", "0", "0"), "%r" % have)
        said = {line[8].split("  ")[0]: (line[6], line[8].split("  ", 1)[1]) for line in lines[1:] if "  " in line[8]}
        check(len(said) == 3 and len(have) == len(FILES), "%r" % have)
        check(said["\\$\\(touch\\ x\\)"][0] == "5" and "perf script" in said["\\$\\(touch\\ x\\)"][1], "%r" % said)
        check(said["-dash"][0] == "1" and "is empty" in said["-dash"][1], "%r" % said)
        check("\x07" not in done.stdout and os.listdir(os.path.join(folder, "tmp")) == [] and os.listdir(folder).count("x") == 0, "left behind")
        # A program that does not end, or ends by a signal.
        for body, code in (("exec sleep 100", "124"), ("kill -SEGV $$", "139")):
            slow = os.path.join(folder, "slow")
            with open(slow, "w", encoding="utf-8") as f:
                f.write("#!/bin/sh\n%s\n" % body)
            os.chmod(slow, 0o755)
            done = run(folder, "-in/sub", TRACE_STREAMER=slow, TIMEOUT="1")
            check(done.returncode == 1 and done.stdout.splitlines()[1].split()[6] == code, "%s: %d %r" % (body, done.returncode, done.stdout))
        check(run(folder).returncode == 2 and "try-files.sh DIR" in run(folder).stderr, "usage")


if __name__ == "__main__":
    main()
