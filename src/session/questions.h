/* The shipped questions: finding them, and --questions. */
#ifndef TS_SESSION_QUESTIONS_H
#define TS_SESSION_QUESTIONS_H

#include "base/buf.h"

#include <dirent.h>

/* --- questions.c ------------------------------------------------------------------------------ */

typedef struct ts_shipped {
    char *name; /* without .sql */
    ts_buf sql;
    ts_text topic; /* in sql */
} ts_shipped;

typedef struct ts_questions {
    ts_shipped *all; /* in the order of topics and names */
    size_t count;
} ts_questions;

/* Reads all shipped questions, and the user's own ones whose names no shipped one has. None, and
 * TS_OK, when there are no folders. */
ts_code ts_questions_load(ts_questions *out, ts_ctx *ctx);
/* The same of a folder in theirs ("/diff"). */
ts_code ts_questions_load_from(ts_questions *out, ts_ctx *ctx, const char *folder);
/* The same; TS_ERR_INPUT when there are none. */
ts_code ts_questions_installed(ts_questions *out, ts_ctx *ctx);
void ts_questions_free(ts_questions *q, ts_ctx *ctx);

/* The one of that name, with or without .sql; NULL: there is none. */
const ts_shipped *ts_questions_find(const ts_questions *q, const char *name);

/* The text of --questions: by topic, the name of each, what it answers, and its parameters. */
ts_code ts_questions_list(ts_buf *out, ts_ctx *ctx, const ts_questions *q);

/* The name that is nearest to a mistyped one, or NULL. */
const char *ts_questions_nearest(const ts_questions *q, const char *typed);

/*
 * The text of --questions=NAME: all that this one says about itself (TS_ERR_USAGE: there is no such
 * question); without a name the list of those that are shipped.
 */
ts_code ts_questions_about(ts_buf *out, ts_ctx *ctx, const char *name);

/* --- query_file.c ----------------------------------------------------------------------------- */

/* -q: where the statements come from. */

typedef struct ts_query {
    const char *name; /* for messages; borrowed */
    ts_buf sql;       /* released by the caller with ts_buf_free */
    bool is_file;
    bool shipped;   /* it is a question that has a name, of the program or of the user */
    struct stat st; /* of the file */
} ts_query;

/*
 * Reads what -q names: a file ("-": standard input), SQL text (no file, and it has a blank, a
 * bracket or a semicolon), or a question with or without .sql: a shipped one, which is looked for
 * beside the installed program and in the prefix that it was configured for, or one of the user's
 * own. TS_ERR_USAGE when it is none
 * of them or cannot be read; the nearest name is suggested.
 */
ts_code ts_query_read(ts_query *q, ts_ctx *ctx, const char *name);

/* The same, of a shipped question alone. */
ts_code ts_query_read_shipped(ts_query *q, ts_ctx *ctx, const char *name);

/* The next folder of ctx->question_dirs, which `rest` begins as; false: there is none more. */
bool ts_query_own_folder(ts_text *folder, const char **rest);

/* The folder of the shipped questions, or one in it (folder: "", or "/name"); *out NULL: it is not
 * there. The caller closes it. */
ts_code ts_query_open_shipped(DIR **out, ts_ctx *ctx, const char *folder);

/* The path of another folder that is shipped beside the questions, with a zero byte; empty: it is
 * not there. The caller releases it. */
ts_code ts_query_shipped_folder(ts_buf *path, ts_ctx *ctx, const char *name);

/* Appends the text of a file in an open folder. */
ts_code ts_query_read_at(ts_buf *sql, ts_ctx *ctx, int dir, const char *name);

#endif
