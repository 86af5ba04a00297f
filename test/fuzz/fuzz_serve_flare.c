/*
 * Requests of the Flare protocol, one a line, to a small database of two sample directories. What
 * must hold: each request gets a reply, each reply is one JSON object that says success or failure,
 * and no memory is left.
 *
 * Options: -max_len=2048
 */
#include "fuzz.h"
#include "fuzz_dir.h"

#include "flare_rows.h"

#include "json/json.h"
#include "serve/flare/flare.h"

static char database[200];

/* --- surroundings ----------------------------------------------------------------------------- */

static void prepare(void)
{
    sqlite3 *db;
    if (database[0] != '\0') {
        return;
    }
    fuzz_dir_make();
    snprintf(database, sizeof database, "%s/samples.db", fuzz_dir);
    check(sqlite3_open(database, &db) == SQLITE_OK);
    check(sqlite3_exec(db, flare_schema, NULL, NULL, NULL) == SQLITE_OK);
    check(sqlite3_exec(db, flare_rows, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

static ts_code open_database(ts_sandbox *out, void *user, ts_ctx *ctx, unsigned number)
{
    int rc;
    (void)user;
    (void)number;
    return ts_sandbox_open(out, &rc, ctx, database);
}

/* --- replies ---------------------------------------------------------------------------------- */

typedef struct replies {
    ts_ctx *ctx;
    unsigned n;
} replies;

static ts_code reply(void *user, const char *text, size_t n)
{
    static const ts_json_handler nothing = {0};
    static const char success[] = "{\"result\":\"success\",\"cmd\":";
    static const char failure[] = "{\"result\":\"failure\",\"cmd\":";
    replies *r = user;
    ts_json *json;
    r->n++;
    check(n > sizeof success && (memcmp(text, success, sizeof success - 1) == 0 ||
                                 memcmp(text, failure, sizeof failure - 1) == 0));
    check(ts_json_new(&json, r->ctx, &nothing, NULL, 0) == TS_OK);
    check(ts_json_feed(json, text, n) == TS_OK && ts_json_finish(json) == TS_OK);
    check(ts_json_state(json) == TS_JSON_DONE && ts_json_replaced(json) == 0);
    ts_json_free(json);
    return TS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ts_flare_hub_options options = {.hooks = {.open_database = open_database},
                                          .databases = 1};
    const char *at = (const char *)data;
    const char *end = at + size;
    ts_flare_hub *hub;
    replies r = {0};
    prepare();
    ts_ctx *base = fuzz_ctx_new();
    r.ctx = fuzz_ctx_new();
    check(ts_flare_hub_new(&hub, base, &options) == TS_OK);
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        size_t n = line == NULL ? (size_t)(end - at) : (size_t)(line - at);
        r.n = 0;
        check(ts_flare_hub_handle(hub, r.ctx, NULL, at, n, reply, &r) == TS_OK);
        check(r.n > 0);
        at += line == NULL ? n : n + 1;
    }
    ts_flare_hub_free(hub);
    fuzz_ctx_free(r.ctx);
    fuzz_ctx_free(base);
    return 0;
}
