/*
 * Binary heap dumps of ArkTS (.rawheap), versions 1 and 2, for the rawheap_*.c files only.
 *
 * A dump is memory as it was on the device, and is read at any place. What it means is in the JSON
 * at its end: types, their fields and where these are. The rows are those of the .heapsnapshot that
 * the device's makers translate a dump to: the reader makes the events of that JSON, and the reader
 * of heap snapshots (arkts/heap) puts the rows.
 *
 * Order of the work: the file from its end (rawheap_layout.c), types (rawheap_types.c), nodes with
 * their names (rawheap_nodes.c), edges into a spool, which count those of each node and make nodes
 * of values (rawheap_edges.c: version 1, rawheap_tokens.c: version 2), then all events
 * (rawheap_events.c). Docs: docs/formats.md, "Heap dumps of ArkTS".
 */
#ifndef TS_PARSERS_ARKTS_RAWHEAP_H
#define TS_PARSERS_ARKTS_RAWHEAP_H

#include "base/idmap.h"
#include "base/intvec.h"
#include "base/nearmap.h"
#include "base/pool.h"
#include "base/spool.h"
#include "base/vec.h"
#include "input/byte_window.h"
#include "parsers/arkts/heap/heap.h"
#include "parsers/format.h"

enum {
    RAWHEAP_GROUPS = 4,
    RAWHEAP_TYPES = 256,     /* a type's number is one byte */
    RAWHEAP_NODE_TYPES = 17, /* of nodes, in the order of V8 and what ArkTS adds */
    RAWHEAP_EDGE_TYPES = 8,
    RAWHEAP_EMPTY = 1,      /* number of the empty text */
    RAWHEAP_FIRST_TEXT = 3, /* before it: <dummy>, the empty text, GC roots */
    RAWHEAP_SLOTS = 1 << 20,
    RAWHEAP_NO_TYPE = 8, /* the node type of what has none */
};

#define RAWHEAP_NONE UINT32_MAX
#define RAWHEAP_LATE UINT32_C(0x80000000) /* a node's number counts among those that come last */

/* Types of edges that are made. */
enum { RAWHEAP_ELEMENT = 1, RAWHEAP_PROPERTY = 2, RAWHEAP_SHORTCUT = 5, RAWHEAP_WEAK = 6 };

/* --- rawheap_layout.c: where what is ---------------------------------------------------------- */

/* A part of the file; size 0: there is none. */
typedef struct rawheap_part {
    uint64_t at;
    uint64_t size;
} rawheap_part;

typedef struct rawheap_list {
    uint64_t at; /* of the first address */
    uint32_t count;
} rawheap_list;

typedef struct rawheap_layout {
    unsigned version;  /* 1, 2, 3; 0: none that is known */
    unsigned word;     /* bytes of an address */
    uint64_t time;     /* as in the header */
    char texts[3][33]; /* space, heap, vm type */
    bool has_texts;
    rawheap_part types;
    rawheap_part strings;
    ts_vec tables; /* rawheap_part of objects */
    rawheap_list roots;
    rawheap_list groups[RAWHEAP_GROUPS];
    rawheap_list references;
    bool tracked; /* references are */
} rawheap_layout;

/* --- rawheap_types.c: what the JSON says ------------------------------------------------------ */

typedef struct rawheap_field {
    ts_text name;
    uint32_t number; /* of the name, once it was used; else RAWHEAP_NONE */
    uint64_t offset;
    uint64_t size;
} rawheap_field;

typedef struct rawheap_type {
    ts_text name; /* what its nodes are called; borrowed from `names` */
    uint32_t number;
    uint8_t node_type;
    bool array;
    bool string;
    bool object;  /* may have properties */
    size_t first; /* of its fields */
    size_t count;
    uint64_t end;  /* where the fields end */
    uint64_t last; /* the last slot that has a field, of those up to RAWHEAP_SLOTS */
} rawheap_type;

typedef struct rawheap_types {
    ts_pool names;
    ts_vec enumerated; /* rawheap_named: types by their numbers */
    ts_vec listed;     /* rawheap_listed */
    ts_vec offsets;    /* rawheap_offset of all that are listed */
    rawheap_type of[RAWHEAP_TYPES];
    unsigned count;
    ts_vec fields; /* rawheap_field of all types */
    /* Those that are known by name; NULL: not there. */
    const rawheap_field *bit_field, *bit_field1, *layout, *properties, *external, *binding_size,
        *length, *data, *native_pointers;
    unsigned dictionary, global_env, native_pointer, wrapped; /* RAWHEAP_TYPES: none */
    int64_t key_index, value_index, entry_size, header_size;
} rawheap_types;

