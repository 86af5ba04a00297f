/* What the program does: each returns its exit code. */
#ifndef TS_CLI_VERBS_H
#define TS_CLI_VERBS_H

#include "base/buf.h"
#include "cli/options.h"
#include "parsers/import.h"
#include "tables/publish.h"

/* Without a verb: import, questions, publishing, summary (convert.c). */
int ts_convert(ts_ctx *ctx, const ts_options *options);

/* A conversion that prints nothing: *error is why it failed, and `progress` is told what is read.
 */
typedef struct ts_convert_watch {
    ts_progress progress;
    ts_error *error;
    uint64_t *losses; /* issues that lost data; may be NULL */
} ts_convert_watch;

int ts_convert_watched(ts_ctx *ctx, const ts_options *options, const ts_convert_watch *watch);

/* --each: a database for each recording (each.c). */
int ts_convert_each(ts_ctx *ctx, const ts_options *options);

/*
 * A database to ask: the finished one that the only path of the options names, or what the
 * recording there is converted to. --format, --analyze, --time-range and the messages are those of
 * the options; a finished database that lacks rows of --analyze is copied and gets them. *target:
 * the temporary below *db, or NULL; the caller closes the database and then frees it. TS_ERR_INPUT
 * for a database of another program.
 */
ts_code ts_convert_to_ask(ts_db **db, ts_target **target, ts_ctx *ctx, const ts_options *options);

/* "diff": two recordings, databases or sources of one are compared (diff/diff.c). */
int ts_diff(ts_ctx *ctx, const ts_options *options);

/* The text of --by=list, with --at of a fleet. */
ts_code ts_diff_list(ts_buf *out, ts_ctx *ctx, const ts_options *options);

/* "serve": databases in the browser, until a signal comes (serve/serve.c). */
int ts_serve(ts_ctx *ctx, const ts_options *options);

/* "sample": a running Java VM becomes a database; without one, a list of them (sample.c). */
int ts_sample_verb(ts_ctx *ctx, const ts_options *options);

/* "upgrade": a finished database of an older version of the schema becomes a present one, that of
 * -e (upgrade.c). */
int ts_upgrade(ts_ctx *ctx, const ts_options *options);

/* "cut": a part of a recording as a database of its own (cut_verb.c). */
int ts_cut_verb(ts_ctx *ctx, const ts_options *options);

/* "merge": several finished databases become one (merge_verb.c). */
int ts_merge_verb(ts_ctx *ctx, const ts_options *options);

/* "redact", and --redact of a conversion: a database whose texts are tokens (redact_verb.c). */
int ts_redact_verb(ts_ctx *ctx, const ts_options *options);

/* "unredact": what tokens were (unredact.c). */
int ts_unredact_verb(ts_ctx *ctx, const ts_options *options);

/* "fleet": many recordings in a database of ClickHouse (fleet/fleet_verb.c). */
int ts_fleet_verb(ts_ctx *ctx, const ts_options *options);

/* "mcp": a client of the Model Context Protocol asks recordings (mcp.c). */
int ts_mcp_verb(ts_ctx *ctx, const ts_options *options);

/* --to=clickhouse: recordings and databases are loaded into it (fleet/fleet_load.c). */
int ts_fleet_load_all(ts_ctx *ctx, const ts_options *options);

/* A message when the version of the schema is not that of this program. */
ts_code ts_upgrade_say_version(ts_ctx *ctx, ts_db *db, const char *path);

/* --complete: appends what may be the value of an option, a line each (complete.c). Nothing where
 * nothing is known of it: a shell that asks shows no message. */
ts_code ts_complete(ts_buf *out, ts_ctx *ctx, const ts_options *options);

/* The answers about the program itself (about.c): --help, --version, --list, --info, --tables,
 * formats. Appends the text for options->mode. TS_ERR_USAGE when --tables names no table. */
ts_code ts_about(ts_buf *out, ts_ctx *ctx, const ts_options *options);

#endif
