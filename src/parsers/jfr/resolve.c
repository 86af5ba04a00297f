/* Values of events: references into pools become texts, threads, methods and stacks. */
#include "parsers/jfr/chunk.h"

#include "tables/frame_names.h"

/* --- what is wanted of the entries of pools --------------------------------------------------- */

static const jfr_wish jfr_symbol_wishes[] = {{"string", SYMBOL_STRING}};
const jfr_wish jfr_class_wishes[] = {{"name", CLASS_NAME}, {"package", CLASS_PACKAGE}};
const jfr_wish jfr_package_wishes[] = {{"name", PACKAGE_NAME}, {"module", PACKAGE_MODULE}};
const jfr_wish jfr_module_wishes[] = {{"name", MODULE_NAME}};
const jfr_wish jfr_method_wishes[] = {{"type", METHOD_TYPE},
                                      {"name", METHOD_NAME},
                                      {"descriptor", METHOD_DESCRIPTOR},
                                      {"modifiers", METHOD_MODIFIERS}};
static const jfr_wish jfr_thread_wishes[] = {
    {"osName", THREAD_OS_NAME},       {"osThreadId", THREAD_OS_ID}, {"javaName", THREAD_JAVA_NAME},
    {"javaThreadId", THREAD_JAVA_ID}, {"group", THREAD_GROUP},      {"virtual", THREAD_VIRTUAL}};
static const jfr_wish jfr_group_wishes[] = {{"name", GROUP_NAME}};
const jfr_wish jfr_stack_wishes[] = {{"frames.bytecodeIndex", FRAME_BYTECODE},
                                     {"truncated", STACK_TRUNCATED},
                                     {"frames", STACK_FRAMES},
                                     {"frames.method", FRAME_METHOD},
                                     {"frames.lineNumber", FRAME_LINE},
                                     {"frames.type", FRAME_TYPE}};

#define WISHES(list) list, sizeof(list) / sizeof(list)[0]

static const struct {
    const char *name;
    const jfr_wish *wishes;
    size_t n;
} wished[] = {
    {"jdk.types.Symbol", WISHES(jfr_symbol_wishes)},
    {"java.lang.Class", WISHES(jfr_class_wishes)},
    {"jdk.types.Package", WISHES(jfr_package_wishes)},
    {"jdk.types.Module", WISHES(jfr_module_wishes)},
    {"jdk.types.Method", WISHES(jfr_method_wishes)},
    {"java.lang.Thread", WISHES(jfr_thread_wishes)},
    {"jdk.types.ThreadGroup", WISHES(jfr_group_wishes)},
    {"jdk.types.StackTrace", WISHES(jfr_stack_wishes)},
    {"java.lang.String", WISHES(jfr_symbol_wishes)},
};

const jfr_wish *jfr_wishes_of(size_t *n, ts_text name)
{
    for (size_t i = 0; i < sizeof wished / sizeof wished[0]; i++) {
        if (ts_text_is(name, wished[i].name)) {
            *n = wished[i].n;
            return wished[i].wishes;
        }
    }
    *n = 0;
    return NULL;
}

jfr_entry *jfr_entry_of(jfr_chunk *c, const jfr_value *v)
{
    if (v->kind != JFR_V_REF) {
        return NULL;
    }
    jfr_entry *entry = jfr_pool_find(c, v->cls, (uint64_t)v->i);
    if (entry == NULL && v->i != 0) {
        c->rec->unresolved++;
    }
    return entry;
}

bool jfr_entry_values(jfr_value *values, const jfr_chunk *c, uint32_t cls, const jfr_entry *entry,
                      const jfr_wish *wishes, const jfr_element *element, ts_code *code)
{
    const jfr_plan *plan = jfr_pool_plan(c, cls);
    jfr_reader r = {entry->p, entry->p + entry->n, c->compressed, false};
    if (plan->wishes != wishes) {
        return false;
    }
    *code = jfr_plan_run(&r, &c->schema->plans, plan, values, element);
    return true;
}

/* --- numbers -------------------------------------------------------------------------------- */

bool jfr_value_int(int64_t *out, const jfr_value *v)
{
    *out = v->kind == JFR_V_INT ? v->i : 0;
    return v->kind == JFR_V_INT;
}

bool jfr_value_real(double *out, const jfr_value *v)
{
    *out = v->kind == JFR_V_REAL ? v->real : (double)v->i;
    return v->kind == JFR_V_REAL || v->kind == JFR_V_INT;
}

static int64_t times(int64_t v, int64_t unit)
{
    int64_t ns;
    return ts_ckd_mul(&ns, v, unit) ? TS_NO_TIME : ns;
}

