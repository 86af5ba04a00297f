#include "export/columns/columns.h"

#include "base/alloc.h"

static ts_code column_open(ts_column_values *v, ts_ctx *ctx, enum ts_table_id table, unsigned i)
{
    const ts_column *column = &ts_schema[table].columns[i];
    v->column = column;
    v->width = ts_column_width(table, i);
    v->nullable = column->null_meaning[0] != '\0';
    TS_NEED(ctx, v->null = ts_alloc(ctx, TS_COLUMNS_ROWS, sizeof *v->null));
    if (column->type == TS_COL_TEXT) {
        TS_NEED(ctx, v->offsets = ts_alloc(ctx, (size_t)TS_COLUMNS_ROWS + 1, sizeof *v->offsets));
        return ts_buf_reserve(ctx, &v->bytes, 1);
    }
    if (column->type == TS_COL_REAL) {
        TS_NEED(ctx, v->reals = ts_alloc(ctx, TS_COLUMNS_ROWS, sizeof *v->reals));
    } else {
        TS_NEED(ctx, v->ints = ts_alloc(ctx, TS_COLUMNS_ROWS, sizeof *v->ints));
    }
    return TS_OK;
}

ts_code ts_columns_open(ts_columns *c, ts_ctx *ctx, ts_reader *reader, enum ts_table_id table)
{
    const ts_table *t = &ts_schema[table];
    unsigned columns[TS_SCAN_COLUMNS];
    *c = (ts_columns){.ctx = ctx, .table = table, .name = t->name};
    TS_NEED(ctx, c->columns = ts_zalloc(ctx, t->column_count, sizeof *c->columns));
    TS_NEED(ctx, c->rowids = ts_alloc(ctx, TS_COLUMNS_ROWS, sizeof *c->rowids));
    for (unsigned i = 0; i < t->column_count; i++) {
        columns[i] = i;
        c->count = i + 1;
        TS_TRY(column_open(&c->columns[i], ctx, table, i));
    }
    return ts_scan_open(&c->scan, reader, table, columns, c->count);
}

void ts_columns_close(ts_columns *c)
{
    for (unsigned i = 0; i < c->count; i++) {
        ts_column_values *v = &c->columns[i];
        ts_free(c->ctx, v->null);
        ts_free(c->ctx, v->ints);
        ts_free(c->ctx, v->reals);
        ts_free(c->ctx, v->offsets);
        ts_buf_free(c->ctx, &v->bytes);
    }
    if (c->ctx != NULL) {
        ts_free(c->ctx, c->columns);
        ts_free(c->ctx, c->rowids);
        ts_scan_close(c->scan);
    }
    *c = (ts_columns){0};
}

/* --- one batch of the scan ------------------------------------------------------------------- */

/* The rest of a text of which the scan has the beginning. */
static ts_code long_text(ts_columns *c, ts_column_values *v, unsigned row, unsigned column,
                         const ts_scan_text *t)
{
    uint64_t done = t->n;
    if (t->size > UINT32_MAX / 2) {
        return ts_fail(c->ctx, TS_ERR_LIMIT, "a text of the table %s is longer than 2 GiB",
                       c->name);
    }
    TS_TRY(ts_buf_reserve(c->ctx, &v->bytes, (size_t)t->size));
    TS_TRY(ts_buf_put(c->ctx, &v->bytes, t->p, t->n));
    while (done < t->size) {
        size_t got = 0;
        TS_TRY(ts_scan_text_part(&got, c->scan, row, column, done, v->bytes.p + v->bytes.n,
                                 TS_SCAN_TEXT_MAX));
        if (got == 0) {
            return ts_fail(c->ctx, TS_ERR_INPUT, "a text of the table %s ends early", c->name);
        }
        v->bytes.n += got;
        done += got;
    }
    return TS_OK;
}

static ts_code take_texts(ts_columns *c, unsigned column, unsigned n)
{
    ts_column_values *v = &c->columns[column];
    const ts_scan_text *from = c->from->columns[column].texts + c->taken;
    uint32_t *offsets = v->offsets + c->rows;
    size_t sum = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += from[i].n;
    }
    TS_TRY(ts_buf_reserve(c->ctx, &v->bytes, sum));
    for (unsigned i = 0; i < n; i++) {
        if (from[i].size > from[i].n) {
            TS_TRY(long_text(c, v, c->taken + i, column, &from[i]));
            TS_TRY(ts_buf_reserve(c->ctx, &v->bytes, sum));
        } else {
            memcpy(v->bytes.p + v->bytes.n, from[i].p, from[i].n);
            v->bytes.n += from[i].n;
        }
        offsets[i + 1] = (uint32_t)v->bytes.n;
    }
    return TS_OK;
}

