"""Linux: what `perf script` and `trace-cmd report` print."""

import os
import re
import shutil
import subprocess

EVENTS = "sched:*,irq:*,workqueue:*,power:*,signal:*,task:*"
BUSY = ["sh", "-c", "for i in 1 2 3 4 5 6; do (sleep 0.02; gzip -c /proc/self/exe >/dev/null) & done; wait"]
# kind: (program, format, options of record, options of script)
KINDS = {
    "perf sched": ("perf", "perf", ["-a", "-e", "sched:*"], []),
    "perf all events": ("perf", "perf", ["-a", "-e", EVENTS], ["--ns", "-F", "comm,pid,tid,cpu,time,event,trace"]),
    "perf one process": ("perf", "perf", ["-e", "sched:*,task:*"], ["--ns"]),
    "perf samples": ("perf", "perf_text", ["-a", "-e", "cpu-clock", "-g"], ["--header"]),
    "perf samples, flat": ("perf", "perf_text", ["-e", "task-clock:u,page-faults"], ["--ns"]),
    "perf samples, srcline": ("perf", "perf_text", ["-e", "cpu-clock", "--call-graph", "dwarf,4096"], ["-F", "+srcline"]),
    "perf samples, fields": ("perf", "perf_text", ["-a", "-e", "cpu-clock,sched:sched_process_exec", "-g"],
                             ["--show-task-events", "-F", "comm,pid,tid,time,event,ip,sym,dso"]),
    "perf stacks": ("perf", "perf_text", ["-a", "-g", "-e", "cpu-clock"], []),
    "perf stacks, all fields": ("perf", "perf_text", ["-g", "-e", "task-clock"], ["--ns", "-F", "comm,pid,tid,time,period,event,ip,sym,symoff,dso"]),
    "perf stacks, few fields": ("perf", "perf_text", ["-g", "-e", "cpu-clock:u"], ["-F", "comm,tid,time,ip,sym"]),
    "perf stacks, no time": ("perf", "perf_text", ["-g", "-e", "cpu-clock"], ["-F", "comm,pid,tid,ip,sym,dso"]),
    "perf stacks, no name": ("perf", "perf_text", ["-g", "-e", "cpu-clock"], ["-F", "tid,time,event,ip,sym"]),
    "trace-cmd sched": ("trace-cmd", "perf", ["-e", "sched"], []),
    "trace-cmd all events": ("trace-cmd", "perf", [o for e in ("sched", "irq", "workqueue", "power", "signal", "task") for o in ("-e", e)], ["-t"]),
}

QUICK = ("perf all events", "perf samples, srcline", "perf stacks")


def record(program, kind, folder):
    name, form, recording, printing = KINDS[kind]
    data, out = os.path.join(folder, "out.data"), os.path.join(folder, "out.txt")
    subprocess.run([program, "record", "-o", data, *recording, *BUSY], check=True, capture_output=True, cwd=folder)
    with open(out, "wb") as f:
        subprocess.run([program, *(["script"] if name == "perf" else ["report"]), "-i", data, *printing], check=True, stdout=f, stderr=subprocess.DEVNULL, cwd=folder)
    return form, [out]


def installed():
    return [p for p in map(shutil.which, ("perf", "trace-cmd")) if p]


def kinds(program):
    return [k for k, v in KINDS.items() if v[0] == os.path.basename(program)]


def version(program):
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    return re.search(r"\d[\w.]*", said).group()
