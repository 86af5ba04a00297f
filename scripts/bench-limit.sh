#!/usr/bin/env bash
# bench-limit.sh PROGRAM TOOLS BENCH DIR RUNS [PROTOTYPE]: how far the conversion is from what is possible. It converts the snapshot that a
# program makes which only does what must be done and checks nothing (PROTOTYPE: a folder with its gen.c and e2e.c), in turn with that
# program; without one, a snapshot of its size. Called by bench.sh limit.
set -euo pipefail
program=$1 tools=$2 bench=$3 dir=$4 runs=$5 prototype=${6:-}
work=$(mktemp -d "$dir/limit.XXXXXX")
trap 'rm -rf "$work"' EXIT

if [ -f "$prototype/gen.c" ]; then
    for name in gen e2e; do
        gcc -O2 -w -o "$work/$name" "$prototype/$name.c" -lsqlite3 -lpthread
    done
    if [ ! -f "$dir/limit/snapshot.msg" ]; then
        mkdir -p "$dir/limit"
        (cd "$dir/limit" && "$work/gen" >/dev/null)
    fi
    heap=$dir/limit/snapshot.json
else
    heap=synth:nodes=2500000,edges=10000000,strings=330000
fi
[ -f "$dir/limit.htrace" ] || "$tools/mkhtrace" -o "$dir/limit.htrace" --config 'pid=1,type=snapshot' --snapshot "$heap"
[ -f "$dir/limit.htrace.gz" ] || gzip -1 -k "$dir/limit.htrace"

measure() { # name, command...
    local name=$1
    shift
    rm -f "$work/out.db"
    "$bench/bench_measure" "$work/$name" "$@" >/dev/null
}
names=('one thread' 'two threads' 'gzip, one thread' 'gzip, threads')
[ ! -x "$work/e2e" ] || names+=('prototype, one thread' 'prototype, two threads')
for ((i = 0; i <= runs; i++)); do # the first warms up
    [ "$i" != 1 ] || rm -f "$work"/m-*
    measure m-0 "$program" "$dir/limit.htrace" -e "$work/out.db" --quiet --analyze=none --threads 1
    measure m-1 "$program" "$dir/limit.htrace" -e "$work/out.db" --quiet --analyze=none --threads 2
    measure m-2 "$program" "$dir/limit.htrace.gz" -e "$work/out.db" --quiet --analyze=none --threads 1
    measure m-3 "$program" "$dir/limit.htrace.gz" -e "$work/out.db" --quiet --analyze=none --threads 2
    if [ -x "$work/e2e" ]; then
        measure m-4 "$work/e2e" 2 "$dir/limit/snapshot.msg" "$work/out.db" 4096
        measure m-5 "$work/e2e" 3 "$dir/limit/snapshot.msg" "$work/out.db" 4096
    fi
done

median() { # measurements, column
    awk -v c="$2" '{print $c}' "$work/m-$1" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
printf '| %d MB | wall s | user s | system s | peak MiB |\n|---|---|---|---|---|\n' $(($(wc -c <"$dir/limit.htrace") / 1000000))
for ((i = 0; i < ${#names[@]}; i++)); do
    printf '| %s | %s | %s | %s | %.1f |\n' "${names[i]}" "$(median $i 1)" "$(median $i 2)" "$(median $i 3)" \
        "$(median $i 4 | awk '{print $1 / 1024}')"
done
echo
echo "wall time with two threads: $(ratio "$(median 1 1)" "$(median 0 1)") of that with one (goal 0.70); of a gzip file $(ratio "$(median 3 1)" "$(median 2 1)") (goal 0.60)"
[ ! -x "$work/e2e" ] ||
    echo "user time of one thread: $(ratio "$(median 0 2)" "$(median 4 2)") times the prototype's (goal 1.25)"
