#!/usr/bin/env python3
"""refusals.py PROGRAM DATA: every row of the table of bad requests of docs/serve.md, sent byte by byte, and that the databases
stay as they are."""
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from client import Server, parse, receive_all  # noqa: E402

program, data = sys.argv[1:3]
failures = []


def check(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: {got!r}, not {wanted!r}")


def state(folder):
    files = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, "rb") as f:
            files[name] = (hashlib.sha256(f.read()).hexdigest(), os.stat(path).st_mtime_ns)
    return files


def hosts(s):
    own = f"127.0.0.1:{s.port}"
    for host, status in [(f"localhost:{s.port}", 200), (f"[::1]:{s.port}", 200), ([], 421), ([own, own], 421), ("evil.example", 421),
                         (f"evil.example:{s.port}", 421), (f"127.0.0.1:{s.port + 1}", 421), ("127.0.0.1", 421), ("", 421)]:
        check(f"Host {host}", s.ask("/api/info", host=host).status, status)
    check("HTTP/1.0 without Host", s.ask("/api/info", host=[], version="1.0").status, 421)


def origins(s):
    own = f"http://127.0.0.1:{s.port}"
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
               "Sec-WebSocket-Version": "13", "Sec-WebSocket-Protocol": "flare-profiler"}
    for headers, status in [({"Origin": own}, 200), ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403),
                            ({"Origin": f"http://127.0.0.1:{s.port + 1}"}, 403), ({"Sec-Fetch-Site": "same-origin"}, 200),
                            ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403),
                            ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403)]:
        reply = s.ask("/api/info", headers=headers)
        check(f"{headers}", reply.status, status)
        if status == 403:
            check(f"{headers}", reply.code(), "origin")
            check("no CORS", "access-control-allow-origin" in reply.headers, False)
            check(f"upgrade, {headers}", s.ask("/", headers={**upgrade, **headers}).status, 403)
    check("navigation", s.ask("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}).status, 200)
    check("preflight", s.ask("/api/query", "OPTIONS", {"Origin": "http://evil.example"}).status, 403)
    check("upgrade without token", s.ask("/", headers=upgrade, token=False).status, 401)
    check("upgrade with a cookie only", s.ask("/", headers={**upgrade, "Cookie": f"ts_{s.port}={s.token}"}, token=False).status, 401)
    check("upgrade", s.ask("/any/path", headers=upgrade).status, 101)
    reply = s.ask("/", headers=upgrade)
    check("accept", reply.headers.get("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    check("protocol", reply.headers.get("sec-websocket-protocol"), "flare-profiler")
    check("without key", s.ask("/", headers={**upgrade, "Sec-WebSocket-Key": ""}).status, 400)
    check("version 8", s.ask("/", headers={**upgrade, "Sec-WebSocket-Version": "8"}).status, 426)
    check("version 8", s.ask("/", headers={**upgrade, "Sec-WebSocket-Version": "8"}).headers.get("sec-websocket-version"), "13")
    check("without sub-protocol", s.ask("/", headers={**upgrade, "Sec-WebSocket-Protocol": "chat"}).status, 400)
    check("POST", s.ask("/", "POST", headers=upgrade).status, 405)


def tokens(s):
    check("none", s.ask("/api/info", token=False).code(), "token")
    check("page", s.ask("/", token=False).status, 401)
    check("page", b"printed" in s.ask("/", token=False).body, True)
    check("files", s.ask("/assets/x.js", token=False).status, 401)
    check("cookie", s.ask("/api/info", headers={"Cookie": f"a=b; ts_{s.port}={s.token}"}, token=False).status, 200)
    reply = s.ask(f"/?token={s.token}", token=False)
    check("address", (reply.status, reply.headers.get("location")), (303, "/"))
    check("cookie set", reply.headers.get("set-cookie"), f"ts_{s.port}={s.token}; HttpOnly; SameSite=Strict; Path=/")
    reply = s.ask(f"/?token={s.token}", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, token=False)
    check("from another site", (reply.status, "set-cookie" in reply.headers), (200, True))
    check("only there", s.ask(f"/api/info?token={s.token}", token=False).status, 401)
    begun = time.monotonic()
    for _ in range(5):
        check("wrong", s.ask("/api/info", headers={"Authorization": "Bearer " + "x" * 22}, token=False).status, 401)
    check("five wrong ones are quick", time.monotonic() - begun < 1, True)
    begun = time.monotonic()
    check("wrong", s.ask("/api/info", headers={"Authorization": "Bearer " + "x" * 22}, token=False).status, 401)
    check("the sixth is slow", time.monotonic() - begun >= 0.9, True)
    begun = time.monotonic()
    check("right", s.ask("/api/info").status, 200)
    check("the right one is not", time.monotonic() - begun < 0.9, True)


def methods(s):
    post = {"Content-Type": "application/json"}
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "FOO", "POST"]:
        reply = s.ask("/api/info", method)
        check(method, (reply.status, reply.headers.get("allow")), (405, "GET, HEAD"))
    check("POST", s.ask("/", "POST", post, b"{}").status, 405)
    check("PUT", s.ask("/api/query", "PUT").headers.get("allow"), "GET, HEAD, POST")
    check("HEAD", (s.ask("/api/info", "HEAD").status, s.ask("/api/info", "HEAD").body), (200, b""))
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"]:
        check(kind, s.ask("/api/query", "POST", {"Content-Type": kind}, b'{"sql":"SELECT 1"}').status, 415)
    check("no type", s.ask("/api/query", "POST", {}, b'{"sql":"SELECT 1"}').status, 415)
    check("charset", s.ask("/api/query", "POST", {"Content-Type": "application/json; charset=utf-8"}, b'{"sql":"SELECT 1"}').status, 200)
    check("2 MiB", s.ask("/api/query", "POST", {**post, "Content-Length": 2 << 20}).status, 413)
    big = s.connect()
    big.sendall((f"POST /api/query HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nAuthorization: Bearer {s.token}\r\nContent-Type: application/json\r\n"
                 "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n").encode())
    for _ in range(20):
        big.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
    big.sendall(b"0\r\n\r\n")
    check("chunked, 1.25 MiB", parse(receive_all(big)).status, 413)


def lengths(s):
    """Where a request ends has to be said once: with two answers what follows could be a request that nobody checked."""
    body = b'{"sql":"SELECT 1"}'
    hidden = f"GET /api/info HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode()
    for lines, rest in [(["Content-Length: 18", "Content-Length: 18"], body), (["Content-Length: 18", "Content-Length: 2"], body),
                        (["Content-Length: 18", "Transfer-Encoding: chunked"], b"12\r\n" + body + b"\r\n0\r\n\r\n"),
                        (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], b"12\r\n" + body + b"\r\n0\r\n\r\n")]:
        head = [f"POST /api/query HTTP/1.1\r\nHost: 127.0.0.1:{s.port}", f"Authorization: Bearer {s.token}", "Content-Type: application/json", *lines]
        with s.connect() as c:
            c.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + rest + hidden)
            got = receive_all(c)  # until it is closed
        check(f"{lines}", (parse(got).status, got.count(b"HTTP/1.1 ")), (400, 1))


def wire(s):
    check("not HTTP", s.raw(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n\r\n")[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.0 400"), True)
    check("header of 200 kB", s.ask("/api/info", headers={"X": "y" * 200000}).status, 431)
    check("address of 200 kB", s.ask("/api/info?x=" + "y" * 200000).status, 414)
    for path in ["/nothing", "/api", "/api/", "/api/infox", "/assets/", "/assets/../etc/passwd", "/../../etc/passwd", "/etc/passwd",
                 "/%2e%2e/%2e%2e/etc/passwd", "/assets/..%2f..%2fetc/passwd", "/assets/%00", "//etc/passwd", "/flare/index.html"]:
        reply = s.ask(path)
        check(path, (reply.status, reply.code() if reply.status == 404 else ""), (404, "not_found"))
    for path in ["/", "/api/info", "/nothing"]:
        reply = s.ask(path)
        for name, value in [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
                            ("cross-origin-resource-policy", "same-origin"), ("cross-origin-opener-policy", "same-origin")]:
            check(f"{path} {name}", reply.headers.get(name), value)
    check("policy", s.ask("/").headers.get("content-security-policy", "").startswith("default-src 'none'; script-src 'self';"), True)


def queries(s, folder):
    def status(sql, **more):
        reply = s.query(sql, **more)
        return reply.status, reply.code() if reply.status != 200 else None

    check("not JSON", s.ask("/api/query", "POST", {"Content-Type": "application/json"}, b"SELECT 1").status, 400)
    check("database", s.ask("/api/query?db=other&sql=SELECT+1").status, 404)
    check("question", s.ask("/api/query?question=no_such_question").status, 404)
    check("neither", s.ask("/api/query").status, 400)
    for path in ["limit=x&sql=SELECT+1", "limit=-1&sql=SELECT+1", "sql=SELECT+1&sql=SELECT+2", "ints=x&sql=SELECT+1", "what=1&sql=SELECT+1",
                 "p.a=1&sql=SELECT+1", "p.=1&sql=SELECT+1"]:
        check(path, s.ask("/api/query?" + path).status, 400)
    for body in [b'[]', b'{"sql":1}', b'{"sql":"SELECT 1","params":[]}', b'{"sql":"SELECT 1","x":1}', b'{"sql":"SELECT 1"', b'{"sql":"a","sql":"b"}']:
        check(body, s.ask("/api/query", "POST", {"Content-Type": "application/json"}, body).status, 400)
    reply = s.query("SELECT 1 FROM nowhere")
    check("SQL", (reply.status, reply.code()), (400, "sql"))
    check("text", reply.json()["error"]["message"], "no such table: nowhere")
    check("offset", s.query("SELECT 1 +").json()["error"].get("offset", -1) >= -1, True)
    check("offset", s.query("SELECT x_y FROM source").json()["error"].get("offset"), 7)
    for sql in ["", " -- nothing", "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE source", "SELECT 1; x"]:
        check(sql, status(sql), (400, "sql"))
    check("one with a semicolon", status("SELECT 1 ; -- done\n ;"), (200, None))
    for sql in ["DELETE FROM source", "INSERT INTO source(id) VALUES (1)", "UPDATE source SET id = 5", "DROP TABLE source", "VACUUM",
                f"ATTACH '{folder}/new.db' AS x", f"VACUUM INTO '{folder}/new.db'", "PRAGMA journal_mode = WAL", "PRAGMA database_list",
                "BEGIN", "SELECT load_extension('x')", "CREATE TEMP TABLE x(a)"]:
        check(sql, status(sql), (403, "read_only"))
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT "
    check("time before the first byte", status(endless + "count(*) FROM c", timeout_ms=100), (408, "timeout"))
    reply = s.query(endless + "1 UNION ALL SELECT n FROM c WHERE n < 0", timeout_ms=300)
    check("time after it", (reply.status, (reply.json()["error"] or {}).get("code"), reply.json()["row_count"]), (200, "timeout", 1))
    check("rows", len(reply.json()["rows"]), reply.json()["row_count"])
    reply = s.query(endless + "n FROM c", limit=10)
    check("rows", (reply.json()["row_count"], reply.json()["truncated"], reply.json()["error"]), (10, True, None))
    reply = s.query("SELECT n FROM (SELECT 1 AS n UNION ALL SELECT 2)", limit=2)
    check("all of them", (reply.json()["row_count"], reply.json()["truncated"]), (2, False))
    check("bytes", s.query("SELECT hex(zeroblob(33000000))").status in (200, 400, 503), True)


def views(s):
    reply = s.ask("/api/flame?limit=100")
    check("flame", (reply.status, reply.json()["unit"]), (200, "ns"))
    check("kept", s.ask("/api/flame?limit=100").body, reply.body)
    check("304", s.ask("/api/flame?limit=100", headers={"If-None-Match": reply.headers.get("etag", "")}).status, 304)
    check("another", s.ask("/api/flame?limit=10", headers={"If-None-Match": reply.headers.get("etag", "")}).status, 200)
    for path, status in [("flame?limit=x", 400), ("flame?what=1", 400), ("flame?limit=1&limit=2", 400), ("flame?db=other", 404), ("flames", 404)]:
        check(path, s.ask("/api/" + path).status, status)
    check("POST", s.ask("/api/flame", "POST", {"Content-Type": "application/json"}, b"{}").status, 405)
    for path in ["threads", "timeline?px=10", "methods"]:
        check(path, s.ask("/api/" + path).status, 200)


def stacks(s, db):
    """Exports of stacks are those of --to."""
    for name in ["folded", "speedscope"]:
        wanted = subprocess.run([program, db, f"--to={name}", "-o", "-", "--quiet"], capture_output=True, check=True).stdout
        reply = s.ask(f"/api/export?view=flame&format={name}")
        check(name, (reply.status, reply.body == wanted, len(wanted) > 1000), (200, True, True))
        check(name, reply.headers.get("content-disposition"), f'attachment; filename="a.db.stacks.{name}"')
    for query in ["view=flame", "view=flame&format=x", "view=x&format=folded", "view=flame&format=folded&from=5&to=1", "view=flame&format=folded&from=x",
                  "view=flame&format=folded&thread=nobody", "view=flame&format=folded&sql=SELECT+1"]:
        check(query, s.ask("/api/export?" + query).status, 400)


def files(s, folder, db):
    check("there", s.query("SELECT 1").status, 200)
    moved = db + ".away"
    os.rename(db, moved)
    check("gone", (s.query("SELECT 1").status, s.query("SELECT 1").code()), (410, "gone"))
    check("listed", "error" in s.ask("/api/info").json()["databases"][0], True)
    with open(moved, "rb") as f, open(db, "wb") as g:
        g.write(f.read(100) + b"\x5a" * 8000)
    check("damaged", (s.query("SELECT * FROM source").status, s.query("SELECT * FROM source").code()), (500, "damaged"))
    os.unlink(db)
    other = sqlite3.connect(db)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("CREATE TABLE t(a)")
    other.commit()
    other.execute("BEGIN EXCLUSIVE")
    reply = s.query("SELECT * FROM t")
    check("locked", (reply.status, reply.code()), (409, "busy_file"))
    other.commit()
    check("again", s.query("SELECT * FROM t").status, 200)
    other.execute("PRAGMA cache_size = 2")
    other.execute("BEGIN")
    other.execute("INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000) SELECT randomblob(500) FROM c")
    left = os.path.join(folder, "left.db")
    shutil.copy(db, left)
    shutil.copy(db + "-journal", left + "-journal")
    other.rollback()
    other.close()
    os.unlink(db)
    os.rename(left, db)
    os.rename(left + "-journal", db + "-journal")
    reply = s.query("SELECT count(*) FROM t")
    check("hot journal", (reply.status, reply.code()), (409, "busy_file"))
    os.unlink(db + "-journal")
    os.rename(moved, db)
    check("back", s.query("SELECT * FROM source").status, 200)


def main():
    with tempfile.TemporaryDirectory() as folder:
        db = os.path.join(folder, "a.db")
        subprocess.run([program, os.path.join(data, "recording-cpuprofile.htrace.gz"), "-e", db, "--quiet"], check=True)
        before = state(folder)
        s = Server(program, db, "--quiet", "--threads", "2")
        for step in [hosts, origins, methods, lengths, wire]:
            step(s)
        queries(s, folder)
        views(s)
        stacks(s, db)
        tokens(s)
        check("the file", state(folder), before)
        files(s, folder, db)
        check("the file", state(folder), before)
        code, seconds = s.stop()
        check("exit code", code, 0)
        check("quick end", seconds < 2, True)
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
