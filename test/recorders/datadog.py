"""@datadog/pprof: profiles that Node.js writes of itself with that package."""

import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
QUICK = ()


def kinds(folder):
    return ["profile"]


def record(folder, kind, out):
    subprocess.run(["node", os.path.join(HERE, "..", "..", "tools", "record-node-pprof.js"), out], check=True, capture_output=True, cwd=out,
                   env={**os.environ, "NODE_PATH": os.path.join(folder, "node_modules")})
    return "pprof", [os.path.join(out, name) for name in ("node-time.pprof", "node-heap.pprof")]


def version(folder):
    with open(os.path.join(folder, "node_modules", "@datadog", "pprof", "package.json"), encoding="utf-8") as f:
        return json.load(f)["version"]
