#!/usr/bin/env bash
# same_databases.sh REFERENCE DATA PROGRAM...: another build of the program, PROGRAM with what runs it in front, gives the same databases, messages,
# exit codes and reports as REFERENCE, byte for byte, of each recording below DATA. Both are of the same version.
set -euo pipefail
reference=$1
data=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0 inputs=0 databases=0

run() { # side, program...; the arguments of the run are in `with`
    local side=$scratch/$1
    shift
    mkdir -p "$side"
    rm -f "$side"/*
    (
        cd "$side"
        code=0
        "$@" "${with[@]}" -e db --quiet >out 2>err || code=$?
        echo "$code" >code
        [ ! -f db ] || "$@" db --report >report 2>&1 || echo "$?" >>report
    )
}

# Files alone, and folders with what they hold.
while read -r input; do
    with=("$input")
    run a "$reference"
    run b "$@"
    inputs=$((inputs + 1))
    [ ! -f "$scratch/a/db" ] || databases=$((databases + 1))
    if ! diff -rq "$scratch/a" "$scratch/b" >"$scratch/said"; then
        echo "${input#"$data/"}: $(sed "s,$scratch/,,g" "$scratch/said")"
        diff "$scratch/a/err" "$scratch/b/err" | head -n 5 || true
        failed=$((failed + 1))
    fi
done < <(find "$data" -mindepth 1 \( -type f -o -type d \) | sort)
[ $databases -gt 20 ] || failed=$((failed + 1))
echo "$databases databases of $inputs inputs: $failed differ"
[ $failed = 0 ]
