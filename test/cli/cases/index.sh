# shellcheck shell=bash
# --index adds indexes and statistics.
small
ts small.htrace -e plain.db --quiet
ts small.htrace -e index.db --index --quiet
for db in plain index; do
    ts $db.db -q - <<<"SELECT count(*) > 0 AS indexes FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    ts $db.db -q - <<<"SELECT count(*) > 0 AS analysed FROM sqlite_master WHERE name = 'sqlite_stat1'"
done
ts small.htrace -e index.db --index 2>&1 | grep -c 'for indexes'
