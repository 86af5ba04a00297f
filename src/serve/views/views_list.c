/* The views, one line each. */
#include "serve/views/calls_view.h"
#include "serve/views/flame.h"
#include "serve/views/heap_views.h"
#include "serve/views/timeline.h"

const ts_endpoint ts_endpoints[] = {
    {"sources", "what was recorded", ts_sources_params, ts_sources_run},
    {"flame", "call paths with weights", ts_flame_params, ts_flame_run},
    {"methods", "weights of methods", ts_methods_params, ts_methods_run},
    {"weights", "what stacks can be weighed by", ts_weights_params, ts_weights_run},
    {"threads", "samples and calls of threads", ts_threads_params, ts_threads_run},
    {"timeline", "how busy threads were in columns of time", ts_timeline_params, ts_timeline_run},
    {"slices", "calls of threads in a range", ts_slices_params, ts_slices_run},
    {"slices/names", "slices of a range by their names", ts_slice_names_params, ts_slice_names_run},
    {"series", "measured values in columns of time", ts_series_params, ts_series_run},
    {"lanes", "what there is over time, in columns", ts_lanes_params, ts_lanes_run},
    {"rows", "the rows of lanes in a range", ts_rows_params, ts_rows_run},
    {"find", "calls and slices by their names", ts_find_params, ts_find_run},
    {"chart", "stacks of one thread in the order of time", ts_chart_params, ts_chart_run},
    {"heap/files", "heap files", ts_heap_files_params, ts_heap_files_run},
    {"heap/classes", "classes of a heap file", ts_heap_classes_params, ts_heap_classes_run},
    {"heap/diff", "classes of two heap files", ts_heap_diff_params, ts_heap_diff_run},
    {"heap/objects", "objects of a class", ts_heap_objects_params, ts_heap_objects_run},
    {"heap/node", "one object", ts_heap_node_params, ts_heap_node_run},
    {"heap/edges", "what an object refers to", ts_heap_edges_params, ts_heap_edges_run},
    {"heap/retainers", "what refers to an object", ts_heap_edges_params, ts_heap_retainers_run},
    {"heap/path", "paths from the root to an object", ts_heap_path_params, ts_heap_path_run},
    {"heap/strings", "strings that are there twice", ts_heap_rows_params, ts_heap_strings_run},
    {"heap/detached", "detached nodes", ts_heap_rows_params, ts_heap_detached_run},
    {"heap/constructors", "classes with retained sizes", ts_heap_rows_params,
     ts_heap_constructors_run},
    {"heap/comparison", "classes that changed, with --analyze=heap", ts_heap_rows_params,
     ts_heap_comparison_run},
    {"heap/duplicates", "equal texts, with --analyze=heap", ts_heap_rows_params,
     ts_heap_duplicates_run},
    {"heap/dominated", "what an object keeps alive", ts_heap_dominated_params,
     ts_heap_dominated_run},
    {"heap/allocations", "live objects by the time of their allocation", ts_heap_allocations_params,
     ts_heap_allocations_run},
    {"calls/scatter", "calls by time and duration", ts_calls_scatter_params, ts_calls_scatter_run},
    {NULL, NULL, NULL, NULL},
};
