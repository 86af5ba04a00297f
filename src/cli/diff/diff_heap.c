#include "cli/diff/diff_heap.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sorter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SORT_MEMORY = 64 << 20, NO_CLASS_TEXT = 0 };

/* Values of class.sql and node.sql, in their order. */
enum { V_SELF, V_COUNT, V_RETAINED, V_NEW, V_DELETED, V_NEW_SIZE, V_DELETED_SIZE };
enum { N_SELF, N_RETAINED };
enum { K_ID, K_STATE, K_CLASS, K_NAME };

/* A node on its way through the sorter. */
typedef struct heap_node {
    uint64_t id; /* ts_sorter_key */
    uint64_t class;
    int64_t size, retained;
    uint64_t index;
} heap_node;

/* What became of a node; with its index it is the handle of a row. */
typedef enum node_state { STATE_NEW, STATE_DELETED, STATE_CHANGED } node_state;
enum { STATE_SHIFT = 56 };

typedef struct heap_file {
    diff_side *side;
    ts_reader *reader;
    ts_target *copy;
    int64_t first_node, node_count, first_string, string_count, first_retained;
    ts_idmap by_id;   /* constructor to class; with the analysis */
    ts_idmap named;   /* types whose class is the name of the node */
    ts_idmap by_type; /* without it */
    ts_idmap by_name;
    uint32_t unknown; /* class of nodes that have none */
    uint64_t nodes;   /* that are compared */
    ts_sorter *sorter;
    const heap_node *next;
    ts_scan *rows, *names, *strings; /* for what is printed */
} heap_file;

struct diff_heap {
    ts_ctx *ctx;
    diff_table *classes;
    heap_file files[2];
    bool analysed;
    bool by_class;
    uint64_t same; /* nodes with id and class on both sides */
    diff_result *result;
    uint64_t handle; /* of the row that is taken now */
    int64_t id;
    char number[24];
};

/* --- what is asked of SQL ------------------------------------------------------------------- */

static ts_code take_place(void *user, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types, int n)
{
    heap_file *f = user;
    int64_t *const places[] = {&f->first_node, &f->node_count, &f->first_string, &f->string_count,
                               &f->first_retained};
    (void)lengths;
    for (int i = 0; i < n; i++) {
        *places[i] = types[i] == TS_CELL_INT ? strtoll(values[i], NULL, 10) : 0;
    }
    return TS_OK;
}

static ts_code find_places(diff_heap *h, heap_file *f)
{
    static const char sql[] =
        "SELECT d.first_node_rowid, d.node_count, d.first_string_rowid, d.string_count, "
        "a.first_retained_rowid FROM js_heap_file_detail AS d LEFT JOIN js_heap_analysis AS a "
        "ON a.file_id = d.file_id WHERE d.file_id = :file "
        "AND (d.class_count > 0 OR d.node_count = 0)";
    char file[24];
    const ts_param param = {"file", file};
    const ts_rows_visitor visitor = {f, NULL, take_place, NULL};
    snprintf(file, sizeof file, "%" PRId64, f->side->file);
    f->node_count = -1;
    ts_code code = ts_db_query(f->side->db, sql, sizeof sql - 1, &param, 1, &visitor);
    if (code == TS_OK && f->node_count < 0) {
        return ts_fail(h->ctx, TS_ERR_INPUT,
                       "cannot compare the heap snapshot: path=\"%s\": it is damaged, and its "
                       "nodes are not certain",
                       f->side->path);
    }
    return code;
}

typedef struct class_asking {
    diff_heap *heap;
    heap_file *file;
    unsigned side;
} class_asking;

