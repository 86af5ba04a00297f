/*
 * cpu-plugin: the load of all CPUs and the number of processes, measured at intervals. One row of
 * cpu_usage for each interval. Docs: docs/formats.md, "cpu-plugin".
 */
#include "htrace/plugins/fields.h"
#include "htrace/plugins/sampling.h"

#include "base/ckd.h"
#include "wire/wire.h"

#include <inttypes.h>

/* Fields of a message (CpuData). What is inside of the first two has no columns. */
enum { USAGE, THREADS, PROCESSES, USER, SYSTEM, TOTAL, FIELDS, COLUMNS = 4 };

static const ts_field_def fields[FIELDS] = {
    [USAGE] = {1, TS_FIELD_BYTES, "cpu_usage_info"}, [THREADS] = {2, TS_FIELD_BYTES, "thread_info"},
    [PROCESSES] = {3, TS_FIELD_INT, "process_num"},  [USER] = {4, TS_FIELD_REAL, "user_load"},
    [SYSTEM] = {5, TS_FIELD_REAL, "sys_load"},       [TOTAL] = {6, TS_FIELD_REAL, "total_load"},
};

static ts_code put(const ts_plugin_host *host, const ts_interval *interval)
{
    ts_row_cpu_usage row = *(const ts_row_cpu_usage *)interval->at;
    row.ts = interval->ts;
    row.dur = interval->dur;
    row.total_load = ts_sampling_cut(host, row.total_load); /* QP-3 */
    TS_NULL_IF(interval->ts == TS_NO_TIME, cpu_usage, &row, ts);
    TS_NULL_IF(interval->dur == TS_NO_TIME, cpu_usage, &row, dur);
    return ts_put_cpu_usage(ts_store_sink(host->store), &row);
}

static const ts_sampling_kind kind = {
    .plugin = "cpu-plugin",
    .received = "trace_cpu_usage",
    .record = sizeof(ts_row_cpu_usage),
    .put = put,
};

/* The columns that a message gives. */
static ts_row_cpu_usage columns(const ts_value *v)
{
    ts_row_cpu_usage row = {
        .total_load = v[TOTAL].d,
        .user_load = v[USER].d,
        .system_load = v[SYSTEM].d,
        .process_num = v[PROCESSES].i,
    };
    TS_NULL_IF(v[TOTAL].state == TS_VALUE_UNKNOWN, cpu_usage, &row, total_load);
    TS_NULL_IF(v[USER].state == TS_VALUE_UNKNOWN, cpu_usage, &row, user_load);
    TS_NULL_IF(v[SYSTEM].state == TS_VALUE_UNKNOWN, cpu_usage, &row, system_load);
    TS_NULL_IF(v[PROCESSES].state == TS_VALUE_UNKNOWN, cpu_usage, &row, process_num);
    return row;
}

/* What no CPU can have measured stays as it was recorded, with a warning. */
static ts_code check(const ts_plugin_host *host, const ts_segment *seg, const ts_value *v)
{
    ts_code code = TS_OK;
    for (unsigned k = PROCESSES; code == TS_OK && k < FIELDS; k++) {
        if (v[k].state == TS_VALUE_READ && (k == PROCESSES ? v[k].i < 0 : v[k].d < 0)) {
            code = ts_issue(host->store, host->source_id, TS_ISSUE_plugin_odd_value, seg->plugin,
                            seg->offset, "message %" PRIu64 ": %s is negative", seg->number,
                            fields[k].name);
        }
    }
    return code;
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    ts_sampling *s = self;
    const ts_plugin_host *host = ts_sampling_host(s);
    ts_message m = {.host = host, .seg = seg};
    ts_value v[FIELDS];
    ts_row_cpu_usage row;
    unsigned unknown;
    bool damaged;
    ts_code code;
    TS_TRY_INTO(code, ts_fields_part(v, &damaged, &m, NULL, fields, FIELDS, p, n));
    TS_TRY_INTO(code, ts_fields_extra(host, seg, &fields[USAGE], &v[USAGE], 2));
    row = columns(v);
    unknown = (unsigned)__builtin_popcountll(row.null);
    if (v[USAGE].state == TS_VALUE_ABSENT) {
        return ts_sampling_none(s);
    }
    if (v[USAGE].state == TS_VALUE_UNKNOWN || (damaged && unknown == COLUMNS)) {
        return ts_sampling_lost(s);
    }
    code = check(host, seg, v);
    return code != TS_OK ? code : ts_sampling_add(s, seg, &row, damaged, unknown);
}

/* Field 1 first, of which the whole may be too long to be looked at; after it nothing but the
 * other fields. */
static bool reads(const uint8_t *p, size_t n, uint64_t size)
{
    ts_wire_field field;
    ts_wire wire;
    bool first = true;
    if (n < size) {
        ts_bytes look = {.p = p + 1, .n = n - 1};
        uint64_t length;
        return p[0] == (1 << 3 | TS_WIRE_BYTES) && ts_get_varint(&length, &look) &&
               length <= size - 1 - look.at;
    }
    for (ts_wire_init(&wire, p, n); ts_wire_next(&field, &wire); first = false) {
        ts_wire_type type = field.number <= 2   ? TS_WIRE_BYTES
                            : field.number == 3 ? TS_WIRE_VARINT
                                                : TS_WIRE_FIXED64;
        if (field.number > 6 || field.type != type || first != (field.number == 1)) {
            return false;
        }
    }
    return !first && wire.fault == TS_WIRE_OK;
}

TS_SAMPLING_PLUGIN(cpu, "cpu-plugin", &kind, reads);
