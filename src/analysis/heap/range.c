/* Rows of a heap file: they follow each other. */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

ts_code hg_changed(ts_ctx *ctx, enum ts_table_id table)
{
    return ts_fail(ctx, TS_ERR_INPUT, "the rows of table %s were changed", ts_schema[table].name);
}

ts_code hg_range_open(hg_range *r, ts_reader *reader, enum ts_table_id table,
                      const unsigned *columns, unsigned column_count, int64_t first, uint64_t count)
{
    ts_code code;
    *r = (hg_range){.next = first, .end = first};
    if (count == 0) {
        return TS_OK;
    }
    r->end = first + (int64_t)count;
    TS_TRY(code, ts_scan_open(&r->scan, reader, table, columns, column_count));
    return ts_scan_seek(r->scan, first);
}

ts_code hg_range_next(hg_range *r, ts_ctx *ctx, enum ts_table_id table)
{
    ts_code code;
    r->at += r->n;
    r->n = 0;
    if (r->next >= r->end) {
        return TS_OK;
    }
    TS_TRY(code, ts_scan_next(&r->b, r->scan));
    if (r->b->rows == 0 || r->b->rowids[0] != r->next ||
        r->b->rowids[r->b->rows - 1] != r->next + r->b->rows - 1) {
        return hg_changed(ctx, table);
    }
    r->n = r->b->rows;
    if (r->end - r->next < (int64_t)r->n) {
        r->n = (unsigned)(r->end - r->next);
    }
    r->next += r->n;
    return TS_OK;
}

void hg_range_close(hg_range *r)
{
    ts_scan_close(r->scan);
    r->scan = NULL;
}

ts_code hg_whole_text(ts_ctx *ctx, ts_buf *out, ts_scan *scan, const ts_batch *b, unsigned row,
                      unsigned column)
{
    const ts_scan_text *text = &b->columns[column].texts[row];
    ts_code code;
    if (text->n == text->size) {
        return ts_buf_put(ctx, out, text->p, text->n);
    }
    if (text->size > SIZE_MAX / 2) {
        return ts_fail(ctx, TS_ERR_LIMIT, "a text is too long");
    }
    TS_TRY(code, ts_buf_reserve(ctx, out, (size_t)text->size));
    for (uint64_t at = 0, size = text->size; at < size && code == TS_OK;) {
        size_t got = 0;
        code = ts_scan_text_part(&got, scan, row, column, at, out->p + out->n, TS_SCAN_TEXT_MAX);
        if (code == TS_OK && got == 0) {
            return hg_changed(ctx, TS_T_js_heap_string);
        }
        out->n += got;
        at += got;
    }
    return code;
}
