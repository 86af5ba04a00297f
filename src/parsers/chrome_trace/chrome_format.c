/* Traces of Chrome and Node.js as files: sniffing, opening, feeding, ending. */
#include "parsers/chrome_trace/chrome_trace.h"
#include "parsers/format.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

static bool head_has(const ts_sniff *s, const char *text)
{
    return memmem(s->head, s->n, text, strlen(text)) != NULL;
}

/* The first byte that is no blank. */
static char first_byte(const ts_sniff *s)
{
    size_t i = s->n >= 3 && memcmp(s->head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < s->n &&
           (s->head[i] == ' ' || s->head[i] == '\n' || s->head[i] == '\r' || s->head[i] == '\t')) {
        i++;
    }
    return i < s->n ? (char)s->head[i] : '\0';
}

static int chrome_sniff(const ts_sniff *s)
{
    bool event;
    if (s->head == NULL) {
        return TS_SNIFF_NO;
    }
    event = head_has(s, "\"ph\"") && (head_has(s, "\"ts\"") || head_has(s, "\"pid\""));
    if (s->json_key == NULL) { /* arguments, which may be long, are first in Chrome's events */
        return first_byte(s) != '['                                 ? TS_SNIFF_NO
               : event                                              ? TS_SNIFF_SURE
               : head_has(s, "\"ph\"") || head_has(s, "{\"args\":") ? TS_SNIFF_LIKELY
                                                                    : TS_SNIFF_NO;
    }
    if (strcmp(s->json_key, "traceEvents") == 0) {
        return TS_SNIFF_SURE;
    }
    if (strcmp(s->json_key, "metadata") == 0 &&
        (head_has(s, "\"DevTools\"") || head_has(s, "\"dataOrigin\""))) {
        return TS_SNIFF_LIKELY; /* DevTools puts it first; it may hold maps of sources */
    }
    return !head_has(s, "\"traceEvents\"") ? TS_SNIFF_NO : event ? TS_SNIFF_SURE : TS_SNIFF_LIKELY;
}

static void chrome_close(void *self)
{
    chrome_trace *c = self;
    ts_ctx *ctx = c->ctx;
    ts_json_free(c->json);
    ts_json_free(c->inner);
    ts_sorter_close(c->pairs);
    chrome_slices_close(c);
    chrome_profiles_close(c);
    for (uint32_t i = 0; i < c->threads.n; i++) {
        ts_vec_free(ctx, &chrome_thread_at(c, i)->track.frames);
    }
    ts_vec_free(ctx, &c->threads);
    ts_vec_free(ctx, &c->methods);
    ts_vec_free(ctx, &c->counter_series);
    ts_pool_free(ctx, &c->thread_keys);
    ts_pool_free(ctx, &c->text_ids);
    ts_pool_free(ctx, &c->names);
    ts_pool_free(ctx, &c->counter_keys);
    ts_spool_free(c->raw.spool);
    ts_buf_free(ctx, &c->raw.held);
    ts_buf_free(ctx, &c->raw.extras);
    ts_buf_free(ctx, &c->raw.clean);
    ts_json_place_free(&c->in);
    ts_buf_free(ctx, &c->fact_value);
    ts_buf_free(ctx, &c->texts);
    ts_json_place_free(&c->args.in);
    ts_buf_free(ctx, &c->args.value);
    ts_free(ctx, c);
}

/* Its source, below that of the file. */
static ts_code add_source(chrome_trace *c)
{
    const char *clock = ts_clock_name(TS_CLOCK_MONOTONIC);
    ts_row_source *source;
    ts_code code =
        ts_source_add(&c->source_id, c->store, c->job->source_id, "trace", NULL, "chrome-trace");
    if (code != TS_OK) {
        return code;
    }
    source = ts_source(c->store, c->source_id);
    return ts_source_text(c->store, c->source_id, &source->clock, clock, strlen(clock));
}

