/*
 * Stacks of a thread. Format: docs/formats.md, "Flare".
 *
 * flare_stacks belongs to the directory, zeroed, and owns nothing; only stacks.c touches it.
 */
#ifndef TS_PARSERS_FLARE_STACKS_H
#define TS_PARSERS_FLARE_STACKS_H

#include "parsers/flare/series.h"

/* Of all threads. */
typedef struct flare_stacks {
    int64_t cpu_type; /* id of the stack_value_type, 0 before the first */
} flare_stacks;

ts_code flare_stacks_read(flare_dir *dir, flare_thread *thread, flare_series_check *check,
                          uint32_t index, uint32_t data);

#endif
