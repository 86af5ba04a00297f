/*
 * protobuf-c with the allocator of the program.
 *
 *     ts_pbc pbc;
 *     ts_pbc_init(&pbc, ctx);
 *     msg = ts__ark_tsconfig__unpack(&pbc.allocator, n, p);
 *     if (msg == NULL) -> pbc.failed ? out of memory (ctx->error is set) : the bytes are damaged
 *     ts__ark_tsconfig__free_unpacked(msg, &pbc.allocator);
 *
 * protobuf-c has no limits of its own: give it small messages only.
 */
#ifndef TS_HTRACE_PBC_H
#define TS_HTRACE_PBC_H

#include "base/context.h"

#include <protobuf-c/protobuf-c.h>

typedef struct ts_pbc {
    ProtobufCAllocator allocator;
    ts_ctx *ctx;
    bool failed; /* an allocation failed; ctx->error says why */
} ts_pbc;

/* Nothing to release; must outlive the messages made with it. */
void ts_pbc_init(ts_pbc *pbc, ts_ctx *ctx);

#endif
