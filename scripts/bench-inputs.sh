# shellcheck shell=bash
# What bench-stages.sh and bench-floors.sh share. They set build, and dir, where inputs are kept.
mkdir -p "${dir:?}"
work=$(mktemp -d "$dir/run.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Inputs are made anew when their maker or its arguments change: NAME, maker, arguments with OUT for the file.
make_input() {
    local name=$1 maker=$2 recipe
    shift 2
    recipe="$* $(cksum <"${build:?}/tools/$maker")"
    if [ "$(cat "$dir/$name.recipe" 2>/dev/null)" != "$recipe" ]; then
        echo "making $name" >&2
        rm -rf "${dir:?}/$name" "$work/new"
        "$build/tools/$maker" "${@/OUT/$work/new}" >"$work/log"
        mv "$work/new" "$dir/$name"
        printf '%s\n' "$recipe" >"$dir/$name.recipe"
    fi
}
