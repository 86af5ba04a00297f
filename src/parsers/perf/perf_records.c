/*
 * The records of the data section, in the order of the file; where a recorder flushed the buffers
 * of several CPUs one after the other (FINISHED_ROUND), in the order of their times.
 */
#include "parsers/perf/perf_data.h"

#include "base/alloc.h"
#include "base/sorter.h"
#include "base/utf8.h"
#include "input/unpack.h"

#include <inttypes.h>

/* Types of records. */
enum {
    MMAP = 1,
    LOST = 2,
    COMM = 3,
    FORK = 7,
    SAMPLE = 9,
    MMAP2 = 10,
    LOST_SAMPLES = 13,
    HEADER_ATTR = 64,
    TRACING_DATA = 66,
    FINISHED_ROUND = 68,
    AUXTRACE = 71,
    HEADER_FEATURE = 80,
    COMPRESSED = 81,
    COMPRESSED2 = 83,
    OF_SIMPLEPERF = 32768 /* and above */
};

enum { HEAD = 8, SORT_MEMORY = 16 << 20, CHECK_EACH = 4096 };
enum { MISC_CPU = 7, MISC_KERNEL = 1, MISC_BUILD_ID = 1 << 14 };

typedef struct record {
    uint32_t type;
    uint16_t misc;
    const uint8_t *p; /* after the head */
    size_t n;
    uint64_t at;
    uint64_t after; /* bytes that follow it and are no record; of types that are not used */
} record;

/* --- what they do ------------------------------------------------------------------------------
 */

static ts_text text_in(const record *rec, size_t at)
{
    if (at >= rec->n) {
        return TS_TEXT_LIT("");
    }
    return (ts_text){(const char *)rec->p + at, strnlen((const char *)rec->p + at, rec->n - at)};
}

static int64_t id_at(const record *rec, size_t at)
{
    return (int32_t)perfd_u32(rec->p + at);
}

static ts_code take_map(perfd *r, const record *rec)
{
    size_t name_at = rec->type == MMAP ? 32 : 64;
    perfd_map map = {0};
    ts_text path;
    map.start = perfd_u64(rec->p + 8);
    map.end = map.start + perfd_u64(rec->p + 16);
    map.end = map.end < map.start ? UINT64_MAX : map.end;
    map.pgoff = perfd_u64(rec->p + 24);
    path = text_in(rec, name_at);
    TS_TRY(ts_utf8_text(&path, r->ctx, &r->clean, &r->bad_texts));
    if (rec->type == MMAP2 && (rec->misc & MISC_BUILD_ID) != 0 && r->shared->folder != NULL) {
        uint32_t id;
        TS_TRY(perfd_path_id(&id, r, path));
        TS_TRY(perfd_build_id(r, id, rec->p + 36, rec->p[32] < 20 ? rec->p[32] : 20));
    }
    return perfd_add_map(r, id_at(rec, 0), (rec->misc & MISC_CPU) == MISC_KERNEL, &map, path);
}

static ts_code take_comm(perfd *r, const record *rec)
{
    ts_text name = text_in(rec, 8);
    TS_TRY(ts_utf8_text(&name, r->ctx, &r->clean, &r->bad_texts));
    return perfd_comm(r, id_at(rec, 0), id_at(rec, 4), name);
}

static void take_lost(perfd *r, const record *rec)
{
    perfd_event *events = r->events.p;
    uint64_t number = 0;
    uint64_t lost = perfd_u64(rec->p + (rec->type == LOST ? 8 : 0));
    if (rec->type == LOST && !ts_idmap_find(&number, &r->event_of, (int64_t)perfd_u64(rec->p)) &&
        !ts_idmap_find(&number, &r->attr_of, (int64_t)perfd_u64(rec->p))) {
        number = 0;
    }
    if (number < r->events.n) {
        uint64_t *sum = &events[number].lost;
        *sum = lost > (uint64_t)INT64_MAX - *sum ? (uint64_t)INT64_MAX : *sum + lost;
    }
}

static ts_code put_waiting(perfd *r)
{
    if (!r->waits) {
        return TS_OK;
    }
    r->waits = false;
    return perfd_put_sample(r, &r->waiting);
}

