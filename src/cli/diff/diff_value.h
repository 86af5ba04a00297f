/* Numbers of a comparison: integers as long as they fit, reals beyond. */
#ifndef TS_CLI_DIFF_VALUE_H
#define TS_CLI_DIFF_VALUE_H

#include "base/buf.h"
#include "tables/database.h"

/* type: TS_CELL_NULL, TS_CELL_INT or TS_CELL_REAL. */
typedef struct diff_cell {
    ts_cell_type type;
    union {
        int64_t i;
        double r;
    } u;
} diff_cell;

static inline diff_cell diff_null(void)
{
    return (diff_cell){.type = TS_CELL_NULL};
}

static inline diff_cell diff_int(int64_t i)
{
    return (diff_cell){TS_CELL_INT, {.i = i}};
}

static inline diff_cell diff_real(double r)
{
    return (diff_cell){TS_CELL_REAL, {.r = r}};
}

/* 0 for NULL. */
double diff_number(diff_cell a);

/* The cell of a result of SQLite; what is no number is NULL. */
diff_cell diff_parse(ts_cell_type type, const char *text);

/* NULL counts as nothing: the other one; of two, NULL. */
diff_cell diff_add(diff_cell a, diff_cell b);

/* after - before; NULL when one is NULL. */
diff_cell diff_change(diff_cell before, diff_cell after);

/* The change in percent of what was before; NULL when that is 0 or one is NULL. */
diff_cell diff_percent(diff_cell before, diff_cell after);

/* < 0, 0, > 0 as |a| is smaller than, equal to or larger than |b|; NULL is the smallest. */
int diff_compare_size(diff_cell a, diff_cell b);

/* < 0, 0, > 0; NULL is the smallest. */
int diff_compare(diff_cell a, diff_cell b);

enum { DIFF_CELL_TEXT = 40 };

/* As SQLite prints it; NULL is empty. Returns the length. */
size_t diff_text(char out[DIFF_CELL_TEXT], diff_cell a);

#endif
