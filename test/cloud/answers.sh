#!/bin/bash
# The questions about calls: on recordings that mkcloud makes their answers must agree with each other and with the
# records of the calls; on a recording of the profiler itself (TS_FIXTURES) they are known.
# usage: answers.sh TRACE_STREAMER MKCLOUD SOURCE_DIR
set -euo pipefail
program=$1
mkcloud=$2
questions=$(dirname "$program")/../share/trace_streamer/sql
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# ask QUESTION DATABASE OPTION...: the rows.
ask() {
    local question=$questions/$1.sql
    local db=$2
    shift 2
    "$program" -q "$question" "$@" "$db" | tail -n +2
}

# query DATABASE SQL
query() { printf '%s\n' "$2" | "$program" -q - "$1" | tail -n +2; }

# same WHAT EXPECTED FOUND
same() {
    [ "$2" != "$3" ] || return 0
    printf '%s:\nexpected: %s\nfound:    %s\n' "$1" "$2" "$3"
    failed=$((failed + 1))
}

# Fields are divided by tabs.
sum() { awk -F '\t' -v k="$1" '{ n += $k } END { printf "%.0f %d\n", n, NR }'; }

made=$work/made.db
"$mkcloud" -o "$work/made" --container flat --calls 60 --pause 200 --threads 2
"$program" "$work/made" -e "$made" --quiet
for call in 1 2 5 17 30; do
    IFS=$'\t' read -r dur calls paused params <<<"$(query "$made" "SELECT dur, calls, suspend_dur,
      (SELECT count(*) FROM cloud_call_param WHERE call_id = c.id) FROM cloud_call AS c WHERE id = $call;")"
    ask cloud_call_tree "$made" --param call=$call >"$work/tree"
    same "call $call: self_dur and rows of its tree" "$dur $calls" "$(sum 4 <"$work/tree")"
    same "call $call: dur of its root" "$dur" "$(head -n 1 "$work/tree" | cut -f 3)"
    ask cloud_call_pauses "$made" --param call=$call >"$work/pauses"
    same "call $call: pauses" "$paused" "$(sum 3 <"$work/pauses" | cut -d ' ' -f 1)"
    same "call $call: parameters" "$params" "$(ask cloud_call_params "$made" --param call=$call | wc -l)"
done
# Statements of the calls by their roots' invocations; calls by each value of a parameter.
statements=0
for call in $(query "$made" "SELECT id FROM cloud_call WHERE root_slice_id IS NOT NULL;"); do
    n=$(ask cloud_call_statements "$made" --param call="$call" | sum 2 | cut -d ' ' -f 1)
    statements=$((statements + n))
done
same "statements of all calls" "$(query "$made" "WITH RECURSIVE w(id) AS (SELECT root_slice_id FROM cloud_call
    WHERE root_slice_id IS NOT NULL UNION ALL SELECT s.id FROM w JOIN stack_slice AS s ON s.parent_id = w.id)
    SELECT count(*) FROM w JOIN cloud_tag AS t ON t.slice_id = w.id WHERE t.type = 3;")" "$statements"
