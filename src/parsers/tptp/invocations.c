/*
 * Invocations: a row is reserved at the entry and completed at the exit (docs/formats.md, "TPTP
 * traces"). What stack_slice has no column for is a row of tptp_invocation, written at the end of
 * the invocation.
 */
#include "parsers/tptp/trace_session.h"

#include "base/alloc.h"

#include <inttypes.h>

enum {
    CPU_PATIENCE = 64, /* exits without a CPU time, after which rows have no place for one */
    NEAR_FRAMES = 256,
    FREE_STEPS = 1 << 20,
    STEPS_PER_EVENT = 8
};

#define LATE_COLUMNS                                                                               \
    (TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur) |                          \
     TS_NULL_BIT(stack_slice, state))

static tptp_frame *top_of(const tptp_thread *t)
{
    return t->frames.n == 0 ? NULL : &((tptp_frame *)t->frames.p)[t->frames.n - 1];
}

int64_t tptp_open_slice(const tptp_thread *t)
{
    const tptp_frame *top = t == NULL ? NULL : top_of(t);
    return top == NULL || top->gap ? 0 : top->slice;
}

static void tptp_thread_gap(tptp_thread *t)
{
    tptp_frame *frames = t->frames.p;
    tptp_aggregate_frame *aggregates = t->aggregates.p;
    tptp_open_wait *waits = t->waits.p;
    t->unsure_above = t->unsure ? t->unsure_above : t->frames.n;
    t->unsure = true;
    t->aggregates_above = t->aggregates_unsure ? t->aggregates_above : t->aggregates.n;
    t->aggregates_unsure = true;
    if (t->frames.n > 0) {
        frames[t->frames.n - 1].gap = true;
    }
    if (t->aggregates.n > 0) {
        aggregates[t->aggregates.n - 1].gap = true;
    }
    for (; t->marked < t->frames.n; t->marked++) {
        frames[t->marked].unsure = true;
    }
    for (size_t i = 0; i < t->waits.n; i++) {
        waits[i].unsure = true;
    }
    t->cpu_last = (tptp_cpu_value){0, 0};
}

void tptp_note_gaps(const tptp_session *s, tptp_thread *t)
{
    if (t->gaps != s->gaps) {
        t->gaps = s->gaps;
        tptp_thread_gap(t);
    }
}

void tptp_free_thread(tptp_session *s, tptp_thread *t)
{
    ts_vec_free(s->ctx, &t->frames);
    ts_vec_free(s->ctx, &t->aggregates);
    ts_vec_free(s->ctx, &t->waits);
    ts_vec_free(s->ctx, &t->cpu);
}

ts_code tptp_reserve_one(tptp_session *s, ts_vec *v, size_t size)
{
    enum { FIRST = 2 };
    if (v->cap > 0) {
        return ts_vec_reserve(s->ctx, v, 1, size);
    }
    v->p = ts_alloc(s->ctx, FIRST, size);
    v->cap = v->p == NULL ? 0 : FIRST;
    return v->p == NULL ? s->ctx->error.code : TS_OK;
}

/* --- what is not known ----------------------------------------------------------------------- */

static ts_code flush_nulls(tptp_session *s, tptp_null_kind kind)
{
    static const uint64_t columns[TPTP_NULL_KINDS] = {
        TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur),
        TS_NULL_BIT(stack_slice, self_dur),
        TS_NULL_BIT(stack_slice, cpu_dur),
    };
    tptp_null_range *n = &s->nulls[kind];
    ts_code code = n->first == 0 ? TS_OK
                                 : ts_sink_invalidate(s->sink, TS_T_stack_slice, n->first, n->last,
                                                      columns[kind]);
    *n = (tptp_null_range){0, 0};
    return code;
}

