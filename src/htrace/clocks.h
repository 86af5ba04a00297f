/*
 * Clock snapshots: those of headers and of ftrace segments, and the scan ahead that finds late
 * ones. Owned by clocks.c. Docs: docs/formats.md, ".htrace container".
 */
#ifndef TS_HTRACE_CLOCKS_H
#define TS_HTRACE_CLOCKS_H

#include "htrace/htrace.h"
#include "wire/wire.h"

enum {
    TS_HTRACE_SCAN_FIRST = 4 * 1024,
    TS_HTRACE_SCAN_BLOCK = 64 * 1024,
    TS_HTRACE_CLOCK_DETAIL = 256 /* a longer clock reading is none */
};

/* Reads the clock readings out of an ftrace result that comes in pieces. */
typedef struct ts_clock_scan {
    ts_wire_push wire;
    uint8_t detail[TS_HTRACE_CLOCK_DETAIL];
    size_t have;
    ts_clock_set set;
    ts_ctx *ctx;
} ts_clock_scan;

typedef struct ts_htrace_clock_state {
    bool known;
    bool scanned_ahead; /* the whole file was looked through for clocks */
    ts_clock_set set;   /* plugins see it through ts_plugin_host.clocks */
    uint64_t offset;    /* of the header or segment that they are from */
    uint64_t row;       /* rows of clock_snapshot before theirs */
    ts_clock_scan scan; /* of the segment under way */
} ts_htrace_clock_state;

/* size: bytes of the result. */
void ts_clock_scan_begin(ts_clock_scan *scan, ts_ctx *ctx, uint64_t size);
ts_code ts_clock_scan_feed(ts_clock_scan *scan, const uint8_t *p, size_t n);

/* Takes these clocks when none are known. `where` is for messages. */
ts_code ts_htrace_take_clocks(ts_htrace *h, const ts_clock_set *set, const char *where,
                              uint64_t offset);

/*
 * The bytes at `at` are no segment. Directly after the header that the clocks are from, this
 * header may have lost or got bytes: they are not believed. An issue says so. Errors: memory.
 */
ts_code ts_htrace_doubt_clocks(ts_htrace *h, uint64_t at);

/* Looks for the first clocks from the header at `offset` on, when the input can be read at random.
 */
ts_code ts_htrace_scan_ahead(ts_htrace *h, uint64_t offset);

/* Whether data of ftrace segments has to be looked into. */
static inline bool ts_clocks_wanted(const ts_htrace_clock_state *clocks)
{
    return !clocks->known && !clocks->scanned_ahead;
}

#endif
