/*
 * The graph of one heap file, read back from its rows, and what the passes of the analysis find
 * out. Values are those of Chrome DevTools; docs/formats.md, "Analysis of heaps", defines them.
 *
 * Nodes and edges are numbers from 0 in the order of their rows (node_index, edge_index). An edge
 * whose owner or target is not known, or not certain, does not exist: it is HG_NOTHING.
 */
#ifndef TS_ANALYSIS_HEAP_GRAPH_H
#define TS_ANALYSIS_HEAP_GRAPH_H

#include "analysis/analysis.h"
#include "analysis/heap/kept_rows.h"

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"

#include "model/heaps.h"
#include "tables/formats/heap/heap_numbers.h"

#define HG_NONE UINT32_MAX

/* --- edges: 29 bits of target, 3 bits of code ----------------------------------------------- */

enum { HG_TARGET_BITS = 29, HG_TARGET = (1 << HG_TARGET_BITS) - 1, HG_MAX_NODES = HG_TARGET - 1 };

enum hg_code {
    HG_PLAIN,
    HG_HIDDEN, /* hidden and invisible edges: detachedness does not spread along them */
    HG_SHORTCUT,
    HG_WEAK,
    HG_LOOSE, /* keeps alive what it leads to, and is no step of a path: Java's soft references */
    HG_PAIR,  /* an internal edge to a value in a WeakMap */
    HG_PAIR_TABLE /* the same, from the table: the key holds the value */
};

#define HG_NOTHING ((uint32_t)HG_WEAK << HG_TARGET_BITS | HG_TARGET)

static inline uint32_t hg_target(uint32_t edge)
{
    return edge & HG_TARGET;
}

static inline uint32_t hg_code_of(uint32_t edge)
{
    return edge >> HG_TARGET_BITS;
}

/* --- nodes: 4 bits of kind, flags ----------------------------------------------------------- */

enum hg_kind {
    HG_KIND_OTHER,
    HG_KIND_HIDDEN,
    HG_KIND_ARRAY,
    HG_KIND_STRING,
    HG_KIND_CONCATENATED,
    HG_KIND_SLICED,
    HG_KIND_OBJECT,
    HG_KIND_CODE,
    HG_KIND_CLOSURE,
    HG_KIND_REGEXP,
    HG_KIND_NATIVE,
    HG_KIND_SYNTHETIC,
    HG_KIND_NUMBER,
    HG_KIND_MASK = 15
};

enum {
    HG_DETACHEDNESS_SHIFT = 4, /* 2 bits */
    HG_HELD_SHIFT = 6,         /* 3 bits: column held_by */
    HG_SETTLED = 1 << 9,       /* its detachedness is final */
    HG_USER_ROOT = 1 << 10,
    HG_ENTRY = 1 << 11,          /* page-owned ones are found from it */
    HG_HELPER = 1 << 12,         /* its size may count for its owner */
    HG_DESCRIPTORS = 1 << 13,    /* array "(map descriptors)" */
    HG_NATIVE_CONTEXT = 1 << 14, /* hidden "system / NativeContext" */
    HG_DOM_ROOT = 1 << 15,       /* synthetic "(Document DOM trees)" */
    HG_CONTEXT = 1 << 16,        /* "system / Context ..." */
    HG_CONSOLE = 1 << 17,        /* synthetic "... / DevTools console" */
    HG_BUFFER = 1 << 18,         /* native "system / JSArrayBufferData" */
    HG_NAMED_ARRAY = 1 << 19,    /* of no special type, named "Array" */
    HG_PLAIN_OBJECT = 1 << 20,   /* object "Object" */
    HG_BOOL = 1 << 21,           /* number "bool" */
    HG_INT = 1 << 22,            /* number "int" */
    HG_TRUE = 1 << 23,           /* any node named "true" */
    HG_NO_ID = 1 << 24,
    HG_NAMED_DETACHED = 1 << 25, /* native "Detached ..." */
    HG_TYPE_SHIFT = 26,          /* 6 bits: number of the type */
    HG_TYPES = 62,               /* and more: in the list of far types */
    HG_FAR_TYPE = HG_TYPES,
    HG_NO_TYPE /* none of the list */
};

