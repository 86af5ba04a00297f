/* Classes of nodes by type, name and place, and what each of them holds. */
#include "analysis/heap/classes.h"

#include "base/alloc.h"

/* --- keys ----------------------------------------------------------------------------------- */

static uint64_t hash_key(const hg_classes *c, const hg_key *key)
{
    ts_hash h = ts_hash_begin(&c->index.key);
    ts_hash_word(&h, (uint64_t)key->text << 8 | (uint64_t)key->placed << 3 | key->null);
    for (unsigned i = 0; i < 3 && key->placed; i++) {
        ts_hash_word(&h, (uint64_t)key->place[i]);
    }
    return ts_hash_end(&h);
}

static bool is_key(const void *owner, uint32_t number, const void *key)
{
    const hg_key *a = (const hg_key *)((const hg_classes *)owner)->keys.p + number;
    const hg_key *b = key;
    return a->text == b->text && a->placed == b->placed && a->null == b->null &&
           (!a->placed || memcmp(a->place, b->place, sizeof a->place) == 0);
}

ts_code hg_class_key(uint32_t *key, hg_classes *c, const hg_key *wanted)
{
    ts_index_place place;
    TS_TRY(ts_index_reserve(c->ctx, &c->index));
    *key = ts_index_search(&place, &c->index, hash_key(c, wanted), is_key, c, wanted);
    if (*key == TS_INDEX_NONE) {
        hg_key *made = ts_vec_add(c->ctx, &c->keys, sizeof *made);
        TS_NEED(c->ctx, made);
        *made = *wanted;
        *key = (uint32_t)c->keys.n - 1;
        ts_index_add(&c->index, place, *key);
    }
    return TS_OK;
}

void hg_classes_free(hg_classes *c)
{
    ts_pool_free(c->ctx, &c->texts);
    ts_vec_free(c->ctx, &c->keys);
    ts_index_free(c->ctx, &c->index);
}

/* --- texts of classes ----------------------------------------------------------------------- */

/* Numbers of texts, by string and by type of node; HG_NONE: not known. */
typedef struct naming {
    hg *g;
    hg_classes *c;
    uint32_t *plain;    /* of strings: class of an object or native node of this name */
    uint32_t *detached; /* the same of a detached native node; NULL: there are none */
    uint32_t *types;
    ts_scan *places;    /* of js_heap_location, or NULL */
    uint32_t undefined; /* of types that are not in the list */
    uint32_t nameless;
    ts_buf buf;
    ts_vec local; /* uint32_t by key: row + 1 */
    ts_vec known; /* uint32_t by text: row + 1 of the class without a place */
    ts_code code;
} naming;

/* Names of elements end at their first space: "<div id=x>" is "<div>". */
static ts_code intern_class(uint32_t *text, naming *w, const char *prefix, ts_text name)
{
    static const char detached[] = "Detached <";
    size_t from = HG_NONE;
    w->buf.n = 0;
    TS_TRY(ts_buf_put(w->g->ctx, &w->buf, prefix, strlen(prefix)));
    TS_TRY(ts_buf_put(w->g->ctx, &w->buf, name.p, name.n));
    if (w->buf.n > 0 && w->buf.p[0] == '<') {
        from = 0;
    } else if (w->buf.n >= sizeof detached - 1 &&
               memcmp(w->buf.p, detached, sizeof detached - 1) == 0) {
        from = sizeof detached - 1;
    }
    const char *space = from < w->buf.n ? memchr(w->buf.p + from, ' ', w->buf.n - from) : NULL;
    if (space != NULL) {
        w->buf.n = (size_t)(space - w->buf.p);
        TS_TRY(ts_buf_putc(w->g->ctx, &w->buf, '>'));
    }
    return ts_pool_intern(w->g->ctx, text, NULL, &w->c->texts, ts_buf_text(&w->buf));
}

static void note_type(void *user, int64_t number, ts_text name)
{
    naming *w = user;
    ts_text text = {NULL, 0};
    switch (w->g->kinds[number]) {
    case HG_KIND_HIDDEN:
        text = TS_TEXT_LIT("(system)");
        break;
    case HG_KIND_CODE:
        text = TS_TEXT_LIT("(compiled code)");
        break;
    case HG_KIND_CLOSURE:
        text = TS_TEXT_LIT("Function");
        break;
    case HG_KIND_REGEXP:
        text = TS_TEXT_LIT("RegExp");
        break;
    default:
        w->buf.n = 0;
        TS_STEP(w->code, ts_buf_printf(w->g->ctx, &w->buf, "(%.*s)", (int)name.n, name.p));
        text = ts_buf_text(&w->buf);
        break;
    }
    TS_STEP(w->code, ts_pool_intern(w->g->ctx, &w->types[number], NULL, &w->c->texts, text));
}

