#!/usr/bin/env bash
# tidy.sh [NODES]: clang-tidy over all sources, with the compile commands of the preset clang, which must have been built.
# NODES is how many states of a function the analyzer looks at before it gives up on it; its own default, 225000, takes five times as
# long as the 25000 that are usual here.
set -euo pipefail
cd "$(dirname "$0")/.."

# One process a core. Generated code is not ours to change, that of the module has no commands here. That preset goes without AVX2; the code for it is looked at, too.
git ls-files 'src/*.c' | grep -v '\.pb-c\.c$\|^src/wasm/' |
    xargs -P "$(nproc)" -n 4 clang-tidy -p build/clang --quiet --extra-arg=-UTS_NO_AVX2 --extra-arg=-Xclang --extra-arg=-analyzer-config \
        --extra-arg=-Xclang --extra-arg="max-nodes=${1:-25000}"
