"""attach_jvm on a running Java VM: what was sampled, read while it grows and afterwards, by our importer and by the
independent reader; the Java VM goes on whatever happens to the sampler. Skipped (77) without java."""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

from flare_commands import Checker, Pipe, differ
from flare_oracle import Sample

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Sampled.java")


class Java:
    """The program, once it runs."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["java", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m", "-Djava.io.tmpdir=/tmp",
             "-Dstdout.encoding=UTF-8", SOURCE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tick()

    def tick(self):
        """Waits for a sign of life; the longest time that it was held up, in ms."""
        line = self.process.stdout.readline()
        assert line.startswith("tick "), "the Java VM has ended: %r" % line
        return int(line.split()[1])

    def lives(self):
        """It still prints, and what it printed meanwhile is read."""
        until = time.monotonic() + 0.2
        while time.monotonic() < until:
            longest = self.tick()
        assert self.process.poll() is None
        return longest

    def end(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.process.stdout.read()
        assert self.process.wait(20) == 0, self.process.returncode


def wait_for(what, seconds=20):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "nothing came"
        time.sleep(0.05)


def dashboard(c, session):
    reply = c.ask("dashboard", session_id=session)[0]
    assert reply["result"] == "success", reply
    return {t["name"]: t for t in reply["data"]["threads"]}


def check_growing(c, java, session):
    """The dashboard and the CPU series grow while the Java VM is sampled."""
    first = dashboard(c, session)
    assert {"main", "burner \"1\" é", "resting"} <= set(first), sorted(first)
    assert first["resting"]["state"] == "TIMED_WAITING" and first["resting"]["daemon"] is True, first["resting"]
    busy = first["burner \"1\" é"]
    assert busy["priority"] == 5 and busy["state"] == "RUNNABLE" and busy["id"] != first["main"]["id"]
    wait_for(lambda: dashboard(c, session)["burner \"1\" é"]["sample_count"] > busy["sample_count"] + 15)
    series = c.ask("cpu_ts", session_id=session, thread_ids=[busy["id"]], graph_width=20)[0]["data"]["threads"]
    assert [t["name"] for t in series] == ["burner \"1\" é"] and series[0]["cpu_time_ms"] > 50, series
    now = dashboard(c, session)["burner \"1\" é"]
    assert now["cpu_time"] > busy["cpu_time"] and now["stacktrace"], now


def check_hot_method(c, session, busy):
    tree = c.ask("call_tree", session_id=session, thread_ids=[busy["id"]])[0]["data"]["call_tree_data"][0]
    path, spent = [], []
    while tree["children"]:
        tree = max(tree["children"], key=lambda n: n["duration"])
        path.append(tree["label"])
        spent.append(tree["duration"])
    at = next((i for i, label in enumerate(path) if label.endswith("Sampled.burn()")), None)
    assert at is not None and "java.lang.Thread.run()" in path[:at], path
    hot = [label for label in path[at + 1:] if label.endswith("Sampled.hotMethod()")]
    assert hot and spent[at + 1] > 0.5 * spent[0], (path, spent)
    found = c.ask("list_methods_by_filter", session_id=session, method_name_filter="Sampled.hotMethod")[0]["data"]
    assert found["total_method_size"] == 1, found
    ident = found["method_infos"][0]["method_id"]
    slow = c.ask("search_slow_method_calls", session_id=session, method_ids=[ident], min_duration=10)[-1]["data"]
    assert slow["search_finished"] and slow["method_call_groups"], slow


def check_directory(args, path, seconds):
    """What was written is whole: our importer finds nothing wrong, and the independent reader the same records."""
    db = path + ".db"
    subprocess.run([args.program, path, "-e", db, "--quiet", "--strict"], check=True)
    sample = Sample(path)
    pipe = Pipe(args.drive, db)
    c = Checker(pipe)
    name = os.path.basename(path)
    c.reply({"session_id": name, "type": "file"}, "open_sample", sample_data_dir=name)
    got = c.ask("dashboard", session_id=name)[0]["data"]
    wanted = sample.dashboard(name)
    for t, w in zip(got["threads"], wanted["threads"]):
        last = sample.dir.threads[w["id"]].last
        w.update(priority=last["priority"], daemon=last["daemon"], state=last["state"])
        assert differ(t, w) is None, (differ(t, w), name)
    assert got["sample_info"] == wanted["sample_info"] and len(got["threads"]) == len(wanted["threads"])
    for t in sample.threads():
        times = [r["time"] for r in t.records]
        assert times == sorted(times) and len(set(r["step"] for r in t.records)) == len(t.records)
        assert sum(t.series[0].values) <= (t.records[-1]["cpu"] - t.records[0]["cpu"]) / 1000 + 1
    c.replies(sample.cpu_time(name, []), "cpu_time", session_id=name, thread_ids=[])
    c.reply(sample.call_tree(name, []), "call_tree", session_id=name, thread_ids=[])
    pipe.close()
    if seconds:
        assert seconds - 0.5 < (sample.last - sample.start) / 1000 < seconds + 3, (sample.start, sample.last)


def check_refused(c, folder):
    """No signal goes to what is no Java VM: SIGQUIT would end it."""
    other = subprocess.Popen(["sleep", "60"])
    c.failure("process %d does not handle SIGQUIT, so it is not a Java VM that can be attached to" % other.pid,
              "attach_jvm", target_pid=other.pid)
    catcher = subprocess.Popen([sys.executable, "-c", "import signal, time\nsignal.signal(signal.SIGQUIT, "
                                "lambda *a: print('caught', flush=True))\nprint('ready', flush=True)\ntime.sleep(60)"],
                               stdout=subprocess.PIPE, text=True)
    assert catcher.stdout.readline() == "ready\n"
    c.failure("process %d is not a HotSpot Java VM" % catcher.pid, "attach_jvm", target_pid=catcher.pid)
    for process in (other, catcher):
        assert process.poll() is None
        process.kill()
        process.wait()
    assert catcher.stdout.read() == ""
    catcher.stdout.close()
    c.failure("there is no process 99999999", "attach_jvm", target_pid=99999999)
    c.failure("option 'target_pid' is not a process id", "attach_jvm", target_pid=-1)
    c.failure("option 'target_pid' is not a process id", "attach_jvm", target_pid="12")
    assert os.listdir(folder) == []


def run(args, folder):
    java = Java()
    started = time.monotonic()
    pipe = Pipe(args.drive, "--samples", folder, "--converter", args.program)
    c = Checker(pipe)
    check_refused(c, folder)
    pid = java.process.pid
    session = "jvm:%d" % pid
    for _ in range(2):
        c.reply({"session_id": session, "type": "attach"}, "attach_jvm", target_pid=pid, sample_interval_ms=10)
    c.reply({"sample_sessions": [{"session_id": session, "type": "attach"}]}, "list_sessions")
    check_growing(c, java, session)
    check_hot_method(c, session, dashboard(c, session)["burner \"1\" é"])
    c.reply({"session_id": session}, "stop_sample", session_id=session)
    c.failure("sample session not found", "dashboard", session_id=session)
    java.lives()
    paths = glob.glob(os.path.join(folder, "jvm_%d-*" % pid))
    assert len(paths) == 1, paths
    check_directory(args, paths[0], 0)
    os.remove(paths[0] + ".db")
    c.reply({"history_samples": [{"path": os.path.basename(paths[0]), "type": "file"}]}, "history_samples")
    # For one second; the session stays readable after its end.
    c.reply({"session_id": session, "type": "attach"}, "attach_jvm", target_pid=pid, sample_duration_sec=1)
    wait_for(lambda: len(glob.glob(os.path.join(folder, "jvm_%d-*" % pid))) == 2)
    time.sleep(1.2)
    wait_for(lambda: dashboard(c, session)["resting"]["sample_count"] >= 2)
    c.reply({"session_id": session}, "close_session", session_id=session)
    second = (set(glob.glob(os.path.join(folder, "jvm_%d-*" % pid))) - set(paths)).pop()
    check_directory(args, second, 1)
    # The sampler is killed in the middle: the directory can be read, the Java VM does not notice.
    c.reply({"session_id": session, "type": "attach"}, "attach_jvm", target_pid=pid, sample_interval_ms=5)
    time.sleep(0.7)
    pipe.process.kill()
    pipe.process.wait()
    held = java.lives()
    third = (set(glob.glob(os.path.join(folder, "jvm_*"))) - set(paths) - {second, second + ".db"}).pop()
    out = subprocess.run([args.program, third, "-e", third + ".db", "--quiet"], capture_output=True, text=True)
    assert out.returncode == 0, out
    java.end()
    print("%d replies compared, the Java VM was held up %d ms at most, %.1f s"
          % (c.checks, held, time.monotonic() - started))


def main():
    parser = argparse.ArgumentParser()
    for name in ("drive", "program"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    if shutil.which("java") is None:
        print("skipped: no java")
        return 77
    probe = subprocess.run(["java", "--list-modules"], capture_output=True, text=True)
    if "jdk.compiler" not in probe.stdout:
        print("skipped: this java cannot run a program from its source")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        run(args, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
