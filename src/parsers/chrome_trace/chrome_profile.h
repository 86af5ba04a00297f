/* CPU profiles in a trace: what chrome_profile_read.c reads and chrome_profile.c writes. */
#ifndef TS_PARSERS_CHROME_TRACE_CHROME_PROFILE_H
#define TS_PARSERS_CHROME_TRACE_CHROME_PROFILE_H

#include "parsers/chrome_trace/chrome_trace.h"
#include "parsers/shared/v8_node.h"

/* A node; its parent comes before or after it. */
typedef struct chrome_node {
    ts_v8_node v8; /* first */
    int64_t parent_id;
    int64_t method;
    uint32_t depth;
    uint32_t parent; /* index + 1; 0: none */
} chrome_node;

enum {
    CHROME_NODE_PARENT = TS_V8_OWN,
    CHROME_NODE_ON_PATH = TS_V8_OWN * 2 /* while callers are looked for */
};

/* A member `children`, where nodes have those instead of parents. */
typedef struct chrome_link {
    int64_t child;
    uint32_t parent; /* index + 1 */
} chrome_link;

typedef struct chrome_profile {
    int64_t source_id;
    int64_t itid;       /* -1: not known */
    int64_t start, end; /* ns; TS_NO_TIME: not known */
    bool began;
    bool negative; /* deltas: samples are not in order of time */
    char name[TS_SOURCE_NAME];
    ts_vec nodes, links; /* chrome_node, chrome_link */
    ts_idmap by_id;      /* index */
    uint64_t samples, samples_skipped;
    uint64_t deltas, deltas_used;
} chrome_profile;

/* A sample, and how samples are sorted. */
typedef struct chrome_sample {
    uint64_t profile;
    uint64_t ts;    /* key: of its event, later its own */
    uint64_t order; /* of its event, later its own */
    uint64_t index; /* in the event */
    int64_t delta;  /* ns; TS_NO_TIME: not known */
    int64_t node;   /* id; TS_NO_TIME: none */
    int64_t event_id;
    int32_t line, column; /* -1: not recorded */
} chrome_sample;

enum chrome_profile_list {
    CHROME_SAMPLES,
    CHROME_DELTAS,
    CHROME_LINES,
    CHROME_COLUMNS,
    CHROME_LISTS
};

struct chrome_profiles {
    ts_vec all;    /* chrome_profile */
    ts_pool keys;  /* process and id */
    ts_vec by_key; /* uint32_t: index in `all` */
    ts_sorter *samples;
    ts_json *json;
    bool any, negative;
    uint64_t count;

    /* the event that is being read */
    uint32_t at_profile; /* index in `all` */
    ts_json_place in;
    ts_buf key;
    ts_intvec lists[CHROME_LISTS];
    uint64_t
        list_from; /* elements of the one that is read that came at an earlier place of the event */
    chrome_node node;
    size_t first_link; /* of its children */
    ts_buf function, url;
    uint64_t odd; /* values that are not what they should be */
};

static inline chrome_profile *chrome_profile_at(const chrome_profiles *p, size_t i)
{
    return (chrome_profile *)p->all.p + i;
}

/* chrome_profile_read.c: the arguments of the event to p->lists and the profile's nodes. */
ts_code chrome_profile_read(chrome_trace *c);

/* chrome_profile_nodes.c: all nodes were read; writes their rows. */
ts_code chrome_profile_put_nodes(chrome_trace *c, chrome_profile *profile);

/* chrome_profile_nodes.c: a node was read. */
ts_code chrome_profile_keep_node(chrome_trace *c);

#endif
