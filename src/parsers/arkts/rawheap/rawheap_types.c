/*
 * The types of objects, from the JSON at the end of a dump. The place of a type in `type_enum` is
 * its number; `type_list` says where its fields are, counted from the end of those of its parent.
 */
#include "parsers/arkts/rawheap/rawheap.h"

#include "json/json_fields.h"

#include <ctype.h>

enum {
    AT_TOP = 1,
    AT_ENUM,
    AT_LIST,
    AT_TYPE,
    AT_OFFSETS,
    AT_OFFSET,
    AT_PARENTS,
    AT_LAYOUT,
    AT_DICTIONARY,
    AT_RANGE
};

/* Far beyond what a runtime has: a type list of 222 has some 700 fields with those of parents. */
enum { MOST_NAME = TS_POOL_LONG, MOST_PARENTS = 64, MOST_LISTED = 4096, MOST_FIELDS = 1 << 18 };

typedef struct rawheap_named {
    uint32_t name; /* in the pool */
    int64_t node_type;
} rawheap_named;

typedef struct rawheap_offset {
    uint32_t name;
    int64_t offset;
    int64_t size;
} rawheap_offset;

typedef struct rawheap_listed {
    uint32_t name; /* RAWHEAP_NONE: it has none */
    uint32_t node_name;
    uint32_t parent; /* the first */
    int64_t end;
    bool array;
    size_t first; /* of its offsets */
    size_t count;
} rawheap_listed;

typedef struct types_reader {
    rawheap *r;
    rawheap_types *types;
    ts_json_place in;
    ts_buf text;
    uint32_t flags;
    rawheap_listed type;
    rawheap_offset offset;
    int64_t dictionary[4];
    uint32_t ranges[4];
    bool done;
    bool odd;  /* a number is none that it can be */
    bool many; /* more than a list can have */
} types_reader;

#define OFFSET(name) offsetof(types_reader, name)
static const ts_json_field fields[] = {
    {0, TS_JSON_OBJECT, .to = AT_TOP},
    {AT_TOP, TS_JSON_OBJECT, .key = "type_enum", .to = AT_ENUM},
    {AT_TOP, TS_JSON_LIST, .key = "type_list", .to = AT_LIST},
    {AT_TOP, TS_JSON_OBJECT, .key = "type_layout", .to = AT_LAYOUT},
    {AT_ENUM, TS_JSON_NUMBER, .key = "*"},
    {AT_LIST, TS_JSON_OBJECT, .to = AT_TYPE},
    {AT_TYPE, TS_JSON_TEXT, .key = "name"},
    {AT_TYPE, TS_JSON_TEXT, .key = "node_name"},
    {AT_TYPE, TS_JSON_LIST, .key = "offsets", .to = AT_OFFSETS},
    {AT_TYPE, TS_JSON_SIZE, .key = "end_offset", .offset = OFFSET(type.end)},
    {AT_TYPE, TS_JSON_LIST, .key = "parents", .to = AT_PARENTS},
    {AT_TYPE, TS_JSON_TEXT, .key = "visit_type"},
    {AT_OFFSETS, TS_JSON_OBJECT, .to = AT_OFFSET},
    {AT_OFFSET, TS_JSON_TEXT, .key = "name"},
    {AT_OFFSET, TS_JSON_SIZE, .key = "offset", .offset = OFFSET(offset.offset)},
    {AT_OFFSET, TS_JSON_SIZE, .key = "size", .offset = OFFSET(offset.size)},
    {AT_PARENTS, TS_JSON_TEXT, .key = NULL},
    {AT_LAYOUT, TS_JSON_OBJECT, .key = "Dictionary_layout", .to = AT_DICTIONARY},
    {AT_LAYOUT, TS_JSON_OBJECT, .key = "Type_range", .to = AT_RANGE},
    {AT_DICTIONARY, TS_JSON_SIZE, .key = "key_index", .offset = OFFSET(dictionary[0])},
    {AT_DICTIONARY, TS_JSON_SIZE, .key = "value_index", .offset = OFFSET(dictionary[1])},
    {AT_DICTIONARY, TS_JSON_SIZE, .key = "entry_size", .offset = OFFSET(dictionary[2])},
    {AT_DICTIONARY, TS_JSON_SIZE, .key = "header_size", .offset = OFFSET(dictionary[3])},
    {AT_RANGE, TS_JSON_TEXT, .key = "string_first"},
    {AT_RANGE, TS_JSON_TEXT, .key = "string_last"},
    {AT_RANGE, TS_JSON_TEXT, .key = "js_object_first"},
    {AT_RANGE, TS_JSON_TEXT, .key = "js_object_last"},
};
#undef OFFSET

/* --- reading ---------------------------------------------------------------------------------- */

