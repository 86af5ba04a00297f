/* Classes of a dump: names, chains of super classes, and those that the dump does not have. */
#include "parsers/hprof/hprof.h"

#include <inttypes.h>
#include <stdio.h>

/* --- names ---------------------------------------------------------------------------------- */

static ts_code set_name(hprof_dump *d, hprof_class *c, ts_text symbol)
{
    c->name = (uint32_t)d->names.n;
    TS_TRY(hprof_class_name(d->f->ctx, &d->names, symbol));
    c->name_n = (uint32_t)(d->names.n - c->name);
    c->array = c->name_n > 2 && memcmp(d->names.p + d->names.n - 2, "[]", 2) == 0;
    return d->names.n > UINT32_MAX - 2 * HPROF_NAME
               ? ts_fail(d->f->ctx, TS_ERR_LIMIT, "names of classes take more than 4 GiB")
               : TS_OK;
}

static ts_code name_classes(hprof_dump *d)
{
    uint64_t unknown = 0;
    for (uint32_t i = 0; i < d->classes.n; i++) {
        hprof_class *c = hprof_class_at(d, i);
        char made[40];
        ts_text text;
        uint64_t id;
        if (!c->known && !c->named) {
            continue; /* a class that is only referred to */
        }
        if (ts_idmap_find(&id, &d->f->name_of, (int64_t)c->id)) {
            TS_TRY(hprof_name(&text, d->f, id));
        } else {
            if (c->known) {
                snprintf(made, sizeof made, "unknown-name@0x%" PRIx64, c->id);
            } else {
                snprintf(made, sizeof made, "unknown-class-%" PRIu64, ++unknown);
            }
            text = ts_text_of(made);
        }
        TS_TRY(set_name(d, c, text));
    }
    return TS_OK;
}

/* The class of a name: of the boot loader, or the first; HPROF_NONE. */
static uint32_t find_class(const hprof_dump *d, const char *name)
{
    uint32_t found = HPROF_NONE;
    for (uint32_t i = 0; i < d->classes.n; i++) {
        const hprof_class *c = hprof_class_at(d, i);
        if ((c->known || c->named || c->made) && ts_text_is(hprof_class_text(d, c), name)) {
            if (c->loader == 0) {
                return i;
            }
            found = found == HPROF_NONE ? i : found;
        }
    }
    return found;
}

static ts_code need_class(uint32_t *number, hprof_dump *d, const char *name)
{
    hprof_class *c;
    *number = find_class(d, name);
    if (*number != HPROF_NONE) {
        return TS_OK;
    }
    *number = (uint32_t)d->classes.n;
    TS_NEED(d->f->ctx, c = ts_vec_add(d->f->ctx, &d->classes, sizeof *c));
    *c = (hprof_class){.super = HPROF_NONE, .fielded = HPROF_NONE, .least = UINT64_MAX};
    c->node = HPROF_NONE;
    c->made = true;
    return set_name(d, c, ts_text_of(name));
}

/* --- chains --------------------------------------------------------------------------------- */

