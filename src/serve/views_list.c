/* The views, one line each. */
#include "serve/flame.h"

const ts_endpoint ts_endpoints[] = {
    {"flame", "call paths with weights", ts_flame_params, ts_flame_run},
    {"methods", "weights of methods", ts_methods_params, ts_methods_run},
    {"threads", "samples and calls of threads", ts_threads_params, ts_threads_run},
    {NULL, NULL, NULL, NULL},
};
