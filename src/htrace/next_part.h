/*
 * What comes next: a header, a segment, zeros, or nothing that can be trusted (next_part.c, which
 * has no state of its own). Docs: docs/formats.md, ".htrace container".
 *
 * Bytes are taken and judged in two steps, so that bytes which were looked at can be given back in
 * between: `take` moves some of p[0..n), n > 0, into the reader (*used, at least one unless the
 * state changed); `settle` then decides when enough of them are there, or when the input has ended.
 */
#ifndef TS_HTRACE_NEXT_H
#define TS_HTRACE_NEXT_H

#include "htrace/htrace.h"

enum {
    TS_HTRACE_ZEROS = 256 * 1024, /* so many zero bytes are reserved space, not segments */
    TS_HTRACE_HOLE = 4096,        /* so many zero bytes are a hole where something was */
    TS_HTRACE_BLOCK = 512         /* of a file system, the smallest */
};

ts_code ts_htrace_take_next(size_t *used, ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_htrace_settle_next(ts_htrace *h, bool at_end);
ts_code ts_htrace_settle_crossing(ts_htrace *h, bool at_end);

ts_code ts_htrace_take_zeros(size_t *used, ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_htrace_end_zeros(ts_htrace *h, bool at_end);

#endif
