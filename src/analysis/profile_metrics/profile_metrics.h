/*
 * Numbers of a profile that Datakit shows beside its samples: what it calls metrics, by the names
 * and types that it has for Java, Go and Python. Those that a client has computed (metrics.json)
 * count; others are made of samples, events, series and pauses. Types are fixed by name: a rate
 * that happens to be whole stays a float.
 *
 * Memory: 1 KiB a profile, 16 bytes a source, a kind of value, a type of JFR's events and a series.
 */
#ifndef TS_ANALYSIS_PROFILE_METRICS_H
#define TS_ANALYSIS_PROFILE_METRICS_H

#include "analysis/analysis.h"
#include "base/vec.h"

/* Where a metric comes from: the client said so; Datakit would compute it so; Datakit would give 0,
 * because the recorder lacks the events that it adds up, and others say more. */
typedef enum ts_metric_from {
    TS_METRIC_RECORDED,
    TS_METRIC_DATAKIT,
    TS_METRIC_DERIVED
} ts_metric_from;

typedef struct ts_profile_metric {
    const char *name; /* "prof_jvm_cpu_cores" */
    bool is_int;
    int64_t i;
    double real; /* finite */
    ts_metric_from from;
} ts_profile_metric;

/* A metric of the profile whose row is that of the source. Profiles come in the order of their ids,
 * metrics by name bytewise. */
typedef ts_code (*ts_profile_metric_call)(void *user, int64_t profile_id, int64_t source_id,
                                          const ts_profile_metric *metric);

/*
 * All metrics of all rows of profile. parents: of each source by its id (n of them; 0 or beyond its
 * own id: none), since a file of an upload is below the source that has the row. lossy: the ids of
 * sources that are not complete (int64_t): their profiles have no rates. Errors: memory, reading,
 * and those of `call`.
 */
ts_code ts_profile_metrics_read(ts_ctx *ctx, ts_reader *reader, const int64_t *parents, size_t n,
                                const ts_vec *lossy, ts_profile_metric_call call, void *user);

#endif