/* What is before the names of detached native nodes. */
#define HG_DETACHED "Detached "

/* --- strings -------------------------------------------------------------------------------- */

/* Texts that rules name; each string has at most one of these numbers in its bits. */
enum hg_word {
    HG_WORD_NONE,
    HG_WORD_NATIVE_CONTEXT,
    HG_WORD_SLOPPY,
    HG_WORD_DESCRIPTORS,
    HG_WORD_EXTERNAL,
    HG_WORD_DOM_TREES,
    HG_WORD_BUFFER,
    HG_WORD_ARRAY,
    HG_WORD_OBJECT,
    HG_WORD_PROTO,
    HG_WORD_ELEMENTS,
    HG_WORD_FIRST,
    HG_WORD_SECOND,
    HG_WORD_TRUNCATED,
    HG_WORD_LENGTH,
    HG_WORD_HASH,
    HG_WORD_VALUE,
    HG_WORD_BOOL,
    HG_WORD_INT,
    HG_WORD_TRUE,
    HG_WORD_CONTEXT,
    HG_WORDS,
    HG_WORD_MASK = 31,
    HG_TEXT_CONTEXT = 1 << 5,  /* "system / Context" or "system / Context / ..." */
    HG_TEXT_CONSOLE = 1 << 6,  /* "... / DevTools console" */
    HG_TEXT_DETACHED = 1 << 7, /* "Detached ..." */
    HG_TEXT_SKIPPED = 1 << 8,  /* begins with a number that rule 2 of distances leaves out */
    HG_TEXT_PAIR = 1 << 9,     /* the name of an edge to a value in a WeakMap */
    HG_TEXT_CLASS = 1 << 10,   /* names an object or native node */
    HG_TEXT_KNOWN = 1 << 11,   /* the row has a text */
    HG_TEXT_EMPTY = 1 << 12,
    HG_TEXT_PROPERTY = 1 << 13 /* name of a property of a plain object */
};

/* A string that is the name of an edge to a value in a WeakMap. */
typedef struct hg_pair_text {
    uint32_t string;
    uint32_t pair;  /* equal for the edges of table and key */
    uint64_t table; /* UINT64_MAX: no id */
} hg_pair_text;

typedef struct hg_strings {
    uint32_t count;
    uint32_t *same; /* the first string with this text */
    bool twice;     /* some are not their own first */
    uint16_t *bits;
    uint16_t *bytes; /* of each text, modulo 65536 */
    uint8_t *length; /* UTF-16 units of the formatted name of a property, 255: that many or more */
    ts_vec pairs;    /* hg_pair_text, by string */
    uint32_t pair_count;
} hg_strings;

/* The string that stands for all of its text. */
static inline uint32_t hg_same(const hg_strings *s, int64_t string)
{
    return s->twice ? s->same[string] : (uint32_t)string;
}

/* --- plain objects -------------------------------------------------------------------------- */

/* The names of the properties of an object in order, "__proto__" left out; strings `same`. */
typedef struct hg_shape {
    uint64_t hash[2];
    size_t first; /* in `names` */
    uint32_t count;
    uint32_t objects;
} hg_shape;

typedef struct hg_shapes {
    ts_vec shapes;  /* hg_shape, in the order of their first object */
    ts_vec names;   /* uint32_t */
    ts_vec objects; /* uint32_t: the shape of each plain object, in the order of nodes */
    ts_index index;
    uint32_t last; /* shape of the last object, when there is one */
} hg_shapes;

/* --- one file ------------------------------------------------------------------------------- */

typedef struct hg_pair_edge {
    uint32_t edge;
    uint32_t pair;
} hg_pair_edge;

/* Of a concatenated string: one of its parts; of a truncated one: what says so. */
typedef struct hg_part {
    uint32_t node;
    uint32_t target;
    uint8_t word; /* enum hg_word */
} hg_part;

typedef struct hg_location {
    uint32_t node;
    uint32_t row; /* from the first of the file on */
} hg_location;

/* The last step of the shortest path to a node. */
typedef struct hg_step {
    uint32_t distance; /* HG_NONE: not reached */
    uint32_t retainer; /* HG_NONE: the root, or not reached */
    uint32_t edge;
} hg_step;

