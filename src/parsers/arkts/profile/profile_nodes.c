/* Nodes of a CPU profile: looked up by id, linked to their parents, put in order and written. */
#include "parsers/arkts/profile/profile_state.h"
#include "parsers/shared/v8_node.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>

enum { FIRST_NODES = 128, MANY_NODES = 4096, MAX_NODES = 1 << 28 };

void profile_nodes_free(ts_ctx *ctx, profile_nodes *nodes)
{
    ts_free(ctx, nodes->nodes);
    ts_free(ctx, nodes->by_id);
    ts_index_free(ctx, &nodes->index);
    nodes->nodes = NULL;
    nodes->by_id = NULL;
    ts_intvec_free(ctx, &nodes->children);
    ts_vec_free(ctx, &nodes->open);
    ts_intvec_free(ctx, &nodes->kept);
}

static bool node_has_id(const void *nodes, uint32_t number, const void *id)
{
    return ((const cpu_node *)nodes)[number].id == *(const int64_t *)id;
}

/* Where a node is if the ids are dense and in order, as they mostly are. */
static uint64_t likely_index(const ts_profile *p, int64_t id)
{
    return p->nodes.count == 0 ? 0 : (uint64_t)id - (uint64_t)p->nodes.nodes[0].id;
}

uint32_t profile_find(const ts_profile *p, int64_t id)
{
    const ts_index *index = &p->nodes.index;
    uint64_t i = likely_index(p, id);
    if (p->nodes.by_id != NULL) {
        i = (uint64_t)id - (uint64_t)p->nodes.first_id;
        return profile_by_id(&p->nodes, i) - 1; /* of 0: NO_INDEX */
    }
    if (i < p->nodes.count && p->nodes.nodes[i].id == id) {
        return (uint32_t)i;
    }
    return ts_index_find(index, ts_hash_number(&index->key, id), node_has_id, p->nodes.nodes, &id);
}

/* No more nodes come: their ids, which are dense mostly, need no hash. */
static ts_code index_by_id(ts_profile *p, int64_t min, int64_t max)
{
    profile_nodes *nodes = &p->nodes;
    if (nodes->count == 0 || (uint64_t)max - (uint64_t)min >= UINT64_C(2) * nodes->count) {
        return TS_OK;
    }
    const uint32_t span = (uint32_t)(max - min) + 1;
    TS_NEED(p->ctx, nodes->by_id = ts_zalloc(p->ctx, span, sizeof *nodes->by_id));
    nodes->first_id = min;
    nodes->id_span = span;
    for (uint32_t i = 0; i < nodes->count; i++) {
        nodes->by_id[nodes->nodes[i].id - min] = i + 1;
    }
    ts_index_free(p->ctx, &nodes->index);
    return TS_OK;
}

/* By an eighth once they are many: a node is large. */
static ts_code grow_nodes(ts_profile *p)
{
    uint32_t cap = p->nodes.cap < FIRST_NODES  ? FIRST_NODES
                   : p->nodes.cap < MANY_NODES ? p->nodes.cap * 2
                                               : p->nodes.cap + p->nodes.cap / 8;
    cpu_node *nodes;
    if (p->nodes.cap > MAX_NODES) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "a CPU profile has more than %" PRIu32 " nodes",
                       p->nodes.cap);
    }
    TS_NEED(p->ctx, nodes = ts_realloc(p->ctx, p->nodes.nodes, cap, sizeof *nodes));
    p->nodes.nodes = nodes;
    p->nodes.cap = cap;
    return TS_OK;
}

void profile_begin_node(ts_profile *p)
{
    p->nodes.now = (cpu_node){.parent = NO_INDEX, .first_child = p->nodes.children.n};
}

ts_code profile_odd_node(ts_profile *p)
{
    p->nodes.seen++;
    p->nodes.lost++;
    return ts_issue(p->store, p->source_id, TS_ISSUE_cpu_bad_node, p->name, p->offset,
                    "an element of nodes is not an object");
}

