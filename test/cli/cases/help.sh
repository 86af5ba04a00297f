# shellcheck shell=bash
# --help and -h print to standard output and exit with 0 (QD-9); what follows does not matter.
ts --help || fail --help
ts -h | cmp - <(ts --help) || fail -h
ts --help --no-such-option | cmp - <(ts --help) || fail "--help first"