static ts_code take_sample(perfd *r, const record *rec)
{
    perfd_sample *s = &r->waiting;
    const uint8_t *p = rec->p;
    const bool waits = rec->n <= PERFD_AHEAD;
    if (waits) { /* the record does not stay */
        p = r->waiting_bytes;
        memcpy(r->waiting_bytes, rec->p, rec->n);
    }
    if (!perfd_read_sample(s, r, p, rec->n)) {
        r->samples_lost++;
        return PERFD_ISSUE(r, perf_sample_bad, rec->at,
                           "a sample of %zu bytes is too short for what its event says", rec->n);
    }
    s->at = rec->at;
    s->misc = rec->misc;
    perfd_expect_sample(r, s);
    r->waits = waits;
    return waits ? TS_OK : perfd_put_sample(r, s);
}

/* The least bytes of the records that are used; 0: of none. */
static size_t least_of(uint32_t type)
{
    switch (type) {
    case MMAP:
        return 32;
    case MMAP2:
        return 64;
    case COMM:
    case LOST_SAMPLES:
        return 8;
    case FORK:
    case LOST:
        return 16;
    default:
        return 0;
    }
}

static ts_code take_record(perfd *r, const record *rec)
{
    size_t least = least_of(rec->type);
    TS_TRY(put_waiting(r));
    if (rec->type == SAMPLE) {
        return take_sample(r, rec);
    }
    if (least == 0) {
        r->records_skipped++;
        return TS_OK;
    }
    if (rec->n < least) {
        r->records_lost++;
        return PERFD_ISSUE(r, perf_record_bad, rec->at,
                           "a record of type %" PRIu32 " has %zu bytes", rec->type, rec->n);
    }
    r->records_good++;
    switch (rec->type) {
    case MMAP:
    case MMAP2:
        return take_map(r, rec);
    case COMM:
        return take_comm(r, rec);
    case FORK:
        return perfd_fork(r, id_at(rec, 0), id_at(rec, 4), id_at(rec, 8), id_at(rec, 12));
    default:
        take_lost(r, rec);
        return TS_OK;
    }
}

/* --- the order of the file ---------------------------------------------------------------------
 */

/* What is done with each record; *more becomes false where that is enough. */
typedef ts_code visit(bool *more, perfd *r, const record *rec, void *user);

static ts_code bad_size(perfd *r, bool report, uint64_t at, uint64_t size)
{
    if (!report) {
        return TS_OK;
    }
    r->records_lost++;
    return r->cut ? TS_OK /* which was said */
                  : PERFD_ISSUE(r, perf_record_bad, at,
                                "a record says that it has %" PRIu64 " bytes, the data has %" PRIu64
                                " more; what follows is lost",
                                size, r->data_at + r->data_size - at);
}

/* Raw bytes follow the record of an AUX trace, and that of formats of tracepoints. */
static uint64_t bytes_after(const record *rec)
{
    if (rec->type == TRACING_DATA && rec->n >= 4) {
        return ((uint64_t)perfd_u32(rec->p) + 7) / 8 * 8;
    }
    return rec->type == AUXTRACE && rec->n >= 8 ? perfd_u64(rec->p) : 0;
}

/* The bytes of a record by its head, and in *after those that follow it and are no record. Records
 * of simpleperf's own may be longer than others, and are passed over. */
static size_t size_of_record(uint64_t *after, const perfd *r, const uint8_t *head)
{
    const size_t size = perfd_u16(head + 6);
    *after = 0;
    if (!r->simpleperf || perfd_u32(head) < OF_SIMPLEPERF) {
        return size;
    }
    const uint64_t whole = (uint64_t)perfd_u16(head + 4) << 16 | size;
    *after = whole < HEAD ? 0 : whole - HEAD;
    return whole < HEAD ? 0 : HEAD;
}

