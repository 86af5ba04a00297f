/*
 * What follows a segment, a section or a gap, decided from at most TS_HTRACE_LOOK bytes.
 *
 * The header's length and the bytes may disagree, and either may be wrong. A header is believed by
 * its magic, a segment inside its section by its length alone, and a segment anywhere else only
 * when it also begins as one (ts_segment_plausible). A section that goes on after its declared end
 * becomes unbounded (header_length_short); a segment that reaches over that end is read up to it,
 * and the next bytes show which of the two lengths was wrong (TS_AT_CROSSING).
 *
 * Zeros are empty segments, a block that was lost, or space that was reserved and never written,
 * depending on their number and on where they end. Anything else begins a search for the next place
 * that can be trusted. Losses are noted as gaps, of which plugins learn before their next segment.
 */
#include "htrace/state.h"

#include <inttypes.h>

/* What comes next. */
typedef enum next_kind {
    NEXT_HEADER,
    NEXT_SEGMENT,
    NEXT_CROSSING, /* a segment that reaches beyond the end of its section */
    NEXT_ZEROS,
    NEXT_RESIDUE, /* too few bytes for a prefix before the section ends */
    NEXT_TAIL,    /* too few bytes for a prefix before the input ends */
    NEXT_UNKNOWN
} next_kind;

/* The section ends in 1 to 3 bytes: its length is right when a header seems to follow it. The input
 * may end even before that. */
static next_kind classify_residue(const ts_htrace *h, size_t left, const uint8_t *p, size_t n)
{
    if (n < left) {
        return NEXT_TAIL;
    }
    if (n < TS_HTRACE_LOOK || memcmp(p + left, "OHOSPROF", n - left) == 0 ||
        !ts_segment_plausible(h, ts_htrace_prefix(p), p + 4, n - 4)) {
        return NEXT_RESIDUE;
    }
    return NEXT_SEGMENT;
}

/* Judges p[0..n), which is TS_HTRACE_LOOK bytes or all that is left of the input, n > 0. */
static next_kind classify(const ts_htrace *h, uint64_t at, const uint8_t *p, size_t n)
{
    uint64_t left = h->section.bounded ? h->section.end - at : UINT64_MAX;
    uint32_t size;
    bool plausible;
    if (ts_htrace_magic(p, n)) {
        return NEXT_HEADER;
    }
    if (left == 0 && ts_htrace_all_zero(p, n)) {
        return NEXT_ZEROS;
    }
    if (left > 0 && left < 4) {
        return classify_residue(h, (size_t)left, p, n);
    }
    if (n < 4) {
        return ts_htrace_all_zero(p, n) ? NEXT_ZEROS : NEXT_TAIL;
    }
    size = ts_htrace_prefix(p);
    if (size == 0) {
        return NEXT_ZEROS;
    }
    if (h->section.bounded && left >= 4 && size <= left - 4) {
        return NEXT_SEGMENT;
    }
    plausible = ts_segment_plausible(h, size, p + 4, n - 4);
    if (h->section.bounded && left > 0) {
        return plausible ? NEXT_CROSSING : NEXT_UNKNOWN;
    }
    return plausible ? NEXT_SEGMENT : NEXT_UNKNOWN;
}

ts_code ts_htrace_take_next(size_t *used, ts_htrace *h, const uint8_t *p, size_t n)
{
    /* The usual case: everything is at hand and nothing has to be looked at twice. */
    if (h->in.have == 0 && n >= TS_HTRACE_LOOK &&
        (!h->section.bounded || h->section.end - h->in.offset >= 4) &&
        classify(h, h->in.offset, p, TS_HTRACE_LOOK) == NEXT_SEGMENT) {
        *used = 4;
        h->in.offset += 4;
        return ts_segment_begin(h, ts_htrace_prefix(p), false, n - 4);
    }
    ts_window_take(used, &h->in, TS_HTRACE_LOOK, p, n);
    return TS_OK;
}

static ts_code begin_segment(ts_htrace *h, bool crosses)
{
    uint32_t size = ts_htrace_prefix(h->in.head);
    ts_window_unread(&h->in, 4);
    h->in.have = 0;
    return ts_segment_begin(h, size, crosses, 0);
}

