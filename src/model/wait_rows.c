/* What threads waited for, as the rows of the question waiting: states of threads, samples of class
 * waiting and values of them, waits for locks where no events say the same. Waits that overlap
 * count each. */
#include "model/answer_rows.h"
#include "model/sample_events.h"
#include "model/select.h"
#include "model/sort_by.h"

enum { WAIT_COLUMNS = 5, ROWS_USUAL = 20 };

typedef struct reason_sum {
    uint64_t waits;
    bool counted; /* waits is known; else only their time was recorded */
    bool timed;   /* dur is known: one wait has an end */
    bool has_most;
    ts_wide dur;
    int64_t most;
    ts_idmap threads; /* those that waited */
    ts_idmap_recent recent;
} reason_sum;

typedef struct waits {
    ts_ctx *ctx;
    ts_model *m;
    ts_select select;
    ts_events *events; /* kept by the model */
    ts_pool names;     /* of reasons, "" for none */
    ts_vec reasons;    /* of reason_sum, by number of the name */
    ts_vec sources;    /* int64_t: of threads, by rowid of thread_detail */
    ts_vec methods;    /* int64_t: of call paths */
} waits;

/* One wait, or a sum of them (counted false). source 0: it has none. */
typedef struct one_wait {
    int64_t source;
    ts_cell itid;
    ts_cell dur;
    bool counted;
} one_wait;

static ts_code add_wait(waits *w, ts_text reason, const one_wait *one)
{
    uint32_t at;
    uint64_t known;
    if (!w->select.sources.all && !ts_idset_has(&w->select.sources, one->source)) {
        return TS_OK;
    }
    TS_TRY(ts_pool_intern(w->ctx, &at, NULL, &w->names, reason));
    TS_TRY(ts_vec_reach(w->ctx, &w->reasons, at, sizeof(reason_sum)));
    reason_sum *r = (reason_sum *)w->reasons.p + at;
    int64_t dur = one->dur.null ? 0 : one->dur.value;
    r->waits += one->counted;
    r->counted = r->counted || one->counted;
    r->timed = r->timed || !one->dur.null;
    r->dur += dur;
    if (one->counted && !one->dur.null && (!r->has_most || dur > r->most)) {
        r->has_most = true;
        r->most = dur;
    }
    return one->itid.null || ts_idmap_find_recent(&known, &r->threads, &r->recent, one->itid.value)
               ? TS_OK
               : ts_idmap_put(w->ctx, &r->threads, one->itid.value, 1);
}

/* --- states ----------------------------------------------------------------------------------- */

/* p NULL: it is no wait. */
static ts_text reason_of_state(ts_text state)
{
    static const struct {
        const char *state, *reason;
    } all[] = {{"S", "sleep"},   {"R", "runnable"},    {"R+", "runnable"}, {"R-B", "runnable"},
               {"D", "blocked"}, {"D-NIO", "blocked"}, {"DK", "blocked"},  {"DK-NIO", "blocked"},
               {"D-IO", "io"},   {"DK-IO", "io"},      {"I", "idle"}};
    enum { LONGEST = 6 };
    for (size_t i = 0; state.n <= LONGEST && i < sizeof all / sizeof all[0]; i++) {
        if (ts_text_is(state, all[i].state)) {
            return ts_text_of(all[i].reason);
        }
    }
    return TS_TEXT_NULL;
}

static ts_code read_states(waits *w)
{
    static const unsigned details[] = {TS_C_thread_detail__source_id};
    static const unsigned states[] = {TS_C_thread_state__state, TS_C_thread_state__itid,
                                      TS_C_thread_state__dur};
    ts_walk detail = ts_walk_of(*ts_model_rows(w->m), TS_T_thread_detail, details, 1);
    ts_walk at = ts_walk_of(*ts_model_rows(w->m), TS_T_thread_state, states, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &detail)) {
        code = ts_vec_keep(w->ctx, &w->sources, ts_walk_id(&detail), ts_walk_int(&detail, 0));
    }
    while (ts_walk_next(&code, &at)) {
        ts_text reason = reason_of_state(ts_walk_text(&at, 0));
        const one_wait one = {.itid = ts_cell_of(at.b, 1, at.row),
                              .dur = ts_cell_of(at.b, 2, at.row),
                              .source = ts_vec_kept(&w->sources, ts_walk_int(&at, 1) + 1),
                              .counted = true};
        TS_STEP_IF(code, reason.p != NULL, add_wait(w, reason, &one));
    }
    return code;
}

