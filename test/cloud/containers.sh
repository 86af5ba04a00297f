#!/bin/bash
# A recording of the Cloud Profiler is the same in every container and however its files are given: directory of the
# agent or one below it, archive, stream files, TCP conversation, compressed as a whole; parts of its time are parts
# of its rows. On recordings that mkcloud makes.
# usage: containers.sh TRACE_STREAMER MKCLOUD PYTHON SOURCE_DIR
set -euo pipefail
program=$1
mkcloud=$2
python=$3
tests=$4/test
slow=$4/share/sql/cloud_slow_calls.sql
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# same WHAT EXPECTED FOUND
same() {
    [ "$2" != "$3" ] || return 0
    printf '%s:\nexpected: %s\nfound:    %s\n' "$1" "$2" "$3"
    failed=$((failed + 1))
}

# query DATABASE SQL
query() { printf '%s\n' "$2" | "$program" -q - "$1" | tail -n +2; }

figures() { "$program" -q "$tests/cloud/figures.sql" "$1"; }

# imported WHAT INPUT...: has the figures of $work/made.db.
imported() {
    local what=$1
    shift
    "$program" "$@" -e "$work/out.db" --quiet
    same "$what" "$expected" "$(figures "$work/out.db")"
    same "$what: sources" "$pods" "$(query "$work/out.db" "SELECT count(*) FROM source WHERE kind = 'pod';")"
    same "$what: loss" "" "$(query "$work/out.db" "SELECT * FROM import_issue WHERE severity NOT IN ('info');")"
}

options=(--pods 2 --calls 40 --threads 3 --pause 150 --rotate-trace 3000)
pods=2
"$mkcloud" -o "$work/agent" --container agent "${options[@]}"
"$mkcloud" -o "$work/flat" --container flat "${options[@]}"
"$mkcloud" -o "$work/capture.bin" --container tcp "${options[@]}"
"$program" "$work/agent" -e "$work/made.db" --quiet
expected=$(figures "$work/made.db")
imported "directory of a server" "$work"/agent/orders
imported "stream files in a directory" "$work/flat"
imported "stream files as arguments" "$work"/flat/*
imported "conversation" "$work/capture.bin"
gzip -k "$work/capture.bin"
imported "conversation in gzip" "$work/capture.bin.gz"
imported "conversation on standard input" - <"$work/capture.bin"
for input in agent flat; do
    tar -C "$work" -cf "$work/$input.tar" "$input"
    imported "$input: tar" "$work/$input.tar"
    gzip "$work/$input.tar"
    imported "$input: tar in gzip" "$work/$input.tar.gz"
    "$python" -c 'import shutil, sys; shutil.make_archive(sys.argv[1], "zip", sys.argv[1])' "$work/$input"
    imported "$input: zip" "$work/$input.zip"
done

# Each pod alone, by a directory below the server's.
pods=1
for pod in "$work"/agent/orders/*/*/*/*/; do
    "$program" "$pod" -e "$work/pod.db" --quiet
    name=$(basename "$pod")
    same "pod $name: calls, their dur, invocations" \
        "$(query "$work/made.db" "SELECT count(*), sum(dur), (SELECT count(*) FROM stack_slice WHERE source_id = s.id)
            FROM cloud_call AS c JOIN source AS s ON s.id = c.source_id WHERE s.name = '$name';")" \
        "$(query "$work/pod.db" "SELECT count(*), sum(dur), (SELECT count(*) FROM stack_slice)
            FROM cloud_call AS c JOIN source AS s ON s.id = c.source_id WHERE s.name = '$name';")"
done

# Parts of the time: what a query of the whole finds, and every item is counted.
"$mkcloud" -o "$work/part" --container flat --calls 200 --pause 100 --threads 3
"$program" "$work/part" -e "$work/whole.db" --quiet
IFS=$'\t' read -r begin end <<<"$(query "$work/whole.db" "SELECT min(ts) / 1000000, max(ts) / 1000000 FROM cloud_call;")"
span=$(((end - begin) / 4))
seen="SELECT item, sum(seen) FROM import_count WHERE item LIKE 'cloud_%' AND item <> 'cloud_stream_bytes'
    GROUP BY item ORDER BY item;"
