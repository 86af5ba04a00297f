/* Rows as a table with columns of equal width (query_rows.h). */
#ifndef TS_CLI_QUERY_TABLE_H
#define TS_CLI_QUERY_TABLE_H

#include "base/vec.h"
#include "cli/print.h"
#include "tables/database.h"

#include <locale.h>

typedef struct ts_table_text {
    ts_output *out;
    locale_t utf8;  /* (locale_t)0: a character is one column wide */
    ts_buf text;    /* of the cells that are held */
    ts_vec cells;   /* cell: the header's, then rows */
    ts_vec columns; /* column */
    size_t rows;    /* held */
    bool open;      /* a result has begun */
    bool fixed;     /* widths are known: rows are not held */
} ts_table_text;

/* Takes a locale of the C library for widths; ts_table_text_free releases it and the rows. */
void ts_table_text_init(ts_table_text *t, ts_output *out);
void ts_table_text_free(ts_table_text *t);

/* A result of n columns begins; its rows; its end (also of none, which prints nothing). */
ts_code ts_table_text_begin(ts_table_text *t, const char *const *names, int n);
ts_code ts_table_text_row(ts_table_text *t, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types, int n);
ts_code ts_table_text_end(ts_table_text *t);

#endif