/* Sizes: 4 bytes each when all of them together are less than 4 GiB. */
typedef struct hg_sizes {
    uint32_t *narrow;
    int64_t *wide; /* or this */
} hg_sizes;

/* Of a node, side by side: what rows read together. */
typedef struct hg_held {
    uint32_t dominator;
    uint32_t retained; /* unless sizes are wide */
} hg_held;

/* Its subtree in the dominator tree: a run of positions that begins with its own. */
typedef struct hg_span {
    uint32_t position;
    uint32_t count;
} hg_span;

/* A node whose type has a number too large for its flags. */
typedef struct hg_far_type {
    uint32_t node;
    uint32_t type;
} hg_far_type;

/* The memory of arrays (arrays.c): blocks, and their parts in the order of their places. */
typedef struct hg_part_of {
    uint8_t *at;
    size_t size;
    bool used;
    uint8_t block;
} hg_part_of;

enum { HG_PARTS = 48, HG_BLOCKS = 8 };
typedef struct hg_arrays_of {
    uint8_t *blocks[HG_BLOCKS];
    size_t sizes[HG_BLOCKS];
    uint8_t *fresh[HG_BLOCKS]; /* what was not taken before */
    unsigned block_n;
    unsigned n;
    hg_part_of parts[HG_PARTS];
} hg_arrays_of;

typedef struct hg_totals {
    int64_t total, native, typed_array, code, string, js_array, system, extra;
} hg_totals;

typedef struct hg {
    ts_ctx *ctx;
    ts_reader *reader;
    ts_scan *texts; /* of js_heap_string.string, by row; NULL: none was asked for */
    hg_kept *kept;  /* or NULL */
    ts_heap_places d;
    uint32_t n, m; /* nodes; edges that have an owner */
    uint32_t root; /* HG_NONE: no nodes */
    bool has_detachedness;
    bool has_user_roots;
    bool nodes_kept;      /* their rows are not read */
    bool walk_finds_page; /* page-owned: what the walk from the user roots would reach */
    bool saturated;
    uint64_t missing_edges;
    uint64_t missing_sizes;
    uint64_t unreached, orphans;
    bool apart;        /* what the root does not reach is no part of the tree */
    uint32_t attached; /* positions of the tree: other nodes have those after */
    hg_strings strings;
    uint8_t *kinds;  /* of types of nodes */
    uint32_t *first; /* n + 1 */
    uint32_t *edges;
    uint32_t *flags;
    uint32_t *name;      /* string, `same`; HG_NONE: none */
    uint32_t *ids;       /* NULL: they do not fit; flag HG_NO_ID: not known */
    hg_sizes size;       /* shallow ones from hg_shallow on */
    ts_vec far_types;    /* hg_far_type, by node */
    uint64_t *page;      /* bits: page-owned */
    uint64_t *held_once; /* bits: elements of arrays that a single edge leads to */
    hg_arrays_of arrays;
    ts_vec pair_edges; /* hg_pair_edge, by edge */
    ts_vec skipped;    /* uint32_t: edges that distances leave out, by edge */
    ts_vec entries;    /* uint32_t: nodes from which page-owned ones are found */
    ts_vec elements;   /* hg_part: elements of arrays */
    ts_vec parts;      /* hg_part, by node */
    ts_vec locations;  /* hg_location, by node */
    hg_shapes shapes;
    hg_step *steps;
    /* The dominator tree, by node. */
    hg_held *held; /* the root has itself as dominator */
    hg_span *spans;
    int64_t *retained;     /* wide sizes, or NULL */
    uint32_t *at_position; /* node of a position */
    uint32_t *class;       /* of a node: place in the list of the file's classes */
    int64_t *native;       /* native_size of all positions before one; NULL: the file has none */
    hg_totals totals;
} hg;

static inline int64_t hg_size(const hg_sizes *s, uint32_t i)
{
    return s->wide != NULL ? s->wide[i] : s->narrow[i];
}

/* The native memory that goes with a node; hg.native is there. */
static inline int64_t hg_retained_native(const hg *g, uint32_t v)
{
    const hg_span span = g->spans[v];
    return g->native[span.position + span.count] - g->native[span.position];
}

