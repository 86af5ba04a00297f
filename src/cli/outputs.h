/*
 * The one place that decides whether an output may be written: none is a file that is read, and no
 * two are the same file. Asked before anything is opened for writing.
 */
#ifndef TS_CLI_OUTPUTS_H
#define TS_CLI_OUTPUTS_H

#include "base/file_set.h"
#include "cli/options.h"
#include "export/export.h"
#include "tables/publish.h"

/* --- outputs.c -------------------------------------------------------------------------------- */

enum { TS_OUTPUTS = 4 };

/* -e, --json=FILE, --log-file or -o of --to. */
typedef struct ts_named_output {
    const char *option;
    const char *path;
    bool exists; /* as a regular file */
    struct stat st;
    ts_place_name name;
} ts_named_output;

typedef struct ts_outputs {
    ts_ctx *ctx;
    ts_file_set args;   /* files that the command line names, when an output could be one of them */
    ts_file_set reads;  /* and the files in its directories */
    bool beside_inputs; /* -e replaces a database of ours in a directory that is read: no format
                           reads such, so a conversion can be repeated */
    bool directory;     /* one is a directory, whose files are written */
    ts_named_output named[TS_OUTPUTS];
    size_t count;
} ts_outputs;

/*
 * Looks at everything that the options name. `query` is the open file of -q, or NULL. TS_ERR_USAGE
 * with a sentence when an output is an input (or a member of a directory, a file of -D, standard
 * input, what links lead to), or another output. Inputs that cannot be examined are skipped:
 * they cannot be read either. Caller frees with ts_outputs_free, also after an error.
 */
ts_code ts_outputs_check(ts_outputs *o, ts_ctx *ctx, const ts_options *options,
                         const struct stat *query);

/* The same question for a file of -s: `name` in the directory `dir`. st: what is there, or
 * NULL. `path` is for the message. */
ts_code ts_outputs_check_name(ts_outputs *o, const struct stat *dir, const char *name,
                              const struct stat *st, const char *path);

/* True when the output's path leads through /proc to a file that is open already. */
bool ts_outputs_is_open_file(const ts_outputs *o, const char *path);

/* For ts_target_options.reads of -e. */
ts_file_set *ts_outputs_reads(ts_outputs *o);
void ts_outputs_free(ts_outputs *o);

/* Gives the database of -e, which ts_signals_guard knows, its name; a signal comes before this and
 * removes it, or after it and changes nothing. */
ts_code ts_outputs_publish(ts_target *database);

/* --- text_file.c ------------------------------------------------------------------------------ */

/*
 * A file for what is no database: standard output, or a file that is published like the database: a
 * hidden temporary beside it that is renamed when it is complete. What is no regular file (a pipe,
 * a device) and what the program was handed open (/dev/fd/3) is written as it is.
 */

typedef struct ts_text_file {
    ts_ctx *ctx;
    const char *name; /* for messages; NULL: there is nothing to write */
    int fd;
    bool owned; /* fd is closed by ts_text_file_close */
    ts_target *target;
} ts_text_file;

/* path NULL: standard output; else borrowed, and one of `outputs`. Close with ts_text_file_close,
 * also after an error. */
ts_code ts_text_file_open(ts_text_file *f, ts_ctx *ctx, const char *path, bool sync,
                          ts_outputs *outputs);

/* Back to the beginning of the file, whose contents go. Nothing for what is no file. */
ts_code ts_text_file_restart(ts_text_file *f);

/* As ts_target_prepare and ts_target_rename; they do nothing where nothing is renamed. */
ts_code ts_text_file_prepare(ts_text_file *f);
ts_code ts_text_file_rename(ts_text_file *f);

/* Zeroed, or closed already: does nothing. */
void ts_text_file_close(ts_text_file *f);

/* --- export_file.c ---------------------------------------------------------------------------- */

/* --to: a finished database as a file of another format (src/export). */

/* What can be known before there is a database: the name of the export, and options that are not
 * for it. TS_ERR_USAGE. */
ts_code ts_export_file_check(const ts_export **what, ts_ctx *ctx, const ts_options *options);

/* The guard of copies that are read (session/finished_reader.h). */
void ts_export_guard(const char *path);

/*
 * A reader of a finished database of ours. What is in its write-ahead log is read too: of such
 * a database *copy becomes an anonymous copy, else NULL. The caller frees the reader, then the
 * copy.
 */
ts_code ts_export_reader(ts_reader **reader, ts_target **copy, ts_ctx *ctx, const char *path);

/* The base name of a path, for the title of what is written; "standard input" for "-". */
const char *ts_export_title(const char *path);

/* TS_ERR_USAGE when none of the tables that the export needs has rows. */
ts_code ts_export_fits(ts_db *db, ts_ctx *ctx, const ts_export *what);

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

/* The same of several databases, which `several` opens and looks at. */
ts_code ts_export_file_several(ts_text_file *file, const ts_export *what,
                               const ts_export_several *several, const ts_options *options,
                               const char *title);

#endif
