#include "model/model.h"

#include "base/alloc.h"
#include "base/vec.h"

typedef struct model_kept {
    const char *kind;
    char *key;
    void *what;
    ts_model_release *release;
    uint64_t used; /* a rising number */
} model_kept;

struct ts_model {
    ts_ctx *ctx;
    ts_rows_from from;
    uint64_t clock;
    uint64_t begun; /* the clock at the last ts_model_begin */
    ts_vec kept;    /* of model_kept */
};

ts_code ts_model_open(ts_model **out, ts_ctx *ctx)
{
    ts_model *m = ts_zalloc(ctx, 1, sizeof *m);
    *out = m;
    TS_NEED(ctx, m);
    m->ctx = ctx;
    m->from.ctx = ctx;
    return TS_OK;
}

static void kept_drop(ts_model *m, size_t at)
{
    model_kept *all = m->kept.p;
    model_kept one = all[at];
    all[at] = all[--m->kept.n];
    one.release(m->ctx, one.what);
    ts_free(m->ctx, one.key);
}

void ts_model_close(ts_model *m)
{
    if (m == NULL) {
        return;
    }
    while (m->kept.n > 0) {
        kept_drop(m, m->kept.n - 1);
    }
    ts_vec_free(m->ctx, &m->kept);
    ts_free(m->ctx, m);
}

void ts_model_read(ts_model *m, const ts_rows_from *from)
{
    m->from = *from;
}

void ts_model_begin(ts_model *m)
{
    m->begun = m->clock;
}

ts_ctx *ts_model_ctx(const ts_model *m)
{
    return m->ctx;
}

const ts_rows_from *ts_model_rows(const ts_model *m)
{
    return &m->from;
}

void ts_model_report(const ts_model *m, const char *what, uint64_t done, uint64_t total)
{
    const ts_watch *w = &m->from.watch;
    if (w->report != NULL) {
        w->report(w->user, what, done, total);
    }
}

ts_code ts_model_check(const ts_model *m)
{
    const ts_watch *w = &m->from.watch;
    return w->check == NULL ? TS_OK : w->check(w->user, m->ctx);
}

static ts_code kept_add(ts_model *m, const char *kind, const char *key, void *what,
                        ts_model_release *release)
{
    char *copy = ts_strndup(m->ctx, key, strlen(key));
    model_kept *k = copy == NULL ? NULL : ts_vec_add(m->ctx, &m->kept, sizeof *k);
    if (k == NULL) {
        ts_free(m->ctx, copy);
        return m->ctx->error.code;
    }
    *k = (model_kept){kind, copy, what, release, ++m->clock};
    return TS_OK;
}

static model_kept *kept_find(const ts_model *m, const char *kind, const char *key)
{
    model_kept *all = m->kept.p;
    for (size_t i = 0; i < m->kept.n; i++) {
        if (strcmp(all[i].kind, kind) == 0 && strcmp(all[i].key, key) == 0) {
            return &all[i];
        }
    }
    return NULL;
}

bool ts_model_has(const ts_model *m, const char *kind, const char *key)
{
    return kept_find(m, kind, key) != NULL;
}

ts_code ts_model_keep(void **what, ts_model *m, const char *kind, const char *key,
                      ts_model_build *build, ts_model_release *release, const void *user)
{
    model_kept *known = kept_find(m, kind, key);
    if (known != NULL) {
        known->used = ++m->clock;
        *what = known->what;
        return TS_OK;
    }
    *what = NULL;
    ts_code code = build(what, m, user);
    TS_STEP(code, kept_add(m, kind, key, *what, release));
    if (code != TS_OK && *what != NULL) {
        release(m->ctx, *what);
        *what = NULL;
    }
    return code;
}

bool ts_model_forget(ts_model *m)
{
    const model_kept *all = m->kept.p;
    size_t oldest = m->kept.n;
    for (size_t i = 0; i < m->kept.n; i++) {
        if (all[i].used <= m->begun && (oldest == m->kept.n || all[i].used < all[oldest].used)) {
            oldest = i;
        }
    }
    if (oldest == m->kept.n) {
        return false;
    }
    kept_drop(m, oldest);
    return true;
}
