# shellcheck shell=bash
# QD-9: the version goes to standard output, exit code 0.
expected="trace_streamer $(sed -n 's/^project(trace_streamer VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")"
[ "$(ts -v)" = "$expected" ] || fail -v
[ "$(ts --version)" = "$expected" ] || fail --version
[ "$(ts --vers)" = "$expected" ] || fail "--vers"
ts -v >/dev/null
