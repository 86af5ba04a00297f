/*
 * Samples of a profile and their times: kept until its end, written in time order. Owned by
 * profile_samples.c; profile_read.c adds to the lists. Docs: docs/formats.md, "CPU profiles".
 */
#ifndef TS_PARSERS_ARKTS_PROFILE_SAMPLES_H
#define TS_PARSERS_ARKTS_PROFILE_SAMPLES_H

#include "base/ckd.h"
#include "base/intvec.h"
#include "parsers/arkts/profile/profile.h"

typedef struct profile_samples {
    ts_intvec ids;    /* of their nodes */
    ts_intvec deltas; /* µs; when they are sorted: times since startTime */
    uint64_t deltas_bad;
    int64_t latest; /* time of the sample before, of those that have times */
    bool negative;
    bool unmatched; /* samples and deltas do not belong to each other one by one */
    bool end_early; /* endTime lies before the last sample */
    int64_t place;  /* ns, added to times in js_cpu_profiler_sample */
    int64_t extent; /* ns, how far they go, when times are relative */
} profile_samples;

/* Where times go: base + µs, in ns of the clock that the rows are in. */
typedef struct profile_clock {
    ts_clock clock;
    int64_t base_us;   /* added to a time relative to startTime */
    int64_t offset_ns; /* added after the multiplication */
    bool unknown;      /* there is no time to begin with */
    uint64_t over;     /* times that do not fit */
    ts_span wanted;    /* of the samples' times, by --time-range */
    uint64_t skipped;  /* samples outside of it */
} profile_clock;

void profile_samples_free(ts_ctx *ctx, profile_samples *samples);

/* Adds a delta in µs; TS_NO_TIME for one that is no number. */
static inline ts_code profile_add_delta(ts_ctx *ctx, profile_samples *samples, int64_t delta)
{
    samples->negative = samples->negative || (delta < 0 && delta != TS_NO_TIME);
    return ts_intvec_push(ctx, &samples->deltas, delta);
}

/* Adds as many as there are. */
ts_code profile_add_deltas(ts_ctx *ctx, profile_samples *samples, const int64_t *deltas, size_t n);

/* Adds times in µs since whatever: the first delta is the first time. */
ts_code profile_add_times(ts_ctx *ctx, profile_samples *samples, const int64_t *times, size_t n);

/* All was read. An old profile's times become those of today's. */
ts_code profile_date(ts_profile *p);

/* A time since startTime in ns of the clock; TS_NO_TIME when relative_us is, or when it does not
 * fit. */
int64_t profile_time(profile_clock *clock, int64_t relative_us);

/* All samples are there: writes their rows. itid: the thread, or -1. */
ts_code profile_put_samples(ts_profile *p, profile_clock *clock, int64_t itid);

#endif
