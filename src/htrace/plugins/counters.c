#include "htrace/plugins/counters.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdlib.h>

/* The last value of a counter. */
typedef struct last_value {
    int64_t raw;   /* its time as recorded */
    int64_t rowid; /* 0: it has none, because it may lie before what is wanted */
    int64_t value;
    int64_t filter;
    bool known;  /* value */
    bool open;   /* it waits for the next one */
    bool recent; /* the counter is among those that had a value since the last gap */
} last_value;

_Static_assert(sizeof(ts_row_measure) == sizeof(ts_row_sys_mem_measure) &&
                   sizeof(ts_row_measure) == sizeof(ts_row_process_measure) &&
                   offsetof(ts_row_measure, filter_id) ==
                       offsetof(ts_row_process_measure, filter_id) &&
                   offsetof(ts_row_measure, dur) == offsetof(ts_row_process_measure, dur) &&
                   offsetof(ts_row_measure, dur) == offsetof(ts_row_sys_mem_measure, dur),
               "tables of values have the same columns");

void ts_counters_init(ts_counters *c, ts_records *records, enum ts_table_id table)
{
    *c = (ts_counters){.records = records, .table = table};
    ts_records_table_add(records, table, TS_NULL_BIT(measure, ts));
}

void ts_counters_free(ts_counters *c)
{
    if (c->records != NULL) {
        ts_idmap_free(c->records->host->ctx, &c->places);
        ts_vec_free(c->records->host->ctx, &c->open);
        ts_vec_free(c->records->host->ctx, &c->recent);
    }
}

static ts_sink *sink_of(const ts_counters *c)
{
    return ts_store_sink(c->records->host->store);
}

static ts_code find(last_value **out, ts_counters *c, int64_t filter)
{
    ts_ctx *ctx = c->records->host->ctx;
    uint64_t place;
    if (!ts_idmap_find(&place, &c->places, filter)) {
        place = c->open.n;
        TS_NEED(ctx, ts_vec_add(ctx, &c->open, sizeof(last_value)));
        TS_TRY(ts_idmap_put(ctx, &c->places, filter, place));
        ((last_value *)c->open.p)[place].filter = filter;
    }
    *out = (last_value *)c->open.p + place;
    if (!(*out)->recent) {
        int64_t *recent = ts_vec_add(ctx, &c->recent, sizeof *recent);
        TS_NEED(ctx, recent);
        *recent = (int64_t)place;
        (*out)->recent = true;
    }
    return TS_OK;
}

/* dur: TS_NO_TIME: NULL; to be completed when `reserve`. */
static ts_code put_row(ts_counters *c, const last_value *v, int64_t ts, int64_t dur, bool reserve)
{
    ts_row_measure row = {.type = TS_TEXT_LIT("measure"),
                          .ts = ts,
                          .dur = dur,
                          .value = v->value,
                          .filter_id = v->filter};
    TS_NULL_IF(ts == TS_NO_TIME, measure, &row, ts);
    TS_NULL_IF(!v->known, measure, &row, value);
    TS_NULL_IF(dur == TS_NO_TIME, measure, &row, dur);
    c->values->imported++;
    return ts_sink_reserve(sink_of(c), c->table, &row, reserve ? TS_NULL_BIT(measure, dur) : 0);
}

/* dur of a row is not known. */
static ts_code close_unknown(ts_counters *c, int64_t rowid)
{
    const int64_t none = 0;
    ts_code code = ts_sink_settle(sink_of(c), c->table, rowid, TS_NULL_BIT(measure, dur), &none);
    return code != TS_OK
               ? code
               : ts_sink_invalidate(sink_of(c), c->table, rowid, rowid, TS_NULL_BIT(measure, dur));
}

/* The value that came before ends at raw; TS_NO_TIME: it is not known when. */
static ts_code end_value(ts_counters *c, last_value *v, int64_t raw)
{
    int64_t dur = raw == TS_NO_TIME || raw < v->raw ? TS_NO_TIME : raw - v->raw;
    int64_t ts;
    bool wanted;
    ts_code code;
    v->open = false;
    c->gapped += dur == TS_NO_TIME;
    if (v->rowid != 0) {
        return dur == TS_NO_TIME ? close_unknown(c, v->rowid)
                                 : ts_sink_settle(sink_of(c), c->table, v->rowid,
                                                  TS_NULL_BIT(measure, dur), &dur);
    }
    /* It lies before what is wanted, and counts when it holds until that begins. */
    if (raw != TS_NO_TIME && ((code = ts_records_time(&ts, &wanted, c->records, raw)) != TS_OK ||
                              (ts != TS_NO_TIME && ts <= c->records->span.from))) {
        c->values->skipped += code == TS_OK;
        return code;
    }
    code = ts_records_time(&ts, &wanted, c->records, v->raw);
    return code != TS_OK ? code : put_row(c, v, ts, dur, false);
}

ts_code ts_counters_put(ts_counters *c, int64_t filter, int64_t raw, int64_t value, bool known)
{
    last_value *v = NULL;
    int64_t ts;
    bool wanted;
    ts_code code = find(&v, c, filter);
    TS_STEP_IF(code, c->values == NULL,
               ts_records_tally(&c->values, c->records, ts_schema[c->table].name));
    if (code != TS_OK || (v->open && (code = end_value(c, v, raw)) != TS_OK) ||
        (code = ts_records_time(&ts, &wanted, c->records, raw)) != TS_OK) {
        return code;
    }
    c->values->seen++;
    ts_records_lose(c->records, known ? 0 : 1);
    *v = (last_value){.raw = raw, .value = value, .filter = filter, .known = known, .recent = true};
    if (!wanted && (ts == TS_NO_TIME || ts >= c->records->span.from)) {
        c->values->skipped++;
        return TS_OK;
    }
    v->open = ts != TS_NO_TIME;
    if (!wanted) {
        return TS_OK; /* whether it counts is known when the next one comes */
    }
    code = put_row(c, v, ts, v->open ? 0 : TS_NO_TIME, v->open);
    v->rowid = (int64_t)ts_sink_rows(sink_of(c), c->table);
    return code;
}

static int by_row(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Ends all values, which have no known end; in the order of their rows, so that neighbours become
 * one range. */
ts_code ts_counters_gap(ts_counters *c)
{
    last_value *open = c->open.p;
    int64_t *recent = c->recent.p; /* places, and then rows in their place */
    size_t rows = 0;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < c->recent.n; i++) {
        last_value *v = &open[recent[i]];
        v->recent = false;
        if (v->open && v->rowid != 0) {
            recent[rows++] = v->rowid;
            v->open = false;
        } else if (v->open) {
            code = end_value(c, v, TS_NO_TIME);
        }
    }
    c->recent.n = 0;
    if (rows > 1) {
        qsort(recent, rows, sizeof *recent, by_row);
    }
    for (size_t i = 0; code == TS_OK && i < rows; i++) {
        code = close_unknown(c, recent[i]);
    }
    c->gapped += rows;
    return code;
}

ts_code ts_counters_finish(ts_counters *c)
{
    const ts_plugin_host *host = c->records->host;
    uint64_t gapped = c->gapped;
    ts_code code = ts_counters_gap(c); /* that nothing follows the last values is no loss */
    ts_records_lose(c->records, gapped);
    return code != TS_OK || gapped == 0
               ? code
               : ts_issue_n(host->store, host->source_id, TS_ISSUE_counter_gap, c->records->plugin,
                            TS_NO_OFFSET, gapped, "%s: dur of %" PRIu64 " values is not known",
                            ts_schema[c->table].name, gapped);
}
