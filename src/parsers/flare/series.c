/*
 * The series of CPU times: slots of equal length from the thread's first record on. Most are zero
 * and make no row. A series may go on in further files, each with a header of its own.
 */
#include "parsers/flare/flare_impl.h"

#include "base/bytes.h"
#include "base/ckd.h"

#include <inttypes.h>

enum {
    HEAD_FIXED = 6,
    DOCUMENT_FIELDS = 22, /* without the length of a slot */
    CODE_FIELDS = 26,
    MAGIC = 4,
    CHUNK = 16 * 1024 /* bytes of values looked at in one go; a multiple of all widths */
};

enum { TYPE_I16 = 1, TYPE_U16, TYPE_I32, TYPE_U32, TYPE_I64 };

typedef struct series_file {
    flare_in in;
    unsigned type, width;
    int64_t unit_ms, begin_ms, end_ms;
    uint64_t start; /* of the values */
    uint64_t slots;
    uint64_t negative, saturated, first_negative, first_saturated;
} series_file;

static ts_code note(flare_dir *dir, const flare_in *in, ts_issue_code issue, uint64_t offset,
                    uint64_t count, const char *text)
{
    return count == 0 ? TS_OK
                      : ts_issue_n(dir->store, dir->source_id, issue, in->name, (int64_t)offset,
                                   count, "%s", text);
}

/* --- header --------------------------------------------------------------------------------- */

/* What makes the file unusable, or NULL. */
static ts_code read_header(const char **why, series_file *f)
{
    static const unsigned widths[] = {0, 2, 2, 4, 4, 8};
    ts_bytes b = {0};
    uint16_t fields;
    uint8_t type;
    uint8_t size;
    uint32_t unit = 0;
    uint64_t begin;
    uint64_t end;
    uint32_t count;
    const uint8_t *ignored;
    ts_code code = flare_in_get(&b.p, &b.n, &f->in, 0, HEAD_FIXED + UINT16_MAX + MAGIC);
    *why = "the file is empty";
    if (code != TS_OK || b.n == 0) {
        return code;
    }
    *why = "the file does not begin with TSHS";
    if (!ts_get_span(&ignored, &b, MAGIC) || memcmp(ignored, "TSHS", MAGIC) != 0) {
        return TS_OK;
    }
    *why = "the header ends early";
    if (!ts_get_u16be(&fields, &b)) {
        return TS_OK;
    }
    if (fields != DOCUMENT_FIELDS && fields < CODE_FIELDS) {
        *why = "the length of the header is wrong";
        return TS_OK;
    }
    if (!ts_get_u8(&type, &b) || !ts_get_u8(&size, &b) ||
        (fields != DOCUMENT_FIELDS && !ts_get_u32be(&unit, &b)) || !ts_get_u64be(&begin, &b) ||
        !ts_get_u64be(&end, &b) || !ts_get_u32be(&count, &b)) {
        return TS_OK;
    }
    f->start = HEAD_FIXED + (uint64_t)fields;
    if (b.n >= f->start + MAGIC && memcmp(b.p + f->start, "TSDS", MAGIC) == 0) {
        f->start += MAGIC;
    } else if (fields != DOCUMENT_FIELDS) {
        *why = "the values do not begin with TSDS";
        return TS_OK;
    }
    if (type == 0 || type > TYPE_I64) {
        *why = "the type of the values is unknown";
        return TS_OK;
    }
    *why = NULL;
    f->type = type;
    f->width = widths[type]; /* the size in the header is 2 for every type */
    f->unit_ms = (int32_t)unit;
    f->begin_ms = (int64_t)begin;
    f->end_ms = (int64_t)end;
    f->slots = f->in.size > f->start ? (f->in.size - f->start) / f->width : 0;
    return TS_OK;
}

/* The number that stands in a slot. */
static int64_t value_of(const series_file *f, const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < f->width; i++) {
        v = v << 8 | p[i];
    }
    switch (f->type) {
    case TYPE_I16:
        return (int16_t)v;
    case TYPE_I32:
        return (int32_t)v;
    default:
        return (int64_t)v;
    }
}

