/* Stack traces of pools become call paths, their methods rows of stack_method. */
#include "parsers/jfr/chunk.h"

#include "tables/frame_names.h"

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
    jfr_value module = values[PACKAGE_MODULE];
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
 * Frames that are no Java: the recorder puts the name of a symbol in the place of the method,
 * and the library in that of the class.
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
    text->n = 0;
    ts_code code = jfr_plain_text(&null, c, text, type);
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
    TS_TRY_INTO(code, put_part(c, PART_NAME, &values[METHOD_NAME]));
    TS_TRY_INTO(code, put_part(c, PART_DESCRIPTOR, &values[METHOD_DESCRIPTOR]));
    TS_TRY_INTO(code, class_parts(c, &values[METHOD_TYPE]));
    TS_STEP_IF(code, jfr_value_int(&bits, &values[METHOD_MODIFIERS]),
               ts_java_modifiers(c->ctx, part(c, PART_MODIFIERS), bits));
    TS_STEP(code, put_method(id, c, kernel));
    return code;
}

/* Methods are found by a table of the last ones first, which stays in the cache. */
static ts_code method_of(int64_t *id, jfr_chunk *c, const jfr_value *v, const jfr_value *type)
{
    uint64_t spread = (uint64_t)v->i * c->pools.random[1];
    jfr_recent *recent = &c->recent[(spread >> 48) % JFR_RECENT];
    ts_code code = TS_OK;
    if (recent->id != 0 && recent->key == v->i && recent->cls == v->cls && v->kind == JFR_V_REF) {
        *id = recent->id;
        return TS_OK;
    }
    jfr_entry *entry = jfr_entry_of(c, v);
    *id = 0;
    if (entry == NULL) {
        /* A frame of an unknown method is a frame: the others keep their places. */
        const ts_method unknown = {.name = TS_TEXT_NULL};
        return ts_stack_method(id, c->rec->store, c->rec->source_id, &unknown);
    }
    if (entry->known != JFR_KNOWN_METHOD) {
        code = resolve_method(id, c, v, entry, type);
        entry->value = *id;
        entry->known = JFR_KNOWN_METHOD;
    }
    *id = entry->value;
    *recent = (jfr_recent){v->i, v->cls, (uint32_t)*id};
    return code;
}

/* --- frames --------------------------------------------------------------------------------- */

/* As recorded. References without a class are none. */
typedef struct raw_frame {
    int64_t method_key, type_key;
    int64_t line, bytecode;
    uint32_t method_class, type_class;
} raw_frame;

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
    raw_frame *f = ts_vec_add(c->ctx, &c->frames, sizeof *f);
    TS_NEED(c->ctx, f);
    keep_reference(&f->method_key, &f->method_class, &values[FRAME_METHOD]);
    keep_reference(&f->type_key, &f->type_class, &values[FRAME_TYPE]);
    (void)jfr_value_int(&f->line, &values[FRAME_LINE]);
    if (!jfr_value_int(&f->bytecode, &values[FRAME_BYTECODE])) {
        f->bytecode = -1;
    }
    return TS_OK;
}

/* --- frames of varints ----------------------------------------------------------------------- */

/* The four varints of a frame, in any order. */
enum { RAW_METHOD, RAW_LINE, RAW_BYTECODE, RAW_TYPE, BLOCK = 32 };

/*
 * Finds out whether the class of stacks is a flag before frames of compressed integers, as that of
 * all known recorders: then its frames are read in one loop.
 */
