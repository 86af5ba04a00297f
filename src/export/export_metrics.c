#include "export/export_parts.h"

#include "analysis/profile_metrics/profile_metrics.h"
#include "base/alloc.h"

/* What is added up of a source. A sum that does not fit, or that nothing was recorded of, has no
 * metric. */
typedef enum metric_sum {
    SUM_CPU,  /* ns */
    SUM_WALL, /* ns */
    SUM_ALLOC_BYTES,
    SUM_ALLOCS,
    SUM_HEAP_BYTES,
    SUM_HEAP_OBJECTS,
    SUM_LOCKS,
    SUM_LOCK_WAIT, /* ns */
    SUM_LOCK_HOLD, /* ns */
    SUM_EXCEPTIONS,
    SUM_BLOCK, /* ns */
    SUM_MUTEX, /* ns */
    SUM_GOROUTINES,
    SUM_GC_TIME, /* ns */
    SUM_GC_COUNT,
    SUM_GC_MAX,    /* ns */
    SUM_WAITS,     /* of threads that were blocked by locks */
    SUM_WAITS_MAX, /* ns */
    SUM_NONE
} metric_sum;

typedef struct metric_sums {
    int64_t v[SUM_NONE];
    bool has[SUM_NONE], over[SUM_NONE];
} metric_sums;

/* The events that values describe (tables/profile_kinds.h). */
static const struct {
    const char *event;
    metric_sum sum;
} metric_values[] = {
    {"cpu-time", SUM_CPU},
    {"wall-time", SUM_WALL},
    {"alloc-space", SUM_ALLOC_BYTES},
    {"alloc-samples", SUM_ALLOCS},
    {"heap-space", SUM_HEAP_BYTES},
    {"heap-live-objects", SUM_HEAP_OBJECTS},
    {"lock-acquire", SUM_LOCKS},
    {"lock-acquire-wait", SUM_LOCK_WAIT},
    {"lock-release-hold", SUM_LOCK_HOLD},
    {"exception-samples", SUM_EXCEPTIONS},
    {"block", SUM_BLOCK},
    {"mutex", SUM_MUTEX},
    {"goroutines", SUM_GOROUTINES},
};

/* How a metric is made of a sum: as it is, by the nanoseconds of the profile, by its seconds, or of
 * a total and the number of its parts. */
typedef enum metric_way { WAY_INT, WAY_FLOAT, WAY_PER_NS, WAY_PER_SECOND, WAY_MEAN } metric_way;

static const struct {
    const char *language, *name;
    metric_sum sum;
    metric_way way;
} metric_list[] = {
    /* By name bytewise within a language. */
    {"golang", "prof_go_blocked_time", SUM_BLOCK, WAY_INT},
    {"golang", "prof_go_cpu_cores", SUM_CPU, WAY_PER_NS},
    {"golang", "prof_go_lifetime_heap_bytes", SUM_HEAP_BYTES, WAY_INT},
    {"golang", "prof_go_lifetime_heap_objects", SUM_HEAP_OBJECTS, WAY_INT},
    {"golang", "prof_go_mutex_delay_time", SUM_MUTEX, WAY_INT},
    {"golang", "prof_go_num_goroutine", SUM_GOROUTINES, WAY_INT},
    {"java", "prof_jvm_alloc_bytes_per_sec", SUM_ALLOC_BYTES, WAY_PER_SECOND},
    {"java", "prof_jvm_alloc_bytes_total", SUM_ALLOC_BYTES, WAY_FLOAT},
    {"java", "prof_jvm_allocs_per_sec", SUM_ALLOCS, WAY_PER_SECOND},
    {"java", "prof_jvm_avg_gc_pause_time", SUM_GC_TIME, WAY_MEAN},
    {"java", "prof_jvm_cpu_cores", SUM_CPU, WAY_PER_NS},
    {"java", "prof_jvm_gc_pause_time", SUM_GC_TIME, WAY_INT},
    {"java", "prof_jvm_gc_pauses_per_sec", SUM_GC_COUNT, WAY_PER_SECOND},
    {"java", "prof_jvm_locks_max_wait_time", SUM_WAITS_MAX, WAY_FLOAT},
    {"java", "prof_jvm_locks_per_sec", SUM_WAITS, WAY_PER_SECOND},
    {"java", "prof_jvm_max_gc_pause_time", SUM_GC_MAX, WAY_INT},
    {"python", "prof_python_alloc_bytes_per_sec", SUM_ALLOC_BYTES, WAY_PER_SECOND},
    {"python", "prof_python_alloc_bytes_total", SUM_ALLOC_BYTES, WAY_INT},
    {"python", "prof_python_allocs_per_sec", SUM_ALLOCS, WAY_PER_SECOND},
    {"python", "prof_python_cpu_cores", SUM_CPU, WAY_PER_NS},
    {"python", "prof_python_exceptions_per_sec", SUM_EXCEPTIONS, WAY_PER_SECOND},
    {"python", "prof_python_exceptions_total", SUM_EXCEPTIONS, WAY_INT},
    {"python", "prof_python_lifetime_heap_bytes", SUM_HEAP_BYTES, WAY_INT},
    {"python", "prof_python_lock_acquisition_time", SUM_LOCK_WAIT, WAY_INT},
    {"python", "prof_python_lock_acquisitions_per_sec", SUM_LOCKS, WAY_PER_SECOND},
    {"python", "prof_python_lock_hold_time", SUM_LOCK_HOLD, WAY_INT},
    {"python", "prof_python_wall_time", SUM_WALL, WAY_INT},
};

