/*
 * The loop over the states of the container reader: bytes in, segments out.
 *
 * Each state first takes bytes (htrace_take), then decides when it has enough (htrace_settle).
 * Bytes that decide something are collected in in.head; ts_window_unread gives back those that
 * belong to what follows, and they are taken again (in.replay) before new input. in.offset is the
 * place after the last byte taken; it does not depend on how the input was cut into blocks, nor do
 * rows and issues.
 *
 * Every byte is counted exactly once as imported, skipped or lost. A code other than TS_OK is kept
 * in `failed` and returned by all later calls. Without a store the reader scans ahead for clocks:
 * it records nothing and has no plugins. Bytes that no part needs may be skipped unread
 * (ts_htrace_skip).
 */
#include "htrace/state.h"

#include "base/alloc.h"

#include <inttypes.h>

/* --- making and freeing ----------------------------------------------------------------------- */

/* What only a reader that records has. */
static ts_code open_recording(ts_htrace *h)
{
    ts_code code = ts_readers_open(h);
    return code != TS_OK ? code : ts_htrace_open_counts(h);
}

ts_code ts_htrace_new(ts_htrace **out, ts_ctx *ctx, ts_store *store, const ts_htrace_config *config)
{
    ts_htrace *h = ts_zalloc(ctx, 1, sizeof *h);
    ts_code code;
    *out = NULL;
    TS_NEED(ctx, h);
    h->ctx = ctx;
    h->store = store;
    h->config = *config;
    h->segments.hold = config->hold == 0 ? TS_HTRACE_HOLD : config->hold;
    if (h->segments.hold > ctx->limits.max_message) {
        h->segments.hold = ctx->limits.max_message;
    }
    code = ts_names_open(h);
    TS_STEP_IF(code, store != NULL, open_recording(h));
    if (code != TS_OK) {
        ts_htrace_free(h);
        return code;
    }
    *out = h;
    return TS_OK;
}

void ts_htrace_free(ts_htrace *h)
{
    ts_ctx *ctx;
    if (h == NULL) {
        return;
    }
    ctx = h->ctx;
    ts_readers_close(h);
    ts_names_free(h);
    ts_segments_free(ctx, &h->segments);
    ts_free(ctx, h->section.raw_kind);
    ts_free(ctx, h);
}

const ts_clock_set *ts_htrace_clocks(const ts_htrace *h)
{
    return &h->clocks.set;
}

/* --- headers ---------------------------------------------------------------------------------- */

static ts_code settle_header(ts_htrace *h)
{
    if (h->in.have < TS_HTRACE_HEADER) {
        return TS_OK;
    }
    if (ts_htrace_magic(h->in.head, h->in.have)) {
        return ts_section_open(h);
    }
    ts_htrace_begin_search(h, false);
    return ts_htrace_issue(h, header_bad_magic, NULL, ts_window_start(&h->in),
                           "the input does not begin with OHOSPROF");
}

/* --- sections that are not made of segments --------------------------------------------------- */

static ts_code count_raw(ts_htrace *h, uint64_t n)
{
    h->in.offset += n;
    TS_TRY(ts_htrace_count_raw(h, n));
    if (h->in.offset < h->section.end) {
        return TS_OK;
    }
    h->state = TS_AT_NEXT;
    return ts_raw_end(h, false);
}

static ts_code take_raw(size_t *used, ts_htrace *h, const uint8_t *p, size_t n)
{
    uint64_t left = h->section.end - h->in.offset;
    *used = n < left ? n : (size_t)left;
    TS_TRY(ts_raw_data(h, p, *used));
    return count_raw(h, *used);
}

/* --- the loop --------------------------------------------------------------------------------- */

void ts_window_unread(ts_window *w, size_t keep)
{
    size_t n = w->have - keep;
    size_t rest = w->replay_len - w->replay_at;
    /* Both parts together were in head or replay before: they fit. */
    memmove(w->replay + n, w->replay + w->replay_at, rest);
    memcpy(w->replay, w->head + keep, n);
    w->replay_at = 0;
    w->replay_len = n + rest;
    w->offset -= n;
    w->have = keep;
}

