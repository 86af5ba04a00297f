/* One run of the program: import, questions, publishing, summary. */
#ifndef TS_CLI_CONVERT_H
#define TS_CLI_CONVERT_H

#include "cli/options.h"
#include "tables/publish.h"

/* Does what the options ask for, prints the results, and returns the exit code. */
int ts_convert(ts_ctx *ctx, const ts_options *options);

/*
 * A database to ask: the finished one that the only path of the options names, or what the
 * recording there is converted to. --format, --analyze, --time-range and the messages are those of
 * the options; a finished database that lacks rows of --analyze is copied and gets them. *target:
 * the temporary below *db, or NULL; the caller closes the database and then frees it. TS_ERR_INPUT
 * for a database of another program.
 */
ts_code ts_convert_to_ask(ts_db **db, ts_target **target, ts_ctx *ctx, const ts_options *options);

#endif
