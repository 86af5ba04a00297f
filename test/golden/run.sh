#!/bin/sh
# Golden tests: input -> SQL -> expected text. A case is three files in cases/: NAME.input (one line: a file
# below test/, or "mkhtrace ..." with the arguments that make one), NAME.sql and NAME.out. Several inputs that
# must give the same answers are NAME.<what>.input.
# usage: run.sh [--rebaseline] TRACE_STREAMER MKHTRACE TEST_DIR
set -eu
rebaseline=no
if [ "$1" = --rebaseline ]; then
    rebaseline=yes
    shift
fi
program=$1
mkhtrace=$2
tests=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
count=0

# The maker's paths are relative to test/.
cd "$tests"
for input in golden/cases/*.input; do
    name=$(basename "$input" .input)
    case=${name%%.*}
    line=$(cat "$input")
    case $line in
    mkhtrace*)
        eval "set -- ${line#mkhtrace}"
        "$mkhtrace" -o "$work/$name.htrace" "$@"
        file=$work/$name.htrace
        ;;
    *) file=$line ;;
    esac
    "$program" "$file" -e "$work/$name.db" --quiet
    "$program" -q "golden/cases/$case.sql" "$work/$name.db" >"$work/$name.out"
    if [ $rebaseline = yes ]; then
        diff -u "golden/cases/$case.out" "$work/$name.out" || cp "$work/$name.out" "golden/cases/$case.out"
    elif ! diff -u "golden/cases/$case.out" "$work/$name.out"; then
        failed=$((failed + 1))
    fi
    [ "$(printf 'PRAGMA integrity_check;' | "$program" -q - "$work/$name.db" | tail -n 1)" = ok ] || {
        echo "$name: integrity_check"
        failed=$((failed + 1))
    }
    count=$((count + 1))
done
echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
