/*
 * Values of a question's rows as people write them: 3.15 s, 12.4 MiB, 79.1 %, 10:02:11.250.
 *
 * What a column holds is known by its name: times end in ts, durations in dur, ns, us or ms, sizes
 * have bytes or size in their name, shares end in share (of 1) or percent. Columns of values whose
 * unit differs (self, total, all, least, greatest, mean, first, last) have it in a column `unit` of
 * their row. The words of `reasons` are followed by ns.
 */
#ifndef TS_CLI_PEOPLE_H
#define TS_CLI_PEOPLE_H

#include "base/buf.h"
#include "tables/database.h"

/* Where times count from: those of the clock of the world are shown as such. */
typedef struct ts_people {
    ts_ctx *ctx;
    int64_t begin, end; /* ns of the recording's rows; 0, 0: not known */
} ts_people;

/* A row: names, values, types of n columns. */
typedef struct ts_people_row {
    const char *const *names;
    const ts_text *values;
    const ts_cell_type *types;
    int n;
} ts_people_row;

/* Appends the value of column i. Texts are appended as they are. */
ts_code ts_people_put(ts_buf *out, const ts_people *p, const ts_people_row *row, int i);

/* Appends a value whose unit is known, such as ns, bytes, % or none. */
ts_code ts_people_in_unit(ts_buf *out, ts_ctx *ctx, double value, ts_text unit);

#endif