/* --- nodes and edges -------------------------------------------------------------------------- */

enum {
    RAWHEAP_LISTED = 1, /* the table of strings has it */
    RAWHEAP_GLOBAL = 2, /* with a text that has _GLOBAL */
    RAWHEAP_CUT = 4     /* its memory is not whole, unless it is a string */
};

typedef struct rawheap_node {
    uint64_t address;
    uint32_t at; /* version 1: where its memory is, 0: nowhere; version 2: its native size */
    uint32_t size;
    uint32_t id;
    uint32_t name;  /* number of a text */
    uint32_t class; /* node of its class, or of what a reference refers to; or RAWHEAP_NONE */
    uint8_t kind;   /* type number */
    uint8_t type;   /* node type */
    uint8_t flags;
} rawheap_node;

/* Where a text is in the file; size 0: in the pool. */
typedef struct rawheap_text {
    uint32_t at;
    uint32_t size;
    bool global; /* it has _GLOBAL */
} rawheap_text;

typedef struct rawheap_edge {
    uint32_t type;
    uint32_t name;
    uint32_t to;
} rawheap_edge;

enum { RAWHEAP_EDGES_AT_ONCE = 1024 };

/* Names that the reader gives, numbered when they are used first. */
enum rawheap_word {
    WORD_ROOT,
    WORD_SUBROOT,
    WORD_JS_OBJECT,
    WORD_HCLASS,
    WORD_HASH,
    WORD_INLINE,
    WORD_INT,
    WORD_DOUBLE,
    WORD_UNDEFINED,
    WORD_NULL,
    WORD_FALSE,
    WORD_TRUE,
    WORD_EXCEPTION,
    WORD_ILLEGAL,
    WORD_UNKNOWN,
    WORD_COUNT
};

/* Pages of the file, for reading a little at any place. */
typedef struct rawheap_pages {
    uint8_t *bytes;
    uint64_t *held; /* number of the page + 1 */
    size_t count;   /* a power of two */
} rawheap_pages;

typedef struct rawheap {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_window *in;
    uint64_t size;
    rawheap_pages pages;
    rawheap_layout layout;
    rawheap_types types;
    uint64_t losses; /* issues that take something away */

    ts_pool texts;      /* numbers less RAWHEAP_FIRST_TEXT */
    ts_vec text_places; /* rawheap_text, by the same */
    uint32_t words[WORD_COUNT];

    ts_vec nodes;        /* rawheap_node */
    ts_index by_address; /* while nodes are made, and where this does not fit: */
    ts_nearmap map;      /* address -> node */
    uint32_t metadata;   /* nodes; RAWHEAP_NONE: there is none */
    uint32_t metadata_names[3];
    uint32_t references; /* the node that has them */
    uint32_t first_reference;
    uint32_t reference_count;
    uint32_t first_object;
    ts_idmap hashes;
    uint64_t twice;      /* rows of an address that has one */
    uint64_t cut;        /* rows whose memory is not in the file */
    rawheap_part tokens; /* version 2: memory of the objects that come */
    uint64_t tokens_cut; /* objects whose memory is not there */
    ts_vec kept;         /* uint32_t: nodes of tokens, for fields */

    ts_vec values; /* uint32_t: names of the nodes after `nodes` */
    ts_idmap value_of;
    ts_idmap native_of;
    ts_vec late; /* uint32_t: names of the nodes after those */

    ts_spool *edges;
    rawheap_edge open_edges[RAWHEAP_EDGES_AT_ONCE];
    unsigned open_count;
    uint64_t edge_count;
    ts_intvec edge_counts; /* by node */
    uint32_t own_edges;    /* of the node under way */
    uint64_t looked;       /* slots and fields so far */
} rawheap;

#define RAWHEAP_ISSUE(r, code, offset, ...)                                                        \
    ((r)->losses++, ts_issue((r)->store, (r)->job->source_id, TS_ISSUE_##code, NULL,               \
                             (int64_t)(offset), __VA_ARGS__))

static inline rawheap_node *rawheap_nodes(const rawheap *r)
{
    return r->nodes.p;
}

static inline uint32_t rawheap_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t rawheap_u64(const uint8_t *p)
{
    return rawheap_u32(p) | (uint64_t)rawheap_u32(p + 4) << 32;
}

/* An object, and none of the references among them. */
static inline bool rawheap_is_object(const rawheap *r, uint32_t node)
{
    return node >= r->first_object &&
           (node < r->first_reference || node - r->first_reference >= r->reference_count);
}

