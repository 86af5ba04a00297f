/* What the views of heaps share. */
#ifndef TS_SERVE_HEAP_PRIVATE_H
#define TS_SERVE_HEAP_PRIVATE_H

#include "base/pool.h"
#include "serve/heap_views.h"
#include "serve/views_private.h"
#include "tables/formats/arkts/arkts_constants.h"

enum { TS_HEAP_TYPES = 64, TS_HEAP_TYPE_NAME = 64 };

/* Names of node or edge types. */
typedef struct ts_heap_types {
    unsigned count;
    char names[TS_HEAP_TYPES][TS_HEAP_TYPE_NAME];
} ts_heap_types;

/* A row of js_heap_file_detail: where the rows of the file are. Counts are 0 when there are none.
 */
typedef struct ts_heap_file {
    int64_t file_id;
    int64_t stride;
    int64_t first_node;
    uint32_t node_count;
    int64_t first_edge;
    uint32_t edge_count;
    int64_t first_string;
    int64_t string_count;
    int64_t first_class;
    int64_t class_count;
    bool complete;
    bool analysed; /* it has rows of js_heap_analysis: */
    int64_t first_retained;
    int64_t first_dominated;
    ts_heap_types node_types;
    ts_heap_types edge_types;
} ts_heap_file;

/* TS_ERR_USAGE when there is no such file, TS_ERR_INPUT when its rows cannot be as it says. */
ts_code ts_heap_file_read(ts_heap_file *f, ts_view_call *call, int64_t file_id);
/* The name of a type, or NULL. */
const char *ts_heap_type(const ts_heap_types *types, ts_cell type);

/* The references of a file. Edges are numbered as edge_index, nodes as node_index. */
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

ts_code ts_heap_graph_get(const ts_heap_graph **out, ts_view_call *call, const ts_heap_file *f);
/* The node that holds an edge. */
uint32_t ts_heap_owner(const ts_heap_graph *g, uint32_t edge);
/* Shortest paths from the root to the node, without the nodes between of the paths before: the
 * path number k, as edges from the root on in `edges` (caller frees); *n = 0: there is none. */
ts_code ts_heap_path(uint32_t **edges, uint32_t *n, ts_view_call *call, const ts_heap_graph *g,
                     uint32_t node, uint32_t k);

/* Rows of a file by their numbers. */
typedef struct ts_heap_rows {
    ts_view_call *call;
    const ts_heap_file *file;
    ts_rows *nodes;
    ts_rows *edges;
    ts_rows *strings;
} ts_heap_rows;

ts_code ts_heap_rows_open(ts_heap_rows *r, ts_view_call *call, const ts_heap_file *f);
void ts_heap_rows_close(ts_heap_rows *r);
/* Writes cells: id, type, name, self_size, edge_count; NULL for a node that there is not. */
ts_code ts_heap_put_node(ts_heap_rows *r, uint32_t node);
/* Writes cells: edge_index, type, name. */
ts_code ts_heap_put_edge(ts_heap_rows *r, uint32_t edge);
ts_code ts_heap_put_string(ts_heap_rows *r, ts_cell name);
/* "columns":[...] of names with commas between them. */
void ts_heap_columns(ts_jout *out, const char *names);

/* A class of a file: all rows of js_heap_class with one text. */
typedef struct ts_heap_class {
    uint32_t text; /* in `texts`; TS_NO_INDEX: NULL */
    bool has_count;
    bool has_size;
    ts_wide count;
    ts_wide size;
} ts_heap_class;

/* What nodes of a class have: a type, and for objects a name. */
typedef struct ts_heap_key {
    ts_cell type;
    ts_cell name; /* NULL: any */
    uint32_t class;
} ts_heap_key;

typedef struct ts_heap_classes {
    ts_pool texts;
    ts_vec classes;    /* of ts_heap_class, in the order of their first rows */
    ts_vec keys;       /* of ts_heap_key */
    uint32_t *by_size; /* places, largest first, then by text */
    uint32_t *by_count;
    uint32_t *by_text; /* rising */
} ts_heap_classes;

ts_code ts_heap_classes_get(const ts_heap_classes **out, ts_view_call *call, const ts_heap_file *f);
/* The name of a class; no text for nodes without a class. Valid as long as the classes. */
ts_text ts_heap_class_text(const ts_heap_classes *c, uint32_t class);

/* Calls a function with each node of the file, in batches of rows with these columns of
 * js_heap_nodes. `what` names the work in reports of progress. */
typedef ts_code ts_heap_node_fn(void *user, const ts_batch *b, unsigned i);
ts_code ts_heap_nodes_each(ts_view_call *call, const ts_heap_file *f, const unsigned *columns,
                           unsigned count, const char *what, ts_heap_node_fn *each, void *user);

/* A class of either of two files: its place in the classes of each, or TS_NO_INDEX. */
typedef struct ts_heap_pair {
    uint32_t sides[2]; /* the file and the one that it is compared with */
    ts_text text;      /* valid as long as the classes */
} ts_heap_pair;

/* Adds the classes of both files to `pairs` in the order of their texts. */
ts_code ts_heap_pairs_make(ts_vec *pairs, ts_ctx *ctx, const ts_heap_classes *const sides[2]);

/* What nodes of a class did between two files. */
typedef struct ts_heap_change {
    uint32_t text;    /* in `texts`; TS_NO_INDEX: NULL */
    uint64_t added;   /* nodes whose ids are only in the file */
    uint64_t removed; /* or only in the one before */
    uint64_t kept;
    ts_wide added_size;
    ts_wide removed_size;
    ts_wide size_delta; /* with the growth of those that are in both */
} ts_heap_change;

typedef struct ts_heap_changes {
    ts_pool texts;
    ts_vec rows; /* of ts_heap_change: classes of which a node came, went or grew; largest
                    size_delta first, then by text */
} ts_heap_changes;

/* files: the file and the one that it is compared with. */
ts_code ts_heap_changes_get(const ts_heap_changes **out, ts_view_call *call,
                            const ts_heap_file *const files[2],
                            const ts_heap_classes *const classes[2]);

/* Sorts places by a comparison (negative: a first), stable. */
ts_code ts_sort_by(ts_ctx *ctx, uint32_t *places, size_t n,
                   int (*compare)(const void *user, uint32_t a, uint32_t b), const void *user);
/* Whether the text holds the part; ASCII letters are equal in either case. */
bool ts_text_has(ts_text text, ts_text part);
/* As SQLite compares texts: bytes, then length; NULL first. */
int ts_text_order(ts_text a, ts_text b);

#endif
