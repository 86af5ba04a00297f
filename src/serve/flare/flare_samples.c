/* Samples that can be opened: rows of databases, and sample directories that are converted then. */
#include "base/alloc.h"
#include "serve/flare/flare_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct sample {
    char *name;
    unsigned database;
    int64_t source; /* 0: a directory below --samples */
    bool doubled;   /* another one of the same name came before */
} sample;

static void samples_free(ts_ctx *ctx, ts_vec *list)
{
    for (size_t i = 0; i < list->n; i++) {
        ts_free(ctx, ((sample *)list->p)[i].name);
    }
    ts_vec_free(ctx, list);
}

static const sample *find_sample(const ts_vec *list, ts_text name)
{
    const sample *all = list->p;
    for (size_t i = 0; i < list->n; i++) {
        if (ts_text_is(name, all[i].name)) {
            return &all[i];
        }
    }
    return NULL;
}

static ts_code add_sample(ts_ctx *ctx, ts_vec *list, const char *name, unsigned database,
                          int64_t source)
{
    sample *s = ts_vec_add(ctx, list, sizeof *s);
    TS_NEED(ctx, s);
    s->database = database;
    s->source = source;
    return ts_copy_text(&s->name, ctx, name, strlen(name));
}

/* --- databases ------------------------------------------------------------------------------ */

/* A name without "/"; of those that are equal, the second and later ones get "#" and the id. */
static ts_code add_source(ts_ctx *ctx, ts_vec *list, unsigned database, int64_t id,
                          const char *path)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    const char *name = path == NULL ? "sample" : slash == NULL ? path : slash + 1;
    ts_buf text = {0};
    ts_code code = ts_buf_printf(ctx, &text, "%s", *name == '\0' ? "sample" : name);
    size_t n = text.n;
    TS_STEP_IF(code, find_sample(list, ts_buf_text(&text)) != NULL,
               ts_buf_printf(ctx, &text, "#%" PRId64, id));
    for (unsigned i = database; code == TS_OK && find_sample(list, ts_buf_text(&text)) != NULL;
         i++) {
        text.n = n;
        code = ts_buf_printf(ctx, &text, "#%" PRId64 ".%u", id, i + 1);
    }
    TS_STEP(code, ts_buf_putc(ctx, &text, '\0'));
    TS_STEP(code, add_sample(ctx, list, text.p, database, id));
    ts_buf_free(ctx, &text);
    return code;
}

static ts_code add_database(fp_call *call, ts_vec *list, unsigned database)
{
    const ts_flare_hooks *hooks = &call->flare->options.hooks;
    sqlite3_stmt *stmt = NULL;
    ts_sandbox sandbox = {0};
    bool row = true;
    ts_code code = hooks->open_database(&sandbox, hooks->user, call->ctx, database);
    if (code != TS_OK) {
        ts_sandbox_close(&sandbox);
        return code;
    }
    sandbox.guard = call->guard;
    code = fp_prepare(&stmt, call->ctx, sandbox.db,
                      "SELECT id, path FROM source WHERE kind = 'sample_directory' AND "
                      "format = 'flare' ORDER BY id",
                      0, 0, 0);
    while (code == TS_OK && (code = fp_step(&row, call->ctx, stmt)) == TS_OK && row) {
        code = add_source(call->ctx, list, database, sqlite3_column_int64(stmt, 0),
                          (const char *)sqlite3_column_text(stmt, 1));
    }
    sqlite3_finalize(stmt);
    ts_sandbox_close(&sandbox);
    return code;
}

