/* The metrics of each language, made of sums. */
#include "analysis/profile_metrics/metric_sums.h"

#include "base/ckd.h"

#include <math.h>
#include <stdlib.h>

/* Adds one, or replaces that of its name, unless the number is not finite. */
static void metric_put(metric_list *list, ts_profile_metric metric)
{
    size_t i = 0;
    if (!metric.is_int && !isfinite(metric.real)) {
        return;
    }
    while (i < list->n && strcmp(list->all[i].name, metric.name) != 0) {
        i++;
    }
    if (i < METRICS_MAX) {
        list->all[i] = metric;
        list->n += i == list->n ? 1 : 0;
    }
}

static void put_int(metric_list *list, const char *name, int64_t v)
{
    metric_put(list, (ts_profile_metric){name, true, v, (double)v, TS_METRIC_DATAKIT});
}

static void put_real(metric_list *list, const char *name, double v)
{
    metric_put(list, (ts_profile_metric){name, false, 0, v, TS_METRIC_DATAKIT});
}

static void put_derived(metric_list *list, const char *name, bool is_int, double v)
{
    metric_put(list,
               (ts_profile_metric){name, is_int, is_int ? (int64_t)v : 0, v, TS_METRIC_DERIVED});
}

/* Of a profile without a length there are no rates. */
static void put_rate(metric_list *list, const metric_profile *p, const char *name, double v)
{
    if (p->dur > 0) {
        put_real(list, name, v / ((double)p->dur / 1e9));
    }
}

static void put_share(metric_list *list, const metric_profile *p, const char *name, double ns)
{
    if (p->dur > 0) {
        put_real(list, name, ns / (double)p->dur);
    }
}

static double mean_of(const metric_points *points)
{
    return points->n == 0 ? 0 : points->sum / (double)points->n;
}

/* --- Java ------------------------------------------------------------------------------------- */

static void put_sum(metric_list *list, const char *name, const metric_sum *sum)
{
    if (!sum->over) {
        put_int(list, name, sum->sum);
    }
}

static void put_io(metric_list *list, const metric_profile *p)
{
    static const struct {
        metric_slot bytes, time;
        const char *most_bytes, *all_bytes, *most_time, *all_time;
    } kinds[] = {
        {SLOT_FILE_READ, SLOT_FILE_READ_TIME, "prof_jvm_file_io_max_read_bytes",
         "prof_jvm_file_io_read_bytes", "prof_jvm_file_io_max_read_time",
         "prof_jvm_file_io_read_time"},
        {SLOT_FILE_WRITE, SLOT_FILE_WRITE_TIME, "prof_jvm_file_io_max_write_bytes",
         "prof_jvm_file_io_write_bytes", "prof_jvm_file_io_max_write_time",
         "prof_jvm_file_io_write_time"},
        {SLOT_SOCKET_READ, SLOT_SOCKET_READ_TIME, "prof_jvm_socket_io_max_read_bytes",
         "prof_jvm_socket_io_read_bytes", "prof_jvm_socket_io_max_read_time",
         "prof_jvm_socket_io_read_time"},
        {SLOT_SOCKET_WRITE, SLOT_SOCKET_WRITE_TIME, "prof_jvm_socket_io_max_write_bytes",
         "prof_jvm_socket_io_write_bytes", "prof_jvm_socket_io_max_write_time",
         "prof_jvm_socket_io_write_time"},
    };
    int64_t both;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        put_int(list, kinds[i].most_bytes, p->sums[kinds[i].bytes].most);
        put_sum(list, kinds[i].all_bytes, &p->sums[kinds[i].bytes]);
        put_int(list, kinds[i].most_time, p->sums[kinds[i].time].most);
        put_sum(list, kinds[i].all_time, &p->sums[kinds[i].time]);
    }
    if (!p->sums[SLOT_FILE_READ_TIME].over && !p->sums[SLOT_FILE_WRITE_TIME].over &&
        !ts_ckd_add(&both, p->sums[SLOT_FILE_READ_TIME].sum, p->sums[SLOT_FILE_WRITE_TIME].sum)) {
        put_int(list, "prof_jvm_file_io_time", both);
    }
}

/* What the events of Datadog's library say; without it all of these are 0. */
static void put_agent(metric_list *list, const metric_profile *p)
{
    const metric_sum *bytes = &p->sums[SLOT_ALLOC_BYTES];
    double allocated = p->events[EVENTS_AGENT_ALLOC] > 0 && !bytes->over ? (double)bytes->sum : 0;
    put_share(list, p, "prof_jvm_cpu_cores", (double)p->sums[SLOT_AGENT_CPU].sum);
    put_real(list, "prof_jvm_alloc_bytes_total", allocated);
    put_rate(list, p, "prof_jvm_alloc_bytes_per_sec", allocated);
    put_rate(list, p, "prof_jvm_allocs_per_sec", p->agent_allocs);
    put_rate(list, p, "prof_jvm_direct_alloc_bytes_per_sec", p->series[SERIES_DIRECT_ALLOC].sum);
    put_int(list, "prof_jvm_throws_total", (int64_t)p->events[EVENTS_AGENT_EXCEPTION]);
    put_rate(list, p, "prof_jvm_throws_per_sec", (double)p->events[EVENTS_AGENT_EXCEPTION]);
    put_int(list, "prof_jvm_lifetime_heap_objects", (int64_t)p->events[EVENTS_AGENT_LIVE]);
    put_int(list, "prof_jvm_lifetime_heap_bytes", (int64_t)p->series[SERIES_HEAP_USAGE].first);
    put_int(list, "prof_jvm_threads_deadlocked", (int64_t)p->events[EVENTS_AGENT_DEADLOCK]);
}

