#!/usr/bin/env bash
# wasm.sh: builds the module for web viewers, tests it in node against the program of the same sources, and says how large it is:
# build/wasm/module/trace_streamer_builtin.{js,wasm} (docs/viewer.md, "The module"). What is missing is installed, libraries are built from
# Debian's sources once. With empty caches it takes some 25 minutes on two processors, later 10.
set -euo pipefail
cd "$(dirname "$0")/.."
export NODE_PATH=/usr/share/nodejs # where Debian has packages that emcc needs, whichever node runs it

scripts/install-deps.sh wasm
scripts/libs.sh wasm >/dev/null
packages=$(node web/packages.mjs test/wasm)
cmake --preset wasm >/dev/null
cmake --build --preset wasm
cmake --preset release >/dev/null
cmake --build build/release --target trace_streamer
module=build/wasm/module
node test/wasm/module.mjs "$module" build/release/bin/trace_streamer test/data "$packages"
node test/wasm/browser.mjs "$module" build/release/bin/trace_streamer test/data "$(node web/packages.mjs)"
for file in "$module"/trace_streamer_builtin.*; do
    printf '%s: %s bytes, %s with gzip\n' "${file##*/}" "$(stat -c %s "$file")" "$(gzip -9c "$file" | wc -c)"
done
