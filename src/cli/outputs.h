/*
 * The one place that decides whether an output may be written: none is a file that is read, and no
 * two are the same file. Asked before anything is opened for writing.
 */
#ifndef TS_CLI_OUTPUTS_H
#define TS_CLI_OUTPUTS_H

#include "base/file_set.h"
#include "cli/options.h"
#include "tables/publish.h"

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

#endif
