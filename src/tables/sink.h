/*
 * Where rows go: the page writer of a database, or a sink in memory in tests. Rows of a table get
 * rowids dense from 1 in the order of the calls.
 */
#ifndef TS_TABLES_SINK_H
#define TS_TABLES_SINK_H

#include "base/context.h"
#include "input/spool.h"
#include "tables/schema.h"

/* Stands in a row for a text that is in a spool: {ts_text_in_spool, its length}. */
extern const char ts_text_in_spool[1];

typedef struct ts_sink {
    void *self;
    /* row: the table's struct of rows.h. reserved: a bit per integer column whose value comes later
     * (it must not be NULL now). */
    ts_code (*put)(void *self, enum ts_table_id table, const void *row, uint64_t reserved);
    /* Sets a reserved column of a row that was put and not released. */
    ts_code (*complete)(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                        int64_t value);
    /* Sets a text of a row that was put, at any time. The text is kept in memory until the end: for
     * the few that are known only when everything was read. */
    ts_code (*late_text)(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                         ts_text value);
    /* No more will be completed in this row. */
    void (*release)(void *self, enum ts_table_id table, int64_t rowid);
    /* Both at once, for a set of columns and their values in order; NULL: by the two above. */
    ts_code (*settle)(void *self, enum ts_table_id table, int64_t rowid, uint64_t columns,
                      const int64_t *values);
    /* A row one of whose texts is ts_text_in_spool; NULL: it is read into memory and put. */
    ts_code (*put_long)(void *self, enum ts_table_id table, const void *row, ts_spool *text);
    uint64_t rows[TS_TABLE_COUNT]; /* rows put so far */
} ts_sink;

static inline ts_code ts_sink_reserve(ts_sink *sink, enum ts_table_id table, const void *row,
                                      uint64_t columns)
{
    ts_code code = sink->put(sink->self, table, row, columns);
    if (code == TS_OK) {
        sink->rows[table]++;
    }
    return code;
}

static inline ts_code ts_sink_put(ts_sink *sink, enum ts_table_id table, const void *row)
{
    return ts_sink_reserve(sink, table, row, 0);
}

/* Puts a row whose `text`, a column in it, stands in the spool: texts of any size, in no memory. */
ts_code ts_sink_put_long(ts_sink *sink, ts_ctx *ctx, enum ts_table_id table, const void *row,
                         ts_text *text, ts_spool *spool);

static inline ts_code ts_sink_complete(ts_sink *sink, enum ts_table_id table, int64_t rowid,
                                       unsigned column, int64_t value)
{
    return sink->complete(sink->self, table, rowid, column, value);
}

static inline ts_code ts_sink_late_text(ts_sink *sink, enum ts_table_id table, int64_t rowid,
                                        unsigned column, ts_text value)
{
    return sink->late_text(sink->self, table, rowid, column, value);
}

static inline void ts_sink_release(ts_sink *sink, enum ts_table_id table, int64_t rowid)
{
    sink->release(sink->self, table, rowid);
}

/* Sets some of the reserved columns of a row, the values in their order (the others keep what the
 * row was put with); no more will come. */
static inline ts_code ts_sink_settle(ts_sink *sink, enum ts_table_id table, int64_t rowid,
                                     uint64_t columns, const int64_t *values)
{
    ts_code code = TS_OK;
    if (sink->settle != NULL) {
        return sink->settle(sink->self, table, rowid, columns, values);
    }
    for (; columns != 0 && code == TS_OK; columns &= columns - 1) {
        unsigned column = (unsigned)__builtin_ctzll(columns);
        code = sink->complete(sink->self, table, rowid, column, *values++);
    }
    sink->release(sink->self, table, rowid);
    return code;
}

#endif
