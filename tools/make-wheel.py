#!/usr/bin/env python3
"""make-wheel.py SOURCE BUILD DIR: the wheel of the Python package, as scripts/package-python.sh makes it, and its path printed.

A wheel is a zip archive: the package, and a folder of metadata with the digest of each file. Here it has the library of BUILD and the
libraries that it needs (patchelf lets them look for each other beside themselves), but for those that the tag of the platform says are
everywhere, and the questions. Times are $SOURCE_DATE_EPOCH, names are in order, and modes are fixed, so that equal input gives equal bytes.
"""

import base64
import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zipfile

NAME = "trace_streamer"
SONAME = "libtracestreamer.so.0"
PYTHON = ">=3.9"
# Those that PEP 600 lets a wheel expect of a system, as far as C needs them, and the loader.
EVERYWHERE = re.compile(
    r"(linux-vdso|ld-linux[-a-z0-9]*|libc|libm|libdl|librt|libpthread|libutil|libresolv|libgcc_s)\.so(\.[0-9]+)*\Z"
)
SUMMARY = "Recordings of profilers as tables: libtracestreamer in Python"


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def library(build):
    """The library in the build folder."""
    found = sorted(os.path.join(folder, SONAME) for folder, _, files in os.walk(build) if SONAME in files)
    if not found:
        sys.exit(f"make-wheel.py: {build} has no {SONAME}: build the target tracestreamer")
    return found[0]


def needed(path):
    """Names of libraries and where the loader finds them, of a library and all that it needs, without those of every system."""
    found = {}
    for line in output("ldd", path).splitlines():
        match = re.match(r"\s*(\S+)(?: => (\S+))? \(0x", line)
        if "not found" in line:
            sys.exit(f"make-wheel.py: {path} needs a library that is not there: {line.strip()}")
        if match and not EVERYWHERE.match(os.path.basename(match.group(1))):
            found[match.group(1)] = os.path.realpath(match.group(2))
    return found


def glibc(paths):
    """The newest version of glibc that they need."""
    versions = {(0, 0)}
    for path in paths:
        versions |= {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9]+\.[0-9]+)", output("objdump", "-T", path))}
    return max(versions)


def own_name(name, path):
    """libz-0123abcd.so.1: a process that has another libz.so.1, such as Python itself, shall not take that one for ours."""
    with open(path, "rb") as f:
        mark = hashlib.sha256(f.read()).hexdigest()[:8]
    stem, rest = name.split(".so", 1)
    return f"{stem}-{mark}.so{rest}"


def prepare(path, target, names):
    """A copy without symbols that nothing needs, which looks for the other libraries beside itself, by the names that they have there."""
    shutil.copyfile(path, target)
    os.chmod(target, 0o755)
    subprocess.run(["strip", "--strip-unneeded", target], check=True)
    changes = [("--replace-needed", old, new) for old, new in sorted(names.items())]
    changes += [("--set-soname", os.path.basename(target)), ("--set-rpath", "$ORIGIN")]
    for change in changes:  # one at a time: patchelf 0.14 loses some of several
        subprocess.run(["patchelf", *change, target], check=True)


