/*
 * The container reader as a whole, for the files of this folder and no others. Each part's header
 * describes its state and who changes it:
 *
 *   window.h        the input window: bytes that wait, bytes that are looked at again
 *   section.h       the section under way
 *   next_part.h     what comes next: a header, a segment, zeros, or nothing that can be trusted
 *   search.h        looking for the next place that can be trusted
 *   segment.h       one segment: its fields, and what becomes of it
 *   plugin_host.h   plugins that are open: their segments' data, gaps, the end
 *   plugin_names.h  names of plugins, what is known of them, their counts
 *   clocks.h        clock snapshots of headers and of ftrace segments, the scan ahead
 *   account.h       issues, counts, properties
 *
 * htrace.c has what callers see, new, feed and finish, and the loop over the states.
 */
#ifndef TS_HTRACE_STATE_H
#define TS_HTRACE_STATE_H

#include "htrace/account.h"
#include "htrace/clocks.h"
#include "htrace/next_part.h"
#include "htrace/search.h"
#include "htrace/section.h"
#include "htrace/segment.h"
#include "htrace/window.h"

typedef enum ts_htrace_state {
    TS_AT_HEADER, /* collecting a header */
    TS_AT_NEXT,   /* collecting the bytes that decide what comes next */
    TS_AT_SEGMENT,
    TS_AT_CROSSING, /* like NEXT, at the declared end of a section inside a segment */
    TS_AT_ZEROS,
    TS_AT_RAW, /* a section that is not made of segments */
    TS_AT_SEARCH
} ts_htrace_state;

struct ts_htrace {
    ts_ctx *ctx;
    ts_store *store; /* NULL while scanning ahead: nothing is recorded */
    ts_htrace_config config;
    ts_code failed; /* the code that stopped everything */
    ts_htrace_state state;
    ts_window in;
    ts_section section;
    ts_search search;
    ts_segments segments;
    ts_host host;
    ts_names names;
    ts_htrace_clock_state clocks;
    ts_account account;
};

/* ts_htrace_new; without a store the reader records nothing and has no plugins. */
ts_code ts_htrace_make(ts_htrace **out, ts_ctx *ctx, ts_store *store,
                       const ts_htrace_config *config);

/* Takes all of p[0..n), and all bytes that must be looked at again. */
ts_code ts_htrace_run(ts_htrace *h, const uint8_t *p, size_t n);

/* Bytes that follow next and need not be read; moving on without them. */
uint64_t ts_htrace_unseen(const ts_htrace *h);
ts_code ts_htrace_skip(ts_htrace *h, uint64_t n);

#endif
