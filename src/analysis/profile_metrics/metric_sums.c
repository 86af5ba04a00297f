/* Reads what the metrics of profiles are made of. */
#include "analysis/profile_metrics/metric_sums.h"

#include "base/ckd.h"

#include <stdlib.h>

static const int64_t jvm_start_min =
    INT64_C(1577836800000); /* 2020-01-01 in ms: before that clocks were not set */

/* Grows an array of elements by id; ids come from a file. NULL in *out: this one is none. */
static ts_code metric_reach(void **out, metric_work *m, ts_vec *v, int64_t id, size_t size)
{
    enum { MOST = 1 << 28 };
    *out = NULL;
    if (id < 0 || id >= MOST) {
        return TS_OK;
    }
    while (v->n <= (uint64_t)id) {
        TS_NEED(m->ctx, ts_vec_add(m->ctx, v, size));
    }
    *out = (char *)v->p + (size_t)id * size;
    return TS_OK;
}

static void *metric_at(const ts_vec *v, int64_t id, size_t size)
{
    return id < 0 || (uint64_t)id >= v->n ? NULL : (char *)v->p + (size_t)id * size;
}

static void metric_add(metric_sum *sum, int64_t v)
{
    sum->most = sum->n == 0 || v > sum->most ? v : sum->most;
    sum->over = sum->over || ts_ckd_add(&sum->sum, sum->sum, v);
    sum->n++;
}

/* --- profiles and their sources -------------------------------------------------------------- */

static ts_code metric_read_profile(metric_work *m, const ts_batch *b, unsigned i)
{
    metric_profile *p = ts_vec_add(m->ctx, &m->profiles, sizeof *p);
    void *owner;
    ts_code code;
    TS_NEED(m->ctx, p);
    *p = (metric_profile){
        .id = b->rowids[i],
        .source_id = b->columns[0].ints[i],
        .language = ts_language_of(ts_cell_text(b, 1, i)),
        .start = ts_cell_or(b, 2, i, TS_NO_TIME),
        .end = ts_cell_or(b, 3, i, TS_NO_TIME),
        .dur = ts_cell_or(b, 4, i, TS_NO_TIME),
        .jvm_start = TS_NO_TIME,
    };
    if (p->dur == TS_NO_TIME && p->start != TS_NO_TIME && p->end >= p->start) {
        p->dur = ts_sat_sub(p->end, p->start);
    }
    code = metric_reach(&owner, m, &m->owners, p->source_id, sizeof(uint32_t));
    if (code == TS_OK && owner != NULL && *(uint32_t *)owner == 0) {
        *(uint32_t *)owner = (uint32_t)m->profiles.n;
    }
    return code;
}

/* Parents are before their children. */
static ts_code metric_find_owners(metric_work *m)
{
    void *owner;
    ts_code code =
        m->source_count == 0
            ? TS_OK
            : metric_reach(&owner, m, &m->owners, (int64_t)m->source_count - 1, sizeof(uint32_t));
    uint32_t *owners = m->owners.p;
    for (size_t id = 1; id < m->source_count && id < m->owners.n && code == TS_OK; id++) {
        int64_t parent = m->parents[id];
        if (owners[id] == 0 && parent > 0 && (uint64_t)parent < id) {
            owners[id] = owners[parent];
        }
    }
    return code;
}

/* The profile of a source, or NULL. */
static metric_profile *metric_owner(const metric_work *m, int64_t source_id)
{
    const uint32_t *owner = metric_at(&m->owners, source_id, sizeof *owner);
    return owner == NULL || *owner == 0 ? NULL : metric_profile_at(m, *owner - 1);
}

/* Over a time of which a part is lost there are no rates. */
static void metric_mark_lossy(metric_work *m)
{
    for (size_t i = 0; i < m->lossy->n; i++) {
        metric_profile *p = metric_owner(m, ((const int64_t *)m->lossy->p)[i]);
        if (p != NULL) {
            p->dur = TS_NO_TIME;
        }
    }
}

/* --- values of samples ----------------------------------------------------------------------- */

