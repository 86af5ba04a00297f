/*
 * Times as they are typed: ns of the clock of the rows, "+2.5s" and "+1m30s" from the beginning,
 * "-1s" before the end, "10:05:11.250" on the day of the recording (UTC), or a date.
 */
#ifndef TS_MODEL_WHEN_H
#define TS_MODEL_WHEN_H

#include "model/sources.h"

/* "2019-09-05T07:44:26.207Z", "2019-09-05 09:44+02:00", "2019-09-05": ns since 1970; without an
 * offset UTC. */
bool ts_parse_date(int64_t *out, const char *text);

/* "2.5s", "100ms", "3", "1m30s": ns. Units are ns, us, ms, s (also when there is none), m and h. */
bool ts_parse_duration(int64_t *out, const char *text);

typedef enum ts_when_kind {
    TS_WHEN_NS,          /* of the clock of the rows */
    TS_WHEN_AFTER_BEGIN, /* of what is selected */
    TS_WHEN_BEFORE_END,
    TS_WHEN_CLOCK, /* since midnight UTC */
    TS_WHEN_DATE   /* since 1970 */
} ts_when_kind;

typedef struct ts_when {
    ts_when_kind kind;
    int64_t ns;
} ts_when;

/* False: it is none of these. Needs no database. */
bool ts_when_parse(ts_when *out, const char *text);

/* Least and greatest time of the rows of the sources; *known is false when they have none. Of all
 * sources that is trace_range. */
ts_code ts_source_range(ts_span *range, bool *known, ts_model *m, const ts_idset *sources);

/* trace_range; *range stays what it is when there is none. */
ts_code ts_whole_range(ts_span *range, ts_model *m);

/* Its time on the clock of the rows of the sources. *why: NULL, or why there is no such time (a
 * static text that follows the time: "is not in the recording"). */
ts_code ts_when_at(int64_t *out, ts_model *m, const ts_when *when, const ts_idset *sources,
                   const char **why);

#endif
