#include "export/columns/parquet_encode.h"

/* Room for n bytes, which are taken. */
static uint8_t *take(ts_ctx *ctx, ts_buf *out, size_t n)
{
    if (ts_buf_reserve(ctx, out, n) != TS_OK) {
        return NULL;
    }
    uint8_t *p = (uint8_t *)out->p + out->n;
    out->n += n;
    return p;
}

static inline void store_le(uint8_t *p, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

static ts_code put_zigzag(ts_ctx *ctx, ts_buf *out, int64_t v)
{
    return ts_buf_varint(ctx, out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

ts_code ts_pq_le(ts_ctx *ctx, ts_buf *out, uint64_t v, unsigned bytes)
{
    uint8_t *p = take(ctx, out, bytes);
    TS_NEED(ctx, p);
    store_le(p, v, bytes);
    return TS_OK;
}

/* --- PLAIN ------------------------------------------------------------------------------------ */

ts_code ts_pq_plain_ints(ts_ctx *ctx, ts_buf *out, const int64_t *v, size_t n, unsigned bytes)
{
    uint8_t *p = take(ctx, out, n * bytes);
    TS_NEED(ctx, p);
    for (size_t i = 0; bytes == 4 && i < n; i++) {
        store_le(p + 4 * i, (uint64_t)v[i], 4);
    }
    for (size_t i = 0; bytes == 8 && i < n; i++) {
        store_le(p + 8 * i, (uint64_t)v[i], 8);
    }
    return TS_OK;
}

ts_code ts_pq_plain_bools(ts_ctx *ctx, ts_buf *out, const int64_t *v, size_t n)
{
    uint8_t *p = take(ctx, out, (n + 7) / 8);
    TS_NEED(ctx, p);
    memset(p, 0, (n + 7) / 8);
    for (size_t i = 0; i < n; i++) {
        p[i / 8] = (uint8_t)(p[i / 8] | (v[i] != 0) << i % 8);
    }
    return TS_OK;
}

ts_code ts_pq_plain_reals(ts_ctx *ctx, ts_buf *out, const double *v, size_t n)
{
    uint8_t *p = take(ctx, out, n * 8);
    TS_NEED(ctx, p);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        store_le(p + 8 * i, bits, 8);
    }
    return TS_OK;
}

ts_code ts_pq_plain_text(ts_ctx *ctx, ts_buf *out, ts_text text)
{
    TS_TRY(ts_pq_le(ctx, out, text.n, 4));
    return ts_buf_put(ctx, out, text.p, text.n);
}

/* --- packed bits ------------------------------------------------------------------------------ */

/* Bits that do not fill a word yet; the lowest come first. */
typedef struct packer {
    uint8_t *at;
    uint64_t held;
    unsigned bits; /* of it, less than 32 */
} packer;

/* width: at most 32, v has no other bits. */
static inline void pack(packer *p, uint64_t v, unsigned width)
{
    p->held |= v << p->bits;
    p->bits += width;
    if (p->bits >= 32) {
        store_le(p->at, p->held, 4);
        p->at += 4;
        p->held >>= 32;
        p->bits -= 32;
    }
}

static inline void pack_end(packer *p)
{
    store_le(p->at, p->held, (p->bits + 7) / 8);
}

/* --- runs and packed bits --------------------------------------------------------------------- */

static size_t run_length(const uint32_t *v, size_t n, size_t at)
{
    size_t end = at + 1;
    while (end < n && v[end] == v[at]) {
        end++;
    }
    return end - at;
}

enum { GROUP = 8 }; /* values that are packed together, and the shortest run */

static ts_code put_packed(ts_ctx *ctx, ts_buf *out, const uint32_t *v, size_t n, unsigned width)
{
    size_t groups = (n + GROUP - 1) / GROUP;
    TS_TRY(ts_buf_varint(ctx, out, (uint64_t)groups << 1 | 1));
    packer p = {take(ctx, out, groups * width), 0, 0};
    TS_NEED(ctx, p.at);
    for (size_t i = 0; i < groups * GROUP; i++) {
        pack(&p, i < n ? v[i] : 0, width);
    }
    pack_end(&p);
    return TS_OK;
}

ts_code ts_pq_hybrid(ts_ctx *ctx, ts_buf *out, const uint32_t *v, size_t n, unsigned width)
{
    size_t i = 0;
    while (i < n) {
        size_t run = run_length(v, n, i);
        if (run >= GROUP || run == n - i) {
            TS_TRY(ts_buf_varint(ctx, out, (uint64_t)run << 1));
            TS_TRY(ts_pq_le(ctx, out, v[i], (width + 7) / 8));
            i += run;
            continue;
        }
        size_t end = i;
        while (end < n && (end == i || run_length(v, n, end) < GROUP)) {
            end += GROUP;
        }
        end = end < n ? end : n;
        TS_TRY(put_packed(ctx, out, v + i, end - i, width));
        i = end;
    }
    return TS_OK;
}

/* --- differences ------------------------------------------------------------------------------ */

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

static unsigned width_of(const uint64_t *v, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        all |= v[i];
    }
    return all == 0 ? 0 : 64 - (unsigned)__builtin_clzll(all);
}

static ts_code put_miniblock(ts_ctx *ctx, ts_buf *out, const uint64_t *v, unsigned width)
{
    packer p = {take(ctx, out, (size_t)MINIBLOCK / 8 * width), 0, 0};
    TS_NEED(ctx, p.at);
    if (width <= 32) {
        for (unsigned i = 0; i < MINIBLOCK; i++) {
            pack(&p, v[i], width);
        }
    } else {
        for (unsigned i = 0; i < MINIBLOCK; i++) {
            pack(&p, (uint32_t)v[i], 32);
            pack(&p, v[i] >> 32, width - 32);
        }
    }
    return TS_OK; /* whole words: nothing is held */
}

/* n differences, at most BLOCK, as offsets from the least. */
static ts_code put_block(ts_ctx *ctx, ts_buf *out, uint64_t *d, size_t n, int64_t least)
{
    unsigned widths[MINIBLOCKS] = {0};
    for (size_t i = 0; i < BLOCK; i++) {
        d[i] = i < n ? d[i] - (uint64_t)least : 0;
    }
    TS_TRY(put_zigzag(ctx, out, least));
    for (unsigned k = 0; k < MINIBLOCKS; k++) {
        widths[k] = width_of(d + (size_t)k * MINIBLOCK, MINIBLOCK);
        TS_TRY(ts_buf_putc(ctx, out, (char)widths[k]));
    }
    for (unsigned k = 0; k < MINIBLOCKS && (size_t)k * MINIBLOCK < n; k++) {
        TS_TRY(put_miniblock(ctx, out, d + (size_t)k * MINIBLOCK, widths[k]));
    }
    return TS_OK;
}

ts_code ts_pq_delta(ts_ctx *ctx, ts_buf *out, const int64_t *v, size_t n, unsigned bits)
{
    const bool narrow = bits == 32;
    int64_t first = n == 0 ? 0 : narrow ? (int32_t)(uint32_t)v[0] : v[0];
    TS_TRY(ts_buf_varint(ctx, out, BLOCK));
    TS_TRY(ts_buf_varint(ctx, out, MINIBLOCKS));
    TS_TRY(ts_buf_varint(ctx, out, n));
    TS_TRY(put_zigzag(ctx, out, first));
    for (size_t i = 1; i < n; i += BLOCK) {
        uint64_t d[BLOCK] = {0};
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        int64_t least = INT64_MAX;
        for (size_t k = 0; k < count; k++) {
            uint64_t step = (uint64_t)v[i + k] - (uint64_t)v[i + k - 1];
            int64_t s = narrow ? (int32_t)(uint32_t)step : (int64_t)step;
            d[k] = (uint64_t)s;
            least = s < least ? s : least;
        }
        TS_TRY(put_block(ctx, out, d, count, least));
    }
    return TS_OK;
}

/* --- texts ------------------------------------------------------------------------------------ */

ts_code ts_pq_delta_lengths(ts_ctx *ctx, ts_buf *out, const ts_pq_texts *texts)
{
    size_t sum = 0;
    for (size_t i = 0; i < texts->n; i++) {
        sum += (size_t)texts->lengths[i];
    }
    TS_TRY(ts_pq_delta(ctx, out, texts->lengths, texts->n, 32));
    return ts_buf_put(ctx, out, texts->bytes, sum);
}

static size_t same_beginning(const char *a, size_t a_n, const char *b, size_t b_n)
{
    size_t n = a_n < b_n ? a_n : b_n;
    size_t i = 0;
    while (i < n && a[i] == b[i]) {
        i++;
    }
    return i;
}

ts_code ts_pq_delta_texts(ts_ctx *ctx, ts_buf *out, const ts_pq_texts *texts, int64_t *scratch)
{
    int64_t *prefixes = scratch;
    int64_t *rests = scratch + texts->n;
    const char *before = texts->bytes;
    const char *p = texts->bytes;
    size_t before_n = 0;
    for (size_t i = 0; i < texts->n; i++) {
        size_t n = (size_t)texts->lengths[i];
        size_t same = same_beginning(before, before_n, p, n);
        prefixes[i] = (int64_t)same;
        rests[i] = (int64_t)(n - same);
        before = p;
        before_n = n;
        p += n;
    }
    TS_TRY(ts_pq_delta(ctx, out, prefixes, texts->n, 32));
    TS_TRY(ts_pq_delta(ctx, out, rests, texts->n, 32));
    p = texts->bytes;
    for (size_t i = 0; i < texts->n; i++) {
        TS_TRY(ts_buf_put(ctx, out, p + prefixes[i], (size_t)rests[i]));
        p += texts->lengths[i];
    }
    return TS_OK;
}
