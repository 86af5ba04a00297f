/*
 * Where rows go: the page writer of a database, or a sink in memory in tests. Rows of a table get
 * rowids dense from 1 in the order of the calls.
 */
#ifndef TS_TABLES_SINK_H
#define TS_TABLES_SINK_H

#include "base/context.h"
#include "base/spool.h"
#include "base/text.h"
#include "tables/schema.h"

/* Stands in a row for a text that is in a spool: {ts_text_in_spool, its length}. */
extern const char ts_text_in_spool[1];

/* row: the table's struct of rows.h. reserved: a bit per integer column whose value comes later (it
 * must not be NULL now). */
typedef ts_code ts_sink_put_call(void *self, enum ts_table_id table, const void *row,
                                 uint64_t reserved);
/* A row one of whose texts is ts_text_in_spool. */
typedef ts_code ts_sink_put_long_call(void *self, enum ts_table_id table, const void *row,
                                      ts_spool *text);
/* An array of rows of `size` bytes each. */
typedef ts_code ts_sink_put_many_call(void *self, enum ts_table_id table, const void *rows,
                                      size_t size, unsigned count);
/* Sets a reserved column of a row that was put and not released. */
typedef ts_code ts_sink_complete_call(void *self, enum ts_table_id table, int64_t rowid,
                                      unsigned column, int64_t value);

/*
 * A change to rows that were put and are not reserved, at any time. It is kept in memory until the
 * end, where the file is repaired: few, or long ranges.
 */
typedef enum ts_amend_kind {
    TS_AMEND_TEXT, /* a text that is known only when everything was read */
    TS_AMEND_INT,  /* an integer of a row that had to be put without knowing that it has a value */
    TS_AMEND_NULL, /* what was found to be wrong only later */
    TS_AMEND_MOVE  /* times whose beginning is known only at the end. NULL stays */
} ts_amend_kind;

typedef struct ts_amendment {
    ts_amend_kind kind;
    enum ts_table_id table;
    int64_t first, last; /* rowids */
    uint64_t columns;    /* a bit each, no key; one for a text or an integer */
    int64_t value;       /* the integer, or what is added */
    ts_text text;        /* borrowed for the call */
} ts_amendment;
typedef ts_code ts_sink_amend_call(void *self, const ts_amendment *what);

/* Puts rows of small integers: an array for each column. False, and nothing is done: it is not for
 * this table. */
typedef bool ts_sink_put_columns_call(ts_code *code, void *self, enum ts_table_id table,
                                      const uint32_t *const *columns, unsigned count);
/* Puts samples of CPU profiles (sample_batch.h). False, and nothing is done: it is not for them. */
struct ts_sample_batch;
typedef bool ts_sink_put_samples_call(ts_code *code, void *self,
                                      const struct ts_sample_batch *batch);
/* No more will be completed in this row. */
typedef void ts_sink_release_call(void *self, enum ts_table_id table, int64_t rowid);
/* Completes and releases, for a set of columns and their values in order. */
typedef ts_code ts_sink_settle_call(void *self, enum ts_table_id table, int64_t rowid,
                                    uint64_t columns, const int64_t *values);

/* What takes the place of tables when the file is finished, a bit each: views that show viewers of
 * those tables what common tables hold. */
typedef enum ts_shown {
    TS_SHOW_CALLS = 1,       /* callstack, which has no rows: traced invocations */
    TS_SHOW_SAMPLES = 2,     /* perf_*, but perf_napi_async, without rows: sampled stacks */
    TS_SHOW_EDGE_NAMES = 4,  /* js_heap_edges: names where its rows have numbers of names */
    TS_SHOW_RUNS = 8,        /* stack_sample and js_cpu_profiler_sample, if they have no rows yet:
                              * samples of CPU profiles come, each run of equal ones at its end */
    TS_SHOW_BOTH_CALLS = 16, /* callstack: its rows, and traced invocations */
    TS_SHOW_STACKS = 32,     /* with TS_SHOW_SAMPLES: perf_callchain has its rows as a table */
    TS_SHOW_NAMES = 64       /* process: names of those that have none are made up */
} ts_shown;
typedef void ts_sink_show_call(void *self, ts_shown what);

