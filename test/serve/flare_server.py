"""Every command of the Flare protocol over a running server, by a client of our own; the original UI cannot be had from
npm or Debian. Both ways of serving: the UI's files by the same server, and by one of another port. With 1 and 14 threads,
and 300 with TS_SLOW=1. --limits: seeds 7 and 8 with 1, 14 and 300 threads, each way alone, beside how long it may take."""

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from flare_commands import Checker, check_closing, check_failures, check_life_cycle, check_sample
from flare_oracle import Sample
from websocket import WebSocket

UI = {"index.html": b"<!doctype html><script src=app.js></script>", "app.js": b"export default 1;\n"}


class Server:
    """trace_streamer serve on a free port."""

    def __init__(self, program, *args):
        self.process = subprocess.Popen([program, "serve", *args, "--port", "0", "--json", "--quiet"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read().decode()
        self.url = json.loads(line)["url"]
        self.port = json.loads(line)["port"]

    def get(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers=headers)
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return reply.status, reply.getheaders(), body

    def stop(self):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, (self.process.returncode, err.decode())
        return time.monotonic() - begin


class Socket:
    """Requests over a WebSocket. The last reply of a request is followed by that of a marker."""

    def __init__(self, server, **headers):
        self.socket = WebSocket(server.port, headers.items())

    def ask_text(self, text):
        self.socket.send(text.encode("utf-8", "surrogateescape"))
        self.socket.send(b'{"cmd":"marker"}')
        replies = []
        while True:
            reply = json.loads(self.socket.receive())
            if reply["cmd"] == "marker":
                return replies
            replies.append(reply)


def check_ui(server):
    """What of --flare-ui is served, and nothing else."""
    for name, text in UI.items():
        status, headers, body = server.get("/flare/" + name)
        assert (status, body) == (200, text), (name, status, body[:200])
        kinds = {k.lower(): v for k, v in headers}
        assert kinds["content-type"].split(";")[0] == ("text/html" if name == "index.html" else "text/javascript"), kinds
        assert "'unsafe-eval'" in kinds["content-security-policy"], kinds
    for name in ("nothing.js", "../samples.db", "%2e%2e/samples.db"):
        assert server.get("/flare/" + name)[0] == 404, name


def check_upgrades(server, origin):
    """Who may connect."""
    own = "http://127.0.0.1:%d" % server.port
    for headers, protocol, status in (([("Origin", own)], "flare-profiler", 101),
                                      ([("Origin", origin)], "flare-profiler", 101),
                                      ([("Origin", "http://evil.example")], "flare-profiler", 403),
                                      ([("Origin", "null")], "flare-profiler", 403),
                                      ([("Origin", own)], None, 400), ([("Origin", own)], "chat", 400)):
        w = WebSocket(server.port, headers, protocol)
        assert w.status == status, (headers, protocol, w.status)
        w.socket.close()


def drive(server, paths, names, **headers):
    """What the UI does, in its order, and every reply."""
    c = Checker(Socket(server, **headers))
    check_life_cycle(c, names)
    for i, name in enumerate(names):
        check_sample(c, Sample(paths[name]), name, i)
    check_failures(c, names[0])
    check_shared(c, server, headers, names[0], Sample(paths[names[0]]))
    check_closing(c, names)
    c.transport.socket.close()
    return c.checks


def check_shared(c, server, headers, name, sample):
    """Sessions belong to the server; what one connection closes is not there for the other."""
    other = Checker(Socket(server, **headers))
    other.reply(sample.dashboard(name), "dashboard", session_id=name)
    other.reply({"session_id": name}, "close_session", session_id=name)
    c.failure("sample session not found", "dashboard", session_id=name)
    c.reply({"session_id": name, "type": "file"}, "open_sample", sample_data_dir=name)
    # A client that goes in the middle of a search does no harm.
    other.transport.socket.send(json.dumps({"cmd": "search_slow_method_calls", "options": {
        "session_id": name, "method_ids": [1]}}).encode())
    other.transport.socket.socket.close()
    c.reply(sample.dashboard(name), "dashboard", session_id=name)


def check_stop(server, headers):
    """1001 for all connections, within 2 s."""
    sockets = [WebSocket(server.port, headers.items()) for _ in range(3)]
    took = None
    for w in sockets:
        w.send(b'{"cmd":"list_sessions"}')
        w.receive()
    server.process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    for w in sockets:
        try:
            w.receive()
            raise AssertionError("a message instead of the end")
        except EOFError as e:
            assert e.args[0] == 1001, e
    server.process.communicate(timeout=20)
    took = time.monotonic() - begin
    assert server.process.returncode == 0 and took < 5, took


def run(args, folder):
    samples = os.path.join(folder, "flare-samples")
    ui = os.path.join(folder, "ui")
    os.mkdir(samples)
    os.mkdir(ui)
    for name, text in UI.items():
        with open(os.path.join(ui, name), "wb") as f:
            f.write(text)
    counts = [1, 14] + ([300] if os.environ.get("TS_SLOW") == "1" else [])
    paths = {}
    for n in counts:
        name = "localhost_3333-%d" % n
        paths[name] = os.path.join(samples, name)
        subprocess.run([args.mkflare, "--threads=%d" % n, "--seconds=4", "--methods=100", "--seed=7", "--busy=300",
                        paths[name]], check=True)
    names = sorted(paths, key=lambda n: int(n.split("-")[1]))
    db = os.path.join(folder, "samples.db")
    subprocess.run([args.program, *[paths[n] for n in names], "-e", db, "--quiet"], check=True)
    # From a database, the UI from the same port.
    server = Server(args.program, db, "--no-token", "--flare-ui", ui, "--allow-origin", "http://127.0.0.1:*")
    check_ui(server)
    check_upgrades(server, "http://127.0.0.1:9")
    checks = drive(server, paths, names, Origin="http://127.0.0.1:%d" % server.port)
    check_stop(server, {"Origin": "http://127.0.0.1:%d" % server.port})
    # From the directories, the UI from another port.
    server = Server(args.program, "--samples", samples, "--no-token", "--allow-origin", "http://127.0.0.1:*")
    checks += drive(server, paths, sorted(paths), Origin="http://127.0.0.1:3890")
    server.stop()
    # With the token: no Origin, as scripts connect.
    server = Server(args.program, db)
    assert WebSocket(server.port).status == 401
    token = server.url.split("token=")[1]
    c = Checker(Socket(server, Authorization="Bearer " + token))
    c.replies([{"sample_sessions": []}], "list_sessions")
    c.transport.socket.close()
    server.stop()
    return checks


LIMITS = {1: 30, 14: 30, 300: 120}  # seconds by the number of threads


def limited(args, folder, seed, threads):
    """One sample, both ways of serving it; one line for each."""
    ui = os.path.join(folder, "ui")
    samples = os.path.join(folder, "samples-%d-%d" % (seed, threads))
    name = "localhost_3333-%d" % threads
    path = os.path.join(samples, name)
    db = path + ".db"
    os.mkdir(samples)
    subprocess.run([args.mkflare, "--threads=%d" % threads, "--seconds=4", "--methods=100", "--seed=%d" % seed, "--busy=300", path], check=True)
    subprocess.run([args.program, path, "-e", db, "--quiet"], check=True)
    good = True
    for way, options, port in (("the interface of the same port", [db, "--flare-ui", ui], None), ("of another port", ["--samples", samples], 3890)):
        begin = time.monotonic()
        server = Server(args.program, *options, "--no-token", "--allow-origin", "http://127.0.0.1:*")
        failure = None
        checks = 0
        try:
            if port is None:
                check_ui(server)
            checks = drive(server, {name: path}, [name], Origin="http://127.0.0.1:%d" % (port or server.port))
        except (AssertionError, EOFError, OSError) as e:
            failure = e
        server.stop()
        seconds = time.monotonic() - begin
        passed = failure is None and seconds < LIMITS[threads]
        good = good and passed
        print("%s  18: Flare, seed %d, %d threads, %s: %s in %.1f s (at most %d)" % (
            "PASS" if passed else "FAIL", seed, threads, way, failure or "%d replies compared, 0 failed" % checks, seconds, LIMITS[threads]), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "mkflare"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--limits", action="store_true")
    args = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        if args.limits:
            os.mkdir(os.path.join(folder, "ui"))
            for name, text in UI.items():
                with open(os.path.join(folder, "ui", name), "wb") as f:
                    f.write(text)
            sys.exit(0 if all([limited(args, folder, seed, n) for seed in (7, 8) for n in LIMITS]) else 1)
        checks = run(args, folder)
    print("%d replies compared, %.1f s" % (checks, time.monotonic() - begin))


if __name__ == "__main__":
    main()
