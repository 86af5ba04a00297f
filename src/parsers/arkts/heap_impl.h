/* Inside of the heap reader: its state, shared by the heap_*.c files and by nobody else. */
#ifndef TS_PARSERS_ARKTS_HEAP_IMPL_H
#define TS_PARSERS_ARKTS_HEAP_IMPL_H

#include "base/buf.h"
#include "base/intvec.h"
#include "base/spool.h"
#include "parsers/arkts/heap.h"
#include "tables/formats/arkts/arkts_constants.h"

/* The top-level members of a snapshot. The first six are arrays of integers with a description. */
enum heap_part {
    PART_NODES,
    PART_EDGES,
    PART_LOCATIONS,
    PART_SAMPLES,
    PART_FUNCTIONS,
    PART_TREE,
    PART_INTS, /* number of those */
    PART_STRINGS = PART_INTS,
    PART_SNAPSHOT,
    PART_OTHER
};

enum {
    MAX_FIELDS = 64, /* positions of a row that are looked at */
    MAX_TARGETS = 8, /* columns that a row can feed */
    NODE_TYPE = 0,   /* targets of nodes, in the order of V8's usual description */
    NODE_NAME,
    NODE_ID,
    NODE_SELF_SIZE,
    NODE_EDGE_COUNT,
    NODE_TRACE_NODE_ID,
    NODE_DETACHEDNESS,
    EDGE_TYPE = 0,
    EDGE_NAME,
    EDGE_TO,
    TREE_CHILDREN = 4,
    EDGES_PER_BLOCK = TS_HEAP_EDGE_BLOCK,
    RECENT_CLASSES = 256,
    HEAP_LONG_TEXT = 1 << 20,
    MAX_EXTRA = 16 /* fields without a column that are counted one by one */
};

/* Marks an element that is no integer; a real INT64_MIN in a heap is treated like one. */
#define HEAP_NULL INT64_MIN

#define HEAP_NO_TARGET UINT64_MAX

/* How the rows of one array are made, from meta.*_fields. */
typedef struct heap_fields {
    uint32_t stride;
    int8_t target[MAX_FIELDS]; /* column of a position, or -1 */
    uint32_t missing;          /* bit per column that no position feeds */
} heap_fields;

enum part_state { PART_ABSENT, PART_OPEN, PART_CLOSED };

typedef struct heap_array {
    enum part_state state;
    heap_fields fields;
    bool described; /* fields come from the snapshot */
    ts_spool *spool;
    uint64_t spooled;
    uint32_t at; /* position in the row */
    int64_t row[MAX_TARGETS];
    uint32_t nulls;
    uint64_t rows;
    uint64_t bad;     /* elements that are no integers */
    uint64_t partial; /* rows cut by the end of the array */
} heap_array;

/*
 * snapshot.meta.node_types or edge_types: one element a field. That of the field `type` is the list
 * of names; the others say what a field holds. Entries: a byte (1: of the list), the text, a NUL.
 */
typedef struct heap_types {
    ts_buf entries;
    uint32_t count;
    uint32_t names;    /* entries of the list */
    uint32_t names_at; /* entries before it */
    bool has_list;     /* it was met; without one the first element stands for it */
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
    ts_tally *extra[MAX_EXTRA]; /* tallies of the fields without a column */
    enum heap_part extra_part[MAX_EXTRA];
    unsigned extras;
    uint64_t further[PART_INTS]; /* fields without a column beyond those, per array */
    uint64_t index_types;        /* bit per edge type whose name is an index, not a string */
    uint64_t named_types;        /* bit per node type whose class is the node's name */
    uint64_t foreign_types;      /* bit per node type whose nodes need not be V8's objects */
} heap_meta;

/* A class of the histogram: a type, and for types whose class is the name also that. */
typedef struct heap_class {
    int64_t type; /* HEAP_NULL: not known */
    int64_t name; /* string index, or HEAP_NULL */
    int64_t count;
    int64_t self_size;
} heap_class;

typedef struct heap_classes {
    heap_class *entries;
    uint32_t *slots; /* hash: index + 1 */
    /* Entries that were used last, by the lower bits of their names: most nodes need no hash. What
     * stands here is only a guess, so that it needs no key. */
    uint32_t recent[RECENT_CLASSES];
    uint32_t count;
    uint32_t cap;
} heap_classes;

/* A place between two rows of an array: how many are before it, and their self_size. */
typedef struct heap_place {
    uint64_t rows; /* UINT64_MAX: there is none */
    int64_t self_size;
} heap_place;

/*
 * How far an array can be trusted when something is missing (heap_damage.c). use[1] is behind the
 * last row whose string is used for the first time and has the number that V8 gives it then, use[0]
 * behind the one before it; seam[i] is the first end of a chunk behind use[i].
 */
