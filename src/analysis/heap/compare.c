/*
 * Two heap files of one run of a program: which nodes came and went, by class. Nodes are the same
 * when their ids are; of several with one id the first is compared with the first. Plain objects of
 * both files are classified by the definitions of the newer one.
 *
 * Memory: 20 bytes a node of the older file, 4 a node of the newer one, 6 to 12 for finding ids.
 * With base/index, which has 8 bytes a slot and grows, two files of 500 000 nodes took 83 MiB
 * instead of 72, and 1 % more user CPU.
 */
#include "analysis/heap/compare.h"

#include "base/alloc.h"

/* The nodes of the older file. */
typedef struct older {
    hg_base *base;
    int64_t *id;
    int64_t *size;
    uint32_t *key;
    uint64_t *known; /* bits: has an id */
    uint64_t *met;   /* bits: is in the newer file, in the same class */
    uint32_t *slots; /* node + 1 */
    size_t mask;
    bool twice;     /* several nodes share an id */
    uint32_t *next; /* then: nodes of one id and class in their order */
} older;

/* --- classes of the older file -------------------------------------------------------------- */

/* Keys of its rows of classes; of plain objects those of the newer definitions. */
static ts_code key_of(uint32_t *key, older *o, hg_classes *c, uint32_t row, uint32_t text)
{
    const hg_class *rows = o->base->rows.p;
    const hg_key *keys = c->keys.p;
    hg_key wanted;
    *key = rows[row].key;
    if (text == HG_NONE || keys[*key].text == text) {
        return TS_OK;
    }
    wanted = keys[*key];
    wanted.text = text;
    return hg_class_key(key, c, &wanted);
}

typedef struct old_pass {
    older *o;
    hg_classes *c;
    const uint32_t *texts; /* of shapes */
    size_t object;
} old_pass;

static ts_code take_old(old_pass *p, const ts_batch *b, unsigned i, uint32_t v)
{
    older *o = p->o;
    const ts_batch_column *col = b->columns;
    const uint32_t *shapes = o->base->g.shapes.objects.p;
    int64_t row = col[1].ints[i] - o->base->first_constructor;
    uint32_t text = HG_NONE;
    if (row < 0 || (uint64_t)row >= o->base->rows.n) {
        return hg_changed(p->c->ctx, TS_T_js_heap_retained);
    }
    if (hg_bit(o->base->plain, v)) {
        text = p->texts[shapes[p->object++]];
    }
    o->id[v] = col[0].ints[i];
    if (col[0].null[i] == 0) {
        hg_set(o->known, v);
    }
    o->size[v] = col[2].ints[i];
    return key_of(&o->key[v], o, p->c, (uint32_t)row, text);
}

static ts_code read_old(void *user, const hg_range *r)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; i < r->n && code == TS_OK; i++) {
        code = take_old(user, r->b, i, (uint32_t)r->at + i);
    }
    return code;
}

static ts_code old_texts(uint32_t **texts, hg *g, hg_base *base, const hg_definitions *d)
{
    uint32_t *name_of = NULL;
    ts_code code;
    TS_NEED(g->ctx, *texts = ts_alloc(g->ctx, base->g.shapes.shapes.n, sizeof **texts));
    code = hg_names_of(&name_of, &base->g, d);
    TS_STEP(code, hg_shape_classes(*texts, g->ctx, d, &base->g.shapes, name_of));
    ts_free(g->ctx, name_of);
    return code;
}

/* --- ids ------------------------------------------------------------------------------------ */

static size_t slot_of_id(const ts_ctx *ctx, const older *o, int64_t id)
{
    return (size_t)ts_hash_number(&ctx->hash_key, id) & o->mask;
}

static void index_ids(const ts_ctx *ctx, older *o)
{
    for (uint32_t v = 0; v < o->base->g.n; v++) {
        size_t at;
        if (!hg_bit(o->known, v)) {
            continue;
        }
        for (at = slot_of_id(ctx, o, o->id[v]); o->slots[at] != 0; at = (at + 1) & o->mask) {
            if (o->id[o->slots[at] - 1] == o->id[v]) {
                break;
            }
        }
        if (o->slots[at] == 0) {
            o->slots[at] = v + 1;
        } else {
            o->twice = true;
        }
    }
}

