/* Trees of stack records. */
#include "serve/flare/flare_private.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>

static fp_tree_node *node_at(const fp_tree *tree, uint32_t i)
{
    return (fp_tree_node *)tree->nodes.p + i;
}

ts_code fp_tree_open(fp_tree *tree, const fp_data *data, bool merged)
{
    *tree = (fp_tree){.data = data, .merged = merged};
    return ts_vec_add(data->ctx, &tree->nodes, sizeof(fp_tree_node)) == NULL ? data->ctx->error.code
                                                                             : TS_OK;
}

void fp_tree_close(fp_tree *tree)
{
    if (tree->data == NULL) {
        return;
    }
    ts_vec_free(tree->data->ctx, &tree->nodes);
    ts_idmap_free(tree->data->ctx, &tree->children);
    ts_vec_free(tree->data->ctx, &tree->path);
    *tree = (fp_tree){0};
}

/* --- ranges --------------------------------------------------------------------------------- */

static int64_t slot_of_time(const fp_data *data, const fp_thread *t, int64_t time)
{
    const fp_record *list = t->records.p;
    int64_t begin = t->has_series ? t->begin : list[0].time;
    int64_t unit = t->has_series ? t->unit : data->sample_interval;
    int64_t step = ts_sat_sub(time, begin) / unit;
    return step < 0 ? 0 : step;
}

/* The last record of the smallest step that is at least `step`, or else of the largest one. */
static size_t hit(const fp_thread *t, int64_t step)
{
    const fp_record *list = t->records.p;
    size_t best = 0;
    for (size_t i = 1; i < t->records.n; i++) {
        bool fits = list[i].step >= step;
        bool best_fits = list[best].step >= step;
        if (fits && best_fits   ? list[i].step <= list[best].step
            : fits != best_fits ? fits
                                : list[i].step >= list[best].step) {
            best = i;
        }
    }
    return best;
}

void fp_tree_range(size_t *first, size_t *last, bool *any, const fp_data *data,
                   const fp_thread *thread, int64_t start, int64_t end)
{
    *first = 0;
    *last = thread->records.n == 0 ? 0 : thread->records.n - 1;
    if (thread->records.n > 0) {
        *first = start < 0 ? *first : hit(thread, slot_of_time(data, thread, start));
        *last = end < 0 ? *last : hit(thread, slot_of_time(data, thread, end));
    }
    *any = thread->records.n > 0 && *first <= *last;
}

/* --- growing -------------------------------------------------------------------------------- */

/* The frames of a record from the innermost to the root; *cut: those that are too deep. */
static ts_code find_path(uint32_t *cut, fp_tree *tree, uint32_t node)
{
    const fp_data *data = tree->data;
    tree->path.n = 0;
    for (uint32_t i = node; i != 0; i = data->nodes[i].parent) {
        TS_TRY(ts_vec_push(data->ctx, &tree->path, &i, sizeof i));
    }
    *cut = tree->path.n > FP_TREE_LEVELS ? (uint32_t)(tree->path.n - FP_TREE_LEVELS) : 0;
    return TS_OK;
}

static ts_code add_child(uint32_t *out, fp_tree *tree, uint32_t parent, uint32_t method,
                         int64_t start)
{
    fp_tree_node *child;
    if (tree->nodes.n >= FP_TREE_HELD) {
        return ts_fail(tree->data->ctx, TS_ERR_LIMIT, "range too large: more than %zu nodes",
                       tree->nodes.n);
    }
    TS_NEED(tree->data->ctx, child = ts_vec_add(tree->data->ctx, &tree->nodes, sizeof *child));
    *out = (uint32_t)tree->nodes.n - 1;
    child->method = method;
    child->parent = parent;
    child->depth = node_at(tree, parent)->depth + 1;
    child->start = start;
    if (node_at(tree, parent)->first == 0) {
        node_at(tree, parent)->first = *out;
    } else {
        node_at(tree, node_at(tree, parent)->last)->next = *out;
    }
    node_at(tree, parent)->last = *out;
    return TS_OK;
}

/* The child that a frame adds to. */
static ts_code child_of(uint32_t *out, fp_tree *tree, uint32_t parent, uint32_t method,
                        int64_t start)
{
    int64_t key = (int64_t)((uint64_t)parent << 32 | method);
    uint32_t last = node_at(tree, parent)->last;
    uint64_t known;
    ts_code code;
    if (!tree->merged && last != 0 && node_at(tree, last)->method == method) {
        *out = last;
        return TS_OK;
    }
    if (tree->merged && ts_idmap_find(&known, &tree->children, key)) {
        *out = (uint32_t)known;
        return TS_OK;
    }
    code = add_child(out, tree, parent, method, start);
    return code != TS_OK || !tree->merged
               ? code
               : ts_idmap_put(tree->data->ctx, &tree->children, key, *out);
}

static ts_code add_stack(fp_tree *tree, uint32_t node, int64_t start, int64_t duration, int64_t cpu)
{
    uint32_t cut = 0;
    uint32_t at = 0;
    ts_code code = find_path(&cut, tree, node);
    for (size_t i = tree->path.n; code == TS_OK && i > cut; i--) {
        uint32_t method = tree->data->nodes[((const uint32_t *)tree->path.p)[i - 1]].method;
        code = child_of(&at, tree, at, method, start);
        if (code == TS_OK) {
            fp_tree_node *n = node_at(tree, at);
            n->calls++;
            n->duration = ts_sat_add(n->duration, duration);
            n->cpu = ts_sat_add(n->cpu, cpu);
        }
    }
    if (code == TS_OK && cut > node_at(tree, at)->cut) {
        node_at(tree, at)->cut = cut;
    }
    return code;
}

