/* Inside of the CPU profile reader, shared by the profile_*.c files and by nobody else. */
#ifndef TS_PARSERS_ARKTS_PROFILE_IMPL_H
#define TS_PARSERS_ARKTS_PROFILE_IMPL_H

#include "base/buf.h"
#include "base/intvec.h"
#include "base/pool.h"
#include "base/spool.h"
#include "parsers/arkts/profile.h"

#define NO_INDEX UINT32_MAX

enum {
    NODE_HAS_ID = 1,
    NODE_HAS_LINE = 2,
    NODE_HAS_COLUMN = 4,
    NODE_HAS_HITS = 8,
    NODE_HAS_PARENT_ID = 16,
    NODE_BAD_HITS = 32,
    NODE_HAS_FRAME = 64,
    NODE_ORPHAN = 256,
    NODE_DOUBTED = 128 /* has more samples than it can have: which are its own is not known */
};

typedef struct cpu_node {
    int64_t id;
    int64_t line;
    int64_t column;
    int64_t hits;
    int64_t parent_id;    /* a `parent` member, where the runtime writes that instead of children */
    int64_t stack_node;   /* id of the stack_node row */
    uint64_t first_child; /* in children */
    uint32_t child_count;
    uint32_t name, url, script; /* ids in texts */
    uint32_t parent;            /* index, or NO_INDEX */
    /* Union-find: towards the root of its tree. When the node's row is written, its depth; when the
     * samples are, their number. */
    uint32_t root;
    uint32_t flags;
} cpu_node;

enum profile_member { MEMBER_OTHER, MEMBER_NODES, MEMBER_SAMPLES, MEMBER_DELTAS };
enum node_member {
    NODE_OTHER,
    NODE_ID,
    NODE_FRAME,
    NODE_HITS,
    NODE_CHILDREN,
    NODE_PARENT,
    FRAME_NAME,
    FRAME_SCRIPT,
    FRAME_URL,
    FRAME_LINE,
    FRAME_COLUMN
};

struct ts_profile {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_profile_ids *ids;
    bool open;
    bool done;
    int64_t source_id;
    int64_t offset;
    char name[32];

    uint64_t depth;
    uint64_t skip;
    enum profile_member member;
    enum node_member inner;
    char key[64];
    uint32_t properties;

    ts_row_js_cpu_profile row; /* figures go straight in here */
    bool has_start, has_end;
    int64_t start_us, end_us;

    cpu_node *nodes;
    uint32_t node_count, node_cap;
    cpu_node now; /* the node that is being read */
    ts_intvec children;
    uint32_t *slots; /* hash of ids: index + 1; at least 3/2 of the nodes */
    uint32_t slot_count;
    ts_pool texts;     /* keys of the long ones */
    ts_intvec text_at; /* by id: where a long one stands in the spool */
    ts_spool *spool;   /* of the long ones, or NULL */
    ts_buf text;
    ts_buf clean;
    ts_buf name_text, url_text; /* long ones on their way into rows */
    bool text_cut;
    uint64_t texts_cut;

    ts_intvec samples; /* node ids */
    ts_intvec deltas;  /* µs */
    bool negative;
    bool unmatched;       /* samples and deltas do not belong to each other one by one */
    bool broken;          /* a list ends where parts meet that were not neighbours */
    bool end_early;       /* endTime lies before the last sample */
    bool doubts;          /* some node is NODE_DOUBTED */
    bool shifted;         /* it does not end where the message around it does */
    uint64_t nodes_known; /* samples before the first whose node is not certain */

    unsigned members; /* bit per profile_member that was an array */
    unsigned closed;  /* bit per array that came to its end */
    bool ticks;       /* nodes have positionTicks: V8 wrote this */
    uint64_t nodes_seen, nodes_lost;
    uint64_t bad_numbers, replaced, missing, deltas_bad;
    uint64_t ids_over; /* ids that do not fit with the offset */
    int64_t id_offset;
};

/* The id that stands for a sample that is no integer. */
#define PROFILE_NULL INT64_MIN

/* profile.c */
/* The text of an id of `texts`; a long one is read into `room`. */
ts_code profile_text(ts_profile *p, ts_text *out, ts_buf *room, uint32_t id);

/* profile_nodes.c */
uint32_t profile_find(const ts_profile *p, int64_t id);
/* Lets the cache fetch what profile_find is going to look at. */
void profile_prefetch(const ts_profile *p, int64_t id);
ts_code profile_keep_node(ts_profile *p);
ts_code profile_put_nodes(ts_profile *p);
/* A node id with the profile's offset, or PROFILE_NULL when that does not fit. */
int64_t profile_shift(ts_profile *p, int64_t id);

/* profile_samples.c */
/* Where times go: base + µs, in ns of the clock that the rows are in. */
typedef struct profile_clock {
    ts_clock clock;
    int64_t base_us;   /* added to a time relative to startTime */
    int64_t offset_ns; /* added after the multiplication */
    bool unknown;      /* there is no time to begin with */
    uint64_t over;     /* times that do not fit */
    ts_span wanted;    /* of the samples' times, by --time-range */
    uint64_t skipped;  /* samples outside of it */
} profile_clock;
/* TS_NO_TIME when relative_us is, or when the result does not fit. */
int64_t profile_time(profile_clock *clock, int64_t relative_us);
ts_code profile_put_samples(ts_profile *p, profile_clock *clock, int64_t itid);

/* profile_damage.c */
/* The text broke off inside this list, at a place where parts of it may have been exchanged. */
bool profile_broken_in(const ts_profile *p, enum profile_member member);
/* Times that endTime or the message contradicts become unknown: sets p->unmatched. */
ts_code profile_check_times(ts_profile *p);
/* Sets p->nodes_known, and NODE_DOUBTED. */
ts_code profile_check_samples(ts_profile *p);

#endif
