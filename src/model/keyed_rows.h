/*
 * Rows of one size that begin with their key, two numbers, each once:
 *
 *     typedef struct run { int64_t cpu, itid; uint64_t n; } run;
 *     ts_keyed_rows runs = {.ctx = ctx, .size = sizeof(run)};
 *     run *r = ts_keyed_row_of(&runs, (const int64_t[]){cpu, itid});
 *
 * They are in the order in which their keys came, and move when one is added.
 */
#ifndef TS_MODEL_KEYED_ROWS_H
#define TS_MODEL_KEYED_ROWS_H

#include "base/index.h"
#include "base/vec.h"

typedef struct ts_keyed_rows {
    ts_ctx *ctx;
    size_t size; /* of one */
    ts_vec rows;
    ts_index index;
} ts_keyed_rows;

/* NULL: there is none. */
void *ts_keyed_row(const ts_keyed_rows *k, const int64_t key[2]);
/* The row with the key, added with zeros after it when there is none. NULL: ctx->error. */
void *ts_keyed_row_of(ts_keyed_rows *k, const int64_t key[2]);
void ts_keyed_rows_free(ts_keyed_rows *k);

#endif