static ts_code on_begin(void *user, bool *take, unsigned place)
{
    types_reader *t = user;
    (void)take;
    if (place == AT_TYPE) {
        t->type = (rawheap_listed){.name = RAWHEAP_NONE,
                                   .node_name = RAWHEAP_NONE,
                                   .parent = RAWHEAP_NONE,
                                   .first = t->types->offsets.n};
    } else if (place == AT_OFFSET) {
        t->offset = (rawheap_offset){.name = RAWHEAP_NONE};
    }
    return TS_OK;
}

static ts_code on_end(void *user, unsigned place)
{
    types_reader *t = user;
    if (place == AT_TYPE) {
        t->type.count = t->types->offsets.n - t->type.first;
        t->many = t->many || t->types->listed.n == MOST_LISTED;
        return t->many ? TS_OK
                       : ts_vec_push(t->r->ctx, &t->types->listed, &t->type, sizeof t->type);
    }
    if (place == AT_OFFSET) {
        t->many = t->many || t->types->offsets.n == MOST_FIELDS;
        return t->many ? TS_OK
                       : ts_vec_push(t->r->ctx, &t->types->offsets, &t->offset, sizeof t->offset);
    }
    t->done = t->done || place == AT_TOP;
    return TS_OK;
}

static void *target(uint32_t **flags, void *user)
{
    types_reader *t = user;
    *flags = &t->flags;
    return t;
}

static ts_code on_enumerated(void *user, const ts_json_number *number)
{
    types_reader *t = user;
    rawheap_named named = {.node_type = number->is_int ? number->i : -1};
    const ts_text key = ts_buf_text(&t->in.key);
    if (t->types->enumerated.n == RAWHEAP_TYPES) {
        return TS_OK;
    }
    if (named.node_type < 0 || named.node_type >= RAWHEAP_NODE_TYPES) {
        named.node_type = RAWHEAP_NO_TYPE;
        t->odd = true;
    }
    TS_TRY(ts_pool_intern(t->r->ctx, &named.name, NULL, &t->types->names, key));
    return ts_vec_push(t->r->ctx, &t->types->enumerated, &named, sizeof named);
}

/* Where a text goes: to a member, or to what it says. */
static void take_text(types_reader *t, uint32_t id)
{
    static const char *const range[] = {"string_first", "string_last", "js_object_first",
                                        "js_object_last"};
    const char *key = t->in.field->key;
    if (t->in.at == AT_PARENTS) {
        t->type.parent = t->type.parent == RAWHEAP_NONE ? id : t->type.parent;
    } else if (t->in.at == AT_OFFSET) {
        t->offset.name = id;
    } else if (t->in.at == AT_RANGE) {
        for (size_t i = 0; i < 4; i++) {
            t->ranges[i] = strcmp(key, range[i]) == 0 ? id : t->ranges[i];
        }
    } else if (strcmp(key, "name") == 0) {
        t->type.name = id;
    } else if (strcmp(key, "node_name") == 0) {
        t->type.node_name = t->text.n > 0 ? id : RAWHEAP_NONE;
    } else {
        t->type.array = ts_text_is(ts_buf_text(&t->text), "Array");
    }
}

static ts_code on_text(void *user, const char *p, size_t n, unsigned flags)
{
    types_reader *t = user;
    uint32_t id;
    if ((flags & TS_JSON_FIRST) != 0) {
        t->text.n = 0;
    }
    n = n < MOST_NAME - t->text.n ? n : MOST_NAME - t->text.n;
    TS_TRY(ts_buf_put(t->r->ctx, &t->text, p, n));
    if ((flags & TS_JSON_LAST) == 0) {
        return TS_OK;
    }
    TS_TRY(ts_pool_intern(t->r->ctx, &id, NULL, &t->types->names, ts_buf_text(&t->text)));
    take_text(t, id);
    return TS_OK;
}

static const ts_json_table table = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .begin = on_begin,
    .end = on_end,
    .target = target,
    .number = on_enumerated,
    .text = on_text,
};

/* --- what it means ---------------------------------------------------------------------------- */

static const rawheap_listed *listed(const types_reader *t, uint32_t name, size_t from)
{
    const rawheap_listed *all = t->types->listed.p;
    while (from < t->types->listed.n && all[from].name != name) {
        from++;
    }
    return name != RAWHEAP_NONE && from < t->types->listed.n ? &all[from] : NULL;
}

