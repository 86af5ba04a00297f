/*
 * Rows of objects and references: the segments are read again, in the order of nodes. What is read
 * waits in a queue, so that the nodes of many ids are looked up at once: each alone would wait for
 * memory.
 */
#include "parsers/hprof/hprof.h"

#include "base/alloc.h"

enum { QUEUE = 512 };

typedef enum waiting_what { WAITING_ID, WAITING_NODE, WAITING_TEXT, WAITING_END } waiting_what;

/* A reference to an id or a node, a string with the id of its array, or the end of a node. */
typedef struct waiting {
    uint8_t what;
    uint8_t kind; /* type of the reference, or kind of the node */
    uint8_t strength;
    bool flag;       /* the reference has a name; the string is wide */
    uint32_t number; /* the node that is referred to; of the end: class or type */
    uint32_t length, trace;
    int64_t name;
} waiting;

typedef struct out {
    hprof_dump *d;
    unsigned waiting_n;
    waiting waiting[QUEUE];
    uint64_t ids[QUEUE]; /* 0: there is nothing to look up */
    uint32_t nodes[QUEUE];
    uint64_t references;
    uint64_t before; /* references of the nodes before this one */
    uint32_t node;
    unsigned n, object_n;
    uint32_t serial; /* of the stack that was met last */
    uint32_t stack;
    size_t heap, local;
    ts_text heap_name;
    ts_row_java_heap_reference rows[HPROF_BATCH];
    ts_row_java_heap_object objects[HPROF_BATCH];
} out;

static ts_code flush_references(out *o)
{
    unsigned n = o->n;
    o->n = 0;
    return n == 0 ? TS_OK
                  : ts_sink_put_many(o->d->f->sink, TS_T_java_heap_reference, o->rows,
                                     sizeof o->rows[0], n);
}

static ts_code flush_objects(out *o)
{
    unsigned n = o->object_n;
    o->object_n = 0;
    return n == 0 ? TS_OK
                  : ts_sink_put_many(o->d->f->sink, TS_T_java_heap_object, o->objects,
                                     sizeof o->objects[0], n);
}

static ts_code put_reference(out *o, uint32_t target, unsigned type, bool named, int64_t name,
                             unsigned strength)
{
    if (target == HPROF_NONE) {
        return TS_OK;
    }
    if (o->n == HPROF_BATCH) {
        TS_TRY(flush_references(o));
    }
    o->references++;
    o->rows[o->n++] = (ts_row_java_heap_reference){
        .null = named ? 0 : TS_NULL_BITS(java_heap_reference, name),
        .file_id = o->d->file_id,
        .owner = o->node,
        .target = target,
        .type = type,
        .name = name,
        .strength = strength,
    };
    return TS_OK;
}

static ts_code put_locals(out *o)
{
    hprof_dump *d = o->d;
    const hprof_local *local = d->locals.p;
    for (; o->local < d->locals.n && local[o->local].node == o->node; o->local++) {
        uint32_t number = local[o->local].root;
        const uint64_t id = ((const hprof_root *)d->roots.p)[number].id;
        TS_TRY(put_reference(o, id == 0 ? HPROF_NONE : hprof_target_of(d, id), TS_JAVA_REF_LOCAL,
                             true, d->first_root + number, TS_JAVA_STRONG));
    }
    return TS_OK;
}