static ts_code take_class(void *user, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types, int n)
{
    const class_asking *a = user;
    ts_ctx *ctx = a->heap->ctx;
    heap_file *f = a->file;
    int64_t ints[3];
    const ts_text keys[DIFF_KEYS] = {{values[3], lengths[3]}};
    uint32_t class = 0;
    ts_code code = n == 5 ? diff_table_key(&class, a->heap->classes, keys)
                          : ts_fail(ctx, TS_ERR_INTERNAL, "class.sql has other columns");
    for (int i = 0; code == TS_OK && i < 3; i++) {
        ints[i] = types[i] == TS_CELL_INT ? strtoll(values[i], NULL, 10) : 0;
    }
    if (code != TS_OK) {
        return code;
    }
    if (types[2] != TS_CELL_NULL) {
        if (a->heap->by_class) {
            diff_cell *cell = diff_table_cell(a->heap->classes, class, V_RETAINED, a->side);
            *cell = diff_add(*cell, diff_parse(types[4], values[4]));
        }
        return ts_idmap_put(ctx, &f->by_id, ints[2], class);
    }
    if (types[1] == TS_CELL_NULL) {
        return ts_idmap_put(ctx, &f->by_type, ints[0], class);
    }
    code = ts_idmap_put(ctx, &f->named, ints[0], 1);
    return code != TS_OK ? code : ts_idmap_put(ctx, &f->by_name, ints[1], class);
}

/* sql: class.sql */
static ts_code read_classes(diff_heap *h, unsigned side, const ts_shipped *sql)
{
    heap_file *f = &h->files[side];
    class_asking a = {h, f, side};
    char file[24];
    const ts_param params[] = {{"file", file}, {"analysed", h->analysed ? "1" : "0"}};
    const ts_rows_visitor visitor = {&a, NULL, take_class, NULL};
    snprintf(file, sizeof file, "%" PRId64, f->side->file);
    return ts_db_query(f->side->db, sql->sql.p, sql->sql.n, params, 2, &visitor);
}

/* --- nodes ---------------------------------------------------------------------------------- */

static uint32_t class_by_type(const heap_file *f, const ts_batch *b, unsigned i)
{
    const ts_batch_column *type = &b->columns[1];
    const ts_batch_column *name = &b->columns[2];
    uint64_t class;
    bool known = type->null[i] == 0;
    if (known && name->null[i] == 0 && ts_idmap_find(&class, &f->named, type->ints[i])) {
        known = ts_idmap_find(&class, &f->by_name, name->ints[i]);
    } else {
        known = known && ts_idmap_find(&class, &f->by_type, type->ints[i]);
    }
    return known ? (uint32_t) class : f->unknown;
}

static void make_node(heap_node *out, bool *skip, const diff_heap *h, const heap_file *f,
                      const ts_batch *b, unsigned i)
{
    const ts_batch_column *c = b->columns;
    uint64_t class;
    *skip = false;
    out->id = ts_sorter_key(c[0].ints[i]);
    if (!h->analysed) {
        out->class = class_by_type(f, b, i);
        out->size = c[3].ints[i];
        return;
    }
    out->class = ts_idmap_find(&class, &f->by_id, c[1].ints[i]) ? class : f->unknown;
    out->size = c[2].ints[i];
    out->retained = c[3].ints[i];
    *skip = out->size == 0; /* helpers, whose size is their owner's */
}

static void add_int(diff_cell *cell, int64_t value)
{
    *cell = diff_add(*cell, diff_int(value));
}

/* A node that only one side has, by class. */
static void count_alone(const diff_heap *h, const heap_node *n, unsigned side)
{
    unsigned count = side == 1 ? V_NEW : V_DELETED;
    unsigned size = side == 1 ? V_NEW_SIZE : V_DELETED_SIZE;
    add_int(diff_table_cell(h->classes, (uint32_t)n->class, count, 1), 1);
    add_int(diff_table_cell(h->classes, (uint32_t)n->class, size, 1), n->size);
}

static ts_code put_alone(diff_heap *h, const heap_node *n, unsigned side);

static ts_code take_node(diff_heap *h, unsigned side, const ts_batch *b, unsigned i, int64_t index)
{
    heap_file *f = &h->files[side];
    heap_node node = {.index = (uint64_t)index};
    bool skip;
    make_node(&node, &skip, h, f, b, i);
    if (skip) {
        return TS_OK;
    }
    f->nodes++;
    if (h->by_class) {
        diff_table_in(h->classes, (uint32_t)node.class, side);
        add_int(diff_table_cell(h->classes, (uint32_t)node.class, V_SELF, side), node.size);
        add_int(diff_table_cell(h->classes, (uint32_t)node.class, V_COUNT, side), 1);
    }
    if (b->columns[0].null[i] == 0) {
        return ts_sorter_add(f->sorter, &node);
    }
    if (h->by_class) {
        count_alone(h, &node, side);
        return TS_OK;
    }
    return put_alone(h, &node, side);
}

