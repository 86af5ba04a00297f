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
    uint8_t *seen;   /* it is on a call path with rows */
} ts_method_sums;

/* Caller frees, also after an error. */
ts_code ts_method_sums_make(ts_method_sums *m, ts_ctx *ctx, const ts_paths *paths,
                            const ts_path_weights *w);
void ts_method_sums_free(ts_ctx *ctx, ts_method_sums *m);

#endif