/* --- values --------------------------------------------------------------------------------- */

static ts_code put_value(flare_dir *dir, flare_thread *thread, series_file *f, uint64_t slot,
                         int64_t value)
{
    uint64_t offset = f->start + slot * f->width;
    ts_row_timeseries_value row = {.series_id = thread->series_id, .value = (double)value};
    int64_t ms = ts_sat_add(f->begin_ms, ts_sat_mul((int64_t)slot, f->unit_ms));
    bool fits;
    ts_code code = flare_dir_ns(&row.ts, &fits, dir, f->in.name, (int64_t)offset, ms);
    if (value < 0 && f->negative++ == 0) {
        f->first_negative = offset;
    }
    if (f->type == TYPE_U16 && value == UINT16_MAX && f->saturated++ == 0) {
        f->first_saturated = offset;
    }
    if (!thread->total_lost && ts_ckd_add(&thread->total_us, thread->total_us, value)) {
        thread->total_lost = true;
        code = code != TS_OK ? code
                             : note(dir, &f->in, TS_ISSUE_time_overflow, offset, 1,
                                    "the sum of the values does not fit");
    }
    if (fits) {
        ts_range_note(dir->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, row.ts);
    } else {
        TS_SET_NULL(timeseries_value, &row, ts);
    }
    return code != TS_OK ? code : ts_put_timeseries_value(dir->sink, &row);
}

/* The first slot that begins at `ns` or later, at most all. */
static uint64_t slot_from(const series_file *f, int64_t ns)
{
    int64_t begin = ts_sat_mul(f->begin_ms, FLARE_NS_PER_MS);
    int64_t unit = ts_sat_mul(f->unit_ms, FLARE_NS_PER_MS);
    int64_t distance = ts_sat_sub(ns, begin);
    uint64_t slot;
    if (ns <= begin) {
        return 0;
    }
    slot = (uint64_t)distance / (uint64_t)unit + ((uint64_t)distance % (uint64_t)unit != 0);
    return slot < f->slots ? slot : f->slots;
}

static ts_code read_values(flare_dir *dir, flare_thread *thread, series_file *f)
{
    uint64_t from = dir->wanted_all ? 0 : slot_from(f, dir->wanted.from);
    uint64_t to =
        dir->wanted_all || dir->wanted.to == INT64_MAX ? f->slots : slot_from(f, dir->wanted.to);
    uint64_t per_chunk = CHUNK / f->width;
    uint64_t k = from;
    while (k < to) {
        static const uint8_t zeros[CHUNK];
        uint64_t n = to - k < per_chunk ? to - k : per_chunk;
        const uint8_t *p;
        size_t got;
        ts_code code =
            flare_in_get(&p, &got, &f->in, f->start + k * f->width, (size_t)n * f->width);
        if (code != TS_OK) {
            return code;
        }
        if (got / f->width < n) { /* the file could not be read to its end */
            n = got / f->width;
            f->slots = k + n;
            to = f->slots;
        }
        bool idle = memcmp(p, zeros, (size_t)n * f->width) == 0;
        for (uint64_t i = 0; i < n && !idle; i++) {
            int64_t value = value_of(f, p + i * f->width);
            if (value != 0 && (code = put_value(dir, thread, f, k + i, value)) != TS_OK) {
                return code;
            }
        }
        k += n;
    }
    from = from < f->slots ? from : f->slots;
    to = to < from ? from : to;
    dir->slots->seen += f->slots;
    dir->slots->imported += to - from;
    dir->slots->skipped += f->slots - (to - from);
    dir->bytes_skipped += (f->slots - (to - from)) * f->width;
    return TS_OK;
}

/* --- files ---------------------------------------------------------------------------------- */

