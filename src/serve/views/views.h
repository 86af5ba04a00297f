/*
 * The data of the page's views: from an open database and parameters to JSON, free of HTTP.
 * `ts_endpoints` is the list of all; who serves them needs nothing else of this header but
 * ts_view_db_open, ts_endpoint_parse and ts_endpoint_run.
 *
 * Times in parameters and replies are ns since ts_view_db_origin, because ns since 1970 do not fit
 * a JavaScript number. Sums are exact, and 2^63-1 when they are beyond it. docs/serve.md has the
 * replies.
 */
#ifndef TS_SERVE_VIEWS_H
#define TS_SERVE_VIEWS_H

#include "base/json_out.h"
#include "serve/api/sandbox.h"

#include <sqlite3.h>

/* --- parameters ------------------------------------------------------------------------------- */

enum { TS_VIEW_PARAMS = 24, TS_VIEW_IDS = 256 };

typedef enum ts_view_type {
    TS_VIEW_INT,     /* a number from least to most */
    TS_VIEW_LIST,    /* such numbers, at most TS_VIEW_IDS, with commas between them */
    TS_VIEW_CHOICE,  /* one of `choices`; its value is its place */
    TS_VIEW_SOURCE,  /* as in model/sources.h; becomes ids, or not given when all are meant */
    TS_VIEW_THREADS, /* the same; numbers with commas between them are itids */
    TS_VIEW_PATH,    /* a number, or a call path as model/path_ids.h has it */
    TS_VIEW_TEXT     /* any text of at most `most` bytes without NUL */
} ts_view_type;

/* A parameter as it is declared: what a query string is checked against. */
typedef struct ts_view_param {
    const char *name; /* NULL ends a list */
    ts_view_type type;
    int64_t least;
    int64_t most;
    const char *choices;   /* with commas between them */
    int64_t default_value; /* when it is not given */
    bool required;
    const char *doc;
} ts_view_param;

/* A parameter of a request, decoded. */
typedef struct ts_view_pair {
    const char *name;
    ts_text value;
} ts_view_pair;

/* Its value; zeroed with default_value in `number` when it was not given. */
typedef struct ts_view_value {
    bool given;
    int64_t number; /* of TS_VIEW_INT; of TS_VIEW_CHOICE its place in the list */
    uint64_t path;  /* of TS_VIEW_PATH, with is_path */
    bool is_path;
    ts_text text; /* borrowed from the pair */
    int64_t ids[TS_VIEW_IDS];
    unsigned id_count;
} ts_view_value;

/* Whether a list has it. */
bool ts_view_has(const ts_view_value *v, int64_t id);

typedef struct ts_view_args {
    ts_view_value values[TS_VIEW_PARAMS]; /* in the order of the endpoint's list */
} ts_view_args;

/* --- databases -------------------------------------------------------------------------------- */

/*
 * What is kept of one database between requests: sums, positions and graphs, built when a view
 * needs them first, together at most max_memory; what was not used longest goes first. Used by one
 * thread at a time, with whichever connection to the database.
 */
typedef struct ts_view_db ts_view_db;

typedef struct ts_view_db_options {
    const char *path;    /* of the file, whose pages are read without SQLite where its layout allows
                            it; NULL: by SQL only. Borrowed */
    uint64_t max_memory; /* bytes, with the memory of a request that runs; 0: no limit */
} ts_view_db_options;

/* base: whose allocator and system calls are taken. Caller frees with ts_view_db_close. */
ts_code ts_view_db_open(ts_view_db **out, const ts_ctx *base, const ts_view_db_options *options);
void ts_view_db_close(ts_view_db *views);

/* The context whose error chain says why a view failed. */
ts_ctx *ts_view_db_ctx(ts_view_db *views);

/* Bytes in use. */
uint64_t ts_view_db_memory(const ts_view_db *views);

/* The beginning of the recording, trace_range.start_ts; 0 when the database has none. */
int64_t ts_view_db_origin(ts_view_db *views, sqlite3 *db);

/* --- requests --------------------------------------------------------------------------------- */

/* Called now and then while something long runs; `what` is static: "reading samples". done of total
 * rows; total 0: not known. */
typedef struct ts_view_progress {
    void *user;
    void (*report)(void *user, const char *what, uint64_t done, uint64_t total);
} ts_view_progress;

typedef struct ts_view_call {
    ts_view_db *views;
    sqlite3 *db;
    const ts_view_args *args;
    ts_jout *out;              /* gets one JSON value, or nothing when the view fails */
    ts_guard *guard;           /* what ends it; NULL: nothing */
    ts_view_progress progress; /* zeroed: not wanted */
} ts_view_call;

typedef struct ts_endpoint {
    const char *path; /* below /api/ */
    const char *doc;
    const ts_view_param *params;
    ts_code (*run)(ts_view_call *call);
} ts_endpoint;

/* All views; `path` NULL ends the list (views.c). */
extern const ts_endpoint ts_endpoints[];

/* The endpoint of that path, or NULL. */
const ts_endpoint *ts_endpoint_find(const char *path);

/*
 * Checks the parameters of a request. TS_ERR_USAGE with a sentence in ctx->error for one that is
 * unknown, given twice, missing, or not as it is declared.
 */
ts_code ts_endpoint_parse(ts_view_args *args, ts_ctx *ctx, const ts_endpoint *endpoint,
                          const ts_view_pair *pairs, size_t count);

/*
 * Runs it. Errors are in ts_view_db_ctx(): TS_ERR_USAGE for what the database does not have (an
 * unknown thread or heap file), TS_ERR_INPUT for a database that cannot be read or whose rows make
 * no sense, TS_ERR_LIMIT and TS_ERR_NOMEM for memory, TS_ERR_INTERRUPTED when the guard ended it,
 * TS_ERR_OUTPUT when `out` failed. Replies are complete before anything is written to `out`.
 */
ts_code ts_endpoint_run(const ts_endpoint *endpoint, ts_view_call *call);

#endif