/* By the events that values describe (tables/profile_kinds.h). */
static const char *const value_events[SLOT_VALUES] = {
    [SLOT_CPU] = "cpu-time",
    [SLOT_WALL] = "wall-time",
    [SLOT_ALLOC_BYTES] = "alloc-space",
    [SLOT_ALLOCS] = "alloc-samples",
    [SLOT_HEAP_BYTES] = "heap-space",
    [SLOT_HEAP_OBJECTS] = "heap-live-objects",
    [SLOT_LOCKS] = "lock-acquire",
    [SLOT_LOCK_WAIT] = "lock-acquire-wait",
    [SLOT_LOCK_HOLD] = "lock-release-hold",
    [SLOT_EXCEPTIONS] = "exception-samples",
    [SLOT_BLOCK] = "block",
    [SLOT_MUTEX] = "mutex",
    [SLOT_GOROUTINES] = "goroutines",
    [SLOT_FILE_READ] = "file-read-bytes",
    [SLOT_FILE_WRITE] = "file-write-bytes",
    [SLOT_SOCKET_READ] = "socket-read-bytes",
    [SLOT_SOCKET_WRITE] = "socket-write-bytes",
};

/* A kind of value: what it is added to. */
typedef struct metric_type {
    uint32_t profile; /* number + 1 */
    uint32_t slot;    /* + 1 */
} metric_type;

static ts_code metric_read_type(metric_work *m, const ts_batch *b, unsigned i)
{
    int64_t profile_id = b->columns[1].ints[i];
    void *out;
    metric_type *type;
    ts_code code = metric_reach(&out, m, &m->types, b->columns[0].ints[i], sizeof *type);
    if (code != TS_OK || out == NULL) {
        return code;
    }
    type = out;
    for (uint32_t s = 0; s < SLOT_VALUES; s++) {
        if (ts_text_is(ts_cell_text(b, 2, i), value_events[s])) {
            type->slot = s + 1;
        }
    }
    /* Ids of profiles are dense. */
    if (profile_id > 0 && (uint64_t)profile_id <= m->profiles.n) {
        type->profile = (uint32_t)profile_id;
    }
    return TS_OK;
}

static ts_code metric_read_value(metric_work *m, const ts_batch *b, unsigned i)
{
    const metric_type *type = metric_at(&m->types, b->columns[0].ints[i], sizeof *type);
    if (type != NULL && type->slot > 0 && type->profile > 0 && b->columns[1].null[i] == 0) {
        metric_add(&metric_profile_at(m, type->profile - 1)->sums[type->slot - 1],
                   b->columns[1].ints[i]);
    }
    return TS_OK;
}

/* --- events of JFR --------------------------------------------------------------------------- */

/* A type of events: of which profile, and what its samples' durations are added to. */
typedef struct metric_event_type {
    uint32_t profile; /* number + 1 */
    uint32_t slot;    /* + 1 */
    bool alloc;       /* its weights are numbers of allocations */
    bool agent_cpu;
} metric_event_type;

static const struct {
    const char *name;
    metric_events events;
} counted_types[] = {
    {"datadog.ObjectSample", EVENTS_AGENT_ALLOC},
    {"datadog.ExceptionSample", EVENTS_AGENT_EXCEPTION},
    {"datadog.HeapLiveObject", EVENTS_AGENT_LIVE},
    {"datadog.DeadlockedThread", EVENTS_AGENT_DEADLOCK},
    {"jdk.ClassLoaderStatistics", EVENTS_CLASS_LOADS},
    {"jdk.ThreadStart", EVENTS_THREAD_START},
    {"jdk.JavaExceptionThrow", EVENTS_THROWS},
    {"jdk.JavaErrorThrow", EVENTS_THROWS},
};

