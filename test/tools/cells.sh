#!/bin/sh
# Every cell of every JavaScript table is compared with what Python reads from the same input: the
# recordings as they are, the JSON in them bare, and the same JSON wrapped with other chunk sizes.
# TS_SLOW=1 adds the real heap cut into chunks of one byte (600 MB).
#
# usage: cells.sh TRACE_STREAMER MKHTRACE PYTHON TESTDIR
set -eu
ts=$1
mkhtrace=$2
python=$3
testdir=$4
data=$testdir/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

convert() { # inputs
    rm -f out.db
    "$ts" "$@" -e out.db >log 2>&1 || {
        cat log
        echo "trace_streamer $*: failed"
        failed=1
    }
}

check() { # what, arguments of check.py
    what=$1
    shift
    "$python" "$testdir/check/check.py" out.db "$@" >log 2>&1 || {
        cat log
        echo "^^ $what"
        failed=1
    }
}

doubtful= # --doubtful: the input contradicts itself, and what it leaves open is NULL
wrapped() { # pieces and options of mkhtrace
    "$mkhtrace" -o w.htrace "$@"
    convert w.htrace
    check "mkhtrace $*" $doubtful --htrace w.htrace
}

for kind in snapshots timeline cpuprofile; do
    recording=$data/recording-$kind.htrace.gz
    convert "$recording"
    check "$recording" --htrace "$recording"
    "$python" "$testdir/check/unpack.py" "$recording" . >log
done

convert Snapshot0.heapsnapshot
check "bare snapshot" --heap Snapshot0.heapsnapshot
convert Timeline.heaptimeline
check "bare timeline" --heap Timeline.heaptimeline
convert Profile0.cpuprofile
check "bare profile" --profile Profile0.cpuprofile

snapshot_sizes=1m timeline_sizes=100 # small ones cut every row; tiny inputs below have all sizes
[ "${TS_SLOW:-0}" = 0 ] || snapshot_sizes="1 7 100 4096 1m" timeline_sizes=$snapshot_sizes
for size in $snapshot_sizes; do
    wrapped --chunk-size "$size" --config pid=3,type=snapshot --snapshot Snapshot0.heapsnapshot
done
for size in $timeline_sizes; do
    wrapped --chunk-size "$size" --config pid=3,type=timeline --timeline Timeline.heaptimeline
done
wrapped --order 1,7,2,3,4,5,6 --padded-varints --explicit-zeros --plugin-name js-memory \
    --chunk-size 7 --snapshot "$data/tiny/snapshot.heapsnapshot" --plugin x:1000 \
    --section hiperf:5000 --section segments --profile Profile0.cpuprofile

for file in "$data"/tiny/*.heapsnapshot "$data"/tiny/*.heaptimeline "$data"/spec_g/[efnst]*.json; do
    case $file in
    */spec_g/*) doubtful=--doubtful ;; # a few rows of a recording, with the counts of all
    *) doubtful= ;;
    esac
    convert "$file"
    check "$file" $doubtful --heap "$file"
    wrapped --chunk-size 1 --config type=snapshot --snapshot "$file" --snapshot "$file"
    wrapped --chunk-size 7 --config type=timeline --timeline "$file"
done
doubtful=
made_sizes=13 # tiny inputs have all sizes
[ "${TS_SLOW:-0}" = 0 ] || made_sizes='1 13 102400'
for file in "$data"/tiny/*.cpuprofile "$data/spec_g/profile.json"; do
    convert "$file"
    check "$file" --profile "$file"
    wrapped --config type=none --profile "$file" --profile "$file"
done

heap=synth:nodes=600,edges=3000,strings=300,trace=30,samples=20,locations=50
for more in seed=1 seed=2,utf8=1,order=sorted seed=3,arkts=1,compact=1,stacks=900 \
    order=strings:trace_tree:edges:nodes:samples:locations:trace_function_infos:snapshot; do
    for size in $made_sizes; do
        wrapped --chunk-size "$size" --config type=snapshot --snapshot "$heap,$more" \
            --snapshot "$heap,$more,seed=9"
    done
    wrapped --chunk-size 13 --escape-unicode --config type=snapshot --snapshot "$heap,$more"
done
wrapped --profile synth:nodes=300,samples=5000,negative=1,depth=90 \
    --profile synth:nodes=40,samples=99,reverse=1,arkts=1 --profile synth:nodes=900,samples=999,wide=1

# What ArkTS writes is no damage: samples before long intervals become those of (program).
for more in seed=1 seed=2,depth=40 seed=3,wide=1; do
    "$mkhtrace" -o arkts.cpuprofile --emit cpuprofile --synthetic-profile "arkts=1,nodes=300,samples=5000,$more"
    convert --strict arkts.cpuprofile
    check arkts.cpuprofile --profile arkts.cpuprofile
done
exit $failed
