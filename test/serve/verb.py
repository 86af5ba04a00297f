#!/usr/bin/env python3
"""verb.py PROGRAM DATA: options and exit codes of `trace_streamer serve`."""
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from client import Server  # noqa: E402

program, data = sys.argv[1:3]
failures = []


def ends(code, text, *args):
    """The run ends at once with the code, and says the text."""
    run = subprocess.run([program, "serve", *args], capture_output=True, timeout=60)
    if run.returncode != code or text not in run.stderr.decode() or run.stdout:
        failures.append(f"{args}: {run.returncode} {run.stderr.decode()} {run.stdout.decode()}")


with tempfile.TemporaryDirectory() as folder:
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
