/* Sample directories of Flare for the server: converted when a client opens one. */
#ifndef TS_CLI_SERVE_SAMPLES_H
#define TS_CLI_SERVE_SAMPLES_H

#include "serve/api/sandbox.h"

/*
 * Converts the directory into a database without a name in ctx->tmpdir and opens that. Nothing is
 * printed; called by several threads, each with its context. TS_ERR_FORMAT when nothing of a
 * sample is in it. The caller closes with ts_sandbox_close, also after a failure.
 */
ts_code ts_serve_open_directory(ts_sandbox *out, ts_ctx *ctx, const char *path);

#endif
