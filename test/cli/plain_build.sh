#!/usr/bin/env bash
# plain_build.sh SOURCE COMPILER: what `cmake --preset release` needs and builds: the program, without what only tests need, and without
# -Werror, which other compilers' new warnings would break. Configured only.
set -eu
source=$1
compiler=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "$*"
    exit 1
}

# A pkg-config that knows no cmocka, and a path without what only tests run.
pkg_config=$(command -v pkg-config)
cat >"$scratch/pkg-config" <<END
#!/bin/sh
case "\$*" in *cmocka*) exit 1 ;; esac
exec "$pkg_config" "\$@"
END
chmod +x "$scratch/pkg-config"
export PKG_CONFIG=$scratch/pkg-config CMAKE_EXPORT_COMPILE_COMMANDS=ON
configure() { # options...
    cmake -S "$source" -B "$scratch/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON \
        "$@" >"$scratch/log" 2>&1
}
(cd "$source" && configure --preset release) || {
    cat "$scratch/log"
    fail "the release preset needs more than the program does"
}
commands=$scratch/build/compile_commands.json
grep -q 'src/cli/main\.c' "$commands" || fail "the program is not built"
! grep -q -e -Werror "$commands" || fail "-Werror in the release preset"
made=$(grep -o '"file": "[^"]*"' "$commands" | grep -E '/(test|tools)/' | grep -vE 'tools/(mkviews|mkweb|mkhtrace/sha256)\.c' || true)
[ -z "$made" ] || fail "the release preset builds $made"

# The presets for work on the project have both.
python3 - "$source/CMakePresets.json" <<'END'
import json
import sys

presets = {p["name"]: p for p in json.load(open(sys.argv[1]))["configurePresets"]}


def variables(name):
    found = {}
    parents = presets[name].get("inherits", [])
    for parent in reversed([parents] if isinstance(parents, str) else parents):
        found.update(variables(parent))
    found.update(presets[name].get("cacheVariables", {}))
    return found


for name in ("release-tests", "dev", "clang", "coverage", "fuzz"):
    values = variables(name)
    assert values.get("TS_TESTS") == "ON" and values.get("TS_WERROR") == "ON", name
END
