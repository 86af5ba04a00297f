#!/bin/sh
# Runs every SQL example of README.md on the recordings that the demo converts: each must answer with rows.
# usage: readme.sh TRACE_STREAMER SOURCE_DIR
set -eu
program=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for kind in snapshots timeline cpuprofile; do
    "$program" "$source/test/data/recording-$kind.htrace.gz" -e "$work/$kind.db" --quiet
done

# One file an example: <number>.sql, whose first line names the database.
awk -v dir="$work" '
    /^```sql$/ { n++; inside = 1; next }
    /^```$/ { inside = 0 }
    inside { print > (dir "/" n ".sql") }
' "$source/README.md"

count=0
for file in "$work"/*.sql; do
    db=$(sed -n '1s/^-- //p' "$file")
    rows=$("$program" -q "$file" "$work/$db" | tail -n +2 | wc -l)
    if [ "$rows" -eq 0 ]; then
        echo "no rows from this example of README.md:"
        cat "$file"
        exit 1
    fi
    count=$((count + 1))
done
[ "$count" -eq 10 ] || { echo "README.md has $count examples instead of 10"; exit 1; }

# The two lines at the top, as they stand there.
cp "$source/test/data/recording-snapshots.htrace.gz" "$work/input.htrace"
cd "$work"
"$program" input.htrace -e out.db --quiet
query=$(sed -n 's/^    sqlite3 out.db "\(.*\)"$/\1/p' "$source/README.md")
printf '%s' "$query" >top.sql
"$program" -q top.sql out.db >answer
[ "$(wc -l <answer)" -eq 21 ] || { echo "the example at the top gives $(wc -l <answer) lines"; exit 1; }

# Every option that the text names exists.
grep -o -e '`--[a-z-]*' "$source/README.md" | tr -d '`' | sort -u | while read -r option; do
    "$program" --help | grep -q -e "$option" || { echo "README.md names $option"; exit 1; }
done
echo "$count examples answered"