ts_code profile_keep_node(ts_profile *p)
{
    ts_index *index = &p->nodes.index;
    const int64_t id = p->nodes.now.id;
    ts_index_place place;
    p->nodes.seen++;
    if ((p->nodes.now.flags & NODE_HAS_ID) == 0) {
        p->nodes.lost++;
        return ts_issue(p->store, p->source_id, TS_ISSUE_cpu_bad_node, p->name, p->offset,
                        "node %" PRIu64 " has no id and was left out", p->nodes.seen - 1);
    }
    TS_TRY(p->nodes.count < p->nodes.cap ? TS_OK : grow_nodes(p));
    TS_TRY(ts_index_reserve(p->ctx, index));
    if (ts_index_search(&place, index, ts_hash_number(&index->key, id), node_has_id, p->nodes.nodes,
                        &id) != TS_INDEX_NONE) {
        p->nodes.lost++;
        return ts_issue(p->store, p->source_id, TS_ISSUE_cpu_duplicate_node, p->name, p->offset,
                        "node id %" PRId64 " occurs again; the first node counts", id);
    }
    p->nodes.without_frame += (p->nodes.now.flags & NODE_HAS_FRAME) == 0 ? 1 : 0;
    p->nodes.now.root = p->nodes.count;
    ts_index_add(index, place, p->nodes.count);
    p->nodes.nodes[p->nodes.count++] = p->nodes.now;
    return TS_OK;
}

ts_code profile_open_node(ts_profile *p)
{
    cpu_node *around = ts_vec_add(p->ctx, &p->nodes.open, sizeof *around);
    TS_NEED(p->ctx, around);
    *around = p->nodes.now;
    profile_begin_node(p);
    p->nodes.now.flags |= NODE_HAS_FRAME;
    p->nodes.now.first_child = p->nodes.kept.n;
    return TS_OK;
}

/* Its children were kept before it. */
ts_code profile_close_node(ts_profile *p)
{
    cpu_node *node = &p->nodes.now;
    const int64_t id = node->id;
    const bool has_id = (node->flags & NODE_HAS_ID) != 0;
    const uint64_t first = node->first_child;
    ts_code code = TS_OK;
    node->first_child = p->nodes.children.n;
    node->child_count = (uint32_t)(p->nodes.kept.n - first);
    for (uint64_t i = first; i < p->nodes.kept.n && code == TS_OK; i++) {
        code = ts_intvec_push(p->ctx, &p->nodes.children, ts_intvec_get(&p->nodes.kept, i));
    }
    ts_intvec_truncate(p->ctx, &p->nodes.kept, first);
    if (code != TS_OK || (code = profile_keep_node(p)) != TS_OK) {
        return code;
    }
    p->nodes.open.n--;
    p->nodes.now = ((cpu_node *)p->nodes.open.p)[p->nodes.open.n];
    return has_id ? ts_intvec_push(p->ctx, &p->nodes.kept, id) : TS_OK;
}

/* --- parents -------------------------------------------------------------------------------- */

static uint32_t root_of(ts_profile *p, uint32_t i)
{
    while (p->nodes.nodes[i].root != i) {
        p->nodes.nodes[i].root = p->nodes.nodes[p->nodes.nodes[i].root].root;
        i = p->nodes.nodes[i].root;
    }
    return i;
}

/* Makes `parent` the parent of `child`, unless it has one or the link would close a cycle. */
static ts_code link_nodes(ts_profile *p, uint32_t parent, uint32_t child)
{
    cpu_node *node = &p->nodes.nodes[child];
    if (node->parent != NO_INDEX) {
        return ts_issue(p->store, p->source_id, TS_ISSUE_cpu_second_parent, p->name, p->offset,
                        "node %" PRId64 " is also a child of node %" PRId64
                        "; its first parent counts",
                        node->id, p->nodes.nodes[parent].id);
    }
    /* A node without a parent is the root of its tree: it is above `parent` if they share it. */
    if (root_of(p, parent) == child) {
        return ts_issue(p->store, p->source_id, TS_ISSUE_cpu_cycle, p->name, p->offset,
                        "node %" PRId64 " is a child of its own descendant %" PRId64, node->id,
                        p->nodes.nodes[parent].id);
    }
    node->parent = parent;
    node->root = parent;
    return TS_OK;
}

