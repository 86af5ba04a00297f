/*
 * The input window of the container reader: where it is, the bytes that wait for a decision, and
 * those that are looked at again. Owned by htrace.c; next_part.c, search.c and segment.c take bytes
 * through it.
 *
 * Every byte of the input is counted exactly once, as imported, skipped or lost, when it is decided
 * what it is. Until then it waits in `head` or belongs to a segment that is under way. Docs:
 * docs/formats.md, ".htrace container".
 */
#ifndef TS_HTRACE_WINDOW_H
#define TS_HTRACE_WINDOW_H

#include "htrace/htrace.h"

enum {
    TS_HTRACE_LOOK = 8,   /* bytes that decide what comes next */
    TS_HTRACE_WINDOW = 64 /* bytes that decide a header, or a segment of a known plugin */
};

typedef struct ts_window {
    uint64_t offset; /* of the next byte */
    uint8_t head[TS_HTRACE_HEADER];
    size_t have;                          /* bytes in head */
    uint8_t replay[2 * TS_HTRACE_HEADER]; /* bytes to be looked at again, before new ones */
    size_t replay_at;
    size_t replay_len;
} ts_window;

/* The offset of head[0]. */
static inline uint64_t ts_window_start(const ts_window *w)
{
    return w->offset - w->have;
}

/* Moves bytes of p[0..n) to head until it has `want`; *used is how many. */
static inline void ts_window_take(size_t *used, ts_window *w, size_t want, const uint8_t *p,
                                  size_t n)
{
    size_t left = want - w->have;
    *used = n < left ? n : left;
    memcpy(w->head + w->have, p, *used);
    w->have += *used;
    w->offset += *used;
}

/* Keeps the first `keep` bytes of head for the caller and has the others looked at again. */
void ts_window_unread(ts_window *w, size_t keep);

/* A length prefix: 4 bytes, little endian. */
static inline uint32_t ts_htrace_prefix(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline bool ts_htrace_all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != 0) {
            return false;
        }
    }
    return true;
}

#endif
