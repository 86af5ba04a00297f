/* Rows of classes and fields, roots, objects and references. */
#include "parsers/hprof/hprof.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "tables/formats/quote.h"

/* --- classes -------------------------------------------------------------------------------- */

static const char *type_name(unsigned type)
{
#define TYPE(code, name) [HPROF_##code] = TS_QUOTE(name)
    static const char *const names[HPROF_TYPES] = {
        TYPE(OBJECT, object), TYPE(BOOLEAN, boolean), TYPE(CHAR, char),
        TYPE(FLOAT, float),   TYPE(DOUBLE, double),   TYPE(BYTE, byte),
        TYPE(SHORT, short),   TYPE(INT, int),         TYPE(LONG, long)};
#undef TYPE
    return names[type];
}

static uint32_t loader_of(const hprof_dump *d, const hprof_class *c)
{
    return c->loader == 0 ? d->boot_node : hprof_target_of(d, c->loader);
}

static void set_value(ts_row_java_heap_field *row, const hprof_dump *d, const hprof_field *field)
{
    uint32_t bits = (uint32_t)field->value;
    uint32_t target;
    double real = 0;
    float single;
    switch (field->type) {
    case HPROF_OBJECT:
        target = field->value == 0 ? HPROF_NONE : hprof_target_of(d, field->value);
        if (target != HPROF_NONE) {
            TS_SET_VALUE(java_heap_field, row, target, target);
        }
        return;
    case HPROF_FLOAT:
    case HPROF_DOUBLE:
        memcpy(&single, &bits, sizeof single);
        memcpy(&real, &field->value, sizeof real);
        real = field->type == HPROF_FLOAT ? (double)single : real;
        if (real == real) {
            TS_SET_VALUE(java_heap_field, row, real_value, real);
        }
        return;
    case HPROF_BYTE:
        TS_SET_VALUE(java_heap_field, row, value, (int8_t)field->value);
        return;
    case HPROF_SHORT:
        TS_SET_VALUE(java_heap_field, row, value, (int16_t)field->value);
        return;
    case HPROF_INT:
        TS_SET_VALUE(java_heap_field, row, value, (int32_t)field->value);
        return;
    default:
        TS_SET_VALUE(java_heap_field, row, value, (int64_t)field->value);
    }
}

static ts_code put_fields(hprof_dump *d, const hprof_class *c, int64_t class_id)
{
    hprof_file *f = d->f;
    for (uint32_t i = 0; i < c->statics + c->fields; i++) {
        const hprof_field *field = (const hprof_field *)d->fields.p + c->first + i;
        ts_row_java_heap_field row = {
            .null = TS_NULL_BITS(java_heap_field, value, real_value, target),
            .id = (int64_t)ts_sink_rows(f->sink, TS_T_java_heap_field) + 1,
            .class_id = class_id,
            .type = ts_text_of(type_name(field->type)),
            .is_static = i < c->statics,
        };
        TS_TRY(hprof_name(&row.name, f, field->name));
        if (i < c->statics) {
            set_value(&row, d, field);
        }
        TS_TRY(ts_put_java_heap_field(f->sink, &row));
    }
    return TS_OK;
}

static ts_code put_class(hprof_dump *d, const hprof_class *c)
{
    uint32_t loader = loader_of(d, c);
    uint32_t trace = 0;
    hprof_size size = {c->instance_size, c->mat_instance};
    if (c->array) {
        size = hprof_size_of(d, c->element == 0 ? TS_JAVA_OBJECT_ARRAY : TS_JAVA_PRIMITIVE_ARRAY,
                             c->element, 0);
    }
    if (c->known) {
        TS_TRY(hprof_stack(&trace, d->f, c->trace));
    }
    ts_row_java_heap_class row = {
        .id = d->first_class_id + c->row,
        .file_id = d->file_id,
        .node_index = c->node,
        .address = (int64_t)c->id,
        .name = hprof_class_text(d, c),
        .super_id =
            c->super == HPROF_NONE ? 0 : d->first_class_id + hprof_class_at(d, c->super)->row,
        .loader = loader,
        .known = c->known,
        .dump_size = c->size,
        .instance_size = (int64_t)size.shallow,
        .mat_instance_size = (int64_t)size.mat,
        .count = (int64_t)c->count,
        .shallow_size = (int64_t)c->shallow,
        .mat_size = (int64_t)c->mat,
        .trace_node_id = trace,
    };
    TS_NULL_ZEROS(java_heap_class, &row, super_id, trace_node_id);
    TS_NULL_IF(loader == HPROF_NONE, java_heap_class, &row, loader);
    TS_NULL_IF(!c->known, java_heap_class, &row, dump_size);
    TS_NULL_IF(c->made, java_heap_class, &row, address);
    return ts_put_java_heap_class(d->f->sink, &row);
}

