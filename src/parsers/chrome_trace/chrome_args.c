/* Arguments of metadata and counters. */
#include "parsers/chrome_trace/chrome_trace.h"

/* --- counters -------------------------------------------------------------------------------- */

static ts_code put_key_part(chrome_trace *c, ts_text part)
{
    uint32_t n = part.p == NULL ? UINT32_MAX : (uint32_t)part.n;
    ts_code code = ts_buf_put(c->ctx, &c->args.value, &n, sizeof n);
    TS_STEP(code, ts_buf_put(c->ctx, &c->args.value, part.p, part.n));
    return code;
}

static ts_code new_series(chrome_trace *c, int64_t *series, int64_t ipid)
{
    ts_text counter = chrome_text(c, &c->event.text[CHROME_NAME]);
    ts_row_timeseries row = {
        .id = (int64_t)ts_sink_rows(c->sink, TS_T_timeseries) + 1,
        .source_id = c->source_id,
    };
    ts_row_chrome_counter more = {
        .series_id = row.id,
        .ipid = ipid,
        .counter = counter,
        .event_id = chrome_text(c, &c->event.text[CHROME_ID]),
        .key = ts_buf_text(&c->args.in.key),
    };
    ts_code code;
    c->args.value.n = 0;
    code = ts_buf_put(c->ctx, &c->args.value, counter.p, counter.n);
    TS_STEP(code, ts_buf_putc(c->ctx, &c->args.value, '.'));
    TS_STEP(code, ts_buf_put(c->ctx, &c->args.value, c->args.in.key.p, c->args.in.key.n));
    row.name = ts_buf_text(&c->args.value);
    TS_SET_NULL(timeseries, &row, itid);
    TS_SET_NULL(timeseries, &row, interval);
    TS_NULL_IF(ipid < 0, chrome_counter, &more, ipid);
    *series = row.id;
    if (code != TS_OK || (code = ts_put_timeseries(c->sink, &row)) != TS_OK) {
        return code;
    }
    return ts_put_chrome_counter(c->sink, &more);
}

/* The series of (process, id, counter, key). */
static ts_code series_of(int64_t *series, chrome_trace *c)
{
    int64_t ipid = c->args.ipid;
    char short_key[TS_POOL_KEY];
    uint32_t number;
    bool added;
    int64_t *id;
    ts_code code;
    c->args.value.n = 0;
    if ((code = ts_buf_put(c->ctx, &c->args.value, &ipid, sizeof ipid)) != TS_OK ||
        (code = put_key_part(c, chrome_text(c, &c->event.text[CHROME_ID]))) != TS_OK ||
        (code = put_key_part(c, chrome_text(c, &c->event.text[CHROME_NAME]))) != TS_OK ||
        (code = put_key_part(c, ts_buf_text(&c->args.in.key))) != TS_OK ||
        (code = ts_pool_intern(c->ctx, &number, &added, &c->counter_keys,
                               ts_pool_key(short_key, c->ctx, ts_buf_text(&c->args.value)))) !=
            TS_OK) {
        return code;
    }
    if (added) {
        TS_NEED(c->ctx, id = ts_vec_add(c->ctx, &c->counter_series, sizeof *id));
        TS_TRY_INTO(code, new_series(c, series, ipid));
        ((int64_t *)c->counter_series.p)[number] = *series;
    }
    *series = ((int64_t *)c->counter_series.p)[number];
    return TS_OK;
}

static ts_code put_value(chrome_trace *c, const double *value)
{
    ts_row_timeseries_value row = {.ts = c->event.ts};
    ts_code code;
    c->n.counters++;
    if (c->event.ts == TS_NO_TIME) {
        c->n.counters_lost++;
        return TS_OK;
    }
    if (value == NULL) {
        c->n.counters_lost++;
        c->n.bad_counters++;
        TS_SET_NULL(timeseries_value, &row, value);
    } else {
        row.value = *value;
    }
    code = series_of(&row.series_id, c);
    TS_STEP(code, ts_put_timeseries_value(c->sink, &row));
    return code;
}

/* A counter has no other values than numbers. */
static ts_code on_value(void *user, const ts_json_number *number)
{
    return put_value(user, &number->d);
}

static ts_code on_odd_value(void *user, unsigned kind)
{
    const chrome_trace *c = user;
    (void)kind;
    return c->args.in.at == 0 ? TS_OK : put_value(user, NULL);
}

static ts_code on_name(void *user, const char *p, size_t n, unsigned flags)
{
    chrome_trace *c = user;
    if ((flags & TS_JSON_FIRST) != 0) {
        c->args.value.n = 0;
        c->args.has_name = true;
    }
    n = n < CHROME_TEXT_MAX - c->args.value.n ? n : CHROME_TEXT_MAX - c->args.value.n;
    while (n > 0 && c->args.value.n + n == CHROME_TEXT_MAX &&
           ((unsigned char)p[n - 1] & 0x80) != 0) {
        n--;
    }
    return ts_buf_put(c->ctx, &c->args.value, p, n);
}

static const ts_json_field name_fields[] = {
    {0, TS_JSON_OBJECT, .to = 1},
    {1, TS_JSON_TEXT, .key = "name"},
};
static const ts_json_table names = {.fields = name_fields, .count = 2, .text = on_name};

static const ts_json_field value_fields[] = {
    {0, TS_JSON_OBJECT | TS_JSON_LIST, .to = 1},
    {1, TS_JSON_NUMBER, .key = NULL}, /* of the key that was read last */
    {1, TS_JSON_NUMBER, .key = "*"},
};
static const ts_json_table values = {
    .fields = value_fields, .count = 3, .number = on_value, .odd = on_odd_value};

static ts_code read_args(chrome_trace *c, const ts_json_table *table)
{
    ts_json_place *in = &c->args.in;
    ts_code code = TS_OK;
    in->table = table;
    in->user = c;
    in->ctx = c->ctx;
    c->args.has_name = false;
    if (c->inner == NULL) {
        code = ts_json_new(&c->inner, c->ctx, &ts_json_by_table, in, 0);
    }
    ts_json_place_begin(in);
    TS_STEP(code, chrome_raw_read(c, c->inner));
    return code;
}

/* --- events ---------------------------------------------------------------------------------- */

ts_code chrome_counter(chrome_trace *c, uint32_t thread)
{
    if (c->event.ts == TS_NO_TIME) {
        c->n.first_no_time = c->n.no_time == 0 ? (int64_t)c->event.at : c->n.first_no_time;
        c->n.no_time++;
    }
    c->args.ipid = chrome_thread_at(c, thread)->ipid;
    return read_args(c, &values);
}

/* Names come late, and may come again: the last one counts. */
ts_code chrome_metadata(chrome_trace *c, uint32_t thread)
{
    const chrome_thread *t = chrome_thread_at(c, thread);
    ts_text what = chrome_text(c, &c->event.text[CHROME_NAME]);
    bool process = ts_text_is(what, "process_name");
    ts_code code;
    if (!process && !ts_text_is(what, "thread_name")) {
        return TS_OK; /* its row has the arguments */
    }
    if ((code = read_args(c, &names)) != TS_OK || !c->args.has_name) {
        return code;
    }
    if (process) {
        return t->ipid < 0 ? TS_OK
                           : ts_process_name(c->store, t->ipid, ts_buf_text(&c->args.value));
    }
    return t->itid < 0 ? TS_OK : ts_thread_name(c->store, t->itid, ts_buf_text(&c->args.value));
}
