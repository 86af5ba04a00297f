#!/usr/bin/env python3
"""memory.py PROGRAM DATA [sanitized]: --max-memory is for the databases that are in use, not divided by the number that is open, and processes
that wait make room for those that work."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from client import Server

STACKS = 300000
DATABASES = 8
MOST = "80M"  # views of one database need some 42 MB: a share of eight is too little, two of them more than that is left


def check(condition, text):
    if not condition:
        sys.exit(f"WRONG: {text}")


def processes(pid):
    """(pid, resident bytes) of all processes below one."""
    below = {pid}
    found = {}
    for _ in range(3):  # the server, the maker, what it makes
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat", encoding="latin-1") as f:
                        parent = int(f.read().rpartition(")")[2].split()[1])
                    with open(f"/proc/{name}/statm", encoding="latin-1") as f:
                        resident = int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
                except OSError:
                    continue
                if parent in below:
                    below.add(int(name))
                    found[int(name)] = resident
    return found


def view(server, number):
    """The reply to a view of a database, when it is made."""
    for _ in range(600):
        reply = server.ask(f"/api/flame?db=b{number}.db&limit=3")
        if reply.status != 202:
            return reply
        time.sleep(0.1)
    sys.exit("WRONG: a view takes more than a minute")


def main():
    program = sys.argv[1]
    if len(sys.argv) > 3:
        print("skipped: the sanitizer keeps freed memory")
        return
    with tempfile.TemporaryDirectory() as scratch:
        text = os.path.join(scratch, "b0.folded")
        expected = 0
        with open(text, "w", encoding="ascii") as f:
            for i in range(STACKS):
                f.write(f"main;run{i % 7};work{i % 1000};leaf{i} {1 + i % 5}\n")
                expected += 1 + i % 5
        databases = [os.path.join(scratch, f"b{i}.db") for i in range(DATABASES)]
        subprocess.run([program, text, "-e", databases[0], "--quiet"], check=True)
        for other in databases[1:]:
            shutil.copy(databases[0], other)
        server = Server(program, *databases, "--max-memory", MOST)
        for turn in range(2):  # the second time some have to read again what they had read
            for number in range(DATABASES):
                reply = view(server, number)
                check(reply.status == 200, f"turn {turn}, database {number}: {reply.status} {reply.body[:200]}")
                check(reply.json()["total"] == expected, f"turn {turn}, database {number}: {reply.json()['total']} instead of {expected}")
        deadline = time.monotonic() + 10
        most = 80 << 20
        while time.monotonic() < deadline and sum(processes(server.process.pid).values()) > most + DATABASES * (8 << 20):
            time.sleep(0.1)
        resident = sum(processes(server.process.pid).values())
        check(resident <= most + DATABASES * (8 << 20), f"{resident >> 20} MiB are resident in all processes")  # with what they share
        # One that waits goes, the one that works stays: a statement beside all of them.
        reply = server.ask("/api/query?db=b0.db&sql=SELECT+count(*)+FROM+stack_node")
        check(reply.status == 200 and reply.json()["rows"][0][0] > STACKS, f"a statement: {reply.status} {reply.body[:200]}")
        server.stop()
    print("memory is for what is in use")


main()
