"""Recorders that are not installed: fetched once, kept in the cache of the user with their versions."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile

import node

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "trace_streamer")
PACKAGE = "node-linux-" + {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
OLDEST = 14


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
