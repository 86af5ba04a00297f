#!/usr/bin/env bash
# bench.sh [quick | full | heap-analysis | ftrace | native | limit | stages | floors | columns | SIZE...] [options]: measures the release build on synthetic recordings, in turn with
# yardsticks that show what the machine can do at all. docs/performance.md explains the figures.
#
#   quick        10 and 50 MB, 3 runs
#   full         10, 50, 200 and 1000 MB, 5 runs (the default; about 4 GB of disk space)
#   heap-analysis  what --analyze=heap costs beside the conversion, on a heap of 10 M edges that node makes, and a
#                synthetic one; also a part of full
#   ftrace       events of the kernel: rows of each table in a second, and the share of sorting
#   native       samples of perf, native memory and hiebpf: events in a second, memory, and the share of each stage
#   limit        one and two threads, and how far that is from what is possible: beside a program that checks nothing, where
#                its source is in ../shared/prototypes/perf
#   stages       for every format: processor time of a million calls or so, and where its user time goes (perf), by stage
#   floors       for each format with a goal for its speed: what reading its bytes and writing its rows take alone, and decoding that
#                drops all rows; bytes a sample of CPU profiles, in rows with less and less in them
#   columns      rows a second of a heap's tables as blocks of ClickHouse (Native) and as Parquet, on one core, without conversion
#   SIZE...      snapshots of these sizes, in MB
#   -n RUNS      runs of each measurement; the table shows medians
#   -d DIR       where inputs are kept and outputs are written
#                (default ${TMPDIR:-/var/tmp}/trace_streamer-bench)
#   -b DIR       a build directory to use as it is, instead of building the preset release-tests
set -euo pipefail

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}

runs='' dir=${TMPDIR:-/var/tmp}/trace_streamer-bench build='' mode=full sizes=()
while [ $# -gt 0 ]; do
    case $1 in
    quick | full | heap-analysis | ftrace | native | limit | stages | floors | columns) mode=$1 ;;
    [1-9]*) mode=sizes sizes+=("$1") ;;
    -n) runs=${2:-} && shift ;;
    -d) dir=${2:-} && shift ;;
    -b) build=${2:-} && shift ;;
    *) usage ;;
    esac
    shift
done
for number in ${sizes[@]+"${sizes[@]}"} ${runs:+"$runs"}; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || usage
done
[ -n "$dir" ] || usage
case $mode in
quick) sizes=(10 50) ;;
full) sizes=(10 50 200 1000) ;;
esac
[ -n "$runs" ] || { [ "$mode" = quick ] && runs=3 || runs=5; }

