/*
 * Interned entries: texts that a sequence sends once, under a number. An entry that is sent again
 * takes the place of the one before; those of a state that was forgotten stay until then, and are
 * of another generation.
 */
#include "parsers/perfetto/perfetto.h"

#include "base/json_out.h"
#include "base/utf8.h"

typedef struct entry_key {
    uint64_t iid;
    uint32_t sequence, kind;
} entry_key;

static bool is_entry(const void *owner, uint32_t number, const void *key)
{
    const perfetto *p = owner;
    const entry_key *k = key;
    const perfetto_entry *e = (const perfetto_entry *)p->entries.p + number;
    return e->iid == k->iid && e->sequence == k->sequence && e->kind == k->kind;
}

static uint64_t hash_of(const perfetto *p, const entry_key *k)
{
    ts_hash h = ts_hash_begin(&p->entry_index.key);
    ts_hash_word(&h, k->iid);
    ts_hash_word(&h, (uint64_t)k->sequence << 32 | k->kind);
    return ts_hash_end(&h);
}

static uint32_t generation_of(const perfetto *p, uint32_t kind)
{
    return (kind & INTERNED_OF_HEAP) != 0 ? p->sequence->heap_part : p->sequence->generation;
}

ts_code perfetto_interned_put(perfetto *p, uint32_t kind, uint64_t iid, uint32_t text)
{
    const entry_key key = {iid, p->sequence_index, kind};
    ts_index_place place;
    perfetto_entry *e;
    uint32_t number;
    if (iid == 0) {
        return TS_OK;
    }
    TS_TRY(ts_index_reserve(p->ctx, &p->entry_index));
    number = ts_index_search(&place, &p->entry_index, hash_of(p, &key), is_entry, p, &key);
    if (number == TS_INDEX_NONE) {
        number = (uint32_t)p->entries.n;
        TS_NEED(p->ctx, e = ts_vec_add(p->ctx, &p->entries, sizeof *e));
        ts_index_add(&p->entry_index, place, number);
    }
    e = (perfetto_entry *)p->entries.p + number;
    *e = (perfetto_entry){iid, key.sequence, generation_of(p, kind), key.kind, text};
    return TS_OK;
}

bool perfetto_interned_look(uint32_t *text, perfetto *p, uint32_t kind, uint64_t iid)
{
    const entry_key key = {iid, p->sequence_index, kind};
    uint32_t number = p->entry_index.count == 0
                          ? TS_INDEX_NONE
                          : ts_index_find(&p->entry_index, hash_of(p, &key), is_entry, p, &key);
    const perfetto_entry *e =
        number == TS_INDEX_NONE ? NULL : (const perfetto_entry *)p->entries.p + number;
    *text = e == NULL ? PERFETTO_NONE : e->text;
    return e != NULL && e->generation == generation_of(p, kind);
}

void perfetto_interned_missing(perfetto *p)
{
    p->n.first_no_interned = p->n.no_interned == 0 ? (int64_t)p->at : p->n.first_no_interned;
    p->n.no_interned++;
}

uint32_t perfetto_interned_find(perfetto *p, perfetto_interned kind, uint64_t iid)
{
    uint32_t text;
    if (perfetto_interned_look(&text, p, kind, iid)) {
        return text;
    }
    perfetto_interned_missing(p);
    return PERFETTO_NONE;
}

ts_code perfetto_text_of(uint32_t *out, perfetto *p, const ts_wire_field *field)
{
    ts_text text = {(const char *)field->p, field->n};
    *out = PERFETTO_NONE;
    if (field->type != TS_WIRE_BYTES) {
        return TS_OK;
    }
    if (text.n > PERFETTO_TEXT_MAX) {
        text.n = ts_utf8_cut(text.p, PERFETTO_TEXT_MAX);
        p->n.texts_cut++;
    }
    TS_TRY(ts_utf8_text(&text, p->ctx, &p->clean, &p->n.bad_texts));
    return ts_pool_intern(p->ctx, out, NULL, &p->texts, text.n == 0 ? TS_TEXT_LIT("") : text);
}

ts_code perfetto_location(perfetto *p, ts_buf *out, const ts_wire_field *message, bool *good)
{
    ts_jout j = ts_jout_into(p->ctx, out);
    ts_text file = TS_TEXT_NULL;
    ts_text function = TS_TEXT_NULL;
    uint64_t line = 0;
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.type == TS_WIRE_BYTES) {
            file = f.number == 2 ? (ts_text){(const char *)f.p, f.n} : file;
            function = f.number == 3 ? (ts_text){(const char *)f.p, f.n} : function;
        }
        line = f.number == 4 && f.type == TS_WIRE_VARINT ? f.value : line;
    }
    *good = *good && w.fault == TS_WIRE_OK;
    j.escapes = TS_JOUT_PLAIN;
    ts_jout_open(&j, NULL, '{');
    if (file.p != NULL) {
        ts_jout_text(&j, "file", file);
    }
    if (function.p != NULL) {
        ts_jout_text(&j, "function", function);
    }
    if (line != 0) {
        ts_jout_uint(&j, "line", line);
    }
    ts_jout_close(&j, '}');
    return j.code;
}

