/*
 * A server of ClickHouse that answers questions and takes rows: what is tried again, how long is
 * waited before, and what an answer that is no 200 means.
 */
#ifndef TS_FLEET_ENGINE_H
#define TS_FLEET_ENGINE_H

#include "fleet/fleet.h"
#include "fleet/http.h"

struct ts_fleet {
    ts_ctx *ctx;
    ts_fleet_options options;
    ts_address address;
    ts_http *http;
    ts_http_answer answer; /* the last one */
    char version[32];
    bool codecs;      /* it knows CODEC and LowCardinality */
    unsigned waits;   /* since ts_engine_fresh */
    bool transient;   /* the last failure may be none another time */
    long retry_after; /* seconds that it asked for then; -1: none */
};

/* What follows has all its retries. */
void ts_engine_fresh(ts_fleet *f);

/*
 * Waits before another try, longer from time to time, until a signal comes. TS_ERR_OUTPUT, with
 * what failed last, when all tries were made; nothing is waited for then.
 */
ts_code ts_engine_wait(ts_fleet *f);

/*
 * Runs one statement that may be run twice, with retries: its answer is f->answer.body, in
 * TabSeparated where the statement names no format. `database`: there is one of that name already.
 * TS_ERR_OUTPUT with the engine's message.
 */
ts_code ts_engine_ask(ts_fleet *f, ts_text sql, bool database);
ts_code ts_engine_askf(ts_fleet *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The only value of an answer, as a number. */
ts_code ts_engine_number(uint64_t *out, ts_fleet *f);

/*
 * Sends rows, once: "INSERT INTO ..." in `sql`. It is sent again only where it is sure that the
 * server has not begun with it. f->transient when it failed otherwise and may work another time;
 * whether the rows are there is then not known.
 */
ts_code ts_engine_put(ts_fleet *f, const char *sql, ts_text body, bool zipped);

/* --- answers in TabSeparated ------------------------------------------------------------------ */

enum { TS_ENGINE_FIELDS = 24 };

typedef struct ts_engine_rows {
    char *p, *end;
    ts_text fields[TS_ENGINE_FIELDS]; /* unescaped, each with a zero byte after it */
    bool null[TS_ENGINE_FIELDS];
    size_t count;
} ts_engine_rows;

/* Of f->answer.body, which is changed on the way. */
ts_engine_rows ts_engine_rows_of(ts_fleet *f);

/* The next row; false at the end. */
bool ts_engine_next(ts_engine_rows *rows);

/* The text as a literal of SQL, with its quotation marks; any bytes. */
ts_code ts_engine_quote(ts_ctx *ctx, ts_buf *out, ts_text text);

#endif
