#include "serve/api/databases.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

ts_database_state ts_database_state_of(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_IOERR:
        return TS_DATABASE_DAMAGED;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_READONLY:
    case SQLITE_PROTOCOL:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return TS_DATABASE_BUSY;
    default:
        return TS_DATABASE_OK;
    }
}

ts_code ts_databases_init(ts_databases *d, const ts_ctx *base)
{
    ts_ctx ctx = *base;
    ts_ctx *own = ts_zalloc(&ctx, 1, sizeof *own);
    if (own == NULL) {
        return ctx.error.code;
    }
    *own = ctx;
    d->ctx = own;
    (void)pthread_mutex_init(&d->lock, NULL);
    return TS_OK;
}

static void lease_free(ts_databases *d, ts_lease *lease)
{
    ts_sandbox_close(&lease->sandbox);
    ts_free(d->ctx, lease);
}

static void database_forget(ts_databases *d, ts_database *one)
{
    while (one->idle_count > 0) {
        lease_free(d, one->idle[--one->idle_count]);
    }
}

void ts_databases_free(ts_databases *d)
{
    if (d->ctx == NULL) {
        return;
    }
    for (size_t i = 0; i < TS_DATABASES; i++) {
        database_forget(d, &d->all[i]);
        ts_free(d->ctx, d->all[i].path);
        ts_free(d->ctx, d->all[i].name);
    }
    (void)pthread_mutex_destroy(&d->lock);
    ts_ctx last = *d->ctx;
    ts_free(&last, d->ctx);
    d->ctx = NULL;
}

bool ts_databases_find(size_t *out, const ts_databases *d, ts_text name)
{
    *out = 0;
    if (name.p == NULL || name.n == 0) {
        return d->count > 0;
    }
    for (size_t i = 0; i < ts_databases_end(d); i++) {
        if (ts_database_is_there(d, i) && ts_text_is(name, d->all[i].name)) {
            *out = i;
            return true;
        }
    }
    return false;
}

ts_code ts_databases_add(ts_databases *d, const char *path, const char *named)
{
    ts_buf name = {0};
    size_t other;
    const char *slash = strrchr(named, '/');
    const char *base = slash == NULL ? named : slash + 1;
    if (d->count == TS_DATABASES) {
        return ts_fail(d->ctx, TS_ERR_USAGE, "more than %d databases", TS_DATABASES);
    }
    ts_database *one = &d->all[d->count];
    ts_code code = ts_buf_printf(d->ctx, &name, "%s", base);
    for (unsigned i = 2; code == TS_OK && ts_databases_find(&other, d, ts_buf_text(&name)); i++) {
        name.n = 0;
        code = ts_buf_printf(d->ctx, &name, "%s~%u", base, i);
    }
    if (code == TS_OK) {
        /* The folder that the server runs in may be another one later. */
        char real[PATH_MAX];
        const char *given = realpath(path, real) == NULL ? path : real;
        one->path = ts_strndup(d->ctx, given, strlen(given));
        one->name = ts_strndup(d->ctx, name.p, name.n);
        d->count++;
        code = one->path == NULL || one->name == NULL ? d->ctx->error.code : TS_OK;
    }
    ts_buf_free(d->ctx, &name);
    return code;
}

size_t ts_databases_end(const ts_databases *d)
{
    return d->count + (d->samplings == NULL ? 0 : d->samplings->room);
}

bool ts_database_is_there(const ts_databases *d, size_t number)
{
    return number < d->count || ts_sampling_path(d->samplings, number - d->count) != NULL;
}

