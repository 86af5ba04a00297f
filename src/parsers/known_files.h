/*
 * Files that no format reads and that are named all the same, with what can be done: the one table
 * is known_files.def.
 */
#ifndef TS_PARSERS_KNOWN_FILES_H
#define TS_PARSERS_KNOWN_FILES_H

#include "base/text.h"

typedef struct ts_known_file {
    const char *what;
    const char *maker; /* or NULL */
    const char *how;   /* to get something that is read */
} ts_known_file;

/* By the first bytes of a file that no format has recognised. NULL: not known. */
const ts_known_file *ts_known_file_of(ts_text head);

/* The i-th of the table, in its order; NULL after the last one. */
const ts_known_file *ts_known_file_at(size_t i);

#endif
