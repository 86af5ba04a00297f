/* The records of a file: strings, classes' names, frames, stacks, and where segments are. */
#include "parsers/hprof/hprof.h"

#include <inttypes.h>

enum { PLACE_BITS = 21, CHAIN = 3, BUDGET = 16 };

typedef struct reader {
    hprof_file *f;
    uint64_t pos;
    uint32_t dump;
    bool filled; /* the dump has a segment */
    bool ended;  /* by an end record, or it was one record */
    uint64_t counts[256];
    uint64_t unknown;
    uint64_t walked; /* bytes before it were looked at as sub-records */
} reader;

static bool is_record(unsigned tag)
{
    return (tag >= HPROF_REC_STRING && tag <= HPROF_REC_LAST_OLD) || tag == HPROF_REC_SEGMENT ||
           tag == HPROF_REC_END;
}

/* A record's head at `pos`, which fits into the file. */
static ts_code head_at(unsigned *tag, uint64_t *length, bool *fits, hprof_file *f, uint64_t pos)
{
    const uint8_t *p;
    size_t n;
    *fits = false;
    TS_TRY(hprof_get(&p, &n, &f->near, pos, HPROF_REC_HEAD));
    if (n < HPROF_REC_HEAD) {
        return TS_OK;
    }
    *tag = p[0];
    *length = hprof_u32(p + 5);
    *fits = *length <= f->total - pos - HPROF_REC_HEAD && is_record(*tag) &&
            (*tag != HPROF_REC_END || *length == 0);
    return TS_OK;
}

/* Whether records follow each other from here: as many as CHAIN, or up to the end of the file, or
 * to a segment without a length that begins as one. */
static ts_code is_chain(bool *yes, hprof_file *f, uint64_t pos)
{
    uint64_t length = 0;
    unsigned tag = 0;
    *yes = pos < f->total;
    for (unsigned i = 0; i < CHAIN && *yes && pos < f->total; i++) {
        TS_TRY(head_at(&tag, &length, yes, f, pos));
        pos += HPROF_REC_HEAD + length;
        if (*yes && length == 0 && (tag == HPROF_REC_SEGMENT || tag == HPROF_REC_DUMP)) {
            hprof_sub s;
            bool good;
            TS_TRY(hprof_sub_read(&s, &good, &f->near, f->id_size, pos, f->total));
            if (good) {
                return TS_OK;
            }
        }
    }
    return TS_OK;
}

/* The next place from `pos` on where records begin again; the end of the file: there is none. */
static ts_code search(uint64_t *at, hprof_file *f, uint64_t pos)
{
    bool found = false;
    for (; pos < f->total && !found; pos++) {
        const uint8_t *p;
        size_t n;
        TS_TRY(hprof_get(&p, &n, &f->in, pos, HPROF_REC_HEAD));
        if (n < HPROF_REC_HEAD) {
            break;
        }
        if (p[0] == HPROF_REC_SEGMENT || p[0] == HPROF_REC_END || p[0] == HPROF_REC_STRING) {
            TS_TRY(is_chain(&found, f, pos));
            pos -= found ? 1 : 0;
        }
        if ((pos & 0xfffff) == 0) {
            TS_TRY(ts_check_cancel(f->ctx));
        }
    }
    *at = found ? pos : f->total;
    return TS_OK;
}

/* --- records of names and stacks -------------------------------------------------------------- */

static ts_code add_string(hprof_file *f, uint64_t at, uint64_t length)
{
    const uint8_t *p;
    size_t n;
    hprof_string *s;
    if (length < f->id_size) {
        return TS_OK;
    }
    TS_TRY(hprof_get(&p, &n, &f->in, at, f->id_size));
    TS_NEED(f->ctx, s = ts_vec_add(f->ctx, &f->strings, sizeof *s));
    s->id = n < f->id_size ? 0 : hprof_id(p, f->id_size);
    length -= f->id_size;
    s->place = (at + f->id_size) << PLACE_BITS | (length > HPROF_NAME ? HPROF_NAME + 1 : length);
    return TS_OK;
}

