#include "session/diff/diff_parts.h"

#include "base/alloc.h"
#include "base/sorter.h"
#include "model/heaps.h"

#include <inttypes.h>
#include <stdio.h>

enum { SORT_MEMORY = 64 << 20 };

/* Values of class.sql and node.sql, in their order. */
enum { V_SELF, V_COUNT, V_RETAINED, V_NEW, V_DELETED, V_NEW_SIZE, V_DELETED_SIZE };
enum { N_SELF, N_RETAINED };
enum { K_ID, K_STATE, K_CLASS, K_NAME };

/* What became of a node; with its index it is the handle of a row. */
typedef enum node_state { STATE_NEW, STATE_DELETED, STATE_CHANGED } node_state;
enum { STATE_SHIFT = 56 };

typedef struct heap_side {
    diff_side *side;
    ts_reader *reader;
    ts_target *copy;
    ts_model *model;
    ts_heap_file file;
    ts_idmap by_id;                  /* constructor to key of the table; with the analysis */
    const ts_heap_classes *classes;  /* without it */
    uint32_t *keys;                  /* of these */
    uint32_t unknown;                /* key of nodes that have no class */
    ts_scan *rows, *names, *strings; /* for what is printed */
} heap_side;

struct diff_heap {
    ts_ctx *ctx;
    const diff_asked *asked;
    diff_table *table;
    heap_side sides[2];
    ts_heap_match *match;
    bool analysed;
    bool by_class;
    bool comparable;
    unsigned reading; /* number of the side */
    diff_result *result;
    uint64_t handle; /* of the row that is taken now */
    int64_t id;
    char number[24];
};

/* --- classes -------------------------------------------------------------------------------- */

enum { C_NAME, C_LINE, C_COLUMN, C_FILE, C_COUNT, C_RETAINED, C_COLUMNS };

static void add_int(diff_cell *cell, int64_t value)
{
    *cell = diff_add(*cell, diff_int(value));
}

/* As DevTools calls it, with its place if it has no name. */
static ts_code constructor_key(uint32_t *key, diff_heap *h, const ts_walk *at)
{
    ts_text keys[DIFF_KEYS] = {ts_walk_null(at, C_NAME) ? TS_TEXT_NULL : ts_walk_text(at, C_NAME)};
    char place[80] = "(anonymous)";
    if (keys[0].p != NULL && keys[0].n == 0) {
        if (!ts_walk_null(at, C_LINE) && !ts_walk_null(at, C_COLUMN)) {
            (void)snprintf(place, sizeof place, "(anonymous) %" PRId64 ":%" PRId64,
                           ts_walk_int(at, C_LINE), ts_walk_int(at, C_COLUMN));
        }
        keys[0] = ts_text_of(place);
    }
    return diff_table_key(key, h->table, keys);
}

static ts_code read_constructors(diff_heap *h, unsigned side)
{
    static const unsigned columns[C_COLUMNS] = {
        TS_C_js_heap_constructor__name,   TS_C_js_heap_constructor__line,
        TS_C_js_heap_constructor__column, TS_C_js_heap_constructor__file_id,
        TS_C_js_heap_constructor__count,  TS_C_js_heap_constructor__retained_size,
    };
    heap_side *s = &h->sides[side];
    ts_walk rows = ts_walk_of(ts_rows_of(s->reader), TS_T_js_heap_constructor, columns, C_COLUMNS);
    uint32_t key = 0;
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        if (ts_walk_int(&rows, C_FILE) != s->side->file) {
            continue;
        }
        code = constructor_key(&key, h, &rows);
        if (code == TS_OK && h->by_class && ts_walk_int(&rows, C_COUNT) > 0) {
            add_int(diff_table_cell(h->table, key, V_RETAINED, side),
                    ts_walk_int(&rows, C_RETAINED));
        }
        TS_STEP(code, ts_idmap_put(h->ctx, &s->by_id, ts_walk_id(&rows), key));
    }
    return code;
}

