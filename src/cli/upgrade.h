/* The verb "upgrade": a finished database of an older version of the schema becomes a present one.
 */
#ifndef TS_CLI_UPGRADE_H
#define TS_CLI_UPGRADE_H

#include "cli/options.h"
#include "tables/database.h"

/* Writes the database of -e, and returns the exit code. */
int ts_upgrade(ts_ctx *ctx, const ts_options *options);

/* A message when the version of the schema is not that of this program. */
ts_code ts_upgrade_say_version(ts_ctx *ctx, ts_db *db, const char *path);

#endif
