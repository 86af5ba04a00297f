#!/usr/bin/env bash
# libs.sh TARGET: static libraries for builds for other machines, from the source packages of this machine's Debian or Ubuntu. They are built once,
# in the user's cache, and the last line of the output is their folder (include, lib, lib/pkgconfig), which cmake/cross.cmake looks for.
# TARGET is musl (one program for any Linux), armhf, s390x or wasm; `--sources` only fetches. What is there is kept until its folder is removed
# or this script changes. apt verifies what it fetches; nothing is installed and no settings of the machine change.
set -euo pipefail

target=${1:-}
# A target is its compiler, its flags, what configure scripts call it, and what it lacks.
host='' cc='' ar=ar ranlib=ranlib flags='-O2 -fPIC -fstack-protector-strong' getrandom='#define HAVE_GETRANDOM 1'
configure_by=()
case $target in
--sources) ;;
musl) host=x86_64-linux-musl cc=musl-gcc ;;
armhf)
    host=arm-linux-gnueabihf cc=$host-gcc ar=$host-ar ranlib=$host-ranlib
    flags+=' -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64'
    ;;
s390x) host=s390x-linux-gnu cc=$host-gcc ar=$host-ar ranlib=$host-ranlib ;;
wasm)
    host=wasm32-unknown-emscripten cc=emcc ar=emar ranlib=emranlib flags='-Os' getrandom='#define XML_DEV_URANDOM 1'
    configure_by=(emconfigure)
    export NODE_PATH=/usr/share/nodejs # where Debian has packages that emcc needs, whichever node runs it
    ;;
*)
    echo "usage: scripts/libs.sh musl | armhf | s390x | wasm | --sources" >&2
    exit 2
    ;;
