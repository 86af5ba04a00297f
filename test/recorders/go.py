"""Go: profiles of every kind that the runtime keeps, written by the program and by its HTTP endpoints, and those of an execution trace."""

import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = ("heap", "allocs", "block", "mutex", "goroutine", "threadcreate")
FILES = ["cpu", *RUNTIME, "http-profile", *("http-" + name for name in RUNTIME), "http-allocs-whole"]
# What `go tool trace` makes of an execution trace, which is not read itself.
TRACED = ("net", "sync", "syscall", "sched")

QUICK = ("profile",)


def kinds(program):
    return ["profile"]


def record(program, kind, folder):
    """One run gives all kinds."""
    built = os.path.join(folder, "profiled")
    subprocess.run([program, "build", "-trimpath", "-o", built, os.path.join(HERE, "..", "..", "tools", "record-go.go")], check=True, capture_output=True)
    subprocess.run([built, "http"], check=True, capture_output=True, cwd=folder)
    files = [os.path.join(folder, name + ".pprof") for name in FILES]
    for name in TRACED:
        files.append(os.path.join(folder, "trace-" + name + ".pprof"))
        with open(files[-1], "wb") as f:
            subprocess.run([program, "tool", "trace", "-pprof=" + name, os.path.join(folder, "http-trace.pprof")], check=True, stdout=f, stderr=subprocess.PIPE)
    return "pprof", files


def installed():
    return [p for p in [shutil.which("go")] if p]


def version(program):
    return subprocess.run([program, "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout.strip().lstrip("go")
