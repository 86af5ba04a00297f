#!/usr/bin/env bash
# release.sh [-o DIR] [-r] [-t] [ARTEFACT...]: makes what a release has (docs/install.md says what each is for), with SHA256SUMS and a bill of
# materials (CycloneDX). All without names, or some of
#
#   source    trace_streamer-VERSION.tar.gz, the sources of the commit
#   deb       the package for Debian and Ubuntu
#   library   libtracestreamer for C and C++: shared, static, header, pkg-config
#   static    one program for any Linux of this processor
#   wheel     the Python package
#   module    trace_streamer_builtin.{js,wasm}, for the web viewer
#   npm       the package for Node.js
#   page      the page as a folder for any web server, which converts in the browser
#
#   -o DIR    where they go (default build/release-VERSION)
#   -r        makes all of it a second time, in another folder, and compares
#   -t        tries each in a clean root (debootstrap; as root, from the mirror of apt): a bundled recording is converted, and the database has
#             the bytes of the one that was made here
#
# Times in them are those of the commit: equal sources and tools give equal files.
set -euo pipefail

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}

out='' again=0 try=0
while getopts o:rt option; do
    case $option in
    o) out=$(realpath -m "$OPTARG") ;;
    r) again=1 ;;
    t) try=1 ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
all=(source deb library static wheel module npm page)
[ $# -gt 0 ] || set -- "${all[@]}"
for name; do
    [[ " ${all[*]} " == *" $name "* ]] || usage
done
cd "$(dirname "$0")/.."
root=$PWD
version=$(cat VERSION)
out=${out:-$root/build/release-$version}
machine=$(uname -m)
umask 022
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
[ -z "$(git status --porcelain)" ] || echo "release.sh: the working tree has changes that are not in the commit" >&2
scripts/install-deps.sh package
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pack() { # name, folder: DIR/NAME.tar.gz of it, the same bytes each time
    tar -C "$(dirname "$2")" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$(basename "$2")" |
        gzip -n -9 >"$to/$1.tar.gz"
    echo "$to/$1.tar.gz"
}

quietly() { # command...: its output is shown when it fails
    "$@" >"$work/log" 2>&1 || {
        tail -n 40 "$work/log" >&2
        return 1
    }
}

make_source() {
    git archive --format=tar --prefix="trace_streamer-$version/" HEAD | gzip -n -9 >"$to/trace_streamer-$version.tar.gz"
    echo "$to/trace_streamer-$version.tar.gz"
}
make_deb() { scripts/package.sh -o "$to" | tail -n 1; }
make_library() {
    local name=libtracestreamer-$version-linux-$machine
    quietly cmake --preset release -B build/release-library -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib -DTS_SERVE=OFF -DTS_FLEET=OFF
    quietly cmake --build build/release-library -j "$(nproc)" --target tracestreamer tracestreamer_static
    quietly cmake --install build/release-library --component library --prefix "$work/$name"
    strip --strip-unneeded "$work/$name"/lib/libtracestreamer.so.*
    sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$work/$name/lib/pkgconfig/tracestreamer.pc"
    mkdir -p "$work/$name/share/trace_streamer"
    cp -r build/release-library/share/trace_streamer/sql "$work/$name/share/trace_streamer"
    cp LICENSE docs/library.md "$work/$name"
    pack "$name" "$work/$name"
}
make_static() {
    local name=trace_streamer-$version-linux-$machine-static
    scripts/install-deps.sh portable
    quietly scripts/libs.sh musl
    quietly cmake --preset musl
    quietly cmake --build build/musl -j "$(nproc)" --target trace_streamer
    mkdir -p "$work/$name/bin" "$work/$name/share/man/man1" "$work/$name/share/trace_streamer"
    strip -o "$work/$name/bin/trace_streamer" build/musl/bin/trace_streamer
    cp docs/man/trace_streamer.1 "$work/$name/share/man/man1"
    cp -r build/musl/share/trace_streamer/sql "$work/$name/share/trace_streamer"
    cp LICENSE "$work/$name"
    pack "$name" "$work/$name"
}
make_wheel() { scripts/package-python.sh -o "$to" | tail -n 1; }
modules() { # build/wasm/module, once
    [ ! -e "$work/modules" ] || return 0
    scripts/install-deps.sh wasm
    export NODE_PATH=/usr/share/nodejs # where Debian has packages that emcc needs, whichever node runs it
    quietly scripts/libs.sh wasm
    quietly cmake --preset wasm
    quietly cmake --build --preset wasm
    : >"$work/modules"
}
make_module() {
    local name=trace_streamer_builtin-$version
    modules
    mkdir -p "$work/$name"
    cp build/wasm/module/trace_streamer_builtin.js build/wasm/module/trace_streamer_builtin.wasm LICENSE "$work/$name"
    pack "$name" "$work/$name"
}
make_npm() {
    modules
    scripts/package-npm.sh -o "$to" | tail -n 1
}
make_page() {
    local name=trace_streamer-page-$version
    modules
    quietly scripts/static-page.sh "$work/$name"
    pack "$name" "$work/$name"
}

make_all() { # folder, artefacts...
    to=$1
    local name
    shift
    mkdir -p "$to"
    for name; do
        printf '%-8s ' "$name"
        "make_$name"
    done
}

make_all "$out" "$@"
scripts/install-deps.sh test
linked=()
for file in build/package/bin/trace_streamer build/release-library/lib/libtracestreamer.so.0; do
    [ ! -e "$file" ] || linked+=("$file")
done
python3 tools/make-sbom.py "$root" "$version" "$out/trace_streamer-$version.cdx.json" --linked "${linked[@]}" \
    --sources "${XDG_CACHE_HOME:-$HOME/.cache}/trace_streamer/sources" --npm web/package-lock.json
(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum) >"$work/sums"
cp "$work/sums" "$out/SHA256SUMS"
echo "$out/SHA256SUMS"

if [ $again = 1 ]; then
    echo "a second time"
    # Objects of the first time are not used again.
    rm -rf build/package build/release-library build/musl build/package-python build/wasm "$work/modules"
    make_all "$work/again" "$@" >"$work/second"
    for file in "$work/again"/*; do
        cmp "$file" "$out/${file##*/}"
    done
    echo "the same bytes"
