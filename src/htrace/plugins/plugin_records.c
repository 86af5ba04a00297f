#include "htrace/plugins/plugin_records.h"

#include "base/ckd.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S INT64_C(1000000000)

void ts_records_init(ts_records *r, const ts_plugin_host *host, const char *plugin)
{
    *r = (ts_records){.host = host, .plugin = plugin, .span = TS_SPAN_ALL};
    r->times.clocks = host->clocks;
    r->recorded = TS_CLOCK_REALTIME;
}

void ts_records_table_add(ts_records *r, enum ts_table_id table, uint64_t columns)
{
    const ts_sink *sink = ts_store_sink(r->host->store);
    r->tables[r->table_count++] =
        (ts_records_table){table, columns, (int64_t)ts_sink_rows(sink, table) + 1};
}

/* --- clocks ----------------------------------------------------------------------------------- */

/* The clock that times are converted to as far as the clocks are known now. */
static ts_clock clock_now(const ts_records *r)
{
    ts_htrace_times unused = {.clocks = r->times.clocks};
    ts_clock clock;
    (void)ts_htrace_time(&clock, &unused, r->recorded, 0);
    return clock;
}

static ts_code choose_span(ts_records *r, int64_t raw)
{
    ts_htrace_times unused = {.clocks = r->times.clocks};
    int64_t first = ts_htrace_time(&r->shown, &unused, r->recorded, raw);
    return ts_htrace_wanted(&r->span, r->host, r->plugin, r->shown, first);
}

/* Moves the rows of a table; known: the clocks show times that fit. */
static ts_code move_rows(ts_records *r, ts_records_table *t, bool known, int64_t delta)
{
    ts_sink *sink = ts_store_sink(r->host->store);
    int64_t first = t->first;
    int64_t last = (int64_t)ts_sink_rows(sink, t->table);
    t->first = last + 1;
    if (last < first) {
        return TS_OK;
    }
    if (known) {
        return ts_sink_move(sink, t->table, first, last, t->columns, delta);
    }
    r->times.over += (uint64_t)(last - first) + 1;
    return ts_sink_invalidate(sink, t->table, first, last, t->columns);
}

/* Moves what was put before the clocks were known. */
static ts_code follow_clocks(ts_records *r)
{
    ts_code code = TS_OK;
    int64_t delta;
    bool known;
    if (!r->timed || r->shown == clock_now(r)) {
        return TS_OK;
    }
    known = ts_clock_convert(&delta, r->times.clocks, r->recorded, TS_CLOCK_BOOTTIME, 0) &&
            delta != TS_NO_TIME;
    for (size_t i = 0; code == TS_OK && i < r->table_count; i++) {
        code = move_rows(r, &r->tables[i], known, delta);
    }
    return code != TS_OK ? code : choose_span(r, r->begin);
}

/* --- messages --------------------------------------------------------------------------------- */

/* What is not known here is for the plugin to say. */
static ts_code begin_clock(const ts_records *r)
{
    return r->recorded == TS_CLOCK_UNKNOWN
               ? TS_OK
               : ts_datasource_clock(r->host->store, r->plugin, r->recorded);
}

ts_code ts_records_begin(ts_message *m, ts_records *r, const ts_segment *seg)
{
    ts_store *store = r->host->store;
    ts_code code;
    *m = (ts_message){.host = r->host, .seg = seg};
    if (r->messages == NULL && ((code = begin_clock(r)) != TS_OK ||
                                (code = ts_count(&r->messages, store, r->host->source_id,
                                                 TS_ITEM_plugin_messages, r->plugin)) != TS_OK)) {
        return code;
    }
    r->messages->seen++;
    return follow_clocks(r);
}

bool ts_records_again(ts_records *r, const ts_message *m, const uint8_t *p, size_t n)
{
    ts_hash hash = ts_hash_begin(&r->host->ctx->hash_key);
    uint64_t now;
    bool again;
    ts_hash_word(&hash, (uint64_t)m->seg->ts);
    ts_hash_bytes(&hash, (const char *)p, n);
    now = ts_hash_end(&hash);
    again = n > 0 && now == r->message && r->has_message && !m->seg->truncated;
    r->message = now;
    r->has_message = !m->seg->truncated;
    r->messages->skipped += again;
    r->repeated += again;
    return again;
}

void ts_records_end(ts_records *r, const ts_message *m)
{
    *(m->faults > 0 ? &r->messages->lost : &r->messages->imported) += 1;
}

ts_code ts_records_tally(ts_tally **out, const ts_records *r, const char *part)
{
    char detail[96];
    snprintf(detail, sizeof detail, "%s%s%s", r->plugin, part == NULL ? "" : ".",
             part == NULL ? "" : part);
    return ts_count(out, r->host->store, r->host->source_id, TS_ITEM_plugin_records, detail);
}

ts_code ts_records_row(bool *put, const ts_records *r, const char *part, bool some, bool wanted)
{
    ts_tally *tally;
    ts_code code = ts_records_tally(&tally, r, part);
    *put = code == TS_OK && some && wanted;
    if (code == TS_OK) {
        tally->seen++;
        *(!some ? &tally->lost : wanted ? &tally->imported : &tally->skipped) += 1;
    }
    return code;
}