typedef struct heap_trust {
    heap_place use[2];
    heap_place seam[2];
    heap_place first_seam;
    heap_place limit; /* what follows is not in its order, or there twice */
    uint64_t bad;     /* first row that cannot be right, or UINT64_MAX */
    heap_place guard; /* HEAP_GUARD before that row, or before the first odd one */
    bool irregular;   /* the first rows are not like those of V8 */
    bool odd;         /* another row is unlike those of V8: damage, if anything else contradicts */
    bool spooled;
    bool damaged;     /* set at the end */
    bool keeps_cells; /* cells that do not depend on the place are right */
    uint64_t known;   /* rows that are right, when damaged */
} heap_trust;

/*
 * What contradicts is found a little behind the damage: transports and devices lose, double or
 * exchange blocks. So the rows this close before a contradiction are not believed: this many
 * numbers, each of which takes two bytes of text or more, or twice as many bytes of strings.
 */
enum { HEAP_GUARD = 8192 };

enum { SOME_USES = 16 }; /* first uses in order, or regular rows, that tell V8's from others */

/* Places of the nodes or strings that came last, one for each HEAP_TRAIL_STEP numbers (two bytes of
 * a string each): enough of them to go back by HEAP_GUARD. */
enum { HEAP_TRAIL = 16, HEAP_TRAIL_STEP = 1024 };

typedef struct heap_trail {
    heap_place place[HEAP_TRAIL]; /* a ring */
    uint64_t at[HEAP_TRAIL];      /* numbers before it */
    uint64_t count;
    uint64_t next; /* numbers before the next one */
} heap_trail;

/* State at the beginning of a chunk. */
typedef struct heap_mark {
    heap_place place[PART_STRINGS + 1];
    enum heap_part part; /* the one that is open */
    bool has_ts;
    int64_t ts;
    uint64_t bytes; /* of the chunk */
    char head[64];  /* of its text */
    size_t head_n;
} heap_mark;

enum { HEAP_MARKS = 16 };

struct ts_heap {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_json *json;
    bool open;
    bool raw; /* events come from a reader with raw strings */
    int64_t file_id;
    int64_t source_id;
    int64_t offset;
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
    enum part_state strings_state;

    /* Nodes, for the ends of the edges. */
    ts_intvec ids;
    ts_intvec edge_counts;
    uint64_t edge_count_sum;
    uint64_t owner_stop; /* first node whose edge_count is unusable, or UINT64_MAX */
    bool nodes_done;
    bool owners_unknown;
    uint64_t owner;     /* node that owns the next edge */
    int64_t owner_left; /* edges of it that are to come */
    int64_t owner_id;
    int64_t self_size;
    bool self_size_overflow;

    ts_row_js_heap_edge_block block;
    uint64_t edges_unowned;
    uint64_t edges_bad_target;
    uint64_t bad_edge_counts;
    int64_t
        node_name_max; /* largest string index of a node, of an edge; INT64_MAX: a negative one */
    int64_t edge_name_max;
    int64_t function_index_max;

    heap_classes classes;

    /* What is known of the places of rows. */
    heap_trust trust[PART_STRINGS + 1];
    heap_trail node_trail;
    heap_trail string_trail;
    uint64_t string_bytes; /* of those so far, with quotes and comma */
    bool broken;           /* the text around the snapshot is damaged where it ends */
    int64_t next_name;     /* number of the next string that V8 uses for the first time */
    uint64_t first_uses;   /* strings that had that number */
    bool names_disordered; /* one had not */
    int64_t function_name_max;
    int64_t tree_id_max;
    uint64_t target_stop; /* nodes that an edge can point at */
    uint64_t early_known; /* nodes that were taken for right when the edges came */
    bool samples_disordered;
    bool contradicted;   /* its parts do not fit each other */
    uint64_t lost;       /* not 0: rows are declared and not there, or cut */
    uint64_t unknown;    /* cells that were made NULL */
    uint64_t duplicates; /* nodes with an id that a node before them has */
    uint64_t issues_before;

    /* Chunks. */
    heap_mark marks[HEAP_MARKS]; /* a ring */
    uint64_t mark_count;
    uint64_t chunk_size; /* of the first one */
    bool chunks_differ;
    int64_t latest_ts; /* of all chunks */
    bool has_latest;
    uint64_t suspect; /* number of the mark from which on chunks may be out of order, or MAX */
    bool misplaced;   /* they are */

    /* Strings. */
    ts_buf text;
    ts_buf clean;
    bool text_cut;
    ts_spool *long_text; /* a string that is too long to be held */
    uint64_t long_taken; /* bytes of it */
    uint64_t strings;
    uint64_t strings_not_text;
    uint64_t strings_cut;
    uint64_t replaced;      /* ill-formed parts of strings that were kept */
    uint64_t json_replaced; /* the reader's count before the string under way */

    /* The trace tree: ids of the open parents. */
    ts_intvec parents;
    uint64_t tree_bad;

    uint64_t *located; /* a bit per node that a location was met of */
    int64_t last_sample_us;
    int64_t last_sample_id;

    /* Rows of the shared tables before this snapshot. */
    uint64_t first[TS_TABLE_COUNT];
};

