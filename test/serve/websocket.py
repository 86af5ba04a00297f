"""A WebSocket client (RFC 6455) of a few lines: text messages over a plain socket."""

import base64
import hashlib
import os
import socket
import struct


class WebSocket:
    def __init__(self, port, headers=(), protocol="flare-profiler", path="/", host="127.0.0.1", timeout=60):
        self.socket = socket.create_connection((host, port), timeout)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET %s HTTP/1.1" % path, "Host: %s:%d" % (host, port), "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Key: " + key, "Sec-WebSocket-Version: 13"]
        if protocol:
            lines.append("Sec-WebSocket-Protocol: " + protocol)
        lines += ["%s: %s" % h for h in headers]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split(b" ")[1])
        self.headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head.decode().split("\r\n")[1:])}
        if self.status == 101:
            accept = hashlib.sha1(key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
            assert self.headers["sec-websocket-accept"] == base64.b64encode(accept).decode(), self.headers
            assert self.headers["sec-websocket-protocol"] == protocol, self.headers

    def more(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError("the server has closed the connection")
        self.buffer += data

    def take(self, n):
        while len(self.buffer) < n:
            self.more()
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        return data

    def send(self, payload, opcode=1, fin=True):
        mask = os.urandom(4)
        n = len(payload)
        head = bytes([(0x80 if fin else 0) | opcode])
        head += bytes([0x80 | n]) if n < 126 else bytes([0xFE]) + struct.pack(">H", n) if n < 65536 \
            else bytes([0xFF]) + struct.pack(">Q", n)
        whole = (mask * (n // 4 + 1))[:n]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")).to_bytes(n, "big")
        self.socket.sendall(head + mask + masked)

    def frame(self):
        first, second = self.take(2)
        assert second & 0x80 == 0, "the server must not mask"
        n = second & 0x7F
        n = struct.unpack(">H", self.take(2))[0] if n == 126 else struct.unpack(">Q", self.take(8))[0] if n == 127 else n
        return first & 0x0F, first & 0x80 != 0, self.take(n)

    def receive(self):
        """The next text message; EOFError with the close code when the server closes."""
        parts = []
        while True:
            opcode, fin, payload = self.frame()
            if opcode == 9:
                self.send(payload, 10)
            elif opcode == 8:
                self.send(payload, 8)
                raise EOFError(struct.unpack(">H", payload[:2])[0] if payload else 1005)
            elif opcode in (0, 1):
                parts.append(payload)
                if fin:
                    return b"".join(parts).decode()

    def close(self):
        """Says good bye and waits for the answer."""
        self.send(struct.pack(">H", 1000), 8)
        try:
            while True:
                self.receive()
        except EOFError as e:
            assert e.args[0] == 1000, e
        self.socket.close()
