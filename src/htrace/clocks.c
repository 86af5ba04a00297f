/*
 * Which clocks a recording has, and how they are found in time.
 *
 * The first snapshot that names a clock counts for the whole input: that of a header, or of an
 * ftrace segment. It must be known before rows with times are written. So, when the input can be
 * read at random, a second reader without a store runs ahead over the framing, skipping all that it
 * need not see, until it meets one. In a pipe a late snapshot is an issue, with the number of
 * segments that came before it.
 *
 * A snapshot is doubted when no segment begins directly after the header that it is from: bytes of
 * the header may be missing, and its clocks with them. Then times that count from them are unknown,
 * and the row of clock_snapshot keeps no time. A reading of an ftrace segment
 * beyond 64 bits of ns does not count.
 */
#include "htrace/state.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "htrace/pbc.h"

#include "common.pb-c.h"

#include <inttypes.h>

enum { FIELD_CLOCKS_DETAIL = 6 };

/* --- clock readings in an ftrace result ------------------------------------------------------- */

static ts_code detail_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    ts_clock_scan *scan = user;
    *want = field == FIELD_CLOCKS_DETAIL && n <= sizeof scan->detail;
    scan->have = 0;
    return TS_OK;
}

static ts_code detail_bytes(void *user, uint32_t field, const uint8_t *p, size_t n)
{
    ts_clock_scan *scan = user;
    (void)field;
    memcpy(scan->detail + scan->have, p, n); /* detail_begin saw that all of it fits */
    scan->have += n;
    return TS_OK;
}

static void take_reading(ts_clock_set *set, const Ts__ClockDetailMsg *msg)
{
    uint64_t at;
    if (msg->id < TS_CLOCK_BOOTTIME || msg->id > TS_CLOCK_MONOTONIC_RAW || msg->time == NULL) {
        return;
    }
    if (ts_ckd_mul(&at, msg->time->tv_sec, UINT64_C(1000000000)) ||
        ts_ckd_add(&at, at, msg->time->tv_nsec) || at > INT64_MAX) {
        return; /* no clock shows such a time */
    }
    set->at[msg->id] = at;
}

static ts_code detail_end(void *user, uint32_t field, bool complete)
{
    ts_clock_scan *scan = user;
    Ts__ClockDetailMsg *msg;
    ts_pbc pbc;
    if (field != FIELD_CLOCKS_DETAIL || !complete || scan->have == 0) {
        return TS_OK;
    }
    ts_pbc_init(&pbc, scan->ctx);
    msg = ts__clock_detail_msg__unpack(&pbc.allocator, scan->have, scan->detail);
    if (msg == NULL) {
        return pbc.failed ? scan->ctx->error.code : TS_OK;
    }
    take_reading(&scan->set, msg);
    ts__clock_detail_msg__free_unpacked(msg, &pbc.allocator);
    return TS_OK;
}

void ts_clock_scan_begin(ts_clock_scan *scan, ts_ctx *ctx, uint64_t size)
{
    static const ts_wire_handler handler = {
        .begin = detail_begin, .bytes = detail_bytes, .end = detail_end};
    scan->ctx = ctx;
    scan->have = 0;
    scan->set = (ts_clock_set){0};
    ts_wire_push_init(&scan->wire, &handler, scan, size);
}

ts_code ts_clock_scan_feed(ts_clock_scan *scan, const uint8_t *p, size_t n)
{
    return ts_wire_push_feed(&scan->wire, p, n);
}

/* --- the clocks of the input ------------------------------------------------------------------ */

static unsigned count_clocks(const ts_clock_set *set)
{
    unsigned n = 0;
    for (size_t i = 0; i < TS_CLOCK_COUNT; i++) {
        n += set->at[i] != 0;
    }
    return n;
}

ts_code ts_htrace_take_clocks(ts_htrace *h, const ts_clock_set *set, const char *where,
                              uint64_t offset)
{
    unsigned n = count_clocks(set);
    ts_code code;
    if (h->clocks.known || n == 0) {
        return TS_OK;
    }
    h->clocks.known = true;
    h->clocks.set = *set;
    h->clocks.offset = offset;
    if (h->store == NULL) {
        return TS_OK;
    }
    h->clocks.row = ts_sink_rows(ts_store_sink(h->store), TS_T_clock_snapshot);
    TS_TRY_INTO(code, ts_clock_snapshot(h->store, set));
    TS_TRY_INTO(code, ts_source_property(h->store, h->config.source_id, "clock_snapshot",
                                         ts_text_of(where)));
    for (size_t i = 0; i < TS_CLOCK_COUNT && code == TS_OK; i++) {
        if (set->at[i] > INT64_MAX) {
            code = ts_htrace_issue(h, time_overflow, NULL, offset,
                                   "clock %s shows %" PRIu64 " ns, beyond 64 bit nanoseconds",
                                   ts_clock_name((ts_clock)i), set->at[i]);
        }
    }
    TS_STEP_IF(code, n == 1,
               ts_htrace_issue(h, one_clock_only, NULL, offset,
                               "the snapshot in the %s holds one clock", where));
    TS_STEP_IF(code, h->host.timed > 0,
               ts_htrace_issue(h, late_clock_snapshot, NULL, offset,
                               "the first snapshot follows %" PRIu64 " segments that have times",
                               h->host.timed));
    return code;
}