/* The fields that are listed of a type, all lists of its name, from `base` on. */
static ts_code add_fields(types_reader *t, rawheap_type *type, uint32_t name, uint64_t base)
{
    const rawheap_listed *all = t->types->listed.p;
    const rawheap_offset *offsets = t->types->offsets.p;
    const rawheap_listed *l = listed(t, name, 0);
    for (; l != NULL; l = listed(t, name, (size_t)(l - all) + 1)) {
        for (size_t i = 0; i < l->count; i++) {
            const rawheap_offset *o = &offsets[l->first + i];
            const rawheap_field field = {
                .name = o->name == RAWHEAP_NONE ? TS_TEXT_LIT("")
                                                : ts_pool_text(&t->types->names, o->name),
                .number = RAWHEAP_NONE,
                .offset = base + ((uint64_t)o->offset & UINT32_MAX),
                .size = (uint64_t)o->size,
            };
            t->many = t->many || t->types->fields.n == MOST_FIELDS;
            if (t->many) {
                return TS_OK;
            }
            const uint64_t slot = field.offset / 8;
            type->last = slot > type->last && slot <= RAWHEAP_SLOTS ? slot : type->last;
            TS_TRY(ts_vec_push(t->r->ctx, &t->types->fields, &field, sizeof field));
            type->count++;
        }
    }
    return TS_OK;
}

static bool is_in(const rawheap_listed *const *chain, unsigned depth, const rawheap_listed *l)
{
    unsigned i = 0;
    while (i < depth && chain[i] != l) {
        i++;
    }
    return i < depth;
}

/* A type from its outermost parent to itself; a ring of parents ends where it closes. */
static ts_code resolve(types_reader *t, rawheap_type *type, uint32_t name)
{
    const rawheap_listed *chain[MOST_PARENTS] = {NULL};
    unsigned depth = 0;
    uint64_t base = 0;
    type->first = t->types->fields.n;
    for (const rawheap_listed *l = listed(t, name, 0);
         l != NULL && depth < MOST_PARENTS && !is_in(chain, depth, l);
         l = listed(t, l->parent, 0)) {
        chain[depth++] = l;
        type->array = type->array || l->array;
    }
    while (depth-- > 0) {
        TS_TRY(add_fields(t, type, chain[depth]->name, base));
        base += (uint64_t)chain[depth]->end & UINT32_MAX;
    }
    type->end = base;
    return TS_OK;
}

/* What nodes of the type are called: in lower case where nothing says it. */
static ts_code name_type(types_reader *t, rawheap_type *type, uint32_t name)
{
    const rawheap_listed *l = listed(t, name, 0);
    const ts_text text = ts_pool_text(&t->types->names, name);
    uint32_t id;
    if (l != NULL && l->node_name != RAWHEAP_NONE) {
        type->name = ts_pool_text(&t->types->names, l->node_name);
        return TS_OK;
    }
    t->text.n = 0;
    for (size_t i = 0; i < text.n && i < MOST_NAME; i++) {
        TS_TRY(ts_buf_putc(t->r->ctx, &t->text, (char)tolower((unsigned char)text.p[i])));
    }
    TS_TRY(ts_pool_intern(t->r->ctx, &id, NULL, &t->types->names, ts_buf_text(&t->text)));
    type->name = ts_pool_text(&t->types->names, id);
    return TS_OK;
}

static unsigned numbered(const types_reader *t, const char *name)
{
    const rawheap_named *all = t->types->enumerated.p;
    uint32_t id;
    if (ts_pool_find(&id, &t->types->names, ts_text_of(name))) {
        for (unsigned i = 0; i < t->types->count; i++) {
            if (all[i].name == id) {
                return i;
            }
        }
    }
    return RAWHEAP_TYPES;
}

/* A field of a type, the last of that name: its own come last. */
static const rawheap_field *field_of(const types_reader *t, const char *type, const char *name)
{
    const unsigned number = numbered(t, type);
    const rawheap_type *of = number < RAWHEAP_TYPES ? &t->types->of[number] : NULL;
    const rawheap_field *all = t->types->fields.p;
    for (size_t i = of == NULL ? 0 : of->count; i > 0; i--) {
        if (ts_text_is(all[of->first + i - 1].name, name)) {
            return &all[of->first + i - 1];
        }
    }
    return NULL;
}

static void find_known(types_reader *t)
{
    rawheap_types *types = t->types;
    types->bit_field = field_of(t, "HCLASS", "BitField");
    types->bit_field1 = field_of(t, "HCLASS", "BitField1");
    types->layout = field_of(t, "HCLASS", "Layout");
    types->properties = field_of(t, "JS_OBJECT", "Properties");
    types->external = field_of(t, "JS_NATIVE_POINTER", "ExternalPointer");
    types->binding_size = field_of(t, "JS_NATIVE_POINTER", "BindingSize");
    types->length = field_of(t, "TAGGED_ARRAY", "Length");
    types->data = field_of(t, "TAGGED_ARRAY", "Data");
    types->native_pointers = field_of(t, "JS_WRAPPED_NAPI_OBJECT", "NativePointers");
    types->dictionary = numbered(t, "TAGGED_DICTIONARY");
    types->global_env = numbered(t, "GLOBAL_ENV");
    types->native_pointer = numbered(t, "JS_NATIVE_POINTER");
    types->wrapped = numbered(t, "JS_WRAPPED_NAPI_OBJECT");
    types->key_index = t->dictionary[0];
    types->value_index = t->dictionary[1];
    types->entry_size = t->dictionary[2];
    types->header_size = t->dictionary[3];
}

