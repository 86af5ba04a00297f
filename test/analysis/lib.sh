# shellcheck shell=bash
# What the tests of analyses share: PROGRAM SCAN_COMPARE PYTHON TEST-DIRECTORY.
set -euo pipefail
program=$1
# shellcheck disable=SC2034 # used by those that include this file
compare=$2
python=$3
# shellcheck disable=SC2034
tests=$4
dir=$(mktemp -d /tmp/ts-analysis-XXXXXX)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
export TMPDIR=$dir
cd "$dir"
ts() { "$program" "$@"; }
wrong() {
    echo "WRONG: $*"
    exit 1
}
# expect CODE WORDS ARGUMENTS...: the exit code, and what is said.
expect() {
    local code=0 want=$1 words=$2
    shift 2
    ts "$@" >said 2>&1 || code=$?
    [ $code = "$want" ] || wrong "exit $code, not $want: $*: $(cat said)"
    grep -qF -e "$words" said || wrong "$* does not say \"$words\" but: $(cat said)"
}
sql() { "$python" - "$@" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    for row in db.execute(statement):
        print("|".join(str(v) for v in row))
PY
}
dump() { "$python" -c 'import sqlite3, sys
for line in sorted(sqlite3.connect(sys.argv[1]).iterdump()): print(line)' "$1"; }
left() { # nothing but what has a name is there
    [ -z "$(find . -name '.*.tmp-*')" ] || wrong "left behind: $(find . -name '.*.tmp-*')"
}
