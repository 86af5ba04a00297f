#include "export/columns/parquet_column.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <zstd.h>

enum {
    LEVEL = 3,             /* of zstd */
    ZSTD_MEMORY = 4 << 20, /* what its state takes with pages of this size, about */
    DATA_PAGE = 0,
    DICTIONARY_PAGE = 2
};

ts_code ts_pq_work_open(ts_pq_work *w, ts_ctx *ctx)
{
    *w = (ts_pq_work){.ctx = ctx};
    TS_TRY(ts_alloc_lent(ctx, ZSTD_MEMORY));
    w->lent = ZSTD_MEMORY;
    w->zstd = ZSTD_createCCtx();
    return w->zstd != NULL ? TS_OK : ts_fail(ctx, TS_ERR_NOMEM, "out of memory");
}

void ts_pq_work_close(ts_pq_work *w)
{
    (void)ZSTD_freeCCtx(w->zstd);
    if (w->ctx != NULL) {
        ts_alloc_returned(w->ctx, w->lent);
        ts_vec_free(w->ctx, &w->numbers);
        ts_vec_free(w->ctx, &w->scratch);
        ts_buf_free(w->ctx, &w->raw);
        ts_buf_free(w->ctx, &w->packed);
    }
    *w = (ts_pq_work){0};
}

/* --- what is held ------------------------------------------------------------------------------
 */

/* Those that are not NULL. */
static void hold_some(ts_pq_values *h, const ts_column_values *v, unsigned rows)
{
    int64_t *ints = h->ints.p;
    double *reals = h->reals.p;
    for (unsigned i = 0; i < rows; i++) {
        if (v->null[i] == 0 && v->reals != NULL) {
            reals[h->reals.n++] = v->reals[i];
        } else if (v->null[i] == 0) {
            ints[h->ints.n++] = v->offsets != NULL ? v->offsets[i + 1] - v->offsets[i] : v->ints[i];
        }
    }
}

static void hold_all(ts_pq_values *h, const ts_column_values *v, unsigned rows)
{
    int64_t *ints = (int64_t *)h->ints.p + h->ints.n;
    if (v->reals != NULL) {
        memcpy((double *)h->reals.p + h->reals.n, v->reals, rows * sizeof(double));
        h->reals.n += rows;
        return;
    }
    if (v->ints != NULL) {
        memcpy(ints, v->ints, rows * sizeof *ints);
    }
    for (unsigned i = 0; v->offsets != NULL && i < rows; i++) {
        ints[i] = v->offsets[i + 1] - v->offsets[i];
    }
    h->ints.n += rows;
}

ts_code ts_pq_hold(ts_pq_column *c, ts_ctx *ctx, const ts_column_values *v, unsigned rows)
{
    ts_pq_values *h = &c->held;
    TS_TRY(ts_buf_put(ctx, &h->nulls, v->null, c->required ? 0 : rows));
    TS_TRY(v->reals != NULL ? ts_vec_reserve(ctx, &h->reals, rows, sizeof(double))
                            : ts_vec_reserve(ctx, &h->ints, rows, sizeof(int64_t)));
    TS_TRY(ts_buf_put(ctx, &h->bytes, v->bytes.p, v->bytes.n));
    if (v->nulls == 0) {
        hold_all(h, v, rows);
    } else {
        hold_some(h, v, rows);
    }
    h->rows += rows;
    return TS_OK;
}

size_t ts_pq_held(const ts_pq_column *c)
{
    const ts_pq_values *h = &c->held;
    return h->nulls.n + h->ints.n * sizeof(int64_t) + h->reals.n * sizeof(double) + h->bytes.n;
}

static size_t held_values(const ts_pq_column *c)
{
    return c->held.ints.n + c->held.reals.n;
}

static ts_pq_texts held_texts(const ts_pq_values *h)
{
    return (ts_pq_texts){h->bytes.p == NULL ? "" : h->bytes.p, h->ints.p, h->ints.n};
}

static void hold_nothing(ts_pq_values *h)
{
    h->nulls.n = h->ints.n = h->reals.n = h->bytes.n = h->rows = 0;
}

/* --- pages ------------------------------------------------------------------------------------ */