def linked(build):
    """Static libraries that the build has found, which are in ours."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as f:
        paths = set(re.findall(r"^(?:pkgcfg_lib_|TS_DEMANGLE_LIBRARY)[^=\n]*=(/.*\.a)$", f.read(), re.M))
    return {os.path.basename(path): path for path in paths}


def licences(names):
    """Copyright files of the Debian packages that the libraries are of, by name of the package."""
    found = {}
    for name, path in sorted(names.items()):
        for candidate in (path, re.sub(r"^/usr/lib", "/lib", path), "/usr" + path):
            done = subprocess.run(["dpkg-query", "-S", candidate], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            if done.returncode == 0:
                package = done.stdout.decode().split(":")[0]
                text = f"/usr/share/doc/{package}/copyright"
                if os.path.exists(text):
                    found[f"{package}.txt"] = text
                break
        else:
            print(f"make-wheel.py: the licence of {name} was not found", file=sys.stderr)
    return found


def version_of(library_path):
    """What the library says, which is what the program says."""
    code = "import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).tst_version; f.restype = ctypes.c_char_p; print(f().decode())"
    version = output(sys.executable, "-c", code, library_path).strip()
    # A local version of PEP 440 has letters and digits between dots.
    public, _, local = version.partition("+")
    return public + ("+" + re.sub(r"[^a-z0-9]+", ".", local.lower()) if local else "")


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def metadata(version, source):
    with open(os.path.join(source, "docs", "python.md"), encoding="utf-8") as f:
        text = f.read()
    head = [
        "Metadata-Version: 2.1",
        "Name: trace-streamer",
        f"Version: {version}",
        f"Summary: {SUMMARY}",
        "License: Apache-2.0",
        f"Requires-Python: {PYTHON}",
        "Provides-Extra: pandas",
        "Requires-Dist: pandas; extra == 'pandas'",
        "Provides-Extra: polars",
        "Requires-Dist: polars>=1.3; extra == 'polars'",
        "Provides-Extra: pyarrow",
        "Requires-Dist: pyarrow>=14; extra == 'pyarrow'",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Typing :: Typed",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + text


def contents(source, build, work):
    """Paths in the wheel and the files that they are, the version, and the tag."""
    made = library(build)
    others = needed(made)
    names = {name: own_name(name, path) for name, path in others.items()}
    files = {}
    for name, path in {SONAME: made, **others}.items():
        own = names.get(name, name)
        files[f"{NAME}/_lib/{own}"] = os.path.join(work, own)
        prepare(path, os.path.join(work, own), names)
    major, minor = glibc(list(files.values()))
    tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
    package = os.path.join(source, "python", NAME)
    for name in os.listdir(package):
        if name.endswith((".py", ".typed")):
            files[f"{NAME}/{name}"] = os.path.join(package, name)
    questions = os.path.join(build, "share", NAME, "sql")
    for folder, _, names in os.walk(questions):
        for name in names:
            path = os.path.join(folder, name)
            files[f"{NAME}/_share/sql/{os.path.relpath(path, questions)}"] = path
    version = version_of(made)
    info = f"{NAME}-{version}.dist-info"
    files[f"{info}/licenses/LICENSE"] = os.path.join(source, "LICENSE")
    for name, path in licences({**linked(build), **others}).items():
        files[f"{info}/licenses/{name}"] = path
    texts = {
        f"{info}/METADATA": metadata(version, source),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: trace_streamer\nRoot-Is-Purelib: false\nTag: {tag}\n",
    }
    for name, text in texts.items():
        files[name] = os.path.join(work, os.path.basename(name))
        with open(files[name], "w", encoding="utf-8") as f:
            f.write(text)
    return files, version, tag, info


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n", 1)[0])
    source, build, out = sys.argv[1:]
    stamp = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")), 315532800))[:6]
    with tempfile.TemporaryDirectory() as work:
        files, version, tag, info = contents(source, build, work)
        os.makedirs(out, exist_ok=True)
        path = os.path.join(out, f"{NAME}-{version}-{tag}.whl")
        record = []
        with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:

            def put(name, data, mode=0o644):
                entry = zipfile.ZipInfo(name, stamp)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system = 3
                entry.external_attr = (stat.S_IFREG | mode) << 16
                wheel.writestr(entry, data)

            # Metadata last, as the specification recommends.
            for name in sorted(files, key=lambda n: (n.startswith(info), n)):
                with open(files[name], "rb") as f:
                    data = f.read()
                record.append(f"{name},{digest(data)},{len(data)}")
                put(name, data, 0o755 if "/_lib/" in name else 0o644)
            put(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
        os.replace(path + ".new", path)
    print(path)


main()
