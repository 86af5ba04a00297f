/* What the functions of routes share. */
#include "serve/api/app.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>

bool ts_app_database(size_t *number, ts_reply *reply, ts_app *app, ts_ctx *ctx, ts_text name)
{
    if (ts_databases_find(number, &app->databases, name)) {
        return true;
    }
    (void)ts_reply_error(reply, ctx, 404, "not_found", "there is no such database", -1);
    return false;
}

static const struct {
    int status;
    const char *code;
} of_state[] = {
    [TS_DATABASE_OK] = {500, "internal"},
    [TS_DATABASE_GONE] = {410, "gone"},
    [TS_DATABASE_DAMAGED] = {500, "damaged"},
    [TS_DATABASE_BUSY] = {409, "busy_file"},
};

bool ts_app_lease(ts_lease **lease, ts_reply *reply, ts_app *app, ts_ctx *ctx, size_t number)
{
    char message[TS_ERROR_TEXT];
    ts_database_state state;
    ts_code code = ts_database_take(lease, &state, &app->databases, ctx, number);
    if (code == TS_OK) {
        return true;
    }
    (void)snprintf(message, sizeof message, "%s", ctx->error.causes[0]);
    if (state == TS_DATABASE_OK) {
        (void)ts_reply_failure(reply, ctx);
    } else {
        (void)ts_reply_error(reply, ctx, of_state[state].status, of_state[state].code, message, -1);
    }
    return false;
}

ts_code ts_app_sqlite(ts_reply *reply, ts_sandbox *s, int rc, long offset)
{
    char message[TS_ERROR_TEXT];
    ts_database_state state = ts_database_state_of(rc);
    ts_code code = ts_sandbox_fail(s, rc);
    (void)snprintf(message, sizeof message, "%s", s->ctx->error.causes[0]);
    if (s->denied || (rc & 0xff) == SQLITE_READONLY) {
        return ts_reply_error(reply, s->ctx, 403, "read_only",
                              "statements that change, attach or load are refused", offset);
    }
    if (state != TS_DATABASE_OK) {
        return ts_reply_error(reply, s->ctx, of_state[state].status, of_state[state].code, message,
                              -1);
    }
    if (code == TS_ERR_USAGE) {
        return ts_reply_error(reply, s->ctx, 400, "sql", message, offset);
    }
    return ts_reply_failure(reply, s->ctx);
}

static void hash_text(ts_hash *h, ts_text t)
{
    ts_hash_bytes(h, t.p == NULL ? "" : t.p, t.n);
}

void ts_app_etag(char out[40], const ts_app *app, const ts_identity *identity, const ts_request *r)
{
    ts_hash h = ts_hash_begin(&app->base->hash_key);
    ts_hash_word(&h, (uint64_t)identity->dev);
    ts_hash_word(&h, (uint64_t)identity->ino);
    ts_hash_word(&h, (uint64_t)identity->size);
    ts_hash_word(&h, (uint64_t)identity->changed.tv_sec);
    ts_hash_word(&h, (uint64_t)identity->changed.tv_nsec);
    if (r != NULL) {
        hash_text(&h, r->path);
        for (size_t i = 0; i < r->arg_count; i++) {
            hash_text(&h, ts_text_of(r->args[i].name));
            hash_text(&h, r->args[i].value);
        }
    }
    uint64_t first = ts_hash_end(&h);
    (void)snprintf(out, 40, "\"%016" PRIx64 "%016" PRIx64 "\"", first, ts_hash_more(&h));
}

bool ts_app_unchanged(ts_reply *reply, ts_app *app, const ts_identity *identity,
                      const ts_request *r)
{
    ts_app_etag(reply->etag, app, identity, r);
    if (!ts_token_in(r->if_none_match, reply->etag)) {
        return false;
    }
    reply->status = 304;
    return true;
}
