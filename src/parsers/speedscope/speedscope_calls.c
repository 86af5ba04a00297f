/* Profiles of calls: each becomes a row of stack_slice, or samples where nothing has times. */
#include "parsers/speedscope/speedscope.h"

/* What reading events has come to. */
typedef enum calls_end { CALLS_GOOD, CALLS_NESTING, CALLS_ORDER } calls_end;

static scope_call *top_call(const scope_writer *w)
{
    return w->open.n == 0 ? NULL : (scope_call *)w->open.p + w->open.n - 1;
}

static bool is_timed(const scope_writer *w)
{
    return w->type.id == 0;
}

static ts_code open_call(scope_writer *w, int64_t frame, int64_t ts)
{
    scope_call *parent = top_call(w);
    scope_call call = {.frame = frame, .ts = ts};
    scope_call *added;
    ts_row_stack_slice row = {
        .id = (int64_t)ts_sink_rows(w->s->sink, TS_T_stack_slice) + 1,
        .source_id = w->source_id,
        .itid = w->itid,
        .parent_id = parent == NULL ? 0 : parent->slice,
        .ts = ts,
        .depth = (int64_t)w->open.n,
    };
    ts_code code =
        scope_node(&call.node, w, parent == NULL ? 0 : parent->node, frame, (int64_t)w->open.n);
    if (code == TS_OK && is_timed(w)) {
        row.node_id = call.node;
        call.slice = row.id;
        ts_count_slice(w->s->job->store, w->itid);
        TS_SET_NULL(stack_slice, &row, cpu_dur);
        TS_NULL_IF(parent == NULL, stack_slice, &row, parent_id);
        code = ts_sink_reserve(w->s->sink, TS_T_stack_slice, &row,
                               TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur) |
                                   TS_NULL_BIT(stack_slice, state));
    }
    if (code != TS_OK) {
        return code;
    }
    TS_NEED(w->s->job->ctx, added = ts_vec_add(w->s->job->ctx, &w->open, sizeof *added));
    *added = call;
    return TS_OK;
}

/* state: of stack_slice. A call whose end is not known has no length. */
static ts_code end_call(scope_writer *w, int64_t ts, int64_t state)
{
    scope_call call = *top_call(w);
    int64_t values[3] = {0, 0, state};
    uint64_t lengths = TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur);
    ts_code code;
    w->open.n--;
    if (!is_timed(w)) {
        return TS_OK;
    }
    if (state == 0) { /* times do not fall, so neither is negative */
        values[0] = ts_sat_sub(ts, call.ts);
        values[1] = ts_sat_sub(values[0], call.children);
        if (w->open.n > 0) {
            top_call(w)->children = ts_sat_add(top_call(w)->children, values[0]);
        }
    }
    code = ts_sink_settle(w->s->sink, TS_T_stack_slice, call.slice,
                          lengths | TS_NULL_BIT(stack_slice, state), values);
    return code != TS_OK || state == 0
               ? code
               : ts_sink_invalidate(w->s->sink, TS_T_stack_slice, call.slice, call.slice, lengths);
}

/* One event; *end says why no other can be read. */
static ts_code take_event(calls_end *end, scope_writer *w, int64_t *last, int64_t type,
                          int64_t frame, int64_t ts)
{
    const scope_call *top = top_call(w);
    ts_code code = TS_OK;
    if (type < 0 || (type == 0 && (top == NULL || top->frame != frame))) {
        *end = CALLS_NESTING;
        return TS_OK;
    }
    if (ts == TS_NO_TIME || (*last != TS_NO_TIME && ts < *last)) {
        *end = CALLS_ORDER;
        return TS_OK;
    }
    if (!is_timed(w) && top != NULL && ts > *last) {
        code = scope_put_sample(w, top->node, TS_NO_TIME, ts_sat_sub(ts, *last));
    }
    *last = ts;
    if (is_timed(w)) {
        ts_range_note(w->s->job->store, TS_CLOCK_RELATIVE, TS_RANGE_ROWS, ts);
    }
    if (code != TS_OK) {
        return code;
    }
    return type == 1 ? open_call(w, frame, ts) : end_call(w, ts, 0);
}

static ts_code calls_issue(scope_writer *w, calls_end end, uint64_t open)
{
    ts_store *store = w->s->job->store;
    ts_code code = TS_OK;
    if (end == CALLS_ORDER) {
        return ts_issue(store, w->source_id, TS_ISSUE_prof_bad_order, NULL, TS_NO_OFFSET,
                        "the time of an event is before that of the one before, or is not known");
    }
    if (end == CALLS_NESTING) {
        return ts_issue(store, w->source_id, TS_ISSUE_prof_bad_nesting, NULL, TS_NO_OFFSET,
                        "an event ends a call that is not the innermost one, or is not an event");
    }
    if (open > 0) {
        code = ts_issue_n(store, w->source_id, TS_ISSUE_prof_bad_nesting, NULL, TS_NO_OFFSET, open,
                          "calls do not end");
    }
    return code;
}

ts_code scope_write_calls(scope_writer *w)
{
    ts_spool_cursor c;
    calls_end end = CALLS_GOOD;
    int64_t last = TS_NO_TIME;
    uint64_t i = 0;
    uint64_t open;
    ts_code code = TS_OK;
    ts_spool_rewind(&c, w->s->events);
    c.off = w->profile->events_at;
    for (; i < w->profile->events && code == TS_OK && end == CALLS_GOOD; i++) {
        int64_t type = -1, frame = -1;
        scope_number at;
        bool over;
        TS_TRY_INTO(code, ts_spool_next_int(&type, &over, &c));
        TS_TRY_INTO(code, ts_spool_next_int(&frame, &over, &c));
        TS_TRY_INTO(code, scope_next_number(&at, &c));
        code = take_event(&end, w, &last, type, frame, scope_scaled(w, &at));
    }
    w->events = w->profile->events;
    w->events_lost = end == CALLS_GOOD ? 0 : w->profile->events - i + 1;
    open = w->open.n;
    while (code == TS_OK && w->open.n > 0) {
        code = end_call(w, 0, end == CALLS_GOOD && w->profile->complete ? 1 : 2);
    }
    TS_STEP(code, calls_issue(w, end, open));
    return code;
}
