/*
 * The series of CPU times: slots of equal length from the thread's first record on. Most are zero
 * and make no row. A series may go on in further files, each with a header of its own.
 */
#include "parsers/flare/sample_directory.h"

#include "base/alloc.h"
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

static ts_code series_note(flare_dir *dir, const flare_in *in, ts_issue_code issue, uint64_t offset,
                           uint64_t count, const char *text)
{
    return count == 0 ? TS_OK
                      : flare_issue_n(dir, issue, in->name, (int64_t)offset, count, "%s", text);
}

/* --- header --------------------------------------------------------------------------------- */

/* What makes the file unusable, or NULL. */
static ts_code read_series_header(const char **why, series_file *f)
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

/* The number that is in a slot. */
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

static ts_code put_slot(flare_dir *dir, flare_thread *thread, series_file *f, uint64_t slot,
                        int64_t value)
{
    flare_thread_series *series = &thread->series;
    uint64_t offset = f->start + slot * f->width;
    ts_row_timeseries_value row = {.series_id = series->id, .value = (double)value};
    int64_t ms = ts_sat_add(f->begin_ms, ts_sat_mul((int64_t)slot, f->unit_ms));
    bool fits;
    ts_code code = flare_dir_ns(&row.ts, &fits, dir, f->in.name, (int64_t)offset, ms);
    if (value < 0 && f->negative++ == 0) {
        f->first_negative = offset;
    }
    if (f->type == TYPE_U16 && value == UINT16_MAX && f->saturated++ == 0) {
        f->first_saturated = offset;
    }
    if (!series->total_lost && ts_ckd_add(&series->total_us, series->total_us, value)) {
        series->total_lost = true;
        code = code != TS_OK ? code
                             : series_note(dir, &f->in, TS_ISSUE_time_overflow, offset, 1,
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
    if (ns <= begin) {
        return 0;
    }
    uint64_t slot =
        (uint64_t)distance / (uint64_t)unit + ((uint64_t)distance % (uint64_t)unit != 0);
    return slot < f->slots ? slot : f->slots;
}

static ts_code read_values(flare_dir *dir, flare_thread *thread, series_file *f)
{
    flare_thread_series *series = &thread->series;
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
            if (value != 0 && (code = put_slot(dir, thread, f, k + i, value)) != TS_OK) {
                return code;
            }
        }
        k += n;
    }
    from = from < f->slots ? from : f->slots;
    to = to < from ? from : to;
    series->first_slot = from;
    series->end_slot = to;
    dir->slots->seen += f->slots;
    dir->slots->imported += to - from;
    dir->slots->skipped += f->slots - (to - from);
    dir->bytes_skipped += (f->slots - (to - from)) * f->width;
    return TS_OK;
}

/* --- files ---------------------------------------------------------------------------------- */

static ts_code begin_series(flare_dir *dir, flare_thread *thread, const series_file *f)
{
    flare_thread_series *series = &thread->series;
    ts_row_timeseries row = {
        .id = (int64_t)ts_sink_rows(dir->sink, TS_T_timeseries) + 1,
        .source_id = dir->source_id,
        .itid = thread->itid,
        .name = TS_TEXT_LIT("cpu_time"),
        .unit = TS_TEXT_LIT("µs"),
        .interval = f->unit_ms * FLARE_NS_PER_MS,
    };
    series->there = true;
    series->first_value_row = (int64_t)ts_sink_rows(dir->sink, TS_T_timeseries_value) + 1;
    series->id = row.id;
    series->begin_ms = f->begin_ms;
    series->unit_ms = f->unit_ms;
    series->end_ms = f->begin_ms;
    dir->series_ms = dir->series_ms == 0 ? f->unit_ms : dir->series_ms;
    return ts_put_timeseries(dir->sink, &row);
}

static ts_code check_values(flare_dir *dir, flare_thread *thread, const series_file *f)
{
    flare_thread_series *series = &thread->series;
    uint64_t rest = f->in.size > f->start ? (f->in.size - f->start) % f->width : 0;
    int64_t last =
        ts_sat_add(f->begin_ms, ts_sat_mul(f->slots == 0 ? 0 : (int64_t)f->slots - 1, f->unit_ms));
    series->slots = ts_sat_add(series->slots, (int64_t)f->slots);
    series->end_ms = last > series->end_ms ? last : series->end_ms;
    dir->bytes_lost += rest;
    TS_TRY(series_note(dir, &f->in, TS_ISSUE_flare_series_partial, f->in.size - rest, rest != 0,
                       "the last value is incomplete"));
    TS_TRY(series_note(dir, &f->in, TS_ISSUE_flare_series_end, 0, f->slots > 0 && f->end_ms < last,
                       "the end in the header is before that of the values, which count"));
    TS_TRY(series_note(dir, &f->in, TS_ISSUE_flare_series_cut, 0, f->end_ms > last,
                       "the end in the header is after the last value"));
    TS_TRY(series_note(dir, &f->in, TS_ISSUE_flare_value_negative, f->first_negative, f->negative,
                       "values are negative; they were kept"));
    return series_note(dir, &f->in, TS_ISSUE_flare_value_saturated, f->first_saturated,
                       f->saturated, "values are 65535, the maximum of 16 bits: at least that");
}

