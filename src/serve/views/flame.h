/* Views of stacks; the list of all is in views_list.c. */
#ifndef TS_SERVE_FLAME_H
#define TS_SERVE_FLAME_H

#include "serve/views/views.h"

extern const ts_view_param ts_flame_params[];
ts_code ts_flame_run(ts_view_call *call);
extern const ts_view_param ts_methods_params[];
ts_code ts_methods_run(ts_view_call *call);
extern const ts_view_param ts_weights_params[];
ts_code ts_weights_run(ts_view_call *call);
extern const ts_view_param ts_threads_params[];
ts_code ts_threads_run(ts_view_call *call);

#endif