/* heap.c */
const char *heap_part_name(enum heap_part part);

/* heap_meta.c */
ts_code heap_meta_key(ts_heap *h, const char *p, size_t n);
ts_code heap_meta_begin(ts_heap *h, bool array);
ts_code heap_meta_end(ts_heap *h);
ts_code heap_meta_text(ts_heap *h, ts_text text);
ts_code heap_meta_number(ts_heap *h, const ts_json_number *number);
ts_code heap_meta_write(ts_heap *h);
void heap_meta_reset(ts_heap *h);
void heap_fields_default(heap_fields *fields, enum heap_part part);
/* Number of targets of a part. */
unsigned heap_targets(enum heap_part part);

/* heap_array.c */
ts_code heap_array_open(ts_heap *h, enum heap_part part);
ts_code heap_array_close(ts_heap *h, enum heap_part part);
ts_code heap_array_ints(ts_heap *h, enum heap_part part, const int64_t *v, size_t n);
/* An element that is no integer. */
ts_code heap_array_odd(ts_heap *h, enum heap_part part);
/* Arrays inside the trace tree. */
ts_code heap_array_nested(ts_heap *h, bool begin);
/* The description is complete: what waited for it goes on. */
ts_code heap_array_resume(ts_heap *h);
/* No more will come: resolves everything with what is known. */
ts_code heap_array_finish(ts_heap *h);

/* heap_batch.c */
/* Takes whole rows of nodes or edges from v[0..n) while they are as V8 usually writes them; *used
 * is how many integers. The rest is for the general way, which gives the same rows. */
ts_code heap_batch(ts_heap *h, enum heap_part part, const int64_t *v, size_t n, size_t *used);

/* heap_rows.c */
/* Notes what edges need of a node. */
ts_code heap_remember_node(ts_heap *h, const int64_t *v, uint32_t nulls);
ts_code heap_put_row(ts_heap *h, enum heap_part part, const int64_t *row, uint32_t nulls);
ts_code heap_put_node(ts_heap *h, const int64_t *v, uint32_t nulls);
/* target: the index of the node that the edge points at, from heap_edge_target. */
ts_code heap_put_edge(ts_heap *h, const int64_t *v, uint32_t nulls, uint64_t target);
/* HEAP_NO_TARGET when to_node is no node. */
uint64_t heap_edge_target(const ts_heap *h, int64_t to_node);
ts_code heap_put_edge_block(ts_heap *h);
ts_code heap_put_string(ts_heap *h, ts_text text);

/* heap_long.c */
/* A piece of a string of PART_STRINGS that is longer than HEAP_LONG_TEXT; h->text holds those
 * before the first. */
ts_code heap_long_piece(ts_heap *h, const char *p, size_t n, bool last);

/* heap_tree.c */
ts_code heap_tree_value(ts_heap *h, int64_t v);
ts_code heap_tree_begin(ts_heap *h);
ts_code heap_tree_end(ts_heap *h);

/* heap_classes.c */
ts_code heap_classes_add(ts_heap *h, const int64_t *v, uint32_t nulls);
/* Writes what has been added up and begins anew. */
ts_code heap_classes_write(ts_heap *h);
void heap_classes_free(ts_heap *h);

/* heap_ids.c */
/* How many nodes have an id that a node before them has. */
ts_code heap_count_duplicate_ids(uint64_t *out, ts_heap *h);

/* heap_damage.c */
void heap_trust_begin(ts_heap *h);
/* A string of this number, which no row before had as its largest, is used in the row under way. */
void heap_first_use(ts_heap *h, enum heap_part part, int64_t name);
/* The row under way cannot be right. */
void heap_bad_row(ts_heap *h, enum heap_part part);
/* The nodes are complete: which of them can be referred to. */
void heap_judge_nodes(ts_heap *h);
/* All is there: makes NULL what is not certain. */
ts_code heap_judge(ts_heap *h);
/* Cells of a table of this snapshot become NULL, from the row after `known` on. */
ts_code heap_forget(ts_heap *h, enum ts_table_id table, uint64_t known, uint64_t columns);

/* heap_guard.c */
/* A node is complete, v is its row: is it one as V8 writes them? Also notes the way back. */
void heap_look_at_node(ts_heap *h, const int64_t *v, uint32_t nulls);
/* A string of n bytes is complete. */
void heap_look_at_string(ts_heap *h, size_t n);
/* The place HEAP_GUARD before the row under way. */
heap_place heap_guard(const ts_heap *h, enum heap_part part);

/* heap_chunks.c */
/* The first bytes of a chunk, and all chunks so far: are they in order? */
void heap_chunk_text(ts_heap *h, const char *p, size_t n);
/* Rows may be missing at ends of chunks only. */
bool heap_chunks_whole(const ts_heap *h);

/* heap_end.c */
ts_code heap_check(ts_heap *h);
ts_code heap_put_file(ts_heap *h, const ts_heap_end *end);

#endif
