#!/usr/bin/env bash
# install-deps.sh [--build-only]: installs what is missing to build (and, without the option, to test and check)
# this project on Debian or Ubuntu. Quiet when there is nothing to do; as root or with sudo.
set -euo pipefail

build_only=0
for arg in "$@"; do
    case $arg in
    --build-only) build_only=1 ;;
    *)
        echo "usage: scripts/install-deps.sh [--build-only]" >&2
        exit 2
        ;;
    esac
done

# What is needed, and how to see that it is there: a program, a pkg-config module, a header or a package.
needs=(
    "build-essential program gcc"
    "build-essential program make"
    "cmake program cmake"
    "ninja-build program ninja"
    "pkg-config program pkg-config"
    "protobuf-c-compiler program protoc-c"
    "libsqlite3-dev module sqlite3"
    "libprotobuf-c-dev module libprotobuf-c"
    "zlib1g-dev module zlib"
    "libarchive-dev module libarchive"
    "libzstd-dev module libzstd"
    "liblzma-dev module liblzma"
    "liblz4-dev module liblz4"
    "libbz2-dev header bzlib.h"
    "libexpat1-dev module expat"
    "sqlite3 program sqlite3"
)
if [ $build_only = 0 ]; then
    needs+=(
        "clang program clang"
        "libclang-rt-14-dev package libclang-rt-14-dev"
        "libcmocka-dev module cmocka"
        "git program git"
        "python3 program python3"
        "clang-format-14 program clang-format-14"
        "clang-format program clang-format"
        "clang-tidy program clang-tidy"
        "cppcheck program cppcheck"
        "shellcheck program shellcheck"
        "mandoc program mandoc"
        "gcovr program gcovr"
        "strace program strace"
    )
fi

present() { # kind, name
    case $1 in
    program) command -v "$2" >/dev/null ;;
    module) command -v pkg-config >/dev/null && pkg-config --exists "$2" ;;
    header) [ -f "/usr/include/$2" ] ;;
    package) dpkg-query -W -f '${Status}' "$2" 2>/dev/null | grep -q 'ok installed' ;;
    esac
}

missing() {
    local need package kind name
    for need in "${needs[@]}"; do
        read -r package kind name <<<"$need"
        present "$kind" "$name" || echo "$package"
    done | sort -u
}

mapfile -t packages < <(missing)
[ ${#packages[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "install-deps.sh: no apt-get here; please install: ${packages[*]}" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
        echo "install-deps.sh: needs root or sudo to install: ${packages[*]}" >&2
        exit 1
    }
    as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "installing: ${packages[*]}"
# Some releases name the sanitizers' runtime differently or ship it with clang.
apt_install() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "$@" >>"$log" 2>&1
}
"${as_root[@]}" apt-get update -q >>"$log" 2>&1 || true # stale lists may still do
if ! apt_install "${packages[@]}"; then
    for package in "${packages[@]}"; do
        apt_install "$package" || true
    done
fi

mapfile -t left < <(missing | grep -vx 'libclang-rt-14-dev' || true)
if [ ${#left[@]} -gt 0 ]; then
    cat "$log" >&2
    echo "install-deps.sh: still missing: ${left[*]}" >&2
    exit 1
fi
