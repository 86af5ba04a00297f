/* The metadata event of a chunk. */
#include "parsers/jfr/plan.h"

#include "base/ckd.h"

/* Elements of the tree; others, such as settings, are passed over. */
typedef enum element_kind {
    AT_ROOT,
    AT_METADATA,
    AT_CLASS,
    AT_FIELD,
    AT_ANNOTATION,
    AT_OTHER
} element_kind;

typedef struct open_element {
    element_kind kind;
    size_t left; /* children that follow */
} open_element;

/* Of a field: resolved when all classes are known. */
typedef struct annotation {
    uint32_t field;
    uint64_t class_id;
    ts_text value;
} annotation;

typedef struct tree {
    ts_ctx *ctx;
    jfr_metadata *m;
    jfr_reader r;
    ts_vec open;        /* open_element */
    ts_vec annotations; /* annotation */
    const char *why;
} tree;

enum { MAX_DEPTH = 64, MAX_ANNOTATIONS = 1 << 20 };

void jfr_metadata_free(ts_ctx *ctx, jfr_metadata *m)
{
    ts_buf_free(ctx, &m->text);
    ts_vec_free(ctx, &m->strings);
    ts_vec_free(ctx, &m->classes);
    ts_vec_free(ctx, &m->fields);
    ts_idmap_free(ctx, &m->by_id);
}

uint32_t jfr_class_find(const jfr_metadata *m, uint64_t id)
{
    uint64_t number;
    return ts_idmap_find(&number, &m->by_id, (int64_t)id) ? (uint32_t)number : JFR_NO_CLASS;
}

/* --- strings -------------------------------------------------------------------------------- */

static ts_code read_strings(tree *t)
{
    size_t n = jfr_count(&t->r);
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK && !t->r.bad; i++) {
        jfr_string s;
        size_t before = t->m->text.n;
        ts_text *text = ts_vec_add(t->ctx, &t->m->strings, sizeof *text);
        TS_NEED(t->ctx, text);
        jfr_read_string(&s, &t->r);
        code = jfr_string_put(t->ctx, &t->m->text, &t->m->replaced, &s, t->r.compressed);
        text->n = t->m->text.n - before;
    }
    /* The texts stay where they are from here on. */
    size_t at = 0;
    for (size_t i = 0; i < t->m->strings.n && code == TS_OK; i++) {
        ts_text *text = (ts_text *)t->m->strings.p + i;
        text->p = text->n == 0 ? "" : t->m->text.p + at;
        at += text->n;
    }
    return code;
}

static ts_text next_text(tree *t)
{
    uint32_t i = (uint32_t)jfr_raw(&t->r, 4);
    if (i >= t->m->strings.n) {
        t->r.bad = true;
        return TS_TEXT_LIT("");
    }
    return ((const ts_text *)t->m->strings.p)[i];
}

/* --- elements ------------------------------------------------------------------------------- */

/* The attributes that matter of any element. */
typedef struct attributes {
    ts_text name, super, value;
    uint64_t id, type;
    bool has_id, has_type;
    bool pool, array;
} attributes;

static bool read_id(uint64_t *id, ts_text text)
{
    uint64_t v = 0;
    bool negative = text.n > 0 && text.p[0] == '-';
    size_t i = negative ? 1 : 0;
    if (i >= text.n || text.n > 20) {
        return false;
    }
    for (; i < text.n; i++) {
        unsigned digit = (unsigned)(text.p[i] - '0');
        if (digit > 9 || ts_ckd_mul(&v, v, UINT64_C(10)) || ts_ckd_add(&v, v, (uint64_t)digit)) {
            return false;
        }
    }
    *id = negative ? 0 - v : v;
    return true;
}

