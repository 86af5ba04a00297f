"""wheel.py SOURCE BUILD: the wheel of the library in BUILD, installed without a network in a new environment, and used there.

Also: its bytes are the same when it is made again, its records are right, and it works with every Python 3.9 or later that pyenv has.
"""

import base64
import csv
import glob
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SOURCE, BUILD = sys.argv[1:3]
DATA = os.path.join(SOURCE, "test", "data")
# What PEP 600 and glibc give every system.
SYSTEM = re.compile(r"(libc|libm|libdl|librt|libpthread|libutil|libresolv|libgcc_s|ld-linux.*)\.so\..*")

USE = """
import os, sys, trace_streamer as ts
assert ts.backend()[0] == "library" and ts.backend()[1].startswith(sys.prefix if len(sys.argv) < 4 else sys.argv[3]), ts.backend()
data = sys.argv[1]
with ts.open(os.path.join(data, "recording-snapshots.htrace.gz"), analyze="heap") as t:
    assert t.query("SELECT count(*) FROM js_heap_nodes").value() == 138008
    assert t.ask("js_leak_suspects", limit=1).dicts()[0]["count"] == 324
    assert len(t.questions) > 60
    t.save(sys.argv[2])
for name in ("work.jfr.gz", "recording-cloud.tar.gz", "go-cpu.pprof"):
    with ts.open(os.path.join(data, name)) as t:
        assert t.query("SELECT count(*) FROM source").value() > 0
print(ts.version(), sys.version.split()[0])
"""


def check(condition, text):
    if not condition:
        raise SystemExit(f"WRONG: {text}")


def run(*command, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)
    check(done.returncode == 0, f"{' '.join(command)}: {done.returncode}\n{done.stdout.decode(errors='replace')}")
    return done.stdout.decode()


def make(out, **environment):
    text = run(os.path.join(SOURCE, "scripts", "package-python.sh"), "-b", BUILD, "-o", out, env={**os.environ, **environment})
    return text.strip().splitlines()[-1]


def records(path):
    """RECORD has each file with its digest and length, and no other file is there."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        record = next(n for n in names if n.endswith("/RECORD"))
        listed = set()
        for name, digest, length in csv.reader(io.StringIO(wheel.read(record).decode())):
            listed.add(name)
            if name != record:
                data = wheel.read(name)
                own = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                check((digest, length) == (f"sha256={own}", str(len(data))), f"the record of {name}")
        check(listed == set(names) and len(names) == len(listed), f"records {listed ^ set(names)}")
        info = wheel.read(record.replace("RECORD", "WHEEL")).decode()
        tag = os.path.basename(path)[:-4].split("-", 2)[2]
        check(f"Tag: {tag}\n" in info and "Root-Is-Purelib: false" in info, info)
        check(re.fullmatch(r"py3-none-manylinux_2_[0-9]+_[a-z0-9_]+", tag), tag)
        check(any(n.endswith("/py.typed") for n in names) and sum(n.endswith(".sql") for n in names) > 60, "files are missing")
        return names


def libraries(folder, tag_version):
    """All that the libraries need is beside them or everywhere, and no newer glibc than the tag says."""
    there = set(os.listdir(folder))
    check("libtracestreamer.so.0" in there and not any("python" in n for n in there), there)
    for name in there:
        path = os.path.join(folder, name)
        dynamic = run("objdump", "-p", path)
        for needed in re.findall(r"NEEDED +(\S+)", dynamic):
            check(needed in there or SYSTEM.fullmatch(needed), f"{name} needs {needed}")
        check(re.search(r"(RUNPATH|RPATH) +\$ORIGIN$", dynamic, re.M), f"{name} looks for others elsewhere")
        versions = [tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9]+\.[0-9]+)", run("objdump", "-T", path))]
        check(all(v <= tag_version for v in versions), f"{name} needs glibc {versions}")
        check(name == "libtracestreamer.so.0" or re.search(r"-[0-9a-f]{8}\.so", name), f"{name} may be taken for the system's")
    for line in run("ldd", os.path.join(folder, "libtracestreamer.so.0")).splitlines():
        name = line.split()[0]
        check("not found" not in line and (os.path.basename(name) not in there or folder in line), line)


def others():
    """Other interpreters of this machine that are new enough."""
    found = {}
    for path in sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))) + ["/usr/bin/python3"]:
        version = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"], stdout=subprocess.PIPE, check=False).stdout.split()
        if len(version) == 2 and int(version[1]) >= 9:
            found[tuple(map(int, version))] = path
    return found


def main():
    for tool in ("patchelf", "objdump", "ldd"):
        if not shutil.which(tool):
            print(f"SKIP: there is no {tool}")
            sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="ts-wheel.") as folder:
        os.chdir(folder)
        path = make(os.path.join(folder, "one"))
        again = make(os.path.join(folder, "two"))
        with open(path, "rb") as a, open(again, "rb") as b:
            check(a.read() == b.read(), "the wheel differs when it is made again")
        names = records(path)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TRACE_STREAMER_", "LD_"))}
        run(sys.executable, "-m", "venv", "environment")
        python = os.path.join(folder, "environment", "bin", "python")
        run(python, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--disable-pip-version-check", path, env=environment)
        print(run(python, "-c", USE, DATA, "out.db", env=environment).strip())
        program = os.path.join(BUILD, "bin", "trace_streamer")
        run(program, os.path.join(DATA, "recording-snapshots.htrace.gz"), "--analyze=heap", "-e", "program.db", "--quiet")
        with open("out.db", "rb") as a, open("program.db", "rb") as b:
            check(a.read() == b.read(), "the database is not that of the program")
        package = run(python, "-c", "import os, trace_streamer; print(os.path.dirname(trace_streamer.__file__))", env=environment).strip()
        libraries(os.path.join(package, "_lib"), tuple(map(int, re.findall(r"manylinux_([0-9]+)_([0-9]+)", path)[0])))
        for interpreter in others().values():
            site = os.path.dirname(package)
            print(run(interpreter, "-B", "-c", USE, DATA, "other.db", site, env={**environment, "PYTHONPATH": site}).strip())
        run(python, "-m", "pip", "uninstall", "--yes", "trace-streamer", env=environment)
        check(not os.path.exists(package), "something is left after pip uninstall")
        print(f"{os.path.basename(path)}: {os.path.getsize(path)} bytes, {len(names)} files")


main()
