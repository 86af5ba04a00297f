/*
 * --to of exports that write folders: the files of one database below the folder of -o, either
 * <table>.parquet, or, with --layout=hive, for many recordings in one folder,
 * <table>/day=YYYY-MM-DD/recording=<id>/part.parquet and beside it an empty file _SUCCESS.
 *
 * All files are written before the first gets its name (nameless.h), and those called _SUCCESS get
 * theirs after all others. A recording of which one file is there already is refused, unless
 * --force replaces it. The id is the beginning of the SHA-256 of the database: equal for equal
 * recordings, versions of the program and options.
 */
#ifndef TS_CLI_EXPORT_FOLDER_H
#define TS_CLI_EXPORT_FOLDER_H

#include "cli/nameless.h"
#include "cli/outputs.h"
#include "cli/print.h"

typedef struct ts_export_folder {
    ts_ctx *ctx; /* NULL: there is none */
    const ts_options *options;
    const ts_export *what;
    ts_nameless_folder folder;
    bool made;     /* by this run */
    ts_vec files;  /* folder_file */
    ts_output out; /* of the last file */
    uint64_t written;
    char day[16];
    char recording[33];
} ts_export_folder;

/* Opens the folder, and makes it when there is none. TS_ERR_OUTPUT. Close with
 * ts_export_folder_close, also after an error: what was made and is empty goes. */
ts_code ts_export_folder_open(ts_export_folder *f, ts_ctx *ctx, const ts_export *what,
                              const ts_options *options);
/* Writes all files; fd: the database of the reader, open. TS_ERR_OUTPUT also when one of their
 * names is taken. */
ts_code ts_export_folder_write(ts_export_folder *f, ts_db *db, ts_reader *reader, int fd);
/* Gives them their names; nothing without a folder. */
ts_code ts_export_folder_publish(ts_export_folder *f);
void ts_export_folder_close(ts_export_folder *f);

#endif