static const struct {
    const char *name;
    metric_slot slot;
} timed_types[] = {
    {"jdk.FileRead", SLOT_FILE_READ_TIME},       {"jdk.FileWrite", SLOT_FILE_WRITE_TIME},
    {"jdk.SocketRead", SLOT_SOCKET_READ_TIME},   {"jdk.SocketWrite", SLOT_SOCKET_WRITE_TIME},
    {"datadog.ExecutionSample", SLOT_AGENT_CPU}, {"jdk.ExecutionSample", SLOT_SAMPLED_CPU},
    {"jdk.CPUTimeSample", SLOT_SAMPLED_CPU},
};

static ts_code metric_read_event_type(metric_work *m, const ts_batch *b, unsigned i)
{
    metric_profile *p = metric_owner(m, b->columns[0].ints[i]);
    ts_text name = ts_cell_text(b, 1, i);
    int64_t count = b->columns[2].ints[i] - b->columns[3].ints[i];
    metric_event_type *type;
    void *out;
    ts_code code = p == NULL ? TS_OK : metric_reach(&out, m, &m->types, b->rowids[i], sizeof *type);
    if (p == NULL || code != TS_OK || out == NULL) {
        return code;
    }
    type = out;
    type->profile = (uint32_t)(p - metric_profile_at(m, 0)) + 1;
    type->alloc = ts_text_is(name, "datadog.ObjectSample");
    p->recorded = true;
    p->agent = p->agent || (name.n > 8 && memcmp(name.p, "datadog.", 8) == 0);
    for (size_t k = 0; k < sizeof counted_types / sizeof counted_types[0]; k++) {
        if (ts_text_is(name, counted_types[k].name) && count > 0) {
            p->events[counted_types[k].events] += (uint64_t)count;
        }
    }
    for (size_t k = 0; k < sizeof timed_types / sizeof timed_types[0]; k++) {
        if (ts_text_is(name, timed_types[k].name)) {
            type->slot = (uint32_t)timed_types[k].slot + 1;
        }
    }
    m->weighed = m->weighed || type->alloc;
    m->timed = m->timed || type->slot > 0;
    return TS_OK;
}

/* The duration of a sample, or TS_NO_TIME. Both tables are in the order of the samples. */
static ts_code metric_duration(int64_t *dur, metric_work *m, int64_t id)
{
    ts_code code = TS_OK;
    *dur = TS_NO_TIME;
    while (code == TS_OK) {
        while (m->b != NULL && m->at < m->b->rows && m->b->rowids[m->at] < id) {
            m->at++;
        }
        if (m->b != NULL && (m->b->rows == 0 || m->at < m->b->rows)) {
            break;
        }
        m->at = 0;
        code = ts_scan_next(&m->b, m->scan);
    }
    if (code == TS_OK && m->at < m->b->rows && m->b->rowids[m->at] == id) {
        *dur = ts_cell_or(m->b, 0, m->at, TS_NO_TIME);
    }
    return code;
}

static ts_code metric_read_sample(metric_work *m, const ts_batch *b, unsigned i)
{
    const metric_event_type *type = metric_at(&m->types, b->columns[1].ints[i], sizeof *type);
    metric_profile *p;
    int64_t dur;
    ts_code code = TS_OK;
    if (type == NULL || type->profile == 0) {
        return TS_OK;
    }
    p = metric_profile_at(m, type->profile - 1);
    p->agent_allocs += type->alloc && b->columns[2].null[i] == 0 ? b->columns[2].reals[i] : 0;
    if (type->slot > 0) {
        code = metric_duration(&dur, m, b->columns[0].ints[i]);
        if (code == TS_OK && dur != TS_NO_TIME) {
            metric_add(&p->sums[type->slot - 1], dur);
        }
    }
    return code;
}

/* --- series, pauses, facts ------------------------------------------------------------------- */

typedef struct metric_series_of {
    uint32_t profile; /* number + 1 */
    uint32_t series;  /* + 1 */
} metric_series_of;

static const char *const series_names[SERIES_COUNT] = {
    [SERIES_COMPILATION] = "jdk.Compilation.duration",
    [SERIES_SWITCH_RATE] = "jdk.ThreadContextSwitchRate.switchRate",
    [SERIES_GC] = "jdk.GarbageCollection.duration",
    [SERIES_HEAP_USAGE] = "datadog.HeapUsage.size",
    [SERIES_DIRECT_ALLOC] = "datadog.DirectAllocationTotal.allocated",
};

