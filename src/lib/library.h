/* What the parts of libtracestreamer share. */
#ifndef TS_LIB_LIBRARY_H
#define TS_LIB_LIBRARY_H

#include "session/conversion.h"
#include "tables/publish.h"

#include <locale.h>

#include "tracestreamer.h"

typedef enum library_state {
    LIBRARY_TAKING,   /* recordings */
    LIBRARY_FINISHED, /* there is a database to ask */
    LIBRARY_FAILED
} library_state;

struct tst_session {
    ts_ctx ctx;
    volatile sig_atomic_t cancel;
    library_state state;
    ts_buf message;
    locale_t locale;     /* C: numbers are written and read in it, whatever the caller's is */
    locale_t callers;    /* during a call */
    tst_options options; /* with texts of its own */
    ts_vec texts;        /* char *: those, and paths */
    ts_vec paths;        /* const char *, some of the texts */
    char *name;          /* of the input that is fed, or NULL */
    bool feeding;        /* an input has begun and not ended */
    bool failed_input;   /* and cannot be imported */
    ts_progress progress;
    tst_progress *told;
    void *told_user;
    ts_conversion conversion;
    bool begun;
    ts_vec failures;  /* char *: why inputs could not be imported */
    ts_error failure; /* of the last one */
    ts_target *target;
    ts_db *db;
    char *path; /* of a finished database that was opened */
};

/* Around each call: the message is forgotten and numbers are those of the C locale; then the
 * message of what failed is made, and the code of the interface returned. */
void library_begin(tst_session *s);
int library_end(tst_session *s, ts_code code);

/* --- library_rows.c
 * -------------------------------------------------------------------------------- */

/* A value of the present row. */
typedef struct library_cell {
    tst_type type;
    int64_t i;
    double r;
    const char *p; /* text (with a zero byte) and blob */
    size_t n;
    char number[TS_NUMBER_TEXT]; /* the number as text, once it was asked for */
} library_cell;

struct tst_rows {
    tst_session *session;
    ts_steps *steps; /* NULL: all rows are held */
    int columns;
    ts_buf names;   /* of held rows, each with a zero byte */
    ts_vec offsets; /* size_t: of the names */
    ts_buf held;    /* rows that were read already: they come first */
    size_t held_at; /* the next one */
    ts_vec cells;   /* library_cell: of the present row */
    bool row;       /* there is a present row */
    bool is_held;   /* it is one of the held ones */
};

/* Rows of a session that has a database (TS_ERR_USAGE: it has none), without any; *out NULL: error.
 */
ts_code library_new_rows(tst_rows **out, tst_session *s);

/* The end of a call that makes rows: releases them after an error. */
int library_end_rows(tst_rows **out, tst_session *s, ts_code code);

/* Columns of held rows, then their cells in order. Texts are copied. */
ts_code library_hold_names(tst_rows *rows, const char *const *names, int n);
ts_code library_hold_cell(tst_rows *rows, const library_cell *cell);

/* The present row's value. */
library_cell library_cell_of(const tst_rows *rows, int column);

/* Adds the present row to the held ones. */
ts_code library_hold(tst_rows *rows);

/* The next row; *row: there is one. Errors are in the session's context. */
ts_code library_step(bool *row, tst_rows *rows);

/* The type that the column of a table is declared with, or TST_NULL. */
tst_type library_declared(const tst_rows *rows, int column);

#endif
