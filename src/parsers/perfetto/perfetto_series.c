/*
 * Measurements of the system and of processes, and lines of logs. Those of the system are series
 * (timeseries), named by what was measured; those of processes are rows of process_measure, with
 * the names of other recordings where these have them.
 */
#include "parsers/perfetto/perfetto.h"

#include "base/utf8.h"
#include "tables/store_processes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6, NAME_MAX_BYTES = 192 };

static double real_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float v;
    memcpy(&v, &low, sizeof v);
    return (double)v;
}

/* --- records --------------------------------------------------------------------------------- */

/* A value of the series of this name, of a process or of none (-1). */
static ts_code add_at(perfetto *p, int64_t ipid, ts_text name, const char *unit, double value,
                      uint32_t clock, int64_t ts)
{
    perfetto_record r = {.ts = ts,
                         .clock = clock,
                         .type = PERFETTO_POINT,
                         .sequence = p->sequence_index,
                         .dur = TS_NO_TIME,
                         .value = value,
                         .has_value = true};
    perfetto_series *s;
    uint32_t text;
    bool added;
    TS_TRY(ts_pool_intern(p->ctx, &text, NULL, &p->texts, name));
    const int64_t key[2] = {ipid, text};
    TS_TRY(ts_pool_intern(p->ctx, &r.track, &added, &p->series_keys,
                          (ts_text){(const char *)key, sizeof key}));
    if (added) {
        TS_NEED(p->ctx, s = ts_vec_add(p->ctx, &p->series, sizeof *s));
        *s =
            (perfetto_series){.ipid = ipid, .id = -1, .ts = TS_NO_TIME, .name = text, .unit = unit};
    }
    p->extras.n = 0;
    p->flows.n = 0;
    p->args.n = 0;
    return perfetto_record_add(p, &r, TS_TEXT_NULL);
}

__attribute__((format(printf, 4, 5))) static ts_code add(perfetto *p, const char *unit,
                                                         double value, const char *fmt, ...)
{
    char name[NAME_MAX_BYTES];
    va_list args;
    int n;
    va_start(args, fmt);
    n = vsnprintf(name, sizeof name, fmt, args);
    va_end(args);
    n = n < NAME_MAX_BYTES ? n : (int)ts_utf8_cut(name, NAME_MAX_BYTES - 1);
    return add_at(p, -1, (ts_text){name, (size_t)n}, unit, value, p->clock, p->ts);
}

/* A text of at most half a name. */
static int shown(ts_text text)
{
    return (int)(text.n <= NAME_MAX_BYTES / 2 ? text.n : ts_utf8_cut(text.p, NAME_MAX_BYTES / 2));
}

/* The text in a field of a message, made well-formed; PERFETTO_NONE: it has none. */
static ts_code text_in(uint32_t *text, perfetto *p, const ts_wire_field *message, uint32_t field)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    *text = PERFETTO_NONE;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == field && f.type == TS_WIRE_BYTES) {
            code = perfetto_text_of(text, p, &f);
        }
    }
    return code;
}

/* --- the system ------------------------------------------------------------------------------ */

static ts_code take_meminfo(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const char *const names[] = {
        NULL,
        "MemTotal",
        "MemFree",
        "MemAvailable",
        "Buffers",
        "Cached",
        "SwapCached",
        "Active",
        "Inactive",
        "Active(anon)",
        "Inactive(anon)",
        "Active(file)",
        "Inactive(file)",
        "Unevictable",
        "Mlocked",
        "SwapTotal",
        "SwapFree",
        "Dirty",
        "Writeback",
        "AnonPages",
        "Mapped",
        "Shmem",
        "Slab",
        "SReclaimable",
        "SUnreclaim",
        "KernelStack",
        "PageTables",
        [32] = "CmaTotal",
        [33] = "CmaFree",
    };
    uint64_t v[3];
    (void)perfetto_numbers(v, 3, message, good);
    if (!*good) {
        return TS_OK;
    }
    return v[1] < sizeof names / sizeof names[0] && names[v[1]] != NULL
               ? add(p, "bytes", (double)v[2] * 1024, "meminfo:%s", names[v[1]])
               : add(p, "bytes", (double)v[2] * 1024, "meminfo:%" PRIu64, v[1]);
}

