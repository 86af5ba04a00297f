/*
 * Values and labels of samples, for a walk over samples in the order of their ids. In the tables
 * they may be in any order: they are sorted first.
 *
 * Memory: 2 MiB each, and spools (base/sorter.h).
 */
#ifndef TS_EXPORT_EXPORT_DETAILS_H
#define TS_EXPORT_EXPORT_DETAILS_H

#include "base/sorter.h"
#include "tables/table_scan.h"

typedef struct ts_detail {
    uint64_t sample_id;
    int64_t a; /* of a value its kind, of a label the number of its row */
    int64_t b; /* of a value the value */
} ts_detail;

typedef struct ts_details {
    ts_sorter *sorter;
    const ts_detail *next; /* NULL at the end */
} ts_details;

/* All values, or all labels. Release with ts_details_close, also after an error. */
ts_code ts_details_open(ts_details *d, ts_ctx *ctx, ts_reader *reader, bool labels);
void ts_details_close(ts_details *d);

/* The next one of this sample, or NULL. Ids of samples must rise; borrowed until the next call. */
ts_code ts_details_next(const ts_detail **out, ts_details *d, ts_detail *copy, int64_t sample_id);

#endif