/* The greatest odd id; 0: there is none. */
static int64_t last_id(const older *o)
{
    int64_t last = 0;
    for (uint32_t v = 0; v < o->base->g.n; v++) {
        if (hg_bit(o->known, v) && o->id[v] % 2 != 0 && o->id[v] > last) {
            last = o->id[v];
        }
    }
    return last;
}

/* The first node of this id. */
static uint32_t find_id(const ts_ctx *ctx, const older *o, int64_t id)
{
    for (size_t at = slot_of_id(ctx, o, id); o->slots[at] != 0; at = (at + 1) & o->mask) {
        if (o->id[o->slots[at] - 1] == id) {
            return o->slots[at] - 1;
        }
    }
    return HG_NONE;
}

static size_t slot_of_both(const ts_ctx *ctx, const older *o, int64_t id, uint32_t key)
{
    ts_hash h = ts_hash_begin(&ctx->hash_key);
    ts_hash_word(&h, (uint64_t)id);
    ts_hash_word(&h, key);
    return (size_t)ts_hash_end(&h) & o->mask;
}

/* The slot of the list of this id and class, or a free one. */
static size_t find_both(const ts_ctx *ctx, const older *o, int64_t id, uint32_t key)
{
    size_t at = slot_of_both(ctx, o, id, key);
    for (; o->slots[at] != 0; at = (at + 1) & o->mask) {
        uint32_t other = o->slots[at] - 1;
        if (o->id[other] == id && o->key[other] == key) {
            break;
        }
    }
    return at;
}

/* With ids that come again: lists of the nodes of one id and class, from the last to the first. */
static ts_code index_both(hg *g, older *o)
{
    ts_ctx *ctx = g->ctx;
    TS_NEED(ctx, o->next = hg_take(g, o->base->g.n, sizeof *o->next));
    memset(o->slots, 0, (o->mask + 1) * sizeof *o->slots);
    for (uint32_t v = o->base->g.n; v-- > 0;) {
        if (hg_bit(o->known, v) && o->size[v] > 0) {
            size_t at = find_both(ctx, o, o->id[v], o->key[v]);
            o->next[v] = o->slots[at];
            o->slots[at] = v + 1;
        }
    }
    return TS_OK;
}

/* The old node that a new one of this id and class is, or HG_NONE. Each is met once: the first of a
 * list stays as its name, those after it are taken out. */
static uint32_t meet_both(const ts_ctx *ctx, const older *o, int64_t id, uint32_t key)
{
    uint32_t head = o->slots[find_both(ctx, o, id, key)];
    uint32_t next;
    if (head == 0 || !hg_bit(o->met, head - 1)) {
        return head == 0 ? HG_NONE : head - 1;
    }
    next = o->next[head - 1];
    if (next == 0) {
        return HG_NONE;
    }
    o->next[head - 1] = o->next[next - 1];
    return next - 1;
}

/* --- nodes ---------------------------------------------------------------------------------- */

typedef struct comparing {
    ts_heap_evidence e; /* whether files of different inputs are of one run */
    hg *g;
    older *o;
    const ts_vec *rows; /* of g */
    hg_change *sums;    /* by key */
    uint32_t *previous;
    unsigned pass; /* 0: nodes of the same id; 1: what is new, when ids come again */
} comparing;

static hg_change *sum_of(const comparing *k, uint32_t key)
{
    return &k->sums[key];
}

/* Id 0 is that of several roots of ArkTS, which are in the same places in all files. */
static uint32_t same_place(const older *o, uint32_t v)
{
    return v < o->base->g.n && hg_bit(o->known, v) && o->id[v] == 0 ? v : HG_NONE;
}

