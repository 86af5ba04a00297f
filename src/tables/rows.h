/*
 * Row structs and typed writers, made from the schema.
 *
 *   struct ts_row_js_heap_nodes { uint64_t null; int64_t file_id; int64_t node_index; ... };
 *   ts_put_js_heap_nodes(sink, &row)
 *
 * Integer and key columns are int64_t, reals double, texts ts_text (borrowed for the call). A
 * column is NULL when its bit is set in `null` (TS_SET_NULL), or, for a text, when p == NULL.
 */
#ifndef TS_TABLES_ROWS_H
#define TS_TABLES_ROWS_H

#include "base/text.h"
#include "tables/schema.h"
#include "tables/sink.h"

/* struct ts_row_<table> */
#define TS_TABLE(t, c, d)                                                                          \
    typedef struct ts_row_##t {                                                                    \
        uint64_t null;
#define TS_INT(t, c, u, n, d) int64_t c;
#define TS_REAL(t, c, u, n, d) double c;
#define TS_STR(t, c, u, n, d) ts_text c;
#define TS_KEY(t, c, d) int64_t c;
#define TS_TABLE_END(t)                                                                            \
    }                                                                                              \
    ts_row_##t;
#include "tables/formats/each.h"

/* Column numbers: TS_C_<table>__<column>, and their number: TS_N_<table>. */
#define TS_TABLE(t, c, d) enum {
#define TS_INT(t, c, u, n, d) TS_C_##t##__##c,
#define TS_REAL(t, c, u, n, d) TS_C_##t##__##c,
#define TS_STR(t, c, u, n, d) TS_C_##t##__##c,
#define TS_KEY(t, c, d) TS_C_##t##__##c,
#define TS_TABLE_END(t)                                                                            \
    TS_N_##t                                                                                       \
    }                                                                                              \
    ;
#include "tables/formats/each.h"

#define TS_NULL_BIT(table, column) (UINT64_C(1) << TS_C_##table##__##column)
#define TS_SET_NULL(table, row, column) ((row)->null |= TS_NULL_BIT(table, column))
#define TS_NULL_IF(condition, table, row, column)                                                  \
    ((row)->null |= (condition) ? TS_NULL_BIT(table, column) : 0)

/* A column that was NULL gets its value. */
#define TS_SET_VALUE(table, row, column, ...)                                                      \
    ((row)->column = (__VA_ARGS__), (row)->null &= ~TS_NULL_BIT(table, column))

/* ts_put_<table>(sink, row): appends a row. A key column must be rows so far + 1. */
#define TS_TABLE(t, c, d)                                                                          \
    static inline ts_code ts_put_##t(ts_sink *sink, const ts_row_##t *row)                         \
    {                                                                                              \
        return ts_sink_put(sink, TS_T_##t, row);                                                   \
    }
#include "tables/formats/each.h"

#endif
