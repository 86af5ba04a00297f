/*
 * What the values of samples are: units that profilers write, and the events that kinds of values
 * stand for. Profiles in many formats share these names, which are those of the Datakit agent.
 */
#ifndef TS_TABLES_PROFILE_KINDS_H
#define TS_TABLES_PROFILE_KINDS_H

#include "base/text.h"

#include <stdint.h>

typedef enum ts_value_kind { TS_VALUE_COUNT, TS_VALUE_DURATION, TS_VALUE_MEMORY } ts_value_kind;

/* "count", "duration", "memory". Static text. */
const char *ts_value_kind_name(ts_value_kind kind);

/* A unit in terms of that of the database: value * scale is in ns, bytes or count. */
typedef struct ts_value_unit {
    ts_value_kind kind;
    int64_t scale;
    const char *base; /* "ns", "bytes", "count" */
} ts_value_unit;

/* Of a unit as profilers write it ("nanoseconds", "us", "KiB"), in letters of any case. What is no
 * time and no memory is a count. */
ts_value_unit ts_value_unit_of(ts_text unit);

/*
 * The event that a kind of value stands for ("samples" of Go: "cpu-samples"). file: the name of the
 * profile's file, which tells mutexes from blocks, and kinds without a name apart; may be NULL.
 * What is not known keeps its name. Borrows from type.
 */
ts_text ts_value_event(ts_text type, ts_text file);

/* What causes samples with values of this event, for stack_sample.event: "cpu", "wall", "alloc",
 * "heap", "lock", "exception", "goroutine"; of others the event itself. */
ts_text ts_sample_cause(ts_text event);

#endif