/* --- directories ---------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const sample *)a)->name, ((const sample *)b)->name);
}

static ts_code add_directory(fp_call *call, ts_vec *list, int dir, const char *name)
{
    struct stat st;
    if (name[0] == '.' || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISDIR(st.st_mode) || find_sample(list, ts_text_of(name)) != NULL) {
        return TS_OK;
    }
    return add_sample(call->ctx, list, name, 0, 0);
}

/* Directories whose names a database has already are left out: it is the same sample. */
static ts_code add_directories(fp_call *call, ts_vec *list)
{
    size_t before = list->n;
    DIR *dir = opendir(call->flare->samples);
    const struct dirent *entry;
    ts_code code = TS_OK;
    if (dir == NULL) {
        return ts_fail(call->ctx, TS_ERR_INPUT, "%s", strerror(errno));
    }
    while (errno = 0, code == TS_OK && (entry = readdir(dir)) != NULL) {
        code = add_directory(call, list, dirfd(dir), entry->d_name);
    }
    TS_STEP_IF(code, errno != 0, ts_fail(call->ctx, TS_ERR_INPUT, "%s", strerror(errno)));
    closedir(dir);
    if (list->n > before + 1) {
        qsort((sample *)list->p + before, list->n - before, sizeof(sample), by_name);
    }
    return code;
}

static ts_code all_samples(ts_vec *list, fp_call *call)
{
    ts_code code = TS_OK;
    *list = (ts_vec){0};
    for (unsigned i = 0; i < call->flare->options.databases && code == TS_OK; i++) {
        code = add_database(call, list, i);
    }
    return code != TS_OK || call->flare->samples == NULL ? code : add_directories(call, list);
}

ts_code fp_history_samples(fp_call *call)
{
    ts_vec list;
    ts_code code = all_samples(&list, call);
    if (code == TS_OK) {
        fp_reply_begin(call);
        ts_jout_open(&call->json, "history_samples", '[');
        for (size_t i = 0; i < list.n; i++) {
            ts_jout_open(&call->json, NULL, '{');
            ts_jout_str(&call->json, "path", ((const sample *)list.p)[i].name);
            ts_jout_str(&call->json, "type", "file");
            ts_jout_close(&call->json, '}');
        }
        ts_jout_close(&call->json, ']');
        code = fp_reply_end(call);
    }
    samples_free(call->ctx, &list);
    return code;
}

/* --- opening -------------------------------------------------------------------------------- */

/*
 * The name below --samples that a path means: the path itself, or the directory's path or last name
 * with the name after it. Nothing else can be reached.
 */
static ts_text name_of(const ts_flare_hub *flare, ts_text path)
{
    size_t i = path.n;
    ts_text folder;
    const char *base = flare->samples == NULL ? NULL : strrchr(flare->samples, '/');
    while (i > 0 && path.p[i - 1] != '/') {
        i--;
    }
    if (i == 0 || flare->samples == NULL) {
        return path;
    }
    folder = (ts_text){path.p, i - 1};
    if (ts_text_is(folder, flare->samples) || (base != NULL && ts_text_is(folder, base + 1))) {
        return (ts_text){path.p + i, path.n - i};
    }
    return path;
}

/* Why there is no such sample. */
static ts_code not_found(fp_call *call, ts_text name)
{
    ts_buf path = {0};
    struct stat st;
    bool file = false;
    if (call->flare->samples != NULL && name.n > 0 && memchr(name.p, '/', name.n) == NULL &&
        memchr(name.p, '\0', name.n) == NULL && name.p[0] != '.' &&
        ts_buf_printf(call->ctx, &path, "%s/%.*s", call->flare->samples, (int)name.n, name.p) ==
            TS_OK) {
        file = lstat(path.p, &st) == 0 && !S_ISDIR(st.st_mode);
    }
    ts_buf_free(call->ctx, &path);
    return ts_fail(call->ctx, TS_ERR_USAGE,
                   file ? "sample data dir is not a directory" : "sample data dir not found");
}

