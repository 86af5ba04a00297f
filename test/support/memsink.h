/*
 * A row sink in memory for tests: it keeps a deep copy of every row and hands out cells by table,
 * row and column. It takes its memory from malloc, not from base/alloc.h, so that tests which let
 * allocations fail or count them see only the code under test.
 *
 * It fails the test when a row is used against the rules of sink.h: keys that are not dense, a
 * reserved column that is NULL or no integer, completing or releasing what is not reserved.
 *
 * Rows are numbered from 0 here; rowids are one more. Getters fail the test when the row, the
 * column's type or the value (NULL) is not what was asked for.
 */
#ifndef TS_TEST_MEMSINK_H
#define TS_TEST_MEMSINK_H

#include "base/context.h"
#include "tables/rows.h"
#include "tables/sink.h"

typedef struct memsink memsink;

/* ctx receives the error of a put that was made to fail; it may be NULL when none is. */
memsink *memsink_new(ts_ctx *ctx);
void memsink_free(memsink *m);
ts_sink *memsink_sink(memsink *m);

/* Lets the put or complete number `nth` (from 1, over all tables) fail with TS_ERR_OUTPUT; 0 none.
 */
void memsink_fail_at(memsink *m, uint64_t nth);
uint64_t memsink_calls(const memsink *m);

/* Keeps no rows of this table from now on: for sweeps that never look at it. Rows of it cannot be
 * reserved. */
void memsink_drop(memsink *m, enum ts_table_id table);

/* Forgets all rows. */
void memsink_clear(memsink *m);

size_t memsink_rows(const memsink *m, enum ts_table_id table);
const void *memsink_row(const memsink *m, enum ts_table_id table, size_t row);

bool memsink_is_null(const memsink *m, enum ts_table_id table, size_t row, unsigned column);
int64_t memsink_int(const memsink *m, enum ts_table_id table, size_t row, unsigned column);
double memsink_real(const memsink *m, enum ts_table_id table, size_t row, unsigned column);
ts_text memsink_text(const memsink *m, enum ts_table_id table, size_t row, unsigned column);

/* MEM_INT(m, js_heap_nodes, 0, self_size) ... */
#define MEM_ROWS(m, t) memsink_rows((m), TS_T_##t)
#define MEM_ROW(m, t, row) ((const ts_row_##t *)memsink_row((m), TS_T_##t, (row)))
#define MEM_INT(m, t, row, c) memsink_int((m), TS_T_##t, (row), TS_C_##t##__##c)
#define MEM_REAL(m, t, row, c) memsink_real((m), TS_T_##t, (row), TS_C_##t##__##c)
#define MEM_TEXT(m, t, row, c) memsink_text((m), TS_T_##t, (row), TS_C_##t##__##c)
#define MEM_NULL(m, t, row, c) memsink_is_null((m), TS_T_##t, (row), TS_C_##t##__##c)

/* Number of rows whose integer column is `value`, and the first of them (or SIZE_MAX). */
size_t memsink_count_int(const memsink *m, enum ts_table_id table, unsigned column, int64_t value);
size_t memsink_find_int(const memsink *m, enum ts_table_id table, unsigned column, int64_t value);
size_t memsink_find_text(const memsink *m, enum ts_table_id table, unsigned column,
                         const char *value);

/*
 * A row as text: cells divided by '|', NULL as "NULL", texts as they are with bytes below 0x20
 * and '\\' as \xNN. The caller frees it with free().
 */
char *memsink_row_text(const memsink *m, enum ts_table_id table, size_t row);

/* Fails the test, showing both, when the row differs from the text. */
#define assert_mem_row(m, t, row, expected)                                                        \
    memsink_assert_row((m), TS_T_##t, (row), (expected), __FILE__, __LINE__)
/* The rows of a table are these texts, the last of which is NULL. */
void memsink_assert_rows(const memsink *m, enum ts_table_id table, const char *const *expected,
                         const char *file, int line);
void memsink_assert_row(const memsink *m, enum ts_table_id table, size_t row, const char *expected,
                        const char *file, int line);
#define assert_mem_text(m, t, row, c, expected)                                                    \
    memsink_assert_text((m), TS_T_##t, (row), TS_C_##t##__##c, (expected), __FILE__, __LINE__)
void memsink_assert_text(const memsink *m, enum ts_table_id table, size_t row, unsigned column,
                         const char *expected, const char *file, int line);

/*
 * Compares two sinks. equal: all tables, cell by cell; the first difference is printed. prefix: the
 * rows of `part` in one table are the first rows of `whole`; *differs is the first row that is not.
 */
bool memsink_equal(const memsink *a, const memsink *b);
bool memsink_is_prefix(size_t *differs, const memsink *part, const memsink *whole,
                       enum ts_table_id table);

/* Row i of one sink and row j of the other are equal from column `first` on. */
bool memsink_same_cells(const memsink *a, size_t i, const memsink *b, size_t j,
                        enum ts_table_id table, unsigned first);

/* Prints a table to stderr, for a test that is being written. */
void memsink_print(const memsink *m, enum ts_table_id table);

#endif
