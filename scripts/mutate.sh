#!/usr/bin/env bash
# mutate.sh [OPTIONS]: how many small changes of src/ do the tests notice? Hours; prints every mutant and the score, and leaves the
# survivors in build/mutate/survivors.txt. Options are those of `test/mutate/mutate.py run`, for example
#
#   mutate.sh --count 300 --seed 1         300 mutants of all sources
#   mutate.sh --only 'src/json/*' --jobs 4
#   mutate.sh --least 85                   ends with 1 when fewer than 85 of 100 are caught
#
# Which tests reach which line is measured first, with the coverage build, and kept in build/mutate/map.json.gz: remove that file when
# the tests have changed.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh ci
map=build/mutate/map.json.gz
mkdir -p build/mutate
if [ ! -f "$map" ]; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! { cmake --preset coverage && cmake --build --preset coverage -j "$(nproc)"; } >"$log" 2>&1; then
        cat "$log"
        exit 1
    fi
    find build/coverage -name '*.gcda' -delete
    python3 test/mutate/mutate.py map --build build/coverage --out "$map"
fi
python3 test/mutate/mutate.py run --map "$map" --report build/mutate/survivors.txt "$@"
