/*
 * --to of several finished databases. One file of all where the format can show them together, each
 * below a frame with its path; in a directory a file for each. One database is open at a time. One
 * that lacks what is asked for is left out, which is said unless --quiet. One that cannot be read
 * is named; without --keep-going that is TS_ERR_INPUT at the end, and what would have been one file
 * of all is not published.
 */
#ifndef TS_CLI_SEVERAL_H
#define TS_CLI_SEVERAL_H

#include "cli/outputs.h"

/* Whether -o names a directory, and each database has a file in it. */
bool ts_several_in_directory(const ts_options *options);

/* TS_ERR_USAGE when `what` cannot be written like that, or two files would have the same name. */
ts_code ts_several_check(ts_ctx *ctx, const ts_options *options, const ts_export *what);

/* Writes all into `file`. TS_ERR_USAGE when none has such stacks. */
ts_code ts_several_together(ts_text_file *file, const ts_export *what, const ts_options *options);

/* Writes and publishes DIR/NAME.EXTENSION of each. */
ts_code ts_several_apart(ts_ctx *ctx, const ts_export *what, const ts_options *options,
                         ts_outputs *outputs);

#endif