ts_code tptp_slice_null(tptp_session *s, tptp_null_kind kind, int64_t slice)
{
    tptp_null_range *n = &s->nulls[kind];
    if (n->first != 0 && slice == n->first - 1) {
        n->first = slice;
        return TS_OK;
    }
    if (n->first != 0 && slice == n->last + 1) {
        n->last = slice;
        return TS_OK;
    }
    ts_code code = flush_nulls(s, kind);
    *n = (tptp_null_range){slice, slice};
    return code;
}

ts_code tptp_end_calls(tptp_session *s)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; i < TPTP_NULL_KINDS && code == TS_OK; i++) {
        code = flush_nulls(s, (tptp_null_kind)i);
    }
    return code;
}

/* --- entries --------------------------------------------------------------------------------- */

static ts_code pop_frame(tptp_session *s, tptp_thread *t, int64_t ts, tptp_end end,
                         const tptp_record *r);

static ts_code exits_missing(tptp_session *s, const tptp_thread *t, uint64_t n)
{
    return ts_issue_n(s->store, s->source_id, TS_ISSUE_tptp_exit_missing, NULL, (int64_t)s->offset,
                      n, "thread %" PRId64 ": %" PRIu64 " invocations have no exit", t->id, n);
}

/*
 * What begins at a recorded depth is not inside of an invocation that has the same one or a greater
 * one: the exits of those are missing. The profiler counts methods that the trace leaves out, so
 * that a greater depth than the caller's and one shows nothing.
 */
static ts_code end_passed(tptp_session *s, tptp_thread *t, int64_t depth)
{
    uint64_t ended = 0;
    int64_t last = depth;
    ts_code code = TS_OK;
    while (depth != 0 && t->frames.n > 0 && top_of(t)->stack_depth >= depth && code == TS_OK) {
        last = top_of(t)->stack_depth;
        ended++;
        tptp_count_lost(s, TPTP_C_CALLS);
        code = pop_frame(s, t, TS_NO_TIME, TPTP_NO_EXIT, NULL);
    }
    if (ended == 0 || code != TS_OK) {
        return code;
    }
    if (last != depth) { /* more than exits is missing */
        tptp_thread_gap(t);
    }
    return exits_missing(s, t, ended);
}

/* Events of a thread are in the order of time; real traces have some that are not. */
static ts_code note_thread_time(tptp_session *s, tptp_thread *t, int64_t ts)
{
    int64_t before = t->last_ts;
    if (ts == TS_NO_TIME) {
        return TS_OK;
    }
    t->last_ts = ts;
    return before == TS_NO_TIME || ts >= before
               ? TS_OK
               : tptp_issue(s, TS_ISSUE_tptp_time_backwards,
                            "thread %" PRId64 ": an event is %" PRIu64
                            " ns earlier than the one before it",
                            t->id, (uint64_t)before - (uint64_t)ts);
}

static ts_code put_slice(tptp_session *s, const tptp_thread *t, tptp_frame *f,
                         const tptp_frame *parent, int64_t method)
{
    ts_row_stack_slice row = {
        .id = TPTP_NEXT_ROW(s, stack_slice),
        .source_id = s->source_id,
        .itid = t->itid,
        .parent_id = parent == NULL ? 0 : parent->slice,
        .ts = f->start,
        .depth = (int64_t)t->frames.n,
    };
    bool path_unsure = t->unsure && t->frames.n >= t->unsure_above;
    TS_TRY(path_unsure ? TS_OK
                       : ts_stack_node(&row.node_id, NULL, s->store, s->source_id,
                                       parent == NULL ? 0 : parent->node, method, TS_NO_LINE,
                                       (int64_t)t->frames.n, NULL));
    TS_NULL_IF(path_unsure, stack_slice, &row, node_id);
    TS_NULL_IF(path_unsure, stack_slice, &row, depth);
    f->node = row.node_id;
    f->slice = row.id;
    f->cpu_reserved = s->exits_without_cpu < CPU_PATIENCE;
    TS_NULL_IF(parent == NULL || parent->gap, stack_slice, &row, parent_id);
    TS_NULL_IF(!f->cpu_reserved, stack_slice, &row, cpu_dur);
    TPTP_NULL_TIME(stack_slice, &row, ts);
    if (s->ipid >= 0) {
        ts_process_row(s->store, s->ipid)->slice_count++;
    }
    tptp_count_imported(s, TPTP_C_CALLS);
    return ts_sink_reserve(s->sink, TS_T_stack_slice, &row,
                           LATE_COLUMNS |
                               (f->cpu_reserved ? TS_NULL_BIT(stack_slice, cpu_dur) : 0));
}

