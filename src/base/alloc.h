/*
 * The one allocator. Counts what is in use against --max-memory.
 *
 * Out of memory sets the chain (TS_ERR_NOMEM, or TS_ERR_LIMIT when --max-memory refused) and
 * returns NULL, so that callers write: if (p == NULL) { code = ctx->error.code; goto out; }.
 */
#ifndef TS_BASE_ALLOC_H
#define TS_BASE_ALLOC_H

#include "base/context.h"

/* `count` * `size` bytes, not initialised / zeroed. The product is checked; 0 gives a valid
 * pointer. */
void *ts_alloc(ts_ctx *ctx, size_t count, size_t size);
void *ts_zalloc(ts_ctx *ctx, size_t count, size_t size);

/* Grows or shrinks a block of this allocator (NULL = new). On failure the old block stays valid. */
void *ts_realloc(ts_ctx *ctx, void *p, size_t count, size_t size);

/* A NUL-terminated copy of n bytes. */
char *ts_strndup(ts_ctx *ctx, const char *s, size_t n);

/* The same as a step: *out is the copy, or NULL. */
ts_code ts_copy_text(char **out, ts_ctx *ctx, const char *s, size_t n);

/* Asks for huge pages for a new block that is going to be read all over: fewer of its addresses
 * have to be looked up. Small blocks, and systems without, stay as they are. */
void ts_alloc_spread(void *p, size_t n);

/* Gives memory that was freed back to the system, as far as its allocator still keeps it: before
 * much is taken that does not fit there. */
void ts_alloc_trim(void);

/*
 * Counts n bytes that a library without an allocator of its own choice is going to take, against
 * --max-memory (TS_ERR_LIMIT); ts_alloc_returned when it has freed them.
 */
ts_code ts_alloc_lent(ts_ctx *ctx, size_t n);
void ts_alloc_returned(ts_ctx *ctx, size_t n);

/* NULL is allowed. */
void ts_free(ts_ctx *ctx, void *p);

#endif
