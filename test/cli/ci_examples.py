#!/usr/bin/env python3
"""Runs the examples of docs/ci.md as a build server would, as far as that goes: the commands of the jobs, with `node`, `gh` and what a server sets replaced.

usage: ci_examples.py TRACE_STREAMER SOURCE

Each job is run for a build that is the first one, one that is like it, a slower one, and one whose profile cannot be read. The text of the jobs is also read as YAML,
where Python has a reader of it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

program, source = sys.argv[1:3]
DOCUMENT = os.path.join(source, "docs", "ci.md")


def check(condition, *text):
    if not condition:
        sys.exit("WRONG: " + " ".join(t if isinstance(t, str) else repr(t)[:2000] for t in text))


def examples():
    with open(DOCUMENT, encoding="utf-8") as f:
        return {name: (kind, body) for name, kind, body in re.findall(r"^<!-- example: (\w+) -->\n```(\w+)\n(.*?)^```$", f.read(), re.M | re.S)}


def block(lines, at, indent):
    """The lines below `at` that are indented by more than `indent`, with that taken away."""
    found = []
    while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > indent):
        found.append(lines[at])
        at += 1
    least = min(len(line) - len(line.lstrip()) for line in found if line.strip())
    return "\n".join(line[least:] for line in found).rstrip("\n") + "\n"


def github_steps(text):
    """{name: command} of the steps that run something."""
    lines, found, name = text.split("\n"), {}, None
    for i, line in enumerate(lines):
        match = re.match(r"( *)(?:- )?(name|run|uses): (.*)", line)
        if match and match.group(2) == "run":
            found[name] = block(lines, i + 1, len(match.group(1))) if match.group(3) == "|" else match.group(3) + "\n"
        elif match:
            name = match.group(3)
    return found


def gitlab_script(text):
    lines = text.split("\n")
    at = lines.index("  script:")
    return [line.strip()[2:] for line in block(lines, at + 1, 2).split("\n") if line.strip()]


def read_as_yaml(found):
    """The same commands come out of a reader of YAML, and what servers ask for is there."""
    try:
        import yaml
    except ImportError:
        return
    job = yaml.safe_load(found["github"][1])
    check(job[True if True in job else "on"] == ["push", "pull_request"] and list(job["jobs"]) == ["compare"], job)
    steps = job["jobs"]["compare"]["steps"]
    check(all(("uses" in s) != ("run" in s) for s in steps), steps)
    check({s.get("name"): s["run"].rstrip("\n") + "\n" for s in steps if "run" in s} == github_steps(found["github"][1]), "steps of GitHub")
    job = yaml.safe_load(found["gitlab"][1])["compare"]
    check(job["script"] == gitlab_script(found["gitlab"][1]), job["script"], gitlab_script(found["gitlab"][1]))
    check(job["artifacts"]["reports"]["junit"] == "diff.xml" and job["artifacts"]["when"] == "always", job)


# --- a build server -------------------------------------------------------------------------------


def profile(samples):
    """A profile with so many samples in a function, of 1 ms each."""
    nodes = [{"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "children": [2]},
             {"id": 2, "callFrame": {"functionName": "work|`er", "scriptId": "1", "url": "file:///app.js", "lineNumber": 4, "columnNumber": 0}, "children": []}]
    return json.dumps({"nodes": nodes, "startTime": 1000, "endTime": 1000 * (samples + 1), "samples": [2] * samples, "timeDeltas": [1000] * samples})


BUILDS = [("first", profile(100), 0), ("alike", profile(104), 0), ("slower", profile(150), 9), ("alike again", profile(101), 0), ("broken", "{", 1)]


class Server:
    """A folder with what jobs find: the program, a node that writes the profile of the build, a gh that keeps the comment."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(os.path.abspath(program), os.path.join(folder, "bin", "trace_streamer"))
        for name, text in (("node", 'cp build.profile "${2#--cpu-prof-name=}"'), ("gh", 'echo "$@" >gh.called; cat "$5" >comment.sent')):
            path = os.path.join(folder, "bin", name)
            with open(path, "w", encoding="utf-8") as f:
                f.write("#!/bin/sh\n%s\n" % text)
            os.chmod(path, 0o755)

    def build(self, number, content):
        with open(os.path.join(self.folder, "build.profile"), "w", encoding="utf-8") as f:
            f.write(content)
        self.env = {"PATH": os.path.join(self.folder, "bin") + ":" + os.environ["PATH"], "HOME": self.folder, "GITHUB_STEP_SUMMARY": os.path.join(self.folder, "summary.md"), "GITHUB_SHA": "c%d" % number,
                    "CI_PIPELINE_ID": str(number), "CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main"}
        for name in ("diff.xml", "flame.html", "comment.md", "diff.sarif", "diff.json", "new.db", "summary.md"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def run(self, command, shell):
        return subprocess.run([*shell, command], cwd=self.folder, env=self.env, capture_output=True, check=False, text=True)


def verdict(what, done, wanted, broken_is):
    check(done.returncode == (broken_is if wanted == 1 else wanted), what, done.returncode, done.stdout, done.stderr)


def try_github(server, text):
    steps = github_steps(text)
    check(list(steps) == ["profile", "compare", "comment", "keep this run"], list(steps))
    for number, (name, content, wanted) in enumerate(BUILDS):
        server.build(number, content)
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
        check(server.run(steps["profile"], shell).returncode == 0, "profile")
        done = server.run(steps["compare"], shell)
        verdict("GitHub, " + name, done, wanted, 5)
        if wanted == 1:
            continue
        errors = [line for line in done.stdout.split("\n") if line.startswith("::error ")]
        check(len(errors) == (wanted == 9), done.stdout)
        check("condition" in server.read("comment.md") and server.read("comment.md") == server.read("summary.md"), server.read("comment.md"))
        check(("1 of 1 condition failed" in server.read("comment.md")) == (wanted == 9), server.read("comment.md"))
        check(json.loads(server.read("diff.sarif"))["runs"][0]["results"][0]["level"] == ("error" if wanted == 9 else "note"), "SARIF")
        check("<html" in server.read("flame.html"), "flame.html")
        check(server.run(steps["comment"].replace("${{ github.event.number }}", "7"), shell).returncode == 0 and server.read("comment.sent") == server.read("comment.md"), "comment")
        if wanted == 0:
            check(server.run(steps["keep this run"], shell).returncode == 0 and os.path.exists(server.path("baseline/c%d.db" % number)), "keep")
    check(len(os.listdir(server.path("baseline"))) == 4, os.listdir(server.path("baseline")))


def failures(server):
    suites = xml.etree.ElementTree.fromstring(server.read("diff.xml"))
    return int(suites.get("failures"))


def try_gitlab(server, text):
    for number, (name, content, wanted) in enumerate(BUILDS):
        server.build(number, content)
        done = server.run("\n".join(gitlab_script(text)), ["bash", "-eo", "pipefail", "-c"])
        verdict("GitLab, " + name, done, wanted, 5)
        check(wanted == 1 or (failures(server) == (wanted == 9) and "<html" in server.read("flame.html")), name)
        check(os.path.exists(server.path("baseline/%d.db" % number)) == (wanted == 0), "kept", name)


def try_jenkins(server, text):
    (command,) = re.findall(r"sh '''\n(.*?)'''", text, re.S)
    for number, (name, content, wanted) in enumerate(BUILDS):
        server.build(number, content)
        done = server.run(command, ["sh", "-xe", "-c"])
        verdict("Jenkins, " + name, done, 0 if wanted == 9 else wanted, 5)
        check(wanted == 1 or (failures(server) == (wanted == 9) and "<html" in server.read("flame.html")), name)


def try_shell(server, text):
    said = {0: "no condition holds\n", 9: "a condition holds\n", 1: "not compared\n"}
    os.mkdir(server.path("baseline"))
    for number, (name, content, wanted) in enumerate(BUILDS):
        server.build(number, content)
        shutil.copy(server.path("build.profile"), server.path("new.cpuprofile"))
        if number == 0:
            check(server.run("trace_streamer new.cpuprofile -e baseline/first.db --quiet", ["sh", "-c"]).returncode == 0, "the first build")
        done = server.run(text, ["bash", "-c"])
        check(done.stdout == said[wanted], name, done.stdout, done.stderr)


def main():
    found = examples()
    check({name: kind for name, (kind, _) in found.items()} == {"github": "yaml", "gitlab": "yaml", "jenkins": "groovy", "shell": "bash"}, list(found))
    read_as_yaml(found)
    for name, function in (("github", try_github), ("gitlab", try_gitlab), ("jenkins", try_jenkins), ("shell", try_shell)):
        with tempfile.TemporaryDirectory() as folder:
            function(Server(folder), found[name][1])


main()
