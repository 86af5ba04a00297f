#!/usr/bin/env bash
# package-python.sh [-b BUILD] [-o DIR]: makes the wheel of the Python package: the library, the questions, and Python without a compiler.
#
#   -b BUILD   a build folder with a finished library, instead of the preset release in build/package-python
#   -o DIR     where the wheel goes (default build/python)
#
# Libraries that not every Linux system has are linked statically where the distribution's archives can be (libarchive would bring the data
# of ICU: 30 MB), else put beside ours, which looks for them there ($ORIGIN). Times are $SOURCE_DATE_EPOCH, else
# that of the commit: equal sources give equal wheels.
set -euo pipefail

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}

build='' out=''
while getopts b:o: option; do
    case $option in
    b) build=$(realpath "$OPTARG") ;;
    o) out=$(realpath -m "$OPTARG") ;;
    *) usage ;;
    esac
done
[ $OPTIND -gt $# ] || usage
cd "$(dirname "$0")/.."
out=${out:-$PWD/build/python}
umask 022
scripts/install-deps.sh package
command -v python3 >/dev/null || scripts/install-deps.sh test
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# -Dpkgcfg_lib_X=PATH for each library whose archive has code for shared objects.
configure=() archives=()
static_libraries() {
    local entry archive
    for entry in ARCHIVE_archive EXPAT_expat LZ4_lz4 LZMA_lzma; do
        archive=$(cc -print-file-name="lib${entry#*_}.a")
        if cc -shared -o "$work/probe.so" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive 2>/dev/null; then
            configure+=("-Dpkgcfg_lib_$entry=$archive")
            archives+=("$archive")
        fi
    done
    # What libarchive's archive needs comes after it.
    configure+=("-DCMAKE_C_STANDARD_LIBRARIES=${archives[*]} -Wl,--push-state,--as-needed -lnettle -Wl,--pop-state")
}

if [ -z "$build" ]; then
    build=$PWD/build/package-python
    echo "building ($build)"
    static_libraries
    if ! { cmake --preset release -B "$build" -DTS_SERVE=OFF -DTS_FLEET=OFF -DTS_WEB=OFF "${configure[@]}" &&
        cmake --build "$build" -j "$(nproc)" --target tracestreamer; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
fi
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
SOURCE_DATE_EPOCH=$epoch python3 tools/make-wheel.py "$PWD" "$build" "$out"