static void take_new(comparing *k, bool known, int64_t id, uint32_t v)
{
    const hg_class *rows = k->rows->p;
    hg *g = k->g;
    older *o = k->o;
    uint32_t key = rows[g->class[v]].key;
    uint32_t old = HG_NONE;
    int64_t size = hg_size(&g->size, v);
    if (k->pass == 0) {
        k->previous[v] = !known ? HG_NONE : id != 0 ? find_id(g->ctx, o, id) : same_place(o, v);
        old = k->previous[v];
        if (known) {
            ts_heap_note(&k->e, id, old != HG_NONE,
                         old != HG_NONE && o->key[old] == key && o->size[old] == size);
        }
    } else if (known && size > 0) {
        old = meet_both(g->ctx, o, id, key);
    }
    if (size == 0 || (k->pass == 0 && o->twice)) {
        return;
    }
    if (old != HG_NONE && o->size[old] > 0 && o->key[old] == key && !hg_bit(o->met, old)) {
        hg_set(o->met, old);
        return;
    }
    sum_of(k, key)->new_count++;
    hg_add(g, &sum_of(k, key)->new_size, size);
}

static ts_code take_ids(void *user, const hg_range *r)
{
    comparing *k = user;
    for (unsigned i = 0; i < r->n; i++) {
        take_new(k, r->b->columns[0].null[i] == 0, r->b->columns[0].ints[i], (uint32_t)r->at + i);
    }
    return TS_OK;
}

static ts_code read_new(comparing *k, unsigned pass)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__id};
    hg *g = k->g;
    k->pass = pass;
    for (uint32_t v = 0; v < g->n && g->ids != NULL; v++) {
        take_new(k, (g->flags[v] & HG_NO_ID) == 0, g->ids[v], v);
    }
    return g->ids != NULL
               ? TS_OK
               : hg_each(g, TS_T_js_heap_nodes, columns, 1, g->d.first_node, g->n, take_ids, k);
}

static void add_deleted(comparing *k)
{
    const older *o = k->o;
    for (uint32_t v = 0; v < o->base->g.n; v++) {
        if (o->size[v] > 0 && !hg_bit(o->met, v)) {
            sum_of(k, o->key[v])->deleted_count++;
            hg_add(k->g, &sum_of(k, o->key[v])->deleted_size, o->size[v]);
        }
    }
}

static ts_code put_change(comparing *k, ts_vec *changes, uint32_t key)
{
    hg_change *sum = sum_of(k, key);
    hg_change *made;
    if (sum->new_count == 0 && sum->deleted_count == 0) {
        return TS_OK;
    }
    TS_NEED(k->g->ctx, made = ts_vec_add(k->g->ctx, changes, sizeof *made));
    *made = *sum;
    made->key = key;
    sum->new_count = sum->deleted_count = 0; /* once */
    return TS_OK;
}

/* The classes of the newer file in their order, then those that only the older one has. */
static ts_code list_changes(comparing *k, ts_vec *changes)
{
    const hg_class *rows = k->rows->p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < k->rows->n && code == TS_OK; i++) {
        code = put_change(k, changes, rows[i].key);
    }
    for (uint32_t v = 0; v < k->o->base->g.n && code == TS_OK; v++) {
        code = put_change(k, changes, k->o->key[v]);
    }
    return code;
}

/* *related: false: the files are of different runs, and nothing is found out. */
static ts_code compare_nodes(bool *related, comparing *k, ts_vec *changes, hg_classes *c,
                             bool same_input)
{
    ts_ctx *ctx = k->g->ctx;
    const bool saturated = k->g->saturated;
    ts_code code = TS_OK;
    TS_NEED(ctx, k->sums = ts_zalloc(ctx, c->keys.n, sizeof *k->sums));
    index_ids(ctx, k->o);
    k->e.last_old = last_id(k->o);
    code = read_new(k, 0);
    *related = same_input || ts_heap_comparable(&k->e);
    if (code == TS_OK && !*related) {
        k->g->saturated = saturated;
        return TS_OK;
    }
    TS_STEP_IF(code, k->o->twice && (code = index_both(k->g, k->o)) == TS_OK, read_new(k, 1));
    if (code != TS_OK) {
        return code;
    }
    add_deleted(k);
    return list_changes(k, changes);
}