void tptp_fetch_entry(tptp_session *s, int64_t thread, int64_t method)
{
    const tptp_thread *t = thread == 0 ? NULL : tptp_thread_known(s, thread);
    uint64_t row;
    if (t != NULL && ts_idmap_find_recent(&row, &s->methods, &s->method_places, method)) {
        const tptp_frame *top = top_of(t);
        ts_stack_node_fetch(s->store, s->source_id, top == NULL ? 0 : top->node, (int64_t)row,
                            TS_NO_LINE);
    }
}

/* Has one of the innermost invocations this ticket, which only one can have? */
static bool is_open(const tptp_thread *t, int64_t ticket)
{
    enum { LOOKED_AT = 32 };
    const tptp_frame *frames = t->frames.p;
    size_t n = t->frames.n;
    for (size_t i = n; i > 0 && n - i < LOOKED_AT; i--) {
        if (frames[i - 1].ticket == ticket) {
            return true;
        }
    }
    return false;
}

/* An invocation contradicts those before it on its thread. */
static ts_code contradiction(tptp_session *s, tptp_thread *t, ts_issue_code issue, const char *what,
                             int64_t value)
{
    tptp_count_lost(s, TPTP_C_CALLS);
    return tptp_issue(s, issue, "thread %" PRId64 ": %s %" PRId64, t->id, what, value);
}

/*
 * Is the entry one that can come here? Tickets are unique and rise. before: time of the thread's
 * last event.
 */
static ts_code check_ticket(tptp_session *s, tptp_thread *t, const tptp_frame *f, int64_t before)
{
    bool earlier = f->start != TS_NO_TIME && before != TS_NO_TIME && f->start < before;
    bool again = f->ticket != 0 && f->ticket <= t->last_ticket;
    ts_code code = TS_OK;
    if (again && is_open(t, f->ticket)) {
        tptp_session_gap(s);
        tptp_note_gaps(s, t);
        code = contradiction(s, t, TS_ISSUE_tptp_ticket_twice, "open already is ticket", f->ticket);
    } else if (again && earlier) { /* a trace may use tickets again, and times may run back */
        tptp_thread_gap(t);
        code = contradiction(s, t, TS_ISSUE_tptp_order, "out of order is ticket", f->ticket);
    } else if (f->ticket == 0 && t->first_ticket != 0) {
        tptp_thread_gap(t); /* its exit will not find it */
        code = contradiction(s, t, TS_ISSUE_tptp_order, "without a ticket is an entry after",
                             t->last_ticket);
    }
    t->first_ticket = t->first_ticket == 0 ? f->ticket : t->first_ticket;
    t->last_ticket = f->ticket > t->last_ticket ? f->ticket : t->last_ticket;
    return code;
}

