#!/bin/sh
# Runs every example of README.md on the recordings in test/data: each must answer with rows.
# usage: readme.sh TRACE_STREAMER SOURCE_DIR
set -eu
program=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each block that is marked sh is pasted into bash, one after the other, as somebody would in a clone.
mkdir "$work/bin" "$work/paste"
ln -s "$program" "$work/bin/trace_streamer"
ln -s "$source/test" "$work/paste/test"
awk -v dir="$work" '
    /^```sh$/ { n++; inside = 1; next }
    /^```$/ { inside = 0 }
    inside { print > (dir "/" sprintf("%02d", n) ".block") }
' "$source/README.md"

count=0
for file in "$work"/*.block; do
    (cd "$work/paste" && PATH=$work/bin:$PATH bash -e) <"$file" >"$work/answer" 2>"$work/messages" || {
        echo "this example of README.md fails:"
        cat "$file" "$work/messages"
        exit 1
    }
    case $(cat "$file") in
    *" -q "* | *" --report"*)
        [ "$(wc -l <"$work/answer")" -gt 1 ] || {
            echo "no rows from this example of README.md:"
            cat "$file"
            exit 1
        }
        ;;
    esac
    count=$((count + 1))
done
[ "$count" -eq 8 ] || { echo "README.md has $count examples instead of 8"; exit 1; }
[ "$(wc -l <"$source/README.md")" -le 150 ] || { echo "README.md has more than 150 lines"; exit 1; }
! grep -q '^```sql' "$source/README.md" || { echo "README.md has SQL that cannot be pasted"; exit 1; }

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
