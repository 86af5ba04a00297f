/*
 * Numbers of a profile that Datakit shows beside its samples: what it calls metrics, by the names
 * and types that it has for each language. Types are fixed by name: a rate that happens to be whole
 * stays a float. Of what a source did not record there is none.
 *
 * Memory: 130 bytes a source, and 16 a kind of value.
 */
#ifndef TS_EXPORT_EXPORT_METRICS_H
#define TS_EXPORT_EXPORT_METRICS_H

#include "export/export_uploads.h"

typedef struct ts_metric {
    const char *name; /* "prof_jvm_cpu_cores" */
    bool is_int;
    int64_t i;
    double real; /* finite */
} ts_metric;

enum { TS_METRICS = 64 }; /* of one source at most */

typedef struct ts_metrics {
    ts_vec by_source; /* sums, of sources without a profile of their own */
    ts_vec profiles;  /* ts_profile_metric, profile by profile */
    ts_vec first;     /* size_t, by source_id: number of the first one + 1 */
    ts_vec count;     /* size_t */
    ts_ctx *ctx;
} ts_metrics;

/* Reads values, pauses and waiting for locks. Release with ts_metrics_free, also after an error. */
ts_code ts_metrics_load(ts_metrics *m, ts_ctx *ctx, ts_reader *reader, const ts_uploads *uploads);
void ts_metrics_free(ts_metrics *m, ts_ctx *ctx);

/* The metrics of an upload, by name bytewise; returns their number. derived: also those of a
 * profile that Datakit would have as 0 (analysis/profile_metrics). */
unsigned ts_metrics_of(ts_metric out[TS_METRICS], const ts_metrics *m, const ts_upload *up,
                       bool derived);

#endif
