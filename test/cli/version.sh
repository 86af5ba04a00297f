#!/usr/bin/env bash
# version.sh SOURCE: the version that a line of `git describe` stands for, and what is found in checkouts and without git.
set -eu
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
expect() { # what, expected, found
    [ "$2" = "$3" ] || {
        echo "$1: '$3', not '$2'"
        bad=1
    }
}

cat >"$scratch/of.cmake" <<'END'
include(${SOURCE}/cmake/version.cmake)
ts_version_of(version "${DESCRIBED}" "1.2.3")
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${version}")
END
version_of() { cmake -DSOURCE="$source" -DDESCRIBED="$1" -P "$scratch/of.cmake"; }
while read -r described expected; do
    [ "$described" != . ] || described=''
    expect "describe '$described'" "$expected" "$(version_of "$described")"
done <<'END'
v0.2.0 0.2.0
v0.2.0-dirty 0.2.0+dirty
v10.20.30-rc.1 10.20.30-rc.1
v0.2.0-5-gab12cd3 0.2.0+5.gab12cd3
v0.2.0-rc.1-12-g0123456789 0.2.0-rc.1+12.g0123456789
v0.2.0-5-gab12cd3-dirty 0.2.0+5.gab12cd3.dirty
v0.2.0-0-gab12cd3 0.2.0+0.gab12cd3
v0.2.0-0.20261123072530-gab12cd3 0.2.0+0.20261123072530.gab12cd3
. 1.2.3
v1 1.2.3
vendor-1.0.0 1.2.3
END

# As a build finds it: a folder without git, inside a repository of something else, and its own repository.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
found() { # folder, more definitions
    cmake -DSOURCE="$1" "${@:2}" -DOUT="$scratch/made/version.h" -P "$source/cmake/version.cmake"
    sed -n 's/^#define TS_VERSION "\(.*\)"$/\1/p' "$scratch/made/version.h"
}
repository() { git -C "$scratch/outer" -c user.name=t -c user.email=t@example.org -c commit.gpgsign=false -c tag.gpgsign=false "$@"; }
inner=$scratch/outer/inner
mkdir -p "$inner"
echo 4.5.6 | tee "$inner/VERSION" >"$scratch/outer/VERSION"
expect 'no git' 4.5.6 "$(found "$inner")"
repository init -q
repository add -A
repository commit -qm one
expect 'no tag' "4.5.6+0.g$(repository rev-parse --short HEAD)" "$(found "$scratch/outer")"
repository commit -q --allow-empty -m later
repository commit -q --allow-empty -m latest
expect 'no tag, later' "4.5.6+2.g$(repository rev-parse --short HEAD)" "$(found "$scratch/outer")"
git clone -q --depth 1 "file://$scratch/outer" "$scratch/shallow"
stamp=$(TZ=UTC repository log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd)
expect 'no tag, a shallow clone' "4.5.6+0.$stamp.g$(repository rev-parse --short HEAD)" "$(found "$scratch/shallow")"
repository reset -q --hard HEAD~2
repository tag v4.5.6
repository tag unrelated-9.9.9
expect 'in the repository of something else' 4.5.6 "$(found "$inner")"
expect 'at the tag' 4.5.6 "$(found "$scratch/outer")"
before=$(stat -c %Y.%i "$scratch/made/version.h")
expect 'again' 4.5.6 "$(found "$scratch/outer")"
expect 'a version that stays the same is not written' "$before" "$(stat -c %Y.%i "$scratch/made/version.h")"
repository commit -q --allow-empty -m two
expect 'after the tag' "4.5.6+1.g$(repository rev-parse --short HEAD)" "$(found "$scratch/outer")"
echo more >>"$inner/VERSION"
expect 'changed' "4.5.6+1.g$(repository rev-parse --short HEAD).dirty" "$(found "$scratch/outer")"
repository tag -am 'an annotated one' v4.6.0-rc.1
repository checkout -q -- .
expect 'an annotated tag' 4.6.0-rc.1 "$(found "$scratch/outer")"
expect 'given' 7.0 "$(found "$scratch/outer" -DTS_VERSION=7.0)"

# The file and the changelog name the same last release.
expect 'the newest release of CHANGELOG.md' "$(cat "$source/VERSION")" \
    "$(sed -n 's/^## \[\([0-9][^]]*\)\].*/\1/p' "$source/CHANGELOG.md" | head -n 1)"
exit $bad