fi
[ $try = 1 ] || exit 0

# --- in a clean root ---

if [ "$(id -u)" != 0 ]; then
    echo "release.sh: -t needs root" >&2
    exit 1
fi
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
clean=$work/root
recording='recording-snapshots.htrace.gz'
echo "trying them in a clean root of $release"
quietly debootstrap --variant=minbase "$release" "$clean"
program=build/package/bin/trace_streamer
[ -x $program ] || program=build/release/bin/trace_streamer
$program "test/data/$recording" -e "$work/here.db" --quiet
in_root() { chroot "$clean" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
same() { # what: out.db in the root has the bytes of the one that was made here
    cmp "$work/here.db" "$clean/tmp/try/out.db"
    rm -f "$clean/tmp/try/out.db"
    printf '%-8s the same database\n' "$1"
}
put() { # pattern of a file's name: into the root; its name there
    local file
    file=$(find "$out" -maxdepth 1 -name "$1" | head -n 1)
    cp "$file" "$clean/tmp/try"
    echo "/tmp/try/${file##*/}"
}
unpacked() { # pattern: the folder there
    local file
    file=$(put "$1")
    tar -C "$clean/tmp/try" -xzf "$clean$file"
    basename "$file" .tar.gz
}
mkdir -p "$clean/tmp/try"
cp "test/data/$recording" "$clean/tmp/try"

try_source() {
    tar -tzf "$out/trace_streamer-$version.tar.gz" >"$work/names"
    grep -q "^trace_streamer-$version/scripts/demo.sh$" "$work/names"
    echo "source   its files are there; .ci/run builds them"
}
try_static() { # first: nothing is installed yet
    local folder
    folder=$(unpacked 'trace_streamer-*-static.tar.gz')
    in_root "/tmp/try/$folder/bin/trace_streamer" "/tmp/try/$recording" -e /tmp/try/out.db --quiet
    in_root "/tmp/try/$folder/bin/trace_streamer" /tmp/try/out.db -q js_class_histogram --param limit=1 --quiet >"$work/answer"
    [ "$(wc -l <"$work/answer")" = 2 ]
    same static
}
try_deb() {
    quietly in_root apt-get install -y --no-install-recommends "$(put '*.deb')"
    in_root trace_streamer "/tmp/try/$recording" -e /tmp/try/out.db --quiet
    same deb
    cp -r test/data test/cli/tasks.sh "$clean/tmp/try"
    printf 'deb      %s\n' "$(in_root bash /tmp/try/tasks.sh /usr/bin/trace_streamer /tmp/try/data)"
    quietly in_root apt-get purge -y trace-streamer
}
try_library() {
    local folder
    quietly in_root apt-get install -y --no-install-recommends gcc libc6-dev pkg-config libsqlite3-0 libprotobuf-c1 libarchive13 libelf1 libexpat1
    folder=$(unpacked 'libtracestreamer-*.tar.gz')
    cp test/lib/convert_by_library.c "$clean/tmp/try"
    in_root sh -c "cd /tmp/try && export PKG_CONFIG_PATH=/tmp/try/$folder/lib/pkgconfig && \
        cc -std=c99 convert_by_library.c -o convert \$(pkg-config --cflags --libs tracestreamer) -Wl,-rpath,/tmp/try/$folder/lib && \
        ./convert out.db 97 0 $recording"
    same library
}
try_wheel() {
    quietly in_root apt-get install -y --no-install-recommends python3 python3-venv
    in_root sh -c "python3 -m venv /tmp/try/venv && /tmp/try/venv/bin/pip install -q --no-index $(put '*.whl') && \
        /tmp/try/venv/bin/python -c 'import trace_streamer as ts; ts.open(\"/tmp/try/$recording\").save(\"/tmp/try/out.db\")'"
    same wheel
}
try_module() {
    local folder
    quietly in_root apt-get install -y --no-install-recommends nodejs
    folder=$(unpacked 'trace_streamer_builtin-*.tar.gz')
    cat >"$clean/tmp/try/convert.js" <<'NODE'
const [, , folder, recording, out] = process.argv;
const fs = require("fs");
const size = 4 << 20, pieces = [];
const m = require(folder + "/trace_streamer_builtin.js")({ locateFile: (s) => folder + "/" + s });
const put = m.addFunction((p, n) => void pieces.push(Buffer.from(m.HEAPU8.slice(p, p + n))), "viii");
const request = m._Initialize(size, put, m.addFunction(() => {}, "viiii"), put);
const bytes = fs.readFileSync(recording);
for (let at = 0; at < bytes.length; at += size) {
  const part = bytes.subarray(at, at + size);
  m.HEAPU8.set(part, request);
  if (m._TraceStreamerParseDataEx(part.length, at + size >= bytes.length ? 1 : 0) !== 0) process.exit(1);
}
m._TraceStreamerParseDataOver();
m._WasmExportDatabase(put);
fs.writeFileSync(out, Buffer.concat(pieces));
NODE
    "$program" - -e "$work/here.db" --force --quiet <"test/data/$recording" # the module's input has no name
    in_root node /tmp/try/convert.js "/tmp/try/$folder" "/tmp/try/$recording" /tmp/try/out.db
    same module
}
try_npm() {
    quietly in_root apt-get install -y --no-install-recommends nodejs npm
    in_root sh -c "mkdir -p /tmp/try/npm && cd /tmp/try/npm && npm init -y >/dev/null && npm install --offline --no-audit --no-fund $(put 'trace-streamer-*.tgz') >/dev/null && \
        npx --offline trace-streamer /tmp/try/$recording -e /tmp/try/out.db"
    same npm
}
try_page() {
    tar -tzf "$(find "$out" -name 'trace_streamer-page-*.tar.gz')" >"$work/names"
    grep -q '/index.html$' "$work/names" && grep -q '\.wasm$' "$work/names"
    echo "page     its files are there; tests open recordings in it"
}
order=(static source deb library wheel npm page module) # the first needs nothing
for name in "${order[@]}"; do
    [[ " $* " != *" $name "* ]] || "try_$name"
done
