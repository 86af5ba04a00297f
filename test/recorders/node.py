"""Node.js: every way in which it writes heaps, profiles and traces."""

import glob
import os
import re
import shutil
import signal
import subprocess

from devtools import WebSocket, heap, profile, sampling, timeline

HERE = os.path.dirname(os.path.abspath(__file__))
CATEGORIES = ",".join((
    "node,node.async_hooks,node.bootstrap,node.console,node.dns.native,node.net.native,node.environment,node.fs.sync,node.fs.async,node.fs_dir.sync,node.fs_dir.async",
    "node.perf,node.promises.rejections,node.threadpoolwork.sync,node.threadpoolwork.async,node.vm.script,node.http,v8,v8.wasm",
    ",".join("disabled-by-default-v8." + c for c in ("cpu_profiler", "cpu_profiler.hires", "gc", "gc_stats", "runtime_stats", "runtime", "compile", "wasm.detailed", "zone_stats"))))

# kind: (format, what node.js does, options of Node.js, first version, what of the files that it wrote is the recording: None for OUT)
KINDS = {
    "heap write": ("heap", "write", [], 14, None),
    "heap write internals": ("heap", "write-internals", [], 18, None),
    "heap write numbers": ("heap", "write-numbers", [], 18, None),
    "heap write all": ("heap", "write-all", [], 18, None),
    "heap stream": ("heap", "stream", [], 14, None),
    "heap of worker": ("heap", "worker", [], 14, None),
    "heap in worker": ("heap", "in-worker", [], 14, None),
    "heap inspector": ("heap", "inspector", [], 14, None),
    "heap inspector all": ("heap", "inspector-all", [], 14, None),
    "heap signal": ("heap", "signal", ["--heapsnapshot-signal=SIGUSR2"], 14, "*.heapsnapshot"),
    "heap near limit": ("heap", "fill", ["--heapsnapshot-near-heap-limit=1", "--max-old-space-size=24"], 16, "*.heapsnapshot"),
    "timeline": ("heap", "timeline", [], 14, None),
    "timeline allocations": ("heap", "timeline-allocations", [], 14, None),
    "heap while tracking": ("heap", "while-tracking", [], 14, None),
    "heap while tracking allocations": ("heap", "while-tracking-allocations", [], 14, None),
    "heap-prof": ("heapprofile", "work", ["--heap-prof", "--heap-prof-interval=8192"], 14, "Heap.*.heapprofile"),
    "heap-prof in worker": ("heapprofile", "worker", ["--heap-prof", "--heap-prof-interval=4096"], 14, "Heap.*.heapprofile"),
    "sampling": ("heapprofile", "sampling", [], 14, None),
    "sampling collected": ("heapprofile", "sampling-collected", [], 14, None),
    "cpu-prof 100": ("cpuprofile", "work", ["--cpu-prof", "--cpu-prof-interval=100"], 14, "CPU.*.cpuprofile"),
    "cpu-prof 1000": ("cpuprofile", "work", ["--cpu-prof"], 14, "CPU.*.cpuprofile"),
    "cpu-prof in worker": ("cpuprofile", "in-worker", ["--cpu-prof"], 14, "CPU.*.cpuprofile"),
    "cpu 100": ("cpuprofile", "cpu-100", [], 14, None),
    "cpu 1000": ("cpuprofile", "cpu-1000", [], 14, None),
    "cpu 10000": ("cpuprofile", "cpu-10000", [], 14, None),
    "trace file": ("chrome_trace", "everything", ["--trace-event-file-pattern=out-${rotation}.json", "--trace-event-categories=" + CATEGORIES], 14, "out-*.json"),
    "trace inspector": ("chrome_trace", "tracing", [], 14, None),
}
# Over a WebSocket: (format, what is asked for)
SOCKET_KINDS = {
    "socket heap": ("heap", heap),
    "socket timeline": ("heap", lambda p, out: timeline(p, out, False)),
    "socket timeline allocations": ("heap", lambda p, out: timeline(p, out, True)),
    "socket sampling": ("heapprofile", sampling),
    "socket cpu": ("cpuprofile", lambda p, out: profile(p, out, 500)),
}


QUICK = ("heap write all", "heap while tracking allocations", "timeline allocations", "heap near limit", "sampling", "cpu-prof 1000", "trace file", "socket timeline allocations")


def kinds(program):
    major = int(version(program).split(".")[0])
    return [k for k, v in KINDS.items() if v[3] <= major] + list(SOCKET_KINDS)


def environment():
    return {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}


def script(*args):
    return [os.path.join(HERE, "node.js"), *args]


def over_socket(program, kind, folder, out):
    """A Node.js that works, and a client outside it."""
    process = subprocess.Popen([program, "--inspect=127.0.0.1:0", *script("wait")], cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            url = re.search(r"ws://\S+", line)
            if url:
                break
        SOCKET_KINDS[kind][1](WebSocket(url.group()), out)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return [out]


def record(program, kind, folder):
    """(format, paths) of what a kind gives; folder: an own one."""
    if kind in SOCKET_KINDS:
        form = SOCKET_KINDS[kind][0]
        return form, over_socket(program, kind, folder, os.path.join(folder, "out." + form))
    form, what, options, _, pattern = KINDS[kind]
    out = os.path.join(folder, "out." + form)
    done = subprocess.run([program, *options, *script(what, out)], cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    paths = sorted(glob.glob(os.path.join(folder, pattern))) if pattern else [out]
    if (done.returncode != 0 and what != "fill") or not paths or not all(os.path.exists(p) for p in paths):
        raise RuntimeError("%s: exit code %d: %s" % (kind, done.returncode, done.stderr[-400:]))
    return form, paths


def installed():
    return shutil.which("node")


def version(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip().lstrip("v")
