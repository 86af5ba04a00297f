#!/usr/bin/env bash
# same_bytes.sh PROGRAM SOURCE BUILD COMPILER: the program does not tell where it was built. With TS_SLOW=1 it is built from two
# folders whose names differ in length, and both must be the same bytes and find the shipped questions; their packages, too, where Debian's
# tools are.
set -eu
program=$1
source=$2
build=$3
compiler=$4
for path in "$source" "$build"; do
    if grep -aqF "$path" "$program"; then
        echo "the path $path is in $program:"
        grep -aoE '[[:print:]]{4,}' "$program" | grep -F "$path" | head -5
        exit 1
    fi
done
[ -n "${TS_SLOW:-}" ] || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for folder in a another/folder; do
    mkdir -p "$scratch/$folder"
    cp -r "$source"/{CMakeLists.txt,LICENSE,README.md,CHANGELOG.md,VERSION,cmake,docs,proto,share,src,tools,web} "$scratch/$folder"
done
make_one() { # source folder, build folder
    cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$compiler" -DTS_TESTS=OFF >"$scratch/log"
    cmake --build "$2" -j 2 --target trace_streamer >>"$scratch/log"
}
make_one "$scratch/a" "$scratch/a/build"
make_one "$scratch/another/folder" "$scratch/outside"
cmp "$scratch/a/build/bin/trace_streamer" "$scratch/outside/bin/trace_streamer"
if command -v dpkg-shlibdeps >/dev/null; then
    (cd "$scratch/a/build" && cpack -G DEB) >>"$scratch/log"
    sleep 1
    (cd "$scratch/outside" && cpack -G DEB) >>"$scratch/log"
    cmp "$scratch"/a/build/*.deb "$scratch"/outside/*.deb
fi
"$scratch/outside/bin/trace_streamer" "$source/test/data/tiny/snapshot.heapsnapshot" --quiet \
    -q folded_stacks.sql >/dev/null