static ts_code link_children(ts_profile *p, uint32_t i)
{
    const cpu_node *node = &p->nodes.nodes[i];
    ts_code code = TS_OK;
    for (uint32_t k = 0; k < node->child_count && code == TS_OK; k++) {
        int64_t id = ts_intvec_get(&p->nodes.children, node->first_child + k);
        uint32_t child = profile_find(p, id);
        if (child != NO_INDEX) {
            code = link_nodes(p, i, child);
        } else if (p->done) {
            code = ts_issue(p->store, p->source_id, TS_ISSUE_cpu_unknown_child, p->name, p->offset,
                            "child %" PRId64 " of node %" PRId64 " is not a node", id, node->id);
        }
    }
    return code;
}

static ts_code link_all(ts_profile *p)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < p->nodes.count && code == TS_OK; i++) {
        code = link_children(p, i);
    }
    for (uint32_t i = 0; i < p->nodes.count && code == TS_OK; i++) {
        cpu_node *node = &p->nodes.nodes[i];
        uint32_t parent = (node->flags & NODE_HAS_PARENT_ID) != 0 && node->parent == NO_INDEX
                              ? profile_find(p, node->parent_id)
                              : NO_INDEX;
        if (parent != NO_INDEX) {
            code = link_nodes(p, parent, i);
        }
    }
    return code;
}

/*
 * A tree has one root. Without its node, or without the list that names it, a child looks like
 * another one: who called it is not known.
 */
static ts_code check_roots(ts_profile *p)
{
    const bool cut = p->nodes.open.n > 0; /* callers come after what they call */
    uint64_t roots = 0;
    for (uint32_t i = 0; i < p->nodes.count && (p->done || cut); i++) {
        if (p->nodes.nodes[i].parent == NO_INDEX && (++roots > 1 || cut)) {
            p->nodes.nodes[i].flags |= NODE_ORPHAN;
        }
    }
    return roots < 2 || cut
               ? TS_OK
               : ts_issue_n(p->store, p->source_id, TS_ISSUE_cpu_second_root, p->name, p->offset,
                            roots - 1, "nodes other than the root have no parent");
}

static void bound_ids(const ts_profile *p, int64_t *min, int64_t *max)
{
    *min = INT64_MAX;
    *max = INT64_MIN;
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        *min = p->nodes.nodes[i].id < *min ? p->nodes.nodes[i].id : *min;
        *max = p->nodes.nodes[i].id > *max ? p->nodes.nodes[i].id : *max;
    }
}

/* V8 numbers the nodes of a profile from 1 on. */
static ts_code check_node_ids(ts_profile *p, int64_t min, int64_t max)
{
    if (!p->done || !p->nodes.ticks || p->nodes.count == 0 || (min == 1 && max == p->nodes.count)) {
        return TS_OK;
    }
    return ts_issue(p->store, p->source_id, TS_ISSUE_cpu_nodes_gap, p->name, p->offset,
                    "there are %" PRIu32 " nodes with ids from %" PRId64 " to %" PRId64,
                    p->nodes.count, min, max);
}

/* --- rows ----------------------------------------------------------------------------------- */

/* A node id with the profile's offset, or PROFILE_NULL when that does not fit. */
static int64_t profile_shift(ts_profile *p, int64_t id)
{
    int64_t out;
    if (ts_ckd_add(&out, id, p->id_offset)) {
        p->nodes.ids_over++;
        return PROFILE_NULL;
    }
    return out;
}

int64_t profile_function_id(ts_profile *p, int64_t id)
{
    bool root = p->nodes.root_merged && p->nodes.nodes[p->nodes.root].id == id;
    return root ? TS_PROFILE_ROOT : profile_shift(p, id);
}

/* The first node without a caller. Another root may stand for it in js_cpu_profiler_node. */
static void choose_root(ts_profile *p)
{
    p->nodes.root = NO_INDEX;
    for (uint32_t i = 0; i < p->nodes.count && p->nodes.root == NO_INDEX; i++) {
        p->nodes.root = p->nodes.nodes[i].parent == NO_INDEX ? i : NO_INDEX;
    }
    p->nodes.root_merged = p->nodes.root != NO_INDEX && p->ids->root_row != 0;
}

/* The row of the first root is there, or what a later one calls belongs to it as well. */
static ts_code keep_root(ts_profile *p, const ts_row_js_cpu_profiler_node *row)
{
    ts_profile_ids *ids = p->ids;
    ts_code code = TS_OK;
    if (p->nodes.root_merged && row->children.n > 0) {
        ids->merged = true;
        code = ids->root_children.n == 0 ? TS_OK : ts_buf_putc(p->ctx, &ids->root_children, ',');
    } else if (ids->root_row == 0 && row->function_id == TS_PROFILE_ROOT) {
        ids->root_row = (int64_t)ts_sink_rows(p->sink, TS_T_js_cpu_profiler_node);
    } else {
        return TS_OK;
    }
    TS_STEP(code, ts_buf_put(p->ctx, &ids->root_children, row->children.p, row->children.n));
    return code;
}

