#!/usr/bin/env bash
# A signal ends the program within a second or two, also where SQLite does not look: inside one function, and while nobody
# reads standard output. Nothing is left behind.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
small input
"$PROGRAM" input -e small.db --quiet
# stops SIGNAL CODE WHAT COMMAND...: SIGNAL is sent once the command runs; it may take 3 s (with sanitizers 10) to end.
stops() {
    local signal=$1 want=$2 what=$3 pid started code=0
    shift 3
    "$@" 2>err &
    pid=$!
    sleep 0.7
    started=$SECONDS
    kill -"$signal" $pid || wrong "$what: it had ended before: $(cat err)"
    wait $pid || code=$?
    [ $code = "$want" ] || wrong "$what: exit code $code instead of $want"
    [ $((SECONDS - started)) -le $((sanitized ? 10 : 3)) ] || wrong "$what: took $((SECONDS - started)) s"
    printf '%-40s %d s\n' "$what" $((SECONDS - started))
}
to_nowhere() { exec "$PROGRAM" "$@" >/dev/null; }
to_pipe() { exec "$PROGRAM" "$@" >&9; }
echo "SELECT length(replace(hex(zeroblob(250000000)), '0', 'ab')), printf('%0200000000d', 1) LIKE '%1%2%3%4%'" >function.sql
echo "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10000000) SELECT printf('%0300d', i) FROM c" >rows.sql
stops TERM 143 "one function" to_nowhere small.db -q function.sql
stops HUP 129 "one function, -e" to_nowhere input -e new.db -q function.sql --quiet
[ "$(find . -name '*new.db*')" = "" ] || wrong "left behind: $(find . -name '*new.db*')"
stops TERM 143 "rows" to_nowhere small.db -q rows.sql
mkfifo pipe
exec 9<>pipe # nobody reads it
stops TERM 143 "a stalled pipe" to_pipe small.db -q rows.sql
stops TERM 143 "a stalled pipe, -e" to_pipe input -e new.db -q rows.sql --quiet
[ "$(find . -name '*new.db*')" = "" ] || wrong "left behind: $(find . -name '*new.db*')"
verdict
