/*
 * Bytes to packets. A trace is a message of nothing but packets: the tag 0A, a length, the packet.
 *
 * Where that is not so, bytes are missing or wrong. Recorders write a packet with a mark of 16
 * bytes every some seconds: it is searched, and reading goes on at the packet that holds it. Fields
 * beside the packets, which no recorder writes, are passed over. After each of these no sequence
 * knows its state.
 */
#include "parsers/perfetto/perfetto.h"

#include "input/unpack.h"

#include <inttypes.h>

static const uint8_t mark[16] = {0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
                                 0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79};

/* Bytes of the packet with the mark before and after the beginning of that, and what is searched at
 * once at least. */
enum { MARK_BEFORE = 64, MARK_AFTER = 128, SEARCH_STEP = 4096 };

typedef enum frame { FRAME_PACKET, FRAME_OTHER, FRAME_MORE, FRAME_DAMAGED } frame;

/* What begins here: *head bytes of tag and length, *length bytes after that. */
static frame look(size_t *head, size_t *length, const uint8_t *p, size_t n, uint64_t limit)
{
    ts_bytes in = {.p = p, .n = n};
    uint64_t tag;
    uint64_t value = 0;
    uint64_t type;
    if (!ts_get_varint(&tag, &in)) {
        return n < 10 ? FRAME_MORE : FRAME_DAMAGED;
    }
    type = tag & 7;
    if (tag >> 3 == 0 || tag >> 3 > TS_WIRE_FIELD_MAX || (tag >> 3 == 1 && type != TS_WIRE_BYTES)) {
        return FRAME_DAMAGED;
    }
    if (type == TS_WIRE_VARINT || type == TS_WIRE_BYTES) {
        size_t left = ts_bytes_left(&in);
        if (!ts_get_varint(&value, &in)) {
            return left < 10 ? FRAME_MORE : FRAME_DAMAGED;
        }
        value = type == TS_WIRE_BYTES ? value : 0;
    } else if (type == TS_WIRE_FIXED32 || type == TS_WIRE_FIXED64) {
        value = type == TS_WIRE_FIXED32 ? 4 : 8;
    } else {
        return FRAME_DAMAGED;
    }
    if (value > limit) {
        return FRAME_DAMAGED;
    }
    *head = in.at;
    *length = (size_t)value;
    return tag >> 3 == 1 ? FRAME_PACKET : FRAME_OTHER;
}

/* --- searching ------------------------------------------------------------------------------- */

/* Whether a packet begins here whose mark is at this place. */
static bool holds_mark(const uint8_t *p, size_t n, size_t place)
{
    size_t head;
    size_t length;
    ts_wire w;
    ts_wire_field f;
    bool found = false;
    if (*p != (1 << 3 | TS_WIRE_BYTES) ||
        look(&head, &length, p, n, MARK_BEFORE + MARK_AFTER) != FRAME_PACKET || length > n - head ||
        head + length > place + MARK_AFTER) {
        return false;
    }
    ts_wire_init(&w, p + head, length);
    while (ts_wire_next(&f, &w)) {
        found = found || (f.number == PACKET_SYNC && f.type == TS_WIRE_BYTES && f.p == p + place &&
                          f.n == sizeof mark);
    }
    return found && w.fault == TS_WIRE_OK;
}

/* Moves *at to the next packet that has the mark; false: there is none in these bytes, and *at is
 * where it may still begin. */
static bool find_mark(size_t *at, const uint8_t *p, size_t n, bool final)
{
    const uint8_t *found;
    size_t from = *at;
    while (from < n && (found = memmem(p + from, n - from, mark, sizeof mark)) != NULL) {
        size_t place = (size_t)(found - p);
        size_t i = place;
        if (!final && n - place < MARK_AFTER) {
            *at = place > *at + MARK_BEFORE ? place - MARK_BEFORE : *at;
            return false;
        }
        while (i > *at && place - i < MARK_BEFORE) {
            i--;
            if (holds_mark(p + i, n - i, place - i)) {
                *at = i;
                return true;
            }
        }
        from = place + 1;
    }
    *at = final                                     ? n
          : n - *at > MARK_BEFORE + sizeof mark - 1 ? n - MARK_BEFORE - sizeof mark + 1
                                                    : *at;
    return false;
}

static int64_t offset(const perfetto_stream *s, uint64_t at)
{
    return (int64_t)(s->inner ? s->outer : at);
}

static ts_code note_lost(perfetto *p, perfetto_stream *s, uint64_t end)
{
    uint64_t bytes = end - s->lost_at;
    p->n.packets_lost++;
    p->broken = true;
    return ts_issue(
        p->store, p->source_id, s->cut ? TS_ISSUE_perfetto_cut : TS_ISSUE_perfetto_lost_sync, NULL,
        offset(s, s->lost_at),
        s->cut ? "the last packet is cut: %" PRIu64 " bytes" : "%" PRIu64 " bytes are not packets",
        bytes);
}

/* --- packets --------------------------------------------------------------------------------- */

static void begin_search(perfetto *p, perfetto_stream *s, size_t at)
{
    s->state = PERFETTO_SEARCH;
    s->lost_at = s->at + at;
    perfetto_damaged(p);
}

