/*
 * A sorter of records of one size in bounded memory. What does not fit is written to an anonymous
 * spool as sorted runs, which are merged; when there are more runs than the memory has buffers for,
 * in several passes. Stable: records that compare as equal come out in the order in which they were
 * added. n records cost O(n log n) comparisons, and each byte is written and read once per pass.
 *
 *     const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
 *     ts_sorter_open(&s, ctx, sizeof(event), &order, 16 << 20);
 *     ts_sorter_add(s, &event);            for each
 *     ts_sorter_finish(s);
 *     while ((code = ts_sorter_next(&record, s)) == TS_OK && record != NULL) ...
 *     ts_sorter_close(s);
 *
 * Memory: at most `memory` bytes, which are taken as records come, and two spools (64 KiB each).
 * All calls may fail with TS_ERR_NOMEM, TS_ERR_LIMIT (--max-memory), TS_ERR_OUTPUT (the spool) and
 * TS_ERR_INTERRUPTED; after a failure only ts_sorter_close is allowed.
 */
#ifndef TS_BASE_SORTER_H
#define TS_BASE_SORTER_H

#include "base/context.h"

typedef struct ts_sorter ts_sorter;

/* < 0, 0 or > 0 as a comes before, with or after b. */
typedef int (*ts_sorter_compare)(const void *user, const void *a, const void *b);

typedef struct ts_sorter_order {
    /* Without `compare`: so many uint64_t from this offset on, which is a multiple of 8, the first
     * counting most, ascending. */
    size_t key_offset;
    size_t key_count;
    ts_sorter_compare compare; /* NULL: by the keys */
    const void *user;          /* borrowed */
} ts_sorter_order;

/* The key that orders as a signed number does. */
static inline uint64_t ts_sorter_key(int64_t v)
{
    return (uint64_t)v ^ (UINT64_C(1) << 63);
}

/*
 * record_size: a multiple of 8, at least 8. memory: bytes; too few for four records is taken as
 * that. The caller frees with ts_sorter_close. TS_ERR_INTERNAL for a size or an order that cannot
 * be.
 */
ts_code ts_sorter_open(ts_sorter **out, ts_ctx *ctx, size_t record_size,
                       const ts_sorter_order *order, size_t memory);

/* Copies the record. Not after ts_sorter_finish. */
ts_code ts_sorter_add(ts_sorter *s, const void *record);

/* The same with a sorter that is opened for its first record; *s is NULL before. */
ts_code ts_sorter_put(ts_sorter **s, ts_ctx *ctx, const void *record, size_t record_size,
                      const ts_sorter_order *order, size_t memory);

/* All records were added. Once. */
ts_code ts_sorter_finish(ts_sorter *s);

/* The next record in order, aligned to 8 bytes, borrowed until the next call; NULL at the end. */
ts_code ts_sorter_next(const void **record, ts_sorter *s);

/* Both: hands all records to `take`, and ends at its first code that is not TS_OK. s may be NULL:
 * there are none. */
typedef ts_code ts_sorter_take(void *user, const void *record);
ts_code ts_sorter_drain(ts_sorter *s, ts_sorter_take *take, void *user);

/* NULL is allowed. */
void ts_sorter_close(ts_sorter *s);

#endif
