/*
 * Heap files: where their rows are, references of nodes as a graph, classes, and the nodes of two
 * files by their ids.
 *
 * Memory: of a graph 9 bytes an edge and 12 a node, of classes some 60 a name; nodes of two files
 * are sorted within what the caller gives, the rest goes to a spool.
 */
#ifndef TS_MODEL_HEAPS_H
#define TS_MODEL_HEAPS_H

#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "model/cells.h"
#include "model/ids.h"
#include "model/model.h"
#include "tables/formats/arkts/arkts_constants.h"

/* --- files ------------------------------------------------------------------------------------ */

/* A row of js_heap_file_detail, and of js_heap_analysis if the file has one; 0: NULL. */
typedef struct ts_heap_places {
    int64_t file_id, source_id, stride;
    int64_t first_info, type_count, first_edge_type, edge_type_count;
    int64_t first_node, node_count, first_edge, edge_count;
    int64_t first_string, string_count, first_location;
    int64_t first_class, class_count;
    bool complete;
    bool analysed; /* it has rows of the analysis heap: */
    int64_t first_retained, first_dominated;
} ts_heap_places;

/* Those of all files, as they are recorded, in the order of their rows. */
ts_code ts_heap_places_read(ts_vec *out, const ts_rows_from *from);

/* The same of heap dumps of Java, which have no types; sums of their rows are where those of
 * js_heap_file_detail are. */
ts_code ts_java_places_read(ts_vec *out, const ts_rows_from *from);

enum { TS_HEAP_TYPES = 64, TS_HEAP_TYPE_NAME = 64 };

/* Names of node or edge types. */
typedef struct ts_heap_types {
    unsigned count;
    char names[TS_HEAP_TYPES][TS_HEAP_TYPE_NAME];
} ts_heap_types;

typedef struct ts_heap_file {
    ts_heap_places at; /* numbers of rows are less than 2^32-2, and no row is beyond 2^63-1 */
    ts_heap_types node_types;
    ts_heap_types edge_types;
} ts_heap_file;

/* TS_ERR_USAGE when there is no such file, TS_ERR_INPUT when its rows cannot be as it says. */
ts_code ts_heap_file_read(ts_heap_file *f, ts_model *m, int64_t file_id);
/* The name of a type, or NULL. */
const char *ts_heap_type(const ts_heap_types *types, ts_cell type);
/* Whether a file has its classes: those of a damaged one are not certain. */
static inline bool ts_heap_file_sound(const ts_heap_file *f)
{
    return f->at.class_count > 0 || f->at.node_count == 0;
}

/* Whether both files were found in one recording. */
ts_code ts_heap_one_recording(bool *one, ts_model *m, const ts_heap_file *a, const ts_heap_file *b);

/* Calls a function with each row of a table from rowid `first` to `first` + `rows` - 1, in batches
 * with these columns. `what` names the work in reports of progress. */
typedef ts_code ts_heap_row_fn(void *user, const ts_batch *b, unsigned i);
ts_code ts_heap_each(ts_model *m, enum ts_table_id table, int64_t first, int64_t rows,
                     const unsigned *columns, unsigned count, const char *what,
                     ts_heap_row_fn *each, void *user);

/* TS_ERR_INPUT unless the table can have these rows: counts must not take memory first. */
ts_code ts_heap_possible(ts_model *m, enum ts_table_id table, int64_t first, int64_t count);

/* --- references ------------------------------------------------------------------------------- */

/* Edges are numbered as edge_index, nodes as node_index. */
typedef struct ts_heap_graph {
    uint32_t nodes;
    uint32_t edges;
    uint32_t *first_edge; /* of each node, and one more */
    uint32_t *to;         /* of each edge; TS_NO_INDEX: no such node */
    uint8_t *weak;        /* of each edge: it keeps nothing alive */
    uint32_t *first_in;   /* of each node, and one more: into `in` */
    uint32_t *in;         /* edges that point at the node, rising */
    uint32_t *distance;   /* from the root without weak edges; TS_NO_INDEX: not reached */
} ts_heap_graph;

ts_code ts_heap_graph_get(const ts_heap_graph **out, ts_model *m, const ts_heap_file *f);
/* The node that holds an edge. */
uint32_t ts_heap_owner(const ts_heap_graph *g, uint32_t edge);
/* Shortest paths from the root to the node, without the nodes between of the paths before: the
 * path number k, as edges from the root on in `edges` (caller frees); *n = 0: there is none. */
