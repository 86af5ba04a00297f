#include "serve/views/views_private.h"

#include "model/path_ids.h"
#include "model/sources.h"

#include <stdio.h>
#include <stdlib.h>

/* --- databases -------------------------------------------------------------------------------- */

ts_code ts_view_db_open(ts_view_db **out, const ts_ctx *base, const ts_view_db_options *options)
{
    ts_ctx ctx = *base;
    ctx.limits.max_memory = options->max_memory;
    ctx.memory_used = 0;
    ctx.memory_peak = 0;
    ts_view_db *v = ts_zalloc(&ctx, 1, sizeof *v);
    *out = v;
    if (v == NULL) {
        return ctx.error.code;
    }
    v->ctx = ctx;
    v->path = options->path;
    return ts_model_open(&v->model, &v->ctx);
}

void ts_view_db_close(ts_view_db *v)
{
    if (v == NULL) {
        return;
    }
    ts_model_close(v->model);
    ts_reader_free(v->reader);
    ts_ctx ctx = v->ctx;
    ts_free(&ctx, v);
}

ts_ctx *ts_view_db_ctx(ts_view_db *views)
{
    return &views->ctx;
}

uint64_t ts_view_db_memory(const ts_view_db *views)
{
    return views->ctx.memory_used;
}

int64_t ts_view_db_origin(ts_view_db *v, sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    if (!v->origin_known && sqlite3_prepare_v2(db, "SELECT start_ts FROM trace_range LIMIT 1", -1,
                                               &stmt, NULL) == SQLITE_OK) {
        v->origin_known = true;
        if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) == SQLITE_INTEGER) {
            v->origin = sqlite3_column_int64(stmt, 0);
        }
    }
    sqlite3_finalize(stmt);
    return v->origin;
}

/* --- parameters ------------------------------------------------------------------------------- */

static ts_code param_fail(ts_ctx *ctx, const ts_view_param *p, const char *why)
{
    return ts_fail(ctx, TS_ERR_USAGE, "parameter '%s' %s", p->name, why);
}

/* Digits with or without a minus; no blanks, no plus. */
static bool param_number(int64_t *out, ts_text t)
{
    bool minus = t.n > 0 && t.p[0] == '-';
    int64_t value = 0;
    size_t i = minus ? 1 : 0;
    if (i == t.n || t.n > 20) {
        return false;
    }
    for (; i < t.n; i++) {
        if (t.p[i] < '0' || t.p[i] > '9' || ts_ckd_mul(&value, value, 10) ||
            (minus ? ts_ckd_sub(&value, value, t.p[i] - '0')
                   : ts_ckd_add(&value, value, t.p[i] - '0'))) {
            return false;
        }
    }
    *out = value;
    return true;
}

static ts_code param_in_range(int64_t *out, ts_ctx *ctx, const ts_view_param *p, ts_text t)
{
    if (!param_number(out, t)) {
        return param_fail(ctx, p, "is not an integer");
    }
    if (*out < p->least || *out > p->most) {
        return ts_fail(ctx, TS_ERR_USAGE, "parameter '%s' is not between %lld and %lld", p->name,
                       (long long)p->least, (long long)p->most);
    }
    return TS_OK;
}

/* Calls of it cut a list at its commas. */
static ts_text param_next(ts_text *rest)
{
    const char *comma = rest->n == 0 ? NULL : memchr(rest->p, ',', rest->n);
    size_t n = comma == NULL ? rest->n : (size_t)(comma - rest->p);
    ts_text part = {rest->p, n};
    rest->p += comma == NULL ? n : n + 1;
    rest->n -= comma == NULL ? n : n + 1;
    return part;
}

static ts_code param_list(ts_view_value *v, ts_ctx *ctx, const ts_view_param *p)
{
    ts_text rest = v->text;
    bool more = true;
    while (more) {
        int64_t id;
        size_t before = rest.n;
        ts_text part = param_next(&rest);
        more = part.n < before;
        TS_TRY(param_in_range(&id, ctx, p, part));
        if (v->id_count == TS_VIEW_IDS) {
            return param_fail(ctx, p, "has too many numbers");
        }
        v->ids[v->id_count++] = id;
    }
    return TS_OK;
}

