/* What a dump holds, in its order: objects by their numbers, classes with their fields, roots. */
#include "parsers/hprof/hprof.h"

void hprof_forget_recent(hprof_dump *d)
{
    for (unsigned i = 0; i < HPROF_RECENT; i++) {
        d->recent[i].number = HPROF_NONE;
    }
}

ts_code hprof_class_of(uint32_t *number, hprof_dump *d, uint64_t id)
{
    hprof_recent *recent = &d->recent[id / 8 % HPROF_RECENT];
    uint64_t found;
    if (recent->number != HPROF_NONE && recent->id == id) {
        *number = recent->number;
        return TS_OK;
    }
    if (!ts_idmap_find(&found, &d->class_of, (int64_t)id)) {
        hprof_class *c;
        found = d->classes.n;
        TS_TRY(ts_idmap_put(d->f->ctx, &d->class_of, (int64_t)id, found));
        TS_NEED(d->f->ctx, c = ts_vec_add(d->f->ctx, &d->classes, sizeof *c));
        c->id = id;
        c->super = HPROF_NONE;
        c->fielded = HPROF_NONE;
        c->node = HPROF_NONE;
        c->least = UINT64_MAX;
    }
    *number = (uint32_t)found;
    *recent = (hprof_recent){id, (uint32_t)found};
    return TS_OK;
}

/* --- classes -------------------------------------------------------------------------------- */

typedef struct class_parts {
    hprof_dump *d;
    uint32_t number;
} class_parts;

static ts_code add_part(void *user, hprof_part part, uint64_t name, unsigned type, uint64_t value)
{
    class_parts *p = user;
    hprof_dump *d = p->d;
    hprof_class *c = hprof_class_at(d, p->number);
    unsigned size = hprof_type_size(type, d->f->id_size);
    hprof_field *field;
    if (part == HPROF_CONSTANT) {
        return TS_OK;
    }
    TS_NEED(d->f->ctx, field = ts_vec_add(d->f->ctx, &d->fields, sizeof *field));
    *field = (hprof_field){.name = name, .value = value, .type = (uint8_t)type};
    if (part == HPROF_STATIC) {
        c->statics++;
        c->static_refs += type == HPROF_OBJECT ? 1 : 0;
        c->static_bytes += type == HPROF_OBJECT ? 0 : size;
    } else {
        field->offset = (uint32_t)c->own;
        c->fields++;
        c->own += size;
        c->own_refs += type == HPROF_OBJECT ? 1 : 0;
    }
    return TS_OK;
}

static ts_code read_class(hprof_dump *d, const hprof_sub *s, uint32_t number)
{
    const hprof_file *f = d->f;
    unsigned id = f->id_size;
    hprof_class *c = hprof_class_at(d, number);
    class_parts parts = {d, number};
    const uint8_t *p;
    size_t n;
    uint64_t next;
    bool good;
    TS_TRY(hprof_get(&p, &n, d->in, s->at + 1, 7 * id + 8));
    if (n < 7 * id + 8) {
        return TS_OK;
    }
    c->known = true;
    c->trace = s->trace;
    c->super_id = hprof_id(p + id + 4, id);
    c->loader = hprof_id(p + (size_t)2 * id + 4, id);
    c->size = hprof_u32(p + (size_t)7 * id + 4);
    c->first = (uint32_t)d->fields.n;
    return hprof_parts(&next, &good, d->in, id, s->body, s->next, add_part, &parts);
}

/* --- objects -------------------------------------------------------------------------------- */

static ts_code push(hprof_dump *d, const hprof_sub *s, unsigned kind, uint32_t class)
{
    if (d->objects % HPROF_STEP == 0) {
        TS_TRY(ts_vec_push(d->f->ctx, &d->places, &s->at, sizeof s->at));
    }
    return hprof_list_add(d, &(hprof_object){s->id, kind << HPROF_KIND_BITS | class, s->length});
}

/* Most distances have a power of two as their divisor, which is faster than a division. */
static bool divides(uint64_t divisor, uint64_t a)
{
    return (divisor & (divisor - 1)) == 0 ? (a & (divisor - 1)) == 0 : a % divisor == 0;
}

