#if TS_SERVE_BUILT

#include "cli/serve/serve_private.h"

#include "parsers/import.h"
#include "tables/database.h"
#include "tables/formats/flare/flare_constants.h"
#include "tables/publish.h"

static ts_code import_directory(ts_db *db, ts_ctx *ctx, const char *path)
{
    const ts_import_request request = {
        .paths = &path, .path_count = 1, .format = ts_format_find(TS_FLARE_FORMAT)};
    ts_import_result result;
    ts_store *store = NULL;
    double ms;
    ts_code code = ts_store_new(&store, ctx, ts_db_sink(db), NULL);
    TS_STEP(code, ts_import_run(&result, ctx, store, &request));
    TS_STEP(code, ts_store_finish(store));
    TS_STEP(code, ts_db_finish(db, false, &ms));
    ts_store_free(store);
    return code == TS_ERR_INPUT ? ts_fail(ctx, TS_ERR_FORMAT, "%s is not a sample directory", path)
                                : code;
}

ts_code ts_serve_open_directory(ts_sandbox *out, ts_ctx *ctx, const char *path)
{
    ts_target *target = NULL;
    ts_db *db = NULL;
    int rc;
    ts_code code = ts_target_anonymous(&target, ctx);
    TS_STEP(code, ts_db_create(&db, ctx, ts_target_path(target)));
    TS_STEP(code, import_directory(db, ctx, path));
    ts_db_close(db);
    TS_STEP(code, ts_sandbox_open(out, &rc, ctx, ts_target_path(target)));
    ts_target_free(target); /* removes the name; the connection has the file open */
    return code;
}

#endif