ts_code tptp_take_entry(tptp_session *s, const tptp_record *r)
{
    tptp_frame f = {
        .start = tptp_time(s, r),
        .method = r->num[TPTP_N_METHOD],
        .ticket = r->num[TPTP_N_TICKET],
        .object = tptp_object(r),
        .stack_depth = r->num[TPTP_N_STACK_DEPTH],
        .sequence = r->num[TPTP_N_SEQUENCE],
        .cpu = tptp_cpu_of(r),
        .cpu_entered = (r->has & ~r->bad & TPTP_BIT(CPU)) != 0,
    };
    tptp_thread *t;
    int64_t method;
    ts_code code = tptp_thread_of(&t, s, tptp_thread_id(r));
    if (code == TS_OK && t == NULL) {
        tptp_session_gap(s); /* of the thread that it is of */
        tptp_count_lost(s, TPTP_C_CALLS);
        return tptp_issue(s, TS_ISSUE_tptp_exit_unmatched, "an entry names no thread");
    }
    int64_t before = t == NULL ? TS_NO_TIME : t->last_ts;
    if (code != TS_OK || (code = note_thread_time(s, t, f.start)) != TS_OK ||
        (code = tptp_method_of(&method, s, f.method)) != TS_OK ||
        (code = tptp_class_of(&f.class_row, s, r)) != TS_OK ||
        (code = tptp_reserve_one(s, &t->frames, sizeof f)) != TS_OK ||
        (code = check_ticket(s, t, &f, before)) != TS_OK ||
        (code = end_passed(s, t, f.stack_depth)) != TS_OK) {
        return code;
    }
    const tptp_frame *parent = top_of(t);
    if (f.cpu.ns == 0 && f.cpu_entered && t->cpu_last.ns > 0) {
        t->no_cpu_is_0 = true;
        f.cpu_entered = false;
    }
    f.cpu = f.cpu_entered ? f.cpu : t->cpu_last;
    t->cpu_begin = t->cpu_begin == TS_NO_TIME ? f.start : t->cpu_begin;
    if (f.cpu_entered) {
        t->cpu_first = t->cpu_first.ns == 0 ? f.cpu : t->cpu_first;
        t->cpu_last = f.cpu;
        s->exits_without_cpu = f.cpu.ns != 0 ? 0 : s->exits_without_cpu;
    }
    bool wanted = parent == NULL ? tptp_wanted(s, f.start) : parent->slice != 0;
    if (!wanted) {
        tptp_count_skipped(s, TPTP_C_CALLS);
    } else if ((code = put_slice(s, t, &f, parent, method)) != TS_OK) {
        return code;
    }
    ((tptp_frame *)t->frames.p)[t->frames.n++] = f;
    return TS_OK;
}

/* --- exits ----------------------------------------------------------------------------------- */

static ts_code put_invocation(tptp_session *s, const tptp_frame *f, const tptp_record *r)
{
    ts_row_tptp_invocation row = {
        .id = TPTP_NEXT_ROW(s, tptp_invocation),
        .source_id = s->source_id,
        .slice_id = f->slice,
        .object_id = f->object,
        .class_id = f->class_row,
        .ticket = f->ticket,
        .stack_depth = f->stack_depth,
        .sequence = f->sequence,
        .exit_sequence = r == NULL ? 0 : r->num[TPTP_N_SEQUENCE],
        .overhead = r == NULL ? 0 : r->num[TPTP_N_OVERHEAD],
    };
    TS_NULL_ZEROS(tptp_invocation, &row, object_id, class_id, ticket, stack_depth, sequence,
                  exit_sequence, overhead);
    return ts_put_tptp_invocation(s->sink, &row);
}

/* Sets the reserved columns; dur: TS_NO_TIME when it is not known, cpu: negative then. cpu_later:
 * its row waits for the CPU time. */
static ts_code settle_times(tptp_session *s, const tptp_frame *f, int64_t dur, int64_t cpu,
                            tptp_end end, bool cpu_later)
{
    bool known = dur != TS_NO_TIME;
    int64_t values[4];
    uint64_t columns = 0;
    unsigned n = 0;
    ts_code code = TS_OK;
    if (known) {
        values[n++] = dur;
        values[n++] = dur > f->children ? dur - f->children : 0;
        columns = TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur);
    }
    if (cpu >= 0) {
        values[n++] = cpu;
        columns |= TS_NULL_BIT(stack_slice, cpu_dur);
    }
    if (end != TPTP_EXITED) { /* the state of the reserved row is TPTP_EXITED */
        values[n++] = end;
        columns |= TS_NULL_BIT(stack_slice, state);
    }
    if (cpu_later) {
        unsigned i = 0;
        for (; columns != 0 && code == TS_OK; columns &= columns - 1) {
            code = ts_sink_complete(s->sink, TS_T_stack_slice, f->slice,
                                    (unsigned)__builtin_ctzll(columns), values[i++]);
        }
    } else {
        code = ts_sink_settle(s->sink, TS_T_stack_slice, f->slice, columns, values);
    }
    if (code == TS_OK && !known) {
        code = tptp_slice_null(s, TPTP_NULL_TIMES, f->slice);
    } else if (code == TS_OK && f->unsure) {
        code = tptp_slice_null(s, TPTP_NULL_SELF, f->slice);
    }
    return code;
}

