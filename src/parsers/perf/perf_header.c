/* The header of perf.data and its attributes. */
#include "parsers/perf/perf_data.h"

#include <inttypes.h>

enum { ATTR_LEAST = 64, IDS_SECTION = 16 };

bool ts_perf_reads(const uint8_t *p, size_t n)
{
    return n >= 16 && memcmp(p, "PERFILE2", 8) == 0;
}

/* What is beyond the length that the recorder knew is 0. */
void perfd_read_attr(perfd_attr *out, const uint8_t *p, size_t n)
{
    uint8_t whole[136] = {0};
    memcpy(whole, p, n < sizeof whole ? n : sizeof whole);
    *out = (perfd_attr){
        .type = perfd_u32(whole),
        .config = perfd_u64(whole + 8),
        .period = perfd_u64(whole + 16),
        .sample_type = perfd_u64(whole + 24),
        .read_format = perfd_u64(whole + 32),
        .flags = perfd_u64(whole + 40),
        .branch_type = perfd_u64(whole + 72),
        .regs_user = perfd_u64(whole + 80),
        .clockid = (int32_t)perfd_u32(whole + 92),
    };
    if (perfd_flag(out, PERFD_FLAG_FREQ)) {
        out->period = 0;
    }
}

static ts_code read_ids(bool *good, perfd *r, uint64_t at, uint64_t size, uint64_t number)
{
    perfd_cursor c = {r, at, 0};
    uint64_t id;
    /* Ids of two attributes are not in the same place, so that there are no more than there is
     * room for. */
    *good = at <= r->size && size <= r->size - at && size % 8 == 0 && size <= r->size - r->id_bytes;
    r->id_bytes += *good ? size : 0;
    c.end = *good ? at + size : at;
    while (*good && c.at < c.end) {
        TS_TRY(perfd_take_u64(good, &id, &c));
        TS_TRY(ts_idmap_put(r->ctx, &r->attr_of, (int64_t)id, number));
    }
    return TS_OK;
}

static ts_code read_attrs(bool *good, perfd *r)
{
    perfd_cursor c = {r, r->attrs_at, r->attrs_at + r->attrs_size};
    *good = r->attr_size >= ATTR_LEAST + IDS_SECTION && r->attr_size <= PERFD_MAX_RECORD &&
            r->attrs_at <= r->size && r->attrs_size <= r->size - r->attrs_at &&
            r->attrs_size % r->attr_size == 0;
    while (*good && c.at < c.end) {
        const uint8_t *p;
        perfd_attr attr;
        uint64_t ids_at;
        uint64_t ids_size;
        TS_TRY(perfd_take(&p, &c, (size_t)r->attr_size));
        perfd_read_attr(&attr, p, (size_t)r->attr_size - IDS_SECTION);
        ids_at = perfd_u64(p + r->attr_size - IDS_SECTION);
        ids_size = perfd_u64(p + r->attr_size - 8);
        TS_TRY(ts_vec_push(r->ctx, &r->attrs, &attr, sizeof attr));
        TS_TRY(read_ids(good, r, ids_at, ids_size, r->attrs.n - 1));
    }
    return TS_OK;
}

/* The clock of the times, which is that of the first attribute. */
static ts_code take_clock(perfd *r)
{
    const perfd_attr *attr = r->attrs.p;
    if (r->attrs.n == 0 || !perfd_flag(attr, PERFD_FLAG_USE_CLOCKID)) {
        return TS_OK;
    }
    switch (attr->clockid) {
    case 0:
        r->clock = TS_CLOCK_REALTIME;
        return TS_OK;
    case 1:
        r->clock = TS_CLOCK_MONOTONIC;
        return TS_OK;
    case 4:
        r->clock = TS_CLOCK_MONOTONIC_RAW;
        return TS_OK;
    case 7:
        r->clock = TS_CLOCK_BOOTTIME;
        return TS_OK;
    default:
        return PERFD_ISSUE(r, perf_clock, r->attrs_at, "the clock of the times has the number %d",
                           (int)attr->clockid);
    }
}

/* What was written to a pipe has records after the first 16 bytes, to its end. */
static ts_code begin_pipe(bool *good, perfd *r)
{
    r->pipe = true;
    r->data_at = PERFD_PIPE_HEADER;
    r->data_size = r->size - PERFD_PIPE_HEADER;
    *good = true;
    TS_TRY(perfd_read_pipe(r));
    return r->attrs.n > 0 ? take_clock(r)
                          : PERFD_ISSUE(r, perf_pipe, UINT64_MAX, "it has no events");
}

/* *good: there are records to be read. */
ts_code perfd_read_header(bool *good, perfd *r)
{
    perfd_cursor c = {r, 0, r->size};
    const uint8_t *p;
    bool attrs = false;
    *good = false;
    TS_TRY(perfd_take(&p, &c, PERFD_PIPE_HEADER));
    if (r->host == NULL && (p == NULL || !ts_perf_reads(p, PERFD_PIPE_HEADER))) {
        return ts_fail(r->ctx, TS_ERR_FORMAT,
                       "%s is not perf.data: it does not begin with PERFILE2", r->job->name);
    }
    if (p != NULL && perfd_u64(p + 8) == PERFD_PIPE_HEADER) {
        return begin_pipe(good, r);
    }
    c.at = 0;
    TS_TRY(perfd_take(&p, &c, PERFD_HEADER));
    if (p == NULL || !ts_perf_reads(p, PERFD_HEADER) || perfd_u64(p + 8) != PERFD_HEADER) {
        return PERFD_ISSUE(r, perf_record_bad, UINT64_MAX, "the header is cut or damaged");
    }
    r->attr_size = perfd_u64(p + 16);
    r->attrs_at = perfd_u64(p + 24);
    r->attrs_size = perfd_u64(p + 32);
    r->data_at = perfd_u64(p + 40);
    r->data_size = perfd_u64(p + 48);
    memcpy(r->features, p + 72, sizeof r->features);
    TS_TRY(read_attrs(&attrs, r));
    if (!attrs) {
        TS_TRY(PERFD_ISSUE(r, perf_record_bad, r->attrs_at, "attributes are cut or damaged"));
    }
    if (r->data_at > r->size) {
        r->cut = true;
        return PERFD_ISSUE(r, perf_record_bad, UINT64_MAX, "the recording ends before its data");
    }
    *good = true;
    if (r->data_size == 0 && r->data_at < r->size) {
        r->cut = true;
        TS_TRY(PERFD_ISSUE(r, perf_record_bad, UINT64_MAX,
                           "the recorder did not write how long the data is, so it did not end"));
    } else if (r->data_size > r->size - r->data_at) {
        r->cut = true;
        TS_TRY(PERFD_ISSUE(r, perf_record_bad, r->size,
                           "the data has %" PRIu64 " bytes, %" PRIu64 " are there", r->data_size,
                           r->size - r->data_at));
    }
    r->data_size = r->cut ? r->size - r->data_at : r->data_size;
    return take_clock(r);
}
