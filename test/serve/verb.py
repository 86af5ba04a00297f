#!/usr/bin/env python3
"""verb.py PROGRAM DATA: options and exit codes of `trace_streamer serve`."""
import gzip
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(__file__))
from client import Server  # noqa: E402

program, data = sys.argv[1:3]
failures = []


def ends(code, text, *args):
    """The run ends at once with the code, and says the text."""
    run = subprocess.run([program, "serve", *args], capture_output=True, timeout=60)
    if run.returncode != code or text not in run.stderr.decode() or run.stdout:
        failures.append(f"{args}: {run.returncode} {run.stderr.decode()} {run.stdout.decode()}")


def other_address():
    """An address of this machine that is not its loopback, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return None
        address = s.getsockname()[0]
    return None if address.startswith("127.") else address


def elsewhere(db):
    """Clients of other machines get compressed text, those on loopback do not."""
    address = other_address()
    if address is None:
        print("no other address: compression is not tried")
        return
    p = subprocess.Popen([program, "serve", db, "--any", "--quiet", "--port", "0", "--json", "--listen", "0.0.0.0", "--allow-host", address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    url = json.loads(p.stdout.readline())["url"]
    port, token = url.split("//")[1].split("/")[0].split(":")[1], url.split("token=")[1]
    texts = []
    for host, encoding in ((address, "gzip"), ("127.0.0.1", None)):
        for path in ("/api/query?sql=WITH+RECURSIVE+c(n)+AS+(SELECT+1+UNION+ALL+SELECT+n%2B1+FROM+c+LIMIT+30000)+SELECT+n+FROM+c", "/api/info"):
            request = urllib.request.Request(f"http://{host}:{port}{path}", headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "gzip"})
            with urllib.request.urlopen(request, timeout=30) as reply:
                body, got = reply.read(), reply.headers["Content-Encoding"]
            if got != (encoding if "query" in path else None):  # the list is short
                failures.append(f"{host} {path}: encoding {got}")
            texts.append(json.loads(gzip.decompress(body) if got else body))
    if texts[0]["rows"] != texts[2]["rows"] or len(texts[0]["rows"]) != 30000:
        failures.append(f"compressed rows: {len(texts[0]['rows'])}")
    p.terminate()
    if p.wait() != 0:
        failures.append(f"--listen: {p.returncode}")


def contents(db, recording, kind):
    """/api/info has the rows of each table, also where stack_sample is a view, and what there is to look at."""
    subprocess.run([program, os.path.join(data, recording), "-e", db, "--quiet"], check=True)
    server = Server(program, db, "--quiet")
    (info,) = server.ask("/api/info").json()["databases"]
    server.stop()
    with sqlite3.connect(db) as sql:
        counts = {name: sql.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in info["tables"]}
    if counts != info["tables"] or kind not in info["has"] or {"stack_sample_row", "stack_sample_block"} & set(counts):
        failures.append(f"{recording}: {info}")


def leftovers(folder):
    """What a server that was killed has converted is removed by the next one, and only that."""
    recording = os.path.join(data, "recording-cpuprofile.htrace.gz")
    env = {**os.environ, "TMPDIR": folder}

    def start():
        return Server(program, recording, "--quiet", env=env)

    dead = start()
    dead.process.kill()
    dead.process.wait()
    (left,) = os.listdir(folder)
    open(os.path.join(folder, left, ".1.db.tmp-x"), "w").close()  # of a conversion that was killed
    other = os.path.join(folder, left[:-6] + "mine00")  # not made by us: what is in it stays
    os.mkdir(other, 0o700)
    open(os.path.join(other, "notes"), "w").close()
    for _ in range(20):  # until the processes of the dead one have seen it
        first = start()
        if left not in os.listdir(folder):
            break
        first.stop()
        time.sleep(0.1)
    second = start()
    held = [n for n in os.listdir(folder) if n != os.path.basename(other)]
    if left in held or len(held) != 2 or os.listdir(other) != ["notes"]:
        failures.append(f"leftovers: {left}, {held}")
    for s in [first, second]:
        if s.query("SELECT count(*) FROM stack_sample").status != 200:
            failures.append("a folder in use was removed")
        s.stop()
    if os.listdir(folder) != [os.path.basename(other)]:
        failures.append(f"left: {os.listdir(folder)}")


with tempfile.TemporaryDirectory() as folder:
    leftovers(tempfile.mkdtemp(dir=folder))
    contents(os.path.join(folder, "cpu.db"), "recording-cpuprofile.htrace.gz", "sample")
    contents(os.path.join(folder, "jfr.db"), "work.jfr.gz", "sample")
    contents(os.path.join(folder, "heap.db"), "recording-snapshots.htrace.gz", "heap")
    foreign = os.path.join(folder, "foreign.db")
    c = sqlite3.connect(foreign)
    c.execute("CREATE TABLE t(a)")
    c.commit()
    c.close()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ends(8, "--port", foreign, "--any", "--port", str(taken.getsockname()[1]))
    ends(5, "not a database of this program", foreign, "--port", "0")
    ends(1, "nowhere.db", os.path.join(folder, "nowhere.db"), "--port", "0")
    ends(2, "serve needs 1 to 16", "--port", "0")
    ends(2, "--port", foreign, "--port", "65536")
    ends(2, "-e does not go together with serve", foreign, "-e", "x")
    ends(2, "--listen", foreign, "--any", "--listen", "name.example")
    ends(2, "the token cannot be left out", foreign, "--any", "--listen", "0.0.0.0", "--no-token")
    ends(2, "--allow-origin", foreign, "--any", "--allow-origin", "http://evil.example:*")
    ends(1, "cannot read the directory", foreign, "--any", "--port", "0", "--web", os.path.join(folder, "nothing"))
    plain = subprocess.run([program, foreign, "--port", "0", "-q", "x"], capture_output=True)
    if plain.returncode != 2 or b"--port is an option of: trace_streamer serve" not in plain.stderr:
        failures.append(plain.stderr.decode())
    for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
        s = Server(program, foreign, foreign, "--any", "--quiet", "--no-token")
        names = [d["name"] for d in s.ask("/api/info").json()["databases"]]
        if names != ["foreign.db", "foreign.db~2"] or s.ask("/api/query?db=foreign.db~2&sql=SELECT+*+FROM+t").status != 200:
            failures.append(f"names {names}")
        code, seconds = s.stop(number)
        if code != 0 or seconds >= 2:
            failures.append(f"{number}: {code} after {seconds} s")
    elsewhere(foreign)
    p = subprocess.Popen([program, "serve", foreign, "--any", "--quiet", "--port", "0", "--json"], stdout=subprocess.PIPE)
    line = json.loads(p.stdout.readline())
    if set(line) != {"url", "port"} or f":{line['port']}/?token=" not in line["url"]:
        failures.append(f"--json: {line}")
    p.terminate()
    p.wait()
for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
