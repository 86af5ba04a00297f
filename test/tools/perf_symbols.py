#!/usr/bin/env python3
"""Records made programs with Linux perf, where it can, and compares the functions that --symbols finds with those of `perf script`.

usage: perf_symbols.py [TRACE_STREAMER]

Ends with 77, and says why, where perf or a compiler is missing or perf may not record.
"""

import json
import lzma
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

program = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "trace_streamer"
SOURCE = """
#include <cstdio>
struct shape { virtual long area(long n) { volatile long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; } };
namespace deep { template <class T> __attribute__((noinline)) long twice(T &s, long n) { return s.area(n) + s.area(n); } }
extern "C" __attribute__((noinline)) long plain(long n) { shape s; return deep::twice(s, n) + 1; }
static __attribute__((noinline)) long hidden(long n) { long s = 0; for (int i = 0; i < 40; i++) s += plain(n); return s; }
int main() { std::printf("%ld\\n", hidden(500000)); return 0; }
"""
FRAME = re.compile(r"\s+(?P<ip>[0-9a-f]+) (?P<sym>.*)\+0x(?P<off>[0-9a-f]+) \((?P<dso>[^()]*)\)$")


def run(*command):
    return starts.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def must(*command):
    done = run(*command)
    if done.returncode != 0:
        sys.exit("%s: %s" % (command[0], done.stderr.decode(errors="replace")))


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def expected(data, binary):
    """Frames in the program: {(address, function, its offset)}. perf finds the functions in the program where it was."""
    done = run("perf", "script", "-i", data, "-F", "ip,sym,symoff,dso")
    frames = [FRAME.match(line) for line in done.stdout.decode(errors="replace").split("\n")]
    return {(int(m["ip"], 16), m["sym"], int(m["off"], 16)) for m in frames if m and m["dso"] == binary}


def found(data, folder):
    database = data + ".db"
    done = run(program, data, "--symbols", folder, "-e", database, "--force", "--quiet", "--strict")
    if done.returncode != 0:
        sys.exit("exit code %d: %s" % (done.returncode, done.stderr.decode()))
    db = sqlite3.connect(database)
    sql = "SELECT d.data, c.offset_to_vaddr, f.symbol, c.vaddr_in_file FROM perf_callchain c JOIN data_dict d ON d.id = c.name JOIN perf_files f " \
          "ON f.file_id = c.file_id AND f.serial_id = c.symbol_id WHERE c.symbol_id >= 0"
    stored = [r[0] for r in db.execute(sql) if "twice" in r[0]]
    if any(not name.startswith("_Z") for name in stored):
        sys.exit("names are not as the file has them: %r" % stored[:3])
    rows = [list(row.values()) for row in json.loads(run(program, database, "-q", sql, "--demangle", "--output=json", "--quiet").stdout)]
    wrong = [r for r in rows if r[0] != r[2]]
    if wrong:
        sys.exit("names of perf_files are others than those of frames: %r" % wrong[:3])
    numbers = db.execute("SELECT file_id, group_concat(serial_id) FROM (SELECT * FROM perf_files ORDER BY id) WHERE serial_id >= 0 GROUP BY file_id").fetchall()
    for file, serials in numbers:
        if serials != ",".join(str(i) for i in range(serials.count(",") + 1)):
            sys.exit("symbols of file %d have the numbers %s" % (file, serials))
    # perf script shows addresses in the file, and no types of parameters and results.
    return {(address + offset, re.sub(r"\(.*|^long ", "", name), offset) for name, offset, _, address in rows}


def make_folders(binary, work, build_id):
    """Folders with the program as people have it: {name: (folder, which functions)}."""
    def folder(name):
        path = os.path.join(work, name)
        os.makedirs(path)
        return path

    folders = {}
    full = folder("full")
    shutil.copy(binary, full)
    folders["full"] = full
    system = folder("system")
    os.makedirs(system + os.path.dirname(binary))
    shutil.copy(binary, system + binary)
    folders["at its path"] = system
    if not build_id:
        return folders
    debug = os.path.join(work, "debug")
    must("objcopy", "--only-keep-debug", binary, debug)
    stripped = os.path.join(work, "stripped")
    must("strip", "-o", stripped, binary)
    split = folder("split")
    note = run("readelf", "-n", binary).stdout.decode()
    number = re.search(r"Build ID: ([0-9a-f]+)", note).group(1)
    os.makedirs(os.path.join(split, ".build-id", number[:2]))
    shutil.copy(debug, os.path.join(split, ".build-id", number[:2], number[2:] + ".debug"))
    shutil.copy(stripped, os.path.join(split, "program of another name"))
    folders["debug information"] = split
    alone = folder("alone")  # without the program
    shutil.copy(debug, os.path.join(alone, os.path.basename(binary) + ".debug"))
    folders["debug information alone"] = alone
    small = folder("small")
    with open(debug + ".xz", "wb") as f, open(binary, "rb") as g:
        f.write(lzma.compress(g.read()))
    must("objcopy", "--add-section", ".gnu_debugdata=" + debug + ".xz", stripped, os.path.join(small, "packed"))
    folders[".gnu_debugdata"] = small
    return folders


KERNEL = re.compile(r"\s+(?P<ip>[0-9a-f]+) (?P<sym>[^ +]+)\+0x(?P<off>[0-9a-f]+) \((?P<dso>\[[^()]*)\)$")


