#!/usr/bin/env bash
# threads.sh PROGRAM TOOLS SOURCE CC: databases have the same bytes whatever the number of threads, what goes wrong has the same
# message, and ThreadSanitizer finds nothing in the sink on a thread.
set -euo pipefail
program=$(realpath "$1")
tools=$(realpath "$2")
source=$(cd "$3" && pwd)
cc=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$tools/mkhtrace" -o large.heapsnapshot --emit heapsnapshot --synthetic nodes=60k,edges=240k,strings=20k >/dev/null
gzip -1 -k large.heapsnapshot
head -c 700000 large.heapsnapshot.gz >cut.heapsnapshot.gz
{ cat cut.heapsnapshot.gz && head -c 60000 /dev/zero && tail -c 500000 large.heapsnapshot.gz; } >damaged.heapsnapshot.gz
xz -0 -k large.heapsnapshot && bzip2 -1 -k large.heapsnapshot

compared=0
compare() { # arguments of the conversion
    local n
    rm -f ./?.db
    for n in 1 2 4; do
        "$program" "$@" -e "$n.db" --threads $n --quiet 2>err.$n || echo "exit code $?" >>err.$n
    done
    for n in 2 4; do
        [ ! -e 1.db ] || cmp 1.db $n.db || exit 1
        cmp err.1 err.$n || exit 1
    done
    compared=$((compared + 1))
}
for input in large.heapsnapshot* cut.* damaged.* "$source"/test/data/*.gz "$source"/test/data/tiny/*; do
    compare "$input"
done

# While an input is read the next one is opened: as a member of a directory, as an argument, as a file of -D.
mkdir chunks parts
"$tools/mkhtrace" -o chunks/a.heapsnapshot --emit heapsnapshot --synthetic nodes=8k,edges=32k,strings=3k >/dev/null
gzip -1 -c chunks/a.heapsnapshot >chunks/b.gz
cp chunks/b.gz chunks/c.gz
head -c 100000 chunks/b.gz >chunks/d.gz
xz -0 -c chunks/a.heapsnapshot >chunks/e.xz
{ cat chunks/d.gz && head -c 9000 /dev/zero && tail -c 50000 chunks/b.gz; } >chunks/f.gz
: >chunks/g.empty
echo 'nothing that anybody knows' | gzip >chunks/h.gz
tar -C chunks -czf chunks/i.tar.gz b.gz h.gz
bzip2 -1 -c chunks/a.heapsnapshot >chunks/j.bz2
for i in 0 1 2; do
    "$tools/mkhtrace" -o part --config pid=1,type=snapshot --snapshot "synth:nodes=3k,edges=9k,strings=1k,seed=$i"
    gzip -c part >parts/hiprofiler_data_20240101_000000_$i.htrace
done
compare chunks
compare chunks/*
compare chunks/[bcf]* chunks/b.gz
compare -D parts
compare chunks --max-memory 16M
echo "$compared inputs: the same with 1, 2 and 4 threads"

for n in 1 2; do # a disk that is full, as far as the program can see
    (ulimit -f 2000 && trap '' XFSZ && exec "$program" large.heapsnapshot.gz -e full.db --threads $n --quiet) 2>full.$n && exit 1
    grep -q 'cannot write' full.$n || { cat full.$n && exit 1; }
    [ ! -e full.db ] || exit 1
done

flags=(-std=c11 -O1 -g -fsanitize=thread -D_GNU_SOURCE -I "$source/src" -I "$source/test/support")
sources=("$source"/src/tables/{sink_thread,sink,schema}.c "$source"/src/base/*.c
    "$source"/test/support/{support,memsink}.c "$source/test/unit/test_tables_sink_thread.c")
if "$cc" "${flags[@]}" "${sources[@]}" -lcmocka -lpthread -o tsan 2>tsan.log; then
    setarch -R ./tsan >tsan.log 2>&1 || { cat tsan.log && exit 1; }
    echo "no data race"
else
    echo "$cc has no ThreadSanitizer: $(head -n 3 tsan.log)"
fi