/* The classes of nodes with this name. */
static ts_code name_string(naming *w, uint32_t string)
{
    const ts_batch *b = NULL;
    ts_buf long_text = {0};
    ts_text name;
    ts_code code;
    TS_TRY_INTO(code, hg_string_row(&b, w->g, string));
    if ((w->g->strings.bits[string] & HG_TEXT_KNOWN) == 0) {
        w->plain[string] = w->nameless;
        if (w->detached != NULL) {
            w->detached[string] = w->nameless;
        }
        return TS_OK;
    }
    name = ts_cell_text(b, 0, 0);
    if (name.n < b->columns[0].texts[0].size) {
        code = hg_whole_text(w->g->ctx, &long_text, w->g->texts, b, 0);
        name = ts_buf_text(&long_text);
    }
    TS_STEP(code, intern_class(&w->plain[string], w, "", name));
    TS_STEP_IF(code, w->detached != NULL, intern_class(&w->detached[string], w, HG_DETACHED, name));
    ts_buf_free(w->g->ctx, &long_text);
    return code;
}

/* Names of objects are few among the strings: pages without one are not read. */
static ts_code name_strings(naming *w)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < w->g->strings.count && code == TS_OK; i++) {
        code = (w->g->strings.bits[i] & HG_TEXT_CLASS) == 0 ? TS_OK : name_string(w, i);
    }
    return code;
}

static bool has_detached(const hg *g)
{
    for (uint32_t v = 0; v < g->n && g->has_detachedness; v++) {
        if (hg_kind(g->flags[v]) == HG_KIND_NATIVE && hg_detachedness(g->flags[v]) == 2) {
            return true;
        }
    }
    return false;
}

static ts_code prepare_names(naming *w)
{
    hg *g = w->g;
    ts_code code;
    size_t n = g->strings.count;
    w->plain = ts_alloc(g->ctx, n, sizeof *w->plain);
    w->types = ts_alloc(g->ctx, (size_t)g->d.type_count, sizeof *w->types);
    if (w->plain == NULL || w->types == NULL) {
        return g->ctx->error.code;
    }
    if (has_detached(g) && (w->detached = ts_alloc(g->ctx, n, sizeof *w->detached)) == NULL) {
        return g->ctx->error.code;
    }
    if ((code = ts_pool_intern(g->ctx, &w->undefined, NULL, &w->c->texts,
                               TS_TEXT_LIT("(undefined)"))) != TS_OK ||
        (code = ts_pool_intern(g->ctx, &w->nameless, NULL, &w->c->texts, TS_TEXT_LIT(""))) !=
            TS_OK ||
        (code = hg_read_types(g, g->d.first_info, g->d.type_count, w, note_type)) != TS_OK ||
        (code = w->code) != TS_OK) {
        return code;
    }
    return name_strings(w);
}

/* --- classes of nodes ----------------------------------------------------------------------- */

/* Places in the lists of locations, plain objects and far types, which are in the order of nodes.
 */
typedef struct places {
    size_t location, object, far_type;
} places;

static uint32_t text_of(const naming *w, places *at, uint32_t v)
{
    const hg *g = w->g;
    uint32_t flags = g->flags[v];
    uint32_t kind = hg_kind(flags);
    uint32_t name = g->name[v];
    uint32_t type = hg_type(flags);
    if (type == HG_NO_TYPE) {
        return w->undefined;
    }
    if (type == HG_FAR_TYPE) {
        type = ((const hg_far_type *)g->far_types.p)[at->far_type++].type;
    }
    if (kind != HG_KIND_OBJECT && kind != HG_KIND_NATIVE) {
        return w->types[type];
    }
    if (name == HG_NONE) {
        return w->nameless;
    }
    return kind == HG_KIND_NATIVE && w->detached != NULL && hg_detachedness(flags) == 2
               ? w->detached[name]
               : w->plain[name];
}

/* An entry of an array that grows with zeros. */
static ts_code entry_of(uint32_t **entry, ts_ctx *ctx, ts_vec *v, uint32_t at)
{
    TS_TRY(ts_vec_reach(ctx, v, at, sizeof **entry));
    *entry = (uint32_t *)v->p + at;
    return TS_OK;
}

/* The row of a class in this file, + 1. */
static ts_code class_row(uint32_t *row, ts_vec *rows, naming *w, const hg_key *key)
{
    uint32_t number = 0;
    uint32_t *entry;
    TS_TRY(hg_class_key(&number, w->c, key));
    TS_TRY(entry_of(&entry, w->g->ctx, &w->local, number));
    if (*entry == 0) {
        hg_class *made = ts_vec_add(w->g->ctx, rows, sizeof *made);
        TS_NEED(w->g->ctx, made);
        *made = (hg_class){.key = number, .distance = HG_NONE};
        *entry = (uint32_t)rows->n;
    }
    *row = *entry;
    return TS_OK;
}

