#!/usr/bin/env python3
"""sample.py PROGRAM: the verb sample, on a running Java VM and on what is none. What needs java is left out without it."""
import glob
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from flare_jvm import Java

program = sys.argv[1]
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)


def sample(*args, **more):
    return subprocess.run([program, "sample", *map(str, args)], capture_output=True, text=True, timeout=120, **more)


def refused(folder, env):
    """What cannot be sampled is said before anything is written, and left as it was."""
    db = os.path.join(folder, "none.db")
    other = subprocess.Popen(["sleep", "60"])
    catcher = subprocess.Popen([sys.executable, "-c", "import signal, time\nsignal.signal(signal.SIGQUIT, lambda *a: print('caught', flush=True))\n"
                                "print('ready', flush=True)\ntime.sleep(60)"], stdout=subprocess.PIPE, text=True)
    assert catcher.stdout.readline() == "ready\n"
    for code, text, *args in (
            (1, "there is no process 99999999", 99999999), (1, f"process {other.pid} does not handle SIGQUIT", other.pid),
            (1, f"process {catcher.pid} is not a HotSpot Java VM", catcher.pid),
            (2, "needs the number of a process, not \"name\"", "name"), (2, "needs the number of a process", "0"), (2, "needs the number of a process", "12x"),
            (2, "needs the number of a process", "99999999999999999999")):
        run = sample(*args, "-e", db, "--seconds=1", env=env)
        check(run.returncode == code and text in run.stderr and run.stdout == "", f"{args}: {run}")
    for code, text, *args in ((2, "sample needs a process id and -e DB", 1), (2, "sample needs a process id and -e DB", "-e", db), (2, "needs", 1, 2, "-e", db),
                              (2, "--seconds", 1, "-e", db, "--seconds=0"), (2, "--interval", 1, "-e", db, "--interval=0"), (2, "does not go together", 1, "-q", "x"),
                              (2, "not possible", 1, "-e", "-"), (2, "--seconds needs", "--seconds=3")):
        run = sample(*args, env=env)
        check(run.returncode == code and text in run.stderr, f"{args}: {run}")
    check(not os.path.exists(db), "nothing was written")
    for process in (other, catcher):
        check(process.poll() is None, "the process lives")
        process.kill()
        process.wait()
    check(catcher.stdout.read() == "", "no signal came")


def wait_for_samples(env, more=0.7):
    """Waits until samples are written, and some time more."""
    until = time.monotonic() + 60
    while not glob.glob(os.path.join(env["TMPDIR"], "trace_streamer-sample-*", "*", "summary_info.json")):
        if time.monotonic() > until:
            sys.exit("nothing is sampled")
        time.sleep(0.05)
    time.sleep(more)


def contents(db, pid):
    """Rows by an independent reading: what the busy thread ran, and how long it was looked at."""
    with sqlite3.connect(db) as c:
        (name,) = c.execute("SELECT name FROM source").fetchone()
        check(name == f"Sampled.java:{pid}", f"the recording is called {name}")
        busy = c.execute("""WITH RECURSIVE up(top, id) AS (SELECT DISTINCT node_id, node_id FROM stack_sample UNION SELECT up.top, n.parent_id FROM up JOIN stack_node AS n ON n.id = up.id WHERE n.parent_id IS NOT NULL)
            SELECT count(*), sum(s.node_id IN (SELECT up.top FROM up JOIN stack_node AS n ON n.id = up.id JOIN stack_method AS m ON m.id = n.method_id WHERE m.name LIKE 'burn%'))
            FROM stack_sample AS s JOIN thread AS t ON t.itid = s.itid WHERE t.name LIKE 'burner%'""").fetchone()
        check(busy[0] > 0 and busy[1] == busy[0], f"samples of the busy thread and of its method: {busy}")
        threads = {r[0] for r in c.execute("SELECT name FROM thread")}
        check({"main", "burner \"1\" é", "resting"} <= threads, f"threads {threads}")
        (length,) = c.execute("SELECT (max(ts + dur) - min(ts)) / 1e9 FROM stack_sample").fetchone()
        issues = c.execute("SELECT code, severity, message FROM import_issue").fetchall()
    check(issues == [], f"issues {issues}")
    return length


