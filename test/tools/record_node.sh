#!/usr/bin/env bash
# record_node.sh SOURCE: tools/record-node.js ends with 0 each time. It aborted in one of several runs when its thread ended while the
# main thread was closing the inspector session. Skipped (77) without Node.js.
set -euo pipefail
command -v node >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
runs=${TS_SLOW:+40}
for _ in $(seq "${runs:-8}"); do
    node "$1/tools/record-node.js" --out "$scratch" --snapshots 0 --timeline 0 --profile 50
    [ "$(grep -c '"id":3,' "$scratch/cpuprofile.messages")" -eq 3 ]
done
