"""Runs the shapes of one format in two sizes, the second four times the first, and says whose time or memory grows too fast.
TS_SLOW=1: in four sizes, each twice the one before; the second and the last are those two.

A shape is a function of an output and a size; the output counts the bytes that it was given. Scripts that have shapes (cloud.py,
flare.py) end with a call of main:

usage: SCRIPT PROGRAM [SHAPE]...     as long as nothing is wrong
       SCRIPT --list                 the names of the shapes
       SCRIPT --write SHAPE N PATH   one of them
"""

import os
import shutil
import subprocess
import sys
import tempfile

MB = 1 << 20
SLOW = os.environ.get("TS_SLOW", "0") != "0"


def cost(program, path):
    """Processor time in ms, memory in bytes."""
    out = path + ".db"
    with subprocess.Popen([program, path, "-e", out, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as p:
        err = p.stderr.read()
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode not in (0, 6):
        sys.exit("%s: exit %d: %s" % (path, p.returncode, err.decode()))
    if os.path.exists(out):
        os.remove(out)
    return (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss * 1024


def apart(shape, n, path):
    """Writes it in a process of its own: what is measured counts the memory of its parent, too."""
    return int(subprocess.check_output([sys.executable, sys.argv[0], "--write", shape, str(n), path]))


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    else:
        os.remove(path)


def too_slow(times, fixed):
    """Four times the size takes four times the time, beside what any run costs; sixteen times would be quadratic."""
    return times[-1] - fixed > 8 * max(times[-3 if SLOW else 0] - fixed, 0) + 60


def check(program, shape, work, fixed, first, fixed_bytes, per_byte):
    times = []
    wrong = set()
    for step in range(4) if SLOW else (1, 3):
        path = os.path.join(work, shape)
        size = apart(shape, first << step, path)
        ms, memory = cost(program, path)
        times.append(ms)
        for _ in range(3):  # others use the machine, too
            if step == 3 and too_slow(times, fixed):
                times[-1] = min(times[-1], cost(program, path)[0])
        if step == 3 and too_slow(times, fixed):
            wrong.add("time")
        remove(path)
        if memory > fixed_bytes + per_byte * size:
            wrong.add("memory")
    print("%-24s ms %s, %.1f MB of %.1f MB, %.0f bytes a byte%s" % (
        shape, " ".join("%.0f" % t for t in times), memory / MB, size / MB, (memory - 16 * MB) / size,
        " WRONG: " + ", ".join(sorted(wrong)) if wrong else ""), flush=True)
    return not wrong


def main(shapes, output, smallest, fixed_bytes, per_byte, first=6000):
    """shapes: functions by name. smallest: the one whose size 1 costs what any run costs."""
    if sys.argv[1] == "--list":
        print("\n".join(shapes))
        return
    if sys.argv[1] == "--write":
        o = output(sys.argv[4])
        shapes[sys.argv[2]](o, int(sys.argv[3]))
        print(o.bytes)
        return
    program = sys.argv[1]
    work = tempfile.mkdtemp()
    try:
        apart(smallest, 1, os.path.join(work, "small"))
        fixed = min(cost(program, os.path.join(work, "small"))[0] for _ in range(3))
        failed = [s for s in (sys.argv[2:] or shapes)
                  if not check(program, s, work, fixed, first, fixed_bytes, per_byte)]
    finally:
        shutil.rmtree(work)
    if failed:
        sys.exit("wrong: " + " ".join(failed))
