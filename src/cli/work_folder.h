/*
 * A folder for files that a run makes for itself, below the one for temporary files. It is locked
 * while the run lives; those that a killed run has left are removed by the next that makes one.
 */
#ifndef TS_CLI_WORK_FOLDER_H
#define TS_CLI_WORK_FOLDER_H

#include "base/context.h"

#include <dirent.h>

typedef struct ts_work_folder {
    const char *prefix; /* of its name, with which folders of killed runs are found; static */
    /* Removes what such a run makes in its folder, and nothing else. */
    void (*empty)(DIR *dir);
    char *path; /* NULL: there is none */
    int held;   /* the folder, with its lock */
} ts_work_folder;

/* Makes it; prefix and empty are set. TS_ERR_OUTPUT. */
ts_code ts_work_folder_make(ts_work_folder *f, ts_ctx *ctx);

/* Removes it with what `empty` knows. */
void ts_work_folder_remove(ts_work_folder *f, ts_ctx *ctx);

#endif