ts_code ts_databases_sampled(ts_databases *d, ts_samplings *samplings)
{
    ts_buf name = {0};
    ts_code code = TS_OK;
    size_t room = samplings == NULL ? 0 : samplings->room;
    for (size_t i = 0; code == TS_OK && i < room && d->count + i < TS_DATABASES; i++) {
        ts_database *one = &d->all[d->count + i];
        size_t other;
        name.n = 0;
        code = ts_buf_printf(d->ctx, &name, "sample-%zu.db", i + 1);
        while (code == TS_OK && ts_databases_find(&other, d, ts_buf_text(&name))) {
            code = ts_buf_put(d->ctx, &name, "~", 1);
        }
        TS_STEP_IF(code, (one->name = ts_strndup(d->ctx, name.p, name.n)) == NULL,
                   d->ctx->error.code);
    }
    ts_buf_free(d->ctx, &name);
    d->samplings = code == TS_OK ? samplings : NULL;
    return code;
}

ts_code ts_database_file(const char **path, ts_identity *identity, ts_identity *given,
                         const ts_databases *d, ts_ctx *ctx, size_t number)
{
    ts_ctx copied = *ctx; /* a copy that was removed is no error */
    *path =
        number < d->count ? d->all[number].path : ts_sampling_path(d->samplings, number - d->count);
    if (*path == NULL) {
        return ts_fail(ctx, TS_ERR_INPUT, "the database is not there yet");
    }
    TS_TRY(ts_identity_of(identity, ctx, *path));
    if (given != NULL) {
        *given = *identity;
    }
    const char *copy = ts_derived_find(d->derived, number, identity);
    ts_identity found;
    if (copy != NULL && ts_identity_of(&found, &copied, copy) == TS_OK) {
        *path = copy;
        *identity = found;
    }
    return TS_OK;
}

/* A connection of before, or memory for a new one in *fresh. */
static ts_lease *lease_idle(ts_databases *d, ts_database *one, const ts_identity *now, bool *fresh)
{
    ts_lease *lease = NULL;
    (void)pthread_mutex_lock(&d->lock);
    if (!ts_identity_same(&one->identity, now)) {
        database_forget(d, one);
        one->identity = *now;
    }
    *fresh = one->idle_count == 0;
    lease = *fresh ? ts_zalloc(d->ctx, 1, sizeof *lease) : one->idle[--one->idle_count];
    (void)pthread_mutex_unlock(&d->lock);
    return lease;
}

ts_code ts_database_take(ts_lease **out, ts_database_state *state, ts_databases *d, ts_ctx *ctx,
                         size_t number)
{
    ts_database *one = &d->all[number];
    ts_identity now = {0};
    const char *path;
    bool fresh;
    int rc;
    *out = NULL;
    *state = TS_DATABASE_GONE;
    ts_code code;
    TS_TRY_INTO(code, ts_database_file(&path, &now, NULL, d, ctx, number));
    *state = TS_DATABASE_OK;
    ts_lease *lease = lease_idle(d, one, &now, &fresh);
    if (lease == NULL) {
        return ts_fail(ctx, TS_ERR_NOMEM, "cannot allocate a connection");
    }
    lease->sandbox.ctx = ctx;
    if (fresh) {
        lease->identity = now;
        lease->database = number;
        lease->path = path;
        code = ts_sandbox_open(&lease->sandbox, &rc, ctx, path);
        *state = code == TS_OK ? TS_DATABASE_OK : ts_database_state_of(rc);
    }
    if (code != TS_OK) {
        (void)pthread_mutex_lock(&d->lock);
        lease_free(d, lease);
        (void)pthread_mutex_unlock(&d->lock);
        return code;
    }
    *out = lease;
    return TS_OK;
}

void ts_database_give(ts_databases *d, ts_lease *lease)
{
    if (lease == NULL) {
        return;
    }
    ts_database *one = &d->all[lease->database];
    lease->sandbox.guard = NULL;
    lease->sandbox.ctx = d->ctx;
    (void)sqlite3_db_release_memory(lease->sandbox.db);
    (void)pthread_mutex_lock(&d->lock);
    if (one->idle_count < TS_CONNECTIONS && ts_identity_same(&lease->identity, &one->identity)) {
        one->idle[one->idle_count++] = lease;
    } else {
        lease_free(d, lease);
    }
    (void)pthread_mutex_unlock(&d->lock);
}