static ts_code metric_read_series_row(metric_work *m, const ts_batch *b, unsigned i)
{
    const metric_profile *p = metric_owner(m, b->columns[0].ints[i]);
    ts_text name = ts_cell_text(b, 1, i);
    const char *bracket = memchr(name.p, '[', name.n);
    metric_series_of *series;
    void *out;
    ts_code code = TS_OK;
    name.n = bracket == NULL ? name.n : (size_t)(bracket - name.p);
    for (uint32_t k = 0; p != NULL && k < SERIES_COUNT && code == TS_OK; k++) {
        if (!ts_text_is(name, series_names[k])) {
            continue;
        }
        code = metric_reach(&out, m, &m->types, b->rowids[i], sizeof *series);
        if (code == TS_OK && out != NULL) {
            series = out;
            *series = (metric_series_of){(uint32_t)(p - metric_profile_at(m, 0)) + 1, k + 1};
        }
    }
    return code;
}

static ts_code metric_read_point(metric_work *m, const ts_batch *b, unsigned i)
{
    const metric_series_of *series = metric_at(&m->types, b->columns[0].ints[i], sizeof *series);
    metric_points *points;
    if (series == NULL || series->profile == 0 || b->columns[1].null[i] != 0) {
        return TS_OK;
    }
    points = &metric_profile_at(m, series->profile - 1)->series[series->series - 1];
    points->first = points->n == 0 ? b->columns[1].reals[i] : points->first;
    points->sum += b->columns[1].reals[i];
    points->n++;
    return TS_OK;
}

static ts_code metric_read_span(metric_work *m, const ts_batch *b, unsigned i)
{
    metric_profile *p = metric_owner(m, b->columns[0].ints[i]);
    int64_t dur = ts_cell_or(b, 2, i, TS_NO_TIME);
    if (p != NULL && dur != TS_NO_TIME &&
        ts_text_is(ts_cell_text(b, 1, i), m->pauses ? "gc" : "contended")) {
        metric_add(&p->sums[m->pauses ? SLOT_GC : SLOT_WAITS], dur);
    }
    return TS_OK;
}

/* When the VM was started, in ms as JFR has it: the first one with a clock that was set. */
static ts_code metric_read_fact(metric_work *m, const ts_batch *b, unsigned i)
{
    metric_profile *p = metric_owner(m, b->columns[0].ints[i]);
    ts_text value = ts_cell_text(b, 2, i);
    char digits[20];
    int64_t ms;
    if (p == NULL || p->jvm_start != TS_NO_TIME || value.n == 0 || value.n >= sizeof digits ||
        !ts_text_is(ts_cell_text(b, 1, i), "jvmStartTime")) {
        return TS_OK;
    }
    memcpy(digits, value.p, value.n);
    digits[value.n] = '\0';
    ms = strspn(digits, "0123456789") == value.n ? strtoll(digits, NULL, 10) : 0;
    if (ms <= jvm_start_min || ts_ckd_mul(&p->jvm_start, ms, INT64_C(1000000))) {
        p->jvm_start = TS_NO_TIME;
    }
    return TS_OK;
}

/* Rows of a table, and then those of another one that refer to them. */
typedef struct metric_step {
    enum ts_table_id table;
    const unsigned *columns;
    unsigned n;
    ts_code (*row)(metric_work *m, const ts_batch *b, unsigned i);
} metric_step;

static ts_code metric_each(metric_work *m, const metric_step *step)
{
    ts_walk rows = ts_walk_of(ts_rows_of(m->reader), step->table, step->columns, step->n);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = step->row(m, rows.b, rows.row);
    }
    return code;
}

/* Samples of JFR by their types: none where no type is asked for, and weights, which cost most,
 * only where some are. */