static ts_code open_rows(ts_scan **out, const diff_heap *h, const heap_file *f)
{
    static const unsigned plain[] = {TS_C_js_heap_nodes__id, TS_C_js_heap_nodes__type,
                                     TS_C_js_heap_nodes__name, TS_C_js_heap_nodes__self_size};
    static const unsigned analysed[] = {
        TS_C_js_heap_retained__node_id, TS_C_js_heap_retained__constructor_id,
        TS_C_js_heap_retained__shallow_size, TS_C_js_heap_retained__retained_size};
    return h->analysed ? ts_scan_open(out, f->reader, TS_T_js_heap_retained, analysed, 4)
                       : ts_scan_open(out, f->reader, TS_T_js_heap_nodes, plain, 4);
}

static int64_t first_row(const diff_heap *h, const heap_file *f)
{
    return h->analysed ? f->first_retained : f->first_node;
}

static ts_code read_nodes(diff_heap *h, unsigned side)
{
    heap_file *f = &h->files[side];
    int64_t first = first_row(h, f);
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = f->node_count == 0 ? TS_OK : open_rows(&scan, h, f);
    if (code == TS_OK && scan != NULL) {
        code = ts_scan_seek(scan, first);
    }
    for (bool more = scan != NULL; code == TS_OK && more;) {
        code = ts_scan_next(&b, scan);
        more = code == TS_OK && b->rows > 0;
        for (unsigned i = 0; code == TS_OK && more && i < b->rows; i++) {
            int64_t index = b->rowids[i] - first;
            more = index < f->node_count;
            code = more ? take_node(h, side, b, i, index) : TS_OK;
        }
    }
    ts_scan_close(scan);
    return code == TS_OK ? ts_sorter_finish(f->sorter) : code;
}

/* --- opening ------------------------------------------------------------------------------- */

static ts_code open_file(diff_heap *h, unsigned side, const ts_shipped *sql)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    heap_file *f = &h->files[side];
    uint64_t limit = h->ctx->limits.max_memory;
    size_t memory = limit != 0 && limit / 8 < SORT_MEMORY ? (size_t)(limit / 8) : SORT_MEMORY;
    const ts_text none[DIFF_KEYS] = {{NULL, 0}};
    ts_code code = find_places(h, f);
    if (code == TS_OK) {
        code = diff_side_reader(&f->reader, &f->copy, f->side);
    }
    if (code == TS_OK) {
        code = read_classes(h, side, sql);
    }
    if (code == TS_OK) {
        code = diff_table_key(&f->unknown, h->classes, none);
    }
    if (code == TS_OK) {
        code = ts_sorter_open(&f->sorter, h->ctx, sizeof(heap_node), &order, memory);
    }
    return code;
}

ts_code diff_heap_new(diff_heap **out, ts_ctx *ctx, diff_side *sides, diff_table *classes,
                      bool by_class, const ts_shipped *sql)
{
    ts_code code = TS_OK;
    diff_heap *h = ts_zalloc(ctx, 1, sizeof *h);
    *out = h;
    if (h == NULL) {
        return ctx->error.code;
    }
    h->ctx = ctx;
    h->classes = classes;
    h->by_class = by_class;
    h->analysed = sides[0].analysed && sides[1].analysed;
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        h->files[side].side = &sides[side];
        code = open_file(h, side, sql);
    }
    return code;
}