int64_t jfr_value_time(const jfr_chunk *c, const jfr_value *v)
{
    if (v->kind != JFR_V_INT) {
        return TS_NO_TIME;
    }
    switch (v->unit) {
    case JFR_TIME_MS:
        return times(v->i, 1000000);
    case JFR_TIME_NS:
        return v->i;
    default:
        return jfr_ticks_time(c, v->i);
    }
}

/* The smallest and the largest value stand for none and for ever. */
int64_t jfr_value_span(const jfr_chunk *c, const jfr_value *v)
{
    if (v->kind != JFR_V_INT || v->i == INT64_MIN || v->i == INT64_MAX) {
        return TS_NO_TIME;
    }
    switch (v->unit) {
    case JFR_SPAN_TICKS:
        return jfr_ticks_span(c, v->i);
    case JFR_SPAN_US:
        return times(v->i, 1000);
    case JFR_SPAN_MS:
        return times(v->i, 1000000);
    case JFR_SPAN_S:
        return times(v->i, 1000000000);
    default:
        return v->i;
    }
}

/* --- texts ---------------------------------------------------------------------------------- */

/* The first value of an entry, whatever its name is: types such as GCCause have one only. */
static bool first_value(jfr_value *v, const jfr_chunk *c, uint32_t cls, const jfr_entry *entry)
{
    const jfr_plan *plan = jfr_pool_plan(c, cls);
    const jfr_op *ops = jfr_plan_ops(&c->schema->plans, plan);
    jfr_reader r = {entry->p, entry->p + entry->n, c->compressed, false};
    uint32_t i = 0;
    while (i < plan->count && ops[i].kind == JFR_OP_OPEN) {
        i++;
    }
    *v = (jfr_value){.kind = JFR_V_NONE};
    if (i < plan->count && ops[i].kind < JFR_OP_ARRAY) {
        jfr_op_read(v, &ops[i], &r);
    }
    return v->kind != JFR_V_NONE;
}

/* Entries refer to each other four times at most, so that a circle ends. */
ts_code jfr_plain_text(bool *null, jfr_chunk *c, ts_buf *out, const jfr_value *value)
{
    jfr_value v = *value;
    *null = true;
    for (unsigned level = 0; level < 5; level++) {
        if (v.kind == JFR_V_STRING && v.string.encoding != JFR_STRING_POOL) {
            *null = false;
            return jfr_string_put(c->ctx, out, &c->rec->replaced, &v.string, c->compressed);
        }
        if (v.kind == JFR_V_STRING) {
            uint64_t key = v.string.key;
            v = (jfr_value){.kind = JFR_V_REF, .cls = c->schema->string_class, .i = (int64_t)key};
        }
        if (v.kind != JFR_V_REF) {
            break;
        }
        const jfr_entry *entry = jfr_entry_of(c, &v);
        if (entry == NULL || !first_value(&v, c, v.cls, entry)) {
            return TS_OK;
        }
    }
    if (v.kind == JFR_V_INT) {
        *null = false;
        return ts_buf_decimal(c->ctx, out, v.i);
    }
    if (v.kind == JFR_V_REAL) {
        *null = false;
        return ts_buf_printf(c->ctx, out, "%.17g", v.real);
    }
    return TS_OK;
}

/* The recorded name of the class that v refers to, in `out`. */
static ts_code raw_class(bool *null, jfr_chunk *c, ts_buf *out, const jfr_value *v,
                         jfr_value *package)
{
    jfr_value values[JFR_SLOTS];
    const jfr_entry *entry = jfr_entry_of(c, v);
    ts_code code = TS_OK;
    *null = true;
    *package = (jfr_value){.kind = JFR_V_NONE};
    if (entry == NULL ||
        !jfr_entry_values(values, c, v->cls, entry, jfr_class_wishes, NULL, &code)) {
        return TS_OK;
    }
    *package = values[CLASS_PACKAGE];
    TS_STEP(code, jfr_plain_text(null, c, out, &values[CLASS_NAME]));
    return code;
}

static ts_code class_text(bool *null, jfr_chunk *c, ts_buf *out, const jfr_value *v)
{
    jfr_value package;
    ts_buf *raw = &c->rec->other;
    raw->n = 0;
    ts_code code = raw_class(null, c, raw, v, &package);
    TS_STEP_IF(code, !*null, ts_java_class(c->ctx, out, ts_buf_text(raw)));
    return code;
}

enum { SHORT_TEXT = 256 };

static bool refers_to(const jfr_chunk *c, const jfr_value *v, const jfr_wish *wishes)
{
    const jfr_class_use *use = v->kind == JFR_V_REF ? &c->schema->uses[v->cls] : NULL;
    return use != NULL && use->pool_planned && use->pool_plan != JFR_NO_PLAN &&
           jfr_pool_plan(c, v->cls)->wishes == wishes;
}

