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

/* bit(table, row, column) | ... of 1 to 12 columns. */
#define TS_BITS_1(bit, t, r, c) bit(t, r, c)
#define TS_BITS_2(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_1(bit, t, r, __VA_ARGS__)
#define TS_BITS_3(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_2(bit, t, r, __VA_ARGS__)
#define TS_BITS_4(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_3(bit, t, r, __VA_ARGS__)
#define TS_BITS_5(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_4(bit, t, r, __VA_ARGS__)
#define TS_BITS_6(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_5(bit, t, r, __VA_ARGS__)
#define TS_BITS_7(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_6(bit, t, r, __VA_ARGS__)
#define TS_BITS_8(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_7(bit, t, r, __VA_ARGS__)
#define TS_BITS_9(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_8(bit, t, r, __VA_ARGS__)
#define TS_BITS_10(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_9(bit, t, r, __VA_ARGS__)
#define TS_BITS_11(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_10(bit, t, r, __VA_ARGS__)
#define TS_BITS_12(bit, t, r, c, ...) bit(t, r, c) | TS_BITS_11(bit, t, r, __VA_ARGS__)
#define TS_BITS_PICK(a, b, c, d, e, f, g, h, i, j, k, l, n, ...) TS_BITS_##n
#define TS_BITS_OF(...) TS_BITS_PICK(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TS_BITS(bit, t, r, ...) (TS_BITS_OF(__VA_ARGS__)(bit, t, r, __VA_ARGS__))
#define TS_BIT_ALWAYS(t, r, c) TS_NULL_BIT(t, c)
#define TS_BIT_OF_ZERO(t, r, c) ((r)->c == 0 ? TS_NULL_BIT(t, c) : 0)

/* Columns of a row become NULL: always, on a condition, those that are 0. */
#define TS_NULL_BITS(table, ...) TS_BITS(TS_BIT_ALWAYS, table, 0, __VA_ARGS__)
#define TS_SET_NULL(table, row, ...) ((row)->null |= TS_NULL_BITS(table, __VA_ARGS__))
#define TS_NULL_IF(condition, table, row, ...)                                                     \
    ((row)->null |= (condition) ? TS_NULL_BITS(table, __VA_ARGS__) : 0)
#define TS_NULL_ZEROS(table, row, ...)                                                             \
    ((row)->null |= TS_BITS(TS_BIT_OF_ZERO, table, row, __VA_ARGS__))

#endif
