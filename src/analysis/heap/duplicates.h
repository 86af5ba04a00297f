/* Strings of one text. */
#ifndef TS_ANALYSIS_HEAP_DUPLICATES_H
#define TS_ANALYSIS_HEAP_DUPLICATES_H

#include "analysis/heap/graph.h"

/* Strings of one text, the first of which is `node`. */
typedef struct hg_group {
    uint64_t key[2];
    int64_t length, hash; /* of truncated ones */
    uint32_t node;
    uint8_t truncated;
    uint8_t null; /* bit 0: no length, 1: no hash */
    int64_t count, shallow, retained;
} hg_group;

typedef struct hg_duplicates {
    ts_vec groups; /* hg_group, in the order of their first nodes; some with count 1 */
} hg_duplicates;

/* Instead of its name, a concatenated string has its number in g->name from here on. Caller frees
 * with hg_duplicates_free, also after failure. */
ts_code hg_find_duplicates(hg_duplicates *d, hg *g);
void hg_duplicates_free(ts_ctx *ctx, hg_duplicates *d);

/* The text of a group's first string into `out`. */
ts_code hg_string_text(ts_buf *out, hg *g, uint32_t node);

#endif
