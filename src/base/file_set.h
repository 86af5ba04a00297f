/* Which files are read, by device and inode, so that no output replaces one of them. */
#ifndef TS_BASE_FILE_SET_H
#define TS_BASE_FILE_SET_H

#include "base/context.h"
#include "base/vec.h"

typedef struct ts_file_id {
    dev_t dev;
    ino_t ino;
} ts_file_id;

/* Zeroed: empty. */
typedef struct ts_file_set {
    ts_vec ids;    /* ts_file_id */
    size_t sorted; /* so many from the first on are in order */
} ts_file_set;

/* Adds a file; files may be added twice. Fails with TS_ERR_NOMEM. */
ts_code ts_file_set_add(ts_ctx *ctx, ts_file_set *set, dev_t dev, ino_t ino);

/* True when the file of `st` was added. Sorts what was added since the last call. */
bool ts_file_set_has(ts_file_set *set, const struct stat *st);
void ts_file_set_free(ts_ctx *ctx, ts_file_set *set);

#endif
