/*
 * A set of ranges of addresses that do not overlap, each with a number of its owner's: mappings of
 * a process. In chunks of an ordered array, so that no order of additions makes it slow.
 *
 * Memory: 24 bytes a range, 48 at worst.
 */
#ifndef TS_HTRACE_PLUGINS_NATIVE_HOOK_RANGES_H
#define TS_HTRACE_PLUGINS_NATIVE_HOOK_RANGES_H

#include "base/vec.h"

#include <stdbool.h>

typedef struct hook_range {
    uint64_t first, last; /* both belong to it */
    uint32_t value;
} hook_range;

/* Zeroed: empty. */
typedef struct hook_ranges {
    ts_vec chunks; /* hook_chunk * */
} hook_ranges;

/* The range that holds the address. */
bool hook_ranges_find(hook_range *out, const hook_ranges *set, uint64_t address);

/* Adds a range that overlaps none. */
ts_code hook_ranges_add(ts_ctx *ctx, hook_ranges *set, hook_range range);

/* Takes first to last out of the set. Each part of a range that it held is handed to `taken`, in
 * order, which does not change the set. */
typedef ts_code hook_ranges_taken(void *user, const hook_range *part);
ts_code hook_ranges_cut(ts_ctx *ctx, hook_ranges *set, uint64_t first, uint64_t last,
                        hook_ranges_taken *taken, void *user);

void hook_ranges_free(ts_ctx *ctx, hook_ranges *set);

#endif
