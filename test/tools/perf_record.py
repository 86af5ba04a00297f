#!/usr/bin/env python3
"""Records programs with Linux perf, where it can, and compares every sample with what `perf script` prints of the same file.

usage: perf_record.py [TRACE_STREAMER]

Ends with 77, and says why, where perf is missing or may not record.
"""

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

program = sys.argv[1] if len(sys.argv) > 1 else "trace_streamer"
LIST = "for i in 1 2; do (find /usr/lib -name none | sort; awk 'BEGIN { for (i = 0; i < 200000; i++) x += i * i }') & done; wait"
WORKLOAD = ("find", "sort", "awk", "mawk", "gawk")  # whose beginning is in the recording
# Options of perf record.
CASES = {
    "stacks": ["-e", "cpu-clock", "-g"],
    "two events": ["-e", "cpu-clock", "-e", "task-clock", "-F", "999"],
    "tracepoints": ["-e", "sched:sched_switch", "-e", "cpu-clock", "-g"],
    "compressed": ["-z", "-e", "cpu-clock", "-g"],
    "all CPUs": ["-a", "-e", "cpu-clock", "-g"],
    "clock": ["-k", "CLOCK_MONOTONIC", "-e", "cpu-clock"],
    "group": ["-e", "{cpu-clock,page-faults}:S", "-g"],
    "stacks as bytes": ["-e", "cpu-clock", "--call-graph=dwarf,1024"],
    "build ids": ["--buildid-mmap", "-e", "cpu-clock", "-g"],
    "pipe": ["-e", "cpu-clock", "-e", "sched:sched_switch", "-g"],
    "weights": ["-e", "cpu-clock", "-d", "--phys-data", "-W", "-g"],
}
ANONYMOUS = ("//anon", "/dev/zero", "/anon_hugepage", "/SYSV", "[heap]", "[stack", "[anon", "/memfd")
HEAD = re.compile(r"\s*(?P<comm>.*?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+(?:\[(?P<cpu>\d+)\]\s+)?(?P<s>\d+)\.(?P<ns>\d{9}):\s+(?P<period>\d+)\s+(?P<event>\S+):\s*$")
FRAME = re.compile(r"\s+(?P<ip>[0-9a-f]+)\s+\((?P<dso>.*)\)$")


def run(*command):
    return starts.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def perf_script(path, fields):
    done = run("perf", "script", "-i", path, "--ns", "-F", fields)
    if done.returncode != 0:
        sys.exit("perf script: %s" % done.stderr.decode(errors="replace"))
    samples = []
    for line in done.stdout.decode(errors="replace").split("\n"):
        head = HEAD.match(line)
        frame = None if head else FRAME.match(line)
        if head:
            samples.append([head["comm"], int(head["pid"]), int(head["tid"]), int(head["s"]) * 10**9 + int(head["ns"]), int(head["period"]), head["event"], []])
        elif frame:
            samples[-1][6].append((int(frame["ip"], 16), frame["dso"]))
        elif line.strip() and "ip" in fields:  # of a pipe, perf prints them unasked and without files
            sys.exit("perf script: %r is no line of a sample" % line)
    return samples


def last_names(path):
    """By (pid, tid): the name that the last record of a name gives."""
    done = run("perf", "script", "-i", path, "--show-task-events", "-F", "comm,pid,tid,time")
    found = re.findall(r"PERF_RECORD_COMM(?: exec)?: (.*):(-?\d+)/(-?\d+)$", done.stdout.decode(errors="replace"), re.M)
    return {(int(pid), int(tid)): name for name, pid, tid in found if name}


def frame_of(ip, path, name):
    """A frame as perf script writes it: addresses of files count from their beginning, those of the kernel are whole."""
    if path is None:
        return ip & (1 << 64) - 1, "[unknown]"
    return int(name.rpartition("+0x")[2], 16), path