def sampled(folder, env, java):
    db = os.path.join(folder, "out.db")
    pid = java.process.pid
    run = sample(env=env)
    check(run.returncode == 0 and f"{pid:<7} Sampled.java\n" in run.stdout, f"the list: {run}")
    # The database first: nothing is sampled that cannot be written.
    for path, code in ((os.path.join(folder, "nowhere", "x.db"), 4), (folder, 4)):
        begun = time.monotonic()
        run = sample(pid, "-e", path, "--seconds=20", env=env)
        check(run.returncode == code and "cannot write the output" in run.stderr and time.monotonic() - begun < 10, f"{path}: {run}")
    with open(db, "w") as f:
        f.write("something else")
    run = sample(pid, "-e", db, "--seconds=20", env=env)
    check(run.returncode == 4 and open(db).read() == "something else", f"another file: {run}")
    run = sample(pid, "-e", db, "--seconds=2", "--interval=10", "--force", env=env)
    check(run.returncode == 0 and "format    flare" in run.stderr, f"sampled: {run}")
    check(1.5 < contents(db, pid) < 10, f"two seconds: {contents(db, pid)}")
    report = subprocess.run([program, db, "-q", "hot_methods", "--quiet"], capture_output=True, text=True)
    check("Sampled.hotMethod" in report.stdout, f"the question: {report}")
    # A signal ends it early.
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([program, "sample", str(pid), "-e", db, "--seconds=60"], stderr=subprocess.PIPE, text=True, env=env)
        wait_for_samples(env)
        process.send_signal(number)
        said = process.communicate(timeout=30)[1]
        check(process.returncode == 0 and "stopped after " in said, f"after {number}: {process.returncode} {said}")
        check(0.1 < contents(db, pid) < 30, f"what was sampled until {number}")
    # Killed in the middle: the database of before is whole, the Java VM goes on, and the next run clears up.
    process = subprocess.Popen([program, "sample", str(pid), "-e", db, "--seconds=60", "--quiet"], env=env)
    wait_for_samples(env)
    process.kill()
    process.wait()
    contents(db, pid)
    check(any(n.startswith("trace_streamer-sample-") for n in os.listdir(env["TMPDIR"])), "what a killed run leaves")
    java.lives()
    run = sample(pid, "-e", db, "--seconds=1", "--quiet", env=env)
    check(run.returncode == 0 and run.stderr == "", f"quiet: {run}")


def ended(folder, env):
    """A Java VM that ends, or does not answer."""
    db = os.path.join(folder, "ended.db")
    java = Java()
    process = subprocess.Popen([program, "sample", str(java.process.pid), "-e", db, "--seconds=60"], stderr=subprocess.PIPE, text=True, env=env)
    wait_for_samples(env)
    java.end()
    said = process.communicate(timeout=30)[1]
    check(process.returncode == 0 and f"process {java.process.pid} has ended after " in said, f"it ended: {process.returncode} {said}")
    contents(db, java.process.pid)
    java = Java()
    java.process.send_signal(signal.SIGSTOP)
    run = sample(java.process.pid, "-e", os.path.join(folder, "stopped.db"), "--seconds=1", env=env)
    check(run.returncode == 1 and "does not answer" in run.stderr and not os.path.exists(os.path.join(folder, "stopped.db")), f"it does not answer: {run}")
    java.process.send_signal(signal.SIGCONT)  # it prints a dump then, since what asked for it has gone
    java.end()


with tempfile.TemporaryDirectory() as scratch:
    temporary = os.path.join(scratch, "tmp")
    os.mkdir(temporary)
    environment = {**os.environ, "TMPDIR": temporary}
    refused(scratch, environment)
    if shutil.which("java") is None or "jdk.compiler" not in subprocess.run(["java", "--list-modules"], capture_output=True, text=True).stdout:
        print("without java: only what is refused")
    else:
        java = Java()
        sampled(scratch, environment, java)
        java.end()
        ended(scratch, environment)
    check(os.listdir(temporary) == [], f"nothing is left: {os.listdir(temporary)}")

for text in failures:
    print(f"WRONG: {text}")
print(json.dumps({"wrong": len(failures)}))
sys.exit(1 if failures else 0)
