/*
 * Copies of databases that have more rows: those of analyses that a view needs and the database
 * lacks. Another process makes them while the server runs (cli/serve/serve_maker.c), because the
 * server never writes. What both know is in shared memory: one process writes, all others read.
 *
 * A copy is a slot that is written once and then counted in `made`, so that it is never read half
 * written. It stands for one identity of the file that was served: when that file is replaced, the
 * copy is of something else and not used.
 */
#ifndef TS_SERVE_DERIVED_H
#define TS_SERVE_DERIVED_H

#include "base/context.h"

#include <limits.h>
#include <stdatomic.h>

enum { TS_DERIVED_FILES = 16, TS_DERIVED_COPIES = 256, TS_DERIVED_TEXT = 200 };

/* What changes when a file is replaced or written. */
typedef struct ts_identity {
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec changed;
} ts_identity;

bool ts_identity_same(const ts_identity *a, const ts_identity *b);

/* What the file is now. TS_ERR_INPUT when it is not there. */
ts_code ts_identity_of(ts_identity *out, ts_ctx *ctx, const char *path);

typedef enum ts_derived_state {
    TS_DERIVED_NONE, /* it lacks nothing, or nothing is known yet */
    TS_DERIVED_RUNS,
    TS_DERIVED_DONE,
    TS_DERIVED_FAILED
} ts_derived_state;

typedef struct ts_derived_file {
    atomic_int state;              /* ts_derived_state */
    atomic_uint_least64_t read;    /* bytes of the copy that the analysis has read */
    char message[TS_DERIVED_TEXT]; /* why it failed; its last byte is always 0 */
} ts_derived_file;

typedef struct ts_derived_copy {
    size_t database; /* its number */
    ts_identity of;
    char path[PATH_MAX];
} ts_derived_copy;

typedef struct ts_derived {
    ts_derived_file all[TS_DERIVED_FILES];
    atomic_size_t made;
    ts_derived_copy copies[TS_DERIVED_COPIES];
} ts_derived;

/* Shared with processes that are forked later. NULL without memory, which is no error: then there
 * are no copies. */
ts_derived *ts_derived_open(void);
void ts_derived_close(ts_derived *d);

/* The process that makes copies: one more, of what the file was. False: there is no room. */
bool ts_derived_add(ts_derived *d, size_t database, const ts_identity *of, const char *path);
void ts_derived_failed(ts_derived *d, size_t database, const char *message);

/* The copy of a file as it is now, or NULL. d NULL: there are none. */
const char *ts_derived_find(const ts_derived *d, size_t database, const ts_identity *now);

#endif
