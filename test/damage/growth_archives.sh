#!/usr/bin/env bash
# Time grows with the number of an archive's members and no faster: two sizes, for shapes that invite worse.
# TS_SLOW=1 prints five, each twice the one before, and compares the third with the last.
# usage: growth_archives.sh TRACE_STREAMER MKHTRACE SOURCE_DIR CATALOGUE
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
TIMEFORMAT='%U %S'
MKCLOUD=${MKHTRACE%mkhtrace}mkcloud
steps='2 4'
first=2
[ "${TS_SLOW:-0}" = 0 ] || { steps='1 2 3 4 5' && first=3; }
# cost FILE: sets ms, the processor time of one import, whatever comes out of it.
cost() {
    local code=0
    { time "$PROGRAM" "$1" -e out.db --quiet 2>err >out; } 2>took || code=$?
    [ "$code" -le 1 ] || [ "$code" = 5 ] || wrong "exit code $code: $(cat err)"
    ms=$(tail -n 1 took | awk '{printf "%d", ($1 + $2) * 1000}')
    rm -f out.db
}
small small
fixed=1000000 # the least of three: others use the machine, too
for _ in 1 2 3; do
    cost small
    [ "$ms" -ge "$fixed" ] || fixed=$ms
done
least=$fixed
# grows SHAPE SIZE: the last size is four times that of step $first.
grows() {
    local n all='' step
    fixed=$least
    for step in $steps; do
        n=$(($2 << (step - 1)))
        rm -rf input
        case $1 in
        pods*)
            rm -rf pods
            "$MKCLOUD" -o pods --container agent --pods "$n" --calls 2 --small 0 >/dev/null
            python3 "$HERE/growth_archives.py" "$1" "$n" pods input
            ;;
        *) python3 "$HERE/growth_archives.py" "$1" "$n" small input ;;
        esac
        cost input
        all="$all $ms"
        [ "$step" != $first ] || { base=$ms && rm -rf base && mv input base; }
    done
    rm -rf last
    mv input last
    ! too_much || ! stays_too_much cost || wrong "$1: ms$all, at last $fixed $base $ms"
    printf '%-12s ms%s\n' "$1" "$all"
}
for shape in files tar zip tar.gz crc crc_stored same_names upward zips tars no_directory links; do
    grows $shape 500
done
for shape in empty_zips ends gzips bzip2s xzs zstds lz4s; do
    grows $shape 5000
done
grows nested 125
for shape in pods.tar pods.tar.gz pods.zip; do
    grows $shape 25
done

verdict