static ts_code take_vmstat(perfetto *p, const ts_wire_field *message, bool *good)
{
    uint64_t v[3];
    (void)perfetto_numbers(v, 3, message, good);
    return *good ? add(p, "count", (double)v[2], "vmstat:%" PRIu64, v[1]) : TS_OK;
}

static ts_code take_cpu(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const char *const names[] = {NULL,   NULL,     "user", "nice",    "system",
                                        "idle", "iowait", "irq",  "softirq", "steal"};
    enum { NUMBERS = sizeof names / sizeof names[0] };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    ts_code code = TS_OK;
    for (unsigned i = 2; i < NUMBERS && code == TS_OK && *good; i++) {
        if ((there >> i & 1) != 0) {
            code = add(p, "ns", (double)v[i], "cpu%" PRIu64 ":%s", v[1], names[i]);
        }
    }
    return code;
}

/* A name and a number. */
static ts_code take_device(perfetto *p, const ts_wire_field *message, bool *good)
{
    uint64_t v[3];
    uint32_t name;
    (void)perfetto_numbers(v, 3, message, good);
    TS_TRY(text_in(&name, p, message, 1));
    return *good ? add(p, NULL, (double)v[2], "devfreq:%.*s", shown(perfetto_text(p, name)),
                       perfetto_text(p, name).p)
                 : TS_OK;
}

static ts_code take_disk(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const char *const names[] = {
        NULL, NULL, "read_sectors", "read_time", "write_sectors", "write_time"};
    enum { NUMBERS = sizeof names / sizeof names[0] };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    uint32_t name;
    ts_code code = text_in(&name, p, message, 1);
    for (unsigned i = 2; i < NUMBERS && code == TS_OK && *good; i++) {
        if ((there >> i & 1) != 0) {
            code = add(p, i % 2 == 0 ? "count" : "ms", (double)v[i], "disk:%.*s:%s",
                       shown(perfetto_text(p, name)), perfetto_text(p, name).p, names[i]);
        }
    }
    return code;
}

