/*
 * xpower-plugin: reports on the power use of an application: the battery and the temperature as
 * counters in xpower_measure, what components of the device used in the tables xpower_*.
 * Docs: docs/formats.md, "xpower-plugin".
 */
#include "htrace/plugins/xpower/xpower.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <string.h>

enum { NUMBERS_MAX = 11 };

#define NS_PER_MS INT64_C(1000000)

/* Fields of a report (OptimizeReport). */
enum { START, END, BUNDLE, BATTERY, STATISTIC, DETAIL, TOP, THERMAL, FIELDS };
static const ts_field_def fields[FIELDS] = {
    [START] = {1, TS_FIELD_INT, "start_time"},
    [END] = {2, TS_FIELD_INT, "end_time"},
    [BUNDLE] = {3, TS_FIELD_BYTES, "bundle_name"},
    [BATTERY] = {5, TS_FIELD_BYTES, "real_battery"},
    [STATISTIC] = {6, TS_FIELD_BYTES, "app_statistic"},
    [DETAIL] = {7, TS_FIELD_BYTES, "app_detail"},
    [TOP] = {8, TS_FIELD_BYTES, "component_top"},
    [THERMAL] = {10, TS_FIELD_BYTES, "thermal_report"},
};

/* A value that is NULL where it was not recorded. */
static int64_t xpower_optional(uint64_t *null, uint64_t bit, xpower *x, const ts_value *value)
{
    *null |= value->state == TS_VALUE_ABSENT ? bit : 0;
    return ts_records_int(null, bit, &x->records, value);
}

/* --- counters --------------------------------------------------------------------------------- */

static ts_code put_counter(xpower *x, const char *name, int64_t raw, const ts_value *value)
{
    int64_t filter;
    ts_code code =
        ts_filter(&filter, x->records.host->store, TS_FILTER_XPOWER, 0, ts_text_of(name));
    return code != TS_OK ? code
                         : ts_counters_put(&x->counters, filter, raw, value->i,
                                           value->state != TS_VALUE_UNKNOWN);
}

/* The current, ten times a second. */
static ts_code put_currents(xpower *x, const ts_value *real, uint32_t number, const uint8_t *p,
                            size_t n)
{
    ts_field_list list = {.number = number, .kind = TS_FIELD_NUMBERS};
    ts_value value = {.state = TS_VALUE_READ};
    int64_t raw = x->raw;
    uint64_t bits;
    ts_code code = TS_OK;
    if (real->state == TS_VALUE_UNKNOWN) {
        return TS_OK; /* values were passed over, and so the times of all are not known */
    }
    while (code == TS_OK && ts_fields_next(&bits, &list, p, n)) {
        value.i = (int32_t)(uint32_t)bits;
        code = put_counter(x, "Battery.RealCurrent", raw, &value);
        if (raw != TS_NO_TIME && ts_ckd_add(&raw, raw, 100 * NS_PER_MS)) {
            raw = TS_NO_TIME;
            x->records.times.over++;
        }
    }
    return code;
}

static ts_code battery(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    enum { LEVELS = 5, CURRENT = LEVELS, ALL };
    static const ts_field_def defs[ALL] = {
        {1, TS_FIELD_INT, "capacity"},  {2, TS_FIELD_INT, "charge"},
        {4, TS_FIELD_INT, "gas_gauge"}, {5, TS_FIELD_INT, "level"},
        {6, TS_FIELD_INT, "screen"},    [CURRENT] = {7, TS_FIELD_NUMBERS, "real_current"},
    };
    static const char *const names[LEVELS] = {"Battery.Capacity", "Battery.Charge",
                                              "Battery.GasGauge", "Battery.Level",
                                              "Battery.Screen"};
    const uint64_t faults = m->faults;
    ts_value v[ALL];
    bool damaged;
    ts_code code = ts_fields_part(v, &damaged, m, fields[BATTERY].name, defs, ALL, p, n);
    for (size_t k = 0; code == TS_OK && k < LEVELS; k++) {
        code = put_counter(x, names[k], x->raw, &v[k]);
    }
    return code != TS_OK || m->faults - faults > (damaged ? 1 : 0)
               ? code
               : put_currents(x, &v[CURRENT], defs[CURRENT].number, p, n);
}

