/* Call paths merged by method. */
#ifndef TS_MODEL_STACK_METHODS_H
#define TS_MODEL_STACK_METHODS_H

#include "model/call_paths.h"
#include "model/call_stacks.h"

typedef struct ts_method_sums {
    uint32_t n; /* methods; what has none is number n */
    ts_wide *self;
    ts_wide *total;
    uint64_t *count; /* own rows */
    uint64_t *all;   /* and those below it; recursion counts once */
    uint8_t *seen;   /* it is on a call path with rows */
} ts_method_sums;

/*
 * What is one, as v_method says: methods of several sources of equal library, package, class, name,
 * signature and file, nameless ones also by line. Of each place in paths->methods the least place
 * that is the same method; by_source: in its source. Kept by the model. Texts are compared as far
 * as TS_SCAN_TEXT_MAX.
 */
ts_code ts_methods_one(const uint32_t **one, ts_model *m, const ts_paths *paths, bool by_source);

/* Sums of methods; those that are one have them at the least of their places. Caller frees, also
 * after an error. */
ts_code ts_method_sums_make(ts_method_sums *m, ts_ctx *ctx, const ts_paths *paths,
                            const uint32_t *one, const ts_path_weights *w);
void ts_method_sums_free(ts_ctx *ctx, ts_method_sums *m);

#endif
