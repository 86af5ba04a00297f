/* The verb "diff": two recordings, databases or sources of one are compared. */
#ifndef TS_CLI_DIFF_H
#define TS_CLI_DIFF_H

#include "base/buf.h"
#include "cli/options.h"

/* The text of --by=list. */
ts_code ts_diff_list(ts_buf *out, ts_ctx *ctx);

/* Compares, prints, and returns the exit code. */
int ts_diff(ts_ctx *ctx, const ts_options *options);

#endif