/* The text of an entry of a pool, which is kept when it is short: many events have the same. */
static ts_code entry_text(bool *null, jfr_chunk *c, ts_buf *out, const jfr_value *v)
{
    jfr_entry *entry = jfr_pool_find(c, v->cls, (uint64_t)v->i);
    size_t start = out->n;
    uint32_t number;
    if (entry != NULL && entry->known == JFR_KNOWN_TEXT) {
        ts_text text = ts_pool_text(&c->rec->names, (uint32_t)entry->value);
        *null = false;
        return ts_buf_put(c->ctx, out, text.p, text.n);
    }
    ts_code code = refers_to(c, v, jfr_class_wishes) ? class_text(null, c, out, v)
                                                     : jfr_plain_text(null, c, out, v);
    if (code == TS_OK && entry != NULL && !*null && out->n - start <= SHORT_TEXT) {
        code = ts_pool_intern(c->ctx, &number, NULL, &c->rec->names,
                              (ts_text){out->p == NULL ? "" : out->p + start, out->n - start});
        entry->value = number;
        entry->known = code == TS_OK ? JFR_KNOWN_TEXT : JFR_KNOWN_NOT;
    }
    return code;
}

ts_code jfr_value_text(bool *null, jfr_chunk *c, ts_buf *out, const jfr_value *v)
{
    if (refers_to(c, v, jfr_thread_wishes)) {
        int64_t itid;
        ts_code code = jfr_value_thread(&itid, c, v);
        *null = code != TS_OK || itid < 0;
        return *null ? code : jfr_thread_label(c->rec, out, itid);
    }
    if (v->kind == JFR_V_REF && !refers_to(c, v, jfr_method_wishes) &&
        !refers_to(c, v, jfr_stack_wishes)) {
        return entry_text(null, c, out, v);
    }
    return jfr_plain_text(null, c, out, v);
}

/* --- threads -------------------------------------------------------------------------------- */

static ts_code name_number(uint32_t *number, jfr_chunk *c, const jfr_value *v)
{
    bool null;
    ts_buf *text = &c->rec->other;
    text->n = 0;
    ts_code code = jfr_plain_text(&null, c, text, v);
    TS_STEP(code, ts_pool_intern(c->ctx, number, NULL, &c->rec->names, ts_buf_text(text)));
    return code;
}

static ts_code group_number(uint32_t *number, jfr_chunk *c, const jfr_value *v)
{
    jfr_value values[JFR_SLOTS];
    jfr_value none = {.kind = JFR_V_NONE};
    const jfr_entry *entry = jfr_entry_of(c, v);
    ts_code code = TS_OK;
    bool found =
        entry != NULL && jfr_entry_values(values, c, v->cls, entry, jfr_group_wishes, NULL, &code);
    TS_STEP(code, name_number(number, c, found ? &values[GROUP_NAME] : &none));
    return code;
}

static ts_code resolve_thread(int64_t *itid, jfr_chunk *c, const jfr_value *v,
                              const jfr_entry *entry)
{
    jfr_value values[JFR_SLOTS];
    jfr_thread thread = {.is_virtual = -1};
    int64_t flag;
    ts_code code = TS_OK;
    *itid = -1;
    if (!jfr_entry_values(values, c, v->cls, entry, jfr_thread_wishes, NULL, &code) ||
        code != TS_OK) {
        return code;
    }
    (void)jfr_value_int(&thread.os_tid, &values[THREAD_OS_ID]);
    (void)jfr_value_int(&thread.java_tid, &values[THREAD_JAVA_ID]);
    if (jfr_value_int(&flag, &values[THREAD_VIRTUAL])) {
        thread.is_virtual = flag != 0;
    }
    TS_TRY_INTO(code, name_number(&thread.os_name, c, &values[THREAD_OS_NAME]));
    TS_TRY_INTO(code, name_number(&thread.java_name, c, &values[THREAD_JAVA_NAME]));
    TS_TRY_INTO(code, group_number(&thread.group, c, &values[THREAD_GROUP]));
    return jfr_thread_find(itid, c->rec, &thread);
}

ts_code jfr_value_thread(int64_t *itid, jfr_chunk *c, const jfr_value *v)
{
    jfr_entry *entry = jfr_entry_of(c, v);
    ts_code code = TS_OK;
    *itid = -1;
    if (entry == NULL) {
        return TS_OK;
    }
    if (entry->known != JFR_KNOWN_THREAD) {
        code = resolve_thread(itid, c, v, entry);
        entry->value = *itid;
        entry->known = JFR_KNOWN_THREAD;
    }
    *itid = entry->value;
    return code;
}
