# shellcheck shell=sh
# For tests that compare bytes of a tool's files with bytes computed by hand: a working folder that goes away, and
# `is`, which says what differs and sets failed=1. Sourced; the last line of a test is `exit "$failed"`.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# shellcheck disable=SC2034
failed=0

hex() { # file, offset, count
    od -An -v -tx1 -j "$2" -N "$3" "$1" | tr -d ' \n'
}

is() { # what, got, want
    if [ "$2" != "$3" ]; then
        echo "$1: want $3, got $2"
        # shellcheck disable=SC2034
        failed=1
    fi
}

size() { # file, bytes
    is "size of $1" "$(wc -c <"$1" | tr -d ' ')" "$2"
}
