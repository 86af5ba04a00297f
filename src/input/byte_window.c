#include "input/byte_window.h"

#include "base/alloc.h"

enum { WINDOW = 256 << 10, LIMIT_PART = 16 };

static size_t most_held(const ts_window *v)
{
    uint64_t limit = v->ctx->limits.max_memory;
    return limit != 0 && limit / LIMIT_PART < TS_WINDOW_HELD ? (size_t)(limit / LIMIT_PART)
                                                             : TS_WINDOW_HELD;
}

static ts_code grow_buffer(ts_window *v, size_t want)
{
    uint8_t *grown;
    if (want <= v->cap) {
        return TS_OK;
    }
    TS_NEED(v->ctx, grown = ts_realloc(v->ctx, v->buf, want, 1));
    v->buf = grown;
    v->cap = want;
    return TS_OK;
}

ts_code ts_window_begin(ts_window *v, uint64_t wanted)
{
    ts_spool_free(v->spool);
    ts_blob_close(v->blob);
    v->spool = NULL;
    v->blob = NULL;
    v->base = 0;
    v->size = 0;
    v->at = 0;
    v->have = 0;
    return wanted != UINT64_MAX && wanted > most_held(v) ? ts_spool_new(&v->spool, v->ctx) : TS_OK;
}

/* What is held goes into a spool, and its memory back. */
static ts_code spill(ts_window *v)
{
    ts_code code = ts_spool_new(&v->spool, v->ctx);
    if (code == TS_OK && (code = ts_spool_write(v->spool, v->buf, v->have)) == TS_OK) {
        v->have = 0;
        v->cap = 0;
        ts_free(v->ctx, v->buf);
        v->buf = NULL;
    }
    return code;
}

ts_code ts_window_add(ts_window *v, const void *p, size_t n)
{
    ts_code code = TS_OK;
    if (v->spool == NULL && n > most_held(v) - v->have) {
        code = spill(v);
    }
    if (code != TS_OK || v->spool != NULL) {
        TS_STEP(code, ts_spool_write(v->spool, p, n));
        return code;
    }
    if (n > v->cap - v->have) {
        size_t want = v->cap < WINDOW ? WINDOW : v->cap;
        while (want - v->have < n) {
            want *= 2;
        }
        TS_TRY_INTO(code, grow_buffer(v, want));
    }
    memcpy(v->buf + v->have, p, n);
    v->have += n;
    return TS_OK;
}

void ts_window_of_blob(ts_window *v, ts_blob *blob, uint64_t n)
{
    ts_spool_free(v->spool);
    ts_blob_close(v->blob);
    v->spool = NULL;
    v->blob = blob;
    v->of_blob = n < ts_blob_size(blob) ? n : ts_blob_size(blob);
    v->at = 0;
    v->have = 0;
}

uint64_t ts_window_total(const ts_window *v)
{
    return v->blob != NULL ? v->of_blob : v->spool != NULL ? ts_spool_size(v->spool) : v->have;
}

static ts_code read_stored(size_t *got, ts_window *v, uint64_t at, void *p, size_t n)
{
    return v->blob != NULL ? ts_blob_read(got, v->blob, at, p, n)
                           : ts_spool_read(got, v->spool, at, p, n);
}

ts_code ts_window_read(size_t *got, ts_window *v, uint64_t pos, void *p, size_t n)
{
    return read_stored(got, v, v->base + pos, p, n);
}

void ts_window_part(ts_window *v, uint64_t base, uint64_t size)
{
    v->base = base;
    v->size = size;
}

/* pos is in the spool or the blob. Who goes back will go on to do so: half a window before it is
 * read as well.
 */
static ts_code move_window(ts_window *v, uint64_t pos, size_t need)
{
    uint64_t start = pos;
    uint64_t left;
    size_t want;
    if (pos < v->at && need < WINDOW / 2) {
        start = pos > WINDOW / 2 ? pos - WINDOW / 2 : 0;
    }
    left = ts_window_total(v) - start;
    want = need > WINDOW ? need : WINDOW;
    want = left < want ? (size_t)left : want;
    TS_TRY(grow_buffer(v, want));
    v->at = start;
    v->have = 0;
    return read_stored(&v->have, v, start, v->buf, want);
}

ts_code ts_window_fill(const uint8_t **p, size_t *n, ts_window *v, uint64_t pos, size_t need)
{
    uint64_t at = v->base + pos;
    uint64_t left;
    ts_code code = TS_OK;
    *p = NULL;
    *n = 0;
    if (pos >= v->size) {
        return TS_OK;
    }
    left = v->size - pos;
    need = left < need ? (size_t)left : need;
    if (!ts_window_held(v) &&
        (at < v->at || at - v->at > v->have || v->have - (size_t)(at - v->at) < need)) {
        code = move_window(v, at, need);
    }
    if (code == TS_OK && at - v->at < v->have) {
        *p = v->buf + (size_t)(at - v->at);
        *n = v->have - (size_t)(at - v->at);
        *n = left < *n ? (size_t)left : *n;
    }
    return code;
}

void ts_window_free(ts_window *v)
{
    ts_spool_free(v->spool);
    ts_blob_close(v->blob);
    ts_free(v->ctx, v->buf);
    v->spool = NULL;
    v->blob = NULL;
    v->buf = NULL;
    v->cap = 0;
}
