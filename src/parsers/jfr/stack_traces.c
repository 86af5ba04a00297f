/* Stack traces of pools become call paths, their methods rows of stack_method. */
#include "parsers/jfr/resolve.h"

#include "base/frame_names.h"

/* Scratch of the recording: the columns of a method. */
enum { PART_CLASS, PART_PACKAGE, PART_MODULE, PART_NAME, PART_DESCRIPTOR, PART_MODIFIERS };

static ts_buf *part(const jfr_chunk *c, unsigned i)
{
    return &c->rec->parts[i];
}

static ts_text part_text(const jfr_chunk *c, unsigned i)
{
    return part(c, i)->n == 0 ? TS_TEXT_NULL : ts_buf_text(part(c, i));
}

/* --- methods -------------------------------------------------------------------------------- */

static ts_code put_part(jfr_chunk *c, unsigned i, const jfr_value *v)
{
    bool null;
    return jfr_plain_text(&null, c, part(c, i), v);
}

/* Package and module, of the entry of the package. */
static ts_code package_parts(jfr_chunk *c, const jfr_value *v)
{
    jfr_value values[JFR_SLOTS];
    jfr_value module;
    const jfr_entry *entry = jfr_entry_of(c, v);
    ts_code code = TS_OK;
    if (entry == NULL ||
        !jfr_entry_values(values, c, v->cls, entry, jfr_package_wishes, NULL, &code)) {
        return TS_OK;
    }
    if (code != TS_OK || (code = put_part(c, PART_PACKAGE, &values[PACKAGE_NAME])) != TS_OK) {
        return code;
    }
    for (size_t i = 0; i < part(c, PART_PACKAGE)->n; i++) {
        char *p = part(c, PART_PACKAGE)->p + i;
        *p = *p == '/' ? '.' : *p;
    }
    module = values[PACKAGE_MODULE];
    entry = jfr_entry_of(c, &module);
    if (entry != NULL &&
        jfr_entry_values(values, c, module.cls, entry, jfr_module_wishes, NULL, &code) &&
        code == TS_OK) {
        code = put_part(c, PART_MODULE, &values[MODULE_NAME]);
    }
    return code;
}

/* Class, package and module, of the entry of the class. */
static ts_code class_parts(jfr_chunk *c, const jfr_value *v)
{
    jfr_value values[JFR_SLOTS];
    const jfr_entry *entry = jfr_entry_of(c, v);
    ts_buf *raw = &c->rec->other;
    ts_buf *cls = part(c, PART_CLASS);
    ts_buf *package = part(c, PART_PACKAGE);
    bool null;
    ts_code code = TS_OK;
    if (entry == NULL ||
        !jfr_entry_values(values, c, v->cls, entry, jfr_class_wishes, NULL, &code)) {
        return TS_OK;
    }
    raw->n = 0;
    if (code != TS_OK || (code = jfr_plain_text(&null, c, raw, &values[CLASS_NAME])) != TS_OK ||
        (code = ts_java_class(c->ctx, cls, ts_buf_text(raw))) != TS_OK ||
        (code = package_parts(c, &values[CLASS_PACKAGE])) != TS_OK) {
        return code;
    }
    if (package->n == 0) {
        ts_text bare;
        ts_text text;
        ts_java_split(&text, &bare, ts_buf_text(cls));
        code = text.p == NULL ? TS_OK : ts_buf_put(c->ctx, package, text.p, text.n);
    }
    if (code == TS_OK && package->n > 0 && cls->n > package->n + 1 &&
        memcmp(cls->p, package->p, package->n) == 0 && cls->p[package->n] == '.') {
        cls->n -= package->n + 1;
        memmove(cls->p, cls->p + package->n + 1, cls->n);
    }
    return code;
}

/*
 * Frames that are no Java: the recorder puts the name of a symbol where the method stands, and the
 * library where the class does.
 */
static bool is_native(const jfr_chunk *c)
{
    return ts_text_is(ts_buf_text(part(c, PART_DESCRIPTOR)), "()L;") || part(c, PART_CLASS)->n == 0;
}

static ts_code put_method(int64_t *id, jfr_chunk *c, bool kernel)
{
    ts_method m = {.name = part_text(c, PART_NAME), .signature = part_text(c, PART_DESCRIPTOR)};
    if (is_native(c)) {
        m.signature = TS_TEXT_NULL;
        m.library = kernel ? TS_TEXT_LIT("Kernel") : ts_buf_text(&c->rec->other);
        m.library = m.library.n == 0 ? TS_TEXT_NULL : m.library;
    } else {
        m.cls = part_text(c, PART_CLASS);
        m.package = part_text(c, PART_PACKAGE);
        m.modifiers = part_text(c, PART_MODIFIERS);
        m.library = ts_java_library(m.package, part_text(c, PART_MODULE));
    }
    return ts_stack_method(id, c->rec->store, c->rec->source_id, &m);
}

static ts_code is_kernel(bool *kernel, jfr_chunk *c, const jfr_value *type)
{
    bool null;
    ts_buf *text = &c->rec->other;
    ts_code code;
    text->n = 0;
    code = jfr_plain_text(&null, c, text, type);
    *kernel = ts_text_is(ts_buf_text(text), "Kernel");
    return code;
}