static ts_code chrome_open(void **self, ts_job *job)
{
    chrome_trace *c = ts_zalloc(job->ctx, 1, sizeof *c);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, c);
    c->job = job;
    c->ctx = job->ctx;
    c->store = job->store;
    c->sink = ts_store_sink(job->store);
    c->in = (ts_json_place){.table = &chrome_table, .user = c, .ctx = c->ctx};
    ts_json_place_begin(&c->in);
    c->wanted = TS_SPAN_ALL;
    c->first_ts = TS_NO_TIME;
    c->last_ts = TS_NO_TIME;
    if ((code = add_source(c)) != TS_OK ||
        (code = ts_json_new(&c->json, c->ctx, &ts_json_by_table, &c->in, 0)) != TS_OK ||
        (code = chrome_pairs_open(c)) != TS_OK || (code = chrome_slices_open(c)) != TS_OK ||
        (code = chrome_profiles_open(c)) != TS_OK) {
        chrome_close(c);
        return code;
    }
    *self = c;
    return TS_OK;
}

static ts_code chrome_feed(void *self, const uint8_t *p, size_t n)
{
    chrome_trace *c = self;
    bool read = ts_json_state(c->json) != TS_JSON_BAD;
    ts_code code;
    c->block = (const char *)p;
    c->block_at = c->fed;
    c->fed += n;
    code = ts_json_feed(c->json, c->block, n);
    if (code != TS_OK || !read) {
        return code;
    }
    if (ts_json_state(c->json) == TS_JSON_BAD) {
        c->broken = true;
        c->bad_byte = c->block[ts_json_position(c->json) - c->block_at];
        return TS_OK;
    }
    return chrome_raw_keep(c);
}

static ts_code chrome_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    const chrome_trace *c = self;
    *used = ts_json_state(c->json) == TS_JSON_BAD ? n : 0;
    return TS_OK;
}

/* --- the end --------------------------------------------------------------------------------- */

static ts_code note(chrome_trace *c, ts_issue_code issue, uint64_t count, int64_t at,
                    const char *text)
{
    return count == 0 ? TS_OK
                      : ts_issue_n(c->store, c->source_id, issue, NULL, at, count, "%s", text);
}

static ts_code record_issues(chrome_trace *c)
{
    const chrome_counts *n = &c->n;
    const struct {
        ts_issue_code issue;
        uint64_t count;
        int64_t at;
        const char *text;
    } notes[] = {
        {TS_ISSUE_chrome_no_events, c->done && !c->has_list ? 1 : 0, TS_NO_OFFSET,
         "traceEvents is missing"},
        {TS_ISSUE_chrome_unknown_phase, n->unknown_phases, n->first_unknown,
         "events have no phase or one that is not known"},
        {TS_ISSUE_chrome_no_time, n->no_time, n->first_no_time,
         "events of spans or counters have no time"},
        {TS_ISSUE_chrome_bad_number, n->bad_numbers, n->first_bad_number,
         "values that should be numbers or texts and are not"},
        {TS_ISSUE_chrome_negative_dur, n->negative, n->first_negative, "durations are negative"},
        {TS_ISSUE_chrome_no_id, n->no_id, TS_NO_OFFSET, "asynchronous events have no id"},
        {TS_ISSUE_chrome_end_unmatched, n->ends_unmatched, TS_NO_OFFSET,
         "spans end that did not begin in the trace"},
        {TS_ISSUE_chrome_end_missing, n->ends_missing, TS_NO_OFFSET,
         "spans have no end, and those around them have"},
        {TS_ISSUE_chrome_frames_open, n->frames_open, TS_NO_OFFSET,
         "spans were open at the end of the trace"},
        {TS_ISSUE_chrome_crossing, n->crossing, TS_NO_OFFSET,
         "spans overlap and none contains the other"},
        {TS_ISSUE_chrome_bad_counter, n->bad_counters, TS_NO_OFFSET,
         "values of counters are not numbers"},
        {TS_ISSUE_chrome_text_id, n->text_ids, TS_NO_OFFSET, "process or thread ids are texts"},
        {TS_ISSUE_chrome_text_cut, n->texts_cut, n->first_cut, "texts are longer than the limit"},
        {TS_ISSUE_chrome_bad_text, ts_json_replaced(c->json), TS_NO_OFFSET,
         "parts of texts that are not valid text became U+FFFD"},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0] && code == TS_OK; i++) {
        code = note(c, notes[i].issue, notes[i].count, notes[i].at, notes[i].text);
    }
    return code;
}

