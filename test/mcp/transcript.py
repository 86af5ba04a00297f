"""transcript.py PROGRAM DATA FILE...: investigations. A line "> TOOL ARGUMENTS" of FILE is a request, the lines below it are its answer; what the
server answers must be the same. Answers of questions are compared with those of -q, trees with what --to=folded writes.
TS_REBASELINE=1 writes the answers anew."""

import json
import os
import subprocess
import sys

from server import Server

program, data = sys.argv[1:3]


def run(*arguments):
    return subprocess.run([program, *arguments, "--quiet"], check=True, capture_output=True, text=True).stdout


def check_rows(path, arguments, text):
    """The rows of an answer are the first of those that -q prints."""
    params = [x for name, value in arguments.get("params", {}).items() for x in ("--param", "%s=%s" % (name, value))]
    expected = run(path, "-q", arguments["question"], "--output=tsv", "--analyze=heap", *params).splitlines()
    shown = [line for line in text.splitlines() if not line.startswith("  ")]
    if shown and " rows; " in shown[-1]:
        shown.pop()
    if "..." not in text and shown != expected[:len(shown)]:
        raise AssertionError("%s: -q prints\n%s\ninstead of\n%s" % (arguments, "\n".join(expected[:5]), "\n".join(shown[:5])))


def check_tree(path, arguments, text):
    """All that weighs is the sum of the folded stacks, and each line's total is that of the stacks through it."""
    chosen = ["--%s=%s" % (name, arguments[name]) for name in ("thread", "weight") if name in arguments]
    total = sum(int(line.rsplit(" ", 1)[1]) for line in run(path, "--to=folded", "-o", "-", *chosen).splitlines())
    said = int(text.split(" in all", 1)[0].rsplit(", ", 1)[1])
    roots = sum(int(line.split()[0]) for line in text.splitlines()[1:] if line[:1].isdigit())
    if said != total or roots > total:
        raise AssertionError("%s: the stacks weigh %d, the tree says %d" % (arguments, total, said))


def requests(path):
    answer = None
    for line in open(path, encoding="utf-8").read().split("\n"):
        if line.startswith("> "):
            if answer is not None:
                yield request, "\n".join(answer)
            request, answer = line[2:], []
        elif answer is not None:
            answer.append(line)
    yield request, "\n".join(answer)


wrong = 0
for file in sys.argv[3:]:
    server = Server(program)
    server.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"})
    out, paths = [], []
    for request, expected in requests(file):
        tool, _, rest = request.partition(" ")
        arguments = json.loads(rest) if rest else {}
        if "path" in arguments:
            paths.append(os.path.join(data, arguments["path"]))
            text, failed = server.tool(tool, **{**arguments, "path": paths[-1]})
        else:
            text, failed = server.tool(tool, **arguments)
        text = text.replace(data + "/", "").rstrip("\n")
        if not failed and tool in ("ask", "flame"):
            (check_rows if tool == "ask" else check_tree)(paths[int(arguments.get("recording", 1)) - 1], arguments, text)
        text = ("(failed) " if failed else "") + text
        out.append("> %s\n%s\n" % (request, text))
        if text != expected.rstrip("\n") and "TS_REBASELINE" not in os.environ:
            print("%s: %s\nanswers\n%s\ninstead of\n%s" % (file, request, text, expected))
            wrong += 1
    assert server.end()[0] == 0
    if "TS_REBASELINE" in os.environ:
        with open(file, "w", encoding="utf-8") as f:
            f.write("\n".join(out))
    print("%s: %d requests" % (os.path.basename(file), len(out)))
sys.exit(1 if wrong else 0)
