#include "model/stack_tree.h"

#include "base/alloc.h"
#include "symbols/demangle.h"

ts_code ts_tree_totals(ts_tree *t, ts_ctx *ctx)
{
    t->total = ts_alloc(ctx, t->n, sizeof *t->total);
    t->all = ts_alloc(ctx, t->n, sizeof *t->all);
    if (t->total == NULL || t->all == NULL) {
        return ctx->error.code;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        t->total[i] = t->self[i];
        t->all[i] = t->count[i];
    }
    for (uint32_t i = t->n; i-- > 0;) {
        if (t->parent[i] != TS_NO_INDEX) {
            t->total[t->parent[i]] += t->total[i];
            t->all[t->parent[i]] += t->all[i];
        }
    }
    return TS_OK;
}

/* --- a tree that grows ------------------------------------------------------------------------ */

typedef struct trie_key {
    uint32_t parent, method;
} trie_key;

static bool trie_is(const void *owner, uint32_t number, const void *key)
{
    const ts_trie *t = owner;
    const trie_key *k = key;
    return ((const uint32_t *)t->parent.p)[number] == k->parent &&
           ((const uint32_t *)t->method.p)[number] == k->method;
}

static ts_code trie_add(ts_ctx *ctx, ts_trie *t, uint32_t parent, uint32_t method, uint32_t node_of)
{
    ts_vec *const words[] = {&t->parent, &t->method, &t->node_of};
    const uint32_t values[] = {parent, method, node_of};
    ts_code code = ts_vec_reserve(ctx, &t->self, 1, sizeof(ts_wide));
    TS_STEP(code, ts_vec_reserve(ctx, &t->count, 1, sizeof(uint64_t)));
    for (unsigned i = 0; code == TS_OK && i < 3; i++) {
        code = ts_vec_reserve(ctx, words[i], 1, sizeof(uint32_t));
    }
    if (code != TS_OK) {
        return code;
    }
    for (unsigned i = 0; i < 3; i++) {
        ((uint32_t *)words[i]->p)[words[i]->n++] = values[i];
    }
    ((ts_wide *)t->self.p)[t->self.n++] = 0;
    ((uint64_t *)t->count.p)[t->count.n++] = 0;
    return TS_OK;
}

ts_code ts_trie_child(uint32_t *out, ts_ctx *ctx, ts_trie *t, uint32_t parent, uint32_t method,
                      uint32_t node_of)
{
    const trie_key key = {parent, method};
    ts_index_place place;
    TS_TRY(ts_index_reserve(ctx, &t->index));
    *out =
        ts_index_search(&place, &t->index,
                        ts_hash_number(&t->index.key, (int64_t)((uint64_t)parent << 32 | method)),
                        trie_is, t, &key);
    if (*out == TS_INDEX_NONE) {
        TS_TRY(trie_add(ctx, t, parent, method, node_of));
        *out = (uint32_t)t->parent.n - 1;
        ts_index_add(&t->index, place, *out);
    }
    return TS_OK;
}

void ts_trie_add(ts_trie *t, uint32_t at, ts_wide self, uint64_t count)
{
    ((ts_wide *)t->self.p)[at] += self;
    ((uint64_t *)t->count.p)[at] += count;
}

ts_tree ts_trie_tree(const ts_trie *t, const ts_ids *nodes)
{
    return (ts_tree){.n = (uint32_t)t->parent.n,
                     .parent = t->parent.p,
                     .method = t->method.p,
                     .nodes = nodes,
                     .node_of = t->node_of.p,
                     .self = t->self.p,
                     .count = t->count.p};
}

void ts_trie_free(ts_ctx *ctx, ts_trie *t)
{
    ts_vec_free(ctx, &t->parent);
    ts_vec_free(ctx, &t->method);
    ts_vec_free(ctx, &t->node_of);
    ts_vec_free(ctx, &t->self);
    ts_vec_free(ctx, &t->count);
    ts_index_free(ctx, &t->index);
    *t = (ts_trie){0};
}

/* --- order ------------------------------------------------------------------------------------ */

