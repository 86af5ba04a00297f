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


def too_slow(fixed, base, last):
    """Four times the size takes four times the time, beside what any run costs; sixteen times would be quadratic."""
    return last - fixed > 8 * max(base - fixed, 0) + 60


def stays_too_slow(program, small, base, last):
    """What three rounds say that measure all anew: the machine may have been slower for one of the figures, so each round has its own."""
    return all(too_slow(*(cost(program, path)[0] for path in (small, base, last))) for _ in range(3))


def check(program, shape, work, fixed, first, fixed_bytes, per_byte):
    times, paths = [], []
    wrong = set()
    for step in range(4) if SLOW else (1, 3):
        paths.append(os.path.join(work, "%s-%d" % (shape, step)))
        size = apart(shape, first << step, paths[-1])
        ms, memory = cost(program, paths[-1])
        times.append(ms)
        if memory > fixed_bytes + per_byte * size:
            wrong.add("memory")
    base = -3 if SLOW else 0
    if too_slow(fixed, times[base], times[-1]) and stays_too_slow(program, os.path.join(work, "small"), paths[base], paths[-1]):
        wrong.add("time")
    for path in paths:
        remove(path)
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
