/*
 * The texts of the views, one file a theme (views_*.c), put together in views.c.
 *
 * Views use only what SQLite 3.30 can parse (no ->, no MATERIALIZED, no STRICT): a view that a
 * reader's SQLite cannot parse makes the whole database unreadable to it, and web viewers bring old
 * ones.
 *
 * How they stay fast without indexes: js_heap_file_detail says at which rowids the rows of a file
 * stand, so it is always the outer loop (CROSS JOIN keeps it there) and everything else is found
 * by rowid. Names are scalar subqueries, so that a query which does not use a column does not pay
 * for it.
 */
#ifndef TS_TABLES_VIEWS_IMPL_H
#define TS_TABLES_VIEWS_IMPL_H

/*
 * The sum of integers that an input may have made as large as it likes. sum() fails beyond 64 bits,
 * and a view must answer: here the halves are added up, and what is beyond 64 bits becomes REAL.
 */
#define SUM_OF(x) SUM_OVER(x, "")
#define SUM_OVER(x, over)                                                                          \
    "(sum((" x ") >> 32)" over " * 4294967296 + sum((" x ") & 4294967295)" over ")"

extern const char ts_view_args[];
extern const char ts_view_js_node[];
extern const char ts_view_js_edge[];
extern const char ts_view_js_retainer[];
extern const char ts_view_js_class_histogram[];
extern const char ts_view_js_string_duplicates[];
extern const char ts_view_js_detached[];
extern const char ts_view_js_snapshot_diff[];
extern const char ts_view_js_allocation_stack[];
extern const char ts_view_js_cpu_sample[];
extern const char ts_view_stack_hot_method[];
extern const char ts_view_stack_folded[];
extern const char ts_view_thread_cpu[];
extern const char ts_view_flare_recording[];
extern const char ts_view_flare_cpu[];
extern const char ts_view_data_quality[];
extern const char ts_view_cloud_call[];
extern const char ts_view_cloud_call_param[];
extern const char ts_view_cloud_tag[];
extern const char ts_view_stack_slice[];

/* Not in the list of views: takes the place of the table when there are traced invocations. */
extern const char ts_view_callstack[];

#endif