/* Whether a comes before b. */
static bool place_before(const ts_wide *values, uint32_t a, uint32_t b)
{
    return values[a] != values[b] ? values[a] > values[b] : a < b;
}

void ts_heap_down(uint32_t *heap, size_t n, size_t at, const ts_wide *values, bool last)
{
    for (;;) {
        size_t best = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++) {
            if (last ? place_before(values, heap[best], heap[child])
                     : place_before(values, heap[child], heap[best])) {
                best = child;
            }
        }
        if (best == at) {
            return;
        }
        uint32_t moved = heap[at];
        heap[at] = heap[best];
        heap[best] = moved;
        at = best;
    }
}

void ts_heap_up(uint32_t *heap, size_t at, const ts_wide *values)
{
    while (at > 0 && place_before(values, heap[at], heap[(at - 1) / 2])) {
        uint32_t moved = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = moved;
        at = (at - 1) / 2;
    }
}

void ts_sort_places(uint32_t *places, size_t n, const ts_wide *values)
{
    for (size_t i = n / 2; i-- > 0;) {
        ts_heap_down(places, n, i, values, true);
    }
    for (size_t end = n; end > 1; end--) {
        uint32_t last = places[0];
        places[0] = places[end - 1];
        places[end - 1] = last;
        ts_heap_down(places, end - 1, 0, values, true);
    }
}

/* --- which nodes are shown -------------------------------------------------------------------- */

/* Children as lists; the roots' list is that of number n. */
typedef struct tree_links {
    uint32_t *first;
    uint32_t *next;
} tree_links;

static uint32_t tree_above(const ts_tree *t, uint32_t i, uint32_t root)
{
    return i == root || t->parent[i] == TS_NO_INDEX ? t->n : t->parent[i];
}

static void links_clear(tree_links *l, uint32_t n)
{
    for (uint32_t i = 0; i <= n; i++) {
        l->first[i] = TS_NO_INDEX;
    }
}

/* Links what has samples; with a root, it alone is in the roots' list. Returns how many. */
static uint32_t links_make(tree_links *l, const ts_tree *t, uint32_t root)
{
    uint32_t live = 0;
    links_clear(l, t->n);
    for (uint32_t i = t->n; i-- > 0;) {
        if (t->all[i] > 0) {
            uint32_t above = tree_above(t, i, root);
            l->next[i] = l->first[above];
            l->first[above] = i;
            live++;
        }
    }
    if (root != TS_NO_INDEX) {
        l->first[t->n] = t->all[root] > 0 ? root : TS_NO_INDEX;
        l->next[root] = TS_NO_INDEX;
    }
    return live;
}

/* The heaviest nodes, from the roots on. */
static void choose_heaviest(ts_shown_tree *s, uint32_t *heap, const tree_links *l, const ts_tree *t,
                            uint32_t limit)
{
    size_t n = 0;
    uint32_t above = t->n;
    for (;;) {
        for (uint32_t i = l->first[above]; i != TS_NO_INDEX; i = l->next[i]) {
            heap[n++] = i;
            ts_heap_up(heap, n - 1, t->total);
        }
        if (n == 0 || s->n == limit) {
            break;
        }
        above = heap[0];
        heap[0] = heap[--n];
        ts_heap_down(heap, n, 0, t->total, false);
        s->number[above] = 0;
        s->order[s->n++] = above;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t parent = t->parent[heap[i]];
        uint32_t at = parent == TS_NO_INDEX || s->number[parent] == TS_NO_INDEX ? t->n : parent;
        s->rest_count[at]++;
        s->rest_total[at] += t->total[heap[i]];
    }
}

