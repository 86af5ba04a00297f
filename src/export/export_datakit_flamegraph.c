/*
 * The flame graph of Datakit: one JSON object with the unit, the dimensions that there are, the one
 * that was chosen, and the frames below a root. Values are summed exactly and divided when they are
 * written, cut off, so that frames never exceed the one around them.
 *
 * Memory: 32 bytes for each call path with a weight, of each thread where threads are the
 * dimension, 40 for each node of the tree, and twice that while it is being made.
 */
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sorter.h"
#include "export/export_parts.h"
#include "model/sort_by.h"
#include "tables/profile_kinds.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * The tree of a flame graph by one of the dimensions that Datakit knows: by method, by line, by
 * package, or by thread and below it by method.
 */
typedef enum dim_kind {
    TS_DIM_METHOD,
    TS_DIM_PACKAGE,
    TS_DIM_LINE,
    TS_DIM_THREAD,
    TS_DIMENSIONS
} dim_kind;

typedef struct dim_node {
    uint32_t parent;
    uint32_t key;     /* of the methods; of a package or thread its place in `words` */
    int32_t line;     /* 0: not known, or not shown */
    uint32_t thread;  /* place in `words` + 1; 0: none is shown */
    bool is_method;   /* false: the root, a package or a thread */
    int64_t value;    /* with what is below it; never negative */
    uint32_t first;   /* place of the first child in `order` */
    uint32_t count;   /* of children */
    uint32_t package; /* of a package: key of the method that it was met with */
} dim_node;

typedef struct dim_tree {
    ts_vec nodes;  /* dim_node; 0 is the root; a parent's number is smaller */
    ts_vec order;  /* uint32_t: children of each node, the heaviest first */
    ts_pool words; /* packages and threads */
    bool available[TS_DIMENSIONS];
    uint64_t skipped; /* samples whose weight is not above zero */
} dim_tree;

static inline const dim_node *dim_at(const dim_tree *tree, uint32_t i)
{
    return &((const dim_node *)tree->nodes.p)[i];
}

enum { DIM_SORT_MEMORY = 1 << 20 };

static const char *const dim_names[TS_DIMENSIONS] = {"method", "package", "line", "thread"};

/* A call path of one thread (without that dimension: of all). Place 0 is the root's. */
typedef struct dim_place {
    uint32_t parent; /* its caller's place; smaller */
    uint32_t node;   /* of the tree */
    int32_t line;
    int64_t value; /* its own; later with what is below it */
} dim_place;

/* How much of a node's value is of a line. */
typedef struct dim_vote {
    uint32_t node;
    int32_t line;
    int64_t value;
} dim_vote;

typedef struct dim_work {
    ts_ctx *ctx;
    dim_tree *tree;
    const ts_calls *p;
    const ts_methods *methods;
    const ts_naming *names;
    dim_kind dimension;
    ts_vec places;     /* dim_place */
    ts_idmap by_path;  /* (thread's word + 1, call path) -> place */
    ts_idmap children; /* (node, key) -> node */
    ts_idmap lines;    /* (method's key, line) -> a number */
    ts_idmap threads;  /* itid -> its word */
    ts_vec chain;      /* uint32_t: call paths that have no place yet */
    int64_t total;
} dim_work;

/* --- words ------------------------------------------------------------------------------------ */

static ts_code dim_word(uint32_t *word, dim_work *w, ts_text text)
{
    return ts_pool_intern(w->ctx, word, NULL, &w->tree->words,
                          text.n == 0 ? TS_TEXT_LIT("<unknown>") : text);
}

