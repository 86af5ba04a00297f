/* What publish.c (the temporary file) and publish_target.c (the place it goes to) share. */
#ifndef TS_TABLES_PUBLISH_PRIVATE_H
#define TS_TABLES_PUBLISH_PRIVATE_H

#include "tables/publish.h"

/* Where the file goes, symlinks followed. */
typedef struct ts_place {
    char *path;  /* as the user named it, for messages */
    char *final; /* where it is renamed to */
    char *dir;   /* of final; "." for the current directory */
    char *base;  /* last part of final */
    bool exists;
    mode_t mode; /* when it exists */
} ts_place;

/* Follows the path. Caller frees with ts_place_free, also after an error. */
ts_code ts_place_resolve(ts_place *place, ts_ctx *ctx, const char *path);

/* Looks at what is there now (sets exists and mode) and refuses what must not be replaced. */
ts_code ts_place_check(ts_place *place, ts_ctx *ctx, bool force);

/* TS_ERR_USAGE when it is one of the inputs. */
ts_code ts_place_check_inputs(const ts_place *place, ts_ctx *ctx, const char *const *inputs,
                              size_t n);
void ts_place_free(ts_place *place, ts_ctx *ctx);

#endif
