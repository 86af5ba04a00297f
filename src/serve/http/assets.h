/*
 * The files of a page, read when the server starts: what a request names is looked up in a table
 * and never opened.
 */
#ifndef TS_SERVE_ASSETS_H
#define TS_SERVE_ASSETS_H

#include "base/buf.h"

enum { TS_ASSETS_FILES = 5000, TS_ASSETS_DEPTH = 12 };
#define TS_ASSETS_BYTES (UINT64_C(64) * 1024 * 1024)

typedef struct ts_asset {
    char *name; /* below the folder, "assets/page.js" */
    ts_buf bytes;
    const char *type; /* static */
} ts_asset;

typedef struct ts_assets {
    ts_ctx *ctx;
    ts_asset *all; /* in the order of names */
    size_t count;
    uint64_t bytes;
} ts_assets;

/*
 * Reads the regular files below a folder whose names are of [A-Za-z0-9._-] and do not begin with a
 * point; links are passed over. TS_ERR_INPUT when the folder cannot be read, TS_ERR_LIMIT for too
 * many files or bytes. The caller ends it with ts_assets_free, also after an error.
 */
ts_code ts_assets_read(ts_assets *a, ts_ctx *ctx, const char *folder);
void ts_assets_free(ts_assets *a);

/* The file of that name, or NULL. */
const ts_asset *ts_assets_find(const ts_assets *a, ts_text name);

#endif
