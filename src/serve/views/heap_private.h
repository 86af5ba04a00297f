/* What the views of heaps share. */
#ifndef TS_SERVE_HEAP_PRIVATE_H
#define TS_SERVE_HEAP_PRIVATE_H

#include "base/pool.h"
#include "model/heaps.h"
#include "model/sort_by.h"
#include "serve/views/heap_views.h"
#include "serve/views/views_private.h"

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
/* "columns":[...] of names with commas between them. */
void ts_heap_columns(ts_jout *out, const char *names);
/* The same, then "rows":[ up to the end, after which other members may follow. */
void ts_heap_table(ts_jout *out, const char *names);
void ts_heap_table_end(ts_jout *out, uint64_t row_count);
/* A number; null when it is not known. */
void ts_heap_put_number(ts_jout *out, bool known, ts_wide value);
/* `n` columns of a row of js_heap_retained; null when there is no such row. */
ts_code ts_heap_put_retained(ts_heap_rows *r, sqlite3_stmt *stmt, uint32_t node, int n);
/* The file that the parameter `file`, the first one, names. */
ts_code ts_heap_file_asked(ts_heap_file *f, ts_view_call *call);
/* Places 0 to n - 1 in an order (ts_sort_by); caller frees them. */
ts_code ts_heap_order(uint32_t **places, ts_ctx *ctx, size_t n,
                      int (*order)(const void *user, uint32_t a, uint32_t b), const void *user);

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
    ts_vec rows;     /* of ts_heap_change: classes of which a node came, went or grew; largest
                        size_delta first, then by text */
    bool comparable; /* equal ids mean the same object */
} ts_heap_changes;

/* The file and the one that it is compared with. */
typedef struct ts_heap_sides {
    const ts_heap_file *files[2];
    const ts_heap_classes *classes[2];
} ts_heap_sides;

ts_code ts_heap_changes_get(const ts_heap_changes **out, ts_model *m, const ts_heap_sides *sides);

/* Whether the text holds the part; ASCII letters are equal in either case. */
bool ts_text_has(ts_text text, ts_text part);

#endif
