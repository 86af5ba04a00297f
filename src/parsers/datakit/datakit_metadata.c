/* Tags and values of an upload. */
#include "parsers/datakit/datakit.h"

#include "base/utf8.h"

void datakit_meta_free(datakit_meta *m)
{
    ts_pool_free(m->ctx, &m->texts);
    ts_vec_free(m->ctx, &m->pairs);
    ts_idmap_free(m->ctx, &m->by_key);
    ts_vec_free(m->ctx, &m->listed);
    ts_buf_free(m->ctx, &m->clean);
}

/* Its number; *full: there is no place for more. The text is cleaned and cut. */
static ts_code meta_intern(uint32_t *id, bool *full, datakit_meta *m, ts_text text)
{
    ts_code code;
    m->clean.n = 0;
    if (text.n > DATAKIT_MAX_TEXT) {
        text.n = ts_utf8_cut(text.p, DATAKIT_MAX_TEXT);
        m->cut++;
    }
    code = ts_utf8_clean(m->ctx, &m->clean, &m->bad_texts, text.p == NULL ? "" : text.p, text.n);
    *full = m->texts.count >= DATAKIT_MAX_TEXTS || m->bytes + m->clean.n > DATAKIT_MAX_BYTES;
    if (code != TS_OK || *full) {
        return code;
    }
    m->bytes += m->clean.n;
    return ts_pool_intern(m->ctx, id, NULL, &m->texts, ts_buf_text(&m->clean));
}

static int64_t meta_key(uint32_t key, bool tag)
{
    return (int64_t)key * 2 + (tag ? 1 : 0);
}

static datakit_pair *meta_pair(const datakit_meta *m, uint64_t at)
{
    return (datakit_pair *)m->pairs.p + at;
}

/* A value that is there already. */
static ts_code meta_change(datakit_meta *m, datakit_pair *pair, ts_text value, datakit_again again)
{
    ts_buf both = {0};
    bool full = false;
    ts_text old = ts_pool_text(&m->texts, pair->value);
    ts_code code = TS_OK;
    if (again == DATAKIT_JOIN && old.n > 0) {
        if ((code = ts_buf_put(m->ctx, &both, old.p, old.n)) == TS_OK &&
            (code = ts_buf_putc(m->ctx, &both, ',')) == TS_OK && value.n > 0) {
            code = ts_buf_put(m->ctx, &both, value.p, value.n);
        }
        value = ts_buf_text(&both);
    }
    TS_STEP(code, meta_intern(&pair->value, &full, m, value));
    m->too_many += full ? 1 : 0;
    ts_buf_free(m->ctx, &both);
    return code;
}

ts_code datakit_meta_put(datakit_meta *m, ts_text key, ts_text value, bool tag, datakit_again again)
{
    datakit_pair *pair;
    uint32_t key_id;
    uint32_t value_id;
    uint64_t at;
    bool full = false;
    ts_code code = meta_intern(&key_id, &full, m, key);
    m->seen++;
    if (code == TS_OK && !full && ts_idmap_find(&at, &m->by_key, meta_key(key_id, tag))) {
        return meta_change(m, meta_pair(m, at), value, again);
    }
    TS_STEP_IF(code, !full, meta_intern(&value_id, &full, m, value));
    m->too_many += full ? 1 : 0;
    if (code != TS_OK || full) {
        return code;
    }
    at = m->pairs.n;
    TS_NEED(m->ctx, pair = ts_vec_add(m->ctx, &m->pairs, sizeof *pair));
    *pair = (datakit_pair){.key = key_id, .value = value_id, .tag = tag};
    return ts_idmap_put(m->ctx, &m->by_key, meta_key(key_id, tag), at);
}

ts_code datakit_meta_tag(datakit_meta *m, ts_text text)
{
    const char *colon = text.n == 0 ? NULL : memchr(text.p, ':', text.n);
    ts_text key = text;
    ts_text value = TS_TEXT_LIT("");
    if (colon != NULL && colon != text.p) {
        key.n = (size_t)(colon - text.p);
        value = (ts_text){colon + 1, text.n - key.n - 1};
    }
    return key.n == 0 ? TS_OK : datakit_meta_put(m, key, value, true, DATAKIT_REPLACE);
}

ts_code datakit_meta_tags(datakit_meta *m, ts_text text)
{
    ts_code code = TS_OK;
    while (text.n > 0 && code == TS_OK) {
        const char *comma = memchr(text.p, ',', text.n);
        size_t n = comma == NULL ? text.n : (size_t)(comma - text.p);
        code = datakit_meta_tag(m, (ts_text){text.p, n});
        n += comma == NULL ? 0 : 1;
        text = (ts_text){text.p + n, text.n - n};
    }
    return code;
}

ts_code datakit_meta_listed(datakit_meta *m, ts_text name)
{
    uint32_t *next;
    uint32_t id;
    bool full;
    ts_code code = meta_intern(&id, &full, m, name);
    m->has_list = true;
    m->too_many += code == TS_OK && full ? 1 : 0;
    if (code != TS_OK || full) {
        return code;
    }
    TS_NEED(m->ctx, next = ts_vec_add(m->ctx, &m->listed, sizeof *next));
    *next = id;
    return TS_OK;
}

static datakit_pair *meta_find(const datakit_meta *m, ts_text name, bool tag)
{
    uint32_t id;
    uint64_t at;
    return ts_pool_find(&id, &m->texts, name) && ts_idmap_find(&at, &m->by_key, meta_key(id, tag))
               ? meta_pair(m, at)
               : NULL;
}

static ts_text meta_word(const char **words)
{
    ts_text word = {*words, strcspn(*words, " ")};
    *words += word.n + ((*words)[word.n] == ' ' ? 1 : 0);
    return word;
}

ts_text datakit_meta_get(datakit_meta *m, const char *names, datakit_where where)
{
    ts_text found = TS_TEXT_NULL;
    while (*names != '\0') {
        ts_text name = meta_word(&names);
        for (int tag = 1; tag >= 0; tag--) {
            datakit_pair *pair = (where & (tag != 0 ? DATAKIT_TAG : DATAKIT_VALUE)) == 0
                                     ? NULL
                                     : meta_find(m, name, tag != 0);
            ts_text value = pair == NULL ? TS_TEXT_NULL : ts_pool_text(&m->texts, pair->value);
            if (pair != NULL && (value.n == 0 || found.n == 0 ||
                                 (value.n == found.n && memcmp(value.p, found.p, value.n) == 0))) {
                pair->used = true;
                found = value.n > 0 ? value : found;
            }
        }
    }
    return found;
}