static ts_code resolve_method(int64_t *id, jfr_chunk *c, const jfr_value *v, const jfr_entry *entry,
                              const jfr_value *type)
{
    jfr_value values[JFR_SLOTS];
    int64_t bits;
    bool kernel;
    ts_code code = is_kernel(&kernel, c, type);
    *id = 0;
    if (code != TS_OK ||
        !jfr_entry_values(values, c, v->cls, entry, jfr_method_wishes, NULL, &code) ||
        code != TS_OK) {
        return code;
    }
    for (unsigned i = 0; i < JFR_PARTS; i++) {
        part(c, i)->n = 0;
    }
    c->rec->other.n = 0;
    if ((code = put_part(c, PART_NAME, &values[METHOD_NAME])) != TS_OK ||
        (code = put_part(c, PART_DESCRIPTOR, &values[METHOD_DESCRIPTOR])) != TS_OK ||
        (code = class_parts(c, &values[METHOD_TYPE])) != TS_OK) {
        return code;
    }
    if (jfr_value_int(&bits, &values[METHOD_MODIFIERS])) {
        code = ts_java_modifiers(c->ctx, part(c, PART_MODIFIERS), bits);
    }
    return code == TS_OK ? put_method(id, c, kernel) : code;
}

static ts_code method_of(int64_t *id, jfr_chunk *c, const jfr_value *v, const jfr_value *type)
{
    jfr_entry *entry = jfr_entry_of(c, v);
    ts_code code = TS_OK;
    *id = 0;
    if (entry == NULL) {
        /* A frame of an unknown method is a frame: the others keep their places. */
        const ts_method unknown = {.name = TS_TEXT_NULL};
        return ts_stack_method(id, c->rec->store, c->rec->source_id, &unknown);
    }
    if (!entry->known) {
        code = resolve_method(id, c, v, entry, type);
        entry->value = *id;
        entry->known = 1;
    }
    *id = entry->value;
    return code;
}

/* --- stacks --------------------------------------------------------------------------------- */

/* References without a class are none. */
typedef struct frame {
    int64_t method_key, type_key;
    uint32_t method_class, type_class;
    int64_t line;
} frame;

static void keep_reference(int64_t *key, uint32_t *cls, const jfr_value *v)
{
    *key = v->kind == JFR_V_REF ? v->i : 0;
    *cls = v->kind == JFR_V_REF ? v->cls : (uint32_t)JFR_NO_CLASS;
}

static jfr_value reference(int64_t key, uint32_t cls)
{
    return (jfr_value){.kind = cls == JFR_NO_CLASS ? JFR_V_NONE : JFR_V_REF, .cls = cls, .i = key};
}

static ts_code add_frame(void *user, const jfr_value *values)
{
    jfr_chunk *c = user;
    frame *f = ts_vec_add(c->ctx, &c->frames, sizeof *f);
    if (f == NULL) {
        return c->ctx->error.code;
    }
    keep_reference(&f->method_key, &f->method_class, &values[FRAME_METHOD]);
    keep_reference(&f->type_key, &f->type_class, &values[FRAME_TYPE]);
    if (!jfr_value_int(&f->line, &values[FRAME_LINE]) || f->line <= 0) {
        f->line = TS_NO_LINE;
    }
    return TS_OK;
}

/* The outermost frame stands last. */
static ts_code put_nodes(int64_t *node, jfr_chunk *c)
{
    const frame *frames = c->frames.p;
    ts_code code = TS_OK;
    *node = 0;
    for (size_t i = c->frames.n, depth = 0; i-- > 0 && code == TS_OK; depth++) {
        jfr_value method = reference(frames[i].method_key, frames[i].method_class);
        jfr_value type = reference(frames[i].type_key, frames[i].type_class);
        int64_t id;
        bool added;
        if ((code = method_of(&id, c, &method, &type)) == TS_OK) {
            code = ts_stack_node(node, &added, c->rec->store, c->rec->source_id, *node, id,
                                 frames[i].line, (int64_t)depth, NULL);
        }
    }
    return code;
}

ts_code jfr_value_stack(int64_t *node, bool *truncated, jfr_chunk *c, const jfr_value *v)
{
    jfr_value values[JFR_SLOTS];
    const jfr_element element = {add_frame, c, STACK_FRAMES};
    jfr_entry *entry = jfr_entry_of(c, v);
    int64_t flag;
    ts_code code = TS_OK;
    *node = 0;
    *truncated = false;
    if (entry == NULL) {
        return TS_OK;
    }
    if (!entry->known) {
        c->frames.n = 0;
        if (jfr_entry_values(values, c, v->cls, entry, jfr_stack_wishes, &element, &code) &&
            code == TS_OK) {
            (void)jfr_value_int(&flag, &values[STACK_TRUNCATED]);
            code = put_nodes(node, c);
            entry->value = *node * 2 + (flag != 0);
        }
        entry->known = 1;
    }
    *node = entry->value / 2;
    *truncated = entry->value % 2 != 0;
    return code;
}
