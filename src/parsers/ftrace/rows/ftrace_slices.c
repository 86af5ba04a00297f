/*
 * callstack: the slices of threads, which nest, and asynchronous ones, which are found by a key.
 *
 * The slices of a thread are a stack. A row is reserved when a slice begins, with its depth and its
 * parent, and gets its `dur` when the slice ends; one without an end keeps NULL. Before anything is
 * done with the stack it is tidied up to the present time: closed slices leave the top, and open
 * ones above a slice that has ended are ended with it. `closed` counts the slices in the stack that
 * have ended, so that a stack without any is not searched; `top` and `below` link the slices of one
 * name.
 *
 * Asynchronous slices of one key are a list from the youngest to the oldest; outside of groups a
 * key has one at a time. After a loss of events that may hide an end, the stack of a thread is
 * forgotten, its rows stay open, and ends that come later belong to later slices.
 */
#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/alloc.h"
#include "tables/formats/common/common_constants.h"

#include <stdlib.h>

#define LATE_DUR TS_NULL_BIT(callstack, dur)

static const ts_text slice_names[FTRACE_SLICE_NAMES] = {
    [FTRACE_NAME_TRANSACTION] = TS_TEXT_LIT("binder transaction"),
    [FTRACE_NAME_ASYNC] = TS_TEXT_LIT("binder transaction async"),
    [FTRACE_NAME_REPLY] = TS_TEXT_LIT("binder reply"),
    [FTRACE_NAME_ASYNC_RECEIVED] = TS_TEXT_LIT("binder async rcv"),
    [FTRACE_NAME_LOCK_WAITING] = TS_TEXT_LIT("binder lock waiting"),
    [FTRACE_NAME_LOCK_HELD] = TS_TEXT_LIT("binder lock held"),
};

static const ts_text cat_names[] = {
    [FTRACE_CAT_NONE] = {NULL, 0},
    [FTRACE_CAT_BINDER] = TS_TEXT_LIT("binder"),
    [FTRACE_CAT_WORKQUEUE] = TS_TEXT_LIT("workqueue"),
};

/* Of one name the same: letters of several places, because names begin and end alike. */
static int64_t colour_of(ts_text name)
{
    static const unsigned weights[] = {3, 7, 9, 5, 2};
    size_t n = name.n;
    const size_t places[] = {0, n - 1, n - 3, n - 6, n / 2};
    size_t sum = n;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        sum += places[i] < n ? weights[i] * (unsigned char)name.p[places[i]] : 0;
    }
    return (int64_t)(sum % TS_VIEWER_COLOURS);
}

/* --- rows ---------------------------------------------------------------------------------- */

static void mark_missing(const ftrace_machine *m, ts_row_callstack *row, int64_t parent)
{
    const bool ids = m->compat /* QF-14 */;
    row->null |= TS_NULL_BIT(callstack, argsetid) | TS_NULL_BIT(callstack, cookie);
    row->null |= ids ? 0 : TS_NULL_BIT(callstack, child_callid);
    row->child_callid = FTRACE_NO_ROW;
    row->parent_id = parent - 1;
    if (parent == 0 && ids) {
        row->parent_id = FTRACE_NO_ROW;
    } else if (parent == 0) {
        TS_SET_NULL(callstack, row, parent_id);
    }
}

static ts_code put_row(int64_t *rowid, ftrace_machine *m, ts_row_callstack *row, uint64_t late)
{
    ts_code code;
    row->id = (int64_t)ts_sink_rows(m->sink, TS_T_callstack);
    row->colorIndex = colour_of(row->name);
    code = ts_sink_reserve(m->sink, TS_T_callstack, row, late);
    *rowid = row->id + 1;
    return code;
}

/* dur of a row becomes known; TS_NO_TIME: it stays unknown. */
static ts_code settle(ftrace_machine *m, int64_t row, int64_t dur)
{
    const int64_t value = dur == TS_NO_TIME ? 0 : dur;
    ts_code code = ts_sink_settle(m->sink, TS_T_callstack, row, LATE_DUR, &value);
    return code != TS_OK || dur != TS_NO_TIME
               ? code
               : ts_sink_invalidate(m->sink, TS_T_callstack, row, row, LATE_DUR);
}

/* --- the stack ----------------------------------------------------------------------------- */

static ts_code settle_slice(ftrace_machine *m, const ftrace_slice *slice)
{
    const int64_t end = slice->end;
    return settle(m, slice->row,
                  end == TS_NO_TIME ? TS_NO_TIME : ftrace_time_between(slice->ts, end));
}

