/*
 * Plain objects are distinguished by their properties: lists of names that are frequent become
 * definitions, and an object belongs to the largest of them whose names it has.
 */
#include "analysis/heap/classes.h"

#include "base/alloc.h"
#include "base/json_out.h"

#include <stdlib.h>

enum { WIDTH = 120, SHARE = 1000 };

/* Objects whose first properties make the same text. */
typedef struct candidate {
    uint64_t hash[2];
    uint32_t shape; /* of the first of them */
    uint32_t names; /* of that shape: the first ones */
    uint64_t objects;
    uint32_t order;
} candidate;

/* How many names the text of a shape takes. */
static uint32_t names_shown(const hg_strings *s, const uint32_t *names, uint32_t count)
{
    unsigned length = 1;
    uint32_t n = 0;
    for (; n < count; n++) {
        unsigned more = names[n] == HG_NONE ? 0 : s->length[names[n]];
        if (length > 1 && length + more > WIDTH) {
            break;
        }
        length += (length == 1 ? 0 : 2) + more;
    }
    return n;
}

/* Of the text: empty names at its beginning leave no trace. */
static void hash_names(candidate *made, ts_ctx *ctx, const hg_strings *s, const uint32_t *names)
{
    ts_hash h = ts_hash_begin(&ctx->hash_key);
    uint32_t i = 0;
    while (i < made->names && (names[i] == HG_NONE || (s->bits[names[i]] & HG_TEXT_EMPTY) != 0)) {
        i++;
    }
    for (; i < made->names; i++) {
        ts_hash_word(&h, names[i]);
    }
    made->hash[0] = ts_hash_end(&h);
    made->hash[1] = ts_hash_more(&h);
}

static bool is_candidate(const void *owner, uint32_t number, const void *key)
{
    const candidate *all = ((const ts_vec *)owner)->p;
    return memcmp(all[number].hash, key, sizeof all[number].hash) == 0;
}

static ts_code find_candidates(ts_vec *found, hg *g)
{
    const hg_shape *shapes = g->shapes.shapes.p;
    const uint32_t *names = g->shapes.names.p;
    ts_index index = {0};
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < g->shapes.shapes.n && code == TS_OK; i++) {
        candidate made = {.shape = i, .objects = shapes[i].objects, .order = i};
        ts_index_place place;
        if (shapes[i].count == 0 || (code = ts_index_reserve(g->ctx, &index)) != TS_OK) {
            continue;
        }
        made.names = names_shown(&g->strings, names + shapes[i].first, shapes[i].count);
        hash_names(&made, g->ctx, &g->strings, names + shapes[i].first);
        uint32_t at = ts_index_search(&place, &index, made.hash[0], is_candidate, found, made.hash);
        if (at != TS_INDEX_NONE) {
            ((candidate *)found->p)[at].objects += made.objects;
            continue;
        }
        candidate *new = ts_vec_add(g->ctx, found, sizeof *new);
        if (new == NULL) {
            code = g->ctx->error.code;
        } else {
            *new = made;
            ts_index_add(&index, place, (uint32_t)found->n - 1);
        }
    }
    ts_index_free(g->ctx, &index);
    return code;
}

