/*
 * Params: the names of parameters that the agent records. Stream params: docs/formats.md,
 * "Cloud Profiler".
 *
 * cloud_params belongs to the pod, zeroed, until cloud_params_close; only params.c touches it.
 */
#ifndef TS_PARSERS_CLOUD_PARAMS_H
#define TS_PARSERS_CLOUD_PARAMS_H

#include "base/buf.h"

typedef struct cloud_pod cloud_pod;

typedef struct cloud_params {
    ts_buf signature; /* scratch */
} cloud_params;

void cloud_params_close(cloud_pod *pod);

ts_code cloud_params_import(cloud_pod *pod);

#endif
