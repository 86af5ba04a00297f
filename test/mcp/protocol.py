"""protocol.py PROGRAM DATA: messages that are none, ids, notifications, limits, ends."""

import json
import os
import signal
import sys
import time

from server import Server

program, data = sys.argv[1:3]
PROFILE = os.path.join(data, "go-cpu.pprof")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def error(answer):
    assert "result" not in answer, answer
    return answer["id"], answer["error"]["code"]


def messages():
    s = Server(program)
    for line, expected in (
        (b"hello\n", (None, -32700)),
        (b"[1, 2]\n", (None, -32700)),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"\n', (None, -32700)),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} {}\n', (None, -32700)),
        (b"{}\n", (None, -32600)),
        (b'{"jsonrpc": "2.0", "id": "a\\u0022b", "method": "none"}\n', ('a"b', -32601)),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {}}\n', (7, -32602)),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "none"}}\n', (8, -32602)),
        (b'{"id": 1, "method": "' + b"x" * (1 << 21) + b'"}\n', (None, -32600)),
        (b"[" * 100000 + b"\n", (None, -32700)),
    ):
        s.send(line)
        assert error(s.receive()) == expected, line[:80]
    # Lines without an answer: empty ones, notifications, answers to what was never asked.
    s.send(b'\n  \n{"jsonrpc": "2.0", "method": "notifications/initialized"}\n{"jsonrpc": "2.0", "id": 5, "result": {}}\n')
    s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})
    for ident in (0, -3, 1.5, "x", "", "\u00e9\n"):
        s.send({"jsonrpc": "2.0", "id": ident, "method": "ping"})
        assert s.receive() == {"jsonrpc": "2.0", "id": ident, "result": {}}, ident
    # Blanks anywhere, members in any order, CR before LF, a line in pieces.
    s.send(b'  {"method" :\t"ping" , "id" : 4}\r\n{"id": 5,')
    time.sleep(0.05)
    s.send(b' "method": "ping"}\n')
    assert [s.receive()["id"], s.receive()["id"]] == [4, 5]
    for asked, given in (("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")):
        assert s.request("initialize", protocolVersion=asked)["result"]["protocolVersion"] == given
    assert s.tool("overview")[1] and s.tool("recordings") == ("no recording is open: call open with a path\n", False)
    # The last line needs no line feed.
    s.send(b'{"id": 6, "method": "ping"}')
    code, out, err = s.end()
    assert code == 0 and json.loads(out)["id"] == 6 and err == "", (code, out, err)


def cells():
    """What would break a line of a table is escaped, long cells are cut, bytes that are not text are replaced."""
    s = Server(program, PROFILE)
    text, failed = s.tool("sql", sql="SELECT 'a' || char(9) || char(10) || 'b' AS a1, NULL AS b1, x'00ff' AS c1, 1e300 AS r, 9223372036854775807 AS i, cast(x'ff41' AS TEXT) AS bad")
    assert not failed and text == "a1\tb1\tc1\tr\ti\tbad\na\\t\\nb\t\t(2 bytes)\t1.0e+300\t9223372036854775807\t\ufffdA\n", repr(text)
    text, failed = s.tool("sql", sql="SELECT printf('%.*c', 5000, 'x') AS a1, '%s' AS b1")
    assert text == "a1\tb1\n" + "x" * 240 + "... (5000 bytes)\t%s\n", repr(text)
    # Whole rows only, and how many are left out.
    text, failed = s.tool("sql", sql="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i, printf('%.*c', 100, 'y') AS t FROM n")
    rows = text.splitlines()[1:-1]
    assert all(len(r) > 100 for r in rows) and rows[-1].startswith("%d\t" % len(rows)) and "(%d of 5000 rows; " % len(rows) in text, text[-300:]
    # Many columns: nothing of the first row fits.
    text, failed = s.tool("sql", sql="SELECT " + ", ".join("printf('%%.*c', 200, 'x') AS c%d" % i for i in range(60)))
    assert "(0 of 1 rows; " in text, text[-300:]
    assert s.end()[0] == 0


def limits():
    s = Server(program, "--timeout=5", PROFILE)
    s.tool("overview")
    text, failed = s.tool("sql", sql=ENDLESS)
    assert failed and "too long" in text, text
    assert s.tool("sql", sql="SELECT 1 AS one")[0] == "one\n1\n"
    assert s.end()[0] == 0
    s = Server(program, PROFILE)
    s.tool("overview")
    # A request that is cancelled has no answer; one that waits is answered.
    s.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": {"name": "sql", "arguments": {"sql": ENDLESS}}})
    s.send({"jsonrpc": "2.0", "id": "next", "method": "ping"})
    time.sleep(1)
    s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}})
    assert s.receive()["id"] == "next"
    # One that waits has no answer either when it is cancelled before it began; all others are answered, in their order.
    s.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": {"name": "sql", "arguments": {"sql": ENDLESS}}})
    for ident in (1, "1", 2, 3, 11):
        s.send({"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": {"name": "sql", "arguments": {"sql": "SELECT 1 AS one"}}})
    s.send({"jsonrpc": "2.0", "id": "ping", "method": "ping"})
    s.send({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})
    time.sleep(1)
    for ident in (1, 3, "ping", "init", "answered", 1):
        s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}})
    s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}})
    assert [s.receive()["id"] for _ in range(4)] == ["1", 2, 11, "init"]
    # An id that was cancelled may come again.
    s.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert s.receive()["id"] == 1
    # Requests and their cancellations at once: each is answered or not, and nothing else is lost.
    for ident in range(100, 400, 2):
        s.send(json.dumps({"jsonrpc": "2.0", "id": ident, "method": "ping"}).encode() + b"\n" +
               json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}}).encode() + b"\n" +
               json.dumps({"jsonrpc": "2.0", "id": ident + 1, "method": "ping"}).encode() + b"\n")
    seen = []
    while not seen or seen[-1] != 399:
        seen.append(s.receive()["id"])
    assert seen == sorted(set(seen)) and [i for i in seen if i % 2] == list(range(101, 400, 2)), seen
    for i in range(20):
        assert s.tool("open", path="/none/%d" % i)[1]
    assert "go-cpu.pprof" in s.tool("recordings")[0]
    for i in range(15):
        link = "go-%d.pprof" % i
        os.symlink(PROFILE, link)
        assert not s.tool("open", path=link)[1], i
    text, failed = s.tool("open", path="go-cpu.pprof")
    assert failed and "close" in text, text
    assert "closed; open are 15" in s.tool("close", recording="go-3.pprof")[0]
    assert s.tool("overview", recording="go-3.pprof")[1] and not s.tool("overview", recording="go-4.pprof")[1]
    assert s.end()[0] == 0


def ends():
    """Nothing is left where databases were, whichever way it ends."""
    os.mkdir("scratch")
    os.environ["TMPDIR"] = os.path.abspath("scratch")
    s = Server(program, PROFILE)
    s.tool("overview")
    assert s.end()[0] == 0 and os.listdir("scratch") == []
    s = Server(program, PROFILE)
    s.tool("overview")
    s.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sql", "arguments": {"sql": ENDLESS}}})
    time.sleep(0.3)
    s.process.send_signal(signal.SIGTERM)
    assert s.process.wait(timeout=20) == 143 and os.listdir("scratch") == [], (s.process.returncode, os.listdir("scratch"))
    s = Server(program, PROFILE)
    s.tool("overview")
    s.process.stdout.close()
    s.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert s.process.wait(timeout=20) == 0 and os.listdir("scratch") == [], s.process.returncode


for part in (messages, cells, limits, ends):
    part()
    print(part.__name__)
