#!/usr/bin/env python3
"""Frames in a kernel and in modules that are made here, named with --symbols as nm says; perf script, where there is one, has to agree.

usage: perf_modules.py [TRACE_STREAMER]

Ends with 77, and says why, where there is no compiler.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import perf_write as w
import starts

program = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "trace_streamer"
TEXT, INIT, SLIDE = 0xFFFFFFFF81000000, 0xFFFFFFFF82000000, 0x600000
FIRST, SECOND, GONE, LENGTH = 0xFFFFFFFFC0000000, 0xFFFFFFFFC0010000, 0xFFFFFFFFC0020000, 0x8000
NAMES = {FIRST: "[my_mod]", SECOND: "/lib/modules/6.1.0/kernel/net/other-mod.ko.xz", GONE: "[gone]"}
KERNEL_ID, SECOND_ID = b"\x11" * 20, b"\x22" * 20
KERNEL = """
.globl _text, _etext, _sinittext, _einittext, _end
.text
_text: .skip 0x40, 0x90
.type schedule, @function
schedule: .skip 0x80, 0x90
.size schedule, .-schedule
_etext:
.section .init.text, "ax"
_sinittext: .skip 0x10, 0x90
.globl start_kernel
.type start_kernel, @function
start_kernel: .skip 0x60, 0x90
.size start_kernel, .-start_kernel
_einittext: .skip 0x1000, 0
_end:
"""
MODULE = """
#define PUT(where) __attribute__((noinline, aligned(32), section(where)))
int %(p)s_data = 5;
PUT(".init.text") int %(p)s_start(int n) { return n * %(p)s_data + 7; }
int %(p)s_leaf(int n) { return n * %(p)s_data; }
PUT(".text.unlikely") int %(p)s_rare(int n) { return n / %(p)s_data + 1; }
int %(p)s_caller(int n) { return %(p)s_leaf(n) + %(p)s_rare(n); }
static __attribute__((noinline, used)) int %(p)s_own(int n) { return n * 3; }
PUT(".exit.text") int %(p)s_end(int n) { return n - %(p)s_data; }
"""


def run(*command, env=None):
    return starts.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, env=env)


def must(*command):
    done = run(*command)
    if done.returncode != 0:
        sys.exit("%s: %s" % (command[0], done.stderr.decode(errors="replace")))
    return done.stdout.decode()


def symbols(path):
    """(section, name, value, size) of functions."""
    names, out = {}, []
    for line in must("readelf", "-SW", path).split("\n"):
        m = re.match(r"\s*\[\s*(\d+)\] (\.\S+)", line)
        if m:
            names[m[1]] = m[2]
    for line in must("readelf", "-sW", path).split("\n"):
        p = line.split()
        if len(p) == 8 and p[3] == "FUNC":
            out.append((names.get(p[6]), p[7], int(p[1], 16), int(p[2], 0)))
    return out


def section(path, name):
    """(size, alignment)."""
    line = next(x for x in must("readelf", "-SW", path).split("\n") if re.search(r"\] %s " % re.escape(name), x))
    p = line.split("]")[1].split()
    return int(p[4], 16), int(p[-1])


def make(work):
    """The kernel, and modules with and without build ids."""
    def source(name, text):
        path = os.path.join(work, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def at(name):
        return os.path.join(work, name)

    must("gcc", "-c", "-o", at("kernel.o"), source("kernel.s", KERNEL))
    must("ld", "-e", "_text", "--build-id=0x" + KERNEL_ID.hex(), "-Ttext=0x%x" % TEXT, "--section-start=.init.text=0x%x" % INIT, "-o", at("vmlinux"), at("kernel.o"))
    for prefix, build_id in (("first", "none"), ("second", "0x" + SECOND_ID.hex()), ("third", "0x" + "33" * 20)):
        path = source(prefix + ".c", MODULE % {"p": "second" if prefix == "third" else prefix})
        must("gcc", "-O1", "-g", "-fno-pic", "-fcf-protection=none", "-c", "-o", at(prefix + ".o"), path)
        must("ld", "-r", "--build-id=" + build_id, "-o", at(prefix + ".ko"), at(prefix + ".o"))
        must("objcopy", "--only-keep-debug", at(prefix + ".ko"), at(prefix + ".ko.debug"))


def places(work):
    """{address: (name, its offset)} of the kernel, of each module, and addresses that have none."""
    kernel, modules, none = {}, {}, []
    for where, name, value, _ in symbols(os.path.join(work, "vmlinux")):
        kernel[value + 9] = (name, 9)
        none += [INIT + 0x1100] if where == ".init.text" else []
    for base, prefix in ((FIRST, "first"), (SECOND, "second")):
        path = os.path.join(work, prefix + ".ko")
        size, _ = section(path, ".text")
        rare, align = section(path, ".text.unlikely")
        after = (size + align - 1) // align * align
        of = modules[base] = {}
        for where, name, value, length in symbols(path):
            if where in (".text", ".text.unlikely"):
                for offset in (0, length - 1):
                    of[base + value + offset + (after if where == ".text.unlikely" else 0)] = (name, offset)
        none += [base + after + rare + 0x40, base + LENGTH - 8]
    return kernel, modules, none + [GONE, GONE + 0x100]


def recording(path, slide, addresses, ids=True):
    event = w.Event("cycles", [7], w.IDENTIFIER | w.IP | w.TID | w.TIME | w.CALLCHAIN | w.CPU | w.PERIOD, flags=0, size=128)
    records = w.mmap(1, -1, TEXT + slide, 0xC0, TEXT + slide, "[kernel.kallsyms]_text")
    for start, name in NAMES.items():
        records += w.mmap(1, -1, start, LENGTH, 0, name)
    records += w.comm(20, 20, "app")
    for i, address in enumerate(addresses):
        records += w.sample(event, 1, {"pid": 20, "tid": 20, "time": 1000 + i, "cpu": 0, "ip": address, "period": 1, "ips": [w.M64 - 127, address]})
    features = {11: w.u32(1) + w.text("perf", True), 4: w.text("6.1.0", True), 6: w.text("x86_64", True)}
    if ids:
        features[2] = b"".join(w.record(67, 1, w.u32(-1) + value.ljust(24, b"\0") + w.padded(name, 64))
                               for value, name in ((KERNEL_ID, "[kernel.kallsyms]"), (SECOND_ID, NAMES[SECOND])))
    with open(path, "wb") as f:
        f.write(w.perf_data([event], records, features))


def named(data, folder):
    """{address: (name, offset)}; without a function its name alone."""
    done = run(program, data, "--symbols", folder, "-e", data + ".db", "--force", "--quiet", "--strict")
    if done.returncode != 0:
        sys.exit("exit code %d: %s" % (done.returncode, done.stderr.decode()))
    rows = sqlite3.connect(data + ".db").execute("SELECT c.ip, d.data, c.offset_to_vaddr, c.symbol_id FROM perf_callchain c JOIN data_dict d ON d.id = c.name")
    return {ip % (1 << 64): (name, offset) if symbol >= 0 else name for ip, name, offset, symbol in rows}


def nameless(address, slide):
    if TEXT + slide <= address < TEXT + slide + 0xC0:
        return "[kernel.kallsyms]+0x%x" % address
    for start, name in NAMES.items():
        if start <= address < start + LENGTH:
            return "%s+0x%x" % (name.split("/")[-1], address - start)
    return "@0x%x" % address


def by_perf(work, data, names):
    """What perf script says, with modules where they were and the kernel that is made here. Of modules it names functions of .text alone."""
    root = os.path.join(work, "root")
    for prefix, name in names.items():
        os.makedirs(os.path.dirname(root + name), exist_ok=True)
        shutil.copy(os.path.join(work, prefix + ".ko"), root + name)
    done = run("perf", "script", "-i", data, "-f", "--symfs", root, "-k", os.path.join(work, "vmlinux"), "-F", "ip,sym,symoff")
    found = re.findall(r"^\s*([0-9a-f]{16}) (\S+)\+0x([0-9a-f]+)$", done.stdout.decode(), re.M)
    return {int(ip, 16): (name, int(offset, 16)) for ip, name, offset in found}


def compare_with_perf(work, kernel, modules, none):
    data, names = os.path.join(work, "perf.data"), {prefix: "/lib/modules/6.1.0/kernel/net/%s.ko" % prefix for prefix in ("first", "second")}
    NAMES.update({FIRST: names["first"], SECOND: names["second"]})
    every = sorted({*kernel, *modules[FIRST], *modules[SECOND], *none})
    recording(data, SLIDE, every)
    want = by_perf(work, data, names)
    if not want:
        print("not compared: perf script names nothing here")
        return 0
    folder = os.path.join(work, "root")
    shutil.copy(os.path.join(work, "vmlinux"), folder)
    have = {a: n for a, n in named(data, folder).items() if isinstance(n, tuple)}
    wrong = [a for a in every if have.get(a, ("", 0)) != want.get(a, have.get(a, ("", 0))) or (a in have and a not in want and not have[a][0].endswith("_rare"))]
    if wrong:
        sys.exit("perf script: 0x%x is %r, not %r" % (wrong[0], have.get(wrong[0]), want.get(wrong[0])))
    return len(want)


def compare(what, have, want, every, slide):
    for address in every:
        one = want.get(address, nameless(address, slide))
        if have.get(address) != one:
            sys.exit("%s: 0x%x is %r, not %r" % (what, address, have.get(address), one))
    return len(want)


def main():
    if shutil.which("gcc") is None or shutil.which("objcopy") is None or os.uname().machine != "x86_64":
        print("skipped: there is no gcc for x86_64, or no objcopy")
        sys.exit(77)
    compared = 0
    with tempfile.TemporaryDirectory() as work:
        make(work)
        kernel, modules, none = places(work)
        linked = {a + SLIDE: n for a, n in kernel.items()}
        first, second = modules[FIRST], modules[SECOND]
        lines = ["%x T %s" % (TEXT, "_text"), "%x T _etext" % (TEXT + 0xC0), "%x T _einittext" % (INIT + 0x70)]
        lines += ["%x t %s" % (a - o, n) for a, (n, o) in kernel.items()] + ["%x t %s\t[other_mod]" % (a - o, n) for a, (n, o) in second.items() if o == 0]
        with open(os.path.join(work, "list"), "w", encoding="utf-8") as f:
            f.write("\n".join(sorted(lines)) + "\n")
        # Without sizes a function of the list goes up to the next one: what is after the last is not asked for.
        ended = [a for a in none if not SECOND <= a < GONE]
        for what, slide, ids, files, want in (
                ("by names", SLIDE, True, {"vmlinux": "vmlinux", "first.ko": "lib/my-mod.ko", "second.ko": "lib/other_mod.ko"}, {**linked, **first, **second}),
                ("by build ids", SLIDE, True, {"vmlinux": "kernel-of-another-name", "second.ko": "x", "third.ko": "other-mod.ko"}, {**linked, **second}),
                ("debug information", SLIDE, True, {"first.ko.debug": "my_mod.ko.debug", "second.ko.debug": "other_mod.ko.debug"}, {**first, **second}),
                ("others", SLIDE, True, {"third.ko": "other-mod.ko", "first.ko": "my_mod2.ko"}, {}),
                ("the list", 0, True, {"list": "kallsyms", "first.ko": "my_mod.ko"}, {**kernel, **first, **second}),
                ("the list and a file without an id", 0, False, {"list": "kallsyms", "third.ko": "other_mod.ko"}, {**kernel, **second}),
                ("the list of another start", SLIDE, True, {"list": "kallsyms"}, {})):
            folder = os.path.join(work, what)
            for name, to in files.items():
                path = os.path.join(folder, to)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                shutil.copy(os.path.join(work, name), path)
            data = os.path.join(work, "perf.data")
            every = sorted({*want, *(linked if slide else kernel), *first, *second, *(ended if "list" in files else none)})
            recording(data, slide, every, ids)
            compared += compare(what, named(data, folder), want, every, slide)
        compared += compare_with_perf(work, linked, modules, none) if shutil.which("perf") else 0
    print("%d frames compared" % compared)


if __name__ == "__main__":
    main()