void diff_heap_free(diff_heap *h)
{
    if (h == NULL) {
        return;
    }
    for (unsigned side = 0; side < 2; side++) {
        heap_file *f = &h->files[side];
        ts_sorter_close(f->sorter);
        ts_scan_close(f->rows);
        ts_scan_close(f->names);
        ts_scan_close(f->strings);
        ts_reader_free(f->reader);
        ts_target_free(f->copy);
        ts_idmap_free(h->ctx, &f->by_id);
        ts_idmap_free(h->ctx, &f->named);
        ts_idmap_free(h->ctx, &f->by_type);
        ts_idmap_free(h->ctx, &f->by_name);
    }
    ts_free(h->ctx, h);
}

/* --- merging -------------------------------------------------------------------------------- */

static ts_code advance(heap_file *f)
{
    const void *record;
    ts_code code = ts_sorter_next(&record, f->sorter);
    f->next = code == TS_OK ? record : NULL;
    return code;
}

/* < 0: the older side's node comes first; 0: they are one. */
static int compare_nodes(const diff_heap *h, const heap_node *a, const heap_node *b)
{
    if (a == NULL || b == NULL) {
        return (a == NULL) - (b == NULL);
    }
    if (a->id != b->id || !h->by_class) {
        return (a->id > b->id) - (a->id < b->id);
    }
    return (a->class > b->class) - (a->class < b->class);
}

static ts_code put_pair(diff_heap *h, const heap_node *a, const heap_node *b);

static ts_code merge_step(diff_heap *h)
{
    heap_file *f = h->files;
    int order = compare_nodes(h, f[0].next, f[1].next);
    ts_code code = TS_OK;
    if (order == 0) {
        h->same += f[0].next->class == f[1].next->class ? 1 : 0;
        code = h->by_class ? TS_OK : put_pair(h, f[0].next, f[1].next);
    } else if (h->by_class) {
        count_alone(h, f[order > 0].next, order > 0);
    } else {
        code = put_alone(h, f[order > 0].next, order > 0);
    }
    if (code == TS_OK && order <= 0) {
        code = advance(&f[0]);
    }
    if (code == TS_OK && order >= 0) {
        code = advance(&f[1]);
    }
    return code;
}

static ts_code merge(diff_heap *h)
{
    ts_code code = read_nodes(h, 0);
    if (code == TS_OK) {
        code = read_nodes(h, 1);
    }
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        code = advance(&h->files[side]);
    }
    while (code == TS_OK && (h->files[0].next != NULL || h->files[1].next != NULL)) {
        code = merge_step(h);
    }
    return code;
}

bool diff_heap_related(const diff_heap *h)
{
    uint64_t a = h->files[0].nodes;
    uint64_t b = h->files[1].nodes;
    return h->same >= (a < b ? a : b) / 2;
}

ts_code diff_heap_classes(diff_heap *h)
{
    ts_code code = merge(h);
    for (uint32_t id = 0; code == TS_OK && id < h->classes->pool.count; id++) {
        for (unsigned v = V_NEW; v <= V_DELETED_SIZE; v++) {
            diff_cell *cell = diff_table_cell(h->classes, id, v, 1);
            *cell = diff_add(*cell, diff_int(0));
        }
    }
    return code;
}

/* --- nodes as rows -------------------------------------------------------------------------- */

static void set_cells(diff_row *row, const diff_heap *h, const heap_node *n, unsigned side)
{
    row->cells[2 * N_SELF + side] = diff_int(n->size);
    if (h->analysed) {
        row->cells[2 * N_RETAINED + side] = diff_int(n->retained);
    }
}

static ts_code put_row(diff_heap *h, diff_row *row, const bool in[2], node_state state,
                       const heap_node *n)
{
    row->handle = (uint64_t)state << STATE_SHIFT | n->index;
    h->handle = row->handle;
    h->id = (int64_t)(n->id ^ (UINT64_C(1) << 63));
    diff_result_count(h->result, row, in);
    diff_result_complete(h->result, row, in);
    for (unsigned side = 0; side < 2; side++) { /* before the other side's values are known */
        if (!in[side]) {
            row->cells[2 * N_SELF + side] = diff_int(0);
            row->cells[2 * N_RETAINED + side] = h->analysed ? diff_int(0) : diff_null();
        }
    }
    return diff_result_take(h->result, row);
}

