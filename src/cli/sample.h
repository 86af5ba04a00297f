/* A running Java VM becomes a database. */
#ifndef TS_CLI_SAMPLE_H
#define TS_CLI_SAMPLE_H

#include "cli/options.h"

/* A sampling that prints nothing. */
typedef struct ts_sample_watch {
    void *user;
    bool (*goes_on)(void *user, int64_t elapsed_ms); /* false: it is enough */
    ts_error *error;                                 /* why it failed */
} ts_sample_watch;

/*
 * Samples the process that the only path of the options names for options->seconds, and writes
 * options->export_db. Gives the exit code: that of an input that cannot be opened for what is no
 * Java VM of this user; 0 also when the Java VM ended, or a signal came, before the time was over.
 * watch NULL: errors, progress and the summary are printed.
 */
int ts_sample_into(ts_ctx *ctx, const ts_options *options, const ts_sample_watch *watch);

#endif
