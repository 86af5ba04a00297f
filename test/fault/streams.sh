#!/usr/bin/env bash
# streams.sh PROGRAM SHIM INPUTS: every combination of closed standard streams, with messages for all of them:
# none of it may go into the database or the input; and readers that go away.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare "$INPUTS/snapshot.htrace"
mkdir "$scratch/in"
cp "$INPUTS/snapshot.htrace" "$scratch/in"
in=$scratch/in/snapshot.htrace

exec 3>&1
for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    # The summary goes to stderr, --json to stdout; with a log there is one more.
    for options in "" "--json" "-l debug" "--index"; do
        cp "$scratch/old.db" out.db
        status=0
        # shellcheck disable=SC2086
        eval "\"\$PROGRAM\" \"\$in\" -e out.db $options $closed 3>&-" || status=$?
        cmp "$in" "$INPUTS/snapshot.htrace" || fail "$closed $options: the input has changed" >&3
        # What was asked for and could not be written is no success.
        expected=0
        [[ $options != --json || ! $closed =~ (^|\ )\>\&- ]] || expected=4
        [ $status = $expected ] || fail "$closed $options: exit $status" >&3
        if [ $expected = 4 ]; then
            cmp out.db "$scratch/old.db" || fail "$closed: the target has changed" >&3
        elif [ "$options" != --index ]; then
            cmp out.db "$scratch/right.db" || fail "$closed $options: another database" >&3
        fi
        nothing_left "$closed $options"
    done
done >"$scratch/stdout" 2>"$scratch/err"


# Questions, and a reader that goes away after the first line.
cp "$scratch/right.db" out.db
echo 'SELECT * FROM schema_doc a, schema_doc b;' >"$scratch/long.sql"
codes=$({
    code=0
    "$PROGRAM" -q "$scratch/long.sql" out.db 2>"$scratch/err" || code=$?
    echo "$code" >"$scratch/code"
} | head -1 | wc -l)
[ "$codes" = 1 ] || fail "no line was read"
[ "$(cat "$scratch/code")" = 0 ] || fail "a reader that goes away: exit $(cat "$scratch/code")"
[ ! -s "$scratch/err" ] || fail "a reader that goes away: $(cat "$scratch/err")"
code=0
"$PROGRAM" "$in" -e other.db -q "$scratch/long.sql" --quiet 2>"$scratch/err" > >(head -1 >/dev/null) ||
    code=$?
[ $code = 0 ] || fail "conversion with a reader that goes away: exit $code"
cmp other.db "$scratch/right.db"
rm other.db
cmp out.db "$scratch/right.db"
nothing_left questions

# A signal between the question whether one has come and the call that waits must not be lost: the pipe stays
# open and gives nothing.
mkfifo "$scratch/pipe"
exec 4<>"$scratch/pipe"
for call in poll:1 poll:2 poll:3; do
    begin=${EPOCHREALTIME/[.,]/}
    code=0
    timeout 20 env TS_FAULT=$call:TERM LD_PRELOAD="$SHIM" "$PROGRAM" - -e out.db --quiet \
        <"$scratch/pipe" 4>&- 2>"$scratch/err" || code=$?
    span=$((${EPOCHREALTIME/[.,]/} - begin))
    [ $code = 143 ] || fail "SIGTERM before $call: exit $code"
    [ $span -lt 1500000 ] || fail "SIGTERM before $call: $span us"
    cmp out.db "$scratch/right.db"
    nothing_left "SIGTERM before $call"
done
