/*
 * The `snapshot` member: the description of the arrays (meta.*_fields, meta.*_types) and the counts
 * that the file declares. Owned by heap_meta.c, which also gives each array its fields; all other
 * parts read them. Docs: docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_META_H
#define TS_PARSERS_ARKTS_HEAP_META_H

#include "base/buf.h"
#include "parsers/arkts/heap/heap_part.h"

enum { HEAP_MAX_EXTRA = 16 /* fields without a column that are counted one by one */ };

/* How the rows of one array are made, from meta.*_fields. */
typedef struct heap_fields {
    uint32_t stride;
    int8_t target[MAX_FIELDS]; /* column of a position, or -1 */
    uint32_t missing;          /* bit per column that no position feeds */
} heap_fields;

/*
 * snapshot.meta.node_types or edge_types: one element a field. That of the field `type` is the list
 * of names; the others say what a field holds. Entries: a byte (1: of the list), the text, a NUL.
 */
typedef struct heap_types {
    ts_buf entries;
    uint32_t count;
    uint32_t names;    /* entries of the list */
    uint32_t names_at; /* entries before it */
    bool has_list;     /* it was read; without one the first element stands for it */
    bool in_list;      /* while reading */
    bool in_other;     /* inside another list, whose first name stands for its element */
} heap_types;

/* Where in snapshot.meta the reader is. */
enum meta_list { LIST_NONE, LIST_FIELDS, LIST_TYPES };

typedef struct heap_meta {
    bool complete; /* the snapshot object was closed */
    bool seen;
    bool names_count[3]; /* node_count, edge_count, trace_function_count are there */
    bool has_count[3];   /* and are integers */
    int64_t count[3];
    char key[64]; /* last key inside snapshot or snapshot.meta */
    enum meta_list list;
    enum heap_part list_part;
    uint32_t field; /* next position in a list of fields */
    heap_types types[2];
    uint32_t properties;
    ts_tally *extra[HEAP_MAX_EXTRA]; /* tallies of the fields without a column; borrowed */
    enum heap_part extra_part[HEAP_MAX_EXTRA];
    unsigned extras;
    bool unknown[PART_INTS];     /* a field of it has a name that no version of V8 gives */
    uint64_t further[PART_INTS]; /* fields without a column beyond those, per array */
    uint64_t index_types;        /* bit per edge type whose name is an index, not a string */
    uint64_t named_types;        /* bit per node type whose class is the node's name */
    uint64_t foreign_types;      /* bit per node type whose nodes have any ids and sizes */
} heap_meta;

/* Events inside the member; h->depth says where. */
ts_code heap_meta_key(ts_heap *h, const char *p, size_t n);
ts_code heap_meta_begin(ts_heap *h, bool array);
ts_code heap_meta_end(ts_heap *h);
ts_code heap_meta_text(ts_heap *h, ts_text text);
ts_code heap_meta_number(ts_heap *h, const ts_json_number *number);

/* The member is complete: writes its rows of js_heap_info. */
ts_code heap_meta_write(ts_heap *h);

/* Releases what the part owns; it is empty then. */
void heap_meta_reset(ts_heap *h);

/* The description that V8 usually writes. */
void heap_fields_default(heap_fields *fields, enum heap_part part);

/* Number of targets of a part. */
unsigned heap_targets(enum heap_part part);

#endif