static ts_code htrace_take(size_t *used, ts_htrace *h, const uint8_t *p, size_t n)
{
    *used = 0;
    switch (h->state) {
    case TS_AT_NEXT:
        return ts_htrace_take_next(used, h, p, n);
    case TS_AT_SEGMENT:
        return ts_htrace_take_segment(used, h, p, n);
    case TS_AT_ZEROS:
        return ts_htrace_take_zeros(used, h, p, n);
    case TS_AT_RAW:
        return take_raw(used, h, p, n);
    case TS_AT_RAW_NAME:
        return ts_section_take_raw(used, h, p, n);
    case TS_AT_CROSSING:
        ts_window_take(used, &h->in, TS_HTRACE_LOOK, p, n);
        return TS_OK;
    case TS_AT_HEADER:
    case TS_AT_SEARCH:
        ts_window_take(used, &h->in, TS_HTRACE_HEADER, p, n);
        return TS_OK;
    }
    return ts_fail(h->ctx, TS_ERR_INTERNAL, "the container reader is in an invalid state");
}

static ts_code htrace_settle(ts_htrace *h, bool at_end)
{
    switch (h->state) {
    case TS_AT_NEXT:
        return ts_htrace_settle_next(h, at_end);
    case TS_AT_CROSSING:
        return ts_htrace_settle_crossing(h, at_end);
    case TS_AT_HEADER:
        return settle_header(h);
    case TS_AT_SEARCH:
        return ts_htrace_settle_search(h, at_end);
    case TS_AT_RAW_NAME:
        return ts_section_settle_raw(h, at_end);
    default:
        return TS_OK;
    }
}

ts_code ts_htrace_run(ts_htrace *h, const uint8_t *p, size_t n)
{
    for (;;) {
        bool again = h->in.replay_at < h->in.replay_len;
        size_t len = again ? h->in.replay_len - h->in.replay_at : n;
        size_t used;
        ts_code code;
        if (len == 0) {
            return TS_OK;
        }
        code = htrace_take(&used, h, again ? h->in.replay + h->in.replay_at : p, len);
        if (again) {
            h->in.replay_at += used;
        } else {
            p += used;
            n -= used;
        }
        TS_STEP(code, htrace_settle(h, false));
        if (code != TS_OK) {
            return code;
        }
    }
}

uint64_t ts_htrace_unseen(const ts_htrace *h)
{
    const ts_segment_state *s = &h->segments.now;
    uint64_t unseen;
    uint64_t left;
    if (h->in.replay_at < h->in.replay_len) {
        return 0;
    }
    if (h->state == TS_AT_RAW) {
        return h->section.end - h->in.offset;
    }
    if (h->state != TS_AT_SEGMENT) {
        return 0;
    }
    unseen = ts_wire_push_unseen(&s->wire);
    if (unseen == 0 && s->scanning && s->mode == TS_DATA_SKIP) {
        uint64_t body = ts_wire_push_body(&s->wire);
        unseen = ts_wire_push_unseen(&h->clocks.scan.wire);
        unseen = unseen < body ? unseen : body;
    }
    left = ts_segment_limit(h) - h->in.offset;
    return unseen < left ? unseen : left;
}

ts_code ts_htrace_skip(ts_htrace *h, uint64_t n)
{
    ts_segment_state *s = &h->segments.now;
    ts_code code = TS_OK;
    if (h->state == TS_AT_RAW) {
        return count_raw(h, n);
    }
    if (ts_wire_push_unseen(&s->wire) == 0) {
        code = ts_wire_push_skip(&h->clocks.scan.wire, n);
    }
    TS_STEP(code, ts_wire_push_skip(&s->wire, n));
    h->in.offset += n;
    TS_STEP(code, ts_segment_after(h));
    return code;
}

ts_code ts_htrace_feed(ts_htrace *h, const uint8_t *p, size_t n)
{
    TS_STEP(h->failed, ts_check_cancel(h->ctx));
    TS_STEP(h->failed, ts_htrace_run(h, p, n));
    return h->failed;
}

ts_code ts_htrace_feed_zeros(ts_htrace *h, uint64_t *used, uint64_t n)
{
    uint64_t left =
        h->section.bounded && h->section.end > h->in.offset ? h->section.end - h->in.offset : 0;
    *used = 0;
    if (h->failed != TS_OK || h->in.replay_at < h->in.replay_len || h->section.reader != NULL) {
        return h->failed;
    }
    switch (h->state) {
    case TS_AT_ZEROS: /* the last byte of the section decides something */
        *used = !h->section.bounded ? n : left == 0 ? 0 : n < left - 1 ? n : left - 1;
        h->in.offset += *used;
        break;
    case TS_AT_RAW:
        left = h->section.end - h->in.offset;
        *used = n < left ? n : left;
        h->failed = count_raw(h, *used);
        break;
    case TS_AT_SEARCH: /* what is kept of the bytes before stays the same */
        *used =
            h->in.have >= TS_HTRACE_WINDOW && ts_htrace_all_zero(h->in.head, h->in.have) ? n : 0;
        h->in.offset += *used;
        break;
    default:
        break;
    }
    return h->failed;
}

