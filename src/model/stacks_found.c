/* What a filter means in a database, and what to say when it means nothing. */
#include "model/call_stacks_private.h"

#include "base/buf.h"

#include <inttypes.h>

enum { SELECT_SHOWN = 6, SELECT_TEXT = 40 };

/* --- what there is --------------------------------------------------------------------------- */

/* The first different ids and texts of all stacks. */
typedef struct select_seen {
    ts_ctx *ctx;
    bool call; /* rows are those of calls */
    int64_t sources[SELECT_SHOWN];
    int64_t threads[SELECT_SHOWN];
    unsigned source_count, thread_count; /* one more than fit: there are others */
    ts_pool events;
    int64_t first, last; /* times */
} select_seen;

static void seen_id(int64_t *ids, unsigned *n, int64_t id)
{
    for (unsigned i = 0; i < *n && i < SELECT_SHOWN; i++) {
        if (ids[i] == id) {
            return;
        }
    }
    if (*n < SELECT_SHOWN) {
        ids[(*n)++] = id;
    } else {
        *n = SELECT_SHOWN + 1;
    }
}

enum { SEEN_SOURCE, SEEN_THREAD, SEEN_TS, SEEN_NODE, SEEN_EVENT };

static ts_code seen_row(select_seen *seen, const ts_batch *b, unsigned i)
{
    int64_t ts = b->columns[SEEN_TS].ints[i];
    ts_text event = seen->call ? TS_TEXT_LIT("call") : ts_cell_text(b, SEEN_EVENT, i);
    if (b->columns[SEEN_NODE].null[i] != 0) {
        return TS_OK;
    }
    seen_id(seen->sources, &seen->source_count, b->columns[SEEN_SOURCE].ints[i]);
    if (b->columns[SEEN_THREAD].null[i] == 0) {
        seen_id(seen->threads, &seen->thread_count, b->columns[SEEN_THREAD].ints[i]);
    }
    if (b->columns[SEEN_TS].null[i] == 0) {
        seen->first = ts < seen->first ? ts : seen->first;
        seen->last = ts > seen->last ? ts : seen->last;
    }
    if (event.n > 0 && event.n <= SELECT_TEXT && seen->events.count <= SELECT_SHOWN) {
        uint32_t id;
        return ts_pool_intern(seen->ctx, &id, NULL, &seen->events, event);
    }
    return TS_OK;
}

static ts_code seen_all(select_seen *seen, const ts_calls *p)
{
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts, TS_C_stack_sample__node_id,
                                       TS_C_stack_sample__event};
    static const unsigned calls[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                     TS_C_stack_slice__ts, TS_C_stack_slice__node_id};
    const ts_rows_from *from = ts_model_rows(p->model);
    ts_walk rows[] = {ts_walk_of(*from, TS_T_stack_sample, samples, 5),
                      ts_walk_of(*from, TS_T_stack_slice, calls, 4)};
    ts_code code = TS_OK;
    while (p->any_sample && ts_walk_next(&code, &rows[0])) {
        code = seen_row(seen, rows[0].b, rows[0].row);
    }
    seen->call = true;
    while (p->any_slice && ts_walk_next(&code, &rows[1])) {
        code = seen_row(seen, rows[1].b, rows[1].row);
    }
    return code;
}

/* "id (name)" */
static ts_code put_id(const ts_calls *p, ts_buf *out, enum ts_table_id table, unsigned column,
                      int64_t id)
{
    const unsigned columns[] = {column};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_text name = {"", 0};
    /* Rows of sources are numbered from 1, those of threads have the id before their number. */
    int64_t row = table == TS_T_thread ? id + 1 : id;
    ts_code code = ts_scan_open(&scan, p->reader, table, columns, 1);
    TS_STEP(code, ts_scan_row(&b, scan, row));
    if (code == TS_OK && b->rows > 0) {
        name = ts_cell_text(b, 0, 0);
        name.n = name.n > SELECT_TEXT ? SELECT_TEXT : name.n;
    }
    TS_STEP(code, ts_buf_printf(p->ctx, out, "%" PRId64, id));
    TS_STEP_IF(code, name.n > 0, ts_buf_printf(p->ctx, out, " (%.*s)", (int)name.n, name.p));
    ts_scan_close(scan);
    return code;
}