static ts_code begin_series(flare_dir *dir, flare_thread *thread, const series_file *f)
{
    ts_row_timeseries row = {
        .id = (int64_t)ts_sink_rows(dir->sink, TS_T_timeseries) + 1,
        .source_id = dir->source_id,
        .itid = thread->itid,
        .name = TS_TEXT_LIT("cpu_time"),
        .unit = TS_TEXT_LIT("µs"),
        .interval = f->unit_ms * FLARE_NS_PER_MS,
    };
    thread->has_series = true;
    thread->series_id = row.id;
    thread->begin_ms = f->begin_ms;
    thread->unit_ms = f->unit_ms;
    thread->end_ms = f->begin_ms;
    if (dir->series_interval_ms == 0) {
        dir->series_interval_ms = f->unit_ms;
    }
    return ts_put_timeseries(dir->sink, &row);
}

static ts_code check_values(flare_dir *dir, flare_thread *thread, const series_file *f)
{
    uint64_t rest = f->in.size > f->start ? (f->in.size - f->start) % f->width : 0;
    int64_t last =
        ts_sat_add(f->begin_ms, ts_sat_mul(f->slots == 0 ? 0 : (int64_t)f->slots - 1, f->unit_ms));
    ts_code code;
    thread->slots = ts_sat_add(thread->slots, (int64_t)f->slots);
    thread->end_ms = last > thread->end_ms ? last : thread->end_ms;
    dir->bytes_lost += rest;
    if ((code = note(dir, &f->in, TS_ISSUE_flare_series_partial, f->in.size - rest, rest != 0,
                     "the last value is not whole")) != TS_OK ||
        (code = note(dir, &f->in, TS_ISSUE_flare_series_end, 0, f->slots > 0 && f->end_ms < last,
                     "the end in the header is before that of the values, which count")) != TS_OK ||
        (code = note(dir, &f->in, TS_ISSUE_flare_series_cut, 0, f->end_ms > last,
                     "the end in the header is behind the last value")) != TS_OK ||
        (code = note(dir, &f->in, TS_ISSUE_flare_value_negative, f->first_negative, f->negative,
                     "values are negative; they were kept")) != TS_OK) {
        return code;
    }
    return note(dir, &f->in, TS_ISSUE_flare_value_saturated, f->first_saturated, f->saturated,
                "values are 65535, the most that 16 bits hold: at least so much");
}

static ts_code read_file(flare_dir *dir, flare_thread *thread, series_file *f)
{
    const char *why;
    bool from_summary;
    ts_code code = read_header(&why, f);
    if (code != TS_OK) {
        return code;
    }
    if (why != NULL) {
        dir->bytes_lost += f->in.size;
        return note(dir, &f->in, TS_ISSUE_flare_series_bad, 0, 1, why);
    }
    from_summary = f->unit_ms <= 0;
    if (from_summary) {
        f->unit_ms = flare_dir_interval(dir);
    }
    if (from_summary && f->start > HEAD_FIXED + DOCUMENT_FIELDS + MAGIC &&
        (code = note(dir, &f->in, TS_ISSUE_flare_series_unit, 8, 1,
                     "the length of a slot is not positive; that of the summary was taken")) !=
            TS_OK) {
        return code;
    }
    if (!thread->has_series) {
        code = begin_series(dir, thread, f);
    } else if (f->unit_ms != thread->unit_ms) {
        code = note(dir, &f->in, TS_ISSUE_flare_series_unit, 8, 1,
                    "the slots are not as long as in the first file of the series");
    }
    if (code == TS_OK && (code = read_values(dir, thread, f)) == TS_OK) {
        code = check_values(dir, thread, f);
    }
    return code;
}

ts_code flare_series_read(flare_dir *dir, flare_thread *thread, const flare_entry *files, size_t n)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        series_file f = {0};
        bool there;
        code = flare_in_open(&there, &f.in, dir, files[i].member);
        if (code == TS_OK && there) {
            code = read_file(dir, thread, &f);
        }
        flare_in_close(&f.in);
    }
    return code;
}
