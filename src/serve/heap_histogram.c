/* GET heap/classes: the rows of v_js_class_histogram. */
#include "serve/heap_private.h"

#include <stdio.h>

/* --- what is kept ----------------------------------------------------------------------------- */

static void classes_free(ts_ctx *ctx, void *what)
{
    ts_heap_classes *c = what;
    ts_pool_free(ctx, &c->texts);
    ts_vec_free(ctx, &c->classes);
    ts_vec_free(ctx, &c->keys);
    ts_free(ctx, c->by_size);
    ts_free(ctx, c->by_count);
    ts_free(ctx, c->by_text);
    ts_free(ctx, c);
}

typedef struct classes_pass {
    ts_view_call *call;
    const ts_heap_file *file;
    ts_heap_classes *c;
    ts_rows *strings;
    ts_idmap by_name;  /* name of objects: class + 1, so that each text is read once */
    uint32_t *of_text; /* class of each text; grows with the pool */
    size_t of_text_cap;
    uint32_t null_class; /* + 1; 0: none yet */
} classes_pass;

static ts_code class_add(uint32_t *class, classes_pass *p, uint32_t text)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    ts_heap_class *made = ts_vec_add(ctx, &p->c->classes, sizeof *made);
    if (made == NULL) {
        return ctx->error.code;
    }
    made->text = text;
    *class = (uint32_t)p->c->classes.n - 1;
    return TS_OK;
}

static ts_code class_of_text(uint32_t *class, classes_pass *p, ts_text text)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    uint32_t id;
    bool added;
    if (text.p == NULL) {
        ts_code code = TS_OK;
        if (p->null_class == 0 && (code = class_add(class, p, TS_NO_INDEX)) == TS_OK) {
            p->null_class = *class + 1;
        }
        *class = p->null_class - 1;
        return code;
    }
    ts_code code = ts_pool_intern(ctx, &id, &added, &p->c->texts, text);
    if (code != TS_OK || !added) {
        *class = code == TS_OK ? p->of_text[id] : 0;
        return code;
    }
    if (id >= p->of_text_cap) {
        size_t cap = 2 * (size_t)id + 256;
        uint32_t *more = ts_realloc(ctx, p->of_text, cap, sizeof *more);
        if (more == NULL) {
            return ctx->error.code;
        }
        p->of_text = more;
        p->of_text_cap = cap;
    }
    if ((code = class_add(class, p, id)) == TS_OK) {
        p->of_text[id] = *class;
    }
    return code;
}

/* The class whose text is a string of the file. */
static ts_code class_of_name(uint32_t *class, classes_pass *p, ts_cell name)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    ts_text text = TS_TEXT_NULL;
    const ts_batch *b;
    uint64_t known;
    if (name.null || name.value < 0 || name.value >= p->file->string_count) {
        return class_of_text(class, p, text);
    }
    if (ts_idmap_find(&known, &p->by_name, name.value)) {
        *class = (uint32_t)known;
        return TS_OK;
    }
    ts_code code = ts_rows_one(&b, p->strings, p->file->first_string + name.value);
    if (code != TS_OK) {
        return code;
    }
    if (b->rows == 1 && !b->columns[0].null[0] && b->columns[0].ints[0] == name.value &&
        !b->columns[1].null[0]) {
        if (b->columns[1].texts[0].size > b->columns[1].texts[0].n) {
            return ts_fail(ctx, TS_ERR_LIMIT, "the name of a class is longer than 64 KiB");
        }
        text = (ts_text){b->columns[1].texts[0].p, b->columns[1].texts[0].n};
    }
    code = class_of_text(class, p, text);
    return code == TS_OK ? ts_idmap_put(ctx, &p->by_name, name.value, *class) : code;
}

