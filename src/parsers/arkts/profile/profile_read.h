/*
 * The position in a profile's JSON, and the figures that have columns of their own. Owned by
 * profile_read.c, which gives nodes, texts and samples to their parts. Docs: docs/formats.md, "CPU
 * profiles".
 */
#ifndef TS_PARSERS_ARKTS_PROFILE_READ_H
#define TS_PARSERS_ARKTS_PROFILE_READ_H

#include "parsers/arkts/profile/profile.h"

enum profile_member {
    MEMBER_OTHER,
    MEMBER_NODES,
    MEMBER_SAMPLES,
    MEMBER_DELTAS,
    MEMBER_HEAD, /* of old V8: the root, with the nodes that it calls inside of it */
    MEMBER_TIMES /* of old V8: times of samples, not those between them */
};

enum node_member {
    NODE_OTHER,
    NODE_ID,
    NODE_FRAME,
    NODE_HITS,
    NODE_CHILDREN,
    NODE_PARENT,
    FRAME_NAME,
    FRAME_MODULE,
    FRAME_SCRIPT,
    FRAME_URL,
    FRAME_LINE,
    FRAME_COLUMN
};

/* Depths: 1 the profile, 2 one of its arrays, 3 a node, 4 its callFrame or children. In head node k
 * has the depth 2 k, its children have 2 k + 1. */
typedef struct profile_position {
    uint64_t depth;
    uint64_t skip; /* levels inside a value that is not wanted */
    enum profile_member member;
    enum node_member inner;
    char key[64];
    uint32_t properties;
    bool absolute;    /* timestamps came: an old profile, whose times are in seconds */
    unsigned members; /* bit per profile_member that was an array */
    unsigned closed;  /* bit per array that came to its end */
} profile_position;

/* All figures of the row are NULL until they come. */
void profile_clear_figures(ts_row_js_cpu_profile *row);

#endif
