#include "parsers/tptp/trace_session.h"

#include "base/alloc.h"

/* Wall time, not the time since something began (docs/formats.md, "TPTP traces"): 2000 to 2100. */
#define WALL_FROM INT64_C(946684800000000000)
#define WALL_TO INT64_C(4102444800000000000)

ts_code tptp_session_begin(tptp_session **out, ts_job *job, const char *format)
{
    static const ts_item items[TPTP_C_COUNT] = {TS_ITEM_tptp_messages, TS_ITEM_tptp_values,
                                                TS_ITEM_tptp_definitions, TS_ITEM_tptp_calls,
                                                TS_ITEM_tptp_pairs};
    tptp_session *s = ts_zalloc(job->ctx, 1, sizeof *s);
    *out = s;
    TS_NEED(job->ctx, s);
    s->ctx = job->ctx;
    s->store = job->store;
    s->sink = ts_store_sink(job->store);
    s->job = job;
    s->wanted = TS_SPAN_ALL;
    s->ipid = -1;
    s->thread_last = SIZE_MAX;
    s->first_ts = TS_NO_TIME;
    s->last_ts = TS_NO_TIME;
    ts_code code =
        ts_source_add(&s->source_id, job->store, job->source_id, "session", job->label, format);
    for (unsigned i = 0; i < TPTP_C_COUNT && code == TS_OK; i++) {
        code = ts_count(&s->counts[i], job->store, s->source_id, items[i], NULL);
    }
    return code;
}

void tptp_session_free(tptp_session *s)
{
    if (s == NULL) {
        return;
    }
    for (size_t i = 0; i < s->thread_list.n; i++) {
        tptp_free_thread(s, tptp_thread_at(s, i));
    }
    ts_vec_free(s->ctx, &s->thread_list);
    ts_vec_free(s->ctx, &s->class_list);
    ts_vec_free(s->ctx, &s->pauses);
    ts_idmap_free(s->ctx, &s->nodes);
    ts_idmap_free(s->ctx, &s->processes);
    ts_idmap_free(s->ctx, &s->agents);
    ts_idmap_free(s->ctx, &s->traces);
    ts_idmap_free(s->ctx, &s->threads);
    ts_idmap_free(s->ctx, &s->classes);
    ts_idmap_free(s->ctx, &s->methods);
    ts_idmap_free(s->ctx, &s->dumps);
    ts_idmap_free(s->ctx, &s->objects);
    ts_pool_free(s->ctx, &s->names);
    ts_buf_free(s->ctx, &s->trace_id);
    for (unsigned i = 0; i < sizeof s->scratch / sizeof s->scratch[0]; i++) {
        ts_buf_free(s->ctx, &s->scratch[i]);
    }
    ts_free(s->ctx, s);
}

ts_code tptp_fact(tptp_session *s, const char *key, ts_text value)
{
    return ts_source_property(s->store, s->source_id, key, value);
}

bool tptp_session_is_over(const tptp_session *s, const tptp_record *r)
{
    ts_text id = r->text[TPTP_S_TRACE];
    return s->trace_ended && r->kind == TPTP_TRACE_START &&
           (id.n != s->trace_id.n || (id.n > 0 && memcmp(id.p, s->trace_id.p, id.n) != 0));
}

/* --- time ------------------------------------------------------------------------------------ */

/* The first time says what the times count from. */
static ts_code begin_clock(tptp_session *s, int64_t ts)
{
    ts_row_source *source = ts_source(s->store, s->source_id);
    s->timed = true;
    s->clock = ts >= WALL_FROM && ts < WALL_TO ? TS_CLOCK_REALTIME : TS_CLOCK_RELATIVE;
    const char *name = ts_clock_name(s->clock);
    if (!ts_wanted_span(&s->wanted, s->ctx, s->clock, NULL, ts)) {
        s->wanted = TS_SPAN_ALL;
        TS_TRY(ts_issue(s->store, s->source_id, TS_ISSUE_time_range_unrelated, NULL, TS_NO_OFFSET,
                        "the times count from an unknown moment"));
    }
    return ts_source_text(s->store, s->source_id, &source->clock, name, strlen(name));
}