ts_code hprof_put_classes(hprof_dump *d)
{
    const uint32_t *order = d->order.p;
    d->first_class_id = (int64_t)ts_sink_rows(d->f->sink, TS_T_java_heap_class) + 1;
    d->first_field_id = (int64_t)ts_sink_rows(d->f->sink, TS_T_java_heap_field) + 1;
    for (size_t i = 0; i < d->order.n; i++) {
        TS_TRY(put_class(d, hprof_class_at(d, order[i])));
    }
    for (size_t i = 0; i < d->order.n; i++) {
        hprof_class *c = hprof_class_at(d, order[i]);
        c->field_id = (int64_t)ts_sink_rows(d->f->sink, TS_T_java_heap_field) + 1;
        TS_TRY(put_fields(d, c, d->first_class_id + c->row));
    }
    return TS_OK;
}

/* --- roots ---------------------------------------------------------------------------------- */

static const char *root_name(unsigned tag)
{
    static const struct {
        uint8_t tag;
        const char *name;
    } names[] = {{0x01, "jni_global"},   {0x02, "jni_local"},    {0x03, "java_frame"},
                 {0x04, "native_stack"}, {0x05, "sticky_class"}, {0x06, "thread_block"},
                 {0x07, "monitor"},      {0x08, "thread"},       {0x89, "interned_string"},
                 {0x8a, "finalizing"},   {0x8b, "debugger"},     {0x8c, "reference_cleanup"},
                 {0x8d, "vm_internal"},  {0x8e, "jni_monitor"},  {0x90, "unreachable"},
                 {0x00, "system_class"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].tag == tag) {
            return names[i].name;
        }
    }
    return "unknown";
}

static bool is_local(unsigned tag)
{
    return tag == 0x02 || tag == 0x03 || tag == 0x04 || tag == 0x06 || tag == 0x8e;
}

/* In a dump without sticky classes those of the boot loader are roots, but for arrays and those
 * that are roots anyway. */
static ts_code add_system_classes(hprof_dump *d)
{
    ts_ctx *ctx = d->f->ctx;
    uint8_t *rooted;
    ts_code code = TS_OK;
    if (d->sticky) {
        return TS_OK;
    }
    TS_NEED(ctx, rooted = ts_zalloc(ctx, d->classes.n + 1, 1));
    for (size_t i = 0; i < d->roots.n; i++) {
        uint64_t number;
        if (ts_idmap_find(&number, &d->class_of, (int64_t)((const hprof_root *)d->roots.p)[i].id)) {
            rooted[number] = 1;
        }
    }
    for (size_t i = 0; i < d->order.n && code == TS_OK; i++) {
        uint32_t number = ((const uint32_t *)d->order.p)[i];
        const hprof_class *c = hprof_class_at(d, number);
        hprof_root root = {.id = c->id, .frame = HPROF_NONE, .thread = HPROF_NONE};
        if (c->known && c->loader == 0 && !c->array && !rooted[number]) {
            code = ts_vec_push(ctx, &d->roots, &root, sizeof root);
        }
    }
    ts_free(ctx, rooted);
    return code;
}

static int by_node(const void *a, const void *b, void *user)
{
    const hprof_local *x = a;
    const hprof_local *y = b;
    (void)user;
    return x->node != y->node ? (x->node < y->node ? -1 : 1)
                              : (x->root > y->root) - (x->root < y->root);
}

static ts_code put_root(hprof_dump *d, uint32_t number)
{
    hprof_root *r = (hprof_root *)d->roots.p + number;
    uint32_t node = hprof_target_of(d, r->id);
    uint64_t thread;
    bool threaded =
        (is_local(r->tag) || r->tag == 0x08) && ts_idmap_find(&thread, &d->thread_of, r->serial);
    ts_row_java_heap_root row = {
        .file_id = d->file_id,
        .node_index = node,
        .address = (int64_t)r->id,
        .kind = ts_text_of(root_name(r->tag)),
        .thread_id = threaded ? d->first_thread_id + (int64_t)thread : 0,
        .frame = r->frame,
    };
    TS_NULL_ZEROS(java_heap_root, &row, thread_id);
    TS_NULL_IF(node == HPROF_NONE, java_heap_root, &row, node_index);
    TS_NULL_IF(r->frame == HPROF_NONE, java_heap_root, &row, frame);
    if (threaded && is_local(r->tag)) {
        hprof_local local = {((const hprof_thread *)d->threads.p)[thread].node, number};
        r->local = local.node != HPROF_NONE;
        if (r->local && node != HPROF_NONE) {
            TS_TRY(ts_vec_push(d->f->ctx, &d->locals, &local, sizeof local));
        }
    }
    return ts_put_java_heap_root(d->f->sink, &row);
}

ts_code hprof_put_roots(hprof_dump *d)
{
    d->first_root = (int64_t)ts_sink_rows(d->f->sink, TS_T_java_heap_root) + 1;
    TS_TRY(add_system_classes(d));
    for (uint32_t i = 0; i < d->roots.n; i++) {
        TS_TRY(put_root(d, i));
    }
    ts_sort(d->locals.p, d->locals.n, sizeof(hprof_local), by_node, NULL);
    return ts_count_add(d->f->store, d->f->source_id, TS_ITEM_hprof_roots, NULL, d->roots.n, 0, 0);
}