static uint64_t saturated(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* What depends on the super class, which is done. */
static void finish_class(hprof_dump *d, hprof_class *c)
{
    static const struct {
        const char *name;
        uint8_t strength;
    } kinds[] = {{"java.lang.ref.SoftReference", TS_JAVA_SOFT},
                 {"java.lang.ref.WeakReference", TS_JAVA_WEAK},
                 {"java.lang.ref.PhantomReference", TS_JAVA_PHANTOM},
                 {"java.lang.ref.FinalReference", TS_JAVA_FINAL}};
    const hprof_class *super = c->super == HPROF_NONE ? NULL : hprof_class_at(d, c->super);
    c->chain = c->own;
    c->chain_refs = c->own_refs;
    c->whole = c->known && (super == NULL ? c->super_id == 0 : super->whole);
    if (super != NULL) {
        c->chain = saturated(c->chain, super->chain);
        c->chain_refs = saturated(c->chain_refs, super->chain_refs);
        c->strength = super->strength;
        c->fielded = super->fields > 0 ? c->super : super->fielded;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (ts_text_is(hprof_class_text(d, c), kinds[i].name)) {
            c->strength = kinds[i].strength;
        }
    }
    c->done = true;
}

static ts_code cut_ring(hprof_dump *d, hprof_class *c)
{
    ts_text name = hprof_class_text(d, c);
    c->super = HPROF_NONE;
    return hprof_lose(d->f, TS_ISSUE_hprof_super_ring, TS_ITEM_hprof_names, NULL, TS_NO_OFFSET, 1,
                      "%.*s is above itself", (int)(name.n > 200 ? 200 : name.n), name.p);
}

/* Classes of the chain that are not done, from the lowest up; then they are done from the top. */
static ts_code finish_chain(hprof_dump *d, ts_vec *chain, uint32_t number)
{
    chain->n = 0;
    for (uint32_t at = number; at != HPROF_NONE && !hprof_class_at(d, at)->done;) {
        hprof_class *c = hprof_class_at(d, at);
        uint32_t above = c->super;
        TS_TRY(ts_vec_push(d->f->ctx, chain, &at, sizeof at));
        c->row = (uint32_t)d->classes.n + number; /* it is in this chain */
        if (above != HPROF_NONE && !hprof_class_at(d, above)->done &&
            hprof_class_at(d, above)->row == c->row) {
            TS_TRY(cut_ring(d, c));
            above = HPROF_NONE;
        }
        at = above;
    }
    while (chain->n > 0) {
        finish_class(d, hprof_class_at(d, ((const uint32_t *)chain->p)[--chain->n]));
    }
    return TS_OK;
}

static ts_code link_supers(hprof_dump *d)
{
    ts_vec chain = {0};
    ts_code code = TS_OK;
    uint32_t object = find_class(d, "java.lang.Object");
    for (uint32_t i = 0; i < d->classes.n; i++) {
        hprof_class *c = hprof_class_at(d, i);
        uint64_t super;
        if (c->known && c->super_id != 0 &&
            ts_idmap_find(&super, &d->class_of, (int64_t)c->super_id)) {
            const hprof_class *above = hprof_class_at(d, (uint32_t)super);
            c->super = above->known || above->named ? (uint32_t)super : HPROF_NONE;
        } else if (!c->known && i != object) {
            c->super = object;
        }
        c->row = HPROF_NONE;
    }
    for (uint32_t i = 0; i < d->classes.n && code == TS_OK; i++) {
        code = finish_chain(d, &chain, i);
    }
    ts_vec_free(d->f->ctx, &chain);
    return code;
}

/* --- order of nodes --------------------------------------------------------------------------- */

static ts_code place_classes(hprof_dump *d)
{
    uint64_t missing = 0;
    hprof_cursor at = {.d = d};
    ts_code code = TS_OK;
    for (const hprof_object *o; (o = hprof_list_next(&code, &at)) != NULL;) {
        uint32_t number = o->what & HPROF_NUMBER;
        if (hprof_kind(o) == TS_JAVA_CLASS &&
            hprof_class_at(d, number)->node == hprof_node_of_seq(d, at.seq)) {
            hprof_class_at(d, number)->row = (uint32_t)d->order.n;
            code = ts_vec_push(d->f->ctx, &d->order, &number, sizeof number);
        }
    }
    TS_TRY(code);
    for (uint32_t i = 0; i < d->classes.n; i++) {
        hprof_class *c = hprof_class_at(d, i);
        if (!c->known && (c->named || c->made)) {
            missing += c->made ? 0 : 1;
            c->node = d->nodes++;
            c->row = (uint32_t)d->order.n;
            TS_TRY(ts_vec_push(d->f->ctx, &d->order, &i, sizeof i));
        }
    }
    d->boot_node = d->nodes++;
    return missing == 0 ? TS_OK
                        : hprof_lose(d->f, TS_ISSUE_hprof_class_missing, TS_ITEM_hprof_objects,
                                     NULL, TS_NO_OFFSET, missing,
                                     "classes are not in the dump, and objects of them are");
}

/* Which fields are referents of references. */
static ts_code mark_referents(hprof_dump *d)
{
    uint32_t number = find_class(d, "java.lang.ref.Reference");
    uint32_t finalizer = find_class(d, "java.lang.ref.Finalizer");
    for (unsigned k = 0; k < 2; k++) {
        uint32_t of = k == 0 ? number : finalizer;
        const hprof_class *c = of == HPROF_NONE ? NULL : hprof_class_at(d, of);
        for (uint32_t i = 0; c != NULL && i < c->statics + c->fields; i++) {
            hprof_field *field = (hprof_field *)d->fields.p + c->first + i;
            ts_text name;
            TS_TRY(hprof_name(&name, d->f, field->name));
            field->referent = (i < c->statics) == (k == 1) &&
                              ts_text_is(name, k == 0 ? "referent" : "unfinalized");
        }
    }
    return TS_OK;
}

static ts_code need_primitive_classes(hprof_dump *d)
{
    static const char *const names[HPROF_TYPES] = {
        [HPROF_BOOLEAN] = "boolean[]", [HPROF_CHAR] = "char[]", [HPROF_FLOAT] = "float[]",
        [HPROF_DOUBLE] = "double[]",   [HPROF_BYTE] = "byte[]", [HPROF_SHORT] = "short[]",
        [HPROF_INT] = "int[]",         [HPROF_LONG] = "long[]"};
    hprof_cursor at = {.d = d};
    ts_code code = TS_OK;
    unsigned types = 0;
    for (const hprof_object *o; (o = hprof_list_next(&code, &at)) != NULL;) {
        types |= hprof_kind(o) == TS_JAVA_PRIMITIVE_ARRAY ? 1U << (o->what & 31) : 0;
    }
    TS_TRY(code);
    for (unsigned type = 0; type < HPROF_TYPES; type++) {
        d->primitive_class[type] = HPROF_NONE;
        if ((types >> type & 1) != 0) {
            TS_TRY(need_class(&d->primitive_class[type], d, names[type]));
            hprof_class_at(d, d->primitive_class[type])->element = (uint8_t)type;
        }
    }
    return TS_OK;
}

/* --- fields by name --------------------------------------------------------------------------- */

ts_code hprof_field_place(hprof_place *out, hprof_dump *d, uint32_t number, const char *name)
{
    uint64_t before = 0;
    *out = (hprof_place){0, 0};
    for (; number != HPROF_NONE; number = hprof_class_at(d, number)->fielded) {
        const hprof_class *c = hprof_class_at(d, number);
        for (uint32_t i = 0; i < c->fields; i++) {
            const hprof_field *field = (const hprof_field *)d->fields.p + c->first + c->statics + i;
            ts_text text;
            TS_TRY(hprof_name(&text, d->f, field->name));
            if (ts_text_is(text, name)) {
                *out = (hprof_place){before + field->offset, field->type};
                return TS_OK;
            }
        }
        before += c->own;
    }
    return TS_OK;
}

ts_code hprof_field_value(uint64_t *value, bool *got, hprof_dump *d, const hprof_sub *s,
                          hprof_place place)
{
    unsigned size = hprof_type_size(place.type, d->f->id_size);
    const uint8_t *p;
    size_t n;
    *got = false;
    if (size == 0 || s->tag != HPROF_INSTANCE || place.offset + size > s->length) {
        return TS_OK;
    }
    TS_TRY(hprof_get(&p, &n, &d->f->near, s->body + place.offset, size));
    *got = n >= size;
    *value = *got ? hprof_value(p, size) : 0;
    return TS_OK;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Where instances of java.lang.String have what their text needs. */
static ts_code place_string(hprof_dump *d)
{
    static const char *const names[] = {"value", "coder", "offset", "count"};
    hprof_place *const places[] = {&d->value, &d->coder, &d->offset, &d->count};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && d->string_class != HPROF_NONE; i++) {
        TS_TRY(hprof_field_place(places[i], d, d->string_class, names[i]));
    }
    return TS_OK;
}

ts_code hprof_classes(hprof_dump *d)
{
    TS_TRY(name_classes(d));
    TS_TRY(need_class(&d->class_class, d, "java.lang.Class"));
    TS_TRY(need_class(&d->loader_class, d, "java.lang.ClassLoader"));
    TS_TRY(need_primitive_classes(d));
    d->string_class = find_class(d, "java.lang.String");
    TS_TRY(link_supers(d));
    TS_TRY(place_classes(d));
    TS_TRY(mark_referents(d));
    return place_string(d);
}
