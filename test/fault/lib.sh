# shellcheck shell=bash
# What the scripts of this folder share. They are called with PROGRAM SHIM INPUTS; each works in a
# folder of its own with a target that must not change, out.db, and an empty TMPDIR.
PROGRAM=$1
SHIM=$2
INPUTS=$3
export PROGRAM SHIM INPUTS
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/out" "$scratch/tmp"
export TMPDIR=$scratch/tmp
cd "$scratch/out" || exit 1

slow() { [ "${TS_SLOW:-0}" = 1 ]; }
fail() {
    printf 'FAILED: %s\n' "$*"
    [ ! -e "$scratch/err" ] || head -5 "$scratch/err"
    exit 1
}

# The old target, and what a conversion of $1 gives.
prepare() { # input
    rm -f out.db
    "$PROGRAM" "$INPUTS/profile.cpuprofile" -e "$scratch/old.db" --quiet
    "$PROGRAM" "$1" -e "$scratch/right.db" --quiet
    cp "$scratch/old.db" out.db
}

# Runs the program under the shim and looks at what it leaves. Sets $status; the message is in err.
run() { # TS_FAULT, arguments
    local fault=$1
    shift
    status=0
    TS_FAULT=$fault LD_PRELOAD=$SHIM "$PROGRAM" "$@" >"$scratch/stdout" 2>"$scratch/err" </dev/null ||
        status=$?
    if [ $status = 0 ]; then
        cmp -s out.db "$scratch/right.db" || check_reported "$fault"
        cp "$scratch/old.db" out.db
    elif grep -q 'cannot sync the directory' "$scratch/err"; then
        # Behind the renaming: complete, but not known to be on the disk.
        cmp -s out.db "$scratch/right.db" || fail "$fault: exit $status: neither old nor new"
        cp "$scratch/old.db" out.db
    else
        cmp -s out.db "$scratch/old.db" || fail "$fault: exit $status: the target has changed"
    fi
    [ $status -lt 128 ] || swept
    nothing_left "$fault: exit $status"
}
# Input that could not be read is a loss that the database reports; nothing else may differ.
check_reported() { # what failed
    local sql="SELECT count(*) AS n FROM import_issue WHERE severity IN ('error', 'data_loss')"
    [ "$("$PROGRAM" -q - out.db <<<"$sql" | tail -1)" != 0 ] || fail "$1: exit 0, but another database"
}
# What a crash in a library left is removed by the next run.
swept() {
    "$PROGRAM" "$INPUTS/profile.cpuprofile" -e out.db --quiet
    cp "$scratch/old.db" out.db
}
nothing_left() { # when
    [ "$(ls -A)" = out.db ] || fail "$1: left: $(ls -A)"
    [ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left in TMPDIR: $(ls -A "$TMPDIR")"
}

# Number of calls of a name in a conversion that goes well.
count() { # name, arguments
    local name=$1
    shift
    TS_FAULT=$name TS_FAULT_COUNT=$scratch/count LD_PRELOAD=$SHIM "$PROGRAM" "$@" >/dev/null
    cp "$scratch/old.db" out.db
    cat "$scratch/count"
}

# So many steps that `points` of `all` are tried; all of them when there is time.
step() { # all, points
    if slow || [ "$1" -le "$2" ]; then echo 1; else echo $(($1 / $2)); fi
}
