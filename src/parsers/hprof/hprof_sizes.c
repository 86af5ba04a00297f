/*
 * Sizes of objects, which the dumps of a JDK do not have: by the rules of Eclipse MAT, and measured
 * by the distances to the next object. Objects vote for the header of arrays, and for the size of a
 * reference; a class has the least distance of its instances where that is near to the sum of its
 * fields. Android states the size of instances.
 */
#include "parsers/hprof/hprof.h"

enum { HEADERS = 4, LEAST_ALIGN = 8, MOST_ALIGN = 256, NEAR = 16 };
static const unsigned headers[HEADERS] = {12, 16, 20, 24};
static const unsigned object_headers[HEADERS] = {8, 12, 16, 16};

/* Mostly to a power of two, for which no division is needed. */
static uint64_t up(uint64_t n, uint64_t to)
{
    uint64_t over = (to & (to - 1)) == 0 ? n & (to - 1) : n % to;
    return over == 0 || n > UINT64_MAX - to ? n : n + to - over;
}

static uint64_t sum_fields(uint64_t bytes, uint64_t refs, const hprof_dump *d, unsigned reference)
{
    return bytes - refs * d->f->id_size + refs * reference;
}

/* --- arrays --------------------------------------------------------------------------------- */

static uint64_t array_size(const hprof_dump *d, unsigned header, unsigned element, uint64_t n)
{
    return up((element == 8 ? up(header, 8) : header) + n * element, d->align);
}

static uint64_t objects_size(const hprof_dump *d, unsigned header, unsigned reference, uint64_t n)
{
    return up(up(header, reference) + n * reference, d->align);
}

static hprof_size size_of_array(const hprof_dump *d, unsigned kind, unsigned type, uint32_t length)
{
    unsigned p = d->f->id_size;
    unsigned r = d->mat_reference;
    bool objects = kind == TS_JAVA_OBJECT_ARRAY;
    unsigned element = objects ? r : hprof_type_size(type, p);
    hprof_size size;
    if (d->f->android) {
        size.mat = (uint64_t)length * (objects ? p : element);
        size.shallow = up(12 + size.mat, LEAST_ALIGN);
        return size;
    }
    size.mat = objects ? up(p + r + 4 + (uint64_t)length * r, d->align)
                       : up(up(p + r + 4, r) + (uint64_t)length * element, d->align);
    size.shallow = d->header == 0 ? size.mat
                   : objects      ? objects_size(d, d->header, d->reference, length)
                                  : array_size(d, d->header, element, length);
    return size;
}

/* --- votes ---------------------------------------------------------------------------------- */

typedef struct votes {
    uint64_t headers[HEADERS];
    uint64_t references[HEADERS][2]; /* of 4 and 8 bytes, with each header */
} votes;

static void vote(votes *v, hprof_dump *d, const hprof_object *o, uint64_t distance)
{
    const unsigned kind = hprof_kind(o);
    const uint32_t number = o->what & HPROF_NUMBER;
    const uint32_t length = o->length;
    if (kind == TS_JAVA_INSTANCE) {
        hprof_class *c = hprof_class_at(d, number);
        c->with_least = distance == c->least  ? c->with_least + 1
                        : distance < c->least ? 1
                                              : c->with_least;
        c->least = distance < c->least ? distance : c->least;
    }
    for (unsigned i = 0; i < HEADERS; i++) {
        if (kind == TS_JAVA_PRIMITIVE_ARRAY) {
            unsigned element = hprof_type_size(number, d->f->id_size);
            v->headers[i] += array_size(d, headers[i], element, length) == distance ? 1 : 0;
        } else if (kind == TS_JAVA_OBJECT_ARRAY && length > 4) {
            for (unsigned k = 0; k < 2; k++) {
                v->references[i][k] +=
                    objects_size(d, headers[i], k == 0 ? 4 : 8, length) == distance ? 1 : 0;
            }
        }
    }
}

static void count_votes(hprof_dump *d, const votes *v)
{
    unsigned best = HEADERS;
    for (unsigned i = 0; i < HEADERS; i++) {
        if (v->headers[i] > 0 && (best == HEADERS || v->headers[i] >= v->headers[best])) {
            best = i;
        }
    }
    d->reference = d->mat_reference;
    if (best < HEADERS) {
        const uint64_t *r = v->references[best];
        d->header = headers[best];
        d->object_header = object_headers[best];
        d->reference_known = r[0] + r[1] > 0;
        if (d->reference_known) {
            d->reference = r[1] >= r[0] ? 8 : 4;
        }
    }
}

static ts_code measure(hprof_dump *d)
{
    hprof_cursor at = {.d = d};
    ts_code code = TS_OK;
    votes v = {0};
    size_t twice = 0;
    for (const hprof_object *o; (o = hprof_list_next(&code, &at)) != NULL;) {
        uint64_t next;
        if (twice < d->twice.n && ((const uint32_t *)d->twice.p)[twice] == at.seq) {
            twice++;
            continue;
        }
        next = hprof_next_id(d, o->id);
        if (next != 0) {
            vote(&v, d, o, next - o->id);
        }
    }
    count_votes(d, &v);
    return code;
}

/* --- classes -------------------------------------------------------------------------------- */

