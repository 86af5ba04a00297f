/*
 * The trace: blocks of events (trace.c), and what of it is interrupted or wrong (interrupt.c).
 * Stream trace: docs/formats.md, "Cloud Profiler".
 *
 * cloud_trace belongs to the pod, zeroed, and owns nothing; only trace.c and interrupt.c touch its
 * fields, and those of cloud_trace_place, one a thread.
 */
#ifndef TS_PARSERS_CLOUD_TRACE_H
#define TS_PARSERS_CLOUD_TRACE_H

#include "parsers/cloud/roots.h"

typedef struct cloud_pod cloud_pod;
typedef struct cloud_thread cloud_thread;

typedef struct cloud_trace {
    bool roots_have_info; /* a root ended with call.info, as all do */
    bool incomplete;      /* the last file of the trace ended in damage */
} cloud_trace;

/* Where a thread is in the trace. */
typedef struct cloud_trace_place {
    int64_t last;    /* ms of its last event */
    size_t root;     /* number of the root that is open */
    bool resync;     /* the next end is that of the root; set while the depth is not known */
    bool lost;       /* the depth is not known; with resync up to its next end */
    bool has_info;   /* the open root's call.info was read */
    uint32_t block;  /* number + 1 of its last block */
    cloud_rows sure; /* when it last was certain that nothing was open */
    bool open;       /* the trace has no end of the root */
    bool ended;      /* but it has a record, which is written after its end */
} cloud_trace_place;

ts_code cloud_trace_import(cloud_pod *pod);

/* --- interruptions (interrupt.c) ------------------------------------------------------------ */

/* All of the trace was read: closes what is open. */
ts_code cloud_trace_end(cloud_pod *pod);

/* A file of the trace follows another one. gap: files between them are missing. What was open
 * before a gap or damage is closed. */
ts_code cloud_trace_follow(cloud_pod *pod, bool gap);

/* The block is not what the agent wrote: it is not certain, and neither is what its thread did
 * since it last was certain that nothing was open. */
ts_code cloud_distrust(cloud_pod *pod, size_t block, const char *why);

/* The same of what is in a root, which begins in the block, and of its length. */
ts_code cloud_distrust_root(cloud_pod *pod, size_t block, size_t root);

/* The root has a record. Is its end, which is written before that, not in the trace? True once. */
bool cloud_trace_lacks_end(cloud_thread *t, size_t root);

/* All calls were read. Roots of which cloud_trace_lacks_end was true: unless the trace was only
 * cut, what is in them is not certain, except for their beginning. strayed: a record has no
 * root where the trace goes on. */
ts_code cloud_distrust_ended(cloud_pod *pod, bool strayed);

#endif
