/*
 * Servers of ClickHouse that answer questions and take rows: what is tried again, how long is
 * waited before, and what an answer that is no 200 means. One of them is asked at a time; which,
 * is said by cluster.h.
 */
#ifndef TS_FLEET_ENGINE_H
#define TS_FLEET_ENGINE_H

#include "fleet/fleet.h"
#include "fleet/http.h"

typedef struct ts_server {
    ts_address address;
    ts_http *http;
    char who[TS_FLEET_BASE + 2]; /* "HOST: " for messages; "": there is one server only */
    char resolved[64];           /* the address of the host, as another server knows it */
    char version[32];
    bool codecs; /* it knows CODEC and LowCardinality */
} ts_server;

struct ts_fleet {
    ts_ctx *ctx;
    ts_fleet_options options;
    ts_server front;   /* that of the address: its views show what all have */
    ts_server *shards; /* those that have rows; &front without a cluster */
    size_t shard_count;
    ts_server *server;           /* what is asked goes to it */
    char cluster[TS_FLEET_NAME]; /* "": none */
    ts_http_answer answer;       /* the last one */
    bool warned;                 /* of a password that can be read */
    unsigned waits;              /* since ts_engine_fresh */
    bool transient;              /* the last failure may be none another time */
    long retry_after;            /* seconds that it asked for then; -1: none */
};

/* Opens a connection to the server of server->address; nothing is sent yet. */
ts_code ts_engine_connect(ts_fleet *f, ts_server *server, const ts_credentials *who);

/* Asks for the version. */
ts_code ts_engine_greet(ts_fleet *f);

/* What follows has all its retries, and is asked of the server of the address. */
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

/* Of f->answer.body, which is changed on the way, and has a zero byte after it. */
ts_engine_rows ts_engine_rows_of(ts_fleet *f);

/* The next row; false at the end. */
bool ts_engine_next(ts_engine_rows *rows);

/* The number that a field is: digits and nothing else. */
bool ts_engine_field(uint64_t *out, ts_text field);

/* The text as a literal of SQL, with its quotation marks; any bytes. */
ts_code ts_engine_quote(ts_ctx *ctx, ts_buf *out, ts_text text);

#endif
