/* GET flame: call paths with weights, from the roots, from one node, or around a method. */
#include "serve/views/flame.h"

#include "model/path_ids.h"
#include "model/stack_filter.h"
#include "model/stack_inverted.h"
#include "model/stack_methods.h"
#include "serve/views/frame_tree.h"

enum {
    P_ROOT = TS_P_CHOSEN,
    P_FOCUS,
    P_LIMIT,
    P_JOIN,
    P_ONLY,
    P_IGNORE,
    P_HIDE,
    P_IDLE,
    P_ORDER,
    P_LEAF,
    P_BEFORE_SOURCE,
    P_BEFORE_FROM,
    P_BEFORE_TO
};

const ts_view_param ts_flame_params[] = {
    TS_CHOSEN_PARAMS,
    {.name = "root",
     .type = TS_VIEW_PATH,
     .least = INT64_MIN,
     .most = INT64_MAX,
     .doc = "a call path, 16 hexadecimal digits, or the id of a stack_node: only what lies below "
            "it"},
    TS_PARAM_ANY("focus", "id of stack_method: its callees and callers"),
    TS_PARAM_LIMIT(1000000, 50000, "nodes"),
    {.name = "join",
     .type = TS_VIEW_CHOICE,
     .choices = "none,lines,methods",
     .doc =
         "lines: callees of one method are one, whatever their lines; methods: also equal methods "
         "of several sources"},
    TS_PARAM_PATTERN("only", "only stacks with such a frame"),
    TS_PARAM_PATTERN("ignore", "only stacks without such a frame"),
    TS_PARAM_PATTERN("hide", "such frames are taken out of their stacks"),
    {.name = "idle",
     .type = TS_VIEW_CHOICE,
     .choices = "with,without",
     .doc = "without: not what waits for nothing to do, unless weight is waiting"},
    {.name = "order",
     .type = TS_VIEW_CHOICE,
     .choices = "callees,callers",
     .doc = "callers: paths upside down, callers below what they call"},
    TS_PARAM_ANY("leaf", "with order=callers and root: where its path begins"),
    {.name = "before_src",
     .type = TS_VIEW_SOURCE,
     .most = 1000,
     .doc = "a difference: what it was in this source, all of it"},
    TS_PARAM_TIME("before_from", false),
    TS_PARAM_TIME("before_to", false),
    {.name = NULL}};

_Static_assert(sizeof ts_flame_params / sizeof ts_flame_params[0] - 1 <= TS_VIEW_PARAMS,
               "the values of all parameters have a place");

/* Deeper callers of a focus are left out: their number may be the square of that of the nodes. */
enum { CALLER_DEPTH = 1000 };

typedef struct flame {
    ts_view_call *call;
    const ts_paths *paths;
    const uint32_t *one;  /* which methods are one; NULL: each is one */
    const uint64_t *keys; /* of methods, for ids of call paths */
    ts_calls calls;
    ts_path_weights *weights;
    ts_method_list methods;
    uint8_t *hidden; /* of each method; NULL: none */
    ts_wide all;     /* weight of all stacks, also of those that filters leave out */
    uint64_t all_count;
    uint32_t limit;
} flame;

static ts_frame_root flame_root(const flame *f)
{
    return (ts_frame_root){.call = f->call,
                           .root = ts_view_value_of(f->call, P_ROOT),
                           .leaf = ts_view_value_of(f->call, P_LEAF),
                           .paths = f->paths,
                           .keys = f->keys,
                           .hidden = f->hidden};
}

/* Gives the nodes ids; above: of what is above the roots. The caller frees tree->path_id. */
static ts_code flame_ids(ts_tree *tree, const flame *f, uint64_t above)
{
    ts_ctx *ctx = ts_view_ctx(f->call);
    TS_NEED(ctx, tree->path_id = ts_alloc(ctx, tree->n, sizeof *tree->path_id));
    ts_tree_path_ids(tree->path_id, tree, f->keys, above);
    return TS_OK;
}

