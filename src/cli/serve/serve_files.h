/* What is served: databases as they are, recordings converted into temporary ones. */
#ifndef TS_CLI_SERVE_FILES_H
#define TS_CLI_SERVE_FILES_H

#include "base/buf.h"
#include "cli/options.h"

typedef struct ts_serve_files {
    ts_ctx *ctx;
    const char **paths; /* of databases, one an input */
    char **temporary;   /* those of them that are removed at the end; NULL: none */
    size_t count;
    char *folder; /* of the temporary ones, or NULL; those of servers that were killed are removed
                     by the next that needs one */
    int held;     /* the folder, with a lock that ends with the process */
} ts_serve_files;

/*
 * Looks at all inputs, and converts those that are recordings. TS_ERR_FORMAT for databases of other
 * programs, unless --any. *exit_code is what a conversion ended with. The caller ends it with
 * ts_serve_files_free, also after an error.
 */
ts_code ts_serve_files_open(ts_serve_files *f, int *exit_code, ts_ctx *ctx,
                            const ts_options *options);
void ts_serve_files_free(ts_serve_files *f);

/* Writes a file that only this user can read and that leads a browser to `url`; *path: its name. */
ts_code ts_serve_files_page(ts_buf *path, ts_serve_files *f, ts_text url);

#endif
