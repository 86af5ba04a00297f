/*
 * Self and total samples of each method on each thread (table stack_total).
 *
 * Samples are added up by group (source, thread, event) and call path first. Then each group's
 * numbers go from the paths to their callers: a path is done when all paths below it that have
 * samples are. A method counts in full at the outermost path of it only, so that recursion counts
 * once; which paths those are is found once for all groups, by a walk from the roots.
 *
 * Memory: 45 bytes a call path, 33 a method, 40 a (group, path) with samples, and 11 to 22 for
 * finding it. Time: linear.
 */
#include "analysis/stack_totals/stack_totals.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/pool.h"

enum { NO_EVENT = -1, NO_THREAD = -1, NONE = 0 };

/* Numbers of samples and their time. */
typedef struct sums {
    int64_t count;
    int64_t dur; /* ns */
    bool timed;  /* a sample has a dur */
    bool lost;   /* dur does not fit 64 bits */
} sums;

typedef struct group {
    int64_t source_id, itid, event;
    uint32_t first; /* entry; UINT32_MAX: none */
    uint32_t last;
} group;

/* Samples of a group that end in a path. */
typedef struct entry {
    uint32_t group;
    uint32_t node;
    uint32_t next; /* of the group */
    sums self;
} entry;

typedef struct work {
    ts_ctx *ctx;
    ts_sink *sink;
    /* By call path, from 1. */
    uint32_t *parent, *method, *child, *sibling, *pending;
    bool *outermost, *touched;
    sums *below; /* of the group: the path and all below it */
    uint32_t nodes, node_cap;
    /* By method; 0: not known. */
    sums *self, *total;
    bool *seen;
    uint32_t methods;
    uint32_t *list; /* nodes or methods that a group has touched */
    uint32_t list_n;
    group *groups;
    uint32_t group_n, group_cap;
    ts_index group_index;
    entry *entries;
    uint32_t entry_n, entry_cap;
    ts_index entry_index;
    ts_pool events;
} work;

/* --- sums ---------------------------------------------------------------------------------- */

static void add(sums *a, const sums *b)
{
    a->lost = b->lost || ts_ckd_add(&a->dur, a->dur, b->dur) || a->lost;
    a->count += b->count;
    a->timed = a->timed || b->timed;
}

/* --- call paths ---------------------------------------------------------------------------- */

static ts_code totals_grow(ts_ctx *ctx, void *array, uint32_t *cap, uint32_t n, size_t size)
{
    uint32_t more = *cap == 0 ? 1024 : *cap * 2;
    void *old;
    void *p;
    if (n < *cap) {
        return TS_OK;
    }
    if (*cap > UINT32_MAX / 4) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u call paths", *cap);
    }
    memcpy(&old, array, sizeof old);
    TS_NEED(ctx, p = ts_realloc(ctx, old, more, size));
    memcpy(array, &p, sizeof p);
    *cap = more;
    return TS_OK;
}

static ts_code bad_rows(const work *w, const char *table)
{
    return ts_fail(w->ctx, TS_ERR_INPUT, "the rows of table %s were changed", table);
}

