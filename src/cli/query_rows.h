/*
 * -q: printing the rows of statements.
 *
 * tsv: a header line and rows, separated by tabs. Tab, newline, carriage return, NUL and backslash
 * inside a value are written \t \n \r \0 \\; NULL is empty. An empty line separates two
 * results, as for csv and table.
 *
 * csv: as RFC 4180 has it, lines ended by a newline. An empty text is "", NULL is nothing, bytes
 * are X'00FF'.
 *
 * json: each result is an array with an object a row; jsonl: an object a line. Bytes are
 * hexadecimal digits; of columns of one name, the second is "name:1".
 *
 * arrow: a result as an Arrow IPC stream (query_arrow.c); of several results the second is refused,
 * as a stream has one schema, and so is a terminal. What failed before its last row is not written.
 *
 * table: columns of equal width, numbers on the right. Widths come from the first rows
 * (TS_TABLE_ROWS, or fewer when they are long), which are held until then; a later value that is
 * wider moves the rest of its line. NULL is NULL, bytes are X'00FF', control characters are
 * escaped. On a terminal no line is wider than it: texts are cut (...), numbers never; a row that
 * does not fit even so takes several lines, as the names then do.
 */
#ifndef TS_CLI_QUERY_ROWS_H
#define TS_CLI_QUERY_ROWS_H

#include "base/json_out.h"
#include "base/vec.h"
#include "cli/options.h"
#include "cli/print.h"
#include "tables/database.h"

#include <locale.h>

/* --- query_rows.c ----------------------------------------------------------------------------- */

enum { TS_TABLE_ROWS = 200 };

/* A value of a row as a member of an object. */
void ts_json_cell(ts_jout *j, const char *key, ts_text value, ts_cell_type type);

typedef struct ts_row_print {
    ts_row_format format;
    bool terminal;
    bool demangle;    /* names of C++ and Rust are printed as they are written */
    bool say_unbound; /* parameters without a value are reported on standard error */
    bool say_cut;     /* so are texts that are cut for a terminal */
} ts_row_print;

/* The same for rows that come from elsewhere. */
typedef struct ts_row_printer ts_row_printer;
ts_code ts_row_printer_new(ts_row_printer **out, ts_output *to, ts_row_format format,
                           bool terminal);
void ts_row_printer_free(ts_row_printer *p);
/* A result begins; its rows, as a ts_rows_visitor of a ts_row_printer has them; the end of the last
 * one (what was printed is not flushed). */
ts_code ts_row_printer_header(void *user, const char *const *names, int n);
ts_code ts_row_printer_row(void *user, const char *const *values, const size_t *lengths,
                           const ts_cell_type *types, int n);
ts_code ts_row_printer_end(ts_row_printer *p);

/* What is printed when no format is asked for: a table on a terminal, else tsv. */
ts_row_format ts_row_format_chosen(ts_row_format format, bool terminal);

/* TS_ERR_USAGE for a format that no terminal can show. */
ts_code ts_row_format_check(ts_ctx *ctx, ts_row_format format, bool terminal);

/* Hands rows to the visitor. */
typedef ts_code ts_rows_asked(void *user, const ts_rows_visitor *visitor);

/*
 * Asks and prints each result. For a terminal, control characters are escaped in all formats. Where
 * the reader has gone, the rest is not asked for: TS_OK.
 */
ts_code ts_query_print(ts_rows_asked *ask, void *user, const ts_row_print *print, ts_output *out);

/* --- query_names.c ---------------------------------------------------------------------------- */

/* Rows on their way to a printer, with names of C++ and Rust as they are written: texts that are
 * such a name, or have such names with ';' or blanks around them. Zeroed but for ctx and printer.
 */
typedef struct ts_written_rows {
    ts_ctx *ctx;
    ts_row_printer *printer;
    ts_buf name;   /* one that was demangled */
    ts_buf text;   /* cells that are others now */
    ts_vec values; /* const char * */
    ts_vec lengths;
    ts_vec places; /* size_t: where in `text`; SIZE_MAX: as it was */
} ts_written_rows;

ts_code ts_written_header(void *user, const char *const *names, int n);
ts_code ts_written_row(void *user, const char *const *values, const size_t *lengths,
                       const ts_cell_type *types, int n);
void ts_written_free(ts_written_rows *w);

/* --- query_arrow.c ---------------------------------------------------------------------------- */

typedef struct ts_arrow_rows ts_arrow_rows;

/* A result of n columns; the names are borrowed until its end, `declared` is NULL where nothing is
 * known of them. Freed by the caller, also after a failure. */
ts_code ts_arrow_rows_new(ts_arrow_rows **out, ts_output *to, const char *const *names,
                          const ts_cell_type *declared, size_t n);
ts_code ts_arrow_rows_add(ts_arrow_rows *a, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types);
/* Writes the stream. */
ts_code ts_arrow_rows_end(ts_arrow_rows *a);
void ts_arrow_rows_free(ts_arrow_rows *a);

/* --- query_table.c ---------------------------------------------------------------------------- */

/* Rows as a table with columns of equal width (query_rows.h). */

typedef struct ts_table_text {
    ts_output *out;
    locale_t utf8;  /* (locale_t)0: a character is one column wide */
    ts_buf text;    /* of the cells that are held */
    ts_vec cells;   /* cell: the header's, then rows */
    ts_vec columns; /* column */
    size_t screen;  /* columns of the terminal; 0: it is for none, and no text is cut */
    size_t header_bytes;
    size_t cut;  /* texts */
    size_t rows; /* held */
    bool open;   /* a result has begun */
    bool fixed;  /* widths are known: rows are not held */
} ts_table_text;

/* Takes a locale of the C library for widths; ts_table_text_free releases it and the rows. */
void ts_table_text_init(ts_table_text *t, ts_output *out, size_t screen);
void ts_table_text_free(ts_table_text *t);

/* A result of n columns begins; its rows; its end (also of none, which prints nothing). */
ts_code ts_table_text_begin(ts_table_text *t, const char *const *names, int n);
ts_code ts_table_text_row(ts_table_text *t, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types, int n);
ts_code ts_table_text_end(ts_table_text *t);

#endif