cd "$(dirname "$0")/.."
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
work=$(mktemp -d "$dir/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
if [ -z "$build" ]; then
    build=build/release
    echo "building ($build)"
    if ! { cmake --preset release-tests && cmake --build --preset release-tests \
        --target trace_streamer mkhtrace mkflare mkcloud mktptp mkjfr mkprofile mkchrometrace columns bench_yardsticks; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
fi
program=$build/bin/trace_streamer
tools=$build/test/bench

if [ "$mode" = columns ]; then
    "$program" test/data/recording-snapshots.htrace.gz -e "$work/columns.db" --quiet
    "$build/test/export/columns" measure "$work/columns.db" js_heap_nodes js_heap_edges js_heap_string
    exit
fi

if [ "$mode" = limit ]; then
    scripts/bench-limit.sh "$program" "$build/tools" "$tools" "$dir" "$runs" ../shared/prototypes/perf
    exit
fi

if [ "$mode" = stages ]; then
    scripts/bench-stages.sh "$program" "$build" "$dir" "$runs"
    exit
fi

if [ "$mode" = floors ]; then
    scripts/bench-floors.sh "$program" "$build" "$dir" "$runs"
    exit
fi

if [ "$mode" = ftrace ]; then
    scripts/bench-ftrace.sh "$program" "$build/tools" "$tools" "$dir" "$runs"
    exit
fi

if [ "$mode" = native ]; then
    scripts/bench-native.sh "$program" "$tools" "$dir" "$runs"
    exit
fi

# --- inputs ---------------------------------------------------------------------------------------

# Files are made anew when the maker or what they are made of changes.
make_input() { # name, arguments of mkhtrace...
    local name=$1 file=$dir/$1.htrace
    shift
    local recipe
    recipe="$* $(cksum <"$build/tools/mkhtrace")"
    if [ ! -f "$file" ] || [ "$(cat "$file.recipe" 2>/dev/null)" != "$recipe" ]; then
        echo "making $name"
        "$build/tools/mkhtrace" -o "$work/new" "$@"
        mv "$work/new" "$file"
        printf '%s\n' "$recipe" >"$file.recipe"
    fi
}

# A heap of about so many MB of recording: nodes, edges and strings in the proportions of real ones.
heap() { # MB, more
    printf 'synth:nodes=%d,edges=%d,strings=%d%s' $(($1 * 9310)) $(($1 * 37340)) $(($1 * 2790)) "${2:-}"
}

snapshot=(--config 'pid=1,type=snapshot')
timeline=(--config 'pid=1,type=timeline')
inputs=()
plan() {
    inputs+=("$1")
    make_input "$@"
}
has() {
    local size
    for size in "${sizes[@]}"; do
        [ "$size" != "$1" ] || return 0
    done
    return 1
}

for size in "${sizes[@]}"; do
    plan "snapshot-$size" "${snapshot[@]}" --snapshot "$(heap "$size")"
done
if [ "$mode" = quick ] || [ "$mode" = full ]; then
    middle=50
    ! has 200 || middle=200
    part=$((middle * 10 / 43)) # leaves of it the ends of the four
    plan "four-$middle" "${snapshot[@]}" --snapshot "$(heap $part ,seed=1)" --snapshot "$(heap $part ,seed=2)" \
        --snapshot "$(heap $part ,seed=3)" --snapshot "$(heap $part ,seed=4)"
    ! has 1000 || plan four-1000 "${snapshot[@]}" --snapshot "$(heap 240 ,seed=1)" \
        --snapshot "$(heap 240 ,seed=2)" --snapshot "$(heap 240 ,seed=3)" --snapshot "$(heap 240 ,seed=4)"
    more=,trace=5000,samples=10000,locations=20000
    plan "timeline-$middle" "${timeline[@]}" --timeline "$(heap $middle "$more,tree=50000,stacks=40")"
    plan tree-flat "${timeline[@]}" --timeline "$(heap 10 "$more,tree=1000000,stacks=40")"
    plan tree-deep "${timeline[@]}" --timeline "$(heap 10 "$more,tree=1000000,stacks=100000")"
    plan sorted-50 "${snapshot[@]}" --snapshot "$(heap 50 ,order=sorted)"
    plan profile --config 'pid=1,type=none,cpu=1' --profile synth:nodes=20000,samples=2500000,depth=40
fi

# --- measuring ------------------------------------------------------------------------------------

# A line of `wall user system KiB` is added to $work/NAME.
convert() { # name, input, options...
    local name=$1 file=$dir/$2.htrace
    shift 2
    rm -f "$work/out.db"
    "$tools/bench_measure" "$work/$name" "$program" "$file" -e "$work/out.db" --quiet "$@"
}

input_bytes() { wc -c <"$dir/$1.htrace"; }

# Without measuring: the files get into memory, and the finished database is there to be counted.
prepare() { # input
    convert warm "$1"
    "$tools/bench_counts" "$work/out.db" >"$work/$1.counts"
    wc -c <"$work/out.db" >"$work/$1.bytes"
}

# INSERT takes its rows from memory: a database of 1000 MB would need 3 GB.
inserts_of() {
    [[ $1 == snapshot-* ]] && [ "${1#snapshot-}" -le 200 ]
}

measure() { # input
    local name=$1 i
    prepare "$name"
    if inserts_of "$name"; then
        mv "$work/out.db" "$work/rows.db"
    fi
    for ((i = 0; i < runs; i++)); do
        "$tools/bench_measure" "$work/$name.read" "$tools/bench_raw_io" read "$dir/$name.htrace"
        convert "$name" "$name"
        rm -f "$work/out.db"
        "$tools/bench_measure" "$work/$name.write" "$tools/bench_raw_io" write "$work/out.db" "$(<"$work/$name.bytes")"
        rm -f "$work/out.db"
        if inserts_of "$name"; then
            "$tools/bench_inserts" "$work/$name.insert" "$work/rows.db" "$work/out.db"
            rm -f "$work/out.db"
        fi
    done
    rm -f "$work/rows.db"
}

# Medians of a file's columns: wall, user, system, CPU; the largest KiB.
medians() { # file
    awk '
        function median(v, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
            return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
        }
        { w[NR] = $1; u[NR] = $2; s[NR] = $3; c[NR] = $2 + $3; if ($4 > m) m = $4 }
        END { printf "%.4f %.4f %.4f %.4f %d\n", median(w, NR), median(u, NR), median(s, NR), median(c, NR), m }
    ' "$1"
}

# --- the table ------------------------------------------------------------------------------------

header() {
    printf '\n%-24s %8s %8s %8s %8s %8s %9s %9s %9s %9s\n' '' wall user system CPU MB/s Mrows/s 'peak MiB' 'bound' 'out MB'
}

row() { # label, file of measurements, input bytes, rows, bound (KiB), output bytes
    medians "$2" | awk -v label="$1" -v bytes="$3" -v rows="$4" -v bound="$5" -v out="$6" '
        function cell(ok, format, v) { return ok ? sprintf(format, v) : "-" }
        {
            printf "%-24s %8.3f %8.3f %8.3f %8.3f %8s %9s %9s %9s %9s\n", label, $1, $2, $3, $4,
                cell(bytes > 0 && $1 > 0, "%.0f", bytes / 1e6 / ($1 > 0 ? $1 : 1)),
                cell(rows > 0 && $1 > 0, "%.1f", rows / 1e6 / ($1 > 0 ? $1 : 1)),
                cell($5 > 0, "%.1f", $5 / 1024), cell(bound > 0, "%.1f", bound / 1024),
                cell(out > 0, "%.0f", out / 1e6)
        }'
}

# 32 MiB + 16 bytes a node of the largest snapshot; 16 bytes a sample and 128 a node of a profile.
bound_of() { # input
    awk '{ printf "%d\n", (32 * 1048576 + 16 * $2 + 16 * $3 + 128 * $4) / 1024 }' "$work/$1.counts"
}

report() { # input
    local name=$1 rows bytes
    rows=$(cut -d ' ' -f 1 "$work/$name.counts")
    bytes=$(<"$work/$name.bytes")
    row "$name" "$work/$name" "$(input_bytes "$name")" "$rows" "$(bound_of "$name")" "$bytes"
    row '  read and discard' "$work/$name.read" "$(input_bytes "$name")" 0 0 0
    row '  write the same size' "$work/$name.write" "$bytes" 0 0 "$bytes"
    if inserts_of "$name"; then
        row '  prepared INSERTs' "$work/$name.insert" 0 "$rows" 0 0
    fi
}

column() { # measurements, column of medians
    medians "$work/$1" | cut -d ' ' -f "$2"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }
verdict() { # what, value, limit
    awk -v what="$1" -v v="$2" -v limit="$3" 'BEGIN {
        printf "%s  %-62s %8.2f (goal: at most %.2f)\n", (v <= limit ? "PASS" : "FAIL"), what, v, limit }'
}

# --- the analysis of heaps --------------------------------------------------------------------------

# Conversions without and with the analysis, in turn.
measure_analysis() { # name, input; one thread, because another one costs processor time too
    local i option
    for ((i = 0; i <= runs; i++)); do
        for option in none heap; do
            rm -f "$work/out.db"
            "$tools/bench_measure" "$work/$1.$option.$((i > 0))" "$program" "$2" -e "$work/out.db" --quiet --threads=1 --analyze="$option"
        done
    done
}

# The limits: CPU of the analysis in parts of that of the conversion without it; 32 MiB, 50 bytes a node, 8 an edge.
report_analysis() { # name, input, limit
    local name=$1 nodes edges
    read -r nodes edges < <("$program" "$work/out.db" -q 'SELECT sum(node_count), sum(edge_count) FROM js_heap_file_detail' \
        --quiet | tail -n 1)
    row "$name" "$work/$name.none.1" "$(wc -c <"$2")" 0 0 0
    row '  --analyze=heap' "$work/$name.heap.1" "$(wc -c <"$2")" 0 $((32768 + (50 * nodes + 8 * edges) / 1024)) "$(wc -c <"$work/out.db")"
    verdicts+=("$name: CPU of the analysis, in parts of the conversion|$(ratio "$(awk -v a="$(column "$name.heap.1" 4)" \
        -v b="$(column "$name.none.1" 4)" 'BEGIN { print a - b }')" "$(column "$name.none.1" 4)")|$3")
    verdicts+=("$name: peak memory of the analysis, in parts of its bound|$(ratio "$(column "$name.heap.1" 5)" \
        $((32768 + (50 * nodes + 8 * edges) / 1024)))|1")
}

heap_analysis() {
    local recipe verdict what value limit
    local verdicts=()
    if command -v node >/dev/null; then
        recipe="$(node --version) $(cksum <test/bench/heap_app.js)"
        if [ "$(cat "$dir/heap-app.recipe" 2>/dev/null)" != "$recipe" ]; then
            echo 'making heap-app'
            rm -f "$dir/app.heapsnapshot"
            node --max-old-space-size=6000 test/bench/heap_app.js "$dir/app.heapsnapshot" >"$work/log"
            printf '%s\n' "$recipe" >"$dir/heap-app.recipe"
        fi
        measure_analysis heap-app "$dir/app.heapsnapshot"
        report_analysis heap-app "$dir/app.heapsnapshot" 0.8
    else
        echo 'heap-app: skipped, there is no node to make it'
    fi
    make_input heap-scattered "${snapshot[@]}" --snapshot synth:nodes=2460000,edges=10145667,strings=500000
    measure_analysis heap-scattered "$dir/heap-scattered.htrace"
    report_analysis heap-scattered "$dir/heap-scattered.htrace" 2
    for verdict in "${verdicts[@]}"; do
        IFS='|' read -r what value limit <<<"$verdict"
        verdict "$what" "$value" "$limit"
    done
}

echo "$(nproc) processors, $runs runs each, load $(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo '?')"
header
if [ "$mode" = heap-analysis ]; then
    heap_analysis
    exit
fi
for name in "${inputs[@]}"; do
    measure "$name"
    report "$name"
done

# A sample directory of Flare: 60 threads, 900 s, about 400 000 stacks.
if [ "$mode" != sizes ]; then
    recipe="60 900 $(cksum <"$build/tools/mkflare")"
    if [ "$(cat "$dir/flare.recipe" 2>/dev/null)" != "$recipe" ]; then
        echo 'making flare'
        rm -rf "$dir/flare"
        "$build/tools/mkflare" --threads=60 --seconds=900 "$dir/flare"
        printf '%s\n' "$recipe" >"$dir/flare.recipe"
    fi
    for ((i = 0; i <= runs; i++)); do
        rm -f "$work/out.db"
        "$tools/bench_measure" "$work/flare.$((i > 0))" "$program" "$dir/flare" -e "$work/out.db" --quiet
    done
    row flare "$work/flare.1" "$(cat "$dir"/flare/* | wc -c)" "$("$tools/bench_counts" "$work/out.db" | cut -d ' ' -f 1)" \
        $((64 * 1024)) "$(wc -c <"$work/out.db")"
    rm -f "$work/out.db"
fi

# An agent's directory of the Cloud Profiler: 50 000 calls with their traces, about 23 MB, plain and as the agent
# leaves it, compressed; in the long run also 1 000 000 calls. As in recordings of real services, a call path is taken
# about seven times. In those named `paths` nearly every invocation has a path of its own, which is the worst case.
clouds=(cloud-50 cloud-50-gzip cloud-50-paths)
! has 1000 || clouds+=(cloud-1000 cloud-1000-paths)
[ "$mode" != sizes ] || clouds=()
for name in ${clouds[@]+"${clouds[@]}"}; do
    thousands=${name#cloud-} form=(--plain --callees 3)
    case $name in
    *-gzip) form=(--callees 3) ;;
    *-paths) form=(--plain) ;;
    esac
    thousands=${thousands%%-*}
    recipe="$name $(cksum <"$build/tools/mkcloud")"
    if [ "$(cat "$dir/$name.recipe" 2>/dev/null)" != "$recipe" ]; then
        echo "making $name"
        rm -rf "${dir:?}/$name"
        "$build/tools/mkcloud" -o "$dir/$name" --container agent "${form[@]}" --calls "${thousands}000"
        printf '%s\n' "$recipe" >"$dir/$name.recipe"
    fi
    for ((i = 0; i <= runs; i++)); do
        rm -f "$work/out.db"
        "$tools/bench_measure" "$work/$name.$((i > 0))" "$program" "$dir/$name" -e "$work/out.db" --quiet
    done
    row "$name" "$work/$name.1" "$(find "$dir/$name" -type f -exec cat {} + | wc -c)" \
        "$("$tools/bench_counts" "$work/out.db" | cut -d ' ' -f 1)" $((128 * 1024)) "$(wc -c <"$work/out.db")"
    rm -f "$work/out.db"
