/* Parameters and rows of the questions that the model answers. */
#ifndef TS_MODEL_ANSWER_ROWS_H
#define TS_MODEL_ANSWER_ROWS_H

#include "base/buf.h"
#include "model/answers.h"
#include "model/cells.h"

enum { TS_ANSWER_COLUMNS = 16 };

/* As it was typed; NULL: it was not given. */
const char *ts_answer_param(const ts_param *params, size_t count, const char *name);

/* How many of `n` rows the parameter limit leaves; usual: without it. Negative: all. */
uint32_t ts_answer_limit(const ts_param *params, size_t count, uint32_t usual, uint32_t n);

/* The cells of a row, one after the other in a buffer, which the caller frees (text). */
typedef struct ts_answer_row {
    ts_ctx *ctx;
    ts_buf text;
    size_t at[TS_ANSWER_COLUMNS];
    size_t lengths[TS_ANSWER_COLUMNS];
    ts_cell_type types[TS_ANSWER_COLUMNS];
    int n;
    ts_code code; /* the first failure; nothing is put after it */
} ts_answer_row;

void ts_answer_begin(ts_answer_row *r);
void ts_answer_text(ts_answer_row *r, ts_text text); /* p NULL: NULL */
void ts_answer_int(ts_answer_row *r, bool known, int64_t value);
/* The text of a sum, in `out`. */
ts_text ts_answer_number(char out[TS_NUMBER_TEXT], ts_wide value);
void ts_answer_wide(ts_answer_row *r, ts_wide value); /* a real beyond 64 bits, as in SQL */
void ts_answer_sum(ts_answer_row *r, bool known, ts_wide value); /* the same, or NULL */
void ts_answer_real(ts_answer_row *r, bool known, double value);
/* round(100.0 * part / all, 1) */
void ts_answer_percent(ts_answer_row *r, ts_wide part, ts_wide all);
/* Hands the row over. */
ts_code ts_answer_put(ts_answer_row *r, const ts_rows_visitor *visitor);

#endif
