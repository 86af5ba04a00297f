#include "model/answer_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *ts_answer_param(const ts_param *params, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(params[i].name, name) == 0) {
            return params[i].value;
        }
    }
    return NULL;
}

uint32_t ts_answer_limit(const ts_param *params, size_t count, uint32_t usual, uint32_t n)
{
    const char *limit = ts_answer_param(params, count, "limit");
    int64_t most = limit == NULL ? usual : (int64_t)strtod(limit, NULL);
    return most >= 0 && most < n ? (uint32_t)most : n;
}

void ts_answer_begin(ts_answer_row *r)
{
    r->n = 0;
    r->text.n = 0;
}

static void put_cell(ts_answer_row *r, ts_text text, ts_cell_type type)
{
    r->at[r->n] = r->text.n;
    r->lengths[r->n] = text.n;
    r->types[r->n++] = text.p == NULL ? TS_CELL_NULL : type;
    TS_STEP(r->code, ts_buf_put(r->ctx, &r->text, text.p, text.n));
    TS_STEP(r->code, ts_buf_putc(r->ctx, &r->text, '\0'));
}

void ts_answer_text(ts_answer_row *r, ts_text text)
{
    put_cell(r, text, TS_CELL_TEXT);
}

void ts_answer_int(ts_answer_row *r, bool known, int64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRId64, value);
    put_cell(r, known ? (ts_text){text, (size_t)n} : TS_TEXT_NULL, TS_CELL_INT);
}

ts_text ts_answer_number(char out[TS_NUMBER_TEXT], ts_wide value)
{
    bool fits = value >= INT64_MIN && value <= INT64_MAX;
    return ts_text_of(ts_number_text(out, fits ? TS_CELL_INT : TS_CELL_REAL,
                                     fits ? (int64_t)value : 0, (double)value));
}

void ts_answer_wide(ts_answer_row *r, ts_wide value)
{
    char text[TS_NUMBER_TEXT];
    bool fits = value >= INT64_MIN && value <= INT64_MAX;
    put_cell(r, ts_answer_number(text, value), fits ? TS_CELL_INT : TS_CELL_REAL);
}

void ts_answer_sum(ts_answer_row *r, bool known, ts_wide value)
{
    if (known) {
        ts_answer_wide(r, value);
    } else {
        ts_answer_text(r, TS_TEXT_NULL);
    }
}

void ts_answer_real(ts_answer_row *r, bool known, double value)
{
    char text[TS_NUMBER_TEXT];
    const char *number = ts_number_text(text, TS_CELL_REAL, 0, value);
    put_cell(r, known ? ts_text_of(number) : TS_TEXT_NULL, TS_CELL_REAL);
}

void ts_answer_percent(ts_answer_row *r, ts_wide part, ts_wide all)
{
    if (all == 0) {
        ts_answer_text(r, TS_TEXT_NULL);
        return;
    }
    double tenths = floor(fabs(1000.0 * (double)part / (double)all) + 0.5);
    ts_answer_real(r, true, ((part < 0) != (all < 0) ? -tenths : tenths) / 10);
}

ts_code ts_answer_put(ts_answer_row *r, const ts_rows_visitor *visitor)
{
    const char *values[TS_ANSWER_COLUMNS];
    TS_TRY(r->code);
    for (int i = 0; i < r->n; i++) {
        values[i] = r->types[i] == TS_CELL_NULL ? NULL : r->text.p + r->at[i];
    }
    return visitor->row(visitor->user, values, r->lengths, r->types, r->n);
}
