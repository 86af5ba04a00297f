/*
 * Rows as the viewer's JSON: "ok\r\n{"columns":[...],"values":[[...],...]}\r\n", in pieces that end
 * between characters. A statement without columns is "ok\r\n", one that fails "false\r\n".
 */
#ifndef TS_WASM_ROWS_JSON_H
#define TS_WASM_ROWS_JSON_H

#include "base/context.h"
#include "tracestreamer.h"

enum { JSON_PIECE = 4 << 20 }; /* bytes of a piece at most */

/* Gets n bytes; finish is 1 with the last ones. */
typedef void (*wasm_reply)(const void *p, uint32_t n, uint32_t finish);

/* Steps through the rows, which stay the caller's. Returns the code of what failed first; the reply
 * has its end then too. */
int rows_json(ts_ctx *ctx, tst_rows *rows, wasm_reply reply);

/* Replies that a statement failed. */
void rows_json_failed(wasm_reply reply);

#endif
