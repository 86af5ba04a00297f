/*
 * Classes of nodes: names as Chrome DevTools has them, and rows of js_heap_constructor. Texts and
 * keys are those of all files of the run, so that files can be compared.
 */
#ifndef TS_ANALYSIS_HEAP_CLASSES_H
#define TS_ANALYSIS_HEAP_CLASSES_H

#include "analysis/heap/graph.h"

/* A class: nodes of one name, and objects of one place too. */
typedef struct hg_key {
    uint32_t text; /* of hg_classes.texts */
    bool placed;
    uint8_t null; /* bits of places that are not known */
    int64_t place[3];
} hg_key;

/* A definition of plain objects: names of properties, sorted, as often as they occur. */
typedef struct hg_definition {
    uint32_t first, count; /* in hg_definitions.names */
    uint32_t text;         /* of hg_classes.texts */
} hg_definition;

typedef struct hg_definitions {
    ts_pool pool;    /* texts of names of properties */
    ts_vec all;      /* hg_definition, best first */
    ts_vec names;    /* uint32_t: numbers of `pool` */
    uint32_t *begin; /* by name: the definitions that are looked for at it, in `at` */
    uint32_t *at;
    uint32_t *own; /* for each string of the file they are of: its number in `pool` or HG_NONE */
    uint32_t object_text; /* "Object" */
} hg_definitions;

typedef struct hg_classes {
    ts_ctx *ctx;
    ts_pool texts;
    ts_vec keys; /* hg_key */
    ts_index index;
} hg_classes;

/* A row of js_heap_constructor. */
typedef struct hg_class {
    uint32_t key;
    uint32_t distance; /* HG_NONE: one is not reached, or there is none */
    int64_t count, shallow, retained;
    uint32_t end; /* of the subtree that was counted last */
} hg_class;

void hg_classes_free(hg_classes *c);
ts_code hg_class_key(uint32_t *key, hg_classes *c, const hg_key *wanted);

/* The definitions of plain objects of the file. Caller frees with hg_definitions_free, also after
 * failure. */
ts_code hg_define(hg_definitions *d, hg *g, hg_classes *c);
void hg_definitions_free(ts_ctx *ctx, hg_definitions *d);

/*
 * For each shape the text of its class; texts has one place a shape. name_of: for each string of
 * the file the shapes are of, its number in d->pool or HG_NONE.
 */
ts_code hg_shape_classes(uint32_t *texts, ts_ctx *ctx, const hg_definitions *d,
                         const hg_shapes *shapes, const uint32_t *name_of);

/* name_of for the strings of another file; caller frees. */
ts_code hg_names_of(uint32_t **name_of, hg *g, const hg_definitions *d);

/* Classes of all nodes (g->class) and their rows in `rows` (hg_class), in the order of their first
 * nodes. shape_texts: of hg_shape_classes. */
ts_code hg_classify(ts_vec *rows, hg *g, hg_classes *c, const uint32_t *shape_texts);

/* Counts, sizes, distances, retained sizes of the rows. */
void hg_class_sums(ts_vec *rows, hg *g);

#endif