/* --- sums ------------------------------------------------------------------------------------- */

static ts_code metric_source(metric_sums **out, ts_metrics *m, ts_ctx *ctx, int64_t source_id)
{
    ts_code code = ts_vec_reach(ctx, &m->by_source, source_id, sizeof **out);
    *out = code == TS_OK ? &((metric_sums *)m->by_source.p)[source_id] : NULL;
    return code;
}

static void metric_add(metric_sums *sums, metric_sum sum, int64_t v)
{
    sums->has[sum] = true;
    sums->over[sum] = sums->over[sum] || ts_ckd_add(&sums->v[sum], sums->v[sum], v);
}

static void metric_most(metric_sums *sums, metric_sum sum, int64_t v)
{
    sums->v[sum] = !sums->has[sum] || v > sums->v[sum] ? v : sums->v[sum];
    sums->has[sum] = true;
}

static metric_sum metric_of_event(ts_text event)
{
    for (size_t k = 0; k < sizeof metric_values / sizeof metric_values[0]; k++) {
        if (ts_text_is(event, metric_values[k].event)) {
            return metric_values[k].sum;
        }
    }
    return SUM_NONE;
}

static ts_code metric_read_values(ts_metrics *m, ts_ctx *ctx, ts_reader *reader,
                                  const ts_uploads *uploads)
{
    static const unsigned columns[] = {TS_C_stack_sample_value__value_type_id,
                                       TS_C_stack_sample_value__value};
    ts_walk rows = ts_walk_of(ts_rows_of(reader), TS_T_stack_sample_value, columns, 2);
    metric_sum *of = ts_alloc(ctx, uploads->types.n, sizeof *of);
    metric_sums *sums;
    ts_code code = of == NULL ? ctx->error.code : TS_OK;
    for (size_t i = 0; code == TS_OK && i < uploads->types.n; i++) {
        uint32_t event = ts_uploads_type(uploads, (int64_t)i)->event;
        of[i] = metric_of_event(ts_pool_text(&uploads->texts, event));
    }
    while (uploads->types.n > 0 && ts_walk_next(&code, &rows)) {
        int64_t id = ts_walk_int(&rows, 0);
        const ts_upload_type *type = ts_uploads_type(uploads, id);
        if (type == NULL || of[id] == SUM_NONE) {
            continue;
        }
        code = metric_source(&sums, m, ctx, type->source_id);
        if (code == TS_OK) {
            metric_add(sums, of[id], ts_walk_int(&rows, 1));
        }
    }
    ts_free(ctx, of);
    return code;
}

/* Pauses of the collector, or waiting for a lock that another thread held. */
static ts_code metric_read_spans(ts_metrics *m, ts_ctx *ctx, ts_reader *reader, bool pauses)
{
    static const unsigned columns[2][3] = {
        {TS_C_lock_wait__source_id, TS_C_lock_wait__kind, TS_C_lock_wait__dur},
        {TS_C_runtime_pause__source_id, TS_C_runtime_pause__kind, TS_C_runtime_pause__dur}};
    metric_sums *sums;
    ts_walk rows = ts_walk_of(ts_rows_of(reader), pauses ? TS_T_runtime_pause : TS_T_lock_wait,
                              columns[pauses ? 1 : 0], 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        int64_t dur = ts_walk_int(&rows, 2);
        if (!ts_text_is(ts_walk_text(&rows, 1), pauses ? "gc" : "contended") ||
            ts_walk_null(&rows, 2)) {
            continue;
        }
        code = metric_source(&sums, m, ctx, ts_walk_int(&rows, 0));
        if (code == TS_OK && pauses) {
            metric_add(sums, SUM_GC_TIME, dur);
            metric_add(sums, SUM_GC_COUNT, 1);
            metric_most(sums, SUM_GC_MAX, dur);
        } else if (code == TS_OK) {
            metric_add(sums, SUM_WAITS, 1);
            metric_most(sums, SUM_WAITS_MAX, dur);
        }
    }
    return code;
}

