/* diff --to=FORMAT -o FILE: two profiles in one picture. */
#ifndef TS_CLI_DIFF_EXPORT_H
#define TS_CLI_DIFF_EXPORT_H

#include "cli/diff/diff_side.h"

/* Finds the export before any work is done. TS_ERR_USAGE: there is none, or it shows no difference.
 */
ts_code diff_export_check(ts_ctx *ctx, const ts_options *options);

/* Writes the difference of both sides to the file of -o, which is complete or does not change. */
ts_code diff_export(ts_ctx *ctx, const ts_options *options, const diff_side sides[2]);

#endif