static inline int64_t hg_retained(const hg *g, uint32_t v)
{
    return g->retained != NULL ? g->retained[v] : g->held[v].retained;
}

/* Adds to a sum, which stays at its largest value then. */
static inline void hg_add(hg *g, int64_t *sum, int64_t value)
{
    if (ts_ckd_add(sum, *sum, value)) {
        *sum = INT64_MAX;
        g->saturated = true;
    }
}

/* The place of the first element whose number is `wanted` or more; elements begin with their
 * numbers, which rise. */
static inline size_t hg_search(const ts_vec *v, size_t size, uint32_t wanted)
{
    size_t low = 0;
    for (size_t high = v->n; low < high;) {
        size_t middle = low + (high - low) / 2;
        uint32_t number;
        memcpy(&number, (const char *)v->p + middle * size, sizeof number);
        low = number < wanted ? middle + 1 : low;
        high = number < wanted ? high : middle;
    }
    return low;
}

/* UTF-16 units that begin at a byte of UTF-8. */
static inline uint32_t hg_units(unsigned char c)
{
    return (c < 0x80 || c >= 0xc0 ? 1U : 0U) + (c >= 0xf0 ? 1U : 0U);
}

static inline uint32_t hg_type(uint32_t flags)
{
    return flags >> HG_TYPE_SHIFT;
}

static inline uint32_t hg_kind(uint32_t flags)
{
    return flags & HG_KIND_MASK;
}

static inline uint32_t hg_detachedness(uint32_t flags)
{
    return flags >> HG_DETACHEDNESS_SHIFT & 3;
}

/* Once in a while in a loop over nodes: signals. */
static inline ts_code hg_poll(ts_ctx *ctx, uint32_t i)
{
    return (i & 0x3ffff) == 0 ? ts_check_cancel(ctx) : TS_OK;
}

/* Memory for the arrays of a file of so many nodes and edges. */
ts_code hg_arrays(hg *g, uint64_t nodes, uint64_t edges);

/* Makes an array that was kept (kept_rows.h), of `count` words, a part of that memory, taken until
 * hg_give, and sets *kept to NULL. */
void *hg_adopt(hg *g, uint32_t **kept, size_t count);

/* An array that is not initialised, of that memory as long as there is enough; NULL: ctx->error.
 * HG_GIVE gives it back. */
void *hg_take(hg *g, size_t count, size_t size);
void hg_give(hg *g, void *array);
#define HG_GIVE(g, array) (hg_give((g), (array)), (array) = NULL)

/* One size a node. */
ts_code hg_sizes_take(hg_sizes *sizes, hg *g, bool wide);

/* A bit a node, zeroed. */
uint64_t *hg_bits(hg *g);

