/*
 * What can be trusted in a profile whose parts contradict each other. Owned by profile_damage.c,
 * which explains the method; the end of a profile sets `broken` and `shifted`. Docs: docs/trust.md;
 * docs/formats.md, "CPU profiles".
 */
#ifndef TS_PARSERS_ARKTS_PROFILE_DAMAGE_H
#define TS_PARSERS_ARKTS_PROFILE_DAMAGE_H

#include "parsers/arkts/profile/profile_read.h"

typedef struct profile_damage {
    bool broken;          /* a list ends where parts meet that were not neighbours */
    bool shifted;         /* it does not end where the message around it does */
    uint64_t nodes_known; /* samples before the first whose node is not certain */
} profile_damage;

/* Times that endTime or the message contradicts become unknown: sets samples.unmatched. */
ts_code profile_check_times(ts_profile *p);

/* Sets damage.nodes_known. */
ts_code profile_check_samples(ts_profile *p);

#endif