ts_code fp_tree_sequence(fp_tree *tree, int64_t *begin, int64_t *end, const fp_thread *thread,
                         size_t first, size_t last)
{
    const fp_record *list = thread->records.p;
    ts_code code = TS_OK;
    for (size_t i = first; i < last && code == TS_OK; i++) {
        int64_t length = ts_sat_sub(list[i + 1].time, list[i].time);
        fp_tree_node *root = node_at(tree, 0);
        length = length < 0 ? 0 : length;
        root->calls++;
        root->duration = ts_sat_add(root->duration, length);
        code = add_stack(tree, list[i].node, ts_sat_sub(list[i].time, list[first].time), length, 0);
        *begin = list[first].time;
        *end = list[i].time;
    }
    return code;
}

/* Each increase of the clock is spread evenly over the records since the one before:
 * cpu[i] becomes what the thread had used by record first + i. */
static void spread(int64_t *cpu, const fp_record *list, size_t n)
{
    int64_t last = 0;
    size_t begin = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t now = list[i].cpu;
        cpu[i] = now;
        last = last == 0 ? now : last;
        if (now != last) {
            int64_t each = ts_sat_sub(now, last) / (int64_t)(i - begin);
            for (size_t k = begin; k < i; k++) {
                cpu[k] = ts_sat_add(last, ts_sat_mul(each, (int64_t)(k - begin) + 1));
            }
            begin = i;
            last = now;
        }
    }
}

ts_code fp_tree_merge(fp_tree *tree, const fp_thread *thread, size_t first, size_t last)
{
    const fp_record *list = (const fp_record *)thread->records.p + first;
    size_t n = last - first + 1;
    int64_t *cpu = ts_alloc(tree->data->ctx, n, sizeof *cpu);
    ts_code code = TS_OK;
    TS_NEED(tree->data->ctx, cpu);
    spread(cpu, list, n);
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        int64_t time = i == 0 ? 0 : ts_sat_sub(list[i].time, list[i - 1].time);
        int64_t used = i == 0 ? 0 : ts_sat_sub(cpu[i], cpu[i - 1]);
        code = add_stack(tree, list[i].node, 0, time, used);
    }
    ts_free(tree->data->ctx, cpu);
    return code;
}

/* --- writing -------------------------------------------------------------------------------- */

ts_code fp_tree_label(ts_buf *out, const fp_tree *tree, uint32_t node)
{
    const fp_tree_node *n = node_at(tree, node);
    ts_text label = fp_data_label(tree->data, n->method);
    ts_code code;
    out->n = 0;
    code = ts_buf_put(tree->data->ctx, out, label.p, label.n);
    TS_STEP_IF(code, n->cut > 0,
               ts_buf_printf(tree->data->ctx, out, " (+%" PRIu32 " frames)", n->cut));
    return code;
}

/* Opens the object of a node up to its children. */
static void begin_node(ts_jout *j, ts_buf *text, const fp_tree *tree, uint32_t i, const char *label)
{
    const fp_tree_node *n = node_at(tree, i);
    ts_jout_null(j, "parent");
    ts_jout_int(j, "id",
                i == 0         ? 0
                : tree->merged ? (int64_t)i
                               : fp_data_method_id(tree->data, n->method));
    if (i == 0) {
        ts_jout_str(j, "label", label);
    } else {
        ts_code code = fp_tree_label(text, tree, i);
        if (code != TS_OK) {
            ts_jout_fail(j, code);
            return;
        }
        ts_jout_text(j, "label", ts_buf_text(text));
    }
    ts_jout_int(j, "calls", n->calls);
    ts_jout_int(j, "cpu", n->cpu / 1000);
    ts_jout_int(j, "duration", n->duration);
    ts_jout_int(j, "start_time", n->start);
    ts_jout_int(j, "depth", tree->merged ? 0 : (int64_t)n->depth);
    ts_jout_open(j, "children", '[');
}

ts_code fp_tree_write(ts_jout *j, const char *key, const fp_tree *tree, const char *label)
{
    ts_buf text = {0};
    uint32_t at = 0;
    bool down = true;
    if (tree->nodes.n > FP_TREE_NODES) {
        return ts_fail(tree->data->ctx, TS_ERR_LIMIT, "range too large: %zu nodes", tree->nodes.n);
    }
    ts_jout_open(j, key, '{');
    begin_node(j, &text, tree, 0, label);
    while (j->code == TS_OK) {
        uint32_t next = down ? node_at(tree, at)->first : node_at(tree, at)->next;
        if (next != 0) {
            if (!down) {
                ts_jout_ends(j, "]}");
            }
            at = next;
            down = true;
            ts_jout_open(j, NULL, '{');
            begin_node(j, &text, tree, at, label);
        } else if (down) {
            down = false;
        } else {
            ts_jout_ends(j, "]}");
            if (at == 0) {
                break;
            }
            at = node_at(tree, at)->parent;
        }
    }
    ts_buf_free(tree->data->ctx, &text);
    return j->code;
}
