# shellcheck shell=bash
# Progress on a terminal only, erased at the end; --no-progress and --quiet are obeyed.
rec=$DATA/recording-snapshots.htrace.gz
terminal() { script -qec "$(printf '%q ' "$PROGRAM" "$@")" /dev/null </dev/null; }
cp "$rec" again.gz # long enough to be shown
terminal "$rec" again.gz -e a.db >screen
grep -q '%' screen && grep -q 'MB/s' screen || fail "no progress on a terminal"
grep -q $'\r\033\\[Ka.db' screen || fail "not erased before the summary"
updates=$(tr '\r' '\n' <screen | grep -c '%')
seconds=$(sed -n 's/.*time *\([0-9]*\)\..*/\1/p' screen)
[ "$updates" -le $((10 * (seconds + 1) + 1)) ] || fail "$updates updates in $seconds s"
rec=$DATA/recording-timeline.htrace.gz
terminal "$rec" -e a.db --no-progress >screen
! grep -q $'\033' screen || fail --no-progress
terminal "$rec" -e a.db --quiet >screen
[ ! -s screen ] || fail --quiet
ts "$rec" -e a.db 2>err
! grep -q $'[\r\033]' err || fail "progress without a terminal"
