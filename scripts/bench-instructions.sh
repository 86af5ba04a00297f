#!/usr/bin/env bash
# bench-instructions.sh [-b DIR] [-r REV] [-n] [NAME...]: counts the instructions of conversions, one small recording or more a format, and
# compares them with those of an earlier commit. Fails when a recording takes 3 % more. Instructions hardly depend on what else the machine does.
#
#   -b DIR    the build to measure; default build/release, as .ci/run leaves it
#   -r REV    the commit to compare with; default HEAD when files differ from it, else the commit before
#   -n        only count: no comparison
#   NAME...   only these recordings (the names of the table)
#
# Both programs are counted on this machine, with the same compiler, libraries and recordings: counts of another machine say nothing. The earlier
# commit is built in build/before, where only what changed is compiled; its counts are kept there, and also those of each commit that was
# measured here, so that mostly nothing is built. Where that commit cannot be had or built, a line says "skipped", and nothing fails.
# perf counts where it may, valgrind elsewhere. What any run costs (the row "start": tables, views) is taken off the other rows, and has no limit.
# A commit that is slower on purpose says so in its message, a line for each recording with what is allowed:   Slower: jfr 5
set -euo pipefail

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}

cd "$(dirname "$0")/.."
build=build/release rev='' compare=yes limit=3
while getopts b:r:n option; do
    case $option in
    b) build=$OPTARG ;;
    r) rev=$OPTARG ;;
    n) compare= ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
before=$PWD/build/before
mkdir -p "$before/counts"
work=$(mktemp -d "${TMPDIR:-/tmp}/instructions.XXXXXX")
trap 'rm -rf "$work"' EXIT
export work tools=$build/tools

# --- recordings: NAME, then the arguments of a maker, or a bundled file ---------------------------

# Names are those of --format=list, with a part after a dot where a format has several ways. Makers write to OUT; "shape FILE NAME N" is
# one of test/damage. What is after | is given to the conversion.
recordings() {
    cat <<'END'
start           shape profiles.py folded 1
htrace.heap     mkhtrace -o OUT --config pid=1,type=snapshot --snapshot synth:nodes=40000,edges=160000,strings=12000
htrace.heap-analysis mkhtrace -o OUT --config pid=1,type=snapshot --snapshot synth:nodes=40000,edges=160000,strings=12000 | --analyze=heap
htrace.timeline test/data/recording-timeline.htrace.gz
htrace.profile  mkhtrace -o OUT --config pid=1,type=none,cpu=1 --profile synth:nodes=5000,samples=300000,depth=40
htrace.kernel   mkhtrace -o OUT --ftrace events=40k
htrace.native   shape growth.py native_hook_stacks 20000
htrace.plugins  shape growth.py process_samples 20000
heapsnapshot    mkhtrace -o OUT --emit heapsnapshot --synthetic nodes=40000,edges=160000,strings=12000
heapprofile     shape growth.py heap_profile_wide 15000
cpuprofile      mkhtrace -o OUT --emit cpuprofile --synthetic-profile nodes=5000,samples=300000,depth=40
chrome-trace    mkchrometrace -o OUT --bytes 3000000
rawheap         shape rawheap.py rawheap_objects 40000
flare           mkflare --threads=8 --seconds=60 OUT
cloud           mkcloud -o OUT --container agent --callees 3 --calls 5000
cloud-stream    mkcloud -o OUT --container tcp --callees 3 --calls 5000
trcbin          mktptp -o OUT --form binary --calls 20000 --names ascii
trcxml          mktptp -o OUT --form xml --calls 5000 --names ascii
perf            shape perf.py stacks 20000
otlp-profiles   shape otlp.py otlp 40000
perfetto        shape perfetto.py perfetto 40000
perfetto.kernel shape perfetto.py perfetto_kernel 20000
pprof           mkprofile -o OUT --samples 50000 --functions 2000 --stacks 5000 --depth 40 --labels 1
jfr             mkjfr -o OUT --chunks 4 --events 10000 --stacks 400 --methods 500
jfr.real        test/data/work21.jfr.gz
ftrace-text     mkhtrace -o OUT --emit ftrace --synthetic-ftrace events=40k
ftrace-raw      shape kernel_files.py ftrace_raw 40000
hilog-text      shape kernel_files.py hilog_text 30000
hisysevent-text shape kernel_files.py hisysevent_text 5000
perf-text       mkprofile -o OUT --form perf --samples 8000
folded          mkprofile -o OUT --form folded --samples 20000 --functions 2000 --stacks 20000
speedscope      mkprofile -o OUT --form speedscope --samples 20000 --functions 2000
speedscope.calls mkprofile -o OUT --form speedscope --evented --samples 8000 --functions 2000
hprof           shape hprof.py hprof 30000
datakit         shape profiles.py datakit_profiles 3000
firefox         shape firefox.py firefox 60000
END
}