static ts_code add_class(hprof_file *f, const uint8_t *p)
{
    uint64_t had;
    uint64_t id = hprof_id(p + 4, f->id_size);
    if (!ts_idmap_find(&had, &f->name_of, (int64_t)id)) {
        TS_TRY(ts_idmap_put(f->ctx, &f->name_of, (int64_t)id,
                            hprof_id(p + 8 + f->id_size, f->id_size)));
    }
    return ts_idmap_put(f->ctx, &f->class_of_serial, hprof_u32(p), id);
}

static ts_code add_frame(hprof_file *f, const uint8_t *p)
{
    size_t id = f->id_size;
    uint64_t had;
    hprof_frame frame = {
        .method = hprof_id(p + id, id),
        .signature = hprof_id(p + 2 * id, id),
        .file = hprof_id(p + 3 * id, id),
        .class_serial = hprof_u32(p + 4 * id),
        .line = (int32_t)hprof_u32(p + 4 * id + 4),
    };
    if (ts_idmap_find(&had, &f->frame_of, (int64_t)hprof_id(p, id))) {
        return TS_OK;
    }
    TS_TRY(ts_idmap_put(f->ctx, &f->frame_of, (int64_t)hprof_id(p, id), f->frames.n));
    return ts_vec_push(f->ctx, &f->frames, &frame, sizeof frame);
}

static ts_code add_trace(hprof_file *f, const uint8_t *p, uint64_t at, uint64_t length)
{
    uint64_t most = (length - 12) / f->id_size;
    uint32_t n = hprof_u32(p + 8);
    uint64_t had;
    hprof_trace trace = {.at = at + 12, .frames = n < most ? n : (uint32_t)most};
    f->frames_lost += n - trace.frames;
    if (ts_idmap_find(&had, &f->trace_of, hprof_u32(p))) {
        return TS_OK;
    }
    TS_TRY(ts_idmap_put(f->ctx, &f->trace_of, hprof_u32(p), f->traces.n));
    return ts_vec_push(f->ctx, &f->traces, &trace, sizeof trace);
}

/* A record whose whole length is in the file. */
static ts_code add_record(hprof_file *f, unsigned tag, uint64_t at, uint64_t length)
{
    const uint8_t *p;
    size_t n;
    uint64_t need = tag == HPROF_REC_LOAD    ? 8 + 2 * f->id_size
                    : tag == HPROF_REC_FRAME ? 8 + 4 * f->id_size
                                             : 12;
    if (tag == HPROF_REC_STRING) {
        return add_string(f, at, length);
    }
    if ((tag != HPROF_REC_LOAD && tag != HPROF_REC_FRAME && tag != HPROF_REC_TRACE)) {
        return TS_OK;
    }
    TS_TRY(hprof_get(&p, &n, &f->in, at, (size_t)need));
    if (length < need || n < need) {
        return hprof_lose(f, TS_ISSUE_hprof_record_bad, TS_ITEM_hprof_records, "bad",
                          (int64_t)at - HPROF_REC_HEAD, 1, "record %02x has %" PRIu64 " bytes", tag,
                          length);
    }
    return tag == HPROF_REC_LOAD    ? add_class(f, p)
           : tag == HPROF_REC_FRAME ? add_frame(f, p)
                                    : add_trace(f, p, at, length);
}

/* --- segments ------------------------------------------------------------------------------- */

static ts_code add_segment(reader *r, uint64_t at, uint64_t end, bool whole)
{
    hprof_segment *s;
    if (r->ended && r->filled) {
        r->dump++;
        r->ended = false;
    }
    r->filled = true;
    r->ended = whole;
    TS_NEED(r->f->ctx, s = ts_vec_add(r->f->ctx, &r->f->segments, sizeof *s));
    *s = (hprof_segment){.at = at, .end = end, .dump = r->dump};
    return TS_OK;
}

/* A segment whose end is not known: it ends before what is no sub-record, or is one that the file
 * is too short for (*beyond). */
