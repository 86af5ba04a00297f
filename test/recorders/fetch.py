"""Recorders that are not installed: fetched once, kept in the cache of the user with their versions."""

import glob
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile

import go
import jdk
import node

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "trace_streamer")
PACKAGE = "node-linux-" + {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
OLDEST = 14
RELEASE = "trixie"  # of Debian, whose JDK and Go are newer than those of the oldest machine that builds this


def npm(*args, cwd=None):
    """What npm says, or None without it or a network."""
    if shutil.which("npm") is None:
        return None
    done = subprocess.run(["npm", *args], cwd=cwd, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def number(version):
    return [int(part) for part in version.split(".")]


def newest(versions):
    """The newest of each release with long support, and the newest of all."""
    found = {}
    for v in versions:
        if "-" in v:
            continue
        major = number(v)[0]
        if major >= OLDEST and (major not in found or number(v) > number(found[major])):
            found[major] = v
    return [v for major, v in sorted(found.items()) if major % 2 == 0 or major == max(found)]


def node_program(version):
    """Of one version, from the cache or npm; None when it cannot be had."""
    folder = os.path.join(CACHE, "node", version)
    program = os.path.join(folder, "node")
    if os.path.exists(program):
        return program
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(folder)) as scratch:
        name = npm("pack", "--silent", "%s@%s" % (PACKAGE, version), cwd=scratch)
        if not name:
            print("Node.js   skipped: %s cannot be fetched" % version)
            return None
        with tarfile.open(os.path.join(scratch, name.strip())) as archive, open(os.path.join(scratch, "node"), "wb") as to:
            shutil.copyfileobj(archive.extractfile("package/bin/node"), to)
        os.chmod(os.path.join(scratch, "node"), 0o755)
        os.makedirs(folder, exist_ok=True)
        os.rename(os.path.join(scratch, "node"), program)
    return program


def known_nodes():
    """Versions of npm; without a network those that were fetched before."""
    said = npm("view", PACKAGE, "versions", "--json")
    if said:
        return newest(json.loads(said))
    folder = os.path.join(CACHE, "node")
    print("Node.js   no registry: only what is in the cache")
    return newest(os.listdir(folder) if os.path.isdir(folder) else [])


def with_installed(programs):
    """The one of this machine too, unless its version is among them."""
    programs = [p for p in programs if p]
    own = node.installed()
    return programs + [p for p in [own] if p and node.version(p) not in map(node.version, programs)]


def nodes():
    return with_installed(map(node_program, known_nodes()))


def quick_nodes():
    """The newest of npm."""
    return with_installed(map(node_program, known_nodes()[-1:]))


def datadog():
    """The folder with @datadog/pprof."""
    folder = os.path.join(CACHE, "datadog-pprof")
    if node.installed() and not os.path.exists(os.path.join(folder, "node_modules", "@datadog", "pprof", "package.json")):
        os.makedirs(folder, exist_ok=True)
        if npm("install", "--silent", "--no-save", "--prefix", folder, "@datadog/pprof") is None:
            return []
    return [folder] if node.installed() else []


# A program of another root, as if it were here: what it reads and writes is mounted there, for it alone.
ENTER = """#!/bin/sh
exec unshare -m sh -c 'root=$1; shift
for d in /proc /dev /tmp %s; do mkdir -p "$root$d" && mount --rbind "$d" "$root$d" || exit 1; done
exec chroot "$root" env -C "$PWD" "$@"' sh %s %s "$@"
"""


def debian_root():
    """A root of RELEASE in the cache, or None: only root can make and enter one."""
    root = os.path.join(CACHE, RELEASE)
    if os.getuid() != 0 or shutil.which("debootstrap") is None or shutil.which("unshare") is None:
        return None
    if not os.path.exists(os.path.join(root, "complete")):
        shutil.rmtree(root, ignore_errors=True)
        done = subprocess.run(["debootstrap", "--variant=minbase", "--include=openjdk-21-jdk-headless,golang-go", RELEASE, root], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(root, ignore_errors=True)
            return None
        with open(os.path.join(root, "complete"), "w", encoding="ascii"):
            pass
    return root


def entered(root, name, programs):
    """A folder with programs of a root by their names: those that are in its bin are called as if it were the one that they are in."""
    folder = os.path.join(CACHE, "%s-%s" % (RELEASE, name), "bin")
    os.makedirs(folder, exist_ok=True)
    own = sorted({os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..")), tempfile.gettempdir()} - {"/tmp"})
    for program in programs:
        path = os.path.join(folder, os.path.basename(program))
        with open(path, "w", encoding="utf-8") as f:
            f.write(ENTER % (" ".join(own), root, program))
        os.chmod(path, 0o755)
    return folder


def jdks():
    """Of this machine, and the one of the root."""
    root = debian_root()
    found = glob.glob(root + "/usr/lib/jvm/*/bin/jfr") if root else []
    more = [os.path.dirname(p)[len(root):] for p in found if not os.path.islink(os.path.dirname(os.path.dirname(p)))]
    if not more:
        print("OpenJDK   skipped: that of Debian %s (needs root and debootstrap)" % RELEASE)
    return jdk.installed() + [os.path.dirname(entered(root, "jdk", [os.path.join(d, t) for t in ("java", "javac", "jcmd", "jfr")])) for d in more]


def gos():
    root = debian_root()
    if root is None:
        print("Go        skipped: that of Debian %s (needs root and debootstrap)" % RELEASE)
    return go.installed() + ([os.path.join(entered(root, "go", ["/usr/bin/go"]), "go")] if root else [])
