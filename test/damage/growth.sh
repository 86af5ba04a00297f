#!/usr/bin/env bash
# Time grows with the size of the input and no faster: six sizes, each twice the one before, for shapes that invite worse.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
first=2500
[ $sanitized = 0 ] || first=500
TIMEFORMAT='%U %S'
# Sets ms: the processor time of one conversion.
cost() {
    { time "$PROGRAM" input -e out.db --quiet 2>err >out; } 2>took || wrong "failed: $(cat err)"
    ms=$(awk '{printf "%d", ($1 + $2) * 1000}' took)
    rm -f out.db
}
# Four times the input takes four times the time, beside what any run costs; sixteen times would be quadratic.
too_much() { [ $((ms - fixed)) -gt $((8 * (base > fixed ? base - fixed : 0) + 60)) ]; }
python3 "$HERE/growth.py" ids 1 >input
cost
fixed=$ms
# make SHAPE N: of growth.py, or of memory.py.
make() {
    case $1 in
    m.*) python3 "$HERE/memory.py" "${1#m.}" "$2" >input ;;
    *) python3 "$HERE/growth.py" "$1" "$2" >input ;;
    esac
}
more='m.members m.properties m.strings m.strings_first m.locations m.tree_wide m.classes m.children m.samples_back m.profile_nodes
    m.configurations m.profiles m.plugins m.nodes_spread m.nodes_one_pass m.string_escaped m.trailing'
for shape in chunks segments plugins issues marks resync magic strings ids same_ids edges_first profile profile_collide classes_collide cycles snapshots $more; do
    n=$first
    all=
    for step in 1 2 3 4 5 6; do
        make $shape $n
        cost
        all="$all $ms"
        [ $step != 4 ] || base=$ms
        n=$((2 * n))
    done
    if too_much; then # others use the machine, too
        cost
        ! too_much || wrong "$shape: ms$all $ms"
    fi
    printf '%-12s ms%s\n' "$shape" "$all"
done

# Questions about databases of one shape that grows: QUESTION SHAPE [--param NAME=VALUE].
ask_cost() {
    { time "$PROGRAM" grown.db -q "$SOURCE/share/sql/$1.sql" "${@:2}" >out 2>err; } 2>took || wrong "$1 failed: $(cat err)"
    ms=$(awk '{printf "%d", ($1 + $2) * 1000}' took)
}
question() {
    local sql=$1 shape=$2 n=$((2 * first)) all='' base=0
    shift 2
    fixed=10
    for step in 1 2 3 4 5; do
        make "$shape" $n
        "$PROGRAM" input -e grown.db --quiet --force
        ask_cost "$sql" "$@"
        all="$all $ms"
        [ $step != 3 ] || base=$ms
        n=$((2 * n))
    done
    if too_much; then
        ask_cost "$sql" "$@"
        ! too_much || wrong "$sql, $shape: ms$all $ms"
    fi
    printf '%-22s %-10s ms%s\n' "$sql" "$shape" "$all"
}
question folded_stacks deep
question thread_flame_graph deep --param weight=samples
question hot_methods deep
question cpu_hot_methods deep
question history_samples deep
question cpu_ts deep
question cpu_timeline_buckets deep
question folded_stacks wide
question thread_flame_graph wide --param weight=samples
question hot_methods wide
question dashboard wide
question js_class_histogram m.classes
question js_largest_nodes m.classes
question js_string_duplicates m.strings
question js_strings_like m.strings --param pattern=%9%
question js_snapshot_diff m.classes --param file=0 --param previous=0
question js_node_edges edges_first --param node=1
question js_retainers_of_node edges_first --param node=1
question sources m.profiles
question import_losses issues
verdict
