/*
 * Views that are in no list: they take the place of tables that viewers read, when common rows hold
 * what those are for. Colours in them are below TS_VIEWER_COLOURS.
 */
#ifndef TS_TABLES_VIEWS_IMPL_H
#define TS_TABLES_VIEWS_IMPL_H

/* js_heap_edges when a view has its name. */
#define TS_EDGE_ROWS "js_heap_edge_rows"

/* callstack when a view has its name and it has rows. */
#define TS_CALL_ROWS "callstack_rows"

extern const char ts_view_args_view_union[];
extern const char ts_view_callstack[];
extern const char ts_view_callstack_union[];
extern const char ts_view_js_cpu_profiler_sample[];
extern const char ts_view_js_heap_edges[];
extern const char ts_view_perf_callchain[];
extern const char ts_view_perf_files[];
extern const char ts_view_perf_report[];
extern const char ts_view_perf_sample[];
extern const char ts_view_perf_thread[];
extern const char ts_view_stack_sample[];

#endif