static ts_code param_choice(ts_view_value *v, ts_ctx *ctx, const ts_view_param *p)
{
    ts_text rest = ts_text_of(p->choices);
    for (int64_t i = 0; rest.n > 0; i++) {
        ts_text part = param_next(&rest);
        if (part.n == v->text.n && memcmp(part.p, v->text.p, part.n) == 0) {
            v->number = i;
            return TS_OK;
        }
    }
    return ts_fail(ctx, TS_ERR_USAGE, "parameter '%s' is not one of %s", p->name, p->choices);
}

bool ts_view_has(const ts_view_value *v, int64_t id)
{
    unsigned i = 0;
    while (i < v->id_count && v->ids[i] != id) {
        i++;
    }
    return i < v->id_count;
}

static ts_code param_set(ts_view_value *v, ts_ctx *ctx, const ts_view_param *p, ts_text text)
{
    if (v->given) {
        return param_fail(ctx, p, "is given twice");
    }
    v->given = true;
    v->text = text;
    switch (p->type) {
    case TS_VIEW_PATH:
        v->is_path = ts_path_id_parse(&v->path, text);
        if (v->is_path) {
            return TS_OK;
        }
    /* fall through */
    case TS_VIEW_INT:
        return param_in_range(&v->number, ctx, p, text);
    case TS_VIEW_LIST:
        return param_list(v, ctx, p);
    case TS_VIEW_CHOICE:
        return param_choice(v, ctx, p);
    case TS_VIEW_THREADS: {
        ts_view_param numbers = *p;
        bool digits = text.n > 0;
        for (size_t i = 0; i < text.n; i++) {
            digits = digits && ((text.p[i] >= '0' && text.p[i] <= '9') || text.p[i] == ',');
        }
        numbers.most = INT64_MAX;
        if (digits) {
            return param_list(v, ctx, &numbers);
        }
    } /* fall through */
    default:
        if (text.n > (uint64_t)p->most || memchr(text.p, 0, text.n) != NULL) {
            return param_fail(ctx, p, "is too long");
        }
        return TS_OK;
    }
}

ts_code ts_endpoint_parse(ts_view_args *args, ts_ctx *ctx, const ts_endpoint *endpoint,
                          const ts_view_pair *pairs, size_t count)
{
    ts_code code = TS_OK;
    const ts_view_param *p = endpoint->params;
    memset(args, 0, sizeof *args);
    for (unsigned i = 0; p[i].name != NULL; i++) {
        args->values[i].number = p[i].default_value;
    }
    for (size_t k = 0; code == TS_OK && k < count; k++) {
        unsigned i = 0;
        while (p[i].name != NULL && strcmp(p[i].name, pairs[k].name) != 0) {
            i++;
        }
        code = p[i].name == NULL
                   ? ts_fail(ctx, TS_ERR_USAGE, "unknown parameter '%.60s'", pairs[k].name)
                   : param_set(&args->values[i], ctx, &p[i], pairs[k].value);
    }
    for (unsigned i = 0; code == TS_OK && p[i].name != NULL; i++) {
        if (p[i].required && !args->values[i].given) {
            code = param_fail(ctx, &p[i], "is missing");
        }
    }
    return code;
}

/* --- requests --------------------------------------------------------------------------------- */

const ts_endpoint *ts_endpoint_find(const char *path)
{
    for (const ts_endpoint *e = ts_endpoints; e->path != NULL; e++) {
        if (strcmp(e->path, path) == 0) {
            return e;
        }
    }
    return NULL;
}

/* The file's pages, when its layout is ours; else SQL it is. */
static ts_code views_reader(ts_view_db *v)
{
    if (v->reader_tried || v->path == NULL) {
        return TS_OK;
    }
    v->reader_tried = true;
    ts_code code = ts_reader_open(&v->reader, &v->ctx, v->path);
    if (code == TS_OK) {
        return TS_OK;
    }
    ts_reader_free(v->reader);
    v->reader = NULL;
    if (code == TS_ERR_NOMEM || code == TS_ERR_LIMIT) {
        v->reader_tried = false;
        return code;
    }
    return TS_OK;
}