static void make_layout(jfr_layout *layout, const jfr_chunk *c, const jfr_plan *plan)
{
    const jfr_step *steps = c->schema->plans.steps.p;
    uint32_t n = plan->reading.count;
    *layout = (jfr_layout){.made = true};
    if (n != 3 + JFR_LAYOUT) {
        return;
    }
    steps += plan->reading.first;
    if (steps[0].kind != JFR_OP_BOOLEAN || steps[0].slot != STACK_TRUNCATED ||
        steps[1].kind != JFR_STEP_LOOP || steps[1].slot != STACK_FRAMES ||
        steps[n - 1].kind != JFR_STEP_NEXT || steps[n - 1].n != 2) {
        return;
    }
    for (uint32_t i = 2; i < n - 1; i++) {
        const jfr_step *step = &steps[i];
        bool ref = step->kind == JFR_OP_REF;
        unsigned is = ref && step->slot == FRAME_METHOD                          ? RAW_METHOD
                      : ref && step->slot == FRAME_TYPE                          ? RAW_TYPE
                      : step->kind == JFR_OP_INT && step->slot == FRAME_LINE     ? RAW_LINE
                      : step->kind == JFR_OP_INT && step->slot == FRAME_BYTECODE ? RAW_BYTECODE
                                                                                 : BLOCK;
        if (is == BLOCK) {
            return;
        }
        layout->varints[is] = layout->n++;
        layout->method_class = is == RAW_METHOD ? step->cls : layout->method_class;
        layout->type_class = is == RAW_TYPE ? step->cls : layout->type_class;
    }
    layout->simple = c->compressed && layout->n == JFR_LAYOUT;
}

/* The frames of an entry, which has been walked over before: it is as long as it should be. */
static ts_code read_frames(bool *truncated, jfr_chunk *c, const jfr_entry *entry)
{
    const jfr_layout *layout = &c->schema->layout;
    jfr_reader r = {entry->p, entry->p + entry->n, true, false};
    raw_frame *f;
    *truncated = jfr_fixed(&r, 1) != 0;
    size_t n = jfr_count(&r);
    TS_TRY(ts_vec_reserve(c->ctx, &c->frames, n, sizeof *f));
    f = (raw_frame *)c->frames.p;
    c->frames.n = n;
    while (n > 0) {
        uint64_t varints[BLOCK * JFR_LAYOUT];
        size_t now = n < BLOCK ? n : BLOCK;
        jfr_read_varints(varints, now * JFR_LAYOUT, &r);
        for (size_t i = 0; i < now; i++, f++) {
            const uint64_t *v = varints + i * JFR_LAYOUT;
            *f = (raw_frame){
                .method_key = (int64_t)v[layout->varints[RAW_METHOD]],
                .type_key = (int64_t)v[layout->varints[RAW_TYPE]],
                .line = (int32_t)(uint32_t)v[layout->varints[RAW_LINE]],
                .bytecode = (int32_t)(uint32_t)v[layout->varints[RAW_BYTECODE]],
                .method_class = layout->method_class,
                .type_class = layout->type_class,
            };
        }
        n -= now;
    }
    return TS_OK;
}

/* --- stacks --------------------------------------------------------------------------------- */

static char letter_of(ts_text type)
{
    static const struct {
        const char *text;
        char letter;
    } letters[] = {
        {"Interpreted", 'I'}, {"JIT compiled", 'J'}, {"Inlined", 'L'},     {"Native", 'N'},
        {"C++", 'C'},         {"Kernel", 'K'},       {"C1 compiled", '1'},
    };
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (ts_text_is(type, letters[i].text)) {
            return letters[i].letter;
        }
    }
    return JFR_OTHER_TYPE;
}

/* The letter of a type of frames; those of small keys are remembered. */
static ts_code type_of(char *letter, jfr_chunk *c, const raw_frame *f)
{
    jfr_value type = reference(f->type_key, f->type_class);
    ts_buf *text = &c->rec->other;
    bool null;
    bool keep = f->type_class != JFR_NO_CLASS && f->type_key >= 0 &&
                f->type_key < JFR_FRAME_TYPES &&
                (c->letters_class == 0 || c->letters_class == f->type_class + 1);
    if (keep && c->letters[f->type_key] != '\0') {
        *letter = c->letters[f->type_key];
        return TS_OK;
    }
    text->n = 0;
    ts_code code = jfr_plain_text(&null, c, text, &type);
    *letter = null ? JFR_NO_TYPE : letter_of(ts_buf_text(text));
    if (keep) {
        c->letters[f->type_key] = *letter;
        c->letters_class = f->type_class + 1;
    }
    return code;
}

