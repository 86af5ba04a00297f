/* -q: printing the rows of statements. */
#ifndef TS_CLI_QUERY_ROWS_H
#define TS_CLI_QUERY_ROWS_H

#include "cli/options.h"
#include "cli/print.h"

/*
 * Runs the statements and prints each result as a header line and rows, tab-separated. Tab,
 * newline, carriage return, NUL and backslash inside a value are written \t \n \r \0 \\; NULL is
 * empty; an empty line stands between two results. For a terminal, other control characters are
 * escaped too.
 */
ts_code ts_query_print(ts_db *db, ts_text sql, const ts_options *options, ts_output *out,
                       bool terminal);

#endif