static ts_code read_nodes(work *w, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_stack_node__parent_id, TS_C_stack_node__method_id};
    const ts_batch *b;
    ts_scan *scan = NULL;
    uint32_t caps[2] = {0, 0};
    ts_code code = ts_scan_open(&scan, reader, TS_T_stack_node, columns, 2);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            uint32_t id = w->nodes + 1;
            int64_t parent = b->columns[0].ints[i];
            int64_t method = b->columns[1].ints[i];
            if (b->rowids[i] != id || parent < 0 || parent >= id || method < 0 ||
                method > w->methods) {
                code = bad_rows(w, "stack_node");
            } else if ((code = totals_grow(w->ctx, &w->parent, &caps[0], id, sizeof *w->parent)) ==
                           TS_OK &&
                       (code = totals_grow(w->ctx, &w->method, &caps[1], id, sizeof *w->method)) ==
                           TS_OK) {
                w->parent[id] = (uint32_t)parent;
                w->method[id] = (uint32_t)method;
                w->nodes = id;
            }
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code count_methods(work *w, ts_reader *reader)
{
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, TS_T_stack_method, NULL, 0);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = b->rowids[i] == (int64_t)w->methods + 1 ? TS_OK : bad_rows(w, "stack_method");
            w->methods++;
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code make_arrays(work *w)
{
    size_t n = (size_t)w->nodes + 1;
    size_t m = (size_t)w->methods + 1;
    w->child = ts_zalloc(w->ctx, n, sizeof *w->child);
    w->sibling = ts_zalloc(w->ctx, n, sizeof *w->sibling);
    w->pending = ts_zalloc(w->ctx, n, sizeof *w->pending);
    w->outermost = ts_zalloc(w->ctx, n, sizeof *w->outermost);
    w->touched = ts_zalloc(w->ctx, n, sizeof *w->touched);
    w->below = ts_zalloc(w->ctx, n, sizeof *w->below);
    w->list = ts_zalloc(w->ctx, n > m ? n : m, sizeof *w->list);
    w->self = ts_zalloc(w->ctx, m, sizeof *w->self);
    w->total = ts_zalloc(w->ctx, m, sizeof *w->total);
    w->seen = ts_zalloc(w->ctx, m, sizeof *w->seen);
    return w->child == NULL || w->sibling == NULL || w->pending == NULL || w->outermost == NULL ||
                   w->touched == NULL || w->below == NULL || w->list == NULL || w->self == NULL ||
                   w->total == NULL || w->seen == NULL
               ? w->ctx->error.code
               : TS_OK;
}

/*
 * Walks from each root with the number of open paths of each method (`pending` serves for it):
 * a path is outermost when its method was not open.
 */
static ts_code find_outermost(work *w)
{
    uint32_t *open = ts_zalloc(w->ctx, (size_t)w->methods + 1, sizeof *open);
    uint32_t at = NONE;
    TS_NEED(w->ctx, open);
    for (uint32_t id = w->nodes; id > 0; id--) { /* children in the order of their ids */
        w->sibling[id] = w->child[w->parent[id]];
        w->child[w->parent[id]] = id;
    }
    for (at = w->child[NONE]; at != NONE;) {
        w->outermost[at] = open[w->method[at]]++ == 0;
        if (w->child[at] != NONE) {
            at = w->child[at];
            continue;
        }
        while (at != NONE && w->sibling[at] == NONE) {
            open[w->method[at]]--;
            at = w->parent[at];
        }
        if (at != NONE) {
            open[w->method[at]]--;
            at = w->sibling[at];
        }
    }
    ts_free(w->ctx, open);
    return ts_check_cancel(w->ctx);
}

/* --- samples ------------------------------------------------------------------------------- */

static bool is_group(const void *owner, uint32_t number, const void *key)
{
    const group *g = &((const work *)owner)->groups[number];
    const int64_t *wanted = key;
    return g->source_id == wanted[0] && g->itid == wanted[1] && g->event == wanted[2];
}

static bool is_entry(const void *owner, uint32_t number, const void *key)
{
    const entry *e = &((const work *)owner)->entries[number];
    const uint32_t *wanted = key;
    return e->group == wanted[0] && e->node == wanted[1];
}

static ts_code totals_find_group(uint32_t *out, work *w, int64_t source_id, int64_t itid,
                                 int64_t event)
{
    const int64_t key[3] = {source_id, itid, event};
    ts_index_place place;
    ts_hash h;
    ts_code code = ts_index_reserve(w->ctx, &w->group_index);
    if (code != TS_OK || (code = totals_grow(w->ctx, &w->groups, &w->group_cap, w->group_n,
                                             sizeof *w->groups)) != TS_OK) {
        return code;
    }
    h = ts_hash_begin(&w->group_index.key);
    for (size_t i = 0; i < 3; i++) {
        ts_hash_word(&h, (uint64_t)key[i]);
    }
    *out = ts_index_search(&place, &w->group_index, ts_hash_end(&h), is_group, w, key);
    if (*out == TS_INDEX_NONE) {
        *out = w->group_n++;
        w->groups[*out] = (group){source_id, itid, event, UINT32_MAX, UINT32_MAX};
        ts_index_add(&w->group_index, place, *out);
    }
    return TS_OK;
}