done

# A trace of the TPTP profiler in both forms: 250 000 calls, 42 and 73 MB; in the long run 5 000 000 in 850 MB.
# The XML form is compared with expat alone, with handlers that do nothing.
tptps=(250)
! has 1000 || tptps+=(5000)
[ "$mode" != sizes ] || tptps=()
for thousands in ${tptps[@]+"${tptps[@]}"}; do
    for form in binary xml; do
        name=tptp-$form-$thousands
        recipe="$name $(cksum <"$build/tools/mktptp")"
        if [ "$(cat "$dir/$name.recipe" 2>/dev/null)" != "$recipe" ]; then
            echo "making $name"
            "$build/tools/mktptp" -o "$dir/$name" --form $form --calls "${thousands}000" --objects 0 --names ascii
            printf '%s\n' "$recipe" >"$dir/$name.recipe"
        fi
        for ((i = 0; i <= runs; i++)); do
            rm -f "$work/out.db"
            "$tools/bench_measure" "$work/$name.$((i > 0))" "$program" "$dir/$name" -e "$work/out.db" --quiet
            [ $form = binary ] || "$tools/bench_measure" "$work/$name.expat.$((i > 0))" "$tools/bench_expat" "$dir/$name" >"$work/log"
        done
        row "$name" "$work/$name.1" "$(wc -c <"$dir/$name")" "$("$tools/bench_counts" "$work/out.db" | cut -d ' ' -f 1)" \
            $((64 * 1024)) "$(wc -c <"$work/out.db")"
        [ $form = binary ] || row '  expat alone' "$work/$name.expat.1" "$(wc -c <"$dir/$name")" 0 0 0
        rm -f "$work/out.db"
    done
