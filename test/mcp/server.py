"""A client of `trace_streamer mcp` for tests: lines in, lines out."""

import json
import subprocess


class Server:
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.id = 0

    def send(self, message):
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def request(self, method, **params):
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        answer = self.receive()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.id, answer
        return answer

    def tool(self, name, **arguments):
        """The text of the answer, and whether it says that it cannot be done."""
        result = self.request("tools/call", name=name, arguments=arguments)["result"]
        (content,) = result["content"]
        assert content["type"] == "text" and len(content["text"].encode()) <= 8192, content
        return content["text"], result["isError"]

    def end(self):
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err.decode()
