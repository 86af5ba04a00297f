/* --to: a finished database as a file of another format (src/export). */
#ifndef TS_CLI_EXPORT_FILE_H
#define TS_CLI_EXPORT_FILE_H

#include "cli/text_file.h"
#include "export/export.h"

/* What can be known before there is a database: the name of the export. TS_ERR_USAGE. */
ts_code ts_export_file_check(const ts_export **what, ts_ctx *ctx, const ts_options *options);

/*
 * A reader of a finished database of ours. What is in its write-ahead log is read too: of such
 * a database *copy becomes an anonymous copy, else NULL. The caller frees the reader, then the
 * copy.
 */
ts_code ts_export_reader(ts_reader **reader, ts_target **copy, ts_ctx *ctx, const char *path);

/* The base name of a path, for the title of what is written; "standard input" for "-". */
const char *ts_export_title(const char *path);

/* What of the database is wanted. */
ts_stack_filter ts_stack_filter_of(const ts_options *options);

/*
 * Writes it to `file`. db and reader are of the same finished database. Before that, the tables
 * that the export needs are looked at (TS_ERR_USAGE when none has rows; the message says what can
 * be asked instead). `before` is that of a difference, or NULL. That nothing reads standard output
 * any more is no error.
 */
ts_code ts_export_file_write(ts_text_file *file, const ts_export *what, ts_db *db,
                             ts_reader *reader, const ts_export_side *before,
                             const ts_options *options, const char *title);

#endif