/* A tree with totals as a member; key NULL: into the open object. */
static ts_code flame_put(flame *f, const char *key, ts_tree *tree, uint32_t root)
{
    ts_ctx *ctx = ts_view_ctx(f->call);
    ts_shown_tree shown = {0};
    ts_code code = tree->total == NULL ? ts_tree_totals(tree, ctx) : TS_OK;
    TS_STEP(code, ts_tree_choose(&shown, ctx, tree, root, f->limit));
    if (code == TS_OK) {
        if (key != NULL) {
            ts_jout_open(f->call->out, key, '{');
        }
        code = ts_tree_write(f->call, tree, &shown, &f->methods);
        if (key != NULL) {
            ts_jout_close(f->call->out, '}');
        }
    }
    ts_shown_tree_free(ctx, &shown);
    return code;
}

static void flame_begin(flame *f)
{
    bool capped = false;
    ts_jout_open(f->call->out, NULL, '{');
    ts_view_weight_put(f->call->out, ts_view_weight(&f->calls));
    ts_view_all_put(f->call->out, f->all, f->all_count);
    ts_jout_open(f->call->out, "no_stack", '{');
    ts_jout_int(f->call->out, "total", ts_wide_cap(f->weights->no_stack, &capped));
    ts_jout_uint(f->call->out, "count", f->weights->no_stack_count);
    ts_jout_close(f->call->out, '}');
}

static ts_code flame_end(flame *f)
{
    ts_code code = ts_method_list_write(f->call, "methods", &f->methods, f->paths);
    ts_jout_close(f->call->out, '}');
    return code;
}

static ts_tree flame_tree(flame *f)
{
    return (ts_tree){.n = f->paths->nodes.count,
                     .parent = f->paths->parent,
                     .method = f->paths->method,
                     .line = f->paths->line,
                     .nodes = &f->paths->nodes,
                     .self = f->weights->self,
                     .count = f->weights->count};
}

/* Callees with the same method are joined: *map gets the node of the trie for each call path, of a
 * hidden one that of the nearest caller that is not; TS_NO_INDEX when there is none. */
static ts_code flame_join(flame *f, ts_trie *trie, uint32_t **map)
{
    const ts_paths *p = f->paths;
    ts_ctx *ctx = ts_view_ctx(f->call);
    ts_code code = TS_OK;
    TS_NEED(ctx, *map = ts_alloc(ctx, p->nodes.count, sizeof **map));
    for (uint32_t i = 0; code == TS_OK && i < p->nodes.count; i++) {
        uint32_t above = p->parent[i] == TS_NO_INDEX ? TS_NO_INDEX : (*map)[p->parent[i]];
        if (f->hidden != NULL && p->method[i] != TS_NO_INDEX && f->hidden[p->method[i]] != 0) {
            (*map)[i] = above;
        } else {
            uint32_t method = p->method[i];
            method = f->one == NULL || method == TS_NO_INDEX ? method : f->one[method];
            code = ts_trie_child(&(*map)[i], ctx, trie, above, method, i);
        }
        if (code == TS_OK && (*map)[i] != TS_NO_INDEX) {
            ts_trie_add(trie, (*map)[i], f->weights->self[i], f->weights->count[i]);
        } else if (code == TS_OK) {
            f->weights->no_stack += f->weights->self[i]; /* nothing is left of its stack */
            f->weights->no_stack_count += f->weights->count[i];
        }
    }
    return code;
}

static ts_code flame_whole(flame *f, bool join)
{
    ts_ctx *ctx = ts_view_ctx(f->call);
    const ts_frame_root from = flame_root(f);
    uint32_t root = TS_NO_INDEX;
    ts_trie trie = {0};
    uint32_t *map = NULL;
    ts_tree tree = flame_tree(f);
    ts_code code = TS_OK;
    if (join && (code = flame_join(f, &trie, &map)) == TS_OK) {
        tree = ts_trie_tree(&trie, &f->paths->nodes);
    }
    TS_STEP(code, ts_tree_totals(&tree, ctx));
    TS_STEP(code, flame_ids(&tree, f, 0));
    TS_STEP(code, ts_frame_root_down(&root, &from, &tree, map));
    if (code == TS_OK) {
        flame_begin(f);
        code = flame_put(f, NULL, &tree, root);
    }
    TS_STEP(code, flame_end(f));
    ts_free(ctx, tree.total);
    ts_free(ctx, tree.all);
    ts_free(ctx, tree.path_id);
    ts_free(ctx, map);
    ts_trie_free(ctx, &trie);
    return code;
}