/* Takes the topmost slice off. */
static void take_off(ftrace_stack *stack)
{
    const ftrace_slice *slice = &stack->slices[--stack->count];
    if (slice->name != FTRACE_NAME_OTHER) {
        stack->top[slice->name] = slice->below;
    }
    stack->closed -= slice->end != TS_NO_TIME;
}

/* Takes off the slices from `from` on; those that are open end at `end`. */
static ts_code cut(ftrace_machine *m, ftrace_stack *stack, uint32_t from, int64_t end)
{
    ts_code code = TS_OK;
    while (stack->count > from && code == TS_OK) {
        ftrace_slice *slice = &stack->slices[stack->count - 1];
        if (slice->end == TS_NO_TIME) {
            slice->end = end;
            stack->closed++;
            code = settle_slice(m, slice);
        }
        take_off(stack);
    }
    return code;
}

/*
 * Takes off what has ended: closed slices on top, and open ones above a slice that ended before ts
 * together with that. All closed slices below an open one ended when the stack was tidied last, so
 * that the stack needs to be looked through once for each time.
 */
static ts_code tidy(ftrace_machine *m, ftrace_stack *stack, int64_t ts)
{
    ts_code code = TS_OK;
    while (stack->count > 0 && stack->slices[stack->count - 1].end != TS_NO_TIME &&
           stack->slices[stack->count - 1].end <= ts) {
        take_off(stack);
    }
    if (stack->closed == 0 || ts == stack->tidied) {
        return TS_OK;
    }
    stack->tidied = ts;
    for (uint32_t i = stack->count; i > 0 && stack->closed > 0 && code == TS_OK; i--) {
        const ftrace_slice *slice = &stack->slices[i - 1];
        if (slice->end != TS_NO_TIME && slice->end < ts) {
            code = cut(m, stack, i - 1, slice->end);
        } else if (slice->end != TS_NO_TIME && slice->end <= ts && i == stack->count) {
            take_off(stack);
        }
    }
    return code;
}

/* The row will have no end. */
static ts_code note_open(ts_ctx *ctx, ts_vec *rows, const ftrace_slice *slice)
{
    int64_t *row;
    if (slice->row == 0) {
        return TS_OK;
    }
    TS_NEED(ctx, row = ts_vec_add(ctx, rows, sizeof *row));
    *row = slice->row;
    return TS_OK;
}

static ts_code forget_stack(ftrace_machine *m, ftrace_stack *stack)
{
    ts_code code = TS_OK;
    while (stack->count > 0 && code == TS_OK) {
        const ftrace_slice *slice = &stack->slices[stack->count - 1];
        if (slice->end == TS_NO_TIME) {
            code = note_open(m->ctx, &m->slices.lost, slice);
            if (slice->vsync_of != NULL) {
                slice->vsync_of->frames->vsync_rows--;
            }
        }
        take_off(stack);
    }
    return code;
}

ts_code ftrace_slices_forget(ftrace_machine *m, ftrace_thread *thread)
{
    ts_code code = thread->stack == NULL ? TS_OK : forget_stack(m, thread->stack);
    return code != TS_OK || thread->frames == NULL ? code : ftrace_frames_forget(m, thread);
}

ts_code ftrace_slice_tidy(ftrace_machine *m, ftrace_thread *thread, int64_t ts)
{
    ts_code code = ftrace_slices_check(m, thread);
    return code != TS_OK || thread->stack == NULL ? code : tidy(m, thread->stack, ts);
}

static ts_code stack_room(ts_ctx *ctx, ftrace_stack *stack)
{
    ftrace_slice *bigger;
    uint32_t cap = stack->cap == 0 ? 1 : 2 * stack->cap; /* threads with one slice are many */
    if (stack->count < stack->cap) {
        return TS_OK;
    }
    if (cap < stack->cap) {
        return ts_fail(ctx, TS_ERR_LIMIT, "too many open slices of a thread");
    }
    TS_NEED(ctx, bigger = ts_realloc(ctx, stack->slices, cap, sizeof *bigger));
    stack->slices = bigger;
    stack->cap = cap;
    return TS_OK;
}

