/*
 * The heap reader as a whole, for the heap_*.c files only. Each part's state is changed by its own
 * file; heap.c owns what is left, the position in the document and what the snapshot is called. The
 * form is that of V8. Docs: docs/formats.md, "Heap snapshots"; docs/trust.md.
 */
#ifndef TS_PARSERS_ARKTS_HEAP_STATE_H
#define TS_PARSERS_ARKTS_HEAP_STATE_H

#include "base/index.h"
#include "base/vec.h"
#include "base/buf.h"
#include "base/intvec.h"
#include "base/spool.h"
#include "parsers/arkts/heap/heap.h"
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

enum part_state { PART_ABSENT, PART_OPEN, PART_CLOSED };

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
    NODE_NATIVE_SIZE,
    V8_NODE_FIELDS = NODE_NATIVE_SIZE, /* all but that, which only ArkTS writes */
    EDGE_TYPE = 0,
    EDGE_NAME,
    EDGE_TO,
    TREE_CHILDREN = 4
};

/* Marks an element that is no integer; a real INT64_MIN in a heap is treated like one. */
#define HEAP_NULL INT64_MIN

/* A place between two rows of an array: how many are before it, and their self_size. */
typedef struct heap_place {
    uint64_t rows; /* UINT64_MAX: there is none */
    int64_t self_size;
} heap_place;

/* Keeps the largest index, and INT64_MAX when one is negative: no string list is that long. */
static inline void heap_note_index(int64_t *max, int64_t index)
{
    if (index < 0) {
        *max = INT64_MAX;
    } else if (index > *max) {
        *max = index;
    }
}

/* Bits of a row's `null` for the columns from `first` on, in the order of the targets. */
static inline uint64_t heap_null_bits(uint32_t nulls, unsigned first)
{
    return (uint64_t)nulls << first;
}

/* The name of a member, for messages. */
const char *heap_part_name(enum heap_part part);

/* --- heap_meta.c: what the snapshot says of itself -------------------------------------------- */

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

/* The description that V8 usually writes. */
void heap_fields_default(heap_fields *fields, enum heap_part part);

/* Number of targets of a part. */
unsigned heap_targets(enum heap_part part);

/* --- heap_array.c: the flat arrays, from single integers to rows, at once or after a spool ---- */

typedef struct heap_array {
    enum part_state state;
    heap_fields fields;
    bool described;  /* fields come from the snapshot */
    ts_spool *spool; /* owned; NULL when nothing waits */
    uint64_t spooled;
    uint32_t at; /* position in the row */
    int64_t row[MAX_TARGETS];
    uint32_t nulls;
    uint64_t rows;
    uint64_t bad;     /* elements that are no integers */
    uint64_t partial; /* rows cut by the end of the array */
} heap_array;

/* Of the small arrays: locations, samples, trace_function_infos. */
typedef struct heap_rows {
    uint64_t *located; /* a bit per node that has a location; owned */
    int64_t last_sample_us;
    int64_t last_sample_id;
    bool samples_disordered;
    int64_t function_name_max; /* largest string index of a function, -1 without one */
    ts_intvec function_ids;
    uint64_t function_twice; /* functions whose id another one before them has */
} heap_rows;

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

/* --- heap_nodes.c: nodes, and what edges need to know of them: 16 bytes a node or less -------- */

enum { NODES_AT_ONCE = 256 };

typedef struct heap_nodes {
    ts_intvec ids;
    ts_intvec edge_counts;
    uint64_t edge_count_sum;
    uint64_t bad_edge_counts;
    uint64_t owner_stop; /* first node whose edge_count is unusable, or UINT64_MAX */
    bool complete;       /* the array has ended */
    int64_t self_size;   /* sum, in bytes */
    bool self_size_overflow;
    int64_t name_max; /* largest string index, -1 without one; INT64_MAX: a negative one */
} heap_nodes;

/* A complete node; v is its row by targets, nulls a bit per target without a value. */
ts_code heap_put_node(ts_heap *h, const int64_t *v, uint32_t nulls);

/*
 * Whole nodes, as many integers each as they have fields, in the order of the targets, none of
 * them HEAP_NULL; hashes: of each, from heap_classes_fetch. *taken: how many were put: those before
 * the first that has a number that is not small.
 */
ts_code heap_put_usual_nodes(size_t *taken, ts_heap *h, const int64_t *v, const uint64_t *hashes,
                             size_t n);

/* How many of the ids, of which 0 is none, follow an equal one. */
ts_code heap_count_duplicate_ids(uint64_t *out, ts_heap *h, const ts_intvec *ids);

/* --- heap_edges.c: edges, and js_heap_edge_block, which finds the owner of an edge ------------ */

#define HEAP_NO_TARGET UINT64_MAX

enum { EDGES_PER_BLOCK = TS_HEAP_EDGE_BLOCK, EDGE_FIELDS = 3, EDGES_AT_ONCE = 256 };

