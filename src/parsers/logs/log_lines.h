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

/* --- one line of the system's log (hilog_line.c) --------------------------------------------- */

typedef struct hilog_line {
    bool dated; /* the time is a date; else a number of seconds: ns is the time */
    int year;   /* 0: not written */
    int month;  /* from 1 */
    int day;    /* from 1 */
    int64_t ns; /* of the day, or the time itself */
    int32_t pid;
    int32_t tid;
    char level;
    ts_text tag; /* parts of the line */
    ts_text text;
} hilog_line;

/* "[name ]time pid tid L tag: text", time: "[yyyy-]MM-dd hh:mm:ss[.frac]" or "secs.frac", L one of
 * FEWID. False: it is none. */
bool hilog_line_read(hilog_line *out, ts_text line);

/* ns since 1970, UTC; year: that of a date. False: there is no such day, or it does not fit. */
bool hilog_line_time(int64_t *ts, const hilog_line *line, int year);

#endif