static ts_code note_time(tptp_session *s, const tptp_record *r)
{
    int64_t ts = r->num[TPTP_N_TIME];
    ts_code code;
    if ((r->has & ~r->bad & TPTP_BIT(TIME)) == 0) {
        return TS_OK;
    }
    if (!s->timed && ts != 0 && (code = begin_clock(s, ts)) != TS_OK) {
        return code;
    }
    if ((ts != 0 || s->clock == TS_CLOCK_RELATIVE) && tptp_wanted(s, ts)) {
        s->first_ts = s->first_ts == TS_NO_TIME || ts < s->first_ts ? ts : s->first_ts;
        s->last_ts = s->last_ts == TS_NO_TIME || ts > s->last_ts ? ts : s->last_ts;
    }
    return TS_OK;
}

static ts_code end_clock(tptp_session *s)
{
    ts_row_source *source = ts_source(s->store, s->source_id);
    ts_code code = TS_OK;
    if (s->first_ts != TS_NO_TIME) {
        source->start_ts = s->first_ts;
        source->end_ts = s->last_ts;
        source->null &= ~(TS_NULL_BIT(source, start_ts) | TS_NULL_BIT(source, end_ts));
        ts_range_note(s->store, s->clock, TS_RANGE_ROWS, s->first_ts);
        ts_range_note(s->store, s->clock, TS_RANGE_ROWS, s->last_ts);
        code = tptp_fact(s, "time_base",
                         s->clock == TS_CLOCK_RELATIVE ? TS_TEXT_LIT("relative")
                                                       : TS_TEXT_LIT("1970"));
    }
    TS_STEP_IF(code, (s->cpu_ns || s->cpu_ticks),
               tptp_fact(s, "cpu_unit",
                         !s->cpu_ns     ? TS_TEXT_LIT("ticks")
                         : s->cpu_ticks ? TS_TEXT_LIT("ticks and ns")
                                        : TS_TEXT_LIT("ns")));
    return code;
}

/* --- records --------------------------------------------------------------------------------- */

static tptp_taker *const takers[TPTP_KINDS + 1] = {
#define X(id, name, number, fields, variant, taker) [TPTP_##id] = tptp_take_##taker,
    TPTP_EVENTS(X)
#undef X
        [TPTP_OTHER] = tptp_take_event,
};

/* Numbers that cannot be read are NULL in the rows. */
static ts_code count_bad(tptp_session *s, const tptp_record *r)
{
    unsigned n = (unsigned)__builtin_popcountll(r->bad);
    /* It is not known which invocation begins or ends. */
    if ((r->kind == TPTP_METHOD_ENTRY || r->kind == TPTP_METHOD_EXIT) &&
        (r->bad & (TPTP_BIT(THREAD) | TPTP_BIT(TRANSIENT_THREAD) | TPTP_BIT(TICKET) |
                   TPTP_BIT(METHOD))) != 0) {
        tptp_session_gap(s);
    }
    s->counts[TPTP_C_VALUES]->seen += n;
    s->counts[TPTP_C_VALUES]->lost += n;
    return ts_issue_n(s->store, s->source_id, TS_ISSUE_tptp_value_bad, NULL, (int64_t)s->offset, n,
                      "%s: %u numbers cannot be read or do not fit",
                      r->kind == TPTP_OTHER ? "an element" : tptp_events[r->kind].name, n);
}

ts_code tptp_session_take(tptp_session *s, const tptp_record *r)
{
    ts_code code;
    s->offset = r->offset;
    tptp_count_imported(s, TPTP_C_MESSAGES);
    if ((r->bad != 0 && (code = count_bad(s, r)) != TS_OK) || (code = note_time(s, r)) != TS_OK) {
        return code;
    }
    return takers[r->kind](s, r);
}

ts_code tptp_session_end(tptp_session *s)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < s->thread_list.n && code == TS_OK; i++) {
        tptp_thread *t = tptp_thread_at(s, i);
        code = tptp_close_frames(s, t, TPTP_STILL_OPEN);
        TS_STEP(code, tptp_end_waits(s, t));
        tptp_free_thread(s, t);
    }
    TS_STEP(code, tptp_end_calls(s));
    TS_STEP(code, tptp_end_pauses(s));
    TS_STEP(code, end_clock(s));
    ts_stack_release(s->store, s->source_id);
    return code;
}