static ts_code put_alone(diff_heap *h, const heap_node *n, unsigned side)
{
    diff_row row = {0};
    const bool in[2] = {side == 0, side == 1};
    set_cells(&row, h, n, side);
    return put_row(h, &row, in, side == 0 ? STATE_DELETED : STATE_NEW, n);
}

static ts_code put_pair(diff_heap *h, const heap_node *a, const heap_node *b)
{
    diff_row row = {0};
    const bool in[2] = {true, true};
    set_cells(&row, h, a, 0);
    set_cells(&row, h, b, 1);
    return put_row(h, &row, in, STATE_CHANGED, b);
}

/* --- what is printed of nodes ---------------------------------------------------------------- */

static ts_code number_text(ts_text *out, diff_heap *h, int64_t id)
{
    int n = snprintf(h->number, sizeof h->number, "%" PRId64, id);
    *out = (ts_text){h->number, n < 0 ? 0 : (size_t)n};
    return TS_OK;
}

static ts_code name_text(ts_text *out, const diff_heap *h, heap_file *f, int64_t index)
{
    static const unsigned name[] = {TS_C_js_heap_nodes__name};
    static const unsigned string[] = {TS_C_js_heap_string__string};
    const ts_batch *b;
    ts_code code = TS_OK;
    (void)h;
    if (f->names == NULL) {
        code = ts_scan_open(&f->names, f->reader, TS_T_js_heap_nodes, name, 1);
    }
    if (code == TS_OK && f->strings == NULL) {
        code = ts_scan_open(&f->strings, f->reader, TS_T_js_heap_string, string, 1);
    }
    if (code == TS_OK) {
        code = ts_scan_row(&b, f->names, f->first_node + index);
    }
    if (code != TS_OK) {
        return code;
    }
    if (b->rows == 0 || b->columns[0].null[0] != 0 || b->columns[0].ints[0] < 0 ||
        b->columns[0].ints[0] >= f->string_count) {
        return TS_OK;
    }
    code = ts_scan_row(&b, f->strings, f->first_string + b->columns[0].ints[0]);
    if (code == TS_OK && b->rows > 0 && b->columns[0].null[0] == 0) {
        *out = (ts_text){b->columns[0].texts[0].p, b->columns[0].texts[0].n};
    }
    return code;
}

/* The row of a node again: its id, or its class. */
static ts_code row_text(ts_text *out, diff_heap *h, heap_file *f, int64_t index, unsigned key)
{
    const ts_batch *b;
    heap_node node;
    bool skip;
    ts_code code = f->rows == NULL ? open_rows(&f->rows, h, f) : TS_OK;
    if (code == TS_OK) {
        code = ts_scan_row(&b, f->rows, first_row(h, f) + index);
    }
    if (code != TS_OK || b->rows == 0) {
        return code;
    }
    if (key == K_ID) {
        return b->columns[0].null[0] != 0 ? TS_OK : number_text(out, h, b->columns[0].ints[0]);
    }
    make_node(&node, &skip, h, f, b, 0);
    *out = diff_table_text(h->classes, node.class, 0);
    return TS_OK;
}

static ts_code node_text(ts_text *out, void *user, uint64_t handle, unsigned key)
{
    static const char *const states[] = {"new", "deleted", "changed"};
    diff_heap *h = user;
    node_state state = (node_state)(handle >> STATE_SHIFT);
    int64_t index = (int64_t)(handle & ((UINT64_C(1) << STATE_SHIFT) - 1));
    heap_file *f = &h->files[state == STATE_DELETED ? 0 : 1];
    *out = TS_TEXT_NULL;
    if (key == K_ID && handle == h->handle) {
        return number_text(out, h, h->id);
    }
    if (key == K_STATE) {
        *out = ts_text_of(states[state]);
        return TS_OK;
    }
    return key == K_NAME ? name_text(out, h, f, index) : row_text(out, h, f, index, key);
}

ts_code diff_heap_nodes(diff_heap *h, diff_result *r)
{
    h->result = r;
    r->keys = (diff_keys){h, node_text};
    ts_code code = merge(h);
    h->handle = UINT64_MAX;
    return code;
}