/* The outermost frame is last, and its method comes first. */
static ts_code resolve_frames(jfr_chunk *c)
{
    size_t n = c->frames.n;
    const raw_frame *raw = c->frames.p;
    jfr_frame *frames;
    ts_code code = TS_OK;
    c->resolved.n = 0;
    TS_TRY_INTO(code, ts_vec_reserve(c->ctx, &c->resolved, n, sizeof *frames));
    frames = c->resolved.p;
    c->resolved.n = n;
    for (size_t i = n; i-- > 0 && code == TS_OK;) {
        const raw_frame *f = &raw[i];
        jfr_value method = reference(f->method_key, f->method_class);
        jfr_value type = reference(f->type_key, f->type_class);
        bool index = f->bytecode >= 0 && f->bytecode <= INT32_MAX;
        int64_t id;
        if ((code = method_of(&id, c, &method, &type)) != TS_OK) {
            break;
        }
        frames[i] = (jfr_frame){.method = (uint32_t)id,
                                .bytecode = index ? (int32_t)f->bytecode : -1,
                                .line = f->line <= 0 ? TS_NO_LINE : f->line};
        code = type_of(&frames[i].type, c, f);
    }
    return code;
}

/* Its frames into c->frames. *is: its class is that of stacks. */
static ts_code read_stack(bool *is, bool *truncated, jfr_chunk *c, uint32_t cls,
                          const jfr_entry *entry)
{
    jfr_value values[JFR_SLOTS];
    const jfr_element element = {add_frame, c, STACK_FRAMES};
    const jfr_plan *plan = jfr_pool_plan(c, cls);
    int64_t flag = 0;
    ts_code code = TS_OK;
    *is = plan->wishes == jfr_stack_wishes;
    *truncated = false;
    c->frames.n = 0;
    if (*is && !c->schema->layout.made) {
        make_layout(&c->schema->layout, c, plan);
    }
    if (*is && c->schema->layout.simple) {
        return read_frames(truncated, c, entry);
    }
    if (*is && jfr_entry_values(values, c, cls, entry, jfr_stack_wishes, &element, &code) &&
        code == TS_OK) {
        (void)jfr_value_int(&flag, &values[STACK_TRUNCATED]);
        *truncated = flag != 0;
    }
    return code;
}

static ts_code resolve_stack(uint32_t *number, jfr_chunk *c, const jfr_value *v,
                             const jfr_entry *entry)
{
    bool is;
    bool truncated;
    ts_code code = read_stack(&is, &truncated, c, v->cls, entry);
    *number = 0;
    if (code != TS_OK || !is || (code = resolve_frames(c)) != TS_OK) {
        return code;
    }
    return jfr_stack_number(number, &c->rec->stacks, c->ctx, c->rec->store, c->rec->source_id,
                            c->resolved.p, c->resolved.n, truncated);
}

ts_code jfr_value_stack(int64_t *node, uint32_t *number, jfr_chunk *c, const jfr_value *v)
{
    jfr_entry *entry = jfr_entry_of(c, v);
    ts_code code = TS_OK;
    *node = 0;
    *number = 0;
    if (entry == NULL) {
        return TS_OK;
    }
    if (entry->known != JFR_KNOWN_STACK) {
        code = resolve_stack(number, c, v, entry);
        if (*number != 0) {
            *node = jfr_stack_at(&c->rec->stacks, *number)->node;
        }
        entry->value = (int64_t)((uint64_t)*node << 32 | *number);
        entry->known = JFR_KNOWN_STACK;
    }
    *number = (uint32_t)entry->value;
    *node = (int64_t)((uint64_t)entry->value >> 32);
    return code;
}
