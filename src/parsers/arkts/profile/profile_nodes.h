/*
 * Nodes of a profile: kept until its end, found by their ids, linked to their parents, written
 * parents first. Owned by profile_nodes.c; profile_read.c fills `now`, the node that is being read,
 * and profile_damage.c marks nodes that samples meet. Docs: docs/formats.md, "CPU profiles".
 */
#ifndef TS_PARSERS_ARKTS_PROFILE_NODES_H
#define TS_PARSERS_ARKTS_PROFILE_NODES_H

#include "base/intvec.h"
#include "base/vec.h"
#include "parsers/arkts/profile/profile.h"

#define NO_INDEX UINT32_MAX

/* The id that stands for a sample that is no integer. */
#define PROFILE_NULL INT64_MIN

enum {
    NODE_HAS_ID = 1,
    NODE_HAS_LINE = 2,
    NODE_HAS_COLUMN = 4,
    NODE_HAS_HITS = 8,
    NODE_HAS_PARENT_ID = 16,
    NODE_BAD_HITS = 32,
    NODE_HAS_FRAME = 64,
    NODE_ORPHAN = 128,
    NODE_MET = 256, /* samples name it, or what it calls */
    NODE_CAME = 512 /* ... and one of those that were passed over */
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
    uint32_t name, module, url, script; /* ids of texts */
    uint32_t parent;                    /* index, or NO_INDEX */
    /* Union-find: towards the root of its tree. When the node's row is written, its depth; when the
     * samples are, their number. */
    uint32_t root;
    uint32_t flags;
} cpu_node;

typedef struct profile_nodes {
    cpu_node *nodes; /* owned, as the slots; grows by an eighth, because nodes are large */
    uint32_t count, cap;
    cpu_node now;   /* the node that is being read */
    ts_vec open;    /* of head: cpu_node, those around it; first_child: of those that are kept */
    ts_intvec kept; /* of head: ids of nodes whose callers are being read */
    ts_intvec children;
    /* Index + 1 by id: a hash table while nodes come, with at least 3/2 as many slots. When all are
     * there, it becomes an array of ids from first_id on if they fit: `by_id`. */
    uint32_t *slots;
    uint32_t slot_count;
    bool by_id;
    int64_t first_id;
    uint32_t id_span; /* ids from the first to the last */
    bool ticks;       /* nodes have positionTicks: V8 wrote this */
    uint64_t seen, lost;
    uint32_t root;    /* index of the node that is the root, or NO_INDEX */
    bool root_merged; /* it has no row: an earlier profile's stands for it */
    uint64_t without_frame;
    uint64_t ids_over; /* ids that do not fit with the offset */
} profile_nodes;

void profile_nodes_free(ts_ctx *ctx, profile_nodes *nodes);

/* With by_id: index + 1 of the node whose id is so much more than the first one, or 0. */
static inline uint32_t profile_by_id(const profile_nodes *nodes, uint64_t more)
{
    return more < nodes->id_span ? nodes->slots[more] : 0;
}

/* The index of the node of this id, or NO_INDEX. */
uint32_t profile_find(const ts_profile *p, int64_t id);

/* The object of a node begins; has come to its end. */
void profile_begin_node(ts_profile *p);
ts_code profile_keep_node(ts_profile *p);

/* The same for nodes that are inside of those that call them. */
ts_code profile_open_node(ts_profile *p);
ts_code profile_close_node(ts_profile *p);

/* An element of nodes that is no node. */
ts_code profile_odd_node(ts_profile *p);

/* All nodes are there: writes their rows. */
ts_code profile_put_nodes(ts_profile *p);

/* The same for references to the node: that of a root without a row is another root's. */
int64_t profile_function_id(ts_profile *p, int64_t id);

#endif
