/*
 * One segment: a protobuf message of name, data and time, whose fields come in any order.
 *
 * Data is handled in one of four ways, chosen when it begins: HOLD (small: kept whole until the
 * end, or borrowed when the input block has all of it), STREAM (large and of a plugin that decodes
 * it: delivered as it comes), SPOOL (large, and the name is missing or guessed: into a temporary
 * file) and SKIP. The last name counts, unless the data was streamed or skipped under another one
 * (name_late); of several data fields the last one counts, or the first when it was streamed or
 * spooled.
 *
 * The time is known at the end of the segment only: beyond 64 bits of ns it is TS_NO_TIME, and a
 * missing one is 0 and not `timed`. The name may be damaged; the segment is then taken for that of
 * a plugin with a similar name if its data reads as such (`guessed`).
 */
#include "htrace/state.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/utf8.h"

#include <inttypes.h>

/* Fields of a segment's message (ProfilerPluginData). */
enum { FIELD_NAME = 1, FIELD_DATA = 3, FIELD_TV_SEC = 5, FIELD_TV_NSEC = 6, FIELD_LAST = 8 };

/* --- fields ----------------------------------------------------------------------------------- */

static ts_code seg_number(void *user, uint32_t field, ts_wire_type type, uint64_t value)
{
    ts_htrace *h = user;
    ts_segment_state *s = &h->segments.now;
    if (type != TS_WIRE_VARINT) {
        return TS_OK;
    }
    if (field == FIELD_TV_SEC) {
        s->sec = value;
        s->has_sec = true;
    } else if (field == FIELD_TV_NSEC) {
        s->nsec = value;
        s->has_nsec = true;
    }
    return TS_OK;
}

void ts_segments_free(ts_ctx *ctx, ts_segments *segments)
{
    ts_buf_free(ctx, &segments->held);
    ts_spool_free(segments->spool);
    segments->spool = NULL;
}

bool ts_segment_time(int64_t *ts, const ts_segment_state *s)
{
    uint64_t ns;
    bool over = ts_ckd_mul(&ns, s->sec, UINT64_C(1000000000)) || ts_ckd_add(&ns, ns, s->nsec) ||
                ns > INT64_MAX;
    *ts = over ? TS_NO_TIME : (int64_t)ns;
    return !over;
}

static ts_data_mode choose_mode(const ts_htrace *h, uint64_t n)
{
    const ts_segment_state *s = &h->segments.now;
    if (h->store == NULL || (s->plugin != NULL && s->plugin->reader == NULL)) {
        return TS_DATA_SKIP;
    }
    if (s->plugin != NULL && !s->guessed) {
        return s->big ? TS_DATA_STREAM : TS_DATA_HOLD;
    }
    if (!s->big) {
        return TS_DATA_HOLD;
    }
    return n > h->ctx->limits.max_message ? TS_DATA_SKIP : TS_DATA_SPOOL;
}

static ts_code begin_data(ts_htrace *h, uint64_t n, bool *want)
{
    ts_segment_state *s = &h->segments.now;
    ts_code code = TS_OK;
    s->data_fields++;
    if (s->mode == TS_DATA_STREAM || s->mode == TS_DATA_SPOOL) {
        *want = false; /* the first one is being delivered already */
        s->ignoring = true;
        return TS_OK;
    }
    s->mode = choose_mode(h, n);
    s->data_done = false;
    s->data_cut = false;
    s->name_late = false;
    s->data_lost = s->mode == TS_DATA_SKIP && s->plugin == NULL && h->store != NULL;
    s->borrowed = NULL;
    h->segments.held.n = 0;
    s->scanning = ts_clocks_wanted(&h->clocks) && (s->plugin == NULL || s->plugin->is_ftrace);
    if (s->scanning) {
        ts_clock_scan_begin(&h->clocks.scan, h->ctx, n);
    }
    *want = s->scanning || s->mode != TS_DATA_SKIP;
    if (s->mode == TS_DATA_STREAM) {
        code = ts_deliver_begin(h);
    } else if (s->mode == TS_DATA_SPOOL && h->segments.spool == NULL) {
        code = ts_spool_new(&h->segments.spool, h->ctx);
    }
    return code;
}

