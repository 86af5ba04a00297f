/*
 * Sampling heap profiles of V8 (.heapprofile: Node.js --heap-prof, "Allocation sampling" of
 * DevTools): JSON events in, rows of stack_* and heap_profile_* out. Call paths are written while
 * they are read; what is sampled at the end, in the order of allocation.
 *
 *     {"head": NODE, "samples": [{"size", "nodeId", "ordinal"} ...]}
 *     NODE: {"callFrame": {...}, "selfSize", "id", "children": [NODE ...]}
 *
 * Memory: 48 bytes a node, 21 to 43 for each id of a node and of samples, 32 for each open level,
 * and SAMPLE_MEMORY for samples, which wait in a sorter. Docs: docs/formats.md, "Heap profiles".
 */
#ifndef TS_PARSERS_HEAPPROFILE_HEAP_PROFILE_H
#define TS_PARSERS_HEAPPROFILE_HEAP_PROFILE_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/sorter.h"
#include "base/vec.h"
#include "json/json_fields.h"
#include "parsers/format.h"
#include "parsers/shared/v8_node.h"

/* Objects and lists of the text. */
typedef enum heap_profile_level {
    AT_TOP = 1,
    AT_NODE,
    AT_FRAME,
    AT_CHILDREN,
    AT_SAMPLES,
    AT_SAMPLE
} heap_profile_level;

/* What was recorded of a node or a sample, beside what all nodes have. */
enum {
    HAS_SIZE = TS_V8_OWN,
    HAS_ORDINAL = TS_V8_OWN * 2,
    SAMPLE_FIELDS = TS_V8_ID | HAS_SIZE | HAS_ORDINAL
};

typedef struct heap_profile_node {
    ts_v8_node v8; /* first */
    int64_t self_size;
} heap_profile_node;

/* A node whose object is open. */
typedef struct heap_profile_frame {
    size_t index;   /* in nodes */
    int64_t parent; /* id of its caller's stack_node, or 0 */
    int64_t depth;
    int64_t method; /* 0: its frame was not read yet */
} heap_profile_frame;

typedef struct heap_profile_sample {
    uint64_t key; /* of the ordinal */
    int64_t ordinal;
    int64_t size;
    int64_t node;
    uint32_t has;
    uint32_t unused;
} heap_profile_sample;

typedef struct heap_profile {
    ts_job *job;
    ts_json *json;
    ts_sink *sink;
    int64_t source_id;
    char name[TS_SOURCE_NAME];

    ts_json_place in;
    bool done; /* the outermost object was closed */
    bool has_head, has_samples;
    bool head_closed, samples_closed;
    ts_buf text, function, url;
    bool text_cut;

    ts_vec nodes; /* heap_profile_node, in the order of the input: parents first */
    ts_vec open;  /* heap_profile_frame, outermost first */
    ts_idmap by_id;
    ts_idmap sampled; /* sum of the samples' sizes, by node id */
    ts_sorter *samples;
    heap_profile_sample sample; /* that is being read */

    uint64_t nodes_seen, nodes_lost;
    uint64_t samples_seen;
    uint64_t late;  /* samples at the end whose nodes are none of the tree */
    int64_t max_id; /* of the nodes */
    uint64_t bad_numbers, texts_cut;
    uint64_t no_id; /* nodes; all of them in profiles of old engines */
    uint64_t fields_missing;
} heap_profile;

/* How its text is read; texts are cleaned. */
extern const ts_json_table heap_profile_table;

/* The call path of a node whose object is open, or was at the end. */
ts_code heap_profile_put(heap_profile *p, const heap_profile_frame *open, heap_profile_node *node);

/* The text has ended: writes what waits, and what is wrong. reason: why the text is no complete
 * JSON, or NULL. */
ts_code heap_profile_write(heap_profile *p, const char *reason);

#endif