static ts_code take_column(ts_columns *c, unsigned column, unsigned n)
{
    ts_column_values *v = &c->columns[column];
    const ts_batch_column *from = &c->from->columns[column];
    memcpy(v->null + c->rows, from->null + c->taken, n);
    if (v->offsets != NULL) {
        return take_texts(c, column, n);
    }
    if (v->ints != NULL) {
        memcpy(v->ints + c->rows, from->ints + c->taken, n * sizeof *v->ints);
    } else {
        memcpy(v->reals + c->rows, from->reals + c->taken, n * sizeof *v->reals);
    }
    return TS_OK;
}

static ts_code take_rows(ts_columns *c)
{
    unsigned n = c->from->rows - c->taken;
    n = n < TS_COLUMNS_ROWS - c->rows ? n : TS_COLUMNS_ROWS - c->rows;
    memcpy(c->rowids + c->rows, c->from->rowids + c->taken, n * sizeof *c->rowids);
    for (unsigned i = 0; i < c->count; i++) {
        TS_TRY(take_column(c, i, n));
    }
    c->rows += n;
    c->taken += n;
    return TS_OK;
}

/* --- batches ---------------------------------------------------------------------------------- */

static size_t text_bytes(const ts_columns *c)
{
    size_t sum = 0;
    for (unsigned i = 0; i < c->count; i++) {
        sum += c->columns[i].bytes.n;
    }
    return sum;
}

/* What is known of a whole column. */
static void column_ends(ts_column_values *v, unsigned rows)
{
    unsigned nulls = 0;
    int64_t min = rows == 0 || v->ints == NULL ? 0 : v->ints[0];
    int64_t max = min;
    for (unsigned i = 0; i < rows; i++) {
        nulls += v->null[i];
    }
    for (unsigned i = 0; v->ints != NULL && i < rows; i++) {
        min = v->ints[i] < min ? v->ints[i] : min;
        max = v->ints[i] > max ? v->ints[i] : max;
    }
    v->nulls = nulls;
    v->min = min;
    v->max = max;
}

ts_code ts_columns_next(ts_columns *c)
{
    ts_code code = TS_OK;
    bool more = true;
    c->rows = 0;
    for (unsigned i = 0; i < c->count; i++) {
        c->columns[i].bytes.n = 0;
        if (c->columns[i].offsets != NULL) {
            c->columns[i].offsets[0] = 0;
        }
    }
    while (code == TS_OK && more && c->rows < TS_COLUMNS_ROWS && text_bytes(c) < TS_COLUMNS_TEXT) {
        if (c->from == NULL || c->taken == c->from->rows) {
            code = ts_scan_next(&c->from, c->scan);
            c->taken = 0;
            more = code == TS_OK && c->from->rows > 0;
        }
        TS_STEP_IF(code, more, take_rows(c));
    }
    for (unsigned i = 0; code == TS_OK && i < c->count; i++) {
        column_ends(&c->columns[i], c->rows);
    }
    return code;
}

/* Moves the texts that stay to the front. */
static void keep_texts(ts_column_values *v, const bool *keep, unsigned rows)
{
    unsigned n = 0;
    size_t end = 0;
    for (unsigned i = 0; i < rows; i++) {
        const uint32_t from = v->offsets[i];
        const uint32_t length = v->offsets[i + 1] - from;
        if (keep[i]) {
            memmove(v->bytes.p + end, v->bytes.p + from, length);
            end += length;
            v->offsets[++n] = (uint32_t)end; /* read already, or it stays as it is */
        }
    }
    v->bytes.n = end;
}

static void keep_values(ts_column_values *v, const bool *keep, unsigned rows)
{
    unsigned n = 0;
    for (unsigned i = 0; i < rows; i++) {
        if (keep[i]) {
            v->null[n] = v->null[i];
            if (v->ints != NULL) {
                v->ints[n] = v->ints[i];
            } else if (v->reals != NULL) {
                v->reals[n] = v->reals[i];
            }
            n++;
        }
    }
    if (v->offsets != NULL) {
        keep_texts(v, keep, rows);
    }
    column_ends(v, n);
}

void ts_columns_keep(ts_columns *c, const bool *keep)
{
    unsigned n = 0;
    for (unsigned i = 0; i < c->count; i++) {
        keep_values(&c->columns[i], keep, c->rows);
    }
    for (unsigned i = 0; i < c->rows; i++) {
        c->rowids[n] = c->rowids[i];
        n += keep[i] ? 1 : 0;
    }
    c->rows = n;
}

bool ts_column_fits(const ts_column_values *v)
{
    static const int64_t most[] = {
        [TS_WIDTH_U8] = UINT8_MAX,  [TS_WIDTH_U16] = UINT16_MAX, [TS_WIDTH_U32] = UINT32_MAX,
        [TS_WIDTH_U64] = INT64_MAX, [TS_WIDTH_BOOL] = 1,
    };
    return v->ints == NULL || v->width == TS_WIDTH_I64 || (v->min >= 0 && v->max <= most[v->width]);
}