/* Frequencies by the number of the CPU or GPU, packed or not. */
static ts_code take_rates(perfetto *p, const ts_wire_field *f, uint64_t *i, const char *unit,
                          const char *name, bool *good)
{
    ts_wire w;
    uint64_t v;
    ts_code code = TS_OK;
    if (f->type != TS_WIRE_BYTES) {
        return add(p, unit, (double)f->value, "%s:%" PRIu64, name, (*i)++);
    }
    ts_wire_init(&w, f->p, f->n);
    while (code == TS_OK && ts_wire_packed(&v, &w)) {
        code = add(p, unit, (double)v, "%s:%" PRIu64, name, (*i)++);
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

static ts_code take_sys_field(perfetto *p, const ts_wire_field *f, uint64_t rates[2], bool *good)
{
    switch (f->number) {
    case 1:
        return f->type == TS_WIRE_BYTES ? take_meminfo(p, f, good) : TS_OK;
    case 2:
        return f->type == TS_WIRE_BYTES ? take_vmstat(p, f, good) : TS_OK;
    case 3:
        return f->type == TS_WIRE_BYTES ? take_cpu(p, f, good) : TS_OK;
    case 4:
        return f->type == TS_WIRE_VARINT ? add(p, "count", (double)f->value, "forks") : TS_OK;
    case 5:
        return f->type == TS_WIRE_VARINT ? add(p, "count", (double)f->value, "irqs") : TS_OK;
    case 7:
        return f->type == TS_WIRE_VARINT ? add(p, "count", (double)f->value, "softirqs") : TS_OK;
    case 10:
        return f->type == TS_WIRE_BYTES ? take_device(p, f, good) : TS_OK;
    case 11:
        return take_rates(p, f, &rates[0], "kHz", "cpufreq", good);
    case 13:
        return f->type == TS_WIRE_BYTES ? take_disk(p, f, good) : TS_OK;
    case 17:
        return take_rates(p, f, &rates[1], "MHz", "gpufreq", good);
    default:
        return TS_OK;
    }
}

ts_code perfetto_sys_stats(perfetto *p, const ts_wire_field *message, bool *good)
{
    uint64_t rates[2] = {0};
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        code = take_sys_field(p, &f, rates, good);
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* --- processes ------------------------------------------------------------------------------- */

static ts_code take_process(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const char *const names[] = {
        [2] = "mem.vm.size",    [3] = "mem.rss",  [4] = "mem.rss.anon", [5] = "mem.rss.file",
        [6] = "mem.rss.schem",  [7] = "mem.swap", [8] = "mem.locked",   [9] = "mem.rss.watermark",
        [10] = "oom_score_adj", [11] = "threads",
    };
    enum { NUMBERS = sizeof names / sizeof names[0] };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    int64_t ipid;
    ts_code code = TS_OK;
    if (!*good || (there >> 1 & 1) == 0) {
        return TS_OK;
    }
    TS_TRY_INTO(code, ts_process(&ipid, p->store, p->source_id, (int32_t)v[1]));
    for (unsigned i = 2; i < NUMBERS && code == TS_OK; i++) {
        if ((there >> i & 1) != 0) {
            code =
                add_at(p, ipid, ts_text_of(names[i]), NULL, (double)(int64_t)v[i], p->clock, p->ts);
        }
    }
    return code;
}

ts_code perfetto_process_stats(perfetto *p, const ts_wire_field *message, bool *good)
{
    return perfetto_each(p, message, 1, take_process, good);
}

/* --- power and GPU --------------------------------------------------------------------------- */

ts_code perfetto_battery(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const struct {
        const char *name, *unit;
    } values[] = {
        [1] = {"charge", "uAh"},     [2] = {"capacity", "%"}, [3] = {"current", "uA"},
        [4] = {"current.avg", "uA"}, [6] = {"energy", "uWh"}, [7] = {"voltage", "uV"},
    };
    enum { CAPACITY = 2, NAME = 5, NUMBERS = sizeof values / sizeof values[0] };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    uint32_t name;
    ts_code code = text_in(&name, p, message, NAME);
    for (unsigned i = 1; i < NUMBERS && code == TS_OK && *good; i++) {
        if ((there >> i & 1) != 0 && values[i].name != NULL) {
            double value = i == CAPACITY ? float_of(v[i]) : (double)(int64_t)v[i];
            code =
                name == PERFETTO_NONE
                    ? add(p, values[i].unit, value, "battery:%s", values[i].name)
                    : add(p, values[i].unit, value, "battery:%.*s:%s",
                          shown(perfetto_text(p, name)), perfetto_text(p, name).p, values[i].name);
        }
    }
    return code;
}

static int64_t own_key(const perfetto *p, uint64_t number)
{
    return (int64_t)((uint64_t)p->sequence_index << 32 | (uint32_t)number);
}

/* A description: a number and a name. */
static ts_code take_rail(perfetto *p, const ts_wire_field *message, bool *good)
{
    uint64_t v[2];
    uint32_t name;
    (void)perfetto_numbers(v, 2, message, good);
    TS_TRY(text_in(&name, p, message, 2));
    return *good && name != PERFETTO_NONE ? ts_idmap_put(p->ctx, &p->rails, own_key(p, v[1]), name)
                                          : TS_OK;
}

/* Energy since some time, with a time of its own. */
static ts_code take_energy(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { INDEX = 1, TIMESTAMP_MS, ENERGY, NUMBERS };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    char text[NAME_MAX_BYTES];
    ts_text rail = TS_TEXT_NULL;
    uint64_t name;
    uint32_t clock = p->clock;
    int64_t ts = p->ts;
    int n;
    if (!*good) {
        return TS_OK;
    }
    if (ts_idmap_find(&name, &p->rails, own_key(p, v[INDEX]))) {
        rail = perfetto_text(p, (uint32_t)name);
    }
    n = rail.p == NULL ? snprintf(text, sizeof text, "power:%" PRIu64, v[INDEX])
                       : snprintf(text, sizeof text, "power:%.*s", shown(rail), rail.p);
    if ((there >> TIMESTAMP_MS & 1) != 0 && v[TIMESTAMP_MS] <= INT64_MAX / 1000000) {
        ts = (int64_t)v[TIMESTAMP_MS] * 1000000;
        TS_TRY(perfetto_clock_of(&clock, p, CLOCK_BOOTTIME_ID));
    }
    return add_at(p, -1, (ts_text){text, (size_t)n}, "uWs", (double)v[ENERGY], clock, ts);
}

ts_code perfetto_power_rails(perfetto *p, const ts_wire_field *message, bool *good)
{
    TS_TRY(perfetto_each(p, message, 1, take_rail, good));
    return *good ? perfetto_each(p, message, 2, take_energy, good) : TS_OK;
}

static ts_code take_gauge(perfetto *p, const ts_wire_field *message, bool *good)
{
    uint64_t v[2];
    uint32_t name;
    (void)perfetto_numbers(v, 2, message, good);
    TS_TRY(text_in(&name, p, message, 2));
    return *good && name != PERFETTO_NONE ? ts_idmap_put(p->ctx, &p->gauges, own_key(p, v[1]), name)
                                          : TS_OK;
}

static ts_code take_gauges(perfetto *p, const ts_wire_field *message, bool *good)
{
    return perfetto_each(p, message, 1, take_gauge, good);
}

static ts_code take_gpu_value(perfetto *p, uint64_t gpu, const ts_wire_field *message, bool *good)
{
    enum { ID = 1, WHOLE, REAL, NUMBERS };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    double value = (there >> REAL & 1) != 0 ? real_of(v[REAL]) : (double)(int64_t)v[WHOLE];
    uint64_t name;
    if (!*good) {
        return TS_OK;
    }
    return ts_idmap_find(&name, &p->gauges, own_key(p, v[ID]))
               ? add(p, NULL, value, "gpu%" PRIu64 ":%.*s", gpu,
                     shown(perfetto_text(p, (uint32_t)name)), perfetto_text(p, (uint32_t)name).p)
               : add(p, NULL, value, "gpu%" PRIu64 ":%" PRIu64, gpu, v[ID]);
}

ts_code perfetto_gpu_counters(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { DESCRIPTOR = 1, COUNTERS, GPU, NUMBERS };
    uint64_t v[NUMBERS];
    ts_wire w;
    ts_wire_field f;
    ts_code code;
    (void)perfetto_numbers(v, NUMBERS, message, good);
    if (!*good) {
        return TS_OK;
    }
    code = perfetto_each(p, message, DESCRIPTOR, take_gauges, good);
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == COUNTERS && f.type == TS_WIRE_BYTES) {
            code = take_gpu_value(p, v[GPU], &f, good);
        }
    }
    return code;
}

/* Of the system, or of a process. */
ts_code perfetto_gpu_memory(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { GPU = 1, PID, SIZE, NUMBERS };
    uint64_t v[NUMBERS];
    (void)perfetto_numbers(v, NUMBERS, message, good);
    if (!*good) {
        return TS_OK;
    }
    return v[PID] == 0
               ? add(p, "bytes", (double)v[SIZE], "gpu_mem:%" PRIu64, v[GPU])
               : add(p, "bytes", (double)v[SIZE], "gpu_mem:%" PRIu64 ":%" PRIu64, v[GPU], v[PID]);
}

/* --- logs ------------------------------------------------------------------------------------ */

static ts_code take_line(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { PID = 2, TID, TIMESTAMP = 5, TAG, PRIORITY, TEXT, NUMBERS };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    perfetto_record r = {.ts = p->ts,
                         .clock = p->clock,
                         .type = PERFETTO_LINE,
                         .sequence = p->sequence_index,
                         .dur = TS_NO_TIME};
    perfetto_line line = {(int32_t)v[PID], (int32_t)v[TID], v[PRIORITY]};
    uint32_t text;
    if (!*good) {
        return TS_OK;
    }
    TS_TRY(text_in(&r.name, p, message, TAG));
    TS_TRY(text_in(&text, p, message, TEXT));
    if ((there >> TIMESTAMP & 1) != 0 && v[TIMESTAMP] <= INT64_MAX) {
        r.ts = (int64_t)v[TIMESTAMP];
        TS_TRY(perfetto_clock_of(&r.clock, p, CLOCK_REALTIME_ID));
    }
    r.category = text;
    p->extras.n = 0;
    p->flows.n = 0;
    p->args.n = 0;
    TS_TRY(ts_buf_put(p->ctx, &p->args, &line, sizeof line));
    return perfetto_record_add(p, &r, TS_TEXT_NULL);
}

ts_code perfetto_android_log(perfetto *p, const ts_wire_field *message, bool *good)
{
    return perfetto_each(p, message, 1, take_line, good);
}

ts_code perfetto_line_put(perfetto *p, const perfetto_record *r, ts_text bytes, int64_t ts)
{
    static const char levels[] = {'\0', '\0', 'V', 'D', 'I', 'W', 'E', 'F'};
    char number[24];
    perfetto_line line;
    int n;
    ts_row_log row = {
        .ts = ts,
        .tag = perfetto_text(p, r->name),
        .context = perfetto_text(p, r->category),
        .origints = r->ts,
    };
    memcpy(&line, bytes.p, sizeof line);
    row.pid = line.pid;
    row.tid = line.tid;
    n = line.level < sizeof levels && levels[line.level] != '\0'
            ? snprintf(number, sizeof number, "%c", levels[line.level])
            : snprintf(number, sizeof number, "%" PRIu64, line.level);
    row.level = (ts_text){number, (size_t)n};
    TS_SET_NULL(log, &row, seq);
    TS_NULL_IF(ts == TS_NO_TIME, log, &row, ts);
    TS_NULL_IF(r->clock == PERFETTO_NONE || r->ts == TS_NO_TIME, log, &row, origints);
    return ts_put_log(p->sink, &row);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* The value of a process that waits: until when it holds is known. next: TS_NO_TIME: to the end. */
static ts_code put_waiting(perfetto *p, const perfetto_series *s, int64_t next)
{
    ts_row_process_measure row = {
        .type = TS_TEXT_LIT("measure"),
        .ts = s->ts,
        .value = s->value,
        .filter_id = s->id,
    };
    if (s->ts == TS_NO_TIME) {
        return TS_OK;
    }
    TS_NULL_IF(next == TS_NO_TIME || next < s->ts || ts_ckd_sub(&row.dur, next, s->ts),
               process_measure, &row, dur);
    return ts_put_process_measure(p->sink, &row);
}

static ts_code put_measure(perfetto *p, perfetto_series *s, double value, int64_t ts, bool wanted)
{
    p->n.measures++;
    if (ts == TS_NO_TIME) {
        p->n.measures_lost++;
        return TS_OK;
    }
    if (!wanted) {
        p->n.measures_skipped++;
        return TS_OK;
    }
    if (s->id < 0) {
        TS_TRY(ts_filter(&s->id, p->store, TS_FILTER_PROCESS, s->ipid, perfetto_text(p, s->name)));
    }
    TS_TRY(put_waiting(p, s, ts));
    s->ts = ts;
    s->value = value > 9e18 ? INT64_MAX : value < -9e18 ? INT64_MIN : (int64_t)value;
    return TS_OK;
}

ts_code perfetto_point_put(perfetto *p, uint32_t series, double value, int64_t ts, bool wanted)
{
    perfetto_series *s = (perfetto_series *)p->series.p + series;
    ts_row_timeseries_value row = {.ts = ts, .value = value};
    if (s->ipid >= 0) {
        return put_measure(p, s, value, ts, wanted);
    }
    p->n.points++;
    if (ts == TS_NO_TIME || !wanted) {
        *(wanted ? &p->n.points_lost : &p->n.points_skipped) += 1;
        return TS_OK;
    }
    if (s->id < 0) {
        ts_row_timeseries of = {
            .id = (int64_t)ts_sink_rows(p->sink, TS_T_timeseries) + 1,
            .source_id = p->source_id,
            .name = perfetto_text(p, s->name),
            .unit = s->unit == NULL ? TS_TEXT_NULL : ts_text_of(s->unit),
        };
        TS_SET_NULL(timeseries, &of, itid, interval);
        TS_TRY(ts_put_timeseries(p->sink, &of));
        s->id = of.id;
    }
    row.series_id = s->id;
    return ts_put_timeseries_value(p->sink, &row);
}

ts_code perfetto_series_finish(perfetto *p)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < p->series.n && code == TS_OK; i++) {
        const perfetto_series *s = (const perfetto_series *)p->series.p + i;
        TS_STEP_IF(code, s->ipid >= 0, put_waiting(p, s, TS_NO_TIME));
    }
    return code;
}