/* report: what is wrong is an issue; once. */
static ts_code each_record(perfd *r, bool report, visit *call, void *user)
{
    uint64_t at = r->data_at;
    uint64_t end = r->data_at + r->data_size;
    bool more = true;
    uint64_t count = 0;
    while (more && at < end) {
        const uint8_t *p;
        size_t have;
        size_t size;
        record rec;
        uint64_t after = 0;
        TS_TRY(ts_window_get(&p, &have, r->data, at, HEAD));
        size = have < HEAD || end - at < HEAD ? 0 : size_of_record(&after, r, p);
        if (size < HEAD || size > end - at) {
            return bad_size(r, report, at, size);
        }
        if (have < size) {
            TS_TRY(ts_window_get(&p, &have, r->data, at, size));
        }
        if (have < size) {
            return bad_size(r, report, at, size);
        }
        rec = (record){perfd_u32(p), perfd_u16(p + 4), p + HEAD, size - HEAD, at, after};
        rec.after = after != 0 ? after : bytes_after(&rec);
        TS_TRY(call(&more, r, &rec, user));
        at += size;
        if (rec.after > end - at) {
            return bad_size(r, report, at - size, rec.after);
        }
        at += rec.after;
        if (++count % CHECK_EACH == 0) {
            TS_TRY(ts_check_cancel(r->ctx));
        }
    }
    return TS_OK;
}

static ts_code take_in_order(bool *more, perfd *r, const record *rec, void *user)
{
    (void)more;
    (void)user;
    return take_record(r, rec);
}

/* --- the order of times ------------------------------------------------------------------------
 */

typedef struct place {
    uint64_t time;
    uint64_t at;
} place;

/* What the records are like. */
typedef struct outlook {
    bool rounds, compressed;
} outlook;

static ts_code look_ahead(bool *more, perfd *r, const record *rec, void *user)
{
    outlook *out = user;
    (void)r;
    out->rounds = out->rounds || rec->type == FINISHED_ROUND;
    out->compressed = out->compressed || rec->type == COMPRESSED || rec->type == COMPRESSED2;
    *more = !out->compressed; /* it may be the last */
    return TS_OK;
}

static ts_code add_place(bool *more, perfd *r, const record *rec, void *user)
{
    ts_sorter *sorter = user;
    place p = {0, rec->at};
    (void)more;
    if (rec->type != SAMPLE && least_of(rec->type) == 0) {
        r->records_skipped++;
        return TS_OK;
    }
    p.time = perfd_record_time(r, rec->type, rec->p, rec->n);
    p.time = p.time == UINT64_MAX ? 0 : p.time; /* neither is a time */
    return ts_sorter_add(sorter, &p);
}

/* A record that is known to be whole. In a spool those that follow are seldom near each other. */
static ts_code read_at(record *rec, perfd *r, uint64_t at)
{
    const uint8_t *p;
    size_t have;
    size_t size;
    if (ts_window_held(r->data)) {
        TS_TRY(ts_window_get(&p, &have, r->data, at, HEAD));
        size = perfd_u16(p + 6);
    } else {
        uint64_t left = r->data_at + r->data_size - at;
        TS_TRY(ts_window_read(&have, r->data, at, r->record, left < 512 ? (size_t)left : 512));
        p = r->record;
        size = have < HEAD ? 0 : perfd_u16(p + 6);
        if (size > have) {
            TS_TRY(ts_window_read(&have, r->data, at, r->record, size));
        }
    }
    if (have < size || size < HEAD) {
        return ts_fail(r->ctx, TS_ERR_INTERNAL, "a record of perf.data has changed");
    }
    *rec = (record){perfd_u32(p), perfd_u16(p + 4), p + HEAD, size - HEAD, at, 0};
    return TS_OK;
}

static ts_code take_place(void *user, const void *sorted)
{
    perfd *r = user;
    const place *p = sorted;
    record rec = {0};
    TS_TRY(read_at(&rec, r, p->at));
    return take_record(r, &rec);
}

static ts_code take_sorted(perfd *r)
{
    const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    uint64_t limit = r->ctx->limits.max_memory / 4;
    size_t memory = limit != 0 && limit < SORT_MEMORY ? (size_t)limit : SORT_MEMORY;
    ts_sorter *sorter = NULL;
    ts_code code = ts_sorter_open(&sorter, r->ctx, sizeof(place), &order, memory);
    TS_STEP(code, each_record(r, true, add_place, sorter));
    TS_STEP(code, ts_sorter_drain(sorter, take_place, r));
    ts_sorter_close(sorter);
    return code;
}