make_one() { # name, arguments of a maker
    local name=$1 out=$work/$1.in
    shift
    case $1 in
    test/*) cp "$1" "$out" ;;
    shape)
        case $2 in
        growth.py) python3 "test/damage/$2" "$3" "$4" >"$out" ;;
        *) python3 "test/damage/$2" --write "$3" "$4" "$out" >/dev/null ;;
        esac
        ;;
    *) "$tools/$1" "${@:2}" >"$work/$name.log" ;;
    esac
}
export -f make_one

wanted() { # name, names...
    local name=$1
    shift
    [ $# -gt 0 ] || return 0
    case " $* start " in *" $name "*) return 0 ;; esac
    return 1
}

names=()
while read -r name recipe; do
    wanted "$name" "$@" || continue
    names+=("$name")
    options=
    [[ $recipe != *" | "* ]] || options=${recipe##* | }
    printf '%s\n' "$options" >"$work/$name.options"
    read -ra words <<<"${recipe%% | *}"
    printf '%q ' make_one "$name" "${words[@]/#OUT/$work/$name.in}"
    echo
done < <(recordings) >"$work/made"
[ ${#names[@]} -gt 0 ] || usage
jobs=$(nproc)
tr '\n' '\0' <"$work/made" | xargs -0 -P "$jobs" -I LINE bash -c 'LINE'

# --- counting -------------------------------------------------------------------------------------

if command -v perf >/dev/null && perf stat -x, -e instructions:u true 2>&1 | grep -q '^[0-9]'; then
    export counter=perf
elif command -v valgrind >/dev/null; then
    export counter=valgrind
else
    echo 'skipped: neither perf nor valgrind counts instructions here'
    exit
fi

count() { # program, name, file of "NAME COUNT"; without a line where the program fails
    local options
    options=$(cat "$work/$2.options")
    # shellcheck disable=SC2086 # several options
    set -- "$2" "$3" "$1" "$work/$2.in" -e "$3.$2.db" --quiet --threads=1 $options
    if [ $counter = perf ]; then
        perf stat -x, -e instructions:u -o "$2.$1.n" "${@:3}" 2>"$2.$1.err" >&2 || [ $? = 6 ] || return 0
        awk -F, -v name="$1" '/instructions/ { print name, $1 }' "$2.$1.n" >"$2.$1"
    else
        valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "${@:3}" 2>"$2.$1.n" >&2 || [ $? = 6 ] || return 0
        awk -v name="$1" '/I +refs:/ { gsub(/,/, "", $NF); print name, $NF }' "$2.$1.n" >"$2.$1"
    fi
    rm -f "$2.$1.db"
}
export -f count

count_all() { # program, file, names...
    local program=$1 file=$2
    shift 2
    printf '%s\0' "$@" | xargs -0 -P "$jobs" -I NAME bash -c "count '$program' NAME '$file'"
    local name
    for name in "$@"; do
        [ ! -s "$file.$name" ] || cat "$file.$name"
    done >"$file"
}

# Counts are kept for the same recordings, compiler, libraries and processor only.
where() {
    local name
    for name in "${names[@]}"; do
        find "$work/$name.in" -type f -print0 | sort -z | xargs -0 cat | cksum
        cat "$work/$name.options"
    done
    sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt" | xargs -I CC sh -c 'CC --version'
    ldd "$build/bin/trace_streamer" | awk '{ print $3 }' | grep / | sort | xargs cksum
    grep -m 1 '^flags' /proc/cpuinfo || true
    echo $counter
}

place=$(where | sha256sum | cut -c1-16)
count_all "$build/bin/trace_streamer" "$work/now" "${names[@]}"
head=$(git rev-parse HEAD 2>/dev/null || true)
dirty=
git diff --quiet HEAD -- . ':!docs' ':!*.md' 2>/dev/null || dirty=yes
[ -n "$dirty" ] || [ -z "$head" ] || cp "$work/now" "$before/counts/$head-$place"
if [ -z "$compare" ]; then
    awk '{ printf "%-24s %8.1f million\n", $1, $2 / 1e6 }' "$work/now"
    exit
fi

# --- the earlier commit ---------------------------------------------------------------------------

[ -n "$rev" ] || { [ -n "$dirty" ] && rev=HEAD; } || rev=HEAD^
if ! base=$(git rev-parse --verify --quiet "$rev^{commit}"); then
    echo "skipped: $rev is not there (no history, or a shallow clone)"
    exit
fi

build_before() {
    local source=$before/source
    [ -d "$source" ] || git clone --quiet --shared --no-checkout . "$source"
    git -C "$source" cat-file -e "$base" 2>/dev/null || git -C "$source" fetch --quiet origin "$base" || return
    git -C "$source" checkout --quiet --force --detach "$base" || return
    cmake -S "$source" -B "$before/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTS_WEB=OFF \
        "-DCMAKE_C_COMPILER=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")" || return
    cmake --build "$before/build" --target trace_streamer -j "$jobs"
}

kept=$before/counts/$base-$place
if [ ! -s "$kept" ]; then
    if ! build_before >"$work/log" 2>&1; then
        tail -n 20 "$work/log"
        echo "skipped: the commit before, ${base:0:10}, cannot be built here"
        exit
    fi
    count_all "$before/build/bin/trace_streamer" "$work/then" "${names[@]}"
    cp "$work/then" "$kept"
fi

slower=
[ -n "$dirty" ] || [ "$rev" != HEAD^ ] || slower=$(git log -1 --format=%B | sed -n 's/^Slower: *\([^ ]*\) *\([0-9.]*\).*/\1 \2/p')

table() { # its last lines are the names of those that are too slow, as "again NAME"
    awk -v limit=$limit -v slower="$slower" -v names="${names[*]}" '
        FNR == NR { then[$1] = $2; next }
        { now[$1] = $2 }
        END {
            n = split(slower, word, /[ \n]+/)
            for (i = 1; i < n; i += 2)
                most[word[i]] = word[i + 1]
            n = split(names, name, " ")
            for (i = 1; i <= n; i++) {
                k = name[i]
                a = then[k] - (k == "start" ? 0 : then["start"])
                b = now[k] - (k == "start" ? 0 : now["start"])
                if (!(k in now)) { printf "%-24s FAILED: it is not converted\n", k; again = again "again " k "\n"; continue }
                if (!(k in then)) { printf "%-24s %14s %14.1f   (new)\n", k, "", b / 1e6; continue }
                percent = 100 * (b / a - 1)
                wrong = k != "start" && percent > (k in most ? most[k] : limit)
                printf "%-24s %14.1f %14.1f %+8.2f%s\n", k, a / 1e6, b / 1e6, percent, wrong ? "  FAILED" : ""
                again = again (wrong ? "again " k "\n" : "")
            }
            printf "%s", again
        }' "$kept" "$work/now"
}

# Counts of JFR were seen to differ by 2 % between runs of one program. The least of three decides.
least() { # file, names...: counts anew, and keeps what is less
    local file=$1
    shift
    count_all "$build/bin/trace_streamer" "$work/again" "$@"
    sort -k 1,1 -k 2,2n "$file" "$work/again" | awk '$1 != last { print } { last = $1 }' >"$work/least"
    mv "$work/least" "$file"
}
for _ in 1 2; do
    mapfile -t again < <(table | sed -n 's/^again //p')
    [ ${#again[@]} = 0 ] || least "$work/now" "${again[@]}"
done
printf '%-24s %14s %14s %8s\n' "millions, by $counter" "${base:0:10}" now %
table | grep -v '^again '
! table | grep -q '^again '
