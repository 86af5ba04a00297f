#include "export/export_metrics.h"

#include "analysis/profile_metrics/profile_metrics.h"
#include "tables/profile_kinds.h"
#include "model/cells.h"

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

/* The events that values stand for (tables/profile_kinds.h). */
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

/* A kind of value: its source, and what its values are added to. */
typedef struct metric_type {
    int64_t source_id;
    metric_sum sum;
} metric_type;

static metric_sum metric_of_event(ts_text event)
{
    for (size_t k = 0; k < sizeof metric_values / sizeof metric_values[0]; k++) {
        if (ts_text_is(event, metric_values[k].event)) {
            return metric_values[k].sum;
        }
    }
    return SUM_NONE;
}

static ts_code metric_add_type(ts_vec *types, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    size_t before = types->n;
    ts_code code = ts_vec_reach(ctx, types, b->rowids[i], sizeof(metric_type));
    metric_type *all = types->p;
    for (size_t k = before; k < types->n && code == TS_OK; k++) {
        all[k] = (metric_type){0, SUM_NONE};
    }
    if (code == TS_OK) {
        all[b->rowids[i]] =
            (metric_type){b->columns[0].ints[i],
                          metric_of_event(ts_value_event(ts_cell_text(b, 1, i), TS_TEXT_NULL))};
    }
    return code;
}

/* A profile says itself what its values stand for. */
static ts_code metric_read_events(ts_vec *types, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_profile_value_type__value_type_id,
                                       TS_C_profile_value_type__event_type};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, TS_T_profile_value_type, columns, 2);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            int64_t id = b->columns[0].ints[i];
            if (id >= 0 && (uint64_t)id < types->n) {
                ((metric_type *)types->p)[id].sum = metric_of_event(ts_cell_text(b, 1, i));
            }
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code metric_read_types(ts_vec *types, ts_ctx *ctx, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_stack_value_type__source_id,
                                       TS_C_stack_value_type__name};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, TS_T_stack_value_type, columns, 2);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = metric_add_type(types, ctx, b, i);
        }
    }
    ts_scan_close(scan);
    TS_STEP(code, metric_read_events(types, reader));
    return code;
}

static ts_code metric_read_values(ts_metrics *m, ts_ctx *ctx, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_stack_sample_value__value_type_id,
                                       TS_C_stack_sample_value__value};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_vec types = {0};
    metric_sums *sums;
    ts_code code = metric_read_types(&types, ctx, reader);
    TS_STEP_IF(code, types.n > 0, ts_scan_open(&scan, reader, TS_T_stack_sample_value, columns, 2));
    while (code == TS_OK && scan != NULL && (code = ts_scan_next(&b, scan)) == TS_OK &&
           b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t id = b->columns[0].ints[i];
            const metric_type *all = types.p;
            if (id < 0 || (uint64_t)id >= types.n || all[id].sum == SUM_NONE) {
                continue;
            }
            code = metric_source(&sums, m, ctx, all[id].source_id);
            if (code == TS_OK) {
                metric_add(sums, all[id].sum, b->columns[1].ints[i]);
            }
        }
    }
    ts_scan_close(scan);
    ts_vec_free(ctx, &types);
    return code;
}

/* Pauses of the collector, or waiting for a lock that another thread held. */
static ts_code metric_read_spans(ts_metrics *m, ts_ctx *ctx, ts_reader *reader, bool pauses)
{
    static const unsigned columns[2][3] = {
        {TS_C_lock_wait__source_id, TS_C_lock_wait__kind, TS_C_lock_wait__dur},
        {TS_C_runtime_pause__source_id, TS_C_runtime_pause__kind, TS_C_runtime_pause__dur}};
    const ts_batch *b;
    ts_scan *scan = NULL;
    metric_sums *sums;
    ts_code code = ts_scan_open(&scan, reader, pauses ? TS_T_runtime_pause : TS_T_lock_wait,
                                columns[pauses ? 1 : 0], 3);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t dur = b->columns[2].ints[i];
            if (!ts_text_is(ts_cell_text(b, 1, i), pauses ? "gc" : "contended") ||
                b->columns[2].null[i] != 0) {
                continue;
            }
            code = metric_source(&sums, m, ctx, b->columns[0].ints[i]);
            if (code == TS_OK && pauses) {
                metric_add(sums, SUM_GC_TIME, dur);
                metric_add(sums, SUM_GC_COUNT, 1);
                metric_most(sums, SUM_GC_MAX, dur);
            } else if (code == TS_OK) {
                metric_add(sums, SUM_WAITS, 1);
                metric_most(sums, SUM_WAITS_MAX, dur);
            }
        }
    }
    ts_scan_close(scan);
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
    TS_STEP(code, metric_read_values(m, ctx, reader));
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