static ts_code read_classes(diff_heap *h, heap_side *s)
{
    ts_code code = ts_heap_classes_get(&s->classes, s->model, &s->file);
    if (code == TS_OK) {
        s->keys = ts_alloc(h->ctx, s->classes->classes.n, sizeof *s->keys);
        code = s->keys == NULL ? h->ctx->error.code : TS_OK;
    }
    for (uint32_t i = 0; code == TS_OK && i < s->classes->classes.n; i++) {
        const ts_text keys[DIFF_KEYS] = {ts_heap_class_text(s->classes, i)};
        code = diff_table_key(&s->keys[i], h->table, keys);
    }
    return code;
}

/* --- nodes ---------------------------------------------------------------------------------- */

static void make_node(ts_heap_node *out, bool *skip, const diff_heap *h, const heap_side *s,
                      const ts_batch *b, unsigned i)
{
    const ts_batch_column *c = b->columns;
    uint64_t class;
    *skip = false;
    out->id = ts_sorter_key(c[0].ints[i]);
    if (!h->analysed) {
        uint32_t of =
            ts_heap_class_of(s->classes, &s->file, ts_cell_of(b, 1, i), ts_cell_of(b, 2, i));
        out->class = of == TS_NO_INDEX ? s->unknown : s->keys[of];
        out->size = c[3].ints[i];
        return;
    }
    out->class = ts_idmap_find(&class, &s->by_id, c[1].ints[i]) ? class : s->unknown;
    out->size = c[2].ints[i];
    out->retained = c[3].ints[i];
    *skip = out->size == 0; /* helpers, whose size is their owner's */
}

/* A node that only one side has, by class. */
static void count_alone(const diff_heap *h, const ts_heap_node *n, unsigned side)
{
    unsigned count = side == 1 ? V_NEW : V_DELETED;
    unsigned size = side == 1 ? V_NEW_SIZE : V_DELETED_SIZE;
    add_int(diff_table_cell(h->table, (uint32_t)n->class, count, 1), 1);
    add_int(diff_table_cell(h->table, (uint32_t)n->class, size, 1), n->size);
}

static ts_code put_alone(diff_heap *h, const ts_heap_node *n, unsigned side);
static ts_code put_pair(diff_heap *h, const ts_heap_node *a, const ts_heap_node *b);

static int64_t first_row(const diff_heap *h, const heap_side *s)
{
    return h->analysed ? s->file.at.first_retained : s->file.at.first_node;
}

static const unsigned plain_columns[] = {TS_C_js_heap_nodes__id, TS_C_js_heap_nodes__type,
                                         TS_C_js_heap_nodes__name, TS_C_js_heap_nodes__self_size};
static const unsigned analysed_columns[] = {
    TS_C_js_heap_retained__node_id, TS_C_js_heap_retained__constructor_id,
    TS_C_js_heap_retained__shallow_size, TS_C_js_heap_retained__retained_size};

static ts_code take_node(void *user, const ts_batch *b, unsigned i)
{
    diff_heap *h = user;
    const unsigned side = h->reading;
    const heap_side *s = &h->sides[side];
    ts_heap_node node = {.index = (uint64_t)(b->rowids[i] - first_row(h, s))};
    bool skip;
    make_node(&node, &skip, h, s, b, i);
    if (skip) {
        return TS_OK;
    }
    if (h->by_class) {
        diff_table_in(h->table, (uint32_t)node.class, side);
        add_int(diff_table_cell(h->table, (uint32_t)node.class, V_SELF, side), node.size);
        add_int(diff_table_cell(h->table, (uint32_t)node.class, V_COUNT, side), 1);
    }
    return b->columns[0].null[i] == 0 ? ts_heap_match_add(h->match, side, &node)
                                      : put_alone(h, &node, side);
}

/* --- merging -------------------------------------------------------------------------------- */

static ts_code merge(diff_heap *h)
{
    const ts_heap_node *pair[2] = {NULL, NULL};
    bool nothing = h->sides[0].model == NULL;
    bool one = false;
    ts_code code = TS_OK;
    for (h->reading = 0; code == TS_OK && h->reading < 2; h->reading++) {
        const heap_side *s = &h->sides[h->reading];
        if (s->model != NULL) {
            code = ts_heap_each(s->model, h->analysed ? TS_T_js_heap_retained : TS_T_js_heap_nodes,
                                first_row(h, s), s->file.at.node_count,
                                h->analysed ? analysed_columns : plain_columns, 4,
                                "reading objects", take_node, h);
        }
    }
    while (code == TS_OK && (code = ts_heap_match_next(pair, h->match)) == TS_OK &&
           (pair[0] != NULL || pair[1] != NULL)) {
        if (pair[0] != NULL && pair[1] != NULL) {
            code = put_pair(h, pair[0], pair[1]);
        } else {
            code = put_alone(h, pair[pair[1] != NULL], pair[1] != NULL);
        }
    }
    TS_STEP_IF(
        code, h->sides[1].side->borrowed && !nothing,
        ts_heap_one_recording(&one, h->sides[1].model, &h->sides[0].file, &h->sides[1].file));
    h->comparable = nothing || one || ts_heap_comparable(ts_heap_match_evidence(h->match));
    return code;
}