/* The super class has its sizes. */
static void size_class(hprof_dump *d, hprof_class *c)
{
    const hprof_class *super = c->super == HPROF_NONE ? NULL : hprof_class_at(d, c->super);
    unsigned p = d->f->id_size;
    unsigned r = d->mat_reference;
    uint64_t least, size;
    c->mat_raw =
        super == NULL ? p + r : up(sum_fields(c->own, c->own_refs, d, r) + super->mat_raw, r);
    c->mat_instance = up(c->mat_raw, d->align);
    if (d->f->android) {
        c->mat_instance = c->size;
        c->instance_size = up(c->size, LEAST_ALIGN);
        return;
    }
    if (d->header == 0) {
        c->instance_size = c->mat_instance;
        return;
    }
    c->extra = super == NULL ? 0 : super->extra;
    least = up(d->object_header + sum_fields(c->chain, c->chain_refs, d, d->reference) + c->extra,
               d->align);
    size = least;
    if (c->least != UINT64_MAX &&
        (c->least <= least + NEAR || (c->count >= 3 && c->with_least >= (c->count + 1) / 2))) {
        size = c->least;
    }
    c->extra = c->extra + size > least ? c->extra + size - least : 0;
    c->instance_size = size;
}

/* From the top of each chain down. */
static ts_code size_classes(hprof_dump *d)
{
    ts_vec chain = {0};
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < d->classes.n && code == TS_OK; i++) {
        for (uint32_t at = i; code == TS_OK && at != HPROF_NONE && !hprof_class_at(d, at)->sized;
             at = hprof_class_at(d, at)->super) {
            code = ts_vec_push(d->f->ctx, &chain, &at, sizeof at);
        }
        while (code == TS_OK && chain.n > 0) {
            hprof_class *c = hprof_class_at(d, ((const uint32_t *)chain.p)[--chain.n]);
            size_class(d, c);
            c->sized = true;
        }
    }
    ts_vec_free(d->f->ctx, &chain);
    return code;
}

hprof_size hprof_size_of(const hprof_dump *d, unsigned kind, uint32_t number, uint32_t length)
{
    const hprof_class *c;
    if (kind == TS_JAVA_OBJECT_ARRAY || kind == TS_JAVA_PRIMITIVE_ARRAY) {
        return size_of_array(d, kind, number, length);
    }
    c = hprof_class_at(d, number);
    if (kind == TS_JAVA_CLASS) {
        uint64_t refs = c->static_refs * (d->f->android ? d->f->id_size : d->mat_reference);
        uint64_t base = d->f->android ? hprof_class_at(d, d->class_class)->size : 0;
        uint64_t size = base + c->static_bytes + refs;
        size = d->f->android ? size : up(size, d->align);
        return (hprof_size){size, size};
    }
    return (hprof_size){c->instance_size, c->mat_instance};
}

/* The class of an object: its row is that one's. */
static uint32_t class_of(const hprof_dump *d, const hprof_object *o)
{
    const unsigned kind = hprof_kind(o);
    const uint32_t number = o->what & HPROF_NUMBER;
    return kind == TS_JAVA_CLASS             ? d->class_class
           : kind == TS_JAVA_PRIMITIVE_ARRAY ? d->primitive_class[number]
                                             : number;
}

static void add_to_class(hprof_class *c, hprof_size size)
{
    c->shallow += size.shallow;
    c->mat += size.mat;
}

/* Numbers of instances are needed before sizes, sums after. */
static ts_code add_up(hprof_dump *d, bool sizes)
{
    hprof_cursor at = {.d = d};
    ts_code code = TS_OK;
    size_t twice = 0;
    for (const hprof_object *o; (o = hprof_list_next(&code, &at)) != NULL;) {
        hprof_class *c = hprof_class_at(d, class_of(d, o));
        if (twice < d->twice.n && ((const uint32_t *)d->twice.p)[twice] == at.seq) {
            twice++;
        } else if (sizes) {
            add_to_class(c, hprof_size_of(d, hprof_kind(o), o->what & HPROF_NUMBER, o->length));
        } else {
            c->count++;
        }
    }
    return code;
}

/* Of what is not in the file: classes without a dump, and the boot loader. */
static void add_made(hprof_dump *d)
{
    hprof_class *loader = hprof_class_at(d, d->loader_class);
    hprof_class *class = hprof_class_at(d, d->class_class);
    loader->count++;
    add_to_class(loader, hprof_size_of(d, TS_JAVA_BOOT_LOADER, d->loader_class, 0));
    for (size_t i = 0; i < d->order.n; i++) {
        uint32_t number = ((const uint32_t *)d->order.p)[i];
        if (!hprof_class_at(d, number)->known) {
            class->count++;
            add_to_class(class, hprof_size_of(d, TS_JAVA_CLASS, number, 0));
        }
    }
}

ts_code hprof_sizes(hprof_dump *d)
{
    d->align = d->distance == 0 || d->distance < LEAST_ALIGN ? LEAST_ALIGN
               : d->distance > MOST_ALIGN                    ? MOST_ALIGN
                                                             : (unsigned)d->distance;
    d->mat_reference = d->f->id_size == 8 && d->compressed ? 4 : d->f->id_size;
    if (d->f->android) {
        d->align = LEAST_ALIGN;
    } else {
        TS_TRY(measure(d));
    }
    TS_TRY(add_up(d, false));
    TS_TRY(size_classes(d));
    TS_TRY(add_up(d, true));
    add_made(d);
    if (ts_nearmap_made(&d->map)) {
        hprof_list_free(d);
    }
    return TS_OK;
}