def kernel_names(path):
    """Names of each address: several functions may begin at one."""
    out = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            address, kind, name = line.split()[:3]
            if kind in "tTwW" and int(address, 16):
                out.setdefault(int(address, 16), set()).add(name)
    return out


def made_kernel(work, names, moved):
    """A vmlinux that was linked `moved` below where the kernel ran, with one of the names of each address."""
    source = os.path.join(work, "vmlinux.s")
    with open(source, "w", encoding="utf-8") as f:
        for address, of in sorted(names.items()):
            for name in {"_text"} & of or {min(of)}:
                f.write(".globl %s\n.type %s, %s\n.set %s, 0x%x\n" % (name, name, "@notype" if name == "_text" else "@function", name, (address - moved) % (1 << 64)))
    must("as", "-o", source + ".o", source)
    must("ld", "-e", "_text", "-o", os.path.join(work, "vmlinux"), source + ".o")


def kernel(work, data):
    """Frames in the kernel, named by its own list and by a vmlinux that has other addresses."""
    with open("/proc/kallsyms", encoding="utf-8") as f, open(os.path.join(work, "all"), "w", encoding="utf-8") as g:
        g.write(f.read())
    names = kernel_names(os.path.join(work, "all"))
    lines = run("perf", "script", "-i", data, "-F", "ip,sym,symoff,dso").stdout.decode(errors="replace").split("\n")
    want = {(int(m["ip"], 16), int(m["off"], 16)): m["sym"] for m in map(KERNEL.match, lines) if m and m["dso"] != "[vdso]" and m["sym"] != "[unknown]"}
    if not want or not any("_text" in n for n in names.values()):
        print("not compared: names of the kernel, which perf does not find here")
        return 0
    own, linked, other = (os.path.join(work, n) for n in ("own", "linked", "other"))
    for folder in (own, linked, other):
        os.makedirs(folder)
    shutil.copy(os.path.join(work, "all"), os.path.join(own, "kallsyms"))
    made_kernel(linked, names, 0x2400000)
    with open(os.path.join(other, "kallsyms"), "w", encoding="utf-8") as f:  # of another start of the machine
        f.writelines("%x t %s\n" % ((a + 0x200000) % (1 << 64), n) for a, of in sorted(names.items()) for n in sorted(of))
    # A vmlinux of the same build has its build id; the one here has none, so that it is looked for by its name.
    for folder, some in ((own, True), (linked, True), (other, False)):
        done = run(program, data, "--symbols", folder, "-e", data + ".db", "--force", "--quiet", "--strict")
        if done.returncode != 0:
            sys.exit("exit code %d: %s" % (done.returncode, done.stderr.decode()))
        rows = sqlite3.connect(data + ".db").execute("SELECT c.ip, c.offset_to_vaddr, d.data, c.symbol_id FROM perf_callchain c JOIN data_dict d ON d.id = c.name WHERE c.ip < 0")
        have = {(ip % (1 << 64), offset): name for ip, offset, name, symbol in rows if symbol >= 0}
        wrong = [(k, want.get(k), n) for k, n in have.items() if n not in names.get(k[0] - k[1], ())]
        if wrong or bool(have) != some or (folder == own and not set(want) <= set(have)):
            sys.exit("functions of the kernel, %s: %d of %d, wrong are %r" % (os.path.basename(folder), len(have), len(want), wrong[:4]))
    return len(want)


def main():
    if shutil.which("perf") is None or shutil.which("g++") is None or shutil.which("objcopy") is None:
        skip("there is no perf, g++ or objcopy")
    compared = 0
    with tempfile.TemporaryDirectory() as work:
        work = os.path.realpath(work)
        with open(os.path.join(work, "source.cpp"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for build_id in (True, False):
            binary = os.path.join(work, "with-id" if build_id else "without-id")
            must("g++", "-O1", "-fno-omit-frame-pointer", "-Wl,--build-id" + ("" if build_id else "=none"), "-o", binary, os.path.join(work, "source.cpp"))
            data = binary + ".data"
            done = run("perf", "record", "-e", "cpu-clock", "-F", "999", "-g", "-o", data, "--", binary)
            if done.returncode != 0 or not os.path.exists(data):
                skip("perf records nothing here: " + (done.stderr.decode(errors="replace").strip().split("\n") or [""])[0])
            want = expected(data, binary)
            if len({name for _, name, _ in want}) < 4:
                skip("perf script names no functions of the program: %r" % want)
            for name, folder in make_folders(binary, os.path.join(work, "of-" + os.path.basename(binary)), build_id).items():
                have = found(data, folder)
                if have != want:
                    sys.exit("%s, %s: only perf has %r, only we %r" % (os.path.basename(binary), name, sorted(want - have)[:5], sorted(have - want)[:5]))
                compared += len(have)
            other = os.path.join(work, "other" + str(build_id))
            os.makedirs(other)
            must("g++", "-O0", "-Wl,--build-id", "-o", os.path.join(other, os.path.basename(binary)), os.path.join(work, "source.cpp"))
            if build_id and found(data, other):
                sys.exit("functions of another version of the program were taken")
        system = os.path.join(work, "system")
        os.makedirs(system)
        run("perf", "record", "-e", "cpu-clock", "-F", "999", "-a", "-g", "-o", os.path.join(system, "perf.data"), "--", "sh", "-c", "find /usr/share/doc | sort | md5sum")
        compared += kernel(system, os.path.join(system, "perf.data"))
    print("%d frames compared" % compared)


if __name__ == "__main__":
    main()
