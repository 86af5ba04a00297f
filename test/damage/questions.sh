#!/usr/bin/env bash
# The time of shipped questions grows with the database and no faster: two sizes, the second four times the first.
# TS_SLOW=1 prints four sizes, each twice the one before; the second and the last are those two.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
first=5000
steps='2 4'
[ "${TS_SLOW:-0}" = 0 ] || steps='1 2 3 4'
analyze=default
TIMEFORMAT='%U %S'
# Questions about databases of one shape that grows.
# ask_cost SIZE: of the question in hand. What any run costs is taken for 10 ms.
ask_cost() {
    case $1 in
    small) ms=10 && return ;;
    base) set -- $((first << 1)) ;;
    last) set -- "$n" ;;
    esac
    { time "$PROGRAM" "$shape-$1.db" -q "$(dirname "$PROGRAM")/../share/trace_streamer/sql/$sql.sql" "${parameters[@]}" >out 2>err; } 2>took || wrong "$sql failed: $(cat err)"
    ms=$(awk '{printf "%d", ($1 + $2) * 1000}' took)
}
# question QUESTION SHAPE [--param NAME=VALUE]
question() {
    local sql=$1 shape=$2 n all='' base=0 fixed=10 parameters=("${@:3}")
    for step in $steps; do
        n=$((first << (step - 1)))
        if [ ! -e "$shape-$n.db" ]; then
            rm -rf input
            make "$shape" "$n"
            "$PROGRAM" input -e "$shape-$n.db" --quiet --analyze="$analyze"
        fi
        ask_cost "$n"
        all="$all $ms"
        [ "$step" != 2 ] || base=$ms
    done
    ! too_much || ! stays_too_much ask_cost || wrong "$sql, $shape: ms$all, at last $base $ms"
    printf '%-22s %-10s ms%s\n' "$sql" "$shape" "$all"
}
question folded_stacks deep
question flame_graph deep
question thread_flame_graph deep --param weight=samples
question hot_methods deep
question cpu_hot_methods deep
question history_samples flare
question cpu_ts flare
question cpu_timeline_buckets deep
question folded_stacks wide
question thread_flame_graph wide --param weight=samples
question hot_methods wide
question hot_libraries deep
question hot_libraries wide
question off_cpu perf_switches
question dashboard flare
question js_class_histogram m.classes
question alloc_hot_methods heap_profile_deep
question alloc_hot_methods heap_profile_wide
question chrome_long_tasks chrome_tasks
question slow_frames late_frames
question sched_latency late_frames
question hot_slices late_frames
question critical_path late_frames --param frame=0
question threads late_frames
question threads deep
question waiting late_frames
question cpu_waits late_frames
question longest_slices late_frames
question recording m.profiles
question process_usage process_samples
question cpu_load m.cpu_samples
question disk_traffic diskio_samples
question network_traffic network_samples
question log_errors hilog_lines
question system_events hisysevent_keys
question app_starts app_starts
question app_start_phases app_starts
question disk_requests ebpf_requests
question cpu_busy late_frames
question slices late_frames
question slices calls
question series flare
question series memory_counters
question native_leaks native_hook_stacks
question native_leaks native_hook_sums --param by=library
question native_growth native_hook_blocks --param from=+1us --param by=function
question js_largest_nodes m.classes
question js_string_duplicates m.strings
question js_strings_like m.strings --param pattern=%9%
question js_snapshot_diff m.classes --param file=0 --param previous=0
question js_node_edges edges_first --param node=1
question js_retainers_of_node edges_first --param node=1
question js_class_growth m.classes --param file=0 --param previous=0
question sources m.profiles
question import_losses issues
question js_allocation_stacks m.tree_wide
# Calls of ten invocations each, and one of many.
question cloud_call_params calls
question cloud_call_pauses calls
question cloud_call_statements calls
question cloud_call_tree calls
question cloud_slow_calls calls
question cloud_calls_by_param calls
question slow_calls calls
question call_aggregated calls
question slice_hot_methods calls
question lock_waits trace
question longest_pauses trace
question pause_share trace
question slice_call_tree trace
question slice_hot_methods trace
question tptp_allocation_sites trace
question tptp_filters trace
question tptp_live_objects trace
question tptp_paths_to_roots references --param object=40
question tptp_references references --param object=911
question cloud_call_statements one_call
question cloud_call_tree one_call
question slice_hot_methods one_call
question call_bottom_up one_call
question page_fault_sites ebpf_stacks
question samples_of_span otlp_spans
question otlp_by_resource otlp_spans --param by=k
question otlp_by_resource otlp_sources --param "by=$(printf "k%.0s" {1..60})"
question io_files ebpf_paths
# Analysed heaps: shapes of no other question, so that their databases have the analysis.
analyze=heap
question js_largest_retained heap_chain
question js_constructors heap_chain
question js_path_to_root heap_chain --param node=9001
question js_dominators_of heap_chain --param node=9001
question js_dominated heap_wide
question js_freed_by_node heap_chain --param node=3
question js_freed_by_class heap_chain --param constructor=o
question js_comparison heap_wide --param file=1
question js_new_nodes heap_wide --param file=1
question js_deleted_nodes heap_wide --param file=1
question js_grown_nodes heap_wide --param file=1
question js_leak_suspects heap_wide --param file=1
question js_duplicate_strings heap_wide
question js_heap_statistics heap_wide
question js_held_by_detached heap_wide
question js_comparison heap_wide --param file=0 --param base=1
question java_class_histogram hprof_kept
question java_leak_suspects hprof_kept
question java_duplicate_strings hprof_kept
question java_path_to_root hprof_kept --param node=9001
question java_path_to_root hprof_kept --param node=9001 --param without=none
question java_thread_locals hprof_kept
verdict
