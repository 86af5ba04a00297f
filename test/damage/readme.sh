#!/usr/bin/env bash
# readme.sh SOURCE: every test that README.md names exists, and every entry of the catalogue is named there.
set -euo pipefail
cd "$1/test/damage"
bad=0
# Names of macros in the tables: their first argument is the end of the name.
entries=$(
    sed -nE 's/.*\.name = "([^"]+)".*/\1/p' items_*.c | grep -v '\.$\|_$'
    sed -nE 's/.*(MEMBER|REPLACED|MISMATCH|MORE|NO_COUNT|NO_SIZE|BROKEN)\("([^"]+)".*/heap.\2/p' items_heap.c
    sed -nE 's/.*SPLIT\("([^"]+)".*/envelope.split_\1/p; s/.*NO_TEXT\("([^"]+)".*/envelope.chunk_is_\1/p' items_envelope.c
)
for name in $entries; do
    grep -q "\`$name\`" README.md || {
        echo "WRONG: README.md does not name $name"
        bad=1
    }
done
lines=0
while read -r name; do
    case $name in
    test_*) grep -rq "static void $name(" ../unit . --include='*.c' ;;
    *.sh) [ -f "$name" ] ;;
    *.*) grep -qxF "$name" <<<"$entries" ;;
    *) true ;;
    esac || {
        echo "WRONG: there is no $name"
        bad=1
    }
    lines=$((lines + 1))
done < <(sed -n '/^## Framing/,$p' README.md | grep -o '`[^` ]*`' | tr -d '`' | grep '^\(framing\|wire\|envelope\|heap\|profile\|tptp\|servers\)\.\|^test_\|\.sh$')
[ $lines -gt 100 ] || {
    echo "WRONG: README.md names only $lines tests"
    bad=1
}
[ $bad = 0 ] && echo "$(wc -l <<<"$entries") entries, all named"
exit $bad
