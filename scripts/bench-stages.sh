#!/usr/bin/env bash
# bench-stages.sh PROGRAM BUILD DIR RUNS [NAME...]: for each format (or those that are named) the processor time of a conversion with one
# thread, medians of RUNS, and where its user time goes, as perf samples it. A stage is a set of source files (stage_of below); libraries
# belong to the stage that calls them, the C library is a stage of its own. Called by bench.sh stages.
set -euo pipefail
program=$1 build=$2 dir=$3/stages runs=$4
shift 4
wanted=("$@")
# shellcheck source=scripts/bench-inputs.sh
. scripts/bench-inputs.sh

# Names, and how to make each; the first two and those of TPTP have a million calls.
names=(cloud cloud-gzip tptp tptp-xml flare jfr pprof pprof-labels folded speedscope chrome heap cpuprofile kernel-text)
input() {
    case $1 in
    cloud) make_input "$1" mkcloud -o OUT --container agent --plain --callees 3 --calls 1000000 ;;
    cloud-gzip) make_input "$1" mkcloud -o OUT --container agent --callees 3 --calls 1000000 ;;
    tptp) make_input "$1" mktptp -o OUT --form binary --calls 1000000 --objects 0 --names ascii ;;
    tptp-xml) make_input "$1" mktptp -o OUT --form xml --calls 1000000 --objects 0 --names ascii ;;
    flare) make_input "$1" mkflare --threads=60 --seconds=900 OUT ;;
    jfr) make_input "$1" mkjfr -o OUT --chunks 40 --events 50000 --stacks 400 --methods 500 ;;
    pprof) make_input "$1" mkprofile -o OUT --samples 1000000 --functions 5000 --stacks 20000 --depth 60 ;;
    pprof-labels) make_input "$1" mkprofile -o OUT --samples 1000000 --functions 5000 --stacks 200000 --depth 40 --labels 1 ;;
    folded) make_input "$1" mkprofile -o OUT --form folded --samples 300000 --functions 5000 --stacks 300000 ;;
    speedscope) make_input "$1" mkprofile -o OUT --form speedscope --evented --samples 300000 --functions 5000 ;;
    chrome) make_input "$1" mkchrometrace -o OUT --bytes 200000000 ;;
    heap) make_input "$1" mkhtrace -o OUT --config pid=1,type=snapshot --snapshot synth:nodes=1862000,edges=7468000,strings=558000 ;;
    cpuprofile) make_input "$1" mkhtrace -o OUT --config pid=1,type=none,cpu=1 --profile synth:nodes=20000,samples=2500000,depth=40 ;;
    kernel-text) make_input "$1" mkhtrace -o OUT --emit ftrace --synthetic-ftrace events=1500k ;;
    *) echo "no input is called $1" >&2 && exit 2 ;;
    esac
}

# Lines of `symbol file`: global functions of the program. Static ones are found by the file that perf names.
find "$build/src" "$build/proto" -name '*.o' -print0 2>/dev/null | xargs -0 nm -A --defined-only 2>/dev/null |
    awk '$2 == "T" || $3 == "T" { sub(/:.*/, "", $1); n = split($1, part, "/"); sub(/\.o$/, "", part[n]); print $NF, part[n] }' >"$work/globals"
git ls-files 'src/*.c' | awk -F / '{ print $NF, $0 }' >"$work/paths"

columns=(unwrap decode store rows pages analyses SQLite libc other)
stages() { # report of perf: percent|dso|symbol|file
    awk -F '|' -v columns="${columns[*]}" '
        function stage_of(path) {
            if (path ~ /^src\/input\//) return "unwrap"
            if (path ~ /^src\/(parsers|htrace|wire|json)\// || path ~ /^src\/base\/(utf8|plain_real|bytes|intvec)/) return "decode"
            if (path ~ /^src\/tables\/(store|seen)/ || path ~ /^src\/base\//) return "store"
            if (path ~ /^src\/tables\/(page_record|page_cell|page_reserved|page_batch|page_columns|sample_|sink|rows)/) return "rows"
            if (path ~ /^src\/tables\/(scan_|table_scan)/ || path ~ /^src\/analysis\//) return "analyses"
            if (path ~ /^src\/tables\//) return "pages"
            return path ~ /\.pb-c\.c$/ ? "decode" : "other"
        }
        function library(name) {
            if (name ~ /^lib(z|zstd|lzma|bz2|lz4|archive)\./) return "unwrap"
            if (name ~ /^lib(expat|protobuf-c)\./) return "decode"
            return name ~ /^libsqlite3\./ ? "SQLite" : name ~ /^(libc|ld-linux)/ ? "libc" : "other"
        }
        FILENAME == ARGV[1] { split($0, f, " "); path[f[1]] = f[2]; next }
        FILENAME == ARGV[2] { split($0, f, " "); file[f[1]] = f[2]; next }
        /^#/ || NF < 3 { next }
        {
            gsub(/ /, "", $2); gsub(/ /, "", $4); sub(/^.*\] /, "", $3); gsub(/ /, "", $3); sub(/%/, "", $1)
            plain = $3
            sub(/\..*/, "", plain)
            name = $4 in path ? $4 : file[plain]
            share[$2 ~ /^trace_streamer/ ? stage_of(name in path ? path[name] : name) : library($2)] += $1
        }
        END {
            n = split(columns, c, " ")
            for (i = 1; i <= n; i++)
                printf " %8s", sprintf("%.0f%s", share[c[i]], share[c[i]] > 25 && c[i] != "decode" && c[i] != "unwrap" ? " !" : "")
            print ""
        }' "$work/paths" "$work/globals" -
}

median() { # file, expression of awk
    awk "{ print $2 }" "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

perf=
if command -v perf >/dev/null && perf record -q -e cpu-clock:u -o "$work/perf.data" true 2>/dev/null; then
    perf=yes
fi
[ -n "$perf" ] || echo 'perf is not there or may not sample: no stages'
printf '%-14s %6s %7s %7s %7s %6s' 'CPU, s; %:' MB user system CPU MB/s
[ -z "$perf" ] || printf ' %8s' "${columns[@]}"
echo
for name in "${wanted[@]:-${names[@]}}"; do
    input "$name"
    for ((i = 0; i <= runs; i++)); do
        rm -f "$work/out.db"
        "$build/test/bench/bench_measure" "$work/m-$name.$((i > 0))" "$program" "$dir/$name" -e "$work/out.db" --quiet --threads=1
    done
    bytes=$(find "$dir/$name" -type f -exec cat {} + | wc -c)
    cpu=$(median "$work/m-$name.1" '$2 + $3')
    printf '%-14s %6.0f %7.2f %7.2f %7.2f %6.0f' "$name" "$((bytes / 1000000))" "$(median "$work/m-$name.1" '$2')" \
        "$(median "$work/m-$name.1" '$3')" "$cpu" "$(awk -v b="$bytes" -v c="$cpu" 'BEGIN { print b / 1e6 / c }')"
    rm -f "$work/out.db"
    if [ -n "$perf" ]; then
        perf record -q -e cpu-clock:u -o "$work/perf.data" "$program" "$dir/$name" -e "$work/out.db" --quiet --threads=1 2>"$work/log"
        perf report -i "$work/perf.data" --stdio -t '|' --sort dso,symbol,srcfile 2>"$work/log" | stages
        rm -f "$work/out.db"
    else
        echo
    fi
done
