"""connect_agent: an agent of our own that sends what the description of the format says, and what is recorded of it."""

import argparse
import glob
import os
import socket
import tempfile
import threading
import time

from flare_commands import Checker, Pipe
from flare_oracle import Sample

START = 1567669466207
METHODS = {547216200: "java.lang.Thread.run()", 547216208: "app.Main.loop()", 547216216: "app.Db.query()"}


def array(*values):
    out = b"*%d\r\n" % len(values)
    for v in values:
        out += array(*v) if isinstance(v, list) else b":%d\r\n" % v if isinstance(v, int) else b"+%s\r\n" % v.encode()
    return out


class Agent:
    """One subscriber; what it said is kept."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.heard = b""
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        peer, _ = self.listener.accept()
        with peer:
            while not self.heard.endswith(b"+subscribe-events\r\n"):
                self.heard += peer.recv(100)
            out = array("sample_info", "start_time", START - 500, "sample_interval", 10, "last_sample_time", START)
            for ident, name in METHODS.items():
                out += array("method", "id", ident, "name", name)
            cpu = 1000000
            for i in range(60):
                cpu += 4000000
                stack = [547216216, 547216208, 547216200] if i % 3 else [547216299, 547216200]
                out += array("thread", "time", START + 10 * i, "id", 132, "name", "main", "cpu_time", cpu,
                             "cpu_time_delta", 4000000, "state", "", "stacktrace", stack)
            for i in range(0, len(out), 777):  # in pieces
                peer.sendall(out[i:i + 777])
            while data := peer.recv(1000):
                self.heard += data

    def end(self):
        self.thread.join(20)
        self.listener.close()
        return self.heard


QUARTER = 15 * 60 * 1000


class LongAgent(Agent):
    """Sends records of more than a quarter of an hour, a part at a time."""

    parts = ([0, QUARTER - 10], [QUARTER + 500], [QUARTER + 600, QUARTER + 1000])

    def __init__(self):
        self.next = threading.Semaphore(0)
        super().__init__()

    def run(self):
        peer, _ = self.listener.accept()
        with peer:
            while not self.heard.endswith(b"+subscribe-events\r\n"):
                self.heard += peer.recv(100)
            out = array("sample_info", "start_time", START - 500, "sample_interval", 10, "last_sample_time", START)
            out += array("method", "id", 547216200, "name", METHODS[547216200])
            for part in self.parts:
                for ms in part:
                    out += array("thread", "time", START + ms, "id", 132, "name", "main", "cpu_time", 1000000 + 1000 * ms, "cpu_time_delta", 1000, "state", "",
                                 "stacktrace", [547216200])
                peer.sendall(out)
                out = b""
                self.next.acquire()
            while data := peer.recv(1000):
                self.heard += data


def wait_for(what, good):
    until = time.monotonic() + 30
    while not good():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def roll_over(args, folder):
    """After a quarter of an hour another directory begins; the session goes on with it, and both are complete."""
    agent = LongAgent()
    address = "localhost:%d" % agent.port
    pipe = Pipe(args.drive, "--samples", folder, "--converter", args.program)
    c = Checker(pipe)
    c.reply({"session_id": address, "type": "attach"}, "connect_agent", agent_addr=address)

    def count():
        threads = c.ask("dashboard", session_id=address)[0]["data"]["threads"]
        return threads[0]["sample_count"] if threads else 0

    def directories():
        return sorted(glob.glob(os.path.join(folder, "localhost_*")))

    wait_for("records of the first directory", lambda: count() == 2)
    assert len(directories()) == 1, directories()
    agent.next.release()
    wait_for("a second directory", lambda: len(directories()) == 2)
    agent.next.release()
    wait_for("records of the second directory", lambda: count() == 2)
    agent.next.release()
    c.reply({"session_id": address}, "stop_sample", session_id=address)
    agent.end()
    times = []
    for path in directories():
        sample = Sample(path)
        assert sample.dir.methods == {547216200: METHODS[547216200]}, sample.dir.methods
        times.append([r["time"] - START for r in sample.dir.threads[132].records])
    assert sorted(times) == [[0, QUARTER - 10, QUARTER + 500], [QUARTER + 600, QUARTER + 1000]], times
    pipe.close()


def run(args, folder):
    agent = Agent()
    address = "localhost:%d" % agent.port
    pipe = Pipe(args.drive, "--samples", folder, "--converter", args.program)
    c = Checker(pipe)
    c.failure("missing option 'agent_addr'", "connect_agent")
    c.failure("only agents on this machine: localhost, 127.0.0.1 or ::1", "connect_agent", agent_addr="example.com:3333")
    for _ in range(2):
        c.reply({"session_id": address, "type": "attach"}, "connect_agent", agent_addr=address)
    c.reply({"sample_sessions": [{"session_id": address, "type": "attach"}]}, "list_sessions")
    until = time.monotonic() + 20
    while True:
        threads = c.ask("dashboard", session_id=address)[0]["data"]["threads"]
        if threads and threads[0]["sample_count"] == 60:
            break
        assert time.monotonic() < until, threads
        time.sleep(0.1)
    c.reply({"session_id": address}, "stop_sample", session_id=address)
    assert agent.end() == b"*1\r\n+subscribe-events\r\n*1\r\n+stop-sample\r\n", agent.heard
    path, = glob.glob(os.path.join(folder, "localhost_*"))
    sample = Sample(path)
    name = os.path.basename(path)
    assert sample.dir.methods == METHODS and sample.interval == 10 and sample.start == START
    assert [r["time"] for r in sample.dir.threads[132].records] == [START + 10 * i for i in range(60)]
    c.reply({"session_id": name, "type": "file"}, "open_sample", sample_data_dir=name)
    c.reply(sample.dashboard(name), "dashboard", session_id=name)
    c.replies(sample.cpu_time(name, []), "cpu_time", session_id=name, thread_ids=[])
    c.reply(sample.call_tree(name, [132]), "call_tree", session_id=name, thread_ids=[132])
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    got = c.ask("connect_agent", agent_addr="127.0.0.1:%d" % port)[0]
    assert got["result"] == "failure" and "Connection refused" in got["message"], got
    pipe.close()
    print("%d replies compared" % c.checks)


def main():
    parser = argparse.ArgumentParser()
    for name in ("drive", "program"):
        parser.add_argument("--" + name, required=True)
    for part in (run, roll_over):
        with tempfile.TemporaryDirectory() as folder:
            part(parser.parse_args(), folder)


if __name__ == "__main__":
    main()
