/* Waits for monitors: a row is reserved at the beginning and completed at the end (docs/formats.md,
 * "TPTP traces"). */
#include "parsers/tptp/trace_session.h"

#include <inttypes.h>

enum { NS_PER_MS = 1000000 };

#define LATE_WAIT (TS_NULL_BIT(lock_wait, dur) | TS_NULL_BIT(lock_wait, state))

/* --- stacks ---------------------------------------------------------------------------------- */

static ts_code put_monitor_frames(tptp_session *s, const tptp_record *r, int64_t wait,
                                  const char *phase)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < r->frame_count && code == TS_OK; i++) {
        const tptp_stack_frame *f = &r->frames[i];
        ts_row_tptp_monitor_frame row = {
            .lock_wait_id = wait,
            .phase = ts_text_of(phase),
            .level = i,
            .method = f->method.n == 0 ? TS_TEXT_NULL : f->method,
            .line = f->line,
        };
        TS_NULL_ZEROS(tptp_monitor_frame, &row, line);
        code = ts_put_tptp_monitor_frame(s->sink, &row);
    }
    return code;
}

/* "a.b.C.m" as a method. */
static ts_code frame_method(int64_t *id, tptp_session *s, ts_text text)
{
    ts_method m = {.has_raw_id = false};
    ts_text cls;
    ts_code code = tptp_class_name(&cls, s, text, 0);
    *id = 0;
    if (code != TS_OK || cls.n == 0) {
        return code;
    }
    tptp_split(&cls, &m.name, cls);
    m.name = tptp_method_name(m.name);
    if (cls.p != NULL) {
        tptp_split(&m.package, &m.cls, cls);
    }
    return ts_stack_method(id, s->store, s->source_id, &m);
}

/* The call path of a stack, from its outermost frame; 0 when it is empty. */
static ts_code node_of_frames(int64_t *node, tptp_session *s, const tptp_record *r)
{
    int64_t depth = 0;
    ts_code code = TS_OK;
    *node = 0;
    for (uint32_t i = r->frame_count; i > 0 && code == TS_OK; i--) {
        int64_t line = r->frames[i - 1].line;
        int64_t method;
        code = frame_method(&method, s, r->frames[i - 1].method);
        TS_STEP(code, ts_stack_node(node, NULL, s->store, s->source_id, *node, method,
                                    line == 0 ? TS_NO_LINE : line, depth++, NULL));
    }
    return code;
}

/* --- waits ----------------------------------------------------------------------------------- */

static bool is_contended(const tptp_record *r)
{
    return r->kind == TPTP_MON_CONTENDED_ENTER || r->kind == TPTP_MON_CONTENDED_ENTERED;
}

/* What beginnings and lone ends have in common. */
static ts_code wait_row(ts_row_lock_wait *row, tptp_session *s, const tptp_record *r,
                        const tptp_thread *t)
{
    int64_t object = tptp_object(r);
    int64_t timeout;
    uint64_t known = 0;
    int64_t slice = tptp_open_slice(t); /* before the owner, which may move threads */
    bool nameless = t == NULL;
    tptp_thread *owner = NULL;
    ts_code code =
        r->num[TPTP_N_OWNER] == 0 ? TS_OK : tptp_thread_of(&owner, s, r->num[TPTP_N_OWNER]);
    (void)ts_idmap_find(&known, &s->objects, object);
    *row = (ts_row_lock_wait){
        .id = TPTP_NEXT_ROW(s, lock_wait),
        .source_id = s->source_id,
        .kind = is_contended(r) ? TS_TEXT_LIT("contended") : TS_TEXT_LIT("wait"),
        .object_id = object,
        .class = tptp_class_text(s, (uint32_t)(known >> 32)),
        .owner_itid = owner == NULL ? 0 : owner->itid,
        .ts = tptp_time(s, r),
        .slice_id = slice,
    };
    if (r->num[TPTP_N_TIMEOUT] == 0 || ts_ckd_mul(&timeout, r->num[TPTP_N_TIMEOUT], NS_PER_MS)) {
        TS_SET_NULL(lock_wait, row, timeout);
    } else {
        row->timeout = timeout;
    }
    TS_NULL_IF(nameless, lock_wait, row, itid);
    TS_NULL_IF(owner == NULL, lock_wait, row, owner_itid);
    TPTP_NULL_TIME(lock_wait, row, ts);
    TS_NULL_ZEROS(lock_wait, row, object_id, slice_id);
    return code;
}

/* The i-th of the thread's open waits is over. dur: TS_NO_TIME when it is not known. */
static ts_code settle_wait(tptp_session *s, tptp_thread *t, size_t i, int64_t dur, int64_t state)
{
    tptp_open_wait *waits = t->waits.p;
    tptp_open_wait w = waits[i];
    int64_t values[2] = {dur, state};
    bool known = dur != TS_NO_TIME;
    memmove(&waits[i], &waits[i + 1], (--t->waits.n - i) * sizeof *waits);
    if (w.row == 0) {
        return TS_OK;
    }
    ts_code code = ts_sink_settle(s->sink, TS_T_lock_wait, w.row,
                                  known ? LATE_WAIT : TS_NULL_BIT(lock_wait, state),
                                  known ? values : values + 1);
    return code != TS_OK || known ? code
                                  : ts_sink_invalidate(s->sink, TS_T_lock_wait, w.row, w.row,
                                                       TS_NULL_BIT(lock_wait, dur));
}

