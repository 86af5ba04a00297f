/*
 * A pod: one start of a Java service under the agent. Its streams come from a directory, from flat
 * files or out of a TCP conversation, and are imported in the order in which they refer to each
 * other: dictionary, params, suspend, sql and xml, trace, calls. Facts: docs/formats.md, "Cloud
 * Profiler".
 *
 * cloud_pod_import owns the pod. Each part of it (dictionaries.h, trace.h, ...) owns its struct in
 * it and is the only one that touches the fields there; the fields of the pod itself are set by
 * pod.c and read by all.
 */
#ifndef TS_PARSERS_CLOUD_POD_H
#define TS_PARSERS_CLOUD_POD_H

#include "base/ckd.h"
#include "parsers/cloud/amounts.h"
#include "parsers/cloud/calls.h"
#include "parsers/cloud/params.h"
#include "parsers/cloud/paths.h"
#include "parsers/cloud/roots.h"
#include "parsers/cloud/pod_stream.h"
#include "parsers/cloud/suspend.h"
#include "parsers/cloud/texts.h"
#include "parsers/cloud/threads.h"
#include "parsers/cloud/trace.h"
#include "parsers/cloud/dictionaries.h"
#include "parsers/format.h"

struct cloud_pod {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    int64_t source_id;
    int64_t ipid;
    ts_tally *counts[CLOUD_ITEMS];
    ts_span wanted;
    int64_t first_ms; /* of what was imported */
    int64_t last_ms;
    bool agent;  /* the files are those of the agent itself: not framed */
    ts_buf text; /* scratch of the stream that is imported */

    cloud_stream stream;
    cloud_words words;
    cloud_params params;
    cloud_suspend suspend;
    cloud_texts texts;
    cloud_trace trace;
    cloud_threads threads;
    cloud_paths paths;
    cloud_roots roots;
    cloud_amounts amounts;
    cloud_calls calls;
};

#define CLOUD_NS_PER_MS INT64_C(1000000)

/* Do these ms fit 64 bits as ns? */
static inline bool cloud_fits(int64_t ms)
{
    return ms >= INT64_MIN / CLOUD_NS_PER_MS && ms <= INT64_MAX / CLOUD_NS_PER_MS;
}

/* For ms that fit. */
static inline int64_t cloud_ns(int64_t ms)
{
    return ts_sat_mul(ms, CLOUD_NS_PER_MS);
}

static inline void cloud_note_time(cloud_pod *pod, int64_t ms)
{
    pod->first_ms = ms < pod->first_ms ? ms : pod->first_ms;
    pod->last_ms = ms > pod->last_ms ? ms : pod->last_ms;
}

static inline bool cloud_wanted(const cloud_pod *pod, int64_t ms)
{
    return ts_span_has(&pod->wanted, cloud_ns(ms));
}

/* Is this a time that a recording may have: 2000-01-01 to 2100-01-01, in ms? */
static inline bool cloud_plausible_ms(uint64_t ms)
{
    return ms >= UINT64_C(946684800000) && ms < UINT64_C(4102444800000);
}

static inline void cloud_count(cloud_pod *pod, cloud_item item)
{
    pod->counts[item]->seen++;
    pod->counts[item]->imported++;
}

static inline void cloud_count_skipped(cloud_pod *pod, cloud_item item)
{
    pod->counts[item]->seen++;
    pod->counts[item]->skipped++;
}

static inline void cloud_count_lost(cloud_pod *pod, cloud_item item)
{
    pod->counts[item]->seen++;
    pod->counts[item]->lost++;
}

/* Imports the files of one pod, which are sorted here. The source's row is there already. */
ts_code cloud_pod_import(ts_job *job, int64_t source_id, cloud_file *files, size_t n, bool agent);

/* Imports the stream of the file that was opened, by its kind. */
ts_code cloud_pod_read_stream(cloud_pod *pod);

/* The row of a pod: that of the job for the first one (cloud_format.c). */
ts_code cloud_source(int64_t *id, ts_job *job, bool first);

/* Names the pod. The name may contain when the agent began. */
ts_code cloud_source_name(ts_job *job, int64_t id, const char *p, size_t n);

#endif
