/* What is added up of a profile, for its metrics. */
#ifndef TS_ANALYSIS_METRIC_SUMS_H
#define TS_ANALYSIS_METRIC_SUMS_H

#include "analysis/profile_metrics/profile_metrics.h"
#include "model/cells.h"
#include "tables/frame_names.h"
#include "tables/table_rows.h"
#include "base/pool.h"
#include "base/vec.h"

/* Times in ns. */
typedef enum metric_slot {
    /* values of samples, by what they stand for */
    SLOT_CPU,
    SLOT_WALL,
    SLOT_ALLOC_BYTES,
    SLOT_ALLOCS,
    SLOT_HEAP_BYTES,
    SLOT_HEAP_OBJECTS,
    SLOT_LOCKS,
    SLOT_LOCK_WAIT,
    SLOT_LOCK_HOLD,
    SLOT_EXCEPTIONS,
    SLOT_BLOCK,
    SLOT_MUTEX,
    SLOT_GOROUTINES,
    SLOT_FILE_READ,
    SLOT_FILE_WRITE,
    SLOT_SOCKET_READ,
    SLOT_SOCKET_WRITE,
    SLOT_VALUES, /* so many are of values */
    /* durations of samples, by the type of their event */
    SLOT_FILE_READ_TIME = SLOT_VALUES,
    SLOT_FILE_WRITE_TIME,
    SLOT_SOCKET_READ_TIME,
    SLOT_SOCKET_WRITE_TIME,
    SLOT_AGENT_CPU, /* of Datadog's samples */
    SLOT_SAMPLED_CPU,
    /* pauses and waits */
    SLOT_GC,
    SLOT_WAITS,
    SLOT_COUNT
} metric_slot;

typedef struct metric_sum {
    int64_t sum, most;
    uint64_t n;
    bool over; /* the sum does not fit */
} metric_sum;

/* Numbers of events. */
typedef enum metric_events {
    EVENTS_AGENT_ALLOC,
    EVENTS_AGENT_EXCEPTION,
    EVENTS_AGENT_LIVE,
    EVENTS_AGENT_DEADLOCK,
    EVENTS_CLASS_LOADS,
    EVENTS_THREAD_START,
    EVENTS_THROWS,
    EVENTS_COUNT
} metric_events;

/* Points of series. */
typedef enum metric_series {
    SERIES_COMPILATION,
    SERIES_SWITCH_RATE,
    SERIES_GC,
    SERIES_HEAP_USAGE,
    SERIES_DIRECT_ALLOC,
    SERIES_COUNT
} metric_series;

typedef struct metric_points {
    double sum, first;
    uint64_t n;
} metric_points;

typedef struct metric_profile {
    int64_t id, source_id;
    int64_t start, end, dur; /* ns, or TS_NO_TIME */
    ts_language language;
    bool recorded;     /* it has a JFR recording */
    bool agent;        /* a recording has types of events of Datadog's library */
    int64_t jvm_start; /* ns, or TS_NO_TIME */
    metric_sum sums[SLOT_COUNT];
    uint64_t events[EVENTS_COUNT];
    metric_points series[SERIES_COUNT];
    double agent_allocs; /* weights of Datadog's samples of allocations */
} metric_profile;

typedef struct metric_work {
    ts_ctx *ctx;
    ts_reader *reader;
    const int64_t *parents;
    size_t source_count;
    const ts_vec *lossy; /* int64_t: sources of which a part is lost */
    ts_vec owners;       /* uint32_t, by source: number of the profile + 1, or 0 */
    ts_vec profiles;     /* metric_profile */
    /* While rows are read: */
    ts_vec types;  /* metric_type, by kind of value, type of event, series: one after the other */
    bool weighed;  /* a type of samples whose weights are added up */
    bool timed;    /* and one whose durations are */
    bool pauses;   /* spans are these, else waits */
    ts_scan *scan; /* of samples */
    const ts_batch *b;
    unsigned at;
} metric_work;

/* Reads all that metrics are made of. */
ts_code metric_read(metric_work *m);
void metric_free(metric_work *m);

static inline metric_profile *metric_profile_at(const metric_work *m, size_t i)
{
    return (metric_profile *)m->profiles.p + i;
}

/* The metrics of a profile but those that the client recorded, in no order. */
enum { METRICS_MAX = 64 };
typedef struct metric_list {
    ts_profile_metric all[METRICS_MAX];
    size_t n;
} metric_list;
void metric_make(metric_list *list, const metric_profile *p);

/* A number of metrics.json ("go_cpu_cores"), when it is one of those that Datakit takes over. */
void metric_put_recorded(metric_list *list, ts_text name, double value, ts_text text);

/* Of Go: what follows from recorded numbers. */
void metric_complete(metric_list *list, const metric_profile *p);

#endif