static void note_id(hprof_dump *d, uint64_t id)
{
    d->first_id = d->objects == 0 ? id : d->first_id;
    uint64_t a = id > d->first_id ? id - d->first_id : d->first_id - id;
    d->least = d->objects == 0 || id < d->least ? id : d->least;
    d->greatest = d->objects == 0 || id > d->greatest ? id : d->greatest;
    d->all_bits |= a;
    if (d->distance == 0 || !divides(d->distance, a)) {
        for (uint64_t b = d->distance; b != 0;) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        d->distance = a;
    }
}

static ts_code add_object(hprof_dump *d, const hprof_sub *s)
{
    static const uint8_t kinds[] = {TS_JAVA_CLASS, TS_JAVA_INSTANCE, TS_JAVA_OBJECT_ARRAY};
    unsigned kind = s->tag > HPROF_OBJECTS ? TS_JAVA_PRIMITIVE_ARRAY : kinds[s->tag - HPROF_CLASS];
    uint32_t class = s->type;
    if (d->objects >= INT32_MAX - 1 || d->classes.n >= 1U << (HPROF_KIND_BITS - 1)) {
        d->too_many = true;
        d->lost++;
        return TS_OK;
    }
    note_id(d, s->id);
    if (kind == TS_JAVA_CLASS) {
        TS_TRY(hprof_class_of(&class, d, s->id));
        if (hprof_class_at(d, class)->known) {
            TS_TRY(ts_vec_push(d->f->ctx, &d->twice, &d->objects, sizeof d->objects));
        } else {
            TS_TRY(read_class(d, s, class));
            hprof_class_at(d, class)->node = d->objects; /* its seq */
        }
    } else if (kind != TS_JAVA_PRIMITIVE_ARRAY) {
        TS_TRY(hprof_class_of(&class, d, s->class_id));
        hprof_class_at(d, class)->named = true;
    }
    if (kind == TS_JAVA_OBJECT_ARRAY) {
        d->compressed = d->compressed || (s->id >= d->last_array && s->id < d->last_array_end);
        d->last_array = s->id;
        d->last_array_end = s->id + 16 + 8 * (uint64_t)s->length;
    }
    return push(d, s, kind, class);
}

static ts_code add_root(hprof_dump *d, const hprof_sub *s)
{
    ts_ctx *ctx = d->f->ctx;
    hprof_root *r;
    TS_NEED(ctx, r = ts_vec_add(ctx, &d->roots, sizeof *r));
    *r = (hprof_root){.id = s->id, .serial = s->serial, .frame = s->frame, .tag = s->tag};
    r->thread = HPROF_NONE;
    d->sticky = d->sticky || s->tag == 0x05;
    if (s->tag == 0x08) {
        hprof_thread thread = {s->id, s->serial, s->frame, HPROF_NONE};
        uint64_t had;
        r->frame = HPROF_NONE;
        if (!ts_idmap_find(&had, &d->thread_of, s->serial)) {
            TS_TRY(ts_idmap_put(ctx, &d->thread_of, s->serial, d->threads.n));
            TS_TRY(ts_vec_push(ctx, &d->threads, &thread, sizeof thread));
        }
    }
    return TS_OK;
}

static ts_code add_heap(hprof_dump *d, uint64_t name, bool none)
{
    hprof_heap heap = {d->objects, none, name};
    return ts_vec_push(d->f->ctx, &d->heaps, &heap, sizeof heap);
}

ts_code hprof_objects(hprof_dump *d)
{
    hprof_walk w;
    hprof_sub s;
    bool got = true;
    size_t segment;
    bool heap = false;
    hprof_forget_recent(d);
    hprof_walk_begin(&w, d->f, d->in, d->number);
    segment = w.segment;
    while (true) {
        TS_TRY(hprof_walk_next(&s, &got, &w));
        if (!got) {
            return hprof_list_end(d);
        }
        if (w.segment != segment) {
            if (heap) {
                TS_TRY(add_heap(d, 0, true)); /* a new segment is of no heap */
            }
            heap = false;
            segment = w.segment;
        }
        if (hprof_is_object(s.tag)) {
            TS_TRY(add_object(d, &s));
        } else if (s.tag == HPROF_HEAP) {
            TS_TRY(add_heap(d, s.class_id, false));
            heap = true;
        } else {
            TS_TRY(add_root(d, &s));
        }
    }
}