static ts_code find_entry(entry **out, work *w, uint32_t in, uint32_t node)
{
    const uint32_t key[2] = {in, node};
    ts_index_place place;
    uint64_t hash;
    uint32_t found;
    group *g = &w->groups[in];
    ts_code code = ts_index_reserve(w->ctx, &w->entry_index);
    if (code != TS_OK || (code = totals_grow(w->ctx, &w->entries, &w->entry_cap, w->entry_n,
                                             sizeof *w->entries)) != TS_OK) {
        return code;
    }
    hash = ts_hash_number(&w->entry_index.key, (int64_t)((uint64_t)in << 32 | node));
    found = ts_index_search(&place, &w->entry_index, hash, is_entry, w, key);
    if (found != TS_INDEX_NONE) {
        *out = &w->entries[found];
        return TS_OK;
    }
    *out = &w->entries[w->entry_n];
    **out = (entry){in, node, UINT32_MAX, {0}};
    if (g->first == UINT32_MAX) {
        g->first = w->entry_n;
    } else {
        w->entries[g->last].next = w->entry_n;
    }
    g->last = w->entry_n;
    ts_index_add(&w->entry_index, place, w->entry_n++);
    return TS_OK;
}

enum { SOURCE, THREAD, DUR, NODE, EVENT, SAMPLE_COLUMNS };

static ts_code add_sample(work *w, const ts_batch *b, unsigned i)
{
    const ts_batch_column *c = b->columns;
    const ts_scan_text *event = &c[EVENT].texts[i];
    int64_t node = c[NODE].ints[i];
    uint32_t event_id = 0;
    uint32_t in;
    entry *e;
    ts_code code = TS_OK;
    if (c[NODE].null[i] != 0) {
        return TS_OK; /* an empty stack */
    }
    if (node < 1 || node > w->nodes) {
        return bad_rows(w, "stack_sample");
    }
    if (c[EVENT].null[i] == 0) {
        code = ts_pool_intern(w->ctx, &event_id, NULL, &w->events, (ts_text){event->p, event->n});
    }
    if (code != TS_OK ||
        (code = totals_find_group(&in, w, c[SOURCE].ints[i],
                                  c[THREAD].null[i] != 0 ? NO_THREAD : c[THREAD].ints[i],
                                  c[EVENT].null[i] != 0 ? NO_EVENT : (int64_t)event_id)) != TS_OK ||
        (code = find_entry(&e, w, in, (uint32_t)node)) != TS_OK) {
        return code;
    }
    const sums one = {1, c[DUR].ints[i], c[DUR].null[i] == 0, false};
    add(&e->self, &one);
    return TS_OK;
}

static ts_code read_samples(work *w, ts_reader *reader)
{
    static const unsigned columns[SAMPLE_COLUMNS] = {
        TS_C_stack_sample__source_id, TS_C_stack_sample__itid, TS_C_stack_sample__dur,
        TS_C_stack_sample__node_id, TS_C_stack_sample__event};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, TS_T_stack_sample, columns, SAMPLE_COLUMNS);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = add_sample(w, b, i);
        }
    }
    ts_scan_close(scan);
    return code;
}

/* --- groups -------------------------------------------------------------------------------- */

/* The paths of the group and their callers, and how many of the paths right below each are among
 * them. */
static void touch_paths(work *w, const group *g)
{
    w->list_n = 0;
    for (uint32_t i = g->first; i != UINT32_MAX; i = w->entries[i].next) {
        const entry *e = &w->entries[i];
        for (uint32_t at = e->node; at != NONE && !w->touched[at]; at = w->parent[at]) {
            w->touched[at] = true;
            w->list[w->list_n++] = at;
            w->pending[w->parent[at]]++;
        }
        add(&w->below[e->node], &e->self);
        add(&w->self[w->method[e->node]], &e->self);
    }
}

