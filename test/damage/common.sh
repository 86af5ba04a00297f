# shellcheck shell=bash
# What the scripts of this folder share: NAME.sh PROGRAM MKHTRACE SOURCE. Each runs in a scratch folder of its own and
# says what is wrong; the last line is the verdict.
set -euo pipefail
PROGRAM=$1
MKHTRACE=$2
SOURCE=$3
DATA=$SOURCE/test/data
HERE=$SOURCE/test/damage
export PROGRAM MKHTRACE SOURCE DATA HERE
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/work" "$scratch/tmp"
export TMPDIR=$scratch/tmp
cd "$scratch/work"
bad=0
ms=0 base=0 fixed=0 # of growth: see too_much

# Sanitizers make everything several times slower and need more stack.
sanitized=0
if grep -q __asan_init "$PROGRAM"; then
    sanitized=1
fi
export sanitized

wrong() {
    printf 'WRONG: %s\n' "$*"
    bad=1
}
# expect CODE WHAT COMMAND...: runs it with a time limit; its messages are in ./err. No raw control character may stand there.
expect() {
    local want=$1 what=$2 code=0
    shift 2
    timeout "${LIMIT:-60}" "$@" >out 2>err </dev/null || code=$?
    [ "$code" = "$want" ] || wrong "$what: exit code $code instead of $want: $(tail -n 1 err)"
    if LC_ALL=C grep -q '[^[:print:][:space:]]' <(LC_ALL=C tr -d '\200-\377' <err) || LC_ALL=C grep -q $'[\r\v\f]' err; then
        wrong "$what: a control character on stderr"
    fi
}
# says TEXT WHAT: the messages of the last command hold it.
says() { grep -q -- "$1" err || wrong "$2: no \"$1\" in: $(cat err)"; }
ask() { "$PROGRAM" "$1" -q - <<<"$2" | tail -n +2; }
answer() { # DB SQL WANTED WHAT
    local have
    have=$(ask "$1" "$2" || true)
    [ "$have" = "$3" ] || wrong "$4: \"$have\" instead of \"$3\""
}
small() { "$MKHTRACE" -o "$1" --snapshot "$DATA/tiny/snapshot.heapsnapshot"; }
# make SHAPE N: of growth.py, or of memory.py (m.SHAPE), into ./input.
make() {
    case $1 in
    calls) "${MKHTRACE%mkhtrace}mkcloud" -o input --calls $(($2 / 10)) --plain >/dev/null ;;
    one_call) "${MKHTRACE%mkhtrace}mkcloud" -o input --calls 1 --frames "$2" --plain >/dev/null ;;
    trace) "${MKHTRACE%mkhtrace}mktptp" -o input --calls "$2" ;;
    flare) "${MKHTRACE%mkhtrace}mkflare" --threads=2 --seconds=$(($2 / 50)) input >/dev/null ;;
    references) python3 "$HERE/tptp.py" --write references "$2" input >/dev/null ;;
    heap_chain) python3 "$HERE/../analysis/heap_made.py" chain "$2" input ;;
    heap_wide)
        python3 "$HERE/../analysis/heap_made.py" wide "$2" made
        "$MKHTRACE" -o input --config pid=1,type=snapshot --snapshot made.0 --snapshot made.1
        ;;
    perf_*) python3 "$HERE/perf.py" --write "${1#perf_}" "$2" input ;;
    otlp_*) python3 "$HERE/otlp.py" --write "$1" "$2" input >/dev/null ;;
    hprof_*) python3 "$HERE/hprof.py" --write "$1" "$2" input >/dev/null ;;
    m.*) python3 "$HERE/memory.py" "${1#m.}" "$2" >input ;;
    *) python3 "$HERE/growth.py" "$1" "$2" >input ;;
    esac
}
# Four times the input takes four times the time, beside what any run costs (fixed); sixteen times would be quadratic.
too_much() { [ $((ms - fixed)) -gt $((8 * (base > fixed ? base - fixed : 0) + 60)) ]; }
# stays_too_much MEASURE: what the three rounds say that measure all anew. The machine may have been slower for one of the figures, so each round has its own.
# MEASURE small|base|last sets ms.
stays_too_much() {
    for _ in 1 2 3; do
        "$1" small
        fixed=$ms
        "$1" base
        base=$ms
        "$1" last
        too_much || return 1
    done
}
verdict() {
    [ -z "$(ls -A "$TMPDIR")" ] || wrong "left in TMPDIR: $(ls -A "$TMPDIR")"
    [ $bad = 0 ] || exit 1
    echo "all as expected"
}
