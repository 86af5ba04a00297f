#!/usr/bin/env bash
# run.sh WEB PACKAGES unit | types | same PAGE | browser PROGRAM SOURCE PAGE | static PROGRAM SOURCE MODULE | attacker | answers | tutorial PROGRAM SOURCE PAGE: the tests of the page that need its packages, in a scratch copy of its sources.
set -euo pipefail
web=$1 packages=$2 what=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -R "$web/." "$scratch/web"
rm -rf "$scratch/web/node_modules"
ln -s "$packages" "$scratch/web/node_modules"
cd "$scratch/web"
case $what in
unit) node --test test/unit/*.test.mjs ;;
types)
    node_modules/.bin/tsc --noEmit
    for file in test/browser/*.mjs; do node --check "$file"; done # some of them are run by benchmarks only
    ;;
same) # equal sources give equal bytes, wherever they are built
    node build.mjs "$scratch/page"
    diff -r "$scratch/page" "$1"
    ;;
static) # the page without a server, of the module of the preset wasm
    [ -f "$3/trace_streamer.wasm" ] || {
        echo "skipped: the module of the preset wasm is missing"
        exit 0
    }
    "$2/scripts/static-page.sh" "$scratch/made" "$3"
    node test/browser/static.mjs "$1" "$2" "$scratch/made"
    ;;
browser | attacker | answers | tutorial) TS_WEB_DIR=$3 node "test/browser/$what.mjs" "$1" "$2" ;;
esac