static ts_code old_prepare(older *o, hg *g)
{
    ts_ctx *ctx = g->ctx;
    size_t n = o->base->g.n;
    o->mask = 63;
    while (o->mask < n * 3 / 2) {
        o->mask = o->mask * 2 + 1;
    }
    o->id = hg_take(g, n, sizeof *o->id);
    o->size = hg_take(g, n, sizeof *o->size);
    o->key = hg_take(g, n, sizeof *o->key);
    o->known = ts_zalloc(ctx, n / 64 + 1, sizeof *o->known);
    o->met = ts_zalloc(ctx, n / 64 + 1, sizeof *o->met);
    o->slots = hg_take(g, o->mask + 1, sizeof *o->slots);
    if (o->id == NULL || o->size == NULL || o->key == NULL || o->known == NULL || o->met == NULL ||
        o->slots == NULL) {
        return ctx->error.code;
    }
    memset(o->slots, 0, (o->mask + 1) * sizeof *o->slots);
    return TS_OK;
}

ts_code hg_compare(uint32_t **previous, ts_vec *changes, hg *g, const ts_vec *rows, hg_base *base,
                   hg_classes *c, const hg_definitions *definitions, bool same_input)
{
    static const unsigned columns[] = {TS_C_js_heap_retained__node_id,
                                       TS_C_js_heap_retained__constructor_id,
                                       TS_C_js_heap_retained__shallow_size};
    bool related = false;
    ts_ctx *ctx = g->ctx;
    older o = {.base = base};
    comparing k = {.g = g, .o = &o, .rows = rows};
    uint32_t *texts = NULL;
    ts_code code = old_prepare(&o, g);
    if (code == TS_OK) {
        k.previous = hg_take(g, g->n, sizeof *k.previous);
        code = k.previous == NULL ? ctx->error.code : old_texts(&texts, g, base, definitions);
    }
    old_pass old = {&o, c, texts, 0};
    TS_STEP(code, hg_each(g, TS_T_js_heap_retained, columns, 3, base->first_retained, base->g.n,
                          read_old, &old));
    TS_STEP(code, compare_nodes(&related, &k, changes, c, same_input));
    if (!related) {
        HG_GIVE(g, k.previous);
    }
    *previous = k.previous;
    ts_free(ctx, k.sums);
    ts_free(ctx, texts);
    hg_give(g, o.id);
    hg_give(g, o.size);
    hg_give(g, o.key);
    ts_free(ctx, o.known);
    ts_free(ctx, o.met);
    hg_give(g, o.slots);
    hg_give(g, o.next);
    return code;
}

/* --- the next file's base ------------------------------------------------------------------- */

ts_code hg_base_keep(hg_base *base, hg *g, ts_vec *rows, int64_t input)
{
    uint64_t *plain = ts_zalloc(g->ctx, g->n / 64 + 1, sizeof *plain);
    TS_NEED(g->ctx, plain);
    for (uint32_t v = 0; v < g->n; v++) {
        if ((g->flags[v] & HG_PLAIN_OBJECT) != 0) {
            hg_set(plain, v);
        }
    }
    *base = (hg_base){.there = true, .input = input, .plain = plain, .rows = *rows};
    base->g = (hg){.ctx = g->ctx, .reader = g->reader, .d = g->d, .n = g->n};
    base->g.strings.count = g->strings.count;
    base->g.strings.bits = g->strings.bits;
    base->g.shapes = g->shapes;
    g->strings.bits = NULL;
    g->shapes = (hg_shapes){0};
    *rows = (ts_vec){0};
    return TS_OK;
}

void hg_base_free(hg_base *base)
{
    if (!base->there) {
        return;
    }
    ts_free(base->g.ctx, base->plain);
    ts_vec_free(base->g.ctx, &base->rows);
    hg_free(&base->g);
    *base = (hg_base){0};
}
