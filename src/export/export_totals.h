/* Numbers and sums of the values of each upload, by what they stand for. */
#ifndef TS_EXPORT_EXPORT_TOTALS_H
#define TS_EXPORT_EXPORT_TOTALS_H

#include "base/idmap.h"
#include "export/export_uploads.h"

/* Of an upload and an event. */
typedef struct ts_total {
    int64_t source_id; /* of the upload */
    ts_text event;
    uint64_t count;
    int64_t sum;
    bool over; /* the sum does not fit */
} ts_total;

typedef struct ts_totals {
    ts_vec all;   /* ts_total, in the order of their kinds of values */
    ts_vec types; /* uint32_t, by id of stack_value_type: number in `all` + 1 */
    ts_pool events;
    ts_idmap by_key;
} ts_totals;

/* Reads all values. Release with ts_totals_free, also after an error. */
ts_code ts_totals_load(ts_totals *t, ts_ctx *ctx, ts_reader *reader, const ts_uploads *uploads);
void ts_totals_free(ts_totals *t, ts_ctx *ctx);

#endif
