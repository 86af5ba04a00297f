/* -q: the statements, where they are found, and printing their rows. */
#ifndef TS_CLI_QUERY_FILE_H
#define TS_CLI_QUERY_FILE_H

#include "base/buf.h"
#include "cli/options.h"
#include "cli/print.h"

/*
 * Reads the file of -q ("-": standard input). A name that ends in .sql, has no slash and is no file
 * here is looked up among the shipped questions: beside the installed program, in the prefix it
 * was configured for. *st: the file that was read. TS_ERR_USAGE when it is nowhere or cannot be
 * read.
 */
ts_code ts_query_read(ts_buf *sql, struct stat *st, ts_ctx *ctx, const char *name);

/*
 * Runs the statements and prints each result as a header line and rows, tab-separated. Tab,
 * newline, carriage return, NUL and backslash inside a value are written \t \n \r \0 \\; NULL is
 * empty; an empty line stands between two results. For a terminal, other control characters are
 * escaped too.
 */
ts_code ts_query_print(ts_db *db, const ts_buf *sql, const ts_options *options, ts_output *out,
                       bool terminal);

#endif
