#!/usr/bin/env python3
"""load.py PROGRAM DATA: clients that are slow, many, or leave: others are answered meanwhile, and nothing is left of them."""
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from client import Server, parse, receive, receive_all  # noqa: E402

program, data = sys.argv[1:3]
sanitized = len(sys.argv) > 3 and sys.argv[3] == "sanitized"
slow = 10 if sanitized else 1  # how much longer things may take
failures = []


def check(what, good):
    if not good:
        failures.append(what)


def quick(s, what):
    """A legitimate request is answered in time."""
    begun = time.monotonic()
    status = s.query("SELECT count(*) FROM sqlite_master").status
    seconds = time.monotonic() - begun
    check(f"{what}: {status} in {seconds:.3f} s", status == 200 and seconds < 0.3 * slow)


def head(s, path, more=""):
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nAuthorization: Bearer {s.token}\r\n{more}\r\n".encode()


KEPT = 8  # connections to a database that wait for the next query
ENDLESS = "WITH+RECURSIVE+c(n)+AS+(SELECT+1+UNION+ALL+SELECT+n%2B1+FROM+c)+SELECT+"


def settled(s, descriptors):
    """Waits until the descriptors of clients are closed."""
    for _ in range(50):
        if s.descriptors() <= descriptors:
            return True
        time.sleep(0.1)
    return False


def leaving(s):
    """Clients that go, politely and not: their queries end."""
    before = s.descriptors()
    for n in range(12):
        c = s.connect()
        c.sendall(head(s, f"/api/query?sql={ENDLESS}{'count(*)' if n % 2 else 'n'}+FROM+c"))
        time.sleep(0.05)
        if n % 3 == 0:  # a reset instead of an end
            c.setsockopt(1, 13, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        c.close()
        begun = time.monotonic()
        check("there", s.query("SELECT 1").status == 200)
        check(f"query ended in {time.monotonic() - begun:.3f} s", time.monotonic() - begun < 0.4 * slow)
    script = ("import socket,time\ns=socket.create_connection(('127.0.0.1',%d))\ns.sendall(%r)\ns.recv(1)\nprint('x',flush=True)\ntime.sleep(60)"
              % (s.port, head(s, f"/api/query?limit=1000000&sql={ENDLESS}n+FROM+c")))
    for _ in range(3):
        p = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        p.stdout.readline()
        p.kill()
        p.wait()
    quick(s, "after kill -9")
    check("descriptors of those that left", settled(s, before + KEPT))


def drip(s):
    """A header that arrives byte by byte is ended 10 s after it began."""
    begun = time.monotonic()
    dripping = s.connect()
    dripping.sendall(b"GET / HTTP/1.1\r\n")
    dripping.settimeout(0.5)
    gone = False
    while not gone and time.monotonic() - begun < 15:
        try:
            dripping.sendall(b"X: y\r\n")
            gone = dripping.recv(1) == b""
        except TimeoutError:
            pass
        except OSError:
            gone = True
    seconds = time.monotonic() - begun
    check(f"a header byte by byte is ended after {seconds:.1f} s", gone and 9 < seconds < 12)


def slow_ones(s):
    """Half a header, half a body, and replies that nobody reads."""
    held = []
    for _ in range(20):
        c = s.connect()
        c.sendall(b"GET /api/info HTTP/1.1\r\nHost: 127")
        held.append(c)
    for _ in range(10):
        c = s.connect()
        c.sendall(head(s, f"/api/query?limit=1000000&sql={ENDLESS}hex(zeroblob(1000))+FROM+c"))
        held.append(c)
    time.sleep(0.3)
    quick(s, "beside slow clients")
    quick(s, "beside slow clients")
    for c in held:
        c.close()


def many(s):
    """More connections than are served."""
    held = [s.connect() for _ in range(200)]
    quick(s, "beside 200 connections")
    check("most are closed", sum(1 for c in held if not alive(c)) >= 130)
    for c in held:
        c.close()
    results = []

    def one():
        with s.connect(30) as c:
            for _ in range(5):
                c.sendall(head(s, "/api/query?sql=SELECT+1"))
                results.append(parse(receive(c)).status)

    threads = [threading.Thread(target=one) for _ in range(60)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(f"60 at once: {sorted(set(results))}", len(results) == 300 and set(results) <= {200, 503} and results.count(200) > (60 if sanitized else 150))


def alive(c):
    c.settimeout(0.01)
    try:
        return c.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


def growth(s):
    """Nothing grows with the number of requests."""
    paths = ["/api/info", "/api/query?sql=SELECT+*+FROM+source", "/", "/nothing", "/api/query?sql=SELEC", "/api/export?format=csv&sql=SELECT+1,2"]

    def some(n):
        with s.connect() as c:
            for i in range(n):
                path = paths[i % len(paths)]
                c.sendall(head(s, path))
                receive(c)

    n = 60 if sanitized else 1500
    some(n)
    kb, descriptors = s.rss_kb(), s.descriptors()
    for _ in range(3):
        some(n)
    if not sanitized:  # which finds what is not freed in another way
        check(f"memory grew by {s.rss_kb() - kb} kB", s.rss_kb() - kb < 1500)
    check("descriptors", settled(s, descriptors + KEPT))


def replaced(s, db, other):
    """A database that takes the place of another is noticed; a running query goes on with the old one."""
    first = s.ask("/api/query?sql=SELECT+count(*)+FROM+source")
    etag = first.headers.get("etag")
    check("etag", etag is not None)
    check("304", s.ask("/api/query?sql=SELECT+count(*)+FROM+source", headers={"If-None-Match": etag}).status == 304)
    with s.connect() as c:
        c.sendall(head(s, "/api/query?sql=SELECT+a.id+FROM+schema_doc+AS+d,source+AS+a,schema_doc+AS+e", "Connection: close\r\n"))
        begun = c.recv(100)
        os.rename(other, db)
        check("new rows", s.query("SELECT a FROM fresh").json()["rows"] == [[5]])
        reply = parse(begun + receive_all(c))
        check("old rows", reply.headers.get("whole") and reply.json()["row_count"] == 100000)
    check("200", s.ask("/api/query?sql=SELECT+count(*)+FROM+source", headers={"If-None-Match": etag}).status != 304)


def main():
    with tempfile.TemporaryDirectory() as folder:
        db, other = os.path.join(folder, "a.db"), os.path.join(folder, "b.db")
        subprocess.run([program, os.path.join(data, "recording-cpuprofile.htrace.gz"), "-e", db, "--quiet"], check=True)
        c = sqlite3.connect(other)
        c.execute("CREATE TABLE fresh(a)")
        c.execute("INSERT INTO fresh VALUES (5)")
        c.commit()
        c.close()
        s = Server(program, db, "--quiet", "--threads", "2")
        slow_header = threading.Thread(target=drip, args=[s])
        slow_header.start()
        for step in [leaving, slow_ones, growth]:
            step(s)
            quick(s, f"after {step.__name__}")
        replaced(s, db, other)
        slow_header.join()
        many(s)
        quick(s, "after many")
        held = s.connect()
        held.sendall(head(s, f"/api/query?sql={ENDLESS}count(*)+FROM+c"))
        time.sleep(0.1)
        code, seconds = s.stop()
        check(f"exit code {code} after {seconds:.2f} s", code == 0 and seconds < 2)
        check("nothing on standard error", s.process.stderr.read() == b"")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