static ts_code walk_open(uint64_t *end, bool *beyond, hprof_file *f, uint64_t at)
{
    hprof_sub s = {0};
    bool good = true;
    *end = at;
    for (unsigned i = 0; good && *end < f->total; i++) {
        TS_TRY(hprof_sub_read(&s, &good, &f->in, f->id_size, *end, f->total));
        *end = good ? s.next : *end;
        if ((i & 0xfff) == 0) {
            TS_TRY(ts_check_cancel(f->ctx));
        }
    }
    *beyond = !good && s.beyond;
    return TS_OK;
}

/* What is at `pos` is neither a sub-record nor a record: reading goes on where records begin. */
static ts_code resume(reader *r, uint64_t pos)
{
    hprof_file *f = r->f;
    uint64_t at;
    TS_TRY(search(&at, f, pos));
    r->pos = at;
    if (at == f->total) {
        f->cut = true;
        return TS_OK;
    }
    return hprof_lose(f, TS_ISSUE_hprof_record_bad, TS_ITEM_hprof_records, "bad", (int64_t)pos, 1,
                      "%" PRIu64 " bytes are not a record", at - pos);
}

static ts_code open_segment(reader *r, unsigned tag, uint64_t length, uint64_t end, bool beyond)
{
    hprof_file *f = r->f;
    uint64_t at = r->pos + HPROF_REC_HEAD;
    bool record = false;
    TS_TRY(add_segment(r, at, end, tag == HPROF_REC_DUMP));
    if (length == 0 || end == f->total) {
        TS_TRY(ts_issue(f->store, f->source_id, TS_ISSUE_hprof_length, f->name, (int64_t)r->pos,
                        "a dump of %" PRIu64 " bytes has the length %" PRIu64, end - at, length));
    }
    r->pos = end;
    if (end < f->total) {
        TS_TRY(is_chain(&record, f, end));
        if (!record && beyond) {
            f->cut = true;
            r->pos = f->total;
        }
        return record || beyond ? TS_OK : resume(r, end);
    }
    f->cut = f->cut || length > end - at;
    return TS_OK;
}

/* A segment without a length is empty when a record follows. Roots look like records: what ends
 * where records begin, or with the file, is a body all the same. Bytes are walked over once. */
static ts_code zero_segment(bool *empty, uint64_t *end, bool *beyond, reader *r, uint64_t at)
{
    bool border;
    TS_TRY(is_chain(empty, r->f, at));
    *end = at;
    if (*empty && at < r->walked) {
        return TS_OK;
    }
    TS_TRY(walk_open(end, beyond, r->f, at));
    r->walked = *end > r->walked ? *end : r->walked;
    if (*empty && *end > at) {
        TS_TRY(is_chain(&border, r->f, *end));
        *empty = !border && *end < r->f->total;
    }
    return TS_OK;
}

static ts_code segment(reader *r, unsigned tag, uint64_t length)
{
    hprof_file *f = r->f;
    uint64_t at = r->pos + HPROF_REC_HEAD;
    uint64_t left = f->total - at;
    uint64_t end;
    bool beyond = false;
    if (tag == HPROF_REC_DUMP && left >> 32 != 0 && (uint32_t)(left - length) == 0) {
        TS_TRY(ts_issue(f->store, f->source_id, TS_ISSUE_hprof_length, f->name, (int64_t)r->pos,
                        "a dump of %" PRIu64 " bytes has the length %" PRIu64, left, length));
        length = left;
    }
    if (length == 0 && left > 0) {
        bool empty;
        TS_TRY(zero_segment(&empty, &end, &beyond, r, at));
        if (!empty) {
            return open_segment(r, tag, 0, end, beyond);
        }
    }
    if (length > left) {
        TS_TRY(walk_open(&end, &beyond, f, at));
        return open_segment(r, tag, length, end, beyond);
    }
    r->pos = at + length;
    return add_segment(r, at, at + length, tag == HPROF_REC_DUMP);
}

/* --- all records ---------------------------------------------------------------------------- */

