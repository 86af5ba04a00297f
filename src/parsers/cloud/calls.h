/*
 * Records of finished calls, formats 0 to 4. Stream calls: docs/formats.md, "Cloud Profiler".
 *
 * cloud_calls belongs to the pod, zeroed, until cloud_calls_close; only calls.c touches its fields.
 */
#ifndef TS_PARSERS_CLOUD_CALLS_H
#define TS_PARSERS_CLOUD_CALLS_H

#include "base/buf.h"
#include "base/pool.h"
#include "base/vec.h"

typedef struct cloud_pod cloud_pod;

/* The file that is being read. */
typedef struct cloud_calls {
    int format;
    int64_t last; /* start of the call before, ms; at first that of the file */
    bool lost;    /* that did not fit: no start is known any more */
    int64_t record;
    int64_t sure;  /* the last row whose beginning is that of its root, or none of this file's */
    int64_t shift; /* ms from last to what the record before says, when its root says otherwise */
    bool strayed;  /* a record has no root where the trace goes on */
    ts_vec names;  /* uint32_t: numbers in thread_names */
    ts_pool thread_names; /* of all files */
    ts_buf name;          /* scratch: of the record's thread, until its row is put */
} cloud_calls;

void cloud_calls_close(cloud_pod *pod);

ts_code cloud_calls_import(cloud_pod *pod);

/* All calls were read: roots that say that there is a record, which was not found. */
ts_code cloud_calls_end(cloud_pod *pod);

#endif