static ts_code seg_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    ts_htrace *h = user;
    if (field == FIELD_NAME) {
        h->segments.now.next_len = 0;
        h->segments.now.next_over = false;
        return TS_OK;
    }
    if (field == FIELD_DATA) {
        return begin_data(h, n, want);
    }
    *want = false;
    return TS_OK;
}

static ts_code data_bytes(ts_htrace *h, const uint8_t *p, size_t n)
{
    ts_segment_state *s = &h->segments.now;
    ts_code code = TS_OK;
    if (s->scanning) {
        code = ts_clock_scan_feed(&h->clocks.scan, p, n);
    }
    if (code != TS_OK) {
        return code;
    }
    switch (s->mode) {
    case TS_DATA_HOLD:
        if (s->whole) {
            s->borrowed = p;
            s->borrowed_len = n;
            return TS_OK;
        }
        return ts_buf_put(h->ctx, &h->segments.held, p, n);
    case TS_DATA_STREAM:
        return ts_deliver_data(h, p, n);
    case TS_DATA_SPOOL:
        return ts_spool_write(h->segments.spool, p, n);
    default:
        return TS_OK;
    }
}

static ts_code seg_bytes(void *user, uint32_t field, const uint8_t *p, size_t n)
{
    ts_htrace *h = user;
    ts_segment_state *s = &h->segments.now;
    size_t left;
    if (field == FIELD_DATA) {
        return data_bytes(h, p, n);
    }
    left = sizeof s->next_name - s->next_len;
    if (n > left) {
        n = left;
        s->next_over = true;
    }
    memcpy(s->next_name + s->next_len, p, n);
    s->next_len += n;
    return TS_OK;
}

/* The last name counts, as long as its data was not dealt with under another one. */
static ts_code take_name(ts_htrace *h)
{
    ts_segment_state *s = &h->segments.now;
    ts_plugin *plugin = NULL;
    bool guessed = false;
    ts_code code = TS_OK;
    if (s->next_len > 0) {
        const ts_plugin_known *guess = NULL;
        if (h->store != NULL && !s->next_over &&
            ts_plugin_find(s->next_name, s->next_len) == NULL) {
            guess = ts_plugin_guess(h, s->next_name, s->next_len);
        }
        code = guess == NULL ? ts_plugin_get(&plugin, h, s->next_name, s->next_len, s->next_over)
                             : ts_plugin_get(&plugin, h, guess->name, strlen(guess->name), false);
        guessed = guess != NULL;
    }
    if (code != TS_OK || (plugin == s->plugin && guessed == s->guessed)) {
        return code;
    }
    if (s->mode == TS_DATA_STREAM || (s->mode == TS_DATA_SKIP && s->plugin != NULL)) {
        s->name_late = true;
        if (s->mode == TS_DATA_STREAM) {
            return TS_OK;
        }
    }
    s->plugin = plugin;
    s->guessed = guessed;
    return TS_OK;
}

static ts_code seg_end(void *user, uint32_t field, bool complete)
{
    ts_htrace *h = user;
    ts_segment_state *s = &h->segments.now;
    if (field == FIELD_NAME) {
        return complete ? take_name(h) : TS_OK;
    }
    if (field != FIELD_DATA) {
        return TS_OK;
    }
    if (s->ignoring) {
        s->ignoring = false;
        return TS_OK;
    }
    s->data_done = complete;
    s->data_cut = !complete;
    return TS_OK;
}

/* --- beginning and bytes ---------------------------------------------------------------------- */

