"""OpenJDK: recordings of JFR, of a program that has all kinds of events."""

import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(HERE, "..", "..", "tools")

# kind: (settings of the recording, options of the JVM)
KINDS = {
    "default": ("settings=default", []),
    "profile": ("settings=profile", []),
    "profile, many chunks": ("settings=profile", ["-XX:FlightRecorderOptions:maxchunksize=1m"]),
    "profile, CPU time": ("settings=profile,jdk.CPUTimeSample#enabled=true", []),
}
OTHERS = ("all kinds of events", "dump while running", "repository of a killed JVM")

QUICK = ("profile, many chunks",)


def kinds(home):
    return [k for k in KINDS if k != "profile, CPU time" or int(version(home).split(".")[0]) >= 25] + list(OTHERS)


def tool(home, name):
    return os.path.join(home, "bin", name)


def java(home, folder, settings, options, rounds):
    """The command that records, of a program compiled into a folder."""
    subprocess.run([tool(home, "javac"), "-d", folder, os.path.join(TOOLS, "RecordJfr.java")], check=True, capture_output=True)
    return [tool(home, "java"), "-Xmx200m", "-Xlog:jfr+startup=error", *options, "-XX:StartFlightRecording:" + settings, "-cp", folder, "RecordJfr", str(rounds)]


def flushed(path):
    """Does its header say where the metadata are? It does when something has been flushed, each second."""
    with open(path, "rb") as f:
        header = f.read(68)
    return len(header) == 68 and struct.unpack(">q", header[24:32])[0] > 0


def running(home, folder, kind):
    """Files of a JVM that is still at work."""
    repository, out = os.path.join(folder, "repository"), os.path.join(folder, "out.jfr")
    process = subprocess.Popen(java(home, folder, "settings=profile", ["-XX:FlightRecorderOptions:repository=" + repository], 1000), cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    files = lambda: sorted(glob.glob(os.path.join(repository, "*", "*.jfr")))
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end and not any(map(flushed, files())):
            time.sleep(0.2)
        time.sleep(1)
        if kind == "dump while running":
            subprocess.run([tool(home, "jcmd"), str(process.pid), "JFR.dump", "filename=" + out], check=True, capture_output=True)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return [out] if kind == "dump while running" else [p for p in files() if flushed(p)]


def record(home, kind, folder):
    out = os.path.join(folder, "out.jfr")
    if kind in KINDS:
        settings, options = KINDS[kind]
        subprocess.run(java(home, folder, "%s,filename=%s" % (settings, out), options, 1), check=True, capture_output=True, cwd=folder)
    elif kind == "all kinds of events":
        subprocess.run([os.path.join(TOOLS, "record-jfr.sh"), out], check=True, capture_output=True, env={**os.environ, "PATH": tool(home, "") + ":" + os.environ["PATH"]})
    else:
        return "jfr", running(home, folder, kind)
    return "jfr", [out]


def installed():
    """Every JDK of this machine once."""
    found = {}
    for path in [shutil.which("jfr"), *glob.glob("/usr/lib/jvm/*/bin/jfr")]:
        if path and os.path.exists(os.path.join(os.path.dirname(os.path.realpath(path)), "javac")):
            home = os.path.dirname(os.path.dirname(os.path.realpath(path)))
            found.setdefault(version(home), home)
    return list(found.values())


def version(home):
    text = subprocess.run([tool(home, "java"), "-version"], capture_output=True, text=True, check=True).stderr
    return re.search(r'version "([^"]+)"', text).group(1)
