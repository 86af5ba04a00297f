/* One run of the program: import, questions, publishing, summary. */
#ifndef TS_CLI_CONVERT_H
#define TS_CLI_CONVERT_H

#include "cli/options.h"

/* Does what the options ask for, prints what is to be printed, and returns the exit code. */
int ts_convert(ts_ctx *ctx, const ts_options *options);

/* The exit code for a result. */
int ts_exit_code(const ts_ctx *ctx, ts_code code);

#endif
