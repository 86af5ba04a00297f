/*
 * Influx line protocol: one point a line. What a reader could take for the end of a key, a value or
 * a line is escaped, or replaced where the protocol has no escape for it.
 */
#ifndef TS_EXPORT_EXPORT_POINTS_H
#define TS_EXPORT_EXPORT_POINTS_H

#include "base/json_out.h"

typedef struct ts_point {
    ts_jout *w;
    bool any_field;
} ts_point;

/* measurement: a plain word. Tags come next, then fields, then ts_point_end. */
void ts_point_begin(ts_point *p, ts_jout *w, const char *measurement);

/* A tag without a key or value is left out. */
void ts_point_tag(ts_point *p, ts_text key, ts_text value);

/* Appends the key as it is written, but without escapes: keys that become equal are the same. */
ts_code ts_point_key(ts_ctx *ctx, ts_buf *out, ts_text key);

/* key: a plain word. An empty text is left out, and so is a number that is not finite. */
void ts_point_text(ts_point *p, const char *key, ts_text value);
void ts_point_int(ts_point *p, const char *key, int64_t value);
void ts_point_real(ts_point *p, const char *key, double value);

/* ns of the epoch; TS_NO_TIME: the point has no time. */
void ts_point_end(ts_point *p, int64_t ts);

#endif
