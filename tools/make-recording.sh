#!/bin/sh
# Makes test/data/recording-*.htrace.gz: records demo.js with the Node.js in
# PATH and wraps the messages with mkhtrace.
#
# usage: tools/make-recording.sh MKHTRACE [DIR]      DIR: default test/data
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkhtrace=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
target=${2:-$here/../test/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node=$(command -v node) || { echo "make-recording.sh: node is not in PATH" >&2; exit 1; }

mkdir -p "$target"
target=$(cd "$target" && pwd)
# Paths and the environment end up in the heap: record at a neutral place with an empty one.
cp "$here/record-node.js" "$here/demo.js" "$work/"
(cd "$work" && env -i PATH=/usr/bin:/bin "$node" record-node.js)
cd "$work"
pid=$(cat pid)

wrap() { # name, config, messages
    "$mkhtrace" -o "$1.htrace" --clocks "$(cat clocks)" --plugin-version 1.02 --sha256 \
        --segment-version 1.02 --config "pid=$pid,$2" --messages "$3"
    gzip -9nc "$1.htrace" >"$target/$1.htrace.gz"
    ls -l "$target/$1.htrace.gz"
}

wrap recording-snapshots type=snapshot,interval=1 snapshots.messages
wrap recording-timeline type=timeline,track=1 timeline.messages
wrap recording-cpuprofile type=none,cpu=1,cpu-interval=1000 cpuprofile.messages

total=$(cat "$target"/recording-*.htrace.gz | wc -c)
if [ "$total" -gt 4194304 ]; then
    echo "make-recording.sh: the recordings take $total bytes, more than 4 MiB" >&2
    exit 1
fi
