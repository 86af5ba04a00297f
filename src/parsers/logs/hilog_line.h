/* One line of the system's log as text. */
#ifndef TS_PARSERS_LOGS_HILOG_LINE_H
#define TS_PARSERS_LOGS_HILOG_LINE_H

#include "base/text.h"

#include <stdint.h>

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
