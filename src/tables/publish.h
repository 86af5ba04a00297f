/*
 * The promise about the output file: it does not change, or it is complete.
 * A hidden temporary file beside the target, O_EXCL|O_NOFOLLOW, held with flock, renamed at the
 * end.
 */
#ifndef TS_TABLES_PUBLISH_H
#define TS_TABLES_PUBLISH_H

#include "base/context.h"
#include "base/file_set.h"

typedef struct ts_target ts_target;

typedef struct ts_target_options {
    bool force;         /* replace a file that is not a database of ours */
    bool sync;          /* fsync file and directory */
    bool text;          /* no database: replaces any regular file, and nothing is beside it */
    ts_file_set *reads; /* files that are read: none of them is replaced or removed. NULL: none */
} ts_target_options;

/*
 * Prepares the target: follows a symlink to its end, refuses (TS_ERR_OUTPUT with path and reason) a
 * directory, a special file, a file that is not ours without force, a read-only one, a missing
 * directory, a database that another program writes, and what is not SQLite's under the names of
 * the files that SQLite keeps beside a database; refuses "-" and an input as output (TS_ERR_USAGE).
 * Removes temporaries of this target whose lock can be taken. Makes and locks a new one. Caller
 * frees with ts_target_free, which removes the temporary unless it was committed.
 */
ts_code ts_target_open(ts_target **out, ts_ctx *ctx, const char *path,
                       const ts_target_options *options);

/* The temporary's path; does not change until ts_target_free. NULL for t == NULL. */
const char *ts_target_path(const ts_target *t);

/* Open for reading and writing, and locked. */
int ts_target_fd(const ts_target *t);

/*
 * Renames over the target, after all writers have closed or flushed the temporary:
 * ts_target_prepare and ts_target_rename.
 */
ts_code ts_target_commit(ts_target *t);

/*
 * All that takes time or can well fail: the checks of ts_target_open are made once more, in case
 * the target has changed in the meantime; what is beside the old database is brought into it
 * and removed. The mode becomes 0666 & ~umask, or that of the file replaced. The old database stays
 * locked until ts_target_rename or ts_target_free.
 */
ts_code ts_target_prepare(ts_target *t);

/* The renaming alone, and with `sync` the fsync of the directory. */
ts_code ts_target_rename(ts_target *t);
void ts_target_free(ts_target *t);

/* Where a path leads, also when there is no file yet: its directory, and the name in it. */
typedef struct ts_place_name {
    dev_t dir;
    ino_t ino;
    const char *base; /* NULL: nowhere */
    char *owned;
    bool open_file; /* the path goes by a link of /proc to a file that a process has open */
} ts_place_name;

/* Follows the symlinks of `path`. TS_ERR_OUTPUT when its directory cannot be found. Caller frees
 * with ts_place_name_free, also after an error. */
ts_code ts_place_name_of(ts_place_name *name, ts_ctx *ctx, const char *path);
bool ts_place_name_is(const ts_place_name *name, dev_t dir, ino_t ino, const char *base);

/* True when `other` is one of the names that SQLite uses beside the database `db`. */
bool ts_place_name_beside(const ts_place_name *db, const ts_place_name *other);
void ts_place_name_free(ts_place_name *name, ts_ctx *ctx);

/*
 * A database file in ctx->tmpdir for runs without -e. Once the database has opened it by
 * ts_target_path, the caller hides it: ts_target_hide removes its name, and the space is given back
 * with the last close. It cannot be committed. A run that is killed before that leaves the file;
 * the next call removes those whose lock can be taken.
 */
ts_code ts_target_anonymous(ts_target **out, ts_ctx *ctx);
ts_code ts_target_hide(ts_target *t);

#endif
