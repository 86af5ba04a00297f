/* The views, one line each. */
#include "serve/flame.h"
#include "serve/timeline.h"

const ts_endpoint ts_endpoints[] = {
    {"flame", "call paths with weights", ts_flame_params, ts_flame_run},
    {"methods", "weights of methods", ts_methods_params, ts_methods_run},
    {"threads", "samples and calls of threads", ts_threads_params, ts_threads_run},
    {"timeline", "how busy threads were in columns of time", ts_timeline_params, ts_timeline_run},
    {"slices", "calls of threads in a range", ts_slices_params, ts_slices_run},
    {"series", "measured values in columns of time", ts_series_params, ts_series_run},
    {"chart", "stacks of one thread in the order of time", ts_chart_params, ts_chart_run},
    {NULL, NULL, NULL, NULL},
};