/* --- samples ---------------------------------------------------------------------------------- */

static ts_text name_of(const char *reason)
{
    return reason == NULL ? TS_TEXT_LIT("") : ts_text_of(reason);
}

static ts_code sample_wait(waits *w, const ts_walk *at)
{
    enum { SOURCE, ITID, DUR, NODE, EVENT };
    ts_text event = ts_walk_null(at, EVENT) ? TS_TEXT_NULL : ts_walk_text(at, EVENT);
    const one_wait one = {.source = ts_walk_int(at, SOURCE),
                          .itid = ts_cell_of(at->b, ITID, at->row),
                          .dur = ts_cell_of(at->b, DUR, at->row),
                          .counted = true};
    ts_event_kind kind;
    TS_TRY(ts_events_sample(&kind, w->events, one.source, event, ts_walk_id(at),
                            ts_vec_kept(&w->methods, ts_walk_int(at, NODE))));
    return kind.class == TS_CLASS_waiting ? add_wait(w, name_of(kind.reason), &one) : TS_OK;
}

static ts_code read_samples(waits *w)
{
    static const unsigned nodes[] = {TS_C_stack_node__method_id};
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__dur, TS_C_stack_sample__node_id,
                                       TS_C_stack_sample__event};
    ts_walk node = ts_walk_of(*ts_model_rows(w->m), TS_T_stack_node, nodes, 1);
    ts_walk at = ts_walk_of(*ts_model_rows(w->m), TS_T_stack_sample, samples, 5);
    bool any = false;
    ts_code code = ts_rows_any(&any, ts_model_rows(w->m), TS_T_stack_sample);
    while (any && ts_walk_next(&code, &node)) {
        code = ts_vec_keep(w->ctx, &w->methods, ts_walk_id(&node), ts_walk_int(&node, 0));
    }
    while (any && ts_walk_next(&code, &at)) {
        TS_STEP_IF(code, !ts_walk_null(&at, 2), sample_wait(w, &at));
    }
    return code;
}

static bool is_wait_in_ns(const ts_value_type *t)
{
    return t != NULL && t->kind.class == TS_CLASS_waiting && ts_text_is(t->unit, "ns");
}

static ts_code read_values(waits *w)
{
    static const unsigned columns[] = {TS_C_stack_sample_value__value_type_id,
                                       TS_C_stack_sample_value__value};
    ts_walk at = ts_walk_of(*ts_model_rows(w->m), TS_T_stack_sample_value, columns, 2);
    bool any = false;
    ts_code code = TS_OK;
    for (size_t i = 0; i < w->events->kinds.n; i++) {
        any = any || is_wait_in_ns(ts_events_value(w->events, (int64_t)i));
    }
    while (any && ts_walk_next(&code, &at)) {
        const ts_value_type *type = ts_events_value(w->events, ts_walk_int(&at, 0));
        if (is_wait_in_ns(type)) {
            const one_wait one = {
                .source = type->source_id, .itid = {0, true}, .dur = ts_cell_of(at.b, 1, at.row)};
            code = add_wait(w, name_of(type->kind.reason), &one);
        }
    }
    return code;
}

/* --- locks ------------------------------------------------------------------------------------ */

/* A source whose samples have an event for locks says there what its waits say. */
static ts_code lock_wait(waits *w, const ts_walk *at)
{
    ts_text kind = ts_walk_text(at, 3);
    const one_wait one = {.source = ts_walk_int(at, 0),
                          .itid = ts_cell_of(at->b, 1, at->row),
                          .dur = ts_cell_of(at->b, 2, at->row),
                          .counted = true};
    ts_event_kind event;
    TS_TRY(ts_events_kind(&event, w->events, one.source, TS_TEXT_LIT("lock"), 0, 0));
    return event.class != TS_CLASS_other
               ? TS_OK
               : add_wait(w, ts_text_is(kind, "contended") ? TS_TEXT_LIT("lock") : kind, &one);
}

