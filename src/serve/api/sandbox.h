/*
 * A connection to a finished database for statements that anyone may have written: nothing can be
 * changed, attached, loaded or read besides the one file, and nothing runs longer than its guard
 * allows. The file itself is not trusted either.
 */
#ifndef TS_SERVE_SANDBOX_H
#define TS_SERVE_SANDBOX_H

#include "base/context.h"

#include <sqlite3.h>
#include <stdatomic.h>

typedef enum ts_guard_why {
    TS_GUARD_RUNS,    /* nothing has ended it */
    TS_GUARD_TIMEOUT, /* the deadline has passed */
    TS_GUARD_GONE,    /* the client has closed the connection */
    TS_GUARD_STOPPED  /* *stop was set */
} ts_guard_why;

/* What ends a piece of work from outside; zeroed with fd -1: nothing. Used by one thread, only
 * *stop is set by others. */
typedef struct ts_guard {
    int64_t deadline_ns;     /* of CLOCK_MONOTONIC; 0: none */
    int fd;                  /* of the client; -1: none. Its hanging up ends the work */
    const atomic_bool *stop; /* NULL, or becomes true */
    ts_guard_why why;        /* kept once it is not TS_GUARD_RUNS */
} ts_guard;

/* Now, of CLOCK_MONOTONIC. */
int64_t ts_guard_now(void);

/* Whether the work has to end; keeps why. Makes two system calls: loops in C call it once in some
 * thousand rows. NULL: false. */
bool ts_guard_ended(ts_guard *guard);

/* TS_OK, or TS_ERR_INTERRUPTED with a sentence when ts_guard_ended. */
ts_code ts_guard_check(ts_guard *guard, ts_ctx *ctx);

typedef struct ts_sandbox {
    ts_ctx *ctx;
    sqlite3 *db;
    ts_guard *guard; /* asked every 10 000 steps of a statement; borrowed; NULL: none */
    bool denied;     /* the authorizer refused something since this was last reset */
} ts_sandbox;

/*
 * Opens the database read-only, without making files beside it, and restricts the connection.
 * TS_ERR_INPUT when it cannot be opened; *rc is then SQLite's extended code. The connection is used
 * by one thread at a time. The caller closes it with ts_sandbox_close, also after an error.
 */
ts_code ts_sandbox_open(ts_sandbox *s, int *rc, ts_ctx *ctx, const char *path);
void ts_sandbox_close(ts_sandbox *s);

/*
 * The error of a call of SQLite that gave `rc` as a chain: TS_ERR_INTERRUPTED when the guard ended
 * it, TS_ERR_NOMEM, TS_ERR_INPUT with "the database is damaged" or what SQLite says about the file,
 * and TS_ERR_USAGE for everything that is wrong with the statement.
 */
ts_code ts_sandbox_fail(ts_sandbox *s, int rc);

#endif
