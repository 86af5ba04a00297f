#!/usr/bin/env bash
# portable.sh [-o DIR] [TARGET...]: builds for other machines and compares what comes out with this machine's program. All targets without any named:
#
#   musl    one static program for any Linux of this processor: all unit tests; the databases, messages and reports of the bundled
#           recordings are those of the release build, byte for byte
#   s390x   big-endian, 64 bit: unit tests of the layers base, wire, json and tables, and the same comparison, by qemu-user
#   armhf   32 bit: the layers up to the tables and their unit tests, by qemu-user
#
# Warnings are errors. What is missing is installed, libraries are built from Debian's sources once (scripts/libs.sh). Logs stay in DIR (default
# build/portable), and each part says how long it took. With empty caches all takes some 30 minutes of a processor, 8 of them for the libraries,
# and as many for tests under emulation.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

logs=build/portable
while getopts o: option; do
    case $option in
    o) logs=$OPTARG ;;
    *)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
        ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- musl s390x armhf
jobs=$(nproc)
mkdir -p "$logs"
started=$SECONDS
failed=()

step() { # name, command...
    local name=$1 log begin=$SECONDS
    log=$logs/${name//[^a-z0-9]/-}.log
    shift
    if "$@" >"$log" 2>&1; then
        printf 'ok      %-28s %6d s  %s\n' "$name" $((SECONDS - begin)) "$(sed -n 's/^100% tests passed, 0 tests failed out of/tests:/p;/ databases of /p' "$log")"
        return 0
    fi
    printf 'FAILED  %-28s %6d s, see %s\n' "$name" $((SECONDS - begin)) "$log"
    failed+=("$name")
    return 1
}

build() { # preset, what to build...
    local preset=$1
    shift
    cmake --preset "$preset" && cmake --build "build/$preset" -j "$jobs" "$@"
}

built_tests() { # preset, layers that the names of tests begin with
    mapfile -t tests < <(cd test/unit && printf '%s\n' test_*.c | sed -nE "s/^(test_($2)_.*)\.c$/\1/p")
    build "$1" --target "${tests[@]}" && ctest --test-dir "build/$1" -j "$jobs" --output-on-failure --no-tests=error -R "^unit\.test_($2)_"
}

is_static() {
    file "$1"
    file "$1" | grep -qE 'statically linked|static-pie linked' && ! readelf -l "$1" | grep -q INTERP
}

same() { # preset, what runs its program
    bash test/cli/same_databases.sh "$PWD/build/release/bin/trace_streamer" "$PWD/test/data" "${@:2}" "$PWD/build/$1/bin/trace_streamer"
}

# *the emulator of a target; none for musl
emulator() {
    case $1 in
    s390x) echo qemu-s390x ;;
    armhf) echo qemu-arm ;;
    esac
}

step "dependencies" scripts/install-deps.sh portable
step "release" build release --target trace_streamer
for target; do
    layers='base|wire|json|tables'
    [ "$target" != musl ] || layers='.*'
    step "$target: libraries" scripts/libs.sh "$target" || continue
    if [ "$target" != armhf ]; then
        step "$target: program" build "$target" --target trace_streamer || continue
        step "$target: static" is_static "build/$target/bin/trace_streamer"
    else
        step "$target: layers" build "$target" || continue
    fi
    step "$target: unit tests" built_tests "$target" "$layers"
    # shellcheck disable=SC2046
    [ "$target" = armhf ] || step "$target: databases" same "$target" $(emulator "$target")
done
printf '%d s, %d failed\n' $((SECONDS - started)) ${#failed[@]}
[ ${#failed[@]} = 0 ]
