/*
 * The part of a recording that is asked for (--time-range): half-open, in ns. A realtime range is
 * in ns since 1970 (UTC); an offset range counts from the beginning of each recording.
 */
#ifndef TS_BASE_TIME_RANGE_H
#define TS_BASE_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ts_wanted_kind { TS_WANTED_ALL, TS_WANTED_REALTIME, TS_WANTED_OFFSET } ts_wanted_kind;

typedef struct ts_time_range {
    ts_wanted_kind kind;
    int64_t from; /* INT64_MIN: no lower end */
    int64_t to;   /* INT64_MAX: no upper end */
} ts_time_range;

/* The same on the clock of some rows. */
typedef struct ts_span {
    int64_t from, to;
} ts_span;

#define TS_SPAN_ALL ((ts_span){INT64_MIN, INT64_MAX})

static inline bool ts_span_has(const ts_span *span, int64_t ts)
{
    return ts >= span->from && (ts < span->to || span->to == INT64_MAX);
}

#endif