/* Where a reply goes until it is complete. */
typedef struct reply_sink {
    ts_ctx *ctx;
    ts_buf *reply;
    ts_code code;
} reply_sink;

static int reply_take(void *user, const void *bytes, size_t n)
{
    reply_sink *s = user;
    s->code = ts_buf_put(s->ctx, s->reply, bytes, n);
    return s->code != TS_OK;
}

/* Ids of what is wanted; all of more than a list holds are as good as not given. */
static ts_code resolved_ids(ts_view_value *v, ts_ctx *ctx, const ts_idset *set, size_t all)
{
    const uint8_t *bits = set->bits.p;
    const int64_t *far = set->far.p;
    v->id_count = 0;
    v->given = set->count < all || set->count <= TS_VIEW_IDS;
    if (!v->given) {
        return TS_OK;
    }
    if (set->count > TS_VIEW_IDS) {
        return ts_fail(ctx, TS_ERR_USAGE, "\"%.*s\" are %u, more than %d at once",
                       v->text.n > 100 ? 100 : (int)v->text.n, v->text.p, set->count, TS_VIEW_IDS);
    }
    for (size_t i = 0; i < set->bits.n; i++) {
        if (bits[i] != 0) {
            v->ids[v->id_count++] = (int64_t)i;
        }
    }
    for (size_t i = 0; i < set->far.n; i++) {
        v->ids[v->id_count++] = far[i];
    }
    return TS_OK;
}

static ts_code resolve_one(ts_view_value *v, ts_ctx *ctx, ts_model *m, const ts_view_param *p)
{
    ts_idset set = {0};
    const ts_sources *sources;
    const ts_threads *threads;
    ts_code code;
    if (p->type == TS_VIEW_SOURCE) {
        if ((code = ts_sources_find(&set, m, v->text)) == TS_OK &&
            (code = ts_sources_get(&sources, m)) == TS_OK) {
            code = resolved_ids(v, ctx, &set, sources->rows.n);
        }
    } else if ((code = ts_threads_find(&set, m, v->text)) == TS_OK &&
               (code = ts_threads_get(&threads, m)) == TS_OK) {
        code = resolved_ids(v, ctx, &set, SIZE_MAX);
    }
    ts_idset_free(ctx, &set);
    return code;
}

/* Sources and threads by what was typed; *args is a copy that has their ids. */
static ts_code views_resolve(ts_view_args **args, ts_view_call *call, const ts_endpoint *endpoint)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_view_param *p = endpoint->params;
    ts_code code = TS_OK;
    TS_NEED(ctx, *args = ts_alloc(ctx, 1, sizeof **args));
    **args = *call->args;
    for (unsigned i = 0; code == TS_OK && p[i].name != NULL; i++) {
        ts_view_value *v = &(*args)->values[i];
        if (v->given && (p[i].type == TS_VIEW_SOURCE || p[i].type == TS_VIEW_THREADS) &&
            v->id_count == 0) {
            code = resolve_one(v, ctx, call->views->model, &p[i]);
        }
    }
    return code;
}

/* Runs it into a buffer, so that nothing of a reply that fails is seen. */
static ts_code reply_make(ts_buf *reply, const ts_endpoint *endpoint, ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_jout *out = call->out;
    const ts_view_args *args = call->args;
    ts_view_args *resolved = NULL;
    reply_sink sink = {.ctx = ctx, .reply = reply};
    ts_jout own;
    ts_buf_free(ctx, reply);
    ts_jout_begin(&own, ctx, reply_take, &sink);
    own.ints_as_text = out->ints_as_text;
    call->out = &own;
    ts_code code = views_reader(call->views);
    if (code == TS_OK) {
        const ts_rows_from from = ts_view_rows(call);
        ts_model_read(call->views->model, &from);
        code = views_resolve(&resolved, call, endpoint);
    }
    if (code == TS_OK) {
        call->args = resolved;
        code = endpoint->run(call);
    }
    call->args = args;
    ts_free(ctx, resolved);
    ts_code ended = ts_jout_end(&own);
    call->out = out;
    if (code == TS_OK && sink.code != TS_OK) { /* the writer has put its own failure over it */
        return ts_fail(ctx, sink.code, "no memory for the reply");
    }
    TS_STEP(code, ended);
    return code;
}