/* The same of other events, where there is no such library. */
static void put_jdk(metric_list *list, const metric_profile *p)
{
    double seconds = (double)p->dur / 1e9;
    double allocated = (double)p->sums[SLOT_ALLOC_BYTES].sum;
    double throws = (double)p->events[EVENTS_THROWS];
    if (p->sums[SLOT_SAMPLED_CPU].n > 0 && !p->sums[SLOT_SAMPLED_CPU].over && p->dur > 0) {
        put_derived(list, "prof_jvm_cpu_cores", false,
                    (double)p->sums[SLOT_SAMPLED_CPU].sum / (double)p->dur);
    }
    if (p->sums[SLOT_ALLOC_BYTES].n > 0 && !p->sums[SLOT_ALLOC_BYTES].over) {
        put_derived(list, "prof_jvm_alloc_bytes_total", false, allocated);
        if (p->dur > 0) {
            put_derived(list, "prof_jvm_alloc_bytes_per_sec", false, allocated / seconds);
            put_derived(list, "prof_jvm_allocs_per_sec", false,
                        (double)p->sums[SLOT_ALLOC_BYTES].n / seconds);
        }
    }
    if (throws > 0) {
        put_derived(list, "prof_jvm_throws_total", true, throws);
        if (p->dur > 0) {
            put_derived(list, "prof_jvm_throws_per_sec", false, throws / seconds);
        }
    }
}

static void make_java(metric_list *list, const metric_profile *p)
{
    const metric_sum *gc = &p->sums[SLOT_GC];
    const metric_sum *waits = &p->sums[SLOT_WAITS];
    int64_t up;
    if (p->jvm_start != TS_NO_TIME && p->end != TS_NO_TIME &&
        !ts_ckd_sub(&up, p->end, p->jvm_start)) {
        put_int(list, "prof_jvm_uptime_nanoseconds", up);
    }
    put_agent(list, p);
    put_rate(list, p, "prof_jvm_class_loads_per_sec", (double)p->events[EVENTS_CLASS_LOADS]);
    if (p->series[SERIES_COMPILATION].sum < 9e18) {
        put_int(list, "prof_jvm_compilation_time", (int64_t)p->series[SERIES_COMPILATION].sum);
    }
    put_real(list, "prof_jvm_context_switches_per_sec", mean_of(&p->series[SERIES_SWITCH_RATE]));
    put_io(list, p);
    put_real(list, "prof_jvm_avg_gc_pause_time", mean_of(&p->series[SERIES_GC]));
    put_int(list, "prof_jvm_max_gc_pause_time", gc->most);
    put_sum(list, "prof_jvm_gc_pause_time", gc);
    put_rate(list, p, "prof_jvm_gc_pauses_per_sec", (double)gc->n);
    put_real(list, "prof_jvm_locks_max_wait_time", (double)waits->most);
    put_rate(list, p, "prof_jvm_locks_per_sec", (double)waits->n);
    put_rate(list, p, "prof_jvm_threads_created_per_sec", (double)p->events[EVENTS_THREAD_START]);
    if (!p->agent) {
        put_jdk(list, p);
    }
}

/* --- Go and Python ---------------------------------------------------------------------------- */

typedef enum metric_way { WAY_INT, WAY_RATE, WAY_SHARE } metric_way;

