#!/usr/bin/env bash
# run.sh PART PROGRAM SOURCE: a test of the server, in a folder of its own.
set -euo pipefail
part=$1 program=$2 source=$3
here=$source/test/mcp
# shellcheck source=scripts/scratch.sh
. "$source/scripts/scratch.sh"
trap 'rm -rf "$TMPDIR"' EXIT
scratch=$(mktemp -d)
cd "$scratch"
case $part in
protocol) python3 "$here/protocol.py" "$program" "$source/test/data" ;;
transcripts) python3 "$here/transcript.py" "$program" "$source/test/data" "$here"/transcripts/*.txt ;;
client)
    command -v node >/dev/null || {
        echo "no node"
        exit 77
    }
    packages=$(node "$source/web/packages.mjs" "$here") || exit 77
    node "$here/client.mjs" "$program" "$source/test/data" "$packages"
    ;;
esac
