/*
 * The heap reader as a whole, for the heap_*.c files only: each part's header describes
 * its state and who changes it; heap.c owns what is left, the position in the document and what the
 * snapshot is called.
 */
#ifndef TS_PARSERS_ARKTS_HEAP_STATE_H
#define TS_PARSERS_ARKTS_HEAP_STATE_H

#include "parsers/arkts/heap/heap_array.h"
#include "parsers/arkts/heap/heap_chunks.h"
#include "parsers/arkts/heap/heap_classes.h"
#include "parsers/arkts/heap/heap_damage.h"
#include "parsers/arkts/heap/heap_edges.h"
#include "parsers/arkts/heap/heap_guard.h"
#include "parsers/arkts/heap/heap_meta.h"
#include "parsers/arkts/heap/heap_nodes.h"
#include "parsers/arkts/heap/heap_rows.h"
#include "parsers/arkts/heap/heap_strings.h"
#include "parsers/arkts/heap/heap_tree.h"

struct ts_heap {
    ts_ctx *ctx; /* borrowed, as store and sink */
    ts_store *store;
    ts_sink *sink;
    ts_json *json;
    bool open;
    bool raw; /* events come from a reader with raw strings */
    int64_t file_id;
    int64_t source_id;
    int64_t offset; /* in the input, for issues */
    char label[32];
    uint64_t fed; /* bytes of text, or events when it is an object */

    /* The document. */
    uint64_t depth;
    uint64_t skip; /* levels inside a value that is not wanted */
    enum heap_part part;
    bool object; /* it has begun as one */
    bool done;
    bool damaged;
    uint32_t unknown_members;

    heap_meta meta;
    heap_array arrays[PART_INTS];
    heap_nodes nodes;
    heap_edges edges;
    heap_rows rows;
    heap_tree tree;
    heap_strings strings;
    heap_classes classes;
    heap_trust trust[PART_STRINGS + 1];
    heap_damage damage;
    heap_trails trails;
    heap_chunks chunks;

    uint64_t first[TS_TABLE_COUNT]; /* rows of the shared tables before this snapshot */
};

/* Rows of an array, or strings, so far; is it open? */
static inline uint64_t heap_rows_of(const ts_heap *h, enum heap_part part)
{
    return part == PART_STRINGS ? h->strings.count : h->arrays[part].rows;
}

static inline enum part_state heap_state_of(const ts_heap *h, enum heap_part part)
{
    return part == PART_STRINGS ? h->strings.state : h->arrays[part].state;
}

/* heap_end.c: records what the numbers of a snapshot say about it, and its counts. */
ts_code heap_check(ts_heap *h);

/* heap_end.c: writes the js_heap_files row and what belongs to it. */
ts_code heap_put_file(ts_heap *h, const ts_heap_end *end);

#endif
