/* The classes of a heap file as v_js_class_histogram has them, and those of two files. */
#include "base/alloc.h"
#include "base/buf.h"
#include "model/heaps.h"
#include "model/sort_by.h"

#include <stdio.h>

#define NO_KEY INT64_MIN /* of a node without a class */

static void classes_free(ts_ctx *ctx, void *what)
{
    ts_heap_classes *c = what;
    ts_pool_free(ctx, &c->texts);
    ts_vec_free(ctx, &c->classes);
    ts_idmap_free(ctx, &c->by_key);
    ts_free(ctx, c->by_size);
    ts_free(ctx, c->by_count);
    ts_free(ctx, c->by_text);
    ts_free(ctx, c);
}

/* --- what nodes of a class have --------------------------------------------------------------- */

/* The index of the name, or -1 - type for types that are one class (as in js_snapshot_diff.sql). */
static int64_t class_key(const ts_heap_file *f, ts_cell type, ts_cell name)
{
    const char *text = ts_heap_type(&f->node_types, type);
    if (text == NULL) {
        return NO_KEY;
    }
    if (strcmp(text, TS_HEAP_NODE_OBJECT) == 0 || strcmp(text, TS_HEAP_NODE_NATIVE) == 0) {
        return name.null || name.value < 0 ? NO_KEY : name.value;
    }
    return -1 - type.value;
}

uint32_t ts_heap_class_of(const ts_heap_classes *c, const ts_heap_file *f, ts_cell type,
                          ts_cell name)
{
    uint64_t class;
    return ts_idmap_find(&class, &c->by_key, class_key(f, type, name)) ? (uint32_t) class
                                                                       : TS_NO_INDEX;
}

ts_text ts_heap_class_text(const ts_heap_classes *c, uint32_t class)
{
    ts_text text = ts_pool_text(&c->texts, class);
    return text.p[0] == 0 ? TS_TEXT_NULL : (ts_text){text.p + 1, text.n - 1};
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct classes_pass {
    ts_ctx *ctx;
    const ts_heap_file *file;
    ts_heap_classes *c;
    ts_rows *strings;
    ts_buf text; /* as it is in the pool */
} classes_pass;

static ts_code class_text_is(classes_pass *p, const char *before, ts_text text, const char *after)
{
    ts_code code = ts_buf_printf(p->ctx, &p->text, "\1%s", before);
    TS_STEP(code, ts_buf_put(p->ctx, &p->text, text.p, text.n));
    TS_STEP(code, ts_buf_printf(p->ctx, &p->text, "%s", after));
    return code;
}

/* A string of the file. */
static ts_code class_text_named(classes_pass *p, int64_t name)
{
    const ts_batch *b;
    if (name >= p->file->at.string_count) {
        return TS_OK;
    }
    ts_code code = ts_rows_one(&b, p->strings, p->file->at.first_string + name);
    if (code != TS_OK || b->rows != 1 || b->columns[0].null[0] != 0 ||
        b->columns[0].ints[0] != name || b->columns[1].null[0] != 0) {
        return code;
    }
    if (b->columns[1].texts[0].size > b->columns[1].texts[0].n) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "the name of a class is longer than 64 KiB");
    }
    return class_text_is(p, "", ts_cell_text(b, 1, 0), "");
}

static ts_code class_text(classes_pass *p, ts_cell type, int64_t key)
{
    const char *name = ts_heap_type(&p->file->node_types, type);
    ts_code code = TS_OK;
    p->text.n = 0;
    if (key >= 0) {
        code = class_text_named(p, key);
    } else if (key != NO_KEY && strcmp(name, "code") == 0) {
        code = class_text_is(p, "(compiled code)", TS_TEXT_LIT(""), "");
    } else if (key != NO_KEY && strcmp(name, TS_HEAP_EDGE_HIDDEN) == 0) { /* of nodes as well */
        code = class_text_is(p, "(system)", TS_TEXT_LIT(""), "");
    } else if (key != NO_KEY) {
        code = class_text_is(p, "(", ts_text_of(name), ")");
    }
    TS_STEP_IF(code, p->text.n == 0, ts_buf_putc(p->ctx, &p->text, 0));
    return code;
}

static ts_code class_find(uint32_t *class, classes_pass *p, ts_cell type, ts_cell name)
{
    int64_t key = class_key(p->file, type, name);
    uint64_t known;
    bool added;
    if (ts_idmap_find(&known, &p->c->by_key, key)) {
        *class = (uint32_t)known;
        return TS_OK;
    }
    ts_code code = class_text(p, type, key);
    TS_STEP(code, ts_pool_intern(p->ctx, class, &added, &p->c->texts, ts_buf_text(&p->text)));
    TS_STEP_IF(code, added && ts_vec_add(p->ctx, &p->c->classes, sizeof(ts_heap_class)) == NULL,
               p->ctx->error.code);
    TS_STEP(code, ts_idmap_put(p->ctx, &p->c->by_key, key, *class));
    return code;
}

enum { C_TYPE, C_NAME, C_COUNT, C_SIZE };

