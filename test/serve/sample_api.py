#!/usr/bin/env python3
"""sample_api.py PROGRAM DATA: Java VMs are sampled for the page; who may ask, and what is refused. What needs java is left out without it."""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from client import Server
from flare_jvm import Java

program, data = sys.argv[1:3]
failures = []
JSON = {"Content-Type": "application/json"}


def check(condition, text):
    if not condition:
        failures.append(text)


def ask(server, path, **more):
    return server.ask(path, "POST", JSON, b"{}", **more)


def refused(server, db):
    """Only who has the token, on this machine, by POST, and only for a Java VM of this user."""
    for path, method, headers, status, code in (
            ("/api/sample?pid=1&seconds=1", "GET", {}, 405, "method"), ("/api/sample?pid=1&seconds=1", "POST", {"Content-Type": "text/plain"}, 415, "type"),
            ("/api/sample?pid=1&seconds=1", "POST", {**JSON, "Origin": "http://evil.example"}, 403, "origin"),
            ("/api/sample?pid=1&seconds=1", "POST", {**JSON, "Sec-Fetch-Site": "cross-site"}, 403, "origin"),
            ("/api/sample?pid=x", "POST", JSON, 400, "bad_request"), ("/api/sample", "POST", JSON, 400, "bad_request"), ("/api/sample?pid=0", "POST", JSON, 400, "bad_request"),
            ("/api/sample?pid=1&seconds=0", "POST", JSON, 400, "bad_request"), ("/api/sample?pid=1&seconds=3601", "POST", JSON, 400, "bad_request"),
            ("/api/sample?pid=1&other=1", "POST", JSON, 400, "bad_request"), ("/api/sample?stop=99", "POST", JSON, 400, "bad_request"),
            ("/api/sample?pid=99999999", "POST", JSON, 400, "bad_request"), (f"/api/sample?pid={os.getpid()}", "POST", JSON, 400, "bad_request"),
            ("/api/jvms?x=1", "GET", {}, 400, "bad_request"), ("/api/jvms", "POST", JSON, 405, "method")):
        reply = server.ask(path, method, headers, b"{}" if method == "POST" else b"")
        check((reply.status, reply.code()) == (status, code), f"{method} {path} {headers}: {reply.status} {reply.body}")
    check(ask(server, "/api/sample?pid=1", token=False).status == 401, "without the token")
    check(server.ask("/api/jvms", token=False).status == 401, "the list without the token")
    check(server.ask("/api/info").json()["sampling"] is True, "it is said that it samples")
    other = Server(program, db, "--no-token", "--quiet")
    check(other.ask("/api/info").json()["sampling"] is False, "without tokens nothing is sampled")
    for reply in (other.ask("/api/jvms"), ask(other, "/api/sample?pid=1")):
        check((reply.status, reply.code()) == (403, "sampling"), f"without tokens: {reply.status} {reply.body}")
    other.stop()


def state(server, number):
    return next(s for s in server.ask("/api/jvms").json()["samplings"] if s["number"] == number)


def finished(server, number, seconds=60):
    until = time.monotonic() + seconds
    while (now := state(server, number))["state"] in ("asked", "runs"):
        if time.monotonic() > until:
            sys.exit(f"the sampling does not end: {now}")
        time.sleep(0.1)
    return now