/* Takes out of the weights what the filters do not let through. */
static ts_code flame_filter(flame *f)
{
    const ts_frame_filter filter = {.only = ts_view_value_of(f->call, P_ONLY)->text,
                                    .ignore = ts_view_value_of(f->call, P_IGNORE)->text,
                                    .hide = ts_view_value_of(f->call, P_HIDE)->text,
                                    .demangle =
                                        ts_view_value_of(f->call, TS_P_DEMANGLE)->number != 0};
    return ts_frames_filter(&f->hidden, f->weights, f->call->views->model, f->paths, &filter);
}

/* --- a difference ----------------------------------------------------------------------------- */

/* What it was before: the same methods, another source or another time. */
typedef struct flame_before {
    ts_calls calls;
    ts_wide all;
    uint64_t count;
    ts_wide *self;  /* by node of the joined tree */
    ts_wide *total; /* with those below */
    ts_wide *rest;  /* of nodes left out, by the node above them; of the roots at the end */
} flame_before;

static bool is_difference(ts_view_call *call)
{
    return ts_view_value_of(call, P_BEFORE_SOURCE)->given ||
           ts_view_value_of(call, P_BEFORE_FROM)->given ||
           ts_view_value_of(call, P_BEFORE_TO)->given;
}

/* Weighs by what the newer side is weighed by. Another source has threads and times of its own. */
static ts_code before_weigh(flame_before *b, flame *f)
{
    static const ts_view_value none;
    ts_ctx *ctx = ts_view_ctx(f->call);
    const ts_weight *weight = ts_view_weight(&f->calls);
    ts_view_args args = *f->call->args;
    ts_view_call call = *f->call;
    ts_view_value *v = args.values;
    uint8_t *hidden = f->hidden;
    ts_buf name = {0};
    bool times = v[P_BEFORE_FROM].given || v[P_BEFORE_TO].given;
    bool source = v[P_BEFORE_SOURCE].given;
    v[TS_P_SOURCE] = source ? v[P_BEFORE_SOURCE] : v[TS_P_SOURCE];
    v[TS_P_THREADS] = source ? none : v[TS_P_THREADS];
    v[TS_P_FROM] = source || times ? v[P_BEFORE_FROM] : v[TS_P_FROM];
    v[TS_P_TO] = source || times ? v[P_BEFORE_TO] : v[TS_P_TO];
    call.args = &args;
    ts_code code = ts_buf_printf(ctx, &name, "%.*s", (int)weight->name.n, weight->name.p);
    TS_STEP_IF(code, weight->kind == TS_WEIGHT_VALUE && weight->unit.n > 0,
               ts_buf_printf(ctx, &name, "/%.*s", (int)weight->unit.n, weight->unit.p));
    if (code == TS_OK && !v[TS_P_WEIGHT].given) {
        v[TS_P_WEIGHT] = (ts_view_value){.given = true, .text = ts_buf_text(&name)};
    }
    TS_STEP(code, ts_view_weigh(&b->calls, &call, ts_view_value_of(f->call, P_IDLE)->number == 1));
    if (code == TS_OK) {
        ts_path_weights *older = &ts_view_weight(&b->calls)->of;
        ts_path_weights *newer = f->weights;
        ts_view_all(&b->all, &b->count, older);
        f->weights = older;
        code = flame_filter(f);
        f->weights = newer;
    }
    if (f->hidden != hidden) { /* equal to that of before */
        ts_free(ctx, f->hidden);
        f->hidden = hidden;
    }
    ts_buf_free(ctx, &name);
    return code;
}

/* Sums of the older side, by node of the tree. */
static ts_code before_sum(flame_before *b, const flame *f, const ts_tree *tree, const uint32_t *map)
{
    ts_ctx *ctx = ts_view_ctx(f->call);
    const ts_path_weights *w = &ts_view_weight(&b->calls)->of;
    TS_NEED(ctx, b->self = ts_zalloc(ctx, (size_t)tree->n + 1, sizeof *b->self));
    TS_NEED(ctx, b->total = ts_zalloc(ctx, (size_t)tree->n + 1, sizeof *b->total));
    TS_NEED(ctx, b->rest = ts_zalloc(ctx, (size_t)tree->n + 1, sizeof *b->rest));
    for (uint32_t i = 0; i < w->n; i++) {
        if (map[i] != TS_NO_INDEX) {
            b->self[map[i]] += w->self[i];
        }
    }
    for (uint32_t i = tree->n; i-- > 0;) {
        b->total[i] += b->self[i];
        if (tree->parent[i] != TS_NO_INDEX) {
            b->total[tree->parent[i]] += b->total[i];
        }
    }
    return TS_OK;
}