static ts_code count_items(chrome_trace *c, uint64_t bytes)
{
    const chrome_counts *n = &c->n;
    const struct {
        ts_item item;
        uint64_t seen, lost, skipped;
    } items[] = {
        {TS_ITEM_chrome_events, n->events, n->events_lost, n->events_skipped},
        {TS_ITEM_chrome_slices, n->slices, n->slices_lost, n->slices_skipped},
        {TS_ITEM_chrome_ends, n->ends, n->ends_lost, n->ends_unmatched},
        {TS_ITEM_chrome_counters, n->counters, n->counters_lost, 0},
        {TS_ITEM_chrome_values, n->bad_numbers + n->negative, n->bad_numbers + n->negative, 0},
        {TS_ITEM_chrome_texts, n->texts_cut, n->texts_cut, 0},
        {TS_ITEM_chrome_profile_nodes, n->profile_nodes, n->profile_nodes_lost, 0},
    };
    ts_code code = ts_count_add(c->store, c->job->source_id, TS_ITEM_bytes, NULL, bytes, 0, 0);
    for (size_t i = 0; i < sizeof items / sizeof items[0] && code == TS_OK; i++) {
        if (items[i].seen > 0) {
            code = ts_count_add(c->store, c->source_id, items[i].item, NULL,
                                items[i].seen - items[i].lost - items[i].skipped, items[i].lost,
                                items[i].skipped);
        }
    }
    return code;
}

/*
 * A list without an object around it needs no closing bracket, and may end with a comma. When the
 * text ends inside of an event, that one is lost.
 */
static ts_code check_end(chrome_trace *c)
{
    char reason[160];
    bool in_event = c->in.at == CHROME_EVENT || c->in.at == CHROME_ID2;
    bool bad = ts_json_state(c->json) == TS_JSON_BAD;
    c->n.events_lost += in_event && bad ? 1 : 0;
    if (!bad || c->done) {
        return !bad ? TS_OK
                    : ts_issue(c->store, c->source_id, TS_ISSUE_json_trailing_bytes, NULL,
                               (int64_t)ts_json_position(c->json),
                               "text follows the trace and was not looked at");
    }
    if (c->list_alone && c->in.at == CHROME_LIST && c->in.skip == 0 &&
        (!c->broken || (c->bad_byte == ']' && c->n.events > 0))) {
        c->done = true;
        c->no_end = true;
        return ts_issue(c->store, c->source_id, TS_ISSUE_chrome_no_end, NULL,
                        (int64_t)ts_json_position(c->json), "the list of events has no end");
    }
    c->job->text_bad = true;
    snprintf(reason, sizeof reason, "%s at byte %" PRIu64, ts_json_reason(c->json),
             ts_json_position(c->json));
    return ts_issue(c->store, c->source_id, TS_ISSUE_chrome_incomplete, NULL,
                    (int64_t)ts_json_position(c->json), "%s", reason);
}

static ts_code note_times(chrome_trace *c)
{
    ts_row_source *source = ts_source(c->store, c->source_id);
    source->complete = c->done && !c->no_end;
    if (c->first_ts != TS_NO_TIME) {
        source->start_ts = c->first_ts;
        source->end_ts = c->last_ts;
        source->null &= ~(TS_NULL_BIT(source, start_ts) | TS_NULL_BIT(source, end_ts));
        ts_range_note(c->store, TS_CLOCK_MONOTONIC, TS_RANGE_ROWS, c->first_ts);
        ts_range_note(c->store, TS_CLOCK_MONOTONIC, TS_RANGE_ROWS, c->last_ts);
    }
    return TS_OK;
}

static ts_code chrome_finish(void *self, const ts_stream_end *end)
{
    chrome_trace *c = self;
    TS_TRY(ts_json_finish(c->json));
    TS_TRY(check_end(c));
    TS_TRY(chrome_pairs_finish(c));
    TS_TRY(chrome_slices_finish(c));
    ts_stack_release(c->store, c->source_id);
    TS_TRY(chrome_profiles_finish(c));
    TS_TRY(record_issues(c));
    TS_TRY(note_times(c));
    return count_items(c, end->bytes);
}

TS_SOURCE_FORMAT(chrome_trace) = {
    .name = "chrome-trace",
    .title = "trace events of Chrome, DevTools or Node.js (Trace-*.json, node_trace.*.log)",
    .source_type = "chrome-trace",
    .sniff = chrome_sniff,
    .open = chrome_open,
    .feed = chrome_feed,
    .feed_zeros = chrome_feed_zeros,
    .finish = chrome_finish,
    .close = chrome_close,
};
