/* Scans of a finished database. */
#ifndef TS_SESSION_FINISHED_READER_H
#define TS_SESSION_FINISHED_READER_H

#include "tables/publish.h"
#include "tables/table_scan.h"

/* Told the path of a file while it would stay if the program ended now, then NULL. */
typedef void ts_reader_guard(const char *path);

/*
 * A reader of a finished database of ours. What is in its write-ahead log is read too: of such
 * a database *copy becomes an anonymous copy, else NULL. The caller frees the reader, then the
 * copy. guard: NULL, or told of the copy.
 */
ts_code ts_reader_finished(ts_reader **reader, ts_target **copy, ts_ctx *ctx, const char *path,
                           ts_reader_guard *guard);

#endif