done

largest=
for size in "${sizes[@]}"; do
    [ "$size" -gt 200 ] || largest=snapshot-$size
done
if [ -n "$largest" ]; then
    for ((i = 0; i < runs; i++)); do
        convert "$largest.sync" "$largest" --sync
        convert "$largest.index" "$largest" --index
    done
    echo
    row "$largest --sync" "$work/$largest.sync" "$(input_bytes "$largest")" 0 0 0
    row "$largest --index" "$work/$largest.index" "$(input_bytes "$largest")" 0 0 "$(wc -c <"$work/out.db")"
    rm -f "$work/out.db"
fi

# --- ratios and goals -----------------------------------------------------------------------------

echo
for size in "${sizes[@]}"; do
    name=snapshot-$size
    inserts_of "$name" || continue
    printf '%s: INSERTs alone take %s times the CPU and %s times the wall time of the whole conversion\n' "$name" \
        "$(ratio "$(column "$name.insert" 4)" "$(column "$name" 4)")" \
        "$(ratio "$(column "$name.insert" 1)" "$(column "$name" 1)")"
done
if [ -n "$largest" ]; then
    printf '%s: indexes take %s s of wall time more, --sync %s s\n' "$largest" \
        "$(awk -v a="$(column "$largest.index" 1)" -v b="$(column "$largest" 1)" 'BEGIN { printf "%.2f", a - b }')" \
        "$(awk -v a="$(column "$largest.sync" 1)" -v b="$(column "$largest" 1)" 'BEGIN { printf "%.2f", a - b }')"
