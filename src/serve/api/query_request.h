/* A query as it was asked: from the URL, or from the JSON of a body. */
#ifndef TS_SERVE_ASKED_H
#define TS_SERVE_ASKED_H

#include "base/vec.h"
#include "serve/http/request.h"

#include <sqlite3.h>

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

#endif
