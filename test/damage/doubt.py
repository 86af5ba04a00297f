#!/usr/bin/env python3
"""Texts out of compressed files whose checksum is wrong: no value of them is shown, whole and cut ones are.

usage: doubt.py --program FILE --tools DIR
"""
import argparse
import gzip
import io
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

PROFILE = {
    "samples": "SELECT count(*), count(ts), count(dur), count(node_id) FROM stack_sample",
    "old samples": "SELECT count(*), count(start_time), count(dur), count(function_id) FROM js_cpu_profiler_sample",
    "nodes": "SELECT count(*), count(function_id), count(function_index), count(parent_id) FROM js_cpu_profiler_node",
    "methods": "SELECT count(*), count(name), count(file), count(line) FROM stack_method",
}
HEAP = {
    "nodes": "SELECT count(*), count(id), count(name), count(type), count(self_size) FROM js_heap_nodes",
    "edges": "SELECT count(*), count(from_node_id), count(to_node_id), count(name_or_index) FROM js_heap_edges",
    "strings": "SELECT count(*), count(string) FROM js_heap_string",
    "complete": "SELECT 1, sum(complete) FROM js_heap_file_detail",
}


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def gz(data):
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", mtime=0, fileobj=out) as g:
        g.write(data)
    return bytearray(out.getvalue())


def flipped(data, at):
    data[at] ^= 1
    return bytes(data)


def archive(kind, name, data):
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr(name, data)
    else:
        with tarfile.open(fileobj=out, mode="w") as t:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return bytearray(out.getvalue())


def zip_with_wrong_crc(name, data):
    out = archive("zip", name, data)
    crc = zlib.crc32(data).to_bytes(4, "little")
    at = out.rfind(crc)  # in the directory
    return flipped(out, at)


def wrapped(name, data):
    """What it is, its bytes, and whether the values may be believed."""
    plain = gz(data)
    yield "gzip", bytes(plain), True
    yield "gzip with a wrong CRC", flipped(gz(data), -8), False
    yield "gzip with a wrong length", flipped(gz(data), -1), False
    yield "gzip without its end", bytes(plain[:-8]), True
    yield "two members, the second with a wrong CRC", bytes(gz(data[:900])) + flipped(gz(data[900:]), -8), False
    yield "zlib with a wrong checksum", flipped(bytearray(zlib.compress(data)), -1), False
    yield "zip", bytes(archive("zip", name, data)), True
    yield "zip with a wrong CRC", zip_with_wrong_crc(name, data), False
    yield "tar in gzip", bytes(gz(bytes(archive("tar", name, data)))), True
    yield "tar in gzip with a wrong CRC", flipped(gz(bytes(archive("tar", name, data))), -8), False


def check(program, folder, name, data, queries):
    failures = 0
    whole = None
    for what, text, certain in wrapped(name, data):
        source = os.path.join(folder, "in")
        out = os.path.join(folder, "out.db")
        with open(source, "wb") as f:
            f.write(text)
        code = subprocess.run([program, source, "-e", out, "--force", "--strict", "--quiet"], stderr=subprocess.DEVNULL, check=False).returncode
        con = sqlite3.connect(out)
        got = {key: con.execute(sql).fetchone() for key, sql in queries.items()}
        issues = con.execute("SELECT count(*), sum(count) FROM import_issue WHERE code = 'values_doubted'").fetchone()
        incomplete = con.execute("SELECT count(*) FROM source WHERE complete = 0").fetchone()[0]
        con.close()
        whole = got if whole is None else whole
        if certain:
            good = got == whole and issues[0] == 0
        else:
            # As many rows as before, and nothing in them.
            good = code == 3 and issues[0] == 1 and issues[1] > 0 and incomplete > 0
            good = good and all(row[0] == whole[key][0] and not any(row[1:]) for key, row in got.items())
        if not good:
            failures += 1
            print("%s, %s: exit code %d, %s, issues %s" % (name, what, code, got, issues))
    if any(row[0] == 0 for row in whole.values()):
        failures += 1
        print("%s: the test has no rows: %s" % (name, whole))
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--tools", required=True)
    options = parser.parse_args()
    tool = os.path.join(options.tools, "mkhtrace")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made")
        run(tool, "-o", path, "--emit", "cpuprofile", "--synthetic-profile", "nodes=60,samples=400,depth=8")
        with open(path, "rb") as f:
            failures = check(options.program, folder, "a.cpuprofile", f.read(), PROFILE)
        run(tool, "-o", path, "--emit", "heapsnapshot", "--synthetic", "nodes=200,edges=400,strings=50")
        with open(path, "rb") as f:
            failures += check(options.program, folder, "a.heapsnapshot", f.read(), HEAP)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
