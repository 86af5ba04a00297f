#include "cli/verbs.h"

#include "cli/exit_codes.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "tables/publish.h"

#include <inttypes.h>

ts_code ts_upgrade_say_version(ts_ctx *ctx, ts_db *db, const char *path)
{
    int64_t version;
    ts_code code = ts_db_version(&version, db);
    if (code != TS_OK || version == 0 || version == TS_SCHEMA_VERSION) {
        return code; /* 0: of another program, which some questions take */
    }
    if (version > TS_SCHEMA_VERSION) {
        ts_message(ctx,
                   "%s has version %" PRId64 " of the schema, newer than this program's %d: "
                   "what it has in addition is not shown",
                   path, version, TS_SCHEMA_VERSION);
        return TS_OK;
    }
    ts_message(ctx,
               "%s has version %" PRId64 " of the schema, older than this program's %d: "
               "questions may not fit; trace_streamer upgrade %s -e NEW",
               path, version, TS_SCHEMA_VERSION, path);
    return TS_OK;
}

static ts_code upgrade(ts_ctx *ctx, const ts_options *o, ts_outputs *outputs, ts_target **target)
{
    ts_target_options how = {.force = o->force, .sync = o->sync};
    const char *path = o->paths[0];
    ts_db_kind kind;
    ts_code code = ts_outputs_check(outputs, ctx, o, NULL);
    if (code != TS_OK || (code = ts_db_kind_of(&kind, ctx, path)) != TS_OK) {
        return code;
    }
    if (kind != TS_DB_OURS) {
        return ts_fail(ctx, TS_ERR_INPUT, "not a database of trace_streamer: path=\"%s\"", path);
    }
    how.reads = ts_outputs_reads(outputs);
    TS_TRY_INTO(code, ts_target_open(target, ctx, o->export_db, &how));
    ts_signals_guard(TS_GUARD_DATABASE, ts_target_path(*target));
    ts_signals_hurry(true);
    code = ts_db_copy(ctx, path, ts_target_path(*target), true);
    TS_STEP(code, ts_db_upgrade(ctx, ts_target_path(*target)));
    ts_signals_hurry(false);
    if (code != TS_OK) {
        return ts_cause(ctx, "cannot upgrade the database: path=\"%s\"", path);
    }
    return ts_outputs_publish(*target);
}

int ts_upgrade(ts_ctx *ctx, const ts_options *options)
{
    ts_outputs outputs = {0};
    ts_target *target = NULL;
    ts_code code = upgrade(ctx, options, &outputs, &target);
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    } else if (!options->quiet) {
        ts_message(ctx, "%s has version %d of the schema", options->export_db, TS_SCHEMA_VERSION);
    }
    int exit_code = ts_exit_code(ctx, code);
    ts_signals_guard(TS_GUARD_DATABASE, NULL);
    ts_target_free(target);
    ts_outputs_free(&outputs);
    return exit_code;
}