/* Bytes are kept as they are: what they are, those say that refer to them. */
static ts_code put_bytes(uint32_t *text, perfetto *p, const ts_wire_field *f)
{
    size_t n = f->n < PERFETTO_TEXT_MAX ? f->n : PERFETTO_TEXT_MAX;
    p->n.texts_cut += n < f->n;
    return ts_pool_intern(p->ctx, text, NULL, &p->texts,
                          n == 0 ? TS_TEXT_LIT("") : (ts_text){(const char *)f->p, n});
}

/* An entry: its number in field 1, its text in field 2, or a place in the source. */
static ts_code take_entry(perfetto *p, uint32_t kind, const ts_wire_field *message, bool *good)
{
    bool bytes = (kind & ~(uint32_t)INTERNED_OF_HEAP) >= INTERNED_FUNCTION;
    uint64_t iid = 0;
    uint32_t text = PERFETTO_NONE;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_VARINT) {
            iid = f.value;
        } else if (f.number == 2 && f.type == TS_WIRE_BYTES && kind != INTERNED_LOCATION) {
            code = bytes ? put_bytes(&text, p, &f) : perfetto_text_of(&text, p, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (code != TS_OK || !*good) {
        return code;
    }
    if (kind == INTERNED_LOCATION) {
        p->scratch.n = 0;
        TS_TRY_INTO(code, perfetto_location(p, &p->scratch, message, good));
        TS_TRY_INTO(code, ts_pool_intern(p->ctx, &text, NULL, &p->texts, ts_buf_text(&p->scratch)));
    }
    if (text == PERFETTO_NONE) {
        TS_TRY_INTO(code, ts_pool_intern(p->ctx, &text, NULL, &p->texts, TS_TEXT_LIT("")));
    }
    return perfetto_interned_put(p, kind, iid, text);
}

/* Which field holds entries of a kind. */
typedef struct entry_field {
    uint32_t field, kind;
} entry_field;

static ts_code take_kind(perfetto *p, uint32_t kind, const ts_wire_field *message, bool *good)
{
    uint32_t of_heap = kind & INTERNED_OF_HEAP;
    switch (kind & ~(uint32_t)INTERNED_OF_HEAP) {
    case INTERNED_MAPPING:
        return perfetto_mapping(p, of_heap, message, good);
    case INTERNED_FRAME:
        return perfetto_frame_of(p, of_heap, message, good);
    case INTERNED_STACK:
        return perfetto_stack(p, of_heap, message, good);
    default:
        return take_entry(p, kind, message, good);
    }
}

/* Entries refer to others whose fields may be later in the message: first the texts, then what
 * refers to them. The kinds that refer are the last of the list, in this order. */
static ts_code take_entries(perfetto *p, const ts_wire_field *message, const entry_field *kinds,
                            size_t n, size_t texts, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    size_t later = 0; /* kinds that refer: a bit for each that is there */
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        for (size_t i = 0; i < n; i++) {
            if (kinds[i].field == f.number && f.type == TS_WIRE_BYTES) {
                later |= (size_t)(i >= texts) << i;
                TS_STEP_IF(code, i < texts, take_kind(p, kinds[i].kind, &f, good));
                break;
            }
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    for (size_t i = texts; i < n && code == TS_OK && *good; i++) {
        if ((later >> i & 1) == 0) {
            continue;
        }
        ts_wire_init(&w, message->p, message->n);
        while (code == TS_OK && ts_wire_next(&f, &w)) {
            if (f.number == kinds[i].field && f.type == TS_WIRE_BYTES) {
                code = take_kind(p, kinds[i].kind, &f, good);
            }
        }
    }
    return code;
}

ts_code perfetto_interned_data(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const entry_field kinds[] = {
        {1, INTERNED_CATEGORY},     {2, INTERNED_NAME},      {3, INTERNED_ARG_NAME},
        {4, INTERNED_LOCATION},     {20, INTERNED_LOG_BODY}, {29, INTERNED_ARG_TEXT},
        {43, INTERNED_CORRELATION}, {5, INTERNED_FUNCTION},  {16, INTERNED_BUILD_ID},
        {17, INTERNED_PATH},        {18, INTERNED_SOURCE},   {19, INTERNED_MAPPING},
        {6, INTERNED_FRAME},        {7, INTERNED_STACK},
    };
    return take_entries(p, message, kinds, 14, 11, good);
}

ts_code perfetto_interned_heap(perfetto *p, const ts_wire_field *message, bool *good)
{
    static const entry_field kinds[] = {
        {1, INTERNED_OF_HEAP | INTERNED_FUNCTION},
        {4, INTERNED_OF_HEAP | INTERNED_MAPPING},
        {2, INTERNED_OF_HEAP | INTERNED_FRAME},
        {3, INTERNED_OF_HEAP | INTERNED_STACK},
    };
    return take_entries(p, message, kinds, 4, 1, good);
}
