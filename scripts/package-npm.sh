#!/usr/bin/env bash
# package-npm.sh [-m MODULE] [-o DIR]: makes the package `trace-streamer` for npm: DIR/trace-streamer-VERSION.tgz (default build/package).
#
#   -m MODULE  the folder with the modules (default build/wasm/module, which the preset wasm makes)
#
# Equal sources give equal bytes: npm pack writes neither times nor owners. Publishing is not done here.
set -euo pipefail
usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}
cd "$(dirname "$0")/.."
module=build/wasm/module out=build/package
while getopts m:o: option; do
    case $option in
    m) module=$OPTARG ;;
    o) out=$OPTARG ;;
    *) usage ;;
    esac
done
[ $OPTIND -gt $# ] || usage
for file in trace_streamer.js trace_streamer.wasm trace_streamer_program.js trace_streamer_program.wasm ../share/trace_streamer/sql/hot_methods.sql; do
    [ -f "$module/$file" ] || {
        echo "package-npm.sh: $module/$file is not there: build the preset wasm" >&2
        exit 1
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R npm "$work/npm"
mkdir "$work/npm/module"
for name in trace_streamer trace_streamer_program; do
    cp "$module/$name.js" "$work/npm/module/$name.cjs" # the package is one of ES modules, these are not
    cp "$module/$name.wasm" "$work/npm/module/"
done
mkdir "$work/npm/share"
cp -RL "$module/../share/trace_streamer/sql" "$work/npm/share/"
cp LICENSE "$work/npm/"
chmod -R u=rwX,go=rX "$work/npm"
chmod 755 "$work/npm/program.mjs"
# The version of npm: what comes after a release is before the next one, X.Y.Z+N is X.Y.(Z+1)-dev.N.
node --input-type=module - "$work/npm" <<'NODE'
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const folder = process.argv[2];
const { version } = await import(join(folder, "index.mjs"));
const [, major, minor, patch, more] = /^(\d+)\.(\d+)\.(\d+)(?:\+(\d+))?/.exec(await version());
const path = join(folder, "package.json");
const made = more === undefined ? `${major}.${minor}.${patch}` : `${major}.${minor}.${Number(patch) + 1}-dev.${more}`;
writeFileSync(path, readFileSync(path, "utf8").replace(/"version": "[^"]*"/, `"version": "${made}"`));
NODE
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out"/trace-streamer-*.tgz
(cd "$work/npm" && npm pack --offline --silent --pack-destination "$out" >/dev/null)
ls -l "$out"/trace-streamer-*.tgz
