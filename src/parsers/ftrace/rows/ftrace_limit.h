/*
 * --time-range for what events of the kernel become: the machine makes all rows, because
 * the states at the beginning of the range depend on what was before it. They are kept until its
 * end, and those that meet the range go on. Rows get new ids, which are dense again.
 *
 * Memory: the blocks of spools and of a sorter, and a quarter of a byte a row of callstack,
 * frame_slice and set of arguments. Rows that begin after the range are not kept.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_LIMIT_H
#define TS_PARSERS_FTRACE_FTRACE_LIMIT_H

#include "parsers/ftrace/rows/ftrace_args.h"
#include "tables/sink.h"

typedef struct ftrace_limit ftrace_limit;

/* Rows that meet `wanted` go to `to`, borrowed until the end. The caller frees with
 * ftrace_limit_close. */
ts_code ftrace_limit_open(ftrace_limit **out, ts_ctx *ctx, ts_sink *to, const ts_span *wanted);

/* Where the machine puts its rows: rowids go on from those of `to`. The limit's. */
ts_sink *ftrace_limit_sink(ftrace_limit *limit);

/* All rows were put and completed: writes those that meet the range. args: their sets. Once.
 * Errors: memory, the spools', those of `to`. */
ts_code ftrace_limit_finish(ftrace_limit *limit, const ftrace_args *args);

/* NULL is allowed. */
void ftrace_limit_close(ftrace_limit *limit);

#endif