static ts_code class_find(uint32_t *class, classes_pass *p, ts_cell type, ts_cell name)
{
    char text[TS_HEAP_TYPE_NAME + 2];
    const char *type_name = ts_heap_type(&p->file->node_types, type);
    if (type_name == NULL) {
        return class_of_text(class, p, TS_TEXT_NULL);
    }
    if (strcmp(type_name, TS_HEAP_NODE_OBJECT) == 0 ||
        strcmp(type_name, TS_HEAP_NODE_NATIVE) == 0) {
        return class_of_name(class, p, name);
    }
    if (strcmp(type_name, "code") == 0) {
        return class_of_text(class, p, TS_TEXT_LIT("(compiled code)"));
    }
    if (strcmp(type_name, TS_HEAP_EDGE_HIDDEN) == 0) { /* a type of nodes as well */
        return class_of_text(class, p, TS_TEXT_LIT("(system)"));
    }
    int n = snprintf(text, sizeof text, "(%s)", type_name);
    return class_of_text(class, p, (ts_text){text, (size_t)n});
}

enum { C_TYPE, C_NAME, C_COUNT, C_SIZE };

static ts_code classes_row(classes_pass *p, const ts_batch *b, unsigned i)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    uint32_t class = 0;
    ts_cell type = ts_cell_of(b, C_TYPE, i);
    ts_cell name = ts_cell_of(b, C_NAME, i);
    ts_code code = class_find(&class, p, type, name);
    ts_heap_key *key = code == TS_OK ? ts_vec_add(ctx, &p->c->keys, sizeof *key) : NULL;
    if (key == NULL) {
        return ctx->error.code;
    }
    *key = (ts_heap_key){.type = type, .name = name, .class = class};
    ts_heap_class *c = (ts_heap_class *)p->c->classes.p + class;
    ts_cell count = ts_cell_of(b, C_COUNT, i);
    ts_cell size = ts_cell_of(b, C_SIZE, i);
    c->has_count = c->has_count || !count.null;
    c->has_size = c->has_size || !size.null;
    c->count += count.value;
    c->size += size.value;
    return TS_OK;
}

ts_text ts_heap_class_text(const ts_heap_classes *c, uint32_t class)
{
    uint32_t text = ((const ts_heap_class *)c->classes.p)[class].text;
    return text == TS_NO_INDEX ? TS_TEXT_NULL : ts_pool_text(&c->texts, text);
}

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
    return code == TS_OK ? ts_sort_by(ctx, c->by_count, n, by_count, c) : code;
}

static ts_code classes_scan(classes_pass *p)
{
    static const unsigned columns[] = {TS_C_js_heap_class__type, TS_C_js_heap_class__name,
                                       TS_C_js_heap_class__count, TS_C_js_heap_class__self_size};
    static const unsigned strings[] = {TS_C_js_heap_string__file_index,
                                       TS_C_js_heap_string__string};
    const ts_rows_from from = ts_view_rows(p->call);
    const ts_batch *b;
    ts_rows *rows = NULL;
    int64_t left = p->file->class_count;
    ts_code code = ts_rows_open(&rows, &from, TS_T_js_heap_class, columns, 4);
    if (code == TS_OK) {
        code = ts_rows_open(&p->strings, &from, TS_T_js_heap_string, strings, 2);
    }
    if (code == TS_OK) {
        code = ts_rows_seek(rows, p->file->first_class);
    }
    while (code == TS_OK && left > 0 && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; code == TS_OK && i < b->rows && left > 0; i++) {
            left = p->file->class_count - (b->rowids[i] - p->file->first_class);
            code = left > 0 ? classes_row(p, b, i) : TS_OK;
            left--;
        }
        ts_view_report(p->call, "reading classes",
                       (uint64_t)(left < 0 ? 0 : p->file->class_count - left),
                       (uint64_t)p->file->class_count);
    }
    ts_rows_close(rows);
    ts_rows_close(p->strings);
    return code;
}

static ts_code classes_build(void **what, ts_view_call *call, const void *user)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_heap_classes *c = ts_zalloc(ctx, 1, sizeof *c);
    classes_pass p = {.call = call, .file = user, .c = c};
    *what = c;
    if (c == NULL) {
        return ctx->error.code;
    }
    ts_code code = classes_scan(&p);
    if (code == TS_OK) {
        code = classes_sort(c, ctx);
    }
    ts_idmap_free(ctx, &p.by_name);
    ts_free(ctx, p.of_text);
    return code;
}

