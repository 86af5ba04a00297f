# shellcheck shell=bash
# Sourced by demo.sh and fleet-demo.sh, in the root of the tree: titles, and $program, built in build/demo-release.

bold=$'\033[1m' plain=$'\033[0m'
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || bold='' plain=''
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

title "Installing what is missing to build it"
scripts/install-deps.sh build

build=build/demo-release
title "Building (in $build; about a minute)"
build_log=$(mktemp)
# A line for each quarter of ninja's steps, which begin with [done/all].
progress() { awk -F '[][/]' '/^\[[0-9]+\/[0-9]+\]/ && $2 * 4 >= $3 * (n + 1) { n = int($2 * 4 / $3); print "  " $2 " of " $3 " steps"; fflush() }'; }
if ! { cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTS_TESTS=OFF >"$build_log" 2>&1 &&
    cmake --build $build 2>&1 | tee -a "$build_log" | progress; }; then
    cat "$build_log"
    rm -f "$build_log"
    exit 1
fi
rm -f "$build_log"
program=$build/bin/trace_streamer
"$program" --version
