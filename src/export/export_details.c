#include "export/export_details.h"

#include "tables/rows.h"

enum { DETAILS_MEMORY = 2 << 20 };

static ts_code details_read(ts_details *d, ts_reader *reader, bool labels)
{
    static const unsigned values[] = {TS_C_stack_sample_value__sample_id,
                                      TS_C_stack_sample_value__value_type_id,
                                      TS_C_stack_sample_value__value};
    static const unsigned keys[] = {TS_C_stack_sample_label__sample_id};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code =
        ts_scan_open(&scan, reader, labels ? TS_T_stack_sample_label : TS_T_stack_sample_value,
                     labels ? keys : values, labels ? 1 : 3);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            const ts_detail one = {
                .sample_id = ts_sorter_key(b->columns[0].ints[i]),
                .a = labels ? b->rowids[i] : b->columns[1].ints[i],
                .b = labels ? 0 : b->columns[2].ints[i],
            };
            code = ts_sorter_add(d->sorter, &one);
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code details_step(ts_details *d)
{
    const void *record = NULL;
    ts_code code = ts_sorter_next(&record, d->sorter);
    d->next = code == TS_OK ? record : NULL;
    return code;
}

ts_code ts_details_open(ts_details *d, ts_ctx *ctx, ts_reader *reader, bool labels)
{
    const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    *d = (ts_details){0};
    ts_code code = ts_sorter_open(&d->sorter, ctx, sizeof(ts_detail), &order, DETAILS_MEMORY);
    TS_STEP(code, details_read(d, reader, labels));
    TS_STEP(code, ts_sorter_finish(d->sorter));
    TS_STEP(code, details_step(d));
    return code;
}

void ts_details_close(ts_details *d)
{
    ts_sorter_close(d->sorter);
    *d = (ts_details){0};
}

ts_code ts_details_next(const ts_detail **out, ts_details *d, ts_detail *copy, int64_t sample_id)
{
    uint64_t key = ts_sorter_key(sample_id);
    ts_code code = TS_OK;
    while (code == TS_OK && d->next != NULL && d->next->sample_id < key) {
        code = details_step(d);
    }
    *out = NULL;
    if (code == TS_OK && d->next != NULL && d->next->sample_id == key) {
        *copy = *d->next;
        *out = copy;
        code = details_step(d);
    }
    return code;
}