ts_code ts_profile_ids_finish(ts_profile_ids *ids, ts_store *store)
{
    return !ids->merged ? TS_OK
                        : ts_sink_late_text(ts_store_sink(store), TS_T_js_cpu_profiler_node,
                                            ids->root_row, TS_C_js_cpu_profiler_node__children,
                                            ts_buf_text(&ids->root_children));
}

static ts_code children_text(ts_profile *p, const cpu_node *node)
{
    ts_code code = TS_OK;
    p->texts.text.n = 0;
    for (uint32_t k = 0; k < node->child_count && code == TS_OK; k++) {
        int64_t id = ts_intvec_get(&p->nodes.children, node->first_child + k);
        id = profile_shift(p, id);
        if (id != PROFILE_NULL && p->texts.text.n > 0) {
            code = ts_buf_putc(p->ctx, &p->texts.text, ',');
        }
        if (id != PROFILE_NULL && code == TS_OK) {
            code = ts_buf_decimal(p->ctx, &p->texts.text, id);
        }
    }
    return code;
}

static ts_code put_stack_node(ts_profile *p, cpu_node *node, ts_text name, ts_text url,
                              ts_text module)
{
    const cpu_node *parent = node->parent == NO_INDEX ? NULL : &p->nodes.nodes[node->parent];
    int64_t method;
    int64_t depth = 0;
    TS_TRY(ts_v8_method(&method, p->store, p->source_id, name, url, module,
                        (node->flags & NODE_HAS_LINE) != 0 ? node->line : -1));
    if (parent != NULL) { /* parents were written before: their `root` holds the depth now */
        depth = (int64_t)parent->root + 1;
    }
    node->root = (uint32_t)depth;
    return ts_v8_put(&node->stack_node, p->store, p->source_id,
                     parent == NULL ? 0 : parent->stack_node, method, depth, &node->id);
}

static ts_code put_node(ts_profile *p, cpu_node *node)
{
    ts_row_js_cpu_profiler_node row = {
        .function_id = profile_shift(p, node->id),
        .line_number = node->line,
        .column_number = node->column,
        .hit_count = node->hits,
        .parent_id =
            node->parent == NO_INDEX ? 0 : profile_function_id(p, p->nodes.nodes[node->parent].id),
    };
    ts_text name;
    ts_text module;
    ts_text url;
    bool root;
    ts_code code;
    TS_TRY_INTO(code, profile_text(p, &row.script_id, &p->texts.clean, node->script));
    TS_TRY_INTO(code, profile_text(p, &name, &p->texts.name, node->name));
    TS_TRY_INTO(code, profile_text(p, &module, &p->texts.module, node->module));
    TS_TRY_INTO(code, profile_text(p, &url, &p->texts.url, node->url));
    if (row.script_id.n == 0) {
        row.script_id = TS_TEXT_LIT("0");
    }
    TS_NULL_IF(row.function_id == PROFILE_NULL, js_cpu_profiler_node, &row, function_id);
    TS_NULL_IF(row.parent_id == PROFILE_NULL || (node->flags & NODE_ORPHAN) != 0,
               js_cpu_profiler_node, &row, parent_id);
    TS_NULL_IF((node->flags & NODE_HAS_LINE) == 0, js_cpu_profiler_node, &row, line_number);
    TS_NULL_IF((node->flags & NODE_HAS_COLUMN) == 0, js_cpu_profiler_node, &row, column_number);
    TS_NULL_IF((node->flags & NODE_BAD_HITS) != 0, js_cpu_profiler_node, &row, hit_count);
    if (row.function_id > p->ids->max_id) {
        p->ids->max_id = row.function_id;
    }
    TS_TRY_INTO(code, ts_dict(&row.function_index, p->store, name));
    TS_TRY_INTO(code, ts_dict(&row.url_index, p->store, url));
    TS_TRY_INTO(code, children_text(p, node));
    row.children = ts_buf_text(&p->texts.text);
    root = p->nodes.root != NO_INDEX && node == &p->nodes.nodes[p->nodes.root];
    if ((!root || !p->nodes.root_merged) &&
        (code = ts_put_js_cpu_profiler_node(p->sink, &row)) != TS_OK) {
        return code;
    }
    if (root && (code = keep_root(p, &row)) != TS_OK) {
        return code;
    }
    return put_stack_node(p, node, name, url, module);
}

