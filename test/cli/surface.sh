#!/usr/bin/env bash
# surface.sh PROGRAM OPTION_TABLE SOURCE: every option stands in --help, the manual page and the completion
# files, and those name no other; the completion files are what the table makes.
set -u
program=$1
table=$2
source=$3
man=$source/docs/man/trace_streamer.1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
complain() {
    echo "$*"
    bad=1
}

"$program" --help >"$scratch/help" || complain "--help fails"
while read -r short long _ _ _; do
    for name in "$short" "$long"; do
        [ "$name" = . ] && continue
        grep -qE "^  (.*, )?$name( |,|\[|$)" "$scratch/help" || complain "--help lacks $name"
        # mdoc writes "-e" as "Fl e" and "--json" as "Fl -json".
        grep -qE "Fl ${name#-}( |,|$)" "$man" || complain "the manual page lacks $name"
    done
done < <("$table" list)

# Nothing that is no option: the long names in --help and in the manual page.
"$table" list | tr ' ' '\n' | grep -E '^-' | sort -u >"$scratch/known"
{
    grep -oE '(^|[ (])--[A-Za-z][A-Za-z_-]*' "$scratch/help" | tr -d ' ('
    grep -oE 'Fl -?[A-Za-z][A-Za-z_-]*' "$man" | sed 's/^Fl /-/'
} | sort -u | comm -23 - "$scratch/known" >"$scratch/unknown"
[ -s "$scratch/unknown" ] && complain "not in the option table: $(tr '\n' ' ' <"$scratch/unknown")"

for shell in bash:trace_streamer.bash zsh:_trace_streamer fish:trace_streamer.fish; do
    file=$source/share/completion/${shell#*:}
    "$table" "${shell%%:*}" >"$scratch/made" || complain "option_table ${shell%%:*} fails"
    diff -u "$file" "$scratch/made" ||
        complain "$file is stale; write it with: option_table ${shell%%:*} >$file"
    if command -v "${shell%%:*}" >/dev/null; then
        "${shell%%:*}" -n "$file" || complain "$file: syntax"
    fi
done

# The completion of bash, run.
export PATH=${program%/*}:$PATH
# shellcheck source=/dev/null
. "$source/share/completion/trace_streamer.bash"
completes() { # expected, words...
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _trace_streamer trace_streamer
    [ "${COMPREPLY[*]}" = "$expected" ] ||
        complain "completing '${*:2}' gives '${COMPREPLY[*]}', not '$expected'"
}
completes "--export-db" trace_streamer --exp
completes "DEBUG" trace_streamer -l DE
completes "heapsnapshot" trace_streamer --format = heaps
completes "js_heap_nodes" trace_streamer --tables = js_heap_no
completes "cloud_slow_calls" trace_streamer out.db -q cloud_sl
completes "dashboard" trace_streamer --questions = dash

if command -v mandoc >/dev/null; then
    lint=$(mandoc -T lint -W warning "$man") || true
    [ -z "$lint" ] || complain "$lint"
fi
exit $bad