static bool is_top(const ts_tree *tree, uint32_t i, uint32_t root)
{
    return root == TS_NO_INDEX ? tree->parent[i] == TS_NO_INDEX : i == root;
}

/* Chooses by both sides together. */
static ts_code before_choose(ts_shown_tree *shown, const flame_before *b, flame *f,
                             const ts_tree *tree, uint32_t root)
{
    ts_wide total = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < tree->n; i++) {
        total += is_top(tree, i, root) ? tree->total[i] : 0;
        count += is_top(tree, i, root) ? tree->all[i] : 0;
        tree->total[i] += b->total[i];
        tree->all[i] += b->total[i] != 0 ? 1 : 0; /* it is there */
    }
    ts_code code = ts_tree_choose(shown, ts_view_ctx(f->call), tree, root, f->limit);
    for (uint32_t i = 0; i < tree->n; i++) {
        tree->total[i] -= b->total[i];
    }
    shown->total = total;
    shown->count = count;
    return code;
}

/* The sums of nodes that are left out, of each side its own. */
static void before_rest(ts_shown_tree *shown, flame_before *b, const ts_tree *tree, uint32_t root)
{
    for (uint32_t i = 0; i < tree->n; i++) {
        uint32_t parent = tree->parent[i];
        bool top = is_top(tree, i, root);
        bool below = !top && parent != TS_NO_INDEX && shown->number[parent] != TS_NO_INDEX;
        if (shown->number[i] == TS_NO_INDEX && (top || below)) {
            uint32_t above = top ? tree->n : parent;
            b->rest[above] += b->total[i];
            shown->rest_total[above] -= b->total[i];
        }
    }
}

static void before_column(ts_jout *out, const char *key, const ts_wide *sums,
                          const ts_shown_tree *shown, bool *capped)
{
    ts_jout_open(out, key, '[');
    for (uint32_t i = 0; i < shown->n; i++) {
        ts_jout_int(out, NULL, ts_wide_cap(sums[shown->order[i]], capped));
    }
    ts_jout_close(out, ']');
}

static void before_write(const flame_before *b, flame *f, const ts_tree *tree,
                         const ts_shown_tree *shown)
{
    ts_jout *out = f->call->out;
    bool capped = false;
    ts_jout_open(out, "before", '{');
    ts_jout_int(out, "all", ts_wide_cap(b->all, &capped));
    before_column(out, "self", b->self, shown, &capped);
    before_column(out, "totals", b->total, shown, &capped);
    ts_jout_open(out, "rest", '[');
    for (uint32_t i = 0; i <= shown->n; i++) {
        uint32_t at = i < shown->n ? shown->order[i] : tree->n;
        if (shown->rest_count[at] > 0) {
            ts_jout_int(out, NULL, ts_wide_cap(b->rest[at], &capped));
        }
    }
    ts_jout_close(out, ']');
    ts_jout_bool(out, "capped", capped);
    ts_jout_close(out, '}');
}

static ts_code flame_difference(flame *f)
{
    ts_ctx *ctx = ts_view_ctx(f->call);
    const ts_frame_root from = flame_root(f);
    uint32_t root = TS_NO_INDEX;
    ts_shown_tree shown = {0};
    flame_before b = {0};
    ts_trie trie = {0};
    ts_tree tree = {0};
    uint32_t *map = NULL;
    ts_code code = ts_methods_one(&f->one, f->call->views->model, f->paths, false);
    TS_STEP(code, before_weigh(&b, f));
    TS_STEP(code, flame_join(f, &trie, &map));
    if (code == TS_OK) {
        tree = ts_trie_tree(&trie, &f->paths->nodes);
        code = ts_tree_totals(&tree, ctx);
    }
    TS_STEP(code, flame_ids(&tree, f, 0));
    TS_STEP(code, ts_frame_root_down(&root, &from, &tree, map));
    TS_STEP(code, before_sum(&b, f, &tree, map));
    TS_STEP(code, before_choose(&shown, &b, f, &tree, root));
    if (code == TS_OK) {
        before_rest(&shown, &b, &tree, root);
        flame_begin(f);
        before_write(&b, f, &tree, &shown);
        code = ts_tree_write(f->call, &tree, &shown, &f->methods);
    }
    TS_STEP(code, flame_end(f));
    void *arrays[] = {tree.total, tree.all, tree.path_id, map, b.self, b.total, b.rest};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        ts_free(ctx, arrays[i]);
    }
    ts_shown_tree_free(ctx, &shown);
    ts_trie_free(ctx, &trie);
    ts_calls_free(&b.calls);
    return code;
}