/*
 * Somebody who sees the rows of some tables as they are put, to keep what would have to be read
 * again: at most one a sink. What he keeps is of no use any more when rows change later.
 */
typedef ts_code ts_sink_seen_call(void *self, enum ts_table_id table, const void *row);
typedef ts_code ts_sink_seen_columns_call(void *self, enum ts_table_id table,
                                          const uint32_t *const *columns, unsigned count);
typedef struct ts_sink_watch {
    void *self;
    bool tables[TS_TABLE_COUNT];
    ts_sink_seen_call *seen;                             /* a row that was put */
    ts_sink_seen_columns_call *seen_columns;             /* rows that ts_sink_put_columns put */
    void (*changed)(void *self, enum ts_table_id table); /* rows of it are no longer as put */
} ts_sink_watch;

/* What a sink does. The first four are required; without one of the others the same rows are put in
 * another way. */
typedef struct ts_sink_calls {
    ts_sink_put_call *put;
    ts_sink_complete_call *complete;
    ts_sink_release_call *release;
    ts_sink_amend_call *amend;
    ts_sink_put_long_call *put_long;       /* NULL: the text is read into memory and put */
    ts_sink_settle_call *settle;           /* NULL: by `complete` and `release` */
    ts_sink_put_many_call *put_many;       /* NULL: one by one */
    ts_sink_put_columns_call *put_columns; /* NULL: row by row */
    ts_sink_put_samples_call *put_samples; /* NULL: row by row */
    ts_sink_show_call *show;               /* NULL: there are no views */
} ts_sink_calls;

/* Made by ts_sink_of and ts_sink_null only (test/layers.sh). */
typedef struct ts_sink {
    void *self;
    ts_sink_calls calls;
    uint64_t rows[TS_TABLE_COUNT]; /* rows put so far */
    ts_sink_watch *watch;          /* NULL: none; borrowed */
} ts_sink;

/* A sink of these calls. Without a required one, which would lose what it is given, the program
 * ends at once. */
static inline ts_sink ts_sink_of(void *self, const ts_sink_calls *calls)
{
    if (calls->put == NULL || calls->complete == NULL || calls->release == NULL ||
        calls->amend == NULL) {
        __builtin_trap();
    }
    return (ts_sink){.self = self, .calls = *calls};
}

/* A sink that counts rows and keeps none. */
ts_sink ts_sink_null(void);

static inline bool ts_sink_is_watched(const ts_sink *sink, enum ts_table_id table)
{
    return sink->watch != NULL && sink->watch->tables[table];
}

static inline void ts_sink_changes(const ts_sink *sink, enum ts_table_id table)
{
    if (ts_sink_is_watched(sink, table)) {
        sink->watch->changed(sink->watch->self, table);
    }
}

static inline ts_code ts_sink_reserve(ts_sink *sink, enum ts_table_id table, const void *row,
                                      uint64_t columns)
{
    TS_TRY(sink->calls.put(sink->self, table, row, columns));
    sink->rows[table]++;
    if (columns != 0) {
        ts_sink_changes(sink, table);
    } else if (ts_sink_is_watched(sink, table)) {
        return sink->watch->seen(sink->watch->self, table, row);
    }
    return TS_OK;
}

static inline ts_code ts_sink_put(ts_sink *sink, enum ts_table_id table, const void *row)
{
    return ts_sink_reserve(sink, table, row, 0);
}

/* Puts `count` rows: an array of the table's struct, of `size` bytes each. After a failure it is
 * not known how many of them were put. */
ts_code ts_sink_put_many(ts_sink *sink, enum ts_table_id table, const void *rows, size_t size,
                         unsigned count);

/*
 * Puts `count` rows of a table that has integers only: an array for each of its columns, values
 * from 0 to INT32_MAX, or NULL where all rows have NULL. They are the same as if they were put one
 * by one. Rows of watched tables have no column of NULLs.
 */
