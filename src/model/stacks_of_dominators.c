/*
 * What keeps what alive in analysed heaps, as call paths: the dominator tree with the classes of
 * its nodes in place of methods, so that a frame weighs what would be freed with its objects, and
 * by itself their own size. The root is no frame, and what it does not reach weighs nothing.
 *
 * A class that is on the path already is no further frame, so that lists and trees of one class
 * are one; below MOST_DEEP frames nothing is divided.
 *
 * Memory beside the profile's: 12 bytes a node of one heap at a time; 30 to 60 a call path, and the
 * names of classes.
 */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "model/heaps.h"
#include "model/path_ids.h"
#include "tables/formats/hprof/hprof_numbers.h"

enum { MOST_DEEP = 100 };

enum { SPACE, OBJECTS, WEIGHTS };

static const stacks_sum dominator_weights[WEIGHTS] = {
    {"inuse_space", "bytes", TS_CLASS_live},
    {"inuse_objects", "count", TS_CLASS_live},
};

typedef int64_t dominator_sums[WEIGHTS];

typedef struct dominators_work {
    ts_calls *p;
    uint32_t cap;           /* of the profile's call paths */
    ts_pool texts;          /* methods less 1 */
    ts_vec classes;         /* int64_t by id of a class: its text and 1 */
    ts_idmap class_objects; /* node of Java's dump under way -> text */
    ts_idmap paths;         /* call path and text -> call path */
    ts_vec sums;            /* dominator_sums by call path */

    const ts_heap_places *at;
    bool java;
    uint32_t n;
    uint32_t read;
    uint32_t *dominator; /* TS_NO_INDEX: none */
    uint32_t *text;
    uint32_t *path; /* 0: the root; TS_NO_INDEX: not reached */
} dominators_work;

/* --- paths ------------------------------------------------------------------------------------ */

/* The path on which the class is below another one. */
static ts_code path_below(uint32_t *out, dominators_work *w, uint32_t above, uint32_t text)
{
    ts_calls *p = w->p;
    const int64_t key = (int64_t)((uint64_t)above << 32 | text);
    uint64_t found = 0;
    unsigned depth = 0;
    if (ts_idmap_find(&found, &w->paths, key)) {
        *out = (uint32_t)found;
        return TS_OK;
    }
    uint32_t same = above;
    while (same != 0 && p->method[same] != text + 1) {
        same = p->parent[same];
        depth++;
    }
    *out = same != 0 ? same : above;
    if (same == 0 && depth < MOST_DEEP) {
        TS_TRY(stacks_add_node(p, &w->cap, above, text + 1, 0));
        TS_NEED(p->ctx, ts_vec_add(p->ctx, &w->sums, sizeof(dominator_sums)));
        *out = p->nodes;
    }
    return ts_idmap_put(p->ctx, &w->paths, key, *out);
}

/* Rows come from above to below. */
static ts_code take_dominated(void *user, const ts_batch *b, unsigned i)
{
    dominators_work *w = user;
    const int64_t node = ts_cell_or(b, 0, i, -1);
    const bool root = w->read++ == 0;
    if (node < 0 || node >= w->n) {
        return ts_rows_changed(w->p->ctx, "rows of dominated nodes");
    }
    const uint32_t dominator = w->dominator[node];
    if (root) {
        w->path[node] = 0;
        return TS_OK;
    }
    if (dominator >= w->n || w->path[dominator] == TS_NO_INDEX) {
        return TS_OK;
    }
    return path_below(&w->path[node], w, w->path[dominator], w->text[node]);
}

