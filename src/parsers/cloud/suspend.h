/*
 * Pauses of the Java VM. Stream suspend: docs/formats.md, "Cloud Profiler".
 *
 * Kept: 16 bytes a pause. cloud_suspend belongs to the pod from cloud_suspend_open to
 * cloud_suspend_close; only suspend.c touches its fields. Times are ms since 1970.
 */
#ifndef TS_PARSERS_CLOUD_SUSPEND_H
#define TS_PARSERS_CLOUD_SUSPEND_H

#include "base/vec.h"

typedef struct cloud_pod cloud_pod;

/* Pauses are disjoint and in order of time. */
typedef struct cloud_pause {
    int64_t end;
    int64_t sum; /* of all pauses so far, with this one */
} cloud_pause;

typedef struct cloud_suspend {
    ts_vec pauses;    /* cloud_pause */
    int64_t last_end; /* end of the last pause that was read */
    bool lost;        /* that did not fit */
    bool wrong;       /* the file's pauses contradict each other: their times are not known */
    bool first;       /* the next one is the first of its file */
    int64_t known;    /* pauses that end later are not known */
    uint64_t before;  /* rows before those of the file */
} cloud_suspend;

void cloud_suspend_open(cloud_suspend *suspend);
void cloud_suspend_close(cloud_pod *pod);

ts_code cloud_suspend_import(cloud_pod *pod);

/* Any byte of the file may be wrong: nothing is known of its pauses. Errors: memory. */
ts_code cloud_doubt_pauses(cloud_pod *pod);

/* Do the pauses of the file contradict each other? */
bool cloud_suspend_wrong(const cloud_suspend *suspend);

/* All files of the stream were read. */
void cloud_suspend_end(cloud_suspend *suspend);

/* Are all pauses known that ended up to then? */
bool cloud_suspend_known(const cloud_suspend *suspend, int64_t ms);

/* ms in [start, end) during which the Java VM was paused. */
int64_t cloud_paused(const cloud_suspend *suspend, int64_t start, int64_t end);

#endif
