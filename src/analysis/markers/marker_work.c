#include "analysis/markers/marker_work.h"

#include "base/alloc.h"

enum { SORTER_MEMORY = 4 << 20 };

/* --- threads ------------------------------------------------------------------------------- */

static bool does_draw(ts_text name)
{
    return ts_text_ends(name, "render_service") || ts_text_ends(name, "RSUniRenderThre");
}

marker_thread marker_thread_of(const marker_work *w, int64_t itid)
{
    const marker_thread unknown = {.ipid = -1};
    const ts_row_thread *row;
    const ts_row_thread_detail *detail;
    if (w->finished) {
        return itid >= 0 && (uint64_t)itid < w->thread_count ? w->threads[itid] : unknown;
    }
    if (itid < 0 || (uint64_t)itid >= ts_thread_count(w->store)) {
        return unknown;
    }
    row = ts_thread_row(w->store, itid);
    detail = ts_thread_detail_row(w->store, itid);
    return (marker_thread){
        .tid = row->tid,
        .has_tid = (row->null & TS_NULL_BIT(thread, tid)) == 0,
        .ipid = (row->null & TS_NULL_BIT(thread, ipid)) != 0 ? -1 : row->ipid,
        .source = (detail->null & TS_NULL_BIT(thread_detail, source_id)) != 0
                      ? 0
                      : (uint32_t)detail->source_id,
        .draws = does_draw(row->name),
    };
}

static ts_code thread_at(marker_thread **thread, marker_work *w, int64_t itid, size_t *cap)
{
    *thread = NULL;
    if (itid < 0 || (uint64_t)itid > w->thread_count) {
        return TS_OK; /* the rows were changed: ids are dense */
    }
    if (w->thread_count == *cap) {
        size_t more = *cap == 0 ? 64 : *cap * 2;
        marker_thread *p = ts_realloc(w->ctx, w->threads, more, sizeof *p);
        TS_NEED(w->ctx, p);
        w->threads = p;
        *cap = more;
    }
    if ((uint64_t)itid == w->thread_count) {
        w->threads[w->thread_count++] = (marker_thread){.ipid = -1};
    }
    *thread = &w->threads[itid];
    return TS_OK;
}

static ts_code read_sources(marker_work *w)
{
    static const unsigned columns[] = {TS_C_thread_detail__itid, TS_C_thread_detail__source_id};
    ts_walk rows = ts_walk_of(ts_rows_of(w->reader), TS_T_thread_detail, columns, 2);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        int64_t itid = ts_walk_int(&rows, 0);
        int64_t source = ts_walk_int(&rows, 1);
        if (itid >= 0 && (uint64_t)itid < w->thread_count && source > 0 && source <= UINT32_MAX) {
            w->threads[itid].source = (uint32_t)source;
        }
    }
    return code;
}

ts_code marker_threads_read(marker_work *w)
{
    static const unsigned columns[] = {TS_C_thread__itid, TS_C_thread__tid, TS_C_thread__ipid,
                                       TS_C_thread__name};
    ts_walk rows = ts_walk_of(ts_rows_of(w->reader), TS_T_thread, columns, 4);
    size_t cap = 0;
    ts_code code = ts_reader_has_rows(&w->finished, w->reader, TS_T_thread);
    if (code != TS_OK || !w->finished) {
        return code;
    }
    while (ts_walk_next(&code, &rows)) {
        marker_thread *t;
        code = thread_at(&t, w, ts_walk_int(&rows, 0), &cap);
        if (code == TS_OK && t != NULL) {
            t->tid = ts_walk_int(&rows, 1);
            t->has_tid = !ts_walk_null(&rows, 1);
            t->ipid = ts_walk_int_or(&rows, 2, -1);
            t->draws = does_draw(ts_walk_text(&rows, 3));
        }
    }
    return code != TS_OK ? code : read_sources(w);
}

/* --- rows and records ---------------------------------------------------------------------- */

ts_code marker_name(ts_text *name, marker_work *w, int64_t row)
{
    const ts_batch *b;
    const ts_scan_text *text;
    ts_code code = ts_scan_row(&b, w->names, row);
    *name = TS_TEXT_LIT("");
    if (code != TS_OK || b->rows == 0) {
        return code;
    }
    text = &b->columns[0].texts[0];
    w->text.n = 0;
    code = ts_buf_put(w->ctx, &w->text, text->p, text->n);
    while (code == TS_OK && w->text.n < text->size) {
        const uint64_t left = text->size - w->text.n;
        size_t want = left < TS_SCAN_TEXT_MAX ? (size_t)left : TS_SCAN_TEXT_MAX;
        size_t got = 0;
        code = ts_buf_reserve(w->ctx, &w->text, want);
        TS_STEP(code, ts_scan_text_part(&got, w->names, 0, 0, w->text.n,
                                        (char *)w->text.p + w->text.n, want));
        if (code != TS_OK || got == 0) {
            break;
        }
        w->text.n += got;
    }
    *name = ts_buf_text(&w->text);
    return code;
}

ts_code marker_keep(marker_work *w, ts_sorter **sorter, const void *record, size_t size,
                    size_t keys)
{
    const ts_sorter_order order = {.key_offset = 0, .key_count = keys};
    return ts_sorter_put(sorter, w->ctx, record, size, &order, SORTER_MEMORY);
}

/* --- texts --------------------------------------------------------------------------------- */

bool marker_number(int64_t *out, ts_text *t)
{
    bool negative = t->n > 0 && t->p[0] == '-';
    size_t i = negative;
    int64_t v = 0;
    for (; i < t->n && ts_is_digit(t->p[i]); i++) {
        int64_t digit = t->p[i] - '0';
        if (ts_ckd_mul(&v, v, 10) || ts_ckd_sub(&v, v, digit)) {
            return false;
        }
    }
    if (i == negative || (!negative && v == INT64_MIN)) {
        return false;
    }
    *out = negative ? v : -v;
    *t = ts_text_from(*t, i);
    return true;
}

ts_text marker_part(ts_text *t, const char *sep)
{
    size_t n = strlen(sep);
    const char *at = t->n == 0 ? NULL : memmem(t->p, t->n, sep, n);
    ts_text part = {t->p, at == NULL ? t->n : (size_t)(at - t->p)};
    *t = at == NULL ? TS_TEXT_NULL : ts_text_from(*t, part.n + n);
    while (part.n > 0 && part.p[0] == ' ') {
        part = (ts_text){part.p + 1, part.n - 1};
    }
    while (part.n > 0 && part.p[part.n - 1] == ' ') {
        part.n--;
    }
    return part;
}