/* What begins at *at, or where the next packet does; *more: there may be another one. */
static ts_code take_one(perfetto *p, perfetto_stream *s, size_t *at, bool *more,
                        const uint8_t *bytes, size_t n, bool final)
{
    size_t head = 0;
    size_t length = 0;
    uint64_t limit = p->ctx->limits.max_message;
    frame f = look(&head, &length, bytes + *at, n - *at, limit);
    size_t whole = head + length;
    bool there = whole <= n - *at;
    if (f != FRAME_DAMAGED && f != FRAME_MORE && there) {
        size_t from = *at;
        *at += whole;
        if (f == FRAME_OTHER) { /* no recorder writes one */
            p->n.packets_lost++;
            perfetto_damaged(p);
            return ts_issue(p->store, p->source_id, TS_ISSUE_perfetto_unknown_top, NULL,
                            offset(s, s->at + from), "a field beside the packets");
        }
        return perfetto_packet(p, bytes + from + head, length, s->inner ? s->outer : s->at + from,
                               s->inner);
    }
    if (f != FRAME_DAMAGED && !final) {
        s->want = f == FRAME_MORE ? n - *at + 1 : whole;
        *more = false;
        return TS_OK;
    }
    s->cut = f != FRAME_DAMAGED;
    begin_search(p, s, *at);
    *at += 1;
    return TS_OK;
}

static ts_code search_on(perfetto *p, perfetto_stream *s, size_t *at, bool *more,
                         const uint8_t *bytes, size_t n, bool final)
{
    *more = find_mark(at, bytes, n, final);
    if (*more) {
        s->state = PERFETTO_PACKETS;
        s->cut = false; /* something follows */
        return note_lost(p, s, s->at + *at);
    }
    s->want = n - *at + SEARCH_STEP;
    return TS_OK;
}

/* Takes what is whole of these bytes, which begin at s->at; *used: so many. */
static ts_code take_all(size_t *used, perfetto *p, perfetto_stream *s, const uint8_t *bytes,
                        size_t n, bool final)
{
    bool more = true;
    ts_code code = TS_OK;
    size_t at = 0;
    while (code == TS_OK && more && at < n) {
        code = s->state == PERFETTO_SEARCH ? search_on(p, s, &at, &more, bytes, n, final)
                                           : take_one(p, s, &at, &more, bytes, n, final);
    }
    *used = at;
    return code;
}

ts_code perfetto_stream_feed(perfetto *p, perfetto_stream *s, const uint8_t *bytes, size_t n)
{
    ts_code code = TS_OK;
    while (code == TS_OK && n > 0) {
        size_t used;
        size_t take = n;
        if (s->held.n == 0) {
            code = take_all(&used, p, s, bytes, n, false);
            s->at += used;
            TS_STEP(code, ts_buf_put(p->ctx, &s->held, bytes + used, n - used));
            return code;
        }
        take = s->want - s->held.n < n ? s->want - s->held.n : n;
        code = ts_buf_put(p->ctx, &s->held, bytes, take);
        bytes += take;
        n -= take;
        if (code != TS_OK || s->held.n < s->want) {
            return code;
        }
        code = take_all(&used, p, s, (const uint8_t *)s->held.p, s->held.n, false);
        s->at += used;
        s->held.n -= used;
        memmove(s->held.p, s->held.p + used, s->held.n);
    }
    return code;
}

ts_code perfetto_stream_end(perfetto *p, perfetto_stream *s)
{
    size_t used = 0;
    ts_code code = TS_OK;
    if (s->held.n > 0) {
        code = take_all(&used, p, s, (const uint8_t *)s->held.p, s->held.n, true);
    }
    s->at += used;
    TS_STEP_IF(code, s->state == PERFETTO_SEARCH, note_lost(p, s, s->at));
    ts_buf_free(p->ctx, &s->held);
    return code;
}

/* --- compressed packets ---------------------------------------------------------------------- */

typedef struct inner_packets {
    perfetto *p;
    perfetto_stream stream;
} inner_packets;

static ts_code take_unpacked(void *user, const uint8_t *bytes, size_t n)
{
    inner_packets *inner = user;
    return perfetto_stream_feed(inner->p, &inner->stream, bytes, n);
}

ts_code perfetto_unpack(perfetto *p, const ts_wire_field *field, bool *good)
{
    inner_packets inner = {.p = p, .stream = {.inner = true, .outer = p->at}};
    ts_unpack *u = NULL;
    uint32_t damages = p->damages;
    bool gzip = field->n > 1 && field->p[0] == 0x1f && field->p[1] == 0x8b;
    ts_code code = ts_unpack_open(&u, p->ctx,
                                  field->number != PACKET_COMPRESSED ? TS_UNPACK_ZSTD
                                  : gzip                             ? TS_UNPACK_GZIP
                                                                     : TS_UNPACK_ZLIB,
                                  take_unpacked, &inner);
    TS_STEP(code, ts_unpack_feed(u, field->p, field->n));
    if (code == TS_OK && (ts_unpack_fault(u) != NULL || !ts_unpack_ended(u))) {
        *good = false;
        code = ts_issue(p->store, p->source_id, TS_ISSUE_perfetto_bad_compressed, NULL,
                        (int64_t)inner.stream.outer, "%s",
                        ts_unpack_fault(u) != NULL ? ts_unpack_fault(u) : "the data are cut");
    }
    TS_STEP(code, perfetto_stream_end(p, &inner.stream));
    if (!*good && p->damages == damages) {
        perfetto_damaged(p);
    }
    ts_buf_free(p->ctx, &inner.stream.held);
    ts_unpack_close(u);
    return code;
}