def sampled(server, java):
    """A database more, with what the program did; the names and limits of the others stay."""
    pid = java.process.pid
    before = server.ask("/api/info").json()["databases"]
    found = [j for j in server.ask("/api/jvms").json()["jvms"] if j["pid"] == pid]
    check(found == [{"pid": pid, "name": "Sampled.java"}], f"the list: {found}")
    check(server.ask("/api/query?db=sample-1.db&sql=SELECT+1").status == 404, "not there before")
    reply = ask(server, f"/api/sample?pid={pid}&seconds=2")
    check((reply.status, reply.json()) == (200, {"number": 0}), f"asked: {reply.body}")
    second = ask(server, f"/api/sample?pid={pid}&seconds=2")
    check((second.status, second.code()) == (409, "busy_sampler"), f"one at a time: {second.status} {second.body}")
    check(server.ask("/api/query?sql=SELECT+1").status == 200, "others are answered meanwhile")
    done = finished(server, 0)
    check(done["state"] == "done" and done["db"] == "sample-1.db" and done["elapsed_ms"] >= 1800, f"done: {done}")
    after = server.ask("/api/info").json()["databases"]
    check(after[:len(before)] == before and [d["name"] for d in after[len(before):]] == ["sample-1.db"], f"databases: {[d['name'] for d in after]}")
    rows = server.ask("/api/query?db=sample-1.db&sql=SELECT+count(*)+FROM+stack_sample+AS+s+JOIN+thread+AS+t+ON+t.itid=s.itid+WHERE+t.name+LIKE+'burner%25'").json()["rows"]
    check(rows[0][0] > 0, f"samples of the busy thread: {rows}")
    methods = server.ask("/api/methods?db=sample-1.db").json()
    while "progress" in methods:
        methods = server.ask("/api/methods?db=sample-1.db").json()
    check("Sampled.hotMethod" in str(methods), f"a view of it: {str(methods)[:300]}")
    # Longer than wanted: stopped.
    check(ask(server, f"/api/sample?pid={pid}&seconds=600").json() == {"number": 1}, "a second one")
    time.sleep(1)
    check(ask(server, "/api/sample?stop=1").status == 200, "stopped")
    done = finished(server, 1, 20)
    check(done["state"] == "done" and done["elapsed_ms"] < 30000, f"stopped: {done}")
    java.lives()


def failed(server, java):
    """A Java VM that does not answer is a failure that says why; the next one takes its place."""
    silent = Java()
    silent.process.send_signal(signal.SIGSTOP)
    number = ask(server, f"/api/sample?pid={silent.process.pid}&seconds=1").json()["number"]
    now = finished(server, number)
    check(now["state"] == "failed" and "does not answer" in now["message"], f"no answer: {now}")
    silent.process.send_signal(signal.SIGCONT)
    silent.end()
    check(len(server.ask("/api/info").json()["databases"]) == 3, "no database of it")
    again = ask(server, f"/api/sample?pid={java.process.pid}&seconds=1").json()
    check(again == {"number": number} and finished(server, number)["state"] == "done", f"the next one: {again}")


def ends(db, folder, java):
    """With the server goes what it samples, however it ends."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        server = Server(program, db, "--quiet", env={**os.environ, "TMPDIR": folder})
        ask(server, f"/api/sample?pid={java.process.pid}&seconds=1")
        finished(server, 0)
        ask(server, f"/api/sample?pid={java.process.pid}&seconds=60")
        while state(server, 1)["state"] != "runs":
            time.sleep(0.05)
        time.sleep(0.5)
        server.process.send_signal(number)
        server.process.wait()
        until = time.monotonic() + 15
        while (left := glob.glob(os.path.join(folder, "*"))) != [] and time.monotonic() < until:
            time.sleep(0.1)
        check(left == [], f"after {number}: {left}")
    java.lives()


with tempfile.TemporaryDirectory() as scratch:
    base = os.path.join(scratch, "cloud.db")
    subprocess.run([program, os.path.join(data, "recording-cloud.tar.gz"), "-e", base, "--quiet"], check=True)
    temporary = os.path.join(scratch, "tmp")
    os.mkdir(temporary)
    server = Server(program, base, "--quiet", env={**os.environ, "TMPDIR": temporary})
    refused(server, base)
    if shutil.which("java") is None or "jdk.compiler" not in subprocess.run(["java", "--list-modules"], capture_output=True, text=True).stdout:
        print("without java: only what is refused")
    else:
        java = Java()
        sampled(server, java)
        failed(server, java)
        server.stop()
        ends(base, temporary, java)
        java.end()
    check(os.listdir(temporary) == [], f"nothing is left: {os.listdir(temporary)}")

for text in failures:
    print(f"WRONG: {text}")
print("sampled and served" if not failures else f"{len(failures)} wrong")
sys.exit(1 if failures else 0)
