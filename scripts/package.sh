#!/usr/bin/env bash
# package.sh [-b BUILD] [-o DIR] [-t]: makes the package for Debian and Ubuntu (.deb), lets lintian check it, and does what users come to do
# (test/cli/tasks.sh) with the program of the unpacked package.
#
#   -b BUILD   a build folder that is there, instead of the preset release, below /usr, in build/package
#   -o DIR     where the package goes (default build/package)
#   -t         tries it: a clean root of this release (debootstrap; as root, from the mirror of apt), the package and what it depends on
#              installed there by apt, the same tasks done, the package removed. Some minutes.
#
# The package's times are $SOURCE_DATE_EPOCH, else that of the commit: equal sources give equal packages.
set -euo pipefail

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}

build='' out='' try=0
while getopts b:o:t option; do
    case $option in
    b) build=$(realpath "$OPTARG") ;;
    o) out=$(realpath -m "$OPTARG") ;;
    t) try=1 ;;
    *) usage ;;
    esac
done
[ $OPTIND -gt $# ] || usage
cd "$(dirname "$0")/.."
out=${out:-$PWD/build/package}
umask 022 # what is packed has the modes of the installation
scripts/install-deps.sh package
log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT

configure=(true)
if [ -z "$build" ]; then
    build=$PWD/build/package
    configure=(cmake --preset release -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DTS_SERVE=ON -DTS_WEB=ON)
fi
echo "building ($build)"
if ! { "${configure[@]}" && cmake --build "$build" -j "$(nproc)" && cd "$build" && cpack -G DEB -B "$work"; } >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
cd - >/dev/null
made=("$work"/*.deb)
package=$out/${made[0]##*/}
dpkg-deb -c "${made[0]}" | grep ' ./usr/share/trace_streamer/web/index.html$' >/dev/null || {
    echo "package.sh: the package has no page: $build was built without node or the packages of web/" >&2
    exit 1
}
mkdir -p "$out"
cp "${made[0]}" "$package"
as_root=()
[ "$(id -u)" != 0 ] || as_root=(--allow-root)
lintian "${as_root[@]}" --fail-on error,warning "$package"
# Nothing of the build is beside this program, and nothing of the user's.
dpkg-deb -x "$package" "$work/unpacked"
env -i PATH=/usr/bin:/bin HOME="$work" bash test/cli/tasks.sh "$work/unpacked/usr/bin/trace_streamer" test/data
echo "$package"
[ $try = 1 ] || exit 0

if [ "$(id -u)" != 0 ]; then
    echo "package.sh: -t needs root" >&2
    exit 1
fi
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$work/root
echo "trying it in a clean root of $release"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
# The installed server's page in a browser of this machine: the functions of the profile are on it. Without a browser, that it is served.
page() {
    local url='' tries=0 found
    in_root trace_streamer serve /tmp/out.db --port=0 >"$work/url" 2>&1 &
    local server=$!
    while [ -z "$url" ] && [ $((tries += 1)) -lt 50 ]; do
        sleep 0.1
        url=$(grep -m 1 '^http' "$work/url" || true)
    done
    if command -v chromium >/dev/null; then
        chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --user-data-dir="$work/browser" \
            --virtual-time-budget=10000 --dump-dom "$url" >"$work/page" 2>/dev/null
        found='recording-cpuprofile'
    else
        curl -fsS "$url" >"$work/page"
        found='<script'
    fi
    kill -TERM "$server" 2>/dev/null || true
    wait "$server" || true
    grep -q "$found" "$work/page"
}
attempt() {
    debootstrap --variant=minbase "$release" "$root"
    cp -r "$package" test/data test/cli/tasks.sh "$root/tmp"
    in_root apt-get install -y --no-install-recommends "/tmp/${package##*/}"
    [ "$(in_root trace_streamer --version)" = "trace_streamer $(dpkg-deb -f "$package" Version)" ]
    in_root bash /tmp/tasks.sh /usr/bin/trace_streamer /tmp/data
    in_root trace_streamer /tmp/data/recording-cpuprofile.htrace.gz -e /tmp/out.db --quiet
    in_root trace_streamer -q hot_methods.sql /tmp/out.db >"$work/answer"
    [ "$(wc -l <"$work/answer")" -gt 1 ]
    [ -s "$root/usr/share/doc/trace-streamer/copyright" ]
    page
    in_root apt-get purge -y trace-streamer
    [ -z "$(find "$root/usr" -name '*trace*streamer*')" ]
}
# Not in a condition: `set -e` would not hold inside.
set +e
(
    set -e
    attempt
) >"$log" 2>&1
status=$?
set -e
if [ $status != 0 ]; then
    tail -n 40 "$log"
    echo "package.sh: the package does not work in a clean root" >&2
    exit 1
fi
echo "installed, tried and removed"
head -n 4 "$work/answer"
