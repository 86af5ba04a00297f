/* Rows of a heap file, which follow each other, and texts of its strings. */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

ts_code hg_changed(ts_ctx *ctx, enum ts_table_id table)
{
    return ts_fail(ctx, TS_ERR_INPUT, "the rows of table %s were changed", ts_schema[table].name);
}

ts_code hg_each(hg *g, enum ts_table_id table, const unsigned *columns, unsigned column_count,
                int64_t first, uint64_t count, hg_range_fn *each, void *user)
{
    hg_range r = {0};
    ts_code code = TS_OK;
    if (count > 0) {
        code = ts_scan_open(&r.scan, g->reader, table, columns, column_count);
        TS_STEP(code, ts_scan_seek(r.scan, first));
    }
    for (; code == TS_OK && r.at < count; r.at += r.n) {
        const int64_t next = first + (int64_t)r.at;
        if ((code = ts_scan_next(&r.b, r.scan)) != TS_OK) {
            break;
        }
        r.n = r.b->rows;
        if (r.n == 0 || r.b->rowids[0] != next || r.b->rowids[r.n - 1] != next + r.n - 1) {
            code = hg_changed(g->ctx, table);
            break;
        }
        r.n = count - r.at < r.n ? (unsigned)(count - r.at) : r.n;
        code = each(user, &r);
    }
    ts_scan_close(r.scan);
    return code;
}

ts_code hg_string_row(const ts_batch **b, hg *g, uint32_t string)
{
    static const unsigned columns[] = {TS_C_js_heap_string__string};
    ts_code code = TS_OK;
    if (g->texts == NULL) {
        code = ts_scan_open(&g->texts, g->reader, TS_T_js_heap_string, columns, 1);
    }
    TS_STEP(code, ts_scan_row(b, g->texts, g->d.first_string + string));
    TS_STEP_IF(code, (*b)->rows != 1, hg_changed(g->ctx, TS_T_js_heap_string));
    return code;
}

ts_code hg_text_parts(ts_ctx *ctx, ts_scan *scan, const ts_batch *b, unsigned row, hg_text_fn *part,
                      void *user)
{
    const ts_scan_text *text = &b->columns[0].texts[row];
    ts_code code = TS_OK;
    part(user, text->p, text->n);
    for (uint64_t at = text->n, size = text->size; at < size && code == TS_OK;) {
        char bytes[4096];
        size_t got = 0;
        code = ts_scan_text_part(&got, scan, row, 0, at, bytes, sizeof bytes);
        if (code == TS_OK && got == 0) {
            return hg_changed(ctx, TS_T_js_heap_string);
        }
        part(user, bytes, got);
        at += got;
    }
    return code;
}

static void text_append(void *user, const char *p, size_t n)
{
    ts_buf *out = user;
    if (n > 0) { /* there is room */
        memcpy(out->p + out->n, p, n);
        out->n += n;
    }
}

ts_code hg_whole_text(ts_ctx *ctx, ts_buf *out, ts_scan *scan, const ts_batch *b, unsigned row)
{
    const ts_scan_text *text = &b->columns[0].texts[row];
    if (text->size > SIZE_MAX / 2) {
        return ts_fail(ctx, TS_ERR_LIMIT, "a text is too long");
    }
    TS_TRY(ts_buf_reserve(ctx, out, (size_t)text->size));
    return hg_text_parts(ctx, scan, b, row, text_append, out);
}

bool hg_integer(int64_t *value, const ts_scan_text *text)
{
    int64_t v = 0;
    size_t i = text->n > 0 && text->p[0] == '-' ? 1 : 0;
    if (text->n == i || text->n != text->size) {
        return false;
    }
    for (; i < text->n; i++) {
        if (text->p[i] < '0' || text->p[i] > '9' || ts_ckd_mul(&v, v, 10) ||
            ts_ckd_add(&v, v, text->p[i] - '0')) {
            return false;
        }
    }
    *value = text->p[0] == '-' ? -v : v;
    return true;
}
