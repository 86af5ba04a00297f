/*
 * Which strings of heaps are names of classes: those that rows of js_heap_class name. The amount
 * "facts" has them of js_heap_string, and no other string.
 *
 * Memory: 8 bytes a row of js_heap_class.
 */
#ifndef TS_FLEET_CLASS_NAMES_H
#define TS_FLEET_CLASS_NAMES_H

#include "base/vec.h"
#include "export/columns/columns.h"

typedef struct ts_class_names {
    ts_vec keys; /* uint64_t, sorted: file_id and file_index */
} ts_class_names;

/* Zeroed before. Release with ts_class_names_free, also after an error. */
ts_code ts_class_names_find(ts_class_names *out, ts_ctx *ctx, ts_reader *reader);
void ts_class_names_free(ts_class_names *names, ts_ctx *ctx);

/* Of a batch of js_heap_string, leaves such rows. */
void ts_class_names_keep(const ts_class_names *names, ts_columns *c);

#endif