static inline bool hg_bit(const uint64_t *bits, uint32_t i)
{
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

static inline void hg_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

void hg_free(hg *g);

/* --- rows ----------------------------------------------------------------------------------- */

/* Rows of a table that follow each other. */
typedef struct hg_range {
    ts_scan *scan;
    const ts_batch *b; /* its first n rows belong to the range */
    unsigned n;
    uint64_t at; /* place of the first of them in the range */
} hg_range;

typedef ts_code hg_range_fn(void *user, const hg_range *r);

/* Calls a function with rows `first` to `first` + `count` - 1, a batch at a time. TS_ERR_INPUT when
 * some are missing: a finished database was changed. */
ts_code hg_each(hg *g, enum ts_table_id table, const unsigned *columns, unsigned column_count,
                int64_t first, uint64_t count, hg_range_fn *each, void *user);

ts_code hg_changed(ts_ctx *ctx, enum ts_table_id table);

/* The row of a string of the file: the only one of the batch. */
ts_code hg_string_row(const ts_batch **b, hg *g, uint32_t string);

/* --- reading -------------------------------------------------------------------------------- */

/* The strings of the file: which of them the rules name, and which are equal. */
ts_code hg_read_strings(hg *g);
void hg_strings_free(ts_ctx *ctx, hg_strings *s);

/* Calls `type` with each name of a list of types. */
ts_code hg_read_types(hg *g, int64_t first, int64_t count, void *user,
                      void (*type)(void *user, int64_t number, ts_text name));

/* Puts the recorded size of a node; *sum: of those of the nodes before. */
ts_code hg_put_size(hg *g, uint64_t *sum, uint32_t v, int64_t size);

/* Nodes, locations and edges. root_index: 0, or the flat place of the root; *bad_root: it is none.
 */
ts_code hg_read_graph(hg *g, int64_t root_index, bool *bad_root);

/* Edges, and what their names tell of their owners. Nodes, strings and root are known. */
ts_code hg_read_edges(hg *g);

/* A text of any length: that of row `row` of the last batch of the scan, in its first column. */
typedef void hg_text_fn(void *user, const char *p, size_t n);
ts_code hg_text_parts(ts_ctx *ctx, ts_scan *scan, const ts_batch *b, unsigned row, hg_text_fn *part,
                      void *user);
/* Appends it to `out`. */
ts_code hg_whole_text(ts_ctx *ctx, ts_buf *out, ts_scan *scan, const ts_batch *b, unsigned row);
/* The integer that a text is; false: none. */
bool hg_integer(int64_t *value, const ts_scan_text *text);

/* The properties of a plain object: begin, add, end. */
ts_code hg_shape_add(ts_ctx *ctx, hg_shapes *s, uint32_t name);
ts_code hg_shape_end(ts_ctx *ctx, hg_shapes *s);
void hg_shapes_free(ts_ctx *ctx, hg_shapes *s);

/* --- passes --------------------------------------------------------------------------------- */

/* What a walk reads of nodes that come some places later in its queue. */
static inline void hg_fetch_ahead(const hg *g, const uint32_t *queue, uint32_t at, uint32_t tail)
{
    enum { FAR = 24, NEAR = 12 };
    if (tail - at > FAR) {
        __builtin_prefetch(&g->first[queue[at + FAR]]);
        __builtin_prefetch(&g->edges[g->first[queue[at + NEAR]]]);
    }
}

/* Sets the bits of what edges that are not weak lead to, from the nodes (uint32_t) in `from` on;
 * nodes that have theirs are not looked at. */
ts_code hg_flood(hg *g, uint64_t *bits, const ts_vec *from);

/* Whether no path leads along such an edge. */
static inline bool hg_is_no_step(uint32_t code)
{
    return code - HG_WEAK <= (uint32_t)HG_LOOSE - HG_WEAK;
}

/* Detachedness, user roots, page-owned nodes unless hg_distances finds them. */
ts_code hg_spread(hg *g);

/* Sizes of helpers go to their owners. Finds which elements one edge leads to. */
ts_code hg_shallow(hg *g);

/* Distances and retainers, page-owned nodes; what is held only by detached nodes, contexts, the
 * console. */
ts_code hg_distances(hg *g);

/* Dominators, retained sizes, order of the tree. Releases the edges. */
ts_code hg_dominators(hg *g);

/* native_size, summed up in the order of the tree. */
ts_code hg_native(hg *g);

/* Whether a node counts for its class. */
static inline bool hg_counts(const hg *g, uint32_t v)
{
    return g->apart ? g->spans[v].position < g->attached : hg_size(&g->size, v) > 0;
}

/* What is before the first row of a table that is put next. */
static inline int64_t hg_next_row(const ts_sink *sink, enum ts_table_id table)
{
    return (int64_t)ts_sink_rows(sink, table) + 1;
}

/* Rows of a table with the columns file_id and node_index, in the order of the tree. */
ts_code hg_put_dominated(ts_sink *sink, const hg *g, enum ts_table_id table);

/* Notes when the rows of a file are not all there is to know of it. */
ts_code hg_note_incomplete(ts_store *store, const hg *g);

/* The heap dumps of Java: an analysis like that of the other heaps (java_heap.c). */
ts_code hg_analyse_java(ts_ctx *ctx, ts_reader *reader, ts_store *store);

/* Totals, but for the retained size of the root. */
void hg_totals_of(hg *g);

static inline bool hg_essential(const hg *g, uint32_t v, uint32_t w, uint32_t code)
{
    if (code == HG_WEAK || code == HG_PAIR_TABLE || v == w) {
        return false;
    }
    return v == g->root || (code != HG_SHORTCUT && (hg_bit(g->page, v) || !hg_bit(g->page, w)));
}

#endif