static ts_code read_locks(waits *w)
{
    static const unsigned columns[] = {TS_C_lock_wait__source_id, TS_C_lock_wait__itid,
                                       TS_C_lock_wait__dur, TS_C_lock_wait__kind};
    ts_walk at = ts_walk_of(*ts_model_rows(w->m), TS_T_lock_wait, columns, 4);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &at)) {
        code = lock_wait(w, &at);
    }
    return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The longest first; those whose time is not known last. */
static int compare_reasons(const void *user, uint32_t a, uint32_t b)
{
    const waits *w = user;
    const reason_sum *x = (const reason_sum *)w->reasons.p + a;
    const reason_sum *y = (const reason_sum *)w->reasons.p + b;
    if (x->timed != y->timed) {
        return x->timed ? -1 : 1;
    }
    return x->dur != y->dur ? (x->dur < y->dur) - (x->dur > y->dur)
                            : ts_text_order(ts_pool_text(&w->names, a), ts_pool_text(&w->names, b));
}

static ts_code put_reasons(waits *w, uint32_t most, const ts_rows_visitor *visitor)
{
    uint32_t n = (uint32_t)w->reasons.n;
    ts_answer_row row = {.ctx = w->ctx};
    ts_vec order = {0};
    ts_code code = ts_vec_reserve(w->ctx, &order, (size_t)n + 1, sizeof(uint32_t));
    for (uint32_t i = 0; code == TS_OK && i < n; i++) {
        ((uint32_t *)order.p)[i] = i;
    }
    TS_STEP(code, ts_sort_by(w->ctx, order.p, n, compare_reasons, w));
    for (uint32_t i = 0; code == TS_OK && i < n && i < most; i++) {
        uint32_t at = ((const uint32_t *)order.p)[i];
        const reason_sum *r = (const reason_sum *)w->reasons.p + at;
        ts_text name = ts_pool_text(&w->names, at);
        ts_answer_begin(&row);
        ts_answer_text(&row, name.n == 0 ? TS_TEXT_NULL : name);
        ts_answer_int(&row, r->counted, (int64_t)r->waits);
        ts_answer_int(&row, r->threads.count > 0, r->threads.count);
        ts_answer_sum(&row, r->timed, r->dur);
        ts_answer_int(&row, r->has_most, r->most);
        code = ts_answer_put(&row, visitor);
    }
    ts_vec_free(w->ctx, &order);
    ts_buf_free(w->ctx, &row.text);
    return code;
}

static void waits_free(waits *w)
{
    reason_sum *all = w->reasons.p;
    for (size_t i = 0; i < w->reasons.n; i++) {
        ts_idmap_free(w->ctx, &all[i].threads);
    }
    ts_vec_free(w->ctx, &w->reasons);
    ts_vec_free(w->ctx, &w->sources);
    ts_vec_free(w->ctx, &w->methods);
    ts_pool_free(w->ctx, &w->names);
    ts_select_free(w->ctx, &w->select);
}

ts_code ts_answer_waiting(ts_model *m, const ts_param *params, size_t count,
                          const ts_rows_visitor *visitor)
{
    static const char *const names[WAIT_COLUMNS] = {"reason", "waits", "threads", "dur", "max_dur"};
    const ts_wanted wanted = {.source = ts_answer_param(params, count, "source")};
    waits w = {.ctx = ts_model_ctx(m), .m = m};
    ts_code code = ts_select_make(&w.select, m, &wanted);
    TS_STEP(code, ts_events_get(&w.events, m));
    TS_STEP(code, read_states(&w));
    TS_STEP(code, read_samples(&w));
    TS_STEP(code, read_values(&w));
    TS_STEP(code, read_locks(&w));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, WAIT_COLUMNS));
    TS_STEP(code, put_reasons(&w, ts_answer_limit(params, count, ROWS_USUAL, UINT32_MAX), visitor));
    waits_free(&w);
    return code;
}
