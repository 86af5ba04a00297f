/* Rows as one message BatchSphData of the viewer (proto_types.h). */
#ifndef TS_WASM_ROWS_PROTO_H
#define TS_WASM_ROWS_PROTO_H

#include "base/buf.h"
#include "tracestreamer.h"
#include "wasm/proto_types.h"

/* Appends the rows, which stay the caller's, to `out`. NULL is -1 or the empty text, as are columns
 * that the rows lack. Returns the code of what failed. */
int rows_proto(ts_buf *out, ts_ctx *ctx, tst_rows *rows, const proto_type *type);

#endif