for range in "$begin $((begin + span))" "$((begin + span)) $((begin + 3 * span))" "$end $((end + 1))" "0 $begin"; do
    from=${range% *}
    to=${range#* }
    "$program" "$work/part" -e "$work/part.db" --time-range "$from,$to" --quiet
    in="ts >= ${from}000000 AND ts < ${to}000000"
    slices="WITH RECURSIVE w(id) AS (SELECT id FROM stack_slice WHERE parent_id IS NULL AND $in UNION ALL
        SELECT s.id FROM w JOIN stack_slice AS s ON s.parent_id = w.id)"
    same "$range: calls" "$(query "$work/whole.db" "SELECT count(*), sum(dur), sum(suspend_dur) FROM cloud_call WHERE $in;")" \
        "$(query "$work/part.db" "SELECT count(*), sum(dur), sum(suspend_dur) FROM cloud_call;")"
    same "$range: values" "$(query "$work/whole.db" "SELECT count(*) FROM cloud_call_param
        WHERE call_id IN (SELECT id FROM cloud_call WHERE $in);")" \
        "$(query "$work/part.db" "SELECT count(*) FROM cloud_call_param;")"
    same "$range: invocations" \
        "$(query "$work/whole.db" "$slices SELECT count(*), sum(dur), sum(self_dur) FROM w JOIN stack_slice USING (id);")" \
        "$(query "$work/part.db" "SELECT count(*), sum(dur), sum(self_dur) FROM stack_slice;")"
    same "$range: tags" "$(query "$work/whole.db" "$slices SELECT count(*) FROM w JOIN cloud_tag AS t ON t.slice_id = w.id;")" \
        "$(query "$work/part.db" "SELECT count(*) FROM cloud_tag;")"
    same "$range: pauses" "$(query "$work/whole.db" "SELECT count(*), sum(dur) FROM cloud_suspend WHERE $in;")" \
        "$(query "$work/part.db" "SELECT count(*), sum(dur) FROM cloud_suspend;")"
    same "$range: joined" "$(query "$work/whole.db" "SELECT count(root_slice_id) FROM cloud_call WHERE $in;")" \
        "$(query "$work/part.db" "SELECT count(root_slice_id) FROM cloud_call;")"
    "$program" -q "$slow" --param from="${from}000000" --param to="${to}000000" "$work/whole.db" | cut -f 2- >"$work/slow"
    # A question about calls does not fit a database that has none.
    "$program" -q "$slow" "$work/part.db" 2>"$work/err" | cut -f 2- >"$work/answer" ||
        { grep -q 'cannot answer' "$work/err" && head -1 "$work/slow" >"$work/answer"; }
    same "$range: slowest" "$(cat "$work/slow")" "$(cat "$work/answer")"
    same "$range: items seen" "$(query "$work/whole.db" "$seen")" "$(query "$work/part.db" "$seen")"
    same "$range: items that are not accounted for" "" "$(query "$work/part.db" \
        "SELECT item FROM import_count WHERE seen <> imported + skipped + lost;")"
done

# --strict: the calls end at the first one that makes no sense, and the exit code is 3.
"$mkcloud" -o "$work/bad" --container flat --calls 60 --small 0 --call-no-method 20
"$program" "$work/bad" -e "$work/bad.db" --quiet
same "implausible calls" "60 1" "$(query "$work/bad.db" "SELECT (SELECT count(*) FROM cloud_call) || ' ' || sum(count)
    FROM import_issue WHERE code = 'cloud_call_implausible';")"
status=0
"$program" "$work/bad" -e "$work/bad.db" --quiet --strict 2>/dev/null || status=$?
same "strict" "3 20 1" "$status $(query "$work/bad.db" "SELECT (SELECT count(*) FROM cloud_call) || ' ' || count(*)
    FROM import_issue WHERE code = 'cloud_stream_bad';")"
[ "$failed" -eq 0 ]
