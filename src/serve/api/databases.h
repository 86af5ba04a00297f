/*
 * The databases of a server: found by name, opened for one request at a time, and looked at again
 * before each, because a file may be replaced while the server runs.
 */
#ifndef TS_SERVE_DATABASES_H
#define TS_SERVE_DATABASES_H

#include "serve/api/derived.h"
#include "serve/api/vm_sampling.h"
#include "serve/api/sandbox.h"

#include <pthread.h>

enum { TS_DATABASES = TS_DERIVED_FILES, TS_CONNECTIONS = 8 };

/* A connection that a request uses; `ctx` of the sandbox is the request's. */
typedef struct ts_lease {
    ts_sandbox sandbox;
    ts_identity identity; /* of the file that is read */
    const char *path;     /* the same, borrowed: that of the database, or of its copy */
    size_t database;      /* number */
} ts_lease;

typedef struct ts_database {
    char *path;
    char *name; /* base name; a second one of the same name gets "~2" */
    ts_identity identity;
    ts_lease *idle[TS_CONNECTIONS]; /* of that identity */
    unsigned idle_count;
} ts_database;

typedef struct ts_databases {
    ts_ctx *ctx; /* of connections and names; under the lock */
    pthread_mutex_t lock;
    ts_database all[TS_DATABASES];
    size_t count; /* given ones; after them are those that are sampled, `samplings->room` */
    ts_samplings *samplings;   /* borrowed; NULL: none */
    const ts_derived *derived; /* borrowed; NULL: there are no copies */
} ts_databases;

/* Why a database cannot be used now. */
typedef enum ts_database_state {
    TS_DATABASE_OK,
    TS_DATABASE_GONE,    /* the file is not there any more */
    TS_DATABASE_DAMAGED, /* it is no database, or damaged */
    TS_DATABASE_BUSY     /* another program writes it, or has left a journal */
} ts_database_state;

/* What a code of SQLite says about the file; TS_DATABASE_OK: nothing. */
ts_database_state ts_database_state_of(int rc);

/* *d is zeroed. The caller ends it with ts_databases_free, also after an error. base is copied. */
ts_code ts_databases_init(ts_databases *d, const ts_ctx *base);
void ts_databases_free(ts_databases *d);

/* Adds a file; named: the path whose last part is its name. TS_ERR_USAGE for more than
 * TS_DATABASES. */
ts_code ts_databases_add(ts_databases *d, const char *path, const char *named);

/* After all others: those that will be sampled, "sample-1.db" and so on. NULL is allowed. */
ts_code ts_databases_sampled(ts_databases *d, ts_samplings *samplings);

/* The numbers that there may be, and whether there is something at one: not yet sampled ones are
 * none. */
size_t ts_databases_end(const ts_databases *d);
bool ts_database_is_there(const ts_databases *d, size_t number);

/* The number of a name; "" and p NULL: the first. False: there is none. */
bool ts_databases_find(size_t *out, const ts_databases *d, ts_text name);

/*
 * The file to read for what is at the path of the database now: that, or its copy with more rows;
 * *path is borrowed. *given: what is at the path; NULL is allowed. TS_ERR_INPUT when it is not
 * there.
 */
ts_code ts_database_file(const char **path, ts_identity *identity, ts_identity *given,
                         const ts_databases *d, ts_ctx *ctx, size_t number);

/*
 * A connection to what is at the path now, for the thread of `ctx`. TS_ERR_INPUT with *state.
 * The caller gives it back with ts_database_give, with the guard and statements of its own gone.
 */
ts_code ts_database_take(ts_lease **out, ts_database_state *state, ts_databases *d, ts_ctx *ctx,
                         size_t number);
/* NULL is allowed. */
void ts_database_give(ts_databases *d, ts_lease *lease);

#endif
