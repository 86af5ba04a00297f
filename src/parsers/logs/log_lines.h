/* Lines of text logs out of blocks of any size. Memory: the longest line, up to LOG_MAX_LINE. */
#ifndef TS_PARSERS_LOGS_LOG_LINES_H
#define TS_PARSERS_LOGS_LOG_LINES_H

#include "base/buf.h"
#include "parsers/format.h"

enum { LOG_MAX_LINE = 1 << 20 };

/* A line without its end. */
typedef ts_code log_line_call(void *user, ts_text line);

/* Zero-initialise but for the first three. */
typedef struct log_lines {
    ts_job *job;
    log_line_call *call;
    void *user;
    ts_buf held;
    bool too_long;
    uint64_t number; /* of the line that is handed out, from 1 */
    uint64_t at;     /* offset of its beginning */
    uint64_t fed;
    uint64_t lost; /* lines that are too long or cut; each is an issue */
} log_lines;

ts_code log_lines_feed(log_lines *l, const uint8_t *p, size_t n);

/* The end: a last line without its end may be cut and is lost. */
ts_code log_lines_end(log_lines *l);

void log_lines_free(log_lines *l);

#endif
