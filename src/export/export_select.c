/* What a filter means in a database, and what to say when it means nothing. */
#include "export/export_private.h"

#include "base/buf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SELECT_SHOWN = 6, SELECT_TEXT = 40 };

static bool select_is_number(int64_t *out, const char *text)
{
    char *end;
    size_t n = strlen(text);
    if (n == 0 || n > 18 || strspn(text, "0123456789") != n) {
        return false;
    }
    *out = strtoll(text, &end, 10);
    return true;
}

/* --- what there is -------------------------------------------------------------------------------
 */

/* The first different ids and texts of all stacks. */
typedef struct select_seen {
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

static ts_code seen_row(select_seen *seen, ts_ctx *ctx, const ts_batch *b, unsigned i, bool call)
{
    int64_t ts = b->columns[SEEN_TS].ints[i];
    ts_text event = call ? TS_TEXT_LIT("call") : profile_cell(b, SEEN_EVENT, i);
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
        return ts_pool_intern(ctx, &id, NULL, &seen->events, event);
    }
    return TS_OK;
}

static ts_code seen_table(select_seen *seen, const ts_calls *p, bool call)
{
    static const unsigned columns[2][5] = {
        {TS_C_stack_sample__source_id, TS_C_stack_sample__itid, TS_C_stack_sample__ts,
         TS_C_stack_sample__node_id, TS_C_stack_sample__event},
        {TS_C_stack_slice__source_id, TS_C_stack_slice__itid, TS_C_stack_slice__ts,
         TS_C_stack_slice__node_id, 0},
    };
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, p->reader, call ? TS_T_stack_slice : TS_T_stack_sample,
                                columns[call ? 1 : 0], call ? 4 : 5);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = seen_row(seen, p->ctx, b, i, call);
        }
    }
    ts_scan_close(scan);
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
    if (code == TS_OK) {
        code = ts_scan_row(&b, scan, row);
    }
    if (code == TS_OK && b->rows > 0) {
        name = profile_cell(b, 0, 0);
        name.n = name.n > SELECT_TEXT ? SELECT_TEXT : name.n;
    }
    if (code == TS_OK) {
        code = ts_buf_printf(p->ctx, out, "%" PRId64, id);
    }
    if (code == TS_OK && name.n > 0) {
        code = ts_buf_printf(p->ctx, out, " (%.*s)", (int)name.n, name.p);
    }
    ts_scan_close(scan);
    return code;
}

static ts_code put_ids(const ts_calls *p, ts_buf *out, const char *what, enum ts_table_id table,
                       unsigned column, const int64_t *ids, unsigned n)
{
    ts_code code = n == 0 ? TS_OK : ts_buf_printf(p->ctx, out, "%s ", what);
    for (unsigned i = 0; i < n && i < SELECT_SHOWN && code == TS_OK; i++) {
        code = ts_buf_printf(p->ctx, out, "%s", i == 0 ? "" : ", ");
        if (code == TS_OK) {
            code = put_id(p, out, table, column, ids[i]);
        }
    }
    if (code == TS_OK && n > SELECT_SHOWN) {
        code = ts_buf_printf(p->ctx, out, " and others");
    }
    return code == TS_OK && n > 0 ? ts_buf_printf(p->ctx, out, "; ") : code;
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

ts_code profile_explain(const ts_calls *p, const char *what)
{
    select_seen seen = {.first = INT64_MAX, .last = INT64_MIN};
    ts_buf text = {0};
    ts_code code = p->any_sample ? seen_table(&seen, p, false) : TS_OK;
    if (code == TS_OK && p->any_slice) {
        code = seen_table(&seen, p, true);
    }
    if (code == TS_OK) {
        code = put_ids(p, &text, "source", TS_T_source, TS_C_source__name, seen.sources,
                       seen.source_count);
    }
    if (code == TS_OK) {
        code = put_ids(p, &text, "itid", TS_T_thread, TS_C_thread__name, seen.threads,
                       seen.thread_count);
    }
    if (code == TS_OK) {
        code = put_rest(p, &text, &seen);
    }
    if (code == TS_OK) {
        code = ts_fail(p->ctx, TS_ERR_USAGE, "%s%s%.*s", what,
                       text.n > 0 ? "; there are stacks of " : "", (int)text.n,
                       text.n > 0 ? text.p : "");
    }
    ts_pool_free(p->ctx, &seen.events);
    ts_buf_free(p->ctx, &text);
    return code;
}

/* --- sources -------------------------------------------------------------------------------------
 */

enum { SOURCE_PARENT, SOURCE_NAME, SOURCE_PATH };

static ts_code select_source(ts_calls *p, const ts_batch *b, unsigned i, int64_t number,
                             bool *found)
{
    int64_t id = b->rowids[i];
    int64_t parent = b->columns[SOURCE_PARENT].ints[i];
    const char *wanted = p->filter.source;
    ts_code code = profile_vec_reach(p->ctx, &p->sources, id, sizeof(bool));
    if (code != TS_OK) {
        return code;
    }
    bool named = number >= 0 ? id == number
                             : ts_text_is(profile_cell(b, SOURCE_NAME, i), wanted) ||
                                   ts_text_is(profile_cell(b, SOURCE_PATH, i), wanted);
    bool inside =
        b->columns[SOURCE_PARENT].null[i] == 0 && parent < id && profile_has(&p->sources, parent);
    ((bool *)p->sources.p)[id] = named || inside;
    *found = *found || named;
    return TS_OK;
}

static ts_code select_sources(ts_calls *p)
{
    static const unsigned columns[] = {TS_C_source__parent_id, TS_C_source__name,
                                       TS_C_source__path};
    const ts_batch *b;
    ts_scan *scan = NULL;
    int64_t number = -1;
    bool found = false;
    if (p->filter.source == NULL) {
        return TS_OK;
    }
    (void)select_is_number(&number, p->filter.source);
    ts_code code = profile_vec_reach(p->ctx, &p->sources, 0, sizeof(bool));
    if (code == TS_OK) {
        code = ts_scan_open(&scan, p->reader, TS_T_source, columns, 3);
    }
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = select_source(p, b, i, number, &found);
        }
    }
    ts_scan_close(scan);
    if (code == TS_OK && !found) {
        char what[200];
        (void)snprintf(what, sizeof what, "no source is \"%.100s\"", p->filter.source);
        code = profile_explain(p, what);
    }
    return code;
}

