#include "tables/sink.h"

static ts_code put(void *self, enum ts_table_id table, const void *row, uint64_t reserved)
{
    (void)self;
    (void)table;
    (void)row;
    (void)reserved;
    return TS_OK;
}

static ts_code complete(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                        int64_t value)
{
    (void)self;
    (void)table;
    (void)rowid;
    (void)column;
    (void)value;
    return TS_OK;
}

static ts_code late_text(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                         ts_text value)
{
    (void)self;
    (void)table;
    (void)rowid;
    (void)column;
    (void)value;
    return TS_OK;
}

static ts_code invalidate(void *self, enum ts_table_id table, int64_t first, int64_t last,
                          uint64_t columns)
{
    (void)self;
    (void)table;
    (void)first;
    (void)last;
    (void)columns;
    return TS_OK;
}

static void release(void *self, enum ts_table_id table, int64_t rowid)
{
    (void)self;
    (void)table;
    (void)rowid;
}

static ts_code settle(void *self, enum ts_table_id table, int64_t rowid, uint64_t columns,
                      const int64_t *values)
{
    (void)self;
    (void)table;
    (void)rowid;
    (void)columns;
    (void)values;
    return TS_OK;
}

ts_sink ts_sink_null(void)
{
    return ts_sink_make(NULL, put, complete, late_text, invalidate, release, settle);
}
