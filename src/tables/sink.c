#include "tables/sink.h"

#include "base/alloc.h"

#include <string.h>

const char ts_text_in_spool[1] = "";

ts_code ts_sink_put_long(ts_sink *sink, ts_ctx *ctx, enum ts_table_id table, const void *row,
                         ts_text *text, ts_spool *spool)
{
    size_t n = (size_t)ts_spool_size(spool);
    size_t got = 0;
    char *bytes;
    ts_code code;
    if (sink->calls.put_long != NULL) {
        *text = (ts_text){ts_text_in_spool, n};
        code = sink->calls.put_long(sink->self, table, row, spool);
        sink->rows[table] += code == TS_OK ? 1 : 0;
        ts_sink_changes(sink, table); /* no row that could be seen has all of it */
        return code;
    }
    TS_NEED(ctx, bytes = ts_alloc(ctx, n, 1));
    code = ts_spool_read(&got, spool, 0, bytes, n);
    if (code == TS_OK) {
        *text = (ts_text){bytes, got};
        code = ts_sink_put(sink, table, row);
    }
    ts_free(ctx, bytes);
    return code;
}

/* Keys, if the table has them, are the next ones; where they are not, the row that has a wrong one
 * is refused when it is put alone. */
static bool keys_follow(const ts_sink *sink, enum ts_table_id table, const void *rows, size_t size,
                        unsigned count)
{
    const ts_column *key = &ts_schema[table].columns[0];
    for (unsigned i = 0; i < count && key->type == TS_COL_KEY; i++) {
        int64_t v;
        memcpy(&v, (const char *)rows + i * size + key->offset, sizeof v);
        if ((uint64_t)v != sink->rows[table] + i + 1) {
            return false;
        }
    }
    return true;
}

ts_code ts_sink_put_many(ts_sink *sink, enum ts_table_id table, const void *rows, size_t size,
                         unsigned count)
{
    ts_code code = TS_OK;
    if (sink->calls.put_many == NULL || !keys_follow(sink, table, rows, size, count)) {
        for (unsigned i = 0; i < count && code == TS_OK; i++) {
            code = ts_sink_put(sink, table, (const char *)rows + i * size);
        }
        return code;
    }
    code = sink->calls.put_many(sink->self, table, rows, size, count);
    sink->rows[table] += code == TS_OK ? count : 0;
    for (unsigned i = 0; i < count && code == TS_OK && ts_sink_is_watched(sink, table); i++) {
        code = sink->watch->seen(sink->watch->self, table, (const char *)rows + i * size);
    }
    return code;
}

/* One by one, through the struct of their table. */
static ts_code put_each(ts_sink *sink, enum ts_table_id table, const uint32_t *const *columns,
                        unsigned count)
{
    int64_t row[1 + 63]; /* as many columns as a table can have */
    ts_code code = TS_OK;
    for (unsigned r = 0; r < count && code == TS_OK; r++) {
        ts_row_of_columns(row, columns, ts_schema[table].column_count, r);
        code = ts_sink_put(sink, table, row);
    }
    return code;
}

ts_code ts_sink_put_columns(ts_sink *sink, enum ts_table_id table, const uint32_t *const *columns,
                            unsigned count)
{
    ts_code code = TS_OK;
    if (sink->calls.put_columns == NULL || ts_schema[table].columns[0].type == TS_COL_KEY ||
        !sink->calls.put_columns(&code, sink->self, table, columns, count)) {
        return put_each(sink, table, columns, count);
    }
    if (code != TS_OK) {
        return code;
    }
    sink->rows[table] += count;
    return ts_sink_is_watched(sink, table)
               ? sink->watch->seen_columns(sink->watch->self, table, columns, count)
               : TS_OK;
}

/* --- a sink that keeps no rows ------------------------------------------------------------- */

static ts_code null_put(void *self, enum ts_table_id table, const void *row, uint64_t reserved)
{
    (void)self;
    (void)table;
    (void)row;
    (void)reserved;
    return TS_OK;
}

static ts_code null_put_long(void *self, enum ts_table_id table, const void *row, ts_spool *text)
{
    (void)self;
    (void)table;
    (void)row;
    (void)text;
    return TS_OK;
}

static ts_code null_complete(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                             int64_t value)
{
    (void)self;
    (void)table;
    (void)rowid;
    (void)column;
    (void)value;
    return TS_OK;
}

static ts_code null_amend(void *self, const ts_amendment *what)
{
    (void)self;
    (void)what;
    return TS_OK;
}

static void null_release(void *self, enum ts_table_id table, int64_t rowid)
{
    (void)self;
    (void)table;
    (void)rowid;
}

ts_sink ts_sink_null(void)
{
    return ts_sink_of(NULL, &(ts_sink_calls){.put = null_put,
                                             .put_long = null_put_long,
                                             .complete = null_complete,
                                             .release = null_release,
                                             .amend = null_amend});
}