static ts_code put_ids(const ts_calls *p, ts_buf *out, const char *what, enum ts_table_id table,
                       unsigned column, const int64_t *ids, unsigned n)
{
    ts_code code = n == 0 ? TS_OK : ts_buf_printf(p->ctx, out, "%s ", what);
    for (unsigned i = 0; i < n && i < SELECT_SHOWN && code == TS_OK; i++) {
        code = ts_buf_printf(p->ctx, out, "%s", i == 0 ? "" : ", ");
        TS_STEP(code, put_id(p, out, table, column, ids[i]));
    }
    TS_STEP_IF(code, n > SELECT_SHOWN, ts_buf_printf(p->ctx, out, " and others"));
    TS_STEP_IF(code, n > 0, ts_buf_printf(p->ctx, out, "; "));
    return code;
}

static ts_code put_rest(const ts_calls *p, ts_buf *out, const select_seen *seen)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < seen->events.count && i < SELECT_SHOWN && code == TS_OK; i++) {
        ts_text event = ts_pool_text(&seen->events, i);
        code =
            ts_buf_printf(p->ctx, out, "%s%.*s", i == 0 ? "event " : ", ", (int)event.n, event.p);
    }
    if (code == TS_OK && seen->first <= seen->last) {
        code = ts_buf_printf(p->ctx, out, "%stimes from %" PRId64 " to %" PRId64,
                             seen->events.count > 0 ? "; " : "", seen->first, seen->last);
    }
    return code;
}

ts_code ts_calls_explain(const ts_calls *p, const char *what)
{
    select_seen seen = {.ctx = p->ctx, .first = INT64_MAX, .last = INT64_MIN};
    ts_buf text = {0};
    ts_code code = seen_all(&seen, p);
    TS_STEP(code, put_ids(p, &text, "source", TS_T_source, TS_C_source__name, seen.sources,
                          seen.source_count));
    TS_STEP(code, put_ids(p, &text, "itid", TS_T_thread, TS_C_thread__name, seen.threads,
                          seen.thread_count));
    TS_STEP(code, put_rest(p, &text, &seen));
    TS_STEP(code, ts_fail(p->ctx, TS_ERR_USAGE, "%s%s%.*s", what,
                          text.n > 0 ? "; there are stacks of " : "", (int)text.n,
                          text.n > 0 ? text.p : ""));
    ts_pool_free(p->ctx, &seen.events);
    ts_buf_free(p->ctx, &text);
    return code;
}

/* --- all ------------------------------------------------------------------------------------- */

ts_code stacks_heap_selects(const ts_calls *p, bool others)
{
    return p->is_heap && !p->is_marks && others
               ? ts_fail(p->ctx, TS_ERR_USAGE,
                         "the allocation stacks of a heap have no threads, events, labels and "
                         "times%s",
                         p->own == NULL ? ""
                                        : ": --thread, --event, --label, --from and --until select "
                                          "nothing of them")
               : TS_OK;
}

ts_code stacks_select(ts_calls *p)
{
    const ts_stack_filter *f = &p->filter;
    const ts_wanted *w = &f->wanted;
    bool timed = w->from != NULL || w->until != NULL;
    p->filtered =
        w->source != NULL || w->thread != NULL || f->event != NULL || timed || w->label != NULL;
    TS_TRY(
        stacks_heap_selects(p, w->thread != NULL || f->event != NULL || timed || w->label != NULL));
    static const unsigned columns[] = {TS_C_stack_slice__source_id};
    ts_code code = ts_select_make(&p->select, p->model, w);
    ts_walk rows = ts_walk_of(*ts_model_rows(p->model), TS_T_stack_slice, columns, 1);
    /* Sources whose calls were traced: their samples without a time are sums of the same calls. */
    while (p->any_sample && p->any_slice && ts_walk_next(&code, &rows)) {
        int64_t id = ts_walk_int(&rows, 0);
        code = ts_vec_reach(p->ctx, &p->sliced, id, sizeof(bool));
        if (code == TS_OK) {
            ((bool *)p->sliced.p)[id] = true;
        }
    }
    return code;
}

bool ts_calls_wants_source(const ts_calls *p, int64_t source_id)
{
    return ts_idset_has(&p->select.sources, source_id);
}

bool ts_calls_wants_thread(const ts_calls *p, int64_t itid)
{
    return ts_select_thread(&p->select, itid != TS_NO_THREAD, itid);
}

bool ts_calls_wants_time(const ts_calls *p, int64_t ts)
{
    return ts_select_ts(&p->select, ts);
}