ts_code ts_htrace_doubt_clocks(ts_htrace *h, uint64_t at)
{
    ts_sink *sink;
    uint64_t rows;
    ts_code code;
    if (!h->clocks.known || h->clocks.set.doubted || h->host.delivered > 0 || h->store == NULL ||
        h->clocks.offset != h->section.start || at != h->section.start + TS_HTRACE_HEADER) {
        return TS_OK;
    }
    h->clocks.set.doubted = true;
    h->account.has_start = false;
    h->account.has_end = false;
    sink = ts_store_sink(h->store);
    rows = ts_sink_rows(sink, TS_T_clock_snapshot);
    code = ts_htrace_issue(h, values_doubted, NULL, h->section.start,
                           "no segment begins after the header: bytes of it may have been taken "
                           "out or put in, and times that count from its clocks are not known");
    return code != TS_OK || rows == h->clocks.row
               ? code
               : ts_sink_invalidate(sink, TS_T_clock_snapshot, (int64_t)h->clocks.row + 1,
                                    (int64_t)rows, TS_NULL_BIT(clock_snapshot, ts));
}

/* Lets a second reader, which records nothing, run over the framing until it meets clocks. */
static ts_code scan_framing(ts_htrace *ahead, const ts_htrace_config *config, uint8_t *block)
{
    uint64_t off = ahead->in.offset;
    size_t want = TS_HTRACE_SCAN_FIRST;
    while (!ahead->clocks.known) {
        size_t got = 0;
        uint64_t unseen;
        ts_code code = ts_check_cancel(ahead->ctx);
        TS_STEP(code, config->read_at(config->blob_user, &got, off, block, want));
        if (code != TS_OK) {
            return code;
        }
        if (got == 0) {
            return TS_OK;
        }
        code = ts_htrace_run(ahead, block, got);
        unseen = ts_htrace_unseen(ahead);
        TS_STEP_IF(code, unseen > 0, ts_htrace_skip(ahead, unseen));
        if (code != TS_OK) {
            return code;
        }
        /* After a large segment was passed over a small read is enough to see the next one. */
        want = unseen > 0                        ? TS_HTRACE_SCAN_FIRST
               : want < TS_HTRACE_SCAN_BLOCK / 2 ? want * 2
                                                 : TS_HTRACE_SCAN_BLOCK;
        if (ts_ckd_add(&off, off, got + unseen) || off > INT64_MAX) {
            return TS_OK;
        }
    }
    return TS_OK;
}

ts_code ts_htrace_scan_ahead(ts_htrace *h, uint64_t offset)
{
    ts_htrace_config config = {.source_id = h->config.source_id, .hold = h->segments.hold};
    ts_htrace *ahead = NULL;
    uint8_t *block = NULL;
    ts_code code;
    if (h->store == NULL || h->config.read_at == NULL || !ts_clocks_wanted(&h->clocks)) {
        return TS_OK;
    }
    h->clocks.scanned_ahead = true;
    code = ts_htrace_new(&ahead, h->ctx, NULL, &config);
    if (code != TS_OK) {
        goto out;
    }
    ahead->in.offset = offset;
    block = ts_alloc(h->ctx, TS_HTRACE_SCAN_BLOCK, 1);
    if (block == NULL) {
        code = h->ctx->error.code;
        goto out;
    }
    code = scan_framing(ahead, &h->config, block);
    TS_STEP_IF(code, ahead->clocks.known,
               ts_htrace_take_clocks(h, &ahead->clocks.set, "recording, read ahead",
                                     ahead->clocks.offset));
out:
    ts_free(h->ctx, block);
    ts_htrace_free(ahead);
    return code;
}

/* --- times of rows ---------------------------------------------------------------------------- */

int64_t ts_htrace_time(ts_clock *clock, ts_htrace_times *times, ts_clock from, int64_t ts)
{
    int64_t out;
    *clock = from;
    if (ts == TS_NO_TIME) {
        return ts;
    }
    if (times->clocks != NULL &&
        ts_clock_convert(&out, times->clocks, from, TS_CLOCK_BOOTTIME, ts)) {
        *clock = TS_CLOCK_BOOTTIME;
        times->over += out == TS_NO_TIME && !times->clocks->doubted ? 1 : 0;
        return out;
    }
    if (times->clocks != NULL && times->clocks->at[TS_CLOCK_BOOTTIME] != 0) {
        times->missing = true;
        times->missing_clock = from;
    }
    return ts;
}

ts_code ts_htrace_times_finish(const ts_htrace_times *times, ts_store *store, int64_t source_id,
                               const char *plugin)
{
    ts_code code = TS_OK;
    if (times->missing) {
        code = ts_issue(store, source_id, TS_ISSUE_clock_missing, plugin, TS_NO_OFFSET,
                        "the clock snapshot has no %s; outer times stay in it",
                        ts_clock_name(times->missing_clock));
    }
    if (code == TS_OK && times->over > 0) {
        code =
            ts_issue_n(store, source_id, TS_ISSUE_time_overflow, plugin, TS_NO_OFFSET, times->over,
                       "outer times do not fit into 64 bits of nanoseconds of the trace clock");
    }
    return code;
}
