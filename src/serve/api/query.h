/* A query: what is asked, and the rows of its statement as a body that is made while it is sent. */
#ifndef TS_SERVE_QUERY_H
#define TS_SERVE_QUERY_H

#include "base/vec.h"
#include "serve/api/app.h"

/* --- query_request.c -------------------------------------------------------------------------- */

/* A query as it was asked: from the URL, or from the JSON of a body. */

typedef enum ts_asked_type {
    TS_ASKED_NULL,
    TS_ASKED_INT,
    TS_ASKED_REAL,
    TS_ASKED_TEXT
} ts_asked_type;

/* A value for the parameter of a statement; texts are in ts_asked.texts. */
typedef struct ts_asked_param {
    size_t name_at, name_n;
    ts_asked_type type;
    int64_t i;
    double d;
    size_t at, n;
} ts_asked_param;

/* Texts of the query; `given` is false when it was not named. */
typedef struct ts_asked_text {
    bool given;
    ts_buf text;
} ts_asked_text;

typedef struct ts_asked {
    ts_asked_text db;
    ts_asked_text sql;
    ts_asked_text question;
    ts_asked_text ints; /* "text", or not given */
    ts_asked_text format;
    ts_asked_text view;
    int64_t limit;      /* rows; -1: not given */
    int64_t timeout_ms; /* -1: not given */
    ts_vec params;      /* of ts_asked_param */
    ts_buf texts;
} ts_asked;

/*
 * Reads the parameters of a URL (db, sql, question, p.NAME, limit, timeout_ms, ints, format, view,
 * and the names in `more`, which are passed over) or a body. TS_ERR_USAGE with a sentence. The
 * caller frees with ts_asked_free, also after an error.
 */
ts_code ts_asked_url(ts_asked *q, ts_ctx *ctx, const ts_request *r, const char *const *more);
ts_code ts_asked_body(ts_asked *q, ts_ctx *ctx, ts_text body);
void ts_asked_free(ts_asked *q, ts_ctx *ctx);

/* Binds what has a name in the statement, the rest is NULL. *unknown: the first value that no
 * parameter takes, or p NULL. Gives SQLite's code. Texts stay borrowed. */
int ts_asked_bind(ts_text *unknown, const ts_asked *q, sqlite3_stmt *st);

/* Whether a text is a decimal number, as it is written in SQL; *real: it is no integer of 64 bits.
 */
bool ts_asked_number(ts_asked_param *out, ts_text text);

/* --- query_result.c --------------------------------------------------------------------------- */

typedef enum ts_result_format {
    TS_FORMAT_REPLY, /* the document of /api/query */
    TS_FORMAT_CSV,   /* RFC 4180 */
    TS_FORMAT_TSV,
    TS_FORMAT_JSON, /* an array of objects */
    TS_FORMAT_NDJSON,
    TS_FORMAT_MD, /* a table of Markdown */
    TS_FORMATS
} ts_result_format;

typedef struct ts_result ts_result;

enum { TS_RESULT_CELL = 1024 * 1024 }; /* bytes of a text in TS_FORMAT_REPLY */

typedef struct ts_result_plan {
    ts_result_format format;
    uint64_t max_rows;
    uint64_t max_bytes; /* 0: any number */
    int64_t time_ns;    /* that the statement may run */
    bool ints_as_text;
    int client; /* descriptor, or -1 */
} ts_result_plan;

/*
 * Prepares the statement of q and runs it up to its first row. Then *done says whether all of it is
 * in *reply already; else the reply has a stream. An error up to there is the reply's. The lease is
 * taken over in any case.
 */
void ts_result_start(ts_reply *reply, bool *done, ts_app *app, ts_ctx *ctx, ts_lease *lease,
                     ts_asked *q, ts_text sql, const ts_result_plan *plan);

/* Name of a format for the parameter `format`; TS_FORMATS: there is none. */
ts_result_format ts_result_format_of(ts_text name);
const char *ts_result_type(ts_result_format format);
const char *ts_result_extension(ts_result_format format);

/* --- what formats are made of (query_format.c) ----------------------------------------------- */

typedef struct ts_result_out {
    ts_ctx *ctx;
    ts_buf *out;
    ts_result_format format;
    bool ints_as_text;
    bool any;     /* a row was put */
    ts_jout json; /* writes to `out` */
    ts_code code; /* of everything but json */
    ts_vec names; /* of ts_buf: keys, unique */
} ts_result_out;

void ts_result_out_init(ts_result_out *o, ts_ctx *ctx, ts_buf *out, const ts_result_plan *plan);
/* The statement is at its first row, or has none (has_row false). */
void ts_result_out_begin(ts_result_out *o, sqlite3_stmt *st, bool has_row);
void ts_result_out_row(ts_result_out *o, sqlite3_stmt *st);

typedef struct ts_result_end {
    uint64_t rows;
    bool truncated;
    int64_t elapsed_ns;
    const char *error; /* code, or NULL */
    const char *message;
} ts_result_end;
void ts_result_out_end(ts_result_out *o, const ts_result_end *end);
ts_code ts_result_out_free(ts_result_out *o);

#endif
