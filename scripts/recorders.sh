#!/usr/bin/env bash
# recorders.sh [--quick] [--jobs N] [--only REGEX] [--keep DIR] [--list]: records with every recorder that Debian and npm offer, converts
# each recording with --strict and compares it with an independent reader, cell by cell; then a table, and exit code 1 when an intact
# recording was called damaged or differs. TS_PROGRAM names the program to be tested, else it is built (build/release).
#
# --quick is what .ci/run runs: the recorders of this machine and the newest Node.js of npm. All of them are Node.js 14 and later, one
# of each release with long support, Chromium, the JDKs of this machine, Go, perf and trace-cmd, and those of a newer Debian (in a root
# made with debootstrap, as root). What is fetched stays in ${XDG_CACHE_HOME:-~/.cache}/trace_streamer. What cannot be had is named.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)

program=${TS_PROGRAM:-$here/build/release/bin/trace_streamer}
if [ -z "${TS_PROGRAM:-}" ]; then
    (cd "$here" && cmake --preset release && cmake --build --preset release --target trace_streamer -j "$(nproc)") >&2
fi
exec python3 "$here/test/recorders/run.py" "$program" "$@"