fi

echo
if has 200; then
    verdict '200 MB: CPU, in sixths of the CPU of the INSERTs' \
        "$(ratio "$(column snapshot-200 4)" "$(awk -v v="$(column snapshot-200.insert 4)" 'BEGIN { print v / 6 }')")" 1
    verdict '200 MB: wall time, in fifths of that of the INSERTs' \
        "$(ratio "$(column snapshot-200 1)" "$(awk -v v="$(column snapshot-200.insert 1)" 'BEGIN { print v / 5 }')")" 1
fi
for name in "${inputs[@]}"; do
    verdict "$name: peak memory, in parts of its bound" "$(ratio "$(column "$name" 5)" "$(bound_of "$name")")" 1
done
if has 200 && has 1000; then
    verdict '1000 MB: wall time, in times of 200 MB' "$(ratio "$(column snapshot-1000 1)" "$(column snapshot-200 1)")" 5.5
    verdict '1000 MB: CPU, in times of 200 MB' "$(ratio "$(column snapshot-1000 4)" "$(column snapshot-200 4)")" 5.5
fi
if [ "$mode" != sizes ]; then
    verdict 'flare, 60 threads and 900 s: CPU, s' "$(column flare.1 4)" 1.5
    verdict 'flare: peak memory, in parts of 64 MiB' "$(ratio "$(column flare.1 5)" 65536)" 1
    verdict '50 000 calls of the Cloud Profiler: wall time, s' "$(column cloud-50.1 1)" 0.25
    ! has 1000 || verdict '1 000 000 calls: wall time, s' "$(column cloud-1000.1 1)" 5
    for name in "${clouds[@]}"; do
        verdict "$name: peak memory, in parts of 128 MiB" "$(ratio "$(column "$name.1" 5)" 131072)" 1
    done
    for thousands in "${tptps[@]}"; do
        name=tptp-binary-$thousands
        verdict "$name: wall time, in times of 200 MB a second" \
            "$(ratio "$(column "$name.1" 1)" "$(awk -v n="$(wc -c <"$dir/$name")" 'BEGIN { print n / 200e6 }')")" 1
        verdict "tptp-xml-$thousands: CPU, in times of expat alone" \
            "$(ratio "$(column "tptp-xml-$thousands.1" 4)" "$(column "tptp-xml-$thousands.expat.1" 4)")" 2
        verdict "$name: peak memory, in parts of 64 MiB" "$(ratio "$(column "$name.1" 5)" 65536)" 1
        verdict "tptp-xml-$thousands: peak memory, in parts of 64 MiB" "$(ratio "$(column "tptp-xml-$thousands.1" 5)" 65536)" 1
    done
    verdict 'CPU profile of 2.5 M samples: wall time, s' "$(column profile 1)" 0.6
    verdict "timeline-$middle: CPU, in times of snapshot-$middle" \
        "$(ratio "$(column "timeline-$middle" 4)" "$(column "snapshot-$middle" 4)")" 1.5
    verdict 'trace tree 100 000 deep: CPU, in times of one 40 deep' \
        "$(ratio "$(column tree-deep 4)" "$(column tree-flat 4)")" 1.5
fi
if [ "$mode" = full ]; then
    echo
    header
    heap_analysis
fi
