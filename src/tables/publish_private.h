/*
 * What publish.c (the temporary file), publish_target.c (the place it goes to), publish_old.c (the
 * database that is there) and publish_side.c (the files beside it) share.
 */
#ifndef TS_TABLES_PUBLISH_PRIVATE_H
#define TS_TABLES_PUBLISH_PRIVATE_H

#include "tables/publish.h"

/* Where the file goes, symlinks followed. */
typedef struct ts_place {
    char *path;     /* as the user named it, for messages */
    char *final;    /* where it is renamed to */
    char *dir;      /* of final; "." for the current directory */
    char *base;     /* last part of final */
    bool open_file; /* final was found by a link of /proc to an open file */
    bool exists;
    mode_t mode; /* when it exists */
} ts_place;

/* Follows the path. For a text "-" is a name as any. Caller frees with ts_place_free, also after an
 * error. */
ts_code ts_place_resolve(ts_place *place, ts_ctx *ctx, const char *path, bool text);

/* Looks at what is there now (sets exists and mode) and refuses what must not be replaced: files
 * that are read (TS_ERR_USAGE) and all that ts_target_open names. */
ts_code ts_place_check(ts_place *place, ts_ctx *ctx, const ts_target_options *options);
void ts_place_free(ts_place *place, ts_ctx *ctx);

/* The endings of the names of files that SQLite keeps beside a database. */
enum { TS_SIDE_COUNT = 3 };
extern const char *const ts_side_suffixes[TS_SIDE_COUNT];

/*
 * *any: there are files of SQLite beside the place. TS_ERR_OUTPUT for what has such a name and is
 * no regular file, and without force for files that are not SQLite's; TS_ERR_USAGE for inputs.
 */
ts_code ts_side_check(bool *any, ts_ctx *ctx, const ts_place *place,
                      const ts_target_options *options);

/* Removes them, checked anew. ts_old_take comes before: what they hold is in the database then. */
ts_code ts_side_remove(ts_ctx *ctx, const ts_place *place, const ts_target_options *options);

/* TS_ERR_OUTPUT when another program writes the database for longer than a second, or has it open
 * in WAL mode. Changes nothing. */
ts_code ts_old_check_unlocked(ts_ctx *ctx, const ts_place *place);

/*
 * Lets SQLite bring what is beside the database into it, and keeps other writers away until
 * ts_old_release. *held is NULL when there is no database. Failures are TS_ERR_OUTPUT; without
 * `needed` a database that SQLite cannot read is none.
 */
struct sqlite3;
ts_code ts_old_take(struct sqlite3 **held, ts_ctx *ctx, const ts_place *place, bool needed);
void ts_old_release(struct sqlite3 *held);

#endif
