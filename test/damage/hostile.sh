#!/usr/bin/env bash
# The catalogue through the program itself: exit code, a database that SQLite finds whole, time. CATALOGUE is in $4.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
CATALOGUE=$4
limit_ms=1000 # each is below 1 MB
[ $sanitized = 0 ] || limit_ms=20000
TIMEFORMAT='%U %S'
mkdir inputs
"$CATALOGUE" --write inputs
cat >check.sql <<'SQL'
PRAGMA integrity_check;
SELECT count(*) AS conserved FROM import_issue WHERE code = 'conservation';
SQL
n=0
# With sanitizers every fourth: all of them are imported by `catalogue` already.
every=1
[ $sanitized = 0 ] || [ "${TS_SLOW:-0}" = 1 ] || every=4
while read -r name code; do
    n=$((n + 1))
    [ $((n % every)) = 0 ] || continue
    # Processor time, for others use the machine as well; a run that only waits ends by the limit of `expect`.
    { time expect "$code" "$name" "$PROGRAM" "inputs/$name" -e out.db -q check.sql --strict --quiet; } 2>took
    ms=$(awk '{printf "%d", ($1 + $2) * 1000}' took)
    [ "$ms" -le $limit_ms ] || wrong "$name: took $ms ms"
    if [ "$code" = 0 ] || [ "$code" = 3 ]; then
        [ "$(tr '\n' ' ' <out)" = "integrity_check ok  conserved 0 " ] || wrong "$name: $(cat out)"
        rm out.db
    elif [ -e out.db ]; then
        wrong "$name: published with exit code $code"
        rm out.db
    fi
done <inputs/list
[ $n -ge 100 ] || wrong "only $n inputs"
echo "$n inputs"
verdict