static int by_count(const void *a, const void *b)
{
    const candidate *x = a;
    const candidate *y = b;
    if (x->objects != y->objects) {
        return x->objects > y->objects ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

/* --- texts ---------------------------------------------------------------------------------- */

static ts_code put_name(ts_ctx *ctx, ts_buf *out, ts_text name)
{
    bool quoted = false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        quoted = quoted || c == ',' || c == '\'' || c == '"' || c == '{' || c == '}';
    }
    return quoted ? ts_json_quote(ctx, out, name, TS_JOUT_LETTERS)
                  : ts_buf_put(ctx, out, name.p, name.n);
}

/* The text of string `name` of the file. */
static ts_code name_text(ts_text *out, ts_buf *buf, hg *g, uint32_t name)
{
    const ts_batch *b;
    buf->n = 0;
    *out = (ts_text){"", 0};
    if (name == HG_NONE || (g->strings.bits[name] & HG_TEXT_KNOWN) == 0) {
        return TS_OK;
    }
    TS_TRY(hg_string_row(&b, g, name));
    TS_TRY(hg_whole_text(g->ctx, buf, g->texts, b, 0));
    *out = ts_buf_text(buf);
    return TS_OK;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static ts_code add_definition(hg_definitions *d, hg *g, hg_classes *c, const candidate *from)
{
    const hg_shape *shape = (const hg_shape *)g->shapes.shapes.p + from->shape;
    const uint32_t *names = (const uint32_t *)g->shapes.names.p + shape->first;
    hg_definition *made = ts_vec_add(g->ctx, &d->all, sizeof *made);
    ts_buf text = {0};
    ts_buf buf = {0};
    ts_code code = made == NULL ? g->ctx->error.code : ts_buf_putc(g->ctx, &text, '{');
    if (made != NULL) {
        *made = (hg_definition){(uint32_t)d->names.n, from->names, 0};
    }
    for (uint32_t i = 0; i < from->names && code == TS_OK; i++) {
        ts_text name = {"", 0};
        uint32_t *number = ts_vec_add(g->ctx, &d->names, sizeof *number);
        code = number == NULL ? g->ctx->error.code : name_text(&name, &buf, g, names[i]);
        TS_STEP_IF(code, text.n > 1, ts_buf_put(g->ctx, &text, ", ", 2));
        TS_STEP_IF(code, (code = put_name(g->ctx, &text, name)) == TS_OK,
                   ts_pool_intern(g->ctx, number, NULL, &d->pool, name));
        if (code == TS_OK && names[i] != HG_NONE) {
            d->own[names[i]] = *number;
        }
    }
    if (code == TS_OK && (code = ts_buf_putc(g->ctx, &text, '}')) == TS_OK) {
        code = ts_pool_intern(g->ctx, &made->text, NULL, &c->texts, ts_buf_text(&text));
        qsort((uint32_t *)d->names.p + made->first, made->count, sizeof(uint32_t), ascending);
    }
    ts_buf_free(g->ctx, &text);
    ts_buf_free(g->ctx, &buf);
    return code;
}

/* --- finding definitions -------------------------------------------------------------------- */

/* The name of a definition that fewest definitions have: the definition is looked for at it. */
static uint32_t rarest(const hg_definitions *d, const hg_definition *in, const uint32_t *uses)
{
    const uint32_t *names = (const uint32_t *)d->names.p + in->first;
    uint32_t best = names[0];
    for (uint32_t i = 1; i < in->count; i++) {
        best = uses[names[i]] < uses[best] ? names[i] : best;
    }
    return best;
}

static ts_code index_definitions(hg_definitions *d, ts_ctx *ctx)
{
    const hg_definition *all = d->all.p;
    const uint32_t *names = d->names.p;
    size_t n = d->pool.count;
    uint32_t *uses = ts_zalloc(ctx, n + 1, sizeof *uses);
    d->begin = ts_zalloc(ctx, n + 2, sizeof *d->begin);
    d->at = ts_zalloc(ctx, d->all.n + 1, sizeof *d->at);
    if (uses == NULL || d->begin == NULL || d->at == NULL) {
        ts_free(ctx, uses);
        return ctx->error.code;
    }
    for (size_t i = 0; i < d->names.n; i++) {
        uses[names[i]]++;
    }
    for (size_t i = 0; i < d->all.n; i++) {
        d->begin[rarest(d, &all[i], uses) + 2]++;
    }
    for (size_t i = 1; i < n + 2; i++) {
        d->begin[i] += d->begin[i - 1];
    }
    for (uint32_t i = 0; i < d->all.n; i++) {
        d->at[d->begin[rarest(d, &all[i], uses) + 1]++] = i;
    }
    ts_free(ctx, uses);
    return TS_OK;
}

static ts_code definitions_of(hg_definitions *d, hg *g, hg_classes *c, const ts_vec *found)
{
    const candidate *all = found->p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < found->n && code == TS_OK; i++) {
        if (all[i].objects < 2 || all[i].objects < (g->shapes.objects.n + SHARE - 1) / SHARE) {
            break;
        }
        code = add_definition(d, g, c, &all[i]);
    }
    return code;
}

ts_code hg_define(hg_definitions *d, hg *g, hg_classes *c)
{
    ts_vec found = {0};
    ts_code code = TS_OK;
    TS_NEED(g->ctx, d->own = ts_alloc(g->ctx, g->strings.count, sizeof *d->own));
    memset(d->own, 0xff, g->strings.count * sizeof *d->own);
    code = ts_pool_intern(g->ctx, &d->object_text, NULL, &c->texts, TS_TEXT_LIT("Object"));
    TS_STEP(code, find_candidates(&found, g));
    if (code == TS_OK && found.n > 0) {
        qsort(found.p, found.n, sizeof(candidate), by_count);
        code = definitions_of(d, g, c, &found);
    }
    ts_vec_free(g->ctx, &found);
    TS_STEP(code, index_definitions(d, g->ctx));
    return code;
}

void hg_definitions_free(ts_ctx *ctx, hg_definitions *d)
{
    ts_pool_free(ctx, &d->pool);
    ts_vec_free(ctx, &d->all);
    ts_vec_free(ctx, &d->names);
    ts_free(ctx, d->begin);
    ts_free(ctx, d->at);
    ts_free(ctx, d->own);
    *d = (hg_definitions){0};
}

/* --- objects -------------------------------------------------------------------------------- */

/* Both are sorted. */
static bool contained(const uint32_t *few, uint32_t few_n, const uint32_t *many, uint32_t many_n)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < few_n; i++) {
        while (k < many_n && many[k] < few[i]) {
            k++;
        }
        if (k >= many_n || many[k] != few[i]) {
            return false;
        }
        k++;
    }
    return true;
}