/* --- the end of a file ------------------------------------------------------------------------ */

static ts_code end_header(ts_htrace *h)
{
    uint64_t at = ts_window_start(&h->in);
    size_t n = h->in.have < TS_HTRACE_MAGIC ? h->in.have : TS_HTRACE_MAGIC;
    h->state = TS_AT_NEXT;
    h->in.have = 0;
    h->section.end_reported = true;
    if (at == h->in.offset) {
        return TS_OK;
    }
    ts_tally_add(h->account.bytes, TS_LOST, h->in.offset - at);
    ts_tally_add(h->account.sections, TS_LOST, 1);
    if (memcmp(h->in.head, "OHOSPROF", n) != 0) {
        return ts_htrace_issue(h, header_bad_magic, NULL, at,
                               "the input does not begin with OHOSPROF");
    }
    h->section.any = true;
    return ts_htrace_issue(h, header_truncated, NULL, at,
                           "a header of 1024 bytes has only %" PRIu64, h->in.offset - at);
}

static ts_code end_segment(ts_htrace *h)
{
    const ts_segment_state *s = &h->segments.now;
    uint64_t have = h->in.offset - s->start;
    ts_code code =
        ts_htrace_issue(h, segment_truncated, s->plugin == NULL ? NULL : s->plugin->name, s->start,
                        "the input ends after %" PRIu64 " of %" PRIu64 " bytes of a segment", have,
                        s->wire.size + 4);
    h->section.end_reported = true;
    TS_STEP(code, ts_segment_finish(h, true));
    ts_htrace_note_gap(h, h->in.offset);
    return code;
}

static ts_code end_raw(ts_htrace *h)
{
    h->state = TS_AT_NEXT;
    h->section.end_reported = true;
    TS_TRY(ts_htrace_issue(h, section_truncated, h->section.raw_kind, h->in.offset,
                           "%" PRIu64 " bytes are missing at the end",
                           h->section.end - h->in.offset));
    return ts_raw_end(h, true);
}

/* All that waits is decided with what there is. Each round takes bytes or leaves its state. */
static ts_code drain(ts_htrace *h)
{
    ts_code code = TS_OK;
    while (code == TS_OK) {
        if (h->state == TS_AT_HEADER) {
            code = end_header(h);
        } else if (h->state == TS_AT_SEGMENT) {
            code = end_segment(h);
        } else if (h->state == TS_AT_RAW) {
            code = end_raw(h);
        } else if (h->state == TS_AT_ZEROS) {
            code = ts_htrace_end_zeros(h, true);
        } else if (h->state == TS_AT_NEXT && h->in.have == 0) {
            return TS_OK;
        } else {
            code = htrace_settle(h, true);
        }
        TS_STEP(code, ts_htrace_run(h, NULL, 0));
    }
    return code;
}

/* A section of segments that ends at a segment's end, but too early. */
static ts_code check_length(ts_htrace *h)
{
    uint64_t missing = h->section.end - h->in.offset;
    if (!h->section.any || !h->section.bounded || h->in.offset >= h->section.end ||
        h->section.end_reported) {
        return TS_OK;
    }
    if (missing == 4 * h->section.segments) {
        return ts_section_length_long(h, missing);
    }
    ts_htrace_note_gap(h, h->in.offset);
    return ts_htrace_issue(h, input_truncated, NULL, h->in.offset,
                           "the header declares %" PRIu64 " bytes more", missing);
}

static ts_code end_file(ts_htrace *h)
{
    ts_code code;
    if (h->failed != TS_OK) {
        return h->failed;
    }
    if ((code = drain(h)) == TS_OK && (code = check_length(h)) == TS_OK) {
        code = ts_section_close(h);
    }
    return code;
}

ts_code ts_htrace_next_file(ts_htrace *h)
{
    h->failed = end_file(h);
    h->state = TS_AT_HEADER;
    h->in.offset = 0;
    h->in.have = 0;
    h->section.bounded = false;
    h->section.end_reported = false;
    h->clocks.scanned_ahead = false;
    return h->failed;
}

ts_code ts_htrace_finish(ts_htrace *h)
{
    h->failed = end_file(h);
    TS_STEP(h->failed, ts_htrace_record_end(h));
    TS_STEP_IF(h->failed, !h->section.any,
               ts_fail(h->ctx, TS_ERR_FORMAT, "there is no .htrace header in the input"));
    TS_STEP_IF(h->failed, (h->failed = ts_readers_finish(h)) == TS_OK, ts_htrace_record_times(h));
    return h->failed;
}