/* Opens what a session reads. */
static ts_code open_db(ts_sandbox *out, ts_flare_hub *flare, fp_session *session, const sample *s)
{
    const ts_flare_hooks *hooks = &flare->options.hooks;
    ts_code code;
    if (s != NULL && s->source != 0) {
        return hooks->open_database(out, hooks->user, &session->ctx, s->database);
    }
    if (hooks->open_directory == NULL) {
        return ts_fail(&session->ctx, TS_ERR_USAGE, "not supported: recordings only");
    }
    code = hooks->open_directory(out, hooks->user, &session->ctx, session->path);
    return code != TS_ERR_FORMAT
               ? code
               : ts_fail(&session->ctx, TS_ERR_USAGE, "load summary info json failed");
}

/* The first sample directory of a database: converted ones hold one. */
static ts_code only_source(int64_t *id, ts_ctx *ctx, sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    ts_code code = fp_prepare(
        &stmt, ctx, db, "SELECT min(id) FROM source WHERE kind = 'sample_directory'", 0, 0, 0);
    TS_STEP(code, fp_step(&row, ctx, stmt));
    *id = code == TS_OK && row ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    TS_STEP_IF(code, *id == 0, ts_fail(ctx, TS_ERR_USAGE, "load summary info json failed"));
    return code;
}

void fp_sandbox_free(ts_ctx *ctx, ts_sandbox *sandbox)
{
    if (sandbox != NULL) {
        ts_sandbox_close(sandbox);
        ts_free(ctx, sandbox);
    }
}

static ts_code read_session(ts_flare_hub *flare, fp_session *session, const sample *s)
{
    fp_data data = {0};
    ts_sandbox *sandbox = ts_zalloc(&session->ctx, 1, sizeof *sandbox);
    int64_t source = s == NULL ? 0 : s->source;
    ts_code code = sandbox == NULL ? session->ctx.error.code : open_db(sandbox, flare, session, s);
    TS_STEP_IF(code, source == 0, only_source(&source, &session->ctx, sandbox->db));
    TS_STEP(code, fp_data_open(&data, &session->ctx, sandbox->db, source));
    if (code != TS_OK) {
        fp_data_close(&data);
        fp_sandbox_free(&session->ctx, sandbox);
        return code;
    }
    fp_data_close(&session->data);
    fp_sandbox_free(&session->ctx, session->sandbox);
    session->data = data;
    session->sandbox = sandbox;
    return TS_OK;
}

ts_code fp_session_read(ts_flare_hub *flare, fp_session *session)
{
    return read_session(flare, session, NULL);
}

static ts_code set_path(fp_call *call, fp_session *session, const sample *s)
{
    ts_buf path = {0};
    ts_code code;
    if (s->source != 0 || session->path != NULL) {
        return TS_OK;
    }
    code = ts_buf_printf(&session->ctx, &path, "%s/%s", call->flare->samples, s->name);
    TS_STEP(code, ts_copy_text(&session->path, &session->ctx, path.p, path.n));
    ts_buf_free(&session->ctx, &path);
    return code;
}

static ts_code begin_sample(fp_call *call, fp_session *session, const void *what)
{
    TS_TRY(set_path(call, session, what));
    return read_session(call->flare, session, what);
}

ts_code fp_open_sample(fp_call *call)
{
    ts_text id = fp_request_text(call->request, "sample_data_dir", "");
    ts_vec list = {0};
    const sample *s;
    ts_code code;
    if (id.n == 0) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "missing option 'sample_data_dir'");
    }
    code = all_samples(&list, call);
    if (code == TS_OK) {
        s = find_sample(&list, id);
        s = s != NULL ? s : find_sample(&list, name_of(call->flare, id));
        code = s == NULL ? not_found(call, name_of(call->flare, id))
                         : fp_session_open(call, id, begin_sample, s);
    }
    samples_free(call->ctx, &list);
    if (code != TS_OK) {
        return code;
    }
    fp_reply_begin(call);
    ts_jout_text(&call->json, "session_id", id);
    ts_jout_str(&call->json, "type", "file");
    return fp_reply_end(call);
}