/* --- threads -------------------------------------------------------------------------------------
 */

enum { THREAD_ID, THREAD_TID, THREAD_NAME };

/* By which column threads are wanted, in the order of preference. */
typedef enum thread_way { BY_NAME, BY_TID, BY_ITID, THREAD_WAYS } thread_way;

static bool is_thread(const ts_batch *b, unsigned i, thread_way way, const char *name,
                      int64_t number)
{
    switch (way) {
    case BY_NAME:
        return ts_text_is(profile_cell(b, THREAD_NAME, i), name);
    case BY_TID:
        return number >= 0 && b->columns[THREAD_TID].null[i] == 0 &&
               b->columns[THREAD_TID].ints[i] == number;
    case BY_ITID:
        return number >= 0 && b->columns[THREAD_ID].ints[i] == number;
    case THREAD_WAYS:
        break;
    }
    return false;
}

static ts_code select_threads_by(ts_calls *p, thread_way way, bool *found)
{
    static const unsigned columns[] = {TS_C_thread__id, TS_C_thread__tid, TS_C_thread__name};
    const ts_batch *b;
    ts_scan *scan = NULL;
    int64_t number = -1;
    (void)select_is_number(&number, p->filter.thread);
    ts_code code = ts_scan_open(&scan, p->reader, TS_T_thread, columns, 3);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t id = b->columns[THREAD_ID].ints[i];
            if (!is_thread(b, i, way, p->filter.thread, number) ||
                (code = profile_vec_reach(p->ctx, &p->threads, id, sizeof(bool))) != TS_OK) {
                continue;
            }
            ((bool *)p->threads.p)[id] = true;
            *found = true;
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code select_threads(ts_calls *p)
{
    bool found = false;
    ts_code code = TS_OK;
    if (p->filter.thread == NULL) {
        return TS_OK;
    }
    for (thread_way way = BY_NAME; way < THREAD_WAYS && !found && code == TS_OK; way++) {
        code = select_threads_by(p, way, &found);
    }
    if (code == TS_OK && !found) {
        char what[200];
        (void)snprintf(what, sizeof what, "no thread is \"%.100s\"", p->filter.thread);
        code = profile_explain(p, what);
    }
    return code;
}

/* --- all
 * ------------------------------------------------------------------------------------------ */

/* Sources whose calls were traced: their samples without a time are sums of the same calls. */
static ts_code find_sliced(ts_calls *p)
{
    static const unsigned columns[] = {TS_C_stack_slice__source_id};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = TS_OK;
    if (!p->any_sample || !p->any_slice) {
        return TS_OK;
    }
    code = ts_scan_open(&scan, p->reader, TS_T_stack_slice, columns, 1);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t id = b->columns[0].ints[i];
            if (!profile_has(&p->sliced, id) &&
                (code = profile_vec_reach(p->ctx, &p->sliced, id, sizeof(bool))) == TS_OK) {
                ((bool *)p->sliced.p)[id] = true;
            }
        }
    }
    ts_scan_close(scan);
    return code;
}

ts_code profile_select(ts_calls *p)
{
    const ts_export_filter *f = &p->filter;
    p->filtered = f->source != NULL || f->thread != NULL || f->event != NULL ||
                  f->span.from != INT64_MIN || f->span.to != INT64_MAX;
    if (p->is_heap && !p->is_marks &&
        (f->thread != NULL || f->event != NULL || f->span.from != INT64_MIN ||
         f->span.to != INT64_MAX)) {
        return ts_fail(p->ctx, TS_ERR_USAGE,
                       "the allocation stacks of a heap have no threads, events and times: "
                       "--thread, --event, --from and --until select nothing of them");
    }
    ts_code code = select_sources(p);
    if (code == TS_OK) {
        code = select_threads(p);
    }
    if (code == TS_OK) {
        code = find_sliced(p);
    }
    return code;
}

bool ts_calls_wants_source(const ts_calls *p, int64_t source_id)
{
    return p->filter.source == NULL || profile_has(&p->sources, source_id);
}

bool ts_calls_wants_thread(const ts_calls *p, int64_t itid)
{
    return p->filter.thread == NULL || profile_has(&p->threads, itid);
}

bool ts_calls_wants_time(const ts_calls *p, int64_t ts)
{
    const ts_span *span = &p->filter.span;
    return (span->from == INT64_MIN && span->to == INT64_MAX) ||
           (ts != TS_NO_TIME && ts_span_has(span, ts));
}