static ts_code wait_without_end(tptp_session *s, tptp_thread *t)
{
    ts_code code =
        tptp_issue(s, TS_ISSUE_tptp_end_missing, "thread %" PRId64 ": a wait has no end", t->id);
    return code != TS_OK ? code : settle_wait(s, t, 0, TS_NO_TIME, 1);
}

ts_code tptp_end_waits(tptp_session *s, tptp_thread *t)
{
    ts_code code = TS_OK;
    while (t->waits.n > 0 && code == TS_OK) {
        code = wait_without_end(s, t);
    }
    return code;
}

/* A wait begins; row 0: it is outside --time-range. */
static ts_code add_wait(tptp_session *s, tptp_thread *t, const tptp_record *r, int64_t row)
{
    tptp_open_wait *open;
    ts_code code;
    if (t->waits.n >= TPTP_OPEN_WAITS && (code = wait_without_end(s, t)) != TS_OK) {
        return code;
    }
    TS_NEED(s->ctx, open = tptp_reserve_one(s, &t->waits, sizeof *open) == TS_OK
                               ? ts_vec_add(s->ctx, &t->waits, sizeof *open)
                               : NULL);
    *open = (tptp_open_wait){row, tptp_object(r), tptp_time(s, r), is_contended(r), false};
    return TS_OK;
}

ts_code tptp_take_wait(tptp_session *s, const tptp_record *r)
{
    ts_row_lock_wait row;
    tptp_thread *t = NULL;
    ts_code code = tptp_thread_of(&t, s, tptp_thread_id(r));
    int64_t itid = t == NULL ? 0 : t->itid;
    if (code == TS_OK && !tptp_wanted(s, tptp_time(s, r))) {
        return t == NULL ? TS_OK : add_wait(s, t, r, 0);
    }
    if (code != TS_OK || (code = wait_row(&row, s, r, t)) != TS_OK ||
        (code = node_of_frames(&row.node_id, s, r)) != TS_OK) {
        return code;
    }
    row.itid = itid;
    TS_NULL_ZEROS(lock_wait, &row, node_id);
    if (t == NULL) { /* no end can be found */
        TS_SET_NULL(lock_wait, &row, dur);
        row.state = 1;
        code = ts_put_lock_wait(s->sink, &row);
    } else {
        /* The owner may have been a new thread. */
        TS_TRY_INTO(code, tptp_thread_of(&t, s, tptp_thread_id(r)));
        TS_TRY_INTO(code, add_wait(s, t, r, row.id));
        code = ts_sink_reserve(s->sink, TS_T_lock_wait, &row, LATE_WAIT);
    }
    return code != TS_OK ? code : put_monitor_frames(s, r, row.id, "begin");
}

/* An end whose beginning was not seen is a row of its own. */
static ts_code lone_end(tptp_session *s, const tptp_record *r, tptp_thread *t)
{
    ts_row_lock_wait row;
    int64_t itid = t == NULL ? 0 : t->itid;
    if (!tptp_wanted(s, tptp_time(s, r))) {
        return TS_OK;
    }
    TS_TRY(wait_row(&row, s, r, t));
    TS_TRY(node_of_frames(&row.node_id, s, r));
    row.itid = itid;
    row.state = 2;
    TS_SET_NULL(lock_wait, &row, dur);
    TS_NULL_ZEROS(lock_wait, &row, node_id);
    tptp_count_skipped(s, TPTP_C_PAIRS);
    TS_TRY(tptp_issue(s, TS_ISSUE_tptp_begin_missing, "a wait has no beginning"));
    TS_TRY(ts_put_lock_wait(s->sink, &row));
    return put_monitor_frames(s, r, row.id, "end");
}

ts_code tptp_take_waited(tptp_session *s, const tptp_record *r)
{
    tptp_thread *t;
    int64_t ts = tptp_time(s, r);
    int64_t dur = TS_NO_TIME;
    ts_code code;
    TS_TRY_INTO(code, tptp_thread_of(&t, s, tptp_thread_id(r)));
    const tptp_open_wait *waits = t == NULL ? NULL : t->waits.p;
    size_t i = t == NULL ? 0 : t->waits.n;
    while (i > 0 &&
           (waits[i - 1].object != tptp_object(r) || waits[i - 1].contended != is_contended(r))) {
        i--;
    }
    if (i == 0) {
        return lone_end(s, r, t);
    }
    tptp_open_wait w = waits[i - 1];
    if (!w.unsure && ts != TS_NO_TIME && w.start != TS_NO_TIME && !ts_ckd_sub(&dur, ts, w.start)) {
        if (dur < 0) {
            code = tptp_issue(s, TS_ISSUE_tptp_time_backwards,
                              "a wait ends %" PRIu64 " ns before it begins",
                              (uint64_t)w.start - (uint64_t)ts);
            dur = 0;
        }
    } else {
        dur = TS_NO_TIME;
    }
    tptp_count_imported(s, TPTP_C_PAIRS);
    if (code != TS_OK || (code = settle_wait(s, t, i - 1, dur, 0)) != TS_OK) {
        return code;
    }
    return w.row == 0 ? TS_OK : put_monitor_frames(s, r, w.row, "end");
}
