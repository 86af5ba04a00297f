/* The verb "serve": databases in the browser. */
#ifndef TS_CLI_SERVE_H
#define TS_CLI_SERVE_H

#include "cli/options.h"

enum { TS_EXIT_ADDRESS = 8 }; /* the address is not available */

/* Checks what of the options goes together, for ts_options_parse. */
ts_code ts_serve_check(const ts_options *options, ts_ctx *ctx);

/* Serves until a signal comes, and returns the exit code. */
int ts_serve(ts_ctx *ctx, const ts_options *options);

#endif