bool ts_segment_plausible(const ts_htrace *h, uint32_t n, const uint8_t *p, size_t have)
{
    uint8_t field;
    if (n < 2 || n > h->ctx->limits.max_message) {
        return false;
    }
    if (have == 0) {
        return true;
    }
    field = p[0] >> 3;
    if (field == 0 || field > FIELD_LAST) {
        return false;
    }
    if (field == FIELD_NAME || field == FIELD_DATA || field == FIELD_LAST - 1) {
        if ((p[0] & 7) != TS_WIRE_BYTES) {
            return false;
        }
        return have < 2 || p[1] >= 0x80 || (uint32_t)p[1] + 2 <= n;
    }
    return (p[0] & 7) == TS_WIRE_VARINT;
}

ts_code ts_segment_begin(ts_htrace *h, uint32_t n, bool crosses, size_t block)
{
    static const ts_wire_handler handler = {
        .number = seg_number, .begin = seg_begin, .bytes = seg_bytes, .end = seg_end};
    ts_segment_state *s = &h->segments.now;
    *s = (ts_segment_state){.start = h->in.offset - 4, .end = h->in.offset + n};
    s->crosses = crosses;
    s->whole = !crosses && n <= block && n <= h->segments.hold;
    s->big = n > h->segments.hold;
    ts_wire_push_init(&s->wire, &handler, h, n);
    h->section.segments++;
    h->state = TS_AT_SEGMENT;
    return TS_OK;
}

uint64_t ts_segment_limit(const ts_htrace *h)
{
    const ts_segment_state *s = &h->segments.now;
    return s->crosses && h->section.bounded ? h->section.end : s->end;
}

/* After bytes were taken: the end of the segment, or of the section inside it? */
ts_code ts_segment_after(ts_htrace *h)
{
    if (h->in.offset == h->segments.now.end) {
        return ts_segment_finish(h, false);
    }
    if (h->in.offset == ts_segment_limit(h)) {
        h->state = TS_AT_CROSSING;
        h->in.have = 0;
    }
    return TS_OK;
}