/* names: numbers of d->pool, sorted. */
static uint32_t class_of(const hg_definitions *d, const uint32_t *names, uint32_t n)
{
    const hg_definition *all = d->all.p;
    const uint32_t *own = d->names.p;
    uint32_t best = HG_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && names[i] == names[i - 1]) {
            continue;
        }
        for (uint32_t k = d->begin[names[i]]; k < d->begin[names[i] + 1]; k++) {
            const hg_definition *other = &all[d->at[k]];
            uint32_t most = best == HG_NONE ? 0 : all[best].count;
            bool better =
                best == HG_NONE || other->count > most || (other->count == most && d->at[k] < best);
            if (better && contained(own + other->first, other->count, names, n)) {
                best = d->at[k];
            }
        }
    }
    return best == HG_NONE ? d->object_text : all[best].text;
}

ts_code hg_shape_classes(uint32_t *texts, ts_ctx *ctx, const hg_definitions *d,
                         const hg_shapes *shapes, const uint32_t *name_of)
{
    const hg_shape *all = shapes->shapes.p;
    const uint32_t *names = shapes->names.p;
    uint32_t longest = 0;
    uint32_t *sorted;
    ts_code code = TS_OK;
    uint32_t empty = HG_NONE;
    (void)ts_pool_find(&empty, &d->pool, (ts_text){"", 0});
    for (size_t i = 0; i < shapes->shapes.n; i++) {
        longest = all[i].count > longest ? all[i].count : longest;
    }
    TS_NEED(ctx, sorted = ts_alloc(ctx, longest, sizeof *sorted));
    for (size_t i = 0; i < shapes->shapes.n && code == TS_OK; i++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < all[i].count; k++) {
            uint32_t string = names[all[i].first + k];
            uint32_t name = string == HG_NONE ? empty : name_of[string];
            if (name != HG_NONE) {
                sorted[n++] = name;
            }
        }
        qsort(sorted, n, sizeof *sorted, ascending);
        texts[i] = class_of(d, sorted, n);
        code = hg_poll(ctx, (uint32_t)i);
    }
    ts_free(ctx, sorted);
    return code;
}

typedef struct names_pass {
    const hg *g;
    const hg_definitions *d;
    uint32_t *names;
    ts_buf buf;
} names_pass;

static ts_code take_names(void *user, const hg_range *r)
{
    names_pass *p = user;
    ts_code code = TS_OK;
    for (unsigned i = 0; i < r->n && code == TS_OK; i++) {
        uint32_t string = (uint32_t)r->at + i;
        ts_text text = ts_cell_text(r->b, 0, i);
        if ((p->g->strings.bits[string] & HG_TEXT_PROPERTY) == 0) {
            continue;
        }
        if (text.n < r->b->columns[0].texts[i].size) {
            p->buf.n = 0;
            code = hg_whole_text(p->g->ctx, &p->buf, r->scan, r->b, i);
            text = ts_buf_text(&p->buf);
        }
        if (code == TS_OK && !ts_pool_find(&p->names[string], &p->d->pool, text)) {
            p->names[string] = HG_NONE;
        }
    }
    return code;
}

ts_code hg_names_of(uint32_t **name_of, hg *g, const hg_definitions *d)
{
    static const unsigned columns[] = {TS_C_js_heap_string__string};
    names_pass p = {.g = g, .d = d};
    TS_NEED(g->ctx, *name_of = p.names = ts_alloc(g->ctx, g->strings.count, sizeof *p.names));
    memset(p.names, 0xff, g->strings.count * sizeof *p.names);
    ts_code code = hg_each(g, TS_T_js_heap_string, columns, 1, g->d.first_string,
                           d->all.n == 0 ? 0 : g->strings.count, take_names, &p);
    ts_buf_free(g->ctx, &p.buf);
    return code;
}