/* Puts the chosen nodes into pre-order, heaviest child first. */
static void choose_order(ts_shown_tree *s, tree_links *l, const ts_tree *t, uint32_t root)
{
    uint32_t n = s->n;
    ts_sort_places(s->order, n, t->total);
    links_clear(l, t->n);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t node = s->order[i];
        uint32_t above = tree_above(t, node, root);
        l->next[node] = l->first[above];
        l->first[above] = node;
    }
    uint32_t at = l->first[t->n];
    for (uint32_t i = 0; at != TS_NO_INDEX; i++) {
        s->number[at] = i;
        s->order[i] = at;
        if (l->first[at] != TS_NO_INDEX) {
            at = l->first[at];
            continue;
        }
        while (at != t->n && l->next[at] == TS_NO_INDEX) {
            at = tree_above(t, at, root);
        }
        at = at == t->n ? TS_NO_INDEX : l->next[at];
    }
}

ts_code ts_tree_choose(ts_shown_tree *s, ts_ctx *ctx, const ts_tree *t, uint32_t root,
                       uint32_t limit)
{
    ts_code code = TS_OK;
    uint32_t *heap = NULL;
    tree_links l = {0};
    *s = (ts_shown_tree){0};
    size_t n = t->n;
    if ((l.first = ts_alloc(ctx, n + 1, sizeof *l.first)) == NULL ||
        (l.next = ts_alloc(ctx, n, sizeof *l.next)) == NULL ||
        (s->number = ts_alloc(ctx, n, sizeof *s->number)) == NULL ||
        (s->rest_count = ts_zalloc(ctx, n + 1, sizeof *s->rest_count)) == NULL ||
        (s->rest_total = ts_zalloc(ctx, n + 1, sizeof *s->rest_total)) == NULL) {
        code = ctx->error.code;
        goto out;
    }
    uint32_t live = links_make(&l, t, root);
    if ((heap = ts_alloc(ctx, live, sizeof *heap)) == NULL ||
        (s->order = ts_alloc(ctx, live < limit ? live : limit, sizeof *s->order)) == NULL) {
        code = ctx->error.code;
        goto out;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->number[i] = TS_NO_INDEX;
    }
    for (uint32_t i = l.first[n]; i != TS_NO_INDEX; i = l.next[i]) {
        s->total += t->total[i];
        s->count += t->all[i];
    }
    choose_heaviest(s, heap, &l, t, limit);
    choose_order(s, &l, t, root);
out:
    ts_free(ctx, l.first);
    ts_free(ctx, l.next);
    ts_free(ctx, heap);
    return code;
}

void ts_shown_tree_free(ts_ctx *ctx, ts_shown_tree *s)
{
    ts_free(ctx, s->order);
    ts_free(ctx, s->number);
    ts_free(ctx, s->rest_count);
    ts_free(ctx, s->rest_total);
}

/* --- names ------------------------------------------------------------------------------------ */

ts_code ts_method_text(ts_buf *bytes, ts_ctx *ctx, const ts_scan_text *t, const char *after)
{
    size_t n = t->n < TS_METHOD_TEXT ? t->n : TS_METHOD_TEXT;
    while (n > 0 && n < t->n && ((unsigned char)t->p[n] & 0xc0) == 0x80) {
        n--;
    }
    ts_code code = ts_buf_put(ctx, bytes, t->p, n);
    TS_STEP(code, ts_buf_put(ctx, bytes, after, strlen(after)));
    return code;
}

ts_code ts_method_written(ts_scan_text *out, ts_ctx *ctx, ts_buf *scratch, const ts_scan_text *name)
{
    ts_text text = {name->p, name->n};
    *out = *name;
    if (name->n < name->size) { /* only a part of it is there */
        return TS_OK;
    }
    TS_TRY(ts_demangle(&text, ctx, scratch, text));
    *out = (ts_scan_text){text.p, text.n, text.n};
    return TS_OK;
}

ts_code ts_method_label(ts_buf *bytes, ts_ctx *ctx, const ts_scan_text *package,
                        const ts_scan_text *class, const ts_scan_text *name)
{
    static const ts_scan_text anonymous = {"(anonymous)", 11, 11};
    const ts_scan_text *parts[] = {package, class};
    for (unsigned i = 0; i < 2; i++) {
        TS_TRY(parts[i]->n == 0 ? TS_OK : ts_method_text(bytes, ctx, parts[i], "."));
    }
    return ts_method_text(bytes, ctx, name->n == 0 ? &anonymous : name, "");
}
