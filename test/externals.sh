#!/usr/bin/env bash
# externals.sh BUILD: what is external in the objects of src/ is used by another object: of the program, the tests or the tools. All else is
# static, so that the compiler says when it is not used any more.
set -euo pipefail
cd "$1"
mapfile -t libraries < <(find src -name 'libts_*.a')
mapfile -t others < <(find src/CMakeFiles src/*/CMakeFiles test tools -name '*.o' 2>/dev/null)
[ ${#libraries[@]} -ge 10 ] && [ ${#others[@]} -gt 100 ] || {
    echo "only ${#libraries[@]} libraries and ${#others[@]} objects in $1: is it built?"
    exit 1
}
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
nm -A --defined-only --extern-only "${libraries[@]}" 2>/dev/null >"$scratch"
# A line of nm: library:object:value type name. What is undefined is needed from elsewhere.
nm -A --undefined-only "${libraries[@]}" "${others[@]}" 2>/dev/null | awk -v defined="$scratch" '
    { used[$NF] = 1 }
    END {
        while ((getline line < defined) > 0) {
            n = split(line, part, /[: ]+/)
            # Not a mark that the sanitizer makes of a variable, nor the interface of the library.
            if (part[n] ~ /^(__odr_asan|tst_)/)
                continue
            if (part[n - 1] ~ /^[TDBR]$/ && !(part[n] in used) && ++bad)
                print part[2] ": " part[n] " is external and used in its file only: make it static, or delete it"
        }
        exit bad > 0
    }'
