#!/usr/bin/env python3
"""examples.py PROGRAM DATA DOCUMENT: runs the requests of docs/serve.md against a server, and compares what they give with what stands there."""
import os
import re
import shlex
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from client import Server  # noqa: E402

program, data, document = sys.argv[1:4]


def examples():
    with open(document) as f:
        lines = f.read().split("\n")
    for i, line in enumerate(lines):
        if line.startswith("    $ curl "):
            expected = []
            while lines[i + 1 + len(expected)].startswith("    "):
                expected.append(lines[i + 1 + len(expected)][4:])
            yield shlex.split(line[6:]), "\n".join(expected)


def run(s, words):
    headers, body, method = {}, b"", "GET"
    path = words[-1].removeprefix("http://127.0.0.1:3891")
    for option, value in zip(words[1:-1:2], words[2:-1:2]):
        if option == "-H":
            name, _, text = value.partition(": ")
            headers[name] = text
        elif option == "-d":
            body, method = value.encode(), "POST"
    reply = s.ask(path, method, headers, body)
    text = reply.body.decode().replace("\r\n", "\n").rstrip("\n")
    text = re.sub(r'"elapsed_ms":[0-9.e-]+', '"elapsed_ms":0.1', text)
    return text if reply.status == 200 else f"{reply.status} {text}"


with tempfile.TemporaryDirectory() as folder:
    server = Server(program, os.path.join(data, "recording-cpuprofile.htrace.gz"), "--no-token", "--quiet", env={**os.environ, "TMPDIR": folder})
    count = failures = 0
    for words, expected in examples():
        got = run(server, words)
        count += 1
        if got != expected:
            failures += 1
            print(f"{shlex.join(words)}\n  {got}\nnot\n  {expected}")
    code, _ = server.stop()
    if os.listdir(folder):
        failures += 1
        print(f"left behind: {os.listdir(folder)}")
print(f"{count} examples, {failures} failures, exit code {code}")
sys.exit(1 if failures or count < 4 or code else 0)
