/* -q: where the statements come from. */
#ifndef TS_CLI_QUERY_FILE_H
#define TS_CLI_QUERY_FILE_H

#include "base/buf.h"

#include <dirent.h>

typedef struct ts_query {
    const char *name; /* for messages; borrowed */
    ts_buf sql;       /* released by the caller with ts_buf_free */
    bool is_file;
    bool shipped;   /* it is one of the program's own questions */
    struct stat st; /* of the file */
} ts_query;

/*
 * Reads what -q names: a file ("-": standard input), SQL text (no file, and it has a blank, a
 * bracket or a semicolon), or a shipped question with or without .sql, which is looked for beside
 * the installed program and in the prefix that it was configured for. TS_ERR_USAGE when it is none
 * of them or cannot be read; the nearest name is suggested.
 */
ts_code ts_query_read(ts_query *q, ts_ctx *ctx, const char *name);

/* The folder of the shipped questions, or one in it (folder: "", or "/name"); *out NULL: it is not
 * there. The caller closes it. */
ts_code ts_query_open_shipped(DIR **out, ts_ctx *ctx, const char *folder);

/* The path of another folder that is shipped beside the questions, with a zero byte; empty: it is
 * not there. The caller releases it. */
ts_code ts_query_shipped_folder(ts_buf *path, ts_ctx *ctx, const char *name);

/* Appends the text of a file in an open folder. */
ts_code ts_query_read_at(ts_buf *sql, ts_ctx *ctx, int dir, const char *name);

#endif