bool diff_heap_comparable(const diff_heap *h)
{
    return h->comparable;
}

ts_code diff_heap_classes(diff_heap *h, bool asked)
{
    ts_code code = merge(h);
    bool shown = h->comparable || asked;
    for (uint32_t id = 0; code == TS_OK && id < h->table->pool.count; id++) {
        for (unsigned v = V_NEW; v <= V_DELETED_SIZE; v++) {
            diff_cell *cell = diff_table_cell(h->table, id, v, 1);
            *cell = shown ? diff_add(*cell, diff_int(0)) : diff_null();
        }
    }
    return code;
}

/* --- opening ------------------------------------------------------------------------------- */

static ts_code open_file(diff_heap *h, unsigned side)
{
    heap_side *s = &h->sides[side];
    const ts_text none[DIFF_KEYS] = {{NULL, 0}};
    ts_code code = diff_side_reader(&s->reader, &s->copy, s->side, h->asked);
    TS_STEP(code, ts_model_open(&s->model, h->ctx));
    if (code == TS_OK) {
        const ts_rows_from from = {.ctx = h->ctx, .reader = s->reader};
        ts_model_read(s->model, &from);
        code = ts_heap_file_read(&s->file, s->model, s->side->file);
    }
    if (code == TS_OK && !ts_heap_file_sound(&s->file)) {
        code = ts_fail(h->ctx, TS_ERR_INPUT,
                       "cannot compare the heap snapshot: path=\"%s\": it is damaged, and its "
                       "nodes are not certain",
                       s->side->path);
    }
    TS_STEP(code, h->analysed ? read_constructors(h, side) : read_classes(h, s));
    TS_STEP(code, diff_table_key(&s->unknown, h->table, none));
    return code;
}

ts_code diff_heap_new(diff_heap **out, ts_ctx *ctx, diff_side *sides, diff_table *classes,
                      bool by_class, const diff_asked *asked)
{
    uint64_t limit = ctx->limits.max_memory;
    size_t memory = limit != 0 && limit / 8 < SORT_MEMORY ? (size_t)(limit / 8) : SORT_MEMORY;
    diff_heap *h = ts_zalloc(ctx, 1, sizeof *h);
    *out = h;
    TS_NEED(ctx, h);
    h->ctx = ctx;
    h->asked = asked;
    h->table = classes;
    h->by_class = by_class;
    h->analysed = (sides[0].analysed || sides[0].nothing) && sides[1].analysed;
    ts_code code = ts_heap_match_new(&h->match, ctx, memory);
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        h->sides[side].side = &sides[side];
        code = sides[side].nothing ? TS_OK : open_file(h, side);
    }
    return code;
}

void diff_heap_free(diff_heap *h)
{
    if (h == NULL) {
        return;
    }
    ts_heap_match_free(h->match);
    for (unsigned side = 0; side < 2; side++) {
        heap_side *s = &h->sides[side];
        ts_scan_close(s->rows);
        ts_scan_close(s->names);
        ts_scan_close(s->strings);
        ts_model_close(s->model);
        ts_reader_free(s->reader);
        ts_target_free(s->copy);
        ts_idmap_free(h->ctx, &s->by_id);
        ts_free(h->ctx, s->keys);
    }
    ts_free(h->ctx, h);
}

/* --- nodes as rows -------------------------------------------------------------------------- */

static void set_cells(diff_row *row, const diff_heap *h, const ts_heap_node *n, unsigned side)
{
    row->cells[2 * N_SELF + side] = diff_int(n->size);
    if (h->analysed) {
        row->cells[2 * N_RETAINED + side] = diff_int(n->retained);
    }
}