/* --- upside down ------------------------------------------------------------------------------ */

static ts_code flame_inverted(flame *f)
{
    ts_ctx *ctx = ts_view_ctx(f->call);
    const ts_frame_root from = flame_root(f);
    ts_inverted made = {0};
    ts_tree tree = {0};
    ts_inverted_of of = {.model = f->call->views->model,
                         .paths = f->paths,
                         .weights = f->weights,
                         .hidden = f->hidden,
                         .limit = f->limit};
    uint64_t above;
    ts_code code = ts_frame_root_up(&of.root, &of.leaf, &above, &from);
    TS_STEP(code, ts_inverted_make(&made, f->weights, &of));
    if (code == TS_OK) {
        tree = ts_inverted_tree(&made, &f->paths->nodes);
        code = flame_ids(&tree, f, above);
    }
    if (code == TS_OK) {
        flame_begin(f);
        code = flame_put(f, NULL, &tree, TS_NO_INDEX);
    }
    if (made.total.p == NULL) { /* a tree without nodes, whose totals flame_put has made */
        ts_free(ctx, tree.total);
        ts_free(ctx, tree.all);
    }
    ts_free(ctx, tree.path_id);
    TS_STEP(code, flame_end(f));
    ts_inverted_free(ctx, &made);
    return code;
}

/* --- around a method -------------------------------------------------------------------------- */

/* What the outermost frames of the method call: each node below one goes to the joined tree.
 * map: TS_NO_INDEX for nodes that are above or beside them. */
static ts_code focus_callees(flame *f, ts_trie *trie, uint32_t *map, uint32_t method)
{
    const ts_paths *p = f->paths;
    ts_ctx *ctx = ts_view_ctx(f->call);
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < p->nodes.count; i++) {
        uint32_t above = p->parent[i] == TS_NO_INDEX ? TS_NO_INDEX : map[p->parent[i]];
        map[i] = TS_NO_INDEX;
        bool is = p->method[i] != TS_NO_INDEX && f->one[p->method[i]] == f->one[method];
        if (above != TS_NO_INDEX || is) {
            code = ts_trie_child(&map[i], ctx, trie, above, p->method[i], i);
        }
        if (code == TS_OK && map[i] != TS_NO_INDEX) {
            ts_trie_add(trie, map[i], f->weights->self[i], f->weights->count[i]);
        }
    }
    return code;
}

/* Who calls the outermost frames: their paths in reverse, weighed by what lies below them. */
static ts_code focus_callers(flame *f, ts_trie *trie, const uint32_t *map, const ts_tree *tree,
                             bool *cut)
{
    const ts_paths *p = f->paths;
    ts_ctx *ctx = ts_view_ctx(f->call);
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < p->nodes.count; i++) {
        uint32_t at = TS_NO_INDEX;
        uint32_t steps = 0;
        bool outermost = map[i] != TS_NO_INDEX &&
                         (p->parent[i] == TS_NO_INDEX || map[p->parent[i]] == TS_NO_INDEX);
        if (!outermost || tree->all[i] == 0) {
            continue;
        }
        uint32_t node = i;
        for (; code == TS_OK && node != TS_NO_INDEX && steps <= CALLER_DEPTH;
             node = p->parent[node], steps++) {
            code = ts_trie_child(&at, ctx, trie, at, p->method[node], node);
        }
        *cut = *cut || node != TS_NO_INDEX;
        if (code == TS_OK) {
            ts_trie_add(trie, at, tree->total[i], tree->all[i]);
            code = i % 1024 == 0 ? ts_guard_check(f->call->guard, ctx) : TS_OK;
        }
    }
    return code;
}