ts_code ftrace_slice_push(ftrace_slice **out, ftrace_machine *m, ftrace_thread *thread, int64_t ts,
                          ftrace_push_row *push)
{
    ftrace_stack *stack = thread->stack;
    ts_row_callstack *row = &push->row;
    ftrace_slice *slice;
    int64_t rowid = 0;
    ts_code code;
    if (stack == NULL && (stack = ts_zalloc(m->ctx, 1, sizeof *stack)) == NULL) {
        return m->ctx->error.code;
    }
    thread->stack = stack;
    TS_TRY_INTO(code, ftrace_slice_tidy(m, thread, ts));
    TS_TRY_INTO(code, stack_room(m->ctx, stack));
    row->ts = ts;
    row->callid = thread->itid;
    row->cat = cat_names[push->cat];
    row->name = push->name == FTRACE_NAME_OTHER ? push->text : slice_names[push->name];
    row->depth = stack->count;
    mark_missing(m, row, stack->count == 0 ? 0 : stack->slices[stack->count - 1].row);
    if (push->args != FTRACE_NO_ARGS) {
        row->argsetid = push->args;
        row->null &= ~TS_NULL_BIT(callstack, argsetid);
    }
    TS_TRY_INTO(code, put_row(&rowid, m, row, push->closed ? 0 : LATE_DUR));
    slice = &stack->slices[stack->count++];
    *slice = (ftrace_slice){.row = rowid,
                            .ts = ts,
                            .end = push->closed ? ts : TS_NO_TIME,
                            .args = push->args,
                            .cat = (uint8_t)push->cat,
                            .name = (uint8_t)push->name};
    stack->closed += push->closed;
    if (push->name != FTRACE_NAME_OTHER) {
        slice->below = stack->top[push->name];
        stack->top[push->name] = stack->count;
    }
    if (out != NULL) {
        *out = slice;
    }
    return TS_OK;
}

ts_code ftrace_slice_end(ftrace_machine *m, ftrace_thread *thread, ftrace_slice *slice, int64_t ts)
{
    ftrace_stack *stack = thread->stack;
    ts_code code;
    slice->end = ts;
    stack->closed++;
    thread->has_slice = true;
    code = settle_slice(m, slice);
    if (slice == &stack->slices[stack->count - 1]) {
        take_off(stack);
    }
    return code;
}

static bool is_wanted(const ftrace_slice *slice, ftrace_slice_cat cat)
{
    return slice->end == TS_NO_TIME &&
           (cat == FTRACE_CAT_NONE || slice->cat == FTRACE_CAT_NONE || slice->cat == cat);
}

ts_code ftrace_slice_find(ftrace_slice **out, ftrace_machine *m, ftrace_thread *thread, int64_t ts,
                          ftrace_slice_cat cat, ftrace_slice_name name)
{
    ftrace_stack *stack = thread->stack;
    ts_code code = ftrace_slice_tidy(m, thread, ts);
    *out = NULL;
    if (stack == NULL || code != TS_OK || name != FTRACE_NAME_OTHER) {
        *out = code == TS_OK ? ftrace_slice_top(thread, name) : NULL;
        return code;
    }
    for (uint32_t i = stack->count; i > 0 && *out == NULL; i--) {
        if (is_wanted(&stack->slices[i - 1], cat)) {
            *out = &stack->slices[i - 1];
        }
    }
    return code;
}

ftrace_slice *ftrace_slice_top(ftrace_thread *thread, ftrace_slice_name name)
{
    ftrace_stack *stack = thread->stack;
    uint32_t place = stack == NULL ? 0 : stack->top[name];
    while (place != 0 && stack->slices[place - 1].end != TS_NO_TIME) {
        place = stack->slices[place - 1].below;
    }
    return place == 0 ? NULL : &stack->slices[place - 1];
}

ts_code ftrace_slice_args(ftrace_machine *m, ftrace_slice *slice, int64_t args)
{
    bool first = slice->args == FTRACE_NO_ARGS;
    slice->args = args;
    if (!first || slice->row == 0) {
        return TS_OK;
    }
    return ts_sink_late_int(m->sink, TS_T_callstack, slice->row, TS_C_callstack__argsetid, args);
}

/* --- asynchronous slices ------------------------------------------------------------------- */

static ftrace_async *async_at(ftrace_slices *s, uint64_t place)
{
    return (ftrace_async *)s->asyncs.p + (place - 1);
}

/* The youngest with the key, 0: none. Those whose ends may be lost stay open. */
static uint64_t find_async(ftrace_machine *m, ftrace_open *open, ftrace_key key)
{
    uint64_t place = ftrace_open_find(open, key);
    if (place != 0 && ftrace_lost(m) > async_at(&m->slices, place)->begun) {
        ftrace_open_remove(open, key);
        return 0;
    }
    return place;
}