static ts_code read_place(hg_key *key, naming *w, uint32_t row)
{
    const ts_batch *b;
    ts_code code = ts_scan_row(&b, w->places, w->g->d.first_location + row);
    if (code == TS_OK && b->rows != 1) {
        return hg_changed(w->g->ctx, TS_T_js_heap_location);
    }
    key->placed = true;
    key->null = 0;
    for (unsigned k = 0; k < 3 && code == TS_OK; k++) {
        key->place[k] = b->columns[k].ints[0];
        key->null |= (uint8_t)((b->columns[k].null[0] != 0) << k);
    }
    return code;
}

static ts_code classify_node(ts_vec *rows, naming *w, places *at, const uint32_t *shape_texts,
                             uint32_t v)
{
    hg *g = w->g;
    const hg_location *locations = g->locations.p;
    const uint32_t *objects = g->shapes.objects.p;
    hg_key key = {.text = text_of(w, at, v)};
    uint32_t row = 0;
    uint32_t *known;
    ts_code code;
    if ((g->flags[v] & HG_PLAIN_OBJECT) != 0) {
        key.text = shape_texts[objects[at->object++]];
    }
    while (at->location < g->locations.n && locations[at->location].node <= v) {
        const hg_location *l = &locations[at->location++];
        if (l->node == v && (code = read_place(&key, w, l->row)) != TS_OK) {
            return code;
        }
    }
    TS_TRY_INTO(code, entry_of(&known, g->ctx, &w->known, key.text));
    if (!key.placed && *known != 0) {
        g->class[v] = *known - 1;
        return TS_OK;
    }
    TS_TRY_INTO(code, class_row(&row, rows, w, &key));
    g->class[v] = row - 1;
    if (!key.placed) {
        *known = row;
    }
    return TS_OK;
}

ts_code hg_classify(ts_vec *rows, hg *g, hg_classes *c, const uint32_t *shape_texts)
{
    static const unsigned columns[] = {TS_C_js_heap_location__script_id,
                                       TS_C_js_heap_location__line, TS_C_js_heap_location__column};
    naming w = {.g = g, .c = c, .code = TS_OK};
    places at = {0};
    ts_code code = TS_OK;
    TS_NEED(g->ctx, g->class = hg_take(g, (size_t)g->n + 1, sizeof *g->class));
    code = prepare_names(&w);
    TS_STEP_IF(code, g->locations.n > 0,
               ts_scan_open(&w.places, g->reader, TS_T_js_heap_location, columns, 3));
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        code = classify_node(rows, &w, &at, shape_texts, v);
        TS_STEP(code, hg_poll(g->ctx, v));
    }
    ts_scan_close(w.places);
    ts_free(g->ctx, w.plain);
    ts_free(g->ctx, w.detached);
    ts_free(g->ctx, w.types);
    ts_vec_free(g->ctx, &w.local);
    ts_vec_free(g->ctx, &w.known);
    ts_buf_free(g->ctx, &w.buf);
    return code;
}

/* --- sums ----------------------------------------------------------------------------------- */

/* In the order of the tree: what a member holds is counted with the topmost one. */
static void add_retained(hg_class *rows, hg *g)
{
    enum { AHEAD = 24 };
    for (uint32_t p = 0; p < g->n; p++) {
        uint32_t v = g->at_position[p];
        if (g->n - p > AHEAD) {
            __builtin_prefetch(&g->class[g->at_position[p + AHEAD]]);
            __builtin_prefetch(&g->spans[g->at_position[p + AHEAD]]);
        }
        hg_class *c = &rows[g->class[v]];
        if (hg_counts(g, v) && p >= c->end) {
            hg_add(g, &c->retained, hg_retained(g, v));
            c->end = p + g->spans[v].count;
        }
    }
}

void hg_class_sums(ts_vec *rows, hg *g)
{
    hg_class *all = rows->p;
    for (uint32_t v = 0; v < g->n; v++) {
        hg_class *c = &all[g->class[v]];
        uint32_t distance = g->steps[v].distance;
        int64_t size = hg_size(&g->size, v);
        if (!hg_counts(g, v)) {
            continue;
        }
        hg_add(g, &c->shallow, size);
        /* Not reached is HG_NONE: less than every distance. */
        if (c->count == 0 ||
            (c->distance != HG_NONE && (distance == HG_NONE || distance < c->distance))) {
            c->distance = distance;
        }
        c->count++;
    }
    add_retained(all, g);
}
