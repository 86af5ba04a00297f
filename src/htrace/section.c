/* Sections: their headers, their bounds, their ends. */
#include "htrace/state.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/ckd.h"
#include "base/utf8.h"

#include <inttypes.h>

/* --- headers: little endian, packed; read, never judged, here ----------------------------------
 */

static const char magic[] = "OHOSPROF";

bool ts_htrace_magic(const uint8_t *p, size_t n)
{
    return n >= TS_HTRACE_MAGIC && memcmp(p, magic, TS_HTRACE_MAGIC) == 0;
}

static bool get_bytes(void *out, ts_bytes *b, size_t n)
{
    const uint8_t *p;
    bool good = ts_get_span(&p, b, n);
    if (good) {
        memcpy(out, p, n);
    }
    return good;
}

static bool get_clocks(ts_clock_set *out, ts_bytes *b)
{
    static const int order[] = {TS_CLOCK_BOOTTIME,         TS_CLOCK_REALTIME,
                                TS_CLOCK_REALTIME_COARSE,  TS_CLOCK_MONOTONIC,
                                TS_CLOCK_MONOTONIC_COARSE, TS_CLOCK_MONOTONIC_RAW};
    bool good = true;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        good &= ts_get_u64le(&out->at[order[i]], b);
    }
    return good;
}

/* False when n < 1024 or the magic is wrong. Texts end at their first NUL or fill their width;
 * `out` has one byte more, which is 0. */
static bool header_read(ts_htrace_header *out, const uint8_t *p, size_t n)
{
    ts_bytes b = {.p = p, .n = n, .at = TS_HTRACE_MAGIC};
    bool good = true;
    *out = (ts_htrace_header){0};
    if (n < TS_HTRACE_HEADER || !ts_htrace_magic(p, n)) {
        return false;
    }
    good &= ts_get_u64le(&out->length, &b);
    good &= ts_get_u32le(&out->version, &b);
    good &= ts_get_u32le(&out->pieces, &b);
    good &= get_bytes(out->sha256, &b, sizeof out->sha256);
    good &= ts_get_u32le(&out->data_type, &b);
    good &= get_clocks(&out->clocks, &b);
    good &= get_bytes(out->standalone, &b, TS_HTRACE_STANDALONE_NAME);
    good &= get_bytes(out->plugin_version, &b, TS_HTRACE_PLUGIN_VERSION);
    good &= ts_get_u64le(&out->duration_ns, &b);
    return good;
}

/* --- sections --------------------------------------------------------------------------------- */

ts_code ts_section_length_long(ts_htrace *h, uint64_t excess)
{
    return ts_htrace_issue(h, header_length_long, NULL, h->section.start,
                           "the header's length is %" PRIu64 " bytes too large: it counts 8 "
                           "bytes for each length prefix of 4",
                           excess);
}

ts_code ts_section_close(ts_htrace *h)
{
    uint64_t declared = h->section.header.pieces;
    uint64_t found = h->section.segments;
    h->section.segments = 0;
    h->section.header.pieces =
        0; /* once: the end of a file and the next header both end a section */
    if (!h->section.any || h->section.raw_kind != NULL || declared == 0 || declared == found ||
        declared == 2 * found) {
        return TS_OK;
    }
    if (declared > 2 * found) { /* prefixes and bodies count, as devices do it */
        uint64_t missing = (declared + 1) / 2 - found;
        ts_tally_add(h->account.segments, TS_LOST, missing);
        return ts_htrace_issue(h, header_segments_missing, NULL, h->section.start,
                               "the header counts %" PRIu64 " prefixes and bodies, %" PRIu64
                               " segments are there",
                               declared, found);
    }
    return ts_htrace_issue(h, header_segments_mismatch, NULL, h->section.start,
                           "the header counts %" PRIu64 " prefixes and bodies, %" PRIu64
                           " segments are there",
                           declared, found);
}

/* The name that a section which is not made of segments is counted under. */
static ts_code set_raw_kind(ts_htrace *h)
{
    ts_buf name = {0};
    ts_code code = TS_OK;
    ts_free(h->ctx, h->section.raw_kind);
    h->section.raw_kind = NULL;
    if (h->section.header.data_type == TS_HTRACE_TYPE_HIPERF) {
        code = ts_buf_put(h->ctx, &name, "hiperf", 6);
    } else if (h->section.header.data_type == TS_HTRACE_TYPE_STANDALONE) {
        const char *p = h->section.header.standalone;
        code = ts_utf8_printable(h->ctx, &name, *p == '\0' ? "standalone" : p,
                                 strlen(*p == '\0' ? "standalone" : p), TS_HTRACE_SHOWN);
    } else {
        return TS_OK;
    }
    if (code == TS_OK) {
        h->section.raw_kind = ts_strndup(h->ctx, name.p, name.n);
        code = h->section.raw_kind == NULL ? h->ctx->error.code : TS_OK;
    }
    ts_buf_free(h->ctx, &name);
    return code;
}

