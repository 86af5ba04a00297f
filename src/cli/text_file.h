/*
 * A file for what is no database: standard output, or a file that is published like the database: a
 * hidden temporary beside it that is renamed when it is complete. What is no regular file (a pipe,
 * a device) and what the program was handed open (/dev/fd/3) is written as it is.
 */
#ifndef TS_CLI_TEXT_FILE_H
#define TS_CLI_TEXT_FILE_H

#include "cli/outputs.h"

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

#endif