static ts_code put_row(diff_heap *h, diff_row *row, const bool in[2], node_state state,
                       const ts_heap_node *n)
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

static ts_code put_alone(diff_heap *h, const ts_heap_node *n, unsigned side)
{
    if (h->by_class) {
        count_alone(h, n, side);
        return TS_OK;
    }
    diff_row row = {.alone = true};
    const bool in[2] = {side == 0, side == 1};
    set_cells(&row, h, n, side);
    return put_row(h, &row, in, side == 0 ? STATE_DELETED : STATE_NEW, n);
}

static ts_code put_pair(diff_heap *h, const ts_heap_node *a, const ts_heap_node *b)
{
    if (h->by_class) {
        if (a->class != b->class) {
            count_alone(h, a, 0);
            count_alone(h, b, 1);
        }
        return TS_OK;
    }
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

static ts_code name_text(ts_text *out, heap_side *f, int64_t index)
{
    static const unsigned name[] = {TS_C_js_heap_nodes__name};
    static const unsigned string[] = {TS_C_js_heap_string__string};
    const ts_batch *b;
    ts_code code = TS_OK;
    if (f->names == NULL) {
        code = ts_scan_open(&f->names, f->reader, TS_T_js_heap_nodes, name, 1);
    }
    TS_STEP_IF(code, f->strings == NULL,
               ts_scan_open(&f->strings, f->reader, TS_T_js_heap_string, string, 1));
    TS_STEP(code, ts_scan_row(&b, f->names, f->file.at.first_node + index));
    if (code != TS_OK) {
        return code;
    }
    if (b->rows == 0 || b->columns[0].null[0] != 0 || b->columns[0].ints[0] < 0 ||
        b->columns[0].ints[0] >= f->file.at.string_count) {
        return TS_OK;
    }
    code = ts_scan_row(&b, f->strings, f->file.at.first_string + b->columns[0].ints[0]);
    if (code == TS_OK && b->rows > 0 && b->columns[0].null[0] == 0) {
        *out = (ts_text){b->columns[0].texts[0].p, b->columns[0].texts[0].n};
    }
    return code;
}

/* The row of a node again: its id, or its class. */
static ts_code row_text(ts_text *out, diff_heap *h, heap_side *f, int64_t index, unsigned key)
{
    const ts_batch *b;
    ts_heap_node node;
    bool skip;
    ts_code code = TS_OK;
    if (f->rows == NULL) {
        code = ts_scan_open(&f->rows, f->reader,
                            h->analysed ? TS_T_js_heap_retained : TS_T_js_heap_nodes,
                            h->analysed ? analysed_columns : plain_columns, 4);
    }
    TS_STEP(code, ts_scan_row(&b, f->rows, first_row(h, f) + index));
    if (code != TS_OK || b->rows == 0) {
        return code;
    }
    if (key == K_ID) {
        return b->columns[0].null[0] != 0 ? TS_OK : number_text(out, h, b->columns[0].ints[0]);
    }
    make_node(&node, &skip, h, f, b, 0);
    *out = diff_table_text(h->table, node.class, 0);
    return TS_OK;
}

static ts_code node_text(ts_text *out, void *user, uint64_t handle, unsigned key)
{
    static const char *const states[] = {"new", "deleted", "changed"};
    diff_heap *h = user;
    node_state state = (node_state)(handle >> STATE_SHIFT);
    int64_t index = (int64_t)(handle & ((UINT64_C(1) << STATE_SHIFT) - 1));
    heap_side *f = &h->sides[state == STATE_DELETED ? 0 : 1];
    *out = TS_TEXT_NULL;
    if (key == K_ID && handle == h->handle) {
        return number_text(out, h, h->id);
    }
    if (key == K_STATE) {
        *out = ts_text_of(states[state]);
        return TS_OK;
    }
    return key == K_NAME ? name_text(out, f, index) : row_text(out, h, f, index, key);
}

ts_code diff_heap_nodes(diff_heap *h, diff_result *r)
{
    h->result = r;
    r->keys = (diff_keys){h, node_text, NULL};
    ts_code code = merge(h);
    h->handle = UINT64_MAX;
    return code;
}
