#!/usr/bin/env bash
# races.sh PROGRAM TOOLS SOURCE OTHER: converts the bundled recordings, a larger one and several at once with threads, with a program that was
# built with ThreadSanitizer (the preset tsan). Any data race fails, and so does a database that is not the one that
# OTHER makes, which uses the instructions that the processor has; PROGRAM is plain C. Called by .ci/run.
set -euo pipefail
program=$(realpath "$1")
tools=$(realpath "$2")
source=$(cd "$3" && pwd)
other=$(realpath "$4")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export TSAN_OPTIONS=exitcode=66:halt_on_error=0

run() { # arguments of the conversion
    local code=0
    rm -f out.db
    setarch -R "$program" "$@" -e out.db --quiet --threads=4 2>log || code=$?
    if [ $code = 66 ] || grep -q 'ThreadSanitizer' log; then
        echo "data race: $*"
        head -n 25 log
        exit 1
    fi
}

"$tools/mkhtrace" -o large.heapsnapshot --emit heapsnapshot --synthetic nodes=30k,edges=120k,strings=10k
"$tools/mkhtrace" -o kernel.txt --emit ftrace --synthetic-ftrace events=20000
gzip -1 -k large.heapsnapshot
head -c 200000 large.heapsnapshot.gz >cut.gz
mkdir chunks
cp large.heapsnapshot.gz chunks/a.gz
cp large.heapsnapshot.gz chunks/b.gz
cp cut.gz chunks/c.gz
cp large.heapsnapshot chunks/d.heapsnapshot
same() { # arguments of the conversion
    run "$@"
    "$other" "$@" -e other.db --quiet --force || true
    cmp out.db other.db
    count=$((count + 1))
}

count=0
for input in large.heapsnapshot large.heapsnapshot.gz cut.gz kernel.txt chunks "$source"/test/data/*.gz; do
    same "$input"
done
same chunks/*
same large.heapsnapshot.gz --analyze=heap
run large.heapsnapshot.gz --max-memory 4M
(ulimit -f 2000 && trap '' XFSZ && run large.heapsnapshot.gz)
# Interrupted while threads read and write.
timeout -s INT 0.2 setarch -R "$program" chunks -e out.db --quiet --threads=4 2>log || true
! grep -q 'ThreadSanitizer' log || { cat log && exit 1; }
echo "$((count + 2)) conversions without a data race, $count of them compared"
