/*
 * Where the object of --json goes: standard output, or a file that is published like the database:
 * a hidden temporary beside it that is renamed when it is complete. What is no regular file (a
 * pipe, a device) and what the program was handed open (/dev/fd/3) is written as it is.
 */
#ifndef TS_CLI_JSON_FILE_H
#define TS_CLI_JSON_FILE_H

#include "cli/outputs.h"
#include "cli/summary.h"

typedef struct ts_json_file {
    ts_ctx *ctx;
    const char *name; /* for messages; NULL: there is nothing to write */
    int fd;           /* the file's own, or -1 */
    bool owned;       /* fd is closed by ts_json_file_close */
    ts_target *target;
} ts_json_file;

/* Makes ready what --json asks for, or nothing. Close with ts_json_file_close, also after an error.
 */
ts_code ts_json_file_open(ts_json_file *j, ts_ctx *ctx, const ts_options *options,
                          ts_outputs *outputs);

/* Writes the object, in place of what was written before. */
ts_code ts_json_file_write(ts_json_file *j, const ts_summary *summary);

/* As ts_target_prepare and ts_target_rename; nothing where nothing is to be renamed. */
ts_code ts_json_file_prepare(ts_json_file *j);
ts_code ts_json_file_rename(ts_json_file *j);
void ts_json_file_close(ts_json_file *j);

#endif