/* The node is complete, but for locals of the thread that it is: its row. */
static ts_code put_node(out *o, uint64_t address, const waiting *w)
{
    hprof_dump *d = o->d;
    const unsigned kind = w->kind;
    const uint32_t number = w->number;
    bool array = kind == TS_JAVA_OBJECT_ARRAY || kind == TS_JAVA_PRIMITIVE_ARRAY;
    bool made = kind == TS_JAVA_ROOT || kind == TS_JAVA_BOOT_LOADER;
    uint32_t class = kind == TS_JAVA_CLASS             ? d->class_class
                     : kind == TS_JAVA_PRIMITIVE_ARRAY ? d->primitive_class[number]
                                                       : number;
    hprof_size size = {0, 0};
    TS_TRY(put_locals(o));
    if (kind != TS_JAVA_ROOT) {
        size = hprof_size_of(d, kind, number, w->length);
    }
    if (o->object_n == HPROF_BATCH) {
        TS_TRY(flush_objects(o));
    }
    ts_row_java_heap_object *row = &o->objects[o->object_n++];
    *row = (ts_row_java_heap_object){
        .null = 0,
        .file_id = d->file_id,
        .node_index = o->node,
        .kind = kind,
        .address = (int64_t)address,
        .class_id = kind == TS_JAVA_ROOT ? 0 : d->first_class_id + hprof_class_at(d, class)->row,
        .length = w->length,
        .shallow_size = (int64_t)size.shallow,
        .mat_size = (int64_t)size.mat,
        .heap = o->heap_name,
        .first_reference_rowid = d->first_reference + (int64_t)o->before,
        .reference_count = (int64_t)(o->references - o->before),
        .trace_node_id = w->trace,
    };
    TS_NULL_ZEROS(java_heap_object, row, class_id, trace_node_id);
    TS_NULL_IF(!array, java_heap_object, row, length);
    TS_NULL_IF(made || (kind == TS_JAVA_CLASS && hprof_class_at(d, number)->made), java_heap_object,
               row, address);
    TS_NULL_IF(o->references == o->before, java_heap_object, row, first_reference_rowid);
    o->before = o->references;
    o->node++;
    return (o->node & 0xfff) == 0 ? ts_check_cancel(d->f->ctx) : TS_OK;
}

/* --- the queue -------------------------------------------------------------------------------- */

static ts_code put_text(out *o, uint32_t array, bool wide)
{
    hprof_dump *d = o->d;
    const hprof_text text = {o->node, array};
    const uint8_t is_wide = wide;
    if (array == HPROF_NONE) {
        return TS_OK;
    }
    TS_TRY(ts_vec_push(d->f->ctx, &d->wide, &is_wide, sizeof is_wide));
    return ts_vec_push(d->f->ctx, &d->texts, &text, sizeof text);
}

static ts_code put_waiting(out *o, unsigned i)
{
    const waiting *w = &o->waiting[i];
    uint32_t node = o->nodes[i];
    switch (w->what) {
    case WAITING_ID:
        node = node == HPROF_NONE ? hprof_target_of(o->d, o->ids[i]) : node;
        return put_reference(o, node, w->kind, true, w->name, w->strength);
    case WAITING_NODE:
        return put_reference(o, w->number, w->kind, w->flag, w->name, w->strength);
    case WAITING_TEXT:
        return put_text(o, node, w->flag);
    default:
        return put_node(o, o->ids[i], w);
    }
}

static ts_code put_queue(out *o)
{
    const unsigned n = o->waiting_n;
    o->waiting_n = 0;
    hprof_nodes_of(o->nodes, o->d, o->ids, n);
    for (unsigned i = 0; i < n; i++) {
        TS_TRY(put_waiting(o, i));
    }
    return TS_OK;
}

static ts_code wait_for(out *o, uint64_t id, const waiting *w)
{
    if (o->waiting_n == QUEUE) {
        TS_TRY(put_queue(o));
    }
    o->ids[o->waiting_n] = id;
    o->waiting[o->waiting_n++] = *w;
    return TS_OK;
}

/* name 0: none. */
static ts_code refer(out *o, uint32_t target, unsigned type, bool named, int64_t name,
                     unsigned strength)
{
    return wait_for(o, 0,
                    &(waiting){.what = WAITING_NODE,
                               .kind = (uint8_t)type,
                               .strength = (uint8_t)strength,
                               .flag = named,
                               .number = target,
                               .name = name});
}