/* Numbers go up from paths below which nothing is left. */
static void totals_add_up(work *w)
{
    for (uint32_t i = 0; i < w->list_n; i++) {
        uint32_t at = w->list[i];
        while (at != NONE && w->touched[at] && w->pending[at] == 0) {
            uint32_t up = w->parent[at];
            if (w->outermost[at]) {
                add(&w->total[w->method[at]], &w->below[at]);
            }
            if (up != NONE) {
                add(&w->below[up], &w->below[at]);
            }
            w->touched[at] = false;
            w->pending[up]--;
            at = up;
        }
    }
    w->pending[NONE] = 0;
}

static ts_code totals_put_method(work *w, const group *g, uint32_t method)
{
    const sums *self = &w->self[method];
    const sums *total = &w->total[method];
    ts_row_stack_total row = {
        .source_id = g->source_id,
        .itid = g->itid,
        .event = g->event == NO_EVENT ? TS_TEXT_NULL : ts_pool_text(&w->events, (uint32_t)g->event),
        .method_id = method,
        .self_count = self->count,
        .total_count = total->count,
        .self_dur = self->dur,
        .total_dur = total->dur,
    };
    if (g->itid == NO_THREAD) {
        TS_SET_NULL(stack_total, &row, itid);
    }
    if (method == NONE) {
        TS_SET_NULL(stack_total, &row, method_id);
    }
    if (!total->timed || self->lost) {
        TS_SET_NULL(stack_total, &row, self_dur);
    }
    if (!total->timed || total->lost) {
        TS_SET_NULL(stack_total, &row, total_dur);
    }
    return ts_put_stack_total(w->sink, &row);
}

/* The methods of the group, in the order in which its samples lead to them; all is zero again. */
static ts_code put_group(work *w, const group *g)
{
    ts_code code = TS_OK;
    uint32_t methods = 0;
    for (uint32_t i = 0; i < w->list_n; i++) {
        uint32_t method = w->method[w->list[i]];
        w->below[w->list[i]] = (sums){0};
        if (!w->seen[method]) {
            w->seen[method] = true;
            w->list[methods++] = method; /* at most i were written */
        }
    }
    for (uint32_t i = 0; i < methods; i++) {
        uint32_t method = w->list[i];
        TS_STEP(code, totals_put_method(w, g, method));
        w->seen[method] = false;
        w->self[method] = (sums){0};
        w->total[method] = (sums){0};
    }
    if (code != TS_OK) {
        return code;
    }
    return ts_check_cancel(w->ctx);
}

static void totals_release(work *w)
{
    void *arrays[] = {w->parent,    w->method,  w->child,  w->sibling, w->pending,
                      w->outermost, w->touched, w->below,  w->self,    w->total,
                      w->seen,      w->list,    w->groups, w->entries};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        ts_free(w->ctx, arrays[i]);
    }
    ts_index_free(w->ctx, &w->group_index);
    ts_index_free(w->ctx, &w->entry_index);
    ts_pool_free(w->ctx, &w->events);
}

static ts_code totals_run(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    work w = {.ctx = ctx, .sink = ts_store_sink(store)};
    ts_code code = count_methods(&w, reader);
    TS_STEP(code, read_nodes(&w, reader));
    TS_STEP(code, make_arrays(&w));
    TS_STEP(code, find_outermost(&w));
    TS_STEP(code, read_samples(&w, reader));
    for (uint32_t i = 0; i < w.group_n && code == TS_OK; i++) {
        touch_paths(&w, &w.groups[i]);
        totals_add_up(&w);
        code = put_group(&w, &w.groups[i]);
    }
    totals_release(&w);
    return code;
}

static const enum ts_table_id needs[] = {TS_T_stack_sample, TS_T_stack_node, TS_TABLE_COUNT};
static const enum ts_table_id writes[] = {TS_T_stack_total, TS_TABLE_COUNT};
static const ts_issue_code issues[] = {TS_ISSUE_COUNT};

const ts_analysis ts_analysis_stack_totals = {
    .name = "stack_totals",
    .title = "self and total samples of each method on each thread",
    .cost = TS_ANALYSIS_ASKED,
    .needs = needs,
    .writes = writes,
    .issues = issues,
    .run = totals_run,
};
