/* The answers about the program itself: --help, --version, --list, --info, --tables, formats. */
#ifndef TS_CLI_ABOUT_H
#define TS_CLI_ABOUT_H

#include "cli/options.h"
#include "cli/print.h"

/* Appends the text for options->mode. TS_ERR_USAGE when --tables names no table. */
ts_code ts_about(ts_buf *out, ts_ctx *ctx, const ts_options *options);

#endif