static ts_code refer_id(out *o, uint64_t id, unsigned type, int64_t name, unsigned strength)
{
    return id == 0 ? TS_OK
                   : wait_for(o, id,
                              &(waiting){.what = WAITING_ID,
                                         .kind = (uint8_t)type,
                                         .strength = (uint8_t)strength,
                                         .name = name});
}

static ts_code end_node(out *o, unsigned kind, uint64_t address, uint32_t number, uint32_t length,
                        uint32_t trace)
{
    return wait_for(o, address,
                    &(waiting){.what = WAITING_END,
                               .kind = (uint8_t)kind,
                               .number = number,
                               .length = length,
                               .trace = trace});
}

/* --- references of an object ------------------------------------------------------------------ */

/* The values of an instance, a class of its chain at a time. */
static ts_code refer_fields(out *o, hprof_in *in, const hprof_sub *s, uint32_t number)
{
    hprof_dump *d = o->d;
    unsigned id_size = d->f->id_size;
    unsigned strength = hprof_class_at(d, number)->strength;
    uint64_t at = 0;
    if (hprof_class_at(d, number)->whole && hprof_class_at(d, number)->chain != s->length) {
        d->fields_bad++;
    }
    for (; number != HPROF_NONE && at < s->length; number = hprof_class_at(d, number)->fielded) {
        const hprof_class *c = hprof_class_at(d, number);
        uint64_t left = s->length - at;
        size_t need = (size_t)(c->own < left ? c->own : left);
        const uint8_t *p;
        size_t n;
        if (c->own_refs > 0) {
            const hprof_field *field = (const hprof_field *)d->fields.p + c->first + c->statics;
            TS_TRY(hprof_get(&p, &n, in, s->body + at, need));
            n = n < need ? n : need;
            for (uint32_t i = 0; i < c->fields; i++) {
                if (field[i].type == HPROF_OBJECT && field[i].offset + id_size <= n) {
                    TS_TRY(refer_id(o, hprof_id(p + field[i].offset, id_size), TS_JAVA_REF_FIELD,
                                    c->field_id + c->statics + i,
                                    field[i].referent ? strength : TS_JAVA_STRONG));
                }
            }
        }
        at += c->own;
    }
    return TS_OK;
}

static ts_code refer_elements(out *o, const hprof_sub *s)
{
    hprof_dump *d = o->d;
    unsigned id_size = d->f->id_size;
    for (uint32_t i = 0; i < s->length;) {
        const uint8_t *p;
        size_t n;
        uint64_t left = s->length - i;
        TS_TRY(hprof_get(&p, &n, d->in, s->body + (uint64_t)i * id_size, id_size));
        n /= id_size;
        if (n == 0) {
            return TS_OK; /* the file became shorter */
        }
        n = n < left ? n : (size_t)left;
        for (size_t k = 0; k < n; k++, i++, p += id_size) {
            TS_TRY(refer_id(o, hprof_id(p, id_size), TS_JAVA_REF_ELEMENT, i, TS_JAVA_STRONG));
        }
        TS_TRY(ts_check_cancel(d->f->ctx));
    }
    return TS_OK;
}

static ts_code refer_statics(out *o, const hprof_class *c)
{
    for (uint32_t i = 0; i < c->statics; i++) {
        const hprof_field *field = (const hprof_field *)o->d->fields.p + c->first + i;
        if (field->type == HPROF_OBJECT) {
            TS_TRY(refer_id(o, field->value, TS_JAVA_REF_STATIC, c->field_id + i,
                            field->referent ? TS_JAVA_UNFINALIZED : TS_JAVA_STRONG));
        }
    }
    return TS_OK;
}

static ts_code refer_class(out *o, uint32_t number, unsigned type)
{
    return number == HPROF_NONE
               ? TS_OK
               : refer(o, hprof_class_at(o->d, number)->node, type, false, 0, TS_JAVA_STRONG);
}