/* --- order ---------------------------------------------------------------------------------- */

static bool parents_first(const ts_profile *p)
{
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        if (p->nodes.nodes[i].parent != NO_INDEX && p->nodes.nodes[i].parent > i) {
            return false;
        }
    }
    return true;
}

/* links[i]: first child and next sibling of node i, in file order. */
typedef struct tree_link {
    uint32_t child;
    uint32_t sibling;
} tree_link;

static void build_links(const ts_profile *p, tree_link *links)
{
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        links[i] = (tree_link){NO_INDEX, NO_INDEX};
    }
    for (uint32_t i = p->nodes.count; i > 0; i--) {
        uint32_t parent = p->nodes.nodes[i - 1].parent;
        if (parent != NO_INDEX) {
            links[i - 1].sibling = links[parent].child;
            links[parent].child = i - 1;
        }
    }
}

static ts_code walk_tree(ts_profile *p, const tree_link *links, uint32_t root)
{
    uint32_t at = root;
    ts_code code = put_node(p, &p->nodes.nodes[at]);
    while (code == TS_OK) {
        if (links[at].child != NO_INDEX) {
            at = links[at].child;
        } else {
            while (at != root && links[at].sibling == NO_INDEX) {
                at = p->nodes.nodes[at].parent;
            }
            if (at == root) {
                break;
            }
            at = links[at].sibling;
        }
        code = put_node(p, &p->nodes.nodes[at]);
    }
    return code;
}

/* The viewer begins at the first node, and takes it for the root when its id is 1. */
static ts_code check_root(ts_profile *p)
{
    uint32_t root = profile_find(p, 1);
    if (p->nodes.count == 0 || (root != NO_INDEX && p->nodes.nodes[root].parent == NO_INDEX)) {
        return TS_OK;
    }
    return ts_issue(p->store, p->source_id, TS_ISSUE_cpu_no_root, p->name, p->offset,
                    "no node without a parent has the id 1");
}

static ts_code put_walked(ts_profile *p)
{
    tree_link *links = ts_alloc(p->ctx, p->nodes.count, sizeof *links);
    ts_code code = ts_issue(p->store, p->source_id, TS_ISSUE_cpu_nodes_reordered, p->name,
                            p->offset, "nodes came before their parents");
    TS_NEED(p->ctx, links);
    build_links(p, links);
    for (uint32_t i = 0; i < p->nodes.count && code == TS_OK; i++) {
        if (p->nodes.nodes[i].parent == NO_INDEX) {
            code = walk_tree(p, links, i);
        }
    }
    ts_free(p->ctx, links);
    return code;
}

static ts_code count_nodes(ts_profile *p)
{
    ts_tally *tally;
    ts_code code = ts_count(&tally, p->store, p->source_id, TS_ITEM_cpu_nodes, NULL);
    if (code == TS_OK) {
        tally->seen += p->nodes.seen;
        tally->imported += p->nodes.count - p->nodes.root_merged;
        tally->skipped += p->nodes.root_merged;
        tally->lost += p->nodes.lost;
    }
    return code;
}

ts_code profile_put_nodes(ts_profile *p)
{
    int64_t min;
    int64_t max;
    ts_code code;
    bound_ids(p, &min, &max);
    TS_TRY_INTO(code, index_by_id(p, min, max));
    TS_TRY_INTO(code, link_all(p));
    TS_TRY_INTO(code, check_roots(p));
    TS_TRY_INTO(code, check_node_ids(p, min, max));
    choose_root(p);
    if (!parents_first(p)) {
        code = put_walked(p);
    } else {
        for (uint32_t i = 0; i < p->nodes.count && code == TS_OK; i++) {
            code = put_node(p, &p->nodes.nodes[i]);
        }
    }
    TS_STEP(code, check_root(p));
    TS_STEP(code, count_nodes(p));
    return code;
}