static void read_attributes(attributes *a, tree *t)
{
    size_t n = jfr_count(&t->r);
    *a = (attributes){.name = TS_TEXT_LIT(""), .super = TS_TEXT_LIT(""), .value = TS_TEXT_LIT("")};
    for (size_t i = 0; i < n && !t->r.bad; i++) {
        ts_text key = next_text(t);
        ts_text value = next_text(t);
        if (ts_text_is(key, "name")) {
            a->name = value;
        } else if (ts_text_is(key, "id")) {
            a->has_id = read_id(&a->id, value);
        } else if (ts_text_is(key, "class")) {
            a->has_type = read_id(&a->type, value);
        } else if (ts_text_is(key, "superType")) {
            a->super = value;
        } else if (ts_text_is(key, "constantPool")) {
            a->pool = ts_text_is(value, "true");
        } else if (ts_text_is(key, "dimension")) {
            a->array = !ts_text_is(value, "0");
        } else if (ts_text_is(key, "value") || ts_text_is(key, "value-0")) {
            a->value = value;
        }
    }
}

static uint8_t kind_of(ts_text name)
{
    static const struct {
        const char *name;
        jfr_kind kind;
    } kinds[] = {
        {"boolean", JFR_BOOLEAN}, {"byte", JFR_BYTE},     {"char", JFR_CHAR},
        {"short", JFR_SHORT},     {"int", JFR_INT},       {"long", JFR_LONG},
        {"float", JFR_FLOAT},     {"double", JFR_DOUBLE}, {"java.lang.String", JFR_STRING},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (ts_text_is(name, kinds[i].name)) {
            return (uint8_t)kinds[i].kind;
        }
    }
    return JFR_COMPOSITE;
}

static ts_code add_class(tree *t, const attributes *a)
{
    jfr_class *c = ts_vec_add(t->ctx, &t->m->classes, sizeof *c);
    TS_NEED(t->ctx, c);
    *c = (jfr_class){.id = a->id,
                     .name = a->name,
                     .super = a->super,
                     .first = (uint32_t)t->m->fields.n,
                     .kind = kind_of(a->name)};
    if (!a->has_id) {
        t->why = "a class has no id";
        t->r.bad = true;
        return TS_OK;
    }
    if (jfr_class_find(t->m, a->id) != JFR_NO_CLASS) {
        t->m->repeated++;
        return TS_OK;
    }
    return ts_idmap_put(t->ctx, &t->m->by_id, (int64_t)a->id, t->m->classes.n - 1);
}

static ts_code add_field(tree *t, const attributes *a)
{
    jfr_field *f = ts_vec_add(t->ctx, &t->m->fields, sizeof *f);
    TS_NEED(t->ctx, f);
    *f = (jfr_field){.name = a->name, .type_id = a->type, .pool = a->pool, .array = a->array};
    ((jfr_class *)t->m->classes.p)[t->m->classes.n - 1].count++;
    if (!a->has_type) {
        t->why = "a field has no class";
        t->r.bad = true;
    }
    return TS_OK;
}

static ts_code add_annotation(tree *t, const attributes *a)
{
    annotation *n;
    if (!a->has_type || t->annotations.n >= MAX_ANNOTATIONS) {
        return TS_OK;
    }
    TS_NEED(t->ctx, n = ts_vec_add(t->ctx, &t->annotations, sizeof *n));
    *n = (annotation){(uint32_t)t->m->fields.n - 1, a->type, a->value};
    return TS_OK;
}

static element_kind child_kind(element_kind parent, ts_text name)
{
    if (parent == AT_ROOT && ts_text_is(name, "metadata")) {
        return AT_METADATA;
    }
    if (parent == AT_METADATA && ts_text_is(name, "class")) {
        return AT_CLASS;
    }
    if (parent == AT_CLASS && ts_text_is(name, "field")) {
        return AT_FIELD;
    }
    return parent == AT_FIELD && ts_text_is(name, "annotation") ? AT_ANNOTATION : AT_OTHER;
}