static ts_code thermal(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    static const ts_field_def defs[] = {{1, TS_FIELD_INT, "shell_temp"},
                                        {2, TS_FIELD_INT, "thermal_level"}};
    ts_value v[2];
    ts_code code = ts_fields_part(v, NULL, m, fields[THERMAL].name, defs, 2, p, n);
    code = code != TS_OK ? code : put_counter(x, "ThermalReport.ShellTemp", x->raw, &v[0]);
    return code != TS_OK ? code : put_counter(x, "ThermalReport.ThermalLevel", x->raw, &v[1]);
}

/* --- what the application used ---------------------------------------------------------------- */

static ts_code statistic_of(xpower *x, ts_message *m, const ts_field_def *component,
                            const uint8_t *p, size_t n)
{
    static const ts_field_def defs[] = {{1, TS_FIELD_INT, "energy"}, {2, TS_FIELD_INT, "time"}};
    const ts_plugin_host *host = x->records.host;
    ts_row_xpower_app_statistic row = {.start_time = x->ts};
    ts_value v[2];
    bool put;
    ts_code code = ts_fields_part(v, NULL, m, component->name, defs, 2, p, n);
    if (code != TS_OK || (v[0].state == TS_VALUE_ABSENT && v[1].state == TS_VALUE_ABSENT)) {
        return code;
    }
    if ((code = ts_records_row(&put, &x->records, fields[STATISTIC].name,
                               v[0].state == TS_VALUE_READ || v[1].state == TS_VALUE_READ,
                               x->wanted)) != TS_OK ||
        !put ||
        (code = ts_dict(&row.component_type_id, host->store, ts_text_of(component->name))) !=
            TS_OK) {
        return code;
    }
    row.id = ts_records_next(&x->records, TS_T_xpower_app_statistic);
    row.energy = xpower_optional(&row.null, TS_NULL_BIT(xpower_app_statistic, energy), x, &v[0]);
    row.duration =
        xpower_optional(&row.null, TS_NULL_BIT(xpower_app_statistic, duration), x, &v[1]);
    TS_NULL_IF(x->ts == TS_NO_TIME, xpower_app_statistic, &row, start_time);
    return ts_put_xpower_app_statistic(ts_store_sink(host->store), &row);
}

static ts_code statistic(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    enum { ALL = 11 };
    static const ts_field_def defs[ALL] = {
        {1, TS_FIELD_BYTES, "audio"},    {2, TS_FIELD_BYTES, "bluetooth"},
        {3, TS_FIELD_BYTES, "camera"},   {4, TS_FIELD_BYTES, "cpu"},
        {5, TS_FIELD_BYTES, "display"},  {6, TS_FIELD_BYTES, "flashlight"},
        {7, TS_FIELD_BYTES, "gpu"},      {8, TS_FIELD_BYTES, "location"},
        {9, TS_FIELD_BYTES, "wifiscan"}, {10, TS_FIELD_BYTES, "wifi"},
        {11, TS_FIELD_BYTES, "modem"},
    };
    ts_value v[ALL];
    ts_code code = ts_fields_part(v, NULL, m, fields[STATISTIC].name, defs, ALL, p, n);
    for (size_t k = 0; code == TS_OK && k < ALL; k++) {
        if (v[k].state == TS_VALUE_READ) {
            code = statistic_of(x, m, &defs[k], v[k].p, v[k].n);
        }
    }
    return code;
}

/* A part that is one row of numbers: its fields count from 1, its columns follow each other. */
typedef struct number_shape {
    const char *part;
    enum ts_table_id table;
    uint64_t start_null, first_null;
    size_t start_at, first_at; /* offsets of columns in the row */
    size_t count;
    const char *names[NUMBERS_MAX];
} number_shape;

