/*
 * The tree of allocation stacks of heap timelines as a profile: what was allocated in each stack is
 * in the tree, what still exists is a sum over the nodes of the heap.
 *
 * Memory beside the profile's: 24 bytes a function, and 21 to 43 for each function, each name of
 * one and each call path.
 */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "model/path_ids.h"

#include <inttypes.h>
#include <stdio.h>

enum { INUSE_SPACE, INUSE_OBJECTS, ALLOC_SPACE, ALLOC_OBJECTS, HEAP_WEIGHTS };

static const stacks_sum heap_weights[HEAP_WEIGHTS] = {
    {"inuse_space", "bytes", TS_CLASS_live},
    {"inuse_objects", "count", TS_CLASS_live},
    {"alloc_space", "bytes", TS_CLASS_allocation},
    {"alloc_objects", "count", TS_CLASS_allocation},
};

bool stacks_is_heap_weight(const char *name)
{
    for (unsigned i = 0; i < HEAP_WEIGHTS; i++) {
        if (strcmp(heap_weights[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* A function: places in js_heap_string of its file. */
typedef struct heap_function {
    int64_t name, script; /* keys of the strings; -1: none */
    int64_t line;
} heap_function;

typedef struct heap_work {
    ts_calls *p;
    ts_vec files;      /* bool, by id: wanted */
    ts_vec functions;  /* heap_function; method 1 is the first */
    ts_idmap by_index; /* (file, function_index) -> method */
    ts_idmap strings;  /* (file, file_index) -> number in the pool + 1, 0 while it was not met */
    ts_pool texts;
    ts_idmap by_id; /* (file, id) -> call path */
    ts_vec sums;    /* heap_sums, by call path */
    uint32_t cap;   /* of the profile's call paths */
} heap_work;

typedef int64_t heap_sums[HEAP_WEIGHTS];

/* A key of two numbers of 32 bits; -1 when they are not. */
static int64_t heap_key(int64_t file, int64_t number)
{
    return file < 0 || file > INT32_MAX || number < 0 || number > UINT32_MAX
               ? -1
               : (int64_t)((uint64_t)file << 32 | (uint64_t)number);
}

static int64_t heap_cell_key(const ts_batch *b, unsigned column, unsigned i)
{
    return b->columns[column].null[i] != 0
               ? -1
               : heap_key(b->columns[0].ints[i], b->columns[column].ints[i]);
}

static bool heap_wants(const heap_work *w, const ts_batch *b, unsigned i)
{
    return ts_vec_bool(&w->files, b->columns[0].ints[i]);
}

static ts_code heap_file(heap_work *w, const ts_batch *b, unsigned i)
{
    int64_t id = b->columns[0].ints[i];
    ts_code code = ts_vec_reach(w->p->ctx, &w->files, id, sizeof(bool));
    if (code == TS_OK) {
        ((bool *)w->files.p)[id] = ts_calls_wants_source(w->p, b->columns[1].ints[i]);
    }
    return code;
}

static ts_code heap_want_string(int64_t *key, heap_work *w, const ts_batch *b, unsigned column,
                                unsigned i)
{
    *key = heap_cell_key(b, column, i);
    return *key < 0 ? TS_OK : ts_idmap_put(w->p->ctx, &w->strings, *key, 0);
}

static ts_code heap_add_function(heap_work *w, const ts_batch *b, unsigned i)
{
    if (!heap_wants(w, b, i)) {
        return TS_OK;
    }
    int64_t key = heap_cell_key(b, 1, i);
    heap_function *f = ts_vec_add(w->p->ctx, &w->functions, sizeof *f);
    ts_code code = f == NULL ? w->p->ctx->error.code : TS_OK;
    TS_STEP_IF(code, w->functions.n > UINT32_MAX - 2,
               ts_fail(w->p->ctx, TS_ERR_LIMIT, "too many functions"));
    if (code == TS_OK) {
        f->line = b->columns[4].ints[i];
        code = heap_want_string(&f->name, w, b, 2, i);
    }
    TS_STEP(code, heap_want_string(&f->script, w, b, 3, i));
    TS_STEP_IF(code, key >= 0, ts_idmap_put(w->p->ctx, &w->by_index, key, w->functions.n));
    return code;
}

static ts_code heap_string(heap_work *w, const ts_batch *b, unsigned i)
{
    int64_t key = heap_cell_key(b, 1, i);
    uint64_t known;
    uint32_t id;
    if (!heap_wants(w, b, i) || !ts_idmap_find(&known, &w->strings, key) || known != 0) {
        return TS_OK;
    }
    ts_code code = ts_pool_intern(w->p->ctx, &id, NULL, &w->texts, ts_cell_text(b, 2, i));
    return code != TS_OK ? code : ts_idmap_put(w->p->ctx, &w->strings, key, id + UINT64_C(1));
}

static uint32_t heap_find(const ts_idmap *map, const ts_batch *b, unsigned column, unsigned i)
{
    uint64_t value = 0;
    int64_t key = heap_cell_key(b, column, i);
    return key >= 0 && ts_idmap_find(&value, map, key) ? (uint32_t)value : 0;
}

static ts_code heap_node(heap_work *w, const ts_batch *b, unsigned i)
{
    ts_calls *p = w->p;
    int64_t key = heap_cell_key(b, 1, i);
    heap_sums *sums;
    if (!heap_wants(w, b, i)) {
        return TS_OK;
    }
    ts_code code = stacks_add_node(p, &w->cap, heap_find(&w->by_id, b, 5, i),
                                   heap_find(&w->by_index, b, 2, i), 0);
    TS_STEP_IF(code, key >= 0, ts_idmap_put(p->ctx, &w->by_id, key, p->nodes));
    if (code == TS_OK) {
        sums = ts_vec_add(p->ctx, &w->sums, sizeof *sums);
        code = sums == NULL ? p->ctx->error.code : TS_OK;
    }
    if (code == TS_OK) {
        (*sums)[ALLOC_OBJECTS] = b->columns[3].ints[i];
        (*sums)[ALLOC_SPACE] = b->columns[4].ints[i];
    }
    return code;
}

static ts_code heap_live(heap_work *w, const ts_batch *b, unsigned i)
{
    uint32_t node = !heap_wants(w, b, i) ? 0 : heap_find(&w->by_id, b, 2, i);
    heap_sums *all = w->sums.p;
    if (node == 0) {
        return TS_OK;
    }
    int64_t *space = &all[node - 1][INUSE_SPACE];
    all[node - 1][INUSE_OBJECTS]++;
    return ts_ckd_add(space, *space, b->columns[1].ints[i])
               ? ts_fail(w->p->ctx, TS_ERR_LIMIT,
                         "the sum of inuse_space does not fit into 64 bits")
               : TS_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

static ts_code heap_read(heap_work *w)
{
    static const unsigned files[] = {TS_C_js_heap_file_detail__file_id,
                                     TS_C_js_heap_file_detail__source_id};
    static const unsigned functions[] = {
        TS_C_js_heap_trace_function_info__file_id, TS_C_js_heap_trace_function_info__function_index,
        TS_C_js_heap_trace_function_info__name, TS_C_js_heap_trace_function_info__script_name,
        TS_C_js_heap_trace_function_info__line};
    static const unsigned strings[] = {
        TS_C_js_heap_string__file_id, TS_C_js_heap_string__file_index, TS_C_js_heap_string__string};
    static const unsigned nodes[] = {TS_C_js_heap_trace_node__file_id,
                                     TS_C_js_heap_trace_node__id,
                                     TS_C_js_heap_trace_node__function_info_index,
                                     TS_C_js_heap_trace_node__count,
                                     TS_C_js_heap_trace_node__size,
                                     TS_C_js_heap_trace_node__parent_id};
    static const unsigned live[] = {TS_C_js_heap_nodes__file_id, TS_C_js_heap_nodes__self_size,
                                    TS_C_js_heap_nodes__trace_node_id};
    static const struct {
        enum ts_table_id table;
        const unsigned *columns;
        unsigned n;
        ts_code (*row)(heap_work *w, const ts_batch *b, unsigned i);
    } steps[] = {
        {TS_T_js_heap_file_detail, files, 2, heap_file},
        {TS_T_js_heap_trace_function_info, functions, 5, heap_add_function},
        {TS_T_js_heap_string, strings, 3, heap_string},
        {TS_T_js_heap_trace_node, nodes, 6, heap_node},
        {TS_T_js_heap_nodes, live, 3, heap_live},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < sizeof steps / sizeof steps[0]; i++) {
        ts_walk rows =
            ts_walk_of(*ts_model_rows(w->p->model), steps[i].table, steps[i].columns, steps[i].n);
        while (ts_walk_next(&code, &rows)) {
            code = steps[i].row(w, rows.b, rows.row);
        }
    }
    return code;
}

static ts_text heap_text(const heap_work *w, int64_t key)
{
    uint64_t place = 0;
    return key >= 0 && ts_idmap_find(&place, &w->strings, key) && place > 0
               ? ts_pool_text(&w->texts, (uint32_t)(place - 1))
               : (ts_text){"", 0};
}

static ts_code heap_frames(heap_work *w, ts_frames *frames)
{
    ts_calls *p = w->p;
    const heap_function *all = w->functions.p;
    p->methods = (uint32_t)w->functions.n;
    ts_code code = stacks_methods_room(p);
    for (uint32_t i = 0; i < p->methods && code == TS_OK; i++) {
        ts_frame frame = {heap_text(w, all[i].name), heap_text(w, all[i].script), all[i].line};
        p->key[i + 1] = ts_method_key(&(ts_method_parts){
            .name = frame.label,
            .file = frame.file,
            .line = frame.line > 0 ? frame.line : TS_METHOD_NO_LINE,
        });
        char place[40] = "(anonymous)";
        if ((frames->parts & TS_FRAME_NAMELESS_LINE) != 0 && frame.line > 0) {
            (void)snprintf(place, sizeof place, "(anonymous) %" PRId64, frame.line);
        }
        frame.label = frame.label.n == 0 ? ts_text_of(place) : frame.label;
        code = ts_frames_intern(p->ctx, &p->frame[i + 1], frames, &frame);
    }
    return code;
}

ts_code stacks_read_heap(ts_calls *p, ts_frames *frames)
{
    heap_work w = {.p = p};
    ts_code code = heap_read(&w);
    TS_STEP(code, heap_frames(&w, frames));
    TS_STEP(code, stacks_add_sums(p, heap_weights, HEAP_WEIGHTS, w.sums.p));
    ts_vec_free(p->ctx, &w.files);
    ts_vec_free(p->ctx, &w.functions);
    ts_vec_free(p->ctx, &w.sums);
    ts_idmap_free(p->ctx, &w.by_index);
    ts_idmap_free(p->ctx, &w.strings);
    ts_idmap_free(p->ctx, &w.by_id);
    ts_pool_free(p->ctx, &w.texts);
    return code;
}
