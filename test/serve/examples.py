#!/usr/bin/env python3
"""examples.py PROGRAM DATA DOCUMENT: runs the requests of docs/serve.md against a server, and compares what they give with what stands there; and
looks whether what a user reads about the server is where it is looked for."""
import os
import re
import shlex
import subprocess
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


def missing():
    """Places that say nothing of the server."""
    root = os.path.join(os.path.dirname(document), "..")
    wanted = {"README.md": ["trace_streamer serve", "](docs/page.png)", "](docs/serve.md)"], "docs/man/trace_streamer.1": ["serve", "Fl -allow-origin"], "CHANGELOG.md": ["`trace_streamer serve"],
              "SECURITY.md": ["`trace_streamer serve` listens, on 127.0.0.1"], "share/completion/trace_streamer.bash": ["serve", "--allow-origin"],
              "share/completion/_trace_streamer": ["serve", "--allow-origin"], "share/completion/trace_streamer.fish": ["serve", "allow-origin"]}
    for name, texts in wanted.items():
        with open(os.path.join(root, name), encoding="utf-8") as f:
            content = f.read()
        yield from (f"{name} lacks {text}" for text in texts if text not in content)
    with open(os.path.join(root, "docs/page.png"), "rb") as f:
        if f.read(8) != b"\x89PNG\r\n\x1a\n":
            yield "docs/page.png is no picture"
    for words, text in ((["--help"], "trace_streamer serve"), (["serve", "--help"], "--allow-origin")):
        if text not in subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout:
            yield f"{' '.join(words)} lacks {text}"


with tempfile.TemporaryDirectory() as folder:
    server = Server(program, os.path.join(data, "recording-cpuprofile.htrace.gz"), "--no-token", "--quiet", env={**os.environ, "TMPDIR": folder})
    count = failures = 0
    for words, expected in examples():
        got = run(server, words)
        count += 1
        if got != expected:
            failures += 1
            print(f"{shlex.join(words)}\n  {got}\nnot\n  {expected}")
    for text in missing():
        failures += 1
        print(text)
    code, _ = server.stop()
    if os.listdir(folder):
        failures += 1
        print(f"left behind: {os.listdir(folder)}")
print(f"{count} examples, {failures} failures, exit code {code}")
sys.exit(1 if failures or count < 4 or code else 0)
