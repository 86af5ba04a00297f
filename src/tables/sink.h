/*
 * Where rows go. The database behind the writers (SQLite's INSERT today, the page writer
 * tomorrow), or a sink in memory in tests. Rows of a table get rowids dense from 1 in the order of
 * the calls.
 */
#ifndef TS_TABLES_SINK_H
#define TS_TABLES_SINK_H

#include "base/context.h"
#include "tables/schema.h"

typedef struct ts_sink {
    void *self;
    /* row: the table's struct of rows.h. */
    ts_code (*put)(void *self, enum ts_table_id table, const void *row);
    /* Completes a reserved row: sets one integer column of a row that was already put. */
    ts_code (*complete)(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                        int64_t value);
    uint64_t rows[TS_TABLE_COUNT]; /* rows put so far */
} ts_sink;

static inline ts_code ts_sink_put(ts_sink *sink, enum ts_table_id table, const void *row)
{
    ts_code code = sink->put(sink->self, table, row);
    if (code == TS_OK) {
        sink->rows[table]++;
    }
    return code;
}

static inline ts_code ts_sink_complete(ts_sink *sink, enum ts_table_id table, int64_t rowid,
                                       unsigned column, int64_t value)
{
    return sink->complete(sink->self, table, rowid, column, value);
}

#endif