/* A class, with what an instance of its id says. */
static ts_code class_references(out *o, uint32_t number)
{
    hprof_dump *d = o->d;
    const hprof_class *c = hprof_class_at(d, number);
    uint32_t class = d->class_class;
    uint32_t loader = c->loader == 0 ? d->boot_node : hprof_target_of(d, c->loader);
    uint64_t seq, of;
    hprof_sub body;
    bool got = false;
    if (ts_idmap_find(&seq, &d->body_of, number)) {
        TS_TRY(hprof_record_of_seq(&body, &got, d, (uint32_t)seq));
        got = got && body.tag == HPROF_INSTANCE &&
              ts_idmap_find(&of, &d->class_of, (int64_t)body.class_id);
        class = got ? (uint32_t)of : class;
    }
    TS_TRY(refer_class(o, class, TS_JAVA_REF_CLASS));
    TS_TRY(refer_class(o, c->super, TS_JAVA_REF_SUPER));
    TS_TRY(refer(o, loader == HPROF_NONE ? d->boot_node : loader, TS_JAVA_REF_LOADER, false, 0,
                 TS_JAVA_STRONG));
    TS_TRY(refer_statics(o, c));
    return got ? refer_fields(o, &d->f->near, &body, class) : TS_OK;
}

/* --- nodes ---------------------------------------------------------------------------------- */

static ts_code put_root_node(out *o)
{
    hprof_dump *d = o->d;
    for (uint32_t i = 0; i < d->roots.n; i++) {
        const hprof_root *r = (const hprof_root *)d->roots.p + i;
        if (!r->local) {
            TS_TRY(refer_id(o, r->id, TS_JAVA_REF_ROOT, d->first_root + i, TS_JAVA_STRONG));
        }
    }
    return end_node(o, TS_JAVA_ROOT, 0, 0, 0, 0);
}

static ts_code set_heap(out *o, uint32_t seq)
{
    hprof_dump *d = o->d;
    const hprof_heap *heaps = d->heaps.p;
    bool changed = false;
    for (; o->heap < d->heaps.n && heaps[o->heap].seq <= seq; o->heap++) {
        changed = true;
    }
    if (changed) {
        const hprof_heap *heap = &heaps[o->heap - 1];
        TS_TRY(put_queue(o)); /* what waits is of the heap before */
        o->heap_name = TS_TEXT_NULL;
        if (!heap->none) {
            ts_text text;
            TS_TRY(flush_objects(o)); /* rows have borrowed the name before */
            TS_TRY(hprof_name(&text, d->f, heap->name));
            d->f->text.n = 0;
            TS_TRY(ts_buf_put(d->f->ctx, &d->f->text, text.p, text.n));
            o->heap_name = ts_buf_text(&d->f->text);
        }
    }
    return TS_OK;
}

/* A string and its array are kept for hprof_put_strings. */
static ts_code keep_text(out *o, const hprof_sub *s)
{
    const hprof_dump *d = o->d;
    const unsigned id_size = d->f->id_size;
    const uint8_t *p;
    size_t n;
    TS_TRY(hprof_get(&p, &n, d->in, s->body, s->length < HPROF_NEAR ? s->length : HPROF_NEAR));
    n = n < s->length ? n : s->length;
    if (d->value.type != HPROF_OBJECT || d->value.offset + id_size > n) {
        return TS_OK;
    }
    return wait_for(o, hprof_id(p + d->value.offset, id_size),
                    &(waiting){.what = WAITING_TEXT,
                               .flag = d->coder.type == HPROF_BYTE && d->coder.offset < n &&
                                       p[d->coder.offset] == 1});
}

static ts_code changed(const hprof_dump *d)
{
    return ts_fail(d->f->ctx, TS_ERR_INPUT, "%s changed while it was read", d->f->job->name);
}

