#!/usr/bin/env bash
# static-page.sh OUT [MODULE]: the page of serve without a server, as one folder for any web server: index.html, assets/ and module/. MODULE is the
# folder with trace_streamer.js and trace_streamer.wasm (build/wasm/module, which the preset `wasm` makes). Equal sources give equal bytes.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || {
    sed -n '2,3s/^# //p' "$0" >&2
    exit 2
}
mkdir -p "$(dirname "$1")"
out=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
module=${2:-$here/build/wasm/module}
for file in trace_streamer.js trace_streamer.wasm questions.json; do
    [ -f "$module/$file" ] || {
        echo "static-page.sh: $module/$file is not there: build the target trace_streamer_module with the preset wasm" >&2
        exit 1
    }
done
packages=$(node "$here/web/packages.mjs")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -R "$here/web" "$scratch/web"
rm -rf "$scratch/web/node_modules"
ln -s "$packages" "$scratch/web/node_modules"
node "$scratch/web/build.mjs" "$out" --static
mkdir "$out/module"
cp "$module/trace_streamer.js" "$module/trace_streamer.wasm" "$module/questions.json" "$out/module/"
chmod -R u=rwX,go=rX "$out"
echo "$out: $(du -sk "$out" | cut -f1) KiB; a web server has to send .wasm as application/wasm"
