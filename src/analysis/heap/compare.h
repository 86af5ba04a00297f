/* Two heap files of one run of a program: which nodes came and went. */
#ifndef TS_ANALYSIS_HEAP_COMPARE_H
#define TS_ANALYSIS_HEAP_COMPARE_H

#include "analysis/heap/classes.h"

/* What is kept of a file for the next one: of g the strings' bits, the shapes, d and n. */
typedef struct hg_base {
    bool there;
    hg g;
    int64_t input; /* source */
    int64_t first_retained;
    int64_t first_constructor;
    ts_vec rows;     /* hg_class */
    uint64_t *plain; /* a bit a node: a plain object */
} hg_base;

/* A class of which nodes came or went. */
typedef struct hg_change {
    uint32_t key;
    int64_t new_count, deleted_count, new_size, deleted_size;
} hg_change;

/*
 * previous: for each node of g that of the same id in the base, or HG_NONE; caller gives it back
 * (hg_give). changes: hg_change, the classes of g first. definitions: of g's plain objects. Unless
 * they are of the same input, ids must show that both are of one run, g being the later one: else
 * *previous becomes NULL.
 */
ts_code hg_compare(uint32_t **previous, ts_vec *changes, hg *g, const ts_vec *rows, hg_base *base,
                   hg_classes *c, const hg_definitions *definitions, bool same_input);

/* Takes over of g and rows what the next file needs. */
ts_code hg_base_keep(hg_base *base, hg *g, ts_vec *rows, int64_t input);
void hg_base_free(hg_base *base);

#endif