esac
flags+=' -g0 -w'
packages=(zlib bzip2 xz-utils libzstd lz4 expat protobuf-c sqlite3 libiberty elfutils libarchive cmocka)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/trace_streamer
sources=$cache/sources
out=$cache/libs-$target
stamp=$(sha256sum "$0" | cut -d' ' -f1)
jobs=$(nproc)
mkdir -p "$cache"
scratch=$(mktemp -d "$cache/making.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log

fail() {
    tail -n 20 "$log" | cut -c1-400 >&2 || true
    echo "libs.sh: $*" >&2
    exit 1
}

# apt with the machine's own package sources turned into those of source packages, and lists of its own.
apt_source_lists() {
    mkdir -p "$scratch/apt/parts" "$scratch/apt/lists/partial" "$scratch/apt/cache/archives/partial"
    : >"$scratch/apt/list"
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        grep -q '^Types: deb-src$\|^deb-src ' "$file" && ! grep -q '^Types: .*deb\( \|$\)\|^deb ' "$file" && continue
        sed 's/^Types:.*/Types: deb-src/; /^deb-src /d; s/^deb /deb-src /' "$file" >"$scratch/apt/parts/${file##*/}"
    done
    apt=(-q -o "Dir::Etc::SourceList=$scratch/apt/list" -o "Dir::Etc::SourceParts=$scratch/apt/parts" -o "Dir::State::Lists=$scratch/apt/lists"
        -o "Dir::Cache=$scratch/apt/cache" -o APT::Sandbox::User=root)
    apt-get update "${apt[@]}" >>"$log" 2>&1 || fail "apt-get update failed"
}

# A package's newest version; a mirror that lags may not have that of the security suite yet, but has the release's.
fetch() { # package
    local suite
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    rm -rf "$scratch/fetched"
    mkdir "$scratch/fetched"
    (cd "$scratch/fetched" && { apt-get source "${apt[@]}" "$1" || { rm -rf ./* && apt-get source "${apt[@]}" "$1/$suite"; }; }) >>"$log" 2>&1 ||
        fail "cannot fetch the source package $1"
    rm -rf "${sources:?}/$1"
    mv "$(find "$scratch/fetched" -mindepth 1 -maxdepth 1 -type d)" "$sources/$1"
}

fetch_all() {
    local package apt=()
    mkdir -p "$sources"
    for package in "${packages[@]}"; do
        if [ ! -d "$sources/$package" ]; then
            [ ${#apt[@]} -gt 0 ] || apt_source_lists
            echo "fetching $package" >&2
            fetch "$package"
        fi
    done
    # SQLite as one file, for all targets.
    if [ ! -f "$sources/sqlite3/made/sqlite3.c" ]; then
        mkdir -p "$sources/sqlite3/made"
        (cd "$sources/sqlite3/made" && ../configure --disable-tcl && make sqlite3.c sqlite3.h) >>"$log" 2>&1 || fail "cannot make sqlite3.c"
    fi
}

# library NAME "FLAGS" FILE...: compiles the files and makes lib/libNAME.a of them.
library() {
    local name=$1 more=$2 file
    shift 2
    mkdir -p "$scratch/objects/$name"
    for file in "$@"; do
        printf '%s\0%s\0' "$file" "$scratch/objects/$name/$(echo "${file#"$sources/"}" | tr / _).o"
    done | xargs -0 -n 2 -P "$jobs" sh -c '$1 $2 -c "$3" -o "$4" || exit 255' sh "$cc" "$flags $more -ffile-prefix-map=$sources=." >>"$log" 2>&1 ||
        fail "cannot compile $name for $target"
    "$ar" rc "$new/lib/lib$name.a" "$scratch/objects/$name"/*.o
    "$ranlib" "$new/lib/lib$name.a"
}

# module NAME VERSION LIBRARIES [REQUIRED [FLAGS]]: what pkg-config says, wherever the folder is.
module() {
    printf '%s\n' 'prefix=${pcfiledir}/../..' "Name: $1" "Description: $1, static" "Version: $2" "Cflags: -I\${prefix}/include ${5:-}" \
        "Libs: -L\${prefix}/lib $3" "Requires.private: ${4:-}" >"$new/lib/pkgconfig/$1.pc"
}

version() { # package: upstream's, without what Debian adds
    dpkg-parsechangelog -l "$sources/$1/debian/changelog" -S Version | sed 's/^[0-9]*://; s/-[^-]*$//; s/[.+~]\(dfsg\|really\|repack\|ds\).*//'
}

headers() { # folder below include, file...
    mkdir -p "$new/include/$1"
    cp "${@:2}" "$new/include/$1/"
}

configured() { # package, make's folder, options of configure...
    local package=$1 folder=$2 work=$scratch/$1
    shift 2
    mkdir "$work"
    (cd "$work" &&
        CC=$cc AR=$ar RANLIB=$ranlib CFLAGS="$flags -ffile-prefix-map=$sources=. -I$new/include" LDFLAGS="-L$new/lib" CPPFLAGS="-I$new/include" \
            PKG_CONFIG_LIBDIR=$new/lib/pkgconfig "${configure_by[@]}" "$sources/$package/configure" --host="$host" --prefix=/ \
            --disable-shared --enable-static --disable-dependency-tracking "$@" &&
        make -C "$folder" -j "$jobs" ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:) >>"$log" 2>&1 || fail "cannot build $package for $target"
}

compression() {
    local s=$sources/zlib
    library z '-DHAVE_UNISTD_H -DHAVE_STDARG_H' "$s"/{adler32,compress,crc32,deflate,gzclose,gzlib,gzread,gzwrite,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
    headers . "$s"/{zlib,zconf}.h
    module zlib "$(version zlib)" -lz
    s=$sources/bzip2
    library bz2 '' "$s"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c
    headers . "$s/bzlib.h"
    configured xz-utils src/liblzma --disable-threads --disable-nls --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo \
        --disable-scripts --disable-doc
    cp "$scratch/xz-utils/src/liblzma/.libs/liblzma.a" "$new/lib/"
    headers . "$sources/xz-utils/src/liblzma/api/lzma.h"
    headers lzma "$sources"/xz-utils/src/liblzma/api/lzma/*.h
    module liblzma "$(version xz-utils)" -llzma
    s=$sources/libzstd/lib
    library zstd '-DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0' "$s"/{common,compress,decompress}/*.c
    headers . "$s"/{zstd,zstd_errors}.h
    module libzstd "$(version libzstd)" -lzstd
    s=$sources/lz4/lib
    library lz4 -DXXH_NAMESPACE=LZ4_ "$s"/{lz4,lz4frame,lz4hc,xxhash}.c
    headers . "$s"/{lz4,lz4frame,lz4hc}.h
    module liblz4 "$(version lz4)" -llz4
}

formats() {
    local s
    s=$sources/expat/expat/lib # Debian has the whole repository, upstream's archive only its folder
    [ -d "$s" ] || s=$sources/expat/lib
    mkdir "$scratch/expat"
    cat >"$scratch/expat/expat_config.h" <<END
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTEORDER 4321
#else
#define BYTEORDER 1234
#endif
#define HAVE_MEMMOVE 1
#define XML_CONTEXT_BYTES 1024
#define XML_DTD 1
#define XML_GE 1
#define XML_NS 1
$getrandom
END
    library expat "-I$scratch/expat" "$s"/{xmlparse,xmlrole,xmltok}.c
    headers . "$s"/{expat,expat_external}.h
    module expat "$(version expat)" -lexpat
    s=$sources/protobuf-c/protobuf-c
    local order=
    [ "$(echo __BYTE_ORDER__ | "$cc" -E -P - | tail -n 1)" != 4321 ] || order=-DWORDS_BIGENDIAN=1
    library protobuf-c "$order" "$s/protobuf-c.c"
    headers protobuf-c "$s/protobuf-c.h"
    module libprotobuf-c "$(version protobuf-c)" -lprotobuf-c
}

# With what Debian's library has; a database that is written does not depend on it, but questions of users may.
sqlite() {
    local s=$sources/sqlite3/made options='-DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_SECURE_DELETE -DSQLITE_ENABLE_COLUMN_METADATA
        -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_LIKE_DOESNT_MATCH_BLOBS -DSQLITE_USE_URI=1 -DSQLITE_ENABLE_UPDATE_DELETE_LIMIT
        -DSQLITE_MAX_VARIABLE_NUMBER=250000 -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_SOUNDEX -DHAVE_FDATASYNC -DHAVE_GMTIME_R -DHAVE_LOCALTIME_R
        -DHAVE_USLEEP -DHAVE_ISNAN -DHAVE_STDINT_H -DHAVE_INTTYPES_H'
    [ "$target" != wasm ] || options+=' -DSQLITE_OMIT_UTF16 -DSQLITE_OMIT_SHARED_CACHE -DSQLITE_OMIT_DEPRECATED -DSQLITE_OMIT_TCL_VARIABLE -DSQLITE_OMIT_TRACE
        -DSQLITE_OMIT_GET_TABLE -DSQLITE_OMIT_COMPLETE -DSQLITE_OMIT_INCRBLOB'
    [ "$target" = wasm ] || options+=' -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE'
    library sqlite3 "${options//$'\n'/ }" "$s/sqlite3.c"
    headers . "$s/sqlite3.h"
    module sqlite3 "$(version sqlite3)" "-lsqlite3 -lm"
}

symbols() {
    local s=$sources/libiberty
    [ -d "$s/libiberty" ] || s=$(dirname "$(find "$s" -name libiberty -type d | head -n 1)")
    library iberty "-I$s/include -DHAVE_STDLIB_H -DHAVE_STRING_H -DHAVE_LIMITS_H -DHAVE_ALLOCA_H -DHAVE_DECL_BASENAME=1 -D_GNU_SOURCE" \
        "$s"/libiberty/{cp-demangle,cplus-dem,d-demangle,rust-demangle,safe-ctype,xmalloc,xstrdup,xmemdup,xexit}.c
    headers libiberty "$s"/include/{demangle,libiberty,ansidecl}.h
    s=$sources/elfutils
    mkdir "$scratch/elf"
    cat >"$scratch/elf/config.h" <<END
#define HAVE_ERR_H 1
#define HAVE_VISIBILITY 1
#define HAVE_FALLTHROUGH 1
#define HAVE_DECL_POWEROF2 1
#define HAVE_DECL_REALLOCARRAY 1
#define PACKAGE_NAME "elfutils"
#include <eu-config.h>
END
    library elf "-std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DHAVE_CONFIG_H -I$scratch/elf -I$s/lib -I$s/libelf -I$new/include" "$s"/libelf/*.c
    headers . "$s"/libelf/{libelf,gelf}.h
    module libelf "$(version elfutils)" -lelf zlib
}

archives() {
    configured libarchive . --disable-bsdtar --disable-bsdcpio --disable-bsdcat --without-openssl --without-xml2 --without-expat \
        --without-nettle --without-mbedtls --without-libb2 --without-cng --disable-acl --disable-xattr --without-iconv
    cp "$scratch/libarchive/.libs/libarchive.a" "$new/lib/"
    headers . "$sources"/libarchive/libarchive/{archive,archive_entry}.h
    module libarchive "$(version libarchive)" "-larchive -lbz2" "zlib liblzma libzstd liblz4"
}

tests() {
    local s=$sources/cmocka once=-D_UINTPTR_T_DEFINED # its header defines uintptr_t, which <stdint.h> has done
    library cmocka "$once -std=gnu11 -D_GNU_SOURCE -I$s/include -DHAVE_MALLOC_H -DHAVE_INTTYPES_H -DHAVE_SIGNAL_H -DHAVE_STRINGS_H -DHAVE_SIGLONGJMP
        -DHAVE_GCC_THREAD_LOCAL_STORAGE -DHAVE_CLOCK_REALTIME -DHAVE_STRSIGNAL -DHAVE_STRUCT_TIMESPEC" "$s/src/cmocka.c"
    headers . "$s"/include/cmocka*.h
    module cmocka "$(version cmocka)" -lcmocka '' "$once"
}

if [ "$target" = --sources ]; then
    fetch_all
    echo "$sources"
    exit
fi
if [ "$(cat "$out/made_by" 2>/dev/null)" = "$stamp" ]; then
    echo "$out"
    exit
fi
command -v "$cc" >/dev/null || fail "no $cc here: scripts/install-deps.sh portable"
fetch_all
# Parts that an earlier run has built are kept.
new=$out.new
[ "$(cat "$new/begun_by" 2>/dev/null)" = "$stamp" ] || rm -rf "$new"
mkdir -p "$new/lib/pkgconfig" "$new/include" "$new/parts"
echo "$stamp" >"$new/begun_by"
for part in compression formats sqlite symbols archives tests; do
    [ ! -f "$new/parts/$part" ] || continue
    began=$SECONDS
    $part
    touch "$new/parts/$part"
    echo "$target: $part built in $((SECONDS - began)) s" >&2
done
echo "$stamp" >"$new/made_by"
rm -rf "$out"
mv "$new" "$out"
echo "$out"