param=$(query "$made" "SELECT d.word FROM cloud_call_param AS p JOIN cloud_dictionary AS d ON d.id = p.dictionary_id
    GROUP BY 1 ORDER BY count(*) DESC LIMIT 1;")
value=$(query "$made" "SELECT min(p.value) FROM cloud_call_param AS p JOIN cloud_dictionary AS d ON d.id = p.dictionary_id
    WHERE d.word = '$param';")
same "calls with the parameter $param" "$(query "$made" "SELECT count(*) FROM cloud_call_param AS p
    JOIN cloud_dictionary AS d ON d.id = p.dictionary_id WHERE d.word = '$param';")" \
    "$(ask cloud_calls_by_param "$made" --param name="$param" --param limit=1000000 | wc -l)"
same "the same with a value" "$(query "$made" "SELECT p.call_id FROM cloud_call_param AS p
    JOIN cloud_dictionary AS d ON d.id = p.dictionary_id WHERE d.word = '$param' AND p.value = '$value' ORDER BY 1;")" \
    "$(ask cloud_calls_by_param "$made" --param name="$param" --param value="$value" | cut -f 1 | sort -n)"
same "self time of all methods" "$(query "$made" "SELECT sum(dur) FROM stack_slice WHERE parent_id IS NULL;")" \
    "$(ask slice_hot_methods "$made" --param limit=100000 | sum 4 | cut -d ' ' -f 1)"
same "folded stacks" "$(query "$made" "SELECT sum(self_dur) FROM stack_slice;")" \
    "$(ask folded_stacks "$made" --param event=call | awk '{ n += $NF } END { printf "%.0f\n", n }')"
same "slowest call" "$(query "$made" "SELECT max(dur) FROM cloud_call;")" \
    "$(ask cloud_slow_calls "$made" --param limit=1 | cut -f 3)"
same "callstack" "$(query "$made" "SELECT count(*), sum(dur), sum(depth), count(parent_id) FROM stack_slice;")" \
    "$(query "$made" "SELECT count(*), sum(dur), sum(depth), count(parent_id) FROM callstack;")"
same "integrity" ok "$(query "$made" "PRAGMA integrity_check;")"

# The files of a directory as arguments, and conversations beside other files, are imported too.
"$program" "$work"/made/*.protocol -e "$work/files.db" --quiet
same "stream files as arguments" "$("$program" -q "$3/test/cloud/figures.sql" "$made")" \
    "$("$program" -q "$3/test/cloud/figures.sql" "$work/files.db")"
same "their sources" 1 "$(query "$work/files.db" "SELECT count(*) FROM source;")"
mkdir "$work/mixed"
cp "$work"/made/*.protocol "$work/mixed"
"$mkcloud" -o "$work/mixed/capture.bin" --container tcp --calls 60 --pause 200 --threads 2
echo "no recording" >"$work/mixed/README"
"$program" "$work/mixed" -e "$work/mixed.db" --quiet
same "a directory with a conversation" "2 $(query "$made" "SELECT 2 * count(*), 2 * sum(dur) FROM cloud_call;")" \
    "$(query "$work/mixed.db" "SELECT count(DISTINCT source_id) || ' ' || count(*), sum(dur) FROM cloud_call;")"
same "files that are none" 1 "$(query "$work/mixed.db" \
    "SELECT count FROM import_issue WHERE code = 'member_skipped';")"

if [ -n "${TS_FIXTURES:-}" ]; then
    db=$work/real.db
    "$program" "$TS_FIXTURES/cloud/small-pod.protocol" -e "$db" --quiet
    same "call that began at a time" "1387 main" \
        "$(ask cloud_slow_calls "$db" --param from=1690201583767000000 --param to=1690201583768000000 |
            awk -F '\t' '{ printf "%d %s", $3 / 1e6, $7 }')"
    # The range of the first call: it and what it called; another 44 calls and 1452 invocations are passed over.
    "$program" "$TS_FIXTURES/cloud/small-pod.protocol" -e "$work/part.db" --quiet --time-range 1690201583767,1690201583768
    same "a part of the time" "1 4 1;45 1 44;1456 4 1452" "$(query "$work/part.db" "SELECT
            (SELECT count(*) || ' ' || sum(calls) FROM cloud_call) || ' ' || (SELECT count(*) FROM cloud_root) || ';' ||
            (SELECT seen || ' ' || imported || ' ' || skipped FROM import_count WHERE item = 'cloud_calls') || ';' ||
            (SELECT seen || ' ' || imported || ' ' || skipped FROM import_count WHERE item = 'cloud_enters');")"
    same "slowest calls: dur and pauses in ms" "93906 31790,3236 1794,2509 1718,2047 931,2043 931," \
        "$(ask cloud_slow_calls "$db" --param limit=5 | awk -F '\t' '{ printf "%d %d,", $3 / 1e6, $4 / 1e6 }')"
    same "self time: invocations, self, total in ms" \
        "1 55391 93906,26 19900 22107,10 8138 8138,31 5362 10891,3 4732 4732," \
        "$(ask slice_hot_methods "$db" --param limit=5 | awk -F '\t' '{ printf "%d %d %d,", $3, $4 / 1e6, $5 / 1e6 }')"
    same "tree of the first call: depth, at, dur, self" "0 0 1387 1291,1 278 3 0,2 278 3 3,1 490 93 93," \
        "$(ask cloud_call_tree "$db" --param call=1 |
            awk -F '\t' '{ printf "%d %d %d %d,", $1, $2 / 1e6, $3 / 1e6, $4 / 1e6 }')"
    same "parameters of the last call" \
        "GET /actuator/health, client: 192.168.206.37;GET;192.168.206.37;http://10.131.130.171:8180/actuator/health;" \
        "$(ask cloud_call_params "$db" --param call=45 | cut -f 2 | tr '\n' ';')"
    same "first and last pause: end, delay" "1690201577743 67 1690201726143 88" \
        "$(query "$db" "SELECT (ts + dur) / 1000000, dur / 1000000 FROM cloud_suspend WHERE id IN (1, 504) ORDER BY id;" |
            tr '\t\n' '  ' | sed 's/ $//')"
    same "first and last block: offset, thread, clock, events, bytes" \
        "8 1 1690201583767 48 243 43838 65 1690201708552 16 452" \
        "$(query "$db" "SELECT offset, tid, real_ts / 1000000, events, bytes FROM cloud_block JOIN thread USING (itid)
             WHERE offset IN (8, 43838) ORDER BY 1;" | tr '\t\n' '  ' | sed 's/ $//')"
    same "call paths" 198 "$(query "$db" "SELECT count(*) FROM stack_node;")"
    same "threads with a name" 19 "$(query "$db" "SELECT count(*) FROM thread WHERE tid > 0 AND name IS NOT NULL;")"
    same "pauses of all calls in ms" 42981 "$(query "$db" "SELECT sum(suspend_dur) / 1000000 FROM cloud_call;")"
fi
[ "$failed" -eq 0 ]
