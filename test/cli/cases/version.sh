# shellcheck shell=bash
# QD-9: the version goes to standard output, exit code 0. test/cli/version.sh tests what it is.
expected=$(ts --version)
[[ $expected =~ ^trace_streamer\ [0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$ ]] || fail "$expected"
[ "$(ts -v)" = "$expected" ] || fail -v
[ "$(ts --version)" = "$expected" ] || fail --version
[ "$(ts --vers)" = "$expected" ] || fail "--vers"
small
ts small.htrace -e v.db --quiet
printf 'v\n%s\n' "${expected#* }" >v.expected
ts -q - v.db <<<"SELECT value AS v FROM meta WHERE name = 'tool_version'" | cmp - v.expected || fail meta
ts -v >/dev/null
