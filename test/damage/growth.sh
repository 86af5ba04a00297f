#!/usr/bin/env bash
# Time grows with the size of the input and no faster: two sizes, the second four times the first, for shapes that invite worse.
# TS_SLOW=1 prints six sizes, each twice the one before; the fourth and the last are those two.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
first=2500
[ $sanitized = 0 ] || first=500
steps='4 6'
[ "${TS_SLOW:-0}" = 0 ] || steps='1 2 3 4 5 6'
TIMEFORMAT='%U %S'
# cost FILE: sets ms, the processor time of its conversion.
cost() {
    { time "$PROGRAM" "$1" -e out.db --quiet 2>err >out; } 2>took || wrong "failed: $(cat err)"
    ms=$(awk '{printf "%d", ($1 + $2) * 1000}' took)
    rm -f out.db
}
python3 "$HERE/growth.py" ids 1 >small
fixed=1000000 # the least of three: others use the machine, too
for _ in 1 2 3; do
    cost small
    [ "$ms" -ge "$fixed" ] || fixed=$ms
done
least=$fixed
more='m.members m.properties m.strings m.strings_first m.locations m.tree_wide m.classes m.children m.samples_back m.profile_nodes
    m.configurations m.profiles m.plugins m.nodes_spread m.nodes_one_pass m.string_escaped m.trailing'
more="$more cpu_samples hilog_lines process_samples diskio_samples network_samples hidump_events stream_messages memory_counters memory_maps xpower_lists xpower_reports hisysevent_members hisysevent_arrays hisysevent_keys"
more="$more ebpf_events ebpf_stacks ebpf_paths ebpf_requests ebpf_lengths"
more="$more chrome_spans chrome_crossing chrome_back chrome_profiles"
more="$more native_hook_blocks native_hook_maps native_hook_stacks native_hook_addresses native_hook_sums"
more="$more ftrace_back ftrace_equal ftrace_threads ftrace_same_tid ftrace_deep ftrace_open ftrace_cpus ftrace_switches ftrace_names ftrace_symbols ffrt_markers"
for shape in chunks segments plugins issues marks resync magic strings ids same_ids edges_first profile profile_collide classes_collide cycles snapshots heap_profile_wide heap_profile_deep $more; do
    all=
    fixed=$least
    for step in $steps; do
        make "$shape" $((first << (step - 1)))
        cost input
        all="$all $ms"
        [ "$step" != 4 ] || { base=$ms && mv input base; }
    done
    mv input last
    ! too_much || ! stays_too_much cost || wrong "$shape: ms$all, at last $fixed $base $ms"
    printf '%-12s ms%s\n' "$shape" "$all"
done
verdict
