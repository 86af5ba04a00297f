#!/usr/bin/env bash
# install-deps.sh [build | test | package | portable | wasm | ci]: installs what is missing on Debian or Ubuntu: what the program and its page are built
# from, what its tests need besides (the default), what a .deb is made and checked with, the compilers and emulators of other machines
# (scripts/portable.sh) or into the module for web viewers (scripts/wasm.sh), or everything that .ci/run runs. Only ci names versions of tools
# (the formatter and the runtime of the sanitizers of clang 14), which Debian 12 has. Quiet when there is nothing to do; as root or with sudo.
set -euo pipefail

level=${1:-test}
case $#,$level in
[01],build | [01],test | [01],package | [01],portable | [01],wasm | [01],ci) ;;
*)
    echo "usage: scripts/install-deps.sh [build | test | package | portable | wasm | ci]" >&2
    exit 2
    ;;
esac

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
    "libiberty-dev header libiberty/demangle.h"
    "libelf-dev module libelf"
    "libexpat1-dev module expat"
    "libmicrohttpd-dev module libmicrohttpd"
    "libwslay-dev header wslay/wslay.h"
    "libcurl4-openssl-dev module libcurl"
    "nodejs program node"
    "npm program npm"
    "sqlite3 program sqlite3"
)
if [ "$level" = test ] || [ "$level" = ci ]; then
    needs+=(
        "git program git"
        "libcmocka-dev module cmocka"
        "python3 program python3"
    )
fi
if [ "$level" = package ] || [ "$level" = ci ]; then
    needs+=(
        "dpkg-dev program dpkg-shlibdeps"
        "file program file"
        "lintian program lintian"
        "patchelf program patchelf"
        "python3 program python3"
    )
fi
if [ "$level" = portable ]; then
    needs+=(
        "dpkg-dev program dpkg-source"
        "file program file"
        "gcc-arm-linux-gnueabihf program arm-linux-gnueabihf-gcc"
        "gcc-s390x-linux-gnu program s390x-linux-gnu-gcc"
        "libc6-dev-armhf-cross package libc6-dev-armhf-cross"
        "libc6-dev-s390x-cross package libc6-dev-s390x-cross"
        "musl-tools program musl-gcc"
        "qemu-user program qemu-s390x"
        "tcl program tclsh"
    )
fi
if [ "$level" = wasm ]; then
    needs+=(
        "chromium program chromium"
        "emscripten program emcc"
        "tcl program tclsh"
        "dpkg-dev program dpkg-source"
    )
fi
if [ "$level" = ci ]; then
    needs+=(
        "chromium program chromium"
        "clang program clang"
        "libclang-rt-14-dev package libclang-rt-14-dev"
        "clang-format-14 program clang-format-14"
        "clang-tidy program clang-tidy"
        "cppcheck program cppcheck"
        "debootstrap program debootstrap"
        "fish program fish"
        "gcovr program gcovr"
        "golang-go program go"
        "mandoc program mandoc"
        "mypy program mypy"
        "openjdk-17-jdk-headless program javac"
        "python3-pandas package python3-pandas"
        "shellcheck program shellcheck"
        "strace program strace"
        "valgrind program valgrind"
        "zsh program zsh"
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

# What reads exports and is no package of Debian: speedscope, its version and bytes fixed. Without npm or a network the test that needs it is
# left out.
speedscope() {
    local version=1.20.0 sum=2a3627c488d72223ef1ecd0e30d634bd415771a576682cc7da2c85e367db5cf229264a8a2f763802bc860c28f4e3586b6c8627384727f9397e9870015866c35d
    local folder=${XDG_CACHE_HOME:-$HOME/.cache}/trace_streamer/speedscope-$version scratch
    [ ! -d "$folder" ] || return 0
    scratch=$(mktemp -d)
    if (cd "$scratch" && npm pack --silent "speedscope@$version" >/dev/null 2>&1 &&
        echo "$sum  speedscope-$version.tgz" | sha512sum --check --status && tar -xzf "speedscope-$version.tgz"); then
        mkdir -p "$folder"
        mv "$scratch/package" "$folder/"
    else
        echo "install-deps.sh: speedscope $version was not fetched; its test is left out" >&2
    fi
    rm -rf "$scratch"
}

# What the page of serve is built and tested with: once per lock file, for all builds. Without it cmake says that there is no page.
page_packages() {
    node "$(dirname "$0")/../web/packages.mjs" >/dev/null || echo "install-deps.sh: the packages of web/ were not fetched; builds have no page" >&2
}

from_npm() {
    page_packages
    [ "$level" != ci ] || speedscope
}

mapfile -t packages < <(missing)
[ ${#packages[@]} -gt 0 ] || {
    from_npm
    exit 0
}

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

mapfile -t left < <(missing)
if [ ${#left[@]} -gt 0 ]; then
    cat "$log" >&2
    echo "install-deps.sh: still missing: ${left[*]}" >&2
    exit 1
fi
from_npm