/* A header where the section should go on: its length was too large. */
static ts_code header_early(ts_htrace *h)
{
    uint64_t left = h->section.end - ts_window_start(&h->in);
    if (left == 4 * h->section.segments) {
        return ts_section_length_long(h, left);
    }
    return ts_htrace_issue(h, header_length_wrong, NULL, h->section.start,
                           "the next header is %" PRIu64 " bytes before the end of the section",
                           left);
}

/* More segments after the end that the header declares. */
static ts_code go_beyond(ts_htrace *h)
{
    h->section.bounded = false;
    return ts_htrace_issue(h, header_length_short, NULL, h->section.start,
                           "segments go on after the %" PRIu64 " bytes that the header declares",
                           h->section.header.length);
}

static ts_code lose_tail(ts_htrace *h, uint64_t at, uint64_t n)
{
    h->in.have = 0;
    ts_tally_add(h->account.bytes, TS_LOST, n);
    ts_htrace_note_gap(h, at);
    return ts_htrace_issue(h, trailing_bytes, NULL, at,
                           "%" PRIu64 " bytes are too few for a segment's length", n);
}

/* Nothing that can be trusted. */
static ts_code begin_resync(ts_htrace *h)
{
    uint64_t at = ts_window_start(&h->in);
    uint64_t left = h->section.bounded ? h->section.end - at : 0;
    ts_code code;
    TS_TRY_INTO(code, ts_htrace_doubt_clocks(h, at));
    if (left > 0) {
        code = ts_htrace_issue(h, segment_crosses_section, NULL, at,
                               "a segment of %" PRIu64 " bytes with %" PRIu64
                               " bytes left in its section",
                               (uint64_t)ts_htrace_prefix(h->in.head), left);
    } else if (!h->section.bounded && h->section.raw_kind == NULL) {
        code = ts_htrace_issue(h, segment_bad_wire, NULL, at, "no segment begins where one should");
    }
    TS_STEP_IF(code, !h->section.bounded, ts_htrace_stat(h, "other", "invalid_data", 1));
    ts_htrace_begin_search(h, false);
    return code;
}

ts_code ts_htrace_settle_next(ts_htrace *h, bool at_end)
{
    next_kind kind;
    bool past;
    ts_code code = TS_OK;
    if (h->in.have == 0 || (h->in.have < TS_HTRACE_LOOK && !at_end)) {
        return TS_OK;
    }
    kind = classify(h, ts_window_start(&h->in), h->in.head, h->in.have);
    past = h->section.bounded && h->section.end - ts_window_start(&h->in) < 4;
    switch (kind) {
    case NEXT_HEADER:
        if (h->section.bounded && ts_window_start(&h->in) < h->section.end &&
            h->section.raw_kind == NULL) {
            code = header_early(h);
        }
        h->state = TS_AT_HEADER;
        return code;
    case NEXT_SEGMENT:
        if (past) {
            code = go_beyond(h);
        }
        TS_STEP(code, begin_segment(h, false));
        return code;
    case NEXT_CROSSING:
        return begin_segment(h, true);
    case NEXT_ZEROS:
        h->section.bounded = h->section.bounded && !past;
        h->section.zero_start = ts_window_start(&h->in);
        ts_window_unread(&h->in, 0);
        h->state = TS_AT_ZEROS;
        return TS_OK;
    case NEXT_RESIDUE:
        ts_window_unread(&h->in, (size_t)(h->section.end - ts_window_start(&h->in)));
        return lose_tail(h, ts_window_start(&h->in), h->in.have);
    case NEXT_TAIL:
        return lose_tail(h, ts_window_start(&h->in), h->in.have);
    case NEXT_UNKNOWN:
        break;
    }
    return begin_resync(h);
}

/* --- a segment at the declared end of its section --------------------------------------------- */

