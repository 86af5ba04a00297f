# shellcheck shell=bash
# Databases of an older version of the schema: said when asked, and made present ones.
old() { # NAME: what version 1 lacks
    ts "$DATA/work.jfr.gz" "$DATA/recording-snapshots.htrace.gz" "$DATA/recording-cpuprofile.htrace.gz" -e "$1" --quiet
    sqlite3 "$1" "SELECT 'DROP VIEW ' || name || ';' FROM sqlite_schema WHERE type = 'view' AND (name LIKE 'v\_%' ESCAPE '\' OR sql LIKE '% v\_%' ESCAPE '\')" |
        sqlite3 "$1"
    # Its samples were shown to viewers in another way.
    sqlite3 "$1" "CREATE VIEW IF NOT EXISTS perf_sample AS SELECT id, id AS callchain_id FROM stack_sample"
    sqlite3 "$1" "DROP TABLE event_class; ALTER TABLE js_heap_nodes DROP COLUMN native_size; PRAGMA user_version = 1"
}
old old.db
ts old.db -q sources --quiet >/dev/null
code ts old.db -q sources 2>&1 | head -1
code ts old.db --analyze=stack_totals -e x.db
code ts upgrade old.db -e new.db
[ ! -e x.db ] || fail "x.db was made"
# The rows, views and questions are those of a conversion, but for what was not recorded.
ts "$DATA/work.jfr.gz" "$DATA/recording-snapshots.htrace.gz" "$DATA/recording-cpuprofile.htrace.gz" -e right.db --quiet
dump() { # every table and view, in the order of its rows; a sum of each
    sqlite3 "$1" "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT IN ('meta', 'v_js_retainer', 'v_js_edge') ORDER BY name" |
        while read -r name; do
            printf '%s %s\n' "$name" "$(sqlite3 "$1" "SELECT * FROM $name" | cksum)"
        done
}
diff <(dump right.db) <(dump new.db) && echo "the same rows"
for name in hot_methods cpu_hot_methods js_class_histogram; do
    ts new.db -q "$name" --quiet | cmp - <(ts right.db -q "$name" --quiet)
done
ts new.db --analyze=stack_totals,heap --quiet
sqlite3 new.db 'PRAGMA user_version' 'PRAGMA integrity_check' 'SELECT count(*) > 0 FROM stack_total'
# What cannot become a present one.
cp old.db other.db
sqlite3 other.db 'ALTER TABLE process RENAME COLUMN pid TO nr'
code ts upgrade other.db -e other_new.db
[ ! -e other_new.db ] || fail "other_new.db was made"
sqlite3 new.db 'PRAGMA user_version = 99'
code ts upgrade new.db -e newer.db
code ts upgrade old.db
code ts upgrade old.db -e old.db
cp "$DATA/work.jfr.gz" .
code ts upgrade work.jfr.gz -e y.db
