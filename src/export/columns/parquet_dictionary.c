#include "export/columns/parquet_dictionary.h"

/* More values than these are looked at before it is said that too many are different. */
enum { FEW = 1024 };

static bool too_many(const ts_pq_dictionary *d, size_t before, size_t looked_at)
{
    size_t entries = ts_pq_entries(d);
    return entries > TS_PQ_ENTRIES || d->text_bytes > TS_PQ_ENTRY_BYTES ||
           (before == 0 && entries > FEW && entries > looked_at - looked_at / 4);
}

static bool is_number(const void *owner, uint32_t number, const void *key)
{
    const ts_pq_dictionary *d = owner;
    return ((const int64_t *)d->ints.p)[number] == *(const int64_t *)key;
}

static ts_code number_int(ts_ctx *ctx, uint32_t *out, ts_pq_dictionary *d, int64_t v)
{
    ts_index_place place;
    TS_TRY(ts_index_reserve(ctx, &d->index));
    *out = ts_index_search(&place, &d->index, ts_hash_number(&d->index.key, v), is_number, d, &v);
    if (*out == TS_INDEX_NONE) {
        *out = (uint32_t)d->ints.n;
        TS_TRY(ts_vec_push(ctx, &d->ints, &v, sizeof v));
        ts_index_add(&d->index, place, *out);
    }
    return TS_OK;
}

ts_code ts_pq_number_ints(ts_ctx *ctx, uint32_t *out, ts_pq_dictionary *d, const int64_t *v,
                          size_t n)
{
    const size_t before = d->ints.n;
    for (size_t i = 0; i < n && !d->full; i++) {
        if (i > 0 && v[i] == v[i - 1]) {
            out[i] = out[i - 1];
            continue;
        }
        TS_TRY(number_int(ctx, &out[i], d, v[i]));
        d->full = too_many(d, before, i + 1);
    }
    return TS_OK;
}

ts_code ts_pq_number_texts(ts_ctx *ctx, uint32_t *out, ts_pq_dictionary *d,
                           const ts_pq_texts *texts)
{
    const size_t before = d->texts.count;
    ts_text t = {texts->bytes, 0};
    for (size_t i = 0; i < texts->n && !d->full; i++) {
        bool added;
        t.n = (size_t)texts->lengths[i];
        TS_TRY(ts_pool_intern(ctx, &out[i], &added, &d->texts, t));
        d->text_bytes += added ? t.n : 0;
        d->full = too_many(d, before, i + 1);
        t.p += t.n;
    }
    return TS_OK;
}

uint32_t ts_pq_entries(const ts_pq_dictionary *d)
{
    return d->ints.n > 0 ? (uint32_t)d->ints.n : d->texts.count;
}

unsigned ts_pq_number_bits(const ts_pq_dictionary *d)
{
    uint32_t entries = ts_pq_entries(d);
    return entries < 2 ? 0 : 32 - (unsigned)__builtin_clz(entries - 1);
}

ts_code ts_pq_put_entries(ts_ctx *ctx, ts_buf *out, const ts_pq_dictionary *d, unsigned bytes)
{
    if (d->ints.n > 0) {
        return ts_pq_plain_ints(ctx, out, d->ints.p, d->ints.n, bytes);
    }
    for (uint32_t i = 0; i < d->texts.count; i++) {
        TS_TRY(ts_pq_plain_text(ctx, out, ts_pool_text(&d->texts, i)));
    }
    return TS_OK;
}

void ts_pq_dictionary_free(ts_ctx *ctx, ts_pq_dictionary *d)
{
    ts_pool_free(ctx, &d->texts);
    ts_vec_free(ctx, &d->ints);
    ts_index_free(ctx, &d->index);
    *d = (ts_pq_dictionary){0};
}
