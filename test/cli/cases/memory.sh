# shellcheck shell=bash
# QD-4: a small input takes little memory (the reference took 512 MB). Sanitizers take some of their own.
small
ts small.htrace -e out.db --quiet --json >json
python3 - <<'PY'
import json
peak = json.load(open("json"))["peak_memory_bytes"]
assert 0 < peak < 128 << 20, peak
PY