typedef struct heap_edges {
    bool owners_unknown;
    uint64_t owner;     /* node that owns the next edge; UINT64_MAX: before the first */
    int64_t owner_left; /* edges of it that are to come */
    int64_t owner_id;
    uint64_t target_stop; /* nodes that an edge can point at */
    uint32_t *ids;        /* of the nodes, in one piece; NULL: they are in `nodes` only */
    ts_row_js_heap_edge_block block;
    uint64_t unowned;
    uint64_t bad_target;
    int64_t name_max; /* largest string index, -1 without one; INT64_MAX: a negative one */
} heap_edges;

/* The nodes are complete: their ids, when all fit 32 bits and memory has no limit, are put where
 * looking them up takes the least time. */
ts_code heap_edges_copy_ids(ts_heap *h);

/* A complete edge. target: the index of the node that it points at, from heap_edge_target. */
ts_code heap_put_edge(ts_heap *h, const int64_t *v, uint32_t nulls, uint64_t target);

/*
 * Some of n whole edges, three integers each, in the order of the fields of js_heap_edges; *done:
 * how many were put. None: the first has a HEAP_NULL.
 */
ts_code heap_put_edges(size_t *done, ts_heap *h, const int64_t *v, size_t n);

/* HEAP_NO_TARGET when to_node is no node. */
uint64_t heap_edge_target(const ts_heap *h, int64_t to_node);

/* Writes the block that is open, if any. */
ts_code heap_put_edge_block(ts_heap *h);

/* A node can have this number: by what the snapshot declares or by what there is. */
bool heap_is_place(const ts_heap *h, uint64_t index);

/* --- heap_tree.c: the trace tree; what is kept of a level is its parent ----------------------- */

typedef struct heap_tree {
    ts_intvec parents;    /* ids of the tuples that are open */
    uint64_t bad;         /* places that are not as the fields say */
    int64_t function_max; /* largest function_info_index, -1 without one */
    uint8_t *noted;       /* of ids: enum heap_noted; owned */
    size_t noted_n;
    bool twice; /* two tuples have one id */
} heap_tree;

/* Who has an id of the tree; larger ones than HEAP_MAX_NOTED are not looked at. */
enum heap_noted { HEAP_NOTED_NODE = 1, HEAP_NOTED_TUPLE = 2, HEAP_MAX_NOTED = 1 << 22 };

/* A node was allocated in this tuple, or the tuple is there. */
ts_code heap_tree_note(ts_heap *h, int64_t id, enum heap_noted by);

/* A node was allocated in a tuple that is not there. */
bool heap_tree_lacks(const ts_heap *h);

/* An element of a tuple; an array in a tuple begins, ends. */
ts_code heap_tree_value(ts_heap *h, int64_t v);
ts_code heap_tree_begin(ts_heap *h);
ts_code heap_tree_end(ts_heap *h);

/* --- heap_strings.c: strings from pieces; long ones pass through a spool ---------------------- */

enum { HEAP_LONG_TEXT = 1 << 20, HEAP_RECENT_STRINGS = 4096 };

typedef struct heap_strings {
    enum part_state state;
    ts_buf text;
    ts_buf clean;
    bool text_cut;
    ts_spool *long_text; /* a string that is too long for memory, or NULL; owned */
    uint64_t long_taken; /* bytes of it */
    uint64_t count;
    uint64_t recent[HEAP_RECENT_STRINGS]; /* hashes of strings, by their lower bits */
    bool twice;                           /* one was equal to a recent one */
    uint64_t not_text;
    uint64_t cut;
    uint64_t replaced;      /* ill-formed parts of strings that were kept */
    uint64_t json_replaced; /* the reader's count before the string under way */
} heap_strings;

/* A string begins after this key or at this place; it has ended, and is a part of the snapshot
 * (kept) or not: for the count of ill-formed parts that the JSON reader replaces. */
void heap_string_begin(ts_heap *h);
void heap_string_end(ts_heap *h, bool kept);

/* A piece of a string of PART_STRINGS or PART_SNAPSHOT. flags: TS_JSON_FIRST, TS_JSON_LAST. */
ts_code heap_string_piece(ts_heap *h, const char *p, size_t n, unsigned flags);

/* An element of PART_STRINGS that is no text. */
ts_code heap_string_odd(ts_heap *h);

/* --- heap_classes.c: the histogram of classes ------------------------------------------------- */

enum { HEAP_RECENT_CLASSES = 256 };

/* A class of the histogram: a type, and for types whose class is the name also that. */
typedef struct heap_class {
    int64_t type; /* HEAP_NULL: not known */
    int64_t name; /* string index, or HEAP_NULL */
    int64_t count;
    int64_t self_size; /* bytes; HEAP_NULL: the sum does not fit */
} heap_class;

typedef struct heap_recent_class {
    int64_t type;
    int64_t name;
    uint32_t entry; /* its place + 1; 0: none */
} heap_recent_class;

typedef struct heap_classes {
    ts_vec entries; /* heap_class */
    ts_index index;
    /* Those that were used last, by the lower bits of their names: most nodes need no hash. Both
     * parts of a class are compared, so that this needs no key. */
    heap_recent_class recent[HEAP_RECENT_CLASSES];
} heap_classes;

/* Lets the cache fetch what heap_classes_add needs of the n nodes from v on, as many integers
 * each as they have fields; hashes: of each node, or 0 where none is needed. */