#define NUMBERS(name, table_name, first)                                                           \
    .part = (name), .table = TS_T_##table_name, .start_null = TS_NULL_BIT(table_name, start_time), \
    .first_null = TS_NULL_BIT(table_name, first),                                                  \
    .start_at = offsetof(ts_row_##table_name, start_time),                                         \
    .first_at = offsetof(ts_row_##table_name, first)

static ts_code put_numbers(xpower *x, ts_message *m, const number_shape *shape, const uint8_t *p,
                           size_t n)
{
    union {
        ts_row_xpower_app_detail_wifi wifi;
        ts_row_xpower_app_detail_display display;
    } row;
    ts_field_def defs[NUMBERS_MAX];
    ts_value v[NUMBERS_MAX];
    int64_t numbers[NUMBERS_MAX];
    bool put;
    for (unsigned k = 0; k < shape->count; k++) {
        defs[k] = (ts_field_def){k + 1, TS_FIELD_INT, shape->names[k]};
    }
    TS_TRY(ts_fields_part(v, NULL, m, shape->part, defs, shape->count, p, n));
    TS_TRY(ts_records_row(&put, &x->records, shape->part, true, x->wanted));
    if (!put) {
        return TS_OK;
    }
    memset(&row, 0, sizeof row);
    row.wifi.id = ts_records_next(&x->records, shape->table);
    row.wifi.null = x->ts == TS_NO_TIME ? shape->start_null : 0;
    memcpy((char *)&row + shape->start_at, &x->ts, sizeof x->ts);
    for (size_t k = 0; k < shape->count; k++) {
        numbers[k] = xpower_optional(&row.wifi.null, shape->first_null << k, x, &v[k]);
    }
    memcpy((char *)&row + shape->first_at, numbers, shape->count * sizeof *numbers);
    return ts_sink_put(ts_store_sink(x->records.host->store), shape->table, &row);
}

_Static_assert(
    offsetof(ts_row_xpower_app_detail_wifi, id) == offsetof(ts_row_xpower_app_detail_display, id) &&
        TS_C_xpower_app_detail_wifi__rx_bytes - TS_C_xpower_app_detail_wifi__tx_packets == 3 &&
        TS_C_xpower_app_detail_display__count_180hz - TS_C_xpower_app_detail_display__count_1hz ==
            10,
    "rows begin alike, and the columns are in the order of the fields");

static ts_code wifi(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    static const number_shape shape = {
        NUMBERS("app_detail.wifi", xpower_app_detail_wifi, tx_packets),
        .count = 4,
        .names = {"tx_packets", "rx_packets", "tx_bytes", "rx_bytes"},
    };
    return put_numbers(x, m, &shape, p, n);
}

static ts_code display(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    static const number_shape shape = {
        NUMBERS("app_detail.display", xpower_app_detail_display, count_1hz),
        .count = 11,
        .names = {"count_1hz", "count_5hz", "count_10hz", "count_15hz", "count_24hz", "count_30hz",
                  "count_45hz", "count_60hz", "count_90hz", "count_120hz", "count_180hz"},
    };
    return put_numbers(x, m, &shape, p, n);
}

typedef ts_code part_reader(xpower *x, ts_message *m, const uint8_t *p, size_t n);

/* Calls for each part that is there. */
static ts_code read_parts(xpower *x, ts_message *m, const ts_value *v, part_reader *const *readers,
                          size_t count)
{
    ts_code code = TS_OK;
    for (size_t k = 0; code == TS_OK && k < count; k++) {
        if (v[k].state == TS_VALUE_READ) {
            code = readers[k](x, m, v[k].p, v[k].n);
        }
    }
    return code;
}

static ts_code detail(xpower *x, ts_message *m, const uint8_t *p, size_t n)
{
    enum { ALL = 4 };
    static const ts_field_def defs[ALL] = {
        {1, TS_FIELD_BYTES, "cpu"},
        {2, TS_FIELD_BYTES, "gpu"},
        {3, TS_FIELD_BYTES, "wifi"},
        {4, TS_FIELD_BYTES, "display"},
    };
    static part_reader *const readers[ALL] = {xpower_threads, xpower_frequencies, wifi, display};
    ts_value v[ALL];
    ts_code code = ts_fields_part(v, NULL, m, fields[DETAIL].name, defs, ALL, p, n);
    return code != TS_OK ? code : read_parts(x, m, v, readers, ALL);
}

/* --- reports ---------------------------------------------------------------------------------- */

/* The name of the application: that of the first report that has one. */
static ts_code configure(xpower *x, const ts_value *bundle)
{
    ts_text name;
    ts_code code;
    if (x->configured || bundle->state != TS_VALUE_READ || bundle->n == 0) {
        x->unnamed = x->unnamed || bundle->state != TS_VALUE_UNKNOWN;
        return TS_OK;
    }
    x->configured = true;
    code = ts_records_text(&name, &x->text, &x->records, bundle);
    return code != TS_OK ? code
                         : ts_records_config(&x->records, "xpower_config", "bundle_name", name);
}

/* A time of the report in ns, as recorded. */
static int64_t time_of(xpower *x, const ts_value *ms)
{
    int64_t ns;
    if (ts_ckd_mul(&ns, ms->i, NS_PER_MS)) {
        x->records.times.over++;
        return TS_NO_TIME;
    }
    return ns;
}

/* Is it the first report that begins then? */
static ts_code first_of_start(bool *first, xpower *x, int64_t start)
{
    uint64_t unused;
    *first = !ts_idmap_find(&unused, &x->starts, start);
    return *first ? ts_idmap_put(x->records.host->ctx, &x->starts, start, 1) : TS_OK;
}

static ts_code report(xpower *x, ts_message *m, const ts_value *v)
{
    static part_reader *const readers[] = {battery, statistic, detail, xpower_top, thermal};
    int64_t end;
    bool unused;
    ts_code code;
    x->raw = time_of(x, &v[START]);
    if ((code = ts_records_time(&x->ts, &x->wanted, &x->records, x->raw)) != TS_OK ||
        (x->wanted &&
         (code = ts_records_time(&end, &unused, &x->records, time_of(x, &v[END]))) != TS_OK) ||
        (code = configure(x, &v[BUNDLE])) != TS_OK) {
        return code;
    }
    return read_parts(x, m, &v[BATTERY], readers, THERMAL - BATTERY + 1);
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    xpower *x = self;
    ts_value v[FIELDS];
    ts_message m;
    bool first;
    ts_code code;
    TS_TRY_INTO(code, ts_records_begin(&m, &x->records, seg));
    TS_TRY_INTO(code, ts_fields_part(v, NULL, &m, NULL, fields, FIELDS, p, n));
    if (v[START].state != TS_VALUE_READ || v[END].state != TS_VALUE_READ) {
        m.faults++;
        ts_records_untimed(&x->records, &m);
    } else if ((code = first_of_start(&first, x, v[START].i)) != TS_OK || !first) {
        x->records.messages->skipped++;
        x->records.repeated++;
        return code;
    } else {
        code = report(x, &m, v);
    }
    ts_records_end(&x->records, &m);
    return code;
}

static ts_code gap(void *self, int64_t offset)
{
    xpower *x = self;
    (void)offset;
    return ts_counters_gap(&x->counters);
}

static ts_code finish(void *self)
{
    xpower *x = self;
    ts_code code = x->records.messages == NULL ? TS_OK : ts_counters_finish(&x->counters);
    if (code == TS_OK && x->unnamed && !x->configured) {
        code = ts_records_config(
            &x->records, "xpower_config", "bundle_name",
            TS_TEXT_LIT("")); /* viewers show nothing of the application without */
    }
    return code != TS_OK ? code : ts_records_finish(&x->records);
}

static void close_plugin(void *self)
{
    xpower *x = self;
    ts_ctx *ctx = x->records.host->ctx;
    ts_counters_free(&x->counters);
    ts_idmap_free(ctx, &x->starts);
    ts_buf_free(ctx, &x->text);
}

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    xpower *x = *self;
    ts_records_init(&x->records, host, "xpower-plugin");
    ts_counters_init(&x->counters, &x->records, TS_T_xpower_measure);
#define TIMED(table) ts_records_table_add(&x->records, TS_T_##table, TS_NULL_BIT(table, start_time))
    TIMED(xpower_app_statistic);
    TIMED(xpower_app_detail_cpu);
    TIMED(xpower_app_detail_gpu);
    TIMED(xpower_app_detail_wifi);
    TIMED(xpower_app_detail_display);
    TIMED(xpower_component_top);
#undef TIMED
    return TS_OK;
}

static const ts_plugin_name names[] = {
    {"xpower-plugin", TS_RECORDS_MESSAGE, NULL},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(xpower) = {
    .names = names,
    .size = sizeof(xpower),
    .open = open_plugin,
    .message = message,
    .gap = gap,
    .finish = finish,
    .close = close_plugin,
};