static ts_code add_async(ftrace_machine *m, ftrace_open *open, ftrace_key key, int64_t row,
                         int64_t ts)
{
    ftrace_slices *s = &m->slices;
    uint32_t place = s->free_async;
    uint64_t older = find_async(m, open, key);
    if (place != 0) {
        s->free_async = async_at(s, place)->older;
    } else if (s->asyncs.n >= UINT32_MAX - 1) {
        return ts_fail(m->ctx, TS_ERR_LIMIT, "too many open asynchronous slices");
    } else if (ts_vec_add(m->ctx, &s->asyncs, sizeof(ftrace_async)) == NULL) {
        return m->ctx->error.code;
    } else {
        place = (uint32_t)s->asyncs.n;
    }
    *async_at(s, place) = (ftrace_async){
        .row = row, .ts = ts, .begun = m->losses.now, .older = (uint32_t)older, .open = true};
    return ftrace_open_put(m->ctx, open, key, place);
}

ts_code ftrace_async_begin(bool *begun, ftrace_machine *m, const ftrace_async_key *key, int64_t ts,
                           ts_row_callstack *row)
{
    ftrace_open *open = key->group ? &m->slices.groups : &m->slices.starts;
    ftrace_key hash =
        ftrace_key_of(m->ctx, key->owner->itid, key->cookie, key->name, key->category);
    int64_t rowid = 0;
    *begun = key->group || find_async(m, open, hash) == 0;
    if (!*begun) {
        return TS_OK;
    }
    row->ts = ts;
    row->callid = key->owner->itid;
    row->cookie = key->cookie;
    TS_TRY(put_row(&rowid, m, row, LATE_DUR));
    return add_async(m, open, hash, rowid, ts);
}

ts_code ftrace_async_end(bool *found, ftrace_machine *m, const ftrace_async_key *key, int64_t ts)
{
    ftrace_slices *s = &m->slices;
    ftrace_open *open = key->group ? &s->groups : &s->starts;
    ftrace_key hash =
        ftrace_key_of(m->ctx, key->owner->itid, key->cookie, key->name, key->category);
    uint64_t place = find_async(m, open, hash);
    ftrace_slice slice = {.end = ts, .args = FTRACE_NO_ARGS};
    ftrace_async *async;
    ts_code code = TS_OK;
    *found = place != 0;
    if (!*found) {
        return TS_OK;
    }
    async = async_at(s, place);
    key->owner->has_slice = true;
    slice.row = async->row;
    slice.ts = async->ts;
    if (async->older != 0) {
        code = ftrace_open_put(m->ctx, open, hash, async->older);
    } else {
        ftrace_open_remove(open, hash);
    }
    *async = (ftrace_async){.older = s->free_async};
    s->free_async = (uint32_t)place;
    return code != TS_OK ? code : settle_slice(m, &slice);
}

/* --- the end ------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rows that are open: in their order, so that neighbours become one range. */
static ts_code end_rows(ftrace_machine *m, ts_vec *rows)
{
    ts_code code = TS_OK;
    if (rows->n > 1) {
        qsort(rows->p, rows->n, sizeof(int64_t), by_number);
    }
    for (size_t i = 0; i < rows->n && code == TS_OK; i++) {
        code = settle(m, ((int64_t *)rows->p)[i], TS_NO_TIME);
    }
    return code;
}

ts_code ftrace_slices_finish(ftrace_machine *m)
{
    ts_vec *rows = &m->slices.lost;
    ts_code code = TS_OK;
    for (size_t i = 0; i < m->threads.threads.n && code == TS_OK; i++) {
        ftrace_stack *stack = ftrace_thread_at(&m->threads, i)->stack;
        for (uint32_t k = 0; stack != NULL && k < stack->count && code == TS_OK; k++) {
            ftrace_slice *slice = &stack->slices[k];
            if (slice->end != TS_NO_TIME) {
                continue;
            }
            code = note_open(m->ctx, rows, slice);
        }
    }
    for (size_t i = 0; i < m->slices.asyncs.n && code == TS_OK; i++) {
        const ftrace_async *async = async_at(&m->slices, i + 1);
        const ftrace_slice slice = {.row = async->open ? async->row : 0};
        code = note_open(m->ctx, rows, &slice);
    }
    return code != TS_OK ? code : end_rows(m, rows);
}

void ftrace_slices_free(ftrace_machine *m)
{
    ftrace_open_free(m->ctx, &m->slices.starts);
    ftrace_open_free(m->ctx, &m->slices.groups);
    ts_vec_free(m->ctx, &m->slices.asyncs);
    ts_vec_free(m->ctx, &m->slices.lost);
}
