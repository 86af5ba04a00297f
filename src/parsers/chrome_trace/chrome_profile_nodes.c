/* Nodes of CPU profiles: kept until all are there, then written, callers first. */
#include "parsers/chrome_trace/chrome_profile.h"

#include <inttypes.h>

enum { MAX_NODES = 1 << 28 };

ts_code chrome_profile_keep_node(chrome_trace *c)
{
    chrome_profiles *p = c->profiles;
    chrome_profile *profile = chrome_profile_at(p, p->at_profile);
    chrome_node *node;
    uint64_t other;
    c->n.profile_nodes++;
    if ((p->node.v8.has & TS_V8_ID) == 0 || ts_idmap_find(&other, &profile->by_id, p->node.v8.id)) {
        bool twice = (p->node.v8.has & TS_V8_ID) != 0;
        c->n.profile_nodes_lost++;
        profile->links.n = p->first_link;
        return ts_issue(c->store, profile->source_id,
                        twice ? TS_ISSUE_cpu_duplicate_node : TS_ISSUE_cpu_bad_node, profile->name,
                        (int64_t)c->event.at,
                        twice ? "node id %" PRId64 " occurs again; the first node counts"
                              : "a node has no id and was left out",
                        p->node.v8.id);
    }
    if (profile->nodes.n >= MAX_NODES) {
        return ts_fail(c->ctx, TS_ERR_LIMIT, "a CPU profile has more than %d nodes", MAX_NODES);
    }
    /* Functions are those of the trace: its profiles are of the same scripts, and come in turns. */
    TS_TRY(ts_v8_method(&p->node.method, c->store, c->source_id, ts_buf_text(&p->function),
                        ts_buf_text(&p->url), TS_TEXT_NULL, ts_v8_line(&p->node.v8)));
    TS_TRY(ts_idmap_put(c->ctx, &profile->by_id, p->node.v8.id, profile->nodes.n));
    TS_NEED(c->ctx, node = ts_vec_add(c->ctx, &profile->nodes, sizeof *node));
    *node = p->node;
    return TS_OK;
}

static chrome_node *node_at(const chrome_profile *profile, size_t i)
{
    return (chrome_node *)profile->nodes.p + i;
}

/* --- callers --------------------------------------------------------------------------------- */

static ts_code no_parent(chrome_trace *c, const chrome_profile *profile, const chrome_node *node)
{
    return ts_issue(c->store, profile->source_id, TS_ISSUE_chrome_profile_no_parent, profile->name,
                    TS_NO_OFFSET, "node %" PRId64 " has no caller that is known", node->v8.id);
}

static ts_code link_parents(chrome_trace *c, chrome_profile *profile)
{
    ts_code code = TS_OK;
    uint64_t index;
    for (size_t i = 0; i < profile->nodes.n && code == TS_OK; i++) {
        chrome_node *node = node_at(profile, i);
        if ((node->v8.has & CHROME_NODE_PARENT) == 0) {
            continue;
        }
        if (ts_idmap_find(&index, &profile->by_id, node->parent_id)) {
            node->parent = (uint32_t)index + 1;
        } else {
            code = no_parent(c, profile, node);
        }
    }
    for (size_t i = 0; i < profile->links.n && code == TS_OK; i++) {
        const chrome_link *link = (const chrome_link *)profile->links.p + i;
        chrome_node *node;
        if (!ts_idmap_find(&index, &profile->by_id, link->child)) {
            code = ts_issue(c->store, profile->source_id, TS_ISSUE_cpu_unknown_child, profile->name,
                            TS_NO_OFFSET, "child %" PRId64 " is not a node", link->child);
            continue;
        }
        node = node_at(profile, (size_t)index);
        if (node->parent == 0 && link->parent <= profile->nodes.n) {
            node->parent = link->parent;
        }
    }
    return code;
}

/* --- rows ------------------------------------------------------------------------------------ */

static ts_code put_node(chrome_trace *c, chrome_profile *profile, chrome_node *node)
{
    const chrome_node *parent = node->parent == 0 ? NULL : node_at(profile, node->parent - 1);
    ts_row_chrome_profile_node row = {
        .source_id = profile->source_id,
        .id = node->v8.id,
        .script_id = node->v8.script,
        .line_number = node->v8.line,
        .column_number = node->v8.column,
    };
    ts_code code;
    node->depth = parent == NULL ? 0 : parent->depth + 1;
    code = ts_v8_put(&node->v8.stack_node, c->store, profile->source_id,
                     parent == NULL ? 0 : parent->v8.stack_node, node->method, node->depth,
                     &node->v8.id);
    row.node_id = node->v8.stack_node;
    TS_NULL_IF((node->v8.has & TS_V8_SCRIPT) == 0, chrome_profile_node, &row, script_id);
    TS_NULL_IF((node->v8.has & TS_V8_LINE) == 0, chrome_profile_node, &row, line_number);
    TS_NULL_IF((node->v8.has & TS_V8_COLUMN) == 0, chrome_profile_node, &row, column_number);
    TS_STEP(code, ts_put_chrome_profile_node(c->sink, &row));
    return code;
}

/* Writes the callers of a node that have no row yet, outermost first, and the node. path: their
 * places, at first empty. */
static ts_code put_path(chrome_trace *c, chrome_profile *profile, size_t i, ts_vec *path)
{
    ts_code code = TS_OK;
    for (;;) {
        chrome_node *node = node_at(profile, i);
        size_t *place = ts_vec_add(c->ctx, path, sizeof *place);
        TS_NEED(c->ctx, place);
        *place = i;
        node->v8.has |= CHROME_NODE_ON_PATH;
        if (node->parent == 0 || node_at(profile, node->parent - 1)->v8.stack_node != 0) {
            break;
        }
        if ((node_at(profile, node->parent - 1)->v8.has & CHROME_NODE_ON_PATH) != 0) {
            node->parent = 0; /* its caller is called by it */
            TS_TRY_INTO(code, no_parent(c, profile, node));
            break;
        }
        i = node->parent - 1;
    }
    while (path->n > 0 && code == TS_OK) {
        path->n--;
        code = put_node(c, profile, node_at(profile, ((size_t *)path->p)[path->n]));
    }
    return code;
}

ts_code chrome_profile_put_nodes(chrome_trace *c, chrome_profile *profile)
{
    ts_vec path = {0};
    ts_code code = link_parents(c, profile);
    for (size_t i = 0; i < profile->nodes.n && code == TS_OK; i++) {
        if (node_at(profile, i)->v8.stack_node == 0) {
            code = put_path(c, profile, i, &path);
        }
    }
    ts_vec_free(c->ctx, &path);
    ts_vec_free(c->ctx, &profile->links);
    ts_stack_release(c->store, profile->source_id);
    return code;
}