/* --- what was written to a pipe ----------------------------------------------------------------
 */

/* An attribute, whose own length says where its ids begin. */
static ts_code take_attr(perfd *r, const record *rec)
{
    size_t n = rec->n < 8 ? 0 : perfd_u32(rec->p + 4);
    perfd_attr attr;
    if (n < 64 || n > rec->n) {
        return PERFD_ISSUE(r, perf_record_bad, rec->at, "an attribute is cut or damaged");
    }
    perfd_read_attr(&attr, rec->p, n);
    TS_TRY(ts_vec_push(r->ctx, &r->attrs, &attr, sizeof attr));
    for (size_t at = n; at + 8 <= rec->n; at += 8) {
        TS_TRY(ts_idmap_put(r->ctx, &r->attr_of, (int64_t)perfd_u64(rec->p + at), r->attrs.n - 1));
    }
    return TS_OK;
}

static ts_code take_head(bool *more, perfd *r, const record *rec, void *user)
{
    (void)more;
    (void)user;
    if (rec->type == HEADER_ATTR) {
        return take_attr(r, rec);
    }
    if (rec->type != HEADER_FEATURE || rec->n < 8) {
        return TS_OK;
    }
    return perfd_read_section(r, (unsigned)(perfd_u64(rec->p) % PERFD_FEATURES), rec->at + HEAD + 8,
                              rec->n - 8);
}

ts_code perfd_read_pipe(perfd *r)
{
    return each_record(r, false, take_head, NULL);
}

/* --- compressed records ------------------------------------------------------------------------
 */

static ts_code add_plain(void *user, const uint8_t *p, size_t n)
{
    perfd *r = user;
    return ts_window_add(&r->plain, p, n);
}

/* What is compressed is one stream, whichever records it is in. */
static ts_code unpack_record(bool *more, perfd *r, const record *rec, void *user)
{
    ts_unpack *unpack = user;
    const uint8_t *p = rec->p;
    size_t n = rec->n;
    if (rec->type == COMPRESSED2) {
        uint64_t size = n < 8 ? 0 : perfd_u64(p);
        p += n < 8 ? n : 8;
        n -= n < 8 ? n : 8;
        n = size < n ? (size_t)size : n;
    } else if (rec->after > 0) { /* nothing of it is used */
        r->records_skipped++;
        return TS_OK;
    } else if (rec->type != COMPRESSED) {
        return ts_window_add(&r->plain, rec->p - HEAD, rec->n + HEAD);
    }
    r->records_good++;
    TS_TRY(ts_unpack_feed(unpack, p, n));
    if (ts_unpack_fault(unpack) == NULL) {
        return TS_OK;
    }
    *more = false;
    r->records_lost++;
    return PERFD_ISSUE(r, perf_compressed, rec->at, "%s; what follows is lost",
                       ts_unpack_fault(unpack));
}

static ts_code unpack_records(perfd *r)
{
    ts_unpack *unpack = NULL;
    ts_code code = ts_window_begin(&r->plain, UINT64_MAX);
    TS_STEP(code, ts_unpack_open(&unpack, r->ctx, TS_UNPACK_ZSTD, add_plain, r));
    TS_STEP(code, each_record(r, true, unpack_record, unpack));
    ts_unpack_close(unpack);
    r->data = &r->plain;
    r->data_at = 0;
    r->data_size = ts_window_total(&r->plain);
    ts_window_part(&r->plain, 0, r->data_size);
    return code;
}

ts_code perfd_read_records(perfd *r)
{
    outlook out = {false, false};
    TS_TRY(each_record(r, false, look_ahead, &out));
    if (out.compressed) {
        out = (outlook){false, false};
        TS_TRY(unpack_records(r));
        TS_TRY(each_record(r, false, look_ahead, &out));
    }
    r->records_read = true;
    if (!out.rounds) {
        TS_TRY(each_record(r, true, take_in_order, NULL));
        return put_waiting(r);
    }
    TS_NEED(r->ctx, r->record = ts_alloc(r->ctx, PERFD_MAX_RECORD, 1));
    TS_TRY(take_sorted(r));
    return put_waiting(r);
}
