/*
 * Bytes of a stream at random places: up to TS_WINDOW_HELD of them in memory (a sixteenth of
 * --max-memory, when that is less), more in a spool, read through a buffer that grows to the
 * largest piece asked for. Bytes of a file that can be read anywhere need neither: a window of a
 * blob. A window is on a part of them; the buffer stays filled when another part is chosen: parts
 * may be small and many.
 */
#ifndef TS_INPUT_BYTE_WINDOW_H
#define TS_INPUT_BYTE_WINDOW_H

#include "base/spool.h"
#include "input/input.h"

enum { TS_WINDOW_HELD = 24 << 20 };

/* Zero-initialise but for ctx. */
typedef struct ts_window {
    ts_ctx *ctx;
    ts_spool *spool;  /* NULL, and no blob: all bytes are in buf */
    ts_blob *blob;    /* or they are there */
    uint64_t of_blob; /* so many */
    uint64_t base;    /* where the part begins */
    uint64_t size;    /* its bytes */
    uint8_t *buf;
    size_t cap;
    uint64_t at; /* of buf among all bytes */
    size_t have;
} ts_window;

/* No bytes; `wanted` of them are expected (UINT64_MAX: not known). */
ts_code ts_window_begin(ts_window *v, uint64_t wanted);
ts_code ts_window_add(ts_window *v, const void *p, size_t n);

/* The bytes are the first n of a blob, which the window closes. */
void ts_window_of_blob(ts_window *v, ts_blob *blob, uint64_t n);

/* Whether the buffer has all bytes, so that pointers into it stay. */
static inline bool ts_window_held(const ts_window *v)
{
    return v->spool == NULL && v->blob == NULL;
}

/* *got bytes of the part from `pos` on, fewer than n only at the end, into `p`; the buffer stays as
 * it is. Of a window whose bytes are not held. Errors: reading. */
ts_code ts_window_read(size_t *got, ts_window *v, uint64_t pos, void *p, size_t n);

/* How many were added. */
uint64_t ts_window_total(const ts_window *v);

/* No more will be added: a window on a part of them. */
void ts_window_part(ts_window *v, uint64_t base, uint64_t size);
void ts_window_free(ts_window *v);

ts_code ts_window_fill(const uint8_t **p, size_t *n, ts_window *v, uint64_t pos, size_t need);

/*
 * *n bytes of the part from `pos` on: at least `need`, fewer only at its end. Borrowed until the
 * next call, and, when all bytes are held, until ts_window_begin. Errors: memory, reading.
 */
static inline ts_code ts_window_get(const uint8_t **p, size_t *n, ts_window *v, uint64_t pos,
                                    size_t need)
{
    uint64_t at = v->base + pos;
    if (pos < v->size && at >= v->at && at - v->at < v->have) {
        uint64_t left = v->size - pos;
        size_t have = v->have - (size_t)(at - v->at);
        *p = v->buf + (size_t)(at - v->at);
        *n = left < have ? (size_t)left : have;
        if (*n >= need || *n == left) {
            return TS_OK;
        }
    }
    return ts_window_fill(p, n, v, pos, need);
}

#endif