static ts_code metric_each_sample(metric_work *m, const metric_step steps[2])
{
    metric_step samples = steps[1];
    ts_code code = metric_each(m, &steps[0]);
    samples.n -= m->weighed ? 0 : 1;
    TS_STEP_IF(code, m->weighed || m->timed, metric_each(m, &samples));
    ts_vec_free(m->ctx, &m->types);
    return code;
}

static ts_code metric_each_of(metric_work *m, const metric_step steps[2])
{
    ts_code code = metric_each(m, &steps[0]);
    TS_STEP_IF(code, m->types.n > 0, metric_each(m, &steps[1]));
    ts_vec_free(m->ctx, &m->types);
    return code;
}

ts_code metric_read(metric_work *m)
{
    static const unsigned profiles[] = {TS_C_profile__source_id, TS_C_profile__language,
                                        TS_C_profile__start_ts, TS_C_profile__end_ts,
                                        TS_C_profile__dur};
    static const unsigned kinds[] = {TS_C_profile_value_type__value_type_id,
                                     TS_C_profile_value_type__profile_id,
                                     TS_C_profile_value_type__event_type};
    static const unsigned values[] = {TS_C_stack_sample_value__value_type_id,
                                      TS_C_stack_sample_value__value};
    static const unsigned types[] = {TS_C_jfr_event_type__source_id, TS_C_jfr_event_type__name,
                                     TS_C_jfr_event_type__count, TS_C_jfr_event_type__lost};
    static const unsigned samples[] = {TS_C_jfr_sample__sample_id, TS_C_jfr_sample__type_id,
                                       TS_C_jfr_sample__weight};
    static const unsigned durations[] = {TS_C_stack_sample__dur};
    static const unsigned series[] = {TS_C_timeseries__source_id, TS_C_timeseries__name};
    static const unsigned points[] = {TS_C_timeseries_value__series_id,
                                      TS_C_timeseries_value__value};
    static const unsigned pauses[] = {TS_C_runtime_pause__source_id, TS_C_runtime_pause__kind,
                                      TS_C_runtime_pause__dur};
    static const unsigned waits[] = {TS_C_lock_wait__source_id, TS_C_lock_wait__kind,
                                     TS_C_lock_wait__dur};
    static const unsigned facts[] = {TS_C_source_property__source_id, TS_C_source_property__key,
                                     TS_C_source_property__value};
    static const metric_step steps[] = {
        {TS_T_profile_value_type, kinds, 3, metric_read_type},
        {TS_T_stack_sample_value, values, 2, metric_read_value},
        {TS_T_jfr_event_type, types, 4, metric_read_event_type},
        {TS_T_jfr_sample, samples, 3, metric_read_sample},
        {TS_T_timeseries, series, 2, metric_read_series_row},
        {TS_T_timeseries_value, points, 2, metric_read_point},
        {TS_T_runtime_pause, pauses, 3, metric_read_span},
        {TS_T_lock_wait, waits, 3, metric_read_span},
        {TS_T_source_property, facts, 3, metric_read_fact},
        {TS_T_profile, profiles, 5, metric_read_profile},
    };
    TS_TRY(metric_each(m, &steps[9]));
    if (m->profiles.n == 0) {
        return TS_OK;
    }
    TS_TRY(metric_find_owners(m));
    TS_TRY(metric_each_of(m, &steps[0]));
    TS_TRY(ts_scan_open(&m->scan, m->reader, TS_T_stack_sample, durations, 1));
    TS_TRY(metric_each_sample(m, &steps[2]));
    TS_TRY(metric_each_of(m, &steps[4]));
    m->pauses = true;
    TS_TRY(metric_each(m, &steps[6]));
    m->pauses = false;
    TS_TRY(metric_each(m, &steps[7]));
    metric_mark_lossy(m);
    return metric_each(m, &steps[8]);
}

void metric_free(metric_work *m)
{
    ts_scan_close(m->scan);
    ts_vec_free(m->ctx, &m->types);
    ts_vec_free(m->ctx, &m->owners);
    ts_vec_free(m->ctx, &m->profiles);
}
