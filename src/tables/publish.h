/*
 * The promise about the output file (design section 5): it does not change, or it is complete.
 * A hidden temporary file beside the target, O_EXCL|O_NOFOLLOW, held with flock, renamed at the
 * end.
 */
#ifndef TS_TABLES_PUBLISH_H
#define TS_TABLES_PUBLISH_H

#include "base/context.h"

typedef struct ts_target ts_target;

typedef struct ts_target_options {
    bool force; /* replace a file that is not a database of ours */
    bool sync;  /* fsync file and directory */
} ts_target_options;

/*
 * Prepares the target: follows a symlink to its end, refuses (TS_ERR_OUTPUT with path and reason) a
 * directory, a special file, a file that is not ours without force, a read-only one, a missing
 * directory; refuses "-" and an input as output (TS_ERR_USAGE; same device and inode as one of
 * `inputs`, where "-" is standard input). Removes temporaries of this target whose lock can be
 * taken. Makes and locks a new one. Caller frees with ts_target_free, which removes the temporary
 * unless it was committed.
 */
ts_code ts_target_open(ts_target **out, ts_ctx *ctx, const char *path,
                       const ts_target_options *options, const char *const *inputs, size_t n);

/* The temporary's path; does not change until ts_target_free. NULL for t == NULL. */
const char *ts_target_path(const ts_target *t);

/* Open for reading and writing, and locked. */
int ts_target_fd(const ts_target *t);

/*
 * Renames over the target, after all writers have closed or flushed the temporary. The checks of
 * ts_target_open are made once more, in case the target has changed meanwhile. The mode is 0666 &
 * ~umask, or that of the file replaced.
 */
ts_code ts_target_commit(ts_target *t);
void ts_target_free(ts_target *t);

/*
 * A database file in ctx->tmpdir for runs without -e. Once the database has opened it by
 * ts_target_path, the caller hides it: ts_target_hide removes its name, and the space is given back
 * with the last close. It cannot be committed. A run that is killed before that leaves the file;
 * the next call removes those whose lock can be taken.
 */
ts_code ts_target_anonymous(ts_target **out, ts_ctx *ctx);
ts_code ts_target_hide(ts_target *t);

#endif
