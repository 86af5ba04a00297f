/*
 * After damage, reading goes on at the next place that can be trusted: a section header, or the
 * length prefix of a segment that begins with the name of a known plugin.
 *
 * The magic alone is not enough, because text inside a recording may hold it: version and data type
 * of the header must fit too. A segment must begin with its name, and its size must be plausible.
 * Only places with TS_HTRACE_WINDOW bytes after them are judged, unless the input has ended; these
 * bytes are kept when more come, so the result does not depend on the size of blocks.
 *
 * Bytes that are passed over are lost and a gap, or those of a raw section whose end is not known
 * (`skips`): there no segment is looked for, only a header, and a plugin that reads it gets them.
 */
#include "htrace/state.h"

#include <inttypes.h>

enum { MAJOR_VERSIONS = 15 };

void ts_htrace_begin_search(ts_htrace *h, bool skips)
{
    h->state = TS_AT_SEARCH;
    h->search.start = ts_window_start(&h->in);
    h->search.skips = skips;
}

/* Text inside a recording may hold the magic too: version and data type tell them apart. */
static bool is_header(const uint8_t *p, size_t n)
{
    uint32_t type;
    if (!ts_htrace_magic(p, n) || n < 60 || p[18] == 0 || p[18] > MAJOR_VERSIONS || p[19] != 0) {
        return false;
    }
    type = ts_htrace_prefix(p + 56);
    return type == TS_HTRACE_TYPE_SEGMENTS || type == TS_HTRACE_TYPE_HIPERF ||
           type == TS_HTRACE_TYPE_STANDALONE || type == TS_HTRACE_TYPE_UNKNOWN;
}

static bool is_segment(const ts_htrace *h, const uint8_t *p, size_t n)
{
    const char *name = (const char *)p + 6;
    const ts_plugin_name *as;
    uint32_t size;
    size_t len;
    if (n < 7 || p[4] != 0x0a) {
        return false;
    }
    len = p[5];
    size = ts_htrace_prefix(p);
    if (len == 0 || len > n - 6 || size < len + 2 || !ts_segment_plausible(h, size, p + 4, n - 4)) {
        return false;
    }
    return ts_plugin_find(name, len) != NULL || ts_reader_find(&as, h, name, len) != NULL;
}

/* The first trusted place in head that can be judged; `have` when there is none. */
static size_t find_place(const ts_htrace *h, bool at_end)
{
    size_t last = at_end ? h->in.have : h->in.have - TS_HTRACE_WINDOW;
    for (size_t i = 0; i < last; i++) {
        const uint8_t *p = h->in.head + i;
        if (is_header(p, h->in.have - i) ||
            (!h->search.skips && is_segment(h, p, h->in.have - i))) {
            return i;
        }
    }
    return h->in.have;
}

/* The search is over: `passed` bytes were passed over. */
static ts_code end_search(ts_htrace *h, uint64_t passed, bool found)
{
    if (h->search.skips) {
        TS_TRY(ts_htrace_count_raw(h, passed));
        return ts_raw_end(h, false);
    }
    ts_tally_add(h->account.bytes, TS_LOST, passed);
    if (passed == 0) {
        return TS_OK;
    }
    ts_htrace_note_gap(h, h->search.start);
    if (found) {
        return ts_htrace_issue(h, resynchronised, NULL, h->search.start,
                               "%" PRIu64 " bytes were passed over", passed);
    }
    return ts_htrace_issue(h, trailing_bytes, NULL, h->search.start,
                           "the last %" PRIu64 " bytes are neither segments nor a header", passed);
}

ts_code ts_htrace_settle_search(ts_htrace *h, bool at_end)
{
    size_t place;
    ts_code code;
    if (h->in.have < TS_HTRACE_HEADER && !at_end) {
        return TS_OK;
    }
    place = find_place(h, at_end);
    if (h->search.skips && (place < h->in.have || at_end)) {
        TS_TRY(ts_raw_data(h, h->in.head, place));
    }
    if (place < h->in.have) {
        uint64_t at = ts_window_start(&h->in) + place;
        code = end_search(h, at - h->search.start, true);
        if (h->section.bounded && at > h->section.end) {
            h->section.bounded = false;
        }
        ts_window_unread(&h->in, place);
        h->in.have = 0;
        h->state = TS_AT_NEXT;
        return code;
    }
    if (at_end) {
        code = end_search(h, h->in.offset - h->search.start, false);
        h->in.have = 0;
        h->state = TS_AT_NEXT;
        return code;
    }
    if (h->search.skips) {
        TS_TRY(ts_raw_data(h, h->in.head, h->in.have - TS_HTRACE_WINDOW));
    }
    memmove(h->in.head, h->in.head + h->in.have - TS_HTRACE_WINDOW, TS_HTRACE_WINDOW);
    h->in.have = TS_HTRACE_WINDOW;
    return TS_OK;
}