ts_code ts_sink_put_columns(ts_sink *sink, enum ts_table_id table, const uint32_t *const *columns,
                            unsigned count);

/* Puts a row whose `text`, a column in it, is in the spool: texts of any size, in no memory. */
ts_code ts_sink_put_long(ts_sink *sink, ts_ctx *ctx, enum ts_table_id table, const void *row,
                         ts_text *text, ts_spool *spool);

static inline ts_code ts_sink_complete(ts_sink *sink, enum ts_table_id table, int64_t rowid,
                                       unsigned column, int64_t value)
{
    return sink->calls.complete(sink->self, table, rowid, column, value);
}

static inline ts_code ts_sink_amend(ts_sink *sink, const ts_amendment *what)
{
    ts_sink_changes(sink, what->table);
    return sink->calls.amend(sink->self, what);
}

static inline ts_code ts_sink_late_text(ts_sink *sink, enum ts_table_id table, int64_t rowid,
                                        unsigned column, ts_text value)
{
    return ts_sink_amend(sink, &(ts_amendment){.kind = TS_AMEND_TEXT,
                                               .table = table,
                                               .first = rowid,
                                               .last = rowid,
                                               .columns = UINT64_C(1) << column,
                                               .text = value});
}

static inline ts_code ts_sink_late_int(ts_sink *sink, enum ts_table_id table, int64_t rowid,
                                       unsigned column, int64_t value)
{
    return ts_sink_amend(sink, &(ts_amendment){TS_AMEND_INT, table, rowid, rowid,
                                               UINT64_C(1) << column, value, TS_TEXT_NULL});
}

/* The column of this name says whether what the row is about was read whole: it becomes 0. */
#define TS_COMPLETE_COLUMN "complete"

static inline ts_code ts_sink_invalidate(ts_sink *sink, enum ts_table_id table, int64_t first,
                                         int64_t last, uint64_t columns)
{
    return ts_sink_amend(
        sink, &(ts_amendment){TS_AMEND_NULL, table, first, last, columns, 0, TS_TEXT_NULL});
}

static inline ts_code ts_sink_move(ts_sink *sink, enum ts_table_id table, int64_t first,
                                   int64_t last, uint64_t columns, int64_t delta)
{
    return ts_sink_amend(
        sink, &(ts_amendment){TS_AMEND_MOVE, table, first, last, columns, delta, TS_TEXT_NULL});
}

/* Row r of columns as the struct of a table of integers: the mask of NULLs, then a word each. */
static inline void ts_row_of_columns(int64_t *row, const uint32_t *const *columns, unsigned n,
                                     unsigned r)
{
    row[0] = 0;
    for (unsigned i = 0; i < n; i++) {
        row[0] |= (int64_t)(columns[i] == NULL) << i;
        row[1 + i] = columns[i] == NULL ? 0 : columns[i][r];
    }
}

static inline void ts_sink_show(ts_sink *sink, ts_shown what)
{
    if (sink->calls.show != NULL) {
        sink->calls.show(sink->self, what);
    }
}

static inline void ts_sink_release(ts_sink *sink, enum ts_table_id table, int64_t rowid)
{
    sink->calls.release(sink->self, table, rowid);
}

/* Sets some of the reserved columns of a row, the values in their order (the others keep what the
 * row was put with); no more will come. */
static inline ts_code ts_sink_settle(ts_sink *sink, enum ts_table_id table, int64_t rowid,
                                     uint64_t columns, const int64_t *values)
{
    ts_code code = TS_OK;
    if (sink->calls.settle != NULL) {
        return sink->calls.settle(sink->self, table, rowid, columns, values);
    }
    for (; columns != 0 && code == TS_OK; columns &= columns - 1) {
        unsigned column = (unsigned)__builtin_ctzll(columns);
        code = sink->calls.complete(sink->self, table, rowid, column, *values++);
    }
    sink->calls.release(sink->self, table, rowid);
    return code;
}

#endif
