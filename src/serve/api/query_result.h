/* The rows of one statement as a body that is made while it is sent. */
#ifndef TS_SERVE_QUERY_RESULT_H
#define TS_SERVE_QUERY_RESULT_H

#include "serve/api/app.h"
#include "serve/api/query_request.h"

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
