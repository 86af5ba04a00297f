/* The verb "serve": databases in the browser. */
#ifndef TS_CLI_SERVE_H
#define TS_CLI_SERVE_H

#include "cli/options.h"

/* Serves until a signal comes, and returns the exit code. */
int ts_serve(ts_ctx *ctx, const ts_options *options);

#endif