ts_code ts_htrace_settle_crossing(ts_htrace *h, bool at_end)
{
    bool header = ts_htrace_magic(h->in.head, h->in.have);
    ts_code code;
    if (h->in.have < TS_HTRACE_LOOK && !at_end) {
        return TS_OK;
    }
    ts_window_unread(&h->in, 0);
    if (!header && h->in.replay_at < h->in.replay_len) {
        h->state = TS_AT_SEGMENT; /* there is more of it: the header's length is what is wrong */
        return go_beyond(h);
    }
    code = ts_htrace_issue(h, segment_crosses_section, NULL, h->segments.now.start,
                           "a segment of %" PRIu64 " bytes has only %" PRIu64
                           " before its section ends",
                           h->segments.now.wire.size, h->in.offset - h->segments.now.start - 4);
    TS_STEP(code, ts_segment_finish(h, true));
    ts_htrace_note_gap(h, h->in.offset);
    return code;
}

/* --- zero bytes ------------------------------------------------------------------------------- */

ts_code ts_htrace_take_zeros(size_t *used, ts_htrace *h, const uint8_t *p, size_t n)
{
    size_t i = 0;
    if (h->section.bounded && n > h->section.end - h->in.offset) {
        n = (size_t)(h->section.end - h->in.offset);
    }
    while (i < n && p[i] == 0) {
        i++;
    }
    *used = i;
    h->in.offset += i;
    if (i < n || (h->section.bounded && h->in.offset == h->section.end)) {
        return ts_htrace_end_zeros(h, false);
    }
    return TS_OK;
}

/* So many zeros that they were reserved and never written. */
static ts_code end_reserved(ts_htrace *h, uint64_t zeros)
{
    ts_tally_add(h->account.bytes, TS_SKIPPED, zeros);
    return ts_htrace_issue(h, zero_run, NULL, h->section.zero_start,
                           "%" PRIu64 " zero bytes were reserved and never written", zeros);
}

/* Zeros in the middle of segments: something was there. */
static ts_code end_hole(ts_htrace *h, uint64_t zeros)
{
    ts_tally_add(h->account.bytes, TS_LOST, zeros);
    ts_htrace_note_gap(h, h->section.zero_start);
    return ts_htrace_issue(h, segment_bad_wire, NULL, h->section.zero_start,
                           "a hole of %" PRIu64 " zero bytes", zeros);
}

static ts_code end_empty(ts_htrace *h, uint64_t zeros)
{
    uint64_t n = zeros / 4;
    ts_code code = ts_htrace_stat(h, "other", "invalid_data", n);
    ts_tally_add(h->account.bytes, TS_SKIPPED, zeros);
    ts_tally_add(h->account.segments, TS_SKIPPED, n);
    h->section.segments += n;
    if (code == TS_OK && h->store != NULL && n > 0) {
        code = ts_issue_n(h->store, h->config.source_id, TS_ISSUE_segment_empty, NULL,
                          (int64_t)h->section.zero_start, n, "%" PRIu64 " segments of no bytes", n);
    }
    return code;
}

/* Zero bytes that may be the low bytes of the next length are given back: they go to head. */
static uint64_t keep_zeros(ts_htrace *h, uint64_t zeros, uint64_t keep)
{
    memset(h->in.head, 0, (size_t)keep);
    h->in.have = (size_t)keep;
    return zeros - keep;
}

ts_code ts_htrace_end_zeros(ts_htrace *h, bool at_end)
{
    uint64_t zeros = h->in.offset - h->section.zero_start;
    bool at_limit = h->section.bounded && h->in.offset == h->section.end;
    ts_code code;
    h->state = TS_AT_NEXT;
    h->in.have = 0;
    if (at_end && zeros < 4) {
        return lose_tail(h, h->section.zero_start, zeros);
    }
    if (at_end) {
        return end_reserved(h, zeros);
    }
    if (at_limit) {
        return zeros >= TS_HTRACE_HOLE ? end_reserved(h, zeros) : end_empty(h, zeros);
    }
    /* What was lost and reads as zeros are whole blocks of a file system. */
    if (zeros % TS_HTRACE_BLOCK > 3 &&
        (code = ts_htrace_doubt_clocks(h, h->section.zero_start)) != TS_OK) {
        return code;
    }
    if (zeros < TS_HTRACE_HOLE) {
        return end_empty(h, keep_zeros(h, zeros, zeros % 4));
    }
    zeros = keep_zeros(h, zeros, 3);
    code = !h->section.bounded && zeros >= TS_HTRACE_ZEROS ? end_reserved(h, zeros)
                                                           : end_hole(h, zeros);
    ts_htrace_begin_search(h, false);
    return code;
}