ts_code ts_heap_classes_get(const ts_heap_classes **out, ts_view_call *call, const ts_heap_file *f)
{
    char key[32];
    void *what;
    (void)snprintf(key, sizeof key, "%lld", (long long)f->file_id);
    ts_code code = ts_keep(&what, call, "classes", key, classes_build, classes_free, f);
    *out = what;
    return code;
}

/* --- heap/classes ----------------------------------------------------------------------------- */

enum { P_FILE, P_SORT, P_ORDER, P_FILTER, P_OFFSET, P_LIMIT };

const ts_view_param ts_heap_classes_params[] = {
    TS_PARAM_FILE,
    {.name = "sort", .type = TS_VIEW_CHOICE, .choices = "self_size,count,class", .doc = "column"},
    {.name = "order",
     .type = TS_VIEW_CHOICE,
     .choices = "default,reverse",
     .doc = "default: largest first, texts rising"},
    TS_PARAM_FILTER,
    TS_PARAMS_PAGE(10000, 200, "rows"),
    {.name = NULL}};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool ts_text_has(ts_text text, ts_text part)
{
    for (size_t at = 0; at + part.n <= text.n && text.p != NULL; at++) {
        size_t i = 0;
        while (i < part.n && lower(text.p[at + i]) == lower(part.p[i])) {
            i++;
        }
        if (i == part.n) {
            return true;
        }
    }
    return part.n == 0;
}

static void put_number(ts_jout *out, bool known, ts_wide value)
{
    if (known) {
        ts_wide_put(out, NULL, value);
    } else {
        ts_jout_null(out, NULL);
    }
}

static void put_class(ts_jout *out, const ts_heap_classes *c, uint32_t class)
{
    const ts_heap_class *one = (const ts_heap_class *)c->classes.p + class;
    ts_jout_open(out, NULL, '[');
    ts_view_text(out, NULL, ts_heap_class_text(c, class));
    put_number(out, one->has_count, one->count);
    put_number(out, one->has_size, one->size);
    ts_jout_uint(out, NULL, class);
    ts_jout_close(out, ']');
}

ts_code ts_heap_classes_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_jout *out = call->out;
    const ts_heap_classes *c = NULL;
    ts_heap_file *f = ts_alloc(ctx, 1, sizeof *f);
    ts_code code = f == NULL ? ctx->error.code
                             : ts_heap_file_read(f, call, ts_view_value_of(call, P_FILE)->number);
    if (code == TS_OK) {
        code = ts_heap_classes_get(&c, call, f);
    }
    ts_free(ctx, f);
    if (code != TS_OK) {
        return code;
    }
    const uint32_t *orders[] = {c->by_size, c->by_count, c->by_text};
    const uint32_t *order = orders[ts_view_value_of(call, P_SORT)->number];
    bool reverse = ts_view_value_of(call, P_ORDER)->number == 1;
    ts_text filter = ts_view_value_of(call, P_FILTER)->text;
    const ts_page page = ts_view_page(call, P_OFFSET);
    const ts_heap_class *all = c->classes.p;
    ts_wide count = 0;
    ts_wide size = 0;
    uint64_t row = 0;
    ts_jout_open(out, NULL, '{');
    ts_heap_columns(out, "class,count,self_size,id");
    ts_jout_open(out, "rows", '[');
    for (size_t i = 0; i < c->classes.n; i++) {
        uint32_t class = order[reverse ? c->classes.n - 1 - i : i];
        if (!ts_text_has(ts_heap_class_text(c, class), filter)) {
            continue;
        }
        count += all[class].count;
        size += all[class].size;
        if (row >= page.first && row < page.end) {
            put_class(out, c, class);
        }
        row++;
    }
    ts_jout_close(out, ']');
    ts_jout_uint(out, "row_count", row);
    ts_wide_put(out, "count", count);
    ts_wide_put(out, "self_size", size);
    ts_jout_close(out, '}');
    return TS_OK;
}