/* Where the section ends: as its header says, if it says so. */
static ts_code set_bounds(ts_htrace *h)
{
    h->section.bounded = h->section.header.length > TS_HTRACE_HEADER;
    if (ts_ckd_add(&h->section.end, h->section.start, h->section.header.length)) {
        h->section.end = UINT64_MAX;
    }
    if (h->section.bounded) {
        return TS_OK;
    }
    if (h->section.header.length != 0 && h->section.header.length != TS_HTRACE_HEADER) {
        return ts_htrace_issue(h, header_length_wrong, NULL, h->section.start,
                               "the header's length is %" PRIu64 ", less than a header has",
                               h->section.header.length);
    }
    return ts_htrace_issue(h, header_length_unknown, NULL, h->section.start,
                           "the header's length is %" PRIu64, h->section.header.length);
}

/* A raw section that no plugin reads. */
static ts_code skip_raw(ts_htrace *h)
{
    const char *event = "other";
    ts_tally_add(h->account.sections, TS_SKIPPED, 1);
    if (h->section.header.data_type == TS_HTRACE_TYPE_HIPERF) {
        event = "trace_perf";
    } else if (strcmp(h->section.raw_kind, "hiebpf-plugin") == 0) {
        event = "trace_ebpf";
    }
    TS_TRY(ts_htrace_stat(h, event, "not_supported", 1));
    return ts_htrace_issue(h, section_skipped, h->section.raw_kind, h->section.start,
                           "a section of %s data is not decoded", h->section.raw_kind);
}

static void enter_raw(ts_htrace *h)
{
    if (h->section.bounded) {
        h->state = TS_AT_RAW;
    } else {
        ts_htrace_begin_search(h, true);
    }
}

static ts_code begin_raw(ts_htrace *h)
{
    TS_TRY(ts_raw_begin(h, NULL));
    if (h->section.reader == NULL) {
        h->state = TS_AT_RAW_NAME;
    } else {
        enter_raw(h);
    }
    return TS_OK;
}

/* So many of them decide. */
static size_t raw_name_size(const ts_htrace *h)
{
    const uint64_t left = h->section.end - ts_window_start(&h->in);
    return h->section.bounded && left < TS_RAW_MAGIC ? (size_t)left : TS_RAW_MAGIC;
}

ts_code ts_section_take_raw(size_t *used, ts_htrace *h, const uint8_t *p, size_t n)
{
    ts_window_take(used, &h->in, raw_name_size(h), p, n);
    return TS_OK;
}

/* The name is damaged: the data is that of a plugin. */
static ts_code rename_raw(ts_htrace *h)
{
    const char *name = h->section.raw.name;
    TS_TRY(ts_htrace_issue(h, plugin_name_damaged, name, h->section.start,
                           "a section of \"%s\" was read as one of %s", h->section.raw_kind, name));
    ts_free(h->ctx, h->section.raw_kind);
    h->section.raw_kind = ts_strndup(h->ctx, name, strlen(name));
    return h->section.raw_kind == NULL ? h->ctx->error.code : TS_OK;
}

ts_code ts_section_settle_raw(ts_htrace *h, bool at_end)
{
    if (h->in.have < raw_name_size(h) && !at_end) {
        return TS_OK;
    }
    if (h->in.have == TS_RAW_MAGIC) {
        TS_TRY(ts_raw_begin(h, h->in.head));
    }
    TS_TRY(h->section.reader != NULL ? rename_raw(h) : skip_raw(h));
    ts_window_unread(&h->in, 0);
    h->in.have = 0;
    enter_raw(h);
    return TS_OK;
}

static ts_code begin_segments(ts_htrace *h)
{
    const uint32_t type = h->section.header.data_type;
    ts_tally_add(h->account.sections, TS_IMPORTED, 1);
    h->state = TS_AT_NEXT;
    if (type == TS_HTRACE_TYPE_SEGMENTS || type == TS_HTRACE_TYPE_UNKNOWN) {
        return TS_OK;
    }
    return ts_htrace_issue(h, section_unknown_type, NULL, h->section.start,
                           "the data type is %" PRIu32, type);
}

ts_code ts_section_open(ts_htrace *h)
{
    ts_code code = ts_section_close(h);
    h->section.start = ts_window_start(&h->in);
    if (!header_read(&h->section.header, h->in.head, h->in.have)) {
        return ts_fail(h->ctx, TS_ERR_INTERNAL, "a section was opened without a header");
    }
    h->in.have = 0;
    h->section.any = true;
    h->section.count++;
    ts_tally_add(h->account.bytes, TS_IMPORTED, TS_HTRACE_HEADER);
    TS_STEP(code, set_raw_kind(h));
    TS_STEP(code, set_bounds(h));
    TS_STEP(code, ts_htrace_record_header(h));
    if (code != TS_OK) {
        return code;
    }
    if (h->section.header.clocks.at[TS_CLOCK_BOOTTIME] != 0) {
        TS_TRY_INTO(code, ts_htrace_stat(h, "trace_event_clock_sync", "received", 1));
        code = ts_htrace_take_clocks(h, &h->section.header.clocks, "header", h->section.start);
    } else {
        code = ts_htrace_scan_ahead(h, h->section.start);
    }
    if (code != TS_OK) {
        return code;
    }
    return h->section.raw_kind != NULL ? begin_raw(h) : begin_segments(h);
}