static ts_code read_element(tree *t, bool root)
{
    open_element *above = root ? NULL : (open_element *)t->open.p + t->open.n - 1;
    ts_text name = next_text(t);
    element_kind kind = root ? AT_ROOT : child_kind(above->kind, name);
    attributes a;
    open_element *element;
    ts_code code = TS_OK;
    if (!root) {
        above->left--;
    }
    read_attributes(&a, t);
    size_t children = jfr_count(&t->r);
    if (t->r.bad) {
        return TS_OK;
    }
    if (kind == AT_CLASS) {
        code = add_class(t, &a);
    } else if (kind == AT_FIELD) {
        code = add_field(t, &a);
    } else if (kind == AT_ANNOTATION) {
        code = add_annotation(t, &a);
    }
    if (code != TS_OK || children == 0) {
        return code;
    }
    if (t->open.n >= MAX_DEPTH) {
        t->why = "elements are nested too deeply";
        t->r.bad = true;
        return TS_OK;
    }
    TS_NEED(t->ctx, element = ts_vec_add(t->ctx, &t->open, sizeof *element));
    *element = (open_element){kind, children};
    return TS_OK;
}

static ts_code read_tree(tree *t)
{
    ts_code code = read_element(t, true);
    while (code == TS_OK && !t->r.bad && t->open.n > 0) {
        const open_element *last = (const open_element *)t->open.p + t->open.n - 1;
        if (last->left == 0) {
            t->open.n--;
        } else {
            code = read_element(t, false);
        }
    }
    return code;
}

/* --- what refers to classes ----------------------------------------------------------------- */

static const struct {
    const char *annotation;
    const char *value; /* NULL: any */
    jfr_unit unit;
} units[] = {
    {"jdk.jfr.Timestamp", "TICKS", JFR_TIME_TICKS},
    {"jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH", JFR_TIME_MS},
    {"jdk.jfr.Timestamp", "NANOSECONDS_SINCE_EPOCH", JFR_TIME_NS},
    {"jdk.jfr.Timespan", "TICKS", JFR_SPAN_TICKS},
    {"jdk.jfr.Timespan", "NANOSECONDS", JFR_SPAN_NS},
    {"jdk.jfr.Timespan", "MICROSECONDS", JFR_SPAN_US},
    {"jdk.jfr.Timespan", "MILLISECONDS", JFR_SPAN_MS},
    {"jdk.jfr.Timespan", "SECONDS", JFR_SPAN_S},
    {"jdk.jfr.DataAmount", "BITS", JFR_BITS},
    {"jdk.jfr.DataAmount", NULL, JFR_BYTES},
    {"jdk.jfr.MemoryAmount", NULL, JFR_BYTES},
    {"jdk.jfr.Percentage", NULL, JFR_FRACTION},
    {"jdk.jfr.Frequency", NULL, JFR_HERTZ},
};

static void apply_annotation(jfr_metadata *m, const annotation *a)
{
    uint32_t cls = jfr_class_find(m, a->class_id);
    ts_text name = cls == JFR_NO_CLASS ? TS_TEXT_LIT("") : jfr_class_at(m, cls)->name;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (ts_text_is(name, units[i].annotation) &&
            (units[i].value == NULL || ts_text_is(a->value, units[i].value))) {
            ((jfr_field *)m->fields.p)[a->field].unit = (uint8_t)units[i].unit;
            return;
        }
    }
}

ts_code jfr_metadata_read(bool *bad, const char **why, ts_ctx *ctx, jfr_metadata *m, jfr_reader r)
{
    tree t = {.ctx = ctx, .m = m, .r = r, .why = "the event ends early or holds no such string"};
    (void)jfr_long(&t.r); /* start, duration, number of the metadata */
    (void)jfr_long(&t.r);
    (void)jfr_long(&t.r);
    ts_code code = read_strings(&t);
    TS_STEP_IF(code, !t.r.bad, read_tree(&t));
    for (size_t i = 0; i < m->fields.n && code == TS_OK; i++) {
        jfr_field *f = (jfr_field *)m->fields.p + i;
        f->cls = jfr_class_find(m, f->type_id);
    }
    for (size_t i = 0; i < t.annotations.n && code == TS_OK; i++) {
        apply_annotation(m, (const annotation *)t.annotations.p + i);
    }
    ts_vec_free(ctx, &t.open);
    ts_vec_free(ctx, &t.annotations);
    *bad = t.r.bad;
    *why = t.why;
    return code;
}
