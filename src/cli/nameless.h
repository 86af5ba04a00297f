/*
 * Files of a folder that have no name until they are whole, so that nothing partial is ever left:
 * those of -s, and of exports that write folders. Where the file system has no nameless files they
 * have a hidden name first.
 */
#ifndef TS_CLI_NAMELESS_H
#define TS_CLI_NAMELESS_H

#include "base/context.h"

/* Where they are, and how messages call them. */
typedef struct ts_nameless_folder {
    ts_ctx *ctx;
    int dir;
    const char *path; /* of the folder */
    const char *what; /* "the recording" */
    unsigned made;    /* names that were made up, so that they differ */
} ts_nameless_folder;

typedef struct ts_nameless {
    ts_nameless_folder *folder;
    char *temporary; /* NULL while the file has no name at all */
    int fd;
} ts_nameless;

/* `name` is for messages: names are paths below the folder. Release with ts_nameless_free, also
 * after an error. TS_ERR_OUTPUT. */
ts_code ts_nameless_open(ts_nameless *f, ts_nameless_folder *folder, const char *name);
/* All bytes were written: a file system without nameless files, as network file systems are,
 * reports losses here. */
ts_code ts_nameless_end(ts_nameless *f, const char *name);
/* Gives it its name; with `replace` in the place of what has it, else never. */
ts_code ts_nameless_name(ts_nameless *f, const char *name, bool replace);
void ts_nameless_free(ts_nameless *f);

/* TS_ERR_OUTPUT: "cannot <verb> <what>: path=...". */
ts_code ts_nameless_cannot(const ts_nameless_folder *folder, const char *verb, const char *name,
                           int error);

#endif