/* Only what there are values of. */
static const struct {
    ts_language language;
    const char *name;
    metric_slot slot;
    metric_way way;
} valued[] = {
    {TS_LANG_GO, "prof_go_blocked_time", SLOT_BLOCK, WAY_INT},
    {TS_LANG_GO, "prof_go_cpu_cores", SLOT_CPU, WAY_SHARE},
    {TS_LANG_GO, "prof_go_lifetime_heap_bytes", SLOT_HEAP_BYTES, WAY_INT},
    {TS_LANG_GO, "prof_go_lifetime_heap_objects", SLOT_HEAP_OBJECTS, WAY_INT},
    {TS_LANG_GO, "prof_go_mutex_delay_time", SLOT_MUTEX, WAY_INT},
    {TS_LANG_GO, "prof_go_num_goroutine", SLOT_GOROUTINES, WAY_INT},
    {TS_LANG_PYTHON, "prof_python_alloc_bytes_per_sec", SLOT_ALLOC_BYTES, WAY_RATE},
    {TS_LANG_PYTHON, "prof_python_alloc_bytes_total", SLOT_ALLOC_BYTES, WAY_INT},
    {TS_LANG_PYTHON, "prof_python_allocs_per_sec", SLOT_ALLOCS, WAY_RATE},
    {TS_LANG_PYTHON, "prof_python_cpu_cores", SLOT_CPU, WAY_SHARE},
    {TS_LANG_PYTHON, "prof_python_exceptions_per_sec", SLOT_EXCEPTIONS, WAY_RATE},
    {TS_LANG_PYTHON, "prof_python_exceptions_total", SLOT_EXCEPTIONS, WAY_INT},
    {TS_LANG_PYTHON, "prof_python_lifetime_heap_bytes", SLOT_HEAP_BYTES, WAY_INT},
    {TS_LANG_PYTHON, "prof_python_lock_acquisition_time", SLOT_LOCK_WAIT, WAY_INT},
    {TS_LANG_PYTHON, "prof_python_lock_acquisitions_per_sec", SLOT_LOCKS, WAY_RATE},
    {TS_LANG_PYTHON, "prof_python_lock_hold_time", SLOT_LOCK_HOLD, WAY_INT},
    {TS_LANG_PYTHON, "prof_python_wall_time", SLOT_WALL, WAY_INT},
};

static void make_valued(metric_list *list, const metric_profile *p)
{
    for (size_t i = 0; i < sizeof valued / sizeof valued[0]; i++) {
        const metric_sum *sum = &p->sums[valued[i].slot];
        if (valued[i].language != p->language || sum->n == 0 || sum->over) {
            continue;
        }
        if (valued[i].way == WAY_INT) {
            put_int(list, valued[i].name, sum->sum);
        } else if (valued[i].way == WAY_RATE) {
            put_rate(list, p, valued[i].name, (double)sum->sum);
        } else {
            put_share(list, p, valued[i].name, (double)sum->sum);
        }
    }
}

void metric_make(metric_list *list, const metric_profile *p)
{
    list->n = 0;
    if (p->language == TS_LANG_JAVA && p->recorded) {
        make_java(list, p);
    } else if (p->language != TS_LANG_JAVA) {
        make_valued(list, p);
    }
}

/* --- what clients of Go compute -------------------------------------------------------------- */

void metric_put_recorded(metric_list *list, ts_text name, double value, ts_text text)
{
    static const struct {
        const char *name;
        bool is_int;
    } known[] = {
        {"prof_go_alloc_bytes_per_sec", false},
        {"prof_go_allocs_per_sec", false},
        {"prof_go_frees_per_sec", false},
        {"prof_go_heap_growth_bytes_per_sec", false},
        {"prof_go_gcs_per_sec", false},
        {"prof_go_gc_pause_time", false},
        {"prof_go_max_gc_pause_time", true},
        {"prof_go_num_goroutine", true},
        {"prof_go_cpu_cores", false},
        {"prof_go_cpu_cores_gc_overhead", false},
        {"prof_go_alloc_bytes_total", false},
        {"prof_go_blocked_time", true},
        {"prof_go_mutex_delay_time", true},
        {"prof_go_lifetime_heap_bytes", true},
        {"prof_go_lifetime_heap_objects", true},
    };
    char digits[32];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        ts_profile_metric metric = {known[i].name, known[i].is_int, 0, value, TS_METRIC_RECORDED};
        if (!ts_text_is(name, known[i].name + strlen("prof_"))) {
            continue;
        }
        if (metric.is_int && text.n < sizeof digits) {
            char *end;
            memcpy(digits, text.p, text.n);
            digits[text.n] = '\0';
            metric.i = strtoll(digits, &end, 10);
            if (*end != '\0') { /* with a point, or an exponent */
                metric.i = fabs(value) < 9e18 ? (int64_t)value : 0;
            }
        }
        metric_put(list, metric);
    }
}

static const ts_profile_metric *metric_find(const metric_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->all[i].name, name) == 0) {
            return &list->all[i];
        }
    }
    return NULL;
}

void metric_complete(metric_list *list, const metric_profile *p)
{
    const ts_profile_metric *rate = metric_find(list, "prof_go_alloc_bytes_per_sec");
    const ts_profile_metric *pause = metric_find(list, "prof_go_gc_pause_time");
    double seconds = (double)p->dur / 1e9;
    if (p->language != TS_LANG_GO || p->dur <= 0) {
        return;
    }
    if (rate != NULL && rate->real > 0 && metric_find(list, "prof_go_alloc_bytes_total") == NULL) {
        put_real(list, "prof_go_alloc_bytes_total", rate->real * seconds);
    }
    if (pause != NULL && pause->real > 0 &&
        metric_find(list, "prof_go_cpu_cores_gc_overhead") == NULL) {
        put_real(list, "prof_go_cpu_cores_gc_overhead", pause->real / seconds);
    }
}
