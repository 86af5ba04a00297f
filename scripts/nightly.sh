#!/usr/bin/env bash
# nightly.sh [-t TIME] [-o DIR]: what takes hours and is not part of .ci/run. It needs about 20 GB of disk space.
#
#   tests with sanitizers, with their messages, and TS_SLOW=1: every point of the sweeps that .ci/run samples, files of 1, 2 and 4 GiB
#   the same with the release build, as far as it differs (stack of 256 KiB, flags of the program)
#   clang with the unit tests, clang-tidy, its analyzer with three times the states of .ci/run
#   fuzzing, TIME for each target (default 30m)
#   coverage, with its thresholds
#   300 mutants of the sources, 85 of 100 to be caught
#   the .deb, installed in a clean root
#   other machines: musl, big-endian, 32 bit (scripts/portable.sh)
#   the recorders of Debian and npm, each recording read a second time
#   the benchmark, all sizes
#
# TS_FIXTURES may name a folder with real recordings. Logs stay in DIR (default build/nightly).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

time=30m logs=build/nightly
while getopts t:o: option; do
    case $option in
    t) time=$OPTARG ;;
    o) logs=$OPTARG ;;
    *)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
        ;;
    esac
done

jobs=$(nproc)
mkdir -p "$logs"
started=$SECONDS
failed=()

step() { # name, command...
    local name=$1 log begin=$SECONDS
    log=$logs/${name//[^a-z0-9]/-}.log
    shift
    if "$@" >"$log" 2>&1; then
        printf 'ok      %-28s %6d s\n' "$name" $((SECONDS - begin))
    else
        printf 'FAILED  %-28s %6d s, see %s\n' "$name" $((SECONDS - begin)) "$log"
        failed+=("$name")
    fi
}

slow_tests() { # preset, build folder, cmake options
    local preset=$1 folder=$2
    shift 2
    cmake --preset "$preset" -B "$folder" -DTS_TEST_TIMEOUT=14400 "$@" && cmake --build "$folder" -j "$jobs" &&
        TS_SLOW=1 ctest --test-dir "$folder" -j "$jobs" --output-on-failure --no-tests=error
}

deep_tidy() {
    cmake --preset clang -DTS_UNIT_TESTS=ON && cmake --build --preset clang -j "$jobs" && scripts/tidy.sh 225000
}

# What is skipped where there is no module (scripts/wasm.sh).
with_module() {
    cmake --preset release-tests && cmake --build --preset release-tests -j "$jobs" &&
        ctest --test-dir build/release -R '^(npm\.package|serve\.page\.module|web\.static)$' --output-on-failure --no-tests=error
}

step "dependencies" scripts/install-deps.sh ci
step "tests, sanitizers" slow_tests dev build/nightly-dev -DTS_SANITIZE_TRAP=OFF
step "tests, release" slow_tests release-tests build/nightly-release
step "clang-tidy" deep_tidy
step "fuzzing" scripts/fuzz.sh "$time"
step "coverage" scripts/coverage.sh
step "mutants" scripts/mutate.sh --count 300 --least 85
step "package in a clean root" scripts/package.sh -t
step "other machines" scripts/portable.sh -o "$logs/portable"
step "module for browsers" scripts/wasm.sh
step "page, npm, by the module" with_module
step "release, twice, tried" scripts/release.sh -o "$logs/release" -r -t
step "recorders" scripts/recorders.sh
step "benchmark" scripts/bench.sh full

printf '\n'
if [ ${#failed[@]} -gt 0 ]; then
    printf 'nightly FAILED after %d s: %s\n' $((SECONDS - started)) "${failed[*]}"
    exit 1
fi
printf 'nightly passed after %d s\n' $((SECONDS - started))