/*
 * Each object has memory of its own, and properties that belong to it alone. In a damaged dump many
 * may have the same: no more slots and fields are looked at in all than a file of this size can
 * need, which has 8 bytes for a slot. *_has_enough: something was left out.
 */
static inline bool rawheap_has_enough(const rawheap *r)
{
    return r->looked > r->size + (1 << 16);
}

static inline bool rawheap_enough(rawheap *r)
{
    r->looked++;
    return rawheap_has_enough(r);
}

/* --- rawheap_bytes.c -------------------------------------------------------------------------- */

/* n bytes at `at` in the file, copied. Zeros where the file has become shorter. */
ts_code rawheap_read(rawheap *r, void *to, uint64_t at, size_t n);
ts_code rawheap_pages_begin(rawheap *r);
void rawheap_pages_free(rawheap *r);

/* --- rawheap_layout.c ------------------------------------------------------------------------- */

/* Whether the first 8 bytes have a version; *version: as in the layout. */
bool rawheap_version_of(unsigned *version, const uint8_t head[8]);

/* Finds the parts. *found: there are types, so that rows can be made; else an issue says why. */
ts_code rawheap_read_layout(bool *found, rawheap *r);

/* Version 3: counts its records. */
ts_code rawheap_read_static(rawheap *r);

/* --- rawheap_types.c -------------------------------------------------------------------------- */

/* *good: the types are known; else an issue says why not. */
ts_code rawheap_read_types(bool *good, rawheap *r);
void rawheap_types_free(rawheap *r);

/* --- rawheap_texts.c -------------------------------------------------------------------------- */

/* The number of a text that is not in the file. */
ts_code rawheap_number(uint32_t *out, rawheap *r, ts_text text);
ts_code rawheap_word_number(uint32_t *out, rawheap *r, enum rawheap_word word);

/* The number of the text of n bytes at `at` in the file, up to its first NUL. */
ts_code rawheap_file_text(uint32_t *out, rawheap *r, uint64_t at, uint32_t n);
bool rawheap_is_empty(const rawheap *r, uint32_t number);
bool rawheap_is_global(const rawheap *r, uint32_t number);
uint32_t rawheap_text_count(const rawheap *r);

/* --- rawheap_nodes.c -------------------------------------------------------------------------- */

ts_code rawheap_make_nodes(rawheap *r);

/* The node of an address, a new one when it has none. */
ts_code rawheap_meet(uint32_t *out, rawheap *r, uint64_t address);

/* All objects are there: those of version 2 are found by their addresses from now on, and those of
 * version 1 faster. Of several rows of an address the first counts. */
ts_code rawheap_settle(rawheap *r);

/* The node of an address, or RAWHEAP_NONE. */
uint32_t rawheap_find(const rawheap *r, uint64_t address);

/* The address at a place of a list. */
ts_code rawheap_address(uint64_t *out, rawheap *r, uint64_t at);

/* --- rawheap_rows.c: objects ------------------------------------------------------------------ */

ts_code rawheap_count_rows(uint64_t *out, rawheap *r);
ts_code rawheap_read_objects(rawheap *r);
ts_code rawheap_find_types(rawheap *r);

/* Types are known: node types and names. */
ts_code rawheap_name_nodes(rawheap *r);

/* --- edges ------------------------------------------------------------------------------------ */

ts_code rawheap_make_edges(rawheap *r);

/* An edge of the node under way. */
ts_code rawheap_edge_add(rawheap *r, unsigned type, uint32_t name, uint32_t to);
ts_code rawheap_late_add(uint32_t *out, rawheap *r, uint32_t name);

/* The number of a field's name. */
ts_code rawheap_field_number(uint32_t *out, rawheap *r, rawheap_field *f);

/* Of an object of version 1: what is after its class and hash. */
ts_code rawheap_slot_edges(rawheap *r, uint32_t node);
/* What a node holds outside of the heap, bytes. */
ts_code rawheap_native_size(uint32_t *out, rawheap *r, uint32_t node);

/* Version 2: of the object whose memory comes next. */
ts_code rawheap_token_edges(rawheap *r, uint32_t node);

/* Class and hash of a node. */
ts_code rawheap_head_edges(rawheap *r, uint32_t node);
ts_code rawheap_end_node(rawheap *r);

/* --- rawheap_events.c ------------------------------------------------------------------------- */

/* All that was made, as the JSON of a heap snapshot. */
ts_code rawheap_put_events(rawheap *r, ts_heap *heap);

#endif
