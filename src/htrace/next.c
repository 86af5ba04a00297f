#include "htrace/private.h"

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

static uint32_t prefix(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != 0) {
            return false;
        }
    }
    return true;
}

/* The section ends in 1 to 3 bytes: its length is right when a header seems to follow it. The input
 * may end even before that. */
static next_kind classify_residue(const ts_htrace *h, size_t left, const uint8_t *p, size_t n)
{
    if (n < left) {
        return NEXT_TAIL;
    }
    if (n < TS_HTRACE_LOOK || memcmp(p + left, "OHOSPROF", n - left) == 0 ||
        !ts_segment_plausible(h, prefix(p), p + 4, n - 4)) {
        return NEXT_RESIDUE;
    }
    return NEXT_SEGMENT;
}

/* Judges p[0..n), which is TS_HTRACE_LOOK bytes or all that is left of the input, n > 0. */
static next_kind classify(const ts_htrace *h, uint64_t at, const uint8_t *p, size_t n)
{
    uint64_t left = h->bounded ? h->section_end - at : UINT64_MAX;
    uint32_t size;
    bool plausible;
    if (ts_htrace_magic(p, n)) {
        return NEXT_HEADER;
    }
    if (left == 0 && all_zero(p, n)) {
        return NEXT_ZEROS;
    }
    if (left > 0 && left < 4) {
        return classify_residue(h, (size_t)left, p, n);
    }
    if (n < 4) {
        return all_zero(p, n) ? NEXT_ZEROS : NEXT_TAIL;
    }
    size = prefix(p);
    if (size == 0) {
        return NEXT_ZEROS;
    }
    if (h->bounded && left >= 4 && size <= left - 4) {
        return NEXT_SEGMENT;
    }
    plausible = ts_segment_plausible(h, size, p + 4, n - 4);
    if (h->bounded && left > 0) {
        return plausible ? NEXT_CROSSING : NEXT_UNKNOWN;
    }
    return plausible ? NEXT_SEGMENT : NEXT_UNKNOWN;
}

/* Bytes in head stand at and after this offset. */
static uint64_t head_start(const ts_htrace *h)
{
    return h->offset - h->have;
}

ts_code ts_htrace_take_next(size_t *used, ts_htrace *h, const uint8_t *p, size_t n)
{
    size_t room = TS_HTRACE_LOOK - h->have;
    /* The usual case: everything is at hand and nothing has to be looked at twice. */
    if (h->have == 0 && n >= TS_HTRACE_LOOK && (!h->bounded || h->section_end - h->offset >= 4) &&
        classify(h, h->offset, p, TS_HTRACE_LOOK) == NEXT_SEGMENT) {
        *used = 4;
        h->offset += 4;
        return ts_segment_begin(h, prefix(p), false, n - 4);
    }
    *used = n < room ? n : room;
    memcpy(h->head + h->have, p, *used);
    h->have += *used;
    h->offset += *used;
    return TS_OK;
}

static ts_code begin_segment(ts_htrace *h, bool crosses)
{
    uint32_t size = prefix(h->head);
    ts_htrace_unread(h, 4);
    h->have = 0;
    return ts_segment_begin(h, size, crosses, 0);
}

/* A header where the section should go on: its length was too large. */
static ts_code header_early(ts_htrace *h)
{
    uint64_t left = h->section_end - head_start(h);
    if (left == 4 * h->section_segments) {
        return ts_htrace_issue(h, header_length_long, NULL, h->section_start,
                               "the header's length is %" PRIu64 " bytes too large: it counts 8 "
                               "bytes for each length prefix of 4",
                               left);
    }
    return ts_htrace_issue(h, header_length_wrong, NULL, h->section_start,
                           "the next header stands %" PRIu64 " bytes before the end of the section",
                           left);
}

/* More segments after the end that the header declares. */
static ts_code go_beyond(ts_htrace *h)
{
    h->bounded = false;
    return ts_htrace_issue(h, header_length_short, NULL, h->section_start,
                           "segments go on after the %" PRIu64 " bytes that the header declares",
                           h->header.length);
}