/* w->raw, compressed, in w->packed. */
static ts_code compress(ts_pq_work *w)
{
    w->packed.n = 0;
    if (w->raw.n > INT32_MAX / 2) {
        return ts_fail(w->ctx, TS_ERR_LIMIT,
                       "texts of some rows are longer than a page may be (1 GiB)");
    }
    TS_TRY(ts_buf_reserve(w->ctx, &w->packed, ZSTD_compressBound(w->raw.n)));
    size_t n = ZSTD_compressCCtx(w->zstd, w->packed.p, w->packed.cap, w->raw.p, w->raw.n, LEVEL);
    if (ZSTD_isError(n)) {
        return ts_fail(w->ctx, TS_ERR_NOMEM, "cannot compress a page: %s", ZSTD_getErrorName(n));
    }
    w->packed.n = n;
    return TS_OK;
}

/* Adds the page that is in w->packed, with its header. */
static ts_code put_page(ts_pq_work *w, ts_pq_column *c, ts_buf *out, uint64_t values, int way)
{
    const bool dictionary = out != &c->pages;
    const size_t before = out->n;
    ts_thrift t = ts_thrift_begin(w->ctx, out);
    ts_thrift_i32(&t, 1, dictionary ? DICTIONARY_PAGE : DATA_PAGE);
    ts_thrift_i32(&t, 2, (int32_t)w->raw.n);
    ts_thrift_i32(&t, 3, (int32_t)w->packed.n);
    ts_thrift_struct(&t, dictionary ? 7 : 5);
    ts_thrift_i32(&t, 1, (int32_t)values);
    ts_thrift_i32(&t, 2, way);
    if (!dictionary) {
        ts_thrift_i32(&t, 3, TS_PQ_RLE);
        ts_thrift_i32(&t, 4, TS_PQ_RLE);
    }
    ts_thrift_end(&t);
    ts_thrift_end(&t);
    c->size += out->n - before + w->raw.n;
    c->ways |= 1U << way;
    TS_TRY(t.code);
    return ts_buf_put(w->ctx, out, w->packed.p, w->packed.n);
}

static ts_code reserve_numbers(ts_pq_work *w, size_t n)
{
    w->numbers.n = 0;
    return ts_vec_reserve(w->ctx, &w->numbers, n, sizeof(uint32_t));
}

/* Which rows have values, with the length of that before it. */
static ts_code put_levels(ts_pq_work *w, const ts_pq_values *h)
{
    const size_t at = w->raw.n;
    if (h->nulls.n == 0) {
        return TS_OK;
    }
    TS_TRY(reserve_numbers(w, h->nulls.n));
    uint32_t *levels = w->numbers.p;
    for (size_t i = 0; i < h->nulls.n; i++) {
        levels[i] = h->nulls.p[i] == 0;
    }
    TS_TRY(ts_pq_le(w->ctx, &w->raw, 0, 4));
    TS_TRY(ts_pq_hybrid(w->ctx, &w->raw, levels, h->nulls.n, 1));
    for (unsigned i = 0; i < 4; i++) {
        w->raw.p[at + i] = (char)((w->raw.n - at - 4) >> (8 * i));
    }
    return TS_OK;
}

static ts_code put_plain(ts_pq_work *w, const ts_pq_column *c, const ts_pq_values *h)
{
    switch (c->type) {
    case TS_PQ_BOOLEAN:
        return ts_pq_plain_bools(w->ctx, &w->raw, h->ints.p, h->ints.n);
    case TS_PQ_DOUBLE:
        return ts_pq_plain_reals(w->ctx, &w->raw, h->reals.p, h->reals.n);
    case TS_PQ_BYTES: /* where there are no texts */
        return TS_OK;
    default:
        return ts_pq_plain_ints(w->ctx, &w->raw, h->ints.p, h->ints.n, c->bytes);
    }
}

/* The numbers of the values in the dictionary; *fits false: it is full. */
static ts_code put_numbers(bool *fits, ts_pq_work *w, ts_pq_column *c, const ts_pq_values *h)
{
    ts_pq_dictionary *d = &c->dictionary;
    const ts_pq_texts texts = held_texts(h);
    TS_TRY(reserve_numbers(w, texts.n));
    TS_TRY(c->type == TS_PQ_BYTES
               ? ts_pq_number_texts(w->ctx, w->numbers.p, d, &texts)
               : ts_pq_number_ints(w->ctx, w->numbers.p, d, texts.lengths, texts.n));
    *fits = !d->full;
    if (d->full) {
        return TS_OK;
    }
    const unsigned bits = ts_pq_number_bits(d);
    TS_TRY(ts_buf_putc(w->ctx, &w->raw, (char)bits));
    return ts_pq_hybrid(w->ctx, &w->raw, w->numbers.p, texts.n, bits);
}

