#!/usr/bin/env bash
# install.sh BUILD SOURCE: what is installed, and that a question is found beside the installed program.
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
for file in "$source"/share/sql/*.sql; do
    [ -e "$file" ] || continue
    cmp "$file" "usr/share/trace_streamer/sql/$(basename "$file")"
done
[ "$(usr/bin/trace_streamer --version)" = "$("$build/bin/trace_streamer" --version)" ]
mkdir -p usr/share/trace_streamer/sql
echo 'SELECT count(*) AS files FROM js_heap_files;' >usr/share/trace_streamer/sql/only_installed.sql
usr/bin/trace_streamer "$source/test/data/tiny/snapshot.heapsnapshot" --quiet -q only_installed.sql >out
printf 'files\n1\n' | cmp - out
