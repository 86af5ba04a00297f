/*
 * What a finished database says, read in one place for exports, questions, comparisons, reports and
 * the page: its sources and threads by the names that people type, times, events and what they
 * weigh, call paths. The layer knows no SQL and no format, reads typed rows (tables/table_rows.h)
 * and writes nothing.
 *
 * A model keeps what was built from the rows until it is closed or its memory is needed. One thread
 * at a time. Texts in results are borrowed from the model, unless a function says otherwise. Errors
 * are in the context: TS_ERR_USAGE when what was asked for does not exist, and the message names
 * what does; TS_ERR_INPUT for rows that cannot be; TS_ERR_LIMIT for memory and for sums; what the
 * watch returns when it ends the work.
 */
#ifndef TS_MODEL_MODEL_H
#define TS_MODEL_MODEL_H

#include "tables/table_rows.h"

typedef struct ts_model ts_model;

/* ctx is borrowed and outlives the model. Caller frees with ts_model_close. */
ts_code ts_model_open(ts_model **out, ts_ctx *ctx);
void ts_model_close(ts_model *m);

/* Where the calls that follow read rows, and who watches them; *from is copied. */
void ts_model_read(ts_model *m, const ts_rows_from *from);

/* A request begins: what was kept so far may be forgotten until it is used again. */
void ts_model_begin(ts_model *m);

ts_ctx *ts_model_ctx(const ts_model *m);
const ts_rows_from *ts_model_rows(const ts_model *m);

/* What the watch says; to be asked once in some 65 536 steps of a loop that reads no rows. */
ts_code ts_model_check(const ts_model *m);
void ts_model_report(const ts_model *m, const char *what, uint64_t done, uint64_t total);

/* Returns what was built in *what, which `release` frees, whole or in part, also after an error. */
typedef ts_code ts_model_build(void **what, ts_model *m, const void *user);
typedef void ts_model_release(ts_ctx *ctx, void *what);

/* What is kept of this kind (a static text) and key, built when it is not there. The model owns it;
 * it is valid until the next ts_model_begin. */
ts_code ts_model_keep(void **what, ts_model *m, const char *kind, const char *key,
                      ts_model_build *build, ts_model_release *release, const void *user);

/* Whether it is kept. */
bool ts_model_has(const ts_model *m, const char *kind, const char *key);

/* Frees what was not used for the longest time. False: all of it was used since ts_model_begin. */
bool ts_model_forget(ts_model *m);

#endif