static ts_code lose_tail(ts_htrace *h, uint64_t at, uint64_t n)
{
    h->have = 0;
    ts_tally_add(h->bytes, TS_LOST, n);
    ts_htrace_note_gap(h, at);
    return ts_htrace_issue(h, trailing_bytes, NULL, at,
                           "%" PRIu64 " bytes are too few for a segment's length", n);
}

/* Nothing that can be trusted. */
static ts_code lose_way(ts_htrace *h)
{
    uint64_t at = head_start(h);
    uint64_t left = h->bounded ? h->section_end - at : 0;
    ts_code code = ts_htrace_doubt_clocks(h, at);
    if (code != TS_OK) {
        return code;
    }
    if (left > 0) {
        code = ts_htrace_issue(h, segment_crosses_section, NULL, at,
                               "a segment of %" PRIu64 " bytes with %" PRIu64
                               " bytes left in its section",
                               (uint64_t)prefix(h->head), left);
    } else if (!h->bounded && h->raw_kind == NULL) {
        code = ts_htrace_issue(h, segment_bad_wire, NULL, at, "no segment begins where one should");
    }
    if (code == TS_OK && !h->bounded) {
        code = ts_htrace_stat(h, "other", "invalid_data", 1);
    }
    ts_htrace_begin_search(h, false);
    return code;
}

ts_code ts_htrace_settle_next(ts_htrace *h, bool at_end)
{
    next_kind kind;
    bool past;
    ts_code code = TS_OK;
    if (h->have == 0 || (h->have < TS_HTRACE_LOOK && !at_end)) {
        return TS_OK;
    }
    kind = classify(h, head_start(h), h->head, h->have);
    past = h->bounded && h->section_end - head_start(h) < 4;
    switch (kind) {
    case NEXT_HEADER:
        if (h->bounded && head_start(h) < h->section_end && h->raw_kind == NULL) {
            code = header_early(h);
        }
        h->state = TS_AT_HEADER;
        return code;
    case NEXT_SEGMENT:
        if (past) {
            code = go_beyond(h);
        }
        return code == TS_OK ? begin_segment(h, false) : code;
    case NEXT_CROSSING:
        return begin_segment(h, true);
    case NEXT_ZEROS:
        h->bounded = h->bounded && !past;
        h->zero_start = head_start(h);
        ts_htrace_unread(h, 0);
        h->state = TS_AT_ZEROS;
        return TS_OK;
    case NEXT_RESIDUE:
        ts_htrace_unread(h, (size_t)(h->section_end - head_start(h)));
        return lose_tail(h, head_start(h), h->have);
    case NEXT_TAIL:
        return lose_tail(h, head_start(h), h->have);
    case NEXT_UNKNOWN:
        break;
    }
    return lose_way(h);
}

/* --- a segment at the declared end of its section ----------------------------------------------
 */

ts_code ts_htrace_settle_crossing(ts_htrace *h, bool at_end)
{
    bool header = ts_htrace_magic(h->head, h->have);
    ts_code code;
    if (h->have < TS_HTRACE_LOOK && !at_end) {
        return TS_OK;
    }
    ts_htrace_unread(h, 0);
    if (!header && h->replay_at < h->replay_len) {
        h->state = TS_AT_SEGMENT; /* there is more of it: the header's length is what is wrong */
        return go_beyond(h);
    }
    code = ts_htrace_issue(h, segment_crosses_section, NULL, h->segment.start,
                           "a segment of %" PRIu64 " bytes has only %" PRIu64
                           " before its section ends",
                           h->segment.wire.size, h->offset - h->segment.start - 4);
    if (code == TS_OK) {
        code = ts_segment_finish(h, true);
    }
    ts_htrace_note_gap(h, h->offset);
    return code;
}

/* --- zero bytes --------------------------------------------------------------------------------
 */

ts_code ts_htrace_take_zeros(size_t *used, ts_htrace *h, const uint8_t *p, size_t n)
{
    size_t i = 0;
    if (h->bounded && n > h->section_end - h->offset) {
        n = (size_t)(h->section_end - h->offset);
    }
    while (i < n && p[i] == 0) {
        i++;
    }
    *used = i;
    h->offset += i;
    if (i < n || (h->bounded && h->offset == h->section_end)) {
        return ts_htrace_end_zeros(h, false);
    }
    return TS_OK;
}

