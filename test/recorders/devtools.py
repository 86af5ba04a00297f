"""What a client of the DevTools protocol records, over a WebSocket (Node.js) or a pipe (Chromium)."""

import base64
import json
import os
import re
import socket
import struct
import time


class WebSocket:
    """A client of one connection: calls in turn; `events` are called with each notification."""

    def __init__(self, url):
        host, port, path = re.match(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.file = self.socket.makefile("rb")
        self.number, self.events = 0, []
        self.socket.sendall(("GET %s HTTP/1.1\r\nHost: %s:%s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n"
                             % (path, host, port, base64.b64encode(os.urandom(16)).decode())).encode())
        while self.file.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = bytes([128 | len(data)]) if len(data) < 126 else bytes([254]) + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + size + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def exactly(self, n):
        data = self.file.read(n)
        if len(data) < n:
            raise EOFError("the recorder has ended")
        return data

    def receive(self):
        text = b""
        while True:
            first, size = self.exactly(2)
            size = struct.unpack(">H", self.exactly(2))[0] if size == 126 else struct.unpack(">Q", self.exactly(8))[0] if size == 127 else size
            text += self.exactly(size)
            if first & 128:
                return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        self.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            for event in self.events:
                event(message["method"], message.get("params", {}))


def chunks(p, out, method, **params):
    """The file that a call sends in chunks."""
    with open(out, "w", encoding="utf-8", newline="") as f:
        p.events.append(lambda name, given: f.write(given["chunk"]) if name == "HeapProfiler.addHeapSnapshotChunk" else None)
        p.call(method, **params)
        p.events.pop()


def heap(p, out, **params):
    chunks(p, out, "HeapProfiler.takeHeapSnapshot", **params)


def timeline(p, out, allocations):
    p.call("HeapProfiler.startTrackingHeapObjects", trackAllocations=allocations)
    time.sleep(0.6)
    chunks(p, out, "HeapProfiler.stopTrackingHeapObjects", reportProgress=True)


def save(out, value):
    with open(out, "w", encoding="utf-8") as f:
        json.dump(value, f)


def sampling(p, out):
    p.call("HeapProfiler.startSampling", samplingInterval=8192)
    time.sleep(0.5)
    save(out, p.call("HeapProfiler.stopSampling")["profile"])


def profile(p, out, interval):
    p.call("Profiler.enable")
    p.call("Profiler.setSamplingInterval", interval=interval)
    p.call("Profiler.start")
    time.sleep(0.6)
    save(out, p.call("Profiler.stop")["profile"])