static ts_code read_series_file(flare_dir *dir, flare_thread *thread, series_file *f)
{
    flare_thread_series *series = &thread->series;
    const char *why;
    ts_code code;
    TS_TRY_INTO(code, read_series_header(&why, f));
    if (why != NULL) {
        dir->bytes_lost += f->in.size;
        return series_note(dir, &f->in, TS_ISSUE_flare_series_bad, 0, 1, why);
    }
    bool from_summary = f->unit_ms <= 0;
    f->unit_ms = from_summary ? flare_dir_interval(dir) : f->unit_ms;
    if (from_summary && f->start > HEAD_FIXED + DOCUMENT_FIELDS + MAGIC &&
        (code = series_note(dir, &f->in, TS_ISSUE_flare_series_unit, 8, 1,
                            "the length of a slot is not positive; that of the summary is used")) !=
            TS_OK) {
        return code;
    }
    if (!series->there) {
        code = begin_series(dir, thread, f);
    } else if (f->unit_ms != series->unit_ms) {
        code = series_note(dir, &f->in, TS_ISSUE_flare_series_unit, 8, 1,
                           "the slots are not as long as in the first file of the series");
    }
    TS_STEP(code, read_values(dir, thread, f));
    TS_STEP(code, check_values(dir, thread, f));
    return code;
}

ts_code flare_series_read(flare_series_check *check, flare_dir *dir, flare_thread *thread,
                          const flare_entry *files, size_t n)
{
    flare_thread_series *series = &thread->series;
    ts_code code = TS_OK;
    *check = (flare_series_check){.dir = dir, .thread = thread};
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        series_file f = {0};
        bool there;
        code = flare_in_open(&there, &f.in, dir, files[i].member);
        TS_STEP_IF(code, there, read_series_file(dir, thread, &f));
        if (code == TS_OK && n == 1 && series->there) {
            if ((check->file = ts_alloc(dir->ctx, 1, sizeof f)) != NULL) {
                *check->file = f;
                return TS_OK;
            }
            code = dir->ctx->error.code;
        }
        flare_in_close(&f.in);
    }
    return code;
}

/* --- the thread ----------------------------------------------------------------------------- */

void flare_series_extend(int64_t *first, int64_t *last, const flare_thread_series *series)
{
    if (series->there && series->slots > 0) {
        *first = series->begin_ms < *first ? series->begin_ms : *first;
        *last = series->end_ms > *last ? series->end_ms : *last;
    }
}

ts_code flare_series_columns(ts_row_flare_thread *row, flare_dir *dir,
                             const flare_thread_series *series)
{
    bool fits;
    if (!series->there) {
        TS_SET_NULL(flare_thread, row, series_id, series_ts, series_end_ts, slot_count,
                    series_cpu_us);
        return TS_OK;
    }
    row->series_id = series->id;
    row->slot_count = series->slots;
    row->series_cpu_us = series->total_us;
    TS_NULL_IF(series->total_lost, flare_thread, row, series_cpu_us);
    ts_code code = flare_dir_ns(&row->series_ts, &fits, dir, NULL, TS_NO_OFFSET, series->begin_ms);
    TS_NULL_IF(!fits, flare_thread, row, series_ts);
    if (code != TS_OK) {
        return code;
    }
    code = flare_dir_ns(&row->series_end_ts, &fits, dir, NULL, TS_NO_OFFSET, series->end_ms);
    TS_NULL_IF(!fits, flare_thread, row, series_end_ts);
    return code;
}

/* --- the series against the stacks ---------------------------------------------------------- */

void flare_series_check_close(flare_series_check *check)
{
    if (check->file != NULL) {
        flare_in_close(&check->file->in);
        ts_free(check->dir->ctx, check->file);
        check->file = NULL;
    }
}

/* The value of a slot; *there is false after the end. */
static ts_code slot_value(int64_t *value, bool *there, series_file *f, uint64_t slot)
{
    const uint8_t *p;
    size_t got;
    *there = false;
    if (slot >= f->slots) {
        return TS_OK;
    }
    ts_code code = flare_in_get(&p, &got, &f->in, f->start + slot * f->width, f->width);
    if (code == TS_OK && got == f->width) {
        *there = true;
        *value = value_of(f, p);
    }
    return code;
}

