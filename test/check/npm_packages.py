"""Packages of npm that tests read with: installed when a test runs, never a part of this project."""

import os
import shutil
import subprocess
import sys

# A registry that does not answer is given up after this many seconds, well before the test's own limit.
LIMIT = 120
_OPTIONS = ["--silent", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=30000"]


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def installed(folder, packages):
    """Whether npm has put `packages` into `folder`/node_modules."""
    command = ["npm", "install", *_OPTIONS, "--prefix", folder, *packages]
    try:
        return subprocess.run(command, check=False, cwd=folder, stdin=subprocess.DEVNULL, timeout=LIMIT).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def wanted(size):
    """Ends the test as skipped unless it was asked to install that much: TS_DEVTOOLS=install, as in .ci/run, or TS_SLOW=1."""
    if os.environ.get("TS_DEVTOOLS") != "install" and not os.environ.get("TS_SLOW"):
        skip(f"it installs {size}; TS_DEVTOOLS=install asks for it")
    if not shutil.which("npm") or not shutil.which("node"):
        skip("there is no npm")


def modules(packages, size):
    """The folder node_modules with `packages`: the one that TS_DEVTOOLS names, else one made below the working directory."""
    given = os.environ.get("TS_DEVTOOLS")
    if given and given != "install":
        names = [package.rsplit("@", 1)[0] for package in packages]
        for name in names:
            if not os.path.isdir(os.path.join(given, *name.split("/"))):
                skip(f"{given} has no {name}")
        return os.path.abspath(given)
    wanted(size)
    if not installed(os.getcwd(), packages):
        skip(f"npm cannot install {' and '.join(packages)}")
    return os.path.abspath("node_modules")