static ts_code put_delta_texts(ts_pq_work *w, const ts_pq_texts *texts)
{
    w->scratch.n = 0;
    TS_TRY(ts_vec_reserve(w->ctx, &w->scratch, 2 * texts->n, sizeof(int64_t)));
    return ts_pq_delta_texts(w->ctx, &w->raw, texts, w->scratch.p);
}

/* The page, encoded in one way, in w->raw and compressed in w->packed; *fits false: it cannot be.
 */
static ts_code encode(bool *fits, ts_pq_work *w, ts_pq_column *c, int way)
{
    const ts_pq_values *h = &c->held;
    const ts_pq_texts held = held_texts(h);
    ts_code code;
    *fits = true;
    w->raw.n = 0;
    TS_TRY_INTO(code, put_levels(w, h));
    switch (way) {
    case TS_PQ_DELTA:
        code = ts_pq_delta(w->ctx, &w->raw, held.lengths, held.n, 8 * c->bytes);
        break;
    case TS_PQ_DELTA_LENGTHS:
        code = ts_pq_delta_lengths(w->ctx, &w->raw, &held);
        break;
    case TS_PQ_DELTA_TEXTS:
        code = put_delta_texts(w, &held);
        break;
    case TS_PQ_DICTIONARY:
        code = put_numbers(fits, w, c, h);
        break;
    default:
        code = put_plain(w, c, h);
    }
    TS_STEP_IF(code, *fits, compress(w));
    return code;
}

/* --- which way -------------------------------------------------------------------------------- */

/* The dictionary comes last: what it holds then stays. */
static const int int_ways[] = {TS_PQ_DELTA, TS_PQ_PLAIN, TS_PQ_DICTIONARY, -1};
static const int text_ways[] = {TS_PQ_DELTA_LENGTHS, TS_PQ_DELTA_TEXTS, TS_PQ_DICTIONARY, -1};
static const int plain_ways[] = {TS_PQ_PLAIN, -1};

static const int *ways_of(const ts_pq_column *c)
{
    return c->type == TS_PQ_BYTES                             ? text_ways
           : c->type == TS_PQ_INT32 || c->type == TS_PQ_INT64 ? int_ways
                                                              : plain_ways;
}

/* What the dictionary adds to the first page. */
static ts_code dictionary_cost(size_t *cost, ts_pq_work *w, const ts_pq_column *c)
{
    w->raw.n = 0;
    TS_TRY(ts_pq_put_entries(w->ctx, &w->raw, &c->dictionary, c->bytes));
    TS_TRY(compress(w));
    *cost = w->packed.n;
    return TS_OK;
}

/* Encodes the page in all ways; the smallest is c->way. */
static ts_code choose(ts_pq_work *w, ts_pq_column *c)
{
    size_t least = SIZE_MAX;
    for (const int *way = ways_of(c); *way >= 0; way++) {
        size_t cost = 0;
        bool fits;
        TS_TRY(encode(&fits, w, c, *way));
        size_t size = w->packed.n;
        if (fits && *way == TS_PQ_DICTIONARY) {
            TS_TRY(dictionary_cost(&cost, w, c));
        }
        if (fits && size + cost < least) {
            least = size + cost;
            c->other = *way == TS_PQ_DICTIONARY ? c->way : *way;
            c->way = *way;
        }
    }
    if (c->way != TS_PQ_DICTIONARY) {
        ts_pq_dictionary_free(w->ctx, &c->dictionary);
    }
    return TS_OK;
}

/* --- least and greatest ----------------------------------------------------------------------- */

static uint64_t in_order(int64_t v, bool is_unsigned)
{
    return is_unsigned ? (uint64_t)v : (uint64_t)v ^ (UINT64_C(1) << 63);
}

static void note_ints(ts_pq_stats *s, const ts_vec *values, bool is_unsigned)
{
    for (size_t i = 0; i < values->n; i++) {
        const int64_t v = ((const int64_t *)values->p)[i];
        s->least =
            !s->any || in_order(v, is_unsigned) < in_order(s->least, is_unsigned) ? v : s->least;
        s->most =
            !s->any || in_order(v, is_unsigned) > in_order(s->most, is_unsigned) ? v : s->most;
        s->any = true;
    }
}

