#!/usr/bin/env bash
# install.sh BUILD SOURCE: what is installed, that a question is found beside the installed program, and what uninstall leaves.
set -eu
build=$1
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/usr" >"$scratch/log"
cd "$scratch"
for file in bin/trace_streamer share/man/man1/trace_streamer.1 \
    share/bash-completion/completions/trace_streamer share/zsh/site-functions/_trace_streamer \
    share/fish/vendor_completions.d/trace_streamer.fish; do
    [ -f "usr/$file" ] || { echo "not installed: $file"; exit 1; }
done
if [ -f "$build/lib/libtracestreamer.a" ]; then # the build has the library
    for file in lib/libtracestreamer.so lib/libtracestreamer.so.0 lib/libtracestreamer.a lib/pkgconfig/tracestreamer.pc include/tracestreamer.h; do
        [ -f "usr/$file" ] || { echo "not installed: $file"; exit 1; }
    done
fi
for file in "$build"/share/trace_streamer/sql/*.sql; do
    [ -e "$file" ] || continue
    cmp "$file" "usr/share/trace_streamer/sql/$(basename "$file")"
done
if [ -f "$build/web/page/index.html" ]; then # the build has a page
    diff -r "$build/web/page" usr/share/trace_streamer/web
fi
[ "$(usr/bin/trace_streamer --version)" = "$("$build/bin/trace_streamer" --version)" ]
mkdir -p usr/share/trace_streamer/sql
echo 'SELECT count(*) AS files FROM js_heap_files;' >usr/share/trace_streamer/sql/only_installed.sql
usr/bin/trace_streamer "$source/test/data/tiny/snapshot.heapsnapshot" --quiet -q only_installed.sql >out
printf 'files\n1\n' | cmp - out

# As root does it for a package. What somebody has put beside our files stays.
export DESTDIR=$scratch/root
mkdir -p "$DESTDIR/opt/ts/share/man"
cmake --install "$build" --prefix /opt/ts >>"$scratch/log"
echo mine >"$DESTDIR/opt/ts/share/trace_streamer/mine.sql"
installed=$(find "$DESTDIR" -type f -o -type l | wc -l)
[ "$installed" -gt 20 ]
cmake --build "$build" --target help | grep '^uninstall' >"$scratch/log" || { echo "no target uninstall"; exit 1; }
remove() { cmake -DMANIFEST="$build/install_manifest.txt" -DFOLDERS="$build/install_folders.txt" -P "$source/cmake/uninstall.cmake"; }
rm "$DESTDIR/opt/ts/bin/trace_streamer"
remove >"$scratch/removed"
[ "$(grep -c '^-- Removing: ' "$scratch/removed")" = $((installed - 2)) ]
[ "$(cd "$DESTDIR" && find . -type f)" = ./opt/ts/share/trace_streamer/mine.sql ]
# Of the folders, those stay that hold something or were there before.
[ "$(cd "$DESTDIR" && find . -type d | sort | tr '\n' ' ')" = ". ./opt ./opt/ts ./opt/ts/share ./opt/ts/share/man ./opt/ts/share/trace_streamer " ]
remove >"$scratch/removed"
if grep '^-- Removing: ' "$scratch/removed" || cmake -DMANIFEST="$scratch/none" -P "$source/cmake/uninstall.cmake" 2>/dev/null; then
    exit 1
fi