/* How long the frame lasted up to ts; its caller learns of it. */
static ts_code frame_duration(int64_t *out, tptp_session *s, const tptp_thread *t,
                              const tptp_frame *f, int64_t ts)
{
    tptp_frame *parent = t->frames.n < 2 ? NULL : top_of(t) - 1;
    int64_t dur;
    ts_code code = TS_OK;
    *out = TS_NO_TIME;
    if (ts == TS_NO_TIME || f->start == TS_NO_TIME || ts_ckd_sub(&dur, ts, f->start)) {
        if (parent != NULL) {
            parent->unsure = true;
        }
        return TS_OK;
    }
    if (dur < 0) {
        code = tptp_issue(s, TS_ISSUE_tptp_time_backwards,
                          "an invocation ends %" PRIu64 " ns before it begins",
                          (uint64_t)f->start - (uint64_t)ts);
        dur = 0;
    }
    if (parent != NULL) {
        parent->children = ts_sat_add(parent->children, dur);
    }
    *out = dur;
    return code;
}

/* Closes the topmost frame. r: its exit, or NULL. */
static ts_code pop_frame(tptp_session *s, tptp_thread *t, int64_t ts, tptp_end end,
                         const tptp_record *r)
{
    tptp_frame f = *top_of(t);
    bool exits = f.cpu_reserved && f.slice != 0 && r != NULL;
    bool waits = exits && t->cpu_mode == TPTP_CPU_UNDECIDED;
    int64_t cpu = -1;
    int64_t dur;
    ts_code code = frame_duration(&dur, s, t, &f, ts);
    t->frames.n--;
    t->marked = t->marked < t->frames.n ? t->marked : t->frames.n;
    if (end == TPTP_EXITED) {
        t->unsure = t->unsure && t->frames.n >= t->unsure_above;
    } else if (t->unsure &&
               t->frames.n < t->unsure_above) { /* what it was in may have ended, too */
        t->unsure_above = t->frames.n;
        if (t->frames.n > 0) {
            top_of(t)->gap = true;
        }
    }
    if (code != TS_OK || f.slice == 0) {
        return code;
    }
    if (exits && !waits) {
        TS_TRY_INTO(code, tptp_cpu_of_exit(&cpu, s, t, &f, r));
    }
    TS_TRY_INTO(code, settle_times(s, &f, dur, cpu, end, waits));
    if (waits) {
        code = tptp_cpu_exit(s, t, &f, r);
    } else if (f.cpu_reserved && cpu < 0) {
        code = tptp_slice_null(s, TPTP_NULL_CPU, f.slice);
    }
    return code != TS_OK ? code : put_invocation(s, &f, r);
}

bool tptp_may_search(tptp_session *s, size_t above)
{
    uint64_t free_steps = FREE_STEPS + STEPS_PER_EVENT * s->counts[TPTP_C_MESSAGES]->seen;
    s->steps++;
    return above <= NEAR_FRAMES || s->steps <= free_steps;
}

/* The frame that the exit closes: its number + 1, or 0. */
static size_t frame_of_exit(tptp_session *s, const tptp_thread *t, const tptp_record *r)
{
    const tptp_frame *frames = t->frames.p;
    int64_t ticket = r->num[TPTP_N_TICKET];
    int64_t method = r->num[TPTP_N_METHOD];
    for (size_t i = t->frames.n; i > 0; i--) {
        if (ticket != 0 ? frames[i - 1].ticket == ticket : frames[i - 1].method == method) {
            return i;
        }
        if (!tptp_may_search(s, t->frames.n - i)) {
            break;
        }
    }
    return 0;
}