static ts_code classes_row(void *user, const ts_batch *b, unsigned i)
{
    classes_pass *p = user;
    uint32_t class = 0;
    TS_TRY(class_find(&class, p, ts_cell_of(b, C_TYPE, i), ts_cell_of(b, C_NAME, i)));
    ts_heap_class *c = (ts_heap_class *)p->c->classes.p + class;
    ts_cell count = ts_cell_of(b, C_COUNT, i);
    ts_cell size = ts_cell_of(b, C_SIZE, i);
    c->has_count = c->has_count || !count.null;
    c->has_size = c->has_size || !size.null;
    c->count += count.value;
    c->size += size.value;
    return TS_OK;
}

/* --- orders ----------------------------------------------------------------------------------- */

static int by_text(const void *user, uint32_t a, uint32_t b)
{
    return ts_text_order(ts_heap_class_text(user, a), ts_heap_class_text(user, b));
}

/* NULL is less than all numbers. */
static int by_number(bool has_a, ts_wide a, bool has_b, ts_wide b)
{
    return has_a != has_b ? has_b - has_a : (a < b) - (a > b);
}

static int by_size(const void *user, uint32_t a, uint32_t b)
{
    const ts_heap_class *all = ((const ts_heap_classes *)user)->classes.p;
    return by_number(all[a].has_size, all[a].size, all[b].has_size, all[b].size);
}

static int by_count(const void *user, uint32_t a, uint32_t b)
{
    const ts_heap_class *all = ((const ts_heap_classes *)user)->classes.p;
    return by_number(all[a].has_count, all[a].count, all[b].has_count, all[b].count);
}

/* Sorted by text first: the other orders keep it where their numbers are equal. */
static ts_code classes_sort(ts_heap_classes *c, ts_ctx *ctx)
{
    size_t n = c->classes.n;
    if ((c->by_text = ts_alloc(ctx, n, sizeof *c->by_text)) == NULL ||
        (c->by_size = ts_alloc(ctx, n, sizeof *c->by_size)) == NULL ||
        (c->by_count = ts_alloc(ctx, n, sizeof *c->by_count)) == NULL) {
        return ctx->error.code;
    }
    for (size_t i = 0; i < n; i++) {
        c->by_text[i] = (uint32_t)i;
    }
    ts_code code = ts_sort_by(ctx, c->by_text, n, by_text, c);
    if (code == TS_OK) {
        memcpy(c->by_size, c->by_text, n * sizeof *c->by_size);
        memcpy(c->by_count, c->by_text, n * sizeof *c->by_count);
        code = ts_sort_by(ctx, c->by_size, n, by_size, c);
    }
    TS_STEP(code, ts_sort_by(ctx, c->by_count, n, by_count, c));
    return code;
}

static ts_code classes_build(void **what, ts_model *m, const void *user)
{
    static const unsigned columns[] = {TS_C_js_heap_class__type, TS_C_js_heap_class__name,
                                       TS_C_js_heap_class__count, TS_C_js_heap_class__self_size};
    static const unsigned strings[] = {TS_C_js_heap_string__file_index,
                                       TS_C_js_heap_string__string};
    const ts_heap_file *f = user;
    ts_ctx *ctx = ts_model_ctx(m);
    ts_heap_classes *c = ts_zalloc(ctx, 1, sizeof *c);
    classes_pass p = {.ctx = ctx, .file = f, .c = c};
    *what = c;
    TS_NEED(ctx, c);
    ts_code code = ts_rows_open(&p.strings, ts_model_rows(m), TS_T_js_heap_string, strings, 2);
    TS_STEP(code, ts_heap_each(m, TS_T_js_heap_class, f->at.first_class, f->at.class_count, columns,
                               4, "reading classes", classes_row, &p));
    ts_rows_close(p.strings);
    ts_buf_free(ctx, &p.text);
    TS_STEP(code, classes_sort(c, ctx));
    return code;
}

ts_code ts_heap_classes_get(const ts_heap_classes **out, ts_model *m, const ts_heap_file *f)
{
    char key[32];
    void *what;
    (void)snprintf(key, sizeof key, "%lld", (long long)f->at.file_id);
    ts_code code = ts_model_keep(&what, m, "classes", key, classes_build, classes_free, f);
    *out = what;
    return code;
}

ts_code ts_heap_pairs_make(ts_vec *pairs, ts_ctx *ctx, const ts_heap_classes *const sides[2])
{
    const ts_heap_classes *a = sides[0];
    const ts_heap_classes *b = sides[1];
    size_t i = 0;
    size_t k = 0;
    while (i < a->classes.n || k < b->classes.n) {
        ts_text x = i < a->classes.n ? ts_heap_class_text(a, a->by_text[i]) : TS_TEXT_NULL;
        ts_text y = k < b->classes.n ? ts_heap_class_text(b, b->by_text[k]) : TS_TEXT_NULL;
        int order = i == a->classes.n ? 1 : k == b->classes.n ? -1 : ts_text_order(x, y);
        ts_heap_pair *row = ts_vec_add(ctx, pairs, sizeof *row);
        TS_NEED(ctx, row);
        *row = (ts_heap_pair){
            {order <= 0 ? a->by_text[i] : TS_NO_INDEX, order >= 0 ? b->by_text[k] : TS_NO_INDEX},
            order <= 0 ? x : y};
        i += order <= 0;
        k += order >= 0;
    }
    return TS_OK;
}
