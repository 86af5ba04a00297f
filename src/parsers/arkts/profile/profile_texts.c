/* Texts of a profile: read in pieces, kept once each. */
#include "parsers/arkts/profile/profile_state.h"

#include "base/utf8.h"

enum { MAX_TEXT = 1 << 20 };

void profile_texts_free(ts_ctx *ctx, profile_texts *texts)
{
    ts_pool_free(ctx, &texts->pool);
    ts_intvec_free(ctx, &texts->at);
    ts_spool_free(texts->spool);
    texts->spool = NULL;
    ts_buf_free(ctx, &texts->name);
    ts_buf_free(ctx, &texts->module);
    ts_buf_free(ctx, &texts->url);
    ts_buf_free(ctx, &texts->text);
    ts_buf_free(ctx, &texts->clean);
}

ts_code profile_text_piece(ts_profile *p, ts_text *out, bool *whole, const char *s, size_t n,
                           unsigned flags)
{
    profile_texts *texts = &p->texts;
    size_t left;
    ts_code code;
    *whole = (flags & TS_JSON_LAST) != 0;
    if ((flags & TS_JSON_FIRST) != 0) {
        texts->text.n = 0;
        texts->text_cut = false;
    }
    left = MAX_TEXT - texts->text.n;
    texts->text_cut = texts->text_cut || n > left;
    code = ts_buf_put(p->ctx, &texts->text, s, n < left ? n : left);
    if (code != TS_OK || !*whole) {
        return code;
    }
    if (texts->text_cut) {
        texts->cut++;
        texts->text.n = ts_utf8_cut(texts->text.p, texts->text.n);
    }
    *out = ts_buf_text(&texts->text);
    if (ts_utf8_valid(out->p, out->n)) {
        return TS_OK;
    }
    texts->clean.n = 0;
    code = ts_utf8_clean(p->ctx, &texts->clean, &texts->replaced, out->p, out->n);
    *out = ts_buf_text(&texts->clean);
    return code;
}

/* Long texts wait in a file: a profile may have a long one for each of its nodes. */
ts_code profile_text_keep(ts_profile *p, uint32_t *id, ts_text text)
{
    char key[TS_POOL_KEY];
    ts_text kept = ts_pool_key(key, p->ctx, text);
    uint64_t at = 0;
    bool added;
    ts_code code = ts_pool_intern(p->ctx, id, &added, &p->texts.pool, kept);
    if (code == TS_OK && added && kept.p == key) {
        if (p->texts.spool == NULL && (code = ts_spool_new(&p->texts.spool, p->ctx)) != TS_OK) {
            return code;
        }
        at = ts_spool_size(p->texts.spool);
        code = ts_spool_write(p->texts.spool, text.p, text.n);
    }
    return code != TS_OK || !added ? code : ts_intvec_push(p->ctx, &p->texts.at, (int64_t)at);
}

ts_code profile_text(ts_profile *p, ts_text *out, ts_buf *buf, uint32_t id)
{
    uint64_t at = (uint64_t)ts_intvec_get(&p->texts.at, id);
    uint64_t n;
    size_t got = 0;
    *out = ts_pool_text(&p->texts.pool, id);
    if (!ts_pool_is_key(&n, *out)) {
        return TS_OK;
    }
    buf->n = 0;
    TS_TRY(ts_buf_reserve(p->ctx, buf, (size_t)n));
    TS_TRY(ts_spool_read(&got, p->texts.spool, at, buf->p, (size_t)n));
    if (got != n) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL, "a temporary file became shorter");
    }
    *out = (ts_text){buf->p, (size_t)n};
    return TS_OK;
}
