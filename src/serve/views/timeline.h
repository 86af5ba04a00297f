/* Views of sources and of time; the list of all is in views_list.c. */
#ifndef TS_SERVE_TIMELINE_H
#define TS_SERVE_TIMELINE_H

#include "serve/views/views.h"

extern const ts_view_param ts_sources_params[];
ts_code ts_sources_run(ts_view_call *call);
extern const ts_view_param ts_timeline_params[];
ts_code ts_timeline_run(ts_view_call *call);
extern const ts_view_param ts_series_params[];
ts_code ts_series_run(ts_view_call *call);
extern const ts_view_param ts_slices_params[];
ts_code ts_slices_run(ts_view_call *call);
extern const ts_view_param ts_slice_names_params[];
ts_code ts_slice_names_run(ts_view_call *call);
extern const ts_view_param ts_lanes_params[];
ts_code ts_lanes_run(ts_view_call *call);
extern const ts_view_param ts_rows_params[];
ts_code ts_rows_run(ts_view_call *call);
extern const ts_view_param ts_find_params[];
ts_code ts_find_run(ts_view_call *call);
extern const ts_view_param ts_chart_params[];
ts_code ts_chart_run(ts_view_call *call);

/* The width of a column when a range is cut into px: at least 1 ns. */
int64_t ts_view_column(int64_t from, int64_t to, int64_t px);

#endif
