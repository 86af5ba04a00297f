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
    ts_vec groups;  /* hg_group, in the order of their first nodes; those with count 1 too */
    uint32_t *name; /* of each node: its string, `same`, HG_NONE: none; or the number of a
                       concatenated string */
} hg_duplicates;

/* Caller frees with hg_duplicates_free, also after failure. */
ts_code hg_find_duplicates(hg_duplicates *d, hg *g);
void hg_duplicates_free(ts_ctx *ctx, hg_duplicates *d);

/* The text of a group's first string into `out`. scan: of js_heap_string.string. */
ts_code hg_string_text(ts_buf *out, hg *g, const hg_duplicates *d, uint32_t node, ts_scan *scan);

#endif