/* The place of the first type of this name; beyond all when it is none. */
static unsigned place_of(const types_reader *t, uint32_t id)
{
    const rawheap_named *all = t->types->enumerated.p;
    unsigned i = 0;
    while (i < t->types->count && all[i].name != id) {
        i++;
    }
    return i < t->types->count ? i : RAWHEAP_TYPES;
}

static ts_code resolve_all(types_reader *t)
{
    rawheap_types *types = t->types;
    const rawheap_named *all = types->enumerated.p;
    unsigned range[4];
    types->count = (unsigned)types->enumerated.n;
    for (size_t i = 0; i < 4; i++) {
        range[i] = place_of(t, t->ranges[i]);
    }
    for (unsigned i = 0; i < types->count; i++) {
        rawheap_type *type = &types->of[i];
        type->number = RAWHEAP_NONE;
        type->node_type = (uint8_t)all[i].node_type;
        type->string = i >= range[0] && i <= range[1] && range[1] < RAWHEAP_TYPES;
        type->object = i >= range[2] && i <= range[3] && range[3] < RAWHEAP_TYPES;
        TS_TRY(resolve(t, type, all[i].name));
        TS_TRY(name_type(t, type, all[i].name));
    }
    find_known(t);
    return TS_OK;
}

static ts_code feed_types(types_reader *t, ts_json *json)
{
    const rawheap_part part = t->r->layout.types;
    for (uint64_t at = 0; at < part.size;) {
        const uint8_t *p;
        size_t n;
        TS_TRY(ts_window_get(&p, &n, t->r->in, part.at + at, 1));
        if (n == 0) {
            break;
        }
        n = n < part.size - at ? n : (size_t)(part.size - at);
        TS_TRY(ts_json_feed(json, (const char *)p, n));
        at += n;
    }
    return ts_json_finish(json);
}

static ts_code types_bad(rawheap *r, uint64_t at, const char *why)
{
    return RAWHEAP_ISSUE(r, rawheap_types_bad, r->layout.types.at + at,
                         "no row can be made without the types of objects: %s", why);
}

/* Whether what was read is enough for rows. */
static ts_code judge(bool *good, types_reader *t, const ts_json *json)
{
    rawheap *r = t->r;
    if (!t->done || ts_json_state(json) == TS_JSON_BAD) {
        return types_bad(r, ts_json_position(json), ts_json_reason(json));
    }
    if (t->types->enumerated.n == 0 || t->types->listed.n == 0) {
        return types_bad(r, 0, "their JSON lists none");
    }
    if (t->odd) {
        return types_bad(r, 0, "their JSON gives nodes a type that there is not");
    }
    if (!t->many) {
        TS_TRY(resolve_all(t));
    }
    if (t->many) {
        return types_bad(r, 0, "their JSON lists more than there can be");
    }
    if (r->layout.version == 1 && t->types->bit_field == NULL) {
        return types_bad(r, 0, "their JSON has no HCLASS.BitField, by which objects have types");
    }
    *good = true;
    return TS_OK;
}

ts_code rawheap_read_types(bool *good, rawheap *r)
{
    types_reader t = {
        .r = r,
        .types = &r->types,
        .in = {.table = &table, .ctx = r->ctx},
        .ranges = {RAWHEAP_NONE, RAWHEAP_NONE, RAWHEAP_NONE, RAWHEAP_NONE},
    };
    ts_json *json = NULL;
    ts_code code;
    *good = false;
    t.in.user = &t;
    ts_json_place_begin(&t.in);
    code = ts_json_new(&json, r->ctx, &ts_json_by_table, &t.in, 0);
    TS_STEP(code, feed_types(&t, json));
    TS_STEP(code, judge(good, &t, json));
    ts_json_free(json);
    ts_json_place_free(&t.in);
    ts_buf_free(r->ctx, &t.text);
    return code;
}

void rawheap_types_free(rawheap *r)
{
    ts_pool_free(r->ctx, &r->types.names);
    ts_vec_free(r->ctx, &r->types.enumerated);
    ts_vec_free(r->ctx, &r->types.listed);
    ts_vec_free(r->ctx, &r->types.offsets);
    ts_vec_free(r->ctx, &r->types.fields);
}