/* So many zeros that no one wrote them. */
static ts_code end_reserved(ts_htrace *h, uint64_t zeros)
{
    ts_tally_add(h->bytes, TS_SKIPPED, zeros);
    return ts_htrace_issue(h, zero_run, NULL, h->zero_start,
                           "%" PRIu64 " zero bytes were reserved and never written", zeros);
}

/* Zeros in the middle of segments: something stood there. */
static ts_code end_hole(ts_htrace *h, uint64_t zeros)
{
    ts_tally_add(h->bytes, TS_LOST, zeros);
    ts_htrace_note_gap(h, h->zero_start);
    return ts_htrace_issue(h, segment_bad_wire, NULL, h->zero_start,
                           "a hole of %" PRIu64 " zero bytes", zeros);
}

static ts_code end_empty(ts_htrace *h, uint64_t zeros)
{
    uint64_t n = zeros / 4;
    ts_code code = ts_htrace_stat(h, "other", "invalid_data", n);
    ts_tally_add(h->bytes, TS_SKIPPED, zeros);
    ts_tally_add(h->segments, TS_SKIPPED, n);
    h->section_segments += n;
    if (code == TS_OK && h->store != NULL && n > 0) {
        code = ts_issue_n(h->store, h->config.source_id, TS_ISSUE_segment_empty, NULL,
                          (int64_t)h->zero_start, n, "%" PRIu64 " segments of no bytes", n);
    }
    return code;
}

/* Zero bytes that may be the low bytes of the next length are given back: they go to head. */
static uint64_t keep_zeros(ts_htrace *h, uint64_t zeros, uint64_t keep)
{
    memset(h->head, 0, (size_t)keep);
    h->have = (size_t)keep;
    return zeros - keep;
}

ts_code ts_htrace_end_zeros(ts_htrace *h, bool at_end)
{
    uint64_t zeros = h->offset - h->zero_start;
    bool at_limit = h->bounded && h->offset == h->section_end;
    ts_code code;
    h->state = TS_AT_NEXT;
    h->have = 0;
    if (at_end && zeros < 4) {
        return lose_tail(h, h->zero_start, zeros);
    }
    if (at_end) {
        return end_reserved(h, zeros);
    }
    if (at_limit) {
        return zeros >= TS_HTRACE_HOLE ? end_reserved(h, zeros) : end_empty(h, zeros);
    }
    /* What was lost and reads as zeros are whole blocks of a file system. */
    if (zeros % TS_HTRACE_BLOCK > 3 && (code = ts_htrace_doubt_clocks(h, h->zero_start)) != TS_OK) {
        return code;
    }
    if (zeros < TS_HTRACE_HOLE) {
        return end_empty(h, keep_zeros(h, zeros, zeros % 4));
    }
    zeros = keep_zeros(h, zeros, 3);
    code = !h->bounded && zeros >= TS_HTRACE_ZEROS ? end_reserved(h, zeros) : end_hole(h, zeros);
    ts_htrace_begin_search(h, false);
    return code;
}

/* --- the end of a section ----------------------------------------------------------------------
 */

ts_code ts_htrace_close_section(ts_htrace *h)
{
    uint64_t declared = h->header.pieces;
    uint64_t found = h->section_segments;
    h->section_segments = 0;
    h->header.pieces = 0; /* once: the end of a file and the next header both end a section */
    if (!h->any_section || h->raw_kind != NULL || declared == 0 || declared == found ||
        declared == 2 * found) {
        return TS_OK;
    }
    if (declared > 2 * found) { /* prefixes and bodies count, as devices do it */
        uint64_t missing = (declared + 1) / 2 - found;
        ts_tally_add(h->segments, TS_LOST, missing);
        return ts_htrace_issue(h, header_segments_missing, NULL, h->section_start,
                               "the header counts %" PRIu64 " prefixes and bodies, %" PRIu64
                               " segments are there",
                               declared, found);
    }
    return ts_htrace_issue(h, header_segments_mismatch, NULL, h->section_start,
                           "the header counts %" PRIu64 " prefixes and bodies, %" PRIu64
                           " segments are there",
                           declared, found);
}
