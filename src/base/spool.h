/*
 * An anonymous temporary file (O_TMPFILE in ctx->tmpdir, or created O_EXCL and unlinked at once):
 * append, then read. Small spools stay in memory (64 KiB). Nothing named is left, whatever happens.
 */
#ifndef TS_BASE_SPOOL_H
#define TS_BASE_SPOOL_H

#include "base/context.h"

typedef struct ts_spool ts_spool;

/* Caller frees with ts_spool_free. No file is made before the memory part is full. */
ts_code ts_spool_new(ts_spool **out, ts_ctx *ctx);
void ts_spool_free(ts_spool *s);

ts_code ts_spool_write(ts_spool *s, const void *p, size_t n);
uint64_t ts_spool_size(const ts_spool *s);

/* *got bytes at off, fewer than n only at the end. */
ts_code ts_spool_read(size_t *got, ts_spool *s, uint64_t off, void *buf, size_t n);

/* All of it is in the file now, from its first byte on, whose descriptor stays the spool's. */
ts_code ts_spool_file(int *fd, ts_spool *s);

/* Integers, compact (zigzag varints, 1 to 10 bytes), for arrays that wait for their partner. */
ts_code ts_spool_put_int(ts_spool *s, int64_t v);

/* A sequential cursor over the integers written by ts_spool_put_int; *end at the end. Buffers. */
typedef struct ts_spool_cursor {
    ts_spool *spool;
    uint64_t off;
    size_t at;
    size_t have;
    uint8_t buf[4096];
} ts_spool_cursor;

void ts_spool_rewind(ts_spool_cursor *c, ts_spool *s);
ts_code ts_spool_next_int(int64_t *v, bool *end, ts_spool_cursor *c);

#endif
