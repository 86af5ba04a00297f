/*
 * The search for the next place that can be trusted, after damage. Owned by search.c. Docs:
 * docs/formats.md, ".htrace container".
 */
#ifndef TS_HTRACE_SEARCH_H
#define TS_HTRACE_SEARCH_H

#include "htrace/htrace.h"

typedef struct ts_search {
    bool skips; /* bytes passed over are skipped, not lost */
    uint64_t start;
} ts_search;

/* Begins to search; what is in head belongs to it. skips: nothing is lost by it. */
void ts_htrace_begin_search(ts_htrace *h, bool skips);

/* Decides when enough bytes are in head, or when the input has ended. */
ts_code ts_htrace_settle_search(ts_htrace *h, bool at_end);

#endif