ts_code ts_htrace_take_segment(size_t *used, ts_htrace *h, const uint8_t *p, size_t n)
{
    uint64_t left = ts_segment_limit(h) - h->in.offset;
    ts_code code;
    *used = n < left ? n : (size_t)left;
    code = ts_wire_push_feed(&h->segments.now.wire, p, *used);
    h->in.offset += *used;
    TS_STEP(code, ts_segment_after(h));
    return code;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Ends the walk over the fields and records what was wrong with them. *damaged: the message broke
 * by itself, not because bytes are missing. */
static ts_code end_fields(bool *damaged, ts_htrace *h, bool cut)
{
    ts_segment_state *s = &h->segments.now;
    const char *stream = s->plugin == NULL ? NULL : s->plugin->name;
    ts_code code;
    *damaged = s->wire.fault != TS_WIRE_OK;
    code = ts_wire_push_finish(&s->wire);
    stream = s->plugin == NULL ? stream : s->plugin->name;
    if (code == TS_OK && (*damaged || (!cut && s->wire.fault != TS_WIRE_OK))) {
        *damaged = true;
        code = ts_htrace_issue(h, segment_bad_wire, stream, s->start,
                               "at byte %" PRIu64 " of a segment of %" PRIu64 " bytes: %s",
                               s->wire.fault_at, s->wire.size, ts_wire_fault_text(s->wire.fault));
    }
    if (code == TS_OK && s->data_fields > 1) {
        code = ts_htrace_issue(
            h, segment_duplicate_data, stream, s->start,
            "%u data fields in a segment; the %s one was taken", s->data_fields,
            s->big && s->mode != TS_DATA_SKIP && s->mode != TS_DATA_HOLD ? "first" : "last");
    }
    return code;
}

static ts_code set_time(ts_htrace *h)
{
    ts_segment_state *s = &h->segments.now;
    bool fits = ts_segment_time(&s->seg.ts, s);
    s->seg.timed =
        fits && (s->has_sec || s->has_nsec) && (!s->seg.truncated || (s->has_sec && s->has_nsec));
    if (!fits) {
        return ts_htrace_issue(h, time_overflow, s->plugin->name, s->start,
                               "a segment's time of %" PRIu64 " s and %" PRIu64
                               " ns is beyond 64 bit nanoseconds",
                               s->sec, s->nsec);
    }
    if (!s->has_sec && !s->has_nsec && !s->plugin->is_config && !s->seg.truncated) {
        return ts_htrace_issue(h, time_missing, s->plugin->name, s->start,
                               "a segment has neither tv_sec nor tv_nsec");
    }
    return TS_OK;
}

static ts_code deliver_spool(ts_htrace *h)
{
    uint8_t *block = ts_alloc(h->ctx, TS_HTRACE_SCAN_BLOCK, 1);
    uint64_t size = ts_spool_size(h->segments.spool);
    ts_code code = block == NULL ? h->ctx->error.code : TS_OK;
    for (uint64_t at = 0; code == TS_OK && at < size;) {
        size_t got = 0;
        code = ts_spool_read(&got, h->segments.spool, at, block, TS_HTRACE_SCAN_BLOCK);
        TS_STEP_IF(code, got == 0,
                   ts_fail(h->ctx, TS_ERR_INTERNAL, "a temporary file became shorter"));
        TS_STEP(code, ts_deliver_data(h, block, got));
        at += got;
    }
    ts_free(h->ctx, block);
    return code;
}

/* Delivers a segment whose plugin is decoded. */
static ts_code deliver(ts_htrace *h, bool broken)
{
    ts_segment_state *s = &h->segments.now;
    bool timed = s->has_sec && s->has_nsec;
    ts_code code = s->begun ? TS_OK : ts_deliver_begin(h);
    /* The data is all there even if the message breaks after it; but then the time may be missing.
     */
    s->seg.truncated = s->data_cut || (broken && !(s->data_done && timed));
    TS_STEP(code, set_time(h));
    if (code == TS_OK && s->mode == TS_DATA_NONE && !s->seg.truncated) {
        code =
            ts_htrace_issue(h, segment_no_data, s->plugin->name, s->start, "a segment has no data");
    }
    if (code == TS_OK && s->mode == TS_DATA_HOLD) {
        return s->borrowed != NULL
                   ? ts_deliver_whole(h, s->borrowed, s->borrowed_len)
                   : ts_deliver_whole(h, (const uint8_t *)h->segments.held.p, h->segments.held.n);
    }
    TS_STEP_IF(code, s->mode == TS_DATA_SPOOL, deliver_spool(h));
    TS_STEP(code, ts_deliver_end(h));
    return code;
}

/* A segment of no plugin at all. */
static ts_code reject(ts_htrace *h, bool cut, bool damaged)
{
    ts_code code = ts_htrace_stat(h, "other", "invalid_data", 1);
    ts_htrace_note_gap(h, h->segments.now.start);
    TS_STEP_IF(code, !cut && !damaged,
               ts_htrace_issue(h, segment_no_name, NULL, h->segments.now.start,
                               "a segment of %" PRIu64 " bytes names no plugin",
                               h->segments.now.wire.size));
    return code;
}

/* A segment whose data cannot be delivered any more. */
static ts_code lose_segment(ts_htrace *h)
{
    const ts_segment_state *s = &h->segments.now;
    ts_htrace_note_gap(h, s->start);
    if (s->data_lost) {
        return ts_htrace_issue(h, segment_too_large, s->plugin->name, s->start,
                               "%" PRIu64
                               " bytes come before the plugin's name; the limit is %" PRIu64,
                               s->wire.size, h->ctx->limits.max_message);
    }
    return ts_htrace_issue(h, segment_bad_wire, s->plugin->name, s->start,
                           "a second, different plugin name follows the data");
}

/* The name is damaged: is the data that of the plugin which it may have been? */
static ts_code settle_guess(ts_htrace *h)
{
    ts_segment_state *s = &h->segments.now;
    uint8_t look[TS_HTRACE_LOOK_INTO];
    const uint8_t *p = s->borrowed != NULL ? s->borrowed : (const uint8_t *)h->segments.held.p;
    uint64_t size = s->borrowed != NULL ? s->borrowed_len : h->segments.held.n;
    size_t n = size < sizeof look ? (size_t)size : sizeof look;
    ts_code code = TS_OK;
    ts_buf name = {0};
    bool reads;
    s->guessed = false;
    if (s->mode == TS_DATA_SPOOL) {
        size = ts_spool_size(h->segments.spool);
        code = ts_spool_read(&n, h->segments.spool, 0, look, sizeof look);
        p = look;
    }
    reads = code == TS_OK && (s->mode == TS_DATA_HOLD || s->mode == TS_DATA_SPOOL) && n > 0 &&
            s->plugin->as->reads(p, n, size);
    if (code == TS_OK && !reads) {
        return ts_plugin_get(&s->plugin, h, s->next_name, s->next_len, false);
    }
    TS_STEP(code, ts_utf8_printable(h->ctx, &name, s->next_name, s->next_len, TS_HTRACE_SHOWN));
    TS_STEP(code, ts_htrace_issue(h, plugin_name_damaged, s->plugin->name, s->start,
                                  "a segment of \"%.*s\" was read as one of %s", (int)name.n,
                                  name.p, s->plugin->name));
    ts_buf_free(h->ctx, &name);
    return code;
}

/* Delivers the segment or not; *outcome is what became of it. */
static ts_code settle_segment(ts_outcome *outcome, ts_htrace *h, bool cut, bool damaged)
{
    ts_segment_state *s = &h->segments.now;
    ts_code code = s->guessed ? settle_guess(h) : TS_OK;
    *outcome = TS_LOST;
    if (code != TS_OK) {
        return code;
    }
    if (s->plugin == NULL) {
        return reject(h, cut, damaged);
    }
    if (s->plugin->reader == NULL) {
        *outcome = cut ? TS_LOST : s->plugin->is_settings ? TS_IMPORTED : TS_SKIPPED;
        if (s->plugin->is_config && ts_plugin_find(s->plugin->name, strlen(s->plugin->name))) {
            return TS_OK; /* it describes the recording and holds no data */
        }
        return ts_htrace_stat(h, s->plugin->event, "not_supported", 1);
    }
    if (s->data_lost || (s->name_late && s->mode == TS_DATA_SKIP)) {
        code = lose_segment(h);
    } else {
        code = deliver(h, cut || damaged);
        *outcome = s->seg.truncated || s->too_large ? TS_LOST : TS_IMPORTED;
    }
    TS_STEP_IF(code, *outcome == TS_LOST, ts_htrace_stat(h, s->plugin->event, "data_lost", 1));
    return code;
}

static ts_code take_scanned_clocks(ts_htrace *h)
{
    const ts_segment_state *s = &h->segments.now;
    if (!s->scanning || !s->data_done || s->plugin == NULL || !s->plugin->is_ftrace) {
        return TS_OK;
    }
    return ts_htrace_take_clocks(h, &h->clocks.scan.set, "ftrace segment", s->start);
}

ts_code ts_segment_finish(ts_htrace *h, bool cut)
{
    ts_segment_state *s = &h->segments.now;
    uint64_t bytes = h->in.offset - s->start;
    ts_outcome outcome;
    bool damaged;
    h->state = TS_AT_NEXT;
    h->in.have = 0;
    TS_TRY(end_fields(&damaged, h, cut));
    TS_TRY(take_scanned_clocks(h));
    TS_TRY(settle_segment(&outcome, h, cut, damaged));
    ts_tally_add(h->account.bytes, outcome, bytes);
    ts_tally_add(h->account.segments, outcome, 1);
    if (s->plugin != NULL) {
        ts_tally_add(s->plugin->segments, outcome, 1);
        ts_tally_add(s->plugin->bytes, outcome, bytes);
    }
    h->segments.held.n = 0;
    ts_spool_free(h->segments.spool);
    h->segments.spool = NULL;
    return TS_OK;
}
