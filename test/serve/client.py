"""A server of the program under test, and requests to it byte by byte."""
import atexit
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

cache = tempfile.TemporaryDirectory()  # the servers of tests do not write into that of the user
os.environ["XDG_CACHE_HOME"] = cache.name


class Reply:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    def code(self):
        return self.json()["error"]["code"]


class Server:
    """`trace_streamer serve ARGS --port 0`, until stop()."""

    def __init__(self, program, *args, env=None):
        self.process = subprocess.Popen([program, "serve", *map(str, args), "--port", "0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=env)
        atexit.register(self.process.kill)  # also when a test fails
        line = self.process.stdout.readline().decode()
        found = re.match(r"http://([^/]+?):(\d+)/(?:\?token=([\w-]{22}))?$", line.strip())
        if not found:
            sys.exit(f"no address: {line!r} {self.process.stderr.read().decode()}")
        self.host, self.port, self.token = found[1], int(found[2]), found[3]
        self.url = line.strip()

    def connect(self, timeout=10):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def raw(self, data, timeout=20):
        """The whole reply to bytes, until the server closes."""
        with self.connect(timeout) as s:
            s.sendall(data)
            return receive(s)

    def ask(self, path, method="GET", headers=None, body=b"", host=None, token=True, version="1.1", timeout=20):
        """One request on a connection of its own."""
        lines = [f"{method} {path} HTTP/{version}"]
        for one in [f"127.0.0.1:{self.port}"] if host is None else host if isinstance(host, list) else [host]:
            lines.append(f"Host: {one}")
        if token and self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        for name, value in (headers or {}).items():
            lines.append(f"{name}: {value}")
        if body:
            lines.append(f"Content-Length: {len(body)}")
        if "Connection" not in (headers or {}):
            lines.append("Connection: close")
        return parse(self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body, timeout))

    def query(self, sql, **more):
        return self.ask("/api/query", "POST", {"Content-Type": "application/json"}, json.dumps({"sql": sql, **more}).encode())

    def rss_kb(self):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self, number=signal.SIGTERM):
        """The exit code, and the seconds that the end took."""
        begun = time.monotonic()
        self.process.send_signal(number)
        try:
            code = self.process.wait(10)
        finally:
            self.process.kill()
        return code, time.monotonic() - begun


def receive_all(s):
    data = b""
    try:
        while piece := s.recv(1 << 20):
            data += piece
    except ConnectionResetError:
        pass
    return data


def complete(data):
    """Whether the reply is whole, as far as its header says so."""
    head, found, body = data.partition(b"\r\n\r\n")
    head = head.lower()
    if head[9:12] == b"101":
        return bool(found)
    if not found or b"\r\nconnection: close" in head:
        return False
    if b"\r\ntransfer-encoding: chunked" in head:
        return unchunk(body)[1]
    length = re.search(rb"\r\ncontent-length: (\d+)", head)
    return head[9:12] in (b"204", b"304") or (length is not None and len(body) >= int(length[1]))


def receive(s):
    """One reply of a connection that stays open."""
    data = b""
    while not complete(data):
        piece = s.recv(1 << 20)
        if not piece:
            break
        data += piece
    return data


def unchunk(data):
    """The body, and whether its end is there."""
    body = b""
    while True:
        line, found, rest = data.partition(b"\r\n")
        if not found:
            return body, False
        n = int(line, 16)
        if n == 0:
            return body, True
        body += rest[:n]
        data = rest[n + 2:]


def parse(data):
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    found = re.match(r"HTTP/1\.[01] (\d+)", lines[0])
    if not found:
        return Reply(0, {}, data)
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    if headers.get("transfer-encoding") == "chunked":
        body, whole = unchunk(body)
        headers["whole"] = whole
    return Reply(int(found[1]), headers, body)
