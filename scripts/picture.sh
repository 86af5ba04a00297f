#!/usr/bin/env bash
# picture.sh [BUILD]: makes docs/page.png, the picture of the page of serve in README.md, from a bundled recording with the program in BUILD
# (build/release). Needs chromium, node and npm.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
packages=$(node web/packages.mjs)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -R web "$scratch/web"
rm -rf "$scratch/web/node_modules"
ln -s "$packages" "$scratch/web/node_modules"
"$build/bin/trace_streamer" test/data/recording-cpuprofile.htrace.gz -e "$scratch/shop.db" --quiet
node "$scratch/web/test/browser/picture.mjs" "$build/bin/trace_streamer" "$scratch/shop.db" "$build/web/page" docs/page.png