/* --- times ------------------------------------------------------------------------------------ */

int64_t ts_records_ns(ts_records *r, int64_t sec, int64_t part)
{
    int64_t ns;
    if (ts_ckd_mul(&ns, sec, NS_PER_S) || ts_ckd_add(&ns, ns, part)) {
        r->times.over++;
        return TS_NO_TIME;
    }
    return ns;
}

static void note(ts_records *r, int64_t raw)
{
    r->first = !r->noted || raw < r->first ? raw : r->first;
    r->last = !r->noted || raw > r->last ? raw : r->last;
    r->noted = true;
}

ts_code ts_records_time(int64_t *ts, bool *wanted, ts_records *r, int64_t raw)
{
    ts_clock clock;
    ts_code code = TS_OK;
    *ts = TS_NO_TIME;
    if (!r->timed && raw != TS_NO_TIME) {
        r->timed = true;
        r->begin = raw;
        code = choose_span(r, raw);
    }
    *ts = ts_htrace_time(&clock, &r->times, r->recorded, raw);
    *wanted = *ts == TS_NO_TIME ? r->host->ctx->time_range.kind == TS_WANTED_ALL
                                : ts_span_has(&r->span, *ts);
    if (*wanted && raw != TS_NO_TIME) {
        note(r, raw);
    }
    return code;
}

void ts_records_untimed(ts_records *r, const ts_message *m)
{
    r->first_untimed = r->untimed == 0 ? m->seg->offset : r->first_untimed;
    r->untimed++;
}

int64_t ts_records_outer(ts_records *r, const ts_message *m)
{
    if (!m->seg->timed) {
        ts_records_untimed(r, m);
        return TS_NO_TIME;
    }
    return m->seg->ts; /* what does not fit was recorded by the container */
}

/* --- values ----------------------------------------------------------------------------------- */

ts_code ts_records_text(ts_text *out, ts_buf *buf, ts_records *r, const ts_value *value)
{
    uint64_t replaced = 0;
    ts_code code;
    *out = ts_value_text(value);
    if (out->p == NULL) {
        ts_records_lose(r, 1);
        return TS_OK;
    }
    if (ts_utf8_valid(out->p, out->n)) {
        return TS_OK;
    }
    buf->n = 0;
    code = ts_utf8_clean(r->host->ctx, buf, &replaced, out->p, out->n);
    r->replaced++;
    *out = ts_buf_text(buf);
    return code;
}

int64_t ts_records_int(uint64_t *null, uint64_t bit, ts_records *r, const ts_value *value)
{
    if (value->state == TS_VALUE_UNKNOWN) {
        *null |= bit;
        ts_records_lose(r, 1);
        return 0;
    }
    return value->i;
}

ts_code ts_records_config(const ts_records *r, const char *source, const char *key, ts_text value)
{
    const ts_row_trace_config row = {.id = ts_records_next(r, TS_T_trace_config),
                                     .trace_source = ts_text_of(source),
                                     .key = ts_text_of(key),
                                     .value = value};
    return ts_put_trace_config(ts_store_sink(r->host->store), &row);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Values of rows that are not known. */
static ts_code count_values(const ts_records *r)
{
    ts_tally *tally;
    uint64_t n = r->lost_values + r->untimed + r->times.over;
    ts_code code = TS_OK;
    if (n == 0) {
        return TS_OK;
    }
    code = ts_count(&tally, r->host->store, r->host->source_id, TS_ITEM_plugin_values, r->plugin);
    if (code == TS_OK) {
        tally->seen += n;
        tally->lost += n;
    }
    return code;
}

static void note_range(const ts_records *r)
{
    ts_htrace_times unused = {.clocks = r->times.clocks};
    const int64_t ends[] = {r->first, r->last};
    for (size_t i = 0; r->noted && i < 2; i++) {
        ts_clock clock;
        int64_t ts = ts_htrace_time(&clock, &unused, r->recorded, ends[i]);
        ts_range_note(r->host->store, clock, TS_RANGE_ROWS, ts);
    }
}

ts_code ts_records_finish(ts_records *r)
{
    ts_store *store = r->host->store;
    const int64_t id = r->host->source_id;
    ts_code code;
    if (r->messages == NULL) {
        return TS_OK;
    }
    TS_TRY_INTO(code, follow_clocks(r));
    TS_TRY_INTO(code, ts_htrace_times_finish(&r->times, store, id, r->plugin));
    TS_TRY_INTO(code, count_values(r));
    note_range(r);
    if (r->repeated > 0) {
        code = ts_issue_n(store, id, TS_ISSUE_sample_repeated, r->plugin, TS_NO_OFFSET, r->repeated,
                          "%" PRIu64 " messages are repeated", r->repeated);
    }
    TS_STEP_IF(code, r->untimed > 0,
               ts_issue_n(store, id, TS_ISSUE_record_untimed, r->plugin, r->first_untimed,
                          r->untimed, "the time of %" PRIu64 " records is not known", r->untimed));
    if (code == TS_OK && r->replaced > 0) {
        code = ts_issue_n(store, id, TS_ISSUE_plugin_bad_text, r->plugin, TS_NO_OFFSET, r->replaced,
                          "ill-formed bytes of %" PRIu64 " texts were replaced", r->replaced);
    }
    return code;
}
