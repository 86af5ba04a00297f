/*
 * Paths from the root of a heap dump of Java to an object, without references of some kinds: those
 * that the analysis heap keeps are without soft, weak and phantom ones only.
 *
 * Memory: 4 bytes a reference and 12 an object of the dump, while a path is looked for.
 */
#ifndef TS_MODEL_JAVA_PATHS_H
#define TS_MODEL_JAVA_PATHS_H

#include "base/buf.h"
#include "model/model.h"

/* Kinds of references, by java_heap_reference.strength: a bit each. "soft,weak", "none" or "all";
 * TS_ERR_USAGE for others. */
ts_code ts_java_kinds(unsigned *kinds, ts_ctx *ctx, const char *param, ts_text typed);

/* Appends a shortest path as a list in JSON, from the object on: of each object on it its
 * node_index, the reference by which the one before the root holds it (its place in the dump, from
 * 0) and its distance; of one without a path only the object, with nulls. TS_ERR_USAGE when the
 * dump or the object is not there. */
ts_code ts_java_path_put(ts_buf *out, ts_model *m, int64_t file_id, int64_t node, unsigned without);

#endif
