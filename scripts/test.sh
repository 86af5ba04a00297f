#!/usr/bin/env bash
# test.sh [ctest options]: installs what is missing, builds with AddressSanitizer and UndefinedBehaviorSanitizer,
# and runs all tests. TS_FIXTURES may name a folder with real recordings; tests that need it are skipped without.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh
jobs=$(nproc)
# shellcheck source=scripts/scratch.sh
. scripts/scratch.sh
trap 'rm -rf "$TMPDIR"' EXIT
log=$(mktemp)
echo "building (build/dev)"
if ! { cmake --preset dev && cmake --build --preset dev -j "$jobs"; } >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
# Where behaviour was undefined (TS_SANITIZE_TRAP of cmake/flags.cmake): its line, instead of the signal alone.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_sigill=1
status=0
ctest --test-dir build/dev -j "$jobs" --output-on-failure --no-tests=error "$@" >"$log" 2>&1 || status=$?
if [ $status != 0 ]; then
    cat "$log"
else
    sed -n '/tests passed/,$p' "$log"
fi
exit $status
