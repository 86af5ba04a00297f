/* Views of calls of the Cloud Profiler; the list of all is in views_list.c. */
#ifndef TS_SERVE_CALLS_VIEW_H
#define TS_SERVE_CALLS_VIEW_H

#include "serve/views/views.h"

extern const ts_view_param ts_calls_scatter_params[];
ts_code ts_calls_scatter_run(ts_view_call *call);

#endif