static ts_code take_size(void *user, const ts_batch *b, unsigned i)
{
    dominators_work *w = user;
    const uint32_t path = w->path[w->read++];
    if (path == TS_NO_INDEX || path == 0) {
        return TS_OK;
    }
    int64_t *sums = ((dominator_sums *)w->sums.p)[path - 1];
    sums[OBJECTS]++;
    const int64_t size = ts_cell_or(b, 0, i, 0);
    return ts_ckd_add(&sums[SPACE], sums[SPACE], size > 0 ? size : 0)
               ? ts_fail(w->p->ctx, TS_ERR_LIMIT,
                         "the sum of inuse_space does not fit into 64 bits")
               : TS_OK;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static uint32_t class_text(const dominators_work *w, ts_cell class)
{
    const int64_t text = class.null ? 0 : ts_vec_kept(&w->classes, class.value);
    return text > 0 ? (uint32_t)(text - 1) : 0; /* the text without a name */
}

static void take_dominator(dominators_work *w, ts_cell dominator)
{
    w->dominator[w->read] = dominator.null || dominator.value < 0 || dominator.value >= w->n
                                ? TS_NO_INDEX
                                : (uint32_t)dominator.value;
    w->path[w->read] = TS_NO_INDEX;
}

static ts_code take_js_node(void *user, const ts_batch *b, unsigned i)
{
    dominators_work *w = user;
    take_dominator(w, ts_cell_of(b, 0, i));
    w->text[w->read++] = class_text(w, ts_cell_of(b, 1, i));
    return TS_OK;
}

static ts_code take_java_node(void *user, const ts_batch *b, unsigned i)
{
    dominators_work *w = user;
    take_dominator(w, ts_cell_of(b, 0, i));
    w->read++;
    return TS_OK;
}

static ts_code take_java_object(void *user, const ts_batch *b, unsigned i)
{
    dominators_work *w = user;
    uint64_t text;
    const bool class = ts_cell_or(b, 1, i, -1) == TS_JAVA_CLASS;
    w->text[w->read] = class && ts_idmap_find(&text, &w->class_objects, w->read)
                           ? (uint32_t)text
                           : class_text(w, ts_cell_of(b, 0, i));
    w->read++;
    return TS_OK;
}

/* --- classes ---------------------------------------------------------------------------------- */

static ts_code read_js_classes(dominators_work *w)
{
    static const unsigned columns[] = {TS_C_js_heap_constructor__name};
    ts_walk rows = ts_walk_of(*ts_model_rows(w->p->model), TS_T_js_heap_constructor, columns, 1);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        uint32_t text;
        code = ts_pool_intern(w->p->ctx, &text, NULL, &w->texts, ts_walk_text(&rows, 0));
        TS_STEP(code, ts_vec_keep(w->p->ctx, &w->classes, ts_walk_id(&rows), text + INT64_C(1)));
    }
    return code;
}

/* Classes, and what they are called as objects. */
static ts_code read_java_classes(dominators_work *w)
{
    static const unsigned columns[] = {TS_C_java_heap_class__file_id,
                                       TS_C_java_heap_class__node_index,
                                       TS_C_java_heap_class__name};
    ts_ctx *ctx = w->p->ctx;
    ts_walk rows = ts_walk_of(*ts_model_rows(w->p->model), TS_T_java_heap_class, columns, 3);
    ts_buf object = {0};
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        const ts_text name = ts_walk_text(&rows, 2);
        uint32_t text;
        if (ts_walk_int(&rows, 0) != w->at->file_id) {
            continue;
        }
        code = ts_pool_intern(ctx, &text, NULL, &w->texts, name);
        TS_STEP(code, ts_vec_keep(ctx, &w->classes, ts_walk_id(&rows), text + INT64_C(1)));
        object.n = 0;
        TS_STEP(code, ts_buf_printf(ctx, &object, "class %.*s", (int)name.n, name.p));
        TS_STEP(code, ts_pool_intern(ctx, &text, NULL, &w->texts, ts_buf_text(&object)));
        TS_STEP(code, ts_idmap_put(ctx, &w->class_objects, ts_walk_int(&rows, 1), text));
    }
    ts_buf_free(ctx, &object);
    return code;
}

/* --- files ------------------------------------------------------------------------------------ */

static ts_code each(dominators_work *w, enum ts_table_id table, int64_t first,
                    const unsigned *columns, unsigned count, ts_heap_row_fn *take)
{
    w->read = 0;
    TS_TRY(
        ts_heap_each(w->p->model, table, first, w->n, columns, count, "reading the heap", take, w));
    return w->read == w->n ? TS_OK : ts_rows_changed(w->p->ctx, ts_schema[table].name);
}

