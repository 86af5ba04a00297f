/*
 * -s: recordings as files of their own, byte by byte as they were recorded. Owned by
 * session_extract.c. Docs: docs/formats.md, "ArkTS messages".
 */
#ifndef TS_PARSERS_ARKTS_SESSION_EXTRACT_H
#define TS_PARSERS_ARKTS_SESSION_EXTRACT_H

#include "parsers/arkts/session/session.h"

/* Joins surrogates that a chunk's end has split. */
typedef struct extract_file {
    void *file; /* NULL: none is open */
    char held[3];
    size_t held_n;
} extract_file;

ts_code extract_begin(ts_session *s, extract_file *file, const char *name);

/* joined: the bytes are text that may end inside a surrogate pair. */
ts_code extract_write(ts_session *s, extract_file *file, bool joined, const char *p, size_t n);
ts_code extract_end(ts_session *s, extract_file *file, bool complete);

/* After an error: deletes the file that is open, if any. */
void extract_drop(ts_session *s, extract_file *file);

#endif