static ts_code metric_keep(void *user, int64_t profile_id, int64_t source_id,
                           const ts_profile_metric *metric)
{
    ts_metrics *m = user;
    ts_profile_metric *next;
    ts_code code = ts_vec_reach(m->ctx, &m->first, source_id, sizeof(size_t));
    (void)profile_id;
    TS_STEP(code, ts_vec_reach(m->ctx, &m->count, source_id, sizeof(size_t)));
    TS_NEED(m->ctx, next = code == TS_OK ? ts_vec_add(m->ctx, &m->profiles, sizeof *next) : NULL);
    *next = *metric;
    if (((size_t *)m->count.p)[source_id]++ == 0) {
        ((size_t *)m->first.p)[source_id] = m->profiles.n - 1;
    }
    return TS_OK;
}

ts_code ts_metrics_load(ts_metrics *m, ts_ctx *ctx, ts_reader *reader, const ts_uploads *uploads)
{
    *m = (ts_metrics){.ctx = ctx};
    ts_code code = ts_profile_metrics_read(ctx, reader, uploads->parents.p, uploads->parents.n,
                                           &uploads->lossy, metric_keep, m);
    TS_STEP(code, metric_read_values(m, ctx, reader, uploads));
    TS_STEP(code, metric_read_spans(m, ctx, reader, true));
    TS_STEP(code, metric_read_spans(m, ctx, reader, false));
    return code;
}

void ts_metrics_free(ts_metrics *m, ts_ctx *ctx)
{
    ts_vec_free(ctx, &m->by_source);
    ts_vec_free(ctx, &m->profiles);
    ts_vec_free(ctx, &m->first);
    ts_vec_free(ctx, &m->count);
}

/* --- metrics ---------------------------------------------------------------------------------- */

/* False when a rate is asked for of a profile that has no length. */
static bool metric_make(ts_metric *out, const metric_sums *sums, metric_sum sum, metric_way way,
                        int64_t dur)
{
    double v = (double)sums->v[sum];
    out->is_int = way == WAY_INT;
    out->i = sums->v[sum];
    out->real = v;
    switch (way) {
    case WAY_PER_NS:
        out->real = v / (double)dur;
        return dur > 0;
    case WAY_PER_SECOND:
        out->real = v / ((double)dur / 1e9);
        return dur > 0;
    case WAY_MEAN:
        out->real = v / (double)sums->v[SUM_GC_COUNT];
        return sums->v[SUM_GC_COUNT] > 0;
    case WAY_INT:
    case WAY_FLOAT:
        break;
    }
    return true;
}

/* Those of a row of profile. */
static unsigned metric_of_profile(ts_metric out[TS_METRICS], const ts_metrics *m, int64_t source_id,
                                  bool derived)
{
    unsigned n = 0;
    if ((uint64_t)source_id >= m->first.n || (uint64_t)source_id >= m->count.n) {
        return 0;
    }
    const ts_profile_metric *all =
        (const ts_profile_metric *)m->profiles.p + ((const size_t *)m->first.p)[source_id];
    size_t count = ((const size_t *)m->count.p)[source_id];
    for (size_t i = 0; i < count && n < TS_METRICS; i++) {
        if (derived || all[i].from != TS_METRIC_DERIVED) {
            out[n++] = (ts_metric){all[i].name, all[i].is_int, all[i].i, all[i].real};
        }
    }
    return n;
}

unsigned ts_metrics_of(ts_metric out[TS_METRICS], const ts_metrics *m, const ts_upload *up,
                       bool derived)
{
    unsigned n = 0;
    if (up->profile) {
        return metric_of_profile(out, m, up->source_id, derived);
    }
    if (up->source_id < 0 || (uint64_t)up->source_id >= m->by_source.n) {
        return 0;
    }
    const metric_sums *sums = &((const metric_sums *)m->by_source.p)[up->source_id];
    for (size_t i = 0; i < sizeof metric_list / sizeof metric_list[0] && n < TS_METRICS; i++) {
        metric_sum sum = metric_list[i].sum;
        if (ts_text_is(up->texts[TS_UP_LANGUAGE], metric_list[i].language) && sums->has[sum] &&
            !sums->over[sum] && metric_make(&out[n], sums, sum, metric_list[i].way, up->dur)) {
            out[n++].name = metric_list[i].name;
        }
    }
    return n;
}
