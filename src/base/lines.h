/*
 * Lines of a text out of blocks of any size. Memory: the longest line that a block divides, up to
 * `max` bytes.
 */
#ifndef TS_BASE_LINES_H
#define TS_BASE_LINES_H

#include "base/buf.h"

#include <stdint.h>

/* Set max, zero-initialise the rest. Free `held`. */
typedef struct ts_lines {
    size_t max;
    ts_buf held;
    bool too_long;   /* the line is longer than max: what is handed out is its beginning */
    uint64_t number; /* of the line that is handed out, from 1 */
    uint64_t at;     /* offset of its beginning */
    uint64_t fed;
} ts_lines;

/* A line without LF and the CR before it; borrowed for the call. */
typedef ts_code ts_line_call(void *user, ts_text line);

/* Errors: memory, and those of the calls. */
ts_code ts_lines_feed(ts_ctx *ctx, ts_lines *lines, ts_line_call *call, void *user, const void *p,
                      size_t n);

/* Is there a last line without LF? */
static inline bool ts_lines_open(const ts_lines *lines)
{
    return lines->held.n > 0;
}

#endif
