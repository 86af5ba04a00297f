/* Profiles of two sides by method (model/compare_methods.h), as method.sql describes them. */
#ifndef TS_CLI_DIFF_METHOD_H
#define TS_CLI_DIFF_METHOD_H

#include "cli/diff/diff_side.h"
#include "cli/diff/diff_table.h"
#include "model/compare_methods.h"

/* A profile by the weight that is compared, and by its number of samples. */
typedef struct diff_method_side {
    ts_reader *reader;
    ts_target *copy;
    ts_frames frames;
    ts_calls weight, count;
} diff_method_side;

typedef struct diff_methods {
    ts_ctx *ctx;
    bool counts_only; /* the weight is the number of samples */
    diff_method_side sides[2];
} diff_methods;

/*
 * Opens the profiles and names the values of the shape after the weight. Of a side that is nothing
 * there is none. TS_ERR_USAGE when a side has no such weight or both have different ones. Release
 * with diff_methods_free, also after an error.
 */
ts_code diff_methods_open(diff_methods *m, ts_ctx *ctx, diff_shape *shape, const diff_side *sides,
                          const ts_options *options);
void diff_methods_free(diff_methods *m);

/* Their rows into the table. */
ts_code diff_methods_put(diff_methods *m, diff_table *table);

#endif
