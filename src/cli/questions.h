/* The shipped questions: finding them, and --questions. */
#ifndef TS_CLI_QUESTIONS_H
#define TS_CLI_QUESTIONS_H

#include "base/buf.h"

typedef struct ts_shipped {
    char *name; /* without .sql */
    ts_buf sql;
    ts_text topic; /* in sql */
} ts_shipped;

typedef struct ts_questions {
    ts_shipped *all; /* in the order of topics and names */
    size_t count;
} ts_questions;

/* Reads all shipped questions. None, and TS_OK, when their folder is not there. */
ts_code ts_questions_load(ts_questions *out, ts_ctx *ctx);
/* The same of a folder in theirs ("/diff"). */
ts_code ts_questions_load_from(ts_questions *out, ts_ctx *ctx, const char *folder);
/* The same; TS_ERR_INPUT when there are none. */
ts_code ts_questions_installed(ts_questions *out, ts_ctx *ctx);
void ts_questions_free(ts_questions *q, ts_ctx *ctx);

/* The name that is nearest to a mistyped one, or NULL. */
const char *ts_questions_nearest(const ts_questions *q, const char *typed);

/*
 * The text of --questions: by topic, the name of each, what it answers, and its parameters. With a
 * name: all that this one says about itself (TS_ERR_USAGE: there is no such question).
 */
ts_code ts_questions_about(ts_buf *out, ts_ctx *ctx, const char *name);

#endif
