#!/usr/bin/env bash
# build.sh SOURCE LIBRARIES CC: programs are built with libtracestreamer as pkg-config says it; the header is C99 and C++.
set -euo pipefail
# shellcheck source=scripts/scratch.sh
. "$1/scripts/scratch.sh"
source=$1 libraries=$2 cc=$3
cd "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
echo '#include "tracestreamer.h"' | tee alone.c >alone.cc
"$cc" -std=c99 -pedantic -Wall -Wextra -Werror -I "$source/include" -fsyntax-only alone.c
if command -v g++ >/dev/null; then
    g++ -std=c++11 -pedantic -Wall -Wextra -Werror -I "$source/include" -fsyntax-only alone.cc
fi
# As installed, in a folder of its own.
mkdir -p prefix/lib prefix/include
cp "$libraries/libtracestreamer.a" prefix/lib
cp "$source/include/tracestreamer.h" prefix/include
sed "s|^prefix=.*|prefix=$PWD/prefix|; s|^libdir=.*|libdir=\${prefix}/lib|" "$libraries/tracestreamer.pc" >tracestreamer.pc
export PKG_CONFIG_PATH=$PWD
sanitizers=()
[ "$(nm "$libraries/libtracestreamer.a" | grep -c __asan_init)" = 0 ] || sanitizers=(-fsanitize=address -fsanitize=undefined)
# shellcheck disable=SC2046
"$cc" -std=c99 "${sanitizers[@]}" "$source/test/lib/convert_by_library.c" -o static \
    $(pkg-config --static --cflags --libs tracestreamer)
! ldd static | grep tracestreamer || { echo "it is not the static library" && exit 1; }
./static out.db 0 0 "$source/test/data/go-cpu.pprof"
[ "$(head -c 15 out.db)" = 'SQLite format 3' ] || exit 1
[ "$(pkg-config --modversion tracestreamer)" = "$(cat "$source/VERSION")" ] || exit 1
# The example of the documentation, with the shared library, prints what it says.
doc=$source/docs/library.md
sed -n '/^```c$/,/^```$/{//!p}' "$doc" >hot.c
sed -n '/^```console$/,/^```$/{//!p}' "$doc" >console
cp -a "$libraries"/libtracestreamer.so* prefix/lib
mkdir -p prefix/share && ln -s "$libraries/../share/trace_streamer" prefix/share/trace_streamer
# shellcheck disable=SC2046
"$cc" "${sanitizers[@]}" hot.c -o hot -Wl,-rpath,"$PWD/prefix/lib" $(pkg-config --cflags --libs tracestreamer)
ln -s "$source/test" test
./hot test/data/go-cpu.pprof | diff <(sed '/^\$/d' console) -
echo "built and run"
