#!/usr/bin/env bash
# compilers.sh PROGRAM1 PROGRAM2 TOOLS SOURCE: two builds of the program give the same bytes.
set -euo pipefail
first=$(realpath "$1")
second=$(realpath "$2")
tools=$(realpath "$3")
source=$(cd "$4" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bash "$source/test/fault/inputs.sh" "$tools" "$source/test/data" "$scratch/inputs" cmake

compared=0
for input in "$scratch"/inputs/*.* "$scratch/inputs/flare" "$scratch/inputs/cloud" "$source"/test/data/*.{gz,pprof} "$source"/test/data/tiny/*; do
    for options in "" --index; do
        "$first" "$input" -e "$scratch/1.db" --quiet --force $options
        "$second" "$input" -e "$scratch/2.db" --quiet --force $options
        cmp "$scratch/1.db" "$scratch/2.db" || {
            echo "FAILED: $input $options"
            exit 1
        }
        compared=$((compared + 1))
    done
    "$first" "$input" --json --quiet | grep -v 'seconds\|memory\|time' >"$scratch/1.json"
    "$second" "$input" --json --quiet | grep -v 'seconds\|memory\|time' >"$scratch/2.json"
    cmp "$scratch/1.json" "$scratch/2.json"
done
echo "$compared databases are the same"