/* What a slot of the file's type holds of a value. */
static int64_t as_stored(const series_file *f, int64_t value)
{
    switch (f->type) {
    case TYPE_I16:
        return (int16_t)value;
    case TYPE_U16:
        return value > UINT16_MAX ? UINT16_MAX : value;
    case TYPE_I32:
        return (int32_t)value;
    case TYPE_U32:
        return (uint32_t)value;
    default:
        return value;
    }
}

static void note_bad(flare_series_check *check, uint64_t slot)
{
    check->first_bad = check->bad == 0 ? slot : check->first_bad;
    check->bad++;
    check->ended = false;
}

/* Slots from..to - 1 belong to no record: the first one that is not zero is wrong. */
static ts_code check_idle(flare_series_check *check, uint64_t from, uint64_t to)
{
    series_file *f = check->file;
    to = to < f->slots ? to : f->slots;
    while (from < to) {
        uint64_t n = to - from < CHUNK / f->width ? to - from : CHUNK / f->width;
        const uint8_t *p;
        size_t got;
        ts_code code =
            flare_in_get(&p, &got, &f->in, f->start + from * f->width, (size_t)n * f->width);
        if (code != TS_OK || got == 0) {
            return code;
        }
        for (size_t i = 0; i < got; i++) {
            if (p[i] != 0) {
                note_bad(check, from + i / f->width);
                return TS_OK;
            }
        }
        from += n;
    }
    return TS_OK;
}

/* Compares the last record with its slot. */
static ts_code compare_pending(flare_series_check *check)
{
    int64_t value;
    bool there;
    if (!check->pending) {
        return TS_OK;
    }
    check->pending = false;
    ts_code code = slot_value(&value, &there, check->file, check->slot);
    if (code != TS_OK || !there) {
        return code;
    }
    if (value != as_stored(check->file, check->value)) {
        note_bad(check, check->slot);
    } else if (value != 0 && check->bad == 0) {
        check->has_good = true;
        check->good = check->slot;
    } else if (value != 0 && !check->ended) {
        check->ended = true;
        check->end = check->slot;
    }
    return TS_OK;
}

ts_code flare_series_check_record(flare_series_check *check, const flare_object *o, bool follows)
{
    int64_t ms;
    ts_code code;
    if (check->file == NULL || (o->has & FLARE_HAS_TIME) == 0 || (o->has & FLARE_HAS_DELTA) == 0 ||
        ts_ckd_sub(&ms, o->sample_time, check->thread->series.begin_ms)) {
        return TS_OK;
    }
    uint64_t slot = ms < 0 ? 0 : (uint64_t)(ms / check->thread->series.unit_ms);
    if (check->pending && slot != check->slot) {
        if ((code = compare_pending(check)) != TS_OK ||
            (follows && (code = check_idle(check, check->slot + 1, slot)) != TS_OK)) {
            return code;
        }
    }
    check->pending = true;
    check->slot = slot;
    check->value = o->cpu_time_delta / 1000;
    return TS_OK;
}

/* Rows of slots before `slot` among those that were imported. */
static ts_code rows_before(int64_t *rows, flare_series_check *check, uint64_t slot)
{
    *rows = 0;
    for (uint64_t k = check->thread->series.first_slot;
         k < slot && k < check->thread->series.end_slot; k++) {
        int64_t value;
        bool there;
        ts_code code = slot_value(&value, &there, check->file, k);
        if (code != TS_OK || !there) {
            return code;
        }
        *rows += value != 0;
    }
    return TS_OK;
}

ts_code flare_series_check_finish(flare_series_check *check, bool whole)
{
    flare_dir *dir = check->dir;
    int64_t first;
    int64_t last;
    bool any = check->pending;
    ts_code code = check->file == NULL ? TS_OK : compare_pending(check);
    TS_STEP_IF(code, any && whole, check_idle(check, check->slot + 1, UINT64_MAX));
    if (code != TS_OK || check->bad == 0) {
        return code;
    }
    uint64_t from = check->has_good ? check->good + 1 : 0;
    uint64_t to = check->ended ? check->end : check->file->slots;
    if ((code = flare_issue_n(dir, TS_ISSUE_flare_series_differs, check->file->in.name,
                              (int64_t)(check->file->start + check->first_bad * check->file->width),
                              check->bad,
                              "slots differ from the CPU times of the stacks; the values of slots "
                              "%" PRIu64 " to %" PRIu64 " are not known",
                              from, to - 1)) != TS_OK ||
        (code = rows_before(&first, check, from)) != TS_OK ||
        (code = rows_before(&last, check, to)) != TS_OK || last == first) {
        return code;
    }
    return ts_sink_invalidate(
        dir->sink, TS_T_timeseries_value, check->thread->series.first_value_row + first,
        check->thread->series.first_value_row + last - 1,
        TS_NULL_BIT(timeseries_value, ts) | TS_NULL_BIT(timeseries_value, value));
}