static ts_code focus_put(flame *f, ts_trie *callees, ts_trie *callers, bool cut)
{
    ts_ctx *ctx = ts_view_ctx(f->call);
    ts_tree below = ts_trie_tree(callees, &f->paths->nodes);
    ts_tree above = ts_trie_tree(callers, &f->paths->nodes);
    ts_code code = ts_tree_totals(&below, ctx);
    TS_STEP(code, ts_tree_totals(&above, ctx));
    TS_STEP(code, flame_ids(&below, f, 0));
    TS_STEP(code, flame_ids(&above, f, 0));
    if (code == TS_OK) {
        flame_begin(f);
        code = flame_put(f, "callees", &below, TS_NO_INDEX);
    }
    TS_STEP(code, flame_put(f, "callers", &above, TS_NO_INDEX));
    if (code == TS_OK) {
        ts_jout_bool(f->call->out, "callers_cut", cut);
        code = flame_end(f);
    }
    ts_free(ctx, below.total);
    ts_free(ctx, below.all);
    ts_free(ctx, above.total);
    ts_free(ctx, above.all);
    ts_free(ctx, below.path_id);
    ts_free(ctx, above.path_id);
    return code;
}

static ts_code flame_focus(flame *f, uint32_t method)
{
    ts_ctx *ctx = ts_view_ctx(f->call);
    ts_trie callees = {0};
    ts_trie callers = {0};
    ts_tree tree = flame_tree(f);
    bool cut = false;
    uint32_t *map = ts_alloc(ctx, f->paths->nodes.count, sizeof *map);
    ts_code code = map == NULL ? ctx->error.code : ts_tree_totals(&tree, ctx);
    TS_STEP(code, ts_methods_one(&f->one, f->call->views->model, f->paths, false));
    TS_STEP(code, focus_callees(f, &callees, map, method));
    TS_STEP(code, focus_callers(f, &callers, map, &tree, &cut));
    TS_STEP(code, focus_put(f, &callees, &callers, cut));
    ts_free(ctx, tree.total);
    ts_free(ctx, tree.all);
    ts_free(ctx, map);
    ts_trie_free(ctx, &callees);
    ts_trie_free(ctx, &callers);
    return code;
}

/* The tree that is asked for. */
static ts_code flame_make(flame *f, uint32_t focus)
{
    bool callers = ts_view_value_of(f->call, P_ORDER)->number == 1;
    bool root = ts_view_value_of(f->call, P_ROOT)->given;
    if (ts_view_value_of(f->call, P_LEAF)->given && (!callers || !root)) {
        return ts_fail(ts_view_ctx(f->call), TS_ERR_USAGE,
                       "'leaf' needs order=callers and the parameter 'root'");
    }
    if (focus != TS_NO_INDEX) {
        return callers
                   ? ts_fail(
                         ts_view_ctx(f->call), TS_ERR_USAGE,
                         "'focus' cannot be given with order=callers: it has callers of its own")
                   : flame_focus(f, focus);
    }
    if (is_difference(f->call)) {
        return callers ? ts_fail(ts_view_ctx(f->call), TS_ERR_USAGE,
                                 "a difference cannot be asked for with order=callers")
                       : flame_difference(f);
    }
    int64_t join = ts_view_value_of(f->call, P_JOIN)->number;
    if (join == 2) {
        TS_TRY(ts_methods_one(&f->one, f->call->views->model, f->paths, false));
    }
    return callers ? flame_inverted(f) : flame_whole(f, f->hidden != NULL || join > 0);
}

ts_code ts_flame_run(ts_view_call *call)
{
    flame f = {.call = call, .limit = (uint32_t)ts_view_value_of(call, P_LIMIT)->number};
    ts_ctx *ctx = ts_view_ctx(call);
    uint32_t focus = TS_NO_INDEX;
    ts_code code = ts_view_weigh(&f.calls, call, ts_view_value_of(call, P_IDLE)->number == 1);
    f.paths = f.calls.paths;
    TS_STEP(code, ts_frame_place(&focus, call, ts_view_value_of(call, P_FOCUS), &f.paths->methods,
                                 "method"));
    TS_STEP(code, ts_method_keys(&f.keys, call->views->model, f.paths));
    if (code == TS_OK) {
        f.weights = &ts_view_weight(&f.calls)->of;
        ts_view_all(&f.all, &f.all_count, f.weights);
        code = flame_filter(&f);
    }
    TS_STEP(code, ts_method_list_begin(&f.methods, ctx, f.paths));
    f.methods.demangle = ts_view_value_of(call, TS_P_DEMANGLE)->number != 0;
    TS_STEP(code, flame_make(&f, focus));
    ts_free(ctx, f.hidden);
    ts_method_list_free(ctx, &f.methods);
    ts_calls_free(&f.calls);
    return code;
}
