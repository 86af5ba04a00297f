"""Go: profiles of every kind that the runtime keeps, written by the program and by its HTTP endpoints."""

import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = ("heap", "allocs", "block", "mutex", "goroutine", "threadcreate")
FILES = ["cpu", *RUNTIME, "http-profile", *("http-" + name for name in RUNTIME), "http-allocs-whole"]

QUICK = ("profile",)


def kinds(program):
    return ["profile"]


def record(program, kind, folder):
    """One run gives all kinds."""
    built = os.path.join(folder, "profiled")
    subprocess.run([program, "build", "-trimpath", "-o", built, os.path.join(HERE, "..", "..", "tools", "record-go.go")], check=True, capture_output=True)
    subprocess.run([built, "http"], check=True, capture_output=True, cwd=folder)
    return "pprof", [os.path.join(folder, name + ".pprof") for name in FILES]


def installed():
    return [p for p in [shutil.which("go")] if p]


def version(program):
    return subprocess.run([program, "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout.strip().lstrip("go")
