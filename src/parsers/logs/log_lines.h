/* Lines of text logs out of blocks of any size. Memory: the longest line, up to LOG_MAX_LINE. */
#ifndef TS_PARSERS_LOGS_LOG_LINES_H
#define TS_PARSERS_LOGS_LOG_LINES_H

#include "base/lines.h"
#include "parsers/format.h"

enum { LOG_MAX_LINE = 1 << 20 };

/* Zero-initialise but for the first three. */
typedef struct log_lines {
    ts_job *job;
    ts_line_call *call;
    void *user;
    ts_lines text;
    uint64_t lost; /* lines that are too long or cut; each is an issue */
} log_lines;

ts_code log_lines_feed(log_lines *l, const uint8_t *p, size_t n);

/* The end: a last line without its end may be cut and is lost. */
ts_code log_lines_end(log_lines *l);

void log_lines_free(log_lines *l);

#endif