static void note_reals(ts_pq_stats *s, const ts_vec *values)
{
    for (size_t i = 0; i < values->n; i++) {
        const double v = ((const double *)values->p)[i];
        s->least_real = !s->any || v < s->least_real ? v : s->least_real;
        s->most_real = !s->any || v > s->most_real ? v : s->most_real;
        s->any = true;
    }
}

static int text_order(ts_text a, ts_text b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n == 0 ? 0 : memcmp(a.p, b.p, n);
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

static bool keep_text(char *out, size_t *n, ts_text t)
{
    if (t.n > TS_PQ_LEAST_TEXT) {
        return false;
    }
    memcpy(out, t.p, t.n);
    *n = t.n;
    return true;
}

static void note_text(ts_pq_stats *s, ts_text t)
{
    if (!s->any || text_order(t, (ts_text){s->least_text, s->least_n}) < 0) {
        s->texts_long |= !keep_text(s->least_text, &s->least_n, t);
    }
    if (!s->any || text_order(t, (ts_text){s->most_text, s->most_n}) > 0) {
        s->texts_long |= !keep_text(s->most_text, &s->most_n, t);
    }
    s->any = true;
}

static void note_texts(ts_pq_column *c)
{
    const ts_pq_texts texts = held_texts(&c->held);
    ts_text t = {texts.bytes, 0};
    bool utf8 = true;
    for (size_t i = 0; i < texts.n; i++, t.p += t.n) {
        t.n = (size_t)texts.lengths[i];
        utf8 = utf8 && ts_utf8_valid(t.p, t.n);
        if (!c->stats.texts_long) {
            note_text(&c->stats, t);
        }
    }
    c->not_utf8 |= !utf8;
}

/* --- chunks ----------------------------------------------------------------------------------- */

static void note_values(ts_pq_column *c)
{
    c->values += c->held.rows;
    c->stats.nulls += c->held.rows - held_values(c);
    if (c->type == TS_PQ_BYTES) {
        note_texts(c);
    } else if (c->type == TS_PQ_DOUBLE) {
        note_reals(&c->stats, &c->held.reals);
    } else {
        note_ints(&c->stats, &c->held.ints, c->is_unsigned);
    }
}

ts_code ts_pq_page(ts_pq_column *c, ts_pq_work *w)
{
    bool fits = false;
    note_values(c);
    if (c->way < 0 && held_values(c) > 0 && ways_of(c) != plain_ways) {
        TS_TRY(choose(w, c));
    }
    int way = held_values(c) == 0 || c->way < 0 ? TS_PQ_PLAIN : c->way;
    TS_TRY(encode(&fits, w, c, way));
    if (!fits) {
        c->way = way = c->other;
        TS_TRY(encode(&fits, w, c, way));
    }
    TS_TRY(put_page(w, c, &c->pages, c->held.rows, way));
    hold_nothing(&c->held);
    return TS_OK;
}

ts_code ts_pq_chunk_end(ts_buf *out, ts_pq_column *c, ts_pq_work *w)
{
    const size_t before = out->n;
    if ((c->ways >> TS_PQ_DICTIONARY & 1) == 0) {
        return TS_OK;
    }
    w->raw.n = 0;
    TS_TRY(ts_pq_put_entries(w->ctx, &w->raw, &c->dictionary, c->bytes));
    TS_TRY(compress(w));
    TS_TRY(put_page(w, c, out, ts_pq_entries(&c->dictionary), TS_PQ_PLAIN));
    c->dictionary_n = out->n - before;
    return TS_OK;
}

void ts_pq_chunk_next(ts_pq_column *c, ts_ctx *ctx)
{
    ts_pq_dictionary_free(ctx, &c->dictionary);
    c->pages.n = 0;
    c->way = -1;
    c->ways = 0;
    c->values = 0;
    c->size = 0;
    c->dictionary_n = 0;
    c->stats = (ts_pq_stats){0};
    hold_nothing(&c->held);
}

void ts_pq_column_free(ts_pq_column *c, ts_ctx *ctx)
{
    ts_pq_dictionary_free(ctx, &c->dictionary);
    ts_buf_free(ctx, &c->pages);
    ts_buf_free(ctx, &c->held.nulls);
    ts_vec_free(ctx, &c->held.ints);
    ts_vec_free(ctx, &c->held.reals);
    ts_buf_free(ctx, &c->held.bytes);
    *c = (ts_pq_column){0};
}