static ts_code read_js(dominators_work *w)
{
    static const unsigned nodes[] = {TS_C_js_heap_retained__dominator,
                                     TS_C_js_heap_retained__constructor_id};
    static const unsigned order[] = {TS_C_js_heap_dominated__node_index};
    static const unsigned sizes[] = {TS_C_js_heap_retained__shallow_size};
    const ts_heap_places *at = w->at;
    TS_TRY(each(w, TS_T_js_heap_retained, at->first_retained, nodes, 2, take_js_node));
    TS_TRY(each(w, TS_T_js_heap_dominated, at->first_dominated, order, 1, take_dominated));
    return each(w, TS_T_js_heap_retained, at->first_retained, sizes, 1, take_size);
}

static ts_code read_java(dominators_work *w)
{
    static const unsigned nodes[] = {TS_C_java_heap_retained__dominator};
    static const unsigned objects[] = {TS_C_java_heap_object__class_id,
                                       TS_C_java_heap_object__kind};
    static const unsigned order[] = {TS_C_java_heap_dominated__node_index};
    static const unsigned sizes[] = {TS_C_java_heap_retained__shallow_size};
    const ts_heap_places *at = w->at;
    ts_idmap_free(w->p->ctx, &w->class_objects);
    TS_TRY(read_java_classes(w));
    TS_TRY(each(w, TS_T_java_heap_retained, at->first_retained, nodes, 1, take_java_node));
    TS_TRY(each(w, TS_T_java_heap_object, at->first_node, objects, 2, take_java_object));
    TS_TRY(each(w, TS_T_java_heap_dominated, at->first_dominated, order, 1, take_dominated));
    return each(w, TS_T_java_heap_retained, at->first_retained, sizes, 1, take_size);
}

static ts_code read_file(dominators_work *w, const ts_heap_places *at, bool java)
{
    ts_ctx *ctx = w->p->ctx;
    ts_code code;
    if (!at->analysed || !ts_calls_wants_source(w->p, at->source_id)) {
        return TS_OK;
    }
    TS_TRY(ts_heap_possible(w->p->model, java ? TS_T_java_heap_retained : TS_T_js_heap_retained,
                            at->first_retained, at->node_count));
    w->at = at;
    w->n = (uint32_t)at->node_count;
    w->dominator = ts_alloc(ctx, w->n, sizeof *w->dominator);
    w->text = ts_alloc(ctx, w->n, sizeof *w->text);
    w->path = ts_alloc(ctx, w->n, sizeof *w->path);
    code = w->dominator == NULL || w->text == NULL || w->path == NULL ? ctx->error.code : TS_OK;
    TS_STEP(code, java ? read_java(w) : read_js(w));
    ts_free(ctx, w->dominator);
    ts_free(ctx, w->text);
    ts_free(ctx, w->path);
    return code;
}

static ts_code read_files(dominators_work *w)
{
    const ts_rows_from *from = ts_model_rows(w->p->model);
    ts_vec js = {0};
    ts_vec java = {0};
    uint32_t none;
    ts_code code = ts_pool_intern(w->p->ctx, &none, NULL, &w->texts, TS_TEXT_LIT(""));
    TS_STEP(code, ts_heap_places_read(&js, from));
    TS_STEP(code, ts_java_places_read(&java, from));
    TS_STEP(code, read_js_classes(w));
    for (size_t i = 0; i < js.n && code == TS_OK; i++) {
        code = read_file(w, (const ts_heap_places *)js.p + i, false);
    }
    w->classes.n = 0; /* ids of Java's classes are others */
    for (size_t i = 0; i < java.n && code == TS_OK; i++) {
        code = read_file(w, (const ts_heap_places *)java.p + i, true);
    }
    ts_vec_free(w->p->ctx, &js);
    ts_vec_free(w->p->ctx, &java);
    return code;
}

ts_code stacks_read_dominators(ts_calls *p, ts_frames *frames)
{
    dominators_work w = {.p = p};
    ts_code code = read_files(&w);
    TS_STEP(code, stacks_name_texts(p, &w.texts, frames));
    TS_STEP(code, stacks_add_sums(p, dominator_weights, WEIGHTS, w.sums.p));
    ts_vec_free(p->ctx, &w.classes);
    ts_vec_free(p->ctx, &w.sums);
    ts_idmap_free(p->ctx, &w.class_objects);
    ts_idmap_free(p->ctx, &w.paths);
    ts_pool_free(p->ctx, &w.texts);
    return code;
}