def database(path, stacks):
    db = sqlite3.connect(path)
    files = dict(db.execute("SELECT file_id, path FROM perf_files"))
    chains = {}
    for chain, ip, file, name in db.execute("SELECT c.callchain_id, c.ip, c.file_id, d.data FROM perf_callchain c JOIN data_dict d ON d.id = c.name ORDER BY c.id DESC"):
        chains.setdefault(chain, []).append(frame_of(ip, files.get(file), name))
    names = {(pid, tid): name for pid, tid, name in db.execute("SELECT process_id, thread_id, thread_name FROM perf_thread")}
    events = dict(db.execute("SELECT id, report_value FROM perf_report WHERE report_type = 'config_name'"))
    processes = dict(db.execute("SELECT s.id - 1, p.pid FROM stack_sample s JOIN thread t ON t.itid = s.itid JOIN process p ON p.ipid = t.ipid"))
    return names, [[processes.get(i, -1), tid, ts, period, events[event], chains.get(chain, []) if stacks else []]
                   for i, tid, ts, period, event, chain in db.execute("SELECT id, thread_id, timeStamp, event_count, event_type_id, callchain_id FROM perf_sample ORDER BY id")]


def same_stack(want, have):
    """Frames of addresses 0 and 1, which end broken chains, are left out. perf leaves out a whole chain that has a mark which it does not know."""
    if not want:
        return True
    want = [f for f in want if f[0] > 1 or f[1] != "[unknown]"]
    return len(want) == len(have) and all(w[0] == h[0] and same_file(w[1], h[1]) for w, h in zip(want, have))


def same_file(want, have):
    """Memory without a file, where a compiler may have put code, is a file of that compiler's for perf. What lies after the recorded map of the
    kernel (code of its start, made code) is the kernel for perf, and in no file for us."""
    return want == have or (want.startswith("[kernel.kallsyms]") and have in ("[kernel.kallsyms]", "[unknown]")) or (want.startswith("/tmp/perf-") and have.startswith(ANONYMOUS))


def compare(name, data, stacks):
    done = run(program, data, "-e", data + ".db", "--force", "--quiet", "--strict")
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (name, done.returncode, done.stderr.decode()))
    want = perf_script(data, "comm,pid,tid,time,period,event" + (",ip,dso" if stacks else ""))
    names, have = database(data + ".db", stacks)
    if name == "group":  # perf script makes a sample of each event of a group, whose periods are what its counter grew by
        want = list({(w[2], w[3]): w for w in reversed(want)}.values())[::-1]
        want = [[*w[:4], h[3], h[4], w[6]] for w, h in zip(want, have)] + want[len(have):]
    if len(want) != len(have):
        sys.exit("%s: %d samples, perf script has %d" % (name, len(have), len(want)))
    wrong = []
    if stacks and sum(not w[6] for w in want) > len(want) // 20 + 1:
        wrong.append("perf script shows no stacks")
    for i, (w, h) in enumerate(zip(want, have)):
        # Maps of processes that come and go while perf looks for those there are may lack in the recording: what perf then says is a guess.
        known = stacks and (name != "all CPUs" or w[0] in WORKLOAD)
        if w[2:6] != h[1:5] or (w[1] > 0 and w[2] > 0 and w[1] != h[0]) or not (not known or same_stack(w[6], h[5])):
            wrong.append("sample %d: %r\n  instead of %r" % (i, h, w))
    # Ours is the last name of a thread, perf script's the one that it had at the time.
    last = {(w[1], w[2]): w[0] for w in want if w[2] > 0 and not w[0].startswith(":")}
    last.update((k, v) for k, v in last_names(data).items() if k in names)
    wrong += ["thread %r: %r instead of %r" % (k, names.get(k), v) for k, v in last.items() if names.get(k) != v]
    if wrong:
        sys.exit("%s: %d differ\n%s" % (name, len(wrong), "\n".join(w[:2000] for w in wrong[:5])))
    return len(have)


def main():
    if shutil.which("perf") is None:
        print("skipped: there is no perf")
        sys.exit(77)
    samples, left = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for name, options in CASES.items():
            data = os.path.join(folder, "perf.data")
            done = run("perf", "record", "-o", "-" if name == "pipe" else data, *options, "--", "sh", "-c", LIST)
            if name == "pipe":
                with open(data, "wb") as f:
                    f.write(done.stdout)
            if done.returncode != 0 or not os.path.exists(data) or not perf_script(data, "comm,pid,tid,time,period,event"):
                left.append("%s: %s" % (name, (done.stderr.decode(errors="replace").strip().split("\n") or [""])[0]))
                continue
            samples += compare(name, data, "-g" in options and name != "pipe")
            os.remove(data)
    for reason in left:
        print("not recorded: %s" % reason)
    if samples == 0:
        print("skipped: perf records nothing here")
        sys.exit(77)
    print("%d samples compared" % samples)


if __name__ == "__main__":
    main()