/* A statement in the middle of its rows: all others of the request see the same state, and need not
 * lock the file each time. NULL is as well. */
static sqlite3_stmt *views_hold(sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_master", -1, &stmt, NULL) == SQLITE_OK) {
        (void)sqlite3_step(stmt);
    }
    return stmt;
}

ts_code ts_endpoint_run(const ts_endpoint *endpoint, ts_view_call *call)
{
    ts_view_db *v = call->views;
    ts_code code;
    sqlite3_stmt *hold = views_hold(call->db);
    ts_buf reply = {0};
    ts_model_begin(v->model);
    do {
        code = reply_make(&reply, endpoint, call);
    } while (code == TS_ERR_LIMIT && ts_model_forget(v->model));
    if (code == TS_OK) {
        ts_jout_raw(call->out, NULL, ts_buf_text(&reply));
        ts_jout_flush(call->out);
        code = call->out->code;
    }
    ts_buf_free(&v->ctx, &reply);
    sqlite3_finalize(hold);
    return code;
}

static ts_code views_check(void *user, ts_ctx *ctx)
{
    return ts_guard_check(((ts_view_call *)user)->guard, ctx);
}

static void views_watch(void *user, const char *what, uint64_t done, uint64_t total)
{
    const ts_view_call *call = user;
    if (call->progress.report != NULL) {
        call->progress.report(call->progress.user, what, done, total);
    }
}

ts_rows_from ts_view_rows(ts_view_call *call)
{
    return (ts_rows_from){.ctx = &call->views->ctx,
                          .db = call->db,
                          .reader = call->views->reader,
                          .watch = {call, views_check, views_watch}};
}

int64_t ts_view_time(ts_view_call *call, unsigned param, int64_t none)
{
    const ts_view_value *v = ts_view_value_of(call, param);
    return v->given ? ts_sat_add(ts_view_db_origin(call->views, call->db), v->number) : none;
}

int64_t ts_view_since(ts_view_call *call, int64_t ts)
{
    return ts_sat_sub(ts, ts_view_db_origin(call->views, call->db));
}

static int by_key(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void ts_view_by_key(ts_vec *v, size_t size)
{
    if (v->n > 1) {
        qsort(v->p, v->n, size, by_key);
    }
}

void ts_view_text(ts_jout *out, const char *key, ts_text text)
{
    if (text.p != NULL && text.n > TS_VIEW_TEXT_MAX) {
        text.n = TS_VIEW_TEXT_MAX;
        while (text.n > 0 && ((unsigned char)text.p[text.n] & 0xc0) == 0x80) {
            text.n--;
        }
    }
    ts_jout_text(out, key, text);
}

void ts_view_int(ts_jout *out, const char *key, ts_cell cell)
{
    if (cell.null) {
        ts_jout_null(out, key);
    } else {
        ts_jout_int(out, key, cell.value);
    }
}

void ts_view_cell(ts_jout *out, const char *key, sqlite3_stmt *stmt, int column)
{
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_INTEGER:
        ts_jout_int(out, key, sqlite3_column_int64(stmt, column));
        break;
    case SQLITE_FLOAT:
        ts_jout_real(out, key, sqlite3_column_double(stmt, column));
        break;
    case SQLITE_TEXT: {
        const char *p = (const char *)sqlite3_column_text(stmt, column);
        ts_view_text(out, key, (ts_text){p, (size_t)sqlite3_column_bytes(stmt, column)});
        break;
    }
    default:
        ts_jout_null(out, key);
    }
}

int64_t ts_wide_cap(ts_wide sum, bool *capped)
{
    if (sum > INT64_MAX || sum < INT64_MIN) {
        *capped = true;
        return sum < 0 ? INT64_MIN : INT64_MAX;
    }
    return (int64_t)sum;
}

void ts_wide_put(ts_jout *out, const char *key, ts_wide sum)
{
    if (sum > INT64_MAX || sum < INT64_MIN) {
        ts_jout_real(out, key, (double)sum);
    } else {
        ts_jout_int(out, key, (int64_t)sum);
    }
}