/*
 * Does the exit show that events of its thread are missing? What was entered before the trace began
 * has a ticket before those of the trace; the exit of anything else had an entry.
 */
static ts_code check_exit(tptp_session *s, tptp_thread *t, const tptp_record *r, size_t frame)
{
    int64_t ticket = r->num[TPTP_N_TICKET];
    if (t == NULL) {
        tptp_session_gap(s); /* of the thread that it is of */
        return TS_OK;
    }
    t->exit_tickets = t->exit_tickets || (frame != 0 && ticket != 0);
    if (ticket == 0 && t->exit_tickets) {
        tptp_thread_gap(t);
        return contradiction(s, t, TS_ISSUE_tptp_order, "without a ticket is an exit after",
                             t->last_ticket);
    }
    if (frame == 0 &&
        (ticket == 0 ? t->frames.n > 0 : t->first_ticket != 0 && ticket >= t->first_ticket)) {
        tptp_thread_gap(t);
    }
    return TS_OK;
}

ts_code tptp_take_exit(tptp_session *s, const tptp_record *r)
{
    int64_t ts = tptp_time(s, r);
    tptp_thread *t;
    uint64_t missing = 0;
    ts_code code;
    TS_TRY_INTO(code, tptp_thread_of(&t, s, tptp_thread_id(r)));
    size_t frame = t == NULL ? 0 : frame_of_exit(s, t, r);
    bool earlier = t != NULL && ts != TS_NO_TIME && t->last_ts != TS_NO_TIME && ts < t->last_ts;
    if ((code = check_exit(s, t, r, frame)) != TS_OK ||
        (t != NULL && (code = note_thread_time(s, t, ts)) != TS_OK)) {
        return code;
    }
    if (frame == 0) {
        tptp_count_lost(s, TPTP_C_CALLS);
        if (t != NULL && r->num[TPTP_N_CPU] != 0) {
            t->cpu_last = tptp_cpu_of(r);
        }
        return tptp_issue(s, TS_ISSUE_tptp_exit_unmatched,
                          "thread %" PRId64 ": nothing with ticket %" PRId64 " is open",
                          tptp_thread_id(r), r->num[TPTP_N_TICKET]);
    }
    s->exits_without_cpu = r->num[TPTP_N_CPU] != 0 ? 0 : s->exits_without_cpu + 1;
    while (t->frames.n > frame && code == TS_OK) {
        missing++;
        tptp_count_lost(s, TPTP_C_CALLS);
        code = pop_frame(s, t, ts, TPTP_NO_EXIT, NULL);
    }
    TS_STEP_IF(code, missing > 0, exits_missing(s, t, missing));
    if (code != TS_OK) {
        return code;
    }
    if (top_of(t)->slice != 0) {
        tptp_count_imported(s, TPTP_C_CALLS);
    } else {
        tptp_count_skipped(s, TPTP_C_CALLS);
    }
    code = pop_frame(s, t, ts, TPTP_EXITED, r);
    if (missing > 0 && earlier) { /* they may not have begun yet */
        tptp_thread_gap(t);
    }
    return code;
}

ts_code tptp_close_frames(tptp_session *s, tptp_thread *t, tptp_end end)
{
    uint64_t open = t->frames.n;
    ts_code code = TS_OK;
    while (t->frames.n > 0 && code == TS_OK) {
        code = pop_frame(s, t, TS_NO_TIME, end, NULL);
    }
    TS_STEP(code, tptp_cpu_decide(s, t));
    if (code != TS_OK || open == 0) {
        return code;
    }
    return ts_issue_n(s->store, s->source_id, TS_ISSUE_tptp_frames_open, NULL, TS_NO_OFFSET, open,
                      "thread %" PRId64 ": %" PRIu64 " invocations were open at its end", t->id,
                      open);
}
