#!/usr/bin/env bash
# try-files.sh DIR: converts each file in a folder and below it, for itself, and prints a line for each: its format, items that became rows, issues
# by severity (info, warning, data_loss, error), the exit code, seconds, the file, and what was said of one that was not converted. Nothing is
# written but to a temporary folder.
#
# Exit code: 0, or 1 when a file ended the program by a signal, took too long or gave an exit code that the README does not have.
#
# TRACE_STREAMER  the program (that of the build, else the one in PATH)
# TIMEOUT         seconds for a file (60)
set -euo pipefail
[ $# -eq 1 ] && [ -d "$1" ] || {
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
case $1 in
-*) dir=./$1 ;;
*) dir=${1%/} ;;
esac
program=${TRACE_STREAMER:-$(cd "$(dirname "$0")/.." && pwd)/build/release/bin/trace_streamer}
[ -x "$program" ] || program=trace_streamer
seconds=${TIMEOUT:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

ask() { # SQL: its one cell
    "$program" "$work/out.db" --quiet -q "$1" 2>/dev/null | sed -n 2p
}

printf '%-16s %10s %5s %5s %5s %5s %5s %7s  %s\n' format rows info warn loss error exit seconds file
while IFS= read -r -d '' file; do
    rm -f "$work/out.db"
    begin=$(date +%s%N)
    code=0
    timeout -k 5 "$seconds" "$program" "$file" -e "$work/out.db" --quiet </dev/null >/dev/null 2>"$work/said" || code=$?
    time=$((($(date +%s%N) - begin) / 1000000))
    format=- rows=- issues='- - - -' said=
    if [ -f "$work/out.db" ]; then
        format=$(ask "SELECT ifnull(group_concat(format), '-') FROM (SELECT DISTINCT format FROM source WHERE format IS NOT NULL AND kind <> 'profile' ORDER BY id LIMIT 3)")
        rows=$(ask "SELECT ifnull(sum(imported), 0) FROM import_count WHERE item NOT IN ('bytes', 'members')")
        issues=$(ask "SELECT ifnull(sum(count) FILTER (WHERE severity = 'info'), 0) || ' ' || ifnull(sum(count) FILTER (WHERE severity = 'warning'), 0) || ' '
            || ifnull(sum(count) FILTER (WHERE severity = 'data_loss'), 0) || ' ' || ifnull(sum(count) FILTER (WHERE severity = 'error'), 0) FROM import_issue")
    else
        said=$(head -n 1 "$work/said" | cut -c 1-300)
    fi
    case $code in
    [0-7]) ;;
    *) status=1 ;;
    esac
    read -r info warning loss error <<<"$issues"
    # %q: a name may hold line feeds and control characters.
    printf '%-16s %10s %5s %5s %5s %5s %5s %7s  %q%s\n' "$format" "$rows" "$info" "$warning" "$loss" "$error" "$code" \
        "$((time / 1000)).$(printf %03d $((time % 1000)))" "${file#"$dir"/}" "${said:+  $said}"
done < <(find "$dir/" -type f -print0 | sort -z)
exit $status