/* Threads of the same name are one. */
static ts_code dim_thread(uint32_t *word, dim_work *w, const ts_calls_item *item)
{
    char digits[40];
    uint64_t known;
    if (item->itid == TS_NO_THREAD) {
        return dim_word(word, w, (ts_text){"", 0});
    }
    if (ts_idmap_find(&known, &w->threads, item->itid)) {
        *word = (uint32_t)known;
        return TS_OK;
    }
    ts_text name = ts_naming_thread(w->names, item->itid);
    ts_who who = ts_naming_who(w->names, item->source_id, item->itid);
    if (name.n == 0 && who.tid < TS_WHO_MADE_UP) {
        int n = snprintf(digits, sizeof digits, "tid-%" PRId64, who.tid);
        name = (ts_text){digits, (size_t)n};
    }
    ts_code code = dim_word(word, w, name);
    TS_STEP(code, ts_idmap_put(w->ctx, &w->threads, item->itid, *word));
    return code;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static ts_code dim_add(uint32_t *out, dim_work *w, const dim_node *node)
{
    dim_node *added =
        w->tree->nodes.n == UINT32_MAX ? NULL : ts_vec_add(w->ctx, &w->tree->nodes, sizeof *added);
    if (added == NULL) {
        return w->tree->nodes.n == UINT32_MAX
                   ? ts_fail(w->ctx, TS_ERR_LIMIT, "more than %u frames", UINT32_MAX)
                   : w->ctx->error.code;
    }
    *added = *node;
    *out = (uint32_t)(w->tree->nodes.n - 1);
    return TS_OK;
}

/* The child of node->parent with this key; a new one is *node. */
static ts_code dim_child(uint32_t *out, dim_work *w, uint32_t key, const dim_node *node)
{
    int64_t at = (int64_t)((uint64_t)node->parent << 32 | key);
    uint64_t known;
    if (ts_idmap_find(&known, &w->children, at)) {
        *out = (uint32_t)known;
        return TS_OK;
    }
    ts_code code = dim_add(out, w, node);
    TS_STEP(code, ts_idmap_put(w->ctx, &w->children, at, *out));
    return code;
}

static ts_code dim_package(uint32_t *out, dim_work *w, uint32_t parent, uint32_t key)
{
    ts_method_row m = ts_methods_get(w->methods, key);
    uint32_t word;
    TS_TRY(dim_word(&word, w, m.package.n > 0 ? m.package : m.library));
    if (parent > 0 && dim_at(w->tree, parent)->key == word) {
        *out = parent;
        return TS_OK;
    }
    return dim_child(out, w, word, &(dim_node){.parent = parent, .key = word, .package = key});
}

static ts_code dim_frame(uint32_t *out, dim_work *w, uint32_t parent, uint32_t key, int32_t line)
{
    dim_node node = {
        .parent = parent, .key = key, .thread = dim_at(w->tree, parent)->thread, .is_method = true};
    int64_t pair = (int64_t)((uint64_t)key << 32 | (uint32_t)line);
    uint64_t number = key;
    ts_code code = TS_OK;
    if (w->dimension == TS_DIM_PACKAGE) {
        return dim_package(out, w, parent, key);
    }
    if (w->dimension == TS_DIM_LINE) {
        node.line = line;
        if (!ts_idmap_find(&number, &w->lines, pair)) {
            number = w->lines.count;
            code = ts_idmap_put(w->ctx, &w->lines, pair, number);
        }
    }
    TS_STEP(code, dim_child(out, w, (uint32_t)number, &node));
    return code;
}

/* --- places ----------------------------------------------------------------------------------- */

static ts_code dim_add_place(uint32_t *out, dim_work *w, int64_t key, const dim_place *place)
{
    dim_place *added =
        w->places.n == UINT32_MAX ? NULL : ts_vec_add(w->ctx, &w->places, sizeof *added);
    if (added == NULL) {
        return w->places.n == UINT32_MAX
                   ? ts_fail(w->ctx, TS_ERR_LIMIT, "more than %u call paths", UINT32_MAX)
                   : w->ctx->error.code;
    }
    *added = *place;
    *out = (uint32_t)(w->places.n - 1);
    return ts_idmap_put(w->ctx, &w->by_path, key, *out);
}

/* The place of one call path below that of its caller. */
static ts_code dim_step(uint32_t *at, dim_work *w, int64_t key, uint32_t path)
{
    uint32_t method = w->p->method[path];
    int32_t line = w->p->line[path] > 0 ? w->p->line[path] : w->methods->line[method];
    dim_place place = {.parent = *at, .line = line};
    uint32_t parent = ((const dim_place *)w->places.p)[*at].node;
    ts_code code = dim_frame(&place.node, w, parent, w->methods->key[method], line);
    w->tree->available[TS_DIM_LINE] = w->tree->available[TS_DIM_LINE] || line > 0;
    w->tree->available[TS_DIM_PACKAGE] =
        w->tree->available[TS_DIM_PACKAGE] ||
        ts_methods_get(w->methods, w->methods->key[method]).package.n > 0;
    TS_STEP(code, dim_add_place(at, w, key, &place));
    return code;
}

static ts_code dim_thread_place(uint32_t *at, dim_work *w, uint32_t word)
{
    int64_t key = (int64_t)((word + UINT64_C(1)) << 32);
    dim_place place = {0};
    uint64_t known;
    if (ts_idmap_find(&known, &w->by_path, key)) {
        *at = (uint32_t)known;
        return TS_OK;
    }
    ts_code code = dim_add(&place.node, w, &(dim_node){.key = word, .thread = word + 1});
    TS_STEP(code, dim_add_place(at, w, key, &place));
    return code;
}

/* The place of a call path, and those of its callers. word: its thread's + 1, or 0. */
static ts_code dim_place_of(uint32_t *out, dim_work *w, uint32_t word, uint32_t path)
{
    uint64_t key = (uint64_t)word << 32;
    uint64_t known = 0;
    ts_code code = TS_OK;
    uint32_t at = path;
    w->chain.n = 0;
    while (at != 0 && !ts_idmap_find(&known, &w->by_path, (int64_t)(key | at))) {
        TS_TRY_INTO(code, ts_vec_push(w->ctx, &w->chain, &at, sizeof at));
        at = w->p->parent[at];
    }
    *out = at == 0 ? 0 : (uint32_t)known;
    if (at == 0 && word > 0) {
        code = dim_thread_place(out, w, word - 1);
    }
    while (w->chain.n > 0 && code == TS_OK) {
        uint32_t next = ((const uint32_t *)w->chain.p)[--w->chain.n];
        code = dim_step(out, w, (int64_t)(key | next), next);
    }
    return code;
}

static ts_code dim_put(dim_work *w, uint32_t word, uint32_t path, int64_t value)
{
    uint32_t place = 0;
    TS_TRY(path == 0 ? TS_OK : dim_place_of(&place, w, word, path));
    ((dim_place *)w->places.p)[place].value += value; /* at most the total */
    return TS_OK;
}

static ts_code dim_item(void *user, const ts_calls_item *item)
{
    dim_work *w = user;
    uint32_t word = 0;
    ts_code code = TS_OK;
    if (item->weight <= 0) {
        w->tree->skipped++;
        return TS_OK;
    }
    if (ts_ckd_add(&w->total, w->total, item->weight)) {
        return ts_fail(w->ctx, TS_ERR_LIMIT, "the sum of values does not fit into 64 bits");
    }
    w->tree->available[TS_DIM_THREAD] =
        w->tree->available[TS_DIM_THREAD] || item->itid != TS_NO_THREAD;
    if (w->dimension == TS_DIM_THREAD && item->node != 0) {
        code = dim_thread(&word, w, item);
        word++;
    }
    TS_STEP(code, dim_put(w, word, item->node, item->weight));
    return code;
}

/* --- sums ------------------------------------------------------------------------------------- */

/* Callers come before callees, in places and in the tree. */
static void dim_sum_up(dim_work *w)
{
    dim_place *places = w->places.p;
    dim_node *nodes = w->tree->nodes.p;
    for (size_t i = 0; i < w->places.n; i++) {
        nodes[places[i].node].value += places[i].value;
    }
    for (size_t i = w->places.n; i-- > 1;) {
        places[places[i].parent].value += places[i].value;
    }
    for (size_t i = w->tree->nodes.n; i-- > 1;) {
        nodes[nodes[i].parent].value += nodes[i].value;
    }
}

/* The line of a node is the one with most of its value, of equal ones the lowest. */
static ts_code dim_choose_lines(dim_work *w)
{
    const dim_place *places = w->places.p;
    dim_node *nodes = w->tree->nodes.p;
    ts_vec votes = {0};
    ts_idmap by_line = {0};
    ts_vec best = {0};
    ts_code code = ts_vec_reserve(w->ctx, &best, w->tree->nodes.n, sizeof(int64_t));
    for (size_t i = 0; i < w->tree->nodes.n && code == TS_OK; i++) {
        ((int64_t *)best.p)[i] = -1;
    }
    for (size_t i = 1; i < w->places.n && code == TS_OK; i++) {
        uint64_t at = votes.n;
        int64_t key = (int64_t)((uint64_t)places[i].node << 32 | (uint32_t)places[i].line);
        if (!nodes[places[i].node].is_method) {
            continue;
        }
        if (!ts_idmap_find(&at, &by_line, key)) {
            dim_vote *vote = ts_vec_add(w->ctx, &votes, sizeof *vote);
            code = vote == NULL ? w->ctx->error.code : ts_idmap_put(w->ctx, &by_line, key, at);
            if (code == TS_OK) {
                *vote = (dim_vote){places[i].node, places[i].line, 0};
            }
        }
        if (code == TS_OK) {
            ((dim_vote *)votes.p)[at].value += places[i].value;
        }
    }
    for (size_t i = 0; i < votes.n && code == TS_OK; i++) {
        const dim_vote *vote = &((const dim_vote *)votes.p)[i];
        int64_t *most = &((int64_t *)best.p)[vote->node];
        dim_node *node = &nodes[vote->node];
        if (vote->value > *most || (vote->value == *most && vote->line < node->line)) {
            *most = vote->value;
            node->line = vote->line;
        }
    }
    ts_vec_free(w->ctx, &best);
    ts_vec_free(w->ctx, &votes);
    ts_idmap_free(w->ctx, &by_line);
    return code;
}

/* --- the order of children -------------------------------------------------------------------- */

static int dim_compare_methods(const dim_work *w, uint32_t a, uint32_t b)
{
    ts_method_row x = ts_methods_get(w->methods, a);
    ts_method_row y = ts_methods_get(w->methods, b);
    const ts_text pairs[][2] = {{x.package, y.package},
                                {x.cls, y.cls},
                                {x.method, y.method},
                                {x.library, y.library},
                                {x.file, y.file}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        int order = ts_text_order(pairs[i][0], pairs[i][1]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* The heaviest first; equal ones by package, class, method, thread and line. */
static int dim_compare(const void *user, const void *a, const void *b)
{
    const dim_work *w = user;
    const dim_node *x = dim_at(w->tree, ((const uint32_t *)a)[1]);
    const dim_node *y = dim_at(w->tree, ((const uint32_t *)b)[1]);
    int order = (x->parent > y->parent) - (x->parent < y->parent);
    if (order != 0 || x->value != y->value) {
        return order != 0 ? order : (x->value < y->value) - (x->value > y->value);
    }
    if (!x->is_method || !y->is_method) {
        return ts_text_order(ts_pool_text(&w->tree->words, x->key),
                             ts_pool_text(&w->tree->words, y->key));
    }
    order = x->key == y->key ? 0 : dim_compare_methods(w, x->key, y->key);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static ts_code dim_sort(dim_work *w)
{
    const ts_sorter_order how = {.compare = dim_compare, .user = w};
    dim_node *nodes = w->tree->nodes.p;
    ts_sorter *sorter = NULL;
    const void *record = NULL;
    ts_code code = ts_sorter_open(&sorter, w->ctx, 2 * sizeof(uint32_t), &how, DIM_SORT_MEMORY);
    for (uint32_t i = 1; i < w->tree->nodes.n && code == TS_OK; i++) {
        const uint32_t pair[2] = {nodes[i].parent, i};
        code = ts_sorter_add(sorter, pair);
    }
    TS_STEP(code, ts_sorter_finish(sorter));
    while (code == TS_OK && (code = ts_sorter_next(&record, sorter)) == TS_OK && record != NULL) {
        uint32_t child = ((const uint32_t *)record)[1];
        dim_node *parent = &nodes[nodes[child].parent];
        uint32_t place = (uint32_t)w->tree->order.n;
        parent->first = parent->count == 0 ? place : parent->first;
        parent->count++;
        code = ts_vec_push(w->ctx, &w->tree->order, &child, sizeof child);
    }
    ts_sorter_close(sorter);
    return code;
}

/* --- all -------------------------------------------------------------------------------------- */

static ts_code dim_read(dim_work *w, ts_calls *p, const ts_weight *weight)
{
    ts_code code = TS_OK;
    if (!p->is_heap) {
        p->stackless = true;
        code = ts_calls_each(p, weight, dim_item, w);
        p->stackless = false;
        return code;
    }
    for (uint32_t i = 1; i <= p->nodes && code == TS_OK; i++) {
        if (weight->self[i] > 0) {
            const ts_calls_item item = {.itid = TS_NO_THREAD, .weight = weight->self[i], .node = i};
            code = dim_item(w, &item);
        }
    }
    return code;
}

/*
 * Makes the tree of a weight of p. TS_ERR_LIMIT when the sum does not fit into 64 bits. Release
 * with dim_free, also after an error.
 */
static ts_code dim_make(dim_tree *tree, ts_ctx *ctx, ts_calls *p, const ts_weight *weight,
                        const ts_methods *methods, const ts_naming *names, dim_kind dimension)
{
    dim_work w = {.ctx = ctx,
                  .tree = tree,
                  .p = p,
                  .methods = methods,
                  .names = names,
                  .dimension = dimension};
    uint32_t root;
    *tree = (dim_tree){.available = {[TS_DIM_METHOD] = true}};
    ts_code code = dim_add(&root, &w, &(dim_node){0});
    TS_STEP(code, dim_add_place(&root, &w, -1, &(dim_place){0}));
    TS_STEP(code, dim_read(&w, p, weight));
    if (code == TS_OK) {
        dim_sum_up(&w);
        code =
            dimension == TS_DIM_PACKAGE || dimension == TS_DIM_LINE ? TS_OK : dim_choose_lines(&w);
    }
    TS_STEP(code, dim_sort(&w));
    ts_vec_free(ctx, &w.places);
    ts_vec_free(ctx, &w.chain);
    ts_idmap_free(ctx, &w.by_path);
    ts_idmap_free(ctx, &w.children);
    ts_idmap_free(ctx, &w.lines);
    ts_idmap_free(ctx, &w.threads);
    return code;
}

static void dim_free(dim_tree *tree, ts_ctx *ctx)
{
    ts_vec_free(ctx, &tree->nodes);
    ts_vec_free(ctx, &tree->order);
    ts_pool_free(ctx, &tree->words);
    *tree = (dim_tree){0};
}

/* --- the graph -------------------------------------------------------------------------------- */

enum { GRAPH_NS_PER_MS = 1000000 };

typedef struct graph_work {
    ts_parts x;
    dim_tree tree;
    dim_kind dimension;
    const ts_weight *weight;
    int64_t divisor;
} graph_work;

/* --- what is shown ---------------------------------------------------------------------------- */

/* The first of these events that is there is shown when no value was asked for. */
static const char *const graph_ranks[] = {"cpu-time",    "cpu-samples", "wall-time",
                                          "alloc-space", "heap-space",  "lock-acquire-wait"};

enum { GRAPH_RANKS = sizeof graph_ranks / sizeof graph_ranks[0], GRAPH_LAST };

static unsigned graph_rank(const ts_weight *w)
{
    ts_text event = ts_value_event(w->name, TS_TEXT_NULL);
    if (w->kind == TS_WEIGHT_SAMPLES) {
        return GRAPH_LAST; /* that there are samples says nothing of what they are */
    }
    for (unsigned i = 0; i < GRAPH_RANKS; i++) {
        if (ts_text_is(event, graph_ranks[i])) {
            return i;
        }
    }
    return GRAPH_RANKS;
}

static void graph_choose(graph_work *f)
{
    const ts_calls *p = &f->x.calls;
    f->weight = &p->weights[p->chosen];
    for (unsigned i = 0; p->filter.weight == NULL && i < p->weight_count; i++) {
        const ts_weight *w = &p->weights[i];
        unsigned rank = graph_rank(w);
        unsigned best = graph_rank(f->weight);
        if (w->total > 0 && w != f->weight &&
            (rank < best ||
             (rank == best && ts_text_order(ts_value_event(w->name, TS_TEXT_NULL),
                                            ts_value_event(f->weight->name, TS_TEXT_NULL)) < 0))) {
            f->weight = w;
        }
    }
    f->divisor = ts_text_is(f->weight->unit, "ns") ? GRAPH_NS_PER_MS : 1;
}

static ts_code graph_dimension(graph_work *f, const char *name)
{
    f->dimension = TS_DIM_METHOD;
    for (unsigned i = 0; name != NULL && i < TS_DIMENSIONS; i++) {
        if (strcmp(name, dim_names[i]) == 0) {
            f->dimension = (dim_kind)i;
            return TS_OK;
        }
    }
    return name == NULL ? TS_OK
                        : ts_fail(f->x.ctx, TS_ERR_USAGE,
                                  "unknown dimension: \"%.100s\"; known are: method, package, "
                                  "line, thread",
                                  name);
}

/* --- frames ----------------------------------------------------------------------------------- */

/* The texts of a node. Of a package its name and the library of its first frame; of the root and of
 * threads no more than their name. */
static ts_method_row graph_texts(const graph_work *f, uint32_t i)
{
    static const ts_text empty = {"", 0};
    const dim_node *node = dim_at(&f->tree, i);
    ts_method_row m = {empty, empty, empty, empty, empty, empty};
    if (node->is_method) {
        return ts_methods_get(&f->x.methods, node->key);
    }
    if (i == 0) {
        m.method = TS_TEXT_LIT("root");
    } else if (f->dimension == TS_DIM_PACKAGE) {
        m.package = ts_pool_text(&f->tree.words, node->key);
        m.library = ts_methods_get(&f->x.methods, node->package).library;
    }
    return m;
}

static void graph_open(graph_work *f, uint32_t i)
{
    const dim_node *node = dim_at(&f->tree, i);
    ts_method_row m = graph_texts(f, i);
    ts_jout_open(&f->x.w, NULL, '{');
    ts_jout_int(&f->x.w, "value", node->value / f->divisor);
    ts_jout_text(&f->x.w, "method", m.method);
    ts_jout_int(&f->x.w, "line", node->line);
    ts_jout_text(&f->x.w, "source_file", m.file);
    ts_jout_open(&f->x.w, "sub_frame", '[');
}

static void graph_close(graph_work *f, uint32_t i)
{
    const dim_node *node = dim_at(&f->tree, i);
    ts_method_row m = graph_texts(f, i);
    ts_jout_close(&f->x.w, ']');
    ts_jout_text(&f->x.w, "thread",
                 node->thread == 0 ? (ts_text){"", 0}
                                   : ts_pool_text(&f->tree.words, node->thread - 1));
    ts_jout_text(&f->x.w, "modifier", m.modifiers);
    ts_jout_text(&f->x.w, "library", m.library);
    ts_jout_text(&f->x.w, "package", m.package);
    ts_jout_text(&f->x.w, "class", m.cls);
    ts_jout_close(&f->x.w, '}');
}

/* Without recursion: `done` counts the children of each node that are written. */
static void graph_frames(graph_work *f)
{
    const uint32_t *order = f->tree.order.p;
    uint32_t *done = ts_zalloc(f->x.ctx, f->tree.nodes.n, sizeof *done);
    uint32_t at = 0;
    bool open = true;
    if (done == NULL) {
        ts_jout_fail(&f->x.w, f->x.ctx->error.code);
        return;
    }
    graph_open(f, 0);
    while (open && f->x.w.code == TS_OK) {
        const dim_node *node = dim_at(&f->tree, at);
        if (done[at] < node->count) {
            uint32_t child = order[node->first + done[at]++];
            graph_open(f, child);
            at = child;
        } else {
            graph_close(f, at);
            open = at != 0;
            at = node->parent;
        }
    }
    ts_free(f->x.ctx, done);
}

static void graph_write(graph_work *f)
{
    ts_text unit = f->weight->unit;
    const char *shown = ts_text_is(unit, "ns")      ? "毫秒" /* milliseconds */
                        : ts_text_is(unit, "bytes") ? "字节" /* bytes */
                                                    : "次";  /* times */
    ts_jout_open(&f->x.w, NULL, '{');
    ts_jout_str(&f->x.w, "unit", shown);
    ts_jout_open(&f->x.w, "available_dimension", '[');
    for (unsigned i = 0; i < TS_DIMENSIONS; i++) {
        if (f->tree.available[i]) {
            ts_jout_str(&f->x.w, NULL, dim_names[i]);
        }
    }
    ts_jout_close(&f->x.w, ']');
    ts_jout_str(&f->x.w, "dimension", dim_names[f->dimension]);
    ts_jout_key(&f->x.w, TS_TEXT_LIT("root_frame"));
    graph_frames(f);
    ts_jout_close(&f->x.w, '}');
    ts_jout_line(&f->x.w);
}

/* --- all -------------------------------------------------------------------------------------- */

static ts_code graph_load(graph_work *f)
{
    ts_parts *x = &f->x;
    ts_calls_load load = x->input->side.filter.weight == NULL ? TS_LOAD_ALL : TS_LOAD_CHOSEN;
    TS_TRY(graph_dimension(f, x->input->dimension));
    TS_TRY(ts_parts_calls(x, TS_FRAME_FILE | TS_FRAME_LINE, load));
    graph_choose(f);
    TS_TRY(ts_uploads_load(&x->uploads, x->ctx, x->reader, false));
    TS_TRY(ts_naming_load(&x->names, x->ctx, x->reader));
    TS_TRY(ts_methods_load(&x->methods, x->ctx, &x->calls, &x->frames, &x->uploads));
    TS_TRY(dim_make(&f->tree, x->ctx, &x->calls, f->weight, &x->methods, &x->names, f->dimension));
    if (!f->tree.available[f->dimension]) {
        return ts_fail(x->ctx, TS_ERR_USAGE, "--dimension=%s: no stack that is exported has a %s",
                       dim_names[f->dimension], dim_names[f->dimension]);
    }
    if (f->tree.skipped > 0) {
        ts_log(x->ctx, TS_LOG_INFO, "%llu samples whose value is not above zero were left out",
               (unsigned long long)f->tree.skipped);
    }
    return TS_OK;
}

static ts_code graph_run(void *work)
{
    graph_work *f = work;
    TS_TRY(graph_load(f));
    graph_write(f);
    return TS_OK;
}

static void graph_release(void *work)
{
    graph_work *f = work;
    dim_free(&f->tree, f->x.ctx);
}

const ts_export ts_export_datakit_flamegraph = {
    .name = "datakit-flamegraph",
    .title = "flame graph of Datakit, JSON",
    .extension = ".json",
    .needs = TS_NEEDS_STACKS,
    .dimensions = true,
    .work = sizeof(graph_work),
    .run = graph_run,
    .release = graph_release,
};
