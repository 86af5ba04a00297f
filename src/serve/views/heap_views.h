/* Views of heaps; the list of all is in views_list.c. */
#ifndef TS_SERVE_HEAP_VIEWS_H
#define TS_SERVE_HEAP_VIEWS_H

#include "serve/views/views.h"

extern const ts_view_param ts_heap_files_params[];
ts_code ts_heap_files_run(ts_view_call *call);
extern const ts_view_param ts_heap_classes_params[];
ts_code ts_heap_classes_run(ts_view_call *call);
extern const ts_view_param ts_heap_diff_params[];
ts_code ts_heap_diff_run(ts_view_call *call);
extern const ts_view_param ts_heap_objects_params[];
ts_code ts_heap_objects_run(ts_view_call *call);
extern const ts_view_param ts_heap_node_params[];
ts_code ts_heap_node_run(ts_view_call *call);
extern const ts_view_param ts_heap_edges_params[]; /* also of retainers */
ts_code ts_heap_edges_run(ts_view_call *call);
ts_code ts_heap_retainers_run(ts_view_call *call);
extern const ts_view_param ts_heap_path_params[];
ts_code ts_heap_path_run(ts_view_call *call);
extern const ts_view_param ts_heap_rows_params[]; /* of those by SQL */
ts_code ts_heap_strings_run(ts_view_call *call);
ts_code ts_heap_detached_run(ts_view_call *call);
ts_code ts_heap_constructors_run(ts_view_call *call);
ts_code ts_heap_comparison_run(ts_view_call *call);
ts_code ts_heap_duplicates_run(ts_view_call *call);
extern const ts_view_param ts_heap_dominated_params[];
ts_code ts_heap_dominated_run(ts_view_call *call);
extern const ts_view_param ts_heap_allocations_params[];
ts_code ts_heap_allocations_run(ts_view_call *call);

#endif