static ts_code put_object(out *o, const hprof_sub *s)
{
    hprof_dump *d = o->d;
    bool typed = s->tag == HPROF_INSTANCE || s->tag == HPROF_OBJECTS;
    uint32_t number = s->type;
    if (s->trace != o->serial) {
        o->serial = s->trace;
        TS_TRY(put_queue(o));
        TS_TRY(hprof_stack(&o->stack, d->f, s->trace));
    }
    if (s->tag == HPROF_CLASS || typed) {
        TS_TRY(hprof_class_of(&number, d, typed ? s->class_id : s->id));
    }
    if (s->tag == HPROF_CLASS) {
        TS_TRY(class_references(o, number));
        return end_node(o, TS_JAVA_CLASS, s->id, number, 0, o->stack);
    }
    if (!typed && d->primitive_class[number] == HPROF_NONE) {
        return changed(d);
    }
    TS_TRY(refer_class(o, typed ? number : d->primitive_class[number], TS_JAVA_REF_CLASS));
    if (s->tag == HPROF_INSTANCE) {
        if (number == d->string_class) {
            TS_TRY(keep_text(o, s));
        }
        TS_TRY(refer_fields(o, d->in, s, number));
        return end_node(o, TS_JAVA_INSTANCE, s->id, number, 0, o->stack);
    }
    if (s->tag == HPROF_OBJECTS) {
        TS_TRY(refer_elements(o, s));
    }
    return end_node(o, s->tag == HPROF_OBJECTS ? TS_JAVA_OBJECT_ARRAY : TS_JAVA_PRIMITIVE_ARRAY,
                    s->id, number, s->length, o->stack);
}

static ts_code put_file_objects(out *o)
{
    hprof_dump *d = o->d;
    const uint32_t *twice = d->twice.p;
    size_t at = 0;
    hprof_walk w;
    hprof_sub s;
    bool got;
    hprof_walk_begin(&w, d->f, d->in, d->number);
    for (uint32_t seq = 0; seq < d->objects;) {
        TS_TRY(hprof_walk_next(&s, &got, &w));
        if (!got) {
            return changed(d);
        }
        if (!hprof_is_object(s.tag)) {
            continue;
        }
        if (at < d->twice.n && twice[at] == seq) {
            at++;
        } else {
            if (o->heap < d->heaps.n) {
                TS_TRY(set_heap(o, seq));
            }
            TS_TRY(put_object(o, &s));
        }
        seq++;
    }
    return TS_OK;
}

/* Classes that the dump does not have, and the boot loader. */
static ts_code put_made(out *o)
{
    hprof_dump *d = o->d;
    TS_TRY(put_queue(o));
    o->heap_name = TS_TEXT_NULL;
    for (size_t i = 0; i < d->order.n; i++) {
        uint32_t number = ((const uint32_t *)d->order.p)[i];
        const hprof_class *c = hprof_class_at(d, number);
        if (!c->known) {
            TS_TRY(class_references(o, number));
            TS_TRY(end_node(o, TS_JAVA_CLASS, c->id, number, 0, 0));
        }
    }
    TS_TRY(refer_class(o, d->loader_class, TS_JAVA_REF_CLASS));
    return end_node(o, TS_JAVA_BOOT_LOADER, 0, d->loader_class, 0, 0);
}

ts_code hprof_put_objects(hprof_dump *d)
{
    ts_sink *sink = d->f->sink;
    out *o = ts_zalloc(d->f->ctx, 1, sizeof *o);
    ts_code code;
    TS_NEED(d->f->ctx, o);
    o->d = d;
    o->heap_name = TS_TEXT_NULL;
    hprof_forget_recent(d);
    d->first_object = (int64_t)ts_sink_rows(sink, TS_T_java_heap_object) + 1;
    d->first_reference = (int64_t)ts_sink_rows(sink, TS_T_java_heap_reference) + 1;
    code = put_root_node(o);
    TS_STEP(code, put_file_objects(o));
    TS_STEP(code, put_made(o));
    TS_STEP(code, put_queue(o));
    TS_STEP(code, flush_objects(o));
    TS_STEP(code, flush_references(o));
    ts_free(d->f->ctx, o);
    return code;
}
