/*
 * Measured values: the series of timeseries, and the counters of OpenHarmony (measure and its like,
 * of which a filter is one, and cpu_usage, diskio, network and live_process, of which a column is
 * one), with what they are called. Their values are lanes (model/time_lanes.h): of any span the
 * number, least, greatest, mean, first and last.
 *
 * Tables of OpenHarmony have no source: theirs is the one that is in no other, if there is one.
 */
#ifndef TS_MODEL_MEASURED_H
#define TS_MODEL_MEASURED_H

#include "model/time_lanes.h"

typedef struct ts_series {
    ts_lane_kind kind;
    uint32_t lane; /* place in its lanes */
    int64_t id;    /* of timeseries, or of the filter; number of the column, from 1 */
    int64_t pid;   /* of live_process; 0 */
    ts_cell source, itid;
    ts_cell ipid;       /* of process_measure_filter */
    ts_text name, unit; /* p NULL: not recorded */
    ts_text owner;      /* "CPU 0", a process or a thread; p NULL: none */
} ts_series;

/* In the order of tables and ids; kept by the model. */
typedef struct ts_series_list {
    ts_vec all; /* of ts_series */
    ts_pool texts;
} ts_series_list;

ts_code ts_series_get(const ts_series_list **out, ts_model *m);

#endif