static ts_code record(reader *r)
{
    hprof_file *f = r->f;
    const uint8_t *p;
    size_t n;
    uint64_t length;
    unsigned tag;
    TS_TRY(hprof_get(&p, &n, &f->in, r->pos, HPROF_REC_HEAD));
    if (n < HPROF_REC_HEAD) {
        f->cut = true;
        r->pos = f->total;
        return TS_OK;
    }
    tag = p[0];
    length = hprof_u32(p + 5);
    if (tag == HPROF_REC_DUMP || tag == HPROF_REC_SEGMENT) {
        r->counts[tag]++;
        return segment(r, tag, length);
    }
    if (length > f->total - r->pos - HPROF_REC_HEAD) {
        return resume(r, r->pos);
    }
    r->counts[tag] += is_record(tag) ? 1 : 0;
    r->unknown += is_record(tag) ? 0 : 1;
    if (tag == HPROF_REC_END) {
        r->ended = true;
    } else if (!is_record(tag) && r->unknown == 1) {
        TS_TRY(ts_issue(f->store, f->source_id, TS_ISSUE_hprof_record_unknown, f->name,
                        (int64_t)r->pos, "the tag is %02x", tag));
    } else {
        TS_TRY(add_record(f, tag, r->pos + HPROF_REC_HEAD, length));
    }
    r->pos += HPROF_REC_HEAD + length;
    return TS_OK;
}

static ts_code put_counts(const reader *r)
{
    hprof_file *f = r->f;
    for (unsigned tag = 0; tag < 256; tag++) {
        char name[8] = {"0123456789abcdef"[tag >> 4], "0123456789abcdef"[tag & 15], 0};
        if (r->counts[tag] > 0) {
            TS_TRY(ts_count_add(f->store, f->source_id, TS_ITEM_hprof_records, name, r->counts[tag],
                                0, 0));
        }
    }
    return r->unknown == 0 ? TS_OK
                           : ts_count_add(f->store, f->source_id, TS_ITEM_hprof_records, "unknown",
                                          0, 0, r->unknown);
}

static ts_code read_header(bool *good, hprof_file *f)
{
    enum { VERSION = 13, WORD = 19 };
    const uint8_t *p;
    size_t n;
    *good = false;
    TS_TRY(hprof_get(&p, &n, &f->in, 0, WORD + 12));
    if (n < WORD + 12) {
        return TS_OK;
    }
    memcpy(f->version, p + VERSION, WORD - VERSION - 1);
    f->android = strcmp(f->version, "1.0.3") == 0;
    f->id_size = hprof_u32(p + WORD);
    f->time_ms = hprof_u64(p + WORD + 4);
    *good = f->id_size == 4 || f->id_size == 8;
    return TS_OK;
}

ts_code hprof_records(bool *readable, hprof_file *f)
{
    reader r = {.f = f, .pos = 31};
    f->total = ts_window_total(&f->window);
    ts_window_part(&f->window, 0, f->total);
    f->in.window = &f->window;
    f->near.window = &f->window;
    f->near.here_and_there = true;
    f->text_budget = f->total * BUDGET + HPROF_NAME;
    TS_TRY(read_header(readable, f));
    if (!*readable) {
        return TS_OK;
    }
    for (unsigned i = 0; r.pos < f->total; i++) {
        TS_TRY(record(&r));
        if ((i & 0xfff) == 0) {
            TS_TRY(ts_check_cancel(f->ctx));
        }
    }
    f->dumps = r.filled ? r.dump + 1 : 0;
    if (f->cut) {
        TS_TRY(hprof_lose(f, TS_ISSUE_hprof_incomplete, TS_ITEM_hprof_records, "bad",
                          (int64_t)f->total, 1, "the file ends in a record"));
    } else if (!r.ended) {
        TS_TRY(ts_issue(f->store, f->source_id, TS_ISSUE_hprof_no_end, f->name, (int64_t)f->total,
                        "the file ends without one"));
    }
    return put_counts(&r);
}