ts_code ts_heap_path(uint32_t **edges, uint32_t *n, ts_model *m, const ts_heap_graph *g,
                     uint32_t node, uint32_t k);

/* --- classes ---------------------------------------------------------------------------------- */

/* All rows of js_heap_class with one text. */
typedef struct ts_heap_class {
    bool has_count;
    bool has_size;
    ts_wide count;
    ts_wide size;
} ts_heap_class;

typedef struct ts_heap_classes {
    ts_pool texts;     /* of each class its text, after a byte that is 0 for NULL */
    ts_vec classes;    /* of ts_heap_class, in the order of their first rows */
    ts_idmap by_key;   /* what nodes of a class have: its number */
    uint32_t *by_size; /* places, largest first, then by text */
    uint32_t *by_count;
    uint32_t *by_text; /* rising */
} ts_heap_classes;

ts_code ts_heap_classes_get(const ts_heap_classes **out, ts_model *m, const ts_heap_file *f);
/* The name of a class; no text for nodes without a class. Valid as long as the classes. */
ts_text ts_heap_class_text(const ts_heap_classes *c, uint32_t class);
/* The class of a node, or TS_NO_INDEX when it is not among those of the file, which is damaged
 * then. */
uint32_t ts_heap_class_of(const ts_heap_classes *c, const ts_heap_file *f, ts_cell type,
                          ts_cell name);

/* A class of either of two files: its place in the classes of each, or TS_NO_INDEX. */
typedef struct ts_heap_pair {
    uint32_t sides[2];
    ts_text text; /* valid as long as the classes */
} ts_heap_pair;

/* Adds the classes of both files to `pairs` in the order of their texts. */
ts_code ts_heap_pairs_make(ts_vec *pairs, ts_ctx *ctx, const ts_heap_classes *const sides[2]);

/* --- nodes of two files by their ids ---------------------------------------------------------- */

/*
 * Whether ids of two files mean the same objects, which is so in one run of the program: V8 and
 * ArkTS number objects in steps of 2 and never give a number again (even ones come from addresses).
 * So of the nodes with odd ids, at least 7 in 8 of those in both have the same class and shallow
 * size, at least 7 in 8 of the newer file's up to the older one's greatest id are in the older one,
 * and the greatest id does not fall. In files of different runs of one program ids agree, and half
 * of what they stand for does not.
 */
typedef struct ts_heap_evidence {
    int64_t last_old; /* the greatest odd id of the older file */
    int64_t last_new;
    uint64_t below;  /* nodes of the newer file with ids up to last_old */
    uint64_t shared; /* of these: in the older file */
    uint64_t alike;  /* of these: class and size are equal */
} ts_heap_evidence;

/* A node of the newer file; last_old is set. */
static inline void ts_heap_note(ts_heap_evidence *e, int64_t id, bool in_both, bool alike)
{
    if (id % 2 != 0) {
        e->last_new = id > e->last_new ? id : e->last_new;
        e->below += id <= e->last_old ? 1 : 0;
        e->shared += in_both ? 1 : 0;
        e->alike += in_both && alike ? 1 : 0;
    }
}

static inline bool ts_heap_comparable(const ts_heap_evidence *e)
{
    return e->shared > 0 && e->last_new >= e->last_old && e->alike >= e->shared - e->shared / 8 &&
           e->shared >= e->below - e->below / 8;
}

/* A node on its way through the comparison. */
typedef struct ts_heap_node {
    uint64_t id;    /* ts_sorter_key */
    uint64_t class; /* equal numbers on both sides: the same class */
    int64_t size, retained;
    uint64_t index; /* node_index */
} ts_heap_node;

typedef struct ts_heap_match ts_heap_match;

/* memory: bytes a side. Caller frees with ts_heap_match_free, also after an error. */
ts_code ts_heap_match_new(ts_heap_match **out, ts_ctx *ctx, size_t memory);
void ts_heap_match_free(ts_heap_match *m);

/* side 0: the older file. */
ts_code ts_heap_match_add(ts_heap_match *m, unsigned side, const ts_heap_node *node);

/* After the last node was added: what is one object, by rising ids. Of several nodes with one id
 * those of one class are one, then the last of both sides. NULL: that side does not have it; both
 * NULL: the end. Borrowed until the next call. */
ts_code ts_heap_match_next(const ts_heap_node *pair[2], ts_heap_match *m);

/* After the end. */
const ts_heap_evidence *ts_heap_match_evidence(const ts_heap_match *m);

#endif