void heap_classes_fetch(uint64_t *hashes, const ts_heap *h, const int64_t *v, size_t n);

/* A complete node, as for heap_put_node. hash: from heap_classes_fetch, or 0. */
ts_code heap_classes_add(ts_heap *h, const int64_t *v, uint32_t nulls, uint64_t hash);

/* Writes what has been added up and begins anew. */
ts_code heap_classes_write(ts_heap *h);

/* --- heap_damage.c: what can be trusted where parts contradict each other --------------------- */

/*
 * What contradicts is found a little after the damage: transports and devices lose, double or
 * exchange blocks. So the rows this close before a contradiction are not believed: this many
 * numbers, each of which takes two bytes of text or more, or twice as many bytes of strings.
 */
enum { HEAP_GUARD = 8192 };

/* Places of the nodes or strings that came last, one for each HEAP_TRAIL_STEP numbers (two bytes of
 * a string each): enough of them to go back by HEAP_GUARD. */
enum { HEAP_TRAIL = 16, HEAP_TRAIL_STEP = 1024 };

typedef struct heap_trail {
    heap_place place[HEAP_TRAIL]; /* a ring */
    uint64_t at[HEAP_TRAIL];      /* numbers before it */
    uint64_t count;
    uint64_t next; /* numbers before the next one */
} heap_trail;

typedef struct heap_trails {
    heap_trail nodes;
    heap_trail strings;
    uint64_t string_bytes; /* of those so far, with quotes and comma */
} heap_trails;

/* A node is complete, v is its row: is it one as V8 writes them? Also notes its place. */
void heap_look_at_node(ts_heap *h, const int64_t *v, uint32_t nulls);

/* A string of n bytes is complete. */
void heap_look_at_string(ts_heap *h, uint64_t n);

enum {
    SOME_USES = 16
}; /* first uses in order, or regular rows, that distinguish V8's from others */

/*
 * How far an array can be trusted when something is missing. use[1] is after the last row whose
 * string is used for the first time and has the number that V8 gives it then, use[0] after the one
 * before it; seam[i] is the first end of a chunk after use[i].
 */
typedef struct heap_trust {
    heap_place use[2];
    heap_place seam[2];
    heap_place first_seam;
    heap_place limit; /* what follows is not in its order, or there twice */
    uint64_t bad;     /* first row that may show damage, or UINT64_MAX */
    bool impossible;  /* a row cannot be right: not only V8's order of strings speaks against it */
    heap_place guard; /* HEAP_GUARD before that row, or before the first odd one */
    bool irregular;   /* the first rows are not like those of V8 */
    bool odd; /* another row is unlike those of V8: where damage is that is shown by others */
    bool spooled;
    bool damaged;     /* set at the end */
    bool keeps_cells; /* cells that do not depend on the place are right */
    uint64_t known;   /* rows that are right, when damaged */
} heap_trust;

typedef struct heap_damage {
    bool broken;           /* the text around the snapshot is damaged where it ends */
    int64_t next_name;     /* number of the next string that V8 uses for the first time */
    uint64_t first_uses;   /* strings that had that number */
    bool names_disordered; /* one had not */
    uint64_t early_known;  /* nodes that were taken for right when the edges came */
    bool contradicted;     /* its parts do not fit each other */
    uint64_t lost;         /* not 0: rows are declared and not there, or cut */
    uint64_t unknown;      /* cells that were made NULL */
    uint64_t duplicates;   /* nodes with an id that a node before them has */
    uint64_t issues_before;
} heap_damage;

void heap_trust_begin(ts_heap *h);

/* A string of this number, which no row before had as its largest, is used in the row under way. */
void heap_first_use(ts_heap *h, enum heap_part part, int64_t name);

/* The row under way cannot be right: it contradicts the description or refers to nothing. */
void heap_bad_row(ts_heap *h, enum heap_part part);

/* The nodes are complete: which of them can be referred to. */
ts_code heap_judge_nodes(ts_heap *h);

/* An array has more rows than the snapshot announces, and nothing else speaks against them. */
bool heap_exceeds(const ts_heap *h, enum heap_part part);

/* All is there: makes NULL what is not certain. */
ts_code heap_judge(ts_heap *h);

/* --- heap_chunks.c: sizes, times and first bytes of chunks, which show misplaced ones --------- */

enum { HEAP_MARKS = 16 };

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

typedef struct heap_chunks {
    heap_mark marks[HEAP_MARKS]; /* a ring */
    uint64_t count;
    uint64_t size; /* bytes of the first one */
    bool differ;   /* in size */
    int64_t latest_ts;
    bool has_latest;
    uint64_t suspect; /* number of the mark from which on chunks may be out of order, or MAX */
    bool misplaced;   /* they are */
} heap_chunks;

/* The first bytes of a chunk, and all chunks so far: are they in order? */
void heap_chunk_text(ts_heap *h, const char *p, size_t n);

/* Rows may be missing at ends of chunks only. */
bool heap_chunks_whole(const ts_heap *h);

/* --- the whole ---------------------------------------------------------------------------- */

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
